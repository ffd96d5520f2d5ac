/*
 * check_ops_fuzz.c - every operator called with arguments of any kind.
 *
 * Whatever the arguments are, a call ends with a diagnostic or with a trace that obeys the laws and
 * runs, or fails to run with a diagnostic. The choices come from a fixed seed, so a failure
 * repeats; the time is bounded. Run it under the sanitizers.
 */
#include "session_fixture.h"

#include "lang.h"

#include <math.h>
#include <time.h>

enum { CALLS = 25, MAX_ELEMENTS = 1 << 16 };

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % n);
}

/* ------------------------------------------------------------------------------------ arguments */

/* Shapes of one call resemble each other: else hardly any call would be accepted. */
static int64_t common[4];

static Arg any_tensor(Build *b)
{
    static const DType dtypes[] = {DT_f32, DT_f32, DT_f32, DT_i64,  DT_b8,
                                   DT_bf16, DT_f64, DT_u8, DT_c64, DT_i32};
    uint32_t rank = below(8) ? below(4) : below(6), rare = below(6);
    int64_t shape[6];
    if (b->t->ninputs && below(3) == 0) /* one that is there already */
        return A_VALUE(b->t->inputs[below(b->t->ninputs)]);
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = rare ? common[i % 4] : below(5);
    DType dtype = below(3) ? DT_f32 : dtypes[below(ARRAY_LEN(dtypes))];
    Type t = type_tensor(b->t, dtype, (Device){DEV_cpu, 0}, rank, shape);
    return A_VALUE(trace_add_input(b->t, t, (Str){0}));
}

static Arg any_int(void)
{
    static const int64_t odd[] = {-1, 0, 1, 2, 3, 7, -4, 1 << 20, INT32_MAX, INT64_MAX, INT64_MIN};
    return A_INT(below(4) ? (int64_t)below(5) - 1 : odd[below(ARRAY_LEN(odd))]);
}

static Arg any_number(void)
{
    static const double odd[] = {0.5, 1, 0, -1, 1e-5, 2, 1e300, -1e300, INFINITY, NAN};
    return below(2) ? any_int() : A_FLOAT(odd[below(ARRAY_LEN(odd))]);
}

static Arg any_arg(Build *b, uint32_t depth);

static Arg any_seq(Build *b, Arg (*item)(Build *b, uint32_t depth), uint32_t depth)
{
    Arg items[4];
    uint32_t n = below(5);
    for (uint32_t i = 0; i < n && i < 4; i++)
        items[i] = item(b, depth + 1);
    n = n > 4 ? 4 : n;
    return below(2) ? arg_tuple(b->t, items, n) : arg_list(b->t, items, n);
}

static Arg int_item(Build *b, uint32_t depth)
{
    (void)b, (void)depth;
    return any_int();
}

static Arg tensor_item(Build *b, uint32_t depth)
{
    (void)depth;
    return any_tensor(b);
}

static Arg any_str(Build *b)
{
    static const char *const words[] = {"none", "mean", "sum",    "ij,jk->ik", "",       "reflect",
                                        "tanh", "amax", "nearest", "bilinear", "constant", "a"};
    return arg_string(b->t, str_from(words[below(ARRAY_LEN(words))]));
}

static Arg any_arg(Build *b, uint32_t depth)
{
    switch (below(depth > 2 ? 8 : 11)) {
    case 0:
        return A_NONE;
    case 1:
        return any_int();
    case 2:
        return any_number();
    case 3:
        return A_BOOL(below(2));
    case 4:
        return any_str(b);
    case 5:
        return A_DTYPE(below(DT_COUNT));
    case 6:
        return A_DEVICE(((Device){DEV_cpu, 0}));
    case 7:
        return any_tensor(b);
    case 8:
        return any_seq(b, any_arg, depth);
    case 9:
        return any_seq(b, int_item, depth);
    default:
        return arg_slice(b->t, any_int(), any_int(), any_int());
    }
}

/* Mostly what the parameter is for, sometimes anything. */
static Arg arg_for(Build *b, const Param *p)
{
    if (below(20) == 0)
        return any_arg(b, 0);
    if (p->has_default && below(2))
        return p->dflt;
    switch ((ParamType)p->type) {
    case PT_tensor:
        return any_tensor(b);
    case PT_scalar:
        return below(3) ? any_tensor(b) : any_number();
    case PT_number:
        return any_number();
    case PT_int:
        return any_int();
    case PT_ints:
        return below(2) ? any_int() : any_seq(b, int_item, 0);
    case PT_tensors:
        return any_seq(b, tensor_item, 0);
    case PT_seq:
        return any_seq(b, below(2) ? int_item : tensor_item, 0);
    case PT_dtype:
        return A_DTYPE(below(DT_COUNT));
    case PT_str:
        return any_str(b);
    case PT_bool:
    case PT_true:
    case PT_false:
        return A_BOOL(below(2));
    case PT_any:
        break;
    }
    return any_arg(b, 0);
}

/* ------------------------------------------------------------------------------------- one call */

static bool is_small(const Trace *t)
{
    int64_t total = 0;
    for (ValueId v = 1; v < t->nvalues; v++) {
        int64_t n = type_numel(&t->values[v].type);
        if (n < 0 || n > MAX_ELEMENTS || (total += n) > 16 * MAX_ELEMENTS)
            return false;
    }
    return true;
}

static Tensor *filled(const Type *type)
{
    Tensor *t = tensor_new((DType)type->dtype, type->device, type->rank, type->shape);
    ck_assert_ptr_nonnull(t);
    for (int64_t i = 0, n = tensor_numel(t); i < n; i++)
        elem_set_f64((char *)tensor_data(t) + i * dtype_info[t->dtype].bytes, t->dtype,
                     (double)below(7) / (dtype_is_exact(t->dtype) ? 1 : 2) - (below(4) == 0));
    return t;
}

static void run_it(const Trace *t, const char *name)
{
    Tensor **inputs = calloc(t->ninputs + 1, sizeof *inputs);
    Diag said = {0};
    Run run;
    for (uint32_t i = 0; i < t->ninputs; i++)
        inputs[i] = filled(&t->values[t->inputs[i]].type);
    if (trace_run(s, t, inputs, NULL, &run, &said))
        run_free(&run);
    else
        ck_assert_msg(said.nerrors > 0, "%s fails without an error", name);
    for (uint32_t i = 0; i < t->ninputs; i++)
        tensor_unref(inputs[i]);
    free(inputs);
    diag_clear(&said);
}

/* Gives whether the call was accepted. */
static bool call(const Op *op)
{
    Diag said = {0};
    Trace *t = trace_new(session_registry(s), S("fuzz"));
    Build b = {.t = t, .diag = &said};
    Arg args[MAX_PARAMS];
    for (int i = 0; i < 4; i++)
        common[i] = 1 + below(4);
    for (uint32_t i = 0; i < op->sig.n; i++)
        args[i] = arg_for(&b, &op->sig.params[i]);
    Spelling self = {.name = str_from(op->name), .op = op, .sig = op->sig};
    Arg bound[MAX_PARAMS];
    Span spans[MAX_PARAMS];
    uint32_t npos = 0;
    while (npos < op->sig.n && !op->sig.params[npos].keyword_only && !op->sig.params[npos].variadic)
        npos++;
    Str names[MAX_PARAMS];
    for (uint32_t i = npos; i < op->sig.n; i++)
        names[i - npos] = op->sig.params[i].name;
    op = op_bind(&b, &self, args, npos, names, args + npos, op->sig.n - npos, NULL, bound, spans);
    t->output = op ? op_call(&b, op, bound) : A_NONE;
    bool good = !b.failed;
    if (!good) {
        ck_assert_msg(said.nerrors > 0, "%.*s fails without an error", STR(self.name));
    } else {
        trace_finish(t);
        bool lawful = trace_verify(t, &said);
        StrBuf text = {0};
        diag_render_all(&said, false, &text);
        ck_assert_msg(lawful, "%.*s: %s", STR(self.name), text.n ? sb_cstr(&text) : "");
        sb_free(&text);
        if (is_small(t))
            run_it(t, self.op->name);
    }
    diag_clear(&said);
    trace_unref(t);
    return good;
}

static bool is_called(const Op *op)
{
    return !(op->flags & (OP_UNPACK | OP_CONTROL));
}

/* Each operator in a process of its own, so that a crash names it. */
START_TEST(any_arguments)
{
    const Registry *reg = session_registry(s);
    state += (uint64_t)_i * 0x2545f4914f6cdd1du;
    if ((uint32_t)_i >= reg->n || !is_called(reg->ops[_i]))
        return;
    clock_t end = clock() + CLOCKS_PER_SEC / 2;
    for (int k = 0; k < CALLS && clock() < end; k++)
        call(reg->ops[_i]);
}
END_TEST

/* What is never accepted is hardly tested. */
START_TEST(most_operators_take_some_arguments)
{
    const Registry *reg = session_registry(s);
    uint32_t never = 0, rows = 0;
    for (uint32_t i = 0; i < reg->n; i++) {
        bool accepted = false;
        if (!is_called(reg->ops[i]))
            continue;
        for (int k = 0; k < CALLS && !accepted; k++)
            accepted = call(reg->ops[i]);
        rows++;
        never += !accepted;
    }
    ck_assert_uint_gt(rows, 500);
    ck_assert_msg(never * 2 < rows, "%u of %u operators never took their arguments", never, rows);
}
END_TEST

static int count_operators(void)
{
    setup();
    int n = (int)session_registry(s)->n;
    teardown();
    return n;
}

int main(void)
{
    Suite *suite = suite_create("ops_fuzz");
    TCase *t = tcase_create("ops_fuzz");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 100);
    tcase_add_test(t, most_operators_take_some_arguments);
    tcase_add_loop_test(t, any_arguments, 0, count_operators());
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
