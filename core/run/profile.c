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

enum { MIN_RUNS = 4, MAX_PRODUCTS = 30 };

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

static int by_ns(const void *a, const void *b)
{
    const Sample *x = a, *y = b;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static bool run_timed(const Sampler *x, Sample *to, Diag *d)
{
    size_t bytes = (x->st->trace->nnodes + 1) * sizeof *to->nodes;
    to->nodes = memset(run_realloc(NULL, bytes), 0, bytes);
    RunOptions o = {.whole = true, .node_ns = to->nodes};
    Run run;
    if (!session_run(x->s, x->p, x->st, &o, &run, d))
        return false;
    to->ns = run.ns;
    run_free(&run);
    return true;
}

bool sampler_begin(Sampler *x, Session *s, Program *p, const Stage *st, Diag *d)
{
    Sample first;
    *x = (Sampler){.s = s, .p = p, .st = st};
    x->samples = run_realloc(NULL, MAX_SAMPLES * sizeof *x->samples);
    bool good = run_timed(x, &first, d);
    free(first.nodes);
    return good;
}

bool sampler_run(Sampler *x, Diag *d)
{
    Sample *to = &x->samples[x->n];
    if (!run_timed(x, to, d)) {
        free(to->nodes);
        return false;
    }
    x->total += to->ns;
    x->n++;
    return true;
}

static bool does_nothing(const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    return (node->op->flags & OP_CONTROL) ||
           (node->span == 1 && node->op->decompose && !node->executor);
}

void sampler_rows(Sampler *x, uint32_t from, uint32_t to, Profile *out)
{
    const Trace *t = x->st->trace;
    *out = (Profile){.t = trace_ref(x->st->trace), .runs = x->n};
    qsort(x->samples, x->n, sizeof *x->samples, by_ns);
    for (uint32_t i = from; i < to; i++)
        out->run_ms += (double)x->samples[i].ns * 1e-6 / (to - from);
    out->rows = run_realloc(NULL, (t->nnodes + 1) * sizeof *out->rows);
    for_top(t, node) {
        if (does_nothing(t, node))
            continue;
        ProfileRow *r = &out->rows[out->n++];
        *r = (ProfileRow){.node = node, .bytes = node_bytes(t, node),
                          .flops = node_flops(t, node)};
        for (uint32_t i = from; i < to; i++)
            r->ms += (double)x->samples[i].nodes[node] * 1e-6 / (to - from);
    }
}

void sampler_end(Sampler *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        free(x->samples[i].nodes);
    free(x->samples);
    *x = (Sampler){0};
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

static void fill_host(Session *s, Profile *out)
{
    out->copy_rate = session_copy_rate(s);
    out->matmul_rate = session_matmul_rate(s);
    if (above_ceiling(out)) {
        measure_product(s);
        out->matmul_rate = s->matmul_rate;
    }
}

bool session_profile(Session *s, Program *p, const Stage *st, double seconds, Profile *out,
                     Diag *d)
{
    Sampler x;
    *out = (Profile){0};
    bool good = sampler_begin(&x, s, p, st, d);
    while (good && x.n < MAX_SAMPLES && (x.n < MIN_RUNS || (double)x.total < seconds * 1e9))
        good = sampler_run(&x, d);
    if (good) {
        sampler_rows(&x, 0, x.n / 4 ? x.n / 4 : 1, out);
        if (kernels_device(s, st->trace))
            good = fill_device(s, p, st, seconds, out, d);
        else
            fill_host(s, out);
    }
    sampler_end(&x);
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
