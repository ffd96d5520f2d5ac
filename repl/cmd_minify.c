/*
 * cmd_minify.c - minify: the smallest program that still fails for the same reason, as one file.
 *
 * Input: the current program, which fails. Output: a program that loads, whose first line has the
 * version and the command that makes it fail; inputs are in that line as well.
 */
#include "executors.h"
#include "minify.h"
#include "predicate.h"

#include <string.h>

/* --------------------------------------------------------------------------- the line on top */

static void put_element(const Tensor *t, int64_t i, StrBuf *out)
{
    const char *at = (char *)tensor_data(t) + (size_t)i * dtype_info[t->dtype].bytes;
    if (t->dtype == DT_b8)
        sb_puts(out, elem_get_i64(at, t->dtype) ? "True" : "False");
    else if (dtype_is_exact(t->dtype))
        sb_printf(out, "%lld", (long long)elem_get_i64(at, t->dtype));
    else
        sb_python_float(out, elem_get_f64(at, t->dtype));
}

/* Elements from *i on, as nested lists. */
static void put_list(const Tensor *t, uint32_t dim, int64_t *i, StrBuf *out)
{
    if (dim == t->rank) {
        put_element(t, (*i)++, out);
        return;
    }
    sb_putc(out, '[');
    for (int64_t k = 0; k < t->shape[dim]; k++) {
        sb_puts(out, k ? ", " : "");
        put_list(t, dim + 1, i, out);
    }
    sb_putc(out, ']');
}

static bool all_equal(const Tensor *t)
{
    size_t size = dtype_info[t->dtype].bytes;
    const char *at = tensor_data(t);
    int64_t n = tensor_numel(t);
    for (int64_t i = 1; i < n; i++)
        if (memcmp(at, at + (size_t)i * size, size) != 0)
            return false;
    return n > 0;
}

static void put_bind(Str name, const Tensor *t, StrBuf *out)
{
    int64_t i = 0;
    sb_printf(out, " -e \"bind '%.*s=", STR(name));
    if (all_equal(t))
        put_element(t, 0, out);
    else
        put_list(t, 0, &i, out);
    sb_puts(out, "'\"");
}

static void put_executors(const Repl *r, const Minified *m, StrBuf *out)
{
    ExecList normal;
    executors_default(&normal);
    const ExecList *now = session_executors(r->session);
    for (uint32_t i = 0; i < now->n; i++) {
        int at = exec_index(&normal, str_from(now->items[i]->name));
        if (at >= 0 && normal.on[at] != now->on[i])
            sb_printf(out, " -e 'executor %s %s'", now->on[i] ? "on" : "off", now->items[i]->name);
    }
    for (uint32_t i = 0; i < m->noff; i++)
        sb_printf(out, " -e '%.*s'", STR(m->off[i]));
}

static void put_passes(const Program *p, StrBuf *out)
{
    for (uint32_t i = 0; i < program_slot_count(p); i++) {
        const Slot *sl = program_slot(p, i);
        bool normal = sl->pass->when < WHEN_training && !sl->training;
        if (sl->on != normal && !sl->training)
            sb_printf(out, " -e 'pass %s %.*s'", sl->on ? "on" : "off", STR(sl->name));
        if (sl->fuel != UINT64_MAX)
            sb_printf(out, " -e 'pass fuel %.*s %llu'", STR(sl->name),
                      (unsigned long long)sl->fuel);
        for (uint32_t k = 0; k < sl->nskip; k++)
            sb_printf(out, " -e 'pass skip %.*s %llu'", STR(sl->name),
                      (unsigned long long)sl->skip[k] + 1);
    }
}

static void put_options(const Repl *r, const Program *p, StrBuf *out)
{
    for (uint32_t i = 0; i < r->noption_names; i++) {
        Str name = r->option_names[i], value = session_option(r->session, name, S(""));
        if (!str_starts(name, "joint."))
            sb_printf(out, " -e 'option %.*s %.*s'", STR(name), STR(value));
    }
    int grad = program_find_slot(p, S("joint"));
    if (grad >= 0 && program_slot(p, (uint32_t)grad)->on) {
        Str wrt = session_option(r->session, S("joint.wrt"), S("all"));
        sb_printf(out, " -e 'grad ");
        for (size_t i = 0; i < wrt.n; i++)
            sb_putc(out, wrt.p[i] == ',' ? ' ' : wrt.p[i]);
        sb_puts(out, " --ones'");
    }
}

/* The command that makes the file fail again. */
static void put_command(const Repl *r, const Args *a, const Program *p, Str file, const Minified *m,
                        StrBuf *out)
{
    sb_printf(out, "thunder-repl --batch -e 'load %.*s'", STR(file));
    bool random = false;
    for (uint32_t i = 0; i < m->best.t->ninputs; i++)
        random |= m->random[i];
    for (uint32_t i = 0; i < m->best.t->ninputs; i++)
        if (m->best.inputs[i] && !m->random[i])
            put_bind(m->best.t->values[m->best.t->inputs[i]].name, m->best.inputs[i], out);
    sb_puts(out, random ? " -e 'bind --random 1'" : ""); /* of those that have no value yet */
    put_executors(r, m, out);
    put_options(r, p, out);
    put_passes(p, out);
    sb_puts(out, " -e \"bisect");
    static const char *const passed_on[] = {"--against", "--check", "--lua"};
    Str value;
    for (size_t i = 0; i < ARRAY_LEN(passed_on); i++)
        if (arg_option(a, passed_on[i], &value))
            sb_printf(out, " %s '%.*s'", passed_on[i], STR(value));
    sb_puts(out, "\"");
}

/* ------------------------------------------------------------------------------------- the file */

static void put_program(const Repl *r, const Args *a, const Program *p, Str file, const Minified *m,
                        StrBuf *out)
{
    PrintOptions o = print_all;
    o.header = false;
    o.depth = 0;
    sb_printf(out, "# thunder-repl %s: ", THUNDER_VERSION);
    put_command(r, a, p, file, m, out);
    sb_puts(out, "\n");
    trace_print(m->best.t, &o, out);
}

/* Where the next option of a command line begins. */
static size_t next_option(Str line)
{
    for (size_t i = 1; i + 4 < line.n; i++)
        if (memcmp(line.p + i, " -e ", 4) == 0)
            return i;
    return line.n;
}

/* For a reader: an option a line, of a long one the beginning. A file has it all in one line. */
static void fold_first_line(Str text, StrBuf *out)
{
    enum { WIDE = 74 };
    Str line = str_cut(&text, '\n');
    for (const char *indent = ""; line.n; indent = "#   ") {
        size_t next = next_option(line);
        Str part = str_trim(str_sub(line, 0, next));
        bool whole = part.n <= WIDE;
        sb_printf(out, "%s%.*s%s%s\n", indent, STR(str_sub(part, 0, whole ? part.n : WIDE - 3)),
                  whole ? "" : "...", next < line.n ? " \\" : "");
        line = str_sub(line, next, line.n);
    }
    sb_add(out, text);
}

static void show_try(void *user, uint32_t statements, uint32_t tries, bool better)
{
    Check *c = user;
    Repl *r = c->r;
    progress(r, "minify", tries, 0);
    if (!c->verbose || !better)
        return;
    say(r, "try %u: %u statement%s", tries, statements, plural(statements));
    out_flush(r);
}

static void tell(Repl *r, const Minified *m, Str file)
{
    if (r->out.mode == MODE_json) {
        Table t = record_begin(r, "minify", "from#,to#,tries#,pass,rule,op,stopped?,file");
        cell(&t, STYLE_none, "%u", m->from);
        cell(&t, STYLE_none, "%u", m->to);
        cell(&t, STYLE_none, "%u", m->tries);
        cell_str(&t, STYLE_none, m->culprit.pass);
        cell_str(&t, STYLE_none, m->culprit.rule);
        cell_str(&t, STYLE_none, m->culprit.op);
        cell(&t, STYLE_none, "%s", m->stopped ? "yes" : "no");
        cell_str(&t, STYLE_none, file);
        table_end(&t);
    }
    say(r, "%u -> %u statement%s, %u %s in %.2f s%s%s%.*s", m->from, m->to, plural(m->to),
        m->tries, m->tries == 1 ? "try" : "tries",
        (double)m->ns * 1e-9, m->stopped ? ", stopped: the best so far" : "",
        file.n ? ", written to " : "", STR(file));
}

static bool write_result(Repl *r, const Args *a, const Program *p, const Minified *m, Str file)
{
    StrBuf text = {0};
    bool ok = true;
    put_program(r, a, p, file.n ? file : S("FILE"), m, &text);
    if (file.n)
        ok = write_file(r, file, sb_str(&text));
    else if (r->out.mode != MODE_json) {
        StrBuf shown = {0};
        fold_first_line(sb_str(&text), &shown);
        data(r, sb_str(&shown));
        sb_free(&shown);
    }
    sb_free(&text);
    return ok;
}

static bool is_edited(const Program *p)
{
    for (const Stage *st = program_cursor(p); st; st = st->parent)
        if (st->edited)
            return true;
    return false;
}

static bool nothing_fails(Repl *r, const Program *p)
{
    fail_with(r, DIAG_check, "nothing-fails", "nothing fails%s, so there is nothing to keep",
              is_edited(p) ? " behind the stage that was edited by hand, which is the program here"
                           : "");
    fail_help(r, "bisect");
    return false;
}

bool cmd_minify(Repl *r, const Args *a)
{
    Program *p = current(r);
    Check check;
    MinifyOptions o = {.tried = show_try, .user = &check};
    Minified m = {0};
    Str file = a->n ? a->words[0] : (Str){0};
    int64_t votes = 0, tries = 0;
    if (!check_options(r, a, &check, &o.judge) ||
        !option_int(r, a, "--votes", 1, 1000000, &votes) ||
        !option_int(r, a, "--tries", 1, 1000000, &tries))
        return false;
    o.votes = (uint32_t)votes;
    o.max_tries = (uint32_t)tries;
    if (arg_option(a, "--keep", &o.keep))
        o.keep = arena_str(&r->scratch, o.keep);
    check.verbose = arg_flag(a, "-v");
    bool good = session_minify(r->session, p, &o, &m, &r->diag);
    progress_end(r);
    good = good && (m.fails || nothing_fails(r, p)) && write_result(r, a, p, &m, file);
    if (good)
        tell(r, &m, file);
    minified_free(&m);
    return good;
}
