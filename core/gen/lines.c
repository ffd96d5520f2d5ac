/*
 * lines.c - scans as CUDA kernels; sorts are read here, too, and written by sorts.c.
 *
 * Input: a region of one sort, or of one scan, perhaps between two flips of its dimension (the
 * gradient of a cumsum). Output: one launch, or for a scan two where lines are few and long: the
 * first finds what each share of a line comes to, the second goes through the shares knowing what
 * lies before. The folds have a fixed order, so results are equal every time.
 */
#include "lines.h"
#include "lines_text.h"

#include <stdio.h>

enum {
    LONGEST = 1 << 30, /* of a line: places in it are ints */
    SHORT_LINE = 32,   /* that one thread goes through */
    COLUMN_THREADS = 128,
    MOST_SPLITS = 64, /* of a column: a thread adds up all before its own */
    LEAST_SHARE = 4096, /* elements of a line that are worth a block */
};

static bool is_scan(uint32_t op)
{
    return op == PRIM_cumsum || op == PRIM_cumprod || op == PRIM_cummax || op == PRIM_cummin;
}

static bool is_on_lines(const Node *n)
{
    return n->op->language == LANG_prims && (is_scan(n->op->id) || is_sort(n));
}

bool region_has_lines(const Region *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (is_on_lines(&r->t->nodes[r->nodes[i]]))
            return true;
    return false;
}

/* -------------------------------------------------------------------------------------- reading */

static bool refuse(StrBuf *why, const char *what)
{
    if (why)
        sb_puts(why, what);
    return false;
}

static const Type *type_of(const Lines *l, ValueId v)
{
    return &value_get(l->r->t, v)->type;
}

/* Whether n turns around just the dimension of the operator. */
static bool is_flip_of(const Lines *l, const Node *n, int64_t dim, int64_t rank)
{
    Arg dims = n->args[1];
    if (n->op->id != PRIM_flip || !arg_is_seq(dims) || dims.n != 1 ||
        dims.items[0].kind != ARG_int || (l->node->op->id != PRIM_cumsum &&
                                          l->node->op->id != PRIM_cumprod))
        return false;
    int64_t d = dims.items[0].i;
    return (d < 0 ? d + rank : d) == dim;
}

/* The flips of a region: one that makes what the operator reads, one that reads what it makes. */
static bool read_flips(Lines *l, int64_t dim, StrBuf *why)
{
    for (uint32_t i = 0; i < l->r->n; i++) {
        const Node *n = &l->r->t->nodes[l->r->nodes[i]];
        if (n == l->node)
            continue;
        if (!is_flip_of(l, n, dim, type_of(l, l->in)->rank))
            return refuse(why, "a scan or sort is a kernel of its own");
        if (n->out.v == l->in && !l->in_turned) {
            l->in_turned = true;
            l->in = n->args[0].v;
        } else if (n->args[0].v == l->out && !l->out_turned) {
            l->out_turned = true;
            l->out = n->out.v;
        } else {
            return refuse(why, "a scan or sort is a kernel of its own");
        }
    }
    return true;
}

/* Each result of the region is one of the two that the kernel writes. */
static bool read_results(Lines *l, StrBuf *why)
{
    bool out = false, place = false;
    for (uint32_t i = 0; i < l->r->nouts; i++) {
        out = out || l->r->outs[i] == l->out;
        place = place || (l->place && l->r->outs[i] == l->place);
        if (l->r->outs[i] != l->out && l->r->outs[i] != l->place)
            return refuse(why, "what it scans is needed outside");
    }
    l->out = out ? l->out : 0;
    l->place = place ? l->place : 0;
    return true;
}

static void read_sizes(Lines *l, uint32_t dim)
{
    const Type *t = type_of(l, l->in);
    l->outer = l->n = l->inner = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        *(i < dim ? &l->outer : i == dim ? &l->n : &l->inner) *= t->shape[i];
}

static bool lines_read(Lines *l, const Region *r, StrBuf *why)
{
    *l = (Lines){.r = r};
    for (uint32_t i = 0; i < r->n; i++) {
        const Node *n = &r->t->nodes[r->nodes[i]];
        if (is_on_lines(n) && l->node)
            return refuse(why, "a scan or sort is a kernel of its own");
        if (is_on_lines(n))
            l->node = n;
    }
    ValueId outs[2] = {0};
    arg_values(l->node->out, outs, 2);
    l->in = l->node->args[0].v;
    l->out = outs[0];
    l->place = outs[1];
    l->out_dtype = (DType)type_of(l, l->out)->dtype;
    bool second = l->node->op->id == PRIM_topk || l->node->op->id == PRIM_kthvalue;
    Arg d = l->node->args[second ? 2 : 1];
    if (l->node->args[0].kind != ARG_value || d.kind != ARG_int)
        return refuse(why, "its dimension is not known");
    int64_t rank = type_of(l, l->in)->rank, dim = d.i < 0 ? d.i + rank : d.i;
    if (!read_flips(l, dim, why) || !read_results(l, why))
        return false;
    l->in_dtype = (DType)type_of(l, l->in)->dtype;
    read_sizes(l, (uint32_t)dim);
    if (!cuda_storage(l->in_dtype) || !cuda_storage(l->out_dtype) || l->n > LONGEST)
        return refuse(why, "has no kernel for lines of that length or dtype");
    return !is_sort(l->node) || sorts_fit(l, why);
}

bool lines_fit(const Region *r, StrBuf *why)
{
    Lines l;
    return lines_read(&l, r, why);
}

/* -------------------------------------------------------------------------------------- writing */

void lines_open(const Lines *l, const char *symbol, GenLaunch launch, bool scratch, GenCuda *plan,
                StrBuf *out)
{
    GenLaunch *to = &plan->launch[plan->nlaunch];
    *to = launch;
    snprintf(to->name, sizeof to->name, plan->nlaunch ? "%s_%u" : "%s", symbol, plan->nlaunch);
    to->early = true;
    plan->nlaunch++;
    const Value *in = value_get(l->r->t, l->in);
    sb_printf(out, "extern \"C\" __global__ void __launch_bounds__(%u)\n%s(\n", launch.block[0],
              to->name);
    sb_printf(out, "    const %s *__restrict__ in, // %.*s: ", cuda_storage(l->in_dtype),
              STR(in->name));
    type_print(&in->type, NULL, out);
    sb_putc(out, '\n');
    for (uint32_t i = 0; i < l->r->nouts; i++) {
        const Value *v = value_get(l->r->t, l->r->outs[i]);
        bool place = l->r->outs[i] == l->place;
        sb_printf(out, "    %s *__restrict__ %s, // %.*s: ",
                  cuda_storage((DType)v->type.dtype), place ? "place" : "out", STR(v->name));
        type_print(&v->type, NULL, out);
        sb_putc(out, '\n');
    }
    sb_printf(out, "%s    int *error)\n{\n    wait_for_earlier();\n    let_later_begin();\n",
              scratch ? "    char *scratch,\n" : "");
}

static bool is_placed(const Lines *l)
{
    return l->node->op->id == PRIM_cummax || l->node->op->id == PRIM_cummin;
}

/* How many share a line, and the shape of the launches. */
typedef struct ScanPlan {
    bool rows;
    uint32_t vector, warps, splits;
    int64_t blocks; /* without splits */
} ScanPlan;

static uint32_t clamp_splits(int64_t want, int64_t most, int64_t limit)
{
    int64_t n = want < most ? want : most;
    return (uint32_t)(n < 1 ? 1 : n > limit ? limit : n);
}

static ScanPlan plan_scan(const Lines *l, const GenTarget *g)
{
    ScanPlan p = {.rows = l->inner == 1 && l->n > SHORT_LINE, .vector = 1, .warps = 1};
    if (!p.rows) {
        p.blocks = (l->outer * l->inner + COLUMN_THREADS - 1) / COLUMN_THREADS;
        p.splits = clamp_splits((int64_t)g->sms * 8 / p.blocks, l->n / SHORT_LINE,
                                MOST_SPLITS);
        return p;
    }
    uint32_t most = is_placed(l) ? 4 : 8; /* with places, more would not fit registers */
    while (p.vector < most && l->n % (2 * p.vector) == 0 &&
           2 * p.vector * dtype_info[l->in_dtype].bytes <= 16)
        p.vector *= 2;
    while (p.warps < 8 && 32 * p.warps * p.vector < l->n)
        p.warps *= 2;
    p.blocks = l->outer;
    p.splits = clamp_splits((int64_t)g->sms * 4 / p.blocks, l->n / LEAST_SHARE,
                            4 * 32 * p.warps); /* a thread for a few shares before */
    return p;
}

/* Sums are collected in double where they are f32 and in float where they are narrower, as the
 * interpreter does. */
const char *lines_element(const Lines *l)
{
    uint32_t op = l->node->op->id;
    bool sums = op == PRIM_cumsum || op == PRIM_cumprod;
    DType d = sums ? l->out_dtype : l->in_dtype;
    if (dtype_is_float(d))
        return c_is_narrow(d) || (!sums && d == DT_f32) ? "float" : "double";
    return sums ? "int64_t" : dtype_info[d].bytes < 4 ? "int" : c_type(d);
}

void lines_print_missing(const Lines *l, StrBuf *out)
{
    if (!l->out)
        sb_printf(out, "    %s *out = 0;\n", cuda_storage(l->out_dtype));
    if (!l->place)
        sb_puts(out, "    int64_t *place = 0;\n");
}

static void print_scan(const Lines *l, const ScanPlan *p, const char *symbol, bool parts,
                       GenCuda *plan, StrBuf *out)
{
    uint32_t op = l->node->op->id;
    const char *fold = op == PRIM_cumsum    ? "Sum"
                       : op == PRIM_cumprod ? "Prod"
                       : op == PRIM_cummax  ? "Latest<true>"
                                            : "Latest<false>";
    char a[32];
    snprintf(a, sizeof a, is_placed(l) ? "Placed<%s>" : "%s", lines_element(l));
    GenLaunch launch = {.grid = {(uint32_t)p->blocks, 1, 1}, .block = {COLUMN_THREADS, 1, 1}};
    if (p->rows)
        launch.block[0] = 32 * p->warps;
    launch.grid[p->rows ? 0 : 1] *= p->splits;
    sb_printf(out, "%s// %s: %u x %u blocks of %u threads\n", plan->nlaunch ? "\n" : "",
              parts ? "what shares of lines come to" : "scans lines", launch.grid[0],
              launch.grid[1], launch.block[0]);
    lines_open(l, symbol, launch, p->splits > 1, plan, out);
    lines_print_missing(l, out);
    if (p->rows)
        sb_printf(out, "    scan_rows<%s, %s, %lld, %u, %u, %u", fold, a, (long long)l->n,
                  p->vector, p->warps, p->splits);
    else
        sb_printf(out, "    scan_columns<%s, %s, %lld, %lld, %lld, %u", fold, a,
                  (long long)(l->outer * l->inner), (long long)l->n, (long long)l->inner,
                  p->splits);
    sb_printf(out, ", %s, %s, %s>(in, out, place, (%s *)%s);\n}\n", parts ? "true" : "false",
              l->in_turned ? "true" : "false", l->out_turned ? "true" : "false", a,
              p->splits > 1 ? "scratch" : "0");
}

bool lines_cuda(const Region *r, const GenTarget *g, const char *symbol, GenCuda *plan,
                StrBuf *out, StrBuf *why)
{
    enum { ELEMENT = 16 }; /* bytes of the widest */
    Lines l;
    *plan = (GenCuda){0};
    if (!lines_read(&l, r, why))
        return false;
    if (l.outer * l.n * l.inner == 0)
        return true;
    if (is_sort(l.node)) {
        sorts_cuda(&l, symbol, plan, out);
        return true;
    }
    sb_puts(out, SCANS);
    ScanPlan p = plan_scan(&l, g);
    if (p.splits > 1) {
        plan->scratch = l.outer * l.inner * p.splits * ELEMENT;
        print_scan(&l, &p, symbol, true, plan, out);
    }
    print_scan(&l, &p, symbol, false, plan, out);
    return true;
}
