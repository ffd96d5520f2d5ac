/*
 * minify.c - the smallest program that still fails for the same reason.
 *
 * Input: a program that fails, and the culprit that bisect finds. Every candidate is a program with
 * one change (shrink.c); it is taken when it fails in the same way and bisect blames the same rule
 * of the same pass, or the same operator on the same executor. First the culprit's neighbourhood is
 * cut out; then, round after round until nothing gets smaller: statements (halves, quarters, ...),
 * outputs, statements whose operand can stand in their place, sizes, dtypes, values, and at last
 * passes and executors that are not needed.
 */
#include "minify.h"

#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Minify {
    Session *s;
    const Program *p;
    const MinifyOptions *o;
    Minified *m;
    Small now;           /* the best so far; also the last of m->kept */
    Run run;             /* of now, in its own dtypes, with every value */
    Option *options;     /* the session's, with cotangents of ones */
    uint32_t noptions;
    bool off_slots[64];
    ExecList executors;
    Culprit want;
    Str how; /* a check of the caller fails; p is NULL until it has failed once */
    bool good_run;
} Minify;

/* ------------------------------------------------------------------------------- one candidate */

/* A program made of c, set up as the one that is minified. */
static Program *program_of(Minify *m, const Small *c, RuleLog *log)
{
    Stage from = {.name = S("acquired"), .trace = c->t};
    Program *p = program_copy(m->s, m->p, &from, log);
    map_for_each(&p->bindings, e) {
        tensor_unref(e->p);
        e->p = NULL;
    }
    for (uint32_t i = 0; i < c->t->ninputs; i++)
        if (c->inputs[i])
            map_put(&p->bindings, c->t->values[c->t->inputs[i]].name, NULL)->p =
                tensor_ref(c->inputs[i]);
    for (uint32_t i = 0; i < p->nslots && i < ARRAY_LEN(m->off_slots); i++)
        p->slots[i].on = p->slots[i].on && !m->off_slots[i];
    *(ExecList *)p->executors = m->executors;
    p->options = m->options;
    p->noptions = m->noptions;
    return p;
}

static bool same_culprit(const Minify *m, const Culprit *c)
{
    const Culprit *w = &m->want;
    if (m->o->keep.n)
        return c->detail.n >= m->o->keep.n && strstr(c->detail.p, m->o->keep.p) != NULL;
    return c->kind == w->kind && str_eq(c->pass, w->pass) && str_eq(c->rule, w->rule) &&
           strcmp(c->failure, w->failure) == 0 && str_eq(c->executor, w->executor) &&
           (w->kind != CULPRIT_operator || str_eq(c->op, w->op));
}

/* With a check of one's own the verdict on the last stage is all there is to keep. */
static bool fails_check(Minify *m, Program *p, Str *how)
{
    Judge j;
    Diag d = {0};
    bool bad = false;
    if (judge_begin(&j, m->s, p, p->root->trace, &m->o->judge, &d)) {
        Stage *last = program_find_stage(m->s, p, S("last"), &d);
        bad = judge_stage(&j, p, last, NULL, &d) == JUDGED_bad;
        *how = arena_str(&m->m->arena, j.detail);
        judge_end(&j);
    }
    diag_clear(&d);
    return bad;
}

static bool fails_once(Minify *m, const Small *c, Culprit *found)
{
    RuleLog log = {0};
    Diag d = {0};
    Program *p = program_of(m, c, &log);
    BisectOptions o = {.judge = m->o->judge, .runs = 1, .no_remedies = true};
    bool same = false;
    Str how = {0};
    if (m->o->judge.check) {
        same = fails_check(m, p, &how) && (!m->how.p || str_eq(how, m->how));
        m->how = same && !m->how.p ? how : m->how;
    }
    if (!m->o->judge.check && session_bisect(m->s, p, &o, found, &d))
        same = same_culprit(m, found);
    program_copy_free(p);
    log_free(&log);
    diag_clear(&d);
    return same && !m->s->interrupt;
}

static bool may_go_on(const Minify *m)
{
    return !m->s->interrupt && (!m->o->max_tries || m->m->tries < m->o->max_tries);
}

/* Whether c fails for the same reason, by the majority of votes; its culprit is kept. */
static bool fails_alike(Minify *m, const Small *c)
{
    uint32_t votes = m->o->votes ? m->o->votes : 1, same = 0;
    Culprit found = {0};
    m->m->tries++;
    for (uint32_t i = 0; i < votes && same * 2 <= votes; i++) {
        culprit_free(&found);
        same += fails_once(m, c, &found);
    }
    bool yes = same * 2 > votes;
    if (yes && !m->o->judge.check) {
        culprit_free(&m->m->culprit);
        m->m->culprit = found;
    } else {
        culprit_free(&found);
    }
    if (m->o->tried)
        m->o->tried(m->o->user, small_size(c), m->m->tries, yes);
    return yes;
}

/* Runs the best so far, for the values of what will be cut off. */
static void run_now(Minify *m)
{
    ExecList list;
    Diag d = {0};
    oracle_executors(m->p, &list);
    RunOptions o = {.keep_values = true, .executors = &list};
    run_free(&m->run);
    m->good_run = trace_run(m->s, m->now.t, m->now.inputs, &o, &m->run, &d);
    diag_clear(&d);
}

static void keep_program(Minify *m, Small c)
{
    m->m->kept = run_realloc(m->m->kept, (m->m->nkept + 1) * sizeof *m->m->kept);
    m->m->kept[m->m->nkept++] = c;
    m->now = c;
    run_now(m);
}

/* Takes over the candidate when it fails alike, else frees it. */
static bool accept(Minify *m, Small c)
{
    if (may_go_on(m) && fails_alike(m, &c)) {
        keep_program(m, c);
        return true;
    }
    small_free(&c);
    return false;
}

static const Change no_change = {.dtype = DT_none};

static bool try_change(Minify *m, const Change *c)
{
    Small next;
    if (!may_go_on(m) || !m->good_run || !shrink(&m->now, c, m->run.values, &next))
        return false;
    return accept(m, next);
}

/* ----------------------------------------------------------------------------------- statements */

static NodeId statement(const Trace *t, uint32_t k)
{
    NodeId n = 0;
    while (k--)
        n += t->nodes[n].span;
    return n;
}

/* Leaves out all that are not wanted; what is left are the outputs nobody reads. */
static bool try_keeping(Minify *m, const bool *drop)
{
    const Trace *t = m->now.t;
    uint32_t n = 0, k = 0;
    Arg *outputs = run_realloc(NULL, (t->nvalues + 1) * sizeof *outputs);
    bool *read = run_realloc(NULL, t->nvalues * sizeof *read);
    memset(read, 0, t->nvalues * sizeof *read);
    for_top(t, i) {
        ValueId in[64];
        Arg all = {.kind = ARG_tuple, .n = t->nodes[i].nargs, .items = t->nodes[i].args};
        uint32_t nin = drop[k++] ? 0 : arg_values(all, in, ARRAY_LEN(in));
        for (uint32_t a = 0; a < nin && a < ARRAY_LEN(in); a++)
            read[in[a]] = true;
    }
    k = 0;
    for_top(t, i) {
        ValueId out[MAX_OUTPUTS];
        uint32_t nout = drop[k++] ? 0 : arg_values(t->nodes[i].out, out, MAX_OUTPUTS);
        for (uint32_t a = 0; a < nout && a < MAX_OUTPUTS; a++)
            if (!read[out[a]])
                outputs[n++] = A_VALUE(out[a]);
    }
    Change c = {.drop = drop, .outputs = outputs, .noutputs = n, .dtype = DT_none};
    bool better = n > 0 && try_change(m, &c);
    free(outputs);
    free(read);
    return better;
}

static uint32_t statement_of(const Trace *t, Str name)
{
    uint32_t k = 0;
    for_top(t, n) {
        for (NodeId i = n; i < n + t->nodes[n].span; i++) {
            ValueId out = 0;
            if (arg_values(t->nodes[i].out, &out, 1) && str_eq(t->values[out].name, name))
                return k;
        }
        k++;
    }
    return UINT32_MAX;
}

typedef struct Near {
    const Trace *t;
    bool *value; /* reached */
    bool any;
} Near;

static void look(ValueId v, void *user)
{
    Near *near = user;
    near->any |= near->value[v];
}

static void mark(ValueId v, void *user)
{
    ((Near *)user)->value[v] = true;
}

/* Statements that share a value with those that are kept already are kept too. */
static void widen(const Trace *t, bool *drop, Near *near)
{
    uint32_t k = 0;
    memset(near->value, 0, t->nvalues * sizeof *near->value);
    for_top(t, n) {
        Arg all = {.kind = ARG_tuple, .n = t->nodes[n].nargs, .items = t->nodes[n].args};
        if (!drop[k++]) {
            arg_each_value(all, mark, near);
            arg_each_value(t->nodes[n].out, mark, near);
        }
    }
    k = 0;
    for_top(t, n) {
        Arg all = {.kind = ARG_tuple, .n = t->nodes[n].nargs, .items = t->nodes[n].args};
        near->any = false;
        arg_each_value(all, look, near);
        arg_each_value(t->nodes[n].out, look, near);
        if (near->any)
            drop[k] = false;
        k++;
    }
}

/* Cuts out the culprit alone, with its neighbours, with theirs, ... */
static void cut_out(Minify *m)
{
    const Trace *t = m->now.t;
    uint32_t n = small_size(&m->now), at = statement_of(t, m->want.subject);
    if (at == UINT32_MAX || n < 2)
        return;
    bool *drop = run_realloc(NULL, n * sizeof *drop);
    Near near = {t, run_realloc(NULL, t->nvalues * sizeof(bool)), false};
    for (uint32_t k = 0; k < n; k++)
        drop[k] = k != at;
    bool done = false;
    for (int radius = 0; radius < 4 && !done; radius++) {
        done = try_keeping(m, drop);
        if (!done)
            widen(t, drop, &near);
    }
    free(drop);
    free(near.value);
}

/* Leaves out [from, to): the rest stays as it is, with its outputs or with those nobody reads. */
static bool try_dropping(Minify *m, uint32_t from, uint32_t to)
{
    uint32_t n = small_size(&m->now);
    bool *drop = run_realloc(NULL, n * sizeof *drop);
    for (uint32_t k = 0; k < n; k++)
        drop[k] = k >= from && k < to;
    Change c = {.drop = drop, .dtype = DT_none};
    bool better = try_change(m, &c) || try_keeping(m, drop);
    free(drop);
    return better;
}

static bool drop_statements(Minify *m)
{
    bool any = false;
    for (uint32_t chunk = small_size(&m->now) / 2; chunk >= 1 && may_go_on(m); chunk /= 2)
        for (uint32_t at = small_size(&m->now); at > 0 && may_go_on(m);) {
            uint32_t n = small_size(&m->now), from = at > chunk ? at - chunk : 0;
            if (at > n)
                at = n;
            else if (at - from < n && try_dropping(m, from, at))
                any = true, at = from < small_size(&m->now) ? from : small_size(&m->now);
            else
                at = from;
        }
    return any;
}

/* ---------------------------------------------------------------------------- outputs, operands */

static bool drop_outputs(Minify *m)
{
    uint32_t n = trace_outputs(m->now.t, NULL, 0);
    bool any = false;
    for (uint32_t i = n; n > 1 && i-- > 0 && may_go_on(m);) {
        Arg *leaves = run_realloc(NULL, n * sizeof *leaves);
        trace_outputs(m->now.t, leaves, n);
        memmove(&leaves[i], &leaves[i + 1], (n - i - 1) * sizeof *leaves);
        Change c = {.outputs = leaves, .noutputs = n - 1, .dtype = DT_none};
        if (try_change(m, &c)) {
            any = true;
            n--;
        }
        free(leaves);
    }
    return any;
}

/* The operand of statement n that can stand in place of its result; 0 = none. */
static ValueId equal_operand(const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    for (uint32_t i = 0; i < node->nargs && node->out.kind == ARG_value; i++)
        if (node->args[i].kind == ARG_value &&
            type_equal(&t->values[node->args[i].v].type, &t->values[node->out.v].type))
            return node->args[i].v;
    return 0;
}

static bool bypass(Minify *m)
{
    bool any = false;
    for (uint32_t k = small_size(&m->now); k-- > 0 && may_go_on(m);) {
        uint32_t n = small_size(&m->now);
        NodeId at = k < n ? statement(m->now.t, k) : NO_NODE;
        ValueId with = n > 1 && at != NO_NODE ? equal_operand(m->now.t, at) : 0;
        if (!with)
            continue;
        bool *drop = run_realloc(NULL, n * sizeof *drop);
        ValueId *instead = run_realloc(NULL, m->now.t->nvalues * sizeof *instead);
        memset(drop, 0, n * sizeof *drop);
        memset(instead, 0, m->now.t->nvalues * sizeof *instead);
        drop[k] = true;
        instead[m->now.t->nodes[at].out.v] = with;
        Change c = {.drop = drop, .instead = instead, .dtype = DT_none};
        any |= try_change(m, &c);
        free(drop);
        free(instead);
    }
    return any;
}

/* -------------------------------------------------------------------------------- sizes, dtypes */

/* The sizes of inputs, each once; at most max. */
static uint32_t input_sizes(const Trace *t, int64_t *out, uint32_t max)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->ninputs; i++) {
        const Type *type = &t->values[t->inputs[i]].type;
        for (uint32_t k = 0; type->kind == VALUE_tensor && k < type->rank; k++) {
            bool known = type->shape[k] <= 1;
            for (uint32_t x = 0; x < n; x++)
                known |= out[x] == type->shape[k];
            if (!known && n < max)
                out[n++] = type->shape[k];
        }
    }
    return n;
}

static bool smaller_sizes(Minify *m)
{
    static const int64_t first[] = {1, 2, 3, 5};
    int64_t sizes[16];
    uint32_t n = input_sizes(m->now.t, sizes, ARRAY_LEN(sizes));
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        int64_t tries[8];
        uint32_t k = 0;
        for (size_t f = 0; f < ARRAY_LEN(first); f++)
            tries[k++] = first[f];
        tries[k++] = sizes[i] / 2;
        tries[k++] = sizes[i] / 2 + 1;
        tries[k++] = sizes[i] - 1;
        bool better = false;
        for (uint32_t x = 0; x < k && !better; x++) {
            Change c = {.size = sizes[i], .to_size = tries[x], .dtype = DT_none};
            better = tries[x] > 0 && tries[x] < sizes[i] && try_change(m, &c);
        }
        any |= better;
    }
    return any;
}

static bool simpler_dtypes(Minify *m)
{
    static const DType from[] = {DT_f64, DT_f16, DT_bf16, DT_i8, DT_u8, DT_i16, DT_i32};
    bool any = false;
    for (size_t i = 0; i < ARRAY_LEN(from); i++) {
        bool used = false;
        for (uint32_t k = 0; k < m->now.t->ninputs; k++)
            used |= m->now.t->values[m->now.t->inputs[k]].type.dtype == from[i];
        Change c = {.dtype = from[i], .to_dtype = dtype_is_float(from[i]) ? DT_f32 : DT_i64};
        any |= used && try_change(m, &c);
    }
    return any;
}

/* --------------------------------------------------------------------------------------- values */

typedef double ValueFn(double x, int64_t i);

static double to_zero(double x, int64_t i)
{
    (void)x;
    (void)i;
    return 0;
}

static double to_one(double x, int64_t i)
{
    (void)x;
    (void)i;
    return 1;
}

static double to_small_int(double x, int64_t i)
{
    (void)i;
    return isfinite(x) && fabs(x) < 100 ? round(x) : x;
}

static double to_counting(double x, int64_t i)
{
    (void)x;
    return (double)(i % 8 + 1);
}

static bool is_simple(const Tensor *t, ValueFn *fn)
{
    bool same = true;
    size_t size = dtype_info[t->dtype].bytes;
    for (int64_t i = 0, n = tensor_numel(t); i < n && same; i++) {
        double x = elem_get_f64((char *)tensor_data(t) + (size_t)i * size, t->dtype);
        double y = fn(x, i);
        same = (x == y && signbit(x) == signbit(y)) || (isnan(x) && isnan(y));
    }
    return same;
}

/* The best so far with input i mapped by fn. */
static bool try_values(Minify *m, uint32_t i, ValueFn *fn)
{
    Small next;
    Tensor *old = m->now.inputs[i];
    if (!old || dtype_is_complex(old->dtype) || !tensor_is_contiguous(old) || is_simple(old, fn) ||
        !shrink(&m->now, &no_change, m->run.values, &next))
        return false;
    Str name = m->now.t->values[m->now.t->inputs[i]].name;
    size_t size = dtype_info[old->dtype].bytes;
    for (uint32_t k = 0; k < next.t->ninputs; k++) {
        if (!str_eq(next.t->values[next.t->inputs[k]].name, name) || !next.inputs[k])
            continue;
        char *at = tensor_data(next.inputs[k]);
        for (int64_t x = 0, n = tensor_numel(next.inputs[k]); x < n; x++, at += size)
            elem_set_f64(at, old->dtype, fn(elem_get_f64(at, old->dtype), x));
    }
    return accept(m, next);
}

static bool simpler_values(Minify *m)
{
    static ValueFn *const tries[] = {to_zero, to_one, to_small_int, to_counting};
    bool any = false;
    for (uint32_t i = 0; i < m->now.t->ninputs && may_go_on(m); i++) {
        bool better = false;
        for (size_t k = 0; k < ARRAY_LEN(tries) && !better; k++)
            better = m->good_run && try_values(m, i, tries[k]);
        any |= better;
    }
    return any;
}

/* The inputs of s as `bind --random 1` makes them; the caller frees the program. */
static Program *with_random_inputs(Minify *m, const Small *s, RuleLog *log)
{
    Diag ignored = {0};
    Small bare = {s->t, run_realloc(NULL, (s->t->ninputs + 1) * sizeof(Tensor *))};
    memset(bare.inputs, 0, (s->t->ninputs + 1) * sizeof(Tensor *));
    Program *p = program_of(m, &bare, log);
    program_bind_random(m->s, p, 1, &ignored);
    free(bare.inputs);
    diag_clear(&ignored);
    return p;
}

/* Many elements are told shortest by a seed. */
static void try_random(Minify *m)
{
    enum { MANY = 64 };
    int64_t elements = 0;
    Small next;
    for (uint32_t i = 0; i < m->now.t->ninputs; i++)
        elements += m->now.inputs[i] ? tensor_numel(m->now.inputs[i]) : 0;
    if (elements < MANY || !m->good_run || !shrink(&m->now, &no_change, m->run.values, &next))
        return;
    RuleLog log = {0};
    Program *p = with_random_inputs(m, &next, &log);
    for (uint32_t i = 0; i < next.t->ninputs; i++) {
        tensor_unref(next.inputs[i]);
        Tensor *x = program_binding(p, p->root->trace->inputs[i]);
        next.inputs[i] = x ? tensor_ref(x) : NULL;
    }
    program_copy_free(p);
    log_free(&log);
    accept(m, next);
}

/* Which inputs of the result a seed makes. */
static void note_random(Minify *m)
{
    RuleLog log = {0};
    Program *p = with_random_inputs(m, &m->now, &log);
    m->m->random = new_array(&m->m->arena, bool, m->now.t->ninputs + 1);
    for (uint32_t i = 0; i < m->now.t->ninputs; i++) {
        const Tensor *x = program_binding(p, m->now.t->inputs[i]), *y = m->now.inputs[i];
        m->m->random[i] = x && y && tensor_numel(y) > 1 && tensor_compare(y, x, 0, 0).equal;
    }
    program_copy_free(p);
    log_free(&log);
}

/* ---------------------------------------------------------------------------- passes, executors */

static void note_off(Minify *m, const char *what, const char *name)
{
    if (m->m->noff < ARRAY_LEN(m->m->off))
        m->m->off[m->m->noff++] = arena_printf(&m->m->arena, "%s off %s", what, name);
}

static void fewer_passes(Minify *m)
{
    RuleLog log = {0};
    Program *p = program_of(m, &m->now, &log);
    Diag ignored = {0};
    for (uint32_t i = p->nslots; i-- > 0 && may_go_on(m);) {
        if (i >= ARRAY_LEN(m->off_slots) || !p->slots[i].on ||
            str_eq(p->slots[i].name, m->want.pass) || p->slots[i].training ||
            !slot_change_is_legal(p, i, false, &ignored))
            continue;
        m->off_slots[i] = true;
        if (fails_alike(m, &m->now)) {
            p->slots[i].on = false;
            note_off(m, "pass", arena_str(&m->m->arena, p->slots[i].name).p);
        } else {
            m->off_slots[i] = false;
        }
    }
    ExecList oracle;
    oracle_executors(p, &oracle);
    for (uint32_t i = 0; i < m->executors.n && may_go_on(m); i++) {
        if (!m->executors.on[i] || oracle.on[i])
            continue;
        m->executors.on[i] = false;
        if (fails_alike(m, &m->now))
            note_off(m, "executor", m->executors.items[i]->name);
        else
            m->executors.on[i] = true;
    }
    diag_clear(&ignored);
    program_copy_free(p);
    log_free(&log);
}

/* ------------------------------------------------------------------------------------ the whole */

static void shrink_all(Minify *m)
{
    cut_out(m);
    for (bool better = true; better && may_go_on(m);) {
        better = drop_statements(m);
        better |= bypass(m);
        better |= drop_outputs(m);
    }
    for (bool better = true; better && may_go_on(m);)
        better = smaller_sizes(m);
    simpler_dtypes(m);
    try_random(m);
    simpler_values(m);
    while (may_go_on(m) && (drop_statements(m) || bypass(m)))
        continue;
    fewer_passes(m);
}

/* Cotangents are ones in candidates: their shapes change. */
static void set_options(Minify *m)
{
    m->noptions = m->s->noptions + 1;
    m->options = new_array(&m->m->arena, Option, m->noptions);
    m->options[0] = (Option){S("joint.cotangents"), S("ones")};
    for (uint32_t i = 0; i < m->s->noptions; i++)
        m->options[i + 1] = m->s->options[i];
    for (uint32_t i = 1; i < m->noptions; i++)
        if (str_is(m->options[i].name, "joint.cotangents"))
            m->options[i].value = S("ones");
}

/* The program as it stands, as the first of those that are kept. */
static bool start(Minify *m, Diag *d)
{
    Small whole = {.t = trace_ref(program_origin(m->p)->trace)};
    whole.inputs = run_realloc(NULL, (whole.t->ninputs + 1) * sizeof *whole.inputs);
    for (uint32_t i = 0; i < whole.t->ninputs; i++) {
        MapEntry *e = map_get(&m->p->bindings, whole.t->values[whole.t->inputs[i]].name);
        whole.inputs[i] = e && e->p ? tensor_ref(e->p) : NULL;
    }
    keep_program(m, whole);
    m->m->from = small_size(&m->now);
    if (m->o->judge.check) {
        m->m->fails = fails_alike(m, &m->now);
        return true;
    }
    RuleLog log = {0};
    Program *p = program_of(m, &m->now, &log);
    BisectOptions o = {.judge = m->o->judge, .no_remedies = true};
    bool good = session_bisect(m->s, p, &o, &m->want, d);
    program_copy_free(p);
    log_free(&log);
    m->m->fails = good && m->want.kind != CULPRIT_none && m->want.kind != CULPRIT_stopped;
    return good;
}

bool session_minify(Session *s, const Program *p, const MinifyOptions *o, Minified *out, Diag *d)
{
    Minify m = {.s = s, .p = p, .o = o, .m = out};
    uint64_t begin = clock_ns();
    *out = (Minified){0};
    m.executors = *program_executors(p);
    set_options(&m);
    bool good = start(&m, d);
    if (good && out->fails)
        shrink_all(&m);
    if (good && out->fails)
        note_random(&m);
    out->best = m.now;
    out->to = small_size(&m.now);
    out->stopped = s->interrupt != 0;
    out->ns = clock_ns() - begin;
    run_free(&m.run);
    culprit_free(&m.want);
    return good;
}

void minified_free(Minified *m)
{
    for (uint32_t i = 0; i < m->nkept; i++)
        small_free(&m->kept[i]);
    free(m->kept);
    culprit_free(&m->culprit);
    arena_free(&m->arena);
    *m = (Minified){0};
}
