/*
 * cmd_view.c - pictures: graph.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "repl.h"

#include "viz.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What follows the file: %v [WIDTH], %a..%b, or diff A [B]. */
static bool parse_part(Repl *r, const Args *a, uint32_t i, Program *p, const Stage **st,
                       GraphOptions *o)
{
    bool bad;
    int64_t width = 2;
    if (i == a->n)
        return true;
    if (str_is(a->words[i], "diff")) {
        if (a->n < i + 2 || a->n > i + 3)
            return usage_error(r, a, "graph diff needs one stage or two");
        const Stage *from = find_stage(r, p, a->words[i + 1]);
        const Stage *to = a->n == i + 3 && from ? find_stage(r, p, a->words[i + 2]) : *st;
        if (!from || !to)
            return false;
        *st = to;
        o->diff_with = from->trace;
        return true;
    }
    const Trace *t = (*st)->trace;
    if (find_range(r, t, a->words[i], &o->path_from, &o->path_to, &bad))
        return !bad &&
               (i + 1 == a->n || usage_error(r, a, "'%.*s' is too much", STR(a->words[i + 1])));
    if (a->words[i].p[0] != '%') {
        usage_error(r, a,
                    "'%.*s' is neither a file that ends in .svg, .png, .pdf or .dot nor a value",
                    STR(a->words[i]));
        return false;
    }
    o->around = find_value(r, t, a->words[i]);
    if (!o->around || !arg_number(r, a, i + 1, 2, 0, &width))
        return false;
    o->width = width > 1000 ? 1000 : (uint32_t)width;
    return i + 2 >= a->n || usage_error(r, a, "'%.*s' is too much", STR(a->words[i + 2]));
}

/* The graph as DOT, through a file that graph_write names by its ending. */
static bool graph_as_dot(Repl *r, const Trace *t, const GraphOptions *o, StrBuf *note)
{
    const char *tmp = getenv("TMPDIR");
    Str name = arena_printf(&r->scratch, "%s/thunder-XXXXXX.dot", tmp && *tmp ? tmp : "/tmp"), text;
    char *path = arena_copy(&r->scratch, name.p, name.n + 1);
    int fd = mkstemps(path, 4);
    if (fd < 0)
        return fail_with(r, DIAG_usage, "cannot-write", "cannot make a temporary file");
    close(fd);
    bool ok = graph_write(t, o, path, note, &r->diag) && read_file(r, str_from(path), &text);
    if (ok)
        data(r, text);
    unlink(path);
    return ok;
}

bool cmd_graph(Repl *r, const Args *a)
{
    Program *p = current(r);
    const Stage *st = program_cursor(p);
    int64_t depth = setting_int(&r->settings, SET_depth), most = 0;
    uint32_t i = a->n && graph_is_picture(a->words[0]) ? 1 : 0;
    GraphOptions o = {0};
    if (!option_int(r, a, "--depth", -1, INT32_MAX, &depth) ||
        !option_int(r, a, "--max", 1, INT32_MAX, &most) ||
        !parse_part(r, a, i, p, &st, &o))
        return false;
    o.depth = (int)depth;
    o.max_nodes = (uint32_t)most;
    o.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    StrBuf picture = {0}, note = {0};
    bool ok = true;
    if (i) {
        Str path = arena_str(&r->scratch, a->words[0]);
        ok = graph_write(st->trace, &o, path.p, &note, &r->diag);
        if (ok)
            say(r, "wrote %s", path.p);
    } else if (r->out.mode == MODE_dot) {
        ok = graph_as_dot(r, st->trace, &o, &note);
    } else {
        graph_terminal(st->trace, &o, r->out.width ? r->out.width : 100, r->out.colour, &picture,
                       &note);
        data_sentences(r, "graph", sb_str(&picture));
    }
    Str text = str_trim(sb_str(&note));
    if (text.n)
        say(r, "%s%.*s%s", prose_style(r, STYLE_dim), STR(text), prose_style(r, STYLE_none));
    sb_free(&picture);
    sb_free(&note);
    return ok;
}
