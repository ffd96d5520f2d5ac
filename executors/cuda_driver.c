/* cuda_driver.c - opens libcuda and does what device.h asks with it; see cuda_driver.h. */
#define _GNU_SOURCE
#include "cuda_staging.h"

#include "log.h"

#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { /* of the driver's own lists */
    ATTRIBUTE_SMS = 16,
    ATTRIBUTE_L2 = 38,
    ATTRIBUTE_MAJOR = 75,
    ATTRIBUTE_MINOR = 76,
    ATTRIBUTE_SHARED = 97,
    HOST_PORTABLE_MAPPED = 3,
    STREAM_NON_BLOCKING = 1,
    CAPTURE_RELAXED = 2,
    CAPTURE_ADD = 0,
    CAPTURE_SET = 1,
    OUT_OF_MEMORY = 2,
    NOT_READY = 600,
};

struct DeviceGraph {
    CuGraphExec *exec;
};

/* ------------------------------------------------------------------------------------- opening */

bool cuda_seems_present(StrBuf *why_not)
{
    static const char *const files[] = {"/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"};
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (access(files[i], F_OK) == 0)
            return true;
    sb_puts(why_not, "this machine has no NVIDIA GPU (no /dev/nvidiactl)");
    return false;
}

static void *open_in(Str folder, const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%.*s/%s", STR(folder), name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void *cuda_library(Str folder, const char *const *names, StrBuf *why_not)
{
    static const char *const folders[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/lib",
                                          "/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu"};
    void *lib = NULL;
    for (const char *const *n = names; *n && !lib; n++) {
        if (folder.n)
            lib = open_in(folder, *n);
        if (!lib)
            lib = dlopen(*n, RTLD_NOW | RTLD_LOCAL);
        for (size_t i = 0; i < ARRAY_LEN(folders) && !lib; i++)
            lib = open_in(str_from(folders[i]), *n);
    }
    if (!lib)
        sb_printf(why_not, "%s was not found", names[0]);
    return lib;
}

void cuda_library_parts(void *lib, const char *const *names)
{
    char folder[PATH_MAX];
    if (dlinfo(lib, RTLD_DI_ORIGIN, folder) != 0)
        return;
    for (const char *const *n = names; *n; n++)
        open_in(str_from(folder), *n);
}

bool cuda_check(CudaDevice *c, CuResult r, const char *what)
{
    if (r == 0)
        return true;
    const char *name = NULL, *text = NULL;
    c->fn.error_name(r, &name);
    c->fn.error_text(r, &text);
    return device_fail(&c->base, "%s: %s (%s)", what, text ? text : "unknown error",
                       name ? name : "?");
}

static void load_optional(CudaDevice *c, const char *symbol, void *field)
{
    void *p = dlsym(c->lib, symbol);
    memcpy(field, &p, sizeof p);
}

static bool load_functions(CudaDevice *c, StrBuf *why)
{
#define LOAD(symbol, name, params)                                                                 \
    {                                                                                              \
        void *p = dlsym(c->lib, #symbol);                                                          \
        if (!p) {                                                                                  \
            sb_printf(why, "the driver is too old: it has no %s", #symbol);                        \
            return false;                                                                          \
        }                                                                                          \
        memcpy(&c->fn.name, &p, sizeof p);                                                         \
    }
    CUDA_DRIVER_FUNCTIONS(LOAD)
#undef LOAD
    load_optional(c, "cuLaunchKernelEx", &c->fn.launch_with);
    load_optional(c, "cuStreamGetCaptureInfo_v2", &c->fn.capture_info);
    load_optional(c, "cuStreamUpdateCaptureDependencies", &c->fn.capture_after);
    return true;
}

static bool read_info(CudaDevice *c)
{
    DeviceInfo *info = &c->base.info;
    int major = 0, minor = 0, sms = 0, l2 = 0, shared = 0;
    size_t bytes = 0;
    const CudaFunctions *f = &c->fn;
    bool good = f->version(&info->driver) == 0 &&
                f->device_name(info->name, sizeof info->name, c->device) == 0 &&
                f->device_attribute(&major, ATTRIBUTE_MAJOR, c->device) == 0 &&
                f->device_attribute(&minor, ATTRIBUTE_MINOR, c->device) == 0 &&
                f->device_attribute(&sms, ATTRIBUTE_SMS, c->device) == 0 &&
                f->device_attribute(&l2, ATTRIBUTE_L2, c->device) == 0 &&
                f->device_attribute(&shared, ATTRIBUTE_SHARED, c->device) == 0 &&
                f->device_memory(&bytes, c->device) == 0;
    info->arch = (uint32_t)(10 * major + minor);
    info->sms = (uint32_t)sms;
    info->l2 = l2;
    info->shared_max = shared;
    info->memory = (int64_t)bytes;
    return good || device_fail(&c->base, "the GPU does not say what it is");
}

static bool make_context(CudaDevice *c)
{
    const CudaFunctions *f = &c->fn;
    if (!cuda_check(c, f->context_retain(&c->context, c->device), "making a context") ||
        !cuda_check(c, f->context_set(c->context), "using a context") ||
        !cuda_check(c, f->stream_create(&c->stream, STREAM_NON_BLOCKING), "making a stream"))
        return false;
    for (size_t i = 0; i < DEVICE_MARKS; i++)
        if (!cuda_check(c, f->event_create(&c->marks[i], 0), "making an event"))
            return false;
    if (!staging_open(c))
        return false;
    void *flags = NULL;
    if (!cuda_check(c, f->host_alloc(&flags, MAX_FLAGS * sizeof *c->flags, HOST_PORTABLE_MAPPED),
                    "pinning memory"))
        return false;
    c->flags = memset(flags, 0, MAX_FLAGS * sizeof *c->flags);
    c->base.done = c->flags + MAX_FLAGS - 1;
    return true;
}

static void *open_driver(Str path, StrBuf *why)
{
    static const char *const names[] = {"libcuda.so.1", NULL};
    char file[PATH_MAX];
    if (path.n == 0)
        return cuda_library((Str){0}, names, why);
    snprintf(file, sizeof file, "%.*s", STR(path));
    void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        sb_printf(why, "%s", dlerror());
    return lib;
}

/* Starting the driver takes twice as long beside a thread that maps libraries. */
static void cuda_wake(Str path)
{
    StrBuf why = {0};
    CudaDevice c = {.lib = open_driver(path, &why)};
    if (c.lib && load_functions(&c, &why))
        c.fn.init(0);
    sb_free(&why);
}

static bool start(CudaDevice *c, Str path, StrBuf *why)
{
    c->lib = open_driver(path, why);
    if (!c->lib)
        return false;
    int n = 0;
    if (!load_functions(c, why))
        return false;
    CuResult r = c->fn.init(0);
    if (r == 0)
        r = c->fn.device_count(&n);
    if (!cuda_check(c, r, "starting the driver"))
        return false;
    if (n == 0) {
        sb_puts(why, "the driver sees no GPU");
        return false;
    }
    return cuda_check(c, c->fn.device_get(&c->device, 0), "choosing the GPU") && read_info(c) &&
           make_context(c);
}

static bool cuda_enter(OpenDevice *dev)
{
    CudaDevice *c = cuda_of(dev);
    return cuda_check(c, c->fn.context_set(c->context), "using a context");
}

/* After a failure of a kernel nothing in the context can be used, other handles of the process
 * included: only a reset gives a new one. The library stays loaded, since it runs threads. */
static void cuda_abandon(OpenDevice *dev)
{
    CudaDevice *c = cuda_of(dev);
    const CudaFunctions *f = &c->fn;
    if (dev->stuck)
        return; /* every call that gives something back waits for the kernel */
    if (c->context && dev->failure[0]) {
        f->context_reset(c->device);
        f->context_release(c->device);
        return; /* streams, events and pinned memory went with it */
    }
    staging_close(c);
    for (size_t i = 0; i < DEVICE_MARKS; i++)
        if (c->marks[i])
            f->event_destroy(c->marks[i]);
    if (c->flags)
        f->host_free(c->flags);
    if (c->stream)
        f->stream_destroy(c->stream);
    if (c->context)
        f->context_release(c->device);
}

static void cuda_close(OpenDevice *dev)
{
    free(dev);
}

static int64_t cuda_room(OpenDevice *dev)
{
    const CudaDevice *c = cuda_of(dev);
    size_t room = 0, all = 0;
    return c->fn.mem_info(&room, &all) == 0 ? (int64_t)room : -1;
}

static OpenDevice *cuda_open(Str path, Diag *d)
{
    CudaDevice *c = calloc(1, sizeof *c);
    StrBuf why = {0};
    if (!c)
        abort();
    c->base.refs = 1;
    c->base.driver = &cuda_driver;
    bool good = start(c, path, &why);
    c->base.room = good ? cuda_room(&c->base) : 0;
    if (!good) {
        DiagItem *item = diag_error(d, DIAG_device, (Span){0}, "no-device",
                                    "no GPU can be used: %s",
                                    why.n ? sb_cstr(&why) : c->base.failure);
        diag_help(d, item, "executors c,interp");
        device_unref(&c->base);
    }
    sb_free(&why);
    return good ? &c->base : NULL;
}

/* ------------------------------------------------------------------------------ memory, copies */

static bool cuda_alloc(OpenDevice *dev, size_t bytes, uint64_t *at)
{
    CudaDevice *c = cuda_of(dev);
    CuResult r = c->fn.mem_alloc(at, bytes);
    return r == 0 || (r != OUT_OF_MEMORY && cuda_check(c, r, "taking memory"));
}

static void cuda_free(OpenDevice *dev, uint64_t at)
{
    cuda_of(dev)->fn.mem_free(at);
}

static bool cuda_copy(OpenDevice *dev, uint64_t to, uint64_t from, size_t n)
{
    CudaDevice *c = cuda_of(dev);
    return cuda_check(c, c->fn.on_device(to, from, n, c->stream), "copying");
}

static bool cuda_fill(OpenDevice *dev, uint64_t to, unsigned char byte, size_t n)
{
    CudaDevice *c = cuda_of(dev);
    return cuda_check(c, c->fn.memset8(to, byte, n, c->stream), "filling memory");
}

/* ------------------------------------------------------------------------------------ the queue */

/* Short waits spin, which costs the least time; long ones let others run and look for Ctrl-C. */
static bool cuda_wait(OpenDevice *dev, const volatile int *interrupt)
{
    CudaDevice *c = cuda_of(dev);
    uint64_t start = clock_ns();
    for (uint64_t n = 0;; n++) {
        CuResult r = c->fn.stream_query(c->stream);
        if (r != NOT_READY)
            return cuda_check(c, r, "running kernels");
        if (interrupt && *interrupt)
            return true;
        if (n < 2000)
            continue;
        sched_yield();
        if (dev->limit <= 0 || (double)(clock_ns() - start) * 1e-9 <= dev->limit)
            continue;
        dev->stuck = dev->lost = true;
        return device_fail(dev, "kernels did not end within %g s (option kernel.timeout)",
                           dev->limit);
    }
}

static bool cuda_note(OpenDevice *dev, uint32_t n)
{
    CudaDevice *c = cuda_of(dev);
    uint64_t at = (uint64_t)(uintptr_t)dev->done;
    return cuda_check(c, c->fn.write_value(c->stream, at, n, 0), "marking progress");
}

static bool cuda_record_begin(OpenDevice *dev)
{
    CudaDevice *c = cuda_of(dev);
    return c->fn.capture_begin(c->stream, CAPTURE_RELAXED) == 0;
}

static DeviceGraph *cuda_record_end(OpenDevice *dev)
{
    CudaDevice *c = cuda_of(dev);
    CuGraph *graph = NULL;
    DeviceGraph *g = calloc(1, sizeof *g);
    if (!g)
        abort();
    bool good = c->fn.capture_end(c->stream, &graph) == 0 && graph &&
                c->fn.graph_instantiate(&g->exec, graph, 0) == 0;
    if (graph)
        c->fn.graph_destroy(graph);
    if (good)
        return g;
    free(g);
    return NULL;
}

static bool cuda_play(OpenDevice *dev, DeviceGraph *g)
{
    CudaDevice *c = cuda_of(dev);
    return cuda_check(c, c->fn.graph_launch(g->exec, c->stream), "starting a graph");
}

static uint32_t cuda_recorded_last(OpenDevice *dev, DeviceNode *nodes, uint32_t max)
{
    const CudaDevice *c = cuda_of(dev);
    int status = 0;
    uint64_t id = 0;
    CuGraph *graph = NULL;
    DeviceNode const *last = NULL;
    size_t n = 0;
    if (!c->fn.capture_info || !c->fn.capture_after ||
        c->fn.capture_info(c->stream, &status, &id, &graph, &last, &n) != 0)
        return UINT32_MAX;
    for (size_t i = 0; i < n && i < max; i++)
        nodes[i] = last[i];
    return (uint32_t)n;
}

static bool cuda_record_after(OpenDevice *dev, DeviceNode *nodes, uint32_t n, bool add)
{
    CudaDevice *c = cuda_of(dev);
    return c->fn.capture_after(c->stream, nodes, n, add ? CAPTURE_ADD : CAPTURE_SET) == 0;
}

static void cuda_graph_free(OpenDevice *dev, DeviceGraph *g)
{
    if (!dev->lost)
        cuda_of(dev)->fn.graph_exec_destroy(g->exec);
    free(g);
}

static bool cuda_mark(OpenDevice *dev, uint32_t which)
{
    CudaDevice *c = cuda_of(dev);
    return cuda_check(c, c->fn.event_record(c->marks[which], c->stream), "marking the queue");
}

static double cuda_between_marks(OpenDevice *dev)
{
    CudaDevice *c = cuda_of(dev);
    float ms = 0;
    bool good = cuda_check(c, c->fn.event_wait(c->marks[1]), "running kernels") &&
                cuda_check(c, c->fn.event_elapsed(&ms, c->marks[0], c->marks[1]), "measuring");
    return good ? ms : -1;
}

GenTarget cuda_target(const OpenDevice *dev)
{
    return (GenTarget){dev->info.arch, dev->info.sms, dev->info.l2, dev->info.shared_max};
}

const DeviceDriver cuda_driver = {
    .name = "cuda",
    .wake = cuda_wake,
    .open = cuda_open,
    .enter = cuda_enter,
    .abandon = cuda_abandon,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .room = cuda_room,
    .upload = cuda_upload,
    .download = cuda_download,
    .copy = cuda_copy,
    .fill = cuda_fill,
    .gather = cuda_gather,
    .wait = cuda_wait,
    .note = cuda_note,
    .record_begin = cuda_record_begin,
    .record_end = cuda_record_end,
    .play = cuda_play,
    .recorded_last = cuda_recorded_last,
    .record_after = cuda_record_after,
    .graph_free = cuda_graph_free,
    .mark = cuda_mark,
    .between_marks = cuda_between_marks,
};
