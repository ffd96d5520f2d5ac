/*
 * words.h - a line as typed, cut into command, words and redirection. Pure text, no session.
 */
#ifndef THUNDER_WORDS_H
#define THUNDER_WORDS_H

#include "arena.h"

typedef enum Redirect { REDIRECT_none, REDIRECT_file, REDIRECT_append, REDIRECT_pipe } Redirect;

typedef struct CommandLine {
    Str name;      /* "" for an empty line or a comment */
    uint8_t query; /* question marks after the name: step? is 1, step?? is 2 */
    Str rest;      /* after the name, trimmed, before redirection is taken off */
    Str *words;    /* arguments, quotes removed */
    bool *quoted;  /* whether word i was written in quotes: never an option */
    uint32_t n;
    Redirect redirect;
    Str target;        /* file name or shell command */
    const char *error; /* NULL, or what is wrong with the line */
} CommandLine;

/* The first word of a line, and what follows it. "!ls" is the command "!". */
Str line_name(Str line, uint8_t *query, Str *rest);
/* Words are separated by white space; quotes and brackets keep it: %t5[0, 1:3] is one word. A '#'
 * with white space on both sides (or at the start) begins a comment. '>', '>>' and '|' redirect
 * when they begin a word. With raw, rest is taken as it stands. Memory is a's. */
void line_split(Arena *a, Str line, bool raw, CommandLine *out);
/* w in quotes when it would not be read back as one plain word. */
void word_quote(Str w, StrBuf *out);

#endif
