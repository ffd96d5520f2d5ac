/*
 * tensor.c - tensors as Lua reads and makes them, and the results of a run.
 *
 * Input: tensors of the session, Lua numbers and nested tables, safetensors files. Output: the
 * same, the other way round. Enough to look at numbers and check them. Indices count from 0 and
 * from the end when negative, as in the programs; Lua tables count from 1 as always.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sl_push_tensor(lua_State *L, Tensor *t)
{
    if (!t) {
        lua_pushnil(L);
        return;
    }
    Tensor **ref = lua_newuserdatauv(L, sizeof *ref, 0);
    *ref = tensor_ref(t);
    luaL_setmetatable(L, CLASS_TENSOR);
}

Tensor *sl_check_tensor(lua_State *L, int arg)
{
    return *(Tensor **)luaL_checkudata(L, arg, CLASS_TENSOR);
}

/* A new tensor that Lua owns; its one reference goes to the object. */
static Tensor *adopt(lua_State *L, Tensor *t)
{
    if (!t)
        luaL_error(L, "not enough memory for a tensor");
    sl_push_tensor(L, t);
    tensor_unref(t);
    return t;
}

static int tensor_gc(lua_State *L)
{
    Tensor **ref = luaL_checkudata(L, 1, CLASS_TENSOR);
    tensor_unref(*ref);
    *ref = NULL;
    return 0;
}

/* --------------------------------------------------------------------------------- from Lua */

typedef struct Nested {
    uint32_t rank;
    int64_t shape[MAX_RANK];
    bool all_ints, all_bools;
    DType dtype;
    char *at; /* where the next element goes */
} Nested;

static int ragged(lua_State *L)
{
    return sl_raise(L, "bad-tensor", "a tensor is a number or evenly nested tables of numbers");
}

/* Sizes from the first elements. */
static void measure(lua_State *L, int index, Nested *n)
{
    index = lua_absindex(L, index);
    luaL_checkstack(L, 4, "a tensor nests too deep");
    if (!lua_istable(L, index))
        return;
    if (n->rank == MAX_RANK)
        ragged(L);
    n->shape[n->rank++] = (int64_t)lua_rawlen(L, index);
    lua_rawgeti(L, index, 1);
    measure(L, -1, n);
    lua_pop(L, 1);
}

static void see_element(lua_State *L, Nested *n)
{
    if (!lua_isboolean(L, -1) && lua_type(L, -1) != LUA_TNUMBER)
        ragged(L);
    n->all_bools = n->all_bools && lua_isboolean(L, -1);
    n->all_ints = n->all_ints && lua_isinteger(L, -1);
}

static void store_element(lua_State *L, Nested *n)
{
    if (lua_isboolean(L, -1))
        elem_set_i64(n->at, n->dtype, lua_toboolean(L, -1));
    else if (lua_isinteger(L, -1))
        elem_set_i64(n->at, n->dtype, lua_tointeger(L, -1));
    else
        elem_set_f64(n->at, n->dtype, lua_tonumber(L, -1));
    n->at += dtype_info[n->dtype].bytes;
}

static void each_element(lua_State *L, Nested *n, uint32_t dim, void (*fn)(lua_State *, Nested *))
{
    if (dim == n->rank) {
        fn(L, n);
        return;
    }
    if (!lua_istable(L, -1) || (int64_t)lua_rawlen(L, -1) != n->shape[dim])
        ragged(L);
    for (int64_t i = 1; i <= n->shape[dim]; i++) {
        lua_rawgeti(L, -1, i);
        each_element(L, n, dim + 1, fn);
        lua_pop(L, 1);
    }
}

Tensor *sl_to_tensor(lua_State *L, int index, DType dtype, Device device)
{
    Tensor **ref = luaL_testudata(L, index, CLASS_TENSOR);
    if (ref) {
        lua_pushvalue(L, index);
        return *ref;
    }
    Nested n = {.all_ints = true, .all_bools = true};
    measure(L, index, &n);
    lua_pushvalue(L, index);
    each_element(L, &n, 0, see_element);
    n.dtype = dtype != DT_none && dtype < DT_COUNT ? dtype
              : n.all_bools                        ? DT_b8
              : n.all_ints                         ? DT_i64
                                                   : DT_f32;
    Tensor *t = adopt(L, tensor_new(n.dtype, device, n.rank, n.shape));
    n.at = tensor_data(t);
    lua_insert(L, -2);
    each_element(L, &n, 0, store_element);
    lua_pop(L, 1);
    return t;
}

/* thunder.tensor(numbers [, dtype]) */
static int make_tensor(lua_State *L)
{
    DType dtype = DT_none;
    if (!lua_isnoneornil(L, 2)) {
        dtype = dtype_parse(sl_check_str(L, 2));
        luaL_argcheck(L, dtype != DT_none, 2, "unknown dtype");
    }
    sl_to_tensor(L, 1, dtype, (Device){0});
    return 1;
}

/* ------------------------------------------------------------------------------------ to Lua */

static void push_element(lua_State *L, const void *p, DType d)
{
    if (dtype_is_complex(d)) {
        double c[2];
        elem_get_c128(p, d, c);
        lua_createtable(L, 0, 2);
        lua_pushnumber(L, c[0]);
        lua_setfield(L, -2, "re");
        lua_pushnumber(L, c[1]);
        lua_setfield(L, -2, "im");
        luaL_setmetatable(L, CLASS_COMPLEX);
    } else if (d == DT_b8) {
        lua_pushboolean(L, elem_get_i64(p, d) != 0);
    } else if (dtype_is_exact(d)) {
        lua_pushinteger(L, elem_get_i64(p, d));
    } else {
        lua_pushnumber(L, elem_get_f64(p, d));
    }
}

static const char *element(const Tensor *t, int64_t offset)
{
    return (const char *)tensor_data(t) + offset * dtype_info[t->dtype].bytes;
}

static void push_nested(lua_State *L, const Tensor *t, uint32_t dim, int64_t offset)
{
    luaL_checkstack(L, 4, "a tensor nests too deep");
    if (dim == t->rank) {
        push_element(L, element(t, offset), t->dtype);
        return;
    }
    lua_newtable(L);
    for (int64_t i = 0; i < t->shape[dim]; i++) {
        push_nested(L, t, dim + 1, offset + i * t->strides[dim]);
        lua_rawseti(L, -2, i + 1);
    }
}

static int tensor_tolist(lua_State *L)
{
    push_nested(L, sl_check_tensor(L, 1), 0, 0);
    return 1;
}

/* t:get(i, j, ...): the element, or the part of the tensor below fewer indices. */
static int tensor_get(lua_State *L)
{
    Tensor *t = sl_check_tensor(L, 1);
    uint32_t n = (uint32_t)lua_gettop(L) - 1;
    int64_t offset = 0;
    if (n > t->rank)
        return sl_raise(L, "bad-index", "%u indices into %u dimension%s", n, t->rank,
                        plural(t->rank));
    for (uint32_t i = 0; i < n; i++) {
        lua_Integer k = luaL_checkinteger(L, (int)i + 2);
        if (k < -t->shape[i] || k >= t->shape[i])
            return sl_raise(L, "bad-index", "index %lld is out of range for size %lld",
                            (long long)k, (long long)t->shape[i]);
        offset += (k < 0 ? k + t->shape[i] : k) * t->strides[i];
    }
    if (n < t->rank)
        adopt(L, tensor_view(t, t->rank - n, t->shape + n, t->strides + n, t->offset + offset));
    else
        push_element(L, element(t, offset), t->dtype);
    return 1;
}

static int tensor_item(lua_State *L)
{
    const Tensor *t = sl_check_tensor(L, 1);
    if (tensor_numel(t) != 1)
        return sl_raise(L, "bad-item", "item: the tensor has %lld element%s",
                        (long long)tensor_numel(t), plural(tensor_numel(t)));
    push_element(L, element(t, 0), t->dtype);
    return 1;
}

/* ---------------------------------------------------------------------------------- summaries */

typedef struct Summary {
    double sum, min, max, maxabs;
    int64_t n, nans;
} Summary;

static Summary summarise(lua_State *L, Tensor *t)
{
    Summary s = {.min = INFINITY, .max = -INFINITY};
    if (dtype_is_complex(t->dtype))
        sl_raise(L, "complex", "a complex tensor has no order; take its elements");
    t = adopt(L, tensor_contiguous(t));
    s.n = tensor_numel(t);
    for (int64_t i = 0; i < s.n; i++) {
        double v = elem_get_f64(element(t, i), t->dtype);
        s.sum += v;
        s.nans += isnan(v);
        s.min = v < s.min ? v : s.min;
        s.max = v > s.max ? v : s.max;
        s.maxabs = fabs(v) > s.maxabs ? fabs(v) : s.maxabs;
    }
    lua_pop(L, 1);
    return s;
}

#define SUMMARY(name, expr) \
    static int tensor_##name(lua_State *L) \
    { \
        Summary s = summarise(L, sl_check_tensor(L, 1)); \
        lua_pushnumber(L, (expr)); \
        return 1; \
    }
SUMMARY(sum, s.sum)
SUMMARY(mean, s.sum / (double)s.n)
SUMMARY(min, s.min)
SUMMARY(max, s.max)
SUMMARY(maxabs, s.maxabs)

static int tensor_nans(lua_State *L)
{
    lua_pushinteger(L, summarise(L, sl_check_tensor(L, 1)).nans);
    return 1;
}

/* t:compare(want [, rtol, atol]): how they differ; t:close(want [, rtol, atol]): whether not. */
static int tensor_compared(lua_State *L)
{
    Comparison c = tensor_compare(sl_check_tensor(L, 1), sl_check_tensor(L, 2),
                                  luaL_optnumber(L, 3, -1), luaL_optnumber(L, 4, -1));
    lua_newtable(L);
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"max_abs", c.max_abs}, {"max_rel", c.max_rel}, {"max_ulp", c.max_ulp},
                   {"got", c.got},         {"want", c.want}};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        lua_pushnumber(L, numbers[i].value);
        lua_setfield(L, -2, numbers[i].key);
    }
    lua_pushboolean(L, c.equal && c.same_type);
    lua_setfield(L, -2, "equal");
    lua_pushboolean(L, c.same_type);
    lua_setfield(L, -2, "same_type");
    lua_pushinteger(L, c.wrong);
    lua_setfield(L, -2, "wrong");
    lua_pushinteger(L, c.total);
    lua_setfield(L, -2, "total");
    return 1;
}

static int tensor_close(lua_State *L)
{
    tensor_compared(L);
    lua_getfield(L, -1, "equal");
    return 1;
}

/* ------------------------------------------------------------------------------------- fields */

static int tensor_dtype(lua_State *L)
{
    lua_pushstring(L, dtype_info[sl_check_tensor(L, 1)->dtype].name);
    return 1;
}

static int tensor_shape(lua_State *L)
{
    const Tensor *t = sl_check_tensor(L, 1);
    lua_createtable(L, (int)t->rank, 0);
    for (uint32_t i = 0; i < t->rank; i++) {
        lua_pushinteger(L, t->shape[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int tensor_device(lua_State *L)
{
    StrBuf *b = sl_buffer(L);
    device_print(sl_check_tensor(L, 1)->device, b);
    sl_push_str(L, sb_str(b));
    return 1;
}

static int tensor_count(lua_State *L)
{
    lua_pushinteger(L, tensor_numel(sl_check_tensor(L, 1)));
    return 1;
}

static int tensor_rank(lua_State *L)
{
    lua_pushinteger(L, sl_check_tensor(L, 1)->rank);
    return 1;
}

static int tensor_bytes(lua_State *L)
{
    const Tensor *t = sl_check_tensor(L, 1);
    lua_pushinteger(L, tensor_numel(t) * dtype_info[t->dtype].bytes);
    return 1;
}

static int tensor_to(lua_State *L)
{
    DType dtype = dtype_parse(sl_check_str(L, 2));
    luaL_argcheck(L, dtype != DT_none, 2, "unknown dtype");
    adopt(L, tensor_cast(sl_check_tensor(L, 1), dtype));
    return 1;
}

static int tensor_tostring(lua_State *L)
{
    StrBuf *b = sl_buffer(L);
    tensor_print(sl_check_tensor(L, 1), 0, 80, b);
    sl_push_str(L, str_trim(sb_str(b)));
    return 1;
}

/* -------------------------------------------------------------------------------------- files */

/* The dense tensors of the table at 2 as rows for the writer; their owners stay on the stack. */
static TensorView *read_views(lua_State *L, uint32_t *n)
{
    *n = 0;
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
        ++*n;
    TensorView *views = lua_newuserdatauv(L, (*n + 1) * sizeof *views, 0);
    lua_newtable(L);
    int owners = lua_gettop(L);
    uint32_t i = 0;
    for (lua_pushnil(L); lua_next(L, 2); lua_settop(L, owners + 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            sl_raise(L, "bad-tensor", "tensors are saved by name: {x = tensor}");
        Tensor *t = sl_to_tensor(L, owners + 2, DT_none, (Device){0});
        t = adopt(L, tensor_contiguous(t));
        TensorView *v = &views[i++];
        *v = (TensorView){.dtype = t->dtype, .rank = t->rank, .shape = t->shape};
        v->name.p = lua_tolstring(L, owners + 1, &v->name.n);
        v->data = tensor_data(t);
        v->bytes = (size_t)tensor_numel(t) * dtype_info[t->dtype].bytes;
        lua_rawseti(L, owners, i);
    }
    return views;
}

static int compare_views(const void *a, const void *b)
{
    return str_cmp(((const TensorView *)a)->name, ((const TensorView *)b)->name);
}

/* thunder.save(path, {name = tensor, ...}): a safetensors file, names in order. */
static int save_tensors(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    uint32_t n;
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    TensorView *views = read_views(L, &n);
    qsort(views, n, sizeof *views, compare_views);
    Diag *d = sl_diag(L);
    if (!safetensors_write(path, views, n, d))
        return sl_fail(L, -1, 1);
    return 0;
}

static int tensors_gc(lua_State *L)
{
    safetensors_close(luaL_checkudata(L, 1, CLASS_FILE));
    return 0;
}

/* thunder.tensors(path): what a safetensors file holds, by name. */
static int read_tensors(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1);
    SafeTensors *st = lua_newuserdatauv(L, sizeof *st, 0);
    *st = (SafeTensors){0};
    luaL_setmetatable(L, CLASS_FILE);
    Diag *d = sl_diag(L);
    if (!safetensors_open(st, path, d))
        return sl_fail(L, -1, 1);
    lua_createtable(L, 0, (int)st->n);
    for (uint32_t i = 0; i < st->n; i++) {
        const TensorView *v = &st->items[i];
        Tensor *t = adopt(L, tensor_new(v->dtype, (Device){0}, v->rank, v->shape));
        if (v->bytes)
            memcpy(tensor_data(t), v->data, v->bytes);
        sl_push_str(L, v->name);
        lua_insert(L, -2);
        lua_rawset(L, -3);
    }
    return 1;
}

/* --------------------------------------------------------------------------------------- runs */

static int run_gc(lua_State *L)
{
    run_free(luaL_checkudata(L, 1, CLASS_RUN));
    return 0;
}

Run *sl_new_run(lua_State *L)
{
    Run *run = lua_newuserdatauv(L, sizeof *run, 0);
    *run = (Run){0};
    luaL_setmetatable(L, CLASS_RUN);
    return run;
}

Tensor *const *sl_run_inputs(lua_State *L, const Trace *t, int table)
{
    Tensor **inputs = lua_newuserdatauv(L, (t->ninputs + 1) * sizeof *inputs, 0);
    lua_newtable(L); /* keeps those alive that are made here */
    int owners = lua_gettop(L);
    for (uint32_t i = 0; i < t->ninputs; i++) {
        const Value *v = &t->values[t->inputs[i]];
        sl_push_str(L, v->name);
        if (lua_gettable(L, table) == LUA_TNIL)
            lua_rawgeti(L, table, i + 1);
        if (lua_isnil(L, -1))
            sl_raise(L, "no-input", "trace:run needs the input %.*s", STR(v->name));
        inputs[i] = sl_to_tensor(L, -1, (DType)v->type.dtype, v->type.device);
        lua_rawseti(L, owners, i + 1);
        lua_settop(L, owners);
    }
    return inputs;
}

static void push_named(lua_State *L, Str name, Tensor *t)
{
    if (!t)
        return;
    sl_push_str(L, name);
    sl_push_tensor(L, t);
    lua_rawset(L, -3);
}

int sl_push_run(lua_State *L, const Trace *t, Run *run)
{
    lua_createtable(L, (int)run->noutputs, 4);
    for (uint32_t i = 0; i < run->noutputs; i++) {
        sl_push_tensor(L, run->outputs[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_pushinteger(L, run->noutputs);
    lua_setfield(L, -2, "n");
    lua_pushnumber(L, (double)run->ns / 1e6);
    lua_setfield(L, -2, "ms");
    lua_pushinteger(L, run->played);
    lua_setfield(L, -2, "played");
    lua_newtable(L);
    for (uint32_t i = 0; run->mutated && i < t->ninputs; i++)
        push_named(L, t->values[t->inputs[i]].name, run->mutated[i]);
    lua_setfield(L, -2, "mutated");
    lua_newtable(L);
    for (ValueId v = 1; run->values && v < t->nvalues; v++)
        push_named(L, t->values[v].name, run->values[v]);
    lua_setfield(L, -2, "values");
    return 1;
}

void sl_open_tensor(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__gc", tensor_gc}, {"__tostring", tensor_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {
        {"get", tensor_get},   {"item", tensor_item},   {"tolist", tensor_tolist},
        {"sum", tensor_sum},   {"mean", tensor_mean},   {"min", tensor_min},
        {"max", tensor_max},   {"maxabs", tensor_maxabs}, {"nans", tensor_nans},
        {"to", tensor_to},     {"close", tensor_close}, {"compare", tensor_compared},
        {NULL, NULL}};
    static const luaL_Reg getters[] = {{"dtype", tensor_dtype}, {"shape", tensor_shape},
                                       {"rank", tensor_rank},   {"device", tensor_device},
                                       {"numel", tensor_count}, {"bytes", tensor_bytes},
                                       {NULL, NULL}};
    static const luaL_Reg functions[] = {{"tensor", make_tensor},
                                         {"tensors", read_tensors},
                                         {"save", save_tensors},
                                         {NULL, NULL}};
    sl_class(L, CLASS_TENSOR, meta, methods, getters);
    sl_class(L, CLASS_RUN, (const luaL_Reg[]){{"__gc", run_gc}, {NULL, NULL}}, NULL, NULL);
    sl_class(L, CLASS_FILE, (const luaL_Reg[]){{"__gc", tensors_gc}, {NULL, NULL}}, NULL, NULL);
    luaL_setfuncs(L, functions, 0);
}

#endif
