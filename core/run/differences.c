/*
 * differences.c - gradients against central differences of the f64 oracle.
 *
 * Input: a program, and what a run of its joint trace gave. Output: whether the gradient of each
 * input, along two directions, is what the program does when the input moves along them:
 *
 *     sum(grad * v)  against  (L(x + h v) - L(x - h v)) / 2 h,   L = sum of cot * output
 *
 * Everything but the gradients themselves is computed in double precision.
 */
#include "differences.h"

#include "judge.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>

enum { DIRECTIONS = 2 };

typedef struct Probe {
    Session *s;
    const Program *p;
    const Trace *forward;
    Tensor **inputs; /* of forward, in its order; borrowed but for the one that moves */
    ExecList oracle;
    bool on_device; /* the oracle runs there (reference.c) */
    Diag *d;
} Probe;

enum { PARTS = 64 }; /* sums are made in so many parts, whatever the machine */

/* The real or the imaginary part of element i. */
static double element(const Tensor *t, int64_t i, bool imaginary)
{
    double both[2];
    elem_get_c128((char *)tensor_data(t) + i * dtype_info[t->dtype].bytes, t->dtype, both);
    return both[imaginary];
}

/* Options of a program outside of the session's list go before those of the session. */
static Str option_of(const Session *s, const Program *p, Str name, Str dflt)
{
    for (uint32_t i = 0; p->options && i < p->noptions; i++)
        if (str_eq(p->options[i].name, name))
            return p->options[i].value;
    return p->options ? dflt : session_option(s, name, dflt);
}

/* The cotangent of output number k: what is bound to cot_k; NULL = ones. */
static Tensor *cotangent(const Probe *pr, uint32_t k)
{
    StrBuf name = {0};
    sb_printf(&name, "cot_%u", k);
    bool ones = str_is(option_of(pr->s, pr->p, S("joint.cotangents"), S("given")), "ones");
    MapEntry *e = ones ? NULL : map_get(&pr->p->bindings, sb_str(&name));
    sb_free(&name);
    return e && e->p ? tensor_cast(e->p, DT_c128) : NULL;
}

/* All parts of n elements, at the same time when there are many. */
static void in_parts(int64_t n, void (*part)(void *user, uint32_t k), void *user)
{
    if (n > PARTS * PARTS * PARTS)
        run_together(PARTS, part, user);
    else
        for (uint32_t k = 0; k < PARTS; k++)
            part(user, k);
}

typedef struct Dot {
    const Tensor *dense, *cot; /* cot NULL: ones */
    int64_t n;
    double parts[PARTS];
} Dot;

static void dot_part(void *user, uint32_t k)
{
    Dot *x = user;
    for (int64_t i = x->n * k / PARTS; i < x->n * (k + 1) / PARTS; i++) {
        x->parts[k] += element(x->dense, i, false) * (x->cot ? element(x->cot, i, false) : 1);
        x->parts[k] += element(x->dense, i, true) * (x->cot ? element(x->cot, i, true) : 0);
    }
}

/* The real part of the product with the conjugate of the cotangent. */
static double dot_output(const Probe *pr, const Tensor *out, uint32_t number)
{
    Tensor *dense = tensor_cast(out, DT_c128), *cot = cotangent(pr, number);
    int64_t n = tensor_numel(dense);
    bool given = cot && tensor_numel(cot) == n;
    Dot x = {.dense = dense, .cot = given ? cot : NULL, .n = n};
    double sum = 0;
    tensor_read(dense); /* what lies on a device is fetched once */
    in_parts(n, dot_part, &x);
    for (int k = 0; k < PARTS; k++)
        sum += x.parts[k];
    tensor_unref(dense);
    tensor_unref(cot);
    return sum;
}

/* L at the inputs as they are; false after an error. */
static bool loss(const Probe *pr, double *out)
{
    RunOptions o = {.rounding = ROUND_f64, .executors = pr->on_device ? NULL : &pr->oracle};
    Run run = {0};
    *out = 0;
    if (!trace_run(pr->s, pr->forward, pr->inputs, &o, &run, pr->d))
        return false;
    for (uint32_t i = 0, number = 0; i < run.noutputs; i++) {
        if (!run.outputs[i])
            continue;
        if (dtype_is_inexact(run.outputs[i]->dtype))
            *out += dot_output(pr, run.outputs[i], number);
        number++;
    }
    run_free(&run);
    return true;
}

/* Directions are the same in every run: a value between 1/2 and 1 of either sign for each element.
 */
static double direction(uint32_t which, int64_t i)
{
    uint64_t h = hash_bytes(&i, sizeof i, which + 1);
    double size = 0.5 + (double)(h >> 12) / 0x1p53;
    return h & 1 ? size : -size;
}

/* Every other direction of complex numbers is imaginary. */
static bool is_imaginary(const Tensor *x, uint32_t which)
{
    return dtype_is_complex(x->dtype) && which % 2;
}

typedef struct Move {
    Tensor *t; /* of doubles, or pairs of them */
    int64_t n;
    uint32_t which;
    bool imaginary;
    double h;
} Move;

static void move_part(void *user, uint32_t k)
{
    const Move *m = user;
    size_t size = dtype_info[m->t->dtype].bytes;
    for (int64_t i = m->n * k / PARTS; i < m->n * (k + 1) / PARTS; i++) {
        double both[2] = {element(m->t, i, false), element(m->t, i, true)};
        both[m->imaginary] += m->h * direction(m->which, i);
        elem_set_c128((char *)tensor_data(m->t) + i * (int64_t)size, m->t->dtype, both);
    }
}

static Tensor *moved(const Tensor *x, uint32_t which, double h)
{
    DType wide = dtype_is_complex(x->dtype) ? DT_c128 : DT_f64;
    Tensor *t = tensor_cast(x, wide);
    Move m = {t, t ? tensor_numel(t) : 0, which, is_imaginary(x, which), h};
    if (t)
        in_parts(m.n, move_part, &m);
    return t;
}

static bool slope(Probe *pr, uint32_t input, uint32_t which, double h, double *out)
{
    enum { SIDES = 2 };
    double at[SIDES] = {0};
    Tensor *x = pr->inputs[input];
    bool good = true;
    for (int side = 0; side < SIDES && good; side++) {
        pr->inputs[input] = moved(x, which, side ? -h : h);
        good = loss(pr, &at[side]);
        tensor_unref(pr->inputs[input]);
    }
    pr->inputs[input] = x;
    *out = (at[0] - at[1]) / (2 * h);
    return good;
}

/* What differences give along a direction, beside the gradient's slope. */
typedef struct Slope {
    double got, want; /* of the gradient; of the larger step */
    bool agree, ran;
} Slope;

/* rtol is that of the gradient's dtype, size the sum of the sizes of what `got` adds up. A kink may
 * lie between the two sides of a step, as where a sort changes places: before anything is accused,
 * a step a hundred times as small has its say. At a pole differences say nothing. */
static void judge_slope(Probe *pr, uint32_t input, uint32_t which, double rtol, double size,
                        Slope *l)
{
    static const double steps[] = {1e-5, 1e-7};
    for (uint32_t i = 0; i < ARRAY_LEN(steps) && !l->agree; i++) {
        double found;
        l->ran = slope(pr, input, which, steps[i], &found);
        if (!l->ran)
            return;
        l->want = i ? l->want : found;
        l->agree = !isfinite(found) ||
                   fabs(l->got - found) <= 100 * rtol * (size + fabs(found)) + 1e-6;
    }
}

typedef struct GradientParts {
    const Tensor *g;
    int64_t n;
    uint32_t which;
    bool imaginary;
    double parts[PARTS], sizes[PARTS];
} GradientParts;

static void gradient_part(void *user, uint32_t k)
{
    GradientParts *x = user;
    for (int64_t i = x->n * k / PARTS; i < x->n * (k + 1) / PARTS; i++) {
        double part = element(x->g, i, x->imaginary) * direction(x->which, i);
        x->parts[k] += part;
        x->sizes[k] += fabs(part);
    }
}

/* The sum of the gradient's elements times the direction's, and of their sizes. */
static double gradient_slope(const Tensor *g, uint32_t which, bool imaginary, double *size)
{
    GradientParts x = {.g = g, .n = tensor_numel(g), .which = which, .imaginary = imaginary};
    double sum = 0;
    in_parts(x.n, gradient_part, &x);
    for (int k = 0; k < PARTS; k++) {
        sum += x.parts[k];
        *size += x.sizes[k];
    }
    return sum;
}

static bool check_input(Probe *pr, uint32_t input, const Tensor *grad, Differences *out)
{
    Tensor *g = tensor_cast(grad, DT_c128);
    double rtol = -1, atol = -1;
    bool ran = true;
    default_tolerances(grad->dtype, &rtol, &atol);
    for (uint32_t which = 0; which < DIRECTIONS && ran && out->agree; which++) {
        Slope l = {0};
        double size = 0;
        l.got = gradient_slope(g, which, is_imaginary(grad, which), &size);
        judge_slope(pr, input, which, rtol, size, &l);
        ran = l.ran;
        if (!ran || l.agree)
            continue;
        out->agree = false;
        out->got = l.got;
        out->want = l.want;
        out->input = pr->forward->values[pr->forward->inputs[input]].name;
    }
    tensor_unref(g);
    if (!ran)
        return false;
    out->checked++;
    return true;
}

/* Whether there is time for one more input, of whose slopes nothing is known before the forward
 * part has run four times. */
static bool in_time(const Probe *pr, const Differences *out, uint64_t start)
{
    const double host_rate = 2e9; /* operations a second of the interpreter, about */
    double work = 0, spent = (double)(clock_ns() - start) * 1e-9;
    if (out->seconds <= 0)
        return true;
    for_top(pr->forward, n)
        work += pr->on_device ? 0 : node_flops(pr->forward, n);
    return spent + 2 * DIRECTIONS * work / host_rate < out->seconds;
}

bool differences_check(Session *s, const Program *p, const Trace *forward, const Run *joint,
                       Differences *out, Diag *d)
{
    Probe pr = {.s = s, .p = p, .forward = forward, .d = d};
    RunOptions plain = {.rounding = ROUND_f64};
    uint64_t start = clock_ns();
    Str wrt = option_of(s, p, S("joint.wrt"), S("all"));
    uint32_t at = trace_outputs(forward, NULL, 0);
    bool good = true;
    *out = (Differences){.agree = true, .seconds = out->seconds};
    oracle_executors(p, &pr.oracle);
    pr.on_device = program_executors(p) == &s->executors && reference_wanted(s, &plain);
    pr.inputs = bound_inputs(p, forward);
    for (uint32_t i = 0; i < forward->ninputs && good; i++) {
        if (!grad_requested(forward, i, wrt))
            continue;
        const Tensor *grad = at < joint->noutputs ? joint->outputs[at] : NULL;
        at++;
        if (!grad || !pr.inputs[i] || !dtype_is_float(grad->dtype))
            continue;
        if (in_time(&pr, out, start))
            good = check_input(&pr, i, grad, out);
        else
            out->left++;
    }
    free(pr.inputs);
    return good;
}

const Stage *stage_before_gradients(const Stage *st)
{
    const Stage *found = NULL;
    for (; st->parent; st = st->parent)
        if (st->pass && (st->pass->gives & FACT_joint))
            found = st->parent;
    return found;
}

bool in_low_precision(const Trace *t)
{
    for (ValueId v = 1; v < t->nvalues; v++) {
        const Type *type = &t->values[v].type;
        if (type->kind == VALUE_tensor && dtype_is_float((DType)type->dtype) &&
            dtype_info[type->dtype].bytes < dtype_info[DT_f32].bytes)
            return true;
    }
    return false;
}

static RunOptions own_precision(const Trace *t)
{
    return (RunOptions){.rounding = in_low_precision(t) ? ROUND_f64 : ROUND_dtype};
}

bool differences_stage(Session *s, Program *p, const Stage *st, Differences *out, Diag *d)
{
    const Stage *forward = stage_before_gradients(st);
    RunOptions o = own_precision(st->trace);
    Run run = {0};
    *out = (Differences){.agree = true, .seconds = out->seconds};
    if (!forward || trace_outputs(st->trace, NULL, 0) <= trace_outputs(forward->trace, NULL, 0))
        return true;
    bool good = session_run(s, p, st, &o, &run, d) &&
                differences_check(s, p, forward->trace, &run, out, d);
    run_free(&run);
    return good;
}

/* ------------------------------------------------------------------------------------- prefixes */

static bool is_forward(const Trace *t, NodeId n)
{
    return !(t->nodes[n].flags & NF_BACKWARD) && t->nodes[n].op->id != PRIM_copy_ &&
           !(t->nodes[n].op->flags & OP_CONTROL);
}

uint32_t differences_nodes(const Stage *joint)
{
    uint32_t count = 0;
    for_top(joint->trace, n)
        count += is_forward(joint->trace, n);
    return count;
}

static void look_for(ValueId v, void *user)
{
    ValueId *wanted = user;
    if (*wanted == v)
        *wanted = 0;
}

uint32_t differences_upto(const Stage *joint, ValueId v)
{
    const Trace *t = joint->trace;
    uint32_t count = 0;
    for_top(t, n) {
        count += is_forward(t, n);
        for (NodeId i = n; is_forward(t, n) && i < n + t->nodes[n].span; i++)
            arg_each_value(t->nodes[i].out, look_for, &v);
        if (!v)
            return count;
    }
    return 0;
}

typedef struct Outputs {
    const Trace *t;
    Arg *items;
    uint32_t n;
} Outputs;

static void add_output(ValueId v, void *user)
{
    Outputs *o = user;
    const Type *type = &o->t->values[v].type;
    if (type->kind == VALUE_tensor && dtype_is_float((DType)type->dtype))
        o->items[o->n++] = A_VALUE(v);
}

/* The first n forward nodes of a joint stage, with everything they make as outputs. */
static Trace *forward_prefix(const Stage *joint, uint32_t n, ValueId *made)
{
    const Trace *whole = joint->trace;
    Trace *t = trace_derive(whole);
    Outputs o = {.t = t, .items = run_realloc(NULL, whole->nvalues * sizeof(Arg))};
    t->kind = joint->parent->trace->kind;
    t->ninputs = joint->parent->trace->ninputs;
    for (NodeId i = 0; i < whole->nnodes && n > 0; i += whole->nodes[i].span) {
        if (!is_forward(whole, i))
            continue;
        NodeId copy = trace_copy_node(t, whole, i, NULL);
        arg_each_value(t->nodes[copy].out, add_output, &o);
        *made = o.n ? o.items[o.n - 1].v : 0;
        arg_values(t->nodes[copy].out, made, 1);
        n--;
    }
    t->output = arg_tuple(t, o.items, o.n);
    free(o.items);
    trace_finish(t);
    return t;
}

/* The joint stage of a program that was made for this; NULL after an error. */
static Stage *joint_of(Session *s, Program *c, const Stage *joint, Option options[2], Diag *d)
{
    int slot = program_find_slot(c, joint->name);
    options[1] = (Option){S("joint.cotangents"), S("ones")};
    c->options = options;
    c->noptions = 2;
    return slot < 0 ? NULL : stage_make(s, c, c->root, (uint32_t)slot, UINT64_MAX, d);
}

bool differences_prefix(Session *s, const Program *p, const Stage *joint, uint32_t n,
                        Differences *out, ValueId *made, Diag *d)
{
    RuleLog log = {0};
    Option options[2] = {{S("joint.wrt"), option_of(s, p, S("joint.wrt"), S("all"))}};
    Trace *t = forward_prefix(joint, n, made);
    Stage from = {.name = S("acquired"), .trace = t};
    Program *c = program_copy(s, p, &from, &log);
    Stage *st = joint_of(s, c, joint, options, d);
    RunOptions o = own_precision(t);
    Run run = {0};
    *out = (Differences){.agree = true, .seconds = out->seconds};
    bool good = st && session_run(s, c, st, &o, &run, d) &&
                differences_check(s, c, t, &run, out, d);
    run_free(&run);
    program_copy_free(c);
    trace_unref(t);
    log_free(&log);
    return good;
}
