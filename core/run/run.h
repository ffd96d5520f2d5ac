/*
 * run.h - what the files of core/run share: the insides of a session and of its programs.
 *
 * A program's current line is a path in the stage tree: from its anchor up to the root, and from
 * the anchor down through the slots that are on, each child found by its key or computed. The
 * anchor is the root until somebody edits a stage or goes to one that the pipeline would not make.
 */
#ifndef THUNDER_RUN_H
#define THUNDER_RUN_H

#include "session.h"

/* A text and its functions, shared by the programs that came from it. */
typedef struct TextFile {
    int refs;
    Arena arena;
    Source src;
    FrontFile *front;
} TextFile;

/* A place of the cursor: a full stage, or a point inside the pass of `slot` behind it. */
typedef struct CursorAt {
    Stage *full;
    uint64_t fuel; /* applications inside the pass, 0 = at the full stage */
    Str slot;      /* by name, so that moves of slots do not confuse it */
} CursorAt;

/* Texts and traces that stages still point into. */
typedef struct Kept {
    struct Kept *next;
    TextFile *file;
    Trace *trace;
} Kept;

enum { MAX_PARTIALS = 32 };

struct Program {
    Session *s;
    Arena arena;
    Str name;
    TextFile *file;          /* NULL for programs built in memory */
    const FrontFunction *fn; /* NULL likewise */
    Source memory_text;      /* text of a program built in memory */
    OpUses uses;
    SymbolValue *symbols;
    uint32_t nsymbols;

    Slot *slots;
    uint32_t nslots;
    uint32_t facts; /* that hold of the program as acquired */
    Stage *roots, *root, *anchor;
    Stage *partials[MAX_PARTIALS]; /* the latest stages inside a pass; older ones are dropped */
    uint32_t npartials;

    CursorAt *moves; /* moves[0..nmoves): the cursor's history; moves[at] is where it is */
    uint32_t nmoves, move_cap, at;
    Stage *cursor;

    Map bindings; /* input name -> Tensor * */
    Map cotangents; /* name -> Cotangent *: what the binding is made from, see gradients.c */
    uint64_t data_number; /* how often sizes were taken from data: part of a root's key */
    Kept *kept;
    const ExecList *executors; /* NULL = the session's */
    const Option *options;     /* of passes, in replay; NULL = the session's */
    uint32_t noptions;
    RuleLog *log;              /* the session's, or a private one of replay */
    Program *feeds;            /* of a forward part: the backward part that gets what it keeps */
    uint32_t nfed;             /* how many of its results these are, the last ones */
    bool quiet;                /* sends no events */
};

/* kernels.c: compiled kernels of the latest traces, and memory that runs use again. */
typedef struct Kernels Kernels;

enum { MAX_OPEN_DEVICES = 4 };

typedef struct Listener {
    uint32_t handle;
    ListenFn *fn;
    void *user;
    bool nodes; /* see session_listen_nodes */
} Listener;

typedef struct Opening Opening;

struct Session {
    Arena arena;
    Registry reg;
    ExecList executors;
    RuleLog log;
    volatile int interrupt;
    bool pause; /* a listener wants the run to stop behind this node */
    uint32_t next_serial;

    Listener *listeners;
    uint32_t nlisteners, next_handle;
    Program **programs;
    uint32_t nprograms;
    Map names; /* of programs; see unique_name */
    Program *current;

    const PassInfo **added; /* passes defined at run time, with the slot they come after */
    Str *added_after;
    uint32_t nadded;
    Option *options;
    uint32_t noptions;
    bool told_device;
    bool verify; /* every stage that is made is checked, and breaches are blamed on a rule */
    Kernels *kernels; /* made when first needed */
    bool crashed;     /* a kernel did, in this process */
    uint64_t changes; /* of options and executors, counted */
    OpenDevice *devices[MAX_OPEN_DEVICES]; /* opened when first needed; the first NULL ends them */
    Opening *opening; /* one that is being opened; NULL = none */
    uint32_t running; /* runs in progress: an expression may be computed while another run waits */
    uint32_t played;  /* recorded pieces that a device repeated in the run of now */
    bool refused;     /* a kernel refused a value in the run of now, and it is not known which */
    bool explaining;  /* the run of now finds out: it waits for each kernel and what it says */
    bool device_lost; /* one failed and cannot be opened again in this process */
    double copy_rate, device_copy_rate; /* measured when first asked for; 0 = not yet */
    double matmul_rate, device_matmul_rate;
    Spent spent; /* what time went to, since the session began */
    TextFile *recent[16]; /* the latest texts with errors: diagnostics point into them */
    uint32_t nrecent;
};

void *run_realloc(void *p, size_t size); /* aborts when there is no memory */
void session_emit(Session *s, const Event *e);
const ExecList *program_executors(const Program *p);

/* A session of its own that borrows nothing: replay and examine use programs outside the list. */
TextFile *text_file_new(Str name, Str text, Diag *d);
TextFile *text_file_read(Str path, Diag *d); /* NULL after an error */
void text_file_unref(TextFile *f);
bool text_read(Arena *a, Str path, Str *out, Diag *d); /* a whole file */
/* A program that is not in the session's list yet; NULL after an error. symbols are starting values
 * (those missing take a default). */
Program *program_make(Session *s, TextFile *file, const FrontFunction *fn,
                      const SymbolValue *symbols, uint32_t nsymbols, Diag *d);
Program *program_wrap(Session *s, Trace *t); /* takes over the reference */
void program_free(Program *p);
/* Acquires again with these sizes; a root made with the same ones is found again. */
bool program_acquire(Program *p, const SymbolValue *symbols, uint32_t nsymbols, Diag *d);
/* data.c: front_acquire with the bound inputs to ask; and acquiring again after inputs were bound,
 * when sizes depend on their data. */
Trace *acquire_with_data(Program *p, const SymbolValue *symbols, uint32_t nsymbols, OpUses *uses,
                         Diag *d);
bool program_adapt_data(Session *s, Program *p, Diag *d);
/* Sizes that tensors give to the symbols of fn: find(user, name) yields the tensor of an input.
 * out has room for all symbols of fn and starts with their present values; *changed says whether
 * any differs. false when two inputs disagree. */
bool symbols_from_tensors(const FrontFunction *fn, SymbolValue *out, uint32_t n,
                          const Tensor *(*find)(void *user, Str name), void *user, bool *changed,
                          Diag *d);

/* slots.c */
void slots_init(Program *p);
void slots_free(Program *p);
/* The line below slot (numbers as now) is no longer what the pipeline makes: the anchor and the
 * cursor go up as far as needed; cursor_restore brings the cursor back to the same stage name. */
void line_invalidate(Program *p, uint32_t slot);
void cursor_restore(Session *s, Program *p, Diag *d);
/* Whether the passes could run in their order with this slot on or off; an error when not. */
bool slot_change_is_legal(Program *p, uint32_t slot, bool on, Diag *d);

/* stages.c */
Stage *stage_new(Session *s, Program *p, Stage *parent, Trace *t, Str name);
void stage_free_tree(Stage *st);
int slot_of_stage(const Program *p, const Stage *st); /* the slot that made it; -1 = acquired */
int slot_after(const Program *p, int slot);           /* next slot that is on; -1 = none */
/* The stage that `slot` makes of parent with this fuel (UINT64_MAX: the slot's own). */
Stage *stage_make(Session *s, Program *p, Stage *parent, uint32_t slot, uint64_t fuel, Diag *d);
/* The trace that the slot's pass makes with this fuel, outside of the tree: no events, entries go
 * to log. NULL after an error. */
Trace *stage_trial(Session *s, Program *p, const Stage *parent, uint32_t slot, uint64_t fuel,
                   RuleLog *log, Diag *d);
/* blame.c: whether t, which the slot's pass made of parent, keeps the laws of ir.h; if not, d gets
 * one error that names the application and the rule that broke one. */
bool stage_is_sound(Session *s, Program *p, const Stage *parent, uint32_t slot, const Trace *t,
                    uint64_t applied, Diag *d);
bool stage_on_line(const Program *p, const Stage *st);
uint64_t session_options_hash(const Session *s, const Slot *sl);

/* cursor.c */
void cursor_set(Session *s, Program *p, CursorAt to, Stage *stage, bool record);
void cursor_reset(Program *p); /* at the root, with no history */

/* compare.c: those of torch.testing.assert_close */
void default_tolerances(DType d, double *rtol, double *atol);

/* margin_parts.c: what is known of prims that sum up. */
/* Sums of products of its tensor operands: errors go through it as through their sizes. */
bool op_is_sum(const Op *op);
/* How many terms make one of so many elements of a result. */
double op_terms(const Trace *t, const Node *n, double results);

/* gradients.c */
/* Bindings of those inputs of t that are cotangents, made anew from what was given where passes or
 * sizes have changed their type. */
void cotangents_fit(Program *p, const Trace *t);
void cotangents_forget(Program *p, Str name); /* it is bound by other means; {0} = all */

/* replay_values.c */
/* Whether p is refused when it runs on values that suit no operator; why gets the error. */
bool replay_refused_for_values(Session *s, Program *p, StrBuf *why);
bool tensor_fits(const Value *input, const Tensor *t, Str file, Diag *d);
Tensor *tensor_from_view(const TensorView *v); /* a copy in host memory; NULL when none is left */
Tensor *npy_read(Str path, Diag *d);
/* Binds every input of p that st has a tensor for; normal may be NULL (exact names only). */
bool bind_tensors(Session *s, Program *p, const SafeTensors *st, const Map *normal, Str prefix,
                  Str path, Diag *d);

/* kernels.c */
/* Kernels of t by node, NULL where a node has none: those of `nodes`, the nodes that fusion
 * executors run. Compiled once, kept for the latest traces. NULL after an error. */
Kernel *const *kernels_of(Session *s, const Trace *t, const Executor *const *executors,
                          const NodeId *nodes, uint32_t n, Diag *d);
/* Compiles kernels of many traces in one go, for kernels_of to find them in the cache. */
void kernels_ahead(Session *s, const Executor *e, const KernelSpec *specs, uint32_t n);
/* The nodes of t that run through kernels and who compiles each; arrays of t->nnodes + 1. */
uint32_t kernel_nodes(Session *s, Program *p, const Trace *t, NodeId *nodes,
                      const Executor **executors);
/* Places for the results of node n where the plan put them (when `planned`), else in memory that an
 * earlier run gave back; on dev unless it is NULL. Results that find no place are left to the
 * executor. */
void kernels_place(Session *s, const Trace *t, NodeId n, OpenDevice *dev, bool planned,
                   Tensor **values);
CompileOptions kernels_options(Session *s); /* as the session's options say */
bool kernels_own(const Session *s, const Tensor *x); /* x lies where a later run will write */
void kernels_forget(Session *s); /* drops all kernels: their device failed */
uint64_t kernels_config(Session *s); /* of the options and executors that decide about kernels */
/* For runs that do without the machine: of a kept trace, NULL when t is not kept; the planned place
 * of a value, and memory for one that has none. */
typedef struct Steady Steady;
Steady **kernels_steady(Session *s, const Trace *t);
Tensor *kernels_window(Session *s, const Trace *t, ValueId v);
Tensor *kernels_buffer(Session *s, const Type *type);
/* The node of a fusion, or that makes a value, which runs through a kernel; NO_NODE and an error
 * when there is none. */
NodeId kernel_find(Session *s, const Stage *st, Str name, Diag *d);
/* Its kernel from this text ("" = the generated one), not kept: to be dropped. NULL after an error.
 */
Kernel *kernel_compile(Session *s, const Trace *t, NodeId n, Str text, Diag *d);
/* From now on this text is compiled where the kernel with that hash would be; "" = no more. */
void kernel_keep_edit(Session *s, uint64_t hash, Str text);
/* A kernel of t crashed: all that t had is left as it is, for good, and made anew when needed. */
void kernels_abandon(Session *s, const Trace *t);
double kernel_timeout(const Session *s); /* seconds that a launch may take; 0 = any time */
void kernels_free(Session *s);

/* devices.c */
/* The device of a driver, opened once; NULL after an error. */
/* ahead.c: begins to open the device that the first of these executors works on, if nobody has yet,
 * and to load the libraries that they will open there; it goes on by itself. The end waits for it:
 * the device, usable from this thread; NULL: none of driver and path was begun, or it fails. */
void opening_begin(Session *s, const Executor *const *executors, uint32_t n);
OpenDevice *opening_end(Session *s, const DeviceDriver *driver, Str path, Diag *d);
/* Sends the inputs that kernels there will read, together. */
void devices_send(Session *s, const Trace *t, Kernel *const *kernels, Tensor *const *values);
OpenDevice *session_device(Session *s, const DeviceDriver *driver, Diag *d);
void devices_free(Session *s);
/* Around a node that the host runs: its operands are fetched before it, and what it only read still
 * counts as current on the device after it. */
typedef struct HostUse {
    DeviceCopy *copies[64];
    uint64_t valid; /* a bit each */
    uint32_t n;
} HostUse;
void host_begin(Session *s, const Trace *t, NodeId n, Tensor *const *values, HostUse *u);
void host_end(const Trace *t, NodeId n, const HostUse *u);
/* Waits for all work, and looks whether kernels found an error. false after an error. */
bool devices_finish(Session *s, const Trace *t, Kernel *const *kernels, Diag *d);
void devices_settle(Session *s); /* waits for all work; what went wrong is seen later */
bool devices_failed(const Session *s); /* a device failed and must be opened again */
/* machine.c: whether the last error is a kernel's or the interpreter's about a value that it read:
 * an index out of range, a division by zero. */
bool value_refused(const Diag *d);
/* Drops what failed and opens it anew (careful: see OpenDevice); whether that worked. */
bool devices_reopen(Session *s, bool careful);
uint64_t devices_moved(const Session *s); /* how often elements were sent or fetched */

/* no_memory.c: whether d has an error of a device without memory, and some could be given back. */
bool memory_made_free(Session *s, Diag *d);
/* Adds to such an error how much t needs, who has it, and what would make it less. */
void explain_no_memory(Session *s, Program *p, const Trace *t, Diag *d);

/* reference.c: the f64 oracle on a device. */
/* The executors on a device, and the last that takes anything; false when none is on a device. */
bool reference_executors(const ExecList *from, ExecList *out);
/* Whether the run is one of the oracle, and an executor in use works on a device. */
bool reference_wanted(const Session *s, const RunOptions *o);

/* blocks.c: a composite of a widened trace without its inner values as a whole. */
typedef struct BlockRun {
    Session *s;
    const Trace *t;
    NodeId n;
    Tensor **values; /* operands are there; results are put beside them */
    const ExecList *executors;
    Diag *d;
    int64_t most; /* elements of a value inside; 0 = CONE_ELEMENTS */
} BlockRun;
/* Whether something inside is too large, and larger than what node n gives. */
bool blocks_wanted(const Trace *t, NodeId n);
bool blocks_run(const BlockRun *x);

/* together.c: part(user, k) for all k below n, several at a time. */
void run_together(uint32_t n, void (*part)(void *user, uint32_t k), void *user);

/* writes.c */
enum { NEVER_USED = NO_NODE - 1 }; /* as a last use: nobody reads the value */
bool *find_written(const Trace *t); /* by value: in-place operators write into its storage */
/* By node: 1 + the number of an input to which this top-level node gives all its elements, after
 * which no view shows the old ones: they may become a tensor of their own. 0 = none. Their inputs
 * are no longer `written`. last_use: top-level node by value; NEVER_USED; NO_NODE = the end. */
uint32_t *find_replaced(const Trace *t, const NodeId *last_use, bool *written);

/* pieces.c: parts of a run between nodes of the host, each of which a device repeats as one. */
typedef struct Pieces Pieces;
typedef struct PieceEnv {
    Session *s;
    const Trace *t;
    Tensor **values;
    /* Runs the top-level nodes first .. end as they come. */
    bool (*run)(void *user, NodeId first, NodeId end, Diag *d);
    /* They have run: drops the values that this leaves without a reader. */
    void (*done)(void *user, NodeId first, NodeId end);
    void *user;
} PieceEnv;
typedef enum PieceResult { PIECE_plain, PIECE_played, PIECE_failed } PieceResult;
/* kernels: by node, as kernels_of gave them. The trace writes nothing in place. */
Pieces *pieces_new(const Trace *t, Kernel *const *kernels, OpenDevice *dev);
void pieces_free(Pieces *x); /* NULL is allowed */
/* Plays the piece that begins at node n, and sets *end behind it; it is recorded first when it is
 * new. PIECE_plain: nothing has happened, node n is to be run. PIECE_failed: the device failed. */
PieceResult piece_run(Pieces *x, NodeId n, const PieceEnv *e, NodeId *end);

typedef bool RunFn(Session *s, Program *p, const Trace *t, Tensor *const *inputs,
                   const RunOptions *o, Run *out, Diag *d);

/* takes.c: what recording a run needs to know of it; `run` runs it. */
typedef struct Recorder {
    Session *s;
    Program *p;
    const Trace *t;
    Tensor *const *inputs;
    const RunOptions *o;
    RunFn *run;
    OpenDevice *dev;
} Recorder;
/* A run that was recorded, the memory that it needs, and what it gives when it is played. */
typedef struct Take {
    DeviceGraph *graph;
    DeviceHeld held;
    Run out;
    uint32_t forks; /* see branches_count */
} Take;
/* Records the run instead of doing it, as option graph.branches says. false: it needs the host, or
 * gives what cannot be given again. */
bool record_run(const Recorder *x, Take *out, RecordingChoice *c);

/* recording.c: runs that a device repeats as one piece. */
typedef struct Recording Recording;
/* Whether a run with these options on the devices that are open may be recorded. */
bool recording_may(const Session *s, const RunOptions *o);
/* As run does; from the third time on a run in which the host had nothing to compute is recorded,
 * and the recording is played when the same inputs come again. */
bool recorded_run(Session *s, Program *p, const Trace *t, Tensor *const *inputs,
                  const RunOptions *o, RunFn *run, Run *out, Diag *d);
/* Runs the trace widened to f64, with run, on the devices. */
bool reference_run(Session *s, Program *p, const Trace *t, Tensor *const *inputs,
                   const RunOptions *o, RunFn *run, Run *out, Diag *d);
void recording_free(Recording *r); /* NULL is allowed */
/* The pieces of t, when a run of it that may be recorded is repeated and cannot be recorded as a
 * whole; NULL = do without. To be asked for when the kernels of the run are there. */
Pieces *recording_pieces(Session *s, const Trace *t);
Recording **kernels_recording(Session *s, const Trace *t); /* of a kept trace; NULL = not kept */
Kernel *const *kernels_kept(const Session *s, const Trace *t); /* as kernels_of gave them */

/* copying.c */
enum { MAX_COPIES = 500, COPY_WAYS = 2 };
typedef struct Copying {
    Tensor *memory[2]; /* of the kind that programs have */
    char *to, *from;
    size_t read, written; /* bytes of one copy */
    double ns[COPY_WAYS][MAX_COPIES]; /* by way of the caches, past them */
    uint32_t n;
} Copying;
/* Memory to copy beside what reads and writes so many bytes (in all 64 KB at least, and 1 GB at
 * most); false, with nothing to free: there is none. */
bool copying_begin(Copying *c, double read, double written);
double copying_large(void); /* bytes moved by a copy that no cache holds */
void copying_once(const Copying *c, uint32_t way);
void copying_sample(Copying *c); /* one copy each way, timed; nothing when there are MAX_COPIES */
double copying_rate(Copying *c); /* bytes a second of the samples, read plus written; 0 = none */
void copying_end(Copying *c);

/* profile.c: timed runs of a stage, for profile and versus. */
enum { MAX_SAMPLES = 400 };
typedef struct Sample {
    uint64_t ns;
    uint64_t *nodes; /* by node */
} Sample;
typedef struct Sampler {
    Session *s;
    Program *p;
    const Stage *st;
    Sample *samples; /* at most MAX_SAMPLES */
    uint32_t n;
    uint64_t total; /* nanoseconds of them all */
} Sampler;
/* Runs the stage once, with compiling what no cache has, which is not counted. To be ended after an
 * error as well. */
bool sampler_begin(Sampler *x, Session *s, Program *p, const Stage *st, Diag *d);
bool sampler_run(Sampler *x, Diag *d); /* once more; not behind MAX_SAMPLES */
/* Sorts the runs by their time; times in *out, to be freed, are means over those in [from, to), so
 * that rows and what goes on between them add up. No ceilings. */
void sampler_rows(Sampler *x, uint32_t from, uint32_t to, Profile *out);
void sampler_end(Sampler *x);

/* turns.c: two things timed in turn. */
enum { MAX_TURNS = 16 };
typedef struct Turns {
    double ms[2][MAX_TURNS]; /* of both in each round */
    uint32_t n;
} Turns;
double turns_median(double *ms, uint32_t n); /* sorts them; 0 when there are none */
/* What differences of the rounds vary by: their middle half lies within so much. A difference
 * that is not larger says nothing. */
double turns_noise(const Turns *x);

/* bench.c */
/* The open device that all kernels of the trace, which has run, run on; NULL = there is no such. */
OpenDevice *kernels_device(Session *s, const Trace *t);
/* Bytes a second, read plus written, of copies beyond the caches; measured once. */
double session_copy_rate(Session *s);

/* steady.c */
typedef enum SteadyResult {
    STEADY_done,
    STEADY_not,     /* the machine has to run it */
    STEADY_crashed, /* a kernel did; the error is in d */
} SteadyResult;
/* Runs t as a flat array of calls. */
SteadyResult steady_run(Session *s, Program *p, const Trace *t, Tensor *const *inputs,
                        const RunOptions *o, Run *out, Diag *d);
void steady_free(Steady *x); /* NULL is allowed */

/* machine.c */
/* Says of every item of d after `before` that it happened in node n. */
void place_errors(Session *s, Program *p, const Trace *t, NodeId n, const DiagItem *before,
                  Diag *d);
/* Runs one top-level node on values that are there; its results are put beside them. */
bool node_run(Session *s, Program *p, const Trace *t, NodeId n, Tensor **values, Rounding rounding,
              Diag *d);
/* Inputs of t by number, borrowed from the bindings of p; frees with free(). */
Tensor **bound_inputs(const Program *p, const Trace *t);

/* why.c, history.c */
/* The stages of the current line from the first to the last one that can be made, and behind them
 * the cursor's when it lies inside a pass; frees with free(). */
Stage **line_stages(Session *s, Program *p, uint32_t *n);
/* The value that v ends as, through all replacements of the line. */
ValueId value_end(Session *s, Program *p, ValueId v);
/* why_kernel.c: sentences about executors and kernels, nothing when there is nothing to say; false
 * when the question is another one. */
void why_placed(Session *s, Program *p, ValueId v, StrBuf *out);
bool why_fused(Session *s, Program *p, ValueId a, ValueId b, StrBuf *out);
bool why_not_fused(Session *s, Program *p, ValueId a, ValueId b, StrBuf *out);
Str value_shown(const Program *p, ValueId v); /* its name; "?" for a number that is no value */
/* "application 2, rule "x * 1 -> x" done on a with x: REASON" */
void entry_print(const Program *p, const RuleEntry *e, StrBuf *out);
/* The node that produces v, on one line without its decomposition. */
void producer_print(const Trace *t, ValueId v, StrBuf *out);

/* parts.c: after a run of a forward part, binds what it kept as inputs of the backward part. */
void program_feed(Program *p, const Run *run);
/* Gives p another name, made unique in the session. */
void session_rename(Session *s, Program *p, Str name);

/* aot.c: adds cot/I and grad/INPUT to the recording st of a NAME.dynamo.py, from the recordings of
 * NAME.aot_fw.py and NAME.aot_bw.py beside it. Nothing happens when there are none. backward stays
 * open, as long as st is used. false when the recordings do not go together. */
bool aot_gradients(Session *s, Str path, TextFile *dynamo, SafeTensors *st, SafeTensors *backward,
                   Diag *d);

/* Cases that differ from what was recorded, and why. */
typedef struct Known {
    Arena arena;
    Map reasons; /* "ops/add.py:case3" -> Str * */
} Known;

bool known_read(Known *k, Str path, Diag *d);
Str known_reason(const Known *k, Str path, Str function); /* "" = the case is not listed */
void known_free(Known *k);

/* help for messages */
/* In the tree from st on; NULL when there is none. */
Stage *stage_by_serial(Stage *st, uint64_t serial);
bool path_exists(Str path, bool *is_folder);
/* Sorted names of the files below a folder that end in suffix; allocated in a. */
uint32_t folder_files(Arena *a, Str folder, const char *suffix, Str **out);

#endif
