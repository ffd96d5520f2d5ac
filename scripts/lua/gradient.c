/*
 * gradient.c - gradients of a program, as methods: grad, value_and_grad, vjp.
 *
 * Input: names of inputs, and tensors as cotangents. Output: the outputs by number, and the
 * gradients by the name of the input.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

/* "all", a name, or a table of names: as the option joint.wrt has them. */
static Str wrt_list(lua_State *L, int arg)
{
    if (lua_isnoneornil(L, arg))
        return S("all");
    if (!lua_istable(L, arg))
        return sl_check_str(L, arg);
    StrBuf *b = sl_buffer(L);
    lua_Integer n = luaL_len(L, arg);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_geti(L, arg, i);
        sb_printf(b, "%s%.*s", i > 1 ? "," : "", STR(sl_check_str(L, -1)));
        lua_pop(L, 1);
    }
    return sb_str(b);
}

static bool flag(lua_State *L, int table, const char *name)
{
    if (!lua_istable(L, table))
        return false;
    lua_getfield(L, table, name);
    bool on = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return on;
}

static void switch_on(lua_State *L, Program *p, Str wrt, bool ones, bool again)
{
    Session *s = sl_script(L)->s;
    Diag *d = sl_diag(L);
    int at = lua_gettop(L);
    sl_settle(L, at, again ? program_grad_again(s, p, wrt, d) : program_grad(s, p, wrt, ones, d));
}

/* program:grad([wrt [, {ones = true, again = true}]]); grad("off") */
int sl_program_grad(lua_State *L)
{
    Program *p = sl_busy_program(L, "grad");
    lua_settop(L, 3);
    Str wrt = wrt_list(L, 2);
    bool off = str_is(wrt, "off");
    switch_on(L, p, off ? (Str){0} : wrt, flag(L, 3, "ones"), flag(L, 3, "again"));
    lua_settop(L, 1);
    return 1;
}

/* The outputs of the joint trace that ran, as two tables. run: the table that sl_push_run gave. */
static int push_results(lua_State *L, Program *p, const Trace *t, Str wrt, int run)
{
    const Trace *root = program_root(p)->trace;
    uint32_t own = trace_outputs(root, NULL, 0), at = own;
    lua_createtable(L, (int)own, 0);
    for (uint32_t i = 0; i < own; i++) {
        lua_geti(L, run, i + 1);
        lua_rawseti(L, -2, i + 1);
    }
    lua_newtable(L);
    for (uint32_t i = 0; i < root->ninputs; i++) {
        if (!grad_requested(t, i, wrt))
            continue;
        lua_geti(L, run, ++at);
        sl_push_str(L, root->values[root->inputs[i]].name);
        lua_insert(L, -2);
        lua_rawset(L, -3);
    }
    return 2;
}

static int run_last(lua_State *L, Program *p, Str wrt)
{
    Session *s = sl_script(L)->s;
    Diag *d = sl_diag(L);
    int at = lua_gettop(L);
    Stage *st = program_find_stage(s, p, S("last"), d);
    sl_settle(L, at, st != NULL);
    Run *run = sl_new_run(L);
    d = sl_diag(L);
    at = lua_gettop(L);
    sl_settle(L, at, session_run(s, p, st, NULL, run, d));
    Trace *t = st->trace;
    sl_push_run(L, t, run);
    return push_results(L, p, t, wrt, lua_gettop(L));
}

/* program:value_and_grad([wrt]): outputs, gradients of their sum. */
int sl_program_value_and_grad(lua_State *L)
{
    Program *p = sl_busy_program(L, "value_and_grad");
    lua_settop(L, 2);
    Str wrt = wrt_list(L, 2);
    switch_on(L, p, wrt, true, false);
    return run_last(L, p, wrt);
}

/* program:vjp({tensors by number of the output, from 1} [, wrt]): outputs, gradients. */
int sl_program_vjp(lua_State *L)
{
    Program *p = sl_busy_program(L, "vjp");
    lua_settop(L, 3);
    luaL_checktype(L, 2, LUA_TTABLE);
    Str wrt = wrt_list(L, 3);
    switch_on(L, p, wrt, false, false);
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
        int top = lua_gettop(L);
        Tensor *tensor = sl_check_tensor(L, top);
        StrBuf *name = sl_buffer(L);
        sb_printf(name, "cot_%lld", (long long)luaL_checkinteger(L, top - 1) - 1);
        Diag *d = sl_diag(L);
        sl_settle(L, lua_gettop(L), program_bind_tensor(p, sb_str(name), tensor, d));
        lua_settop(L, top);
    }
    return run_last(L, p, wrt);
}

#endif
