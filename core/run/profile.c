/*
 * profile.c - where the time of a stage goes, statement by statement.
 *
 * Input: a stage and its bound inputs. Output: for each top-level node its time, and the bytes and
 * operations that its types say; beside them the ceilings of this machine, both measured here: how
 * fast memory is copied, and how fast a large matrix product is. Times are those of real runs, and
 * what the rows leave of the whole is told, too. On a device, rows are timed one by one by marks in
 * its queue, the whole as `bench` does, and the ceilings are those of the device.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_RUNS = 4, MAX_RUNS = 400, MAX_PRODUCTS = 30 };

/* ------------------------------------------------------------------------------- matrix product */

/* The best of products of this size within a time; the first, which makes its kernel, does not
 * count. */
static double best_product(Session *s, Program *p, int size, double seconds, Diag *d)
{
    Stage *last = program_bind_random(s, p, 1, d)
                      ? program_stage(s, p, program_stage_count(p) - 1, d)
                      : NULL;
    RunOptions o = {.whole = true};
    Run run;
    double best = 0, spent = 0;
    for (int i = 0; last && i < MAX_PRODUCTS && spent < seconds; i++) {
        if (!session_run(s, p, last, &o, &run, d))
            break;
        double took = (double)run.ns * 1e-9, rate = 2.0 * size * size * size / took;
        best = rate > best ? rate : best;
        spent += i > 0 ? took : 0;
        run_free(&run);
    }
    return best;
}

/* Whether everything that computes runs on a device. */
static bool computes_on_device(const Program *p, const Trace *t)
{
    for_top(t, n) {
        const char *name = t->nodes[n].executor;
        const Executor *e = name ? exec_find(program_executors(p), str_from(name)) : NULL;
        if (node_flops(t, n) > 0 && !(e && e->device))
            return false;
    }
    return true;
}

/* The same on a device, where marks tell the time; 0 when it would run elsewhere. */
static double device_product(Session *s, Program *p, int size, double seconds, Diag *d)
{
    BenchResult b;
    Stage *last = program_stage(s, p, program_stage_count(p) - 1, d);
    if (!last || !computes_on_device(p, last->trace) || !program_bind_random(s, p, 1, d) ||
        !session_bench(s, p, last, seconds, &b, d))
        return 0;
    return b.p10_ms > 0 ? 2.0 * size * size * size / (b.p10_ms * 1e-3) : 0;
}

typedef double ProductFn(Session *s, Program *p, int size, double seconds, Diag *d);

static double product_rate(Session *s, const char *type, int size, double seconds, ProductFn *fn)
{
    Diag d = {0};
    StrBuf text = {0};
    double best = 0;
    sb_printf(&text, "def f(x: \"%s[%d, %d]\", y: \"%s[%d, %d]\"):\n    return x @ y\n", type,
              size, size, type, size, size);
    TextFile *f = text_file_new(S("product"), sb_str(&text), &d);
    Program *p = f ? program_make(s, f, front_function(f->front, 0), NULL, 0, &d) : NULL;
    if (p) {
        p->quiet = true;
        best = fn(s, p, size, seconds, &d);
        program_free(p);
    }
    if (f)
        text_file_unref(f);
    sb_free(&text);
    diag_clear(&d);
    return best;
}

/* A small one first: where it is slow, a large one would take minutes. */
static void measure_product(Session *s)
{
    double small = product_rate(s, "f32", 64, 0.01, best_product), large = 0;
    if (small > 4e9)
        large = product_rate(s, "f32", 1536, 0.4, best_product);
    small = small > large ? small : large;
    s->matmul_rate = small > s->matmul_rate ? small : s->matmul_rate;
}

double session_matmul_rate(Session *s)
{
    if (s->matmul_rate <= 0)
        measure_product(s);
    return s->matmul_rate;
}

/* In bf16, the fastest that a device has for products of floats. Where nobody computes products
 * there, those of the host are the ceiling. */
static double device_matmul_rate(Session *s)
{
    if (s->device_matmul_rate <= 0)
        s->device_matmul_rate = product_rate(s, "cuda:0 bf16", 4096, 0.1, device_product);
    return s->device_matmul_rate > 0 ? s->device_matmul_rate : session_matmul_rate(s);
}

/* ---------------------------------------------------------------------------------- the profile */

typedef struct Sample {
    uint64_t ns;
    uint64_t *nodes; /* by node */
} Sample;

static int by_ns(const void *a, const void *b)
{
    const Sample *x = a, *y = b;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static bool run_timed(Session *s, Program *p, const Stage *st, Sample *x, Diag *d)
{
    size_t bytes = (st->trace->nnodes + 1) * sizeof *x->nodes;
    x->nodes = memset(run_realloc(NULL, bytes), 0, bytes);
    RunOptions o = {.whole = true, .node_ns = x->nodes};
    Run run;
    if (!session_run(s, p, st, &o, &run, d))
        return false;
    x->ns = run.ns;
    run_free(&run);
    return true;
}

static bool does_nothing(const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    return (node->op->flags & OP_CONTROL) ||
           (node->span == 1 && node->op->decompose && !node->executor);
}

/* Means over the fastest quarter. */
static void fill_rows(Profile *out, const Sample *samples, uint32_t n)
{
    const Trace *t = out->t;
    uint32_t used = n / 4 ? n / 4 : 1;
    for (uint32_t i = 0; i < used; i++)
        out->run_ms += (double)samples[i].ns * 1e-6 / used;
    out->rows = run_realloc(NULL, (t->nnodes + 1) * sizeof *out->rows);
    for_top(t, node) {
        if (does_nothing(t, node))
            continue;
        ProfileRow *r = &out->rows[out->n++];
        *r = (ProfileRow){.node = node, .bytes = node_bytes(t, node),
                          .flops = node_flops(t, node)};
        for (uint32_t i = 0; i < used; i++)
            r->ms += (double)samples[i].nodes[node] * 1e-6 / used;
    }
    out->runs = n;
}

/* A statement above the ceiling: something else kept the machine busy when that was measured. */
static bool above_ceiling(const Profile *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->rows[i].flops > 1e6 && p->rows[i].flops > p->rows[i].ms * 1e-3 * p->matmul_rate)
            return true;
    return false;
}

static bool fill_device(Session *s, Program *p, const Stage *st, double seconds, Profile *out,
                        Diag *d)
{
    BenchResult whole;
    if (!session_bench(s, p, st, seconds, &whole, d))
        return false;
    out->run_ms = whole.median_ms;
    out->copy_rate = whole.copy_rate;
    out->matmul_rate = device_matmul_rate(s);
    return true;
}

bool session_profile(Session *s, Program *p, const Stage *st, double seconds, Profile *out,
                     Diag *d)
{
    *out = (Profile){.t = trace_ref(st->trace)};
    Sample *samples = run_realloc(NULL, MAX_RUNS * sizeof *samples);
    uint32_t n = 0;
    uint64_t total = 0;
    bool good = run_timed(s, p, st, &samples[n], d); /* compiles, and is not counted */
    free(samples[n].nodes);
    while (good && n < MAX_RUNS && (n < MIN_RUNS || (double)total < seconds * 1e9)) {
        good = run_timed(s, p, st, &samples[n], d);
        total += samples[n++].ns;
    }
    bool on_device = good && kernels_device(s, st->trace);
    if (good) {
        qsort(samples, n, sizeof *samples, by_ns);
        fill_rows(out, samples, n);
    }
    if (on_device) {
        good = fill_device(s, p, st, seconds, out, d);
    } else if (good) {
        out->copy_rate = session_copy_rate(s);
        out->matmul_rate = session_matmul_rate(s);
        if (above_ceiling(out)) {
            measure_product(s);
            out->matmul_rate = s->matmul_rate;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        free(samples[i].nodes);
    free(samples);
    if (!good)
        profile_free(out);
    return good;
}

void profile_free(Profile *p)
{
    if (p->t)
        trace_unref(p->t);
    free(p->rows);
    *p = (Profile){0};
}

double profile_floor(const Profile *p, const ProfileRow *row, bool *by_memory)
{
    double memory = p->copy_rate > 0 ? row->bytes / p->copy_rate * 1e3 : 0;
    double compute = p->matmul_rate > 0 ? row->flops / p->matmul_rate * 1e3 : 0;
    *by_memory = memory >= compute;
    return memory > compute ? memory : compute;
}
