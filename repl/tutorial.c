/*
 * tutorial.c - a guided session on a program with a fault, inside the REPL.
 *
 * Input: what the person does: every command goes by here when it has ended. Output: the next
 * lesson when the present one is done, a hint after some commands that did not help. Where the
 * person is stands in a file, so that the tutorial can be left and taken up again.
 */
#include "repl.h"

/* What a check may look at. */
typedef struct Deed {
    Repl *r;
    Str name; /* of the command that has ended */
    bool ok;  /* it did not fail; a found difference is no failure */
} Deed;

typedef bool DoneFn(const Deed *d);

typedef struct Lesson {
    DoneFn *check;
    const char *title, *text, *commands;
} Lesson;

/* --------------------------------------------------------------------------------------- checks */

static bool is_ours(Repl *r)
{
    Program *p = current(r);
    return p && program_source(p) && str_ends(program_source(p)->name, "tutorial.py");
}

static bool did(const Deed *d, const char *name)
{
    return d->ok && str_is(d->name, name) && is_ours(d->r);
}

static bool loaded(const Deed *d)
{
    return is_ours(d->r);
}

static bool listed(const Deed *d)
{
    return did(d, "list");
}

static bool ran(const Deed *d)
{
    return did(d, "run");
}

static bool continued(const Deed *d)
{
    Program *p = current(d->r);
    return is_ours(d->r) && program_cursor(p)->position + 1 == program_stage_count(p);
}

static bool bisected(const Deed *d)
{
    return did(d, "bisect");
}

static bool compared(const Deed *d)
{
    return did(d, "compare") && d->r->measure > 0;
}

static bool watched(const Deed *d)
{
    for (uint32_t i = 0; i < d->r->debug.n; i++) {
        const Break *b = &d->r->debug.items[i];
        if (b->kind == BREAK_watch && b->hits && d->r->debug.stopped)
            return is_ours(d->r);
    }
    return false;
}

static bool asked(const Deed *d)
{
    return did(d, "why") || did(d, "history");
}

static bool drawn(const Deed *d)
{
    return did(d, "graph");
}

static bool repaired(const Deed *d)
{
    return did(d, "run") && d->r->as_recorded > 0;
}

static bool reported(const Deed *d)
{
    return did(d, "report");
}

static const Lesson lessons[] = {
#define LESSON(check, title, text, commands) {check, title, text, commands},
#include "tutorial.def"
#undef LESSON
};

enum { LESSONS = ARRAY_LEN(lessons), PATIENCE = 3 };

/* ------------------------------------------------------------------------------------ the place */

static Str place_file(Repl *r, bool make)
{
    return xdg_path("XDG_STATE_HOME", ".local/state", "tutorial", make, &r->scratch);
}

/* The lesson that was reached, from 1 on; 0 = none. */
static uint32_t read_place(Repl *r)
{
    Str path = place_file(r, false), text;
    int64_t n = 0;
    Diag kept = r->diag;
    r->diag = (Diag){0};
    if (!path.n || !read_file(r, path, &text) || !str_to_i64(str_trim(text), &n))
        n = 0;
    diag_clear(&r->diag);
    r->diag = kept;
    return n >= 1 && n <= LESSONS ? (uint32_t)n : 0;
}

static void write_place(Repl *r)
{
    Str path = place_file(r, true);
    Diag kept = r->diag;
    r->diag = (Diag){0};
    if (path.n)
        write_file(r, path, arena_printf(&r->scratch, "%u\n", r->lesson));
    diag_clear(&r->diag); /* then it begins anew another time */
    r->diag = kept;
}

/* -------------------------------------------------------------------------------------- showing */

static void show_lesson(Repl *r)
{
    const Lesson *l = &lessons[r->lesson - 1];
    dataf(r, "\n%sLesson %u of %d: %s%s\n", style(r, STYLE_head), r->lesson, LESSONS, l->title,
          style(r, STYLE_none));
    Str rest = str_from(l->text);
    while (rest.n) {
        Str line = str_cut(&rest, '\n');
        if (line.p[0] == ' ')
            dataf(r, "%s%.*s%s\n", style(r, STYLE_op), STR(line), style(r, STYLE_none));
        else
            data_wrapped(r, 0, line);
    }
}

static void show_hint(Repl *r)
{
    Str rest = str_from(lessons[r->lesson - 1].commands);
    say(r, "%sthis lesson wants:%s", prose_style(r, STYLE_dim), prose_style(r, STYLE_none));
    while (rest.n) {
        Str line = str_cut(&rest, '\n');
        say(r, "   %.*s", STR(line));
    }
    say(r, "%s`tutorial skip` goes on without it, `tutorial off` leaves; `tutorial` comes back%s",
        prose_style(r, STYLE_dim), prose_style(r, STYLE_none));
}

static void finish(Repl *r)
{
    data(r, S("\n"));
    data_wrapped(r, 0,
                 S("That was all: load, list, run, passes, bisect, compare, watch, why, graph, "
                   "edit, report. `help topics` and `COMMAND??` have the rest; `examples/` has "
                   "more programs."));
    r->lesson = 0;
    write_place(r);
}

static void go_on(Repl *r)
{
    r->tries = 0;
    if (r->lesson == LESSONS) {
        finish(r);
        return;
    }
    r->lesson++;
    write_place(r);
    show_lesson(r);
}

void tutorial_after(Repl *r, const Command *c, int status)
{
    Deed d = {r, str_from(c->name), status == 0 || status == DIAG_check};
    if (!r->lesson || str_is(d.name, "tutorial") || r->nesting)
        return;
    if (lessons[r->lesson - 1].check(&d)) {
        say(r, "%sdone%s", prose_style(r, STYLE_good), prose_style(r, STYLE_none));
        go_on(r);
    } else if (++r->tries == PATIENCE) {
        r->tries = 0;
        show_hint(r);
    }
    out_end(r, REDIRECT_none, (Str){0});
}

/* -------------------------------------------------------------------------------------- command */

/* The commands of the lessons before n, so that the session is where they would have led. */
static bool catch_up(Repl *r, uint32_t n)
{
    r->lesson = 0; /* nothing is checked meanwhile */
    bool ok = true;
    r->out.mute++;
    StrBuf hidden = {0}, *outer = r->out.capture;
    out_flush(r);
    r->out.capture = &hidden;
    for (uint32_t i = 0; i + 1 < n && ok; i++) {
        Str rest = str_from(lessons[i].commands);
        bool needed = lessons[i].check == loaded || lessons[i].check == continued ||
                      lessons[i].check == watched;
        while (needed && rest.n && ok) {
            int status = repl_line(r, str_cut(&rest, '\n'));
            ok = status == 0 || status == DIAG_check;
        }
    }
    r->out.capture = outer;
    r->out.mute--;
    sb_free(&hidden);
    r->lesson = n;
    return ok;
}

static bool begin(Repl *r, uint32_t n)
{
    if (n > 1 && !is_ours(r) && !catch_up(r, n)) {
        r->lesson = 0;
        fail_with(r, DIAG_usage, "no-tutorial", "examples/tutorial.py cannot be loaded from here");
        fail_help(r, "quit, and start thunder-repl in the folder that holds examples/");
        return false;
    }
    r->lesson = n;
    r->tries = 0;
    write_place(r);
    show_lesson(r);
    return true;
}

bool cmd_tutorial(Repl *r, const Args *a)
{
    int64_t n = 0;
    Str word = a->n ? a->words[0] : (Str){0};
    uint32_t here = r->lesson ? r->lesson : read_place(r);
    if (!a->n)
        return begin(r, here ? here : 1);
    if (str_to_i64(word, &n) && n >= 1 && n <= LESSONS)
        return begin(r, (uint32_t)n);
    if (str_is(word, "restart"))
        return begin(r, 1);
    if (str_is(word, "list")) {
        Table t = table_begin(r, "lesson", "n#,lesson,at?");
        for (uint32_t i = 0; i < LESSONS; i++) {
            cell(&t, STYLE_none, "%u", i + 1);
            cell(&t, STYLE_none, "%s", lessons[i].title);
            cell(&t, STYLE_good, "%s", i + 1 == here ? "yes" : "no");
        }
        table_end(&t);
        return true;
    }
    if (!r->lesson) {
        usage_error(r, a, "no lesson is under way");
        fail_help(r, "tutorial");
        return false;
    }
    if (str_is(word, "hint")) {
        show_hint(r);
    } else if (str_is(word, "skip")) {
        go_on(r);
    } else if (str_is(word, "off")) {
        say(r, "left at lesson %u; `tutorial` comes back to it", r->lesson);
        write_place(r);
        r->lesson = 0;
    } else {
        return usage_error(r, a, "'%.*s' is none of hint, skip, off, restart, list", STR(word));
    }
    return true;
}
