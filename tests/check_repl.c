/* check_repl.c - promises of the REPL's parts: words, commands, options, settings, tables,
 * completion. */
#include "support.h"

#include <stdio.h>
#include <unistd.h>

#include "repl.h"

static Arena arena;

static void setup(void)
{
    arena = (Arena){0};
}

static void teardown(void)
{
    arena_free(&arena);
}

static CommandLine split(const char *text)
{
    CommandLine line;
    line_split(&arena, str_from(text), false, &line);
    return line;
}

/* -------------------------------------------------------------------------------------- words */

START_TEST(words_are_cut_at_white_space)
{
    CommandLine line = split("  goto \t cse  ");
    ck_text(line.name, "goto");
    ck_assert_uint_eq(line.n, 1);
    ck_text(line.words[0], "cse");
    ck_assert_ptr_null(line.error);
}
END_TEST

START_TEST(brackets_and_quotes_keep_words_together)
{
    CommandLine line = split("print %t5[0, 1:3] 'a b' \"say \\\"hi\\\"\" f(x, y)");
    ck_assert_uint_eq(line.n, 4);
    ck_text(line.words[0], "%t5[0, 1:3]");
    ck_text(line.words[1], "a b");
    ck_text(line.words[2], "say \"hi\"");
    ck_text(line.words[3], "f(x, y)");
    ck_assert(line.quoted[1] && !line.quoted[0]);
}
END_TEST

START_TEST(redirections_begin_a_word)
{
    CommandLine to_file = split("list > out.py"), append = split("list >> 'my file'");
    CommandLine pipe = split("list last | grep relu | wc -l"), inside = split("find shape>512 a|b");
    ck_assert_int_eq(to_file.redirect, REDIRECT_file);
    ck_text(to_file.target, "out.py");
    ck_assert_int_eq(append.redirect, REDIRECT_append);
    ck_text(append.target, "my file");
    ck_assert_int_eq(pipe.redirect, REDIRECT_pipe);
    ck_text(pipe.target, "grep relu | wc -l");
    ck_assert_uint_eq(pipe.n, 1);
    ck_assert_int_eq(inside.redirect, REDIRECT_none);
    ck_assert_uint_eq(inside.n, 2);
}
END_TEST

START_TEST(what_is_missing_is_an_error)
{
    ck_assert_ptr_nonnull(split("list >").error);
    ck_assert_ptr_nonnull(split("list |").error);
    ck_assert_ptr_nonnull(split("list > a b").error);
    ck_assert_ptr_nonnull(split("print 'open").error);
    ck_assert_ptr_nonnull(split("print %t[0").error);
}
END_TEST

START_TEST(comments_end_a_line_but_serials_do_not)
{
    ck_assert_uint_eq(split("# all of it").name.n, 0);
    ck_assert_uint_eq(split("goto cse # the third").n, 1);
    CommandLine serial = split("goto #12");
    ck_assert_uint_eq(serial.n, 1);
    ck_text(serial.words[0], "#12");
}
END_TEST

START_TEST(questions_and_shell_commands_are_names)
{
    ck_assert_int_eq(split("step?").query, 1);
    ck_assert_int_eq(split("step??").query, 2);
    ck_text(split("step??").name, "step");
    ck_text(split("!ls -l").name, "!");
    ck_text(split("!ls -l").rest, "ls -l");
    ck_text(split("?").name, "?");
}
END_TEST

START_TEST(a_quoted_word_is_read_back)
{
    static const char *const words[] = {"plain", "two words", "\"q\" \\ 'x'", "", "-x", "a[0",
                                        ">",     "# "};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        StrBuf line = {0};
        sb_puts(&line, "load ");
        word_quote(str_from(words[i]), &line);
        CommandLine back = split(sb_cstr(&line));
        ck_assert_uint_eq(back.n, 1);
        ck_text(back.words[0], words[i]);
        ck_assert(words[i][0] != '-' || back.quoted[0]);
        sb_free(&line);
    }
}
END_TEST

/* ----------------------------------------------------------------------------------- commands */

START_TEST(every_command_is_found_by_its_names)
{
    const Command *found[2];
    for (uint32_t i = 0; i < command_count; i++) {
        const Command *c = &command_table[i];
        ck_assert_uint_eq(command_lookup(str_from(c->name), found, 2), 1);
        ck_assert_msg(found[0] == c, "%s is found as %s", c->name, found[0]->name);
        Str rest = str_from(c->shorts);
        while (rest.n) {
            Str word = str_cut(&rest, ',');
            ck_assert_uint_eq(command_lookup(word, found, 2), 1);
            ck_assert_msg(found[0] == c, "%.*s is found as %s", STR(word), found[0]->name);
        }
    }
}
END_TEST

START_TEST(prefixes_are_unique_or_ambiguous)
{
    const Command *found[8];
    ck_assert_uint_eq(command_lookup(S("exam"), found, 8), 1);
    ck_assert_str_eq(found[0]->name, "examine");
    ck_assert_uint_eq(command_lookup(S("stat"), found, 8), 1);
    ck_assert_uint_eq(command_lookup(S("sta"), found, 8), 2);
    ck_assert_uint_eq(command_lookup(S("xyz"), found, 8), 0);
    ck_assert_uint_eq(command_lookup(S("s"), found, 8), 1);
    ck_assert_str_eq(found[0]->name, "step");
}
END_TEST

START_TEST(every_row_is_complete)
{
    for (uint32_t i = 0; i < command_count; i++) {
        const Command *c = &command_table[i];
        ck_assert_msg(*c->help && *c->details && *c->examples[0] && *c->examples[1], "%s", c->name);
        ck_assert_msg(strlen(c->help) <= 80, "%s: the help line is too long", c->name);
        ck_assert_ptr_nonnull(c->run);
    }
}
END_TEST

static const Command *command(const char *name)
{
    const Command *found[1];
    ck_assert_uint_eq(command_lookup(str_from(name), found, 1), 1);
    return found[0];
}

/* Whether the line contradicts the command's synopsis. */
static bool clashes(const char *name, const char *words, Clash *out)
{
    StrBuf text = {0};
    Args a;
    Diag d = {0};
    bool wide = false;
    sb_printf(&text, "%s %s", name, words);
    CommandLine line = split(arena_str(&arena, sb_str(&text)).p);
    ck_assert(args_bind(command(name), &line, &arena, &a, &wide, &d));
    sb_free(&text);
    return line_clashes(command(name), &a, out);
}

START_TEST(synopses_tell_how_many_arguments)
{
    static const struct {
        const char *name, *words;
        const char *extra; /* NULL = all have a place */
    } rows[] = {
        {"stages", "", NULL}, {"stages", "x", "x"}, {"history", "%a", NULL},
        {"history", "%a b", "b"}, {"history", "line 3", NULL}, {"history", "line 3 4", "4"},
        {"pass", "off cse", NULL}, {"pass", "cse", NULL}, {"pass", "off cse dce", "dce"},
        {"pass", "move cse 2", NULL}, {"executors", "c,interp", NULL},
        {"executors", "c interp", "interp"}, {"graph", "diff 1 2", NULL},
        {"graph", "a.svg diff 1 2 3", "3"}, {"delete", "1 2 3 4", NULL},
        {"print", "%a + 1", NULL}, {"plot", "%a * 2 + 1", NULL}, {"bind", "a.npy", NULL},
        {"bind", "x=1 y=2", NULL}, {"kernel", "f edit g.c", NULL},
        {"kernel", "f edit g.c h.c", "h.c"}, {"record", "on f", NULL}, {"record", "off f", "f"},
        {"why", "saved %a", NULL}, {"why", "not %a %b %c", "%c"}, {"set", "prompt a b c", NULL},
        {"sweep", "a=1,2 do run", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        Clash c;
        bool refused = clashes(rows[i].name, rows[i].words, &c);
        ck_assert_msg(refused == (rows[i].extra != NULL), "%s %s", rows[i].name, rows[i].words);
        ck_assert_msg(!refused || str_is(c.word, rows[i].extra), "%s %s: %.*s", rows[i].name,
                      rows[i].words, STR(c.word));
    }
}
END_TEST

START_TEST(synopses_tell_which_options_go_together)
{
    static const struct {
        const char *name, *words, *option, *with, *needs, *word; /* NULL, none: they go together */
    } rows[] = {
        {"bind", "--random 7", NULL, NULL, NULL, NULL},
        {"bind", "--random 7 8", "--random", "", "", "8"},
        {"bind", "x=1 --random", NULL, NULL, NULL, NULL}, /* a seed, for all that is known here */
        {"compare", "last --each --sample 3 --only %a --all", NULL, NULL, NULL, NULL},
        {"compare", "--special --seed 3 --exact", NULL, NULL, NULL, NULL},
        {"compare", "--special --each", "--special", "--each", "", ""},
        {"compare", "--sample 3 --rtol 1", "--sample", "--rtol", "", ""},
        {"compare", "--exact --only %a --rtol 1", "--exact", "--rtol", "", ""},
        {"compare", "--only %a --special", "--only", "--special", "", ""},
        {"compare", "--seed 3", "--seed", "", "--special", ""},
        {"profile", "last --time 1 --all --json", NULL, NULL, NULL, NULL},
        {"profile", "--first --json", NULL, NULL, NULL, NULL},
        {"profile", "last --first", "--first", "", "", "last"},
        {"kernel", "f --ptx --arch sm_90", NULL, NULL, NULL, NULL},
        {"kernel", "f --ptx --sass", "--ptx", "--sass", "", ""},
        {"kernel", "f --arch sm_90", "--arch", "", "--cuda", ""},
        {"kernel", "f edit --revert", "--revert", "", "", "edit"},
        {"stats", "-h %a", NULL, NULL, NULL, NULL},
        {"stats", "-h", "-h", "", "", ""},
        {"plot", "%a --time 1", "--time", "", "", ""},
        {"grad", "--ones", "--ones", "", "", ""},
        {"grad", "all --ones --again", "--ones", "--again", "", ""},
        {"bisect", "--status --runs 3", "--status", "--runs", "", ""},
        {"bisect", "--lua f --against f64", "--lua", "--against", "", ""},
        {"bisect", "--rtol 1 --runs 3 --rtol 2", NULL, NULL, NULL, NULL}, /* the last one counts */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        Clash c;
        bool refused = clashes(rows[i].name, rows[i].words, &c);
        ck_assert_msg(refused == (rows[i].option != NULL), "%s %s", rows[i].name, rows[i].words);
        bool same = !refused || (str_is(c.option, rows[i].option) && str_is(c.with, rows[i].with) &&
                                 str_is(c.needs, rows[i].needs) && str_is(c.word, rows[i].word));
        ck_assert_msg(same, "%s %s: %.*s, with %.*s, needs %.*s, word %.*s", rows[i].name,
                      rows[i].words, STR(c.option), STR(c.with), STR(c.needs), STR(c.word));
    }
}
END_TEST

/* Whether the synopsis has this option as a word of its own. */
static bool names(const char *synopsis, Str option)
{
    for (Str rest = str_from(synopsis); rest.n; rest = str_sub(rest, 1, SIZE_MAX)) {
        bool begins = rest.p == synopsis || strchr(" [|", rest.p[-1]);
        size_t end = option.n;
        if (begins && str_starts(rest, arena_str(&arena, option).p) &&
            (rest.n == end || strchr(" ]|", rest.p[end])))
            return true;
    }
    return false;
}

/* No option is there that nothing goes with: alone, or with one other, each has a reading. */
START_TEST(every_option_goes_with_something)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < command_count; i++) {
        const Command *c = &command_table[i];
        for (Str rest = str_from(c->options); rest.n;) {
            Str one = str_cut(&rest, ';'), name = str_cut(&one, ' ');
            Args a = {.cmd = c, .noptions = 1, .options = {{.name = name}}};
            Clash clash;
            bool alone = !line_clashes(c, &a, &clash) || !clash.needs.n;
            named += names(c->synopsis, name);
            ck_assert_msg(alone || names(c->synopsis, clash.needs), "%s %.*s", c->name, STR(name));
        }
    }
    ck_assert_uint_gt(named, 30);
}
END_TEST

/* The examples of each command fit its synopsis, and with more words than the longest reading of a
 * synopsis without repetitions has, the line is refused. */
START_TEST(every_command_refuses_what_it_has_no_place_for)
{
    uint32_t examples = 0, refusing = 0;
    for (uint32_t i = 0; i < command_count; i++) {
        const Command *c = &command_table[i];
        if (c->flags & CMD_raw)
            continue;
        bool repeats = strstr(c->synopsis, "...") != NULL && !strstr(c->synopsis, ",...");
        repeats |= strstr(c->synopsis, "EXPRESSION") || strstr(c->synopsis, "CONDITION");
        for (int k = 0; k < 2; k++) {
            Str rest = str_from(c->examples[k]);
            while (rest.n) {
                Str text = str_cut(&rest, '\n');
                CommandLine line = split(arena_str(&arena, text).p);
                const Command *found[64];
                bool wide = false;
                Clash clash;
                Args a;
                Diag d = {0};
                if (command_lookup(line.name, found, 64) != 1 || found[0] != c)
                    continue;
                ck_assert(args_bind(c, &line, &arena, &a, &wide, &d));
                ck_assert_msg(!line_clashes(c, &a, &clash), "%s", c->examples[k]);
                examples++;
                Str more[16];
                for (uint32_t w = 0; w < 16; w++)
                    more[w] = w < a.n ? a.words[w] : S("superfluous");
                a.words = more;
                a.n = 16;
                bool refused = line_clashes(c, &a, &clash);
                bool told = refused && a.noptions; /* a way with an option need not repeat */
                ck_assert_msg(told || refused != repeats, "%.*s", STR(text));
                refusing += refused;
            }
        }
    }
    ck_assert_uint_gt(examples, 90);
    ck_assert_uint_gt(refusing, 80);
}
END_TEST

START_TEST(options_are_taken_out_of_arguments)
{
    Diag d = {0};
    Args a;
    bool wide = false;
    Str value;
    CommandLine line = split("replay x --rtol 0.1 --executors=interp -v -w y '-q' -5");
    ck_assert(args_bind(command("replay"), &line, &arena, &a, &wide, &d));
    ck_assert_uint_eq(a.n, 4);
    ck_text(a.words[1], "y");
    ck_text(a.words[2], "-q");
    ck_text(a.words[3], "-5");
    ck_assert(wide && arg_flag(&a, "-v") && !arg_flag(&a, "--grad"));
    ck_assert(arg_option(&a, "--rtol", &value));
    ck_text(value, "0.1");
    ck_assert(arg_option(&a, "--executors", &value));
    ck_text(value, "interp");
    diag_clear(&d);
}
END_TEST

START_TEST(wrong_options_are_usage_errors)
{
    static const char *const lines[] = {"replay --rtoll 1", "replay --rtol", "replay --grad=1",
                                        "step -z"};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        Diag d = {0};
        Args a;
        bool wide = false;
        CommandLine line = split(lines[i]);
        ck_assert(!args_bind(command(i < 3 ? "replay" : "step"), &line, &arena, &a, &wide, &d));
        ck_assert_int_eq(d.first->kind, DIAG_usage);
        ck_assert(d.first->help.n > 0);
        if (i == 0)
            ck_contains(d.first->message.p, "did you mean '--rtol'?");
        diag_clear(&d);
    }
}
END_TEST

/* -------------------------------------------------------------------------------- command line */

static Options parse(int argc, const char *const *argv)
{
    Options o;
    options_parse(argc, (char **)(uintptr_t)argv, &arena, &o);
    return o;
}

START_TEST(actions_keep_their_order)
{
    const char *argv[] = {"t", "a.py", "-e", "list", "-xfile", "--execute=run", "--", "-b.py"};
    Options o = parse(ARRAY_LEN(argv), argv);
    ck_assert_uint_eq(o.error.n, 0);
    ck_assert_uint_eq(o.nactions, 5);
    ck_assert_int_eq(o.actions[0].kind, ACTION_load);
    ck_assert_int_eq(o.actions[1].kind, ACTION_execute);
    ck_assert_int_eq(o.actions[2].kind, ACTION_script);
    ck_text(o.actions[2].text, "file");
    ck_text(o.actions[3].text, "run");
    ck_text(o.actions[4].text, "-b.py");
}
END_TEST

START_TEST(wrong_command_lines_say_what_is_wrong)
{
    const char *unknown[] = {"t", "--bacth"}, *missing[] = {"t", "-e"},
               *colour[] = {"t", "--color=pink"};
    Options o = parse(2, unknown);
    ck_contains(o.error.p, "--bacth");
    ck_text(o.hint, "--batch");
    ck_contains(parse(2, missing).error.p, "needs an argument");
    ck_contains(parse(2, colour).error.p, "pink");
}
END_TEST

/* ----------------------------------------------------------------------------------- settings */

static const char *environment[8][2];

static char *fake_getenv(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(environment) && environment[i][0]; i++) {
        if (strcmp(environment[i][0], name) == 0)
            return (char *)(uintptr_t)environment[i][1];
    }
    return NULL;
}

START_TEST(the_strongest_source_wins)
{
    Settings s;
    Diag d = {0};
    memset(environment, 0, sizeof environment);
    settings_init(&s);
    ck_text(setting_get(&s, SET_color), "auto");
    setting_set(&s, SET_color, FROM_init, S("always"), &d);
    ck_text(setting_get(&s, SET_color), "always");
    environment[0][0] = "NO_COLOR";
    environment[0][1] = "1";
    settings_from_env(&s, fake_getenv);
    ck_text(setting_get(&s, SET_color), "never");
    setting_set(&s, SET_color, FROM_set, S("auto"), &d);
    ck_text(setting_get(&s, SET_color), "auto");
    setting_set(&s, SET_color, FROM_flag, S("always"), &d);
    ck_text(setting_get(&s, SET_color), "always");
    ck_assert_int_eq(setting_source(&s, SET_color), FROM_flag);
    ck_no_errors(&d);
    settings_free(&s);
}
END_TEST

START_TEST(variables_of_other_programs_count)
{
    static const struct {
        const char *variable, *value;
        SettingId id;
        const char *want;
    } cases[] = {
        {"NO_COLOR", "", SET_color, "auto"},
        {"NO_COLOR", "0", SET_color, "never"},
        {"CLICOLOR_FORCE", "1", SET_color, "always"},
        {"CLICOLOR_FORCE", "0", SET_color, "auto"},
        {"TERM", "dumb", SET_color, "never"},
        {"TERM", "xterm", SET_color, "auto"},
        {"PAGER", "more", SET_pager, "more"},
        {"VISUAL", "ed", SET_editor, "ed"},
        {"THUNDER_OUTPUT", "json", SET_output, "json"},
        {"THUNDER_OUTPUT", "bogus", SET_output, "table"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        Settings s;
        memset(environment, 0, sizeof environment);
        environment[0][0] = cases[i].variable;
        environment[0][1] = cases[i].value;
        settings_init(&s);
        settings_from_env(&s, fake_getenv);
        ck_assert_msg(str_is(setting_get(&s, cases[i].id), cases[i].want), "%s=%s gives %.*s",
                      cases[i].variable, cases[i].value, STR(setting_get(&s, cases[i].id)));
        settings_free(&s);
    }
}
END_TEST

START_TEST(settings_check_their_values)
{
    Settings s;
    Diag d = {0};
    settings_init(&s);
    ck_assert(!setting_set(&s, SET_context, FROM_set, S("-1"), &d));
    ck_assert(!setting_set(&s, SET_context, FROM_set, S("many"), &d));
    ck_assert(!setting_set(&s, SET_output, FROM_set, S("xml"), &d));
    ck_assert(!setting_set(&s, SET_bail, FROM_set, S("maybe"), &d));
    ck_assert_uint_eq(d.nerrors, 4);
    ck_assert(setting_set(&s, SET_bail, FROM_set, S("no"), &d));
    ck_assert(!setting_on(&s, SET_bail));
    ck_text(setting_nearest(S("collor")), "color");
    diag_clear(&d);
    settings_free(&s);
}
END_TEST

START_TEST(show_prints_a_line_that_can_be_typed)
{
    Settings s;
    Diag d = {0};
    StrBuf out = {0};
    settings_init(&s);
    setting_set(&s, SET_pager, FROM_set, S("less -R"), &d);
    setting_show(&s, SET_pager, &out);
    CommandLine line = split(sb_cstr(&out));
    ck_text(line.name, "set");
    ck_assert_uint_eq(line.n, 2);
    ck_text(line.words[1], "less -R");
    ck_contains(sb_cstr(&out), "# by set");
    sb_free(&out);
    settings_free(&s);
}
END_TEST

/* --------------------------------------------------------------------- tables and completion */

static Repl repl;
static Options options;

static void setup_repl(void)
{
    arena = (Arena){0};
    options = (Options){.batch = true};
    repl_init(&repl, &options);
    interrupt_install(session_interrupt(repl.session)); /* as the program does: survives SIGPIPE */
}

static void teardown_repl(void)
{
    repl_free(&repl);
    arena_free(&arena);
}

/* What a line prints on standard output. The caller frees. */
static char *output_of(const char *line)
{
    StrBuf b = {0};
    sb_puts(&b, "");
    repl.out.capture = &b;
    repl_line(&repl, str_from(line));
    repl.out.capture = NULL;
    sb_putc(&b, '\n');
    return b.p;
}

static void print_table(uint32_t width, OutputMode mode, StrBuf *out)
{
    out_begin(&repl, REDIRECT_none);
    repl.out.capture = out;
    repl.out.width = width;
    repl.out.mode = mode;
    Table t = table_begin(&repl, "thing", "name,made by,n#,ok?,zero#~");
    cell(&t, STYLE_none, "%s", "%a_long_name_of_a_value_weight");
    cell(&t, STYLE_none, "%s", "a \"quoted\" text, with a comma");
    cell(&t, STYLE_none, "%d", 42);
    cell(&t, STYLE_none, "yes");
    cell(&t, STYLE_none, "0");
    table_end(&t);
    out_end(&repl, REDIRECT_none, (Str){0});
    repl.out.capture = NULL;
}

START_TEST(tables_fit_the_screen)
{
    StrBuf out = {0};
    print_table(50, MODE_table, &out);
    Str rest = sb_str(&out);
    while (rest.n)
        ck_assert_uint_le(display_width(str_cut(&rest, '\n')), 50);
    ck_contains(sb_cstr(&out), "…");
    ck_assert_ptr_null(strstr(sb_cstr(&out), "zero"));
    sb_free(&out);
    print_table(0, MODE_table, &out);
    ck_contains(sb_cstr(&out), "%a_long_name_of_a_value_weight");
    sb_free(&out);
}
END_TEST

START_TEST(tables_know_every_form)
{
    StrBuf json = {0}, csv = {0}, plain = {0};
    print_table(20, MODE_json, &json);
    ck_assert_str_eq(
        sb_cstr(&json),
        "{\"kind\":\"thing\",\"version\":1,\"name\":\"%a_long_name_of_a_value_weight\","
        "\"made_by\":\"a \\\"quoted\\\" text, with a comma\",\"n\":42,\"ok\":true,"
        "\"zero\":0}\n");
    print_table(20, MODE_csv, &csv);
    ck_contains(sb_cstr(&csv), "name,made_by,n,ok,zero\n");
    ck_contains(sb_cstr(&csv), ",\"a \"\"quoted\"\" text, with a comma\",42,");
    print_table(20, MODE_plain, &plain);
    ck_contains(sb_cstr(&plain), "weight\ta \"quoted\" text, with a comma\t42\tyes\t0\n");
    sb_free(&json);
    sb_free(&csv);
    sb_free(&plain);
}
END_TEST

START_TEST(json_strings_are_valid)
{
    StrBuf out = {0};
    put_json((Str){"a\"\\\n\t\x01\xff\xc3\xa9", 9}, &out);
    ck_assert_str_eq(sb_cstr(&out), "\"a\\\"\\\\\\n\\t\\u0001\\ufffd\xc3\xa9\"");
    sb_free(&out);
}
END_TEST

/* The candidates for a line, joined by blanks. The caller frees. */
static char *candidates(const char *line)
{
    Candidates c;
    StrBuf b = {0};
    complete(&repl, str_from(line), strlen(line), &arena, &c);
    for (uint32_t i = 0; i < c.n; i++)
        sb_printf(&b, "%s%.*s", i ? " " : "", STR(c.items[i]));
    sb_puts(&b, c.n ? "" : "-");
    return b.p;
}

START_TEST(completion_follows_the_position)
{
    static const struct {
        const char *line, *want;
    } cases[] = {
        {"loa", "load"},
        {"sta", "stages stats"},
        {"print %input_", "%input_1 %input_2 %input_3"},
        {"print input_1 + %input_3", "%input_3"},
        {"pass of", "off"},
        {"pass off c", "casts claim cse"},
        {"goto l", "last"},
        {"executor on int", "interp"},
        {"set outp", "output"},
        {"set output j", "json"},
        {"pager o", "off on"},
        {"replay --all", "--all-stages"},
        {"help for", "formats forward"},
        {"list %input_1..%input_3", "%input_1..%input_3"},
        {"load tests/cases/mlp.dyn",
         "tests/cases/mlp.dynamo.py tests/cases/mlp.dynamo.safetensors"},
        {"list > tests/ca", "tests/cases/"},
        {"info scaled_dot", "scaled_dot_product_attention"},
        {"quit x", "-"},
    };
    ck_assert_int_eq(chdir(SOURCE_DIR), 0);
    ck_assert_int_eq(repl_line(&repl, S("load tests/cases/mlp.dynamo.py")), 0);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char *got = candidates(cases[i].line);
        ck_assert_msg(strcmp(got, cases[i].want) == 0, "'%s' offers: %s", cases[i].line, got);
        free(got);
    }
}
END_TEST

START_TEST(completion_of_nothing_lists_the_commands)
{
    char *got = candidates("");
    ck_contains(got, "apropos back bench bind");
    free(got);
}
END_TEST

/* --------------------------------------------------------------------------- lines as a whole */

START_TEST(an_empty_line_repeats_stepping)
{
    ck_assert_int_eq(chdir(SOURCE_DIR), 0);
    ck_assert_int_eq(repl_line(&repl, S("load tests/cases/mlp.dynamo.py")), 0);
    ck_assert_int_eq(repl_line(&repl, S("next 2")), 0);
    ck_assert_uint_eq(program_cursor(session_current(repl.session))->position, 2);
    ck_assert_int_eq(repl_line(&repl, S("")), 0);
    ck_assert_uint_eq(program_cursor(session_current(repl.session))->position, 4);
    free(output_of("stages"));
    ck_assert_int_eq(repl_line(&repl, S("")), 0); /* stages is no stepping: nothing is repeated */
    ck_assert_uint_eq(program_cursor(session_current(repl.session))->position, 4);
}
END_TEST

START_TEST(bare_names_are_toggles)
{
    ck_assert_int_eq(chdir(SOURCE_DIR), 0);
    ck_assert_int_eq(repl_line(&repl, S("load tests/cases/mlp.dynamo.py")), 0);
    char *state = output_of("cse off"), *again = output_of("cse"), *pager = output_of("pager off");
    ck_contains(state, "pass off cse");
    ck_contains(again, "pass off cse");
    ck_contains(pager, "set pager off");
    free(state);
    free(again);
    free(pager);
}
END_TEST

START_TEST(a_line_gives_the_status_of_its_error)
{
    static const struct {
        const char *line;
        int status;
    } cases[] = {
        {"stpe", DIAG_usage},
        {"step", DIAG_usage},
        {"step 1 2", DIAG_usage},
        {"load", DIAG_usage},
        {"load nofile.py", DIAG_load},
        {"source nofile", DIAG_load},
        {"goto nowhere", DIAG_usage},
        {"!exit 3", DIAG_check},
        {"version > /no/such/file", DIAG_usage},
        {"version | exit 1", DIAG_check},
        {"# nothing", 0},
        {"", 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int status = repl_line(&repl, str_from(cases[i].line));
        ck_assert_msg(status == cases[i].status, "'%s' gives %d", cases[i].line, status);
    }
}
END_TEST

/* One setting drives the option of kernels and that of casts; an option that is set later stays. */
START_TEST(rounding_reaches_kernels_and_casts)
{
    free(output_of("set rounding eager"));
    ck_text(session_option(repl.session, S("kernel.eager_rounding"), S("")), "on");
    ck_text(session_option(repl.session, S("casts.rounding"), S("")), "eager");
    free(output_of("option casts.rounding free"));
    free(output_of("set depth 1"));
    ck_text(session_option(repl.session, S("casts.rounding"), S("")), "free");
    free(output_of("set rounding free"));
    ck_text(session_option(repl.session, S("kernel.eager_rounding"), S("")), "off");
}
END_TEST

START_TEST(results_are_numbered)
{
    ck_assert_int_eq(chdir(SOURCE_DIR), 0);
    ck_assert_int_eq(repl_line(&repl, S("load tests/cases/mlp.dynamo.py")), 0);
    char *first = output_of("print %INPUT_2[0, 0:2]"), *second = output_of("print $1 * 2 + 1");
    char *last = output_of("print $_ - $2");
    ck_contains(first, "$1 = ");
    ck_contains(second, "$2 = ");
    ck_contains(last, "[0., 0.]");
    ck_assert_int_eq(repl_line(&repl, S("print $9")), DIAG_usage);
    free(first);
    free(second);
    free(last);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("repl");
    TCase *parts = tcase_create("parts"), *whole = tcase_create("whole");
    tcase_add_checked_fixture(parts, setup, teardown);
    tcase_add_test(parts, words_are_cut_at_white_space);
    tcase_add_test(parts, brackets_and_quotes_keep_words_together);
    tcase_add_test(parts, redirections_begin_a_word);
    tcase_add_test(parts, what_is_missing_is_an_error);
    tcase_add_test(parts, comments_end_a_line_but_serials_do_not);
    tcase_add_test(parts, questions_and_shell_commands_are_names);
    tcase_add_test(parts, a_quoted_word_is_read_back);
    tcase_add_test(parts, every_command_is_found_by_its_names);
    tcase_add_test(parts, prefixes_are_unique_or_ambiguous);
    tcase_add_test(parts, every_row_is_complete);
    tcase_add_test(parts, synopses_tell_how_many_arguments);
    tcase_add_test(parts, synopses_tell_which_options_go_together);
    tcase_add_test(parts, every_option_goes_with_something);
    tcase_add_test(parts, every_command_refuses_what_it_has_no_place_for);
    tcase_add_test(parts, options_are_taken_out_of_arguments);
    tcase_add_test(parts, wrong_options_are_usage_errors);
    tcase_add_test(parts, actions_keep_their_order);
    tcase_add_test(parts, wrong_command_lines_say_what_is_wrong);
    tcase_add_test(parts, the_strongest_source_wins);
    tcase_add_test(parts, variables_of_other_programs_count);
    tcase_add_test(parts, settings_check_their_values);
    tcase_add_test(parts, show_prints_a_line_that_can_be_typed);
    tcase_add_checked_fixture(whole, setup_repl, teardown_repl);
    tcase_add_test(whole, tables_fit_the_screen);
    tcase_add_test(whole, tables_know_every_form);
    tcase_add_test(whole, json_strings_are_valid);
    tcase_add_test(whole, completion_follows_the_position);
    tcase_add_test(whole, completion_of_nothing_lists_the_commands);
    tcase_add_test(whole, an_empty_line_repeats_stepping);
    tcase_add_test(whole, bare_names_are_toggles);
    tcase_add_test(whole, a_line_gives_the_status_of_its_error);
    tcase_add_test(whole, rounding_reaches_kernels_and_casts);
    tcase_add_test(whole, results_are_numbered);
    suite_add_tcase(s, parts);
    suite_add_tcase(s, whole);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
