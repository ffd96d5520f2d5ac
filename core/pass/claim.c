/*
 * claim.c - gives every node to an executor.
 *
 *     b = ltorch.linear(x, w, None)  ->  b = prims.linear(x, w, None)  @interp
 *
 * A node is offered to the executors in their order, composites whole; the first that can takes it,
 * together with its decomposition. A composite that nobody takes is opened: its sub-nodes are
 * offered in its place. So is one that would come to the host, though executors of a device,
 * earlier in the list, take all that it is made of. Claiming and opening are one application each,
 * every refusal is logged. A product is first offered together with what follows it (ends.c).
 */
#include "ends.h"
#include "inject.h"
#include "rewrite.h"

typedef struct Claim {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    StrBuf why;  /* why the executor asked last does not take it */
    StrBuf whys; /* of all that refused the node at hand */
    uint32_t unclaimed;
    Arena scratch;
    uint32_t *readers; /* by value; made when an executor asks for it */
    Ends ends;
} Claim;

enum { MAX_COMPLAINTS = 10 };

/* Whether e computes n together with the node whose result it reads. */
static bool joins(Claim *s, const Executor *e, NodeId n)
{
    const Node *node = &s->in->nodes[n];
    ValueId v = node->nargs ? first_value(node->args[0]) : 0;
    NodeId first = v ? s->in->values[v].producer : NO_NODE;
    if (!e->joins || first == NO_NODE || !e->joins(s->in, first, n))
        return false;
    if (!s->readers)
        s->readers = count_readers(s->in, &s->scratch);
    return s->readers[v] == 1;
}

/* Whether executors before number `end` take everything that composite n computes, on a device. */
static bool device_takes_parts(Claim *s, NodeId n, uint32_t end)
{
    const ExecList *l = s->c->executors;
    bool any = false;
    for (NodeId k = n + 1; k < n + s->in->nodes[n].span; k++) {
        bool taken = s->in->nodes[k].span > 1 || (s->in->nodes[k].op->flags & OP_VIEW);
        if (taken)
            continue;
        for (uint32_t i = 0; i < end && !taken; i++) {
            sb_clear(&s->why);
            taken = l->on[i] && l->items[i]->device && l->items[i]->can(s->in, k, &s->why);
        }
        if (!taken)
            return false;
        any = true;
    }
    return any;
}

/* Another executor that is on and computes n sooner than e, which takes it too; NULL = none. */
static const Executor *sooner_than(Claim *s, const Executor *e, NodeId n)
{
    const ExecList *l = s->c->executors;
    const Executor *other = e->yields ? e->yields(s->in, n) : NULL;
    for (uint32_t i = 0; other && i < l->n; i++)
        if (l->items[i] == other && l->on[i] && other->can(s->in, n, &s->why))
            return other;
    return NULL;
}

/* The executor that takes node n, or NULL; refusals are logged, and collected in whys. */
static const Executor *taker(Claim *s, NodeId n)
{
    ValueId subject = first_value(s->in->nodes[n].out);
    sb_clear(&s->whys);
    for (uint32_t i = 0; s->c->executors && i < s->c->executors->n; i++) {
        const Executor *e = s->c->executors->items[i];
        if (!s->c->executors->on[i])
            continue;
        sb_clear(&s->why);
        bool takes = e->can(s->in, n, &s->why) || joins(s, e, n);
        const Executor *sooner = takes ? sooner_than(s, e, n) : NULL;
        if (sooner) {
            takes = false;
            sb_clear(&s->why);
            sb_printf(&s->why, "%s computes so little sooner", sooner->name);
        }
        if (takes && (e->device || !device_takes_parts(s, n, i)))
            return e;
        if (takes) {
            sb_clear(&s->why);
            sb_puts(&s->why, "executors before it run its parts on a device");
        }
        rule_refuse(s->c, "claim", subject, 0, "%s does not take %s: %s", e->name,
                    s->in->nodes[n].op->name, sb_cstr(&s->why));
        sb_printf(&s->whys, "%s%s: %s", s->whys.n ? "; " : "", e->name, sb_cstr(&s->why));
    }
    return NULL;
}

static void complain(Claim *s, NodeId n)
{
    const Node *node = &s->in->nodes[n];
    if (++s->unclaimed > MAX_COMPLAINTS)
        return;
    StrBuf name = {0};
    op_qualified_name(node->op, &name);
    DiagItem *item = diag_error(s->c->diag, DIAG_compile, node->src, "no-executor",
                                "no executor takes %s", sb_cstr(&name));
    diag_where(s->c->diag, item, "pass claim, op %s", sb_cstr(&name));
    diag_note(s->c->diag, item, "%s",
              s->whys.n ? sb_cstr(&s->whys) : "every executor is switched off");
    const Executor *off = s->c->executors ? exec_off_taker(s->c->executors, s->in, n) : NULL;
    diag_help(s->c->diag, item, off ? "executor on %s" : "executors", off ? off->name : "");
    sb_free(&name);
}

static bool claim_range(Claim *s, NodeId from, NodeId end);

static bool claim_opened(Claim *s, NodeId n)
{
    NodeId first = s->t->nnodes;
    if (!claim_range(s, n + 1, n + s->in->nodes[n].span))
        return false;
    if (first < s->t->nnodes)
        INJECT_TRUNCATE(claim_opened, s->in->values[first_value(s->in->nodes[n].out)].name, s->t,
                        first);
    return true;
}

static bool claim_node(Claim *s, NodeId n)
{
    const Node *node = &s->in->nodes[n];
    ValueId subject = first_value(node->out);
    const EndGroup *group = ends_of(&s->ends, n);
    if (group) {
        if (group->at == n)
            ends_write(group, &s->ends, s->in, s->t);
        return true;
    }
    if ((node->op->flags & OP_CONTROL) || s->c->exhausted) {
        trace_copy_node(s->t, s->in, n, NULL);
        return true;
    }
    const Executor *e = taker(s, n);
    if (e) {
        bool go = rule_apply(s->c, "claim", subject, 0, "%s takes %s%s", e->name, node->op->name,
                             node->span > 1 ? " whole" : "");
        NodeId copy = trace_copy_node(s->t, s->in, n, NULL);
        s->t->nodes[copy].executor = go ? e->name : node->executor;
        if (go)
            INJECT_SWAP(claim_operands, s->in->values[subject].name, s->t, copy);
        return true;
    }
    if (node->span == 1 && !node->op->decompose) { /* a composite may decompose to nothing */
        complain(s, n);
        return true;
    }
    if (rule_apply(s->c, "open", subject, 0, "no executor takes %s whole", node->op->name))
        return claim_opened(s, n);
    trace_copy_node(s->t, s->in, n, NULL);
    return true;
}

static bool claim_range(Claim *s, NodeId from, NodeId end)
{
    for (NodeId n = from; n < end; n += s->in->nodes[n].span)
        if (pass_interrupted(s->c) || !claim_node(s, n))
            return false;
    return true;
}

Trace *pass_claim(PassCtx *c, const Trace *in)
{
    Claim s = {.c = c, .in = in, .t = trace_derive(in)};
    ends_find(c, in, &s.scratch, &s.ends);
    bool done = claim_range(&s, 0, in->nnodes);
    sb_free(&s.why);
    sb_free(&s.whys);
    arena_free(&s.scratch);
    if (done && s.unclaimed == 0)
        return s.t;
    trace_unref(s.t);
    return NULL;
}
