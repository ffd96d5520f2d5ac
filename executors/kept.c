/* kept.c - whole files, written under another name first; see kept.h. */
#define _GNU_SOURCE
#include "kept.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

bool kept_read(const char *path, StrBuf *out)
{
    char block[BLOCK];
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        sb_add(out, (Str){block, n});
    bool good = !ferror(f);
    fclose(f);
    sb_cstr(out);
    return good;
}

static void make_folders(char *path)
{
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(path, 0700);
            *p = '/';
        }
}

void kept_write(const char *path, Str data)
{
    char temp[KEPT_PATH + 64];
    int n = snprintf(temp, sizeof temp, "%s", path);
    if (n < 0 || n >= KEPT_PATH)
        return;
    make_folders(temp);
    snprintf(temp, sizeof temp, "%s.%ld.%p", path, (long)getpid(), (const void *)&data);
    FILE *f = fopen(temp, "wb");
    if (!f)
        return;
    bool good = fwrite(data.n ? data.p : "", 1, data.n, f) == data.n;
    good = fclose(f) == 0 && good;
    if (!good || rename(temp, path) != 0)
        unlink(temp);
}
