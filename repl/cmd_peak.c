/*
 * cmd_peak.c - the command peak: memory over time, who is alive where it is most, what if.
 */
#include "repl.h"

#include "memory.h"

#include <string.h>

static bool is_svg(Str word)
{
    return word.n > 4 && memcmp(word.p + word.n - 4, ".svg", 4) == 0;
}

/* "--off fuse", "--on fuse", or as a toggle, "--fuse off"; also of options: "--off plan.in_place".
 */
typedef struct Question {
    Str pass; /* or the option */
    bool asked, on, wrong;
} Question;

static Question question(const Args *a)
{
    Question q = {0};
    for (uint32_t i = 0; i < a->noptions; i++) {
        Str option = a->options[i].name, value = a->options[i].value;
        if (!value.n)
            continue;
        bool plain = str_is(option, "--on") || str_is(option, "--off");
        q.asked = true;
        q.pass = plain ? value : str_sub(option, 2, SIZE_MAX);
        q.on = str_is(plain ? option : value, plain ? "--on" : "on");
        q.wrong = !plain && !q.on && !str_is(value, "off");
    }
    return q;
}

/* The stage that a question asks for, whose pass then has its own name; NULL after an error. */
static Stage *what_if(Repl *r, const Args *a, Program *p, Question *q)
{
    if (q->wrong) {
        usage_error(r, a, "--%.*s takes on or off", STR(q->pass));
        return NULL;
    }
    int slot = program_find_slot(p, q->pass);
    if (slot < 0 && option_find(q->pass))
        return program_what_if_option(r->session, p, q->pass, q->on ? S("on") : S("off"), &r->diag);
    if (slot < 0) {
        fail_with(r, DIAG_usage, "no-pass", "there is no pass and no option %.*s", STR(q->pass));
        fail_help(r, "passes");
        return NULL;
    }
    q->pass = program_slot(p, (uint32_t)slot)->name;
    return program_what_if(r->session, p, (uint32_t)slot, q->on, &r->diag);
}

/* What a step runs: its operator, or the name of its kernel. */
static Str step_name(const Trace *t, NodeId n)
{
    if (n == NO_NODE)
        return (Str){0};
    const Node *node = &t->nodes[n];
    return node->op->id == PRIM_call ? arg_str(node->args[0]) : str_from(node->op->name);
}

/* "step 106, +14 since fuse", "step 5, then %t9 over it" */
static void until_text(const Trace *t, const Peak *k, const PeakValue *x, StrBuf *out)
{
    if (x->last + 1 >= k->nsteps)
        sb_puts(out, "the end");
    else
        sb_printf(out, "step %u", x->last + 1);
    if (x->over)
        sb_printf(out, ", then %%%.*s over it", STR(t->values[x->over].name));
    if (x->longer)
        sb_printf(out, ", +%u since %.*s", x->longer, STR(x->since->name));
}

/* The largest `most` values, inputs only on request. Returns how many are left. */
static uint32_t alive_rows(Repl *r, const Trace *t, const Peak *k, bool inputs, uint32_t most)
{
    uint32_t left = 0;
    Table tab = table_begin(r, "alive", "value,bytes#,type,made by,source<,until");
    for (uint32_t i = 0; i < k->nalive; i++) {
        const PeakValue *x = &k->alive[i];
        const Value *v = &t->values[x->value];
        if (!inputs && v->producer == NO_NODE)
            continue;
        if (most == 0) {
            left++;
            continue;
        }
        most--;
        StrBuf type = {0}, place = {0}, until = {0};
        type_print(&v->type, NULL, &type);
        node_place(t, v->producer, &place);
        cell(&tab, STYLE_value, "%%%.*s", STR(v->name));
        cell(&tab, STYLE_none, "%lld", (long long)x->bytes);
        cell_str(&tab, STYLE_type, sb_str(&type));
        cell_str(&tab, STYLE_op,
                 v->producer == NO_NODE ? S("input") : step_name(t, v->producer));
        cell_str(&tab, STYLE_dim, sb_str(&place));
        until_text(t, k, x, &until);
        cell_str(&tab, STYLE_none, sb_str(&until));
        sb_free(&until);
        sb_free(&type);
        sb_free(&place);
    }
    table_end(&tab);
    return left;
}

static void step_rows(Repl *r, const Trace *t, const Peak *k)
{
    Table tab = table_begin(r, "step", "step#,bytes#,op,source<");
    for (uint32_t i = 0; i < k->nsteps; i++) {
        StrBuf place = {0};
        node_place(t, k->nodes[i], &place);
        cell(&tab, STYLE_none, "%u", i + 1);
        cell(&tab, STYLE_none, "%lld", (long long)k->bytes[i]);
        cell_str(&tab, STYLE_none, step_name(t, k->nodes[i]));
        cell_str(&tab, STYLE_none, sb_str(&place));
        sb_free(&place);
    }
    table_end(&tab);
}

/* For machines: the peak, who is alive there, and every step. */
static void show_data(Repl *r, const Stage *st, const Peak *k)
{
    Table tab = record_begin(r, "peak", "stage,peak#,step#,steps#,plan#");
    cell_str(&tab, STYLE_none, st->name);
    cell(&tab, STYLE_none, "%lld", (long long)k->most);
    cell(&tab, STYLE_none, "%u", k->at + 1);
    cell(&tab, STYLE_none, "%u", k->nsteps);
    cell(&tab, STYLE_none, "%lld", (long long)st->trace->plan_bytes);
    table_end(&tab);
    alive_rows(r, st->trace, k, true, UINT32_MAX);
    step_rows(r, st->trace, k);
}

/* What a device really has, beside what a run needs there: inputs, the planned block as a whole,
 * results, and what executors work in. */
static void show_device(Repl *r, const Peak *k)
{
    DeviceUse u;
    if (!session_device_use(r->session, &u))
        return;
    Table t = record_begin(r, "device",
                           "expected#,of_executors#,used#,most_in_run#,taken_of_driver#");
    cell(&t, STYLE_none, "%lld", (long long)(k->reserved + u.kept));
    cell(&t, STYLE_none, "%lld", (long long)u.kept);
    cell(&t, STYLE_none, "%lld", (long long)u.used);
    cell(&t, STYLE_none, "%lld", (long long)u.most);
    cell(&t, STYLE_none, "%lld", (long long)u.taken);
    table_end(&t);
}

/* "; 149 inputs hold 237.3 MiB of it" */
static void inputs_text(const Trace *t, const Peak *k, StrBuf *out)
{
    uint32_t n = 0;
    int64_t bytes = 0;
    for (uint32_t i = 0; i < k->nalive; i++)
        if (t->values[k->alive[i].value].producer == NO_NODE) {
            n++;
            bytes += k->alive[i].bytes;
        }
    sb_printf(out, "; %u input%s %s ", n, plural(n), n == 1 ? "holds" : "hold");
    sb_bytes(out, (double)bytes);
    sb_puts(out, " of it");
}

static void show_people(Repl *r, const Stage *st, const Peak *k)
{
    enum { ROWS = 10, LISTED = 20 };
    uint32_t columns = r->out.width && r->out.width < 80 ? r->out.width : 80;
    StrBuf chart = {0}, line = {0};
    peak_chart(k, columns, ROWS, &chart);
    data_lines(r, "chart", sb_str(&chart));
    sb_bytes(&line, (double)k->most);
    NodeId n = k->nodes[k->at];
    sb_printf(&line, " at most, at stage %.*s, ", STR(st->name));
    if (n == NO_NODE)
        sb_puts(&line, "at the end");
    else
        sb_printf(&line, "in %.*s", STR(step_name(st->trace, n)));
    StrBuf place = {0};
    node_place(st->trace, n, &place);
    if (place.n)
        sb_printf(&line, ", %s", sb_cstr(&place));
    sb_free(&place);
    inputs_text(st->trace, k, &line);
    if (st->trace->plan_bytes >= 0) {
        sb_puts(&line, "; temporaries planned in ");
        sb_bytes(&line, (double)st->trace->plan_bytes);
    }
    data_sentences(r, "peak", str_trim(sb_str(&line)));
    uint32_t left = alive_rows(r, st->trace, k, false, LISTED);
    if (left)
        say(r, "%sand %u smaller ones%s", prose_style(r, STYLE_dim), left,
            prose_style(r, STYLE_none));
    sb_free(&chart);
    sb_free(&line);
}

/* One sentence: the peak with the change, and as it is. */
static void show_difference(Repl *r, const Question *q, const Peak *k, const Peak *now)
{
    StrBuf line = {0};
    sb_printf(&line, "with %.*s %s: ", STR(q->pass), q->on ? "on" : "off");
    sb_bytes(&line, (double)k->most);
    sb_puts(&line, "; as it is: ");
    sb_bytes(&line, (double)now->most);
    if (now->most)
        sb_printf(&line, " (%+.1f%%)",
                  100 * ((double)k->most - (double)now->most) / (double)now->most);
    data_sentences(r, "difference", sb_str(&line));
    sb_free(&line);
}

static bool show_peak(Repl *r, const Question *q, const Stage *st, const Stage *now, Str file)
{
    Peak k = trace_peak(st->trace);
    peak_lengthened(st, &k);
    bool ok = true;
    if (file.n) {
        StrBuf svg = {0};
        peak_svg(st->trace, &k, &svg);
        ok = write_file(r, file, sb_str(&svg));
        if (ok)
            say(r, "wrote %.*s", STR(file));
        sb_free(&svg);
    } else if (r->out.mode == MODE_table) {
        show_people(r, st, &k);
    } else {
        show_data(r, st, &k);
    }
    if (now) {
        Peak before = trace_peak(now->trace);
        show_difference(r, q, &k, &before);
        peak_free(&before);
    } else if (!file.n) {
        show_device(r, &k);
    }
    peak_free(&k);
    return ok;
}

bool cmd_peak(Repl *r, const Args *a)
{
    Program *p = current(r);
    Str which = S("last"), file = {0};
    for (uint32_t i = 0; i < a->n; i++) {
        if (is_svg(a->words[i]))
            file = a->words[i];
        else
            which = a->words[i];
    }
    Question q = question(a);
    Stage *other = q.asked ? what_if(r, a, p, &q) : NULL;
    if (q.asked && !other)
        return false;
    if (q.asked && !str_is(which, "last"))
        return usage_error(r, a, "--on and --off show the last stage");
    Stage *st = find_stage(r, p, which);
    if (!st)
        return false;
    OutputMode mode = r->out.mode;
    if (arg_flag(a, "--json"))
        r->out.mode = MODE_json;
    bool ok = show_peak(r, &q, q.asked ? other : st, q.asked ? st : NULL, file);
    r->out.mode = mode;
    return ok;
}
