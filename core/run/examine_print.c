/*
 * examine_print.c - the report of examine as text, as JSON lines and as an HTML page.
 *
 * Input: a finished report. Output: text. Sizes are in binary units, shares in percent.
 */
#include "examine.h"

enum { MOST_OPS = 40, JSON_VERSION = 1 };

/* Percent of the operator calls that are supported; without any call, whether all compiles. */
static double share(const FoundFile *f)
{
    if (f->uses)
        return 100.0 * (double)f->supported / (double)f->uses;
    return f->functions && f->compiled == f->functions ? 100 : 0;
}

static void flops_print(double x, StrBuf *out)
{
    static const char *const units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"};
    size_t u = 0;
    for (; x >= 1000 && u + 1 < ARRAY_LEN(units); u++)
        x /= 1000;
    sb_printf(out, u ? "%.2f %s" : "%.0f %s", x, units[u]);
}

/* Names of executors with something between them; false when there is none. */
static bool put_takers(const Report *r, const FoundOp *op, const char *between, StrBuf *out)
{
    const ExecList *l = &r->s->executors;
    bool any = false;
    for (uint32_t i = 0; i < l->n; i++) {
        if (!(op->takers & 1u << i))
            continue;
        sb_printf(out, "%s%s", any ? between : "", l->items[i]->name);
        any = true;
    }
    return any;
}

/* ---------------------------------------------------------------------------------------- text */

/* Columns for the longest spelling; longer ones push the rest of their line. */
static int spelling_width(const Report *r)
{
    enum { MOST = 30 };
    size_t width = 0;
    for (uint32_t i = 0; i < r->nops; i++)
        if (r->ops[i].written.n > width)
            width = r->ops[i].written.n;
    return (int)(width < MOST ? width : MOST);
}

static void op_text(const Report *r, const FoundOp *op, bool with_file, int width, StrBuf *out)
{
    sb_printf(out, "  %5llu  %-*.*s  ", (unsigned long long)op->count, width, STR(op->written));
    if (op->op) {
        sb_puts(out, "is ");
        op_qualified_name(op->op, out);
        sb_puts(out, op->takers ? " by " : "");
        put_takers(r, op, ", ", out);
    } else {
        sb_puts(out, "NOT SUPPORTED");
        if (op->nearest.n)
            sb_printf(out, ", nearest is %.*s", STR(op->nearest));
    }
    sb_puts(out, "; ");
    if (with_file)
        sb_printf(out, "%.*s:", STR(op->file));
    sb_printf(out, with_file ? "%u\n" : "line %u\n", op->line);
}

static void cost_text(const Cost *c, StrBuf *out)
{
    sb_puts(out, "estimate: ");
    flops_print(c->flops, out);
    sb_puts(out, ", at least ");
    sb_bytes(out, c->bytes_least);
    sb_puts(out, " of inputs and outputs, ");
    sb_bytes(out, c->bytes_moved);
    sb_puts(out, " moved statement by statement, peak ");
    sb_bytes(out, (double)c->peak);
    sb_putc(out, '\n');
}

static void claims_text(const Report *r, const FoundFile *f, StrBuf *out)
{
    sb_printf(out, "claims: %llu statement%s after all passes", (unsigned long long)f->statements,
              plural((int64_t)f->statements));
    for (uint32_t i = 0; i < r->s->executors.n; i++)
        if (f->claims[i])
            sb_printf(out, ", %llu by %s", (unsigned long long)f->claims[i],
                      r->s->executors.items[i]->name);
    if (f->unclaimed)
        sb_printf(out, ", %llu by nobody", (unsigned long long)f->unclaimed);
    sb_putc(out, '\n');
}

static void could_text(const Report *r, const FoundFile *f, StrBuf *out)
{
    for (uint32_t i = 0; i < r->s->executors.n; i++)
        if (f->could[i])
            sb_printf(out, "not in use: %s could take %llu of %llu prim%s\n",
                      r->s->executors.items[i]->name, (unsigned long long)f->could[i],
                      (unsigned long long)f->prims, plural((int64_t)f->prims));
}

static void file_text(const FoundFile *f, StrBuf *out)
{
    sb_printf(out, "%5.1f %%  %u of %u function%s compile%s  %.*s", share(f),
              f->compiled, f->functions, plural(f->functions), f->functions == 1 ? "s" : "",
              STR(f->path));
    if (f->error.n)
        sb_printf(out, "\n         %.*s", STR(f->error));
    sb_putc(out, '\n');
}

void report_text(const Report *r, StrBuf *out)
{
    const FoundFile *t = &r->total;
    if (r->nfiles > 1)
        for (uint32_t i = 0; i < r->nfiles; i++)
            file_text(&r->files[i], out);
    sb_printf(out,
              "%u of %u function%s would compile; %.1f %% of %llu operator call%s supported\n",
              t->compiled, t->functions, plural(t->functions), share(t),
              (unsigned long long)t->uses, t->uses == 1 ? " is" : "s are");
    if (r->nfiles == 1 && r->files[0].error.n)
        sb_printf(out, "first error: %.*s\n", STR(r->files[0].error));
    if (t->compiled) {
        claims_text(r, t, out);
        could_text(r, t, out);
        cost_text(&t->cost, out);
    } else {
        sb_puts(out, "who would run it and what it costs is not known, since nothing compiles\n");
    }
    sb_printf(out, "operators (%u spelling%s):\n", r->nops, plural(r->nops));
    uint32_t shown = 0;
    int width = spelling_width(r);
    for (uint32_t i = 0; i < r->nops && (shown < MOST_OPS || !r->ops[i].op); i++, shown++)
        op_text(r, &r->ops[i], r->nfiles > 1, width, out);
    if (shown < r->nops)
        sb_printf(out, "  and %u more, all supported\n", r->nops - shown);
}

/* ---------------------------------------------------------------------------------------- JSON */

static void json_begin(const char *kind, StrBuf *out)
{
    sb_printf(out, "{\"kind\":\"%s\",\"version\":%d", kind, JSON_VERSION);
}

static void json_str(const char *key, Str value, StrBuf *out)
{
    sb_printf(out, ",\"%s\":", key);
    sb_json(out, value);
}

static void json_claims(const Report *r, const FoundFile *f, StrBuf *out)
{
    sb_printf(out, ",\"statements\":%llu,\"unclaimed\":%llu,\"claims\":{",
              (unsigned long long)f->statements, (unsigned long long)f->unclaimed);
    for (uint32_t i = 0; i < r->s->executors.n; i++) {
        sb_puts(out, i ? "," : "");
        sb_json(out, str_from(r->s->executors.items[i]->name));
        sb_printf(out, ":%llu", (unsigned long long)f->claims[i]);
    }
    sb_printf(out, "},\"prims\":%llu,\"could\":{", (unsigned long long)f->prims);
    for (uint32_t i = 0; i < r->s->executors.n; i++) {
        sb_puts(out, i ? "," : "");
        sb_json(out, str_from(r->s->executors.items[i]->name));
        sb_printf(out, ":%llu", (unsigned long long)f->could[i]);
    }
    sb_putc(out, '}');
}

static void json_file(const Report *r, const char *kind, const FoundFile *f, StrBuf *out)
{
    json_begin(kind, out);
    if (f->path.n)
        json_str("file", f->path, out);
    sb_printf(out, ",\"functions\":%u,\"loaded\":%u,\"compiled\":%u", f->functions, f->loaded,
              f->compiled);
    sb_printf(out, ",\"calls\":%llu,\"supported\":%llu,\"share\":%.4f", (unsigned long long)f->uses,
              (unsigned long long)f->supported, share(f) / 100);
    json_claims(r, f, out);
    sb_printf(out, ",\"flops\":%.0f,\"bytes_least\":%.0f,\"bytes_moved\":%.0f,\"peak\":%lld",
              f->cost.flops, f->cost.bytes_least, f->cost.bytes_moved, (long long)f->cost.peak);
    if (f->error.n)
        json_str("error", f->error, out);
    sb_puts(out, "}\n");
}

static void json_op(const Report *r, const FoundOp *op, StrBuf *out)
{
    StrBuf name = {0};
    if (op->op)
        op_qualified_name(op->op, &name);
    json_begin("examine-op", out);
    json_str("written", op->written, out);
    sb_printf(out, ",\"count\":%llu,\"supported\":%s", (unsigned long long)op->count,
              op->op ? "true" : "false");
    json_str(op->op ? "op" : "nearest", op->op ? sb_str(&name) : op->nearest, out);
    sb_puts(out, ",\"executors\":[");
    if (op->takers) {
        sb_putc(out, '"');
        put_takers(r, op, "\",\"", out);
        sb_putc(out, '"');
    }
    sb_putc(out, ']');
    json_str("file", op->file, out);
    sb_printf(out, ",\"line\":%u}\n", op->line);
    sb_free(&name);
}

void report_json(const Report *r, StrBuf *out)
{
    for (uint32_t i = 0; i < r->nfiles; i++)
        json_file(r, "examine-file", &r->files[i], out);
    for (uint32_t i = 0; i < r->nops; i++)
        json_op(r, &r->ops[i], out);
    json_file(r, "examine", &r->total, out);
}

/* ---------------------------------------------------------------------------------------- HTML */

static const char html_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width\">"
    "<title>thunder-repl examine</title><style>"
    "body{font:15px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;width:100%}"
    "td,th{border-bottom:1px solid #ddd;padding:.25em .6em;text-align:left}"
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".bad{color:#b00020;font-weight:600}code{font-family:monospace}"
    ".bar{background:#eee;height:.8em;border-radius:.4em}"
    ".bar i{display:block;background:#2a7;height:100%;border-radius:.4em}"
    "@media (prefers-color-scheme:dark){body{background:#181818;color:#ddd}"
    "td,th{border-color:#444}.bar{background:#333}.bad{color:#ff6b81}}"
    "</style></head><body>\n";

static void html_summary(const Report *r, StrBuf *out)
{
    const FoundFile *t = &r->total;
    double pct = share(t);
    sb_puts(out, "<h1>");
    sb_xml(out, r->nfiles == 1 ? r->files[0].path : S("Compatibility report"));
    sb_printf(out,
              "</h1>\n<p>%u of %u function%s would compile; %.1f&nbsp;%% of %llu operator call%s "
              "supported.</p>\n<div class=\"bar\"><i style=\"width:%.1f%%\"></i></div>\n<p>",
              t->compiled, t->functions, plural(t->functions), pct, (unsigned long long)t->uses,
              t->uses == 1 ? " is" : "s are", pct);
    claims_text(r, t, out);
    sb_puts(out, "<br>");
    cost_text(&t->cost, out);
    sb_puts(out, "</p>\n");
}

static void html_files(const Report *r, StrBuf *out)
{
    sb_puts(out, "<h2>Files</h2>\n<table><tr><th>file</th><th class=\"n\">supported</th>"
                 "<th class=\"n\">functions</th><th>first error</th></tr>\n");
    for (uint32_t i = 0; i < r->nfiles; i++) {
        const FoundFile *f = &r->files[i];
        sb_puts(out, "<tr><td>");
        sb_xml(out, f->path);
        sb_printf(out, "</td><td class=\"n\">%.1f&nbsp;%%</td><td class=\"n\">%u of %u</td><td>",
                  share(f), f->compiled, f->functions);
        sb_xml(out, f->error);
        sb_puts(out, "</td></tr>\n");
    }
    sb_puts(out, "</table>\n");
}

static void html_op(const Report *r, const FoundOp *op, StrBuf *out)
{
    sb_puts(out, "<tr><td><code>");
    sb_xml(out, op->written);
    sb_printf(out, "</code></td><td class=\"n\">%llu</td><td>", (unsigned long long)op->count);
    if (op->op) {
        op_qualified_name(op->op, out);
    } else {
        sb_puts(out, "<span class=\"bad\">not supported</span>");
        if (op->nearest.n)
            sb_puts(out, ", nearest is ");
        sb_xml(out, op->nearest);
    }
    sb_puts(out, "</td><td>");
    put_takers(r, op, ", ", out);
    sb_puts(out, "</td><td>");
    sb_xml(out, op->file);
    sb_printf(out, ":%u</td></tr>\n", op->line);
}

void report_html(const Report *r, StrBuf *out)
{
    sb_puts(out, html_head);
    html_summary(r, out);
    html_files(r, out);
    sb_puts(out, "<h2>Operators</h2>\n<table><tr><th>as written</th><th class=\"n\">calls</th>"
                 "<th>operator</th><th>executors</th><th>first use</th></tr>\n");
    for (uint32_t i = 0; i < r->nops; i++)
        html_op(r, &r->ops[i], out);
    sb_puts(out, "</table>\n</body></html>\n");
}
