/*
 * session.h - the one door through which REPL, scripts, viewers and tests reach the compiler.
 *
 * A Session holds programs; a program holds its text, the tree of its stages, the pipeline (which
 * passes, in what order), bindings of inputs, and a cursor. Nothing here prints: results are values
 * and diagnostics, and things that happen go out as events to listeners.
 *
 * Stages. The pipeline is a list of slots; stage k is the program after slot k-1 (stage 0 is the
 * program as acquired). Stages form a tree: the key of a child is what made it (pass, fuel, skips,
 * options, executors), so a toggle makes a new branch below the first stage that it changes, stages
 * already computed are found again, and old lines stay. The cursor is a stage of the current line,
 * or a point inside the next pass: `step` runs that pass with fuel k, which is a complete trace
 * too.
 */
#ifndef THUNDER_SESSION_H
#define THUNDER_SESSION_H

#include "front.h"
#include "pass.h"
#include "spent.h"

typedef struct Session Session;
typedef struct Program Program;
typedef struct Stage Stage;

/* -------------------------------------------------------------------------------- life, events */

Session *session_new(const ExecList *executors); /* the list is copied */
void session_free(Session *s);
Registry *session_registry(Session *s);
ExecList *session_executors(Session *s); /* change it only through session_set_executors */
bool session_set_executors(Session *s, const ExecList *l);
RuleLog *session_log(Session *s);
/* What time went to since the session began: mostly what has to be done once, before there is a
 * first result. */
const Spent *session_spent(const Session *s);
volatile int *session_interrupt(Session *s); /* set non-zero (from a signal handler) to stop work */

typedef enum EventKind {
    EVENT_pass_begin, EVENT_rule, EVENT_pass_end, EVENT_node_begin, EVENT_node_end, EVENT_error,
    EVENT_cursor, /* the cursor moved */
    EVENT_compile, /* some kernels were compiled */
} EventKind;

typedef struct Event {
    EventKind kind;
    Program *program;
    const Stage *stage;      /* pass_end, cursor */
    const PassInfo *pass;    /* pass_begin, rule, pass_end */
    const RuleEntry *rule;   /* rule */
    const Trace *trace;      /* node_*; rule: what the pass works on */
    NodeId node;
    Tensor *const *values;   /* node_*: by ValueId, what there is of them */
    uint32_t done, total;    /* compile */
} Event;

typedef void ListenFn(const Event *e, void *user);
uint32_t session_listen(Session *s, ListenFn *fn, void *user); /* a handle for session_unlisten */
void session_unlisten(Session *s, uint32_t handle);
/* Whether this listener has to hear of every statement (EVENT_node_*) of runs that are `flat` as
 * well. At first it does not: it may hear of them, but a device may also repeat the run as one
 * piece. */
void session_listen_nodes(Session *s, uint32_t handle, bool nodes);

/* ------------------------------------------------------------------------------------ programs */

/* Loads every function of a file (or only FUNCTION from "FILE:FUNCTION") as programs and makes the
 * first new one current. Returns how many were loaded; errors of the others are in d. */
uint32_t session_load(Session *s, Str path_and_function, Diag *d);
uint32_t session_load_text(Session *s, Str name, Str text, Str function, Diag *d);
/* Adds a program that was built in memory (takes over the reference). */
Program *session_add_trace(Session *s, Trace *t);
uint32_t session_program_count(const Session *s);
Program *session_program(const Session *s, uint32_t i);
Program *session_current(const Session *s); /* NULL when there is none */
void session_select(Session *s, Program *p);
void session_unload(Session *s, Program *p);

Str program_name(const Program *p);   /* function name; unique in the session by a suffix */
const Source *program_source(const Program *p);

/* Symbolic sizes: `set s0=128`. Acquires the program again. */
bool program_set_symbol(Session *s, Program *p, Str name, int64_t value, Diag *d);
const SymbolValue *program_symbols(const Program *p, uint32_t *n);

/* -------------------------------------------------------------------------------------- stages */

struct Stage {
    uint32_t serial;       /* unique in the session, never reused; names it in the rule log */
    uint32_t position;     /* 0 = acquired, k = after slot k - 1 */
    Str name;              /* "acquired", "dce", "dce.2" */
    const PassInfo *pass;  /* NULL at position 0 and for edited stages */
    Trace *trace;
    Stage *parent;
    Stage *children, *sibling;
    uint64_t fuel;         /* UINT64_MAX, or the number of applications of a partial stage */
    uint64_t applied;      /* applications of rules that made it */
    uint64_t ns;
    uint64_t key;          /* hash of what made it */
    bool partial;          /* stopped inside the pass for lack of fuel */
    bool edited;           /* made by `edit`, not by a pass */
};

typedef struct Slot {
    const PassInfo *pass;
    Str name; /* unique: "dce", "dce.2" */
    bool on;
    bool usual;    /* on in a new program */
    bool training; /* goes on and off with gradients */
    uint64_t fuel;
    uint64_t *skip; /* ascending */
    uint32_t nskip;
} Slot;

uint32_t program_slot_count(const Program *p);
const Slot *program_slot(const Program *p, uint32_t i);
int program_find_slot(const Program *p, Str name); /* -1 when absent */
/* Changes of the pipeline; refused with the reason when the order would break what a pass needs. */
bool program_slot_set(Session *s, Program *p, uint32_t slot, bool on, Diag *d);
/* All passes of training, which are off until gradients are asked for. */
bool program_training(Session *s, Program *p, bool on, Diag *d);
bool program_slot_move(Session *s, Program *p, uint32_t slot, uint32_t to, Diag *d);
bool program_slot_fuel(Session *s, Program *p, uint32_t slot, uint64_t fuel, Diag *d);
bool program_slot_skip(Session *s, Program *p, uint32_t slot, uint64_t application, bool skip,
                       Diag *d);
/* A pass defined at run time (Lua): added to the pipeline of this and later programs, behind the
 * slot named after (default: the last before claim). info must stay valid for the session. */
bool session_add_pass(Session *s, const PassInfo *info, Str after, Diag *d);
const PassInfo *session_find_pass(const Session *s, Str name); /* of the table or added */

bool session_set_option(Session *s, Str name, Str value, Diag *d);
Str session_option(const Session *s, Str name, Str dflt);

typedef struct OptionInfo {
    const char *name, *dflt;
    const char *values; /* words with '|' between; "" = any text, or numbers only */
    double low, high;   /* numbers that it takes, where low < high */
    const char *help;
} OptionInfo;

extern const OptionInfo option_table[]; /* rows of options.def */
extern const uint32_t option_count;
const OptionInfo *option_find(Str name); /* NULL when there is none */
/* Whether there is such an option and it takes the value; {0} asks for the name only. */
bool session_check_option(const Session *s, Str name, Str value, Diag *d);

/* Whether each stage that is made from now on is checked against the laws of ir.h: one that breaks
 * a law is refused, with an error that names pass, application and rule. */
void session_set_verify(Session *s, bool on);

/* Stage at a position of the current line, computing what is missing. Positions run from 0 to the
 * number of slots that are on; NULL after an error. */
Stage *program_stage(Session *s, Program *p, uint32_t position, Diag *d);
uint32_t program_stage_count(const Program *p); /* 1 + slots that are on */
/* By number, name ("cse", "acquired", "last"), "cse+3" for the point in pass cse where three rules
 * were applied, or "#SERIAL" for any stage of the tree. */
Stage *program_find_stage(Session *s, Program *p, Str which, Diag *d);
Stage *program_root(const Program *p);

/* The cursor: the stage that the person looks at. All of these move it and send EVENT_cursor. */
Stage *program_cursor(const Program *p); /* never NULL */
/* Applications done inside the pass after the cursor's last full stage; 0 at a full stage. */
uint64_t program_cursor_rule(const Program *p);
/* The rule entry that made the cursor's partial stage; NULL at a full stage. */
const RuleEntry *program_cursor_entry(const Session *s, const Program *p);
typedef enum StepResult {
    STEP_moved,
    STEP_at_end,
    STEP_at_start,
    STEP_error,
    STEP_stopped, /* by Stops; the cursor may have moved */
} StepResult;
StepResult program_step(Session *s, Program *p, uint64_t n, Diag *d);  /* n rule applications */
StepResult program_next(Session *s, Program *p, uint32_t n, Diag *d);  /* n passes */
StepResult program_finish(Session *s, Program *p, Diag *d); /* to the end of the current pass */
StepResult program_continue(Session *s, Program *p, Diag *d); /* to the last stage */
/* Where a walk stops by itself: asked of each pass that is about to run on a full stage, and of
 * each application of a rule that a pass does; the cursor then stands before it. Stages that were
 * made earlier are asked about from the rule log. */
typedef struct Stops {
    bool (*pass)(void *user, const Stage *before, const Slot *slot);
    bool (*rule)(void *user, const Stage *before, const Stage *after, const RuleEntry *e);
    void *user;
} Stops;
/* At most `rules` applications and `passes` passes forward (UINT64_MAX, UINT32_MAX: no limit). */
StepResult program_walk(Session *s, Program *p, uint64_t rules, uint32_t passes,
                        const Stops *stops, Diag *d);
StepResult program_goto(Session *s, Program *p, Stage *stage, Diag *d);
StepResult program_back(Session *s, Program *p, uint32_t n, Diag *d);    /* undo n cursor moves */
StepResult program_forward(Session *s, Program *p, uint32_t n, Diag *d); /* redo */
/* Leaves out the application that `step` would do next, and moves past it. */
StepResult program_skip(Session *s, Program *p, Diag *d);
/* Replaces the cursor's stage by a trace read from text: a new branch; the cursor moves to it. */
Stage *program_edit(Session *s, Program *p, Str text, Diag *d);

/* ------------------------------------------------------------------------------ values, running */

/* Gradients of the inputs named in wrt (between commas; "all" = every floating one; "" = off): pass
 * grad is switched on and the cursor goes to its stage. Cotangents are further inputs, cot_0 ...,
 * of that stage and those after it, bound to ones until something else is bound; or, with ones,
 * constants. false, with grad off, when there is no such input or an operator has no gradient. */
bool program_grad(Session *s, Program *p, Str wrt, bool ones, Diag *d);

/* Gradients of the gradients, of the inputs named in wrt ("" = off): pass joint once more, on the
 * joint trace, as slot joint.2. Of its cotangents, those of the program's own outputs are bound to
 * zeros and those of the gradients to ones, until something else is bound; so that with a vector
 * bound the result is a product of the Hessian with it. */
bool program_grad_again(Session *s, Program *p, Str wrt, Diag *d);

/* The forward and the backward part of a split stage as programs of their own, NAME.forward and
 * NAME.backward, with inputs bound as those of p. A run of the first binds what it keeps as inputs
 * of the second. Returns the first, which is then the current one; NULL after an error. */
Program *program_parts(Session *s, Program *p, const Stage *st, Diag *d);
/* From now on a run of `forward` binds the last results, which it keeps, as the first inputs of
 * `backward`. false when they do not fit. */
bool program_link(Program *forward, Program *backward, Diag *d);
Program *program_fed(const Program *forward); /* NULL when there is none */

/* Inputs by name. A stage may have more of them than the program (cotangents): those of the
 * cursor's stage can be bound. bind_random fills what is missing with seeded data that suits the
 * use of each input: indices in range, masks boolean, variances positive. */
bool program_bind_file(Session *s, Program *p, Str path, Str prefix, Diag *d);
/* Takes a reference of its own. */
bool program_bind_tensor(Program *p, Str input, Tensor *t, Diag *d);
/* As program_bind_tensor, of an input of the trace at hand; symbolic sizes stay as they are. */
bool program_bind_value(Program *p, const Value *input, Tensor *t, Diag *d);
bool program_bind_random(Session *s, Program *p, uint64_t seed, Diag *d);
/* The trace whose inputs can be bound: the cursor's when it has more of them than the program
 * (cotangents). */
const Trace *program_bindable(const Program *p);
Tensor *program_binding(const Program *p, ValueId input); /* borrowed; NULL when unbound */

typedef struct Run {
    const Trace *t;
    Tensor **values;     /* by ValueId; NULL where nothing was kept */
    Tensor **outputs;    /* leaves of the output tree, as trace_outputs gives them; NULL for None */
    uint32_t noutputs;
    Tensor **mutated;    /* final value of each input (by input number), NULL where unchanged */
    uint64_t ns;
    uint64_t once_ns; /* of these, for what later runs need not do: kernels compiled, and so on */
    uint32_t played; /* recorded pieces that a device repeated; the whole run is one */
    struct Machine *paused; /* where session_resume goes on; NULL: the run came to its end */
    NodeId at;              /* of a paused run: the node that is next */
} Run;

typedef struct RunOptions {
    Rounding rounding;
    bool keep_values;          /* keep every value, for print and compare (ignores dels) */
    const bool *keep;          /* by value of the trace: only these are kept; NULL = all */
    const ExecList *executors; /* NULL: who claimed; unclaimed nodes go to the session's last */
    bool whole;      /* nobody looks at single nodes: a device may repeat the run as one piece */
    bool flat;       /* no listener pauses it: later runs may be a flat array of calls, and where no
                      * listener wants every statement a device may repeat them as one piece */
    bool queue_only; /* do not wait for devices; what goes wrong there is seen later */
    bool wide;       /* the trace was widened to f64: devices may run it with ROUND_f64 */
    bool unplanned;  /* results get places of their own: when a statement ends, its operands are
                      * still there */
    uint64_t *node_ns; /* by top-level node: nanoseconds that it took are added; NULL = not timed */
} RunOptions;

/* How the run of a trace was recorded for a device: one statement after another, or at the same
 * time as far as memory allows. */
typedef struct RecordingChoice {
    uint32_t forks; /* statements that need not wait for the one before */
    bool forked;    /* they do not wait */
    double ordered_ms, forked_ms; /* when both were measured */
} RecordingChoice;

bool recording_choice(Session *s, const Trace *t, RecordingChoice *out); /* false: none is kept */

/* A run of p will come before long: what takes a device longest to begin with is begun now. */
void session_expect_run(Session *s, const Program *p);
/* Runs a stage on the bound inputs. The inputs themselves stay as bound: the run works on copies
 * of those that the program mutates. false after an error. */
bool session_run(Session *s, Program *p, const Stage *stage, const RunOptions *o, Run *out,
                 Diag *d);
/* For listeners of EVENT_node_end: the run of a program stops behind this node. session_run then
 * returns true with out->paused set; what the run has made so far is in out->values when it keeps
 * values. */
void session_pause(Session *s);
bool session_resume(Run *run, Diag *d); /* a paused run goes on; false after an error */
/* The same for a trace outside of any session tree; inputs by input number. */
bool trace_run(Session *s, const Trace *t, Tensor *const *inputs, const RunOptions *o, Run *out,
               Diag *d);
void run_free(Run *r);

/* Runs the forward part of a split trace, then the backward part on what it kept; inputs are those
 * of the whole. false after an error, with nothing to free. */
bool trace_run_parts(Session *s, const Trace *t, Tensor *const *inputs, Run *forward,
                     Run *backward, Diag *d);

/* What to look for in the elements of floating-point values as a run makes them. */
typedef struct Watch {
    bool nan, inf, denormal;
    bool every;   /* each element: of a value that is watched by name */
    double above; /* |x| larger than this; INFINITY = off */
    ValueId only; /* 0 = every value */
} Watch;

/* What the node that made a value read. */
typedef struct Seen {
    ValueId v;
    bool at_element; /* value is the element that went into the one found */
    double value, least, most;
    int64_t not_finite;
} Seen;

typedef struct Sighting {
    ValueId v;   /* 0 = nothing was found */
    NodeId node; /* what makes it: the node that ran, or one inside it */
    bool inside; /* a fused kernel makes it and does not write it out */
    int64_t count, total, first; /* elements found, of how many, row-major number of the first */
    double value;
    double ulp; /* by how much looking inside changed the kernel's results: sums in another order */
    Seen operands[6];
    uint32_t noperands;
} Sighting;

/* Looks through what top-level node n of a run has made, values inside a fused kernel included: the
 * kernel runs once more with them as results. values: what the run has made (EVENT_node_end).
 * false after an error. */
bool session_watch(Session *s, const Trace *t, NodeId n, Tensor *const *values, const Watch *w,
                   Sighting *out, Diag *d);
/* Puts the values that fused node n makes inside into `values` (w->only: just this one), computed
 * from its inputs there. Nothing happens where n is no fused kernel. The kernel that does it makes
 * the results of n again: with the same bits, or, on a device, with sums in another order, which
 * changes them by up to *ulp units (raised, never lowered). */
bool fusion_values(Session *s, const Trace *t, NodeId n, const Watch *w, Tensor **values,
                   double *ulp, Diag *d);
/* Whether top-level node n of a run makes the same bits with its results over operands, wherever
 * its executor says that they may lie there; *tried grows by the number of such results. values:
 * what the run has made. false after an error. */
bool session_check_places(Session *s, const Trace *t, NodeId n, Tensor *const *values,
                          uint32_t *tried, Diag *d);

/* How two tensors differ. */
typedef struct Comparison {
    bool equal;            /* within tolerances; NaN equals NaN */
    bool same_type;        /* dtype and shape agree */
    int64_t first;         /* row-major number of the first element out of tolerance, -1 = none */
    int64_t wrong, total;
    double max_abs, max_rel, max_ulp;
    double got, want;      /* at `first` (real part) */
} Comparison;
/* rtol, atol < 0: the defaults of torch.testing.assert_close for want's dtype. */
Comparison tensor_compare(const Tensor *got, const Tensor *want, double rtol, double atol);
/* Both of float dtypes, rounded to d before they are compared. */
Comparison tensor_compare_as(const Tensor *got, const Tensor *want, DType d, double rtol,
                             double atol);
/* Of one shape: where both are zero, the signs agree too. */
bool tensor_same_zeros(const Tensor *a, const Tensor *b);

/* The distance from x to the next number of a dtype. */
double tensor_ulp(double x, DType d);

/* Why two runs differ: see assess.c. */
typedef enum Cause {
    CAUSE_not, /* no float, or one side has no such value */
    CAUSE_equal,
    CAUSE_rounding,     /* both as near to the exact value as can be expected */
    CAUSE_contraction,  /* one side computes a * b + c with one rounding */
    CAUSE_cancellation, /* large operands leave a small sum: their errors grow, as expected */
    CAUSE_overflow,     /* not finite, because a value before it is too large for its dtype */
    CAUSE_inherited,    /* what the error of a value found wrong becomes in it */
    CAUSE_wrong,        /* farther from the exact value than rounding explains */
} Cause;
const char *cause_word(Cause w);

typedef struct AssessSide {
    const Run *run; /* with its values kept */
    /* The value of this run that stands for value v of the oracle's stage; 0 = none. NULL: v. */
    ValueId (*partner)(void *user, ValueId v);
    void *user;
} AssessSide;

typedef struct Assessed {
    Cause word;
    int side;      /* that is farther off, or contracts: 0 = a, 1 = b */
    NodeId node;   /* the prim of the oracle's stage that makes the value; NO_NODE = none */
    int64_t at;    /* the element where it shows most */
    double exact;  /* its value in the oracle */
    double ulp[2]; /* distance of each side from it there */
    double expected; /* ULP that rounding explains there */
    ValueId overflowed; /* CAUSE_overflow: the first value that is too large, */
    double got;         /* and what the side has */
} Assessed;

typedef struct Assess Assess;
/* oracle: the stage of side b in double precision, by the last executor alone, every value kept.
 * Runs and partners are borrowed. */
Assess *assess_new(Session *s, const Run *oracle, AssessSide a, AssessSide b);
Assessed assess_value(Assess *j, ValueId v); /* v of the oracle's stage */
void assess_free(Assess *j);

/* One statement of a stage against the oracle on the operands that it had (each.c). */
typedef struct EachRow {
    NodeId node;
    const char *untold;  /* why it was not checked, a clause; NULL = it was */
    int64_t seen, wrong; /* elements of its results */
    int64_t overflowed;  /* those that are off because a value inside is too large for its dtype */
    ValueId v;           /* the result that is farthest off; below, its worst element */
    double ulp;          /* largest error of any element of the statement */
    double excess;       /* error in units of what is allowed; beyond 2 it is wrong */
    double allowed;      /* in ULP */
    int64_t at;          /* row-major number */
    double got, exact;
} EachRow;

typedef struct EachCheck {
    Arena arena;
    const Trace *t;
    EachRow *rows; /* in program order */
    uint32_t n, cap, wrong, untold; /* statements */
} EachCheck;

typedef struct EachOptions {
    const ExecList *executors; /* NULL = those that claimed */
    ValueId only;   /* the statement that makes it; 0 = all */
    int64_t sample; /* elements of each result; 0 = all of them */
    int64_t most;   /* elements of one value in double precision; 0 = 2^27, which take 1 GB */
} EachOptions;

/* Runs a stage statement by statement; the prims of each run in double precision on its operands,
 * on a device where there is one, with bounds of what rounding explains. Never more than one
 * statement's values in double precision at a time, large ones in blocks. To be freed after an
 * error as well. */
bool session_check_each(Session *s, Program *p, const Stage *st, const EachOptions *o,
                        EachCheck *out, Diag *d);
void each_free(EachCheck *x);
/* The same of one statement of a run that kept its values, in some elements of each result (0 = all
 * of them). false: it cannot be told. */
bool session_check_statement(Session *s, const Run *run, NodeId n, int64_t sample, EachRow *out);

/* --------------------------------------------------------------------------- replay, questions */

typedef struct ReplayOptions {
    const ExecList *executors; /* NULL = the session's */
    bool grad, all_stages, strict, rejects, verbose;
    bool probe; /* run every kernel again with its inner values written out: equal bits */
    double rtol, atol; /* < 0 = defaults */
    Str known;         /* file of cases that may differ in value (known.c); "" = none */
    void (*report)(void *user, Str line); /* a line for each failure (or case, when verbose) */
    void (*progress)(void *user, Str what, uint64_t done, uint64_t total);
    void *user;
} ReplayOptions;
typedef struct ReplayResult {
    uint64_t passed, failed, skipped, known;
} ReplayResult;
/* Files (NAME.py with NAME.safetensors beside it) and folders; see REPL.md. false when a path does
 * not exist or holds nothing to replay. */
bool session_replay(Session *s, const Str *paths, uint32_t npaths, const ReplayOptions *o,
                    ReplayResult *out, Diag *d);

/* Whether a device failed so that this process cannot open it again. */
bool session_device_lost(const Session *s);
/* Bytes on the device that is open: of buffers now, at most since the last run began, those of them
 * that executors work in, and what the driver has less since the device was opened (-1 = it does
 * not say). false: none is open. */
typedef struct DeviceUse {
    int64_t used, most, kept, taken;
} DeviceUse;
bool session_device_use(const Session *s, DeviceUse *out);

/* The fusion of that name, or the node that makes the value of that name; NO_NODE when there is
 * none. */
NodeId session_kernel_node(const Stage *st, Str name);
/* The source of a kernel of stage st in one of its forms ("c"): of a fusion by its name, or of the
 * node that makes a value. false after an error. */
bool session_kernel_text(Session *s, const Stage *st, Str name, Str form, StrBuf *out, Diag *d);

/* A text that a person wrote for a kernel, beside the one that was generated. */
typedef struct KernelEdit {
    double old_ms, new_ms;    /* medians of rounds, in which both ran in turn */
    double noise;             /* milliseconds by which the differences of the rounds vary */
    Comparison before, after; /* with the oracle, the result that differs most */
    bool isolated;            /* it runs in a process of its own; on a device it cannot */
} KernelEdit;
/* Compiles the text for the kernel of a fusion or value, runs both on the values of this stage and
 * compares them with the oracle. When it agrees, it takes the place of the generated one, wherever
 * that would run. false after an error: it does not compile, crashes, or does not agree. */
bool session_kernel_edit(Session *s, Program *p, const Stage *st, Str name, Str text,
                         KernelEdit *out, Diag *d);
/* The generated kernel again. */
bool session_kernel_revert(Session *s, const Stage *st, Str name, Diag *d);

/* How long a stage takes: many runs on the bound inputs, after the first. */
typedef struct BenchResult {
    double median_ms, p10_ms, p90_ms;
    uint32_t n;
    double first_s;   /* the first run, with compiling what no cache had */
    double bytes;     /* that its top-level nodes read and write */
    double least;     /* bytes of inputs read once and outputs written once */
    double flops;
    double copy_rate; /* bytes a second, read plus written, of copies between the runs, with the
                       * same threads: as many bytes read as inputs, written as outputs have */
    double matmul_rate; /* session_matmul_rate; 0 = not measured on a device */
    double trace_s, compile_s; /* of what made the stage: passes, kernels */
} BenchResult;
/* Runs for about `seconds`, at least 5 times. */
bool session_bench(Session *s, Program *p, const Stage *st, double seconds, BenchResult *out,
                   Diag *d);
/* The same of one statement of the stage, on what a run of the whole gives it. */
bool session_bench_node(Session *s, Program *p, const Stage *st, NodeId n, double seconds,
                        BenchResult *out, Diag *d);

/* Operations a second that a large f32 matrix product reaches with the session's executors;
 * measured when first asked for. */
double session_matmul_rate(Session *s);

/* Where the time of a stage goes. */
typedef struct ProfileRow {
    NodeId node; /* a top-level node: a statement, or a fusion */
    double ms, bytes, flops;
} ProfileRow;
typedef struct Profile {
    Trace *t;
    ProfileRow *rows; /* of nodes that do something, in program order */
    uint32_t n, runs;
    double run_ms;    /* of a whole run: the rows, and what goes on between them */
    double copy_rate, matmul_rate; /* ceilings, per second */
} Profile;
/* Runs for about `seconds`; figures are means over the fastest quarter of the runs, so that rows
 * and rest add up. false after an error; a stage that runs on a device has no times here. */
bool session_profile(Session *s, Program *p, const Stage *st, double seconds, Profile *out,
                     Diag *d);
void profile_free(Profile *p);
/* The least time that the ceilings leave for a row, in milliseconds; *by_memory: bytes decide. */
double profile_floor(const Profile *p, const ProfileRow *row, bool *by_memory);

/* Two configurations of the current program: executors as "c,interp" ("" = as they are) and passes
 * to switch, as "-fuse+remat". */
typedef struct VersusSide {
    Str executors, passes;
    Profile profile;
    Program *p; /* a copy with that configuration */
    RuleLog log;
} VersusSide;
/* What both make of the same statements of the program: as few of them as possible, since a fusion
 * stands for several. */
typedef struct VersusRow {
    Str source;       /* names of those statements, between blanks */
    const SrcLoc *loc; /* of the first; may be NULL */
    Span src;
    double ms[2], bytes[2];
    Str why; /* what makes the difference; "" where there is none worth telling */
} VersusRow;
typedef struct Versus {
    Arena arena;
    VersusSide side[2];
    VersusRow *rows; /* the largest difference first; the last one is what goes on in between */
    uint32_t n;
    double ms[2]; /* medians of the rounds, in which both sides ran in turn */
    double noise; /* milliseconds by which the differences of the rounds vary */
    uint32_t rounds;
    bool differs; /* by more than that */
} Versus;
/* Runs both for about `seconds` together, in 5 rounds at least. Times of rows and runs are means
 * over the middle half of the runs. */
bool session_versus(Session *s, Program *p, double seconds, Versus *v, Diag *d);
/* The rows that make one side faster, as many as explain most of that; 0 = the sides do not
 * differ. */
enum { VERSUS_REASONS = 3 };
uint32_t versus_reasons(const Versus *v, const VersusRow *reasons[VERSUS_REASONS]);
void versus_free(Versus *v);

/* What a trace costs, estimated from types. */
typedef struct Cost {
    double flops;
    double bytes_least; /* inputs read once, outputs written once */
    double bytes_in;    /* those of the inputs */
    double bytes_moved; /* what its top-level nodes read and write, one by one */
    int64_t peak;       /* most bytes alive at once, inputs included */
} Cost;
Cost trace_cost(const Trace *t);
double node_flops(const Trace *t, NodeId n); /* of node n with its sub-nodes */
double node_bytes(const Trace *t, NodeId n); /* tensors that it reads and writes */

/* Memory over time: one step for each top-level node that runs, and one for the end. */
typedef struct PeakValue {
    ValueId value;
    int64_t bytes;
    uint32_t first, last; /* the steps through which it lives */
    uint32_t longer;      /* of them, those that a pass added; 0 = none did (peak_lengthened) */
    const Stage *since;   /* the stage of the pass that added most */
    ValueId over;         /* the result that takes its place then; 0 = none does */
} PeakValue;
typedef struct Peak {
    uint32_t nsteps;
    int64_t *bytes; /* by step: alive while it runs; inputs belong to the caller and count always */
    NodeId *nodes;  /* by step; NO_NODE at the end */
    uint32_t at;    /* the step where they are most */
    int64_t most;
    int64_t reserved; /* of a planned stage: inputs, the plan's block, and what lies in neither */
    PeakValue *alive; /* who is alive there, the largest first */
    uint32_t nalive;
} Peak;
Peak trace_peak(const Trace *t); /* linear in the trace; free with peak_free */
void peak_free(Peak *p);
/* Finds the passes on the way to this stage, whose peak k is, that made values alive there live
 * longer: steps of such a pass's stage between what read the value last before it and what does
 * now. */
void peak_lengthened(const Stage *st, Peak *k);
/* The last stage, were this pass on, or off with those that need it: a branch of the stage tree.
 * Line, cursor and slots stay as they are. NULL after an error (an order that breaks what a pass
 * needs). */
Stage *program_what_if(Session *s, Program *p, uint32_t slot, bool on, Diag *d);
/* The same, had an option of a pass this value. */
Stage *program_what_if_option(Session *s, Program *p, Str name, Str value, Diag *d);

/* What the backward nodes of a joint trace read of what was there before them: inputs (cotangents
 * among them) and results of forward nodes. The caller frees *out. */
typedef struct Saved {
    ValueId v;
    NodeId reader; /* the first backward node that reads it */
    int64_t bytes;
} Saved;
uint32_t trace_saved(const Trace *t, Saved **out);

/* A compatibility report of a file or folder. */
typedef struct ExamineOptions {
    bool json, html;
} ExamineOptions;
bool session_examine(Session *s, Str path, const ExamineOptions *o, StrBuf *out, Diag *d);

/* What the tables say about an operator: call, help, facts, gradient, which executors take it,
 * all spellings, and a sample with its decomposition. */
void op_describe(const Registry *reg, const ExecList *executors, const Op *op, StrBuf *out);
/* The reference manual of all operators, as Markdown. */
void operators_manual(const Registry *reg, const ExecList *executors, StrBuf *out);

/* Questions on the log: sentences with facts, one a line. */
void why_value(Session *s, Program *p, ValueId v, StrBuf *out);
void why_executor(Session *s, Program *p, ValueId v, StrBuf *out);
void why_pair(Session *s, Program *p, ValueId a, ValueId b, StrBuf *out);
void why_not(Session *s, Program *p, ValueId a, ValueId b, StrBuf *out);
/* Whether the backward part is given v or computes it again, and for what figures. */
void why_saved(Session *s, Program *p, ValueId v, StrBuf *out);
/* Every stage and rule that touched the value (or the values of a source line). */
void history_value(Session *s, Program *p, ValueId v, StrBuf *out);
void history_line(Session *s, Program *p, uint32_t line, StrBuf *out);

/* Line-by-line difference of two texts: fn gets ' ', '-' or '+' and the line. Places in the planned
 * arena count only when both texts have some. */
void text_diff(Str a, Str b, void (*fn)(void *user, char sign, Str line), void *user);

#endif
