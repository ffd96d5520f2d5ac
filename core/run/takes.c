/*
 * takes.c - recording a run: in order, or only as its memory asks for, whichever is faster.
 *
 * Input: a run that only queues work on a device. Output: that work as a graph. Branches run at the
 * same time, but a graph that forks costs more to start, and large kernels leave no room for
 * others. So both graphs are played in turn, once, and the folder of compiled kernels remembers
 * which one was faster.
 */
#include "branches.h"
#include "front.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 9 };

/* A result that is an input would be overwritten by nobody, and is always held. */
static bool is_input(const Tensor *x, const Trace *t, Tensor *const *inputs)
{
    for (uint32_t i = 0; i < t->ninputs; i++)
        if (inputs[i] && inputs[i]->buf == x->buf)
            return true;
    return false;
}

static bool results_on(const Run *out, const Trace *t, Tensor *const *inputs,
                       const OpenDevice *dev)
{
    for (uint32_t i = 0; i < t->ninputs; i++)
        if (out->mutated[i] && (!tensor_lives_on(out->mutated[i], dev) ||
                                is_input(out->mutated[i], t, inputs)))
            return false;
    for (uint32_t i = 0; i < out->noutputs; i++)
        if (out->outputs[i] && (!tensor_lives_on(out->outputs[i], dev) ||
                                is_input(out->outputs[i], t, inputs)))
            return false;
    return true;
}

static void drop_take(OpenDevice *dev, Take *x)
{
    if (x->graph)
        dev->driver->graph_free(dev, x->graph);
    device_release(dev, &x->held);
    run_free(&x->out);
    *x = (Take){0};
}

/* Records the run instead of doing it: in order, or only as its memory asks for. */
static bool take(const Recorder *x, bool branches, Take *out)
{
    OpenDevice *dev = x->dev;
    Diag d = {0};
    uint64_t moved = dev->moved;
    *out = (Take){0};
    if (!device_record(dev, &out->held))
        return false;
    dev->branches = branches ? branches_new(dev) : NULL;
    bool good = (!branches || dev->branches) &&
                x->run(x->s, x->p, x->t, x->inputs, x->o, &out->out, &d);
    out->forks = dev->branches ? branches_count(dev) : 0;
    branches_free(dev->branches);
    dev->branches = NULL;
    dev->joined = false;
    out->graph = device_recorded(dev);
    good = good && out->graph && dev->moved == moved && out->forks != UINT32_MAX &&
           results_on(&out->out, x->t, x->inputs, dev);
    diag_clear(&d);
    if (!good)
        drop_take(dev, out);
    return good;
}

/* Milliseconds of one play; negative after a failure. */
static double play_time(OpenDevice *dev, DeviceGraph *g)
{
    bool good = dev->driver->mark(dev, 0) && dev->driver->play(dev, g) && dev->driver->mark(dev, 1);
    return good ? dev->driver->between_marks(dev) : -1;
}

/* The medians of plays in turn. */
static bool compare_takes(OpenDevice *dev, const Take *ordered, const Take *forked,
                          RecordingChoice *c)
{
    double a[ROUNDS], b[ROUNDS];
    play_time(dev, ordered->graph);
    play_time(dev, forked->graph);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        a[i] = play_time(dev, ordered->graph);
        b[i] = play_time(dev, forked->graph);
    }
    c->ordered_ms = turns_median(a, ROUNDS);
    c->forked_ms = turns_median(b, ROUNDS);
    return a[0] >= 0 && b[0] >= 0;
}

/* The file that remembers the choice for this trace, with these executors, on this device. */
static bool choice_path(const Recorder *x, char *path, size_t size)
{
    Str folder = kernels_options(x->s).cache_dir;
    StrBuf text = {0};
    trace_print(x->t, &(PrintOptions){.depth = 0}, &text);
    uint64_t h = hash_bytes(text.p, text.n, kernels_config(x->s));
    const char *name = x->dev->info.name;
    h = hash_bytes(name, strlen(name), h + (uint64_t)x->dev->info.driver);
    sb_free(&text);
    int n = folder.n ? snprintf(path, size, "%.*s/gr%016llx", STR(folder), (unsigned long long)h)
                     : 0;
    return n > 0 && (size_t)n < size;
}

static bool read_choice(const char *path, RecordingChoice *c)
{
    FILE *f = fopen(path, "r");
    int forked = 0;
    bool good = f && fscanf(f, "%d %u %lf %lf", &forked, &c->forks, &c->ordered_ms,
                            &c->forked_ms) == 4;
    if (f)
        fclose(f);
    c->forked = forked != 0;
    if (!good)
        *c = (RecordingChoice){0};
    return good;
}

static void write_choice(const char *path, const RecordingChoice *c)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return;
    fprintf(f, "%d %u %.6f %.6f\n", c->forked, c->forks, c->ordered_ms, c->forked_ms);
    fclose(f);
}

/* With branches where they are faster by more than measuring errs. */
static bool record_faster(const Recorder *x, Take *out, RecordingChoice *c)
{
    Take forked;
    bool have = take(x, true, &forked), good = take(x, false, out);
    if (have && !good) { /* maybe there is no room for the results of both */
        drop_take(x->dev, &forked);
        have = false;
        good = take(x, false, out);
    }
    bool parallel = have && forked.forks > 0;
    c->forks = have ? forked.forks : 0;
    c->forked = good && parallel && compare_takes(x->dev, out, &forked, c) &&
                c->forked_ms < 0.97 * c->ordered_ms;
    if (have) { /* with its results: nobody needs so much of their size again */
        drop_take(x->dev, c->forked ? out : &forked);
        device_trim(x->dev);
    }
    if (c->forked)
        *out = forked;
    return good;
}

bool record_run(const Recorder *x, Take *out, RecordingChoice *c)
{
    Str option = session_option(x->s, S("graph.branches"), S("auto"));
    char path[600];
    *c = (RecordingChoice){0};
    if (str_is(option, "auto")) {
        bool named = choice_path(x, path, sizeof path);
        if (!named || !read_choice(path, c)) {
            bool good = record_faster(x, out, c);
            if (good && named)
                write_choice(path, c);
            return good;
        }
    }
    if ((c->forked || str_is(option, "on")) && take(x, true, out)) {
        c->forks = out->forks;
        return c->forked = true;
    }
    c->forked = false;
    return take(x, false, out);
}

