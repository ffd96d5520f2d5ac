/*
 * event.c - Lua functions that are called when something happens in the session.
 *
 * Input: events of the session. Output: calls with a table that describes the event. The
 * interpreter listens once and keeps the list itself, so that a handler may add and remove
 * handlers. A handler that fails is switched off, and says so; it cannot disturb what it watches.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

#include <string.h>

static const char handlers; /* its address is the key of the list of {kind, function} */

/* By EventKind; NULL ends them. */
static const char *const kinds[] = {"pass_begin", "rule",   "pass",    "node_begin", "node",
                                    "error",      "cursor", "compile", NULL};

/* ------------------------------------------------------------------------------- event tables */

static void set_text(lua_State *L, const char *key, Str text)
{
    sl_push_str(L, text);
    lua_setfield(L, -2, key);
}

/* The name of a value of the trace a pass works on; values that it adds have only a number. */
static void set_value(lua_State *L, const char *key, const Trace *t, ValueId v)
{
    if (v == 0)
        return;
    if (t && v < t->nvalues)
        sl_push_str(L, t->values[v].name);
    else
        lua_pushfstring(L, "#%d", (int)v);
    lua_setfield(L, -2, key);
}

static void add_rule(lua_State *L, const Event *e)
{
    static const char *const verdicts[] = {"done", "refused", "skipped"};
    set_text(L, "rule", str_from(e->rule->kind->rule));
    set_text(L, "verdict", str_from(verdicts[e->rule->verdict]));
    set_text(L, "reason", rule_reason(e->rule));
    lua_pushinteger(L, e->rule->index);
    lua_setfield(L, -2, "index");
    set_value(L, "subject", e->trace, e->rule->subject);
    set_value(L, "other", e->trace, e->rule->other);
}

/* The results of a node that ran, by name. */
static void add_results(lua_State *L, const Event *e)
{
    const Trace *t = e->trace;
    uint32_t n;
    lua_newtable(L);
    const ValueId *ids = sl_push_leaves(L, t->nodes[e->node].out, &n);
    for (uint32_t i = 0; i < n; i++) {
        sl_push_str(L, t->values[ids[i]].name);
        sl_push_tensor(L, e->values[ids[i]]);
        lua_rawset(L, -4);
    }
    lua_pop(L, 1);
    lua_setfield(L, -2, "results");
}

static void push_event(lua_State *L, const Event *e)
{
    lua_newtable(L);
    set_text(L, "event", str_from(kinds[e->kind]));
    if (e->program) {
        sl_push_program(L, e->program);
        lua_setfield(L, -2, "program");
    }
    if (e->pass)
        set_text(L, "pass", str_from(e->pass->name));
    const Trace *t = e->stage ? e->stage->trace : e->trace;
    if (t && t->finished) {
        sl_push_trace(L, t);
        lua_setfield(L, -2, "trace");
    }
    if (e->stage) {
        set_text(L, "stage", e->stage->name);
        lua_pushinteger(L, (lua_Integer)e->stage->applied);
        lua_setfield(L, -2, "applied");
    }
    if (e->rule)
        add_rule(L, e);
    if (e->kind == EVENT_node_begin || e->kind == EVENT_node_end) {
        sl_push_node(L, sl_push_trace(L, t), e->node);
        lua_setfield(L, -3, "node");
        lua_pop(L, 1);
    }
    if (e->kind == EVENT_node_end && e->values)
        add_results(L, e);
    if (e->kind == EVENT_compile) {
        lua_pushinteger(L, e->done);
        lua_setfield(L, -2, "done");
        lua_pushinteger(L, e->total);
        lua_setfield(L, -2, "total");
    }
}

/* ------------------------------------------------------------------------------------ calling */

typedef struct Delivery {
    const Event *e;
    lua_Integer i; /* the handler being called */
} Delivery;

static bool handler_wants(lua_State *L, const Event *e)
{
    if (!lua_istable(L, -1))
        return false;
    lua_rawgeti(L, -1, 1);
    bool wanted = strcmp(lua_tostring(L, -1), kinds[e->kind]) == 0;
    lua_pop(L, 1);
    return wanted;
}

static int deliver(lua_State *L)
{
    Delivery *dl = lua_touserdata(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &handlers);
    int event = 0, list = lua_gettop(L);
    for (dl->i++; dl->i <= (lua_Integer)lua_rawlen(L, list); dl->i++) {
        lua_rawgeti(L, list, dl->i);
        if (handler_wants(L, dl->e)) {
            if (!event) {
                push_event(L, dl->e);
                lua_insert(L, list + 1);
                event = list + 1;
            }
            lua_rawgeti(L, -1, 2);
            lua_pushvalue(L, event);
            lua_call(L, 1, 0);
        }
        lua_settop(L, event ? event : list);
    }
    return 0;
}

/* Says whether any handler is left that wants to hear of statements. */
static void tell_kinds(lua_State *L, const Script *sc)
{
    bool nodes = false;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &handlers);
    for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, -1); i++) {
        if (lua_rawgeti(L, -1, i) == LUA_TTABLE) {
            lua_rawgeti(L, -1, 1);
            nodes = nodes || strncmp(lua_tostring(L, -1), "node", 4) == 0;
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    session_listen_nodes(sc->s, sc->listener, nodes);
}

static int switch_off(lua_State *L)
{
    const Delivery *dl = lua_touserdata(L, 1);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &handlers);
    lua_pushboolean(L, false);
    lua_rawseti(L, -2, dl->i);
    tell_kinds(L, sl_script(L));
    return 0;
}

static void on_event(const Event *e, void *user)
{
    Script *sc = user;
    Delivery dl = {e, 0};
    if (sc->in_handler)
        return;
    sc->in_handler = true;
    sc->callbacks++;
    Diag d = {0};
    while (!sl_protected(sc, deliver, &dl, DIAG_load, &d)) {
        if (!sl_protected(sc, switch_off, &dl, DIAG_load, &d))
            break;
        if (d.last)
            diag_note(&d, d.last, "this handler of '%s' events is switched off", kinds[e->kind]);
        sl_emit_diag(sc, &d);
        diag_clear(&d);
    }
    sl_emit_diag(sc, &d);
    diag_clear(&d);
    sc->callbacks--;
    sc->in_handler = false;
}

/* --------------------------------------------------------------------------------- thunder.on */

static int remove_handler(lua_State *L)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &handlers);
    lua_pushboolean(L, false); /* the others keep their places while they are being called */
    lua_rawseti(L, -2, lua_tointeger(L, lua_upvalueindex(1)));
    tell_kinds(L, sl_script(L));
    return 0;
}

/* thunder.on(kind, f): f(event) from now on; the result is a function that ends it. */
static int add_handler(lua_State *L)
{
    Script *sc = sl_script(L);
    luaL_checkoption(L, 1, NULL, kinds);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &handlers);
    lua_Integer n = (lua_Integer)lua_rawlen(L, 3) + 1;
    lua_createtable(L, 2, 0);
    for (int i = 1; i <= 2; i++) {
        lua_pushvalue(L, i);
        lua_rawseti(L, -2, i);
    }
    lua_rawseti(L, 3, n);
    lua_pushinteger(L, n);
    lua_pushcclosure(L, remove_handler, 1);
    if (!sc->listening) {
        sc->listener = session_listen(sc->s, on_event, sc);
        sc->listening = true;
    }
    tell_kinds(L, sc);
    return 1;
}

void sl_open_event(lua_State *L)
{
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &handlers);
    lua_pushcfunction(L, add_handler);
    lua_setfield(L, -2, "on");
}

#endif
