/*
 * check_golden.c - runs every tests/golden/NAME.t: one file, one program, what it must become.
 *
 *    text before the first section is a remark
 *    -- program              the program's text
 *    -- passes NAME...       these optional passes are on, the others off (default: as they come)
 *    -- option NAME VALUE    an option of a pass, as `option` sets it
 *    -- symbol NAME VALUE    a symbolic size
 *    -- after STAGE [DEPTH]  the trace at that stage, sub-nodes to DEPTH levels (default 0)
 *    -- rules PASS           the rules that the pass applied or refused, one a line
 *    -- value [SEED]         the outputs for seeded inputs, at the first and at the last stage
 *    -- error                all that loading says, when it must fail
 *
 * With THUNDER_BLESS=1 in the environment the expected texts are replaced by what came out.
 */
#include "support.h"

#include <glob.h>
#include <stdio.h>

#include "executors.h"
#include "session.h"

typedef struct Section {
    Str head; /* "after dce 1" */
    Str body; /* as written, without the line breaks around it */
    StrBuf got;
    bool checked; /* got is compared with body */
} Section;

enum { MAX_SECTIONS = 32 };

typedef struct Golden {
    Str text, remark;
    Section sections[MAX_SECTIONS];
    size_t n;
    Session *session;
    Program *program;
    Diag diag;
} Golden;

static glob_t files;

static Str read_file(const char *path)
{
    StrBuf text = {0};
    add_file(path, &text);
    sb_puts(&text, "");
    return sb_str(&text);
}

static Str trim_lines(Str s)
{
    while (s.n && s.p[0] == '\n')
        s = str_sub(s, 1, SIZE_MAX);
    while (s.n && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == ' '))
        s.n--;
    return s;
}

static void split_sections(Golden *g)
{
    Str rest = g->text;
    const char *start = rest.p;
    Str *body = &g->remark;
    while (rest.n) {
        const char *line_start = rest.p;
        Str line = str_cut(&rest, '\n');
        if (!str_starts(line, "-- "))
            continue;
        *body = trim_lines((Str){start, (size_t)(line_start - start)});
        ck_assert_uint_lt(g->n, MAX_SECTIONS);
        g->sections[g->n].head = str_trim(str_sub(line, 3, SIZE_MAX));
        body = &g->sections[g->n++].body;
        start = rest.p;
    }
    *body = trim_lines((Str){start, (size_t)(g->text.p + g->text.n - start)});
}

/* The next word of a section's head; "" at the end. */
static Str word(Str *head)
{
    *head = str_trim(*head);
    return str_cut(head, ' ');
}

static const Section *find_section(const Golden *g, const char *name)
{
    for (size_t i = 0; i < g->n; i++) {
        Str head = g->sections[i].head;
        if (str_is(word(&head), name))
            return &g->sections[i];
    }
    return NULL;
}

static void load(Golden *g)
{
    const Section *program = find_section(g, "program");
    ExecList known, interp;
    executors_default(&known);
    ck_assert(exec_parse_list(&known, S("interp"), &interp, &g->diag));
    g->session = session_new(&interp);
    ck_assert_msg(program != NULL, "there is no '-- program'");
    StrBuf text = {0};
    sb_add(&text, program->body);
    sb_putc(&text, '\n');
    session_load_text(g->session, S("program"), sb_str(&text), (Str){0}, &g->diag);
    sb_free(&text);
    g->program = session_current(g->session);
}

static void keep_passes(Golden *g, Str names)
{
    for (uint32_t i = 0; i < program_slot_count(g->program); i++) {
        const Slot *slot = program_slot(g->program, i);
        bool on = slot->pass->mandatory;
        for (Str rest = names, name = word(&rest); name.n; name = word(&rest))
            on |= str_eq(name, slot->name);
        program_slot_set(g->session, g->program, i, on, &g->diag);
    }
}

static void set_up(Golden *g)
{
    for (size_t i = 0; i < g->n; i++) {
        Str head = g->sections[i].head, what = word(&head);
        if (str_is(what, "passes")) {
            keep_passes(g, head);
        } else if (str_is(what, "option")) {
            Str name = word(&head);
            session_set_option(g->session, name, str_trim(head), &g->diag);
        } else if (str_is(what, "symbol")) {
            Str name = word(&head);
            int64_t value = 0;
            ck_assert(str_to_i64(str_trim(head), &value));
            program_set_symbol(g->session, g->program, name, value, &g->diag);
        }
    }
    ck_no_errors(&g->diag);
}

static void add_trace(Golden *g, Str head, StrBuf *out)
{
    Str name = word(&head), depth_text = word(&head);
    int64_t depth = 0;
    str_to_i64(depth_text, &depth);
    Stage *stage = program_find_stage(g->session, g->program, name, &g->diag);
    ck_no_errors(&g->diag);
    ck_assert_msg(stage != NULL, "there is no stage %.*s", STR(name));
    PrintOptions o = {.depth = (int)depth, .types = true};
    trace_print(stage->trace, &o, out);
}

static void add_rules(Golden *g, Str head, StrBuf *out)
{
    static const char *const verdicts[] = {"", "not: ", "skipped: "};
    Str name = word(&head);
    Stage *stage = program_find_stage(g->session, g->program, name, &g->diag);
    ck_no_errors(&g->diag);
    ck_assert_msg(stage != NULL, "there is no stage %.*s", STR(name));
    const RuleLog *log = session_log(g->session);
    for (uint32_t i = stage->trace->log_begin; i < stage->trace->log_end; i++) {
        const RuleEntry *e = log_at(log, i);
        sb_printf(out, "%s%s", verdicts[e->verdict], e->kind->rule);
        if (e->subject)
            sb_printf(out, ": %.*s", STR(stage->trace->values[e->subject].name));
        if (e->other)
            sb_printf(out, ", %.*s", STR(stage->trace->values[e->other].name));
        if (rule_reason(e).n)
            sb_printf(out, " (%.*s)", STR(rule_reason(e)));
        sb_putc(out, '\n');
    }
}

static void add_outputs(Golden *g, const char *which, StrBuf *out)
{
    RunOptions o = {.rounding = ROUND_dtype};
    Run run = {0};
    Stage *stage = program_find_stage(g->session, g->program, str_from(which), &g->diag);
    bool ok = stage && session_run(g->session, g->program, stage, &o, &run, &g->diag);
    ck_no_errors(&g->diag);
    ck_assert_msg(ok, "stage %s does not run", which);
    for (uint32_t i = 0; i < run.noutputs; i++) {
        bool rows = run.outputs[i] && run.outputs[i]->rank > 1; /* they align below one another */
        sb_printf(out, "output %u:%s", i, rows ? "\n" : " ");
        if (run.outputs[i])
            tensor_print(run.outputs[i], 0, 80, out);
        else
            sb_puts(out, "None");
        sb_putc(out, '\n');
    }
    run_free(&run);
}

static void add_value(Golden *g, Str head, StrBuf *out)
{
    int64_t seed = 1;
    StrBuf first = {0};
    str_to_i64(word(&head), &seed);
    program_bind_random(g->session, g->program, (uint64_t)seed, &g->diag);
    ck_no_errors(&g->diag);
    add_outputs(g, "last", out);
    add_outputs(g, "0", &first);
    ck_assert_msg(str_eq(sb_str(out), sb_str(&first)), "stage 0 gives\n%sthe last one\n%s",
                  sb_cstr(&first), sb_cstr(out));
    sb_free(&first);
}

static void fill_section(Golden *g, Section *s)
{
    Str head = s->head, what = word(&head);
    s->checked = true;
    if (str_is(what, "after"))
        add_trace(g, head, &s->got);
    else if (str_is(what, "rules"))
        add_rules(g, head, &s->got);
    else if (str_is(what, "value"))
        add_value(g, head, &s->got);
    else if (str_is(what, "error"))
        diag_render_all(&g->diag, false, &s->got);
    else
        s->checked = false;
}

static void bless(const Golden *g, const char *path)
{
    FILE *f = fopen(path, "wb");
    ck_assert_msg(f != NULL, "%s cannot be written", path);
    if (g->remark.n)
        fprintf(f, "%.*s\n\n", STR(g->remark));
    for (size_t i = 0; i < g->n; i++) {
        const Section *s = &g->sections[i];
        Str body = s->checked ? trim_lines(sb_str(&s->got)) : s->body;
        fprintf(f, "%s-- %.*s\n", i ? "\n" : "", STR(s->head));
        if (body.n)
            fprintf(f, "%.*s\n", STR(body));
    }
    fclose(f);
}

START_TEST(golden_file)
{
    const char *path = files.gl_pathv[_i], *wish = getenv("THUNDER_BLESS");
    Golden g = {.text = read_file(path)};
    split_sections(&g);
    load(&g);
    if (!find_section(&g, "error")) {
        ck_no_errors(&g.diag);
        ck_assert_msg(g.program != NULL, "%s loads nothing", path);
        set_up(&g);
    } else {
        ck_assert_msg(g.diag.nerrors > 0, "%s loads without an error", path);
    }
    size_t checked = 0;
    for (size_t i = 0; i < g.n; i++) {
        fill_section(&g, &g.sections[i]);
        checked += g.sections[i].checked;
    }
    ck_assert_msg(checked > 0, "%s expects nothing", path);
    if (wish && strcmp(wish, "1") == 0)
        bless(&g, path);
    else
        for (size_t i = 0; i < g.n; i++) {
            const Section *s = &g.sections[i];
            ck_assert_msg(!s->checked || str_eq(trim_lines(sb_str(&s->got)), s->body),
                          "%s: -- %.*s gives\n%s\ninstead of\n%.*s", path, STR(s->head),
                          sb_cstr(&s->got), STR(s->body));
        }
    for (size_t i = 0; i < g.n; i++)
        sb_free(&g.sections[i].got);
    session_free(g.session);
    diag_clear(&g.diag);
    free((char *)g.text.p);
}
END_TEST

START_TEST(there_are_golden_files)
{
    ck_assert_uint_gt(files.gl_pathc, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("golden");
    TCase *c = tcase_create("golden");
    suite_add_tcase(s, c);
    glob(TEST_DIR "/golden/*.t", 0, NULL, &files);
    tcase_add_test(c, there_are_golden_files);
    tcase_add_loop_test(c, golden_file, 0, (int)files.gl_pathc);
    int result = run_suite(s);
    globfree(&files);
    return result;
}
