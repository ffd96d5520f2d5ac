/*
 * assess.c - whether a difference between two runs is rounding, or a bug.
 *
 * Input: two runs of a program, a value in which they differ, and a run of the second one's stage
 * in double precision with every value kept (the oracle). Output: how far each side is from the
 * oracle, how far it may be, and the verdict in one word. One idea: the error that an operator may
 * show is what its operands' errors become in it plus its own rounding. Where both runs have an
 * operand, its real error is taken; inside a fusion, where they do not, the bound of the operator
 * that makes it. So every value is judged by itself, whatever happened before.
 */
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
    const Executor *interp;
    NodeId *leaf;     /* by value: the prim that makes it; NO_NODE = none */
    Tensor **errors;  /* by value: bound of the absolute error; NULL = not asked yet */
    bool *busy;
    bool *tainted;    /* by value: was found wrong, or follows from one that was */
    Tensor **values;  /* scratch for calls of the interpreter */
    uint32_t depth;   /* of values that only one run has */
    Diag diag;
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
                 .interp = exec_last(&s->executors)};
    j->leaf = run_realloc(NULL, n * sizeof *j->leaf);
    j->errors = memset(run_realloc(NULL, n * sizeof *j->errors), 0, n * sizeof *j->errors);
    j->busy = memset(run_realloc(NULL, n * sizeof *j->busy), 0, n * sizeof *j->busy);
    j->tainted = memset(run_realloc(NULL, n * sizeof *j->tainted), 0, n * sizeof *j->tainted);
    j->values = memset(run_realloc(NULL, n * sizeof *j->values), 0, n * sizeof *j->values);
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
    free(j->values);
    diag_clear(&j->diag);
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

/* ------------------------------------------------------------------------------------ operators */

double op_own_ulp(const Op *op)
{
    static const struct {
        uint32_t op;
        double ulp;
    } table[] = {
        {PRIM_add, 0.5},   {PRIM_sub, 0.5},  {PRIM_mul, 0.5},       {PRIM_div, 0.5},
        {PRIM_sqrt, 0.5},  {PRIM_neg, 0},    {PRIM_abs, 0},         {PRIM_maximum, 0},
        {PRIM_minimum, 0}, {PRIM_where, 0},  {PRIM_sign, 0},        {PRIM_floor, 0},
        {PRIM_ceil, 0},    {PRIM_round, 0},  {PRIM_trunc, 0},       {PRIM_clone, 0},
        {PRIM_exp, 2},     {PRIM_log, 2},    {PRIM_reciprocal, 0.5}, {PRIM_rsqrt, 1.5},
        {PRIM_lerp, 1.5},  {PRIM_fmod, 0.5}, {PRIM_remainder, 1},
        {PRIM_convert_element_type, 0.5},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].op == op->id)
            return table[i].ulp;
    if (op->flags & (OP_SHAPE | OP_CREATION))
        return 0;
    return op->flags & OP_ELEMENTWISE ? 4 : 0.5;
}

bool op_is_sum(const Op *op)
{
    return (op->flags & OP_MATMUL) || op->id == PRIM_sum || op->id == PRIM_cumsum ||
           op->id == PRIM_scatter_add || op->id == PRIM_index_add ||
           op->id == PRIM_embedding_backward;
}

double op_terms(const Trace *t, const Node *n, double results)
{
    const Type *a = n->args[0].kind == ARG_value ? &t->values[n->args[0].v].type : NULL;
    if (!a || a->rank == 0)
        return 1;
    if (n->op->id == PRIM_convolution) {
        const Type *w = &t->values[n->args[1].v].type;
        return w->rank && w->shape[0] ? (double)type_numel(w) / (double)w->shape[0] : 1;
    }
    if (n->op->flags & OP_MATMUL)
        return (double)a->shape[a->rank - 1];
    if (n->op->id == PRIM_cumsum)
        return (double)type_numel(a);
    return results > 0 ? (double)type_numel(a) / results : 1;
}

static bool is_argument(const Node *n, uint32_t i, ValueId v)
{
    return n->nargs > i && n->args[i].kind == ARG_value && n->args[i].v == v;
}

bool op_multiplies(const Node *n, ValueId v, ValueId w)
{
    bool both = (is_argument(n, 0, v) && is_argument(n, 1, w)) ||
                (is_argument(n, 1, v) && is_argument(n, 0, w));
    return (n->op->flags & OP_MATMUL) && both;
}

bool op_adds_bias_apart(const Node *n, DType d)
{
    return n->op->id == PRIM_convolution && n->args[2].kind == ARG_value &&
           dtype_info[d].bytes < dtype_info[DT_f32].bytes;
}

/* The attention that prim n is a part of; NO_NODE = none. */
static NodeId attention_around(const Trace *t, NodeId n)
{
    enum { MOST = 256 }; /* nodes inside of one, and more */
    for (NodeId i = n; i-- > 0 && n - i < MOST;)
        if (i + t->nodes[i].span > n && t->nodes[i].op->language != LANG_prims &&
            strstr(t->nodes[i].op->name, "attention"))
            return i;
    return NO_NODE;
}

DType op_factor_dtype(const Trace *t, NodeId n, ValueId v)
{
    enum { MOST = 256 };
    NodeId whole = t->nodes[n].op->flags & OP_MATMUL ? attention_around(t, n) : NO_NODE;
    if (whole == NO_NODE || !t->nodes[whole].nargs || t->nodes[whole].args[0].kind != ARG_value)
        return DT_none;
    DType d = (DType)t->values[t->nodes[whole].args[0].v].type.dtype;
    DType of = (DType)t->values[v].type.dtype;
    ValueId after[MOST]; /* what comes of a product */
    uint32_t count = 0;
    bool found = false;
    for (NodeId i = whole + 1; i < n; i++) {
        const Node *node = &t->nodes[i];
        bool comes = node->op->flags & OP_MATMUL;
        for (uint32_t k = 0; k < count && !comes; k++)
            comes = node_reads(node, after[k]);
        bool cast = node->op->id == PRIM_convert_element_type && node->args[0].kind == ARG_value &&
                    t->values[node->args[0].v].type.dtype == d; /* rounded in the program */
        if (node->span == 1 && comes && count < MOST - MAX_OUTPUTS) {
            found |= !cast && node_makes(node, v);
            count += arg_values(node->out, after + count, MAX_OUTPUTS);
        }
    }
    bool narrow = dtype_is_float(d) && dtype_info[d].bytes < dtype_info[of].bytes;
    return found && narrow ? d : DT_none;
}

/* Runs prim n in double precision with operand k replaced; the result v, or NULL. With sizes, the
 * others are their absolute values, or zeros when they are no factors of it. */
static Tensor *run_with(Assess *j, NodeId n, ValueId v, ValueId k, Tensor *instead, bool sizes)
{
    const Node *node = &j->t->nodes[n];
    ValueId in[64], outs[MAX_OUTPUTS];
    Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
    uint32_t nin = arg_values(all, in, ARRAY_LEN(in));
    uint32_t nout = arg_values(node->out, outs, MAX_OUTPUTS);
    if (nin > ARRAY_LEN(in) || nout > MAX_OUTPUTS || (node->op->flags & OP_IN_PLACE))
        return NULL;
    for (uint32_t i = 0; i < nin; i++) {
        Tensor *x = in[i] == k ? instead : j->oracle->values[in[i]];
        tensor_unref(j->values[in[i]]);
        j->values[in[i]] = x ? tensor_ref(x) : NULL;
        if (!x || !sizes || in[i] == k || !dtype_is_float(x->dtype))
            continue;
        Tensor *size = doubles(x);
        bool factor = op_multiplies(node, k, in[i]);
        for (int64_t e = 0, m = tensor_numel(size); e < m; e++)
            data_of(size)[e] = factor ? fabs(data_of(size)[e]) : 0;
        tensor_unref(j->values[in[i]]);
        j->values[in[i]] = size;
    }
    ExecCall call = {.t = j->t, .node = n, .values = j->values, .rounding = ROUND_f64,
                     .diag = &j->diag, .interrupt = &j->s->interrupt};
    bool good = j->interp && j->interp->run(&call);
    Tensor *result = good && j->values[v] ? doubles(j->values[v]) : NULL;
    for (uint32_t i = 0; i < nin; i++) {
        tensor_unref(j->values[in[i]]);
        j->values[in[i]] = NULL;
    }
    for (uint32_t i = 0; i < nout; i++) {
        tensor_unref(j->values[outs[i]]);
        j->values[outs[i]] = NULL;
    }
    return result;
}

/* The largest of |f(o + e) - f(o)| and |f(o - e) - f(o)|, added to bound. */
static void add_moved(Assess *j, NodeId n, ValueId v, ValueId k, const Tensor *error, double *bound)
{
    const Tensor *o = j->oracle->values[v];
    Tensor *plain = doubles(o), *x = doubles(j->oracle->values[k]);
    int64_t m = tensor_numel(plain), size = tensor_numel(x);
    double *most = run_realloc(NULL, (size_t)m * sizeof *most);
    memset(most, 0, (size_t)m * sizeof *most);
    for (int sign = 1; sign >= -1; sign -= 2) {
        Tensor *moved = tensor_clone(x);
        for (int64_t i = 0; i < size; i++)
            data_of(moved)[i] += sign * data_of(error)[i];
        Tensor *got = run_with(j, n, v, k, moved, false);
        for (int64_t i = 0; got && i < m; i++) {
            double d = distance(data_of(got)[i], data_of(plain)[i]);
            most[i] = d > most[i] ? d : most[i];
        }
        tensor_unref(got);
        tensor_unref(moved);
    }
    for (int64_t i = 0; i < m; i++)
        bound[i] += most[i];
    free(most);
    tensor_unref(plain);
    tensor_unref(x);
}

static void add_tensor(const Tensor *x, double times, double *bound, int64_t m)
{
    for (int64_t i = 0; x && i < m; i++)
        bound[i] += times * fabs(data_of(x)[i]);
}

static Tensor *error_of(Assess *j, ValueId v);

/* The product of both factors' errors: where one of them is small, like 1 + tanh(u) far below 0,
 * that is most of what a product is off by. */
static void add_both_errors(Assess *j, const Node *node, double *bound, int64_t m)
{
    const Arg *a = node->args;
    if (node->op->id != PRIM_mul || a[0].kind != ARG_value || a[1].kind != ARG_value ||
        a[0].v == a[1].v)
        return;
    Tensor *x = error_of(j, a[0].v), *y = error_of(j, a[1].v);
    if (!x || !y || tensor_numel(x) != m || tensor_numel(y) != m)
        return;
    for (int64_t i = 0; i < m; i++)
        if (data_of(x)[i] > 0 && data_of(y)[i] > 0)
            bound[i] += data_of(x)[i] * data_of(y)[i];
}

/* What the errors of the operands become in prim n. */
static void add_propagated(Assess *j, NodeId n, ValueId v, double *bound, int64_t m)
{
    const Node *node = &j->t->nodes[n];
    ValueId in[64];
    Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
    uint32_t nin = arg_values(all, in, ARRAY_LEN(in));
    if (node->op->flags & OP_IN_PLACE) { /* what is written is what it was */
        Tensor *error = nin ? error_of(j, in[0]) : NULL;
        add_tensor(error && tensor_numel(error) == m ? error : NULL, 1, bound, m);
        return;
    }
    for (uint32_t i = 0; i < nin && i < ARRAY_LEN(in); i++) {
        Tensor *x = j->oracle->values[in[i]];
        bool again = false;
        for (uint32_t k = 0; k < i; k++)
            again |= in[k] == in[i];
        if (!x || again || !dtype_is_float(x->dtype))
            continue;
        Tensor *error = error_of(j, in[i]);
        if (!error)
            continue;
        if (op_is_sum(node->op)) {
            Tensor *through = run_with(j, n, v, in[i], error, true);
            add_tensor(through, 1, bound, m);
            tensor_unref(through);
        } else {
            add_moved(j, n, v, in[i], error, bound);
        }
    }
    add_both_errors(j, node, bound, m);
}

static double unit_of(DType d)
{
    return tensor_ulp(1, d) / 2;
}

/* A formula whose terms may be larger than its result: start + weight (end - start). */
static void add_lerp_terms(Assess *j, const Node *node, DType d, double *bound, int64_t m)
{
    for (uint32_t k = 0; k < 2; k++) {
        ValueId v = node->args[k].kind == ARG_value ? node->args[k].v : 0;
        const Tensor *x = v ? j->oracle->values[v] : NULL;
        Tensor *term = x && tensor_numel(x) == m ? doubles(x) : NULL;
        for (int64_t i = 0; term && i < m; i++)
            bound[i] += isfinite(data_of(term)[i]) ? tensor_ulp(data_of(term)[i], d) : 0;
        tensor_unref(term);
    }
}

/* A bias is added to what is rounded already. */
static void add_bias(Assess *j, const Node *node, DType d, const Tensor *o, double *bound,
                     int64_t m)
{
    Tensor *bias = op_adds_bias_apart(node, d) ? j->oracle->values[node->args[2].v] : NULL;
    Tensor *b = bias ? doubles(bias) : NULL;
    int64_t n = b ? tensor_numel(b) : 0, inner = 1;
    for (uint32_t i = 2; i < o->rank; i++)
        inner *= o->shape[i];
    for (int64_t i = 0; n > 0 && i < m; i++) {
        double sum = data_of(o)[i] - data_of(b)[i / inner % n];
        bound[i] += isfinite(sum) ? tensor_ulp(sum, d) / 2 : 0;
    }
    tensor_unref(b);
}

/* Fused attention rounds weights before it multiplies. */
static void add_factor_rounding(Assess *j, NodeId n, ValueId v, double *bound, int64_t m)
{
    const Node *node = &j->t->nodes[n];
    for (uint32_t i = 0; (node->op->flags & OP_MATMUL) && i < 2; i++) {
        ValueId k = node->args[i].kind == ARG_value ? node->args[i].v : 0;
        DType narrow = k && j->oracle->values[k] ? op_factor_dtype(j->t, n, k) : DT_none;
        Tensor *size = narrow != DT_none ? doubles(j->oracle->values[k]) : NULL;
        for (int64_t e = 0, all = size ? tensor_numel(size) : 0; e < all; e++)
            data_of(size)[e] = fabs(data_of(size)[e]) * unit_of(narrow);
        Tensor *through = size ? run_with(j, n, v, k, size, true) : NULL;
        add_tensor(through, 1, bound, m);
        tensor_unref(through);
        tensor_unref(size);
    }
}

/* Rounding of the prim itself: of its result, and of the sums inside. */
static void add_own(Assess *j, NodeId n, ValueId v, double *bound, int64_t m)
{
    const Node *node = &j->t->nodes[n];
    DType d = (DType)j->t->values[v].type.dtype;
    Tensor *o = doubles(j->oracle->values[v]);
    double ulp = op_own_ulp(node->op);
    for (int64_t i = 0; i < m; i++)
        bound[i] += isfinite(data_of(o)[i]) ? ulp * tensor_ulp(data_of(o)[i], d) : 0;
    if (node->op->id == PRIM_lerp)
        add_lerp_terms(j, node, d, bound, m);
    add_bias(j, node, d, o, bound, m);
    add_factor_rounding(j, n, v, bound, m);
    if (op_is_sum(node->op) || (node->op->flags & OP_REDUCTION)) {
        ValueId first = node->args[0].kind == ARG_value ? node->args[0].v : 0;
        Tensor *x = first ? j->oracle->values[first] : NULL, *size = x ? doubles(x) : NULL;
        for (int64_t i = 0, k = size ? tensor_numel(size) : 0; i < k; i++)
            data_of(size)[i] = fabs(data_of(size)[i]);
        Tensor *sizes = size ? run_with(j, n, v, first, size, true) : NULL;
        double unit = unit_of(d) < unit_of(DT_f32) ? unit_of(d) : unit_of(DT_f32);
        add_tensor(sizes, 4 * sqrt(op_terms(j->t, node, (double)tensor_numel(o))) * unit, bound, m);
        tensor_unref(sizes);
        tensor_unref(size);
    }
    tensor_unref(o);
}

/* The bound of value v as its prim gives it, whatever the runs have. */
static Tensor *bound_of(Assess *j, ValueId v)
{
    const Tensor *o = j->oracle->values[v];
    Tensor *bound = o && dtype_is_float(o->dtype)
                        ? tensor_new(DT_f64, (Device){DEV_cpu, 0}, o->rank, o->shape)
                        : NULL;
    NodeId n = j->leaf[v];
    if (!bound || n == NO_NODE || j->busy[v])
        return bound;
    j->busy[v] = true; /* an operator that reads what it writes */
    int64_t m = tensor_numel(bound);
    if (++j->depth < DEEPEST) /* beyond it operands count as exact */
        add_propagated(j, n, v, data_of(bound), m);
    j->depth--;
    add_own(j, n, v, data_of(bound), m);
    j->busy[v] = false;
    return bound;
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
