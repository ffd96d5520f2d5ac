/*
 * program.c - programs of the session, their stages, inputs and runs.
 *
 * Input: names and paths. Output: program objects; what a session function does, a method does,
 * and its diagnostics become an error. A program object is looked up in the session each time, so
 * one that was unloaded is an error and not a dangling pointer.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

#include <string.h>

void sl_push_program(lua_State *L, Program *p)
{
    Program **ref = lua_newuserdatauv(L, sizeof *ref, 0);
    *ref = p;
    luaL_setmetatable(L, CLASS_PROGRAM);
}

static Program *check_program(lua_State *L)
{
    Program *p = *(Program **)luaL_checkudata(L, 1, CLASS_PROGRAM);
    const Session *s = sl_script(L)->s;
    for (uint32_t i = 0; i < session_program_count(s); i++)
        if (session_program(s, i) == p)
            return p;
    sl_raise(L, "gone", "this program was unloaded");
    return NULL;
}

Program *sl_busy_program(lua_State *L, const char *what)
{
    sl_need_idle(L, what);
    return check_program(L);
}

void sl_settle(lua_State *L, int index, bool ok)
{
    Diag *d = luaL_checkudata(L, index, CLASS_ERROR);
    if (!ok)
        sl_fail(L, index, 1);
    if (d->nitems)
        sl_emit_diag(sl_script(L), d);
    diag_clear(d);
}

/* ------------------------------------------------------------------------------------ loading */

/* The newest programs of the session, n of them, as results. */
static int push_newest(lua_State *L, const Session *s, uint32_t before)
{
    uint32_t n = session_program_count(s) - before;
    luaL_checkstack(L, (int)n + 8, "too many programs");
    for (uint32_t i = 0; i < n; i++)
        sl_push_program(L, session_program(s, before + i));
    return (int)n;
}

/* thunder.load(path [, function]): the new programs. */
static int load_file(lua_State *L)
{
    Script *sc = sl_script(L);
    sl_need_idle(L, "thunder.load");
    Str path = sl_check_str(L, 1), function = {0};
    if (!lua_isnoneornil(L, 2))
        function = sl_check_str(L, 2);
    StrBuf *full = sl_buffer(L);
    sb_add(full, path);
    if (function.n)
        sb_printf(full, ":%.*s", STR(function));
    Diag *d = sl_diag(L);
    int at = lua_gettop(L);
    uint32_t before = session_program_count(sc->s);
    uint32_t n = session_load(sc->s, sb_str(full), d);
    sl_settle(L, at, n > 0);
    return push_newest(L, sc->s, before);
}

/* thunder.load_text(text [, name [, function]]) */
static int load_text(lua_State *L)
{
    Script *sc = sl_script(L);
    sl_need_idle(L, "thunder.load_text");
    Str text = sl_check_str(L, 1);
    Str name = str_from(luaL_optstring(L, 2, "<script>"));
    Str function = str_from(luaL_optstring(L, 3, NULL));
    Diag *d = sl_diag(L);
    int at = lua_gettop(L);
    uint32_t before = session_program_count(sc->s);
    uint32_t n = session_load_text(sc->s, name, text, function, d);
    sl_settle(L, at, n > 0);
    return push_newest(L, sc->s, before);
}

static int list_programs(lua_State *L)
{
    const Session *s = sl_script(L)->s;
    lua_newtable(L);
    for (uint32_t i = 0; i < session_program_count(s); i++) {
        sl_push_program(L, session_program(s, i));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int current_program(lua_State *L)
{
    Program *p = session_current(sl_script(L)->s);
    if (!p)
        return 0;
    sl_push_program(L, p);
    return 1;
}

static int select_program(lua_State *L)
{
    Program *p = sl_busy_program(L, "select");
    session_select(sl_script(L)->s, p);
    lua_settop(L, 1);
    return 1;
}

/* ------------------------------------------------------------------------------------- stages */

static void set_integer(lua_State *L, const char *key, uint64_t value)
{
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, key);
}

static void push_stage(lua_State *L, const Stage *st)
{
    lua_newtable(L);
    sl_push_str(L, st->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, st->pass ? st->pass->name : NULL);
    lua_setfield(L, -2, "pass");
    set_integer(L, "position", st->position);
    set_integer(L, "serial", st->serial);
    set_integer(L, "applied", st->applied);
    lua_pushboolean(L, st->partial);
    lua_setfield(L, -2, "partial");
    lua_pushnumber(L, (double)st->ns / 1e6);
    lua_setfield(L, -2, "ms");
    sl_push_trace(L, st->trace);
    lua_setfield(L, -2, "trace");
}

/* Number, name, "last" or "#SERIAL"; nothing is the cursor's stage. */
static Stage *find_stage(lua_State *L, Program *p, int arg)
{
    if (lua_isnoneornil(L, arg))
        return program_cursor(p);
    Str which;
    which.p = luaL_tolstring(L, arg, &which.n);
    Diag *d = sl_diag(L);
    int at = lua_gettop(L);
    Stage *st = program_find_stage(sl_script(L)->s, p, which, d);
    sl_settle(L, at, st != NULL);
    return st;
}

static int program_stage_trace(lua_State *L)
{
    Program *p = sl_busy_program(L, "stage");
    sl_push_trace(L, find_stage(L, p, 2)->trace);
    return 1;
}

static int program_all_stages(lua_State *L)
{
    Program *p = sl_busy_program(L, "stages");
    Diag *d = sl_diag(L);
    int at = lua_gettop(L);
    lua_newtable(L);
    for (uint32_t i = 0; i < program_stage_count(p); i++) {
        Stage *st = program_stage(sl_script(L)->s, p, i, d);
        sl_settle(L, at, st != NULL);
        push_stage(L, st);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int program_cursor_stage(lua_State *L)
{
    Program *p = check_program(L);
    push_stage(L, program_cursor(p));
    set_integer(L, "rule", program_cursor_rule(p));
    return 1;
}

/* Moves of the cursor give the stage it is at then, or nil where it cannot move. */
static int moved(lua_State *L, StepResult r)
{
    sl_settle(L, lua_gettop(L), r != STEP_error);
    if (r != STEP_moved)
        return 0;
    return program_cursor_stage(L);
}

static uint64_t count_arg(lua_State *L)
{
    lua_Integer n = luaL_optinteger(L, 2, 1);
    luaL_argcheck(L, n >= 0 && n <= UINT32_MAX, 2, "a count expected");
    return (uint64_t)n;
}

static int method_step(lua_State *L)
{
    Program *p = sl_busy_program(L, "step");
    uint64_t n = count_arg(L);
    return moved(L, program_step(sl_script(L)->s, p, n, sl_diag(L)));
}

/* A move by n stages or history entries. */
#define MOVE_BY(name) \
    static int method_##name(lua_State *L) \
    { \
        Program *p = sl_busy_program(L, #name); \
        uint32_t n = (uint32_t)count_arg(L); \
        return moved(L, program_##name(sl_script(L)->s, p, n, sl_diag(L))); \
    }
MOVE_BY(next)
MOVE_BY(back)
MOVE_BY(forward)

#define MOVE(name) \
    static int method_##name(lua_State *L) \
    { \
        Program *p = sl_busy_program(L, #name); \
        return moved(L, program_##name(sl_script(L)->s, p, sl_diag(L))); \
    }
MOVE(finish)
MOVE(continue)
MOVE(skip)

static int method_go(lua_State *L)
{
    Program *p = sl_busy_program(L, "go");
    Stage *st = find_stage(L, p, 2);
    return moved(L, program_goto(sl_script(L)->s, p, st, sl_diag(L)));
}

/* program:enable("cse", false) */
static int method_enable(lua_State *L)
{
    Program *p = sl_busy_program(L, "enable");
    Str name = sl_check_str(L, 2);
    bool on = lua_isnoneornil(L, 3) || lua_toboolean(L, 3);
    int slot = program_find_slot(p, name);
    if (slot < 0)
        return sl_raise(L, "no-pass", "there is no pass '%.*s' in this program", STR(name));
    Diag *d = sl_diag(L);
    sl_settle(L, lua_gettop(L), program_slot_set(sl_script(L)->s, p, (uint32_t)slot, on, d));
    return 0;
}

/* ------------------------------------------------------------------------------------- inputs */

static int program_inputs(lua_State *L)
{
    const Trace *t = program_root(check_program(L))->trace;
    Box *box = sl_push_trace(L, t);
    return sl_push_values(L, box, t->inputs, t->ninputs);
}

static int program_outputs(lua_State *L)
{
    sl_push_trace(L, program_root(check_program(L))->trace);
    lua_getfield(L, -1, "outputs");
    return 1;
}

static ValueId input_named(const Trace *t, Str name)
{
    for (uint32_t i = 0; i < t->ninputs; i++)
        if (str_eq(t->values[t->inputs[i]].name, name))
            return t->inputs[i];
    return 0;
}

/* {x = tensor, y = {{1, 2}, {3, 4}}} */
static void bind_table(lua_State *L, Program *p, int table)
{
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            sl_raise(L, "bad-binding", "inputs are bound by name: {x = tensor}");
        Str name;
        name.p = lua_tolstring(L, -2, &name.n);
        int at = lua_gettop(L);
        const Trace *t = program_root(p)->trace;
        ValueId v = input_named(t, name);
        Type type = v ? t->values[v].type : (Type){.dtype = DT_none};
        Tensor *tensor = sl_to_tensor(L, at, (DType)type.dtype, type.device);
        Diag *d = sl_diag(L);
        sl_settle(L, lua_gettop(L), program_bind_tensor(p, name, tensor, d));
        lua_settop(L, at);
    }
}

/* program:bind(file [, prefix]), bind("random" [, seed]), bind{x = ...} */
static int method_bind(lua_State *L)
{
    Program *p = sl_busy_program(L, "bind");
    Session *s = sl_script(L)->s;
    lua_settop(L, 3);
    if (lua_istable(L, 2)) {
        bind_table(L, p, 2);
        lua_settop(L, 1);
        return 1;
    }
    Str what = sl_check_str(L, 2);
    bool random = str_is(what, "random");
    uint64_t seed = random ? (uint64_t)luaL_optinteger(L, 3, 0) : 0;
    Str prefix = random ? (Str){0} : str_from(luaL_optstring(L, 3, NULL));
    Diag *d = sl_diag(L);
    sl_settle(L, 4, random ? program_bind_random(s, p, seed, d)
                        : program_bind_file(s, p, what, prefix, d));
    lua_settop(L, 1);
    return 1;
}

/* The tensor bound to an input, or nil. */
static int method_binding(lua_State *L)
{
    Program *p = check_program(L);
    Str name = sl_check_str(L, 2);
    ValueId v = input_named(program_root(p)->trace, name);
    if (!v)
        return sl_raise(L, "no-input", "there is no input '%.*s'", STR(name));
    sl_push_tensor(L, program_binding(p, v));
    return 1;
}

/* ------------------------------------------------------------------------------------ running */

static RunOptions read_options(lua_State *L, int table, ExecList *executors)
{
    RunOptions o = {.rounding = ROUND_dtype, .flat = true};
    if (lua_isnoneornil(L, table))
        return o;
    luaL_checktype(L, table, LUA_TTABLE);
    lua_getfield(L, table, "keep");
    o.keep_values = lua_toboolean(L, -1);
    lua_getfield(L, table, "rounding");
    const char *rounding = luaL_optstring(L, -1, "dtype");
    if (strcmp(rounding, "f64") != 0 && strcmp(rounding, "dtype") != 0)
        sl_raise(L, "bad-rounding", "rounding is 'f64' or 'dtype', not '%s'", rounding);
    o.rounding = rounding[0] == 'f' ? ROUND_f64 : ROUND_dtype;
    if (lua_getfield(L, table, "executors") == LUA_TSTRING) {
        Diag *d = sl_diag(L);
        if (!exec_parse_list(session_executors(sl_script(L)->s), sl_check_str(L, -2), executors, d))
            sl_fail(L, -1, 1);
        o.executors = executors;
        lua_pop(L, 1);
    }
    lua_pop(L, 3);
    return o;
}

/* program:run([stage [, options]]): the outputs. */
static int method_run(lua_State *L)
{
    Program *p = sl_busy_program(L, "run");
    ExecList executors;
    lua_settop(L, 3);
    RunOptions o = read_options(L, 3, &executors);
    if (lua_isnil(L, 2)) {
        lua_pushliteral(L, "last");
        lua_replace(L, 2);
    }
    Stage *st = find_stage(L, p, 2);
    Run *run = sl_new_run(L);
    Diag *d = sl_diag(L);
    sl_settle(L, lua_gettop(L), session_run(sl_script(L)->s, p, st, &o, run, d));
    return sl_push_run(L, st->trace, run);
}

/* trace:run{tensors by name or number} */
int sl_trace_run(lua_State *L)
{
    Box *box = sl_check_box(L, 1);
    ExecList executors;
    lua_settop(L, 3);
    luaL_checktype(L, 2, LUA_TTABLE);
    if (!box->t->finished)
        return sl_raise(L, "unfinished", "this trace is still being built");
    RunOptions o = read_options(L, 3, &executors);
    Tensor *const *inputs = sl_run_inputs(L, box->t, 2);
    Run *run = sl_new_run(L);
    Diag *d = sl_diag(L);
    bool ok = trace_run(sl_script(L)->s, box->t, inputs, &o, run, d);
    sl_forget_stale_spans(sl_script(L), d);
    sl_settle(L, lua_gettop(L), ok);
    return sl_push_run(L, box->t, run);
}

/* ----------------------------------------------------------------------------------- the rest */

static int program_name_text(lua_State *L)
{
    sl_push_str(L, program_name(check_program(L)));
    return 1;
}

static int program_passes(lua_State *L)
{
    Program *p = check_program(L);
    lua_newtable(L);
    for (uint32_t i = 0; i < program_slot_count(p); i++) {
        const Slot *slot = program_slot(p, i);
        lua_newtable(L);
        sl_push_str(L, slot->name);
        lua_setfield(L, -2, "name");
        lua_pushboolean(L, slot->on);
        lua_setfield(L, -2, "on");
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int program_tostring(lua_State *L)
{
    Program *p = check_program(L);
    StrBuf *b = sl_buffer(L);
    sb_printf(b, "program %.*s: %u input%s, %u stage%s", STR(program_name(p)),
              program_root(p)->trace->ninputs, plural(program_root(p)->trace->ninputs),
              program_stage_count(p), plural(program_stage_count(p)));
    sl_push_str(L, sb_str(b));
    return 1;
}

static int program_eq(lua_State *L)
{
    Program **a = luaL_testudata(L, 1, CLASS_PROGRAM), **b = luaL_testudata(L, 2, CLASS_PROGRAM);
    lua_pushboolean(L, a && b && *a == *b);
    return 1;
}

/* program:print([which [, options]]), as trace:print does. */
static int method_print(lua_State *L)
{
    Program *p = sl_busy_program(L, "print");
    lua_settop(L, 3);
    Stage *st = find_stage(L, p, 2);
    sl_push_trace(L, st->trace);
    lua_getfield(L, -1, "print");
    lua_insert(L, -2);
    lua_pushvalue(L, 3);
    lua_call(L, 2, 0);
    return 0;
}

/* thunder.command(line): whether it worked, and what it printed. */
static int run_command(lua_State *L)
{
    Script *sc = sl_script(L);
    sl_need_idle(L, "thunder.command");
    Str line = sl_check_str(L, 1);
    if (!sc->command)
        return sl_raise(L, "no-commands", "there is no REPL that could run '%.*s'", STR(line));
    StrBuf *out = sl_buffer(L);
    bool ok = sc->command(sc->command_user, line, out);
    sl_push_str(L, sb_str(out));
    lua_pushboolean(L, ok);
    return 2;
}

static int session_option_value(lua_State *L)
{
    Script *sc = sl_script(L);
    char buffer[PASS_WORD];
    Str name = pass_word(sl_check_str(L, 1), buffer);
    if (lua_isnoneornil(L, 2)) {
        sl_push_str(L, session_option(sc->s, name, (Str){0}));
        return 1;
    }
    sl_need_idle(L, "thunder.option");
    Str value;
    value.p = luaL_tolstring(L, 2, &value.n);
    Diag *d = sl_diag(L);
    sl_settle(L, lua_gettop(L),
              session_check_option(sc->s, name, value, d) &&
                  session_set_option(sc->s, name, value, d));
    return 0;
}

void sl_open_program(lua_State *L)
{
    static const luaL_Reg meta[] = {
        {"__tostring", program_tostring}, {"__eq", program_eq}, {NULL, NULL}};
    static const luaL_Reg methods[] = {
        {"stages", program_all_stages}, {"stage", program_stage_trace}, {"step", method_step},
        {"next", method_next},          {"back", method_back},          {"forward", method_forward},
        {"finish", method_finish},      {"continue", method_continue},  {"skip", method_skip},
        {"go", method_go},              {"enable", method_enable},      {"bind", method_bind},
        {"binding", method_binding},    {"run", method_run},            {"print", method_print},
        {"select", select_program},     {"grad", sl_program_grad},
        {"value_and_grad", sl_program_value_and_grad},
        {"vjp", sl_program_vjp},        {NULL, NULL}};
    static const luaL_Reg getters[] = {{"name", program_name_text},
                                       {"cursor", program_cursor_stage},
                                       {"inputs", program_inputs},
                                       {"outputs", program_outputs},
                                       {"passes", program_passes},
                                       {NULL, NULL}};
    static const luaL_Reg functions[] = {{"load", load_file},
                                         {"load_text", load_text},
                                         {"programs", list_programs},
                                         {"current", current_program},
                                         {"command", run_command},
                                         {"option", session_option_value},
                                         {NULL, NULL}};
    sl_class(L, CLASS_PROGRAM, meta, methods, getters);
    luaL_setfuncs(L, functions, 0);
}

#endif
