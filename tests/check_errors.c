/*
 * check_errors.c - whatever a person types wrong, the answer ends in what to type instead.
 *
 * Each command of the table gets lines that are wrong in many ways, without a program and with
 * one. Of the errors that a line gives, the last must have a help that names a command.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "repl.h"
#include "tool_fixture.h"


/* What may stand behind a command's name. "" is nothing. */
static const char *const wrong[] = {
    "", "nosuch", "%nosuch", "99999", "-3", "no/such/file", "%input_1", "0", "x y z", "if",
    "--bogus", "a=b", "nan", "op", "on nosuch", "off nosuch", "nosuch 3", "%input_1 %nosuch",
    "%nosuch..%input_1", "cse nosuch", "%input_1[9999]", "op relu if", "op relu if zzz",
    "op relu if (", "op relu mul", "op reluu", "pass nosuch", "rule", "line nosuch",
    "dtype-change f31", "value %nosuch", "nan if zzz", "nan if", "abs>x", "%input_1 +", ">",
    "> no/such/folder/file", "| false", "'open", "1 2", "last last last", "not cse %input_1",
    "executor %nosuch", "N=1 do run", "on nosuch/folder/file", "fuel cse x", "move cse 99",
    "fuse.min_work x", "--time x", "--depth x", "--executors nosuch", "edit no/such/file",
    "%input_1 = torch.relu(", "%nosuch = 3", "$99", "roofline x.y", "diff nosuch",
};

/* Of these only options are tried: they leave, ask, write what they are told, or take any text. */
static bool is_left_alone(const Command *c)
{
    static const char *const names[] = {"quit", "restart", "tutorial", "lua", "!", "save", "record",
                                        "report", "minify", "graph", "plot"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(c->name, names[i]) == 0)
            return true;
    return false;
}

static bool names_command(Str help)
{
    while (help.n) {
        size_t n = 0;
        while (n < help.n && !strchr(" ,;?()`", help.p[n]))
            n++;
        const Command *found[1];
        Str word = str_sub(help, 0, n);
        if (word.n && command_lookup(word, found, 1) == 1 &&
            (str_is(word, found[0]->name) || word.p[0] == '!'))
            return true;
        if (word.n > 1 && word.p[0] == '!')
            return true; /* a shell command */
        help = str_sub(help, n + 1, SIZE_MAX);
    }
    return false;
}

/* The text of a field of a line of JSON; "" when it has none. Escapes stay as they are. */
static Str field(Str line, const char *name)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = strstr(arena_str(&arena, line).p, key);
    if (!at)
        return (Str){0};
    Str rest = str_from(at + strlen(key));
    size_t n = 0;
    while (n < rest.n && (rest.p[n] != '"' || (n && rest.p[n - 1] == '\\')))
        n++;
    return str_sub(rest, 0, n);
}

typedef struct Errors {
    uint32_t lines; /* that gave an error */
    Str last;       /* error of the line under way; "" = none yet */
    uint32_t number;
} Errors;

/* The line under way has ended. */
static void check_last(Errors *e, const Command *c)
{
    if (e->last.n) {
        ck_assert_msg(names_command(field(e->last, "help")),
                      "line %u of %s: no help that names a command: %.*s", e->number, c->name,
                      STR(e->last));
        e->lines++;
    }
    e->last = (Str){0};
    e->number++;
}

static void look(const Command *c, Errors *e)
{
    Str rest = sb_str(&out);
    while (rest.n) {
        Str line = str_cut(&rest, '\n');
        if (str_is(line, "@next"))
            check_last(e, c);
        else if (str_starts(line, "{\"kind\":\"error\""))
            e->last = line;
    }
    check_last(e, c);
}

static void try_all(const Command *c, const char *before, Errors *e)
{
    StrBuf text = {0};
    sb_puts(&text, before);
    bool few = is_left_alone(c);
    if (strcmp(c->name, "lua") == 0)
        sb_puts(&text, "lua error('x')\n");
    else if (strcmp(c->name, "!") == 0)
        sb_puts(&text, "!exit 7\n");
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        if (!few || (strcmp(wrong[i], "--bogus") == 0 && !(c->flags & CMD_raw)))
            sb_printf(&text, "%s %s\n!echo @next\n", c->name, wrong[i]);
    int status = run_tool(sb_cstr(&text), "--json --keep-going </dev/null -x");
    ck_assert_msg(status < 128, "%s ends with signal %d", c->name, status - 128);
    look(c, e);
    sb_free(&text);
}

START_TEST(every_error_ends_in_a_command)
{
    const Command *c = &command_table[_i];
    Errors e = {0};
    try_all(c, "", &e);
    try_all(c, "load examples/mlp.py\nbind --random 1\n!echo @next\n", &e);
    ck_assert_msg(e.lines > 0, "nothing was wrong about %s", c->name);
}
END_TEST

static const char *const programs[] = {
    "def f(x: \"f32[4]\"):\n    return torch.reluu(x)\n",
    "def f(x: \"f32[4]\"):\n    return torch.nosuchthing(x)\n",
    "def f(x: \"f32[4]\"):\n    return y\n",
    "def f(x):\n    return torch.relu(x)\n",
    "def f(x: \"f32[4]\"):\n    y: \"f32[5]\" = torch.relu(x)\n    return y\n",
    "def f(x: \"f32[4]\", y: \"f32[3]\"):\n    return x + y\n",
    "def f(x: \"f32[4]\"):\n    return torch.sum(x, 7)\n",
    "def f(x: \"f32[4]\"):\n    return torch.relu(x, x, x, x)\n",
    "def f(x: \"f32[4]\"):\n    while x:\n        x = x + 1\n    return x\n",
    "def f(x: \"f31[4]\"):\n    return x\n",
    "def f(x: \"f32[4]\"):\n    return torch.relu(\n",
    "print(1)\n",
    "",
};

START_TEST(a_program_of_errors_ends_in_a_command)
{
    write_text("bad.py", programs[_i]);
    ck_assert_int_eq(run_tool("load $D/bad.py\n", "--json </dev/null -x"), 3);
    Errors e = {0};
    const Command *load;
    ck_assert_uint_eq(command_lookup(S("load"), &load, 1), 1);
    look(load, &e);
    ck_assert_uint_eq(e.lines, 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("errors");
    TCase *c = tcase_create("errors");
    tcase_set_timeout(c, 120);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, every_error_ends_in_a_command, 0, (int)command_count);
    tcase_add_loop_test(c, a_program_of_errors_ends_in_a_command, 0, ARRAY_LEN(programs));
    suite_add_tcase(s, c);
    return run_suite(s);
}
