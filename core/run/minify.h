/*
 * minify.h - the smallest program that still fails for the same reason.
 */
#ifndef THUNDER_MINIFY_H
#define THUNDER_MINIFY_H

#include "bisect.h"
#include "shrink.h"

typedef struct MinifyOptions {
    JudgeOptions judge;
    Str keep;           /* text that the way it fails must contain; "" = the same culprit */
    uint32_t votes;     /* runs of each candidate, the majority counts; 0 = 1 */
    uint32_t max_tries; /* 0 = no limit */
    /* A candidate was judged; better: it is the best so far. May be NULL. */
    void (*tried)(void *user, uint32_t statements, uint32_t tries, bool better);
    void *user;
} MinifyOptions;

typedef struct Minified {
    Small best;
    Culprit culprit;      /* of best */
    uint32_t from, to;    /* statements */
    uint32_t tries;
    bool *random;         /* by input of best: as `bind --random 1` makes it */
    bool stopped;         /* interrupted: best so far */
    bool fails;           /* false: the program does not fail, nothing was done */
    Str off[MAX_REMEDIES * 2]; /* passes and executors that are not needed: "pass off cse" */
    uint32_t noff;
    uint64_t ns;
    Arena arena;
    Small *kept;          /* programs on the way, whose texts best shares */
    uint32_t nkept;
} Minified;

/* Works on copies: p stays as it is. false after an error that is no finding. */
bool session_minify(Session *s, const Program *p, const MinifyOptions *o, Minified *out, Diag *d);
void minified_free(Minified *m);

#endif
