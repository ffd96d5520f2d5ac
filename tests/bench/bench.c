/*
 * bench.c - how long the compiler takes, and how much memory: figures that must hold.
 *
 *    bench_thunder [PROGRAM.py [thunder-repl [TRAINING-PROGRAM.py]]]
 *
 * Measures, each case in a process of its own: from start to prompt in a pseudo-terminal (elapsed
 * time), loading plus all passes of a real model, the same with gradients, and of generated chains
 * and wide graphs of 1,000 to 100,000 statements (processor time of the one thread that does it, so
 * that a busy machine does not count); inputs drawn, and a first result whose kernels were compiled
 * before. Prints a table; exit 1 when a figure is over its limit.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "executors.h"
#include "session.h"

/* The limits, in milliseconds and MB. */
enum {
    PROMPT_MS = 20,
    MODEL_MS = 50,
    TRAINING_MS = 100,
    LARGE_MS = 3000,
    LARGE_MB = 1024,
    FLAT = 2,
    INPUTS_MS = 100,
    FIRST_MS = 30,
};

typedef struct Figures {
    bool ok;
    double load_ms, passes_ms;
    uint32_t statements, nodes, stages;
    double peak_mb;
    char error[400];
} Figures;

static double elapsed_ms(void)
{
    return (double)clock_ns() / 1e6;
}

static double processor_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* -------------------------------------------------------------------------------- generation */

static const char type[] = "f32[16, 16]";

static void write_head(StrBuf *out)
{
    sb_printf(out, "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"%s\", y: "
                   "\"%s\"):\n", type, type);
}

/* Statement i, which reads `in`: operators and spellings as PyTorch prints them, literals all
 * different. */
static void write_statement(uint32_t i, const char *in, StrBuf *out)
{
    sb_printf(out, "        t%u: \"%s\" = ", i, type);
    switch (i % 5) {
    case 0:
        sb_printf(out, "torch.ops.aten.mul.Tensor(%s, 0.%u)", in, i + 1);
        break;
    case 1:
        sb_printf(out, "%s + y", in);
        break;
    case 2:
        sb_printf(out, "torch.nn.functional.relu(%s, inplace = False)", in);
        break;
    case 3:
        sb_printf(out, "%s - 0.%u", in, i + 1);
        break;
    default:
        sb_printf(out, "%s.tanh()", in);
    }
}

static void write_chain(uint32_t n, StrBuf *out)
{
    char in[32] = "x";
    write_head(out);
    for (uint32_t i = 0; i < n; i++) {
        write_statement(i, in, out);
        if (i)
            sb_printf(out, ";  %s = None", in);
        sb_putc(out, '\n');
        snprintf(in, sizeof in, "t%u", i);
    }
    sb_printf(out, "        return (%s,)\n", in);
}

/* Half the statements read x, the others add them up in a tree. */
static void write_wide(uint32_t n, StrBuf *out)
{
    uint32_t leaves = n / 2 + 1, next = leaves;
    write_head(out);
    for (uint32_t i = 0; i < leaves; i++)
        sb_printf(out, "        t%u: \"%s\" = torch.ops.aten.mul.Tensor(x, %u)\n", i, type, i + 2);
    for (uint32_t i = 0; next < 2 * leaves - 1; i += 2, next++)
        sb_printf(out, "        t%u: \"%s\" = t%u + t%u;  t%u = t%u = None\n", next, type, i, i + 1,
                  i, i + 1);
    sb_printf(out, "        return (t%u,)\n", next - 1);
}

/* --------------------------------------------------------------------------------- measuring */

static void measure(Session *s, Str text, bool training, Figures *f)
{
    Diag d = {0};
    double start = processor_ms();
    session_load_text(s, S("bench"), text, (Str){0}, &d);
    Program *p = session_current(s);
    f->load_ms = processor_ms() - start;
    start = processor_ms();
    if (p && d.nerrors == 0 && training)
        program_training(s, p, true, &d);
    if (p && d.nerrors == 0)
        program_continue(s, p, &d);
    f->passes_ms = processor_ms() - start;
    f->ok = p && d.nerrors == 0;
    if (f->ok) {
        const Trace *t = program_root(p)->trace;
        for_top(t, n)
            f->statements++;
        f->nodes = t->nnodes;
        f->stages = program_stage_count(p);
    } else {
        StrBuf said = {0};
        diag_render_all(&d, false, &said);
        snprintf(f->error, sizeof f->error, "%s", sb_cstr(&said));
        sb_free(&said);
    }
    diag_clear(&d);
}

/* Processor time of one thing in a child process, in a session with this folder of kernels. */
static double in_child(double (*measured)(Session *s, Diag *d), const char *folder)
{
    double *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *shared = -1;
    pid_t child = fork();
    if (child == 0) {
        ExecList executors;
        Diag d = {0};
        executors_default(&executors);
        Session *s = session_new(&executors);
        session_set_option(s, S("kernel.cache"), str_from(folder), &d);
        double ms = measured(s, &d);
        *shared = d.nerrors ? -1 : ms;
        session_free(s);
        diag_clear(&d);
        _exit(0);
    }
    wait4(child, NULL, 0, NULL);
    double ms = *shared;
    munmap(shared, sizeof *shared);
    return ms;
}

/* bind --random of 16.8 million elements of a parameter. */
static double draw_inputs(Session *s, Diag *d)
{
    session_load_text(s, S("inputs"), S("def f(w: \"bf16[4096, 4096]\"):\n    return (w + 1,)\n"),
                      (Str){0}, d);
    double start = processor_ms();
    program_bind_random(s, session_current(s), 1, d);
    return processor_ms() - start;
}

/* From a text to its result, on the executors of this machine. */
static double first_result(Session *s, Diag *d)
{
    StrBuf text = {0};
    Run run;
    double start = processor_ms();
    write_chain(200, &text);
    session_load_text(s, S("chain"), sb_str(&text), (Str){0}, d);
    Program *p = session_current(s);
    program_bind_random(s, p, 1, d);
    Stage *last = program_stage(s, p, program_stage_count(p) - 1, d);
    if (session_run(s, p, last, NULL, &run, d))
        run_free(&run);
    double ms = processor_ms() - start;
    sb_free(&text);
    return ms;
}

/* The best of a few, after one that compiles what there is to compile. */
static bool bench_once(const char *name, double (*measured)(Session *s, Diag *d), double limit_ms)
{
    char folder[] = "/tmp/thunder-bench-XXXXXX", remove[64];
    double best = -1;
    if (!mkdtemp(folder))
        return false;
    for (int i = 0; i < 5; i++) {
        double ms = in_child(measured, folder);
        if (i > 0 && ms >= 0 && (best < 0 || ms < best))
            best = ms;
    }
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    bool ok = system(remove) == 0 && best >= 0 && best < limit_ms;
    printf("%-24s %45.1f %26s\n", name, best, best < 0 ? "FAILED" : ok ? "ok" : "OVER ITS LIMIT");
    return ok;
}

/* Runs one case in a child process, so that its peak of memory is its own. */
static Figures run_case(Str text, bool training)
{
    Figures *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *shared = (Figures){.error = "the process ended early"};
    pid_t child = fork();
    if (child == 0) {
        ExecList executors;
        executors_default(&executors);
        Session *s = session_new(&executors);
        measure(s, text, training, shared);
        session_free(s);
        _exit(0);
    }
    struct rusage usage = {0};
    wait4(child, NULL, 0, &usage);
    Figures f = *shared;
    f.peak_mb = (double)usage.ru_maxrss / 1024;
    munmap(shared, sizeof *shared);
    return f;
}

/* The quickest of several runs: what the machine can do when nothing disturbs it. */
static Figures best_of(int times, Str text, bool training)
{
    Figures best = run_case(text, training);
    for (int i = 1; i < times && best.ok; i++) {
        Figures f = run_case(text, training);
        if (f.ok && f.load_ms + f.passes_ms < best.load_ms + best.passes_ms)
            best = f;
    }
    return best;
}

static bool report(const char *name, const Figures *f, double limit_ms)
{
    double total = f->load_ms + f->passes_ms;
    if (!f->ok) {
        printf("%-24s FAILED: %s\n", name, f->error);
        return false;
    }
    bool ok = (limit_ms <= 0 || total < limit_ms) && f->peak_mb < LARGE_MB;
    printf("%-24s %7u %7u %9.1f %9.1f %9.1f %8.2f %8.0f  %s\n", name, f->statements, f->nodes,
           f->load_ms, f->passes_ms, total, 1000 * total / f->statements, f->peak_mb,
           !ok ? "OVER ITS LIMIT" : limit_ms > 0 ? "ok" : "");
    return ok;
}

/* Time per statement: the worst size against the best. */
static bool report_flat(const char *name, const double per_statement[3])
{
    double low = per_statement[0], high = per_statement[0];
    for (int i = 1; i < 3; i++) {
        low = per_statement[i] < low ? per_statement[i] : low;
        high = per_statement[i] > high ? per_statement[i] : high;
    }
    bool ok = high <= FLAT * low;
    printf("%-24s time per statement within a factor of %.2f (limit %d)  %s\n", name, high / low,
           FLAT, ok ? "ok" : "NOT FLAT");
    return ok;
}

static bool bench_synthetic(const char *name, void (*write)(uint32_t n, StrBuf *out), bool training)
{
    static const uint32_t sizes[3] = {1000, 10000, 100000};
    static const int times[3] = {9, 5, 3};
    double per_statement[3];
    bool ok = true;
    for (int i = 0; i < 3; i++) {
        char title[64];
        StrBuf text = {0};
        write(sizes[i] / (training ? 2 : 1), &text);
        Figures f = best_of(times[i], sb_str(&text), training);
        snprintf(title, sizeof title, "%s of %u", name, sizes[i] / (training ? 2 : 1));
        ok &= report(title, &f, i == 2 ? LARGE_MS : 0);
        per_statement[i] = f.ok ? (f.load_ms + f.passes_ms) / f.statements : 1;
        sb_free(&text);
    }
    return report_flat(name, per_statement) && ok;
}

static bool bench_model(const char *name, const char *path, bool training)
{
    FILE *file = fopen(path, "rb");
    StrBuf text = {0};
    char block[1 << 16];
    if (!file) {
        printf("%-24s FAILED: cannot read %s\n", name, path);
        return false;
    }
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;)
        sb_add(&text, (Str){block, n});
    fclose(file);
    Figures f = best_of(9, sb_str(&text), training);
    sb_free(&text);
    return report(name, &f, training ? TRAINING_MS : MODEL_MS);
}

/* -------------------------------------------------------------------------------- the prompt */

/* Milliseconds from fork to the prompt; negative when none comes. */
static double prompt_ms(const char *program)
{
    int terminal;
    StrBuf seen = {0};
    double start = elapsed_ms();
    pid_t child = forkpty(&terminal, NULL, NULL, NULL);
    if (child == 0) {
        execl(program, program, "-n", (char *)NULL);
        _exit(127);
    }
    double ms = -1;
    struct pollfd wait = {.fd = terminal, .events = POLLIN};
    while (child > 0 && ms < 0 && poll(&wait, 1, 5000) > 0) {
        char block[4096];
        ssize_t n = read(terminal, block, sizeof block);
        if (n <= 0)
            break;
        sb_add(&seen, (Str){block, (size_t)n});
        if (strstr(sb_cstr(&seen), "(thunder)"))
            ms = elapsed_ms() - start;
    }
    if (ms >= 0 && write(terminal, "quit\n", 5) == 5) {
        char block[256];
        while (read(terminal, block, sizeof block) > 0)
            continue;
    }
    close(terminal);
    waitpid(child, NULL, 0);
    sb_free(&seen);
    return ms;
}

static bool bench_prompt(const char *program)
{
    double best = -1;
    for (int i = 0; i < 11; i++) {
        double ms = prompt_ms(program);
        if (ms >= 0 && (best < 0 || ms < best))
            best = ms;
    }
    bool ok = best >= 0 && best < PROMPT_MS;
    printf("%-24s %45.1f %26s\n", "start to prompt", best,
           best < 0 ? "NO PROMPT" : ok ? "ok" : "OVER ITS LIMIT");
    return ok;
}

int main(int argc, char **argv)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof one, &one);
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%-24s %7s %7s %9s %9s %9s %8s %8s\n", "case", "stmts", "nodes", "load ms",
           "passes ms", "total ms", "us/stmt", "peak MB");
    bool ok = true;
    if (argc > 2)
        ok &= bench_prompt(argv[2]);
    ok &= bench_once("inputs, 16.8 million", draw_inputs, INPUTS_MS);
    ok &= bench_once("first result, warm", first_result, FIRST_MS);
    if (argc > 1)
        ok &= bench_model("nanogpt 124M, forward", argv[1], false);
    if (argc > 3)
        ok &= bench_model("nanogpt 124M, training", argv[3], true);
    ok &= bench_synthetic("chain", write_chain, false);
    ok &= bench_synthetic("wide graph", write_wide, false);
    ok &= bench_synthetic("chain, training", write_chain, true);
    puts(ok ? "all figures within their limits" : "FAILED: a figure is over its limit");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
