/*
 * judge.h - whether a stage does what the program says: the oracle of bisect and minify.
 *
 * Good is what agrees with the program as acquired, run by the last executor in double precision,
 * within the tolerances of the dtype and what the program loses in its own dtype anyway. Gradients
 * are compared with central differences, those of f16 and bf16 in double precision and then with
 * what that gives. A predicate of the caller can take the oracle's place.
 */
#ifndef THUNDER_JUDGE_H
#define THUNDER_JUDGE_H

#include "session.h"

typedef enum Judgement {
    JUDGED_unknown, /* cannot tell */
    JUDGED_good,
    JUDGED_bad,
    JUDGED_stopped, /* interrupted, or an error that is not the stage's */
} Judgement;

/* The caller's own test of a stage of p; how gets a few words about a failure ("exit code 3"). */
typedef Judgement CheckFn(void *user, Program *p, const Stage *st, StrBuf *how);

typedef struct JudgeOptions {
    bool own_dtype;    /* compare with the program run in its own dtypes, not in f64 */
    double rtol, atol; /* < 0: those of torch.testing.assert_close */
    CheckFn *check;    /* NULL = the oracle */
    void *user;
} JudgeOptions;

typedef struct Judge {
    Session *s;
    const Program *p;      /* whose inputs are bound */
    const Trace *origin;   /* the program as it was acquired */
    const Trace *forward;  /* of which an edited stage has gradients; NULL = in the line */
    JudgeOptions o;
    Run exact, own;        /* of origin: in f64, and in its own dtypes */
    uint32_t runs;
    Arena arena;
    const char *failure;   /* how the last bad one failed: "wrong-values", "wrong-gradient",
                            * "check-failed", or the code of an error */
    Str detail;            /* the same with facts: which output, which element */
    bool kernel;           /* the stage is right, and its executors compute it wrong: found by
                            * comparing with the interpreter in the same dtypes */
} Judge;

/* Runs the oracle. false after an error: the program itself cannot be run. */
bool judge_begin(Judge *j, Session *s, const Program *p, const Trace *origin,
                 const JudgeOptions *o, Diag *d);
/* st of p, which is the program of judge_begin or one made from it. executors NULL: those that
 * claimed. st NULL: the stage could not be made, *why (its errors) says how it failed. */
Judgement judge_stage(Judge *j, Program *p, const Stage *st, const ExecList *executors, Diag *why);
void judge_end(Judge *j);

/* Whether the program in its own dtypes is far from itself in f64: an overflow, or digits lost. Not
 * what bisect looks for, but what may be wrong all the same; with facts in *detail. */
bool judge_program(Judge *j, Str *detail);

/* The first leaf node of t (in its own dtypes) whose result is not what the same operator gives in
 * f64 on the same operands; NO_NODE when all are right. */
NodeId judge_operators(Judge *j, const Trace *t, Str *detail, Diag *d);

/* The last executor of p that runs single operators, alone. */
void oracle_executors(const Program *p, ExecList *out);

/* A program of its own that begins with stage `from` of p: same slots, executors, options and
 * inputs; not in the session's list, sends no events and keeps its own log. What happens to it
 * leaves no trace in p. Free it with program_copy_free. */
Program *program_copy(Session *s, const Program *p, const Stage *from, RuleLog *log);
void program_copy_free(Program *p);
/* Puts a copy into the session's list, current, with its cursor at st, so that commands work on it;
 * and takes it out again. */
void program_lend(Session *s, Program *copy, const Stage *st);
void program_take_back(Session *s, Program *copy, Program *current);
/* The stage where the line of p begins: an edited one, or the root. */
const Stage *program_origin(const Program *p);

#endif
