/*
 * fold.c - simplification by the rules of fold.def.
 *
 *     a = ltorch.mul(x, 1)         (gone: a is x)
 *     b = ltorch.exp(a)       ->   b = ltorch.exp(x)
 *
 * One sweep from first to last: when a node is reached, what it reads is simplified already. A node
 * is copied; as long as a rule applies to the copy it is replaced, by a value that is there already
 * or by one prim with the same result value. Nodes that lost their reader are left to dce.
 */
#include "fold_rules.h"

#include "inject.h"

typedef struct Made {
    Fold *f;
    NodeId n;
} Made;

static void note_made(ValueId v, void *user)
{
    const Made *m = user;
    m->f->made_by[v] = m->n;
}

/* Whether the replacement has the type of what it replaces. */
static bool same_type(Fold *f, const Replacement *r, ValueId out)
{
    const Type *want = &f->t->values[out].type;
    Infer inf;
    if (!r->op)
        return type_equal(&f->t->values[r->value.v].type, want);
    ArenaMark mark = arena_mark(&f->scratch);
    bool same = op_infer(f->t, &f->scratch, r->op, r->args, &inf) && inf.nout == 1 &&
                type_equal(&inf.out[0], want);
    arena_release(&f->scratch, mark);
    return same;
}

/* Whether the replacement brings a value into storage that the program writes. */
static bool sees_writes(const Fold *f, const Replacement *r, ValueId out)
{
    if (!f->has_writes || (r->op && !(r->op->flags & OP_VIEW)))
        return false;
    return alias_join_is_unsafe(&f->alias, r->op ? r->args[0].v : r->value.v, out);
}

static bool allowed(Fold *f, const FoldRule *rule, const Replacement *r, ValueId out)
{
    ValueId other = r->op ? 0 : r->value.v;
    const char *dtype = dtype_info[f->t->values[out].type.dtype].name;
    if (sees_writes(f, r, out)) {
        rule_refuse(f->c, rule->text, out, other,
                    "the replacement lies in storage that is written");
        return false;
    }
    if (!(rule->conditions & FAST))
        return rule_apply(f->c, rule->text, out, other, "the same bits in %s", dtype);
    if (f->fast || INJECT(fold_negative_zero, f->t->values[out].name))
        return rule_apply(f->c, rule->text, out, other,
                          "other rounding in %s, allowed by option fold.fast", dtype);
    rule_refuse(f->c, rule->text, out, other, "not exact in %s: option fold.fast is off", dtype);
    return false;
}

/* Faults of tests: a replacement that is wrong. */
static void spoil(const Fold *f, Replacement *r, ValueId out)
{
    Str name = f->t->values[out].name;
    if (r->op && r->op->id == PRIM_add && r->args[1].kind == ARG_int && INJECT(fold_scalar, name))
        r->args[1].i = (int8_t)r->args[1].i;
    if (r->op && r->op->id == PRIM_add && INJECT(fold_sign, name)) {
        Arg first = r->args[0];
        r->op = registry_op(f->in->reg, PRIM_sub);
        r->args[0] = r->args[1];
        r->args[1] = first;
    }
}

/* Puts the replacement in place of node n, the last one; true when there is a node again. */
static bool replace(Fold *f, NodeId n, const Replacement *r)
{
    Node node = f->t->nodes[n];
    f->t->nnodes = n;
    if (!r->op) {
        f->map[node.out.v] = r->value.v;
        joins_add(&f->joins, r->value.v, node.out.v);
        return false;
    }
    node.op = r->op;
    node.nargs = r->op->sig.n;
    node.args = arena_copy(&f->t->arena, r->args, node.nargs * sizeof *r->args);
    node.span = 1;
    node.flags &= ~(uint32_t)NF_VERBATIM;
    trace_add_node(f->t, node);
    return true;
}

/* Applies the first rule that fits to node n; *again when the node was replaced by another one. */
static bool fold_once(Fold *f, NodeId n, bool *again)
{
    NodeId leaf = single_prim(f->t, n);
    Replacement r;
    *again = false;
    if (leaf == NO_NODE || f->t->nodes[leaf].op->id >= PRIM_COUNT)
        return false;
    ValueId out = f->t->nodes[n].out.v;
    for (int i = f->first[f->t->nodes[leaf].op->id]; i >= 0; i = f->rules[i].next) {
        const FoldRule *rule = &f->rules[i];
        if (!fold_matches(f, rule, &f->t->nodes[leaf], &r) || !same_type(f, &r, out) ||
            !allowed(f, rule, &r, out))
            continue;
        spoil(f, &r, out);
        *again = replace(f, n, &r);
        return true;
    }
    return false;
}

static void fold_node(Fold *f, NodeId n)
{
    NodeId copy = trace_copy_node(f->t, f->in, n, f->map);
    bool again = !f->c->exhausted;
    while (again)
        if (fold_once(f, copy, &again) && !again)
            return;
    arg_each_value(f->t->nodes[copy].out, note_made, &(Made){f, copy});
}

/* Whether a node that writes is followed by one that does not. */
static bool writes_early(const Trace *t)
{
    bool writing = false;
    for_top(t, n) {
        bool writes = (subtree_flags(t, n) & OP_IN_PLACE) != 0;
        if (writing && !writes && !node_is_del(&t->nodes[n]))
            return true;
        writing |= writes;
    }
    return false;
}

static bool fold_all(Fold *f)
{
    for_top(f->in, n) {
        if (pass_interrupted(f->c))
            return false;
        if (!node_is_del(&f->in->nodes[n]))
            fold_node(f, n);
    }
    return true;
}

Trace *pass_fold(PassCtx *c, const Trace *in)
{
    Fold f = {.c = c, .in = in, .t = trace_derive(in)};
    f.map = new_array(&f.scratch, ValueId, in->nvalues);
    f.made_by = new_array(&f.scratch, NodeId, in->nvalues);
    f.fast = str_is(pass_option(c, "fast", "off"), "on");
    f.has_writes = trace_has_writes(in);
    f.early_writes = f.has_writes && writes_early(in);
    for (ValueId v = 0; v < in->nvalues; v++)
        f.made_by[v] = NO_NODE;
    if (f.has_writes)
        alias_build(&f.alias, in);
    fold_rules(&f);
    bool done = fold_all(&f);
    f.t->output = arg_map(f.t, in->output, f.map);
    joins_finish(&f.joins, f.t);
    if (f.has_writes)
        alias_free(&f.alias);
    arena_free(&f.scratch);
    if (done)
        return f.t;
    trace_unref(f.t);
    return NULL;
}
