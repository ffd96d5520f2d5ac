/*
 * cmd_find.c - questions that walk the program: find, uses, defs, paths.
 */
#define _POSIX_C_SOURCE 200809L
#include "repl.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- find */

static void lower(Str s, StrBuf *out)
{
    sb_clear(out);
    for (size_t i = 0; i < s.n; i++)
        sb_putc(out, (char)tolower((unsigned char)s.p[i]));
}

bool pattern_matches(Str text, Str pattern)
{
    StrBuf t = {0}, p = {0};
    lower(text, &t);
    lower(pattern, &p);
    bool glob = strpbrk(sb_cstr(&p), "*?") != NULL;
    bool yes =
        glob ? fnmatch(sb_cstr(&p), sb_cstr(&t), 0) == 0 : strstr(sb_cstr(&t), sb_cstr(&p)) != NULL;
    sb_free(&t);
    sb_free(&p);
    return yes;
}

typedef struct NameWalk {
    const Trace *t;
    StrBuf *out;
} NameWalk;

static void add_name(ValueId v, void *user)
{
    NameWalk *w = user;
    sb_printf(w->out, "%s%.*s", w->out->n ? " " : "", STR(w->t->values[v].name));
}

static void values_text(const Trace *t, const Arg *args, uint32_t n, StrBuf *out)
{
    NameWalk w = {t, out};
    for (uint32_t i = 0; i < n; i++)
        arg_each_value(args[i], add_name, &w);
}

/* The text of a field of node n, by the name before the colon; false when there is no such field.
 */
static bool field_text(const Trace *t, NodeId n, Str field, StrBuf *out)
{
    const Node *node = &t->nodes[n];
    ValueId ids[1];
    const Type *type = arg_values(node->out, ids, 1) ? &t->values[ids[0]].type : NULL;
    if (str_is(field, "op")) {
        op_qualified_name(node->op, out);
    } else if (str_is(field, "out")) {
        values_text(t, &node->out, 1, out);
    } else if (str_is(field, "in")) {
        values_text(t, node->args, node->nargs, out);
    } else if (str_is(field, "dtype")) {
        if (type && type->dtype < DT_COUNT)
            sb_puts(out, dtype_info[type->dtype].name);
    } else if (str_is(field, "shape")) {
        sb_putc(out, '[');
        for (uint32_t i = 0; type && type->kind == VALUE_tensor && i < type->rank; i++)
            sb_printf(out, "%s%lld", i ? "," : "", (long long)type->shape[i]);
        sb_putc(out, ']');
    } else if (str_is(field, "executor")) {
        sb_puts(out, node->executor ? node->executor : "");
    } else if (str_is(field, "file")) {
        if (node->loc)
            sb_printf(out, "%.*s:%u", STR(node->loc->file), node->loc->line);
    } else {
        return false;
    }
    return true;
}

static bool node_matches(const Trace *t, NodeId n, Str pattern)
{
    StrBuf text = {0};
    size_t colon = str_find(pattern, ':', 0);
    bool yes;
    if (colon != SIZE_MAX && field_text(t, n, str_sub(pattern, 0, colon), &text)) {
        yes = pattern_matches(sb_str(&text), str_sub(pattern, colon + 1, pattern.n));
    } else {
        PrintOptions o = {.types = true};
        node_print(t, n, &o, &text);
        bool glob = memchr(pattern.p, '*', pattern.n) || memchr(pattern.p, '?', pattern.n);
        StrBuf op = {0};
        op_qualified_name(t->nodes[n].op, &op);
        yes = pattern_matches(glob ? str_from(t->nodes[n].op->name) : sb_str(&text), pattern) ||
              (glob && pattern_matches(sb_str(&op), pattern));
        sb_free(&op);
    }
    sb_free(&text);
    return yes;
}

bool cmd_find(Repl *r, const Args *a)
{
    const Trace *t = program_cursor(current(r))->trace;
    uint32_t found = 0;
    if (!a->n)
        return usage_error(r, a, "find needs a pattern");
    for_top(t, n) {
        bool all = true;
        for (uint32_t i = 0; i < a->n && all; i++)
            all = node_matches(t, n, a->words[i]);
        if (all)
            show_node(r, t, n);
        found += all;
    }
    say(r, "%s%u node%s%s", prose_style(r, STYLE_dim), found, plural(found),
        prose_style(r, STYLE_none));
    return true;
}

/* ------------------------------------------------------------------------- uses, defs, paths */

/* Marks values that v reaches: forwards through users, or backwards through definitions. */
typedef struct Reach {
    const Trace *t;
    uint32_t *steps; /* by value: 1 + distance, 0 = not reached */
} Reach;

typedef struct StepWalk {
    const Reach *x;
    uint32_t step; /* least one found, or the one to set */
} StepWalk;

static void take_least(ValueId v, void *user)
{
    StepWalk *w = user;
    uint32_t s = w->x->steps[v];
    if (s && (!w->step || s < w->step))
        w->step = s;
}

static uint32_t least_step(const Reach *x, const Arg *args, uint32_t n)
{
    StepWalk w = {x, 0};
    for (uint32_t i = 0; i < n; i++)
        arg_each_value(args[i], take_least, &w);
    return w.step;
}

static void mark_value(ValueId v, void *user)
{
    StepWalk *w = user;
    if (!w->x->steps[v] || w->step < w->x->steps[v])
        w->x->steps[v] = w->step;
}

static void mark_args(const Reach *x, const Arg *args, uint32_t n, uint32_t step)
{
    StepWalk w = {x, step};
    for (uint32_t i = 0; i < n; i++)
        arg_each_value(args[i], mark_value, &w);
}

static void reach_forward(Reach *x, ValueId v)
{
    x->steps[v] = 1;
    for_top(x->t, i) {
        const Node *node = &x->t->nodes[i];
        uint32_t step = least_step(x, node->args, node->nargs);
        if (step)
            mark_args(x, &node->out, 1, step + 1);
    }
}

static void reach_backward(Reach *x, ValueId v)
{
    uint32_t n = 0;
    for_top(x->t, i)
        n++;
    NodeId *tops = malloc((n + 1) * sizeof *tops);
    if (!tops)
        abort();
    n = 0;
    for_top(x->t, i)
        tops[n++] = i;
    x->steps[v] = 1;
    while (n-- > 0) {
        const Node *node = &x->t->nodes[tops[n]];
        uint32_t step = least_step(x, &node->out, 1);
        if (step)
            mark_args(x, node->args, node->nargs, step + 1);
    }
    free(tops);
}

static bool value_and_depth(Repl *r, const Args *a, const Trace *t, ValueId *v, int64_t *depth)
{
    if (!a->n)
        return usage_error(r, a, "%s needs a value and, if you like, a depth", a->cmd->name);
    *v = find_value(r, t, a->words[0]);
    if (!*v || !arg_number(r, a, 1, 1, 0, depth))
        return false;
    *depth = *depth ? *depth : INT32_MAX;
    return true;
}

/* Shows the statements that are near enough; whether there is one. */
static bool show_near(Repl *r, const Reach *x, bool forward, int64_t depth)
{
    bool any = false;
    for_top(x->t, i) {
        const Node *n = &x->t->nodes[i];
        uint32_t step = forward ? least_step(x, n->args, n->nargs) : least_step(x, &n->out, 1);
        if (!step || step > depth)
            continue;
        show_node(r, x->t, i);
        any = true;
    }
    return any;
}

static bool show_reach(Repl *r, const Args *a, bool forward)
{
    const Trace *t = program_cursor(current(r))->trace;
    ValueId v = 0;
    int64_t depth;
    if (!value_and_depth(r, a, t, &v, &depth))
        return false;
    Reach x = {t, new_array(&r->scratch, uint32_t, t->nvalues + 1)};
    if (forward)
        reach_forward(&x, v);
    else
        reach_backward(&x, v);
    if (!show_near(r, &x, forward, depth))
        say(r, forward                ? "nothing uses %%%.*s here"
               : trace_is_input(t, v) ? "%%%.*s is an input"
                                      : "nothing makes %%%.*s here", STR(t->values[v].name));
    return true;
}

bool cmd_uses(Repl *r, const Args *a)
{
    return show_reach(r, a, true);
}

bool cmd_defs(Repl *r, const Args *a)
{
    return show_reach(r, a, false);
}

typedef struct Ways {
    double *of; /* ways from the start to each value */
    double sum;
    ValueId start;
} Ways;

static void add_ways(ValueId v, void *user)
{
    Ways *w = user;
    w->sum += w->of[v];
}

static void set_ways(ValueId v, void *user)
{
    Ways *w = user;
    if (v != w->start)
        w->of[v] = w->sum;
}

static double count_ways(Repl *r, const Trace *t, ValueId from, ValueId to)
{
    Ways w = {.of = new_array(&r->scratch, double, t->nvalues + 1), .start = from};
    w.of[from] = 1;
    for_top(t, i) {
        w.sum = 0;
        for (uint32_t k = 0; k < t->nodes[i].nargs; k++)
            arg_each_value(t->nodes[i].args[k], add_ways, &w);
        if (w.sum > 0)
            arg_each_value(t->nodes[i].out, set_ways, &w);
    }
    return w.of[to];
}

bool cmd_paths(Repl *r, const Args *a)
{
    const Trace *t = program_cursor(current(r))->trace;
    if (a->n != 2)
        return usage_error(r, a, "paths needs two values");
    ValueId from = find_value(r, t, a->words[0]);
    ValueId to = from ? find_value(r, t, a->words[1]) : 0;
    if (!to)
        return false;
    Reach down = {t, new_array(&r->scratch, uint32_t, t->nvalues + 1)};
    Reach up = {t, new_array(&r->scratch, uint32_t, t->nvalues + 1)};
    reach_forward(&down, from);
    reach_backward(&up, to);
    for_top(t, i) {
        const Node *node = &t->nodes[i];
        if (least_step(&down, node->args, node->nargs) && least_step(&up, &node->out, 1))
            show_node(r, t, i);
    }
    double ways = count_ways(r, t, from, to);
    say(r, "%.9g way%s from %%%.*s to %%%.*s", ways, plural(ways == 1 ? 1 : 2),
        STR(t->values[from].name), STR(t->values[to].name));
    return true;
}
