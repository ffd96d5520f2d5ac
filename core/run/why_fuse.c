/*
 * why_fuse.c - why two values are not computed by one kernel.
 *
 * Input: two values and the current line. Output: one sentence with the reason, and the command
 * that would fuse them where there is one. The reason is found anew: the nodes that make the values
 * are given to the judges that pass fuse asks.
 */
#include "gen.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

/* Who makes a value behind pass fuse: a kernel for several nodes, or a node by itself. */
typedef struct Maker {
    ValueId v;
    Str name;       /* of the value */
    NodeId node;    /* top-level, in the fused trace */
    NodeId prim;    /* that makes it: the node itself, or one inside */
    const char *executor;
} Maker;

static bool find_maker(const Trace *t, ValueId v, Maker *m)
{
    *m = (Maker){.v = v, .node = NO_NODE};
    if (v >= t->nvalues)
        return false;
    m->name = t->values[v].name;
    for_top(t, n) {
        for (NodeId i = n; i < n + t->nodes[n].span; i++) {
            ValueId outs[MAX_OUTPUTS];
            uint32_t count = arg_values(t->nodes[i].out, outs, MAX_OUTPUTS);
            for (uint32_t k = 0; k < count && k < MAX_OUTPUTS; k++) {
                if (outs[k] != v)
                    continue;
                m->node = n;
                m->prim = i;
                m->executor = t->nodes[n].executor;
            }
        }
    }
    return m->node != NO_NODE && m->executor;
}

/* The stage of the line with this name. */
static bool find_stage(Session *s, Program *p, const char *name, const Stage **found)
{
    uint32_t n;
    Stage **line = line_stages(s, p, &n);
    *found = NULL;
    for (uint32_t i = 0; i < n && !*found; i++)
        if (str_is(line[i]->name, name))
            *found = line[i];
    free(line);
    return *found != NULL;
}

static bool is_fusion(const Program *p, const char *executor)
{
    const Executor *e = exec_find(program_executors(p), str_from(executor));
    return e && e->kind == EXEC_fusion;
}

/* --------------------------------------------------------------------------------- one sentence */

/* The value that no fusion executor makes, and why none of them takes its node. */
static void say_not_taken(const Program *p, const Trace *t, const Maker *m, StrBuf *out)
{
    const ExecList *l = program_executors(p);
    StrBuf why = {0};
    sb_printf(out, "%.*s is computed by %s", STR(m->name), m->executor);
    for (uint32_t i = 0; i < l->n; i++) {
        const Executor *e = l->items[i];
        if (e->kind != EXEC_fusion || !str_is(str_from(e->name), "c"))
            continue;
        sb_clear(&why);
        bool takes = e->can(t, m->prim, &why), view = t->nodes[m->prim].op->flags & OP_VIEW;
        if (takes && view)
            sb_puts(out, ", since a view moves nothing; no option changes that.\n");
        else if (!l->on[i])
            sb_printf(out, ", because executor %s is off; `executor on %s` lets it try.\n", e->name,
                      e->name);
        else if (takes)
            sb_puts(out, ", since it is too little work for a compiler; `option fuse.min_work 0` "
                         "fuses it all the same.\n");
        else
            sb_printf(out, ", since %s %s; no option changes that.\n", e->name, sb_cstr(&why));
        sb_free(&why);
        return;
    }
    sb_puts(out, ", which fuses nothing; no option changes that.\n");
}

static void add_nodes(const Trace *t, NodeId top, NodeId *nodes, uint32_t *n)
{
    for (NodeId i = top; i < top + t->nodes[top].span; i++)
        if (t->nodes[i].span == 1 && *n < MAX_REGION_NODES)
            nodes[(*n)++] = i;
}

typedef struct Outs {
    ValueId *outs;
    uint32_t n;
} Outs;

static void add_out(ValueId v, void *user)
{
    Outs *o = user;
    if (o->n < MAX_OUTPUTS)
        o->outs[o->n++] = v;
}

/* Whether one loop nest could compute what both makers compute; why as in gen_fits. */
static bool could_be_one(const Trace *t, const Maker *a, const Maker *b, StrBuf *why)
{
    NodeId nodes[MAX_REGION_NODES];
    ValueId list[MAX_OUTPUTS];
    Outs outs = {list, 0};
    const Maker *first = a->node < b->node ? a : b, *second = a->node < b->node ? b : a;
    uint32_t n = 0;
    add_nodes(t, first->node, nodes, &n);
    add_nodes(t, second->node, nodes, &n);
    arg_each_value(t->nodes[first->node].out, add_out, &outs);
    arg_each_value(t->nodes[second->node].out, add_out, &outs);
    Region r = {t, nodes, n, list, outs.n};
    return gen_fits(&r, why);
}

typedef struct Reach {
    bool *from;
    bool hit;
} Reach;

static void meets(ValueId v, void *user)
{
    Reach *r = user;
    r->hit |= r->from[v];
}

static void spread(ValueId v, void *user)
{
    ((Reach *)user)->from[v] = true;
}

/* A node between two others that reads from the first and is read, maybe by way of others, by the
 * second; NO_NODE when there is none. */
static NodeId between(const Trace *t, NodeId a, NodeId b)
{
    Reach r = {calloc(t->nvalues + 1, sizeof *r.from), false};
    NodeId found = NO_NODE, last = NO_NODE;
    if (!r.from)
        abort();
    arg_each_value(t->nodes[a].out, spread, &r);
    for (NodeId n = a + t->nodes[a].span; n <= b; n += t->nodes[n].span) {
        r.hit = false;
        for (NodeId i = n; i < n + t->nodes[n].span; i++)
            for (uint32_t k = 0; k < t->nodes[i].nargs; k++)
                arg_each_value(t->nodes[i].args[k], meets, &r);
        if (r.hit && n == b)
            found = last;
        if (r.hit && n != b && !(t->nodes[n].op->flags & OP_CONTROL)) {
            arg_each_value(t->nodes[n].out, spread, &r);
            last = n;
        }
    }
    free(r.from);
    return found;
}

static void say_apart(const Trace *t, const Maker *a, const Maker *b, StrBuf *out)
{
    StrBuf why = {0};
    NodeId low = a->node < b->node ? a->node : b->node;
    NodeId high = a->node < b->node ? b->node : a->node;
    NodeId mid = between(t, low, high);
    ValueId v = 0;
    sb_printf(out, "%.*s and %.*s are computed apart, since ", STR(a->name), STR(b->name));
    if (mid != NO_NODE && arg_values(t->nodes[mid].out, &v, 1) && v)
        sb_printf(out, "%%%.*s between them is computed from the one and needed by the other, and "
                       "runs on %s; no option changes that.\n", STR(t->values[v].name),
                  t->nodes[mid].executor ? t->nodes[mid].executor : "no executor");
    else if (could_be_one(t, a, b, &why))
        sb_puts(out, "the one does not read what the other reads or makes: nothing would be saved; "
                     "no option changes that.\n");
    else
        sb_printf(out, "one loop cannot do both: %s; no option changes that.\n", sb_cstr(&why));
    sb_free(&why);
}

bool why_not_fused(Session *s, Program *p, ValueId a, ValueId b, StrBuf *out)
{
    const Stage *fused;
    Maker ma, mb;
    int slot = program_find_slot(p, S("fuse"));
    bool off = slot >= 0 && !program_slot(p, (uint32_t)slot)->on;
    if (!find_stage(s, p, off ? "dce.2" : "fuse", &fused))
        return false;
    const Trace *t = fused->trace;
    if (!find_maker(t, a, &ma) || !find_maker(t, b, &mb))
        return false;
    bool fusion_a = is_fusion(p, ma.executor), fusion_b = is_fusion(p, mb.executor);
    if (off && fusion_a && fusion_b) {
        sb_puts(out, "Pass fuse is off; `pass on fuse` lets it join what kernels compute.\n");
    } else if (ma.node == mb.node && ma.prim != mb.prim) {
        sb_printf(out, "%.*s and %.*s are computed by one kernel; `kernel %%%.*s` shows it.\n",
                  STR(ma.name), STR(mb.name), STR(ma.name));
    } else if (ma.node == mb.node) {
        return false;
    } else if (fusion_a && fusion_b && slot >= 0 &&
               program_slot(p, (uint32_t)slot)->fuel != UINT64_MAX) {
        sb_puts(out, "Pass fuse runs with little fuel; `pass fuel fuse all` lets it go on.\n");
    } else if (fusion_a && fusion_b) {
        say_apart(t, &ma, &mb, out);
    } else {
        say_not_taken(p, t, fusion_a ? &mb : &ma, out);
    }
    return true;
}
