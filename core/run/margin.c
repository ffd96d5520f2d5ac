/*
 * margin.c - see margin.h. Each prim is emitted once for its exact result (make_leaf), and beside
 * it the bound of its error; the operands are inputs of the trace, widened.
 */
#include "making.h"

#include "run.h"

#include <stdlib.h>

/* ---------------------------------------------------------------------------------------- prims */

/* What a prim gives depends on how its operands lie in memory: it is computed in their own dtypes,
 * and exact, when they are. */
static bool is_of_bits(const Op *op)
{
    return op->id == PRIM_bitcast || op->id == PRIM_nextafter;
}

/* Why nothing can be said about a prim; NULL when it can. */
static const char *refusal(const Trace *t, const Node *n, bool plain)
{
    ValueId all[64];
    Arg both[2] = {{.kind = ARG_tuple, .n = n->nargs, .items = n->args}, n->out};
    uint32_t count = arg_values((Arg){.kind = ARG_tuple, .n = 2, .items = both}, all,
                                ARRAY_LEN(all));
    if (n->op->flags & (OP_HOST | OP_UNPACK | OP_CHECK | OP_COLLECTIVE | OP_OPAQUE))
        return "computes no tensor that can be followed";
    if ((n->op->flags & OP_RANDOM) && arg_is_none(n->args[n->nargs - 1]))
        return "draws numbers without a seed";
    if (n->op->id == PRIM_empty)
        return "gives what was in memory";
    if (plain && (is_of_bits(n->op) || n->op->id == PRIM_svd))
        return "gives another thing in double precision";
    if ((n->op->flags & OP_IN_PLACE) && n->op->id != PRIM_copy_)
        return "writes in place";
    if (count > ARRAY_LEN(all))
        return "has too many operands";
    for (uint32_t i = 0; i < count; i++) {
        const Type *type = &t->values[all[i]].type;
        if (dtype_is_complex((DType)type->dtype))
            return "is of complex numbers";
        if (type->kind != VALUE_tensor && type->kind != VALUE_number)
            return "has operands that are no tensors";
    }
    return NULL;
}

/* The exact result of a cast among floats is its operand; of a write, what is written. */
static bool is_renamed(Making *m, NodeId leaf)
{
    const Node *n = &m->from->nodes[leaf];
    bool cast = n->op->id == PRIM_convert_element_type && n->args[1].kind == ARG_dtype &&
                dtype_is_float((DType)n->args[1].dtype);
    return (cast && mg_is_float(m, mg_exact(m, leaf, 0))) || n->op->id == PRIM_copy_;
}

static bool has_wrong_operand(Making *m, NodeId leaf)
{
    bool any = false;
    for (uint32_t i = 0; i < m->from->nodes[leaf].nargs; i++)
        any |= !arg_is_none(mg_error(m, leaf, i));
    return any;
}

/* The exact results of a prim, in double precision where they are floats. */
static Arg exact_results(Making *m, NodeId leaf)
{
    const Op *op = m->from->nodes[leaf].op;
    Pick p = {.which = is_of_bits(op) ? WHICH_own : WHICH_exact, .leaf = leaf};
    if (is_of_bits(op) && has_wrong_operand(m, leaf)) {
        m->refused = "reads the bits of a value that is rounded inside";
        return A_NONE;
    }
    Arg result = is_renamed(m, leaf) ? mg_exact(m, leaf, 0) : mg_emit(m, &p);
    return !m->b.failed && mg_is_float(m, result) ? mg_f64(m, result) : result;
}

static void make_leaf(Making *m, NodeId leaf)
{
    const Node *n = &m->from->nodes[leaf];
    ValueId outs[MAX_OUTPUTS], made[MAX_OUTPUTS];
    uint32_t count = arg_values(n->out, outs, MAX_OUTPUTS);
    Arg errors[MAX_OUTPUTS] = {{0}};
    bool needed = false;
    for (uint32_t i = 0; i < count; i++)
        needed |= m->c->need[outs[i]] != NULL;
    if (!needed)
        return;
    Arg result = exact_results(m, leaf);
    if (m->b.failed || arg_values(result, made, MAX_OUTPUTS) != count) {
        m->refused = m->refused ? m->refused : "gives no tensors in double precision";
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        m->exact[outs[i]] = A_VALUE(made[i]);
    if (m->plain)
        return;
    if (n->op->id == PRIM_copy_)
        errors[0] = mg_error(m, leaf, 0);
    else
        mg_propagate(m, leaf, made, count, errors);
    for (uint32_t i = 0; i < count; i++) {
        DType d = (DType)m->from->values[outs[i]].type.dtype;
        if (!is_of_bits(n->op))
            m->error[outs[i]] = mg_sum(m, errors[i], mg_rounding(m, leaf, A_VALUE(made[i]), i, d));
    }
}
/* --------------------------------------------------------------------------------------- inputs */

static Arg add_input(Making *m, Margin *out, ValueId v, bool result)
{
    const Value *value = &m->from->values[v];
    const Box *box = result || value->type.kind == VALUE_tensor ? m->c->need[v] : NULL;
    Type type = value->type;
    if (box)
        type.shape = box->size;
    ValueId x = trace_add_input(m->b.t, type, (Str){0});
    out->inputs[m->b.t->ninputs - 1] = v;
    out->boxes[m->b.t->ninputs - 1] = (Box *)box;
    return A_VALUE(x);
}

typedef struct Reading {
    Making *m;
    Margin *out;
} Reading;

static void read_value(ValueId v, void *user)
{
    const Reading *r = user;
    Making *m = r->m;
    if (!arg_is_none(m->exact[v]) || !m->c->need[v])
        return;
    const Value *value = &m->from->values[v];
    m->exact[v] = arg_is_number(value->known) ? value->known : add_input(m, r->out, v, false);
}

static void read_number(ValueId v, void *user)
{
    const Reading *r = user;
    const Value *value = &r->m->from->values[v];
    if (value->type.kind == VALUE_number && arg_is_none(r->m->exact[v]))
        r->m->exact[v] = arg_is_number(value->known) ? value->known
                                                     : add_input(r->m, r->out, v, false);
}

static void widen_inputs(Making *m)
{
    for (ValueId v = 1; v < m->from->nvalues; v++)
        if (m->exact[v].kind == ARG_value && mg_type(m, m->exact[v])->kind == VALUE_tensor &&
            mg_is_float(m, m->exact[v]))
            m->exact[v] = mg_f64(m, m->exact[v]);
}

/* Values that are read before the statement makes them come from outside. */
static void add_operands(Making *m, Margin *out)
{
    bool *made = new_array(m->c->arena, bool, m->from->nvalues);
    for (uint32_t i = 0; i < m->c->nleaves; i++) {
        const Node *n = &m->from->nodes[m->c->leaves[i]];
        ValueId in[64], outs[MAX_OUTPUTS];
        uint32_t nin = arg_values((Arg){.kind = ARG_tuple, .n = n->nargs, .items = n->args}, in,
                                  ARRAY_LEN(in));
        Reading r = {m, out};
        for (uint32_t k = 0; k < nin; k++) {
            read_number(in[k], &r);
            if (!made[in[k]])
                read_value(in[k], &r);
        }
        uint32_t nout = arg_values(n->out, outs, MAX_OUTPUTS);
        for (uint32_t k = 0; k < nout && k < MAX_OUTPUTS; k++)
            made[outs[k]] = true;
    }
    widen_inputs(m);
}

uint32_t statement_leaves(const Trace *t, NodeId n, NodeId *out)
{
    uint32_t count = 0;
    for (NodeId i = n; i < n + t->nodes[n].span; i++) {
        const Node *node = &t->nodes[i];
        bool leaf = node->span == 1 && node->op->language == LANG_prims &&
                    !(node->op->flags & OP_CONTROL);
        if (leaf && out)
            out[count] = i;
        count += leaf;
    }
    return count;
}

/* The operands and the prims, in double precision. */
static Margin begin(Making *m, const Cone *c, uint32_t nouts, Diag *d)
{
    const Trace *t = c->t;
    Margin out = {.t = NULL};
    m->c = c;
    m->from = t;
    m->b = (Build){.t = trace_new(t->reg, S("margin")), .diag = d};
    m->exact = new_array(c->arena, Arg, t->nvalues);
    m->error = new_array(c->arena, Arg, t->nvalues);
    out.inputs = new_array(c->arena, ValueId, t->nvalues + nouts);
    out.boxes = new_array(c->arena, Box *, t->nvalues + nouts);
    add_operands(m, &out);
    return out;
}

static void finish(Making *m, Margin *out, const Arg *results, uint32_t n, Diag *d)
{
    if (m->b.failed && !m->refused)
        m->refused = arena_str(m->c->arena, d->first ? d->first->message : S("")).p;
    m->b.t->output = arg_tuple(m->b.t, results, n);
    trace_finish(m->b.t);
    out->t = m->b.t;
    if (m->refused) {
        trace_unref(m->b.t);
        out->t = NULL;
        out->refused = m->refused;
    }
    diag_clear(d);
}

static const char *refusal_of(const Cone *c, bool plain)
{
    const char *why = NULL;
    for (uint32_t i = 0; i < c->nleaves && !why; i++)
        why = refusal(c->t, &c->t->nodes[c->leaves[i]], plain);
    return why;
}

const char *statement_refusal(const Cone *c)
{
    return refusal_of(c, true);
}

static uint32_t add_output(Arg x, Arg *outputs, uint32_t *n)
{
    outputs[*n] = x;
    return arg_is_none(x) ? MARGIN_NONE : (*n)++;
}

static void add_result(Making *m, ValueId v, Arg got, MarginResult *r, Arg *outputs, uint32_t *n)
{
    Arg may = A_NONE, off = arg_is_none(got) ? A_NONE : mg_open_off(m, v, got, &may);
    if (arg_is_none(off))
        may = m->error[v];
    r->exact = add_output(m->exact[v], outputs, n);
    r->bound = add_output(may, outputs, n);
    r->off = add_output(off, outputs, n);
}

Margin margin_trace(const Cone *c, const ValueId *outs, uint32_t nouts)
{
    Diag d = {0};
    Making m = {.refused = NULL};
    const char *why = refusal_of(c, false);
    if (why || c->nleaves == 0)
        return (Margin){.refused = why};
    m.coarse = true;
    for (uint32_t i = 0; i < nouts; i++)
        m.coarse = m.coarse && dtype_info[c->t->values[outs[i]].type.dtype].bytes < 4;
    Margin out = begin(&m, c, nouts, &d);
    Arg *got = new_array(c->arena, Arg, nouts + 1), *results = new_array(c->arena, Arg,
                                                                         3 * nouts + 1);
    out.results = new_array(c->arena, MarginResult, nouts + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < nouts; i++)
        got[i] = mg_is_open(&m, outs[i]) ? add_input(&m, &out, outs[i], true) : A_NONE;
    for (uint32_t i = 0; i < c->nleaves && !m.refused; i++)
        make_leaf(&m, c->leaves[i]);
    for (uint32_t i = 0; i < nouts && !m.refused; i++)
        add_result(&m, outs[i], got[i], &out.results[i], results, &n);
    finish(&m, &out, results, n, &d);
    return out;
}

Margin exact_trace(const Cone *c, const ValueId *outs, uint32_t nouts)
{
    Diag d = {0};
    Making m = {.plain = true};
    const char *why = statement_refusal(c);
    if (why || c->nleaves == 0)
        return (Margin){.refused = why};
    Margin out = begin(&m, c, nouts, &d);
    Arg *results = new_array(c->arena, Arg, nouts + 1);
    for (uint32_t i = 0; i < c->nleaves && !m.refused; i++)
        make_leaf(&m, c->leaves[i]);
    for (uint32_t i = 0; i < nouts && !m.refused; i++)
        results[i] = m.exact[outs[i]];
    finish(&m, &out, results, nouts, &d);
    return out;
}

Tensor **margin_inputs(const Margin *m, Tensor *const *values)
{
    Tensor **inputs = run_realloc(NULL, (m->t->ninputs + 1) * sizeof *inputs);
    for (uint32_t i = 0; i < m->t->ninputs; i++) {
        Tensor *x = values[m->inputs[i]];
        inputs[i] = !x ? NULL : m->boxes[i] ? box_of(x, m->boxes[i]) : tensor_ref(x);
    }
    return inputs;
}

void margin_inputs_free(const Margin *m, Tensor **inputs)
{
    for (uint32_t i = 0; i < m->t->ninputs; i++)
        tensor_unref(inputs[i]);
    free(inputs);
}
