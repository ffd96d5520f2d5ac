/*
 * repl.c - life of the program: start, the loop that reads lines and runs them, end.
 */
#define _POSIX_C_SOURCE 200809L
#include "repl.h"

#include "executors.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --------------------------------------------------------------------------------- life */

static void take_flags(Repl *r)
{
    const Options *o = r->options;
    if (o->color.n)
        setting_set(&r->settings, SET_color, FROM_flag, o->color, &r->diag);
    if (o->json)
        setting_set(&r->settings, SET_output, FROM_flag, S("json"), &r->diag);
    if (o->keep_going)
        setting_set(&r->settings, SET_bail, FROM_flag, S("off"), &r->diag);
    if (o->yes)
        setting_set(&r->settings, SET_confirm, FROM_flag, S("off"), &r->diag);
}

static void on_event(const Event *e, void *user)
{
    Repl *r = user;
    debug_on_event(r, e);
    if (e->kind == EVENT_node_begin)
        progress(r, "running node", e->node + 1, e->trace->nnodes);
    else if (e->kind == EVENT_compile)
        progress(r, "compiling kernels", e->done, e->total);
    else if (e->kind == EVENT_rule)
        progress(r, e->pass->name, e->rule->index + 1, 0);
}

void repl_init(Repl *r, const Options *o)
{
    ExecList executors;
    executors_default(&executors);
    *r = (Repl){.options = o, .set_from = FROM_set, .session = session_new(&executors)};
    r->interactive = !o->batch && isatty(STDIN_FILENO);
    settings_init(&r->settings);
    settings_from_env(&r->settings, getenv);
    take_flags(r);
    settings_apply(r);
    out_init(&r->out);
    out_begin(r, REDIRECT_none);
    session_listen(r->session, on_event, r);
    Str cache = xdg_path("XDG_CACHE_HOME", ".cache", "kernels", false, &r->arena);
    if (cache.n && may_have_folder(r, cache)) /* else one that dies with the session */
        session_set_option(r->session, S("kernel.cache"), cache, &r->diag);
}

void repl_free(Repl *r)
{
    forget_runs(r, NULL);
    debug_free(r);
    for (uint32_t i = 0; i < r->nresults; i++)
        tensor_unref(r->results[i].t);
    free(r->results);
    for (uint32_t i = 0; i < r->npasts; i++)
        free(r->pasts[i].binds);
    free(r->pasts);
    free(r->option_names);
    script_free(r->script);
    session_free(r->session);
    settings_free(&r->settings);
    out_free(&r->out);
    sb_free(&r->last_step);
    bisect_memory_free(&r->bisect);
    sb_free(&r->record.text);
    diag_clear(&r->diag);
    arena_free(&r->scratch);
    arena_free(&r->arena);
}

/* -------------------------------------------------------------------------------------- texts */

/* Some editors begin a text with a byte order mark. */
static Str without_mark(Str text)
{
    return str_starts(text, "\xef\xbb\xbf") ? str_sub(text, 3, text.n) : text;
}

int repl_text(Repl *r, Str name, Str text)
{
    text = without_mark(text);
    Str outer = r->script_at;
    int first = 0;
    uint32_t line = 0;
    StrBuf at = {0};
    while (text.n && !r->quit && !r->out.broken) {
        sb_clear(&at);
        sb_printf(&at, "%.*s:%u", STR(name), ++line);
        r->script_at = sb_str(&at);
        int status = repl_line(r, str_cut(&text, '\n'));
        first = first ? first : status;
        if (status == DIAG_interrupt || (status && setting_on(&r->settings, SET_bail)))
            break;
    }
    r->script_at = outer;
    sb_free(&at);
    return first;
}

bool confirm(Repl *r, const char *question)
{
    if (!r->interactive || !setting_on(&r->settings, SET_confirm))
        return true;
    StrBuf prompt = {0};
    size_t n;
    sb_printf(&prompt, "%s [y/N] ", question);
    out_flush(r);
    const char *answer = line_read(r, sb_cstr(&prompt), &n);
    sb_free(&prompt);
    return answer && n && (answer[0] == 'y' || answer[0] == 'Y');
}

/* The prompt, "(mlp:cse+3) ", with terminal sequences between \1 and \1 when colour is on. */
static void repl_prompt(Repl *r, bool colour, StrBuf *out)
{
    Program *p = session_current(r->session);
    if (r->debug.collecting) {
        sb_puts(out, "> ");
        return;
    }
    if (!p) {
        sb_puts(out, colour ? "\001\033[1m\001(thunder)\001\033[0m\001 " : "(thunder) ");
        return;
    }
    const Stage *st = program_cursor(p);
    Str label = program_label(r, p, &r->scratch);
    uint64_t rule = program_cursor_rule(p);
    sb_printf(out, "%s(%.*s:%.*s", colour ? "\001\033[1m\001" : "", STR(label), STR(st->name));
    if (st->partial)
        sb_printf(out, "+%llu", (unsigned long long)rule);
    if (r->debug.stopped)
        sb_puts(out, " stopped");
    sb_printf(out, ")%s ", colour ? "\001\033[0m\001" : "");
}

/* --------------------------------------------------------------------------------------- loop */

static void read_person(Repl *r)
{
    StrBuf prompt = {0};
    while (!r->quit) {
        sb_clear(&prompt);
        ArenaMark mark = arena_mark(&r->scratch);
        repl_prompt(r, r->out.colour_prose, &prompt);
        arena_release(&r->scratch, mark);
        size_t n;
        const char *line = line_read(r, sb_cstr(&prompt), &n);
        if (!line)
            break;
        line_history_add(r, (Str){line, n});
        Str copy =
            arena_str(&r->scratch, (Str){line, n}); /* the editor is used again by questions */
        repl_line(r, copy);
        arena_release(&r->scratch, mark);
    }
    sb_free(&prompt);
    line_close(r);
}

/* Commands from a pipe: as batch, one at a time, so that a slow producer sees answers. */
static int read_pipe(Repl *r)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int first = 0;
    uint32_t number = 0;
    StrBuf at = {0};
    while (!r->quit && !r->out.broken && (n = getline(&line, &cap, stdin)) >= 0) {
        sb_clear(&at);
        sb_printf(&at, "standard input:%u", ++number);
        r->script_at = sb_str(&at);
        Str text = {line, (size_t)n};
        int status = repl_line(r, number == 1 ? without_mark(text) : text);
        first = first ? first : status;
        if (status == DIAG_interrupt || (status && setting_on(&r->settings, SET_bail)))
            break;
    }
    r->script_at = (Str){0};
    sb_free(&at);
    free(line);
    return first;
}

static int run_action(Repl *r, const Action *a)
{
    StrBuf line = {0};
    int status;
    switch (a->kind) {
    case ACTION_load:
        sb_puts(&line, "load ");
        word_quote(a->text, &line);
        status = repl_line(r, sb_str(&line));
        break;
    case ACTION_script:
        sb_puts(&line, "source ");
        word_quote(a->text, &line);
        status = repl_line(r, sb_str(&line));
        break;
    default:
        status = repl_text(r, S("-e"), a->text);
        break;
    }
    sb_free(&line);
    return status;
}

static int run_actions(Repl *r)
{
    int first = 0;
    for (uint32_t i = 0; i < r->options->nactions && !r->quit && !r->out.broken; i++) {
        int status = run_action(r, &r->options->actions[i]);
        first = first ? first : status;
        if (status && !r->interactive && setting_on(&r->settings, SET_bail))
            break;
    }
    return first;
}

static void banner(Repl *r)
{
    if (!r->interactive || r->options->quiet)
        return;
    say(r, "thunder-repl %s: tensor programs, step by step from graph to kernels\n"
           "`load FILE` reads a program, `tutorial` shows how, `help` explains; Ctrl-D ends",
        THUNDER_VERSION);
    out_end(r, REDIRECT_none, (Str){0});
}

static int live(Repl *r)
{
    const Options *o = r->options;
    bool wait_for_lines = !o->batch || !o->nactions;
    banner(r);
    if (r->interactive && !o->no_init)
        run_init_files(r);
    int status = run_actions(r);
    if (r->interactive) {
        if (!r->quit)
            read_person(r);
        return r->exit_code;
    }
    bool stop = status && setting_on(&r->settings, SET_bail);
    if (wait_for_lines && !stop && !r->quit && !r->out.broken) {
        int more = read_pipe(r);
        status = status ? status : more;
    }
    return r->quit && r->exit_code ? r->exit_code : status;
}

static int usage_failure(const Options *o)
{
    fprintf(stderr, "error: %.*s\n", STR(o->error));
    if (o->hint.n)
        fprintf(stderr, "  did you mean %.*s?\n", STR(o->hint));
    fputs("  help: thunder-repl --help\n", stderr);
    return DIAG_usage;
}

static int print_and_leave(Repl *r)
{
    if (r->options->help) {
        StrBuf b = {0};
        options_usage(&b);
        data(r, sb_str(&b));
        sb_free(&b);
    } else if (r->options->manual) {
        print_manual(r);
    } else {
        return repl_line(r, S("version"));
    }
    out_end(r, REDIRECT_none, (Str){0});
    return 0;
}

/* The same program with a saved session. Returns only when that cannot be. */
static int start_anew(char *file)
{
    char *argv[] = {"thunder-repl", "--quiet", "-x", file, NULL};
    execv("/proc/self/exe", argv);
    fprintf(stderr, "error: the program cannot be started again; thunder-repl -x %s does it\n",
            file);
    return DIAG_device;
}

int repl_main(int argc, char **argv)
{
    Arena a = {0};
    Options o;
    Repl r;
    setlocale(LC_CTYPE, "");
    options_parse(argc, argv, &a, &o);
    if (o.error.n) {
        int status = usage_failure(&o);
        arena_free(&a);
        return status;
    }
    repl_init(&r, &o);
    interrupt_install(session_interrupt(r.session));
    int status = o.help || o.manual || o.version ? print_and_leave(&r) : live(&r);
    if (r.out.broken && r.out.broken != EPIPE) {
        fprintf(stderr, "error: cannot write standard output: %s [cannot-write]\n",
                strerror(r.out.broken));
        status = status ? status : DIAG_usage;
    }
    StrBuf anew = {0};
    sb_add(&anew, r.restart);
    repl_free(&r);
    arena_free(&a);
    if (anew.n)
        status = start_anew(anew.p);
    sb_free(&anew);
    return status;
}
