/* dtype.c - element types and devices: the table of dtype.def and their names. */
#include "ir.h"

#include <math.h>

enum { is_signed_bool = 0, is_signed_unsigned = 0, is_signed_signed = 1 };

const DTypeInfo dtype_info[DT_COUNT + 1] = {
#define DTYPE(n, cat, size, kind, order, full, st, digits, normal, most, past)                   \
    [DT_##n] = {#n, full, st, size, CAT_##cat, is_signed_##kind, order, digits, normal, most, past},
#include "dtype.def"
#undef DTYPE
    /* So that an error about something without a dtype can be worded like any other. */
    [DT_none] = {"?", "no dtype", "", 1, CAT_INT, 0, 0, 0, 0, 0, 0},
};

DType dtype_parse(Str s)
{
    static const struct {
        const char *name;
        DType dtype;
    } aliases[] = {
        {"float", DT_f32},       {"double", DT_f64},      {"half", DT_f16},
        {"long", DT_i64},        {"int", DT_i32},         {"short", DT_i16},
        {"cfloat", DT_c64},      {"cdouble", DT_c128},    {"chalf", DT_c32},
        {"bool8", DT_b8},        {"ui8", DT_u8},          {"ui16", DT_u16},
        {"ui32", DT_u32},        {"ui64", DT_u64},        {"f8e4m3fn", DT_f8_e4m3fn},
        {"f8e5m2", DT_f8_e5m2},
    };
    if (str_starts(s, "torch."))
        s = str_sub(s, 6, SIZE_MAX);
    else if (str_starts(s, "dtypes."))
        s = str_sub(s, 7, SIZE_MAX);
    if (str_ends(s, "_")) /* Thunder's weak types */
        s.n--;
    for (int d = 0; d < DT_COUNT; d++)
        if (str_is(s, dtype_info[d].name) || str_is(s, dtype_info[d].full_name))
            return (DType)d;
    for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
        if (str_is(s, aliases[i].name))
            return aliases[i].dtype;
    return DT_none;
}

double dtype_smallest_normal(DType d)
{
    return dtype_is_inexact(d) ? ldexp(1, dtype_info[d].normal) : 0;
}

double dtype_epsilon(DType d)
{
    return dtype_is_inexact(d) ? ldexp(1, 1 - dtype_info[d].digits) : 0;
}

DType dtype_real(DType d)
{
    return d == DT_c32 ? DT_f16 : d == DT_c64 ? DT_f32 : d == DT_c128 ? DT_f64 : d;
}

DType dtype_opmath(DType d)
{
    if (d == DT_c32)
        return DT_c64;
    return dtype_is_float(d) && dtype_info[d].bytes <= 2 ? DT_f32 : d;
}

const char *const device_types[DEV_COUNT] = {
    [DEV_cpu] = "cpu", [DEV_cuda] = "cuda", [DEV_meta] = "meta"};

bool device_parse(Str s, Device *out)
{
    Str rest = s;
    Str type = str_cut(&rest, ':');
    bool has_index = type.n != s.n;
    int64_t index = 0;
    if (has_index && (!str_to_i64(rest, &index) || index < 0 || index > 255))
        return false;
    for (uint8_t t = 0; t < DEV_COUNT; t++) {
        if (!str_is(type, device_types[t]))
            continue;
        *out = (Device){t, t == DEV_cuda ? (uint8_t)index : 0};
        return true;
    }
    return false;
}

void device_print(Device d, StrBuf *out)
{
    if (d.type == DEV_cuda)
        sb_printf(out, "cuda:%u", d.index);
    else
        sb_puts(out, device_types[d.type]);
}
