/*
 * recording.c - runs that a device repeats as one piece.
 *
 * Input: a trace that runs again and again on the same inputs. Output: the same results with one
 * call of the driver. A run is recorded when the one before it moved nothing between host and
 * device, so that all of it is queued work: its kernels, in order, with the addresses of then. It
 * is played while inputs lie where they lay, and nobody holds on to the results of the last time.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

struct Recording {
    uint64_t config;
    uint64_t moved;     /* after the last plain run */
    bool clean, hopeless;
    OpenDevice *dev;    /* NULL = nothing is recorded yet */
    DeviceGraph *graph;
    DeviceHeld held;
    Tensor **inputs;    /* as they were bound */
    uint64_t *at;       /* where they lay; 0 = on the host only */
    uint32_t ninputs;
    Tensor **outputs;
    uint32_t noutputs;
};

static void forget(Recording *r)
{
    if (!r->dev)
        return;
    for (uint32_t i = 0; i < r->ninputs; i++)
        tensor_unref(r->inputs[i]);
    for (uint32_t i = 0; i < r->noutputs; i++)
        tensor_unref(r->outputs[i]);
    free(r->inputs);
    free(r->at);
    free(r->outputs);
    r->dev->driver->graph_free(r->dev, r->graph);
    device_release(r->dev, &r->held);
    device_unref(r->dev);
    *r = (Recording){0};
}

void recording_free(Recording *r)
{
    if (!r)
        return;
    forget(r);
    free(r);
}

static bool same_inputs(const Recording *r, Tensor *const *inputs)
{
    for (uint32_t i = 0; i < r->ninputs; i++) {
        uint64_t at = 0;
        if (inputs[i] != r->inputs[i])
            return false;
        if (r->at[i] && (!tensor_on_device(inputs[i], r->dev, false, &at) || at != r->at[i]))
            return false;
    }
    return true;
}

static bool results_are_free(const Recording *r)
{
    for (uint32_t i = 0; i < r->noutputs; i++)
        if (r->outputs[i] && (r->outputs[i]->refs > 1 || r->outputs[i]->buf->refs > 1))
            return false;
    return true;
}

static void give_results(const Recording *r, const Trace *t, Run *out)
{
    *out = (Run){.t = trace_ref((Trace *)t), .noutputs = r->noutputs};
    out->outputs = run_realloc(NULL, r->noutputs * sizeof *out->outputs);
    out->mutated = run_realloc(NULL, t->ninputs * sizeof *out->mutated);
    memset(out->mutated, 0, t->ninputs * sizeof *out->mutated);
    for (uint32_t i = 0; i < r->noutputs; i++) {
        out->outputs[i] = tensor_ref(r->outputs[i]);
        DeviceCopy *c = r->outputs[i] ? r->outputs[i]->buf->copy : NULL;
        if (c && c->dev == r->dev) {
            c->valid = true;
            c->host_valid = false;
        }
    }
}

static bool play(Session *s, const Recording *r, const Trace *t, const RunOptions *o, Run *out,
                 Diag *d)
{
    uint64_t start = clock_ns();
    give_results(r, t, out);
    bool good = r->dev->driver->play(r->dev, r->graph) &&
                (o->queue_only || devices_finish(s, t, kernels_kept(s, t), d));
    out->ns = clock_ns() - start;
    if (!good)
        run_free(out);
    return good;
}

/* Keeps what was recorded as a run of t; its results are those in out. */
static void keep(Recording *r, OpenDevice *dev, DeviceGraph *g, DeviceHeld held, const Trace *t,
                 Tensor *const *inputs, const Run *out)
{
    r->dev = dev;
    dev->refs++;
    r->graph = g;
    r->held = held;
    r->ninputs = t->ninputs;
    r->inputs = run_realloc(NULL, t->ninputs * sizeof *r->inputs);
    r->at = run_realloc(NULL, t->ninputs * sizeof *r->at);
    for (uint32_t i = 0; i < t->ninputs; i++) {
        r->inputs[i] = tensor_ref(inputs[i]);
        bool there = inputs[i] && tensor_lives_on(inputs[i], dev);
        if (!there || !tensor_on_device(inputs[i], dev, false, &r->at[i]))
            r->at[i] = 0;
    }
    r->noutputs = out->noutputs;
    r->outputs = run_realloc(NULL, out->noutputs * sizeof *r->outputs);
    for (uint32_t i = 0; i < out->noutputs; i++)
        r->outputs[i] = tensor_ref(out->outputs[i]);
}

static bool results_on(const Run *out, const Trace *t, const OpenDevice *dev)
{
    for (uint32_t i = 0; i < t->ninputs; i++)
        if (out->mutated[i])
            return false;
    for (uint32_t i = 0; i < out->noutputs; i++)
        if (out->outputs[i] && !tensor_lives_on(out->outputs[i], dev))
            return false;
    return true;
}

/* Records the run instead of doing it; whether there is a recording now. */
static bool record(Session *s, Program *p, Recording *r, const Trace *t, Tensor *const *inputs,
                   const RunOptions *o, RunFn *run)
{
    OpenDevice *dev = s->devices[0];
    DeviceHeld held;
    Diag d = {0};
    Run out = {0};
    uint64_t moved = dev->moved;
    if (!device_record(dev, &held))
        return false;
    bool good = run(s, p, t, inputs, o, &out, &d);
    DeviceGraph *g = device_recorded(dev);
    good = good && g && dev->moved == moved && results_on(&out, t, dev);
    diag_clear(&d);
    if (good) {
        keep(r, dev, g, held, t, inputs, &out);
    } else {
        if (g)
            dev->driver->graph_free(dev, g);
        device_release(dev, &held);
    }
    run_free(&out);
    return good;
}

static Recording *recording_of(Session *s, const Trace *t)
{
    Recording **place = kernels_recording(s, t);
    if (place && !*place)
        *place = memset(run_realloc(NULL, sizeof **place), 0, sizeof **place);
    return place ? *place : NULL;
}

bool recorded_run(Session *s, Program *p, const Trace *t, Tensor *const *inputs,
                  const RunOptions *o, RunFn *run, Run *out, Diag *d)
{
    bool may = o && o->whole && !o->keep_values && !o->node_ns && !o->executors &&
               o->rounding == ROUND_dtype && s->devices[0] && !s->devices[0]->careful;
    Recording *r = may ? recording_of(s, t) : NULL;
    uint64_t config = r ? kernels_config(s) : 0;
    if (r && r->config != config) {
        forget(r);
        *r = (Recording){.config = config};
    }
    if (r && r->dev && !same_inputs(r, inputs))
        forget(r);
    if (r && !r->dev && r->clean && !r->hopeless)
        r->hopeless = !record(s, p, r, t, inputs, o, run);
    if (r && r->dev && results_are_free(r))
        return play(s, r, t, o, out, d);
    uint64_t moved = devices_moved(s);
    bool good = run(s, p, t, inputs, o, out, d);
    r = may ? recording_of(s, t) : NULL; /* the first run made it */
    if (r && good && !r->dev) {
        r->config = config ? config : kernels_config(s);
        r->clean = devices_moved(s) == moved && s->devices[0] && !s->devices[1];
    }
    return good;
}
