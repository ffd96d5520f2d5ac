/*
 * check_inject.c - every planted fault is found: bisect names it, compare sees it, minify keeps it.
 *
 * Input: the rows of inject.def and tests/faults/NAME.py, run by thunder-repl-faults in batch.
 * docs/faults.md is the table of what came out; THUNDER_BLESS=1 writes it anew.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "arena.h"
#include "support.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Fault {
    const char *name, *kind, *place, *rule, *site, *value, *setup, *arguments, *help;
} Fault;

static const Fault faults[] = {
#define FAULT(name, kind, place, rule, site, value, setup, arguments, help)                        \
    {#name, kind, place, rule, site, value, setup, arguments, help},
#include "inject.def"
#undef FAULT
};

enum { NFAULTS = ARRAY_LEN(faults), MOST_STATEMENTS = 6 };

/* ----------------------------------------------------------------------------------- running it */

static StrBuf command, output;
static int status;

static void begin(const char *program)
{
    sb_clear(&command);
    sb_printf(&command, "'%s' --batch --json", program);
}

static void add(const char *line)
{
    if (*line)
        sb_printf(&command, " -e \"%s\"", line);
}

static void run(void)
{
    sb_puts(&command, " 2>&1");
    sb_clear(&output);
    FILE *f = popen(sb_cstr(&command), "r");
    ck_assert_ptr_nonnull(f);
    add_stream(f, &output);
    int ended = pclose(f);
    status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

static void add_setup(const Fault *f, bool planted)
{
    Str rest = str_from(f->setup);
    char line[200];
    snprintf(line, sizeof line, "load %s/faults/%s.py", TEST_DIR, f->name);
    add(line);
    add("bind --random 1");
    snprintf(line, sizeof line, "set inject %s", f->name);
    add(planted ? line : "");
    while (rest.n) {
        Str one = str_trim(str_cut(&rest, ';'));
        snprintf(line, sizeof line, "%.*s", STR(one));
        add(line);
    }
}

static void run_with(const Fault *f, bool planted, const char *last)
{
    begin(THUNDER_FAULTS);
    add_setup(f, planted);
    add(last);
    run();
}

/* A text field of the last JSON object of that kind; "" when it is missing. */
static const char *field(const char *kind, const char *name)
{
    static char value[8][400];
    static unsigned at;
    char *out = value[at++ % 8], key[64];
    *out = 0;
    snprintf(key, sizeof key, "\"kind\":\"%s\"", kind);
    const char *object = NULL;
    for (const char *p = sb_cstr(&output); (p = strstr(p, key)); p++)
        object = p;
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *p = object ? strstr(object, key) : NULL;
    if (!p)
        return out;
    p += strlen(key);
    bool quoted = *p == '"';
    size_t n = 0;
    for (p += quoted; *p && n < 399 && (quoted ? *p != '"' : *p != ',' && *p != '}'); p++) {
        p += quoted && *p == '\\';
        out[n++] = *p;
    }
    out[n] = 0;
    return out;
}

#define ck_field(kind, name, want)                                                                 \
    ck_assert_msg(strcmp(field(kind, name), want) == 0, "%s is \"%s\", not \"%s\", in\n%s\n%s",    \
                  name, field(kind, name), want, sb_cstr(&output), sb_cstr(&command))
#define ck_status(want)                                                                            \
    ck_assert_msg(status == (want), "exit code %d, not %d:\n%s\n%s", status, (want),               \
                  sb_cstr(&output), sb_cstr(&command))

static bool is_executor(const Fault *f)
{
    return strcmp(f->place, "interp") == 0 || strcmp(f->place, "c") == 0;
}

/* What the culprit of the last bisect or minify must be. */
static void check_culprit(const Fault *f, const char *kind)
{
    if (is_executor(f)) {
        ck_field(kind, "op", f->rule);
        return;
    }
    ck_field(kind, "pass", f->place);
    ck_field(kind, "rule", f->rule);
}

/* --------------------------------------------------------------------------------------- tests */

START_TEST(without_the_fault_all_is_good)
{
    char line[100];
    snprintf(line, sizeof line, "bisect %s", faults[_i].arguments);
    run_with(&faults[_i], false, line);
    ck_status(0);
    ck_field("bisect", "culprit", "none");
}
END_TEST

START_TEST(bisect_names_it)
{
    const Fault *f = &faults[_i];
    char line[100];
    snprintf(line, sizeof line, "bisect %s", f->arguments);
    run_with(f, true, line);
    ck_status(1);
    check_culprit(f, "bisect");
    ck_field("bisect", "value", f->value);
    if (is_executor(f))
        ck_field("bisect", "executor", f->place);
    if (strcmp(f->place, "c") == 0)
        ck_assert_msg(strncmp(field("bisect", "fusion"), "cFusion", 7) == 0, "no kernel is named");
}
END_TEST

/* The two commands at the end: what the first checks is still right, the second fails. */
/* Gradients in bf16, whose tolerances a rule that is wrong by half would pass: the rule is seen in
 * double precision, and a kernel beside the interpreter. */
static const struct {
    const char *fault, *culprit, *name, *body;
} lowered[] = {
    {"grad_operands t2", "rule", "mul",
     "    product = torch.mul(x, y)\n    b = torch.tanh(product)\n    return (b,)\n"},
    {"kernel_scalar t21", "op", "mul",
     "    a = torch.mul(x, 1.75)\n    b = torch.mul(a, y)\n    c = torch.sin(b)\n"
     "    return (c,)\n"},
};

static void lower(int i, bool planted, const char *last)
{
    char path[100], line[200];
    snprintf(path, sizeof path, "/tmp/check_inject.%d.py", (int)getpid());
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "def low(x: \"bf16[4, 6]\", y: \"bf16[4, 6]\"):\n%s", lowered[i].body);
    fclose(f);
    begin(THUNDER_FAULTS);
    snprintf(line, sizeof line, "load %s", path);
    add(line);
    add("bind --random 1");
    add("executor on c");
    add("option fuse.min_work 0");
    snprintf(line, sizeof line, "set inject %s", lowered[i].fault);
    add(planted ? line : "");
    add("grad all --ones");
    add(last);
    run();
    unlink(path);
}

START_TEST(gradients_in_low_precision_are_judged)
{
    char good[400], bad[400];
    lower(_i, false, "bisect");
    ck_status(0);
    ck_field("bisect", "culprit", "none");
    lower(_i, true, "bisect --fast");
    ck_status(1);
    ck_field("bisect", lowered[_i].culprit, lowered[_i].name);
    ck_field("bisect", "failure", "wrong-gradient");
    snprintf(good, sizeof good, "%s", field("bisect", "good"));
    snprintf(bad, sizeof bad, "%s", field("bisect", "bad"));
    lower(_i, true, good);
    ck_status(0);
    lower(_i, true, bad);
    ck_status(1);
}
END_TEST

START_TEST(its_commands_straddle_the_boundary)
{
    const Fault *f = &faults[_i];
    char line[100], good[400], bad[400];
    snprintf(line, sizeof line, "bisect --fast %s", f->arguments);
    run_with(f, true, line);
    snprintf(good, sizeof good, "%s", field("bisect", "good"));
    snprintf(bad, sizeof bad, "%s", field("bisect", "bad"));
    ck_assert_msg(*good && *bad, "there are no two commands");
    run_with(f, true, good);
    ck_status(0);
    run_with(f, true, bad);
    ck_assert_msg(status == 1 || status == 4, "%s ends with %d", bad, status);
}
END_TEST

/* The commands that a person would try, one after the other. */
static const char *compare_line(const Fault *f)
{
    if (strcmp(f->place, "interp") == 0)
        return "compare acquired acquired@f64";
    if (strcmp(f->place, "joint") == 0)
        return "compare last @f64";
    return strstr(f->arguments, "interp") ? "compare last acquired@interp"
                                          : "compare last acquired@f64";
}

START_TEST(compare_sees_it)
{
    const Fault *f = &faults[_i];
    run_with(f, false, compare_line(f));
    ck_status(0);
    run_with(f, true, compare_line(f));
    ck_assert_msg(status == 1 || strstr(sb_cstr(&output), f->site), "exit code %d:\n%s", status,
                  sb_cstr(&output));
    ck_assert_int_ne(status, 0);
}
END_TEST

/* Of faults of executors, each statement by itself. A sign of zero is no error of a number, and one
 * rounding for two is a better one: those are for `compare --special` and `compare`. */
START_TEST(each_sees_it)
{
    const Fault *f = &faults[_i];
    bool small = strcmp(f->kind, "drop -0") == 0 || strcmp(f->kind, "contract an FMA") == 0;
    if (!is_executor(f))
        return;
    run_with(f, false, "compare last --each");
    ck_status(0);
    run_with(f, true, "compare last --each");
    ck_status(small ? 0 : 1);
    ck_assert(small || strstr(sb_cstr(&output), "\"verdict\":\"wrong\""));
}
END_TEST

static void minify(const Fault *f, char *file, size_t size)
{
    char line[300];
    snprintf(file, size, "%s/thunder-minify-%d.py", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
             (int)getpid());
    snprintf(line, sizeof line, "minify %s %s", file, f->arguments);
    run_with(f, true, line);
    ck_status(0);
}

/* The first line of a minified file: the command, for this program and with the fault. */
static void run_first_line(const Fault *f, const char *file)
{
    char line[8000], version[64];
    FILE *in = fopen(file, "r");
    ck_assert_ptr_nonnull(in);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, in));
    fclose(in);
    line[strcspn(line, "\n")] = 0;
    ck_assert_int_eq(sscanf(line, "# thunder-repl %63[^:]:", version), 1);
    char *rest = strstr(line, ": thunder-repl"), *last = strstr(line, " -e \"bisect");
    ck_assert_msg(rest && last, "%s", line);
    *last = 0;
    sb_clear(&command);
    sb_printf(&command, "'%s' --json%s -e 'set inject %s' %s", THUNDER_FAULTS,
              rest + strlen(": thunder-repl"), f->name, last + 1);
    run();
}

START_TEST(minify_keeps_it)
{
    const Fault *f = &faults[_i];
    char file[200];
    minify(f, file, sizeof file);
    check_culprit(f, "minify");
    ck_assert_int_le(atoi(field("minify", "to")), MOST_STATEMENTS);
    ck_assert_int_gt(atoi(field("minify", "to")), 0);
    run_first_line(f, file);
    unlink(file);
    ck_status(1);
    check_culprit(f, "bisect");
}
END_TEST

START_TEST(two_axes_are_told)
{
    const Fault *f = faults;
    while (strcmp(f->name, "kernel_contracted") != 0)
        f++;
    run_with(f, true, "bisect");
    ck_field("bisect", "axes", "2");
    ck_contains(field("bisect", "remedies"), "pass off fuse");
    ck_contains(field("bisect", "remedies"), "executor off c");
}
END_TEST

static const struct {
    const char *prepare, *line, *culprit, *value;
    int status;
} checks[] = {
    {"", "bisect --check 'compare acquired@f64'", "application", "tripled", 1},
    {"lua function good() local _, ok = thunder.command('compare acquired@f64') return ok end",
     "bisect --lua good", "application", "tripled", 1},
    {"", "bisect --check '!exit 0'", "none", "", 0},
    {"", "bisect --check '!exit 1'", "program", "", 1},
    {"", "bisect --check '!exit 125'", "none", "", 0},
    {"", "bisect --lua nil", "program", "", 1},
};

/* A command or a function in place of the oracle: 0 is good, 125 cannot tell, anything else bad. */
START_TEST(a_check_decides_in_place_of_the_oracle)
{
    const Fault *f = faults;
    while (strcmp(f->name, "cse_scalar") != 0)
        f++;
    begin(THUNDER_FAULTS);
    add_setup(f, true);
    add(checks[_i].prepare);
    add(checks[_i].line);
    run();
    ck_status(checks[_i].status);
    ck_field("bisect", "culprit", checks[_i].culprit);
    ck_field("bisect", "value", checks[_i].value);
}
END_TEST

static const char *const laws[] = {"definition", "producer", "type", "output"};
static const struct {
    const char *pass, *setup;
    int application;
} breakable[] = {
    {"inplace", "", 1}, {"dce", "", 0},   {"fold", "", 1},
    {"cse", "", 0},     {"claim", "", 2}, {"casts", "pass on casts", 0},
    {"plan", "", 3},    {"joint", "grad all --ones", 2}, {"fuse", "option fuse.min_work 0", 1},
    {"split", "grad all --ones", 0}, {"remat", "grad all --ones", 0},
    {"autocast", "pass on autocast", 0},
};

/* set verify on: a broken law of ir.h is blamed on the pass and the application that broke it. */
START_TEST(a_broken_law_is_blamed)
{
    const char *law = laws[_i % (int)ARRAY_LEN(laws)];
    int k = _i / (int)ARRAY_LEN(laws);
    char line[300], want[200];
    begin(THUNDER_FAULTS);
    snprintf(line, sizeof line, "load %s/faults/laws.py", TEST_DIR);
    add(line);
    add("bind --random 1");
    add("set verify on");
    snprintf(line, sizeof line, "set inject break %s %s %d", law, breakable[k].pass,
             breakable[k].application);
    add(line);
    add(breakable[k].setup);
    add("continue");
    run();
    ck_status(4);
    snprintf(want, sizeof want, "pass %s breaks the program in application %d, rule",
             breakable[k].pass, breakable[k].application);
    ck_contains(sb_cstr(&output), want);
    ck_contains(sb_cstr(&output), "broken-invariant");
}
END_TEST

START_TEST(kinds_are_all_there)
{
    static const char *const kinds[] = {
        "drop a write-back", "merge two random draws",  "swap an epilogue's order",
        "drop -0",           "read past a mask",        "wrong index",
        "lose an alias",     "contract an FMA",         "mis-type a scalar",
        "reorder across a mutation"};
    ck_assert_uint_ge(NFAULTS, 25);
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        bool found = false;
        for (size_t i = 0; i < NFAULTS; i++)
            found |= strcmp(faults[i].kind, kinds[k]) == 0;
        ck_assert_msg(found, "no fault: %s", kinds[k]);
    }
}
END_TEST

START_TEST(a_release_has_no_faults)
{
    begin(THUNDER_REPL);
    add("set inject cse_random");
    run();
    ck_status(2);
    ck_contains(sb_cstr(&output), "inject");
}
END_TEST

/* -------------------------------------------------------------- many statements, one fault */

enum { GROUPS = 2000 };

/* 10,000 statements; what goes wrong in one reaches the output. */
static void write_large(const char *path)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs("def large(x: \"f32[16, 16]\", y: \"f32[16, 16]\"):\n    s0 = torch.mul(x, 0.5)\n", f);
    for (int i = 0; i < GROUPS; i++) {
        fprintf(f, "    a%d = torch.mul(%s%d, 0.%d)\n", i, i ? "d" : "s", i ? i - 1 : 0, i % 9 + 1);
        fprintf(f, "    b%d = torch.add(a%d, y)\n    c%d = torch.tanh(b%d)\n", i, i, i, i);
        fprintf(f, "    d%d = torch.sub(c%d, 0.%d)\n", i, i, i % 97 + 1);
        fprintf(f, "    s%d = torch.add(s%d, d%d)\n", i + 1, i, i);
    }
    fprintf(f, "    return (s%d,)\n", GROUPS);
    fclose(f);
}

static const struct {
    const char *setup, *fault, *op;
} large[] = {
    {"executor off c", "claim_operands %d1250", "sub"},
    {"option fuse.min_work 0", "kernel_scalar %a1250", "mul"},
};

START_TEST(one_fault_in_10000_statements_takes_seconds)
{
    char path[200], line[300];
    snprintf(path, sizeof path, "%s/thunder-large-%d.py",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (int)getpid());
    write_large(path);
    begin(THUNDER_FAULTS);
    snprintf(line, sizeof line, "load %s", path);
    add(line);
    add("bind --random 1");
    snprintf(line, sizeof line, "set inject %s", large[_i].fault);
    add(line);
    add(large[_i].setup);
    add("bisect --fast");
    run();
    unlink(path);
    ck_status(1);
    ck_field("bisect", "op", large[_i].op);
    ck_assert_str_eq(field("bisect", "value"), strchr(large[_i].fault, '%') + 1);
    struct rusage used; /* of the processor, so that a busy machine does not count */
    getrusage(RUSAGE_CHILDREN, &used);
    ck_assert_int_lt(used.ru_utime.tv_sec + used.ru_stime.tv_sec, 60);
    ck_assert_int_lt(atoi(field("bisect", "runs")), 40); /* of some 20,000 applications */
}
END_TEST

/* ------------------------------------------------------------------------------------- the page */

static void page_row(const Fault *f, StrBuf *page)
{
    char line[100], file[200], where[100];
    snprintf(line, sizeof line, "bisect --fast %s", f->arguments);
    run_with(f, true, line);
    snprintf(where, sizeof where, "%s", field("bisect", "pass"));
    sb_printf(page, "| `%s` | %s | %s | ", f->name, f->kind, f->help);
    if (*where)
        sb_printf(page, "pass %s: `%s`", where, field("bisect", "rule"));
    else
        sb_printf(page, "operator %s", field("bisect", "op"));
    if (*f->value)
        sb_printf(page, " at `%%%s`", field("bisect", "value"));
    if (*f->value && *field("bisect", "executor"))
        sb_printf(page, ", executor %s", field("bisect", "executor"));
    if (*field("bisect", "fusion"))
        sb_printf(page, ", member %s of %s", field("bisect", "member"), field("bisect", "fusion"));
    minify(f, file, sizeof file);
    unlink(file);
    sb_printf(page, " | `%s` | %s to %s |\n", compare_line(f), field("minify", "from"),
              field("minify", "to"));
}

START_TEST(the_page_in_docs_is_the_present_one)
{
    static const char path[] = SOURCE_DIR "/docs/faults.md";
    StrBuf page = {0}, now = {0};
    sb_puts(&page, "# Faults that the debugger finds\n\n"
                   "Made by `check_inject` from `core/base/inject.def`; `THUNDER_BLESS=1` writes "
                   "it anew. Each fault is planted with\n`set inject NAME` in "
                   "`thunder-repl-faults`, the program that tests use (no release has it), and "
                   "acts at one value of\n"
                   "`tests/faults/NAME.py`. What bisect found, the command with which compare sees "
                   "it, and how many statements\nminify leaves:\n\n"
                   "| fault | stands for | what it does | bisect says | compare | minify |\n"
                   "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < NFAULTS; i++)
        page_row(&faults[i], &page);
    if (getenv("THUNDER_BLESS")) {
        FILE *f = fopen(path, "w");
        ck_assert_ptr_nonnull(f);
        fwrite(page.p, 1, page.n, f);
        fclose(f);
    }
    add_file(path, &now);
    ck_assert_msg(str_eq(sb_str(&page), sb_str(&now)),
                  "docs/faults.md is not the present table; THUNDER_BLESS=1 writes it");
    sb_free(&page);
    sb_free(&now);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("inject");
    TCase *t = tcase_create("faults");
    tcase_add_loop_test(t, without_the_fault_all_is_good, 0, NFAULTS);
    tcase_add_loop_test(t, bisect_names_it, 0, NFAULTS);
    tcase_add_loop_test(t, gradients_in_low_precision_are_judged, 0, 2);
    tcase_add_loop_test(t, its_commands_straddle_the_boundary, 0, NFAULTS);
    tcase_add_loop_test(t, compare_sees_it, 0, NFAULTS);
    tcase_add_loop_test(t, each_sees_it, 0, NFAULTS);
    tcase_add_loop_test(t, minify_keeps_it, 0, NFAULTS);
    tcase_add_test(t, two_axes_are_told);
    tcase_add_loop_test(t, a_check_decides_in_place_of_the_oracle, 0, ARRAY_LEN(checks));
    tcase_add_loop_test(t, a_broken_law_is_blamed, 0, ARRAY_LEN(laws) * ARRAY_LEN(breakable));
    tcase_add_test(t, kinds_are_all_there);
    tcase_add_test(t, a_release_has_no_faults);
    suite_add_tcase(suite, t);
    TCase *long_ones = tcase_create("long");
    tcase_set_timeout(long_ones, 280);
    tcase_add_loop_test(long_ones, one_fault_in_10000_statements_takes_seconds, 0,
                        ARRAY_LEN(large));
    tcase_add_test(long_ones, the_page_in_docs_is_the_present_one);
    suite_add_tcase(suite, long_ones);
    return run_suite(suite);
}
