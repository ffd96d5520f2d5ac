/*
 * fuse.c - joins nodes of one fusion executor into regions.
 *
 *     t0 = prims.add(x, y)  @c
 *     t1 = prims.exp(t0)    @c   ->   [t1] = cFusion0(x, y)  @c
 *
 * One walk in order. A node joins the group of one of its operands, or of another reader of an
 * operand, when a loop nest can compute both (core/gen decides) and the order allows it. Order: a
 * group stands at one place of the trace. It may sink to a new node while nothing outside reads it
 * yet, or the node may rise to it when all its operands are known there; so no cycle can arise and
 * no search is needed. What is only views goes back to the next executor, which moves nothing, and
 * so does what is computed sooner than a compiler starts (option fuse.min_work).
 */
#include "fuse.h"

#include "alias.h"
#include "chain.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- joining */

typedef struct Candidate {
    uint32_t group;
    ValueId through;
    bool vertical;
} Candidate;

typedef struct Search {
    Fuse *f;
    Candidate found[MAX_CANDIDATES];
    uint32_t n;
    bool siblings;
} Search;

static void add_candidate(ValueId v, void *user)
{
    Search *s = user;
    const Fuse *f = s->f;
    uint32_t g = s->siblings                ? f->reader[v]
                 : f->made[v] == NO_NODE    ? NO_GROUP
                                            : f->group_of[f->made[v]];
    while (g != NO_GROUP && f->groups[g].n == 0)
        g = f->groups[g].into;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->found[i].group == g)
            return;
    if (g != NO_GROUP && !f->groups[g].closed && s->n < MAX_CANDIDATES)
        s->found[s->n++] = (Candidate){g, v, !s->siblings};
}

typedef struct Rise {
    const Fuse *f;
    uint32_t group;
    bool known;
} Rise;

static void check_known(ValueId v, void *user)
{
    Rise *r = user;
    NodeId n = r->f->made[v];
    if (n == NO_NODE)
        return;
    uint32_t g = r->f->group_of[n];
    NodeId at = g == NO_GROUP ? n : r->f->groups[g].at;
    r->known = r->known && (g == r->group || at < r->f->groups[r->group].at);
}

/* Whether node n can stand where group g stands, or g where n does. */
static bool order_allows(Fuse *f, uint32_t g, NodeId n, bool *sinks)
{
    *sinks = !f->groups[g].read;
    Rise r = {f, g, true};
    if (!*sinks)
        fuse_each_operand(f, n, check_known, &r);
    return r.known;
}

ValueId fuse_value(const Fuse *f, NodeId n)
{
    return first_value(f->in->nodes[n].out);
}

static void refuse(Fuse *f, NodeId n, const Candidate *k, const char *reason)
{
    const Group *g = &f->groups[k->group];
    ValueId other = k->vertical ? k->through : fuse_value(f, g->nodes[g->n - 1]);
    rule_refuse(f->c, "fuse", fuse_value(f, n), other, "%s", reason);
}

bool fuse_fits(Fuse *f, const FuseJoin *j)
{
    uint32_t a = j->a, b = j->b;
    NodeId more = j->more;
    GenCost cost;
    NodeId nodes[2 * MAX_GROUP_NODES + 1];
    ValueId outs[MAX_OUTPUTS + 1];
    sb_clear(&f->why);
    uint32_t n = f->groups[a].n + (b == NO_GROUP ? 0 : f->groups[b].n) + 1;
    if (n > MAX_GROUP_NODES) {
        sb_printf(&f->why, "it would have more than %d statements", MAX_GROUP_NODES);
        return false;
    }
    if (fuse_all_plain(f, a, b, more) && fuse_count_outs(f, a, b, more) <= MAX_OUTPUTS)
        return true;
    Region r = fuse_region(f, a, b, more, nodes, outs);
    if (r.n > MAX_GROUP_NODES) {
        sb_puts(&f->why, "it would have too many statements with what it computes again");
        return false;
    }
    const Executor *e = exec_find(f->c->executors, str_from(f->groups[a].executor));
    if (e && e->both_ways)
        return gen_fits_cuda(&r, &f->why);
    if (!f->costs || !fuse_may_lose(f, j, &r))
        return gen_fits(&r, &f->why);
    return gen_cost(&r, &cost, &f->why) && fuse_pays(f, j, &r, &cost);
}

/* Says what a join saves; false when it is to be left out. */
static bool apply(Fuse *f, ValueId v, ValueId other, const FuseJoin *j, const Candidate *k)
{
    const char *unit;
    double less = fuse_amount(fuse_saved(f, j, k->through), &unit);
    if (!k->vertical)
        return rule_apply(f->c, "fuse", v, other, "one loop reads for both, %.3g %s less", less,
                          unit);
    return rule_apply(f->c, "fuse", v, other,
                      "one loop computes both: the value between them is not written and read "
                      "again, %.3g %s less",
                      less, unit);
}

/* Whether n joins the group; says in the log why not. */
static bool try_join(Fuse *f, NodeId n, const Candidate *k, bool *sinks)
{
    const Group *g = &f->groups[k->group];
    const Node *node = &f->in->nodes[n];
    FuseJoin join = {k->group, NO_GROUP, n, k->through};
    if (strcmp(g->executor, node->executor) != 0)
        refuse(f, n, k, "they run on different executors");
    else if (g->epoch != f->epoch)
        refuse(f, n, k, g->epoch + 1 == f->epoch && f->epoch == f->border_epoch
                            ? "one belongs to the backward part"
                            : "a statement between them writes in place");
    else if (!order_allows(f, k->group, n, sinks))
        refuse(f, n, k, "something between them reads one and is needed by the other");
    else if (!fuse_fits(f, &join))
        refuse(f, n, k, sb_cstr(&f->why));
    else {
        const Group *all = &f->groups[k->group];
        ValueId other = k->vertical ? k->through : fuse_value(f, all->nodes[all->n - 1]);
        return apply(f, fuse_value(f, n), other, &join, k);
    }
    return false;
}

/* Group b goes into a, now that a node reads both. */
static void try_merge(Fuse *f, uint32_t a, const Candidate *k)
{
    Group *g = &f->groups[a], *h = &f->groups[k->group];
    if (k->group == a || h->n == 0 || h->read || h->epoch != f->epoch ||
        strcmp(g->executor, h->executor) != 0)
        return;
    FuseJoin join = {a, k->group, NO_NODE, k->through};
    if (!fuse_fits(f, &join)) {
        rule_refuse(f->c, "fuse", fuse_value(f, g->nodes[g->n - 1]), k->through, "%s",
                    sb_cstr(&f->why));
        return;
    }
    if (!apply(f, fuse_value(f, g->nodes[g->n - 1]), k->through, &join, k))
        return;
    for (uint32_t i = 0; i < h->n; i++)
        fuse_add_node(f, g, h->nodes[i]);
    h->n = 0;
    h->into = a;
}

static uint32_t new_group(Fuse *f, NodeId n)
{
    f->groups[f->ngroups] =
        (Group){.into = NO_GROUP, .epoch = f->epoch, .executor = f->in->nodes[n].executor};
    return f->ngroups++;
}

static void note_read(ValueId v, void *user)
{
    const Search *s = user;
    Fuse *f = s->f;
    uint32_t mine = f->group_of[f->now];
    uint32_t g = f->made[v] == NO_NODE ? NO_GROUP : f->group_of[f->made[v]];
    if (g != NO_GROUP && g != mine)
        f->groups[g].read = true;
    f->reader[v] = mine;
}

static void place(Fuse *f, NodeId n)
{
    Search s = {.f = f};
    f->now = n;
    fuse_each_operand(f, n, add_candidate, &s);
    uint32_t vertical = s.n;
    s.siblings = true;
    fuse_each_operand(f, n, add_candidate, &s);
    uint32_t joined = NO_GROUP;
    bool sinks = true;
    for (uint32_t i = 0; i < s.n && joined == NO_GROUP; i++)
        if (f->groups[s.found[i].group].n && try_join(f, n, &s.found[i], &sinks))
            joined = s.found[i].group;
    bool alone = joined == NO_GROUP;
    if (alone)
        joined = new_group(f, n);
    Group *g = &f->groups[joined];
    fuse_add_node(f, g, n);
    if (alone || sinks)
        g->at = n;
    for (uint32_t i = 0; i < vertical && !alone && sinks; i++)
        try_merge(f, joined, &s.found[i]);
    f->now = n;
    fuse_each_operand(f, n, note_read, &s);
}

static void find_late(Fuse *f, const NodeId *top, uint32_t n);

static bool reads_as_it_is(const Fuse *f, NodeId reader)
{
    return reader != NO_NODE && !(f->in->nodes[reader].op->flags & OP_CONTROL) &&
           (!fuse_takes(f, reader) || f->shown[reader]);
}

/* A reshape of what no kernel makes: a kernel that makes it would copy all of it for others. */
static bool is_free_reshape(const Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    if (!node_is_prim(node, PRIM_reshape) || !fuse_on_device(f, node->executor))
        return false;
    NodeId from = f->made[node->args[0].v];
    return from == NO_NODE ||
           (!fuse_takes(f, from) && !fuse_is_view(f, from));
}

bool fuse_is_view(const Fuse *f, NodeId n)
{
    return (f->in->nodes[n].op->flags & OP_VIEW) && !f->copies[n];
}

/* What contiguous() has to copy is work for a kernel: the interpreter would fetch the operand of
 * a device to copy it. */
static void find_copies(Fuse *f)
{
    Alias a;
    bool any = false;
    for_top(f->in, n)
        any = any || node_is_prim(&f->in->nodes[n], PRIM_stride_order);
    if (!any)
        return;
    alias_build(&a, f->in);
    for_top(f->in, n)
        f->copies[n] = node_is_prim(&f->in->nodes[n], PRIM_stride_order) &&
                       a.copied[fuse_value(f, n)];
    alias_free(&a);
}

/* A transposed matrix that only a product reads would be written out by a kernel; as a view it
 * costs nothing, since who computes products takes strides; nor does contiguous() of what is. */
static void find_shown(Fuse *f)
{
    NodeId *top = new_array(&f->scratch, NodeId, f->in->nnodes + 1);
    uint32_t n = 0, count;
    for_top(f->in, i)
        top[n++] = i;
    count = n;
    while (n-- > 0) {
        if (!fuse_takes(f, top[n]) || !fuse_is_view(f, top[n]))
            continue;
        ValueId v = fuse_value(f, top[n]);
        bool all = f->use_start[v] < f->use_start[v + 1], some = false;
        bool laid_out = node_is_prim(&f->in->nodes[top[n]], PRIM_stride_order);
        for (uint32_t i = f->use_start[v]; i < f->use_start[v + 1]; i++) {
            bool as_it_is = reads_as_it_is(f, f->uses[i]) ||
                            (laid_out && f->uses[i] == NO_NODE);
            all = all && as_it_is;
            some = some || as_it_is;
        }
        f->shown[top[n]] = all || (some && (is_free_reshape(f, top[n]) || laid_out));
    }
    find_late(f, top, count);
}

bool fuse_on_device(const Fuse *f, const char *executor)
{
    const Executor *e = executor ? exec_find(f->c->executors, str_from(executor)) : NULL;
    return e && e->device;
}

static bool has_fusion_executor(const Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    if (!node->executor || node->span != 1 || node->op->language != LANG_prims)
        return false;
    const Executor *e = exec_find(f->c->executors, str_from(node->executor));
    return e && e->kind == EXEC_fusion && fuse_value(f, n);
}

/* Whether a statement outside of kernels reads value v, itself or through views. */
static bool is_written_out(const Fuse *f, ValueId v)
{
    for (uint32_t i = f->use_start[v]; i < f->use_start[v + 1]; i++) {
        NodeId n = f->uses[i];
        if (n == NO_NODE || !has_fusion_executor(f, n) ||
            (fuse_is_view(f, n) && is_written_out(f, fuse_value(f, n))))
            return true;
    }
    return false;
}

/* A cat on a device that is written out anyway: moving whole pieces there is faster than a kernel
 * that asks for every element which piece it is of. */
static bool moves_pieces(const Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    return node_is_prim(node, PRIM_cat) && fuse_on_device(f, node->executor) &&
           is_written_out(f, fuse_value(f, n));
}

bool fuse_takes(const Fuse *f, NodeId n)
{
    return has_fusion_executor(f, n) && !moves_pieces(f, n);
}

static bool may_stand_later(const Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    ValueId outs[MAX_OUTPUTS];
    uint32_t nouts = arg_values(node->out, outs, MAX_OUTPUTS);
    if (!nouts || !fuse_on_device(f, node->executor) || (fuse_takes(f, n) && !f->shown[n]) ||
        (subtree_flags(f->in, n) & (OP_IN_PLACE | OP_CONTROL)))
        return false;
    for (uint32_t k = 0; k < nouts && k < MAX_OUTPUTS; k++)
        for (uint32_t i = f->use_start[outs[k]]; i < f->use_start[outs[k] + 1]; i++) {
            NodeId reader = f->uses[i];
            bool inside = reader >= n && reader < n + node->span;
            if (reader != NO_NODE && !inside && !f->late[reader])
                return false;
        }
    return true;
}

/* The product that makes a weight's gradient is needed by nobody but who asked for it. It follows
 * the kernel that makes its operands to where that kernel is joined with its other readers. */
static void find_late(Fuse *f, const NodeId *top, uint32_t n)
{
    while (n-- > 0)
        f->late[top[n]] = may_stand_later(f, top[n]);
}

static double all_work(const Fuse *f)
{
    double work = 0;
    for_top(f->in, n) /* leaving out a kernel on a device would fetch its operands from there */
        if (fuse_on_device(f, f->in->nodes[n].executor))
            work += f->min_work;
        else if (fuse_takes(f, n) && !f->shown[n])
            work += fuse_node_work(f, n);
    return work;
}

/* A product and what follows it, for an executor that computes both with one kernel. Nothing that
 * writes in place may stand between them. */
static bool place_end(Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    Str name = str_from(node->executor);
    const Executor *e = name.n ? exec_find(f->c->executors, name) : NULL;
    ValueId v = e && e->joins && node->nargs ? first_value(node->args[0]) : 0;
    NodeId first = v ? f->made[v] : NO_NODE;
    if (first == NO_NODE || f->epoch > 0 || f->group_of[first] != NO_GROUP ||
        !f->in->nodes[first].executor || strcmp(f->in->nodes[first].executor, e->name) != 0 ||
        !e->joins(f->in, first, n))
        return false;
    if (!f->readers)
        f->readers = count_readers(f->in, &f->scratch);
    if (f->readers[v] != 1 ||
        !rule_apply(f->c, "join", fuse_value(f, n), v, "%s computes it at the end of the product",
                    e->name))
        return false;
    uint32_t g = new_group(f, n);
    fuse_add_node(f, &f->groups[g], first);
    fuse_add_node(f, &f->groups[g], n);
    f->groups[g].at = n;
    return true;
}

/* Where nothing is worth compiling, products still take what follows them. */
static bool place_ends(Fuse *f)
{
    for_top(f->in, n) {
        if (!node_is_del(&f->in->nodes[n]) && f->group_of[n] == NO_GROUP)
            place_end(f, n);
        f->epoch += (subtree_flags(f->in, n) & OP_IN_PLACE) ||
                    node_is_prim(&f->in->nodes[n], PRIM_end_forward);
    }
    return true;
}

/* Products that one kernel computes with what follows them are groups before all others. */
static void place_chains(Fuse *f)
{
    const Chain *chains;
    ChainSearch s = {f->c, f->in, f->made, f->late, f->piece, f->border, &f->scratch};
    uint32_t n = chains_find(&s, &chains);
    for (uint32_t i = 0; i < n; i++) {
        Group *g = &f->groups[new_group(f, chains[i].nodes[0])];
        g->executor = chains[i].executor;
        g->closed = true;
        g->at = chains[i].nodes[chains[i].n - 1];
        for (uint32_t k = 0; k < chains[i].n; k++) {
            fuse_add_node(f, g, chains[i].nodes[k]);
            f->late[chains[i].nodes[k]] = f->shown[chains[i].nodes[k]] = false;
        }
    }
}

/* The backward part has groups of its own; fuse_across joins those afterwards. */
static void begin_backward(Fuse *f)
{
    f->border_epoch = ++f->epoch;
}

static bool make_groups(Fuse *f)
{
    place_chains(f);
    if (all_work(f) < f->min_work)
        return place_ends(f) && !pass_interrupted(f->c);
    Search s = {.f = f};
    for_top(f->in, n) {
        if (pass_interrupted(f->c))
            return false;
        if (n == f->border)
            begin_backward(f);
        if (f->piece[n])
            continue;
        if (fuse_takes(f, n) && !f->shown[n] && f->group_of[n] == NO_GROUP) {
            place(f, n);
            continue;
        }
        f->now = n;
        if (node_is_del(&f->in->nodes[n]))
            continue;
        if (f->group_of[n] == NO_GROUP)
            place_end(f, n);
        for (NodeId i = n; i < n + f->in->nodes[n].span && !f->late[n]; i++)
            fuse_each_operand(f, i, note_read, &s);
        f->epoch += (subtree_flags(f->in, n) & OP_IN_PLACE) ||
                    node_is_prim(&f->in->nodes[n], PRIM_end_forward);
    }
    return true;
}

/* Where the backward part begins; the number of nodes where there are not two parts. */
static NodeId find_border(const Trace *in)
{
    bool forward = false;
    for_top(in, n) {
        bool backward = in->nodes[n].flags & NF_BACKWARD;
        if (backward && forward)
            return n;
        forward = !backward;
        if (backward)
            break;
    }
    return in->nnodes;
}

Trace *pass_fuse(PassCtx *c, const Trace *in)
{
    Fuse f = {.c = c, .in = in, .t = trace_derive(in)};
    f.min_work = atof(pass_option(c, "min_work", "2048").p);
    f.costs = str_is(pass_option(c, "cost", "on"), "on");
    f.groups = new_array(&f.scratch, Group, in->nnodes + 1);
    f.group_of = new_array(&f.scratch, uint32_t, in->nnodes + 1);
    f.reader = new_array(&f.scratch, uint32_t, in->nvalues);
    f.made = new_array(&f.scratch, NodeId, in->nvalues);
    memset(f.group_of, 0xff, (in->nnodes + 1) * sizeof *f.group_of);
    memset(f.reader, 0xff, in->nvalues * sizeof *f.reader);
    memset(f.made, 0xff, in->nvalues * sizeof *f.made);
    f.shown = new_array(&f.scratch, bool, in->nnodes + 1);
    f.copies = new_array(&f.scratch, bool, in->nnodes + 1);
    f.late = new_array(&f.scratch, bool, in->nnodes + 1);
    f.lent = new_array(&f.scratch, bool, in->nnodes + 1);
    f.piece = new_array(&f.scratch, bool, in->nnodes + 1);
    f.own = new_array(&f.scratch, ValueId, in->nvalues);
    f.border = find_border(in);
    fuse_note_uses(&f);
    find_copies(&f);
    find_shown(&f);
    fuse_find_pieces(&f);
    bool done = make_groups(&f);
    if (done) {
        fuse_across(&f);
        fuse_lend(&f);
        fuse_write(&f);
    }
    sb_free(&f.why);
    arena_free(&f.scratch);
    if (done)
        return f.t;
    trace_unref(f.t);
    return NULL;
}
