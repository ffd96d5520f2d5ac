/*
 * cmd_compare.c - compare: two runs, value by value.
 *
 * Input: two operands STAGE[@EXECUTORS|@f64]. Values are matched by number, since a value keeps its
 * number through all stages, and otherwise by the stage-0 values that they stand for. Output: the
 * values that differ, what assess.c says about them, and the first of them in program order.
 */
#include "compare.h"

#include <math.h>
#include <stdlib.h>

/* The stage at the cursor, also in the middle of a pass: "cse+1". */
static Operand at_cursor(Repl *r, const Program *p)
{
    const Stage *st = program_cursor(p);
    Operand o = {.st = st, .name = st->name};
    if (st->partial)
        o.name = arena_printf(&r->scratch, "%.*s+%llu", STR(st->name),
                              (unsigned long long)program_cursor_rule(p));
    return o;
}

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

static bool is_below_edit(const Stage *st)
{
    while (st && !st->edited)
        st = st->parent;
    return st != NULL;
}

/* What is exact is told by B's stage. A stage that somebody edited cannot tell it of the program as
 * it was: then the two change places. */
static void judge_by_unedited(Repl *r, Operand *x, Operand *y)
{
    if (x->rounding != y->rounding || !is_below_edit(y->st) || is_below_edit(x->st))
        return;
    Operand swap = *x;
    *x = *y;
    *y = swap;
    x->executors = x->executors ? &x->list : NULL;
    y->executors = y->executors ? &y->list : NULL;
    say(r, "%.*s comes of an edit: differences are judged by %.*s", STR(x->name), STR(y->name));
}

static bool find_operands(Repl *r, const Args *a, Program *p, Operand *x, Operand *y)
{
    if (a->n == 2)
        return parse_operand(r, p, a->words[0], x) && parse_operand(r, p, a->words[1], y);
    if (a->n == 0) {
        bool first = program_cursor(p)->position == 0;
        *x = at_cursor(r, p);
        return parse_operand(r, p, first ? S("last") : S("acquired"), y);
    }
    if (!parse_operand(r, p, a->words[0], x))
        return false;
    if (str_find(a->words[0], '@', 0) != SIZE_MAX) { /* the cursor's own run against that one */
        *x = at_cursor(r, p);
        return parse_operand(r, p, a->words[0], y);
    }
    *y = (Operand){.st = x->st, .rounding = ROUND_f64, .name = S("the f64 oracle")};
    return true;
}

static bool compare_operands(Repl *r, const Args *a, Program *p, Operand *x, Operand *y)
{
    if (!find_operands(r, a, p, x, y))
        return false;
    judge_by_unedited(r, x, y);
    return true;
}

/* Stage-0 value -> value of run y that stands for it. */
ValueId *map_origins(Repl *r, const Run *y)
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

/* A value of y that stands for the same values of stage 0 as v of t, which has value a. */
static ValueId partner_by_origin(const Tensor *a, const Trace *t, ValueId v, const Run *y,
                                 const ValueId *origin_map)
{
    uint32_t n;
    ValueId self[1];
    const ValueId *ids = value_origins(t, v, &n, self);
    for (uint32_t i = 0; i < n; i++) {
        ValueId w = ids[i] < y->t->norigins ? origin_map[ids[i]] : 0;
        if (w && tensor_same_shape(a, y->values[w]))
            return w;
    }
    return 0;
}

/* The value of y that v of x corresponds to; 0 when there is none. */
ValueId partner_of(const Run *x, ValueId v, const Run *y, const ValueId *origin_map)
{
    if (v < y->t->nvalues && y->values[v])
        return v;
    return partner_by_origin(x->values[v], x->t, v, y, origin_map);
}

Comparison compare_pair(const Operand *x, const Operand *y, Tensor *a, Tensor *b,
                               Tolerance tol)
{
    bool floats = dtype_is_float(a->dtype) && dtype_is_float(b->dtype);
    if (a->dtype == b->dtype || (x->rounding == y->rounding && !floats))
        return tensor_compare(a, b, tol.rtol, tol.atol);
    /* The oracle's value is rounded once, to the dtype of the other side; of two stages in mixed
     * precision the wider one is. */
    bool a_is_wide = x->rounding == y->rounding
                         ? dtype_info[a->dtype].bytes > dtype_info[b->dtype].bytes
                         : x->rounding == ROUND_f64;
    if (floats)
        return tensor_compare_as(a, b, a_is_wide ? b->dtype : a->dtype, tol.rtol, tol.atol);
    Tensor *rounded = tensor_cast(a_is_wide ? a : b, a_is_wide ? b->dtype : a->dtype);
    if (!rounded)
        return tensor_compare(a, b, tol.rtol, tol.atol);
    Comparison c = a_is_wide ? tensor_compare(rounded, b, tol.rtol, tol.atol)
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

/* -------------------------------------------------------------------------------------- judging */

/* Only values of whole statements: what is inside of one may have another meaning in an edited
 * stage, although it has the same name. */
static ValueId partner_in_a(void *user, ValueId v)
{
    const Assessing *g = user;
    ValueId w = g->top_b[v] ? partner_of(g->oracle, v, g->x->run, g->origin_map) : 0;
    return g->top_a[w] ? w : 0;
}

static void mark_value(ValueId v, void *user)
{
    ((bool *)user)[v] = true;
}

static bool *top_values(Repl *r, const Trace *t)
{
    bool *top = new_array(&r->scratch, bool, t->nvalues);
    for (uint32_t i = 0; i < t->ninputs; i++)
        top[t->inputs[i]] = true;
    for_top(t, n)
        arg_each_value(t->nodes[n].out, mark_value, top);
    return top;
}

bool assessing_begin(Repl *r, Program *p, const Operand *x, const Operand *y, Assessing *out)
{
    ExecList alone = exec_alone(session_executors(r->session)); /* every prim by itself */
    *out = (Assessing){.x = x, .y = y};
    RunOptions o = {.rounding = ROUND_f64, .keep_values = true, .executors = &alone};
    out->run = (Run){0};
    if (!session_run(r->session, p, y->st, &o, &out->run, &r->diag))
        return false;
    out->oracle = &out->run;
    out->origin_map = map_origins(r, x->run);
    out->top_a = top_values(r, x->run->t);
    out->top_b = top_values(r, out->oracle->t);
    AssessSide a = {x->run, partner_in_a, out}, b = {y->run, NULL, NULL};
    out->assess = assess_new(r->session, out->oracle, a, b);
    return true;
}

void assessing_end(Assessing *g)
{
    assess_free(g->assess);
    run_free(&g->run);
    *g = (Assessing){0};
}

static void side_text(const Assessed *w, const Operand *o, int side, StrBuf *out)
{
    sb_printf(out, "%.*s is %.3g ULP from the exact %.9g", STR(o->name), w->ulp[side], w->exact);
}

static void place_text(const Trace *t, NodeId node, StrBuf *out)
{
    if (node == NO_NODE) {
        sb_puts(out, ".\n");
        return;
    }
    const Node *n = &t->nodes[node];
    sb_puts(out, ". Made by ");
    op_qualified_name(n->op, out);
    if (n->loc && n->loc->line)
        sb_printf(out, ", %.*s:%u", STR(n->loc->file), n->loc->line);
    else if (n->src.src)
        sb_printf(out, ", line %u", span_place(n->src).line);
    sb_puts(out, ".\n");
}

static void overflow_text(const Assessing *g, const Assessed *w, const Operand *side, StrBuf *out)
{
    const Trace *t = g->oracle->t;
    const Value *big = &t->values[w->overflowed];
    sb_printf(out, "%.*s is %g, exactly it is %.9g: %%%.*s has values too large for %s (`watch "
                   "inf` stops there)", STR(side->name), w->got, w->exact, STR(big->name),
              dtype_info[big->type.dtype].name);
    place_text(t, big->producer, out);
}

/* "wrong: %t5[0, 3] of @c is 3e6 ULP from ..." */
static void assessed_sentence(const Assessing *g, ValueId v, const Assessed *w, StrBuf *out)
{
    const Trace *t = g->oracle->t;
    const Operand *sides[2] = {g->x, g->y};
    int other = 1 - w->side;
    sb_printf(out, "%s: %%%.*s", cause_word(w->word), STR(t->values[v].name));
    index_text(g->oracle->values[v], w->at, out);
    sb_puts(out, " of ");
    if (w->word == CAUSE_overflow) {
        overflow_text(g, w, sides[w->side], out);
        return;
    }
    side_text(w, sides[w->side], w->side, out);
    switch (w->word) {
    case CAUSE_wrong:
        sb_printf(out, ", where rounding explains %.3g; %.*s is %.3g ULP from it", w->expected,
                  STR(sides[other]->name), w->ulp[other]);
        break;
    case CAUSE_inherited:
        sb_puts(out, ": it is computed from a value that is wrong");
        break;
    case CAUSE_contraction:
        sb_printf(out, ": it adds and multiplies with one rounding (fused multiply-add), %.*s "
                       "rounds twice", STR(sides[other]->name));
        break;
    case CAUSE_cancellation:
        sb_printf(out, ", %.*s %.3g: large operands leave a small result, in which up to %.3g ULP "
                       "are expected", STR(sides[other]->name), w->ulp[other], w->expected);
        break;
    default:
        sb_printf(out, ", %.*s %.3g; up to %.3g are expected", STR(sides[other]->name),
                  w->ulp[other], w->expected);
        break;
    }
    place_text(t, w->node, out);
}

/* --------------------------------------------------------------------------------------- report */

enum { ASSESS_MS = 1500, STATEMENTS_MS = 10000 }; /* then differences are told without verdicts */
/* Where the oracle would have to do more than this on the host, a value is judged by the statement
 * that makes it, in some elements, on the operands that it had. */
#define TOO_DEAR 2e9
enum { JUDGED_ELEMENTS = 4096 };

typedef struct Report {
    Repl *r;
    Table table;
    Assessing judging;
    bool can_assess, tried, by_statement;
    uint32_t compared, differ, alone, bits, unjudged;
    uint64_t assess_ns; /* spent so far */
    ValueId first, first_w; /* the first that differs, and its partner */
    Comparison first_c;
    Assessed first_cause;
    ValueId serious_v, serious_w; /* the first that is more than rounding; 0 = none */
    Assessed serious, bits_cause;
    ValueId worst_v, worst_w; /* of those within tolerance, the one farthest off in ULP */
    double worst_ulp, most_ulp;
} Report;

static void error_cell(Table *t, Style s, double v)
{
    if (isnan(v))
        cell(t, s, "-");
    else
        cell(t, v == 0 ? STYLE_dim : s, "%.3g", v);
}

static double work_of(const Trace *t)
{
    double sum = 0;
    for_top(t, n)
        sum += node_flops(t, n);
    return sum;
}

/* The statement of x's stage that makes v, by itself. */
static Assessed judge_statement(Report *rep, const Operand *x, ValueId v)
{
    Assessed out = {.node = NO_NODE};
    EachRow row;
    NodeId n = trace_owner(x->run->t, v);
    if (n == NO_NODE || x->rounding == ROUND_f64 ||
        !session_check_statement(rep->r->session, x->run, n, JUDGED_ELEMENTS, &row))
        return out;
    out.word = row.wrong ? CAUSE_wrong : CAUSE_rounding;
    out.node = n;
    out.at = row.at;
    out.exact = row.exact;
    out.got = row.got;
    DType d = (DType)x->run->t->values[row.v].type.dtype;
    out.ulp[0] = fabs(row.got - row.exact) / tensor_ulp(row.exact, d);
    out.expected = row.allowed;
    return out;
}

static Assessed assess_row(Report *rep, Program *p, const Operand *x, const Operand *y, ValueId v,
                           ValueId w)
{
    if (!rep->tried) {
        rep->tried = true;
        rep->by_statement = work_of(y->run->t) > TOO_DEAR;
        rep->can_assess = !rep->by_statement &&
                          assessing_begin(rep->r, p, x, y, &rep->judging);
    }
    uint64_t limit = rep->by_statement ? STATEMENTS_MS : ASSESS_MS;
    bool late = rep->assess_ns > limit * UINT64_C(1000000);
    rep->unjudged += late;
    if ((!rep->can_assess && !rep->by_statement) || late)
        return (Assessed){.node = NO_NODE};
    uint64_t start = clock_ns();
    Assessed out = rep->by_statement ? judge_statement(rep, x, v)
                                     : assess_value(rep->judging.assess, w);
    rep->assess_ns += clock_ns() - start;
    return out;
}

static void report_row(Report *rep, const Run *x, ValueId v, const Tensor *got, const Comparison *c,
                       const Assessed *w)
{
    Table *t = &rep->table;
    Style s = c->equal ? STYLE_none : STYLE_error;
    StrBuf at = {0};
    if (c->first >= 0)
        index_text(got, c->first, &at);
    cell(t, s, "%%%.*s", STR(x->t->values[v].name));
    cell(t, c->equal ? STYLE_good : STYLE_error, "%s", c->equal ? "yes" : "no");
    error_cell(t, s, c->max_abs);
    if (rep->r->out.mode != MODE_table || rep->r->out.wide) /* 80 columns are few */
        error_cell(t, s, c->max_rel);
    error_cell(t, s, c->max_ulp);
    if (w->word > CAUSE_equal)
        cell(t, STYLE_none, "%.3g", w->expected);
    else
        cell(t, STYLE_dim, "-");
    cell(t, c->wrong ? s : STYLE_dim, "%lld", (long long)c->wrong);
    cell(t, STYLE_none, "%lld", (long long)c->total);
    if (!c->same_type)
        cell(t, s, "types differ");
    else
        cell_str(t, s, sb_str(&at));
    if (w->word > CAUSE_equal)
        cell(t, w->word == CAUSE_wrong ? STYLE_error : STYLE_none, "%s", cause_word(w->word));
    else
        cell(t, STYLE_dim, c->equal ? "" : "-");
    sb_free(&at);
}

static void compare_value(Report *rep, Program *p, const Operand *x, const Operand *y, ValueId v,
                          const ValueId *origin_map, Tolerance tol, bool all)
{
    Tensor *a = x->run->values[v];
    ValueId w = partner_of(x->run, v, y->run, origin_map);
    if (!w) {
        rep->alone++;
        return;
    }
    Comparison c = compare_pair(x, y, a, y->run->values[w], tol);
    if (c.equal && tol.zeros)
        c.equal = tensor_same_zeros(a, y->run->values[w]);
    Assessed judged = {.node = NO_NODE};
    rep->compared++;
    rep->bits += c.equal && c.max_ulp > 0;
    rep->most_ulp = c.max_ulp > rep->most_ulp ? c.max_ulp : rep->most_ulp;
    if (c.equal && c.max_ulp > rep->worst_ulp) {
        rep->worst_ulp = c.max_ulp;
        rep->worst_v = v;
        rep->worst_w = w;
    }
    bool one_dtype = a->dtype == y->run->values[w]->dtype || x->rounding != y->rounding;
    if (!c.equal && c.same_type && one_dtype)
        judged = assess_row(rep, p, x, y, v, w);
    bool is_serious = judged.word == CAUSE_overflow || judged.word == CAUSE_wrong;
    if (is_serious && !rep->serious_w) {
        rep->serious_v = v;
        rep->serious_w = w;
        rep->serious = judged;
    }
    if (!c.equal && !rep->differ++) {
        rep->first = v;
        rep->first_w = w;
        rep->first_c = c;
        rep->first_cause = judged;
    }
    if (!c.equal || all)
        report_row(rep, x->run, v, a, &c, &judged);
}

/* What was judged by its statement alone. */
static void statement_sentence(const Run *x, ValueId v, const Assessed *w, StrBuf *out)
{
    sb_printf(out, "%s: %%%.*s", cause_word(w->word), STR(x->t->values[v].name));
    if (w->word == CAUSE_wrong)
        sb_printf(out, " has %.9g for %.9g at number %lld", w->got, w->exact, (long long)w->at);
    sb_printf(out, ": on the operands that its statement had it is up to %.3g ULP off, where "
                   "rounding explains %.3g (%d elements; `compare --each` looks at all of them)\n",
              w->ulp[0], w->expected, JUDGED_ELEMENTS);
}

static void say_assessed(Repl *r, const Report *rep, const Run *x, ValueId v, ValueId in_b,
                         const Assessed *w)
{
    if (w->word <= CAUSE_equal)
        return;
    StrBuf s = {0};
    if (rep->by_statement)
        statement_sentence(x, v, w, &s);
    else
        assessed_sentence(&rep->judging, in_b, w, &s);
    data_sentences(r, "verdict", sb_str(&s));
    sb_free(&s);
}

/* The first value that differs among those that a fused kernel makes inside; 0 = none. They are
 * computed for this, from what the run has made. */
static ValueId first_inside(Repl *r, const Operand *x, const Operand *y, NodeId n, Tolerance tol,
                            Comparison *c)
{
    const Trace *t = x->run->t;
    const ValueId *origin_map = map_origins(r, y->run);
    for (NodeId i = n + 1; i < n + t->nodes[n].span; i++) {
        ValueId outs[MAX_OUTPUTS];
        uint32_t count = arg_values(t->nodes[i].out, outs, MAX_OUTPUTS);
        for (uint32_t k = 0; k < count && k < MAX_OUTPUTS; k++) {
            ValueId v = outs[k], w = v < y->run->t->nvalues && y->run->values[v] ? v : 0;
            Tensor *a = x->run->values[v] ? tensor_ref(x->run->values[v])
                                          : inner_value(r, t, x->run->values, v);
            if (a && !w)
                w = partner_by_origin(a, t, v, y->run, origin_map);
            *c = a && w ? compare_pair(x, y, a, y->run->values[w], tol)
                        : (Comparison){.equal = true};
            tensor_unref(a);
            if (!c->equal && c->same_type)
                return v;
        }
    }
    return 0;
}

static void say_inside(Report *rep, const Operand *x, const Operand *y, Tolerance tol)
{
    Repl *r = rep->r;
    const Trace *t = x->run->t;
    NodeId n = top_node_of(t, rep->first);
    Comparison c;
    if (n == NO_NODE || t->nodes[n].op->id != PRIM_call || x->rounding != y->rounding)
        return;
    ValueId v = first_inside(r, x, y, n, tol, &c);
    if (!v)
        return;
    StrBuf at = {0};
    Tensor shape = {.rank = t->values[v].type.rank, .shape = (int64_t *)t->values[v].type.shape};
    index_text(&shape, c.first, &at);
    Str line = arena_printf(&r->scratch, "inside %.*s the first is %%%.*s%s: %.9g against %.9g\n",
                            STR(arg_str(t->nodes[n].args[0])), STR(t->values[v].name),
                            sb_cstr(&at), c.got, c.want);
    data_sentences(r, "inside", line);
    sb_free(&at);
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
    say_assessed(r, rep, x, rep->first, rep->first_w, &rep->first_cause);
    if (rep->serious_w && rep->serious_w != rep->first_w)
        say_assessed(r, rep, x, rep->serious_v, rep->serious_w, &rep->serious);
}

/* Where nothing is out of tolerance but bits differ: whether that is rounding. What rounding cannot
 * explain differs, however little. */
static void judge_bits(Report *rep, Program *p, const Operand *x, const Operand *y)
{
    if (rep->differ || !rep->bits || x->rounding != y->rounding)
        return;
    rep->bits_cause = assess_row(rep, p, x, y, rep->worst_v, rep->worst_w);
    if (rep->bits_cause.word != CAUSE_wrong)
        return;
    rep->differ = 1;
    rep->first = rep->worst_v;
    rep->first_w = rep->worst_w;
    rep->first_cause = rep->bits_cause;
    rep->first_c = compare_pair(x, y, x->run->values[rep->first], y->run->values[rep->first_w],
                                (Tolerance){.rtol = 0, .atol = 0});
}

static void say_bits(Report *rep, const Operand *x, const Operand *y)
{
    Repl *r = rep->r;
    say(r, "%u value%s within tolerance, %%%.*s by most", rep->bits,
        rep->bits == 1 ? " differs" : "s differ",
        STR(y->run->t->values[rep->worst_w].name));
    if (rep->can_assess || rep->by_statement)
        say_assessed(r, rep, x->run, rep->worst_v, rep->worst_w, &rep->bits_cause);
}

static bool conclude(Report *rep, Program *p, const Operand *x, const Operand *y, Tolerance tol)
{
    Repl *r = rep->r;
    judge_bits(rep, p, x, y);
    if (r->out.mode == MODE_json) {
        Table t = record_begin(r, "compare", "a,b,compared#,differ#,only_in_a#,first,verdict");
        cell_str(&t, STYLE_none, x->name);
        cell_str(&t, STYLE_none, y->name);
        cell(&t, STYLE_none, "%u", rep->compared);
        cell(&t, STYLE_none, "%u", rep->differ);
        cell(&t, STYLE_none, "%u", rep->alone);
        cell_str(&t, STYLE_none, rep->first ? x->run->t->values[rep->first].name : (Str){0});
        cell(&t, STYLE_none, "%s", rep->first ? cause_word(rep->first_cause.word) : "equal");
        table_end(&t);
    }
    if (r->out.mode == MODE_table || r->out.mode == MODE_dot)
        sentence(r, "%.*s against %.*s: %u value%s compared, %u differ%s\n", STR(x->name),
              STR(y->name), rep->compared, plural(rep->compared), rep->differ,
              rep->differ == 1 ? "s" : "");
    if (rep->first) {
        say_first(r, rep, x->run);
        say_inside(rep, x, y, tol);
    } else if (!rep->differ && rep->bits && x->rounding == y->rounding) {
        say_bits(rep, x, y);
    }
    if (rep->unjudged)
        say(r, "%u without a verdict, judging took too long; --only %%v judges one", rep->unjudged);
    assessing_end(&rep->judging);
    if (!rep->compared) {
        fail_with(r, DIAG_usage, "nothing-compared", "the two have no value in common");
        return false;
    }
    r->check_failed = rep->differ > 0;
    return !r->check_failed;
}

static bool only_option(Repl *r, const Args *a, const Trace *t, ValueId *out)
{
    Str word;
    if (!arg_option(a, "--only", &word))
        return true;
    *out = find_value(r, t, word);
    return *out != 0;
}

/* --each and --sample look at A alone; B, where it is given, is the oracle. */
static bool each_operand(Repl *r, const Args *a, Program *p, Operand *x)
{
    Operand y = {.rounding = ROUND_f64};
    *x = at_cursor(r, p);
    if (a->n == 0)
        return true;
    if (!parse_operand(r, p, a->words[0], x) ||
        (a->n > 1 && !parse_operand(r, p, a->words[1], &y)))
        return false;
    if (a->n == 1 && str_is(a->words[0], "@f64"))
        *x = at_cursor(r, p);
    return (x->rounding != ROUND_f64 && y.rounding == ROUND_f64) ||
           usage_error(r, a, "each statement is judged by the oracle: B is STAGE@f64, A is not");
}

static bool compare_statements(Repl *r, const Args *a, Program *p)
{
    Operand x;
    ValueId only = 0;
    return each_operand(r, a, p, &x) && only_option(r, a, x.st->trace, &only) &&
           compare_each(r, a, p, &x, only);
}

static void compare_runs(Report *rep, Program *p, const Operand *x, const Operand *y, Tolerance tol,
                         ValueId only, bool all)
{
    Repl *r = rep->r;
    const Trace *t = x->run->t;
    const ValueId *origin_map = map_origins(r, y->run);
    bool *seen = new_array(&r->scratch, bool, t->nvalues);
    for_top(t, i) {
        ValueId outs[MAX_OUTPUTS * 4];
        uint32_t n = arg_values(t->nodes[i].out, outs, ARRAY_LEN(outs));
        for (uint32_t k = 0; k < n && k < ARRAY_LEN(outs); k++) {
            bool wanted = !only || outs[k] == only;
            if (x->run->values[outs[k]] && !seen[outs[k]] && wanted)
                compare_value(rep, p, x, y, outs[k], origin_map, tol, all);
            seen[outs[k]] = true;
        }
    }
}

typedef struct Marking {
    bool *set;
    uint32_t n;
} Marking;

static void mark_below(ValueId v, void *user)
{
    Marking *m = user;
    if (v < m->n)
        m->set[v] = true;
}

/* Values of y's stage that some value of x is compared with. */
static bool *partners_in(Repl *r, const Run *x, const Trace *y)
{
    bool *made = new_array(&r->scratch, bool, y->nvalues);
    bool *keep = new_array(&r->scratch, bool, y->nvalues);
    bool *origins = new_array(&r->scratch, bool, y->norigins + 1);
    ValueId self[1];
    uint32_t n;
    Marking m = {made, y->nvalues};
    for (NodeId i = 0; i < y->nnodes; i++)
        arg_each_value(y->nodes[i].out, mark_below, &m);
    for (ValueId v = 1; v < x->t->nvalues; v++) {
        const ValueId *ids = value_origins(x->t, v, &n, self);
        bool same = v < y->nvalues && made[v];
        if (x->values[v] && same)
            keep[v] = true;
        for (uint32_t i = 0; x->values[v] && !same && i < n; i++)
            if (ids[i] < y->norigins)
                origins[ids[i]] = true;
    }
    for (ValueId v = 1; v < y->nvalues; v++) {
        const ValueId *ids = value_origins(y, v, &n, self);
        for (uint32_t i = 0; i < n; i++)
            keep[v] = keep[v] || (ids[i] < y->norigins && origins[ids[i]]);
    }
    return keep;
}

/* In double precision all values of a large program find no room: only those are kept that are
 * asked for. *own gets such a run, to be freed. */
static const Run *oracle_values(Repl *r, Program *p, const Operand *x, const Operand *y, Run *own)
{
    const double many = 4e9;
    double bytes = 0;
    const Trace *t = y->st->trace;
    for (NodeId n = 0; n < t->nnodes; n++) {
        ValueId outs[MAX_OUTPUTS];
        uint32_t count = arg_values(t->nodes[n].out, outs, MAX_OUTPUTS);
        for (uint32_t i = 0; i < count && i < MAX_OUTPUTS; i++)
            bytes += 8.0 * (double)type_numel(&t->values[outs[i]].type);
    }
    if (y->rounding != ROUND_f64 || bytes < many)
        return values_of(r, p, y->st, y->executors, y->rounding);
    RunOptions o = {.rounding = y->rounding, .keep_values = true, .executors = y->executors,
                    .keep = partners_in(r, x->run, t)};
    return session_run(r->session, p, y->st, &o, own, &r->diag) ? own : NULL;
}

#define COLUMNS(more) \
    "value<,equal?~,max abs#," more "ulp#,expected#,wrong#,of#,first at,verdict!"

bool cmd_compare(Repl *r, const Args *a)
{
    Program *p = current(r);
    Operand x, y;
    Tolerance tol;
    Str sample;
    if (arg_flag(a, "--each") || arg_option(a, "--sample", &sample))
        return compare_statements(r, a, p);
    bool exact = arg_flag(a, "--exact");
    tol.rtol = tol.atol = exact ? 0 : -1;
    tol.zeros = exact || arg_flag(a, "--zeros");
    if (!compare_operands(r, a, p, &x, &y) || !option_real(r, a, "--rtol", INFINITY, &tol.rtol) ||
        !option_real(r, a, "--atol", INFINITY, &tol.atol))
        return false;
    if (arg_flag(a, "--special"))
        return compare_special(r, a, p, &x, &y, tol);
    ValueId only = 0;
    if (!only_option(r, a, x.st->trace, &only))
        return false;
    if (only && trace_is_input(x.st->trace, only)) {
        say(r, "inputs are the same in both");
        return true;
    }
    x.run = values_of(r, p, x.st, x.executors, x.rounding);
    Run own = {0};
    y.run = x.run ? oracle_values(r, p, &x, &y, &own) : NULL;
    if (!x.run || !y.run)
        return false;
    bool all = r->out.mode != MODE_table || r->out.wide;
    Report rep = {.r = r};
    rep.table = table_begin(r, "value", all ? COLUMNS("max rel#,") : COLUMNS(""));
    compare_runs(&rep, p, &x, &y, tol, only, arg_flag(a, "--all"));
    if (rep.table.n)
        table_end(&rep.table);
    uint32_t results = 0;
    if (!only)
        rep.differ += compare_ends(r, p, &x, &y, tol, !rep.differ, &results);
    rep.compared = rep.compared ? rep.compared : results;
    r->measure = rep.most_ulp;
    bool equal = conclude(&rep, p, &x, &y, tol);
    run_free(&own);
    return equal;
}
