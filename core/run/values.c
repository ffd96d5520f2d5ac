/*
 * values.c - inputs of a program by name: from safetensors, from .npy, from tensors in memory.
 *
 * Input: files and tensors. Output: bindings, checked against the types of the inputs; sizes that
 * are symbols take the values that the tensors have, and the program is acquired again.
 */
#include "run.h"

#include "shares.h"

#include <stdlib.h>
#include <string.h>

enum { COPY_EACH = 8 << 20 };

/* -------------------------------------------------------------------------------------- names */

/* Drops `word` wherever it stands at the start of a part of the name. */
static void drop_word(StrBuf *b, const char *word)
{
    size_t n = strlen(word), to = 0;
    for (size_t i = 0; i < b->n;) {
        bool at_start = to == 0 || b->p[to - 1] == '_';
        if (at_start && b->n - i > n && memcmp(b->p + i, word, n) == 0) {
            i += n;
            continue;
        }
        b->p[to++] = b->p[i++];
    }
    b->n = to;
}

static bool drop_prefix(StrBuf *b, const char *prefix)
{
    size_t n = strlen(prefix);
    if (b->n <= n || memcmp(b->p, prefix, n) != 0)
        return false;
    memmove(b->p, b->p + n, b->n - n);
    b->n -= n;
    return true;
}

/* With the name space of graph inputs taken off, L_self_modules_fc1_parameters_weight_,
 * p_fc1_weight, t_fc1_weight and the file's fc1.weight are one name. */
static void normal_name(Str name, bool of_input, StrBuf *out)
{
    static const char *const spaces[] = {"L_", "l_", "p_", "b_", "c_", "t_"};
    static const char *const owners[] = {"self_", "fn_", "_self___", "_mod___", "args_"};
    sb_clear(out);
    for (size_t i = 0; i < name.n; i++)
        sb_putc(out, name.p[i] == '.' || name.p[i] == '/' ? '_' : name.p[i]);
    for (size_t i = 0; of_input && i < ARRAY_LEN(spaces); i++)
        if (drop_prefix(out, spaces[i]))
            break;
    for (size_t i = 0; of_input && i < ARRAY_LEN(owners); i++)
        if (drop_prefix(out, owners[i]))
            break;
    drop_word(out, "modules_");
    drop_word(out, "parameters_");
    drop_word(out, "buffers_");
    while (out->n > 1 && out->p[out->n - 1] == '_')
        out->n--;
}

/* Normalised name -> TensorView *, NULL where two have the same. */
static void normal_names(const SafeTensors *st, Map *out)
{
    StrBuf b = {0};
    for (uint32_t i = 0; i < st->n; i++) {
        Str name = st->items[i].name;
        if (str_starts(name, "in/"))
            name = str_sub(name, 3, SIZE_MAX);
        normal_name(name, false, &b);
        bool is_new;
        MapEntry *e = map_put(out, sb_str(&b), &is_new);
        e->cp = is_new ? &st->items[i] : NULL;
    }
    sb_free(&b);
}

static const TensorView *find_printf(const SafeTensors *st, StrBuf *b, const char *fmt, Str x,
                                     Str y)
{
    sb_clear(b);
    sb_printf(b, fmt, STR(x), STR(y));
    return safetensors_find(st, sb_str(b));
}

/* The tensor of the file that belongs to an input called name: PREFIX/in/NAME, in/NAME,
 * PREFIX.NAME, NAME, or the only one whose normalised name is the same. */
static const TensorView *file_tensor(const SafeTensors *st, const Map *normal, Str prefix, Str name)
{
    StrBuf b = {0};
    const TensorView *v = NULL;
    if (prefix.n) {
        v = find_printf(st, &b, "%.*s/in/%.*s", prefix, name);
        v = v ? v : find_printf(st, &b, "%.*s/%.*s", prefix, name);
        v = v ? v : find_printf(st, &b, "%.*s.%.*s", prefix, name);
        v = v ? v : find_printf(st, &b, "%.*s%.*s", prefix, name);
    }
    v = v ? v : find_printf(st, &b, "in/%.*s%.*s", (Str){0}, name);
    v = v ? v : safetensors_find(st, name);
    for (int of_input = 1; !v && normal && of_input >= 0; of_input--) {
        normal_name(name, of_input, &b);
        MapEntry *e = map_get(normal, sb_str(&b));
        v = e ? e->cp : NULL;
    }
    sb_free(&b);
    return v;
}

/* ------------------------------------------------------------------------------------ tensors */

typedef struct Copy {
    char *to;
    const char *from;
} Copy;

static void copy_part(void *user, size_t from, size_t to)
{
    const Copy *c = user;
    memcpy(c->to + from, c->from + from, to - from);
}

/* Memory that nobody has touched yet takes longer than the copy: it is there sooner from several
 * threads. */
Tensor *tensor_from_view(const TensorView *v)
{
    Tensor *t = tensor_new(v->dtype, (Device){DEV_cpu, 0}, v->rank, v->shape);
    if (t)
        share_work(v->bytes, COPY_EACH, copy_part, &(Copy){tensor_data(t), v->data});
    return t;
}

static void shape_print(uint32_t rank, const int64_t *shape, StrBuf *out)
{
    sb_putc(out, '[');
    for (uint32_t i = 0; i < rank; i++)
        sb_printf(out, "%s%lld", i ? ", " : "", (long long)shape[i]);
    sb_putc(out, ']');
}

bool tensor_fits(const Value *input, const Tensor *t, Str file, Diag *d)
{
    const Type *want = &input->type;
    bool number = want->kind == VALUE_number && tensor_numel(t) == 1;
    bool same = want->kind == VALUE_tensor && tensor_is_of(t, want);
    if (number || same)
        return true;
    StrBuf a = {0}, b = {0};
    type_print(want, &input->known, &a);
    sb_puts(&b, dtype_info[t->dtype].name);
    shape_print(t->rank, t->shape, &b);
    DiagItem *item = diag_error(d, DIAG_load, (Span){0}, "wrong-input",
                                "input %.*s is %s, the tensor given is %s", STR(input->name),
                                sb_cstr(&a), sb_cstr(&b));
    if (file.n)
        diag_where(d, item, "%.*s", STR(file));
    diag_help(d, item, "inputs");
    sb_free(&a);
    sb_free(&b);
    return false;
}

const Trace *program_bindable(const Program *p)
{
    const Trace *root = p->anchor->trace;
    return p->cursor && p->cursor->trace->ninputs > root->ninputs ? p->cursor->trace : root;
}

static const Value *root_input(const Program *p, Str name)
{
    const Trace *t = program_bindable(p);
    if (name.n && name.p[0] == '%')
        name = str_sub(name, 1, SIZE_MAX);
    for (uint32_t i = 0; i < t->ninputs; i++)
        if (str_eq(t->values[t->inputs[i]].name, name))
            return &t->values[t->inputs[i]];
    return NULL;
}

/* Takes over the reference. */
static void bind(Program *p, const Value *input, Tensor *t)
{
    if (input->type.kind == VALUE_number && t->dtype != input->type.dtype) {
        Tensor *cast = tensor_cast(t, input->type.dtype);
        tensor_unref(t);
        t = cast;
    } else if (input->type.kind == VALUE_tensor && !device_eq(t->device, input->type.device)) {
        Tensor *moved = tensor_view(t, t->rank, t->shape, t->strides, t->offset);
        moved->device = input->type.device; /* the memory stays; see Tensor */
        tensor_unref(t);
        t = moved;
    }
    cotangents_forget(p, input->name);
    MapEntry *e = map_put(&p->bindings, input->name, NULL);
    tensor_unref(e->p);
    e->p = t;
}

typedef struct InputWalk {
    const Trace *t;
    uint32_t i;
} InputWalk;

static bool next_input(void *state, Str *candidate)
{
    InputWalk *w = state;
    if (w->i == w->t->ninputs)
        return false;
    *candidate = w->t->values[w->t->inputs[w->i++]].name;
    return true;
}

static void no_such_input(const Program *p, Str name, Diag *d)
{
    DiagItem *item = diag_error(d, DIAG_usage, (Span){0}, "no-input", "%.*s has no input %.*s",
                                STR(p->name), STR(name));
    InputWalk w = {program_bindable(p), 0};
    Str near = nearest(name, next_input, &w);
    if (near.n)
        diag_note(d, item, "did you mean %.*s?", STR(near));
    diag_help(d, item, "inputs");
}

/* ------------------------------------------------------- symbols that follow the bound tensors */

typedef struct TensorSource {
    const Program *p;
    const SafeTensors *st; /* NULL: only bindings and `given` */
    const Map *normal;
    Str prefix;
    Str given_name;
    const Tensor *given;
    Tensor probe; /* of a view, shape only */
    int64_t shape[MAX_RANK];
    Tensor *number; /* of a view of rank 0, with its element */
} TensorSource;

static const Tensor *source_tensor(void *user, Str name)
{
    TensorSource *src = user;
    if (src->given && str_eq(name, src->given_name))
        return src->given;
    const TensorView *v = src->st ? file_tensor(src->st, src->normal, src->prefix, name) : NULL;
    if (!v || v->rank > MAX_RANK)
        return NULL;
    if (v->rank == 0) {
        tensor_unref(src->number);
        return src->number = tensor_from_view(v);
    }
    memcpy(src->shape, v->shape, v->rank * sizeof *src->shape);
    src->probe = (Tensor){.rank = v->rank, .shape = src->shape};
    return &src->probe;
}

/* Acquires p again when the tensors of src give its symbols other sizes. */
static bool adapt_symbols(Session *s, Program *p, TensorSource *src, Diag *d)
{
    if (p->nsymbols == 0)
        return true;
    SymbolValue *now = run_realloc(NULL, p->nsymbols * sizeof *now);
    memcpy(now, p->symbols, p->nsymbols * sizeof *now);
    bool differs;
    bool good = symbols_from_tensors(p->fn, now, p->nsymbols, source_tensor, src, &differs, d);
    if (good && differs) {
        good = program_acquire(p, now, p->nsymbols, d);
        if (good) {
            line_invalidate(p, 0);
            cursor_restore(s, p, d);
        }
    }
    free(now);
    tensor_unref(src->number);
    return good;
}

bool program_bind_tensor(Program *p, Str input, Tensor *t, Diag *d)
{
    const Value *v = root_input(p, input);
    if (!v) {
        no_such_input(p, input, d);
        return false;
    }
    TensorSource src = {.p = p, .given = t, .given_name = v->name};
    if (!adapt_symbols(p->s, p, &src, d))
        return false;
    v = root_input(p, input);
    if (!v || !tensor_fits(v, t, (Str){0}, d))
        return false;
    bind(p, v, tensor_ref(t));
    return program_adapt_data(p->s, p, d);
}

bool program_bind_value(Program *p, const Value *input, Tensor *t, Diag *d)
{
    if (!tensor_fits(input, t, (Str){0}, d))
        return false;
    bind(p, input, tensor_ref(t));
    return true;
}

Tensor *program_binding(const Program *p, ValueId input)
{
    const Trace *t = program_bindable(p);
    if (input == 0 || input >= t->nvalues)
        return NULL;
    MapEntry *e = map_get(&p->bindings, t->values[input].name);
    return e ? e->p : NULL;
}

/* --------------------------------------------------------------------------------------- files */

static bool bind_npy(Program *p, Str path, Str input, Diag *d)
{
    Tensor *t = npy_read(path, d);
    if (!t)
        return false;
    if (input.n == 0) { /* x.npy is input x */
        size_t from = path.n;
        while (from > 0 && path.p[from - 1] != '/')
            from--;
        input = str_sub(path, from, path.n - from - 4);
    }
    bool good = program_bind_tensor(p, input, t, d);
    tensor_unref(t);
    return good;
}

/* With no prefix given, tensors of a function are also found under its own name. */
static Str effective_prefix(const Program *p, const SafeTensors *st, Str prefix)
{
    if (prefix.n || !p->fn)
        return prefix;
    Str name = front_name(p->fn);
    for (uint32_t i = 0; i < st->n; i++)
        if (st->items[i].name.n > name.n && st->items[i].name.p[name.n] == '/' &&
            str_eq(str_sub(st->items[i].name, 0, name.n), name))
            return name;
    return prefix;
}

bool bind_tensors(Session *s, Program *p, const SafeTensors *st, const Map *normal, Str prefix,
                  Str path, Diag *d)
{
    TensorSource src = {.p = p, .st = st, .normal = normal, .prefix = prefix};
    bool good = adapt_symbols(s, p, &src, d);
    const Trace *t = program_bindable(p);
    uint32_t bound = 0;
    for (uint32_t i = 0; good && i < t->ninputs; i++) {
        const Value *input = &t->values[t->inputs[i]];
        const TensorView *v = file_tensor(st, normal, prefix, input->name);
        if (!v)
            continue;
        Tensor *x = tensor_from_view(v);
        good = x && tensor_fits(input, x, path, d);
        if (good) {
            bind(p, input, x);
            bound++;
        } else {
            tensor_unref(x);
        }
    }
    if (good && bound == 0 && t->ninputs) {
        DiagItem *item = diag_error(d, DIAG_load, (Span){0}, "no-tensors",
                                    "%.*s has no tensor for any input of %.*s", STR(path),
                                    STR(p->name));
        if (st->n)
            diag_note(d, item, "its first tensor is %.*s", STR(st->items[0].name));
        diag_help(d, item, "inputs");
        good = false;
    }
    return good && program_adapt_data(s, p, d);
}

static bool bind_safetensors(Session *s, Program *p, Str path, Str prefix, Diag *d)
{
    Arena a = {0};
    SafeTensors st = {0};
    bool good = safetensors_open(&st, arena_str(&a, path).p, d);
    if (good) {
        Map normal = {0};
        normal_names(&st, &normal);
        good = bind_tensors(s, p, &st, &normal, effective_prefix(p, &st, prefix), path, d);
        map_free(&normal);
        safetensors_close(&st);
    }
    arena_free(&a);
    return good;
}

bool program_bind_file(Session *s, Program *p, Str path, Str prefix, Diag *d)
{
    SpentOn before = spent_turn(&s->spent, SPENT_inputs);
    bool good = str_ends(path, ".npy") ? bind_npy(p, path, prefix, d)
                                       : bind_safetensors(s, p, path, prefix, d);
    spent_back(&s->spent, before);
    return good;
}
