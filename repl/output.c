/*
 * output.c - collects what a command prints and sends it where it belongs; see output.h.
 * Tables are in table.c, the pager in pager.c.
 */
#define _POSIX_C_SOURCE 200809L
#include "repl.h"

#include "pager.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const sequences[STYLE_COUNT] = {
    [STYLE_none] = "",         [STYLE_dim] = "\033[2m",      [STYLE_head] = "\033[1m",
    [STYLE_op] = "\033[36m",   [STYLE_type] = "\033[2m",     [STYLE_value] = "\033[33m",
    [STYLE_add] = "\033[32m",  [STYLE_del] = "\033[31m",     [STYLE_good] = "\033[32m",
    [STYLE_warn] = "\033[33m", [STYLE_error] = "\033[1;31m",
};

void out_init(Output *o)
{
    *o = (Output){.tty_out = isatty(STDOUT_FILENO), .tty_err = isatty(STDERR_FILENO)};
}

void out_free(Output *o)
{
    sb_free(&o->text);
    free(o->segments);
    *o = (Output){0};
}

static bool want_colour(const Repl *r, bool tty)
{
    Str when = setting_get(&r->settings, SET_color);
    if (str_is(when, "always"))
        return true;
    return str_is(when, "auto") && tty && r->interactive;
}

static OutputMode output_mode(const Repl *r)
{
    static const char *const names[] = {"table", "plain", "json", "csv", "dot"};
    Str mode = setting_get(&r->settings, SET_output);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_is(mode, names[i]))
            return (OutputMode)i;
    }
    return MODE_table;
}

void out_begin(Repl *r, Redirect redirect)
{
    Output *o = &r->out;
    bool to_screen = redirect == REDIRECT_none && !o->capture && o->tty_out;
    o->redirect = redirect;
    o->mode = output_mode(r);
    o->colour = !o->capture && (redirect == REDIRECT_none || redirect == REDIRECT_pipe) &&
                want_colour(r, to_screen);
    o->colour_prose = want_colour(r, o->tty_err);
    o->wide = false;
    uint32_t screen = screen_columns(r);
    o->width = to_screen || (setting_int(&r->settings, SET_width) && !o->capture) ? screen : 0;
    o->prose_width = o->tty_err ? screen : 0;
}

static size_t base_offset(const Output *o)
{
    return o->base ? o->segments[o->base - 1].end : 0;
}

OutputOuter out_enter(Repl *r)
{
    Output *o = &r->out;
    OutputOuter outer = {o->base, o->redirect, o->wide};
    if (o->redirect == REDIRECT_none)
        out_flush(r);
    o->base = o->n;
    return outer;
}

void out_leave(Repl *r, OutputOuter outer)
{
    r->out.base = outer.base;
    out_begin(r, outer.redirect);
    r->out.wide = outer.wide;
}

void out_add(Repl *r, bool prose, Str s)
{
    Output *o = &r->out;
    if (prose && o->mute && o->prose_to)
        sb_add(o->prose_to, s);
    if (!s.n || (prose && o->mute))
        return;
    sb_add(&o->text, s);
    if (o->n > o->base && o->segments[o->n - 1].prose == prose) {
        o->segments[o->n - 1].end = o->text.n;
        return;
    }
    if (o->n == o->cap) {
        o->cap = o->cap ? 2 * o->cap : 16;
        o->segments = realloc(o->segments, o->cap * sizeof(Segment));
        if (!o->segments)
            abort();
    }
    o->segments[o->n++] = (Segment){o->text.n, prose};
}

void data(Repl *r, Str s)
{
    out_add(r, false, s);
}

void dataf(Repl *r, const char *fmt, ...)
{
    StrBuf b = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&b, fmt, ap);
    va_end(ap);
    out_add(r, false, sb_str(&b));
    sb_free(&b);
}

void say(Repl *r, const char *fmt, ...)
{
    StrBuf b = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&b, fmt, ap);
    va_end(ap);
    Str text = sb_str(&b);
    StrBuf lines = {0};
    do {
        wrap_line(str_cut(&text, '\n'), 0, r->out.wide ? 0 : r->out.prose_width, 0, &lines);
        sb_putc(&lines, '\n');
    } while (text.n);
    out_add(r, true, sb_str(&lines));
    sb_free(&lines);
    sb_free(&b);
}

const char *style(const Repl *r, Style s)
{
    return r->out.colour ? s == STYLE_none ? "\033[0m" : sequences[s] : "";
}

const char *prose_style(const Repl *r, Style s)
{
    return r->out.colour_prose ? s == STYLE_none ? "\033[0m" : sequences[s] : "";
}

/* ----------------------------------------------------------------------------------- sending */

static void write_all(Repl *r, int fd, Str s)
{
    while (s.n && !(fd == STDOUT_FILENO && r->out.broken)) {
        ssize_t k = write(fd, s.p, s.n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0) {
            if (fd == STDOUT_FILENO)
                r->out.broken = errno;
            return;
        }
        s = str_sub(s, (size_t)k, s.n);
    }
}

/* Calls fn for every segment; prose always goes to standard error, data to fn. */
static void send_segments(Repl *r, void (*fn)(Repl *r, Str s, void *to), void *to)
{
    Output *o = &r->out;
    size_t start = base_offset(o);
    for (uint32_t i = o->base; i < o->n; i++) {
        Str s = {o->text.p + start, o->segments[i].end - start};
        if (o->segments[i].prose)
            write_all(r, STDERR_FILENO, s);
        else
            fn(r, s, to);
        start = o->segments[i].end;
    }
    o->n = o->base;
    o->text.n = base_offset(o);
}

static void to_nowhere(Repl *r, Str s, void *to)
{
    (void)r, (void)s, (void)to;
}

static void to_stdout(Repl *r, Str s, void *to)
{
    (void)to;
    write_all(r, STDOUT_FILENO, s);
}

static void to_buffer(Repl *r, Str s, void *to)
{
    (void)r;
    sb_add(to, s);
}

static void to_stream(Repl *r, Str s, void *to)
{
    (void)r;
    fwrite(s.p, 1, s.n, to);
}

/* s without terminal sequences. */
static void strip_sequences(Str s, StrBuf *out)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '\033') {
            sb_putc(out, s.p[i]);
            continue;
        }
        while (i + 1 < s.n && s.p[i] != 'm')
            i++;
    }
}

/* The transcript of `record`: data as comments, so that the file can be run again. */
static void record_output(Repl *r)
{
    Output *o = &r->out;
    StrBuf plain = {0};
    size_t start = base_offset(o);
    for (uint32_t i = o->base; i < o->n; i++) {
        if (!o->segments[i].prose)
            strip_sequences((Str){o->text.p + start, o->segments[i].end - start}, &plain);
        start = o->segments[i].end;
    }
    Str rest = sb_str(&plain);
    while (rest.n) {
        Str line = str_cut(&rest, '\n');
        sb_printf(&r->record.text, "#> %.*s\n", STR(line));
    }
    sb_free(&plain);
}

void out_flush(Repl *r)
{
    if (r->out.n == r->out.base || r->out.redirect != REDIRECT_none)
        return;
    if (r->record.on)
        record_output(r);
    if (r->out.capture)
        send_segments(r, to_buffer, r->out.capture);
    else
        send_segments(r, to_stdout, NULL);
}

static bool send_to_file(Repl *r, bool append, Str path)
{
    Str name = arena_str(&r->scratch, path);
    FILE *f = fopen(name.p, append ? "a" : "w");
    if (!f) {
        int why = errno;
        send_segments(r, to_nowhere, NULL);
        return file_failed(r, "write", name, why);
    }
    send_segments(r, to_stream, f);
    if (fclose(f) != 0)
        return file_failed(r, "write", name, errno);
    return true;
}

static bool send_to_command(Repl *r, Str command)
{
    Str line = arena_str(&r->scratch, command);
    fflush(NULL);
    FILE *f = popen(line.p, "w");
    if (!f) {
        int why = errno;
        send_segments(r, to_nowhere, NULL);
        fail_with(r, DIAG_usage, "cannot-run", "cannot run %s: %s", line.p, strerror(why));
        fail_help(r, "help output");
        return false;
    }
    interrupt_hold(true);
    send_segments(r, to_stream, f);
    int status = pclose(f);
    interrupt_hold(false);
    if (status == 0)
        return true;
    fail_with(r, DIAG_check, "pipe-failed", "'%s' ended with status %d", line.p,
              shell_status(status));
    fail_help(r, "help output");
    return false;
}

bool out_end(Repl *r, Redirect redirect, Str target)
{
    if (r->record.on && redirect == REDIRECT_none)
        record_output(r);
    switch (redirect) {
    case REDIRECT_file:
    case REDIRECT_append:
        return send_to_file(r, redirect == REDIRECT_append, target);
    case REDIRECT_pipe:
        return send_to_command(r, target);
    case REDIRECT_none:
        break;
    }
    if (r->out.capture)
        send_segments(r, to_buffer, r->out.capture);
    else if (!pager_show(r))
        send_segments(r, to_stdout, NULL);
    return true;
}

/* -------------------------------------------------------------------------------------- text */

size_t display_width(Str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\033') {
            while (i + 1 < s.n && s.p[i] != 'm')
                i++;
            continue;
        }
        n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
    }
    return n;
}

void data_lines(Repl *r, const char *kind, Str text)
{
    if (r->out.mode != MODE_json) {
        data(r, text);
        if (text.n && text.p[text.n - 1] != '\n')
            data(r, S("\n"));
        return;
    }
    StrBuf b = {0};
    while (text.n) {
        Str line = str_cut(&text, '\n');
        sb_printf(&b, "{\"kind\":\"%s\",\"version\":%d,\"text\":", kind, JSON_VERSION);
        put_json(line, &b);
        sb_puts(&b, "}\n");
    }
    data(r, sb_str(&b));
    sb_free(&b);
}

size_t wrap_line(Str s, size_t column, size_t width, size_t hang, StrBuf *out)
{
    for (size_t i = 0; i < s.n;) {
        size_t gap = i, end;
        while (gap < s.n && s.p[gap] == ' ')
            gap++;
        end = gap;
        while (end < s.n && s.p[end] != ' ')
            end++;
        size_t w = display_width(str_sub(s, gap, end - gap));
        if (width && column > hang && column + (gap - i) + w > width) {
            sb_putc(out, '\n');
            sb_pad(out, ' ', hang);
            column = hang;
            i = gap;
        }
        sb_add(out, str_sub(s, i, end - i));
        column += gap - i + w;
        i = end;
    }
    return column;
}

static void wrap_sentences(Str text, size_t width, StrBuf *out)
{
    while (text.n) {
        Str line = str_cut(&text, '\n');
        size_t lead = 0;
        while (lead < line.n && line.p[lead] == ' ')
            lead++;
        wrap_line(line, 0, width, lead + 4, out);
        sb_putc(out, '\n');
    }
}

void sentence(Repl *r, const char *fmt, ...)
{
    StrBuf text = {0}, b = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&text, fmt, ap);
    va_end(ap);
    wrap_sentences(sb_str(&text), r->out.wide ? 0 : r->out.width, &b);
    data(r, sb_str(&b));
    sb_free(&text);
    sb_free(&b);
}

void data_sentences(Repl *r, const char *kind, Str text)
{
    size_t width = r->out.wide ? 0 : r->out.width;
    StrBuf b = {0};
    if (r->out.mode == MODE_json || !width) {
        data_lines(r, kind, text);
        return;
    }
    wrap_sentences(text, width, &b);
    data(r, sb_str(&b));
    sb_free(&b);
}

void wrap_text(Str text, uint32_t width, uint32_t indent, uint32_t hang, StrBuf *out)
{
    size_t column = 0;
    while (text.n) {
        while (text.n && (text.p[0] == ' ' || text.p[0] == '\n'))
            text = str_sub(text, 1, text.n);
        size_t n = 0;
        while (n < text.n && text.p[n] != ' ' && text.p[n] != '\n')
            n++;
        if (!n)
            break;
        Str word = str_sub(text, 0, n);
        text = str_sub(text, n, text.n);
        size_t w = display_width(word);
        if (column && width && column + 1 + w > width) {
            sb_putc(out, '\n');
            sb_pad(out, ' ', hang);
            column = hang;
        } else if (!column) {
            sb_pad(out, ' ', indent);
            column = indent;
        } else {
            sb_putc(out, ' ');
            column++;
        }
        sb_add(out, word);
        column += w;
    }
    sb_putc(out, '\n');
}

void data_wrapped(Repl *r, uint32_t indent, Str text)
{
    StrBuf b = {0};
    uint32_t width = r->out.width && r->out.width < 100 ? r->out.width : 100;
    wrap_text(text, width, indent, indent, &b);
    data_lines(r, "text", sb_str(&b));
    sb_free(&b);
}
