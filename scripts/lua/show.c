/*
 * show.c - a readable text of any Lua value, for the results of an expression at the prompt.
 *
 * Input: a value. Output: what a person would have typed, as far as there is such a thing: tables
 * are written out, cut short where they are long or deep, with their named entries in order.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

#include <stdlib.h>

enum { SHOW_DEPTH = 4, SHOW_ITEMS = 100, SHOW_BYTES = 1 << 16 };

static void show(lua_State *L, int index, StrBuf *out, int depth);

static bool is_plain_table(lua_State *L, int index)
{
    if (!lua_istable(L, index))
        return false;
    if (luaL_getmetafield(L, index, "__tostring") == LUA_TNIL)
        return true;
    lua_pop(L, 1);
    return false;
}

static int compare_keys(const void *a, const void *b)
{
    return str_cmp(*(const Str *)a, *(const Str *)b);
}

/* Entries with a string key, sorted by it. The keys stay alive in the table. */
static void show_named(lua_State *L, int index, StrBuf *out, int depth, uint32_t shown)
{
    uint32_t n = 0, i = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        n += lua_type(L, -2) == LUA_TSTRING;
    Str *keys = lua_newuserdatauv(L, (n + 1) * sizeof *keys, 0);
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING && i < n) {
            keys[i].p = lua_tolstring(L, -2, &keys[i].n);
            i++;
        }
    qsort(keys, n, sizeof *keys, compare_keys);
    for (i = 0; i < n; i++, shown++) {
        if (shown == SHOW_ITEMS || out->n > SHOW_BYTES) {
            sb_puts(out, ", ...");
            break;
        }
        sb_printf(out, "%s%.*s = ", shown ? ", " : "", STR(keys[i]));
        lua_pushlstring(L, keys[i].p, keys[i].n);
        lua_rawget(L, index);
        show(L, -1, out, depth + 1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void show_table(lua_State *L, int index, StrBuf *out, int depth)
{
    uint32_t shown = 0;
    index = lua_absindex(L, index);
    lua_Integer n = (lua_Integer)lua_rawlen(L, index);
    sb_putc(out, '{');
    for (lua_Integer i = 1; i <= n; i++, shown++) {
        if (shown == SHOW_ITEMS || out->n > SHOW_BYTES) {
            sb_puts(out, ", ...");
            break;
        }
        sb_puts(out, shown ? ", " : "");
        lua_rawgeti(L, index, i);
        show(L, -1, out, depth + 1);
        lua_pop(L, 1);
    }
    show_named(L, index, out, depth, shown);
    sb_putc(out, '}');
}

static void show(lua_State *L, int index, StrBuf *out, int depth)
{
    luaL_checkstack(L, 10, "value nests too deep to be shown");
    Str s;
    if (depth < SHOW_DEPTH && is_plain_table(L, index)) {
        show_table(L, index, out, depth);
        return;
    }
    bool quoted = depth > 0 && lua_type(L, index) == LUA_TSTRING;
    s.p = luaL_tolstring(L, index, &s.n);
    size_t line = depth > 0 ? str_find(s, '\n', 0) : SIZE_MAX;
    sb_puts(out, quoted ? "\"" : "");
    sb_add(out, str_sub(s, 0, line));
    sb_puts(out, line == SIZE_MAX ? "" : " ...");
    sb_puts(out, quoted ? "\"" : "");
    lua_pop(L, 1);
}

void sl_show(lua_State *L, int index, StrBuf *out)
{
    show(L, lua_absindex(L, index), out, 0);
}

#endif
