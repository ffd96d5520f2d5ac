/*
 * options.h - the command line of thunder-repl. Reads argv only: no environment, no files.
 */
#ifndef THUNDER_OPTIONS_H
#define THUNDER_OPTIONS_H

#include "arena.h"

typedef enum ActionKind { ACTION_load, ACTION_execute, ACTION_script } ActionKind;

typedef struct Action { /* FILE, -e CMD, -x FILE, in the order given */
    ActionKind kind;
    Str text;
} Action;

typedef struct Options {
    Action *actions;
    uint32_t nactions;
    bool batch, keep_going, json, quiet, no_init, yes, manual, version, help;
    Str color; /* "" when not given */
    Str error; /* what is wrong with the command line; "" = nothing */
    Str hint;  /* what to write instead; "" = nothing known */
} Options;

/* Also fills out->error; memory is a's, texts are argv's. */
void options_parse(int argc, char **argv, Arena *a, Options *out);
void options_usage(StrBuf *out);

#endif
