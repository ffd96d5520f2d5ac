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

typedef struct RuleEntry {
    const char *pass;     /* static name of the pass */
    const char *rule;     /* static name of the rule, e.g. "x * 1 -> x" */
    uint32_t stage;       /* serial number of the stage that the pass made */
    uint32_t index;       /* number of this application within its pass, from 0; refusals share
                           * the number of the next application */
    uint32_t subject;     /* value that the rule is about (0 = none) */
    uint32_t other;       /* a second value: what replaced it, or the partner (0 = none) */
    uint32_t made; /* values from this number on, up to the next entry with one, are its work; 0 =
                    * not said */
    Verdict verdict;
    const char *reason;   /* rule_reason gives it as text */
    const struct Arguments *arguments; /* of the reason, until somebody asks for it; NULL = none */
    uint64_t ns;          /* monotonic clock at the entry, or at one a few entries before */
} RuleEntry;

typedef struct LogRoom LogRoom;
struct LogRoom {
    LogRoom *next;
    uint64_t unused; /* keeps what follows aligned */
};

typedef struct RuleLog {
    Arena arena; /* reasons that were asked for */
    LogRoom *rooms; /* those that were not */
    char *room, *room_end;
    RuleEntry *entries;
    uint32_t n, cap;
    uint64_t now; /* when the clock was looked at last */
    struct ReasonFormat *formats;
} RuleLog;

/* Returns the entry's number; e.reason is kept as it is (NULL = none). */
uint32_t log_add(RuleLog *log, RuleEntry e);
/* Adds e with a reason: facts, one clause; "" = none. The format lives as long as the program. The
 * entry stays in its place until the next one is added. */
RuleEntry *log_vadd(RuleLog *log, const RuleEntry *e, const char *format, va_list *ap);
/* The reason as text; it lives as long as the log, which stays where it is. */
Str rule_reason(const RuleEntry *e);
void log_free(RuleLog *log);
uint64_t clock_ns(void); /* monotonic */

#endif
