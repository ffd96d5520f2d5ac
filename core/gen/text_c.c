/*
 * text_c.c - the C text of a loop nest.
 *
 * Input: points, stores and loops. Output: one function. Three shapes: "pointwise" (parallel loops
 * only, the last one vectorised), "row" (the last loop is reduced: results of reductions are
 * scalars), "column" (the last loop is parallel: pieces of it, results of reductions are arrays
 * over a piece). A reduction costs a pass over the reduced loops; what is dear to compute is kept
 * from pass to pass where a row is short enough, the rest is computed again.
 *
 * Two things are done for memory. Results of regions larger than the caches are collected in rows
 * and written past the caches. Where an operand's neighbours lie along another loop than the last,
 * both loops run in tiles, and the tile of the operand is transposed into an array first.
 */
#include "text_c.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void print_for(const Text *x, uint32_t var, uint32_t depth, StrBuf *b)
{
    c_indent(b, depth);
    sb_printf(b, "for (int64_t i%u = 0; i%u < %lld; i%u++) {\n", var, var,
              (long long)x->s->vars[var].extent, var);
}

/* A loop in pieces that begin at `start`. */
static void print_pieces(const Text *x, int32_t var, int64_t piece, const char *start,
                         uint32_t depth, StrBuf *b)
{
    long long size = x->s->vars[var].extent;
    c_indent(b, depth);
    sb_printf(b, "for (int64_t %s = 0; %s < %lld; %s += %lld) {\n", start, start, size, start,
              (long long)piece);
}

/* How long the piece is. */
static void print_length(const Text *x, int32_t var, int64_t piece, const char *start,
                         const char *length, uint32_t depth, StrBuf *b)
{
    long long size = x->s->vars[var].extent;
    c_indent(b, depth);
    if (size % piece == 0)
        sb_printf(b, "const int64_t %s = %lld;\n", length, (long long)piece);
    else
        sb_printf(b, "const int64_t %s = %lld - %s < %lld ? %lld - %s : %lld;\n", length, size,
                  start, (long long)piece, size, start, (long long)piece);
}

/* A loop over rows; some of them at a time where they make one step of a column. */
static void print_rows(const Text *x, uint32_t var, uint32_t depth, StrBuf *b)
{
    bool panel = (int32_t)var == x->panel, steps = (int32_t)var == x->together;
    char row[16] = "r", end[32] = "bt + mt";
    if (!steps)
        snprintf(row, sizeof row, "i%u", var);
    if (!panel)
        snprintf(end, sizeof end, "%lld", (long long)x->s->vars[var].extent);
    c_indent(b, depth);
    sb_printf(b, "for (int64_t %s = %s; %s < %s; ", row, panel ? "bt" : "0", row, end);
    if (steps)
        sb_printf(b, "%s += %u) {\n", row, x->rows_together);
    else
        sb_printf(b, "%s++) {\n", row);
}

/* Whether statements have the name of a loop variable, comments aside: what is read of an empty
 * tensor has no index. */
bool c_names_variable(const char *text, int32_t var)
{
    char name[16];
    size_t n = (size_t)snprintf(name, sizeof name, "i%d", (int)var);
    for (const char *at = text; (at = strpbrk(at, "i/")); at++) {
        if (at[0] == '/' && at[1] == '/')
            at = strchr(at, '\n');
        else if (strncmp(at, name, n) == 0 && !isalnum((unsigned char)at[n]) &&
                 (at == text || !isalnum((unsigned char)at[-1])))
            return true;
        if (!at)
            break;
    }
    return false;
}

/* The place of a piece's element j. */
void c_place(const Text *x, uint32_t depth, bool indexed, StrBuf *b)
{
    if (!indexed)
        return;
    c_indent(b, depth);
    sb_printf(b, "const int64_t i%d = b + %sj;\n", x->cut, x->line ? "l + " : "");
}

/* The innermost loop of a piece. */
static void print_for_j(const Text *x, uint32_t depth, bool indexed, StrBuf *b)
{
    c_indent(b, depth);
    if (x->line)
        sb_printf(b, "for (int64_t j = 0; j < %lld; j++) {\n", (long long)x->line);
    else
        sb_puts(b, "for (int64_t j = 0; j < m; j++) {\n");
    c_place(x, depth + 1, indexed, b);
}

void c_close_loops(StrBuf *b, uint32_t depth, uint32_t n)
{
    while (n--) {
        c_indent(b, depth + n);
        sb_puts(b, "}\n");
    }
}

/* ------------------------------------------------------------------------------ rows and tiles */

static const char *out_storage(const Text *x, uint32_t out)
{
    return c_storage((DType)value_get(x->s->r->t, x->s->r->outs[out])->type.dtype);
}

static void declare_rows(const Text *x, uint32_t depth, StrBuf *b)
{
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        uint32_t out = x->s->stores[i].out;
        if (!(x->rows & 1u << out))
            continue;
        c_indent(b, depth);
        sb_printf(b, "%s row%u[%lld];\n", out_storage(x, out), out,
                  (long long)(x->line ? x->line : x->piece));
    }
}

static void write_rows(const Text *x, uint32_t depth, StrBuf *b)
{
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        const Store *st = &x->s->stores[i];
        if (!(x->rows & 1u << st->out))
            continue;
        Form start = form_add(x->s, st->form, form_var(x->s, (uint32_t)x->cut), -1);
        c_indent(b, depth);
        sb_puts(b, x->line ? "stream_lines(&" : "stream(&");
        c_element(x, "out", st->out, start, b);
        b->n--; /* the bracket */
        if (x->line)
            sb_printf(b, " + b + l], row%u, sizeof row%u);\n", st->out, st->out);
        else
            sb_printf(b, " + b], row%u, m * sizeof *row%u);\n", st->out, st->out);
    }
}

/* ------------------------------------------------------------------------------------ one pass */

/* Statements of the body; in braces where no loop keeps their names from those of other passes. */
static void add_body(Text *x, bool braces)
{
    if (braces) {
        c_indent(x->out, x->depth);
        sb_puts(x->out, "{\n");
    }
    sb_add(x->out, sb_str(&x->body));
    if (braces)
        c_close_loops(x->out, x->depth, 1);
}

/* Statements in the loop over a piece, with the rows that they store; clauses of its pragma, or
 * NULL where it is none that vectorises. */
static void print_piece_of(Text *x, const StrBuf *body, uint32_t depth, const char *clauses)
{
    if (x->line) {
        c_indent(x->out, depth++);
        sb_printf(x->out, "for (int64_t l = 0; l < m; l += %lld) {\n", (long long)x->line);
    }
    declare_rows(x, depth, x->out);
    if (clauses && !x->lanes)
        c_pragma(x, depth, "simd", clauses, x->out);
    if (x->parts && !x->column) {
        c_row_steps(x, depth);
    } else {
        print_for_j(x, depth, c_names_variable(sb_cstr(body), x->cut), x->out);
        if (x->together >= 0)
            c_column_step(x, depth + 1);
        else
            sb_add(x->out, sb_str(body));
        c_close_loops(x->out, depth, 1);
    }
    write_rows(x, depth, x->out);
    if (x->exps)
        c_take_exps(x, depth);
    if (x->line)
        c_close_loops(x->out, depth - 1, 1);
}

/* The body in the loop over a piece; where one place of a row is another case, pieces without it
 * have a body of their own, which need not compare. */
void c_piece(Text *x, uint32_t depth, const char *clauses)
{
    if (x->apart.n == 0) {
        print_piece_of(x, &x->body, depth, clauses);
        return;
    }
    c_indent(x->out, depth);
    sb_printf(x->out, "if ((uint64_t)%s - (uint64_t)b >= (uint64_t)m) {\n", x->place);
    print_piece_of(x, &x->apart, depth + 1, clauses);
    c_indent(x->out, depth);
    sb_puts(x->out, "} else {\n");
    print_piece_of(x, &x->body, depth + 1, clauses);
    c_close_loops(x->out, depth, 1);
}

/* The part of a row further on that lies where the piece does. The processor reads it while it
 * computes this row, of which all operands are in its caches. */
static void print_fetches(Text *x, uint32_t depth)
{
    int64_t start, share;
    char part[24] = "";
    if (!c_fetches_now(x, &start, &share))
        return;
    if (share > 1)
        snprintf(part, sizeof part, " / %lld", (long long)share);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (!c_is_fetched(x, p))
            continue;
        int64_t next = form_factor(p->form, (uint32_t)c_row_loop(x));
        int64_t bytes = dtype_info[p->dtype].bytes, row = x->s->reduced_numel * bytes;
        Form at = form_add(x->s, p->form, form_var(x->s, (uint32_t)x->cut), -1);
        if (x->flight)
            at.c += FLIGHT_AHEAD / bytes;
        else
            at.c += next * (row < FETCH_AHEAD ? (FETCH_AHEAD + row - 1) / row : 1) + start;
        c_indent(x->out, depth);
        sb_printf(x->out, "for (int64_t k = 0; k < m%s; k += %u)\n", part,
                  LINE / dtype_info[p->dtype].bytes);
        c_indent(x->out, depth + 1);
        sb_puts(x->out, "__builtin_prefetch(&");
        c_element(x, "in", c_input(x, p), at, x->out);
        x->out->n--; /* the bracket */
        sb_printf(x->out, " + b%s + k]);\n", part);
    }
}

/* Some rows of operands that lie across them, in arrays. */
static void open_panel(Text *x, uint32_t depth)
{
    print_pieces(x, x->panel, x->panel_rows, "bt", depth, x->out);
    print_length(x, x->panel, x->panel_rows, "bt", "mt", depth + 1, x->out);
    c_fill_panels(x, depth + 1);
}

/* The statements of one pass, in the reduced loops; they are in x->body already. accs: the
 * reductions that it makes. */
static void print_pass_loops(Text *x, const uint32_t *accs, uint32_t naccs)
{
    uint32_t vars[MAX_LOOPS], n = c_loops(x, VAR_reduced, vars), depth = x->depth, opened = n;
    StrBuf clauses = {0}, *b = x->out;
    bool in_order = false, pieces = !x->column && x->cut >= 0;
    for (uint32_t i = 0; i < naccs; i++) {
        if (!x->column || x->parallel_inside)
            c_clause(x, accs[i], &clauses);
        in_order |= c_keeps_order(&x->s->points[accs[i]]);
    }
    in_order |= x->scans && !x->column;
    for (uint32_t i = 0; i < n; i++) {
        bool few = x->s->vars[vars[i]].extent < LEAST_LANES;
        bool last = i + 1 == n && !x->column && !pieces && !in_order && !few;
        bool threads = i == 0 && x->parallel_inside;
        if (threads || last)
            c_pragma(x, depth, threads ? last ? "parallel for simd" : "parallel for" : "simd",
                     sb_cstr(&clauses), b);
        if (x->column && (int32_t)vars[i] == x->panel) {
            open_panel(x, depth++);
            opened++;
        }
        if (i + 1 == n && x->parts && x->cut < 0)
            opened--; /* its loop is that of the steps */
        else
            print_rows(x, vars[i], depth++, b);
    }
    if (pieces) {
        if (n == 0 && x->parallel_inside)
            c_pragma(x, depth, "parallel for", sb_cstr(&clauses), b);
        if (!x->flight) {
            print_pieces(x, x->cut, x->piece, "b", depth++, b);
            print_length(x, x->cut, x->piece, "b", "m", depth, b);
            opened++;
        }
        print_fetches(x, depth);
    }
    if (x->cut >= 0)
        c_piece(x, depth, in_order ? NULL : pieces ? sb_cstr(&clauses) : "");
    else if (x->parts)
        c_row_steps(x, depth);
    else
        add_body(x, n == 0);
    c_close_loops(b, depth - opened, opened);
    sb_free(&clauses);
}

/* Body statements stand as deep as all loops that may be around them. */
void c_begin_body(Text *x, bool over_reduced)
{
    uint32_t vars[MAX_LOOPS], n = over_reduced ? c_loops(x, VAR_reduced, vars) : 0;
    bool pieces = over_reduced && x->cut >= 0 && x->reduced && !x->column && !x->flight;
    bool panel = over_reduced && x->panel >= 0 && x->column;
    sb_clear(&x->body);
    x->scans = false;
    x->body_depth = x->depth + n + (x->cut >= 0) + (x->tiled >= 0) + pieces + panel +
                    (x->line > 0) + (x->together >= 0 || x->parts) + x->lanes;
    for (uint32_t i = 0; i < x->s->npoints; i++)
        x->printed[i] &= (uint8_t)~IN_body;
    for (uint32_t i = 0; i < MAX_VARS; i++)
        x->var_printed[i] &= (uint8_t)~IN_body;
}

/* A row shape cuts its innermost loop where results go past the caches or a row is fetched. */
static void cut_row(Text *x)
{
    int64_t size = x->s->vars[x->last_reduced].extent;
    x->cut = x->last_reduced;
    x->piece = size < PIECE ? size : PIECE;
}

static void flush_head(Text *x)
{
    sb_add(x->out, sb_str(&x->head));
    sb_clear(&x->head);
}

/* How many rows of a column make one step, when they divide all rows. */
static void choose_rows(Text *x)
{
    uint32_t rows = c_has_parts(x) ? PARTS : ROWS;
    while (rows > 1 && (x->s->npoints * rows > MAX_ROWS_POINTS || !x->column ||
                        x->last_reduced < 0 || x->s->vars[x->last_reduced].extent % rows))
        rows /= 2;
    x->together = rows > 1 ? x->last_reduced : -1;
    x->rows_together = rows;
}

static bool is_full_store(const Text *x, const Store *st)
{
    bool inside = !x->reduced || form_deps(x->s, st->form) & x->reduced;
    return inside && !x->s->points[st->point].across;
}

/* Full-size results that go past the caches. */
static uint32_t full_streams(const Text *x)
{
    uint32_t streams = 0;
    for (uint32_t i = 0; i < x->s->nstores; i++)
        if (is_full_store(x, &x->s->stores[i]))
            streams |= x->streamed & 1u << x->s->stores[i].out;
    return streams;
}

/* How many elements make whole lines of all rows that a piece stores. 0 where they are stored by
 * way of arrays of a piece: it ends within a line. */
static int64_t line_of_rows(const Text *x)
{
    int64_t line = 0;
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        uint32_t out = x->s->stores[i].out;
        const Type *type = &value_get(x->s->r->t, x->s->r->outs[out])->type;
        int64_t n = LINE / (int64_t)dtype_info[type->dtype].bytes;
        if (x->rows & 1u << out && n > line)
            line = n;
    }
    bool whole = line && x->piece % line == 0 && x->s->vars[x->cut].extent % line == 0;
    return whole ? line : 0;
}

/* Says how the body of the pass under way, which comes next, stores full-size results. What it also
 * reduces would be reduced for each line; a tile is written faster a row at a time. */
static void choose_stores(Text *x, bool reduces)
{
    x->rows = x->cut >= 0 ? full_streams(x) : 0;
    x->line = reduces || x->angles || x->tiled >= 0 ? 0 : line_of_rows(x);
}

/* Into the body: what its turn has of them. false = there are none. */
static bool add_full_stores(Text *x)
{
    bool any = false;
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        const Store *st = &x->s->stores[i];
        if (!is_full_store(x, st))
            continue;
        c_vars(x, st->form);
        c_point(x, st->point);
        c_store(x, st, &x->body, x->body_depth);
        any = true;
    }
    return any;
}

/* Sums of what the pass has put into arrays. */
static void print_kept_sums(Text *x, const uint32_t *accs, uint32_t n)
{
    x->parts = c_adds_in_parts(x);
    x->lanes = c_adds_in_lanes(x, x->pass);
    c_begin_body(x, true);
    for (uint32_t i = 0; i < n; i++) {
        x->pass++; /* the terms are in their arrays now */
        c_point(x, x->s->points[accs[i]].a[0]);
        x->pass--;
        c_update(x, accs[i]);
    }
    print_pass_loops(x, accs, n);
    x->lanes = false;
}

/* All reductions that are known after as many passes as x->pass, and not before; full-size results
 * with them where these need none. */
static void print_reduce_pass(Text *x)
{
    uint32_t accs[MAX_POINTS], n = 0;
    bool stores = x->early && x->pass == 1, apart = c_sums_apart(x);
    choose_rows(x);
    x->parts = !apart && c_adds_in_parts(x);
    x->lanes = !apart && c_adds_in_lanes(x, x->pass);
    x->exps = c_has_exps(x);
    bool cut = (x->flight || x->exps || c_fetches(x) || (stores && full_streams(x))) && !x->column;
    if (cut)
        cut_row(x);
    if (stores)
        choose_stores(x, !apart);
    c_begin_body(x, true);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (!c_ends_now(x, p))
            continue;
        accs[n++] = i;
        if (!x->flight)
            c_acc(x, i);
        c_term(x, p->a[0]);
        if (!apart)
            c_update(x, i);
    }
    if (stores)
        add_full_stores(x);
    flush_head(x);
    print_pass_loops(x, accs, apart ? 0 : n);
    x->rows = 0;
    x->line = 0;
    x->exps = x->lanes = false;
    if (cut && !x->flight)
        x->cut = -1;
    if (apart)
        print_kept_sums(x, accs, n);
    for (uint32_t i = 0; i < n && !x->flight; i++)
        c_end(x, accs[i], x->out);
    if (cut)
        x->cut = -1;
    x->together = -1;
    x->parts = false;
}

static bool is_whole(const Text *x, uint32_t i)
{
    return x->s->points[i].kind == POINT_reduce && x->s->points[i].whole;
}

/* What the row, or each column of the piece, has for the folds of all. */
static bool add_wholes(Text *x)
{
    bool any = false;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!is_whole(x, i))
            continue;
        c_point(x, x->s->points[i].a[0]);
        c_update_whole(x, i);
        any = true;
    }
    return any;
}

static void print_outer_stores(Text *x)
{
    c_begin_body(x, false);
    bool any = add_wholes(x);
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        const Store *st = &x->s->stores[i];
        if (form_deps(x->s, st->form) & x->reduced || x->reduced == 0 ||
            x->s->points[st->point].across)
            continue;
        if (!x->column && c_is_inner(x, x->s->points[st->point].deps))
            continue;
        c_vars(x, st->form);
        c_point(x, st->point);
        c_store(x, st, x->column ? &x->body : &x->head, x->column ? x->body_depth : x->depth);
        any = true;
    }
    flush_head(x);
    if (any && x->column)
        c_piece(x, x->depth, NULL);
}

static bool is_across(const Text *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    return p->kind == POINT_reduce && p->across && !p->whole;
}

/* Sums across the rows are collected in the last pass over each row. */
static bool add_across(Text *x)
{
    bool any = false;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!is_across(x, i))
            continue;
        uint32_t a = x->s->points[i].a[0];
        c_point(x, a);
        c_indent(&x->body, x->body_depth);
        sb_printf(&x->body, "%s%u[i%d] += v%u;\n", x->row_parts ? "part" : "acc", i,
                  x->last_reduced, a);
        any = true;
    }
    return any;
}

static void print_tile_loop(Text *x)
{
    c_fill_tiles(x, x->depth);
    c_indent(x->out, x->depth);
    sb_puts(x->out, "for (int64_t k = 0; k < mt; k++) {\n");
    c_indent(x->out, x->depth + 1);
    sb_printf(x->out, "const int64_t i%d = bt + k;\n", x->tiled);
    c_fetch_tiles(x, x->depth + 1);
    c_piece(x, x->depth + 1, "");
    c_close_loops(x->out, x->depth, 1);
}

/* What results of the row read of it, where other results are written over it. */
static void print_early(Text *x)
{
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (nest_is_read_early(x->s, i))
            c_point(x, i);
    flush_head(x);
}

/* The statements of what the last pass stores and sums; deeper inside of a condition. */
static bool add_last_body(Text *x, bool inside)
{
    c_begin_body(x, true);
    x->body_depth += inside;
    bool any = add_full_stores(x);
    return add_across(x) || any;
}

/* Where one place of a row is another case: both bodies. */
static void add_bodies_apart(Text *x)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < x->s->npoints && x->cut >= 0 && x->reduced && !place; i++)
        if (x->printed[i] & IN_body && c_is_place(x, &x->s->points[i], x->place))
            place = i + 1;
    if (!place)
        return;
    x->never = place;
    add_last_body(x, true);
    x->never = 0;
    sb_clear(&x->apart);
    sb_add(&x->apart, sb_str(&x->body));
    add_last_body(x, true);
}

static void print_full_stores(Text *x)
{
    bool any, row = x->cut < 0;
    print_early(x);
    if ((c_fetches(x) || full_streams(x)) && !x->column && x->reduced)
        cut_row(x);
    c_print_steps(x);
    choose_stores(x, false);
    any = add_last_body(x, false);
    add_bodies_apart(x);
    flush_head(x);
    if (any && x->reduced)
        print_pass_loops(x, NULL, 0);
    else if (any && x->tiled >= 0)
        print_tile_loop(x);
    else if (any && x->cut >= 0)
        c_piece(x, x->depth, "");
    else if (any)
        add_body(x, x->s->reduces);
    sb_clear(&x->apart);
    x->rows = 0;
    x->line = 0;
    if (row && x->reduced)
        x->cut = -1;
}

/* ------------------------------------------------------------------------------- the function */

/* Accumulators of folds of what the rows come to, and their clause. */
static void declare_wholes(Text *x, StrBuf *clauses)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!is_whole(x, i))
            continue;
        c_acc(x, i);
        c_clause(x, i, clauses);
    }
    flush_head(x);
}

/* Arrays of the sums across the rows, and the clause that gives each thread its own. */
static void declare_across(Text *x, StrBuf *clauses)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!is_across(x, i))
            continue;
        c_indent(x->out, x->depth);
        sb_printf(x->out, "double acc%u[%lld] = {0};\n", i, (long long)x->s->reduced_numel);
        sb_printf(clauses, " reduction(+:acc%u[:%lld])", i, (long long)x->s->reduced_numel);
    }
}

/* A few rows whose sums across the rows float adds up first. */
static void open_row_parts(Text *x)
{
    int32_t row = c_row_loop(x);
    c_indent(x->out, x->depth);
    sb_printf(x->out, "for (int64_t r = 0; r < %lld; r += %d) {\n",
              (long long)x->s->vars[row].extent, PARTS);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!is_across(x, i))
            continue;
        c_indent(x->out, x->depth + 1);
        sb_printf(x->out, "float part%u[%lld] = {0};\n", i, (long long)x->s->reduced_numel);
    }
    c_indent(x->out, x->depth + 1);
    sb_printf(x->out, "for (int64_t i%d = r; i%d < r + %d; i%d++) {\n", row, row, PARTS, row);
    x->depth += 2;
}

/* Behind these rows, in the loop that goes on to the next ones. */
static void add_row_parts(Text *x, uint32_t depth)
{
    c_pragma(x, depth, "simd", "", x->out);
    print_for(x, (uint32_t)x->last_reduced, depth, x->out);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!is_across(x, i))
            continue;
        c_indent(x->out, depth + 1);
        sb_printf(x->out, "acc%u[i%d] += part%u[i%d];\n", i, x->last_reduced, i, x->last_reduced);
    }
    c_close_loops(x->out, depth, 1);
}

/* Behind all loops: results that depend on folds of what the rows come to, or on sums across the
 * rows. */
static void print_late_stores(Text *x, bool whole)
{
    bool any = false;
    memset(x->printed, 0, x->s->npoints);
    memset(x->var_printed, 0, sizeof x->var_printed);
    x->depth = 1;
    c_begin_body(x, !whole);
    if (whole)
        x->body_depth = 1;
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        const Store *st = &x->s->stores[i];
        const Point *p = &x->s->points[st->point];
        if (!p->across || p->whole != whole)
            continue;
        c_vars(x, st->form);
        c_point(x, st->point);
        c_store(x, st, &x->body, x->body_depth);
        any = true;
    }
    flush_head(x);
    if (any && !whole)
        print_for(x, (uint32_t)x->last_reduced, 1, x->out);
    sb_add(x->out, sb_str(&x->body));
    if (any && !whole)
        c_close_loops(x->out, 1, 1);
}

/* The tiles of a stack, one after the other. */
static void print_stack(Text *x)
{
    long long size = x->s->vars[x->tiled].extent;
    c_indent(x->out, x->depth++);
    sb_puts(x->out, "for (int64_t bt = st; ");
    if (size % x->tall)
        sb_printf(x->out, "bt < %lld && ", size);
    sb_printf(x->out, "bt < st + %lld; bt += %d) {\n", (long long)x->tall, TILE);
}

/* Opens the pieces of the cut loops inside `depth`, or a panel and its rows; returns how many. */
static uint32_t open_pieces(Text *x)
{
    bool tiles = x->tiled >= 0, stacks = tiles && x->tall > TILE;
    if (x->panel >= 0 && !x->column) {
        open_panel(x, x->depth++);
        print_rows(x, (uint32_t)x->panel, x->depth++, x->out);
        return 2;
    }
    if (x->cut < 0)
        return 0;
    if (tiles)
        print_pieces(x, x->tiled, x->tall, stacks ? "st" : "bt", x->depth++, x->out);
    print_pieces(x, x->cut, x->piece, "b", x->depth++, x->out);
    if (tiles)
        c_name_next_tiles(x, x->depth);
    if (stacks)
        print_stack(x);
    if (tiles)
        print_length(x, x->tiled, TILE, "bt", "mt", x->depth, x->out);
    print_length(x, x->cut, x->piece, "b", "m", x->depth, x->out);
    return 1u + tiles + stacks;
}

/* A block of rows: from t to u. */
static void open_block(Text *x, uint32_t var)
{
    long long rows = x->s->vars[var].extent, block = x->flight;
    c_indent(x->out, x->depth++);
    sb_printf(x->out, "for (int64_t t = 0; t < %lld; t += %lld) {\n", rows, block);
    c_indent(x->out, x->depth);
    if (rows % block)
        sb_printf(x->out, "const int64_t u = t + %lld < %lld ? t + %lld : %lld;\n", block, rows,
                  block, rows);
    else
        sb_printf(x->out, "const int64_t u = t + %lld;\n", block);
}

/* Opens the parallel loops; returns how many. */
static uint32_t open_parallel(Text *x)
{
    StrBuf clauses = {0};
    uint32_t vars[MAX_LOOPS], n = c_loops(x, VAR_parallel, vars);
    bool simd_last = x->reduced == 0 && n > 0 && x->cut < 0;
    uint32_t shared = n - (simd_last && n > 1) + (x->cut >= 0) + (x->tiled >= 0) +
                      (x->panel >= 0 && !x->column);
    int64_t turns = 1;
    for (uint32_t i = 0; i + (simd_last && n > 1) < n; i++)
        turns *= x->s->vars[vars[i]].extent;
    bool inner_threads = simd_last && n > 1 && turns < FEW_TURNS;
    bool threads = x->parallel && !x->parallel_inside && shared > 0;
    if (shared > 1)
        sb_printf(&clauses, " collapse(%u)", shared);
    declare_across(x, &clauses);
    declare_wholes(x, &clauses);
    if (threads && !inner_threads) {
        c_pragma(x, x->depth, simd_last && n == 1 ? "parallel for simd" : "parallel for",
                 sb_cstr(&clauses), x->out);
    } else if (simd_last && n == 1) {
        c_pragma(x, x->depth, "simd", "", x->out);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (simd_last && n > 1 && i + 1 == n)
            c_pragma(x, x->depth, threads && inner_threads ? "parallel for simd" : "simd", "",
                     x->out);
        if (x->flight)
            open_block(x, vars[i]);
        else if (x->row_parts && i + 1 == n)
            open_row_parts(x);
        else
            print_for(x, vars[i], x->depth++, x->out);
    }
    sb_free(&clauses);
    return n + x->row_parts + open_pieces(x);
}

static void print_parameters(Text *x)
{
    const Region *r = x->s->r;
    for (uint32_t i = 0; i < x->s->ninputs; i++) {
        const Value *v = value_get(r->t, x->s->inputs[i]);
        if (!(x->loaded >> i & 1))
            continue;
        sb_printf(x->out, "    const %s *%sin%u = in[%u]; // %.*s: ",
                  c_storage((DType)v->type.dtype), nest_input_is_under(x->s, i) ? "" : "restrict ",
                  i, i, STR(v->name));
        type_print(&v->type, NULL, x->out);
        sb_putc(x->out, '\n');
    }
    for (uint32_t i = 0; i < r->nouts; i++) {
        const Value *v = value_get(r->t, r->outs[i]);
        sb_printf(x->out, "    %s *%sout%u = out[%u]; // %.*s: ",
                  c_storage((DType)v->type.dtype), nest_result_is_over(x->s, i) ? "" : "restrict ",
                  i, i, STR(v->name));
        type_print(&v->type, NULL, x->out);
        sb_putc(x->out, '\n');
    }
    if (x->loaded == 0)
        sb_puts(x->out, "    (void)in;\n");
    if (x->reports)
        sb_puts(x->out, "    volatile int bad = 0; // divisions by zero, indices out of range\n");
    if (x->angles)
        sb_puts(x->out, "    int far = 0; // an angle is too large for the functions used here\n");
}

/* ------------------------------------------------------------------------------ rows in flight */

/* A row's turn in a stage: opens its braces. Its rows are those of the block, so much later. */
static void open_turn(Text *x)
{
    uint32_t behind = x->pass - 1, last = c_stages(x) - 1;
    c_indent(x->out, x->depth++);
    if (behind == 0)
        sb_puts(x->out, "if (turn(s < u)) {\n");
    else if (behind == last)
        sb_printf(x->out, "if (turn(s >= t + %u)) {\n", behind);
    else
        sb_printf(x->out, "if (turn(s >= t + %u && s < u + %u)) {\n", behind, behind);
    c_indent(x->out, x->depth);
    sb_printf(x->out, behind ? "const int64_t i%d = s - %u;\n" : "const int64_t i%d = s;\n",
              c_row_loop(x), behind);
    memset(x->printed, 0, x->s->npoints);
    memset(x->var_printed, 0, sizeof x->var_printed);
}

/* What the passes add up in the rows under way, before a piece of them; behind the last one. */
static void print_flight_folds(Text *x, bool behind)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (p->kind != POINT_reduce || p->across)
            continue;
        if (!behind) {
            c_acc(x, i);
            continue;
        }
        c_end(x, i, x->out);
        c_indent(x->out, x->depth);
        sb_printf(x->out, "end%u[(s - %u) & %d] = acc%u;\n", i, p->pass - 1, FLIGHT_SLOTS - 1, i);
    }
    flush_head(x);
}

/* The rows of a block follow each other through the passes: in a step each pass has a row of its
 * own, one behind that of the pass before it. They take turns, piece by piece, the last one first:
 * it needs what the others write over. */
static void print_flight(Text *x)
{
    uint32_t stages = c_stages(x);
    int32_t last = x->last_reduced;
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (x->s->points[i].kind == POINT_reduce && !x->s->points[i].across)
            c_declare_ends(x, i);
    c_indent(x->out, x->depth++);
    sb_printf(x->out, "for (int64_t s = t; s < u + %u; s++) {\n", stages - 1);
    print_flight_folds(x, false);
    print_pieces(x, last, PIECE, "b", x->depth++, x->out);
    print_length(x, last, PIECE, "b", "m", x->depth, x->out);
    for (x->pass = stages; x->pass > 0; x->pass--) {
        open_turn(x);
        if (x->pass == stages)
            print_full_stores(x);
        else
            print_reduce_pass(x);
        c_close_loops(x->out, --x->depth, 1);
    }
    c_close_loops(x->out, --x->depth, 1);
    print_flight_folds(x, true);
    x->pass = stages;
    open_turn(x);
    print_outer_stores(x);
    c_close_loops(x->out, --x->depth, 1);
    c_close_loops(x->out, --x->depth, 1);
}

/* The loops come first, into a text of their own: they say which inputs are loaded at all. */
static void print_loops(Text *x)
{
    x->depth = 1;
    uint32_t opened = open_parallel(x), passes = c_passes(x->s);
    x->needed = new_array(&x->s->arena, uint32_t, x->s->npoints + 1);
    c_choose_kept(x, x->needed);
    c_declare_kept(x);
    if (x->flight) {
        print_flight(x);
    } else {
        for (x->pass = 1; x->pass <= passes; x->pass++)
            print_reduce_pass(x);
        if (!x->early)
            print_full_stores(x);
        print_outer_stores(x);
    }
    if (x->row_parts) {
        c_close_loops(x->out, opened--, 1);
        add_row_parts(x, opened + 1);
    }
    c_close_loops(x->out, 1, opened);
    memset(x->keep, 0, x->s->npoints); /* the rows' arrays end with them */
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (is_whole(x, i))
            c_end(x, i, x->out);
    print_late_stores(x, true);
    print_late_stores(x, false);
}

static void print_function(Text *x, const char *symbol)
{
    StrBuf loops = {0}, *out = x->out;
    x->out = &loops;
    print_loops(x);
    x->out = out;
    sb_printf(out, "int %s(void *const *in, void *const *out)\n{\n", symbol);
    print_parameters(x);
    sb_add(out, sb_str(&loops));
    sb_printf(out, "    return %s%s%s;\n}\n", x->reports ? "bad" : x->angles ? "" : "0",
              x->reports && x->angles ? " | " : "", x->angles ? "far << 2" : "");
    sb_free(&loops);
}

bool gen_c(const Region *r, const GenOptions *o, const char *symbol, StrBuf *out, StrBuf *why)
{
    Nest s;
    if (!nest_build_rows(&s, r, why)) {
        nest_free(&s);
        return false;
    }
    Text x = {.o = o, .out = out};
    c_choose_shape(&x, &s);
    print_function(&x, symbol);
    sb_free(&x.body);
    sb_free(&x.head);
    sb_free(&x.apart);
    nest_free(&s);
    return true;
}
