/*
 * front.h - reading programs from text, writing traces as text, and safetensors files.
 *
 * One parser reads Thunder's trace text and PyTorch's graph text. It works in two steps:
 * front_parse finds the functions in a text and keeps their syntax trees; front_acquire turns one
 * into a trace, given values for its symbolic sizes. Acquiring again with other sizes is cheap.
 */
#ifndef THUNDER_FRONT_H
#define THUNDER_FRONT_H

#include "ir.h"

typedef struct FrontFile FrontFile;
typedef struct FrontFunction FrontFunction;

/* Parses text (kept: src must outlive the result). Errors go to d, as many as there are; the
 * functions that could be parsed are still there. Never NULL. */
FrontFile *front_parse(const Source *src, Diag *d);
enum { FRONT_MOST_BYTES = 1 << 30 }; /* of a text that it takes */
void front_free(FrontFile *f);
uint32_t front_count(const FrontFile *f);
const FrontFunction *front_function(const FrontFile *f, uint32_t i);
Str front_name(const FrontFunction *fn); /* "forward", "computation", "case3" */
Span front_span(const FrontFunction *fn);
/* Symbolic sizes of the signature (s33, s77), in order; n of them. */
const Str *front_symbols(const FrontFunction *fn, uint32_t *n);
/* The shape of parameter i as written, with symbols; used to bind symbols from given tensors.
 * Returns false when the text gives no shape. Entry k is a number, or symbol sym[k] when dims[k]
 * is -1 (a bare symbol) or -2 (an expression). */
bool front_param_shape(const FrontFunction *fn, uint32_t i, Str *name, uint32_t *rank,
                       int64_t dims[MAX_RANK], Str sym[MAX_RANK]);

typedef struct SymbolValue {
    Str name;
    int64_t value;
} SymbolValue;

/* Counts of what a program uses, filled by front_acquire when asked for: also for operators that
 * are unknown, so that examine can list them. Loading goes on after an error. */
typedef struct OpUse {
    Str written;  /* spelling in the program */
    const Op *op; /* NULL = unknown */
    uint32_t count;
    Span first;
} OpUse;
typedef struct OpUses {
    Arena arena;
    OpUse *items;
    uint32_t n, cap;
} OpUses;

/* The program as a finished trace, stage 0; NULL when there were errors (all of them are in d).
 * Type annotations are checked against what the operators give. uses may be NULL. */
Trace *front_acquire(const FrontFunction *fn, const Registry *reg, const SymbolValue *symbols,
                     uint32_t nsymbols, OpUses *uses, Diag *d);
/* The same, with data to ask for sizes that depend on it (see build_data_int). */
Trace *front_acquire_data(const FrontFunction *fn, const Registry *reg, const SymbolValue *symbols,
                          uint32_t nsymbols, DataFn *data, void *data_user, OpUses *uses, Diag *d);
void op_uses_free(OpUses *u);

/* Parses one expression over the values of an unfinished trace and builds it: the prompt, fold
 * rules and scripts use this. Names are looked up in t; the result may be a literal. */
Arg front_expression(Build *b, const Source *src, const Str *names, const Arg *values,
                     uint32_t nnames);

typedef struct PrintOptions {
    int depth;       /* levels of sub-nodes: 0 = none, -1 = all */
    bool header;     /* "# Constructed by ...", imports, decorators; kernels have their members
                      * whatever the depth, so that the text can be read back */
    bool locations;  /* source location comments */
    bool types;      /* trailing type comments */
    NodeId from, to; /* only these top-level nodes; to 0 = to the end */
} PrintOptions;
/* everything, all depths: what parses back to an equal trace */
extern const PrintOptions print_all;

/* The trace as text in Thunder's form. */
void trace_print(const Trace *t, const PrintOptions *o, StrBuf *out);
/* One node, without indentation, its sub-nodes as comment lines below; no line break at the end. */
void node_print(const Trace *t, NodeId n, const PrintOptions *o, StrBuf *out);
void arg_print(const Trace *t, Arg a, StrBuf *out); /* as Thunder prints values */

/* ------------------------------------------------------------------------------- safetensors */

typedef struct TensorView {
    Str name;
    DType dtype;
    uint32_t rank;
    const int64_t *shape;
    const void *data; /* not necessarily aligned */
    size_t bytes;
} TensorView;

typedef struct SafeTensors {
    Arena arena;
    const TensorView *items; /* in order of the header */
    uint32_t n;
    Map by_name;   /* -> const TensorView * */
    void *mapping; /* of the file; NULL when parsed from memory */
    size_t mapping_bytes;
} SafeTensors;

/* Every offset, size and shape is checked against the file before use; false and a diagnostic for
 * anything malformed (never a crash). Names and data stay valid until safetensors_close. */
bool safetensors_open(SafeTensors *st, const char *path, Diag *d);
bool safetensors_parse(SafeTensors *st, const void *bytes, size_t n, Str file_name, Diag *d);
void safetensors_close(SafeTensors *st);
const TensorView *safetensors_find(const SafeTensors *st, Str name);
bool safetensors_write(const char *path, const TensorView *items, uint32_t n, Diag *d);

#endif
