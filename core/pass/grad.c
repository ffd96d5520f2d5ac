/*
 * grad.c - the joint trace: a program, and behind it the gradients of its inputs.
 *
 *     y = prims.mul(x, x)           y = prims.mul(x, x)
 *     return y                ->    t0 = prims.mul(cot_0, x)
 *                                   t1 = prims.mul(cot_0, x)
 *                                   grad_x = prims.add(t0, t1)
 *                                   return ((y,), (grad_x,))
 *
 * Input: a functional trace, and options: joint.wrt names the inputs ("all": every floating one),
 * joint.cotangents says whether cotangents are new inputs cot_0, cot_1, ... ("given", named after
 * the outputs they belong to) or ones. Output: the original outputs, and one gradient for
 * each requested input in the order of the inputs, None where no output depends on it.
 *
 * First a value is active when a gradient flows from a requested input into it, and needed when an
 * output depends on it. Composites with both are opened unless they have a rule of their own. Then
 * the forward nodes are visited backwards, and each gives its arguments their cotangents. Inputs
 * are written back at the very end: the backward part reads them as they were.
 *
 * One rule is one application. When one is left out the gradients are not right any more, so the
 * stage then has the backward nodes made so far, and the original outputs only.
 */
#include "grad_pieces.h"
#include "inject.h"
#include "rewrite.h"
#include "vjp.h"

struct Grad {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    Build b;
    Arena scratch;
    bool *active, *needed, *linked; /* by value of in */
    Arg *cot;              /* by value of in: its cotangent so far, None = none yet */
    uint8_t *sum_in;       /* by value of in: the dtype in which cotangents add up; 0 = its own */
    NodeId *forward;       /* nodes of t that may have a rule, in order */
    uint32_t nforward;
    NodeId *writes; /* top-level nodes of in that write inputs back */
    uint32_t nwrites;
    Pieces pieces;
    Map names; /* of live values, to keep new ones unique */
    Arg *outputs;
    uint32_t noutputs;
    bool partial; /* an application was left out */
};

static VjpFn *const prim_rules[PRIM_COUNT] = {
#define PRIM(name, signature, facts, shape, kernel, gradient, ...) [PRIM_##name] = vjp_##gradient,
#include "prims.def"
#undef PRIM
};

bool op_has_gradient(const Op *prim)
{
    return prim->id < PRIM_COUNT && prim_rules[prim->id] != vjp_none &&
           prim_rules[prim->id] != vjp_zero;
}

static const struct {
    const char *name;
    VjpFn *rule;
} composite_rules[] = {
#define COMPOSITE(name, rule) {#name, vjp_##rule},
#include "composites.def"
#undef COMPOSITE
};

/* The rule of a composite, NULL when it is to be opened. */
static VjpFn *composite_rule(const Op *op)
{
    for (size_t i = 0; op->language == LANG_torch && i < ARRAY_LEN(composite_rules); i++)
        if (str_is(str_from(op->name), composite_rules[i].name))
            return composite_rules[i].rule;
    return NULL;
}

/* -------------------------------------------------------------------------------- what rules do */

bool vjp_wants(const Vjp *v, Arg x)
{
    return arg_is_value(x) && x.v < v->g->in->nvalues && v->g->active[x.v];
}

/* Gradients of complex numbers point along the steepest ascent, as PyTorch's do: what flows back
 * through f is multiplied by the conjugate of its derivative. A rule multiplies by the derivative
 * itself; so it is given the conjugate of the cotangent, and its shares are conjugated. */
static Arg conjugate(Build *b, Arg x)
{
    if (!arg_is_tensor(b, x) || !dtype_is_complex((DType)arg_type(b, x).dtype))
        return x;
    return emit(b, complex, emit(b, real, x), emit(b, neg, emit(b, imag, x)));
}

/* A value that is cast to a narrower dtype is read through that cast as often as it is read, and
 * pass cse may have joined casts of it: the shares add up in its own dtype, as they do behind as
 * many casts. Only an input has one cast in PyTorch too (core/lang/autocast.c). */
static void note_narrowing(Grad *g, NodeId n)
{
    const Node *node = &g->in->nodes[n];
    if (!node_is_prim(node, PRIM_convert_element_type) || !arg_is_value(node->args[0]))
        return;
    const Value *from = &g->in->values[node->args[0].v], *to = &g->in->values[node->out.v];
    DType own = (DType)from->type.dtype, low = (DType)to->type.dtype;
    bool narrower = dtype_is_float(own) && dtype_is_float(low) &&
                    dtype_info[low].bytes < dtype_info[own].bytes;
    bool inner = to->producer != n; /* of a composite, which rounds its result once */
    if (narrower && !inner && from->producer != NO_NODE)
        g->sum_in[node->out.v] = (uint8_t)own;
}

static Arg to_sum(Grad *g, ValueId v, Arg cot)
{
    return g->sum_in[v] ? cl_to(&g->b, cot, (DType)g->sum_in[v]) : cot;
}

void vjp_give(Vjp *v, Arg x, Arg cot)
{
    Build *b = v->b;
    if (b->failed || arg_is_none(cot) || !vjp_wants(v, x))
        return;
    Type want = arg_type(b, x);
    if (!arg_is_tensor(b, cot))
        cot = cl_full_like(b, x, cot);
    Type have = arg_type(b, cot);
    if (!b->failed && !type_same_shape(&want, &have)) {
        StrBuf text = {0};
        type_print(&have, NULL, &text);
        build_error(b, -1, "internal: the gradient rule of %s gives %s", v->op->name,
                    sb_cstr(&text));
        sb_free(&text);
        return;
    }
    if (v->conjugated)
        cot = conjugate(b, cot);
    cot = cl_to(b, cot, (DType)want.dtype); /* of a complex number for a real one, the real part */
    cot = to_sum(v->g, x.v, cot);
    Arg *sum = &v->g->cot[x.v];
    bool first = arg_is_none(*sum) || INJECT(grad_term, v->g->in->values[x.v].name);
    pieces_note(&v->g->pieces, b, cot);
    *sum = first ? cot : pieces_sum(&v->g->pieces, b, *sum, cot);
}

void vjp_unsupported(Vjp *v, const char *why)
{
    if (v->b->failed)
        return;
    v->b->failed = true;
    StrBuf name = {0};
    op_qualified_name(v->op, &name);
    DiagItem *item = diag_error(v->b->diag, DIAG_compile, v->b->span, "unsupported-gradient",
                                "no gradient of %s: %s", sb_cstr(&name), why);
    diag_where(v->b->diag, item, "pass joint, op %s", sb_cstr(&name));
    diag_help(v->b->diag, item, "grad off");
    sb_free(&name);
}

/* ---------------------------------------------------------------------------- what is asked for */

static bool may_have_grad(const Value *v)
{
    return v->type.kind == VALUE_tensor && dtype_is_inexact((DType)v->type.dtype);
}

/* Whether the list (names between commas or spaces) has this one. */
static bool list_has(Str list, Str name)
{
    for (size_t i = 0; i < list.n;) {
        size_t end = i;
        while (end < list.n && list.p[end] != ',' && list.p[end] != ' ')
            end++;
        if (str_eq(str_sub(list, i, end - i), name))
            return true;
        i = end + 1;
    }
    return false;
}

bool grad_requested(const Trace *t, uint32_t input, Str wrt)
{
    const Value *v = &t->values[t->inputs[input]];
    return may_have_grad(v) && (str_is(wrt, "all") || list_has(wrt, v->name));
}

/* Every name of the list must be a floating input. */
static bool names_are_inputs(Grad *g, Str wrt)
{
    for (size_t i = 0; i < wrt.n && !str_is(wrt, "all");) {
        size_t end = i;
        while (end < wrt.n && wrt.p[end] != ',' && wrt.p[end] != ' ')
            end++;
        Str name = str_sub(wrt, i, end - i);
        bool found = name.n == 0;
        for (uint32_t k = 0; k < g->in->ninputs && !found; k++)
            found = str_eq(g->in->values[g->in->inputs[k]].name, name) &&
                    may_have_grad(&g->in->values[g->in->inputs[k]]);
        if (!found) {
            DiagItem *item = diag_error(g->c->diag, DIAG_compile, (Span){0}, "no-input",
                                        "%.*s is no floating-point input", STR(name));
            diag_where(g->c->diag, item, "pass joint");
            diag_help(g->c->diag, item, "inputs");
            return false;
        }
        i = end + 1;
    }
    return true;
}

/* ---------------------------------------------------------------------------- active and needed */

typedef struct Spread {
    bool *set;
    bool any;
} Spread;

static void look(ValueId v, void *user)
{
    Spread *s = user;
    s->any |= s->set[v];
}

static void mark(ValueId v, void *user)
{
    ((Spread *)user)->set[v] = true;
}

static void mark_differentiable(ValueId v, void *user)
{
    Grad *g = user;
    g->active[v] |= may_have_grad(&g->in->values[v]);
}

static void mark_linked(ValueId v, void *user)
{
    Grad *g = user;
    g->linked[v] |= may_have_grad(&g->in->values[v]);
}

static Arg all_args(const Node *n)
{
    return (Arg){.kind = ARG_tuple, .n = n->nargs, .items = n->args};
}

static void find_active(Grad *g, Str wrt)
{
    for (uint32_t i = 0; i < g->in->ninputs; i++)
        g->active[g->in->inputs[i]] = grad_requested(g->in, i, wrt);
    for (NodeId i = 0; i < g->in->nnodes; i++) {
        const Node *n = &g->in->nodes[i];
        if (n->op->flags & OP_NO_GRAD) {
            i += n->span - 1;
            continue;
        }
        if (n->span != 1)
            continue;
        Spread s = {g->active, false};
        arg_each_value(all_args(n), look, &s);
        if (s.any)
            arg_each_value(n->out, mark_differentiable, g);
    }
}

static void find_needed(Grad *g)
{
    Spread s = {g->needed, false};
    arg_each_value(g->in->output, mark, &s);
    for (NodeId i = g->in->nnodes; i-- > 0;) {
        const Node *n = &g->in->nodes[i];
        if (n->span != 1)
            continue;
        s.any = false;
        arg_each_value(n->out, look, &s);
        if (s.any)
            arg_each_value(all_args(n), mark, &s);
    }
}

/* Inputs that an operator of the program turns into a floating-point result on the way to an output
 * have a gradient, be it zero (copysign, floor, an empty piece of cat); others have none. */
static void find_linked(Grad *g)
{
    for (uint32_t i = 0; i < g->noutputs; i++)
        if (arg_is_value(g->outputs[i]))
            g->linked[g->outputs[i].v] = may_have_grad(&g->in->values[g->outputs[i].v]);
    NodeId *top = new_array(&g->scratch, NodeId, g->in->nnodes + 1);
    uint32_t n = 0;
    for_top(g->in, i)
        top[n++] = i;
    while (n-- > 0) {
        const Node *node = &g->in->nodes[top[n]];
        Spread s = {g->linked, false};
        if (node->op->flags & (OP_CREATION | OP_NO_GRAD | OP_CONTROL))
            continue;
        arg_each_value(node->out, look, &s);
        if (s.any)
            arg_each_value(all_args(node), mark_linked, g);
    }
}

static void look_both(ValueId v, void *user)
{
    const Grad *g = ((void **)user)[0];
    bool *any = ((void **)user)[1];
    *any |= g->active[v] && g->needed[v];
}

/* Whether a gradient flows through some part of node n. */
static bool takes_part(Grad *g, NodeId n)
{
    bool any = false;
    for (NodeId i = n; i < n + g->in->nodes[n].span && !any; i++)
        if (g->in->nodes[i].span == 1)
            arg_each_value(g->in->nodes[i].out, look_both, (void *[]){g, &any});
    return any;
}

/* --------------------------------------------------------------------------------- forward part */

/* The tree with value `from` replaced by `to`. */
static Arg replaced(Trace *t, Arg a, ValueId from, ValueId to)
{
    uint32_t n = arg_nitems(a);
    if (a.kind == ARG_value && a.v == from)
        return A_VALUE(to);
    if (n == 0)
        return a;
    Arg *items = new_array(&t->arena, Arg, n);
    for (uint32_t i = 0; i < n; i++)
        items[i] = replaced(t, a.items[i], from, to);
    a.items = items;
    return a;
}

/* A composite whose rule wants more of it than its result: a call that gives both stands in its
 * place, and makes the same value. */
static bool augmented(Grad *g, NodeId n)
{
    const Node *node = &g->in->nodes[n];
    NodeId at = g->t->nnodes;
    Arg result;
    g->b.span = node->src;
    g->b.loc = node->loc;
    g->b.flags = node->flags & NF_REGION;
    bool done = composite_augment(&g->b, node, g->active, &result) && !g->b.failed;
    g->b.flags = 0;
    if (!done)
        return false;
    ValueId made = first_value(result);
    for (NodeId i = at; i < g->t->nnodes; i++) {
        Node *copy = &g->t->nodes[i];
        Arg args = {.kind = ARG_tuple, .n = copy->nargs, .items = copy->args};
        copy->args = replaced(g->t, args, made, node->out.v).items;
        copy->out = replaced(g->t, copy->out, made, node->out.v);
    }
    g->forward[g->nforward++] = at;
    return true;
}

static void forward_node(Grad *g, NodeId n)
{
    const Node *node = &g->in->nodes[n];
    if (node_is_del(node))
        return;
    if (!takes_part(g, n)) {
        trace_copy_node(g->t, g->in, n, NULL);
        return;
    }
    if (node->span == 1 ||
        (composite_rule(node->op) && composite_fits(g->in, node, g->active, g->needed))) {
        g->forward[g->nforward++] = trace_copy_node(g->t, g->in, n, NULL);
        note_narrowing(g, n);
        return;
    }
    if (augmented(g, n))
        return;
    for_sub(g->in, n, i)
        forward_node(g, i);
}

static bool refuse_write(Grad *g, NodeId n)
{
    const Node *node = &g->in->nodes[n];
    DiagItem *item = diag_error(g->c->diag, DIAG_compile, node->src, "unsupported-gradient",
                                "gradients need a program without in-place operators");
    diag_where(g->c->diag, item, "pass joint, op %s", node->op->name);
    diag_help(g->c->diag, item, "pass fuel inplace all");
    return false;
}

static bool forward_part(Grad *g)
{
    for_top(g->in, n) {
        if (pass_interrupted(g->c))
            return false;
        if (!(subtree_flags(g->in, n) & OP_IN_PLACE)) {
            forward_node(g, n);
            continue;
        }
        if (!node_is_prim(&g->in->nodes[n], PRIM_copy_))
            return refuse_write(g, n);
        g->writes[g->nwrites++] = n;
    }
    return true;
}

/* ----------------------------------------------------------------------------------- cotangents */

/* base, or base_2, base_3, ... when there is a value of that name. */
static Str unique_name(Grad *g, Str base)
{
    Str name = base;
    bool is_new;
    for (uint32_t k = 2;; k++) {
        map_put(&g->names, name, &is_new);
        if (is_new)
            return name;
        name = arena_printf(&g->t->arena, "%.*s_%u", STR(base), k);
    }
}

static void collect_names(Grad *g)
{
    for (ValueId v = 1; v < g->t->nvalues; v++)
        map_put(&g->names, g->t->values[v].name, NULL);
}

static void add_cot(Grad *g, ValueId v, Arg cot)
{
    Arg *sum = &g->cot[v];
    cot = to_sum(g, v, cot);
    *sum = arg_is_none(*sum) ? cot : emit(&g->b, add, *sum, cot);
}

/* A cotangent for each output that a gradient flows to. In a joint trace the program's own outputs
 * come first; ones are those of the gradients, so that the gradient of the gradients comes out. */
static void start(Grad *g)
{
    bool ones = str_is(pass_option(g->c, "cotangents", "given"), "ones");
    uint32_t own = g->in->kind == TRACE_joint ? arg_leaves(g->in->output.items[0]) : 0;
    for (uint32_t i = 0, number = 0; i < g->noutputs; i++) {
        Arg out = g->outputs[i];
        if (arg_is_none(out)) /* has no number, as among recorded outputs */
            continue;
        uint32_t at = number++;
        if (!arg_is_value(out) || !g->active[out.v] || (ones && at < own))
            continue;
        Arg cot;
        if (ones) {
            cot = cl_full_like(&g->b, out, A_FLOAT(1));
        } else {
            Str name = unique_name(g, arena_printf(&g->t->arena, "cot_%u", at));
            cot = A_VALUE(trace_add_input(g->t, g->t->values[out.v].type, name));
        }
        add_cot(g, out.v, cot);
    }
}

/* What is written back to an input is an output under another name. */
static void start_writes(Grad *g)
{
    for (uint32_t i = 0; i < g->nwrites; i++) {
        const Node *n = &g->in->nodes[g->writes[i]];
        if (arg_is_value(n->out) && arg_is_value(n->args[0]) && g->active[n->out.v] &&
            !arg_is_none(g->cot[n->out.v]))
            add_cot(g, n->args[0].v, g->cot[n->out.v]);
    }
}

/* -------------------------------------------------------------------------------- backward part */

static VjpFn *rule_of(const Op *op)
{
    return op->language == LANG_prims ? prim_rules[op->id] : composite_rule(op);
}

static const char *refusal(const Grad *g, const Node *n, ValueId out)
{
    bool complex = dtype_is_complex((DType)g->t->values[out].type.dtype);
    if (complex && node_is_prim(n, PRIM_sign))
        return "the direction of a complex number has no derivative";
    return rule_of(n->op) ? NULL : "its meaning is not known";
}

/* Applies the rule of node n of t; false after an error or an interruption. */
static bool back_node(Grad *g, NodeId n)
{
    Node node = g->t->nodes[n]; /* a copy: nodes move as rules emit */
    ValueId outs[MAX_OUTPUTS];
    Arg cots[MAX_OUTPUTS];
    uint32_t nouts = arg_values(node.out, outs, MAX_OUTPUTS);
    bool any = false;
    for (uint32_t i = 0; i < nouts && i < MAX_OUTPUTS; i++) {
        /* What a call gives to its own rule (augmented) nobody else reads: no cotangent. */
        cots[i] = outs[i] < g->in->nvalues ? g->cot[outs[i]] : A_NONE;
        any |= !arg_is_none(cots[i]);
    }
    if (!any)
        return true;
    if (nouts > MAX_OUTPUTS)
        nouts = MAX_OUTPUTS;
    ValueId subject = outs[0];
    if (!rule_apply(g->c, node.op->name, subject, 0, "a cotangent reaches %%%.*s",
                    STR(g->t->values[subject].name))) {
        g->partial = true;
        return true;
    }
    bool complex = dtype_is_complex((DType)g->t->values[subject].type.dtype);
    Vjp v = {&g->b, g, node.op, node.args, node.nargs, node.out, cots, complex};
    g->b.span = node.src;
    g->b.loc = node.loc;
    for (uint32_t i = 0; complex && i < nouts; i++)
        cots[i] = conjugate(&g->b, cots[i]);
    const char *why = refusal(g, &node, subject);
    ValueId made = g->t->nvalues;
    if (why)
        vjp_unsupported(&v, why);
    else
        rule_of(node.op)(&v, &g->b, node.args, cots[0]);
    if (g->c->log && g->t->nvalues > made)
        log_at(g->c->log, g->c->log->n - 1)->made = made;
    return !g->b.failed && !pass_interrupted(g->c);
}

/* The outputs, and the gradients behind them. */
static void collect_grads(Grad *g, Str wrt)
{
    Arg *all = new_array(&g->t->arena, Arg, g->in->ninputs + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->in->ninputs; i++) {
        ValueId v = g->in->inputs[i];
        if (!grad_requested(g->in, i, wrt))
            continue;
        Arg grad = g->cot[v];
        if (arg_is_none(grad) && (g->linked[v] || type_numel(&g->in->values[v].type) == 0))
            grad = cl_full_like(&g->b, A_VALUE(v), A_FLOAT(0));
        if (arg_is_value(grad) && !(g->t->values[grad.v].flags & VF_NAMED))
            value_rename(g->t, grad.v,
                         unique_name(g, arena_printf(&g->t->arena, "grad_%.*s",
                                                     STR(g->in->values[v].name))));
        all[n++] = grad;
    }
    const Arg both[2] = {arg_tuple(g->t, g->outputs, g->noutputs), arg_tuple(g->t, all, n)};
    g->t->output = arg_tuple(g->t, both, 2);
}

static bool backward_part(Grad *g, Str wrt)
{
    NodeId first = g->t->nnodes;
    collect_names(g);
    start(g);
    start_writes(g);
    for (uint32_t i = g->nforward; i-- > 0 && !g->partial;)
        if (!back_node(g, g->forward[i]))
            return false;
    if (!g->partial)
        collect_grads(g, wrt);
    for (NodeId i = first; i < g->t->nnodes; i++)
        g->t->nodes[i].flags |= NF_BACKWARD;
    return !g->b.failed;
}

/* Of a training step that came with its backward part, only the parts can be told apart. */
static bool has_no_gradients(Grad *g)
{
    if (trace_end_of_forward(g->in) == NO_NODE)
        return true;
    DiagItem *item = diag_error(g->c->diag, DIAG_usage, (Span){0}, "training-step",
                                "the program has a backward part already, behind end_forward");
    diag_where(g->c->diag, item, "pass joint");
    diag_help(g->c->diag, item, "goto split");
    return false;
}

static bool make_joint(Grad *g)
{
    Str wrt = pass_option(g->c, "wrt", "all");
    if (!names_are_inputs(g, wrt) || !has_no_gradients(g))
        return false;
    find_active(g, wrt);
    find_needed(g);
    find_linked(g);
    if (!forward_part(g) || !backward_part(g, wrt))
        return false;
    for (uint32_t i = 0; i < g->nwrites; i++)
        trace_copy_node(g->t, g->in, g->writes[i], NULL);
    if (!g->partial)
        g->t->kind = TRACE_joint;
    return true;
}

Trace *pass_grad(PassCtx *c, const Trace *in)
{
    Grad g = {.c = c, .in = in, .t = trace_derive(in)};
    g.b = (Build){.t = g.t, .diag = c->diag};
    g.active = new_array(&g.scratch, bool, in->nvalues);
    g.linked = new_array(&g.scratch, bool, in->nvalues);
    g.needed = new_array(&g.scratch, bool, in->nvalues);
    g.cot = new_array(&g.scratch, Arg, in->nvalues);
    g.sum_in = new_array(&g.scratch, uint8_t, in->nvalues);
    g.forward = new_array(&g.scratch, NodeId, in->nnodes + 1);
    g.writes = new_array(&g.scratch, NodeId, in->nnodes + 1);
    g.noutputs = trace_outputs(in, NULL, 0);
    g.outputs = new_array(&g.scratch, Arg, g.noutputs + 1);
    trace_outputs(in, g.outputs, g.noutputs);
    bool done = make_joint(&g);
    map_free(&g.names);
    map_free(&g.pieces.made);
    arena_free(&g.scratch);
    if (done)
        return g.t;
    trace_unref(g.t);
    return NULL;
}
