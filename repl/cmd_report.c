/*
 * cmd_report.c - report: everything that a bug report needs, in one file.
 *
 * Input: the session. Output: FILE.zip or FILE.html with versions, the verdict, the program, its
 * inputs or what makes them, the session, every stage, the rule log, kernels and the graph. The
 * first part tells how to see the same again.
 */
#define _POSIX_C_SOURCE 200809L
#include "repl.h"

#include "report.h"
#include "viz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Making {
    Repl *r;
    Program *p;
    Parts parts;
    Str program; /* name of the program's file in the report */
    Str inputs;  /* of the inputs' file; "" = they are made by the session's commands */
} Making;

enum { MOST_INPUT_MIB = 64 };

/* Runs a command; what it says to people and its status stand in out, too. */
static int run_into(Repl *r, const char *line, StrBuf *out)
{
    StrBuf data_text = {0}, prose = {0}, *outer = r->out.capture, *outer_prose = r->out.prose_to;
    out_flush(r);
    r->out.capture = &data_text;
    r->out.prose_to = &prose;
    r->out.mute++;
    int status = repl_line(r, str_from(line));
    r->out.mute--;
    r->out.prose_to = outer_prose;
    r->out.capture = outer;
    sb_printf(out, "> %s\n", line);
    sb_add(out, sb_str(&data_text));
    sb_add(out, sb_str(&prose));
    if (status)
        sb_printf(out, "(exit code %d)\n", status);
    sb_putc(out, '\n');
    sb_free(&data_text);
    sb_free(&prose);
    return status;
}

static void add_commands(Making *m, const char *name, const char *title, const char *const *lines,
                         size_t n)
{
    StrBuf b = {0};
    for (size_t i = 0; i < n; i++)
        run_into(m->r, lines[i], &b);
    part_add(&m->parts, str_from(name), title, sb_str(&b), true);
    sb_free(&b);
}

/* --------------------------------------------------------------------------------------- inputs */

static bool only_random(Repl *r, const Program *p)
{
    const Past *past = program_past(r, p);
    for (uint32_t i = 0; i < past->nbinds; i++)
        if (!str_starts(past->binds[i], "--"))
            return false;
    return past->nbinds > 0;
}

static void add_inputs(Making *m)
{
    if (only_random(m->r, m->p))
        return;
    const char *tmp = getenv("TMPDIR");
    Str name = arena_printf(&m->r->scratch, "%s/thunder-inputs-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    char *path = arena_copy(&m->r->scratch, name.p, name.n + 1);
    int fd = mkstemp(path);
    Str bytes;
    if (fd < 0)
        return;
    close(fd);
    size_t most = (size_t)MOST_INPUT_MIB << 20;
    if (write_bound(m->r, m->p, path, most) && read_file(m->r, str_from(path), &bytes)) {
        m->inputs = S("inputs.safetensors");
        part_add(&m->parts, m->inputs, "Inputs", bytes, false);
    }
    unlink(path);
}

/* ---------------------------------------------------------------------------------------- parts */

static void add_program(Making *m)
{
    const Source *src = program_source(m->p);
    StrBuf printed = {0};
    Str text = src ? src->text : (Str){0};
    if (!text.n) {
        trace_print(program_root(m->p)->trace, &print_all, &printed);
        text = sb_str(&printed);
    }
    m->program = S("program.py");
    part_add(&m->parts, m->program, "The program, as it was loaded", text, true);
    sb_free(&printed);
}

static bool add_beside(void *user, Str name, Str text)
{
    Making *m = user;
    part_add(&m->parts, name, "An edited stage", text, true);
    return true;
}

static bool add_session(Making *m)
{
    StrBuf b = {0};
    SaveTo to = {.file = S("session"), .beside = add_beside, .user = m, .program = m->program,
                 .inputs = m->inputs};
    bool good = session_commands(m->r, &to, &b);
    part_add(&m->parts, S("session"), "The session, as commands", sb_str(&b), true);
    sb_free(&b);
    return good;
}

static void add_stages(Making *m)
{
    Diag quiet = {0};
    for (uint32_t i = 0; i < program_stage_count(m->p); i++) {
        const Stage *st = program_stage(m->r->session, m->p, i, &quiet);
        if (!st)
            break;
        StrBuf text = {0};
        trace_print(st->trace, &print_all, &text);
        Str name = arena_printf(&m->r->scratch, "stages/%u-%.*s.py", i, STR(st->name));
        Str title = arena_printf(&m->r->scratch, "Stage %u, %.*s", i, STR(st->name));
        part_add(&m->parts, name, title.p, sb_str(&text), true);
        sb_free(&text);
    }
    diag_clear(&quiet);
}

static void add_log(Making *m)
{
    static const char *const verdicts[] = {"done", "refused", "skipped"};
    const RuleLog *log = session_log(m->r->session);
    const Trace *t = program_cursor(m->p)->trace;
    StrBuf b = {0};
    for (uint32_t i = 0; i < log->n; i++) {
        const RuleEntry *e = log_at(log, i);
        sb_printf(&b, "#%u %s %u %s: %s", e->stage, e->kind->pass, e->index + 1,
                  verdicts[e->verdict], e->kind->rule);
        const uint32_t about[] = {e->subject, e->other};
        for (size_t k = 0; k < ARRAY_LEN(about); k++)
            if (about[k] && about[k] < t->nvalues)
                sb_printf(&b, " %%%.*s", STR(t->values[about[k]].name));
        sb_printf(&b, "%s%.*s\n", rule_reason(e).n ? ": " : "", STR(rule_reason(e)));
    }
    part_add(&m->parts, S("rules.txt"), "Rules that passes applied or refused", sb_str(&b), true);
    sb_free(&b);
}

static void add_kernels(Making *m)
{
    enum { MOST = 40 };
    Diag quiet = {0};
    const Stage *last = program_find_stage(m->r->session, m->p, S("last"), &quiet);
    uint32_t n = 0;
    for (NodeId i = 0; last && i < last->trace->nnodes; i += last->trace->nodes[i].span) {
        const Node *node = &last->trace->nodes[i];
        StrBuf text = {0};
        if (node->op->id != PRIM_call || n == MOST)
            continue;
        Str fusion = arg_str(node->args[0]);
        if (session_kernel_text(m->r->session, last, fusion, S("c"), &text, &quiet)) {
            Str name = arena_printf(&m->r->scratch, "kernels/%.*s.c", STR(fusion));
            Str title = arena_printf(&m->r->scratch, "Kernel %.*s", STR(fusion));
            part_add(&m->parts, name, title.p, sb_str(&text), true);
            n++;
        }
        sb_free(&text);
    }
    diag_clear(&quiet);
}

/* The graph of the stage at the cursor; left out where no picture can be made. */
static void add_graph(Making *m)
{
    const char *tmp = getenv("TMPDIR");
    Str path = arena_printf(&m->r->scratch, "%s/thunder-graph-%ld.svg", tmp && *tmp ? tmp : "/tmp",
                            (long)getpid());
    GraphOptions o = {.max_nodes = 400};
    StrBuf note = {0};
    Diag quiet = {0};
    Str bytes;
    if (graph_write(program_cursor(m->p)->trace, &o, path.p, &note, &quiet) &&
        read_file(m->r, path, &bytes))
        part_add(&m->parts, S("graph.svg"), "The graph", bytes, true);
    unlink(path.p);
    diag_clear(&quiet);
    sb_free(&note);
}

static bool all_bound(const Program *p)
{
    const Trace *t = program_root(p)->trace;
    for (uint32_t i = 0; i < t->ninputs; i++)
        if (!program_binding(p, t->inputs[i]))
            return false;
    return true;
}

/* How to see the same again: the first thing in every report. */
static void add_summary(Making *m, Str note, bool zip)
{
    static const char *const with_inputs[] = {"compare last acquired", "compare last @f64"};
    StrBuf b = {0};
    run_into(m->r, "version", &b);
    if (note.n)
        sb_printf(&b, "%.*s\n\n", STR(note));
    const char *where = zip ? "unpack this archive, and in its folder:"
                            : "save the files at the end of this page in one folder, and there:";
    sb_printf(&b, "To see it again, %s\n", where);
    sb_puts(&b, "    thunder-repl --batch -x session -e 'compare last @f64'\n\n");
    if (!m->inputs.n)
        sb_printf(&b, "Inputs: %s.\n\n",
                  only_random(m->r, m->p) ? "made by the command bind --random in session"
                                          : "not in this report");
    for (size_t i = 0; all_bound(m->p) && i < ARRAY_LEN(with_inputs); i++)
        run_into(m->r, with_inputs[i], &b);
    if (!all_bound(m->p))
        sb_puts(&b, "Some inputs are not bound: nothing was compared.\n");
    part_add(&m->parts, S("report.txt"), "Summary", sb_str(&b), true);
    sb_free(&b);
}

static bool write_report(Making *m, Str path, bool zip)
{
    if (zip)
        return parts_zip(&m->parts, path, &m->r->diag);
    StrBuf page = {0};
    Str title = arena_printf(&m->r->scratch, "thunder-repl: %.*s", STR(program_name(m->p)));
    parts_html(&m->parts, title, &page);
    bool good = write_file(m->r, path, sb_str(&page));
    sb_free(&page);
    return good;
}

/* The summary is made last, from what the others found, and stands first. */
static void summary_first(Parts *p)
{
    Part last = p->items[p->n - 1];
    memmove(&p->items[1], &p->items[0], (p->n - 1) * sizeof *p->items);
    p->items[0] = last;
}

bool cmd_report(Repl *r, const Args *a)
{
    static const char *const state[] = {"stages --tree", "passes", "executors", "option", "set",
                                        "inputs", "info break"};
    Making m = {.r = r, .p = current(r)};
    Str note = {0};
    if (a->n != 1 || (!str_ends(a->words[0], ".zip") && !str_ends(a->words[0], ".html")))
        return usage_error(r, a, "report takes one file, FILE.zip or FILE.html");
    bool zip = str_ends(a->words[0], ".zip");
    arg_option(a, "--note", &note);
    add_program(&m);
    add_inputs(&m);
    bool good = add_session(&m);
    add_commands(&m, "state.txt", "Stages, passes, executors, options", state, ARRAY_LEN(state));
    add_graph(&m);
    add_stages(&m);
    add_kernels(&m);
    add_log(&m);
    add_summary(&m, note, zip);
    summary_first(&m.parts);
    good = good && write_report(&m, a->words[0], zip);
    if (good)
        say(r, "%u files in %.*s; the first one tells how to see it again", m.parts.n,
            STR(a->words[0]));
    parts_free(&m.parts);
    return good;
}
