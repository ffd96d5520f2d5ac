/*
 * cmd_stage.c - stages and the cursor: stages, step .. goto, list, diff, edit, skip.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "repl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- stages */

static void stage_row(Table *t, const Program *p, const Stage *st, const char *lead, bool serial)
{
    bool times = setting_on(&t->r->settings, SET_times);
    bool here = st == program_cursor(p);
    Style s = here ? STYLE_head : STYLE_none;
    StrBuf name = {0};
    sb_puts(&name, lead);
    sb_add(&name, st->name);
    if (st->partial)
        sb_printf(&name, "+%llu", (unsigned long long)st->fuel);
    cell(t, STYLE_good, "%s", here ? ">" : "");
    cell(t, s, "%u", st->position);
    cell_str(t, s, sb_str(&name));
    cell(t, s, "%u", trace_count_top(st->trace));
    cell(t, s, "%llu", (unsigned long long)st->applied);
    if (times)
        cell(t, s, "%.2f", (double)st->ns * 1e-6);
    else
        cell(t, STYLE_dim, "-");
    if (serial)
        cell(t, STYLE_value, "#%u", st->serial);
    const char *made = st->edited ? "edited by hand"
                       : st->pass ? st->pass->title
                                  : "as it was loaded";
    cell(t, STYLE_dim, "%s", made);
    sb_free(&name);
}

static bool is_above_cursor(const Program *p, const Stage *st)
{
    const Stage *c = program_cursor(p);
    while (c && c != st)
        c = c->parent;
    return c == st;
}

/* The child that carries the line on: the one that leads to the cursor, else the newest. */
static const Stage *main_child(const Program *p, const Stage *st)
{
    const Stage *last = NULL;
    for (const Stage *c = st->children; c; c = c->sibling) {
        if (is_above_cursor(p, c))
            return c;
        last = !last || c->serial > last->serial ? c : last;
    }
    return last;
}

/* A line of stages downwards; branches that leave it stand indented below the stage they leave. */
static void tree_rows(Table *t, const Program *p, const Stage *st, const char *first,
                      const char *lead)
{
    for (; st; st = main_child(p, st)) {
        stage_row(t, p, st, first, true);
        first = lead;
        const Stage *on = main_child(p, st);
        for (const Stage *c = st->children; c; c = c->sibling) {
            if (c == on)
                continue;
            StrBuf head = {0}, rest = {0};
            sb_printf(&head, "%s├ ", lead);
            sb_printf(&rest, "%s│ ", lead);
            tree_rows(t, p, c, sb_cstr(&head), sb_cstr(&rest));
            sb_free(&head);
            sb_free(&rest);
        }
    }
}

bool cmd_stages(Repl *r, const Args *a)
{
    Program *p = current(r);
    uint32_t n = program_stage_count(p);
    bool ok = true;
    for (uint32_t i = 0; i < n && ok; i++)
        ok = program_stage(r->session, p, i, &r->diag) != NULL;
    if (arg_flag(a, "--tree")) {
        Table t = table_begin(r, "stage", "at?,stage#,name,nodes#,rules#,ms#,serial,made by");
        const Stage *root = program_root(p);
        for (; root; root = root->sibling)
            tree_rows(&t, p, root, "", "");
        table_end(&t);
        return ok;
    }
    Table t = table_begin(r, "stage", "at?,stage#,name,nodes#,rules#,ms#,made by");
    for (uint32_t i = 0; i < n; i++) {
        Diag ignored = {0};
        const Stage *st = program_stage(r->session, p, i, &ignored);
        diag_clear(&ignored);
        if (!st)
            break;
        stage_row(&t, p, st, "", false);
        if (program_cursor(p)->partial && program_cursor(p)->parent == st)
            stage_row(&t, p, program_cursor(p), "  ", false);
    }
    table_end(&t);
    return ok;
}

/* -------------------------------------------------------------------------------------- moves */

typedef StepResult MoveFn(Repl *r, Program *p, int64_t n);

static StepResult move_step(Repl *r, Program *p, int64_t n)
{
    if (debug_wants(r, false))
        return debug_walk(r, p, (uint64_t)n, UINT32_MAX);
    return program_step(r->session, p, (uint64_t)n, &r->diag);
}

static StepResult move_next(Repl *r, Program *p, int64_t n)
{
    if (debug_wants(r, false))
        return debug_walk(r, p, UINT64_MAX, (uint32_t)n);
    return program_next(r->session, p, (uint32_t)n, &r->diag);
}

static StepResult move_finish(Repl *r, Program *p, int64_t n)
{
    (void)n;
    if (debug_wants(r, false))
        return debug_walk(r, p, UINT64_MAX, 1);
    return program_finish(r->session, p, &r->diag);
}

static StepResult move_continue(Repl *r, Program *p, int64_t n)
{
    (void)n;
    if (debug_wants(r, false))
        return debug_walk(r, p, UINT64_MAX, UINT32_MAX);
    return program_continue(r->session, p, &r->diag);
}

static StepResult move_back(Repl *r, Program *p, int64_t n)
{
    return program_back(r->session, p, (uint32_t)n, &r->diag);
}

static StepResult move_forward(Repl *r, Program *p, int64_t n)
{
    return program_forward(r->session, p, (uint32_t)n, &r->diag);
}

static StepResult move_skip(Repl *r, Program *p, int64_t n)
{
    (void)n;
    return program_skip(r->session, p, &r->diag);
}

/* While a run is stopped, moves forward are those of the run: to the next stop, or n nodes. */
static bool move_run(Repl *r, int64_t n, bool to_the_end)
{
    Run run = {0};
    Program *p = r->debug.program;
    const Stage *st = r->debug.stage;
    bool ended = false;
    for (int64_t i = 0; i < (to_the_end ? 1 : n) && !ended; i++)
        if (!debug_resume(r, !to_the_end, &run, &ended))
            return false;
    if (ended)
        show_run(r, p, st, &run, false, true);
    run_free(&run);
    return !r->check_failed;
}

/* Moves the cursor and shows what that changed. */
static bool move(Repl *r, const Args *a, MoveFn *fn)
{
    Program *p = current(r);
    int64_t n;
    if (!arg_number(r, a, 0, 1, 1, &n))
        return false;
    if (n > UINT32_MAX)
        n = UINT32_MAX;
    if (r->debug.stopped && (fn == move_step || fn == move_next || fn == move_finish ||
                             fn == move_continue))
        return move_run(r, n, fn == move_finish || fn == move_continue);
    Trace *before = trace_ref(program_cursor(p)->trace);
    StepResult how = fn(r, p, n);
    show_move(r, p, before, how, fn == move_step);
    trace_unref(before);
    return how != STEP_error;
}

bool cmd_step(Repl *r, const Args *a)
{
    return move(r, a, move_step);
}

bool cmd_next(Repl *r, const Args *a)
{
    return move(r, a, move_next);
}

bool cmd_finish(Repl *r, const Args *a)
{
    return move(r, a, move_finish);
}

bool cmd_continue(Repl *r, const Args *a)
{
    return move(r, a, move_continue);
}

bool cmd_back(Repl *r, const Args *a)
{
    return move(r, a, move_back);
}

bool cmd_forward(Repl *r, const Args *a)
{
    return move(r, a, move_forward);
}

bool cmd_skip(Repl *r, const Args *a)
{
    return move(r, a, move_skip);
}

static bool go_to(Repl *r, Program *p, Stage *st)
{
    Trace *before = trace_ref(program_cursor(p)->trace);
    StepResult how = program_goto(r->session, p, st, &r->diag);
    show_move(r, p, before, how, false);
    trace_unref(before);
    return how != STEP_error;
}

bool cmd_goto(Repl *r, const Args *a)
{
    Program *p = current(r);
    if (a->n != 1)
        return usage_error(r, a, "goto takes one stage");
    Stage *st = find_stage(r, p, a->words[0]);
    return st && go_to(r, p, st);
}

static bool next_passes(Repl *r, Program *p, uint32_t n)
{
    Trace *before = trace_ref(program_cursor(p)->trace);
    StepResult how = debug_walk(r, p, UINT64_MAX, n);
    show_move(r, p, before, how, false);
    trace_unref(before);
    return how != STEP_error;
}

bool cmd_until(Repl *r, const Args *a)
{
    Program *p = current(r);
    if (a->n != 1)
        return usage_error(r, a, "until takes one stage");
    Stage *st = find_stage(r, p, a->words[0]);
    if (!st)
        return false;
    const Stage *here = program_cursor(p);
    uint32_t from = here->partial ? here->parent->position : here->position;
    if (st->position < here->position || (st->position == here->position && !here->partial)) {
        fail_with(r, DIAG_usage, "not-ahead", "stage %.*s is not ahead of the cursor",
                  STR(st->name));
        fail_help(r, "goto %.*s", STR(a->words[0]));
        return false;
    }
    if (debug_wants(r, false))
        return next_passes(r, p, st->position - from);
    return go_to(r, p, st);
}

/* --------------------------------------------------------------------------------- list, diff */

static bool depth_option(Repl *r, const Args *a, int *depth)
{
    int64_t v = setting_int(&r->settings, SET_depth);
    if (!option_int(r, a, "--depth", -1, 100, &v))
        return false;
    *depth = (int)v;
    return true;
}

/* The top-level nodes from..to (exclusive) that `list` shows. */
typedef struct Part {
    NodeId from, to;
    bool whole;
} Part;

enum { AROUND = 5 };

static NodeId node_or_start(const Trace *t, ValueId v)
{
    NodeId n = top_node_of(t, v);
    return n == NO_NODE ? 0 : n;
}

static Part around(const Trace *t, NodeId n)
{
    NodeId recent[AROUND + 1] = {0};
    uint32_t seen = 0, after = 0;
    Part part = {0, t->nnodes, false};
    for_top(t, i) {
        if (i <= n)
            recent[seen++ % (AROUND + 1)] = i;
        if (i == n)
            part.from = seen > AROUND ? recent[seen % (AROUND + 1)] : 0;
        if (i > n && after++ == AROUND) {
            part.to = i;
            break;
        }
    }
    return part;
}

static bool find_part(Repl *r, const Trace *t, Str word, Part *out)
{
    ValueId from, to;
    bool bad;
    if (find_range(r, t, word, &from, &to, &bad)) {
        if (bad)
            return false;
        NodeId a = node_or_start(t, from), b = node_or_start(t, to);
        NodeId low = a < b ? a : b, high = a < b ? b : a;
        *out = (Part){low, high < t->nnodes ? high + t->nodes[high].span : t->nnodes, false};
        return true;
    }
    ValueId v = find_value(r, t, word);
    if (!v)
        return false;
    *out = around(t, node_or_start(t, v));
    return true;
}

/* Text of the stage that this one was made from, for marking changed lines; "" at the first. */
static void parent_text(Repl *r, const Stage *st, int depth, StrBuf *out)
{
    if (st->parent && st->parent->trace)
        stage_text(r, st->parent->trace, depth, out);
}

static void json_line(uint32_t number, bool changed, Str text, StrBuf *b)
{
    sb_printf(b, "{\"kind\":\"line\",\"version\":%d,\"line\":%u,\"changed\":%s,\"text\":",
              JSON_VERSION, number, changed ? "true" : "false");
    put_json(text, b);
    sb_puts(b, "}\n");
}

static void list_lines(Repl *r, const DiffLines *d)
{
    StrBuf b = {0};
    uint32_t number = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        const DiffLine *l = &d->items[i];
        if (l->sign == '-')
            continue;
        number++;
        if (r->out.mode == MODE_json)
            json_line(number, l->sign == '+', l->text, &b);
        else if (r->out.redirect != REDIRECT_none || r->out.mode == MODE_plain)
            sb_printf(&b, "%.*s\n", STR(l->text)); /* a file can be loaded again */
        else
            show_code(r, l->sign, l->text);
    }
    data(r, sb_str(&b));
    sb_free(&b);
}

static void list_stage(Repl *r, const Stage *st, const PrintOptions *o, const Part *part)
{
    StrBuf text = {0}, old = {0};
    PrintOptions here = *o;
    here.from = part->from;
    here.to = part->whole ? 0 : part->to;
    trace_print(st->trace, &here, &text);
    if (part->whole && !o->header && st->parent)
        parent_text(r, st, o->depth, &old);
    else
        sb_add(&old, sb_str(&text)); /* parts are not compared: nothing is marked */
    DiffLines d = diff_texts(&r->scratch, st->parent ? sb_str(&old) : sb_str(&text), sb_str(&text));
    list_lines(r, &d);
    sb_free(&text);
    sb_free(&old);
}

bool cmd_list(Repl *r, const Args *a)
{
    Program *p = current(r);
    int depth;
    if (!depth_option(r, a, &depth))
        return false;
    const Stage *st = program_cursor(p);
    uint32_t i = 0;
    bool is_part =
        a->n && (a->words[0].p[0] == '%' || strstr(arena_str(&r->scratch, a->words[0]).p, ".."));
    if (a->n && !is_part) {
        st = find_stage(r, p, a->words[i++]);
        if (!st)
            return false;
    }
    Part part = {.whole = true};
    if (i < a->n && !find_part(r, st->trace, a->words[i++], &part))
        return false;
    PrintOptions o = print_options(r, depth);
    if (arg_flag(a, "--header")) {
        o = print_all;
        o.depth = depth;
    }
    list_stage(r, st, &o, &part);
    return true;
}

bool cmd_diff(Repl *r, const Args *a)
{
    Program *p = current(r);
    int depth;
    if (!depth_option(r, a, &depth))
        return false;
    const Stage *to = a->n > 1 ? find_stage(r, p, a->words[1]) : program_cursor(p);
    const Stage *from = a->n && to ? find_stage(r, p, a->words[0]) : to ? to->parent : NULL;
    if (!to || (a->n && !from))
        return false;
    if (!from) {
        say(r, "%.*s is the first stage: nothing to compare it with", STR(to->name));
        return true;
    }
    say(r, "%s--- %.*s%s", prose_style(r, STYLE_del), STR(from->name), prose_style(r, STYLE_none));
    say(r, "%s+++ %.*s%s", prose_style(r, STYLE_add), STR(to->name), prose_style(r, STYLE_none));
    DiffLines d = diff_stages(r, from->trace, to->trace, depth);
    if (!d.changed)
        say(r, "no line differs");
    if (d.changed || arg_flag(a, "--full"))
        show_diff(r, &d, arg_flag(a, "--full") ? -1 : setting_int(&r->settings, SET_context));
    return true;
}

/* --------------------------------------------------------------------------------------- edit */

static bool use_text(Repl *r, Program *p, Str text)
{
    Trace *before = trace_ref(program_cursor(p)->trace);
    Stage *st = program_edit(r->session, p, text, &r->diag);
    if (st) {
        DiffLines d = diff_stages(r, before, st->trace, 0);
        say(r,
            d.changed ? "edited; the passes after this stage will run on it" : "nothing changed");
        if (d.changed)
            show_diff(r, &d, 0);
    }
    trace_unref(before);
    return st != NULL;
}

static size_t leading(Str line)
{
    size_t n = 0;
    while (n < line.n && line.p[n] == ' ')
        n++;
    return n;
}

/* The text of a stage with the line that defines `name` replaced, and its decomposition dropped. */
static bool replace_line(Str text, Str name, Str expression, StrBuf *out)
{
    bool found = false;
    size_t indent = 0;
    bool dropping = false;
    while (text.n) {
        Str line = str_cut(&text, '\n'), code = str_trim(line);
        if (dropping && str_starts(code, "#") && leading(line) > indent)
            continue;
        dropping = false;
        Str rest = code, target = str_trim(str_cut(&rest, '='));
        if (!found && str_eq(target, name) && str_starts(rest, " ")) {
            indent = leading(line);
            dropping = found = true;
            sb_pad(out, ' ', indent);
            sb_printf(out, "%.*s = %.*s\n", STR(name), STR(expression));
            continue;
        }
        sb_printf(out, "%.*s\n", STR(line));
    }
    return found;
}

static void strip_percents(Str s, StrBuf *out)
{
    for (size_t i = 0; i < s.n; i++) {
        bool names = s.p[i] == '%' && i + 1 < s.n &&
                     (s.p[i + 1] == '_' || isalpha((unsigned char)s.p[i + 1]));
        if (!names)
            sb_putc(out, s.p[i]);
    }
}

/* Whether an expression opens more brackets than it closes: what follows would belong to it. */
static bool is_open(Str s)
{
    int depth = 0;
    char quote = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (quote || c == '"' || c == '\'')
            quote = !quote ? c : c == quote ? 0 : quote;
        else
            depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    }
    return quote || depth > 0;
}

static bool is_in_kernel(const Trace *t, ValueId v)
{
    NodeId n = v < t->nvalues ? trace_owner(t, v) : NO_NODE;
    return n != NO_NODE && t->nodes[n].op->id == PRIM_call;
}

/* No line of its own defines v: it is one result of several, or a kernel makes it. */
static bool no_line(Repl *r, const Program *p, ValueId v)
{
    const Stage *st = program_cursor(p);
    Str name = st->trace->values[v].name;
    if (!is_in_kernel(st->trace, v)) {
        fail_with(r, DIAG_usage, "no-line", "no line defines only %%%.*s", STR(name));
        fail_help(r, "list --header > FILE, then edit FILE");
        return false;
    }
    fail_with(r, DIAG_usage, "no-line", "%%%.*s is made inside a kernel here", STR(name));
    while (st && is_in_kernel(st->trace, v))
        st = st->parent;
    if (st)
        fail_help(r, "goto %.*s, and edit there", STR(st->name));
    return false;
}

static bool edit_inline(Repl *r, Program *p, Str target, Str expression)
{
    const Trace *t = program_cursor(p)->trace;
    ValueId v = find_value(r, t, target);
    if (!v)
        return false;
    if (is_open(expression))
        return fail_with(r, DIAG_usage, "bad-line", "a bracket or quote of %.*s is not closed",
                         STR(expression));
    StrBuf text = {0}, plain = {0}, changed = {0};
    trace_print(t, &print_all, &text);
    strip_percents(expression, &plain);
    bool ok = replace_line(sb_str(&text), t->values[v].name, sb_str(&plain), &changed);
    ok = ok ? use_text(r, p, sb_str(&changed)) : no_line(r, p, v);
    sb_free(&text);
    sb_free(&plain);
    sb_free(&changed);
    return ok;
}

static bool edit_in_editor(Repl *r, Program *p)
{
    StrBuf text = {0};
    Str edited;
    trace_print(program_cursor(p)->trace, &print_all, &text);
    bool ok = edit_text(r, ".py", sb_str(&text), &edited);
    if (ok && str_eq(edited, sb_str(&text)))
        say(r, "nothing changed");
    else if (ok)
        ok = use_text(r, p, edited);
    sb_free(&text);
    return ok;
}

bool cmd_edit(Repl *r, const Args *a)
{
    Program *p = current(r);
    Str rest = a->rest, text;
    if (!rest.n) {
        if (r->interactive)
            return edit_in_editor(r, p);
        return usage_error(r, a, "in batch, edit needs a file or %%v = EXPRESSION");
    }
    size_t eq = str_find(rest, '=', 0);
    if (rest.p[0] == '%' && eq != SIZE_MAX)
        return edit_inline(r, p, str_trim(str_sub(rest, 0, eq)),
                           str_trim(str_sub(rest, eq + 1, rest.n)));
    CommandLine line;
    line_split(&r->scratch, arena_printf(&r->scratch, "edit %.*s", STR(rest)), false, &line);
    if (line.n != 1)
        return usage_error(r, a, "edit takes one file, or %%v = EXPRESSION");
    return read_file(r, line.words[0], &text) && use_text(r, p, text);
}
