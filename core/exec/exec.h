/*
 * exec.h - the executor interface, and the ordered list of executors in force.
 *
 * An executor claims nodes (can), compiles what it claimed where it makes kernels, and runs it.
 * The claim pass offers every node, composites whole before they are opened, to the executors in
 * list order; the first that can takes it. The last in the list always can. core never names one:
 * the list is handed in by whoever makes the session.
 */
#ifndef THUNDER_EXEC_H
#define THUNDER_EXEC_H

#include "device.h"
#include "flow.h"

typedef enum ExecKind {
    EXEC_operator, /* runs nodes as they come */
    EXEC_fusion,   /* compiles kernels, of single nodes or of regions that pass fuse makes */
    EXEC_stateful, /* makes a kernel for each node and keeps it; nodes are not joined */
} ExecKind;

typedef enum Rounding {
    ROUND_dtype, /* each operator's result rounded to its dtype, as PyTorch eager does */
    ROUND_f64,   /* the oracle: floats are f64 and complex c128 throughout */
} Rounding;

/* One node to run. values is indexed by ValueId: inputs are set, the executor sets the results
 * (references that the caller then owns). */
typedef struct ExecCall {
    const Trace *t;
    NodeId node;
    Tensor **values;
    Rounding rounding;
    Diag *diag; /* errors: DIAG_compile, span and where of the node are added by the caller */
    const volatile int *interrupt; /* non-zero = stop as soon as possible; may be NULL */
    OpenDevice *device; /* that the executor's kernels run on; NULL = the host */
    bool placed; /* what values has for the results is where they go, when it fits */
} ExecCall;

/* What a fusion executor makes of one claimed node: a region (prims.call whose sub-nodes are the
 * members, its arguments the inputs) or a single prim. */
typedef struct Kernel {
    const struct Executor *executor;
    Str name;            /* as in the trace: "cFusion0" */
    Str text;            /* the source that was compiled, readable; "" = none */
    uint64_t hash;       /* of text, options and target: the key of the disk cache */
    uint64_t compile_ns; /* 0 when it came from the cache */
    bool cached;
    bool edited;         /* a person wrote it: it runs in a process of its own */
    const void *code;    /* an address in the compiled code; NULL = it is not ours */
    void *impl;          /* the executor's */
} Kernel;

typedef struct CompileOptions {
    Str cache_dir;      /* where compiled kernels are kept; "" = keep none */
    bool eager_rounding; /* round intermediates to their dtype as PyTorch eager does */
    bool fast_math;
    uint32_t threads;   /* that launch may use; 0 = all */
    Str edited_text;    /* compile this text instead of generating one; "" = generate */
    Str compiler;       /* path of the C compiler; "" = the first one found */
    OpenDevice *device; /* of executors that work on one; NULL = none is open: text only */
    Str cuda_path;      /* folder of CUDA's libraries; "" = as the loader finds them */
    bool tune;          /* choose among ways to do it by measuring, at the first launch */
    Str flags;          /* more of the compiler's flags, between blanks */
    const volatile int *interrupt; /* non-zero = stop compiling; may be NULL */
    void (*progress)(void *user, uint32_t done, uint32_t total); /* may be NULL */
    void *user;
} CompileOptions;

/* A node that runs through a kernel. */
typedef struct KernelSpec {
    Trace *t;
    NodeId n;
} KernelSpec;

enum { MAX_ENDS = 8 };

typedef struct Executor {
    const char *name, *help;
    ExecKind kind;
    bool (*available)(StrBuf *why_not); /* NULL = always */
    /* Whether it takes node n of t as it stands; why_not gets one clause when it does not. */
    bool (*can)(const Trace *t, NodeId n, StrBuf *why_not);
    double (*cost)(const Trace *t, NodeId n); /* estimated seconds; NULL = unknown */
    bool (*run)(ExecCall *call);              /* false after an error in call->diag */

    /* Fusion and stateful executors; NULL in others. A node that such an executor claimed
     * runs through a kernel: compiled once (several at a time, from several threads: compile keeps
     * no state outside the kernel), launched often. launch takes inputs from call->values and
     * writes results there: into a tensor that is already in its place (planned memory) when its
     * dtype and shape are right and it is contiguous, else into a new one. */
    bool (*compile)(const Trace *t, NodeId n, const CompileOptions *o, Kernel **out, Diag *d);
    /* The same for several nodes in one go: all kernels, or none and an error. NULL = compile them
     * one by one. */
    bool (*compile_all)(const Trace *t, const NodeId *nodes, uint32_t n, const CompileOptions *o,
                        Kernel **out, Diag *d);
    /* Compiles kernels of many traces into the cache, so that compile finds them there. What cannot
     * be compiled is left for compile to complain about. NULL = nothing is gained by that. */
    void (*compile_ahead)(const KernelSpec *specs, uint32_t n, const CompileOptions *o);
    bool (*launch)(Kernel *k, ExecCall *call);
    /* Text of a kernel in one of its forms ("c", "cuda", "ptx", "asm"); false when it has no
     * such. */
    bool (*source)(const Kernel *k, Str form, StrBuf *out);
    void (*drop)(Kernel *k);

    /* Fusion: one kernel may fold over rows and over what is in a row (gen_fits_cuda). */
    bool both_ways;
    /* Fusion: takes regions with matrix products (gen_fits_cuda). */
    bool products;

    /* Executors that work on a device beside the host: its driver. Kernels find their inputs there
     * and leave their results there; launch only queues work. */
    const DeviceDriver *device;
    /* Loads the libraries that it will open on the device, where it finds them in folder or as the
     * loader does: from another thread, while the device is being opened. NULL = none. */
    void (*ahead)(Str folder);
    /* Whether one kernel of it computes node first and node last, the only reader of its result,
     * faster than two: a product and what follows it. last may be a composite. NULL = never. */
    bool (*joins)(const Trace *t, NodeId first, NodeId last);
    /* Who computes node n sooner, though this one takes it: where that executor is on and takes it,
     * this one does not. NULL = nobody. */
    const struct Executor *(*yields)(const Trace *t, NodeId n);
    /* Whether the kernel of node n reads operand v, or writes result v, as it lies with these
     * strides (in elements), without a copy. NULL = dense values only. */
    bool (*lays)(const Trace *t, NodeId n, ValueId v, const int64_t *strides);
    /* Its kernels of prims.cat leave operands alone that already lie where the result has them. */
    bool cats_in_place;
    /* The nodes that one kernel of it computes together with product n, n among them, in order;
     * others may read their results. How many: 0 = only the product. why gets a clause: what is
     * gained, or why something that follows it is left out. NULL = never. */
    uint32_t (*ends)(const Flow *f, NodeId n, NodeId members[MAX_ENDS], StrBuf *why);
    /* Says of each pair whether node n may write the result where the operand lies, which nobody
     * reads behind it: whatever the kernel reads of an element of the operand it has read before it
     * writes the same element of the result, in every thread, and it is not launched twice on the
     * same operands. Of several pairs any may then be so, each operand under one result. NULL = it
     * never may. The result's offset tells the kernel (value_is_over). */
    void (*in_place)(const Trace *t, NodeId n, Overlay *pairs, uint32_t npairs);
    /* What only shows when the work is done: false after an error in d. NULL = nothing. */
    bool (*check)(Kernel *k, Diag *d);
} Executor;

/* Drops each and leaves NULL there. */
void kernels_drop(Kernel **kernels, uint32_t n);
/* Runs a node where no session keeps kernels: compiles, launches once, drops. */
bool exec_run_once(const Executor *e, ExecCall *call);

enum { MAX_EXECUTORS = 16 };

/* The executors of a session in order of preference; entries that are off keep their place. */
typedef struct ExecList {
    const Executor *items[MAX_EXECUTORS];
    bool on[MAX_EXECUTORS];
    uint32_t n;
} ExecList;

int exec_index(const ExecList *l, Str name); /* -1 when absent */
/* The same; an unknown name is error "unknown-executor", with the known and the nearest one. */
int exec_require(const ExecList *known, Str name, Diag *d);
const Executor *exec_find(const ExecList *l, Str name); /* also one that is off; NULL when absent */
/* Moves entry i to place to; the others close up. */
void exec_move(ExecList *l, uint32_t i, uint32_t to);
/* "c,interp": exactly these, in this order, all on; false and a diagnostic for an unknown name. */
bool exec_parse_list(const ExecList *known, Str names, ExecList *out, Diag *d);
/* The last that is switched off, can be used here and would take node n; NULL = none. */
const Executor *exec_off_taker(const ExecList *l, const Trace *t, NodeId n);
/* The last one that is on and runs nodes as they come; NULL when there is none. */
const Executor *exec_last(const ExecList *l);
/* The list with only that one on. */
ExecList exec_alone(const ExecList *l);
uint64_t exec_list_hash(const ExecList *l); /* equal lists hash alike */

#endif
