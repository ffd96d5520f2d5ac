/* nvrtc.c - opens NVRTC, compiles, keeps images on disk; see nvrtc.h. */
#define _GNU_SOURCE
#include "nvrtc.h"

#include "kept.h"
#include "log.h"
#include "map.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NVRTC's interface, as far as it is used here: 0 is success everywhere. */
typedef void *Program_;
typedef struct Functions {
    int (*version)(int *major, int *minor);
    int (*create)(Program_ *p, const char *text, const char *name, int nheaders,
                  const char *const *headers, const char *const *names);
    int (*compile)(Program_ p, int n, const char *const *options);
    int (*log_size)(Program_ p, size_t *size);
    int (*log)(Program_ p, char *log);
    int (*cubin_size)(Program_ p, size_t *size);
    int (*cubin)(Program_ p, char *cubin);
    int (*ptx_size)(Program_ p, size_t *size);
    int (*ptx)(Program_ p, char *ptx);
    int (*destroy)(Program_ *p);
} Functions;

struct Nvrtc {
    void *lib;
    Functions f;
};

enum { MAX_PATH = 1024 };

/* -------------------------------------------------------------------------------------- opening */

static bool find_functions(Nvrtc *n)
{
    static const char *const names[] = {
        "nvrtcVersion",      "nvrtcCreateProgram", "nvrtcCompileProgram", "nvrtcGetProgramLogSize",
        "nvrtcGetProgramLog", "nvrtcGetCUBINSize", "nvrtcGetCUBIN",       "nvrtcGetPTXSize",
        "nvrtcGetPTX",       "nvrtcDestroyProgram",
    };
    void **places[] = {
        (void **)&n->f.version,    (void **)&n->f.create, (void **)&n->f.compile,
        (void **)&n->f.log_size,   (void **)&n->f.log,    (void **)&n->f.cubin_size,
        (void **)&n->f.cubin,      (void **)&n->f.ptx_size, (void **)&n->f.ptx,
        (void **)&n->f.destroy,
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        void *symbol = dlsym(n->lib, names[i]);
        if (!symbol)
            return false;
        memcpy(places[i], &symbol, sizeof symbol);
    }
    return true;
}

static bool try_open(Nvrtc *n, const char *path)
{
    /* It keeps memory of its own to the end of the process: taking it out would lose that. */
    n->lib = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (n->lib && find_functions(n))
        return true;
    if (n->lib)
        dlclose(n->lib);
    n->lib = NULL;
    return false;
}

static bool open_somewhere(Nvrtc *n, Str folder)
{
    static const char *const files[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                        "libnvrtc.so.11.2"};
    static const char *const below[] = {"", "/lib64", "/lib", "/targets/x86_64-linux/lib"};
    static const char *const usual[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/lib",
                                        "/opt/cuda/lib64", "/usr/lib/x86_64-linux-gnu"};
    char path[MAX_PATH];
    for (size_t i = 0; i < ARRAY_LEN(files) && folder.n; i++)
        for (size_t k = 0; k < ARRAY_LEN(below); k++) {
            snprintf(path, sizeof path, "%.*s%s/%s", STR(folder), below[k], files[i]);
            if (try_open(n, path))
                return true;
        }
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (try_open(n, files[i]))
            return true;
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        for (size_t k = 0; k < ARRAY_LEN(usual); k++) {
            snprintf(path, sizeof path, "%s/%s", usual[k], files[i]);
            if (try_open(n, path))
                return true;
        }
    return false;
}

Nvrtc *nvrtc_open(Str folder, StrBuf *why_not)
{
    Nvrtc *n = calloc(1, sizeof *n);
    if (!n)
        abort();
    if (open_somewhere(n, folder))
        return n;
    sb_puts(why_not, "NVRTC (libnvrtc.so) was not found");
    free(n);
    return NULL;
}

void nvrtc_close(Nvrtc *n)
{
    if (!n)
        return;
    dlclose(n->lib);
    free(n);
}

static void nvrtc_version(const Nvrtc *n, int *major, int *minor)
{
    *major = *minor = 0;
    n->f.version(major, minor);
}

/* ----------------------------------------------------------------------- the assembler's report */

static uint32_t number_before(Str line, const char *what)
{
    const char *end = memmem(line.p, line.n, what, strlen(what));
    if (!end)
        return 0;
    const char *p = end;
    while (p > line.p && p[-1] >= '0' && p[-1] <= '9')
        p--;
    return (uint32_t)strtoul(p, NULL, 10);
}

/* "Compiling entry function 'NAME' for 'sm_90'", then lines with the figures of that kernel. */
static void read_uses(Str log, CudaImage *out)
{
    CudaUse *now = NULL;
    while (log.n) {
        Str line = str_cut(&log, '\n');
        const char *entry = memmem(line.p, line.n, "entry function '", 16);
        if (entry && out->nuse == MAX_CUDA_USES) {
            return;
        } else if (entry) {
            now = &out->use[out->nuse++];
            Str name = {entry + 16, line.n - (size_t)(entry + 16 - line.p)};
            name = str_cut(&name, '\'');
            snprintf(now->name, sizeof now->name, "%.*s", STR(name));
        } else if (now && memmem(line.p, line.n, "stack frame", 11)) {
            now->stack = number_before(line, " bytes stack frame");
            now->spill_stores = number_before(line, " bytes spill stores");
            now->spill_loads = number_before(line, " bytes spill loads");
        } else if (now && memmem(line.p, line.n, " registers", 10)) {
            now->registers = number_before(line, " registers");
            now->shared = number_before(line, " bytes smem");
        }
    }
}

/* ------------------------------------------------------------------------------------ compiling */

static void read_log(const Nvrtc *n, Program_ p, StrBuf *out)
{
    size_t size = 0;
    if (n->f.log_size(p, &size) != 0 || size < 2)
        return;
    char *log = malloc(size);
    if (!log)
        abort();
    if (n->f.log(p, log) == 0)
        sb_add(out, str_from(log));
    free(log);
}

/* "kernel.cu(12): error: ..." gives 12; 0 when there is none. */
static uint32_t line_of_error(Str log)
{
    const char *at = memmem(log.p, log.n, "kernel.cu(", 10);
    return at ? (uint32_t)strtoul(at + 10, NULL, 10) : 0;
}

static bool refused(Str text, const StrBuf *log, Diag *d)
{
    uint32_t number = line_of_error(sb_str(log));
    Str rest = text, at = {0};
    for (uint32_t i = 0; i < number && rest.n; i++)
        at = str_cut(&rest, '\n');
    DiagItem *item = diag_error(d, DIAG_compile, (Span){0}, "kernel-compile",
                                "NVRTC does not compile the CUDA text");
    if (number)
        diag_where(d, item, "line %u: %.*s", number, STR(str_trim(at)));
    Str said = str_trim(sb_str(log));
    diag_note(d, item, "%.*s", (int)(said.n < 2000 ? said.n : 2000), said.n ? said.p : "");
    return false;
}

static bool take_image(const Nvrtc *n, Program_ p, CudaImageKind kind, CudaImage *out)
{
    bool cubin = kind == CUDA_cubin;
    size_t size = 0;
    if ((cubin ? n->f.cubin_size : n->f.ptx_size)(p, &size) != 0 || size == 0)
        return false;
    out->data = calloc(1, size + 1);
    if (!out->data)
        abort();
    out->size = cubin ? size : size - 1; /* PTX counts its NUL */
    return (cubin ? n->f.cubin : n->f.ptx)(p, out->data) == 0;
}

static bool compile(const Nvrtc *n, Str text, CudaImageKind kind, uint32_t arch, bool fast_math,
                    CudaImage *out, StrBuf *log, Diag *d)
{
    char target[40];
    snprintf(target, sizeof target, "--gpu-architecture=%s_%u",
             kind == CUDA_cubin ? "sm" : "compute", arch);
    const char *options[] = {
        target,
        "--std=c++17",
        "--disable-warnings",
        fast_math ? "--use_fast_math" : "--fmad=true",
        "--ptxas-options=-v", /* the last: of images only */
    };
    char *copy = malloc(text.n + 1);
    if (!copy)
        abort();
    memcpy(copy, text.p, text.n);
    copy[text.n] = 0;
    Program_ p = NULL;
    bool good = n->f.create(&p, copy, "kernel.cu", 0, NULL, NULL) == 0;
    free(copy);
    if (!good) {
        diag_error(d, DIAG_compile, (Span){0}, "kernel-compile", "NVRTC cannot be used");
        return false;
    }
    good = n->f.compile(p, ARRAY_LEN(options) - (kind != CUDA_cubin), options) == 0;
    read_log(n, p, log);
    good = good && take_image(n, p, kind, out);
    n->f.destroy(&p);
    return good || refused(text, log, d);
}

/* -------------------------------------------------------------------------------- cache on disk */

/* A file holds the assembler's report, a NUL, and the image. */
static bool read_cached(const char *path, CudaImage *out)
{
    StrBuf file = {0};
    bool good = kept_read(path, &file);
    size_t report = good ? strlen(sb_cstr(&file)) : 0;
    good = good && report + 1 < file.n;
    if (good) {
        read_uses((Str){file.p, report}, out);
        out->size = file.n - report - 1;
        out->data = calloc(1, out->size + 1);
        if (!out->data)
            abort();
        memcpy(out->data, file.p + report + 1, out->size);
        out->cached = true;
    }
    sb_free(&file);
    return good;
}

static void write_cached(const char *path, Str log, const CudaImage *image)
{
    StrBuf file = {0};
    sb_add(&file, log);
    sb_putc(&file, 0);
    sb_add(&file, (Str){image->data, image->size});
    kept_write(path, sb_str(&file));
    sb_free(&file);
}

static void cache_path(const Nvrtc *n, Str text, CudaImageKind kind, uint32_t arch, bool fast_math,
                       Str folder, char *path, size_t size)
{
    int version[2];
    nvrtc_version(n, &version[0], &version[1]);
    uint32_t facts[] = {(uint32_t)kind, arch, fast_math, (uint32_t)version[0],
                        (uint32_t)version[1]};
    uint64_t h = hash_bytes(text.p, text.n, hash_bytes(facts, sizeof facts, 5));
    uint64_t g = hash_bytes(text.p, text.n, h ^ 0x9e3779b97f4a7c15u);
    snprintf(path, size, "%.*s/g%016llx%016llx.%s", STR(folder), (unsigned long long)h,
             (unsigned long long)g, kind == CUDA_cubin ? "cubin" : "ptx");
}

bool nvrtc_compile(const Nvrtc *n, Str text, CudaImageKind kind, uint32_t arch, bool fast_math,
                   Str cache_dir, CudaImage *out, Diag *d)
{
    char path[MAX_PATH] = "";
    StrBuf log = {0};
    *out = (CudaImage){0};
    if (cache_dir.n && cache_dir.n < MAX_PATH - 64)
        cache_path(n, text, kind, arch, fast_math, cache_dir, path, sizeof path);
    if (path[0] && read_cached(path, out))
        return true;
    uint64_t start = clock_ns();
    bool good = compile(n, text, kind, arch, fast_math, out, &log, d);
    out->compile_ns = clock_ns() - start;
    if (good)
        read_uses(sb_str(&log), out);
    if (good && path[0])
        write_cached(path, sb_str(&log), out);
    if (!good)
        cuda_image_free(out);
    sb_free(&log);
    return good;
}

void cuda_image_free(CudaImage *image)
{
    free(image->data);
    *image = (CudaImage){0};
}

/* ------------------------------------------------------------------------------------ occupancy */

/* What a multiprocessor has: warps, blocks, bytes of shared memory (of which every block also costs
 * one KiB). From the table of compute capabilities in the CUDA programming guide. */
typedef struct SmRow {
    uint32_t arch, warps, blocks, shared;
} SmRow;

static const SmRow sm_rows[] = {
    {120, 48, 24, 100 << 10}, {100, 64, 32, 228 << 10}, {90, 64, 32, 228 << 10},
    {89, 48, 24, 100 << 10},  {86, 48, 16, 100 << 10},  {80, 64, 32, 164 << 10},
};

enum { SM_REGISTERS = 64 << 10, REGISTER_UNIT = 256, SHARED_UNIT = 128, BLOCK_SHARED = 1 << 10 };

static const SmRow *sm_row(uint32_t arch)
{
    size_t i = 0;
    while (i + 1 < ARRAY_LEN(sm_rows) && sm_rows[i].arch > arch)
        i++;
    return &sm_rows[i];
}

static uint32_t round_up(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* Blocks of that many threads that fit on one multiprocessor of the architecture. */
static uint32_t cuda_blocks_per_sm(uint32_t arch, uint32_t threads, uint32_t registers,
                                   uint32_t shared)
{
    const SmRow *sm = sm_row(arch);
    uint32_t warps = (threads + 31) / 32, blocks = sm->blocks;
    if (warps == 0)
        return 0;
    uint32_t a_warp = round_up(32 * (registers ? registers : 1), REGISTER_UNIT);
    uint32_t by_registers = SM_REGISTERS / 4 / a_warp * 4 / warps; /* in four parts */
    uint32_t by_shared = sm->shared / round_up(shared + BLOCK_SHARED, SHARED_UNIT);
    if (sm->warps / warps < blocks)
        blocks = sm->warps / warps;
    if (by_registers < blocks)
        blocks = by_registers;
    return by_shared < blocks ? by_shared : blocks;
}

double cuda_occupancy(uint32_t arch, uint32_t threads, uint32_t registers, uint32_t shared)
{
    uint32_t blocks = cuda_blocks_per_sm(arch, threads, registers, shared);
    return (double)(blocks * ((threads + 31) / 32)) / sm_row(arch)->warps;
}
