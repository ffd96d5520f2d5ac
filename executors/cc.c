/* cc.c - runs the C compiler and loads what it made; see cc.h. */
#define _GNU_SOURCE
#include "cc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const base_flags[] = {
    "-std=gnu11", "-O3", "-march=native", "-fopenmp", "-fPIC", "-shared", "-fwrapv",
    "-fno-math-errno", "-fno-trapping-math",
    /* Conditions that follow from each other (a relu and its gradient) make gcc copy the statements
     * behind them into both branches. A sum of `omp simd` there becomes a masked load of its lanes
     * at addresses that run on: wrong sums and faults (gcc 12.2). */
    "-fno-thread-jumps",
    /* And without that, choices within choices (a pad of a cat) become one choice by the inner
     * condition alone, where loops are vectorised (gcc 12.2). */
    "-fno-ssa-phiopt",
#if defined(__x86_64__)
    "-mprefer-vector-width=512", /* where there are: compilers prefer half of that on Intel's */
#endif
};

enum { MAX_PATH = 1024 };

bool cc_find(char *path, size_t size)
{
    static const char *const folders[] = {"/usr/local/bin", "/usr/bin", "/bin"};
    static const char *const names[] = {"gcc", "cc", "clang"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        for (size_t k = 0; k < ARRAY_LEN(folders); k++) {
            char found[64];
            size_t n = (size_t)snprintf(found, sizeof found, "%s/%s", folders[k], names[i]);
            if (n >= sizeof found || n >= size || access(found, X_OK) != 0)
                continue;
            memcpy(path, found, n + 1);
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
    h = hash_bytes(o->flags.p, o->flags.n, h);
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
        if (str_trim(line).n == 0)
            continue;
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

/* Whether the folder is there; errno says why not. */
static bool make_folders(char *path)
{
    int why = 0;
    struct stat st;
    for (char *p = path + 1;; p++) {
        char here = *p;
        if (here && here != '/')
            continue;
        *p = 0;
        if (mkdir(path, 0700) != 0 && errno != EEXIST && !why)
            why = errno;
        *p = here;
        if (!here)
            break;
    }
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return true;
    errno = why ? why : ENOTDIR;
    return false;
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

/* Puts the words of flags, which is cut up, behind the n arguments that are there. */
static size_t add_flags(const char **args, size_t n, size_t max, char *flags)
{
    char *rest = NULL;
    for (char *w = strtok_r(flags, " ", &rest); w && n < max; w = strtok_r(NULL, " ", &rest))
        args[n++] = w;
    return n;
}

enum { MAX_FLAGS = 256, MAX_ARGS = 64 };

/* One run of the compiler, in a folder and a process group of its own: what it starts and what it
 * leaves lying there goes with it. */
typedef struct Work {
    char folder[MAX_PATH], source[MAX_PATH], object[MAX_PATH], errors[MAX_PATH];
    pid_t pid; /* 0 = not running */
    bool good;
    CcKernel *const *kernels;
    uint32_t n;
} Work;

static bool start_compiler(Work *w, const char *compiler, const CompileOptions *o)
{
    char temp[MAX_PATH + 16], flags[MAX_FLAGS];
    snprintf(temp, sizeof temp, "TMPDIR=%s", w->folder);
    snprintf(flags, sizeof flags, "%.*s", STR(o->flags));
    char *env[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", temp, NULL};
    const char *args[MAX_ARGS] = {compiler};
    size_t n = 1;
    for (size_t i = 0; i < ARRAY_LEN(base_flags); i++)
        args[n++] = base_flags[i];
    args[n++] = o->fast_math ? "-ffast-math" : "-ffp-contract=off";
    n = add_flags(args, n, MAX_ARGS - 5, flags);
    args[n++] = "-o";
    args[n++] = w->object;
    args[n++] = w->source;
    args[n++] = "-lm";
    args[n] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, w->errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool started = posix_spawn(&w->pid, compiler, &actions, &attributes,
                               (char *const *)(void *)args, env) == 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (!started)
        w->pid = 0;
    return started;
}

/* A text that a person wrote is a file of its own: errors then name its lines, not those here. */
static bool write_edited(const char *folder, Str text)
{
    char path[MAX_PATH + 16];
    snprintf(path, sizeof path, "%s/edited.c", folder);
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f, "%.*s\n", STR(text));
    return fclose(f) == 0;
}

static bool write_source(const Work *w, const char *prelude, bool edited)
{
    FILE *f = fopen(w->source, "w");
    if (!f)
        return false;
    fputs(prelude, f);
    bool good = true;
    for (uint32_t i = 0; i < w->n; i++) {
        fprintf(f, "#define kernel %s\n", w->kernels[i]->name);
        if (edited)
            fputs("#include \"edited.c\"\n", f);
        else
            fprintf(f, "%.*s\n", STR(w->kernels[i]->text));
        fputs("#undef kernel\n\n", f);
        good &= !edited || write_edited(w->folder, w->kernels[i]->text);
    }
    return fclose(f) == 0 && good;
}

/* What the compiler said, without the folder in which it worked. */
static void put_errors(const Work *w, Str said, StrBuf *out)
{
    size_t n = strlen(w->folder);
    while (said.n) {
        bool here = str_starts(said, w->folder) && said.n > n && said.p[n] == '/';
        if (!here)
            sb_putc(out, said.p[0]);
        said = str_sub(said, here ? n + 1 : 1, said.n);
    }
}

static bool begin_work(Work *w, const char *compiler, const char *folder, const char *prelude,
                       const CompileOptions *o, Diag *d)
{
    snprintf(w->folder, sizeof w->folder, "%s/work-XXXXXX", folder);
    if (!mkdtemp(w->folder)) {
        w->folder[0] = 0;
        return fail(d, "cannot make a folder in", folder);
    }
    bool fit =
        (size_t)snprintf(w->source, MAX_PATH, "%s/kernels.c", w->folder) < MAX_PATH &&
        (size_t)snprintf(w->object, MAX_PATH, "%s/kernels.so", w->folder) < MAX_PATH &&
        (size_t)snprintf(w->errors, MAX_PATH, "%s/errors", w->folder) < MAX_PATH;
    if (!fit || !write_source(w, prelude, o->edited_text.n > 0))
        return fail(d, "cannot write", w->source);
    return start_compiler(w, compiler, o) || fail(d, "cannot run", compiler);
}

/* The compiler has ended: puts what it made under the name of each kernel. */
static bool finish_work(Work *w, int status, const char *compiler, const char *folder, Diag *d)
{
    char path[MAX_PATH];
    w->pid = 0;
    w->good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!w->good) {
        DiagItem *item = diag_error(d, DIAG_compile, (Span){0}, "kernel-compile",
                                    "%s does not compile the generated C", compiler);
        StrBuf said = {0}, note = {0};
        read_start(w->errors, &said);
        put_errors(w, sb_str(&said), &note);
        diag_note(d, item, "%s", sb_cstr(&note));
        diag_help(d, item, "executor off c");
        sb_free(&said);
        sb_free(&note);
    }
    for (uint32_t i = 0; w->good && i < w->n; i++) {
        snprintf(path, sizeof path, "%s/%s.so", folder, w->kernels[i]->name);
        if (link(w->object, path) != 0 && errno != EEXIST)
            w->good = fail(d, "cannot write", path);
    }
    return w->good;
}

/* Removes a folder of files; false when something is still put there. */
static bool remove_files(const char *folder)
{
    DIR *dir = opendir(folder);
    char path[2 * MAX_PATH];
    for (struct dirent *e; dir && (e = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (dir)
        closedir(dir);
    return rmdir(folder) == 0 || errno == ENOENT;
}

static void clear_work(Work *w)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    if (w->pid) {
        kill(-w->pid, SIGKILL);
        while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    /* What the compiler had started may take a moment to end. */
    for (int i = 0; w->folder[0] && i < 100 && !remove_files(w->folder); i++)
        nanosleep(&moment, NULL);
}

enum { STALE_SECONDS = 3600 };

/* Folders of sessions that were ended while they compiled. */
static void remove_stale(const char *folder)
{
    DIR *dir = opendir(folder);
    char path[2 * MAX_PATH];
    struct stat st;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (strncmp(e->d_name, "work-", 5) == 0 && stat(path, &st) == 0 &&
            time(NULL) - st.st_mtime > STALE_SECONDS)
            remove_files(path);
    }
    if (dir)
        closedir(dir);
}

enum { MAX_WORKS = 256, MAX_COMPILERS = 16, FEW_KERNELS = 2, MANY_KERNELS = 24 };

/* Cuts n kernels into parts, one for a processor, none too large. */
static uint32_t divide_work(CcKernel *const *todo, uint32_t n, Work *works, uint32_t processors)
{
    uint32_t part = (n + processors - 1) / processors;
    part = part < FEW_KERNELS ? FEW_KERNELS : part > MANY_KERNELS ? MANY_KERNELS : part;
    if ((n + part - 1) / part > MAX_WORKS)
        part = (n + MAX_WORKS - 1) / MAX_WORKS;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i += part)
        works[count++] = (Work){.kernels = todo + i, .n = n - i < part ? n - i : part};
    return count;
}

static bool cancelled(const CompileOptions *o, Diag *d)
{
    if (!o->interrupt || !*o->interrupt)
        return false;
    diag_error(d, DIAG_interrupt, (Span){0}, "interrupted", "compiling was interrupted");
    return true;
}

/* Kernels of the first n works that need no waiting for. */
static uint32_t kernels_done(const Work *works, uint32_t n)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < n; i++)
        done += works[i].pid ? 0 : works[i].n;
    return done;
}

/* Waits until one of the running compilers ends. */
static bool wait_for_one(Work *works, uint32_t n, uint32_t total, const char *compiler,
                         const char *folder, const CompileOptions *o, Diag *d)
{
    static const struct timespec pause = {.tv_nsec = 2000000};
    for (;;) {
        for (uint32_t i = 0; i < n; i++) {
            int status = 0;
            if (works[i].pid && waitpid(works[i].pid, &status, WNOHANG) == works[i].pid)
                return finish_work(&works[i], status, compiler, folder, d);
        }
        if (cancelled(o, d))
            return false;
        if (o->progress)
            o->progress(o->user, kernels_done(works, n), total);
        nanosleep(&pause, NULL);
    }
}

/* Compiles these kernels, several files at a time. With `all`, also after one was refused. */
static bool compile(CcKernel *const *todo, uint32_t n, const char *compiler, const char *folder,
                    const char *prelude, const CompileOptions *o, bool all, Diag *d)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t processors = cpus < 1 ? 1 : cpus > MAX_COMPILERS ? MAX_COMPILERS : (uint32_t)cpus;
    Work *works = calloc(MAX_WORKS, sizeof *works);
    if (!works)
        abort();
    uint32_t count = divide_work(todo, n, works, processors), begun = 0, ended = 0;
    bool good = true;
    while (ended < count && (good || all) && !(o->interrupt && *o->interrupt)) {
        if (begun < count && begun - ended < processors) {
            bool runs = begin_work(&works[begun++], compiler, folder, prelude, o, d);
            ended += !runs;
            good = good && runs;
            continue;
        }
        good = wait_for_one(works, begun, n, compiler, folder, o, d) && good;
        ended++;
    }
    for (uint32_t i = 0; i < begun; i++)
        clear_work(&works[i]);
    free(works);
    return good && !cancelled(o, d);
}

static bool compile_missing(CcKernel *kernels, uint32_t n, const char *compiler,
                            const char *folder, const char *prelude, const CompileOptions *o,
                            bool ahead, Diag *d)
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
    if (missing)
        remove_stale(folder);
    bool good = missing == 0 ||
                compile(todo, missing, compiler, folder, prelude, o, ahead, d);
    free(todo);
    for (uint32_t i = 0; good && !ahead && i < n; i++) {
        if (kernels[i].lib || load(&kernels[i], folder))
            continue;
        const char *why = dlerror(); /* NULL when there was only no such function */
        diag_error(d, DIAG_compile, (Span){0}, "kernel-load", "cannot load a compiled kernel: %s",
                   why ? why : "its text has no function named kernel");
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

/* With `ahead`, only the cache is filled. */
static bool load_all(CcKernel *kernels, uint32_t n, const char *prelude, const CompileOptions *o,
                     bool ahead, Diag *d)
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
    if (o->cache_dir.n && !make_folders(folder))
        return fail(d, "cannot make the folder", folder);
    if (o->cache_dir.n == 0)
        snprintf(folder, sizeof folder, "/tmp/thunder-kernels-XXXXXX");
    if (o->cache_dir.n == 0 && !mkdtemp(folder))
        return fail(d, "cannot make a folder in", "/tmp");
    uint64_t target = target_hash(compiler, prelude, o);
    for (uint32_t i = 0; i < n; i++)
        name_kernel(&kernels[i], target);
    bool good = compile_missing(kernels, n, compiler, folder, prelude, o, ahead, d);
    if (o->cache_dir.n == 0)
        remove_folder(kernels, n, folder);
    for (uint32_t i = 0; (!good || ahead) && i < n; i++)
        if (kernels[i].lib) {
            dlclose(kernels[i].lib);
            kernels[i].lib = NULL;
        }
    return good;
}

bool cc_load(CcKernel *kernels, uint32_t n, const char *prelude, const CompileOptions *o, Diag *d)
{
    return load_all(kernels, n, prelude, o, false, d);
}

void cc_fill_cache(CcKernel *kernels, uint32_t n, const char *prelude, const CompileOptions *o)
{
    Diag d = {0};
    if (o->cache_dir.n)
        load_all(kernels, n, prelude, o, true, &d);
    diag_clear(&d);
}
