/* arg.c - argument trees: making, comparing, hashing, walking and mapping them. */
#include "ir.h"

#include <string.h>

uint32_t arg_nitems(Arg a)
{
    switch (a.kind) {
    case ARG_tuple:
    case ARG_list:
        return a.n;
    case ARG_dict:
        return 2 * a.n;
    case ARG_slice:
        return 3;
    case ARG_complex:
        return 2;
    default:
        return 0;
    }
}

static bool same_float(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

bool arg_equal(Arg a, Arg b)
{
    if (a.kind != b.kind || a.n != b.n)
        return false;
    switch (a.kind) {
    case ARG_value:
        return a.v == b.v;
    case ARG_int:
    case ARG_bool:
        return a.i == b.i;
    case ARG_float:
        return same_float(a.f, b.f);
    case ARG_str:
    case ARG_word:
        return str_eq(arg_str(a), arg_str(b));
    case ARG_dtype:
        return a.dtype == b.dtype;
    case ARG_device:
        return device_eq(a.device, b.device);
    default:
        for (uint32_t i = 0; i < arg_nitems(a); i++)
            if (!arg_equal(a.items[i], b.items[i]))
                return false;
        return true;
    }
}

uint64_t arg_hash(Arg a, uint64_t seed)
{
    uint64_t h = (seed * 31 + a.kind + 1) * 0x9e3779b97f4a7c15u; /* far from small literals */
    switch (a.kind) {
    case ARG_value:
        return hash_bytes(&a.v, sizeof a.v, h);
    case ARG_int:
    case ARG_bool:
        return hash_bytes(&a.i, sizeof a.i, h);
    case ARG_float:
        return a.f != a.f ? h + 1 : hash_bytes(&a.f, sizeof a.f, h);
    case ARG_str:
    case ARG_word:
        return hash_bytes(a.s, a.n, h);
    case ARG_dtype:
        return hash_bytes(&a.dtype, 1, h);
    case ARG_device:
        return hash_bytes(&a.device, sizeof a.device, h);
    default:
        for (uint32_t i = 0; i < arg_nitems(a); i++)
            h = arg_hash(a.items[i], h);
        return h;
    }
}

void arg_each_value(Arg a, void (*fn)(ValueId v, void *user), void *user)
{
    if (a.kind == ARG_value)
        fn(a.v, user);
    for (uint32_t i = 0, n = arg_nitems(a); i < n; i++)
        arg_each_value(a.items[i], fn, user);
}

typedef struct Collector {
    ValueId *out;
    uint32_t n, max;
} Collector;

static void collect(ValueId v, void *user)
{
    Collector *c = user;
    if (c->n < c->max)
        c->out[c->n] = v;
    c->n++;
}

uint32_t arg_values(Arg a, ValueId *out, uint32_t max)
{
    Collector c = {out, 0, max};
    arg_each_value(a, collect, &c);
    return c.n;
}

static bool arg_changes(Arg a, const ValueId *map)
{
    if (a.kind == ARG_value)
        return map[a.v] && map[a.v] != a.v;
    for (uint32_t i = 0, n = arg_nitems(a); i < n; i++)
        if (arg_changes(a.items[i], map))
            return true;
    return false;
}

Arg arg_map(Trace *t, Arg a, const ValueId *map)
{
    if (!map || !arg_changes(a, map))
        return a;
    if (a.kind == ARG_value)
        return A_VALUE(map[a.v]);
    uint32_t n = arg_nitems(a);
    Arg *items = new_array(&t->arena, Arg, n);
    for (uint32_t i = 0; i < n; i++)
        items[i] = arg_map(t, a.items[i], map);
    a.items = items;
    return a;
}

static Arg arg_seq(Trace *t, ArgKind kind, const Arg *items, uint32_t n)
{
    return (Arg){.kind = (uint8_t)kind,
                 .n = n,
                 .items = arena_copy(&t->arena, items, n * sizeof *items)};
}

Arg arg_tuple(Trace *t, const Arg *items, uint32_t n)
{
    return arg_seq(t, ARG_tuple, items, n);
}

Arg arg_list(Trace *t, const Arg *items, uint32_t n)
{
    return arg_seq(t, ARG_list, items, n);
}

Arg arg_ints(Trace *t, const int64_t *v, uint32_t n)
{
    Arg *items = new_array(&t->arena, Arg, n);
    for (uint32_t i = 0; i < n; i++)
        items[i] = A_INT(v[i]);
    return (Arg){.kind = ARG_tuple, .n = n, .items = items};
}

Arg arg_string(Trace *t, Str s)
{
    return (Arg){.kind = ARG_str, .n = (uint32_t)s.n, .s = arena_str(&t->arena, s).p};
}

Arg arg_slice(Trace *t, Arg start, Arg stop, Arg step)
{
    const Arg items[3] = {start, stop, step};
    return (Arg){.kind = ARG_slice, .n = 3, .items = arena_copy(&t->arena, items, sizeof items)};
}

Arg arg_complex(Trace *t, double re, double im)
{
    const Arg items[2] = {A_FLOAT(re), A_FLOAT(im)};
    return (Arg){.kind = ARG_complex, .n = 2, .items = arena_copy(&t->arena, items, sizeof items)};
}
