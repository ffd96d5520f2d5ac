/*
 * acquire_builtin.c - names that build no node: constants of modules, Python's functions on
 * literals, PyTorch's ways to write devices and sizes, and functions that take sub-graphs.
 */
#include "acquire.h"

#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- constants */

bool is_module_name(Str root)
{
    static const char *const names[] = {"torch",    "thunder", "ltorch",   "prims",     "dtypes",
                                        "devices",  "math",    "operator", "_operator", "aten",
                                        "F",        "nn",      "Tensor",   "np",        "numpy",
                                        "builtins", "lnp",     "clang"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(root, names[i]))
            return true;
    return false;
}

static bool float_constant(Str path, Arg *out)
{
    static const struct {
        const char *name;
        double value;
    } table[] = {{"inf", INFINITY},          {"nan", NAN},
                 {"pi", 3.141592653589793},  {"e", 2.718281828459045},
                 {"tau", 6.283185307179586}, {"infty", INFINITY}};
    Str name = path;
    if (str_starts(path, "math.") || str_starts(path, "numpy."))
        name = str_sub(path, path.p[0] == 'm' ? 5 : 6, SIZE_MAX);
    else if (str_starts(path, "torch.") || str_starts(path, "np."))
        name = str_sub(path, path.p[0] == 't' ? 6 : 3, SIZE_MAX);
    bool bare = name.n == path.n;
    for (size_t i = 0; i < (bare ? 2 : ARRAY_LEN(table)); i++)
        if (str_is(name, table[i].name)) {
            *out = A_FLOAT(table[i].value);
            return true;
        }
    return false;
}

/* Python's types stand for dtypes, and names of Thunder's context (_torch_memory_format_1) for
 * objects that we only carry along. */
static bool bare_word(Str s, Arg *out)
{
    static const struct {
        const char *name;
        DType dtype;
    } types[] = {{"float", DT_f64}, {"int", DT_i64}, {"bool", DT_b8}, {"complex", DT_c128}};
    static const char *const words[] = {"str",  "tuple",    "list",  "dict",
                                        "type", "NoneType", "object"};
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (str_is(s, types[i].name)) {
            *out = A_DTYPE(types[i].dtype);
            return true;
        }
    bool word = s.n > 4 && s.p[0] == '_' && s.p[s.n - 1] >= '0' && s.p[s.n - 1] <= '9';
    for (size_t i = 0; i < ARRAY_LEN(words) && !word; i++)
        word = str_is(s, words[i]);
    if (word)
        *out = (Arg){.kind = ARG_word, .n = (uint32_t)s.n, .s = s.p};
    return word;
}

bool constant_find(Str path, Arg *out)
{
    static const char *const prefixes[] = {"thunder.core.dtypes.", "thunder.dtypes.", "thunder.",
                                           "numpy.", "np."};
    Str s = path;
    if (float_constant(path, out))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
        if (str_starts(s, prefixes[i])) {
            s = str_sub(s, strlen(prefixes[i]), SIZE_MAX);
            break;
        }
    bool dotted = str_find(path, '.', 0) != SIZE_MAX;
    DType d = dotted ? dtype_parse(s) : DT_none;
    if (d != DT_none) {
        *out = A_DTYPE(d);
        return true;
    }
    if (!dotted)
        return bare_word(path, out);
    *out = (Arg){.kind = ARG_word, .n = (uint32_t)path.n, .s = path.p};
    return true;
}

/* ------------------------------------------------------------------------------------- devices */

static Arg keyword(const Call *c, const char *name, uint32_t position)
{
    for (uint32_t i = 0; i < c->nkw; i++)
        if (str_is(c->kw_names[i], name))
            return c->kw[i];
    return position < c->npos ? c->pos[position] : A_NONE;
}

static bool fn_device(Acquire *a, const Call *c, Arg *out)
{
    Arg type = keyword(c, "type", 0), index = keyword(c, "index", 1);
    Device d;
    if (type.kind == ARG_none)
        type = keyword(c, "device", 0);
    if (type.kind == ARG_device) {
        *out = type;
        return true;
    }
    if (type.kind != ARG_str)
        return false;
    StrBuf name = {0};
    sb_add(&name, arg_str(type));
    if (index.kind == ARG_int)
        sb_printf(&name, ":%lld", (long long)index.i);
    bool ok = device_parse(sb_str(&name), &d);
    if (ok)
        *out = A_DEVICE(d);
    else
        acquire_error(a, c->spans[0], "unknown-device", "no device is called '%s'", sb_cstr(&name));
    sb_free(&name);
    return true;
}

/* ------------------------------------------------------------------------------ numbers, tuples */

static bool parse_float_text(Str s, double *out)
{
    s = str_trim(s);
    return str_to_f64(s, out);
}

static bool is_real(Arg x)
{
    return x.kind == ARG_int || x.kind == ARG_bool || x.kind == ARG_float;
}

static bool fn_float(Acquire *a, const Call *c, Arg *out)
{
    (void)a;
    double v;
    if (c->npos != 1)
        return false;
    if (c->pos[0].kind == ARG_str && parse_float_text(arg_str(c->pos[0]), &v))
        *out = A_FLOAT(v);
    else if (is_real(c->pos[0]))
        *out = A_FLOAT(arg_f64(c->pos[0]));
    else
        return false;
    return true;
}

static bool to_int(double v, Arg *out)
{
    if (!(v > -9.2e18 && v < 9.2e18))
        return false;
    *out = A_INT((int64_t)v);
    return true;
}

static bool fn_int(Acquire *a, const Call *c, Arg *out)
{
    (void)a;
    return c->npos == 1 && is_real(c->pos[0]) &&
           (c->pos[0].kind == ARG_float ? to_int(c->pos[0].f, out)
                                        : (*out = A_INT(c->pos[0].i), true));
}

static bool fn_bool(Acquire *a, const Call *c, Arg *out)
{
    (void)a;
    bool truth;
    if (c->npos != 1 || !literal_truth(c->pos[0], &truth))
        return false;
    *out = A_BOOL(truth);
    return true;
}

static bool fn_not(Acquire *a, const Call *c, Arg *out)
{
    if (!fn_bool(a, c, out))
        return false;
    *out = A_BOOL(!out->i);
    return true;
}

static bool fn_complex(Acquire *a, const Call *c, Arg *out)
{
    Arg re = keyword(c, "real", 0), im = keyword(c, "imag", 1);
    if (!is_real(re) || (im.kind != ARG_none && !is_real(im)))
        return false;
    *out = arg_complex(a->b.t, arg_f64(re), im.kind == ARG_none ? 0.0 : arg_f64(im));
    return true;
}

static bool fn_floor(Acquire *a, const Call *c, Arg *out)
{
    (void)a;
    return c->npos == 1 && is_real(c->pos[0]) && to_int(floor(arg_f64(c->pos[0])), out);
}

static bool fn_ceil(Acquire *a, const Call *c, Arg *out)
{
    (void)a;
    return c->npos == 1 && is_real(c->pos[0]) && to_int(ceil(arg_f64(c->pos[0])), out);
}

static bool fn_sqrt(Acquire *a, const Call *c, Arg *out)
{
    (void)a;
    if (c->npos != 1 || !is_real(c->pos[0]) || !(arg_f64(c->pos[0]) >= 0))
        return false;
    *out = A_FLOAT(sqrt(arg_f64(c->pos[0])));
    return true;
}

static bool fn_abs(Acquire *a, const Call *c, Arg *out)
{
    (void)a;
    if (c->npos != 1 || !is_real(c->pos[0]) ||
        (c->pos[0].kind == ARG_int && c->pos[0].i == INT64_MIN))
        return false;
    Arg x = c->pos[0];
    *out = x.kind == ARG_float ? A_FLOAT(fabs(x.f)) : A_INT(x.i < 0 ? -x.i : x.i);
    return true;
}

static bool pick(Acquire *a, const Call *c, uint32_t op, Arg *out)
{
    Arg all = {.kind = ARG_tuple, .n = c->npos, .items = c->pos}, better;
    const char *why;
    if (all.n == 1 && arg_is_seq(c->pos[0]))
        all = c->pos[0];
    if (all.n == 0)
        return false;
    *out = all.items[0];
    for (uint32_t i = 0; i < all.n; i++) {
        if (!is_real(all.items[i]) || !literal_binary(a, op, all.items[i], *out, &better, &why))
            return false;
        if (better.i)
            *out = all.items[i];
    }
    return true;
}

static bool fn_max(Acquire *a, const Call *c, Arg *out)
{
    return pick(a, c, OP1('>'), out);
}

static bool fn_min(Acquire *a, const Call *c, Arg *out)
{
    return pick(a, c, OP1('<'), out);
}

static bool fn_sum(Acquire *a, const Call *c, Arg *out)
{
    const char *why;
    if (c->npos != 1 || !arg_is_seq(c->pos[0]))
        return false;
    *out = A_INT(0);
    for (uint32_t i = 0; i < c->pos[0].n; i++)
        if (!is_real(c->pos[0].items[i]) ||
            !literal_binary(a, OP1('+'), *out, c->pos[0].items[i], out, &why))
            return false;
    return true;
}

static bool fn_len(Acquire *a, const Call *c, Arg *out)
{
    if (c->npos != 1)
        return false;
    const Value *v = acquire_value(a, c->pos[0]);
    if (v && v->type.kind == VALUE_tensor && v->type.rank)
        *out = A_INT(v->type.shape[0]);
    else if (arg_is_seq(c->pos[0]) || c->pos[0].kind == ARG_dict || c->pos[0].kind == ARG_str)
        *out = A_INT(c->pos[0].n);
    else
        return false;
    return true;
}

static bool sequence(const Call *c, ArgKind kind, Arg *out)
{
    *out = (Arg){.kind = (uint8_t)kind};
    if (c->npos == 0)
        return c->nkw == 0;
    if (c->npos != 1 || !arg_is_seq(c->pos[0]))
        return false;
    *out = c->pos[0];
    out->kind = (uint8_t)kind;
    return true;
}

static bool fn_tuple(Acquire *a, const Call *c, Arg *out)
{
    (void)a;
    return sequence(c, ARG_tuple, out);
}

static bool fn_list(Acquire *a, const Call *c, Arg *out)
{
    (void)a;
    return sequence(c, ARG_list, out);
}

static bool fn_slice(Acquire *a, const Call *c, Arg *out)
{
    if (c->npos == 0 || c->npos > 3)
        return false;
    if (c->npos == 1)
        *out = arg_slice(a->b.t, A_NONE, c->pos[0], A_NONE);
    else
        *out = arg_slice(a->b.t, c->pos[0], c->pos[1], c->npos == 3 ? c->pos[2] : A_NONE);
    return true;
}

static bool fn_nothing(Acquire *a, const Call *c, Arg *out)
{
    (void)a;
    (void)c;
    *out = A_NONE;
    return true;
}

/* --------------------------------------------------------------------------- Thunder's prologue */

static bool unpack_node(Acquire *a, enum PrimId id, Arg arg, bool has_arg, Arg *out)
{
    const Op *op = registry_op(a->reg, id);
    *out = opaque_node(a, op, has_arg ? &arg : NULL);
    return true;
}

static bool fn_cache_info(Acquire *a, const Call *c, Arg *out)
{
    return c->npos == 0 && unpack_node(a, PRIM_unpack_cache_info, A_NONE, false, out);
}

static bool fn_thunder_module(Acquire *a, const Call *c, Arg *out)
{
    return c->npos == 1 && unpack_node(a, PRIM_unpack_thunder_module, c->pos[0], true, out);
}

/* ----------------------------------------------------------------------------------- sub-graphs */

/* f(BEFORE arguments, graph, AFTER arguments, operands...) runs graph on the operands. */
static Arg run_graph(Acquire *a, const Expr *e, uint32_t before, uint32_t after)
{
    if (e->call.n <= before)
        return acquire_error(a, acquire_at(a, e), "bad-argument", "the sub-graph is missing");
    const FrontFunction *graph = eval_graph(a, e->call.args[before].value);
    uint32_t n = 0;
    Arg *args = new_array(&a->scratch, Arg, e->call.n);
    for (uint32_t i = before + 1 + after; i < e->call.n; i++)
        if (!e->call.args[i].keyword) /* keywords say how to run it: use_reentrant = False */
            args[n++] = eval(a, e->call.args[i].value);
    return a->b.failed ? A_NONE : inline_graph(a, graph, args, n, e);
}

static Arg special_wrap(Acquire *a, const Expr *e, Str name)
{
    (void)name;
    return run_graph(a, e, 0, 0);
}

/* torch.utils.checkpoint: the backward part computes the region again instead of keeping what is in
 * it. Its nodes have the number of the region; one inside of another belongs to the outer one, of
 * which nothing is kept either. */
static Arg special_checkpoint(Acquire *a, const Expr *e, Str name)
{
    (void)name;
    uint32_t outer = a->b.flags;
    if (!(outer & NF_REGION))
        a->b.flags = outer | ++a->regions << NF_REGION_SHIFT;
    Arg r = run_graph(a, e, 0, 0);
    a->b.flags = outer;
    return r;
}

/* torch.autocast(device type, dtype, enabled): calls from here on cast their operands as its lists
 * say, whatever device the text gives tensors, until exit_autocast. A dtype of None is PyTorch's
 * default. false when the arguments are others. */
static bool enter_autocast(Acquire *a, const Arg args[3])
{
    if (args[0].kind != ARG_str || args[2].kind != ARG_bool)
        return false;
    bool cuda = str_is(arg_str(args[0]), "cuda");
    DType low = args[1].kind == ARG_dtype ? (DType)args[1].dtype : cuda ? DT_f16 : DT_bf16;
    if (low != DT_bf16 && low != DT_f16)
        return false;
    AutocastRegion *r = new_of(&a->b.t->arena, AutocastRegion); /* outlives the statement */
    *r = (AutocastRegion){.casts = {.low = low, .cuda = cuda, .index = &a->cast_rows,
                                    .leaves = &a->cast_leaves},
                          .around = a->b.around,
                          .around_user = a->b.around_user,
                          .enabled = args[2].i,
                          .first = a->b.t->nnodes,
                          .outer = a->autocast};
    a->autocast = r;
    a->b.around = args[2].i ? cast_around : NULL;
    a->b.around_user = &r->casts;
    return true;
}

/* Where a region that is off writes in place, nobody has looked (cast_around). */
static bool writes_unseen(const Acquire *a, const AutocastRegion *r)
{
    bool writes = false;
    for (NodeId n = r->first; n < a->b.t->nnodes && !r->enabled; n++)
        writes |= (a->b.t->nodes[n].op->flags & OP_IN_PLACE) != 0;
    return writes;
}

static bool exit_autocast(Acquire *a)
{
    AutocastRegion *r = a->autocast;
    if (!r)
        return false;
    if (!r->outer || writes_unseen(a, r))
        map_clear(&a->cast_leaves);
    a->b.around = r->around;
    a->b.around_user = r->around_user;
    a->autocast = r->outer;
    return true;
}

/* The tensors of a tree, cut off from their gradients. */
static Arg detached(Acquire *a, Arg x)
{
    const Op *detach = registry_find(a->b.t->reg, S("ltorch.detach"));
    if (arg_is_tensor(&a->b, x) && detach)
        return op_call(&a->b, detach, &x);
    if (!arg_is_seq(x))
        return x;
    Arg *items = new_array(&a->scratch, Arg, x.n + 1);
    for (uint32_t i = 0; i < x.n; i++)
        items[i] = detached(a, x.items[i]);
    return x.kind == ARG_list ? arg_list(a->b.t, items, x.n) : arg_tuple(a->b.t, items, x.n);
}

/* What a region under torch.no_grad gives has no gradient. */
static Arg special_set_grad(Acquire *a, const Expr *e, Str name)
{
    (void)name;
    Arg enabled = e->call.n ? eval(a, e->call.args[0].value) : A_NONE;
    Arg r = run_graph(a, e, 1, 0);
    return enabled.kind == ARG_bool && !enabled.i && !a->b.failed ? detached(a, r) : r;
}

static Arg special_autocast(Acquire *a, const Expr *e, Str name)
{
    (void)name;
    Arg args[3] = {0};
    for (uint32_t i = 0; i < 3 && i < e->call.n; i++)
        args[i] = eval(a, e->call.args[i].value);
    if (!enter_autocast(a, args))
        return acquire_error(a, acquire_at(a, e), "bad-argument",
                             "autocast takes a device type and bfloat16 or float16");
    Arg r = run_graph(a, e, 4, 0);
    exit_autocast(a);
    return r;
}

static bool fn_enter_autocast(Acquire *a, const Call *c, Arg *out)
{
    *out = A_NONE;
    return c->npos >= 3 && enter_autocast(a, c->pos);
}

static bool fn_exit_autocast(Acquire *a, const Call *c, Arg *out)
{
    *out = A_NONE;
    return c->npos == 1 && exit_autocast(a);
}

static Arg special_subgraph(Acquire *a, const Expr *e, Str name)
{
    (void)name;
    return run_graph(a, e, 0, 1);
}

/* An input that a statement takes out of the argument list. */
static Arg listed_input(Acquire *a, const Expr *target, const Ann *ann)
{
    Type type;
    Arg known;
    if (target->kind != EX_name)
        return acquire_error(a, acquire_at(a, target), "syntax", "expected a name");
    Str name = a->scope->fn->sym_names[target->sym];
    if (!ann)
        ann = a->scope->env[target->sym].ann;
    if (!type_of_annotation(a, ann, &type, &known))
        return acquire_error(a, acquire_at(a, target), "no-type",
                             "input %.*s has no type annotation", STR(name));
    if (ann->kind == ANN_symbol && known.kind == ARG_int)
        return known;
    ValueId v = add_input(a, name, type);
    value_at(a->b.t, v)->known = known;
    set_strides(a, v, ann);
    return A_VALUE(v);
}

static bool is_whole_assignment(Acquire *a, const Expr *e, Str name)
{
    if (a->stmt && a->stmt->kind == ST_assign && a->stmt->value == e)
        return true;
    acquire_error(a, acquire_at(a, e), "unsupported", "%.*s outside of an assignment", STR(name));
    return false;
}

/* a, b, = tree_flatten_spec([x, y], spec): the targets are the inputs, in this order. */
static Arg special_flatten(Acquire *a, const Expr *e, Str name)
{
    if (!is_whole_assignment(a, e, name))
        return A_NONE;
    const Expr *t = a->stmt->targets[0];
    if (t->kind != EX_tuple && t->kind != EX_list)
        return listed_input(a, t, a->stmt->ann);
    Arg *out = new_array(&a->scratch, Arg, t->seq.n);
    for (uint32_t i = 0; i < t->seq.n && !a->b.failed; i++)
        out[i] = listed_input(a, t->seq.items[i], NULL);
    return arg_tuple(a->b.t, out, t->seq.n);
}

/* pytree.tree_unflatten([a, b], spec): the flat list is what counts. */
static Arg special_unflatten(Acquire *a, const Expr *e, Str name)
{
    if (e->call.n == 0)
        return acquire_error(a, acquire_at(a, e), "bad-argument", "%.*s needs a list", STR(name));
    return eval(a, e->call.args[0].value);
}

/* args_iter = iter(args_list), x = next(args_iter): each next is an input. */
static Arg special_iter(Acquire *a, const Expr *e, Str name)
{
    is_whole_assignment(a, e, name);
    return A_NONE;
}

static Arg special_next(Acquire *a, const Expr *e, Str name)
{
    return is_whole_assignment(a, e, name) ? listed_input(a, a->stmt->targets[0], a->stmt->ann)
                                           : A_NONE;
}

/* --------------------------------------------------------------------------------------- table */

static const Builtin builtins[] = {
    {"torch.device", fn_device, NULL},
    {"device", fn_device, NULL},
    {"devices.Device", fn_device, NULL},
    {"thunder.devices.Device", fn_device, NULL},
    {"thunder.core.devices.Device", fn_device, NULL},
    {"float", fn_float, NULL},
    {"torch.sym_float", fn_float, NULL},
    {"int", fn_int, NULL},
    {"torch.sym_int", fn_int, NULL},
    {"math.trunc", fn_int, NULL},
    {"bool", fn_bool, NULL},
    {"torch.sym_not", fn_not, NULL},
    {"operator.not_", fn_not, NULL},
    {"complex", fn_complex, NULL},
    {"math.floor", fn_floor, NULL},
    {"math.ceil", fn_ceil, NULL},
    {"math.sqrt", fn_sqrt, NULL},
    {"torch._sym_sqrt", fn_sqrt, NULL},
    {"abs", fn_abs, NULL},
    {"max", fn_max, NULL},
    {"torch.sym_max", fn_max, NULL},
    {"min", fn_min, NULL},
    {"torch.sym_min", fn_min, NULL},
    {"sum", fn_sum, NULL},
    {"torch.sym_sum", fn_sum, NULL},
    {"len", fn_len, NULL},
    {"tuple", fn_tuple, NULL},
    {"torch.Size", fn_tuple, NULL},
    {"list", fn_list, NULL},
    {"slice", fn_slice, NULL},
    {"torch.amp.autocast_mode._enter_autocast", fn_enter_autocast, NULL},
    {"torch.amp.autocast_mode._exit_autocast", fn_exit_autocast, NULL},
    {"torch._C._log_api_usage_once", fn_nothing, NULL},
    {"torch._check_is_size", fn_nothing, NULL},
    {"thunder._get_cache_info", fn_cache_info, NULL},
    {"thunder.core.module.get_thunder_module", fn_thunder_module, NULL},
    {"torch.ops.higher_order.wrap", NULL, special_wrap},
    {"torch.ops.higher_order.tag_activation_checkpoint", NULL, special_checkpoint},
    {"torch.utils.checkpoint.checkpoint", NULL, special_checkpoint},
    {"torch.utils.checkpoint", NULL, special_checkpoint},
    {"checkpoint", NULL, special_checkpoint},
    {"ltorch.checkpoint", NULL, special_checkpoint},
    {"torch.ops.higher_order.wrap_with_set_grad_enabled", NULL, special_set_grad},
    {"torch.ops.higher_order.wrap_with_autocast", NULL, special_autocast},
    {"torch.ops.higher_order.invoke_subgraph", NULL, special_subgraph},
    {"iter", NULL, special_iter},
    {"next", NULL, special_next},
    {"pytree.tree_unflatten", NULL, special_unflatten},
    {"torch.utils._pytree.tree_unflatten", NULL, special_unflatten},
    {"fx_pytree.tree_flatten_spec", NULL, special_flatten},
    {"torch.fx._pytree.tree_flatten_spec", NULL, special_flatten},
    {"pytree.tree_leaves", NULL, special_flatten},
    {"torch.utils._pytree.tree_leaves", NULL, special_flatten},
};

const Builtin *builtin_find(Str name)
{
    for (size_t i = 0; i < ARRAY_LEN(builtins); i++)
        if (str_is(name, builtins[i].name))
            return &builtins[i];
    return NULL;
}
