/*
 * arena.h - bump allocation: many small things that die together.
 *
 * Memory from an arena is zeroed, aligned to 16 bytes and never moves; it is given back all at once
 * by arena_free, or down to a mark by arena_release. Law of lifetimes: a pointer may lead from a
 * shorter-lived arena to a longer-lived one, never the other way. When the machine has no memory
 * left the process aborts; sizes that come from a user's file are checked before they get here.
 */
#ifndef THUNDER_ARENA_H
#define THUNDER_ARENA_H

#include "str.h"

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
    ArenaBlock *head; /* newest block; NULL for an empty arena: {0} is ready to use */
    size_t total;     /* bytes held from the system */
} Arena;

typedef struct ArenaMark {
    ArenaBlock *block;
    size_t used;
} ArenaMark;

/* realloc for what grows outside of an arena: never NULL, the size may be 0. */
void *mem_resize(void *p, size_t size);

void *arena_alloc(Arena *a, size_t size);
void *arena_copy(Arena *a, const void *p, size_t size); /* NULL when size is 0 */
Str arena_str(Arena *a, Str s);                         /* a copy, NUL-terminated */
Str arena_printf(Arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
Str arena_vprintf(Arena *a, const char *fmt, va_list ap);
ArenaMark arena_mark(const Arena *a);
void arena_release(Arena *a, ArenaMark m); /* frees everything allocated since the mark */
void arena_free(Arena *a);                 /* frees all of it; the arena is empty and usable */

#define new_of(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define new_array(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

#endif
