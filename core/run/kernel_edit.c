/*
 * kernel_edit.c - a kernel that a person wrote, tried beside the generated one.
 *
 * Input: a text for one kernel of a stage. Output: whether it computes the same, and both times. It
 * runs in processes of its own, on the values that the stage has there; the oracle runs the
 * statements that the kernel stands for in double precision on the same values.
 */
#include "guard.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, LAUNCHES = 8 };

typedef struct Trial {
    Session *s;
    Program *p;
    const Trace *t;
    NodeId n;
    Tensor **inputs; /* by value: those that the node reads */
    Tensor **oracle;
    Diag *d;
} Trial;

static void unref_all(const Trace *t, Tensor **values)
{
    for (ValueId v = 0; values && v < t->nvalues; v++)
        tensor_unref(values[v]);
    free(values);
}

static Tensor **no_values(const Trace *t)
{
    size_t bytes = t->nvalues * sizeof(Tensor *);
    return memset(run_realloc(NULL, bytes), 0, bytes);
}

typedef struct Copy {
    Tensor **from, **to;
    bool exact; /* floats as doubles */
} Copy;

static void copy_value(ValueId v, void *user)
{
    Copy *c = user;
    Tensor *x = c->from[v];
    if (!x || c->to[v])
        return;
    DType d = dtype_is_complex(x->dtype) ? DT_c128 : DT_f64;
    c->to[v] = c->exact && dtype_is_inexact(x->dtype) ? tensor_cast(x, d) : tensor_ref(x);
}

/* The values that the node and its members read. */
static Tensor **operands(const Trial *x, Tensor **from, bool exact)
{
    Copy c = {from, no_values(x->t), exact};
    for (NodeId i = x->n; i < x->n + x->t->nodes[x->n].span; i++) {
        const Node *node = &x->t->nodes[i];
        arg_each_value((Arg){.kind = ARG_tuple, .n = node->nargs, .items = node->args}, copy_value,
                       &c);
    }
    return c.to;
}

/* Without what the node makes: each launch makes it again. */
static void drop_results(const Trial *x, Tensor **values)
{
    ValueId outs[MAX_OUTPUTS];
    uint32_t n = arg_values(x->t->nodes[x->n].out, outs, MAX_OUTPUTS);
    for (uint32_t i = 0; i < n && i < MAX_OUTPUTS; i++) {
        tensor_unref(values[outs[i]]);
        values[outs[i]] = NULL;
    }
}

static bool prepare(Trial *x, const Stage *st)
{
    RunOptions o = {.keep_values = true};
    Run run;
    if (!session_run(x->s, x->p, st, &o, &run, x->d))
        return false;
    x->inputs = operands(x, run.values, false);
    run_free(&run);
    drop_results(x, x->inputs);
    x->oracle = operands(x, x->inputs, true);
    return node_run(x->s, x->p, x->t, x->n, x->oracle, ROUND_f64, x->d);
}

static Comparison compare_results(const Trial *x, Tensor *const *values)
{
    ValueId outs[MAX_OUTPUTS];
    Comparison worst = {.equal = true, .same_type = true};
    uint32_t n = arg_values(x->t->nodes[x->n].out, outs, MAX_OUTPUTS);
    for (uint32_t i = 0; i < n && i < MAX_OUTPUTS; i++) {
        Tensor *want = tensor_cast(x->oracle[outs[i]], values[outs[i]]->dtype);
        Comparison c = tensor_compare(values[outs[i]], want, -1, -1);
        if (i == 0 || (worst.equal && (!c.equal || c.max_ulp > worst.max_ulp)))
            worst = c;
        tensor_unref(want);
    }
    return worst;
}

/* The same on a device, which no other process can use: a kernel that fails there costs what lies
 * on the device, and the device is opened again. */
static bool launch_on_device(const Trial *x, Kernel *k, ExecCall *call, double *ms)
{
    OpenDevice *dev = call->device = session_device(x->s, k->executor->device, x->d);
    bool good = dev && k->executor->launch(k, call) && dev->driver->wait(dev, call->interrupt) &&
                dev->driver->mark(dev, 0);
    for (int i = 0; i < LAUNCHES && good; i++)
        good = k->executor->launch(k, call);
    good = good && dev->driver->mark(dev, 1);
    *ms = good ? dev->driver->between_marks(dev) / LAUNCHES : -1;
    good = good && *ms >= 0 && (!k->executor->check || k->executor->check(k, x->d));
    if (dev && dev->failure[0] && !x->d->nerrors)
        diag_error(x->d, DIAG_device, (Span){0}, "kernel-failed", "%.*s: %s", STR(k->name),
                   dev->failure);
    return good;
}

/* Launches it some times; *ms is the least time of one. */
static bool try_kernel(const Trial *x, Kernel *k, double *ms, Comparison *c)
{
    ExecCall call = {.t = x->t, .node = x->n, .values = x->inputs, .diag = x->d,
                     .interrupt = &x->s->interrupt};
    bool good = k->executor->device
                    ? launch_on_device(x, k, &call, ms)
                    : isolated_launch(k, &call, kernel_timeout(x->s), LAUNCHES, ms) == GUARD_good;
    if (!good)
        return false;
    *c = compare_results(x, x->inputs);
    drop_results(x, x->inputs);
    return true;
}

static bool both(const Trial *x, Kernel *before, Kernel *after, KernelEdit *out)
{
    Turns turns = {0};
    for (; turns.n < ROUNDS; turns.n++)
        if (!try_kernel(x, after, &turns.ms[1][turns.n], &out->after) ||
            !try_kernel(x, before, &turns.ms[0][turns.n], &out->before))
            return false;
    out->noise = turns_noise(&turns);
    out->old_ms = turns_median(turns.ms[0], turns.n);
    out->new_ms = turns_median(turns.ms[1], turns.n);
    if (out->after.equal)
        return true;
    DiagItem *item = diag_error(x->d, DIAG_check, (Span){0}, "kernel-wrong",
                                "kernel %.*s as edited gives %.9g where the oracle gives %.9g "
                                "(%lld of %lld element%s wrong)", STR(after->name), out->after.got,
                                out->after.want, (long long)out->after.wrong,
                                (long long)out->after.total, plural(out->after.total));
    diag_note(x->d, item, "the generated kernel stays in use");
    diag_help(x->d, item, "kernel %.*s edit", STR(after->name));
    return false;
}

bool session_kernel_edit(Session *s, Program *p, const Stage *st, Str name, Str text,
                         KernelEdit *out, Diag *d)
{
    Trial x = {.s = s, .p = p, .t = st->trace, .d = d};
    *out = (KernelEdit){0};
    x.n = kernel_find(s, st, name, d);
    if (x.n == NO_NODE)
        return false;
    Kernel *before = kernel_compile(s, x.t, x.n, (Str){0}, d);
    const DiagItem *last = d->last;
    Kernel *after = before ? kernel_compile(s, x.t, x.n, text, d) : NULL;
    bool good = after && prepare(&x, st) && both(&x, before, after, out);
    for (DiagItem *item = good ? NULL : last ? last->next : d->first; item; item = item->next) {
        if (after == NULL && before)
            diag_help(d, item, "kernel %.*s edit", STR(name));
        if (item->where.n == 0) {
            StrBuf where = {0};
            producer_print(x.t, node_result(x.t, x.n), &where);
            diag_where(d, item, "%s", sb_cstr(&where));
            sb_free(&where);
        }
    }
    if (good) {
        kernel_keep_edit(s, before->hash, text);
        out->isolated = !before->executor->device;
    }
    if (devices_failed(s))
        devices_reopen(s, false); /* before anything that lies there is given back */
    if (before)
        before->executor->drop(before);
    if (after)
        after->executor->drop(after);
    unref_all(x.t, x.inputs);
    unref_all(x.t, x.oracle);
    return good;
}

bool session_kernel_revert(Session *s, const Stage *st, Str name, Diag *d)
{
    NodeId n = kernel_find(s, st, name, d);
    Kernel *k = n == NO_NODE ? NULL : kernel_compile(s, st->trace, n, (Str){0}, d);
    if (!k)
        return false;
    kernel_keep_edit(s, k->hash, (Str){0});
    k->executor->drop(k);
    return true;
}
