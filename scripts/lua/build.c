/*
 * build.c - traces under construction by a script, and programs from scratch.
 *
 * Input: value objects and calls of operators (ops.c). Output: nodes appended to the builder's
 * trace; thunder.build makes it a program of the session. The one idea: a builder knows which
 * values are computed at the place reached, so what a script gives it is checked before it enters
 * the trace.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- builders */

static int builder_gc(lua_State *L)
{
    Builder *b = luaL_checkudata(L, 1, CLASS_BUILDER);
    sl_close_builder(b);
    free(b->map);
    free(b->defined);
    map_free(&b->names);
    trace_unref(b->b.t);
    b->map = NULL;
    b->defined = NULL;
    b->b.t = NULL;
    return 0;
}

Builder *sl_push_builder(lua_State *L, Box *in, Str name)
{
    Builder *b = lua_newuserdatauv(L, sizeof *b, 2);
    *b = (Builder){.in = in, .visiting = NO_NODE};
    luaL_setmetatable(L, CLASS_BUILDER);
    if (in) {
        b->b.t = trace_derive(in->t);
        sl_push_trace(L, in->t);
        lua_setiuservalue(L, -2, 2);
    } else {
        b->b.t = trace_new(session_registry(sl_script(L)->s), name);
    }
    b->out = sl_push_trace(L, b->b.t);
    b->out->builder = b;
    lua_setiuservalue(L, -2, 1);
    sl_reserve(L, b);
    for (uint32_t i = 0; i < b->b.t->ninputs; i++)
        b->defined[b->b.t->inputs[i]] = 1;
    return b;
}

void sl_close_builder(Builder *b)
{
    if (b->out && b->out->builder == b)
        b->out->builder = NULL;
    b->out = NULL;
}

static void *grown(lua_State *L, void *p, size_t old, size_t new, size_t size)
{
    char *q = realloc(p, new * size);
    if (!q)
        luaL_error(L, "not enough memory");
    memset(q + old * size, 0, (new - old) * size);
    return q;
}

void sl_reserve(lua_State *L, Builder *b)
{
    if (b->b.t->nvalues <= b->cap)
        return;
    uint32_t cap = b->b.t->nvalues + b->b.t->nvalues / 2 + 64;
    b->map = grown(L, b->map, b->cap, cap, sizeof *b->map);
    b->defined = grown(L, b->defined, b->cap, cap, sizeof *b->defined);
    b->cap = cap;
}

typedef struct Mark {
    Builder *b;
    NodeId producer;
} Mark;

static void mark_value(ValueId v, void *user)
{
    const Mark *m = user;
    m->b->defined[v] = m->producer != NO_NODE;
    m->b->b.t->values[v].producer = m->producer;
}

static void sl_undefine(Builder *b, Arg out)
{
    Mark m = {b, NO_NODE};
    arg_each_value(out, mark_value, &m);
}

void sl_define_from(Builder *b, NodeId first)
{
    Trace *t = b->b.t;
    for (NodeId n = first; n < t->nnodes; n += t->nodes[n].span) {
        Mark m = {b, n};
        arg_each_value(t->nodes[n].out, mark_value, &m);
    }
}

void sl_drop_from(Builder *b, NodeId first)
{
    Trace *t = b->b.t;
    for (NodeId n = first; n < t->nnodes; n += t->nodes[n].span)
        sl_undefine(b, t->nodes[n].out);
    t->nnodes = first;
}

/* Whether values of box keep their numbers in b's trace: it is an ancestor, or the trace itself. */
static bool is_related(const Builder *b, const Box *box)
{
    for (const Trace *t = b->b.t; t; t = t->parent)
        if (t == box->t)
            return true;
    return false;
}

ValueId sl_resolve(lua_State *L, Builder *b, int index)
{
    ValueRef *ref;
    const Value *value = sl_check_value(L, index, &ref);
    if (!is_related(b, ref->box))
        sl_raise(L, "foreign-value", "%.*s is a value of another trace (%.*s)", STR(value->name),
                 STR(ref->box->t->name));
    ValueId v = ref->v < b->cap && b->map[ref->v] ? b->map[ref->v] : ref->v;
    if (v >= b->cap || !b->defined[v])
        sl_raise(L, "undefined-value", "%.*s is not computed at this place", STR(value->name));
    return v;
}

/* -------------------------------------------------------------------------------------- names */

bool sl_is_identifier(Str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!isalnum((unsigned char)s.p[i]) && s.p[i] != '_')
            return false;
    return s.n > 0 && !isdigit((unsigned char)s.p[0]);
}

/* Fresh names (t7) are numbered past every name of that form. */
static void pass_number(Trace *t, Str name)
{
    size_t digits = 0;
    int64_t number;
    while (digits < name.n && isdigit((unsigned char)name.p[name.n - digits - 1]))
        digits++;
    if (digits && digits < 16 && str_to_i64(str_sub(name, name.n - digits, digits), &number) &&
        (uint64_t)number >= t->name_counter)
        t->name_counter = (uint64_t)number + 1;
}

static void take_name(lua_State *L, Builder *b, Str name)
{
    Trace *t = b->b.t;
    bool fresh;
    if (!sl_is_identifier(name))
        sl_raise(L, "bad-name", "'%.*s' is no name for a value", STR(name));
    if (b->names.n == 0)
        for (ValueId v = 1; v < t->nvalues; v++)
            map_put(&b->names, t->values[v].name, NULL);
    map_put(&b->names, name, &fresh);
    if (!fresh)
        sl_raise(L, "name-taken", "there is a value '%.*s' already", STR(name));
    pass_number(t, name);
}

int sl_value_named(lua_State *L)
{
    ValueRef *ref;
    sl_check_value(L, 1, &ref);
    Builder *b = ref->box->builder;
    Str name = sl_check_str(L, 2);
    if (!b)
        return sl_raise(L, "not-building", "a value is named while its trace is being built");
    take_name(L, b, name);
    value_rename(b->b.t, ref->v, name);
    lua_settop(L, 1);
    return 1;
}

/* ------------------------------------------------------------------------------------- inputs */

typedef struct InputSpec {
    DType dtype;
    Device device;
    uint32_t rank;
    int64_t shape[MAX_RANK];
} InputSpec;

static int bad_input(lua_State *L, const char *name, const char *what)
{
    return sl_raise(L, "bad-input", "input '%s': %s", name, what);
}

/* "cuda:0 f32[2, 3]", "f32[]", or a dtype alone; *shaped tells whether sizes were given. */
static bool parse_type(Str s, InputSpec *spec, bool *shaped)
{
    size_t open = str_find(s, '[', 0);
    Str head = str_trim(str_sub(s, 0, open)), sizes = {0};
    *shaped = open != SIZE_MAX;
    if (*shaped) {
        if (!str_ends(s, "]"))
            return false;
        sizes = str_trim(str_sub(s, open + 1, s.n - open - 2));
    }
    size_t space = str_find(head, ' ', 0);
    if (space != SIZE_MAX) {
        if (!device_parse(str_sub(head, 0, space), &spec->device))
            return false;
        head = str_trim(str_sub(head, space, SIZE_MAX));
    }
    spec->dtype = dtype_parse(head);
    while (sizes.n) {
        Str item = str_trim(str_cut(&sizes, ','));
        if (spec->rank == MAX_RANK || !str_to_i64(item, &spec->shape[spec->rank++]))
            return false;
    }
    return spec->dtype != DT_none;
}

static void read_shape(lua_State *L, const char *name, InputSpec *spec)
{
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) > MAX_RANK)
        bad_input(L, name, "its shape is a table of sizes");
    spec->rank = (uint32_t)lua_rawlen(L, -1);
    for (uint32_t i = 0; i < spec->rank; i++) {
        lua_rawgeti(L, -1, i + 1);
        if (!lua_isinteger(L, -1))
            bad_input(L, name, "a size is not an integer");
        spec->shape[i] = lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
}

static void check_sizes(lua_State *L, const char *name, const InputSpec *spec)
{
    int64_t numel = 1;
    for (uint32_t i = 0; i < spec->rank; i++)
        if (spec->shape[i] < 0 || __builtin_mul_overflow(numel, spec->shape[i], &numel) ||
            numel > INT64_MAX / 16)
            bad_input(L, name, "a size is negative or too large");
}

/* The table on top: {dtype, shape, device = ...} from entry number `at` on. */
static InputSpec read_spec(lua_State *L, const char *name, int at)
{
    InputSpec spec = {0};
    bool shaped = false;
    lua_rawgeti(L, -1, at);
    if (lua_type(L, -1) != LUA_TSTRING || !parse_type(sl_check_str(L, -1), &spec, &shaped))
        bad_input(L, name, "its type is written \"f32\", {2, 3} or \"f32[2, 3]\"");
    lua_pop(L, 1);
    if (lua_rawgeti(L, -1, at + 1) != LUA_TNIL && !shaped)
        read_shape(L, name, &spec);
    lua_pop(L, 1);
    if (lua_getfield(L, -1, "device") != LUA_TNIL &&
        !device_parse(sl_check_str(L, -1), &spec.device))
        bad_input(L, name, "unknown device");
    lua_pop(L, 1);
    check_sizes(L, name, &spec);
    return spec;
}

static void add_input(lua_State *L, Builder *b, const char *name, int at)
{
    if (!lua_istable(L, -1))
        bad_input(L, name, "an input is written {\"x\", \"f32\", {2, 3}}");
    InputSpec spec = read_spec(L, name, at);
    take_name(L, b, str_from(name));
    Type type = type_tensor(b->b.t, spec.dtype, spec.device, spec.rank, spec.shape);
    ValueId v = trace_add_input(b->b.t, type, str_from(name));
    sl_reserve(L, b);
    b->defined[v] = 1;
}

/* {{"x", "f32", {2, 3}}, ...}: in this order. */
static void listed_inputs(lua_State *L, Builder *b, int table)
{
    for (lua_Integer i = 1; lua_rawgeti(L, table, i) != LUA_TNIL; i++) {
        const char *name = "?";
        if (lua_istable(L, -1)) {
            if (lua_rawgeti(L, -1, 1) != LUA_TSTRING)
                bad_input(L, name, "the first entry of an input is its name");
            name = lua_tostring(L, -1); /* stays alive in its table */
            lua_pop(L, 1);
        }
        add_input(L, b, name, 2);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* {x = {"f32", {2, 3}}, ...}: in the order of their names. */
static void named_inputs(lua_State *L, Builder *b, int table)
{
    size_t n = 0, i = 0;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
        n++;
    const char **names = lua_newuserdatauv(L, (n + 1) * sizeof *names, 0);
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING)
            names[i++] = lua_tostring(L, -2);
    if (i != n)
        sl_raise(L, "bad-input", "inputs are either listed in order or given by name, not both");
    qsort(names, n, sizeof *names, compare_names);
    for (i = 0; i < n; i++) {
        lua_getfield(L, table, names[i]);
        add_input(L, b, names[i], 1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* ------------------------------------------------------------------------------ thunder.build */

/* Calls the function at index 3 with the inputs; its results are left on the stack. */
static int call_function(lua_State *L, Builder *b)
{
    Script *sc = sl_script(L);
    Builder *outer = sc->builder;
    lua_pushcfunction(L, sl_handler);
    int handler = lua_gettop(L);
    lua_pushvalue(L, 3);
    luaL_checkstack(L, (int)b->b.t->ninputs + 8, "too many inputs");
    for (uint32_t i = 0; i < b->b.t->ninputs; i++)
        sl_push_value(L, b->out, b->b.t->inputs[i]);
    sc->builder = b;
    int status = lua_pcall(L, (int)b->b.t->ninputs, LUA_MULTRET, handler);
    sc->builder = outer;
    if (status != LUA_OK)
        lua_error(L);
    lua_remove(L, handler);
    return lua_gettop(L) - handler + 1;
}

static Arg read_output(lua_State *L, Builder *b, int nresults)
{
    int first = lua_gettop(L) - nresults + 1;
    if (nresults == 0)
        sl_raise(L, "no-output", "the function returns the outputs of the program");
    if (nresults == 1)
        return sl_to_arg(L, first, b);
    Arg *items = new_array(&b->b.t->arena, Arg, nresults);
    for (int i = 0; i < nresults; i++)
        items[i] = sl_to_arg(L, first + i, b);
    return (Arg){.kind = ARG_tuple, .n = (uint32_t)nresults, .items = items};
}

static int build_program(lua_State *L)
{
    Script *sc = sl_script(L);
    Str name = sl_check_str(L, 1);
    sl_need_idle(L, "thunder.build");
    luaL_checktype(L, 2, LUA_TTABLE);
    luaL_checktype(L, 3, LUA_TFUNCTION);
    lua_settop(L, 3);
    if (!sl_is_identifier(name))
        return sl_raise(L, "bad-name", "'%.*s' is no name for a program", STR(name));
    Builder *b = sl_push_builder(L, NULL, name);
    if (lua_rawlen(L, 2))
        listed_inputs(L, b, 2);
    else
        named_inputs(L, b, 2);
    Trace *t = b->b.t;
    t->output = read_output(L, b, call_function(L, b));
    trace_finish(t);
    sl_close_builder(b);
    Diag *d = sl_diag(L);
    if (!trace_verify(t, d))
        return sl_fail(L, -1, 1);
    sl_push_program(L, session_add_trace(sc->s, trace_ref(t)));
    return 1;
}

void sl_open_build(lua_State *L)
{
    sl_class(L, CLASS_BUILDER, (const luaL_Reg[]){{"__gc", builder_gc}, {NULL, NULL}}, NULL, NULL);
    sl_open_ops(L);
    sl_open_clang(L);
    lua_pushcfunction(L, build_program);
    lua_setfield(L, -2, "build");
}

#endif
