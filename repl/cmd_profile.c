/*
 * cmd_profile.c - profile, plot, versus: where the time goes, against what this machine can do, and
 * against another configuration.
 */
#include "repl.h"

#include "memory.h"
#include "roofline.h"

#include <math.h>
#include <stdlib.h>

/* --json: this answer only. */
static OutputMode enter_mode(Repl *r, const Args *a)
{
    OutputMode mode = r->out.mode;
    if (arg_flag(a, "--json"))
        r->out.mode = MODE_json;
    return mode;
}

static bool seconds_of(Repl *r, const Args *a, double *seconds)
{
    *seconds = 1;
    return option_real(r, a, "--time", MOST_SECONDS, seconds);
}

static bool profile_of(Repl *r, const Args *a, Str stage, Profile *out)
{
    Program *p = current(r);
    double seconds;
    if (!seconds_of(r, a, &seconds))
        return false;
    const Stage *st = find_stage(r, p, stage.n ? stage : S("last"));
    return st && session_profile(r->session, p, st, seconds, out, &r->diag);
}

static int by_time(const void *x, const void *y)
{
    const ProfileRow *const *a = x, *const *b = y;
    return ((*a)->ms < (*b)->ms) - ((*a)->ms > (*b)->ms);
}

/* On a screen of 80 columns the roof is one cell, elsewhere numbers. */
static void roof_cells(Table *tab, const Profile *p, const ProfileRow *row)
{
    bool memory;
    double floor = profile_floor(p, row, &memory), share = row->ms > 0 ? 100 * floor / row->ms : 0;
    const char *roof = memory ? "copy" : "matmul";
    if (tab->r->out.mode == MODE_table) {
        cell(tab, STYLE_good, "%.0f%% %s", share, roof);
        return;
    }
    cell(tab, STYLE_none, "%.2f", row->bytes > 0 ? row->flops / row->bytes : 0);
    cell(tab, STYLE_none, "%.1f", share);
    cell(tab, STYLE_none, "%s", roof);
}

static void profile_row(Table *tab, const Profile *p, const ProfileRow *row)
{
    StrBuf ops = {0}, place = {0};
    const Node *node = &p->t->nodes[row->node];
    statement_ops(p->t, row->node, 4, &ops);
    node_place(p->t, row->node, &place);
    cell_str(tab, STYLE_value, statement_name(p->t, row->node));
    cell_str(tab, STYLE_op, sb_str(&ops));
    cell(tab, STYLE_none, "%s", node->executor ? node->executor : "opened");
    cell(tab, STYLE_none, "%.4f", row->ms);
    cell(tab, STYLE_none, "%.1f", p->run_ms > 0 ? 100 * row->ms / p->run_ms : 0);
    cell(tab, STYLE_none, "%.2f", row->bytes * 1e-6);
    roof_cells(tab, p, row);
    cell_str(tab, STYLE_dim, sb_str(&place));
    sb_free(&ops);
    sb_free(&place);
}

/* What the rows leave of the whole: a line of the same table. */
static void rest_row(Table *tab, const Profile *p, const char *name, double ms)
{
    cell(tab, STYLE_dim, "%s", name);
    cell_str(tab, STYLE_none, (Str){0});
    cell_str(tab, STYLE_none, (Str){0});
    cell(tab, STYLE_none, "%.4f", ms);
    cell(tab, STYLE_none, "%.1f", p->run_ms > 0 ? 100 * ms / p->run_ms : 0);
    for (uint32_t i = 5; i < tab->ncolumns; i++)
        cell_str(tab, STYLE_none, (Str){0});
}

static void profile_table(Repl *r, const Profile *p, bool all)
{
    enum { SHOWN = 20 };
    const ProfileRow **rows = malloc((p->n + 1) * sizeof *rows);
    if (!rows)
        abort();
    double sum = 0, hidden = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        rows[i] = &p->rows[i];
        sum += p->rows[i].ms;
    }
    qsort(rows, p->n, sizeof *rows, by_time);
    uint32_t shown = all || p->n < SHOWN ? p->n : SHOWN;
    Table tab = table_begin(r, "profile",
                            r->out.mode == MODE_table
                                ? "statement,ops,on,ms#,%#,MB#,of roof,source<"
                                : "statement,ops,on,ms#,pct#,mb#,flop_byte#,pct_roof#,roof,"
                                  "source<");
    for (uint32_t i = 0; i < shown; i++)
        profile_row(&tab, p, rows[i]);
    for (uint32_t i = shown; i < p->n; i++)
        hidden += rows[i]->ms;
    StrBuf more = {0};
    sb_printf(&more, "%u more", p->n - shown);
    if (shown < p->n)
        rest_row(&tab, p, sb_cstr(&more), hidden);
    /* A device's rows are timed one by one, with their launches; in the run these overlap. */
    rest_row(&tab, p, sum > p->run_ms ? "(overlap)" : "(between)", p->run_ms - sum);
    rest_row(&tab, p, "(the run)", p->run_ms);
    table_end(&tab);
    sb_free(&more);
    free(rows);
}

static void tell_ceilings(Repl *r, const Profile *p)
{
    say(r, "the fastest quarter of %u run%s; measured roofs: copy %.1f GB/s, matmul %.1f GFLOP/s",
        p->runs, plural(p->runs), p->copy_rate * 1e-9, p->matmul_rate * 1e-9);
}

/* What was done once, in the order in which a first run comes to it. */
static void first_table(Repl *r)
{
    const Spent *s = session_spent(r->session);
    uint64_t all = 0;
    for (int i = SPENT_nothing + 1; i < SPENT_COUNT; i++)
        all += s->ns[i];
    Table tab = table_begin(r, "first", r->out.mode == MODE_table ? "part,times#,ms#,%#,what it is"
                                                                  : "part,times#,ms#,pct#,what");
    for (int i = SPENT_nothing + 1; i < SPENT_COUNT; i++) {
        if (s->times[i] == 0)
            continue;
        cell(&tab, STYLE_value, "%s", spent_rows[i].name);
        cell(&tab, STYLE_none, "%u", s->times[i]);
        cell(&tab, STYLE_none, "%.3f", (double)s->ns[i] * 1e-6);
        cell(&tab, STYLE_none, "%.1f", all ? 100.0 * (double)s->ns[i] / (double)all : 0);
        cell(&tab, STYLE_dim, "%s", spent_rows[i].what);
    }
    table_end(&tab);
}

bool cmd_profile(Repl *r, const Args *a)
{
    Profile p;
    if (arg_flag(a, "--first")) {
        OutputMode mode = enter_mode(r, a);
        first_table(r);
        r->out.mode = mode;
        return true;
    }
    if (!profile_of(r, a, a->n ? a->words[0] : (Str){0}, &p))
        return false;
    OutputMode mode = enter_mode(r, a);
    profile_table(r, &p, arg_flag(a, "--all") || r->out.mode != MODE_table);
    r->out.mode = mode;
    tell_ceilings(r, &p);
    profile_free(&p);
    return true;
}

/* ----------------------------------------------------------------------------------------- plot */

bool plot_roofline(Repl *r, const Args *a)
{
    enum { ROWS = 20 };
    Profile p;
    StrBuf text = {0};
    Str file = a->n > 1 ? a->words[1] : (Str){0};
    if (a->n < 1 || a->n > 2 || !str_is(a->words[0], "roofline") ||
        (file.n && !str_ends(file, ".svg")))
        return usage_error(r, a, "plot draws: plot roofline [FILE.svg]");
    if (!profile_of(r, a, (Str){0}, &p))
        return false;
    bool ok = true;
    if (file.n) {
        roofline_svg(&p, &text);
        ok = write_file(r, file, sb_str(&text));
        if (ok)
            say(r, "wrote %.*s", STR(file));
    } else {
        uint32_t columns = r->out.width && r->out.width < 80 ? r->out.width : 80;
        roofline_chart(&p, columns, ROWS, &text);
        data_lines(r, "chart", sb_str(&text));
        profile_table(r, &p, false);
        tell_ceilings(r, &p);
    }
    sb_free(&text);
    profile_free(&p);
    return ok;
}

/* --------------------------------------------------------------------------------------- versus */

/* "@c,interp-fuse+remat", "-fuse", "." */
static void parse_side(Str word, VersusSide *side)
{
    if (str_is(word, "."))
        return;
    if (word.n && word.p[0] == '@') {
        size_t end = 1;
        while (end < word.n && word.p[end] != '+' && word.p[end] != '-')
            end++;
        side->executors = str_sub(word, 1, end - 1);
        word = str_sub(word, end, SIZE_MAX);
    }
    side->passes = word;
}

static void versus_row(Table *tab, const VersusRow *row)
{
    double gap = row->ms[1] - row->ms[0];
    cell_str(tab, STYLE_value, row->source);
    cell(tab, STYLE_none, "%.4f", row->ms[0]);
    cell(tab, STYLE_none, "%.4f", row->ms[1]);
    cell(tab, gap > 0 ? STYLE_warn : STYLE_good,
         tab->r->out.mode == MODE_table ? "%+.4f" : "%.4f", gap);
    if (row->loc && row->loc->line)
        cell(tab, STYLE_dim, "%.*s:%u", STR(row->loc->file), row->loc->line);
    else if (row->src.src)
        cell(tab, STYLE_dim, "line %u", span_place(row->src).line);
    else
        cell_str(tab, STYLE_dim, (Str){0});
    if (tab->r->out.mode != MODE_table)
        cell_str(tab, STYLE_none, row->why);
}

/* Why the rows above differ; on a screen in lines of their own. */
static void tell_why(Repl *r, const Versus *v, uint32_t shown)
{
    StrBuf lines = {0};
    for (uint32_t i = 0; i < shown; i++)
        if (v->rows[i].why.n)
            sb_printf(&lines, "%.*s: %.*s\n", STR(v->rows[i].source), STR(v->rows[i].why));
    if (lines.n && r->out.mode == MODE_table)
        data_sentences(r, "why", str_trim(sb_str(&lines)));
    sb_free(&lines);
}

static void versus_table(Repl *r, const Versus *v, bool all)
{
    enum { SHOWN = 15 };
    double left[2] = {0};
    uint32_t rows = v->n - 1, shown = all || rows < SHOWN ? rows : SHOWN;
    Table tab = table_begin(r, "versus",
                            r->out.mode == MODE_table
                                ? "statements,A ms#,B ms#,B - A#,source<"
                                : "statements,a_ms#,b_ms#,difference_ms#,source,why");
    for (uint32_t i = 0; i < shown; i++)
        versus_row(&tab, &v->rows[i]);
    for (uint32_t i = shown; i < rows; i++) {
        left[0] += v->rows[i].ms[0];
        left[1] += v->rows[i].ms[1];
    }
    StrBuf more = {0};
    sb_printf(&more, "%u more", rows - shown);
    if (shown < rows)
        versus_row(&tab, &(VersusRow){.source = sb_str(&more), .ms = {left[0], left[1]}});
    versus_row(&tab, &v->rows[rows]);
    versus_row(&tab, &(VersusRow){.source = S("(the run)"),
                                  .ms = {v->side[0].profile.run_ms, v->side[1].profile.run_ms}});
    table_end(&tab);
    sb_free(&more);
    tell_why(r, v, shown);
}

/* "B is 1.52 times as fast: A 3.1 ms, B 2.0 ms, noise 0.1 ms; 0.9 ms in x y, 0.1 ms in z". */
static void tell_winner(Repl *r, const Versus *v)
{
    const VersusRow *reasons[VERSUS_REASONS];
    double ms[2] = {v->side[0].profile.run_ms, v->side[1].profile.run_ms};
    bool second = ms[1] < ms[0];
    uint32_t n = versus_reasons(v, reasons);
    StrBuf why = {0};
    for (uint32_t i = 0; i < n; i++)
        sb_printf(&why, "%s%.4f ms in %.*s", i ? ", " : "; ",
                  fabs(reasons[i]->ms[1] - reasons[i]->ms[0]), STR(reasons[i]->source));
    if (v->differs)
        say(r, "%s is %.2f times as fast: A %.4f ms, B %.4f ms, noise %.4f ms%s",
            second ? "B" : "A", second ? ms[0] / ms[1] : ms[1] / ms[0], ms[0], ms[1], v->noise,
            sb_cstr(&why));
    else
        say(r, "A and B take the same time, within the noise: A %.4f ms, B %.4f ms, which differ "
               "by less than %.4f ms, as rounds do", ms[0], ms[1], v->noise);
    sb_free(&why);
}

bool cmd_versus(Repl *r, const Args *a)
{
    Versus v = {0};
    double seconds;
    if (!a->n)
        return usage_error(r, a, "versus takes two configurations");
    if (!seconds_of(r, a, &seconds))
        return false;
    parse_side(a->n == 2 ? a->words[0] : S("."), &v.side[0]);
    parse_side(a->words[a->n - 1], &v.side[1]);
    if (!session_versus(r->session, current(r), seconds, &v, &r->diag))
        return false;
    OutputMode mode = enter_mode(r, a);
    versus_table(r, &v, arg_flag(a, "--all") || r->out.mode != MODE_table);
    r->out.mode = mode;
    tell_winner(r, &v);
    versus_free(&v);
    return true;
}
