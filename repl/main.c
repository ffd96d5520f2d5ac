/*
 * main.c - the entry point; everything but how threads wait is in the library, so that tests can
 * link it.
 *
 * Threads of OpenMP spin while they wait, for milliseconds, unless the environment says how long.
 * Where other work has the cores, each then burns the time of the one that it waits for: small
 * programs took up to 500 times as long. libgomp reads the environment in its constructor, which
 * runs before main, and what a constructor of ours or .preinit_array adds to the environment is
 * lost: the C library sets it back to what the process was started with. So the program starts
 * itself once more with the count that it wants, which costs 3 ms, before anything is done.
 */
#define _GNU_SOURCE
#include "repl.h"

#include <fcntl.h>
#include <unistd.h>

#if defined(THUNDER_HAVE_OPENMP) && defined(__x86_64__) && defined(__linux__) && !defined(__clang__)
#include <immintrin.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

/* How long a thread spins before it sleeps, for each processor: with more of them a wake-up takes
 * longer, and so does waiting for the last of equal parts. docs/performance-log.md says what was
 * measured. */
enum { SPIN_NS = 50000, MOST_NS = 500000 };

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Turns of libgomp's loop that take so long: a processor's pause is 10 to 70 ns. */
static uint64_t turns_of(uint64_t ns)
{
    enum { TURNS = 128, TRIES = 8 };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t start = now_ns();
        for (int k = 0; k < TURNS; k++)
            _mm_pause();
        uint64_t took = now_ns() - start + 1;
        least = took < least ? took : least;
    }
    return ns * TURNS / least + 1;
}

/* Returns where the user has said how threads wait, or it cannot be said. */
static void start_with_short_waits(char **argv)
{
    char path[PATH_MAX], count[32];
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (cpus < 2 || getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT"))
        return;
    bool by_loader = getauxval(AT_BASE) == 0; /* ld.so was given our name: it is the executable */
    ssize_t n = by_loader ? -1 : readlink("/proc/self/exe", path, sizeof path - 1);
    uint64_t ns = (uint64_t)cpus * SPIN_NS;
    snprintf(count, sizeof count, "%llu",
             (unsigned long long)turns_of(ns < MOST_NS ? ns : MOST_NS));
    if (n <= 0 || setenv("GOMP_SPINCOUNT", count, 1) != 0)
        return;
    path[n] = '\0';
    execv(path, argv);
}
#else
static void start_with_short_waits(char **argv)
{
    (void)argv;
}
#endif

/* Else a file that is opened later would take the place of a stream that is closed, and get what
 * is written there. */
static void open_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            _exit(DIAG_usage);
}

int main(int argc, char **argv)
{
    open_standard_streams();
    start_with_short_waits(argv);
    return repl_main(argc, argv);
}
