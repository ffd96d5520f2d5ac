/*
 * verify.c - the specification of a trace as a check.
 *
 * Input: a trace. Output: one diagnostic for each broken law of ir.h, naming op, stage and maker.
 * Types are judged by running the shape rule of every prim again, so this file knows no operator.
 */
#include "ir.h"

#include <stdlib.h>

typedef struct Verify {
    const Trace *t;
    Diag *d;
    uint8_t *defined; /* by value: 1 while it may be used */
    ValueId *stack;   /* values defined at inner levels, to be forgotten when the level ends */
    uint32_t nstack;
    Arena scratch;
    NodeId node;
} Verify;

static void complain(Verify *v, const char *code, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void complain(Verify *v, const char *code, const char *fmt, ...)
{
    const Node *n = v->node < v->t->nnodes ? &v->t->nodes[v->node] : NULL;
    va_list ap;
    va_start(ap, fmt);
    DiagItem *item =
        diag_vadd(v->d, SEV_error, DIAG_compile, n ? n->src : (Span){0}, code, fmt, ap);
    va_end(ap);
    diag_where(v->d, item, "stage %u%s%.*s, %s%s", v->t->stage, v->t->made_by.n ? ", made by " : "",
               STR(v->t->made_by), n ? "op " : "signature", n ? n->op->name : "");
}

static Str value_name(const Verify *v, ValueId id)
{
    return id && id < v->t->nvalues ? v->t->values[id].name : S("?");
}

static void check_use(ValueId id, void *user)
{
    Verify *v = user;
    if (id == 0 || id >= v->t->nvalues)
        complain(v, "bad-value", "value number %u does not exist", id);
    else if (!v->defined[id])
        complain(v, "use-before-definition", "%.*s is used before it is defined, or after del",
                 STR(value_name(v, id)));
}

static void define(ValueId id, void *user)
{
    Verify *v = user;
    if (id == 0 || id >= v->t->nvalues) {
        complain(v, "bad-value", "value number %u does not exist", id);
        return;
    }
    if (v->defined[id])
        complain(v, "two-producers", "%.*s is produced twice", STR(value_name(v, id)));
    v->defined[id] = 1;
    v->stack[v->nstack++ % v->t->nvalues] = id;
}

static void undefine(ValueId id, void *user)
{
    Verify *v = user;
    if (id < v->t->nvalues)
        v->defined[id] = 0;
}

static void check_type(Verify *v, const Infer *inf, uint32_t i, ValueId id)
{
    const Type *have = &v->t->values[id].type;
    if (i >= inf->nout || type_equal(have, &inf->out[i]))
        return;
    StrBuf a = {0}, b = {0};
    type_print(have, NULL, &a);
    type_print(&inf->out[i], NULL, &b);
    complain(v, "wrong-type", "%.*s has type %s, but the shape rule says %s",
             STR(value_name(v, id)), sb_cstr(&a), sb_cstr(&b));
    sb_free(&a);
    sb_free(&b);
}

static void check_prim(Verify *v, const Node *n)
{
    Infer inf;
    ValueId outs[MAX_OUTPUTS];
    if (!n->op->shape || (n->op->flags & OP_OPAQUE))
        return;
    ArenaMark mark = arena_mark(&v->scratch);
    if (!op_infer(v->t, &v->scratch, n->op, n->args, &inf)) {
        complain(v, "bad-argument", "%.*s", STR(inf.error));
    } else {
        uint32_t count = arg_values(n->out, outs, MAX_OUTPUTS);
        if (count != inf.nout)
            complain(v, "wrong-type", "has %u result%s, the shape rule says %u", count,
                     plural(count), inf.nout);
        for (uint32_t i = 0; i < count && i < MAX_OUTPUTS; i++)
            check_type(v, &inf, i, outs[i]);
    }
    arena_release(&v->scratch, mark);
}

static void verify_range(Verify *v, NodeId from, NodeId end);

/* The sub-nodes must define every result of their parent; what else they define stays inside. */
static void verify_inside(Verify *v, NodeId n)
{
    const Node *node = &v->t->nodes[n];
    uint32_t level = v->nstack;
    verify_range(v, n + 1, n + node->span);
    v->node = n;
    arg_each_value(node->out, check_use, v);
    while (v->nstack > level)
        v->defined[v->stack[--v->nstack]] = 0;
}

static void verify_range(Verify *v, NodeId from, NodeId end)
{
    for (NodeId n = from; n < end;) {
        const Node *node = &v->t->nodes[n];
        v->node = n;
        if (node->span == 0 || n + node->span > end) {
            complain(v, "bad-span", "sub-nodes reach past the end of their parent");
            return;
        }
        for (uint32_t i = 0; i < node->nargs; i++)
            arg_each_value(node->args[i], check_use, v);
        if (node->span > 1)
            verify_inside(v, n);
        else
            check_prim(v, node);
        v->node = n;
        arg_each_value(node->out, define, v);
        if (node->op->id == PRIM_python_del)
            arg_each_value(node->args[0], undefine, v);
        n += node->span;
    }
}

bool trace_verify(const Trace *t, Diag *d)
{
    uint32_t before = d->nerrors;
    Verify v = {.t = t, .d = d, .node = NO_NODE};
    v.defined = calloc(t->nvalues + 1, 1);
    v.stack = calloc(t->nvalues + 1, sizeof *v.stack);
    if (!v.defined || !v.stack)
        abort();
    for (uint32_t i = 0; i < t->ninputs; i++)
        define(t->inputs[i], &v);
    verify_range(&v, 0, t->nnodes);
    v.node = NO_NODE;
    arg_each_value(t->output, check_use, &v);
    free(v.defined);
    free(v.stack);
    arena_free(&v.scratch);
    return d->nerrors == before;
}
