/*
 * spent.h - a ledger of time: what it was spent on, told by whoever does it.
 *
 * At any time it is spent on one thing. spent_turn says on what from now on and gives what it was
 * before; whoever turned it turns it back. So what happens inside something else counts once, and
 * the rows add up to the whole. For one thread; what others do meanwhile is waited for, or free.
 */
#ifndef THUNDER_SPENT_H
#define THUNDER_SPENT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum SpentOn {
    SPENT_nothing, /* nobody asked for anything: not counted */
#define SPENT(id, name, once, what) SPENT_##id,
#include "spent.def"
#undef SPENT
    SPENT_COUNT,
} SpentOn;

typedef struct SpentRow {
    const char *name, *what;
    bool once; /* a second run does nothing of it */
} SpentRow;

extern const SpentRow spent_rows[SPENT_COUNT]; /* of SPENT_nothing: NULL */

typedef struct Spent {
    uint64_t ns[SPENT_COUNT];
    uint32_t times[SPENT_COUNT]; /* how often it was turned to */
    SpentOn on;
    uint64_t since;
} Spent;

/* Nanoseconds so far of what is done once. */
uint64_t spent_once(const Spent *s);
/* From now on time is spent on this; what it was spent on before. NULL is allowed. */
SpentOn spent_turn(Spent *s, SpentOn on);
/* The same at the end of something: does not count as one more time. */
void spent_back(Spent *s, SpentOn before);

#endif
