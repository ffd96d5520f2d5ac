/* cc.c - runs the C compiler and loads what it made; see cc.h. */
#define _GNU_SOURCE
#include "cc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const base_flags[] = {
    "-std=gnu11", "-O3", "-march=native", "-fopenmp", "-fPIC", "-shared", "-fwrapv",
    "-fno-math-errno", "-fno-trapping-math", "-w",
};

enum { MAX_PATH = 1024 };

bool cc_find(char *path, size_t size)
{
    static const char *const folders[] = {"/usr/local/bin", "/usr/bin", "/bin"};
    static const char *const names[] = {"gcc", "cc", "clang"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        for (size_t k = 0; k < ARRAY_LEN(folders); k++) {
            int n = snprintf(path, size, "%s/%s", folders[k], names[i]);
            if (n > 0 && (size_t)n < size && access(path, X_OK) == 0)
                return true;
        }
    return false;
}

/* ---------------------------------------------------------------------------------------- names */

static uint64_t hash_file_part(const char *path, const char *line_start, uint64_t seed)
{
    FILE *f = fopen(path, "r");
    char line[4096];
    if (!f)
        return seed;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, line_start, strlen(line_start)) == 0) {
            seed = hash_bytes(line, strlen(line), seed);
            break;
        }
    fclose(f);
    return seed;
}

/* Of everything but the kernel's own text. */
static uint64_t target_hash(const char *compiler, const char *prelude, const CompileOptions *o)
{
    struct stat st = {0};
    uint64_t h = hash_bytes(compiler, strlen(compiler), 3);
    if (stat(compiler, &st) == 0) {
        h = hash_bytes(&st.st_size, sizeof st.st_size, h);
        h = hash_bytes(&st.st_mtime, sizeof st.st_mtime, h);
    }
    for (size_t i = 0; i < ARRAY_LEN(base_flags); i++)
        h = hash_bytes(base_flags[i], strlen(base_flags[i]), h);
    h = hash_bytes(&o->fast_math, sizeof o->fast_math, h);
    h = hash_bytes(prelude, strlen(prelude), h);
    return hash_file_part("/proc/cpuinfo", "flags", h);
}

uint64_t kernel_text_hash(Str text, uint64_t seed)
{
    StrBuf bare = {0};
    while (text.n) {
        Str line = str_cut(&text, '\n');
        for (size_t i = 0; i + 1 < line.n; i++)
            if (line.p[i] == '/' && line.p[i + 1] == '/')
                line.n = i;
        sb_add(&bare, line);
        sb_putc(&bare, '\n');
    }
    uint64_t h = hash_bytes(sb_cstr(&bare), bare.n, seed);
    sb_free(&bare);
    return h;
}

static void name_kernel(CcKernel *k, uint64_t target)
{
    k->hash = kernel_text_hash(k->text, target);
    snprintf(k->name, sizeof k->name, "k%016llx%016llx", (unsigned long long)k->hash,
             (unsigned long long)kernel_text_hash(k->text, target ^ 0x9e3779b97f4a7c15u));
}

/* ------------------------------------------------------------------------------------- loading */

static bool load(CcKernel *k, const char *folder)
{
    char path[MAX_PATH];
    snprintf(path, sizeof path, "%s/%s.so", folder, k->name);
    k->lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!k->lib)
        return false;
    void *symbol = dlsym(k->lib, k->name);
    memcpy(&k->fn, &symbol, sizeof symbol);
    if (k->fn)
        return true;
    dlclose(k->lib);
    k->lib = NULL;
    return false;
}

static void make_folders(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        mkdir(path, 0700);
        *p = '/';
    }
    mkdir(path, 0700);
}

static void read_start(const char *path, StrBuf *out)
{
    char buf[2048];
    FILE *f = fopen(path, "r");
    if (!f)
        return;
    size_t n = fread(buf, 1, sizeof buf, f);
    sb_add(out, str_trim((Str){buf, n}));
    fclose(f);
}

static bool fail(Diag *d, const char *what, const char *path)
{
    DiagItem *item = diag_error(d, DIAG_compile, (Span){0}, "kernel-compile", "%s %s: %s", what,
                                path, strerror(errno));
    diag_help(d, item, "option kernel.cache FOLDER");
    return false;
}

/* --------------------------------------------------------------------------------- the compiler */

static bool run_compiler(const char *compiler, const char *folder, const char *source,
                         const char *object, const char *errors, const CompileOptions *o)
{
    char temp[MAX_PATH + 16];
    snprintf(temp, sizeof temp, "TMPDIR=%s", folder);
    char *env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", temp, NULL};
    const char *args[32] = {compiler};
    size_t n = 1;
    for (size_t i = 0; i < ARRAY_LEN(base_flags); i++)
        args[n++] = base_flags[i];
    args[n++] = o->fast_math ? "-ffast-math" : "-ffp-contract=off";
    args[n++] = "-o";
    args[n++] = object;
    args[n++] = source;
    args[n++] = "-lm";
    args[n] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t pid;
    int status = -1;
    bool started =
        posix_spawn(&pid, compiler, &actions, NULL, (char *const *)(void *)args, env) == 0;
    posix_spawn_file_actions_destroy(&actions);
    while (started && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return started && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool write_source(const char *path, CcKernel *const *todo, uint32_t n, const char *prelude)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fputs(prelude, f);
    for (uint32_t i = 0; i < n; i++)
        fprintf(f, "#define kernel %s\n%.*s#undef kernel\n\n", todo[i]->name, STR(todo[i]->text));
    return fclose(f) == 0;
}

/* Compiles these kernels in one file and puts that under the name of each. */
static bool compile(CcKernel *const *todo, uint32_t n, const char *compiler, const char *folder,
                    const char *prelude, const CompileOptions *o, Diag *d)
{
    char work[MAX_PATH], source[MAX_PATH], object[MAX_PATH], errors[MAX_PATH], path[MAX_PATH];
    snprintf(work, sizeof work, "%s/work-XXXXXX", folder);
    if (!mkdtemp(work))
        return fail(d, "cannot make a folder in", folder);
    bool fit = (size_t)snprintf(source, sizeof source, "%s/kernels.c", work) < sizeof source &&
               (size_t)snprintf(object, sizeof object, "%s/kernels.so", work) < sizeof object &&
               (size_t)snprintf(errors, sizeof errors, "%s/errors", work) < sizeof errors;
    bool good = fit && write_source(source, todo, n, prelude);
    if (!good) {
        fail(d, "cannot write", source);
    } else if (!run_compiler(compiler, work, source, object, errors, o)) {
        DiagItem *item = diag_error(d, DIAG_compile, (Span){0}, "kernel-compile",
                                    "%s does not compile the generated C", compiler);
        StrBuf said = {0};
        read_start(errors, &said);
        diag_note(d, item, "%s", sb_cstr(&said));
        diag_help(d, item, "executor off c");
        sb_free(&said);
        good = false;
    }
    for (uint32_t i = 0; good && i < n; i++) {
        snprintf(path, sizeof path, "%s/%s.so", folder, todo[i]->name);
        if (link(object, path) != 0 && errno != EEXIST)
            good = fail(d, "cannot write", path);
    }
    unlink(source);
    unlink(object);
    unlink(errors);
    rmdir(work);
    return good;
}

static bool compile_missing(CcKernel *kernels, uint32_t n, const char *compiler,
                            const char *folder, const char *prelude, const CompileOptions *o,
                            Diag *d)
{
    CcKernel **todo = malloc((n + 1) * sizeof *todo);
    uint32_t missing = 0;
    if (!todo)
        abort();
    for (uint32_t i = 0; i < n; i++) {
        if ((kernels[i].cached = load(&kernels[i], folder)))
            continue;
        bool again = false;
        for (uint32_t k = 0; k < missing && !again; k++)
            again = strcmp(todo[k]->name, kernels[i].name) == 0;
        if (!again)
            todo[missing++] = &kernels[i];
    }
    bool good = missing == 0 || compile(todo, missing, compiler, folder, prelude, o, d);
    free(todo);
    for (uint32_t i = 0; good && i < n; i++) {
        if (kernels[i].lib || load(&kernels[i], folder))
            continue;
        diag_error(d, DIAG_compile, (Span){0}, "kernel-load", "cannot load a compiled kernel: %s",
                   dlerror());
        good = false;
    }
    return good;
}

static void remove_folder(const CcKernel *kernels, uint32_t n, const char *folder)
{
    char path[MAX_PATH];
    for (uint32_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s.so", folder, kernels[i].name);
        unlink(path);
    }
    rmdir(folder);
}

bool cc_load(CcKernel *kernels, uint32_t n, const char *prelude, const CompileOptions *o, Diag *d)
{
    char compiler[MAX_PATH], folder[MAX_PATH - 64];
    if (o->compiler.n)
        snprintf(compiler, sizeof compiler, "%.*s", STR(o->compiler));
    else if (!cc_find(compiler, sizeof compiler)) {
        diag_help(d, diag_error(d, DIAG_compile, (Span){0}, "no-compiler",
                                "no C compiler was found"), "option kernel.cc PATH");
        return false;
    }
    if (o->cache_dir.n >= sizeof folder)
        return fail(d, "the path is too long:", "kernel.cache");
    snprintf(folder, sizeof folder, "%.*s", STR(o->cache_dir));
    if (o->cache_dir.n)
        make_folders(folder);
    else
        snprintf(folder, sizeof folder, "/tmp/thunder-kernels-XXXXXX");
    if (o->cache_dir.n == 0 && !mkdtemp(folder))
        return fail(d, "cannot make a folder in", "/tmp");
    uint64_t target = target_hash(compiler, prelude, o);
    for (uint32_t i = 0; i < n; i++)
        name_kernel(&kernels[i], target);
    bool good = compile_missing(kernels, n, compiler, folder, prelude, o, d);
    if (o->cache_dir.n == 0)
        remove_folder(kernels, n, folder);
    for (uint32_t i = 0; !good && i < n; i++)
        if (kernels[i].lib) {
            dlclose(kernels[i].lib);
            kernels[i].lib = NULL;
        }
    return good;
}
