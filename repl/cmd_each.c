/*
 * cmd_each.c - compare --each: every statement against the oracle, on the operands that it had.
 *
 * Input: a stage, and the executors that run it. Output: a row for each statement that is nearest
 * to what rounding explains, or beyond it; which are wrong, and in which element.
 */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20, BEYOND = 2 };

typedef struct EachReport {
    Repl *r;
    const EachCheck *x;
    const EachRow **order;
} EachReport;

/* The name of a kernel, or of the operator. */
static Str operator_name(Repl *r, const Trace *t, NodeId n)
{
    Str kernel = node_kernel(&t->nodes[n]);
    if (kernel.n)
        return kernel;
    StrBuf name = {0};
    op_qualified_name(t->nodes[n].op, &name);
    Str copy = arena_str(&r->scratch, sb_str(&name));
    sb_free(&name);
    return copy;
}

static Str place_of(Repl *r, const Trace *t, const EachRow *row)
{
    StrBuf at = {0};
    const Type *type = &t->values[row->v].type;
    Tensor shape = {.rank = type->rank, .shape = (int64_t *)type->shape};
    sb_printf(&at, "%%%.*s", STR(t->values[row->v].name));
    index_text(&shape, row->at, &at);
    Str copy = arena_str(&r->scratch, sb_str(&at));
    sb_free(&at);
    return copy;
}

static const char *verdict_of(const EachRow *row)
{
    return row->untold      ? "not checked"
           : row->wrong     ? "wrong"
           : row->overflowed ? "overflow"
           : row->ulp > 0.5 ? "rounding"
                            : "exact";
}

static int by_excess(const void *x, const void *y)
{
    const EachRow *const *a = x, *const *b = y;
    if ((*a)->excess != (*b)->excess)
        return (*a)->excess < (*b)->excess ? 1 : -1;
    return *a < *b ? -1 : *a > *b;
}

static int by_place(const void *x, const void *y)
{
    const EachRow *const *a = x, *const *b = y;
    return *a < *b ? -1 : *a > *b;
}

static void each_row(Table *t, const EachReport *rep, const EachRow *row)
{
    const Trace *trace = rep->x->t;
    const char *by = trace->nodes[row->node].executor;
    Style s = row->wrong ? STYLE_error : STYLE_none;
    cell_str(t, s, operator_name(rep->r, trace, row->node));
    cell(t, STYLE_dim, "%s", by ? by : "-");
    if (row->untold) {
        for (int i = 0; i < 2; i++)
            cell(t, STYLE_dim, "-");
    } else {
        cell(t, s, "%.3g", row->ulp);
        cell(t, row->wrong ? s : STYLE_none, "%.0f%%", 100 * row->excess / BEYOND);
    }
    cell(t, s, "%lld", (long long)row->wrong);
    cell(t, STYLE_none, "%lld", (long long)row->seen);
    if (row->untold)
        cell(t, STYLE_dim, "%s", row->untold);
    else if (row->excess > 0)
        cell_str(t, s, place_of(rep->r, trace, row));
    else
        cell(t, STYLE_dim, "-");
    cell(t, s, "%s", verdict_of(row));
}

/* Those that are nearest to their bounds or beyond, in program order. */
static uint32_t choose_rows(EachReport *rep, bool all)
{
    uint32_t n = 0;
    rep->order = new_array(&rep->r->scratch, const EachRow *, rep->x->n + 1);
    for (uint32_t i = 0; i < rep->x->n; i++)
        rep->order[n++] = &rep->x->rows[i];
    if (all || n <= SHOWN)
        return n;
    qsort(rep->order, n, sizeof *rep->order, by_excess);
    n = rep->x->wrong > SHOWN ? rep->x->wrong : SHOWN;
    qsort(rep->order, n, sizeof *rep->order, by_place);
    return n;
}

static void say_wrong(const EachReport *rep, const EachRow *row)
{
    Repl *r = rep->r;
    const Trace *t = rep->x->t;
    Str place = place_of(r, t, row);
    Str line = arena_printf(&r->scratch,
                            "wrong: %.*s is %.9g, exactly %.9g: rounding explains %.3g ULP there. "
                            "Made by %.*s.\n", STR(place), row->got, row->exact, row->allowed,
                            STR(operator_name(r, t, row->node)));
    data_sentences(r, "wrong", line);
    if (r->out.mode == MODE_table)
        show_node(r, t, row->node);
}

/* Of what is not checked: each kind of statement once, with the reason. */
static void say_untold(const EachReport *rep)
{
    Repl *r = rep->r;
    const EachCheck *x = rep->x;
    for (uint32_t i = 0; i < x->n; i++) {
        const EachRow *row = &x->rows[i];
        Str name = operator_name(r, x->t, row->node);
        uint32_t alike = 0;
        bool first = row->untold != NULL;
        for (uint32_t k = 0; row->untold && k < x->n; k++) {
            const EachRow *other = &x->rows[k];
            bool same = other->untold && strcmp(other->untold, row->untold) == 0 &&
                        str_eq(operator_name(r, x->t, other->node), name);
            alike += same;
            first = first && (!same || k >= i);
        }
        if (first)
            data_sentences(r, "not checked",
                           arena_printf(&r->scratch, "not checked: %u statement%s of %.*s: %s\n",
                                        alike, plural(alike), STR(name), row->untold));
    }
}

static void conclude(EachReport *rep, Str name)
{
    Repl *r = rep->r;
    const EachCheck *x = rep->x;
    const EachRow *first = NULL;
    double worst = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        first = x->rows[i].wrong && !first ? &x->rows[i] : first;
        worst = fmax(worst, x->rows[i].ulp);
    }
    if (r->out.mode == MODE_json) {
        Table t = record_begin(r, "each", "stage,statements#,wrong#,not_checked#,max_ulp#");
        cell_str(&t, STYLE_none, name);
        cell(&t, STYLE_none, "%u", x->n);
        cell(&t, STYLE_none, "%u", x->wrong);
        cell(&t, STYLE_none, "%u", x->untold);
        cell(&t, STYLE_none, "%.4g", worst);
        table_end(&t);
    } else {
        uint32_t told = x->n - x->untold;
        sentence(r, "%.*s: %u statement%s checked on the operands %s had, %u wrong, "
                 "%u not checked\n", STR(name), told, plural(told), told == 1 ? "it" : "they",
                 x->wrong, x->untold);
    }
    if (x->untold)
        say_untold(rep);
    if (first)
        say_wrong(rep, first);
    r->measure = worst;
    r->check_failed = x->wrong > 0;
}

bool compare_each(Repl *r, const Args *a, Program *p, const Operand *x, ValueId only)
{
    EachOptions o = {.executors = x->executors, .only = only};
    EachCheck check = {0};
    if (!option_int(r, a, "--sample", 1, INT64_MAX, &o.sample))
        return false;
    bool good = session_check_each(r->session, p, x->st, &o, &check, &r->diag);
    if (good) {
        EachReport rep = {.r = r, .x = &check};
        uint32_t n = choose_rows(&rep, arg_flag(a, "--all") || r->out.mode == MODE_json);
        Table t = table_begin(r, "statement",
                              "statement<,by,ulp#,share#,wrong#,of#,worst at,verdict!");
        for (uint32_t i = 0; i < n; i++)
            each_row(&t, &rep, rep.order[i]);
        if (n)
            table_end(&t);
        conclude(&rep, x->name);
    }
    each_free(&check);
    return good && !r->check_failed;
}
