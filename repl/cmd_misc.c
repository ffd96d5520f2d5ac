/*
 * cmd_misc.c - the rest: lua, set, show, output, version, quit, shell. (help is in help.c.)
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "repl.h"

#include "inject.h"
#include "pager.h"

#include <stdio.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------- lua */

static void on_lua_text(void *user, Str text)
{
    data(user, text);
}

/* thunder.command("..."): runs a line and gives what it printed. */
static bool on_lua_command(void *user, Str line, StrBuf *out)
{
    Repl *r = user;
    StrBuf *outer = r->out.capture;
    out_flush(r);
    r->out.capture = out;
    int status = repl_line(r, line);
    r->out.capture = outer;
    return status == 0;
}

Script *repl_script(Repl *r)
{
    if (!r->script && script_available())
        r->script = script_new(r->session, on_lua_text, r);
    if (!r->script) {
        fail_with(r, DIAG_usage, "no-lua", "this build has no Lua");
        return NULL;
    }
    script_set_command(r->script, on_lua_command, r);
    return r->script;
}

static void print_errors(Repl *r)
{
    StrBuf b = {0};
    diag_render_all(&r->diag, r->out.colour_prose, &b);
    out_add(r, true, sb_str(&b));
    diag_clear(&r->diag);
    sb_free(&b);
}

static void repl_lua_prompt(Repl *r)
{
    StrBuf code = {0};
    say(r, "Lua: `thunder` is the session; Ctrl-D comes back");
    out_flush(r);
    for (;;) {
        size_t n;
        const char *line = line_read(r, code.n ? "...> " : "lua> ", &n);
        if (!line)
            break;
        line_history_add(r, (Str){line, n});
        sb_add(&code, (Str){line, n});
        sb_putc(&code, '\n');
        if (script_incomplete(r->script, sb_str(&code)))
            continue;
        script_run(r->script, str_trim(sb_str(&code)), S("prompt"), &r->diag);
        print_errors(r);
        out_flush(r);
        sb_clear(&code);
    }
    sb_free(&code);
}

bool cmd_lua(Repl *r, const Args *a)
{
    Script *sc = repl_script(r);
    if (!sc)
        return false;
    forget_runs(r, NULL); /* a script may bind inputs */
    if (!a->rest.n) {
        if (!r->interactive)
            return usage_error(r, a, "in batch, lua needs code or a file");
        repl_lua_prompt(r);
        return true;
    }
    if (str_ends(a->rest, ".lua") && str_find(a->rest, ' ', 0) == SIZE_MAX)
        return script_run_file(sc, arena_str(&r->scratch, a->rest).p, &r->diag);
    return script_run(sc, a->rest, S("lua"), &r->diag);
}

/* ----------------------------------------------------------------------------------- settings */

static void show_setting(Repl *r, SettingId id)
{
    static const char *const from[] = {"default", "init", "environment", "set", "flag"};
    if (r->out.mode != MODE_table && r->out.mode != MODE_dot) {
        Table t = record_begin(r, "setting", "name,value,from");
        cell(&t, STYLE_none, "%s", setting_table[id].name);
        cell_str(&t, STYLE_none, setting_get(&r->settings, id));
        cell(&t, STYLE_none, "%s", from[setting_source(&r->settings, id)]);
        table_end(&t);
        return;
    }
    StrBuf b = {0};
    setting_show(&r->settings, id, &b);
    Str rest = sb_str(&b), value = str_cut(&rest, '#');
    dataf(r, "%.*s%s#%.*s%s\n", STR(value), style(r, STYLE_dim), STR(rest), style(r, STYLE_none));
    sb_free(&b);
}

static bool unknown_setting(Repl *r, Str name)
{
    Str near = setting_nearest(name);
    fail_with(r, DIAG_usage, "no-setting", "there is no setting '%.*s'%s", STR(name),
              did_you_mean(r, "'", near));
    fail_help(r, "show");
    return false;
}

/* One setting for what kernels and the pass casts have an option each for. Only a change is passed
 * on, so that a later `option casts.rounding` stays. */
static bool apply_rounding(Repl *r)
{
    bool eager = str_is(setting_get(&r->settings, SET_rounding), "eager");
    if (eager == r->eager_rounding)
        return true;
    r->eager_rounding = eager;
    forget_runs(r, NULL);
    return session_set_option(r->session, S("kernel.eager_rounding"), eager ? S("on") : S("off"),
                              &r->diag) &&
           session_set_option(r->session, S("casts.rounding"), eager ? S("eager") : S("free"),
                              &r->diag);
}

bool settings_apply(Repl *r)
{
    session_set_verify(r->session, setting_on(&r->settings, SET_verify));
    return apply_rounding(r);
}

/* "s0=128" */
static bool set_size(Repl *r, const Args *a, Str word)
{
    Program *p = current(r);
    Str text = word, name = str_cut(&text, '=');
    int64_t value;
    if (!p)
        return no_program(r, "a size");
    if (!str_to_i64(text, &value))
        return usage_error(r, a, "'%.*s' is not a size", STR(text));
    forget_runs(r, p);
    if (!program_set_symbol(r->session, p, name, value, &r->diag))
        return false;
    say(r, "%.*s is %lld", STR(name), (long long)value);
    show_where(r, p);
    return true;
}

/* Says so when what was just set does not count, because a stronger source gives another value. */
static bool say_masked(Repl *r, SettingId id)
{
    if (setting_source(&r->settings, id) <= r->set_from)
        return false;
    StrBuf b = {0};
    setting_show(&r->settings, id, &b);
    say(r, "a stronger source wins: %s", sb_cstr(&b));
    sb_free(&b);
    return true;
}

#ifdef THUNDER_INJECT
/* `set inject FAULT [%v]`: plants a fault; in test builds only. */
static bool set_fault(Repl *r, const Args *a)
{
    StrBuf words = {0};
    for (uint32_t i = 1; i < a->n; i++)
        sb_printf(&words, "%.*s ", STR(a->words[i]));
    if (inject_set(sb_str(&words), &r->diag))
        forget_runs(r, NULL);
    sb_free(&words);
    return true;
}
#else
#define set_fault(r, a) false
#endif

bool cmd_set(Repl *r, const Args *a)
{
    if (!a->n) {
        for (int i = 0; i < SET_COUNT; i++)
            show_setting(r, (SettingId)i);
        return true;
    }
    Str name = a->words[0];
    int id = setting_find(name);
    if (str_is(name, "inject") && set_fault(r, a))
        return r->diag.nerrors == 0;
    if (id < 0 && str_find(name, '=', 0) != SIZE_MAX && a->n == 1)
        return set_size(r, a, name);
    if (id < 0 && str_find(name, '.', 0) != SIZE_MAX)
        return a->n > 2 ? usage_error(r, a, "an option takes one value") : cmd_option(r, a);
    if (id < 0)
        return unknown_setting(r, name);
    if (a->n == 1) {
        show_setting(r, (SettingId)id);
        return true;
    }
    StrBuf value = {0};
    for (uint32_t i = 1; i < a->n; i++)
        sb_printf(&value, "%s%.*s", i > 1 ? " " : "", STR(a->words[i]));
    bool ok = setting_set(&r->settings, (SettingId)id, r->set_from, sb_str(&value), &r->diag);
    sb_free(&value);
    if (!ok || !settings_apply(r))
        return false;
    bool masked = say_masked(r, (SettingId)id);
    if (r->set_from == FROM_set && !masked)
        show_setting(r, (SettingId)id);
    return true;
}

bool cmd_show(Repl *r, const Args *a)
{
    if (!a->n)
        return cmd_set(r, a);
    for (uint32_t i = 0; i < a->n; i++) {
        int id = setting_find(a->words[i]);
        if (id < 0)
            return unknown_setting(r, a->words[i]);
        show_setting(r, (SettingId)id);
    }
    return true;
}

bool cmd_output(Repl *r, const Args *a)
{
    if (a->n && !setting_set(&r->settings, SET_output, r->set_from, a->words[0], &r->diag))
        return false;
    if (a->n)
        say_masked(r, SET_output);
    else
        show_setting(r, SET_output);
    return true;
}

/* ------------------------------------------------------------------------------------ version */

#ifdef __clang__
#define COMPILER "clang"
#else
#define COMPILER "gcc"
#endif

bool cmd_version(Repl *r, const Args *a)
{
    (void)a;
    StrBuf editor = {0}, executors = {0};
    if (!line_editor_name(&editor))
        sb_puts(&editor, "none");
    const ExecList *l = session_executors(r->session);
    for (uint32_t i = 0; i < l->n; i++)
        sb_printf(&executors, "%s%s", i ? ", " : "", l->items[i]->name);
    if (r->out.mode == MODE_table || r->out.mode == MODE_dot) {
        dataf(r, "thunder-repl %s, built with " COMPILER " %s\n", THUNDER_VERSION, __VERSION__);
        dataf(r, "editor %s; lua %s; executors %s; seed %lld\n", sb_cstr(&editor),
              script_available() ? "yes" : "no", sb_cstr(&executors),
              (long long)setting_int(&r->settings, SET_seed));
    } else {
        Table t =
            record_begin(r, "version", "program,release,compiler,editor,lua?,executors,seed#");
        cell(&t, STYLE_none, "thunder-repl");
        cell(&t, STYLE_none, "%s", THUNDER_VERSION);
        cell(&t, STYLE_none, COMPILER " %s", __VERSION__);
        cell_str(&t, STYLE_none, sb_str(&editor));
        cell(&t, STYLE_none, "%s", script_available() ? "yes" : "no");
        cell_str(&t, STYLE_none, sb_str(&executors));
        cell(&t, STYLE_none, "%lld", (long long)setting_int(&r->settings, SET_seed));
        table_end(&t);
    }
    sb_free(&editor);
    sb_free(&executors);
    return true;
}

/* --------------------------------------------------------------------------------- quit, shell */

bool cmd_quit(Repl *r, const Args *a)
{
    int64_t code;
    if (!arg_number(r, a, 0, 0, 0, &code))
        return false;
    if (code > 255)
        return usage_error(r, a, "an exit code is at most 255");
    if (r->record.on)
        repl_line(r, S("record off"));
    r->exit_code = (int)code;
    r->quit = true;
    return true;
}

bool cmd_shell(Repl *r, const Args *a)
{
    if (!a->rest.n)
        return usage_error(r, a, "! needs a shell command");
    out_flush(r);
    fflush(NULL);
    interrupt_hold(true);
    int status = shell_status(system(arena_str(&r->scratch, a->rest).p));
    interrupt_hold(false);
    if (status != 0)
        return fail_with(r, DIAG_check, "shell", "'%.*s' ended with status %d", STR(a->rest),
                         status);
    return true;
}
