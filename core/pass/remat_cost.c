/*
 * remat_cost.c - what it costs to keep a value, what to compute it again, and the cheapest choice.
 *
 * Input: a split trace. Output: for every value that does not depend on cotangents, whether the
 * forward part keeps it. The network: a value is an edge from its "in" to its "out", as wide as it
 * costs to keep it. A node leads from the outs of its operands to the ins of its results, and an
 * edge from the source to it is as wide as it costs to run it again (without bound where it may
 * not). Values that the backward part reads lead to the sink. What the smallest cut goes through is
 * kept, what lies behind it is computed in the backward part.
 *
 * Kept bytes are what counts; traffic has a small price, and runs of what fuses with its reader
 * have next to none. A smaller memory budget lowers the price, and admits what is too dear else.
 */
#include "alias.h"
#include "remat.h"

/* A weight that is more than everything else together, yet a cut may go through it at need. */
#define DEAR ((int64_t)1 << 48)

/* -------------------------------------------------------------------------------------- options */

static bool read_number(Remat *r, const char *name, const char *dflt, double low, double high,
                        double *out)
{
    Str text = pass_option(r->c, name, dflt);
    if (str_to_f64(text, out) && *out >= low && *out <= high)
        return true;
    DiagItem *item = diag_error(r->c->diag, DIAG_usage, (Span){0}, "bad-option",
                                "remat.%s is a number from %g to %g, not %.*s", name, low, high,
                                STR(text));
    diag_where(r->c->diag, item, "pass remat");
    diag_help(r->c->diag, item, "option remat.%s %s", name, dflt);
    return false;
}

bool remat_read_options(Remat *r)
{
    RematOptions *o = &r->o;
    o->matmul = -1;
    return read_number(r, "memory_budget", "1", 0, 1, &o->budget) &&
           read_number(r, "price", "0.75", 0, 1e6, &o->price) &&
           read_number(r, "reductions", "4", 0, 1e18, &o->reductions) &&
           (str_is(pass_option(r->c, "matmul", "never"), "never") ||
            read_number(r, "matmul", "never", 0, 1e18, &o->matmul));
}

/* ---------------------------------------------------------------------------------------- facts */

typedef struct Visit {
    Remat *r;
    NodeId n;
    bool any;
} Visit;

static Arg args_of(const Node *n)
{
    return (Arg){.kind = ARG_tuple, .n = n->nargs, .items = n->args};
}

static void each_read(const Trace *t, NodeId n, void (*fn)(ValueId, void *), void *user)
{
    for (NodeId i = n; i < n + t->nodes[n].span; i++)
        arg_each_value(args_of(&t->nodes[i]), fn, user);
}

static void note_made(ValueId v, void *user)
{
    const Visit *x = user;
    x->r->maker[v] = x->n;
    x->r->late[v] = x->any;
}

static void look_late(ValueId v, void *user)
{
    Visit *x = user;
    x->any |= x->r->late[v];
}

static void note_wanted(ValueId v, void *user)
{
    const Visit *x = user;
    x->r->wanted[v] |= !x->r->late[v];
}

static void note_firm(ValueId v, void *user)
{
    ((Visit *)user)->r->firm[v] = true;
}

static void note_outside(ValueId v, void *user)
{
    const Visit *x = user;
    NodeId maker = x->r->maker[v];
    uint32_t here = node_region(&x->r->in->nodes[x->n]);
    if (maker != NO_NODE && node_region(&x->r->in->nodes[maker]) != here && x->n < x->r->end)
        x->r->outside[v] = true;
}

static void note_listed(ValueId v, void *user)
{
    ((Visit *)user)->r->outside[v] = true;
}

/* What takes its operands whole, whatever it is made of: they lie in memory. */
static bool takes_whole(uint32_t flags)
{
    return flags & (OP_MATMUL | OP_OPAQUE | OP_HOST | OP_COLLECTIVE);
}

static void look_firm(ValueId v, void *user)
{
    Visit *x = user;
    x->any |= x->r->firm[v];
}

static bool only_moves(const Remat *r, NodeId n)
{
    NodeId prim = single_prim(r->in, n);
    return prim != NO_NODE && (r->in->nodes[prim].op->flags & OP_VIEW);
}

/* Gathers of the backward part want their operands in memory, too; of a composite only those that
 * its gathers read. What reads a view reads the value behind it. */
static void find_firm(Remat *r)
{
    for (NodeId n = r->in->nnodes; n-- > 0;) {
        Visit x = {r, n, false};
        uint32_t flags = r->in->nodes[n].op->flags;
        if (r->in->nodes[n].span > 1)
            continue;
        if (flags & OP_VIEW)
            arg_each_value(r->in->nodes[n].out, look_firm, &x);
        if (x.any || (n > r->end && (flags & OP_INDEXING)))
            each_read(r->in, n, note_firm, &x);
    }
}

/* Only writes of the forward part: those behind the boundary come last of all. */
static void find_written(Remat *r)
{
    Alias alias;
    if (!trace_has_writes(r->in))
        return;
    bool *root = new_array(&r->scratch, bool, r->in->nvalues);
    alias_build(&alias, r->in);
    for (NodeId n = 0; n < r->end; n += r->in->nodes[n].span)
        if (node_is_prim(&r->in->nodes[n], PRIM_copy_))
            root[alias.root[r->in->nodes[n].args[1].v]] = true;
    for (ValueId v = 1; v < r->in->nvalues; v++)
        r->written[v] = root[alias.root[v]];
    alias_free(&alias);
}

void remat_find_facts(Remat *r)
{
    const Trace *t = r->in;
    for (ValueId v = 0; v < t->nvalues; v++)
        r->maker[v] = NO_NODE;
    for (uint32_t i = 0; i < t->ninputs; i++)
        r->is_input[t->inputs[i]] = true;
    find_cotangents(t, r->end, r->late);
    for_top(t, n) {
        Visit x = {r, n, false};
        each_read(t, n, look_late, &x);
        r->late_node[n] = x.any;
        arg_each_value(t->nodes[n].out, note_made, &x);
        if (n < r->end)
            each_read(t, n, note_outside, &x);
        if (n <= r->end)
            continue;
        if (x.any)
            each_read(t, n, note_wanted, &x);
        if (takes_whole(subtree_flags(t, n)))
            each_read(t, n, note_firm, &x);
    }
    arg_each_value(t->output.items[1], note_wanted, &(Visit){r, 0, false});
    arg_each_value(t->nodes[r->end].args[0], note_listed, &(Visit){r, 0, false});
    find_firm(r);
    find_written(r);
}

/* ---------------------------------------------------------------------------------------- costs */

typedef struct Sizes {
    const Trace *t;
    double bytes, most; /* together; elements of the largest */
    const bool *firm;
    bool any_firm;
} Sizes;

static void add_size(ValueId v, void *user)
{
    Sizes *s = user;
    const Type *type = &s->t->values[v].type;
    if (type->kind != VALUE_tensor)
        return;
    double n = (double)type_numel(type);
    s->bytes += (double)type_bytes(type);
    s->most = n > s->most ? n : s->most;
    s->any_firm |= s->firm[v];
}

static Sizes sizes_of(const Remat *r, Arg a)
{
    Sizes s = {r->in, 0, 0, r->firm, false};
    arg_each_value(a, add_size, &s);
    return s;
}

/* Multiplications and additions of a matrix product or convolution. */
static double product_ops(const Trace *t, const Node *n)
{
    if (!(n->op->flags & OP_MATMUL) || n->span != 1 || n->out.kind != ARG_value ||
        n->args[0].kind != ARG_value || n->args[1].kind != ARG_value)
        return 0;
    const Type *a = &t->values[n->args[0].v].type, *w = &t->values[n->args[1].v].type;
    double results = (double)type_numel(&t->values[n->out.v].type);
    if (node_is_prim(n, PRIM_convolution) && w->rank)
        return 2 * results * (double)type_numel(w) / (double)(w->shape[0] ? w->shape[0] : 1);
    return a->rank ? 2 * results * (double)a->shape[a->rank - 1] : 0;
}

static double ops_below(const Trace *t, NodeId n)
{
    double ops = 0;
    for (NodeId i = n; i < n + t->nodes[n].span; i++)
        ops += product_ops(t, &t->nodes[i]);
    return ops;
}

typedef struct LookOutside {
    const bool *set;
    bool any;
} LookOutside;

static void look_outside(ValueId v, void *user)
{
    LookOutside *l = user;
    l->any |= l->set[v];
}

static bool leaves_region(const Remat *r, NodeId n)
{
    LookOutside l = {r->outside, false};
    arg_each_value(r->in->nodes[n].out, look_outside, &l);
    return node_region(&r->in->nodes[n]) && l.any;
}

const char *remat_limit(const Remat *r, NodeId n, double *figure)
{
    const Node *node = &r->in->nodes[n];
    uint32_t flags = subtree_flags(r->in, n);
    Sizes in = sizes_of(r, args_of(node)), out = sizes_of(r, node->out);
    if (node_region(node) || r->o.budget < 1)
        return NULL;
    if (flags & OP_MATMUL) {
        *figure = ops_below(r->in, n) / (out.bytes > 0 ? out.bytes : 1);
        if (r->o.matmul < 0 || *figure > r->o.matmul)
            return "matmul";
    }
    *figure = in.most / (out.most > 0 ? out.most : 1);
    return (flags & OP_REDUCTION) && *figure >= r->o.reductions ? "reductions" : NULL;
}

const char *remat_obstacle(const Remat *r, NodeId n)
{
    const Node *node = &r->in->nodes[n];
    uint32_t flags = subtree_flags(r->in, n);
    bool asked = node_region(node) != 0; /* a checkpoint region: its author wants it run twice */
    if (node->flags & NF_KEPT)
        return "its checkpoint region keeps it";
    /* Else the first region would run again for the last one, with all that is in between. */
    if (leaves_region(r, n))
        return "a checkpoint region ends with it";
    if (flags & (OP_IN_PLACE | OP_KEEP | OP_HOST | OP_OPAQUE))
        return "it does more than compute";
    if (flags & (OP_COLLECTIVE | OP_NO_RECOMPUTE))
        return "it is not to run twice";
    if ((flags & OP_RANDOM) && !asked)
        return "it draws random numbers";
    double figure;
    const char *limit = remat_limit(r, n, &figure);
    return !limit                             ? NULL
           : str_is(str_from(limit), "matmul") ? "products are not repeated"
                                               : "it reduces too much";
}

/* What a kernel reads for v: the value behind views and behind conversions to wider types. */
static ValueId read_for(const Remat *r, ValueId v)
{
    for (NodeId n = r->maker[v]; n != NO_NODE; n = r->maker[v]) {
        const Node *node = &r->in->nodes[n];
        bool widens = node_is_prim(node, PRIM_convert_element_type) &&
                      type_bytes(&r->in->values[node->args[0].v].type) <
                          type_bytes(&r->in->values[v].type);
        if ((!widens && !only_moves(r, n)) || node->args[0].kind != ARG_value)
            break;
        v = node->args[0].v;
    }
    return v;
}

typedef struct Reads {
    const Remat *r;
    double bytes;
} Reads;

static void add_read(ValueId v, void *user)
{
    Reads *s = user;
    const Type *type = &s->r->in->values[read_for(s->r, v)].type;
    if (type->kind == VALUE_tensor)
        s->bytes += (double)type_bytes(type);
}

static double bytes_read(const Remat *r, NodeId n)
{
    Reads s = {r, 0};
    arg_each_value(args_of(&r->in->nodes[n]), add_read, &s);
    return s.bytes;
}

double remat_traffic(const Remat *r, NodeId n, bool *fused)
{
    enum { OPS_PER_BYTE = 100, SORT = 8, IN_REGISTERS = 32 };
    const Node *node = &r->in->nodes[n];
    uint32_t flags = subtree_flags(r->in, n);
    Sizes in = sizes_of(r, args_of(node)), out = sizes_of(r, node->out);
    *fused = !(flags & (OP_REDUCTION | OP_MATMUL | OP_INDEXING)) && !out.any_firm;
    if (only_moves(r, n))
        return 0;
    if (!(flags & (OP_REDUCTION | OP_MATMUL | OP_INDEXING)))
        return out.any_firm ? 2 * out.bytes : out.bytes / IN_REGISTERS;
    /* A softmax that is as large as its operand becomes part of what reads it, like a map. */
    double made = out.any_firm ? 2 : out.most >= in.most ? 1.0 / IN_REGISTERS : 1;
    double moved = bytes_read(r, n) + out.bytes * made;
    if ((flags & OP_INDEXING) && (flags & OP_REDUCTION))
        moved *= SORT;
    if (flags & OP_MATMUL)
        moved += ops_below(r->in, n) / OPS_PER_BYTE;
    return moved;
}

/* ---------------------------------------------------------------------------------- the network */

enum { SOURCE, SINK, FIRST_VALUE };

static uint32_t in_of(ValueId v)
{
    return FIRST_VALUE + 2 * v;
}

static uint32_t out_of(ValueId v)
{
    return FIRST_VALUE + 2 * v + 1;
}

/* Nodes come behind the values. */
static uint32_t at_node(const Remat *r, NodeId n)
{
    return FIRST_VALUE + 2 * r->in->nvalues + n;
}

/* Inputs are the caller's and are there anyway, as they were unless they are written: then neither
 * they nor views of them are. A value inside a checkpoint region is only kept when nothing else
 * helps. Of a value and a view of it the value is preferred. */
static int64_t keep_weight(const Remat *r, ValueId v)
{
    if (r->written[v])
        return DEAR;
    if (r->is_input[v])
        return 0;
    NodeId maker = r->maker[v];
    bool inner = maker < r->end && node_region(&r->in->nodes[maker]) && !r->outside[v];
    if (inner && !(r->in->nodes[maker].flags & NF_KEPT))
        return DEAR;
    return type_bytes(&r->in->values[v].type) * UNIT + 1 + only_moves(r, maker);
}

static int64_t rerun_weight(const Remat *r, NodeId n, double price)
{
    bool fused;
    if (n > r->end) /* it runs once, in whichever part */
        return 0;
    if (remat_obstacle(r, n))
        return DEAR;
    if (node_region(&r->in->nodes[n])) /* what is kept there has an obstacle */
        return 0;
    if (r->o.budget < 1) /* layers that are alike are not: early results wait longest */
        price *= 0.75 + 0.5 * n / r->end;
    return (int64_t)(remat_traffic(r, n, &fused) * price * UNIT);
}

typedef struct Wire {
    const Remat *r;
    Cut *cut;
    NodeId n;
} Wire;

/* A node of the backward part can run in the forward part only after those that it depends on. */
static void wire_operand(ValueId v, void *user)
{
    const Wire *w = user;
    if (!w->r->is_input[v] && w->r->maker[v] == NO_NODE)
        return;
    cut_edge(w->cut, out_of(v), at_node(w->r, w->n), CUT_NEVER);
    if (!w->r->is_input[v] && w->r->maker[v] > w->r->end)
        cut_edge(w->cut, at_node(w->r, w->n), in_of(v), CUT_NEVER);
}

static void wire_result(ValueId v, void *user)
{
    const Wire *w = user;
    cut_edge(w->cut, at_node(w->r, w->n), in_of(v), CUT_NEVER);
    if (w->n > w->r->end)
        cut_edge(w->cut, in_of(v), at_node(w->r, w->n), CUT_NEVER);
}

/* What is cheap may run in the forward part if that makes less to keep. */
static bool may_move(uint32_t flags)
{
    return !(flags & (OP_KEEP | OP_IN_PLACE | OP_MATMUL | OP_INDEXING | OP_RANDOM | OP_OPAQUE |
                      OP_HOST | OP_COLLECTIVE));
}

static void wire_node(const Remat *r, Cut *cut, NodeId n, double price)
{
    Wire w = {r, cut, n};
    int64_t weight = rerun_weight(r, n, price);
    if (weight)
        cut_edge(cut, SOURCE, at_node(r, n), weight);
    if (n > r->end && !may_move(subtree_flags(r->in, n)))
        cut_edge(cut, at_node(r, n), SINK, CUT_NEVER); /* stays where it is */
    each_read(r->in, n, wire_operand, &w);
    arg_each_value(r->in->nodes[n].out, wire_result, &w);
}

static void build_network(const Remat *r, Cut *cut, double price)
{
    cut_init(cut, FIRST_VALUE + 2 * r->in->nvalues + r->in->nnodes);
    for_top(r->in, n)
        if (n != r->end && !r->late_node[n])
            wire_node(r, cut, n, price);
    for (ValueId v = 1; v < r->in->nvalues; v++) {
        if (r->late[v] || (!r->is_input[v] && r->maker[v] == NO_NODE))
            continue;
        if (r->is_input[v])
            cut_edge(cut, SOURCE, in_of(v), CUT_NEVER);
        cut_edge(cut, in_of(v), out_of(v), keep_weight(r, v));
        if (r->wanted[v])
            cut_edge(cut, out_of(v), SINK, CUT_NEVER);
    }
}

/* Sets again and kept; returns the bytes that are kept, inputs not counted. */
static double solve(Remat *r, double price)
{
    Cut cut;
    double bytes = 0;
    build_network(r, &cut, price);
    cut_solve(&cut, SOURCE, SINK);
    bool *behind = new_array(&r->scratch, bool, cut.nvertices);
    cut_sides(&cut, SINK, behind);
    for (ValueId v = 1; v < r->in->nvalues; v++) {
        r->again[v] = behind[in_of(v)];
        r->kept[v] = !behind[in_of(v)] && behind[out_of(v)];
        if (r->kept[v] && !r->is_input[v])
            bytes += (double)type_bytes(&r->in->values[v].type);
    }
    cut_free(&cut);
    r->used_price = price;
    return bytes;
}

/* Below a budget of 1 everything may run twice, at the highest price at which little enough is
 * kept. The price is found by halving, first itself and then the interval. */
void remat_cut(Remat *r)
{
    enum { HALVINGS = 16, STEPS = 6 };
    double budget = r->o.budget;
    r->o.budget = 1;
    double most = budget * solve(r, r->o.price), high = 64 * r->o.price, low = high;
    r->o.budget = budget;
    if (budget == 1)
        return;
    for (int i = 0; i < HALVINGS && solve(r, low) > most; i++) {
        high = low;
        low = i + 2 < HALVINGS ? low / 2 : 0;
    }
    for (int i = 0; i < STEPS && low < high; i++) {
        double middle = (low + high) / 2;
        if (solve(r, middle) <= most)
            low = middle;
        else
            high = middle;
    }
    solve(r, low);
}
