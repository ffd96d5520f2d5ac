/*
 * why_kernel.c - questions about kernels: who runs a value, why two are in one kernel, why not.
 *
 * Input: values and the last stage of the line. Output: a sentence with facts. "Would be one kernel
 * with ..." is found by trying: a copy of the program goes through the passes with the toggle, and
 * is dropped.
 */
#include "judge.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------- the last stage */

static const Stage *last_stage(Session *s, Program *p)
{
    uint32_t n;
    Stage **line = line_stages(s, p, &n);
    const Stage *last = NULL;
    for (uint32_t i = 0; i < n; i++)
        if (!line[i]->partial)
            last = line[i];
    free(line);
    return last;
}

/* The stage that `gives` a fact, e.g. claimed; NULL when no pass of the line does. */
static const Stage *stage_giving(Session *s, Program *p, uint32_t gives)
{
    uint32_t n;
    Stage **line = line_stages(s, p, &n);
    const Stage *found = NULL;
    for (uint32_t i = 0; i < n && !found; i++)
        if (!line[i]->partial && line[i]->pass && (line[i]->pass->gives & gives))
            found = line[i];
    free(line);
    return found;
}

static bool is_kernel(const Trace *t, NodeId n)
{
    return n != NO_NODE && t->nodes[n].op->id == PRIM_call;
}

static Str kernel_name(const Trace *t, NodeId n)
{
    return arg_str(t->nodes[n].args[0]);
}

/* ---------------------------------------------------------------------------------- who runs it */

static void name_value(const Trace *t, ValueId v, StrBuf *out)
{
    sb_printf(out, "%%%.*s", STR(t->values[v].name));
}

/* Executors that are asked before the one that took node n, and what they answer. */
static void those_before(const Program *p, const Trace *t, NodeId n, StrBuf *out)
{
    const ExecList *l = program_executors(p);
    StrBuf why = {0};
    for (uint32_t i = 0; i < l->n; i++) {
        const Executor *e = l->items[i];
        if (t->nodes[n].executor && str_is(str_from(t->nodes[n].executor), e->name))
            break;
        sb_clear(&why);
        bool takes = e->can(t, n, &why), there = !e->available || e->available(&why);
        if (l->on[i] && !takes)
            sb_printf(out, " %s does not take prims.%s: %s.", e->name, t->nodes[n].op->name,
                      sb_cstr(&why));
        else if (!l->on[i] && takes && there && e->kind != EXEC_operator)
            sb_printf(out, " %s would take it and is off (`executor on %s`).", e->name, e->name);
    }
    sb_free(&why);
}

/* The application by which fusion gave v to another executor; NULL when it did not. */
static const RuleEntry *given_back(const Program *p, const Stage *fused, ValueId v)
{
    const Trace *t = fused->trace;
    for (uint32_t k = t->log_begin; k < t->log_end && k < p->log->n; k++) {
        const RuleEntry *e = log_at(p->log, k);
        if (e->verdict == RULE_done && e->subject == v && strcmp(e->kind->rule, "give back") == 0)
            return e;
    }
    return NULL;
}

/* What an executor claimed and fusion gave to another, as too small or a view. */
static bool why_given_back(Session *s, Program *p, const Node *claimed, ValueId v, StrBuf *out)
{
    const Stage *fused = stage_giving(s, p, FACT_fused);
    const RuleEntry *back = fused ? given_back(p, fused, v) : NULL;
    NodeId n = back ? trace_owner(fused->trace, v) : NO_NODE;
    if (n == NO_NODE || !fused->trace->nodes[n].executor)
        return false;
    sb_printf(out, "%s runs prims.%s for %.*s: %s claimed it in stage claim and gives it back: "
                   "%.*s.", fused->trace->nodes[n].executor, claimed->op->name,
              STR(value_shown(p, v)), claimed->executor, STR(rule_reason(back)));
    if (str_ends(rule_reason(back), "(option fuse.min_work)"))
        sb_printf(out, " `option fuse.min_work 0` leaves it to %s.", claimed->executor);
    sb_putc(out, '\n');
    return true;
}

void why_executor(Session *s, Program *p, ValueId v, StrBuf *out)
{
    const Stage *claimed = stage_giving(s, p, FACT_claimed);
    v = value_end(s, p, v);
    NodeId n = claimed ? trace_owner(claimed->trace, v) : NO_NODE;
    if (n == NO_NODE || !claimed->trace->nodes[n].executor) {
        sb_printf(out, "No executor runs %.*s: it is not computed at the end of the line.\n",
                  STR(value_shown(p, v)));
        return;
    }
    const Node *node = &claimed->trace->nodes[n];
    if (why_given_back(s, p, node, v, out))
        return;
    sb_printf(out, "%s runs prims.%s for %.*s: the first executor in the list that takes it.",
              node->executor, node->op->name, STR(value_shown(p, v)));
    those_before(p, claimed->trace, n, out);
    sb_printf(out, " `executor off %s` gives it to the next one, `executor first NAME` to another "
                   "that takes it.\n", node->executor);
}

/* What undoes the call that v is computed in: claim has made it already, or fuse does. */
static const char *keeps_apart(Session *s, Program *p, ValueId v)
{
    const Stage *claimed = stage_giving(s, p, FACT_claimed);
    const Trace *t = claimed ? claimed->trace : NULL;
    bool joined = t && v < t->nvalues && is_kernel(t, trace_owner(t, v));
    return joined ? "option claim.join off" : "pass off fuse";
}

void why_placed(Session *s, Program *p, ValueId v, StrBuf *out)
{
    const Stage *last = last_stage(s, p);
    const Trace *t = last ? last->trace : NULL;
    NodeId n = t && v < t->nvalues ? trace_owner(t, v) : NO_NODE;
    if (n == NO_NODE || !t->nodes[n].executor)
        return;
    const Node *node = &t->nodes[n];
    if (!is_kernel(t, n)) {
        sb_printf(out, "%s runs it in stage %u (%.*s); `why executor %%%.*s` tells why.\n",
                  node->executor, last->position, STR(last->name), STR(t->values[v].name));
        return;
    }
    uint32_t others = 0;
    for (NodeId i = n + 1; i < n + node->span; i++)
        others += t->nodes[i].span == 1 && !node_makes(&t->nodes[i], v);
    sb_printf(out, "In stage %u (%.*s) kernel %.*s (%s) computes it with %u other statement%s%s; "
                   "`%s` lets it stand alone.\n",
              last->position, STR(last->name), STR(kernel_name(t, n)), node->executor, others,
              plural(others), node_makes(node, v) ? "" : " and does not write it out",
              keeps_apart(s, p, v));
}

/* ----------------------------------------------------------------------------------- one kernel */

/* Why the pass that made t put x and y into one kernel; false when its log does not say. */
static bool tell_reason(const Program *p, const Trace *t, ValueId x, ValueId y, StrBuf *out)
{
    for (uint32_t k = t->log_begin; k < t->log_end && k < p->log->n; k++) {
        const RuleEntry *e = log_at(p->log, k);
        bool about = (e->subject == x && e->other == y) || (e->subject == y && e->other == x);
        bool joins = strcmp(e->kind->rule, "fuse") == 0 || strcmp(e->kind->rule, "join") == 0;
        if (e->verdict != RULE_done || !about || !joins)
            continue;
        sb_printf(out, ": %.*s. `pass fuel %s %u` stops before it", STR(rule_reason(e)),
                  e->kind->rule[0] == 'f' ? "fuse" : "claim", e->index);
        return true;
    }
    return false;
}

bool why_fused(Session *s, Program *p, ValueId a, ValueId b, StrBuf *out)
{
    const Stage *last = last_stage(s, p), *fused = stage_giving(s, p, FACT_fused);
    ValueId x = value_end(s, p, a), y = value_end(s, p, b);
    NodeId n = last ? trace_owner(last->trace, x) : NO_NODE;
    if (x == y || !is_kernel(last ? last->trace : NULL, n) || trace_owner(last->trace, y) != n)
        return false;
    sb_printf(out, "%.*s and %.*s are computed in one kernel, %.*s", STR(value_shown(p, a)),
              STR(value_shown(p, b)), STR(kernel_name(last->trace, n)));
    const Stage *claimed = stage_giving(s, p, FACT_claimed);
    if (!tell_reason(p, fused ? fused->trace : last->trace, x, y, out) && claimed)
        tell_reason(p, claimed->trace, x, y, out);
    sb_printf(out, ". `%s` keeps them apart.\n", keeps_apart(s, p, x));
    return true;
}

/* ------------------------------------------------------------------------------------ trying it */

typedef struct Try {
    const char *option, *value; /* an option, */
    const char *pass;           /* or a pass to switch on, */
    const char *executor;       /* or an executor to switch on, */
    bool first;                 /* or to put first */
} Try;

static const Try tries[] = {
    {.option = "fuse.min_work", .value = "0"}, {.option = "fuse.cost", .value = "off"},
    {.pass = "fuse"},                          {.executor = "c"},
    {.executor = "c", .first = true},          {.executor = "cuda"},       {.pass = "casts"},
    {.option = "claim.join", .value = "on"},
};

static void try_print(const Try *t, StrBuf *out)
{
    if (t->option)
        sb_printf(out, "option %s %s", t->option, t->value);
    else if (t->pass)
        sb_printf(out, "pass on %s", t->pass);
    else
        sb_printf(out, "executor %s %s", t->first ? "first" : "on", t->executor);
}

/* Applies the toggle to the copy; false when it would change nothing. */
static bool apply(Session *s, Program *copy, const Try *t, Option *options)
{
    Diag quiet = {0};
    bool changed = false;
    if (t->option) {
        if (s->noptions)
            memcpy(options, s->options, s->noptions * sizeof *options);
        options[s->noptions] = (Option){str_from(t->option), str_from(t->value)};
        for (uint32_t i = 0; i < s->noptions; i++)
            if (str_is(options[i].name, t->option)) {
                changed |= !str_is(options[i].value, t->value);
                options[i].value = str_from(t->value);
            }
        changed |= str_is(session_option(s, str_from(t->option), S("none")), "none");
        copy->options = options;
        copy->noptions = s->noptions + 1;
    } else if (t->pass) {
        int slot = program_find_slot(copy, str_from(t->pass));
        changed = slot >= 0 && !copy->slots[slot].on &&
                  program_slot_set(s, copy, (uint32_t)slot, true, &quiet);
    } else {
        ExecList *l = (ExecList *)copy->executors;
        int i = exec_index(l, str_from(t->executor));
        StrBuf why = {0};
        bool there = i >= 0 && (!l->items[i]->available || l->items[i]->available(&why));
        sb_free(&why);
        changed = there && (t->first ? l->on[i] && i > 0 : !l->on[i]);
        if (changed && t->first)
            exec_move(l, (uint32_t)i, 0);
        else if (changed)
            l->on[i] = true;
    }
    diag_clear(&quiet);
    return changed;
}

/* Whether a and b are in one kernel once the toggle is set. */
static bool helps(Session *s, Program *p, ValueId a, ValueId b, const Try *t)
{
    RuleLog log = {0};
    Diag quiet = {0};
    Option *options = run_realloc(NULL, (s->noptions + 1) * sizeof *options);
    Program *copy = program_copy(s, p, program_origin(p), &log);
    bool yes = false;
    if (apply(s, copy, t, options)) {
        const Stage *last = program_find_stage(s, copy, S("last"), &quiet);
        NodeId n = last ? trace_owner(last->trace, a) : NO_NODE;
        yes = last && is_kernel(last->trace, n) && trace_owner(last->trace, b) == n;
    }
    program_copy_free(copy);
    log_free(&log);
    diag_clear(&quiet);
    free(options);
    return yes;
}

static void would_fuse(Session *s, Program *p, ValueId a, ValueId b, StrBuf *out)
{
    for (size_t i = 0; i < ARRAY_LEN(tries); i++) {
        if (!helps(s, p, a, b, &tries[i]))
            continue;
        sb_puts(out, " They would be one with `");
        try_print(&tries[i], out);
        sb_puts(out, "` (tried).");
        return;
    }
    sb_puts(out, " No toggle makes them one (tried).");
}

/* ---------------------------------------------------------------------------------- two kernels */

/* A statement that no fusion executor takes, and why. */
static bool not_fusible(Session *s, Program *p, ValueId v, StrBuf *out)
{
    const Stage *claimed = stage_giving(s, p, FACT_claimed);
    NodeId n = claimed && v < claimed->trace->nvalues ? trace_owner(claimed->trace, v) : NO_NODE;
    if (n == NO_NODE)
        return false;
    const Node *node = &claimed->trace->nodes[n];
    const Executor *e =
        node->executor ? exec_find(program_executors(p), str_from(node->executor)) : NULL;
    if (!e || e->kind == EXEC_fusion)
        return false;
    sb_printf(out, "%s runs prims.%s for %.*s, and %s.", e->name, node->op->name,
              STR(value_shown(p, v)),
              e->joins ? "joins only some statements to it, not these"
                       : "makes no kernels of several statements");
    those_before(p, claimed->trace, n, out);
    return true;
}

/* The last one: what is asked again when both kernels are known counts. */
static const RuleEntry *refusal_between(const Program *p, const Stage *fused, const Trace *last,
                                        NodeId x, NodeId y)
{
    const Trace *t = fused->trace;
    const RuleEntry *found = NULL;
    for (uint32_t k = t->log_begin; k < t->log_end && k < p->log->n; k++) {
        const RuleEntry *e = log_at(p->log, k);
        if (e->verdict == RULE_done || strcmp(e->kind->rule, "fuse") != 0 || !e->other)
            continue;
        NodeId m = trace_owner(last, e->subject), n = trace_owner(last, e->other);
        if ((m == x && n == y) || (m == y && n == x))
            found = e;
    }
    return found;
}

/* Values on the ways from one statement to another. */
typedef struct Ways {
    bool *marked;
    bool hit;
} Ways;

static void mark(ValueId v, void *user)
{
    ((Ways *)user)->marked[v] = true;
}

static void ask_mark(ValueId v, void *user)
{
    Ways *w = user;
    w->hit |= w->marked[v];
}

static bool hits(const Trace *t, NodeId n, Ways *w, bool operands)
{
    const Node *node = &t->nodes[n];
    w->hit = false;
    if (operands)
        arg_each_value((Arg){.kind = ARG_tuple, .n = node->nargs, .items = node->args}, ask_mark,
                       w);
    else
        arg_each_value(node->out, ask_mark, w);
    return w->hit && !(node->op->flags & OP_CONTROL);
}

/* The last statement on a way between x and y that is no part of a kernel; NO_NODE = none. */
static NodeId obstacle(const Trace *t, NodeId x, NodeId y)
{
    NodeId from = x < y ? x : y, to = x < y ? y : x, found = NO_NODE;
    Ways down = {calloc(t->nvalues, sizeof(bool)), false};
    Ways up = {calloc(t->nvalues, sizeof(bool)), false};
    NodeId *on_way = run_realloc(NULL, (t->nnodes + 1) * sizeof *on_way);
    uint32_t n = 0;
    arg_each_value(t->nodes[from].out, mark, &down);
    for (NodeId i = from + t->nodes[from].span; i <= to && i < t->nnodes; i += t->nodes[i].span) {
        if (!hits(t, i, &down, true))
            continue;
        arg_each_value(t->nodes[i].out, mark, &down);
        on_way[n++] = i;
    }
    while (n-- > 0 && found == NO_NODE) {
        const Node *node = &t->nodes[on_way[n]];
        if (on_way[n] != to && !hits(t, on_way[n], &up, false))
            continue;
        if (on_way[n] != to && !is_kernel(t, on_way[n]))
            found = on_way[n];
        arg_each_value((Arg){.kind = ARG_tuple, .n = node->nargs, .items = node->args}, mark, &up);
    }
    free(down.marked);
    free(up.marked);
    free(on_way);
    return found;
}

bool why_not_fused(Session *s, Program *p, ValueId a, ValueId b, StrBuf *out)
{
    const Stage *last = last_stage(s, p), *fused = stage_giving(s, p, FACT_fused);
    const Trace *t = last ? last->trace : NULL;
    ValueId x = value_end(s, p, a), y = value_end(s, p, b);
    NodeId m = t ? trace_owner(t, x) : NO_NODE, n = t ? trace_owner(t, y) : NO_NODE;
    if (x == y || m == NO_NODE || n == NO_NODE || m == n || !t->nodes[m].executor)
        return false;
    sb_printf(out, "%.*s and %.*s are computed apart: ", STR(value_shown(p, a)),
              STR(value_shown(p, b)));
    const RuleEntry *e = fused ? refusal_between(p, fused, t, m, n) : NULL;
    const RuleEntry *back = fused ? given_back(p, fused, x) : NULL;
    back = back || !fused ? back : given_back(p, fused, y);
    NodeId between = NO_NODE;
    if (back) {
        sb_printf(out, "%.*s.", STR(rule_reason(back)));
    } else if (e) {
        sb_printf(out, "%.*s (%.*s with ", STR(rule_reason(e)), STR(value_shown(p, e->subject)));
        name_value(t, e->other, out);
        sb_puts(out, ").");
    } else if (not_fusible(s, p, x, out) || not_fusible(s, p, y, out)) {
        /* the sentence is there */
    } else if (!fused) {
        sb_puts(out, "no pass of the line makes kernels.");
    } else if ((between = obstacle(t, m, n)) != NO_NODE) {
        sb_puts(out, "between them stands `");
        producer_print(t, node_result(t, between), out);
        sb_puts(out, "`, which is no part of a kernel.");
    } else {
        sb_puts(out, "neither reads what the other makes, and they read nothing in common.");
    }
    would_fuse(s, p, x, y, out);
    sb_putc(out, '\n');
    return true;
}
