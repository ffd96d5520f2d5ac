/*
 * cuda_online.c - two folds of which the second needs the first, in one pass.
 *
 * Rows and columns that fit neither registers nor shared memory are read once a pass. Of a softmax
 * a thread keeps the largest element so far and the sum in terms of it: where a larger one comes,
 * which happens seldom, the sum is scaled. Of a variance it keeps sums of what its elements differ
 * from its first one by, and of the squares. Of an extreme it keeps the place. When the first fold
 * of all threads is known, each puts its second one in terms of that. So do the parts of single
 * blocks.
 */
#include "cuda.h"

#include <stdio.h>
#include <string.h>

/* The first fold that fold i takes its terms from, when both are over the same elements; NO_FIRST =
 * there is none. */
enum { NO_FIRST = UINT32_MAX };

static uint32_t max_of_terms(const Cuda *x, const Point *sum)
{
    if (!cuda_is_softmax_term(x, sum->a[0]))
        return NO_FIRST;
    const Point *difference = &x->s->points[x->s->points[sum->a[0]].a[0]];
    const Point *m = &x->s->points[difference->a[1]];
    return m->a[0] == difference->a[0] ? difference->a[1] : NO_FIRST;
}

static uint32_t sum_of_mean(const Cuda *x, const Point *sum)
{
    const Point *square = &x->s->points[sum->a[0]];
    if (square->kind != POINT_op || square->step != STEP_square_difference)
        return NO_FIRST;
    const Point *mean = &x->s->points[square->a[1]];
    if (mean->kind != POINT_op || mean->step != STEP_scale)
        return NO_FIRST;
    const Point *first = &x->s->points[mean->a[0]];
    bool same = first->kind == POINT_reduce && first->fold == FOLD_sum &&
                first->a[0] == square->a[0];
    return same ? mean->a[0] : NO_FIRST;
}

/* The number of an element that equals the extreme, or is NaN: the point of the number alone, and
 * in *first the extreme; NO_FIRST = it is another fold. */
static uint32_t number_of_place(const Cuda *x, uint32_t i, uint32_t *first)
{
    const Point *all = x->s->points, *place = &all[all[i].a[0]];
    if (all[i].fold != FOLD_min || place->kind != POINT_op || place->step != STEP_select)
        return NO_FIRST;
    const Point *same = &all[place->a[0]];
    if (same->step == STEP_equal && same->a[0] == same->a[1]) /* it is no NaN */
        place = &all[place->a[1]];
    same = &all[place->a[0]];
    if (place->kind != POINT_op || place->step != STEP_select || same->kind != POINT_op ||
        same->step != STEP_equal || all[place->a[1]].kind != POINT_index)
        return NO_FIRST;
    const Point *most = &all[same->a[1]];
    *first = same->a[1];
    bool extreme = most->kind == POINT_reduce && most->a[0] == same->a[0] && !most->across &&
                   (most->fold == FOLD_max || most->fold == FOLD_min);
    return extreme ? place->a[1] : NO_FIRST;
}

static uint32_t first_of(const Cuda *x, uint32_t i)
{
    const Point *sum = &x->s->points[i];
    uint32_t extreme = NO_FIRST;
    if (number_of_place(x, i, &extreme) != NO_FIRST)
        return x->s->points[extreme].pass == 1 ? extreme : NO_FIRST;
    if (sum->fold != FOLD_sum || x->dtypes[i] != DT_f32)
        return NO_FIRST;
    uint32_t first = max_of_terms(x, sum);
    first = first != NO_FIRST ? first : sum_of_mean(x, sum);
    bool good = first != NO_FIRST && x->s->points[first].pass == 1 && x->dtypes[first] == DT_f32;
    return good ? first : NO_FIRST;
}

void cuda_find_online(Cuda *x)
{
    const CudaPlan *p = &x->plan;
    bool any = false, all = true;
    if (p->shape == CUDA_map || x->nacross || p->keep != KEEP_nothing)
        return;
    for (uint32_t i = 0; i < x->s->npoints && all; i++) {
        if (!cuda_is_made(x, i, 2))
            continue;
        uint32_t first = first_of(x, i);
        all = first != NO_FIRST && x->online[first] == 0;
        any = any || all;
        if (all) {
            x->online[i] = first + 1;
            x->online[first] = i + 1;
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

bool cuda_is_online_second(const Cuda *x, uint32_t i)
{
    return x->online[i] && x->online[i] - 1 < i; /* points stand behind their operands */
}

static bool is_variance(const Cuda *x, uint32_t i)
{
    return x->s->points[x->online[i] - 1].fold == FOLD_sum;
}

static bool is_place(const Cuda *x, uint32_t i)
{
    return x->s->points[i].fold == FOLD_min;
}

/* Equal infinities count as one step of 0, so that what is -inf throughout stays a number. */
static void print_power(const Cuda *x, const char *above, const char *below, StrBuf *b)
{
    sb_printf(b, "(%s == %s ? 1 : %s(%s - %s))", above, below,
              x->o->eager_rounding ? "exp_f" : "exp_coarse", above, below);
}

/* ------------------------------------------------------------------------------------- elements */

void cuda_print_online_state(Cuda *x, uint32_t i)
{
    if (!cuda_is_online_second(x, i) || !is_variance(x, i))
        return;
    if (x->shape == CUDA_row)
        cuda_line(x, "float first%u = 0;", i);
    else
        cuda_line(x, "float first%u[%u];", i, x->vector);
}

static void online_line(StrBuf *b, uint32_t depth, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void online_line(StrBuf *b, uint32_t depth, const char *fmt, ...)
{
    va_list ap;
    sb_pad(b, ' ', (size_t)4 * depth);
    va_start(ap, fmt);
    sb_vprintf(b, fmt, ap);
    va_end(ap);
    sb_putc(b, '\n');
}

/* The first element is what all are compared with: one of them, so the squares are hardly larger
 * than those of the differences from the mean. An infinity would make all of them NaN. */
static void print_variance(Cuda *x, uint32_t i, StrBuf *b, uint32_t depth)
{
    const char *at = cuda_acc_at(x, i);
    uint32_t sum = x->online[i] - 1, v = x->s->points[sum].a[0];
    bool row = x->shape == CUDA_row;
    online_line(b, depth, "if (%s%s == %s)", row && x->vector > 1 ? "j == 0 && " : "",
                x->turns->number, x->turns->start);
    online_line(b, depth + 1, "first%u%s = isfinite_f(v%u) ? v%u : 0;", i, at, v, v);
    online_line(b, depth, "const float d%u = v%u - first%u%s;", i, v, i, at);
    online_line(b, depth, "acc%u%s += d%u;", sum, at, i);
    online_line(b, depth, "acc%u%s += d%u * d%u;", i, at, i, i);
}

void cuda_print_folded(Cuda *x, uint32_t i)
{
    uint32_t first = x->online[i] ? x->online[i] - 1 : i;
    cuda_print_point(x, x->s->points[first].a[0]);
    if (x->online[i] && is_place(x, i))
        cuda_print_point(x, number_of_place(x, i, &first));
}

void cuda_print_online(Cuda *x, uint32_t i, StrBuf *b, uint32_t depth)
{
    if (is_variance(x, i)) {
        print_variance(x, i, b, depth);
        return;
    }
    const char *at = cuda_acc_at(x, i);
    uint32_t max = x->online[i] - 1;
    if (is_place(x, i)) {
        online_line(b, depth, "take_place<%s>(acc%u%s, acc%u%s, v%u, v%u);",
                    cuda_fold(&x->s->points[max]), max, at, i, at, x->s->points[max].a[0],
                    number_of_place(x, i, &max));
        return;
    }
    char element[16], largest[32];
    StrBuf down = {0}, up = {0};
    snprintf(element, sizeof element, "v%u", x->s->points[max].a[0]);
    snprintf(largest, sizeof largest, "acc%u%s", max, at);
    print_power(x, largest, element, &down);
    print_power(x, element, largest, &up);
    online_line(b, depth, "if (!(%s <= %s)) {", element, largest);
    online_line(b, depth + 1, "acc%u%s *= %s;", i, at, sb_cstr(&down));
    online_line(b, depth + 1, "%s = larger(%s, %s);", largest, largest, element);
    online_line(b, depth, "}");
    online_line(b, depth, "acc%u%s += %s;", i, at, sb_cstr(&up));
    sb_free(&down);
    sb_free(&up);
}

/* -------------------------------------------------------------------------------------- threads */

/* Opens a loop over the elements that a thread has folds of; what stands behind their names. */
static const char *open_elements(Cuda *x)
{
    if (x->shape == CUDA_row)
        return "";
    if (x->vector > 1) {
        cuda_line(x, "#pragma unroll");
        cuda_line(x, "for (int j = 0; j < %u; j++) {", x->vector);
        x->depth++;
    }
    return x->vector > 1 ? "[j]" : "[0]";
}

static void close_elements(Cuda *x)
{
    if (x->shape == CUDA_row || x->vector == 1)
        return;
    x->depth--;
    cuda_line(x, "}");
}

/* How many elements a thread had. */
static void print_own_count(Cuda *x, uint32_t i)
{
    const Turns *t = x->turns;
    cuda_line(x, "const int count%u = (int)(%s < %lld ? (%lld - (%s)) / %lld * %u : 0);", i,
              t->start, (long long)t->count, (long long)(t->count + t->step - 1), t->start,
              (long long)t->step, x->shape == CUDA_row ? x->vector : 1);
}

void cuda_write_own_firsts(Cuda *x, uint32_t pass)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!cuda_is_made(x, i, pass) || !cuda_is_online_second(x, i))
            continue;
        uint32_t first = x->online[i] - 1;
        if (x->shape == CUDA_row)
            cuda_line(x, "%s own%u;", cuda_acc_type(x, first), first);
        else
            cuda_line(x, "%s own%u[%u];", cuda_acc_type(x, first), first, x->vector);
        if (is_variance(x, i))
            print_own_count(x, i);
        const char *at = open_elements(x);
        if (is_variance(x, i)) {
            cuda_line(x, "own%u%s = count%u ? div_coarse(acc%u%s, (float)count%u) : 0;", first, at,
                      i, first, at, i);
            cuda_line(x, "acc%u%s -= acc%u%s * own%u%s;", i, at, first, at, first, at);
            cuda_line(x, "own%u%s += first%u%s;", first, at, i, at);
            cuda_line(x, "acc%u%s += (float)count%u * first%u%s;", first, at, i, i, at);
        } else {
            cuda_line(x, "own%u%s = acc%u%s;", first, at, first, at);
        }
        close_elements(x);
    }
}

/* How many elements block `split` had in its fold. */
static void print_part_count(const Cuda *x, const CudaPlan *p, StrBuf *b)
{
    bool row = p->shape == CUDA_row;
    sb_printf(b, "(float)turns_of(%lld, %u, %u, split) * %u",
              (long long)(row ? x->line_chunks : x->row_count),
              row ? p->group : p->threads / p->group, p->splits, row ? p->vector : 1);
}

/* The second fold of a thread in terms of the first one that all have. */
static void print_scaled(Cuda *x, uint32_t i, const char *at)
{
    uint32_t first = x->online[i] - 1;
    char own[32], all[32];
    StrBuf power = {0};
    if (is_place(x, i)) {
        cuda_line(x, "acc%u%s = is_same(own%u%s, acc%u%s) ? acc%u%s : %lld;", i, at, first, at,
                  first, at, i, at, (long long)x->s->reduced_numel);
        return;
    }
    if (is_variance(x, i)) {
        StrBuf all_count = {0};
        if (x->pass)
            print_part_count(x, &x->plan, &all_count);
        else
            sb_printf(&all_count, "%lld.0f", (long long)x->s->reduced_numel);
        cuda_line(x, "const float d%u = own%u%s - div_coarse(acc%u%s, %s);", i, first, at, first,
                  at, sb_cstr(&all_count));
        sb_free(&all_count);
        cuda_line(x, "acc%u%s += count%u ? (float)count%u * d%u * d%u : 0;", i, at, i, i, i, i);
        return;
    }
    snprintf(own, sizeof own, "own%u%s", first, at);
    snprintf(all, sizeof all, "acc%u%s", first, at);
    print_power(x, own, all, &power);
    cuda_line(x, "acc%u%s *= %s;", i, at, sb_cstr(&power));
    sb_free(&power);
}

void cuda_write_online_scales(Cuda *x, uint32_t pass)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!cuda_is_made(x, i, pass) || !cuda_is_online_second(x, i))
            continue;
        print_scaled(x, i, open_elements(x));
        close_elements(x);
    }
}

/* --------------------------------------------------------------------------------------- blocks */

void cuda_write_online_parts(Cuda *x, uint32_t i, const CudaPlan *p, int64_t results, uint32_t ty)
{
    uint32_t first = x->online[i] - 1;
    char own[64];
    StrBuf power = {0};
    cuda_line(x, "for (int split = ty; split < %u; split += %u) {", p->splits, ty);
    x->depth++;
    snprintf(own, sizeof own, "part%u[split * %lld + n]", first, (long long)results);
    if (is_place(x, i)) {
        cuda_line(x, "if (is_same(%s, acc%u[0]))", own, first);
        cuda_line(x, "    acc%u[0] = smaller(acc%u[0], part%u[split * %lld + n]);", i, i, i,
                  (long long)results);
        x->depth--;
        cuda_line(x, "}");
        return;
    }
    if (is_variance(x, i)) {
        sb_printf(&power, "const float count%u = ", i);
        print_part_count(x, p, &power);
        cuda_line(x, "%s;", sb_cstr(&power));
        sb_clear(&power);
        cuda_line(x, "const float d%u = count%u ? div_coarse(%s, count%u) - div_coarse(acc%u[0], "
                     "%lld.0f) : 0;", i, i, own, i, first, (long long)x->s->reduced_numel);
        sb_printf(&power, "+ count%u * d%u * d%u", i, i, i);
    } else {
        char all[32];
        snprintf(all, sizeof all, "acc%u[0]", first);
        sb_puts(&power, "* ");
        print_power(x, own, all, &power);
    }
    cuda_line(x, "acc%u[0] += part%u[split * %lld + n] %s;", i, i, (long long)results,
              sb_cstr(&power));
    x->depth--;
    cuda_line(x, "}");
    sb_free(&power);
}
