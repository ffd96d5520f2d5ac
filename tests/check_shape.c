/*
 * check_shape.c - promises of the shape rules: result types, refusals that name the argument, and
 * that no argument of any kind makes a rule crash.
 */
#include "prim_lab.h"

#include "shape.h"

static PrimLab lab;

static void setup(void)
{
    lab_open(&lab);
}

static void teardown(void)
{
    lab_close(&lab);
}

/* Operands are given by type only: "f32[2,3]". */
typedef struct Case {
    const char *call, *in[4], *says; /* the type of the result, or what the error says */
} Case;

static const Case typed[] = {
    {"prims.convert_element_type(a, torch.int8)", {"f32[2]"}, "i8[2]"},
    {"prims.device_put(a, torch.device('cuda:1'))", {"f32[2]"}, "cuda:1 f32[2]"},
    {"prims.item(a)", {"bf16[1,1]"}, "float"},
    {"prims.item(a)", {"b8[]"}, "bool"},
    {"prims.copy_(a, b)", {"i64[2]", "f32[2]"}, "f32[2]"},
    {"prims.iota(5, start=0, step=1, device='cpu', dtype=torch.int32)", {0}, "i32[5]"},
    {"prims.tensor_from_sequence([[1], [2]], device='cpu', dtype=torch.float32)", {0}, "f32[2, 1]"},
    {"prims.broadcast_in_dim(a, (4, 2, 3), (1, 2))", {"f32[1,3]"}, "f32[4, 2, 3]"},
    {"prims.cat([a, b, a], 1)", {"f32[2,1]", "f32[2,3]"}, "f32[2, 5]"},
    {"prims.slice_prim(a, (1, 0), (5, 4), (2, 3))", {"f32[5,4]"}, "f32[2, 2]"},
    {"prims.unfold(a, 0, 3, 2)", {"f32[8,2]"}, "f32[3, 2, 3]"},
    {"prims.pad(a, 0.0, ((1, 2, 3), (-1, 0, 0)))", {"f32[2,4]"}, "f32[8, 3]"},
    {"prims.reshape(a, (0, 7))", {"f32[0]"}, "f32[0, 7]"},
    {"prims.abs(a)", {"c64[2]"}, "f32[2]"},
    {"prims.complex(a, b)", {"f64[2]", "f64[2]"}, "c128[2]"},
    {"prims.isfinite(a)", {"f32[2]"}, "b8[2]"},
    {"prims.lt(a, 3)", {"f32[2]"}, "b8[2]"},
    {"prims.add(1, 2.5)", {0}, "float"},
    {"prims.div(1, 2)", {0}, "int"},
    {"prims.add(True, True)", {0}, "int"},
    {"prims.sum(a, (0, 2))", {"f32[2,3,4]"}, "f32[3]"},
    {"prims.argmax(a, None)", {"f32[2,3]"}, "i64[]"},
    {"prims.var(a, (0,), correction=1)", {"c64[2]"}, "f32[]"},
    {"prims.topk(a, 2, 1, True, True)", {"bf16[3,5]"}, "bf16[3, 2]"},
    {"prims.kthvalue(a, 2, 1)", {"bf16[3,5]"}, "bf16[3, 1]"},
    {"prims.svd(a)", {"f32[7,3,5]"}, "f32[7, 3, 3]"},
    {"prims.gather(a, b, 0)", {"f32[2,3]", "i64[5,2]"}, "f32[5, 2]"},
    {"prims.take(a, b, 1)", {"f32[2,3]", "i64[7]"}, "f32[2, 7]"},
    {"prims.index(a, [b, c])", {"f32[2,3,4]", "i64[5,1]", "i64[6]"}, "f32[5, 6, 4]"},
    {"prims.index(a, [b, None, c])", {"f32[2,3,4]", "i64[5]", "i64[5]"}, "f32[5, 3]"},
    {"prims.index(a, [None, b, c])", {"f32[2,3,4]", "i64[5]", "i64[5]"}, "f32[2, 5]"},
    {"prims.matmul(a, b)", {"f32[5,2,3]", "f32[5,3,4]"}, "f32[5, 2, 4]"},
    {"prims.matmul(a, b)", {"f32[3]", "f32[5,3,4]"}, "f32[5, 4]"},
    {"prims.linear(a, b, None)", {"f32[5,2,3]", "f32[4,3]"}, "f32[5, 2, 4]"},
    {"prims.convolution(a, b, None, (2, 1), (1, 0), (1, 2), False, (0, 0), 2)",
     {"f32[1,4,8,9]", "f32[6,2,3,3]"},
     "f32[1, 6, 4, 5]"},
    {"prims.convolution(a, b, None, (2,), (1,), (1,), True, (1,), 1)",
     {"f32[1,4,8]", "f32[4,6,3]"},
     "f32[1, 6, 16]"},
    {"prims.embedding(a, b)", {"i32[2,3]", "f32[10,4]"}, "f32[2, 3, 4]"},
};

static const Case refused[] = {
    {"prims.add(a, b)", {"f32[2]", "f32[3]"}, "'a' and 'b' have shapes [2] and [3]"},
    {"prims.add(a, b)", {"f32[2]", "f64[2]"}, "'a' and 'b' have dtypes f32 and f64"},
    {"prims.add(a, 1.5)", {"i64[2]"}, "argument 'b' is the float 1.5, which a tensor of i64"},
    {"prims.sub(a, b)", {"b8[2]", "b8[2]"}, "cpu b8[2]"},
    {"prims.neg(a)", {"b8[2]"}, "argument 'a' must be"},
    {"prims.exp(a)", {"i64[2]"}, "must be of a floating or complex dtype, not cpu i64[2]"},
    {"prims.erf(a)", {"c64[2]"}, "argument 'a' must be real"},
    {"prims.lt(a, b)", {"c64[2]", "c64[2]"}, "no order"},
    {"prims.floor(a)", {"c64[2]"}, "must be real"},
    {"prims.bitwise_and(a, b)", {"f32[2]", "f32[2]"}, "integers or bools"},
    {"prims.imag(a)", {"f32[2]"}, "must be complex"},
    {"prims.where(a, b, c)", {"f32[2]", "f32[2]", "f32[2]"}, "argument 'pred' must be of bools"},
    {"prims.bitcast(a, torch.float64)", {"i32[2]"}, "i32 has 4 bytes, f64 has 8"},
    {"prims.reshape(a, (5,))",
     {"f32[2,3]"},
     "shape [5] has another number of elements than [2, 3]"},
    {"prims.reshape(a, (-1,))", {"f32[2,3]"}, "negative size -1"},
    {"prims.transpose(a, (0, 0))", {"f32[2,3]"}, "names dimension 0 twice"},
    {"prims.transpose(a, (0,))", {"f32[2,3]"}, "has 1 dimensions, the tensor has 2"},
    {"prims.sum(a, (2,))", {"f32[2,3]"}, "a tensor of rank 2 has no dimension 2"},
    {"prims.sum(a, (-1,))", {"f32[2,3]"}, "has no dimension -1"},
    {"prims.amax(a, (0,))", {"f32[0,3]"}, "there is no element"},
    {"prims.argmax(a, None)", {"f32[0,3]"}, "there is no element"},
    {"prims.squeeze(a, (0,))", {"f32[2,3]"}, "dimension 0 has size 2"},
    {"prims.slice_prim(a, (0,), (4,), (1,))", {"f32[3]"}, "no elements from 0 to 4"},
    {"prims.slice_prim(a, (0,), (2,), (0,))", {"f32[3]"}, "must be at least 1, not 0"},
    {"prims.broadcast_in_dim(a, (2,), (0,))", {"f32[3]"}, "size 3 cannot be stretched to size 2"},
    {"prims.broadcast_in_dim(a, (2, 2), (1, 0))", {"f32[2,2]"}, "ascending"},
    {"prims.cat([a, b], 0)", {"f32[2,3]", "f32[2,2]"}, "element 1 of argument 'tensors'"},
    {"prims.cat([], 0)", {0}, "at least one tensor"},
    {"prims.unfold(a, 0, 4, 1)", {"f32[3]"}, "argument 'size' is 4"},
    {"prims.pad(a, 0.0, ((-2, -2, 0),))", {"f32[3]"}, "gives no size"},
    {"prims.pad(a, 0.5, ((0, 0, 0),))", {"i64[3]"}, "cannot hold"},
    {"prims.as_strided(a, (2, 2), (2, 2), 0)", {"f32[4]"}, "element 4 would be read"},
    {"prims.full((2,), 1, device='cpu', dtype=3)", {0}, "dtype"},
    {"prims.full((4611686018427387904, 4), 1, device='cpu', dtype=torch.int64)",
     {0},
     "too many elements"},
    {"prims.tensor_from_sequence([[1], [2, 3]], device='cpu', dtype=torch.float32)",
     {0},
     "rows of different length"},
    {"prims.randint_philox((2,), 5, 5, device='cpu', dtype=torch.int64, seed=0, offset=0)",
     {0},
     "must be larger than 'low'"},
    {"prims.uniform_philox((2,), 0, 1, device='cpu', dtype=torch.int64, seed=0, offset=0)",
     {0},
     "of floats, not i64"},
    {"prims.topk(a, 4, 0, True, True)", {"f32[3]"}, "argument 'k' is 4"},
    {"prims.kthvalue(a, 3, 0)", {"f32[3]"}, "argument 'k' is 3"},
    {"prims.kthvalue(a, 0, 0)", {"c64[3]"}, "must be real"},
    {"prims.svd(a)", {"f32[3]"}, "a matrix of f32 or f64"},
    {"prims.svd(a)", {"bf16[3,3]"}, "a matrix of f32 or f64"},
    {"prims.gather(a, b, 0)", {"f32[2,3]", "i64[5,4]"}, "reaches past 'a'"},
    {"prims.gather(a, b, 0)",
     {"f32[2]", "f32[2]"},
     "argument 'indices' must be a tensor of integers"},
    {"prims.scatter(a, b, c, 0)", {"f32[2]", "i64[2]", "f32[1]"}, "reaches past 'value'"},
    {"prims.index_add(a, b, c, 0)", {"f32[2]", "i64[2]", "f32[3]"}, "does not fit 2 slices"},
    {"prims.index(a, [b, c])", {"f32[2,3]", "i64[2]", "i64[3]"}, "cannot be broadcast together"},
    {"prims.index(a, [b])", {"f32[2]", "b8[2]"}, "depends on its data"},
    {"prims.index(a, [b, b])", {"f32[2]", "i64[1]"}, "more indices than the 1 dimensions"},
    {"prims.copy_with_setitem(a, 5, 0.0)", {"f32[3]"}, "index 5 is out of range"},
    {"prims.copy_with_setitem(a, (..., ...), 0.0)", {"f32[3]"}, "only one '...'"},
    {"prims.copy_with_setitem(a, b, 0.0)", {"f32[3]", "b8[2]"}, "a mask of shape [2] does not fit"},
    {"prims.copy_with_setitem(a, 0, b)", {"f32[3,2]", "f32[3]"}, "does not fit the selected [2]"},
    {"prims.matmul(a, b)",
     {"f32[2,3]", "f32[4,2]"},
     "shapes [2, 3] and [4, 2] cannot be multiplied"},
    {"prims.matmul(a, b)", {"f32[2,2,3]", "f32[3,3,2]"}, "the batch sizes differ"},
    {"prims.matmul(a, b)", {"f32[]", "f32[3]"}, "at least one dimension"},
    {"prims.matmul(a, b)", {"f32[2,3]", "f64[3,2]"}, "argument 'b' has dtype f64, but f32"},
    {"prims.linear(a, b, c)",
     {"f32[2,3]", "f32[4,3]", "f32[3]"},
     "argument 'bias' must have shape [4]"},
    {"prims.convolution(a, b, None, (1,), (0,), (1,), False, (0,), 1)",
     {"f32[1,2,3]", "f32[1,3,1]"},
     "takes 3 channels, 'a' has 2"},
    {"prims.convolution(a, b, None, (0,), (0,), (1,), False, (0,), 1)",
     {"f32[1,2,3]", "f32[1,2,1]"},
     "argument 'stride' must hold sizes from 1 on"},
    {"prims.convolution(a, b, None, (1,), (0,), (1,), False, (0,), 1)",
     {"f32[1,1,2]", "f32[1,1,3]"},
     "smaller than the kernel"},
    {"prims.embedding(a, b)", {"i64[2]", "f32[3]"}, "argument 'weight' must have rank 2"},
    {"prims.copy_(a, b)", {"f32[2]", "f32[3]"}, "cannot copy shape [2] into shape [3]"},
    {"prims.item(a)", {"f32[2]"}, "must have one element"},
};

static bool compile(const Case *c, Tensor **in)
{
    StrBuf text = {0};
    for (int i = 0; i < LAB_INPUTS; i++) {
        in[i] = NULL;
        if (i >= 4 || !c->in[i])
            continue;
        sb_clear(&text);
        sb_printf(&text, "%s 0", c->in[i]);
        in[i] = lab_tensor(sb_cstr(&text));
    }
    sb_free(&text);
    return lab_compile(&lab, c->call, in);
}

static void drop(Tensor **in)
{
    for (int i = 0; i < LAB_INPUTS; i++)
        tensor_unref(in[i]);
}

START_TEST(results_have_the_right_type)
{
    const Case *c = &typed[_i];
    Tensor *in[LAB_INPUTS];
    bool ok = compile(c, in);
    char *said = diag_text(&lab.d);
    ck_assert_msg(ok, "%s: %s", c->call, said);
    free(said);
    ck_assert(trace_verify(lab.t, &lab.d));
    ck_assert_uint_ge(trace_outputs(lab.t, lab.outputs, 8), 1);
    const Value *v = value_get(lab.t, lab.outputs[0].v);
    StrBuf type = {0};
    type_print(&v->type, &v->known, &type);
    ck_contains(sb_cstr(&type), c->says);
    sb_free(&type);
    drop(in);
}
END_TEST

START_TEST(refusals_say_which_argument)
{
    const Case *c = &refused[_i];
    Tensor *in[LAB_INPUTS];
    bool ok = compile(c, in);
    char *said = diag_text(&lab.d);
    ck_assert_msg(!ok, "%s is accepted", c->call);
    ck_contains(said, c->says);
    free(said);
    drop(in);
}
END_TEST

/* An error inside a composite or a prim points at the statement; of a prim, at the argument. */
START_TEST(the_caret_is_at_the_argument)
{
    Tensor *in[LAB_INPUTS] = {lab_tensor("f32[2,3] 0")};
    ck_assert(!lab_compile(&lab, "prims.reshape(a, (5, 1))", in));
    Span at = lab.d.first->span;
    ck_text(str_sub(at.src->text, at.off, at.len), "(5, 1)");
    drop(in);
}
END_TEST

/* ----------------------------------------------------------------------------- any argument at all
 */

static unsigned seed;

static uint32_t below(uint32_t n)
{
    return (uint32_t)rand_r(&seed) % n;
}

static Arg any_arg(Trace *t, int depth)
{
    static const int64_t ints[] = {0, 1, 2, 3, -1, 5, 64, 65, INT64_MAX, INT64_MIN, 1 << 20};
    static const double floats[] = {0, 0.5, -1, 1e300, INFINITY, NAN};
    switch (below(depth > 2 ? 11 : 15)) {
    case 0:
        return A_NONE;
    case 1:
        return A_INT(ints[below(ARRAY_LEN(ints))]);
    case 2:
        return A_FLOAT(floats[below(ARRAY_LEN(floats))]);
    case 3:
        return A_BOOL(below(2));
    case 4:
        return arg_complex(t, 1, 2);
    case 5:
        return arg_string(t, below(2) ? S("cuda:1") : S("nothing"));
    case 6:
        return A_DTYPE(below(DT_COUNT + 1));
    case 7:
        return A_DEVICE(((Device){(uint8_t)below(4), 0}));
    case 8:
        return (Arg){.kind = ARG_ellipsis};
    case 9:
        return A_VALUE(below(t->nvalues + 3));
    case 10:
        return arg_slice(t, A_NONE, below(2) ? A_INT(2) : A_FLOAT(1), A_INT((int64_t)below(3) - 1));
    default: {
        Arg items[5];
        uint32_t n = below(6);
        for (uint32_t i = 0; i < n; i++)
            items[i] = below(3) ? A_INT((int64_t)below(5)) : any_arg(t, depth + 1);
        return below(2) ? arg_tuple(t, items, n) : arg_list(t, items, n);
    }
    }
}

static Trace *trace_of_many_inputs(void)
{
    Trace *t = trace_new(&lab.reg, S("f"));
    for (int i = 0; i < 40; i++) {
        int64_t shape[5];
        uint32_t rank = below(6);
        for (uint32_t k = 0; k < rank; k++)
            shape[k] = below(4);
        DType d = (DType)below(DT_COUNT);
        trace_add_input(t, type_tensor(t, d, (Device){DEV_cpu, 0}, rank, shape), (Str){0});
    }
    trace_add_input(t, type_number(DT_i64), (Str){0});
    trace_add_input(t, type_number(DT_f64), (Str){0});
    trace_add_input(t, (Type){.kind = VALUE_collection, .dtype = DT_none}, (Str){0});
    trace_add_input(t, (Type){.kind = VALUE_str, .dtype = DT_none}, (Str){0});
    int64_t huge[2] = {INT64_MAX / 4, 3}, deep[MAX_RANK];
    for (int k = 0; k < MAX_RANK; k++)
        deep[k] = 1;
    trace_add_input(t, type_tensor(t, DT_f32, (Device){0}, 1, huge), (Str){0});
    trace_add_input(t, type_tensor(t, DT_i64, (Device){0}, MAX_RANK, deep), (Str){0});
    return t;
}

/* Half of the arguments are a tensor, so that rules get past their first question. */
START_TEST(rules_are_total)
{
    const Op *op = registry_op(&lab.reg, (uint32_t)_i);
    seed = (unsigned)_i + 17;
    uint32_t accepted = 0;
    for (int round = 0; round < 20; round++) {
        Trace *t = trace_of_many_inputs();
        for (int k = 0; k < 100; k++) {
            Arg args[MAX_PARAMS];
            Infer inf;
            for (uint32_t i = 0; i < op->sig.n; i++)
                args[i] = below(2) ? A_VALUE(1 + below(t->nvalues - 1)) : any_arg(t, 0);
            bool ok = op_infer(t, &t->arena, op, args, &inf);
            accepted += ok;
            ck_assert(ok || inf.error.n > 0);
            ck_assert(inf.bad_arg >= -1 && inf.bad_arg < (int)op->sig.n);
            for (uint32_t i = 0; ok && i < inf.nout; i++)
                ck_assert(inf.out[i].rank <= MAX_RANK);
        }
        trace_unref(t);
    }
    if (op->sig.n == 1 && !(op->flags & OP_OPAQUE) && op->id != PRIM_update_aliases)
        ck_assert_uint_gt(accepted, 0);
}
END_TEST

/* The plan of a key has the shape that Python's indexing has. */
START_TEST(keys_are_read_as_python_does)
{
    static const struct {
        const char *key, *shape;
    } keys[] = {
        {"0", "[3, 4]"},
        {"-1", "[3, 4]"},
        {"(0, slice(1, None, None))", "[2, 4]"},
        {"(slice(None, None, 2), 1)", "[1, 4]"},
        {"(..., 0)", "[2, 3]"},
        {"(None, 0, ..., None)", "[1, 3, 4, 1]"},
        {"slice(5, 9, None)", "[0, 3, 4]"},
        {"slice(-1, None, None)", "[1, 3, 4]"},
        {"(slice(None, None, None), b)", "[2, 5, 4]"},
        {"(b, slice(None, None, None), b)", "[5, 3]"},
        {"(b, 0, b)", "[5]"},
        {"(slice(None, None, None), b, b)", "[2, 5]"},
        {"(b, None, b)", "[5, 1, 4]"},
        {"(0, None, b)", "[1, 5, 4]"},
        {"()", "[2, 3, 4]"},
    };
    Tensor *in[LAB_INPUTS] = {lab_tensor("f32[2,3,4] 0"), lab_tensor("i64[5] 0")};
    StrBuf call = {0};
    sb_printf(&call, "prims.copy_with_setitem(a, %s, 0.0)", keys[_i].key);
    bool ok = lab_compile(&lab, sb_cstr(&call), in);
    char *said = diag_text(&lab.d);
    ck_assert_msg(ok, "%s: %s", keys[_i].key, said);
    free(said);
    const Node *n = &lab.t->nodes[0];
    Infer inf = {.t = lab.t, .arena = &lab.t->arena, .op = n->op, .args = n->args};
    IndexPlan plan;
    bool many = n->args[1].kind == ARG_tuple;
    ck_assert(index_plan(&inf, 1, &lab.t->values[lab.t->inputs[0]].type,
                         many ? n->args[1].items : &n->args[1], many ? n->args[1].n : 1, true,
                         &plan));
    sb_clear(&call);
    sb_putc(&call, '[');
    for (uint32_t i = 0; i < plan.rank; i++)
        sb_printf(&call, "%s%d", i ? ", " : "", (int)plan.shape[i]);
    sb_putc(&call, ']');
    ck_text(sb_str(&call), keys[_i].shape);
    sb_free(&call);
    drop(in);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("shape");
    TCase *rules = tcase_create("rules"), *total = tcase_create("total");
    tcase_add_checked_fixture(rules, setup, teardown);
    tcase_add_loop_test(rules, results_have_the_right_type, 0, ARRAY_LEN(typed));
    tcase_add_loop_test(rules, refusals_say_which_argument, 0, ARRAY_LEN(refused));
    tcase_add_test(rules, the_caret_is_at_the_argument);
    tcase_add_loop_test(rules, keys_are_read_as_python_does, 0, 15);
    tcase_add_checked_fixture(total, setup, teardown);
    tcase_add_loop_test(total, rules_are_total, 0, PRIM_COUNT);
    suite_add_tcase(s, rules);
    suite_add_tcase(s, total);
    return run_suite(s);
}
