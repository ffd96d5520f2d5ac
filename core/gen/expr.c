/*
 * expr.c - C expressions of elementwise prims.
 *
 * Input: the C text column of prims.def, where %0 is an operand and functions are those of
 * <tgmath.h>. Output: text for one dtype: exp(%0) becomes exp_f(v3) for f32 and exp_d(v3) for f64,
 * functions of the prelude.
 */
#include "nest.h"

#include <ctype.h>
#include <math.h>

const char *c_storage(DType d)
{
    switch (d) {
    case DT_b8:
    case DT_u8:
    case DT_f8_e4m3fn:
    case DT_f8_e5m2:
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
    return c_is_narrow(d) ? "float" : c_storage(d);
}

bool c_is_narrow(DType d)
{
    return dtype_is_float(d) && dtype_info[d].bytes <= 2;
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

typedef struct TextRow {
    uint32_t op;
    const char *floats, *integers, *unsigned_integers; /* NULL = none */
} TextRow;

/* What is no expression of C alone: functions of the prelude; `bad` reports a division by zero. */
static const TextRow text_rows[] = {
    {PRIM_div, "%0 / %1", "div_i(%0, %1, &bad)", "div_u(%0, %1, &bad)"},
    {PRIM_fmod, "fmod(%0, %1)", "mod_i(%0, %1, &bad)", "mod_u(%0, %1, &bad)"},
    {PRIM_remainder, "remainder(%0, %1)", "remainder_i(%0, %1, &bad)", "mod_u(%0, %1, &bad)"},
    {PRIM_bitwise_left_shift, NULL, "shift_left_i(%0, %1)", "shift_left_i(%0, %1)"},
    {PRIM_bitwise_right_shift, NULL, "shift_right_i(%0, %1)", "shift_right_u(%0, %1)"},
    {PRIM_pow, "pow(%0, %1)", "pow_i(%0, %1)", "pow_u(%0, %1)"},
    {PRIM_lerp, "lerp(%0, %1, %2)", NULL, NULL},
    {PRIM_real, "%0", "%0", "%0"},
    /* Of unsigned numbers without a comparison that is always false. */
    {PRIM_abs, "fabs(%0)", "%0 < 0 ? -%0 : %0", "%0"},
    {PRIM_sign, "(%0 > 0) - (%0 < 0)", "(%0 > 0) - (%0 < 0)", "%0 > 0"},
    {PRIM_signbit, "signbit(%0)", "%0 < 0", "0 * %0"},
    {PRIM_nextafter, NULL, NULL, NULL}, /* of the stored dtype, not of the one computed in */
};

static const TextRow *row_of(uint32_t op)
{
    for (size_t i = 0; i < ARRAY_LEN(text_rows); i++)
        if (text_rows[i].op == op)
            return &text_rows[i];
    return NULL;
}

/* The part of a C text for floats (0), integers (1) or bools (2); one that is missing is the one
 * before it. */
static Str text_part(const char *text, uint32_t which)
{
    Str rest = str_from(text), part = str_trim(str_cut(&rest, ';'));
    while (which-- && rest.n)
        part = str_trim(str_cut(&rest, ';'));
    return str_is(part, "-") ? (Str){0} : part;
}

/* The template of the prim for operands of dtype d; empty = none. */
static Str template_of(Dialect dialect, const Op *op, DType d)
{
    const TextRow *row = row_of(op->id);
    bool is_float = dtype_is_float(d);
    const char *text = op->c_text ? op->c_text : "-";
    if (dialect == DIALECT_cuda && op->cuda_text && op->cuda_text[0] != '=')
        text = op->cuda_text;
    if (!row)
        return text_part(text, is_float ? 0 : d == DT_b8 ? 2 : 1);
    return str_from(is_float                   ? row->floats
                    : dtype_info[d].is_signed ? row->integers
                                              : row->unsigned_integers);
}

bool expr_has(const Op *op, DType in, StrBuf *why)
{
    if (in < DT_COUNT && c_storage(in) && template_of(DIALECT_c, op, in).n)
        return true;
    sb_printf(why, "has no C expression for prims.%s of %s", op->name,
              in < DT_COUNT ? dtype_info[in].name : "?");
    return false;
}

static bool takes_suffix(const char *name, size_t n)
{
    return n < 2 || name[n - 2] != '_' || (name[n - 1] != 'i' && name[n - 1] != 'u');
}

void expr_print(Dialect dialect, const Op *op, DType in, const char *const *args, StrBuf *out)
{
    Str text = template_of(dialect, op, in);
    for (size_t i = 0; i < text.n;) {
        if (text.p[i] == '%') {
            sb_puts(out, args[text.p[i + 1] - '0']);
            i += 2;
        } else if (isalpha((unsigned char)text.p[i])) {
            size_t end = i;
            while (end < text.n && (isalnum((unsigned char)text.p[end]) || text.p[end] == '_'))
                end++;
            sb_add(out, str_sub(text, i, end - i));
            if (end < text.n && text.p[end] == '(' && takes_suffix(text.p + i, end - i))
                sb_puts(out, in == DT_f64 ? "_d" : "_f");
            i = end;
        } else {
            sb_putc(out, text.p[i++]);
        }
    }
}

/* Powers that a few multiplications give; NULL = pow itself. */
static const char *power_text(double exponent)
{
    static const struct {
        double exponent;
        const char *text;
    } rows[] = {
        {1, "%s"},
        {2, "%s * %s"},
        {3, "%s * %s * %s"},
        {4, "(%s * %s) * (%s * %s)"},
        {-1, "1 / %s"},
        {-2, "1 / (%s * %s)"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].exponent == exponent)
            return rows[i].text;
    return NULL;
}

bool expr_print_power(double exponent, const char *base, StrBuf *out)
{
    const char *text = power_text(exponent);
    for (const char *c = text; c && *c; c++) {
        if (*c == '%')
            sb_puts(out, base);
        else if (c == text || c[-1] != '%')
            sb_putc(out, *c);
    }
    return text != NULL;
}

/* A random number for the element that `element` numbers. */
static void draw_print(const Trace *t, const Point *p, const char *element, StrBuf *out)
{
    Draw u;
    uint32_t op = t->nodes[p->node].op->id;
    if (!nest_draw(t, &t->nodes[p->node], &u))
        return; /* the nest was refused */
    sb_printf(out, "%s_%s(%s, %lluu, %lluu, ",
              op == PRIM_uniform_philox  ? "uniform"
              : op == PRIM_normal_philox ? "normal"
                                         : "integer",
              c_is_narrow(p->dtype)  ? dtype_info[p->dtype].name
              : p->dtype == DT_f64   ? "d"
              : p->dtype == DT_f32   ? "f"
                                     : "i",
              element, (unsigned long long)u.seed, (unsigned long long)u.offset);
    if (op == PRIM_randint_philox) {
        number_print(A_INT(u.low), DT_i64, out);
        sb_printf(out, ", %lluu)", (unsigned long long)u.range);
        return;
    }
    number_print(A_FLOAT(u.a), DT_f64, out);
    sb_puts(out, ", ");
    number_print(A_FLOAT(u.b), DT_f64, out);
    sb_putc(out, ')');
}

bool step_print(const Trace *t, const Point *p, const char *const *args, StrBuf *out)
{
    switch (p->step) {
    case STEP_square_difference:
        sb_printf(out, "(%s - %s) * (%s - %s)", args[0], args[1], args[0], args[1]);
        return true;
    case STEP_select:
        sb_printf(out, "%s ? %s : %s", args[0], args[1], args[2]);
        return true;
    case STEP_inside:
        sb_printf(out, "(uint64_t)%s < %lld", args[0], (long long)p->number.i);
        return true;
    case STEP_add:
        sb_printf(out, "%s + %s", args[0], args[1]);
        return true;
    case STEP_less:
        sb_printf(out, "%s < %s", args[0], args[1]);
        return true;
    case STEP_draw:
        draw_print(t, p, args[0], out);
        return true;
    default:
        return false;
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
