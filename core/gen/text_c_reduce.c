/*
 * text_c_reduce.c - accumulators of reductions: declared, started, updated, finished.
 *
 * In a row they are scalars; in a column arrays over the piece of the last loop.
 */
#include "inject.h"
#include "text_c.h"

#include <stdio.h>

static bool is_extreme(const Point *p)
{
    return p->fold == FOLD_max || p->fold == FOLD_min;
}

static bool has_nan_flag(const Point *p)
{
    return is_extreme(p) && dtype_is_float(p->dtype);
}

bool c_ends_now(const Text *x, const Point *p)
{
    return p->kind == POINT_reduce && !p->across && p->pass == x->pass;
}

/* Sums of f32 are collected in double, a few terms at a time that float has added up; those of f16
 * and bf16 in float while they are short. A product leaves the range of f32 for good, as it does in
 * PyTorch. */
static const char *acc_type(const Text *x, const Point *p)
{
    if (is_extreme(p))
        return c_type(p->dtype);
    if (p->fold == FOLD_any || p->fold == FOLD_all)
        return "int";
    if (!dtype_is_float(p->dtype))
        return c_type(p->dtype);
    if (p->fold == FOLD_prod)
        return c_type(p->dtype);
    return c_is_narrow(p->dtype) && x->s->reduced_numel <= 1 << 14 && !p->whole ? "float"
                                                                                : "double";
}

/* ------------------------------------------------------------------------------- sums in parts */

/* A sum that double collects of what is float. */
static bool has_part(const Text *x, const Point *p)
{
    DType of = x->s->points[p->a[0]].dtype;
    return c_ends_now(x, p) && p->fold == FOLD_sum && of != DT_f64 && dtype_is_float(of) &&
           acc_type(x, p)[0] == 'd';
}

bool c_has_parts(const Text *x)
{
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (has_part(x, &x->s->points[i]))
            return true;
    return false;
}

/* -0 and x is x, and nothing is added. */
void c_start_parts(const Text *x, uint32_t depth, StrBuf *b)
{
    for (uint32_t i = 0; i < x->s->npoints && x->parts; i++) {
        if (!has_part(x, &x->s->points[i]))
            continue;
        c_indent(b, depth);
        sb_printf(b, "float part%u = -0.0f;\n", i);
    }
}

void c_add_parts(const Text *x, uint32_t depth, StrBuf *b)
{
    for (uint32_t i = 0; i < x->s->npoints && x->parts; i++) {
        if (!has_part(x, &x->s->points[i]))
            continue;
        c_indent(b, depth);
        sb_printf(b, "acc%u%s += part%u;\n", i, x->column ? "[j]" : "", i);
    }
}

bool c_keeps_order(const Point *p)
{
    return p->kind == POINT_scan ||
           (p->kind == POINT_reduce && p->fold == FOLD_prod && dtype_is_float(p->dtype));
}

static void print_start(const Text *x, const Point *p, StrBuf *b)
{
    static const struct {
        DType d;
        const char *least, *most;
    } ends[] = {
        {DT_b8, "0", "1"},
        {DT_u8, "0", "255"},
        {DT_i8, "-128", "127"},
        {DT_i16, "-32768", "32767"},
        {DT_u16, "0", "65535"},
        {DT_i32, "-__INT32_MAX__ - 1", "__INT32_MAX__"},
        {DT_u32, "0", "4294967295u"},
        {DT_i64, "INT64_MIN", "__INT64_MAX__"},
        {DT_u64, "0", "18446744073709551615u"},
    };
    bool wrong = INJECT(kernel_start, value_get(x->s->r->t, p->v)->name);
    if (!is_extreme(p)) {
        sb_puts(b, p->fold == FOLD_prod || p->fold == FOLD_all ? "1" : "0");
    } else if (dtype_is_float(p->dtype)) {
        sb_puts(b, wrong ? "0" : p->fold == FOLD_max ? "-__builtin_inf()" : "__builtin_inf()");
    } else {
        for (size_t i = 0; i < ARRAY_LEN(ends); i++)
            if (ends[i].d == p->dtype)
                sb_puts(b, p->fold == FOLD_max ? ends[i].least : ends[i].most);
    }
}

/* Whether it is an array, of a result for each column of a piece. */
static bool is_array(const Text *x, const Point *p)
{
    return x->column && !p->whole;
}

static void print_update(Text *x, uint32_t i, StrBuf *b, uint32_t depth)
{
    const Point *p = &x->s->points[i];
    const char *at = is_array(x, p) ? "[j]" : "";
    uint32_t v = p->a[0];
    c_indent(b, depth);
    switch (p->fold) {
    case FOLD_sum:
        if (x->parts && has_part(x, p))
            sb_printf(b, "part%u += v%u;\n", i, v);
        else
            sb_printf(b, "acc%u%s += v%u;\n", i, at, v);
        break;
    case FOLD_prod:
        sb_printf(b, "acc%u%s *= v%u;\n", i, at, v);
        break;
    case FOLD_any:
        sb_printf(b, "acc%u%s |= v%u != 0;\n", i, at, v);
        break;
    case FOLD_all:
        sb_printf(b, "acc%u%s &= v%u != 0;\n", i, at, v);
        break;
    case FOLD_max:
    case FOLD_min:
        sb_printf(b, "acc%u%s = v%u %c acc%u%s ? v%u : acc%u%s;\n", i, at, v,
                  p->fold == FOLD_max ? '>' : '<', i, at, v, i, at);
        if (has_nan_flag(p)) {
            c_indent(b, depth);
            sb_printf(b, "nan%u%s |= v%u != v%u;\n", i, at, v, v);
        }
        break;
    }
}

void c_update(Text *x, uint32_t i)
{
    print_update(x, i, &x->body, x->body_depth);
}

void c_update_whole(Text *x, uint32_t i)
{
    print_update(x, i, x->column ? &x->body : &x->head, x->column ? x->body_depth : x->depth);
}

void c_acc(Text *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    StrBuf *b = &x->head;
    c_indent(b, x->depth);
    if (is_array(x, p)) {
        sb_printf(b, "%s acc%u[%lld];\n", acc_type(x, p), i, (long long)x->piece);
        if (has_nan_flag(p)) {
            c_indent(b, x->depth);
            sb_printf(b, "int nan%u[%lld];\n", i, (long long)x->piece);
        }
        c_indent(b, x->depth);
        sb_printf(b, "for (int64_t j = 0; j < m; j++)%s\n", has_nan_flag(p) ? " {" : "");
        c_indent(b, x->depth + 1);
        sb_printf(b, "acc%u[j] = ", i);
        print_start(x, p, b);
        sb_puts(b, ";\n");
        if (has_nan_flag(p)) {
            c_indent(b, x->depth + 1);
            sb_printf(b, "nan%u[j] = 0;\n", i);
            c_indent(b, x->depth);
            sb_puts(b, "}\n");
        }
        return;
    }
    sb_printf(b, "%s acc%u = ", acc_type(x, p), i);
    print_start(x, p, b);
    sb_puts(b, ";\n");
    if (has_nan_flag(p)) {
        c_indent(b, x->depth);
        sb_printf(b, "int nan%u = 0;\n", i);
    }
}

void c_declare_ends(Text *x, uint32_t i)
{
    c_indent(x->out, x->depth);
    sb_printf(x->out, "%s end%u[%d];\n", acc_type(x, &x->s->points[i]), i, FLIGHT_SLOTS);
}

void c_clause(const Text *x, uint32_t i, StrBuf *b)
{
    static const char *const signs[] = {"+", "*", "max", "min", "|", "&"};
    const Point *p = &x->s->points[i];
    const char *all = is_array(x, p) ? "[:m]" : "";
    sb_printf(b, " reduction(%s:acc%u%s)", signs[p->fold], i, all);
    if (has_nan_flag(p))
        sb_printf(b, " reduction(|:nan%u%s)", i, all);
}

/* After the loops: NaN wins, and a scalar of a row is known in the parallel loops. */
void c_nan(Text *x, uint32_t i, StrBuf *b)
{
    if (!has_nan_flag(&x->s->points[i]))
        return;
    c_indent(b, x->depth);
    const char *wide = x->s->points[i].dtype == DT_f64 ? "" : "f";
    if (is_array(x, &x->s->points[i]))
        sb_printf(b,
                  "for (int64_t j = 0; j < m; j++)\n"
                  "%*sacc%u[j] = nan%u[j] ? __builtin_nan%s(\"\") : acc%u[j];\n",
                  4 * (int)x->depth + 4, "", i, i, wide, i);
    else
        sb_printf(b, "acc%u = nan%u ? __builtin_nan%s(\"\") : acc%u;\n", i, i, wide, i);
}

/* The later one of two that are as good; a NaN stays. */
static void scan_extreme(const Point *p, const char *acc, StrBuf *b)
{
    char better = p->fold == FOLD_max ? '>' : '<';
    sb_printf(b, "%s = v%u %c= %s", acc, p->a[0], better, acc);
    if (dtype_is_float(p->dtype))
        sb_printf(b, " || v%u != v%u", p->a[0], p->a[0]);
    sb_printf(b, " ? v%u : %s;\n", p->a[0], acc);
}

/* Each pass that needs a scan begins anew. f32 is collected in double, narrower floats in f32. */
void c_scan(Text *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    const char *type = p->dtype == DT_f32 && !is_extreme(p) ? "double" : c_type(p->dtype);
    char acc[32];
    StrBuf *b = &x->head, start = {0};
    snprintf(acc, sizeof acc, "scan%u_%u%s", i, x->pass, x->column ? "[j]" : "");
    print_start(x, p, &start);
    c_indent(b, x->depth);
    if (x->column) {
        sb_printf(b, "%s scan%u_%u[%lld];\n", type, i, x->pass, (long long)x->piece);
        c_indent(b, x->depth);
        sb_puts(b, "for (int64_t j = 0; j < m; j++)\n");
        c_indent(b, x->depth + 1);
        sb_printf(b, "%s = %s;\n", acc, sb_cstr(&start));
    } else {
        sb_printf(b, "%s %s = %s;\n", type, acc, sb_cstr(&start));
    }
    sb_free(&start);
    c_indent(&x->body, x->body_depth);
    if (is_extreme(p))
        scan_extreme(p, acc, &x->body);
    else
        sb_printf(&x->body, "%s %s v%u;\n", acc, p->fold == FOLD_prod ? "*=" : "+=", p->a[0]);
    x->scans = true;
}
