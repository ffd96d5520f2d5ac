/*
 * acquire_rest.c - the calls of a statement that an error in front of them kept from being made.
 *
 * Input: an expression that failed. Output: an error for each unknown operator in it that has none
 * yet, and a count of every other operator. That nobody knows an operator is true whatever its
 * operands are, and who reads what a program needs wants all of it at once.
 */
#include "acquire.h"

static bool was_met(const Acquire *a, const Expr *call)
{
    for (uint32_t i = 0; i < a->nmet; i++)
        if (a->met[i] == call)
            return true;
    return false;
}

/* What a call names, when that can be told without its operands. */
static Str called_name(Acquire *a, const Expr *e, const Spelling **spelling, bool *known)
{
    const Expr *fn = e->call.fn;
    uint32_t sym;
    Str written = {0};
    *known = true;
    *spelling = NULL;
    if (path_of(a, fn, &sym)) {
        const PathInfo *info = path_info(a, sym);
        written = a->scope->fn->sym_names[sym];
        *spelling = info->spelling;
        *known = info->builtin || info->spelling || is_fusion(a, e, written) ||
                 function_of_file(a, written);
    } else if (fn->kind == EX_attr && !starts_with_self(a, fn)) {
        written = arena_printf(&a->scratch, "Tensor.%.*s",
                               STR(a->scope->fn->sym_names[fn->attr.sym]));
        *spelling = registry_lookup(a->reg, written);
        *known = *spelling || clears_arguments(a, e);
    }
    return written;
}

static void look_at_call(Acquire *a, const Expr *e)
{
    const Spelling *spelling;
    bool known;
    Str written = called_name(a, e, &spelling, &known);
    if (spelling) {
        count_use(a, written, spelling->op, acquire_at(a, e));
    } else if (!known) {
        a->b.failed = false;
        unknown_operator(a, written, e);
    }
}

void look_at_rest(Acquire *a, const Expr *e)
{
    if (!e)
        return;
    switch ((ExprKind)e->kind) {
    case EX_literal:
    case EX_name:
        return;
    case EX_attr:
        look_at_rest(a, e->attr.obj);
        return;
    case EX_call:
        look_at_rest(a, e->call.fn);
        for (uint32_t i = 0; i < e->call.n; i++)
            look_at_rest(a, e->call.args[i].value);
        if (!was_met(a, e))
            look_at_call(a, e);
        return;
    case EX_index:
        look_at_rest(a, e->index.obj);
        look_at_rest(a, e->index.key);
        return;
    case EX_tuple:
    case EX_list:
    case EX_dict:
    case EX_set:
    case EX_slice:
        for (uint32_t i = 0; i < e->seq.n; i++)
            look_at_rest(a, e->seq.items[i]);
        return;
    case EX_unary:
        look_at_rest(a, e->bin.a);
        return;
    case EX_binary:
    case EX_and:
    case EX_or:
        look_at_rest(a, e->bin.a);
        look_at_rest(a, e->bin.b);
        return;
    }
}
