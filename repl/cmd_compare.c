/*
 * cmd_compare.c - compare: two runs, value by value.
 *
 * Input: two operands STAGE[@EXECUTORS|@f64]. Values are matched by number, since a value keeps its
 * number through all stages, and otherwise by the stage-0 values that they stand for. Output: the
 * values that differ, and the first of them in program order.
 */
#include "repl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Operand {
    const Stage *st;
    ExecList list;
    const ExecList *executors; /* NULL = those that claimed */
    Rounding rounding;
    const Run *run;
    Str name;
} Operand;

static bool parse_operand(Repl *r, Program *p, Str word, Operand *o)
{
    *o = (Operand){.st = program_cursor(p), .name = word};
    Str rest = word, stage = str_cut(&rest, '@');
    if (stage.n) {
        o->st = find_stage(r, p, stage);
        if (!o->st)
            return false;
    }
    if (str_is(rest, "f64")) {
        o->rounding = ROUND_f64;
    } else if (rest.n) {
        if (!exec_parse_list(session_executors(r->session), rest, &o->list, &r->diag))
            return false;
        o->executors = &o->list;
    }
    return true;
}

static bool parse_operands(Repl *r, const Args *a, Program *p, Operand *x, Operand *y)
{
    if (a->n > 2)
        return usage_error(r, a, "compare takes two operands at most");
    if (a->n == 2)
        return parse_operand(r, p, a->words[0], x) && parse_operand(r, p, a->words[1], y);
    if (a->n == 0) {
        bool first = program_cursor(p)->position == 0;
        return parse_operand(r, p, program_cursor(p)->name, x) &&
               parse_operand(r, p, first ? S("last") : S("acquired"), y);
    }
    if (!parse_operand(r, p, a->words[0], x))
        return false;
    if (str_find(a->words[0], '@', 0) != SIZE_MAX) { /* the cursor's own run against that one */
        return parse_operand(r, p, program_cursor(p)->name, x) &&
               parse_operand(r, p, a->words[0], y);
    }
    *y = (Operand){.st = x->st, .rounding = ROUND_f64, .name = S("the f64 oracle")};
    return true;
}

/* Stage-0 value -> value of run y that stands for it. */
static ValueId *map_origins(Repl *r, const Run *y)
{
    const Trace *t = y->t;
    ValueId *map = new_array(&r->scratch, ValueId, t->norigins + 1);
    for (ValueId v = t->nvalues; v-- > 1;) {
        uint32_t n;
        ValueId self[1];
        const ValueId *ids = value_origins(t, v, &n, self);
        for (uint32_t i = 0; i < n && y->values[v]; i++) {
            if (ids[i] < t->norigins)
                map[ids[i]] = v;
        }
    }
    return map;
}

static bool same_type(const Tensor *a, const Tensor *b)
{
    return a->rank == b->rank &&
           (!a->rank || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0);
}

/* The value of y that v of x corresponds to; 0 when there is none. */
static ValueId partner(const Run *x, ValueId v, const Run *y, const ValueId *origin_map)
{
    if (v < y->t->nvalues && y->values[v])
        return v;
    uint32_t n;
    ValueId self[1];
    const ValueId *ids = value_origins(x->t, v, &n, self);
    for (uint32_t i = 0; i < n; i++) {
        ValueId w = ids[i] < y->t->norigins ? origin_map[ids[i]] : 0;
        if (w && same_type(x->values[v], y->values[w]))
            return w;
    }
    return 0;
}

typedef struct Tolerance {
    double rtol, atol;
} Tolerance;

static Comparison compare_pair(const Operand *x, const Operand *y, Tensor *a, Tensor *b,
                               Tolerance tol)
{
    if (x->rounding == y->rounding || a->dtype == b->dtype)
        return tensor_compare(a, b, tol.rtol, tol.atol);
    /* The oracle's value is rounded once, to the dtype of the other side. */
    bool a_is_oracle = x->rounding == ROUND_f64;
    Tensor *rounded = tensor_cast(a_is_oracle ? a : b, a_is_oracle ? b->dtype : a->dtype);
    if (!rounded)
        return tensor_compare(a, b, tol.rtol, tol.atol);
    Comparison c = a_is_oracle ? tensor_compare(rounded, b, tol.rtol, tol.atol)
                               : tensor_compare(a, rounded, tol.rtol, tol.atol);
    tensor_unref(rounded);
    return c;
}

void index_text(const Tensor *t, int64_t flat, StrBuf *out)
{
    int64_t index[MAX_RANK];
    for (uint32_t i = t->rank; i-- > 0;) {
        index[i] = t->shape[i] ? flat % t->shape[i] : 0;
        flat = t->shape[i] ? flat / t->shape[i] : 0;
    }
    sb_putc(out, '[');
    for (uint32_t i = 0; i < t->rank; i++)
        sb_printf(out, "%s%lld", i ? ", " : "", (long long)index[i]);
    sb_putc(out, ']');
}

typedef struct Report {
    Table table;
    uint32_t compared, differ, alone;
    ValueId first;
    Comparison first_c;
} Report;

static void error_cell(Table *t, Style s, double v)
{
    if (isnan(v))
        cell(t, s, "-");
    else
        cell(t, v == 0 ? STYLE_dim : s, "%.3g", v);
}

static void report_row(Report *rep, const Run *x, ValueId v, const Tensor *got, const Comparison *c)
{
    Table *t = &rep->table;
    Style s = c->equal ? STYLE_none : STYLE_error;
    StrBuf at = {0};
    if (c->first >= 0)
        index_text(got, c->first, &at);
    cell(t, s, "%%%.*s", STR(x->t->values[v].name));
    cell(t, c->equal ? STYLE_good : STYLE_error, "%s", c->equal ? "yes" : "no");
    error_cell(t, s, c->max_abs);
    error_cell(t, s, c->max_rel);
    error_cell(t, s, c->max_ulp);
    cell(t, c->wrong ? s : STYLE_dim, "%lld", (long long)c->wrong);
    cell(t, STYLE_none, "%lld", (long long)c->total);
    if (!c->same_type)
        cell(t, s, "types differ");
    else
        cell_str(t, s, sb_str(&at));
    sb_free(&at);
}

static void compare_value(Report *rep, const Operand *x, const Operand *y, ValueId v,
                          const ValueId *origin_map, Tolerance tol, bool all)
{
    Tensor *a = x->run->values[v];
    ValueId w = partner(x->run, v, y->run, origin_map);
    if (!w) {
        rep->alone++;
        return;
    }
    Comparison c = compare_pair(x, y, a, y->run->values[w], tol);
    rep->compared++;
    if (!c.equal && !rep->differ++) {
        rep->first = v;
        rep->first_c = c;
    }
    if (!c.equal || all)
        report_row(rep, x->run, v, a, &c);
}

static void say_first(Repl *r, const Report *rep, const Run *x)
{
    const Comparison *c = &rep->first_c;
    StrBuf at = {0};
    if (c->first >= 0)
        index_text(x->values[rep->first], c->first, &at);
    say(r, "first in program order: %%%.*s%s, %.9g against %.9g",
        STR(x->t->values[rep->first].name), sb_cstr(&at), c->got, c->want);
    sb_free(&at);
    NodeId n = top_node_of(x->t, rep->first);
    if (n != NO_NODE && r->out.mode != MODE_json)
        show_node(r, x->t, n);
}

static bool conclude(Repl *r, const Report *rep, const Operand *x, const Operand *y)
{
    if (r->out.mode == MODE_json) {
        Table t = record_begin(r, "compare", "a,b,compared#,differ#,only_in_a#,first");
        cell_str(&t, STYLE_none, x->name);
        cell_str(&t, STYLE_none, y->name);
        cell(&t, STYLE_none, "%u", rep->compared);
        cell(&t, STYLE_none, "%u", rep->differ);
        cell(&t, STYLE_none, "%u", rep->alone);
        cell_str(&t, STYLE_none, rep->first ? x->run->t->values[rep->first].name : (Str){0});
        table_end(&t);
    }
    if (r->out.mode == MODE_table || r->out.mode == MODE_dot)
        dataf(r, "%.*s against %.*s: %u values compared, %u differ\n", STR(x->name), STR(y->name),
              rep->compared, rep->differ);
    if (rep->first)
        say_first(r, rep, x->run);
    if (!rep->compared) {
        fail_with(r, DIAG_check, "nothing-compared", "the two have no value in common");
        return false;
    }
    r->check_failed = rep->differ > 0;
    return !r->check_failed;
}

static bool tolerance_option(Repl *r, const Args *a, const char *name, double *out)
{
    Str word;
    *out = -1;
    if (!arg_option(a, name, &word) || (str_to_f64(word, out) && *out >= 0))
        return true;
    return usage_error(r, a, "%s takes a number that is not negative", name);
}

static bool only_option(Repl *r, const Args *a, const Trace *t, ValueId *out)
{
    Str word;
    if (!arg_option(a, "--only", &word))
        return true;
    *out = find_value(r, t, word);
    return *out != 0;
}

bool cmd_compare(Repl *r, const Args *a)
{
    Program *p = current(r);
    Operand x, y;
    Tolerance tol;
    ValueId only = 0;
    if (!parse_operands(r, a, p, &x, &y) || !tolerance_option(r, a, "--rtol", &tol.rtol) ||
        !tolerance_option(r, a, "--atol", &tol.atol))
        return false;
    if (!only_option(r, a, x.st->trace, &only))
        return false;
    if (only && is_input(x.st->trace, only)) {
        say(r, "inputs are the same in both");
        return true;
    }
    x.run = values_of(r, p, x.st, x.executors, x.rounding);
    y.run = x.run ? values_of(r, p, y.st, y.executors, y.rounding) : NULL;
    if (!x.run || !y.run)
        return false;
    const Trace *t = x.run->t;
    const ValueId *origin_map = map_origins(r, y.run);
    Report rep = {.table = table_begin(r, "value",
                                       "value,equal?,max abs#,max rel#,ulp#,wrong#,of#,first at")};
    bool *seen = new_array(&r->scratch, bool, t->nvalues);
    for_top(t, i) {
        ValueId outs[MAX_OUTPUTS * 4];
        uint32_t n = arg_values(t->nodes[i].out, outs, ARRAY_LEN(outs));
        for (uint32_t k = 0; k < n && k < ARRAY_LEN(outs); k++) {
            bool wanted = !only || outs[k] == only;
            if (x.run->values[outs[k]] && !seen[outs[k]] && wanted)
                compare_value(&rep, &x, &y, outs[k], origin_map, tol, arg_flag(a, "--all"));
            seen[outs[k]] = true;
        }
    }
    if (rep.table.n)
        table_end(&rep.table);
    if (!only)
        rep.differ += compare_ends(r, p, x.st, x.run, y.run, y.rounding == ROUND_f64, tol.rtol,
                                   tol.atol);
    return conclude(r, &rep, &x, &y);
}
