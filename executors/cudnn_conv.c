/* cudnn_conv.c - graphs of convolutions and the choice among their plans; see cudnn_conv.h. */
#include "cudnn_conv.h"

#include <stdio.h>

enum { MAX_PLANS = 6, MAX_PATH = 512 };

static const int64_t most_workspace = (int64_t)1 << 30;

static DnType type_of(DType d)
{
    return d == DT_bf16 ? DN_bf16 : d == DT_f16 ? DN_f16 : d == DT_f64 ? DN_f64 : DN_f32;
}

/* What engines may not do. Where no other is left, they may add in any order. */
static uint32_t unwanted(DType d, bool any_order)
{
    uint32_t notes = DN_NOTE_shorter_operands | DN_NOTE_shorter_sums | DN_NOTE_fft |
                     DN_NOTE_winograd | (any_order ? 0 : DN_NOTE_any_order);
    return d == DT_f32 ? notes | DN_NOTE_tensor_core : notes;
}

static void build(DnGraph *g, Dn *dn, const DnConv *c)
{
    DnType type = type_of(c->dtype), compute = c->dtype == DT_f64 ? DN_f64 : DN_f32;
    DnType to = c->wide ? DN_f32 : type;
    dn_begin(g, dn);
    int x = dn_tensor(g, c->kind == DN_conv_data_gradient ? to : type, c->rank, c->x,
                      c->x_strides, true);
    int w = dn_tensor(g, c->kind == DN_conv_weight_gradient ? to : type, c->rank, c->w,
                      c->w_strides, true);
    int64_t channels[DN_MAX_RANK] = {1, c->y[1], 1, 1, 1};
    int64_t steps[DN_MAX_RANK] = {c->y[1], 1, c->y[1], c->y[1], c->y[1]};
    int bias = c->bias ? dn_tensor(g, type, c->rank, channels, steps, true) : 0;
    int added = c->add ? dn_tensor(g, type, c->rank, c->y, c->y_strides, true) : 0;
    int y = dn_tensor(g, c->kind == DN_conv ? to : type, c->rank, c->y, c->y_strides, true);
    int left = c->add + c->bias + c->relu;
    int made = left ? dn_tensor(g, compute, c->rank, c->y, c->y_strides, false) : y;
    dn_convolution(g, c->kind, &c->window, compute, x, w, made);
    if (c->add)
        made = dn_binary(g, DN_add, made, added, --left ? 0 : y);
    if (c->bias)
        made = dn_binary(g, DN_add, made, bias, --left ? 0 : y);
    if (c->relu)
        dn_unary(g, DN_relu, made, y);
}

/* At most max; only: the number of the proposal that is wanted, -1 = any. */
static int find_plans(Dn *dn, const DnConv *c, int only, int max, DnPlan **plans, StrBuf *why)
{
    int n = 0;
    for (int any_order = 0; any_order < 2 && n == 0; any_order++) {
        DnGraph g;
        DnWanted w = {unwanted(c->dtype, any_order), most_workspace, only, max};
        build(&g, dn, c);
        sb_clear(why);
        n = dn_plans(&g, &w, plans, why);
    }
    return n;
}

/* ------------------------------------------------------------------------------------- choosing */

typedef struct Try {
    Dn *dn;
    OpenDevice *dev;
    const DnPlan *plan;
    const uint64_t *at;
} Try;

static bool run_plan(void *user)
{
    const Try *t = user;
    size_t bytes = (size_t)t->plan->workspace;
    uint64_t space = 0;
    if (bytes && !device_take(t->dev, bytes, &space))
        return false;
    bool good = dn_run(t->dn, t->plan, t->at, space);
    if (bytes)
        device_give(t->dev, space, bytes);
    return good;
}

/* Where the choice for these facts is kept; "" = nowhere. */
static void name_choice(Str cache, const char *kind, uint64_t facts, char path[MAX_PATH])
{
    int n = cache.n ? snprintf(path, MAX_PATH, "%.*s/%s%016llx", STR(cache), kind,
                               (unsigned long long)facts)
                    : 0;
    if (n <= 0 || n >= MAX_PATH)
        path[0] = 0;
}

int dn_recall(Str cache, const char *kind, uint64_t facts)
{
    char path[MAX_PATH];
    int way = -1;
    name_choice(cache, kind, facts, path);
    FILE *f = path[0] ? fopen(path, "r") : NULL;
    if (f && fscanf(f, "%d", &way) != 1)
        way = -1;
    if (f)
        fclose(f);
    return way;
}

void dn_remember(Str cache, const char *kind, uint64_t facts, int way)
{
    char path[MAX_PATH];
    name_choice(cache, kind, facts, path);
    FILE *f = path[0] ? fopen(path, "w") : NULL;
    if (!f)
        return;
    fprintf(f, "%d\n", way);
    fclose(f);
}

static int fastest(Try *t, DnPlan **plans, int n)
{
    int best = 0;
    double least = -1;
    for (int i = 0; i < n && n > 1; i++) {
        t->plan = plans[i];
        double ms = cuda_time(t->dev, run_plan, t, least);
        if (ms < 0 || (least >= 0 && ms >= least))
            continue;
        least = ms;
        best = i;
    }
    return best;
}

static DnPlan *choose(Try *t, const DnConv *c, bool measure, Str cache, uint64_t facts,
                      StrBuf *why)
{
    DnPlan *plans[MAX_PLANS];
    int known = dn_recall(cache, "dn", facts), best = 0;
    int n = known >= 0 ? find_plans(t->dn, c, known, 1, plans, why) : 0;
    if (n == 0) {
        n = find_plans(t->dn, c, -1, measure ? MAX_PLANS : 1, plans, why);
        best = fastest(t, plans, n);
        if (n > 0 && measure)
            dn_remember(cache, "dn", facts, plans[best]->proposal);
    }
    for (int i = 0; i < n; i++)
        if (i != best)
            dn_plan_free(t->dn, plans[i]);
    return n > 0 ? plans[best] : NULL;
}

const DnPlan *dn_conv(Dn *dn, const DnConv *c, const DnChoice *how, StrBuf *why_not)
{
    const OpenDevice *dev = how->dev;
    bool measure = how->measure && !dev->held;
    uint64_t facts[3] = {dev->info.arch, dev->info.sms, dn->version()};
    uint64_t h = hash_bytes(c, sizeof *c, hash_bytes(facts, sizeof facts, 31));
    uint64_t key[2] = {h, how->measure};
    bool fresh = false;
    MapEntry *e = map_put(&dn->plans, (Str){(const char *)key, sizeof key}, &fresh);
    if (!fresh) {
        if (!e->p)
            sb_puts(why_not, "cuDNN refused such a convolution before");
        return e->p;
    }
    Try t = {.dn = dn, .dev = how->dev, .at = how->at};
    DnPlan *plan = choose(&t, c, measure, how->cache, h, why_not);
    e = map_put(&dn->plans, (Str){(const char *)key, sizeof key}, NULL);
    return e->p = plan;
}
