/*
 * node.c - the fields of node objects.
 *
 * Input: a node of a trace. Output: its operator, arguments, results, place in the model, facts.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

void sl_node_text(const Trace *t, NodeId n, StrBuf *out)
{
    PrintOptions o = {.depth = 0, .types = true};
    node_print(t, n, &o, out);
    while (out->n && out->p[out->n - 1] == '\n')
        out->p[--out->n] = '\0';
}

#define NODE_FIELD(name, push, expr) \
    static int node_##name(lua_State *L) \
    { \
        NodeRef *ref; \
        const Node *n = sl_check_node(L, 1, &ref); \
        push(L, (expr)); \
        return 1; \
    }
NODE_FIELD(op, lua_pushstring, n->op->name)
NODE_FIELD(help, lua_pushstring, n->op->help ? n->op->help : "")
NODE_FIELD(language, lua_pushstring, language_prefix((Language)n->op->language))
NODE_FIELD(executor, lua_pushstring, n->executor) /* NULL pushes nil */
NODE_FIELD(backward, lua_pushboolean, (n->flags & NF_BACKWARD) != 0)
NODE_FIELD(recompute, lua_pushboolean, (n->flags & NF_RECOMPUTE) != 0)
NODE_FIELD(is_prim, lua_pushboolean, n->op->language == LANG_prims)
NODE_FIELD(size, lua_pushinteger, n->span)

static int node_out(lua_State *L)
{
    NodeRef *ref;
    const Node *n = sl_check_node(L, 1, &ref);
    sl_push_arg(L, ref->box, n->out);
    return 1;
}

static int node_id(lua_State *L)
{
    NodeRef *ref;
    sl_check_node(L, 1, &ref);
    lua_pushinteger(L, ref->n);
    return 1;
}

static int node_trace(lua_State *L)
{
    NodeRef *ref;
    sl_check_node(L, 1, &ref);
    sl_push_trace(L, ref->box->t);
    return 1;
}

static int node_qualified(lua_State *L)
{
    NodeRef *ref;
    const Node *n = sl_check_node(L, 1, &ref);
    lua_pushfstring(L, "%s.%s", language_prefix((Language)n->op->language), n->op->name);
    return 1;
}

/* Arguments by number and by name; None is nil, so the count is in n. */
static int node_args(lua_State *L)
{
    NodeRef *ref;
    const Node *n = sl_check_node(L, 1, &ref);
    lua_createtable(L, (int)n->nargs, (int)n->nargs + 1);
    for (uint32_t i = 0; i < n->nargs; i++) {
        if (arg_is_none(n->args[i]))
            continue;
        sl_push_arg(L, ref->box, n->args[i]);
        sl_push_str(L, n->op->sig.params[i].name);
        lua_pushvalue(L, -2);
        lua_rawset(L, -4);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushinteger(L, n->nargs);
    lua_setfield(L, -2, "n");
    return 1;
}

static int node_arg(lua_State *L)
{
    NodeRef *ref;
    const Node *n = sl_check_node(L, 1, &ref);
    uint32_t i = 0;
    if (lua_type(L, 2) == LUA_TNUMBER) {
        lua_Integer k = luaL_checkinteger(L, 2);
        i = k >= 1 && k <= n->nargs ? (uint32_t)(k - 1) : n->nargs;
    } else {
        Str name = sl_check_str(L, 2);
        while (i < n->nargs && !str_eq(n->op->sig.params[i].name, name))
            i++;
    }
    if (i == n->nargs)
        return sl_raise(L, "no-argument", "%s has no argument '%s'", n->op->name,
                        luaL_tolstring(L, 2, NULL));
    sl_push_arg(L, ref->box, n->args[i]);
    return 1;
}

static int node_params(lua_State *L)
{
    NodeRef *ref;
    const Node *n = sl_check_node(L, 1, &ref);
    lua_createtable(L, (int)n->nargs, 0);
    for (uint32_t i = 0; i < n->op->sig.n; i++) {
        sl_push_str(L, n->op->sig.params[i].name);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int node_outs(lua_State *L)
{
    NodeRef *ref;
    uint32_t n;
    Arg out = sl_check_node(L, 1, &ref)->out;
    const ValueId *ids = sl_push_leaves(L, out, &n);
    return sl_push_values(L, ref->box, ids, n);
}

static int node_inputs(lua_State *L)
{
    NodeRef *ref;
    uint32_t n, kept = 0;
    const Node *node = sl_check_node(L, 1, &ref);
    Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
    const ValueId *ids = sl_push_leaves(L, all, &n);
    lua_newtable(L);
    int seen = lua_gettop(L);
    lua_newtable(L);
    for (uint32_t i = 0; i < n; i++) {
        if (lua_rawgeti(L, seen, ids[i]) == LUA_TNIL) {
            sl_push_value(L, ref->box, ids[i]);
            lua_rawseti(L, seen + 1, ++kept);
            lua_pushboolean(L, true);
            lua_rawseti(L, seen, ids[i]);
        }
        lua_settop(L, seen + 1);
    }
    return 1;
}

static int node_loc(lua_State *L)
{
    NodeRef *ref;
    const Node *n = sl_check_node(L, 1, &ref);
    if (!n->loc)
        return 0;
    lua_newtable(L);
    const struct {
        const char *key;
        Str text;
    } texts[] = {{"file", n->loc->file}, {"func", n->loc->func}, {"code", n->loc->code}};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        sl_push_str(L, texts[i].text);
        lua_setfield(L, -2, texts[i].key);
    }
    lua_pushinteger(L, n->loc->line);
    lua_setfield(L, -2, "line");
    return 1;
}

/* Facts of a composite are those of its operator alone. */
static int node_is(lua_State *L)
{
    NodeRef *ref;
    const Node *n = sl_check_node(L, 1, &ref);
    Str word = sl_check_str(L, 2);
    const char *name;
    for (uint32_t bit = 0; (name = op_fact_name(bit)) != NULL; bit++)
        if (str_is(word, name)) {
            lua_pushboolean(L, (n->op->flags >> bit & 1) != 0);
            return 1;
        }
    return sl_raise(L, "no-fact", "'%.*s' is no fact about operators", STR(word));
}

static int node_facts(lua_State *L)
{
    NodeRef *ref;
    const Node *n = sl_check_node(L, 1, &ref);
    const char *name;
    lua_Integer count = 0;
    lua_newtable(L);
    for (uint32_t bit = 0; (name = op_fact_name(bit)) != NULL; bit++)
        if (n->op->flags >> bit & 1) {
            lua_pushstring(L, name);
            lua_rawseti(L, -2, ++count);
        }
    return 1;
}

static int node_tostring(lua_State *L)
{
    NodeRef *ref;
    sl_check_node(L, 1, &ref);
    StrBuf *b = sl_buffer(L);
    sl_node_text(ref->box->t, ref->n, b);
    sl_push_str(L, sb_str(b));
    return 1;
}

static int node_eq(lua_State *L)
{
    const NodeRef *a = luaL_testudata(L, 1, CLASS_NODE), *b = luaL_testudata(L, 2, CLASS_NODE);
    lua_pushboolean(L, a && b && a->box == b->box && a->n == b->n);
    return 1;
}

static int node_subnodes(lua_State *L)
{
    NodeRef *ref;
    const Node *n = sl_check_node(L, 1, &ref);
    return sl_push_walk(L, ref->box, ref->n + 1, ref->n + n->span, 0);
}

static int node_walk(lua_State *L)
{
    NodeRef *ref;
    const Node *n = sl_check_node(L, 1, &ref);
    lua_Integer depth = luaL_optinteger(L, 2, -1);
    return sl_push_walk(L, ref->box, ref->n + 1, ref->n + n->span, depth);
}

void sl_open_nodes(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__tostring", node_tostring}, {"__eq", node_eq}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"arg", node_arg},
                                       {"is", node_is},
                                       {"subnodes", node_subnodes},
                                       {"walk", node_walk},
                                       {NULL, NULL}};
    static const luaL_Reg getters[] = {{"op", node_op},
                                       {"qualified", node_qualified},
                                       {"language", node_language},
                                       {"help", node_help},
                                       {"args", node_args},
                                       {"params", node_params},
                                       {"out", node_out},
                                       {"outs", node_outs},
                                       {"inputs", node_inputs},
                                       {"loc", node_loc},
                                       {"executor", node_executor},
                                       {"backward", node_backward},
                                       {"recompute", node_recompute},
                                       {"is_prim", node_is_prim},
                                       {"facts", node_facts},
                                       {"size", node_size},
                                       {"id", node_id},
                                       {"trace", node_trace},
                                       {NULL, NULL}};
    sl_class(L, CLASS_NODE, meta, methods, getters);
}

#endif
