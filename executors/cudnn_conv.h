/*
 * cudnn_conv.h - convolutions and their gradients as graphs of cuDNN.
 *
 * Input: sizes and strides of input x, weight w and result y of a convolution, whichever of them is
 * computed. Output: the fastest plan that is as exact as the dtype asks for.
 */
#ifndef THUNDER_CUDNN_CONV_H
#define THUNDER_CUDNN_CONV_H

#include "cublaslt_ends.h"
#include "cudnn_api.h"

typedef struct DnConv {
    DnConvKind kind;
    DType dtype;
    int rank; /* 4 or 5; one spatial dimension is the second of two */
    int64_t x[DN_MAX_RANK], w[DN_MAX_RANK], y[DN_MAX_RANK];
    int64_t x_strides[DN_MAX_RANK], w_strides[DN_MAX_RANK], y_strides[DN_MAX_RANK];
    DnWindow window;
    bool bias; /* added to y */
    bool wide; /* the result is f32 where the operands are f16 or bf16 */
    bool add;  /* something as large as y is added, too */
    bool relu; /* of all that */
} DnConv;

/* Where and how a plan is chosen. */
typedef struct DnChoice {
    OpenDevice *dev;
    const uint64_t *at; /* addresses of x, w, the bias and what is added if there is such, y */
    Str cache;          /* folder that remembers what was measured; "" = none */
    bool measure;       /* else the library's first proposal is taken */
} DnChoice;

/* The plan for equal convolutions. Nothing is measured while the device is recording. NULL when
 * cuDNN has none, with the reason. */
const DnPlan *dn_conv(Dn *dn, const DnConv *c, const DnChoice *how, StrBuf *why_not);

/* The executor's part: nodes that are convolutions. */
bool dn_conv_takes(const Trace *t, NodeId n, StrBuf *why_not);
bool dn_is_conv(const Node *node);
bool dn_conv_compile(const Trace *t, NodeId n, const CompileOptions *o, Dn *dn, Kernel *k,
                     Diag *d);
bool dn_conv_launch(Kernel *k, ExecCall *call);
void dn_conv_drop(Kernel *k);

/* A call of a convolution and what is computed at its end (for Executor.ends, see pass claim). */
uint32_t dn_conv_ends(const Flow *f, NodeId n, NodeId members[MAX_ENDS], StrBuf *why);
bool dn_end_takes(const Trace *t, NodeId n, StrBuf *why_not);
bool dn_end_compile(const Trace *t, NodeId n, const CompileOptions *o, Dn *dn, Kernel *k,
                    Diag *d);
bool dn_end_launch(Kernel *k, ExecCall *call);
void dn_end_drop(Kernel *k);

/* All that follows the convolution of call n, its bias first, as node 0 of a trace of its own. */
Trace *dn_conv_rest(const Trace *t, NodeId n, const LtParts *p, Diag *d);

/* Part of that: a kernel that has it all in one plan, of the call's node n, and a run of it. No
 * plan is no failure: *has_plan says so. */
bool dn_joined_compile(const Trace *t, NodeId n, const CompileOptions *o, Dn *dn, Kernel *k,
                       Diag *d);
bool dn_joined_run(Kernel *k, ExecCall *call, bool *has_plan);
/* Of a kernel of a convolution: its bias is added by somebody else; a hash of what it computes,
 * known when it has run. */
void dn_conv_drop_bias(Kernel *k);
uint64_t dn_conv_facts(const Kernel *k);
/* Which of several ways was measured to be the fastest, in a file of its own beside the kernels;
 * -1 = it is not known. */
int dn_recall(Str cache, const char *kind, uint64_t facts);
void dn_remember(Str cache, const char *kind, uint64_t facts, int way);

#endif
