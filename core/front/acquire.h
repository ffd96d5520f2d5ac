/*
 * acquire.h - from syntax trees to a trace; private to core/front.
 *
 * An Acquire walks the statements of one function (and of the sub-graphs it calls). A Scope maps
 * the names of one function to what they stand for: mostly an Arg, which is a literal, a value of
 * the trace or a tree of them, so that tuples, sizes and dtypes need no nodes.
 */
#ifndef THUNDER_ACQUIRE_H
#define THUNDER_ACQUIRE_H

#include "autocast.h"
#include "syntax.h"

typedef enum BoundKind {
    BOUND_nothing,
    BOUND_arg,
    BOUND_untyped, /* a parameter of which the text gives no type */
    BOUND_self,    /* the module */
    BOUND_graph,   /* a sub-graph */
    BOUND_deleted,
    BOUND_broken, /* result of a statement with an error: uses are not reported again */
} BoundKind;

typedef struct Bound {
    uint8_t kind;
    Arg arg;
    const FrontFunction *graph;
    const Ann *ann; /* from "name: type" lines */
    Span at;        /* of untyped parameters */
} Bound;

/* torch.autocast from its enter to its exit, and what holds again behind it. */
typedef struct AutocastRegion {
    CastRegion casts;
    AroundFn *around;
    void *around_user;
    bool enabled;
    NodeId first; /* of the nodes in it */
    struct AutocastRegion *outer;
} AutocastRegion;

typedef struct Acquire Acquire;

/* A call with evaluated arguments. */
typedef struct Call {
    const Expr *e;
    Str name; /* as written, imports resolved */
    Arg *pos, *kw;
    Str *kw_names;
    Span *spans; /* of positional, then keyword arguments */
    uint32_t npos, nkw;
} Call;

/* Functions of Python and PyTorch that build no node: float("inf"), slice(...), torch.device(...).
 * Returns false when the arguments are none that it handles; *out is the result. */
typedef bool BuiltinFn(Acquire *a, const Call *c, Arg *out);
/* Functions whose arguments are not evaluated first (sub-graphs). */
typedef Arg SpecialFn(Acquire *a, const Expr *e, Str name);

typedef struct Builtin {
    const char *name;
    BuiltinFn *fn;
    SpecialFn *special;
} Builtin;

/* What a dotted name means, found once for each name of a scope. */
typedef struct PathInfo {
    bool known;
    Str resolved;
    const Builtin *builtin;
    const Spelling *spelling;
} PathInfo;

typedef struct Scope {
    const FrontFunction *fn;
    Bound *env;      /* by sym */
    PathInfo *paths; /* by sym */
    Arg result;      /* what the function returned */
    struct Scope *outer;
} Scope;

typedef struct Undo {
    uint32_t sym;
    Bound before;
} Undo;

struct Acquire {
    Build b;
    const Registry *reg;
    Scope *scope;
    Arena scratch;
    const SymbolValue *symbols;
    uint32_t nsymbols;
    Map used; /* names that values have; u = next suffix to try */
    OpUses *uses;
    Map use_index;
    Map attributes; /* self.NAME -> ValueId of the input that it became */
    const Stmt *stmt;
    const SrcLoc *loc_from, *loc; /* the last location met, and its copy in the trace */
    const char *executor;         /* the last executor met, in the trace's memory */
    Undo *undo;                   /* what the names meant outside of the decomposition being read */
    uint32_t nundo, undo_cap;
    uint32_t *refs; /* by ValueId: names that stand for exactly this value */
    uint32_t refs_cap;
    uint32_t verbatim; /* depth of decompositions being read */
    uint32_t graphs;   /* depth of sub-graphs being inlined */
    uint32_t regions;  /* checkpoint regions so far */
    AutocastRegion *autocast; /* the innermost one; NULL = none */
    Map cast_rows;            /* of cast_row */
    Map cast_leaves;          /* of inputs, until the outermost region ends */
    const Expr **met; /* calls of the statements under way that were counted */
    uint32_t nmet, met_cap;
    const Str *names;  /* front_expression: names given by the caller */
    const Arg *values;
    uint32_t nnames;
};

Span acquire_at(const Acquire *a, const Expr *e);
/* Records an error unless one was recorded for this statement; returns None. */
Arg acquire_error(Acquire *a, Span at, const char *code, const char *fmt, ...) PRINTF_LIKE(4, 5);
DiagItem *acquire_item(Acquire *a, Span at, const char *code, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
Str acquire_text(const Acquire *a, const Expr *e); /* of an expression, cut to a sensible length */

/* acquire_expr.c */
Arg eval(Acquire *a, const Expr *e);
const FrontFunction *eval_graph(Acquire *a, const Expr *e); /* NULL after an error */
/* The sub-graph that e names, NULL when it names none. */
const FrontFunction *graph_named(const Acquire *a, const Expr *e);
const Value *acquire_value(const Acquire *a, Arg v); /* NULL when v is no value */
bool has_values(Arg a);
/* The dotted name of e when its first name is not bound here: a function or a constant of a
 * module. */
bool path_of(const Acquire *a, const Expr *e, uint32_t *sym);
const PathInfo *path_info(Acquire *a, uint32_t sym);

/* acquire_call.c */
Arg eval_call(Acquire *a, const Expr *e);
/* Calls the operator NAME ("operator.add", "Tensor.view") on positional arguments. */
Arg call_named(Acquire *a, Str name, const Expr *e, const Arg *args, const Span *spans, uint32_t n);

void count_use(Acquire *a, Str written, const Op *op, Span at);
/* An error with the nearest name, at the call e. */
Arg unknown_operator(Acquire *a, Str name, const Expr *e);
/* Whether the call of a name that nobody knows is a fused region: the text gives its parts. */
bool is_fusion(const Acquire *a, const Expr *e, Str written);
bool starts_with_self(const Acquire *a, const Expr *e);
/* args_list.clear() on the list that a boxed function got its inputs from. */
bool clears_arguments(const Acquire *a, const Expr *call);
/* acquire_rest.c: e failed; reports and counts the calls in it that were not reached. */
void look_at_rest(Acquire *a, const Expr *e);
/* A node that is not inferred: its results are named and typed by the statement. */
Arg opaque_node(Acquire *a, const Op *op, const Arg *args);

/* acquire_builtin.c */
const Builtin *builtin_find(Str name);
bool constant_find(Str path, Arg *out); /* math.pi, torch.float32, torch.strided */
bool is_module_name(Str root);

/* literal.c: Python's arithmetic on literals. False: not applicable (message in *why, may be
 * NULL). */
bool literal_unary(Acquire *a, uint32_t op, Arg x, Arg *out, const char **why);
bool literal_binary(Acquire *a, uint32_t op, Arg x, Arg y, Arg *out, const char **why);
bool literal_truth(Arg a, bool *out);
bool literal_index(Acquire *a, Arg seq, Arg key, Arg *out, const char **why);
const char *operator_name(uint32_t op, bool *reflects); /* '+' gives "add" */

/* acquire_type.c */
/* The type that an annotation gives. False when it says nothing, or its sizes are not known
 * here. */
bool type_of_annotation(Acquire *a, const Ann *ann, Type *out, Arg *known);
void check_annotation(Acquire *a, const Ann *ann, Arg result, const Expr *target);
void refine_type(Acquire *a, ValueId v, const Ann *ann);
void set_strides(Acquire *a, ValueId v, const Ann *ann);

/* acquire_stmt.c */
void run_statement(Acquire *a, const Stmt *s);
/* Runs the body of fn in a new scope whose parameters stand for args; gives its result. */
/* A function of the same file, no method; NULL when there is none of that name. */
const FrontFunction *function_of_file(const Acquire *a, Str name);
Arg inline_graph(Acquire *a, const FrontFunction *fn, const Arg *args, uint32_t n, const Expr *e);
/* Reads the statement's decomposition into the node of op that is being called. */
Arg verbatim_call(Acquire *a, const Op *op, const Arg *args, const Span *spans);

/* acquire.c */
void bind_name(Acquire *a, uint32_t sym, Bound to);
Str unique_name(Acquire *a, Str name);
uint32_t *value_refs(Acquire *a, ValueId v);
void scope_enter(Acquire *a, Scope *s, const FrontFunction *fn);
void scope_leave(Acquire *a);
ValueId add_input(Acquire *a, Str name, Type type);

#endif
