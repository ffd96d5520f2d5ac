/*
 * inject.h - places where a test build can plant a fault; see inject.def.
 *
 * In a release build INJECT is the constant false, and nothing of this exists. The program that the
 * tests use (thunder-repl-faults) is built from the same sources with THUNDER_INJECT; there one
 * fault is active at a time, for the whole process.
 */
#ifndef THUNDER_INJECT_H
#define THUNDER_INJECT_H

#ifdef THUNDER_INJECT
#include "diag.h"
#include "str.h"

typedef enum FaultId {
    FAULT_none,
#define FAULT(name, ...) FAULT_##name,
#include "inject.def"
#undef FAULT
    FAULT_COUNT,
} FaultId;

typedef struct FaultInfo {
    const char *name, *kind, *place, *rule, *site, *value, *setup, *arguments, *help;
} FaultInfo;

extern const FaultInfo fault_table[FAULT_COUNT]; /* row 0 is FAULT_none */

/* Whether this fault is active and acts at the value of this name. */
bool inject_here(FaultId fault, Str value);
/* "FAULT [%v]" or "off"; without a value the site of the table. "break LAW PASS N" breaks a law
 * (definition, producer, type, output) from application N of a pass on. false after an error. */
bool inject_set(Str words, Diag *d);
uint64_t inject_key(void); /* of what is active: stages made under another fault are others */

struct Trace;
void inject_swap(struct Trace *t, uint32_t node);     /* exchanges its first two operands */
void inject_truncate(struct Trace *t, uint32_t node); /* its first constant loses its fraction */
/* Breaks a law of ir.h in what a pass has made, where `set inject break` asks for it. */
struct PassCtx;
void inject_break(const struct PassCtx *c, struct Trace *made);
/* Spoils what the interpreter has just computed, where a fault of operators is active. */
struct ExecCall;
void inject_result(struct ExecCall *call);

#define INJECT(fault, value)  inject_here(FAULT_##fault, (value))
#define INJECT_RESULT(call)   inject_result(call)
#define INJECT_BREAK(c, made) inject_break(c, made)
#define INJECT_SWAP(fault, value, t, n)                                                            \
    (INJECT(fault, value) ? inject_swap((t), (n)) : (void)0)
#define INJECT_TRUNCATE(fault, value, t, n)                                                        \
    (INJECT(fault, value) ? inject_truncate((t), (n)) : (void)0)
#define INJECT_KEY            inject_key()
#else
/* sizeof: the name counts as used, and is not computed. */
#define INJECT(fault, value)                ((void)sizeof(value), false)
#define INJECT_RESULT(call)                 ((void)0)
#define INJECT_BREAK(c, made)               ((void)0)
#define INJECT_SWAP(fault, value, t, n)     ((void)sizeof(value))
#define INJECT_TRUNCATE(fault, value, t, n) ((void)sizeof(value))
#define INJECT_KEY                          0
#endif

#endif
