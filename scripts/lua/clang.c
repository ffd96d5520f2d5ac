/*
 * clang.c - the builders of the core language as Lua functions: thunder.clang.NAME(x, ...).
 *
 * Input: values and numbers of any mix of shapes and dtypes. Output: prims at the current place of
 * the trace under construction. The one idea: the elementwise builders come from their table,
 * clang.def; those beside it that take operands only stand below.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

#include "lang.h"

typedef struct ClangRow {
    const char *name;
    int operands;
    Arg (*one)(Build *b, Arg x);
    Arg (*two)(Build *b, Arg x, Arg y);
    Arg (*three)(Build *b, Arg x, Arg y, Arg z);
} ClangRow;

#define ONE(name)          {#name, 1, cl_##name, NULL, NULL},
#define TWO(name)          {#name, 2, NULL, cl_##name, NULL},
#define THREE(name)        {#name, 3, NULL, NULL, cl_##name},
#define CLANG1(name, kind) ONE(name)
#define CLANG2(name, kind) TWO(name)
#define CLANG2_ONLY        CLANG2
static const ClangRow rows[] = {
#include "clang.def"
    ONE(abs) ONE(ceil) ONE(floor) ONE(round) ONE(trunc) ONE(isfinite) ONE(isnan) ONE(isinf)
    ONE(signbit) ONE(sigmoid)
    TWO(true_divide) TWO(trunc_divide) TWO(floor_divide) TWO(pow) TWO(copysign) TWO(logical_and)
    TWO(logical_or) TWO(logical_xor) TWO(matmul)
    THREE(where)
};
#undef CLANG1
#undef CLANG2
#undef CLANG2_ONLY

static Arg build(Build *b, const ClangRow *row, const Arg *x)
{
    return row->one   ? row->one(b, x[0])
           : row->two ? row->two(b, x[0], x[1])
                      : row->three(b, x[0], x[1], x[2]);
}

static int call_builder(lua_State *L)
{
    const ClangRow *row = lua_touserdata(L, lua_upvalueindex(1));
    Builder *b = sl_script(L)->builder;
    Arg x[3];
    if (!b)
        return sl_raise(L, "not-building",
                        "clang.%s: builders are called in the function of thunder.build, or while "
                        "a pass visits a node",
                        row->name);
    if (lua_gettop(L) != row->operands)
        return sl_raise(L, "bad-argument", "clang.%s takes %d operand%s", row->name, row->operands,
                        row->operands == 1 ? "" : "s");
    for (int i = 0; i < row->operands; i++) {
        x[i] = sl_to_arg(L, i + 1, b);
        if (!arg_is_tensor(&b->b, x[i]) && !cl_is_number(&b->b, x[i]))
            return sl_raise(L, "bad-argument", "clang.%s: operand %d is no tensor and no number",
                            row->name, i + 1);
    }
    b->b.diag = sl_diag(L);
    NodeId first = b->b.t->nnodes;
    Arg out = build(&b->b, row, x);
    if (b->b.failed) {
        b->b.t->nnodes = first;
        b->b.failed = false;
        return sl_fail(L, -1, 1);
    }
    sl_reserve(L, b);
    sl_define_from(b, first);
    sl_push_arg(L, b->out, out);
    return 1;
}

void sl_open_clang(lua_State *L)
{
    lua_newtable(L);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)&rows[i]);
        lua_pushcclosure(L, call_builder, 1);
        lua_setfield(L, -2, rows[i].name);
    }
    lua_setfield(L, -2, "clang");
}

#endif
