/*
 * sums.c - sums of elements that meet in one place, as CUDA kernels.
 *
 * Input: a region of one index_add, embedding_backward, scatter_add, or index_put that accumulates.
 * Output: launches that find the slot of each item, sort items by it, and add up those of each slot
 * in order, pieces of items by themselves where a slot has many; of few items one launch in which
 * every slot looks at all. Nothing is added by atomics,
 * so results are equal every time.
 */
#include "lines.h"
#include "sorts_text.h"
#include "sums_text.h"

#include <stdio.h>

enum {
    FEW = 128,        /* items that every slot looks at */
    THREADS = 256,
    LEAST_PIECE = 64, /* items */
};

/* Results are [outer, slots, inner], values [outer, n, inner]: an item of the n has one slot. */
typedef struct Sums {
    const Region *r;
    const Node *node;
    ValueId start, value; /* what is added to, 0 = zeros; what is added */
    ValueId at[MAX_RANK]; /* indices of each item */
    uint32_t nat;
    int64_t limit[MAX_RANK], stride[MAX_RANK]; /* of those: the size indexed, in slots */
    int64_t outer, slots, inner, n;
    int64_t skip;         /* an index that adds nothing; -1 = none */
    uint32_t dim;         /* scatter_add: along which indices count */
    const char *symbol, *element, *type;
    GenCuda *plan;
    uint32_t sorted; /* the launch that reads what is sorted, from 1; 0 = nothing is yet */
    StrBuf *out;
} Sums;

static const Type *type_of(const Sums *s, ValueId v)
{
    return &value_get(s->r->t, v)->type;
}

static bool refuse(StrBuf *why, const char *what)
{
    if (why)
        sb_puts(why, what);
    return false;
}

/* A scatter_add with one index along its dimension is a form of a loop nest (nest_index.c). */
static bool has_one_index(const Trace *t, const Node *n)
{
    if (n->args[1].kind != ARG_value || n->args[3].kind != ARG_int)
        return false;
    const Type *at = &t->values[n->args[1].v].type, *type = &t->values[n->out.v].type;
    int64_t dim = n->args[3].i < 0 ? n->args[3].i + type->rank : n->args[3].i;
    for (uint32_t i = 0; i < type->rank; i++)
        if (at->rank != type->rank || at->shape[i] != (i == dim ? 1 : type->shape[i]))
            return false;
    return true;
}

bool is_sum_by_index(const Trace *t, const Node *n)
{
    if (n->op->language != LANG_prims)
        return false;
    uint32_t op = n->op->id;
    return op == PRIM_index_add || op == PRIM_embedding_backward ||
           (op == PRIM_index_put && n->args[3].kind == ARG_bool && n->args[3].i) ||
           (op == PRIM_scatter_add && !has_one_index(t, n));
}

bool region_has_sums(const Region *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (is_sum_by_index(r->t, &r->t->nodes[r->nodes[i]]))
            return true;
    return false;
}

/* -------------------------------------------------------------------------------------- reading */

static bool add_index(Sums *s, Arg a, int64_t limit, int64_t stride)
{
    if (a.kind != ARG_value || s->nat == MAX_RANK)
        return false;
    s->at[s->nat] = a.v;
    s->limit[s->nat] = limit;
    s->stride[s->nat++] = stride;
    DType d = (DType)type_of(s, a.v)->dtype;
    return d == DT_i64 || d == DT_i32;
}

/* Sizes of the result before, at and behind dimension dim. */
static void read_sizes(Sums *s, const Type *out, uint32_t dim)
{
    s->outer = s->slots = s->inner = 1;
    for (uint32_t i = 0; i < out->rank; i++)
        *(i < dim ? &s->outer : i == dim ? &s->slots : &s->inner) *= out->shape[i];
}

static bool read_dim(const Arg *a, uint32_t rank, uint32_t *dim)
{
    if (a->kind != ARG_int || rank == 0)
        return false;
    *dim = (uint32_t)(a->i < 0 ? a->i + rank : a->i);
    return true;
}

static bool read_embedding(Sums *s, const Type *out)
{
    const Arg *a = s->node->args;
    if (a[0].kind != ARG_value || (a[4].kind != ARG_none && a[4].i) ||
        (a[3].kind != ARG_none && a[3].kind != ARG_int))
        return false;
    read_sizes(s, out, 0);
    s->value = a[0].v;
    s->skip = a[3].kind == ARG_int ? a[3].i : -1;
    return add_index(s, a[1], s->slots, 1);
}

static bool read_index_add(Sums *s, const Type *out)
{
    const Arg *a = s->node->args;
    uint32_t dim;
    if (a[0].kind != ARG_value || a[2].kind != ARG_value || !read_dim(&a[3], out->rank, &dim))
        return false;
    read_sizes(s, out, dim);
    s->start = a[0].v;
    s->value = a[2].v;
    return add_index(s, a[1], s->slots, 1);
}

/* Each element is a slot, each index an item. */
static bool read_scatter(Sums *s, const Type *out)
{
    const Arg *a = s->node->args;
    if (a[0].kind != ARG_value || a[1].kind != ARG_value || a[2].kind != ARG_value ||
        !read_dim(&a[3], out->rank, &s->dim))
        return false;
    const Type *at = type_of(s, a[1].v), *value = type_of(s, a[2].v);
    bool whole = at->rank == out->rank && value->rank == out->rank;
    for (uint32_t i = 0; i < out->rank && whole; i++)
        whole = at->shape[i] == value->shape[i];
    s->outer = s->inner = 1;
    s->slots = type_numel(out);
    s->start = a[0].v;
    s->value = a[2].v;
    return whole && add_index(s, a[1], out->shape[s->dim], 1);
}

/* Tensors of one shape for the leading dimensions. */
static bool read_index_put(Sums *s, const Type *out)
{
    const Arg *a = s->node->args;
    Arg list = a[1];
    if (a[0].kind != ARG_value || a[2].kind != ARG_value || !arg_is_seq(list) || list.n == 0 ||
        list.n > out->rank)
        return false;
    int64_t stride = 1;
    s->outer = s->inner = 1;
    for (uint32_t i = list.n; i < out->rank; i++)
        s->inner *= out->shape[i];
    s->start = a[0].v;
    s->value = a[2].v;
    for (uint32_t i = list.n; i-- > 0;) {
        if (!add_index(s, list.items[i], out->shape[i], stride) ||
            type_numel(type_of(s, s->at[s->nat - 1])) != type_numel(type_of(s, s->at[0])) ||
            type_of(s, s->at[s->nat - 1])->rank != type_of(s, s->at[0])->rank)
            return false;
        stride *= out->shape[i];
    }
    s->slots = stride;
    return true;
}

static bool read_operands(Sums *s, const Type *out)
{
    switch (s->node->op->id) {
    case PRIM_embedding_backward:
        return read_embedding(s, out);
    case PRIM_index_add:
        return read_index_add(s, out);
    case PRIM_index_put:
        return read_index_put(s, out);
    default:
        return read_scatter(s, out);
    }
}

static uint32_t ways_of(const Sums *s)
{
    return s->n <= FEW ? 1 : sorts_ways(s->n, 3); /* beside: slots, pieces, sums */
}

static bool sums_read(Sums *s, const Region *r, StrBuf *why)
{
    *s = (Sums){.r = r, .skip = -1};
    if (r->n != 1 || r->nouts != 1)
        return refuse(why, "a sum by index is a kernel of its own");
    s->node = &r->t->nodes[r->nodes[0]];
    const Type *out = type_of(s, r->outs[0]);
    DType d = (DType)out->dtype;
    if (!read_operands(s, out))
        return refuse(why, "sums by index along one dimension, or along the first ones");
    s->n = type_numel(type_of(s, s->at[0]));
    bool same = type_of(s, s->value)->dtype == out->dtype &&
                (!s->start || type_of(s, s->start)->dtype == out->dtype) &&
                type_numel(type_of(s, s->value)) == s->outer * s->n * s->inner;
    if (!same || d == DT_b8 || !cuda_storage(d) || dtype_info[d].bytes < 2)
        return refuse(why, "sums by index elements of one dtype, of at least 16 bits");
    if (type_numel(out) == 0) /* no kernel would look at the indices */
        return refuse(why, "the result is empty");
    if (s->slots >= INT32_MAX || ways_of(s) == 0)
        return refuse(why, "sums fewer than 2^31 places and 2^24 elements by index");
    s->type = cuda_storage(d);
    s->element = !dtype_is_float(d) ? "int64_t" : c_is_narrow(d) ? "float" : "double";
    return true;
}

bool sums_fit(const Region *r, StrBuf *why)
{
    Sums s;
    return sums_read(&s, r, why);
}

/* -------------------------------------------------------------------------------------- writing */

/* The name of an operand's parameter. */
static int number_of(const Sums *s, ValueId v)
{
    ValueId in[MAX_REGION_INPUTS];
    uint32_t n = gen_inputs(s->r, in);
    for (uint32_t i = 0; i < n; i++)
        if (in[i] == v)
            return (int)i;
    return -1;
}

static void print_operand(const Sums *s, ValueId v)
{
    if (v)
        sb_printf(s->out, "in%d", number_of(s, v));
    else
        sb_printf(s->out, "(const %s *)0", s->type);
}

static void open_launch(const Sums *s, const char *what, int64_t blocks, uint32_t threads,
                        uint32_t shared)
{
    GenLaunch *l = &s->plan->launch[s->plan->nlaunch];
    ValueId in[MAX_REGION_INPUTS];
    uint32_t n = gen_inputs(s->r, in);
    *l = (GenLaunch){.grid = {(uint32_t)blocks, 1, 1}, .block = {threads, 1, 1},
                     .shared = shared, .early = true};
    snprintf(l->name, sizeof l->name, s->plan->nlaunch ? "%s_%u" : "%s", s->symbol,
             s->plan->nlaunch);
    sb_printf(s->out, "\n// %s: %u blocks of %u threads\n", what, l->grid[0], threads);
    sb_printf(s->out, "extern \"C\" __global__ void __launch_bounds__(%u)\n%s(\n", threads,
              l->name);
    for (uint32_t i = 0; i <= n; i++) {
        ValueId v = i < n ? in[i] : s->r->outs[0];
        const Type *type = type_of(s, v);
        char name[16];
        snprintf(name, sizeof name, i < n ? "in%u" : "out", i);
        sb_printf(s->out, "    %s%s *__restrict__ %s, // %.*s: ", i < n ? "const " : "",
                  cuda_storage((DType)type->dtype), name, STR(value_get(s->r->t, v)->name));
        type_print(type, NULL, s->out);
        sb_putc(s->out, '\n');
    }
    sb_printf(s->out, "%s    int *error)\n{\n    wait_for_earlier();\n    let_later_begin();\n",
              s->n > FEW ? "    char *scratch,\n" : "");
    s->plan->nlaunch++;
    if (s->n > FEW)
        sorts_print_halves("uint64_t", 8, s->n, s->sorted ? s->sorted : s->plan->nlaunch, s->out);
}

/* Of scatter_add: the element of the result that item i goes to. */
static void print_element(const Sums *s)
{
    const Type *at = type_of(s, s->at[0]), *out = type_of(s, s->r->outs[0]);
    int64_t below = 1, step = 1;
    for (uint32_t d = at->rank; d-- > 0;) {
        if (d == s->dim)
            sb_printf(s->out, " + at0 * %lld", (long long)step);
        else
            sb_printf(s->out, " + i / %lld %% %lld * %lld", (long long)below,
                      (long long)at->shape[d], (long long)step);
        below *= at->shape[d];
        step *= out->shape[d];
    }
}

/* Declares "slot", that of item i; -1 = none. */
static void print_slot(const Sums *s, const char *depth)
{
    for (uint32_t k = 0; k < s->nat; k++)
        sb_printf(s->out, "%sconst int64_t at%u = slot_of%s(in%d[i], %lld, -1, error);\n",
                  depth, k, s->node->op->id == PRIM_index_put ? "_wrapped" : "",
                  number_of(s, s->at[k]), (long long)s->limit[k]);
    sb_printf(s->out, "%sconst int64_t slot = ", depth);
    for (uint32_t k = 0; k < s->nat; k++)
        sb_printf(s->out, "%sat%u < 0", k ? " || " : "", k);
    if (s->skip >= 0)
        sb_printf(s->out, " || at0 == %lld", (long long)s->skip);
    sb_puts(s->out, " ? -1 : 0");
    if (s->node->op->id == PRIM_scatter_add)
        print_element(s);
    for (uint32_t k = 0; k < s->nat && s->node->op->id != PRIM_scatter_add; k++)
        sb_printf(s->out, " + at%u * %lld", k, (long long)s->stride[k]);
    sb_puts(s->out, ";\n");
}

/* Neighbours that a thread takes: 16 bytes where sizes allow it. */
static uint32_t width_of(const Sums *s)
{
    int bytes = dtype_info[type_of(s, s->value)->dtype].bytes;
    uint32_t v = 1;
    while (s->inner % (2 * v) == 0 && (int)(2 * v) * bytes <= 16)
        v *= 2;
    return v;
}

static int64_t blocks_of(int64_t work)
{
    return (work + THREADS - 1) / THREADS;
}

static int64_t units_of(const Sums *s)
{
    return s->outer * s->slots * (s->inner / width_of(s));
}

static void print_few(const Sums *s)
{
    open_launch(s, "sums few items by index", blocks_of(units_of(s)), THREADS, 0);
    sb_puts(s->out, "    const auto slot_of_item = [&](int64_t i) {\n");
    print_slot(s, "        ");
    sb_puts(s->out, "        return slot;\n    };\n");
    sb_printf(s->out, "    sum_few<%s, %u, %lld, %lld, %lld, %lld>(slot_of_item, ", s->element,
              width_of(s), (long long)s->outer, (long long)s->slots, (long long)s->inner,
              (long long)s->n);
    print_operand(s, s->start);
    sb_puts(s->out, ", ");
    print_operand(s, s->value);
    sb_puts(s->out, ", out);\n}\n");
}

/* Items with their slots; those without one come last. */
static void print_slots(const Sums *s)
{
    open_launch(s, "the slot of each item", blocks_of(s->n), THREADS, 0);
    sb_printf(s->out, "    const int64_t i = blockIdx.x * (int64_t)%d + threadIdx.x;\n", THREADS);
    sb_printf(s->out, "    if (i >= %lld)\n        return;\n", (long long)s->n);
    print_slot(s, "    ");
    sb_printf(s->out, "    pack(to[i], slot < 0 ? %lldu : (uint32_t)slot, (int)i);\n}\n",
              (long long)s->slots);
}

static void print_sort(const Sums *s)
{
    uint32_t room, each, ways = ways_of(s);
    sorts_shape(s->n, &room, &each);
    open_launch(s, "sorts tiles", (s->n + SORTS_TILE - 1) / SORTS_TILE, room / each, room * 8);
    sb_printf(s->out,
              "    sort_tile<uint64_t, int, false, %u, %u, %lld, %lld, true, %d, 0, 0, 1>(\n"
              "        (const int *)0, from, to, (int *)0, (int64_t *)0);\n}\n",
              room, each, (long long)s->n, (long long)s->n, SORTS_TILE);
    for (int64_t run = SORTS_TILE; run < s->n; run *= ways) {
        open_launch(s, "merges runs", blocks_of(s->n), THREADS, 0);
        sb_printf(s->out, "    merge_runs<uint64_t, %lld, %lld, %u, 0, 0, 1, 1, false>(\n"
                  "        (const int *)0, from, to, (int *)0, (int64_t *)0);\n}\n",
                  (long long)s->n, (long long)run, ways);
    }
}

/* Items that are summed together when they are all of one slot: about as many as there are then to
 * sum up for a slot that has all items. */
static int64_t piece_of(const Sums *s)
{
    int64_t piece = LEAST_PIECE;
    while (piece < SORTS_TILE && piece * piece < s->n)
        piece *= 2;
    return piece;
}

static void print_parts_place(const Sums *s)
{
    sb_printf(s->out, "    %s *parts = (%s *)(scratch + %lld);\n", s->element, s->element,
              (long long)sorts_halves(8, s->n));
}

static void print_pieces(const Sums *s)
{
    int64_t piece = piece_of(s), pieces = s->n / piece, width = width_of(s);
    s->plan->scratch = sorts_halves(8, s->n) + s->outer * pieces * s->inner * 8;
    open_launch(s, "sums pieces", blocks_of(s->outer * pieces * (s->inner / width)), THREADS, 0);
    print_parts_place(s);
    sb_printf(s->out, "    sum_pieces<%s, %lld, %lld, %lld, %lld, %lld>(from, ",
              s->element, (long long)width, (long long)s->outer, (long long)s->inner,
              (long long)s->n, (long long)piece);
    print_operand(s, s->value);
    sb_puts(s->out, ", parts);\n}\n");
}

static void print_sums(const Sums *s)
{
    open_launch(s, "sums items by index", blocks_of(units_of(s)), THREADS, 0);
    print_parts_place(s);
    sb_printf(s->out, "    sum_sorted<%s, %u, %lld, %lld, %lld, %lld, %lld>(from, ",
              s->element, width_of(s), (long long)s->outer, (long long)s->slots,
              (long long)s->inner, (long long)s->n, (long long)piece_of(s));
    print_operand(s, s->start);
    sb_puts(s->out, ", ");
    print_operand(s, s->value);
    sb_puts(s->out, ", out, parts);\n}\n");
}

bool sums_cuda(const Region *r, const char *symbol, GenCuda *plan, StrBuf *out, StrBuf *why)
{
    Sums s;
    *plan = (GenCuda){0};
    if (!sums_read(&s, r, why))
        return false;
    s.symbol = symbol;
    s.plan = plan;
    s.out = out;
    sb_puts(out, SUMS_BY_INDEX);
    if (s.n <= FEW) {
        print_few(&s);
        return true;
    }
    sb_puts(out, SORTS);
    print_slots(&s);
    print_sort(&s);
    s.sorted = plan->nlaunch + 1;
    print_pieces(&s);
    print_sums(&s);
    return true;
}
