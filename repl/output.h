/*
 * output.h - what commands print: data (standard output) and prose (standard error), in order.
 *
 * A command appends to the Output; when it ends, out_end sends the text where it belongs: terminal,
 * pager, file, pipe, or a string for scripts. Tables know all output modes, so a command describes
 * its rows once. Colour is decided when the command begins, by where its data goes.
 */
#ifndef THUNDER_OUTPUT_H
#define THUNDER_OUTPUT_H

#include "words.h"

typedef struct Repl Repl;

typedef enum OutputMode { MODE_table, MODE_plain, MODE_json, MODE_csv, MODE_dot } OutputMode;

enum { JSON_VERSION = 1 };

typedef enum Style {
    STYLE_none,
    STYLE_dim,
    STYLE_head,
    STYLE_op,
    STYLE_type,
    STYLE_value,
    STYLE_add,
    STYLE_del,
    STYLE_good,
    STYLE_warn,
    STYLE_error,
    STYLE_COUNT
} Style;

typedef struct Segment {
    size_t end; /* in text; it begins where the one before it ends */
    bool prose;
} Segment;

typedef struct Output {
    StrBuf text;
    Segment *segments;
    uint32_t n, cap;
    uint32_t base;     /* segments before it belong to an outer command that is redirected */
    Redirect redirect; /* of the command being run */
    OutputMode mode;
    bool colour, colour_prose; /* terminal sequences in data, in prose */
    bool tty_out, tty_err;
    bool wide;      /* -w: nothing is cut or wrapped */
    uint32_t width; /* columns for data; 0 = no limit */
    uint32_t prose_width;
    StrBuf *capture; /* data goes here instead; for scripts */
    uint32_t mute;   /* prose is dropped: commands that a command runs many times */
    StrBuf *prose_to; /* or goes here, while muted */
    int broken;      /* why standard output takes no more, as errno; EPIPE: nobody reads it */
} Output;

void out_init(Output *o);
void out_free(Output *o);
/* Decides colour and width for a command whose data is redirected like this. */
void out_begin(Repl *r, Redirect redirect);
/* A command inside a command (source, lua): what the outer one has printed so far is sent, or kept
 * apart when it is redirected. out_leave puts the outer command's form back. */
typedef struct OutputOuter {
    uint32_t base;
    Redirect redirect;
    bool wide;
} OutputOuter;
OutputOuter out_enter(Repl *r);
void out_leave(Repl *r, OutputOuter outer);
/* Sends what was collected; false and an error in r->diag when the target cannot be written. */
bool out_end(Repl *r, Redirect redirect, Str target);
void out_flush(Repl *r); /* sends what there is, without pager: before long work */
void out_add(Repl *r, bool prose, Str s);

void data(Repl *r, Str s);
void dataf(Repl *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
void sentence(Repl *r, const char *fmt, ...) PRINTF_LIKE(2, 3); /* dataf, wrapped on a screen */
void say(Repl *r, const char *fmt, ...) PRINTF_LIKE(2, 3); /* a line of prose */
const char *style(const Repl *r, Style s); /* the sequence that begins it; "" without colour */
const char *prose_style(const Repl *r, Style s);
/* Lines of text as data; in JSON an object a line, {"kind": kind, "text": line}. */
void data_lines(Repl *r, const char *kind, Str text);
/* Text refilled to the width, every line after the first indented by `hang`. */
void wrap_text(Str text, uint32_t width, uint32_t indent, uint32_t hang, StrBuf *out);
/* Appends text that starts at `column`, broken at spaces where it would pass width (0 = never);
 * continuation lines are indented by hang. Spaces stay as they are. Returns the column at the end.
 */
size_t wrap_line(Str s, size_t column, size_t width, size_t hang, StrBuf *out);
/* As data_lines, each line wrapped on a screen. */
void data_sentences(Repl *r, const char *kind, Str text);
void data_wrapped(Repl *r, uint32_t indent, Str text);

size_t display_width(Str s);              /* columns on a terminal, sequences not counted */
void put_json(Str s, StrBuf *out);

/* ------------------------------------------------------------------------------------- tables */

enum { MAX_COLUMNS = 24 };

typedef struct Table {
    Repl *r;
    const char *kind;
    Str columns[MAX_COLUMNS];
    bool number[MAX_COLUMNS];   /* right-aligned; a JSON number where the text is one */
    bool boolean[MAX_COLUMNS];  /* "yes"/"no", a JSON bool */
    bool keep_end[MAX_COLUMNS]; /* cut at the front: the end tells more */
    bool word[MAX_COLUMNS];     /* of a few words that are never cut */
    bool quiet[MAX_COLUMNS];    /* left out on a screen where every cell is 0 or empty */
    uint32_t ncolumns;
    bool record; /* one row, printed as "name  value" lines */
    Arena arena;
    Str *cells;
    uint8_t *styles;
    uint32_t n, cap;
} Table;

/* columns: "name,nodes#,on?,nan#~" - '#' marks numbers, '?' yes or no, '!' words that are never
 * cut, '<' text that is cut at the front, a last '~' what a screen shows only when some cell is not
 * 0 or no. kind names the JSON objects. */
Table table_begin(Repl *r, const char *kind, const char *columns);
Table record_begin(Repl *r, const char *kind, const char *columns);
void cell(Table *t, Style s, const char *fmt, ...)
    PRINTF_LIKE(3, 4); /* the next cell, row by row */
void cell_str(Table *t, Style s, Str text);
void table_end(Table *t);

#endif
