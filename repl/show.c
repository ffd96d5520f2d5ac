/*
 * show.c - programs and their changes as text on the screen: colours, wrapping, diffs, moves.
 */
#include "repl.h"

#include <string.h>

PrintOptions print_options(const Repl *r, int depth)
{
    return (PrintOptions){.depth = depth,
                          .types = setting_on(&r->settings, SET_types),
                          .locations = setting_on(&r->settings, SET_locations)};
}

void stage_text(const Repl *r, const Trace *t, int depth, StrBuf *out)
{
    PrintOptions o = print_options(r, depth);
    trace_print(t, &o, out);
}

/* ------------------------------------------------------------------------------------- colour */

/* Where the trailing comment of a line begins: the last "  # " outside of quotes; line.n if none.
 */
static size_t comment_start(Str line)
{
    size_t found = line.n;
    char quote = 0;
    for (size_t i = 0; i + 1 < line.n; i++) {
        char c = line.p[i];
        if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '#' && i && line.p[i - 1] == ' ') {
            found = i;
            break;
        } else if (c == '"' || c == '\'') {
            quote = c;
        }
    }
    return found;
}

static bool is_word_char(char c)
{
    return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* The operator: the dotted name before the first '(' behind "= ", or at the start of the code. */
static void find_op(Str code, size_t *from, size_t *to)
{
    const char *eq = code.n > 3 ? memchr(code.p, '=', code.n) : NULL;
    size_t i = eq && eq[1] == ' ' ? (size_t)(eq - code.p) + 2 : 0;
    while (i < code.n && code.p[i] == ' ')
        i++;
    *from = i;
    while (i < code.n && is_word_char(code.p[i]))
        i++;
    *to = i < code.n && code.p[i] == '(' ? i : *from;
}

static void paint(const Repl *r, Style s, Str text, StrBuf *out)
{
    if (text.n)
        sb_printf(out, "%s%.*s%s", style(r, s), STR(text), style(r, STYLE_none));
}

static void paint_code(const Repl *r, Str line, StrBuf *out)
{
    Str trimmed = str_trim(line);
    if (!r->out.colour || !trimmed.n) {
        sb_add(out, line);
        return;
    }
    if (trimmed.p[0] == '#') {
        paint(r, STYLE_dim, line, out);
        return;
    }
    Str code = line;
    size_t from, to;
    find_op(code, &from, &to);
    bool keyword =
        str_starts(trimmed, "def ") || str_starts(trimmed, "return") || str_starts(trimmed, "del ");
    if (keyword) {
        size_t lead = (size_t)(trimmed.p - line.p), n = trimmed.p[0] == 'r' ? 6 : 3;
        sb_add(out, str_sub(code, 0, lead));
        paint(r, STYLE_head, str_sub(code, lead, n), out);
        sb_add(out, str_sub(code, lead + n, code.n));
    } else {
        sb_add(out, str_sub(code, 0, from));
        paint(r, STYLE_op, str_sub(code, from, to - from), out);
        sb_add(out, str_sub(code, to, code.n));
    }
}

static void add_code(Repl *r, char sign, Str line, StrBuf *out)
{
    StrBuf code = {0}, comment = {0};
    size_t lead = 0, width = r->out.wide ? 0 : r->out.width, split = comment_start(line);
    while (lead < line.n && line.p[lead] == ' ')
        lead++;
    Style s = sign == '+' ? STYLE_add : sign == '-' ? STYLE_del : STYLE_none;
    const char *end = s ? style(r, STYLE_none) : "";
    sb_printf(&code, "%s%c%s ", s ? style(r, s) : "", sign, sign == '-' ? "" : end);
    if (split <= lead || split == line.n)
        split = line.n; /* nothing but a comment, or none */
    Str head = str_sub(line, 0, split);
    while (head.n && split < line.n && head.p[head.n - 1] == ' ')
        head.n--;
    if (sign == '-')
        sb_add(&code, head);
    else
        paint_code(r, head, &code);
    paint(r, sign == '-' ? STYLE_del : STYLE_type, str_sub(line, split, line.n), &comment);
    size_t column = wrap_line(sb_str(&code), 0, width, lead + 6, out);
    size_t w = display_width(sb_str(&comment));
    if (w && width && column + 2 + w > width && lead + 6 + w <= width) {
        sb_printf(out, "\n%*s%s", (int)lead + 6, "", sb_cstr(&comment)); /* kept in one piece */
    } else if (w) {
        sb_puts(out, "  ");
        wrap_line(sb_str(&comment), column + 2, width, lead + 6, out);
    }
    sb_printf(out, "%s\n", sign == '-' ? end : "");
    sb_free(&code);
    sb_free(&comment);
}

void show_code(Repl *r, char sign, Str line)
{
    StrBuf b = {0};
    add_code(r, sign, line, &b);
    data(r, sb_str(&b));
    sb_free(&b);
}

/* --------------------------------------------------------------------------------------- diff */

typedef struct Collect {
    Arena *a;
    DiffLines lines;
} Collect;

static void collect_line(void *user, char sign, Str line)
{
    Collect *c = user;
    DiffLines *l = &c->lines;
    if (l->n == l->cap) {
        uint32_t cap = l->cap ? 2 * l->cap : 64;
        DiffLine *more = new_array(c->a, DiffLine, cap);
        if (l->n)
            memcpy(more, l->items, l->n * sizeof(DiffLine));
        l->items = more;
        l->cap = cap;
    }
    l->items[l->n++] = (DiffLine){sign, arena_str(c->a, line)};
    l->changed += sign != ' ';
}

DiffLines diff_texts(Arena *a, Str old, Str new_text)
{
    Collect c = {.a = a};
    text_diff(old, new_text, collect_line, &c);
    return c.lines;
}

DiffLines diff_stages(Repl *r, const Trace *a, const Trace *b, int depth)
{
    StrBuf old = {0}, new_text = {0};
    stage_text(r, a, depth, &old);
    stage_text(r, b, depth, &new_text);
    DiffLines d = diff_texts(&r->scratch, sb_str(&old), sb_str(&new_text));
    if (!d.changed && depth >= 0) { /* it changed inside of decompositions */
        sb_clear(&old);
        sb_clear(&new_text);
        stage_text(r, a, -1, &old);
        stage_text(r, b, -1, &new_text);
        DiffLines deep = diff_texts(&r->scratch, sb_str(&old), sb_str(&new_text));
        d = deep.changed ? deep : d;
    }
    sb_free(&old);
    sb_free(&new_text);
    return d;
}

/* How far the next or the last change is from line i: whether it lies within the context. */
static void mark_context(const DiffLines *d, int64_t context, bool *shown)
{
    int64_t last = INT64_MIN / 2;
    for (int64_t i = 0; i < d->n; i++) {
        if (d->items[i].sign != ' ')
            last = i;
        shown[i] = i - last <= context;
    }
    last = INT64_MAX / 2;
    for (int64_t i = (int64_t)d->n - 1; i >= 0; i--) {
        if (d->items[i].sign != ' ')
            last = i;
        shown[i] |= last - i <= context;
    }
}

static void json_diff_line(const DiffLine *l, StrBuf *b)
{
    const char *what = l->sign == '+' ? "add" : l->sign == '-' ? "remove" : "same";
    sb_printf(b, "{\"kind\":\"diff\",\"version\":%d,\"change\":\"%s\",\"text\":", JSON_VERSION,
              what);
    put_json(l->text, b);
    sb_puts(b, "}\n");
}

/* What stands for `hidden` lines that are not shown. At context 0 only the gap between two changes.
 */
static void add_gap(Repl *r, uint32_t hidden, bool inner, bool brief, StrBuf *b)
{
    if (!hidden || (brief && !inner))
        return;
    if (brief)
        sb_printf(b, "%s  ...%s\n", style(r, STYLE_dim), style(r, STYLE_none));
    else
        sb_printf(b, "%s  ... %u unchanged line%s%s\n", style(r, STYLE_dim), hidden,
                  plural(hidden), style(r, STYLE_none));
}

void show_diff(Repl *r, const DiffLines *d, int64_t context)
{
    bool *shown = new_array(&r->scratch, bool, d->n + 1);
    StrBuf b = {0};
    if (context < 0)
        memset(shown, 1, d->n);
    else
        mark_context(d, context, shown);
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        const DiffLine *l = &d->items[i];
        if (!shown[i]) {
            hidden++;
            continue;
        }
        if (r->out.mode == MODE_json) {
            json_diff_line(l, &b);
            continue;
        }
        add_gap(r, hidden, b.n > 0, context == 0, &b);
        hidden = 0;
        add_code(r, l->sign, l->text, &b);
    }
    if (r->out.mode != MODE_json)
        add_gap(r, hidden, false, context == 0, &b);
    data(r, sb_str(&b));
    sb_free(&b);
}

/* -------------------------------------------------------------------------------------- moves */

NodeId top_node_of(const Trace *t, ValueId v)
{
    return v && v < t->nvalues && t->values[v].type.kind != VALUE_dead ? t->values[v].producer
                                                                       : NO_NODE;
}

void show_node(Repl *r, const Trace *t, NodeId n)
{
    PrintOptions o = print_options(r, 0);
    StrBuf b = {0}, line = {0};
    node_print(t, n, &o, &line);
    Str text = str_trim(sb_str(&line));
    if (r->out.mode == MODE_json) {
        sb_printf(&b, "{\"kind\":\"node\",\"version\":%d,\"node\":%u,\"op\":", JSON_VERSION, n);
        StrBuf name = {0};
        op_qualified_name(t->nodes[n].op, &name);
        put_json(sb_str(&name), &b);
        sb_puts(&b, ",\"text\":");
        put_json(text, &b);
        sb_puts(&b, "}\n");
        sb_free(&name);
    } else {
        add_code(r, ' ', text, &b);
    }
    data(r, sb_str(&b));
    sb_free(&line);
    sb_free(&b);
}

void show_where(Repl *r, Program *p)
{
    const Stage *st = program_cursor(p);
    StrBuf at = {0};
    if (st->partial)
        sb_printf(&at, ", %llu of its rules applied", (unsigned long long)program_cursor_rule(p));
    say(r, "%sat stage %u of %u, %.*s%s; %u node%s%s", prose_style(r, STYLE_dim), st->position,
        program_stage_count(p) - 1, STR(st->name), sb_cstr(&at), trace_count_top(st->trace),
        plural(trace_count_top(st->trace)), prose_style(r, STYLE_none));
    sb_free(&at);
}

static void value_name(const Trace *t, uint32_t v, StrBuf *out)
{
    if (v && v < t->nvalues)
        sb_printf(out, "%%%.*s", STR(t->values[v].name));
}

/* "cse 3: equal computations: %t7 -> %t3, same operator and arguments". */
static void show_rule(Repl *r, const Trace *t, const RuleEntry *e)
{
    StrBuf subject = {0}, other = {0};
    value_name(t, e->subject, &subject);
    value_name(t, e->other, &other);
    if (r->out.mode != MODE_table && r->out.mode != MODE_dot) {
        Table row = record_begin(r, "rule", "pass,index#,rule,done?,subject,other,reason");
        cell(&row, STYLE_none, "%s", e->kind->pass);
        cell(&row, STYLE_none, "%u", e->index + 1);
        cell(&row, STYLE_none, "%s", e->kind->rule);
        cell(&row, STYLE_none, "%s", e->verdict == RULE_done ? "yes" : "no");
        cell_str(&row, STYLE_none, sb_str(&subject));
        cell_str(&row, STYLE_none, sb_str(&other));
        cell_str(&row, STYLE_none, rule_reason(e));
        table_end(&row);
    } else {
        StrBuf b = {0};
        sb_printf(&b, "%s %u: %s", e->kind->pass, e->index + 1, e->kind->rule);
        if (subject.n)
            sb_printf(&b, " at %s", sb_cstr(&subject));
        if (other.n)
            sb_printf(&b, ", with %s", sb_cstr(&other));
        if (rule_reason(e).n)
            sb_printf(&b, ": %.*s", STR(rule_reason(e)));
        sb_puts(&b, e->verdict == RULE_skipped ? " (left out)" : "");
        data_wrapped(r, 0, sb_str(&b));
        sb_free(&b);
    }
    sb_free(&subject);
    sb_free(&other);
}

/* What was run between two stages. */
typedef struct Passed {
    uint32_t passes;
    uint64_t rules, ns;
} Passed;

/* The passes from `before` down to st, their rules named in order in `names`; none when st does not
 * come after it. A point inside a pass counts as the stage that the pass began with. */
static Passed passes_since(const Stage *st, const Trace *before, StrBuf *names)
{
    enum { MOST = 64 };
    const Stage *chain[MOST];
    uint32_t n = 0;
    while (st && st->trace != before && st->trace != before->parent && n < MOST) {
        chain[n++] = st;
        st = st->parent;
    }
    Passed p = {0};
    while (st && n-- > 0) {
        p.passes++;
        p.rules += chain[n]->applied;
        p.ns += chain[n]->ns;
        if (chain[n]->applied)
            sb_printf(names, "%s%.*s %llu", names->n ? ", " : "", STR(chain[n]->name),
                      (unsigned long long)chain[n]->applied);
    }
    return p;
}

static void show_pass(Repl *r, const Stage *st, const Trace *before)
{
    uint32_t was = trace_count_top(before), now = trace_count_top(st->trace);
    if (r->out.mode != MODE_table && r->out.mode != MODE_dot) {
        Table row = record_begin(r, "moved", "stage,position#,rules#,nodes_before#,nodes#,ms#");
        cell_str(&row, STYLE_none, st->name);
        cell(&row, STYLE_none, "%u", st->position);
        cell(&row, STYLE_none, "%llu", (unsigned long long)st->applied);
        cell(&row, STYLE_none, "%u", was);
        cell(&row, STYLE_none, "%u", now);
        cell(&row, STYLE_none, "%.3f", (double)st->ns * 1e-6);
        table_end(&row);
        return;
    }
    StrBuf rules = {0}, line = {0};
    Passed passed = passes_since(st, before, &rules);
    sb_printf(&line, "%s%.*s%s: ", style(r, STYLE_head), STR(st->name), style(r, STYLE_none));
    if (passed.passes > 1)
        sb_printf(&line, "%u passes, %llu rule%s%s%s%s, ", passed.passes,
                  (unsigned long long)passed.rules, plural((int64_t)passed.rules),
                  rules.n ? " (" : "", sb_cstr(&rules),
                  rules.n ? ")" : "");
    else if (passed.passes)
        sb_printf(&line, "%llu rule%s applied, ", (unsigned long long)passed.rules,
                  plural((int64_t)passed.rules));
    if (was != now)
        sb_printf(&line, "%u -> %u node%s", was, now, plural(now));
    else
        sb_printf(&line, "%u node%s", now, plural(now));
    if (passed.passes && setting_on(&r->settings, SET_times))
        sb_printf(&line, ", %.2f ms", (double)passed.ns * 1e-6);
    data_sentences(r, "moved", sb_str(&line));
    sb_free(&rules);
    sb_free(&line);
}

enum { SMALL_DIFF = 24 }; /* changed lines that a move prints without being asked */

/* The last rule that made a full stage; NULL when none was applied. */
static const RuleEntry *last_rule(Repl *r, const Stage *st)
{
    const RuleLog *log = session_log(r->session);
    for (uint32_t i = st->trace->log_end; i-- > st->trace->log_begin && i < log->n;) {
        if (log_at(log, i)->verdict != RULE_refused)
            return log_at(log, i);
    }
    return NULL;
}

static bool is_above(const Stage *a, const Stage *b)
{
    while (b && b != a)
        b = b->parent;
    return b != NULL;
}

/* The command that shows what a move changed, where it is too much to show unasked. */
static void hint_diff(Repl *r, Program *p, const Trace *before, uint32_t changed)
{
    const Stage *st = program_cursor(p);
    Diag quiet = {0};
    Str serial = arena_printf(&r->scratch, "#%u", before->stage), from = {0};
    const Stage *was = program_find_stage(r->session, p, serial, &quiet);
    diag_clear(&quiet);
    if (was && was->trace == before && was != st->parent)
        from = is_above(was, st) || is_above(st, was) ? was->name : serial;
    say(r, "%s%u line%s changed: diff%s%.*s shows %s%s", prose_style(r, STYLE_dim), changed,
        plural(changed), from.n ? " " : "", STR(from), changed == 1 ? "it" : "them",
        prose_style(r, STYLE_none));
}

void show_move(Repl *r, Program *p, const Trace *before, StepResult how, bool stepped)
{
    const Stage *st = program_cursor(p);
    const RuleEntry *e = program_cursor_entry(r->session, p);
    if (how == STEP_at_end || how == STEP_at_start) {
        say(r, how == STEP_at_end ? "this is the last stage; back undoes a move"
                                  : "nothing to undo; forward, step or next go on");
        return;
    }
    if (how == STEP_error)
        return;
    if (how == STEP_stopped) {
        show_where(r, p);
        debug_display(r);
        return;
    }
    if (!e && stepped && (e = last_rule(r, st))) {
        show_rule(r, st->trace, e);
        e = NULL;
    }
    if (e)
        show_rule(r, st->trace, e);
    else
        show_pass(r, st, before);
    debug_display(r);
    DiffLines d = diff_stages(r, before, st->trace, (int)setting_int(&r->settings, SET_depth));
    if (d.changed && d.changed <= SMALL_DIFF)
        show_diff(r, &d, 0);
    else if (d.changed)
        hint_diff(r, p, before, d.changed);
}
