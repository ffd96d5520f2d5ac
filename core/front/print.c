/*
 * print.c - a trace as text in Thunder's form.
 *
 * Input: a trace at any stage. Output: a Python function, one line a node, types in trailing
 * comments, decompositions as deeper comment lines. With print_all the text reads back as an equal
 * trace.
 */
#include "front.h"

const PrintOptions print_all = {.depth = -1, .header = true, .locations = true, .types = true};

/* --------------------------------------------------------------------------------------- values */

static void print_string(Str s, char quote, StrBuf *out)
{
    static const char hex[] = "0123456789abcdef";
    sb_putc(out, quote);
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == (unsigned char)quote || c == '\\')
            sb_putc(out, '\\');
        if (c == '\n')
            sb_puts(out, "\\n");
        else if (c == '\t')
            sb_puts(out, "\\t");
        else if (c == '\r')
            sb_puts(out, "\\r");
        else if (c < 0x20 || c == 0x7f) {
            sb_puts(out, "\\x");
            sb_putc(out, hex[c >> 4]);
            sb_putc(out, hex[c & 15]);
        } else
            sb_putc(out, (char)c);
    }
    sb_putc(out, quote);
}

static void print_arg(const Trace *t, Arg a, bool nested, StrBuf *out);

static void print_items(const Trace *t, Arg a, char open, char close, StrBuf *out)
{
    sb_putc(out, open);
    for (uint32_t i = 0; i < a.n; i++) {
        if (i)
            sb_puts(out, ", ");
        print_arg(t, a.items[i], true, out);
    }
    if (a.n == 1 && open == '(')
        sb_putc(out, ',');
    sb_putc(out, close);
}

static void print_dict(const Trace *t, Arg a, StrBuf *out)
{
    sb_putc(out, '{');
    for (uint32_t i = 0; i < a.n; i++) {
        if (i)
            sb_puts(out, ", ");
        print_arg(t, a.items[2 * i], false, out);
        sb_puts(out, ": ");
        print_arg(t, a.items[2 * i + 1], true, out);
    }
    sb_putc(out, '}');
}

/* Thunder quotes strings inside of containers differently from those that stand alone. */
static void print_arg(const Trace *t, Arg a, bool nested, StrBuf *out)
{
    switch ((ArgKind)a.kind) {
    case ARG_none:
        sb_puts(out, "None");
        return;
    case ARG_value:
        sb_add(out, a.v < t->nvalues ? t->values[a.v].name : S("?"));
        return;
    case ARG_int:
        sb_printf(out, "%lld", (long long)a.i);
        return;
    case ARG_float:
        sb_python_float(out, a.f);
        return;
    case ARG_bool:
        sb_puts(out, a.i ? "True" : "False");
        return;
    case ARG_complex:
        sb_puts(out, "complex(");
        sb_python_float(out, a.items[0].f);
        sb_puts(out, ", ");
        sb_python_float(out, a.items[1].f);
        sb_putc(out, ')');
        return;
    case ARG_str:
        print_string(arg_str(a), nested ? '"' : '\'', out);
        return;
    case ARG_dtype:
        sb_printf(out, "dtypes.%s", a.dtype < DT_COUNT ? dtype_info[a.dtype].full_name : "none");
        return;
    case ARG_device:
        sb_puts(out, "devices.Device(\"");
        device_print(a.device, out);
        sb_puts(out, "\")");
        return;
    case ARG_tuple:
        print_items(t, a, '(', ')', out);
        return;
    case ARG_list:
        print_items(t, a, '[', ']', out);
        return;
    case ARG_dict:
        print_dict(t, a, out);
        return;
    case ARG_slice:
        sb_puts(out, "slice(");
        for (int i = 0; i < 3; i++) {
            sb_puts(out, i ? ", " : "");
            print_arg(t, a.items[i], true, out);
        }
        sb_putc(out, ')');
        return;
    case ARG_ellipsis:
        sb_puts(out, "...");
        return;
    case ARG_word:
        sb_add(out, arg_str(a));
        return;
    }
}

void arg_print(const Trace *t, Arg a, StrBuf *out)
{
    print_arg(t, a, false, out);
}

/* ----------------------------------------------------------------------------------- statements */

/* What stands for a result that is no value: None, or a literal known while loading. */
static const Arg word_underscore = {.kind = ARG_word, .n = 1, .s = "_"};

static void print_target(const Trace *t, Arg out_tree, StrBuf *out)
{
    if (!arg_is_seq(out_tree)) {
        print_arg(t, out_tree.kind == ARG_value ? out_tree : word_underscore, false, out);
        return;
    }
    bool list = out_tree.kind == ARG_list;
    sb_putc(out, list ? '[' : '(');
    for (uint32_t i = 0; i < out_tree.n; i++) {
        sb_puts(out, i ? ", " : "");
        print_target(t, out_tree.items[i], out);
    }
    sb_puts(out, list ? "]" : out_tree.n == 1 ? ",)" : ")");
}

static void print_type(const Trace *t, ValueId v, StrBuf *out)
{
    sb_putc(out, '"');
    type_print(&t->values[v].type, &t->values[v].known, out);
    sb_putc(out, '"');
}

static void print_type_of(const Trace *t, ValueId v, StrBuf *out)
{
    sb_add(out, t->values[v].name);
    sb_puts(out, ": ");
    print_type(t, v, out);
}

/* A variadic parameter's items stand as positional arguments, unless that would read back as
 * something else. */
static void print_variadic(const Trace *t, Arg a, StrBuf *out)
{
    bool plain = a.kind == ARG_tuple && a.n > 0 && !(a.n == 1 && arg_is_seq(a.items[0]));
    if (!plain) {
        print_arg(t, a, false, out);
        return;
    }
    for (uint32_t i = 0; i < a.n; i++) {
        sb_puts(out, i ? ", " : "");
        print_arg(t, a.items[i], false, out);
    }
}

static void print_arguments(const Trace *t, const Node *n, StrBuf *out)
{
    bool by_name = false; /* what follows a variadic parameter can only be given by name */
    sb_putc(out, '(');
    for (uint32_t i = 0; i < n->nargs; i++) {
        const Param *p = &n->op->sig.params[i];
        sb_puts(out, i ? ", " : "");
        if (p->keyword_only || by_name) {
            sb_add(out, p->name);
            sb_putc(out, '=');
        }
        by_name = by_name || p->variadic;
        if (p->variadic)
            print_variadic(t, n->args[i], out);
        else
            print_arg(t, n->args[i], false, out);
    }
    sb_putc(out, ')');
}

static void print_call(const Trace *t, const Node *n, StrBuf *out)
{
    if (n->op->id == PRIM_call && n->span > 1) {
        sb_add(out, arg_str(n->args[0]));
        sb_putc(out, '(');
        for (uint32_t i = 0; i < n->args[1].n; i++) {
            sb_puts(out, i ? ", " : "");
            print_arg(t, n->args[1].items[i], false, out);
        }
        sb_putc(out, ')');
        return;
    }
    op_qualified_name(n->op, out);
    print_arguments(t, n, out);
}

static bool is_identifier(Arg a)
{
    Str s = arg_str(a);
    bool ok = a.kind == ARG_str && s.n > 0 && !(s.p[0] >= '0' && s.p[0] <= '9');
    for (size_t i = 0; i < s.n && ok; i++)
        ok = s.p[i] == '_' || (s.p[i] >= '0' && s.p[i] <= '9') ||
             ((s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z');
    return ok;
}

static void print_method(const Trace *t, const Node *n, const char *name, StrBuf *out)
{
    print_arg(t, n->args[0], false, out);
    sb_printf(out, ".%s(", name);
    print_arg(t, n->args[1], false, out);
    sb_putc(out, ')');
}

/* The right-hand side of a prologue's statements; false when n is none. */
static bool print_unpack(const Trace *t, const Node *n, StrBuf *out)
{
    switch (n->op->id) {
    case PRIM_unpack_getitem:
        print_arg(t, n->args[0], false, out);
        sb_putc(out, '[');
        print_arg(t, n->args[1], false, out);
        sb_putc(out, ']');
        return true;
    case PRIM_unpack_attr:
        if (!is_identifier(n->args[1]))
            return false;
        print_arg(t, n->args[0], false, out);
        sb_putc(out, '.');
        sb_add(out, arg_str(n->args[1]));
        return true;
    case PRIM_unpack_parameter:
        print_method(t, n, "get_parameter", out);
        return true;
    case PRIM_unpack_buffer:
        print_method(t, n, "get_buffer", out);
        return true;
    case PRIM_unpack_submodule:
        print_method(t, n, "get_submodule", out);
        return true;
    case PRIM_unpack_function_obj:
        sb_puts(out, "globals()[");
        print_arg(t, n->args[0], false, out);
        sb_putc(out, ']');
        return true;
    case PRIM_unpack_thunder_module:
        sb_puts(out, "thunder.core.module.get_thunder_module(");
        print_arg(t, n->args[0], false, out);
        sb_putc(out, ')');
        return true;
    case PRIM_unpack_cache_info:
        sb_puts(out, "thunder._get_cache_info()");
        return true;
    default:
        return false;
    }
}

/* "a, b, = collection" */
static void print_sequence(const Trace *t, const Node *n, StrBuf *out)
{
    for (uint32_t i = 0; i < n->out.n; i++) {
        print_target(t, n->out.items[i], out);
        sb_puts(out, ", ");
    }
    sb_puts(out, n->out.n ? "= " : "() = ");
    print_arg(t, n->args[0], false, out);
}

static void print_del(const Trace *t, const Node *n, StrBuf *out)
{
    sb_puts(out, "del ");
    for (uint32_t i = 0; i < n->args[0].n; i++) {
        sb_puts(out, i ? ", " : "");
        print_arg(t, n->args[0].items[i], false, out);
    }
}

/* The statement without its trailing comment; *typed is set when it carries its type already. */
static void print_statement(const Trace *t, const Node *n, bool *typed, StrBuf *out)
{
    *typed = false;
    if (n->op->id == PRIM_python_del && arg_is_seq(n->args[0]) && n->args[0].n) {
        print_del(t, n, out);
        return;
    }
    if (n->op->id == PRIM_unpack_sequence && n->out.kind == ARG_tuple) {
        print_sequence(t, n, out);
        return;
    }
    if ((n->op->flags & OP_UNPACK) && n->out.kind == ARG_value) {
        size_t start = out->n;
        print_type_of(t, n->out.v, out);
        sb_puts(out, " = ");
        if (print_unpack(t, n, out)) {
            *typed = true;
            return;
        }
        out->n = start; /* an operator without a form of its own */
        out->p[start] = 0;
    }
    if (n->out.kind != ARG_none) {
        print_target(t, n->out, out);
        sb_puts(out, " = ");
    }
    print_call(t, n, out);
}

/* ------------------------------------------------------------------------------------- comments */

static void print_offsets(const Trace *t, const Node *n, StrBuf *out)
{
    ValueId ids[256];
    uint32_t count = arg_values(n->out, ids, ARRAY_LEN(ids));
    bool any = false;
    count = count < ARRAY_LEN(ids) ? count : ARRAY_LEN(ids);
    for (uint32_t i = 0; i < count; i++)
        any = any || t->values[ids[i]].offset >= 0;
    for (uint32_t i = 0; any && i < count; i++) {
        int64_t offset = t->values[ids[i]].offset;
        sb_puts(out, i ? "," : " +");
        if (offset < 0)
            sb_putc(out, '-');
        else
            sb_printf(out, "%lld", (long long)offset);
    }
}

/* " strides (8, 1, 4), -": of results that are not written densely. */
static void print_layouts(const Trace *t, const Node *n, StrBuf *out)
{
    ValueId ids[MAX_OUTPUTS];
    uint32_t count = arg_values(n->out, ids, ARRAY_LEN(ids));
    bool any = false;
    count = count < ARRAY_LEN(ids) ? count : ARRAY_LEN(ids);
    for (uint32_t i = 0; i < count; i++)
        any = any || t->values[ids[i]].layout;
    for (uint32_t i = 0; any && i < count; i++) {
        const Value *v = &t->values[ids[i]];
        sb_puts(out, i == 0 ? " strides " : ", ");
        for (uint32_t k = 0; v->layout && k < v->type.rank; k++)
            sb_printf(out, "%s%lld", k ? ", " : "(", (long long)v->layout[k]);
        sb_puts(out, v->layout ? ")" : "-");
    }
}

/* " over x,-": for each result the operand whose place it takes. */
static void print_over(const Trace *t, NodeId node, StrBuf *out)
{
    ValueId ids[MAX_OUTPUTS], over[MAX_OUTPUTS];
    uint32_t count = t->plan_bytes < 0 ? 0 : arg_values(t->nodes[node].out, ids, MAX_OUTPUTS);
    bool any = false;
    for (uint32_t i = 0; i < count && count <= MAX_OUTPUTS; i++) {
        over[i] = value_over(t, node, ids[i]);
        any = any || over[i];
    }
    for (uint32_t i = 0; any && i < count; i++)
        sb_printf(out, "%s%.*s", i ? "," : " over ",
                  STR(over[i] ? t->values[over[i]].name : S("-")));
}

/* "  # t2: "cpu f32[4, 2]" region 1 kept @interp +1024 over t1", of which only what exists. */
static void print_trailer(const Trace *t, const Node *n, bool typed, const PrintOptions *o,
                          StrBuf *out)
{
    size_t before = out->n;
    sb_puts(out, "  #");
    size_t empty = out->n;
    if (o->types && !typed && n->out.kind == ARG_value) {
        sb_putc(out, ' ');
        print_type_of(t, n->out.v, out);
    }
    if (node_region(n))
        sb_printf(out, " region %u%s", node_region(n), n->flags & NF_KEPT ? " kept" : "");
    if (n->executor)
        sb_printf(out, " @%s", n->executor);
    print_offsets(t, n, out);
    if (n->executor)
        print_layouts(t, n, out);
    print_over(t, (NodeId)(n - t->nodes), out);
    if (out->n == empty) {
        out->n = before;
        out->p[before] = 0;
    }
}

typedef struct Printer {
    const Trace *t;
    const PrintOptions *o;
    StrBuf *out;
    uint32_t indent; /* levels of two blanks */
    const SrcLoc *loc;
} Printer;

static void begin_line(Printer *p, uint32_t level)
{
    sb_pad(p->out, ' ', 2 * (p->indent + level));
    if (level)
        sb_puts(p->out, "# ");
}

/* Types of results that no operator infers and no single trailing comment can tell. */
static void print_type_lines(Printer *p, const Node *n, uint32_t level)
{
    ValueId few[64];
    if (!(n->op->flags & OP_OPAQUE) || n->span > 1 || !arg_is_seq(n->out) || !p->o->types)
        return;
    uint32_t count = arg_values(n->out, few, ARRAY_LEN(few));
    for (uint32_t i = 0; i < count && i < ARRAY_LEN(few); i++) {
        sb_putc(p->out, '\n');
        sb_pad(p->out, ' ', 2 * (p->indent + level));
        sb_puts(p->out, "# ");
        print_type_of(p->t, few[i], p->out);
    }
}

static void print_node(Printer *p, NodeId id, uint32_t level)
{
    const Node *n = &p->t->nodes[id];
    bool typed;
    begin_line(p, level);
    print_statement(p->t, n, &typed, p->out);
    print_trailer(p->t, n, typed, p->o, p->out);
    print_type_lines(p, n, level);
    bool kernel = p->o->header && n->op->id == PRIM_call; /* its members alone say what it is */
    if (p->o->depth >= 0 && level >= (uint32_t)p->o->depth && !kernel)
        return;
    for_sub(p->t, id, sub) {
        sb_putc(p->out, '\n');
        print_node(p, sub, level + 1);
    }
}

void node_print(const Trace *t, NodeId n, const PrintOptions *o, StrBuf *out)
{
    Printer p = {.t = t, .o = o, .out = out};
    print_node(&p, n, 0);
}

/* ---------------------------------------------------------------------------------------- trace */

typedef struct Imports {
    bool language[LANG_COUNT], dtypes, devices;
} Imports;

static void note_arg(Arg a, Imports *im)
{
    im->dtypes |= a.kind == ARG_dtype;
    im->devices |= a.kind == ARG_device;
    for (uint32_t i = 0, n = arg_nitems(a); i < n; i++)
        note_arg(a.items[i], im);
}

static void print_header(Printer *p)
{
    const Trace *t = p->t;
    Imports im = {0};
    for_top(t, i) {
        const Node *n = &t->nodes[i];
        im.language[n->op->language] |= n->op->id != PRIM_python_del && n->op->id != PRIM_call;
        for (uint32_t k = 0; k < n->nargs; k++)
            note_arg(n->args[k], &im);
    }
    if (t->made_by.n)
        sb_printf(p->out, "# Constructed by %.*s (took %llu milliseconds)\n", STR(t->made_by),
                  (unsigned long long)(t->made_ns / 1000000));
    if (t->plan_bytes >= 0)
        sb_printf(p->out, "# Memory plan: %lld bytes\n", (long long)t->plan_bytes);
    sb_puts(p->out, "import thunder\n");
    if (im.devices)
        sb_puts(p->out, "import thunder.core.devices as devices\n");
    if (im.dtypes)
        sb_puts(p->out, "import thunder.core.dtypes as dtypes\n");
    if (im.language[LANG_prims])
        sb_puts(p->out, "import thunder.core.prims as prims\n");
    if (im.language[LANG_numpy])
        sb_puts(p->out, "import thunder.numpy as lnp\n");
    if (im.language[LANG_torch])
        sb_puts(p->out, "import thunder.torch as ltorch\n");
    sb_puts(p->out, "import torch\nfrom thunder.executors.torchex import no_autocast\n\n"
                    "@torch.no_grad()\n@no_autocast\n");
}

static bool is_dense(const Value *v)
{
    int64_t expected = 1;
    for (uint32_t i = v->type.rank; i-- > 0;) {
        if (v->type.shape[i] != 1 && v->strides[i] != expected)
            return false;
        expected *= v->type.shape[i];
    }
    return true;
}

static void print_input_type(Printer *p, const Value *v, ValueId id)
{
    sb_puts(p->out, "  # ");
    print_type_of(p->t, id, p->out);
    if (v->type.kind == VALUE_tensor && v->strides && !is_dense(v)) {
        p->out->n--; /* inside the quotes */
        for (uint32_t i = 0; i < v->type.rank; i++)
            sb_printf(p->out, "%s%lld", i ? ", " : "[", (long long)v->strides[i]);
        sb_puts(p->out, "]\"");
    }
    sb_putc(p->out, '\n');
}

static void print_signature(Printer *p)
{
    const Trace *t = p->t;
    sb_printf(p->out, "def %.*s(", STR(t->name));
    for (uint32_t i = 0; i < t->ninputs; i++) {
        const Value *v = &t->values[t->inputs[i]];
        sb_puts(p->out, i ? ", " : "");
        sb_puts(p->out, v->flags & VF_STAR ? "*" : v->flags & VF_STAR_STAR ? "**" : "");
        sb_add(p->out, v->name);
    }
    sb_puts(p->out, "):\n");
    for (uint32_t i = 0; i < t->ninputs; i++)
        print_input_type(p, &t->values[t->inputs[i]], t->inputs[i]);
}

static bool same_loc(const SrcLoc *a, const SrcLoc *b)
{
    return a == b || (a && b && a->line == b->line && str_eq(a->file, b->file));
}

/* The place in the model, where it differs from that of the statement above. A del has none. */
static void print_location(Printer *p, const Node *n)
{
    if (!p->o->locations || n->op->id == PRIM_python_del || same_loc(p->loc, n->loc))
        return;
    p->loc = n->loc;
    if (!n->loc)
        sb_puts(p->out, "\n  # No stacktrace found for following nodes\n");
    else
        sb_printf(p->out, "\n  # %.*s:%u: \t%.*s\n", STR(n->loc->file), n->loc->line,
                  STR(n->loc->code));
}

void trace_print(const Trace *t, const PrintOptions *o, StrBuf *out)
{
    Printer p = {.t = t, .o = o, .out = out, .indent = 1};
    bool whole = o->from == 0 && o->to == 0;
    NodeId to = o->to ? o->to : t->nnodes;
    if (whole && o->header)
        print_header(&p);
    if (whole)
        print_signature(&p);
    for_top(t, i) {
        if (i < o->from || i >= to)
            continue;
        print_location(&p, &t->nodes[i]);
        print_node(&p, i, 0);
        sb_putc(out, '\n');
    }
    if (!whole)
        return;
    sb_puts(out, "  return ");
    print_arg(t, t->output, false, out);
    sb_putc(out, '\n');
}
