/* check_ir.c - promises of core/ir: operators and their names, signatures, arguments, traces,
 * laws. */
#include "support.h"

#include <math.h>
#include <stdio.h>

#include "ir.h"

/* Each test gets a registry and an unfinished trace f(x: f32[2, 3], y: f32[2, 3]). */
static Registry reg;
static Diag diag;
static Trace *t;
static Build b;
static ValueId x, y;

static ValueId tensor_input(const char *name, DType dtype, uint32_t rank, const int64_t *shape)
{
    return trace_add_input(t, type_tensor(t, dtype, (Device){DEV_cpu, 0}, rank, shape),
                           str_from(name));
}

static void setup(void)
{
    static const int64_t shape[] = {2, 3};
    registry_init(&reg);
    t = trace_new(&reg, S("f"));
    x = tensor_input("x", DT_f32, 2, shape);
    y = tensor_input("y", DT_f32, 2, shape);
    b = (Build){.t = t, .diag = &diag};
}

static void teardown(void)
{
    trace_unref(t);
    registry_free(&reg);
    diag_clear(&diag);
}

static ValueId add(ValueId v, ValueId w)
{
    return emit(&b, add, A_VALUE(v), A_VALUE(w)).v;
}

static Arg int_tuple(int64_t i)
{
    return arg_ints(t, &i, 1);
}

/* ---------------------------------------------------------------------------------- operators */

START_TEST(every_prim_is_complete)
{
    for (uint32_t id = 0; id < PRIM_COUNT; id++) {
        const Op *op = registry_op(&reg, id);
        StrBuf name = {0};
        op_qualified_name(op, &name);
        ck_assert_msg(op->id == id && op->language == LANG_prims, "%s", op->name);
        ck_assert_msg(registry_find(&reg, sb_str(&name)) == op, "%s", op->name);
        ck_assert_msg(registry_lookup(&reg, sb_str(&name))->op == op, "%s", op->name);
        ck_assert_msg(op->shape && !op->decompose, "%s", op->name);
        ck_assert_msg(strlen(op->help) > 0 && op->sig.n <= MAX_PARAMS, "%s", op->name);
        sb_free(&name);
    }
}
END_TEST

/* Templates name operands of the prim and nothing else; CUDA can say all that C can. */
START_TEST(templates_name_their_operands)
{
    for (uint32_t id = 0; id < PRIM_COUNT; id++) {
        const Op *op = registry_op(&reg, id);
        const char *const texts[] = {op->c_text, op->cuda_text};
        for (int k = 0; k < 2; k++)
            for (const char *p = texts[k] ? strchr(texts[k], '%') : NULL; p; p = strchr(p + 1, '%'))
                ck_assert_msg(p[1] >= '0' && (uint32_t)(p[1] - '0') < op->sig.n, "%s", op->name);
        ck_assert_msg(!op->c_text || op->flags & (OP_ELEMENTWISE | OP_SHAPE), "%s", op->name);
        ck_assert_msg(!op->c_text || op->cuda_text, "%s", op->name);
    }
}
END_TEST

static Arg decompose_double(Build *bb, const Arg *args)
{
    return emit(bb, add, args[0], args[0]);
}

static Arg decompose_identity(Build *bb, const Arg *args)
{
    (void)bb;
    return args[0];
}

static Arg decompose_view(Build *bb, const Arg *args)
{
    Arg shape[2] = {A_INT(3), A_INT(2)};
    return emit(bb, reshape, args[0], arg_tuple(bb->t, shape, 2));
}

static Arg decompose_forever(Build *bb, const Arg *args)
{
    return op_call(bb, registry_find(bb->t->reg, S("ltorch.forever")), args);
}

static Arg decompose_rank(Build *bb, const Arg *args)
{
    return A_INT(bb->t->values[args[0].v].type.rank);
}

static Arg decompose_bad(Build *bb, const Arg *args)
{
    Arg sum = emit(bb, sum, args[0], arg_ints(bb->t, (int64_t[]){7}, 1));
    return emit(bb, add, sum, sum); /* not reached: everything after an error is ignored */
}

static const Op *add_op(const char *name, const char *signature, const char *spellings,
                        DecomposeFn *decompose)
{
    OpRow row = {.name = name, .signature = signature, .spellings = spellings, .help = "a test",
                 .decompose = decompose};
    return registry_add(&reg, LANG_torch, &row, NULL, &diag);
}

START_TEST(operators_are_found_by_any_spelling)
{
    static const char *const written[] = {
        "ltorch.double", "thunder.torch.double", "torch.double", "torch.torch.double",
        "torch.nn.functional.double", "F.double", "Tensor.double", "torch.Tensor.double",
        "torch.ops.aten.double", "torch.ops.aten.double.default", "torch.ops.aten.double.int",
        "operator.double", "Tensor.__double__", "torch._C._nn.double"};
    const Op *op = add_op("double", "a:T", "F.double; nn.double; Tensor.double; aten.double; "
                          "aten.double.int; op.double", decompose_double);
    ck_no_errors(&diag);
    for (size_t i = 0; i < ARRAY_LEN(written); i++) {
        const Spelling *s = registry_lookup(&reg, str_from(written[i]));
        ck_assert_msg(s && s->op == op, "%s is not found", written[i]);
    }
    ck_assert_ptr_null(registry_lookup(&reg, S("torch.triple")));
    ck_assert_ptr_null(registry_lookup(&reg, S("")));
    ck_assert_ptr_null(registry_lookup(&reg, S("Tensor.")));
}
END_TEST

START_TEST(names_of_thunders_executors_are_prims)
{
    static const struct {
        const char *written;
        enum PrimId id;
    } rows[] = {{"torch_slice_prim_impl", PRIM_slice_prim},
                {"torch_prims_reshape_impl", PRIM_reshape},
                {"torch_stride_order_prim_impl", PRIM_stride_order},
                {"check_tensor_metadata", PRIM_check_tensor_shape_and_metadata},
                {"thunder.core.prims.add", PRIM_add},
                {"unpack_trivial", PRIM_unpack_trivial}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const Spelling *s = registry_lookup(&reg, str_from(rows[i].written));
        ck_assert_msg(s && s->op->id == rows[i].id, "%s", rows[i].written);
    }
}
END_TEST

START_TEST(a_name_is_taken_once)
{
    ck_assert_ptr_nonnull(add_op("double", "a:T", "", decompose_double));
    ck_assert_ptr_null(add_op("double", "a:T", "", decompose_double));
    ck_error(&diag, "name-taken");
}
END_TEST

START_TEST(malformed_signatures_are_refused)
{
    static const char *const bad[] = {"a:Z", "a:", "a=1x", "a:TT", ":T", "=1"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        char name[16];
        snprintf(name, sizeof name, "bad%zu", i);
        diag_clear(&diag);
        OpRow row = {.name = arena_printf(&reg.arena, "%s", name).p, .signature = bad[i],
                     .help = "", .decompose = decompose_double};
        ck_assert_msg(!registry_add(&reg, LANG_torch, &row, NULL, &diag), "%s is accepted", bad[i]);
        ck_error(&diag, "bad-signature");
    }
    diag_clear(&diag);
    ck_assert_ptr_null(add_op("nine", "a:T", "torch.nine(a, nobody>missing)", decompose_double));
    ck_error(&diag, "bad-signature");
}
END_TEST

START_TEST(the_nearest_spelling_is_offered)
{
    ck_text(registry_nearest(&reg, S("prims.addd")), "prims.add");
    ck_text(registry_nearest(&reg, S("prims.reshpae")), "prims.reshape");
    ck_assert_uint_eq(registry_nearest(&reg, S("completely.different.thing")).n, 0);
}
END_TEST

/* ----------------------------------------------------------------------------------- binding */

/* Binds a call of the operator "op" with signature sig; kw is "name" or NULL for positional
 * ones. */
typedef struct Call {
    Arg args[6];
    const char *kw[6];
    uint32_t n;
} Call;

static const Op *bind(const char *written, const Call *c, Arg out[MAX_PARAMS])
{
    Arg pos[6], kw[6];
    Str names[6];
    Span spans[MAX_PARAMS];
    uint32_t npos = 0, nkw = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        if (!c->kw[i]) {
            pos[npos++] = c->args[i];
            continue;
        }
        names[nkw] = str_from(c->kw[i]);
        kw[nkw++] = c->args[i];
    }
    return op_bind(&b, registry_lookup(&reg, str_from(written)), pos, npos, names, kw, nkw, NULL,
                   out, spans);
}

START_TEST(arguments_take_their_canonical_places)
{
    Arg out[MAX_PARAMS];
    const Op *op = add_op("op", "a:T, dim:I=None, keepdim:b=False, *, dtype:D=None",
                          "torch.op; Tensor.op(self>a, axis>dim, dtype, _unused>_=3); "
                          "aten.op.all(a:T, !keepdim=True); aten.op.dims(a:T, *dims>dim:I)",
                          decompose_double);
    ck_no_errors(&diag);
    Call plain = {{A_VALUE(x), A_INT(1)}, {0}, 2};
    ck_assert_ptr_eq(bind("torch.op", &plain, out), op);
    ck_assert(arg_equal(out[0], A_VALUE(x)) && arg_equal(out[1], A_INT(1)));
    ck_assert(arg_equal(out[2], A_BOOL(false)) && arg_is_none(out[3]));
    Call keywords = {{A_VALUE(x), A_DTYPE(DT_f64), A_BOOL(true)}, {0, "dtype", "keepdim"}, 3};
    ck_assert_ptr_eq(bind("torch.op", &keywords, out), op);
    ck_assert(arg_equal(out[2], A_BOOL(true)) && arg_equal(out[3], A_DTYPE(DT_f64)));
    Call renamed = {{A_VALUE(x), A_INT(0), A_DTYPE(DT_f16), A_INT(3)},
                    {0, "axis", 0, "_unused"}, 4};
    renamed.kw[2] = "dtype";
    ck_assert_ptr_eq(bind("Tensor.op", &renamed, out), op);
    ck_assert(arg_equal(out[1], A_INT(0)) && arg_equal(out[3], A_DTYPE(DT_f16)));
    Call fixed = {{A_VALUE(x)}, {0}, 1};
    ck_assert_ptr_eq(bind("torch.ops.aten.op.all", &fixed, out), op);
    ck_assert(arg_equal(out[2], A_BOOL(true)));
}
END_TEST

START_TEST(variadic_parameters_take_the_rest)
{
    Arg out[MAX_PARAMS];
    add_op("view", "a:T, shape:I", "Tensor.view(a, *shape:I)", decompose_double);
    Call many = {{A_VALUE(x), A_INT(3), A_INT(2)}, {0}, 3};
    ck_assert_ptr_nonnull(bind("Tensor.view", &many, out));
    ck_assert_int_eq(out[1].kind, ARG_tuple);
    ck_assert_uint_eq(out[1].n, 2);
    Call one = {{A_VALUE(x), int_tuple(6)}, {0}, 2};
    ck_assert_ptr_nonnull(bind("Tensor.view", &one, out));
    ck_assert(arg_equal(out[1], int_tuple(6)));
    Call single = {{A_VALUE(x), A_INT(6)}, {0}, 2};
    ck_assert_ptr_nonnull(bind("Tensor.view", &single, out));
    ck_assert(arg_equal(out[1], int_tuple(6)));
}
END_TEST

START_TEST(the_first_fitting_candidate_is_taken)
{
    Arg out[MAX_PARAMS];
    const Op *whole = add_op("amax_all", "a:T", "torch.max(a:T)", decompose_double);
    const Op *dim = add_op("max_dim", "a:T, dim:i, keepdim:b=False", "torch.max", decompose_double);
    const Op *two = add_op("max_two", "a:T, b:T", "torch.max", decompose_double);
    Call a = {{A_VALUE(x)}, {0}, 1}, c = {{A_VALUE(x), A_INT(1)}, {0}, 2};
    Call e = {{A_VALUE(x), A_VALUE(y)}, {0}, 2};
    ck_assert_ptr_eq(bind("torch.max", &a, out), whole);
    ck_assert_ptr_eq(bind("torch.max", &c, out), dim);
    ck_assert_ptr_eq(bind("torch.max", &e, out), two);
}
END_TEST

static const struct {
    Call call;
    const char *message;
} misfits[] = {
    {{{A_INT(1)}, {0}, 1}, "argument 'a' must be a tensor, not an int"},
    {{{A_VALUE(1), A_FLOAT(0.5)}, {0}, 2}, "argument 'dim' must be an int, not a float"},
    {{{A_VALUE(1), A_VALUE(2)}, {0}, 2}, "argument 'dim' must be an int, not y: cpu f32[2, 3]"},
    {{{A_VALUE(1)}, {0}, 1}, "needs argument 'dim'"},
    {{{A_VALUE(1), A_INT(0), A_BOOL(1), A_INT(9)}, {0}, 4}, "positional argument"},
    {{{A_VALUE(1), A_INT(0), A_INT(1)}, {0, 0, "axis"}, 3}, "has no argument 'axis'"},
    {{{A_VALUE(1), A_INT(0), A_INT(1)}, {0, 0, "dim"}, 3}, "argument 'dim' is given twice"},
    {{{A_VALUE(1), A_INT(0), A_NONE}, {0, 0, "keepdim"}, 3}, "must be True or False, not None"},
};

START_TEST(misfits_say_which_argument_and_why)
{
    Arg out[MAX_PARAMS];
    add_op("op", "a:T, dim:i, keepdim:b=False", "", decompose_double);
    ck_assert_ptr_null(bind("torch.op", &misfits[_i].call, out));
    ck_assert(b.failed);
    const DiagItem *item = diag_with_code(&diag, "bad-argument");
    ck_assert_ptr_nonnull(item);
    ck_contains(item->message.p, misfits[_i].message);
    ck_contains(item->note.p, "torch.op(a, dim, keepdim=False)");
    ck_text(item->help, "ops op");
}
END_TEST

/* ------------------------------------------------------------------------------ types, devices */

START_TEST(dtypes_are_read_by_all_their_names)
{
    const DTypeInfo *info = &dtype_info[_i];
    StrBuf dotted = {0};
    ck_assert_int_eq(dtype_parse(str_from(info->name)), _i);
    ck_assert_int_eq(dtype_parse(str_from(info->full_name)), _i);
    sb_printf(&dotted, "torch.%s", info->full_name);
    ck_assert_int_eq(dtype_parse(sb_str(&dotted)), _i);
    sb_clear(&dotted);
    sb_printf(&dotted, "dtypes.%s", info->full_name);
    ck_assert_int_eq(dtype_parse(sb_str(&dotted)), _i);
    ck_assert_uint_gt(info->bytes, 0);
    ck_assert_int_eq(dtype_is_float((DType)_i) + dtype_is_complex((DType)_i) +
                         dtype_is_exact((DType)_i), 1);
    sb_free(&dotted);
}
END_TEST

START_TEST(other_words_are_no_dtypes)
{
    ck_assert_int_eq(dtype_parse(S("torch.half")), DT_f16);
    ck_assert_int_eq(dtype_parse(S("long")), DT_i64);
    ck_assert_int_eq(dtype_parse(S("f33")), DT_none);
    ck_assert_int_eq(dtype_parse(S("")), DT_none);
    ck_assert_int_eq(dtype_parse(S("torch.")), DT_none);
}
END_TEST

START_TEST(devices_are_read_and_printed)
{
    static const struct {
        const char *text, *printed; /* NULL: refused */
    } rows[] = {{"cpu", "cpu"}, {"cuda", "cuda:0"}, {"cuda:3", "cuda:3"}, {"meta", "meta"},
                {"cpu:0", "cpu"}, {"cuda:", NULL}, {"cuda:-1", NULL}, {"cuda:256", NULL},
                {"tpu", NULL}, {"", NULL}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        Device d;
        StrBuf out = {0};
        bool ok = device_parse(str_from(rows[i].text), &d);
        ck_assert_msg(ok == (rows[i].printed != NULL), "%s", rows[i].text);
        if (ok) {
            device_print(d, &out);
            ck_text(sb_str(&out), rows[i].printed);
        }
        sb_free(&out);
    }
}
END_TEST

START_TEST(types_print_as_in_trace_text)
{
    StrBuf out = {0};
    static const int64_t shape[] = {0, 7};
    Type tensor = type_tensor(t, DT_bf16, (Device){DEV_cuda, 1}, 2, shape);
    Type scalar = type_tensor(t, DT_b8, (Device){DEV_cpu, 0}, 0, NULL);
    Type number = type_number(DT_f64);
    Arg half = A_FLOAT(0.5);
    type_print(&tensor, NULL, &out);
    sb_puts(&out, "; ");
    type_print(&scalar, NULL, &out);
    sb_puts(&out, "; ");
    type_print(&number, NULL, &out);
    sb_puts(&out, "; ");
    type_print(&number, &half, &out);
    ck_text(sb_str(&out), "cuda:1 bf16[0, 7]; cpu b8[]; float ?; float 0.5");
    ck_assert_int_eq(type_numel(&tensor), 0);
    ck_assert_int_eq(type_numel(&scalar), 1);
    ck_assert_int_eq(type_bytes(&value_at(t, x)->type), 24);
    sb_free(&out);
}
END_TEST

/* --------------------------------------------------------------------------------- arguments */

/* Two of each kind of argument, all different from one another. */
static uint32_t sample_args(Arg out[40])
{
    const Arg items[] = {A_INT(1), A_VALUE(x)}, other[] = {A_INT(1), A_VALUE(y)};
    const Arg args[] = {
        A_NONE, A_VALUE(x), A_VALUE(y), A_INT(1), A_INT(-1), A_BOOL(true), A_BOOL(false),
        A_FLOAT(1.0), A_FLOAT(0.0), A_FLOAT(-0.0), A_FLOAT(NAN), A_DTYPE(DT_f32), A_DTYPE(DT_f64),
        A_DEVICE(((Device){DEV_cpu, 0})), A_DEVICE(((Device){DEV_cuda, 0})),
        arg_string(t, S("sum")), arg_string(t, S("mean")), arg_string(t, S("")),
        arg_tuple(t, items, 2), arg_tuple(t, other, 2), arg_tuple(t, items, 1),
        arg_list(t, items, 2), arg_tuple(t, NULL, 0), arg_list(t, NULL, 0),
        arg_slice(t, A_INT(0), A_NONE, A_NONE), arg_slice(t, A_NONE, A_NONE, A_NONE),
        arg_complex(t, 1, 2), arg_complex(t, 1, -2), (Arg){.kind = ARG_ellipsis}};
    memcpy(out, args, sizeof args);
    return ARRAY_LEN(args);
}

START_TEST(arguments_equal_only_themselves)
{
    Arg args[40], again[40];
    uint32_t n = sample_args(args);
    sample_args(again);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            ck_assert_msg(arg_equal(args[i], again[k]) == (i == k), "%u and %u", i, k);
            if (i == k)
                ck_assert_uint_eq(arg_hash(args[i], 5), arg_hash(again[k], 5));
        }
}
END_TEST

START_TEST(hashes_tell_sample_arguments_apart)
{
    Arg args[40];
    uint32_t n = sample_args(args);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            ck_assert_msg(arg_hash(args[i], 0) != arg_hash(args[k], 0), "%u and %u", i, k);
}
END_TEST

START_TEST(values_of_a_tree_come_in_order)
{
    const Arg inner[] = {A_VALUE(y), A_INT(3), A_VALUE(x)};
    const Arg outer[] = {A_VALUE(x), arg_list(t, inner, 3), A_NONE};
    ValueId got[2] = {0};
    ck_assert_uint_eq(arg_values(arg_tuple(t, outer, 3), got, 2), 3); /* counts past max */
    ck_assert(got[0] == x && got[1] == y);
    ck_assert_uint_eq(arg_values(A_INT(1), got, 2), 0);
}
END_TEST

START_TEST(mapping_shares_what_does_not_change)
{
    const Arg inner[] = {A_VALUE(y), A_INT(3)};
    const Arg outer[] = {A_VALUE(x), arg_list(t, inner, 2)};
    Arg tree = arg_tuple(t, outer, 2);
    ValueId map[8] = {0};
    ck_assert_ptr_eq(arg_map(t, tree, map).items, tree.items);
    ck_assert_ptr_eq(arg_map(t, tree, NULL).items, tree.items);
    map[x] = y;
    Arg mapped = arg_map(t, tree, map);
    ck_assert(mapped.items[0].v == y && tree.items[0].v == x);
    ck_assert_ptr_eq(mapped.items[1].items, tree.items[1].items);
}
END_TEST

/* ------------------------------------------------------------------------------------ traces */

START_TEST(fresh_names_follow_the_kind_of_value)
{
    ck_text(value_at(t, add(x, y))->name, "t0");
    ValueId i = trace_add_value(t, type_number(DT_i64), (Str){0});
    ValueId f = trace_add_value(t, type_number(DT_f64), (Str){0});
    ValueId c = trace_add_value(t, (Type){.kind = VALUE_collection}, (Str){0});
    ck_text(value_at(t, i)->name, "i1");
    ck_text(value_at(t, f)->name, "f2");
    ck_text(value_at(t, c)->name, "C3");
    value_rename(t, i, S("size"));
    value_rename(t, i, S("again"));
    ck_text(value_at(t, i)->name, "size"); /* a name from the text stays */
    ck_text(value_at(t, x)->name, "x");
}
END_TEST

START_TEST(values_are_found_by_name)
{
    ValueId v = add(x, y);
    ck_assert_uint_eq(trace_find_value(t, S("t0")), v);
    ck_assert_uint_eq(trace_find_value(t, S("%t0")), v);
    ck_assert_uint_eq(trace_find_value(t, S("x")), x);
    ck_assert_uint_eq(trace_find_value(t, S("t99")), 0);
    ck_assert_uint_eq(trace_find_value(t, S("")), 0);
}
END_TEST

START_TEST(finishing_sets_producers_and_buries_the_dead)
{
    ValueId sum = add(x, y), orphan = trace_add_value(t, value_at(t, x)->type, (Str){0});
    t->output = A_VALUE(sum);
    trace_finish(t);
    ck_assert_uint_eq(value_at(t, x)->producer, NO_NODE);
    ck_assert_uint_eq(value_at(t, sum)->producer, 0);
    ck_assert_int_eq(value_at(t, orphan)->type.kind, VALUE_dead);
    ck_assert_int_eq(value_at(t, x)->type.kind, VALUE_tensor);
    ck_assert_uint_eq(t->norigins, t->nvalues);
}
END_TEST

START_TEST(the_producer_is_the_outermost_node)
{
    const Op *op = add_op("double", "a:T", "", decompose_double);
    Arg out = op_call(&b, op, (const Arg[]){A_VALUE(x)});
    add(out.v, y);
    t->output = out;
    trace_finish(t);
    ck_assert_uint_eq(t->nnodes, 3);
    ck_assert_uint_eq(t->nodes[0].span, 2);
    ck_assert_uint_eq(value_at(t, out.v)->producer, 0);
    ck_assert_uint_eq(t->nodes[1].op->id, PRIM_add);
    uint32_t tops = 0, subs = 0;
    for_top(t, n)
        tops++;
    for_sub(t, 0, n)
        subs++;
    ck_assert_uint_eq(tops, 2);
    ck_assert_uint_eq(subs, 1);
}
END_TEST

/* A derived trace in which the result of add is replaced by one of mul. */
static Trace *derived(ValueId *replaced, ValueId *by)
{
    *replaced = add(x, y);
    ValueId out = add(*replaced, x);
    t->output = A_VALUE(out);
    trace_finish(t);
    Trace *u = trace_derive(t);
    Build bu = {.t = u, .diag = &diag};
    *by = emit(&bu, mul, A_VALUE(x), A_VALUE(y)).v;
    ValueId *map = calloc(u->nvalues, sizeof *map);
    map[*replaced] = *by;
    trace_copy_node(u, t, 1, map);
    free(map);
    return u;
}

START_TEST(derived_traces_keep_numbers_and_names)
{
    ValueId replaced, by;
    Trace *u = derived(&replaced, &by);
    trace_finish(u);
    ck_assert_uint_eq(by, t->nvalues); /* appended after the parent's */
    for (ValueId v = 1; v < t->nvalues; v++)
        ck_assert(str_eq(value_get(u, v)->name, value_get(t, v)->name));
    ck_assert_uint_eq(u->nodes[1].args[0].v, by);
    ck_assert_uint_eq(t->nodes[1].args[0].v, replaced);
    ck_assert(!str_eq(value_get(u, by)->name, value_get(u, replaced)->name));
    ck_assert_int_eq(value_get(u, replaced)->type.kind, VALUE_dead);
    ck_assert_uint_eq(trace_find_value(u, value_get(u, by)->name), by);
    ck_assert(trace_verify(u, &diag));
    trace_unref(u);
}
END_TEST

START_TEST(derived_traces_keep_their_parent_alive)
{
    ValueId replaced, by;
    Trace *u = derived(&replaced, &by);
    trace_finish(u);
    trace_unref(t);
    ck_assert_uint_eq(u->parent->nnodes, 2); /* read after the last other reference went */
    ck_text(value_get(u, x)->name, "x");
    t = trace_ref(u->parent);
    trace_unref(u);
}
END_TEST

START_TEST(origins_are_kept_and_merged)
{
    ValueId replaced, by, self[1];
    Trace *u = derived(&replaced, &by);
    uint32_t n;
    const ValueId *o = value_origins(u, x, &n, self);
    ck_assert(n == 1 && o[0] == x);
    value_origins(u, by, &n, self);
    ck_assert_uint_eq(n, 0); /* made by the pass: stands for nothing yet */
    value_merge_origins(u, by, replaced);
    value_merge_origins(u, by, x);
    value_merge_origins(u, by, replaced);
    o = value_origins(u, by, &n, self);
    ck_assert(n == 2 && o[0] == x && o[1] == replaced); /* ascending, each once */
    trace_unref(u);
}
END_TEST

START_TEST(outputs_are_the_leaves_of_the_tree)
{
    const Arg pair[] = {A_VALUE(y), A_NONE};
    const Arg all[] = {A_VALUE(x), arg_tuple(t, pair, 2)};
    Arg out[4];
    t->output = arg_tuple(t, all, 2);
    ck_assert_uint_eq(trace_outputs(t, out, 4), 3);
    ck_assert(out[0].v == x && out[1].v == y && arg_is_none(out[2]));
    ck_assert_uint_eq(trace_outputs(t, out, 1), 3);
    Arg *entries = new_array(&t->arena, Arg, 4);
    entries[0] = arg_string(t, S("flat_args"));
    entries[1] = A_VALUE(y);
    entries[2] = arg_string(t, S("output"));
    entries[3] = A_VALUE(x);
    Arg dict = {.kind = ARG_dict, .n = 2, .items = entries};
    const Arg forward[] = {dict, arg_tuple(t, pair, 2)};
    t->output = arg_tuple(t, forward, 2);
    ck_assert_uint_eq(trace_outputs(t, out, 4), 1); /* Thunder's augmented forward */
    ck_assert_uint_eq(out[0].v, x);
}
END_TEST

/* f(x, y) = add(x, y) with one thing changed. */
static Trace *variant(int k)
{
    static const int64_t shape[] = {2, 3}, other[] = {3, 2};
    Trace *u = trace_new(&reg, k == 1 ? S("g") : S("f"));
    Build bu = {.t = u, .diag = &diag};
    Device cpu = {DEV_cpu, 0};
    ValueId p = trace_add_input(u, type_tensor(u, DT_f32, cpu, 2, k == 2 ? other : shape), S("x"));
    ValueId q = trace_add_input(u, type_tensor(u, k == 3 ? DT_f64 : DT_f32, cpu, 2,
                                               k == 2 ? other : shape),
                                k == 4 ? S("z") : S("y"));
    ValueId r = p;
    if (k == 3)
        r = emit(&bu, exp, A_VALUE(p)).v;
    else if (k == 5)
        r = emit(&bu, mul, A_VALUE(p), A_VALUE(q)).v;
    else if (k == 6)
        r = emit(&bu, add, A_VALUE(q), A_VALUE(p)).v;
    else
        r = emit(&bu, add, A_VALUE(p), A_VALUE(q)).v;
    if (k == 7)
        u->nodes[0].executor = "interp";
    if (k == 8)
        emit(&bu, exp, A_VALUE(r));
    u->output = k == 9 ? A_VALUE(p) : A_VALUE(r);
    trace_finish(u);
    return u;
}

START_TEST(traces_differ_when_anything_visible_does)
{
    Trace *one = variant(0), *two = variant(_i);
    StrBuf why = {0};
    ck_assert_msg(trace_equal(one, two, &why) == (_i == 0), "%s", sb_cstr(&why));
    ck_assert_msg((why.n > 0) == (_i != 0), "a reason is given");
    sb_free(&why);
    trace_unref(one);
    trace_unref(two);
}
END_TEST

/* ---------------------------------------------------------------------------------- building */

START_TEST(shape_errors_point_at_the_argument)
{
    Source src = {S("m.py"), S("add(x, z)")};
    static const int64_t shape[] = {3, 2};
    ValueId z = tensor_input("z", DT_f32, 2, shape);
    Span spans[] = {{&src, 4, 1}, {&src, 7, 1}};
    b.span = (Span){&src, 0, 9};
    b.arg_spans = spans;
    Arg out = emit(&b, add, A_VALUE(x), A_VALUE(z));
    ck_assert(arg_is_none(out) && b.failed);
    ck_assert_uint_eq(diag.nerrors, 1);
    ck_assert_uint_eq(diag.first->span.off, 7);
    ck_contains(diag.first->message.p, "add");
    ck_assert_uint_eq(t->nnodes, 0);
}
END_TEST

START_TEST(after_an_error_nothing_more_is_built)
{
    const Op *op = add_op("bad", "a:T", "", decompose_bad);
    Arg out = op_call(&b, op, (const Arg[]){A_VALUE(x)});
    ck_assert(arg_is_none(out) && b.failed);
    ck_assert(arg_is_none(emit(&b, add, A_VALUE(x), A_VALUE(y))));
    ck_assert_uint_eq(diag.nerrors, 1);
}
END_TEST

/* Into storage of its own, unless the operator is one that gives views. */
START_TEST(composites_that_return_an_argument_copy_it)
{
    OpRow row = {.name = "self", .signature = "a:T", .spellings = "", .help = "a test",
                 .flags = OP_VIEW, .decompose = decompose_identity};
    const Op *op[] = {add_op("same", "a:T", "", decompose_identity),
                      registry_add(&reg, LANG_torch, &row, NULL, &diag),
                      add_op("reshaped", "a:T", "", decompose_view)};
    const uint32_t last[] = {PRIM_clone, PRIM_shallow_copy, PRIM_clone};
    Arg out = A_NONE;
    for (size_t i = 0; i < ARRAY_LEN(op); i++) {
        out = op_call(&b, op[i], (const Arg[]){A_VALUE(x)});
        ck_assert_uint_ne(out.v, x);
        ck_assert_uint_eq(t->nodes[t->nnodes - 1].op->id, last[i]);
    }
    t->output = out;
    trace_finish(t);
    ck_assert(trace_verify(t, &diag));
}
END_TEST

START_TEST(results_known_at_load_leave_no_node)
{
    const Op *op = add_op("dim", "a:T", "", decompose_rank);
    ck_assert(arg_equal(op_call(&b, op, (const Arg[]){A_VALUE(x)}), A_INT(2)));
    ck_assert_uint_eq(t->nnodes, 0);
}
END_TEST

START_TEST(endless_decomposition_is_an_error)
{
    const Op *op = add_op("forever", "a:T", "", decompose_forever);
    op_call(&b, op, (const Arg[]){A_VALUE(x)});
    ck_assert(b.failed);
    ck_assert_uint_eq(diag.nerrors, 1);
}
END_TEST

/* -------------------------------------------------------------------------------------- laws */

static void two_nodes(void)
{
    ValueId sum = add(x, y);
    t->output = A_VALUE(add(sum, x));
    trace_finish(t);
}

/* Argument arrays never change; here one is broken on purpose. */
static void break_arg(NodeId n, uint32_t i, Arg a)
{
    Arg *args = arena_copy(&t->arena, t->nodes[n].args, t->nodes[n].nargs * sizeof *args);
    args[i] = a;
    t->nodes[n].args = args;
}

static void law_use_before_definition(void)
{
    break_arg(0, 1, t->nodes[1].out);
}

static void law_missing_value(void)
{
    break_arg(1, 0, A_VALUE(t->nvalues + 7));
}

static void law_no_value(void)
{
    break_arg(1, 0, A_VALUE(0));
}

static void law_two_producers(void)
{
    t->nodes[1].out = t->nodes[0].out;
    t->output = t->nodes[0].out;
}

static void law_wrong_type(void)
{
    t->values[t->nodes[0].out.v].type.dtype = DT_f64;
}

static void law_bad_argument(void)
{
    static const int64_t shape[] = {5};
    t->values[y].type.shape = shape;
    t->values[y].type.rank = 1;
}

static void law_bad_span(void)
{
    t->nodes[1].span = 9;
}

static void law_zero_span(void)
{
    t->nodes[0].span = 0;
}

static void law_output(void)
{
    t->output = A_VALUE(t->nvalues);
}

static void law_deleted(void)
{
    Node del = {.op = registry_op(&reg, PRIM_python_del), .nargs = 1, .span = 1};
    const Arg gone[] = {A_VALUE(x)};
    const Arg args[] = {arg_tuple(t, gone, 1)};
    Node last = t->nodes[1];
    del.args = arena_copy(&t->arena, args, sizeof args);
    t->nodes[1] = del;
    trace_add_node(t, last);
}

static void law_results(void)
{
    t->nodes[1].out = A_NONE;
    t->output = A_NONE;
}

static const struct {
    const char *name;
    void (*violate)(void);
    const char *code, *message;
} laws[] = {
    {"used before defined", law_use_before_definition, "use-before-definition", "used before"},
    {"no such value", law_missing_value, "bad-value", "does not exist"},
    {"value number 0", law_no_value, "bad-value", "does not exist"},
    {"two producers", law_two_producers, "two-producers", "t0 is produced twice"},
    {"type is not the rule's", law_wrong_type, "wrong-type", "the shape rule says cpu f32[2, 3]"},
    {"arguments that the rule refuses", law_bad_argument, "bad-argument", ""},
    {"sub-nodes past the end", law_bad_span, "bad-span", "past the end"},
    {"empty span", law_zero_span, "bad-span", "past the end"},
    {"output of nothing", law_output, "bad-value", "does not exist"},
    {"used after del", law_deleted, "use-before-definition", "after del"},
    {"results missing", law_results, "wrong-type", "has 0 results"},
};

START_TEST(each_broken_law_is_found)
{
    two_nodes();
    ck_assert(trace_verify(t, &diag));
    ck_assert_uint_eq(diag.nitems, 0);
    laws[_i].violate();
    t->made_by = S("Some Pass");
    ck_assert_msg(!trace_verify(t, &diag), "not found: %s", laws[_i].name);
    const DiagItem *item = diag_with_code(&diag, laws[_i].code);
    ck_assert_msg(item != NULL, "%s: no error [%s]", laws[_i].name, laws[_i].code);
    ck_contains(item->message.p, laws[_i].message);
    ck_contains(item->where.p, "made by Some Pass");
    ck_assert_int_eq(item->kind, DIAG_compile);
}
END_TEST

START_TEST(values_inside_a_composite_stay_inside)
{
    const Op *op = add_op("double", "a:T", "", decompose_double);
    Arg out = op_call(&b, op, (const Arg[]){A_VALUE(x)});
    ValueId inner = trace_add_value(t, value_at(t, x)->type, S("inner"));
    Node sub = t->nodes[1];
    sub.out = A_VALUE(inner);
    trace_add_node(t, t->nodes[1]); /* double { inner = add; out = add } */
    t->nodes[1] = sub;
    t->nodes[0].span = 3;
    t->output = out;
    trace_finish(t);
    ck_assert(trace_verify(t, &diag));
    t->output = A_VALUE(inner);
    ck_assert(!trace_verify(t, &diag));
    ck_error(&diag, "use-before-definition");
}
END_TEST

START_TEST(composites_must_compute_what_they_return)
{
    const Op *op = add_op("double", "a:T", "", decompose_double);
    Arg out = op_call(&b, op, (const Arg[]){A_VALUE(x)});
    ValueId inner = trace_add_value(t, value_at(t, x)->type, S("inner"));
    t->nodes[1].out = A_VALUE(inner);
    t->output = out;
    trace_finish(t);
    ck_assert(!trace_verify(t, &diag));
    ck_error(&diag, "use-before-definition");
}
END_TEST

static TCase *checked_case(Suite *s, const char *name)
{
    TCase *c = tcase_create(name);
    tcase_add_checked_fixture(c, setup, teardown);
    suite_add_tcase(s, c);
    return c;
}

int main(void)
{
    Suite *s = suite_create("ir");
    TCase *c = checked_case(s, "operators");
    tcase_add_test(c, every_prim_is_complete);
    tcase_add_test(c, templates_name_their_operands);
    tcase_add_test(c, operators_are_found_by_any_spelling);
    tcase_add_test(c, names_of_thunders_executors_are_prims);
    tcase_add_test(c, a_name_is_taken_once);
    tcase_add_test(c, malformed_signatures_are_refused);
    tcase_add_test(c, the_nearest_spelling_is_offered);
    c = checked_case(s, "binding");
    tcase_add_test(c, arguments_take_their_canonical_places);
    tcase_add_test(c, variadic_parameters_take_the_rest);
    tcase_add_test(c, the_first_fitting_candidate_is_taken);
    tcase_add_loop_test(c, misfits_say_which_argument_and_why, 0, (int)ARRAY_LEN(misfits));
    c = checked_case(s, "types");
    tcase_add_loop_test(c, dtypes_are_read_by_all_their_names, 0, DT_COUNT);
    tcase_add_test(c, other_words_are_no_dtypes);
    tcase_add_test(c, devices_are_read_and_printed);
    tcase_add_test(c, types_print_as_in_trace_text);
    c = checked_case(s, "arguments");
    tcase_add_test(c, arguments_equal_only_themselves);
    tcase_add_test(c, hashes_tell_sample_arguments_apart);
    tcase_add_test(c, values_of_a_tree_come_in_order);
    tcase_add_test(c, mapping_shares_what_does_not_change);
    c = checked_case(s, "traces");
    tcase_add_test(c, fresh_names_follow_the_kind_of_value);
    tcase_add_test(c, values_are_found_by_name);
    tcase_add_test(c, finishing_sets_producers_and_buries_the_dead);
    tcase_add_test(c, the_producer_is_the_outermost_node);
    tcase_add_test(c, derived_traces_keep_numbers_and_names);
    tcase_add_test(c, derived_traces_keep_their_parent_alive);
    tcase_add_test(c, origins_are_kept_and_merged);
    tcase_add_test(c, outputs_are_the_leaves_of_the_tree);
    tcase_add_loop_test(c, traces_differ_when_anything_visible_does, 0, 10);
    c = checked_case(s, "building");
    tcase_add_test(c, shape_errors_point_at_the_argument);
    tcase_add_test(c, after_an_error_nothing_more_is_built);
    tcase_add_test(c, composites_that_return_an_argument_copy_it);
    tcase_add_test(c, results_known_at_load_leave_no_node);
    tcase_add_test(c, endless_decomposition_is_an_error);
    c = checked_case(s, "laws");
    tcase_add_loop_test(c, each_broken_law_is_found, 0, (int)ARRAY_LEN(laws));
    tcase_add_test(c, values_inside_a_composite_stay_inside);
    tcase_add_test(c, composites_must_compute_what_they_return);
    return run_suite(s);
}
