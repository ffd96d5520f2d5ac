/*
 * values.c - values of runs: kept runs, numbered results, expressions over them.
 */
#include "repl.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------- kept runs */

static void drop_run(CachedRun *c)
{
    if (c->program)
        run_free(&c->run);
    *c = (CachedRun){0};
}

void forget_runs(Repl *r, const Program *p)
{
    debug_forget_run(r, p);
    for (uint32_t i = 0; i < MAX_CACHED_RUNS; i++) {
        if (!p || r->runs[i].program == p)
            drop_run(&r->runs[i]);
    }
}

const Run *values_of(Repl *r, Program *p, const Stage *st, const ExecList *executors,
                     Rounding rounding)
{
    uint64_t hash = exec_list_hash(executors ? executors : session_executors(r->session));
    CachedRun *oldest = &r->runs[0];
    for (uint32_t i = 0; i < MAX_CACHED_RUNS; i++) {
        CachedRun *c = &r->runs[i];
        if (c->program == p && c->serial == st->serial && c->executors == hash &&
            c->rounding == rounding) {
            c->used = ++r->run_clock;
            return &c->run;
        }
        if (c->used < oldest->used)
            oldest = c;
    }
    RunOptions o = {.rounding = rounding, .keep_values = true, .executors = executors};
    Run run = {0};
    if (!session_run(r->session, p, st, &o, &run, &r->diag))
        return NULL;
    drop_run(oldest);
    *oldest = (CachedRun){p, st->serial, hash, rounding, run, ++r->run_clock};
    return &oldest->run;
}

uint32_t add_result(Repl *r, Tensor *t, const char *what_fmt, ...)
{
    va_list ap;
    if (r->nresults == r->result_cap) {
        r->result_cap = r->result_cap ? 2 * r->result_cap : 16;
        r->results = realloc(r->results, r->result_cap * sizeof(Result));
        if (!r->results)
            abort();
    }
    va_start(ap, what_fmt);
    r->results[r->nresults].what = arena_vprintf(&r->arena, what_fmt, ap);
    va_end(ap);
    r->results[r->nresults++].t = tensor_ref(t);
    return r->nresults;
}

/* "$3" or "$_"; NULL and an error when there is no such result. */
static Tensor *find_result(Repl *r, Str word)
{
    int64_t n = r->nresults;
    if (!str_is(word, "$_") && !str_to_i64(str_sub(word, 1, word.n), &n))
        n = 0;
    if (n >= 1 && n <= r->nresults)
        return r->results[n - 1].t;
    if (r->nresults)
        fail_with(r, DIAG_usage, "no-result", "there is no result %.*s; the last is $%u", STR(word),
                  r->nresults);
    else
        fail_with(r, DIAG_usage, "no-result", "there is no result %.*s yet", STR(word));
    fail_help(r, "run");
    return NULL;
}

/* -------------------------------------------------------------------------------- expressions */

enum { MAX_NAMES = 64, MOMENT_NAMES = 20 };

/* An expression being prepared: %v and $N become inputs of a small trace of its own. */
typedef struct Expression {
    Repl *r;
    Program *p;
    const Stage *st;
    Rounding rounding;
    const Run *run; /* when a value of the stage was needed */
    Trace *t;
    StrBuf text; /* as the expression parser reads it */
    Str names[MAX_NAMES + MOMENT_NAMES]; /* inputs first, then the facts */
    Arg args[MAX_NAMES + MOMENT_NAMES];
    Tensor *tensors[MAX_NAMES];
    uint32_t n;
    Tensor *owned[MAX_NAMES]; /* computed for this expression */
    uint32_t nowned;
    Str facts[MOMENT_NAMES]; /* of a moment: names that are no values of the stage */
    Arg fact_values[MOMENT_NAMES];
    uint32_t nfacts;
    bool typed;          /* only its types are looked at: nothing is run, inputs have no values */
    size_t at, at_len;   /* the name in the typed text that is being looked up */
} Expression;

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* A tensor, or where only types are looked at what it will be. */
static bool add_input_of(Expression *e, Str name, Type type, Tensor *t)
{
    for (uint32_t i = 0; i < e->n; i++) {
        if (str_eq(e->names[i], name))
            return true;
    }
    if (e->n == MAX_NAMES)
        return fail_with(e->r, DIAG_usage, "too-many-names",
                         "more than %d values in one expression", MAX_NAMES);
    ValueId v = trace_add_input(e->t, type, name);
    e->names[e->n] = arena_str(&e->r->scratch, name);
    e->args[e->n] = A_VALUE(v);
    e->tensors[e->n++] = t;
    return true;
}

static bool add_input(Expression *e, Str name, Tensor *t)
{
    Type type = type_tensor(e->t, t->dtype, (Device){DEV_cpu, 0}, t->rank, t->shape);
    return add_input_of(e, name, type, t);
}

static bool add_typed_value(Expression *e, const Value *v)
{
    const Type *t = &v->type;
    bool tensor = t->kind == VALUE_tensor || t->kind == VALUE_number;
    Type type = type_tensor(e->t, tensor ? (DType)t->dtype : DT_f32, (Device){DEV_cpu, 0},
                            tensor ? t->rank : 0, t->shape);
    return add_input_of(e, v->name, type, NULL);
}

Tensor *inner_value(Repl *r, const Trace *t, Tensor *const *values, ValueId v)
{
    NodeId n = trace_owner(t, v);
    if (n == NO_NODE || !t->nodes[n].executor || t->nodes[n].span == 1)
        return NULL;
    Tensor **all = new_array(&r->scratch, Tensor *, t->nvalues);
    memcpy(all, values, t->nvalues * sizeof *all);
    Watch w = {.every = true, .only = v};
    Tensor *found = NULL;
    double ulp = 0;
    if (fusion_values(r->session, t, n, &w, all, &ulp, &r->diag) && all[v])
        found = all[v];
    for (ValueId i = 0; i < t->nvalues; i++)
        if (all[i] != values[i] && i != v)
            tensor_unref(all[i]);
    return found;
}

/* A value that a fused kernel makes and does not write out is computed for the expression. */
static bool add_inner_value(Expression *e, ValueId v, Tensor *const *values)
{
    Tensor *t = e->nowned < MAX_NAMES ? inner_value(e->r, e->st->trace, values, v) : NULL;
    if (!t)
        return false;
    e->owned[e->nowned++] = t;
    return add_input(e, e->st->trace->values[v].name, t);
}

/* The run failed; what it makes before the statement that fails can be looked at all the same. */
static bool add_value_before_failure(Expression *e, ValueId v)
{
    bool can = e->rounding == ROUND_dtype && e->nowned < MAX_NAMES &&
               !*session_interrupt(e->r->session);
    Tensor *t = can ? debug_value_before_failure(e->r, e->p, e->st, v) : NULL;
    if (!t)
        return false;
    diag_clear(&e->r->diag);
    if (!e->nowned && e->st->trace->values[v].producer != NO_NODE)
        say(e->r, "the run fails after %%%.*s was made; `run` says where",
            STR(e->st->trace->values[v].name));
    e->owned[e->nowned++] = t;
    return add_input(e, e->st->trace->values[v].name, t);
}

static bool add_stage_value(Expression *e, ValueId v)
{
    const Live *live = &e->r->debug.live;
    const Value *value = &e->st->trace->values[v];
    if (e->typed)
        return add_typed_value(e, value);
    if (live->t == e->st->trace && e->rounding == ROUND_dtype) {
        if (live->values[v])
            return add_input(e, value->name, live->values[v]);
        if (add_inner_value(e, v, live->values))
            return true;
        fail_with(e->r, DIAG_usage, "not-computed", "the run has not made %%%.*s yet",
                  STR(value->name));
        fail_help(e->r, "continue");
        return false;
    }
    if (!e->run)
        e->run = values_of(e->r, e->p, e->st, NULL, e->rounding);
    if (!e->run)
        return add_value_before_failure(e, v);
    Tensor *t = v < e->run->t->nvalues ? e->run->values[v] : NULL;
    if (t || add_inner_value(e, v, e->run->values))
        return t ? add_input(e, value->name, t) : true;
    fail_with(e->r, DIAG_usage, "not-computed", "%%%.*s has no value at stage %.*s",
              STR(value->name), STR(e->st->name));
    fail_help(e->r, "history %%%.*s", STR(value->name));
    return false;
}

/* A value that a later stage will have, when only types are looked at; 0 = there is none. */
static ValueId later_value(const Expression *e, Str name, const Trace **t)
{
    Diag ignored = {0};
    Stage *last = e->typed ? program_find_stage(e->r->session, e->p, S("last"), &ignored) : NULL;
    diag_clear(&ignored);
    *t = last ? last->trace : NULL;
    return last ? trace_find_value(last->trace, name) : 0;
}

/* A name that the stage has (not a function: no '.' or '(' next to it) is a value. */
static bool take_name(Expression *e, Str text, size_t start, size_t end)
{
    Str name = str_sub(text, start, end - start);
    bool marked = start > 0 && text.p[start - 1] == '%';
    bool member = start > 0 && text.p[start - 1] == '.';
    bool called = end < text.n && (text.p[end] == '.' || text.p[end] == '(' || text.p[end] == '=');
    bool is_fact = false;
    for (uint32_t i = 0; i < e->nfacts && !marked; i++)
        is_fact |= str_eq(e->facts[i], name);
    ValueId v = e->st && !member && !is_fact ? trace_find_value(e->st->trace, name) : 0;
    const Trace *later;
    ValueId then = !v && marked ? later_value(e, name, &later) : 0;
    if (then) {
        sb_add(&e->text, name);
        return add_typed_value(e, &later->values[then]);
    }
    if (!v && marked && e->st)
        v = find_value(e->r, e->st->trace, name);
    if (!v && marked)
        return e->st ? false : no_program(e->r, "a value");
    if (v && (marked || !called)) {
        sb_add(&e->text, e->st->trace->values[v].name);
        return add_stage_value(e, v);
    }
    sb_add(&e->text, name);
    return true;
}

static bool take_result(Expression *e, Str text, size_t start, size_t end)
{
    Tensor *t = find_result(e->r, str_sub(text, start, end - start));
    if (!t)
        return false;
    Str name =
        arena_printf(&e->r->scratch, "result_%.*s", STR(str_sub(text, start + 1, end - start - 1)));
    sb_add(&e->text, name);
    return add_input(e, name, t);
}

static bool prepare(Expression *e, Str text)
{
    bool ok = true;
    char quote = 0;
    for (size_t i = 0; i < text.n && ok;) {
        char c = text.p[i];
        size_t end = i + 1;
        if (quote || c == '"' || c == '\'') {
            quote = quote ? (c == quote ? 0 : quote) : c;
            sb_putc(&e->text, c);
            i++;
            continue;
        }
        if (c == '%' && end < text.n &&
            (isalpha((unsigned char)text.p[end]) || text.p[end] == '_')) {
            i++;
            continue;
        }
        bool is_name = isalpha((unsigned char)c) || c == '_', is_result = c == '$';
        while ((is_name || is_result || isdigit((unsigned char)c)) && end < text.n &&
               is_name_char(text.p[end]))
            end++;
        e->at = i - (is_name && i > 0 && text.p[i - 1] == '%');
        e->at_len = end - e->at;
        if (is_name)
            ok = take_name(e, text, i, end);
        else if (is_result)
            ok = take_result(e, text, i, end);
        else
            sb_add(&e->text, str_sub(text, i, end - i));
        i = end;
    }
    return ok;
}

/* A nested list of numbers as a tensor: its shape, then its elements. */
typedef struct ListShape {
    int64_t dims[MAX_RANK];
    uint32_t rank;
    DType dtype;
} ListShape;

static bool list_shape(Arg a, uint32_t depth, ListShape *s)
{
    if (!arg_is_seq(a)) {
        if (a.kind != ARG_int && a.kind != ARG_float && a.kind != ARG_bool)
            return false;
        if (a.kind == ARG_float)
            s->dtype = DT_f32;
        else if (a.kind == ARG_int && s->dtype == DT_b8)
            s->dtype = DT_i64;
        return depth == s->rank;
    }
    if (depth >= s->rank || s->dims[depth] != a.n)
        return false;
    for (uint32_t i = 0; i < a.n; i++) {
        if (!list_shape(a.items[i], depth + 1, s))
            return false;
    }
    return true;
}

static void list_fill(Arg a, DType dtype, char **at)
{
    if (arg_is_seq(a)) {
        for (uint32_t i = 0; i < a.n; i++)
            list_fill(a.items[i], dtype, at);
        return;
    }
    elem_set_f64(*at, dtype, a.kind == ARG_float ? a.f : (double)a.i);
    *at += dtype_info[dtype].bytes;
}

static Tensor *tensor_from_list(Arg a)
{
    ListShape s = {.dtype = DT_b8};
    for (Arg x = a; arg_is_seq(x) && s.rank < MAX_RANK; x = x.items[0]) {
        s.dims[s.rank++] = x.n;
        if (!x.n)
            break;
    }
    if (!list_shape(a, 0, &s))
        return NULL;
    Tensor *t = tensor_new(s.dtype, (Device){DEV_cpu, 0}, s.rank, s.dims);
    if (!t)
        return NULL;
    char *at = tensor_data(t);
    list_fill(a, s.dtype, &at);
    return t;
}

/* Whether what the expression gives is one element, as far as its type tells. */
static bool gives_one_element(Expression *e, Arg out)
{
    if (arg_is_number(out) || out.kind == ARG_bool)
        return true;
    int64_t n = arg_is_value(out) ? type_numel(&e->t->values[out.v].type) : 0;
    if (n != 1)
        bad_condition(e->r, arg_is_value(out), n);
    return n == 1;
}

/* Runs the small trace whose output is `out`. */
static Tensor *compute(Expression *e, Arg out)
{
    Repl *r = e->r;
    if (arg_is_number(out))
        return tensor_from_number(out);
    if (arg_is_seq(out)) {
        Tensor *t = tensor_from_list(out);
        if (!t)
            fail_with(r, DIAG_usage, "not-a-tensor",
                      "a list must hold numbers, in rows of equal length");
        return t;
    }
    if (!arg_is_value(out)) {
        fail_with(r, DIAG_usage, "not-a-tensor",
                  "the expression gives neither a tensor nor a number");
        return NULL;
    }
    e->t->output = out;
    trace_finish(e->t);
    RunOptions o = {.rounding = e->rounding};
    Run run = {0};
    if (!trace_run(r->session, e->t, e->tensors, &o, &run, &r->diag))
        return NULL;
    Tensor *t = run.noutputs ? tensor_ref(run.outputs[0]) : NULL;
    run_free(&run);
    return t;
}

/* What the text gives, as an argument of the small trace; false after an error. */
static bool build_expression(Expression *e, Str text, Arg *out)
{
    Repl *r = e->r;
    bool built = false;
    if (prepare(e, text)) {
        for (uint32_t i = 0; i < e->nfacts; i++) {
            e->names[e->n + i] = e->facts[i];
            e->args[e->n + i] = e->fact_values[i];
        }
        Source *src = new_of(&r->scratch, Source);
        *src = (Source){S("<expression>"), arena_str(&r->scratch, sb_str(&e->text))};
        Build b = {.t = e->t, .diag = &r->diag, .span = {src, 0, (uint32_t)src->text.n}};
        *out = front_expression(&b, src, e->names, e->args, e->n + e->nfacts);
        built = !b.failed;
        for (DiagItem *i = r->diag.first; i; i = i->next)
            i->kind = i->kind == DIAG_load ? DIAG_usage : i->kind; /* typed here, not loaded */
    }
    return built;
}

static void free_expression(Expression *e)
{
    for (uint32_t i = 0; i < e->nowned; i++)
        tensor_unref(e->owned[i]);
    trace_unref(e->t);
    sb_free(&e->text);
}

static Tensor *evaluate_prepared(Expression *e, Str text)
{
    Arg out;
    Tensor *result = build_expression(e, text, &out) ? compute(e, out) : NULL;
    free_expression(e);
    if (!result && e->r->diag.last && !e->r->diag.last->help.n)
        fail_help(e->r, "help values");
    return result;
}

Tensor *evaluate(Repl *r, Program *p, const Stage *st, Str text, Rounding rounding)
{
    Expression e = {.r = r, .p = p, .st = st, .rounding = rounding};
    e.t = trace_new(session_registry(r->session), S("expression"));
    return evaluate_prepared(&e, text);
}

/* ------------------------------------------------------------------------------------- moments */

static void add_fact(Expression *e, const char *name, Arg value)
{
    assert(e->nfacts < MOMENT_NAMES);
    e->facts[e->nfacts] = str_from(name);
    e->fact_values[e->nfacts++] = value;
}

static void value_facts(Expression *e, const Moment *m)
{
    const Value *v = m->value ? &m->t->values[m->value] : NULL;
    Type none = {.dtype = DT_none};
    const Type *t = v ? &v->type : &none;
    int64_t ones[MAX_RANK];
    for (uint32_t i = 0; i < MAX_RANK; i++)
        ones[i] = 1;
    if (e->typed) { /* every index of a shape will do */
        none.rank = MAX_RANK;
        none.shape = ones;
    }
    add_fact(e, "name", arg_string(e->t, v ? v->name : (Str){0}));
    add_fact(e, "shape", arg_ints(e->t, t->shape, t->rank));
    add_fact(e, "rank", A_INT(t->rank));
    add_fact(e, "numel", A_INT(v || e->typed ? type_numel(t) : 0));
    add_fact(e, "dtype", A_DTYPE(t->dtype));
}

static void node_facts(Expression *e, const Moment *m)
{
    const Node *n = m->node == NO_NODE ? NULL : &m->t->nodes[m->node];
    add_fact(e, "op", arg_string(e->t, str_from(n ? n->op->name : "")));
    add_fact(e, "executor", arg_string(e->t, str_from(n && n->executor ? n->executor : "")));
    add_fact(e, "line", A_INT(n && n->loc ? n->loc->line : n && n->src.src ? span_place(n->src).line
                                                                           : e->typed));
    add_fact(e, "backward", A_BOOL(n && (n->flags & NF_BACKWARD)));
}

static void rule_facts(Expression *e, const Moment *m)
{
    const RuleEntry *rule = m->rule;
    add_fact(e, "running", A_BOOL(m->running));
    add_fact(e, "stage", arg_string(e->t, m->stage->name));
    add_fact(e, "passname", arg_string(e->t, m->pass));
    add_fact(e, "rule", arg_string(e->t, str_from(rule ? rule->kind->rule : "")));
    add_fact(e, "reason", arg_string(e->t, rule ? rule_reason(rule) : (Str){0}));
    add_fact(e, "application", A_INT(rule ? rule->index + 1 : e->typed));
}

static void moment_facts(Expression *e, const Moment *m)
{
    value_facts(e, m);
    node_facts(e, m);
    rule_facts(e, m);
}

Tensor *evaluate_moment(Repl *r, Program *p, const Moment *m, Str text)
{
    Expression e = {.r = r, .p = p, .st = m->stage};
    e.t = trace_new(session_registry(r->session), S("expression"));
    moment_facts(&e, m);
    return evaluate_prepared(&e, text);
}

/* The text with a mark where the error is, for those errors that know no place. */
static void mark_error(Expression *e, Str text)
{
    Source *src = new_of(&e->r->scratch, Source);
    *src = (Source){S("<condition>"), arena_str(&e->r->scratch, text)};
    bool name = strcmp(e->r->diag.last->code, "bad-condition") != 0;
    Span whole = {src, 0, (uint32_t)text.n};
    Span at = {src, (uint32_t)e->at, (uint32_t)e->at_len};
    if (!e->r->diag.last->span.src)
        e->r->diag.last->span = name ? at : whole;
    if (!e->r->diag.last->help.n)
        fail_help(e->r, "help conditions");
}

bool check_moment(Repl *r, Program *p, Str text)
{
    const Stage *st = looked_at(r);
    Expression e = {.r = r, .p = p, .st = st, .typed = true};
    uint32_t errors = r->diag.nerrors;
    Arg out;
    e.t = trace_new(session_registry(r->session), S("expression"));
    moment_facts(&e, &(Moment){.stage = st, .t = st->trace, .node = NO_NODE});
    bool good = build_expression(&e, text, &out) && gives_one_element(&e, out);
    if (r->diag.nerrors > errors)
        mark_error(&e, text);
    free_expression(&e);
    return good;
}
