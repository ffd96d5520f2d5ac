/*
 * interp_reduce.c - reductions over dimensions.
 *
 * Input: a tensor in any layout and the dimensions to fold. Output: a tensor without them. One
 * idea: a Fold is an operation on accumulators; the driver either folds a run of elements into one
 * accumulator or a row of elements into a row of accumulators, whichever reads memory in its order.
 * Long runs are folded block by block, so that the result does not depend on the number of threads.
 */
#include "interp.h"

#include "complex_ops.h"

#include <math.h>

enum { BLOCK = 1 << 16, LANES = 256 };

/* Folds n elements of src. run: into one accumulator; lanes: element i into accumulator i. mean is
 * what variances subtract: one number, or one for each lane; NULL otherwise. */
typedef void FoldFn(void *acc, const void *src, const void *mean, int64_t n);

typedef struct Fold {
    LoopType type; /* of accumulators and elements */
    FoldFn *run, *lanes;
    FoldFn *join; /* takes accumulators in place of elements; NULL: lanes */
    double first; /* value of an empty accumulator */
    int64_t first_int;
    bool truth;  /* elements count as 0 or 1 */
    bool paired; /* accumulators are a number and what its rounding lost */
} Fold;

/* The kept and the folded dimensions of a tensor. */
typedef struct Split {
    Walk kept, folded;
    LoopType type;
} Split;

static void split_dims(Split *s, const Tensor *t, const bool folded[MAX_RANK])
{
    int64_t shape[2][MAX_RANK], strides[2][MAX_RANK];
    uint32_t n[2] = {0, 0};
    for (uint32_t i = 0; i < t->rank; i++) {
        int side = folded[i];
        shape[side][n[side]] = t->shape[i];
        strides[side][n[side]++] = t->strides[i];
    }
    walk_init_view(&s->kept, t, n[0], shape[0], strides[0], 0);
    walk_init_view(&s->folded, t, n[1], shape[1], strides[1], 0);
    s->type = loop_type(t->dtype);
}

static void set_first(const Fold *f, void *acc, int64_t n)
{
    double *d = acc;
    int64_t *i64 = acc;
    for (int64_t i = 0; i < n; i++) {
        if (f->type == LOOP_i64) {
            i64[i] = f->first_int;
        } else if (f->type == LOOP_f64 && !f->paired) {
            d[i] = f->first;
        } else {
            d[2 * i] = f->first;
            d[2 * i + 1] = 0;
        }
    }
}

/* Reads elements as the fold takes them; buf has room for n pairs of doubles. */
static void read_elements(const Fold *f, const Walk *w, LoopType type, int64_t start, int64_t n,
                          void *buf)
{
    if (!f->truth) {
        load(w, f->type, start, n, buf);
        return;
    }
    int64_t *truth = buf;
    const double *d = buf;
    load(w, type, start, n, buf);
    for (int64_t i = 0; i < n; i++) {
        if (type == LOOP_f64)
            truth[i] = d[i] != 0;
        else if (type == LOOP_i64)
            truth[i] = truth[i] != 0;
        else
            truth[i] = d[2 * i] != 0 || d[2 * i + 1] != 0;
    }
}

static void fold_block(const Fold *f, const Walk *w, LoopType type, int64_t start, int64_t n,
                       const void *mean, void *acc)
{
    _Alignas(64) double buf[2 * WALK_CHUNK];
    set_first(f, acc, 1);
    for (int64_t done = 0; done < n; done += WALK_CHUNK) {
        int64_t now = n - done < WALK_CHUNK ? n - done : WALK_CHUNK;
        read_elements(f, w, type, start + done, now, buf);
        f->run(acc, buf, mean, now);
    }
}

static void join(const Fold *f, void *acc, const void *part)
{
    (f->join ? f->join : f->lanes)(acc, part, NULL, 1);
}

typedef struct Folding {
    Interp *x;
    const Fold *f;
    Split s;
    const char *mean; /* one a result, or NULL */
    char *acc;        /* results */
    size_t size, mean_size;
} Folding;

/* Result k by runs, in blocks when there is only one result to compute. */
static void fold_run(const Folding *r, int64_t k)
{
    Walk w = r->s.folded;
    double part[2];
    const void *mean = r->mean ? r->mean + (size_t)k * r->mean_size : NULL;
    char *acc = r->acc + (size_t)k * r->size;
    w.base += walk_offset(&r->s.kept, k) * (int64_t)w.size;
    set_first(r->f, acc, 1);
    for (int64_t start = 0; start < w.numel && !stopped(r->x); start += BLOCK) {
        int64_t n = w.numel - start < BLOCK ? w.numel - start : BLOCK;
        fold_block(r->f, &w, r->s.type, start, n, mean, part);
        join(r->f, acc, part);
    }
}

/* All of one result with several threads: blocks first, then the blocks' results in order. */
static bool fold_one(const Folding *r)
{
    const Walk *w = &r->s.folded;
    int64_t blocks = (w->numel + BLOCK - 1) / BLOCK;
    char *parts = arena_alloc(&r->x->arena, (size_t)blocks * r->size + 1);
    PARALLEL_FOR(blocks > 1)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t left = w->numel - b * BLOCK;
        if (!stopped(r->x))
            fold_block(r->f, w, r->s.type, b * BLOCK, left < BLOCK ? left : BLOCK, r->mean,
                       parts + (size_t)b * r->size);
    }
    set_first(r->f, r->acc, 1);
    for (int64_t b = 0; b < blocks; b++)
        join(r->f, r->acc, parts + (size_t)b * r->size);
    return true;
}

/* Results k .. k + n side by side. */
static void fold_lanes(const Folding *r, int64_t k, int64_t n)
{
    _Alignas(64) double buf[2 * LANES];
    char *acc = r->acc + (size_t)k * r->size;
    const void *mean = r->mean ? r->mean + (size_t)k * r->mean_size : NULL;
    Walk w = r->s.kept;
    char *base = w.base;
    set_first(r->f, acc, n);
    for (int64_t i = 0; i < r->s.folded.numel; i++) {
        w.base = base + walk_offset(&r->s.folded, i) * (int64_t)w.size;
        read_elements(r->f, &w, r->s.type, k, n, buf);
        r->f->lanes(acc, buf, mean, n);
    }
}

static int64_t inner_stride(const Walk *w)
{
    int64_t s = w->shape[w->rank - 1] == 1 ? INT64_MAX : w->strides[w->rank - 1];
    return s < 0 ? -s : s;
}

/* Pairs become plain numbers, at the front of the same memory. An infinite sum has lost nothing. */
static void close_pairs(double *acc, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = acc[2 * i], lost = acc[2 * i + 1];
        acc[i] = isfinite(sum) && isfinite(lost) ? sum + lost : sum;
    }
}

/* Folds t over the marked dimensions; accumulators in order of the result, in arena memory. */
static void *fold(Interp *x, const Fold *f, const Tensor *t, const bool folded[MAX_RANK],
                  const void *mean)
{
    Folding r = {.x = x, .f = f, .mean = mean, .mean_size = loop_size(f->type)};
    r.size = f->paired ? 2 * sizeof(double) : loop_size(f->type);
    split_dims(&r.s, t, folded);
    int64_t n = r.s.kept.numel, each = r.s.folded.numel;
    r.acc = arena_alloc(&x->arena, (size_t)n * r.size + 1);
    bool big = each * n >= PARALLEL_FROM;
    if (n == 1) {
        fold_one(&r);
    } else if (n >= 8 && inner_stride(&r.s.kept) < inner_stride(&r.s.folded)) {
        PARALLEL_FOR(big)
        for (int64_t k = 0; k < n; k += LANES)
            if (!stopped(x))
                fold_lanes(&r, k, n - k < LANES ? n - k : LANES);
    } else {
        PARALLEL_FOR(big)
        for (int64_t k = 0; k < n; k++)
            if (!stopped(x))
                fold_run(&r, k);
    }
    if (f->paired)
        close_pairs((double *)(void *)r.acc, n);
    return r.acc;
}

static bool store_result(Interp *x, uint32_t i, LoopType type, const void *acc)
{
    Tensor *out = out_new(x, i);
    Walk w;
    if (!out)
        return false;
    walk_init(&w, out);
    store(&w, type, 0, w.numel, acc);
    return true;
}

/* --------------------------------------------------------------------------------------- folds */

/* FOLD(name, type, how acc takes element v): both the run and the lanes. */
#define FOLD(name, T, expr)                                                                        \
    static void name##_run(void *acc, const void *src, const void *mean, int64_t n)                \
    {                                                                                              \
        const T *e = src;                                                                          \
        T a = *(T *)acc;                                                                           \
        (void)mean;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T v = e[i];                                                                            \
            a = (T)(expr);                                                                         \
        }                                                                                          \
        *(T *)acc = a;                                                                             \
    }                                                                                              \
    static void name##_lanes(void *acc, const void *src, const void *mean, int64_t n)              \
    {                                                                                              \
        const T *e = src;                                                                          \
        T *lane = acc;                                                                             \
        (void)mean;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T v = e[i], a = lane[i];                                                               \
            lane[i] = (T)(expr);                                                                   \
        }                                                                                          \
    }

FOLD(sum_i, uint64_t, a + v)
FOLD(sum_c, Cplx, a + v)
FOLD(prod_f, double, a *v)
FOLD(prod_n, double, (float)(a *v))
FOLD(prod_i, uint64_t, a *v)
FOLD(prod_c, Cplx, complex_mul(a, v))
FOLD(max_f, double, v > a || v != v ? v : a)
FOLD(max_i, int64_t, v > a ? v : a)
FOLD(max_u, uint64_t, v > a ? v : a)
FOLD(min_f, double, v < a || v != v ? v : a)
FOLD(min_i, int64_t, v < a ? v : a)
FOLD(min_u, uint64_t, v < a ? v : a)

/* s += v, keeping what the rounding lost (Knuth's two-sum): sums of f32 come out as if exact, also
 * where large numbers cancel. */
static inline void add_exactly(double *s, double *lost, double v)
{
    double t = *s + v, z = t - *s;
    *lost += (*s - (t - z)) + (v - z);
    *s = t;
}

static void sum_f_run(void *acc, const void *src, const void *mean, int64_t n)
{
    const double *e = src;
    double *a = acc, s[8] = {0}, lost[8] = {0};
    int64_t i = 0;
    (void)mean;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            add_exactly(&s[k], &lost[k], e[i + k]);
    for (; i < n; i++)
        add_exactly(&s[i % 8], &lost[i % 8], e[i]);
    for (int k = 0; k < 8; k++) {
        add_exactly(&a[0], &a[1], s[k]);
        a[1] += lost[k];
    }
}

static void sum_f_lanes(void *acc, const void *src, const void *mean, int64_t n)
{
    const double *e = src;
    double *a = acc;
    (void)mean;
    for (int64_t i = 0; i < n; i++)
        add_exactly(&a[2 * i], &a[2 * i + 1], e[i]);
}

static void sum_f_join(void *acc, const void *src, const void *mean, int64_t n)
{
    const double *e = src;
    double *a = acc;
    (void)mean;
    for (int64_t i = 0; i < n; i++) {
        add_exactly(&a[2 * i], &a[2 * i + 1], e[2 * i]);
        a[2 * i + 1] += e[2 * i + 1];
    }
}

static void plain_sum(void *acc, const void *src, const void *mean, int64_t n)
{
    const double *e = src;
    double *a = acc;
    (void)mean;
    for (int64_t i = 0; i < n; i++)
        a[i] += e[i];
}

/* Sums of squares of the distance from the mean. */
static void dev_f_run(void *acc, const void *src, const void *mean, int64_t n)
{
    const double *e = src;
    double m = *(const double *)mean, s[8] = {0};
    for (int64_t i = 0; i < n; i++) {
        double d = e[i] - m;
        s[i % 8] += d * d;
    }
    *(double *)acc += ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
}

static void dev_f_lanes(void *acc, const void *src, const void *mean, int64_t n)
{
    const double *e = src, *m = mean;
    double *lane = acc;
    for (int64_t i = 0; i < n; i++)
        lane[i] += (e[i] - m[i]) * (e[i] - m[i]);
}

static void dev_c_run(void *acc, const void *src, const void *mean, int64_t n)
{
    const double *e = src, *m = mean;
    double s = 0;
    for (int64_t i = 0; i < n; i++) {
        double re = e[2 * i] - m[0], im = e[2 * i + 1] - m[1];
        s += re * re + im * im;
    }
    *(double *)acc += s;
}

static void dev_c_lanes(void *acc, const void *src, const void *mean, int64_t n)
{
    const double *e = src, *m = mean;
    double *lane = acc;
    for (int64_t i = 0; i < n; i++) {
        double re = e[2 * i] - m[2 * i], im = e[2 * i + 1] - m[2 * i + 1];
        lane[2 * i] += re * re + im * im;
    }
}

#define FOLD_OF(kind, name, ...)                                                                   \
    {                                                                                              \
        .type = LOOP_##kind, .run = name##_run, .lanes = name##_lanes, __VA_ARGS__                 \
    }

/* A reduction: its fold for each computation type, and for u64 and for floats narrower than f64
 * where those differ. */
typedef struct Reduction {
    Fold f64, i64, u64, c128, narrow;
} Reduction;

static bool reduce(Interp *x, const Reduction *r)
{
    bool folded[MAX_RANK];
    Tensor *t = in_tensor(x, 0);
    if (!t || !in_dims(x, 1, t->rank, folded))
        return false;
    LoopType type = loop_type(t->dtype);
    const Fold *f = type == LOOP_f64 ? &r->f64 : type == LOOP_c128 ? &r->c128 : &r->i64;
    if (t->dtype == DT_u64 && r->u64.run)
        f = &r->u64;
    if (type == LOOP_f64 && !x->f64 && t->dtype != DT_f64 && r->narrow.run)
        f = &r->narrow;
    if (!f->run)
        return fail(x, "unsupported-dtype", "prims.%s is not defined for %s", x->node->op->name,
                    dtype_info[t->dtype].name);
    return store_result(x, 0, f->type, fold(x, f, t, folded, NULL));
}

static const Fold sum_f64 = FOLD_OF(f64, sum_f, .join = sum_f_join, .first = 0, .paired = true);
static const Fold sum_c128 = FOLD_OF(c128, sum_c, .first = 0);

bool k_sum(Interp *x)
{
    static const Reduction r = {
        .f64 = FOLD_OF(f64, sum_f, .join = sum_f_join, .first = 0, .paired = true),
        .i64 = FOLD_OF(i64, sum_i, .first_int = 0),
        .c128 = FOLD_OF(c128, sum_c, .first = 0)};
    return reduce(x, &r);
}

/* A product leaves the range of f32 for good, as it does in PyTorch. */
bool k_prod(Interp *x)
{
    static const Reduction r = {.narrow = FOLD_OF(f64, prod_n, .first = 1),
                                .f64 = FOLD_OF(f64, prod_f, .first = 1),
                                .i64 = FOLD_OF(i64, prod_i, .first_int = 1),
                                .c128 = FOLD_OF(c128, prod_c, .first = 1)};
    return reduce(x, &r);
}

bool k_amax(Interp *x)
{
    static const Reduction r = {.f64 = FOLD_OF(f64, max_f, .first = -INFINITY),
                                .i64 = FOLD_OF(i64, max_i, .first_int = INT64_MIN),
                                .u64 = FOLD_OF(i64, max_u, .first_int = 0)};
    return reduce(x, &r);
}

bool k_amin(Interp *x)
{
    static const Reduction r = {.f64 = FOLD_OF(f64, min_f, .first = INFINITY),
                                .i64 = FOLD_OF(i64, min_i, .first_int = INT64_MAX),
                                .u64 = FOLD_OF(i64, min_u, .first_int = -1)};
    return reduce(x, &r);
}

static bool reduce_truth(Interp *x, const Fold *f)
{
    bool folded[MAX_RANK];
    Tensor *t = in_tensor(x, 0);
    return t && in_dims(x, 1, t->rank, folded) &&
           store_result(x, 0, LOOP_i64, fold(x, f, t, folded, NULL));
}

bool k_any(Interp *x)
{
    static const Fold f = FOLD_OF(i64, max_i, .first_int = 0, .truth = true);
    return reduce_truth(x, &f);
}

bool k_all(Interp *x)
{
    static const Fold f = FOLD_OF(i64, min_i, .first_int = 1, .truth = true);
    return reduce_truth(x, &f);
}

/* ----------------------------------------------------------------------------------- variances */

static const Fold dev_f64 = FOLD_OF(f64, dev_f, .join = plain_sum, .first = 0);
static const Fold dev_c128 = FOLD_OF(c128, dev_c, .join = sum_c_lanes, .first = 0);

/* Two passes: the mean, then the squares of the distances from it. */
static bool variance(Interp *x, bool root, bool give_mean)
{
    bool folded[MAX_RANK];
    double correction, count = 1;
    int64_t n = 1;
    Tensor *t = in_tensor(x, 0);
    if (!t || !in_dims(x, 1, t->rank, folded) || !in_f64(x, 2, &correction))
        return false;
    for (uint32_t i = 0; i < t->rank; i++) {
        count *= folded[i] ? (double)t->shape[i] : 1;
        n *= folded[i] ? 1 : t->shape[i];
    }
    bool is_complex = dtype_is_complex(t->dtype);
    int64_t parts = is_complex ? 2 : 1;
    double *mean = fold(x, is_complex ? &sum_c128 : &sum_f64, t, folded, NULL);
    for (int64_t i = 0; i < n * parts; i++)
        mean[i] /= count;
    double *var = fold(x, is_complex ? &dev_c128 : &dev_f64, t, folded, mean);
    double divisor = count - correction > 0 ? count - correction : 0;
    for (int64_t i = 0; i < n; i++) {
        double v = var[parts * i] / divisor;
        var[i] = root ? sqrt(v) : v;
    }
    return store_result(x, 0, LOOP_f64, var) &&
           (!give_mean || store_result(x, 1, is_complex ? LOOP_c128 : LOOP_f64, mean));
}

bool k_var(Interp *x)
{
    return variance(x, false, false);
}

bool k_std(Interp *x)
{
    return variance(x, true, false);
}

bool k_var_mean(Interp *x)
{
    return variance(x, false, true);
}
