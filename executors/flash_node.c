/* flash_node.c - reads attention nodes for our own kernel; see flash_node.h. */
#include "flash_node.h"

#include "flash_text.h"

#include <math.h>

enum { MAX_WIDTH = 256, HALF_WIDTH = 128, MAX_LENGTH = 1 << 30, FEW_QUERIES = 64 };
/* Of the kernel for few keys: keys of a warp and queries of a block, most keys, most blocks. */
enum { SHORT_ROWS = 16, SHORT_KEYS = 128, SHORT_BLOCKS = 512 };

/* -------------------------------------------------------------------------------------- reading */

static bool is_number(Arg a, double *out)
{
    *out = a.kind == ARG_float ? a.f : a.kind == ARG_int || a.kind == ARG_bool ? (double)a.i : 0;
    return a.kind == ARG_float || a.kind == ARG_int || a.kind == ARG_bool || arg_is_none(a);
}

/* The size of dimension i of four: batches, heads, rows, columns. */
static int64_t size_of(const Type *x, uint32_t i)
{
    return i + x->rank < 4 ? 1 : x->shape[i + x->rank - 4];
}

static bool takes_dtype(DType d)
{
    return d == DT_f32 || d == DT_bf16 || d == DT_f16;
}

static bool mask_fits(const Type *q, const Type *k, const Type *mask)
{
    if (mask->kind == VALUE_any)
        return true;
    const int64_t sizes[4] = {size_of(q, 0), size_of(q, 1), size_of(q, 2), size_of(k, 2)};
    bool good = mask->kind == VALUE_tensor && mask->rank <= 4 &&
                (mask->dtype == DT_b8 || takes_dtype((DType)mask->dtype));
    for (uint32_t i = 0; i < 4 && good; i++)
        good = size_of(mask, i) == 1 || size_of(mask, i) == sizes[i];
    return good;
}

/* Heads of queries share those of keys where the operator says so, and in the one that keeps the
 * logarithms. */
static bool heads_fit(const Type *q, const Type *k, const Type *v, bool gqa)
{
    bool same = size_of(q, 0) == size_of(k, 0) && size_of(q, 0) == size_of(v, 0) &&
                size_of(k, 1) == size_of(v, 1);
    return same && (size_of(q, 1) == size_of(k, 1) ||
                    (gqa && size_of(k, 1) > 0 && size_of(q, 1) % size_of(k, 1) == 0));
}

static const char *objection(const Trace *t, NodeId n, const AttentionOp *op)
{
    const Node *node = &t->nodes[n];
    AttentionDrop drop;
    const Type *q = attention_type(t, node, op->q), *k = attention_type(t, node, op->k);
    const Type *v = attention_type(t, node, op->v);
    bool gqa = op->gqa < 0 || (node->args[op->gqa].kind == ARG_bool && node->args[op->gqa].i);
    double number;
    if (q->kind != VALUE_tensor || k->kind != VALUE_tensor || v->kind != VALUE_tensor)
        return "an operand is no tensor";
    if (!takes_dtype((DType)q->dtype) || k->dtype != q->dtype || v->dtype != q->dtype)
        return "takes attention in f32, f16 and bf16 only";
    if (q->rank < 2 || q->rank > 4 || k->rank != q->rank || v->rank != q->rank)
        return "takes operands of rank 2 to 4 only";
    if (!heads_fit(q, k, v, gqa))
        return "batches or heads of query, key and value differ";
    if (size_of(q, 3) > MAX_WIDTH || size_of(v, 3) > MAX_WIDTH)
        return "takes widths up to 256";
    if (size_of(q, 2) > MAX_LENGTH || size_of(k, 2) > MAX_LENGTH)
        return "takes up to 2^30 positions";
    if (type_numel(q) == 0 || type_numel(k) == 0 || type_numel(v) == 0)
        return "an operand is empty";
    ValueId outs[FLASH_OUT];
    uint32_t nouts = arg_values(node->out, outs, FLASH_OUT);
    if (nouts != op->nout && !(op->nout == 4 && nouts == 3 && arg_is_none(node->out.items[3])))
        return "a result is not wanted";
    if (!attention_drop(t, n, op, &drop))
        return "the numbers of its dropout are not known";
    if (!is_number(node->args[op->scale], &number) || !is_number(node->args[op->causal], &number))
        return "its scale or causal flag is not known";
    return mask_fits(q, k, attention_type(t, node, op->mask)) ? NULL
                                                        : "the mask is of another size or type";
}

bool flash_takes(const Trace *t, NodeId n, StrBuf *why_not)
{
    const Node *node = &t->nodes[n];
    const AttentionOp *op = attention_op(node->op);
    const char *why = op ? objection(t, n, op) : "takes attention only";
    if (why)
        sb_puts(why_not, why);
    return !why;
}

static void read_values(Flash *f, Arena *a, const Trace *t, const Node *node, const AttentionOp *op)
{
    const int where[FLASH_IN] = {op->q, op->k, op->v, op->mask, op->out, op->logs, op->grad};
    for (int i = 0; i < FLASH_IN; i++) {
        const Type *type = attention_type(t, node, where[i]);
        if (type->kind != VALUE_tensor)
            continue;
        f->in[i] = node->args[where[i]].v;
        f->in_type[i] = type_own(a, type);
    }
    f->nout = arg_values(node->out, f->out, FLASH_OUT);
    for (uint32_t i = 0; i < f->nout; i++)
        f->out_type[i] = type_own(a, &t->values[f->out[i]].type);
}

void flash_read(Flash *f, Arena *a, const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    const AttentionOp *op = attention_op(node->op);
    double scale, causal;
    *f = (Flash){.backward = op->grad >= 0};
    read_values(f, a, t, node, op);
    const Type *q = &f->in_type[FLASH_q], *v = &f->in_type[FLASH_v];
    attention_drop(t, n, op, &f->drop);
    is_number(node->args[op->scale], &scale);
    is_number(node->args[op->causal], &causal);
    f->dtype = (DType)q->dtype;
    f->mask_dtype = f->in[FLASH_mask] ? (DType)f->in_type[FLASH_mask].dtype : DT_none;
    f->causal = causal != 0;
    f->batch = size_of(q, 0);
    f->heads = size_of(q, 1);
    f->group = f->heads / size_of(v, 1);
    f->queries = size_of(q, 2);
    f->keys = size_of(v, 2);
    f->width = size_of(q, 3);
    f->value_width = size_of(v, 3);
    f->scale = (float)(arg_is_none(node->args[op->scale]) ? 1 / sqrt((double)f->width) : scale);
}

/* ---------------------------------------------------------------------------------------- tiles */

/* How the rows lie over threads. Own rows stay, tiles of the others pass by. */
typedef struct FlashTiles {
    uint32_t own, tile, rows, slabs, threads, chunk, buffers, shared;
    bool one;   /* all others are in one tile */
    bool brief; /* warps share these, and a block has few rows */
} FlashTiles;

static uint32_t padded(int64_t width)
{
    return (uint32_t)(width + 15) / 16 * 16;
}

/* Whether masks go through shared memory. */
static bool is_staged(const Flash *f)
{
    return f->mask_dtype != DT_none && f->dtype != DT_f32 && !f->causal;
}

static uint32_t shared_bytes(const Flash *f, const FlashTiles *x)
{
    uint32_t size = dtype_info[f->dtype].bytes, pad = 16 / size;
    uint32_t a = padded(f->width) + pad, b = padded(f->value_width) + pad;
    uint32_t elements = x->own * (f->backward ? a + b : a) + x->buffers * x->tile * (a + b);
    uint32_t room = f->dtype == DT_f32 ? x->own * (x->tile + 4) * size : 0; /* for weights */
    if (is_staged(f))
        room = x->own * (x->tile * dtype_info[f->mask_dtype].bytes + 16);
    uint32_t all = (elements + x->chunk + 16) * size + room; /* read up to a chunk behind */
    uint32_t sums = f->nout == 4 ? x->own * x->tile * (uint32_t)sizeof(float) : 0;
    return all > sums ? all : sums;
}

/* The next smaller way; false when there is none. */
static bool shrink(FlashTiles *x)
{
    if (x->buffers == 2) {
        x->buffers = 1;
    } else if (x->tile > 32) {
        x->tile /= 2;
    } else if (x->threads > 64) {
        x->threads /= 2;
        x->own /= 2;
    } else {
        return false;
    }
    return true;
}

/* Each warp has its keys' values, and what it found for all rows of the block. */
static FlashTiles brief_tiles(const Flash *f)
{
    uint32_t warps = (uint32_t)(f->keys + SHORT_ROWS - 1) / SHORT_ROWS;
    uint32_t width = (uint32_t)f->value_width;
    FlashTiles x = {.own = SHORT_ROWS, .tile = warps * SHORT_ROWS, .rows = 2, .slabs = 1,
                    .threads = warps * 32, .chunk = width, .buffers = 1, .one = true,
                    .brief = true};
    x.shared = warps * SHORT_ROWS * ((width + 8) * 2 + (width + 4) * 4 + 8);
    return x;
}

/* Whether attention is a matter of waiting: its keys are few, and so are its blocks, however few
 * queries each has. */
static bool is_brief(const Flash *f)
{
    int64_t blocks = f->batch * f->heads * ((f->queries + SHORT_ROWS - 1) / SHORT_ROWS);
    return !f->backward && f->dtype != DT_f32 && f->mask_dtype == DT_none && !f->drop.below &&
           f->keys <= SHORT_KEYS && blocks <= SHORT_BLOCKS && f->width <= HALF_WIDTH &&
           f->value_width <= HALF_WIDTH && f->width % 32 == 0 && f->value_width % 16 == 0 &&
           (!f->shared_max || brief_tiles(f).shared <= f->shared_max);
}

static FlashTiles tiles_of(const Flash *f)
{
    if (is_brief(f))
        return brief_tiles(f);
    uint32_t wide = padded(f->width > f->value_width ? f->width : f->value_width);
    FlashTiles x = {.chunk = wide <= HALF_WIDTH ? wide : padded((wide + 1) / 2)};
    if (f->dtype == DT_f32) {
        x.rows = 4;
        x.own = x.tile = wide <= HALF_WIDTH ? 64 : 32;
        x.threads = x.own / x.rows * 16;
        x.buffers = 1;
    } else {
        bool few = f->queries <= FEW_QUERIES; /* no more than four warps with 16 rows have */
        x.slabs = f->backward || wide > HALF_WIDTH || few ? 1 : 2;
        x.rows = 2 * x.slabs;
        x.threads = 128;
        x.own = x.threads / 32 * 16 * x.slabs;
        bool tight = f->backward || f->drop.below ||
                     (f->mask_dtype != DT_none && f->mask_dtype != DT_b8);
        x.tile = wide > (tight ? HALF_WIDTH / 2 : HALF_WIDTH) ? 32 : 64;
        x.buffers = 2;
    }
    x.one = !f->backward && f->keys <= x.tile;
    x.buffers = x.one ? 1 : x.buffers;
    while (f->shared_max && shared_bytes(f, &x) > f->shared_max && shrink(&x))
        ;
    x.one = x.one && f->keys <= x.tile;
    x.shared = shared_bytes(f, &x);
    return x;
}

static const char *element(DType d)
{
    return d == DT_b8 || d == DT_none ? "uint8_t" : d == DT_f32 ? "float" : dtype_info[d].name;
}

void flash_text(const Flash *f, StrBuf *out)
{
    FlashTiles x = tiles_of(f);
    int drop = !f->drop.below ? 0 : f->keys % 4 ? 2 : 1; /* 1: rows begin with a whole step */
    int mask = f->mask_dtype == DT_none ? 0 : f->mask_dtype == DT_b8 ? 1 : 2;
    sb_printf(out, "typedef %s Elem;\ntypedef %s MaskElem;\n#define ELEM_NAME \"%s\"\n",
              element(f->dtype), element(f->mask_dtype), element(f->dtype));
    sb_printf(out, "#define IN_HALVES %d\n#define BACKWARD %d\n#define CAUSAL %d\n"
                   "#define MASK %d\n#define STAGED %d\n#define DROPOUT %d\n"
                   "#define MASK_GRADIENT %d\n",
              f->dtype != DT_f32, f->backward, f->causal, mask, is_staged(f), drop, f->nout == 4);
    sb_printf(out, "#define WIDTH %d\n#define VALUE_WIDTH %d\n", (int)f->width,
              (int)f->value_width);
    sb_printf(out, "#define OWN %u\n#define TILE %u\n#define ROWS %u\n#define SLABS %u\n"
                   "#define THREADS %u\n#define CHUNK %u\n#define BUFFERS %u\n"
                   "#define ONE_TILE %d\n#define SHORT %d\n",
              x.own, x.tile, x.rows, x.slabs, x.threads, x.chunk, x.buffers, x.one, x.brief);
    sb_puts(out, flash_kernels());
}

uint32_t flash_launches(const Flash *f, FlashLaunch out[FLASH_LAUNCHES])
{
    FlashTiles x = tiles_of(f);
    int64_t places = f->batch * f->heads, key_places = places / f->group;
    int64_t warps = x.threads / 32;
    int64_t of_queries = (f->queries + x.own - 1) / x.own, of_keys = (f->keys + x.own - 1) / x.own;
    if (!f->backward) {
        out[0] = (FlashLaunch){"flash_forward", places * of_queries, of_queries, x.threads,
                               x.shared};
        return 1;
    }
    int64_t wide = f->width > f->value_width ? f->width : f->value_width;
    int64_t for_queries = (f->width + x.chunk - 1) / x.chunk;
    int64_t for_keys = (wide + x.chunk - 1) / x.chunk;
    out[0] = (FlashLaunch){"flash_sums", (places * f->queries + warps - 1) / warps, places,
                           x.threads, 0};
    out[1] = (FlashLaunch){"flash_of_queries", places * of_queries * for_queries, of_queries,
                           x.threads, x.shared};
    out[2] = (FlashLaunch){"flash_of_keys", key_places * of_keys * for_keys, of_keys, x.threads,
                           x.shared};
    if (f->nout < 4)
        return 3;
    const Type *mask = &f->in_type[FLASH_mask];
    int64_t down = size_of(mask, 2) == 1 ? 1 : of_queries;
    int64_t across = size_of(mask, 3) == 1 ? 1 : (f->keys + x.tile - 1) / x.tile;
    out[3] = (FlashLaunch){"flash_of_mask", size_of(mask, 0) * size_of(mask, 1) * down * across,
                           down, x.threads, x.shared};
    return 4;
}

int64_t flash_scratch(const Flash *f)
{
    return f->backward ? f->batch * f->heads * f->queries * (int64_t)sizeof(float) : 0;
}

/* ---------------------------------------------------------------------------------------- facts */

bool flash_lays(const Type *type, const int64_t *strides)
{
    bool good = type->rank >= 2 && type->rank <= 4 && (strides[type->rank - 1] == 1 ||
                                                       type->shape[type->rank - 1] == 1);
    for (uint32_t i = 0; i < type->rank && good; i++)
        good = strides[i] >= 0;
    return good;
}

static FlashOperand operand(const Tensor *t, uint64_t at)
{
    int64_t steps[4] = {0};
    for (uint32_t i = 0; i < t->rank; i++)
        steps[4 - t->rank + i] = t->shape[i] == 1 ? 0 : t->strides[i];
    return (FlashOperand){at, steps[0], steps[1], steps[2], steps[3]};
}

/* Whether rows begin at multiples of `bytes`, and end at such. */
static bool aligned(const Tensor *t, uint64_t at, int64_t bytes)
{
    int64_t unit = bytes / dtype_info[t->dtype].bytes;
    bool good = at % (uint64_t)bytes == 0 && t->shape[t->rank - 1] % unit == 0;
    for (uint32_t i = 0; i + 1 < t->rank && good; i++)
        good = t->strides[i] % unit == 0 || t->shape[i] == 1;
    return good;
}

/* A number of 24 bits is below b where the word that it begins is at most 256 b - 1. */
static void read_drop(const AttentionDrop *d, FlashFacts *facts)
{
    facts->offset = d->offset;
    facts->last = (uint32_t)(((uint64_t)d->below << 8) - 1);
    for (uint32_t r = 0; r < 10; r++) {
        facts->keys_of_rounds[2 * r] = (uint32_t)d->seed + r * 0x9e3779b9u;
        facts->keys_of_rounds[2 * r + 1] = (uint32_t)(d->seed >> 32) + r * 0xbb67ae85u;
    }
}

void flash_facts(const Flash *f, Tensor *const *in, const uint64_t *in_at, Tensor *const *out,
                 const uint64_t *out_at, FlashFacts *facts)
{
    *facts = (FlashFacts){.batches = f->batch, .heads = f->heads, .group = f->group,
                          .queries = f->queries,
                          .keys = f->keys, .scale = f->scale, .whole = 1, .pairs = 1,
                          .factor = f->drop.below ? f->drop.factor : 1};
    if (f->drop.below)
        read_drop(&f->drop, facts);
    FlashOperand *from[FLASH_IN] = {&facts->q, &facts->k, &facts->v, &facts->mask, &facts->out,
                                    NULL, &facts->grad};
    FlashOperand *to[FLASH_OUT] = {f->backward ? &facts->dq : &facts->out,
                                   f->backward ? &facts->dk : NULL, &facts->dv, &facts->dmask};
    for (uint32_t i = 0; i < 4; i++)
        facts->dmask_sizes[i] = f->nout == 4 ? size_of(&f->in_type[FLASH_mask], i) : 0;
    for (uint32_t i = 0; i < FLASH_IN; i++) {
        if (!f->in[i] || !from[i])
            continue;
        *from[i] = operand(in[i], in_at[i]);
        if (i != FLASH_mask && !aligned(in[i], in_at[i], 16))
            facts->whole = 0;
        if (i == FLASH_mask)
            facts->mask_whole = facts->mask.column == 1 && aligned(in[i], in_at[i], 16);
    }
    facts->logs = f->in[FLASH_logs] ? in_at[FLASH_logs] : 0;
    for (uint32_t i = 0; i < f->nout; i++) {
        if (!to[i]) {
            facts->logs = out_at[i];
            continue;
        }
        *to[i] = operand(out[i], out_at[i]);
        int64_t pair = 2 * dtype_info[out[i]->dtype].bytes;
        facts->pairs = facts->pairs && (i == 3 || aligned(out[i], out_at[i], pair));
    }
}
