/*
 * expr.c - C expressions of elementwise prims.
 *
 * Input: the C text column of prims.def, where %0 is an operand and functions are those of
 * <tgmath.h>. Output: text for one dtype: exp(%0) becomes exp_f(v3) for f32 and exp_d(v3) for f64,
 * functions of the prelude. What means something else for integers has a row here.
 */
#include "nest.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

const char *c_storage(DType d)
{
    switch (d) {
    case DT_b8:
    case DT_u8:
        return "uint8_t";
    case DT_i8:
        return "int8_t";
    case DT_i16:
        return "int16_t";
    case DT_i32:
        return "int32_t";
    case DT_i64:
        return "int64_t";
    case DT_u16:
    case DT_bf16:
        return "uint16_t";
    case DT_u32:
        return "uint32_t";
    case DT_u64:
        return "uint64_t";
    case DT_f16:
        return "_Float16";
    case DT_f32:
        return "float";
    case DT_f64:
        return "double";
    default:
        return NULL;
    }
}

const char *c_type(DType d)
{
    return d == DT_f16 || d == DT_bf16 ? "float" : c_storage(d);
}

DType expr_dtype(const Trace *t, const Node *n)
{
    DType best = DT_none;
    for (uint32_t i = n->op->id == PRIM_where ? 1 : 0; i < n->nargs; i++) {
        Arg a = n->args[i];
        DType d = a.kind == ARG_int ? DT_i64 : a.kind == ARG_bool ? DT_b8 : DT_f64;
        if (a.kind == ARG_value) {
            const Type *type = &t->values[a.v].type;
            d = (DType)type->dtype;
            if (type->kind == VALUE_tensor)
                return d;
        }
        if (best == DT_none ||
            (d < DT_COUNT && dtype_info[d].category > dtype_info[best].category))
            best = d;
    }
    return best;
}

typedef struct IntRow {
    uint32_t op;
    const char *text; /* of signed integers */
    const char *unsigned_text;
    const char *bool_text;
} IntRow;

/* NULL = as of signed integers. */
static const IntRow int_rows[] = {
    {PRIM_abs, "%0 < 0 ? -%0 : %0", "%0", NULL},
    {PRIM_ceil, "%0", NULL, NULL},
    {PRIM_floor, "%0", NULL, NULL},
    {PRIM_round, "%0", NULL, NULL},
    {PRIM_trunc, "%0", NULL, NULL},
    {PRIM_isfinite, "1", NULL, NULL},
    {PRIM_signbit, "%0 < 0", "0", NULL},
    {PRIM_bitwise_not, "~%0", NULL, "!%0"},
    {PRIM_div, "div_i(%0, %1, &bad)", "div_u(%0, %1, &bad)", NULL},
    {PRIM_fmod, "mod_i(%0, %1, &bad)", "mod_u(%0, %1, &bad)", NULL},
    {PRIM_remainder, "remainder_i(%0, %1, &bad)", "mod_u(%0, %1, &bad)", NULL},
    {PRIM_maximum, "%0 > %1 ? %0 : %1", NULL, NULL},
    {PRIM_minimum, "%0 < %1 ? %0 : %1", NULL, NULL},
    {PRIM_pow, NULL, NULL, NULL},
    {PRIM_bitwise_left_shift, NULL, NULL, NULL},
    {PRIM_bitwise_right_shift, NULL, NULL, NULL},
};

/* What prims.def has no expression for. */
static const IntRow float_rows[] = {
    {PRIM_maximum, "maximum(%0, %1)", NULL, NULL},
    {PRIM_minimum, "minimum(%0, %1)", NULL, NULL},
    {PRIM_remainder, "remainder(%0, %1)", NULL, NULL},
    {PRIM_lerp, "lerp(%0, %1, %2)", NULL, NULL},
    {PRIM_real, "%0", NULL, NULL},
    {PRIM_nextafter, NULL, NULL, NULL},
};

static const IntRow *row_of(const IntRow *rows, size_t n, uint32_t op)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].op == op)
            return &rows[i];
    return NULL;
}

/* The template of the prim for operands of dtype d; NULL = none. */
static const char *template_of(const Op *op, DType d)
{
    const char *text = strcmp(op->c_text ? op->c_text : "-", "-") == 0 ? NULL : op->c_text;
    bool is_float = dtype_is_float(d);
    const IntRow *row = is_float ? row_of(float_rows, ARRAY_LEN(float_rows), op->id)
                                 : row_of(int_rows, ARRAY_LEN(int_rows), op->id);
    if (!row) /* a function of floats has no meaning for integers */
        return !is_float && text && strchr(text, '(') && isalpha((unsigned char)text[0]) ? NULL
                                                                                         : text;
    if (d == DT_b8 && row->bool_text)
        return row->bool_text;
    return !is_float && !dtype_info[d].is_signed && row->unsigned_text ? row->unsigned_text
                                                                       : row->text;
}

bool expr_has(const Op *op, DType in, StrBuf *why)
{
    if (in < DT_COUNT && c_storage(in) && template_of(op, in))
        return true;
    sb_printf(why, "has no C expression for prims.%s of %s", op->name,
              in < DT_COUNT ? dtype_info[in].name : "?");
    return false;
}

static bool takes_suffix(const char *name, size_t n)
{
    return n < 2 || name[n - 2] != '_' || (name[n - 1] != 'i' && name[n - 1] != 'u');
}

void expr_print(const Op *op, DType in, const char *const *args, StrBuf *out)
{
    const char *p = template_of(op, in);
    while (*p) {
        if (*p == '%') {
            sb_puts(out, args[p[1] - '0']);
            p += 2;
        } else if (isalpha((unsigned char)*p)) {
            const char *end = p;
            while (isalnum((unsigned char)*end) || *end == '_')
                end++;
            sb_add(out, (Str){p, (size_t)(end - p)});
            if (*end == '(' && takes_suffix(p, (size_t)(end - p)))
                sb_puts(out, in == DT_f64 ? "_d" : "_f");
            p = end;
        } else {
            sb_putc(out, *p++);
        }
    }
}

/* ------------------------------------------------------------------------------------- numbers */

static void float_print(double v, DType d, StrBuf *out)
{
    bool wide = d == DT_f64;
    const char *suffix = wide ? "" : "f";
    if (!wide)
        v = (double)(float)v;
    if (isnan(v)) {
        sb_printf(out, "__builtin_nan%s(\"\")", suffix);
    } else if (isinf(v)) {
        sb_printf(out, "%s__builtin_inf%s()", v < 0 ? "-" : "", suffix);
    } else {
        size_t before = out->n;
        sb_printf(out, wide ? "%.17g" : "%.9g", v);
        bool point = false;
        for (size_t i = before; i < out->n; i++)
            point |= out->p[i] == '.' || out->p[i] == 'e';
        sb_printf(out, "%s%s", point ? "" : ".0", suffix);
    }
}

void number_print(Arg number, DType d, StrBuf *out)
{
    double f = number.kind == ARG_float ? number.f : (double)number.i;
    int64_t i = number.kind == ARG_float ? 0 : number.i;
    if (dtype_is_float(d)) {
        float_print(f, d, out);
        return;
    }
    if (number.kind == ARG_float && f > -9.2e18 && f < 9.2e18)
        i = d == DT_b8 ? f != 0 : (int64_t)f;
    if (i == INT64_MIN)
        sb_puts(out, "INT64_MIN");
    else
        sb_printf(out, "(%s)%lld%s", c_type(d), (long long)(d == DT_b8 ? i != 0 : i),
                  i > INT32_MAX || i < INT32_MIN ? "L" : "");
}
