/*
 * report.c - the parts of a report as a zip archive or as one page of HTML.
 */
#include "report.h"

#include <errno.h>
#include <stdlib.h>

#ifdef THUNDER_HAVE_ZIP
#include <zip.h>
#endif

void part_add(Parts *p, Str name, const char *title, Str bytes, bool shown)
{
    if (p->n == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 32;
        p->items = realloc(p->items, p->cap * sizeof *p->items);
        if (!p->items)
            abort();
    }
    p->items[p->n++] = (Part){arena_str(&p->arena, name), arena_str(&p->arena, str_from(title)),
                              arena_str(&p->arena, bytes), shown, str_ends(name, ".svg")};
}

void parts_free(Parts *p)
{
    free(p->items);
    arena_free(&p->arena);
    *p = (Parts){0};
}

/* ----------------------------------------------------------------------------------------- HTML */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<style>body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:70rem;"
    "padding:0 1rem;color:#1b1f24}pre{background:#f5f6f8;padding:.7rem;overflow:auto;"
    "font:13px/1.4 ui-monospace,monospace}summary{cursor:pointer;font-weight:600;margin:.6rem 0}"
    "svg{max-width:100%;height:auto}@media(prefers-color-scheme:dark){body{background:#14171a;"
    "color:#dde1e6}pre{background:#1e2227}a{color:#8ab4f8}}</style>\n";

static void base64(Str s, StrBuf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < s.n; i += 3) {
        uint32_t left = (uint32_t)(s.n - i < 3 ? s.n - i : 3), bits = 0;
        for (uint32_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < left ? (uint8_t)s.p[i + k] : 0);
        for (uint32_t k = 0; k < 4; k++)
            sb_putc(out, k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=');
    }
}

/* Behind the declaration and comments, which have no place inside a page. */
static Str svg_element(Str svg)
{
    for (size_t i = 0; i + 4 < svg.n; i++)
        if (str_starts(str_sub(svg, i, 4), "<svg"))
            return str_sub(svg, i, svg.n);
    return svg;
}

static void html_part(const Part *p, bool open, StrBuf *out)
{
    sb_printf(out, "<details%s><summary>", open ? " open" : "");
    sb_xml(out, p->title);
    sb_puts(out, "</summary>\n");
    if (p->svg) {
        sb_add(out, svg_element(p->bytes));
    } else {
        sb_puts(out, "<pre>");
        sb_xml(out, p->bytes);
        sb_puts(out, "</pre>");
    }
    sb_puts(out, "\n</details>\n");
}

void parts_html(const Parts *p, Str title, StrBuf *out)
{
    enum { OPEN = 2 }; /* what a reader needs first */
    sb_puts(out, head);
    sb_puts(out, "<title>");
    sb_xml(out, title);
    sb_puts(out, "</title></head><body>\n<h1>");
    sb_xml(out, title);
    sb_puts(out, "</h1>\n");
    for (uint32_t i = 0, shown = 0; i < p->n; i++)
        if (p->items[i].shown)
            html_part(&p->items[i], shown++ < OPEN, out);
    sb_puts(out, "<h2>Files</h2>\n<ul>\n");
    for (uint32_t i = 0; i < p->n; i++) {
        sb_puts(out, "<li><a download=\"");
        sb_xml(out, p->items[i].name);
        sb_puts(out, "\" href=\"data:application/octet-stream;base64,");
        base64(p->items[i].bytes, out);
        sb_puts(out, "\">");
        sb_xml(out, p->items[i].name);
        sb_printf(out, "</a> (%zu bytes)</li>\n", p->items[i].bytes.n);
    }
    sb_puts(out, "</ul>\n</body></html>\n");
}

/* ------------------------------------------------------------------------------------------ zip */

#ifdef THUNDER_HAVE_ZIP

static bool zip_part(zip_t *z, const Part *p)
{
    zip_source_t *s = zip_source_buffer(z, p->bytes.p, p->bytes.n, 0);
    if (!s)
        return false;
    if (zip_file_add(z, p->name.p, s, ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE) >= 0)
        return true;
    zip_source_free(s);
    return false;
}

bool parts_zip(const Parts *p, Str path, Diag *d)
{
    Arena a = {0};
    int code = 0, system = 0;
    zip_t *z = zip_open(arena_str(&a, path).p, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (!z)
        system = errno;
    bool good = z != NULL;
    for (uint32_t i = 0; i < p->n && good; i++)
        good = zip_part(z, &p->items[i]);
    if (z && !good)
        zip_discard(z);
    else if (z && zip_close(z) != 0) {
        code = zip_error_code_zip(zip_get_error(z));
        system = zip_error_code_system(zip_get_error(z));
        zip_discard(z);
        good = false;
    }
    if (!good) {
        zip_error_t why;
        zip_error_init(&why);
        zip_error_set(&why, code ? code : ZIP_ER_WRITE, system);
        diag_help(d, diag_error(d, DIAG_usage, (Span){0}, "cannot-write", "cannot write %.*s: %s",
                                STR(path), zip_error_strerror(&why)),
                  "report FILE.html");
        zip_error_fini(&why);
    }
    arena_free(&a);
    return good;
}

#else

bool parts_zip(const Parts *p, Str path, Diag *d)
{
    (void)p;
    DiagItem *item = diag_error(d, DIAG_usage, (Span){0}, "no-zip",
                                "this build has no libzip: %.*s cannot be written", STR(path));
    diag_help(d, item, "report FILE.html");
    return false;
}

#endif
