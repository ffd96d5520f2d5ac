/*
 * debug.c - when breakpoints and watchpoints stop, and what happens then.
 *
 * Input: applications of rules (from program_walk) and nodes that have run (events). Output: a
 * stop: what was hit, where it is, the expressions of `display`; the commands of the breakpoint run
 * when the command under way has ended. Every question about values is an expression of `print`.
 */
#include "repl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *grow(void *items, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return items;
    *cap = *cap ? 2 * *cap : 8;
    void *more = realloc(items, *cap * size);
    if (!more)
        abort();
    return more;
}

/* ------------------------------------------------------------------------------------- the list */

Break *debug_find(Repl *r, uint32_t number)
{
    for (uint32_t i = 0; i < r->debug.n; i++)
        if (r->debug.items[i].number == number)
            return &r->debug.items[i];
    return NULL;
}

Break *debug_add(Repl *r, Break b)
{
    Debugger *d = &r->debug;
    d->items = grow(d->items, d->n, &d->cap, sizeof *d->items);
    b.number = ++d->next_number;
    b.enabled = true;
    d->items[d->n++] = b;
    return &d->items[d->n - 1];
}

void debug_delete(Repl *r, uint32_t number)
{
    Debugger *d = &r->debug;
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->items[i].number != number)
            continue;
        free(d->items[i].commands);
        memmove(&d->items[i], &d->items[i + 1], (--d->n - i) * sizeof *d->items);
        return;
    }
}

void debug_free(Repl *r)
{
    while (r->debug.n)
        debug_delete(r, r->debug.items[0].number);
    debug_forget_run(r, NULL);
    free(r->debug.items);
    free(r->debug.pending);
    free(r->debug.displays);
}

static bool of_runs(const Break *b)
{
    return b->kind != BREAK_pass && b->kind != BREAK_rule;
}

bool debug_wants(const Repl *r, bool run)
{
    for (uint32_t i = 0; i < r->debug.n; i++) {
        const Break *b = &r->debug.items[i];
        if (b->enabled && (run ? of_runs(b) : b->kind != BREAK_watch))
            return true;
    }
    return false;
}

/* ----------------------------------------------------------------------------------- conditions */

bool bad_condition(Repl *r, bool tensor, int64_t n)
{
    if (tensor)
        fail_with(r, DIAG_usage, "bad-condition", "the condition gives %lld elements, not one",
                  (long long)n);
    else
        fail_with(r, DIAG_usage, "bad-condition",
                  "the condition gives neither a number nor a tensor");
    fail_help(r, tensor ? "help conditions; .any() and .all() give one" : "help conditions");
    return false;
}

/* One expression; an error counts as true. */
static bool holds(Repl *r, Str expression, const Moment *m)
{
    uint32_t errors = r->diag.nerrors;
    Tensor *t = evaluate_moment(r, current(r), m, expression);
    if (!t) {
        if (r->diag.nerrors > errors)
            fail_help(r, "condition N EXPRESSION; help conditions");
        return true;
    }
    bool yes = true;
    if (tensor_numel(t) == 1) {
        double x[2];
        elem_get_c128(tensor_data(t), t->dtype, x);
        yes = x[0] != 0 || x[1] != 0;
    } else {
        bad_condition(r, true, tensor_numel(t));
    }
    tensor_unref(t);
    return yes;
}

/* Where `word` stands outside of brackets and quotes; SIZE_MAX when it does not. */
static size_t find_word(Str text, const char *word)
{
    int depth = 0;
    char quote = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (quote || c == '"' || c == '\'')
            quote = quote ? (c == quote ? 0 : quote) : c;
        else if (c == '(' || c == '[')
            depth++;
        else if (c == ')' || c == ']')
            depth--;
        else if (!depth && str_starts(str_sub(text, i, strlen(word)), word))
            return i;
    }
    return SIZE_MAX;
}

/* How a condition is put together: one expression, its opposite, or two conditions. */
typedef enum Joint { JOINT_none, JOINT_not, JOINT_and, JOINT_or } Joint;

/* Cuts a condition at the word that joins it; what is not cut is in *left. */
static Joint cut_joint(Str text, Str *left, Str *right)
{
    static const struct {
        const char *word;
        Joint joint;
    } joints[] = {{" or ", JOINT_or}, {" and ", JOINT_and}};
    text = str_trim(text);
    for (size_t i = 0; i < ARRAY_LEN(joints); i++) {
        size_t at = find_word(text, joints[i].word);
        if (at == SIZE_MAX)
            continue;
        *left = str_sub(text, 0, at);
        *right = str_sub(text, at + strlen(joints[i].word), text.n);
        return joints[i].joint;
    }
    bool opposite = str_starts(text, "not ");
    *left = opposite ? str_sub(text, 4, text.n) : text;
    return opposite ? JOINT_not : JOINT_none;
}

/* Whether the expression holds; an error counts as true, and is shown. `or`, `and`, `not` between
 * expressions are decided here, because tensors have no such operators while a program is built. */
static bool debug_condition(Repl *r, Str expression, const Moment *m)
{
    Str left, right;
    switch (cut_joint(expression, &left, &right)) {
    case JOINT_or:
        return debug_condition(r, left, m) || debug_condition(r, right, m);
    case JOINT_and:
        return debug_condition(r, left, m) && debug_condition(r, right, m);
    case JOINT_not:
        return !debug_condition(r, left, m);
    default:
        return holds(r, left, m);
    }
}

bool debug_check_condition(Repl *r, Str expression)
{
    Str left, right;
    switch (cut_joint(expression, &left, &right)) {
    case JOINT_or:
    case JOINT_and:
        return debug_check_condition(r, left) && debug_check_condition(r, right);
    case JOINT_not:
        return debug_check_condition(r, left);
    default:
        return check_moment(r, current(r), left);
    }
}

/* Whether a breakpoint that matches really stops: condition, ignore count; counts the hit. */
static bool counts(Repl *r, Break *b, const Moment *m)
{
    if (b->condition.n && !debug_condition(r, b->condition, m))
        return false;
    b->hits++;
    if (b->ignore) {
        b->ignore--;
        return false;
    }
    return true;
}

static void add_pending(Repl *r, uint32_t number)
{
    Debugger *d = &r->debug;
    d->pending = grow(d->pending, d->npending, &d->pending_cap, sizeof *d->pending);
    d->pending[d->npending++] = number;
}

/* ------------------------------------------------------------------------------------- matching */

/* By its whole name; only a pattern with wildcards matches otherwise. */
static bool name_matches(Str name, Str pattern)
{
    bool wild = str_find(pattern, '*', 0) != SIZE_MAX || str_find(pattern, '?', 0) != SIZE_MAX;
    return str_eq(name, pattern) || (wild && pattern_matches(name, pattern));
}

bool op_matches(const Op *op, Str pattern)
{
    StrBuf name = {0};
    op_qualified_name(op, &name);
    bool hit = name_matches(str_from(op->name), pattern) || name_matches(sb_str(&name), pattern);
    sb_free(&name);
    return hit;
}

bool kernel_matches(const Node *n, Str pattern)
{
    return n->op->id == PRIM_call && name_matches(arg_str(n->args[0]), pattern);
}

static bool file_matches(Str path, Str wanted)
{
    if (!wanted.n)
        return true;
    if (!str_ends(path, wanted.p))
        return false;
    return path.n == wanted.n || path.p[path.n - wanted.n - 1] == '/';
}

static bool line_matches(const Node *n, const Break *b)
{
    if (n->loc && n->loc->line == b->line && file_matches(n->loc->file, b->file))
        return true;
    return n->src.src && span_place(n->src).line == b->line &&
           file_matches(n->src.src->name, b->file);
}

/* The dtype of the floating-point operands of n differs from that of its floating-point result. */
static bool changes_dtype(const Trace *t, const Node *n, Str what)
{
    ValueId in[64], out[MAX_OUTPUTS];
    Arg all = {.kind = ARG_tuple, .n = n->nargs, .items = n->args};
    uint32_t nin = arg_values(all, in, ARRAY_LEN(in)), nout = arg_values(n->out, out, MAX_OUTPUTS);
    for (uint32_t i = 0; i < nout && i < MAX_OUTPUTS; i++) {
        DType to = (DType)t->values[out[i]].type.dtype;
        if (t->values[out[i]].type.kind != VALUE_tensor || !dtype_is_inexact(to) ||
            (what.n && dtype_parse(what) != to))
            continue;
        for (uint32_t k = 0; k < nin && k < ARRAY_LEN(in); k++) {
            const Type *from = &t->values[in[k]].type;
            if (from->kind == VALUE_tensor && from->dtype != to &&
                dtype_is_inexact((DType)from->dtype))
                return true;
        }
    }
    return false;
}

static bool makes_value(const Trace *t, const Node *n, Str name)
{
    ValueId out[MAX_OUTPUTS];
    uint32_t nout = arg_values(n->out, out, MAX_OUTPUTS);
    for (uint32_t i = 0; i < nout && i < MAX_OUTPUTS; i++)
        if (str_eq(t->values[out[i]].name, name))
            return true;
    return false;
}

static bool node_matches(const Trace *t, NodeId n, const Break *b)
{
    const Node *node = &t->nodes[n];
    switch (b->kind) {
    case BREAK_op:
        return op_matches(node->op, b->what) || kernel_matches(node, b->what);
    case BREAK_line:
        return line_matches(node, b);
    case BREAK_dtype:
        return changes_dtype(t, node, b->what);
    case BREAK_value:
        return makes_value(t, node, b->value);
    default:
        return false;
    }
}

bool debug_meets(Repl *r, const Break *b)
{
    const Trace *t = program_cursor(session_current(r->session))->trace;
    for (NodeId n = 0; n < t->nnodes; n++)
        if (node_matches(t, n, b))
            return true;
    return false;
}

/* -------------------------------------------------------------------------- moves of the cursor */

/* Values that the entry's application made: from e->made to those of the next one. */
static bool makes_dtype_change(const Repl *r, const RuleEntry *e, const Trace *after, Str what)
{
    const RuleLog *log = session_log(r->session);
    if (!e->made)
        return false;
    ValueId end = after->nvalues;
    for (uint32_t i = log_number(log, e) + 1; i < log->n && log_at(log, i)->stage == e->stage; i++)
        if (log_at(log, i)->made > e->made) {
            end = log_at(log, i)->made;
            break;
        }
    for (ValueId v = e->made; v < end; v++) {
        NodeId n = top_node_of(after, v);
        if (n != NO_NODE && changes_dtype(after, &after->nodes[n], what))
            return true;
    }
    return false;
}

/* A node that reads what the entry is about and gives another dtype. */
static bool casts_subject(const RuleEntry *e, const Trace *after, Str what)
{
    for_top(after, n) {
        ValueId in[MAX_OUTPUTS];
        const Node *node = &after->nodes[n];
        Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
        uint32_t count = arg_values(all, in, MAX_OUTPUTS);
        for (uint32_t i = 0; i < count && i < MAX_OUTPUTS; i++)
            if (in[i] == e->subject && changes_dtype(after, node, what))
                return true;
    }
    return false;
}

static bool replaces_dtype(const RuleEntry *e, const Trace *before, const Trace *after, Str what)
{
    if (!e->subject || !e->other || e->subject >= before->nvalues || e->other >= after->nvalues)
        return false;
    const Type *x = &before->values[e->subject].type, *y = &after->values[e->other].type;
    return x->kind == VALUE_tensor && y->kind == VALUE_tensor && x->dtype != y->dtype &&
           (!what.n || dtype_parse(what) == (DType)y->dtype);
}

/* Whether anything in the stage changes a dtype; remembered, as it is asked for each rule. */
static bool has_dtype_change(Break *b, const Stage *after)
{
    if (b->looked_at == after->serial + 1)
        return b->may_match;
    b->looked_at = after->serial + 1;
    b->may_match = false;
    for (NodeId n = 0; n < after->trace->nnodes && !b->may_match; n++)
        b->may_match = changes_dtype(after->trace, &after->trace->nodes[n], b->what);
    return b->may_match;
}

static bool names_value(const Trace *t, uint32_t v, Str name)
{
    return v && v < t->nvalues && str_eq(t->values[v].name, name);
}

static bool rule_matches(Repl *r, Break *b, const Moment *m, const Stage *after)
{
    const RuleEntry *e = m->rule;
    switch (b->kind) {
    case BREAK_rule:
        if (str_find(b->what, ':', 0) == SIZE_MAX)
            return pattern_matches(str_from(e->kind->rule), b->what);
        return pattern_matches(
            arena_printf(&r->scratch, "%s: %s", e->kind->pass, e->kind->rule), b->what);
    case BREAK_value:
        return names_value(after->trace, e->subject, b->value) ||
               names_value(after->trace, e->other, b->value);
    case BREAK_dtype:
        if (!has_dtype_change(b, after))
            return false;
        return makes_dtype_change(r, e, after->trace, b->what) ||
               (casts_subject(e, after->trace, b->what) &&
                !casts_subject(e, m->stage->trace, b->what)) ||
               replaces_dtype(e, m->stage->trace, after->trace, b->what);
    case BREAK_op:
    case BREAK_line:
        return m->node != NO_NODE && node_matches(m->t, m->node, b);
    default:
        return false;
    }
}

static void say_break(Repl *r, const Break *b, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void say_break(Repl *r, const Break *b, const char *fmt, ...)
{
    StrBuf line = {0};
    va_list ap;
    sb_printf(&line, "%s%s %u%s, ", style(r, STYLE_head),
              b->kind == BREAK_watch ? "Watchpoint" : "Breakpoint", b->number,
              style(r, STYLE_none));
    va_start(ap, fmt);
    sb_vprintf(&line, fmt, ap);
    va_end(ap);
    data_sentences(r, "stop", sb_str(&line));
    sb_free(&line);
}

/* Taken out when it was temporary; its commands wait for the end of the command under way. */
static void after_stop(Repl *r, Break *b)
{
    if (b->ncommands)
        add_pending(r, b->number);
    if (b->temporary && !b->ncommands)
        debug_delete(r, b->number);
    else if (b->temporary)
        b->enabled = false;
}

static void remember_stop(Repl *r, uint32_t serial, uint64_t index, bool was_pass)
{
    r->debug.last_serial = serial;
    r->debug.last_index = index;
    r->debug.last_was_pass = was_pass;
}

static bool stopped_here(const Repl *r, const Stage *before, uint64_t index, bool was_pass)
{
    return r->debug.last_serial == before->serial + 1 && r->debug.last_index == index &&
           r->debug.last_was_pass == was_pass;
}

/* By the name of the pass, or of its place in the line: fold stands there as joint.fold, too. */
static bool breaks_on(const Break *b, const Slot *slot)
{
    char buffer[PASS_WORD];
    Str what = pass_word(b->what, buffer);
    return pattern_matches(str_from(slot->pass->name), what) || pattern_matches(slot->name, what);
}

static bool stop_at_pass(void *user, const Stage *before, const Slot *slot)
{
    Repl *r = user;
    const PassInfo *pass = slot->pass;
    if (stopped_here(r, before, 0, true))
        return false;
    Moment m = {.stage = before, .t = before->trace, .node = NO_NODE, .pass = str_from(pass->name)};
    for (uint32_t i = 0; i < r->debug.n; i++) {
        Break *b = &r->debug.items[i];
        if (!b->enabled || b->kind != BREAK_pass || !breaks_on(b, slot) ||
            !counts(r, b, &m))
            continue;
        say_break(r, b, "before pass %.*s (%s): `next` runs it, `step` its first rule.\n",
                  STR(slot->name), pass->title);
        remember_stop(r, before->serial + 1, 0, true);
        after_stop(r, b);
        return true;
    }
    return false;
}

static void say_rule(Repl *r, const Break *b, const Moment *m, const Stage *after)
{
    const RuleEntry *e = m->rule;
    const Trace *t = after->trace;
    StrBuf s = {0};
    sb_printf(&s, "before application %u of %s, rule \"%s\"", e->index + 1, e->kind->pass,
              e->kind->rule);
    if (e->subject && e->subject < t->nvalues)
        sb_printf(&s, " on %%%.*s", STR(t->values[e->subject].name));
    if (e->other && e->other < t->nvalues)
        sb_printf(&s, " with %%%.*s", STR(t->values[e->other].name));
    if (rule_reason(e).n)
        sb_printf(&s, ": %.*s", STR(rule_reason(e)));
    say_break(r, b, "%s. `step` applies it, `skip` leaves it out.\n", sb_cstr(&s));
    sb_free(&s);
}

static bool stop_at_rule(void *user, const Stage *before, const Stage *after, const RuleEntry *e)
{
    Repl *r = user;
    if (stopped_here(r, before, e->index, false))
        return false;
    Moment m = {.stage = before, .t = before->trace, .rule = e, .value = e->subject,
                .pass = str_from(e->kind->pass)};
    m.node = top_node_of(before->trace, e->subject);
    if (m.node == NO_NODE) {
        m.t = after->trace;
        m.node = top_node_of(after->trace, e->subject);
    }
    if (m.value >= m.t->nvalues)
        m.value = 0;
    for (uint32_t i = 0; i < r->debug.n; i++) {
        Break *b = &r->debug.items[i];
        if (!b->enabled || b->kind == BREAK_pass || b->kind == BREAK_watch ||
            !rule_matches(r, b, &m, after) || !counts(r, b, &m))
            continue;
        say_rule(r, b, &m, after);
        remember_stop(r, before->serial + 1, e->index, false);
        after_stop(r, b);
        return true;
    }
    return false;
}

StepResult debug_walk(Repl *r, Program *p, uint64_t rules, uint32_t passes)
{
    Stops stops = {stop_at_pass, stop_at_rule, r};
    StepResult how = program_walk(r->session, p, rules, passes, &stops, &r->diag);
    if (how != STEP_stopped)
        remember_stop(r, 0, 0, false);
    return how;
}

/* ----------------------------------------------------------------------------------------- runs */

static void operand_text(const Trace *t, const Seen *o, StrBuf *out)
{
    sb_printf(out, "%%%.*s ", STR(t->values[o->v].name));
    if (o->at_element)
        sb_printf(out, "%.9g", o->value);
    else if (o->not_finite)
        sb_printf(out, "with %lld element%s not finite", (long long)o->not_finite,
                  o->not_finite == 1 ? " that is" : "s that are");
    else
        sb_printf(out, "from %.6g to %.6g", o->least, o->most);
}

static void place_text(const Node *n, StrBuf *out)
{
    if (n->loc && n->loc->line)
        sb_printf(out, ", %.*s:%u", STR(n->loc->file), n->loc->line);
    else if (n->src.src)
        sb_printf(out, ", line %u", span_place(n->src).line);
}

/* For programs: what was seen, field by field. */
static void sighting_row(Repl *r, const Break *b, const Trace *t, NodeId top, const Sighting *s,
                         Str index, Str op)
{
    StrBuf place = {0}, operands = {0};
    place_text(&t->nodes[s->node], &place);
    for (uint32_t i = 0; i < s->noperands; i++) {
        sb_puts(&operands, i ? ", " : "");
        operand_text(t, &s->operands[i], &operands);
    }
    Table row = record_begin(r, "sighting",
                             "watch#,value,index,found,count#,of#,op,at,kernel,operands");
    cell(&row, STYLE_none, "%u", b->number);
    cell_str(&row, STYLE_none, t->values[s->v].name);
    cell_str(&row, STYLE_none, index);
    cell(&row, STYLE_none, "%.9g", s->value);
    cell(&row, STYLE_none, "%lld", (long long)s->count);
    cell(&row, STYLE_none, "%lld", (long long)s->total);
    cell_str(&row, STYLE_none, op);
    cell_str(&row, STYLE_none, str_sub(sb_str(&place), 2, place.n));
    cell_str(&row, STYLE_none,
             s->inside && t->nodes[top].op->id == PRIM_call ? arg_str(t->nodes[top].args[0])
                                                            : (Str){0});
    cell_str(&row, STYLE_none, sb_str(&operands));
    table_end(&row);
    sb_free(&place);
    sb_free(&operands);
}

static void say_sighting(Repl *r, const Break *b, const Trace *t, NodeId top, const Sighting *s)
{
    StrBuf text = {0}, at = {0}, op = {0};
    const Type *type = &t->values[s->v].type;
    Tensor shape = {.rank = type->rank, .shape = (int64_t *)type->shape};
    index_text(&shape, s->first, &at);
    op_qualified_name(t->nodes[s->node].op, &op);
    if (r->out.mode != MODE_table && r->out.mode != MODE_dot) {
        sighting_row(r, b, t, top, s, sb_str(&at), sb_str(&op));
        sb_free(&at);
        sb_free(&op);
        return;
    }
    if (s->count == s->total && b->watch.every)
        sb_printf(&text, "%%%.*s was made: %.9g first", STR(t->values[s->v].name), s->value);
    else
        sb_printf(&text, "%.9g in %%%.*s%s, %lld of %lld elements", s->value,
                  STR(t->values[s->v].name), sb_cstr(&at), (long long)s->count,
                  (long long)s->total);
    sb_printf(&text, ", made by %s", sb_cstr(&op));
    place_text(&t->nodes[s->node], &text);
    if (s->inside && t->nodes[top].op->id == PRIM_call)
        sb_printf(&text, ", inside %.*s, which does not write it out",
                  STR(arg_str(t->nodes[top].args[0])));
    for (uint32_t i = 0; i < s->noperands; i++) {
        sb_puts(&text, i ? ", " : "; from ");
        operand_text(t, &s->operands[i], &text);
    }
    if (s->inside && s->ulp > 0)
        sb_printf(&text, "; looking inside changed the order of sums, by up to %.3g ULP", s->ulp);
    say_break(r, b, "%s.\n", sb_cstr(&text));
    sb_free(&text);
    sb_free(&at);
    sb_free(&op);
}

/* Watchpoints: something was found in what node n made. */
static bool watch_stops(Repl *r, Break *b, const Event *e)
{
    Watch w = b->watch;
    Sighting found;
    if (b->value.n && !(w.only = trace_find_value(e->trace, b->value)))
        return false;
    if (!session_watch(r->session, e->trace, e->node, e->values, &w, &found, &r->diag) || !found.v)
        return false;
    Moment m = {.stage = r->debug.stage, .t = e->trace, .node = found.node, .value = found.v,
                .running = true};
    if (!counts(r, b, &m))
        return false;
    say_sighting(r, b, e->trace, e->node, &found);
    r->check_failed |= !w.every;
    return true;
}

static bool break_stops(Repl *r, Break *b, const Event *e)
{
    const Trace *t = e->trace;
    NodeId hit = NO_NODE;
    for (NodeId i = e->node; i < e->node + t->nodes[e->node].span && hit == NO_NODE; i++)
        if (node_matches(t, i, b))
            hit = i;
    Moment m = {.stage = r->debug.stage, .t = t, .node = hit, .running = true};
    m.value = node_result(t, hit);
    if (hit == NO_NODE || !counts(r, b, &m))
        return false;
    say_break(r, b, "behind this node of stage %.*s:\n", STR(r->debug.stage->name));
    return true;
}

static void on_node_end(Repl *r, const Event *e)
{
    Debugger *d = &r->debug;
    bool stop = d->node_by_node;
    d->live = (Live){e->trace, e->values};
    d->armed = false; /* what conditions run is not watched */
    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t number = d->items[i].number;
        Break *b = &d->items[i];
        if (!b->enabled || !of_runs(b))
            continue;
        if (b->kind == BREAK_watch ? watch_stops(r, b, e) : break_stops(r, b, e)) {
            stop = true;
            after_stop(r, b);
            i -= !debug_find(r, number);
        }
    }
    d->armed = true;
    d->live = (Live){0};
    d->node = e->node;
    if (stop)
        session_pause(r->session);
}

Tensor *debug_value_before_failure(Repl *r, Program *p, const Stage *st, ValueId v)
{
    Debugger *d = &r->debug;
    NodeId maker = trace_owner(st->trace, v);
    if (maker == NO_NODE) {
        Tensor *bound = program_binding(p, v);
        return bound ? tensor_ref(bound) : NULL;
    }
    Run run = {0};
    Diag failure = r->diag;
    r->diag = (Diag){0};
    d->until_trace = st->trace;
    d->until = maker;
    RunOptions o = {.keep_values = true};
    bool good = session_run(r->session, p, st, &o, &run, &r->diag);
    d->until_trace = NULL;
    Tensor *t = good && run.values[v] ? tensor_ref(run.values[v]) : NULL;
    if (good)
        run_free(&run);
    diag_clear(&r->diag);
    r->diag = failure;
    return t;
}

void debug_on_event(Repl *r, const Event *e)
{
    if (e->kind == EVENT_node_end && e->trace == r->debug.until_trace && e->node == r->debug.until)
        session_pause(r->session);
    if (e->kind == EVENT_cursor)
        debug_forget_run(r, NULL);
    if (e->kind == EVENT_node_end && r->debug.armed && e->program == r->debug.program &&
        e->trace == r->debug.stage->trace && !(e->trace->nodes[e->node].op->flags & OP_CONTROL))
        on_node_end(r, e);
}

void debug_forget_run(Repl *r, const Program *p)
{
    Debugger *d = &r->debug;
    if (!d->stopped || (p && p != d->program))
        return;
    run_free(&d->run);
    d->stopped = false;
    d->live = (Live){0};
}

/* The run stays here, with its values. */
static void keep_stopped(Repl *r, Run run)
{
    Debugger *d = &r->debug;
    d->run = run;
    d->stopped = true;
    d->live = (Live){run.t, run.values};
    show_node(r, run.t, d->node);
    debug_display(r);
}

bool debug_run(Repl *r, Program *p, const Stage *st, const RunOptions *o, Run *out)
{
    Debugger *d = &r->debug;
    debug_forget_run(r, NULL);
    RunOptions keep = *o;
    keep.flat = !debug_wants(r, true);
    if (keep.flat)
        return session_run(r->session, p, st, &keep, out, &r->diag);
    keep.keep_values = true;
    d->program = p;
    d->stage = st;
    d->node_by_node = false;
    d->armed = true;
    bool good = session_run(r->session, p, st, &keep, out, &r->diag);
    d->armed = false;
    if (!good || !out->paused)
        return good;
    keep_stopped(r, *out);
    *out = (Run){0};
    return true;
}

bool debug_resume(Repl *r, bool one_node, Run *out, bool *ended)
{
    Debugger *d = &r->debug;
    Run run = d->run;
    d->stopped = false;
    d->run = *out = (Run){0};
    d->live = (Live){0};
    d->node_by_node = one_node;
    d->armed = true;
    bool good = session_resume(&run, &r->diag);
    d->armed = false;
    *ended = good && !run.paused;
    if (*ended)
        *out = run;
    else if (good)
        keep_stopped(r, run);
    return good;
}

/* ------------------------------------------------------------------------------------ at a stop */

const Stage *looked_at(Repl *r)
{
    bool there = r->debug.stopped && r->debug.stage->trace; /* a part of a pass may be dropped */
    return there ? r->debug.stage : program_cursor(current(r));
}

void debug_display(Repl *r)
{
    Program *p = current(r);
    for (uint32_t i = 0; i < r->debug.ndisplays; i++) {
        Str text = r->debug.displays[i];
        if (!text.n || !p)
            continue;
        const Stage *st = looked_at(r);
        Diag quiet = r->diag;
        r->diag = (Diag){0};
        Tensor *t = evaluate(r, p, st, text, ROUND_dtype);
        diag_clear(&r->diag);
        r->diag = quiet;
        if (t)
            show_tensor(r, arena_str(&r->scratch, text).p, t);
        else
            sentence(r, "%.*s: not known here\n", STR(text));
        tensor_unref(t);
    }
}

int debug_run_commands(Repl *r)
{
    enum { MOST = 10000 }; /* commands that go on to the next stop, for ever */
    int first = 0;
    r->debug.running = true;
    r->nesting++; /* they belong to the command that hit them, also in transcripts */
    for (uint32_t done = 0; r->debug.npending && done < MOST && !first; done++) {
        Break *b = debug_find(r, r->debug.pending[0]);
        r->debug.npending--;
        memmove(r->debug.pending, r->debug.pending + 1,
                r->debug.npending * sizeof *r->debug.pending);
        if (!b)
            continue;
        uint32_t number = b->number, n = b->ncommands;
        Str *lines = malloc((n + 1) * sizeof *lines); /* they may delete the breakpoint */
        if (!lines)
            abort();
        memcpy(lines, b->commands, n * sizeof *lines);
        if (b->temporary)
            debug_delete(r, number);
        for (uint32_t i = 0; i < n && !first; i++)
            first = repl_line(r, lines[i]);
        free(lines);
    }
    r->debug.npending = 0;
    r->debug.running = false;
    r->nesting--;
    return first;
}

bool debug_collect(Repl *r, Str line)
{
    Debugger *d = &r->debug;
    Break *b = d->collecting ? debug_find(r, d->collecting) : NULL;
    if (!b) {
        d->collecting = 0;
        return false;
    }
    line = str_trim(line);
    if (str_is(line, "end")) {
        d->collecting = 0;
        return true;
    }
    Str *more = realloc(b->commands, (b->ncommands + 1) * sizeof *more);
    if (!more)
        abort();
    b->commands = more;
    b->commands[b->ncommands++] = arena_str(&r->arena, line);
    return true;
}
