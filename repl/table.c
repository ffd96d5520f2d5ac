/*
 * table.c - rows of cells in every output mode; see output.h.
 * On a screen the widest text columns are cut with an ellipsis until the table fits; text in the
 * last column goes on in the next line, or stands below its row.
 */
#include "repl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static Table begin(Repl *r, const char *kind, const char *columns, bool record)
{
    Table t = {.r = r, .kind = kind, .record = record};
    Str rest = str_from(columns);
    while (rest.n && t.ncolumns < MAX_COLUMNS) {
        Str c = str_cut(&rest, ',');
        t.quiet[t.ncolumns] = str_ends(c, "~");
        c.n -= t.quiet[t.ncolumns];
        t.keep_end[t.ncolumns] = str_ends(c, "<");
        c.n -= t.keep_end[t.ncolumns];
        t.word[t.ncolumns] = str_ends(c, "!");
        c.n -= t.word[t.ncolumns];
        t.number[t.ncolumns] = str_ends(c, "#");
        t.boolean[t.ncolumns] = str_ends(c, "?");
        c.n -= t.number[t.ncolumns] || t.boolean[t.ncolumns];
        t.columns[t.ncolumns++] = c;
    }
    assert(!rest.n);
    return t;
}

Table table_begin(Repl *r, const char *kind, const char *columns)
{
    return begin(r, kind, columns, false);
}

Table record_begin(Repl *r, const char *kind, const char *columns)
{
    return begin(r, kind, columns, true);
}

void cell_str(Table *t, Style s, Str text)
{
    if (t->n == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 64;
        t->cells = realloc(t->cells, t->cap * sizeof(Str));
        t->styles = realloc(t->styles, t->cap);
        if (!t->cells || !t->styles)
            abort();
    }
    t->cells[t->n] = arena_str(&t->arena, text);
    t->styles[t->n++] = (uint8_t)s;
}

void cell(Table *t, Style s, const char *fmt, ...)
{
    StrBuf b = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&b, fmt, ap);
    va_end(ap);
    cell_str(t, s, sb_str(&b));
    sb_free(&b);
}

/* Length of the UTF-8 sequence at the start of s; 0 when it is malformed. */
static size_t utf8_length(Str s)
{
    unsigned char c = (unsigned char)s.p[0];
    size_t n = c < 0x80                ? 1
               : c >= 0xC2 && c < 0xE0 ? 2
               : c >= 0xE0 && c < 0xF0 ? 3
               : c >= 0xF0 && c < 0xF5 ? 4
                                       : 0;
    if (n > s.n)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if (((unsigned char)s.p[i] & 0xC0) != 0x80)
            return 0;
    }
    return n;
}

void put_json(Str s, StrBuf *out)
{
    sb_putc(out, '"');
    while (s.n) {
        unsigned char c = (unsigned char)s.p[0];
        size_t n = utf8_length(s);
        if (c == '"' || c == '\\')
            sb_printf(out, "\\%c", c);
        else if (c == '\n')
            sb_puts(out, "\\n");
        else if (c == '\t')
            sb_puts(out, "\\t");
        else if (c < 0x20 || c == 0x7f)
            sb_printf(out, "\\u%04x", c);
        else if (n)
            sb_add(out, str_sub(s, 0, n));
        else
            sb_puts(out, "\\ufffd");
        s = str_sub(s, n ? n : 1, s.n);
    }
    sb_putc(out, '"');
}

/* Whether text is a number as JSON writes them. */
static bool is_json_number(Str s)
{
    size_t i = s.n && s.p[0] == '-';
    size_t digits = i;
    while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
        i++;
    if (i == digits || (s.p[digits] == '0' && i > digits + 1))
        return false;
    double v;
    return str_to_f64(s, &v) && !memchr(s.p, 'x', s.n) && v - v == 0 && s.p[s.n - 1] != '.';
}

static void json_cell(const Table *t, uint32_t column, Str text, StrBuf *out)
{
    if (t->number[column] && is_json_number(text))
        sb_add(out, text);
    else if (t->number[column] && (!text.n || str_is(text, "-")))
        sb_puts(out, "null");
    else if (t->boolean[column])
        sb_puts(out, str_is(text, "yes") || str_is(text, ">") ? "true" : "false");
    else
        put_json(text, out);
}

/* A column's name as programs read it: "made by" is made_by. */
static void key(Str column, StrBuf *out)
{
    for (size_t i = 0; i < column.n; i++)
        sb_putc(out, column.p[i] == ' ' ? '_' : column.p[i]);
}

static void json_rows(const Table *t, StrBuf *out)
{
    for (uint32_t i = 0; i + t->ncolumns <= t->n; i += t->ncolumns) {
        sb_printf(out, "{\"kind\":\"%s\",\"version\":%d", t->kind, JSON_VERSION);
        for (uint32_t c = 0; c < t->ncolumns; c++) {
            sb_puts(out, ",\"");
            key(t->columns[c], out);
            sb_puts(out, "\":");
            json_cell(t, c, t->cells[i + c], out);
        }
        sb_puts(out, "}\n");
    }
}

static void csv_cell(Str s, StrBuf *out)
{
    bool plain = true;
    for (size_t i = 0; i < s.n; i++)
        plain &= s.p[i] != ',' && s.p[i] != '"' && s.p[i] != '\n';
    if (plain) {
        sb_add(out, s);
        return;
    }
    sb_putc(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        sb_puts(out, s.p[i] == '"' ? "\"" : "");
        sb_putc(out, s.p[i]);
    }
    sb_putc(out, '"');
}

static void csv_rows(const Table *t, StrBuf *out)
{
    for (uint32_t c = 0; c < t->ncolumns; c++) {
        sb_puts(out, c ? "," : "");
        key(t->columns[c], out);
    }
    sb_putc(out, '\n');
    for (uint32_t i = 0; i < t->n; i++) {
        csv_cell(t->cells[i], out);
        sb_putc(out, (i + 1) % t->ncolumns ? ',' : '\n');
    }
}

static void plain_rows(const Table *t, StrBuf *out)
{
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->record)
            sb_printf(out, "%.*s\t%.*s\n", STR(t->columns[i]), STR(t->cells[i]));
        else
            sb_printf(out, "%.*s%c", STR(t->cells[i]), (i + 1) % t->ncolumns ? '\t' : '\n');
    }
}

/* Bytes of the first n characters of s. */
static size_t chars_to_bytes(Str s, size_t n)
{
    size_t i = 0;
    for (; i < s.n && n > 0; n--) {
        i++;
        while (i < s.n && ((unsigned char)s.p[i] & 0xC0) == 0x80)
            i++;
    }
    return i;
}

/* Cuts s to `width` columns with an ellipsis: at the end, at the front, or in the middle of a
 * value's name, whose end tells more than its beginning. */
static void cut_text(Str s, size_t width, bool keep_end, StrBuf *out)
{
    size_t total = display_width(s);
    size_t tail = keep_end ? width - 1 : str_starts(s, "%") ? (width - 1) * 2 / 3 : 0;
    size_t head = width - 1 - tail;
    sb_add(out, str_sub(s, 0, chars_to_bytes(s, head)));
    sb_puts(out, "…");
    size_t from = chars_to_bytes(s, total - tail);
    sb_add(out, str_sub(s, from, s.n - from));
}

enum { NARROWEST = 6 };

static size_t row_width(const Table *t, const size_t widths[MAX_COLUMNS])
{
    size_t total = 0;
    for (uint32_t c = 0; c < t->ncolumns; c++)
        total += widths[c] + (widths[c] && total ? 2 : 0);
    return total;
}

/* Narrows the widest text columns until a row has `room`; false when that is not enough. */
static bool narrow_columns(const Table *t, size_t widths[MAX_COLUMNS], size_t room)
{
    for (size_t total = row_width(t, widths); total > room; total--) {
        uint32_t widest = t->ncolumns;
        for (uint32_t c = 0; c < t->ncolumns; c++) {
            if (!t->number[c] && !t->word[c] && widths[c] &&
                (widest == t->ncolumns || widths[c] > widths[widest]))
                widest = c;
        }
        if (widest == t->ncolumns || widths[widest] <= NARROWEST)
            return false;
        widths[widest]--;
    }
    return true;
}

/* Numbers are never cut: where text columns give too little, the last numbers are left out. Returns
 * whether some are, which an ellipsis behind the row says. */
static bool fit_columns(const Table *t, size_t widths[MAX_COLUMNS])
{
    size_t natural[MAX_COLUMNS], room = t->r->out.width;
    memcpy(natural, widths, sizeof natural);
    if (!room || t->r->out.wide || narrow_columns(t, widths, room))
        return false;
    for (uint32_t c = t->ncolumns; c-- > 1;) {
        if (!t->number[c] || !natural[c])
            continue;
        natural[c] = 0;
        memcpy(widths, natural, sizeof natural);
        if (narrow_columns(t, widths, room > 3 ? room - 3 : 0))
            return true;
    }
    return true;
}

enum { LEAST_TEXT = 28, BELOW = 4 }; /* columns for text to be read; its indentation below a row */

/* Where the text of a last column goes that does not fit. */
typedef enum LastText { TEXT_cut, TEXT_wrapped, TEXT_below } LastText;

typedef struct Layout {
    size_t widths[MAX_COLUMNS]; /* 0: not shown */
    bool more;                  /* numbers are left out */
    LastText last;
} Layout;

static void put_styled(const Table *t, Str text, Style s, StrBuf *out)
{
    if (s && text.n)
        sb_printf(out, "%s%.*s%s", style(t->r, s), STR(text), style(t->r, STYLE_none));
    else
        sb_add(out, text);
}

/* Lines of at most width columns, all but the first indented. */
static void put_wrapped(const Table *t, Str text, size_t width, size_t indent, Style s, StrBuf *out)
{
    StrBuf lines = {0}, b = {0};
    wrap_text(text, (uint32_t)width, 0, 0, &lines);
    Str rest = sb_str(&lines);
    for (bool first = true; rest.n; first = false) {
        Str line = str_cut(&rest, '\n');
        sb_clear(&b);
        if (!first) {
            sb_putc(out, '\n');
            sb_pad(out, ' ', indent);
        }
        if (width && display_width(line) > width) /* one long word */
            cut_text(line, width, false, &b);
        else
            sb_add(&b, line);
        put_styled(t, sb_str(&b), s, out);
    }
    sb_free(&lines);
    sb_free(&b);
}

static void screen_cell(const Table *t, uint32_t c, size_t width, Str text, Style s, StrBuf *out)
{
    StrBuf b = {0};
    size_t w = display_width(text);
    if (w > width) {
        cut_text(text, width, t->keep_end[c], &b);
        w = width;
    } else {
        sb_add(&b, text);
    }
    bool last = c + 1 == t->ncolumns;
    if (t->number[c])
        sb_pad(out, ' ', width - w);
    put_styled(t, sb_str(&b), s, out);
    if (!t->number[c] && !last)
        sb_pad(out, ' ', width - w);
    sb_puts(out, last ? "" : "  ");
    sb_free(&b);
}

/* Whether every cell of a quiet column is 0, empty, or a no. */
static bool says_nothing(const Table *t, uint32_t column)
{
    if (!t->quiet[column])
        return false;
    for (uint32_t i = column; i < t->n; i += t->ncolumns) {
        if (t->cells[i].n && !str_is(t->cells[i], t->boolean[column] ? "no" : "0"))
            return false;
    }
    return true;
}

/* Whether a column holds sentences, which nobody understands when they are cut. */
static bool is_prose(const Table *t, uint32_t c)
{
    bool blank = false;
    for (uint32_t i = c; i < t->n && !blank; i += t->ncolumns)
        blank = memchr(t->cells[i].p, ' ', t->cells[i].n) != NULL;
    return blank && !t->number[c] && !t->boolean[c] && !t->keep_end[c] && !t->word[c];
}

static Layout layout_of(const Table *t)
{
    Layout l = {0};
    uint32_t last = t->ncolumns - 1;
    size_t natural[MAX_COLUMNS];
    for (uint32_t c = 0; c < t->ncolumns; c++)
        natural[c] = says_nothing(t, c) ? 0 : t->columns[c].n;
    for (uint32_t i = 0; i < t->n; i++) {
        size_t w = display_width(t->cells[i]), *widest = &natural[i % t->ncolumns];
        *widest = *widest && w > *widest ? w : *widest;
    }
    memcpy(l.widths, natural, sizeof natural);
    l.more = fit_columns(t, l.widths);
    if (l.widths[last] >= natural[last] || !is_prose(t, last))
        return l;
    l.last = TEXT_wrapped;
    if (l.widths[last] >= LEAST_TEXT || 2 * l.widths[last] >= natural[last])
        return l;
    natural[last] = 0;
    memcpy(l.widths, natural, sizeof natural);
    l.more = fit_columns(t, l.widths);
    l.last = TEXT_below;
    return l;
}

/* styles NULL: the head. */
static void screen_row(const Table *t, const Layout *l, const Str *cells, const uint8_t *styles,
                       StrBuf *out)
{
    uint32_t last = t->ncolumns - 1;
    size_t left = row_width(t, l->widths) - l->widths[last];
    for (uint32_t c = 0; c < t->ncolumns; c++) {
        Style s = styles ? (Style)styles[c] : STYLE_dim;
        if (c == last && l->last == TEXT_wrapped)
            put_wrapped(t, cells[c], l->widths[c], left, s, out);
        else if (l->widths[c])
            screen_cell(t, c, l->widths[c], cells[c], s, out);
    }
    while (out->n && out->p[out->n - 1] == ' ')
        out->n--;
    sb_puts(out, l->more ? "  …\n" : "\n");
    if (l->last != TEXT_below || !styles || !cells[last].n)
        return;
    sb_pad(out, ' ', BELOW);
    put_wrapped(t, cells[last], t->r->out.width - BELOW, BELOW, (Style)styles[last], out);
    sb_putc(out, '\n');
}

static void screen_rows(const Table *t, StrBuf *out)
{
    Layout l = layout_of(t);
    screen_row(t, &l, t->columns, NULL, out);
    for (uint32_t i = 0; i + t->ncolumns <= t->n; i += t->ncolumns)
        screen_row(t, &l, t->cells + i, t->styles + i, out);
}

/* A record on a screen: "name  value" lines; empty ones are left out, long ones wrapped. */
static void record_rows(const Table *t, StrBuf *out)
{
    size_t left = 0;
    for (uint32_t c = 0; c < t->ncolumns; c++)
        left = t->columns[c].n > left ? t->columns[c].n : left;
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t c = i % t->ncolumns;
        if (!t->cells[i].n)
            continue;
        sb_printf(out, "%s%.*s%s", style(t->r, STYLE_dim), STR(t->columns[c]),
                  style(t->r, STYLE_none));
        sb_pad(out, ' ', left - t->columns[c].n + 2);
        uint32_t hang = (uint32_t)left + 2, width = t->r->out.width;
        uint32_t room = t->r->out.wide || width <= hang + 20 ? 0 : width - hang;
        StrBuf b = {0};
        wrap_text(t->cells[i], room, 0, 0, &b);
        Str rest = sb_str(&b);
        for (bool first = true; rest.n; first = false) {
            Str line = str_cut(&rest, '\n');
            sb_pad(out, ' ', first ? 0 : hang);
            sb_puts(out, style(t->r, (Style)t->styles[i]));
            for (; room && display_width(line) > room; sb_pad(out, ' ', hang)) { /* a long word */
                size_t n = chars_to_bytes(line, room);
                sb_printf(out, "%.*s\n", (int)n, line.p);
                line = str_sub(line, n, line.n);
            }
            sb_add(out, line);
            sb_printf(out, "%s\n", t->styles[i] ? style(t->r, STYLE_none) : "");
        }
        sb_free(&b);
    }
}

void table_end(Table *t)
{
    StrBuf b = {0};
    switch (t->r->out.mode) {
    case MODE_json:
        json_rows(t, &b);
        break;
    case MODE_csv:
        csv_rows(t, &b);
        break;
    case MODE_plain:
        plain_rows(t, &b);
        break;
    case MODE_table:
    case MODE_dot:
        if (t->record)
            record_rows(t, &b);
        else
            screen_rows(t, &b);
        break;
    }
    data(t->r, sb_str(&b));
    sb_free(&b);
    free(t->cells);
    free(t->styles);
    arena_free(&t->arena);
}
