/* cuda_inspect.c - kernels for a named architecture as text; see cuda_inspect.h. */
#define _GNU_SOURCE
#include "cuda_inspect.h"

#include "nvrtc.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_PATH = 1024 };

/* One GPU of each architecture: multiprocessors, level-2 cache, shared memory of a block. */
static const GenTarget targets[] = {
    {80, 108, 40 << 20, 163 << 10},
    {90, 132, 50 << 20, 227 << 10},
    {100, 148, 126 << 20, 227 << 10},
};

/* A common GPU of that architecture, for choosing a schedule. */
static GenTarget cuda_usual_target(uint32_t arch)
{
    for (size_t i = 0; i < ARRAY_LEN(targets); i++)
        if (targets[i].arch == arch)
            return targets[i];
    return (GenTarget){arch, 84, 6 << 20, 99 << 10};
}

uint32_t cuda_arch_parse(Str s)
{
    uint32_t arch = 0;
    if (str_starts(s, "sm_"))
        s = str_sub(s, 3, SIZE_MAX);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '.')
            continue;
        if (s.p[i] < '0' || s.p[i] > '9' || arch > 999)
            return 0;
        arch = 10 * arch + (uint32_t)(s.p[i] - '0');
    }
    return arch >= 80 && arch <= 130 ? arch : 0;
}

/* ------------------------------------------------------------------------------------- figures */

static const CudaUse *use_of(const CudaImage *image, const char *name)
{
    for (uint32_t i = 0; image && i < image->nuse; i++)
        if (strcmp(image->use[i].name, name) == 0)
            return &image->use[i];
    return NULL;
}

static void print_figures(const GenCuda *plan, const CudaImage *image, uint32_t arch, StrBuf *out)
{
    sb_printf(out, "// for sm_%u", arch);
    if (plan->scratch)
        sb_printf(out, ", with %lld bytes of scratch memory", (long long)plan->scratch);
    sb_putc(out, '\n');
    for (uint32_t i = 0; i < plan->nlaunch; i++) {
        const GenLaunch *l = &plan->launch[i];
        const CudaUse *u = use_of(image, l->name);
        sb_printf(out, "// %s: %u x %u blocks of %u threads", l->name, l->grid[0], l->grid[1],
                  l->block[0]);
        if (u) {
            uint32_t shared = u->shared + l->shared;
            sb_printf(out,
                      ", %u registers, %u bytes of shared memory, %u spilled, occupancy %.0f %%",
                      u->registers, shared, u->spill_stores,
                      100 * cuda_occupancy(arch, l->block[0], u->registers, shared));
        }
        sb_putc(out, '\n');
    }
}

/* ----------------------------------------------------------------------------- the disassembler */

static bool find_tool(Str folder, const char *name, char *path, size_t size)
{
    static const char *const usual[] = {"/usr/local/cuda/bin", "/opt/cuda/bin", "/usr/local/bin",
                                        "/usr/bin"};
    for (int bin = 0; bin < 2 && folder.n; bin++) {
        snprintf(path, size, "%.*s%s/%s", STR(folder), bin ? "/bin" : "", name);
        if (access(path, X_OK) == 0)
            return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(usual); i++) {
        snprintf(path, size, "%s/%s", usual[i], name);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* Runs a tool and appends what it prints. */
static bool run_tool(const char *const *args, StrBuf *out)
{
    int ends[2], status = -1;
    pid_t pid;
    char buf[4096];
    ssize_t n;
    char *env[] = {"PATH=/usr/local/cuda/bin:/usr/bin:/bin", NULL};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    bool started =
        posix_spawn(&pid, args[0], &actions, NULL, (char *const *)(void *)args, env) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while (started && ((n = read(ends[0], buf, sizeof buf)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0)
            sb_add(out, (Str){buf, (size_t)n});
    close(ends[0]);
    while (started && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return started && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool write_file(int fd, const CudaImage *image)
{
    FILE *f = fdopen(fd, "wb");
    if (!f)
        return false;
    bool good = fwrite(image->data, 1, image->size, f) == image->size;
    return fclose(f) == 0 && good;
}

static bool disassemble(const CudaImage *image, Str folder, StrBuf *out, Diag *d)
{
    char tool[MAX_PATH], file[] = "/tmp/thunder-cubin-XXXXXX";
    bool nvdisasm = find_tool(folder, "nvdisasm", tool, sizeof tool);
    if (!nvdisasm && !find_tool(folder, "cuobjdump", tool, sizeof tool)) {
        DiagItem *item = diag_error(d, DIAG_compile, (Span){0}, "no-disassembler",
                                    "neither nvdisasm nor cuobjdump was found");
        diag_note(d, item, "they come with the CUDA toolkit; PTX needs neither");
        diag_help(d, item, "option kernel.cuda FOLDER");
        return false;
    }
    int fd = mkstemp(file);
    bool good = fd >= 0 && write_file(fd, image);
    const char *args[] = {tool, nvdisasm ? "--print-code" : "--dump-sass", file, NULL};
    good = good && run_tool(args, out);
    if (fd >= 0)
        unlink(file);
    if (!good)
        diag_error(d, DIAG_compile, (Span){0}, "disassembler", "%s does not take the machine code",
                   tool);
    return good;
}

/* ----------------------------------------------------------------------------------- the whole */

/* The text of the kernels, without the prelude, and their plan. */
static bool write_text(const Trace *t, NodeId n, const CudaView *v, GenCuda *plan, StrBuf *out,
                       Diag *d)
{
    Arena a = {0};
    Region r;
    StrBuf why = {0};
    GenOptions o = {.eager_rounding = v->eager_rounding};
    GenTarget target = cuda_usual_target(v->arch);
    bool good = gen_region(t, n, &a, &r) && gen_cuda(&r, &o, &target, 0, "kernel", plan, out, &why);
    if (!good)
        diag_help(d, diag_error(d, DIAG_compile, t->nodes[n].src, "no-kernel",
                                "no CUDA kernel for prims.%s: %s", t->nodes[n].op->name,
                                why.n ? sb_cstr(&why) : "it has parts that are no prims"),
                  "kernel NAME --c shows it in C; `pass off fuse` leaves each statement its own");
    sb_free(&why);
    arena_free(&a);
    return good;
}

static bool show(const CudaView *v, const GenCuda *plan, const StrBuf *text, const Nvrtc *nvrtc,
                 StrBuf *out, Diag *d)
{
    CudaImage cubin = {0}, ptx = {0};
    StrBuf whole = {0}, code = {0};
    sb_puts(&whole, gen_cuda_prelude());
    sb_add(&whole, sb_str(text));
    bool good = nvrtc_compile(nvrtc, sb_str(&whole), CUDA_cubin, v->arch, v->fast_math, (Str){0},
                              &cubin, d);
    if (good && v->form == CUDA_assembly)
        good = nvrtc_compile(nvrtc, sb_str(&whole), CUDA_ptx, v->arch, v->fast_math, (Str){0}, &ptx,
                             d);
    if (good && v->form == CUDA_machine)
        good = disassemble(&cubin, v->folder, &code, d);
    if (good) {
        print_figures(plan, &cubin, v->arch, out);
        sb_add(out, v->form == CUDA_text       ? sb_str(text)
                    : v->form == CUDA_assembly ? (Str){ptx.data, ptx.size}
                                               : sb_str(&code));
    }
    cuda_image_free(&cubin);
    cuda_image_free(&ptx);
    sb_free(&whole);
    sb_free(&code);
    return good;
}

bool cuda_inspect(const Trace *t, NodeId n, const CudaView *v, StrBuf *out, Diag *d)
{
    GenCuda plan;
    StrBuf text = {0}, why = {0};
    if (!write_text(t, n, v, &plan, &text, d)) {
        sb_free(&text);
        return false;
    }
    Nvrtc *nvrtc = nvrtc_open(v->folder, &why);
    bool good = true;
    if (nvrtc) {
        good = show(v, &plan, &text, nvrtc, out, d);
    } else if (v->form == CUDA_text) {
        print_figures(&plan, NULL, v->arch, out);
        sb_add(out, sb_str(&text));
    } else {
        DiagItem *item = diag_error(d, DIAG_compile, (Span){0}, "no-nvrtc", "%s", sb_cstr(&why));
        diag_help(d, item, "option kernel.cuda FOLDER");
        good = false;
    }
    nvrtc_close(nvrtc);
    sb_free(&text);
    sb_free(&why);
    return good;
}
