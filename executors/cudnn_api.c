/* cudnn_api.c - descriptors of cuDNN's backend, one after another; see cudnn_api.h. */
#include "cudnn_api.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { /* kinds of descriptors */
    KIND_POINTWISE = 0,
    KIND_ENGINE_CONFIG = 3,
    KIND_HEURISTIC = 4,
    KIND_PLAN = 5,
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
    TYPE_POINTER = 6,
    TYPE_HEUR_MODE = 8,
    TYPE_POINTWISE_MODE = 14,
    TYPE_DESC = 15,
    TYPE_REDUCTION = 18,
};

enum { /* attributes */
    PW_MODE = 0,
    PW_TYPE = 1,
    PW_AXIS = 9,
    HEUR_MODE = 200,
    HEUR_GRAPH = 201,
    HEUR_RESULTS = 202,
    PLAN_HANDLE = 400,
    PLAN_CONFIG = 401,
    PLAN_WORKSPACE = 402,
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
    HEUR_MODE_A = 3,
    MAX_CONFIGS = 8,
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

static bool open_library(Dn *dn, OpenDevice *dev, Str folder, StrBuf *why)
{
    static const char *const names[] = {"libcudnn.so.9", NULL};
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
    bool good = open_library(dn, dev, folder, &why) && device_keep(dev, &dn_key, dn, dn_free);
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
    set(g, d, TENSOR_DIMS, TYPE_I64, DN_RANK, t.dims, "a tensor's sizes");
    set(g, d, TENSOR_STRIDES, TYPE_I64, DN_RANK, t.strides, "a tensor's strides");
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

static int make_tensor(DnGraph *g, DnType type, const int64_t *dims, const int64_t *strides,
                       bool real)
{
    DnTensor t = {.type = type, .real = real};
    memcpy(t.dims, dims, sizeof t.dims);
    memcpy(t.strides, strides, sizeof t.strides);
    return add_tensor(g, t);
}

int dn_real(DnGraph *g, DnType type, const int64_t *dims, const int64_t *strides)
{
    return make_tensor(g, type, dims, strides, true);
}

int dn_virtual(DnGraph *g, DnType type, const int64_t *dims, const int64_t *strides)
{
    return make_tensor(g, type, dims, strides, false);
}

int dn_number(DnGraph *g, float value)
{
    return add_tensor(g, (DnTensor){.dims = {1, 1, 1, 1}, .strides = {1, 1, 1, 1},
                                    .type = DN_f32, .by_value = true, .value = value});
}

/* A virtual tensor shaped like x. */
static int like(DnGraph *g, int x, DnType type)
{
    DnTensor t = g->tensors[x];
    return dn_virtual(g, type, t.dims, t.strides);
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
    int how = (int)mode, type = (int)compute;
    float one = 1;
    set(g, pw, PW_MODE, TYPE_POINTWISE_MODE, 1, &how, what);
    set(g, pw, PW_TYPE, TYPE_DATA_TYPE, 1, &type, what);
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

/* A plan by the first configuration that can be finished. */
static bool try_config(Dn *dn, DnDesc *config, DnPlan *out)
{
    int64_t n = 0;
    DnDesc *plan = NULL;
    bool good = dn->desc_create(KIND_PLAN, &plan) == 0 &&
                dn->set(plan, PLAN_HANDLE, TYPE_HANDLE, 1, &dn->handle) == 0 &&
                dn->set(plan, PLAN_CONFIG, TYPE_DESC, 1, &config) == 0 &&
                dn->finalize(plan) == 0 &&
                dn->get(plan, PLAN_WORKSPACE, TYPE_I64, 1, &n, &out->workspace) == 0;
    if (good)
        out->plan = plan;
    else if (plan)
        dn->desc_destroy(plan);
    return good;
}

static void try_configs(DnGraph *g, DnDesc *graph, DnPlan *out)
{
    static const char what[] = "the choice of an engine";
    DnDesc *heur = make(g, KIND_HEURISTIC, what);
    DnDesc *configs[MAX_CONFIGS] = {0};
    int mode = HEUR_MODE_A;
    int64_t n = 0;
    set(g, heur, HEUR_GRAPH, TYPE_DESC, 1, &graph, what);
    set(g, heur, HEUR_MODE, TYPE_HEUR_MODE, 1, &mode, what);
    finalize(g, heur, what);
    for (int i = 0; i < MAX_CONFIGS && !g->status; i++)
        note(g, g->dn->desc_create(KIND_ENGINE_CONFIG, &configs[i]), what);
    if (!g->status)
        note(g, g->dn->get(heur, HEUR_RESULTS, TYPE_DESC, MAX_CONFIGS, &n, configs), what);
    for (int64_t i = 0; i < n && i < MAX_CONFIGS && !g->status && !out->plan; i++)
        if (try_config(g->dn, configs[i], out)) {
            out->config = configs[i];
            configs[i] = NULL;
        }
    for (int i = 0; i < MAX_CONFIGS; i++)
        if (configs[i])
            g->dn->desc_destroy(configs[i]);
    if (!out->plan)
        note(g, 1, n ? "finishing a plan" : "no engine for it");
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

DnPlan *dn_finish(DnGraph *g, StrBuf *why_not)
{
    DnPlan *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    DnDesc *graph = make_graph(g);
    if (!g->status)
        try_configs(g, graph, p);
    note_arguments(g, p);
    while (g->ndescs > 0)
        g->dn->desc_destroy(g->descs[--g->ndescs]);
    if (p->plan)
        return p;
    sb_printf(why_not, "cuDNN %zu refuses %s (status %d)", g->dn->version(), g->failed, g->status);
    free(p);
    return NULL;
}

void dn_plan_free(Dn *dn, DnPlan *p)
{
    if (!p)
        return;
    dn->desc_destroy(p->plan);
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
