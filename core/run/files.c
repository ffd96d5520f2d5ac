/* files.c - what the file system says about a path: whether it is there, what a folder holds. */
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

bool path_exists(Str path, bool *is_folder)
{
    Arena a = {0};
    struct stat st;
    bool there = path.n && stat(arena_str(&a, path).p, &st) == 0;
    *is_folder = there && S_ISDIR(st.st_mode);
    arena_free(&a);
    return there;
}

typedef struct FileList {
    Str *items;
    uint32_t n, cap;
} FileList;

enum { MAX_FOLDERS_DEEP = 16 };

static void collect(Arena *a, Str folder, const char *suffix, int depth, FileList *l)
{
    DIR *dir = opendir(arena_str(a, folder).p);
    if (!dir)
        return;
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        if (e->d_name[0] == '.')
            continue;
        bool is_folder;
        const char *slash = folder.n && folder.p[folder.n - 1] == '/' ? "" : "/";
        Str path = arena_printf(a, "%.*s%s%s", STR(folder), slash, e->d_name);
        if (!path_exists(path, &is_folder))
            continue;
        if (is_folder && depth < MAX_FOLDERS_DEEP) {
            collect(a, path, suffix, depth + 1, l);
        } else if (!is_folder && str_ends(path, suffix)) {
            if (l->n == l->cap) {
                l->cap = l->cap ? l->cap * 2 : 64;
                l->items = run_realloc(l->items, l->cap * sizeof *l->items);
            }
            l->items[l->n++] = path;
        }
    }
    closedir(dir);
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(*(const Str *)a, *(const Str *)b);
}

uint32_t folder_files(Arena *a, Str folder, const char *suffix, Str **out)
{
    FileList l = {0};
    collect(a, folder, suffix, 0, &l);
    if (l.n)
        qsort(l.items, l.n, sizeof *l.items, by_name);
    *out = arena_copy(a, l.items, l.n * sizeof *l.items);
    free(l.items);
    return l.n;
}
