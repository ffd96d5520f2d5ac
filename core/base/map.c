/* map.c - the hash map; see map.h. */
#include "map.h"

#include <stdlib.h>
#include <string.h>

/* 64-bit multiply-and-fold hash over 8-byte words (the construction of wyhash, simplified). */
static uint64_t fold_multiply(uint64_t a, uint64_t b)
{
    __extension__ unsigned __int128 m = (unsigned __int128)a * b;
    return (uint64_t)m ^ (uint64_t)(m >> 64);
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
    const unsigned char *c = p;
    /* The seed is mixed in first: were it only combined, it could cancel out a small key. */
    uint64_t h = fold_multiply(seed + 0x9e3779b97f4a7c15u, 0xa0761d6478bd642fu) ^ n;
    uint64_t w;
    for (; n >= 8; n -= 8, c += 8) {
        memcpy(&w, c, 8);
        h = fold_multiply(h ^ w, 0xa0761d6478bd642fu);
    }
    w = 0;
    if (n)
        memcpy(&w, c, n);
    return fold_multiply(h ^ w, 0xe7037ed1a0b428dbu);
}

static uint32_t *map_slot(const Map *m, Str key, uint64_t hash)
{
    uint32_t i = (uint32_t)hash & (m->nslots - 1);
    for (;; i = (i + 1) & (m->nslots - 1)) {
        uint32_t e = m->slots[i];
        if (e == 0)
            return &m->slots[i];
        const MapEntry *entry = &m->entries[e - 1];
        if (entry->hash == hash && entry->key.p && str_eq(entry->key, key))
            return &m->slots[i];
    }
}

MapEntry *map_get(const Map *m, Str key)
{
    if (m->nslots == 0)
        return NULL;
    uint32_t e = *map_slot(m, key, hash_bytes(key.p, key.n, 0));
    return e ? &m->entries[e - 1] : NULL;
}

/* Makes room for one more entry: compacts removed ones away and rebuilds the slots. */
static void map_rehash(Map *m)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->entries[i].key.p)
            m->entries[n++] = m->entries[i];
    m->n = n;
    uint32_t nslots = 16;
    while ((uint64_t)nslots * 3 < ((uint64_t)n + 1) * 8)
        nslots *= 2;
    m->nslots = nslots;
    m->slots = mem_resize(m->slots, nslots * sizeof *m->slots);
    memset(m->slots, 0, nslots * sizeof *m->slots);
    m->cap = nslots / 4 * 3;
    m->entries = mem_resize(m->entries, m->cap * sizeof *m->entries);
    for (uint32_t i = 0; i < n; i++)
        *map_slot(m, m->entries[i].key, m->entries[i].hash) = i + 1;
}

MapEntry *map_put(Map *m, Str key, bool *was_new)
{
    uint64_t hash = hash_bytes(key.p, key.n, 0);
    if (m->n == m->cap)
        map_rehash(m);
    uint32_t *slot = map_slot(m, key, hash);
    if (was_new)
        *was_new = *slot == 0;
    if (*slot)
        return &m->entries[*slot - 1];
    MapEntry *e = &m->entries[m->n];
    *e = (MapEntry){.key = arena_str(&m->keys, key), .hash = hash};
    *slot = ++m->n;
    m->live++;
    return e;
}

bool map_remove(Map *m, Str key)
{
    MapEntry *e = map_get(m, key);
    if (!e)
        return false;
    e->key.p = NULL; /* the slot stays taken, so that probing goes on past it */
    m->live--;
    return true;
}

void map_clear(Map *m)
{
    if (m->nslots)
        memset(m->slots, 0, m->nslots * sizeof *m->slots);
    m->n = m->live = 0;
    arena_free(&m->keys);
}

void map_free(Map *m)
{
    free(m->entries);
    free(m->slots);
    arena_free(&m->keys);
    *m = (Map){0};
}
