/*
 * cmd_break.c - break, tbreak, watch, condition, ignore, commands, delete, enable, disable, bt,
 * display.
 *
 * Input: lines as typed, because conditions hold signs that redirect elsewhere. Output: rows of the
 * list of breakpoints, which debug.c asks when passes and nodes go by.
 */
#include "repl.h"

#include <math.h>
#include <stdlib.h>

/* As typed. */
static const char *const break_words[BREAK_KINDS] = {
    [BREAK_pass] = "pass",   [BREAK_rule] = "rule",          [BREAK_op] = "op",
    [BREAK_line] = "line",   [BREAK_dtype] = "dtype-change", [BREAK_value] = "value",
    [BREAK_watch] = "watch",
};

/* -------------------------------------------------------------------------------------- parsing */

/* Cuts "WHAT if CONDITION" in two; white space around both goes. */
static Str cut_condition(Str text, Str *condition)
{
    *condition = (Str){0};
    char quote = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (quote || c == '"' || c == '\'') {
            quote = quote ? (c == quote ? 0 : quote) : c;
            continue;
        }
        bool word = str_starts(str_sub(text, i, 3), "if ") && (i == 0 || text.p[i - 1] == ' ');
        if (!word)
            continue;
        *condition = str_trim(str_sub(text, i + 3, text.n));
        return str_trim(str_sub(text, 0, i));
    }
    return str_trim(text);
}

static Str unquoted(Str s)
{
    bool quoted = s.n > 1 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0];
    return quoted ? str_sub(s, 1, s.n - 2) : s;
}

static Str bare(Str name)
{
    return name.n && name.p[0] == '%' ? str_sub(name, 1, name.n) : name;
}

static bool parse_line_place(Str what, Break *b)
{
    size_t colon = SIZE_MAX;
    for (size_t i = 0; i < what.n; i++)
        colon = what.p[i] == ':' ? i : colon;
    Str digits = colon == SIZE_MAX ? what : str_sub(what, colon + 1, what.n);
    int64_t line;
    if (!str_to_i64(digits, &line) || line < 1 || line > UINT32_MAX)
        return false;
    b->file = colon == SIZE_MAX ? (Str){0} : str_sub(what, 0, colon);
    b->line = (uint32_t)line;
    return true;
}

/* "nan|inf|denormal|abs>X" and "%v", in any order. */
static bool parse_watch(Str what, Break *b)
{
    b->watch.above = INFINITY;
    bool any = false;
    while (what.n) {
        Str word = str_trim(str_cut(&what, ' '));
        while (word.n) {
            Str one = str_cut(&word, '|');
            if (str_is(one, "nan"))
                b->watch.nan = any = true;
            else if (str_is(one, "inf"))
                b->watch.inf = any = true;
            else if (str_is(one, "denormal") || str_is(one, "subnormal"))
                b->watch.denormal = any = true;
            else if (str_starts(one, "abs>") &&
                     str_to_f64(str_sub(one, 4, one.n), &b->watch.above) &&
                     b->watch.above >= 0 && isfinite(b->watch.above))
                any = true;
            else if (!b->value.n && one.n > 1 && one.p[0] == '%')
                b->value = bare(one);
            else
                return false;
        }
    }
    b->watch.every = !any;
    return any || b->value.n;
}

static bool known_value(Repl *r, Str name)
{
    Program *p = current(r);
    if (!p)
        return no_program(r, "a value");
    return find_value(r, program_cursor(p)->trace, name) != 0;
}

/* A kernel of the last stage, as far as there is a last stage. */
static bool known_kernel(Repl *r, Str pattern)
{
    Program *p = current(r);
    Diag ignored = {0};
    const Stage *last = p ? program_find_stage(r->session, p, S("last"), &ignored) : NULL;
    bool known = false;
    if (last)
        for_top(last->trace, n)
            known |= kernel_matches(&last->trace->nodes[n], pattern);
    diag_clear(&ignored);
    return known;
}

/* What nodes are compared with: a name or pattern of operators or kernels; a spelling such as
 * torch.relu becomes the operator's name. False and an error when nothing is called so. */
static bool parse_op(Repl *r, Str *what)
{
    const Registry *reg = session_registry(r->session);
    for (uint32_t i = 0; i < reg->n; i++)
        if (op_matches(reg->ops[i], *what))
            return true;
    const Op *op = find_operator(r, *what);
    if (op)
        *what = str_from(op->name);
    return op || known_kernel(r, *what) || no_operator(r, *what);
}

/* "what" as its kind wants it; false after a usage error. */
static bool break_parse(Repl *r, BreakKind kind, Str what, Break *out)
{
    *out = (Break){.kind = kind, .what = what};
    if (kind != BREAK_dtype && !what.n)
        return fail_with(r, DIAG_usage, "usage", "break %s needs something to break on",
                         break_words[kind]);
    switch (kind) {
    case BREAK_pass:
        if (current(r) && program_find_slot(current(r), what) < 0 &&
            !session_find_pass(r->session, what) && str_find(what, '*', 0) == SIZE_MAX) {
            fail_with(r, DIAG_usage, "no-pass", "there is no pass %.*s", STR(what));
            fail_help(r, "passes");
            return false;
        }
        return true;
    case BREAK_line:
        return parse_line_place(what, out) ||
               fail_with(r, DIAG_usage, "usage", "'%.*s' is neither LINE nor FILE:LINE", STR(what));
    case BREAK_dtype:
        return !what.n || dtype_parse(what) != DT_none ||
               fail_with(r, DIAG_usage, "usage", "'%.*s' is no dtype", STR(what));
    case BREAK_value:
        out->value = bare(what);
        return known_value(r, what);
    case BREAK_watch:
        if (!parse_watch(what, out))
            return fail_with(r, DIAG_usage, "usage",
                             "watch takes nan, inf, denormal, abs>X (X not negative) with | "
                             "between, and a %%value");
        return !out->value.n || known_value(r, out->value);
    case BREAK_op:
        out->what = unquoted(what);
        return parse_op(r, &out->what);
    default:
        out->what = unquoted(what);
        return true;
    }
}

static void keep_texts(Repl *r, Break *b)
{
    Str *texts[] = {&b->what, &b->condition, &b->file, &b->value};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        *texts[i] = arena_str(&r->arena, *texts[i]);
}

static void say_set(Repl *r, const Break *b)
{
    StrBuf line = {0};
    break_line_text(b, &line);
    say(r, "%s %u: %s", b->kind == BREAK_watch ? "watchpoint" : "breakpoint", b->number,
        sb_cstr(&line));
    sb_free(&line);
}

static bool add_break(Repl *r, BreakKind kind, Str text, bool temporary)
{
    Break b;
    Str condition, what = cut_condition(text, &condition);
    if (!condition.n && str_ends(what, " if"))
        return fail_with(r, DIAG_usage, "usage", "a condition belongs after if");
    if (!break_parse(r, kind, what, &b))
        return false;
    if (condition.n && !debug_check_condition(r, condition))
        return false;
    b.condition = condition;
    b.temporary = temporary;
    keep_texts(r, &b);
    say_set(r, debug_add(r, b));
    if ((kind == BREAK_op || kind == BREAK_line) && current(r) && !debug_meets(r, &b))
        say(r, "nothing at stage %.*s matches it; it stays for what comes",
            STR(program_cursor(current(r))->name));
    return true;
}

static int kind_of(Str word)
{
    for (int i = 0; i < BREAK_watch; i++)
        if (str_is(word, break_words[i]))
            return i;
    return -1;
}

/* break KIND WHAT; a %value or FILE:LINE alone says its kind by its form. */
static bool set_break(Repl *r, const Args *a, bool temporary)
{
    Str rest = str_trim(a->rest), whole = rest;
    if (!rest.n) {
        show_breaks(r);
        return true;
    }
    Str word = str_cut(&rest, ' '), condition;
    int kind = kind_of(word);
    if (kind >= 0)
        return add_break(r, (BreakKind)kind, rest, temporary);
    Break line;
    if (word.p[0] == '%')
        return add_break(r, BREAK_value, whole, temporary);
    if (parse_line_place(cut_condition(whole, &condition), &line))
        return add_break(r, BREAK_line, whole, temporary);
    return usage_error(r, a, "'%.*s' is none of pass, rule, op, line, dtype-change, value",
                       STR(word));
}

bool cmd_break(Repl *r, const Args *a)
{
    return set_break(r, a, false);
}

bool cmd_tbreak(Repl *r, const Args *a)
{
    return set_break(r, a, true);
}

bool cmd_watch(Repl *r, const Args *a)
{
    if (!str_trim(a->rest).n)
        return usage_error(r, a, "watch needs what to look for");
    return add_break(r, BREAK_watch, str_trim(a->rest), false);
}

/* ------------------------------------------------------------------------------------- the list */

void break_line_text(const Break *b, StrBuf *out)
{
    if (b->kind == BREAK_watch)
        sb_printf(out, "watch %.*s", STR(b->what));
    else
        sb_printf(out, "%s %s%s%.*s", b->temporary ? "tbreak" : "break", break_words[b->kind],
                  b->what.n ? " " : "", STR(b->what));
    if (b->condition.n)
        sb_printf(out, " if %.*s", STR(b->condition));
}

void show_breaks(Repl *r)
{
    if (!r->debug.n && r->out.mode == MODE_table) {
        say(r, "no breakpoints; `break` and `watch` set them");
        return;
    }
    Table t = table_begin(r, "break", "n#,on?,hits#,ignore#~,commands~,set by");
    for (uint32_t i = 0; i < r->debug.n; i++) {
        const Break *b = &r->debug.items[i];
        StrBuf line = {0}, commands = {0};
        break_line_text(b, &line);
        for (uint32_t k = 0; k < b->ncommands; k++)
            sb_printf(&commands, "%s%.*s", k ? "; " : "", STR(b->commands[k]));
        cell(&t, STYLE_value, "%u", b->number);
        cell(&t, b->enabled ? STYLE_good : STYLE_warn, "%s", b->enabled ? "yes" : "no");
        cell(&t, STYLE_none, "%llu", (unsigned long long)b->hits);
        cell(&t, STYLE_none, "%llu", (unsigned long long)b->ignore);
        cell_str(&t, STYLE_dim, sb_str(&commands));
        cell_str(&t, b->enabled ? STYLE_none : STYLE_dim, sb_str(&line));
        sb_free(&line);
        sb_free(&commands);
    }
    table_end(&t);
}

static Break *find_number(Repl *r, const Args *a, Str word)
{
    int64_t n = 0;
    Break *b = str_to_i64(word, &n) && n > 0 && n <= UINT32_MAX ? debug_find(r, (uint32_t)n) : NULL;
    if (!b) {
        usage_error(r, a, "there is no breakpoint %.*s", STR(word));
        fail_help(r, "info break");
    }
    return b;
}

bool cmd_condition(Repl *r, const Args *a)
{
    Str rest = str_trim(a->rest), number = str_cut(&rest, ' ');
    Break *b = number.n ? find_number(r, a, number) : NULL;
    if (!number.n)
        return usage_error(r, a, "condition needs the number of a breakpoint");
    if (!b)
        return false;
    rest = str_trim(rest);
    if (rest.n && !debug_check_condition(r, rest))
        return false;
    b->condition = arena_str(&r->arena, rest);
    say_set(r, b);
    return true;
}

bool cmd_ignore(Repl *r, const Args *a)
{
    int64_t times;
    if (a->n != 2)
        return usage_error(r, a, "ignore needs a number and how often");
    Break *b = find_number(r, a, a->words[0]);
    if (!b || !arg_number(r, a, 1, 0, 0, &times))
        return false;
    b->ignore = (uint64_t)times;
    say(r, "breakpoint %u: its next %lld hit%s passed over", b->number, (long long)times,
        times == 1 ? " is" : "s are");
    return true;
}

bool cmd_commands(Repl *r, const Args *a)
{
    if (!r->debug.n)
        return usage_error(r, a, "there is no breakpoint yet");
    Break *b = a->n ? find_number(r, a, a->words[0]) : &r->debug.items[r->debug.n - 1];
    if (!b)
        return false;
    b->ncommands = 0;
    if (a->n > 1) { /* the commands stand in the line, each a word */
        for (uint32_t i = 1; i < a->n; i++) {
            r->debug.collecting = b->number;
            debug_collect(r, a->words[i]);
        }
        r->debug.collecting = 0;
        return true;
    }
    r->debug.collecting = b->number;
    if (r->interactive)
        say(r, "a command a line, `end` ends:");
    return true;
}

typedef void EachBreak(Repl *r, Break *b);

/* Of the numbers given, or of all. */
static bool each_break(Repl *r, const Args *a, EachBreak *fn, const char *done)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (!find_number(r, a, a->words[i]))
            return false;
    for (uint32_t i = r->debug.n; i-- > 0;) {
        Break *b = &r->debug.items[i];
        bool named = a->n == 0;
        for (uint32_t k = 0; k < a->n; k++) {
            int64_t n = 0;
            named |= str_to_i64(a->words[k], &n) && n == b->number;
        }
        if (named)
            fn(r, b);
        count += named;
    }
    say(r, "%u breakpoint%s %s", count, plural(count), done);
    return true;
}

static void remove_break(Repl *r, Break *b)
{
    debug_delete(r, b->number);
}

static void enable_break(Repl *r, Break *b)
{
    (void)r;
    b->enabled = true;
}

static void disable_break(Repl *r, Break *b)
{
    (void)r;
    b->enabled = false;
}

bool cmd_delete(Repl *r, const Args *a)
{
    if (!a->n && r->debug.n > 1 && !confirm(r, "delete all breakpoints?"))
        return true;
    return each_break(r, a, remove_break, "deleted");
}

bool cmd_enable(Repl *r, const Args *a)
{
    return each_break(r, a, enable_break, "on");
}

bool cmd_disable(Repl *r, const Args *a)
{
    return each_break(r, a, disable_break, "off");
}

/* ---------------------------------------------------------------------------------- bt, display */

/* Where we are, from the inside out: node, source, stage, the passes that made it, program. */
bool cmd_bt(Repl *r, const Args *a)
{
    (void)a;
    const Debugger *d = &r->debug;
    Program *p = d->stopped ? d->program : current(r);
    const Stage *st = d->stopped ? d->stage : program_cursor(p);
    Table t = table_begin(r, "frame", "n#,what,where");
    uint32_t n = 0;
    if (d->stopped) {
        StrBuf line = {0}, place = {0};
        static const PrintOptions one_line = {.depth = 0};
        const Node *node = &d->run.t->nodes[d->node];
        node_print(d->run.t, d->node, &one_line, &line);
        if (node->loc && node->loc->line)
            sb_printf(&place, "%.*s:%u", STR(node->loc->file), node->loc->line);
        else if (node->src.src)
            sb_printf(&place, "line %u", span_place(node->src).line);
        cell(&t, STYLE_none, "%u", n++);
        cell_str(&t, STYLE_head, str_trim(sb_str(&line)));
        cell_str(&t, STYLE_dim, sb_str(&place));
        sb_free(&line);
        sb_free(&place);
    }
    for (const Stage *s = st; s; s = s->parent) {
        cell(&t, STYLE_none, "%u", n++);
        cell(&t, STYLE_none, "stage %u, %.*s%s", s->position, STR(s->name),
             s->edited ? " (edited)" : s->partial ? " (inside the pass)" : "");
        cell(&t, STYLE_dim, "%s", s->pass ? s->pass->title : "as it was loaded");
    }
    cell(&t, STYLE_none, "%u", n);
    cell_str(&t, STYLE_none, program_name(p));
    cell_str(&t, STYLE_dim, program_source(p) ? program_source(p)->name : (Str){0});
    table_end(&t);
    return true;
}

bool cmd_display(Repl *r, const Args *a)
{
    Debugger *d = &r->debug;
    Str text = str_trim(a->rest);
    if (!text.n) {
        debug_display(r);
        return true;
    }
    if (d->ndisplays == d->display_cap) {
        d->display_cap = d->display_cap ? 2 * d->display_cap : 8;
        d->displays = realloc(d->displays, d->display_cap * sizeof *d->displays);
        if (!d->displays)
            abort();
    }
    d->displays[d->ndisplays++] = arena_str(&r->arena, text);
    debug_display(r);
    return true;
}

bool cmd_undisplay(Repl *r, const Args *a)
{
    int64_t n = 0;
    Debugger *d = &r->debug;
    if (!arg_number(r, a, 0, 0, 1, &n))
        return false;
    if (n > d->ndisplays)
        return usage_error(r, a, "there are %u displays", d->ndisplays);
    for (uint32_t i = 0; i < d->ndisplays; i++)
        if (!n || i + 1 == n)
            d->displays[i] = (Str){0};
    say(r, n ? "not shown any more" : "nothing is shown any more");
    return true;
}
