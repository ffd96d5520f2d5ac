/*
 * guard.h - a kernel that crashes or never ends does not take the session.
 *
 * Input: launches of compiled code. Output: the same, or an error that names the kernel. Generated
 * code runs in this process between two marks; a signal handler jumps back to the first one. Edited
 * code may do worse than crash, so it runs in a child process (isolate).
 */
#ifndef THUNDER_GUARD_H
#define THUNDER_GUARD_H

#include "session.h"

/* Signal handlers are one for a process, so they are counted: in force while any session has
 * kernels. */
void guards_install(void);
void guards_remove(void);

typedef struct Guard Guard;

/* For launches of the calling thread; limit in seconds for each launch, 0 = none. NULL: nothing is
 * guarded (no memory). */
Guard *guard_new(double limit);
void guard_free(Guard *g); /* NULL is allowed, here and below */
/* Around a run: only between these does its time count. */
void guard_enter(Guard *g);
void guard_leave(Guard *g);

typedef enum GuardResult { GUARD_good, GUARD_failed, GUARD_crashed } GuardResult;

/* Launches k. GUARD_failed: the kernel itself gave an error. GUARD_crashed: it was given up, there
 * is an error in call->diag, and its threads may still hold on to its tensors and to the thread
 * pool of this thread: neither may be used again. */
GuardResult guard_launch(Guard *g, Kernel *k, ExecCall *call);

/* Launches k in a child process, `times` times, with results in memory that both see; they are in
 * call->values afterwards. best_ms may be NULL. The same results as above, but a crash leaves
 * nothing behind. */
GuardResult isolated_launch(Kernel *k, ExecCall *call, double limit, uint32_t times,
                            double *best_ms);

#endif
