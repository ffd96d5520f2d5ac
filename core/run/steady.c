/*
 * steady.c - a stage that runs again and again: a flat array of calls, and nothing to decide.
 *
 * Input: a planned trace whose kernels are compiled, and its inputs. Output: what a run gives. The
 * first steady run finds who runs each statement and where its results go: at the planned offset,
 * or in a tensor of their own that is used again when nobody holds on to it. Later runs call down
 * the array; listeners hear of each statement unless the run was asked for as a whole. Views of
 * what lies where it lay are not made again. Whatever is not plain (values that are written in
 * place, devices, edited kernels) is left to the machine, and so are errors: it runs again and
 * says where.
 */
#include "guard.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

enum { PLACE_none, PLACE_planned, PLACE_own };

typedef struct SteadyCall {
    NodeId node;
    const Executor *executor; /* NULL: there is nothing to do */
    Kernel *kernel; /* NULL: the executor runs the node */
    bool view;      /* its result lies where an operand lies */
    bool moving;    /* a view of what may lie elsewhere in each run */
    uint32_t first, nouts; /* its results, in outs */
} SteadyCall;

struct Steady {
    const Trace *t;
    uint64_t changes; /* of the session: options and executors as they were */
    SteadyCall *calls;
    uint32_t ncalls;
    ValueId *outs;
    uint8_t *place;      /* by value */
    Tensor **values;     /* by value, kept from run to run */
    Tensor **windows;    /* by value: the planned places */
    Guard *guard;
    bool warm; /* views are there */
};

void steady_free(Steady *x)
{
    if (!x)
        return;
    for (ValueId v = 0; v < x->t->nvalues; v++) {
        tensor_unref(x->values[v]);
        tensor_unref(x->windows[v]);
    }
    guard_free(x->guard);
    free(x->values);
    free(x->windows);
    free(x->place);
    free(x->outs);
    free(x->calls);
    free(x);
}

/* ------------------------------------------------------------------------------------- building */

static bool writes(const Trace *t)
{
    for (NodeId n = 0; n < t->nnodes; n++)
        if (t->nodes[n].op->flags & OP_IN_PLACE)
            return true;
    return false;
}

/* Who runs top-level node n; false when it is not plain. */
static bool find_call(const ExecList *l, const Trace *t, NodeId n, Kernel *const *kernels,
                      SteadyCall *c)
{
    const Node *node = &t->nodes[n];
    *c = (SteadyCall){.node = n, .kernel = kernels[n]};
    if (c->kernel) {
        c->executor = c->kernel->executor;
        return !c->executor->device && !c->kernel->edited;
    }
    c->executor = node->executor ? exec_find(l, str_from(node->executor)) : NULL;
    c->view = (node->op->flags & OP_VIEW) != 0;
    return c->executor && c->executor->kind == EXEC_operator;
}

static bool nothing_to_do(const Node *n)
{
    return (n->op->flags & OP_CONTROL) || (n->span == 1 && n->op->decompose && !n->executor);
}

static void *zeroed(size_t n, size_t size)
{
    return memset(run_realloc(NULL, n * size + 1), 0, n * size + 1);
}

static void place_results(Steady *x, SteadyCall *c, uint32_t *nouts)
{
    const Node *node = &x->t->nodes[c->node];
    c->first = *nouts;
    c->nouts = arg_values(node->out, x->outs + *nouts, MAX_OUTPUTS);
    *nouts += c->nouts;
    for (uint32_t i = 0; i < c->nouts && !c->view; i++) {
        const Value *v = &x->t->values[x->outs[c->first + i]];
        if (v->type.kind == VALUE_tensor && type_bytes(&v->type) > 0)
            x->place[x->outs[c->first + i]] =
                v->offset >= 0 && !(node->op->flags & OP_VIEW) ? PLACE_planned : PLACE_own;
    }
}

/* A view of a view stays where it is when that does. */
static bool operand_moves(const Steady *x, NodeId n, const bool *moves)
{
    const Node *node = &x->t->nodes[n];
    ValueId in[64];
    Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
    uint32_t count = arg_values(all, in, ARRAY_LEN(in));
    bool any = count > ARRAY_LEN(in);
    for (uint32_t i = 0; i < count && !any; i++)
        any = moves[in[i]];
    return any;
}

static Steady *steady_new(Session *s, const ExecList *l, const Trace *t, Kernel *const *kernels)
{
    Steady *x = zeroed(1, sizeof *x);
    bool *moves = zeroed(t->nvalues, sizeof *moves), plain = true;
    *x = (Steady){.t = t, .changes = s->changes};
    x->calls = zeroed(t->nnodes, sizeof *x->calls);
    x->outs = zeroed(t->nvalues + (size_t)t->nnodes + MAX_OUTPUTS, sizeof *x->outs);
    x->place = zeroed(t->nvalues, sizeof *x->place);
    x->values = zeroed(t->nvalues, sizeof *x->values);
    x->windows = zeroed(t->nvalues, sizeof *x->windows);
    uint32_t nouts = 0;
    for_top(t, n) {
        SteadyCall *c = &x->calls[x->ncalls++];
        *c = (SteadyCall){.node = n};
        if (nothing_to_do(&t->nodes[n]))
            continue;
        plain = plain && find_call(l, t, n, kernels, c);
        if (!plain)
            break;
        place_results(x, c, &nouts);
        c->moving = operand_moves(x, n, moves);
        for (uint32_t i = 0; i < c->nouts; i++)
            moves[x->outs[c->first + i]] =
                c->view ? c->moving : x->place[x->outs[c->first + i]] != PLACE_planned;
    }
    free(moves);
    if (plain)
        return x;
    steady_free(x);
    return NULL;
}

/* -------------------------------------------------------------------------------------- running */

static void set_value(Steady *x, ValueId v, Tensor *t)
{
    tensor_unref(x->values[v]);
    x->values[v] = t;
}

/* false when an input is missing: the machine says which. */
static bool set_inputs(Steady *x, Tensor *const *inputs)
{
    for (uint32_t i = 0; i < x->t->ninputs; i++) {
        ValueId v = x->t->inputs[i];
        Arg known = x->t->values[v].known;
        if (x->values[v] && (x->values[v] == inputs[i] || !inputs[i]))
            continue;
        if (!inputs[i] && !arg_is_number(known))
            return false;
        set_value(x, v, inputs[i] ? tensor_ref(inputs[i]) : tensor_from_number(known));
        x->warm = false;
    }
    return true;
}

/* Results go where they went before; what somebody holds on to is left to him. */
static bool set_places(Session *s, Steady *x, const SteadyCall *c)
{
    for (uint32_t i = 0; i < c->nouts; i++) {
        ValueId v = x->outs[c->first + i];
        Tensor *now = x->values[v];
        if (x->place[v] == PLACE_planned) {
            if (!x->windows[v])
                x->windows[v] = kernels_window(s, x->t, v);
            if (!x->windows[v])
                return false;
            if (now != x->windows[v])
                set_value(x, v, tensor_ref(x->windows[v]));
        } else if (x->place[v] == PLACE_own && !(now && now->refs == 1 && now->buf->refs == 1)) {
            set_value(x, v, kernels_buffer(s, &x->t->values[v].type));
            if (!x->values[v])
                return false;
        }
    }
    return true;
}

static GuardResult run_call(Session *s, Steady *x, const SteadyCall *c, ExecCall *call)
{
    if (!c->executor || (c->view && x->warm && !c->moving))
        return GUARD_good;
    call->node = c->node;
    if (s->interrupt || !set_places(s, x, c))
        return GUARD_failed;
    if (c->kernel)
        return guard_launch(x->guard, c->kernel, call);
    return c->executor->run(call) ? GUARD_good : GUARD_failed;
}

static GuardResult run_calls(Session *s, Program *p, Steady *x, ExecCall *call,
                             const RunOptions *o)
{
    GuardResult r = GUARD_good;
    Event e = {.program = p, .trace = x->t, .values = x->values};
    bool told = !o->whole && s->nlisteners > 0;
    for (uint32_t i = 0; i < x->ncalls && r == GUARD_good; i++) {
        const SteadyCall *c = &x->calls[i];
        uint64_t start = o->node_ns ? clock_ns() : 0;
        e.node = c->node;
        e.kind = EVENT_node_begin;
        if (told)
            session_emit(s, &e);
        r = run_call(s, x, c, call);
        if (o->node_ns)
            o->node_ns[c->node] += clock_ns() - start;
        e.kind = EVENT_node_end;
        if (told && r == GUARD_good)
            session_emit(s, &e);
    }
    return r;
}

static void take_outputs(Session *s, const Steady *x, Run *out)
{
    uint32_t n = trace_outputs(x->t, NULL, 0);
    Arg few[32], *leaves = n <= ARRAY_LEN(few) ? few : run_realloc(NULL, n * sizeof *leaves);
    trace_outputs(x->t, leaves, n);
    out->outputs = zeroed(n, sizeof *out->outputs);
    out->noutputs = n;
    out->mutated = zeroed(x->t->ninputs, sizeof *out->mutated);
    for (uint32_t i = 0; i < n; i++) {
        Tensor *v = leaves[i].kind == ARG_value ? x->values[leaves[i].v] : NULL;
        if (v)
            out->outputs[i] = kernels_own(s, v) ? tensor_clone(v) : tensor_ref(v);
        else if (arg_is_number(leaves[i]))
            out->outputs[i] = tensor_from_number(leaves[i]);
    }
    if (leaves != few)
        free(leaves);
}

static bool may_be_steady(const Session *s, const Trace *t, const RunOptions *o)
{
    return o && (o->whole || o->flat) && !o->keep_values && !o->executors &&
           o->rounding == ROUND_dtype && !s->crashed && !s->devices[0] && t->plan_bytes >= 0;
}

/* The steady form of t, made when its kernels are there. */
static Steady *find_steady(Session *s, Program *p, const Trace *t)
{
    Steady **at = kernels_steady(s, t);
    if (!at)
        return NULL;
    if (*at && (*at)->changes != s->changes) {
        steady_free(*at);
        *at = NULL;
        return NULL; /* the machine compiles again what has to be */
    }
    if (!*at && !writes(t))
        *at = steady_new(s, program_executors(p), t, kernels_kept(s, t));
    return *at;
}

SteadyResult steady_run(Session *s, Program *p, const Trace *t, Tensor *const *inputs,
                        const RunOptions *o, Run *out, Diag *d)
{
    Steady *x = p && may_be_steady(s, t, o) ? find_steady(s, p, t) : NULL;
    uint64_t start = clock_ns();
    Diag own = {0};
    if (!x || !set_inputs(x, inputs))
        return STEADY_not;
    ExecCall call = {t, 0, x->values, ROUND_dtype, &own, &s->interrupt, NULL, true};
    if (!x->guard)
        x->guard = guard_new(kernel_timeout(s));
    guard_enter(x->guard);
    GuardResult r = run_calls(s, p, x, &call, o);
    guard_leave(x->guard);
    x->warm = r == GUARD_good;
    if (r == GUARD_good) {
        *out = (Run){.t = trace_ref((Trace *)t)};
        take_outputs(s, x, out);
        out->ns = clock_ns() - start;
    } else if (r == GUARD_crashed) {
        s->crashed = true;
        kernels_abandon(s, t);
        place_errors(s, p, t, call.node, NULL, &own);
        diag_move(d, &own);
    }
    diag_clear(&own);
    return r == GUARD_good ? STEADY_done : r == GUARD_crashed ? STEADY_crashed : STEADY_not;
}
