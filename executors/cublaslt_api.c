/* cublaslt_api.c - descriptors of products, and the choice of their algorithm; see cublaslt.h. */
#include "cublaslt.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { /* of the library's own lists */
    TYPE_F32 = 0,
    TYPE_F64 = 1,
    TYPE_F16 = 2,
    TYPE_BF16 = 14,
    TYPE_E4M3 = 28,
    TYPE_E5M2 = 29,
    COMPUTE_F32 = 68,
    COMPUTE_F64 = 70,
    DESC_TRANS_A = 3,
    DESC_TRANS_B = 4,
    DESC_EPILOGUE = 7,
    DESC_BIAS = 8,
    DESC_AUX = 11,
    DESC_AUX_LD = 12,
    DESC_SCALE_A = 17,
    DESC_SCALE_B = 18,
    DESC_BIAS_TYPE = 26,
    LAYOUT_BATCHES = 5,
    LAYOUT_BATCH_STRIDE = 6,
    PREF_WORKSPACE = 1,
    PREF_REDUCTION = 3,
    REDUCTION_COMPUTE_TYPE = 2,
    PREF_NUMERICS = 12,
    MAX_ASKED = 12,
};

/* ------------------------------------------------------------------------------------- opening */

static const char lt_key;

static void lt_free(OpenDevice *dev, void *thing)
{
    Lt *lt = thing;
    if (lt->handle && !dev->lost)
        lt->destroy(lt->handle);
    if (lt->workspace) {
        device_give(dev, lt->workspace, LT_WORKSPACE);
        dev->kept -= LT_WORKSPACE;
    }
    map_free(&lt->choices);
    arena_free(&lt->arena);
    free(lt);
}

static bool load_functions(Lt *lt, StrBuf *why)
{
#define LOAD(symbol, name, params)                                                                 \
    {                                                                                              \
        void *p = dlsym(lt->lib, #symbol);                                                         \
        if (!p) {                                                                                  \
            sb_printf(why, "it has no %s", #symbol);                                               \
            return false;                                                                          \
        }                                                                                          \
        memcpy(&lt->name, &p, sizeof p);                                                           \
    }
    CUBLASLT_FUNCTIONS(LOAD)
    LOAD(cublasLtGetVersion, version, (void))
#undef LOAD
    return true;
}

static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12", NULL};

void lt_ahead(Str folder)
{
    StrBuf why = {0};
    cuda_library(folder, names, &why);
    sb_free(&why);
}

static bool open_library(Lt *lt, OpenDevice *dev, Str folder, StrBuf *why)
{
    lt->lib = cuda_library(folder, names, why);
    if (!lt->lib || !load_functions(lt, why))
        return false;
    int r = lt->create(&lt->handle);
    if (r != 0)
        sb_printf(why, "cublasLtCreate gives %d", r);
    if (r != 0 || !device_take(dev, LT_WORKSPACE, &lt->workspace))
        return false;
    dev->kept += LT_WORKSPACE;
    return true;
}

Lt *lt_of(OpenDevice *dev, Str folder, Diag *d)
{
    Lt *lt = device_thing(dev, &lt_key);
    if (lt)
        return lt;
    StrBuf why = {0};
    lt = calloc(1, sizeof *lt);
    if (!lt)
        abort();
    SpentOn before = spent_turn(dev->spent, SPENT_libraries);
    bool good = open_library(lt, dev, folder, &why) && device_keep(dev, &lt_key, lt, lt_free);
    spent_back(dev->spent, before);
    if (!good) {
        DiagItem *item = diag_error(d, DIAG_device, (Span){0}, "no-library",
                                    "cuBLASLt cannot be used: %s", sb_cstr(&why));
        diag_help(d, item, "executor off cublaslt");
        lt_free(dev, lt);
    }
    sb_free(&why);
    return good ? lt : NULL;
}

/* ---------------------------------------------------------------------------------- descriptors */

static int type_of(DType d)
{
    return d == DT_bf16        ? TYPE_BF16
           : d == DT_f16       ? TYPE_F16
           : d == DT_f64       ? TYPE_F64
           : d == DT_f8_e4m3fn ? TYPE_E4M3
           : d == DT_f8_e5m2   ? TYPE_E5M2
                               : TYPE_F32;
}

bool lt_readable(const LtMatrix *m)
{
    bool by_rows = (m->col == 1 || m->cols == 1) && (m->row >= m->cols || m->rows == 1);
    bool by_cols = (m->row == 1 || m->rows == 1) && (m->col >= m->rows || m->cols == 1);
    return by_rows || by_cols;
}

/* The matrix as columns of the library: rows of ours are columns of its. */
static LtLayout *layout(Lt *lt, const LtMatrix *m, DType dtype, int64_t batches, int *trans)
{
    LtLayout *l = NULL;
    bool by_rows = (m->col == 1 || m->cols == 1) && (m->row >= m->cols || m->rows == 1);
    *trans = !by_rows;
    int64_t rows = by_rows ? m->cols : m->rows, cols = by_rows ? m->rows : m->cols;
    int64_t ld = by_rows ? m->row : m->col;
    if (cols == 1 || ld < rows)
        ld = rows;
    int n = (int)batches;
    if (lt->layout_create(&l, type_of(dtype), (uint64_t)rows, (uint64_t)cols, ld) != 0)
        return NULL;
    if (batches > 1) {
        lt->layout_set(l, LAYOUT_BATCHES, &n, sizeof n);
        lt->layout_set(l, LAYOUT_BATCH_STRIDE, &m->batch, sizeof m->batch);
    }
    return l;
}

bool lt_plan(Lt *lt, const LtProduct *p, LtPlan *out)
{
    *out = (LtPlan){.product = *p};
    bool wide = p->dtype == DT_f64;
    DType db = p->b_dtype ? p->b_dtype : p->dtype, dd = p->d_dtype ? p->d_dtype : p->dtype;
    int trans_a = 0, trans_b = 0, no = 0, epilogue = p->epilogue;
    int type = type_of(p->b_dtype && dd == DT_f32 ? DT_bf16 : dd); /* of the bias */
    int64_t m = p->a.rows, n = p->b.cols;
    LtMatrix d = {m, n, n, 1, m * n};
    if (lt->desc_create(&out->op, wide ? COMPUTE_F64 : COMPUTE_F32,
                        wide ? TYPE_F64 : TYPE_F32) != 0)
        return false;
    out->la = layout(lt, &p->b, db, p->batches, &trans_a);
    out->lb = layout(lt, &p->a, p->dtype, p->batches, &trans_b);
    out->ld = layout(lt, &d, dd, p->batches, &no);
    lt->desc_set(out->op, DESC_TRANS_A, &trans_a, sizeof trans_a);
    lt->desc_set(out->op, DESC_TRANS_B, &trans_b, sizeof trans_b);
    if (epilogue != LT_nothing)
        lt->desc_set(out->op, DESC_EPILOGUE, &epilogue, sizeof epilogue);
    if (epilogue & LT_aux)
        lt->desc_set(out->op, DESC_AUX_LD, &n, sizeof n);
    if (epilogue & LT_bias)
        lt->desc_set(out->op, DESC_BIAS_TYPE, &type, sizeof type);
    return out->la && out->lb && out->ld;
}

void lt_plan_free(Lt *lt, LtPlan *plan)
{
    if (plan->op)
        lt->desc_destroy(plan->op);
    if (plan->la)
        lt->layout_destroy(plan->la);
    if (plan->lb)
        lt->layout_destroy(plan->lb);
    if (plan->ld)
        lt->layout_destroy(plan->ld);
    *plan = (LtPlan){0};
}

/* ------------------------------------------------------------------------------------- choosing */

typedef struct Try {
    Lt *lt;
    OpenDevice *dev;
    const LtPlan *plan;
    const LtAlgo *algo;
    const LtPlaces *at;
    double beta;
    uint64_t workspace;
    size_t size;
} Try;

static bool multiply(void *user)
{
    const Try *t = user;
    static const double one = 1;
    static const float one_f = 1;
    float beta_f = t->plan->product.adds ? 1 : (float)t->beta;
    bool wide = t->plan->product.dtype == DT_f64;
    const void *alpha = wide ? (const void *)&one : &one_f;
    const void *beta = wide ? (const void *)&t->beta : &beta_f;
    const LtPlan *p = t->plan;
    const LtPlaces *at = t->at;
    int r = t->lt->matmul(t->lt->handle, p->op, alpha, at->b, p->la, at->a, p->lb, beta,
                          p->product.adds ? at->c : at->d, p->ld, at->d, p->ld, t->algo,
                          t->workspace, t->size, cuda_of(t->dev)->stream);
    return r == 0;
}

/* Products of f32 are computed in f32: no operand goes through a shorter format. */
static const uint64_t only_f32 = 0x01 | 0x02 << 8 | 0x08 << 16;

/* Products that several blocks share are added up in f32, not in the narrow dtype of the result. */
static const uint32_t only_wide = REDUCTION_COMPUTE_TYPE;

static bool is_narrow(const LtProduct *p)
{
    return dtype_info[p->d_dtype ? p->d_dtype : p->dtype].bytes < 4;
}

/* What the best algorithm depends on. */
static uint64_t facts_hash(const Lt *lt, const OpenDevice *dev, const LtProduct *p)
{
    int64_t facts[] = {p->dtype, p->batches,  p->epilogue, p->a.rows,  p->a.cols,
                       p->a.row, p->a.col,    p->a.batch,  p->b.rows,  p->b.cols,
                       p->b.row, p->b.col,    p->b.batch,  dev->info.arch, dev->info.sms,
                       (int64_t)lt->version(), p->dtype == DT_f32 ? (int64_t)only_f32 : 0,
                       p->adds,  p->b_dtype,  p->d_dtype,
                       is_narrow(p) ? only_wide : 0};
    return hash_bytes(facts, sizeof facts, 5);
}

static bool fits(Lt *lt, const LtPlan *p, const LtAlgo *algo, size_t *workspace)
{
    LtHeuristic h = {0};
    bool good = lt->check(lt->handle, p->op, p->la, p->lb, p->ld, p->ld, algo, &h) == 0 &&
                h.state == 0 && h.workspace <= LT_WORKSPACE;
    *workspace = h.workspace;
    return good;
}

/* In the place of an algorithm: the other way is taken. */
static bool is_apart(const LtAlgo *a)
{
    return a->data[0] == UINT64_MAX;
}

/* What was chosen for equal products: in this session, else as the file says, which is looked at
 * once. */
static bool known_choice(Lt *lt, LtPlan *p, Str key, const char *path)
{
    const MapEntry *e = map_get(&lt->choices, key);
    FILE *f = e || !path[0] ? NULL : fopen(path, "rb");
    LtChoice c = {0};
    bool found = f && fread(&c.algo, sizeof c.algo, 1, f) == 1 &&
                 (is_apart(&c.algo) || fits(lt, p, &c.algo, &c.workspace));
    if (f)
        fclose(f);
    if (e)
        c = *(const LtChoice *)e->cp;
    else if (found)
        map_put(&lt->choices, key, NULL)->p = arena_copy(&lt->arena, &c, sizeof c);
    if (!e && !found)
        return false;
    p->algo = c.algo;
    p->workspace = c.workspace;
    return true;
}

static void remember(Lt *lt, const LtPlan *p, Str key, const char *path)
{
    LtChoice c = {p->algo, p->workspace};
    map_put(&lt->choices, key, NULL)->p = arena_copy(&lt->arena, &c, sizeof c);
    FILE *f = path[0] ? fopen(path, "wb") : NULL;
    if (!f)
        return;
    fwrite(&p->algo, sizeof p->algo, 1, f);
    fclose(f);
}

static int propose(Lt *lt, const LtPlan *p, LtHeuristic *list)
{
    LtPref *pref = NULL;
    int found = 0;
    uint64_t most = LT_WORKSPACE;
    if (lt->pref_create(&pref) != 0)
        return 0;
    lt->pref_set(pref, PREF_WORKSPACE, &most, sizeof most);
    if (p->product.dtype == DT_f32)
        lt->pref_set(pref, PREF_NUMERICS, &only_f32, sizeof only_f32);
    if (is_narrow(&p->product))
        lt->pref_set(pref, PREF_REDUCTION, &only_wide, sizeof only_wide);
    if (lt->heuristic(lt->handle, p->op, p->la, p->lb, p->ld, p->ld, pref, MAX_ASKED, list,
                      &found) != 0)
        found = 0;
    lt->pref_destroy(pref);
    return found;
}

static int fastest(LtPlan *p, Try *t, const LtHeuristic *list, int n)
{
    int best = -1;
    for (int i = 0; i < n; i++) {
        if (list[i].state != 0)
            continue;
        t->algo = &list[i].algo;
        double ms = cuda_time(t->dev, multiply, t, best < 0 ? -1 : p->ms);
        if (ms >= 0 && (best < 0 || ms < p->ms)) {
            best = i;
            p->ms = ms;
        }
    }
    return best;
}

static bool is_slower(const LtPlan *p, const LtOther *other)
{
    double ms = other ? other->time(other->user) : -1;
    return ms >= 0 && ms < p->ms;
}

/* While results are added to what is there (beta), or work is recorded, the first proposal is
 * taken unmeasured. */
static bool choose(LtPlan *p, Try *t, Str cache, const LtOther *other)
{
    char path[512] = "";
    uint64_t hash = facts_hash(t->lt, t->dev, &p->product);
    Str key = {(const char *)&hash, sizeof hash};
    int len = cache.n ? snprintf(path, sizeof path, "%.*s/lt%016llx", STR(cache),
                                 (unsigned long long)hash)
                      : 0;
    if (len < 0 || (size_t)len >= sizeof path)
        path[0] = 0;
    if (known_choice(t->lt, p, key, path)) {
        p->apart = is_apart(&p->algo);
        return p->chosen = true;
    }
    LtHeuristic list[MAX_ASKED];
    bool measure = !t->dev->held && t->beta == 0;
    int n = propose(t->lt, p, list), best = measure ? fastest(p, t, list, n) : n > 0 ? 0 : -1;
    p->apart = best < 0 ? other != NULL : measure && is_slower(p, other);
    if (best < 0 && !other)
        return false;
    p->algo = p->apart ? (LtAlgo){{UINT64_MAX}} : list[best].algo;
    p->workspace = p->apart ? 0 : list[best].workspace;
    p->chosen = measure;
    if (measure)
        remember(t->lt, p, key, path);
    return true;
}

static bool choose_once(LtPlan *p, Try *t, Str cache, const LtOther *other)
{
    SpentOn before = spent_turn(t->dev->spent, SPENT_plans);
    bool good = choose(p, t, cache, other);
    spent_back(t->dev->spent, before);
    return good;
}

/* Products that share a workspace cannot run at the same time: where work is recorded in branches
 * each gets its own, up to a limit. What is given back stays with the recording. */
static uint64_t own_workspace(Lt *lt, OpenDevice *dev, size_t bytes, size_t *size)
{
    uint64_t at = lt->workspace;
    if (!dev->branches)
        return at;
    if (lt->lent_to != dev->branches) {
        lt->lent_to = dev->branches;
        lt->lent = 0;
    }
    if (lt->lent + bytes <= LT_LENT && device_take(dev, bytes, &at)) {
        lt->lent += bytes;
        device_give(dev, at, bytes);
        *size = bytes;
        return at;
    }
    device_touch(dev, lt->workspace, bytes, true);
    return lt->workspace;
}

bool lt_run(Lt *lt, OpenDevice *dev, LtPlan *plan, const LtPlaces *at, double beta, Str cache,
            const LtOther *other)
{
    Try t = {lt, dev, plan, NULL, at, beta, lt->workspace, LT_WORKSPACE};
    if (at->bias && lt->desc_set(plan->op, DESC_BIAS, &at->bias, sizeof at->bias) != 0)
        return device_fail(dev, "cuBLASLt does not take a bias");
    if (at->aux && lt->desc_set(plan->op, DESC_AUX, &at->aux, sizeof at->aux) != 0)
        return device_fail(dev, "cuBLASLt does not take what gelu is computed of");
    if (at->scale_a && (lt->desc_set(plan->op, DESC_SCALE_A, &at->scale_b, sizeof at->scale_b) ||
                        lt->desc_set(plan->op, DESC_SCALE_B, &at->scale_a, sizeof at->scale_a)))
        return device_fail(dev, "cuBLASLt does not take scales");
    if (!plan->chosen && !choose_once(plan, &t, cache, other))
        return device_fail(dev, "cuBLASLt has no algorithm for a product of %lld x %lld x %lld",
                           (long long)plan->product.a.rows, (long long)plan->product.b.cols,
                           (long long)plan->product.a.cols);
    t.algo = &plan->algo;
    if (!plan->apart && plan->workspace)
        t.workspace = own_workspace(lt, dev, plan->workspace, &t.size);
    return plan->apart || multiply(&t) || device_fail(dev, "cuBLASLt could not multiply");
}
