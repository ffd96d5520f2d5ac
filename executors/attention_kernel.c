/* attention_kernel.c - blocked attention; see attention_kernel.h. */
#include "attention_kernel.h"

#include <math.h>
#include <string.h>

#ifdef THUNDER_HAVE_OPENMP
#include <omp.h>
#define ATTENTION_PRAGMA(text) _Pragma(#text)
#define PARALLEL_FOR(when) ATTENTION_PRAGMA(omp parallel for schedule(dynamic, 1) if (when))
#else
#define PARALLEL_FOR(when) (void)(when);
#endif

enum {
    BLOCK = 64,      /* rows of a block */
    WIDTH_STEP = 32, /* widths are padded to this */
    THREADS_FROM = 1 << 20, /* multiplications that are worth the start of threads */
    MOVED_FROM = 1 << 16,   /* floats moved, the same */
};

typedef struct BlockLoops {
    void (*product)(int64_t m, int64_t n, int64_t k, const float *a, int64_t row, int64_t col,
                    const float *b, int64_t ldb, float *c, int64_t ldc);
    void (*exp_rows)(int64_t m, int64_t n, float *s, int64_t ld, const float *shift, float *sum);
    void (*max_rows)(int64_t m, int64_t n, const float *s, int64_t ld, float *max);
    void (*scale_rows)(int64_t m, int64_t n, float *x, int64_t ld, const float *factor);
    void (*draw_rows)(const AttentionDrop *d, int64_t m, int64_t first, int64_t step, float *out);
    void (*multiply_rows)(int64_t m, const float *x, float *y);
    void (*slope_rows)(int64_t m, int64_t n, const float *p, float *d, int64_t ld,
                       const float *shift);
} BlockLoops;

#define NAME(x) x##_plain
#define LANES 4
#define ROWS 4
#define TARGET
#include "attention_block.h"
#undef NAME
#undef LANES
#undef ROWS
#undef TARGET

#ifdef __x86_64__
#define NAME(x) x##_avx2
#define LANES 8
#define ROWS 6
#define TARGET __attribute__((target("avx2,fma")))
#include "attention_block.h"
#undef NAME
#undef LANES
#undef ROWS
#undef TARGET

#define NAME(x) x##_avx512
#define LANES 16
#define ROWS 8
#define TARGET __attribute__((target("avx512f,avx512dq,fma")))
#include "attention_block.h"
#undef NAME
#undef LANES
#undef ROWS
#undef TARGET
#endif

static const BlockLoops *loops_here(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &loops_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &loops_avx2;
#endif
    return &loops_plain;
}

/* ------------------------------------------------------------------------------------- elements */

static int64_t padded(int64_t width)
{
    return (width + WIDTH_STEP - 1) / WIDTH_STEP * WIDTH_STEP;
}

static int64_t blocks(int64_t rows)
{
    return (rows + BLOCK - 1) / BLOCK;
}

static float get(const AttentionTensor *t, int64_t at)
{
    if (t->type == ATTENTION_f32)
        return ((const float *)t->p)[at];
    uint32_t bits = (uint32_t)((const uint16_t *)t->p)[at] << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* To nearest even. */
static void set(const AttentionTensor *t, int64_t at, float x)
{
    uint32_t bits;
    if (t->type == ATTENTION_f32) {
        ((float *)t->p)[at] = x;
        return;
    }
    memcpy(&bits, &x, sizeof bits);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    ((uint16_t *)t->p)[at] = (uint16_t)(isnan(x) ? 0x7fc0 : rounded);
}

/* Where matrix `number` of the leading dimensions begins. */
static int64_t start(const Attention *a, const AttentionTensor *t, int64_t number, int64_t group)
{
    int64_t at = 0;
    for (uint32_t i = a->nleading; i-- > 0;) {
        int64_t index = number % a->leading[i];
        at += (i + 1 == a->nleading ? index / group : index) * t->leading[i];
        number /= a->leading[i];
    }
    return at;
}

static int64_t matrices(const Attention *a)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < a->nleading; i++)
        n *= a->leading[i];
    return n;
}

/* Of the scores and the results, all blocks of keys counted. */
static int64_t multiplications(const Attention *a)
{
    return matrices(a) * blocks(a->queries) * blocks(a->keys) * BLOCK * BLOCK *
           (a->width + a->value_width);
}

/* Rows of t times factor as dense floats, the padding 0. */
static void load_rows(const AttentionTensor *t, int64_t at, int64_t rows, int64_t width,
                      float factor, float *out)
{
    int64_t ld = padded(width);
    for (int64_t i = 0; i < rows; i++) {
        float *to = out + i * ld;
        if (t->type == ATTENTION_f32 && t->col == 1) {
            const float *from = (const float *)t->p + at + i * t->row;
            for (int64_t j = 0; j < width; j++)
                to[j] = from[j] * factor;
        } else {
            for (int64_t j = 0; j < width; j++)
                to[j] = get(t, at + i * t->row + j * t->col) * factor;
        }
        memset(to + width, 0, (size_t)(ld - width) * sizeof *to);
    }
}

/* Up to BLOCK rows of t as columns: [width, BLOCK]. */
static void load_columns(const AttentionTensor *t, int64_t at, int64_t rows, int64_t width,
                         float *out)
{
    bool plain = t->type == ATTENTION_f32 && t->col == 1;
    for (int64_t i = 0; i < rows; i++) {
        const float *from = plain ? (const float *)t->p + at + i * t->row : NULL;
        for (int64_t j = 0; j < width; j++)
            out[j * BLOCK + i] = plain ? from[j] : get(t, at + i * t->row + j * t->col);
    }
    for (int64_t j = 0; j < width && rows < BLOCK; j++)
        memset(out + j * BLOCK + rows, 0, (size_t)(BLOCK - rows) * sizeof *out);
}

static void store_rows(const AttentionTensor *t, int64_t at, int64_t rows, int64_t width,
                       float factor, const float *from)
{
    int64_t ld = padded(width);
    bool plain = t->type == ATTENTION_f32 && t->col == 1;
    for (int64_t i = 0; i < rows; i++) {
        float *to = plain ? (float *)t->p + at + i * t->row : NULL;
        if (plain)
            for (int64_t j = 0; j < width; j++)
                to[j] = from[i * ld + j] * factor;
        else
            for (int64_t j = 0; j < width; j++)
                set(t, at + i * t->row + j * t->col, from[i * ld + j] * factor);
    }
}

/* --------------------------------------------------------------------------------------- scores */

/* Scores of a block that do not count are -inf; a mask of numbers is added. */
static void mask_scores(const Attention *a, int64_t number, int64_t i0, int64_t m, int64_t j0,
                        int64_t n, float *s)
{
    const AttentionTensor *mask = &a->mask;
    int64_t base = mask->p ? start(a, mask, number, 1) : 0;
    for (int64_t i = 0; i < m; i++) {
        float *row = s + i * BLOCK;
        for (int64_t j = 0; mask->p && j < n; j++) {
            int64_t at = base + (i0 + i) * mask->row + (j0 + j) * mask->col;
            if (mask->type != ATTENTION_bool)
                row[j] += get(mask, at);
            else if (!((const uint8_t *)mask->p)[at])
                row[j] = -INFINITY;
        }
        int64_t end = a->causal && i0 + i - j0 + 1 < n ? i0 + i - j0 + 1 : n;
        for (int64_t j = end < 0 ? 0 : end; j < BLOCK; j++)
            row[j] = -INFINITY;
    }
}

/* The scores of m queries (already scaled) with the keys of a block. */
static void scores_of(const Attention *a, const BlockLoops *loops, int64_t number, int64_t i0,
                      int64_t m, int64_t j0, int64_t n, const float *q, const float *keys,
                      float *s)
{
    memset(s, 0, (size_t)(m * BLOCK) * sizeof *s);
    loops->product(m, BLOCK, a->width, q, padded(a->width), 1, keys, BLOCK, s, BLOCK);
    if (a->mask.p || a->causal || n < BLOCK)
        mask_scores(a, number, i0, m, j0, n, s);
}

/* What dropout multiplies the weights of a block by; false when there is none. */
static bool draw(const Attention *a, const BlockLoops *loops, int64_t number, int64_t i0, int64_t m,
                 int64_t j0, float *out)
{
    if (a->drop.below == 0)
        return false;
    int64_t first = (number * a->queries + i0) * a->keys + j0;
    loops->draw_rows(&a->drop, m, first, a->keys, out);
    return true;
}

/* Keys that the queries from i0 on may see. */
static int64_t keys_seen(const Attention *a, int64_t i0, int64_t m)
{
    return a->causal && i0 + m < a->keys ? i0 + m : a->keys;
}

/* -------------------------------------------------------------------------------------- forward */

typedef struct Forward {
    const Attention *a;
    const BlockLoops *loops;
    float *keys, *values; /* of all key heads, block by block */
    float *own;           /* scratch memory of the threads */
    int64_t key_block, value_block;
} Forward;

/* Floats that one thread needs: a block of queries, of sums, of scores, of what dropout keeps. */
static int64_t forward_own(const Attention *a)
{
    int64_t scores = a->drop.below ? 2 * BLOCK : BLOCK;
    return BLOCK * (padded(a->width) + padded(a->value_width) + scores);
}

static int threads(void)
{
#ifdef THUNDER_HAVE_OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

static int thread(void)
{
#ifdef THUNDER_HAVE_OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/* Keys and values are packed once and read by all blocks of queries. */
static void pack_keys(const Forward *f, int64_t number)
{
    const Attention *a = f->a;
    int64_t nblocks = blocks(a->keys), j0 = number % nblocks * BLOCK;
    int64_t head = number / nblocks * a->group; /* the first query head of this key head */
    int64_t n = a->keys - j0 < BLOCK ? a->keys - j0 : BLOCK;
    load_columns(&a->k, start(a, &a->k, head, a->group) + j0 * a->k.row, n, a->width,
                 f->keys + number * f->key_block);
    load_rows(&a->v, start(a, &a->v, head, a->group) + j0 * a->v.row, n, a->value_width, 1,
              f->values + number * f->value_block);
}

/* Takes one block of scores into the running softmax: m rows, sums and maxima so far. */
static void online(const BlockLoops *loops, int64_t m, float *s, float *max, float *sum,
                   float *acc, int64_t ld)
{
    float top[BLOCK], shift[BLOCK], part[BLOCK], keep[BLOCK];
    loops->max_rows(m, BLOCK, s, BLOCK, top);
    for (int64_t i = 0; i < m; i++) {
        float now = top[i] > max[i] ? top[i] : max[i];
        shift[i] = now == -INFINITY ? 0 : now;
        keep[i] = max[i] == -INFINITY ? 0 : expf(max[i] - shift[i]);
        max[i] = now;
    }
    loops->exp_rows(m, BLOCK, s, BLOCK, shift, part);
    for (int64_t i = 0; i < m; i++)
        sum[i] = sum[i] * keep[i] + part[i];
    loops->scale_rows(m, ld, acc, ld, keep);
}

static void forward_block(const Forward *f, int64_t number)
{
    const Attention *a = f->a;
    int64_t nq = blocks(a->queries), head = number / nq, i0 = number % nq * BLOCK;
    int64_t m = a->queries - i0 < BLOCK ? a->queries - i0 : BLOCK, ld = padded(a->value_width);
    float *q = f->own + thread() * forward_own(a), *acc = q + BLOCK * padded(a->width);
    float *s = acc + BLOCK * ld, *kept = s + BLOCK * BLOCK, max[BLOCK], sum[BLOCK] = {0};
    load_rows(&a->q, start(a, &a->q, head, 1) + i0 * a->q.row, m, a->width, a->scale, q);
    memset(acc, 0, (size_t)(m * ld) * sizeof *acc);
    for (int64_t i = 0; i < m; i++)
        max[i] = -INFINITY;
    int64_t seen = keys_seen(a, i0, m), first = head / a->group * blocks(a->keys);
    for (int64_t j0 = 0; j0 < seen; j0 += BLOCK) {
        int64_t n = a->keys - j0 < BLOCK ? a->keys - j0 : BLOCK, at = first + j0 / BLOCK;
        scores_of(a, f->loops, head, i0, m, j0, n, q, f->keys + at * f->key_block, s);
        online(f->loops, m, s, max, sum, acc, ld);
        if (draw(a, f->loops, head, i0, m, j0, kept))
            f->loops->multiply_rows(m, kept, s);
        f->loops->product(m, ld, n, s, BLOCK, 1, f->values + at * f->value_block, ld, acc, ld);
    }
    int64_t lse = a->lse.p ? start(a, &a->lse, head, 1) : 0;
    for (int64_t i = 0; i < m; i++) {
        if (a->lse.p)
            set(&a->lse, lse + (i0 + i) * a->lse.row,
                max[i] == -INFINITY ? -INFINITY : max[i] + logf(sum[i]));
        sum[i] = sum[i] == 0 ? 0 : 1 / sum[i];
    }
    f->loops->scale_rows(m, ld, acc, ld, sum);
    store_rows(&a->out, start(a, &a->out, head, 1) + i0 * a->out.row, m, a->value_width, 1, acc);
}

void attention_forward(const Attention *a, float *scratch, const volatile int *stop)
{
    int64_t packed = matrices(a) / a->group * blocks(a->keys);
    Forward f = {.a = a, .loops = loops_here(), .keys = scratch};
    f.key_block = BLOCK * a->width;
    f.value_block = BLOCK * padded(a->value_width);
    f.values = f.keys + packed * f.key_block;
    f.own = f.values + packed * f.value_block;
    PARALLEL_FOR(packed * (f.key_block + f.value_block) >= MOVED_FROM)
    for (int64_t i = 0; i < packed; i++)
        pack_keys(&f, i);
    int64_t n = matrices(a) * blocks(a->queries);
    PARALLEL_FOR(multiplications(a) >= THREADS_FROM)
    for (int64_t i = 0; i < n; i++)
        if (!stop || !*stop)
            forward_block(&f, n - 1 - i); /* the long rows of a causal mask first */
}

/* ------------------------------------------------------------------------------------- backward */

/* What one thread holds of a head: q (scaled), its gradient, that of the result, and row sums; of
 * a block of keys: rows and columns of keys, columns of values, two gradients, two score blocks,
 * what dropout keeps. */
typedef struct Backward {
    float *q, *dq, *grad, *shift, *lse;
    float *k, *keys, *values, *dk, *dv, *p, *ds, *kept;
} Backward;

/* Few heads are cut along their keys, into as many pieces whatever the number of threads is, so
 * that results do not depend on it. Each piece has a gradient of the queries of its own; they are
 * added up in order. */
enum { BACKWARD_PIECES = 16 };

static int64_t pieces(const Attention *a)
{
    int64_t heads = matrices(a), most = blocks(a->keys);
    int64_t n = (BACKWARD_PIECES + heads - 1) / heads;
    return n < most ? n : most;
}

/* The floats of one gradient of a head's queries. */
static int64_t queries_size(const Attention *a)
{
    return blocks(a->queries) * BLOCK * padded(a->width);
}

static int64_t backward_shared(const Attention *a)
{
    return pieces(a) > 1 ? matrices(a) * pieces(a) * queries_size(a) : 0;
}

static int64_t backward_own(const Attention *a)
{
    int64_t w = padded(a->width), vw = padded(a->value_width), rows = blocks(a->queries) * BLOCK;
    int64_t blocks_of_scores = a->drop.below ? 3 : 2;
    return rows * (2 * w + vw + 2) +
           BLOCK * (2 * w + a->width + a->value_width + vw + blocks_of_scores * BLOCK);
}

static Backward carve(const Attention *a, float *at)
{
    int64_t w = padded(a->width), vw = padded(a->value_width), rows = blocks(a->queries) * BLOCK;
    Backward b = {.q = at};
    b.dq = b.q + rows * w;
    b.grad = b.dq + rows * w;
    b.shift = b.grad + rows * vw;
    b.lse = b.shift + rows;
    b.k = b.lse + rows;
    b.dk = b.k + BLOCK * w;
    b.keys = b.dk + BLOCK * w;
    b.values = b.keys + BLOCK * a->width;
    b.dv = b.values + BLOCK * a->value_width;
    b.p = b.dv + BLOCK * vw;
    b.ds = b.p + BLOCK * BLOCK;
    b.kept = b.ds + BLOCK * BLOCK;
    return b;
}

/* Everything that all blocks of keys read: shift is the sum of grad times out over a row. */
static void begin_head(const Attention *a, const Backward *b, int64_t head)
{
    int64_t ld = padded(a->value_width);
    load_rows(&a->q, start(a, &a->q, head, 1), a->queries, a->width, a->scale, b->q);
    load_rows(&a->grad, start(a, &a->grad, head, 1), a->queries, a->value_width, 1, b->grad);
    memset(b->dq, 0, (size_t)(a->queries * padded(a->width)) * sizeof *b->dq);
    int64_t out = start(a, &a->out, head, 1), lse = start(a, &a->lse, head, 1);
    for (int64_t i = 0; i < a->queries; i++) {
        float sum = 0, log = get(&a->lse, lse + i * a->lse.row);
        for (int64_t j = 0; j < a->value_width; j++)
            sum += b->grad[i * ld + j] * get(&a->out, out + i * a->out.row + j * a->out.col);
        b->shift[i] = sum;
        b->lse[i] = log == -INFINITY ? INFINITY : log; /* a row without any key: weights of 0 */
    }
}

/* What m queries from i0 on give to the n keys from j0 on, and these to them. */
static void backward_pair(const Attention *a, const BlockLoops *loops, const Backward *b,
                          int64_t head, int64_t i0, int64_t m, int64_t j0, int64_t n)
{
    int64_t w = padded(a->width), vw = padded(a->value_width);
    float unused[BLOCK];
    const float *q = b->q + i0 * w, *grad = b->grad + i0 * vw;
    scores_of(a, loops, head, i0, m, j0, n, q, b->keys, b->p);
    loops->exp_rows(m, BLOCK, b->p, BLOCK, b->lse + i0, unused);
    memset(b->ds, 0, (size_t)(m * BLOCK) * sizeof *b->ds);
    loops->product(m, BLOCK, a->value_width, grad, vw, 1, b->values, BLOCK, b->ds, BLOCK);
    const float *weights = b->p;
    if (draw(a, loops, head, i0, m, j0, b->kept)) {
        loops->multiply_rows(m, b->kept, b->ds);
        loops->multiply_rows(m, b->p, b->kept);
        weights = b->kept;
    }
    loops->product(n, vw, m, weights, 1, BLOCK, grad, vw, b->dv, vw);
    loops->slope_rows(m, BLOCK, b->p, b->ds, BLOCK, b->shift + i0);
    loops->product(m, w, n, b->ds, BLOCK, 1, b->k, w, b->dq + i0 * w, w);
    loops->product(n, w, m, b->ds, 1, BLOCK, q, w, b->dk, w);
}

/* What the keys of blocks from first to before last give, and what they are given. */
static void backward_keys(const Attention *a, const BlockLoops *loops, const Backward *b,
                          int64_t head, int64_t first, int64_t last)
{
    int64_t w = padded(a->width), vw = padded(a->value_width);
    for (int64_t j0 = first * BLOCK; j0 < a->keys && j0 < last * BLOCK; j0 += BLOCK) {
        int64_t n = a->keys - j0 < BLOCK ? a->keys - j0 : BLOCK;
        int64_t k = start(a, &a->k, head, 1) + j0 * a->k.row;
        int64_t v = start(a, &a->v, head, 1) + j0 * a->v.row;
        load_rows(&a->k, k, n, a->width, 1, b->k);
        load_columns(&a->k, k, n, a->width, b->keys);
        load_columns(&a->v, v, n, a->value_width, b->values);
        memset(b->dk, 0, (size_t)(BLOCK * w) * sizeof *b->dk);
        memset(b->dv, 0, (size_t)(BLOCK * vw) * sizeof *b->dv);
        for (int64_t i0 = a->causal ? j0 : 0; i0 < a->queries; i0 += BLOCK) {
            int64_t m = a->queries - i0 < BLOCK ? a->queries - i0 : BLOCK;
            backward_pair(a, loops, b, head, i0, m, j0, n);
        }
        store_rows(&a->dk, start(a, &a->dk, head, 1) + j0 * a->dk.row, n, a->width, 1, b->dk);
        store_rows(&a->dv, start(a, &a->dv, head, 1) + j0 * a->dv.row, n, a->value_width, 1,
                   b->dv);
    }
}

static void store_queries(const Attention *a, int64_t head, int64_t i0, int64_t m, const float *dq)
{
    store_rows(&a->dq, start(a, &a->dq, head, 1) + i0 * a->dq.row, m, a->width, a->scale, dq);
}

/* Adds up what the pieces of a head gave to one block of queries. */
static void add_pieces(const Attention *a, float *partial, int64_t number)
{
    int64_t nq = blocks(a->queries), head = number / nq, i0 = number % nq * BLOCK;
    int64_t m = a->queries - i0 < BLOCK ? a->queries - i0 : BLOCK, w = padded(a->width);
    float *sum = partial + head * pieces(a) * queries_size(a) + i0 * w;
    for (int64_t k = 1; k < pieces(a); k++)
        for (int64_t i = 0; i < m * w; i++)
            sum[i] += sum[k * queries_size(a) + i];
    store_queries(a, head, i0, m, sum);
}

void attention_backward(const Attention *a, float *scratch, const volatile int *stop)
{
    const BlockLoops *loops = loops_here();
    int64_t np = pieces(a), n = matrices(a) * np, nk = blocks(a->keys);
    float *own = scratch + backward_shared(a);
    PARALLEL_FOR(multiplications(a) >= THREADS_FROM)
    for (int64_t i = 0; i < n; i++) {
        Backward b = carve(a, own + thread() * backward_own(a));
        int64_t head = i / np, piece = i % np;
        if (stop && *stop)
            continue;
        if (np > 1)
            b.dq = scratch + i * queries_size(a);
        begin_head(a, &b, head);
        backward_keys(a, loops, &b, head, piece * nk / np, (piece + 1) * nk / np);
        if (np == 1)
            store_queries(a, head, 0, a->queries, b.dq);
    }
    int64_t sums = np > 1 && !(stop && *stop) ? matrices(a) * blocks(a->queries) : 0;
    PARALLEL_FOR(sums * queries_size(a) * np >= MOVED_FROM)
    for (int64_t i = 0; i < sums; i++)
        add_pieces(a, scratch, i);
}

size_t attention_scratch(const Attention *a, bool gradient)
{
    int64_t packed = matrices(a) / a->group * blocks(a->keys) * BLOCK;
    int64_t own = gradient ? backward_own(a) : forward_own(a);
    int64_t shared = gradient ? backward_shared(a) : packed * (a->width + padded(a->value_width));
    return (size_t)(shared + threads() * own);
}
