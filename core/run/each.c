/*
 * each.c - every statement of a stage against the oracle, on the operands that it had.
 *
 * Input: a stage with bound inputs. Output: a row for each statement: by how much its results are
 * off, and how much rounding explains. The run pauses behind each statement, whose operands are
 * then still there, and a trace of margin.c is run on them. So errors do not pile up: a kernel is
 * right or wrong by itself, whatever happened before it. Results whose values in double precision
 * would be too many are checked block by block, or only in places.
 */
#include "margin.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 4 };

typedef struct Each {
    Session *s;
    const EachOptions *o;
    const Trace *t;
    EachCheck *out;
    ExecList host, device; /* that compute in double precision, small ones and large ones */
    NodeId node;        /* the one that has just run; NO_NODE = none */
    Tensor **values;    /* by value: its operands and results; NULL = not of it */
    Trace *last;        /* the margin trace that ran last: blocks are alike */
} Each;

/* ---------------------------------------------------------------------------------- what it had */

static void drop_values(Each *e)
{
    for (ValueId v = 0; v < e->t->nvalues; v++) {
        tensor_unref(e->values[v]);
        e->values[v] = NULL;
    }
}

typedef struct Taking {
    Each *e;
    Tensor *const *from;
    bool copy;
} Taking;

static void take_value(ValueId v, void *user)
{
    const Taking *k = user;
    Tensor **at = &k->e->values[v];
    if (!*at && k->from[v])
        *at = k->copy ? tensor_clone(k->from[v]) : tensor_ref(k->from[v]);
}

static bool writes(const Trace *t, NodeId n)
{
    bool any = false;
    for (NodeId i = n; i < n + t->nodes[n].span; i++)
        any |= (t->nodes[i].op->flags & OP_IN_PLACE) != 0;
    return any;
}

static void take_operands(Each *e, NodeId n, Tensor *const *values, bool copy)
{
    Taking k = {e, values, copy};
    for (NodeId i = n; i < n + e->t->nodes[n].span; i++) {
        const Node *node = &e->t->nodes[i];
        arg_each_value((Arg){.kind = ARG_tuple, .n = node->nargs, .items = node->args}, take_value,
                       &k);
    }
}

static bool is_wanted(const Each *e, NodeId n)
{
    ValueId out;
    const Node *node = &e->t->nodes[n];
    return !(node->op->flags & OP_CONTROL) && arg_values(node->out, &out, 1) &&
           (!e->o->only || node_makes(node, e->o->only));
}

/* What a statement writes over is taken before it runs. */
static void follow(const Event *ev, void *user)
{
    Each *e = user;
    if (ev->trace != e->t || (ev->kind != EVENT_node_begin && ev->kind != EVENT_node_end) ||
        !is_wanted(e, ev->node))
        return;
    if (ev->kind == EVENT_node_begin) {
        if (writes(e->t, ev->node))
            take_operands(e, ev->node, ev->values, true);
        return;
    }
    take_operands(e, ev->node, ev->values, false);
    arg_each_value(e->t->nodes[ev->node].out, take_value, &(Taking){e, ev->values, false});
    e->node = ev->node;
    session_pause(e->s);
}

/* ------------------------------------------------------------------------------------ one block */

/* The row-major number in the whole value of element `place` of a box. */
static int64_t place_in(const Type *type, const Box *box, int64_t place)
{
    int64_t at = 0, step = 1;
    for (uint32_t i = box->rank; i-- > 0;) {
        int64_t size = box->size[i] > 0 ? box->size[i] : 1;
        at += (box->from[i] + place % size) * step;
        place /= size;
        step *= type->shape[i];
    }
    return at;
}

static void note_result(Each *e, EachRow *row, ValueId v, const Box *box, const MarginNumbers *x)
{
    row->seen += box_numel(box);
    row->wrong += x->wrong;
    row->overflowed += x->overflow;
    row->ulp = fmax(row->ulp, x->ulp);
    if (row->v && !(x->excess > row->excess))
        return;
    row->v = v;
    row->excess = x->excess;
    row->allowed = x->allowed;
    row->got = x->got;
    row->exact = x->exact;
    row->at = place_in(&e->t->values[v].type, box, x->place);
}

static void judge_result(Each *e, EachRow *row, ValueId v, const Box *box, const MarginResult *r,
                         const Run *run)
{
    Tensor *got = box_of(e->values[v], box);
    MarginNumbers numbers = margin_judge(r, got, run);
    note_result(e, row, v, box, &numbers);
    tensor_unref(got);
}

static const char *first_message(EachCheck *out, Diag *d)
{
    Str text = d->first ? d->first->message : S("it failed in double precision");
    const char *copy = arena_str(&out->arena, text).p;
    diag_clear(d);
    return copy;
}

/* Elements that the statement's prims compute, of products the terms. */
static double work_of(const Cone *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->nleaves; i++) {
        const Node *n = &c->t->nodes[c->leaves[i]];
        ValueId out;
        if (arg_values(n->out, &out, 1) != 1 || !c->need[out])
            continue;
        double results = (double)box_numel(c->need[out]);
        double all = (double)type_numel(&c->t->values[out].type);
        bool adds = n->op->flags & (OP_MATMUL | OP_REDUCTION);
        sum += results * (adds ? op_terms(c->t, n, all) : 1);
    }
    return sum;
}

/* A device is given what is worth the kernels that have to be compiled for it. */
static const ExecList *executors_for(const Each *e, const Cone *c)
{
    return work_of(c) < 1e7 ? &e->host : &e->device;
}

static void run_margin(Each *e, EachRow *row, const Margin *m, const Cone *c, const ValueId *outs,
                       uint32_t nouts)
{
    Diag d = {0};
    Run run;
    RunOptions o = {.executors = executors_for(e, c), .wide = true};
    Tensor **inputs = margin_inputs(m, e->values);
    bool good = trace_run(e->s, m->t, inputs, &o, &run, &d);
    for (uint32_t i = 0; good && i < nouts; i++)
        judge_result(e, row, outs[i], c->need[outs[i]], &m->results[i], &run);
    if (!good)
        row->untold = first_message(e->out, &d);
    run_free(&run);
    margin_inputs_free(m, inputs);
    diag_clear(&d);
}

/* Results `outs` in the boxes that c->need has for them. */
static void check_part(Each *e, EachRow *row, Cone *c, const ValueId *outs, uint32_t nouts)
{
    Box **wanted = new_array(c->arena, Box *, nouts);
    for (uint32_t i = 0; i < nouts; i++)
        wanted[i] = box_copy(c->arena, c->need[outs[i]]);
    cone_find(c);
    Margin m = margin_trace(c, outs, nouts);
    if (m.refused) {
        row->untold = arena_str(&e->out->arena, str_from(m.refused)).p;
    } else if (m.t) {
        if (e->last && trace_equal(e->last, m.t, NULL)) {
            trace_unref(m.t);
            m.t = trace_ref(e->last);
        }
        trace_unref(e->last);
        e->last = m.t;
        run_margin(e, row, &m, c, outs, nouts);
    }
}

/* --------------------------------------------------------------------------------------- blocks */

static Cone new_cone(const Each *e, Arena *a, const NodeId *leaves, uint32_t n)
{
    return (Cone){e->t, a, leaves, n, new_array(a, Box *, e->t->nvalues)};
}

static int64_t most_elements(const Each *e)
{
    return e->o->most ? e->o->most : CONE_ELEMENTS;
}

/* The same box of results that have one shape. */
static void check_box(Each *e, EachRow *row, Arena *a, const NodeId *leaves, uint32_t n,
                      const ValueId *outs, uint32_t nouts, const Box *box)
{
    Cone c = new_cone(e, a, leaves, n);
    for (uint32_t i = 0; i < nouts; i++)
        c.need[outs[i]] = box_copy(a, box);
    check_part(e, row, &c, outs, nouts);
}

/* Number k of n places to look at: some elements in a row, from the first to the last. */
static Box *sample_box(Arena *a, const Type *type, int64_t elements, int64_t k, int64_t n)
{
    Box *box = box_whole(a, type);
    for (uint32_t i = type->rank; i-- > 0;) {
        int64_t size = type->shape[i], part = elements < size ? elements : size;
        part = part < 1 ? 1 : part;
        box->size[i] = part;
        box->from[i] = n > 1 ? (size - part) * k / (n - 1) : 0;
        elements /= part;
    }
    return box;
}

static void check_places(Each *e, EachRow *row, Arena *a, const NodeId *leaves, uint32_t n,
                         ValueId v)
{
    const Type *type = &e->t->values[v].type;
    int64_t all = e->o->sample, places = all < PLACES ? all : PLACES;
    for (int64_t k = 0; k < places && !row->untold && !e->s->interrupt; k++) {
        int64_t here = all / places + (k < all % places);
        check_box(e, row, a, leaves, n, &v, 1, sample_box(a, type, here, k, places));
    }
}

static void check_blocks(Each *e, EachRow *row, Arena *a, const NodeId *leaves, uint32_t n,
                         const ValueId *outs, uint32_t nouts)
{
    const Type *type = &e->t->values[outs[0]].type;
    Cone c = {e->t, a, leaves, n, NULL};
    Box *block = cone_block(&c, outs[0], most_elements(e));
    Box *at = box_copy(a, block);
    do {
        ArenaMark mark = arena_mark(a);
        check_box(e, row, a, leaves, n, outs, nouts, at);
        arena_release(a, mark);
    } while (box_next(type, block, at) && !row->untold && !e->s->interrupt);
}

/* ----------------------------------------------------------------------------------- statements */

/* The results of node n that are there and have elements. */
static uint32_t results_of(const Each *e, NodeId n, ValueId *outs)
{
    ValueId all[MAX_OUTPUTS];
    uint32_t count = arg_values(e->t->nodes[n].out, all, MAX_OUTPUTS), kept = 0;
    for (uint32_t i = 0; i < count && i < MAX_OUTPUTS; i++) {
        const Type *type = &e->t->values[all[i]].type;
        bool again = false;
        for (uint32_t k = 0; k < kept; k++)
            again |= outs[k] == all[i];
        if (e->values[all[i]] && type->kind == VALUE_tensor && type_numel(type) > 0 && !again)
            outs[kept++] = all[i];
    }
    return kept;
}

static EachRow *new_row(EachCheck *out, NodeId n)
{
    if (out->n == out->cap) {
        uint32_t cap = out->cap ? 2 * out->cap : 32;
        EachRow *rows = new_array(&out->arena, EachRow, cap);
        if (out->n)
            memcpy(rows, out->rows, out->n * sizeof *rows);
        out->rows = rows;
        out->cap = cap;
    }
    out->rows[out->n] = (EachRow){.node = n};
    return &out->rows[out->n++];
}

static bool one_shape(const Type *a, const Type *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0);
}

/* All results when they are checked block by block together: they have one shape, and none is made
 * of another; else 1. */
static uint32_t alike(const Each *e, const ValueId *outs, uint32_t n)
{
    const Node *node = &e->t->nodes[e->node];
    for (uint32_t i = 0; i < n; i++) {
        if (!one_shape(&e->t->values[outs[0]].type, &e->t->values[outs[i]].type))
            return 1;
        for (const Node *inner = node; inner < node + node->span; inner++)
            if (node_reads(inner, outs[i]))
                return 1;
    }
    return n;
}

static void check_results(Each *e, EachRow *row, Arena *a, const ValueId *outs, uint32_t nouts)
{
    NodeId *leaves = new_array(a, NodeId, e->t->nodes[row->node].span);
    uint32_t n = statement_leaves(e->t, row->node, leaves);
    Cone whole = new_cone(e, a, leaves, n);
    for (uint32_t i = 0; i < nouts; i++)
        whole.need[outs[i]] = box_whole(a, &e->t->values[outs[i]].type);
    cone_find(&whole);
    if (!e->o->sample && cone_largest(&whole) <= most_elements(e)) {
        check_part(e, row, &whole, outs, nouts);
        return;
    }
    uint32_t together = e->o->sample ? 1 : alike(e, outs, nouts);
    for (uint32_t i = 0; i < nouts && !row->untold && !e->s->interrupt; i += together) {
        const Type *type = &e->t->values[outs[i]].type;
        if (e->o->sample && type_numel(type) > e->o->sample)
            check_places(e, row, a, leaves, n, outs[i]);
        else
            check_blocks(e, row, a, leaves, n, outs + i, together);
    }
}

/* A statement that only names what is there has nothing to check. */
static void check_statement(Each *e)
{
    Arena a = {0};
    ValueId outs[MAX_OUTPUTS];
    uint32_t nouts = results_of(e, e->node, outs);
    if (nouts && statement_leaves(e->t, e->node, NULL)) {
        EachRow *row = new_row(e->out, e->node);
        check_results(e, row, &a, outs, nouts);
        e->out->wrong += row->wrong > 0;
        e->out->untold += row->untold != NULL;
    }
    arena_free(&a);
    drop_values(e);
    e->node = NO_NODE;
}

static void choose_executors(const Session *s, ExecList *host, ExecList *device)
{
    *host = exec_alone(&s->executors);
    if (!reference_executors(&s->executors, device))
        *device = *host;
}

static bool run_stage(Each *e, Program *p, const Stage *st, Diag *d)
{
    Run run = {0};
    RunOptions o = {.executors = e->o->executors, .unplanned = true};
    uint32_t handle = session_listen(e->s, follow, e);
    bool good = session_run(e->s, p, st, &o, &run, d);
    while (good && run.paused) {
        if (e->node != NO_NODE)
            check_statement(e);
        good = session_resume(&run, d);
    }
    session_unlisten(e->s, handle);
    run_free(&run);
    return good;
}

static Each each_begin(Session *s, const Trace *t, const EachOptions *o, EachCheck *out)
{
    Each e = {.s = s, .o = o, .t = t, .out = out, .node = NO_NODE};
    size_t bytes = t->nvalues * sizeof *e.values;
    *out = (EachCheck){.t = trace_ref((Trace *)t)};
    e.values = memset(run_realloc(NULL, bytes), 0, bytes);
    choose_executors(s, &e.host, &e.device);
    return e;
}

static void each_end(Each *e)
{
    drop_values(e);
    free(e->values);
    trace_unref(e->last);
}

bool session_check_each(Session *s, Program *p, const Stage *st, const EachOptions *o,
                        EachCheck *out, Diag *d)
{
    Each e = each_begin(s, st->trace, o, out);
    bool good = run_stage(&e, p, st, d);
    each_end(&e);
    return good;
}

bool session_check_statement(Session *s, const Run *run, NodeId n, int64_t sample, EachRow *out)
{
    EachOptions o = {.sample = sample};
    EachCheck check;
    Each e = each_begin(s, run->t, &o, &check);
    if (!writes(e.t, n)) {
        take_operands(&e, n, run->values, false);
        arg_each_value(e.t->nodes[n].out, take_value, &(Taking){&e, run->values, false});
        e.node = n;
        check_statement(&e);
    }
    bool told = check.n == 1 && !check.rows[0].untold;
    if (told)
        *out = check.rows[0];
    each_end(&e);
    each_free(&check);
    return told;
}

void each_free(EachCheck *x)
{
    trace_unref((Trace *)x->t);
    arena_free(&x->arena);
    *x = (EachCheck){0};
}
