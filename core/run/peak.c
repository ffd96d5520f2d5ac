/*
 * peak.c - memory over time: what is alive at each node of a trace, and when most of it is.
 *
 * Input: a trace at any stage. Output: bytes alive while each top-level node runs, the node where
 * they are most, and who is alive there. Storage counts, not names: a view owns nothing, and what
 * it shows lives until the last use of any value in it. Inputs belong to the caller and live all
 * the time, outputs to the end; this is what `del` and the plan do with the rest. A result that the
 * plan put over an operand follows it: the two never live at once.
 */
#include "layout.h"
#include "rewrite.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

typedef struct Lives {
    const Trace *t;
    Alias alias;
    uint32_t *first, *last; /* by root: steps, both included; first UINT32_MAX = not made */
    ValueId *over;          /* by root: what takes its place; 0 = nothing */
    uint32_t step;
    NodeId node;
} Lives;

static void note_made(ValueId v, void *user)
{
    Lives *l = user;
    ValueId root = l->alias.root[v]; /* of a part of a cat's result: that result */
    if (l->t->values[v].type.kind != VALUE_tensor || l->alias.parent[v])
        return;
    if (l->first[root] == UINT32_MAX)
        l->first[root] = l->last[root] = l->step;
}

static void note_over(ValueId v, void *user)
{
    Lives *l = user;
    ValueId under = l->t->plan_bytes >= 0 ? value_over(l->t, l->node, v) : 0;
    if (under && l->first[l->alias.root[under]] < l->step)
        l->over[l->alias.root[under]] = v;
}

static void note_used(ValueId v, void *user)
{
    Lives *l = user;
    ValueId root = l->alias.root[v];
    if (l->first[root] != UINT32_MAX && l->last[root] < l->step)
        l->last[root] = l->step;
}

static bool is_step(const Node *n)
{
    return !(n->op->flags & OP_CONTROL);
}

static void find_lives(Lives *l, Peak *out)
{
    const Trace *t = l->t;
    for (ValueId v = 0; v < t->nvalues; v++)
        l->first[v] = UINT32_MAX;
    for (uint32_t i = 0; i < t->ninputs; i++)
        note_made(t->inputs[i], l);
    for_top(t, n) {
        const Node *node = &t->nodes[n];
        if (!is_step(node))
            continue;
        out->nodes[l->step] = n;
        l->node = n;
        arg_each_value(node->out, note_made, l);
        arg_each_value((Arg){.kind = ARG_tuple, .n = node->nargs, .items = node->args}, note_used,
                       l);
        arg_each_value(node->out, note_over, l);
        l->step++;
    }
    for (uint32_t i = 0; i < t->ninputs; i++)
        note_used(t->inputs[i], l); /* to the end */
    arg_each_value(t->output, note_used, l);
    for (ValueId v = 1; v < t->nvalues; v++)
        if (l->over[v])
            l->last[v] = l->first[l->over[v]] - 1;
}

/* Sizes that no machine has must not overflow the sums. */
static int64_t value_bytes(const Trace *t, ValueId v)
{
    int64_t bytes = type_bytes(&t->values[v].type), most = INT64_MAX / 4 / (int64_t)t->nvalues;
    return bytes < 0 || bytes > most ? most : bytes;
}

/* Adds up what begins and ends at each step, of all values or only of those outside the plan. */
static void sum_up(const Lives *l, bool planned, uint32_t nsteps, int64_t *sums)
{
    int64_t *change = run_realloc(NULL, (nsteps + 2) * sizeof *change);
    memset(change, 0, (nsteps + 2) * sizeof *change);
    for (ValueId v = 1; v < l->t->nvalues; v++)
        if (l->first[v] != UINT32_MAX && (planned || l->t->values[v].offset < 0)) {
            int64_t bytes = value_bytes(l->t, v);
            change[l->first[v]] += bytes;
            change[l->last[v] + 1] -= bytes;
        }
    int64_t alive = 0;
    for (uint32_t i = 0; i < nsteps; i++)
        sums[i] = alive += change[i];
    free(change);
}

static void find_most(const Lives *l, Peak *out)
{
    sum_up(l, false, out->nsteps, out->bytes);
    for (uint32_t i = 0; i < out->nsteps; i++)
        out->reserved = out->bytes[i] > out->reserved ? out->bytes[i] : out->reserved;
    out->reserved += l->t->plan_bytes > 0 ? l->t->plan_bytes : 0;
    sum_up(l, true, out->nsteps, out->bytes);
    for (uint32_t i = 0; i < out->nsteps; i++)
        if (out->bytes[i] > out->most) {
            out->most = out->bytes[i];
            out->at = i;
        }
}

static int by_bytes(const void *a, const void *b)
{
    const PeakValue *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->value > y->value) - (x->value < y->value);
}

static void find_alive(const Lives *l, Peak *out)
{
    for (ValueId v = 1; v < l->t->nvalues; v++) {
        if (l->first[v] > out->at || l->first[v] == UINT32_MAX || l->last[v] < out->at)
            continue;
        out->alive[out->nalive++] = (PeakValue){
            .value = v, .bytes = value_bytes(l->t, v), .first = l->first[v], .last = l->last[v],
            .over = l->over[v]};
    }
    qsort(out->alive, out->nalive, sizeof *out->alive, by_bytes);
}

Peak trace_peak(const Trace *t)
{
    Peak out = {0};
    for_top(t, n)
        out.nsteps += is_step(&t->nodes[n]);
    out.nsteps++; /* the end, where outputs are given back */
    out.bytes = run_realloc(NULL, out.nsteps * sizeof *out.bytes);
    out.nodes = run_realloc(NULL, out.nsteps * sizeof *out.nodes);
    out.alive = run_realloc(NULL, t->nvalues * sizeof *out.alive);
    out.nodes[out.nsteps - 1] = NO_NODE;
    Lives l = {.t = t};
    l.first = run_realloc(NULL, t->nvalues * sizeof *l.first);
    l.last = run_realloc(NULL, t->nvalues * sizeof *l.last);
    l.over = run_realloc(NULL, t->nvalues * sizeof *l.over);
    memset(l.over, 0, t->nvalues * sizeof *l.over);
    alias_build_planned(&l.alias, t);
    find_lives(&l, &out);
    find_most(&l, &out);
    find_alive(&l, &out);
    alias_free(&l.alias);
    free(l.first);
    free(l.last);
    free(l.over);
    return out;
}

void peak_free(Peak *p)
{
    free(p->bytes);
    free(p->nodes);
    free(p->alive);
    *p = (Peak){0};
}

/* --------------------------------------------------------------------------- longer lifetimes */

/* Of one stage: by value, the step that makes it, at whatever level; by root, the step of its last
 * use and a value that this step makes (0 = none: the end). */
typedef struct LastUses {
    const Trace *t;
    uint32_t *made, *last;
    ValueId *reader;
    Alias alias;
    uint32_t step;
    ValueId result;
} LastUses;

static void note_step(ValueId v, void *user)
{
    LastUses *u = user;
    if (u->made[v] == UINT32_MAX)
        u->made[v] = u->step;
}

static void note_reader(ValueId v, void *user)
{
    LastUses *u = user;
    ValueId root = u->alias.root[v];
    u->last[root] = u->step;
    u->reader[root] = u->result;
}

static void find_last_uses(LastUses *u, const Trace *t)
{
    *u = (LastUses){.t = t};
    u->made = run_realloc(NULL, t->nvalues * sizeof *u->made);
    u->last = run_realloc(NULL, t->nvalues * sizeof *u->last);
    u->reader = run_realloc(NULL, t->nvalues * sizeof *u->reader);
    memset(u->made, 0xff, t->nvalues * sizeof *u->made);
    memset(u->last, 0, t->nvalues * sizeof *u->last);
    memset(u->reader, 0, t->nvalues * sizeof *u->reader);
    alias_build_planned(&u->alias, t);
    for_top(t, n) {
        const Node *node = &t->nodes[n];
        if (!is_step(node))
            continue;
        for (NodeId i = n; i < n + node->span; i++)
            arg_each_value(t->nodes[i].out, note_step, u);
        u->result = first_value(node->out);
        Arg args = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
        arg_each_value(args, note_reader, u);
        u->step++;
    }
    u->result = 0;
    arg_each_value(t->output, note_reader, u);
}

static void free_last_uses(LastUses *u)
{
    free(u->made);
    free(u->last);
    free(u->reader);
    alias_free(&u->alias);
}

/* How many steps longer a value lives in `now` than if what read it last before still did. */
static uint32_t steps_longer(const LastUses *before, const LastUses *now, ValueId v)
{
    if (v >= before->t->nvalues || v >= now->t->nvalues)
        return 0;
    ValueId reader = before->reader[before->alias.root[v]], root = now->alias.root[v];
    if (!reader || reader >= now->t->nvalues || now->made[reader] == UINT32_MAX)
        return 0;
    return now->last[root] > now->made[reader] ? now->last[root] - now->made[reader] : 0;
}

void peak_lengthened(const Stage *st, Peak *k)
{
    LastUses now, before;
    find_last_uses(&now, st->trace);
    for (; st->parent; st = st->parent) {
        find_last_uses(&before, st->parent->trace);
        for (uint32_t i = 0; i < k->nalive; i++) {
            PeakValue *x = &k->alive[i];
            uint32_t longer = steps_longer(&before, &now, x->value);
            if (longer <= x->longer || now.t->values[x->value].producer == NO_NODE)
                continue; /* inputs are alive anyway */
            x->longer = longer;
            x->since = st;
        }
        free_last_uses(&now);
        now = before;
    }
    free_last_uses(&now);
}

/* ------------------------------------------------------------------------------------ what if */

/* Without a pass, those that need what it establishes are off as well. */
static void switch_off(const Program *p, uint32_t slot, bool *on)
{
    uint32_t lost = p->slots[slot].pass->gives;
    on[slot] = false;
    for (uint32_t i = slot + 1; i < p->nslots; i++) {
        const PassInfo *pass = p->slots[i].pass;
        if (!on[i] || pass->mandatory || !(pass->needs & lost))
            continue;
        on[i] = false;
        lost |= pass->gives;
    }
}

static void exchange(Program *p, bool *on)
{
    for (uint32_t i = 0; i < p->nslots; i++) {
        bool wanted = on[i];
        on[i] = p->slots[i].on;
        p->slots[i].on = wanted;
    }
}

static bool line_is_legal(Program *p, bool *on, Diag *d)
{
    exchange(p, on);
    bool legal = slot_change_is_legal(p, 0, p->slots[0].on, d);
    exchange(p, on);
    return legal;
}

static Stage *stage_of_line(Session *s, Program *p, uint32_t slot, const bool *on, Diag *d)
{
    Stage *st = p->anchor;
    while (st->parent && slot_of_stage(p, st) >= (int)slot)
        st = st->parent;
    for (uint32_t i = (uint32_t)(slot_of_stage(p, st) + 1); st && i < p->nslots; i++)
        if (on[i])
            st = stage_make(s, p, st, i, UINT64_MAX, d);
    return st;
}

Stage *program_what_if(Session *s, Program *p, uint32_t slot, bool on, Diag *d)
{
    if (slot >= p->nslots)
        return NULL;
    bool *line = run_realloc(NULL, p->nslots * sizeof *line);
    for (uint32_t i = 0; i < p->nslots; i++)
        line[i] = p->slots[i].on;
    if (on)
        line[slot] = true;
    else
        switch_off(p, slot, line);
    Stage *st = line_is_legal(p, line, d) ? stage_of_line(s, p, slot, line, d) : NULL;
    free(line);
    return st;
}

/* Not through session_set_option: nobody is told, and the line stays. */
static Stage *stage_with_option(Session *s, Program *p, uint32_t slot, Str name, Str value, Diag *d)
{
    bool *line = run_realloc(NULL, p->nslots * sizeof *line);
    uint32_t at = 0;
    for (uint32_t i = 0; i < p->nslots; i++)
        line[i] = p->slots[i].on;
    while (at < s->noptions && !str_eq(s->options[at].name, name))
        at++;
    bool added = at == s->noptions;
    s->options = run_realloc(s->options, (s->noptions + 1) * sizeof *s->options);
    s->noptions += added;
    Option before = added ? (Option){0} : s->options[at];
    s->options[at] = (Option){name, value};
    Stage *st = stage_of_line(s, p, slot, line, d);
    s->options[at] = before;
    s->noptions -= added;
    free(line);
    return st;
}

Stage *program_what_if_option(Session *s, Program *p, Str name, Str value, Diag *d)
{
    const OptionInfo *o = option_find(name);
    Str pass = str_sub(name, 0, str_find(name, '.', 0));
    int slot = program_find_slot(p, pass);
    if (!o || slot < 0 || !session_check_option(s, name, value, d))
        return NULL;
    if (str_eq(session_option(s, name, str_from(o->dflt)), value))
        return program_find_stage(s, p, S("last"), d);
    return stage_with_option(s, p, (uint32_t)slot, name, value, d);
}
