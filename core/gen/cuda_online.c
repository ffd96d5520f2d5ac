/*
 * cuda_online.c - the maximum of a row and the sum of exp(a - maximum), in one pass.
 *
 * Rows that fit neither registers nor shared memory are read once a pass. A thread keeps the
 * largest element so far and the sum in terms of it: where a larger one comes, which happens
 * seldom, the sum is scaled. When the maximum of all threads is known, each scales its sum again.
 */
#include "cuda.h"

#include <stdio.h>
#include <string.h>

/* The maximum that sum i takes its terms from, when both are over the same elements; NO_MAX = there
 * is none. */
enum { NO_MAX = UINT32_MAX };

static uint32_t max_of_terms(const Cuda *x, uint32_t i)
{
    const Point *sum = &x->s->points[i];
    if (sum->fold != FOLD_sum || x->dtypes[i] != DT_f32 || !cuda_is_softmax_term(x, sum->a[0]))
        return NO_MAX;
    const Point *difference = &x->s->points[x->s->points[sum->a[0]].a[0]];
    uint32_t max = difference->a[1];
    const Point *m = &x->s->points[max];
    return m->pass == 1 && m->a[0] == difference->a[0] && x->dtypes[max] == DT_f32 ? max : NO_MAX;
}

void cuda_find_online(Cuda *x)
{
    const CudaPlan *p = &x->plan;
    bool any = false, all = true;
    if (p->shape != CUDA_row || x->nacross || p->staged || p->keep != KEEP_nothing)
        return;
    for (uint32_t i = 0; i < x->s->npoints && all; i++) {
        if (!cuda_is_made(x, i, 2))
            continue;
        uint32_t max = max_of_terms(x, i);
        all = max != NO_MAX && x->online[max] == 0;
        any = any || all;
        if (all) {
            x->online[i] = max + 1;
            x->online[max] = i + 1;
        }
    }
    if (!all) { /* the second pass stays, and all that it makes may as well */
        memset(x->online, 0, x->s->npoints * sizeof *x->online);
        return;
    }
    for (uint32_t i = 0; any && i < x->s->npoints; i++)
        x->s->points[i].pass -= x->s->points[i].pass > 1;
    x->passes -= any;
}

bool cuda_is_online_sum(const Cuda *x, uint32_t i)
{
    return x->online[i] && x->s->points[i].fold == FOLD_sum;
}

/* Equal infinities count as one step of 0, so that what is -inf throughout stays a number. */
static void print_power(const Cuda *x, const char *above, const char *below, StrBuf *b)
{
    sb_printf(b, "(%s == %s ? 1 : %s(%s - %s))", above, below,
              x->o->eager_rounding ? "exp_f" : "exp_coarse", above, below);
}

void cuda_print_online(Cuda *x, uint32_t i, StrBuf *b, uint32_t depth)
{
    uint32_t max = x->online[i] - 1, v = x->s->points[max].a[0];
    char element[16], largest[16];
    snprintf(element, sizeof element, "v%u", v);
    snprintf(largest, sizeof largest, "acc%u", max);
    sb_pad(b, ' ', (size_t)4 * depth);
    sb_printf(b, "if (!(%s <= %s)) {\n", element, largest);
    sb_pad(b, ' ', (size_t)4 * depth + 4);
    sb_printf(b, "acc%u *= ", i);
    print_power(x, largest, element, b);
    sb_puts(b, ";\n");
    sb_pad(b, ' ', (size_t)4 * depth + 4);
    sb_printf(b, "%s = larger(%s, %s);\n", largest, largest, element);
    sb_pad(b, ' ', (size_t)4 * depth);
    sb_puts(b, "}\n");
    sb_pad(b, ' ', (size_t)4 * depth);
    sb_printf(b, "acc%u += ", i);
    print_power(x, element, largest, b);
    sb_puts(b, ";\n");
}

void cuda_write_own_maxima(Cuda *x, uint32_t pass)
{
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (cuda_is_made(x, i, pass) && cuda_is_online_sum(x, i))
            cuda_line(x, "const float own%u = acc%u;", x->online[i] - 1, x->online[i] - 1);
}

void cuda_write_online_scales(Cuda *x, uint32_t pass)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!cuda_is_made(x, i, pass) || !cuda_is_online_sum(x, i))
            continue;
        char own[16], all[16];
        StrBuf power = {0};
        snprintf(own, sizeof own, "own%u", x->online[i] - 1);
        snprintf(all, sizeof all, "acc%u", x->online[i] - 1);
        print_power(x, own, all, &power);
        cuda_line(x, "acc%u *= %s;", i, sb_cstr(&power));
        sb_free(&power);
    }
}
