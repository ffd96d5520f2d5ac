/*
 * script.h - Lua over a session: programs, nodes, values, passes.
 */
#ifndef THUNDER_SCRIPT_H
#define THUNDER_SCRIPT_H

#include "session.h"

typedef struct Script Script;

/* One interpreter for a session. emit receives what print writes (a view, valid in the call).
 * NULL when Lua was not built in; script_available says so beforehand. Free it before the session:
 * a pass that it defined fails from then on. */
Script *script_new(Session *s, void (*emit)(void *user, Str text), void *user);
void script_free(Script *sc);
bool script_available(void);
/* Runs a chunk; an expression's results are printed. Errors are diagnostics with script and
 * line. */
bool script_run(Script *sc, Str code, Str chunk_name, Diag *d);
bool script_run_file(Script *sc, const char *path, Diag *d);
/* Runs one REPL command for scripts: thunder.command("..."). Set by the REPL; gives the output. */
void script_set_command(Script *sc, bool (*fn)(void *user, Str line, StrBuf *out), void *user);
/* Whether code is unfinished (the prompt should ask for more). */
bool script_incomplete(Script *sc, Str code);

#endif
