/*
 * ops.c - operators as Lua functions.
 *
 * Input: a call such as thunder.torch.sum(x, {dim = 1}), x:sum(1), x + y. Output: nodes at the
 * current place of the trace under construction. The one idea: a name is looked up in the
 * operators' registry when a script uses it, so every operator that a program can write a script
 * can call, and there is no list of them here.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

static const char operators; /* its address is the key of the table of operator functions */

/* ----------------------------------------------------------------------------------- one call */

typedef struct Call {
    Arg *pos, *kw;
    Str *names;
    uint32_t npos, nkw;
} Call;

/* Counts the entries of a table without a class that have a name. */
static uint32_t count_named(lua_State *L, int index)
{
    uint32_t n = 0;
    if (!lua_istable(L, index))
        return 0;
    if (lua_getmetatable(L, index)) {
        lua_pop(L, 1);
        return 0;
    }
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
        n += lua_type(L, -2) == LUA_TSTRING;
    return n;
}

static void read_keywords(lua_State *L, int table, Builder *b, Call *c)
{
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            continue;
        Str *name = &c->names[c->nkw];
        name->p = lua_tolstring(L, -2, &name->n);
        c->kw[c->nkw++] = sl_to_arg(L, -1, b);
    }
}

/* f(x, y, {dim = 1}) and f{x, y, dim = 1}: a table with names is the keywords. */
static Call read_call(lua_State *L, int nargs, Builder *b)
{
    uint32_t named = nargs ? count_named(L, nargs) : 0;
    uint32_t inside = named && nargs == 1 ? (uint32_t)lua_rawlen(L, 1) : 0;
    uint32_t npos = inside ? inside : (uint32_t)nargs - (named > 0);
    Arena *a = &b->b.t->arena;
    Call c = {.pos = new_array(a, Arg, npos), .npos = npos};
    if (named && !inside && lua_rawlen(L, nargs))
        sl_raise(L, "bad-argument", "the keywords of a call stand in a table of their own");
    c.kw = new_array(a, Arg, named);
    c.names = new_array(a, Str, named);
    for (uint32_t i = 0; i < npos; i++) {
        if (inside)
            lua_rawgeti(L, 1, i + 1);
        else
            lua_pushvalue(L, (int)i + 1);
        c.pos[i] = sl_to_arg(L, -1, b);
        lua_pop(L, 1);
    }
    if (named)
        read_keywords(L, nargs, b, &c);
    return c;
}

static void note_visited(Builder *b, Diag *d)
{
    if (b->visiting == NO_NODE || !d->first)
        return;
    StrBuf text = {0};
    sl_node_text(b->in->t, b->visiting, &text);
    Str old = d->first->note;
    diag_note(d, d->first, "%.*s%swhile rewriting %s", STR(old), old.n ? "; " : "", sb_cstr(&text));
    sb_free(&text);
}

static int call_failed(lua_State *L, Builder *b, NodeId first)
{
    Diag *d = b->b.diag;
    b->b.t->nnodes = first;
    b->b.failed = false;
    for (DiagItem *item = d->first; item; item = item->next)
        item->span = (Span){0}; /* the mistake is in the script, not in the program's text */
    note_visited(b, d);
    return sl_fail(L, -1, 1);
}

/* An endless loop in a script stops here before the machine's memory does. */
static void check_size(lua_State *L, const Trace *t)
{
    enum { MOST_VALUES = 1 << 22 };
    if (t->nvalues > MOST_VALUES)
        sl_raise(L, "too-large", "a script builds at most %d values", (int)MOST_VALUES);
}

int sl_call(lua_State *L, const Spelling *spelling, SlBuild *build)
{
    Script *sc = sl_script(L);
    Builder *b = sc->builder;
    int nargs = lua_gettop(L);
    Arg args[MAX_PARAMS];
    Span spans[MAX_PARAMS];
    if (!b)
        return sl_raise(L, "not-building",
                        "%.*s: operators are called in the function of thunder.build, or while a "
                        "pass visits a node",
                        STR(spelling->name));
    check_size(L, b->b.t);
    Call c = read_call(L, nargs, b);
    b->b.diag = sl_diag(L);
    NodeId first = b->b.t->nnodes;
    const Op *op =
        op_bind(&b->b, spelling, c.pos, c.npos, c.names, c.kw, c.nkw, NULL, args, spans);
    if (op && b->functional && op->flags & OP_IN_PLACE)
        build_error(&b->b, -1, "%s writes into its argument: a pass works on functional programs",
                    op->name);
    Arg out = op ? build(&b->b, op, args) : A_NONE;
    if (b->b.failed)
        return call_failed(L, b, first);
    sl_reserve(L, b);
    sl_define_from(b, first);
    sl_push_arg(L, b->out, out);
    return 1;
}

static int call_operator(lua_State *L)
{
    return sl_call(L, lua_touserdata(L, lua_upvalueindex(1)), op_call);
}

/* ------------------------------------------------------------------------------------ look-up */

/* Pushes the function for an operator as written in programs; false when it is unknown. */
static bool sl_push_operator(lua_State *L, Str written)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &operators);
    sl_push_str(L, written);
    if (lua_rawget(L, -2) != LUA_TNIL) {
        lua_remove(L, -2);
        return true;
    }
    lua_pop(L, 1);
    const Spelling *spelling = registry_lookup(session_registry(sl_script(L)->s), written);
    if (!spelling) {
        lua_pop(L, 1);
        return false;
    }
    lua_pushlightuserdata(L, (void *)spelling);
    lua_pushcclosure(L, call_operator, 1);
    sl_push_str(L, written);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
    lua_remove(L, -2);
    return true;
}

static int unknown_operator(lua_State *L, const char *written)
{
    Diag *d = sl_diag(L);
    Str near = registry_nearest(session_registry(sl_script(L)->s), str_from(written));
    DiagItem *item =
        diag_error(d, DIAG_load, (Span){0}, "unknown-op", "unknown operator %s", written);
    if (near.n)
        diag_note(d, item, "did you mean %.*s?", STR(near));
    diag_help(d, item, "ops");
    return sl_fail(L, -1, 1);
}

/* thunder.op(name): an operator by any of its spellings. */
static int find_operator(lua_State *L)
{
    Str written = sl_check_str(L, 1);
    if (sl_push_operator(L, written))
        return 1;
    return unknown_operator(L, written.p);
}

/* thunder.torch.NAME, thunder.prims.NAME: the prefixes to try are upvalues. */
static int language_index(lua_State *L)
{
    luaL_checkstring(L, 2);
    for (int i = 1; !lua_isnone(L, lua_upvalueindex(i)); i++) {
        lua_pushvalue(L, lua_upvalueindex(i));
        lua_pushvalue(L, 2);
        lua_concat(L, 2);
        if (sl_push_operator(L, sl_check_str(L, -1)))
            return 1;
        lua_pop(L, 1);
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, 2);
    lua_concat(L, 2);
    return unknown_operator(L, lua_tostring(L, -1));
}

static void open_language(lua_State *L, const char *name, const char *const *prefixes, int n)
{
    lua_newtable(L);
    lua_newtable(L);
    for (int i = 0; i < n; i++)
        lua_pushstring(L, prefixes[i]);
    lua_pushcclosure(L, language_index, n);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_setfield(L, -2, name);
}

static void add_text(lua_State *L, const char *key, const char *text)
{
    lua_pushstring(L, text ? text : "");
    lua_setfield(L, -2, key);
}

/* thunder.ops([pattern]): what there is, as tables. */
static int list_operators(lua_State *L)
{
    const Registry *r = session_registry(sl_script(L)->s);
    lua_Integer found = 0;
    luaL_optstring(L, 1, "");
    lua_newtable(L);
    for (uint32_t i = 0; i < r->n; i++) {
        const Op *op = r->ops[i];
        if (lua_isstring(L, 1) && !sl_matches(L, 1, op->name))
            continue;
        lua_newtable(L);
        add_text(L, "name", op->name);
        add_text(L, "language", language_prefix((Language)op->language));
        sl_push_str(L, op->sig.text);
        lua_setfield(L, -2, "signature");
        add_text(L, "spellings", op->spellings);
        add_text(L, "help", op->help);
        lua_rawseti(L, -2, ++found);
    }
    return 1;
}

/* --------------------------------------------------------------------------- Python operators */

static int call_named(lua_State *L, const char *written, int nargs)
{
    if (!sl_push_operator(L, str_from(written)))
        return unknown_operator(L, written);
    lua_insert(L, -nargs - 1);
    lua_call(L, nargs, 1);
    return 1;
}

static int binary_event(lua_State *L)
{
    return call_named(L, lua_tostring(L, lua_upvalueindex(1)), 2);
}

static int unary_event(lua_State *L)
{
    lua_settop(L, 1); /* Lua gives the operand twice */
    return call_named(L, lua_tostring(L, lua_upvalueindex(1)), 1);
}

int sl_value_operator(lua_State *L)
{
    if (lua_type(L, 2) != LUA_TSTRING)
        return call_named(L, "op.getitem", 2);
    const char *name = lua_tostring(L, 2);
    lua_pushfstring(L, "Tensor.%s", name);
    if (sl_push_operator(L, sl_check_str(L, -1)))
        return 1;
    return sl_raise(L, "no-field", "a value has no field '%s', and a tensor no method of that name",
                    name);
}

void sl_open_ops(lua_State *L)
{
    static const char *const torch[] = {"torch.", "ltorch.", "torch.nn.functional."};
    static const char *const prims[] = {"prims."};
    static const char *const numpy[] = {"lnp."};
    static const struct {
        const char *event, *operator;
        lua_CFunction fn;
    } events[] = {
        {"__add", "op.add", binary_event},       {"__sub", "op.sub", binary_event},
        {"__mul", "op.mul", binary_event},       {"__div", "op.truediv", binary_event},
        {"__mod", "op.mod", binary_event},       {"__pow", "op.pow", binary_event},
        {"__idiv", "op.floordiv", binary_event}, {"__band", "op.and_", binary_event},
        {"__bor", "op.or_", binary_event},       {"__bxor", "op.xor", binary_event},
        {"__unm", "op.neg", unary_event},        {"__bnot", "op.invert", unary_event},
    };
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &operators);
    luaL_getmetatable(L, CLASS_VALUE);
    for (size_t i = 0; i < ARRAY_LEN(events); i++) {
        lua_pushstring(L, events[i].operator);
        lua_pushcclosure(L, events[i].fn, 1);
        lua_setfield(L, -2, events[i].event);
    }
    lua_pop(L, 1);
    open_language(L, "torch", torch, ARRAY_LEN(torch));
    open_language(L, "prims", prims, ARRAY_LEN(prims));
    open_language(L, "numpy", numpy, ARRAY_LEN(numpy));
    lua_pushcfunction(L, find_operator);
    lua_setfield(L, -2, "op");
    lua_pushcfunction(L, list_operators);
    lua_setfield(L, -2, "ops");
}

#endif
