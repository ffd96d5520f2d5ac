/*
 * assess.c - whether a difference between two runs is rounding, or a bug.
 *
 * Input: two runs of a program, a value in which they differ, and a run of the second one's stage
 * in double precision with every value kept (the oracle). Output: how far each side is from the
 * oracle, how far it may be, and the verdict in one word. One idea: the error that an operator may
 * show is what its operands' errors become in it plus its own rounding. Where both runs have an
 * operand, its real error is taken; inside a fusion, where they do not, the bound of the operator
 * that makes it (margin_bound.c has the rules). So every value is judged by itself, whatever
 * happened before.
 */
#include "margin.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 400 }; /* values followed back that only one run has */

struct Assess {
    Session *s;
    const Run *oracle;
    const Trace *t; /* of the oracle */
    AssessSide sides[2];
    ExecList alone; /* the interpreter */
    Bounds *bounds;
    NodeId *leaf;     /* by value: the prim that makes it; NO_NODE = none */
    Tensor **errors;  /* by value: bound of the absolute error; NULL = not asked yet */
    bool *busy;
    bool *tainted;    /* by value: was found wrong, or follows from one that was */
    Tensor **given;   /* by value: errors of operands of the prim that is asked about */
    uint32_t depth;   /* of values that only one run has */
};

typedef struct Note {
    Assess *j;
    NodeId node;
} Note;

static void note_leaf(ValueId v, void *user)
{
    const Note *n = user;
    if (n->j->leaf[v] == NO_NODE)
        n->j->leaf[v] = n->node;
}

Assess *assess_new(Session *s, const Run *oracle, AssessSide a, AssessSide b)
{
    Assess *j = run_realloc(NULL, sizeof *j);
    uint32_t n = oracle->t->nvalues;
    *j = (Assess){.s = s, .oracle = oracle, .t = oracle->t, .sides = {a, b},
                 .alone = exec_alone(&s->executors)};
    j->bounds = bounds_new(j->t, &j->alone);
    j->leaf = run_realloc(NULL, n * sizeof *j->leaf);
    j->errors = memset(run_realloc(NULL, n * sizeof *j->errors), 0, n * sizeof *j->errors);
    j->busy = memset(run_realloc(NULL, n * sizeof *j->busy), 0, n * sizeof *j->busy);
    j->tainted = memset(run_realloc(NULL, n * sizeof *j->tainted), 0, n * sizeof *j->tainted);
    j->given = memset(run_realloc(NULL, n * sizeof *j->given), 0, n * sizeof *j->given);
    for (ValueId v = 0; v < n; v++)
        j->leaf[v] = NO_NODE;
    for (NodeId i = 0; i < j->t->nnodes; i++)
        if (j->t->nodes[i].span == 1 && j->t->nodes[i].op->language == LANG_prims)
            arg_each_value(j->t->nodes[i].out, note_leaf, &(Note){j, i});
    return j;
}

void assess_free(Assess *j)
{
    if (!j)
        return;
    for (ValueId v = 0; v < j->t->nvalues; v++)
        tensor_unref(j->errors[v]);
    free(j->leaf);
    free(j->errors);
    free(j->busy);
    free(j->tainted);
    free(j->given);
    bounds_free(j->bounds);
    free(j);
}

/* --------------------------------------------------------------------------- tensors of doubles */

static Tensor *doubles(const Tensor *x)
{
    return tensor_cast(x, DT_f64);
}

static double *data_of(const Tensor *x)
{
    return tensor_data(x);
}

/* |a - b|; infinities and NaN that agree are no error, others an infinite one. */
static double distance(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    double d = fabs(a - b);
    return isnan(d) ? INFINITY : d;
}

/* What side k has for value v of the oracle's stage; NULL when it has no such. */
static const Tensor *side_tensor(const Assess *j, int k, ValueId v)
{
    const AssessSide *s = &j->sides[k];
    ValueId w = s->partner ? s->partner(s->user, v) : v;
    Tensor *x = w && w < s->run->t->nvalues && s->run->values ? s->run->values[w] : NULL;
    Tensor *o = j->oracle->values[v];
    return x && o && tensor_same_shape(x, o) && !dtype_is_complex(x->dtype) ? x : NULL;
}

static Tensor *side_value(const Assess *j, int k, ValueId v)
{
    const Tensor *x = side_tensor(j, k, v);
    return x ? doubles(x) : NULL;
}

/* --------------------------------------------------------------------------------------- bounds */

static Tensor *error_of(Assess *j, ValueId v);

static bool has_error(const Tensor *x)
{
    for (int64_t i = 0, n = x ? tensor_numel(x) : 0; i < n; i++)
        if (data_of(x)[i] != 0)
            return true;
    return false;
}

enum { MOST_OPERANDS = 64 };

/* The bound that prim n gives its result v, with the errors of its operands. */
static Tensor *bound_by_prim(Assess *j, NodeId n, ValueId v)
{
    const Node *node = &j->t->nodes[n];
    ValueId in[MOST_OPERANDS];
    Tensor *errors[MOST_OPERANDS] = {0};
    Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
    uint32_t nin = arg_values(all, in, MOST_OPERANDS);
    nin = nin < MOST_OPERANDS ? nin : MOST_OPERANDS;
    if (++j->depth < DEEPEST) /* beyond it operands count as exact */
        for (uint32_t i = 0; i < nin; i++) {
            const Tensor *x = j->oracle->values[in[i]];
            errors[i] = x && dtype_is_float(x->dtype) ? error_of(j, in[i]) : NULL;
        }
    j->depth--;
    for (uint32_t i = 0; i < nin; i++) /* those before them are through with it */
        j->given[in[i]] = has_error(errors[i]) ? errors[i] : NULL;
    Tensor *bound = bound_of_result(j->bounds, j->s,
                                    &(BoundOf){n, v, j->oracle->values, j->given});
    for (uint32_t i = 0; i < nin; i++)
        j->given[in[i]] = NULL;
    return bound;
}

/* The bound of value v as its prim gives it, whatever the runs have. */
static Tensor *bound_of(Assess *j, ValueId v)
{
    const Tensor *o = j->oracle->values[v];
    NodeId n = j->leaf[v];
    Tensor *bound = NULL;
    if (!o || !dtype_is_float(o->dtype))
        return NULL;
    if (n != NO_NODE && !j->busy[v]) {
        j->busy[v] = true; /* an operator that reads what it writes */
        bound = bound_by_prim(j, n, v);
        j->busy[v] = false;
    }
    return bound ? bound : tensor_new(DT_f64, (Device){DEV_cpu, 0}, o->rank, o->shape);
}

/* The error that value v has: the larger one of both runs; the bound where one does not keep it. */
static Tensor *error_of(Assess *j, ValueId v)
{
    if (j->errors[v])
        return j->errors[v];
    Tensor *o = j->oracle->values[v] ? doubles(j->oracle->values[v]) : NULL;
    Tensor *a = side_value(j, 0, v), *b = side_value(j, 1, v), *error = NULL;
    if (o && a && b) {
        error = tensor_new_like(o);
        for (int64_t i = 0, m = tensor_numel(o); i < m; i++) {
            double x = distance(data_of(a)[i], data_of(o)[i]);
            double y = distance(data_of(b)[i], data_of(o)[i]);
            data_of(error)[i] = x > y ? x : y;
        }
    } else if (o && !j->busy[v]) {
        error = bound_of(j, v);
    }
    tensor_unref(o);
    tensor_unref(a);
    tensor_unref(b);
    return j->errors[v] = error;
}

/* ---------------------------------------------------------------------------------- contraction */

static double element_of(const Tensor *x, int64_t i)
{
    return data_of(x)[tensor_numel(x) == 1 ? 0 : i];
}

/* side's element i of v is fma(a, b, c) with one rounding, where v = a * b + c or a * b - c. */
static bool is_fused(Assess *j, int side, ValueId v, int64_t i, double got)
{
    const Node *add = &j->t->nodes[j->leaf[v]];
    DType d = (DType)j->t->values[v].type.dtype;
    for (uint32_t k = 0; k < 2 && add->nargs == 2; k++) {
        NodeId m = add->args[k].kind == ARG_value ? j->leaf[add->args[k].v] : NO_NODE;
        if (m == NO_NODE || j->t->nodes[m].op->id != PRIM_mul || add->args[1 - k].kind != ARG_value)
            continue;
        const Node *mul = &j->t->nodes[m];
        ValueId ids[3] = {0, 0, add->args[1 - k].v};
        double x[3];
        bool have = mul->args[0].kind == ARG_value && mul->args[1].kind == ARG_value;
        ids[0] = have ? mul->args[0].v : 0;
        ids[1] = have ? mul->args[1].v : 0;
        for (int a = 0; a < 3 && have; a++) {
            Tensor *t = side_value(j, side, ids[a]);
            t = t ? t : side_value(j, 1 - side, ids[a]);
            have = t && (tensor_numel(t) == 1 || tensor_same_shape(t, j->oracle->values[v]));
            x[a] = have ? element_of(t, i) : 0;
            tensor_unref(t);
        }
        if (!have)
            continue;
        bool minus = add->op->id == PRIM_sub;
        double product = minus && k == 1 ? -x[0] * x[1] : x[0] * x[1];
        double one = fma(minus && k == 1 ? -x[0] : x[0], x[1], minus && k == 0 ? -x[2] : x[2]);
        double two = dtype_round(product, d) + (minus && k == 0 ? -x[2] : x[2]);
        if (dtype_round(one, d) == got && dtype_round(two, d) != got)
            return true;
    }
    return false;
}

/* Which side contracts wherever the two differ: 0, 1, or -1 for none. */
static int contracting_side(Assess *j, ValueId v, const Tensor *a, const Tensor *b)
{
    NodeId n = j->leaf[v];
    if (n == NO_NODE || (j->t->nodes[n].op->id != PRIM_add && j->t->nodes[n].op->id != PRIM_sub))
        return -1;
    enum { SAMPLES = 64 };
    bool may[2] = {true, true};
    uint32_t seen = 0;
    for (int64_t i = 0, m = tensor_numel(a); i < m && seen < SAMPLES; i++) {
        double x[2] = {data_of(a)[i], data_of(b)[i]};
        if (x[0] == x[1] || isnan(x[0]))
            continue;
        seen++;
        for (int side = 0; side < 2; side++)
            may[side] = may[side] && is_fused(j, side, v, i, x[side]);
    }
    return !seen ? -1 : may[0] ? 0 : may[1] ? 1 : -1;
}

/* ------------------------------------------------------------------------------------- verdicts */

const char *cause_word(Cause w)
{
    static const char *const words[] = {"not judged", "equal", "rounding", "contraction",
                                        "cancellation", "overflow", "inherited", "wrong"};
    return words[w];
}

/* How far the worst element of a side is beyond its bound, as a factor; its number in *at. */
static double excess(const Tensor *x, const Tensor *o, const Tensor *bound, DType d, int64_t *at)
{
    double worst = 0;
    *at = -1;
    for (int64_t i = 0, m = tensor_numel(o); i < m; i++) {
        double off = distance(data_of(x)[i], dtype_round(data_of(o)[i], d));
        double may = data_of(bound)[i] + tensor_ulp(data_of(o)[i], d) / 2;
        double factor = off == 0 || isnan(may) ? 0 : isinf(may) ? 0 : off / may;
        if (factor > worst) {
            worst = factor;
            *at = i;
        }
    }
    return worst;
}

static void measure(Assessed *out, const Tensor *a, const Tensor *b, const Tensor *o,
                    const Tensor *bound, DType d, int64_t at)
{
    double exact = data_of(o)[at], ulp = tensor_ulp(exact, d);
    out->at = at;
    out->exact = exact;
    out->ulp[0] = distance(data_of(a)[at], exact) / ulp;
    out->ulp[1] = distance(data_of(b)[at], exact) / ulp;
    out->expected = data_of(bound)[at] / ulp;
}

/* The element in which the sides differ most, in units of what is expected there. */
static int64_t worst_difference(const Tensor *a, const Tensor *b, const Tensor *bound)
{
    double worst = 0;
    int64_t at = -1;
    for (int64_t i = 0, m = tensor_numel(a); i < m; i++) {
        double off = distance(data_of(a)[i], data_of(b)[i]);
        double factor = off == 0 ? 0 : off / (data_of(bound)[i] + 1e-300);
        if (factor > worst) {
            worst = factor;
            at = i;
        }
    }
    return at;
}

enum { SLACK = 2, LARGE_GROWTH = 32, GROWTH = 8 }; /* SLACK: bounds are of first order */

static bool adds(const Op *op)
{
    return op_is_sum(op) || op->id == PRIM_add || op->id == PRIM_sub || (op->flags & OP_REDUCTION);
}

/* The largest error of a value in its own ULP. */
static double most_ulp(const Assess *j, ValueId v, const Tensor *error)
{
    const Tensor *exact = j->oracle->values[v];
    double most = 0;
    if (!error || !exact || !dtype_is_float(exact->dtype))
        return 0;
    DType d = (DType)j->t->values[v].type.dtype;
    Tensor *o = doubles(exact);
    for (int64_t i = 0, m = tensor_numel(o); i < m; i++) {
        double off = data_of(error)[i] / tensor_ulp(data_of(o)[i], d);
        most = off > most ? off : most;
    }
    tensor_unref(o);
    return most;
}

/* Whether some element of v may be off by many ULP, although its operands are not. */
static bool is_amplified(Assess *j, ValueId v)
{
    const Node *node = &j->t->nodes[j->leaf[v]];
    ValueId in[64];
    Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
    uint32_t nin = arg_values(all, in, ARRAY_LEN(in));
    Tensor *bound = bound_of(j, v);
    double most = most_ulp(j, v, bound), before = 0.5;
    tensor_unref(bound);
    for (uint32_t i = 0; i < nin && i < ARRAY_LEN(in); i++) {
        double own = most_ulp(j, in[i], error_of(j, in[i]));
        before = own > before ? own : before;
    }
    return most > LARGE_GROWTH && most > GROWTH * before;
}

static bool on_both_sides(const Assess *j, ValueId v)
{
    return side_tensor(j, 0, v) && side_tensor(j, 1, v);
}

/* -------------------------------------------------------------------------- what came before it */

typedef struct Before {
    const Assess *j;
    bool *needed;  /* by value */
    bool *on_way;  /* by node: the prims that v is computed by */
    bool beyond;   /* also before values that both runs have */
    bool hit;      /* one of the values asked about is needed */
    bool tainted;  /* some operand was found wrong */
} Before;

static void ask_needed(ValueId v, void *user)
{
    Before *b = user;
    b->hit |= b->needed[v];
}

static void need_operand(ValueId v, void *user)
{
    Before *b = user;
    b->tainted |= b->j->tainted[v];
    b->needed[v] |= b->beyond || !on_both_sides(b->j, v);
}

/* One sweep from the prim that makes v to the first. */
static Before way_to(const Assess *j, ValueId v, bool beyond)
{
    uint32_t nvalues = j->t->nvalues, nnodes = j->t->nnodes + 1;
    Before b = {.j = j, .beyond = beyond};
    b.needed = memset(run_realloc(NULL, nvalues * sizeof(bool)), 0, nvalues * sizeof(bool));
    b.on_way = memset(run_realloc(NULL, nnodes * sizeof(bool)), 0, nnodes * sizeof(bool));
    b.needed[v] = true;
    for (NodeId n = j->leaf[v] == NO_NODE ? 0 : j->leaf[v] + 1; n-- > 0;) {
        const Node *node = &j->t->nodes[n];
        b.hit = false;
        if (node->span == 1 && node->op->language == LANG_prims)
            arg_each_value(node->out, ask_needed, &b);
        b.on_way[n] = b.hit;
        if (b.hit)
            arg_each_value((Arg){.kind = ARG_tuple, .n = node->nargs, .items = node->args},
                           need_operand, &b);
    }
    return b;
}

static void before_free(Before *b)
{
    free(b->needed);
    free(b->on_way);
}

/* The first sum in which errors grow, on the way from values that both runs have to v. */
static NodeId growing_node(Assess *j, ValueId v)
{
    Before b = way_to(j, v, false);
    NodeId found = NO_NODE;
    for (NodeId n = 0; n < j->t->nnodes && found == NO_NODE; n++)
        if (b.on_way[n] && adds(j->t->nodes[n].op) && is_amplified(j, node_result(j->t, n)))
            found = n;
    before_free(&b);
    return found;
}

/* Whether v is computed from a value that was found wrong; over values that one run lacks. */
static bool inherits(const Assess *j, ValueId v)
{
    Before b = way_to(j, v, false);
    before_free(&b);
    return b.tainted;
}

/* Whether the value is finite and too large for its dtype somewhere. */
static bool is_too_large(const Assess *j, ValueId v)
{
    const Tensor *exact = j->oracle->values[v];
    if (!exact || !dtype_is_float(exact->dtype))
        return false;
    DType d = (DType)j->t->values[v].type.dtype;
    Tensor *o = doubles(exact);
    bool over = false;
    for (int64_t i = 0, m = tensor_numel(o); i < m && !over; i++)
        over = isfinite(data_of(o)[i]) && !isfinite(dtype_round(data_of(o)[i], d));
    tensor_unref(o);
    return over;
}

/* The first value on the way to v that its dtype cannot hold; 0 = none. */
static ValueId overflowing_value(const Assess *j, ValueId v)
{
    Before b = way_to(j, v, true);
    ValueId found = 0;
    for (NodeId n = 0; n < j->t->nnodes && !found; n++)
        if (b.on_way[n] && is_too_large(j, node_result(j->t, n)))
            found = node_result(j->t, n);
    before_free(&b);
    return found;
}

/* One side is not finite where the exact value is: because something before it was too large. */
static bool overflows(const Assess *j, ValueId v, const Tensor *a, const Tensor *b, const Tensor *o,
                      Assessed *out)
{
    int64_t at = -1;
    for (int64_t i = 0, m = tensor_numel(o); i < m && at < 0; i++)
        if (isfinite(data_of(o)[i]) && isfinite(data_of(a)[i]) != isfinite(data_of(b)[i]))
            at = i;
    if (at < 0)
        return false;
    out->overflowed = overflowing_value(j, v);
    out->side = isfinite(data_of(b)[at]) ? 0 : 1;
    out->at = at;
    out->exact = data_of(o)[at];
    out->got = data_of(out->side ? b : a)[at];
    return out->overflowed != 0;
}

static void decide(Assess *j, ValueId v, const Tensor *a, const Tensor *b, const Tensor *o,
                   const Tensor *bound, Assessed *out)
{
    DType d = (DType)j->t->values[v].type.dtype;
    if (overflows(j, v, a, b, o, out)) {
        out->word = CAUSE_overflow;
        return;
    }
    int64_t at[2];
    double over[2] = {excess(a, o, bound, d, &at[0]), excess(b, o, bound, d, &at[1])};
    int64_t worst = worst_difference(a, b, bound);
    if (worst < 0) {
        out->word = CAUSE_equal;
        return;
    }
    out->side = over[0] >= over[1] ? 0 : 1;
    if (over[out->side] > SLACK) {
        out->word = CAUSE_wrong;
        measure(out, a, b, o, bound, d, at[out->side]);
        return;
    }
    measure(out, a, b, o, bound, d, worst);
    int side = contracting_side(j, v, a, b);
    if (side >= 0) {
        out->word = CAUSE_contraction;
        out->side = side;
        return;
    }
    out->word = CAUSE_rounding;
    NodeId n = out->expected > LARGE_GROWTH ? growing_node(j, v) : NO_NODE;
    if (inherits(j, v)) {
        out->word = CAUSE_inherited;
    } else if (n != NO_NODE) {
        out->word = CAUSE_cancellation;
        out->node = n;
    }
}

/* What a side that ran in double precision would have stored in the value's own dtype. */
static void round_side(Tensor *x, DType d)
{
    for (int64_t i = 0, m = x ? tensor_numel(x) : 0; i < m; i++)
        data_of(x)[i] = dtype_round(data_of(x)[i], d);
}

Assessed assess_value(Assess *j, ValueId v)
{
    Assessed out = {.node = NO_NODE};
    Tensor *a = side_value(j, 0, v), *b = side_value(j, 1, v);
    round_side(a, (DType)j->t->values[v].type.dtype);
    round_side(b, (DType)j->t->values[v].type.dtype);
    Tensor *bound = NULL, *o = NULL;
    if (a && b && dtype_is_float((DType)j->t->values[v].type.dtype))
        bound = bound_of(j, v);
    if (bound) {
        o = doubles(j->oracle->values[v]);
        out.node = j->leaf[v];
        decide(j, v, a, b, o, bound, &out);
        j->tainted[v] = out.word >= CAUSE_overflow;
    }
    tensor_unref(a);
    tensor_unref(b);
    tensor_unref(o);
    tensor_unref(bound);
    return out;
}
