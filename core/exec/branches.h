/*
 * branches.h - recorded work in the order that its memory asks for, and no other.
 *
 * Input: while a device records, the statements that are recorded and the memory that each touches.
 * Output: what each has to wait for: whoever wrote what it reads, and whoever read or wrote what it
 * writes. Addresses tell, so memory that the plan uses again is in order as well. What is left
 * without an order may run at the same time.
 */
#ifndef THUNDER_BRANCHES_H
#define THUNDER_BRANCHES_H

#include "device.h"

/* NULL when the driver of dev cannot record work out of order. */
Branches *branches_new(OpenDevice *dev);
void branches_free(Branches *b); /* NULL is allowed */
/* What is recorded until branches_end is one statement: it waits for what its memory asks for. Both
 * do nothing while dev records in order, or not at all. False: that, or a statement is open, which
 * what comes is a part of. */
bool branches_begin(OpenDevice *dev);
void branches_end(OpenDevice *dev);
/* Statements that need not wait for the one recorded before them; UINT32_MAX = something went wrong
 * on the way, or work was recorded outside of statements: it may lack an order. */
uint32_t branches_count(OpenDevice *dev);

#endif
