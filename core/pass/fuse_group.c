/*
 * fuse_group.c - groups of nodes, and the regions that they would make.
 *
 * Input: a trace and which of its nodes are in which group. Output: who reads a value, what a group
 * reads and what of it is needed outside. One idea: a group is asked about together with what might
 * join it, so nothing has to be undone when that does not fit.
 */
#include "fuse.h"

#include "inject.h"
#include "numbers.h"

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

void fuse_note_uses(Fuse *f)
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

static void check_same(ValueId v, void *user)
{
    Same *s = user;
    const Fuse *f = s->f;
    const Type *type = &f->in->values[v].type;
    bool inside = f->made[v] != NO_NODE && f->group_of[f->made[v]] == s->group;
    s->inputs += !inside && f->reader[v] != s->group;
    s->good = s->good && (type->kind != VALUE_tensor || type_same_shape(type, s->type));
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

void fuse_add_node(Fuse *f, Group *g, NodeId n)
{
    uint32_t inputs;
    const Type *type = plain_type(f, (uint32_t)(g - f->groups), n, &inputs);
    bool keeps = g->n == 0 || (g->plain && type && type_same_shape(g->plain, type));
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

/* Whether something outside reads value v. A piece is where its readers are. */
bool fuse_read_outside(const FuseOuts *o, ValueId v)
{
    const Fuse *f = o->f;
    bool outside = false;
    for (uint32_t i = f->use_start[v]; i < f->use_start[v + 1] && !outside; i++) {
        NodeId n = f->uses[i];
        uint32_t g = n == NO_NODE ? NO_GROUP : f->group_of[n];
        if (n != NO_NODE && f->piece[n]) {
            outside = fuse_read_outside(o, first_value(f->in->nodes[n].out));
            continue;
        }
        outside = n == NO_NODE || (n != o->more && (g == NO_GROUP || (g != o->a && g != o->b)));
        outside = outside || (n != NO_NODE && f->lent[n]);
    }
    return outside;
}

/* user: FuseOuts. */
static void fuse_add_out(ValueId v, void *user)
{
    FuseOuts *o = user;
    const Fuse *f = o->f;
    bool outside = fuse_read_outside(o, v);
    if (f->made[v] != NO_NODE && f->lent[f->made[v]])
        outside = false;
    if (INJECT(fuse_output, f->in->values[v].name))
        outside = false;
    if (outside && o->n < o->max)
        o->outs[o->n] = v;
    o->n += outside;
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

/* The same for chains, which take over what is read as it lies in memory, not what moves. */
static void add_lent_to_chain(ValueId v, void *user)
{
    Lent *l = user;
    NodeId c = l->f->made[v];
    if (c != NO_NODE && (node_is_prim(&l->f->in->nodes[c], PRIM_convert_element_type) ||
                         node_is_prim(&l->f->in->nodes[c], PRIM_broadcast_in_dim)))
        add_lent(v, user);
}

Region fuse_chain_region(Fuse *f, uint32_t number, Arena *a)
{
    const Group *g = &f->groups[number];
    NodeId *nodes = new_array(a, NodeId, g->n + MAX_GROUP_NODES);
    ValueId *outs = new_array(a, ValueId, MAX_OUTPUTS);
    memcpy(nodes, g->nodes, g->n * sizeof *nodes);
    Lent l = {f, nodes, g->n, g->n + MAX_GROUP_NODES, number};
    for (uint32_t i = 0; i < l.n; i++)
        for (uint32_t k = 0; k < f->in->nodes[nodes[i]].nargs; k++)
            arg_each_value(f->in->nodes[nodes[i]].args[k], add_lent_to_chain, &l);
    qsort(nodes, l.n, sizeof *nodes, order_of_ids);
    FuseOuts o = {.f = f, .a = number, .b = NO_GROUP, .more = NO_NODE, .outs = outs,
                  .max = MAX_OUTPUTS};
    for (uint32_t i = 0; i < g->n; i++)
        arg_each_value(f->in->nodes[g->nodes[i]].out, fuse_add_out, &o);
    return (Region){f->in, nodes, l.n, outs, o.n < o.max ? o.n : o.max};
}

/* The region that groups a and b (either may be NO_GROUP) and node more (or NO_NODE) would make. */
Region fuse_region(Fuse *f, uint32_t a, uint32_t b, NodeId more, NodeId *nodes,
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
    qsort(nodes, n, sizeof *nodes, order_of_ids);
    FuseOuts o = {.f = f, .a = a, .b = b, .more = more, .outs = outs, .max = MAX_OUTPUTS + 1};
    for (uint32_t i = 0; i < n; i++)
        if (nodes[i] == more || f->group_of[nodes[i]] == a || f->group_of[nodes[i]] == b)
            arg_each_value(f->in->nodes[nodes[i]].out, fuse_add_out, &o);
    return (Region){f->in, nodes, n, outs, o.n < o.max ? o.n : o.max};
}

/* How many values of the region that these would make are needed outside. */
uint32_t fuse_count_outs(Fuse *f, uint32_t a, uint32_t b, NodeId more)
{
    FuseOuts o = {.f = f, .a = a, .b = b, .more = more};
    uint32_t groups[2] = {a, b};
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; groups[k] != NO_GROUP && i < f->groups[groups[k]].n; i++)
            arg_each_value(f->in->nodes[f->groups[groups[k]].nodes[i]].out, fuse_add_out, &o);
    if (more != NO_NODE)
        arg_each_value(f->in->nodes[more].out, fuse_add_out, &o);
    return o.n;
}

/* Whether the region is a chain of elementwise statements over one shape, with few inputs: those
 * always fit, and asking core/gen at every step of a long chain would take quadratic time. */
bool fuse_all_plain(Fuse *f, uint32_t a, uint32_t b, NodeId more)
{
    uint32_t inputs = 0;
    const Group *g = &f->groups[a], *h = b == NO_GROUP ? NULL : &f->groups[b];
    const Type *type = more == NO_NODE ? g->plain : plain_type(f, a, more, &inputs);
    return g->plain && type && type_same_shape(g->plain, type) &&
           (!h || (h->plain && type_same_shape(h->plain, type))) &&
           inputs + g->inputs + (h ? h->inputs : 0) <= MAX_REGION_INPUTS;
}

/* --------------------------------------------------------------------------- what nodes read */

typedef struct Sources {
    const Fuse *f;
    void (*fn)(ValueId, void *);
    void *user;
} Sources;

static void give_source(ValueId v, void *user)
{
    const Sources *s = user;
    NodeId made = s->f->made[v];
    if (made != NO_NODE && s->f->piece[made])
        fuse_each_operand(s->f, made, s->fn, s->user);
    else
        s->fn(v, s->user);
}

/* What node n reads; of a piece, what that is made of. */
void fuse_each_operand(const Fuse *f, NodeId n, void (*fn)(ValueId, void *), void *user)
{
    const Node *node = &f->in->nodes[n];
    Sources s = {f, fn, user};
    for (uint32_t k = 0; k < node->nargs; k++)
        arg_each_value(node->args[k], give_source, &s);
}

/* Elements that node n computes, or reads where those are more. */
double fuse_node_work(const Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    double out = (double)type_numel(&f->in->values[first_value(node->out)].type);
    ValueId v = node->nargs ? first_value(node->args[0]) : 0;
    double in = v ? (double)type_numel(&f->in->values[v].type) : 0;
    return out > in ? out : in;
}
