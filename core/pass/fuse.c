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

#include "chain.h"
#include "inject.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------- readers of a value */

static void count_use(ValueId v, void *user)
{
    ((Fuse *)user)->use_start[v + 1]++;
}

static void add_use(ValueId v, void *user)
{
    Fuse *f = user;
    f->uses[f->use_start[v]++] = f->now;
}

static void each_use(Fuse *f, void (*fn)(ValueId, void *))
{
    for_top(f->in, n) {
        f->now = n;
        if (node_is_del(&f->in->nodes[n]))
            continue;
        for (NodeId i = n; i < n + f->in->nodes[n].span; i++)
            for (uint32_t k = 0; k < f->in->nodes[i].nargs; k++)
                arg_each_value(f->in->nodes[i].args[k], fn, f);
    }
    f->now = NO_NODE;
    arg_each_value(f->in->output, fn, f);
}

static void note_made(ValueId v, void *user)
{
    Fuse *f = user;
    f->made[v] = f->now;
}

static void note_uses(Fuse *f)
{
    uint32_t n = f->in->nvalues;
    f->use_start = new_array(&f->scratch, uint32_t, n + 2);
    each_use(f, count_use);
    for (uint32_t v = 0; v <= n; v++)
        f->use_start[v + 1] += f->use_start[v];
    f->uses = new_array(&f->scratch, NodeId, f->use_start[n] + 1);
    each_use(f, add_use); /* moves every start to the next one's */
    for (uint32_t v = n; v > 0; v--)
        f->use_start[v] = f->use_start[v - 1];
    f->use_start[0] = 0;
    for_top(f->in, i) {
        f->now = i;
        arg_each_value(f->in->nodes[i].out, note_made, f);
    }
}

/* --------------------------------------------------------------------------------------- groups */

typedef struct Same {
    const Fuse *f;
    uint32_t group;
    const Type *type;
    uint32_t inputs; /* that the group does not make, and did not read last */
    bool good;
} Same;

static bool same_shape(const Type *a, const Type *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0);
}

static void check_same(ValueId v, void *user)
{
    Same *s = user;
    const Fuse *f = s->f;
    const Type *type = &f->in->values[v].type;
    bool inside = f->made[v] != NO_NODE && f->group_of[f->made[v]] == s->group;
    s->inputs += !inside && f->reader[v] != s->group;
    s->good = s->good && (type->kind != VALUE_tensor || same_shape(type, s->type));
}

/* The type of node n's result when it is elementwise, with operands of the same shape. *inputs: how
 * many values it adds to those that the group reads, or a few more. */
static const Type *plain_type(Fuse *f, uint32_t group, NodeId n, uint32_t *inputs)
{
    const Node *node = &f->in->nodes[n];
    Same s = {f, group, &f->in->values[first_value(node->out)].type, 0, true};
    for (uint32_t k = 0; k < node->nargs; k++)
        arg_each_value(node->args[k], check_same, &s);
    *inputs = s.inputs;
    bool plain = s.good && (node->op->flags & OP_ELEMENTWISE) && gen_takes(f->in, n, &f->why);
    return plain ? s.type : NULL;
}

static void add_node(Fuse *f, Group *g, NodeId n)
{
    uint32_t inputs;
    const Type *type = plain_type(f, (uint32_t)(g - f->groups), n, &inputs);
    bool keeps = g->n == 0 || (g->plain && type && same_shape(g->plain, type));
    g->plain = keeps ? type : NULL;
    g->inputs += inputs;
    if (g->n == g->cap) {
        NodeId *more = new_array(&f->scratch, NodeId, 2 * g->cap + 4);
        if (g->n)
            memcpy(more, g->nodes, g->n * sizeof *more);
        g->nodes = more;
        g->cap = 2 * g->cap + 4;
    }
    g->nodes[g->n++] = n;
    f->group_of[n] = (uint32_t)(g - f->groups);
}

typedef struct Outs {
    Fuse *f;
    uint32_t a, b; /* groups that count as inside, with node `more` */
    NodeId more;
    ValueId *outs;
    uint32_t n, max;
} Outs;

/* Whether something outside reads value v. A piece is where its readers are. */
static bool is_read_outside(const Outs *o, ValueId v)
{
    const Fuse *f = o->f;
    bool outside = false;
    for (uint32_t i = f->use_start[v]; i < f->use_start[v + 1] && !outside; i++) {
        NodeId n = f->uses[i];
        uint32_t g = n == NO_NODE ? NO_GROUP : f->group_of[n];
        if (n != NO_NODE && f->piece[n]) {
            outside = is_read_outside(o, first_value(f->in->nodes[n].out));
            continue;
        }
        outside = n == NO_NODE || (n != o->more && (g == NO_GROUP || (g != o->a && g != o->b)));
        outside = outside || (n != NO_NODE && f->lent[n]);
    }
    return outside;
}

static void add_out(ValueId v, void *user)
{
    Outs *o = user;
    const Fuse *f = o->f;
    bool outside = is_read_outside(o, v);
    if (f->made[v] != NO_NODE && f->lent[f->made[v]])
        outside = false;
    if (INJECT(fuse_output, f->in->values[v].name))
        outside = false;
    if (outside && o->n < o->max)
        o->outs[o->n] = v;
    o->n += outside;
}

static int by_number(const void *a, const void *b)
{
    const NodeId *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

typedef struct Lent {
    const Fuse *f;
    NodeId *nodes;
    uint32_t n, max, group;
} Lent;

static void add_lent(ValueId v, void *user)
{
    Lent *l = user;
    NodeId c = l->f->made[v];
    if (c == NO_NODE || !l->f->lent[c] || l->f->group_of[c] == l->group || l->n == l->max)
        return;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->nodes[i] == c)
            return;
    l->nodes[l->n++] = c;
}

/* The region that groups a and b (either may be NO_GROUP) and node more (or NO_NODE) would make. */
static Region make_region(Fuse *f, uint32_t a, uint32_t b, NodeId more, NodeId *nodes,
                          ValueId *outs)
{
    uint32_t n = 0, groups[2] = {a, b};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; groups[k] != NO_GROUP && i < f->groups[groups[k]].n; i++)
            nodes[n++] = f->groups[groups[k]].nodes[i];
    if (more != NO_NODE)
        nodes[n++] = more;
    Lent l = {f, nodes, n, 2 * MAX_GROUP_NODES, a};
    for (uint32_t i = 0; i < l.n; i++)
        for (uint32_t k = 0; k < f->in->nodes[nodes[i]].nargs; k++)
            arg_each_value(f->in->nodes[nodes[i]].args[k], add_lent, &l);
    n = l.n;
    qsort(nodes, n, sizeof *nodes, by_number);
    Outs o = {.f = f, .a = a, .b = b, .more = more, .outs = outs, .max = MAX_OUTPUTS + 1};
    for (uint32_t i = 0; i < n; i++)
        if (nodes[i] == more || f->group_of[nodes[i]] == a || f->group_of[nodes[i]] == b)
            arg_each_value(f->in->nodes[nodes[i]].out, add_out, &o);
    return (Region){f->in, nodes, n, outs, o.n < o.max ? o.n : o.max};
}

/* How many values of the region that these would make are needed outside. */
static uint32_t count_outs(Fuse *f, uint32_t a, uint32_t b, NodeId more)
{
    Outs o = {.f = f, .a = a, .b = b, .more = more};
    uint32_t groups[2] = {a, b};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; groups[k] != NO_GROUP && i < f->groups[groups[k]].n; i++)
            arg_each_value(f->in->nodes[f->groups[groups[k]].nodes[i]].out, add_out, &o);
    if (more != NO_NODE)
        arg_each_value(f->in->nodes[more].out, add_out, &o);
    return o.n;
}

/* Whether the region is a chain of elementwise statements over one shape, with few inputs: those
 * always fit, and asking core/gen at every step of a long chain would take quadratic time. */
static bool all_plain(Fuse *f, uint32_t a, uint32_t b, NodeId more)
{
    uint32_t inputs = 0;
    const Group *g = &f->groups[a], *h = b == NO_GROUP ? NULL : &f->groups[b];
    const Type *type = more == NO_NODE ? g->plain : plain_type(f, a, more, &inputs);
    return g->plain && type && same_shape(g->plain, type) &&
           (!h || (h->plain && same_shape(h->plain, type))) &&
           inputs + g->inputs + (h ? h->inputs : 0) <= MAX_REGION_INPUTS;
}

static bool fits(Fuse *f, uint32_t a, uint32_t b, NodeId more)
{
    NodeId nodes[2 * MAX_GROUP_NODES + 1];
    ValueId outs[MAX_OUTPUTS + 1];
    sb_clear(&f->why);
    uint32_t n = f->groups[a].n + (b == NO_GROUP ? 0 : f->groups[b].n) + 1;
    if (n > MAX_GROUP_NODES) {
        sb_printf(&f->why, "it would have more than %d statements", MAX_GROUP_NODES);
        return false;
    }
    if (all_plain(f, a, b, more) && count_outs(f, a, b, more) <= MAX_OUTPUTS)
        return true;
    Region r = make_region(f, a, b, more, nodes, outs);
    if (r.n > MAX_GROUP_NODES) {
        sb_puts(&f->why, "it would have too many statements with what it computes again");
        return false;
    }
    const Executor *e = exec_find(f->c->executors, str_from(f->groups[a].executor));
    return e && e->both_ways ? gen_fits_cuda(&r, &f->why) : gen_fits(&r, &f->why);
}

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

typedef struct Sources {
    const Fuse *f;
    void (*fn)(ValueId, void *);
    void *user;
} Sources;

static void each_operand(const Fuse *f, NodeId n, void (*fn)(ValueId, void *), void *user);

static void give_source(ValueId v, void *user)
{
    const Sources *s = user;
    NodeId made = s->f->made[v];
    if (made != NO_NODE && s->f->piece[made])
        each_operand(s->f, made, s->fn, s->user);
    else
        s->fn(v, s->user);
}

/* What node n reads; of a piece, what that is made of. */
static void each_operand(const Fuse *f, NodeId n, void (*fn)(ValueId, void *), void *user)
{
    const Node *node = &f->in->nodes[n];
    Sources s = {f, fn, user};
    for (uint32_t k = 0; k < node->nargs; k++)
        arg_each_value(node->args[k], give_source, &s);
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
        each_operand(f, n, check_known, &r);
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

/* Whether n joins the group; says in the log why not. */
static bool try_join(Fuse *f, NodeId n, const Candidate *k, bool *sinks)
{
    const Group *g = &f->groups[k->group];
    const Node *node = &f->in->nodes[n];
    if (strcmp(g->executor, node->executor) != 0)
        refuse(f, n, k, "they run on different executors");
    else if (g->epoch != f->epoch)
        refuse(f, n, k, "a statement between them writes in place");
    else if (!order_allows(f, k->group, n, sinks))
        refuse(f, n, k, "something between them reads one and is needed by the other");
    else if (!fits(f, k->group, NO_GROUP, n))
        refuse(f, n, k, sb_cstr(&f->why));
    else {
        const Group *all = &f->groups[k->group];
        ValueId other = k->vertical ? k->through : fuse_value(f, all->nodes[all->n - 1]);
        return rule_apply(f->c, "fuse", fuse_value(f, n), other, "%s",
                          k->vertical ? "one loop computes both: the value between them is not "
                                        "written and read again"
                                      : "one loop reads for both");
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
    if (!fits(f, a, k->group, NO_NODE)) {
        rule_refuse(f->c, "fuse", fuse_value(f, g->nodes[g->n - 1]), k->through, "%s",
                    sb_cstr(&f->why));
        return;
    }
    if (!rule_apply(f->c, "fuse", fuse_value(f, g->nodes[g->n - 1]), k->through,
                    "one loop computes both: the value between them is not written and read again"))
        return;
    for (uint32_t i = 0; i < h->n; i++)
        add_node(f, g, h->nodes[i]);
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
    each_operand(f, n, add_candidate, &s);
    uint32_t vertical = s.n;
    s.siblings = true;
    each_operand(f, n, add_candidate, &s);
    uint32_t joined = NO_GROUP;
    bool sinks = true;
    for (uint32_t i = 0; i < s.n && joined == NO_GROUP; i++)
        if (f->groups[s.found[i].group].n && try_join(f, n, &s.found[i], &sinks))
            joined = s.found[i].group;
    bool alone = joined == NO_GROUP;
    if (alone)
        joined = new_group(f, n);
    Group *g = &f->groups[joined];
    add_node(f, g, n);
    if (alone || sinks)
        g->at = n;
    for (uint32_t i = 0; i < vertical && !alone && sinks; i++)
        try_merge(f, joined, &s.found[i]);
    f->now = n;
    each_operand(f, n, note_read, &s);
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
           (!fuse_takes(f, from) && !(f->in->nodes[from].op->flags & OP_VIEW));
}

/* A transposed matrix that only a product reads would be written out by a kernel; as a view it
 * costs nothing, since who computes products takes strides. */
static void find_shown(Fuse *f)
{
    NodeId *top = new_array(&f->scratch, NodeId, f->in->nnodes + 1);
    uint32_t n = 0, count;
    for_top(f->in, i)
        top[n++] = i;
    count = n;
    while (n-- > 0) {
        const Node *node = &f->in->nodes[top[n]];
        if (!fuse_takes(f, top[n]) || !(node->op->flags & OP_VIEW))
            continue;
        ValueId v = fuse_value(f, top[n]);
        bool all = f->use_start[v] < f->use_start[v + 1], some = false;
        for (uint32_t i = f->use_start[v]; i < f->use_start[v + 1]; i++) {
            bool as_it_is = reads_as_it_is(f, f->uses[i]);
            all = all && as_it_is;
            some = some || as_it_is;
        }
        f->shown[top[n]] = all || (some && is_free_reshape(f, top[n]));
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
            ((f->in->nodes[n].op->flags & OP_VIEW) && is_written_out(f, fuse_value(f, n))))
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
    ValueId v = node->out.kind == ARG_value ? node->out.v : 0;
    if (!v || !fuse_on_device(f, node->executor) || (fuse_takes(f, n) && !f->shown[n]) ||
        (subtree_flags(f->in, n) & (OP_IN_PLACE | OP_CONTROL)))
        return false;
    for (uint32_t i = f->use_start[v]; i < f->use_start[v + 1]; i++)
        if (f->uses[i] != NO_NODE && !f->late[f->uses[i]])
            return false;
    return true;
}

/* The product that makes a weight's gradient is needed by nobody but who asked for it. It follows
 * the kernel that makes its operands to where that kernel is joined with its other readers. */
static void find_late(Fuse *f, const NodeId *top, uint32_t n)
{
    while (n-- > 0)
        f->late[top[n]] = may_stand_later(f, top[n]);
}

/* Elements that node n computes, or reads where those are more. */
static double node_work(const Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    double out = (double)type_numel(&f->in->values[first_value(node->out)].type);
    ValueId v = node->nargs ? first_value(node->args[0]) : 0;
    double in = v ? (double)type_numel(&f->in->values[v].type) : 0;
    return out > in ? out : in;
}

static double all_work(const Fuse *f)
{
    double work = 0;
    for_top(f->in, n) /* leaving out a kernel on a device would fetch its operands from there */
        if (fuse_on_device(f, f->in->nodes[n].executor))
            work += f->min_work;
        else if (fuse_takes(f, n) && !f->shown[n])
            work += node_work(f, n);
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
    add_node(f, &f->groups[g], first);
    add_node(f, &f->groups[g], n);
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
    ChainSearch s = {f->c, f->in, f->made, f->late, f->piece, &f->scratch};
    uint32_t n = chains_find(&s, &chains);
    for (uint32_t i = 0; i < n; i++) {
        Group *g = &f->groups[new_group(f, chains[i].nodes[0])];
        g->executor = chains[i].executor;
        g->closed = true;
        g->at = chains[i].nodes[chains[i].n - 1];
        for (uint32_t k = 0; k < chains[i].n; k++) {
            add_node(f, g, chains[i].nodes[k]);
            f->late[chains[i].nodes[k]] = f->shown[chains[i].nodes[k]] = false;
        }
    }
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
            each_operand(f, i, note_read, &s);
        f->epoch += (subtree_flags(f->in, n) & OP_IN_PLACE) ||
                    node_is_prim(&f->in->nodes[n], PRIM_end_forward);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------- casts */

/* Whether node n makes more bytes of fewer: a cast to a wider dtype, a small tensor spread. */
static bool makes_more(const Fuse *f, const Node *node)
{
    const Type *from = &f->in->values[node->args[0].v].type;
    const Type *to = &f->in->values[node->out.v].type;
    if (from->kind != VALUE_tensor)
        return false;
    if (node_is_prim(node, PRIM_broadcast_in_dim))
        return type_numel(from) < type_numel(to);
    return dtype_is_float((DType)from->dtype) &&
           dtype_info[from->dtype].bytes < dtype_info[to->dtype].bytes;
}

/* Such a node whose result only kernels read, others too: they read what it is made of. */
static bool may_lend(const Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    uint32_t g = f->group_of[n], others = 0;
    bool kind = node_is_prim(node, PRIM_convert_element_type) ||
                node_is_prim(node, PRIM_broadcast_in_dim);
    if (g == NO_GROUP || f->groups[g].closed || !kind || node->args[0].kind != ARG_value ||
        node->out.kind != ARG_value || !makes_more(f, node))
        return false;
    for (uint32_t i = f->use_start[node->out.v]; i < f->use_start[node->out.v + 1]; i++) {
        uint32_t reader = f->uses[i] == NO_NODE ? NO_GROUP : f->group_of[f->uses[i]];
        if (reader == NO_GROUP || f->groups[reader].closed ||
            f->groups[reader].epoch != f->groups[g].epoch ||
            strcmp(f->groups[reader].executor, f->groups[g].executor) != 0)
            return false;
        others += reader != g;
    }
    return others > 0;
}

static bool region_fits(Fuse *f, const Group *g, const Region *r)
{
    const Executor *e = exec_find(f->c->executors, str_from(g->executor));
    sb_clear(&f->why);
    return r->n <= MAX_GROUP_NODES && r->nouts <= MAX_OUTPUTS &&
           (e && e->both_ways ? gen_fits_cuda(r, &f->why) : gen_fits(r, &f->why));
}

/* Kernels that would not fit with the casts that they take over leave all of those as they were. */
static void find_lent(Fuse *f)
{
    NodeId nodes[2 * MAX_GROUP_NODES + 1];
    ValueId outs[MAX_OUTPUTS + 1];
    bool any = false;
    for_top(f->in, n)
        any |= f->lent[n] = f->piece[n] || may_lend(f, n);
    for (uint32_t g = 0; any && g < f->ngroups; g++) {
        if (f->groups[g].closed)
            continue;
        Region r = make_region(f, g, NO_GROUP, NO_NODE, nodes, outs);
        bool same = r.n == f->groups[g].n && r.nouts <= MAX_OUTPUTS;
        for (uint32_t i = 0; i < r.n; i++)
            same = same && !f->lent[nodes[i]];
        if (r.n == 0 || same || r.nouts == 0 || region_fits(f, &f->groups[g], &r))
            continue;
        for (uint32_t i = 0; i < r.n; i++)
            f->lent[nodes[i]] = f->piece[nodes[i]];
    }
}

/* A kernel that would write a value and a reshape of it writes the value: the reshape is a view
 * behind the kernel, and inside of it something that it computes for itself. */
static void share_reshape(Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    Group *g = &f->groups[f->group_of[n]];
    ValueId from = node->args[0].v, v = node->out.v;
    Outs o = {.f = f, .a = f->group_of[n], .b = NO_GROUP, .more = NO_NODE};
    uint32_t left = 0;
    if (f->made[from] == NO_NODE || f->group_of[f->made[from]] != o.a ||
        f->lent[f->made[from]] || !is_read_outside(&o, from) || !is_read_outside(&o, v) ||
        !rule_apply(f->c, "share", v, from, "a view of %%%.*s, which is written anyway",
                    STR(f->in->values[from].name)))
        return;
    for (uint32_t i = 0; i < g->n; i++)
        if (g->nodes[i] != n)
            g->nodes[left++] = g->nodes[i];
    g->n = left;
    f->group_of[n] = NO_GROUP;
    f->lent[n] = f->late[n] = f->shown[n] = true;
}

static void share_reshapes(Fuse *f)
{
    for_top(f->in, n)
        if (f->group_of[n] != NO_GROUP && node_is_prim(&f->in->nodes[n], PRIM_reshape) &&
            f->in->nodes[n].args[0].kind == ARG_value)
            share_reshape(f, n);
}

/* -------------------------------------------------------------------------------------- writing */

static bool only_views(const Fuse *f, const Group *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (!(f->in->nodes[g->nodes[i]].op->flags & OP_VIEW))
            return false;
    return true;
}

/* The first executor after the fusion executors that takes node n; NULL when there is none. */
static const char *next_executor(Fuse *f, NodeId n)
{
    for (uint32_t i = 0; i < f->c->executors->n; i++) {
        const Executor *e = f->c->executors->items[i];
        sb_clear(&f->why);
        if (f->c->executors->on[i] && e->kind == EXEC_operator && e->can(f->in, n, &f->why))
            return e->name;
    }
    return NULL;
}

static double work_of(const Fuse *f, const Region *r)
{
    double work = 0;
    for (uint32_t i = 0; i < r->n; i++)
        work += node_work(f, r->nodes[i]);
    return work;
}

/* A member of a group. What another group has too gets a value of its own here; of a piece the
 * first has the name. */
static NodeId write_member(Fuse *f, uint32_t group, NodeId n)
{
    NodeId copy = trace_copy_node(f->t, f->in, n, f->own);
    if (group != NO_GROUP && f->piece[n] && f->group_of[n] == NO_GROUP)
        f->group_of[n] = group;
    if (group == NO_GROUP || f->group_of[n] == group)
        return copy;
    ValueId v = f->in->nodes[n].out.v;
    f->own[v] = trace_add_value(f->t, f->in->values[v].type, (Str){0});
    f->t->nodes[copy].out = A_VALUE(f->own[v]);
    return copy;
}

static void write_single(Fuse *f, uint32_t group, NodeId n, bool view, double small)
{
    const char *other = view || small > 0 ? next_executor(f, n) : NULL;
    bool go = other && (view ? rule_apply(f->c, "give back", fuse_value(f, n), 0,
                                          "%s moves nothing for a view", other)
                             : rule_apply(f->c, "give back", fuse_value(f, n), 0,
                                          "%s computes these %.0f elements before a compiler "
                                          "starts (option fuse.min_work)", other, small));
    NodeId copy = write_member(f, group, n);
    if (go)
        f->t->nodes[copy].executor = other;
}

/* What the casts of a region are called ends with it. */
static void forget_own(Fuse *f, const Region *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        f->own[fuse_value(f, r->nodes[i])] = 0;
}

/* A region as one call with its statements below it. */
static void write_call(Fuse *f, uint32_t number, const Region *r)
{
    const Group *g = &f->groups[number];
    ValueId ins[MAX_REGION_INPUTS];
    Arg list[MAX_REGION_INPUTS], results[MAX_OUTPUTS];
    uint32_t nin = gen_inputs(r, ins);
    for (uint32_t i = 0; i < nin; i++)
        list[i] = A_VALUE(ins[i]);
    for (uint32_t i = 0; i < r->nouts; i++)
        results[i] = A_VALUE(r->outs[i]);
    StrBuf name = {0};
    sb_printf(&name, "%s%s%u", g->executor, g->closed ? "Chain" : "Fusion", f->named++);
    Arg args[2] = {arg_string(f->t, sb_str(&name)), arg_tuple(f->t, list, nin)};
    sb_free(&name);
    const Node *first = &f->in->nodes[r->nodes[0]];
    NodeId call = trace_add_node(
        f->t, (Node){.op = registry_op(f->in->reg, PRIM_call),
                     .args = arena_copy(&f->t->arena, args, sizeof args),
                     .nargs = 2,
                     .out = arg_list(f->t, results, r->nouts),
                     .executor = g->executor,
                     .flags = NF_VERBATIM,
                     .src = first->src,
                     .loc = first->loc});
    for (uint32_t i = 0; i < r->n; i++) {
        NodeId sub = write_member(f, number, r->nodes[i]);
        f->t->nodes[sub].executor = NULL;
        INJECT_SWAP(fuse_operands, f->in->values[fuse_value(f, r->nodes[i])].name, f->t, sub);
    }
    f->t->nodes[call].span = f->t->nnodes - call;
}

/* A chain as it was found: its nodes may be composites, and more than a group has. */
static void write_chain(Fuse *f, uint32_t number)
{
    const Group *g = &f->groups[number];
    ValueId outs[MAX_OUTPUTS];
    Outs o = {.f = f, .a = number, .b = NO_GROUP, .more = NO_NODE, .outs = outs,
              .max = MAX_OUTPUTS};
    for (uint32_t i = 0; i < g->n; i++)
        arg_each_value(f->in->nodes[g->nodes[i]].out, add_out, &o);
    Region r = {f->in, g->nodes, g->n, outs, o.n < o.max ? o.n : o.max};
    write_call(f, number, &r);
}

static void write_group(Fuse *f, uint32_t number)
{
    const Group *g = &f->groups[number];
    NodeId nodes[2 * MAX_GROUP_NODES + 1];
    ValueId outs[MAX_OUTPUTS + 1];
    if (g->closed) {
        write_chain(f, number);
        return;
    }
    Region r = make_region(f, number, NO_GROUP, NO_NODE, nodes, outs);
    bool views = only_views(f, g);
    double work = work_of(f, &r);
    double small = work < f->min_work && !fuse_on_device(f, g->executor) ? work : 0;
    if (r.n == 1 || views || r.nouts == 0 || small > 0)
        for (uint32_t i = 0; i < r.n; i++)
            write_single(f, number, nodes[i], views, small);
    else
        write_call(f, number, &r);
    forget_own(f, &r);
}

static void write_node(Fuse *f, NodeId n)
{
    if (fuse_takes(f, n))
        write_single(f, NO_GROUP, n, f->shown[n], node_work(f, n));
    else if (!node_is_del(&f->in->nodes[n]))
        trace_copy_node(f->t, f->in, n, NULL);
}

typedef struct Behind {
    const Fuse *f;
    const NodeId *place; /* of nodes that are late */
    NodeId at;
} Behind;

static void place_behind(ValueId v, void *user)
{
    Behind *p = user;
    NodeId n = p->f->made[v];
    if (n == NO_NODE)
        return;
    uint32_t g = p->f->group_of[n];
    NodeId at = g != NO_GROUP ? p->f->groups[g].at : p->f->late[n] ? p->place[n] : n;
    p->at = at > p->at ? at : p->at;
}

/* Late nodes by the node behind which they are written: next[first[at]] and so on, in order. */
static void place_late(Fuse *f, NodeId *first, NodeId *next)
{
    NodeId *place = new_array(&f->scratch, NodeId, f->in->nnodes + 1);
    NodeId *last = new_array(&f->scratch, NodeId, f->in->nnodes + 1);
    for_top(f->in, n) {
        first[n] = next[n] = NO_NODE;
        if (!f->late[n] || f->group_of[n] != NO_GROUP)
            continue;
        Behind p = {f, place, n};
        for (NodeId i = n; i < n + f->in->nodes[n].span; i++)
            each_operand(f, i, place_behind, &p);
        place[n] = p.at;
    }
    for_top(f->in, n) {
        if (!f->late[n] || f->group_of[n] != NO_GROUP)
            continue;
        NodeId at = place[n];
        if (first[at] == NO_NODE)
            first[at] = n;
        else
            next[last[at]] = n;
        last[at] = n;
    }
}

static void write_trace(Fuse *f)
{
    NodeId *first = new_array(&f->scratch, NodeId, f->in->nnodes + 1);
    NodeId *next = new_array(&f->scratch, NodeId, f->in->nnodes + 1);
    uint32_t *stands = new_array(&f->scratch, uint32_t, f->in->nnodes + 1); /* group + 1 */
    place_late(f, first, next);
    for (uint32_t g = 0; g < f->ngroups; g++)
        if (f->groups[g].n)
            stands[f->groups[g].at] = g + 1;
    for_top(f->in, n) {
        if (stands[n])
            write_group(f, stands[n] - 1);
        else if (f->group_of[n] == NO_GROUP && !f->late[n] && !f->piece[n])
            write_node(f, n);
        for (NodeId i = first[n]; i != NO_NODE; i = next[i])
            write_node(f, i);
    }
}

Trace *pass_fuse(PassCtx *c, const Trace *in)
{
    Fuse f = {.c = c, .in = in, .t = trace_derive(in)};
    f.min_work = atof(pass_option(c, "min_work", "2048").p);
    f.groups = new_array(&f.scratch, Group, in->nnodes + 1);
    f.group_of = new_array(&f.scratch, uint32_t, in->nnodes + 1);
    f.reader = new_array(&f.scratch, uint32_t, in->nvalues);
    f.made = new_array(&f.scratch, NodeId, in->nvalues);
    memset(f.group_of, 0xff, (in->nnodes + 1) * sizeof *f.group_of);
    memset(f.reader, 0xff, in->nvalues * sizeof *f.reader);
    memset(f.made, 0xff, in->nvalues * sizeof *f.made);
    f.shown = new_array(&f.scratch, bool, in->nnodes + 1);
    f.late = new_array(&f.scratch, bool, in->nnodes + 1);
    f.lent = new_array(&f.scratch, bool, in->nnodes + 1);
    f.piece = new_array(&f.scratch, bool, in->nnodes + 1);
    f.own = new_array(&f.scratch, ValueId, in->nvalues);
    note_uses(&f);
    find_shown(&f);
    fuse_find_pieces(&f);
    bool done = make_groups(&f);
    if (done) {
        find_lent(&f);
        share_reshapes(&f);
        write_trace(&f);
    }
    sb_free(&f.why);
    arena_free(&f.scratch);
    if (done)
        return f.t;
    trace_unref(f.t);
    return NULL;
}
