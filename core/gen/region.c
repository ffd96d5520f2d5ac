/*
 * region.c - what gen takes: single prims, regions, and the region behind a claimed node.
 */
#include "lines.h"
#include "product.h"

static bool dtype_ok(const Value *v, StrBuf *why)
{
    if (v->type.kind != VALUE_tensor && v->type.kind != VALUE_number) {
        sb_printf(why, "%%%.*s is not a tensor or a number", STR(v->name));
        return false;
    }
    if (c_storage((DType)v->type.dtype))
        return true;
    sb_printf(why, "C has no type for %s", dtype_info[v->type.dtype].name);
    return false;
}

typedef struct Values {
    const Trace *t;
    StrBuf *why;
    bool good;
} Values;

static void check_value(ValueId v, void *user)
{
    Values *c = user;
    c->good = c->good && dtype_ok(value_get(c->t, v), c->why);
}

static bool values_ok(const Trace *t, const Node *n, StrBuf *why)
{
    Values c = {t, why, true};
    for (uint32_t i = 0; i < n->nargs; i++)
        arg_each_value(n->args[i], check_value, &c);
    arg_each_value(n->out, check_value, &c);
    ValueId v = 0;
    if (c.good && arg_values(n->out, &v, 1) && value_get(t, v)->type.kind != VALUE_tensor) {
        sb_puts(why, "its result is a number");
        return false;
    }
    return c.good && v;
}

static bool is_move(uint32_t op)
{
    return op == PRIM_broadcast_in_dim || op == PRIM_transpose || op == PRIM_slice_prim ||
           op == PRIM_flip || op == PRIM_reshape || op == PRIM_view || op == PRIM_squeeze ||
           op == PRIM_shallow_copy || op == PRIM_clone || op == PRIM_convert_element_type ||
           op == PRIM_full || op == PRIM_iota || op == PRIM_cat || op == PRIM_pad ||
           op == PRIM_unfold || op == PRIM_uniform_philox ||
           op == PRIM_normal_philox || op == PRIM_randint_philox;
}

/* stride_order whose result is row-major, as all results of kernels are. */
static bool is_row_major(const Node *n)
{
    const Arg *order = &n->args[1];
    if (n->op->id != PRIM_stride_order || !arg_is_seq(*order))
        return false;
    for (uint32_t i = 0; i < order->n; i++)
        if (order->items[i].kind != ARG_int || order->items[i].i != (int64_t)order->n - 1 - i)
            return false;
    return true;
}

static bool is_reduction(uint32_t op)
{
    return op == PRIM_sum || op == PRIM_prod || op == PRIM_amax || op == PRIM_amin ||
           op == PRIM_any || op == PRIM_all || op == PRIM_var || op == PRIM_var_mean ||
           op == PRIM_std || op == PRIM_argmax || op == PRIM_argmin;
}

/* In the order of a line; sorts on a GPU only (see lines.c). */
static bool is_on_lines(uint32_t op)
{
    return op == PRIM_cumsum || op == PRIM_cumprod || op == PRIM_cummax || op == PRIM_cummin ||
           op == PRIM_sort || op == PRIM_topk || op == PRIM_kthvalue;
}

/* By index tensors; of scatters those with one index along the dimension (see nest.c). */
static bool is_indexed(uint32_t op)
{
    return op == PRIM_gather || op == PRIM_take_along_axis || op == PRIM_take ||
           op == PRIM_embedding || op == PRIM_scatter || op == PRIM_scatter_add ||
           op == PRIM_index_add || op == PRIM_embedding_backward || op == PRIM_index_put;
}

bool gen_takes(const Trace *t, NodeId id, StrBuf *why)
{
    const Node *n = &t->nodes[id];
    if (n->op->language != LANG_prims || n->op->id >= PRIM_COUNT || n->span != 1) {
        sb_puts(why, "takes prims only");
        return false;
    }
    if (is_move(n->op->id) || is_row_major(n) || is_reduction(n->op->id) || is_indexed(n->op->id) ||
        is_on_lines(n->op->id))
        return values_ok(t, n, why);
    if (!(n->op->flags & OP_ELEMENTWISE)) {
        sb_printf(why, "has no loop for prims.%s", n->op->name);
        return false;
    }
    return values_ok(t, n, why) && expr_has(n->op, expr_dtype(t, n), why);
}

bool gen_fits(const Region *r, StrBuf *why)
{
    Nest s;
    bool fits = nest_build_rows(&s, r, why);
    nest_free(&s);
    return fits;
}

bool gen_fits_cuda(const Region *r, StrBuf *why)
{
    if (region_has_lines(r))
        return lines_fit(r, why);
    if (region_has_sums(r))
        return sums_fit(r, why);
    if (region_has_product(r))
        return products_fit(r, why);
    Nest s;
    bool fits = nest_build_both_ways(&s, r, why);
    nest_free(&s);
    return fits;
}

bool gen_stores_in_fold(const Region *r)
{
    Nest s;
    StrBuf why = {0};
    bool good = nest_build_both_ways(&s, r, &why) && nest_writes_early(&s);
    for (uint32_t i = 0; i < s.npoints && good; i++)
        good = s.points[i].pass < 2;
    nest_free(&s);
    sb_free(&why);
    return good;
}

bool gen_region(const Trace *t, NodeId id, Arena *a, Region *out)
{
    const Node *n = &t->nodes[id];
    NodeId *nodes = new_array(a, NodeId, n->span);
    ValueId *outs = new_array(a, ValueId, MAX_OUTPUTS);
    *out = (Region){.t = t, .nodes = nodes, .outs = outs};
    for (NodeId i = id; i < id + n->span; i++) {
        if (t->nodes[i].span != 1)
            continue;
        if (t->nodes[i].op->language != LANG_prims)
            return false;
        nodes[out->n++] = i;
    }
    out->nouts = arg_values(n->out, outs, MAX_OUTPUTS);
    return out->nouts <= MAX_OUTPUTS;
}

typedef struct Inputs {
    const Region *r;
    ValueId *in;
    uint32_t n;
    Map made, seen;
} Inputs;

static Str key_of(const ValueId *v)
{
    return (Str){(const char *)v, sizeof *v};
}

static void add_input(ValueId v, void *user)
{
    Inputs *c = user;
    bool fresh = false;
    if (map_get(&c->made, key_of(&v)) || arg_is_number(value_get(c->r->t, v)->known))
        return;
    map_put(&c->seen, key_of(&v), &fresh);
    if (fresh && c->n < MAX_REGION_INPUTS)
        c->in[c->n] = v;
    c->n += fresh;
}

static void add_made(ValueId v, void *user)
{
    map_put(&((Inputs *)user)->made, key_of(&v), NULL);
}

uint32_t gen_inputs(const Region *r, ValueId in[MAX_REGION_INPUTS])
{
    Inputs c = {.r = r, .in = in};
    for (uint32_t i = 0; i < r->n; i++) {
        const Node *n = &r->t->nodes[r->nodes[i]];
        for (uint32_t k = 0; k < n->nargs; k++)
            arg_each_value(n->args[k], add_input, &c);
        arg_each_value(n->out, add_made, &c);
    }
    map_free(&c.made);
    map_free(&c.seen);
    return c.n;
}

/* -------------------------------------------------------------------------------------- sources */

enum { CODE_WIDTH = 72 };

/* One line of the source; what a compiler would not take in a comment is left out. */
static void add_code(Str code, StrBuf *out)
{
    code = str_trim(code);
    size_t n = code.n > CODE_WIDTH ? CODE_WIDTH : code.n;
    while (n < code.n && n > 0 && ((unsigned char)code.p[n] & 0xc0) == 0x80)
        n--; /* not in the middle of a character */
    for (size_t i = 0; i < n; i++)
        sb_putc(out, (unsigned char)code.p[i] < ' ' ? ' ' : code.p[i]);
    if (n < code.n)
        sb_puts(out, "...");
}

static void add_source(const Node *n, StrBuf *out)
{
    const SrcLoc *loc = n->loc;
    Place at = span_place(n->src);
    bool located = loc && loc->line, has_code = located && loc->code.n && !str_is(loc->code, "...");
    sb_puts(out, "// ");
    add_code(has_code ? loc->code : at.line_text, out);
    if (located) {
        size_t slash = loc->file.n;
        while (slash && loc->file.p[slash - 1] != '/')
            slash--;
        sb_printf(out, "  (%.*s:%u)\n", STR(str_sub(loc->file, slash, SIZE_MAX)), loc->line);
    } else {
        sb_printf(out, "  (line %u)\n", at.line);
    }
}

void gen_sources(const Region *r, StrBuf *out)
{
    Map seen = {0};
    StrBuf line = {0};
    for (uint32_t i = 0; i < r->n; i++) {
        const Node *n = &r->t->nodes[r->nodes[i]];
        if (!(n->loc && n->loc->line) && !n->src.src)
            continue;
        sb_clear(&line);
        add_source(n, &line);
        if (map_get(&seen, sb_str(&line)))
            continue;
        map_put(&seen, sb_str(&line), NULL);
        sb_add(out, sb_str(&line));
    }
    sb_free(&line);
    map_free(&seen);
}
