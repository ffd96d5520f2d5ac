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

#if defined(THUNDER_HAVE_OPENMP) && defined(__linux__) && !defined(__clang__)
#include <limits.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Turns of the loop in which a thread of libgomp waits before it sleeps: some 10 to 50 us, longer
 * than what lies between two statements, shorter than a wake-up costs several times. */
#define SPINS "1000"

/* Returns where the user has said how threads wait, or it cannot be said. */
static void start_with_short_waits(char **argv)
{
    char path[PATH_MAX];
    if (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT"))
        return;
    bool by_loader = getauxval(AT_BASE) == 0; /* ld.so was given our name: it is the executable */
    ssize_t n = by_loader ? -1 : readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0 || setenv("GOMP_SPINCOUNT", SPINS, 1) != 0)
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

int main(int argc, char **argv)
{
    start_with_short_waits(argv);
    return repl_main(argc, argv);
}
