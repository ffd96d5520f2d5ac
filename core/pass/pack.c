/*
 * pack.c - memory for items with lifetimes; see pack.h.
 *
 * Two ways, and the better answer wins. The sweep goes through time, takes the best-fitting free
 * room when an item begins and gives it back when it ends: near-linear, for any number of items.
 * The other way places the largest items first, each into the smallest gap between those that live
 * at the same time: quadratic, so it is tried only for a moderate number.
 */
#include "pack.h"
#include "room.h"

#include <stdlib.h>

enum { MOST_BY_SIZE = 2000 };

/* ------------------------------------------------------------------------------------ by time */

static int by_end(const void *a, const void *b)
{
    const PackItem *x = *(const PackItem *const *)a, *y = *(const PackItem *const *)b;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return (x > y) - (x < y);
}

static int64_t pack_by_time(PackItem *items, uint32_t n, Arena *scratch, int64_t *bound)
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
        *bound = live > *bound ? live : *bound;
    }
    end = room.end;
    room_free(&room);
    return end;
}

/* ------------------------------------------------------------------------------------ by size */

typedef struct Placed {
    const PackItem *item;
    int64_t offset;
    struct Placed *next; /* in order of offset */
} Placed;

static int by_size(const void *a, const void *b)
{
    const PackItem *x = ((const Placed *)a)->item, *y = ((const Placed *)b)->item;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x > y) - (x < y);
}

/* The smallest gap for p among what lives at the same time, or the place behind it all. */
static int64_t find_gap(const Placed *head, const PackItem *item)
{
    int64_t best = -1, best_size = INT64_MAX, from = 0;
    for (const Placed *q = head; q; q = q->next) {
        if (q->item->first > item->last || q->item->last < item->first)
            continue;
        int64_t gap = q->offset - from;
        if (gap >= item->bytes && gap < best_size) {
            best = from;
            best_size = gap;
        }
        from = q->offset + q->item->bytes > from ? q->offset + q->item->bytes : from;
    }
    return best >= 0 ? best : from;
}

static int64_t pack_by_size(const PackItem *items, Placed *placed, uint32_t n)
{
    Placed *head = NULL;
    int64_t end = 0;
    for (uint32_t i = 0; i < n; i++)
        placed[i].item = &items[i];
    qsort(placed, n, sizeof *placed, by_size);
    for (uint32_t i = 0; i < n; i++) {
        Placed *p = &placed[i], **link = &head;
        p->offset = find_gap(head, p->item);
        while (*link && (*link)->offset <= p->offset)
            link = &(*link)->next;
        p->next = *link;
        *link = p;
        end = p->offset + p->item->bytes > end ? p->offset + p->item->bytes : end;
    }
    return end;
}

int64_t pack_items(PackItem *items, uint32_t n, int64_t *bound)
{
    Arena scratch = {0};
    for (uint32_t i = 0; i < n; i++)
        items[i].bytes = (items[i].bytes + ROOM_ALIGN - 1) / ROOM_ALIGN * ROOM_ALIGN;
    int64_t end = pack_by_time(items, n, &scratch, bound);
    if (end > *bound && n <= MOST_BY_SIZE) {
        Placed *placed = new_array(&scratch, Placed, n);
        int64_t other = pack_by_size(items, placed, n);
        for (uint32_t i = 0; i < n && other < end; i++)
            items[placed[i].item - items].offset = placed[i].offset;
        end = other < end ? other : end;
    }
    arena_free(&scratch);
    return end;
}
