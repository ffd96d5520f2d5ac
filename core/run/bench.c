/*
 * bench.c - how long a stage takes, beside how fast this machine copies memory.
 *
 * Input: a stage and its bound inputs. Output: times of many runs, bytes and FLOPs from its types,
 * and the measured copy rate, in one place so that both sides come from one machine and session.
 * What runs on a device is timed by marks in its queue, with its cache emptied before each run.
 */
#include "judge.h"
#include "numbers.h"
#include "run.h"

#include <stdlib.h>

enum { COPY_ROUNDS = 7, MAX_TIMES = 100000 };

/* How long runs are timed before copies are again. */
#define SLICE_MS 30
enum { SLICE_RUNS = 5, LEAST_COPIES = 7 };

double session_copy_rate(Session *s)
{
    Copying *c = run_realloc(NULL, sizeof *c);
    if (s->copy_rate <= 0 && copying_begin(c, copying_large() / 2, copying_large() / 2)) {
        for (int i = 0; i < COPY_ROUNDS; i++)
            copying_sample(c);
        s->copy_rate = copying_rate(c);
        copying_end(c);
    }
    free(c);
    return s->copy_rate;
}

/* The rate of copies on a device. */
static double measure_device_copy(OpenDevice *dev)
{
    uint64_t a = 0, b = 0;
    size_t bytes = (size_t)1 << 30;
    double best = -1;
    bool good = device_take(dev, bytes, &a) && device_take(dev, bytes, &b);
    for (int i = 0; i < 2 * COPY_ROUNDS && good; i++) {
        good = dev->driver->mark(dev, 0) && dev->driver->copy(dev, b, a, bytes) &&
               dev->driver->mark(dev, 1);
        double ms = good ? dev->driver->between_marks(dev) : -1;
        if (ms > 0 && (best < 0 || ms < best))
            best = ms;
    }
    if (a)
        device_give(dev, a, bytes);
    if (b)
        device_give(dev, b, bytes);
    device_trim(dev);
    return best > 0 ? 2.0 * (double)bytes / (best * 1e-3) : 0;
}

typedef struct Bench {
    Session *s;
    Program *p;
    const Stage *st;
    OpenDevice *dev; /* NULL: the host's clock tells the time */
    uint64_t flush;  /* memory on dev that is written to empty its cache; 0 = none */
    size_t flush_bytes;
} Bench;

static bool run_once(const Bench *b, bool queue_only, Diag *d)
{
    Run run = {0};
    RunOptions o = {.whole = true, .queue_only = queue_only};
    bool good = session_run(b->s, b->p, b->st, &o, &run, d);
    run_free(&run);
    return good;
}

static bool time_on_host(const Bench *b, double *ms, Diag *d)
{
    uint64_t start = clock_ns();
    bool good = run_once(b, false, d);
    *ms = (double)(clock_ns() - start) * 1e-6;
    return good;
}

static bool time_on_device(const Bench *b, double *ms, Diag *d)
{
    OpenDevice *dev = b->dev;
    bool good = (!b->flush || dev->driver->fill(dev, b->flush, 0, b->flush_bytes)) &&
                dev->driver->mark(dev, 0) && run_once(b, true, d) && dev->driver->mark(dev, 1);
    *ms = good ? dev->driver->between_marks(dev) : -1;
    if (good && *ms < 0)
        diag_error(d, DIAG_device, (Span){0}, "device-failed", "%s: %s", dev->info.name,
                   dev->failure);
    return good && *ms >= 0;
}

static bool time_once(const Bench *b, double *ms, Diag *d)
{
    return b->dev ? time_on_device(b, ms, d) : time_on_host(b, ms, d);
}

OpenDevice *kernels_device(Session *s, const Trace *t)
{
    Kernel *const *kernels = kernels_kept(s, t);
    bool any = false;
    for (NodeId n = 0; kernels && n < t->nnodes; n++) {
        if (!kernels[n])
            continue;
        if (!kernels[n]->executor->device)
            return NULL;
        any = true;
    }
    return any ? s->devices[0] : NULL;
}

static void prepare_device(Bench *b)
{
    b->dev = kernels_device(b->s, b->st->trace);
    if (!b->dev)
        return;
    b->flush_bytes = 4 * (size_t)b->dev->info.l2;
    if (!device_take(b->dev, b->flush_bytes, &b->flush))
        b->flush = 0;
}

static void fill_result(Session *s, const Stage *st, const Bench *b, double *times,
                        BenchResult *out)
{
    qsort(times, out->n, sizeof *times, order_of_doubles);
    out->median_ms = times[out->n / 2];
    out->p10_ms = times[out->n / 10];
    out->p90_ms = times[(uint32_t)((uint64_t)out->n * 9 / 10)];
    Cost c = trace_cost(st->trace);
    out->bytes = c.bytes_moved;
    out->least = c.bytes_least;
    out->flops = c.flops;
    if (b->dev && s->device_copy_rate <= 0)
        s->device_copy_rate = measure_device_copy(b->dev);
    if (b->dev)
        out->copy_rate = s->device_copy_rate;
    out->matmul_rate = b->dev ? 0 : session_matmul_rate(s);
    for (const Stage *x = st; x; x = x->parent)
        out->trace_s += (double)x->ns * 1e-9;
    Kernel *const *kernels = kernels_kept(s, st->trace);
    for (NodeId n = 0; kernels && n < st->trace->nnodes; n++)
        if (kernels[n] && (double)kernels[n]->compile_ns * 1e-9 > out->compile_s)
            out->compile_s = (double)kernels[n]->compile_ns * 1e-9;
}

enum { WARM_UP = 4 }; /* until a device has recorded the run */

/* Runs for about so long, at least 5 times; with copies in between where there is memory. */
static bool time_all(const Bench *b, double seconds, Copying *copies, double *times, uint32_t *n,
                     Diag *d)
{
    double ms, total = 0, slice = 0;
    uint32_t runs = 0;
    bool good = true;
    *n = 0;
    while (good && *n < MAX_TIMES && (*n < 5 || total < seconds * 1e3)) {
        good = time_once(b, &ms, d);
        times[(*n)++] = ms;
        total += ms;
        slice += ms;
        if (++runs < SLICE_RUNS || slice < SLICE_MS || !copies)
            continue;
        copying_sample(copies);
        slice = runs = 0;
    }
    while (good && copies && copies->n < LEAST_COPIES)
        copying_sample(copies);
    return good;
}

bool session_bench(Session *s, Program *p, const Stage *st, double seconds, BenchResult *out,
                   Diag *d)
{
    Bench b = {.s = s, .p = p, .st = st};
    double ms, *times = run_realloc(NULL, MAX_TIMES * sizeof *times);
    Copying *copies = run_realloc(NULL, sizeof *copies);
    *out = (BenchResult){0};
    bool good = time_on_host(&b, &ms, d);
    out->first_s = good ? ms * 1e-3 : 0;
    if (good)
        prepare_device(&b);
    for (int i = 0; i < WARM_UP && good && b.dev; i++)
        good = time_once(&b, &ms, d);
    Cost least = trace_cost(st->trace);
    bool copying = good && !b.dev &&
                   copying_begin(copies, least.bytes_in, least.bytes_least - least.bytes_in);
    good = good && time_all(&b, seconds, copying ? copies : NULL, times, &out->n, d);
    if (good)
        fill_result(s, st, &b, times, out);
    if (copying) {
        out->copy_rate = copying_rate(copies);
        copying_end(copies);
    }
    if (b.flush && s->devices[0] == b.dev)
        device_give(b.dev, b.flush, b.flush_bytes);
    free(times);
    free(copies);
    return good;
}

/* -------------------------------------------------------------------------------- one statement */

static void add_operand(ValueId v, void *user)
{
    Trace *t = user;
    if (trace_is_input(t, v))
        return;
    t->inputs = run_realloc(t->inputs, (t->ninputs + 1) * sizeof *t->inputs);
    t->inputs[t->ninputs++] = v;
}

/* The program that is node n alone: its operands are inputs, its results outputs. */
static Trace *node_alone(const Trace *whole, NodeId n)
{
    Trace *t = trace_derive(whole);
    t->kind = TRACE_computation;
    t->ninputs = 0;
    for (uint32_t i = 0; i < whole->nodes[n].nargs; i++)
        arg_each_value(whole->nodes[n].args[i], add_operand, t);
    trace_copy_node(t, whole, n, NULL);
    t->output = whole->nodes[n].out;
    if (!arg_is_seq(t->output))
        t->output = arg_tuple(t, &t->output, 1);
    trace_finish(t);
    return t;
}

/* Binds the operands to what the run of the whole has made. */
static void bind_operands(Program *alone, const Trace *t, const Run *run)
{
    for (uint32_t i = 0; i < t->ninputs; i++) {
        Tensor *made = run->values[t->inputs[i]];
        MapEntry *e = map_put(&alone->bindings, t->values[t->inputs[i]].name, NULL);
        if (!made)
            continue;
        tensor_unref(e->p);
        e->p = tensor_ref(made);
    }
}

bool session_bench_node(Session *s, Program *p, const Stage *st, NodeId n, double seconds,
                        BenchResult *out, Diag *d)
{
    RunOptions keep = {.keep_values = true};
    Run run = {0};
    *out = (BenchResult){0};
    if (!session_run(s, p, st, &keep, &run, d))
        return false;
    RuleLog log = {0};
    Trace *t = node_alone(st->trace, n);
    Stage from = {.name = st->name, .trace = t};
    Program *alone = program_copy(s, p, &from, &log);
    bind_operands(alone, t, &run);
    bool good = session_bench(s, alone, alone->root, seconds, out, d);
    program_copy_free(alone);
    trace_unref(t);
    run_free(&run);
    log_free(&log);
    return good;
}
