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

/* Whether the pass under way adds up the terms of sums in parts. */
bool c_adds_in_parts(const Text *x)
{
    if (!c_has_parts(x) || x->last_reduced < 0) /* every reduced loop has one turn */
        return false;
    if (x->column)
        return x->together >= 0;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (c_keeps_order(p) || (c_ends_now(x, p) && p->fold != FOLD_sum))
            return false;
    }
    int64_t size = x->s->vars[x->last_reduced].extent;
    return size % PARTS == 0 && size >= PARTS * PART_LANES;
}

/* In pieces of a row: adding up the lanes behind each of them would take as long as some of its
 * steps. */
bool c_adds_in_lanes(Text *x, uint32_t pass)
{
    uint32_t now = x->pass;
    x->pass = pass;
    bool lanes = !x->column && c_adds_in_parts(x) &&
                 (x->flight || (c_fetches(x) && !c_sums_apart(x))) &&
                 x->s->vars[x->last_reduced].extent % (PARTS * PART_LANES) == 0;
    for (uint32_t i = 0; i < x->s->npoints && lanes; i++)
        lanes = !c_ends_now(x, &x->s->points[i]) || has_part(x, &x->s->points[i]);
    x->pass = now;
    return lanes;
}

static bool is_in_lanes(Text *x, const Point *p)
{
    return p->kind == POINT_reduce && !p->across && c_adds_in_lanes(x, p->pass);
}

/* Declarations of the parts before a step. -0 and x is x, and nothing is added. */
static void start_parts(const Text *x, uint32_t depth, StrBuf *b)
{
    for (uint32_t i = 0; i < x->s->npoints && x->parts; i++) {
        if (!has_part(x, &x->s->points[i]))
            continue;
        c_indent(b, depth);
        sb_printf(b, "float part%u = -0.0f;\n", i);
    }
}

/* Adds them to the accumulators behind it. */
static void add_parts(const Text *x, uint32_t depth, StrBuf *b)
{
    for (uint32_t i = 0; i < x->s->npoints && x->parts; i++) {
        if (!has_part(x, &x->s->points[i]))
            continue;
        c_indent(b, depth);
        if (x->lanes)
            sb_printf(b, "lane%u[h] += part%u;\n", i, i);
        else
            sb_printf(b, "acc%u%s += part%u;\n", i, x->column ? "[j]" : "", i);
    }
}

static void print_unrolled(uint32_t turns, uint32_t depth, StrBuf *b)
{
    c_indent(b, depth);
    sb_printf(b, "#pragma GCC unroll %u\n", turns);
    c_indent(b, depth);
}

/* Some rows of a column as one step. */
void c_column_step(Text *x, uint32_t depth)
{
    start_parts(x, depth, x->out);
    print_unrolled(x->rows_together, depth, x->out);
    sb_printf(x->out, "for (int64_t i%d = r; i%d < r + %u; i%d++) {\n", x->together, x->together,
              x->rows_together, x->together);
    sb_add(x->out, sb_str(&x->body));
    c_close_loops(x->out, depth, 1);
    add_parts(x, depth, x->out);
}

/* Steps of as many lanes, and the loop over them. */
static void open_lanes(Text *x, uint32_t depth)
{
    c_indent(x->out, depth);
    sb_printf(x->out, "for (int64_t e = 0; e < m / %d; e += %d) {\n", PARTS, PART_LANES);
    c_pragma(x, depth + 1, "simd", "", x->out);
    c_indent(x->out, depth + 1);
    sb_printf(x->out, "for (int64_t h = 0; h < %d; h++) {\n", PART_LANES);
}

/* An element of each quarter of a row, or of a piece of one, is one step. */
void c_row_steps(Text *x, uint32_t depth)
{
    StrBuf *b = x->out;
    bool piece = x->cut >= 0;
    int32_t var = piece ? x->cut : x->last_reduced;
    long long quarter = (long long)x->s->vars[var].extent / PARTS;
    bool named = c_names_variable(sb_cstr(&x->body), var);
    if (x->lanes) {
        open_lanes(x, depth++);
    } else {
        c_indent(b, depth);
        if (piece)
            sb_printf(b, "for (int64_t e = 0; e < m / %d; e++) {\n", PARTS);
        else
            sb_printf(b, "for (int64_t e = 0; e < %lld; e++) {\n", quarter);
    }
    start_parts(x, depth + 1, b);
    print_unrolled(PARTS, depth + 1, b);
    sb_printf(b, "for (int64_t k = 0; k < %d; k++) {\n", PARTS);
    if (piece || named)
        c_indent(b, depth + 2);
    if (piece)
        sb_printf(b, "const int64_t j = e + %sm / %d * k;\n", x->lanes ? "h + " : "", PARTS);
    else if (named)
        sb_printf(b, "const int64_t i%d = e + %lld * k;\n", var, quarter);
    c_place(x, depth + 2, piece && named, b);
    sb_add(b, sb_str(&x->body));
    c_close_loops(b, depth + 1, 1);
    add_parts(x, depth + 1, b);
    c_close_loops(b, depth - x->lanes, 1u + x->lanes);
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
    if (is_in_lanes(x, p)) {
        c_indent(b, x->depth);
        sb_printf(b, "double lane%u[%d] = {0};\n", i, PART_LANES);
    }
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

static void print_lanes_end(Text *x, uint32_t i, StrBuf *b)
{
    c_indent(b, x->depth);
    sb_printf(b, "#pragma omp simd reduction(+:acc%u)\n", i);
    c_indent(b, x->depth);
    sb_printf(b, "for (int64_t h = 0; h < %d; h++)\n", PART_LANES);
    c_indent(b, x->depth + 1);
    sb_printf(b, "acc%u += lane%u[h];\n", i, i);
}

/* NaN wins; lanes are added up. Then a scalar of a row is known in the parallel loops. */
void c_end(Text *x, uint32_t i, StrBuf *b)
{
    if (is_in_lanes(x, &x->s->points[i]))
        print_lanes_end(x, i, b);
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
