/*
 * editor.c - a text in the person's editor.
 *
 * Input: a text. Output: what the person made of it. The editor is the setting `editor`, which
 * $THUNDER_EDITOR, $VISUAL or $EDITOR give.
 */
#define _GNU_SOURCE
#include "output.h"
#include "pager.h"
#include "repl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool run_editor(Repl *r, const char *path)
{
    StrBuf command = {0};
    Str editor = setting_get(&r->settings, SET_editor);
    sb_printf(&command, "%.*s %s", STR(editor), path);
    out_flush(r);
    interrupt_hold(true);
    int status = shell_status(system(sb_cstr(&command)));
    interrupt_hold(false);
    sb_free(&command);
    if (status == 0)
        return true;
    fail_with(r, DIAG_usage, "editor", "the editor '%.*s' ended with status %d", STR(editor),
              status);
    fail_help(r, "set editor COMMAND");
    return false;
}

bool edit_text(Repl *r, const char *suffix, Str text, Str *edited)
{
    const char *tmp = getenv("TMPDIR");
    Str name = arena_printf(&r->scratch, "%s/thunder-edit-XXXXXX%s", tmp && *tmp ? tmp : "/tmp",
                            suffix);
    char *path = arena_copy(&r->scratch, name.p, name.n + 1);
    int fd = mkstemps(path, (int)strlen(suffix));
    if (fd < 0)
        return fail_with(r, DIAG_usage, "cannot-write", "cannot make a temporary file");
    close(fd);
    bool ok = write_file(r, str_from(path), text) && run_editor(r, path) &&
              read_file(r, str_from(path), edited);
    unlink(path);
    return ok;
}
