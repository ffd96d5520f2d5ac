/*
 * log.c - the rule log; see log.h.
 *
 * Writing an entry is a few stores: most are never read. A reason is kept as its format and the
 * arguments, packed; it becomes text when somebody asks for it. Which arguments a format takes is
 * found once and remembered by the format's address. Strings are copied, since names and other
 * people's buffers may be gone by then.
 */
#define _DEFAULT_SOURCE
#include "log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MOST_ARGUMENTS = 8, LONGEST_SPEC = 16, ENTRIES_A_TICK = 16 };

typedef enum Kind {
    KIND_int,
    KIND_long,
    KIND_long_long,
    KIND_size,
    KIND_double,
    KIND_string,  /* %s */
    KIND_counted, /* %.*s */
} Kind;

struct ReasonFormat {
    const char *text; /* its address is the key */
    bool known;       /* false: something that is formatted at once */
    bool percent;     /* it has a %% */
    uint8_t n;
    uint8_t kinds[MOST_ARGUMENTS];
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

struct Arguments {
    RuleLog *log;
    uint64_t copied; /* bit by argument: a string that is kept here */
    Word words[];
};

/* ------------------------------------------------------------------------------------- formats */

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

static void read_format(const char *text, struct ReasonFormat *f)
{
    *f = (struct ReasonFormat){.text = text, .known = true};
    for (const char *p = text; (p = strchr(p, '%'));) {
        Kind kind;
        f->percent |= p[1] == '%';
        size_t n = p[1] == '%' ? 1 : read_conversion(p + 1, &kind);
        if (n == 0 || f->n == MOST_ARGUMENTS || p - text > UINT16_MAX) {
            f->known = false;
            return;
        }
        if (p[1] != '%') {
            f->kinds[f->n] = (uint8_t)kind;
            f->at[f->n] = (uint16_t)(p - text);
            f->len[f->n++] = (uint16_t)(n + 1);
        }
        p += n + 1;
    }
}

static const struct ReasonFormat *format_of(RuleLog *log, const char *text)
{
    enum { SLOTS = 256 };
    if (!log->formats) {
        log->formats = calloc(SLOTS, sizeof *log->formats);
        if (!log->formats)
            abort();
    }
    struct ReasonFormat *f = &log->formats[((uintptr_t)text >> 3) % SLOTS];
    if (f->text != text)
        read_format(text, f);
    return f;
}

/* ------------------------------------------------------------------------------------- writing */

/* Memory that is about to be filled from one end to the other: in large pages where it fills some,
 * since touching a fresh small page costs as much as twenty entries. */
static void *fresh_memory(size_t bytes)
{
    enum { LARGE_PAGE = 2 << 20 };
    bool large = bytes >= LARGE_PAGE && bytes % LARGE_PAGE == 0;
    void *p = large ? aligned_alloc(LARGE_PAGE, bytes) : malloc(bytes);
    if (!p)
        abort();
#ifdef MADV_HUGEPAGE
    if (large)
        madvise(p, bytes, MADV_HUGEPAGE);
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
static uint32_t read_arguments(const struct ReasonFormat *f, va_list *ap, Word *words,
                               const char **strings, uint64_t *copied)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        size_t n;
        switch ((Kind)f->kinds[i]) {
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
        *copied |= (uint64_t)1 << i;
        bytes += (uint32_t)n;
    }
    return bytes;
}

static void log_reason(RuleLog *log, RuleEntry *e, const char *format, va_list *ap)
{
    const struct ReasonFormat *f = format_of(log, format);
    Word words[MOST_ARGUMENTS];
    const char *strings[MOST_ARGUMENTS];
    uint64_t copied = 0;
    e->reason = format;
    if (!f->known)
        e->reason = arena_vprintf(&log->arena, format, *ap).p;
    if (!f->known || (f->n == 0 && !f->percent))
        return;
    uint32_t bytes = read_arguments(f, ap, words, strings, &copied);
    struct Arguments *r = take_room(log, sizeof *r + f->n * sizeof *words + bytes);
    r->log = log;
    r->copied = copied;
    char *text = (char *)(r->words + f->n);
    for (uint32_t i = 0; i < f->n; i++) {
        r->words[i] = words[i];
        if (copied >> i & 1 && words[i].s.n)
            memcpy(text + words[i].s.at, strings[i], words[i].s.n);
    }
    e->arguments = r;
}

static RuleEntry *next_entry(RuleLog *log)
{
    if (log->n == log->cap) {
        uint32_t cap = log->cap ? log->cap * 4 : 2048;
        RuleEntry *p = fresh_memory(cap * sizeof *p);
        if (log->n)
            memcpy(p, log->entries, log->n * sizeof *p);
        free(log->entries);
        log->entries = p;
        log->cap = cap;
    }
    if (log->n % ENTRIES_A_TICK == 0)
        log->now = clock_ns();
    return &log->entries[log->n++];
}

uint32_t log_add(RuleLog *log, RuleEntry e)
{
    RuleEntry *to = next_entry(log);
    *to = e;
    to->ns = log->now;
    return log->n - 1;
}

RuleEntry *log_vadd(RuleLog *log, const RuleEntry *e, const char *format, va_list *ap)
{
    RuleEntry *to = next_entry(log);
    *to = *e;
    to->ns = log->now;
    log_reason(log, to, format, ap);
    return to;
}

/* ------------------------------------------------------------------------------------- reading */

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
    const struct Arguments *r = e->arguments;
    const char *format = e->reason;
    if (!r)
        return str_from(format);
    struct ReasonFormat f;
    StrBuf out = {0};
    size_t at = 0;
    read_format(format, &f);
    for (uint32_t i = 0; i < f.n; i++) {
        char spec[LONGEST_SPEC + 2] = {0};
        bool copied = r->copied >> i & 1;
        put_literal(&out, format + at, f.at[i] - at);
        memcpy(spec, format + f.at[i], f.len[i]);
        put_argument(&out, (Kind)f.kinds[i], spec, r->words[i],
                     copied ? (const char *)(r->words + f.n) : NULL);
        at = (size_t)f.at[i] + f.len[i];
    }
    put_literal(&out, format + at, strlen(format + at));
    e->reason = arena_str(&r->log->arena, sb_str(&out)).p;
    e->arguments = NULL;
    sb_free(&out);
    return str_from(e->reason);
}

void log_free(RuleLog *log)
{
    free(log->entries);
    free(log->formats);
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
_Static_assert(sizeof(RuleEntry) <= 64, "an entry is one line of the cache");
