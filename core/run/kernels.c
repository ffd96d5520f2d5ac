/*
 * kernels.c - what a session keeps so that running a stage again costs only its kernels.
 *
 * Input: a trace and the nodes of it that run through kernels. Output: the kernels, compiled once,
 * and places for results: at the planned offset of one arena, or in a buffer that an earlier run
 * gave back. The latest traces are kept, older ones are dropped with their kernels.
 */
#define _GNU_SOURCE
#include "guard.h"
#include "run.h"

#include "inject.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_KEPT = 8, MAX_FREE = 16, POOL_FROM = 1 << 16, ALIGNMENT = 64 };

/* Buffers that were given back. Lives until its last buffer does, maybe after the session. */
typedef struct Pool {
    int refs;
    bool closed;
    struct {
        size_t bytes;
        void *data;
    } items[MAX_FREE];
    uint32_t n, next;
} Pool;

typedef struct KeptTrace {
    Trace *t;
    uint64_t key; /* of options and of who runs what */
    Kernel **kernels; /* by node */
    bool one_device;
    Buffer *arena; /* of the plan; NULL until the first run */
    Buffer *device_arena; /* the same on a device */
    Tensor **windows; /* by value: its place there, used again by every run */
    Recording *recording;
    Steady *steady; /* NULL until it runs a second time as a whole */
    uint64_t used;
} KeptTrace;

/* A text that takes the place of a generated one. */
typedef struct KernelText {
    uint64_t hash; /* of the kernel that was generated */
    char *text;
} KernelText;

struct Kernels {
    KeptTrace kept[MAX_KEPT];
    KernelText *edits;
    uint32_t nedits;
    uint64_t clock;
    Pool *pool;
    char folder[64]; /* of compiled kernels when the session has no cache; "" = none yet */
};

/* ----------------------------------------------------------------------------------------- pool */

static void pool_unref(Pool *p)
{
    if (--p->refs > 0)
        return;
    for (uint32_t i = 0; i < p->n; i++)
        free(p->items[i].data);
    free(p);
}

/* Keeps the memory of a buffer that nobody uses any more; when full, instead of the oldest. */
static void pool_release(Buffer *b)
{
    Pool *p = b->owner;
    if (p->closed) {
        free(b->data);
    } else {
        uint32_t at = p->n < MAX_FREE ? p->n++ : p->next++ % MAX_FREE;
        free(p->items[at].data);
        p->items[at].data = b->data;
        p->items[at].bytes = b->bytes;
    }
    pool_unref(p);
}

static Buffer *pool_take(Pool *p, size_t bytes)
{
    void *data = NULL;
    for (uint32_t i = 0; i < p->n && !data; i++) {
        if (p->items[i].bytes != bytes)
            continue;
        data = p->items[i].data;
        p->items[i] = p->items[--p->n];
        p->items[p->n].data = NULL;
    }
    if (!data)
        data = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    Buffer *b = data ? malloc(sizeof *b) : NULL;
    if (!b) {
        free(data);
        return NULL;
    }
    *b = (Buffer){.refs = 1, .bytes = bytes, .data = data, .release = pool_release, .owner = p};
    p->refs++;
    return b;
}

/* -------------------------------------------------------------------------------------- keeping */

static void drop_kept(KeptTrace *k)
{
    if (!k->t)
        return;
    recording_free(k->recording);
    steady_free(k->steady);
    for (ValueId v = 0; k->windows && v < k->t->nvalues; v++)
        tensor_unref(k->windows[v]);
    free(k->windows);
    buffer_unref(k->device_arena);
    for (NodeId n = 0; n < k->t->nnodes; n++)
        if (k->kernels[n])
            k->kernels[n]->executor->drop(k->kernels[n]);
    free(k->kernels);
    buffer_unref(k->arena);
    trace_unref(k->t);
    *k = (KeptTrace){0};
}

static Kernels *kernels_state(Session *s)
{
    if (s->kernels)
        return s->kernels;
    s->kernels = run_realloc(NULL, sizeof *s->kernels);
    *s->kernels = (Kernels){0};
    Pool *p = s->kernels->pool = run_realloc(NULL, sizeof *p);
    *p = (Pool){.refs = 1};
    guards_install();
    return s->kernels;
}

static void remove_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    char path[400];
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

void kernels_free(Session *s)
{
    Kernels *k = s->kernels;
    if (!k)
        return;
    for (size_t i = 0; i < MAX_KEPT; i++)
        drop_kept(&k->kept[i]);
    k->pool->closed = true;
    pool_unref(k->pool);
    for (uint32_t i = 0; i < k->nedits; i++)
        free(k->edits[i].text);
    free(k->edits);
    if (k->folder[0])
        remove_folder(k->folder);
    free(k);
    s->kernels = NULL;
    guards_remove();
}

void kernels_abandon(Session *s, const Trace *t)
{
    for (size_t i = 0; s->kernels && i < MAX_KEPT; i++)
        if (s->kernels->kept[i].t == t)
            s->kernels->kept[i] = (KeptTrace){0};
}

double kernel_timeout(const Session *s)
{
    double seconds = 60;
    str_to_f64(session_option(s, S("kernel.timeout"), S("60")), &seconds);
    return seconds;
}

void kernels_forget(Session *s)
{
    for (size_t i = 0; s->kernels && i < MAX_KEPT; i++)
        drop_kept(&s->kernels->kept[i]);
}

static bool is_on(const Session *s, const char *option)
{
    return str_is(session_option(s, str_from(option), S("off")), "on");
}

static void tell_progress(void *user, uint32_t done, uint32_t total)
{
    session_emit(user, &(Event){.kind = EVENT_compile, .done = done, .total = total});
}

/* Kernels go to the folder of the option kernel.cache, else to one that dies with the session. */
static CompileOptions compile_options(Session *s)
{
    CompileOptions o = {.cache_dir = session_option(s, S("kernel.cache"), (Str){0}),
                        .compiler = session_option(s, S("kernel.cc"), (Str){0}),
                        .eager_rounding = is_on(s, "kernel.eager_rounding"),
                        .fast_math = is_on(s, "kernel.fast_math"),
                        .cuda_path = session_option(s, S("kernel.cuda"), (Str){0}),
                        .tune = is_on(s, "kernel.tune"),
                        .flags = session_option(s, S("kernel.flags"), (Str){0}),
                        .interrupt = &s->interrupt,
                        .progress = tell_progress,
                        .user = s};
    Kernels *k = s->kernels;
    if (o.cache_dir.n == 0) {
        if (!k->folder[0]) {
            strcpy(k->folder, "/tmp/thunder-kernels-XXXXXX");
            if (!mkdtemp(k->folder))
                k->folder[0] = 0;
        }
        o.cache_dir = str_from(k->folder);
    }
    return o;
}

CompileOptions kernels_options(Session *s)
{
    kernels_state(s);
    return compile_options(s);
}

static uint64_t key_of(const CompileOptions *o, const Executor *const *executors,
                       const NodeId *nodes, uint32_t n)
{
    uint64_t h = (n ? hash_bytes(nodes, n * sizeof *nodes, 17) : 17) ^ INJECT_KEY;
    for (uint32_t i = 0; i < n; i++)
        h = hash_bytes(executors[i]->name, strlen(executors[i]->name), h);
    unsigned char flags[] = {o->eager_rounding, o->fast_math, o->tune};
    h = hash_bytes(flags, sizeof flags, h);
    h = hash_bytes(o->flags.p, o->flags.n, h);
    return hash_bytes(o->compiler.p, o->compiler.n, h);
}

static bool one_device(const Trace *t)
{
    const Device *first = NULL;
    for (ValueId v = 1; v < t->nvalues; v++) {
        if (t->values[v].type.kind != VALUE_tensor)
            continue;
        if (first && !device_eq(*first, t->values[v].type.device))
            return false;
        first = &t->values[v].type.device;
    }
    return true;
}

/* The kernel that a person wrote in the place of *k, when there is one. */
static bool use_edited(Session *s, const Trace *t, NodeId n, const CompileOptions *o, Kernel **k,
                       Diag *d)
{
    const Kernels *all = s->kernels;
    for (uint32_t i = 0; i < all->nedits; i++) {
        if (all->edits[i].hash != (*k)->hash || (*k)->text.n == 0)
            continue;
        const Executor *e = (*k)->executor;
        CompileOptions with = *o;
        Kernel *edited = NULL;
        with.edited_text = str_from(all->edits[i].text);
        if (!e->compile(t, n, &with, &edited, d))
            return false;
        e->drop(*k);
        *k = edited;
        return true;
    }
    return true;
}

void kernel_keep_edit(Session *s, uint64_t hash, Str text)
{
    Kernels *all = kernels_state(s);
    uint32_t i = 0;
    while (i < all->nedits && all->edits[i].hash != hash)
        i++;
    if (i < all->nedits)
        free(all->edits[i].text);
    if (text.n == 0) {
        if (i < all->nedits)
            all->edits[i] = all->edits[--all->nedits];
    } else {
        if (i == all->nedits)
            all->edits = run_realloc(all->edits, ++all->nedits * sizeof *all->edits);
        char *copy = run_realloc(NULL, text.n + 1);
        memcpy(copy, text.p, text.n);
        copy[text.n] = 0;
        all->edits[i] = (KernelText){hash, copy};
    }
    kernels_forget(s);
}

Kernel *kernel_compile(Session *s, const Trace *t, NodeId n, Str text, Diag *d)
{
    const Executor *e = exec_find(&s->executors, str_from(t->nodes[n].executor));
    kernels_state(s);
    CompileOptions o = compile_options(s);
    Kernel *k = NULL;
    Diag none = {0};
    o.edited_text = text;
    if (e->device) /* where there is none, the text can still be read */
        o.device = session_device(s, e->device, &none);
    diag_clear(&none);
    return e->compile(t, n, &o, &k, d) ? k : NULL;
}

/* The kernels of these nodes, all of executor e. */
static bool compile_some(Session *s, KeptTrace *k, const Executor *e, const NodeId *nodes,
                         uint32_t n, CompileOptions *o, Kernel **made, Diag *d)
{
    bool good = true;
    o->device = e->device ? session_device(s, e->device, d) : NULL;
    if (e->device && !o->device)
        return false;
    if (e->compile_all)
        good = e->compile_all(k->t, nodes, n, o, made, d);
    for (uint32_t i = 0; i < n && good; i++) {
        good = e->compile_all || e->compile(k->t, nodes[i], o, &made[i], d);
        if (good)
            k->kernels[nodes[i]] = made[i];
    }
    for (uint32_t i = 0; i < n && good; i++)
        good = use_edited(s, k->t, nodes[i], o, &k->kernels[nodes[i]], d);
    return good;
}

/* The nodes of one executor are compiled together, executors in the order of their first node. */
static bool compile_nodes(Session *s, KeptTrace *k, const Executor *const *executors,
                          const NodeId *nodes, uint32_t n, CompileOptions *o, Diag *d)
{
    Kernel **made = run_realloc(NULL, n * sizeof *made);
    NodeId *mine = run_realloc(NULL, n * sizeof *mine);
    bool good = true;
    opening_begin(s, executors, n);
    for (uint32_t i = 0; i < n && good; i++) {
        uint32_t count = 0, first = 0;
        while (executors[first] != executors[i])
            first++;
        for (uint32_t j = i; first == i && j < n; j++)
            if (executors[j] == executors[i])
                mine[count++] = nodes[j];
        good = count == 0 || compile_some(s, k, executors[i], mine, count, o, made, d);
    }
    free(mine);
    free(made);
    return good;
}

Kernel *const *kernels_of(Session *s, const Trace *t, const Executor *const *executors,
                          const NodeId *nodes, uint32_t n, Diag *d)
{
    Kernels *all = kernels_state(s);
    CompileOptions o = compile_options(s);
    uint64_t key = key_of(&o, executors, nodes, n);
    KeptTrace *oldest = &all->kept[0];
    for (size_t i = 0; i < MAX_KEPT; i++) {
        KeptTrace *k = &all->kept[i];
        if (k->t == t && k->key == key) {
            k->used = ++all->clock;
            return k->kernels;
        }
        oldest = k->used < oldest->used ? k : oldest;
    }
    drop_kept(oldest);
    size_t bytes = (t->nnodes + 1) * sizeof(Kernel *);
    *oldest = (KeptTrace){.t = trace_ref(t), .key = key, .one_device = one_device(t)};
    oldest->kernels = memset(run_realloc(NULL, bytes), 0, bytes);
    oldest->used = ++all->clock;
    SpentOn before = spent_turn(&s->spent, SPENT_compile);
    bool good = compile_nodes(s, oldest, executors, nodes, n, &o, d);
    spent_back(&s->spent, before);
    if (good)
        return oldest->kernels;
    drop_kept(oldest);
    return NULL;
}

void kernels_ahead(Session *s, const Executor *e, const KernelSpec *specs, uint32_t n)
{
    kernels_state(s);
    CompileOptions o = compile_options(s);
    if (e->compile_ahead && n > 1)
        e->compile_ahead(specs, n, &o);
}

NodeId session_kernel_node(const Stage *st, Str name)
{
    const Trace *t = st->trace;
    Str bare = name.n && name.p[0] == '%' ? str_sub(name, 1, SIZE_MAX) : name;
    NodeId kernel = trace_find_kernel(t, name);
    ValueId v = kernel == NO_NODE ? trace_find_value(t, bare) : 0;
    if (v)
        for_top(t, n)
            if (node_makes(&t->nodes[n], v))
                return n;
    return kernel;
}

NodeId kernel_find(Session *s, const Stage *st, Str name, Diag *d)
{
    const Trace *t = st->trace;
    NodeId n = session_kernel_node(st, name);
    const Executor *e = n == NO_NODE || !t->nodes[n].executor
                            ? NULL
                            : exec_find(&s->executors, str_from(t->nodes[n].executor));
    if (e && e->compile)
        return n;
    DiagItem *item = diag_error(d, DIAG_usage, (Span){0}, "no-kernel",
                                "%.*s is no fusion of stage %.*s, nor a value that a kernel "
                                "makes", STR(name), STR(st->name));
    diag_help(d, item, n == NO_NODE ? "list fuse" : "option fuse.min_work 0");
    return NO_NODE;
}

bool session_kernel_text(Session *s, const Stage *st, Str name, Str form, StrBuf *out, Diag *d)
{
    NodeId n = kernel_find(s, st, name, d);
    Kernel *k = n == NO_NODE ? NULL : kernel_compile(s, st->trace, n, (Str){0}, d);
    CompileOptions o = kernels_options(s);
    if (!k || !use_edited(s, st->trace, n, &o, &k, d))
        return false;
    const Executor *e = k->executor;
    bool good = e->source && e->source(k, form, out);
    if (!good)
        diag_error(d, DIAG_usage, (Span){0}, "no-source", "%s has no %.*s text of a kernel",
                   e->name, STR(form));
    e->drop(k);
    return good;
}

/* --------------------------------------------------------------------------------------- places */

static KeptTrace *kept_of(const Session *s, const Trace *t)
{
    KeptTrace *best = NULL;
    for (size_t i = 0; s->kernels && i < MAX_KEPT; i++) {
        KeptTrace *k = &s->kernels->kept[i];
        if (k->t == t && (!best || k->used > best->used))
            best = k;
    }
    return best;
}

static Buffer *plan_arena(Kernels *all, KeptTrace *k)
{
    if (!k->arena)
        k->arena = pool_take(all->pool, (size_t)k->t->plan_bytes);
    return k->arena;
}

static Tensor *place(Kernels *all, KeptTrace *k, const Value *v, bool planned)
{
    const Type *type = &v->type;
    int64_t bytes = type_bytes(type);
    if (type->kind != VALUE_tensor || bytes <= 0 || v->layout)
        return NULL;
    if (planned && k->one_device && v->offset >= 0 && v->offset + bytes <= k->t->plan_bytes) {
        Buffer *arena = plan_arena(all, k);
        return arena ? tensor_over(arena, (DType)type->dtype, type->device, type->rank,
                                   type->shape, v->offset)
                     : NULL;
    }
    if (bytes < POOL_FROM)
        return NULL;
    Buffer *b = pool_take(all->pool, (size_t)bytes);
    Tensor *t = b ? tensor_over(b, (DType)type->dtype, type->device, type->rank, type->shape, 0)
                  : NULL;
    buffer_unref(b);
    return t;
}

Tensor *kernels_window(Session *s, const Trace *t, ValueId v)
{
    KeptTrace *k = kept_of(s, t);
    return k ? place(s->kernels, k, &t->values[v], true) : NULL;
}

Tensor *kernels_buffer(Session *s, const Type *type)
{
    Buffer *b = pool_take(s->kernels->pool, (size_t)type_bytes(type));
    Tensor *t = b ? tensor_over(b, (DType)type->dtype, type->device, type->rank, type->shape, 0)
                  : NULL;
    buffer_unref(b);
    return t;
}

Steady **kernels_steady(Session *s, const Trace *t)
{
    KeptTrace *k = kept_of(s, t);
    return k ? &k->steady : NULL;
}

/* A part of the one block that the plan asks for; the same tensor in every run. */
static Tensor *device_window(KeptTrace *k, ValueId v, OpenDevice *dev)
{
    const Value *value = &k->t->values[v];
    if (!k->windows)
        k->windows = memset(run_realloc(NULL, k->t->nvalues * sizeof(Tensor *)), 0,
                            k->t->nvalues * sizeof(Tensor *));
    Tensor *t = k->windows[v];
    if (t && t->refs == 1 && t->buf->refs == 1)
        return tensor_ref(t);
    if (!k->device_arena)
        k->device_arena = device_buffer(dev, (size_t)k->t->plan_bytes, NULL, 0);
    Buffer *b = k->device_arena ? device_buffer(dev, (size_t)value_extent(value), k->device_arena,
                                                (size_t)value->offset)
                                : NULL;
    const Type *type = &value->type;
    t = b ? tensor_over(b, (DType)type->dtype, type->device, type->rank, type->shape, 0) : NULL;
    buffer_unref(b);
    if (t && value->layout)
        memcpy(t->strides, value->layout, type->rank * sizeof *t->strides);
    tensor_unref(k->windows[v]);
    k->windows[v] = t;
    return tensor_ref(t);
}

static Tensor *device_place(KeptTrace *k, ValueId v, OpenDevice *dev, bool planned)
{
    const Value *value = &k->t->values[v];
    int64_t bytes = value->type.kind == VALUE_tensor ? value_extent(value) : 0;
    bool fits = planned && k->one_device && bytes > 0 && value->offset >= 0 &&
                bytes <= k->t->plan_bytes - value->offset;
    return fits ? device_window(k, v, dev) : NULL;
}

void kernels_place(Session *s, const Trace *t, NodeId n, OpenDevice *dev, bool planned,
                   Tensor **values)
{
    ValueId outs[MAX_OUTPUTS];
    KeptTrace *k = kept_of(s, t);
    uint32_t count = arg_values(t->nodes[n].out, outs, MAX_OUTPUTS);
    for (uint32_t i = 0; k && i < count && i < MAX_OUTPUTS; i++) {
        tensor_unref(values[outs[i]]);
        values[outs[i]] = dev ? device_place(k, outs[i], dev, planned)
                              : place(s->kernels, k, &t->values[outs[i]], planned);
    }
}

bool kernels_own(const Session *s, const Tensor *x)
{
    for (size_t i = 0; s->kernels && i < MAX_KEPT; i++) {
        const KeptTrace *k = &s->kernels->kept[i];
        if ((k->arena && k->arena == x->buf) ||
            (k->device_arena && x->buf->copy && x->buf->copy->whole == k->device_arena))
            return true;
    }
    return false;
}

Recording **kernels_recording(Session *s, const Trace *t)
{
    KeptTrace *k = kept_of(s, t);
    return k ? &k->recording : NULL;
}

Kernel *const *kernels_kept(const Session *s, const Trace *t)
{
    const KeptTrace *k = kept_of(s, t);
    return k ? k->kernels : NULL;
}

uint64_t kernels_config(Session *s)
{
    kernels_state(s);
    CompileOptions o = compile_options(s);
    return key_of(&o, NULL, NULL, 0) ^ exec_list_hash(&s->executors);
}
