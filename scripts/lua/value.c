/*
 * value.c - the fields of value objects.
 *
 * Input: a value of a trace. Output: its name, type, producer, users and origins. While a program
 * is being built, any other name is an operator of PyTorch's Tensor, bound to the value
 * (build.c).
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

static int value_name(lua_State *L)
{
    ValueRef *ref;
    sl_push_str(L, sl_check_value(L, 1, &ref)->name);
    return 1;
}

static int value_id(lua_State *L)
{
    ValueRef *ref;
    sl_check_value(L, 1, &ref);
    lua_pushinteger(L, ref->v);
    return 1;
}

static int value_kind(lua_State *L)
{
    static const char *const words[] = {"dead", "tensor", "number", "str",
                                        "collection", "future", "any"};
    ValueRef *ref;
    lua_pushstring(L, words[sl_check_value(L, 1, &ref)->type.kind]);
    return 1;
}

static int value_dtype(lua_State *L)
{
    ValueRef *ref;
    const Value *v = sl_check_value(L, 1, &ref);
    if (v->type.dtype >= DT_COUNT || (v->type.kind != VALUE_tensor && v->type.kind != VALUE_number))
        return 0;
    lua_pushstring(L, dtype_info[v->type.dtype].name);
    return 1;
}

static int value_device(lua_State *L)
{
    ValueRef *ref;
    const Value *v = sl_check_value(L, 1, &ref);
    if (v->type.kind != VALUE_tensor)
        return 0;
    StrBuf *b = sl_buffer(L);
    device_print(v->type.device, b);
    sl_push_str(L, sb_str(b));
    return 1;
}

static int value_shape(lua_State *L)
{
    ValueRef *ref;
    const Value *v = sl_check_value(L, 1, &ref);
    if (v->type.kind != VALUE_tensor)
        return 0;
    lua_createtable(L, (int)v->type.rank, 0);
    for (uint32_t i = 0; i < v->type.rank; i++) {
        lua_pushinteger(L, v->type.shape[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int value_type_text(lua_State *L)
{
    ValueRef *ref;
    const Value *v = sl_check_value(L, 1, &ref);
    StrBuf *b = sl_buffer(L);
    type_print(&v->type, &v->known, b);
    sl_push_str(L, sb_str(b));
    return 1;
}

/* A getter that pushes one expression of a value. */
#define VALUE_FIELD(name, push, expr) \
    static int value_##name(lua_State *L) \
    { \
        ValueRef *ref; \
        const Value *v = sl_check_value(L, 1, &ref); \
        push(L, (expr)); \
        return 1; \
    }
VALUE_FIELD(rank, lua_pushinteger, v->type.kind == VALUE_tensor ? v->type.rank : 0)
VALUE_FIELD(numel, lua_pushinteger, type_numel(&v->type))
VALUE_FIELD(bytes, lua_pushinteger, type_bytes(&v->type))
VALUE_FIELD(requires_grad, lua_pushboolean, (v->flags & VF_REQUIRES_GRAD) != 0)
VALUE_FIELD(is_parameter, lua_pushboolean, (v->flags & VF_PARAMETER) != 0)
VALUE_FIELD(offset, lua_pushinteger, v->offset)

static int value_known(lua_State *L)
{
    ValueRef *ref;
    const Value *v = sl_check_value(L, 1, &ref);
    if (arg_is_none(v->known))
        return 0;
    sl_push_arg(L, ref->box, v->known);
    return 1;
}

static int value_is_input(lua_State *L)
{
    ValueRef *ref;
    sl_check_value(L, 1, &ref);
    const Trace *t = ref->box->t;
    bool found = false;
    for (uint32_t i = 0; i < t->ninputs && !found; i++)
        found = t->inputs[i] == ref->v;
    lua_pushboolean(L, found);
    return 1;
}

static int value_producer(lua_State *L)
{
    ValueRef *ref;
    const Value *v = sl_check_value(L, 1, &ref);
    if (v->producer >= ref->box->t->nnodes)
        return 0;
    sl_push_node(L, ref->box, v->producer);
    return 1;
}

static int value_users(lua_State *L)
{
    ValueRef *ref;
    sl_check_value(L, 1, &ref);
    Box *box = ref->box;
    if (!box->t->finished)
        return sl_raise(L, "unfinished", "the users of a value are known when its trace is done");
    sl_index_uses(L, box);
    lua_newtable(L);
    for (uint32_t i = box->first_use[ref->v]; i < box->first_use[ref->v + 1]; i++) {
        sl_push_node(L, box, box->uses[i]);
        lua_rawseti(L, -2, i - box->first_use[ref->v] + 1);
    }
    return 1;
}

static int value_origins_list(lua_State *L)
{
    ValueRef *ref;
    sl_check_value(L, 1, &ref);
    ValueId self[1];
    uint32_t n;
    const ValueId *ids = value_origins(ref->box->t, ref->v, &n, self);
    const Trace *root = ref->box->t;
    while (root->parent)
        root = root->parent;
    Box *box = sl_push_trace(L, root);
    lua_newtable(L);
    for (uint32_t i = 0; i < n; i++) {
        sl_push_value(L, box, ids[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int value_trace(lua_State *L)
{
    ValueRef *ref;
    sl_check_value(L, 1, &ref);
    sl_push_trace(L, ref->box->t);
    return 1;
}

static int value_tostring(lua_State *L)
{
    ValueRef *ref;
    const Value *v = sl_check_value(L, 1, &ref);
    StrBuf *b = sl_buffer(L);
    sb_printf(b, "%.*s: \"", STR(v->name));
    type_print(&v->type, &v->known, b);
    sb_putc(b, '"');
    sl_push_str(L, sb_str(b));
    return 1;
}

static int value_eq(lua_State *L)
{
    const ValueRef *a = luaL_testudata(L, 1, CLASS_VALUE), *b = luaL_testudata(L, 2, CLASS_VALUE);
    lua_pushboolean(L, a && b && a->box == b->box && a->v == b->v);
    return 1;
}

static int value_index(lua_State *L)
{
    lua_settop(L, 2);
    if (lua_type(L, 2) == LUA_TSTRING && sl_lookup(L, 1, 2, CLASS_VALUE))
        return 1;
    return sl_value_operator(L);
}

void sl_open_values(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__tostring", value_tostring}, {"__eq", value_eq}, {"__index", value_index}, {NULL, NULL}};
    static const luaL_Reg getters[] = {{"name", value_name},
                                       {"id", value_id},
                                       {"kind", value_kind},
                                       {"dtype", value_dtype},
                                       {"device", value_device},
                                       {"shape", value_shape},
                                       {"type", value_type_text},
                                       {"rank", value_rank},
                                       {"numel", value_numel},
                                       {"bytes", value_bytes},
                                       {"requires_grad", value_requires_grad},
                                       {"is_parameter", value_is_parameter},
                                       {"is_input", value_is_input},
                                       {"offset", value_offset},
                                       {"known", value_known},
                                       {"producer", value_producer},
                                       {"users", value_users},
                                       {"origins", value_origins_list},
                                       {"trace", value_trace},
                                       {NULL, NULL}};
    static const luaL_Reg methods[] = {{"named", sl_value_named}, {NULL, NULL}};
    sl_class(L, CLASS_VALUE, meta, methods, getters);
}

#endif
