/*
 * compare.c - how two tensors differ: torch.testing.assert_close, and the distance in ULP.
 *
 * Input: two tensors and tolerances. Output: counts, the largest differences, the first element out
 * of tolerance. NaN equals NaN here, and infinities of one sign are equal.
 */
#include "elements.h"
#include "run.h"

#include <math.h>

void default_tolerances(DType d, double *rtol, double *atol)
{
    static const struct {
        DType dtype;
        double rtol, atol;
    } table[] = {{DT_f16, 1e-3, 1e-5},   {DT_bf16, 1.6e-2, 1e-5}, {DT_f32, 1.3e-6, 1e-5},
                 {DT_f64, 1e-7, 1e-7},   {DT_c32, 1e-3, 1e-5},    {DT_c64, 1.3e-6, 1e-5},
                 {DT_c128, 1e-7, 1e-7}};
    double r = 0, a = 0;
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].dtype == d) {
            r = table[i].rtol;
            a = table[i].atol;
        }
    *rtol = *rtol < 0 ? r : *rtol;
    *atol = *atol < 0 ? a : *atol;
}

/* Two to the power e. */
static double power(int e)
{
    union {
        uint64_t bits;
        double value;
    } x = {(uint64_t)(e + 1023) << 52};
    return e > -1023 ? x.value : ldexp(1, e);
}

double tensor_ulp(double want, DType d)
{
    union {
        double value;
        uint64_t bits;
    } x = {want};
    int exponent = (int)(x.bits >> 52 & 0x7ff) - 1023;
    const DTypeInfo *f = &dtype_info[dtype_is_inexact(d) ? d : DT_f64];
    if (exponent > 1023) /* NaN and infinities count as 1/2, as frexp has them */
        exponent = -1;
    return power((exponent < f->normal ? f->normal : exponent) - f->digits + 1);
}

typedef struct Pair {
    double abs, rel; /* differences */
    bool close;
} Pair;

static Pair compare_real(double got, double want, double rtol, double atol)
{
    if (got == want || (isnan(got) && isnan(want)))
        return (Pair){0, 0, true};
    double diff = fabs(got - want);
    if (isnan(diff) || isinf(got) || isinf(want))
        return (Pair){INFINITY, INFINITY, false};
    return (Pair){diff, want != 0 ? diff / fabs(want) : INFINITY, diff <= atol + rtol * fabs(want)};
}

static Pair compare_complex(const double got[2], const double want[2], double rtol, double atol)
{
    bool both_nan = (isnan(got[0]) || isnan(got[1])) && (isnan(want[0]) || isnan(want[1]));
    if (both_nan || (got[0] == want[0] && got[1] == want[1]))
        return (Pair){0, 0, true};
    double diff = hypot(got[0] - want[0], got[1] - want[1]), size = hypot(want[0], want[1]);
    if (!isfinite(diff) || isinf(size))
        return (Pair){INFINITY, INFINITY, false};
    return (Pair){diff, size != 0 ? diff / size : INFINITY, diff <= atol + rtol * size};
}

static void count(Comparison *c, Pair p, int64_t i, double got, double want, double ulp)
{
    if (p.abs > c->max_abs)
        c->max_abs = p.abs;
    if (p.rel > c->max_rel)
        c->max_rel = p.rel;
    if (p.abs > 0 && p.abs / ulp > c->max_ulp)
        c->max_ulp = p.abs / ulp;
    if (p.close)
        return;
    if (c->wrong++ == 0) {
        c->first = i;
        c->got = got;
        c->want = want;
    }
}

/* What one comparison of all elements needs; parts of it may be done at the same time. */
typedef struct Sides {
    Walk got, want;
    DType dtype; /* that both are of, or are rounded to */
    bool round_got, round_want;
    double rtol, atol;
} Sides;

static void compare_exact(const Sides *s, Comparison *c, int64_t from, int64_t n)
{
    int64_t x[WALK_CHUNK], y[WALK_CHUNK];
    walk_get_i64(&s->got, from, n, x);
    walk_get_i64(&s->want, from, n, y);
    for (int64_t i = 0; i < n; i++) {
        double diff = x[i] == y[i] ? 0 : fabs((double)x[i] - (double)y[i]);
        if (x[i] != y[i] && diff == 0)
            diff = 1; /* too large for doubles to tell apart */
        count(c, (Pair){diff, y[i] ? diff / fabs((double)y[i]) : diff, x[i] == y[i]}, from + i,
              (double)x[i], (double)y[i], 1);
    }
}

static void round_all(double *x, int64_t n, DType d)
{
    double stored[WALK_CHUNK]; /* room for the largest element */
    run_set_f64(stored, d, 1, n, x);
    run_get_f64(stored, d, 1, n, x);
}

/* Floats, and exact dtypes with tolerances that the caller gave. */
static void compare_numbers(const Sides *s, Comparison *c, int64_t from, int64_t n)
{
    double x[WALK_CHUNK], y[WALK_CHUNK];
    bool real = dtype_is_float(s->dtype);
    walk_get_f64(&s->got, from, n, x);
    walk_get_f64(&s->want, from, n, y);
    if (s->round_got)
        round_all(x, n, s->dtype);
    if (s->round_want)
        round_all(y, n, s->dtype);
    for (int64_t i = 0; i < n; i++)
        if (x[i] != y[i]) /* equal ones add nothing */
            count(c, compare_real(x[i], y[i], s->rtol, s->atol), from + i, x[i], y[i],
                  real ? tensor_ulp(y[i], s->dtype) : 1);
}

static void compare_pairs(const Sides *s, Comparison *c, int64_t from, int64_t n)
{
    double x[2 * WALK_CHUNK], y[2 * WALK_CHUNK];
    walk_get_c128(&s->got, from, n, x);
    walk_get_c128(&s->want, from, n, y);
    for (int64_t i = 0; i < n; i++)
        count(c, compare_complex(x + 2 * i, y + 2 * i, s->rtol, s->atol), from + i, x[2 * i],
              y[2 * i], tensor_ulp(hypot(y[2 * i], y[2 * i + 1]), s->dtype));
}

static void compare_range(const Sides *s, Comparison *c, int64_t from, int64_t end)
{
    for (int64_t n; from < end; from += n) {
        n = end - from < WALK_CHUNK ? end - from : WALK_CHUNK;
        if (dtype_is_complex(s->dtype))
            compare_pairs(s, c, from, n);
        else if (dtype_is_exact(s->dtype) && s->rtol == 0 && s->atol == 0)
            compare_exact(s, c, from, n);
        else
            compare_numbers(s, c, from, n);
    }
}

/* Adds what a later part of the elements gave. */
static void join(Comparison *c, const Comparison *part)
{
    c->max_abs = fmax(c->max_abs, part->max_abs);
    c->max_rel = fmax(c->max_rel, part->max_rel);
    c->max_ulp = fmax(c->max_ulp, part->max_ulp);
    if (c->wrong == 0 && part->wrong) {
        c->first = part->first;
        c->got = part->got;
        c->want = part->want;
    }
    c->wrong += part->wrong;
}

enum { PARTS = 64, FROM = 1 << 18 };

typedef struct Parts {
    const Sides *s;
    int64_t total;
    Comparison of[PARTS];
} Parts;

static void compare_part(void *user, uint32_t k)
{
    Parts *p = user;
    p->of[k] = (Comparison){.first = -1};
    compare_range(p->s, &p->of[k], p->total * k / PARTS, p->total * (k + 1) / PARTS);
}

/* In parts whose number does not depend on the machine, several at a time. */
static void compare_all(const Sides *s, Comparison *c)
{
    if (c->total < FROM) {
        compare_range(s, c, 0, c->total);
        return;
    }
    Parts p = {.s = s, .total = c->total};
    run_together(PARTS, compare_part, &p);
    for (int k = 0; k < PARTS; k++)
        join(c, &p.of[k]);
}

/* Reading only: copies on a device stay valid. */
static void read_walk(Walk *w, const Tensor *t)
{
    walk_layout(w, t->dtype, t->rank, t->shape, t->strides);
    w->base = (char *)tensor_read(t);
}

Comparison tensor_compare_as(const Tensor *got, const Tensor *want, DType d, double rtol,
                             double atol)
{
    Comparison c = {.first = -1, .total = tensor_numel(want),
                    .same_type = tensor_same_shape(got, want)};
    if (!c.same_type)
        return c;
    default_tolerances(d, &rtol, &atol);
    Sides s = {.dtype = d, .round_got = got->dtype != d, .round_want = want->dtype != d,
               .rtol = rtol, .atol = atol};
    read_walk(&s.got, got);
    read_walk(&s.want, want);
    compare_all(&s, &c);
    c.equal = c.wrong == 0;
    return c;
}

Comparison tensor_compare(const Tensor *got, const Tensor *want, double rtol, double atol)
{
    if (got->dtype != want->dtype)
        return (Comparison){.first = -1, .total = tensor_numel(want)};
    return tensor_compare_as(got, want, want->dtype, rtol, atol);
}

bool tensor_same_zeros(const Tensor *a, const Tensor *b)
{
    if (!dtype_is_float(a->dtype) || !dtype_is_float(b->dtype))
        return true;
    Tensor *x = tensor_contiguous((Tensor *)a), *y = tensor_contiguous((Tensor *)b);
    const char *xp = tensor_data(x), *yp = tensor_data(y);
    size_t xs = dtype_info[a->dtype].bytes, ys = dtype_info[b->dtype].bytes;
    bool same = true;
    for (int64_t i = 0, n = tensor_numel(x); i < n && same; i++, xp += xs, yp += ys) {
        double u = elem_get_f64(xp, a->dtype), v = elem_get_f64(yp, b->dtype);
        same = u != 0 || v != 0 || signbit(u) == signbit(v);
    }
    tensor_unref(x);
    tensor_unref(y);
    return same;
}
