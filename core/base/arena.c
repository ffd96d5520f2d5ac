/* arena.c - bump allocation in growing blocks; see arena.h. */
#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16, FIRST_BLOCK = 4 << 10, MAX_BLOCK = 1 << 20 };

struct ArenaBlock {
    ArenaBlock *next;
    size_t cap, used;
    size_t pad; /* keeps the data that follows aligned */
};

void *mem_resize(void *p, size_t size)
{
    void *q = realloc(p, size ? size : 1);
    if (!q)
        abort();
    return q;
}

static void *block_data(ArenaBlock *b)
{
    return b + 1;
}

static ArenaBlock *arena_grow(Arena *a, size_t size)
{
    size_t cap = a->head ? a->head->cap * 2 : FIRST_BLOCK;
    if (cap > MAX_BLOCK)
        cap = MAX_BLOCK;
    if (cap < size)
        cap = size;
    ArenaBlock *b = malloc(sizeof *b + cap);
    if (!b)
        abort();
    *b = (ArenaBlock){.next = a->head, .cap = cap};
    a->head = b;
    a->total += sizeof *b + cap;
    return b;
}

void *arena_alloc(Arena *a, size_t size)
{
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    ArenaBlock *b = a->head;
    if (!b || b->cap - b->used < size)
        b = arena_grow(a, size);
    char *p = (char *)block_data(b) + b->used;
    b->used += size;
    memset(p, 0, size);
    return p;
}

void *arena_copy(Arena *a, const void *p, size_t size)
{
    if (size == 0)
        return NULL;
    return memcpy(arena_alloc(a, size), p, size);
}

Str arena_str(Arena *a, Str s)
{
    char *p = arena_alloc(a, s.n + 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    return (Str){p, s.n};
}

Str arena_vprintf(Arena *a, const char *fmt, va_list ap)
{
    char buf[256];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(buf, sizeof buf, fmt, ap);
    size_t len = n > 0 ? (size_t)n : 0;
    char *p = arena_alloc(a, len + 1);
    if (len < sizeof buf)
        memcpy(p, buf, len);
    else
        vsnprintf(p, len + 1, fmt, again);
    va_end(again);
    return (Str){p, len};
}

Str arena_printf(Arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    Str s = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return s;
}

ArenaMark arena_mark(const Arena *a)
{
    return (ArenaMark){a->head, a->head ? a->head->used : 0};
}

void arena_release(Arena *a, ArenaMark m)
{
    while (a->head != m.block) {
        ArenaBlock *b = a->head;
        a->head = b->next;
        a->total -= sizeof *b + b->cap;
        free(b);
    }
    if (a->head)
        a->head->used = m.used;
}

void arena_free(Arena *a)
{
    arena_release(a, (ArenaMark){NULL, 0});
}
