/*
 * clang.c - the builders of the core language as Lua functions: thunder.clang.NAME(x, ...).
 *
 * Input: arguments as for any operator. Output: prims at the current place of the trace under
 * construction. The one idea: names, signatures and builders are those of clang_rows.h; a call is
 * bound like that of an operator, only that no node stands for it.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

#include "clang_rows.h"

static Arg build(Build *b, const Op *op, const Arg *args)
{
    return op->decompose(b, args);
}

static int call_builder(lua_State *L)
{
    return sl_call(L, lua_touserdata(L, lua_upvalueindex(1)), build);
}

/* A row as an operator that only exists to be bound; its memory is the registry's. */
static const Spelling *spelling_of(Registry *r, const ClangRow *row, Diag *d)
{
    Op *op = new_of(&r->arena, Op);
    Spelling *s = new_of(&r->arena, Spelling);
    *op = (Op){.name = row->name, .language = LANG_prims, .decompose = row->build};
    if (!signature_parse(&r->arena, clang_signature(row), NULL, &op->sig, d))
        return NULL;
    *s = (Spelling){.name = arena_printf(&r->arena, "clang.%s", row->name), .op = op,
                    .sig = op->sig};
    return s;
}

void sl_open_clang(lua_State *L)
{
    Registry *r = session_registry(sl_script(L)->s);
    Diag d = {0};
    lua_newtable(L);
    for (uint32_t i = 0; clang_row(i); i++) {
        const Spelling *s = spelling_of(r, clang_row(i), &d);
        lua_pushlightuserdata(L, (void *)(uintptr_t)s);
        lua_pushcclosure(L, call_builder, 1);
        lua_setfield(L, -2, clang_row(i)->name);
    }
    diag_clear(&d);
    lua_setfield(L, -2, "clang");
}

#endif
