/*
 * pass.c - passes written in Lua: visiting nodes and replacing their results.
 *
 * Input: a trace, and a Lua function that is called for each top-level node. Output: the
 * rewritten trace. Two ideas: what a visitor builds is appended first and given up again when the
 * change is refused, so that every change is one application of a rule, with fuel and skips; and
 * a newly built value takes over the number and name of the result that it replaces, so its users
 * do not change.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

#include <string.h>

static Rewriter *check_rewriter(lua_State *L, bool visiting)
{
    Rewriter *rw = sl_check_rewriter(L, 1);
    if (visiting && !rw->b)
        sl_raise(L, "not-visiting", "this is for the function that trace:visit calls");
    return rw;
}

/* The node that is being visited, as an error names it. */
static int node_error(lua_State *L, const Rewriter *rw, const char *code, const char *what)
{
    StrBuf *text = sl_buffer(L);
    sl_node_text(rw->in->t, rw->b->visiting, text);
    return sl_raise(L, code, "%s: %s", sb_cstr(text), what);
}

/* ----------------------------------------------------------------------------- keeping a node */

typedef struct NeedCheck {
    const Builder *b;
    ValueId missing;
} NeedCheck;

static void see_need(ValueId v, void *user)
{
    NeedCheck *c = user;
    ValueId w = c->b->map[v] ? c->b->map[v] : v;
    if (!c->b->defined[w])
        c->missing = v;
}

static void check_needs(lua_State *L, const Rewriter *rw, const Arg *args, uint32_t nargs,
                        const char *user)
{
    NeedCheck c = {rw->b, 0};
    if (!rw->removed)
        return;
    for (uint32_t i = 0; i < nargs; i++)
        arg_each_value(args[i], see_need, &c);
    if (c.missing)
        sl_raise(L, "undefined-value", "%.*s was removed, but %s needs it",
                 STR(rw->in->t->values[c.missing].name), user);
}

static void keep_node(lua_State *L, Rewriter *rw, NodeId n)
{
    Builder *b = rw->b;
    const Node *node = &rw->in->t->nodes[n];
    check_needs(L, rw, node->args, node->nargs, node->op->name);
    sl_define_from(b, trace_copy_node(b->b.t, rw->in->t, n, b->map));
}

/* -------------------------------------------------------------------------- replacing results */

typedef struct Change {
    NodeId node, first;  /* of the input; first node that the visitor built */
    const ValueId *old;  /* results of the node */
    ValueId *new;        /* what replaces each */
    uint32_t n;
    const char *reason;
} Change;

static bool is_built_here(const Builder *b, ValueId v, NodeId first)
{
    NodeId producer = b->b.t->values[v].producer;
    return producer != NO_NODE && producer >= first;
}

/* The nodes from first on with values replaced through the map, also where they are computed. */
static void remap_from(Builder *b, NodeId first)
{
    Trace *t = b->b.t;
    for (NodeId n = first; n < t->nnodes; n++) {
        Arg all = {.kind = ARG_tuple, .n = t->nodes[n].nargs, .items = t->nodes[n].args};
        t->nodes[n].args = arg_map(t, all, b->map).items;
        t->nodes[n].out = arg_map(t, t->nodes[n].out, b->map);
    }
}

static void take_over(Builder *b, ValueId old, ValueId new, NodeId first)
{
    if (b->map[new])
        new = b->map[new]; /* it has taken over another result of this node already */
    if (new == old)
        return;
    if (!is_built_here(b, new, first) || b->map[old]) {
        b->map[old] = new;
        value_merge_origins(b->b.t, new, old);
        return;
    }
    Trace *t = b->b.t;
    b->map[new] = old;
    t->values[old].producer = t->values[new].producer;
    t->values[new].producer = NO_NODE;
    b->defined[old] = 1;
    b->defined[new] = 0;
    remap_from(b, first);
}

static void replace_node(lua_State *L, Rewriter *rw, const Change *c)
{
    Builder *b = rw->b;
    const Node *node = &rw->in->t->nodes[c->node];
    ValueId other = is_built_here(b, c->new[0], c->first) ? 0 : c->new[0];
    if (!rule_apply(rw->ctx, rw->pass->rule, c->old[0], other, "%s", c->reason)) {
        sl_drop_from(b, c->first);
        keep_node(L, rw, c->node);
        return;
    }
    for (NodeId n = c->first; n < b->b.t->nnodes; n++)
        b->b.t->nodes[n].flags |= node->flags & (NF_BACKWARD | NF_RECOMPUTE);
    for (uint32_t i = 0; i < c->n; i++)
        take_over(b, c->old[i], c->new[i], c->first);
}

static void remove_node(lua_State *L, Rewriter *rw, NodeId n, const char *reason)
{
    uint32_t count;
    const ValueId *old = sl_push_leaves(L, rw->in->t->nodes[n].out, &count);
    if (rule_apply(rw->ctx, rw->pass->rule, count ? old[0] : 0, 0, "%s", reason))
        rw->removed = true;
    else
        keep_node(L, rw, n);
}

/* ------------------------------------------------------------------------ what a visitor says */

static void check_type(lua_State *L, const Rewriter *rw, ValueId old, ValueId new)
{
    const Trace *in = rw->in->t, *out = rw->b->b.t;
    const Value *want = &in->values[old], *got = &out->values[new];
    if (type_equal(&want->type, &got->type))
        return;
    StrBuf *text = sl_buffer(L);
    sb_puts(text, "its replacement is ");
    type_print(&got->type, NULL, text);
    sb_puts(text, ", not ");
    type_print(&want->type, NULL, text);
    node_error(L, rw, "type-mismatch", sb_cstr(text));
}

/* The value objects of the replacement at index (a value, or tables of them as operators give them)
 * go into the table at `list`. Results that are None in both stand for nothing. */
static void collect_values(lua_State *L, const Rewriter *rw, int index, int list, int depth)
{
    index = lua_absindex(L, index);
    luaL_checkstack(L, 4, "the visitor's result nests too deep");
    if (luaL_testudata(L, index, CLASS_VALUE)) {
        lua_pushvalue(L, index);
        lua_rawseti(L, list, (lua_Integer)lua_rawlen(L, list) + 1);
        return;
    }
    if (!lua_istable(L, index) || depth > 8)
        node_error(L, rw, "bad-replacement",
                   "the visitor returns values, false to remove the node, or nothing");
    lua_Integer n = (lua_Integer)lua_rawlen(L, index); /* 0 of thunder.none */
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, index, i);
        collect_values(L, rw, -1, list, depth + 1);
        lua_pop(L, 1);
    }
}

static void read_values(lua_State *L, Rewriter *rw, Change *c, int first, int nresults)
{
    lua_newtable(L);
    int list = lua_gettop(L);
    for (int i = 0; i < nresults; i++)
        collect_values(L, rw, first + i, list, 0);
    uint32_t given = (uint32_t)lua_rawlen(L, list);
    c->old = sl_push_leaves(L, rw->in->t->nodes[c->node].out, &c->n);
    c->new = lua_newuserdatauv(L, (c->n + 1) * sizeof *c->new, 0);
    if (c->n == 0)
        node_error(L, rw, "bad-replacement", "it has no result that could be replaced");
    if (given != c->n) {
        lua_pushfstring(L, "it has %d result(s), and the visitor returned %d", (int)c->n,
                        (int)given);
        node_error(L, rw, "bad-replacement", lua_tostring(L, -1));
    }
    for (uint32_t i = 0; i < c->n; i++) {
        lua_rawgeti(L, list, i + 1);
        c->new[i] = sl_resolve(L, rw->b, lua_gettop(L));
        check_type(L, rw, c->old[i], c->new[i]);
        lua_pop(L, 1);
    }
}

/* The results of the visitor lie from stack index first on. */
static void apply_answer(lua_State *L, Rewriter *rw, NodeId n, NodeId built, int first)
{
    int nvalues = lua_gettop(L) - first + 1;
    const char *reason = rw->pass->info.title;
    if (nvalues > 1 && lua_type(L, -1) == LUA_TSTRING) {
        reason = lua_tostring(L, -1); /* stays on the stack below what is pushed later */
        nvalues--;
    }
    bool keep = nvalues == 0 || lua_isnil(L, first);
    bool remove = rw->remove || (!keep && lua_isboolean(L, first) && !lua_toboolean(L, first));
    if (remove || keep) {
        sl_drop_from(rw->b, built);
        if (remove)
            remove_node(L, rw, n, reason);
        else
            keep_node(L, rw, n);
        return;
    }
    Change c = {.node = n, .first = built, .reason = reason};
    read_values(L, rw, &c, first, nvalues);
    replace_node(L, rw, &c);
}

static void visit_node(lua_State *L, Rewriter *rw, NodeId n)
{
    Builder *b = rw->b;
    const Node *node = &rw->in->t->nodes[n];
    int top = lua_gettop(L);
    NodeId built = b->b.t->nnodes;
    b->visiting = n;
    b->b.span = node->src;
    b->b.loc = node->loc;
    rw->remove = false;
    lua_pushvalue(L, 2);
    sl_push_node(L, rw->in, n);
    lua_call(L, 1, LUA_MULTRET);
    apply_answer(L, rw, n, built, top + 1);
    lua_settop(L, top);
}

/* ------------------------------------------------------------------------------ one traversal */

static void begin_visit(lua_State *L, Rewriter *rw)
{
    Builder *b = sl_push_builder(L, rw->in, (Str){0});
    b->functional = true;
    lua_setiuservalue(L, 1, 1);
    rw->b = b;
    rw->removed = false;
    sl_script(L)->builder = b;
}

static void end_visit(lua_State *L, Rewriter *rw)
{
    Builder *b = rw->b;
    Trace *t = b->b.t;
    check_needs(L, rw, &rw->in->t->output, 1, "the program's result");
    t->output = arg_map(t, rw->in->t->output, b->map);
    trace_finish(t);
    sl_script(L)->builder = NULL;
    rw->b = NULL;
    rw->in = b->out;
    sl_push_trace(L, t);
    sl_close_builder(b);
    lua_setiuservalue(L, 1, 1);
}

/* trace:visit(f): f(node) for every top-level node, in order. */
static int rewriter_visit(lua_State *L)
{
    Rewriter *rw = check_rewriter(L, false);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    if (rw->b)
        return sl_raise(L, "nested-visit", "a visit cannot begin before the last one has ended");
    begin_visit(L, rw);
    for_top(rw->in->t, n)
    {
        if (rw->ctx->exhausted)
            keep_node(L, rw, n);
        else
            visit_node(L, rw, n);
    }
    end_visit(L, rw);
    return 0;
}

static int rewriter_remove(lua_State *L)
{
    Rewriter *rw = check_rewriter(L, true);
    NodeRef *ref;
    sl_check_node(L, 2, &ref);
    if (ref->box != rw->in || ref->n != rw->b->visiting)
        return sl_raise(L, "not-visiting", "only the node being visited can be removed");
    rw->remove = true;
    return 0;
}

/* trace:refuse(node, reason): remembers for `why not` that a change was considered. */
static int rewriter_refuse(lua_State *L)
{
    Rewriter *rw = check_rewriter(L, false);
    NodeRef *ref;
    const Node *node = sl_check_node(L, 2, &ref);
    const char *reason = luaL_checkstring(L, 3);
    uint32_t n;
    const ValueId *ids = sl_push_leaves(L, node->out, &n);
    rule_refuse(rw->ctx, rw->pass->rule, n ? ids[0] : 0, 0, "%s", reason);
    return 0;
}

/* trace:option(name, default): the option PASS.NAME of the session. */
static int rewriter_option(lua_State *L)
{
    Rewriter *rw = check_rewriter(L, false);
    sl_push_str(L, pass_option(rw->ctx, luaL_checkstring(L, 2), luaL_optstring(L, 3, "")));
    return 1;
}

static int rewriter_index(lua_State *L)
{
    lua_settop(L, 2);
    if (sl_lookup(L, 1, 2, CLASS_REWRITER) || sl_lookup(L, 1, 2, CLASS_TRACE))
        return 1;
    return sl_raise(L, "no-field", "a trace has no field '%s'", luaL_tolstring(L, 2, NULL));
}

static int rewriter_tostring(lua_State *L)
{
    sl_push_trace(L, sl_check_box(L, 1)->t);
    luaL_tolstring(L, -1, NULL);
    return 1;
}

/* --------------------------------------------------------------------------- running the pass */

typedef struct Job {
    PassCtx *ctx;
    const LuaPass *pass;
    const Trace *in;
    Trace *result;
} Job;

/* A pass that looked only: the trace is copied as it is. */
static void copy_all(lua_State *L, Rewriter *rw)
{
    begin_visit(L, rw);
    for_top(rw->in->t, n)
        keep_node(L, rw, n);
    end_visit(L, rw);
}

static int run_job(lua_State *L)
{
    Job *job = lua_touserdata(L, 1);
    lua_settop(L, 0);
    Rewriter *rw = lua_newuserdatauv(L, sizeof *rw, 1);
    *rw = (Rewriter){.ctx = job->ctx, .turn = sl_script(L)->turn, .pass = job->pass};
    luaL_setmetatable(L, CLASS_REWRITER);
    rw->in = sl_push_trace(L, job->in);
    lua_setiuservalue(L, 1, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, job->pass->run);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 0);
    if (rw->b)
        return sl_raise(L, "nested-visit", "a visit of this pass ended with an error");
    if (rw->in->t == job->in)
        copy_all(L, rw);
    job->result = trace_ref(rw->in->t);
    return 0;
}

static Trace *run_lua_pass(PassCtx *ctx, const Trace *in)
{
    const LuaPass *pass = ctx->info->user;
    Script *sc = pass->sc;
    if (!sc) {
        diag_error(ctx->diag, DIAG_compile, (Span){0}, "script-gone",
                   "pass %s: the script that defined it is gone", ctx->info->name);
        return NULL;
    }
    Job job = {ctx, pass, in, NULL};
    sc->callbacks++;
    sc->turn++;
    bool ok = sl_protected(sc, run_job, &job, DIAG_compile, ctx->diag);
    sc->callbacks--;
    sc->turn++;
    return ok ? job.result : NULL;
}

/* ------------------------------------------------------------------------------- thunder.pass */

/* Names of passes and rules are kept in the rule log: they live as long as the session. */
static const char *keep_text(lua_State *L, Arena *a, const char *field, const char *dflt)
{
    lua_getfield(L, 1, field);
    Str s = lua_isnil(L, -1) ? str_from(dflt) : sl_check_str(L, -1);
    const char *kept = arena_str(a, s).p;
    lua_pop(L, 1);
    return kept;
}

static void check_fields(lua_State *L)
{
    static const char *const known[] = {"name", "title", "help", "rule", "after", "run"};
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        bool found = false;
        for (size_t i = 0; i < ARRAY_LEN(known) && !found; i++)
            found = lua_type(L, -2) == LUA_TSTRING && strcmp(lua_tostring(L, -2), known[i]) == 0;
        if (!found)
            sl_raise(L, "bad-pass", "thunder.pass knows no '%s'", luaL_tolstring(L, -2, NULL));
    }
}

static LuaPass *make_pass(lua_State *L, Script *sc)
{
    Arena *a = &session_registry(sc->s)->arena;
    LuaPass *p = new_of(a, LuaPass);
    p->sc = sc;
    p->info.name = keep_text(L, a, "name", "");
    p->info.title = keep_text(L, a, "title", p->info.name);
    p->info.help = keep_text(L, a, "help", "a pass defined by a script");
    p->rule = keep_text(L, a, "rule", p->info.title);
    p->info.run = run_lua_pass;
    p->info.needs = FACT_functional;
    p->info.refuses = FACT_claimed | FACT_planned;
    p->info.user = p;
    if (!sl_is_identifier(str_from(p->info.name)))
        sl_raise(L, "bad-name", "'%s' is no name for a pass", p->info.name);
    if (lua_getfield(L, 1, "run") != LUA_TFUNCTION)
        sl_raise(L, "bad-pass", "a pass has a function: thunder.pass{name = \"%s\", run = "
                 "function(trace) ... end}", p->info.name);
    p->run = luaL_ref(L, LUA_REGISTRYINDEX);
    return p;
}

static int define_pass(lua_State *L)
{
    Script *sc = sl_script(L);
    sl_need_idle(L, "thunder.pass");
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    check_fields(L);
    LuaPass *p = make_pass(L, sc);
    lua_getfield(L, 1, "after");
    Str after = lua_isnil(L, -1) ? (Str){0} : sl_check_str(L, -1);
    Diag *d = sl_diag(L);
    p->next = sc->passes;
    sc->passes = p;
    if (!session_add_pass(sc->s, &p->info, after, d))
        return sl_fail(L, -1, 1);
    if (d->nitems)
        sl_emit_diag(sc, d);
    return 0;
}

void sl_open_pass(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__index", rewriter_index}, {"__tostring", rewriter_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"visit", rewriter_visit},
                                       {"remove", rewriter_remove},
                                       {"refuse", rewriter_refuse},
                                       {"option", rewriter_option},
                                       {NULL, NULL}};
    sl_class(L, CLASS_REWRITER, meta, methods, NULL);
    lua_pushcfunction(L, define_pass);
    lua_setfield(L, -2, "pass");
}

#endif
