/*
 * places.c - where temporaries lie: one arena a device, an offset for each.
 *
 *     t1 = prims.exp(t0)            # +0
 *     t2 = prims.add(t1, 1.0)       # +0 over t1
 *
 * A temporary lives from the node that makes it to the last use of it and of all its views
 * (pack.c). Views own no memory, they get an address inside their base's. Outputs are not in the
 * arena, since they outlive the run. A result may take the place of an operand that dies at its
 * node, when the executor says that it reads before it writes: such values are packed as one. Each
 * is an application; the offsets of all are the last one.
 */
#include "plan.h"

#include "inject.h"
#include "pack.h"
#include "room.h"

/* ------------------------------------------------------------------------------------- offsets */

/* Number of the arena of a device; the last one takes what is beyond MAX_DEVICES. */
static uint32_t device_number(Plan *p, Device device)
{
    for (uint32_t i = 0; i < p->ndevices; i++)
        if (device_eq(p->devices[i], device))
            return i;
    if (p->ndevices < MAX_DEVICES)
        p->devices[p->ndevices++] = device;
    return p->ndevices - 1;
}

/* A temporary owns its storage, is made at top level, and does not leave the trace. */
static bool is_temporary(const Plan *p, ValueId v)
{
    const Type *type = &p->in->values[v].type;
    return type->kind == VALUE_tensor && type->device.type != DEV_meta && p->alias.root[v] == v &&
           p->made[v] != NO_NODE && !p->output[v];
}

/* The storage of a root ends with the last use of any value in it. */
static void note_ends(Plan *p)
{
    for (ValueId v = 1; v < p->in->nvalues; v++) {
        ValueId root = p->alias.root[v];
        if (root != v && INJECT(plan_overlap, p->in->values[root].name))
            continue;
        if (p->last[v] != NO_NODE &&
            (p->last_any[root] == NO_NODE || p->last_any[root] < p->last[v]))
            p->last_any[root] = p->last[v];
    }
}

/* ------------------------------------------------------------------------------------ in place */

enum { MAX_OPERANDS = 64, MAX_PAIRS = 64 };

/* A result that gets a dense place of its own. */
static bool is_own(const Plan *p, ValueId v)
{
    return is_temporary(p, v) && !p->alias.strides[v];
}

/* Whether value v, an operand of p->node, is all of a temporary that ends here. */
static bool is_dying(const Plan *p, ValueId v)
{
    ValueId root = p->alias.root[v];
    const Value *values = p->in->values;
    return is_temporary(p, root) && p->last_any[root] == p->node && p->made[root] != p->node &&
           !p->alias.strides[v] && p->alias.offset[v] == 0 &&
           type_bytes(&values[v].type) == type_bytes(&values[root].type);
}

/* An operand may be looked at in several ways: then none of them counts. */
static bool is_seen_twice(const Plan *p, const ValueId *operands, uint32_t n, uint32_t i)
{
    for (uint32_t k = 0; k < n; k++)
        if (operands[k] != operands[i] && p->alias.root[operands[k]] == p->alias.root[operands[i]])
            return true;
    return false;
}

static bool fits_over(const Type *result, const Type *operand)
{
    return result->dtype == operand->dtype && device_eq(result->device, operand->device) &&
           type_bytes(result) == type_bytes(operand) && type_bytes(result) > 0;
}

static uint32_t find_pairs(const Plan *p, const Node *node, Overlay pairs[MAX_PAIRS])
{
    ValueId in[MAX_OPERANDS], out[MAX_OUTPUTS];
    Arg args = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
    uint32_t nin = arg_values(args, in, MAX_OPERANDS);
    uint32_t nout = arg_values(node->out, out, MAX_OUTPUTS), n = 0;
    if (nin > MAX_OPERANDS || nout > MAX_OUTPUTS || !node_makes_places(node))
        return 0;
    for (uint32_t k = 0; k < nout; k++)
        for (uint32_t i = 0; i < nin && n < MAX_PAIRS && is_own(p, out[k]); i++)
            if (fits_over(&p->in->values[out[k]].type, &p->in->values[in[i]].type) &&
                is_dying(p, in[i]) && !is_seen_twice(p, in, nin, i))
                pairs[n++] = (Overlay){.result = out[k], .operand = in[i]};
    return n;
}

static void put_over(Plan *p, const Executor *e, const Overlay *pair)
{
    ValueId root = p->alias.root[pair->operand], v = pair->result;
    const Value *result = &p->in->values[v], *operand = &p->in->values[pair->operand];
    if (!pair->legal || p->over[v] || p->under[root] ||
        !rule_apply(p->c, "in place", v, pair->operand,
                    "%%%.*s dies here and %s reads it element by element before it writes: "
                    "%lld bytes less", STR(operand->name), e->name,
                    (long long)type_bytes(&result->type)))
        return;
    p->over[v] = root;
    p->under[root] = v;
}

static void find_in_place(Plan *p)
{
    Overlay pairs[MAX_PAIRS];
    for_top(p->in, n) {
        const Node *node = &p->in->nodes[n];
        const Executor *e = NULL;
        p->node = n;
        uint32_t npairs = node->executor ? find_pairs(p, node, pairs) : 0;
        if (npairs)
            e = exec_find(p->c->executors, str_from(node->executor));
        if (!e || !e->in_place)
            continue;
        e->in_place(p->in, n, pairs, npairs);
        for (uint32_t i = 0; i < npairs; i++)
            put_over(p, e, &pairs[i]);
    }
}

/* ----------------------------------------------------------------------------------- placement */

typedef struct Temporaries {
    Plan *p;
    PackItem *items;
    ValueId *values;
    uint32_t n;
    uint32_t device; /* of this arena only */
} Temporaries;

/* The storage of v begins here: v's own, or that of a whole whose first part v is. What lies in one
 * place, one value after the other, is one item. */
static void add_temporary(ValueId v, void *user)
{
    Temporaries *t = user;
    Plan *p = t->p;
    ValueId root = p->alias.parent[v] ? v : p->alias.root[v], end = root;
    const Type *type = &p->in->values[root].type;
    if (!is_temporary(p, root) || p->placed[root] || p->over[root] ||
        device_number(p, type->device) != t->device)
        return;
    while (p->under[end])
        end = p->under[end];
    p->placed[root] = 1;
    t->values[t->n] = root;
    t->items[t->n++] =
        (PackItem){.bytes = type_bytes(type), .first = p->made[v], .last = p->last_any[end]};
}

/* The arena of one device; returns its size. */
static int64_t place_device(Plan *p, uint32_t device, Temporaries *t, int64_t *bound)
{
    t->device = device;
    t->n = 0;
    for_top(p->in, n)
        arg_each_value(p->in->nodes[n].out, add_temporary, t);
    int64_t bytes = pack_items(t->items, t->n, bound);
    for (uint32_t i = 0; i < t->n; i++)
        for (ValueId v = t->values[i]; v; v = p->under[v])
            p->t->values[v].offset = t->items[i].offset;
    return bytes;
}

/* The address of a view that is made at top level lies inside its base. */
static void place_views(Plan *p)
{
    for (ValueId v = 1; v < p->in->nvalues; v++) {
        ValueId root = p->alias.root[v];
        int64_t base = p->t->values[root].offset;
        if (root == v || base < 0 || p->made[v] == NO_NODE)
            continue;
        int64_t size = dtype_info[p->in->values[v].type.dtype].bytes;
        p->t->values[v].offset = base + p->alias.offset[v] * size;
    }
}

void plan_memory(Plan *p, Arena *scratch)
{
    int64_t total = 0, least = 0, bound = 0;
    uint32_t placed = 0;
    bool in_place = !str_is(pass_option(p->c, "in_place", "on"), "off");
    Temporaries t = {.p = p};
    t.items = new_array(scratch, PackItem, p->in->nvalues);
    t.values = new_array(scratch, ValueId, p->in->nvalues);
    note_ends(p);
    if (in_place)
        find_in_place(p);
    if (p->c->exhausted)
        return;
    for (ValueId v = 1; v < p->in->nvalues; v++)
        if (is_temporary(p, v))
            device_number(p, p->in->values[v].type.device);
    for (uint32_t i = 0; i < p->ndevices; i++) {
        total += place_device(p, i, &t, &bound);
        least += bound;
        placed += t.n;
    }
    place_views(p);
    if (rule_apply(p->c, "lifetimes -> offsets", 0, 0,
                   "%u %s in %lld byte%s; no placement needs less than %lld", placed,
                   placed == 1 ? "temporary" : "temporaries",
                   (long long)total, plural(total), (long long)least))
        p->t->plan_bytes = total;
    for (ValueId v = 0; v < p->t->nvalues && p->t->plan_bytes < 0; v++)
        p->t->values[v].offset = -1;
}

