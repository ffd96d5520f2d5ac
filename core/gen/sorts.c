/*
 * sorts.c - sort, topk and kthvalue along a dimension, as CUDA kernels.
 *
 * Input: a region of one of them. Output: launches that sort tiles of a line in shared memory. Of
 * few wanted elements each tile keeps so many, and what is left is sorted again until it is one
 * tile; else sorted runs are merged, each element finding its place by itself. Elements go with
 * their places, so equals stay in order and results are equal every time.
 */
#include "lines.h"
#include "sorts_text.h"

#include <string.h>

enum {
    TILE = SORTS_TILE,
    MOST_KEPT = TILE / 4,   /* of a tile, when what is kept is to be sorted again */
    MERGE_THREADS = 256,
    MOST_EACH = 8,          /* elements of a thread */
    MOST_WAYS = 16,         /* runs that one launch makes one of */
};

/* What is wanted of a sorted line: elements first to first + count. */
typedef struct Wanted {
    int64_t first, count;
    bool down;
} Wanted;

bool is_sort(const Node *n)
{
    uint32_t op = n->op->id;
    return op == PRIM_sort || op == PRIM_topk || op == PRIM_kthvalue;
}

static bool read_wanted(const Lines *l, Wanted *w)
{
    const Arg *a = l->node->args;
    bool sorts = l->node->op->id == PRIM_sort, top = l->node->op->id == PRIM_topk;
    const Arg *down = sorts ? &a[2] : top ? &a[3] : NULL;
    if ((down && down->kind != ARG_bool) || (!sorts && a[1].kind != ARG_int))
        return false;
    *w = (Wanted){.first = sorts || top ? 0 : a[1].i,
                  .count = sorts ? l->n : top ? a[1].i : 1,
                  .down = down && down->i};
    return true;
}

/* Elements of a line that are left when each tile keeps so many. */
static int64_t left_of(int64_t n, int64_t keep)
{
    int64_t full = (n - 1) / TILE, rest = n - full * TILE;
    return full * keep + (rest < keep ? rest : keep);
}

static bool keeps_few(const Wanted *w)
{
    return w->first + w->count <= MOST_KEPT;
}

/* As few runs at a time as the launches allow. */
uint32_t sorts_ways(int64_t n, uint32_t beside)
{
    for (uint32_t ways = 4; ways <= MOST_WAYS; ways *= 2) {
        uint32_t launches = beside + 1;
        for (int64_t run = TILE; run < n; run *= ways)
            launches++;
        if (launches <= MAX_LAUNCHES)
            return ways;
    }
    return 0;
}

static bool few_fit(int64_t n, const Wanted *w)
{
    uint32_t launches = 1;
    for (; n > TILE; n = left_of(n, w->first + w->count))
        launches++;
    return launches <= MAX_LAUNCHES;
}

bool sorts_fit(const Lines *l, StrBuf *why)
{
    Wanted w;
    bool known = read_wanted(l, &w);
    bool fits = known && (keeps_few(&w) ? few_fit(l->n, &w) : sorts_ways(l->n, 0) > 0);
    if (!fits && why)
        sb_puts(why, known ? "sorts lines of up to 10^9 elements" : "its order is not known");
    return fits;
}

/* -------------------------------------------------------------------------------------- writing */

typedef struct Sorts {
    const Lines *l;
    Wanted w;
    const char *symbol, *element, *packed; /* the type of an element; of it with its place */
    GenCuda *plan;
    StrBuf *out;
    int64_t lines, size; /* bytes of an element with its place */
    int64_t room;        /* elements of a line in either half of the scratch memory */
} Sorts;

int64_t sorts_halves(int64_t size, int64_t n)
{
    return 2 * ((n * size + 15) / 16 * 16);
}

void sorts_print_halves(const char *packed, int64_t size, int64_t n, uint32_t launch, StrBuf *out)
{
    for (uint32_t i = 0; i < 2; i++)
        sb_printf(out, "    %s *%s = (%s *)(scratch + %lld);\n", packed, i ? "to" : "from", packed,
                  (long long)((launch + i) % 2 * (sorts_halves(size, n) / 2)));
}

void sorts_shape(int64_t n, uint32_t *room, uint32_t *each)
{
    *room = 32;
    while (*room < n && *room < TILE)
        *room *= 2;
    *each = *room / 32 < MOST_EACH ? *room / 32 : MOST_EACH;
}

static void open_launch(const Sorts *s, const char *what, int64_t blocks, uint32_t threads,
                        uint32_t shared)
{
    GenLaunch launch = {.grid = {(uint32_t)blocks, 1, 1}, .block = {threads, 1, 1},
                        .shared = shared};
    bool scratch = s->room > 0;
    sb_printf(s->out, "%s// %s: %u blocks of %u threads\n", s->plan->nlaunch ? "\n" : "", what,
              launch.grid[0], threads);
    lines_open(s->l, s->symbol, launch, scratch, s->plan, s->out);
    lines_print_missing(s->l, s->out);
    if (!scratch)
        return;
    sorts_print_halves(s->packed, s->size, s->lines * s->room, s->plan->nlaunch, s->out);
    s->plan->scratch = sorts_halves(s->size, s->lines * s->room);
}

/* Sorts tiles of the n elements that a line has (left: has left); each keeps so many. */
static void print_tiles(const Sorts *s, int64_t n, bool left, int64_t keep)
{
    int64_t tiles = (n + TILE - 1) / TILE;
    uint32_t room, each;
    sorts_shape(n, &room, &each);
    open_launch(s, tiles == 1 ? "sorts lines" : "sorts tiles of lines", s->lines * tiles,
                room / each, (uint32_t)(room * s->size));
    sb_puts(s->out, "    sort_tile<");
    sb_printf(s->out, "%s, %s, %s, %u, %u, %lld, %lld, %s, %lld, %lld, %lld, %lld>(\n", s->packed,
              s->element, s->w.down ? "true" : "false", room, each, (long long)s->l->n,
              (long long)n, left ? "true" : "false", (long long)keep, (long long)s->w.first,
              (long long)s->w.count, (long long)s->l->inner);
    sb_printf(s->out, s->room ? "        in, from, to, out, place);\n}\n"
                              : "        in, (%s *)0, (%s *)0, out, place);\n}\n",
              s->packed, s->packed);
}

static void print_merge(const Sorts *s, int64_t run, uint32_t ways)
{
    int64_t all = s->lines * s->l->n;
    bool last = run * ways >= s->l->n;
    open_launch(s, "merges runs", (all + MERGE_THREADS - 1) / MERGE_THREADS, MERGE_THREADS, 0);
    sb_printf(s->out, "    merge_runs<%s, %lld, %lld, %u, %lld, %lld, %lld, %lld, %s>(\n",
              s->packed, (long long)s->l->n, (long long)run, ways, (long long)s->w.first,
              (long long)s->w.count, (long long)s->l->inner, (long long)s->lines,
              last ? "true" : "false");
    sb_puts(s->out, "        in, from, to, out, place);\n}\n");
}

static bool is_wide(const char *element)
{
    return strcmp(element, "double") == 0 || strcmp(element, "int64_t") == 0 ||
           strcmp(element, "uint64_t") == 0;
}

void sorts_cuda(const Lines *l, const char *symbol, GenCuda *plan, StrBuf *out)
{
    Sorts s = {.l = l, .symbol = symbol, .element = lines_element(l), .plan = plan, .out = out,
               .lines = l->outer * l->inner};
    if (!read_wanted(l, &s.w) || s.w.count == 0)
        return;
    s.packed = is_wide(s.element) ? "Wide" : "uint64_t";
    s.size = is_wide(s.element) ? 16 : 8;
    int64_t keep = keeps_few(&s.w) ? s.w.first + s.w.count : TILE, n = l->n;
    s.room = n > TILE ? left_of(n, keep) : 0;
    sb_puts(out, SORTS);
    print_tiles(&s, n, false, keep);
    if (keep == TILE) {
        uint32_t ways = sorts_ways(n, 0);
        for (int64_t run = TILE; run < n; run *= ways)
            print_merge(&s, run, ways);
        return;
    }
    while (n > TILE) {
        n = left_of(n, keep);
        print_tiles(&s, n, true, keep);
    }
}
