/*
 * bind.h - what the files of the Lua binding share.
 *
 * Objects of the session appear in Lua as userdata of a class each. Two laws keep an error in a
 * script from harming the session. First, whatever owns memory while Lua may raise an error (a
 * Diag, a StrBuf, a trace under construction) is itself a userdata, so that it is freed whichever
 * way the code is left. Second, the compiler calls Lua only through sl_protected; an error ends
 * there and becomes an item of a Diag.
 */
#ifndef THUNDER_LUA_BIND_H
#define THUNDER_LUA_BIND_H

#include "script.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#define CLASS_TRACE    "thunder.trace"
#define CLASS_NODE     "thunder.node"
#define CLASS_VALUE    "thunder.value"
#define CLASS_REWRITER "thunder.rewriter"
#define CLASS_PROGRAM  "thunder.program"
#define CLASS_TENSOR   "thunder.tensor"
#define CLASS_ERROR    "thunder.error"
#define CLASS_BUFFER   "thunder.buffer"
#define CLASS_WALK     "thunder.walk"
#define CLASS_RUN      "thunder.run"
#define CLASS_FILE     "thunder.file"
#define CLASS_BUILDER  "thunder.builder"
/* Tables with a meaning of their own. */
#define CLASS_LIST     "thunder.list"
#define CLASS_DICT     "thunder.dict"
#define CLASS_SLICE    "thunder.slice"
#define CLASS_COMPLEX  "thunder.complex"
#define CLASS_WORD     "thunder.word"

typedef struct Builder Builder;
typedef struct LuaPass LuaPass;
typedef struct Rewriter Rewriter;

struct Script {
    Session *s;
    lua_State *L;   /* the main thread */
    lua_State *now; /* the thread that called the binding last; valid while depth > 0 */
    void (*write)(void *user, Str text); /* where print goes; may be NULL */
    void *write_user;
    bool (*command)(void *user, Str line, StrBuf *out);
    void *command_user;
    size_t bytes;       /* of the interpreter */
    Arena arena;        /* texts of chunks */
    Map chunks;         /* Lua's name of a chunk -> its newest Source */
    uint32_t nchunks;
    uint32_t depth;     /* protected calls in progress */
    uint32_t callbacks; /* passes and event handlers in progress: the session must stand still */
    bool in_handler;    /* events that a handler causes go to no handler */
    Builder *builder;   /* where operators are built; NULL = nowhere */
    uint64_t turn;      /* changes when a pass begins or ends */
    LuaPass *passes;
    bool listening;
    uint32_t listener;
};

/* ----------------------------------------------------------------------------------- script.c */

Script *sl_script(lua_State *L);
void sl_emit(Script *sc, Str text);
/* Runs body with a light userdata as its argument; an error becomes an item of d. */
bool sl_protected(Script *sc, lua_CFunction body, void *arg, DiagKind kind, Diag *d);
/* Raises an error while a pass or an event handler runs: they must not change the session. */
void sl_need_idle(lua_State *L, const char *what);
Str sl_check_str(lua_State *L, int arg);
void sl_push_str(lua_State *L, Str s);
StrBuf *sl_buffer(lua_State *L); /* pushes a buffer that frees itself */

/* A class: methods are functions, getters are called with the object alone. Either may be NULL. */
void sl_class(lua_State *L, const char *name, const luaL_Reg *meta, const luaL_Reg *methods,
              const luaL_Reg *getters);
/* The class's lookup: pushes obj.key and returns true, or pushes nothing. */
bool sl_lookup(lua_State *L, int obj, int key, const char *class_name);
/* A readable text of any Lua value: tables are written out, keys in order. */
void sl_show(lua_State *L, int index, StrBuf *out);

/* ------------------------------------------------------------------------------------ error.c */

void sl_open_errors(lua_State *L);
/* Pushes an error object and returns its Diag. */
Diag *sl_diag(lua_State *L);
/* Raises the error object at index, with the place in the script that is running at level (0 = the
 * function itself, 1 = its caller). */
int sl_fail(lua_State *L, int index, int level);
/* Raises a new error object with one item; help may be NULL. */
int sl_raise(lua_State *L, const char *code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Places in programs that were unloaded since are forgotten: a trace may outlive its text. */
void sl_forget_stale_spans(Script *sc, Diag *d);
int sl_handler(lua_State *L); /* the message handler of protected calls */
/* The error value on top of the stack as items of d; pops it. */
void sl_report(Script *sc, lua_State *L, DiagKind kind, Diag *d);
/* Name of a chunk as Lua shows it in messages. */
Str sl_short_name(Str chunk, char buf[64]);
/* Emits the items of d as text. */
void sl_emit_diag(Script *sc, const Diag *d);

/* ------------------------------------------------------- object.c, trace.c, node.c, value.c */

/* A trace as Lua sees it. */
typedef struct Box {
    Trace *t;
    Builder *builder; /* while it is under construction, else NULL */
    Map names;        /* name -> value; filled on first use of a finished trace */
    uint32_t *first_use; /* by value: where its users begin in uses; NULL = not computed */
    NodeId *uses;
} Box;

typedef struct NodeRef {
    Box *box; /* kept alive by the user value */
    NodeId n;
} NodeRef;

typedef struct ValueRef {
    Box *box;
    ValueId v;
} ValueRef;

void sl_open_objects(lua_State *L);
void sl_open_traces(lua_State *L);
void sl_open_nodes(lua_State *L);
void sl_open_values(lua_State *L);
Box *sl_push_trace(lua_State *L, const Trace *t); /* the one object of t; it keeps t alive */
void sl_push_node(lua_State *L, Box *box, NodeId n);
void sl_push_value(lua_State *L, Box *box, ValueId v);
int sl_push_values(lua_State *L, Box *box, const ValueId *ids, uint32_t n); /* a list; returns 1 */
Rewriter *sl_check_rewriter(lua_State *L, int arg); /* of the pass that is running */
Box *sl_check_box(lua_State *L, int arg); /* a trace, or the trace that a rewriter reads */
const Node *sl_check_node(lua_State *L, int arg, NodeRef **ref);
const Value *sl_check_value(lua_State *L, int arg, ValueRef **ref);
ValueId sl_find_value(Box *box, Str name); /* 0 when absent */
void sl_index_uses(lua_State *L, Box *box); /* fills first_use and uses of a finished trace */
void sl_forget_index(Box *box);
/* The values in a tree, in order; *n of them. Pushes what holds them. */
const ValueId *sl_push_leaves(lua_State *L, Arg a, uint32_t *n);
void sl_node_text(const Trace *t, NodeId n, StrBuf *out); /* one line with the type */
/* "for node, level in ...": the nodes from `from` to end, down to depth (-1 = all); returns 2. */
int sl_push_walk(lua_State *L, Box *box, NodeId from, NodeId end, lua_Integer depth);
/* Whether the whole text matches the Lua pattern at the index. */
bool sl_matches(lua_State *L, int pattern, const char *text);
int sl_value_operator(lua_State *L); /* value.NAME and value[key] while a program is built */
int sl_trace_run(lua_State *L);      /* trace:run{...} */

/* -------------------------------------------------------------------------------------- arg.c */

void sl_open_args(lua_State *L); /* with the thunder table on top: constants and constructors */
void sl_push_arg(lua_State *L, Box *box, Arg a);  /* None is nil */
void sl_push_item(lua_State *L, Box *box, Arg a); /* None is thunder.none, which leaves no hole */
Arg sl_to_arg(lua_State *L, int index, Builder *b); /* raises an error when it is no argument */

/* ----------------------------------------------------------------------------- build.c, ops.c */

/* A trace under construction by a script: from scratch, or a rewritten copy of `in`. A userdata;
 * its user values keep both boxes alive. */
struct Builder {
    Build b;          /* b.t is held by a reference of its own */
    Box *out, *in;    /* in: NULL when building from scratch */
    ValueId *map;     /* by value: what stands for it now; 0 = itself */
    uint8_t *defined; /* by value: computed at the place reached */
    uint32_t cap;     /* of map and defined */
    bool functional;  /* operators that write in place are refused */
    NodeId visiting;  /* node of in; NO_NODE when none */
    Map names;        /* of values, once a script names one */
};

void sl_open_build(lua_State *L); /* with the thunder table on top */
Builder *sl_push_builder(lua_State *L, Box *in, Str name);
/* What it built stays readable; nothing is added any more. */
void sl_close_builder(Builder *b);
void sl_reserve(lua_State *L, Builder *b); /* map and defined cover all values of the trace */
void sl_define_from(Builder *b, NodeId first); /* results of the top-level nodes from first on */
void sl_drop_from(Builder *b, NodeId first);   /* gives these nodes up */
ValueId sl_resolve(lua_State *L, Builder *b, int index); /* a value object, in b's trace */
void sl_open_ops(lua_State *L); /* with the thunder table on top */
void sl_open_clang(lua_State *L); /* likewise */
/* A Lua function's call of what s names: binds the arguments, builds, pushes the result. */
typedef Arg SlBuild(Build *b, const Op *op, const Arg *args);
int sl_call(lua_State *L, const Spelling *s, SlBuild *build);
bool sl_is_identifier(Str s);
int sl_value_named(lua_State *L); /* value:named(name) */

/* What run of a pass is given: a trace that can be rewritten. A userdata; its user value keeps the
 * builder of the visit in progress, or the box of the trace read, alive. */
struct Rewriter {
    PassCtx *ctx;
    uint64_t turn; /* the script's turn when this was made: usable while it is the same */
    const LuaPass *pass;
    Box *in;      /* what is read: the pass's input, or the result of the last visit */
    Builder *b;   /* of the visit in progress, else NULL */
    bool remove;  /* the visitor asked for the node to be removed */
    bool removed; /* a node was removed in this visit */
};

/* ---------------------------------------------- pass.c, program.c, tensor.c, event.c: openers */

struct LuaPass {
    PassInfo info;
    Script *sc;       /* NULL once the interpreter is gone */
    int run;          /* the Lua function, a reference in the registry */
    const char *rule; /* name of its rule in the log */
    LuaPass *next;
};

void sl_open_pass(lua_State *L);
void sl_open_program(lua_State *L);
void sl_open_tensor(lua_State *L);
void sl_open_event(lua_State *L);

void sl_push_program(lua_State *L, Program *p);
/* The program object at 1 of a method that asks the session to compute or change something. */
Program *sl_busy_program(lua_State *L, const char *what);
/* Raises the errors of the Diag object at index, if there are any; shows warnings. */
void sl_settle(lua_State *L, int index, bool ok);
/* gradient.c: methods of a program. */
int sl_program_grad(lua_State *L);
int sl_program_value_and_grad(lua_State *L);
int sl_program_vjp(lua_State *L);
void sl_push_tensor(lua_State *L, Tensor *t); /* a reference of its own; NULL gives nil */
Tensor *sl_check_tensor(lua_State *L, int arg);
/* A tensor object as it is, or a number or nested table as a new tensor of that type (dtype
 * DT_none: f32, or i64 when all are integers). Pushes what owns it. */
Tensor *sl_to_tensor(lua_State *L, int index, DType dtype, Device device);
Tensor *const *sl_run_inputs(lua_State *L, const Trace *t, int table);
Run *sl_new_run(lua_State *L); /* pushes a run that frees itself */
int sl_push_run(lua_State *L, const Trace *t, Run *run); /* its outputs as a table; returns 1 */

#endif
