/*
 * log.h - the rule log: every application of a rule inside a pass is one entry.
 *
 * `why`, `history`, `bisect`, fuel and blame are queries on this log and nothing else. An entry is
 * a few stores, and reasons become text when they are read, so it is always on. Values and nodes
 * are named by their numbers in the traces of the pass; a value keeps its number from stage to
 * stage (see ir.h), so a subject can be followed through the whole log.
 */
#ifndef THUNDER_LOG_H
#define THUNDER_LOG_H

#include "arena.h"

typedef enum Verdict {
    RULE_done,    /* applied: the trace changed */
    RULE_refused, /* looked at and not applied; the reason says why */
    RULE_skipped, /* would have applied; fuel or `skip` prevented it */
} Verdict;

/* What many entries have in common; one of each kind in a log. */
typedef struct RuleKind {
    const char *pass;   /* static name of the pass */
    const char *rule;   /* static name of the rule, e.g. "x * 1 -> x" */
    const char *format; /* of the reason: facts, one clause; "" = none */
    struct RuleLog *log;
} RuleKind;

typedef struct RuleEntry {
    const RuleKind *kind;
    const void *reason; /* rule_reason gives it as text */
    uint32_t stage;     /* serial number of the stage that the pass made */
    uint32_t index;     /* number of this application within its pass, from 0; refusals share
                         * the number of the next application */
    uint32_t subject;   /* value that the rule is about (0 = none) */
    uint32_t other;     /* a second value: what replaced it, or the partner (0 = none) */
    uint32_t made;      /* values from this number on, up to the next entry with one, are its work;
                         * 0 = not said */
    uint8_t verdict;    /* Verdict */
    bool text;          /* the reason is text already */
    uint8_t copied;     /* bit by argument of the reason: a string that is kept behind them */
} RuleEntry;

typedef struct LogRoom LogRoom;
struct LogRoom {
    LogRoom *next;
    uint64_t unused; /* keeps what follows aligned */
};

enum { LOG_FIRST = 1 << 13, LOG_CHUNK_BITS = 18 };

/* Entries stay where they are: they lie in chunks, a small one and many large ones. */
typedef struct RuleLog {
    Arena arena; /* kinds, and reasons that were asked for */
    LogRoom *rooms; /* arguments of those that were not */
    char *room, *room_end;
    RuleEntry **chunks;
    RuleEntry *next, *chunk_end;
    uint32_t n, nchunks;
    struct KindNode **kinds; /* by the addresses of their texts */
    uint32_t nkinds, kind_cap;
} RuleLog;

/* Adds e, to which the kind and the reason are given. The texts live as long as the program, or at
 * least as long as the log. */
RuleEntry *log_add(RuleLog *log, const char *pass, const char *rule, const RuleEntry *e,
                   const char *format, va_list *ap);
/* Entry number i < log->n. */
static inline RuleEntry *log_at(const RuleLog *log, uint32_t i)
{
    uint32_t at = i - LOG_FIRST;
    return i < LOG_FIRST ? &log->chunks[0][i]
                         : &log->chunks[1 + (at >> LOG_CHUNK_BITS)]
                                       [at & ((1u << LOG_CHUNK_BITS) - 1)];
}
/* Application `index` of the pass whose entries are from .. to, done or skipped; NULL = none. */
const RuleEntry *log_application(const RuleLog *log, uint32_t from, uint32_t to, uint64_t index);
uint32_t log_number(const RuleLog *log, const RuleEntry *e); /* of an entry of the log */
/* The reason as text; it lives as long as the log, which stays where it is. */
Str rule_reason(const RuleEntry *e);
void log_free(RuleLog *log);
uint64_t clock_ns(void); /* monotonic */

#endif
