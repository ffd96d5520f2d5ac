/*
 * pieces.c - the parts of a run between nodes of the host, repeated by a device as one piece each.
 *
 * Input: a trace that runs again and again on the same inputs, of which some nodes run on the host.
 * Output: the same values, with one call of the driver for each row of statements on the device. A
 * piece reads tensors at the addresses of when it was recorded: what the host has made anew is sent
 * there. Whatever is not as it was then is left to the plain run, one piece at a time.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_LAUNCHES = 4, MOST_HELD = 4096 };

typedef struct Held {
    ValueId v;
    Tensor *t;
    uint64_t at;   /* where it lies */
    int refs, buf_refs; /* that all pieces hold of it and of its buffer */
    bool own;      /* of the plan's memory: no result of a run */
    bool fillable; /* an operand whose memory only pieces use: other elements may be sent there */
} Held;

typedef struct Piece {
    NodeId first, end;
    bool hopeless;
    DeviceGraph *graph; /* NULL = not recorded yet */
    DeviceHeld memory;
    Held *held; /* operands from outside, then results that are read behind it */
    uint32_t noperands, nheld;
} Piece;

struct Pieces {
    OpenDevice *dev;
    Piece *items;
    uint32_t n;
    bool counted; /* refs, buf_refs and fillable are right */
};

/* ------------------------------------------------------------------------------------- finding */

/* Whether top-level node n does nothing that needs elements. */
static bool is_neutral(const Node *n)
{
    bool nothing = (n->op->flags & OP_CONTROL) ||
                   (n->span == 1 && n->op->decompose && !n->executor);
    return nothing ||
           (n->op->language == LANG_prims && n->span == 1 && (n->op->flags & OP_VIEW) &&
            !(n->op->flags & OP_IN_PLACE));
}

static void add_piece(Pieces *x, NodeId first, NodeId end, uint32_t launches)
{
    if (launches < LEAST_LAUNCHES)
        return;
    x->items = run_realloc(x->items, (x->n + (size_t)1) * sizeof *x->items);
    x->items[x->n++] = (Piece){.first = first, .end = end};
}

/* A piece begins and ends with a kernel on dev. */
Pieces *pieces_new(const Trace *t, Kernel *const *kernels, OpenDevice *dev)
{
    Pieces *x = run_realloc(NULL, sizeof *x);
    *x = (Pieces){.dev = dev};
    dev->refs++;
    NodeId first = 0, end = 0;
    uint32_t launches = 0;
    for_top(t, n) {
        bool there = kernels[n] && kernels[n]->executor->device == dev->driver;
        if (there) {
            first = launches++ ? first : n;
            end = n + t->nodes[n].span;
        } else if (kernels[n] || !is_neutral(&t->nodes[n])) {
            add_piece(x, first, end, launches);
            launches = 0;
        }
    }
    add_piece(x, first, end, launches);
    return x;
}

static void forget(Pieces *x, Piece *p)
{
    for (uint32_t i = 0; i < p->nheld; i++)
        tensor_unref(p->held[i].t);
    free(p->held);
    if (p->graph)
        x->dev->driver->graph_free(x->dev, p->graph);
    device_release(x->dev, &p->memory);
    *p = (Piece){.first = p->first, .end = p->end};
}

void pieces_free(Pieces *x)
{
    if (!x)
        return;
    for (uint32_t i = 0; i < x->n; i++)
        forget(x, &x->items[i]);
    device_unref(x->dev);
    free(x->items);
    free(x);
}

/* ------------------------------------------------------------------------------------ recording */

typedef struct Gather {
    Piece *p;
    Tensor *const *values;
} Gather;

static void gather(ValueId v, void *user)
{
    const Gather *g = user;
    Piece *p = g->p;
    if (!g->values[v])
        return;
    for (uint32_t i = 0; i < p->nheld; i++)
        if (p->held[i].v == v)
            return;
    if ((p->nheld & (p->nheld - 1)) == 0)
        p->held = run_realloc(p->held, 2 * (p->nheld + (size_t)1) * sizeof *p->held);
    p->held[p->nheld++] = (Held){.v = v, .t = tensor_ref(g->values[v])};
}

/* Values that the nodes of p read (or, with results, make), as far as there is a tensor. */
static void gather_values(const Trace *t, Piece *p, Tensor *const *values, bool results)
{
    Gather g = {p, values};
    for (NodeId n = p->first; n < p->end && p->nheld < MOST_HELD; n++) {
        const Node *node = &t->nodes[n];
        Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
        if (node->op->flags & OP_CONTROL) /* a del reads nothing */
            continue;
        arg_each_value(results ? node->out : all, gather, &g);
    }
}

/* Sends what the piece reads; false when something of it cannot lie there. */
static bool send_operands(Pieces *x, Piece *p)
{
    for (uint32_t i = 0; i < p->nheld; i++)
        if (!tensor_on_device(p->held[i].t, x->dev, false, &p->held[i].at))
            return false;
    return true;
}

static bool results_lie_there(Session *s, const Pieces *x, Piece *p)
{
    for (uint32_t i = 0; i < p->nheld; i++) {
        Held *h = &p->held[i];
        if (!tensor_lives_on(h->t, x->dev))
            return false;
        h->own = kernels_own(s, h->t);
    }
    return p->nheld < MOST_HELD;
}

/* Records the nodes of p, and puts the values back as they were when that fails. */
static bool record(Pieces *x, Piece *p, const PieceEnv *e)
{
    OpenDevice *dev = x->dev;
    Diag d = {0};
    size_t bytes = e->t->nvalues * sizeof(Tensor *);
    Tensor **before = memcpy(run_realloc(NULL, bytes), e->values, bytes);
    for (ValueId v = 0; v < e->t->nvalues; v++)
        tensor_ref(before[v]);
    gather_values(e->t, p, e->values, false);
    p->noperands = p->nheld;
    bool good = send_operands(x, p) && device_record(dev, &p->memory);
    if (good) {
        uint64_t moved = dev->moved;
        good = e->run(e->user, p->first, p->end, &d);
        p->graph = device_recorded(dev);
        good = good && p->graph && dev->moved == moved;
    }
    if (good)
        gather_values(e->t, p, e->values, true);
    good = good && results_lie_there(e->s, x, p);
    for (ValueId v = 0; v < e->t->nvalues; v++) {
        tensor_unref(good ? before[v] : e->values[v]);
        if (!good)
            e->values[v] = before[v];
    }
    free(before);
    diag_clear(&d);
    x->counted = false;
    return good;
}

/* -------------------------------------------------------------------------------------- playing */

typedef struct All {
    Held **items;
    uint32_t n;
} All;

static bool is_result(const Pieces *x, const Tensor *t)
{
    for (uint32_t k = 0; k < x->n; k++)
        for (uint32_t i = x->items[k].noperands; i < x->items[k].nheld; i++)
            if (x->items[k].held[i].t->buf == t->buf)
                return true;
    return false;
}

static void count_one(const Pieces *x, const All *all, uint32_t i)
{
    Held *h = all->items[i];
    h->refs = h->buf_refs = 0;
    for (uint32_t j = 0; j < all->n; j++) {
        const Tensor *other = all->items[j]->t;
        if (other->buf != h->t->buf)
            continue;
        bool first = true;
        for (uint32_t k = 0; k < j && first; k++)
            first = all->items[k]->t != other;
        h->refs += other == h->t;
        h->buf_refs += first;
    }
    h->fillable = !h->own && tensor_fills_buffer(h->t) && !is_result(x, h->t);
}

/* Whom the pieces themselves hold, how often; false when there is too much of it. */
static bool count(Pieces *x)
{
    All all = {0};
    for (uint32_t k = 0; k < x->n; k++)
        all.n += x->items[k].nheld;
    x->counted = all.n <= MOST_HELD;
    if (!x->counted)
        return false;
    all.items = run_realloc(NULL, (all.n + (size_t)1) * sizeof *all.items);
    for (uint32_t k = 0, n = 0; k < x->n; k++)
        for (uint32_t i = 0; i < x->items[k].nheld; i++)
            all.items[n++] = &x->items[k].held[i];
    for (uint32_t i = 0; i < all.n; i++)
        count_one(x, &all, i);
    free(all.items);
    return true;
}

static bool same_layout(const Tensor *a, const Tensor *b)
{
    return a->dtype == b->dtype && tensor_same_shape(a, b) &&
           shape_equal(a->rank, a->strides, b->rank, b->strides);
}

static bool only_held(const Held *h)
{
    return h->t->refs <= h->refs && h->t->buf->refs <= h->buf_refs;
}

/* Elements of now to where the piece reads them; false when they have to lie elsewhere. */
static bool fill(OpenDevice *dev, const Held *h, Tensor *now)
{
    size_t bytes = h->t->buf->bytes;
    uint64_t from = 0;
    if (!h->fillable || !only_held(h) || !tensor_is_contiguous(now))
        return false;
    if (tensor_lives_on(now, dev))
        return tensor_on_device(now, dev, false, &from) &&
               dev->driver->copy(dev, h->at, from, bytes);
    dev->moved++;
    return dev->driver->upload(dev, &(DevicePiece){h->at, tensor_read(now), bytes}, 1);
}

static bool ready_operand(OpenDevice *dev, const Held *h, Tensor *now)
{
    uint64_t at = 0;
    if (!now)
        return false;
    if (now == h->t)
        return tensor_on_device(now, dev, false, &at) && at == h->at;
    if (!same_layout(now, h->t) || !h->t->buf->copy || h->t->buf->copy->dev != dev)
        return false;
    bool there = tensor_lives_on(now, dev) && tensor_on_device(now, dev, false, &at) &&
                 at == h->at;
    if (!there && !fill(dev, h, now))
        return false;
    h->t->buf->copy->valid = true;
    h->t->buf->copy->host_valid = false;
    return true;
}

static bool ready(const Pieces *x, const Piece *p, const PieceEnv *e)
{
    for (uint32_t i = p->noperands; i < p->nheld; i++)
        if (!p->held[i].own && !only_held(&p->held[i]))
            return false;
    for (uint32_t i = 0; i < p->noperands; i++)
        if (!ready_operand(x->dev, &p->held[i], e->values[p->held[i].v]))
            return false;
    return true;
}

/* A result that is a view of an operand lies where that lies. */
static bool of_operand(const Piece *p, const Tensor *t)
{
    for (uint32_t i = 0; i < p->noperands; i++)
        if (p->held[i].t->buf == t->buf)
            return true;
    return false;
}

static void give_results(const Piece *p, const PieceEnv *e)
{
    for (uint32_t i = p->noperands; i < p->nheld; i++) {
        const Held *h = &p->held[i];
        tensor_unref(e->values[h->v]);
        e->values[h->v] = tensor_ref(h->t);
        if (!of_operand(p, h->t)) {
            h->t->buf->copy->valid = true;
            h->t->buf->copy->host_valid = false;
        }
    }
}

static Piece *piece_at(const Pieces *x, NodeId n)
{
    uint32_t low = 0, high = x->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (x->items[mid].first < n)
            low = mid + 1;
        else
            high = mid;
    }
    return low < x->n && x->items[low].first == n ? &x->items[low] : NULL;
}

PieceResult piece_run(Pieces *x, NodeId n, const PieceEnv *e, NodeId *end)
{
    Piece *p = piece_at(x, n);
    if (!p || p->hopeless || e->s->interrupt || x->dev->lost)
        return PIECE_plain;
    bool fresh = !p->graph;
    if (fresh && !record(x, p, e)) {
        forget(x, p);
        p->hopeless = true;
        return PIECE_plain;
    }
    if (!fresh && ((!x->counted && !count(x)) || !ready(x, p, e)))
        return PIECE_plain;
    if (!fresh) {
        give_results(p, e);
        e->done(e->user, p->first, p->end);
    }
    *end = p->end;
    return x->dev->driver->play(x->dev, p->graph) ? PIECE_played : PIECE_failed;
}
