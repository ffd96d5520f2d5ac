/*
 * ir.h - the whole intermediate representation: types, values, nodes, traces, operators.
 *
 * A Trace is a tensor program at one stage: inputs, a list of nodes, an output tree. Its five laws:
 *
 *   1. Ordered. Nodes stand in one array in pre-order: a node is followed by its sub-nodes (its
 *      decomposition), `span` counts them all, itself included; top-level nodes run in array order.
 *   2. Single assignment. A value has one producer at each level of nesting: an input, or the
 *      outermost node that lists it in `out` (a composite and the sub-node that computes its result
 *      name the same value). It is defined before it is used, within its level or an enclosing one.
 *   3. Typed. The type of each value is what the shape rule of its producing prim answers.
 *   4. Handles are numbers. Values and nodes are named by index, never by a pointer kept across an
 *      append. Index 0 of the value array is "no value". Argument arrays never change once made.
 *   5. A value keeps its number and name through all stages. A trace made by trace_derive starts
 *      with a copy of its parent's value table; a pass appends values, it never renumbers. So two
 *      stages of one program are compared value by value, and argument arrays are shared.
 *
 * A finished trace is immutable. A derived trace keeps its parent alive (it shares argument arrays
 * and names with it); drop one with trace_unref.
 */
#ifndef THUNDER_IR_H
#define THUNDER_IR_H

#include "arena.h"
#include "diag.h"
#include "map.h"

/* ------------------------------------------------------------------------------------ types */

typedef enum DType {
#define DTYPE(name, ...) DT_##name,
#include "dtype.def"
#undef DTYPE
    DT_COUNT,
    DT_none = DT_COUNT,
} DType;

typedef enum DTypeCategory { CAT_BOOL, CAT_INT, CAT_FLOAT, CAT_COMPLEX } DTypeCategory;

typedef struct DTypeInfo {
    const char *name;      /* "f32", as in type comments */
    const char *full_name; /* "float32", as in torch.float32 */
    const char *safetensors;
    uint8_t bytes, category, is_signed, rank;
    uint8_t digits;  /* of floats and of the parts of complex numbers, else 0: bits of the
                      * significand, the hidden one among them; */
    int16_t normal;  /* the exponent of the smallest normal number; */
    double largest;  /* the largest finite number; */
    double beyond;   /* what a larger one becomes: infinity, where there is one */
} DTypeInfo;

extern const DTypeInfo dtype_info[DT_COUNT + 1]; /* the last row is that of DT_none */

/* Accepts the short name, PyTorch's and Thunder's full names and aliases (float, half, long,
 * f8e4m3fn, ui8); with or without "torch." or "dtypes." in front. DT_none when unknown. */
DType dtype_parse(Str s);
DType dtype_real(DType d);   /* c64 -> f32, ...; others themselves */
DType dtype_opmath(DType d); /* that it is computed in: f8, f16, bf16 -> f32, c32 -> c64 */
double dtype_round(double v, DType d); /* what storing v as d and reading it back gives; floats */
static inline bool dtype_is_float(DType d)
{
    return d < DT_COUNT && dtype_info[d].category == CAT_FLOAT;
}
static inline bool dtype_is_complex(DType d)
{
    return d < DT_COUNT && dtype_info[d].category == CAT_COMPLEX;
}
static inline bool dtype_is_inexact(DType d)
{
    return d < DT_COUNT && dtype_info[d].category >= CAT_FLOAT;
}
static inline bool dtype_is_exact(DType d)
{
    return d < DT_COUNT && dtype_info[d].category < CAT_FLOAT;
}
/* 0 for what is no float; of a complex dtype that of its parts. */
double dtype_smallest_normal(DType d);
double dtype_epsilon(DType d); /* from 1 to the next larger number; likewise */
static inline bool dtype_is_int(DType d)
{
    return d < DT_COUNT && dtype_info[d].category == CAT_INT;
}

typedef enum DeviceType { DEV_cpu, DEV_cuda, DEV_meta, DEV_COUNT } DeviceType;
typedef struct Device {
    uint8_t type, index;
} Device;

extern const char *const device_types[DEV_COUNT]; /* "cpu", "cuda", "meta" */
/* "cpu", "cuda" (= cuda:0), "cuda:1", "meta"; false when it is none of these. */
bool device_parse(Str s, Device *out);
void device_print(Device d, StrBuf *out); /* "cpu", "cuda:0", "meta" */
static inline bool device_eq(Device a, Device b) { return a.type == b.type && a.index == b.index; }

enum { MAX_RANK = 64, MAX_PARAMS = 32, MAX_OUTPUTS = 16 };

/* ------------------------------------------------------------------------------ values, args */

typedef uint32_t ValueId; /* 0 = none */
typedef uint32_t NodeId;
#define NO_NODE UINT32_MAX

typedef enum ArgKind {
    ARG_none, /* Python's None */
    ARG_value,
    ARG_int,
    ARG_float,
    ARG_bool,
    ARG_complex, /* items[0], items[1]: two floats */
    ARG_str,
    ARG_dtype,
    ARG_device,
    ARG_tuple,
    ARG_list,
    ARG_dict,  /* n entries; items alternates key, value: 2 n of them */
    ARG_slice, /* items[0..2]: start, stop, step, each an int or None */
    ARG_ellipsis,
    ARG_word, /* a bare name without meaning to us: torch.strided, torch.contiguous_format */
} ArgKind;

/* An argument or a result: a literal, a value, or a tree of them. 16 bytes, passed by value.
 * Trees and strings lie in the arena of the trace (or an ancestor) and never change. */
typedef struct Arg {
    uint8_t kind; /* ArgKind */
    uint8_t dtype;
    Device device;
    uint32_t n; /* of items or characters */
    union {
        ValueId v;
        int64_t i; /* ARG_int, ARG_bool */
        double f;
        const char *s;
        const struct Arg *items;
    };
} Arg;

#define A_NONE ((Arg){.kind = ARG_none})
#define A_INT(x) ((Arg){.kind = ARG_int, .i = (x)})
#define A_FLOAT(x) ((Arg){.kind = ARG_float, .f = (x)})
#define A_BOOL(x) ((Arg){.kind = ARG_bool, .i = (x) ? 1 : 0})
#define A_VALUE(x) ((Arg){.kind = ARG_value, .v = (x)})
#define A_DTYPE(x) ((Arg){.kind = ARG_dtype, .dtype = (uint8_t)(x)})
#define A_DEVICE(x) ((Arg){.kind = ARG_device, .device = (x)})

static inline bool arg_is_none(Arg a) { return a.kind == ARG_none; }
static inline bool arg_is_value(Arg a) { return a.kind == ARG_value; }
static inline bool arg_is_seq(Arg a) { return a.kind == ARG_tuple || a.kind == ARG_list; }
static inline bool arg_is_number(Arg a) { return a.kind >= ARG_int && a.kind <= ARG_complex; }
/* Of ARG_int, ARG_bool and ARG_float. */
static inline double arg_f64(Arg a) { return a.kind == ARG_float ? a.f : (double)a.i; }
static inline Str arg_str(Arg a) { return (Str){a.s, a.n}; } /* of ARG_str and ARG_word */
/* Children of a tree node (tuple, list, dict, slice, complex); 0 for a leaf. */
uint32_t arg_nitems(Arg a);
bool arg_equal(Arg a, Arg b);            /* same structure, same literals, same value numbers */
uint64_t arg_hash(Arg a, uint64_t seed); /* equal args hash alike */
/* Calls fn for every value in the tree, in order. */
void arg_each_value(Arg a, void (*fn)(ValueId v, void *user), void *user);
bool arg_has_value(Arg a, ValueId v); /* v is one of them */

typedef enum ValueKind {
    VALUE_dead, /* no longer computed at this stage */
    VALUE_tensor,
    VALUE_number,
    VALUE_str,
    VALUE_collection, /* tuple, list or dict received from outside */
    VALUE_future,
    VALUE_any,
} ValueKind;

enum {
    VF_REQUIRES_GRAD = 1,
    VF_STAR = 2,       /* an input written *args */
    VF_STAR_STAR = 4,  /* an input written **kwargs */
    VF_PARAMETER = 8,  /* an input that is a parameter or buffer, as far as its name tells */
    VF_NAMED = 16,     /* the name comes from the program's text */
};

/* The type of a value. Shapes of tensors are always known (programs with symbolic sizes are
 * specialised when their inputs are bound). Strides are kept only where the text gives them. */
typedef struct Type {
    uint8_t kind;  /* ValueKind */
    uint8_t dtype; /* of tensors and numbers (b8, i64, f64, c128 for bool, int, float, complex) */
    Device device;
    uint32_t rank;
    const int64_t *shape; /* rank sizes */
} Type;

typedef struct Origins {
    uint32_t n;
    ValueId ids[]; /* ascending stage-0 values */
} Origins;

typedef struct Value {
    Str name;
    Type type;
    Arg known;               /* a number's or string's value where known, else None */
    NodeId producer;         /* outermost producing node; NO_NODE for inputs and dead values */
    uint32_t flags;          /* VF_* */
    const Origins *origins;  /* NULL: itself when it is a stage-0 value, otherwise none */
    const int64_t *strides;  /* of an input, where the text gave them; else NULL */
    int64_t offset;          /* bytes in the planned arena, -1 = not planned */
    const int64_t *layout;   /* strides in elements with which its kernel writes it; NULL = dense */
} Value;

/* --------------------------------------------------------------------------------- operators */

/* Facts about an operator. Passes ask these, they do not switch on the operator. */
enum {
    OP_ELEMENTWISE = 1 << 0,
    OP_REDUCTION = 1 << 1,
    OP_SHAPE = 1 << 2,      /* moves elements, computes none */
    OP_VIEW = 1 << 3,       /* the result may share storage with the first tensor argument */
    OP_RANDOM = 1 << 4,     /* never merged, never moved across a seed change */
    OP_MATMUL = 1 << 5,
    OP_IN_PLACE = 1 << 6,   /* writes into its first argument (copy_: into its second) */
    OP_COLLECTIVE = 1 << 7,
    OP_OPAQUE = 1 << 8,     /* meaning unknown here: no shape rule, types come from the text */
    OP_KEEP = 1 << 9,       /* never deleted by dce (checks, prints, write-backs) */
    OP_NO_RECOMPUTE = 1 << 10,
    OP_COMMUTATIVE = 1 << 11,
    OP_CREATION = 1 << 12,
    OP_UNPACK = 1 << 13,    /* prologue and boundary statements: takes values out of containers */
    OP_CHECK = 1 << 14,
    OP_INDEXING = 1 << 15,  /* gathers or scatters by index values */
    OP_CONTROL = 1 << 16,   /* del, comment, print: a statement, no value */
    OP_COMPARISON = 1 << 17,
    OP_HOST = 1 << 18,      /* its result depends on tensor data on the host (item, nonzero) */
    OP_NO_GRAD = 1 << 19,   /* no gradient flows through: detach */
};

/* The word for fact number `bit` ("elementwise", "matmul", "in_place"); NULL past the last. */
const char *op_fact_name(uint32_t bit);

typedef enum ParamType { /* the letter after ':' in a signature */
    PT_any,     /*   anything */
    PT_tensor,  /* T a tensor value */
    PT_number,  /* N a number (literal or number value) or bool */
    PT_scalar,  /* V a tensor or a number */
    PT_int,     /* i an int */
    PT_ints,    /* I an int or a sequence of ints */
    PT_bool,    /* b a bool */
    PT_tensors, /* L a sequence of tensors */
    PT_seq,     /* Q any sequence */
    PT_dtype,   /* D a dtype */
    PT_str,     /* s a string */
    PT_true,    /* t literally True: spellings that differ by a flag, relu(x, inplace=True) */
    PT_false,   /* f literally False */
} ParamType;

typedef struct Param {
    Str name;     /* how the caller names it */
    int target;   /* index in the operator's canonical parameters; -1 = accepted and dropped */
    uint8_t type; /* ParamType; None is always accepted where the default is None */
    bool keyword_only, variadic, has_default, fixed; /* fixed: not written by the caller at all */
    Arg dflt;
} Param;

/* A list of parameters, parsed from text such as "input>a:T, dim, *, dtype:D=None,
 * _stacklevel>_=3":
 *   NAME[>TARGET][:LETTER][=DEFAULT], a default tuple as (-2 -1). "*" starts the keyword-only
 *   ones; "*NAME" takes the remaining positional arguments as a tuple (or one sequence in their
 *   place). TARGET is the canonical name (default: the same name), "_" drops the argument.
 *   "!NAME=VALUE" sets a canonical parameter that this spelling does not have. A canonical
 *   parameter that a spelling neither has nor sets takes its canonical default. */
typedef struct Signature {
    const Param *params;
    uint32_t n;
    Str text;
} Signature;

typedef struct Build Build;
typedef struct Infer Infer;
typedef struct Op Op;

/* A shape rule: reads inf->args, writes result types; false after infer_error. Pure. */
typedef bool ShapeFn(Infer *inf);
/* A decomposition: args are bound in canonical order; emits sub-nodes and returns the result tree.
 * After any error the build is failed, and everything emitted later is ignored, so decompositions
 * need not check every step. */
typedef Arg DecomposeFn(Build *b, const Arg *args);

typedef enum Language { LANG_prims, LANG_torch, LANG_numpy, LANG_executor, LANG_COUNT } Language;

struct Op {
    const char *name; /* "softmax" */
    uint32_t id;      /* index in the registry; prims first, in the order of prims.def */
    uint8_t language;
    uint32_t flags;
    Signature sig; /* canonical: the order of node arguments; keyword-only ones print by name */
    ShapeFn *shape;          /* prims */
    DecomposeFn *decompose;  /* composites */
    const char *help;
    const char *spellings;   /* as written in the table; see registry_add */
    const char *c_text, *cuda_text; /* expression templates of elementwise prims, else NULL */
    void *user;              /* of operators registered at run time */
};

/* Prims by name: OP_add is the id of prims.add. */
enum PrimId {
#define PRIM(name, ...) PRIM_##name,
#include "prims.def"
#undef PRIM
    PRIM_COUNT
};

/* One way to write an operator: "torch.softmax" with its own signature. */
typedef struct Spelling {
    Str name;
    const Op *op;
    Signature sig;
    struct Spelling *next; /* further candidates of the same name, in table order */
} Spelling;

typedef struct Registry {
    Arena arena;
    const Op **ops;
    uint32_t n, cap;
    Map by_name;     /* "prims.add", "ltorch.softmax" -> const Op * */
    Map by_spelling; /* normalised spelling -> Spelling * (first candidate) */
    int64_t seed;    /* of the draws that random operators emit from now on */
} Registry;

/* A row for registry_add; static tables are arrays of these. */
typedef struct OpRow {
    const char *name, *signature, *spellings, *help;
    uint32_t flags;
    ShapeFn *shape;
    DecomposeFn *decompose;
    const char *c_text, *cuda_text;
} OpRow;

void registry_init(Registry *r); /* with all prims */
void registry_free(Registry *r);
/* Registers an operator under LANG.name and under its spellings, a ";"-separated list of
 * NAME or NAME(SIGNATURE); a NAME alone uses the canonical signature. Short prefixes: "F." is
 * torch.nn.functional., "nn." torch._C._nn., "aten." torch.ops.aten., "op." operator (Python's
 * operators: op.add for +, op.radd where the operands are swapped), "Tensor." a method. Every
 * torch operator is also found as torch.NAME. Returns NULL and a diagnostic when a signature is
 * malformed or the name is taken. */
const Op *registry_add(Registry *r, Language lang, const OpRow *row, void *user, Diag *d);
const Op *registry_op(const Registry *r, uint32_t id);
const Op *registry_find(const Registry *r, Str qualified); /* "prims.add" or "ltorch.add" */
/* Candidates for a name as written in a program (torch.nn.functional.softmax, Tensor.view,
 * torch.ops.aten.add.Tensor, aten packet without overload, ltorch.x, prims.x, operator.add,
 * Thunder's torch_NAME_prim_impl). NULL when unknown. */
const Spelling *registry_lookup(const Registry *r, Str written);
Str registry_nearest(const Registry *r, Str written); /* nearest known spelling, as written in
                                                       * programs; "" when none is near */
const char *language_prefix(Language lang); /* "prims", "ltorch", "lnp", "ex" */
void op_qualified_name(const Op *op, StrBuf *out);
/* Parses signature text into memory of a; canonical may be NULL (its own targets). */
bool signature_parse(Arena *a, const char *text, const Signature *canonical, Signature *out,
                     Diag *d);

/* "input, dim, *, dtype=None": as Python writes parameters. */
void signature_print(const Signature *sig, StrBuf *out);

/* ------------------------------------------------------------------------------ nodes, traces */

/* Where the user's model has this statement, from "# File: ..." and "# file.py:3: ..." comments. */
typedef struct SrcLoc {
    Str file, func, code;
    uint32_t line; /* 0 = unknown */
} SrcLoc;

enum {
    NF_BACKWARD = 1,
    NF_RECOMPUTE = 2,
    NF_VERBATIM = 4, /* decomposition was read from the text, not derived */
    NF_KEPT = 128,       /* its checkpoint region is computed again, this node is not */
    NF_REGION_SHIFT = 8, /* the bits above: number of the checkpoint region, 0 = none */
};
#define NF_REGION (UINT32_MAX << NF_REGION_SHIFT | NF_KEPT)

typedef struct Node {
    const Op *op;
    const Arg *args; /* nargs = op->sig.n, canonical order */
    Arg out;         /* None, a value, or a tree of values */
    uint32_t nargs;
    uint32_t span;   /* nodes in this subtree, itself included */
    uint32_t flags;  /* NF_* */
    const char *executor; /* name of the claiming executor, NULL before claim */
    Span src;
    const SrcLoc *loc; /* NULL = unknown */
} Node;

/* The checkpoint region that a node belongs to: what lies in it is computed again in the backward
 * part. 0 = none. */
static inline uint32_t node_region(const Node *n) { return n->flags >> NF_REGION_SHIFT; }

typedef enum TraceKind {
    TRACE_computation,
    TRACE_prologue,
    TRACE_forward,
    TRACE_backward,
    TRACE_joint,
    TRACE_epilogue,
} TraceKind;

typedef struct Trace Trace;
struct Trace {
    Arena arena;
    int refs;
    Trace *parent; /* kept alive; NULL at stage 0 */
    const Registry *reg;
    Str name; /* of the function: "computation", "forward", "case3" */
    TraceKind kind;
    Value *values; /* values[0] is unused */
    uint32_t nvalues, value_cap;
    Node *nodes;
    uint32_t nnodes, node_cap;
    ValueId *inputs;
    uint32_t ninputs;
    Arg output;
    uint64_t name_counter; /* fresh names are a prefix and this; larger than any in the text */
    uint32_t norigins;     /* values below this number are those of stage 0 */
    Str made_by;           /* "Dead Code Elimination"; "" for a program as it was read */
    uint64_t made_ns;      /* how long it took */
    uint32_t stage;        /* serial number of the stage, 0 = acquired */
    uint32_t log_begin, log_end; /* entries of the rule log made by this stage's pass */
    int64_t plan_bytes;    /* size of the planned arena, -1 = not planned */
    bool data_dependent;   /* some sizes were taken from the data of the bound inputs */
    bool finished;
};

Trace *trace_new(const Registry *reg, Str name);
/* An unfinished trace with parent's value table, inputs and output, and no nodes. */
Trace *trace_derive(const Trace *parent);
Trace *trace_ref(const Trace *t);
void trace_unref(Trace *t); /* NULL is allowed */
/* Sets producers, marks values without definition dead, freezes the trace. */
void trace_finish(Trace *t);

ValueId trace_add_value(Trace *t, Type type, Str name); /* copies shape and name; name "" = fresh */
ValueId trace_add_input(Trace *t, Type type, Str name);
/* By name, with or without '%'; 0 when absent. Of values of one name, a live one wins. */
ValueId trace_find_value(const Trace *t, Str name);
Type type_tensor(Trace *t, DType dtype, Device dev, uint32_t rank, const int64_t *shape);
Type type_number(DType dtype);
bool type_equal(const Type *a, const Type *b);
/* Sizes alone; those of rank 0 may be NULL. */
bool shape_equal(uint32_t na, const int64_t *a, uint32_t nb, const int64_t *b);
bool type_same_shape(const Type *a, const Type *b);
int64_t type_numel(const Type *t);  /* product of sizes; 1 for numbers */
int64_t type_bytes(const Type *t);
/* A copy whose shape is in the arena, so that it outlives its trace. */
Type type_own(Arena *a, const Type *t);
/* Bytes from the first element to behind the last one when v lies as its layout says; -1 when
 * that is no way to lie: the text of a trace may say anything. */
int64_t value_extent(const Value *v);
void type_print(const Type *t, const Arg *known, StrBuf *out); /* "cpu f32[2, 4]", "int 5", "Any" */

static inline Value *value_at(Trace *t, ValueId v) { return &t->values[v]; }
static inline const Value *value_get(const Trace *t, ValueId v) { return &t->values[v]; }
/* Stage-0 values that v stands for; *n of them, ascending. */
const ValueId *value_origins(const Trace *t, ValueId v, uint32_t *n, ValueId self_storage[1]);
/* v now also stands for everything that w stands for. */
void value_merge_origins(Trace *t, ValueId v, ValueId w);

/* number.c - numbers beside tensors. The dtype that number operand i of prim n is of: that of the
 * tensors where the prim only chooses among operands, compares them or stores the number as an
 * element, else the one they are computed in. DT_none = the number stays as it is: among integers,
 * and where it is no element (sizes, corrections, what draws are shifted by). */
DType op_number_dtype(const Trace *t, const Node *n, uint32_t i);
Arg number_round(Arg x, DType d); /* a literal as d has it; other arguments as they are */
/* Operand i of prim n, a known number as the literal that the prim takes. */
Arg op_number(const Trace *t, const Node *n, uint32_t i);

/* for_top(t, i) visits top-level nodes; for_sub(t, n, i) the direct sub-nodes of node n. */
#define for_top(t, i) \
    for (NodeId i = 0; i < (t)->nnodes; i += (t)->nodes[i].span)
#define for_sub(t, n, i) \
    for (NodeId i = (n) + 1; i < (n) + (t)->nodes[n].span; i += (t)->nodes[i].span)

/* Appends one node as it is (span and arguments already right); returns its number. */
NodeId trace_add_node(Trace *t, Node node);
/* Appends a node of from (in the same stage chain) with its whole subtree, with argument values
 * replaced through map (map[v] = replacement, 0 = itself; map may be NULL). Returns its number. */
NodeId trace_copy_node(Trace *t, const Trace *from, NodeId n, const ValueId *map);
bool trace_is_input(const Trace *t, ValueId v);
uint32_t trace_count_top(const Trace *t); /* top-level nodes */
/* Its first result; 0 when it has none, or when n is NO_NODE. */
ValueId node_result(const Trace *t, NodeId n);
Str node_kernel(const Node *n); /* the name of the kernel that it is; "" when it is none */
/* What a statement is called: its kernel's name, else its first result's, else its operator's. */
Str statement_name(const Trace *t, NodeId n);
bool node_makes(const Node *n, ValueId v); /* v is one of its results */
bool node_reads(const Node *n, ValueId v); /* v is one of its arguments, or in one of them */
/* The top-level node in which v is computed, by itself or by a node inside; NO_NODE = none. */
NodeId trace_owner(const Trace *t, ValueId v);
/* The top-level node that is the kernel of this name; NO_NODE = none. */
NodeId trace_find_kernel(const Trace *t, Str name);
/* The first draw of uniform numbers in n, a node of a trace, or below it; NULL = it has none. */
const Node *node_draw(const Node *n);
/* Whether the plan put v, a result of a node, just where w lies, which the node reads: the node
 * then writes over what it reads, and nobody reads w behind it. Offsets alone say so. */
bool value_is_over(const Trace *t, ValueId v, ValueId w);
/* Whether its results have places of their own: those of views and cats share an operand's. */
bool node_makes_places(const Node *n);
/* The argument of node n that its result v is over; 0 = none. */
ValueId value_over(const Trace *t, NodeId n, ValueId v);
/* A result of a node that may lie over an operand; both are dense, of one dtype and as many bytes.
 */
typedef struct Overlay {
    ValueId result, operand;
    bool legal; /* to be answered by who runs the node */
} Overlay;
/* The tree with its values replaced through map; shared when nothing changes. */
Arg arg_map(Trace *t, Arg a, const ValueId *map);
Arg arg_tuple(Trace *t, const Arg *items, uint32_t n);
Arg arg_list(Trace *t, const Arg *items, uint32_t n);
Arg arg_ints(Trace *t, const int64_t *v, uint32_t n); /* a tuple of ints */
Arg arg_string(Trace *t, Str s);
Arg arg_slice(Trace *t, Arg start, Arg stop, Arg step);
Arg arg_complex(Trace *t, double re, double im);
/* Collects the values of a tree into out (at most max); returns how many there are. */
uint32_t arg_values(Arg a, ValueId *out, uint32_t max);
uint32_t arg_leaves(Arg a); /* of nested tuples and lists: what else is in them */
/* Compares structure, names, types, executors; not spans, provenance, times. */
bool trace_equal(const Trace *a, const Trace *b, StrBuf *why);
/* The leaves of the output tree in order; of a dict (Thunder) those under "output" when present. */
uint32_t trace_outputs(const Trace *t, Arg *out, uint32_t max);

/* Checks the laws at the top of this file; every violation is an item that names the op (and the
 * maker of the trace). True when there is none. */
bool trace_verify(const Trace *t, Diag *d);

/* ---------------------------------------------------------------------------------- building */

/* A trace under construction. Functions that take a Build append nodes to b->t. The first error is
 * recorded in b->diag, with the span of the statement (or argument) being built, and sets
 * b->failed; from then on everything returns None at once. */
/* Computes the 0-d integer tensor v of an unfinished trace from the bound inputs; false when it
 * cannot (an input is not bound). */
typedef bool DataFn(void *user, const Trace *t, ValueId v, int64_t *out);

/* Appends a call in a way of its own, in the end by op_append. */
typedef Arg AroundFn(Build *b, const Op *op, const Arg *args);

struct Build {
    Trace *t;
    Diag *diag;
    Span span;              /* of the statement being built */
    const Span *arg_spans;  /* of the outermost call's arguments, canonical order; may be NULL */
    const SrcLoc *loc;
    uint32_t flags;         /* NF_* of all nodes appended: part, checkpoint region */
    const Op *op;           /* the composite being decomposed, and its arguments */
    const Arg *args;
    const Op *top_op;       /* the outermost composite and its arguments */
    const Arg *top_args;
    uint32_t depth;
    AroundFn *around;       /* gets every call; NULL: calls are appended as they are */
    void *around_user;
    DataFn *data;           /* for sizes that depend on tensor data; NULL: none is known */
    void *data_user;
    bool failed;
};

/* Calls op with canonical arguments (nargs = op->sig.n): a prim infers its types and appends one
 * node; a composite appends a node with its decomposition. Returns the result tree. A composite
 * that would return an argument itself returns a prims.shallow_copy of it. */
Arg op_call(Build *b, const Op *op, const Arg *args);
Arg op_append(Build *b, const Op *op, const Arg *args); /* the same without b->around */
Arg prim_call(Build *b, enum PrimId id, const Arg *args, uint32_t nargs);
/* emit(b, mul, x, y): appends prims.mul(x, y); every canonical argument must be given. */
#define emit(b, prim, ...) \
    prim_call((b), PRIM_##prim, (const Arg[]){__VA_ARGS__}, \
              (uint32_t)(sizeof((const Arg[]){__VA_ARGS__}) / sizeof(Arg)))
/* Binds written arguments to a spelling's signature and gives canonical ones. kw_names[i] names
 * kw[i]. Tries candidates in order; when none fits, reports why the best one does not. spans (may
 * be NULL) are those of positional then keyword arguments; out_spans gets canonical ones. */
const Op *op_bind(Build *b, const Spelling *candidates, const Arg *pos, uint32_t npos,
                  const Str *kw_names, const Arg *kw, uint32_t nkw, const Span *spans,
                  Arg out[MAX_PARAMS], Span out_spans[MAX_PARAMS]);
/* A composite node written by hand (verbatim decompositions): begin, sub-nodes, end. */
NodeId node_begin(Build *b, const Op *op, const Arg *args);
void node_end(Build *b, NodeId n, Arg out);
/* A value renamed to what the program calls it (unless it already has a name from the text). */
void value_rename(Trace *t, ValueId v, Str name);

/* The value of the 0-d integer tensor a, for a size that depends on data (how many elements a mask
 * selects): the trace is specialised for it, and loads again when other inputs are bound. fallback
 * where the data is not there yet. Marks the trace data_dependent. */
int64_t build_data_int(Build *b, Arg a, int64_t fallback);

/* Records an error about canonical argument number arg of b->op (-1 = the whole statement). Inside
 * a nested composite it is placed at the argument of the outermost one that stands behind it. */
void build_error(Build *b, int arg, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Number of the argument of b->op that is x, or that x was made from; -1 when none is. */
int build_arg(const Build *b, Arg x);
/* Type of an argument: of its value, or of the literal number (kind number). */
Type arg_type(const Build *b, Arg a);
Type literal_type(Arg a); /* kind number; kind any for what is no number */
static inline bool arg_is_tensor(const Build *b, Arg a)
{
    return a.kind == ARG_value && b->t->values[a.v].type.kind == VALUE_tensor;
}

/* What a shape rule sees. */
struct Infer {
    const Trace *t;
    Arena *arena; /* for result shapes */
    const Op *op;
    const Arg *args;
    Type out[MAX_OUTPUTS];
    Arg known[MAX_OUTPUTS]; /* values of result numbers, where known */
    uint32_t nout;
    bool out_is_tuple; /* false: one value when nout is 1, None when 0 */
    bool out_is_list;
    int bad_arg;       /* set by infer_error */
    Str error;
};
bool infer_error(Infer *inf, int arg, const char *fmt, ...) PRINTF_LIKE(3, 4); /* returns false */
/* Runs op's shape rule on args; false when it refuses (inf->error, inf->bad_arg). */
bool op_infer(const Trace *t, Arena *a, const Op *op, const Arg *args, Infer *inf);

#endif
