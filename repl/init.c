/*
 * init.c - files outside of the session: init files and trust, XDG folders, reading and writing.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "repl.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -------------------------------------------------------------------------------------- files */

/* A pipe or a device may have no end. */
static bool read_stream(FILE *f, bool is_regular, StrBuf *out)
{
    enum { MOST = 64 << 20 };
    char chunk[65536];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0) {
        sb_add(out, (Str){chunk, n});
        if (is_regular || out->n <= MOST)
            continue;
        errno = EFBIG;
        return false;
    }
    return !ferror(f);
}

bool read_file(Repl *r, Str path, Str *out)
{
    Str name = arena_str(&r->scratch, path);
    bool is_stdin = str_is(path, "-");
    struct stat st;
    FILE *f = is_stdin ? stdin : fopen(name.p, "rb");
    bool known = f && fstat(fileno(f), &st) == 0;
    if (known && !is_stdin && S_ISDIR(st.st_mode)) {
        fclose(f);
        f = NULL;
        errno = EISDIR;
    }
    if (!f)
        return file_failed(r, "read", name, errno);
    StrBuf b = {0};
    bool ok = read_stream(f, known && S_ISREG(st.st_mode), &b);
    int why = errno;
    if (!is_stdin)
        fclose(f);
    *out = arena_str(&r->scratch, sb_str(&b));
    sb_free(&b);
    return ok || file_failed(r, "read", name, why);
}

bool write_file(Repl *r, Str path, Str text)
{
    Str name = arena_str(&r->scratch, path);
    FILE *f = fopen(name.p, "wb");
    if (f) {
        size_t n = text.n ? fwrite(text.p, 1, text.n, f) : 0;
        if (fclose(f) == 0 && n == text.n)
            return true;
    }
    return file_failed(r, "write", name, errno);
}

static void make_folders(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
}

Str xdg_path(const char *variable, const char *fallback, const char *name, bool make, Arena *a)
{
    const char *base = getenv(variable), *home = getenv("HOME");
    Str path;
    if (base && base[0] == '/')
        path = arena_printf(a, "%s/thunder-repl/%s", base, name);
    else if (home && *home)
        path = arena_printf(a, "%s/%s/thunder-repl/%s", home, fallback, name);
    else
        return (Str){0};
    if (make) {
        char *copy = arena_copy(a, path.p, path.n + 1);
        make_folders(copy);
    }
    return path;
}

bool may_have_folder(Repl *r, Str path)
{
    struct stat st;
    char *p = arena_copy(&r->arena, path.p, path.n + 1);
    for (size_t n = path.n; n > 1 && stat(p, &st) != 0; n--)
        if (p[n - 1] == '/')
            p[n - 1] = 0;
    return stat(p, &st) == 0 && S_ISDIR(st.st_mode) && access(p, W_OK | X_OK) == 0;
}

/* -------------------------------------------------------------------------------------- trust */

static Str trust_list_path(Repl *r, bool make)
{
    return xdg_path("XDG_CONFIG_HOME", ".config", "trusted", make, &r->scratch);
}

/* A file is ours when we own it and nobody else may write it. */
static bool is_private(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           (st.st_uid == geteuid() || st.st_uid == 0) && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool is_trusted(Repl *r, const char *folder)
{
    Str list = trust_list_path(r, false), text;
    if (!list.n || access(list.p, R_OK) != 0 || !read_file(r, list, &text))
        return false;
    while (text.n) {
        if (str_is(str_trim(str_cut(&text, '\n')), folder))
            return true;
    }
    return false;
}

bool trust_folder(Repl *r, Str path)
{
    char folder[PATH_MAX];
    Str name = arena_str(&r->scratch, path);
    char *slash = strrchr(name.p, '/');
    Str parent =
        slash ? arena_str(&r->scratch, str_sub(name, 0, (size_t)(slash - name.p) + 1)) : S(".");
    Str list = trust_list_path(r, true);
    if (!realpath(parent.p, folder) || !list.n)
        return fail_with(r, DIAG_usage, "cannot-trust", "cannot trust the folder of %s: %s", name.p,
                         strerror(errno));
    if (is_trusted(r, folder))
        return true;
    FILE *f = fopen(list.p, "a");
    bool ok = f && fprintf(f, "%s\n", folder) > 0;
    if (f)
        ok &= fclose(f) == 0;
    return ok || file_failed(r, "write", list, errno);
}

/* --------------------------------------------------------------------------------- init files */

static void run_init_file(Repl *r, Str path)
{
    Str text;
    if (!path.n || access(path.p, F_OK) != 0)
        return;
    if (read_file(r, path, &text)) {
        repl_text(r, path, text); /* errors name file and line, and do not end the session */
        return;
    }
    StrBuf b = {0};
    diag_render_all(&r->diag, false, &b);
    diag_clear(&r->diag);
    fputs(sb_cstr(&b), stderr);
    sb_free(&b);
}

void run_init_files(Repl *r)
{
    char here[PATH_MAX];
    r->set_from = FROM_init;
    run_init_file(r, S("/etc/thunder-repl/init"));
    run_init_file(r, xdg_path("XDG_CONFIG_HOME", ".config", "init", false, &r->scratch));
    if (access(".thunder-repl", F_OK) == 0 && getcwd(here, sizeof here)) {
        if (is_trusted(r, here) && is_private(".thunder-repl"))
            run_init_file(r, S(".thunder-repl"));
        else
            fputs("note: .thunder-repl in this folder is not trusted and was not read;\n"
                  "      `source --trust .thunder-repl` reads it, now and at every start\n",
                  stderr);
    }
    r->set_from = FROM_set;
}
