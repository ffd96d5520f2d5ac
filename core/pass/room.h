/*
 * room.h - offsets in one growing block of memory, by best fit.
 *
 * room_take finds room, room_give makes it free again; free neighbours become one block. Both take
 * constant time up to the bounded search in one size class. All sizes are multiples of ROOM_ALIGN.
 */
#ifndef THUNDER_ROOM_H
#define THUNDER_ROOM_H

#include "arena.h"

enum { ROOM_ALIGN = 64, ROOM_CLASSES = 64 * 8 };

typedef struct RoomBlock {
    int64_t offset, size;
    uint32_t left, right; /* neighbours in memory; 0 = none */
    uint32_t next, prev;  /* in the list of its size class, when free */
    bool free;
} RoomBlock;

typedef struct Room {
    RoomBlock *blocks; /* blocks[0] is unused */
    uint32_t n, cap;
    uint32_t spare; /* block records to use again, linked by next */
    uint32_t last;  /* the block at the end of memory */
    uint32_t heads[ROOM_CLASSES];
    uint64_t nonempty[ROOM_CLASSES / 64]; /* classes whose list is not empty */
    int64_t end;                          /* size of the memory so far */
} Room;

uint32_t room_take(Room *p, int64_t bytes); /* a block; its offset is p->blocks[it].offset */
void room_give(Room *p, uint32_t block);
void room_free(Room *p);

#endif
