/*
 * registry.c - the operators of a session and all the names they go by.
 *
 * Input: prims.def, tables of OpRow from the languages, rows added at run time. Output: look-up by
 * what a program writes. One idea: each spelling is a name with a signature of its own that maps
 * onto the operator's canonical parameters, so that torch.sum, Tensor.sum and aten.sum.dim_IntList
 * meet in one operator.
 */
#include "ir.h"

#include "shape.h"

#include <string.h>

const char *language_prefix(Language lang)
{
    static const char *const prefixes[LANG_COUNT] = {"prims", "ltorch", "lnp", "ex"};
    return prefixes[lang];
}

void op_qualified_name(const Op *op, StrBuf *out)
{
    sb_printf(out, "%s.%s", language_prefix(op->language), op->name);
}

const char *op_fact_name(uint32_t bit)
{
    /* In the order of the OP_ bits of ir.h. */
    static const char *const names[] = {
        "elementwise", "reduction",  "shape",       "view",     "random",  "matmul",     "in_place",
        "collective",  "opaque",     "keep",        "no_recompute", "commutative", "creation",
        "unpack",      "check",      "indexing",    "control",  "comparison", "host", "no_grad"};
    return bit < ARRAY_LEN(names) ? names[bit] : NULL;
}

const Op *registry_op(const Registry *r, uint32_t id)
{
    return id < r->n ? r->ops[id] : NULL;
}

const Op *registry_find(const Registry *r, Str qualified)
{
    const MapEntry *e = map_get(&r->by_name, qualified);
    return e ? e->cp : NULL;
}

/* --------------------------------------------------------------------------------- spellings */

/* Long prefixes that programs write and the short ones of the tables; first match wins. */
static const struct {
    const char *written, *key;
} prefixes[] = {
    {"torch.torch.", "torch."}, /* Thunder prints some names twice */
    {"torch.ops.aten.", "aten."},
    {"torch.ops.prims.", "prims."},
    {"torch.nn.functional.", "F."},
    {"torch._C._nn.", "nn."},
    {"torch.functional.", "torch."},
    {"torch.Tensor.", "Tensor."},
    {"torch._tensor.Tensor.", "Tensor."},
    {"thunder.torch.", "ltorch."},
    {"thunder.core.prims.", "prims."},
    {"thunder.numpy.", "lnp."},
    {"_operator.", "op."},
    {"operator.", "op."},
};

static void spelling_key(Str written, StrBuf *key)
{
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
        if (!str_starts(written, prefixes[i].written))
            continue;
        StrBuf shorter = {0};
        sb_puts(&shorter, prefixes[i].key);
        sb_add(&shorter, str_sub(written, strlen(prefixes[i].written), SIZE_MAX));
        if (i == 0)
            spelling_key(sb_str(&shorter), key);
        else
            sb_add(key, sb_str(&shorter));
        sb_free(&shorter);
        return;
    }
    sb_add(key, written);
}

static const Spelling *find_key(const Registry *r, Str key)
{
    const MapEntry *e = map_get(&r->by_spelling, key);
    return e ? e->cp : NULL;
}

/* Thunder's executors print a prim as torch_NAME_prim_impl or torch_prims_NAME_impl, or bare. */
static const Spelling *find_executor_name(const Registry *r, Str written)
{
    StrBuf key = {0};
    const Spelling *s = NULL;
    Str name = written;
    if (str_find(name, '.', 0) != SIZE_MAX)
        return NULL;
    if (str_starts(name, "torch_") && str_ends(name, "_impl")) {
        name = str_sub(name, 6, name.n - 11);
        if (str_starts(name, "prims_"))
            name = str_sub(name, 6, SIZE_MAX);
        if (str_ends(name, "_prim"))
            name.n -= 5;
    }
    if (str_is(name, "check_tensor_metadata"))
        name = S("check_tensor_shape_and_metadata");
    static const struct {
        const char *before, *after;
    } forms[] = {{"prims.", ""}, {"prims.", "_prim"}, {"ltorch.", ""}};
    for (size_t i = 0; i < ARRAY_LEN(forms) && !s; i++) {
        sb_clear(&key);
        sb_printf(&key, "%s%.*s%s", forms[i].before, STR(name), forms[i].after);
        s = find_key(r, sb_str(&key));
    }
    sb_free(&key);
    return s;
}

/* A Python operator method such as __eq__ or __radd__ is the operator. */
static const Spelling *find_dunder(const Registry *r, Str key)
{
    if (!str_starts(key, "Tensor.__") || !str_ends(key, "__") || key.n < 12)
        return NULL;
    StrBuf k = {0};
    sb_printf(&k, "op.%.*s", STR(str_sub(key, 9, key.n - 11)));
    const Spelling *s = find_key(r, sb_str(&k));
    sb_free(&k);
    return s;
}

const Spelling *registry_lookup(const Registry *r, Str written)
{
    StrBuf key = {0};
    spelling_key(written, &key);
    Str k = sb_str(&key);
    const Spelling *s = find_key(r, k);
    if (!s && (str_starts(k, "aten.") || str_starts(k, "prims.")) && str_ends(k, ".default"))
        s = find_key(r, str_sub(k, 0, k.n - 8));
    if (!s && str_starts(k, "aten.") && (str_ends(k, ".out") || str_ends(k, "_out")))
        s = find_key(r, str_sub(k, 0, k.n - 4)); /* its argument `out` is refused when bound */
    if (!s)
        s = find_dunder(r, k);
    if (!s)
        s = find_executor_name(r, written);
    sb_free(&key);
    return s;
}

typedef struct SpellingWalk {
    const Registry *r;
    uint32_t i;
} SpellingWalk;

static bool next_spelling(void *state, Str *candidate)
{
    SpellingWalk *w = state;
    if (w->i >= w->r->by_spelling.n)
        return false;
    *candidate = w->r->by_spelling.entries[w->i++].key;
    return true;
}

Str registry_nearest(const Registry *r, Str written)
{
    StrBuf key = {0};
    spelling_key(written, &key);
    SpellingWalk w = {r, 0};
    Str best = nearest(sb_str(&key), next_spelling, &w);
    sb_free(&key);
    return best;
}

static void add_spelling(Registry *r, Str name, const Op *op, Signature sig)
{
    StrBuf key = {0};
    spelling_key(name, &key);
    Spelling *s = new_of(&r->arena, Spelling);
    MapEntry *e = map_put(&r->by_spelling, sb_str(&key), NULL);
    *s = (Spelling){.name = e->key, .op = op, .sig = sig};
    if (!e->p) {
        e->p = s;
    } else {
        Spelling *last = e->p;
        while (last->next)
            last = last->next;
        last->next = s;
    }
    sb_free(&key);
}

/* An overload aten.add.Tensor is a candidate for the packet aten.add as well. */
static void add_spelling_and_packet(Registry *r, Str name, const Op *op, Signature sig)
{
    add_spelling(r, name, op, sig);
    if (!str_starts(name, "aten."))
        return;
    size_t dot = str_find(name, '.', 5);
    if (dot != SIZE_MAX)
        add_spelling(r, str_sub(name, 0, dot), op, sig);
}

static bool add_spellings(Registry *r, const Op *op, Diag *d)
{
    Str rest = str_from(op->spellings);
    while (rest.n) {
        Str item = str_trim(str_cut(&rest, ';'));
        if (item.n == 0)
            continue;
        size_t paren = str_find(item, '(', 0);
        Signature sig = op->sig;
        if (paren != SIZE_MAX) {
            Str text = arena_str(&r->arena, str_sub(item, paren + 1, item.n - paren - 2));
            if (!signature_parse(&r->arena, text.p, &op->sig, &sig, d))
                return false;
            item = str_sub(item, 0, paren);
        }
        add_spelling_and_packet(r, item, op, sig);
    }
    return true;
}

static void append_op(Registry *r, const Op *op)
{
    if (r->n == r->cap) {
        uint32_t cap = r->cap ? r->cap * 2 : 512;
        const Op **ops = new_array(&r->arena, const Op *, cap);
        if (r->n)
            memcpy(ops, r->ops, r->n * sizeof *ops);
        r->ops = ops;
        r->cap = cap;
    }
    r->ops[r->n++] = op;
}

const Op *registry_add(Registry *r, Language lang, const OpRow *row, void *user, Diag *d)
{
    Op *op = new_of(&r->arena, Op);
    *op = (Op){.name = row->name,
               .id = r->n,
               .language = (uint8_t)lang,
               .flags = row->flags,
               .shape = row->shape,
               .decompose = row->decompose,
               .help = row->help,
               .spellings = row->spellings ? row->spellings : "",
               .c_text = row->c_text,
               .cuda_text = row->cuda_text,
               .user = user};
    Str qualified = arena_printf(&r->arena, "%s.%s", language_prefix(lang), row->name);
    bool fresh;
    MapEntry *e = map_put(&r->by_name, qualified, &fresh);
    if (!fresh) {
        diag_error(d, DIAG_usage, (Span){0}, "name-taken", "operator %.*s exists already",
                   STR(qualified));
        return NULL;
    }
    e->cp = op;
    if (!signature_parse(&r->arena, row->signature, NULL, &op->sig, d))
        return NULL;
    append_op(r, op);
    add_spelling(r, qualified, op, op->sig);
    if (!add_spellings(r, op, d))
        return NULL;
    if (lang == LANG_torch) {
        Str plain = arena_printf(&r->arena, "torch.%s", row->name);
        if (!map_get(&r->by_spelling, plain))
            add_spelling(r, plain, op, op->sig);
    }
    return op;
}

static const OpRow prim_rows[] = {
#define PRIM(n, sig, flag, sh, kernel, grad, c, cuda, text) \
    {.name = #n, .signature = sig, .help = text, .flags = flag, .shape = sh, .c_text = c, \
     .cuda_text = cuda},
#include "prims.def"
#undef PRIM
};

void registry_init(Registry *r)
{
    *r = (Registry){0};
    Diag d = {0};
    for (size_t i = 0; i < ARRAY_LEN(prim_rows); i++) {
        OpRow row = prim_rows[i];
        if (strcmp(row.cuda_text, "=") == 0)
            row.cuda_text = row.c_text;
        row.c_text = strcmp(row.c_text, "-") == 0 ? NULL : row.c_text;
        row.cuda_text = strcmp(row.cuda_text, "-") == 0 ? NULL : row.cuda_text;
        registry_add(r, LANG_prims, &row, NULL, &d);
    }
    diag_clear(&d); /* the table is tested: a malformed row is a bug, caught by check_ir */
}

void registry_free(Registry *r)
{
    map_free(&r->by_name);
    map_free(&r->by_spelling);
    arena_free(&r->arena);
    *r = (Registry){0};
}
