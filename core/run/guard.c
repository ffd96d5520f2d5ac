/*
 * guard.c - launches from which a crash or an endless loop returns; see guard.h.
 *
 * A launch costs one sigsetjmp and two stores. A fault in the launching thread jumps back at once;
 * one in a thread of its pool stops that thread for good and signals the launching one, which
 * jumps. Time is counted by a timer that ticks while a run goes on. Threads that still run the code
 * of a kernel given up are stopped, too: what they know of cannot be freed, so it is leaked.
 *
 * Handlers get no argument, so which launch a thread is in is kept in a variable of that thread.
 * Those of faults run on a stack of their own, since the fault may be that a stack is full: each
 * thread that launches, and each of its pool, gets one before its first launch.
 */
#define _GNU_SOURCE
#include "guard.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef THUNDER_HAVE_OPENMP
#include <omp.h>
#endif

enum { TICKS_PER_SECOND = 10, FAULT_STACK = 1 << 16 };

struct Guard {
    sigjmp_buf env;
    volatile sig_atomic_t active;
    volatile sig_atomic_t ticks, limit; /* of the present launch; limit 0 = none */
    volatile sig_atomic_t fault;        /* the signal, in any thread of the launch */
    void *volatile address;
    pthread_t thread;
    timer_t timer;
    bool timed;
    Guard *outer; /* the run around this one */
};

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static struct sigaction old_actions[ARRAY_LEN(faults)];
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t installed;
static _Thread_local Guard *mine;   /* of the run that this thread is in */
static _Atomic(Guard *) launching;  /* of the latest launch: whose a fault in a pool's thread is */
static _Atomic(const void *) doomed; /* base of the code whose threads are to stop */

static _Thread_local int guarded_team; /* threads of this one's pool that have fault stacks */
static pthread_key_t fault_stack;      /* of each thread; freed when it ends */
static pthread_once_t fault_stack_once = PTHREAD_ONCE_INIT;

static int tick_signal(void)
{
    return SIGRTMIN + 6;
}

static int stop_signal(void)
{
    return SIGRTMIN + 7;
}

static void stop_for_good(void)
{
    for (;;)
        pause();
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    Guard *g = mine && mine->active ? mine : NULL;
    Guard *of = g ? g : mine ? NULL : atomic_load(&launching);
    (void)context;
    if (of && of->active) {
        of->fault = sig;
        of->address = info->si_addr;
        if (g)
            siglongjmp(g->env, 1);
        pthread_kill(of->thread, tick_signal());
        stop_for_good();
    }
    for (size_t i = 0; i < ARRAY_LEN(faults); i++) /* not ours: as if we were not there */
        if (faults[i] == sig)
            sigaction(sig, &old_actions[i], NULL);
    if (info->si_code <= 0) /* sent, not met: it would not come again by itself */
        raise(sig);
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
    Guard *g = mine;
    (void)sig;
    (void)context;
    if (!g || !g->active)
        return;
    if (info->si_code == SI_TIMER)
        g->ticks++;
    if (g->fault || (g->limit && g->ticks > g->limit))
        siglongjmp(g->env, 1);
}

/* Threads that are in doomed code stop; for others nothing happened. */
static void on_stop(int sig, siginfo_t *info, void *context)
{
    Dl_info at;
    const void *pc = NULL;
    (void)sig;
    (void)info;
#ifdef __x86_64__
    pc = (const void *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    pc = (const void *)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
#endif
    if (pc && dladdr(pc, &at) && at.dli_fbase == atomic_load(&doomed))
        stop_for_good();
}

static void handle(int sig, void (*fn)(int, siginfo_t *, void *), struct sigaction *old)
{
    struct sigaction a = {.sa_sigaction = fn, .sa_flags = SA_SIGINFO | SA_NODEFER};
    bool fault = sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL;
    a.sa_flags |= fault ? SA_ONSTACK : SA_RESTART;
    sigemptyset(&a.sa_mask);
    sigaction(sig, &a, old);
}

void guards_install(void)
{
    pthread_mutex_lock(&install_lock);
    if (installed++ == 0) {
        for (size_t i = 0; i < ARRAY_LEN(faults); i++)
            handle(faults[i], on_fault, &old_actions[i]);
        handle(tick_signal(), on_tick, NULL);
        handle(stop_signal(), on_stop, NULL);
    }
    pthread_mutex_unlock(&install_lock);
}

/* The two signals that we send stay handled: one may still be on its way. */
void guards_remove(void)
{
    pthread_mutex_lock(&install_lock);
    if (--installed == 0)
        for (size_t i = 0; i < ARRAY_LEN(faults); i++)
            sigaction(faults[i], &old_actions[i], NULL);
    pthread_mutex_unlock(&install_lock);
}

/* --------------------------------------------------------------------------------- fault stacks */

static void drop_fault_stack(void *memory)
{
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    free(memory);
}

static void make_fault_stack_key(void)
{
    pthread_key_create(&fault_stack, drop_fault_stack);
}

/* For the calling thread, unless somebody gave it one. */
static void take_fault_stack(void)
{
    stack_t now;
    if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE))
        return;
    void *memory = malloc(FAULT_STACK);
    if (!memory)
        return;
    pthread_setspecific(fault_stack, memory);
    sigaltstack(&(stack_t){.ss_sp = memory, .ss_size = FAULT_STACK}, NULL);
}

/* The threads that kernels use are those of one pool, which stays as long as this thread. */
static void take_fault_stacks(void)
{
    pthread_once(&fault_stack_once, make_fault_stack_key);
    int team = 1;
#ifdef THUNDER_HAVE_OPENMP
    team = omp_get_max_threads();
#endif
    if (team <= guarded_team)
        return;
#ifdef THUNDER_HAVE_OPENMP
#pragma omp parallel num_threads(team)
    take_fault_stack();
#else
    take_fault_stack();
#endif
    guarded_team = team;
}

/* ----------------------------------------------------------------------------------------- runs */

static void make_timer(Guard *g)
{
    struct sigevent to = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = tick_signal()};
    to._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    g->timed = timer_create(CLOCK_MONOTONIC, &to, &g->timer) == 0;
}

static void set_timer(const Guard *g, long ns)
{
    const struct itimerspec every = {{0, ns}, {0, ns}};
    if (g->timed)
        timer_settime(g->timer, 0, &every, NULL);
}

Guard *guard_new(double limit)
{
    Guard *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->thread = pthread_self();
    g->limit = limit > 0 ? (sig_atomic_t)(limit * TICKS_PER_SECOND) + 1 : 0;
    if (g->limit)
        make_timer(g);
    return g;
}

void guard_enter(Guard *g)
{
    if (!g)
        return;
    take_fault_stacks();
    g->outer = mine;
    mine = g;
    set_timer(g, 1000000000 / TICKS_PER_SECOND);
}

void guard_leave(Guard *g)
{
    if (!g)
        return;
    set_timer(g, 0);
    mine = g->outer;
}

void guard_free(Guard *g)
{
    if (!g)
        return;
    if (g->timed)
        timer_delete(g->timer);
    Guard *was = g;
    atomic_compare_exchange_strong(&launching, &was, NULL);
    free(g);
}

/* ------------------------------------------------------------------------------------- launches */

/* Every other thread of this process that runs code of this kernel stops. */
static void stop_threads(const Kernel *k)
{
    Dl_info info;
    DIR *dir = k->code && dladdr(k->code, &info) ? opendir("/proc/self/task") : NULL;
    long self = syscall(SYS_gettid);
    if (!dir)
        return;
    atomic_store(&doomed, info.dli_fbase);
    for (struct dirent *e; (e = readdir(dir));) {
        long tid = strtol(e->d_name, NULL, 10);
        if (tid > 0 && tid != self)
            syscall(SYS_tgkill, getpid(), tid, stop_signal());
    }
    closedir(dir);
    const struct timespec moment = {.tv_nsec = 20000000};
    nanosleep(&moment, NULL);
}

static void tell_crash(const Guard *g, const Kernel *k, Diag *d)
{
    DiagItem *item;
    if (g->fault)
        item = diag_error(d, DIAG_compile, (Span){0}, "kernel-crash",
                          "kernel %.*s crashed: %s at address %p", STR(k->name),
                          strsignal(g->fault), g->address);
    else
        item = diag_error(d, DIAG_compile, (Span){0}, "kernel-timeout",
                          "kernel %.*s did not end in %d seconds", STR(k->name),
                          (int)(g->limit / TICKS_PER_SECOND));
    StrBuf help = {0};
    if (g->fault)
        sb_printf(&help, "kernel %.*s, or executor off %s", STR(k->name), k->executor->name);
    else
        sb_printf(&help, "set kernel.timeout SECONDS, or kernel %.*s", STR(k->name));
    diag_help(d, item, "%s", sb_cstr(&help));
    sb_free(&help);
}

/* What threads of the kernel may still touch is never freed. */
static void leak_tensors(const ExecCall *call)
{
    const Node *node = &call->t->nodes[call->node];
    ValueId values[64];
    Arg all[2] = {{.kind = ARG_tuple, .n = node->nargs, .items = node->args}, node->out};
    for (int i = 0; i < 2; i++) {
        uint32_t n = arg_values(all[i], values, ARRAY_LEN(values));
        for (uint32_t k = 0; k < n && k < ARRAY_LEN(values); k++)
            if (call->values[values[k]])
                tensor_ref(call->values[values[k]]);
    }
}

GuardResult guard_launch(Guard *g, Kernel *k, ExecCall *call)
{
    if (!g)
        return k->executor->launch(k, call) ? GUARD_good : GUARD_failed;
    g->ticks = 0;
    g->fault = 0;
    if (sigsetjmp(g->env, 0) == 0) {
        atomic_store_explicit(&launching, g, memory_order_relaxed);
        g->active = 1;
        bool good = k->executor->launch(k, call);
        g->active = 0;
        return good ? GUARD_good : GUARD_failed;
    }
    g->active = 0;
    stop_threads(k);
    leak_tensors(call);
    tell_crash(g, k, call->diag);
    return GUARD_crashed;
}
