/*
 * label.c - what is written on items: short names, types, literals, statements, tooltips.
 *
 * Text of machines made readable: L_self_modules_fc_parameters_weight_ becomes fc.weight, literals
 * that equal their defaults are left out. Statements come from the one printer (front.h).
 */
#include "picture.h"
#include "roofline.h"

#include <string.h>

static bool continues(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

size_t utf8_length(Str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += !continues(s.p[i]);
    return n;
}

void label_cut(Str s, size_t max, StrBuf *out)
{
    if (utf8_length(s) <= max) {
        sb_add(out, s);
        return;
    }
    size_t chars = 0, i = 0;
    while (i < s.n && (chars += !continues(s.p[i])) < max)
        i++;
    while (i < s.n && continues(s.p[i]))
        i++;
    sb_add(out, str_sub(s, 0, i));
    sb_puts(out, "…");
}

void label_count(uint32_t n, StrBuf *out)
{
    char digits[16];
    size_t at = sizeof digits;
    int k = 0;
    do {
        if (k++ && k % 3 == 1)
            digits[--at] = ',';
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    sb_add(out, (Str){digits + at, sizeof digits - at});
}

/* Replaces the words that torch.nn puts into attribute paths by dots. */
static void add_path(Str s, StrBuf *out)
{
    static const char *const words[] = {"_modules_", "_parameters_", "_buffers_"};
    for (size_t i = 0; i < s.n;) {
        Str rest = str_sub(s, i, SIZE_MAX);
        size_t skip = 0;
        for (size_t w = 0; w < ARRAY_LEN(words) && !skip; w++)
            if (str_starts(rest, words[w]))
                skip = strlen(words[w]);
        sb_putc(out, skip ? '.' : rest.p[0]);
        i += skip ? skip : 1;
    }
}

void label_name(Str name, size_t max, StrBuf *out)
{
    StrBuf path = {0};
    Str s = name;
    if (s.n > 3 && (str_starts(s, "L_") || str_starts(s, "l_"))) {
        s = str_sub(s, 2, SIZE_MAX);
        if (str_ends(s, "_"))
            s.n--;
    }
    add_path(s, &path);
    Str text = sb_str(&path);
    size_t dot = str_find(text, '.', 0);
    if (dot != SIZE_MAX && s.n != name.n)
        text = str_sub(text, dot + 1, SIZE_MAX); /* what the model is called in its caller */
    if (text.n > max && max > 1) { /* names are ASCII; their ends tell them apart */
        sb_puts(out, "…");
        text = str_sub(text, text.n - (max - 1), SIZE_MAX);
    }
    sb_add(out, text);
    sb_free(&path);
}

void label_type(const Trace *t, ValueId v, StrBuf *out)
{
    StrBuf full = {0};
    const Value *value = &t->values[v];
    type_print(&value->type, &value->known, &full);
    Str s = sb_str(&full);
    if (str_starts(s, "cpu "))
        s = str_sub(s, 4, SIZE_MAX);
    sb_add(out, s);
    sb_free(&full);
}

typedef struct ValueTest {
    const Trace *t;
    bool any;
    void (*fn)(ValueId v, void *user);
    void *user;
} ValueTest;

static void note_value(ValueId v, void *user)
{
    (void)v;
    ((ValueTest *)user)->any = true;
}

static void pass_parameter(ValueId v, void *user)
{
    ValueTest *test = user;
    if (test->t->values[v].flags & VF_PARAMETER)
        test->fn(v, test->user);
}

void each_parameter(const Trace *t, NodeId n, void (*fn)(ValueId v, void *user), void *user)
{
    ValueTest test = {.t = t, .fn = fn, .user = user};
    const Node *node = &t->nodes[n];
    for (uint32_t i = 0; i < node->nargs; i++)
        arg_each_value(node->args[i], pass_parameter, &test);
}

static bool has_values(Arg a)
{
    ValueTest test = {0};
    arg_each_value(a, note_value, &test);
    return test.any;
}

Str label_operator(const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    Str kernel = node_kernel(node);
    return kernel.n ? kernel : str_from(node->op->name);
}

void label_literals(const Trace *t, NodeId n, size_t max, StrBuf *out)
{
    const Node *node = &t->nodes[n];
    StrBuf text = {0};
    if (node->op->id == PRIM_call) {
        statement_ops(t, n, 5, &text);
        label_cut(sb_str(&text), max, out);
        sb_free(&text);
        return;
    }
    for (uint32_t i = 0; i < node->nargs; i++) {
        Arg a = node->args[i];
        const Param *p = &node->op->sig.params[i];
        bool implied = a.kind == ARG_none || a.kind == ARG_device || a.kind == ARG_dtype ||
                       (p->has_default && arg_equal(a, p->dflt)) ||
                       (arg_is_seq(a) && a.n == 0) || has_values(a);
        if (implied)
            continue;
        sb_printf(&text, "%s%.*s=", text.n ? ", " : "", STR(p->name));
        arg_print(t, a, &text);
    }
    label_cut(sb_str(&text), max, out);
    sb_free(&text);
}

/* An argument as short as it can be: values by short name, everything else as the printer has
 * it. */
static void add_arg(const Trace *t, Arg a, StrBuf *out)
{
    if (a.kind == ARG_value) {
        label_name(t->values[a.v].name, 20, out);
        return;
    }
    if (!arg_is_seq(a) || !has_values(a)) {
        arg_print(t, a, out);
        return;
    }
    sb_putc(out, a.kind == ARG_list ? '[' : '(');
    for (uint32_t i = 0; i < a.n; i++) {
        sb_puts(out, i ? ", " : "");
        add_arg(t, a.items[i], out);
    }
    sb_putc(out, a.kind == ARG_list ? ']' : ')');
}

/* Trailing arguments that equal their defaults say nothing. */
static uint32_t told_args(const Node *node)
{
    uint32_t n = node->nargs;
    while (n && node->op->sig.params[n - 1].has_default &&
           arg_equal(node->args[n - 1], node->op->sig.params[n - 1].dflt))
        n--;
    return n;
}

void label_statement(const Trace *t, NodeId n, StrBuf *out)
{
    const Node *node = &t->nodes[n];
    if (node->out.kind != ARG_none) {
        add_arg(t, node->out, out);
        sb_puts(out, " = ");
    }
    sb_add(out, label_operator(t, n));
    if (node->op->id == PRIM_call && arg_is_seq(node->args[1])) { /* its operands as they are */
        add_arg(t, node->args[1], out);
        return;
    }
    sb_putc(out, '(');
    uint32_t told = told_args(node);
    for (uint32_t i = 0; i < told; i++) {
        sb_puts(out, i ? ", " : "");
        if (node->op->sig.params[i].keyword_only)
            sb_printf(out, "%.*s=", STR(node->op->sig.params[i].name));
        add_arg(t, node->args[i], out);
    }
    sb_putc(out, ')');
}

static void add_location(const SrcLoc *loc, StrBuf *out)
{
    if (!loc || !loc->line)
        return;
    sb_printf(out, "\n%.*s:%u", STR(loc->file), loc->line);
    if (loc->func.n)
        sb_printf(out, " in %.*s", STR(loc->func));
    if (loc->code.n)
        sb_printf(out, ": %.*s", STR(str_trim(loc->code)));
}

void label_tooltip(const Item *item, StrBuf *out)
{
    static const PrintOptions one_line = {.types = true};
    StrBuf text = {0};
    if (item->kind == ITEM_op) {
        node_print(item->t, item->node, &one_line, &text);
        sb_add(out, str_trim(sb_str(&text)));
        add_location(item->t->nodes[item->node].loc, out);
    } else if (item->kind == ITEM_group) {
        sb_printf(out, "%.*s", STR(item->title));
        if (item->detail.n)
            sb_printf(out, "\n%.*s", STR(item->detail));
    } else {
        const Value *v = &item->t->values[item->value];
        sb_printf(out, "%s %u: %.*s: ", item->kind == ITEM_input ? "input" : "output",
                  item->number, STR(v->name));
        type_print(&v->type, &v->known, out);
    }
    sb_free(&text);
}

StyleId style_of(const Trace *t, NodeId n)
{
    uint32_t facts = 0;
    for (NodeId i = n; i < n + t->nodes[n].span; i++) /* dropout of probability 0 draws nothing */
        facts |= t->nodes[i].op->flags & ~(t->nodes[i].span > 1 ? (uint32_t)OP_RANDOM : 0u);
    for (int s = 0; s < STYLE_COUNT; s++)
        if (styles[s].facts & facts)
            return (StyleId)s;
    return STYLE_other;
}
