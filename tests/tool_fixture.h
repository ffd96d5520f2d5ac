/*
 * tool_fixture.h - the program as scripts run it: commands in, both streams and the status out.
 *
 * Included by one test program each; what a program does not use is no warning.
 */
#ifndef THUNDER_TOOL_FIXTURE_H
#define THUNDER_TOOL_FIXTURE_H

#include "arena.h"
#include "support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];
static StrBuf out, err;
static Arena arena;

static void read_back(const char *name, StrBuf *b)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    sb_clear(b);
    sb_puts(b, "");
    add_file(path, b);
}

static void write_text(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, strlen(text), f), strlen(text));
    fclose(f);
}

/* Runs commands, a line each, in the source folder; $D in them is the test's own folder. Returns
 * the exit code; the streams are in out and err. */
static inline int run_tool(const char *commands, const char *how)
{
    StrBuf text = {0}, line = {0};
    for (const char *p = commands; *p; p++) {
        bool is_folder = p[0] == '$' && p[1] == 'D';
        if (is_folder)
            sb_puts(&text, folder);
        else
            sb_putc(&text, *p);
        p += is_folder;
    }
    write_text("commands", sb_cstr(&text));
    sb_printf(&line, "cd '%s' && '%s' --batch %s %s/commands >%s/out 2>%s/err", SOURCE_DIR,
              THUNDER_REPL, how, folder, folder, folder);
    int status = system(sb_cstr(&line));
    sb_free(&text);
    sb_free(&line);
    read_back("out", &out);
    read_back("err", &err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline int tool(const char *commands)
{
    return run_tool(commands, "</dev/null -x");
}

/* The same from a pipe, as typed: those of a file count as one command. Errors do not end it. */
static inline int typed(const char *commands)
{
    return run_tool(commands, "--keep-going <");
}

/* The end of a text: Check's messages are short. */
static inline const char *end_of(const StrBuf *b)
{
    enum { MOST = 1500 };
    return sb_cstr(b) + (b->n > MOST ? b->n - MOST : 0);
}

static inline void sees(const char *part)
{
    ck_assert_msg(strstr(sb_cstr(&out), part) != NULL, "\"%s\" is not in:\n%s\n%s", part,
                  end_of(&out), end_of(&err));
}

static inline void sees_not(const char *part)
{
    ck_assert_msg(strstr(sb_cstr(&out), part) == NULL, "\"%s\" is in:\n%s", part, end_of(&out));
}

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/check_tool.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("XDG_STATE_HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    unsetenv("COLUMNS");
}

static void teardown(void)
{
    char line[128];
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(line), 0);
    sb_free(&out);
    sb_free(&err);
    arena_free(&arena);
}

#endif
