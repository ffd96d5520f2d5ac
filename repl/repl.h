/*
 * repl.h - the interactive program: what its files share.
 *
 * A Repl holds one Session, the settings, and the output of the command being run. A line becomes a
 * CommandLine (words.c), the table in commands.def says which function runs it (command.c), and
 * that function writes data and prose to the Output (output.c) and errors to r->diag. Only line.c
 * knows the line editor.
 */
#ifndef THUNDER_REPL_H
#define THUNDER_REPL_H

#include "bisect.h"
#include "debug.h"
#include "options.h"
#include "output.h"
#include "script.h"
#include "session.h"
#include "settings.h"
#include "words.h"

/* ----------------------------------------------------------------------------------- commands */

typedef enum Family {
    FAM_program,
    FAM_stages,
    FAM_passes,
    FAM_values,
    FAM_debugging,
    FAM_questions,
    FAM_pictures,
    FAM_rest,
    FAM_COUNT
} Family;

enum {
    CMD_program = 1,    /* needs a loaded program */
    CMD_step = 2,       /* an empty line repeats it */
    CMD_raw = 4,        /* gets the rest of the line as it stands */
    CMD_unrecorded = 8, /* stays out of transcripts */
    CMD_inner = 16,     /* what follows the word `do` is a command of its own */
    CMD_dashes = 32,    /* -WORD is an argument, --WORD an option */
};

typedef struct Args Args;
typedef bool CommandFn(Repl *r, const Args *a);

typedef struct Command {
    const char *name, *shorts, *synopsis;
    uint8_t family;
    uint32_t flags;
    CommandFn *run;
    const char *completion, *options, *help, *details;
    const char *examples[2];
} Command;

extern const Command command_table[]; /* rows of commands.def */
extern const uint32_t command_count;
extern const char *const family_titles[FAM_COUNT];

enum { MAX_OPTION_ARGS = 16 };

/* A command with its arguments, options taken out. */
struct Args {
    const Command *cmd;
    Str rest; /* everything after the command's name, as typed */
    Str *words;
    uint32_t n;
    struct {
        Str name, value;
    } options[MAX_OPTION_ARGS];
    uint32_t noptions;
};

/* Commands that word may mean: an exact name or short form gives one, a prefix all that begin with
 * it. Returns how many were found; at most max are stored. */
uint32_t command_lookup(Str word, const Command **out, uint32_t max);
/* Whether a line that will be run many times names a command; an error in r->diag when not. */
bool command_known(Repl *r, Str line);
/* Whether a command has an option of this name ("--depth", "-v"), and whether with an argument. */
bool command_option(const Command *c, Str name, bool *takes);
/* What in a line contradicts the synopsis of its command: options that do not go together
 * (`with`), one that needs another (`needs`), or a word that has no place (with `option`, it has
 * one without that). Fields that do not apply are empty. */
typedef struct Clash {
    Str option, with, needs, word;
} Clash;

/* Takes the first of the ways that stand between " | " off a synopsis. */
Str synopsis_next(Str *synopsis);
bool line_clashes(const Command *c, const Args *line, Clash *out);
/* The value of an option ("" when it has none); false when it was not given. */
bool arg_option(const Args *a, const char *name, Str *value);
bool arg_flag(const Args *a, const char *name);
/* Splits words into positional arguments and options of cmd; false after a usage error in d. */
bool args_bind(const Command *cmd, const CommandLine *line, Arena *a, Args *out, bool *wide,
               Diag *d);
/* A number at position i, or dflt when there are fewer arguments; false after a usage error. */
bool arg_number(Repl *r, const Args *a, uint32_t i, int64_t dflt, int64_t min, int64_t *out);
enum { MOST_SECONDS = 3600 }; /* of --time */

/* The number that an option takes: a whole one from min to max, any from 0 to max. *out stays as it
 * is where the option is not given; false after a usage error. */
bool option_int(Repl *r, const Args *a, const char *name, int64_t min, int64_t max, int64_t *out);
bool option_real(Repl *r, const Args *a, const char *name, double max, double *out);
/* A usage error of the command: message, and its usage as help. Returns false. */
bool usage_error(Repl *r, const Args *a, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Any other error, without a place. Returns false. */
bool fail_with(Repl *r, DiagKind kind, const char *code, const char *fmt, ...) PRINTF_LIKE(4, 5);
void fail_help(Repl *r, const char *fmt, ...) PRINTF_LIKE(2, 3); /* help of the newest error */
/* "; did you mean NEAR?" for the end of an error, "" when nothing is near. mark stands before the
 * name: "%", "", or "'", which also stands behind. */
const char *did_you_mean(Repl *r, const char *mark, Str near);
/* Errors that several commands have: no program is loaded; errno kept a file from being read or
 * written ("read", "write"). Return false. */
bool no_program(Repl *r, const char *who);
bool file_failed(Repl *r, const char *what, Str path, int error);

#define COMMAND(name, shorts, family, synopsis, fn, ...) CommandFn fn;
#include "commands.def"
#undef COMMAND

/* ---------------------------------------------------------------------------------- the program */

typedef struct Result { /* $1, $2, ... */
    Tensor *t;
    Str what; /* "%input_1 at acquired" */
} Result;

/* A run that print, stats and compare look into; kept until inputs change. */
typedef struct CachedRun {
    Program *program;
    uint32_t serial;
    uint64_t executors;
    Rounding rounding;
    Run run;
    uint64_t used; /* for eviction */
} CachedRun;

enum { MAX_CACHED_RUNS = 4, MAX_SOURCE_DEPTH = 32 };

/* How a program got its state, for `save`. */
typedef struct Past {
    Program *program;
    Str path;   /* FILE:FUNCTION to load it again; "" when it did not come from a file */
    Str *binds; /* arguments of bind commands */
    uint32_t nbinds, bind_cap;
} Past;

typedef struct Record {
    StrBuf text;
    Str path;
    bool on;
} Record;

struct Repl {
    Session *session;
    const Options *options;
    Settings settings;
    Output out;
    Diag diag;        /* errors of the command being run */
    Arena scratch;    /* lives as long as the command being run */
    Arena arena;      /* lives as long as the Repl */
    Script *script;   /* made when first needed */
    bool interactive; /* a person at a terminal: prompt, pager, questions */
    bool quit;
    Str restart; /* behind quit: the saved session with which the program starts anew; "" = none */
    double measure; /* the last figure of compare (ULP) or bench (ms), for sweep; NAN = none */
    int as_recorded;   /* whether the last run gave what was recorded: 1, -1; 0 = nothing was */
    uint32_t lesson;   /* of the tutorial, from 1; 0 = none */
    uint32_t tries;    /* commands that did not bring the lesson to its end */
    bool check_failed; /* the running command found a mismatch and has said so: status 1 */
    uint32_t nesting;  /* commands inside commands */
    int exit_code;
    StrBuf last_step;       /* the line that an empty line repeats; "" = none */
    const Command *last;    /* the last command, for the hint of an empty line */
    SettingSource set_from; /* where `set` comes from now: FROM_init in init files */
    bool eager_rounding;    /* what the session was told last of `set rounding` */
    Result *results;
    uint32_t nresults, result_cap;
    CachedRun runs[MAX_CACHED_RUNS];
    uint64_t run_clock;
    Past *pasts;
    uint32_t npasts, past_cap;
    Str *option_names; /* pass options that were set, in order */
    uint32_t noption_names, option_cap;
    Record record;
    Debugger debug;
    BisectMemory bisect; /* verdicts of the last search, for --resume */
    Str script_at; /* "file:12" while a file is sourced, for errors */
    uint32_t source_depth;
};

/* Runs the program; returns the exit code. */
int repl_main(int argc, char **argv);
void repl_init(Repl *r, const Options *o);
void repl_free(Repl *r);
/* Runs one line. Returns its status: 0 or the DiagKind of its first error; errors are printed. */
int repl_line(Repl *r, Str line);
/* Runs every line of a text in order (name for messages); stops at an error when bail is on.
 * Returns the status of the first command that failed. */
int repl_text(Repl *r, Str name, Str text);
/* A yes/no question on the terminal; true without asking in batch, or with confirm off. */
bool confirm(Repl *r, const char *question);
/* The text of a file in r->scratch, or of standard input when path is "-"; false and an error. */
bool read_file(Repl *r, Str path, Str *out);
/* The text in the person's editor, and what became of it; false after an error. */
bool edit_text(Repl *r, const char *suffix, Str text, Str *edited);
bool write_file(Repl *r, Str path, Str text);
/* The init files: /etc, the person's own, and that of a trusted folder. */
void run_init_files(Repl *r);
bool trust_folder(Repl *r, Str path); /* of the file path: its .thunder-repl is read from now on */
/* Whether the folder is there, or can be made, and files in it. */
bool may_have_folder(Repl *r, Str path);
/* $VARIABLE/thunder-repl/NAME, or ~/FALLBACK/thunder-repl/NAME; folders are made when make is set.
 * "" when there is no home. */
Str xdg_path(const char *variable, const char *fallback, const char *name, bool make, Arena *a);
Script *repl_script(Repl *r); /* NULL and an error when Lua was left out of the build */

/* ------------------------------------------------------------- what several commands look up */

Program *current(Repl *r); /* with CMD_program never NULL */
/* Label of a program for people: the file's stem when the file holds one function. */
Str program_label(const Repl *r, const Program *p, Arena *a);
Str base_name(Str path); /* behind the last '/' */
/* A value by name, with or without %, in any case; 0 and an error with the nearest name. */
ValueId find_value(Repl *r, const Trace *t, Str word);
Str nearest_value(Repl *r, const Trace *t, Str name); /* for "did you mean"; "" = none is near */
/* An operator by its name, with or without its language, or by a spelling; NULL = none. */
const Op *find_operator(Repl *r, Str name);
bool no_operator(Repl *r, Str name); /* the error that there is none; false */
/* "%a..%b"; false when word is not of that form (no error) or, with *bad, when a name is wrong. */
bool find_range(Repl *r, const Trace *t, Str word, ValueId *from, ValueId *to, bool *bad);
Stage *find_stage(Repl *r, Program *p, Str which);
Program *find_program(Repl *r, Str which);
/* A glob when it has wildcards, else a part of the text; letters of either case. */
bool pattern_matches(Str text, Str pattern);
/* "on", "off" and what settings accept for them; false and a usage error otherwise. */
bool parse_on_off(Repl *r, const Args *a, Str word, bool *on);
Past *program_past(Repl *r, const Program *p);
void forget_past(Repl *r, const Program *p);
void remember_bind(Repl *r, Program *p, Str args);
/* Where the commands of a session go, and what they name. */
typedef struct SaveTo {
    Str file;    /* texts that no file holds are written beside it, */
    bool (*beside)(void *user, Str name, Str text); /* or given to this */
    void *user;
    Str program; /* the current program alone, read from this file; "" = all, from their own */
    Str inputs;  /* bound from this file; "" = as they were bound */
} SaveTo;
/* The commands that rebuild the session; false after an error. */
bool session_commands(Repl *r, const SaveTo *to, StrBuf *out);
/* Everything that is bound to p, as a safetensors file; false when that is nothing or more bytes
 * than `most`, or after an error. */
bool write_bound(Repl *r, const Program *p, const char *path, size_t most);
/* Those of them that set up the passes of p. */
void program_setup_lines(Repl *r, const Program *p, StrBuf *out);

/* plot roofline [FILE.svg] */
bool plot_roofline(Repl *r, const Args *a);
/* The values of a stage, run now or kept from before; NULL after an error. Borrowed. */
const Run *values_of(Repl *r, Program *p, const Stage *st, const ExecList *executors,
                     Rounding rounding);
/* Tells the session what settings say that concern it. */
bool settings_apply(Repl *r);
void forget_runs(Repl *r, const Program *p); /* its inputs changed; NULL = all programs */
/* A value that a fused kernel of t makes and does not write out, computed from what a run has made;
 * the caller owns it. NULL when v is no such value. */
Tensor *inner_value(Repl *r, const Trace *t, Tensor *const *values, ValueId v);
/* Keeps t (a new reference) as the next $N; returns N. */
uint32_t add_result(Repl *r, Tensor *t, const char *what_fmt, ...) PRINTF_LIKE(3, 4);
/* Evaluates an expression over the values of a stage, $N and %v: a tensor that the caller owns. */
Tensor *evaluate(Repl *r, Program *p, const Stage *st, Str text, Rounding rounding);

/* The same with the facts of a moment (op, dtype, shape, ...) as further names. */
Tensor *evaluate_moment(Repl *r, Program *p, const Moment *m, Str text);
/* Whether it will parse and give one element at any moment, by types alone; false after an error
 * that marks the place in the text. */
bool check_moment(Repl *r, Program *p, Str text);
/* The error of a condition that does not give one element: n of them, or no tensor at all. */
bool bad_condition(Repl *r, bool tensor, int64_t n);
void index_text(const Tensor *t, int64_t flat, StrBuf *out); /* "[0, 3]" of element number flat */
/* Prints t as the next numbered result. */
void show_tensor(Repl *r, const char *name, Tensor *t);
/* The stage whose values are meant: that of a stopped run, else the cursor's. */
const Stage *looked_at(Repl *r);
/* What a run that came to its end gave, how long it took, whether it is as recorded. */
void show_run(Repl *r, Program *p, const Stage *st, const Run *run, bool quiet, bool check);

/* A command of the person has ended: the tutorial looks at it. */
void tutorial_after(Repl *r, const Command *c, int status);

/* ---------------------------------------------------------------------- showing traces, diffs */

typedef struct DiffLine {
    char sign; /* ' ', '-', '+' */
    Str text;
} DiffLine;
typedef struct DiffLines {
    DiffLine *items;
    uint32_t n, cap, changed;
} DiffLines;

/* Options of trace_print for list and diff, from the settings. */
PrintOptions print_options(const Repl *r, int depth);
void stage_text(const Repl *r, const Trace *t, int depth, StrBuf *out); /* as diff compares it */
/* A line of a program, coloured, with a sign in front, wrapped to the width. */
void show_code(Repl *r, char sign, Str line);
DiffLines diff_texts(Arena *a, Str old, Str new_text);
/* Prints a diff with `context` unchanged lines around changes (-1: all). */
void show_diff(Repl *r, const DiffLines *d, int64_t context);
DiffLines diff_stages(Repl *r, const Trace *a, const Trace *b, int depth);
/* After the cursor moved away from trace `before`: what happened, and the changed lines. stepped:
 * by rules, so that the last rule of a pass is shown too. */
void show_move(Repl *r, Program *p, const Trace *before, StepResult how, bool stepped);
void show_node(Repl *r, const Trace *t, NodeId n); /* one line of a program, numbered */
/* The line of command grad that asks for the gradients that p has now. */
void grad_line(Repl *r, const Program *p, StrBuf *out);
void show_where(Repl *r, Program *p);              /* a line of prose: where the cursor is */
/* The node that defines v at the top level; NO_NODE for inputs and dead values. */
NodeId top_node_of(const Trace *t, ValueId v);

/* ------------------------------------------------------------------------------ help, complete */

typedef struct Topic {
    const char *name, *help, *text;
} Topic;
extern const Topic topic_table[];
extern const uint32_t topic_count;

/* Cards of the operators of this name or spelling; false when there is none. */
bool describe_operators(Repl *r, Str word);
void help_command(Repl *r, const Command *c, bool longer);
bool print_manual(Repl *r); /* docs/commands.md */

typedef struct Candidates {
    Str *items; /* in the arena given to complete(); sorted, no duplicates */
    uint32_t n, cap;
    size_t start; /* byte offset of the word that they replace */
    bool is_file; /* no space after the only candidate when it ends in '/' */
} Candidates;

/* What may stand at the end of line[0..cursor). */
void complete(Repl *r, Str line, size_t cursor, Arena *a, Candidates *out);

/* ------------------------------------------------------------------------ line editor, signals */

/* One line from the person, without its newline; valid until the next call. NULL at end of input.
 */
const char *line_read(Repl *r, const char *prompt, size_t *n);
bool line_editor_name(StrBuf *out); /* false: built without one */
void line_history_add(Repl *r, Str line);
void line_close(Repl *r);

/* Installs the Ctrl-C handler: sets *flag; twice within a second leaves the process. */
void interrupt_install(volatile int *flag);
/* Progress of long work, on a terminal's stderr after half a second. */
void progress_begin(Repl *r);
void progress(Repl *r, const char *what, uint64_t done, uint64_t total);
void progress_end(Repl *r);

#endif
