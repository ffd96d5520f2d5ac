/* cudnn_api.c - descriptors of cuDNN's backend, one after another; see cudnn_api.h. */
#include "cudnn_api.h"

#include "kept.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { /* kinds of descriptors */
    KIND_POINTWISE = 0,
    KIND_CONVOLUTION = 1,
    KIND_ENGINE = 2,
    KIND_ENGINE_CONFIG = 3,
    KIND_HEURISTIC = 4,
    KIND_PLAN = 5,
    KIND_OP_CONV = 10,
    KIND_OP_CONV_WEIGHT = 11,
    KIND_OP_CONV_DATA = 12,
    KIND_OP_POINTWISE = 13,
    KIND_GRAPH = 15,
    KIND_PACK = 16,
    KIND_TENSOR = 17,
    KIND_MATMUL = 18,
    KIND_OP_MATMUL = 19,
    KIND_REDUCTION = 21,
    KIND_OP_REDUCTION = 22,
    KIND_OP_RESHAPE = 31,
};

enum { /* types of attributes */
    TYPE_HANDLE = 0,
    TYPE_DATA_TYPE = 1,
    TYPE_BOOL = 2,
    TYPE_I64 = 3,
    TYPE_FLOAT = 4,
    TYPE_DOUBLE = 5,
    TYPE_POINTER = 6,
    TYPE_CONV_MODE = 7,
    TYPE_HEUR_MODE = 8,
    TYPE_NAN = 10,
    TYPE_NOTE = 11,
    TYPE_POINTWISE_MODE = 14,
    TYPE_DESC = 15,
    TYPE_REDUCTION = 18,
    TYPE_CHAR = 24,
};

enum { /* attributes */
    PW_MODE = 0,
    PW_TYPE = 1,
    PW_NAN = 2,
    PW_AXIS = 9,
    CONV_TYPE = 100,
    CONV_MODE = 101,
    CONV_DILATIONS = 102,
    CONV_STRIDES = 103,
    CONV_POST_PADDINGS = 104,
    CONV_PRE_PADDINGS = 105,
    CONV_DIMS = 106,
    HEUR_MODE = 200,
    HEUR_GRAPH = 201,
    HEUR_RESULTS = 202,
    CONFIG_ENGINE = 300,
    PLAN_HANDLE = 400,
    PLAN_CONFIG = 401,
    PLAN_WORKSPACE = 402,
    PLAN_JSON = 405,
    OP_CONV_FIRST = 700, /* alpha, beta, description, weight, x, y */
    OP_CONV_DATA_FIRST = 706,
    OP_CONV_WEIGHT_FIRST = 712, /* the same with x before y */
    OP_PW_DESC = 750,
    OP_PW_X = 751,
    OP_PW_B = 752,
    OP_PW_Y = 753,
    OP_PW_ALPHA = 754,
    OP_PW_T = 758,
    GRAPH_HANDLE = 800,
    GRAPH_OPS = 801,
    TENSOR_ALIGNMENT = 900,
    TENSOR_TYPE = 901,
    TENSOR_DIMS = 902,
    TENSOR_STRIDES = 903,
    TENSOR_UID = 906,
    TENSOR_VIRTUAL = 907,
    TENSOR_BY_VALUE = 908,
    PACK_UIDS = 1000,
    PACK_POINTERS = 1001,
    PACK_WORKSPACE = 1003,
    ENGINE_NOTES = 1303,
    MATMUL_TYPE = 1500,
    OP_MATMUL_A = 1520,
    OP_MATMUL_B = 1521,
    OP_MATMUL_C = 1522,
    OP_MATMUL_DESC = 1523,
    REDUCTION_OP = 1600,
    REDUCTION_TYPE = 1601,
    OP_REDUCTION_X = 1610,
    OP_REDUCTION_Y = 1611,
    OP_REDUCTION_DESC = 1612,
    OP_RESHAPE_X = 2200,
    OP_RESHAPE_Y = 2201,
    HEUR_MODE_FALLBACK = 2,
    HEUR_MODE_A = 3,
    CROSS_CORRELATION = 1,
    MAX_CONFIGS = 24,
    MAX_NOTES = 16,
};

/* ------------------------------------------------------------------------------------- opening */

static const char dn_key;

static void dn_free(OpenDevice *dev, void *thing)
{
    Dn *dn = thing;
    map_for_each(&dn->plans, e)
        if (!dev->lost)
            dn_plan_free(dn, e->p);
    map_free(&dn->plans);
    if (dn->handle && !dev->lost)
        dn->destroy(dn->handle);
    free(dn);
}

static bool load_functions(Dn *dn, StrBuf *why)
{
#define LOAD(symbol, name, params)                                                                 \
    {                                                                                              \
        void *p = dlsym(dn->lib, #symbol);                                                         \
        if (!p) {                                                                                  \
            sb_printf(why, "it has no %s", #symbol);                                               \
            return false;                                                                          \
        }                                                                                          \
        memcpy(&dn->name, &p, sizeof p);                                                           \
    }
    CUDNN_FUNCTIONS(LOAD)
    LOAD(cudnnGetVersion, version, (void))
#undef LOAD
    return true;
}

static const char *const names[] = {"libcudnn.so.9", NULL};

void dn_ahead(Str folder)
{
    static const char *const parts[] = {
        "libcudnn_graph.so.9", "libcudnn_ops.so.9", "libcudnn_heuristic.so.9",
        "libcudnn_engines_precompiled.so.9", "libcudnn_engines_runtime_compiled.so.9", NULL,
    };
    StrBuf why = {0};
    void *lib = cuda_library(folder, names, &why);
    if (lib)
        cuda_library_parts(lib, parts);
    sb_free(&why);
}

static bool open_library(Dn *dn, OpenDevice *dev, Str folder, StrBuf *why)
{
    dn->lib = cuda_library(folder, names, why);
    if (!dn->lib || !load_functions(dn, why))
        return false;
    int r = dn->create(&dn->handle);
    if (r == 0)
        r = dn->set_stream(dn->handle, cuda_of(dev)->stream);
    if (r != 0)
        sb_printf(why, "cudnnCreate gives %d", r);
    return r == 0;
}

Dn *dn_of(OpenDevice *dev, Str folder, Diag *d)
{
    Dn *dn = device_thing(dev, &dn_key);
    if (dn)
        return dn;
    StrBuf why = {0};
    dn = calloc(1, sizeof *dn);
    if (!dn)
        abort();
    dn->dev = dev;
    SpentOn before = spent_turn(dev->spent, SPENT_libraries);
    bool good = open_library(dn, dev, folder, &why) && device_keep(dev, &dn_key, dn, dn_free);
    spent_back(dev->spent, before);
    if (!good) {
        DiagItem *item = diag_error(d, DIAG_device, (Span){0}, "no-library",
                                    "cuDNN cannot be used: %s", sb_cstr(&why));
        diag_help(d, item, "executor off cudnn");
        dn_free(dev, dn);
    }
    sb_free(&why);
    return good ? dn : NULL;
}

/* ---------------------------------------------------------------------------------- descriptors */

static void note(DnGraph *g, int status, const char *what)
{
    if (status == 0 || g->status)
        return;
    g->status = status;
    g->failed = what;
}

static DnDesc *make(DnGraph *g, int kind, const char *what)
{
    DnDesc *d = NULL;
    if (g->status)
        return NULL;
    note(g, g->ndescs < DN_MAX_DESCS ? g->dn->desc_create(kind, &d) : 1, what);
    if (d)
        g->descs[g->ndescs++] = d;
    return d;
}

static void set(DnGraph *g, DnDesc *d, int name, int type, int64_t n, const void *values,
                const char *what)
{
    if (!g->status)
        note(g, g->dn->set(d, name, type, n, values), what);
}

static void finalize(DnGraph *g, DnDesc *d, const char *what)
{
    if (!g->status)
        note(g, g->dn->finalize(d), what);
}

void dn_begin(DnGraph *g, Dn *dn)
{
    *g = (DnGraph){.dn = dn, .ntensors = 1};
}

static int add_tensor(DnGraph *g, DnTensor t)
{
    if (g->ntensors == DN_MAX_TENSORS)
        note(g, 1, "too many tensors");
    DnDesc *d = make(g, KIND_TENSOR, "a tensor");
    if (g->status)
        return 0;
    int64_t uid = g->ntensors, alignment = 16;
    bool is_virtual = !t.real && !t.by_value;
    int type = t.type;
    set(g, d, TENSOR_TYPE, TYPE_DATA_TYPE, 1, &type, "a tensor's type");
    set(g, d, TENSOR_DIMS, TYPE_I64, t.rank, t.dims, "a tensor's sizes");
    set(g, d, TENSOR_STRIDES, TYPE_I64, t.rank, t.strides, "a tensor's strides");
    set(g, d, TENSOR_UID, TYPE_I64, 1, &uid, "a tensor's number");
    set(g, d, TENSOR_ALIGNMENT, TYPE_I64, 1, &alignment, "a tensor's alignment");
    if (is_virtual)
        set(g, d, TENSOR_VIRTUAL, TYPE_BOOL, 1, &is_virtual, "a virtual tensor");
    if (t.by_value)
        set(g, d, TENSOR_BY_VALUE, TYPE_BOOL, 1, &t.by_value, "a number");
    finalize(g, d, "a tensor");
    t.desc = d;
    g->tensors[g->ntensors] = t;
    return g->ntensors++;
}

int dn_tensor(DnGraph *g, DnType type, int rank, const int64_t *dims, const int64_t *strides,
              bool real)
{
    DnTensor t = {.rank = rank, .type = type, .real = real};
    memcpy(t.dims, dims, (size_t)rank * sizeof *dims);
    memcpy(t.strides, strides, (size_t)rank * sizeof *strides);
    return add_tensor(g, t);
}

int dn_real(DnGraph *g, DnType type, const int64_t *dims, const int64_t *strides)
{
    return dn_tensor(g, type, DN_RANK, dims, strides, true);
}

int dn_virtual(DnGraph *g, DnType type, const int64_t *dims, const int64_t *strides)
{
    return dn_tensor(g, type, DN_RANK, dims, strides, false);
}

int dn_number(DnGraph *g, float value)
{
    return add_tensor(g, (DnTensor){.rank = DN_RANK, .dims = {1, 1, 1, 1},
                                    .strides = {1, 1, 1, 1}, .type = DN_f32,
                                    .by_value = true, .value = value});
}

/* A virtual tensor shaped like x. */
static int like(DnGraph *g, int x, DnType type)
{
    DnTensor t = g->tensors[x];
    return dn_tensor(g, type, t.rank, t.dims, t.strides, false);
}

static void keep_op(DnGraph *g, DnDesc *op, const char *what)
{
    finalize(g, op, what);
    if (g->nops == DN_MAX_OPS)
        note(g, 1, "too many operations");
    if (!g->status)
        g->ops[g->nops++] = op;
}

static void set_tensor(DnGraph *g, DnDesc *op, int name, int tensor, const char *what)
{
    if (tensor)
        set(g, op, name, TYPE_DESC, 1, &g->tensors[tensor].desc, what);
}

/* ----------------------------------------------------------------------------------- operations */

static int pointwise(DnGraph *g, DnPointwise mode, DnType compute, int64_t axis, const int in[3],
                     int out)
{
    static const char what[] = "a pointwise operation";
    DnDesc *pw = make(g, KIND_POINTWISE, what);
    int how = (int)mode, type = (int)compute, nan_stays = 1;
    float one = 1;
    set(g, pw, PW_MODE, TYPE_POINTWISE_MODE, 1, &how, what);
    set(g, pw, PW_TYPE, TYPE_DATA_TYPE, 1, &type, what);
    if (mode == DN_relu)
        set(g, pw, PW_NAN, TYPE_NAN, 1, &nan_stays, what);
    if (mode == DN_index)
        set(g, pw, PW_AXIS, TYPE_I64, 1, &axis, what);
    finalize(g, pw, what);
    DnDesc *op = make(g, KIND_OP_POINTWISE, what);
    set(g, op, OP_PW_DESC, TYPE_DESC, 1, &pw, what);
    set_tensor(g, op, OP_PW_X, in[0], what);
    set_tensor(g, op, OP_PW_Y, out, what);
    set(g, op, OP_PW_ALPHA, TYPE_FLOAT, 1, &one, what);
    set_tensor(g, op, OP_PW_B, in[1], what);
    set_tensor(g, op, OP_PW_T, in[2], what);
    keep_op(g, op, what);
    return out;
}

int dn_unary(DnGraph *g, DnPointwise mode, int x, int out)
{
    return pointwise(g, mode, DN_f32, 0, (int[]){x, 0, 0}, out ? out : like(g, x, DN_f32));
}

int dn_binary(DnGraph *g, DnPointwise mode, int x, int y, int out)
{
    return pointwise(g, mode, DN_f32, 0, (int[]){x, y, 0}, out ? out : like(g, x, DN_f32));
}

int dn_index_of(DnGraph *g, int x, int axis)
{
    return pointwise(g, DN_index, DN_i32, axis, (int[]){x, 0, 0}, like(g, x, DN_i32));
}

int dn_where_ge(DnGraph *g, int a, int b, int x, int otherwise)
{
    int mask = pointwise(g, DN_greater_equal, DN_bool, 0, (int[]){a, b, 0}, like(g, a, DN_bool));
    return pointwise(g, DN_select, DN_f32, 0, (int[]){x, otherwise, mask}, like(g, x, DN_f32));
}

int dn_reduce(DnGraph *g, DnReduce how, int x, int out)
{
    static const char what[] = "a reduction";
    if (!out) {
        const int64_t *n = g->tensors[x].dims;
        out = dn_virtual(g, DN_f32, (int64_t[]){n[0], n[1], n[2], 1},
                         (int64_t[]){n[1] * n[2], n[2], 1, 1});
    }
    DnDesc *red = make(g, KIND_REDUCTION, what);
    int type = DN_f32, mode = (int)how;
    set(g, red, REDUCTION_OP, TYPE_REDUCTION, 1, &mode, what);
    set(g, red, REDUCTION_TYPE, TYPE_DATA_TYPE, 1, &type, what);
    finalize(g, red, what);
    DnDesc *op = make(g, KIND_OP_REDUCTION, what);
    set_tensor(g, op, OP_REDUCTION_X, x, what);
    set_tensor(g, op, OP_REDUCTION_Y, out, what);
    set(g, op, OP_REDUCTION_DESC, TYPE_DESC, 1, &red, what);
    keep_op(g, op, what);
    return out;
}

int dn_matmul(DnGraph *g, int a, int b, int out)
{
    static const char what[] = "a matrix product";
    DnDesc *m = make(g, KIND_MATMUL, what);
    int type = DN_f32;
    set(g, m, MATMUL_TYPE, TYPE_DATA_TYPE, 1, &type, what);
    finalize(g, m, what);
    DnDesc *op = make(g, KIND_OP_MATMUL, what);
    set_tensor(g, op, OP_MATMUL_A, a, what);
    set_tensor(g, op, OP_MATMUL_B, b, what);
    set_tensor(g, op, OP_MATMUL_C, out, what);
    set(g, op, OP_MATMUL_DESC, TYPE_DESC, 1, &m, what);
    keep_op(g, op, what);
    return out;
}

int dn_reshape(DnGraph *g, int x, int out)
{
    static const char what[] = "a reshape";
    DnDesc *op = make(g, KIND_OP_RESHAPE, what);
    set_tensor(g, op, OP_RESHAPE_X, x, what);
    set_tensor(g, op, OP_RESHAPE_Y, out, what);
    keep_op(g, op, what);
    return out;
}

static DnDesc *describe_window(DnGraph *g, const DnWindow *w, DnType compute)
{
    static const char what[] = "a convolution's window";
    DnDesc *d = make(g, KIND_CONVOLUTION, what);
    int type = compute, mode = CROSS_CORRELATION;
    int64_t dims = w->dims;
    set(g, d, CONV_TYPE, TYPE_DATA_TYPE, 1, &type, what);
    set(g, d, CONV_MODE, TYPE_CONV_MODE, 1, &mode, what);
    set(g, d, CONV_DIMS, TYPE_I64, 1, &dims, what);
    set(g, d, CONV_DILATIONS, TYPE_I64, dims, w->dilation, what);
    set(g, d, CONV_STRIDES, TYPE_I64, dims, w->stride, what);
    set(g, d, CONV_PRE_PADDINGS, TYPE_I64, dims, w->padding, what);
    set(g, d, CONV_POST_PADDINGS, TYPE_I64, dims, w->padding, what);
    finalize(g, d, what);
    return d;
}

void dn_convolution(DnGraph *g, DnConvKind kind, const DnWindow *w, DnType compute, int x,
                    int weight, int y)
{
    static const char what[] = "a convolution";
    static const int kinds[] = {KIND_OP_CONV, KIND_OP_CONV_DATA, KIND_OP_CONV_WEIGHT};
    static const int firsts[] = {OP_CONV_FIRST, OP_CONV_DATA_FIRST, OP_CONV_WEIGHT_FIRST};
    DnDesc *window = describe_window(g, w, compute);
    DnDesc *op = make(g, kinds[kind], what);
    int first = firsts[kind];
    double one = 1, zero = 0;
    float one_f = 1, zero_f = 0;
    bool wide = compute == DN_f64;
    int scalar = wide ? TYPE_DOUBLE : TYPE_FLOAT;
    set(g, op, first, scalar, 1, wide ? (const void *)&one : &one_f, what);
    set(g, op, first + 1, scalar, 1, wide ? (const void *)&zero : &zero_f, what);
    set(g, op, first + 2, TYPE_DESC, 1, &window, what);
    set_tensor(g, op, first + 3, weight, what);
    set_tensor(g, op, first + 4, x, what);
    set_tensor(g, op, first + 5, y, what);
    keep_op(g, op, what);
}

/* ---------------------------------------------------------------------------------------- plans */

static DnDesc *make_graph(DnGraph *g)
{
    static const char what[] = "the graph";
    DnDesc *d = make(g, KIND_GRAPH, what);
    set(g, d, GRAPH_OPS, TYPE_DESC, g->nops, g->ops, what);
    set(g, d, GRAPH_HANDLE, TYPE_HANDLE, 1, &g->dn->handle, what);
    finalize(g, d, what);
    return d;
}

/* A plan of what is set beside its handle: a configuration, or a plan as text. */
static bool make_plan(Dn *dn, int name, int type, int64_t n, const void *values, DnPlan *out)
{
    int64_t count = 0;
    DnDesc *plan = NULL;
    bool good = dn->desc_create(KIND_PLAN, &plan) == 0 &&
                dn->set(plan, PLAN_HANDLE, TYPE_HANDLE, 1, &dn->handle) == 0 &&
                dn->set(plan, name, type, n, values) == 0 && dn->finalize(plan) == 0 &&
                dn->get(plan, PLAN_WORKSPACE, TYPE_I64, 1, &count, &out->workspace) == 0;
    if (good)
        out->plan = plan;
    else if (plan)
        dn->desc_destroy(plan);
    return good;
}

/* What the engine of a configuration does that changes numbers, a bit each. */
static uint32_t notes_of(Dn *dn, DnDesc *config)
{
    DnDesc *engine = NULL;
    int notes[MAX_NOTES];
    int64_t n = 0;
    uint32_t all = 0;
    bool good = dn->desc_create(KIND_ENGINE, &engine) == 0 &&
                dn->get(config, CONFIG_ENGINE, TYPE_DESC, 1, &n, &engine) == 0 &&
                dn->get(engine, ENGINE_NOTES, TYPE_NOTE, MAX_NOTES, &n, notes) == 0;
    for (int64_t i = 0; good && i < n && i < MAX_NOTES; i++)
        all |= 1u << notes[i];
    if (engine)
        dn->desc_destroy(engine);
    return good ? all : UINT32_MAX;
}

typedef struct Found {
    const DnWanted *wanted;
    DnPlan **out;
    int n;
    int proposals; /* seen so far */
    bool refused;  /* for what they do, or what they need */
} Found;

static void add_plan(DnGraph *g, DnDesc **config, Found *f)
{
    const DnWanted *w = f->wanted;
    DnPlan plan = {.proposal = f->proposals++};
    if (w->only >= 0 && plan.proposal != w->only)
        return;
    if (w->unwanted && (notes_of(g->dn, *config) & w->unwanted)) {
        f->refused = true;
        return;
    }
    if (!make_plan(g->dn, PLAN_CONFIG, TYPE_DESC, 1, config, &plan))
        return;
    if (plan.workspace > w->workspace) {
        g->dn->desc_destroy(plan.plan);
        f->refused = true;
        return;
    }
    plan.config = *config;
    *config = NULL;
    DnPlan *kept = f->out[f->n++] = calloc(1, sizeof plan);
    if (!kept)
        abort();
    *kept = plan;
}

static void try_configs(DnGraph *g, DnDesc *graph, int mode, Found *f)
{
    static const char what[] = "the choice of an engine";
    DnDesc *heur = make(g, KIND_HEURISTIC, what);
    DnDesc *configs[MAX_CONFIGS] = {0};
    int64_t n = 0;
    set(g, heur, HEUR_GRAPH, TYPE_DESC, 1, &graph, what);
    set(g, heur, HEUR_MODE, TYPE_HEUR_MODE, 1, &mode, what);
    finalize(g, heur, what);
    for (int i = 0; i < MAX_CONFIGS && !g->status; i++)
        note(g, g->dn->desc_create(KIND_ENGINE_CONFIG, &configs[i]), what);
    if (!g->status)
        note(g, g->dn->get(heur, HEUR_RESULTS, TYPE_DESC, MAX_CONFIGS, &n, configs), what);
    for (int64_t i = 0; i < n && i < MAX_CONFIGS && !g->status && f->n < f->wanted->max; i++)
        add_plan(g, &configs[i], f);
    for (int i = 0; i < MAX_CONFIGS; i++)
        if (configs[i])
            g->dn->desc_destroy(configs[i]);
}

static void note_arguments(const DnGraph *g, DnPlan *p)
{
    for (int i = 1; i < g->ntensors; i++) {
        const DnTensor *t = &g->tensors[i];
        if (!t->real && !t->by_value)
            continue;
        p->uids[p->n] = i;
        p->by_value[p->n] = t->by_value;
        p->values[p->n++] = t->value;
    }
}

static void drop_descs(DnGraph *g)
{
    while (g->ndescs > 0)
        g->dn->desc_destroy(g->descs[--g->ndescs]);
}

static int make_plans(DnGraph *g, const DnWanted *wanted, DnPlan **out, StrBuf *why_not)
{
    Found f = {.wanted = wanted, .out = out};
    DnDesc *graph = make_graph(g);
    bool made = !g->status;
    if (made)
        try_configs(g, graph, HEUR_MODE_A, &f);
    if (made && f.n == 0) {
        f.proposals = MAX_CONFIGS;
        g->status = 0; /* the first list may not even exist */
        try_configs(g, graph, HEUR_MODE_FALLBACK, &f);
    }
    if (f.n == 0)
        note(g, 1, f.refused ? "what is no less exact" : f.proposals ? "a plan" : "such a graph");
    for (int i = 0; i < f.n; i++)
        note_arguments(g, out[i]);
    drop_descs(g);
    if (f.n == 0)
        sb_printf(why_not, "cuDNN %zu refuses %s (status %d)", g->dn->version(), g->failed,
                  g->status);
    return f.n;
}

int dn_plans(DnGraph *g, const DnWanted *wanted, DnPlan **out, StrBuf *why_not)
{
    SpentOn before = spent_turn(g->dn->dev->spent, SPENT_plans);
    int n = make_plans(g, wanted, out, why_not);
    spent_back(g->dn->dev->spent, before);
    return n;
}

/* The plan that a file holds as text: nothing is searched and compiled for it. */
static DnPlan *read_plan(DnGraph *g, const char *path)
{
    StrBuf text = {0};
    DnPlan made = {0}, *plan = NULL;
    SpentOn before = spent_turn(g->dn->dev->spent, SPENT_plans);
    if (!g->status && kept_read(path, &text) &&
        make_plan(g->dn, PLAN_JSON, TYPE_CHAR, (int64_t)text.n, sb_cstr(&text), &made)) {
        plan = calloc(1, sizeof *plan);
        if (!plan)
            abort();
        *plan = made;
        note_arguments(g, plan);
        drop_descs(g);
    }
    spent_back(g->dn->dev->spent, before);
    sb_free(&text);
    return plan;
}

static void write_plan(Dn *dn, const DnPlan *p, const char *path)
{
    int64_t n = 0;
    if (dn->get(p->plan, PLAN_JSON, TYPE_CHAR, 0, &n, NULL) != 0 || n <= 0)
        return;
    char *text = calloc(1, (size_t)n);
    if (!text)
        abort();
    if (dn->get(p->plan, PLAN_JSON, TYPE_CHAR, n, &n, text) == 0)
        kept_write(path, (Str){text, (size_t)n});
    free(text);
}

DnPlan *dn_finish(DnGraph *g, const char *path, StrBuf *why_not)
{
    DnWanted any = {.workspace = INT64_MAX, .only = -1, .max = 1};
    DnPlan *plan = path[0] ? read_plan(g, path) : NULL;
    if (plan || dn_plans(g, &any, &plan, why_not) == 0)
        return plan;
    if (path[0])
        write_plan(g->dn, plan, path);
    return plan;
}

void dn_plan_free(Dn *dn, DnPlan *p)
{
    if (!p)
        return;
    dn->desc_destroy(p->plan);
    if (p->config)
        dn->desc_destroy(p->config);
    free(p);
}

bool dn_run(Dn *dn, const DnPlan *p, const uint64_t *at, uint64_t workspace)
{
    DnDesc *pack = NULL;
    void *pointers[DN_MAX_TENSORS], *space;
    int real = 0;
    for (int i = 0; i < p->n; i++) {
        const void *number = &p->values[i];
        if (p->by_value[i])
            memcpy(&pointers[i], &number, sizeof number);
        else
            memcpy(&pointers[i], &at[real++], sizeof *at);
    }
    memcpy(&space, &workspace, sizeof space);
    bool good = dn->desc_create(KIND_PACK, &pack) == 0 &&
                dn->set(pack, PACK_UIDS, TYPE_I64, p->n, p->uids) == 0 &&
                dn->set(pack, PACK_POINTERS, TYPE_POINTER, p->n, pointers) == 0 &&
                dn->set(pack, PACK_WORKSPACE, TYPE_POINTER, 1, &space) == 0 &&
                dn->finalize(pack) == 0 && dn->execute(dn->handle, p->plan, pack) == 0;
    if (pack)
        dn->desc_destroy(pack);
    return good;
}
