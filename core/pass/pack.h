/*
 * pack.h - places for things that live for a while, in as little memory as can be found quickly.
 */
#ifndef THUNDER_PACK_H
#define THUNDER_PACK_H

#include "arena.h"

typedef struct PackItem {
    int64_t bytes;        /* rounded up to ROOM_ALIGN by pack_items */
    uint32_t first, last; /* it lives from time first to time last, both included */
    int64_t offset;       /* the answer: a multiple of ROOM_ALIGN */
} PackItem;

/* Gives every item an offset so that no two that live at the same time overlap; returns the memory
 * needed. Items come in ascending order of first. *bound is what any placement needs at least. */
int64_t pack_items(PackItem *items, uint32_t n, int64_t *bound);

#endif
