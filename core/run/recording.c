/*
 * recording.c - runs that a device repeats as one piece.
 *
 * Input: a trace that runs again and again on the same inputs. Output: the same results with one
 * call of the driver. A run is recorded when the one before it moved nothing between host and
 * device, so that all of it is queued work: its kernels, in order, with the addresses of then. It
 * is played while inputs lie where they lay; others are copied there. Results of an earlier play
 * that somebody still holds are moved out of its way first.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

typedef struct Result {
    Tensor *t;
    int refs, buf_refs; /* that the recording holds of it and of its buffer */
} Result;

struct Recording {
    uint64_t config;
    uint64_t seen;      /* hash of the inputs of the last plain run, or that were copied */
    uint32_t runs;      /* plain ones, on these inputs */
    Pieces *pieces;     /* where the whole cannot be recorded; NULL = not yet */
    bool clean, hopeless;
    OpenDevice *dev;    /* NULL = nothing is recorded yet */
    DeviceGraph *graph;
    DeviceHeld held;
    Tensor **inputs;    /* as they were bound */
    uint64_t *at;       /* where they lay; 0 = on the host only: the device does not read them */
    uint32_t ninputs;
    Result *results; /* outputs, then the final value of each input, NULL where unchanged */
    uint32_t noutputs, nresults;
    RecordingChoice choice;
};

static void forget(Recording *r)
{
    if (!r->dev)
        return;
    for (uint32_t i = 0; i < r->ninputs; i++)
        tensor_unref(r->inputs[i]);
    for (uint32_t i = 0; i < r->nresults; i++)
        tensor_unref(r->results[i].t);
    free(r->inputs);
    free(r->at);
    free(r->results);
    r->dev->driver->graph_free(r->dev, r->graph);
    device_release(r->dev, &r->held);
    device_unref(r->dev);
    pieces_free(r->pieces);
    *r = (Recording){0};
}

void recording_free(Recording *r)
{
    if (!r)
        return;
    forget(r);
    pieces_free(r->pieces);
    free(r);
}

static bool same_inputs(const Recording *r, Tensor *const *inputs)
{
    for (uint32_t i = 0; i < r->ninputs; i++) {
        uint64_t at = 0;
        if (r->at[i] && (inputs[i] != r->inputs[i] ||
                         !tensor_on_device(inputs[i], r->dev, false, &at) || at != r->at[i]))
            return false;
    }
    return true;
}

/* The same tensor in another buffer of that size. */
static Tensor *over(Buffer *b, const Tensor *t)
{
    Tensor *out = tensor_over(b, t->dtype, t->device, t->rank, t->shape, 0);
    if (out) {
        memcpy(out->strides, t->strides, t->rank * sizeof *out->strides);
        out->offset = t->offset;
    }
    return out;
}

/* Results in buffer b go to another one, which has the memory that the recording writes. */
static bool exchange(Recording *r, Buffer *b)
{
    Buffer *taker = buffer_take_over(b);
    bool good = taker != NULL;
    for (uint32_t i = 0; taker && i < r->nresults; i++) {
        Tensor *was = r->results[i].t;
        if (!was || was->buf != b)
            continue;
        Tensor *now = over(taker, was);
        good = good && now;
        for (uint32_t k = i; now && k < r->nresults; k++)
            if (r->results[k].t == was) {
                tensor_unref(was);
                r->results[k].t = tensor_ref(now);
            }
        tensor_unref(now);
    }
    if (taker)
        buffer_unref(taker);
    return good;
}

/* Results that somebody holds stay his, elsewhere; false when that is not possible. */
static bool free_results(Recording *r)
{
    for (uint32_t i = 0; i < r->nresults; i++) {
        const Result *x = &r->results[i];
        bool held = x->t && (x->t->refs > x->refs || x->t->buf->refs > x->buf_refs);
        if (held && !exchange(r, x->t->buf))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------- other inputs */

static bool same_type(const Tensor *a, const Tensor *b)
{
    return a->dtype == b->dtype && device_eq(a->device, b->device) && tensor_same_shape(a, b);
}

/* Whether elements of now may be put where input i lay. */
static bool may_fill(const Recording *r, uint32_t i, const Tensor *now)
{
    const Tensor *was = r->inputs[i];
    if (!now || !same_type(now, was) || !tensor_fills_buffer(was) ||
        !tensor_is_contiguous(now) || !was->buf->copy || was->buf->copy->whole)
        return false;
    for (uint32_t k = 0; k < r->ninputs; k++)
        if (k != i && r->inputs[k] && r->inputs[k]->buf == was->buf)
            return false;
    return true;
}

/* What somebody else has of input i stays his, elsewhere. */
static bool own_input(Recording *r, uint32_t i)
{
    Tensor *was = r->inputs[i];
    if (was->refs == 1 && was->buf->refs == 1)
        return true;
    Buffer *taker = buffer_take_over(was->buf);
    Tensor *now = taker ? over(taker, was) : NULL;
    buffer_unref(taker);
    if (!now)
        return false;
    tensor_unref(was);
    r->inputs[i] = now;
    return true;
}

static bool fill(Recording *r, uint32_t i, Tensor *now)
{
    uint64_t from = 0;
    size_t bytes = r->inputs[i]->buf->bytes;
    OpenDevice *dev = r->dev;
    bool there = tensor_lives_on(now, dev);
    if (there && !tensor_on_device(now, dev, false, &from))
        return false;
    dev->moved += !there;
    DevicePiece piece = {r->at[i], there ? NULL : tensor_read(now), bytes};
    bool good = there ? dev->driver->copy(dev, r->at[i], from, bytes)
                      : dev->driver->upload(dev, &piece, 1);
    r->inputs[i]->buf->copy->valid = true;
    r->inputs[i]->buf->copy->host_valid = false;
    return good;
}

/* Other tensors, as each step of training has them, are copied to where the recording reads its
 * inputs; false when they cannot be. */
static bool fill_inputs(Recording *r, Tensor *const *inputs)
{
    for (uint32_t i = 0; i < r->ninputs; i++) {
        uint64_t at = 0;
        if (!r->at[i])
            continue;
        if (inputs[i] == r->inputs[i]) {
            if (!tensor_on_device(inputs[i], r->dev, false, &at) || at != r->at[i])
                return false;
        } else if (!may_fill(r, i, inputs[i]) || !own_input(r, i) || !fill(r, i, inputs[i])) {
            return false;
        }
    }
    return true;
}

static void give_results(const Recording *r, const Trace *t, Run *out)
{
    *out = (Run){.t = trace_ref((Trace *)t), .noutputs = r->noutputs};
    out->outputs = run_realloc(NULL, r->noutputs * sizeof *out->outputs);
    out->mutated = run_realloc(NULL, t->ninputs * sizeof *out->mutated);
    for (uint32_t i = 0; i < r->nresults; i++) {
        Tensor *x = r->results[i].t;
        DeviceCopy *c = x ? x->buf->copy : NULL;
        *(i < r->noutputs ? &out->outputs[i] : &out->mutated[i - r->noutputs]) = tensor_ref(x);
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
    s->played = 1;
    bool good = r->dev->driver->play(r->dev, r->graph);
    if (!good)
        diag_error(d, DIAG_device, (Span){0}, "device-failed", "%s: %s", r->dev->info.name,
                   r->dev->failure);
    good = good && (o->queue_only || devices_finish(s, t, kernels_kept(s, t), d));
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
    r->nresults = out->noutputs + t->ninputs;
    r->results = run_realloc(NULL, r->nresults * sizeof *r->results);
    for (uint32_t i = 0; i < r->nresults; i++)
        r->results[i] = (Result){.t = tensor_ref(i < out->noutputs
                                                     ? out->outputs[i]
                                                     : out->mutated[i - out->noutputs])};
}

/* How often the recording itself holds result i, and its buffer; whether nobody else does. */
static bool count_holders(Recording *r, uint32_t i)
{
    Result *x = &r->results[i];
    for (uint32_t j = 0; j < r->nresults && x->t; j++) {
        const Tensor *other = r->results[j].t;
        if (!other || other->buf != x->t->buf)
            continue;
        bool first = true;
        for (uint32_t k = 0; k < j && first; k++)
            first = r->results[k].t != other;
        x->refs += other == x->t;
        x->buf_refs += first;
    }
    return !x->t || (x->t->refs == x->refs && x->t->buf->refs == x->buf_refs);
}

/* Records the run instead of doing it; whether there is a recording now. */
static bool record(const Recorder *x, Recording *r)
{
    Take chosen;
    SpentOn before = spent_turn(&x->s->spent, SPENT_record);
    bool recorded = record_run(x, &chosen, &r->choice);
    spent_back(&x->s->spent, before);
    if (!recorded)
        return false;
    keep(r, x->dev, chosen.graph, chosen.held, x->t, x->inputs, &chosen.out);
    run_free(&chosen.out);
    bool good = true;
    for (uint32_t i = 0; good && i < r->nresults; i++)
        good = count_holders(r, i);
    if (!good)
        forget(r);
    return good;
}

bool recording_choice(Session *s, const Trace *t, RecordingChoice *out)
{
    Recording **r = kernels_recording(s, t);
    *out = r && *r && (*r)->dev ? (*r)->choice : (RecordingChoice){0};
    return r && *r && (*r)->dev;
}

/* Tells apart which tensors are bound. */
static uint64_t hash_inputs(const Trace *t, Tensor *const *inputs)
{
    uint64_t h = 1;
    for (uint32_t i = 0; i < t->ninputs; i++)
        h = (h ^ (uint64_t)(uintptr_t)inputs[i]) * 0x9e3779b97f4a7c15u + i;
    return h;
}

static bool wants_nodes(const Session *s)
{
    bool any = false;
    for (uint32_t i = 0; i < s->nlisteners; i++)
        any = any || s->listeners[i].nodes;
    return any;
}

bool recording_may(const Session *s, const RunOptions *o)
{
    bool nobody_looks = o && (o->whole || (o->flat && !wants_nodes(s)));
    return nobody_looks && !o->keep_values && !o->node_ns && !o->executors &&
           o->rounding == ROUND_dtype && s->devices[0] && !s->devices[0]->careful;
}

/* Of the options that decide what is recorded. */
static uint64_t config_of(Session *s)
{
    Str branches = session_option(s, S("graph.branches"), S("auto"));
    return hash_bytes(branches.p, branches.n, kernels_config(s));
}

/* Other inputs or options: pieces that read the old ones are of no use. */
static void forget_pieces(Recording *r)
{
    pieces_free(r->pieces);
    r->pieces = NULL;
    r->runs = 0;
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
    bool may = recording_may(s, o);
    Recording *r = may ? recording_of(s, t) : NULL;
    uint64_t config = r ? config_of(s) : 0;
    if (r && r->config != config) {
        forget(r);
        forget_pieces(r);
        *r = (Recording){.config = config};
    }
    if (r && r->pieces && r->seen != hash_inputs(t, inputs))
        forget_pieces(r);
    if (r && r->dev && !same_inputs(r, inputs)) {
        uint64_t seen = hash_inputs(t, inputs);
        if (r->seen == seen || !fill_inputs(r, inputs)) /* the second time they get their own */
            forget(r);
        else
            r->seen = seen;
    }
    if (r && !r->dev && r->clean && !r->hopeless && r->seen == hash_inputs(t, inputs)) {
        r->hopeless = !record(&(Recorder){s, p, t, inputs, o, run, s->devices[0]}, r);
        r->config = config;
    }
    if (r && r->dev && !free_results(r))
        forget(r);
    if (r && r->dev)
        return play(s, r, t, o, out, d);
    uint64_t moved = devices_moved(s);
    bool good = run(s, p, t, inputs, o, out, d);
    r = may ? recording_of(s, t) : NULL; /* the first run made it */
    if (r && good && !r->dev) {
        r->config = config ? config : config_of(s);
        uint64_t seen = hash_inputs(t, inputs);
        r->runs = r->seen == seen ? r->runs + 1 : 1;
        r->seen = seen;
        r->clean = devices_moved(s) == moved && s->devices[0] && !s->devices[1];
    }
    return good;
}

Pieces *recording_pieces(Session *s, const Trace *t)
{
    Recording *r = s->devices[0] && !s->devices[1] ? recording_of(s, t) : NULL;
    Kernel *const *kernels = kernels_kept(s, t);
    if (!r || r->dev || r->runs < 2 || (r->clean && !r->hopeless) || !kernels ||
        s->devices[0]->held || r->config != config_of(s))
        return NULL;
    if (!r->pieces)
        r->pieces = pieces_new(t, kernels, s->devices[0]);
    return r->pieces;
}
