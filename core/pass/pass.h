/*
 * pass.h - passes, the table of them, and what a pass is given.
 *
 *   acquired -> inplace -> dce -> fold -> cse -> (user passes) -> claim -> fuse -> dce -> plan
 *   training, before claim: joint -> fold -> cse -> dce -> split -> remat; before fuse: join
 *
 * A pass maps a const trace to a new one. Each single change it makes is one application of a rule:
 * the pass asks rule_apply first and leaves the change out when the answer is no. So any prefix of
 * the applications of a pass gives a valid trace: stepping, fuel, skip and bisection all run the
 * pass again with another limit, and need no other mechanism.
 */
#ifndef THUNDER_PASS_H
#define THUNDER_PASS_H

#include "exec.h"
#include "ir.h"
#include "log.h"

/* What holds of a trace; passes declare what they need, establish and spoil. */
enum {
    FACT_functional = 1 << 0, /* no in-place operators but write-backs at the end */
    FACT_claimed = 1 << 1,    /* every node has an executor */
    FACT_fused = 1 << 2,
    FACT_planned = 1 << 3, /* dels and offsets; nothing may be moved any more */
    FACT_joint = 1 << 4,
    FACT_split = 1 << 5,
};

typedef struct PassCtx PassCtx;
typedef Trace *PassFn(PassCtx *c, const Trace *in);

/* Passes of WHEN_training and WHEN_asked are off until somebody switches them on. */
typedef enum PassWhen { WHEN_always, WHEN_inference, WHEN_training, WHEN_asked } PassWhen;

typedef struct PassInfo {
    const char *name, *title; /* "dce", "Dead Code Elimination" */
    const char *help;
    PassFn *run;
    PassWhen when;
    bool mandatory;
    uint32_t needs, gives, spoils; /* FACT_* */
    uint32_t refuses; /* facts that must not hold yet: not after claim, not after plan */
    void *user;       /* of passes defined by scripts */
} PassInfo;

extern const PassInfo pass_table[]; /* rows of passes.def */
extern const uint32_t pass_count;
const PassInfo *pass_find(Str name); /* in pass_table; NULL when unknown */

/* A place in the line of a new program. */
typedef struct PassPlace {
    const char *pass, *name; /* "dce", "dce.2" */
    bool training;           /* goes on and off together with gradients (program_training) */
} PassPlace;

extern const PassPlace pass_line[]; /* in order, from passes.def */
extern const uint32_t pass_line_length;

/* The word in use for one that people also say: pass joint has a command of another name, so
 * "grad", "grad+3" and "grad.wrt" are "joint", "joint+3" and "joint.wrt". Any other word is given
 * back as it is. */
enum { PASS_WORD = 64 };
Str pass_word(Str word, char buffer[PASS_WORD]);

typedef struct Option {
    Str name, value;
} Option;

struct PassCtx {
    const PassInfo *info;
    Str slot; /* name of the place in the pipeline: a pass may stand in it twice */
    const ExecList *executors;
    const Registry *reg;
    Diag *diag;
    RuleLog *log;
    uint32_t stage;       /* serial number of the stage being made */
    uint64_t fuel;        /* applications allowed; UINT64_MAX = all */
    const uint64_t *skip; /* numbers of applications to leave out, ascending */
    uint32_t nskip;
    uint64_t applied; /* applications asked for so far (done and skipped) */
    bool exhausted;   /* an application was left out for lack of fuel */
    const Option *options;
    uint32_t noptions;
    const volatile int *interrupt;
    void (*on_rule)(void *user, const RuleEntry *e); /* event, may be NULL */
    void *on_rule_user;
};

/* May this application happen? Logs it (done, or skipped) and counts it. The reason is the clause
 * that `why` shows, e.g. "same operator and arguments as %t3". */
bool rule_apply(PassCtx *c, const char *rule, ValueId subject, ValueId other, const char *reason,
                ...) PRINTF_LIKE(5, 6);
/* Logs a change that was considered and not made. */
void rule_refuse(PassCtx *c, const char *rule, ValueId subject, ValueId other, const char *reason,
                 ...) PRINTF_LIKE(5, 6);
/* Value of an option of this pass ("fast" of pass fold is option fold.fast), or dflt. Of a pass
 * that stands in the pipeline twice, option fold.2.fast is that of slot fold.2 alone. */
Str pass_option(const PassCtx *c, const char *name, const char *dflt);

/* True, with a diagnostic, once the person wants to stop; the pass then returns NULL. */
bool pass_interrupted(PassCtx *c);

/* Whether pass joint gives a gradient for this input number when asked for wrt: names between
 * commas or spaces, or "all". Gradients follow the original outputs in the order of the inputs. */
bool grad_requested(const Trace *t, uint32_t input, Str wrt);

/* Whether a prim passes gradients on to its operands. */
bool op_has_gradient(const Op *prim);

/* Where the forward part of a split trace ends: its end_forward, which lists what the forward part
 * returns and what it keeps; NO_NODE when the trace is not split. */
NodeId trace_end_of_forward(const Trace *t);
/* Whether a trace is split: it has an end_forward that lists all that is read behind it. Programs
 * may come with one that does not; pass split makes the list. */
bool trace_is_split(const Trace *t);
/* One part of a split trace as a trace of its own: TRACE_forward returns ((outputs), (saved));
 * TRACE_backward takes the saved values and the cotangents, in this order, and returns the
 * gradients. NULL when the trace is not split. Release it with trace_unref. */
Trace *trace_part(const Trace *t, TraceKind kind);

/* Whether passes can run in this order on a program of which facts hold: each finds those it needs,
 * established before it and not spoiled since, and none of those it refuses; every mandatory pass
 * is there. When not, why gets one clause, e.g. "cse needs a program that is without in-place
 * operators: inplace must come before it". */
bool pass_order_check(const PassInfo *const *passes, uint32_t n, uint32_t facts, StrBuf *why);
/* FACT_* that hold of a program before any pass: one that says where its forward part ends is a
 * joint trace already. */
uint32_t trace_facts(const Trace *t);

/* Runs one pass: derives provenance (made_by, time, stage, log range) and finishes the trace.
 * NULL: look at c->diag. */
Trace *pass_run(PassCtx *c, const Trace *in);

#endif
