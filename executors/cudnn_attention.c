/* cudnn_attention.c - what cuDNN's attention engines recognise; see cudnn_attention.h. */
#include "cudnn_attention.h"

#include "kept.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Builder {
    DnGraph g;
    const DnAttention *a;
    DnType type;
    int64_t rows[DN_RANK], rows_strides[DN_RANK];     /* a number for each query */
    int64_t scores[DN_RANK], scores_strides[DN_RANK]; /* one for each pair */
} Builder;

static void set4(int64_t *to, int64_t a, int64_t b, int64_t c, int64_t d)
{
    memcpy(to, (int64_t[]){a, b, c, d}, 4 * sizeof *to);
}

static DnType type_of(DType d)
{
    return d == DT_bf16 ? DN_bf16 : d == DT_f16 ? DN_f16 : DN_f32;
}

static void begin(Builder *b, Dn *dn, const DnAttention *a)
{
    *b = (Builder){.a = a, .type = type_of(a->dtype)};
    dn_begin(&b->g, dn);
    set4(b->rows, a->batch, a->heads, a->queries, 1);
    set4(b->rows_strides, a->heads * a->queries, a->queries, 1, 1);
    set4(b->scores, a->batch, a->heads, a->queries, a->keys);
    set4(b->scores_strides, a->heads * a->queries * a->keys, a->queries * a->keys, a->keys, 1);
}

/* An operand or result; transposed: its width comes before its positions. */
static int strided(Builder *b, DnStrided which, bool transposed)
{
    const int64_t *strides = b->a->strides[which];
    bool of_keys = which == DN_key || which == DN_value || which == DN_grad_key ||
                   which == DN_grad_value;
    bool of_scores = which == DN_query || which == DN_key || which == DN_grad_query ||
                     which == DN_grad_key;
    int64_t length = of_keys ? b->a->keys : b->a->queries;
    int64_t width = of_scores ? b->a->width : b->a->value_width;
    int64_t dims[DN_RANK], steps[DN_RANK];
    set4(dims, b->a->batch, of_keys ? b->a->key_heads : b->a->heads, transposed ? width : length,
         transposed ? length : width);
    set4(steps, strides[0], strides[1], strides[transposed ? 3 : 2], strides[transposed ? 2 : 3]);
    return dn_real(&b->g, b->type, dims, steps);
}

static int dense(Builder *b, DnType type, int64_t length, int64_t width)
{
    int64_t h = b->a->heads;
    return dn_real(&b->g, type, (int64_t[]){b->a->batch, h, length, width},
                   (int64_t[]){h * length * width, length * width, width, 1});
}

static int scores(Builder *b, int q, int kt)
{
    int s = dn_matmul(&b->g, q, kt, dn_virtual(&b->g, DN_f32, b->scores, b->scores_strides));
    return dn_binary(&b->g, DN_mul, s, dn_number(&b->g, b->a->scale), 0);
}

/* The mask's tensor; 0 = none. */
static int mask_of(Builder *b)
{
    const DnAttention *a = b->a;
    if (a->mask == DT_none)
        return 0;
    return dn_real(&b->g, type_of(a->mask), b->scores, a->strides[DN_mask]);
}

static int masked(Builder *b, int s, int mask)
{
    if (mask)
        s = dn_binary(&b->g, DN_add, s, mask, 0);
    if (!b->a->causal)
        return s;
    int rows = dn_index_of(&b->g, s, 2), cols = dn_index_of(&b->g, s, 3);
    return dn_where_ge(&b->g, rows, cols, s, dn_number(&b->g, -INFINITY));
}

static void build_forward(Builder *b)
{
    const DnAttention *a = b->a;
    DnGraph *g = &b->g;
    int q = strided(b, DN_query, false);
    int kt = strided(b, DN_key, true);
    int v = strided(b, DN_value, false);
    int mask = mask_of(b);
    int out = strided(b, DN_result, false);
    int logs = a->logs ? dn_real(g, DN_f32, b->rows, b->rows_strides)
                       : dn_virtual(g, DN_f32, b->rows, b->rows_strides);
    int s = masked(b, scores(b, q, kt), mask);
    int top = dn_reduce(g, DN_max, s, 0);
    int e = dn_unary(g, DN_exp, dn_binary(g, DN_sub, s, top, 0), 0);
    int sum = dn_reduce(g, DN_sum, e, 0);
    dn_binary(g, DN_add, top, dn_unary(g, DN_log, sum, 0), logs);
    int p = dn_binary(g, DN_div, e, sum, dn_virtual(g, b->type, b->scores, b->scores_strides));
    dn_matmul(g, p, v, out);
}

/* x with its last two dimensions swapped, in the type that products take. */
static int turned(Builder *b, int x)
{
    const DnTensor *t = &b->g.tensors[x];
    int64_t dims[DN_RANK], steps[DN_RANK];
    set4(dims, t->dims[0], t->dims[1], t->dims[3], t->dims[2]);
    set4(steps, t->strides[0], t->strides[1], t->strides[3], t->strides[2]);
    return dn_reshape(&b->g, x, dn_virtual(&b->g, b->type, dims, steps));
}

static void build_backward(Builder *b)
{
    const DnAttention *a = b->a;
    DnGraph *g = &b->g;
    int q = strided(b, DN_query, false);
    int kt = strided(b, DN_key, true);
    int vt = strided(b, DN_value, true);
    int mask = mask_of(b);
    int out = strided(b, DN_result, false);
    int logs = dn_real(g, DN_f32, b->rows, b->rows_strides);
    int grad = strided(b, DN_grad, false);
    int dq = strided(b, DN_grad_query, false);
    int dk = strided(b, DN_grad_key, false);
    int dv = strided(b, DN_grad_value, false);
    int dq_wide = dense(b, DN_f32, a->queries, a->width);
    int sums = dn_real(g, DN_f32, b->rows, b->rows_strides);

    int64_t each[DN_RANK], each_strides[DN_RANK], h = a->heads, d = a->value_width;
    set4(each, a->batch, h, a->queries, d);
    set4(each_strides, h * a->queries * d, a->queries * d, h * d, 1);
    int both = dn_binary(g, DN_mul, grad, out, dn_virtual(g, DN_f32, each, each_strides));
    dn_binary(g, DN_mul, dn_reduce(g, DN_sum, both, 0), dn_number(g, 1), sums);

    int s = dn_binary(g, DN_sub, masked(b, scores(b, q, kt), mask), logs, 0);
    int p = dn_unary(g, DN_exp, s, 0);
    dn_matmul(g, turned(b, p), grad, dv);

    int dp = dn_matmul(g, grad, vt, dn_virtual(g, DN_f32, b->scores, b->scores_strides));
    int ds = dn_binary(g, DN_mul, dn_binary(g, DN_sub, dp, sums, 0), p, 0);
    ds = dn_binary(g, DN_mul, ds, dn_number(g, a->scale), 0);
    dn_matmul(g, turned(b, ds), q, dk);
    dn_matmul(g, ds, turned(b, kt), dq_wide);
    dn_unary(g, DN_identity, dq_wide, dq);
}

int64_t dn_attention_scratch(const DnAttention *a, int which)
{
    int64_t rows = a->batch * a->heads * a->queries * (int64_t)sizeof(float);
    return !a->backward ? 0 : which == 0 ? rows * a->width : rows;
}

/* Where the plan is kept: one of a version of the library and a kind of device. */
static void name_plan(const Dn *dn, uint64_t facts, Str cache, char path[KEPT_PATH])
{
    const DeviceInfo *info = &dn->dev->info;
    int64_t where[] = {info->arch, info->sms, info->driver, (int64_t)dn->version()};
    uint64_t h = hash_bytes(info->name, strlen(info->name), facts);
    h = hash_bytes(where, sizeof where, h);
    int n = cache.n ? snprintf(path, KEPT_PATH, "%.*s/dp%016llx", STR(cache),
                               (unsigned long long)h)
                    : 0;
    if (n <= 0 || n >= KEPT_PATH)
        path[0] = 0;
}

const DnPlan *dn_attention(Dn *dn, const DnAttention *a, Str cache, StrBuf *why_not)
{
    int64_t facts[] = {a->dtype, a->backward,  a->causal,  a->logs, a->batch,
                       a->heads, a->key_heads, a->queries, a->keys, a->width, a->value_width,
                       a->mask};
    uint64_t h = hash_bytes(&a->scale, sizeof a->scale, hash_bytes(facts, sizeof facts, 29));
    h = hash_bytes(a->strides, sizeof a->strides, h);
    bool fresh = false;
    MapEntry *e = map_put(&dn->plans, (Str){(const char *)&h, sizeof h}, &fresh);
    if (!fresh) {
        if (!e->p)
            sb_puts(why_not, "cuDNN refused such an attention before");
        return e->p;
    }
    Builder b;
    begin(&b, dn, a);
    if (a->backward)
        build_backward(&b);
    else
        build_forward(&b);
    char path[KEPT_PATH];
    name_plan(dn, h, cache, path);
    return e->p = dn_finish(&b.g, path, why_not);
}
