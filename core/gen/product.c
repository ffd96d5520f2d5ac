/*
 * product.c - reads regions with matrix products; expressions of what stands behind a product.
 */
#include "product.h"

#include "cuda.h"

#include <stdio.h>
#include <string.h>

static bool fail(Products *p, const char *what, ValueId v)
{
    if (!p->failed && p->why) {
        sb_puts(p->why, what);
        if (v)
            sb_printf(p->why, ": %%%.*s", STR(value_get(p->r->t, v)->name));
    }
    p->failed = true;
    return false;
}

static bool is_product(const Node *n)
{
    return n->op->language == LANG_prims &&
           (n->op->id == PRIM_linear || n->op->id == PRIM_matmul);
}

bool region_has_product(const Region *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (is_product(&r->t->nodes[r->nodes[i]]))
            return true;
    return false;
}

const Type *item_type(const Products *p, uint32_t item)
{
    return &value_get(p->r->t, p->items[item].v)->type;
}

DType item_dtype(const Products *p, uint32_t item)
{
    return (DType)item_type(p, item)->dtype;
}

uint32_t item_input(const Products *p, uint32_t item)
{
    uint32_t i = 0;
    while (p->inputs[i] != p->items[item].v)
        i++;
    return i;
}

/* ------------------------------------------------------------------------------------- reading */

static Str key_of(const ValueId *v)
{
    return (Str){(const char *)v, sizeof *v};
}

static uint32_t add_item(Products *p, Item item)
{
    bool fresh;
    item.buffer = item.out = -1;
    map_put(&p->by_value, key_of(&item.v), &fresh)->u = p->nitems + 1;
    p->items[p->nitems] = item;
    return p->nitems++;
}

/* The item that an argument is; one of what is repeated when the argument is that. */
static bool find_item(Products *p, Arg a, uint32_t *item)
{
    const MapEntry *e = a.kind == ARG_value ? map_get(&p->by_value, key_of(&a.v)) : NULL;
    if (!e)
        return false;
    *item = (uint32_t)e->u - 1;
    return true;
}

static bool product_dtype(DType d)
{
    return d == DT_f32 || d == DT_bf16 || d == DT_f16;
}

/* Row-major places of an operand: the rows of all leading dimensions, or a matrix. */
static bool read_operands(Products *p, Segment *s, const Node *n)
{
    const Type *left = item_type(p, s->left), *right = item_type(p, s->right);
    s->columns = n->op->id == PRIM_matmul;
    if (right->rank != 2 || left->rank < 1 || p->items[s->right].kind != ITEM_input)
        return fail(p, "takes products with a matrix that is there before", n->out.v);
    if (s->columns && left->rank < 2)
        return fail(p, "takes products of rows", n->out.v);
    s->n = right->shape[s->columns ? 1 : 0];
    s->k = right->shape[s->columns ? 0 : 1];
    int64_t rows = 1;
    for (uint32_t i = 0; i + 1 < left->rank; i++)
        rows *= left->shape[i];
    if (p->n == 0)
        p->rows = rows;
    if (rows != p->rows || rows <= 0 || s->n <= 0 || s->k <= 0)
        return fail(p, "takes products of the same rows", n->out.v);
    if (!product_dtype((DType)left->dtype) || left->dtype != right->dtype)
        return fail(p, "takes products of f32, bf16 and f16", n->out.v);
    return true;
}

static bool add_side(Products *p, Segment *s, uint32_t item, SideKind kind)
{
    for (uint32_t i = 0; i < s->nsides; i++)
        if (s->sides[i].item == item && s->sides[i].kind == kind)
            return true;
    if (s->nsides == MAX_SIDES)
        return fail(p, "takes few operands behind a product", p->items[item].v);
    s->sides[s->nsides++] = (Side){item, kind};
    return true;
}

static void keep(Item *item, uint32_t reader)
{
    item->kept = true;
    item->last = reader;
}

static bool start_segment(Products *p, uint32_t member)
{
    NodeId node = p->r->nodes[member];
    const Node *n = &p->r->t->nodes[node];
    if (p->n == MAX_SEGMENTS)
        return fail(p, "takes no more products", 0);
    Segment *s = &p->segments[p->n];
    *s = (Segment){.node = node, .bias = -1, .first = member + 1, .end = member + 1};
    if (n->out.kind != ARG_value || !find_item(p, n->args[0], &s->left) ||
        !find_item(p, n->args[1], &s->right) || !read_operands(p, s, n))
        return fail(p, "takes products of tensors", 0);
    uint32_t bias;
    if (n->op->id == PRIM_linear && !arg_is_none(n->args[2])) {
        if (!find_item(p, n->args[2], &bias) || p->items[bias].kind != ITEM_input ||
            item_type(p, bias)->rank != 1)
            return fail(p, "takes a bias that is there before", n->out.v);
        s->bias = (int)bias;
        if (!add_side(p, s, bias, s->n == 1 ? SIDE_number : SIDE_line))
            return false;
    }
    if (p->items[s->left].kind == ITEM_spread)
        return fail(p, "takes products of rows that are there", n->out.v);
    keep(&p->items[s->left], p->n);
    s->result = add_item(p, (Item){.v = n->out.v, .kind = ITEM_made, .node = node,
                                   .segment = p->n});
    p->n++;
    return true;
}

/* An input that a member reads element by element: how it lies beside the result. */
static bool side_kind(const Products *p, const Segment *s, uint32_t item, SideKind *kind)
{
    const Type *type = item_type(p, item);
    int64_t count = type_numel(type);
    int64_t last = type->rank ? type->shape[type->rank - 1] : 1;
    if (count == 1)
        *kind = SIDE_number;
    else if (count == last && last == s->n)
        *kind = SIDE_line;
    else if (count == p->rows * s->n && last == s->n)
        *kind = SIDE_matrix;
    else
        return false;
    return type->kind == VALUE_tensor && cuda_storage((DType)type->dtype) != NULL;
}

static bool read_operand(Products *p, uint32_t segment, Arg a)
{
    uint32_t item;
    SideKind kind;
    Segment *s = &p->segments[segment];
    if (arg_is_number(a) || (a.kind == ARG_value && arg_is_number(value_get(p->r->t, a.v)->known)))
        return true;
    if (!find_item(p, a, &item))
        return fail(p, "takes tensors and numbers behind a product", 0);
    if (p->items[item].kind == ITEM_spread)
        item = p->items[item].of;
    Item *i = &p->items[item];
    if (i->kind == ITEM_head)
        return fail(p, "takes the rows of a product nowhere else", i->v);
    if (i->kind == ITEM_input)
        return (side_kind(p, s, item, &kind) && add_side(p, s, item, kind)) ||
               fail(p, "takes operands of the product's shape, or a line of it", i->v);
    if (i->segment != segment) {
        if (!dtype_is_float(item_dtype(p, item)) || p->segments[i->segment].n != s->n)
            return fail(p, "takes operands of the product's shape", i->v);
        keep(i, segment);
        return add_side(p, s, item, SIDE_kept);
    }
    return true;
}

/* A repetition is read where it is used. What is repeated must lie along the last dimension. */
static bool read_spread(Products *p, const Node *n)
{
    uint32_t of;
    int64_t dims[MAX_RANK];
    const Type *to = &value_get(p->r->t, n->out.v)->type;
    if (!find_item(p, n->args[0], &of) || p->items[of].kind != ITEM_input)
        return fail(p, "repeats inputs only", n->out.v);
    const Type *from = item_type(p, of);
    Arg list = n->args[2];
    bool good = arg_is_seq(list) && list.n == from->rank;
    for (uint32_t i = 0; i < list.n && good; i++) {
        good = list.items[i].kind == ARG_int;
        dims[i] = good ? list.items[i].i : 0;
        bool last = dims[i] + 1 == (int64_t)to->rank;
        good = good && (from->shape[i] == 1 || last);
    }
    if (!good)
        return fail(p, "repeats a line over rows only", n->out.v);
    add_item(p, (Item){.v = n->out.v, .kind = ITEM_spread, .of = of});
    return true;
}

/* f32 of an input in bf16 or f16 is how that is read anyway. */
static bool reads_wider(Products *p, const Node *n)
{
    uint32_t of;
    if (n->op->id != PRIM_convert_element_type || !find_item(p, n->args[0], &of) ||
        p->items[of].kind != ITEM_input || value_get(p->r->t, n->out.v)->type.dtype != DT_f32 ||
        (item_dtype(p, of) != DT_bf16 && item_dtype(p, of) != DT_f16))
        return false;
    add_item(p, (Item){.v = n->out.v, .kind = ITEM_spread, .of = of});
    return true;
}

static bool read_member(Products *p, uint32_t member)
{
    const Trace *t = p->r->t;
    NodeId node = p->r->nodes[member];
    const Node *n = &t->nodes[node];
    if (n->out.kind != ARG_value)
        return fail(p, "takes statements with one result", 0);
    if (n->op->id == PRIM_broadcast_in_dim)
        return read_spread(p, n);
    if (reads_wider(p, n))
        return true;
    bool cast = n->op->id == PRIM_convert_element_type;
    StrBuf none = {0}, *why = p->why && !p->failed ? p->why : &none;
    bool known = cast || ((n->op->flags & OP_ELEMENTWISE) && gen_takes(t, node, why));
    sb_free(&none);
    if (!known || p->n == 0)
        return fail(p, known ? "begins with a product" : "takes elementwise statements", n->out.v);
    uint32_t segment = p->n - 1;
    Segment *s = &p->segments[segment];
    const Type *type = &value_get(t, n->out.v)->type;
    if (type_numel(type) != p->rows * s->n || type->rank == 0 ||
        type->shape[type->rank - 1] != s->n || !cuda_storage((DType)type->dtype))
        return fail(p, "takes statements of the product's shape", n->out.v);
    for (uint32_t k = 0; k < (cast ? 1u : n->nargs); k++)
        if (!read_operand(p, segment, n->args[k]))
            return false;
    add_item(p, (Item){.v = n->out.v, .kind = ITEM_made, .node = node, .segment = segment});
    s->end = member + 1;
    return true;
}

static bool read_outputs(Products *p)
{
    for (uint32_t i = 0; i < p->r->nouts; i++) {
        uint32_t item;
        if (!find_item(p, A_VALUE(p->r->outs[i]), &item) || p->items[item].kind != ITEM_made)
            return fail(p, "gives out results of products only", p->r->outs[i]);
        p->items[item].out = (int)i;
        DType d = item_dtype(p, item);
        bool narrow = d == DT_bf16 || d == DT_f16;
        p->coarse = !narrow || (i && p->coarse == DT_none) ? DT_none
                    : i && p->coarse == DT_f16             ? DT_f16
                                                           : d;
    }
    return true;
}

typedef struct Makers {
    Products *p;
    const Map *by_value;
} Makers;

static void mark_maker(ValueId v, void *user)
{
    const Makers *m = user;
    const MapEntry *e = map_get(m->by_value, key_of(&v));
    if (e)
        m->p->in_head[e->u] = true;
}

static void mark_makers(Products *p, const Map *by_value, Arg a)
{
    Makers m = {p, by_value};
    arg_each_value(a, mark_maker, &m);
}

/* Marks the members that make the rows of the first product: the region of the head. What it makes
 * besides is for itself alone. */
static bool find_head(Products *p)
{
    const Region *r = p->r;
    uint32_t first = 0;
    Map makers = {0};
    bool fresh;
    p->in_head = new_array(&p->arena, bool, r->n + 1);
    for (; first < r->n && !is_product(&r->t->nodes[r->nodes[first]]); first++) {
        ValueId outs[MAX_OUTPUTS];
        uint32_t n = arg_values(r->t->nodes[r->nodes[first]].out, outs, MAX_OUTPUTS);
        for (uint32_t i = 0; i < n && i < MAX_OUTPUTS; i++)
            map_put(&makers, key_of(&outs[i]), &fresh)->u = first;
    }
    if (first < r->n && makers.n)
        mark_makers(p, &makers, r->t->nodes[r->nodes[first]].args[0]);
    for (uint32_t i = first; i-- > 0;)
        for (uint32_t k = 0; p->in_head[i] && k < r->t->nodes[r->nodes[i]].nargs; k++)
            mark_makers(p, &makers, r->t->nodes[r->nodes[i]].args[k]);
    map_free(&makers);
    NodeId *nodes = new_array(&p->arena, NodeId, first + 1);
    p->head = (Region){.t = r->t, .nodes = nodes};
    for (uint32_t i = 0; i < first; i++)
        if (p->in_head[i])
            nodes[p->head.n++] = r->nodes[i];
    if (p->head.n == 0)
        return true;
    Arg rows = r->t->nodes[r->nodes[first]].args[0];
    if (rows.kind != ARG_value)
        return fail(p, "takes products of tensors", 0);
    p->head.outs = arena_copy(&p->arena, &rows.v, sizeof rows.v);
    p->head.nouts = 1;
    add_item(p, (Item){.v = rows.v, .kind = ITEM_head});
    return true;
}

/* The products of a region and what stands around them; false with a reason. */
static bool products_read(Products *p, const Region *r, StrBuf *why)
{
    *p = (Products){.r = r, .why = why};
    p->ninputs = gen_inputs(r, p->inputs);
    if (p->ninputs > MAX_REGION_INPUTS || r->nouts > MAX_OUTPUTS)
        return fail(p, "it would have too many operands or results", 0);
    p->items = new_array(&p->arena, Item, p->ninputs + r->n + 1);
    for (uint32_t i = 0; i < p->ninputs; i++)
        if (value_get(r->t, p->inputs[i])->type.kind != VALUE_tensor)
            return fail(p, "takes tensors only", p->inputs[i]);
        else
            add_item(p, (Item){.v = p->inputs[i], .kind = ITEM_input});
    if (!find_head(p))
        return false;
    for (uint32_t i = 0; i < r->n && !p->failed; i++) {
        if (p->in_head[i])
            continue;
        bool product = is_product(&r->t->nodes[r->nodes[i]]);
        if (product ? !start_segment(p, i) : !read_member(p, i))
            return false;
    }
    return read_outputs(p);
}

static void products_free(Products *p)
{
    map_free(&p->by_value);
    arena_free(&p->arena);
}

/* ------------------------------------------------------------------------------------ printing */

static void print_operand(const Products *p, uint32_t segment, const Node *n, uint32_t k,
                          DType in, StrBuf *out)
{
    uint32_t item = 0;
    Arg a = op_number(p->r->t, n, k);
    if (a.kind != ARG_value) {
        number_print(a, in, out);
        return;
    }
    find_item((Products *)p, a, &item);
    if (p->items[item].kind == ITEM_spread)
        item = p->items[item].of;
    const Item *i = &p->items[item];
    sb_printf(out, "%c%u", i->kind == ITEM_input ? 's' : i->segment == segment ? 'v' : 'a', item);
}

static void print_cast(DType to, DType from, const char *arg, StrBuf *e)
{
    if (to == DT_b8)
        sb_printf(e, "%s != 0", arg);
    else if ((to == DT_bf16 || to == DT_f16) && from != to)
        sb_printf(e, "round_%s((float)%s)", dtype_info[to].name, arg);
    else if (dtype_is_float(from) && dtype_is_int(to) && to != DT_u64)
        sb_printf(e, "(%s)(int64_t)%s", c_type(to), arg);
    else
        sb_printf(e, "(%s)%s", c_type(to), arg);
}

static bool known_number(const Trace *t, Arg a, double *number)
{
    if (a.kind == ARG_value)
        a = value_get(t, a.v)->known;
    *number = a.kind == ARG_float ? a.f : (double)a.i;
    return a.kind == ARG_float || a.kind == ARG_int;
}

/* The function for results that are rounded to bf16 or f16 anyway; NULL = the usual one. */
static const char *coarse_function(DType coarse, uint32_t op)
{
    return coarse == DT_none                       ? NULL
           : op == PRIM_exp                        ? "exp_coarse"
           : op == PRIM_div                        ? "div_coarse"
           : op == PRIM_tanh && coarse == DT_bf16  ? "tanh_coarse"
                                                   : NULL;
}

static void print_prim(const Trace *t, const Node *n, DType in, DType to, bool round,
                       DType coarse, const char *const *args, StrBuf *e)
{
    bool whole = dtype_is_int(to);
    if (round)
        sb_printf(e, "round_%s(", dtype_info[to].name);
    else if (whole)
        sb_printf(e, "(%s)(", c_type(to));
    else if (to == DT_b8)
        sb_putc(e, '(');
    double exponent;
    const char *quick = coarse_function(coarse, n->op->id);
    if (quick && in == DT_f32) {
        sb_printf(e, "%s(%s%s%s)", quick, args[0], args[1][0] ? ", " : "", args[1]);
        sb_puts(e, round ? ")" : "");
        return;
    }
    bool power = n->op->id == PRIM_pow && dtype_is_float(in) &&
                 known_number(t, n->args[1], &exponent) && expr_print_power(exponent, args[0], e);
    if (!power)
        expr_print(DIALECT_cuda, n->op, in, args, e);
    sb_puts(e, to == DT_b8 ? ") != 0" : round || whole ? ")" : "");
}

static DType cast_from(const Trace *t, Arg a)
{
    return a.kind == ARG_value ? (DType)value_get(t, a.v)->type.dtype
           : a.kind == ARG_int ? DT_i64
                               : DT_f64;
}

static void print_member(const Products *p, uint32_t segment, const GenOptions *o, NodeId node,
                         StrBuf *e)
{
    const Node *n = &p->r->t->nodes[node];
    DType to = (DType)value_get(p->r->t, n->out.v)->type.dtype;
    bool cast = n->op->id == PRIM_convert_element_type;
    DType in = cast ? cast_from(p->r->t, n->args[0]) : expr_dtype(p->r->t, n);
    bool round = o->eager_rounding && (to == DT_bf16 || to == DT_f16);
    StrBuf names[3] = {0};
    const char *args[3] = {"", "", ""};
    for (uint32_t k = 0; k < (cast ? 1u : n->nargs) && k < 3; k++) {
        print_operand(p, segment, n, k, in, &names[k]);
        args[k] = sb_cstr(&names[k]);
    }
    if (cast)
        print_cast(to, in, args[0], e);
    else
        print_prim(p->r->t, n, in, to, round, o->eager_rounding ? DT_none : p->coarse, args,
                   e);
    for (uint32_t k = 0; k < 3; k++)
        sb_free(&names[k]);
}

void segment_print(const Products *p, uint32_t segment, const GenOptions *o, const char *sum,
                   const char *indent, StrBuf *out)
{
    const Segment *s = &p->segments[segment];
    DType d = item_dtype(p, s->result);
    bool round = d != DT_f32; /* as if it had been stored */
    sb_printf(out, "%sconst float v%u = %s%s%s", indent, s->result, round ? "round_" : "",
              round ? dtype_info[d].name : "", round ? "(" : "");
    sb_puts(out, sum);
    if (s->bias >= 0)
        sb_printf(out, " + s%d", s->bias);
    sb_printf(out, "%s; // %.*s\n", round ? ")" : "",
              STR(value_get(p->r->t, p->items[s->result].v)->name));
    for (uint32_t m = s->first; m < s->end; m++) {
        const Node *n = &p->r->t->nodes[p->r->nodes[m]];
        uint32_t item = 0;
        find_item((Products *)p, n->out, &item);
        if (p->items[item].kind == ITEM_spread)
            continue;
        sb_printf(out, "%sconst %s v%u = ", indent, c_type(item_dtype(p, item)), item);
        print_member(p, segment, o, p->r->nodes[m], out);
        sb_printf(out, "; // %.*s\n", STR(value_get(p->r->t, n->out.v)->name));
    }
}

static const char copies[] =
    "#ifndef COPIES\n#define COPIES\n"
    "/* A barrier of copies: all but the newest N groups of this thread's are there. */\n"
    "template <int N> INLINE void arrived()\n{\n"
    "#ifdef __CUDA_ARCH__\n"
    "    asm volatile(\"cp.async.wait_group %0;\" :: \"n\"(N) : \"memory\");\n"
    "#endif\n}\n"
    "INLINE void group_ends()\n{\n"
    "#ifdef __CUDA_ARCH__\n"
    "    asm volatile(\"cp.async.commit_group;\" ::: \"memory\");\n"
    "#endif\n}\n"
    "/* ROWS rows of UNITS times 16 bytes, FROM bytes apart, to where they are TO bytes apart. */\n"
    "template <int ROWS, int UNITS, int TO, int FROM, int THREADS, typename T>\n"
    "INLINE void fetch(char *to, const T *from, int most)\n{\n"
    "    const int V = 16 / sizeof(T);\n"
    "    _Pragma(\"unroll\")\n"
    "    for (int k = 0; k < (ROWS * UNITS + THREADS - 1) / THREADS; k++) {\n"
    "        const int i = k * THREADS + threadIdx.x, row = i / UNITS, unit = i % UNITS;\n"
    "        if (i < ROWS * UNITS && row < most)\n"
    "            copy_async<V>((Vec<T, V> *)(to + row * TO + unit * 16),\n"
    "                (const T *)((const char *)from + (int64_t)row * FROM + unit * 16));\n"
    "    }\n}\n"
    "#endif\n";

void products_print_copies(StrBuf *out)
{
    sb_puts(out, copies);
}

void products_print_sides(const Products *p, const char *indent, StrBuf *out)
{
    const Segment *s = &p->segments[0];
    for (uint32_t i = 0; i < s->nsides; i++) {
        const Side *d = &s->sides[i];
        sb_printf(out, "%sconst %s s%u = get(in%u[%s]);\n", indent,
                  c_type(item_dtype(p, d->item)), d->item, item_input(p, d->item),
                  d->kind == SIDE_number ? "0"
                  : d->kind == SIDE_line ? "at"
                                         : "row * N + at");
    }
}

void products_print_results(const Products *p, const char *indent, StrBuf *out)
{
    for (uint32_t i = 0; i < p->nitems; i++)
        if (p->items[i].kind == ITEM_made && p->items[i].out >= 0)
            sb_printf(out, "%sset(out%d[row * N + at], v%u);\n", indent, p->items[i].out, i);
}

bool item_is_early(const Products *p, uint32_t item)
{
    const Trace *t = p->r->t;
    bool early = trace_is_input(t, p->items[item].v);
    for (NodeId n = 0; n < t->nnodes && early; n++)
        early = !(t->nodes[n].op->flags & OP_IN_PLACE);
    return early;
}

void products_open_kernel(const Products *p, const char *symbol, GenLaunch l, GenCuda *plan,
                          StrBuf *out)
{
    snprintf(l.name, sizeof l.name, "%s", symbol);
    plan->launch[plan->nlaunch++] = l;
    sb_puts(out, "extern \"C\" __global__ void ");
    if (l.cluster > 1)
        sb_printf(out, "__cluster_dims__(%u, 1, 1) ", l.cluster);
    sb_printf(out, "__launch_bounds__(%u", l.block[0]);
    if (l.beside)
        sb_printf(out, ", %u", l.beside);
    sb_printf(out, ")\n%s(\n", symbol);
    for (uint32_t i = 0; i < p->ninputs + p->r->nouts; i++) {
        bool in = i < p->ninputs;
        const Value *v = value_get(p->r->t, in ? p->inputs[i] : p->r->outs[i - p->ninputs]);
        sb_printf(out, "    %s%s *__restrict__ %s%u, // %.*s: ", in ? "const " : "",
                  cuda_storage((DType)v->type.dtype), in ? "in" : "out", in ? i : i - p->ninputs,
                  STR(v->name));
        type_print(&v->type, NULL, out);
        sb_putc(out, '\n');
    }
    sb_puts(out, "    int *error)\n{\n    int &bad = *error;\n");
}

/* ------------------------------------------------------------------------------------- entries */

/* Ways to compute such a region. */
typedef struct Way {
    bool (*fits)(const Products *p, const GenTarget *g, StrBuf *why);
    double (*seconds)(const Products *p, const GenTarget *g);
    uint32_t (*schedules)(const Products *p, const GenTarget *g);
    void (*print)(const Products *p, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                  const char *symbol, GenCuda *plan, StrBuf *out);
    bool heads; /* also what makes the rows of the product */
} Way;

static const Way ways[] = {
    {chain_fits, chain_seconds, chain_schedules, chain_print, false},
    {skinny_fits, skinny_seconds, skinny_schedules, skinny_print, false},
    {band_fits, band_seconds, band_schedules, band_print, false},
    {strip_fits, strip_seconds, strip_schedules, strip_print, false},
    {panel_fits, panel_seconds, panel_schedules, panel_print, true},
};

/* What every target has at least, and what times are estimated for. */
static const GenTarget least = {.arch = 80, .sms = 108, .l2 = 40 << 20, .shared_max = 99 << 10};
static const GenTarget usual = {.arch = 90, .sms = 132, .l2 = 50 << 20, .shared_max = 232448};

/* The fastest way, by the estimate; NULL with the reasons of all. */
static const Way *way_of(const Products *p, const GenTarget *g, StrBuf *why)
{
    const Way *best = NULL;
    StrBuf reasons = {0};
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        sb_puts(&reasons, reasons.n ? "; " : "");
        if (p->head.n && !ways[i].heads)
            sb_puts(&reasons, "takes rows that are there");
        else if (ways[i].fits(p, g, &reasons) &&
            (!best || ways[i].seconds(p, &usual) < best->seconds(p, &usual)))
            best = &ways[i];
    }
    if (!best && why)
        sb_add(why, sb_str(&reasons));
    sb_free(&reasons);
    return best;
}

bool products_fit(const Region *r, StrBuf *why)
{
    Products p;
    bool fits = products_read(&p, r, why) && way_of(&p, &least, why);
    products_free(&p);
    return fits;
}

bool products_cuda(const Region *r, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                   const char *symbol, GenCuda *plan, StrBuf *out, StrBuf *why)
{
    Products p;
    const Way *way = products_read(&p, r, why) ? way_of(&p, g, why) : NULL;
    if (way)
        way->print(&p, o, g, schedule, symbol, plan, out);
    products_free(&p);
    return way != NULL;
}

uint32_t products_schedules(const Region *r, const GenTarget *g)
{
    Products p;
    const Way *way = products_read(&p, r, NULL) ? way_of(&p, g, NULL) : NULL;
    uint32_t n = way ? way->schedules(&p, g) : 0;
    products_free(&p);
    return n;
}

#define LAUNCH 2.5e-6 /* seconds from launch to launch in a recording */

/* A product in a launch of its own, and what follows it in another: what they move and compute. */
static double apart_seconds(const Products *p, uint32_t segment, uint32_t *launches)
{
    const Segment *s = &p->segments[segment];
    double launch = LAUNCH, bandwidth = 3e12, bytes = dtype_info[item_dtype(p, s->right)].bytes;
    double rate = item_dtype(p, s->right) == DT_f32 ? 4e13 : 5e14;
    double rows = (double)p->rows, n = (double)s->n, k = (double)s->k;
    double moved = bytes * (n * k + rows * (n + k)) / bandwidth, work = 2 * rows * n * k / rate;
    double turns = 2e-9 * k; /* the sums wait for one another */
    bool follows = s->end > s->first;
    *launches += follows ? 2 : 1;
    return launch + turns + (moved > work ? moved : work) +
           (follows ? launch + 2 * bytes * rows * n / bandwidth : 0);
}

bool gen_product_times(const Region *r, GenTimes *out)
{
    Products p;
    *out = (GenTimes){0};
    const Way *way = products_read(&p, r, NULL) ? way_of(&p, &usual, NULL) : NULL;
    if (way) {
        out->products = p.n;
        out->launch = LAUNCH;
        out->joined = way->seconds(&p, &usual);
        for (uint32_t i = 0; i < p.n; i++)
            out->apart += apart_seconds(&p, i, &out->launches);
        out->launches += p.head.n > 0;
        out->apart += p.head.n ? LAUNCH : 0;
    }
    products_free(&p);
    return way != NULL;
}

bool gen_product_chains(const Trace *t, NodeId n)
{
    Products p;
    uint32_t launches = 0;
    ValueId v = node_result(t, n);
    Region r = {t, &n, 1, &v, 1};
    bool good = products_read(&p, &r, NULL) && chain_fits(&p, &usual, NULL) &&
                chain_seconds(&p, &usual) < apart_seconds(&p, 0, &launches) + CHAIN_START;
    products_free(&p);
    return good;
}
