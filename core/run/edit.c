/*
 * edit.c - a stage replaced by a text that a person wrote.
 *
 * Input: the text of a trace and the stage it replaces. Output: a new branch whose trace derives
 * from that stage's, so that values with a name that was there before keep their number, and
 * histories, comparisons and questions work across the edit.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

/* Names of old's values; live ones win over dead ones of the same name. */
static void index_names(const Trace *old, Map *names)
{
    for (ValueId v = 1; v < old->nvalues; v++) {
        bool is_new;
        MapEntry *e = map_put(names, old->values[v].name, &is_new);
        if (is_new || old->values[v].type.kind != VALUE_dead)
            e->u = v;
    }
}

/* Value v of the parsed trace as one of t: the old number where the name is known. */
static ValueId adopt_value(Trace *t, const Value *v, const Map *names, bool *taken)
{
    MapEntry *e = map_get(names, v->name);
    if (!e || taken[e->u]) {
        ValueId id = trace_add_value(t, v->type, v->name);
        t->values[id].known = v->known;
        t->values[id].flags = v->flags;
        t->values[id].strides = v->strides;
        t->values[id].offset = v->offset;
        t->values[id].layout = v->layout;
        return id;
    }
    taken[e->u] = true;
    Value *to = value_at(t, (ValueId)e->u);
    to->type = v->type;
    to->known = v->known;
    to->strides = v->strides;
    to->offset = v->offset;
    to->layout = v->layout;
    to->flags = v->flags | (to->flags & (VF_REQUIRES_GRAD | VF_PARAMETER));
    return (ValueId)e->u;
}

/* Every value of old is offered at its planned offset and type again only if the text has it. */
static void forget_values(Trace *t)
{
    for (ValueId v = 1; v < t->nvalues; v++) {
        t->values[v].offset = -1;
        t->values[v].layout = NULL;
    }
}

static Trace *rebase(const Trace *old, const Trace *parsed)
{
    Trace *t = trace_derive(old);
    Map names = {0};
    index_names(old, &names);
    forget_values(t);
    ValueId *map = run_realloc(NULL, parsed->nvalues * sizeof *map);
    bool *taken = run_realloc(NULL, old->nvalues * sizeof *taken);
    memset(taken, 0, old->nvalues * sizeof *taken);
    map[0] = 0;
    for (ValueId v = 1; v < parsed->nvalues; v++)
        map[v] = adopt_value(t, &parsed->values[v], &names, taken);
    t->name = parsed->name;
    t->kind = parsed->kind == TRACE_computation ? old->kind : parsed->kind;
    t->inputs = run_realloc(t->inputs, (parsed->ninputs + 1) * sizeof *t->inputs);
    t->ninputs = parsed->ninputs;
    for (uint32_t i = 0; i < parsed->ninputs; i++)
        t->inputs[i] = map[parsed->inputs[i]];
    for_top(parsed, n)
        trace_copy_node(t, parsed, n, map);
    for (NodeId n = 0; n < t->nnodes; n++)
        t->nodes[n].out = arg_map(t, parsed->nodes[n].out, map);
    t->output = arg_map(t, parsed->output, map);
    t->plan_bytes = parsed->plan_bytes;
    if (t->nvalues > old->nvalues && parsed->name_counter > t->name_counter)
        t->name_counter = parsed->name_counter; /* new names may be larger than any of old's */
    if (!old->made_by.n)
        t->norigins = t->nvalues; /* an edited stage 0 makes stage-0 values */
    t->made_by = arena_str(&t->arena, S("Edit"));
    free(map);
    free(taken);
    map_free(&names);
    trace_finish(t);
    return t;
}

static void keep(Program *p, TextFile *file, Trace *trace)
{
    Kept *k = run_realloc(NULL, sizeof *k);
    *k = (Kept){p->kept, file, trace};
    p->kept = k;
}

static Trace *parse_edited(Session *s, Program *p, TextFile *file, Diag *d)
{
    if (front_count(file->front) == 0) {
        if (d->nerrors == 0)
            diag_help(d, diag_error(d, DIAG_load, (Span){0}, "no-program",
                                    "the edited text holds no function"),
                      "list");
        return NULL;
    }
    const FrontFunction *fn = front_function(file->front, 0);
    for (uint32_t i = 1; i < front_count(file->front); i++)
        if (str_eq(front_name(front_function(file->front, i)), p->cursor->trace->name))
            fn = front_function(file->front, i);
    return front_acquire(fn, &s->reg, p->symbols, p->nsymbols, NULL, d);
}

/* A kernel's name means nothing without the lines below it: the errors say where those are. */
static void explain_kernels(const Trace *t, DiagItem *first, Diag *d)
{
    for (DiagItem *i = first; i; i = i->next) {
        Str name = i->span.src ? str_sub(i->span.src->text, i->span.off, i->span.len) : (Str){0};
        if (strcmp(i->code, "unknown-op") != 0 || trace_find_kernel(t, name) == NO_NODE)
            continue;
        diag_note(d, i, "%.*s is a kernel: the lines below it say what it computes, and the text "
                        "has none", STR(name));
        diag_help(d, i, "list --header prints them, too");
    }
}

Stage *program_edit(Session *s, Program *p, Str text, Diag *d)
{
    Stage *old = p->cursor->partial ? p->cursor->parent : p->cursor;
    uint32_t errors = d->nerrors;
    DiagItem *before = d->last;
    TextFile *file = text_file_new(S("edited stage"), text, d);
    Trace *parsed = d->nerrors == errors ? parse_edited(s, p, file, d) : NULL;
    if (!parsed) {
        explain_kernels(p->cursor->trace, before ? before->next : d->first, d);
        keep(p, file, NULL); /* the errors point into it */
        return NULL;
    }
    keep(p, file, parsed);
    Trace *t = rebase(p->cursor->trace, parsed);
    if (!trace_verify(t, d)) {
        trace_unref(t);
        return NULL;
    }
    Stage *st = stage_new(s, p, old, t, old->name);
    t->stage = st->serial;
    st->position = old->position;
    st->edited = true;
    p->anchor = st;
    cursor_set(s, p, (CursorAt){.full = st}, st, true);
    return st;
}
