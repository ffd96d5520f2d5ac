/*
 * command.c - from a line to the command it means: names, prefixes, options, toggles, errors.
 * The table is commands.def; nothing here knows a command by name.
 */
#include "repl.h"

#include <math.h>
#include <string.h>

const Command command_table[] = {
#define COMMAND(name, shorts, family, synopsis, fn, completion, options, flags, help, details, e1, \
                e2)                                                                                \
    {name, shorts, synopsis, FAM_##family, flags, fn, completion, options, help, details, {e1, e2}},
#include "commands.def"
#undef COMMAND
};
const uint32_t command_count = ARRAY_LEN(command_table);

const char *const family_titles[FAM_COUNT] = {
    "program",   "stages",    "passes and executors", "values",
    "debugging", "questions", "pictures",             "the rest",
};

/* ------------------------------------------------------------------------------------- names */

static bool is_short(const Command *c, Str word)
{
    Str rest = str_from(c->shorts);
    while (rest.n) {
        if (str_eq(str_cut(&rest, ','), word))
            return true;
    }
    return false;
}

uint32_t command_lookup(Str word, const Command **out, uint32_t max)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < command_count; i++) {
        const Command *c = &command_table[i];
        if (str_is(word, c->name) || is_short(c, word)) {
            out[0] = c;
            return 1;
        }
    }
    for (uint32_t i = 0; i < command_count && word.n; i++) {
        Str name = str_from(command_table[i].name);
        if (name.n < word.n || !str_eq(str_sub(name, 0, word.n), word))
            continue;
        if (n < max)
            out[n] = &command_table[i];
        n++;
    }
    return n;
}

static bool next_command(void *state, Str *candidate)
{
    uint32_t *i = state;
    if (*i == command_count)
        return false;
    *candidate = str_from(command_table[(*i)++].name);
    return true;
}

const char *did_you_mean(Repl *r, const char *mark, Str near)
{
    const char *end = *mark == '\'' ? mark : "";
    return near.n ? arena_printf(&r->scratch, "; did you mean %s%.*s%s?", mark, STR(near), end).p
                  : "";
}

static bool unknown_command(Repl *r, Str word)
{
    uint32_t state = 0;
    Str near = nearest(word, next_command, &state);
    fail_with(r, DIAG_usage, "unknown-command", "unknown command '%.*s'%s", STR(word),
              did_you_mean(r, "'", near));
    fail_help(r, "help");
    return false;
}

static bool ambiguous_command(Repl *r, Str word, const Command *const *found, uint32_t n)
{
    StrBuf names = {0};
    for (uint32_t i = 0; i < n; i++)
        sb_printf(&names, "%s%s", i ? ", " : "", found[i]->name);
    fail_with(r, DIAG_usage, "ambiguous-command", "'%.*s' may be %s", STR(word), sb_cstr(&names));
    sb_free(&names);
    fail_help(r, "help");
    return false;
}

/* ----------------------------------------------------------------------------------- options */

bool command_option(const Command *c, Str name, bool *takes)
{
    Str rest = str_from(c->options);
    while (rest.n) {
        Str one = str_cut(&rest, ';');
        Str word = str_cut(&one, ' ');
        bool toggle = str_is(word, "--PASS") && str_starts(name, "--"); /* any pass by its name */
        if (!toggle && !str_eq(word, name))
            continue;
        *takes = one.n > 0;
        return true;
    }
    return false;
}

static bool next_option(void *state, Str *candidate)
{
    Str *rest = state;
    if (!rest->n)
        return false;
    Str one = str_cut(rest, ';');
    *candidate = str_cut(&one, ' ');
    return true;
}

static void usage_help(Diag *d, const Command *c)
{
    diag_help(d, d->last, "%s %s%s(%s?? explains)", c->name, c->synopsis, *c->synopsis ? "   " : "",
              c->name);
}

static bool bad_option(const Command *c, Str word, Diag *d)
{
    Str list = str_from(c->options);
    Str near = nearest(word, next_option, &list);
    if (near.n)
        diag_error(d, DIAG_usage, (Span){0}, "unknown-option",
                   "%s has no option '%.*s'; did you mean '%.*s'?", c->name, STR(word), STR(near));
    else
        diag_error(d, DIAG_usage, (Span){0}, "unknown-option", "%s has no option '%.*s'", c->name,
                   STR(word));
    usage_help(d, c);
    return false;
}

static bool looks_like_option(Str w)
{
    return w.n > 1 && w.p[0] == '-' && w.p[1] != '.' && !(w.p[1] >= '0' && w.p[1] <= '9');
}

bool args_bind(const Command *cmd, const CommandLine *line, Arena *a, Args *out, bool *wide,
               Diag *d)
{
    bool inner = false;
    *out = (Args){.cmd = cmd, .rest = line->rest, .words = new_array(a, Str, line->n + 1)};
    for (uint32_t i = 0; i < line->n; i++) {
        Str w = line->words[i];
        inner |= (cmd->flags & CMD_inner) && str_is(w, "do");
        bool dashed = (cmd->flags & CMD_dashes) && w.n > 1 && w.p[1] != '-' && !str_is(w, "-w");
        if (line->quoted[i] || inner || dashed || !looks_like_option(w)) {
            out->words[out->n++] = w;
            continue;
        }
        if (str_is(w, "-w")) {
            *wide = true;
            continue;
        }
        bool inlined = str_starts(w, "--") && str_find(w, '=', 0) != SIZE_MAX, takes;
        Str value = w, name = inlined ? str_cut(&value, '=') : w;
        if (!command_option(cmd, name, &takes) || (inlined && !takes))
            return bad_option(cmd, name, d);
        if (takes && !inlined) {
            if (i + 1 == line->n) {
                diag_error(d, DIAG_usage, (Span){0}, "missing-argument",
                           "option %.*s of %s needs an argument", STR(name), cmd->name);
                usage_help(d, cmd);
                return false;
            }
            value = line->words[++i];
        }
        if (out->noptions < MAX_OPTION_ARGS) {
            out->options[out->noptions].name = name;
            out->options[out->noptions++].value = takes ? value : (Str){0};
        }
    }
    return true;
}

bool arg_option(const Args *a, const char *name, Str *value)
{
    bool found = false;
    for (uint32_t i = 0; i < a->noptions; i++) {
        if (!str_is(a->options[i].name, name))
            continue;
        *value = a->options[i].value;
        found = true; /* the last one counts */
    }
    return found;
}

bool arg_flag(const Args *a, const char *name)
{
    Str ignored;
    return arg_option(a, name, &ignored);
}

/* What is wrong with a word that should be a whole number from min to max; "" = nothing. */
static Str bad_int(Repl *r, Str word, int64_t min, int64_t max, int64_t *out)
{
    size_t sign = word.n && (word.p[0] == '-' || word.p[0] == '+'), i = sign;
    while (i < word.n && word.p[i] >= '0' && word.p[i] <= '9')
        i++;
    if (i == sign || i < word.n)
        return arena_printf(&r->scratch, "'%.*s' is not a whole number", STR(word));
    bool fits = str_to_i64(word, out);
    if (fits && *out >= min && *out <= max)
        return (Str){0};
    if (word.p[0] == '-' || (fits && *out < min))
        return arena_printf(&r->scratch, "%.*s is too small; at least %lld", STR(word),
                            (long long)min);
    return arena_printf(&r->scratch, "%.*s is too large; at most %lld", STR(word), (long long)max);
}

bool arg_number(Repl *r, const Args *a, uint32_t i, int64_t dflt, int64_t min, int64_t *out)
{
    *out = dflt;
    Str wrong = i < a->n ? bad_int(r, a->words[i], min, INT64_MAX, out) : (Str){0};
    return !wrong.n || usage_error(r, a, "%.*s", STR(wrong));
}

bool option_int(Repl *r, const Args *a, const char *name, int64_t min, int64_t max, int64_t *out)
{
    Str word;
    Str wrong = arg_option(a, name, &word) ? bad_int(r, word, min, max, out) : (Str){0};
    return !wrong.n || usage_error(r, a, "%s: %.*s", name, STR(wrong));
}

bool option_real(Repl *r, const Args *a, const char *name, double max, double *out)
{
    Str word;
    if (!arg_option(a, name, &word) || (str_to_f64(word, out) && *out >= 0 && *out <= max))
        return true;
    if (max < INFINITY)
        return usage_error(r, a, "%s takes a number from 0 to %g, not '%.*s'", name, max,
                           STR(word));
    return usage_error(r, a, "%s takes a number that is not negative, not '%.*s'", name, STR(word));
}

bool usage_error(Repl *r, const Args *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_vadd(&r->diag, SEV_error, DIAG_usage, (Span){0}, "usage", fmt, ap);
    va_end(ap);
    usage_help(&r->diag, a->cmd);
    return false;
}

bool fail_with(Repl *r, DiagKind kind, const char *code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_vadd(&r->diag, SEV_error, kind, (Span){0}, code, fmt, ap);
    va_end(ap);
    return false;
}

bool no_program(Repl *r, const char *who)
{
    fail_with(r, DIAG_usage, "no-program", "%s needs a program, and none is loaded", who);
    fail_help(r, "load FILE");
    return false;
}

bool file_failed(Repl *r, const char *what, Str path, int error)
{
    DiagKind kind = strcmp(what, "read") == 0 ? DIAG_load : DIAG_usage;
    size_t folder = path.n;
    while (folder && path.p[folder - 1] != '/')
        folder--;
    fail_with(r, kind, kind == DIAG_load ? "cannot-read" : "cannot-write", "cannot %s %.*s: %s",
              what, STR(path), strerror(error));
    fail_help(r, "!ls %.*s", (int)folder, path.p);
    return false;
}

void fail_help(Repl *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (r->diag.last)
        r->diag.last->help = arena_vprintf(&r->diag.arena, fmt, ap);
    va_end(ap);
}

bool parse_on_off(Repl *r, const Args *a, Str word, bool *on)
{
    if (str_is(word, "on") || str_is(word, "off")) {
        *on = str_is(word, "on");
        return true;
    }
    return usage_error(r, a, "'%.*s' is neither on nor off", STR(word));
}

/* ----------------------------------------------------------------------------------- toggles */

/* A line that begins with the name of a setting, a pass or an executor stands for the command that
 * shows or sets it: "pager off" is "set pager off", "dce" is "pass dce". Returns that line's
 * prefix. */
static const char *toggle_prefix(Repl *r, Str name)
{
    Program *p = session_current(r->session);
    int setting = setting_find(name);
    if (setting >= 0)
        return "set ";
    if (p && program_find_slot(p, name) >= 0)
        return "pass ";
    if (exec_index(session_executors(r->session), name) >= 0)
        return "executor ";
    return NULL;
}

/* The line that a toggle stands for: verb, then state before the name ("pass off dce"), as these
 * commands want it; a bare name prints the state. */
static Str toggle_line(Repl *r, const char *prefix, Str name, Str rest)
{
    if (str_is(str_from(prefix), "set "))
        return arena_printf(&r->scratch, "%s %.*s %.*s", rest.n ? "set" : "show", STR(name),
                            STR(rest));
    return arena_printf(&r->scratch, "%s%.*s %.*s", prefix, STR(rest), STR(name));
}

/* --------------------------------------------------------------------------------- dispatch */

static bool find_command(Repl *r, Str *line, CommandLine *head, const Command **out)
{
    const Command *found[64];
    head->name = line_name(*line, &head->query, &head->rest);
    uint32_t n = command_lookup(head->name, found, ARRAY_LEN(found));
    bool exact = n == 1 && (str_is(head->name, found[0]->name) || is_short(found[0], head->name));
    const char *prefix = exact ? NULL : toggle_prefix(r, head->name);
    if (prefix) {
        *line = toggle_line(r, prefix, head->name, head->rest);
        head->name = line_name(*line, &head->query, &head->rest);
        n = command_lookup(head->name, found, ARRAY_LEN(found));
    }
    if (n == 1) {
        *out = found[0];
        return true;
    }
    if (n > 1)
        return ambiguous_command(r, head->name, found, n < ARRAY_LEN(found) ? n : ARRAY_LEN(found));
    return unknown_command(r, head->name);
}

bool command_known(Repl *r, Str line)
{
    CommandLine head = {0};
    const Command *c;
    return find_command(r, &line, &head, &c);
}

/* False after an error: what is given and would not be looked at is a mistake. */
static bool fits_synopsis(Repl *r, const Args *a)
{
    Clash c;
    if (!line_clashes(a->cmd, a, &c))
        return true;
    if (c.with.n)
        return usage_error(r, a, "%.*s and %.*s do not go together", STR(c.option), STR(c.with));
    if (c.needs.n)
        return usage_error(r, a, "%.*s goes with %.*s only", STR(c.option), STR(c.needs));
    if (!c.word.n)
        return usage_error(r, a, "%.*s has no meaning here", STR(c.option));
    if (c.option.n)
        return usage_error(r, a, "with %.*s, %s has no place for '%.*s'", STR(c.option),
                           a->cmd->name, STR(c.word));
    return usage_error(r, a, "%s has no place for '%.*s'", a->cmd->name, STR(c.word));
}

static bool call(Repl *r, const Command *c, const CommandLine *line, bool *wide)
{
    Args args;
    if (line->query) {
        help_command(r, c, line->query > 1);
        return true;
    }
    if (!args_bind(c, line, &r->scratch, &args, wide, &r->diag))
        return false;
    if (!fits_synopsis(r, &args))
        return false;
    if ((c->flags & CMD_program) && !session_current(r->session)) {
        return no_program(r, c->name);
    }
    r->out.wide = *wide;
    progress_begin(r);
    bool ok = c->run(r, &args);
    progress_end(r);
    return ok;
}

static void json_error(Repl *r, const DiagItem *i)
{
    static const char *const severities[] = {"note", "warning", "error"};
    StrBuf b = {0};
    sb_printf(&b, "{\"kind\":\"%s\",\"version\":%d,\"code\":", severities[i->severity],
              JSON_VERSION);
    put_json(str_from(i->code), &b);
    sb_printf(&b, ",\"exit\":%d,\"message\":", (int)i->kind);
    put_json(i->message, &b);
    if (i->span.src) {
        Place place = span_place(i->span);
        sb_puts(&b, ",\"file\":");
        put_json(i->span.src->name, &b);
        sb_printf(&b, ",\"line\":%u,\"column\":%u", place.line, place.col);
    }
    const struct {
        const char *name;
        Str text;
    } more[] = {{"where", i->where}, {"note", i->note}, {"help", i->help}};
    for (size_t k = 0; k < ARRAY_LEN(more); k++) {
        if (!more[k].text.n)
            continue;
        sb_printf(&b, ",\"%s\":", more[k].name);
        put_json(more[k].text, &b);
    }
    sb_puts(&b, "}\n");
    out_add(r, false, sb_str(&b));
    sb_free(&b);
}

enum { MOST_ERRORS = 20 }; /* of one command, for people */

static bool said_before(const DiagItem *const *said, uint32_t n, const DiagItem *i)
{
    for (uint32_t k = 0; k < n; k++) {
        if (str_eq(said[k]->message, i->message))
            return true;
    }
    return false;
}

/* Errors that say the same (the same unknown operator at fifty places) are shown once. */
/* Text of an error in the width of the screen; the excerpt keeps its columns. */
static void wrap_error(const Repl *r, Str text, StrBuf *out)
{
    while (text.n) {
        Str line = str_cut(&text, '\n');
        bool excerpt = str_find(line, '|', 0) < 8 && (line.p[0] == ' ' || line.p[0] == '\033');
        wrap_line(line, 0, excerpt ? 0 : r->out.prose_width, 4, out);
        sb_putc(out, '\n');
    }
}

static void render_errors(const Repl *r, StrBuf *out)
{
    const DiagItem *said[MOST_ERRORS];
    uint32_t n = 0;
    for (const DiagItem *i = r->diag.first; i && n < MOST_ERRORS; i = i->next) {
        if (said_before(said, n, i))
            continue;
        diag_render(i, r->out.colour_prose, out);
        said[n++] = i;
    }
    if (r->diag.nitems > n)
        sb_printf(out, "... and %u more%s\n", r->diag.nitems - n,
                  n < MOST_ERRORS ? " like these" : "");
}

/* Prints what r->diag holds and forgets it; returns the status: the kind of the first error. */
static int report_errors(Repl *r)
{
    int status = 0;
    StrBuf b = {0};
    for (DiagItem *i = r->diag.first; i; i = i->next) {
        if (i->kind == DIAG_interrupt) { /* a person did this: where it happened is enough */
            i->span = (Span){0};
            i->where = i->help = (Str){0};
        }
        if (!status && i->severity == SEV_error)
            status = i->kind;
        if (r->script_at.n && !i->span.src && !i->where.n)
            diag_where(&r->diag, i, "%.*s", STR(r->script_at));
        if (r->out.mode == MODE_json)
            json_error(r, i);
    }
    if (r->out.mode != MODE_json) {
        StrBuf all = {0};
        render_errors(r, &all);
        wrap_error(r, sb_str(&all), &b);
        out_add(r, true, sb_str(&b));
        sb_free(&all);
    }
    diag_clear(&r->diag);
    sb_free(&b);
    return status;
}

/* Sends the output of a command. That of a command inside a redirected one stays collected. */
static int send_output(Repl *r, const CommandLine *line, const OutputOuter *outer)
{
    int status = report_errors(r);
    if (line->redirect == REDIRECT_none && outer->redirect != REDIRECT_none && !r->out.capture)
        return status;
    if (out_end(r, line->redirect, line->target))
        return status;
    int late = report_errors(r);
    out_end(r, REDIRECT_none, (Str){0});
    return status ? status : late;
}

static void remember(Repl *r, const Command *c, const CommandLine *line)
{
    r->last = c;
    sb_clear(&r->last_step);
    if ((c->flags & CMD_step) && !line->query)
        sb_printf(&r->last_step, "%.*s %.*s", STR(line->name), STR(line->rest));
}

static void empty_line_hint(Repl *r)
{
    const Command *c = r->last;
    if (!r->interactive || !c)
        return;
    Str rest = str_from(c->examples[0]), example = str_cut(&rest, '\n');
    say(r, "%sfor example: %.*s   (help %s)%s", prose_style(r, STYLE_dim), STR(example), c->name,
        prose_style(r, STYLE_none));
}

/* The last of the errors names a command: what helps, or how to read about the one that failed. */
static bool with_help(Repl *r, const Command *c, bool ok)
{
    const DiagItem *last = r->diag.last;
    if (last && last->severity == SEV_error && !last->help.n)
        fail_help(r, "help %s", c->name);
    return ok;
}

/* The command of a line, if it has one; its errors are in r->diag. */
static bool run_line(Repl *r, Str text, CommandLine *line)
{
    const Command *c = NULL;
    bool wide = false;
    if (!str_trim(text).n && r->last_step.n)
        text = arena_str(&r->scratch, sb_str(&r->last_step));
    line->name = line_name(text, &line->query, &line->rest);
    if (!line->name.n) {
        if (!str_trim(text).n)
            empty_line_hint(r);
        return true;
    }
    if (!find_command(r, &text, line, &c))
        return false;
    line_split(&r->scratch, text, c->flags & CMD_raw, line);
    remember(r, c, line);
    if (r->record.on && r->nesting == 1 && !(c->flags & CMD_unrecorded))
        sb_printf(&r->record.text, "%.*s\n", STR(str_trim(text)));
    if (line->error) {
        line->redirect = REDIRECT_none; /* where to was not understood */
        return with_help(r, c, fail_with(r, DIAG_usage, "bad-line", "%s", line->error));
    }
    out_begin(r, line->redirect);
    return with_help(r, c, call(r, c, line, &wide));
}

/* Of a command that failed without an error. */
static int failure_status(Repl *r)
{
    if (*session_interrupt(r->session))
        return DIAG_interrupt;
    return r->check_failed ? DIAG_check : DIAG_usage;
}

/* A NUL would end the words that it is in, for whoever takes them as strings of C. */
static bool is_text(Repl *r, Str line)
{
    if (!memchr(line.p, 0, line.n))
        return true;
    diag_help(&r->diag, diag_error(&r->diag, DIAG_usage, (Span){0}, "not-text",
                                   "this line is no text: it has a NUL"), "help source");
    return false;
}

int repl_line(Repl *r, Str text)
{
    if (r->debug.collecting && debug_collect(r, text)) {
        if (r->record.on && !r->nesting)
            sb_printf(&r->record.text, "%.*s\n", STR(str_trim(text)));
        return 0;
    }
    ArenaMark mark = arena_mark(&r->scratch);
    Diag outer_diag = r->diag; /* of the command that this line is part of: source, lua */
    OutputOuter outer = out_enter(r);
    CommandLine line = {0};
    r->diag = (Diag){0};
    out_begin(r, REDIRECT_none);
    if (!r->nesting++)
        *session_interrupt(r->session) = 0;
    bool ok = is_text(r, text) && run_line(r, text, &line);
    int status = send_output(r, &line, &outer);
    if (!ok && !status)
        status = failure_status(r);
    r->check_failed = false;
    r->nesting--;
    out_leave(r, outer);
    arena_release(&r->scratch, mark);
    r->diag = outer_diag;
    if (r->debug.npending && !r->debug.running) {
        int after = debug_run_commands(r);
        status = status ? status : after;
    }
    const Command *own; /* r->last may be one that it ran */
    if (r->lesson && !r->nesting && command_lookup(line.name, &own, 1) == 1)
        tutorial_after(r, own, status);
    return status;
}
