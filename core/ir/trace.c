/* trace.c - traces and their values: making, deriving, finishing, comparing. */
#include "ir.h"

#include <stdlib.h>
#include <string.h>

Trace *trace_new(const Registry *reg, Str name)
{
    Trace *t = mem_resize(NULL, sizeof *t);
    *t = (Trace){.refs = 1, .reg = reg, .plan_bytes = -1};
    t->name = arena_str(&t->arena, name);
    t->value_cap = 64;
    t->values = mem_resize(NULL, t->value_cap * sizeof *t->values);
    t->values[0] = (Value){.producer = NO_NODE, .offset = -1};
    t->nvalues = 1;
    return t;
}

Trace *trace_ref(const Trace *t)
{
    Trace *mut = (Trace *)t; /* the count is the one thing that changes in a finished trace */
    mut->refs++;
    return mut;
}

void trace_unref(Trace *t)
{
    while (t && --t->refs == 0) {
        Trace *parent = t->parent;
        arena_free(&t->arena);
        free(t->values);
        free(t->nodes);
        free(t->inputs);
        free(t);
        t = parent;
    }
}

Trace *trace_derive(const Trace *parent)
{
    Trace *t = mem_resize(NULL, sizeof *t);
    *t = (Trace){.refs = 1,
                 .parent = trace_ref(parent),
                 .reg = parent->reg,
                 .name = parent->name,
                 .kind = parent->kind,
                 .output = parent->output,
                 .name_counter = parent->name_counter,
                 .norigins = parent->norigins,
                 .data_dependent = parent->data_dependent,
                 .plan_bytes = -1};
    t->nvalues = parent->nvalues;
    t->value_cap = parent->nvalues + 16;
    t->values = mem_resize(NULL, t->value_cap * sizeof *t->values);
    memcpy(t->values, parent->values, t->nvalues * sizeof *t->values);
    t->ninputs = parent->ninputs;
    t->inputs = mem_resize(NULL, (t->ninputs + 1) * sizeof *t->inputs);
    if (t->ninputs)
        memcpy(t->inputs, parent->inputs, t->ninputs * sizeof *t->inputs);
    t->node_cap = parent->nnodes + 16;
    t->nodes = mem_resize(NULL, t->node_cap * sizeof *t->nodes);
    return t;
}

static void set_producer(ValueId v, void *user)
{
    const void **ctx = user;
    Trace *t = (Trace *)ctx[0];
    const NodeId *n = ctx[1];
    if (t->values[v].producer == NO_NODE)
        t->values[v].producer = *n;
}

void trace_finish(Trace *t)
{
    for (ValueId v = 0; v < t->nvalues; v++)
        t->values[v].producer = NO_NODE;
    for (NodeId n = 0; n < t->nnodes; n++)
        arg_each_value(t->nodes[n].out, set_producer, (const void *[]){t, &n});
    for (ValueId v = 1; v < t->nvalues; v++)
        if (t->values[v].producer == NO_NODE)
            t->values[v].type.kind |= 0x80; /* a mark: inputs lose it again below */
    for (uint32_t i = 0; i < t->ninputs; i++) {
        t->values[t->inputs[i]].type.kind &= 0x7f;
        t->values[t->inputs[i]].producer = NO_NODE;
    }
    for (ValueId v = 1; v < t->nvalues; v++)
        if (t->values[v].type.kind & 0x80)
            t->values[v].type.kind = VALUE_dead;
    if (!t->parent)
        t->norigins = t->nvalues;
    t->finished = true;
}

static const char *fresh_prefix(Type type)
{
    switch (type.kind) {
    case VALUE_tensor:
        return "t";
    case VALUE_number:
        return type.dtype == DT_b8          ? "b"
               : dtype_is_exact(type.dtype) ? "i"
               : dtype_is_float(type.dtype) ? "f"
                                            : "c";
    case VALUE_str:
        return "s";
    case VALUE_collection:
        return "C";
    case VALUE_future:
        return "ft";
    default:
        return "any";
    }
}

/* t7, i3, f2, b1, C0 ... */
static Str trace_fresh_name(Trace *t, Type type)
{
    char buf[32];
    size_t at = sizeof buf;
    uint64_t number = t->name_counter++;
    do {
        buf[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    const char *prefix = fresh_prefix(type);
    size_t n = strlen(prefix);
    at -= n;
    memcpy(buf + at, prefix, n);
    return arena_str(&t->arena, (Str){buf + at, sizeof buf - at});
}

ValueId trace_add_value(Trace *t, Type type, Str name)
{
    if (t->nvalues == t->value_cap) {
        t->value_cap *= 2;
        t->values = mem_resize(t->values, t->value_cap * sizeof *t->values);
    }
    ValueId v = t->nvalues++;
    type.shape = arena_copy(&t->arena, type.shape, type.rank * sizeof *type.shape);
    t->values[v] = (Value){.type = type, .producer = NO_NODE, .offset = -1};
    t->values[v].name = name.n ? arena_str(&t->arena, name) : trace_fresh_name(t, type);
    t->values[v].flags = name.n ? VF_NAMED : 0;
    return v;
}

ValueId trace_add_input(Trace *t, Type type, Str name)
{
    ValueId v = trace_add_value(t, type, name);
    t->inputs = mem_resize(t->inputs, (t->ninputs + 1) * sizeof *t->inputs);
    t->inputs[t->ninputs++] = v;
    return v;
}

void value_rename(Trace *t, ValueId v, Str name)
{
    Value *val = &t->values[v];
    if (val->flags & VF_NAMED)
        return;
    val->name = arena_str(&t->arena, name);
    val->flags |= VF_NAMED;
}

ValueId trace_find_value(const Trace *t, Str name)
{
    if (name.n && name.p[0] == '%')
        name = str_sub(name, 1, SIZE_MAX);
    ValueId found = 0;
    for (ValueId v = 1; v < t->nvalues; v++) {
        if (!str_eq(t->values[v].name, name))
            continue;
        if (t->values[v].type.kind != VALUE_dead)
            return v;
        found = v;
    }
    return found;
}

Type type_tensor(Trace *t, DType dtype, Device dev, uint32_t rank, const int64_t *shape)
{
    return (Type){VALUE_tensor, (uint8_t)dtype, dev, rank,
                  arena_copy(&t->arena, shape, rank * sizeof *shape)};
}

Type type_number(DType dtype)
{
    return (Type){.kind = VALUE_number, .dtype = (uint8_t)dtype};
}

bool shape_equal(uint32_t na, const int64_t *a, uint32_t nb, const int64_t *b)
{
    return na == nb && (na == 0 || memcmp(a, b, na * sizeof *a) == 0);
}

bool type_same_shape(const Type *a, const Type *b)
{
    return shape_equal(a->rank, a->shape, b->rank, b->shape);
}

bool type_equal(const Type *a, const Type *b)
{
    return a->kind == b->kind && a->dtype == b->dtype && device_eq(a->device, b->device) &&
           type_same_shape(a, b);
}

int64_t type_numel(const Type *t)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        n *= t->shape[i];
    return n;
}

int64_t type_bytes(const Type *t)
{
    return t->kind == VALUE_tensor && t->dtype < DT_COUNT
               ? type_numel(t) * dtype_info[t->dtype].bytes
               : 0;
}

Type type_own(Arena *a, const Type *t)
{
    Type copy = *t;
    copy.rank = t->kind == VALUE_tensor ? t->rank : 0;
    copy.shape = arena_copy(a, t->shape, copy.rank * sizeof *t->shape);
    return copy;
}

int64_t value_extent(const Value *v)
{
    int64_t size = dtype_info[v->type.dtype].bytes, last = 0, step;
    for (uint32_t i = 0; v->layout && i < v->type.rank; i++)
        if (v->type.shape[i] < 1 || v->layout[i] < 0 ||
            __builtin_mul_overflow(v->type.shape[i] - 1, v->layout[i], &step) ||
            __builtin_add_overflow(last, step, &last) || last > INT64_MAX / 16 - 1)
            return -1;
    return v->layout ? (last + 1) * size : type_bytes(&v->type);
}

static void number_type_print(const Type *t, const Arg *known, StrBuf *out)
{
    static const char *const words[] = {"bool", "int", "float", "complex"};
    sb_printf(out, "%s ", words[dtype_info[t->dtype].category]);
    if (!known || known->kind == ARG_none)
        sb_putc(out, '?');
    else if (known->kind == ARG_bool)
        sb_puts(out, known->i ? "True" : "False");
    else if (known->kind == ARG_int)
        sb_printf(out, "%lld", (long long)known->i);
    else if (known->kind == ARG_float)
        sb_python_float(out, known->f);
    else
        sb_puts(out, "?");
}

void type_print(const Type *t, const Arg *known, StrBuf *out)
{
    static const char *const words[] = {[VALUE_dead] = "dead", [VALUE_str] = "str",
                                        [VALUE_collection] = "Collection", [VALUE_any] = "Any"};
    if (t->kind == VALUE_number) {
        number_type_print(t, known, out);
        return;
    }
    if (t->kind != VALUE_tensor && t->kind != VALUE_future) {
        sb_puts(out, words[t->kind]);
        return;
    }
    if (t->kind == VALUE_future)
        sb_puts(out, "FUTURE ");
    device_print(t->device, out);
    sb_printf(out, " %s[", dtype_info[t->dtype].name);
    for (uint32_t i = 0; i < t->rank; i++)
        sb_printf(out, "%s%lld", i ? ", " : "", (long long)t->shape[i]);
    sb_putc(out, ']');
}

const ValueId *value_origins(const Trace *t, ValueId v, uint32_t *n, ValueId self_storage[1])
{
    const Origins *o = t->values[v].origins;
    if (o) {
        *n = o->n;
        return o->ids;
    }
    uint32_t norigins = t->finished || t->parent ? t->norigins : t->nvalues;
    *n = v < norigins;
    self_storage[0] = v;
    return self_storage;
}

void value_merge_origins(Trace *t, ValueId v, ValueId w)
{
    ValueId sv[1], sw[1];
    uint32_t nv, nw, n = 0;
    const ValueId *a = value_origins(t, v, &nv, sv), *b = value_origins(t, w, &nw, sw);
    Origins *o = arena_alloc(&t->arena, sizeof *o + (nv + nw) * sizeof *o->ids);
    for (uint32_t i = 0, j = 0; i < nv || j < nw;) {
        ValueId next = j == nw || (i < nv && a[i] <= b[j]) ? a[i] : b[j];
        i += i < nv && a[i] == next;
        j += j < nw && b[j] == next;
        o->ids[n++] = next;
    }
    o->n = n;
    t->values[v].origins = o;
}

NodeId trace_add_node(Trace *t, Node node)
{
    if (t->nnodes == t->node_cap) {
        t->node_cap = t->node_cap ? t->node_cap * 2 : 64;
        t->nodes = mem_resize(t->nodes, t->node_cap * sizeof *t->nodes);
    }
    t->nodes[t->nnodes] = node;
    return t->nnodes++;
}

NodeId trace_copy_node(Trace *t, const Trace *from, NodeId n, const ValueId *map)
{
    NodeId first = t->nnodes;
    for (uint32_t i = 0; i < from->nodes[n].span; i++) {
        Node copy = from->nodes[n + i];
        Arg all = {.kind = ARG_tuple, .n = copy.nargs, .items = copy.args};
        copy.args = arg_map(t, all, map).items;
        trace_add_node(t, copy);
    }
    return first;
}

static void collect_outputs(Arg a, Arg *out, uint32_t *n, uint32_t max)
{
    if (!arg_is_seq(a)) {
        if (*n < max)
            out[*n] = a;
        ++*n;
        return;
    }
    for (uint32_t i = 0; i < a.n; i++)
        collect_outputs(a.items[i], out, n, max);
}

uint32_t arg_leaves(Arg a)
{
    uint32_t n = 0;
    collect_outputs(a, NULL, &n, 0);
    return n;
}

uint32_t trace_outputs(const Trace *t, Arg *out, uint32_t max)
{
    uint32_t n = 0;
    Arg a = t->output;
    if (a.kind == ARG_tuple && a.n && a.items[0].kind == ARG_dict)
        a = a.items[0]; /* Thunder's augmented forward: ({...}, saved) */
    if (a.kind == ARG_dict)
        for (uint32_t i = 0; i < a.n; i++)
            if (a.items[2 * i].kind == ARG_str && str_is(arg_str(a.items[2 * i]), "output")) {
                a = a.items[2 * i + 1];
                break;
            }
    collect_outputs(a, out, &n, max);
    return n;
}

/* --------------------------------------------------------------------------------- equality */

typedef struct Compare {
    const Trace *a, *b;
    ValueId *map; /* value of a -> value of b, 0 = not met */
    StrBuf *why;
} Compare;

static bool differ(Compare *c, const char *what, NodeId n)
{
    if (c->why) {
        sb_printf(c->why, "%s differs", what);
        if (n != NO_NODE && n < c->a->nnodes) {
            sb_printf(c->why, " at node %u (", n);
            op_qualified_name(c->a->nodes[n].op, c->why);
            sb_putc(c->why, ')');
        }
    }
    return false;
}

/* Of values of equal rank. */
static bool equal_layout(const Value *v, const Value *w)
{
    if (!v->layout || !w->layout)
        return v->layout == w->layout;
    return memcmp(v->layout, w->layout, v->type.rank * sizeof *v->layout) == 0;
}

static bool equal_value(Compare *c, ValueId x, ValueId y)
{
    if (c->map[x])
        return c->map[x] == y;
    const Value *v = &c->a->values[x], *w = &c->b->values[y];
    c->map[x] = y;
    return str_eq(v->name, w->name) && type_equal(&v->type, &w->type) && v->offset == w->offset &&
           equal_layout(v, w) && arg_equal(v->known, w->known) &&
           ((v->flags ^ w->flags) & (VF_STAR | VF_STAR_STAR)) == 0;
}

static bool equal_arg(Compare *c, Arg x, Arg y)
{
    if (x.kind != y.kind || x.n != y.n)
        return false;
    if (x.kind == ARG_value)
        return equal_value(c, x.v, y.v);
    uint32_t n = arg_nitems(x);
    if (n == 0)
        return arg_equal(x, y);
    for (uint32_t i = 0; i < n; i++)
        if (!equal_arg(c, x.items[i], y.items[i]))
            return false;
    return true;
}

static bool same_cstr(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_loc(const SrcLoc *a, const SrcLoc *b)
{
    if (!a || !b)
        return a == b;
    return str_eq(a->file, b->file) && a->line == b->line;
}

static bool equal_node(Compare *c, NodeId n)
{
    const Node *x = &c->a->nodes[n], *y = &c->b->nodes[n];
    if (x->op->id != y->op->id || x->nargs != y->nargs)
        return differ(c, "operator", n);
    for (uint32_t i = 0; i < x->nargs; i++)
        if (!equal_arg(c, x->args[i], y->args[i]))
            return differ(c, "an argument", n);
    if (!equal_arg(c, x->out, y->out))
        return differ(c, "a result", n);
    if (x->span != y->span)
        return differ(c, "the decomposition", n);
    if (!same_cstr(x->executor, y->executor))
        return differ(c, "the executor", n);
    if ((x->flags & NF_REGION) != (y->flags & NF_REGION))
        return differ(c, "the checkpoint region", n);
    if (!same_loc(x->loc, y->loc))
        return differ(c, "the source line", n);
    return true;
}

static bool equal_all(Compare *c)
{
    if (!str_eq(c->a->name, c->b->name) || c->a->ninputs != c->b->ninputs)
        return differ(c, "the signature", NO_NODE);
    for (uint32_t i = 0; i < c->a->ninputs; i++)
        if (!equal_value(c, c->a->inputs[i], c->b->inputs[i]))
            return differ(c, "an input", NO_NODE);
    for (NodeId n = 0; n < c->a->nnodes && n < c->b->nnodes; n++)
        if (!equal_node(c, n))
            return false;
    if (c->a->nnodes != c->b->nnodes)
        return differ(c, "the number of nodes", NO_NODE);
    if (!equal_arg(c, c->a->output, c->b->output))
        return differ(c, "the output", NO_NODE);
    if (c->a->plan_bytes != c->b->plan_bytes)
        return differ(c, "the memory plan", NO_NODE);
    return true;
}

bool trace_equal(const Trace *a, const Trace *b, StrBuf *why)
{
    Compare c = {a, b, mem_resize(NULL, a->nvalues * sizeof(ValueId)), why};
    memset(c.map, 0, a->nvalues * sizeof(ValueId));
    bool equal = equal_all(&c);
    free(c.map);
    return equal;
}

uint32_t trace_count_top(const Trace *t)
{
    uint32_t count = 0;
    for_top(t, n)
        count++;
    return count;
}

ValueId node_result(const Trace *t, NodeId n)
{
    ValueId v = 0;
    if (n != NO_NODE)
        arg_values(t->nodes[n].out, &v, 1);
    return v;
}

Str node_kernel(const Node *n)
{
    bool is_kernel = n->op->language == LANG_prims && n->op->id == PRIM_call &&
                     n->args[0].kind == ARG_str;
    return is_kernel ? arg_str(n->args[0]) : S("");
}

Str statement_name(const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    Str kernel = node_kernel(node);
    ValueId v = node_result(t, n);
    return kernel.n ? kernel : v ? t->values[v].name : str_from(node->op->name);
}

bool trace_is_input(const Trace *t, ValueId v)
{
    for (uint32_t i = 0; i < t->ninputs; i++)
        if (t->inputs[i] == v)
            return true;
    return false;
}

typedef struct Sought {
    ValueId v;
    bool found;
} Sought;

static void seek(ValueId v, void *user)
{
    Sought *s = user;
    s->found |= v == s->v;
}

bool arg_has_value(Arg a, ValueId v)
{
    Sought s = {.v = v};
    arg_each_value(a, seek, &s);
    return s.found;
}

bool node_makes(const Node *n, ValueId v)
{
    return arg_has_value(n->out, v);
}

bool node_reads(const Node *n, ValueId v)
{
    return arg_has_value((Arg){.kind = ARG_tuple, .n = n->nargs, .items = n->args}, v);
}

NodeId trace_owner(const Trace *t, ValueId v)
{
    for_top(t, n)
        for (NodeId i = n; i < n + t->nodes[n].span && !(t->nodes[n].op->flags & OP_CONTROL); i++)
            if (node_makes(&t->nodes[i], v))
                return n;
    return NO_NODE;
}

NodeId trace_find_kernel(const Trace *t, Str name)
{
    for_top(t, n)
        if (t->nodes[n].op->id == PRIM_call && str_eq(arg_str(t->nodes[n].args[0]), name))
            return n;
    return NO_NODE;
}

const Node *node_draw(const Node *n)
{
    for (uint32_t i = 0; i < n->span; i++)
        if (n[i].op->language == LANG_prims && n[i].op->id == PRIM_uniform_philox)
            return &n[i];
    return NULL;
}

bool value_is_over(const Trace *t, ValueId v, ValueId w)
{
    const Value *x = &t->values[v], *y = &t->values[w];
    return t->plan_bytes >= 0 && x->offset >= 0 && x->offset == y->offset &&
           device_eq(x->type.device, y->type.device) &&
           type_bytes(&x->type) == type_bytes(&y->type) && type_bytes(&x->type) > 0;
}

typedef struct Over {
    const Trace *t;
    ValueId result, operand;
} Over;

static void look_over(ValueId v, void *user)
{
    Over *o = user;
    if (!o->operand && value_is_over(o->t, o->result, v))
        o->operand = v;
}

bool node_makes_places(const Node *n)
{
    return !(n->op->flags & (OP_VIEW | OP_IN_PLACE | OP_CONTROL)) && n->op->id != PRIM_cat;
}

ValueId value_over(const Trace *t, NodeId n, ValueId v)
{
    const Node *node = &t->nodes[n];
    Over o = {t, v, 0};
    if (t->values[v].offset < 0 || !node_makes_places(node))
        return 0;
    for (uint32_t i = 0; i < node->nargs; i++)
        arg_each_value(node->args[i], look_over, &o);
    return o.operand;
}
