/*
 * cmd_pass.c - passes, executors and options of passes.
 */
#include "differences.h"
#include "repl.h"

#include <stdlib.h>

/* ------------------------------------------------------------------------------------- passes */

static void skip_text(const Slot *s, StrBuf *out)
{
    for (uint32_t i = 0; i < s->nskip; i++)
        sb_printf(out, "%s%llu", i ? "," : "", (unsigned long long)s->skip[i] + 1);
}

bool cmd_passes(Repl *r, const Args *a)
{
    (void)a;
    const Program *p = current(r);
    Table t = table_begin(r, "pass", "n#,name,on?,fuel,skip~,optional?,what it does");
    for (uint32_t i = 0; i < program_slot_count(p); i++) {
        const Slot *s = program_slot(p, i);
        StrBuf skips = {0};
        skip_text(s, &skips);
        cell(&t, STYLE_none, "%u", i + 1);
        cell_str(&t, s->on ? STYLE_head : STYLE_dim, s->name);
        cell(&t, s->on ? STYLE_good : STYLE_warn, "%s", s->on ? "yes" : "no");
        if (s->fuel == UINT64_MAX)
            cell(&t, STYLE_dim, "all");
        else
            cell(&t, STYLE_warn, "%llu", (unsigned long long)s->fuel);
        cell_str(&t, STYLE_warn, sb_str(&skips));
        cell(&t, STYLE_none, "%s", s->pass->mandatory ? "no" : "yes");
        cell(&t, STYLE_dim, "%s", s->pass->help);
        sb_free(&skips);
    }
    table_end(&t);
    return true;
}

typedef struct SlotWalk {
    const Program *p;
    uint32_t i;
} SlotWalk;

static bool next_slot(void *state, Str *candidate)
{
    SlotWalk *w = state;
    if (w->i == program_slot_count(w->p))
        return false;
    *candidate = program_slot(w->p, w->i++)->name;
    return true;
}

static int find_slot(Repl *r, const Program *p, Str name)
{
    int slot = program_find_slot(p, name);
    if (slot >= 0)
        return slot;
    SlotWalk walk = {p, 0};
    Str near = nearest(name, next_slot, &walk);
    fail_with(r, DIAG_usage, "no-pass", "there is no pass %.*s%s", STR(name),
              did_you_mean(r, "", near));
    fail_help(r, "passes");
    return -1;
}

/* The state of a pass as lines that can be typed. */
static void show_slot(Repl *r, const Slot *s)
{
    StrBuf b = {0};
    sb_printf(&b, "pass %s %.*s\n", s->on ? "on" : "off", STR(s->name));
    if (s->fuel != UINT64_MAX)
        sb_printf(&b, "pass fuel %.*s %llu\n", STR(s->name), (unsigned long long)s->fuel);
    for (uint32_t i = 0; i < s->nskip; i++)
        sb_printf(&b, "pass skip %.*s %llu\n", STR(s->name), (unsigned long long)s->skip[i] + 1);
    data_lines(r, "pass", sb_str(&b));
    sb_free(&b);
}

static bool pass_move(Repl *r, const Args *a, Program *p, uint32_t slot)
{
    int64_t to;
    if (a->n != 3)
        return usage_error(r, a, "pass move needs a pass and its new number");
    if (!arg_number(r, a, 2, 0, 1, &to))
        return false;
    if (to > program_slot_count(p))
        return usage_error(r, a, "there are %u passes", program_slot_count(p));
    return program_slot_move(r->session, p, slot, (uint32_t)to - 1, &r->diag);
}

static bool pass_fuel(Repl *r, const Args *a, Program *p, uint32_t slot)
{
    int64_t fuel = 0;
    if (a->n != 3)
        return usage_error(r, a, "pass fuel needs a pass and a number, or all");
    bool all = str_is(a->words[2], "all");
    if (!all && !arg_number(r, a, 2, 0, 0, &fuel))
        return false;
    return program_slot_fuel(r->session, p, slot, all ? UINT64_MAX : (uint64_t)fuel, &r->diag);
}

static bool pass_skip(Repl *r, const Args *a, Program *p, uint32_t slot)
{
    int64_t n;
    if (a->n != 3)
        return usage_error(r, a, "pass skip needs a pass and a number, or none");
    if (!str_is(a->words[2], "none"))
        return arg_number(r, a, 2, 0, 1, &n) &&
               program_slot_skip(r->session, p, slot, (uint64_t)n - 1, true, &r->diag);
    while (program_slot(p, slot)->nskip) {
        if (!program_slot_skip(r->session, p, slot, program_slot(p, slot)->skip[0], false,
                               &r->diag))
            return false;
    }
    return true;
}

static bool pass_on(Repl *r, const Args *a, Program *p, uint32_t slot)
{
    (void)a;
    return program_slot_set(r->session, p, slot, true, &r->diag);
}

static bool pass_off(Repl *r, const Args *a, Program *p, uint32_t slot)
{
    (void)a;
    return program_slot_set(r->session, p, slot, false, &r->diag);
}

static const struct {
    const char *verb;
    bool (*run)(Repl *r, const Args *a, Program *p, uint32_t slot);
} pass_verbs[] = {
    {"on", pass_on},     {"off", pass_off},   {"move", pass_move},
    {"fuel", pass_fuel}, {"skip", pass_skip},
};

bool cmd_pass(Repl *r, const Args *a)
{
    Program *p = current(r);
    if (a->n == 1) { /* the name alone prints the state */
        int slot = find_slot(r, p, a->words[0]);
        if (slot >= 0)
            show_slot(r, program_slot(p, (uint32_t)slot));
        return slot >= 0;
    }
    if (a->n < 2)
        return usage_error(r, a, "pass needs a verb and the name of a pass");
    for (size_t i = 0; i < ARRAY_LEN(pass_verbs); i++) {
        if (!str_is(a->words[0], pass_verbs[i].verb))
            continue;
        int slot = find_slot(r, p, a->words[1]);
        if (slot < 0)
            return false;
        Str name = arena_str(&r->scratch, program_slot(p, (uint32_t)slot)->name);
        bool ok = pass_verbs[i].run(r, a, p, (uint32_t)slot);
        int now = program_find_slot(p, name);
        if (ok && now >= 0)
            show_slot(r, program_slot(p, (uint32_t)now));
        if (ok)
            show_where(r, p);
        return ok;
    }
    return usage_error(r, a, "'%.*s' is none of on, off, move, fuel, skip", STR(a->words[0]));
}

/* ---------------------------------------------------------------------------------- executors */

static const char *kind_name(ExecKind kind)
{
    static const char *const names[] = {"operator", "fusion", "stateful"};
    return names[kind];
}

/* Exactly these are on, in this order; the others follow. */
static bool choose_executors(Repl *r, Str names)
{
    ExecList l, known = *session_executors(r->session);
    if (!exec_parse_list(&known, names, &l, &r->diag))
        return false;
    for (uint32_t i = 0; i < known.n; i++)
        if (exec_index(&l, str_from(known.items[i]->name)) < 0)
            l.items[l.n++] = known.items[i]; /* off */
    session_set_executors(r->session, &l);
    forget_runs(r, NULL);
    return true;
}

bool cmd_executors(Repl *r, const Args *a)
{
    if (a->n)
        return choose_executors(r, a->words[0]);
    const ExecList *l = session_executors(r->session);
    Table t = table_begin(r, "executor", "n#,name,on?,kind,available?,about");
    for (uint32_t i = 0; i < l->n; i++) {
        const Executor *e = l->items[i];
        StrBuf why = {0};
        bool available = !e->available || e->available(&why);
        cell(&t, STYLE_none, "%u", i + 1);
        cell(&t, l->on[i] ? STYLE_head : STYLE_dim, "%s", e->name);
        cell(&t, l->on[i] ? STYLE_good : STYLE_warn, "%s", l->on[i] ? "yes" : "no");
        cell(&t, STYLE_none, "%s", kind_name(e->kind));
        cell(&t, available ? STYLE_good : STYLE_warn, "%s", available ? "yes" : "no");
        cell(&t, STYLE_dim, "%s%s%s", e->help, why.n ? "; " : "", sb_cstr(&why));
        sb_free(&why);
    }
    table_end(&t);
    return true;
}

static uint32_t count_on(const ExecList *l)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++)
        n += l->on[i];
    return n;
}

static bool change_executor(Repl *r, const Args *a, ExecList *l, uint32_t i)
{
    Str verb = a->words[0];
    if (str_is(verb, "first"))
        exec_move(l, i, 0);
    else if (str_is(verb, "last"))
        exec_move(l, i, l->n - 1);
    else if (str_is(verb, "on") || str_is(verb, "off"))
        l->on[i] = str_is(verb, "on");
    else
        return usage_error(r, a, "'%.*s' is none of on, off, first, last", STR(verb));
    if (count_on(l))
        return true;
    fail_with(r, DIAG_usage, "no-executor", "one executor has to stay on");
    fail_help(r, "executors");
    return false;
}

bool cmd_executor(Repl *r, const Args *a)
{
    ExecList l = *session_executors(r->session);
    if (!a->n)
        return usage_error(r, a, "executor needs a verb and the name of an executor");
    int i = exec_require(&l, a->words[a->n - 1], &r->diag);
    if (i < 0)
        return false;
    const char *name = l.items[i]->name;
    if (a->n == 2) {
        if (!change_executor(r, a, &l, (uint32_t)i))
            return false;
        if (!session_set_executors(r->session, &l))
            say(r, "the programs loaded cannot be claimed with this list; run, step or stages says "
                   "why");
        forget_runs(r, NULL);
    }
    bool moved = a->n == 2 && !str_starts(a->words[0], "o");
    Str place = moved ? arena_printf(&r->scratch, "executor %.*s %s\n", STR(a->words[0]), name)
                      : (Str){0};
    data_lines(r, "executor",
               arena_printf(&r->scratch, "%.*sexecutor %s %s\n", STR(place),
                            l.on[exec_index(&l, str_from(name))] ? "on" : "off", name));
    return true;
}

/* ------------------------------------------------------------------------------------ options */

static void remember_option(Repl *r, Str name)
{
    for (uint32_t i = 0; i < r->noption_names; i++) {
        if (str_eq(r->option_names[i], name))
            return;
    }
    if (r->noption_names == r->option_cap) {
        r->option_cap = r->option_cap ? 2 * r->option_cap : 8;
        r->option_names = realloc(r->option_names, r->option_cap * sizeof(Str));
        if (!r->option_names)
            abort();
    }
    r->option_names[r->noption_names++] = arena_str(&r->arena, name);
}

/* The line that sets it as it is, and what it is about. */
static void show_option(Repl *r, Str name, bool about)
{
    Str value = session_option(r->session, name, (Str){0});
    const OptionInfo *o = option_find(name);
    StrBuf b = {0};
    sb_printf(&b, "option %.*s ", STR(name));
    if (value.n || (o && o->dflt[0]))
        word_quote(value.n ? value : str_from(o->dflt), &b);
    if (!value.n || about) {
        sb_pad(&b, ' ', b.n < 32 ? 32 - b.n : 1);
        sb_printf(&b, "# %s%s%s", value.n ? "" : o && o->dflt[0] ? "default" : "not set",
                  value.n || !about || !o ? "" : "; ", about && o ? o->help : "");
    }
    sb_putc(&b, '\n');
    data_sentences(r, "option", sb_str(&b));
    sb_free(&b);
}

bool cmd_option(Repl *r, const Args *a)
{
    if (!a->n) {
        for (uint32_t i = 0; i < option_count; i++)
            show_option(r, str_from(option_table[i].name), true);
        for (uint32_t i = 0; i < r->noption_names; i++) {
            const OptionInfo *o = option_find(r->option_names[i]);
            if (!o || !str_is(r->option_names[i], o->name))
                show_option(r, r->option_names[i], false);
        }
        return true;
    }
    char buffer[PASS_WORD];
    Str name = pass_word(a->words[0], buffer), value = a->n == 2 ? a->words[1] : (Str){0};
    if (!session_check_option(r->session, name, value, &r->diag))
        return false;
    if (a->n == 2) {
        if (!session_set_option(r->session, name, value, &r->diag))
            return false;
        remember_option(r, name);
    }
    show_option(r, name, false);
    return true;
}

/* ----------------------------------------------------------------------------------- gradients */

void grad_line(Repl *r, const Program *p, StrBuf *out)
{
    int slot = program_find_slot(p, S("joint"));
    bool on = slot >= 0 && program_slot(p, (uint32_t)slot)->on;
    bool ones = str_is(session_option(r->session, S("joint.cotangents"), S("given")), "ones");
    sb_puts(out, on ? "grad " : "grad off");
    Str wrt = session_option(r->session, S("joint.wrt"), S("all"));
    for (size_t i = 0; on && i < wrt.n; i++)
        sb_putc(out, wrt.p[i] == ',' ? ' ' : wrt.p[i]);
    sb_puts(out, on && ones ? " --ones\n" : "\n");
}

static void show_grad(Repl *r, const Program *p)
{
    StrBuf b = {0};
    grad_line(r, p, &b);
    data_lines(r, "grad", sb_str(&b));
    sb_free(&b);
}

/* grad --check [%v]: the gradients, or those of the program that ends with %v, against differences.
 */
static bool check_gradients(Repl *r, const Args *a, Program *p)
{
    Stage *st = find_stage(r, p, S("joint"));
    Differences diff = {.seconds = 0};
    ValueId v = 0, made;
    if (!st || (a->n && !(v = find_value(r, st->trace, a->words[0]))))
        return false;
    uint32_t upto = v ? differences_upto(st, v) : 0;
    bool ran = v ? differences_prefix(r->session, p, st, upto, &diff, &made, &r->diag)
                 : differences_stage(r->session, p, st, &diff, &r->diag);
    if (!ran)
        return false;
    if (diff.agree)
        sentence(r, "gradients of %u input%s agree with central differences\n", diff.checked,
              plural(diff.checked));
    else
        sentence(r, "the gradient of %%%.*s gives a slope of %.6g, central differences give %.6g\n",
              STR(diff.input), diff.got, diff.want);
    r->check_failed = !diff.agree;
    return diff.agree;
}

bool cmd_grad(Repl *r, const Args *a)
{
    Program *p = current(r);
    if (arg_flag(a, "--check"))
        return check_gradients(r, a, p);
    if (a->n == 0) {
        show_grad(r, p);
        return true;
    }
    StrBuf wrt = {0};
    bool off = a->n == 1 && str_is(a->words[0], "off");
    if (off && a->noptions)
        return usage_error(r, a, "off takes no options");
    for (uint32_t i = 0; i < a->n && !off; i++) {
        Str name = a->words[i];
        if (name.n && name.p[0] == '%')
            name = str_sub(name, 1, SIZE_MAX);
        sb_printf(&wrt, "%s%.*s", i ? "," : "", STR(name));
    }
    bool again = arg_flag(a, "--again");
    bool ok = again ? program_grad_again(r->session, p, sb_str(&wrt), &r->diag)
                    : program_grad(r->session, p, sb_str(&wrt), arg_flag(a, "--ones"), &r->diag);
    sb_free(&wrt);
    if (!ok)
        return false;
    if (again && !off)
        remember_option(r, S("joint.2.wrt"));
    if (!off) {
        remember_option(r, S("joint.wrt"));
        remember_option(r, S("joint.cotangents"));
        if (!cmd_stages(r, a))
            return false;
    }
    show_where(r, p);
    return true;
}

bool cmd_parts(Repl *r, const Args *a)
{
    Program *p = current(r);
    Str feed;
    bool link = arg_option(a, "--feed", &feed);
    if (link) {
        Program *backward = find_program(r, feed);
        return backward && program_link(p, backward, &r->diag);
    }
    int remat = program_find_slot(p, S("remat"));
    bool on = remat >= 0 && program_slot(p, (uint32_t)remat)->on;
    const Stage *st = find_stage(r, p, a->n ? a->words[0] : on ? S("remat") : S("split"));
    Program *forward = st ? program_parts(r->session, p, st, &r->diag) : NULL;
    if (!forward)
        return false;
    say(r, "%.*s is the current program; what it keeps is bound to the backward one when it runs",
        STR(program_name(forward)));
    show_where(r, forward);
    return true;
}
