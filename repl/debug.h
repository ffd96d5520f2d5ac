/*
 * debug.h - breakpoints, watchpoints, and where a run has stopped.
 *
 * A Break is a row with a kind, a pattern and an expression. Moves of the cursor ask them of each
 * application of a rule (debug.c hands them to program_walk as Stops), runs ask them of each node
 * through EVENT_node_end. A run that stops stays as it is, with its values, until it goes on.
 */
#ifndef THUNDER_DEBUG_H
#define THUNDER_DEBUG_H

#include "session.h"

typedef struct Repl Repl;

typedef enum BreakKind {
    BREAK_pass,
    BREAK_rule,
    BREAK_op,
    BREAK_line,
    BREAK_dtype,
    BREAK_value,
    BREAK_watch,
    BREAK_KINDS
} BreakKind;

typedef struct Break {
    uint32_t number; /* never used again */
    BreakKind kind;
    Str what;      /* as typed: pattern, FILE:LINE, dtype, value, what is watched */
    Str condition; /* "" = none */
    Str *commands;
    uint32_t ncommands;
    bool enabled, temporary;
    uint64_t hits, ignore;
    Str file; /* of BREAK_line; "" = any */
    uint32_t line;
    Str value;   /* of BREAK_value and BREAK_watch: its name; "" = any */
    Watch watch; /* of BREAK_watch */
    uint32_t looked_at; /* of BREAK_dtype: serial of the stage looked through last, and whether */
    bool may_match;     /* some node of it changes a dtype so */
} Break;

/* What an expression may ask about: the names that `help conditions` lists. */
typedef struct Moment {
    const Stage *stage; /* whose values %v names */
    const Trace *t;
    NodeId node; /* NO_NODE = none */
    ValueId value;
    const RuleEntry *rule;
    Str pass;
    bool running;
} Moment;

/* What values the stage's trace has right now, while a run is at work or stopped. */
typedef struct Live {
    const Trace *t;
    Tensor *const *values;
} Live;

typedef struct Debugger {
    Break *items;
    uint32_t n, cap, next_number;
    uint32_t collecting; /* `commands` reads lines for this breakpoint; 0 = no */
    uint32_t *pending;   /* numbers of those whose commands run when the present one has ended */
    uint32_t npending, pending_cap;
    bool running; /* those commands run right now */
    Str *displays; /* expressions shown at each stop; removed ones are "" */
    uint32_t ndisplays, display_cap;

    bool armed;          /* the run under way stops */
    bool node_by_node;   /* it stops after each node */
    bool stopped;        /* `run` holds a run that has stopped */
    Program *program;
    const Stage *stage;
    Run run;
    NodeId node;         /* the node behind which it stopped */
    Live live;
    const Trace *until_trace; /* a run of it stops behind node `until`; NULL = no */
    NodeId until;

    uint32_t last_serial; /* where a walk stopped last: before this application of that stage */
    uint64_t last_index;
    bool last_was_pass;
} Debugger;

void debug_free(Repl *r);
/* Any breakpoint that is on and concerns moves of the cursor (or, with run, runs). */
bool debug_wants(const Repl *r, bool run);
Break *debug_find(Repl *r, uint32_t number); /* NULL when there is none */
Break *debug_add(Repl *r, Break b);
bool debug_meets(Repl *r, const Break *b); /* something at the cursor matches, conditions aside */
void debug_delete(Repl *r, uint32_t number);
/* Moves the cursor as program_walk does, and stops at breakpoints. */
StepResult debug_walk(Repl *r, Program *p, uint64_t rules, uint32_t passes);
/* Runs a stage and stops at breakpoints; the run that came to its end is in *out. When it stopped,
 * *out is empty and r->debug holds it. false after an error. */
bool debug_run(Repl *r, Program *p, const Stage *st, const RunOptions *o, Run *out);
/* The stopped run goes on: to the next stop, or by one node. *ended: it came to its end, and what
 * it gave is in *out. */
bool debug_resume(Repl *r, bool one_node, Run *out, bool *ended);
/* A value that a failing run makes before it fails, as a reference of its own; NULL when it does
 * not. */
Tensor *debug_value_before_failure(Repl *r, Program *p, const Stage *st, ValueId v);
void debug_forget_run(Repl *r, const Program *p); /* NULL = of any program */
void debug_on_event(Repl *r, const Event *e);
/* Commands of breakpoints that were hit, after the command that hit them. Returns a status. */
int debug_run_commands(Repl *r);
bool debug_collect(Repl *r, Str line); /* a line of `commands ... end`; false when not collecting */
void debug_display(Repl *r);
/* Whether it can hold at all: its text, the names in it, and that it gives one element. */
bool debug_check_condition(Repl *r, Str expression);
/* Whether an operator, or the kernel of a node, is of that name or fits that pattern (* and ?). */
bool op_matches(const Op *op, Str pattern);
bool kernel_matches(const Node *n, Str pattern);
/* The line that sets it again. */
void break_line_text(const Break *b, StrBuf *out);
/* commands.def: `info break` */
void show_breaks(Repl *r);

#endif
