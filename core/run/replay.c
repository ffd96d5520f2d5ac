/*
 * replay.c - runs recorded programs and checks them against the recorded results.
 *
 * Input: folders, or NAME.py with NAME.safetensors beside it. Output: counts, and a line for each
 * function that fails or is unsupported. Every function is a program outside of the session's list,
 * with a rule log of its own; it lives as long as its check.
 */
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Outcome { CASE_passed, CASE_failed, CASE_skipped, CASE_known } Outcome;

/* Kernels that the functions of a file will run: compiled together they cost a tenth. */
typedef struct Ahead {
    bool collecting; /* functions go through their passes, and are not checked yet */
    const Executor *executor;
    KernelSpec *specs;
    uint32_t n, cap;
} Ahead;

typedef struct Replay {
    Session *s;
    const ReplayOptions *o;
    ReplayResult *result;
    RuleLog log;
    Known known;
    bool by_value; /* the case failed because of a value, not of a type or an error */
    bool stale;    /* the case is listed as known to differ, and does not */
    Str path;      /* of the file being replayed */
    Str function;
    Str set;       /* "run0" of a file with several sets of inputs; "" = none */
    StrBuf text;   /* why the case at hand failed or was skipped */
    Ahead ahead;
    Option *options;   /* of the passes of a case's program */
} Replay;

/* The tensors of one function (or one set of inputs), by what they are. */
typedef struct Recorded {
    Str prefix;    /* "case3/", "run0/", "" */
    bool in, out, mutated, grad;
} Recorded;

/* ---------------------------------------------------------------------------------- reporting */

static void report(Replay *r, Outcome outcome)
{
    static const char *const words[] = {"passed", "FAILED", "skipped", "known"};
    if (outcome == CASE_passed && !r->o->verbose && !r->stale)
        return;
    StrBuf line = {0};
    sb_printf(&line, "%.*s:%.*s", STR(r->path), STR(r->function));
    if (r->set.n)
        sb_printf(&line, " %.*s", STR(r->set));
    sb_printf(&line, ": %s", words[outcome]);
    if (r->text.n)
        sb_printf(&line, ": %.*s", STR(sb_str(&r->text)));
    if (r->o->report)
        r->o->report(r->o->user, sb_str(&line));
    sb_free(&line);
}

/* A listed case may differ in a value; an error or another type stays a failure. */
static Outcome judge_known(Replay *r, Outcome outcome)
{
    Str reason = known_reason(&r->known, r->path, r->function);
    r->stale = reason.n && outcome == CASE_passed;
    if (!reason.n || (outcome == CASE_failed && !r->by_value))
        return outcome;
    if (r->stale)
        sb_puts(&r->text, "listed as a known difference, but equal");
    else if (outcome == CASE_failed)
        sb_printf(&r->text, "; %.*s", STR(reason));
    return outcome == CASE_failed ? CASE_known : outcome;
}

static void count_case(Replay *r, Outcome outcome)
{
    if (outcome == CASE_skipped && r->o->strict)
        outcome = CASE_failed;
    outcome = judge_known(r, outcome);
    r->result->passed += outcome == CASE_passed;
    r->result->failed += outcome == CASE_failed;
    r->result->skipped += outcome == CASE_skipped;
    r->result->known += outcome == CASE_known;
    report(r, outcome);
}

/* Programs that use what is not there yet are told apart from those that are wrong. */
static bool means_unsupported(const Diag *d)
{
    bool any = false;
    for (const DiagItem *i = d->first; i; i = i->next) {
        if (i->severity != SEV_error)
            continue;
        any = true;
        if (strcmp(i->code, "unknown-op") != 0 && strncmp(i->code, "unsupported", 11) != 0)
            return false;
    }
    return any;
}

/* " at line 3"; of calls that are to be refused also the text above the caret: what is tested is
 * that it is the argument at fault. */
static void put_place(Replay *r, Span at)
{
    Place place = span_place(at);
    sb_printf(&r->text, " at line %u", place.line);
    if (!r->o->rejects)
        return;
    Str marked = str_sub(at.src->text, at.off, at.len), first = str_cut(&marked, '\n');
    sb_printf(&r->text, ", column %u: %.*s", place.col, STR(first));
}

/* The first error as a clause, with its place. */
static Outcome from_errors(Replay *r, const Diag *d)
{
    const DiagItem *i = d->first;
    while (i && i->severity != SEV_error)
        i = i->next;
    if (!i)
        return CASE_passed;
    sb_printf(&r->text, "%.*s", STR(i->message));
    if (i->span.src)
        put_place(r, i->span);
    if (i->where.n)
        sb_printf(&r->text, " (%.*s)", STR(i->where));
    return means_unsupported(d) ? CASE_skipped : CASE_failed;
}

/* ----------------------------------------------------------------------------------- checking */

static void print_index(const Tensor *t, int64_t flat, StrBuf *out)
{
    int64_t index[MAX_RANK];
    for (uint32_t i = t->rank; i-- > 0;) {
        index[i] = t->shape[i] ? flat % t->shape[i] : 0;
        flat /= t->shape[i] ? t->shape[i] : 1;
    }
    sb_putc(out, '[');
    for (uint32_t i = 0; i < t->rank; i++)
        sb_printf(out, "%s%lld", i ? ", " : "", (long long)index[i]);
    sb_putc(out, ']');
}

static void print_type(const Tensor *t, StrBuf *out)
{
    sb_printf(out, "%s[", dtype_info[t->dtype].name);
    for (uint32_t i = 0; i < t->rank; i++)
        sb_printf(out, "%s%lld", i ? ", " : "", (long long)t->shape[i]);
    sb_putc(out, ']');
}

static void print_number(double x, StrBuf *out)
{
    if (x != x)
        sb_puts(out, "nan"); /* its sign says nothing */
    else
        sb_printf(out, "%.9g", x);
}

static void print_mismatch(Replay *r, const char *what, Str name, const Comparison *c,
                           const Tensor *got, const Tensor *want)
{
    StrBuf *b = &r->text;
    sb_printf(b, "%s%.*s ", what, STR(name));
    if (!got) {
        sb_puts(b, "was not computed");
        return;
    }
    if (!c->same_type) {
        sb_puts(b, "is ");
        print_type(got, b);
        sb_puts(b, ", recorded ");
        print_type(want, b);
        return;
    }
    print_index(want, c->first, b);
    sb_puts(b, " is ");
    print_number(c->got, b);
    sb_puts(b, ", recorded ");
    print_number(c->want, b);
    sb_printf(b, "; %lld of %lld wrong, largest difference %.3g", (long long)c->wrong,
              (long long)c->total, c->max_abs);
    if (dtype_is_inexact(want->dtype))
        sb_printf(b, " (%.3g ULP)", c->max_ulp);
}

static const TensorView *recorded(const SafeTensors *st, Str prefix, const char *kind, Str name)
{
    StrBuf b = {0};
    sb_printf(&b, "%.*s%s%.*s", STR(prefix), kind, STR(name));
    const TensorView *v = safetensors_find(st, sb_str(&b));
    sb_free(&b);
    return v;
}

/* A gradient has gone through twice as many operators, and is compared less strictly. */
static const double grad_slack = 10;

static bool all_zero(const TensorView *t)
{
    const char *p = t->data;
    for (size_t i = 0; i < t->bytes; i++)
        if (p[i])
            return false;
    return true;
}

static bool check_one(Replay *r, const TensorView *want, const Tensor *got, double slack,
                      const char *what, Str name)
{
    Tensor *w = tensor_from_view(want);
    Comparison c = {0};
    double rtol = r->o->rtol, atol = r->o->atol;
    default_tolerances((DType)want->dtype, &rtol, &atol);
    if (w && got)
        c = tensor_compare(got, w, rtol * slack, atol * slack);
    bool good = w && got && c.equal;
    if (!good)
        print_mismatch(r, what, name, &c, got, w);
    r->by_value = !good && w && got && c.same_type;
    tensor_unref(w);
    return good;
}

/* The first `count` outputs are those of the program. */
static bool check_outputs(Replay *r, const SafeTensors *st, Str prefix, const Run *run,
                          uint32_t count)
{
    StrBuf number = {0};
    bool good = true;
    uint32_t n = 0; /* a None that the program returns has no number among the recorded ones */
    for (uint32_t i = 0; i < run->noutputs && i < count && good; i++) {
        if (!run->outputs[i])
            continue;
        sb_clear(&number);
        sb_printf(&number, "%u", n++);
        const TensorView *want = recorded(st, prefix, "out/", sb_str(&number));
        good = !want || check_one(r, want, run->outputs[i], 1, "out/", sb_str(&number));
    }
    sb_clear(&number);
    sb_printf(&number, "%u", n);
    if (good && recorded(st, prefix, "out/", sb_str(&number))) {
        sb_printf(&r->text, "the program has %u output%s, more are recorded", n, plural(n));
        good = false;
    }
    sb_free(&number);
    return good;
}

static bool check_mutated(Replay *r, const SafeTensors *st, Str prefix, const Run *run,
                          Tensor *const *inputs)
{
    for (uint32_t i = 0; i < run->t->ninputs; i++) {
        Str name = run->t->values[run->t->inputs[i]].name;
        const TensorView *want = recorded(st, prefix, "mutated/", name);
        const Tensor *got = run->mutated[i] ? run->mutated[i] : inputs[i];
        if (want && !check_one(r, want, got, 1, "mutated/", name))
            return false;
    }
    return true;
}

/* How many gradients are recorded under this prefix. */
static uint32_t recorded_grads(const SafeTensors *st, Str prefix)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < st->n; i++) {
        Str name = st->items[i].name;
        n += name.n > prefix.n && str_eq(str_sub(name, 0, prefix.n), prefix) &&
             str_starts(str_sub(name, prefix.n, SIZE_MAX), "grad/");
    }
    return n;
}

/* Those inputs whose gradient is recorded have it as an output behind the program's own. */
static bool check_grads(Replay *r, Program *p, const SafeTensors *st, Str prefix, const Run *run)
{
    const Trace *t = run->t;
    uint32_t at = trace_outputs(program_root(p)->trace, NULL, 0), checked = 0;
    for (uint32_t i = 0; i < t->ninputs; i++) {
        Str name = t->values[t->inputs[i]].name;
        const TensorView *want = recorded(st, prefix, "grad/", name);
        if (!want)
            continue;
        if (!grad_requested(t, i, p->options->value)) {
            sb_printf(&r->text, "grad/%.*s belongs to no floating-point tensor", STR(name));
            return false;
        }
        const Tensor *got = at < run->noutputs ? run->outputs[at] : NULL;
        at++;
        bool nothing_flows = !got && all_zero(want);
        if (!nothing_flows && !check_one(r, want, got, grad_slack, "grad/", name))
            return false;
        checked++;
    }
    if (checked == recorded_grads(st, prefix))
        return true;
    sb_puts(&r->text, "a recorded grad/NAME belongs to no input");
    return false;
}

static void collect_kernels(Replay *r, Program *p, const Stage *stage)
{
    Ahead *a = &r->ahead;
    Trace *t = stage->trace;
    NodeId *nodes = run_realloc(NULL, (t->nnodes + 1) * sizeof *nodes);
    const Executor **executors = run_realloc(NULL, (t->nnodes + 1) * sizeof *executors);
    uint32_t n = kernel_nodes(r->s, p, t, nodes, executors);
    for (uint32_t i = 0; i < n; i++) {
        if (executors[i] != a->executor)
            continue;
        if (a->n == a->cap) {
            a->cap = a->cap ? 2 * a->cap : 256;
            a->specs = run_realloc(a->specs, a->cap * sizeof *a->specs);
        }
        a->specs[a->n++] = (KernelSpec){trace_ref(t), nodes[i]};
    }
    free(nodes);
    free(executors);
}

/* Element for element what the whole gave. */
static bool check_same(Replay *r, const Run *part, Tensor *const *want, uint32_t n,
                       const char *what)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!want[i] || !part->outputs[i] ||
            tensor_compare(part->outputs[i], want[i], 0, 0).equal)
            continue;
        sb_printf(&r->text, "result %u of the %s part alone differs from that of the whole", i,
                  what);
        return false;
    }
    return true;
}

/* Forward, then backward on what it kept, give what the trace as a whole gives. */
static bool check_parts(Replay *r, const Run *run, Tensor *const *inputs, Diag *d)
{
    Run forward, backward;
    uint32_t own = arg_leaves(run->t->output.items[0]);
    if (!trace_run_parts(r->s, run->t, inputs, &forward, &backward, d)) {
        from_errors(r, d);
        return false;
    }
    bool good = check_same(r, &forward, run->outputs, own, "forward") &&
                check_same(r, &backward, run->outputs + own, run->noutputs - own, "backward");
    run_free(&forward);
    run_free(&backward);
    return good;
}

/* Every kernel again, with what it makes inside written out too, and with its results over operands
 * where they may lie: what it gives keeps its bits. */
static bool check_probes(Replay *r, Program *p, const Stage *stage, Diag *d)
{
    Run run;
    RunOptions keep = {.keep_values = true};
    if (!session_run(r->s, p, stage, &keep, &run, d)) {
        from_errors(r, d);
        return false;
    }
    const Watch everything = {.nan = true, .inf = true, .denormal = true, .above = INFINITY};
    const Trace *t = run.t;
    Sighting found;
    bool good = true;
    uint32_t over = 0;
    for (NodeId n = 0; n < t->nnodes && good; n += t->nodes[n].span)
        good = session_watch(r->s, t, n, run.values, &everything, &found, d) &&
               session_check_places(r->s, t, n, run.values, &over, d);
    run_free(&run);
    if (!good)
        from_errors(r, d);
    return good;
}

static Outcome check_stage(Replay *r, Program *p, const Stage *stage, const SafeTensors *st,
                           Str prefix, Diag *d)
{
    Run run;
    if (!session_run(r->s, p, stage, NULL, &run, d))
        return from_errors(r, d);
    Tensor **inputs = bound_inputs(p, stage->trace);
    bool joint = stage->trace->kind == TRACE_joint;
    uint32_t own = joint ? trace_outputs(program_root(p)->trace, NULL, 0) : run.noutputs;
    bool good = check_outputs(r, st, prefix, &run, own) &&
                check_mutated(r, st, prefix, &run, inputs) &&
                (!joint || check_grads(r, p, st, prefix, &run)) &&
                (!trace_is_split(run.t) || check_parts(r, &run, inputs, d));
    free(inputs);
    run_free(&run);
    good = good && (!r->o->probe || check_probes(r, p, stage, d));
    if (!good && r->o->all_stages) {
        StrBuf with_stage = {0};
        sb_printf(&with_stage, "stage %u (%.*s): %.*s", stage->position, STR(stage->name),
                  STR(sb_str(&r->text)));
        sb_clear(&r->text);
        sb_add(&r->text, sb_str(&with_stage));
        sb_free(&with_stage);
    }
    return good ? CASE_passed : CASE_failed;
}

/* ------------------------------------------------------------------------------------ one case */

/* Cotangents of outputs that have none recorded are zero. */
static bool bind_cotangents(Program *p, const Trace *t, const SafeTensors *st, Str prefix, Diag *d)
{
    for (uint32_t i = program_root(p)->trace->ninputs; i < t->ninputs; i++) {
        const Value *v = &t->values[t->inputs[i]];
        const TensorView *view = recorded(st, prefix, "cot/", str_sub(v->name, 4, SIZE_MAX));
        Tensor *cot = view ? tensor_from_view(view)
                           : tensor_new((DType)v->type.dtype, (Device){DEV_cpu, 0}, v->type.rank,
                                        v->type.shape);
        if (cot && !view)
            memset(tensor_data(cot), 0, (size_t)type_bytes(&v->type));
        bool good = cot && program_bind_value(p, v, cot, d);
        tensor_unref(cot);
        if (!good)
            return false;
    }
    return true;
}

/* Switches pass joint on for the inputs whose gradients are recorded; the option's text is in b. */
static bool ask_for_grads(Replay *r, Program *p, const SafeTensors *st, Str prefix, StrBuf *b,
                          Diag *d)
{
    const Trace *t = program_root(p)->trace;
    for (uint32_t i = 0; i < t->ninputs; i++) {
        Str name = t->values[t->inputs[i]].name;
        if (recorded(st, prefix, "grad/", name))
            sb_printf(b, "%s%.*s", b->n ? "," : "", STR(name));
    }
    r->options[0].value = sb_str(b);
    return program_training(r->s, p, true, d);
}

/* The last stage, or all from number `first` on. */
static Outcome check_stages(Replay *r, Program *p, const SafeTensors *st, Str prefix, bool grad,
                            uint32_t first, Diag *d)
{
    uint32_t last = program_stage_count(p) - 1;
    for (uint32_t k = r->o->all_stages ? first : last; k <= last; k++) {
        Stage *stage = program_stage(r->s, p, k, d);
        if (!stage || (grad && !bind_cotangents(p, stage->trace, st, prefix, d)))
            return from_errors(r, d);
        if (r->ahead.collecting) {
            collect_kernels(r, p, stage);
            continue;
        }
        Outcome outcome = check_stage(r, p, stage, st, prefix, d);
        if (outcome != CASE_passed)
            return outcome;
    }
    return CASE_passed;
}

/* With gradients: as one program, and where pass join made it one, in two parts as well, of which
 * each is run alone (check_parts). */
static Outcome check_joint(Replay *r, Program *p, const SafeTensors *st, Str prefix, Diag *d)
{
    Outcome outcome = check_stages(r, p, st, prefix, true, 0, d);
    int join = program_find_slot(p, S("join"));
    if (outcome != CASE_passed || join < 0 || !program_slot(p, (uint32_t)join)->on)
        return outcome;
    Stage *joined = program_find_stage(r->s, p, S("join"), d);
    if (!joined || !program_slot_set(r->s, p, (uint32_t)join, false, d))
        return from_errors(r, d);
    return check_stages(r, p, st, prefix, true, joined->position, d);
}

static Outcome check_program(Replay *r, Program *p, const SafeTensors *st, const Recorded *rec,
                             Diag *d)
{
    Str prefix = rec->prefix;
    Str bind_prefix = prefix.n ? str_sub(prefix, 0, prefix.n - 1) : prefix;
    if (!bind_tensors(r->s, p, st, NULL, bind_prefix, r->path, d))
        return from_errors(r, d);
    if (!r->o->grad || !rec->grad)
        return check_stages(r, p, st, prefix, false, 0, d);
    StrBuf names = {0};
    Outcome outcome = ask_for_grads(r, p, st, prefix, &names, d)
                          ? check_joint(r, p, st, prefix, d)
                          : from_errors(r, d);
    r->options[0].value = S("all");
    sb_free(&names);
    return outcome;
}

/* Those of the session, and before them those of the case: joint.wrt (always the first) and, when
 * somebody names executors and so wants to see them at work, however small the case, that. */
static void set_options(Replay *r, Program *p)
{
    const Session *s = r->s;
    r->options = run_realloc(r->options, (s->noptions + 3) * sizeof *r->options);
    p->noptions = 0;
    r->options[p->noptions++] = (Option){S("joint.wrt"), S("all")};
    if (p->executors) {
        r->options[p->noptions++] = (Option){S("fuse.min_work"), S("0")};
        r->options[p->noptions++] = (Option){S("fuse.products"), S("all")};
    }
    if (s->noptions)
        memcpy(r->options + p->noptions, s->options, s->noptions * sizeof *r->options);
    p->noptions += s->noptions;
    p->options = r->options;
}

static Program *replay_program(Replay *r, TextFile *f, const FrontFunction *fn, Diag *d)
{
    Program *p = program_make(r->s, f, fn, NULL, 0, d);
    if (!p)
        return NULL;
    p->quiet = true;
    p->log = &r->log;
    p->executors = r->o->executors;
    set_options(r, p);
    return p;
}

static void check_case(Replay *r, TextFile *f, const FrontFunction *fn, const SafeTensors *st,
                       const Recorded *rec)
{
    sb_clear(&r->text);
    r->by_value = false;
    r->function = front_name(fn);
    Diag d = {0};
    Program *p = replay_program(r, f, fn, &d);
    Outcome outcome = p ? check_program(r, p, st, rec, &d) : from_errors(r, &d);
    if (!r->s->interrupt && !r->ahead.collecting)
        count_case(r, outcome);
    if (p)
        program_free(p);
    log_free(&r->log);
    diag_clear(&d);
}

/* A function that PyTorch refuses: it must not load either, or, where that depends on values, not
 * run. */
static void check_rejected(Replay *r, TextFile *f, const FrontFunction *fn)
{
    sb_clear(&r->text);
    r->by_value = false;
    r->function = front_name(fn);
    Diag d = {0};
    Program *p = replay_program(r, f, fn, &d);
    Outcome outcome = CASE_failed;
    if (p && replay_refused_for_values(r->s, p, &r->text))
        outcome = CASE_known;
    else if (p)
        sb_puts(&r->text, "accepted, and must be refused");
    else if (from_errors(r, &d) == CASE_skipped)
        outcome = CASE_skipped;
    else
        outcome = CASE_passed;
    count_case(r, outcome);
    if (p)
        program_free(p);
    log_free(&r->log);
    diag_clear(&d);
}

/* ------------------------------------------------------------------------------------ one file */

/* "case3/in/x" -> "case3/", "in/x" -> "". false for a name that is none of ours. */
static bool split_recorded(Str name, Str *prefix, Recorded *what)
{
    static const char *const kinds[] = {"in/", "out/", "mutated/", "cot/", "grad/"};
    for (size_t from = 0; from < name.n;) {
        Str rest = str_sub(name, from, SIZE_MAX);
        for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
            if (!str_starts(rest, kinds[k]))
                continue;
            *prefix = str_sub(name, 0, from);
            what->in = k == 0;
            what->out = k == 1;
            what->mutated = k == 2;
            what->grad = k >= 3;
            return true;
        }
        size_t slash = str_find(name, '/', from);
        if (slash == SIZE_MAX)
            return false;
        from = slash + 1;
    }
    return false;
}

/* Groups the tensors of a file by prefix, in order of first appearance. */
static Recorded *group_recorded(const SafeTensors *st, Map *index)
{
    Recorded *list = NULL;
    uint32_t cap = 0;
    for (uint32_t i = 0; i < st->n; i++) {
        Recorded one = {0};
        bool is_new;
        if (!split_recorded(st->items[i].name, &one.prefix, &one))
            continue;
        MapEntry *e = map_put(index, one.prefix, &is_new);
        if (is_new)
            e->u = index->live - 1;
        if (index->live > cap) {
            cap = cap ? cap * 2 : 64;
            list = run_realloc(list, cap * sizeof *list);
        }
        if (is_new)
            list[e->u] = (Recorded){.prefix = one.prefix};
        Recorded *rec = &list[e->u];
        rec->in |= one.in;
        rec->out |= one.out;
        rec->mutated |= one.mutated;
        rec->grad |= one.grad;
    }
    return list;
}

static bool stopped(const Replay *r)
{
    return r->s->interrupt != 0;
}

static int compare_prefixes(const void *a, const void *b)
{
    return str_cmp(((const Recorded *)a)->prefix, ((const Recorded *)b)->prefix);
}

/* Prefixes that name no function are further sets of inputs of the only one. */
static void check_sets(Replay *r, TextFile *f, const SafeTensors *st, Recorded *list, uint32_t n)
{
    const FrontFunction *fn = front_function(f->front, 0);
    if (n > 1)
        qsort(list, n, sizeof *list, compare_prefixes);
    for (uint32_t i = 0; i < n && !stopped(r); i++) {
        Str prefix = list[i].prefix;
        r->set = prefix.n ? str_sub(prefix, 0, prefix.n - 1) : prefix;
        if (str_eq(r->set, front_name(fn)))
            r->set = (Str){0};
        if (list[i].out || list[i].mutated)
            check_case(r, f, fn, st, &list[i]);
    }
    r->set = (Str){0};
}

/* Functions from..end of a file with several, each with the tensors of its name. */
static void check_range(Replay *r, TextFile *f, const SafeTensors *st, const Recorded *list,
                        const Map *index, uint32_t from, uint32_t end)
{
    StrBuf prefix = {0};
    for (uint32_t i = from; i < end && !stopped(r); i++) {
        const FrontFunction *fn = front_function(f->front, i);
        sb_clear(&prefix);
        sb_printf(&prefix, "%.*s/", STR(front_name(fn)));
        const MapEntry *e = map_get(index, sb_str(&prefix));
        if (e && (list[e->u].out || list[e->u].mutated))
            check_case(r, f, fn, st, &list[e->u]);
        if (r->o->progress && !r->ahead.collecting)
            r->o->progress(r->o->user, r->path, i + 1, front_count(f->front));
    }
    sb_free(&prefix);
}

/* The executor whose kernels are worth compiling together; NULL = none is in use. */
static const Executor *compiles_ahead(const Replay *r)
{
    const ExecList *l = r->o->executors ? r->o->executors : session_executors(r->s);
    for (uint32_t i = 0; i < l->n; i++)
        if (l->on[i] && l->items[i]->compile_ahead)
            return l->items[i];
    return NULL;
}

static void compile_collected(Replay *r)
{
    Ahead *a = &r->ahead;
    kernels_ahead(r->s, a->executor, a->specs, a->n);
    for (uint32_t i = 0; i < a->n; i++)
        trace_unref(a->specs[i].t);
    a->n = 0;
}

enum { CASES_AT_ONCE = 256 };

static void check_functions(Replay *r, TextFile *f, const SafeTensors *st)
{
    Map index = {0};
    Recorded *list = group_recorded(st, &index);
    uint32_t n = front_count(f->front);
    if (n == 1)
        check_sets(r, f, st, list, index.live);
    r->ahead.executor = compiles_ahead(r);
    for (uint32_t i = 0; n > 1 && i < n && !stopped(r); i += CASES_AT_ONCE) {
        uint32_t end = n - i < CASES_AT_ONCE ? n : i + CASES_AT_ONCE;
        if (r->ahead.executor) {
            r->ahead.collecting = true;
            check_range(r, f, st, list, &index, i, end);
            r->ahead.collecting = false;
            compile_collected(r);
        }
        check_range(r, f, st, list, &index, i, end);
    }
    free(list);
    map_free(&index);
}

/* A file that cannot be read at all is one failed case. */
static void file_failed(Replay *r, const Diag *d)
{
    sb_clear(&r->text);
    r->function = S("*");
    count_case(r, from_errors(r, d));
}

static void replay_rejects(Replay *r, TextFile *f)
{
    for (uint32_t i = 0; i < front_count(f->front) && !stopped(r); i++)
        check_rejected(r, f, front_function(f->front, i));
}

static Str tensors_beside(Arena *a, Str path)
{
    return arena_printf(a, "%.*s.safetensors", (int)(path.n - 3), path.p);
}

static void replay_file(Replay *r, Str path)
{
    Arena a = {0};
    Diag d = {0};
    SafeTensors st = {0}, backward = {0};
    r->path = path;
    if (r->o->progress)
        r->o->progress(r->o->user, path, 0, 1);
    TextFile *f = text_file_read(path, &d);
    if (f && r->o->rejects) {
        replay_rejects(r, f);
    } else if (f && d.nerrors == 0 && safetensors_open(&st, tensors_beside(&a, path).p, &d) &&
               (!r->o->grad || aot_gradients(r->s, path, f, &st, &backward, &d))) {
        check_functions(r, f, &st);
    } else {
        file_failed(r, &d);
    }
    safetensors_close(&st);
    safetensors_close(&backward);
    text_file_unref(f);
    diag_clear(&d);
    arena_free(&a);
}

/* ----------------------------------------------------------------------------------- all paths */

static uint32_t replay_folder(Replay *r, Str folder)
{
    Arena a = {0};
    Str *files;
    uint32_t n = folder_files(&a, folder, ".py", &files), used = 0;
    for (uint32_t i = 0; i < n && !stopped(r); i++) {
        bool is_folder;
        if (!r->o->rejects && !path_exists(tensors_beside(&a, files[i]), &is_folder))
            continue;
        used++;
        replay_file(r, files[i]);
    }
    arena_free(&a);
    return used;
}

static bool replay_path(Replay *r, Str path, Diag *d)
{
    Arena a = {0};
    bool is_folder, other, good = true;
    if (!path_exists(path, &is_folder)) {
        diag_help(d, diag_error(d, DIAG_load, (Span){0}, "no-file", "%.*s does not exist",
                                STR(path)),
                  "replay PATH...");
        return false;
    }
    if (is_folder) {
        good = replay_folder(r, path) > 0 || stopped(r);
    } else {
        good = str_ends(path, ".py") &&
               (r->o->rejects || path_exists(tensors_beside(&a, path), &other));
        if (good)
            replay_file(r, path);
    }
    if (!good)
        diag_help(d, diag_error(d, DIAG_load, (Span){0}, "nothing-to-replay",
                                "%.*s: no NAME.py with NAME.safetensors beside it", STR(path)),
                  "replay PATH...");
    arena_free(&a);
    return good;
}

bool session_replay(Session *s, const Str *paths, uint32_t npaths, const ReplayOptions *o,
                    ReplayResult *out, Diag *d)
{
    *out = (ReplayResult){0};
    Replay r = {.s = s, .o = o, .result = out};
    bool good = !o->known.n || known_read(&r.known, o->known, d);
    for (uint32_t i = 0; i < npaths && good && !stopped(&r); i++)
        good &= replay_path(&r, paths[i], d);
    if (stopped(&r))
        diag_error(d, DIAG_interrupt, (Span){0}, "interrupted", "replay was interrupted");
    known_free(&r.known);
    sb_free(&r.text);
    free(r.ahead.specs);
    log_free(&r.log);
    free(r.options);
    return good;
}
