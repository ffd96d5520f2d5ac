/*
 * error.c - errors between Lua and the session.
 *
 * An error that the session finds travels through Lua as an object that holds its Diag, so that
 * kind, code, place and help survive; pcall gives it to a script, where it prints as its message.
 * An error that Lua finds is text that begins with chunk and line; it becomes an item whose span
 * points at that line. Both end in sl_report.
 */
#ifdef THUNDER_HAVE_LUA

#include "bind.h"

#include <stdio.h>
#include <string.h>

enum { MAX_CALLERS = 4 };

Diag *sl_diag(lua_State *L)
{
    Diag *d = lua_newuserdatauv(L, sizeof *d, 0);
    *d = (Diag){0};
    luaL_setmetatable(L, CLASS_ERROR);
    return d;
}

/* ------------------------------------------------------------------------------------- places */

Str sl_short_name(Str chunk, char buf[64])
{
    Str name = str_sub(chunk, 1, SIZE_MAX); /* without the '@' */
    if (name.n < LUA_IDSIZE)
        return name;
    size_t kept = LUA_IDSIZE - 4;
    memcpy(buf, "...", 3);
    memcpy(buf + 3, name.p + name.n - kept, kept);
    return (Str){buf, kept + 3};
}

/* What is missing at the end of a text is missed behind its last line, which has no text. */
static Span line_span(const Source *src, uint32_t line)
{
    Str rest = src->text, text = {0};
    for (uint32_t i = 0; i < line && (i == 0 || rest.n); i++)
        text = str_cut(&rest, '\n');
    text = str_trim(text);
    if (!text.p || text.n == 0)
        return (Span){src, 0, 0};
    return (Span){src, (uint32_t)(text.p - src->text.p), (uint32_t)text.n};
}

/* "NAME:LINE: MESSAGE" with the name of a chunk: its span, and *message past it. */
static Span cut_place(const Script *sc, Str *message)
{
    map_for_each(&sc->chunks, e)
    {
        const Source *src = e->cp;
        Str rest = *message;
        if (rest.n <= src->name.n || !str_eq(str_sub(rest, 0, src->name.n), src->name))
            continue;
        rest = str_sub(rest, src->name.n, SIZE_MAX);
        if (rest.p[0] != ':')
            continue;
        rest = str_sub(rest, 1, SIZE_MAX);
        int64_t line;
        if (!str_to_i64(str_cut(&rest, ':'), &line) || line < 1 || line > UINT32_MAX)
            continue;
        *message = str_trim(rest);
        return line_span(src, (uint32_t)line);
    }
    return (Span){0};
}

/* The nearest line of Lua that is being run at level or further out; false when there is none. */
static bool running_line(lua_State *L, int *level, lua_Debug *ar)
{
    for (; lua_getstack(L, *level, ar); ++*level) {
        lua_getinfo(L, "Sl", ar);
        if (ar->currentline > 0)
            return true;
    }
    return false;
}

static const Source *chunk_source(const Script *sc, const lua_Debug *ar)
{
    const MapEntry *e = map_get(&sc->chunks, (Str){ar->source, ar->srclen});
    return e ? e->cp : NULL;
}

static bool contains(Str s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= s.n; i++)
        if (memcmp(s.p + i, word, n) == 0)
            return true;
    return false;
}

static void add_note(Diag *d, DiagItem *item, const char *text)
{
    Str old = item->note;
    if (old.n)
        diag_note(d, item, "%.*s; %s", STR(old), text);
    else
        diag_note(d, item, "%s", text);
}

/* "called from FILE:LINE, ...": the lines of Lua that were being run from level outwards. */
static void add_callers(lua_State *L, Diag *d, DiagItem *item, int level)
{
    lua_Debug ar;
    char text[MAX_CALLERS * (LUA_IDSIZE + 16) + 16] = "called from";
    size_t n = strlen(text);
    int found = 0;
    if (contains(item->note, text))
        return;
    for (; found < MAX_CALLERS && running_line(L, &level, &ar); level++, found++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s %s:%d", found ? "," : "", ar.short_src,
                              ar.currentline);
    if (found)
        add_note(d, item, text);
}

/* ------------------------------------------------------------------------------------ raising */

static DiagItem *first_error(Diag *d)
{
    DiagItem *item = d->first;
    while (item && item->severity != SEV_error)
        item = item->next;
    return item ? item : d->first;
}

int sl_fail(lua_State *L, int index, int level)
{
    Script *sc = *(Script **)lua_getextraspace(L);
    Diag *d = luaL_checkudata(L, index, CLASS_ERROR);
    DiagItem *item = first_error(d);
    lua_Debug ar;
    lua_pushvalue(L, index);
    if (!item)
        item = diag_error(d, DIAG_load, (Span){0}, "script-error", "it did not work");
    if (item->span.src) {
        add_callers(L, d, item, level);
    } else if (running_line(L, &level, &ar)) {
        const Source *src = chunk_source(sc, &ar);
        if (src)
            item->span = line_span(src, (uint32_t)ar.currentline);
    }
    return lua_error(L);
}

void sl_forget_stale_spans(Script *sc, Diag *d)
{
    for (DiagItem *item = d->first; item; item = item->next) {
        bool alive = !item->span.src;
        for (uint32_t i = 0; i < session_program_count(sc->s) && !alive; i++)
            alive = program_source(session_program(sc->s, i)) == item->span.src;
        if (!alive)
            item->span = (Span){0};
    }
}

int sl_raise(lua_State *L, const char *code, const char *fmt, ...)
{
    Diag *d = sl_diag(L);
    va_list ap;
    va_start(ap, fmt);
    diag_vadd(d, SEV_error, DIAG_load, (Span){0}, code, fmt, ap);
    va_end(ap);
    return sl_fail(L, -1, 1);
}

int sl_handler(lua_State *L)
{
    Script *sc = *(Script **)lua_getextraspace(L);
    Diag *d = luaL_testudata(L, 1, CLASS_ERROR);
    if (!d) {
        Str text;
        bool said = lua_isstring(L, 1) || luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL;
        if (said)
            text.p = luaL_tolstring(L, 1, &text.n);
        else
            text = str_from(lua_pushfstring(L, "the error is a %s, not a text",
                                            luaL_typename(L, 1)));
        Span at = cut_place(sc, &text);
        d = sl_diag(L);
        diag_error(d, DIAG_load, at, "script-error", "%.*s", STR(text));
    } else {
        lua_pushvalue(L, 1);
    }
    int level = 1;
    lua_Debug ar;
    DiagItem *item = first_error(d);
    if (item && running_line(L, &level, &ar)) {
        if (!item->span.src && chunk_source(sc, &ar))
            item->span = line_span(chunk_source(sc, &ar), (uint32_t)ar.currentline);
        add_callers(L, d, item, level + 1);
    }
    return 1;
}

void sl_report(Script *sc, lua_State *L, DiagKind kind, Diag *d)
{
    Diag *from = luaL_testudata(L, -1, CLASS_ERROR);
    if (from) {
        for (DiagItem *item = from->first; item; item = item->next)
            if (item->kind == DIAG_load)
                item->kind = kind;
        diag_move(d, from);
    } else {
        Str text = S("the script failed");
        if (lua_type(L, -1) == LUA_TSTRING)
            text.p = lua_tolstring(L, -1, &text.n);
        Span at = cut_place(sc, &text);
        diag_error(d, kind, at, "script-error", "%.*s", STR(text));
    }
    lua_pop(L, 1);
}

void sl_emit_diag(Script *sc, const Diag *d)
{
    StrBuf text = {0};
    diag_render_all(d, false, &text);
    sl_emit(sc, sb_str(&text));
    sb_free(&text);
}

/* ------------------------------------------------------------------------------ error objects */

static Diag *check_error(lua_State *L)
{
    return luaL_checkudata(L, 1, CLASS_ERROR);
}

static int error_gc(lua_State *L)
{
    diag_clear(check_error(L));
    return 0;
}

static void push_place(lua_State *L, const DiagItem *item)
{
    if (!item->span.src) {
        sl_push_str(L, item->where);
        return;
    }
    sl_push_str(L, item->span.src->name);
    lua_pushfstring(L, ":%d", (int)span_place(item->span).line);
    lua_concat(L, 2);
}

static int error_where(lua_State *L)
{
    const DiagItem *item = first_error(check_error(L));
    if (!item)
        return 0;
    push_place(L, item);
    return 1;
}

static int error_tostring(lua_State *L)
{
    const DiagItem *item = first_error(check_error(L));
    if (!item)
        return 0;
    push_place(L, item);
    if (lua_rawlen(L, -1)) {
        lua_pushliteral(L, ": ");
        lua_concat(L, 2);
    }
    sl_push_str(L, item->message);
    lua_concat(L, 2);
    return 1;
}

static int error_concat(lua_State *L)
{
    luaL_tolstring(L, 1, NULL);
    luaL_tolstring(L, 2, NULL);
    lua_concat(L, 2);
    return 1;
}

/* A getter for a text of the first item, by offset. */
#define ERROR_TEXT(field) \
    static int error_##field(lua_State *L) \
    { \
        const DiagItem *item = first_error(check_error(L)); \
        sl_push_str(L, item ? item->field : (Str){0}); \
        return 1; \
    }
ERROR_TEXT(message)
ERROR_TEXT(note)
ERROR_TEXT(help)

static int error_code(lua_State *L)
{
    const DiagItem *item = first_error(check_error(L));
    lua_pushstring(L, item ? item->code : "");
    return 1;
}

void sl_open_errors(lua_State *L)
{
    static const luaL_Reg meta[] = {{"__gc", error_gc},
                                    {"__tostring", error_tostring},
                                    {"__concat", error_concat},
                                    {NULL, NULL}};
    static const luaL_Reg getters[] = {{"message", error_message}, {"note", error_note},
                                       {"help", error_help},       {"code", error_code},
                                       {"where", error_where},     {NULL, NULL}};
    sl_class(L, CLASS_ERROR, meta, NULL, getters);
}

#endif
