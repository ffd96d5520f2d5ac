/*
 * margin_judge.c - how far a result is off, in units of what it may be off by.
 *
 * Input: a result as a run had it, and what a run of its margin trace gave: the exact values and
 * the bounds of their errors. Output: the numbers of margin.h. Here on the host, in parts at the
 * same time, whatever computed those.
 *
 * One rounding of the exact value to the result's dtype is half a unit, whatever happened before
 * it. The rest is held against the bound, of which twice is allowed, since errors are followed to
 * first order.
 */
#include "margin.h"

#include "elements.h"
#include "run.h"

#include <math.h>
#include <string.h>

enum { PARTS = 64, TOGETHER_FROM = 1 << 16 };

typedef struct Judging {
    Walk got, exact, bound, off;
    bool has_exact, has_bound, has_off;
    DType d;
    int64_t n;
    MarginNumbers of[PARTS];
} Judging;

/* What kernels may be off by inside before they round to d, in units of it: functions are computed
 * in f32, on a GPU by coarse ones where the result is narrow. */
static double inner_unit(DType d)
{
    return d == DT_f32 ? 0x1p-20 : d == DT_bf16 ? 0.25 : 0.75;
}

typedef struct Element {
    double got, exact, off, unit, may; /* off: from the exact value as rounded to the dtype */
    bool open;                         /* off is no difference from the exact value */
} Element;

/* In f64 the oracle is no better than the run: there all of the error counts. */
static double excess_of(const Element *x, DType d)
{
    if (x->off == 0)
        return 0;
    if (x->open || !dtype_is_float(d) || d == DT_f64)
        return x->off / x->may;
    double far = fabs(x->got - x->exact) - x->unit / 2, rest = fmax(x->may - x->unit, 0);
    return isfinite(far) ? fmax(far, 0) / (rest + x->unit * inner_unit(d)) : INFINITY;
}

static void note(MarginNumbers *out, const Element *x, int64_t place, DType d)
{
    if (isinf(x->may)) {
        out->overflow += x->off > 0;
        return;
    }
    double excess = excess_of(x, d), ulp = x->off / x->unit;
    out->wrong += excess > MARGIN_ALLOWED;
    out->ulp = ulp > out->ulp ? ulp : out->ulp;
    if (out->place >= 0 && !(excess > out->excess))
        return;
    out->excess = excess;
    out->place = place;
    out->got = x->got;
    out->exact = x->exact;
    out->allowed = x->may / x->unit;
}

static double off_real(double got, double rounded)
{
    double off = fabs(got - rounded);
    if (got == rounded || (isnan(got) && isnan(rounded)))
        return 0;
    return isnan(off) ? INFINITY : off;
}

static void judge_chunk(Judging *j, MarginNumbers *out, int64_t from, int64_t n)
{
    double got[WALK_CHUNK], exact[WALK_CHUNK] = {0}, bound[WALK_CHUNK] = {0}, off[WALK_CHUNK];
    double stored[WALK_CHUNK], rounded[WALK_CHUNK] = {0};
    int64_t a[WALK_CHUNK], b[WALK_CHUNK];
    bool real = dtype_is_float(j->d), whole = !real && j->has_exact;
    walk_get_f64(&j->got, from, n, got);
    if (j->has_exact)
        walk_get_f64(&j->exact, from, n, exact);
    if (j->has_bound)
        walk_get_f64(&j->bound, from, n, bound);
    if (j->has_off)
        walk_get_f64(&j->off, from, n, off);
    if (real && !j->has_off) {
        run_set_f64(stored, j->d, 1, n, exact);
        run_get_f64(stored, j->d, 1, n, rounded);
    }
    if (whole) { /* integers that doubles do not tell apart */
        walk_get_i64(&j->got, from, n, a);
        walk_get_i64(&j->exact, from, n, b);
    }
    for (int64_t i = 0; i < n; i++) {
        Element x = {.got = got[i], .exact = exact[i], .unit = 1, .open = j->has_off};
        if (real && !x.open)
            x.unit = isfinite(exact[i]) ? tensor_ulp(exact[i], j->d) : 0;
        x.off = j->has_off ? off[i]
                : real     ? off_real(got[i], rounded[i])
                : a[i] == b[i] ? 0
                               : fmax(fabs(got[i] - exact[i]), 1);
        x.may = isnan(bound[i]) ? INFINITY : bound[i] + (real && !x.open ? x.unit / 2 : 0);
        note(out, &x, from + i, j->d);
    }
}

static void judge_part(void *user, uint32_t k)
{
    Judging *j = user;
    int64_t end = j->n * (k + 1) / PARTS;
    j->of[k] = (MarginNumbers){.place = -1};
    for (int64_t from = j->n * k / PARTS, n; from < end; from += n) {
        n = end - from < WALK_CHUNK ? end - from : WALK_CHUNK;
        judge_chunk(j, &j->of[k], from, n);
    }
}

static void join(MarginNumbers *out, const MarginNumbers *part)
{
    int64_t wrong = out->wrong + part->wrong, overflow = out->overflow + part->overflow;
    double ulp = fmax(out->ulp, part->ulp);
    if (part->place >= 0 && (out->place < 0 || part->excess > out->excess))
        *out = *part;
    out->wrong = wrong;
    out->overflow = overflow;
    out->ulp = ulp;
}

static bool walk_output(Walk *w, const Run *run, uint32_t number)
{
    if (number == MARGIN_NONE)
        return false;
    const Tensor *t = run->outputs[number];
    walk_layout(w, t->dtype, t->rank, t->shape, t->strides);
    w->base = (char *)tensor_read(t);
    return true;
}

MarginNumbers margin_judge(const MarginResult *r, const Tensor *got, const Run *run)
{
    Judging j = {.d = got->dtype, .n = tensor_numel(got)};
    MarginNumbers out = {.place = -1};
    walk_layout(&j.got, got->dtype, got->rank, got->shape, got->strides);
    j.got.base = (char *)tensor_read(got);
    j.has_exact = walk_output(&j.exact, run, r->exact);
    j.has_bound = walk_output(&j.bound, run, r->bound);
    j.has_off = walk_output(&j.off, run, r->off);
    if (j.n >= TOGETHER_FROM)
        run_together(PARTS, judge_part, &j);
    else
        for (uint32_t k = 0; k < PARTS; k++)
            judge_part(&j, k);
    for (uint32_t k = 0; k < PARTS; k++)
        join(&out, &j.of[k]);
    out.place = out.place < 0 ? 0 : out.place;
    return out;
}
