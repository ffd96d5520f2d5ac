/*
 * line.c - reading a line from a person. The only file that knows libedit; without it, or on a dumb
 * terminal, lines are read plainly.
 *
 * Keys: those of emacs (or vi, by ~/.editrc); Tab completes, twice lists; Ctrl-R searches the
 * history; Ctrl-C drops the line, twice within a second leaves; Ctrl-D on an empty line leaves.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "repl.h"

#include "pager.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static struct {
    bool ready, plain;
    StrBuf line, prompt;
    Str last;    /* newest line of the history, in memory of its own */
    char *path;  /* of the history file; NULL = none */
    bool listed; /* Tab was pressed before, and nothing since */
    Repl *r;
} ed;

/* ----------------------------------------------------------------------------- history file */

static void open_history_file(Repl *r)
{
    int64_t limit = setting_int(&r->settings, SET_history);
    Str path =
        limit ? xdg_path("XDG_STATE_HOME", ".local/state", "history", true, &r->scratch) : (Str){0};
    ed.path = path.n ? strdup(path.p) : NULL;
}

static void append_to_file(Str line)
{
    FILE *f = ed.path ? fopen(ed.path, "a") : NULL;
    if (!f)
        return;
    fprintf(f, "%.*s\n", STR(line));
    fclose(f);
}

/* Calls fn for the newest `limit` lines of the file, and cuts the file to them. */
static void load_file(Repl *r, void (*fn)(Str line))
{
    Str text;
    if (!ed.path || access(ed.path, R_OK) != 0 || !read_file(r, str_from(ed.path), &text)) {
        diag_clear(&r->diag);
        return;
    }
    int64_t limit = setting_int(&r->settings, SET_history), lines = 0;
    size_t from = text.n;
    while (from > 0 && lines <= limit) {
        from--;
        lines += from > 0 && text.p[from - 1] == '\n';
    }
    bool cut = lines > limit;
    if (cut)
        str_cut(&text, '\n');
    text = cut ? str_sub(text, from, text.n) : text;
    Str rest = text;
    while (rest.n)
        fn(str_cut(&rest, '\n'));
    if (cut && !write_file(r, str_from(ed.path), text))
        diag_clear(&r->diag);
}

/* ------------------------------------------------------------------------------ plain reading */

static const char *read_plain(const char *prompt, size_t *n)
{
    for (const char *p = prompt; *p; p++) { /* without the sequences between \1 marks */
        if (*p == '\001') {
            p = strchr(p + 1, '\001');
            if (!p)
                break;
            continue;
        }
        fputc(*p, stderr);
    }
    fflush(stderr);
    sb_clear(&ed.line);
    for (;;) {
        int c = fgetc(stdin);
        if (c == EOF && ferror(stdin) && errno == EINTR) {
            clearerr(stdin);
            fputc('\n', stderr);
            sb_clear(&ed.line);
            return read_plain(prompt, n);
        }
        if (c == EOF && !ed.line.n)
            return NULL;
        if (c == EOF || c == '\n')
            break;
        sb_putc(&ed.line, (char)c);
    }
    *n = ed.line.n;
    return sb_cstr(&ed.line);
}

#ifdef THUNDER_HAVE_LIBEDIT
#include <histedit.h>

static EditLine *el;
static History *hist;

static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return !term || !*term || strcmp(term, "dumb") == 0;
}

bool line_editor_name(StrBuf *out)
{
    sb_puts(out, "libedit");
    return true;
}

static char *prompt_text(EditLine *e)
{
    (void)e;
    return (char *)(uintptr_t)sb_cstr(&ed.prompt);
}

static void remember_line(Str line)
{
    HistEvent event;
    StrBuf b = {0};
    sb_add(&b, line);
    history(hist, &event, H_ENTER, sb_cstr(&b));
    sb_free(&b);
}

/* The longest text that all candidates begin with. */
static size_t common_prefix(const Candidates *c)
{
    size_t n = c->items[0].n;
    for (uint32_t i = 1; i < c->n; i++) {
        size_t k = 0;
        while (k < n && k < c->items[i].n && c->items[i].p[k] == c->items[0].p[k])
            k++;
        n = k;
    }
    return n;
}

static void list_candidates(const Candidates *c)
{
    enum { MOST = 200 };
    uint32_t width = screen_columns(ed.r), shown = c->n < MOST ? c->n : MOST;
    size_t widest = 1;
    for (uint32_t i = 0; i < shown; i++)
        widest = c->items[i].n > widest ? c->items[i].n : widest;
    uint32_t columns = (uint32_t)(width / (widest + 2));
    columns = columns ? columns : 1;
    uint32_t rows = (shown + columns - 1) / columns;
    fputc('\n', stderr);
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t i = row; i < shown; i += rows)
            fprintf(stderr, "%-*.*s", (int)widest + 2, STR(c->items[i]));
        fputc('\n', stderr);
    }
    if (shown < c->n)
        fprintf(stderr, "... and %u more\n", c->n - shown);
}

static unsigned char on_tab(EditLine *e, int ch)
{
    (void)ch;
    const LineInfo *li = el_line(e);
    Str line = {li->buffer, (size_t)(li->lastchar - li->buffer)};
    size_t cursor = (size_t)(li->cursor - li->buffer);
    Arena a = {0};
    Candidates c = {0};
    complete(ed.r, line, cursor, &a, &c);
    unsigned char result = CC_ERROR;
    if (c.n) {
        size_t typed = cursor - c.start, n = common_prefix(&c);
        bool only = c.n == 1;
        bool open_end = only && c.items[0].n && strchr("/:=", c.items[0].p[c.items[0].n - 1]);
        StrBuf b = {0};
        sb_add(&b, str_sub(c.items[0], 0, n));
        if (only && !open_end)
            sb_putc(&b, ' ');
        if (n > typed || (only && !open_end)) {
            el_deletestr(e, (int)typed);
            el_insertstr(e, sb_cstr(&b));
            result = CC_REFRESH;
            ed.listed = false;
        } else if (ed.listed) {
            list_candidates(&c);
            result = CC_REDISPLAY;
        } else {
            ed.listed = true;
            result = CC_REFRESH_BEEP;
        }
        sb_free(&b);
    }
    arena_free(&a);
    return result;
}

static int read_char(EditLine *e, wchar_t *out);

static void open_editor(Repl *r)
{
    ed.ready = true;
    ed.plain = is_dumb();
    ed.r = r;
    open_history_file(r);
    if (ed.plain)
        return;
    HistEvent event;
    el = el_init("thunder-repl", stdin, stderr, stderr);
    if (!el) {
        ed.plain = true;
        return;
    }
    hist = history_init();
    history(hist, &event, H_SETSIZE, (int)setting_int(&r->settings, SET_history));
    history(hist, &event, H_SETUNIQUE, 1);
    el_set(el, EL_PROMPT_ESC, prompt_text, '\001');
    el_set(el, EL_EDITOR, "emacs");
    el_set(el, EL_HIST, history, hist);
    el_set(el, EL_SIGNAL, 0);
    el_wset(el, EL_ADDFN, L"thunder-complete", L"completes by position", on_tab);
    el_set(el, EL_BIND, "^I", "thunder-complete", NULL);
    el_set(el, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(el, EL_BIND, "^W", "ed-delete-prev-word", NULL);
    el_set(el, EL_GETCFN, read_char);
    el_source(el, NULL);
    load_file(r, remember_line);
}

/* Reads one character; anything but a Tab ends the listing state. Interruption ends the line. */
static int read_char(EditLine *e, wchar_t *out)
{
    (void)e;
    char bytes[MB_LEN_MAX];
    size_t n = 0;
    mbstate_t state;
    for (;;) {
        if (*session_interrupt(ed.r->session))
            return -1; /* it came between two lines */
        ssize_t k = read(STDIN_FILENO, bytes + n, 1);
        if (k < 0 && errno == EINTR && !*session_interrupt(ed.r->session))
            continue;
        if (k <= 0)
            return (int)k;
        n++;
        memset(&state, 0, sizeof state);
        size_t used = mbrtowc(out, bytes, n, &state);
        if (used != (size_t)-2 || n == sizeof bytes) {
            if (used == (size_t)-1 || used == (size_t)-2)
                *out = L'?';
            break;
        }
    }
    if (*out != L'\t')
        ed.listed = false;
    return 1;
}

/* Ctrl-C while a line is typed: true when it was the second within a second. */
static bool broke_off_twice(Repl *r)
{
    *session_interrupt(r->session) = 0;
    fputs("^C\n", stderr);
    if (!interrupted_twice())
        return false;
    r->exit_code = DIAG_interrupt;
    return true;
}

const char *line_read(Repl *r, const char *prompt, size_t *n)
{
    if (!ed.ready)
        open_editor(r);
    if (ed.plain)
        return read_plain(prompt, n);
    sb_clear(&ed.prompt);
    sb_puts(&ed.prompt, prompt);
    ed.listed = false;
    *session_interrupt(r->session) = 0;
    for (;;) {
        int count = 0;
        const char *line = el_gets(el, &count);
        if (line && count > 0) {
            *n = (size_t)count - (line[count - 1] == '\n');
            return line;
        }
        if (!*session_interrupt(r->session)) {
            fputc('\n', stderr);
            return NULL;
        }
        el_reset(el);
        if (broke_off_twice(r))
            return NULL;
    }
}

void line_close(Repl *r)
{
    (void)r;
    if (hist)
        history_end(hist);
    if (el)
        el_end(el);
    hist = NULL;
    el = NULL;
    sb_free(&ed.line);
    sb_free(&ed.prompt);
    free(ed.path);
    free((char *)(uintptr_t)ed.last.p);
    memset(&ed, 0, sizeof ed);
}

#else

bool line_editor_name(StrBuf *out)
{
    (void)out;
    return false;
}

static void remember_line(Str line)
{
    (void)line; /* there are no keys to recall it with; the file is kept for later */
}

const char *line_read(Repl *r, const char *prompt, size_t *n)
{
    if (!ed.ready) {
        ed.ready = ed.plain = true;
        open_history_file(r);
        load_file(r, remember_line);
    }
    return read_plain(prompt, n);
}

void line_close(Repl *r)
{
    (void)r;
    sb_free(&ed.line);
    free(ed.path);
    free((char *)(uintptr_t)ed.last.p);
    memset(&ed, 0, sizeof ed);
}

#endif

void line_history_add(Repl *r, Str line)
{
    (void)r;
    line = str_trim(line);
    if (!line.n || str_eq(line, ed.last))
        return;
    free((char *)(uintptr_t)ed.last.p);
    char *copy = malloc(line.n);
    if (copy)
        memcpy(copy, line.p, line.n);
    ed.last = (Str){copy, copy ? line.n : 0};
#ifdef THUNDER_HAVE_LIBEDIT
    if (hist)
        remember_line(line);
#endif
    append_to_file(line);
}
