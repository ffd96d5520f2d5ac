/*
 * log.c - the rule log; see log.h.
 *
 * Writing an entry is a few stores: most are never read. A reason is kept as the arguments of its
 * format, packed; it becomes text when somebody asks for it. Pass, rule and format are found once
 * and remembered by their addresses, as a kind, with the arguments that the format takes. Strings
 * are copied, since names and other people's buffers may be gone by then.
 */
#define _DEFAULT_SOURCE
#include "log.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MOST_ARGUMENTS = 8, LONGEST_SPEC = 16 };

typedef enum Kind {
    KIND_int,
    KIND_long,
    KIND_long_long,
    KIND_size,
    KIND_double,
    KIND_string,  /* %s */
    KIND_counted, /* %.*s */
} Kind;

struct KindNode {
    RuleKind kind;
    bool known;   /* false: the reason is formatted at once */
    bool percent; /* it has a %% */
    uint8_t n;
    uint8_t arguments[MOST_ARGUMENTS];                /* Kind */
    uint16_t at[MOST_ARGUMENTS], len[MOST_ARGUMENTS]; /* of the conversions */
};

typedef union Word {
    long long i;
    double f;
    const char *p; /* a string of the program itself */
    struct {
        uint32_t at, n; /* a copied string, behind the words */
    } s;
} Word;

/* --------------------------------------------------------------------------------------- kinds */

/* One conversion at p, behind '%'; its length, 0 = not one of ours. */
static size_t read_conversion(const char *p, Kind *kind)
{
    static const struct {
        const char *text;
        Kind kind;
    } table[] = {{".*s", KIND_counted}, {"s", KIND_string},     {"u", KIND_int},
                 {"d", KIND_int},       {"lld", KIND_long_long}, {"llu", KIND_long_long},
                 {"ld", KIND_long},     {"lu", KIND_long},       {"zu", KIND_size},
                 {"c", KIND_int}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        size_t n = strlen(table[i].text);
        if (strncmp(p, table[i].text, n) == 0) {
            *kind = table[i].kind;
            return n;
        }
    }
    size_t n = strspn(p, "0123456789.");
    *kind = KIND_double;
    return n + 2 < LONGEST_SPEC && (p[n] == 'g' || p[n] == 'f') ? n + 1 : 0;
}

static void read_format(struct KindNode *k)
{
    const char *text = k->kind.format;
    k->known = true;
    for (const char *p = text; (p = strchr(p, '%'));) {
        Kind kind;
        k->percent |= p[1] == '%';
        size_t n = p[1] == '%' ? 1 : read_conversion(p + 1, &kind);
        if (n == 0 || k->n == MOST_ARGUMENTS || p - text > UINT16_MAX) {
            k->known = false;
            return;
        }
        if (p[1] != '%') {
            k->arguments[k->n] = (uint8_t)kind;
            k->at[k->n] = (uint16_t)(p - text);
            k->len[k->n++] = (uint16_t)(n + 1);
        }
        p += n + 1;
    }
}

/* The place of a kind among the slots, a power of two: where it is, or where it belongs. */
static struct KindNode **slot_of(struct KindNode **slots, uint32_t cap, const RuleKind *k)
{
    uintptr_t hash = ((uintptr_t)k->format >> 3) + ((uintptr_t)k->rule >> 1) + (uintptr_t)k->pass;
    for (uintptr_t i = hash;; i++) {
        struct KindNode **slot = &slots[i & (cap - 1)];
        const RuleKind *there = *slot ? &(*slot)->kind : NULL;
        if (!there || (there->format == k->format && there->rule == k->rule &&
                       there->pass == k->pass))
            return slot;
    }
}

static void more_slots(RuleLog *log)
{
    enum { FIRST = 256 };
    uint32_t cap = log->kind_cap ? 2 * log->kind_cap : FIRST;
    struct KindNode **slots = calloc(cap, sizeof(struct KindNode *));
    if (!slots)
        abort();
    for (uint32_t i = 0; i < log->kind_cap; i++)
        if (log->kinds[i])
            *slot_of(slots, cap, &log->kinds[i]->kind) = log->kinds[i];
    free(log->kinds);
    log->kinds = slots;
    log->kind_cap = cap;
}

static const struct KindNode *kind_of(RuleLog *log, const char *pass, const char *rule,
                                      const char *format)
{
    RuleKind key = {pass, rule, format, log};
    if (2 * log->nkinds >= log->kind_cap)
        more_slots(log);
    struct KindNode **slot = slot_of(log->kinds, log->kind_cap, &key);
    if (*slot)
        return *slot;
    *slot = new_of(&log->arena, struct KindNode);
    (*slot)->kind = key;
    read_format(*slot);
    log->nkinds++;
    return *slot;
}

/* ------------------------------------------------------------------------------------- writing */

/* Memory that is about to be filled from one end to the other: in large pages where it fills some,
 * since touching a fresh small page costs as much as twenty entries. */
static void *fresh_memory(size_t bytes)
{
    enum { LARGE_PAGE = 2 << 20 };
    void *p = NULL;
    if (bytes < LARGE_PAGE)
        p = malloc(bytes);
    else if (posix_memalign(&p, LARGE_PAGE, bytes) != 0)
        p = NULL;
    if (!p)
        abort();
#ifdef MADV_HUGEPAGE
    if (bytes >= LARGE_PAGE)
        madvise(p, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
    return p;
}

/* Room for n bytes, not cleared, aligned to 8. */
static void *take_room(RuleLog *log, size_t n)
{
    enum { FIRST = 1 << 16, CHUNK = 2 << 20 };
    n = (n + 7) & ~(size_t)7;
    if ((size_t)(log->room_end - log->room) < n) {
        size_t size = log->rooms ? CHUNK : FIRST;
        while (size < n + sizeof(LogRoom))
            size += CHUNK;
        LogRoom *r = fresh_memory(size);
        r->next = log->rooms;
        log->rooms = r;
        log->room = (char *)(r + 1);
        log->room_end = (char *)r + size;
    }
    void *p = log->room;
    log->room += n;
    return p;
}

/* Whether p lies in the program's own image, whose strings stay: most arguments are names of
 * operators, executors and dtypes. */
static bool is_permanent(const char *p)
{
#if defined(__linux__) && defined(__GNUC__)
    extern const char __executable_start[], end[];
    return (uintptr_t)p - (uintptr_t)__executable_start < (uintptr_t)(end - __executable_start);
#else
    (void)p;
    return false;
#endif
}

/* Reads the arguments; those of its strings that must be copied are in strings, their bytes
 * together are the result. */
static uint32_t read_arguments(const struct KindNode *k, va_list *ap, Word *words,
                               const char **strings, uint8_t *copied)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        size_t n;
        switch ((Kind)k->arguments[i]) {
        case KIND_int:
            words[i].i = va_arg(*ap, int);
            continue;
        case KIND_long:
            words[i].i = va_arg(*ap, long);
            continue;
        case KIND_long_long:
            words[i].i = va_arg(*ap, long long);
            continue;
        case KIND_size:
            words[i].i = (long long)va_arg(*ap, size_t);
            continue;
        case KIND_double:
            words[i].f = va_arg(*ap, double);
            continue;
        case KIND_counted:
            n = (size_t)va_arg(*ap, int);
            strings[i] = va_arg(*ap, const char *);
            break;
        default:
            strings[i] = words[i].p = va_arg(*ap, const char *);
            if (is_permanent(words[i].p))
                continue;
            n = strlen(words[i].p);
            break;
        }
        words[i].s.at = bytes;
        words[i].s.n = (uint32_t)n;
        *copied |= (uint8_t)(1u << i);
        bytes += (uint32_t)n;
    }
    return bytes;
}

static void log_reason(RuleLog *log, RuleEntry *e, const struct KindNode *k, va_list *ap)
{
    Word words[MOST_ARGUMENTS];
    const char *strings[MOST_ARGUMENTS];
    e->text = !k->known || (k->n == 0 && !k->percent);
    if (e->text) {
        const char *format = k->kind.format;
        e->reason = k->known ? format : arena_vprintf(&log->arena, format, *ap).p;
        return;
    }
    uint32_t bytes = read_arguments(k, ap, words, strings, &e->copied);
    Word *kept = take_room(log, k->n * sizeof *words + bytes);
    char *text = (char *)(kept + k->n);
    for (uint32_t i = 0; i < k->n; i++) {
        kept[i] = words[i];
        if (e->copied >> i & 1 && words[i].s.n)
            memcpy(text + words[i].s.at, strings[i], words[i].s.n);
    }
    e->reason = kept;
}

static uint32_t chunk_room(uint32_t chunk)
{
    return chunk ? 1u << LOG_CHUNK_BITS : LOG_FIRST;
}

static void add_chunk(RuleLog *log)
{
    uint32_t room = chunk_room(log->nchunks);
    RuleEntry **chunks = mem_resize(log->chunks, (log->nchunks + 1) * sizeof *chunks);
    log->chunks = chunks;
    log->next = chunks[log->nchunks++] = fresh_memory(room * sizeof *log->next);
    log->chunk_end = log->next + room;
}

static RuleEntry *next_entry(RuleLog *log)
{
    if (log->next == log->chunk_end)
        add_chunk(log);
    log->n++;
    return log->next++;
}

RuleEntry *log_add(RuleLog *log, const char *pass, const char *rule, const RuleEntry *e,
                   const char *format, va_list *ap)
{
    const struct KindNode *k = kind_of(log, pass, rule, format);
    RuleEntry *to = next_entry(log);
    *to = *e;
    to->kind = &k->kind;
    log_reason(log, to, k, ap);
    return to;
}

/* ------------------------------------------------------------------------------------- reading */

const RuleEntry *log_application(const RuleLog *log, uint32_t from, uint32_t to, uint64_t index)
{
    for (uint32_t i = from; i < to && i < log->n; i++)
        if (log_at(log, i)->verdict != RULE_refused && log_at(log, i)->index == index)
            return log_at(log, i);
    return NULL;
}

uint32_t log_number(const RuleLog *log, const RuleEntry *e)
{
    uint32_t first = 0, chunk = 0;
    while ((uintptr_t)e - (uintptr_t)log->chunks[chunk] >= chunk_room(chunk) * sizeof *e) {
        first += chunk_room(chunk++);
        assert(chunk < log->nchunks);
    }
    return first + (uint32_t)(e - log->chunks[chunk]);
}

static void put_argument(StrBuf *out, Kind kind, const char *spec, Word w, const char *copied)
{
    switch (kind) {
    case KIND_int:
        sb_printf(out, spec, (int)w.i);
        break;
    case KIND_long:
        sb_printf(out, spec, (long)w.i);
        break;
    case KIND_long_long:
        sb_printf(out, spec, w.i);
        break;
    case KIND_size:
        sb_printf(out, spec, (size_t)w.i);
        break;
    case KIND_double:
        sb_printf(out, spec, w.f);
        break;
    case KIND_string:
    case KIND_counted:
        sb_add(out, copied ? (Str){copied + w.s.at, w.s.n} : str_from(w.p));
        break;
    }
}

/* Literal text, in which %% stands for one. */
static void put_literal(StrBuf *out, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        sb_putc(out, p[i]);
        i += p[i] == '%';
    }
}

Str rule_reason(const RuleEntry *entry)
{
    RuleEntry *e = (RuleEntry *)entry; /* the text is what it was all along */
    if (e->text || !e->kind)
        return str_from(e->reason);
    const struct KindNode *k = (const struct KindNode *)e->kind; /* its first member */
    const Word *words = e->reason;
    const char *format = k->kind.format;
    StrBuf out = {0};
    size_t at = 0;
    for (uint32_t i = 0; i < k->n; i++) {
        char spec[LONGEST_SPEC + 2] = {0};
        bool copied = e->copied >> i & 1;
        put_literal(&out, format + at, k->at[i] - at);
        memcpy(spec, format + k->at[i], k->len[i]);
        put_argument(&out, (Kind)k->arguments[i], spec, words[i],
                     copied ? (const char *)(words + k->n) : NULL);
        at = (size_t)k->at[i] + k->len[i];
    }
    put_literal(&out, format + at, strlen(format + at));
    e->reason = arena_str(&k->kind.log->arena, sb_str(&out)).p;
    e->text = true;
    sb_free(&out);
    return str_from(e->reason);
}

void log_free(RuleLog *log)
{
    for (uint32_t i = 0; i < log->nchunks; i++)
        free(log->chunks[i]);
    free(log->chunks);
    free(log->kinds);
    for (LogRoom *r = log->rooms, *next; r; r = next) {
        next = r->next;
        free(r);
    }
    arena_free(&log->arena);
    *log = (RuleLog){0};
}

uint64_t clock_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
_Static_assert(sizeof(RuleEntry) <= 40, "entries are many, and most are never read");
