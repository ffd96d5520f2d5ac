/*
 * onednn.h - inside the oneDNN executor: what a node asks of the library.
 *
 * A node is read into jobs, one for each primitive that it needs; a job names its operands and
 * results as oneDNN sees them. Jobs become primitives once, and again when operands come in
 * another layout.
 */
#ifndef THUNDER_ONEDNN_H
#define THUNDER_ONEDNN_H

#include "exec.h"
#include "onednn_api.h"

enum { MAX_PARTS = 6, MAX_JOBS = 2, MAX_OPERANDS = 8 };

/* Products of fewer multiplications are left to the next executor: what a primitive costs to start
 * is more than it saves, and the interpreter adds in PyTorch's order. */
enum { ONEDNN_MIN_WORK = 1 << 13 };
/* From this many multiplications on a second thread is worth waking. */
enum { ONEDNN_THREADS_FROM = 1 << 20 };

/* A tensor that the node reads or makes. */
typedef struct Operand {
    ValueId v;
    const Type *type;
    const int64_t *strides; /* of what is there now; NULL = dense */
    bool copy;              /* oneDNN cannot read it as it lies: a dense copy is made */
} Operand;

/* In which layout a primitive sees a tensor; in another than its own the data is moved. */
typedef enum Layout {
    LAYOUT_own,     /* as the tensor lies */
    LAYOUT_blocked, /* channels in blocks of 16 */
    LAYOUT_free,    /* oneDNN chooses */
} Layout;

typedef struct Part {
    int role;         /* DNNL_ARG_SRC, ... */
    uint32_t operand; /* number among the operands, or among the results */
    bool result;
    Layout layout;
    dnnl_data_type_t type;
    int rank;
    dnnl_dims_t dims, strides;
} Part;

typedef enum JobKind { JOB_matmul, JOB_conv, JOB_avg_pool, JOB_eltwise } JobKind;

typedef struct Job {
    JobKind kind;
    ConvPass pass;
    bool transposed, count_padding;
    Windows w;
    dnnl_alg_kind_t activation; /* applied to the result; dnnl_alg_kind_undef = none */
    Part parts[MAX_PARTS];
    uint32_t nparts;
} Job;

typedef struct Work {
    Operand in[MAX_OPERANDS];
    ValueId out[MAX_OPERANDS];
    const Type *out_type[MAX_OPERANDS];
    uint32_t nin, nout, njobs;
    Job jobs[MAX_JOBS];
} Work;

/* Lists the operands and results of node n as dense; false when there are too many. */
bool work_begin(const Trace *t, NodeId n, Work *w);
/* The jobs of node n for its operands as they lie (strides given), and which of them must be
 * copied. false, with one clause, when oneDNN has nothing for it. */
bool work_read(const Trace *t, NodeId n, Work *w, StrBuf *why_not);
/* Whether last is an activation that a job of node first can apply to its result. */
bool work_joins(const Trace *t, NodeId first, NodeId last);
bool work_is_activation(const Trace *t, NodeId n);
const Part *job_part(const Job *j, int role); /* NULL when it has none */
double job_work(const Job *j);                /* multiplications, roughly */

#endif
