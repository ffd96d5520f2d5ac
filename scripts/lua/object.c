/*
 * object.c - traces, nodes and values as objects of Lua.
 *
 * Input: a trace. Output: userdata; their fields are in trace.c, node.c and value.c. One object
 * stands for one trace (a weak table remembers it) and keeps it alive; nodes and values are a
 * number and a reference to that object, so that none of them can outlive what it points into.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

#include <stdlib.h>
#include <string.h>

static const char boxes; /* its address is the key of the table of trace objects */

/* -------------------------------------------------------------------------------------- boxes */

void sl_forget_index(Box *box)
{
    map_free(&box->names);
    free(box->first_use);
    free(box->uses);
    box->first_use = NULL;
    box->uses = NULL;
}

Box *sl_push_trace(lua_State *L, const Trace *t)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &boxes);
    if (lua_rawgetp(L, -1, t) == LUA_TNIL) {
        lua_pop(L, 1);
        Box *box = lua_newuserdatauv(L, sizeof *box, 0);
        *box = (Box){0};
        luaL_setmetatable(L, CLASS_TRACE);
        box->t = trace_ref(t);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, -3, t);
    }
    lua_remove(L, -2);
    return lua_touserdata(L, -1);
}

void sl_push_node(lua_State *L, Box *box, NodeId n)
{
    NodeRef *ref = lua_newuserdatauv(L, sizeof *ref, 1);
    *ref = (NodeRef){box, n};
    luaL_setmetatable(L, CLASS_NODE);
    sl_push_trace(L, box->t);
    lua_setiuservalue(L, -2, 1);
}

void sl_push_value(lua_State *L, Box *box, ValueId v)
{
    ValueRef *ref = lua_newuserdatauv(L, sizeof *ref, 1);
    *ref = (ValueRef){box, v};
    luaL_setmetatable(L, CLASS_VALUE);
    sl_push_trace(L, box->t);
    lua_setiuservalue(L, -2, 1);
}

Rewriter *sl_check_rewriter(lua_State *L, int arg)
{
    Rewriter *rw = luaL_checkudata(L, arg, CLASS_REWRITER);
    if (rw->turn != sl_script(L)->turn)
        sl_raise(L, "gone", "the pass that this trace was given to has ended");
    return rw;
}

Box *sl_check_box(lua_State *L, int arg)
{
    if (luaL_testudata(L, arg, CLASS_REWRITER))
        return sl_check_rewriter(L, arg)->in;
    return luaL_checkudata(L, arg, CLASS_TRACE);
}

const Node *sl_check_node(lua_State *L, int arg, NodeRef **ref)
{
    *ref = luaL_checkudata(L, arg, CLASS_NODE);
    const Trace *t = (*ref)->box->t;
    if ((*ref)->n >= t->nnodes)
        sl_raise(L, "gone", "this node was built and then given up");
    return &t->nodes[(*ref)->n];
}

const Value *sl_check_value(lua_State *L, int arg, ValueRef **ref)
{
    *ref = luaL_checkudata(L, arg, CLASS_VALUE);
    return value_get((*ref)->box->t, (*ref)->v);
}

/* -------------------------------------------------------------------------------------- index */

ValueId sl_find_value(Box *box, Str name)
{
    Trace *t = box->t;
    if (name.n && name.p[0] == '%')
        name = str_sub(name, 1, SIZE_MAX);
    if (!t->finished)
        return trace_find_value(t, name);
    if (box->names.n == 0)
        for (ValueId v = 1; v < t->nvalues; v++) {
            MapEntry *e = map_put(&box->names, t->values[v].name, NULL);
            if (!e->u || t->values[e->u].type.kind == VALUE_dead)
                e->u = v;
        }
    const MapEntry *e = map_get(&box->names, name);
    return e ? (ValueId)e->u : 0;
}

typedef struct UseWalk {
    Box *box;
    NodeId node, *last; /* by value: the node that used it last, so that x * x counts once */
    bool fill;
} UseWalk;

static void see_use(ValueId v, void *user)
{
    UseWalk *w = user;
    if (w->last[v] == w->node)
        return;
    w->last[v] = w->node;
    if (w->fill)
        w->box->uses[w->box->first_use[v]++] = w->node;
    else
        w->box->first_use[v + 1]++;
}

static void walk_uses(UseWalk *w)
{
    const Trace *t = w->box->t;
    memset(w->last, 0xff, (t->nvalues + 1) * sizeof *w->last);
    for_top(t, n)
    {
        w->node = n;
        for (uint32_t i = 0; i < t->nodes[n].nargs; i++)
            arg_each_value(t->nodes[n].args[i], see_use, w);
    }
}

/* Users of all values by counting, then placing: linear in the arguments. */
void sl_index_uses(lua_State *L, Box *box)
{
    const Trace *t = box->t;
    if (box->first_use)
        return;
    UseWalk w = {.box = box, .last = lua_newuserdatauv(L, (t->nvalues + 1) * sizeof(NodeId), 0)};
    box->first_use = calloc(t->nvalues + 2, sizeof *box->first_use);
    if (!box->first_use)
        luaL_error(L, "not enough memory");
    walk_uses(&w);
    for (ValueId v = 0; v <= t->nvalues; v++)
        box->first_use[v + 1] += box->first_use[v];
    box->uses = calloc(box->first_use[t->nvalues] + 1, sizeof *box->uses);
    if (!box->uses) {
        sl_forget_index(box);
        luaL_error(L, "not enough memory");
    }
    w.fill = true;
    walk_uses(&w); /* moves first_use[v] to the end of v's users: the start of those of v + 1 */
    memmove(box->first_use + 1, box->first_use, (t->nvalues + 1) * sizeof *box->first_use);
    box->first_use[0] = 0;
    lua_pop(L, 1);
}

/* -------------------------------------------------------------------------------------- lists */

const ValueId *sl_push_leaves(lua_State *L, Arg a, uint32_t *n)
{
    *n = arg_values(a, NULL, 0);
    ValueId *ids = lua_newuserdatauv(L, (*n + 1) * sizeof *ids, 0);
    arg_values(a, ids, *n);
    return ids;
}

int sl_push_values(lua_State *L, Box *box, const ValueId *ids, uint32_t n)
{
    lua_createtable(L, (int)n, 0);
    for (uint32_t i = 0; i < n; i++) {
        sl_push_value(L, box, ids[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

void sl_open_objects(lua_State *L)
{
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &boxes);
    sl_open_traces(L);
    sl_open_nodes(L);
    sl_open_values(L);
}

#endif
