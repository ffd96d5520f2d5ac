/* exec.c - the ordered list of executors: finding, moving, choosing, hashing; kernels used once. */
#include "exec.h"

#include <string.h>

void kernels_drop(Kernel **kernels, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (kernels[i])
            kernels[i]->executor->drop(kernels[i]);
        kernels[i] = NULL;
    }
}

bool exec_run_once(const Executor *e, ExecCall *call)
{
    Kernel *k = NULL;
    CompileOptions o = {0};
    bool good = e->compile(call->t, call->node, &o, &k, call->diag) && e->launch(k, call);
    kernels_drop(&k, 1);
    return good;
}

int exec_index(const ExecList *l, Str name)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (str_is(name, l->items[i]->name))
            return (int)i;
    return -1;
}

const Executor *exec_find(const ExecList *l, Str name)
{
    int i = exec_index(l, name);
    return i >= 0 ? l->items[i] : NULL;
}

void exec_move(ExecList *l, uint32_t i, uint32_t to)
{
    if (i >= l->n || to >= l->n)
        return;
    const Executor *item = l->items[i];
    bool on = l->on[i];
    uint32_t step = i < to ? 1 : UINT32_MAX; /* towards `to` */
    for (; i != to; i += step) {
        l->items[i] = l->items[i + step];
        l->on[i] = l->on[i + step];
    }
    l->items[to] = item;
    l->on[to] = on;
}

typedef struct NameWalk {
    const ExecList *known;
    uint32_t i;
} NameWalk;

static bool next_name(void *state, Str *candidate)
{
    NameWalk *w = state;
    if (w->i >= w->known->n)
        return false;
    *candidate = str_from(w->known->items[w->i++]->name);
    return true;
}

int exec_require(const ExecList *known, Str name, Diag *d)
{
    int at = exec_index(known, name);
    if (at >= 0)
        return at;
    StrBuf names = {0};
    for (uint32_t i = 0; i < known->n; i++)
        sb_printf(&names, "%s%s", i ? ", " : "", known->items[i]->name);
    Str near = nearest(name, next_name, &(NameWalk){known, 0});
    DiagItem *item = diag_error(d, DIAG_usage, (Span){0}, "unknown-executor",
                                "there is no executor '%.*s'%s%.*s%s", STR(name),
                                near.n ? "; did you mean '" : "", STR(near), near.n ? "'?" : "");
    diag_note(d, item, "known: %s", sb_cstr(&names));
    diag_help(d, item, "executors");
    sb_free(&names);
    return -1;
}

static bool usable(const Executor *e, Diag *d)
{
    StrBuf why = {0};
    bool ok = !e->available || e->available(&why);
    if (!ok) {
        DiagItem *item = diag_error(d, DIAG_device, (Span){0}, "executor-unavailable",
                                    "executor '%s' cannot be used: %s", e->name, sb_cstr(&why));
        diag_help(d, item, "executors");
    }
    sb_free(&why);
    return ok;
}

bool exec_parse_list(const ExecList *known, Str names, ExecList *out, Diag *d)
{
    ExecList list = {.n = 0};
    for (Str rest = names; rest.n;) {
        Str name = str_trim(str_cut(&rest, ','));
        if (name.n == 0)
            continue;
        int at = exec_require(known, name, d);
        if (at < 0)
            return false;
        const Executor *e = known->items[at];
        if (exec_index(&list, name) >= 0) {
            diag_error(d, DIAG_usage, (Span){0}, "executor-twice", "executor '%.*s' is named twice",
                       STR(name));
            return false;
        }
        if (!usable(e, d))
            return false;
        list.on[list.n] = true;
        list.items[list.n++] = e;
    }
    if (list.n == 0) {
        DiagItem *item = diag_error(d, DIAG_usage, (Span){0}, "no-executor",
                                    "an executor list needs at least one name");
        diag_help(d, item, "executors");
        return false;
    }
    *out = list;
    return true;
}

const Executor *exec_off_taker(const ExecList *l, const Trace *t, NodeId n)
{
    const Executor *found = NULL;
    StrBuf why = {0};
    for (uint32_t i = l->n; i-- > 0 && !found;) {
        const Executor *e = l->items[i];
        if (!l->on[i] && (!e->available || e->available(&why)) && e->can(t, n, &why))
            found = e;
    }
    sb_free(&why);
    return found;
}

const Executor *exec_last(const ExecList *l)
{
    for (uint32_t i = l->n; i-- > 0;)
        if (l->on[i] && l->items[i]->kind == EXEC_operator)
            return l->items[i];
    return NULL;
}

ExecList exec_alone(const ExecList *l)
{
    const Executor *last = exec_last(l);
    ExecList alone = *l;
    for (uint32_t i = 0; i < alone.n; i++)
        alone.on[i] = alone.items[i] == last;
    return alone;
}

uint64_t exec_list_hash(const ExecList *l)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->on[i])
            h = hash_bytes(l->items[i]->name, strlen(l->items[i]->name), h + 1);
    return h;
}
