/*
 * tensor_print.c - the elements of a tensor as text, as PyTorch prints them.
 *
 * Input: a tensor, how many items of a dimension to show, the width of a line. Output: nested
 * brackets with aligned columns. One idea: look at the shown elements first to choose one format
 * and one column width for all of them (whole numbers, 4 decimals, or exponents), then write.
 */
#include "elements.h"

#include <math.h>

typedef enum NumberStyle { STYLE_int, STYLE_whole, STYLE_fixed, STYLE_exponent } NumberStyle;

/* How the floats that are shown are written; of complex tensors one for each part. */
typedef struct Style {
    NumberStyle kind;
    double smallest, largest; /* magnitudes of the finite numbers other than zero */
    bool any;
    bool whole;
} Style;

typedef struct Printer {
    const Tensor *t;
    StrBuf *out;
    uint32_t max_items, width;
    size_t column; /* width of the widest element */
    Style part[2];
} Printer;

/* Calls fn for the shown indices of dimension d: all, or as many from both ends. */
static int64_t shown(const Printer *p, int64_t size, int64_t k)
{
    int64_t head = (p->max_items + 1) / 2;
    if (size <= p->max_items)
        return k < size ? k : -1;
    if (k >= p->max_items)
        return -1;
    return k < head ? k : size - p->max_items + k;
}

static void look_at(Style *s, double v)
{
    if (!isfinite(v))
        return;
    s->whole &= v == floor(v);
    v = fabs(v);
    if (v == 0)
        return;
    s->smallest = s->any && s->smallest < v ? s->smallest : v;
    s->largest = s->any && s->largest > v ? s->largest : v;
    s->any = true;
}

static void write_real(const Style *s, double v, StrBuf *out)
{
    if (isnan(v))
        sb_puts(out, "nan");
    else if (isinf(v))
        sb_puts(out, v < 0 ? "-inf" : "inf");
    else if (s->kind == STYLE_whole)
        sb_printf(out, "%.0f.", v);
    else
        sb_printf(out, s->kind == STYLE_exponent ? "%.4e" : "%.4f", v);
}

static void write_element(const Printer *p, int64_t offset, StrBuf *out)
{
    const Tensor *t = p->t;
    const char *e = (const char *)tensor_data(t) + offset * dtype_info[t->dtype].bytes;
    double c[2];
    switch (dtype_info[t->dtype].category) {
    case CAT_BOOL:
        sb_puts(out, elem_get_i64(e, t->dtype) ? "True" : "False");
        return;
    case CAT_INT:
        if (t->dtype == DT_u64)
            sb_printf(out, "%llu", (unsigned long long)elem_get_i64(e, t->dtype));
        else
            sb_printf(out, "%lld", (long long)elem_get_i64(e, t->dtype));
        return;
    case CAT_FLOAT:
        write_real(&p->part[0], elem_get_f64(e, t->dtype), out);
        return;
    default:
        elem_get_c128(e, t->dtype, c);
        write_real(&p->part[0], c[0], out);
        sb_putc(out, signbit(c[1]) ? '-' : '+');
        write_real(&p->part[1], fabs(c[1]), out);
        sb_putc(out, 'j');
    }
}

static void each_shown(Printer *p, uint32_t d, int64_t offset,
                       void (*fn)(Printer *p, int64_t offset))
{
    if (d == p->t->rank) {
        fn(p, offset);
        return;
    }
    for (int64_t k = 0, i; (i = shown(p, p->t->shape[d], k)) >= 0; k++)
        each_shown(p, d + 1, offset + i * p->t->strides[d], fn);
}

static void measure_style(Printer *p, int64_t offset)
{
    const char *e = (const char *)tensor_data(p->t) + offset * dtype_info[p->t->dtype].bytes;
    double c[2];
    elem_get_c128(e, p->t->dtype, c);
    look_at(&p->part[0], c[0]);
    look_at(&p->part[1], c[1]);
}

static void measure_width(Printer *p, int64_t offset)
{
    StrBuf b = {0};
    write_element(p, offset, &b);
    if (b.n > p->column)
        p->column = b.n;
    sb_free(&b);
}

static void choose_style(Style *s)
{
    bool wide = s->any && (s->largest / s->smallest > 1000 || s->largest > 1e8);
    if (s->whole)
        s->kind = wide ? STYLE_exponent : STYLE_whole;
    else
        s->kind = wide || (s->any && s->smallest < 1e-4) ? STYLE_exponent : STYLE_fixed;
}

static void write_row(Printer *p, uint32_t indent, int64_t offset)
{
    const Tensor *t = p->t;
    uint32_t d = t->rank - 1;
    size_t closing = t->rank + 1; /* brackets and a comma */
    size_t line = p->out->n - indent;
    for (int64_t k = 0, i, before = -1; (i = shown(p, t->shape[d], k)) >= 0; before = i, k++) {
        if (k)
            sb_puts(p->out, ", ");
        bool gap = i != before + 1;
        if (k && p->out->n - line + (gap ? 5 : 0) + p->column + closing > p->width) {
            p->out->n--; /* the blank after the comma */
            sb_putc(p->out, '\n');
            line = p->out->n;
            sb_pad(p->out, ' ', indent);
        }
        if (gap)
            sb_puts(p->out, "..., ");
        StrBuf b = {0};
        write_element(p, offset + i * t->strides[d], &b);
        sb_pad(p->out, ' ', p->column - b.n);
        sb_add(p->out, sb_str(&b));
        sb_free(&b);
    }
}

static void write_level(Printer *p, uint32_t d, int64_t offset)
{
    const Tensor *t = p->t;
    sb_putc(p->out, '[');
    if (d + 1 == t->rank) {
        write_row(p, d + 1, offset);
    } else {
        for (int64_t k = 0, i, before = -1; (i = shown(p, t->shape[d], k)) >= 0; before = i, k++) {
            if (k) {
                sb_putc(p->out, ',');
                sb_pad(p->out, '\n', t->rank - d - 1);
                sb_pad(p->out, ' ', d + 1);
            }
            if (i != before + 1) {
                sb_puts(p->out, "...,");
                sb_pad(p->out, '\n', t->rank - d - 1);
                sb_pad(p->out, ' ', d + 1);
            }
            write_level(p, d + 1, offset + i * t->strides[d]);
        }
    }
    sb_putc(p->out, ']');
}

void tensor_print(const Tensor *t, uint32_t max_items, uint32_t width, StrBuf *out)
{
    Printer p = {.t = t, .out = out, .max_items = max_items ? max_items : 6, .width = width};
    p.part[0].whole = p.part[1].whole = true;
    if (tensor_numel(t) == 0) {
        sb_puts(out, "[]");
        return;
    }
    each_shown(&p, 0, 0, measure_style);
    choose_style(&p.part[0]);
    choose_style(&p.part[1]);
    each_shown(&p, 0, 0, measure_width);
    if (t->rank == 0)
        write_element(&p, 0, out);
    else
        write_level(&p, 0, 0);
}
