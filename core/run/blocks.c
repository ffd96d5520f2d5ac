/*
 * blocks.c - a statement in double precision whose values would be too large, block by block.
 *
 * Input: a node of a widened trace and its operands. Output: its results, in host memory. The prims
 * inside (scores of an attention) never exist as a whole: each block of a result is computed from
 * the parts of the operands that it needs (cone.h).
 */
#include "margin.h"
#include "run.h"

#include <stdlib.h>

typedef struct Blocks {
    const BlockRun *x;
    Cone c;
    Trace *last; /* that ran last: blocks are alike */
} Blocks;

static Cone cone_of(const Trace *t, NodeId n, Arena *a)
{
    NodeId *leaves = new_array(a, NodeId, t->nodes[n].span);
    return (Cone){t, a, leaves, statement_leaves(t, n, leaves), new_array(a, Box *, t->nvalues)};
}

bool blocks_wanted(const Trace *t, NodeId n)
{
    Arena a = {0};
    ValueId outs[MAX_OUTPUTS];
    uint32_t count = t->nodes[n].span > 1 ? arg_values(t->nodes[n].out, outs, MAX_OUTPUTS) : 0;
    Cone c = cone_of(t, n, &a);
    int64_t results = 0;
    for (uint32_t i = 0; i < count && i < MAX_OUTPUTS; i++) {
        int64_t numel = type_numel(&t->values[outs[i]].type);
        results = numel > results ? numel : results;
        c.need[outs[i]] = box_whole(&a, &t->values[outs[i]].type);
    }
    if (count)
        cone_find(&c);
    int64_t largest = count ? cone_largest(&c) : 0;
    bool told = !statement_refusal(&c);
    arena_free(&a);
    return told && largest > 2 * (int64_t)CONE_ELEMENTS && largest > 2 * results;
}

/* Block `at` of result v, written into its place in whole. */
static bool run_block(Blocks *b, ValueId v, const Box *at, Tensor *whole)
{
    const BlockRun *x = b->x;
    RunOptions o = {.rounding = ROUND_f64, .executors = x->executors, .wide = true};
    Run run;
    Cone c = b->c;
    c.need = new_array(c.arena, Box *, c.t->nvalues);
    c.need[v] = box_copy(c.arena, at);
    cone_find(&c);
    Margin m = exact_trace(&c, &v, 1);
    if (!m.t) {
        diag_error(x->d, DIAG_compile, (Span){0}, "no-blocks", "%s %s", c.t->nodes[x->n].op->name,
                   m.refused);
        return false;
    }
    if (b->last && trace_equal(b->last, m.t, NULL)) {
        trace_unref(m.t);
        m.t = trace_ref(b->last);
    }
    trace_unref(b->last);
    b->last = m.t;
    Tensor **inputs = margin_inputs(&m, x->values);
    bool good = trace_run(x->s, m.t, inputs, &o, &run, x->d);
    margin_inputs_free(&m, inputs);
    if (!good)
        return false;
    Tensor *place = box_of(whole, at);
    tensor_copy_into(place, run.outputs[0]);
    tensor_unref(place);
    run_free(&run);
    return true;
}

static bool run_result(Blocks *b, ValueId v)
{
    const Type *type = &b->c.t->values[v].type;
    Box *block = cone_block(&b->c, v, b->x->most ? b->x->most : CONE_ELEMENTS);
    Box *at = box_copy(b->c.arena, block);
    Tensor *whole = tensor_new((DType)type->dtype, type->device, type->rank, type->shape);
    bool good = whole != NULL;
    while (good) {
        ArenaMark mark = arena_mark(b->c.arena);
        good = run_block(b, v, at, whole);
        arena_release(b->c.arena, mark);
        if (!box_next(type, block, at))
            break;
    }
    if (good)
        b->x->values[v] = whole;
    else
        tensor_unref(whole);
    return good;
}

bool blocks_run(const BlockRun *x)
{
    Arena a = {0};
    ValueId outs[MAX_OUTPUTS];
    uint32_t n = arg_values(x->t->nodes[x->n].out, outs, MAX_OUTPUTS);
    Blocks b = {.x = x, .c = cone_of(x->t, x->n, &a)};
    bool good = true;
    for (uint32_t i = 0; i < n && i < MAX_OUTPUTS && good; i++)
        good = x->values[outs[i]] || run_result(&b, outs[i]);
    trace_unref(b.last);
    arena_free(&a);
    return good;
}
