/* cuda_kernels.c - compiling, loading and launching generated texts; see cuda_kernels.h. */
#include "cuda_kernels.h"

#include "cc.h"
#include "shares.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 16, MAX_STRIDED = 8 };
enum { SET_SHARED = 8, SET_CARVEOUT = 9 }; /* attributes of functions */

/* What the executors keep with a device. */
typedef struct Helper {
    Nvrtc *nvrtc;
    CudaModule *copy_module;
    CuFunction *copy; /* of a strided tensor */
} Helper;

/* ----------------------------------------------------------------------------- the compiler */

static void module_unref(CudaModule *m, OpenDevice *dev)
{
    if (!m || --m->refs > 0)
        return;
    if (dev && !dev->lost)
        cuda_of(dev)->fn.module_unload(m->module);
    free(m);
}

static void helper_free(OpenDevice *dev, void *thing)
{
    Helper *h = thing;
    module_unref(h->copy_module, dev);
    nvrtc_close(h->nvrtc);
    free(h);
}

static const char helper_key;

static Helper *helper_of(OpenDevice *dev)
{
    Helper *h = device_thing(dev, &helper_key);
    if (h)
        return h;
    h = calloc(1, sizeof *h);
    if (!h)
        abort();
    if (device_keep(dev, &helper_key, h, helper_free))
        return h;
    free(h);
    return NULL;
}

/* NVRTC, opened once for a device. NULL with an error. */
static const Nvrtc *cuda_nvrtc(OpenDevice *dev, Str folder, Diag *d)
{
    Helper *h = helper_of(dev);
    StrBuf why = {0};
    SpentOn before = spent_turn(dev->spent, SPENT_libraries);
    if (h && !h->nvrtc)
        h->nvrtc = nvrtc_open(folder, &why);
    spent_back(dev->spent, before);
    if (!h || !h->nvrtc) {
        DiagItem *item = diag_error(d, DIAG_device, (Span){0}, "no-compiler",
                                    "NVRTC cannot be used: %s", sb_cstr(&why));
        diag_help(d, item, "option kernel.cuda FOLDER");
    }
    sb_free(&why);
    return h ? h->nvrtc : NULL;
}

/* -------------------------------------------------------------------- compiling several at once */

typedef struct Job {
    StrBuf text;
    CudaImage image;
    Diag diag;
    CudaModule *module;
    bool good;
} Job;

typedef struct Jobs {
    Job *items;
    uint32_t n;
    const Nvrtc *nvrtc;
    const CompileOptions *o;
} Jobs;

static void work(void *user, size_t from, size_t to)
{
    Jobs *j = user;
    for (size_t i = from; i < to; i++) {
        Job *job = &j->items[i];
        job->good = nvrtc_compile(j->nvrtc, sb_str(&job->text), CUDA_cubin, j->o->device->info.arch,
                                  j->o->fast_math, j->o->cache_dir, &job->image, &job->diag);
    }
}

static bool load_module(Job *job, OpenDevice *dev, Diag *d)
{
    CudaDevice *c = cuda_of(dev);
    job->module = calloc(1, sizeof *job->module);
    if (!job->module)
        abort();
    job->module->refs = 1; /* the job's, until its kernels have theirs */
    if (cuda_check(c, c->fn.module_load(&job->module->module, job->image.data), "loading a kernel"))
        return true;
    diag_error(d, DIAG_device, (Span){0}, "kernel-load", "%s", dev->failure);
    free(job->module);
    job->module = NULL;
    return false;
}

/* A multiprocessor divides its memory between cache and shared memory anew only when nothing runs
 * on it. Launches that begin while others run, and have few blocks, all want it shared. */
static bool divide_memory(const GenLaunch *l, CuFunction *f, OpenDevice *dev)
{
    CudaDevice *c = cuda_of(dev);
    int64_t blocks = (int64_t)l->grid[0] * l->grid[1] * l->grid[2];
    return !l->early || blocks > 2 * (int64_t)dev->info.sms ||
           cuda_check(c, c->fn.function_set(f, SET_CARVEOUT, 100), "dividing memory");
}

/* Whoever has a pool asks for it: 48 KB need no asking, but what the text itself declares as
 * shared, which is not known here, counts among them. */
static bool ask_for_pool(const GenLaunch *l, CuFunction *f, CudaDevice *c)
{
    return l->shared == 0 || cuda_check(c, c->fn.function_set(f, SET_SHARED, (int)l->shared),
                                        "asking for shared memory");
}

static bool take_functions(CudaCode *code, CudaModule *module, OpenDevice *dev, Diag *d)
{
    CudaDevice *c = cuda_of(dev);
    bool good = true;
    code->module = module;
    module->refs++;
    for (uint32_t i = 0; i < code->plan.nlaunch && good; i++) {
        const GenLaunch *l = &code->plan.launch[i];
        good = cuda_check(c, c->fn.module_function(&code->fn[i], module->module, l->name),
                          "finding a kernel") &&
               ask_for_pool(l, code->fn[i], c) &&
               divide_memory(l, code->fn[i], dev);
    }
    if (!good) {
        diag_error(d, DIAG_device, (Span){0}, "kernel-load", "%s", dev->failure);
        return false;
    }
    if (code->plan.scratch > 0 && !device_take(dev, (size_t)code->plan.scratch, &code->scratch))
        return device_no_memory(dev, d, code->plan.scratch, "a kernel's partial results");
    dev->kept += code->plan.scratch > 0 ? code->plan.scratch : 0;
    return code->plan.zeros == 0 ||
           dev->driver->fill(dev, code->scratch, 0, (size_t)code->plan.zeros) ||
           !diag_error(d, DIAG_device, (Span){0}, "kernel-load", "%s", dev->failure);
}

static uint32_t job_of(Jobs *j, Map *seen, const CudaBuild *b)
{
    bool fresh = false;
    MapEntry *e = map_put(seen, (Str){(const char *)&b->hash, sizeof b->hash}, &fresh);
    if (fresh) {
        e->u = j->n;
        Job *job = &j->items[j->n++];
        sb_puts(&job->text, gen_cuda_prelude());
        sb_add(&job->text, b->text);
    }
    return (uint32_t)e->u;
}

static bool load_jobs(Jobs *j, const CompileOptions *o, Diag *d)
{
    bool good = true;
    for (uint32_t i = 0; i < j->n; i++) {
        if (!j->items[i].good)
            diag_move(d, &j->items[i].diag);
        good = good && j->items[i].good && load_module(&j->items[i], o->device, d);
    }
    return good;
}

/* Puts what was compiled on the device; item i of the list is job[i]. */
static bool load_code(Jobs *j, const uint32_t *job, CudaBuild *list, uint32_t n, Diag *d)
{
    OpenDevice *dev = j->o->device;
    SpentOn before = spent_turn(dev->spent, SPENT_modules);
    bool good = load_jobs(j, j->o, d);
    for (uint32_t i = 0; i < n && good; i++) {
        const Job *from = &j->items[job[i]];
        list[i].cached = from->image.cached;
        list[i].compile_ns = from->image.compile_ns;
        good = take_functions(list[i].code, from->module, dev, d);
    }
    spent_back(dev->spent, before);
    return good;
}

bool cuda_code_load(CudaBuild *list, uint32_t n, const CompileOptions *o, Diag *d)
{
    Jobs j = {.nvrtc = cuda_nvrtc(o->device, o->cuda_path, d), .o = o};
    if (!j.nvrtc)
        return false;
    j.items = calloc(n + 1, sizeof *j.items);
    uint32_t *job = calloc(n + 1, sizeof *job);
    if (!j.items || !job)
        abort();
    Map seen = {0};
    for (uint32_t i = 0; i < n; i++) {
        list[i].hash = kernel_text_hash(list[i].text, o->fast_math);
        job[i] = job_of(&j, &seen, &list[i]);
    }
    SpentOn before = spent_turn(o->device->spent, SPENT_compile);
    share_work(j.n, 1, work, &j);
    spent_back(o->device->spent, before);
    bool good = load_code(&j, job, list, n, d);
    for (uint32_t i = 0; i < j.n; i++) {
        module_unref(j.items[i].module, o->device);
        cuda_image_free(&j.items[i].image);
        diag_clear(&j.items[i].diag);
        sb_free(&j.items[i].text);
    }
    map_free(&seen);
    free(job);
    free(j.items);
    return good;
}

void cuda_code_free(CudaCode *c, OpenDevice *dev)
{
    if (c->scratch) {
        device_give(dev, c->scratch, (size_t)c->plan.scratch);
        dev->kept -= c->plan.scratch;
    }
    module_unref(c->module, dev);
    *c = (CudaCode){0};
}

/* ------------------------------------------------------------------------------------ launching */

enum { BEGINS_EARLY = 6 }; /* attribute: programmatic stream serialization */

CuResult cuda_launch_one(OpenDevice *dev, const GenLaunch *l, bool early, CuFunction *f,
                         void **params)
{
    CudaDevice *c = cuda_of(dev);
    bool may = early && l->early && dev->held && !dev->joined;
    if (!may || !c->fn.launch_with || dev->info.arch < 90)
        return c->fn.launch(f, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                            l->block[2], l->shared, c->stream, params, NULL);
    CuAttribute begins = {.id = BEGINS_EARLY, .on = 1};
    CuLaunch with = {.shared = l->shared, .stream = c->stream, .attributes = &begins, .n = 1};
    memcpy(with.grid, l->grid, sizeof with.grid);
    memcpy(with.block, l->block, sizeof with.block);
    return c->fn.launch_with(&with, f, params, NULL);
}

bool cuda_code_launch(const CudaCode *code, OpenDevice *dev, uint64_t *at, uint32_t n, int *flag)
{
    CudaDevice *c = cuda_of(dev);
    void *params[MAX_REGION_INPUTS + MAX_OUTPUTS + 2];
    if (code->plan.scratch > 0)
        at[n++] = code->scratch;
    at[n++] = (uint64_t)(uintptr_t)flag;
    for (uint32_t i = 0; i < n; i++)
        params[i] = &at[i];
    for (uint32_t i = 0; i < code->plan.nlaunch; i++) {
        const GenLaunch *l = &code->plan.launch[i];
        if (l->grid[0] == 0 || l->grid[1] == 0 || l->grid[2] == 0)
            continue;
        CuResult r = cuda_launch_one(dev, l, !code->late, code->fn[i], params);
        if (!cuda_check(c, r, "launching a kernel"))
            return false;
    }
    return device_settled(dev);
}

bool cuda_failed(ExecCall *call, Str name)
{
    const OpenDevice *dev = call->device;
    if (dev->failure[0] && !dev->lost)
        diag_error(call->diag, DIAG_device, (Span){0}, "kernel-failed", "%.*s: %s", STR(name),
                   dev->failure);
    return false;
}

bool cuda_needs_session(ExecCall *call, const char *executor)
{
    DiagItem *item = diag_error(call->diag, DIAG_device, (Span){0}, "no-device",
                                "executor '%s' runs what a session prepared only", executor);
    diag_help(call->diag, item, "executors c,interp");
    return false;
}

/* ------------------------------------------------------------------------------------ arguments */

static bool no_room(ExecCall *call, ValueId v)
{
    const Value *value = value_get(call->t, v);
    char what[128];
    if (call->device->failure[0])
        return false;
    snprintf(what, sizeof what, "%.*s", STR(value->name));
    return device_no_memory(call->device, call->diag, type_bytes(&value->type), what);
}

bool cuda_strided_input(ExecCall *call, ValueId v, const Type *type, uint64_t *at, Tensor **t)
{
    *t = call->values[v];
    if (!*t || !tensor_is_of(*t, type)) {
        diag_error(call->diag, DIAG_compile, (Span){0}, "no-value",
                   "%.*s has no value of its type: it is not bound, or was deleted",
                   STR(value_get(call->t, v)->name));
        return false;
    }
    return tensor_on_device(*t, call->device, false, at) || no_room(call, v);
}

/* One thread a unit: out[i] = in[sum of index times stride]. Indices are 32 bits where they fit. */
static const char copy_text[] =
    "struct Shape { int rank, size, small; long long n, sizes[8], strides[8]; };\n"
    "struct Unit16 { unsigned long long a, b; };\n"
    "template <class T, class I> __device__ void copy(T *to, const T *from, const Shape &s)\n"
    "{\n"
    "    I step = (I)gridDim.x * blockDim.x;\n"
    "    for (I i = blockIdx.x * (I)blockDim.x + threadIdx.x; i < (I)s.n; i += step) {\n"
    "        I rest = i, at = 0;\n"
    "        for (int d = s.rank - 1; d >= 0; d--) {\n"
    "            I size = (I)s.sizes[d], up = rest / size;\n"
    "            at += (rest - up * size) * (I)s.strides[d];\n"
    "            rest = up;\n"
    "        }\n"
    "        to[i] = from[at];\n"
    "    }\n"
    "}\n"
    "template <class T> __device__ void move(void *to, const void *from, const Shape &s)\n"
    "{\n"
    "    if (s.small)\n"
    "        copy<T, unsigned>((T *)to, (const T *)from, s);\n"
    "    else\n"
    "        copy<T, long long>((T *)to, (const T *)from, s);\n"
    "}\n"
    "extern \"C\" __global__ void strided_copy(void *to, const void *from, Shape s)\n"
    "{\n"
    "    switch (s.size) {\n"
    "    case 1: move<char>(to, from, s); break;\n"
    "    case 2: move<short>(to, from, s); break;\n"
    "    case 4: move<int>(to, from, s); break;\n"
    "    case 8: move<long long>(to, from, s); break;\n"
    "    case 16: move<Unit16>(to, from, s); break;\n"
    "    }\n"
    "}\n";

typedef struct CopyShape {
    int rank, size, small;
    int64_t n, sizes[MAX_STRIDED], strides[MAX_STRIDED];
} CopyShape;

static CuFunction *copy_kernel(OpenDevice *dev)
{
    Helper *h = helper_of(dev);
    if (h && !h->copy) {
        Diag d = {0};
        CompileOptions o = {.device = dev};
        CudaCode code = {.plan = {.nlaunch = 1, .launch = {{.name = "strided_copy"}}}};
        CudaBuild build = {.text = S(copy_text), .code = &code};
        if (cuda_code_load(&build, 1, &o, &d)) {
            h->copy_module = code.module;
            h->copy = code.fn[0];
        }
        diag_clear(&d);
    }
    return h ? h->copy : NULL;
}

/* Dimensions that lie behind one another as one, those of size 1 left out. */
static void join_dims(CopyShape *s, uint32_t rank, const int64_t *sizes, const int64_t *strides)
{
    for (uint32_t i = 0; i < rank; i++) {
        s->n *= sizes[i];
        if (sizes[i] == 1)
            continue;
        int last = s->rank - 1;
        if (s->rank && s->strides[last] == strides[i] * sizes[i]) {
            s->sizes[last] *= sizes[i];
            s->strides[last] = strides[i];
        } else {
            s->sizes[s->rank] = sizes[i];
            s->strides[s->rank++] = strides[i];
        }
    }
}

/* Elements that lie side by side move together, up to 16 bytes at a time. */
static void widen_units(CopyShape *s, uint64_t to, uint64_t from)
{
    int last = s->rank - 1;
    while (s->rank && s->size < ALIGNED && s->strides[last] == 1 && s->sizes[last] % 2 == 0) {
        int size = 2 * s->size;
        bool good = to % (uint64_t)size == 0 && from % (uint64_t)size == 0;
        for (int i = 0; i < last && good; i++)
            good = s->strides[i] % 2 == 0;
        if (!good)
            return;
        for (int i = 0; i < last; i++)
            s->strides[i] /= 2;
        s->sizes[last] /= 2;
        s->n /= 2;
        s->size = size;
    }
}

static bool fits_32_bits(const CopyShape *s)
{
    int64_t most = 0;
    for (int i = 0; i < s->rank; i++) {
        if (s->strides[i] < 0)
            return false;
        most += (s->sizes[i] - 1) * s->strides[i];
    }
    return most < INT32_MAX && s->n < INT32_MAX;
}

bool cuda_gather(OpenDevice *dev, uint64_t to, uint64_t from, size_t size, uint32_t rank,
                 const int64_t *sizes, const int64_t *strides)
{
    CudaDevice *c = cuda_of(dev);
    CuFunction *f = rank <= MAX_STRIDED ? copy_kernel(dev) : NULL;
    if (!f)
        return false;
    CopyShape s = {.size = (int)size, .n = 1};
    join_dims(&s, rank, sizes, strides);
    widen_units(&s, to, from);
    s.small = fits_32_bits(&s);
    int64_t blocks = (s.n + 255) / 256, most = 32 * (int64_t)dev->info.sms;
    void *params[] = {&to, &from, &s};
    return s.n == 0 ||
           cuda_check(c, c->fn.launch(f, (unsigned)(blocks < most ? blocks : most), 1, 1, 256, 1, 1,
                                      0, c->stream, params, NULL), "copying a view");
}

Tensor *cuda_dense(ExecCall *call, const Tensor *t)
{
    Tensor *out = NULL;
    bool host_valid = t->buf->copy && t->buf->copy->host_valid;
    if (t->buf->copy)
        t->buf->copy->host_valid = false; /* what is in both places is copied on the device */
    out = device_clone(t);
    if (t->buf->copy)
        t->buf->copy->host_valid = host_valid;
    if (!out && !call->device->held && !call->device->failure[0])
        out = tensor_clone(t); /* through the host */
    return out;
}

bool cuda_input(ExecCall *call, ValueId v, const Type *type, uint64_t *at, Tensor **made)
{
    Tensor *t;
    if (!cuda_strided_input(call, v, type, at, &t))
        return false;
    if (tensor_is_contiguous(t) && *at % ALIGNED == 0)
        return true;
    *made = cuda_dense(call, t);
    return (*made && tensor_on_device(*made, call->device, false, at)) || no_room(call, v);
}

bool cuda_strided_output(ExecCall *call, ValueId v, const Type *type, uint64_t *at, Tensor **t)
{
    Tensor **place = &call->values[v];
    if (*place && !tensor_is_of(*place, type)) {
        tensor_unref(*place);
        *place = NULL;
    }
    if (!*place) {
        Buffer *b = device_buffer(call->device, (size_t)type_bytes(type), NULL, 0);
        if (!b)
            return no_room(call, v);
        *place = tensor_over(b, (DType)type->dtype, type->device, type->rank, type->shape, 0);
        buffer_unref(b);
    }
    *t = *place;
    return (*place && tensor_on_device(*place, call->device, true, at)) || no_room(call, v);
}

bool cuda_output(ExecCall *call, ValueId v, const Type *type, uint64_t *at)
{
    Tensor *t = call->values[v];
    if (t && !tensor_is_contiguous(t)) {
        tensor_unref(t);
        call->values[v] = NULL;
    }
    return cuda_strided_output(call, v, type, at, &t);
}
