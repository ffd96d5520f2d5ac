/*
 * pack.c - memory for items with lifetimes; see pack.h.
 *
 * Two ways, and the better answer wins. The sweep goes through time, takes the best-fitting free
 * room when an item begins and gives it back when it ends: near-linear, for any number of items.
 * The other way places items in an order, each into the smallest gap between those that live at the
 * same time: those that live when most is alive before the others, then the largest first, then by
 * bytes times the time that they live, then by that time, and from the best of these on again and
 * again with the one in front that reached the end. It is quadratic, so it is tried only for a
 * moderate number, and only as often as a fixed number of comparisons allows.
 */
#include "pack.h"
#include "room.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BY_SIZE = 2000, COMPARISONS = 1000000, MOST_ORDERS = 100 };

/* ------------------------------------------------------------------------------------ by time */

static int by_end(const void *a, const void *b)
{
    const PackItem *x = *(const PackItem *const *)a, *y = *(const PackItem *const *)b;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return (x > y) - (x < y);
}

/* *full: a time at which as much is alive as the bound says. */
static int64_t pack_by_time(PackItem *items, uint32_t n, Arena *scratch, int64_t *bound,
                            uint32_t *full)
{
    PackItem **ending = new_array(scratch, PackItem *, n);
    uint32_t *block = new_array(scratch, uint32_t, n), ended = 0;
    int64_t live = 0, end;
    Room room = {0};
    for (uint32_t i = 0; i < n; i++)
        ending[i] = &items[i];
    qsort(ending, n, sizeof *ending, by_end);
    *bound = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (; ending[ended]->last < items[i].first; ended++) {
            room_give(&room, block[ending[ended] - items]);
            live -= ending[ended]->bytes;
        }
        block[i] = room_take(&room, items[i].bytes);
        items[i].offset = room.blocks[block[i]].offset;
        live += items[i].bytes;
        if (live > *bound) {
            *bound = live;
            *full = items[i].first;
        }
    }
    end = room.end;
    room_free(&room);
    return end;
}

/* ----------------------------------------------------------------------------------- in order */

typedef struct Placed {
    const PackItem *item;
    int64_t offset;
    double weight; /* the heaviest come first */
} Placed;

/* What is looked at for every item again and again: side by side, in order of offset. */
typedef struct Taken {
    int64_t from, to;
    uint32_t first, last;
} Taken;

static int by_weight(const void *a, const void *b)
{
    const Placed *x = a, *y = b;
    if (x->weight < y->weight || x->weight > y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

/* The smallest gap for an item among what lives at the same time, or the place behind it all. */
static int64_t find_gap(const Taken *taken, uint32_t n, const PackItem *item)
{
    int64_t best = -1, best_size = INT64_MAX, from = 0;
    for (const Taken *q = taken; q < taken + n; q++) {
        if (q->first > item->last || q->last < item->first)
            continue;
        int64_t gap = q->from - from;
        if (gap >= item->bytes && gap < best_size) {
            best = from;
            best_size = gap;
        }
        from = q->to > from ? q->to : from;
    }
    return best >= 0 ? best : from;
}

/* The number of the first that lies behind `offset`. */
static uint32_t find_behind(const Taken *taken, uint32_t n, int64_t offset)
{
    uint32_t low = 0;
    while (low < n) {
        uint32_t middle = low + (n - low) / 2;
        if (taken[middle].from <= offset)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static int64_t pack_in_order(Placed *placed, uint32_t n, Taken *taken)
{
    int64_t end = 0;
    for (uint32_t i = 0; i < n; i++) {
        const PackItem *x = placed[i].item;
        int64_t from = placed[i].offset = find_gap(taken, i, x), to = from + x->bytes;
        uint32_t at = find_behind(taken, i, from);
        memmove(taken + at + 1, taken + at, (i - at) * sizeof *taken);
        taken[at] = (Taken){from, to, x->first, x->last};
        end = to > end ? to : end;
    }
    return end;
}

static void to_front(Placed *placed, uint32_t n, int64_t end)
{
    uint32_t i = 0;
    while (i + 1 < n && placed[i].offset + placed[i].item->bytes != end)
        i++;
    Placed first = placed[i];
    memmove(placed + 1, placed, i * sizeof *placed);
    placed[0] = first;
}

/* The orders to begin with. At the time `full` most is alive, and every gap counts. */
typedef enum Order { BY_full, BY_bytes, BY_both, BY_time, ORDERS } Order;

static void sort_items(PackItem *items, Placed *placed, uint32_t n, Order order, uint32_t full)
{
    for (uint32_t i = 0; i < n; i++) {
        const PackItem *x = &items[i];
        double bytes = (double)x->bytes, time = 1.0 + x->last - x->first;
        bool alive = x->first <= full && full <= x->last;
        placed[i].item = x;
        placed[i].weight = order == BY_full    ? bytes * (alive ? 0x1p80 : 1)
                           : order == BY_bytes ? bytes
                           : order == BY_both  ? bytes * time
                                               : time;
    }
    qsort(placed, n, sizeof *placed, by_weight);
}

/* Places the items in this order; what was found so far stays when it is no worse. */
static int64_t try_order(PackItem *items, Placed *placed, uint32_t n, Taken *taken, int64_t *end)
{
    int64_t other = pack_in_order(placed, n, taken);
    for (uint32_t i = 0; i < n && other < *end; i++)
        items[placed[i].item - items].offset = placed[i].offset;
    *end = other < *end ? other : *end;
    return other;
}

/* Tries orders until one needs no more than the bound; `end` is what was found before. */
static int64_t pack_by_orders(PackItem *items, uint32_t n, int64_t bound, uint32_t full,
                              int64_t end, Arena *scratch)
{
    Placed *placed = new_array(scratch, Placed, n), *best = new_array(scratch, Placed, n);
    Taken *taken = new_array(scratch, Taken, n);
    int64_t left = 1 + COMPARISONS / ((int64_t)n * n), least = INT64_MAX;
    left = left < MOST_ORDERS ? left : MOST_ORDERS;
    for (int k = 0; k < ORDERS && left > 0 && end > bound; k++, left--) {
        sort_items(items, placed, n, (Order)k, full);
        int64_t other = try_order(items, placed, n, taken, &end);
        if (other >= least)
            continue;
        memcpy(best, placed, n * sizeof *placed);
        least = other;
    }
    for (; left > 0 && end > bound; left--) {
        to_front(best, n, least);
        least = try_order(items, best, n, taken, &end);
    }
    return end;
}

int64_t pack_items(PackItem *items, uint32_t n, int64_t *bound)
{
    Arena scratch = {0};
    for (uint32_t i = 0; i < n; i++)
        items[i].bytes = (items[i].bytes + ROOM_ALIGN - 1) / ROOM_ALIGN * ROOM_ALIGN;
    uint32_t full = 0;
    int64_t end = pack_by_time(items, n, &scratch, bound, &full);
    if (end > *bound && n <= MOST_BY_SIZE)
        end = pack_by_orders(items, n, *bound, full, end, &scratch);
    arena_free(&scratch);
    return end;
}
