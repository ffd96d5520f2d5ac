/* attention_op.c - the table of attention operators; see attention_op.h. */
#include "attention_op.h"

#include <math.h>
#include <string.h>

static const AttentionOp attention_ops[] = {
    {"scaled_dot_product_attention", 0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, 1},
    {"_scaled_dot_product_flash_attention_for_cpu", 0, 1, 2, 5, 3, 4, 6, -1, -1, -1, -1, 2},
    {"_scaled_dot_product_flash_attention_for_cpu_backward", 1, 2, 3, 8, 6, 7, 9, -1, 4, 5, 0, 3},
    {"_scaled_dot_product_efficient_attention_backward", 1, 2, 3, 4, 9, 11, 12, -1, 5, 6, 0, 4},
};

const AttentionOp *attention_op(const Op *op)
{
    for (size_t i = 0; op->language == LANG_torch && i < ARRAY_LEN(attention_ops); i++)
        if (strcmp(op->name, attention_ops[i].name) == 0)
            return &attention_ops[i];
    return NULL;
}

const Type *attention_type(const Trace *t, const Node *node, int arg)
{
    static const Type none = {.kind = VALUE_any};
    return arg >= 0 && node->args[arg].kind == ARG_value ? &t->values[node->args[arg].v].type
                                                         : &none;
}

bool attention_drop(const Trace *t, NodeId n, const AttentionOp *op, AttentionDrop *out)
{
    const Node *node = &t->nodes[n], *draw = node_draw(node);
    Arg rate = node->args[op->dropout];
    double p = rate.kind == ARG_float ? rate.f : (double)rate.i;
    *out = (AttentionDrop){0};
    if (arg_is_none(rate) || (rate.kind == ARG_int && rate.i == 0) ||
        (rate.kind == ARG_float && p == 0) || (!draw && op->grad >= 0))
        return true;
    if (!draw || !(p > 0 && p < 1) || draw->args[4].dtype != DT_f32 ||
        draw->args[5].kind != ARG_int || draw->args[6].kind != ARG_int)
        return false;
    out->seed = (uint64_t)draw->args[5].i;
    out->offset = (uint64_t)draw->args[6].i;
    out->below = (uint32_t)ceil((double)(float)(1 - p) * (1 << 24));
    out->factor = (float)(1 / (1 - p));
    return true;
}
