/*
 * literal.c - Python's arithmetic on literals, as it happens while a program is read.
 *
 * Input: an operator and literal operands (numbers, strings, tuples). Output: the literal that
 * Python gives. Tuples may hold values: joining and indexing them moves values without looking at
 * them.
 */
#include "acquire.h"

#include "numbers.h"

#include <math.h>
#include <string.h>

const char *operator_name(uint32_t op, bool *reflects)
{
    static const struct {
        uint32_t op;
        bool reflects; /* Python asks the right operand when the left one is a plain number */
        const char *name;
    } table[] = {
        {OP1('+'), true, "add"},           {OP1('-'), true, "sub"},
        {OP1('*'), true, "mul"},           {OP1('/'), true, "truediv"},
        {OP2('/', '/'), true, "floordiv"}, {OP1('%'), true, "mod"},
        {OP2('*', '*'), true, "pow"},      {OP1('@'), true, "matmul"},
        {OP1('&'), true, "and"},           {OP1('|'), true, "or"},
        {OP1('^'), true, "xor"},           {OP2('<', '<'), true, "lshift"},
        {OP2('>', '>'), true, "rshift"},   {OP1('<'), false, "lt"},
        {OP1('>'), false, "gt"},           {OP2('<', '='), false, "le"},
        {OP2('>', '='), false, "ge"},      {OP2('=', '='), false, "eq"},
        {OP2('!', '='), false, "ne"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].op == op) {
            *reflects = table[i].reflects;
            return table[i].name;
        }
    return NULL;
}

/* --------------------------------------------------------------------------------------- reals */

static bool is_int(Arg a)
{
    return a.kind == ARG_int || a.kind == ARG_bool;
}

static bool is_real(Arg a)
{
    return is_int(a) || a.kind == ARG_float;
}

static bool int_power(int64_t x, int64_t y, int64_t *out)
{
    int64_t r = 1;
    for (; y > 0; y--) {
        if (__builtin_mul_overflow(r, x, &r))
            return false;
        if (r == 0 || (x == 1 && y > 1))
            break;
        if (x == -1) {
            r = y % 2 ? -1 : 1;
            break;
        }
    }
    *out = r;
    return true;
}

static bool fold_ints(uint32_t op, int64_t x, int64_t y, bool bools, Arg *out, const char **why)
{
    int64_t r = 0;
    bool overflow = false;
    switch (op) {
    case OP1('+'):
        overflow = __builtin_add_overflow(x, y, &r);
        break;
    case OP1('-'):
        overflow = __builtin_sub_overflow(x, y, &r);
        break;
    case OP1('*'):
        overflow = __builtin_mul_overflow(x, y, &r);
        break;
    case OP2('/', '/'):
    case OP1('%'):
        if (y == 0) {
            *why = "division by zero";
            return false;
        }
        overflow = x == INT64_MIN && y == -1;
        if (!overflow)
            r = op == OP1('%') ? x - floor_div(x, y) * y : floor_div(x, y);
        break;
    case OP2('*', '*'):
        overflow = !int_power(x, y, &r);
        break;
    case OP1('&'):
        r = x & y;
        break;
    case OP1('|'):
        r = x | y;
        break;
    case OP1('^'):
        r = x ^ y;
        break;
    case OP2('<', '<'):
        overflow = y < 0 || y > 62 || x > INT64_MAX >> y || x < INT64_MIN >> y;
        r = overflow ? 0 : (int64_t)((uint64_t)x << y);
        break;
    case OP2('>', '>'):
        overflow = y < 0;
        r = overflow ? 0 : x >> (y > 63 ? 63 : y);
        break;
    default:
        return false;
    }
    if (overflow) {
        *why = "the result is no 64-bit int";
        return false;
    }
    bool bitwise = op == OP1('&') || op == OP1('|') || op == OP1('^');
    *out = bools && bitwise ? A_BOOL(r) : A_INT(r);
    return true;
}

static bool fold_floats(uint32_t op, double x, double y, Arg *out, const char **why)
{
    bool divides = op == OP1('/') || op == OP2('/', '/') || op == OP1('%');
    if (divides && y == 0) {
        *why = "division by zero";
        return false;
    }
    switch (op) {
    case OP1('+'):
        *out = A_FLOAT(x + y);
        return true;
    case OP1('-'):
        *out = A_FLOAT(x - y);
        return true;
    case OP1('*'):
        *out = A_FLOAT(x * y);
        return true;
    case OP1('/'):
        *out = A_FLOAT(x / y);
        return true;
    case OP2('/', '/'):
        *out = A_FLOAT(floor(x / y));
        return true;
    case OP1('%'):
        *out = A_FLOAT(x - floor(x / y) * y);
        return true;
    case OP2('*', '*'):
        *out = A_FLOAT(pow(x, y));
        return true;
    default:
        return false;
    }
}

/* ------------------------------------------------------------------------------------- complex */

static void as_complex(Arg a, double out[2])
{
    out[0] = a.kind == ARG_complex ? a.items[0].f : arg_f64(a);
    out[1] = a.kind == ARG_complex ? a.items[1].f : 0.0;
}

static bool fold_complex(Acquire *a, uint32_t op, Arg x, Arg y, Arg *out)
{
    double u[2], v[2];
    as_complex(x, u);
    as_complex(y, v);
    double size = v[0] * v[0] + v[1] * v[1];
    if (op == OP1('+'))
        *out = arg_complex(a->b.t, u[0] + v[0], u[1] + v[1]);
    else if (op == OP1('-'))
        *out = arg_complex(a->b.t, u[0] - v[0], u[1] - v[1]);
    else if (op == OP1('*'))
        *out = arg_complex(a->b.t, u[0] * v[0] - u[1] * v[1], u[0] * v[1] + u[1] * v[0]);
    else if (op == OP1('/') && size != 0)
        *out = arg_complex(a->b.t, (u[0] * v[0] + u[1] * v[1]) / size,
                           (u[1] * v[0] - u[0] * v[1]) / size);
    else
        return false;
    return true;
}

/* ----------------------------------------------------------------------------------- sequences */

static bool join(Acquire *a, Arg x, Arg y, Arg *out)
{
    uint32_t n = x.n + y.n;
    Arg *items = new_array(&a->b.t->arena, Arg, n);
    if (x.n)
        memcpy(items, x.items, x.n * sizeof *items);
    if (y.n)
        memcpy(items + x.n, y.items, y.n * sizeof *items);
    *out = (Arg){.kind = x.kind, .n = n, .items = items};
    return true;
}

static bool repeat(Acquire *a, Arg x, int64_t times, Arg *out, const char **why)
{
    enum { MAX_ITEMS = 1 << 20 };
    if (times < 0)
        times = 0;
    if (times > MAX_ITEMS || (int64_t)x.n * times > MAX_ITEMS) {
        *why = "the result is too long";
        return false;
    }
    Arg *items = new_array(&a->b.t->arena, Arg, x.n * (uint64_t)times);
    for (int64_t i = 0; i < times; i++)
        if (x.n)
            memcpy(items + (uint64_t)i * x.n, x.items, x.n * sizeof *items);
    *out = (Arg){.kind = x.kind, .n = x.n * (uint32_t)times, .items = items};
    return true;
}

static bool slice_bounds(Arg slice, int64_t n, int64_t *start, int64_t *stop, int64_t *step)
{
    for (int i = 0; i < 3; i++)
        if (slice.items[i].kind != ARG_none && !is_int(slice.items[i]))
            return false;
    *step = slice.items[2].kind == ARG_none ? 1 : slice.items[2].i;
    if (*step == 0 || *step == INT64_MIN)
        return false;
    int64_t low = *step > 0 ? 0 : -1, high = *step > 0 ? n : n - 1;
    int64_t bounds[2] = {*step > 0 ? low : high, *step > 0 ? high : low};
    for (int i = 0; i < 2; i++) {
        if (slice.items[i].kind == ARG_none)
            continue;
        int64_t v = slice.items[i].i;
        v = v < 0 ? v + n : v;
        bounds[i] = v < low ? low : v > high ? high : v;
    }
    *start = bounds[0];
    *stop = bounds[1];
    return true;
}

static bool index_dict(Arg dict, Arg key, Arg *out, const char **why)
{
    for (uint32_t i = 0; i < dict.n; i++)
        if (arg_equal(dict.items[2 * i], key)) {
            *out = dict.items[2 * i + 1];
            return true;
        }
    *why = "the dict has no such key";
    return false;
}

bool literal_index(Acquire *a, Arg seq, Arg key, Arg *out, const char **why)
{
    int64_t start, stop, step;
    *why = "this cannot be indexed so";
    if (seq.kind == ARG_dict)
        return index_dict(seq, key, out, why);
    if (!arg_is_seq(seq))
        return false;
    if (is_int(key)) {
        int64_t i = key.i < 0 ? key.i + seq.n : key.i;
        *why = "the index is out of range";
        if (i < 0 || i >= seq.n)
            return false;
        *out = seq.items[i];
        return true;
    }
    if (key.kind != ARG_slice || !slice_bounds(key, seq.n, &start, &stop, &step))
        return false;
    Arg *items = new_array(&a->b.t->arena, Arg, seq.n);
    uint32_t n = 0;
    for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step)
        items[n++] = seq.items[i];
    *out = (Arg){.kind = seq.kind, .n = n, .items = items};
    return true;
}

/* ----------------------------------------------------------------------------------- operators */

bool literal_truth(Arg a, bool *out)
{
    switch (a.kind) {
    case ARG_none:
        *out = false;
        return true;
    case ARG_bool:
    case ARG_int:
        *out = a.i != 0;
        return true;
    case ARG_float:
        *out = a.f != 0;
        return true;
    case ARG_str:
    case ARG_tuple:
    case ARG_list:
    case ARG_dict:
        *out = a.n != 0;
        return true;
    default:
        return false;
    }
}

static bool compare_reals(uint32_t op, Arg x, Arg y, bool *out)
{
    bool ints = is_int(x) && is_int(y);
    double u = arg_f64(x), v = arg_f64(y);
    int order = ints ? (x.i > y.i) - (x.i < y.i) : (u > v) - (u < v);
    bool unordered = !ints && (u != u || v != v);
    switch (op) {
    case OP1('<'):
        *out = !unordered && order < 0;
        return true;
    case OP1('>'):
        *out = !unordered && order > 0;
        return true;
    case OP2('<', '='):
        *out = !unordered && order <= 0;
        return true;
    case OP2('>', '='):
        *out = !unordered && order >= 0;
        return true;
    case OP2('=', '='):
        *out = !unordered && order == 0;
        return true;
    case OP2('!', '='):
        *out = unordered || order != 0;
        return true;
    default:
        return false;
    }
}

static bool fold_compare(uint32_t op, Arg x, Arg y, bool *out)
{
    if (is_real(x) && is_real(y) && compare_reals(op, x, y, out))
        return true;
    bool equal = arg_equal(x, y);
    switch (op) {
    case OP2('=', '='):
    case OP2('i', 's'):
        *out = equal;
        return true;
    case OP2('!', '='):
    case OP3('i', 's', '!'):
        *out = !equal;
        return true;
    case OP2('i', 'n'):
    case OP3('i', 'n', '!'):
        if (!arg_is_seq(y))
            return false;
        equal = false;
        for (uint32_t i = 0; i < y.n && !equal; i++)
            equal = arg_equal(x, y.items[i]);
        *out = equal == (op == OP2('i', 'n'));
        return true;
    default:
        return false;
    }
}

bool literal_unary(Acquire *a, uint32_t op, Arg x, Arg *out, const char **why)
{
    bool truth;
    *why = "the operand is of a wrong kind";
    if (op == OP1('!') && literal_truth(x, &truth)) {
        *out = A_BOOL(!truth);
        return true;
    }
    if (op == OP1('-') && is_int(x) && x.i != INT64_MIN)
        *out = A_INT(-x.i);
    else if (op == OP1('+') && is_int(x))
        *out = A_INT(x.i);
    else if (op == OP1('~') && is_int(x))
        *out = A_INT(~x.i);
    else if ((op == OP1('-') || op == OP1('+')) && x.kind == ARG_float)
        *out = A_FLOAT(op == OP1('-') ? -x.f : x.f);
    else if (op == OP1('-') && x.kind == ARG_complex)
        *out = arg_complex(a->b.t, -x.items[0].f, -x.items[1].f);
    else
        return false;
    return true;
}

bool literal_binary(Acquire *a, uint32_t op, Arg x, Arg y, Arg *out, const char **why)
{
    bool result;
    *why = "the operands are of a wrong kind";
    if (fold_compare(op, x, y, &result)) {
        *out = A_BOOL(result);
        return true;
    }
    if (is_int(x) && is_int(y) && op != OP1('/') && !(op == OP2('*', '*') && y.i < 0))
        return fold_ints(op, x.i, y.i, x.kind == ARG_bool && y.kind == ARG_bool, out, why);
    if (is_real(x) && is_real(y))
        return fold_floats(op, arg_f64(x), arg_f64(y), out, why);
    if (arg_is_number(x) && arg_is_number(y))
        return fold_complex(a, op, x, y, out);
    if (op == OP1('+') && arg_is_seq(x) && x.kind == y.kind)
        return join(a, x, y, out);
    if (op == OP1('*') && arg_is_seq(x) && is_int(y))
        return repeat(a, x, y.i, out, why);
    if (op == OP1('*') && is_int(x) && arg_is_seq(y))
        return repeat(a, y, x.i, out, why);
    return false;
}
