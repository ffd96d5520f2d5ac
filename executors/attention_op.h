/*
 * attention_op.h - the operators that are attention or its gradient, for every executor of it.
 *
 * Input: an operator. Output: which of its arguments is what, from one table.
 */
#ifndef THUNDER_ATTENTION_OP_H
#define THUNDER_ATTENTION_OP_H

#include "attention_kernel.h"
#include "exec.h"

/* Numbers of arguments; -1 = it has no such. grad: of the result; with it the operator is the
 * gradient, and has `out` and `logs` (logarithms of the denominators) of the forward part. Its
 * fourth result, if it has one, is the gradient of the mask. */
typedef struct AttentionOp {
    const char *name;
    int q, k, v, mask, dropout, causal, scale, gqa, out, logs, grad;
    uint32_t nout;
} AttentionOp;

const AttentionOp *attention_op(const Op *op); /* NULL when it is no attention */
/* Type of an argument; of kind VALUE_any where there is none (arg -1), or it is no value. */
const Type *attention_type(const Trace *t, const Node *node, int arg);
/* The dropout of an attention by the numbers that its decomposition draws; false when they are not
 * known here. */
bool attention_drop(const Trace *t, NodeId n, const AttentionOp *op, AttentionDrop *out);

#endif
