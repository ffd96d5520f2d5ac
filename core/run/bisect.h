/*
 * bisect.h - which operator, pass, application of a rule or member of a kernel breaks a program.
 */
#ifndef THUNDER_BISECT_H
#define THUNDER_BISECT_H

#include "judge.h"

typedef enum CulpritKind {
    CULPRIT_none,        /* nothing fails */
    CULPRIT_flaky,       /* fails sometimes: no search makes sense */
    CULPRIT_operator,    /* an operator gives wrong results in its own dtype */
    CULPRIT_application, /* one application of a rule in a pass */
    CULPRIT_pass,        /* a pass as a whole: it fails, or no single application is to blame */
    CULPRIT_program,     /* the program fails as it was acquired, or as somebody edited it */
    CULPRIT_range,       /* between two stages, where the check cannot tell */
    CULPRIT_stopped,     /* interrupted; what is known so far is in the memory */
} CulpritKind;

enum { MAX_REMEDIES = 16 };

typedef struct Culprit {
    CulpritKind kind;
    Str pass;             /* slot */
    uint64_t application; /* number within the pass, from 0 */
    Str rule, reason;     /* of the application */
    Str subject;          /* the value that it is about, or that the operator makes; "" = none */
    Str op;               /* the operator that makes it */
    Str executor;         /* who computes it wrongly; "" = the trace itself is wrong */
    Str fusion;           /* the kernel of the last stage that it is in; "" = none */
    uint32_t member, members; /* its number in there, from 1 */
    Str where;            /* source line of the model; "" = unknown */
    Str good_stage, bad_stage; /* as `goto` and `compare` take them: "fold+3", "fold+4" */
    Str good, bad;        /* the commands that straddle the boundary */
    Str lost;             /* of a program that does not fail, but is far from f64: what */
    const char *failure;  /* as in Judge */
    Str detail;
    Str remedies[MAX_REMEDIES]; /* commands each of which repairs it by itself */
    uint32_t nremedies;
    uint32_t axes;        /* of them on different axes: passes, executors */
    bool alone;           /* leaving out the application alone repairs it: no other is to blame */
    Str origin;             /* the stage where the line begins: "acquired" */
    bool edited;            /* the line begins with a stage that somebody edited */
    uint32_t failed, tried; /* of the runs of the whole at the beginning */
    uint32_t untold;        /* of them, those that the check could not judge */
    uint32_t runs;
    uint64_t ns;
    Arena arena;          /* of the texts */
} Culprit;

/* Verdicts that are known: "fold+3" -> judgement. A search that was stopped goes on with it. */
typedef struct BisectMemory {
    Map verdicts;
} BisectMemory;

typedef struct BisectOptions {
    JudgeOptions judge;
    uint32_t runs;        /* of the whole, to see whether it always fails; 0 = 3 */
    bool no_remedies;     /* do not try what else repairs it */
    BisectMemory *memory; /* NULL = none */
    /* A stage was judged; known: it was in the memory. May be NULL. */
    void (*probed)(void *user, Str what, Judgement j, bool known);
    void *user;
} BisectOptions;

/* Searches on a copy of p: slots, options, executors, stages and cursor of p stay as they are.
 * false after an error that is no finding: the program cannot be run at all. Free *out with
 * culprit_free. */
bool session_bisect(Session *s, const Program *p, const BisectOptions *o, Culprit *out, Diag *d);
void culprit_free(Culprit *c);
void bisect_memory_free(BisectMemory *m);
const char *judgement_name(Judgement j);

#endif
