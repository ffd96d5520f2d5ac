/*
 * examine.c - how much of a program would compile, and what it would cost.
 *
 * Input: a file or a folder. Output: a report of operators, executors and estimates. Each function
 * is acquired as far as possible (operators are counted also when some are unknown) and, when it
 * loads, taken through all passes.
 */
#include "examine.h"

#include <stdlib.h>
#include <string.h>

typedef struct Examine {
    Session *s;
    Report *r;
    Map ops; /* spelling -> number in r->ops */
    uint32_t *takers; /* by operator; see FoundOp */
    uint32_t op_cap, file_cap;
    RuleLog log;
    bool alone; /* one file, no folder: that it holds no program is an error */
} Examine;

/* The nearest supported spelling, with prefixes written in full where the program does. */
static Str nearest_spelling(Examine *e, Str written)
{
    static const char *const prefixes[][2] = {{"F.", "torch.nn.functional."},
                                              {"nn.", "torch._C._nn."},
                                              {"aten.", "torch.ops.aten."}};
    Str name = registry_nearest(&e->s->reg, written);
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
        if (str_starts(name, prefixes[i][0]) && str_starts(written, prefixes[i][1]))
            return arena_printf(&e->r->arena, "%s%.*s", prefixes[i][1],
                                STR(str_sub(name, strlen(prefixes[i][0]), SIZE_MAX)));
    return arena_str(&e->r->arena, name);
}

static void add_use(Examine *e, const OpUse *u, FoundFile *file)
{
    bool is_new;
    Report *r = e->r;
    MapEntry *at = map_put(&e->ops, u->written, &is_new);
    if (is_new) {
        at->u = r->nops;
        if (r->nops == e->op_cap) {
            e->op_cap = e->op_cap ? e->op_cap * 2 : 64;
            r->ops = run_realloc(r->ops, e->op_cap * sizeof *r->ops);
        }
        r->ops[r->nops++] = (FoundOp){.written = arena_str(&r->arena, u->written),
                                      .file = file->path,
                                      .op = u->op,
                                      .line = u->first.src ? span_place(u->first).line : 0};
        if (!u->op)
            r->ops[at->u].nearest = nearest_spelling(e, u->written);
    }
    FoundOp *op = &r->ops[at->u];
    op->count += u->count;
    if (!op->op && u->op)
        op->op = u->op;
    if (u->op)
        op->takers |= e->takers[u->op->id];
    file->uses += u->count;
    file->supported += u->op ? u->count : 0;
}

static void note_error(Examine *e, const Diag *d, FoundFile *file)
{
    const DiagItem *i = d->first;
    while (i && i->severity != SEV_error)
        i = i->next;
    if (!i || file->error.n)
        return;
    file->error = i->span.src ? arena_printf(&e->r->arena, "line %u: %.*s",
                                             span_place(i->span).line, STR(i->message))
                              : arena_str(&e->r->arena, i->message);
}

static void count_claims(const Examine *e, const Trace *t, FoundFile *file)
{
    for_top(t, n) {
        if (t->nodes[n].op->flags & OP_CONTROL)
            continue;
        file->statements++;
        const char *name = t->nodes[n].executor;
        int i = name ? exec_index(&e->s->executors, str_from(name)) : -1;
        if (i >= 0)
            file->claims[i]++;
        else
            file->unclaimed++;
    }
}

/* What fusion executors that are not in use could take, available here or not. */
static void count_could(const Examine *e, const Trace *t, FoundFile *file)
{
    const ExecList *l = &e->s->executors;
    StrBuf why = {0};
    for (NodeId n = 0; n < t->nnodes; n++) {
        const Node *node = &t->nodes[n];
        if (node->span != 1 || node->op->language != LANG_prims || node->op->flags & OP_CONTROL)
            continue;
        file->prims++;
        for (uint32_t i = 0; i < l->n; i++) {
            sb_clear(&why);
            if (!l->on[i] && l->items[i]->kind == EXEC_fusion && l->items[i]->can(t, n, &why))
                file->could[i]++;
        }
    }
    sb_free(&why);
}

/* Who takes node n: the first that wants it whole, else those that want its pieces. */
static uint32_t takers_of(const ExecList *l, const Trace *t, NodeId n)
{
    uint32_t found = 0;
    StrBuf why = {0};
    for (uint32_t i = 0; i < l->n && !found; i++)
        if (l->on[i] && l->items[i]->can(t, n, &why))
            found = 1u << i;
    sb_free(&why);
    if (!found)
        for_sub(t, n, i)
            found |= takers_of(l, t, i);
    return found;
}

static void note_takers(Examine *e, const Trace *t)
{
    for_top(t, n)
        if (t->nodes[n].op->id < e->s->reg.n)
            e->takers[t->nodes[n].op->id] |= takers_of(&e->s->executors, t, n);
}

static void add_cost(Cost *to, const Cost *c)
{
    to->flops += c->flops;
    to->bytes_least += c->bytes_least;
    to->bytes_in += c->bytes_in;
    to->bytes_moved += c->bytes_moved;
    to->peak = c->peak > to->peak ? c->peak : to->peak;
}

static void compile(Examine *e, Program *p, FoundFile *file, Diag *d)
{
    Cost c = trace_cost(p->root->trace);
    Stage *last = program_stage(e->s, p, program_stage_count(p) - 1, d);
    if (!last)
        return;
    file->compiled++;
    note_takers(e, p->root->trace);
    count_claims(e, last->trace, file);
    count_could(e, last->trace, file);
    c.peak = trace_cost(last->trace).peak;
    add_cost(&file->cost, &c);
}

static void examine_function(Examine *e, TextFile *f, const FrontFunction *fn, FoundFile *file)
{
    Diag d = {0};
    OpUses uses = {0};
    file->functions++;
    Program *p = program_make(e->s, f, fn, NULL, 0, &d);
    if (p) {
        p->quiet = true;
        p->log = &e->log;
        file->loaded++;
        compile(e, p, file, &d);
    } else {
        Diag again = {0}; /* the same errors; this time for the uses */
        trace_unref(front_acquire(fn, &e->s->reg, NULL, 0, &uses, &again));
        diag_clear(&again);
    }
    const OpUses *seen = p ? &p->uses : &uses;
    for (uint32_t i = 0; i < seen->n; i++)
        add_use(e, &seen->items[i], file);
    note_error(e, &d, file);
    op_uses_free(&uses);
    if (p)
        program_free(p);
    log_free(&e->log);
    diag_clear(&d);
}

static bool examine_file(Examine *e, Str path, Diag *d)
{
    Report *r = e->r;
    if (r->nfiles == e->file_cap) {
        e->file_cap = e->file_cap ? e->file_cap * 2 : 16;
        r->files = run_realloc(r->files, e->file_cap * sizeof *r->files);
    }
    Diag load = {0};
    TextFile *f = text_file_read(path, &load);
    if (!f || (!front_count(f->front) && e->alone)) {
        for (DiagItem *i = load.first; i; i = i->next)
            i->span = (Span){0}; /* the text goes */
        diag_move(d, &load);
        text_file_unref(f);
        return false;
    }
    FoundFile *file = &r->files[r->nfiles++];
    *file = (FoundFile){.path = arena_str(&r->arena, path)};
    note_error(e, &load, file);
    diag_clear(&load);
    for (uint32_t i = 0; i < front_count(f->front) && !e->s->interrupt; i++)
        examine_function(e, f, front_function(f->front, i), file);
    text_file_unref(f);
    return true;
}

/* Unsupported ones first, then the most frequent, then by name. */
static int by_interest(const void *x, const void *y)
{
    const FoundOp *a = x, *b = y;
    if (!a->op != !b->op)
        return a->op ? 1 : -1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return str_cmp(a->written, b->written);
}

static void finish(Report *r)
{
    FoundFile *t = &r->total;
    for (uint32_t i = 0; i < r->nfiles; i++) {
        const FoundFile *f = &r->files[i];
        t->functions += f->functions;
        t->loaded += f->loaded;
        t->compiled += f->compiled;
        t->uses += f->uses;
        t->supported += f->supported;
        t->statements += f->statements;
        t->unclaimed += f->unclaimed;
        for (uint32_t k = 0; k < MAX_EXECUTORS; k++)
            t->claims[k] += f->claims[k];
        for (uint32_t k = 0; k < MAX_EXECUTORS; k++)
            t->could[k] += f->could[k];
        t->prims += f->prims;
        add_cost(&t->cost, &f->cost);
    }
    if (r->nops)
        qsort(r->ops, r->nops, sizeof *r->ops, by_interest);
}

static bool collect(Examine *e, Str path, Diag *d)
{
    bool is_folder;
    Str *files;
    e->alone = !path_exists(path, &is_folder) || !is_folder;
    if (e->alone)
        return examine_file(e, path, d);
    Arena a = {0};
    uint32_t n = folder_files(&a, path, ".py", &files);
    for (uint32_t i = 0; i < n && !e->s->interrupt; i++)
        examine_file(e, files[i], d);
    if (n == 0)
        diag_help(d, diag_error(d, DIAG_load, (Span){0}, "no-program", "%.*s holds no .py file",
                                STR(path)),
                  "examine FILE");
    arena_free(&a);
    return n > 0;
}

bool session_examine(Session *s, Str path, const ExamineOptions *o, StrBuf *out, Diag *d)
{
    Report r = {.s = s};
    Examine e = {.s = s, .r = &r};
    e.takers = run_realloc(NULL, (s->reg.n + 1) * sizeof *e.takers);
    memset(e.takers, 0, (s->reg.n + 1) * sizeof *e.takers);
    bool good = collect(&e, path, d);
    if (good && s->interrupt)
        diag_error(d, DIAG_interrupt, (Span){0}, "interrupted", "examine was interrupted");
    finish(&r);
    if (good && o && o->json)
        report_json(&r, out);
    else if (good && o && o->html)
        report_html(&r, out);
    else if (good)
        report_text(&r, out);
    free(r.files);
    free(r.ops);
    free(e.takers);
    map_free(&e.ops);
    arena_free(&r.arena);
    return good;
}
