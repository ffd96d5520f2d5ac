/*
 * script.c - the interpreter of a session: its life, running chunks, printing.
 *
 * Input: Lua text. Output: what it prints, through emit, and diagnostics. The one idea: every way
 * into Lua is a protected call made here, and a hook looks at the session's interrupt flag while
 * Lua runs, so that neither an error nor an endless loop in a script ends the session.
 */
#include "script.h"

#ifdef THUNDER_HAVE_LUA

#include "bind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLL_INSTRUCTIONS = 1000, MAX_BYTES = 1 << 29 };

bool script_available(void)
{
    return true;
}

Script *sl_script(lua_State *L)
{
    Script *sc = *(Script **)lua_getextraspace(L);
    sc->now = L;
    return sc;
}

void sl_emit(Script *sc, Str text)
{
    if (sc->write && text.n)
        sc->write(sc->write_user, text);
}

Str sl_check_str(lua_State *L, int arg)
{
    Str s;
    s.p = luaL_checklstring(L, arg, &s.n);
    return s;
}

void sl_push_str(lua_State *L, Str s)
{
    lua_pushlstring(L, s.p ? s.p : "", s.n);
}

void sl_need_idle(lua_State *L, const char *what)
{
    if (sl_script(L)->callbacks)
        sl_raise(L, "busy", "%s: not while a pass or an event handler is running", what);
}

/* ------------------------------------------------------------------------------------ buffers */

static int buffer_gc(lua_State *L)
{
    sb_free(luaL_checkudata(L, 1, CLASS_BUFFER));
    return 0;
}

StrBuf *sl_buffer(lua_State *L)
{
    StrBuf *b = lua_newuserdatauv(L, sizeof *b, 0);
    *b = (StrBuf){0};
    luaL_setmetatable(L, CLASS_BUFFER);
    return b;
}

/* ------------------------------------------------------------------------------------ classes */

static int class_index(lua_State *L)
{
    const char *name = lua_tostring(L, lua_upvalueindex(1));
    lua_settop(L, 2);
    if (sl_lookup(L, 1, 2, name))
        return 1;
    return sl_raise(L, "no-field", "a %s has no field '%s'", strchr(name, '.') + 1,
                    luaL_tolstring(L, 2, NULL));
}

void sl_class(lua_State *L, const char *name, const luaL_Reg *meta, const luaL_Reg *methods,
              const luaL_Reg *getters)
{
    luaL_newmetatable(L, name);
    lua_newtable(L);
    if (methods)
        luaL_setfuncs(L, methods, 0);
    lua_setfield(L, -2, "methods");
    lua_newtable(L);
    if (getters)
        luaL_setfuncs(L, getters, 0);
    lua_setfield(L, -2, "getters");
    if (methods || getters) {
        lua_pushstring(L, name);
        lua_pushcclosure(L, class_index, 1);
        lua_setfield(L, -2, "__index");
    }
    if (meta)
        luaL_setfuncs(L, meta, 0);
    lua_pushstring(L, name); /* what getmetatable gives: a script cannot reach __gc */
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

bool sl_lookup(lua_State *L, int obj, int key, const char *class_name)
{
    obj = lua_absindex(L, obj);
    key = lua_absindex(L, key);
    int top = lua_gettop(L);
    luaL_getmetatable(L, class_name);
    lua_getfield(L, -1, "methods");
    lua_pushvalue(L, key);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        lua_getfield(L, top + 1, "getters");
        lua_pushvalue(L, key);
        if (lua_rawget(L, -2) == LUA_TNIL) {
            lua_settop(L, top);
            return false;
        }
        lua_pushvalue(L, obj);
        lua_call(L, 1, 1);
    }
    lua_replace(L, top + 1);
    lua_settop(L, top + 1);
    return true;
}

/* ---------------------------------------------------------------------------- protected calls */

static void poll_interrupt(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    Script *sc = *(Script **)lua_getextraspace(L);
    if (!*session_interrupt(sc->s))
        return;
    /* At the very next instruction again, so that a pcall in the script does not swallow it. */
    lua_sethook(L, poll_interrupt, LUA_MASKCOUNT, 1);
    lua_sethook(sc->L, poll_interrupt, LUA_MASKCOUNT, 1);
    Diag *d = sl_diag(L);
    diag_error(d, DIAG_interrupt, (Span){0}, "interrupted", "interrupted");
    sl_fail(L, -1, 0);
}

bool sl_protected(Script *sc, lua_CFunction body, void *arg, DiagKind kind, Diag *d)
{
    lua_State *L = sc->depth ? sc->now : sc->L, *now = sc->now;
    if (!lua_checkstack(L, LUA_MINSTACK)) {
        diag_error(d, kind, (Span){0}, "script-error", "the script's stack is full");
        return false;
    }
    if (sc->depth == 0)
        lua_sethook(L, poll_interrupt, LUA_MASKCOUNT, POLL_INSTRUCTIONS);
    Builder *builder = sc->builder;
    sc->depth++;
    lua_pushcfunction(L, sl_handler);
    int handler = lua_gettop(L);
    lua_pushcfunction(L, body);
    lua_pushlightuserdata(L, arg);
    int status = lua_pcall(L, 1, 0, handler);
    sc->depth--;
    sc->builder = builder;
    sc->now = now;
    if (status != LUA_OK)
        sl_report(sc, L, kind, d);
    lua_remove(L, handler);
    return status == LUA_OK;
}

/* ----------------------------------------------------------------------------------- the life */

static int print(lua_State *L)
{
    Script *sc = sl_script(L);
    int n = lua_gettop(L);
    StrBuf *out = sl_buffer(L);
    for (int i = 1; i <= n; i++) {
        Str s;
        s.p = luaL_tolstring(L, i, &s.n);
        sb_puts(out, i > 1 ? "\t" : "");
        sb_add(out, s);
        lua_pop(L, 1);
    }
    sb_putc(out, '\n');
    sl_emit(sc, sb_str(out));
    return 0;
}

static int refuse_exit(lua_State *L)
{
    return sl_raise(L, "no-exit", "os.exit: a script cannot end the session");
}

/* What could end the process, or take the interrupt hook away, is not there. */
static void tame_libraries(lua_State *L)
{
    lua_getglobal(L, "os");
    lua_pushcfunction(L, refuse_exit);
    lua_setfield(L, -2, "exit");
    lua_getglobal(L, "debug");
    static const char *const kept[] = {"traceback", "getinfo", "getlocal"};
    lua_newtable(L);
    for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
        lua_getfield(L, -2, kept[i]);
        lua_setfield(L, -2, kept[i]);
    }
    lua_setglobal(L, "debug");
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getglobal(L, "debug");
    lua_setfield(L, -2, "debug");
    lua_pop(L, 3);
}

static int open_all(lua_State *L)
{
    lua_pushboolean(L, true); /* package.path does not come from the environment */
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
    luaL_openlibs(L);
    tame_libraries(L);
    sl_class(L, CLASS_BUFFER, (const luaL_Reg[]){{"__gc", buffer_gc}, {NULL, NULL}}, NULL, NULL);
    sl_open_errors(L);
    sl_open_objects(L);
    lua_newtable(L);
    sl_open_args(L);
    sl_open_build(L);
    sl_open_pass(L);
    sl_open_program(L);
    sl_open_tensor(L);
    sl_open_event(L);
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "thunder");
    lua_pop(L, 1);
    lua_setglobal(L, "thunder");
    lua_pushcfunction(L, print);
    lua_setglobal(L, "print");
    return 0;
}

/* Memory of the interpreter, up to a limit: a script that fills it gets "not enough memory". */
static void *allocate(void *user, void *p, size_t old, size_t new)
{
    Script *sc = user;
    old = p ? old : 0; /* of a new block, old is its type */
    if (new == 0) {
        free(p);
        sc->bytes -= old;
        return NULL;
    }
    if (new > old && new - old > MAX_BYTES - sc->bytes)
        return NULL;
    void *q = realloc(p, new);
    if (q)
        sc->bytes = sc->bytes - old + new;
    return q;
}

Script *script_new(Session *s, void (*emit)(void *user, Str text), void *user)
{
    Script *sc = calloc(1, sizeof *sc);
    lua_State *L = sc ? lua_newstate(allocate, sc) : NULL;
    if (!L) {
        free(sc);
        return NULL;
    }
    sc->s = s;
    sc->L = sc->now = L;
    sc->write = emit;
    sc->write_user = user;
    *(Script **)lua_getextraspace(L) = sc;
    lua_pushcfunction(L, open_all);
    if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
        script_free(sc);
        return NULL;
    }
    return sc;
}

void script_free(Script *sc)
{
    if (!sc)
        return;
    for (LuaPass *p = sc->passes; p; p = p->next)
        p->sc = NULL;
    if (sc->listening)
        session_unlisten(sc->s, sc->listener);
    lua_close(sc->L);
    map_free(&sc->chunks);
    arena_free(&sc->arena);
    free(sc);
}

void script_set_command(Script *sc, bool (*fn)(void *user, Str line, StrBuf *out), void *user)
{
    sc->command = fn;
    sc->command_user = user;
}

/* ------------------------------------------------------------------------------------- chunks */

typedef struct Chunk {
    Script *sc;
    Str code, name; /* name as Lua takes it: "@file" */
    bool is_file;
} Chunk;

/* Keeps the text, for excerpts in messages. A chunk of the prompt whose name was used for another
 * text gets a number, so that a line number never points into the wrong text. */
static Str keep_chunk(Script *sc, Str code, Str name, bool is_file)
{
    Str key = arena_printf(&sc->arena, "@%.*s", STR(name));
    MapEntry *e = map_get(&sc->chunks, key);
    if (e && !is_file && !str_eq(((const Source *)e->cp)->text, code))
        key = arena_printf(&sc->arena, "@%.*s#%u", STR(name), ++sc->nchunks);
    Source *src = new_of(&sc->arena, Source);
    char buf[64];
    src->name = arena_str(&sc->arena, sl_short_name(key, buf));
    src->text = arena_str(&sc->arena, code);
    map_put(&sc->chunks, key, NULL)->cp = src;
    return key;
}

static int load_text(lua_State *L, Str code, Str name)
{
    return luaL_loadbufferx(L, code.p ? code.p : "", code.n, name.p, "t");
}

/* Pushes the chunk as a function: an expression where it is one. Raises its syntax error. */
static void load_chunk(lua_State *L, const Chunk *c)
{
    if (!c->is_file) {
        StrBuf *expression = sl_buffer(L);
        sb_puts(expression, "return ");
        sb_add(expression, c->code);
        int status = load_text(L, sb_str(expression), c->name);
        lua_remove(L, -2);
        if (status == LUA_OK)
            return;
        lua_pop(L, 1);
    }
    if (load_text(L, c->code, c->name) != LUA_OK)
        lua_error(L);
}

static int run_chunk(lua_State *L)
{
    const Chunk *c = lua_touserdata(L, 1);
    lua_settop(L, 0);
    load_chunk(L, c);
    lua_call(L, 0, LUA_MULTRET);
    int n = lua_gettop(L);
    if (n == 0 || c->is_file)
        return 0;
    StrBuf *out = sl_buffer(L);
    for (int i = 1; i <= n; i++) {
        sb_puts(out, i > 1 ? "\t" : "");
        sl_show(L, i, out);
    }
    sb_putc(out, '\n');
    sl_emit(c->sc, sb_str(out));
    return 0;
}

bool script_run(Script *sc, Str code, Str chunk_name, Diag *d)
{
    Chunk c = {sc, code, keep_chunk(sc, code, chunk_name, false), false};
    return sl_protected(sc, run_chunk, &c, DIAG_load, d);
}

static int set_arg(lua_State *L)
{
    const Str *path = lua_touserdata(L, 1);
    lua_newtable(L);
    sl_push_str(L, *path);
    lua_rawseti(L, -2, 0);
    lua_setglobal(L, "arg");
    return 0;
}

bool script_run_file(Script *sc, const char *path, Diag *d)
{
    enum { MOST = 64 << 20 }; /* a device may have no end */
    StrBuf text = {0};
    Str name = str_from(path);
    FILE *f = fopen(path, "rb");
    char buf[4096];
    size_t n;
    while (f && text.n <= MOST && (n = fread(buf, 1, sizeof buf, f)) > 0)
        sb_add(&text, (Str){buf, n});
    bool bad = !f || ferror(f) || text.n > MOST;
    int why = text.n > MOST ? EFBIG : errno;
    if (f)
        fclose(f);
    if (bad) {
        DiagItem *item = diag_error(d, DIAG_load, (Span){0}, "no-file", "cannot read %s: %s", path,
                                    strerror(why));
        diag_help(d, item, "lua FILE");
        sb_free(&text);
        return false;
    }
    if (text.n && text.p[0] == '#') /* a first line that names an interpreter */
        for (size_t i = 0; i < text.n && text.p[i] != '\n'; i++)
            text.p[i] = ' ';
    Chunk c = {sc, sb_str(&text), keep_chunk(sc, sb_str(&text), name, true), true};
    bool ok = sl_protected(sc, set_arg, &name, DIAG_load, d) &&
              sl_protected(sc, run_chunk, &c, DIAG_load, d);
    sb_free(&text);
    return ok;
}

bool script_incomplete(Script *sc, Str code)
{
    static const char mark[] = "<eof>";
    lua_State *L = sc->L;
    bool incomplete = false;
    StrBuf expression = {0};
    sb_puts(&expression, "return ");
    sb_add(&expression, code);
    if (load_text(L, sb_str(&expression), S("=")) != LUA_OK) {
        lua_pop(L, 1);
        if (load_text(L, code, S("=")) == LUA_ERRSYNTAX) {
            size_t n;
            const char *message = lua_tolstring(L, -1, &n);
            incomplete = str_ends((Str){message, n}, mark);
        }
    }
    lua_pop(L, 1);
    sb_free(&expression);
    return incomplete;
}

#else /* without Lua */

bool script_available(void)
{
    return false;
}

Script *script_new(Session *s, void (*emit)(void *user, Str text), void *user)
{
    (void)s;
    (void)emit;
    (void)user;
    return NULL;
}

void script_free(Script *sc)
{
    (void)sc;
}

static bool unavailable(Diag *d)
{
    DiagItem *item = diag_error(d, DIAG_usage, (Span){0}, "no-lua",
                                "this build has no Lua: scripts cannot run");
    diag_note(d, item, "install the package liblua5.4-dev and build again");
    diag_help(d, item, "version");
    return false;
}

bool script_run(Script *sc, Str code, Str chunk_name, Diag *d)
{
    (void)sc;
    (void)code;
    (void)chunk_name;
    return unavailable(d);
}

bool script_run_file(Script *sc, const char *path, Diag *d)
{
    (void)sc;
    (void)path;
    return unavailable(d);
}

void script_set_command(Script *sc, bool (*fn)(void *user, Str line, StrBuf *out), void *user)
{
    (void)sc;
    (void)fn;
    (void)user;
}

bool script_incomplete(Script *sc, Str code)
{
    (void)sc;
    (void)code;
    return false;
}

#endif
