/*
 * versus.c - two configurations of a program, side by side.
 *
 * Input: executors and passes of both sides. Output: what each side spends on the same statements,
 * and whether the sides differ by more than measuring errs. They run in turn, round by round.
 * Both are copies of the program, so its own stages stay as they are. A node of the last stage
 * stands for stage-0 statements (the origins of its results and of what is inside it); those that
 * some node of either side joins make one row, so every node belongs to one row, and the rows and
 * what goes on between them add up to the time of a run.
 */
#include "judge.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------- configurations */

static bool switch_passes(Program *p, Str passes, Diag *d)
{
    while (passes.n) {
        bool on = passes.p[0] == '+';
        if (!on && passes.p[0] != '-') {
            diag_help(d,
                      diag_error(d, DIAG_usage, (Span){0}, "versus-side",
                                 "+PASS or -PASS is expected at '%.*s'", STR(passes)),
                      "versus @c,interp -fuse");
            return false;
        }
        size_t end = 1;
        while (end < passes.n && passes.p[end] != '+' && passes.p[end] != '-')
            end++;
        Str name = str_sub(passes, 1, end - 1);
        int slot = program_find_slot(p, name);
        if (slot < 0) {
            diag_help(d, diag_error(d, DIAG_usage, (Span){0}, "no-pass", "there is no pass %.*s",
                                    STR(name)),
                      "passes");
            return false;
        }
        if (!slot_change_is_legal(p, (uint32_t)slot, on, d))
            return false;
        p->slots[slot].on = on;
        passes = str_sub(passes, end, SIZE_MAX);
    }
    return true;
}

static Program *side_program(Session *s, const Program *p, VersusSide *side, Diag *d)
{
    Program *c = program_copy(s, p, program_origin(p), &side->log);
    ExecList *l = new_of(&c->arena, ExecList);
    *l = *program_executors(p);
    bool good = !side->executors.n || exec_parse_list(&s->executors, side->executors, l, d);
    c->executors = l;
    if (good && switch_passes(c, side->passes, d))
        return c;
    program_copy_free(c);
    return NULL;
}

/* ------------------------------------------------------------------------------------- aligning */

typedef struct Align {
    Versus *v;
    const Trace *root;
    uint32_t *parent;  /* union-find over the nodes of stage 0, and one for what has no origin */
    uint32_t *node_of; /* stage-0 value -> its top-level node there */
    uint32_t nothing;
} Align;

static uint32_t find(Align *a, uint32_t x)
{
    while (a->parent[x] != x)
        x = a->parent[x] = a->parent[a->parent[x]];
    return x;
}

typedef struct Touch {
    Align *a;
    const Trace *t;
    uint32_t group; /* of what was touched so far; NO_NODE = nothing yet */
} Touch;

static void touch(ValueId v, void *user)
{
    Touch *x = user;
    ValueId self[1];
    uint32_t n;
    const ValueId *ids = value_origins(x->t, v, &n, self);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = ids[i] < x->a->root->nvalues ? x->a->node_of[ids[i]] : NO_NODE;
        if (node == NO_NODE)
            continue;
        node = find(x->a, node);
        if (x->group == NO_NODE)
            x->group = node;
        x->a->parent[node] = find(x->a, x->group);
    }
}

/* The group of a row of one side; joins the groups that it touches. */
static uint32_t group_of(Align *a, const Trace *t, NodeId n)
{
    Touch x = {a, t, NO_NODE};
    for (NodeId i = n; i < n + t->nodes[n].span; i++)
        arg_each_value(t->nodes[i].out, touch, &x);
    return x.group == NO_NODE ? a->nothing : find(a, x.group);
}

static void align_begin(Align *a, Versus *v)
{
    const Trace *root = program_root(v->side[0].p)->trace;
    *a = (Align){.v = v, .root = root, .nothing = root->nnodes};
    a->parent = new_array(&v->arena, uint32_t, root->nnodes + 1);
    a->node_of = new_array(&v->arena, uint32_t, root->nvalues + 1);
    for (uint32_t i = 0; i <= root->nnodes; i++)
        a->parent[i] = i;
    memset(a->node_of, 0xff, (root->nvalues + 1) * sizeof *a->node_of);
    for_top(root, n)
        for (NodeId i = n; i < n + root->nodes[n].span; i++) {
            ValueId outs[MAX_OUTPUTS];
            uint32_t count = arg_values(root->nodes[i].out, outs, MAX_OUTPUTS);
            for (uint32_t k = 0; k < count && k < MAX_OUTPUTS; k++)
                if (a->node_of[outs[k]] == NO_NODE)
                    a->node_of[outs[k]] = n;
        }
    for (int i = 0; i < 2; i++)
        for (uint32_t k = 0; k < v->side[i].profile.n; k++)
            group_of(a, v->side[i].profile.t, v->side[i].profile.rows[k].node);
}

/* -------------------------------------------------------------------------------------- telling */

/* What a side does for a group: "2 kernels of c, 1 of interp (transpose); 12.0 MB". */
typedef struct Doing {
    const char *executors[MAX_EXECUTORS];
    uint32_t counts[MAX_EXECUTORS], n, nodes;
    double bytes;
} Doing;

static void note_doing(Doing *x, const Trace *t, const ProfileRow *r)
{
    const char *name = t->nodes[r->node].executor ? t->nodes[r->node].executor : "opened";
    uint32_t i = 0;
    while (i < x->n && strcmp(x->executors[i], name) != 0)
        i++;
    if (i == x->n && x->n < MAX_EXECUTORS) {
        x->executors[x->n] = name;
        x->counts[x->n++] = 0;
    }
    if (i < x->n)
        x->counts[i]++;
    x->nodes++;
    x->bytes += r->bytes;
}

static void tell_doing(const Doing *x, StrBuf *out)
{
    if (x->nodes == 0)
        sb_puts(out, "nothing");
    for (uint32_t i = 0; i < x->n; i++)
        sb_printf(out, "%s%u on %s", i ? " + " : "", x->counts[i], x->executors[i]);
}

static bool same_executors(const Doing *a, const Doing *b)
{
    if (a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (strcmp(a->executors[i], b->executors[i]) != 0)
            return false;
    return true;
}

static void explain(Versus *v, VersusRow *row, const Doing *a, const Doing *b)
{
    StrBuf why = {0};
    if (!same_executors(a, b) || a->nodes != b->nodes) {
        tell_doing(a, &why);
        sb_puts(&why, " against ");
        tell_doing(b, &why);
    } else {
        sb_puts(&why, a->nodes == 1 ? "the same statement" : "the same statements");
        sb_puts(&why, " on both sides: runs vary, or what is in the cache does");
    }
    if (fabs(a->bytes - b->bytes) > 0.01 * (a->bytes + b->bytes))
        sb_printf(&why, ", moving %.1f MB against %.1f MB", a->bytes * 1e-6, b->bytes * 1e-6);
    row->why = arena_str(&v->arena, sb_str(&why));
    sb_free(&why);
}

static Str group_names(Versus *v, Align *a, uint32_t group)
{
    enum { NAMED = 4 };
    StrBuf names = {0};
    uint32_t count = 0;
    for_top(a->root, n) {
        if (find(a, n) != group)
            continue;
        ValueId first = 0;
        if (count++ < NAMED && arg_values(a->root->nodes[n].out, &first, 1))
            sb_printf(&names, "%s%.*s", names.n ? " " : "", STR(a->root->values[first].name));
    }
    if (count > NAMED)
        sb_printf(&names, " +%u", count - NAMED);
    Str text = arena_str(&v->arena, sb_str(&names));
    sb_free(&names);
    return text;
}

static int by_difference(const void *x, const void *y)
{
    const VersusRow *a = x, *b = y;
    double p = fabs(a->ms[0] - a->ms[1]), q = fabs(b->ms[0] - b->ms[1]);
    return (p < q) - (p > q);
}

static void add_row(Versus *v, Align *a, uint32_t group, const VersusRow *sum, const Doing *doing)
{
    VersusRow *row = &v->rows[v->n++];
    *row = *sum;
    double gap = fabs(row->ms[0] - row->ms[1]);
    row->source = group == a->nothing ? S("(no statement)") : group_names(v, a, group);
    if (group < a->nothing) {
        row->loc = a->root->nodes[group].loc;
        row->src = a->root->nodes[group].src;
    }
    if (gap > 0.05 * (row->ms[0] + row->ms[1]) / 2)
        explain(v, row, &doing[0], &doing[1]);
}

static void make_rows(Versus *v, Align *a)
{
    uint32_t groups = a->nothing + 1;
    VersusRow *sums = new_array(&v->arena, VersusRow, groups);
    Doing *doing = new_array(&v->arena, Doing, 2 * groups);
    VersusRow rest = {.source = S("(between statements)")};
    memset(sums, 0, groups * sizeof *sums);
    memset(doing, 0, 2 * groups * sizeof *doing);
    for (int i = 0; i < 2; i++) {
        const Profile *p = &v->side[i].profile;
        rest.ms[i] = p->run_ms;
        for (uint32_t k = 0; k < p->n; k++) {
            uint32_t g = group_of(a, p->t, p->rows[k].node);
            sums[g].ms[i] += p->rows[k].ms;
            sums[g].bytes[i] += p->rows[k].bytes;
            rest.ms[i] -= p->rows[k].ms;
            note_doing(&doing[2 * g + (uint32_t)i], p->t, &p->rows[k]);
        }
    }
    v->rows = new_array(&v->arena, VersusRow, groups + 1);
    for (uint32_t g = 0; g < groups; g++)
        if (doing[2 * g].nodes + doing[2 * g + 1].nodes)
            add_row(v, a, g, &sums[g], &doing[2 * g]);
    qsort(v->rows, v->n, sizeof *v->rows, by_difference);
    v->rows[v->n++] = rest;
}

/* ------------------------------------------------------------------------------------- in turn */

enum { ROUNDS = 12, LEAST_ROUNDS = 5, SIDE_RUNS = MAX_SAMPLES / ROUNDS };
#define ENOUGH_OF_GAP 0.6 /* what is to be told of the reasons */

/* Runs of one side for a part of a round. */
static bool sample_side(Sampler *x, double seconds, double *median, Diag *d)
{
    double ms[SIDE_RUNS];
    uint32_t n = 0;
    uint64_t total = x->total;
    bool good = true;
    while (good && n < SIDE_RUNS && (n == 0 || (double)(x->total - total) < seconds * 1e9)) {
        good = sampler_run(x, d);
        if (good)
            ms[n++] = (double)x->samples[x->n - 1].ns * 1e-6;
    }
    *median = turns_median(ms, n);
    return good;
}

/* On a device statements are timed one by one, and whole runs by themselves. */
static bool time_side(Sampler *x, double seconds, double *ms, Diag *d)
{
    BenchResult whole;
    if (!kernels_device(x->s, x->st->trace))
        return sample_side(x, seconds, ms, d);
    bool good = sampler_run(x, d) && session_bench(x->s, x->p, x->st, seconds, &whole, d);
    *ms = good ? whole.median_ms : 0;
    return good;
}

/* A, B, then B, A, and so on, so that neither always finds what the other has left. */
static bool time_in_turn(Sampler x[2], double seconds, Turns *turns, Diag *d)
{
    double each = seconds / ROUNDS / 2;
    bool good = true;
    for (turns->n = 0; good && turns->n < ROUNDS;) {
        uint32_t r = turns->n, first = r % 2;
        good = time_side(&x[first], each, &turns->ms[first][r], d) &&
               time_side(&x[!first], each, &turns->ms[!first][r], d);
        turns->n += good;
        if ((double)(x[0].total + x[1].total) > seconds * 1e9 && turns->n >= LEAST_ROUNDS)
            break;
    }
    return good;
}

/* Times of rows and runs: the middle half of the runs. */
static void tell_sides(Versus *v, Sampler x[2], Turns *turns)
{
    v->noise = turns_noise(turns);
    v->rounds = turns->n;
    for (int i = 0; i < 2; i++) {
        uint32_t n = x[i].n;
        sampler_rows(&x[i], n / 4, n - n / 4, &v->side[i].profile);
        v->ms[i] = turns_median(turns->ms[i], turns->n);
        if (kernels_device(x[i].s, x[i].st->trace))
            v->side[i].profile.run_ms = v->ms[i];
    }
    v->differs = fabs(v->ms[1] - v->ms[0]) > v->noise;
}

bool session_versus(Session *s, Program *p, double seconds, Versus *v, Diag *d)
{
    Sampler x[2] = {0};
    Turns turns = {0};
    bool good = true;
    for (int i = 0; i < 2 && good; i++) {
        VersusSide *side = &v->side[i];
        side->p = side_program(s, p, side, d);
        Stage *last = side->p ? program_stage(s, side->p, program_stage_count(side->p) - 1, d)
                              : NULL;
        good = last && sampler_begin(&x[i], s, side->p, last, d);
    }
    good = good && time_in_turn(x, seconds, &turns, d);
    if (good) {
        Align a;
        tell_sides(v, x, &turns);
        align_begin(&a, v);
        make_rows(v, &a);
    } else {
        versus_free(v);
    }
    for (int i = 0; i < 2; i++)
        sampler_end(&x[i]);
    return good;
}

static bool is_among(const VersusRow *row, const VersusRow *const *rows, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (rows[i] == row)
            return true;
    return false;
}

uint32_t versus_reasons(const Versus *v, const VersusRow *reasons[VERSUS_REASONS])
{
    double gap = v->side[1].profile.run_ms - v->side[0].profile.run_ms, told = 0;
    uint32_t n = 0;
    while (v->differs && n < VERSUS_REASONS && told < ENOUGH_OF_GAP * fabs(gap)) {
        double most = 0;
        for (uint32_t i = 0; i < v->n; i++) {
            double part = (v->rows[i].ms[1] - v->rows[i].ms[0]) * (gap < 0 ? -1 : 1);
            if (part <= most || is_among(&v->rows[i], reasons, n))
                continue;
            most = part;
            reasons[n] = &v->rows[i];
        }
        if (most <= 0)
            break;
        told += most;
        n++;
    }
    return n;
}

void versus_free(Versus *v)
{
    for (int i = 0; i < 2; i++) {
        profile_free(&v->side[i].profile);
        program_copy_free(v->side[i].p);
        log_free(&v->side[i].log);
    }
    arena_free(&v->arena);
    *v = (Versus){0};
}
