/* diag.c - collects and renders errors with their places; see diag.h. */
#include "diag.h"

static bool utf8_continues(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

static uint32_t count_chars(const char *p, size_t n)
{
    uint32_t chars = 0;
    for (size_t i = 0; i < n; i++)
        chars += !utf8_continues(p[i]);
    return chars;
}

Place span_place(Span s)
{
    Place place = {.line = 1, .col = 1};
    if (!s.src)
        return place;
    const char *text = s.src->text.p;
    size_t n = s.src->text.n, off = s.off < n ? s.off : n, start = 0;
    for (size_t i = 0; i < off; i++) {
        if (text[i] != '\n')
            continue;
        place.line++;
        start = i + 1;
    }
    size_t end = str_find(s.src->text, '\n', start);
    if (end == SIZE_MAX)
        end = n;
    if (end > start && text[end - 1] == '\r')
        end--;
    place.col = 1 + count_chars(text + start, off - start);
    place.line_text = str_sub(s.src->text, start, end > start ? end - start : 0);
    return place;
}

Span span_join(Span a, Span b)
{
    if (!a.src || a.src != b.src)
        return a.src ? a : b;
    uint32_t from = a.off < b.off ? a.off : b.off;
    uint32_t ea = a.off + a.len, eb = b.off + b.len;
    return (Span){a.src, from, (ea > eb ? ea : eb) - from};
}

DiagItem *diag_vadd(Diag *d, Severity sev, DiagKind kind, Span at, const char *code,
                    const char *fmt, va_list ap)
{
    DiagItem *item = new_of(&d->arena, DiagItem);
    *item = (DiagItem){.severity = sev, .kind = kind, .code = code, .span = at};
    item->message = arena_vprintf(&d->arena, fmt, ap);
    d->nerrors += sev == SEV_error;
    if (d->nitems++ >= (d->limit ? d->limit : 100))
        return item; /* counted, and the caller may fill it in, but not kept */
    if (d->last)
        d->last->next = item;
    else
        d->first = item;
    d->last = item;
    return item;
}

DiagItem *diag_add(Diag *d, Severity sev, DiagKind kind, Span at, const char *code,
                   const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    DiagItem *item = diag_vadd(d, sev, kind, at, code, fmt, ap);
    va_end(ap);
    return item;
}

#define DIAG_SETTER(name, field)                                \
    void name(Diag *d, DiagItem *item, const char *fmt, ...)    \
    {                                                           \
        va_list ap;                                             \
        va_start(ap, fmt);                                      \
        item->field = arena_vprintf(&d->arena, fmt, ap);        \
        va_end(ap);                                             \
    }
DIAG_SETTER(diag_where, where)
DIAG_SETTER(diag_note, note)
DIAG_SETTER(diag_help, help)

void diag_clear(Diag *d)
{
    arena_free(&d->arena);
    *d = (Diag){.limit = d->limit};
}

void diag_move(Diag *to, Diag *from)
{
    for (const DiagItem *i = from->first; i; i = i->next) {
        DiagItem *copy =
            diag_add(to, i->severity, i->kind, i->span, i->code, "%.*s", STR(i->message));
        copy->where = arena_str(&to->arena, i->where);
        copy->note = arena_str(&to->arena, i->note);
        copy->help = arena_str(&to->arena, i->help);
    }
    diag_clear(from);
}

/* The excerpt is cut to a window around the span: lines of graph text can be megabytes long. */
static void render_excerpt(Span s, Place place, bool colour, StrBuf *out)
{
    enum { WIDTH = 72, LEAD = 24 };
    size_t line_start = (size_t)(place.line_text.p - s.src->text.p);
    size_t at = s.off > line_start ? s.off - line_start : 0;
    if (at > place.line_text.n)
        at = place.line_text.n;
    size_t from = at > WIDTH - LEAD ? at - LEAD : 0;
    while (from > 0 && utf8_continues(place.line_text.p[from]))
        from--;
    Str window = str_sub(place.line_text, from, WIDTH);
    while (window.n && from + window.n < place.line_text.n &&
           utf8_continues(place.line_text.p[from + window.n]))
        window.n--;
    size_t mark = s.len ? s.len : 1;
    if (mark > from + window.n - at)
        mark = from + window.n > at ? from + window.n - at : 1;
    StrBuf number = {0};
    sb_printf(&number, "%u", place.line);
    sb_printf(out, " %s | %s", sb_cstr(&number), from ? "…" : "");
    for (size_t i = 0; i < window.n; i++) {
        unsigned char c = (unsigned char)window.p[i];
        sb_putc(out, c < 0x20 || c == 0x7f ? ' ' : (char)c);
    }
    sb_puts(out, from + window.n < place.line_text.n ? "…\n " : "\n ");
    sb_pad(out, ' ', number.n);
    sb_puts(out, from ? " |  " : " | ");
    sb_pad(out, ' ', count_chars(window.p, at - from));
    sb_puts(out, colour ? "\033[1;31m" : "");
    sb_pad(out, '^', at < place.line_text.n ? count_chars(place.line_text.p + at, mark) : 1);
    sb_puts(out, colour ? "\033[0m\n" : "\n");
    sb_free(&number);
}

void diag_render(const DiagItem *item, bool colour, StrBuf *out)
{
    static const char *const names[] = {"note", "warning", "error"};
    static const char *const colours[] = {"\033[1;36m", "\033[1;33m", "\033[1;31m"};
    sb_printf(out, "%s%s:%s %.*s", colour ? colours[item->severity] : "", names[item->severity],
              colour ? "\033[0m" : "", STR(item->message));
    if (item->code)
        sb_printf(out, " [%s]", item->code);
    sb_putc(out, '\n');
    if (item->span.src) {
        Place place = span_place(item->span);
        sb_printf(out, "  at %.*s:%u:%u\n", STR(item->span.src->name), place.line, place.col);
        render_excerpt(item->span, place, colour, out);
    }
    if (item->where.n)
        sb_printf(out, "  in %.*s\n", STR(item->where));
    if (item->note.n)
        sb_printf(out, "  note: %.*s\n", STR(item->note));
    if (item->help.n)
        sb_printf(out, "  help: %.*s\n", STR(item->help));
}

void diag_render_all(const Diag *d, bool colour, StrBuf *out)
{
    uint32_t kept = 0;
    for (const DiagItem *i = d->first; i; i = i->next, kept++)
        diag_render(i, colour, out);
    if (d->nitems > kept)
        sb_printf(out, "... and %u more\n", d->nitems - kept);
}

Str nearest(Str word, bool (*next)(void *state, Str *candidate), void *state)
{
    Str best = {0}, candidate;
    size_t limit = word.n / 3 + 1;
    while (next(state, &candidate)) {
        size_t d = str_distance(word, candidate, limit);
        if (d > limit || d >= word.n || (best.p && d == limit))
            continue;
        best = candidate;
        limit = d;
    }
    return best;
}
