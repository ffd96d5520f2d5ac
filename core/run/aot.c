/*
 * aot.c - recorded gradients of a model, from what AOTAutograd's backward program gave.
 *
 * Input: the recording of NAME.dynamo.py; beside it NAME.aot_fw and NAME.aot_bw, programs and
 * recordings. Output: the recording has cot/I and grad/INPUT as well, so that our own backward part
 * of the dynamo program can be compared with PyTorch's.
 *
 * How one is mapped to the other: AOTAutograd keeps the order of inputs, so parameter k of aot_fw
 * (primals_k) is input k of the dynamo program, and their recorded values must be the same bytes.
 * Result k of aot_bw is the gradient of primals_k, or None; recorded results have no number for a
 * None. tangents_1, tangents_2, ... are the cotangents of the floating outputs in their order.
 */
#include "run.h"

#include <string.h>

typedef struct Aot {
    Session *s;
    Diag *d;
    Arena arena;
    Str base;              /* the path up to "dynamo.py" */
    const FrontFunction *dynamo;
    SafeTensors *st;       /* grows by what is found */
    SafeTensors *backward; /* stays open: st shows its data */
    SafeTensors forward;
} Aot;

static Str beside(Aot *a, const char *what)
{
    return arena_printf(&a->arena, "%.*s%s", STR(a->base), what);
}

static bool has_recording(Aot *a)
{
    static const char *const files[] = {"aot_fw.py", "aot_fw.safetensors", "aot_bw.py",
                                        "aot_bw.safetensors"};
    bool is_folder;
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (!path_exists(beside(a, files[i]), &is_folder))
            return false;
    return true;
}

/* Parameter i, self not counted. */
static Str param_name(const FrontFunction *fn, uint32_t i)
{
    Str name, sym[MAX_RANK];
    uint32_t rank;
    int64_t dims[MAX_RANK];
    front_param_shape(fn, 0, &name, &rank, dims, sym);
    front_param_shape(fn, i + str_is(name, "self"), &name, &rank, dims, sym);
    return name;
}

static const TensorView *named(Aot *a, const SafeTensors *st, const char *kind, Str name)
{
    return safetensors_find(st, arena_printf(&a->arena, "%s%.*s", kind, STR(name)));
}

static void add(Aot *a, const TensorView *view, const char *kind, Str name)
{
    TensorView *items = new_array(&a->st->arena, TensorView, a->st->n + 1);
    memcpy(items, a->st->items, a->st->n * sizeof *items);
    items[a->st->n] = *view;
    items[a->st->n].name = arena_printf(&a->st->arena, "%s%.*s", kind, STR(name));
    TensorView *found = new_of(&a->st->arena, TensorView);
    *found = items[a->st->n];
    map_put(&a->st->by_name, found->name, NULL)->cp = found;
    a->st->items = items;
    a->st->n++;
}

static bool fail(Aot *a, const char *what, Str name)
{
    diag_error(a->d, DIAG_check, (Span){0}, "aot-recording", "%.*saot_bw: %s %.*s", STR(a->base),
               what, STR(name));
    return false;
}

static bool same_data(const TensorView *x, const TensorView *y)
{
    return x && y && x->bytes == y->bytes && memcmp(x->data, y->data, x->bytes) == 0;
}

static bool add_cotangents(Aot *a)
{
    uint32_t next = 1;
    for (uint32_t i = 0;; i++) {
        Str number = arena_printf(&a->arena, "%u", i);
        const TensorView *out = named(a, a->st, "out/", number);
        if (!out)
            break;
        if (!dtype_is_inexact(out->dtype))
            continue;
        Str tangent = arena_printf(&a->arena, "tangents_%u", next++);
        const TensorView *view = named(a, a->backward, "in/", tangent);
        if (!view)
            return fail(a, "there is no recorded", tangent);
        add(a, view, "cot/", number);
    }
    Str more = arena_printf(&a->arena, "tangents_%u", next);
    return !named(a, a->backward, "in/", more) || fail(a, "no output belongs to", more);
}

/* grads: the results of the backward program. */
static bool add_gradients(Aot *a, const FrontFunction *forward, const Arg *grads, uint32_t n)
{
    uint32_t recorded = 0;
    for (uint32_t i = 0; i < n; i++) {
        Str mine = param_name(a->dynamo, i), theirs = param_name(forward, i);
        if (!mine.n || !theirs.n)
            return fail(a, "it has more results than inputs", (Str){0});
        if (!same_data(named(a, a->st, "in/", mine), named(a, &a->forward, "in/", theirs)))
            return fail(a, "input is not what the dynamo program was recorded with:", theirs);
        if (arg_is_none(grads[i]))
            continue;
        const TensorView *view =
            named(a, a->backward, "out/", arena_printf(&a->arena, "%u", recorded++));
        if (!view)
            return fail(a, "there is no recorded gradient of", mine);
        add(a, view, "grad/", mine);
    }
    return true;
}

static bool join(Aot *a, TextFile *fw, TextFile *bw)
{
    Program *p = program_make(a->s, bw, front_function(bw->front, 0), NULL, 0, a->d);
    if (!p)
        return false;
    const Trace *t = program_root(p)->trace;
    uint32_t n = trace_outputs(t, NULL, 0);
    Arg *grads = new_array(&a->arena, Arg, n + 1);
    trace_outputs(t, grads, n);
    bool good = add_gradients(a, front_function(fw->front, 0), grads, n) && add_cotangents(a);
    program_free(p);
    return good;
}

bool aot_gradients(Session *s, Str path, TextFile *dynamo, SafeTensors *st, SafeTensors *backward,
                   Diag *d)
{
    Aot a = {.s = s, .d = d, .st = st, .backward = backward};
    bool good = true;
    if (!str_ends(path, ".dynamo.py") || front_count(dynamo->front) != 1)
        return true;
    a.base = str_sub(path, 0, path.n - strlen("dynamo.py"));
    a.dynamo = front_function(dynamo->front, 0);
    if (has_recording(&a)) {
        TextFile *fw = text_file_read(beside(&a, "aot_fw.py"), d);
        TextFile *bw = text_file_read(beside(&a, "aot_bw.py"), d);
        good = fw && bw && d->nerrors == 0 && front_count(fw->front) && front_count(bw->front) &&
               safetensors_open(&a.forward, beside(&a, "aot_fw.safetensors").p, d) &&
               safetensors_open(backward, beside(&a, "aot_bw.safetensors").p, d) &&
               join(&a, fw, bw);
        safetensors_close(&a.forward);
        text_file_unref(fw);
        text_file_unref(bw);
    }
    arena_free(&a.arena);
    return good;
}
