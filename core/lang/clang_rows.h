/*
 * clang_rows.h - the core language by name: its builders with signatures, for scripts and tests.
 */
#ifndef THUNDER_CLANG_ROWS_H
#define THUNDER_CLANG_ROWS_H

#include "ir.h"

typedef struct ClangRow {
    const char *name, *signature; /* see clang_signature */
    DecomposeFn *build;           /* of arguments in the order of the signature */
} ClangRow;

const ClangRow *clang_row(uint32_t i); /* NULL past the last */
const ClangRow *clang_find(Str name);  /* NULL when there is none */
const char *clang_signature(const ClangRow *row); /* text for signature_parse */

#endif
