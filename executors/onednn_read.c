/*
 * onednn_read.c - from a node of a trace to jobs for oneDNN; see onednn.h.
 *
 * Input: a node and the layouts of its operands. Output: jobs whose operands are described as
 * oneDNN wants them: vectors are matrices, leading dimensions of linear are rows, weights of
 * grouped convolutions have a dimension for the groups. Nothing is moved for that: only sizes and
 * strides change.
 */
#ifdef THUNDER_HAVE_ONEDNN
#include "onednn.h"

#include <string.h>

/* ------------------------------------------------------------------------------------- operands */

static void add_operand(ValueId v, void *user)
{
    Work *w = user;
    for (uint32_t i = 0; i < w->nin && i < MAX_OPERANDS; i++)
        if (w->in[i].v == v)
            return;
    if (w->nin < MAX_OPERANDS)
        w->in[w->nin].v = v;
    w->nin++;
}

bool work_begin(const Trace *t, NodeId n, Work *w)
{
    const Node *node = &t->nodes[n];
    *w = (Work){.nin = 0};
    arg_each_value((Arg){.kind = ARG_tuple, .n = node->nargs, .items = node->args}, add_operand,
                   w);
    w->nout = arg_values(node->out, w->out, MAX_OPERANDS);
    if (w->nin > MAX_OPERANDS || w->nout > MAX_OPERANDS || w->nout == 0)
        return false;
    for (uint32_t i = 0; i < w->nin; i++)
        w->in[i].type = &t->values[w->in[i].v].type;
    for (uint32_t i = 0; i < w->nout; i++)
        w->out_type[i] = &t->values[w->out[i]].type;
    return true;
}

static Operand *operand(Work *w, Arg a)
{
    for (uint32_t i = 0; i < w->nin; i++)
        if (a.kind == ARG_value && w->in[i].v == a.v)
            return &w->in[i];
    return NULL;
}

static void dense(const Type *type, int64_t *strides)
{
    int64_t step = 1;
    for (uint32_t i = type->rank; i-- > 0;) {
        strides[i] = step;
        step *= type->shape[i] > 0 ? type->shape[i] : 1;
    }
}

/* Elements do not overlap, and strides are positive: oneDNN can describe it. */
static bool describable(const Type *type, const int64_t *strides)
{
    for (uint32_t i = 0; i < type->rank; i++) {
        for (uint32_t k = 0; k < type->rank; k++)
            if (type->shape[i] > 1 && type->shape[k] > 1 && k != i && strides[k] >= strides[i] &&
                strides[k] < strides[i] * type->shape[i])
                return false;
        if (type->shape[i] > 1 && strides[i] <= 0)
            return false;
    }
    return true;
}

/* Strides of an operand as it will be read. */
static void strides_of(Operand *o, int64_t *strides)
{
    dense(o->type, strides);
    if (!o->strides || o->copy)
        return;
    if (!describable(o->type, o->strides)) {
        o->copy = true;
        return;
    }
    for (uint32_t i = 0; i < o->type->rank; i++)
        if (o->type->shape[i] > 1)
            strides[i] = o->strides[i];
}

static bool type_of(DType d, dnnl_data_type_t *out)
{
    *out = d == DT_bf16 ? dnnl_bf16 : dnnl_f32;
    return d == DT_f32 || d == DT_bf16;
}

/* What every job asks: floating tensors that oneDNN computes with here, none of them empty. */
static bool fit_types(const Work *w, StrBuf *why)
{
    for (uint32_t i = 0; i < w->nin + w->nout; i++) {
        const Type *type = i < w->nin ? w->in[i].type : w->out_type[i - w->nin];
        dnnl_data_type_t unused;
        int isa = (int)dnnl_get_effective_cpu_isa(), wide = (int)dnnl_cpu_isa_avx512_core;
        const char *bad = NULL;
        if (type->kind != VALUE_tensor || !type_of((DType)type->dtype, &unused))
            bad = "takes tensors of f32 and bf16 only";
        else if (type->dtype == DT_bf16 && (isa & wide) != wide)
            bad = "this processor has no instructions for bf16";
        else if (type_numel(type) == 0)
            bad = "an operand is empty";
        else if (type->rank > DNNL_MAX_NDIMS)
            bad = "too many dimensions";
        if (bad) {
            sb_puts(why, bad);
            return false;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------------- parts */

const Part *job_part(const Job *j, int role)
{
    for (uint32_t i = 0; i < j->nparts; i++)
        if (j->parts[i].role == role)
            return &j->parts[i];
    return NULL;
}

static Part *add_part(Job *j, int role, uint32_t number, bool result, const Type *type)
{
    Part *p = &j->parts[j->nparts++];
    *p = (Part){.role = role, .operand = number, .result = result};
    type_of((DType)type->dtype, &p->type);
    return p;
}

static Part *add_input(Work *w, Job *j, int role, Arg a)
{
    const Operand *o = operand(w, a);
    return add_part(j, role, (uint32_t)(o - w->in), false, o->type);
}

/* The part has the dimensions of its tensor. */
static void as_it_is(Part *p, const Type *type, const int64_t *strides)
{
    p->rank = (int)type->rank;
    for (uint32_t i = 0; i < type->rank; i++) {
        p->dims[i] = type->shape[i];
        p->strides[i] = strides[i];
    }
}

static void input_as_it_is(Work *w, Part *p)
{
    int64_t strides[MAX_RANK];
    strides_of(&w->in[p->operand], strides);
    as_it_is(p, w->in[p->operand].type, strides);
}

static void result_as_it_is(const Work *w, Part *p)
{
    int64_t strides[MAX_RANK];
    dense(w->out_type[p->operand], strides);
    as_it_is(p, w->out_type[p->operand], strides);
}

/* ------------------------------------------------------------------------------------- products */

static double numel(const Part *p)
{
    double n = p ? 1 : 0;
    for (int i = 0; p && i < p->rank; i++)
        n *= (double)p->dims[i];
    return n;
}

static const Part *either(const Job *j, int role, int other)
{
    const Part *p = job_part(j, role);
    return p ? p : job_part(j, other);
}

double job_work(const Job *j)
{
    const Part *a = either(j, DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC);
    const Part *w = either(j, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS);
    const Part *c = either(j, DNNL_ARG_DST, DNNL_ARG_DIFF_DST);
    if (j->kind == JOB_matmul)
        return numel(c) * (double)a->dims[a->rank - 1];
    if (j->kind == JOB_avg_pool || j->kind == JOB_eltwise)
        return numel(a);
    return numel(c) * numel(w) / (double)w->dims[w->rank > c->rank];
}

static bool worth_it(const Job *j, StrBuf *why)
{
    bool worth = job_work(j) >= ONEDNN_MIN_WORK;
    if (!worth)
        sb_puts(why, "a product this small does not pay for a primitive");
    return worth;
}

/* Puts a dimension of size 1 at `at`: a vector becomes a row or a column. */
static void insert_one(Part *p, int at, int64_t stride)
{
    memmove(p->dims + at + 1, p->dims + at, (size_t)(p->rank - at) * sizeof *p->dims);
    memmove(p->strides + at + 1, p->strides + at, (size_t)(p->rank - at) * sizeof *p->strides);
    p->dims[at] = 1;
    p->strides[at] = stride;
    p->rank++;
}

/* A lone matrix beside a batch of them serves all. */
static void fill_rank(Part *p, int rank)
{
    while (p->rank < rank)
        insert_one(p, 0, p->dims[0] * p->strides[0]);
}

static bool read_matmul(const Trace *t, NodeId n, Work *w, StrBuf *why)
{
    const Arg *args = t->nodes[n].args;
    Job *j = &w->jobs[w->njobs++];
    if (!operand(w, args[0]) || !operand(w, args[1])) {
        sb_puts(why, "an operand is no tensor");
        return false;
    }
    *j = (Job){.kind = JOB_matmul};
    Part *a = add_input(w, j, DNNL_ARG_SRC, args[0]);
    Part *b = add_input(w, j, DNNL_ARG_WEIGHTS, args[1]);
    Part *c = add_part(j, DNNL_ARG_DST, 0, true, w->out_type[0]);
    input_as_it_is(w, a);
    input_as_it_is(w, b);
    result_as_it_is(w, c);
    bool row = a->rank == 1, column = b->rank == 1;
    if (row)
        insert_one(a, 0, a->dims[0]);
    if (column)
        insert_one(b, 1, 1);
    if (column)
        insert_one(c, c->rank, 1);
    if (row)
        insert_one(c, c->rank - 1, c->dims[c->rank - 1]);
    int rank = a->rank > b->rank ? a->rank : b->rank;
    fill_rank(a, rank);
    fill_rank(b, rank);
    fill_rank(c, rank);
    return worth_it(j, why);
}

/* Leading dimensions as one: the rows of a matrix. */
static void join_rows(Part *p, int64_t row_stride)
{
    int64_t rows = 1, last = p->dims[p->rank - 1], step = p->strides[p->rank - 1];
    for (int i = 0; i + 1 < p->rank; i++)
        rows *= p->dims[i];
    p->rank = 2;
    p->dims[0] = rows;
    p->dims[1] = last;
    p->strides[0] = row_stride;
    p->strides[1] = step;
}

static void swap_last(Part *p)
{
    int64_t size = p->dims[0], step = p->strides[0];
    p->dims[0] = p->dims[1];
    p->strides[0] = p->strides[1];
    p->dims[1] = size;
    p->strides[1] = step;
}

/* a w^T + bias: w is read as it lies, with its dimensions exchanged. */
static bool read_linear(const Trace *t, NodeId n, Work *w, StrBuf *why)
{
    const Arg *args = t->nodes[n].args;
    Job *j = &w->jobs[w->njobs++];
    *j = (Job){.kind = JOB_matmul};
    Operand *rows = operand(w, args[0]);
    int64_t last = rows->type->shape[rows->type->rank - 1], strides[MAX_RANK];
    dense(rows->type, strides);
    if (rows->type->rank != 2 && rows->strides &&
        memcmp(strides, rows->strides, rows->type->rank * sizeof *strides) != 0)
        rows->copy = true;
    Part *a = add_input(w, j, DNNL_ARG_SRC, args[0]);
    input_as_it_is(w, a);
    join_rows(a, a->rank == 2 ? a->strides[0] : last);
    Part *b = add_input(w, j, DNNL_ARG_WEIGHTS, args[1]);
    input_as_it_is(w, b);
    swap_last(b);
    if (arg_is_value(args[2])) {
        Part *bias = add_input(w, j, DNNL_ARG_BIAS, args[2]);
        input_as_it_is(w, bias);
        insert_one(bias, 0, bias->dims[0]);
    }
    Part *c = add_part(j, DNNL_ARG_DST, 0, true, w->out_type[0]);
    result_as_it_is(w, c);
    join_rows(c, c->dims[c->rank - 1]);
    return worth_it(j, why);
}

/* --------------------------------------------------------------------------------- convolutions */

static int64_t int_at(Arg seq, uint32_t i)
{
    Arg a = arg_is_seq(seq) ? seq.n == 0 ? A_INT(0) : seq.items[seq.n == 1 ? 0 : i] : seq;
    return a.kind == ARG_int ? a.i : 0;
}

/* [out, in / groups, ..] as [groups, out / groups, in / groups, ..]; those of a transposed
 * convolution are [in, out / groups, ..]. */
static void group_weights(Part *p, int64_t groups, bool transposed)
{
    if (groups > 1) {
        insert_one(p, 0, p->strides[0] * (p->dims[0] / groups));
        p->dims[0] = groups;
        p->dims[1] /= groups;
    }
    int first = groups > 1;
    if (transposed) {
        int64_t size = p->dims[first], step = p->strides[first];
        p->dims[first] = p->dims[first + 1];
        p->strides[first] = p->strides[first + 1];
        p->dims[first + 1] = size;
        p->strides[first + 1] = step;
    }
}

typedef struct ConvArgs {
    Arg stride, padding, dilation, extra;
    int64_t groups;
    bool transposed;
} ConvArgs;

static void read_windows(Job *j, const ConvArgs *c, uint32_t spatial)
{
    for (uint32_t i = 0; i < spatial; i++) {
        j->w.stride[i] = int_at(c->stride, i);
        j->w.dilation[i] = int_at(c->dilation, i) - 1;
        j->w.low[i] = int_at(c->padding, i);
        j->w.high[i] = j->w.low[i] - (c->transposed ? int_at(c->extra, i) : 0);
    }
}

/* The right padding is what makes the sizes add up: PyTorch drops what no window reaches. */
static void fit_padding(Job *j, const Type *x, const Type *weight, const Type *y)
{
    for (uint32_t i = 0; i + 2 < x->rank && !j->transposed; i++) {
        int64_t reach = (weight->shape[i + 2] - 1) * (j->w.dilation[i] + 1) + 1;
        j->w.high[i] =
            (y->shape[i + 2] - 1) * j->w.stride[i] + reach - x->shape[i + 2] - j->w.low[i];
    }
}

/* Whether each element of the result comes from one place: a product of matrices, an image each. */
static bool is_pointwise(const Job *j, const Type *weight, int64_t groups)
{
    bool point = groups == 1 && !j->transposed;
    for (uint32_t i = 0; i + 2 < weight->rank; i++)
        point = point && weight->shape[i + 2] == 1 && j->w.stride[i] == 1 && j->w.low[i] == 0 &&
                j->w.high[i] == 0;
    return point;
}

/* Where the channels of an image lie apart, a pointwise convolution needs nothing moved: it pays
 * from this many elements a channel on. */
enum { PLAIN_FROM = 128 };

/* oneDNN's own choice for f32 on AVX-512 is channels innermost: fastest by a few percent, but
 * moving an image there takes four times as long as moving it to blocks of 16 channels. */
static void choose_layouts(Job *j, const Type *x, const Type *weight, int64_t groups)
{
    int isa = (int)dnnl_get_effective_cpu_isa(), wide = (int)dnnl_cpu_isa_avx512_core;
    int64_t area = 1, out = weight->shape[0], in = weight->shape[1];
    for (uint32_t i = 0; i + 2 < x->rank; i++)
        area *= x->shape[i + 2];
    bool few = in < 16 || out < 16;
    Layout image = LAYOUT_free;
    if (is_pointwise(j, weight, groups) && x->dtype == DT_f32 &&
        (j->pass == CONV_weight_gradient ? few : area >= PLAIN_FROM))
        image = LAYOUT_own;
    else if ((isa & wide) == wide && x->dtype == DT_f32 && groups == 1 && !j->transposed &&
             in % 16 == 0 && out % 16 == 0 && x->rank <= 5)
        image = LAYOUT_blocked;
    for (uint32_t i = 0; i < j->nparts; i++) {
        int role = j->parts[i].role;
        bool is_weight = role == DNNL_ARG_WEIGHTS || role == DNNL_ARG_DIFF_WEIGHTS;
        bool is_bias = role == DNNL_ARG_BIAS || role == DNNL_ARG_DIFF_BIAS;
        j->parts[i].layout = is_bias ? LAYOUT_own : is_weight ? LAYOUT_free : image;
    }
}

static bool read_conv(const Trace *t, NodeId n, Work *w, StrBuf *why)
{
    const Arg *args = t->nodes[n].args;
    ConvArgs c = {args[3], args[4], args[5], args[7], args[8].i, args[6].i != 0};
    (void)why;
    Job *j = &w->jobs[w->njobs++];
    *j = (Job){.kind = JOB_conv, .pass = CONV_forward, .transposed = c.transposed};
    Part *x = add_input(w, j, DNNL_ARG_SRC, args[0]);
    Part *k = add_input(w, j, DNNL_ARG_WEIGHTS, args[1]);
    input_as_it_is(w, x);
    input_as_it_is(w, k);
    group_weights(k, c.groups, c.transposed);
    if (arg_is_value(args[2]))
        input_as_it_is(w, add_input(w, j, DNNL_ARG_BIAS, args[2]));
    Part *y = add_part(j, DNNL_ARG_DST, 0, true, w->out_type[0]);
    result_as_it_is(w, y);
    read_windows(j, &c, (uint32_t)x->rank - 2);
    const Type *image = operand(w, args[0])->type, *weight = operand(w, args[1])->type;
    fit_padding(j, image, weight, w->out_type[0]);
    choose_layouts(j, image, weight, c.groups);
    return true;
}

static bool wanted(Arg mask, uint32_t i)
{
    return arg_is_seq(mask) && i < mask.n && mask.items[i].i != 0;
}

/* The gradients of a convolution with respect to its input, its weight and its bias. */
static bool read_conv_backward(const Trace *t, NodeId n, Work *w, StrBuf *why)
{
    const Node *node = &t->nodes[n];
    const Arg *args = node->args;
    ConvArgs c = {args[4], args[5], args[6], args[8], args[9].i, args[7].i != 0};
    const Type *x = operand(w, args[1])->type, *k = operand(w, args[2])->type;
    const Type *y = operand(w, args[0])->type;
    bool bias = wanted(args[10], 2);
    if (c.transposed || (bias && !wanted(args[10], 1))) {
        sb_puts(why, c.transposed ? "the convolution is a transposed one"
                                  : "the bias has a gradient and the weight has none");
        return false;
    }
    for (uint32_t i = 0, result = 0; i < 2; i++) {
        if (!wanted(args[10], i))
            continue;
        Job *j = &w->jobs[w->njobs++];
        *j = (Job){.kind = JOB_conv, .pass = i ? CONV_weight_gradient : CONV_input_gradient};
        Part *src = i ? add_input(w, j, DNNL_ARG_SRC, args[1])
                      : add_part(j, DNNL_ARG_DIFF_SRC, result, true, x);
        Part *weight = i ? add_part(j, DNNL_ARG_DIFF_WEIGHTS, result, true, k)
                         : add_input(w, j, DNNL_ARG_WEIGHTS, args[2]);
        Part *dst = add_input(w, j, DNNL_ARG_DIFF_DST, args[0]);
        (i ? input_as_it_is(w, src) : result_as_it_is(w, src));
        (i ? result_as_it_is(w, weight) : input_as_it_is(w, weight));
        group_weights(weight, c.groups, false);
        input_as_it_is(w, dst);
        result++;
        if (i && bias)
            result_as_it_is(w, add_part(j, DNNL_ARG_DIFF_BIAS, result++, true, k));
        read_windows(j, &c, x->rank - 2);
        fit_padding(j, x, k, y);
        choose_layouts(j, x, k, c.groups);
    }
    return true;
}

/* ------------------------------------------------------------------------------ average pooling */

static bool read_avg_pool(const Trace *t, NodeId n, Work *w, StrBuf *why)
{
    const Node *node = &t->nodes[n];
    const Arg *args = node->args;
    uint32_t spatial = (uint32_t)(node->op->name[strlen("avg_pool")] - '0');
    const Type *x = operand(w, args[0])->type;
    bool with_divisor = node->nargs > 6 && !arg_is_none(args[6]);
    if (x->rank != spatial + 2 || (args[4].kind == ARG_bool && args[4].i) || with_divisor) {
        sb_puts(why, x->rank != spatial + 2 ? "the input has no batch dimension"
                     : with_divisor         ? "the divisor is given"
                                            : "the last windows may be cut (ceil_mode)");
        return false;
    }
    bool no_stride = arg_is_none(args[2]) || (arg_is_seq(args[2]) && args[2].n == 0);
    ConvArgs c = {no_stride ? args[1] : args[2], args[3], A_INT(1), A_INT(0), 1, false};
    Job *j = &w->jobs[w->njobs++];
    *j = (Job){.kind = JOB_avg_pool, .count_padding = args[5].i != 0};
    input_as_it_is(w, add_input(w, j, DNNL_ARG_SRC, args[0]));
    result_as_it_is(w, add_part(j, DNNL_ARG_DST, 0, true, w->out_type[0]));
    read_windows(j, &c, spatial);
    for (uint32_t i = 0; i < spatial; i++) {
        j->w.kernel[i] = int_at(args[1], i);
        j->w.high[i] = (w->out_type[0]->shape[i + 2] - 1) * j->w.stride[i] + j->w.kernel[i] -
                       x->shape[i + 2] - j->w.low[i];
    }
    return true;
}

/* ---------------------------------------------------------------------------------------- table */

typedef bool ReadFn(const Trace *t, NodeId n, Work *w, StrBuf *why);

/* What oneDNN computes: prims, and composites that are taken whole. */
static const struct {
    Language language;
    const char *name;
    ReadFn *read;
} readers[] = {
    {LANG_prims, "linear", read_linear},
    {LANG_torch, "linear", read_linear},
    {LANG_prims, "matmul", read_matmul},
    {LANG_torch, "matmul", read_matmul},
    {LANG_prims, "convolution", read_conv},
    {LANG_torch, "convolution_backward", read_conv_backward},
    {LANG_torch, "avg_pool1d", read_avg_pool},
    {LANG_torch, "avg_pool2d", read_avg_pool},
    {LANG_torch, "avg_pool3d", read_avg_pool},
};

/* The activation that node n is, as a function of one operand; undef = none that oneDNN has with
 * PyTorch's answers: its relu, tanh and sigmoid lose NaN. */
static dnnl_alg_kind_t activation(const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    if (node->op->language != LANG_torch)
        return dnnl_alg_kind_undef;
    if (strcmp(node->op->name, "silu") == 0)
        return dnnl_eltwise_swish;
    if (strcmp(node->op->name, "gelu") != 0 || node->args[1].kind != ARG_str)
        return dnnl_alg_kind_undef;
    return str_is(arg_str(node->args[1]), "tanh")   ? dnnl_eltwise_gelu_tanh
           : str_is(arg_str(node->args[1]), "none") ? dnnl_eltwise_gelu_erf
                                                    : dnnl_alg_kind_undef;
}

bool work_is_activation(const Trace *t, NodeId n)
{
    return activation(t, n) != dnnl_alg_kind_undef;
}

bool work_joins(const Trace *t, NodeId first, NodeId last)
{
    const Node *a = &t->nodes[first], *b = &t->nodes[last];
    bool product = strcmp(a->op->name, "linear") == 0 || strcmp(a->op->name, "matmul") == 0;
    if (!product || !work_is_activation(t, last) || a->out.kind != ARG_value ||
        b->out.kind != ARG_value)
        return false;
    Work w;
    StrBuf why = {0};
    bool good = t->values[a->out.v].type.dtype == DT_f32 &&
                t->values[b->out.v].type.dtype == DT_f32 && work_begin(t, first, &w) &&
                work_read(t, first, &w, &why);
    sb_free(&why);
    return good;
}

/* An activation alone, where the product before it has another reader after all. */
static bool read_activation(const Trace *t, NodeId n, Work *w, StrBuf *why)
{
    (void)why;
    Job *j = &w->jobs[w->njobs++];
    *j = (Job){.kind = JOB_eltwise, .activation = activation(t, n)};
    Operand *x = operand(w, t->nodes[n].args[0]);
    x->copy = x->strides != NULL;
    input_as_it_is(w, add_input(w, j, DNNL_ARG_SRC, t->nodes[n].args[0]));
    result_as_it_is(w, add_part(j, DNNL_ARG_DST, 0, true, w->out_type[0]));
    return true;
}

bool work_read(const Trace *t, NodeId n, Work *w, StrBuf *why_not)
{
    NodeId of = n, after = NO_NODE; /* the product, and what is joined to it */
    if (t->nodes[n].op->id == PRIM_call && t->nodes[n].span > 2) {
        of = n + 1;
        after = of + t->nodes[of].span;
        if (after >= n + t->nodes[n].span || activation(t, after) == dnnl_alg_kind_undef)
            after = of = n;
    }
    const Op *op = t->nodes[of].op;
    if (of == n && work_is_activation(t, n)) {
        w->njobs = 0;
        return fit_types(w, why_not) && read_activation(t, n, w, why_not);
    }
    for (size_t i = 0; i < ARRAY_LEN(readers); i++) {
        if (op->language != (uint8_t)readers[i].language || strcmp(op->name, readers[i].name) != 0)
            continue;
        w->njobs = 0;
        if (!fit_types(w, why_not) || !readers[i].read(t, of, w, why_not))
            return false;
        if (after != NO_NODE)
            w->jobs[0].activation = activation(t, after);
        return true;
    }
    sb_puts(why_not, "takes matrix products, convolutions, average pooling");
    return false;
}
#endif
