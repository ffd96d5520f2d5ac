/* branches.c - who touched which memory last, while a device records; see branches.h. */
#include "branches.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, WORDS = MOST / 64, MOST_WAITS = 64, MOST_TOUCHED = 192 };

/* Memory that a statement touched; ranges that a later one wrote as a whole are gone. */
typedef struct Touch {
    uint64_t from, to;
    uint32_t who;
    bool write;
} Touch;

typedef struct Done {
    DeviceNode node; /* its last one */
    uint64_t before[WORDS]; /* a bit for each statement that has ended when this one starts */
} Done;

struct Branches {
    Done *done; /* by statement */
    uint32_t n, cap;
    Touch *touches;
    uint32_t ntouches, touch_cap;
    Touch mine[MOST_TOUCHED]; /* of the statement being recorded */
    uint32_t nmine;
    uint32_t waits[MOST_WAITS]; /* statements */
    uint32_t nwaits;
    DeviceNode told[MOST_WAITS]; /* what the device waits for as far as we know */
    uint32_t ntold;
    bool inside, failed;
    uint32_t forks;
};

Branches *branches_new(OpenDevice *dev)
{
    DeviceNode none[1];
    if (!dev->driver->record_after || dev->driver->recorded_last(dev, none, 0) == UINT32_MAX)
        return NULL;
    Branches *b = mem_resize(NULL, sizeof *b);
    memset(b, 0, sizeof *b);
    return b;
}

void branches_free(Branches *b)
{
    if (!b)
        return;
    free(b->done);
    free(b->touches);
    free(b);
}

static bool is_before(const Branches *b, uint32_t a, uint32_t of)
{
    return b->done[of].before[a / 64] >> (a % 64) & 1;
}

/* Adds statement `who` to what is waited for, without those that it waited for itself; whether
 * that changes anything. */
static bool add_wait(Branches *b, uint32_t who)
{
    for (uint32_t i = 0; i < b->nwaits; i++)
        if (b->waits[i] == who || is_before(b, who, b->waits[i]))
            return false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->nwaits; i++)
        if (!is_before(b, b->waits[i], who))
            b->waits[n++] = b->waits[i];
    b->nwaits = n;
    if (n == MOST_WAITS) {
        b->failed = true;
        return false;
    }
    b->waits[b->nwaits++] = who;
    return true;
}

/* Whether nothing was recorded since we last knew what is waited for. */
static bool is_fresh(const Branches *b, OpenDevice *dev)
{
    DeviceNode now[MOST_WAITS];
    uint32_t n = dev->driver->recorded_last(dev, now, MOST_WAITS);
    bool same = n == b->ntold && n <= MOST_WAITS;
    for (uint32_t i = 0; i < n && same; i++) {
        bool found = false;
        for (uint32_t k = 0; k < n && !found; k++)
            found = now[i] == b->told[k];
        same = found;
    }
    return same;
}

uint32_t branches_count(OpenDevice *dev)
{
    const Branches *b = dev->branches;
    return b->failed || !is_fresh(b, dev) ? UINT32_MAX : b->forks;
}

/* Before the first work of a statement all that it waits for is said anew; later a wait is
 * added. */
static void tell(Branches *b, OpenDevice *dev, uint32_t added)
{
    bool fresh = is_fresh(b, dev);
    DeviceNode nodes[MOST_WAITS];
    uint32_t n = 0;
    if (!fresh)
        nodes[n++] = b->done[added].node;
    for (uint32_t i = 0; i < b->nwaits && fresh; i++)
        nodes[n++] = b->done[b->waits[i]].node;
    if (!dev->driver->record_after(dev, nodes, n, !fresh))
        b->failed = true;
    dev->joined = !fresh || n != 1;
    if (!fresh)
        return;
    memcpy(b->told, nodes, n * sizeof *nodes);
    b->ntold = n;
}

void device_touch(OpenDevice *dev, uint64_t at, size_t bytes, bool write)
{
    Branches *b = dev->branches;
    if (!b || !dev->held || bytes == 0)
        return;
    uint64_t end = at + bytes;
    for (uint32_t i = 0; i < b->ntouches; i++) {
        const Touch *t = &b->touches[i];
        if (t->from < end && at < t->to && (write || t->write) && add_wait(b, t->who))
            tell(b, dev, t->who);
    }
    if (b->nmine == MOST_TOUCHED)
        b->failed = true;
    else
        b->mine[b->nmine++] = (Touch){at, end, 0, write};
}

bool branches_begin(OpenDevice *dev)
{
    Branches *b = dev->branches;
    if (!b || !dev->held || b->inside)
        return false;
    b->failed = b->failed || !is_fresh(b, dev); /* by nobody's statement */
    b->inside = true;
    b->nmine = b->nwaits = b->ntold = 0;
    dev->joined = true;
    if (!dev->driver->record_after(dev, NULL, 0, false))
        b->failed = true;
    return true;
}

/* What this statement wrote as a whole nobody has to compare with any more. */
static void forget_covered(Branches *b, const Touch *by)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->ntouches; i++)
        if (b->touches[i].from < by->from || b->touches[i].to > by->to)
            b->touches[n++] = b->touches[i];
    b->ntouches = n;
}

static void note_touches(Branches *b)
{
    for (uint32_t i = 0; i < b->nmine; i++)
        if (b->mine[i].write)
            forget_covered(b, &b->mine[i]);
    for (uint32_t i = 0; i < b->nmine; i++) {
        if (b->ntouches == b->touch_cap) {
            b->touch_cap = 2 * b->touch_cap + 64;
            b->touches = mem_resize(b->touches, b->touch_cap * sizeof *b->touches);
        }
        b->mine[i].who = b->n;
        b->touches[b->ntouches++] = b->mine[i];
    }
}

static void note_before(Branches *b, Done *d)
{
    for (uint32_t i = 0; i < b->nwaits; i++) {
        uint32_t w = b->waits[i];
        for (uint32_t k = 0; k < WORDS; k++)
            d->before[k] |= b->done[w].before[k];
        d->before[w / 64] |= (uint64_t)1 << (w % 64);
    }
}

void branches_end(OpenDevice *dev)
{
    Branches *b = dev->branches;
    if (!b || !dev->held || !b->inside)
        return;
    b->inside = false;
    dev->joined = false;
    if (is_fresh(b, dev))
        return; /* it recorded nothing */
    b->ntold = dev->driver->recorded_last(dev, b->told, MOST_WAITS);
    if (b->n == MOST || b->ntold != 1) {
        b->failed = true;
        return;
    }
    if (b->n == b->cap) {
        b->cap = 2 * b->cap + 64;
        b->done = mem_resize(b->done, b->cap * sizeof *b->done);
    }
    Done *d = &b->done[b->n];
    *d = (Done){.node = b->told[0]};
    note_before(b, d);
    b->forks += b->n > 0 && !is_before(b, b->n - 1, b->n);
    note_touches(b);
    b->n++;
}
