/*
 * shares.h - one piece of work, shared among threads that end with it.
 *
 * Threads of its own, not those of a pool: a pool in which a kernel crashed hangs. Starting them
 * costs tens of microseconds each, so whoever shares work has milliseconds of it.
 */
#ifndef THUNDER_SHARES_H
#define THUNDER_SHARES_H

#include <stddef.h>

/* Calls part(user, from, to) until all of 0 .. n is done, `each` or fewer at a time, from at most
 * as many threads as there are processors, the caller's among them. Returns when all is done. */
void share_work(size_t n, size_t each, void (*part)(void *user, size_t from, size_t to),
                void *user);

#endif
