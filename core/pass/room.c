/*
 * room.c - best-fit placement; see room.h.
 *
 * Free blocks hang in lists by size class: the power of two of the size, cut in eight. The smallest
 * that fits is looked for in the own class (a bounded number of blocks), then the next class that
 * is not empty fits in any case. When nothing fits the memory grows, and a free block at its end
 * grows with it.
 */
#include "room.h"

#include <stdlib.h>

enum { MAX_TRIES = 64 };

static uint32_t top_bit(uint64_t x)
{
    uint32_t bit = 0;
    while (x >>= 1)
        bit++;
    return bit;
}

/* Ascending in size, and all sizes of a class are below those of the next. */
static uint32_t size_class(int64_t size)
{
    uint64_t units = (uint64_t)size / ROOM_ALIGN;
    uint32_t bit = top_bit(units);
    uint64_t rest = bit >= 3 ? units >> (bit - 3) : units << (3 - bit);
    return bit * 8 + (uint32_t)(rest & 7);
}

static uint32_t new_block(Room *p)
{
    if (p->spare) {
        uint32_t b = p->spare;
        p->spare = p->blocks[b].next;
        return b;
    }
    if (p->n == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 64;
        p->blocks = mem_resize(p->blocks, p->cap * sizeof *p->blocks);
    }
    if (p->n == 0)
        p->blocks[p->n++] = (RoomBlock){0};
    return p->n++;
}

static void list_add(Room *p, uint32_t b)
{
    uint32_t k = size_class(p->blocks[b].size);
    p->blocks[b].free = true;
    p->blocks[b].prev = 0;
    p->blocks[b].next = p->heads[k];
    if (p->heads[k])
        p->blocks[p->heads[k]].prev = b;
    p->heads[k] = b;
    p->nonempty[k / 64] |= (uint64_t)1 << (k % 64);
}

static void list_remove(Room *p, uint32_t b)
{
    RoomBlock *x = &p->blocks[b];
    uint32_t k = size_class(x->size);
    x->free = false;
    if (x->next)
        p->blocks[x->next].prev = x->prev;
    if (x->prev)
        p->blocks[x->prev].next = x->next;
    else
        p->heads[k] = x->next;
    if (!p->heads[k])
        p->nonempty[k / 64] &= ~((uint64_t)1 << (k % 64));
}

static uint32_t best_in_class(const Room *p, uint32_t k, int64_t size)
{
    uint32_t best = 0, tries = 0;
    for (uint32_t b = p->heads[k]; b && tries < MAX_TRIES; b = p->blocks[b].next, tries++)
        if (p->blocks[b].size >= size && (!best || p->blocks[b].size < p->blocks[best].size))
            best = b;
    return best;
}

static uint32_t find_free(const Room *p, int64_t size)
{
    uint32_t k = size_class(size), b = best_in_class(p, k, size);
    if (b)
        return b;
    k++;
    for (uint32_t w = k / 64; w < ROOM_CLASSES / 64; w++) {
        uint64_t bits = p->nonempty[w];
        if (w == k / 64)
            bits &= ~(uint64_t)0 << (k % 64);
        if (bits)
            return best_in_class(p, w * 64 + top_bit(bits & (~bits + 1)), size);
    }
    return 0;
}

/* Cuts what is too much off block b and puts it into the free lists. */
static void trim(Room *p, uint32_t b, int64_t size)
{
    if (p->blocks[b].size == size)
        return;
    uint32_t rest = new_block(p);
    RoomBlock *x = &p->blocks[b];
    p->blocks[rest] = (RoomBlock){
        .offset = x->offset + size, .size = x->size - size, .left = b, .right = x->right};
    if (x->right)
        p->blocks[x->right].left = rest;
    else
        p->last = rest;
    x->right = rest;
    x->size = size;
    list_add(p, rest);
}

static uint32_t grow_end(Room *p, int64_t size)
{
    uint32_t b = p->last;
    if (b && p->blocks[b].free) {
        list_remove(p, b);
        p->end += size - p->blocks[b].size;
        p->blocks[b].size = size;
        return b;
    }
    b = new_block(p);
    p->blocks[b] = (RoomBlock){.offset = p->end, .size = size, .left = p->last};
    if (p->last)
        p->blocks[p->last].right = b;
    p->last = b;
    p->end += size;
    return b;
}

uint32_t room_take(Room *p, int64_t bytes)
{
    int64_t size = bytes > 0 ? bytes : ROOM_ALIGN;
    uint32_t b = find_free(p, size);
    if (!b)
        return grow_end(p, size);
    list_remove(p, b);
    trim(p, b, size);
    return b;
}

/* Makes the right one of two neighbours part of the left one. */
static void absorb(Room *p, uint32_t left, uint32_t right)
{
    RoomBlock *x = &p->blocks[left];
    x->size += p->blocks[right].size;
    x->right = p->blocks[right].right;
    if (x->right)
        p->blocks[x->right].left = left;
    else
        p->last = left;
    p->blocks[right].next = p->spare;
    p->spare = right;
}

void room_give(Room *p, uint32_t b)
{
    uint32_t right = p->blocks[b].right, left = p->blocks[b].left;
    if (right && p->blocks[right].free) {
        list_remove(p, right);
        absorb(p, b, right);
    }
    if (left && p->blocks[left].free) {
        list_remove(p, left);
        absorb(p, left, b);
        b = left;
    }
    list_add(p, b);
}

void room_free(Room *p)
{
    free(p->blocks);
    *p = (Room){0};
}
