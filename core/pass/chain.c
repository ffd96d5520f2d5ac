/*
 * chain.c - finds matrix products that one kernel computes with what follows them.
 *
 *     t0 = prims.linear(x, w0, b0)  @cublaslt
 *     t1 = prims.tanh(t0)           @cuda      ->   [t2] = cudaFusion0(x, w0, b0, w1)  @cuda
 *     t2 = prims.linear(t1, w1)     @cublaslt
 *
 * One walk in order: a chain begins with a product and grows by what reads its results (elementwise
 * statements of the same shape, products of the rows with other weights), until something else
 * reads them. core/gen says whether one kernel can compute it, and in what time; products by
 * themselves take the time of their launches and of the bytes they move.
 */
#include "chain.h"

#include "gen.h"
#include "numbers.h"
#include "rewrite.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CHAIN_NODES = 512, MAX_HEAD = 64, FEW_ELEMENTS = 1 << 18, FEW_ROWS = 64 };

typedef struct Walk {
    const ChainSearch *s;
    const Executor *e;
    bool all;           /* also where it is slower */
    uint32_t *readers;  /* by value */
    NodeId *mark;       /* by node: the first node of the chain that has it, + 1 */
    NodeId nodes[MAX_CHAIN_NODES];
    uint32_t n, ends[MAX_CHAIN_NODES], nends; /* ends: counts of nodes that make whole segments */
    NodeId stop;        /* nothing moves across: the latest that writes in place, + 1 */
    bool small;         /* the product that it begins with: others may follow */
    Type row;           /* of what the segment under way computes */
    StrBuf why;
    Chain *found;
    uint32_t nfound, cap;
} Walk;

static const Executor *executor_of_products(const PassCtx *c)
{
    for (uint32_t i = 0; c->executors && i < c->executors->n; i++)
        if (c->executors->on[i] && c->executors->items[i]->products)
            return c->executors->items[i];
    return NULL;
}

/* A product, or one that was joined with its end already: the product of node n; else NO_NODE. */
static NodeId product_of(const Walk *w, NodeId n)
{
    const Trace *t = w->s->in;
    const Node *node = &t->nodes[n];
    ValueId out[2];
    if (!node->executor || node->op->language != LANG_prims || arg_values(node->out, out, 2) != 1)
        return NO_NODE;
    if (node->op->id == PRIM_call && node->span > 1)
        n++;
    node = &t->nodes[n];
    bool product = node->span == 1 && node->op->language == LANG_prims &&
                   (node->op->id == PRIM_linear || node->op->id == PRIM_matmul);
    return product ? n : NO_NODE;
}

/* ------------------------------------------------------------------------------- what may join */

typedef struct Operands {
    const Walk *w;
    bool some, good; /* it reads what the chain makes; all else is there before */
} Operands;

static bool in_chain(const Walk *w, NodeId n)
{
    return n != NO_NODE && w->mark[n] == w->nodes[0] + 1;
}

static void look_at_operand(ValueId v, void *user)
{
    Operands *o = user;
    NodeId n = o->w->s->made[v];
    bool inside = in_chain(o->w, n);
    o->some = o->some || inside;
    o->good = o->good && (inside || n == NO_NODE ||
                          (!o->w->s->late[n] && !o->w->s->piece[n]));
}

static Operands operands_of(const Walk *w, NodeId n)
{
    Operands o = {w, false, true};
    for (NodeId i = n; i < n + w->s->in->nodes[n].span; i++)
        for (uint32_t k = 0; k < w->s->in->nodes[i].nargs; k++)
            arg_each_value(w->s->in->nodes[i].args[k], look_at_operand, &o);
    return o;
}

/* Elementwise through and through but for `product`, and of the shape of the product before. */
static bool is_plain(Walk *w, NodeId n, NodeId product)
{
    const Trace *t = w->s->in;
    for (NodeId i = n; i < n + t->nodes[n].span; i++) {
        const Node *node = &t->nodes[i];
        if (node->span != 1 || i == product)
            continue;
        sb_clear(&w->why);
        bool good = node->out.kind == ARG_value && node->op->language == LANG_prims &&
                    (node->op->id == PRIM_convert_element_type ||
                     (node->op->flags & OP_ELEMENTWISE)) &&
                    gen_takes(t, i, &w->why) &&
                    type_same_shape(&t->values[node->out.v].type, &w->row);
        if (!good)
            return false;
    }
    return t->nodes[n].executor != NULL;
}

static void add(Walk *w, NodeId n)
{
    w->mark[n] = (w->n ? w->nodes[0] : n) + 1;
    w->nodes[w->n++] = n;
}

/* A bias that somebody repeated over the rows is read as it was before. */
static void add_repeated(ValueId v, void *user)
{
    Walk *w = user;
    NodeId n = w->s->made[v];
    const Node *node = n == NO_NODE ? NULL : &w->s->in->nodes[n];
    if (!node || in_chain(w, n) || w->mark[n] || !node_is_prim(node, PRIM_broadcast_in_dim) ||
        node->span != 1 || w->readers[v] != 1 || w->s->late[n])
        return;
    ValueId from = first_value(node->args[0]);
    NodeId maker = from ? w->s->made[from] : NO_NODE;
    if (w->n < MAX_CHAIN_NODES && !in_chain(w, maker) && (maker == NO_NODE || !w->s->late[maker]))
        add(w, n);
}

static bool try_add(Walk *w, NodeId n)
{
    const Node *node = &w->s->in->nodes[n];
    NodeId product = product_of(w, n);
    if (w->n + 8 >= MAX_CHAIN_NODES || w->mark[n])
        return false;
    if (product != NO_NODE) {
        const Node *made = &w->s->in->nodes[product];
        NodeId left = w->s->made[first_value(made->args[0])];
        Type before = w->row;
        if (!w->small || !in_chain(w, left) || !gen_product_chains(w->s->in, product) ||
            in_chain(w, w->s->made[first_value(made->args[1])]))
            return false;
        w->row = w->s->in->values[made->out.v].type;
        if (!is_plain(w, n, product)) {
            w->row = before;
            return false;
        }
        w->ends[w->nends++] = w->n;
    } else if (!is_plain(w, n, NO_NODE)) {
        return false;
    } else {
        for (uint32_t k = 0; k < node->nargs; k++)
            arg_each_value(node->args[k], add_repeated, w);
    }
    add(w, n);
    return true;
}

/* -------------------------------------------------------------------------- what is made of it */

static void count_inside(ValueId v, void *user)
{
    Map *m = user;
    bool fresh;
    map_put(m, (Str){(const char *)&v, sizeof v}, &fresh)->u++;
}

/* Readers within the chain, each node once. */
static void count_readers_inside(const Walk *w, uint32_t n, Map *m)
{
    const Trace *t = w->s->in;
    for (uint32_t i = 0; i < n; i++) {
        Map once = {0};
        for (NodeId k = w->nodes[i]; k < w->nodes[i] + t->nodes[w->nodes[i]].span; k++)
            for (uint32_t a = 0; a < t->nodes[k].nargs; a++)
                arg_each_value(t->nodes[k].args[a], count_inside, &once);
        map_for_each(&once, e)
            map_put(m, e->key, NULL)->u++;
        map_free(&once);
    }
}

/* The region of the first n nodes: its leaves, and what others need of them. */
static Region region_of(const Walk *w, uint32_t n, Arena *a)
{
    const Trace *t = w->s->in;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count += t->nodes[w->nodes[i]].span;
    NodeId *leaves = new_array(a, NodeId, count + 1), *sorted = new_array(a, NodeId, n + 1);
    ValueId *outs = new_array(a, ValueId, n + 1);
    Region r = {.t = t, .nodes = leaves, .outs = outs};
    Map inside = {0};
    memcpy(sorted, w->nodes, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, order_of_ids);
    count_readers_inside(w, n, &inside);
    for (uint32_t i = 0; i < n; i++) {
        for (NodeId k = sorted[i]; k < sorted[i] + t->nodes[sorted[i]].span; k++)
            if (t->nodes[k].span == 1)
                leaves[r.n++] = k;
        ValueId v = first_value(t->nodes[sorted[i]].out);
        const MapEntry *e = map_get(&inside, (Str){(const char *)&v, sizeof v});
        if (w->readers[v] > (e ? e->u : 0))
            outs[r.nouts++] = v;
    }
    map_free(&inside);
    return r;
}

static void keep(Walk *w, uint32_t n)
{
    if (w->nfound == w->cap) {
        w->cap = 2 * w->cap + 8;
        Chain *more = new_array(w->s->scratch, Chain, w->cap);
        if (w->nfound)
            memcpy(more, w->found, w->nfound * sizeof *more);
        w->found = more;
    }
    NodeId *nodes = arena_copy(w->s->scratch, w->nodes, n * sizeof *nodes);
    qsort(nodes, n, sizeof *nodes, order_of_ids);
    w->found[w->nfound++] = (Chain){w->e->name, nodes, n};
}

/* Whether the first n nodes become a chain, which makes the rows before it (`head`) too; a refusal
 * is logged. */
static bool settle(Walk *w, uint32_t n, bool head)
{
    Arena a = {0};
    Region r = region_of(w, n, &a);
    ValueId first = first_value(w->s->in->nodes[w->nodes[0]].out);
    ValueId last = r.nouts ? r.outs[r.nouts - 1] : 0;
    GenTimes times = {0};
    sb_clear(&w->why);
    bool fits = last && r.nouts <= MAX_OUTPUTS && gen_fits_cuda(&r, &w->why);
    bool pays = fits && gen_product_times(&r, &times);
    for (uint32_t i = 0; i < n && pays; i++)
        if (node_is_prim(&w->s->in->nodes[w->nodes[i]], PRIM_call)) {
            times.apart -= times.launch; /* one launch computes its end, too */
            times.launches--;
        }
    bool done = false;
    if (fits && pays && (w->all || times.joined < times.apart))
        done = rule_apply(w->s->c, "chain", last, first,
                          "one kernel computes %s%u %s and what follows: %.1f us estimated, %.1f "
                          "us in %u launch%s", head ? "the rows before, " : "", times.products,
                          times.products == 1 ? "product" : "products", times.joined * 1e6,
                          times.apart * 1e6, times.launches, times.launches == 1 ? "" : "es");
    else if (fits && pays)
        rule_refuse(w->s->c, "chain", last, first,
                    "one kernel for %u product%s takes %.1f us, %u launches take %.1f us "
                    "(estimated; option fuse.products all)", times.products,
                    plural(times.products), times.joined * 1e6, times.launches, times.apart * 1e6);
    else if (last && w->why.n)
        rule_refuse(w->s->c, "chain", last, first, "%s", sb_cstr(&w->why));
    arena_free(&a);
    if (done)
        keep(w, n);
    return done;
}

/* ---------------------------------------------------------------------- what stands before it */

typedef struct Head {
    Walk *w;
    NodeId open[MAX_HEAD]; /* makers of what the head reads, not looked at yet */
    uint32_t nopen;
    Map inside; /* by value: nodes of the head, and the product, that read it */
} Head;

static void add_open(ValueId v, void *user)
{
    Head *h = user;
    NodeId n = h->w->s->made[v];
    bool known = n == NO_NODE || h->w->mark[n] || n < h->w->stop || h->nopen == MAX_HEAD;
    for (uint32_t i = 0; i < h->nopen; i++)
        known = known || h->open[i] == n;
    if (!known)
        h->open[h->nopen++] = n;
}

/* A node of the head, or the product, reads these. */
static void read_by_head(Head *h, const Arg *args, uint32_t n)
{
    Map once = {0};
    for (uint32_t i = 0; i < n; i++) {
        arg_each_value(args[i], count_inside, &once);
        arg_each_value(args[i], add_open, h);
    }
    map_for_each(&once, e)
        map_put(&h->inside, e->key, NULL)->u++;
    map_free(&once);
}

/* Nobody but the head reads what n makes, and a generated kernel would make it. */
static bool is_of_head(Head *h, NodeId n)
{
    const Walk *w = h->w;
    const Node *node = &w->s->in->nodes[n];
    ValueId outs[MAX_OUTPUTS];
    uint32_t nouts = arg_values(node->out, outs, MAX_OUTPUTS);
    StrBuf why = {0};
    bool good = node->executor && strcmp(node->executor, w->e->name) == 0 && node->span == 1 &&
                !w->s->late[n] && !w->s->piece[n] && nouts > 0 && nouts <= MAX_OUTPUTS &&
                gen_takes(w->s->in, n, &why);
    sb_free(&why);
    for (uint32_t i = 0; i < nouts && good; i++) {
        const MapEntry *e = map_get(&h->inside, (Str){(const char *)&outs[i], sizeof outs[i]});
        good = w->readers[outs[i]] == (e ? e->u : 0);
    }
    return good;
}

/* Adds the statements that make the rows of the first product and that nobody else reads, latest
 * first, so that the readers of each are known. */
static void add_head(Walk *w)
{
    Head h = {.w = w};
    const Node *product = &w->s->in->nodes[product_of(w, w->nodes[0])];
    ValueId rows = first_value(product->args[0]);
    NodeId maker = w->s->made[rows];
    if (maker == NO_NODE || (w->s->in->nodes[maker].op->flags & OP_VIEW))
        return;
    for (uint32_t i = 1; i < product->nargs; i++)
        if (first_value(product->args[i]) == rows)
            return;
    read_by_head(&h, product->args, 1);
    while (h.nopen > 0 && w->n + 1 < MAX_CHAIN_NODES) {
        uint32_t last = 0;
        for (uint32_t i = 1; i < h.nopen; i++)
            last = h.open[i] > h.open[last] ? i : last;
        NodeId n = h.open[last];
        h.open[last] = h.open[--h.nopen];
        if (!is_of_head(&h, n))
            continue;
        add(w, n);
        read_by_head(&h, w->s->in->nodes[n].args, w->s->in->nodes[n].nargs);
    }
    map_free(&h.inside);
}

/* A product whose rows are made by the same kernel, where that is faster than by another one. */
static bool settle_with_head(Walk *w)
{
    uint32_t n = w->n;
    Arena a = {0};
    GenTimes with = {0}, without = {0};
    add_head(w);
    bool done = w->n > n;
    if (done) {
        Region r = region_of(w, w->n, &a), alone = region_of(w, n, &a);
        bool there = gen_product_times(&alone, &without);
        done = !gen_product_times(&r, &with) || w->all || !there ||
               with.joined < without.joined + with.launch;
        ValueId rows = first_value(w->s->in->nodes[w->nodes[n]].out);
        if (!done)
            rule_refuse(w->s->c, "chain", rows, 0,
                        "made in the kernel of the product: %.1f us, by one of its own: %.1f us "
                        "(estimated; option fuse.products all)", with.joined * 1e6,
                        (without.joined + with.launch) * 1e6);
    }
    done = done && settle(w, w->n, true);
    for (uint32_t i = n; i < w->n && !done; i++)
        w->mark[w->nodes[i]] = 0;
    w->n = done ? w->n : n;
    arena_free(&a);
    return done;
}

/* Whoever reads a result in a wider type makes that himself: it is no result of its own. */
static void drop_widened(Walk *w)
{
    const Trace *t = w->s->in;
    while (w->n > 1) {
        const Node *last = &t->nodes[w->nodes[w->n - 1]];
        if (last->span != 1 || !node_is_prim(last, PRIM_convert_element_type) ||
            dtype_info[t->values[first_value(last->out)].type.dtype].bytes <=
                dtype_info[t->values[first_value(last->args[0])].type.dtype].bytes)
            return;
        w->mark[w->nodes[--w->n]] = 0;
    }
}

/* What is there becomes a chain, or as many whole segments of it as one kernel takes, by halves.
 * The rest may be one of its own: the product that it begins with; NO_NODE = there is none. */
static NodeId finish(Walk *w)
{
    drop_widened(w);
    if (w->n > 0 && w->nends == 0 && settle_with_head(w)) {
        w->n = 0;
        return NO_NODE;
    }
    uint32_t n = w->n;
    bool done = w->n > 0 && settle(w, n, false);
    while (!done && w->nends > 0) {
        w->nends /= 2;
        n = w->ends[w->nends];
        done = settle(w, n, false);
    }
    NodeId rest = done && n < w->n ? w->nodes[n] : NO_NODE;
    for (uint32_t i = done ? n : 0; i < w->n; i++)
        w->mark[w->nodes[i]] = 0;
    w->n = w->nends = 0;
    return rest;
}

/* Many rows times a large weight: others compute that better, whatever follows it. */
static bool is_large(const Walk *w, NodeId product)
{
    const Trace *t = w->s->in;
    const Node *node = &t->nodes[product];
    ValueId weight = first_value(node->args[1]);
    const Type *out = &t->values[node->out.v].type;
    int64_t n = out->rank ? out->shape[out->rank - 1] : 1;
    return !w->all && type_numel(&t->values[weight].type) > FEW_ELEMENTS &&
           type_numel(out) > FEW_ROWS * n;
}

/* Takes node n into the chain under way, or ends that. The node to go on with. */
static NodeId visit(Walk *w, NodeId n)
{
    const Trace *t = w->s->in;
    Operands o = {0};
    uint32_t flags = subtree_flags(t, n);
    bool stops = (flags & OP_IN_PLACE) || node_is_prim(&t->nodes[n], PRIM_end_forward);
    bool ends = stops || n == w->s->border;
    if (w->n)
        o = operands_of(w, n);
    if (o.some && !ends && o.good && try_add(w, n))
        return n + t->nodes[n].span;
    if (w->n && (o.some || ends)) {
        NodeId rest = finish(w);
        if (rest != NO_NODE)
            return rest;
    }
    w->stop = stops ? n + 1 : w->stop;
    NodeId product = w->n == 0 && !stops ? product_of(w, n) : NO_NODE;
    if (product != NO_NODE && !is_large(w, product) && operands_of(w, n).good) {
        w->row = t->values[t->nodes[product].out.v].type;
        w->small = gen_product_chains(t, product);
        if (is_plain(w, n, product))
            add(w, n);
    }
    return n + t->nodes[n].span;
}

uint32_t chains_find(const ChainSearch *s, const Chain **out)
{
    Str which = pass_option(s->c, "products", "pays");
    Walk *w = new_of(s->scratch, Walk);
    w->s = s;
    w->e = executor_of_products(s->c);
    w->all = str_is(which, "all");
    *out = NULL;
    if (!w->e || str_is(which, "off"))
        return 0;
    w->readers = count_readers(s->in, s->scratch);
    w->mark = new_array(s->scratch, NodeId, s->in->nnodes + 1);
    for (NodeId n = 0; n < s->in->nnodes;) {
        n = node_is_del(&s->in->nodes[n]) ? n + 1 : visit(w, n);
        if (n >= s->in->nnodes && w->n > 0) {
            NodeId rest = finish(w);
            n = rest == NO_NODE ? n : rest;
        }
    }
    sb_free(&w->why);
    *out = w->found;
    return w->nfound;
}
