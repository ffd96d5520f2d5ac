/*
 * check_commands.c - promises of the program as a whole, run as people and scripts run it:
 * examples, exit codes, bad files, streams, forms of output, sessions.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <ctype.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "repl.h"

#define TOOL THUNDER_REPL

static char folder[64];
static StrBuf out, err;

static void read_back(const char *name, StrBuf *b)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    sb_clear(b);
    sb_puts(b, "");
    add_file(path, b);
}

/* Runs a shell command in the source folder; its streams are in out and err. Returns its status. */
static int shell(const char *fmt, ...)
{
    StrBuf line = {0};
    va_list ap;
    sb_printf(&line, "cd '%s' && { ", SOURCE_DIR);
    va_start(ap, fmt);
    sb_vprintf(&line, fmt, ap);
    va_end(ap);
    sb_printf(&line, "\n} >'%s/out' 2>'%s/err' </dev/null", folder, folder);
    int status = system(sb_cstr(&line));
    sb_free(&line);
    read_back("out", &out);
    read_back("err", &err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/check_commands.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("XDG_STATE_HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    unsetenv("NO_COLOR");
    unsetenv("CLICOLOR_FORCE");
    unsetenv("COLUMNS");
}

static void teardown(void)
{
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(line), 0);
    sb_free(&out);
    sb_free(&err);
}

static void write_text(const char *name, Str text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text.p, 1, text.n, f), text.n);
    fclose(f);
}

static uint32_t count_lines(const StrBuf *b, const char *start)
{
    uint32_t n = 0;
    Str rest = sb_str(b);
    while (rest.n) {
        Str line = str_cut(&rest, '\n');
        n += str_starts(line, start);
    }
    return n;
}

/* ----------------------------------------------------------------------------------- examples */

START_TEST(every_example_runs)
{
    const Command *c = &command_table[_i / 2];
    write_text("example", str_from(c->examples[_i % 2]));
    int status = shell("'%s' --batch %s -e \"$(cat '%s/example')\"", TOOL,
                       c->flags & CMD_program ? "examples/mlp.py" : "", folder);
    ck_assert_msg(status == 0, "%s: %s\nends with %d:\n%s%s", c->name, c->examples[_i % 2], status,
                  sb_cstr(&out), sb_cstr(&err));
    ck_assert_msg(out.n + err.n > 0 || strcmp(c->name, "quit") == 0, "%s says nothing", c->name);
}
END_TEST

START_TEST(the_manual_has_every_command)
{
    ck_assert_int_eq(shell("'%s' --manual", TOOL), 0);
    for (uint32_t i = 0; i < command_count; i++) {
        char head[64];
        snprintf(head, sizeof head, "### %s\n", command_table[i].name);
        ck_contains(sb_cstr(&out), head);
    }
}
END_TEST

START_TEST(the_manual_in_docs_is_the_present_one)
{
    int status = shell("'%s' --manual | diff docs/commands.md -", TOOL);
    ck_assert_msg(status == 0, "write it again: thunder-repl --manual > docs/commands.md\n%.2000s",
                  sb_cstr(&out));
}
END_TEST

START_TEST(the_manual_of_operators_in_docs_is_the_present_one)
{
    int status = shell("'%s' --batch -e 'ops --manual' | diff docs/operators.md -", TOOL);
    ck_assert_msg(status == 0,
                  "write it again: thunder-repl --batch -e 'ops --manual' > docs/operators.md\n"
                  "%.2000s",
                  sb_cstr(&out));
}
END_TEST

/* --------------------------------------------------------------------------------- exit codes */

static const struct {
    const char *args;
    int status;
    const char *says; /* on standard error; "" = nothing at all */
} exits[] = {
    {"--version", 0, ""},
    {"--help", 0, ""},
    {"--bogus", 2, "unknown option '--bogus'"},
    {"--jsno", 2, "did you mean --json?"},
    {"--color=red", 2, "red"},
    {"-e", 2, "needs an argument"},
    {"--batch -e stpe", 2, "did you mean 'step'?"},
    {"--batch -e st", 2, "'st' may be"},
    {"--batch -e step", 2, "help: load FILE"},
    {"--batch -e load", 2, "help: load FILE"},
    {"--batch -e 'load nofile.py'", 3, "nofile.py"},
    {"--batch nofile.py", 3, "nofile.py"},
    {"--batch -x nofile", 3, "nofile"},
    {"--batch examples/mlp.py:nothing", 3, "nothing"},
    {"--batch examples/mlp.py -e 'goto ces'", 2, "cse"},
    {"--batch examples/mlp.py -e 'print %inputt_1'", 2, "%input_1"},
    {"--batch examples/mlp.py -e 'step x'", 2, "not a whole number"},
    {"--batch examples/mlp.py -e 'pass off claim'", 2, ""},
    {"--batch examples/mlp.py -e 'run --executors bogus'", 2, "bogus"},
    {"--batch -e 'set color pink'", 2, "pink"},
    {"--batch -e 'help nonsense'", 2, "nonsense"},
    {"--batch -e 'replay no/such/folder'", 3, "no/such/folder"},
    {"--batch -e '!exit 7'", 1, "status 7"},
    {"--batch -e 'lua error(\"x\")'", 3, "x"},
    {"--batch -e 'quit 9' -e stpe", 9, ""},
    {"--batch -e stpe -e 'quit 9'", 2, "stpe"},
    {"--batch --keep-going -e stpe -e 'load nofile.py' -e version", 2, "nofile"},
};

START_TEST(exit_codes_say_what_happened)
{
    int status = shell("'%s' %s", TOOL, exits[_i].args);
    ck_assert_msg(status == exits[_i].status, "%s ends with %d, not %d:\n%s", exits[_i].args,
                  status, exits[_i].status, sb_cstr(&err));
    if (status && *exits[_i].says)
        ck_contains(sb_cstr(&err), exits[_i].says);
    if (!status)
        ck_assert_str_eq(sb_cstr(&err), "");
}
END_TEST

START_TEST(a_pipe_is_read_as_batch)
{
    ck_assert_int_eq(shell("printf 'version\\nstpe\\n!echo reached\\n' | '%s'", TOOL), 2);
    ck_contains(sb_cstr(&err), "standard input:2");
    ck_assert_ptr_null(strstr(sb_cstr(&out), "reached"));
    ck_assert_int_eq(shell("printf 'version\\nstpe\\n!echo reached\\n' | '%s' --keep-going", TOOL),
                     2);
    ck_contains(sb_cstr(&out), "reached");
}
END_TEST

START_TEST(nobody_reading_is_no_crash)
{
    ck_assert_int_eq(shell("'%s' --batch -e 'ops *' -e 'ops *' | head -1", TOOL), 0);
    ck_assert_uint_eq(count_lines(&out, ""), 1);
}
END_TEST

/* ---------------------------------------------------------------------------------- bad files */

static void repeat(StrBuf *b, const char *text, size_t times)
{
    while (times-- > 0)
        sb_puts(b, text);
}

/* The example with the first occurrence of old replaced. */
static void altered(StrBuf *b, const char *old, const char *new_text)
{
    StrBuf whole = {0};
    ck_assert_int_eq(shell("cat examples/mlp.py"), 0);
    sb_add(&whole, sb_str(&out));
    const char *at = strstr(sb_cstr(&whole), old);
    ck_assert_ptr_nonnull(at);
    size_t n = (size_t)(at - whole.p);
    sb_add(b, str_sub(sb_str(&whole), 0, n));
    sb_puts(b, new_text);
    sb_add(b, str_sub(sb_str(&whole), n + strlen(old), whole.n));
    sb_free(&whole);
}

enum { BAD_FILES = 11 };

/* Writes bad file number i and says which error it must give. */
static const char *bad_file(int i, StrBuf *b)
{
    switch (i) {
    case 0:
        altered(b, "nn.linear(input_2", "nn.");
        b->n = (size_t)(strstr(b->p, "torch._C._nn.,") - b->p) + strlen("torch._C._nn.");
        return "truncated";
    case 1:
        altered(b, "f32[5, 32]\" = torch._C", "f32[5, 33]\" = torch._C");
        return "f32[5, 33]";
    case 2:
        altered(b, "functional.relu", "functional.rleu");
        return "did you mean";
    case 3:
        altered(b, "linear(input_2", "linear(input_9");
        return "input_9 is not defined";
    case 4:
        sb_puts(b, "def f(x: \"f32[4]\"):\n    y = x");
        repeat(b, " + x", 260000);
        sb_puts(b, "\n    return y\n");
        return "deeper than";
    case 5:
        repeat(b, "x", 1 << 20);
        return "no function";
    case 6:
        for (int k = 0; k < 100000; k++)
            sb_putc(b, (char)(k * 7));
        return "not a text file";
    case 7:
        sb_puts(b, "");
        return "is empty";
    case 8:
        sb_puts(b, "def f(x: \"f32[4]\"):\n    y = ");
        repeat(b, "(", 200000);
        return "deeper than";
    case 9:
        sb_puts(b, "def f(x: \"f32[4]\"):\n    y = torch.add(x");
        repeat(b, ", [x", 50000);
        return "deeper than";
    default:
        sb_puts(b, "print('hello')\n");
        return "no function";
    }
}

START_TEST(a_bad_file_is_one_error_and_the_session_goes_on)
{
    StrBuf text = {0};
    const char *says = bad_file(_i, &text);
    write_text("bad.py", sb_str(&text));
    int status = shell("'%s' --batch '%s/bad.py'", TOOL, folder);
    ck_assert_msg(status == 3, "file %d ends with %d:\n%s", _i, status, sb_cstr(&err));
    ck_contains(sb_cstr(&err), says);
    ck_contains(sb_cstr(&err), "bad.py");
    if (_i != 1) /* a wrong shape is also wrong where it is used */
        ck_assert_msg(count_lines(&err, "error:") == 1, "not one error:\n%s", sb_cstr(&err));
    ck_assert_uint_lt(err.n, 4000);
    ck_assert_int_eq(shell("'%s' --batch --keep-going '%s/bad.py' -e 'load examples/mlp.py' -e run",
                           TOOL, folder),
                     3);
    ck_contains(sb_cstr(&out), "$1 = %input_3");
    sb_free(&text);
}
END_TEST

/* ------------------------------------------------------------------------------------ streams */

START_TEST(colour_only_where_it_is_wanted)
{
    static const struct {
        const char *env, *args;
        bool colour;
    } cases[] = {
        {"", "", false},
        {"", "--color=always", true},
        {"CLICOLOR_FORCE=1", "", true},
        {"CLICOLOR_FORCE=0", "", false},
        {"CLICOLOR_FORCE=1 NO_COLOR=1", "", false},
        {"NO_COLOR=1", "--color=always", true},
        {"CLICOLOR_FORCE=1", "--color=never", false},
        {"CLICOLOR_FORCE=1 TERM=dumb", "", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ck_assert_int_eq(
            shell("TERM=xterm; export TERM; env %s '%s' --batch %s examples/mlp.py -e list",
                  cases[i].env, TOOL, cases[i].args),
            0);
        bool has = strchr(sb_cstr(&out), '\033') != NULL;
        ck_assert_msg(has == cases[i].colour, "%s %s", cases[i].env, cases[i].args);
    }
}
END_TEST

START_TEST(tables_fit_the_columns_asked_for)
{
    ck_assert_int_eq(
        shell("'%s' --batch -e 'set width 50' -e 'ops relu' examples/mlp.py -e passes", TOOL), 0);
    Str rest = sb_str(&out);
    while (rest.n)
        ck_assert_uint_le(display_width(str_cut(&rest, '\n')), 50);
    ck_assert_int_eq(shell("'%s' --batch examples/mlp.py -e 'set width 50' -e 'passes -w'", TOOL),
                     0);
    ck_assert_ptr_null(strstr(sb_cstr(&out), "…"));
}
END_TEST

/* Every command that prints tables or sentences, on a program with long names, on 80 columns and on
 * 60: nothing is wider, and what is cut says so. */
START_TEST(nothing_is_wider_than_the_screen)
{
    static const char *const widths[] = {"80", "60"};
    const char *lines =
        "load tests/cases/mlp.dynamo.py\ninputs\nprogram\nstages\nstages --tree\npasses\n"
        "executors\nstats\ncompare acquired last --exact --all\ncompare last @f64 --exact --all\n"
        "compare acquired last --special\nbisect\nbisect --status\nops\nops softmax\n"
        "print %input_1\nprint %input_1[0] * 1e9\nx %input_1\nplot %input_1\n"
        "profile --time 0 --all\nversus @interp --time 0\npeak\npeak --cse off\n"
        "bench --time 0\ninfo %input_2\ninfo\nbreak op relu if dtype == torch.bfloat16\n"
        "info break\ndelete\nwhy %input_2\nhistory %input_2\nsweep scale=0.1,1 do run -q\n"
        "grad all\ngrad --check\nstages\nparts\nprogram\nset\nhelp\nhelp compare\n"
        "apropos executor\ntutorial list\n";
    const char *width = widths[_i];
    write_text("lines", str_from(lines));
    shell("'%s' --batch --keep-going -e 'set width %s' -x '%s/lines'", TOOL, width, folder);
    ck_contains(sb_cstr(&out), "write it down"); /* the last line was reached */
    Str rest = sb_str(&out);
    uint32_t cut = 0;
    while (rest.n) {
        Str line = str_cut(&rest, '\n');
        for (size_t i = 0; i < line.n; i++)
            cut += str_starts(str_sub(line, i, line.n), "…");
        ck_assert_msg(display_width(line) <= (size_t)atoi(width), "%zu columns: %.*s",
                      display_width(line), STR(line));
    }
    ck_assert_uint_gt(cut, 5);
    ck_contains(sb_cstr(&out), "  rounding"); /* a verdict is never cut, */
    ck_contains(sb_cstr(&out), "matmul)\n"); /* nor the end of what a pass does, */
    ck_contains(sb_cstr(&out), "bfloat16\n"); /* nor a condition */
}
END_TEST

START_TEST(data_and_prose_are_apart)
{
    ck_assert_int_eq(shell("'%s' --batch examples/mlp.py -e 'run' -e 'output csv' -e stages", TOOL),
                     0);
    ck_assert_ptr_null(strstr(sb_cstr(&out), "loaded forward"));
    ck_assert_ptr_null(strstr(sb_cstr(&out), "ran stage"));
    ck_contains(sb_cstr(&err), "loaded forward");
    ck_contains(sb_cstr(&err), "ran stage");
}
END_TEST

/* Reads one JSON value; NULL when it is none. */
static const char *json_value(const char *p);

static const char *json_text(const char *p)
{
    if (*p++ != '"')
        return NULL;
    for (; *p != '"'; p++) {
        if (!*p || (unsigned char)*p < 0x20)
            return NULL;
        p += *p == '\\';
    }
    return p + 1;
}

static const char *json_members(const char *p, char close, bool named)
{
    if (*++p == close)
        return p + 1;
    for (;; p++) {
        if (named && (!(p = json_text(p)) || *p++ != ':'))
            return NULL;
        if (!(p = json_value(p)))
            return NULL;
        if (*p == close)
            return p + 1;
        if (*p != ',')
            return NULL;
    }
}

static const char *json_value(const char *p)
{
    static const char *const words[] = {"true", "false", "null"};
    char *end;
    if (*p == '{' || *p == '[')
        return json_members(p, *p == '{' ? '}' : ']', *p == '{');
    if (*p == '"')
        return json_text(p);
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (strncmp(p, words[i], strlen(words[i])) == 0)
            return p + strlen(words[i]);
    }
    if (*p != '-' && !isdigit((unsigned char)*p))
        return NULL;
    (void)strtod(p, &end);
    return end == p ? NULL : end;
}

START_TEST(json_is_an_object_a_line)
{
    static const char *const lines =
        "version\nexecutors\nset\nhelp\nhelp step\nhelp env\nload examples/mlp.py\ninputs\nstages\n"
        "stages --tree\nstep\nnext\nlist\ndiff\npasses\nrun\nprint %input_1[0]\nstats\ncompare "
        "acquired\n"
        "info\ninfo %input_1\ninfo softmax\nfind linear\nwhy %input_2\nhistory %input_1\nuses "
        "%input_1\n"
        "ops\nops relu\ngraph\nprogram\napropos dce\nreplay examples/mlp.py -v\ncse\noption "
        "fold.fast on\n"
        "record\npager\ngoto nowhere\n";
    write_text("lines", str_from(lines));
    ck_assert_int_eq(shell("'%s' --json --keep-going < '%s/lines'", TOOL, folder), 2);
    Str rest = sb_str(&out);
    uint32_t n = 0;
    for (; rest.n; n++) {
        Str line = str_cut(&rest, '\n');
        StrBuf one = {0};
        sb_add(&one, line);
        const char *end = json_value(sb_cstr(&one));
        ck_assert_msg(end && !*end, "not JSON: %s", sb_cstr(&one));
        ck_assert_msg(str_starts(line, "{\"kind\":\""), "no kind: %s", sb_cstr(&one));
        ck_contains(sb_cstr(&one), "\"version\":1");
        sb_free(&one);
    }
    ck_assert_uint_gt(n, 150);
    ck_contains(sb_cstr(&out),
                "{\"kind\":\"error\",\"version\":1,\"code\":\"no-stage\",\"exit\":2");
}
END_TEST

/* ----------------------------------------------------------------------------------- sessions */

START_TEST(redirected_text_loads_again)
{
    ck_assert_int_eq(shell("'%s' --batch examples/mlp.py -e 'c' -e 'list --header > %s/last.py' "
                           "-e 'load %s/last.py' -e 'list | grep -c @'",
                           TOOL, folder, folder),
                     0);
    ck_assert_str_eq(sb_cstr(&out) + out.n - 2, "3\n");
}
END_TEST

/* At every stage, also where kernels stand for what they compute. */
START_TEST(a_listed_stage_can_be_edited)
{
    static const char *const stages[] = {"acquired", "claim", "fuse", "last"};
    for (size_t i = 0; i < ARRAY_LEN(stages); i++) {
        int status = shell("'%s' --batch examples/block.py -e 'option fuse.min_work 0' "
                           "-e 'goto %s' -e 'list --header > %s/stage.py' -e 'edit %s/stage.py'",
                           TOOL, stages[i], folder, folder);
        ck_assert_msg(status == 0, "%s: %s", stages[i], sb_cstr(&err));
        ck_contains(sb_cstr(&err), "nothing changed");
    }
    ck_assert_int_eq(shell("'%s' --batch examples/block.py -e 'option fuse.min_work 0' "
                           "-e 'goto fuse' -e 'list > %s/stage.py' -e 'edit %s/stage.py'",
                           TOOL, folder, folder),
                     3);
    ck_contains(sb_cstr(&err), "help: list --header");
    ck_assert_int_eq(shell("'%s' --batch examples/block.py -e 'option fuse.min_work 0' "
                           "-e 'goto last' -e 'edit %%act = torch.relu(linear)'", TOOL),
                     2);
    ck_contains(sb_cstr(&err), "help: goto ");
}
END_TEST

START_TEST(pictures_name_kernels_and_their_members)
{
    ck_assert_int_eq(shell("'%s' --batch examples/block.py -e 'executors c,interp' "
                           "-e 'option fuse.min_work 0' -e 'goto fuse > %s/x' -e graph",
                           TOOL, folder), 0);
    ck_contains(sb_cstr(&out), "[act, mean] = cFusion1(linear) @c");
    ck_assert_int_eq(shell("'%s' --batch examples/block.py -e 'executors c,interp' "
                           "-e 'option fuse.min_work 0' -e 'goto fuse > %s/x' -e 'output dot' "
                           "-e graph", TOOL, folder), 0);
    ck_contains(sb_cstr(&out), "<B>cFusion1</B>");
    ck_contains(sb_cstr(&out), "maximum+minimum+add");
}
END_TEST

START_TEST(a_saved_session_comes_back)
{
    static const char *const look =
        "-e 'set times off' -e stages -e passes -e list -e executors -e run";
    static const char *const changes[] = {
        "-e 'pass move cse 2' -e 'pass off fold' -e 'pass fuel claim 9' -e 'executor first interp' "
        "-e 'option fold.fast on' -e 'bind L_args_0_=0.5' -e 'next 3' -e 'step 2' -e 'set context "
        "4'",
        "-e 'grad all' -e 'grad L_args_0_ --again' -e 'pass off remat' -e 'pass off split' "
        "-e 'option remat.price 0.5' -e 'set context 4'",
        "-e 'grad all' -e 'pass off joint.cse' -e 'goto remat' -e 'set context 4'",
    };
    StrBuf before = {0};
    ck_assert_int_eq(shell("'%s' --batch examples/mlp.py %s -e 'save %s/s' %s", TOOL, changes[_i],
                           folder, look),
                     0);
    sb_add(&before, str_from(strstr(sb_cstr(&out), "set times")));
    ck_assert_int_eq(shell("'%s' --batch -e 'source %s/s > /dev/null' %s", TOOL, folder, look), 0);
    ck_assert_str_eq(sb_cstr(&out), sb_cstr(&before));
    ck_assert_int_eq(shell("cat %s/s", folder), 0);
    ck_contains(sb_cstr(&out), "set context 4");
    sb_free(&before);
}
END_TEST

START_TEST(parts_are_saved_with_what_is_bound)
{
    ck_assert_int_eq(shell("'%s' --batch examples/mlp.py -e 'grad all' -e parts -e 'run -q' "
                           "-e 'program 3' -e 'bind --random 1' -e 'save %s/s' -e run",
                           TOOL, folder), 0);
    char *first = strdup(strstr(sb_cstr(&out), "$1"));
    ck_assert_int_eq(shell("'%s' --batch -e 'source %s/s > /dev/null' -e run", TOOL, folder), 0);
    ck_assert_str_eq(strstr(sb_cstr(&out), "$1"), first);
    free(first);
}
END_TEST

/* A run of the forward part feeds the backward one in the session that is read again, too. */
START_TEST(parts_are_saved_with_what_links_them)
{
    ck_assert_int_eq(shell("'%s' --batch examples/mlp.py -e 'grad all' -e parts -e 'save %s/s' "
                           "-e 'run -q' -e 'program 3' -e run",
                           TOOL, folder), 0);
    char *first = strdup(strstr(sb_cstr(&out), "%grad_L"));
    ck_assert_int_eq(shell("'%s' --batch -e 'source %s/s > /dev/null' -e 'run -q' "
                           "-e 'program forward_backward' -e run", TOOL, folder), 0);
    ck_assert_str_eq(strstr(sb_cstr(&out), "%grad_L"), first);
    free(first);
    ck_assert_int_eq(shell("'%s' --batch examples/mlp.py -e 'parts --feed 1'", TOOL), 2);
}
END_TEST

START_TEST(an_edited_stage_is_saved_with_the_session)
{
    ck_assert_int_eq(
        shell("'%s' --batch examples/mlp.py -e 'edit %%input_2 = torch.sigmoid(input_1)' "
              "-e next -e 'save %s/s' -e 'run last'",
              TOOL, folder),
        0);
    char *first = strdup(strstr(sb_cstr(&out), "$1"));
    ck_assert_int_eq(shell("'%s' --batch -x %s/s -e 'run last'", TOOL, folder), 0);
    ck_assert_str_eq(strstr(sb_cstr(&out), "$1"), first);
    free(first);
}
END_TEST

START_TEST(a_transcript_is_a_test)
{
    ck_assert_int_eq(
        shell("'%s' --batch -e 'set times off' -e 'record on %s/t' -e 'load examples/mlp.py' "
              "-e stages -e 'next 5' -e 'print %%input_1[0]' -e 'record off'",
              TOOL, folder),
        0);
    ck_assert_int_eq(
        shell("'%s' --batch -e 'set times off' -e 'source --check %s/t'", TOOL, folder), 0);
    ck_assert_int_eq(shell("sed -i '/^#>/s/0/O/' %s/t", folder), 0);
    ck_assert_int_eq(
        shell("'%s' --batch -e 'set times off' -e 'source --check %s/t'", TOOL, folder), 1);
    ck_contains(sb_cstr(&out), "/t:");
    ck_assert_ptr_null(strstr(sb_cstr(&out), "+ /")); /* what one command shows is not the next's */
}
END_TEST

START_TEST(bind_takes_an_expression_in_quotes)
{
    ck_assert_int_eq(
        shell("'%s' --batch examples/mlp.py -e 'bind L_args_0_=%%L_args_0_ * 2'", TOOL), 2);
    ck_contains(sb_cstr(&err), "is put in quotes");
    ck_assert_int_eq(
        shell("'%s' --batch examples/mlp.py -e \"bind 'L_args_0_=%%L_args_0_ * 2'\"", TOOL), 0);
}
END_TEST

/* A cotangent has the type of its output: when autocast or other sizes change that, it is made anew
 * from what was given, without loss when the type comes back. */
START_TEST(cotangents_follow_the_outputs)
{
    ck_assert_int_eq(shell("'%s' --batch examples/mlp.py -e 'grad all' -e 'bind cot_0=1.2345678' "
                           "-e 'pass on autocast' -e 'run last -q' -e 'goto joint' "
                           "-e 'print %%cot_0[0, 0]' -e 'pass off autocast' -e 'run last -q' "
                           "-e 'goto joint' -e 'x %%cot_0[0, 0]'", TOOL), 0);
    ck_contains(sb_cstr(&err), "all 6 inputs are bound");
    ck_contains(sb_cstr(&out), "# cpu bf16[]\n1.2344");
    ck_contains(sb_cstr(&out), "1.23456776");
    ck_assert_int_eq(shell("'%s' --batch tests/cases/dynamic_mlp.py -e 'bind --random' "
                           "-e 'grad all' -e 'set s33=5' -e 'bind --random' -e 'run last -q' "
                           "-e 'goto joint' -e 'print %%cot_0.sum()'", TOOL), 0);
    ck_contains(sb_cstr(&out), "20.");
}
END_TEST

/* Where the parts are one, nothing is kept between them, whatever stands first in the list. */
START_TEST(what_is_kept_is_told_where_there_are_parts)
{
    ck_assert_int_eq(shell("'%s' --batch examples/tiny_gpt.py -e 'grad all' -e 'goto last' "
                           "-e 'info saved'", TOOL), 0);
    ck_contains(sb_cstr(&err), "the two parts are one here; goto remat");
    ck_assert(!strstr(sb_cstr(&out), "needed by"));
    ck_assert_int_eq(shell("'%s' --batch examples/tiny_gpt.py -e 'grad all' -e 'pass off join' "
                           "-e 'goto last' -e 'info saved'", TOOL), 0);
    ck_assert(!strstr(sb_cstr(&err), "the two parts are one here"));
    ck_contains(sb_cstr(&out), "needed by");
}
END_TEST

/* What other programs write is told apart, and how a text comes of it. */
START_TEST(foreign_files_are_named)
{
    static const struct {
        const char *name, *what, *help;
    } rows[] = {
        {"a.pt2", "an archive of torch.export", "str(exported_program)"},
        {"a.pt", "a file of torch.save", "print_readable"},
        {"a.onnx", "an ONNX model", "torch.export"},
        {"a.safetensors", "tensors, no program", "bind "},
        {"a.bin", "not a text file", "load a .py file"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        write_text(rows[i].name, (Str){"PK\3\4\0\0\0", 7});
        static const char *const commands[] = {"load", "examine"};
        for (int k = 0; k < 2; k++) {
            ck_assert_int_eq(shell("'%s' --batch -e '%s %s/%s'", TOOL, commands[k], folder,
                                   rows[i].name), 3);
            ck_contains(sb_cstr(&err), rows[i].what);
            ck_contains(sb_cstr(&err), rows[i].help);
        }
    }
    write_text("g.txt", S("graph():\n    %x : [num_users=1] = placeholder[target=x]\n"));
    ck_assert_int_eq(shell("'%s' --batch -e 'load %s/g.txt'", TOOL, folder), 3);
    ck_contains(sb_cstr(&err), "the notation of str(graph)");
}
END_TEST

/* One statement alone, by its value or by the name of its fusion, also in the backward part. */
START_TEST(bench_takes_one_statement)
{
    ck_assert_int_eq(shell("'%s' --batch --json tests/cases/gpt_block.dynamo.py "
                           "-e 'executors c,interp' -e 'option fuse.min_work 0' "
                           "-e 'grad all --ones' "
                           "-e 'bench cFusion0 --time 0' -e 'bench cFusion3 --time 0' "
                           "-e 'bench %%linear --time 0' -e 'bench last --time 0'", TOOL), 0);
    ck_contains(sb_cstr(&out), "\"name\":\"cFusion0\",\"stage\":\"plan\"");
    ck_contains(sb_cstr(&out), "\"name\":\"cFusion3\"");
    ck_contains(sb_cstr(&out), "\"name\":\"%linear\"");
    ck_assert_int_ne(shell("'%s' --batch examples/mlp.py -e 'bench %%nope'", TOOL), 0);
    ck_assert_int_ne(shell("'%s' --batch examples/mlp.py -e 'bench %%L_args_0_'", TOOL), 0);
    ck_contains(sb_cstr(&err), "no statement of stage");
}
END_TEST

START_TEST(an_input_without_memory_is_said_so)
{
    write_text("big.py", S("def f(x: \"f32[10000000, 10000000]\"):\n    return (x.sum(),)\n"));
    ck_assert_int_eq(shell("'%s' --batch %s/big.py -e 'bind x=1'", TOOL, folder), 3);
    ck_contains(sb_cstr(&err), "no memory for input x (400000000000000 bytes)");
}
END_TEST

/* Whatever is counted, where there is one of it. */
START_TEST(one_thing_is_no_plural)
{
    static const char *const lines =
        "load %s/one.py\nbind x=1\nstages\nnext\nstep\nback\ncontinue\nlist\n"
        "diff acquired last\npasses\nrun last\nx %%a\nstats %%a\ncompare acquired last\n"
        "compare last @f64 --all\ncompare acquired last --special\nbisect\nfind exp\nwhy %%a\n"
        "history %%a\nhistory line 2\nuses %%x\npaths %%x %%a\nexamine\nexamine --html\n"
        "profile --time 0\nversus @interp --time 0\npeak\nops\nbench --time 0\ngraph\nplot %%a\n"
        "info %%a\ninfo\nbreak op exp\nignore 1 1\nrun\nrun\ninfo break\ndelete 1\n"
        "sweep seed=1,1\ngrad all\ngrad --check\nlist split\nstages\nparts\nprogram\ninputs\n"
        "lua print(thunder.current())\noption\nunload\n";
    StrBuf text = {0};
    write_text("one.py", S("def f(x: \"f32[1]\"):\n    a = torch.exp(x)\n    return (a,)\n"));
    sb_printf(&text, lines, folder);
    write_text("lines", sb_str(&text));
    sb_free(&text);
    shell("'%s' --batch --keep-going -x '%s/lines' 2>&1 | tee '%s/said' | "
          "grep -nE '(^|[^0-9.,:])1 [a-z]+[^s ]s\\b' | grep -vE '1 (ms|us|has)'", TOOL, folder,
          folder);
    ck_assert_msg(out.n == 0, "%s", sb_cstr(&out));
    ck_assert_int_eq(shell("grep -c '1 node, \\|1 element' '%s/said'", folder), 0);
    ck_assert_int_gt(atoi(sb_cstr(&out)), 3);
}
END_TEST

START_TEST(an_edit_that_changes_numbers_is_found_by_compare)
{
    ck_assert_int_eq(
        shell("'%s' --batch examples/mlp.py -e 'edit %%input_2 = torch.sigmoid(input_1)' "
              "-e 'compare #0 #1'",
              TOOL),
        1);
    ck_contains(sb_cstr(&out), "%input_2");
    ck_contains(sb_cstr(&err), "first in program order: %input_2");
}
END_TEST

START_TEST(a_script_names_file_and_line)
{
    write_text("cmds", S("version\n\n# comment\nstpe\nversion\n"));
    ck_assert_int_eq(shell("'%s' --batch -x %s/cmds", TOOL, folder), 2);
    ck_contains(sb_cstr(&err), "cmds:4");
    write_text("loop", S("source loop\n"));
    ck_assert_int_eq(shell("cd %s && '%s' --batch -x loop", folder, TOOL), 2);
    ck_contains(sb_cstr(&err), "source each other");
}
END_TEST

START_TEST(two_programs_keep_their_own_state)
{
    ck_assert_int_eq(
        shell("'%s' --batch tests/cases/mlp.dynamo.py tests/cases/mlp.export.py -e 'program 1' "
              "-e 'next 3' -e 'program 2' -e next -e 'output csv' -e program",
              TOOL),
        0);
    ck_contains(sb_cstr(&out), "fold");
    ck_contains(sb_cstr(&out), "inplace");
}
END_TEST

/* What one program's gradients are asked of is nothing that another needs to have. */
START_TEST(gradients_of_one_program_leave_others_alone)
{
    static const char mask[] = "def f(q: \"f32[4]\", m: \"b8[4]\"):\n"
                               "    return torch.where(m, q, 0.0)\n";
    static const char product[] = "def g(q: \"f32[4]\", m: \"f32[4]\"):\n    return q * m\n";
    write_text("mask.py", str_from(mask));
    write_text("product.py", str_from(product));
    ck_assert_int_eq(shell("'%s' --batch -e 'load %s/mask.py' -e 'grad q' -e 'load %s/product.py' "
                           "-e 'grad q m' -e 'bind --random' -e 'run last -q' -e 'program f' "
                           "-e 'bind --random' -e 'run -q'", TOOL, folder, folder), 0);
    ck_assert_int_ne(shell("'%s' --batch -e 'load %s/mask.py' -e 'grad q' -e 'load %s/product.py' "
                           "-e 'grad q m' -e 'program f' -e 'goto joint'",
                           TOOL, folder, folder), 0);
    ck_contains(sb_cstr(&err), "m is no floating-point input");
}
END_TEST

/* In the shell: $T is the program, $D the folder of the test. */
#define RUNS "-e 'load examples/mlp.py' -e 'set fuse.min_work 0' -e 'run last'"
static const struct {
    const char *command, *says; /* says: the error; "" = there is none */
    int status;
} worlds[] = {
    /* files without an end, and such that are no text */
    {"$T --batch -e 'load /dev/zero'", "/dev/zero is not a text file", 3},
    {"$T --batch -e 'source /dev/zero'", "cannot read /dev/zero: File too large", 3},
    {"ln -s /dev/zero $D/z.lua; $T --batch -e \"lua $D/z.lua\"", "z.lua: File too large", 3},
    {"(cat examples/mlp.py; yes '#' | head -n 400000) | $T --batch -e 'load /dev/stdin'", "", 0},
    {"printf '\\357\\273\\277version\\n' | $T", "", 0},
    {"printf '\\357\\273\\277version\\n' >$D/marked; $T --batch -x $D/marked", "", 0},
    {"printf 'version\\0x\\n' | $T", "this line is no text: it has a NUL", 2},
    /* streams that take nothing, or are not there */
    {"$T --batch -e ops >/dev/full", "cannot write standard output: No space left on device", 2},
    {"$T --batch -e ops | head -n 1", "", 0},
    {"$T --batch -e 'load examples/mlp.py' -e list >&-", "", 0},
    {"$T --batch -e 'load examples/mlp.py' -e list <&-", "", 0},
    /* folders that cannot be */
    {">$D/file; XDG_CACHE_HOME=$D/file $T --batch " RUNS, "", 0},
    {">$D/file; $T --batch -e \"option kernel.cache $D/file/k\" " RUNS,
     "cannot make the folder", 4},
    {"$T --batch -e 'load examples/mlp.py' -e 'report /dev/null/r.zip'",
     "cannot write /dev/null/r.zip: ", 2},
};

START_TEST(a_bad_world_is_told)
{
    int status = shell("export T='%s' D='%s'; %s", THUNDER_REPL, folder, worlds[_i].command);
    ck_assert_msg(status == worlds[_i].status, "%s: status %d: %s", worlds[_i].command, status,
                  sb_cstr(&err));
    const char *error = strstr(sb_cstr(&err), "error:");
    if (worlds[_i].says[0])
        ck_assert_msg(error && strstr(error, worlds[_i].says), "%s: %s", worlds[_i].command,
                      sb_cstr(&err));
    else
        ck_assert_msg(!error, "%s: %s", worlds[_i].command, sb_cstr(&err));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("commands");
    TCase *t = tcase_create("commands");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, every_example_runs, 0, (int)(2 * command_count));
    tcase_add_loop_test(t, a_bad_world_is_told, 0, ARRAY_LEN(worlds));
    tcase_add_test(t, the_manual_has_every_command);
    tcase_add_test(t, the_manual_in_docs_is_the_present_one);
    tcase_add_test(t, the_manual_of_operators_in_docs_is_the_present_one);
    tcase_add_loop_test(t, exit_codes_say_what_happened, 0, (int)ARRAY_LEN(exits));
    tcase_add_test(t, a_pipe_is_read_as_batch);
    tcase_add_test(t, nobody_reading_is_no_crash);
    tcase_add_loop_test(t, a_bad_file_is_one_error_and_the_session_goes_on, 0, BAD_FILES);
    tcase_add_test(t, colour_only_where_it_is_wanted);
    tcase_add_test(t, tables_fit_the_columns_asked_for);
    tcase_add_loop_test(t, nothing_is_wider_than_the_screen, 0, 2);
    tcase_add_test(t, data_and_prose_are_apart);
    tcase_add_test(t, json_is_an_object_a_line);
    tcase_add_test(t, redirected_text_loads_again);
    tcase_add_test(t, a_listed_stage_can_be_edited);
    tcase_add_test(t, pictures_name_kernels_and_their_members);
    tcase_add_loop_test(t, a_saved_session_comes_back, 0, 3);
    tcase_add_test(t, parts_are_saved_with_what_is_bound);
    tcase_add_test(t, parts_are_saved_with_what_links_them);
    tcase_add_test(t, an_edited_stage_is_saved_with_the_session);
    tcase_add_test(t, a_transcript_is_a_test);
    tcase_add_test(t, bind_takes_an_expression_in_quotes);
    tcase_add_test(t, cotangents_follow_the_outputs);
    tcase_add_test(t, what_is_kept_is_told_where_there_are_parts);
    tcase_add_test(t, gradients_of_one_program_leave_others_alone);
    tcase_add_test(t, foreign_files_are_named);
    tcase_add_test(t, bench_takes_one_statement);
    tcase_add_test(t, an_input_without_memory_is_said_so);
    tcase_add_test(t, one_thing_is_no_plural);
    tcase_add_test(t, an_edit_that_changes_numbers_is_found_by_compare);
    tcase_add_test(t, a_script_names_file_and_line);
    tcase_add_test(t, two_programs_keep_their_own_state);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
