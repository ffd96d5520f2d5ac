/*
 * cmd_bisect.c - bisect: which operator, pass, application or kernel breaks the program.
 *
 * Input: the current program as it is set up, and what good means: the f64 oracle, the program in
 * its own dtypes, a command or a Lua function. Output: the culprit, the two commands on either side
 * of it, and what repairs it. The session is as before afterwards.
 */
#include "predicate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ------------------------------------------------------------------------- a check of one's own */

/* A command of ours that cannot be run as it stands says nothing about the program. */
static Judgement judgement_of(int status, bool shell)
{
    enum { CANNOT_TELL = 125 };
    if (status == 0)
        return JUDGED_good;
    return status == CANNOT_TELL || (!shell && status == DIAG_usage) ? JUDGED_unknown
           : status == DIAG_interrupt ? JUDGED_stopped
                                      : JUDGED_bad;
}

/* `!cmd` by its exit status, which the command ! would not pass on. */
static int shell_check(Repl *r, Str command)
{
    int status = system(arena_str(&r->scratch, command).p);
    return WIFEXITED(status) ? WEXITSTATUS(status) : DIAG_interrupt;
}

/* A Lua function says true for good, false for bad, nil for cannot tell. */
static Judgement lua_check(Repl *r, Str function, StrBuf *how)
{
    Script *sc = repl_script(r);
    Str code = arena_printf(&r->scratch,
                            "local good = (%.*s)()\n"
                            "if good == nil then error('cannot tell') end\n"
                            "if not good then error('bad') end",
                            STR(function));
    Diag d = {0};
    if (!sc)
        return JUDGED_stopped;
    bool good = script_run(sc, code, S("check"), &d);
    const char *said = d.first && d.first->message.p ? d.first->message.p : "";
    Judgement j = good                             ? JUDGED_good
                  : strstr(said, "cannot tell")    ? JUDGED_unknown
                  : *session_interrupt(r->session) ? JUDGED_stopped
                                                   : JUDGED_bad;
    sb_puts(how, strstr(said, "bad") ? "the function says false" : said);
    diag_clear(&d);
    return j;
}

static Judgement run_check(void *user, Program *p, const Stage *st, StrBuf *how)
{
    Check *c = user;
    Repl *r = c->r;
    Program *before = session_current(r->session);
    StrBuf output = {0}, *outer = r->out.capture;
    Judgement j;
    int status = 0;
    program_lend(r->session, p, st);
    out_flush(r);
    r->out.capture = &output;
    r->out.mute++;
    bool shell = c->command.n && c->command.p[0] == '!';
    if (shell)
        status = shell_check(r, str_sub(c->command, 1, c->command.n));
    else if (c->command.n)
        status = repl_line(r, c->command);
    j = c->lua.n ? lua_check(r, c->lua, how) : judgement_of(status, shell);
    if (status)
        sb_printf(how, "exit code %d", status);
    r->out.mute--;
    r->out.capture = outer;
    sb_free(&output);
    forget_runs(r, p);
    forget_past(r, p);
    program_take_back(r->session, p, before);
    return j;
}

bool check_options(Repl *r, const Args *a, Check *c, JudgeOptions *o)
{
    Str against = S("f64");
    *c = (Check){.r = r};
    *o = (JudgeOptions){.rtol = -1, .atol = -1};
    arg_option(a, "--against", &against);
    o->own_dtype = str_is(against, "interp");
    if (!o->own_dtype && !str_is(against, "f64"))
        return usage_error(r, a, "--against takes f64 or interp");
    if (!option_real(r, a, "--rtol", INFINITY, &o->rtol) ||
        !option_real(r, a, "--atol", INFINITY, &o->atol))
        return false;
    if (arg_option(a, "--check", &c->command) && !c->command.n)
        return usage_error(r, a, "--check takes a command");
    if (c->command.n && !command_known(r, c->command))
        return false;
    if (arg_option(a, "--lua", &c->lua) && !repl_script(r))
        return false;
    if (c->command.n || c->lua.n) {
        o->check = run_check;
        o->user = c;
    }
    return true;
}

/* ------------------------------------------------------------------------------------- progress */

static void show_probe(void *user, Str what, Judgement j, bool known)
{
    Check *c = user;
    Repl *r = c->r;
    Style s = j == JUDGED_good ? STYLE_good : j == JUDGED_bad ? STYLE_error : STYLE_dim;
    c->probes++;
    progress(r, arena_printf(&r->scratch, "bisect: %.*s %s", STR(what), judgement_name(j)).p,
             c->probes, 0);
    if (!c->verbose)
        return;
    say(r, "%s%-11s%s %.*s%s", prose_style(r, s), judgement_name(j), prose_style(r, STYLE_none),
        STR(what), known ? " (known)" : "");
    out_flush(r);
}

/* -------------------------------------------------------------------------------------- results */

/* "pass cse, application 2: equal -> joined" and the like. */
static void name_culprit(const Culprit *c, StrBuf *out)
{
    if (c->kind == CULPRIT_operator) {
        sb_printf(out, "operator %.*s (%%%.*s) on %.*s", STR(c->op), STR(c->subject),
                  STR(c->executor));
        return;
    }
    sb_printf(out, "pass %.*s", STR(c->pass));
    if (c->kind != CULPRIT_application)
        return;
    sb_printf(out, ", application %llu: %.*s", (unsigned long long)c->application, STR(c->rule));
    if (c->subject.n)
        sb_printf(out, " at %%%.*s", STR(c->subject));
}

static void tell_culprit(Repl *r, const Culprit *c, bool tried)
{
    StrBuf b = {0};
    name_culprit(c, &b);
    sentence(r, "%s%s%s breaks the program\n", style(r, STYLE_error), sb_cstr(&b),
          style(r, STYLE_none));
    sb_free(&b);
    if (c->detail.n)
        sentence(r, "  how:    %s: %.*s\n", c->failure, STR(c->detail));
    if (c->reason.n)
        sentence(r, "  rule:   %.*s\n", STR(c->reason));
    if (c->op.n && c->kind != CULPRIT_operator)
        sentence(r, "  makes:  %%%.*s by %.*s\n", STR(c->subject), STR(c->op));
    if (c->executor.n && c->kind != CULPRIT_operator)
        sentence(r, "  on:     executor %.*s; the trace itself is right\n", STR(c->executor));
    if (c->fusion.n)
        sentence(r, "  kernel: member %u of %u of %.*s\n", c->member, c->members, STR(c->fusion));
    if (c->where.n)
        sentence(r, "  line:   %.*s\n", STR(c->where));
    dataf(r, "last good: %.*s\nfirst bad: %.*s\n", STR(c->good), STR(c->bad));
    for (uint32_t i = 0; i < c->nremedies; i++)
        dataf(r, "repaired by: %.*s\n", STR(c->remedies[i]));
    if (c->kind == CULPRIT_application && tried && !c->alone)
        say(r, "leaving out this application alone does not repair it: others are to blame, too");
    if (c->axes > 1)
        say(r, "two axes repair it, passes and executors: the fault lies where they meet, in what "
               "that executor makes of that pass's work");
}

/* tried: what repairs it was looked for. */
static void tell(Repl *r, const Culprit *c, bool tried)
{
    switch (c->kind) {
    case CULPRIT_none:
        if (c->untold) {
            sentence(r, "the check cannot tell of the last stage (%u of %u run%s)\n", c->untold,
                  c->tried, plural(c->tried));
            say(r, "run it by itself at that stage to see why");
            break;
        }
        sentence(r, "nothing fails: the last stage is good (%u of %u run%s)\n", c->tried, c->tried,
              plural(c->tried));
        if (c->lost.n)
            say(r, "but in its own dtypes the program is far from what it gives in f64 (%.*s); "
                   "`compare %.*s @f64` says where",
                STR(c->lost), STR(c->origin));
        break;
    case CULPRIT_flaky:
        sentence(r, "not deterministic: the last stage was bad in %u of %u run%s; a search would "
                 "blame something at random\n",
              c->failed, c->tried, plural(c->tried));
        break;
    case CULPRIT_program:
        if (c->edited)
            sentence(r, "stage %.*s is wrong as it was edited; what follows is not to blame\n",
                  STR(c->bad_stage));
        else
            sentence(r, "the program fails as it was acquired; neither passes nor executors are to "
                     "blame\n");
        if (c->detail.n)
            sentence(r, "  how:    %s: %.*s\n", c->failure, STR(c->detail));
        break;
    case CULPRIT_range:
        sentence(r, "between %.*s and %.*s: the check cannot tell of what lies between\n",
              STR(c->good_stage), STR(c->bad_stage));
        dataf(r, "last good: %.*s\nfirst bad: %.*s\n", STR(c->good), STR(c->bad));
        break;
    case CULPRIT_stopped:
        say(r, "stopped; `bisect --resume` goes on from here");
        break;
    default:
        tell_culprit(r, c, tried);
    }
}

static const char *kind_name(CulpritKind k)
{
    static const char *const names[] = {"none",    "flaky", "operator", "application",
                                        "pass",    "program", "range",  "stopped"};
    return names[k];
}

static void json_culprit(Repl *r, const Culprit *c)
{
    StrBuf remedies = {0};
    for (uint32_t i = 0; i < c->nremedies; i++)
        sb_printf(&remedies, "%s%.*s", i ? "; " : "", STR(c->remedies[i]));
    Table t = record_begin(r, "bisect",
                           "culprit,pass,application#,rule,value,op,executor,fusion,member#,line,"
                           "failure,good,bad,remedies,axes#,runs#");
    cell(&t, STYLE_none, "%s", kind_name(c->kind));
    cell_str(&t, STYLE_none, c->pass);
    cell(&t, STYLE_none, "%llu", (unsigned long long)c->application);
    cell_str(&t, STYLE_none, c->rule);
    cell_str(&t, STYLE_none, c->subject);
    cell_str(&t, STYLE_none, c->op);
    cell_str(&t, STYLE_none, c->executor);
    cell_str(&t, STYLE_none, c->fusion);
    cell(&t, STYLE_none, "%u", c->member);
    cell_str(&t, STYLE_none, c->where);
    cell(&t, STYLE_none, "%s", c->failure);
    cell_str(&t, STYLE_none, c->good);
    cell_str(&t, STYLE_none, c->bad);
    cell_str(&t, STYLE_none, sb_str(&remedies));
    cell(&t, STYLE_none, "%u", c->axes);
    cell(&t, STYLE_none, "%u", c->runs);
    table_end(&t);
    sb_free(&remedies);
}

/* ---------------------------------------------------------------------------------- the command */

static void show_memory(Repl *r, const BisectMemory *m)
{
    Table t = table_begin(r, "verdict", "stage,verdict");
    map_for_each(&m->verdicts, e) {
        cell_str(&t, STYLE_none, e->key);
        cell(&t, STYLE_none, "%s", judgement_name((Judgement)e->u));
    }
    table_end(&t);
}

bool cmd_bisect(Repl *r, const Args *a)
{
    Program *p = current(r);
    Check check;
    BisectOptions o = {.memory = &r->bisect, .probed = show_probe, .user = &check};
    Culprit c = {0};
    int64_t runs = 0;
    if (arg_flag(a, "--status")) {
        show_memory(r, &r->bisect);
        return true;
    }
    if (!check_options(r, a, &check, &o.judge) || !option_int(r, a, "--runs", 1, 1000, &runs))
        return false;
    o.runs = (uint32_t)runs;
    check.verbose = arg_flag(a, "-v");
    o.no_remedies = arg_flag(a, "--fast");
    if (!arg_flag(a, "--resume"))
        bisect_memory_free(&r->bisect);
    bool good = session_bisect(r->session, p, &o, &c, &r->diag);
    progress_end(r);
    if (good && r->out.mode == MODE_json)
        json_culprit(r, &c);
    else if (good)
        tell(r, &c, !o.no_remedies);
    if (good && c.kind != CULPRIT_stopped)
        say(r, "%s%u run%s in %.3f s%s", prose_style(r, STYLE_dim), c.runs, plural(c.runs),
            (double)c.ns * 1e-9,
            prose_style(r, STYLE_none));
    r->check_failed = good && c.kind != CULPRIT_none && c.kind != CULPRIT_stopped;
    bool done = good && c.kind == CULPRIT_none;
    culprit_free(&c);
    return done;
}
