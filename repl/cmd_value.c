/*
 * cmd_value.c - values up close: x (the bits of elements) and plot (a curve or a map of shades).
 */
#include "repl.h"

#include <math.h>

static Str joined_words(Repl *r, const Args *a)
{
    StrBuf b = {0};
    for (uint32_t i = 0; i < a->n; i++)
        sb_printf(&b, "%s%.*s", i ? " " : "", STR(a->words[i]));
    Str text = arena_str(&r->scratch, sb_str(&b));
    sb_free(&b);
    return text;
}

/* The expression of the words as a dense tensor; NULL after an error. */
static Tensor *value_of_words(Repl *r, const Args *a, Str *text)
{
    *text = joined_words(r, a);
    Tensor *t = evaluate(r, current(r), looked_at(r), *text, ROUND_dtype);
    Tensor *dense = t ? tensor_contiguous(t) : NULL;
    tensor_unref(t);
    return dense;
}

/* -------------------------------------------------------------------------------------------- x */

/* What kind of number the element is, where that is not plain. */
static const char *float_kind(double v, DType d)
{
    return isnan(v)                                     ? "NaN"
           : isinf(v)                                   ? "infinity"
           : v == 0                                     ? (signbit(v) ? "-0" : "0")
           : v != 0 && fabs(v) < dtype_smallest_normal(d)     ? "subnormal"
                                                        : "";
}

static void element_row(Table *t, const Tensor *x, int64_t i)
{
    size_t size = dtype_info[x->dtype].bytes;
    const unsigned char *at = (const unsigned char *)tensor_data(x) + (size_t)i * size;
    StrBuf index = {0}, bits = {0};
    index_text(x, i, &index);
    for (size_t k = size; k-- > 0;) /* memory is little-endian, people are not */
        sb_printf(&bits, "%02x", at[k]);
    cell_str(t, STYLE_none, sb_str(&index));
    if (dtype_is_float(x->dtype))
        cell(t, STYLE_none, "%.17g", elem_get_f64(at, x->dtype));
    else if (dtype_is_complex(x->dtype))
        cell(t, STYLE_dim, "-");
    else
        cell(t, STYLE_none, "%lld", (long long)elem_get_i64(at, x->dtype));
    cell(t, STYLE_value, "0x%s", sb_cstr(&bits));
    cell(t, STYLE_warn, "%s",
         dtype_is_float(x->dtype) ? float_kind(elem_get_f64(at, x->dtype), x->dtype) : " ");
    sb_free(&index);
    sb_free(&bits);
}

bool cmd_x(Repl *r, const Args *a)
{
    Str text;
    int64_t count = 16;
    if (!a->n)
        return usage_error(r, a, "x needs a value or an expression");
    if (!option_int(r, a, "--count", 1, INT64_MAX, &count))
        return false;
    Tensor *x = value_of_words(r, a, &text);
    if (!x)
        return false;
    int64_t n = tensor_numel(x);
    Table t = table_begin(r, "element", "index,value#,bits,what");
    for (int64_t i = 0; i < n && i < count; i++)
        element_row(&t, x, i);
    table_end(&t);
    if (n > count)
        say(r, "%lld of %lld elements of %s; --count N shows more", (long long)count, (long long)n,
            dtype_info[x->dtype].name);
    tensor_unref(x);
    return true;
}

/* ----------------------------------------------------------------------------------------- plot */

enum { PLOT_ROWS = 12, MAX_PLOT = 200 };

typedef struct Span2 {
    double low, high; /* of what falls into a cell; low > high: nothing finite does */
    int64_t bad;      /* not finite */
} Span2;

static void widen(Span2 *s, double v)
{
    if (!isfinite(v)) {
        s->bad++;
        return;
    }
    s->low = v < s->low ? v : s->low;
    s->high = v > s->high ? v : s->high;
}

static double value_at_index(const Tensor *x, int64_t i)
{
    double c[2];
    const char *at = (const char *)tensor_data(x) + (size_t)i * dtype_info[x->dtype].bytes;
    elem_get_c128(at, x->dtype, c);
    return dtype_is_complex(x->dtype) ? hypot(c[0], c[1]) : c[0];
}

static Span2 whole_range(const Tensor *x)
{
    Span2 all = {INFINITY, -INFINITY, 0};
    for (int64_t i = 0, n = tensor_numel(x); i < n; i++)
        widen(&all, value_at_index(x, i));
    return all;
}

/* Elements in row-major order from left to right; a cell shows the range of those that fall into
 * it. */
static void plot_curve(Repl *r, const Tensor *x, Span2 all, uint32_t columns)
{
    Span2 cells[MAX_PLOT];
    int64_t n = tensor_numel(x);
    uint32_t used = n < columns ? (uint32_t)n : columns;
    double step = all.high > all.low ? (all.high - all.low) / PLOT_ROWS : 1;
    for (uint32_t i = 0; i < used; i++)
        cells[i] = (Span2){INFINITY, -INFINITY, 0};
    for (int64_t i = 0; i < n; i++)
        widen(&cells[i * used / n], value_at_index(x, i));
    for (int row = PLOT_ROWS - 1; row >= 0; row--) {
        StrBuf line = {0};
        double from = all.low + row * step, to = from + step;
        bool top = row == PLOT_ROWS - 1, labelled = top || row == 0 || row == PLOT_ROWS / 2;
        if (labelled)
            sb_printf(&line, "%10.4g ┤", top ? all.high : from);
        else
            sb_puts(&line, "           │");
        for (uint32_t i = 0; i < used; i++) {
            bool hit = cells[i].low <= cells[i].high && cells[i].high >= from &&
                       (cells[i].low < to || (top && cells[i].low <= to));
            sb_puts(&line, hit ? "█" : " ");
        }
        while (line.n && line.p[line.n - 1] == ' ')
            line.p[--line.n] = 0;
        dataf(r, "%s\n", sb_cstr(&line));
        sb_free(&line);
    }
}

/* The last two dimensions as shades; of the dimensions before them the first index. */
static void plot_map(Repl *r, const Tensor *x, Span2 all, uint32_t columns)
{
    static const char *const shades[] = {"·", "░", "▒", "▓", "█"};
    int64_t rows = x->shape[x->rank - 2], wide = x->shape[x->rank - 1];
    uint32_t down = rows < 24 ? (uint32_t)rows : 24;
    uint32_t across = wide < columns / 2 ? (uint32_t)wide : columns / 2;
    double range = all.high > all.low ? all.high - all.low : 1;
    for (uint32_t i = 0; i < down; i++) {
        StrBuf line = {0};
        for (uint32_t k = 0; k < across; k++) {
            Span2 s = {INFINITY, -INFINITY, 0};
            for (int64_t y = i * rows / down; y < (i + 1) * rows / down; y++)
                for (int64_t z = k * wide / across; z < (k + 1) * wide / across; z++)
                    widen(&s, value_at_index(x, y * wide + z));
            double middle = (s.low + s.high) / 2;
            const char *c = s.bad ? "!" : shades[(int)((middle - all.low) / range * 4.999)];
            sb_printf(&line, "%s%s", c, c);
        }
        dataf(r, "  %s\n", sb_cstr(&line));
        sb_free(&line);
    }
}

bool cmd_plot(Repl *r, const Args *a)
{
    Str text;
    if (!a->n)
        return usage_error(r, a, "plot needs a value or an expression");
    if (str_is(a->words[0], "roofline"))
        return arg_flag(a, "--flat") ? usage_error(r, a, "--flat goes with a value only")
                                     : plot_roofline(r, a);
    Tensor *x = value_of_words(r, a, &text);
    if (!x)
        return false;
    Span2 all = whole_range(x);
    uint32_t columns = r->out.width > 30 && r->out.width < MAX_PLOT ? r->out.width - 14 : 66;
    bool map = x->rank >= 2 && !arg_flag(a, "--flat");
    if (all.low > all.high) {
        fail_with(r, DIAG_usage, "nothing-to-plot", "%.*s has no finite element", STR(text));
        fail_help(r, "stats %.*s", STR(text));
        tensor_unref(x);
        return false;
    }
    dataf(r, "%s%.*s%s  %s, from %.6g to %.6g", style(r, STYLE_head), STR(text),
          style(r, STYLE_none), dtype_info[x->dtype].name, all.low, all.high);
    if (all.bad)
        dataf(r, ", %lld not finite%s", (long long)all.bad, map ? " (!)" : "");
    data(r, S("\n"));
    if (map)
        plot_map(r, x, all, columns);
    else
        plot_curve(r, x, all, columns);
    tensor_unref(x);
    return true;
}
