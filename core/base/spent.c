/* spent.c - the clock behind the ledger; see spent.h. */
#include "spent.h"

#include "log.h"

#include <stddef.h>

const SpentRow spent_rows[SPENT_COUNT] = {
    [SPENT_nothing] = {NULL, NULL, false},
#define SPENT(id, name, once, what) [SPENT_##id] = {name, what, once},
#include "spent.def"
#undef SPENT
};

uint64_t spent_once(const Spent *s)
{
    uint64_t ns = 0;
    for (int i = 0; i < SPENT_COUNT; i++)
        ns += spent_rows[i].once ? s->ns[i] : 0;
    return ns;
}

void spent_back(Spent *s, SpentOn before)
{
    if (!s || s->on == before)
        return;
    uint64_t now = clock_ns();
    s->ns[s->on] += now - s->since;
    s->since = now;
    s->on = before;
}

SpentOn spent_turn(Spent *s, SpentOn on)
{
    SpentOn before = s ? s->on : SPENT_nothing;
    spent_back(s, on);
    if (s && before != on)
        s->times[on]++;
    return before;
}
