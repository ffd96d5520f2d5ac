/*
 * machine.c - runs a trace, node by node, over an array of values.
 *
 * Input: a trace at any stage and its input tensors. Output: results, the final value of every
 * input that the program changed, and on request every value. A node that an executor claimed is
 * given to it whole; any other is opened down to its prims, which the last executor of the list
 * runs. A value is dropped after its last use. A listener may pause the run behind a node
 * (session_pause): the machine then stays in the Run until session_resume or run_free.
 */
#define _GNU_SOURCE
#include "branches.h"
#include "guard.h"
#include "run.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct Machine {
    Session *s;
    Program *p; /* for events; NULL outside of a program */
    const Trace *t;
    const ExecList *executors;
    ExecList given; /* those that the caller gave */
    bool ignore_claims; /* the caller gave executors: they choose anew */
    Rounding rounding;
    bool wide; /* the trace itself is in f64 */
    bool unplanned;
    bool noting; /* devices tell how far they came */
    Diag *diag;
    Tensor **values;
    Tensor **kept;    /* snapshots for keep_values, else NULL */
    const bool *keep; /* see RunOptions */
    uint32_t nkeep;   /* values that it tells of; those that widening adds are not kept */
    NodeId *last_use; /* top-level node after which a value is not needed; NO_NODE = to the end */
    bool *written;    /* by value: in-place operators write into its storage */
    uint32_t *replaced; /* see find_replaced; NULL = every written input is a copy */
    Tensor **mutated;   /* of the Run */
    Kernel *const *kernels; /* by node, of fusion executors; NULL = none */
    Pieces *pieces;         /* that the device repeats; NULL = every node runs */
    NodeId next;            /* the top-level node to run next */
    bool paused, queue_only;
    Guard *guard; /* of this run, when kernels run on the host */
    bool crashed; /* a kernel did, in this run */
    uint64_t *node_ns; /* see RunOptions */
    StrBuf scratch;
};

typedef struct Machine Machine;

/* ---------------------------------------------------------------------- facts before the run */

typedef struct UseMark {
    NodeId *last_use;
    NodeId now;
} UseMark;

static void mark_use(ValueId v, void *user)
{
    const UseMark *m = user;
    m->last_use[v] = m->now;
}

static NodeId *find_last_uses(const Trace *t)
{
    UseMark m = {run_realloc(NULL, t->nvalues * sizeof(NodeId)), 0};
    for (ValueId v = 0; v < t->nvalues; v++)
        m.last_use[v] = NEVER_USED;
    for_top(t, n) {
        m.now = n;
        for (NodeId i = n; i < n + t->nodes[n].span; i++) {
            Arg all = {.kind = ARG_tuple, .n = t->nodes[i].nargs, .items = t->nodes[i].args};
            arg_each_value(all, mark_use, &m);
            arg_each_value(t->nodes[i].out, mark_use, &m);
        }
    }
    m.now = NO_NODE;
    arg_each_value(t->output, mark_use, &m);
    return m.last_use;
}

/* --------------------------------------------------------------------------------- errors */

/* "stage 4 (cse)" of a stage of p, what made it for other traces. */
static void stage_title(const Program *p, const Trace *t, StrBuf *out)
{
    const Stage *st = p ? stage_by_serial(p->roots, t->stage) : NULL;
    if (st)
        sb_printf(out, "stage %u (%.*s)", st->position, STR(st->name));
    else
        sb_printf(out, "the trace of %.*s", STR(t->made_by.n ? t->made_by : S("acquired")));
}

void place_errors(Session *s, Program *p, const Trace *t, NodeId n, const DiagItem *before,
                  Diag *d)
{
    static const PrintOptions one_line = {.depth = 0};
    DiagItem *item = before ? before->next : d->first;
    StrBuf where = {0};
    stage_title(p, t, &where);
    sb_puts(&where, ": ");
    node_print(t, n, &one_line, &where);
    while (where.n && where.p[where.n - 1] == '\n')
        where.p[--where.n] = 0;
    for (; item; item = item->next) {
        if (!item->span.src)
            item->span = t->nodes[n].src;
        if (item->where.n == 0)
            diag_where(d, item, "%.*s", STR(sb_str(&where)));
    }
    sb_free(&where);
    session_emit(s, &(Event){.kind = EVENT_error, .program = p, .trace = t, .node = n});
}

static bool interrupted(Machine *m, NodeId n)
{
    if (!m->s->interrupt)
        return false;
    const DiagItem *before = m->diag->last;
    diag_error(m->diag, DIAG_interrupt, (Span){0}, "interrupted", "the run was interrupted");
    place_errors(m->s, m->p, m->t, n, before, m->diag);
    return true;
}

/* ------------------------------------------------------------------------------- one node */

/* Kernels round as their code does: the oracle does without them. */
static bool may_run(const Machine *m, const Executor *e)
{
    return e->kind == EXEC_operator || m->rounding == ROUND_dtype || (m->wide && e->device);
}

/* Who runs node n as a whole; NULL = open it. */
static const Executor *choose(Machine *m, NodeId n)
{
    const Node *node = &m->t->nodes[n];
    const Executor *claimed = NULL;
    if (!m->ignore_claims && node->executor)
        claimed = exec_find(m->executors, str_from(node->executor));
    if (claimed && !may_run(m, claimed))
        claimed = NULL;
    bool view = m->wide && (node->op->flags & OP_VIEW); /* the host moves nothing for one */
    for (uint32_t i = 0; m->ignore_claims && !claimed && i < m->executors->n; i++) {
        const Executor *e = m->executors->items[i];
        sb_clear(&m->scratch);
        if (m->executors->on[i] && may_run(m, e) && !(view && e->device) &&
            e->can(m->t, n, &m->scratch))
            claimed = e;
    }
    return claimed || node->span > 1 ? claimed : exec_last(m->executors);
}

/* After a crash the kernels of this trace, their memory and the threads of this one's pool are not
 * used again: kernels are compiled anew, and later runs have a thread of their own. */
static bool launch_kernel(Machine *m, Kernel *k, ExecCall *call)
{
    if (k->executor->device) {
        branches_begin(call->device);
        bool good = k->executor->launch(k, call);
        branches_end(call->device);
        return good;
    }
    if (k->edited)
        return isolated_launch(k, call, kernel_timeout(m->s), 1, NULL) == GUARD_good;
    GuardResult r = guard_launch(m->guard, k, call);
    if (r == GUARD_crashed) {
        m->s->crashed = m->crashed = true;
        kernels_abandon(m->s, m->t);
    }
    return r == GUARD_good;
}

/* The node whose kernel a failed device was at, when it was asked to tell; else n. Recorded pieces
 * do not tell. */
static NodeId failed_at(const Machine *m, NodeId n)
{
    bool told = m->noting && !m->s->played;
    for (size_t i = 0; told && i < MAX_OPEN_DEVICES && m->s->devices[i]; i++) {
        const OpenDevice *dev = m->s->devices[i];
        if (!dev->failure[0] || dev->careful)
            continue;
        for (NodeId k = (NodeId)*dev->done; k < m->t->nnodes; k++)
            if (m->kernels && m->kernels[k] && m->kernels[k]->executor->device == dev->driver)
                return k;
    }
    return n;
}

static void drop_value(Machine *m, ValueId v)
{
    tensor_unref(m->values[v]);
    m->values[v] = NULL;
}

typedef struct Drop {
    Machine *m;
    NodeId after;
} Drop;

/* What a kernel wrote its results over is not there any more, nor is what it is a view of. */
static void drop_overwritten(ValueId v, void *user)
{
    const Drop *d = user;
    Machine *m = d->m;
    ValueId x = value_over(m->t, d->after, v);
    while (x) {
        NodeId n = m->t->values[x].producer;
        const Node *node = n == NO_NODE ? NULL : &m->t->nodes[n];
        drop_value(m, x);
        bool view = node && (node->op->flags & OP_VIEW) && node->args[0].kind == ARG_value;
        x = view ? node->args[0].v : 0;
    }
}

/* An input gets new contents as a tensor of its own; what was bound stays as it is. */
static bool replace_input(Machine *m, NodeId n)
{
    const Node *node = &m->t->nodes[n];
    uint32_t i = m->replaced[n] - 1;
    Tensor *from = m->values[node->args[0].v], *to = from ? tensor_clone(from) : NULL;
    if (!to) {
        const DiagItem *before = m->diag->last;
        diag_error(m->diag, DIAG_compile, (Span){0}, "no-memory", "no memory for what is written");
        place_errors(m->s, m->p, m->t, n, before, m->diag);
        return false;
    }
    m->mutated[i] = to;
    drop_value(m, m->t->inputs[i]);
    m->values[m->t->inputs[i]] = tensor_ref(to);
    if (node->out.kind == ARG_value) {
        drop_value(m, node->out.v);
        m->values[node->out.v] = tensor_ref(to);
    }
    return true;
}

static void delete_value(ValueId v, void *user)
{
    drop_value(user, v);
}

static void no_executor(Machine *m, NodeId n)
{
    const Executor *off = exec_off_taker(m->executors, m->t, n);
    DiagItem *item = diag_error(m->diag, DIAG_compile, (Span){0}, "no-executor",
                                "no executor that is switched on takes prims.%s",
                                m->t->nodes[n].op->name);
    diag_help(m->diag, item, off ? "executor on %s" : "executors", off ? off->name : "");
}

static bool call_executor(Machine *m, const Executor *e, NodeId n);

/* Whether node n, or one of those inside it, fails by itself, with an error of its own. */
static bool member_fails(Machine *m, NodeId n)
{
    if (m->t->nodes[n].span == 1) {
        Kernel *const *kernels = m->kernels;
        m->kernels = NULL;
        arg_each_value(m->t->nodes[n].out, delete_value, m);
        bool good = call_executor(m, exec_last(m->executors), n);
        m->kernels = kernels;
        return !good;
    }
    for_sub(m->t, n, i)
        if (member_fails(m, i))
            return true;
    return false;
}

bool value_refused(const Diag *d)
{
    const char *code = d->last ? d->last->code : NULL;
    return code && (strcmp(code, "index-out-of-range") == 0 || strcmp(code, "zero-division") == 0);
}

static bool written_over(const Machine *m, NodeId n)
{
    ValueId outs[MAX_OUTPUTS];
    uint32_t count = arg_values(m->t->nodes[n].out, outs, MAX_OUTPUTS);
    for (uint32_t i = 0; i < count && i < MAX_OUTPUTS; i++)
        if (value_over(m->t, n, outs[i]))
            return true;
    return false;
}

/* A kernel can only say that some value was refused; its members, one by one, say which and where,
 * unless the kernel may have written over what they read. */
static bool launch_or_explain(Machine *m, NodeId n, ExecCall *call, bool planned)
{
    const Executor *e = m->kernels[n]->executor;
    Diag own = {0}, *diag = call->diag;
    call->diag = &own;
    bool good = launch_kernel(m, m->kernels[n], call);
    if (good && m->s->explaining && e->check)
        good = e->check(m->kernels[n], &own);
    call->diag = diag;
    if (!good && value_refused(&own)) {
        if (planned && written_over(m, n))
            m->s->refused = true;
        else if (member_fails(m, n))
            diag_clear(&own);
    }
    diag_move(diag, &own);
    return good;
}

static bool call_executor(Machine *m, const Executor *e, NodeId n)
{
    const DiagItem *before = m->diag->last;
    ExecCall call = {m->t, n, m->values, m->rounding, m->diag, &m->s->interrupt, NULL, false};
    HostUse use;
    if (e && e->device)
        call.device = session_device(m->s, e->device, m->diag);
    else
        host_begin(m->s, m->t, n, m->values, &use);
    if (!e) {
        no_executor(m, n);
    } else if (m->kernels && m->kernels[n]) {
        /* The plan gives a view the place of what it looks at; a kernel copies. */
        bool planned = !m->kept && !m->unplanned && !m->ignore_claims &&
                       !(m->t->nodes[n].op->flags & OP_VIEW);
        kernels_place(m->s, m->t, n, call.device, planned, m->values);
        if (launch_or_explain(m, n, &call, planned)) {
            if (planned && m->t->plan_bytes >= 0)
                arg_each_value(m->t->nodes[n].out, drop_overwritten, &(Drop){m, n});
            if (!e->device)
                host_end(m->t, n, &use);
            else if (m->noting && !call.device->held)
                call.device->driver->note(call.device, n + 1);
            return true;
        }
    } else if (e->run(&call)) {
        host_end(m->t, n, &use);
        return true;
    } else if ((before ? before->next : m->diag->first) == NULL && m->s->interrupt) {
        return !interrupted(m, n);
    }
    place_errors(m->s, m->p, m->t, failed_at(m, n), before, m->diag);
    return false;
}

static void drop_if_done(ValueId v, void *user)
{
    const Drop *d = user;
    if (d->m->last_use[v] == d->after)
        drop_value(d->m, v);
}

/* Values of top-level node n, its own and those inside it, that nobody reads any more. */
static void drop_unused(Machine *m, NodeId n)
{
    Drop d = {m, n};
    for (NodeId i = n; i < n + m->t->nodes[n].span; i++) {
        const Node *node = &m->t->nodes[i];
        arg_each_value((Arg){.kind = ARG_tuple, .n = node->nargs, .items = node->args},
                       drop_if_done, &d);
        arg_each_value(node->out, drop_if_done, &d);
    }
}

static void keep_value(ValueId v, void *user)
{
    Machine *m = user;
    Tensor *t = m->values[v];
    if (!t || m->kept[v] || (m->keep && (v >= m->nkeep || !m->keep[v])))
        return;
    m->kept[v] = m->written[v] ? tensor_clone(t) : tensor_ref(t);
}

static bool prepare_kernels(Machine *m);

/* A composite that the oracle can only compute in blocks. Their runs may have taken the place
 * of this one's kernels. */
static bool run_blocks(Machine *m, NodeId n)
{
    const DiagItem *before = m->diag->last;
    BlockRun x = {m->s, m->t, n, m->values, m->executors, m->diag, 0};
    bool good = blocks_run(&x) && prepare_kernels(m);
    if (!good)
        place_errors(m->s, m->p, m->t, n, before, m->diag);
    return good;
}

static bool run_node(Machine *m, NodeId n)
{
    const Node *node = &m->t->nodes[n];
    if (node->op->flags & OP_CONTROL) {
        if (node->op->id == PRIM_python_del)
            arg_each_value(node->args[0], delete_value, m);
        return true;
    }
    if (interrupted(m, n))
        return false;
    if (m->replaced && m->replaced[n])
        return replace_input(m, n);
    const Executor *e = choose(m, n);
    if (e || node->span == 1) {
        if (node->span == 1 && node->op->decompose && !node->executor)
            return true; /* a composite that computes nothing */
        if (!call_executor(m, e, n))
            return false;
    } else if (m->wide && blocks_wanted(m->t, n)) {
        if (!run_blocks(m, n))
            return false;
    } else {
        for_sub(m->t, n, i)
            if (!run_node(m, i))
                return false;
    }
    if (m->kept)
        arg_each_value(node->out, keep_value, m);
    return true;
}

/* ------------------------------------------------------------------------------------- kernels */

typedef struct Wanted {
    NodeId *nodes;
    const Executor **executors;
    uint32_t n;
} Wanted;

/* Node n and what is opened below it: those that run through kernels. */
static void want_kernels(Machine *m, NodeId n, Wanted *w)
{
    const Node *node = &m->t->nodes[n];
    if ((node->op->flags & OP_CONTROL) || (node->span == 1 && node->op->decompose))
        return;
    const Executor *e = choose(m, n);
    if (e && e->compile) {
        w->nodes[w->n] = n;
        w->executors[w->n++] = e;
    } else if (!e && node->span > 1 && !(m->wide && blocks_wanted(m->t, n))) {
        for_sub(m->t, n, i)
            want_kernels(m, i, w);
    }
}

static bool any_kernels(const ExecList *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->on[i] && l->items[i]->compile)
            return true;
    return false;
}

static bool prepare_kernels(Machine *m)
{
    if (!any_kernels(m->executors))
        return true;
    uint32_t count = m->t->nnodes + 1;
    Wanted w = {run_realloc(NULL, count * sizeof *w.nodes),
                run_realloc(NULL, count * sizeof *w.executors), 0};
    for_top(m->t, n)
        want_kernels(m, n, &w);
    if (w.n)
        m->kernels = kernels_of(m->s, m->t, w.executors, w.nodes, w.n, m->diag);
    bool good = w.n == 0 || m->kernels;
    free(w.nodes);
    free(w.executors);
    return good;
}

uint32_t kernel_nodes(Session *s, Program *p, const Trace *t, NodeId *nodes,
                      const Executor **executors)
{
    Machine m = {.s = s, .p = p, .t = t, .executors = program_executors(p)};
    Wanted w = {nodes, executors, 0};
    if (any_kernels(m.executors))
        for_top(t, n)
            want_kernels(&m, n, &w);
    sb_free(&m.scratch);
    return w.n;
}

/* ------------------------------------------------------------------------------- whole traces */

static bool set_inputs(Machine *m, Tensor *const *inputs, Run *out)
{
    const Trace *t = m->t;
    for (uint32_t i = 0; i < t->ninputs; i++) {
        ValueId v = t->inputs[i];
        const Value *val = &t->values[v];
        Tensor *x = inputs ? inputs[i] : NULL;
        if (!x && arg_is_number(val->known)) {
            m->values[v] = tensor_from_number(val->known);
        } else if (!x) {
            if (m->last_use[v] == NEVER_USED)
                continue;
            diag_help(m->diag,
                      diag_error(m->diag, DIAG_usage, (Span){0}, "unbound-input",
                                 "input %.*s has no value", STR(val->name)),
                      "bind FILE, or bind --random");
            return false;
        } else if (m->written[v]) {
            m->values[v] = tensor_clone(x);
            out->mutated[i] = tensor_ref(m->values[v]);
        } else {
            m->values[v] = tensor_ref(x);
        }
        if (m->kept)
            keep_value(v, m);
    }
    return true;
}

/* Of work that is only recorded there is nothing to tell, and of steps that were told before. */
static void emit_node(const Machine *m, EventKind kind, NodeId n)
{
    if (m->s->explaining || (m->s->devices[0] && m->s->devices[0]->held))
        return;
    session_emit(m->s, &(Event){.kind = kind, .program = m->p, .trace = m->t, .node = n,
                                .values = m->kept ? m->kept : m->values});
}

bool node_run(Session *s, Program *p, const Trace *t, NodeId n, Tensor **values, Rounding rounding,
              Diag *d)
{
    Machine m = {.s = s, .p = p, .t = t, .executors = program_executors(p), .rounding = rounding,
                 .diag = d, .values = values};
    bool good = run_node(&m, n);
    sb_free(&m.scratch);
    return good;
}

/* The device on which the kernel of node n runs; NULL = the host. */
static OpenDevice *timed_device(const Machine *m, NodeId n)
{
    const Kernel *k = m->kernels ? m->kernels[n] : NULL;
    for (size_t i = 0; k && k->executor->device && i < MAX_OPEN_DEVICES && m->s->devices[i]; i++)
        if (m->s->devices[i]->driver == k->executor->device && !m->s->devices[i]->held)
            return m->s->devices[i];
    return NULL;
}

/* What runs on a device is timed by marks in its queue, else by the clock. */
static bool run_timed(Machine *m, NodeId n)
{
    OpenDevice *dev = timed_device(m, n);
    devices_settle(m->s);
    uint64_t start = clock_ns();
    bool marked = dev && dev->driver->mark(dev, 0), good = run_node(m, n);
    double ms = good && marked && dev->driver->mark(dev, 1) ? dev->driver->between_marks(dev) : -1;
    devices_settle(m->s);
    m->node_ns[n] += ms >= 0 ? (uint64_t)(ms * 1e6) : clock_ns() - start;
    return good;
}

/* ------------------------------------------------------------------------------------ pieces */

static bool run_piece(void *user, NodeId first, NodeId end, Diag *d)
{
    Machine *m = user;
    Diag *diag = m->diag;
    bool good = true;
    m->diag = d;
    for (NodeId n = first; n < end && good; n += m->t->nodes[n].span) {
        good = run_node(m, n);
        drop_unused(m, n);
    }
    m->diag = diag;
    return good;
}

static void piece_done(void *user, NodeId first, NodeId end)
{
    Machine *m = user;
    for (NodeId n = first; n < end; n += m->t->nodes[n].span) {
        const Node *node = &m->t->nodes[n];
        if (node->op->id == PRIM_python_del)
            arg_each_value(node->args[0], delete_value, m);
        drop_unused(m, n);
    }
}

/* The piece that begins at m->next, when there is one: then m->next is behind it. */
static PieceResult play_piece(Machine *m)
{
    PieceEnv e = {m->s, m->t, m->values, run_piece, piece_done, m};
    PieceResult r = piece_run(m->pieces, m->next, &e, &m->next);
    const OpenDevice *dev = m->s->devices[0];
    if (r == PIECE_failed)
        diag_error(m->diag, DIAG_device, (Span){0}, "device-failed", "%s: %s", dev->info.name,
                   dev->failure);
    return r;
}

static bool any_written(const Machine *m)
{
    bool any = false;
    for (ValueId v = 0; v < m->t->nvalues && !any; v++)
        any = m->written[v];
    return any;
}

/* From m->next to the end, or to where a listener wants to pause. */
static bool run_nodes(Machine *m)
{
    while (m->next < m->t->nnodes) {
        NodeId n = m->next;
        PieceResult piece = m->pieces ? play_piece(m) : PIECE_plain;
        if (piece == PIECE_failed)
            return false;
        if (piece == PIECE_played) {
            m->s->played++;
            continue;
        }
        emit_node(m, EVENT_node_begin, n);
        if (!(m->node_ns ? run_timed(m, n) : run_node(m, n)))
            return false;
        m->s->pause = false;
        emit_node(m, EVENT_node_end, n);
        drop_unused(m, n);
        m->next += m->t->nodes[n].span;
        m->paused = m->s->pause && m->p;
        if (m->paused)
            return true;
    }
    return true;
}

static bool take_outputs(Machine *m, Run *out)
{
    uint32_t n = trace_outputs(m->t, NULL, 0);
    Arg *leaves = run_realloc(NULL, n * sizeof *leaves);
    trace_outputs(m->t, leaves, n);
    out->outputs = run_realloc(NULL, n * sizeof *out->outputs);
    memset(out->outputs, 0, n * sizeof *out->outputs);
    out->noutputs = n;
    bool good = true;
    for (uint32_t i = 0; i < n && good; i++) {
        if (leaves[i].kind == ARG_value) {
            Tensor *x = m->values[leaves[i].v];
            good = x != NULL || m->t->values[leaves[i].v].type.kind > VALUE_number;
            if (x)
                out->outputs[i] = kernels_own(m->s, x) ? tensor_clone(x) : tensor_ref(x);
            else if (!good)
                diag_error(m->diag, DIAG_compile, (Span){0}, "no-output",
                           "output %u (%.*s) was not computed", i,
                           STR(m->t->values[leaves[i].v].name));
        } else if (arg_is_number(leaves[i])) {
            out->outputs[i] = tensor_from_number(leaves[i]);
        }
    }
    free(leaves);
    return good;
}

/* Work on devices goes on behind the run's back unless it is waited for. */
static bool finish(const Machine *m)
{
    const DiagItem *before = m->diag->last;
    if (m->queue_only || devices_finish(m->s, m->t, m->kernels, m->diag))
        return true;
    NodeId at = failed_at(m, NO_NODE);
    if (at != NO_NODE)
        place_errors(m->s, m->p, m->t, at, before, m->diag);
    return false;
}

static void machine_free(Machine *m)
{
    for (ValueId v = 0; v < m->t->nvalues; v++)
        tensor_unref(m->values[v]);
    free(m->values);
    free(m->last_use);
    free(m->written);
    free(m->replaced);
    sb_free(&m->scratch);
    free(m);
}

static bool guarded_nodes(Machine *m)
{
    m->guard = m->kernels ? guard_new(kernel_timeout(m->s)) : NULL;
    guard_enter(m->guard);
    bool good = run_nodes(m);
    guard_leave(m->guard);
    guard_free(m->guard);
    m->guard = NULL;
    return good;
}

typedef struct ThreadRun {
    Machine *m;
    bool good;
    sem_t done;
} ThreadRun;

/* A thread in which a kernel crashed does not end: it would wait for the threads of its pool. */
static void *nodes_in_thread(void *user)
{
    ThreadRun *run = user;
    Machine *m = run->m;
    m->crashed = false;
    run->good = guarded_nodes(m);
    bool crashed = m->crashed;
    sem_post(&run->done);
    while (crashed)
        pause();
    return NULL;
}

/* The thread pool of a thread in which a kernel crashed hangs: a new thread has a new pool. */
static bool nodes_or_thread(Machine *m)
{
    pthread_t thread;
    ThreadRun run = {.m = m};
    if (!m->s->crashed)
        return guarded_nodes(m);
    sem_init(&run.done, 0, 0);
    if (pthread_create(&thread, NULL, nodes_in_thread, &run) != 0)
        return guarded_nodes(m);
    while (sem_wait(&run.done) != 0)
        ;
    if (m->crashed)
        pthread_detach(thread);
    else
        pthread_join(thread, NULL);
    sem_destroy(&run.done);
    return run.good;
}

/* Runs what is left; the machine stays in *out when the run pauses again. */
static bool machine_go(Machine *m, Run *out)
{
    uint64_t start = clock_ns();
    m->paused = false;
    out->paused = NULL;
    bool good = prepare_kernels(m);
    if (good)
        devices_send(m->s, m->t, m->kernels, m->values);
    if (good && m->replaced && !any_written(m))
        m->pieces = recording_pieces(m->s, m->t);
    good = good && nodes_or_thread(m);
    out->values = m->kept;
    if (good && m->paused) {
        out->paused = m;
        out->at = m->next;
        out->ns += clock_ns() - start;
        return true;
    }
    good = good && take_outputs(m, out) && finish(m);
    out->ns += clock_ns() - start;
    machine_free(m);
    if (!good)
        run_free(out);
    return good;
}

static bool run_once(Session *s, Program *p, const Trace *t, Tensor *const *inputs,
                     const RunOptions *o, Run *out, Diag *d)
{
    *out = (Run){.t = trace_ref(t)};
    uint64_t start = clock_ns();
    Machine *m = run_realloc(NULL, sizeof *m);
    *m = (Machine){.s = s, .p = p, .t = t, .rounding = o ? o->rounding : ROUND_dtype, .diag = d};
    m->ignore_claims = o && o->executors;
    if (m->ignore_claims)
        m->given = *o->executors;
    m->executors = m->ignore_claims ? &m->given : p ? program_executors(p) : &s->executors;
    size_t bytes = t->nvalues * sizeof(Tensor *);
    m->values = memset(run_realloc(NULL, bytes), 0, bytes);
    if (o && o->keep_values)
        m->kept = memset(run_realloc(NULL, bytes), 0, bytes);
    m->keep = o ? o->keep : NULL;
    m->nkeep = o && o->wide && t->parent ? t->parent->nvalues : t->nvalues;
    bytes = t->ninputs * sizeof(Tensor *);
    out->mutated = memset(run_realloc(NULL, bytes), 0, bytes);
    m->written = find_written(t);
    m->last_use = find_last_uses(t);
    m->mutated = out->mutated;
    if (recording_may(s, o))
        m->replaced = find_replaced(t, m->last_use, m->written);
    m->queue_only = o && o->queue_only;
    m->wide = o && o->wide;
    m->unplanned = o && o->unplanned;
    m->node_ns = o ? o->node_ns : NULL;
    m->noting = !(o && o->whole);
    for (size_t i = 0; m->noting && i < MAX_OPEN_DEVICES && s->devices[i]; i++)
        if (!s->devices[i]->held)
            s->devices[i]->driver->note(s->devices[i], 0);
    if (!set_inputs(m, inputs, out)) {
        out->values = m->kept;
        machine_free(m);
        run_free(out);
        return false;
    }
    out->ns = clock_ns() - start;
    return machine_go(m, out);
}

void session_pause(Session *s)
{
    s->pause = true;
}

bool session_resume(Run *run, Diag *d)
{
    Session *s = run->paused->s;
    run->paused->diag = d;
    SpentOn before = spent_turn(&s->spent, SPENT_run);
    s->running++;
    bool good = machine_go(run->paused, run);
    s->running--;
    spent_back(&s->spent, before);
    return good;
}

/* A run that finds no memory on a device has a second try without what others hold there. */
static bool run_with_room(Session *s, Program *p, const Trace *t, Tensor *const *inputs,
                          const RunOptions *o, Run *out, Diag *d)
{
    bool good = recorded_run(s, p, t, inputs, o, run_once, out, d);
    if (!good && memory_made_free(s, d)) {
        diag_clear(d);
        good = run_once(s, p, t, inputs, o, out, d);
    }
    if (!good) {
        explain_no_memory(s, p, t, d);
        memory_made_free(s, d);
    }
    return good;
}

static void set_explaining(Session *s, bool on)
{
    s->explaining = on;
    for (size_t i = 0; i < MAX_OPEN_DEVICES && s->devices[i]; i++)
        s->devices[i]->careful = on;
}

/* A kernel refused a value, and what it read is gone. Once more, statement by statement and with
 * nothing written over anything, the run says which value it was; *d becomes what it says. */
static void explain_refusal(Session *s, Program *p, const Trace *t, Tensor *const *inputs,
                            const RunOptions *o, Diag *d)
{
    RunOptions steps = o ? *o : (RunOptions){0};
    Diag again = {0};
    Run run;
    steps.unplanned = true;
    set_explaining(s, true);
    if (run_once(s, p, t, inputs, &steps, &run, &again)) {
        run_free(&run);
    } else {
        diag_clear(d);
        diag_move(d, &again);
    }
    diag_clear(&again);
    set_explaining(s, false);
}

/* After a failure of a device it is opened again for what comes next. Where it did not tell how far
 * it came, the run is repeated step by step, to find which node it was. */
static bool device_run(Session *s, Program *p, const Trace *t, Tensor *const *inputs,
                        const RunOptions *o, Run *out, Diag *d)
{
    Diag first = {0};
    s->played = 0;
    for (size_t i = 0; i < MAX_OPEN_DEVICES && s->devices[i]; i++)
        s->devices[i]->most = s->devices[i]->used;
    s->refused = false;
    bool good = run_with_room(s, p, t, inputs, o, out, &first);
    if (good)
        out->played = s->played;
    else if (s->refused)
        explain_refusal(s, p, t, inputs, o, &first);
    if (good || !devices_failed(s)) {
        diag_move(d, &first);
        return good;
    }
    bool named = !(o && o->whole) && !s->played, back = devices_reopen(s, !named);
    if (named || !back) {
        diag_move(d, &first);
    } else if (run_once(s, p, t, inputs, o, out, d)) {
        run_free(out);
        diag_move(d, &first);
    }
    diag_clear(&first);
    if (back && !named)
        back = devices_reopen(s, false);
    if (!back)
        diag_help(d, diag_error(d, DIAG_device, (Span){0}, "device-lost",
                                "the driver gives this process no new context after that; "
                                "programs and tensors of the host are still here"),
                  "restart, or executors c,interp");
    return false;
}

static bool machine_run(Session *s, Program *p, const Trace *t, Tensor *const *inputs,
                        const RunOptions *o, Run *out, Diag *d)
{
    if (reference_wanted(s, o))
        return reference_run(s, p, t, inputs, o, machine_run, out, d);
    SteadyResult steady = steady_run(s, p, t, inputs, o, out, d);
    if (steady != STEADY_not)
        return steady == STEADY_done;
    SpentOn before = spent_turn(&s->spent, SPENT_run);
    uint64_t once = spent_once(&s->spent);
    s->running++;
    bool good = device_run(s, p, t, inputs, o, out, d);
    s->running--;
    spent_back(&s->spent, before);
    if (good)
        out->once_ns = spent_once(&s->spent) - once;
    return good;
}

bool trace_run(Session *s, const Trace *t, Tensor *const *inputs, const RunOptions *o, Run *out,
               Diag *d)
{
    return machine_run(s, NULL, t, inputs, o, out, d);
}

Tensor **bound_inputs(const Program *p, const Trace *t)
{
    Tensor **inputs = run_realloc(NULL, t->ninputs * sizeof *inputs);
    for (uint32_t i = 0; i < t->ninputs; i++) {
        MapEntry *e = map_get(&p->bindings, t->values[t->inputs[i]].name);
        inputs[i] = e ? e->p : NULL;
    }
    return inputs;
}

/* A machine without the device that the program names runs it on the CPU, and says so once. */
static void tell_device(Session *s, const ExecList *l, const Trace *t, Diag *d)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->on[i] && l->items[i]->device)
            return;
    for (ValueId v = 1; v < t->nvalues && !s->told_device; v++) {
        const Type *type = &t->values[v].type;
        if (type->kind != VALUE_tensor || type->device.type != DEV_cuda)
            continue;
        StrBuf name = {0};
        device_print(type->device, &name);
        diag_add(d, SEV_note, DIAG_device, (Span){0}, "no-device",
                 "%s is not used here: the program runs on the CPU", sb_cstr(&name));
        sb_free(&name);
        s->told_device = true;
    }
}

bool session_run(Session *s, Program *p, const Stage *stage, const RunOptions *o, Run *out,
                 Diag *d)
{
    tell_device(s, program_executors(p), stage->trace, d);
    cotangents_fit(p, stage->trace);
    Tensor **inputs = bound_inputs(p, stage->trace);
    for (uint32_t i = 0; i < stage->trace->ninputs; i++) {
        const Value *v = &stage->trace->values[stage->trace->inputs[i]];
        if (!inputs[i] || tensor_fits(v, inputs[i], (Str){0}, d))
            continue;
        free(inputs);
        *out = (Run){0};
        return false;
    }
    bool good = machine_run(s, p, stage->trace, inputs, o, out, d);
    if (good)
        program_feed(p, out);
    free(inputs);
    return good;
}

void run_free(Run *r)
{
    if (!r->t)
        return;
    if (r->paused)
        machine_free(r->paused);
    for (ValueId v = 0; r->values && v < r->t->nvalues; v++)
        tensor_unref(r->values[v]);
    for (uint32_t i = 0; i < r->noutputs; i++)
        tensor_unref(r->outputs[i]);
    for (uint32_t i = 0; r->mutated && i < r->t->ninputs; i++)
        tensor_unref(r->mutated[i]);
    free(r->values);
    free(r->outputs);
    free(r->mutated);
    trace_unref((Trace *)r->t);
    *r = (Run){0};
}
