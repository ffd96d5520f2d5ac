/*
 * text_c_shape.c - the shape of a loop nest in C.
 *
 * Input: points, stores and loops. Output: which loops threads share, which run in pieces or tiles,
 * which results go past the caches, what a row keeps from pass to pass and whether it fetches the
 * next one. Both who writes the text and who says what it costs ask here.
 */
#include "text_c.h"

/* Loops of a role that run one by one. */
uint32_t c_loops(const Text *x, Role role, uint32_t *vars)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->s->nloops; i++)
        if (x->s->vars[i].role == role && x->s->vars[i].extent != 1 && (int32_t)i != x->cut &&
            (int32_t)i != x->tiled && ((int32_t)i != x->panel || role == VAR_reduced))
            vars[n++] = i;
    return n;
}

/* The loop that goes from row to row; -1 = none. */
int32_t c_row_loop(const Text *x)
{
    uint32_t vars[MAX_LOOPS], n = c_loops(x, VAR_parallel, vars);
    return n ? (int32_t)vars[n - 1] : -1;
}

/* An operand of the first pass that has other elements in the next row. */
bool c_is_fetched(const Text *x, const Point *p)
{
    for (uint32_t i = 0; i < p->form.n; i++)
        if (!var_is_loop(&x->s->vars[p->form.terms[i].var]))
            return false;
    return p->kind == POINT_load && form_factor(p->form, (uint32_t)x->last_reduced) == 1 &&
           form_factor(p->form, (uint32_t)c_row_loop(x)) != 0;
}

/* Memory is busy all the time where every pass but the first fetches: the last one half of a row,
 * the one before it a quarter, and the first of them what is left. */
bool c_fetches_now(const Text *x, int64_t *start, int64_t *share)
{
    if (x->flight) { /* the first one reads beside all others */
        *start = 0;
        *share = 1;
        return x->pass == 1;
    }
    uint32_t last = c_passes(x->s) + !x->early, first = last < FETCH_PASSES + 1
                                                            ? 2 : last - FETCH_PASSES + 1;
    if (!x->fetches || x->pass < first || x->pass > last)
        return false;
    uint32_t behind = last - x->pass;
    *share = (int64_t)1 << (behind + (x->pass > first));
    *start = x->pass > first ? x->s->reduced_numel / *share : 0;
    return true;
}

bool c_fetches(const Text *x)
{
    int64_t start, share;
    return c_fetches_now(x, &start, &share);
}

/* ----------------------------------------------------------------------------------- the shape */

uint32_t c_passes(const Nest *s)
{
    uint32_t passes = 0;
    for (uint32_t i = 0; i < s->npoints; i++)
        passes = s->points[i].pass > passes ? s->points[i].pass : passes;
    return passes;
}

int64_t c_region_bytes(const Nest *s)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < s->ninputs; i++)
        bytes += type_bytes(&value_get(s->r->t, s->inputs[i])->type);
    for (uint32_t i = 0; i < s->r->nouts; i++)
        bytes += type_bytes(&value_get(s->r->t, s->r->outs[i])->type);
    return bytes;
}

/* Large results that are dense along the innermost loop. What lies over an input is in the caches
 * when it is written. */
static void choose_streams(Text *x, int32_t last)
{
    if (last < 0 || c_region_bytes(x->s) < STREAM_FROM || x->s->vars[last].extent < TILE)
        return;
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        const Store *st = &x->s->stores[i];
        const Type *type = &value_get(x->s->r->t, x->s->r->outs[st->out])->type;
        if (form_factor(st->form, (uint32_t)last) == 1 && type_bytes(type) >= STREAMED_FROM &&
            !x->s->points[st->point].across && !nest_result_is_over(x->s, st->out))
            x->streamed |= 1u << st->out;
    }
}

static void choose_pieces(Text *x, int32_t last)
{
    x->tiled = c_tiled_loop(x, last);
    if (!x->streamed && x->tiled < 0)
        return;
    int64_t size = x->s->vars[last].extent;
    x->cut = last;
    x->piece = x->tiled >= 0 ? TILE : size < PIECE ? size : PIECE;
    x->next_tiles = x->tiled >= 0 && c_region_bytes(x->s) >= STREAM_FROM;
    x->tall = TILE;
    while (x->next_tiles && x->tall < TALL && x->tall < x->s->vars[x->tiled].extent)
        x->tall += TILE;
}

/* Few columns of many rows: threads share the rows, each with an accumulator for all columns. */
static void choose_column(Text *x, int32_t last)
{
    int64_t size = x->s->vars[last].extent, others = size ? x->s->outer_numel / size : 0;
    bool in_order = false;
    for (uint32_t i = 0; i < x->s->npoints; i++)
        in_order |= c_keeps_order(&x->s->points[i]);
    x->column = true;
    x->cut = last;
    x->parallel_inside =
        x->parallel && others < FEW_TURNS && x->s->reduced_numel >= TILE && !in_order;
    if (x->parallel_inside)
        x->piece = size < THREAD_PIECE ? size : THREAD_PIECE;
    else
        x->piece = size >= 2048 ? 256 : size >= 256 ? 64 : 16;
}

/* Whether each row of a large region is read more than once, in order, by one thread. */
static bool reads_rows_again(const Text *x)
{
    uint32_t vars[MAX_LOOPS];
    const Nest *s = x->s;
    if (x->column || !x->reduced || x->parallel_inside || c_loops(x, VAR_reduced, vars) != 1 ||
        x->panel >= 0 || c_row_loop(x) < 0 || c_region_bytes(s) < STREAM_FROM)
        return false;
    bool row = false;
    for (uint32_t i = 0; i < s->npoints; i++) {
        const Point *p = &s->points[i];
        if (c_keeps_order(p))
            return false;
        row |= c_is_fetched(x, p) &&
               s->reduced_numel * (int64_t)dtype_info[p->dtype].bytes >= FETCH_FROM;
    }
    return row;
}

/* Whether there are sums across the rows, all of float elements, and the rows go in fours. */
static bool sums_row_parts(const Text *x)
{
    bool any = false;
    int32_t row = c_row_loop(x);
    if (x->column || !x->reduced || x->parallel_inside || x->panel >= 0 || row < 0 ||
        x->s->vars[row].extent % PARTS)
        return false;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (p->kind != POINT_reduce || !p->across || p->whole)
            continue;
        if (!dtype_is_float(p->dtype) || p->dtype == DT_f64)
            return false;
        any = true;
    }
    return any;
}

static bool has_scan(const Nest *s)
{
    for (uint32_t i = 0; i < s->npoints; i++)
        if (s->points[i].kind == POINT_scan)
            return true;
    return false;
}

uint32_t c_stages(const Text *x)
{
    return c_passes(x->s) + 1;
}

uint32_t c_kept_rows(const Text *x, uint32_t i)
{
    return x->flight ? c_stages(x) - x->keep[i] : 1;
}

/* A sum over the reduced loops whose terms are dear. A loop that computes them and adds them up has
 * fewer of them under way than one that only computes them. */
static bool sums_dear(const Text *x, const Point *p)
{
    const Point *term = &x->s->points[p->a[0]];
    return p->kind == POINT_reduce && !p->across && p->fold == FOLD_sum && c_is_dear(x, term) &&
           dtype_is_float(term->dtype) && term->dtype != DT_f64 && (term->deps & x->reduced);
}

/* Whether nothing is written over operands, summed across the rows, or asked of another row. */
static bool rows_are_apart(const Text *x)
{
    for (uint32_t i = 0; i < x->s->r->nouts; i++)
        if (nest_result_is_over(x->s, i))
            return false;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if ((p->kind == POINT_reduce && p->across && !p->whole) || p->kind == POINT_scan)
            return false;
    }
    return true;
}

/* Long rows one after the other in memory, of which full-size results are made in three passes: how
 * many of them make a block whose passes take turns. Then memory is read and written all the time:
 * a pass that only computes goes on beside one that reads, and one that writes. Short rows and
 * cheap passes are left alone: what each piece of a pass begins and ends with costs more. */
static int64_t rows_of_flight(const Text *x)
{
    uint32_t vars[MAX_LOOPS];
    const Nest *s = x->s;
    if (!x->fetches || !x->streamed || x->early || x->angles || c_stages(x) != STAGES ||
        c_loops(x, VAR_parallel, vars) != 1 || !rows_are_apart(x))
        return 0;
    bool dear = false;
    int64_t bytes = 0, block = FLIGHT_BLOCK, rows = s->vars[c_row_loop(x)].extent;
    for (uint32_t i = 0; i < s->npoints; i++) {
        const Point *p = &s->points[i];
        dear |= sums_dear(x, p);
        if (!c_is_fetched(x, p))
            continue;
        if (form_factor(p->form, (uint32_t)c_row_loop(x)) != s->reduced_numel)
            return 0;
        bytes += s->reduced_numel * (int64_t)dtype_info[p->dtype].bytes;
    }
    while (block >= FLIGHT_LEAST && rows / block < FLIGHT_BLOCKS)
        block /= 2;
    bool long_enough = bytes >= FLIGHT_FROM && bytes <= FLIGHT_MOST;
    return dear && long_enough && block >= FLIGHT_LEAST ? block : 0;
}

/* How the loops are shared among threads, and which ones are taken in pieces. */
void c_choose_shape(Text *x, Nest *s)
{
    int32_t last = -1, last_parallel = -1;
    nest_merge_loops(s);
    x->s = s;
    x->cut = x->tiled = x->panel = x->last_reduced = x->together = -1;
    x->printed = new_array(&s->arena, uint8_t, s->npoints + 1);
    x->keep = new_array(&s->arena, uint8_t, s->npoints + 1);
    x->step = new_array(&s->arena, bool, s->npoints + 1);
    for (uint32_t i = 0; i < s->nloops; i++) {
        if (s->vars[i].extent == 1)
            continue;
        last = (int32_t)i;
        if (s->vars[i].role == VAR_parallel) {
            last_parallel = (int32_t)i;
        } else {
            x->reduced |= (uint64_t)1 << i;
            x->last_reduced = (int32_t)i;
        }
    }
    x->parallel = s->full_numel >= PARALLEL_FROM;
    bool folds_one = s->reduces && !x->reduced; /* passes without loops to be in pieces */
    if (!folds_one)
        choose_streams(x, last);
    if (s->reduces && s->reduced_numel != 1 && last >= 0 && last == last_parallel)
        choose_column(x, last);
    else if (!x->reduced && !folds_one)
        choose_pieces(x, last);
    else
        x->parallel_inside = x->parallel && s->outer_numel < FEW_TURNS &&
                             s->reduced_numel >= PARALLEL_FROM && !has_scan(s);
    if (x->reduced)
        c_choose_panel(x, last);
    x->early = !x->column && nest_writes_early(s);
    x->fetches = reads_rows_again(x);
    x->row_parts = sums_row_parts(x);
    for (uint32_t i = 0; i < s->npoints; i++) {
        x->angles |= c_is_angle(x, &s->points[i]);
        x->reports |= c_reports(x, &s->points[i]);
    }
    for (uint32_t i = s->nloops; i < s->nvars; i++)
        x->reports |= s->vars[i].role == VAR_loaded && !s->vars[i].in_range;
    x->flight = rows_of_flight(x);
}

static void note_pass(uint32_t *passes, uint32_t pass)
{
    *passes |= 1u << (pass < 31 ? pass : 31);
}

static uint32_t lowest(uint32_t bits)
{
    uint32_t n = 0;
    while (!(bits >> n & 1))
        n++;
    return n;
}

/* Rows that one thread goes through may keep arrays. */
static bool may_keep(const Text *x)
{
    uint32_t vars[MAX_LOOPS];
    return !x->column && !x->parallel_inside && c_loops(x, VAR_reduced, vars) == 1;
}

/* Bytes of a row of point i in an array. */
static int64_t kept_bytes(const Text *x, uint32_t i)
{
    return x->s->reduced_numel * (x->s->points[i].dtype == DT_f64 ? 8 : 4);
}

/* Whether all that is reduced in a pass are such sums. */
static bool sums_only_dear(const Text *x, uint32_t pass)
{
    bool any = false;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (p->kind != POINT_reduce || p->across || p->pass != pass)
            continue;
        if (!sums_dear(x, p))
            return false;
        any = true;
    }
    return any && x->s->reduced_numel >= PARTS * PART_LANES;
}

bool c_sums_apart(const Text *x)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (c_ends_now(x, p) && x->keep[p->a[0]] != x->pass)
            return false;
    }
    return sums_only_dear(x, x->pass);
}

/* Arrays for the terms of such sums, from which they are added up. */
static void keep_terms(Text *x, uint32_t arrays, int64_t room)
{
    for (uint32_t i = 0; i < x->s->npoints && arrays; i++) {
        const Point *p = &x->s->points[i];
        if (!sums_dear(x, p) || x->keep[p->a[0]] || kept_bytes(x, p->a[0]) > room ||
            !sums_only_dear(x, p->pass))
            continue;
        x->keep[p->a[0]] = (uint8_t)p->pass;
        room -= kept_bytes(x, p->a[0]);
        arrays--;
    }
}

/* What is dear, depends on the reduced loop and is needed in more than one pass stays in an array.
 * From the results to the operands: below what is kept, only its first pass needs anything. */
void c_choose_kept(Text *x, uint32_t *needed)
{
    Nest *s = x->s;
    uint32_t arrays = may_keep(x) ? KEEP_MOST : 0, passes = c_passes(s);
    int64_t room = KEEP_BYTES;
    for (uint32_t i = 0; i < s->nstores; i++) {
        bool early = x->early && nest_is_full(s, &s->stores[i]);
        if (s->points[s->stores[i].point].across) /* behind all rows, where no array is left */
            continue;
        note_pass(&needed[s->stores[i].point], early ? 1 : passes + 1);
    }
    for (uint32_t i = s->npoints; i-- > 0;) {
        const Point *p = &s->points[i];
        if (p->kind == POINT_reduce) {
            note_pass(&needed[p->a[0]], p->across ? passes + 1 : p->pass);
            continue;
        }
        bool again = needed[i] & (needed[i] - 1);
        if (again && arrays && room >= kept_bytes(x, i) && (p->deps & x->reduced) &&
            c_is_dear(x, p)) {
            x->keep[i] = (uint8_t)lowest(needed[i]);
            needed[i] = 1u << x->keep[i];
            room -= kept_bytes(x, i);
            arrays--;
        }
        for (uint32_t k = 0; k < p->na; k++)
            needed[p->a[k]] |= needed[i];
    }
    keep_terms(x, arrays, room);
}
