/*
 * arg.c - arguments of operators as Lua values, and back.
 *
 * Numbers, booleans and strings are Lua's own; dtypes and devices are strings ("f32", "cuda:0");
 * tuples are tables, lists and dicts tables of a class; values are value objects. Slices, complex
 * numbers and bare words are small tables of a class. What is read from a node can be given to an
 * operator again unchanged.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

#include <string.h>

enum { MAX_TREE = 32 };

/* ----------------------------------------------------------------------------------- to Lua */

static void push_word(lua_State *L, Str name)
{
    lua_createtable(L, 0, 1);
    sl_push_str(L, name);
    lua_setfield(L, -2, "name");
    luaL_setmetatable(L, CLASS_WORD);
}

static void push_fields(lua_State *L, Box *box, Arg a, const char *const *names, const char *class)
{
    lua_createtable(L, 0, 3);
    for (uint32_t i = 0; i < arg_nitems(a); i++) {
        sl_push_arg(L, box, a.items[i]);
        lua_setfield(L, -2, names[i]);
    }
    luaL_setmetatable(L, class);
}

static void push_dict(lua_State *L, Box *box, Arg a)
{
    lua_createtable(L, (int)a.n, 0);
    for (uint32_t i = 0; i < a.n; i++) {
        lua_createtable(L, 2, 0);
        for (uint32_t k = 0; k < 2; k++) {
            sl_push_item(L, box, a.items[2 * i + k]);
            lua_rawseti(L, -2, k + 1);
        }
        lua_rawseti(L, -2, i + 1);
    }
    luaL_setmetatable(L, CLASS_DICT);
}

static void push_seq(lua_State *L, Box *box, Arg a)
{
    lua_createtable(L, (int)a.n, 0);
    for (uint32_t i = 0; i < a.n; i++) {
        sl_push_item(L, box, a.items[i]);
        lua_rawseti(L, -2, i + 1);
    }
    if (a.kind == ARG_list)
        luaL_setmetatable(L, CLASS_LIST);
}

static void push_device(lua_State *L, Device d)
{
    StrBuf *b = sl_buffer(L);
    device_print(d, b);
    sl_push_str(L, sb_str(b));
    lua_remove(L, -2);
}

void sl_push_item(lua_State *L, Box *box, Arg a)
{
    if (arg_is_none(a))
        push_word(L, S("None"));
    else
        sl_push_arg(L, box, a);
}

void sl_push_arg(lua_State *L, Box *box, Arg a)
{
    static const char *const slice_names[] = {"start", "stop", "step"};
    static const char *const complex_names[] = {"re", "im"};
    luaL_checkstack(L, 10, "argument nests too deep");
    switch ((ArgKind)a.kind) {
    case ARG_none:
        lua_pushnil(L);
        return;
    case ARG_value:
        sl_push_value(L, box, a.v);
        return;
    case ARG_int:
        lua_pushinteger(L, a.i);
        return;
    case ARG_float:
        lua_pushnumber(L, a.f);
        return;
    case ARG_bool:
        lua_pushboolean(L, a.i != 0);
        return;
    case ARG_str:
        sl_push_str(L, arg_str(a));
        return;
    case ARG_dtype:
        lua_pushstring(L, a.dtype < DT_COUNT ? dtype_info[a.dtype].name : "?");
        return;
    case ARG_device:
        push_device(L, a.device);
        return;
    case ARG_tuple:
    case ARG_list:
        push_seq(L, box, a);
        return;
    case ARG_dict:
        push_dict(L, box, a);
        return;
    case ARG_slice:
        push_fields(L, box, a, slice_names, CLASS_SLICE);
        return;
    case ARG_complex:
        push_fields(L, box, a, complex_names, CLASS_COMPLEX);
        return;
    case ARG_ellipsis:
        push_word(L, S("..."));
        return;
    case ARG_word:
        push_word(L, arg_str(a));
        return;
    }
}

/* --------------------------------------------------------------------------------- from Lua */

static Arg tree(lua_State *L, int index, Builder *b, int depth);

static Arg field(lua_State *L, int table, const char *name, Builder *b, int depth)
{
    lua_getfield(L, table, name);
    Arg a = tree(L, -1, b, depth + 1);
    lua_pop(L, 1);
    return a;
}

static Arg from_string(lua_State *L, int index, Builder *b)
{
    Str s;
    Device device;
    s.p = lua_tolstring(L, index, &s.n);
    DType d = dtype_parse(s);
    if (d != DT_none)
        return A_DTYPE(d);
    if (device_parse(s, &device))
        return A_DEVICE(device);
    return arg_string(b->b.t, s);
}

static Arg from_word(lua_State *L, int table, Builder *b)
{
    Str name;
    lua_getfield(L, table, "name");
    name.p = luaL_checklstring(L, -1, &name.n);
    Arg a = arg_string(b->b.t, name);
    lua_pop(L, 1);
    a.kind = ARG_word;
    if (str_is(name, "None"))
        return A_NONE;
    return str_is(name, "...") ? (Arg){.kind = ARG_ellipsis} : a;
}

static void need_sequence(lua_State *L, int table)
{
    lua_Unsigned n = lua_rawlen(L, table), entries = 0;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
        entries++;
    if (entries != n)
        sl_raise(L, "bad-argument",
                 "a table with names or holes cannot be an argument here; write {a, b, c}, and "
                 "thunder.none for None");
}

static Arg from_seq(lua_State *L, int table, Builder *b, ArgKind kind, int depth)
{
    need_sequence(L, table);
    uint32_t n = (uint32_t)lua_rawlen(L, table);
    Arg *items = new_array(&b->b.t->arena, Arg, n);
    for (uint32_t i = 0; i < n; i++) {
        lua_rawgeti(L, table, i + 1);
        items[i] = tree(L, -1, b, depth + 1);
        lua_pop(L, 1);
    }
    return (Arg){.kind = (uint8_t)kind, .n = n, .items = items};
}

/* {{key, value}, ...} */
static Arg from_dict(lua_State *L, int table, Builder *b, int depth)
{
    uint32_t n = (uint32_t)lua_rawlen(L, table);
    Arg *items = new_array(&b->b.t->arena, Arg, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        lua_rawgeti(L, table, i + 1);
        if (!lua_istable(L, -1) || lua_rawlen(L, -1) != 2)
            sl_raise(L, "bad-argument", "a dict is written thunder.dict{{key, value}, ...}");
        for (uint32_t k = 0; k < 2; k++) {
            lua_rawgeti(L, -1, k + 1);
            items[2 * i + k] = tree(L, -1, b, depth + 2);
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    return (Arg){.kind = ARG_dict, .n = n, .items = items};
}

static Arg from_table(lua_State *L, int table, Builder *b, int depth)
{
    const char *class = "";
    int type = luaL_getmetafield(L, table, "__name");
    if (type == LUA_TSTRING)
        class = lua_tostring(L, -1); /* stays alive in the metatable */
    if (type != LUA_TNIL)
        lua_pop(L, 1);
    if (strcmp(class, CLASS_SLICE) == 0)
        return arg_slice(b->b.t, field(L, table, "start", b, depth),
                         field(L, table, "stop", b, depth), field(L, table, "step", b, depth));
    if (strcmp(class, CLASS_COMPLEX) == 0) {
        lua_getfield(L, table, "re");
        lua_getfield(L, table, "im");
        Arg a = arg_complex(b->b.t, luaL_checknumber(L, -2), luaL_checknumber(L, -1));
        lua_pop(L, 2);
        return a;
    }
    if (strcmp(class, CLASS_WORD) == 0)
        return from_word(L, table, b);
    if (strcmp(class, CLASS_DICT) == 0)
        return from_dict(L, table, b, depth);
    return from_seq(L, table, b, strcmp(class, CLASS_LIST) == 0 ? ARG_list : ARG_tuple, depth);
}

static Arg tree(lua_State *L, int index, Builder *b, int depth)
{
    index = lua_absindex(L, index);
    if (depth > MAX_TREE)
        sl_raise(L, "bad-argument", "an argument nests deeper than %d tables", MAX_TREE);
    luaL_checkstack(L, 10, "argument nests too deep");
    switch (lua_type(L, index)) {
    case LUA_TNIL:
    case LUA_TNONE:
        return A_NONE;
    case LUA_TBOOLEAN:
        return A_BOOL(lua_toboolean(L, index));
    case LUA_TNUMBER:
        return lua_isinteger(L, index) ? A_INT(lua_tointeger(L, index))
                                       : A_FLOAT(lua_tonumber(L, index));
    case LUA_TSTRING:
        return from_string(L, index, b);
    case LUA_TTABLE:
        return from_table(L, index, b, depth);
    default:
        if (luaL_testudata(L, index, CLASS_VALUE))
            return A_VALUE(sl_resolve(L, b, index));
        sl_raise(L, "bad-argument", "a %s cannot be an argument of an operator",
                 luaL_typename(L, index));
        return A_NONE;
    }
}

Arg sl_to_arg(lua_State *L, int index, Builder *b)
{
    return tree(L, index, b, 0);
}

/* ------------------------------------------------------------------------------- constructors */

static int make_slice(lua_State *L)
{
    static const char *const names[] = {"start", "stop", "step"};
    lua_settop(L, 3);
    lua_createtable(L, 0, 3);
    for (int i = 0; i < 3; i++) {
        lua_pushvalue(L, i + 1);
        lua_setfield(L, -2, names[i]);
    }
    luaL_setmetatable(L, CLASS_SLICE);
    return 1;
}

static int make_complex(lua_State *L)
{
    lua_createtable(L, 0, 2);
    lua_pushnumber(L, luaL_checknumber(L, 1));
    lua_setfield(L, -2, "re");
    lua_pushnumber(L, luaL_optnumber(L, 2, 0));
    lua_setfield(L, -2, "im");
    luaL_setmetatable(L, CLASS_COMPLEX);
    return 1;
}

static int make_word(lua_State *L)
{
    push_word(L, sl_check_str(L, 1));
    return 1;
}

/* A copy of the items of the table at 1, as one of this class. */
static int copy_items(lua_State *L, const char *class)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer n = (lua_Integer)lua_rawlen(L, 1);
    lua_newtable(L);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, 1, i);
        lua_rawseti(L, -2, i);
    }
    luaL_setmetatable(L, class);
    return 1;
}

static int make_list(lua_State *L)
{
    return copy_items(L, CLASS_LIST);
}

static int make_dict(lua_State *L)
{
    return copy_items(L, CLASS_DICT);
}

/* ------------------------------------------------------------------------ behaviour of tables */

static int slice_tostring(lua_State *L)
{
    static const char *const names[] = {"start", "stop", "step"};
    StrBuf *b = sl_buffer(L);
    for (int i = 0; i < 3; i++) {
        lua_getfield(L, 1, names[i]);
        bool absent = lua_isnil(L, -1);
        if (i == 1 || (i == 2 && !absent))
            sb_putc(b, ':');
        if (!absent)
            sb_puts(b, luaL_tolstring(L, -1, NULL));
    }
    sl_push_str(L, sb_str(b));
    return 1;
}

static int complex_tostring(lua_State *L)
{
    lua_getfield(L, 1, "re");
    lua_getfield(L, 1, "im");
    StrBuf *b = sl_buffer(L);
    sb_printf(b, "(%.17g%+.17gj)", luaL_checknumber(L, 2), luaL_checknumber(L, 3));
    sl_push_str(L, sb_str(b));
    return 1;
}

static int word_tostring(lua_State *L)
{
    lua_getfield(L, 1, "name");
    return 1;
}

static int word_eq(lua_State *L)
{
    lua_getfield(L, 1, "name");
    lua_getfield(L, 2, "name");
    lua_pushboolean(L, lua_rawequal(L, -1, -2));
    return 1;
}

/* dict[key], for keys that are strings. */
static int dict_index(lua_State *L)
{
    lua_Integer n = (lua_Integer)lua_rawlen(L, 1);
    for (lua_Integer i = 1; i <= n; i++) {
        if (lua_rawgeti(L, 1, i) == LUA_TTABLE) {
            lua_rawgeti(L, -1, 1);
            if (lua_rawequal(L, -1, 2)) {
                lua_rawgeti(L, -2, 2);
                return 1;
            }
        }
        lua_settop(L, 2);
    }
    return 0;
}

static void open_class(lua_State *L, const char *name, const luaL_Reg *meta)
{
    luaL_newmetatable(L, name);
    luaL_setfuncs(L, meta, 0);
    lua_pushstring(L, name); /* getmetatable gives this; a script changes no class */
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

void sl_open_args(lua_State *L)
{
    static const luaL_Reg none[] = {{NULL, NULL}};
    static const luaL_Reg slice[] = {{"__tostring", slice_tostring}, {NULL, NULL}};
    static const luaL_Reg complex[] = {{"__tostring", complex_tostring}, {NULL, NULL}};
    static const luaL_Reg word[] = {
        {"__tostring", word_tostring}, {"__eq", word_eq}, {NULL, NULL}};
    static const luaL_Reg dict[] = {{"__index", dict_index}, {NULL, NULL}};
    static const luaL_Reg makers[] = {{"slice", make_slice}, {"complex", make_complex},
                                      {"word", make_word},   {"list", make_list},
                                      {"dict", make_dict},   {NULL, NULL}};
    open_class(L, CLASS_LIST, none);
    open_class(L, CLASS_DICT, dict);
    open_class(L, CLASS_SLICE, slice);
    open_class(L, CLASS_COMPLEX, complex);
    open_class(L, CLASS_WORD, word);
    luaL_setfuncs(L, makers, 0);
    push_word(L, S("None"));
    lua_setfield(L, -2, "none");
    push_word(L, S("..."));
    lua_setfield(L, -2, "ellipsis");
}

#endif
