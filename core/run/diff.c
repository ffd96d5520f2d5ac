/*
 * diff.c - the line-by-line difference of two texts.
 *
 * Input: two texts. Output: their lines in order, each common, removed or added. Common lines are
 * those of the second text: where only one of two stages is planned, places make no difference.
 * Patience: what both share at the ends goes first, then lines that occur once in each text divide
 * the rest; a part without such lines is compared pairwise when it is small and replaced whole when
 * it is not. Time and memory are near-linear in the number of lines.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

typedef void DiffFn(void *user, char sign, Str line);

typedef struct Lines {
    Str *text;
    uint32_t *id; /* equal lines have equal numbers */
    uint32_t n;
} Lines;

typedef struct Diff {
    Lines a, b;
    DiffFn *fn;
    void *user;
    /* by line number; valid for the range at hand */
    uint32_t *count_a, *count_b, *where_b;
} Diff;

/* The line without its place in the planned arena, " @interp +1024" -> " @interp". */
static Str unplaced(Str line)
{
    size_t n = line.n;
    while (n && ((line.p[n - 1] >= '0' && line.p[n - 1] <= '9') || line.p[n - 1] == ',' ||
                 line.p[n - 1] == '-'))
        n--;
    bool placed = n > 1 && n < line.n && line.p[n - 1] == '+' && line.p[n - 2] == ' ';
    return placed && str_find(line, '#', 0) < n ? str_sub(line, 0, n - 2) : line;
}

static bool has_places(Str s)
{
    bool found = false;
    while (s.n && !found) {
        Str line = str_cut(&s, '\n');
        found = unplaced(line).n < line.n;
    }
    return found;
}

/* skip_places: lines that differ by their place only are equal. */
static Lines split(Str s, bool skip_places, Map *ids)
{
    Lines l = {0};
    uint32_t cap = 0;
    while (s.n) {
        if (l.n == cap) {
            cap = cap ? cap * 2 : 256;
            l.text = run_realloc(l.text, cap * sizeof *l.text);
            l.id = run_realloc(l.id, cap * sizeof *l.id);
        }
        Str line = str_cut(&s, '\n');
        bool is_new;
        MapEntry *e = map_put(ids, skip_places ? unplaced(line) : line, &is_new);
        if (is_new)
            e->u = ids->live - 1;
        l.text[l.n] = line;
        l.id[l.n++] = (uint32_t)e->u;
    }
    return l;
}

static void send(const Diff *d, char sign, const Lines *l, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        d->fn(d->user, sign, l->text[i]);
}

/* ------------------------------------------------------------------ small parts: pairwise table */

enum { TABLE_CELLS = 1 << 20 };

static void diff_table(const Diff *d, uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1)
{
    uint32_t n = a1 - a0, m = b1 - b0, row = m + 1;
    uint32_t *len = run_realloc(NULL, (size_t)(n + 1) * row * sizeof *len);
    for (uint32_t i = n + 1; i-- > 0;)
        for (uint32_t j = m + 1; j-- > 0;) {
            uint32_t *cell = &len[i * row + j];
            if (i == n || j == m)
                *cell = 0;
            else if (d->a.id[a0 + i] == d->b.id[b0 + j])
                *cell = cell[row + 1] + 1;
            else
                *cell = cell[row] >= cell[1] ? cell[row] : cell[1];
        }
    uint32_t i = 0, j = 0;
    while (i < n && j < m) {
        const uint32_t *cell = &len[i * row + j];
        if (d->a.id[a0 + i] == d->b.id[b0 + j])
            send(d, ' ', &d->b, b0 + j, b0 + j + 1), i++, j++;
        else if (cell[row] >= cell[1])
            send(d, '-', &d->a, a0 + i, a0 + i + 1), i++;
        else
            send(d, '+', &d->b, b0 + j, b0 + j + 1), j++;
    }
    send(d, '-', &d->a, a0 + i, a1);
    send(d, '+', &d->b, b0 + j, b1);
    free(len);
}

/* ------------------------------------------------------------------------------------ patience */

typedef struct Anchor {
    uint32_t a, b, prev; /* prev: index + 1 of the anchor before it in the chain */
} Anchor;

/* Lines that occur once in each range, in order of a. */
static uint32_t find_anchors(Diff *d, uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1,
                             Anchor *out)
{
    for (uint32_t i = a0; i < a1; i++)
        d->count_a[d->a.id[i]] = d->count_b[d->a.id[i]] = 0;
    for (uint32_t j = b0; j < b1; j++)
        d->count_a[d->b.id[j]] = d->count_b[d->b.id[j]] = 0;
    for (uint32_t i = a0; i < a1; i++)
        d->count_a[d->a.id[i]]++;
    for (uint32_t j = b0; j < b1; j++) {
        d->count_b[d->b.id[j]]++;
        d->where_b[d->b.id[j]] = j;
    }
    uint32_t n = 0;
    for (uint32_t i = a0; i < a1; i++) {
        uint32_t id = d->a.id[i];
        if (d->count_a[id] == 1 && d->count_b[id] == 1)
            out[n++] = (Anchor){i, d->where_b[id], 0};
    }
    return n;
}

/* Keeps the longest chain whose places in b rise too; returns its length. */
static uint32_t longest_chain(Anchor *x, uint32_t n)
{
    uint32_t *tails = run_realloc(NULL, n * sizeof *tails), len = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lo = 0, hi = len;
        while (lo < hi) {
            uint32_t mid = (lo + hi) / 2;
            if (x[tails[mid]].b < x[i].b)
                lo = mid + 1;
            else
                hi = mid;
        }
        x[i].prev = lo ? tails[lo - 1] + 1 : 0;
        tails[lo] = i;
        len = lo == len ? len + 1 : len;
    }
    Anchor *chain = run_realloc(NULL, len * sizeof *chain);
    for (uint32_t k = len, i = len ? tails[len - 1] + 1 : 0; k-- > 0; i = x[i - 1].prev)
        chain[k] = x[i - 1];
    if (len)
        memcpy(x, chain, len * sizeof *chain);
    free(chain);
    free(tails);
    return len;
}

static void diff_range(Diff *d, uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1);

static void diff_divided(Diff *d, uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1)
{
    Anchor *x = run_realloc(NULL, (a1 - a0) * sizeof *x);
    uint32_t n = longest_chain(x, find_anchors(d, a0, a1, b0, b1, x));
    if (n == 0) {
        free(x);
        if ((uint64_t)(a1 - a0) * (b1 - b0) <= TABLE_CELLS) {
            diff_table(d, a0, a1, b0, b1);
        } else {
            send(d, '-', &d->a, a0, a1);
            send(d, '+', &d->b, b0, b1);
        }
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        diff_range(d, a0, x[k].a, b0, x[k].b);
        send(d, ' ', &d->b, x[k].b, x[k].b + 1);
        a0 = x[k].a + 1;
        b0 = x[k].b + 1;
    }
    free(x);
    diff_range(d, a0, a1, b0, b1);
}

static void diff_range(Diff *d, uint32_t a0, uint32_t a1, uint32_t b0, uint32_t b1)
{
    while (a0 < a1 && b0 < b1 && d->a.id[a0] == d->b.id[b0]) {
        send(d, ' ', &d->b, b0, b0 + 1);
        a0++, b0++;
    }
    uint32_t end_b = b1;
    while (a0 < a1 && b0 < b1 && d->a.id[a1 - 1] == d->b.id[b1 - 1])
        a1--, b1--;
    if (a0 == a1 || b0 == b1) {
        send(d, '-', &d->a, a0, a1);
        send(d, '+', &d->b, b0, b1);
    } else {
        diff_divided(d, a0, a1, b0, b1);
    }
    send(d, ' ', &d->b, b1, end_b);
}

void text_diff(Str a, Str b, DiffFn *fn, void *user)
{
    Map ids = {0};
    Diff d = {.fn = fn, .user = user};
    bool skip_places = has_places(a) != has_places(b);
    d.a = split(a, skip_places, &ids);
    d.b = split(b, skip_places, &ids);
    size_t bytes = (ids.live + 1) * sizeof(uint32_t);
    d.count_a = run_realloc(NULL, bytes);
    d.count_b = run_realloc(NULL, bytes);
    d.where_b = run_realloc(NULL, bytes);
    diff_range(&d, 0, d.a.n, 0, d.b.n);
    free(d.count_a);
    free(d.count_b);
    free(d.where_b);
    free(d.a.text);
    free(d.a.id);
    free(d.b.text);
    free(d.b.id);
    map_free(&ids);
}
