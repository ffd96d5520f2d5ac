/*
 * map.h - the one hash map: byte strings to 64-bit numbers or pointers.
 *
 * Keys are copied into the map's own arena. Open addressing, linear probing, at most 3/4 full.
 * {0} is an empty map. Iteration is in order of insertion, so that what is derived from a map does
 * not depend on hash values.
 */
#ifndef THUNDER_MAP_H
#define THUNDER_MAP_H

#include "arena.h"

typedef struct MapEntry {
    Str key;
    uint64_t hash;
    union {
        uint64_t u;
        void *p;
        const void *cp;
    };
} MapEntry;

typedef struct Map {
    MapEntry *entries; /* in order of insertion; removed ones have key.p == NULL */
    uint32_t *slots;   /* entry number + 1, 0 = empty */
    uint32_t n, cap;   /* entries used and allocated */
    uint32_t nslots;   /* power of two */
    uint32_t live;
    Arena keys;
} Map;

MapEntry *map_get(const Map *m, Str key); /* NULL when absent; valid until the next insertion */
MapEntry *map_put(Map *m, Str key, bool *was_new); /* finds or inserts (0); was_new may be NULL */
bool map_remove(Map *m, Str key);
void map_clear(Map *m);
void map_free(Map *m);

#define map_for_each(m, e) \
    for (MapEntry *e = (m)->entries; e && e < (m)->entries + (m)->n; e++) \
        if (e->key.p)

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed); /* not cryptographic */

#endif
