/*
 * isolate.c - a launch in a process of its own; see guard.h.
 *
 * The child is a copy of this process, so it has the inputs; its results and what it says lie in
 * memory that both share. It launches from a new thread, since the threads of a pool do not come
 * along, and a thread's pool is its own.
 */
#define _GNU_SOURCE
#include "guard.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the child tells, at the start of the shared memory. */
typedef struct Told {
    volatile int good;
    double best_ms;
    char code[40], message[400]; /* of the kernel's own error */
} Told;

enum { ALIGNED = 64 };

static size_t aligned(size_t n)
{
    return (n + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* The shared memory, freed with the last result in it. */
typedef struct Shared {
    int refs;
    void *at;
    size_t bytes;
} Shared;

static void shared_unref(Shared *m)
{
    if (--m->refs > 0)
        return;
    munmap(m->at, m->bytes);
    free(m);
}

static void release(Buffer *b)
{
    shared_unref(b->owner);
}

static Shared *shared_new(size_t bytes)
{
    Shared *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    *m = (Shared){1, NULL, bytes};
    m->at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (m->at != MAP_FAILED)
        return m;
    free(m);
    return NULL;
}

static Tensor *shared_tensor(Shared *m, size_t at, const Type *type)
{
    Buffer *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    *b = (Buffer){.refs = 1, .bytes = (size_t)type_bytes(type), .data = (char *)m->at + at};
    b->release = release;
    b->owner = m;
    m->refs++;
    Tensor *t = tensor_over(b, (DType)type->dtype, type->device, type->rank, type->shape, 0);
    buffer_unref(b);
    return t;
}

/* Places for the results of the node; false when there is no memory. */
static Shared *share_results(ExecCall *call)
{
    ValueId outs[MAX_OUTPUTS];
    uint32_t n = arg_values(call->t->nodes[call->node].out, outs, MAX_OUTPUTS);
    size_t bytes = aligned(sizeof(Told));
    n = n < MAX_OUTPUTS ? n : MAX_OUTPUTS;
    for (uint32_t i = 0; i < n; i++)
        bytes += aligned((size_t)type_bytes(&call->t->values[outs[i]].type));
    Shared *m = shared_new(bytes);
    bytes = aligned(sizeof(Told));
    for (uint32_t i = 0; i < n && m; i++) {
        const Type *type = &call->t->values[outs[i]].type;
        tensor_unref(call->values[outs[i]]);
        call->values[outs[i]] = shared_tensor(m, bytes, type);
        bytes += aligned((size_t)type_bytes(type));
    }
    return m;
}

/* ------------------------------------------------------------------------------------ the child */

typedef struct Work {
    Kernel *k;
    ExecCall *call;
    uint32_t times;
    Told *told;
} Work;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void *work(void *user)
{
    Work *w = user;
    Diag d = {0};
    w->call->diag = &d;
    bool good = true;
    for (uint32_t i = 0; i < w->times && good; i++) {
        double start = now_ms();
        good = w->k->executor->launch(w->k, w->call);
        double ms = now_ms() - start;
        w->told->best_ms = i == 0 || ms < w->told->best_ms ? ms : w->told->best_ms;
    }
    if (d.first) {
        strncpy(w->told->code, d.first->code, sizeof w->told->code - 1);
        size_t n = d.first->message.n;
        n = n < sizeof w->told->message ? n : sizeof w->told->message - 1;
        memcpy(w->told->message, d.first->message.p, n);
    }
    w->told->good = good;
    return NULL;
}

static void child(Work *w)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    pthread_t thread;
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        signal(signals[i], SIG_DFL);
    signal(SIGINT, SIG_IGN); /* the parent decides */
    if (pthread_create(&thread, NULL, work, w) == 0)
        pthread_join(thread, NULL);
    _exit(0);
}

/* ----------------------------------------------------------------------------------- the parent */

/* Waits for the child; kills it when its time is up or the person wants to stop. */
static int wait_for(pid_t pid, double limit, const volatile int *interrupt, bool *late)
{
    int status = 0;
    double end = now_ms() + limit * 1e3;
    const struct timespec moment = {.tv_nsec = 200000};
    for (;;) {
        pid_t done = waitpid(pid, &status, WNOHANG);
        if (done == pid || (done < 0 && errno != EINTR))
            return status;
        *late = limit > 0 && now_ms() > end;
        if (*late || (interrupt && *interrupt)) {
            kill(pid, SIGKILL);
            while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
            return status;
        }
        nanosleep(&moment, NULL);
    }
}

static GuardResult judge(const Kernel *k, const Told *told, int status, bool late, double limit,
                         Diag *d)
{
    DiagItem *item;
    if (!late && WIFEXITED(status) && told->good)
        return GUARD_good;
    if (late) {
        item = diag_error(d, DIAG_compile, (Span){0}, "kernel-timeout",
                          "kernel %.*s did not end in %g seconds", STR(k->name), limit);
        diag_help(d, item, "set kernel.timeout SECONDS");
        return GUARD_crashed;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) {
        item = diag_error(d, DIAG_compile, (Span){0}, "kernel-crash",
                          "kernel %.*s crashed in its own process: %s", STR(k->name),
                          strsignal(WTERMSIG(status)));
        diag_help(d, item, "kernel NAME edit, or kernel NAME --revert");
        return GUARD_crashed;
    }
    if (told->message[0])
        diag_error(d, DIAG_compile, (Span){0}, "kernel-error", "%s", told->message);
    else if (WIFEXITED(status)) {
        item = diag_error(d, DIAG_compile, (Span){0}, "kernel-crash",
                          "kernel %.*s ended its process (exit code %d)", STR(k->name),
                          WEXITSTATUS(status));
        diag_help(d, item, "kernel NAME edit, or kernel NAME --revert");
        return GUARD_crashed;
    }
    return GUARD_failed;
}

GuardResult isolated_launch(Kernel *k, ExecCall *call, double limit, uint32_t times,
                            double *best_ms)
{
    Shared *m = share_results(call);
    bool late = false;
    if (!m) {
        diag_error(call->diag, DIAG_compile, (Span){0}, "out-of-memory",
                   "no memory for the results of kernel %.*s", STR(k->name));
        return GUARD_failed;
    }
    Told *told = m->at;
    Work w = {k, call, times, told};
    pid_t pid = fork();
    if (pid == 0)
        child(&w);
    GuardResult r = GUARD_failed;
    if (pid < 0) {
        diag_error(call->diag, DIAG_compile, (Span){0}, "no-process",
                   "no process for kernel %.*s: %s", STR(k->name), strerror(errno));
    } else {
        int status = wait_for(pid, limit, call->interrupt, &late);
        r = judge(k, told, status, late, limit, call->diag);
    }
    if (best_ms)
        *best_ms = told->best_ms;
    shared_unref(m);
    return r;
}
