/* examine.h - what examine finds out, and the three forms in which it is written. */
#ifndef THUNDER_EXAMINE_H
#define THUNDER_EXAMINE_H

#include "run.h"

/* One spelling of an operator, over all functions of the report. */
typedef struct FoundOp {
    Str written, file;
    const Op *op;  /* NULL = not supported */
    Str nearest;   /* supported spelling near to it; "" = none */
    uint32_t takers; /* bit i: executor i of the session's list takes it, whole or in pieces */
    uint64_t count;
    uint32_t line; /* of its first use */
} FoundOp;

typedef struct FoundFile {
    Str path, error; /* error: the first one, with its place; "" = none */
    uint32_t functions, loaded, compiled; /* compiled: went through all passes */
    uint64_t uses, supported;             /* calls of operators */
    uint64_t statements, unclaimed;       /* after claim */
    uint64_t claims[MAX_EXECUTORS];       /* by number in the session's list */
    uint64_t prims, could[MAX_EXECUTORS]; /* those that fusion executors not in use could take */
    Cost cost;                            /* sums; peak is the largest */
} FoundFile;

typedef struct Report {
    Arena arena;
    const Session *s;
    FoundFile *files;
    uint32_t nfiles;
    FoundOp *ops; /* unsupported ones first, then by count */
    uint32_t nops;
    FoundFile total;
} Report;

void report_text(const Report *r, StrBuf *out);
void report_json(const Report *r, StrBuf *out); /* one object a line */
void report_html(const Report *r, StrBuf *out); /* one page without anything outside of it */

#endif
