/*
 * fake_cuda.c - a driver's library without a GPU: its memory is the host's, its kernels are calls.
 *
 * Work on a stream happens at once, or, while the stream records, when the graph is played. Each
 * call checks that what it is given exists and is large enough; what is wrong or left is counted.
 */
#include "fake_cuda.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BROKEN = 700, NOT_READY = 600, OUT_OF_MEMORY = 2, INVALID = 1, NOT_FOUND = 500,
       MAX_BLOCKS = 4096, MAX_WORK = 4096, MAX_AFTER = 64 };

FakeCuda fake_cuda = {.memory = (size_t)1 << 30};

typedef struct Block {
    uintptr_t at;
    size_t bytes;
} Block;

typedef struct Work {
    int kind; /* 0 copy, 1 fill, 2 kernel */
    void *to;
    const void *from;
    size_t n;
    FakeKernel *fn;
    void *params[64];
    uint64_t values[64];
    int after[MAX_AFTER], nafter; /* in a graph: the works that come before it, by number */
} Work;

typedef struct Graph {
    Work *work;
    int n;
    int last[MAX_AFTER], nlast; /* while it is recorded: what the next work comes after */
    int depth; /* works in the longest row of them */
} Graph;

static Block blocks[MAX_BLOCKS];
static Graph *graphs[64];
static void *pinned[64];
static uintptr_t handles; /* the last one given out */
static Graph *recording;
static int broken, endless;
static int steps = 1; /* one behind the other in what was done last */

static int wrong(void)
{
    fake_cuda.wrong++;
    return INVALID;
}

static int inside(const void *p, size_t n)
{
    uintptr_t at = (uintptr_t)p;
    for (int i = 0; i < MAX_BLOCKS; i++)
        if (blocks[i].at && at >= blocks[i].at && at + n <= blocks[i].at + blocks[i].bytes)
            return 1;
    return 0;
}

static void do_work(Work *w)
{
    if (w->kind == 0)
        memcpy(w->to, w->from, w->n);
    else if (w->kind == 1)
        memset(w->to, (int)w->values[0], w->n);
    else
        w->fn(w->params);
}

static int queue(Work w)
{
    if (!recording) {
        for (int i = 0; i < 64; i++)
            w.params[i] = &w.values[i];
        do_work(&w);
        steps = 1;
        return 0;
    }
    if (recording->n == MAX_WORK)
        return wrong();
    memcpy(w.after, recording->last, sizeof w.after);
    w.nafter = recording->nlast;
    recording->nlast = 1;
    recording->last[0] = recording->n;
    recording->work[recording->n++] = w;
    return 0;
}

int cuInit(unsigned flags) { return flags ? wrong() : 0; }
int cuDriverGetVersion(int *v) { return *v = 13000, 0; }
int cuDeviceGetCount(int *n) { return *n = 1, 0; }
int cuDeviceGet(int *d, int i) { return *d = i, i ? wrong() : 0; }
int cuDeviceGetName(char *name, int len, int d)
{
    strncpy(name, "no GPU at all", (size_t)len);
    return d ? wrong() : 0;
}
int cuDeviceGetAttribute(int *v, int attribute, int d)
{
    *v = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 16 ? 132 : 1 << 20;
    return d ? wrong() : 0;
}
int cuDeviceTotalMem_v2(size_t *n, int d) { return *n = fake_cuda.memory, d ? wrong() : 0; }
int cuDevicePrimaryCtxRetain(void **c, int d)
{
    *c = &fake_cuda;
    fake_cuda.contexts++;
    return broken ? BROKEN : d ? wrong() : 0;
}
int cuDevicePrimaryCtxRelease_v2(int d)
{
    return fake_cuda.contexts-- < 1 || d ? wrong() : 0;
}
static void drop_graph(Graph *g)
{
    for (int i = 0; i < 64; i++)
        if (graphs[i] == g)
            graphs[i] = NULL;
    fake_cuda.graphs--;
    free(g->work);
    free(g);
}
int cuDevicePrimaryCtxReset_v2(int d)
{
    for (int i = 0; i < 64; i++)
        if (graphs[i])
            drop_graph(graphs[i]);
    for (int i = 0; i < MAX_BLOCKS; i++) {
        free((void *)blocks[i].at);
        blocks[i] = (Block){0, 0};
    }
    for (int i = 0; i < 64; i++) {
        free(pinned[i]);
        pinned[i] = NULL;
    }
    fake_cuda.used = 0;
    fake_cuda.blocks = fake_cuda.pinned = fake_cuda.streams = fake_cuda.events = 0;
    broken = broken && fake_cuda.for_good;
    fake_cuda.waits += endless;
    return d ? wrong() : 0;
}
int cuCtxSetCurrent(void *c) { return c == &fake_cuda ? 0 : wrong(); }

int cuMemGetInfo_v2(size_t *room, size_t *all)
{
    *all = fake_cuda.memory;
    *room = fake_cuda.memory - fake_cuda.used;
    return broken ? BROKEN : 0;
}
int cuMemAlloc_v2(uint64_t *at, size_t bytes)
{
    if (broken)
        return BROKEN;
    if (bytes > fake_cuda.memory - fake_cuda.used)
        return OUT_OF_MEMORY;
    for (int i = 0; i < MAX_BLOCKS; i++) {
        if (blocks[i].at)
            continue;
        void *p = aligned_alloc(512, (bytes + 511) / 512 * 512);
        memset(p, 0x7f, bytes); /* not zeros: nobody may rely on them */
        blocks[i] = (Block){(uintptr_t)p, bytes};
        *at = (uintptr_t)p;
        fake_cuda.used += bytes;
        fake_cuda.blocks++;
        return 0;
    }
    return wrong();
}
int cuMemFree_v2(uint64_t at)
{
    fake_cuda.waits += endless;
    if (recording)
        return wrong();
    for (int i = 0; i < MAX_BLOCKS; i++) {
        if (blocks[i].at != at || !at)
            continue;
        fake_cuda.used -= blocks[i].bytes;
        fake_cuda.blocks--;
        free((void *)blocks[i].at);
        blocks[i] = (Block){0, 0};
        return 0;
    }
    return broken ? BROKEN : wrong();
}
int cuMemHostAlloc(void **p, size_t bytes, unsigned flags)
{
    *p = calloc(1, bytes);
    for (int i = 0; i < 64; i++) {
        if (pinned[i])
            continue;
        pinned[i] = *p;
        fake_cuda.pinned++;
        return flags == 3 ? 0 : wrong();
    }
    return wrong();
}
int cuMemFreeHost(void *p)
{
    fake_cuda.waits += endless;
    for (int i = 0; i < 64; i++) {
        if (pinned[i] != p)
            continue;
        free(p);
        pinned[i] = NULL;
        fake_cuda.pinned--;
        return 0;
    }
    return wrong();
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, void *s)
{
    __atomic_fetch_add(&fake_cuda.uploads, 1, __ATOMIC_RELAXED); /* several threads send */
    if (!s || !inside((void *)to, n) || recording)
        return broken ? BROKEN : wrong();
    return broken ? BROKEN : queue((Work){.to = (void *)to, .from = from, .n = n});
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *s)
{
    __atomic_fetch_add(&fake_cuda.downloads, 1, __ATOMIC_RELAXED);
    if (!s || !inside((void *)from, n) || recording)
        return broken ? BROKEN : wrong();
    return broken ? BROKEN : queue((Work){.to = to, .from = (void *)from, .n = n});
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *s)
{
    if (!s || !inside((void *)from, n) || !inside((void *)to, n))
        return wrong();
    return queue((Work){.to = (void *)to, .from = (void *)from, .n = n});
}
int cuMemsetD8Async(uint64_t to, unsigned char byte, size_t n, void *s)
{
    if (!s || !inside((void *)to, n))
        return wrong();
    return queue((Work){.kind = 1, .to = (void *)to, .n = n, .values = {byte}});
}

int cuStreamCreate(void **s, unsigned flags)
{
    *s = (void *)++handles;
    fake_cuda.streams++;
    return flags == 1 ? 0 : wrong();
}
int cuStreamDestroy_v2(void *s)
{
    fake_cuda.waits += endless;
    fake_cuda.streams--;
    return s ? 0 : wrong();
}
int cuStreamSynchronize(void *s)
{
    fake_cuda.waits += endless;
    return recording || !s ? wrong() : broken ? BROKEN : 0;
}
int cuStreamQuery(void *s)
{
    return recording || !s ? wrong() : broken ? BROKEN : endless ? NOT_READY : 0;
}
int cuStreamWriteValue32_v2(void *s, uint64_t to, uint32_t value, unsigned flags)
{
    if (!s || recording || flags)
        return wrong();
    if (!broken && !endless)
        *(uint32_t *)to = value;
    return broken ? BROKEN : 0;
}
int cuStreamBeginCapture_v2(void *s, int mode)
{
    if (!s || recording || mode != 2)
        return wrong();
    recording = calloc(1, sizeof *recording);
    recording->work = calloc(MAX_WORK, sizeof *recording->work);
    return 0;
}
int cuStreamEndCapture(void *s, void **g)
{
    if (!s || !recording)
        return wrong();
    *g = recording;
    recording = NULL;
    return 0;
}
/* Nodes are numbers of works, from 1. */
int cuStreamGetCaptureInfo_v2(void *s, int *status, uint64_t *id, void **g, void *const **last,
                              size_t *n)
{
    static void *nodes[MAX_AFTER];
    *status = recording != NULL;
    *id = 1;
    *g = recording;
    *n = recording ? (size_t)recording->nlast : 0;
    for (size_t i = 0; i < *n; i++)
        nodes[i] = (void *)(uintptr_t)(recording->last[i] + 1);
    *last = nodes;
    return s ? 0 : wrong();
}
int cuStreamUpdateCaptureDependencies(void *s, void **nodes, size_t n, unsigned flags)
{
    if (!s || !recording || flags > 1)
        return wrong();
    if (flags == 1)
        recording->nlast = 0;
    for (size_t i = 0; i < n; i++) {
        int node = (int)(uintptr_t)nodes[i] - 1;
        if (node < 0 || node >= recording->n || recording->nlast == MAX_AFTER)
            return wrong();
        recording->last[recording->nlast++] = node;
    }
    return 0;
}
static int is_ready(const Work *w, const char *done)
{
    for (int i = 0; i < w->nafter; i++)
        if (!done[w->after[i]])
            return 0;
    return 1;
}
/* Works that nothing orders are done the wrong way round. */
static void play(const Graph *g)
{
    char done[MAX_WORK] = {0};
    for (int left = g->n; left > 0 && !broken; left--) {
        int next = g->n - 1;
        while (done[next] || !is_ready(&g->work[next], done))
            next--;
        queue(g->work[next]);
        done[next] = 1;
    }
    steps = g->depth;
}
static int depth_of(const Graph *g)
{
    static int depth[MAX_WORK];
    int most = 0;
    for (int i = 0; i < g->n; i++) {
        depth[i] = 1;
        for (int k = 0; k < g->work[i].nafter; k++)
            if (depth[g->work[i].after[k]] >= depth[i])
                depth[i] = depth[g->work[i].after[k]] + 1;
        most = depth[i] > most ? depth[i] : most;
    }
    return most;
}
int cuGraphInstantiateWithFlags(void **exec, void *g, unsigned long long flags)
{
    Graph *from = g, *to = malloc(sizeof *to);
    *to = *from;
    to->work = malloc((size_t)(from->n + 1) * sizeof *to->work);
    memcpy(to->work, from->work, (size_t)from->n * sizeof *to->work);
    to->depth = depth_of(to);
    *exec = to;
    fake_cuda.graphs++;
    for (int i = 0; i < 64; i++) {
        if (graphs[i])
            continue;
        graphs[i] = to;
        return flags ? wrong() : 0;
    }
    return wrong();
}
int cuGraphLaunch(void *exec, void *s)
{
    Graph *g = exec;
    if (recording || !s)
        return wrong();
    fake_cuda.plays++;
    broken = broken || fake_cuda.fail_play;
    fake_cuda.fail_play = 0;
    play(g);
    return broken ? BROKEN : 0;
}
int cuGraphDestroy(void *g)
{
    free(((Graph *)g)->work);
    free(g);
    return 0;
}
int cuGraphExecDestroy(void *exec)
{
    drop_graph(exec);
    return 0;
}

int cuEventCreate(void **e, unsigned flags)
{
    *e = (void *)++handles;
    fake_cuda.events++;
    return flags ? wrong() : 0;
}
int cuEventDestroy_v2(void *e)
{
    fake_cuda.events--;
    return e ? 0 : wrong();
}
int cuEventRecord(void *e, void *s) { return e && s ? 0 : wrong(); }
int cuEventSynchronize(void *e) { return !e ? wrong() : broken ? BROKEN : 0; }
int cuEventElapsedTime(float *ms, void *from, void *to)
{
    *ms = (float)steps;
    return from && to ? 0 : wrong();
}

int cuModuleLoadData(void **m, const void *image) 
{
    *m = (void *)++handles;
    return image ? 0 : wrong();
}
int cuModuleUnload(void *m)
{
    fake_cuda.waits += endless;
    return m ? 0 : wrong();
}
int cuFuncSetAttribute(void *f, int attribute, int value)
{
    return f && attribute == 8 && value > 0 ? 0 : wrong();
}

/* out[i] = -in[i] of n floats. */
static void negate(void **params)
{
    const float *in = *(float **)params[0];
    float *out = *(float **)params[1];
    int64_t n = *(int64_t *)params[2];
    for (int64_t i = 0; i < n; i++)
        out[i] = -in[i];
}

/* As executors/cuda_kernels.c describes a view. */
typedef struct View {
    int rank, size, small;
    int64_t n, sizes[8], strides[8];
} View;

/* Element i of a view. */
static const char *element(const View *s, const char *from, int64_t i)
{
    for (int d = s->rank - 1; d >= 0; d--) {
        from += i % s->sizes[d] * s->strides[d] * s->size;
        i /= s->sizes[d];
    }
    return from;
}
static void strided_copy(void **params)
{
    char *to = *(char **)params[0];
    const char *from = *(const char **)params[1];
    const View *s = params[2];
    for (int64_t i = 0; i < s->n; i++)
        memcpy(to + i * s->size, element(s, from, i), (size_t)s->size);
}

/* The kernels that there are; their third parameter has so many bytes. */
static const struct {
    const char *name;
    FakeKernel *fn;
    size_t third;
} kernels[] = {{"negate", negate, sizeof(int64_t)}, {"strided_copy", strided_copy, sizeof(View)}};

int cuModuleGetFunction(void **f, void *m, const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0)
            return memcpy(f, &kernels[i].fn, sizeof *f), m ? 0 : wrong();
    return m ? NOT_FOUND : wrong();
}
static int stays_inside(const Work *w)
{
    const View *s = (const View *)&w->values[2];
    size_t n = w->values[2] * 4;
    if (w->fn == negate)
        return inside((void *)w->values[0], n) && inside((void *)w->values[1], n);
    const char *from = (const char *)w->values[1];
    return s->n == 0 || (inside((void *)w->values[0], (size_t)(s->n * s->size)) &&
                         inside(from, (size_t)s->size) &&
                         inside(element(s, from, s->n - 1), (size_t)s->size));
}
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *s, void **params, void **extra)
{
    Work w = {.kind = 2};
    if (!f || !s || extra || shared || gx * gy * gz == 0 || bx * by * bz == 0)
        return wrong();
    if (++fake_cuda.launches == fake_cuda.fail_launch)
        broken = 1;
    if (fake_cuda.launches == fake_cuda.endless_launch)
        endless = 1;
    if (broken || endless)
        return 0; /* what a kernel does wrong is seen later */
    memcpy(&w.fn, &f, sizeof f);
    memcpy(&w.values[0], params[0], sizeof w.values[0]);
    memcpy(&w.values[1], params[1], sizeof w.values[1]);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i].fn == w.fn)
            memcpy(&w.values[2], params[2], kernels[i].third);
    return stays_inside(&w) ? queue(w) : wrong();
}

/* As executors/cuda_driver.h describes a launch with attributes. */
typedef struct Attribute {
    int id;
    char pad[4];
    int on;
    char rest[60];
} Attribute;
typedef struct Launch {
    unsigned grid[3], block[3], shared;
    void *stream;
    const Attribute *attributes;
    unsigned n;
} Launch;

/* What begins early waits for one work, not for several. Kernels here wait before they do anything,
 * so what they do comes where it would come without. */
int cuLaunchKernelEx(const Launch *l, void *f, void **params, void **extra)
{
    bool early = l && l->n == 1 && l->attributes[0].id == 6 && l->attributes[0].on == 1;
    if (!early || !recording || recording->nlast > 1)
        return wrong();
    fake_cuda.early++;
    return cuLaunchKernel(f, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                          l->block[2], l->shared, l->stream, params, extra);
}
int cuGetErrorName(int r, const char **name)
{
    *name = r == BROKEN ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_UNKNOWN";
    return 0;
}
int cuGetErrorString(int r, const char **text)
{
    *text = r == BROKEN ? "an illegal memory access was encountered" : "unknown";
    return 0;
}
