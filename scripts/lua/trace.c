/*
 * trace.c - the fields of trace objects, walking and searching.
 *
 * Input: a trace, or the trace that a pass rewrites. Output: iterators over its nodes in order,
 * its values by name, its text.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

/* -------------------------------------------------------------------------------------- walks */

enum { MAX_NESTING = 128 };

typedef struct Walk {
    Box *box; /* kept alive by the user value */
    NodeId at, end;
    uint32_t depth, level;
    NodeId ends[MAX_NESTING];
} Walk;

/* The next node in pre-order, down to depth; NO_NODE at the end. */
static NodeId walk_step(Walk *w, uint32_t *level)
{
    const Trace *t = w->box->t;
    while (w->level && w->at >= w->ends[w->level - 1])
        w->level--;
    if (w->at >= w->end || w->at >= t->nnodes)
        return NO_NODE;
    NodeId n = w->at;
    *level = w->level;
    if (w->level < w->depth && t->nodes[n].span > 1) {
        w->ends[w->level++] = n + t->nodes[n].span;
        w->at++;
    } else {
        w->at += t->nodes[n].span;
    }
    return n;
}

static Walk walk_from(Box *box, NodeId from, NodeId end, lua_Integer depth)
{
    Walk w = {.box = box, .at = from, .end = end};
    w.depth = depth < 0 || depth > MAX_NESTING ? MAX_NESTING : (uint32_t)depth;
    return w;
}

static int walk_next(lua_State *L)
{
    Walk *w = luaL_checkudata(L, 1, CLASS_WALK);
    uint32_t level;
    NodeId n = walk_step(w, &level);
    if (n == NO_NODE)
        return 0;
    sl_push_node(L, w->box, n);
    lua_pushinteger(L, level);
    return 2;
}

int sl_push_walk(lua_State *L, Box *box, NodeId from, NodeId end, lua_Integer depth)
{
    lua_pushcfunction(L, walk_next);
    Walk *w = lua_newuserdatauv(L, sizeof *w, 1);
    *w = walk_from(box, from, end, depth);
    luaL_setmetatable(L, CLASS_WALK);
    sl_push_trace(L, box->t);
    lua_setiuservalue(L, -2, 1);
    return 2;
}

static int trace_nodes(lua_State *L)
{
    Box *box = sl_check_box(L, 1);
    return sl_push_walk(L, box, 0, box->t->nnodes, 0);
}

static int trace_walk(lua_State *L)
{
    Box *box = sl_check_box(L, 1);
    return sl_push_walk(L, box, 0, box->t->nnodes, luaL_optinteger(L, 2, -1));
}

/* ---------------------------------------------------------------------------------- searching */

bool sl_matches(lua_State *L, int pattern, const char *text)
{
    pattern = lua_absindex(L, pattern);
    lua_getglobal(L, "string");
    lua_getfield(L, -1, "find");
    lua_pushstring(L, text);
    lua_pushfstring(L, "^%s$", lua_tostring(L, pattern));
    lua_call(L, 2, 1);
    bool found = !lua_isnil(L, -1);
    lua_pop(L, 2);
    return found;
}

/* Asked once an operator: the answers are kept in the table at `cache`. */
static bool op_matches(lua_State *L, int pattern, int cache, const Op *op)
{
    if (lua_rawgeti(L, cache, op->id) == LUA_TNIL) {
        StrBuf *qualified = sl_buffer(L);
        op_qualified_name(op, qualified);
        lua_pushboolean(L, sl_matches(L, pattern, op->name) ||
                               sl_matches(L, pattern, sb_cstr(qualified)));
        lua_copy(L, -1, -3);
        lua_rawseti(L, cache, op->id);
        lua_pop(L, 1);
    }
    bool yes = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return yes;
}

static int trace_find_op(lua_State *L)
{
    Box *box = sl_check_box(L, 1);
    luaL_checkstring(L, 2);
    Walk w = walk_from(box, 0, box->t->nnodes, luaL_optinteger(L, 3, 0));
    uint32_t level;
    lua_Integer found = 0;
    lua_settop(L, 2);
    lua_newtable(L); /* 3: the result */
    lua_newtable(L); /* 4: the answers */
    for (NodeId n = walk_step(&w, &level); n != NO_NODE; n = walk_step(&w, &level)) {
        if (!op_matches(L, 2, 4, box->t->nodes[n].op))
            continue;
        sl_push_node(L, box, n);
        lua_rawseti(L, 3, ++found);
    }
    lua_settop(L, 3);
    return 1;
}

static int trace_value(lua_State *L)
{
    Box *box = sl_check_box(L, 1);
    ValueId v = sl_find_value(box, sl_check_str(L, 2));
    if (!v)
        return 0;
    sl_push_value(L, box, v);
    return 1;
}

static int next_value(lua_State *L)
{
    Box *box = luaL_checkudata(L, lua_upvalueindex(1), CLASS_TRACE);
    lua_Integer v = lua_tointeger(L, lua_upvalueindex(2));
    do {
        if (++v >= box->t->nvalues)
            return 0;
    } while (box->t->values[v].type.kind == VALUE_dead);
    lua_pushinteger(L, v);
    lua_replace(L, lua_upvalueindex(2));
    sl_push_value(L, box, (ValueId)v);
    return 1;
}

static int trace_values(lua_State *L)
{
    Box *box = sl_check_box(L, 1);
    sl_push_trace(L, box->t);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_value, 2);
    return 1;
}

/* ------------------------------------------------------------------------------------- fields */

static int trace_inputs(lua_State *L)
{
    Box *box = sl_check_box(L, 1);
    return sl_push_values(L, box, box->t->inputs, box->t->ninputs);
}

static int trace_outputs_list(lua_State *L)
{
    Box *box = sl_check_box(L, 1);
    uint32_t n = trace_outputs(box->t, NULL, 0);
    Arg *leaves = lua_newuserdatauv(L, (n + 1) * sizeof *leaves, 0);
    trace_outputs(box->t, leaves, n);
    lua_createtable(L, (int)n, 0);
    for (uint32_t i = 0; i < n; i++) {
        sl_push_item(L, box, leaves[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int trace_kind(lua_State *L)
{
    static const char *const words[] = {"computation", "prologue", "forward",
                                        "backward",    "joint",    "epilogue"};
    lua_pushstring(L, words[sl_check_box(L, 1)->t->kind]);
    return 1;
}

#define TRACE_FIELD(name, push, expr) \
    static int trace_##name(lua_State *L) \
    { \
        Box *box = sl_check_box(L, 1); \
        push(L, (expr)); \
        return 1; \
    }
TRACE_FIELD(name, sl_push_str, box->t->name)
TRACE_FIELD(made_by, sl_push_str, box->t->made_by)
TRACE_FIELD(stage, lua_pushinteger, box->t->stage)
TRACE_FIELD(ms, lua_pushnumber, (double)box->t->made_ns / 1e6)
TRACE_FIELD(size, lua_pushinteger, box->t->nnodes)
TRACE_FIELD(plan_bytes, lua_pushinteger, box->t->plan_bytes)

static int trace_output_tree(lua_State *L)
{
    Box *box = sl_check_box(L, 1);
    sl_push_arg(L, box, box->t->output);
    return 1;
}

/* --------------------------------------------------------------------------------------- text */

static bool flag_option(lua_State *L, int table, const char *name, bool dflt)
{
    if (lua_getfield(L, table, name) != LUA_TNIL)
        dflt = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return dflt;
}

static void push_text(lua_State *L, Box *box, int options)
{
    PrintOptions o = print_all;
    if (lua_istable(L, options)) {
        if (lua_getfield(L, options, "depth") != LUA_TNIL)
            o.depth = (int)luaL_checkinteger(L, -1);
        lua_pop(L, 1);
        o.header = flag_option(L, options, "header", o.header);
        o.types = flag_option(L, options, "types", o.types);
        o.locations = flag_option(L, options, "locations", o.locations);
    }
    StrBuf *b = sl_buffer(L);
    trace_print(box->t, &o, b);
    sl_push_str(L, sb_str(b));
}

static int trace_text(lua_State *L)
{
    push_text(L, sl_check_box(L, 1), 2);
    return 1;
}

static int trace_print_out(lua_State *L)
{
    push_text(L, sl_check_box(L, 1), 2);
    sl_emit(sl_script(L), sl_check_str(L, -1));
    return 0;
}

static int trace_tostring(lua_State *L)
{
    push_text(L, sl_check_box(L, 1), lua_gettop(L) + 1);
    return 1;
}

static int trace_equals(lua_State *L)
{
    Box *a = sl_check_box(L, 1), *b = sl_check_box(L, 2);
    StrBuf *why = sl_buffer(L);
    lua_pushboolean(L, trace_equal(a->t, b->t, why));
    if (!why->n)
        return 1;
    sl_push_str(L, sb_str(why));
    return 2;
}

static int trace_check(lua_State *L)
{
    Box *box = sl_check_box(L, 1);
    Diag *d = sl_diag(L);
    if (!trace_verify(box->t, d)) {
        sl_forget_stale_spans(sl_script(L), d);
        return sl_fail(L, -1, 1);
    }
    lua_pushboolean(L, true);
    return 1;
}

static int box_gc(lua_State *L)
{
    Box *box = luaL_checkudata(L, 1, CLASS_TRACE);
    sl_forget_index(box);
    trace_unref(box->t);
    return 0;
}

void sl_open_traces(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__gc", box_gc}, {"__tostring", trace_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"nodes", trace_nodes},
                                       {"walk", trace_walk},
                                       {"find_op", trace_find_op},
                                       {"value", trace_value},
                                       {"values", trace_values},
                                       {"text", trace_text},
                                       {"print", trace_print_out},
                                       {"equals", trace_equals},
                                       {"verify", trace_check},
                                       {"run", sl_trace_run},
                                       {NULL, NULL}};
    static const luaL_Reg getters[] = {{"name", trace_name},
                                       {"kind", trace_kind},
                                       {"inputs", trace_inputs},
                                       {"outputs", trace_outputs_list},
                                       {"output", trace_output_tree},
                                       {"made_by", trace_made_by},
                                       {"stage", trace_stage},
                                       {"ms", trace_ms},
                                       {"size", trace_size},
                                       {"plan_bytes", trace_plan_bytes},
                                       {NULL, NULL}};
    sl_class(L, CLASS_TRACE, meta, methods, getters);
    sl_class(L, CLASS_WALK, NULL, NULL, NULL);
}

#endif
