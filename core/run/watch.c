/*
 * watch.c - elements that somebody waits for: NaN, infinities, subnormals, large ones.
 *
 * Input: a node of a run that has just ended, and what the run has made so far. Output: the first
 * value, in program order, that holds such an element. A fused kernel writes only its results out;
 * for what it makes inside, the kernel is generated again with those values as further results and
 * runs on the same inputs. The run itself keeps what the kernel without them gave.
 */
#include "run.h"

#include "gen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool wanted(const Watch *w, double x, double normal)
{
    return w->every || (w->nan && isnan(x)) || (w->inf && isinf(x)) || fabs(x) > w->above ||
           (w->denormal && x != 0 && fabs(x) < normal);
}

/* Counts what is waited for in a tensor; true when there is any. */
static bool scan(const Watch *w, Tensor *x, Sighting *out)
{
    Tensor *dense = tensor_contiguous(x);
    if (!dense)
        return false;
    const char *at = tensor_data(dense);
    double normal = dtype_smallest_normal(x->dtype);
    out->count = 0;
    out->total = tensor_numel(dense);
    for (int64_t i = 0; i < out->total; i++, at += dtype_info[x->dtype].bytes) {
        double v = elem_get_f64(at, x->dtype);
        if (!wanted(w, v, normal))
            continue;
        if (out->count++ == 0) {
            out->first = i;
            out->value = v;
        }
    }
    tensor_unref(dense);
    return out->count > 0;
}

/* ------------------------------------------------------------------------------------- operands */

/* The element of x that an element of a result of this shape was computed from, where the two
 * shapes broadcast; -1 when they do not. */
static int64_t broadcast_element(const Tensor *x, const Tensor *result, int64_t flat)
{
    int64_t element = 0, stride = 1;
    if (x->rank > result->rank)
        return -1;
    for (uint32_t i = 1; i <= result->rank; i++) {
        int64_t size = result->shape[result->rank - i], index = size ? flat % size : 0;
        flat = size ? flat / size : 0;
        if (i > x->rank)
            continue;
        int64_t own = x->shape[x->rank - i];
        if (own != size && own != 1)
            return -1;
        element += own == 1 ? 0 : index * stride;
        stride *= own;
    }
    return element;
}

static void describe_operand(Seen *o, Tensor *x, const Tensor *result, int64_t flat,
                             bool elementwise)
{
    Tensor *dense = tensor_contiguous(x);
    if (!dense)
        return;
    const char *data = tensor_data(dense);
    size_t size = dtype_info[x->dtype].bytes;
    int64_t n = tensor_numel(dense), at = elementwise ? broadcast_element(dense, result, flat) : -1;
    o->at_element = at >= 0 && at < n;
    if (o->at_element)
        o->value = elem_get_f64(data + (size_t)at * size, x->dtype);
    o->least = INFINITY;
    o->most = -INFINITY;
    for (int64_t i = 0; i < n; i++, data += size) {
        double v = elem_get_f64(data, x->dtype);
        o->not_finite += !isfinite(v);
        o->least = v < o->least ? v : o->least;
        o->most = v > o->most ? v : o->most;
    }
    tensor_unref(dense);
}

/* What the node read: the element that went into the one found, or the range of all of them. */
static void describe_operands(const Trace *t, Tensor *const *values, Sighting *out)
{
    const Node *n = &t->nodes[out->node];
    ValueId ids[ARRAY_LEN(out->operands)];
    Arg all = {.kind = ARG_tuple, .n = n->nargs, .items = n->args};
    uint32_t found = arg_values(all, ids, ARRAY_LEN(ids));
    for (uint32_t i = 0; i < found && i < ARRAY_LEN(ids); i++) {
        Tensor *x = values[ids[i]];
        if (!x || !values[out->v] || dtype_is_complex(x->dtype))
            continue;
        Seen *o = &out->operands[out->noperands++];
        *o = (Seen){.v = ids[i]};
        describe_operand(o, x, values[out->v], out->first, n->op->flags & OP_ELEMENTWISE);
    }
}

/* -------------------------------------------------------------------------------- fused kernels */

/* Values of a fusion that are not among its results, in program order. */
static uint32_t inner_values(const Trace *t, NodeId n, const Watch *w, ValueId *out)
{
    ValueId outs[MAX_OUTPUTS], made[MAX_OUTPUTS];
    uint32_t nouts = arg_values(t->nodes[n].out, outs, MAX_OUTPUTS), count = 0;
    for (NodeId i = n + 1; i < n + t->nodes[n].span; i++) {
        uint32_t k = arg_values(t->nodes[i].out, made, MAX_OUTPUTS);
        for (uint32_t j = 0; j < k && j < MAX_OUTPUTS && t->nodes[i].span == 1; j++) {
            bool is_out = false;
            for (uint32_t o = 0; o < nouts && o < MAX_OUTPUTS; o++)
                is_out |= outs[o] == made[j];
            if (!is_out && t->values[made[j]].type.kind == VALUE_tensor &&
                (!w->only || w->only == made[j]))
                out[count++] = made[j];
        }
    }
    return count;
}

/* A trace of the fusion alone, with these results. */
static Trace *with_results(const Trace *t, NodeId n, const ValueId *results, uint32_t count)
{
    Trace *one = trace_derive(t);
    Arg items[MAX_OUTPUTS];
    for (uint32_t i = 0; i < count; i++)
        items[i] = A_VALUE(results[i]);
    NodeId copy = trace_copy_node(one, t, n, NULL);
    one->nodes[copy].out = one->output = arg_tuple(one, items, count);
    return one; /* unfinished: what the fusion reads keeps its type */
}

static bool fits(const Executor *e, const Trace *t, NodeId n, const ValueId *results,
                 uint32_t count)
{
    Arena a = {0};
    StrBuf why = {0};
    Region r;
    bool good = count <= MAX_OUTPUTS && gen_region(t, n, &a, &r);
    r.outs = results;
    r.nouts = count;
    good = good && (e->both_ways ? gen_fits_cuda(&r, &why) : gen_fits(&r, &why));
    sb_free(&why);
    arena_free(&a);
    return good;
}

/* Equal bits; a NaN is as good as any other, since its sign and payload follow the order in which a
 * compiler puts the operands. */
static bool same_bits(Tensor *a, Tensor *b)
{
    Tensor *x = tensor_contiguous(a), *y = tensor_contiguous(b);
    bool same = x && y;
    size_t size = dtype_info[a->dtype].bytes;
    const char *p = same ? tensor_data(x) : NULL, *q = same ? tensor_data(y) : NULL;
    for (int64_t i = 0, n = tensor_numel(a); same && i < n; i++, p += size, q += size)
        same = memcmp(p, q, size) == 0 ||
               (isnan(elem_get_f64(p, a->dtype)) && isnan(elem_get_f64(q, a->dtype)));
    tensor_unref(x);
    tensor_unref(y);
    return same;
}

/* The largest finite element; terms of a sum may be that large where their sum is small. */
static double largest(Tensor *t)
{
    Tensor *dense = tensor_contiguous(t);
    const char *p = dense ? tensor_data(dense) : NULL;
    double most = 0;
    for (int64_t i = 0, n = tensor_numel(t); p && i < n; i++, p += dtype_info[t->dtype].bytes) {
        double v = fabs(elem_get_f64(p, t->dtype));
        most = isfinite(v) && v > most ? v : most;
    }
    tensor_unref(dense);
    return most;
}

/* Whether a result made again is the one that was made before. On a device a kernel with more
 * results may get other threads, and with them another order of its sums: there rounding is no
 * difference, and *ulp grows to what it did. */
static bool same_result(Tensor *again, Tensor *before, bool rounds, double *ulp)
{
    if (same_bits(again, before))
        return true;
    bool narrow = dtype_info[before->dtype].bytes < 4;
    double share = before->dtype == DT_f64 ? 1e-10 : narrow ? 0.02 : 1e-4;
    Comparison c = tensor_compare(again, before, share, share * largest(before));
    *ulp = c.max_ulp > *ulp ? c.max_ulp : *ulp;
    return rounds && c.equal;
}

/* The kernel that also writes inner values has made its own results again: they are what the kernel
 * without them made, or what was seen inside says nothing about it. */
static bool same_results(const Trace *t, Tensor *const *before, Tensor **values,
                         const ValueId *outs, uint32_t nouts, bool rounds, double *ulp, Diag *d)
{
    bool good = true;
    for (uint32_t i = 0; i < nouts; i++) {
        Tensor *again = values[outs[i]];
        if (good && again && before[i] && !same_result(again, before[i], rounds, ulp)) {
            good = false;
            diag_error(d, DIAG_check, (Span){0}, "probe-differs",
                       "the kernel that makes %.*s gives other bits when its inner values are "
                       "written out",
                       STR(t->values[outs[i]].name));
        }
        tensor_unref(again);
        values[outs[i]] = before[i];
    }
    return good;
}

/* Compiles the fusion with these results before its own and runs it on what is in values. */
static bool run_again(Session *s, const Trace *t, NodeId n, const Executor *e,
                      const ValueId *results, uint32_t count, Tensor **values, double *ulp,
                      Diag *d)
{
    ValueId all[2 * MAX_OUTPUTS];
    Tensor *before[MAX_OUTPUTS];
    memcpy(all, results, count * sizeof *all);
    uint32_t nouts = arg_values(t->nodes[n].out, all + count, MAX_OUTPUTS);
    if (count + nouts > MAX_OUTPUTS || !fits(e, t, n, all, count + nouts))
        nouts = 0; /* too many for one loop: the inner ones alone */
    for (uint32_t i = 0; i < nouts; i++) {
        before[i] = values[all[count + i]];
        values[all[count + i]] = NULL;
    }
    Trace *one = with_results(t, n, all, count + nouts);
    CompileOptions o = kernels_options(s);
    Kernel *k = NULL;
    ExecCall call = {one, 0, values, ROUND_dtype, d, &s->interrupt, NULL, false};
    if (e->device)
        o.device = call.device = session_device(s, e->device, d);
    bool good = (!e->device || o.device) && e->compile(one, 0, &o, &k, d) && e->launch(k, &call);
    good = same_results(t, before, values, all + count, nouts, e->device != NULL, ulp, d) && good;
    if (k)
        e->drop(k);
    trace_unref(one);
    return good;
}

bool fusion_values(Session *s, const Trace *t, NodeId n, const Watch *w, Tensor **values,
                   double *ulp, Diag *d)
{
    const char *name = t->nodes[n].executor;
    const Executor *e = name ? exec_find(&s->executors, str_from(name)) : NULL;
    if (!e || e->kind != EXEC_fusion || !e->compile || t->nodes[n].span == 1)
        return true;
    ValueId *inner = run_realloc(NULL, t->nodes[n].span * sizeof *inner * MAX_OUTPUTS);
    ValueId group[MAX_OUTPUTS + 1];
    uint32_t ninner = inner_values(t, n, w, inner), count = 0;
    bool good = true;
    for (uint32_t i = 0; i < ninner && good; i++) {
        group[count] = inner[i];
        if (fits(e, t, n, group, count + 1)) {
            count++;
            continue;
        }
        good = count == 0 || run_again(s, t, n, e, group, count, values, ulp, d);
        group[0] = inner[i];
        count = fits(e, t, n, group, 1); /* one that fits no loop alone stays unseen */
    }
    good = good && (count == 0 || run_again(s, t, n, e, group, count, values, ulp, d));
    free(inner);
    return good;
}

/* ------------------------------------------------------------------------------------- one node */

static bool look_at(const Trace *t, NodeId n, Tensor *const *values, const Watch *w, Sighting *out)
{
    ValueId made[MAX_OUTPUTS];
    uint32_t count = arg_values(t->nodes[n].out, made, MAX_OUTPUTS);
    for (uint32_t i = 0; i < count && i < MAX_OUTPUTS; i++) {
        Tensor *x = values[made[i]];
        bool asked = w->only ? w->only == made[i] : x && dtype_is_float(x->dtype);
        if (!x || !asked || dtype_is_complex(x->dtype) || !scan(w, x, out))
            continue;
        out->v = made[i];
        out->node = n;
        describe_operands(t, values, out);
        return true;
    }
    return false;
}

/* Innermost nodes first: a composite's own result is that of the last of them. */
static bool look_below(const Trace *t, NodeId n, Tensor *const *values, const Watch *w,
                       Sighting *out)
{
    for (NodeId i = n; i < n + t->nodes[n].span; i++)
        if (t->nodes[i].span == 1 && look_at(t, i, values, w, out))
            return true;
    return look_at(t, n, values, w, out);
}

static bool is_fusion(const Trace *t, NodeId n)
{
    return t->nodes[n].executor && t->nodes[n].span > 1;
}

bool session_watch(Session *s, const Trace *t, NodeId n, Tensor *const *values, const Watch *w,
                   Sighting *out, Diag *d)
{
    *out = (Sighting){0};
    if (!is_fusion(t, n)) {
        look_below(t, n, values, w, out);
        return true;
    }
    size_t bytes = t->nvalues * sizeof *values;
    Tensor **all = memcpy(run_realloc(NULL, bytes), values, bytes);
    bool good = fusion_values(s, t, n, w, all, &out->ulp, d);
    if (good && look_below(t, n, all, w, out))
        out->inside = !values[out->v] && !node_makes(&t->nodes[n], out->v);
    for (ValueId v = 0; v < t->nvalues; v++)
        if (all[v] != values[v]) /* what the run has is borrowed */
            tensor_unref(all[v]);
    free(all);
    return good;
}
