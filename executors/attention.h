/*
 * attention.h - nodes that are scaled dot product attention, run block by block.
 *
 * Input: the composite with its decomposition, taken whole. Output: its results, without a matrix
 * of all scores. attention_kernel.h computes; here nodes are read and memory is found.
 */
#ifndef THUNDER_ATTENTION_H
#define THUNDER_ATTENTION_H

#include "exec.h"

typedef struct AttentionNode AttentionNode;

/* Fewer multiplications than these are left to the prims, which add in PyTorch's order. */
enum { ATTENTION_MIN_WORK = 1 << 14 };

bool attention_takes(const Trace *t, NodeId n, StrBuf *why_not);
AttentionNode *attention_new(const Trace *t, NodeId n); /* of a node that it takes */
void attention_free(AttentionNode *a);                  /* NULL is allowed */
bool attention_launch(AttentionNode *a, ExecCall *call);

#endif
