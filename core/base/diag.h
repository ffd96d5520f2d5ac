/*
 * diag.h - errors as values with a place.
 *
 * Whatever can fail for a reason outside the program takes a Diag and appends items to it: what
 * happened, where (a span of a source text, or a stage and op), an optional note and the command
 * that helps. Nothing here prints; diag_render writes an item as text with excerpt and caret.
 * Three kinds are never mixed: a user's mistake and the world (file, driver, compiler) are items;
 * a bug of ours is an assert.
 */
#ifndef THUNDER_DIAG_H
#define THUNDER_DIAG_H

#include "arena.h"

/* A text that spans point into. Owned by whoever loaded it; must outlive every span into it. */
typedef struct Source {
    Str name; /* file name or <command>, as shown to people */
    Str text;
} Source;

typedef struct Span {
    const Source *src; /* NULL = nowhere */
    uint32_t off, len; /* bytes */
} Span;

typedef struct Place {
    uint32_t line, col; /* from 1; columns count characters (UTF-8 code points) */
    Str line_text;      /* without the line break */
} Place;

Place span_place(Span s);
Span span_join(Span a, Span b); /* the smallest span that covers both; either may be nowhere */

typedef enum Severity { SEV_note, SEV_warning, SEV_error } Severity;

/* The family of an error decides the exit code in batch mode. */
typedef enum DiagKind {
    DIAG_check = 1,   /* a check failed: mismatch, NaN, failed case */
    DIAG_usage = 2,   /* unknown command, wrong arguments */
    DIAG_load = 3,    /* a program, tensor file or script cannot be loaded */
    DIAG_compile = 4, /* a pass, compiler or kernel failed */
    DIAG_device = 5,  /* no suitable device */
    DIAG_timeout = 124,
    DIAG_interrupt = 130,
} DiagKind;

typedef struct DiagItem {
    struct DiagItem *next;
    Severity severity;
    DiagKind kind;
    const char *code; /* stable, e.g. "unknown-op" */
    Str message;
    Span span;
    Str where; /* stage and op, when there is no source text */
    Str note;  /* "" = none */
    Str help;  /* what to type next; "" = none */
} DiagItem;

typedef struct Diag {
    Arena arena;
    DiagItem *first, *last;
    uint32_t nerrors, nitems;
    uint32_t limit; /* items kept, 0 = 100; further ones only counted */
} Diag;

/* Appends an item and returns it (never NULL), to attach where, note or help. */
DiagItem *diag_add(Diag *d, Severity sev, DiagKind kind, Span at, const char *code,
                   const char *fmt, ...) PRINTF_LIKE(6, 7);
DiagItem *diag_vadd(Diag *d, Severity sev, DiagKind kind, Span at, const char *code,
                    const char *fmt, va_list ap);
void diag_where(Diag *d, DiagItem *item, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_note(Diag *d, DiagItem *item, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_help(Diag *d, DiagItem *item, const char *fmt, ...) PRINTF_LIKE(3, 4);
void diag_clear(Diag *d); /* forgets all items; also the way to free a Diag */
void diag_move(Diag *to, Diag *from); /* copies the items over (deep) and clears from */

#define diag_error(d, kind, at, code, ...) \
    diag_add((d), SEV_error, (kind), (at), (code), __VA_ARGS__)

/* "error: WHAT", the place, the line with a caret, note and help. Colour is ANSI when on. */
void diag_render(const DiagItem *item, bool colour, StrBuf *out);
void diag_render_all(const Diag *d, bool colour, StrBuf *out);

/* Candidate nearest to word by edit distance (at most a third of its length, one letter shared),
 * for "did you mean". next(state, &candidate) yields candidates until it returns false. Empty
 * Str when none is near. */
Str nearest(Str word, bool (*next)(void *state, Str *candidate), void *state);

#endif
