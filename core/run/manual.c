/*
 * manual.c - what the tables say about an operator, as a card and as the reference manual.
 *
 * Input: an operator. Output: signature, spellings, facts, gradient, executors, and the
 * decomposition that a call on small arguments derives. Nothing here is written by hand: a row of a
 * table is all that an operator needs.
 */
#include "lang.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = 24 }; /* of a decomposition */

/* ------------------------------------------------------------------------------------ the parts */

/* "F.softmax" -> "torch.nn.functional.softmax", as programs write it. */
static void put_written(Str name, StrBuf *out)
{
    static const struct {
        const char *key, *written;
    } prefixes[] = {{"F.", "torch.nn.functional."},
                    {"nn.", "torch._C._nn."},
                    {"aten.", "torch.ops.aten."},
                    {"op.", "operator."}};
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
        if (str_starts(name, prefixes[i].key)) {
            sb_puts(out, prefixes[i].written);
            name = str_sub(name, strlen(prefixes[i].key), SIZE_MAX);
            break;
        }
    sb_add(out, name);
}

/* Every spelling as "before NAME(PARAMETERS) after". */
static void put_spellings(const Op *op, const char *before, const char *after, StrBuf *out)
{
    Str rest = str_from(op->spellings ? op->spellings : "");
    Arena a = {0};
    Diag d = {0};
    while (rest.n) {
        Str item = str_trim(str_cut(&rest, ';'));
        size_t paren = str_find(item, '(', 0);
        Signature sig = op->sig;
        if (!item.n)
            continue;
        if (paren != SIZE_MAX) {
            Str text = arena_str(&a, str_sub(item, paren + 1, item.n - paren - 2));
            if (!signature_parse(&a, text.p, &op->sig, &sig, &d))
                continue;
        }
        sb_puts(out, before);
        put_written(str_trim(str_sub(item, 0, paren)), out);
        sb_putc(out, '(');
        signature_print(&sig, out);
        sb_printf(out, ")%s", after);
    }
    diag_clear(&d);
    arena_free(&a);
}

static void put_facts(const Op *op, StrBuf *out)
{
    size_t start = out->n;
    for (uint32_t bit = 0; op_fact_name(bit); bit++)
        if (op->flags & 1u << bit)
            sb_printf(out, "%s%s", out->n > start ? ", " : "", op_fact_name(bit));
    if (out->n == start)
        sb_puts(out, "none");
}

/* Whether a result of the sample depends on a float input through prims that have a gradient. */
static bool sample_differentiable(const Trace *t)
{
    bool *reached = calloc(t->nvalues + 1, sizeof *reached), yes = false;
    if (!reached)
        abort();
    for (uint32_t i = 0; i < t->ninputs; i++)
        reached[t->inputs[i]] = dtype_is_inexact((DType)t->values[t->inputs[i]].type.dtype);
    for (NodeId n = 0; n < t->nnodes; n++) {
        const Node *node = &t->nodes[n];
        ValueId ids[64];
        bool from = false;
        if (node->op->language != LANG_prims || !op_has_gradient(node->op))
            continue;
        for (uint32_t k = 0; k < node->nargs; k++) {
            uint32_t found = arg_values(node->args[k], ids, ARRAY_LEN(ids));
            for (uint32_t i = 0; i < found && i < ARRAY_LEN(ids); i++)
                from |= reached[ids[i]];
        }
        uint32_t made = arg_values(node->out, ids, ARRAY_LEN(ids));
        for (uint32_t i = 0; from && i < made && i < ARRAY_LEN(ids); i++)
            reached[ids[i]] = dtype_is_inexact((DType)t->values[ids[i]].type.dtype);
    }
    ValueId outs[64];
    uint32_t n = arg_values(t->output, outs, ARRAY_LEN(outs));
    for (uint32_t i = 0; i < n && i < ARRAY_LEN(outs); i++)
        yes |= reached[outs[i]];
    free(reached);
    return yes;
}

/* Whether e takes node n in pieces. */
static bool takes_inside(const Executor *e, const Trace *t, NodeId n)
{
    StrBuf why = {0};
    bool yes = e->can(t, n, &why);
    if (!yes && t->nodes[n].op->decompose) {
        yes = true;
        for_sub(t, n, i)
            yes = yes && takes_inside(e, t, i);
    }
    sb_free(&why);
    return yes;
}

static void put_executors(const Trace *t, const ExecList *list, StrBuf *out)
{
    size_t start = out->n;
    if (t && t->nnodes == 0) {
        sb_puts(out, "none is needed");
        return;
    }
    for (uint32_t i = 0; t && i < list->n; i++) {
        const Executor *e = list->items[i];
        StrBuf why = {0};
        bool whole = e->can(t, 0, &why);
        if (whole || takes_inside(e, t, 0))
            sb_printf(out, "%s%s%s", out->n > start ? ", " : "", e->name,
                      whole ? "" : " (opened)");
        sb_free(&why);
    }
    if (out->n == start)
        sb_puts(out, "not known");
}

static void put_decomposition(const Trace *t, const char *indent, StrBuf *out)
{
    StrBuf text = {0};
    PrintOptions o = {.depth = 1, .types = true};
    if (t->nnodes == 0) {
        sb_printf(out, "%s# known while the program is read: ", indent);
        arg_print(t, t->output, out);
        sb_putc(out, '\n');
        return;
    }
    node_print(t, 0, &o, &text);
    Str rest = sb_str(&text);
    uint32_t n = 0, more = 0;
    while (rest.n) {
        Str line = str_cut(&rest, '\n');
        if (n++ < MAX_LINES)
            sb_printf(out, "%s%.*s\n", indent, STR(line));
        else
            more++;
    }
    if (more)
        sb_printf(out, "%s# ... %u more\n", indent, more);
    sb_free(&text);
}

static void put_call(const Op *op, StrBuf *out)
{
    op_qualified_name(op, out);
    sb_putc(out, '(');
    signature_print(&op->sig, out);
    sb_putc(out, ')');
}

/* ----------------------------------------------------------------------------------------- card */

void op_describe(const Registry *reg, const ExecList *executors, const Op *op, StrBuf *out)
{
    Trace *t = op_sample(reg, op);
    put_call(op, out);
    sb_printf(out, "\n  %s\n  facts: ", op->help ? op->help : "");
    put_facts(op, out);
    sb_printf(out, "\n  gradient: %s\n  executors: ",
              t ? (sample_differentiable(t) ? "yes" : "no") : "not known");
    put_executors(t, executors, out);
    sb_puts(out, "\nspellings:\n");
    if (op->spellings && *op->spellings)
        put_spellings(op, "  ", "\n", out);
    else
        sb_puts(out, "  only its own\n");
    if (t) {
        sb_puts(out, "for example:\n");
        put_decomposition(t, "  ", out);
    }
    trace_unref(t);
}

/* --------------------------------------------------------------------------------------- manual */

/* The row NAME_ that writes the result of op into its first argument. */
static const Op *in_place_form(const Registry *reg, const Op *op)
{
    StrBuf name = {0};
    op_qualified_name(op, &name);
    sb_putc(&name, '_');
    const Op *form = registry_find(reg, sb_str(&name));
    sb_free(&name);
    return form;
}

static bool is_in_place_form(const Registry *reg, const Op *op)
{
    StrBuf name = {0};
    op_qualified_name(op, &name);
    Str s = sb_str(&name);
    bool yes = op->flags & OP_IN_PLACE && str_ends(s, "_") &&
               registry_find(reg, str_sub(s, 0, s.n - 1)) != NULL;
    sb_free(&name);
    return yes;
}

static void manual_entry(const Registry *reg, const ExecList *executors, const Op *op,
                         StrBuf *out)
{
    Trace *t = op_sample(reg, op);
    sb_printf(out, "### %s\n\n    ", op->name);
    put_call(op, out);
    const char *help = op->help ? op->help : "";
    sb_printf(out, "\n\n%c%s.", *help - ('a' <= *help && *help <= 'z' ? 32 : 0),
              *help ? help + 1 : "");
    if (in_place_form(reg, op))
        sb_printf(out, " Also in place, as `%s_`.", op->name);
    sb_puts(out, "\n\nFacts: ");
    put_facts(op, out);
    sb_printf(out, ". Gradient: %s. Executors: ",
              t ? (sample_differentiable(t) ? "yes" : "no") : "not known");
    put_executors(t, executors, out);
    sb_puts(out, ".\n\n");
    if (op->spellings && *op->spellings) {
        put_spellings(op, "- `", "`\n", out);
        sb_putc(out, '\n');
    }
    if (t) {
        put_decomposition(t, "    ", out);
        sb_putc(out, '\n');
    }
    trace_unref(t);
}

void operators_manual(const Registry *reg, const ExecList *executors, StrBuf *out)
{
    static const struct {
        Language language;
        const char *title;
    } parts[] = {{LANG_torch, "The torch language"},
                 {LANG_numpy, "The numpy language"},
                 {LANG_prims, "Prims"}};
    sb_puts(out, "# Operators of thunder-repl\n\nWritten by `ops --manual` from the tables. Below "
                 "an operator stands what a call of it on\nsmall tensors decomposes into.\n");
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        sb_printf(out, "\n## %s\n\n", parts[i].title);
        for (uint32_t k = 0; k < reg->n; k++)
            if (reg->ops[k]->language == parts[i].language && !is_in_place_form(reg, reg->ops[k]))
                manual_entry(reg, executors, reg->ops[k], out);
    }
    while (out->n && out->p[out->n - 1] == '\n')
        out->n--;
    sb_putc(out, '\n');
}
