/*
 * predicate.h - what bisect and minify share: how a person says what is good.
 */
#ifndef THUNDER_REPL_PREDICATE_H
#define THUNDER_REPL_PREDICATE_H

#include "repl.h"

typedef struct Check {
    Repl *r;
    Str command, lua; /* of --check and --lua; "" = the oracle */
    bool verbose;
    uint64_t probes;
} Check;

/* Reads --check, --lua, --against, --rtol, --atol; false after a usage error. c must live as long
 * as o. */
bool check_options(Repl *r, const Args *a, Check *c, JudgeOptions *o);

#endif
