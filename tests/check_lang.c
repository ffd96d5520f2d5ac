/*
 * check_lang.c - the torch language: its table, promotion, decompositions, in-place forms, errors.
 *
 * Input: programs and recorded result dtypes in tests/cases/lang. What is promised: every row of
 * the table is used by a sample whose trace obeys the laws; result dtypes are PyTorch's; a wrong
 * argument is pointed at; calls with arguments of any kind end in a trace or a diagnostic.
 */
#include "fold.h"
#include "front.h"
#include "clang_rows.h"
#include "lang.h"
#include "support.h"

#include <stdio.h>

#define CASES TEST_DIR "/cases/lang/"

static Registry reg;
static Diag d;

static void setup(void)
{
    d = (Diag){0};
    registry_init(&reg);
    lang_register(&reg, &d);
}

static void teardown(void)
{
    registry_free(&reg);
    diag_clear(&d);
}

static char *read_file(const char *path)
{
    StrBuf text = {0};
    add_file(path, &text);
    return text.p;
}

/* Acquires the only function of a text; NULL when there were errors. The source and the parsed file
 * are kept to the end of the test: spans and names point into them. */
static Source sources[64];
static FrontFile *files[64];
static uint32_t nsources;

static Trace *acquire(const char *text)
{
    ck_assert_uint_lt(nsources, ARRAY_LEN(sources));
    Source *src = &sources[nsources];
    *src = (Source){S("test.py"), str_from(text)};
    FrontFile *f = files[nsources++] = front_parse(src, &d);
    return front_count(f) == 1 ? front_acquire(front_function(f, 0), &reg, NULL, 0, NULL, &d)
                               : NULL;
}

static void drop_sources(void)
{
    while (nsources)
        front_free(files[--nsources]);
}

/* --------------------------------------------------------------------------------------- table */

START_TEST(every_row_is_complete)
{
    uint32_t rows = 0;
    ck_no_errors(&d);
    for (uint32_t i = 0; i < reg.n; i++) {
        const Op *op = reg.ops[i];
        if (op->language != LANG_torch)
            continue;
        char name[128];
        rows++;
        ck_assert_msg(op->help && op->help[0], "%s has no help", op->name);
        ck_assert_msg(op->decompose != NULL, "%s has no decomposition", op->name);
        snprintf(name, sizeof name, "ltorch.%s", op->name);
        const Spelling *s = registry_lookup(&reg, str_from(name));
        ck_assert_msg(s && s->op == op, "%s is not found by its name", name);
    }
    ck_assert_uint_gt(rows, 500);
}
END_TEST

START_TEST(every_spelling_names_an_operator)
{
    map_for_each(&reg.by_spelling, e) {
        const Spelling *s = e->cp;
        for (; s; s = s->next)
            for (uint32_t k = 0; k < s->sig.n; k++)
                ck_assert_msg(s->sig.params[k].target < (int)s->op->sig.n,
                              "%.*s: parameter %u leads nowhere", STR(s->name), k);
    }
}
END_TEST

static const char *const spellings_of_softmax[] = {"torch.softmax",
                                                   "torch.nn.functional.softmax",
                                                   "torch.Tensor.softmax",
                                                   "torch.ops.aten._softmax.default",
                                                   "torch.ops.aten.softmax.int",
                                                   "ltorch.softmax",
                                                   "ltorch._softmax",
                                                   "torch.special.softmax"};

START_TEST(an_operator_goes_by_all_its_names)
{
    const Op *softmax = registry_find(&reg, S("ltorch.softmax"));
    for (size_t i = 0; i < ARRAY_LEN(spellings_of_softmax); i++) {
        const Spelling *s = registry_lookup(&reg, str_from(spellings_of_softmax[i]));
        ck_assert_msg(s && s->op == softmax, "%s is not softmax", spellings_of_softmax[i]);
    }
    const Spelling *cast = registry_lookup(&reg, S("torch.ops.prims.convert_element_type.default"));
    ck_assert(cast && cast->op->id == PRIM_convert_element_type);
    ck_assert_ptr_null(registry_lookup(&reg, S("torch.sotfmax")));
    ck_text(registry_nearest(&reg, S("torch.sotfmax")), "torch.softmax");
}
END_TEST

/* -------------------------------------------------------------------------------------- samples */

static void mark_used(const Trace *t, const OpUses *uses, bool *used)
{
    for (NodeId n = 0; n < t->nnodes; n++)
        used[t->nodes[n].op->id] = true;
    for (uint32_t i = 0; i < uses->n; i++)
        if (uses->items[i].op)
            used[uses->items[i].op->id] = true;
}

/* The in-place form of a node's operator, called on the same operands: it may be refused (shape or
 * dtype of the target), but what it builds must obey the laws and end in a write. */
static void try_in_place(const Trace *t, NodeId n)
{
    char name[128];
    const Node *node = &t->nodes[n];
    snprintf(name, sizeof name, "ltorch.%s_", node->op->name);
    const Op *op = registry_find(&reg, str_from(name));
    if (!op || op->user != node->op)
        return;
    Trace *copy = trace_derive(t);
    Diag local = {0};
    Build b = {.t = copy, .diag = &local};
    for (NodeId i = 0; i < n; i += t->nodes[i].span)
        trace_copy_node(copy, t, i, NULL);
    copy->output = op_call(&b, op, node->args);
    if (b.failed) {
        ck_assert_uint_eq(local.nerrors, 1);
    } else {
        trace_finish(copy);
        trace_verify(copy, &local);
        ck_no_errors(&local);
        ck_assert_uint_eq(copy->nodes[copy->nnodes - 1].op->id, PRIM_copy_);
    }
    diag_clear(&local);
    trace_unref(copy);
}

static void check_samples(const char *path, bool *used)
{
    char *text = read_file(path);
    Source src = {str_from(path), str_from(text)};
    FrontFile *f = front_parse(&src, &d);
    ck_no_errors(&d);
    for (uint32_t i = 0; i < front_count(f); i++) {
        OpUses uses = {0};
        Trace *t = front_acquire(front_function(f, i), &reg, NULL, 0, &uses, &d);
        ck_no_errors(&d);
        trace_verify(t, &d);
        ck_no_errors(&d);
        mark_used(t, &uses, used);
        for_top(t, n)
            try_in_place(t, n);
        op_uses_free(&uses);
        trace_unref(t);
    }
    front_free(f);
    free(text);
}

/* Operators that answer with a literal (x.dtype, x.dim()) leave no node to be seen. */
static bool answers_with_a_literal(const Op *op)
{
    const int64_t shape[2] = {3, 4};
    Trace *t = trace_new(&reg, S("f"));
    Build b = {.t = t, .diag = &d};
    ValueId x =
        trace_add_input(t, type_tensor(t, DT_f32, (Device){DEV_cpu, 0}, 2, shape), (Str){0});
    Arg args[MAX_PARAMS] = {A_VALUE(x)};
    bool one = op->sig.n >= 1;
    for (uint32_t i = 1; i < op->sig.n; i++) {
        args[i] = op->sig.params[i].dflt;
        one = one && op->sig.params[i].has_default;
    }
    bool literal = one && arg_values(op_call(&b, op, args), NULL, 0) == 0 && t->nnodes == 0;
    ck_no_errors(&d);
    trace_unref(t);
    return literal;
}

START_TEST(every_row_has_a_sample_that_obeys_the_laws)
{
    bool *used = calloc(reg.n, sizeof *used);
    check_samples(CASES "samples.py", used);
    check_samples(CASES "samples_more.py", used);
    for (uint32_t i = 0; i < reg.n; i++) {
        const Op *op = reg.ops[i];
        if (op->language == LANG_torch && !op->user)
            ck_assert_msg(used[i] || answers_with_a_literal(op), "%s is in no sample", op->name);
    }
    free(used);
}
END_TEST

/* -------------------------------------------------------------------------------- core language */

START_TEST(every_name_of_the_core_language_is_a_row)
{
    char *text = read_file(CASES "clang_names.txt");
    Str rest = str_from(text);
    uint32_t n = 0;
    while (rest.n) {
        Str name = str_cut(&rest, '\n');
        const ClangRow *row = clang_find(name);
        Signature sig;
        ck_assert_msg(row != NULL, "clang.%.*s is missing", STR(name));
        ck_assert(signature_parse(&reg.arena, clang_signature(row), NULL, &sig, &d));
        n++;
    }
    ck_no_errors(&d);
    ck_assert_uint_ge(n, 110);
    free(text);
}
END_TEST

/* On what op_sample would try: rows take what their signatures say, and leave prims. */
static bool try_row(const ClangRow *row, const Dims *shape, DType dtype, uint32_t number)
{
    Diag local = {0};
    Op op = {.name = row->name, .language = LANG_torch, .decompose = row->build};
    ck_assert(signature_parse(&reg.arena, clang_signature(row), NULL, &op.sig, &d));
    Trace *t = op_sample_of(&reg, &op, shape, dtype, number);
    bool good = t && t->nnodes;
    for (NodeId n = 1; good && n < t->nnodes; n++)
        ck_assert_msg(t->nodes[n].op->language == LANG_prims, "clang.%s leaves %s", row->name,
                      t->nodes[n].op->name);
    if (good)
        trace_verify(t, &local);
    ck_no_errors(&local);
    trace_unref(t);
    return good;
}

START_TEST(rows_of_the_core_language_leave_prims)
{
    static const Dims shapes[] = {{2, {2, 3}}, {1, {4}}, {3, {2, 3, 4}}, {0, {0}}, {2, {3, 3}}};
    static const DType dtypes[] = {DT_f32, DT_i64, DT_b8};
    uint32_t built = 0, all = 0;
    for (; clang_row(all); all++) {
        bool good = false;
        for (uint32_t i = 0; i < 5 * 3 * SAMPLE_NUMBERS && !good; i++)
            good = try_row(clang_row(all), &shapes[i % 5], dtypes[i / 5 % 3], i / 15);
        built += good;
    }
    ck_assert_msg(built + 20 >= all, "only %u of %u rows were built", built, all);
}
END_TEST

/* ------------------------------------------------------------------------------------ promotion */

/* "f32[3]" as a new input, "2.5" as a number. */
static Arg operand(Trace *t, Str word)
{
    size_t bracket = str_find(word, '[', 0);
    int64_t three = 3, i;
    double f;
    if (bracket != SIZE_MAX) {
        DType dt = dtype_parse(str_sub(word, 0, bracket));
        uint32_t rank = bracket + 2 < word.n;
        return A_VALUE(
            trace_add_input(t, type_tensor(t, dt, (Device){DEV_cpu, 0}, rank, &three), (Str){0}));
    }
    if (str_is(word, "True"))
        return A_BOOL(true);
    if (str_to_i64(word, &i))
        return A_INT(i);
    ck_assert(str_to_f64(word, &f));
    return A_FLOAT(f);
}

START_TEST(result_dtypes_are_those_of_pytorch)
{
    char *text = read_file(CASES "promotion.txt");
    Str rest = str_from(text);
    uint32_t cases = 0;
    while (rest.n) {
        Str line = str_cut(&rest, '\n'), name = str_cut(&line, ' ');
        Str left = str_cut(&line, ' '), right = str_cut(&line, ' ');
        char qualified[64];
        snprintf(qualified, sizeof qualified, "ltorch.%.*s", STR(name));
        const Op *op = registry_find(&reg, str_from(qualified));
        Trace *t = trace_new(&reg, S("f"));
        Build b = {.t = t, .diag = &d};
        Arg args[MAX_PARAMS] = {operand(t, left), operand(t, right)};
        for (uint32_t i = 2; i < op->sig.n; i++)
            args[i] = op->sig.params[i].dflt;
        Arg r = op_call(&b, op, args);
        ck_no_errors(&d);
        Type type = arg_type(&b, r);
        ck_assert_msg(type.dtype == dtype_parse(line), "%s(%.*s, %.*s) is %s, not %.*s", qualified,
                      STR(left), STR(right), dtype_info[type.dtype].name, STR(line));
        trace_unref(t);
        cases++;
    }
    ck_assert_uint_gt(cases, 1000);
    free(text);
}
END_TEST

/* --------------------------------------------------------------------------------------- numbers
 */

static const struct {
    const char *text, *type;
} literals[] = {
    {"x.size(0) + x.size(1) * 2", "int 11"},
    {"7 // 2", "int 3"},
    {"-7 // 2", "int -4"},
    {"-7 % 3", "int 2"},
    {"2 ** 10", "int 1024"},
    {"7 / 2", "float 3.5"},
    {"x.shape[1] == 4", "bool True"},
    {"x.dim() - 1", "int 1"},
    {"x.numel()", "int 12"},
};

START_TEST(arithmetic_on_sizes_is_done_while_loading)
{
    for (size_t i = 0; i < ARRAY_LEN(literals); i++) {
        char text[256];
        snprintf(text, sizeof text, "def f(x: \"f32[3, 4]\"):\n    return (%s,)\n",
                 literals[i].text);
        Trace *t = acquire(text);
        ck_no_errors(&d);
        Build b = {.t = t, .diag = &d};
        Arg out;
        ck_assert_uint_eq(trace_outputs(t, &out, 1), 1);
        Type type = arg_type(&b, out);
        StrBuf have = {0};
        type_print(&type, &out, &have);
        ck_text(sb_str(&have), literals[i].type);
        ck_assert_uint_eq(t->nnodes, 0);
        sb_free(&have);
        trace_unref(t);
    }
    drop_sources();
}
END_TEST

/* -------------------------------------------------------------------------------- decompositions
 */

static void prims_of(const Trace *t, StrBuf *out)
{
    for (NodeId n = 0; n < t->nnodes; n++)
        if (t->nodes[n].span == 1)
            sb_printf(out, "%s%s", out->n ? " " : "", t->nodes[n].op->name);
}

static const struct {
    const char *expression, *prims;
} decompositions[] = {
    {"x + x", "add"},
    {"x + 1", "add"},
    {"x + v", "broadcast_in_dim add"},
    {"h + h", "convert_element_type convert_element_type add convert_element_type"},
    {"x * i", "convert_element_type mul"},
    {"torch.nn.functional.linear(x, w, None)", "linear"},
    {"x.transpose(0, 1)", "transpose"},
    {"x.reshape(-1)", "reshape"},
    {"x[:, 1:3][..., None]", "slice_prim broadcast_in_dim"},
    {"x[1]", "slice_prim squeeze"},
    {"x[i]", "lt add where take"},
    {"x.sum(1, keepdim=True)", "sum broadcast_in_dim"},
    {"torch.softmax(x, -1)",
     "amax broadcast_in_dim broadcast_in_dim sub exp sum broadcast_in_dim broadcast_in_dim div"},
    {"torch.nn.functional.layer_norm(x, (4,))",
     "var_mean broadcast_in_dim broadcast_in_dim add rsqrt broadcast_in_dim sub broadcast_in_dim "
     "mul"},
    {"x.to(torch.float32)", "shallow_copy"},
    {"torch.nn.functional.dropout(x, 0.5, False)", "shallow_copy"},
    {"torch.nn.functional.silu(x)", "neg exp add reciprocal mul"},
    {"torch.cat([x, i[:, None]], 1)", "broadcast_in_dim convert_element_type cat"},
    {"torch.relu_(x)", "maximum copy_"},
    {"torch.nn.functional.relu(x, inplace=True)", "maximum copy_"},
};

START_TEST(decompositions_have_no_idle_steps)
{
    for (size_t i = 0; i < ARRAY_LEN(decompositions); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "def f(x: \"f32[3, 4]\", v: \"f32[4]\", h: \"bf16[3]\", i: \"i64[3]\", "
                 "w: \"f32[2, 4]\"):\n    y = %s\n    return (y,)\n",
                 decompositions[i].expression);
        if (str_is(str_from(decompositions[i].expression), "x * i"))
            strcpy(strstr(text, "x * i"), "v * i[0]\n    return (y,)\n");
        Trace *t = acquire(text);
        ck_no_errors(&d);
        StrBuf have = {0};
        prims_of(t, &have);
        if (strstr(text, "v * i[0]"))
            ck_text(sb_str(&have), "slice_prim squeeze convert_element_type broadcast_in_dim mul");
        else
            ck_assert_msg(strcmp(sb_cstr(&have), decompositions[i].prims) == 0,
                          "%s decomposes to %s, not %s", decompositions[i].expression,
                          sb_cstr(&have), decompositions[i].prims);
        sb_free(&have);
        trace_unref(t);
    }
    drop_sources();
}
END_TEST

START_TEST(a_float_among_two_numbers_makes_a_float)
{
    const Arg two = A_INT(2), half = A_FLOAT(0.5);
    Arg out = A_NONE;
    ck_assert(fold_binary(PRIM_add, two, half, &out));
    ck_assert(out.kind == ARG_float && out.f == 2.5);
    ck_assert(fold_binary(PRIM_sub, half, two, &out));
    ck_assert(out.kind == ARG_float && out.f == -1.5);
    ck_assert(fold_binary(PRIM_add, two, two, &out));
    ck_assert(out.kind == ARG_int && out.i == 4);
}
END_TEST

/* ---------------------------------------------------------------------------------------- errors
 */

static const struct {
    const char *call, *message, *at; /* at: text of the argument pointed at; NULL = not checked */
} mistakes[] = {
    {"torch.softmax(x, 5)",
     "Dimension out of range (expected to be in range of [-2, 1], but got 5)", "5"},
    {"x.transpose(0, 7)", "Dimension out of range", "7"},
    {"torch.sum(x, (0, 0))", "dim 0 appears multiple times", "(0, 0)"},
    {"x.view(5, 5)", "shape '[5, 5]' is invalid for input of size 12", NULL},
    {"x + u",
     "The size of tensor a (4) must match the size of tensor b (5) at non-singleton "
     "dimension 1",
     "u"},
    {"torch.matmul(x, u)", "matmul", NULL},
    {"torch.matmul(x, k)", "same dtype", NULL},
    {"torch.nn.functional.linear(x, u)", "cannot be multiplied", "u"},
    {"torch.cat([x, u])", "same number of dimensions", "[x, u]"},
    {"x.expand(2, 4)", "must match the existing size (3)", NULL},
    {"x.permute(0, 0)", "duplicate dims", NULL},
    {"torch.mean(k)", "mean(): could not infer output dtype", "k"},
    {"torch.nn.functional.layer_norm(x, (5,))", "normalized_shape", "(5,)"},
    {"torch.nn.functional.embedding(x, x)", "Expected dtype int64", NULL},
    {"x[0, 0, 0]", "too many indices", NULL},
    {"x[7]", "index 7 is out of bounds for dimension 0 with size 3", NULL},
    {"torch.split(x, -1)", "split_size be non-negative", "-1"},
    {"torch.gather(x, 0, x)", "Expected dtype int64 for index", "x"},
    {"torch.topk(x, 9)", "selected index k out of range", "9"},
    {"torch.div(x, x, rounding_mode='up')", "rounding_mode", "'up'"},
    {"x.to(3)", "to() expects", NULL},
    {"k.exp_()", "result type float32 can't be cast to the desired output type int64", "k"},
    {"k.div_(2)", "can't be cast", "k"},
    {"u.add_(x)", "", NULL},
    {"torch.einsum('ij,jk', x)", "einsum()", NULL},
    {"torch.einsum('ij->ijz', x)", "does not appear", "'ij->ijz'"},
    {"torch.nn.functional.cross_entropy(x, x[0])", "input size", NULL},
    {"torch.nn.functional.conv2d(x, x)", "conv2d", "x"},
    {"torch.nn.functional.dropout(x, 2.0)", "between 0 and 1", "2.0"},
    {"torch.softmax(x)", "needs argument 'dim'", NULL},
    {"torch.softmax(x, 1, bogus=2)", "has no argument 'bogus'", "2"},
    {"torch.rnn_tanh_cell(x[0, 0], u, torch.ones(5, 1), torch.ones(5, 5))",
     "expected weights with 5 rows", NULL},
    {"torch.cov(x, aweights=k)", "expected aweights to have floating point dtype", "k"},
    {"torch.cov(x, fweights=x[0])", "expected fweights to have integral dtype", "x[0]"},
};

START_TEST(a_wrong_argument_is_pointed_at)
{
    for (size_t i = 0; i < ARRAY_LEN(mistakes); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "def f(x: \"f32[3, 4]\", u: \"f32[5]\", k: \"i64[4]\"):\n    y = %s\n    return "
                 "(y,)\n",
                 mistakes[i].call);
        diag_clear(&d);
        ck_assert_msg(acquire(text) == NULL, "%s is accepted", mistakes[i].call);
        ck_assert_uint_eq(d.nerrors, 1);
        char message[512], at[128];
        snprintf(message, sizeof message, "%.*s", STR(d.first->message));
        ck_assert_msg(strstr(message, mistakes[i].message) != NULL,
                      "%s: \"%s\" does not say \"%s\"", mistakes[i].call, message,
                      mistakes[i].message);
        ck_assert_ptr_nonnull(d.first->span.src);
        snprintf(at, sizeof at, "%.*s", (int)d.first->span.len, text + d.first->span.off);
        if (mistakes[i].at)
            ck_assert_msg(strcmp(at, mistakes[i].at) == 0, "%s: points at %s, not at %s",
                          mistakes[i].call, at, mistakes[i].at);
        if (nsources == ARRAY_LEN(sources))
            drop_sources();
    }
    diag_clear(&d);
    drop_sources();
}
END_TEST

/* ------------------------------------------------------------------------------------------ fuzz
 */

static uint64_t seed;

static uint32_t draw(uint32_t n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % n;
}

static Arg any_int(void)
{
    static const int64_t some[] = {0, 1, -1, 2, 3, -2, 4, 5, 7, -7, 100, INT64_MAX, INT64_MIN};
    return A_INT(some[draw(draw(4) ? 7 : ARRAY_LEN(some))]);
}

static Arg any_tensor(const Trace *t)
{
    return A_VALUE(t->inputs[draw(t->ninputs)]);
}

static Arg any_seq(Trace *t, bool tensors)
{
    Arg items[5];
    uint32_t n = draw(5);
    for (uint32_t i = 0; i < n; i++)
        items[i] = tensors ? any_tensor(t) : any_int();
    return draw(2) ? arg_tuple(t, items, n) : arg_list(t, items, n);
}

static Arg any_word(Trace *t)
{
    static const char *const words[] = {"mean",     "none",      "sum",    "tanh",    "floor",
                                        "trunc",    "ij,jk->ik", "...i,i", "reflect", "constant",
                                        "bilinear", "nearest",   "xy",     "amax",    "prod",
                                        "cuda",     "",          "fro"};
    return arg_string(t, str_from(words[draw(ARRAY_LEN(words))]));
}

static Arg any_float(void)
{
    static const double some[] = {0, 1, -1, 0.5, 2.5, 1e-5, 1e300, -0.0};
    return A_FLOAT(some[draw(ARRAY_LEN(some))]);
}

static Arg any_key(Trace *t)
{
    Arg items[3];
    uint32_t n = 1 + draw(3);
    for (uint32_t i = 0; i < n; i++)
        switch (draw(6)) {
        case 0:
            items[i] = any_int();
            break;
        case 1:
            items[i] = A_NONE;
            break;
        case 2:
            items[i] = (Arg){.kind = ARG_ellipsis};
            break;
        case 3:
            items[i] = any_tensor(t);
            break;
        case 4:
            items[i] = arg_slice(t, any_int(), draw(2) ? A_NONE : any_int(), A_NONE);
            break;
        default:
            items[i] = any_seq(t, false);
        }
    return n == 1 ? items[0] : arg_tuple(t, items, n);
}

static Arg any_thing(Trace *t)
{
    switch (draw(9)) {
    case 0:
        return A_NONE;
    case 1:
        return any_int();
    case 2:
        return any_float();
    case 3:
        return A_BOOL(draw(2));
    case 4:
        return any_word(t);
    case 5:
        return any_seq(t, draw(2));
    case 6:
        return A_DTYPE(draw(DT_COUNT));
    case 7:
        return any_key(t);
    default:
        return any_tensor(t);
    }
}

static Arg fitting(Trace *t, const Param *p)
{
    if (p->has_default && draw(3) == 0)
        return p->dflt;
    switch ((ParamType)p->type) {
    case PT_tensor:
        return any_tensor(t);
    case PT_number:
        return draw(2) ? any_float() : any_int();
    case PT_scalar:
        return draw(3) ? any_tensor(t) : any_float();
    case PT_int:
        return any_int();
    case PT_ints:
        return draw(3) ? any_seq(t, false) : any_int();
    case PT_bool:
        return A_BOOL(draw(2));
    case PT_tensors:
        return any_seq(t, true);
    case PT_seq:
        return any_seq(t, draw(2));
    case PT_dtype:
        return A_DTYPE(draw(DT_COUNT));
    case PT_str:
        return any_word(t);
    default:
        return any_thing(t);
    }
}

static void add_inputs(Trace *t)
{
    static const struct {
        DType dtype;
        uint32_t rank;
        int64_t shape[5];
    } inputs[] = {{DT_f32, 2, {3, 4}},  {DT_f32, 2, {3, 4}},    {DT_f32, 1, {4}},
                  {DT_f32, 0, {0}},     {DT_i64, 1, {3}},       {DT_b8, 2, {3, 4}},
                  {DT_bf16, 2, {3, 4}}, {DT_f32, 3, {2, 3, 4}}, {DT_f32, 4, {1, 2, 3, 4}},
                  {DT_f32, 2, {0, 4}},  {DT_c64, 1, {4}},       {DT_f64, 2, {4, 4}},
                  {DT_i64, 2, {3, 4}},  {DT_u8, 1, {4}},        {DT_f32, 5, {1, 2, 2, 2, 2}},
                  {DT_i32, 0, {0}},     {DT_f32, 3, {4, 4, 4}}, {DT_f32, 1, {0}}};
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
        trace_add_input(
            t,
            type_tensor(t, inputs[i].dtype, (Device){DEV_cpu, 0}, inputs[i].rank, inputs[i].shape),
            (Str){0});
}

/* Arguments of fitting kinds, and sometimes of any kind, bound as a program would. */
static void call_at_random(const Spelling *s)
{
    Trace *t = trace_new(&reg, S("f"));
    Diag local = {0};
    Build b = {.t = t, .diag = &local};
    Arg pos[MAX_PARAMS], out[MAX_PARAMS];
    Span spans[MAX_PARAMS];
    uint32_t n = 0;
    add_inputs(t);
    for (uint32_t i = 0; i < s->op->sig.n; i++)
        if (!s->op->sig.params[i].keyword_only)
            pos[n++] = draw(20) ? fitting(t, &s->op->sig.params[i]) : any_thing(t);
    const Op *op = op_bind(&b, s, pos, n, NULL, NULL, 0, NULL, out, spans);
    if (op) {
        t->output = op_call(&b, op, out);
        if (!b.failed) {
            trace_finish(t);
            trace_verify(t, &local);
            char *text = diag_text(&local);
            ck_assert_msg(local.nerrors == 0, "%s: %s", s->op->name, text);
            free(text);
        }
    }
    ck_assert_uint_eq(b.failed, local.nerrors != 0);
    diag_clear(&local);
    trace_unref(t);
}

START_TEST(any_arguments_give_a_trace_or_an_error)
{
    seed = 1 + (uint64_t)_i;
    for (uint32_t i = 0; i < reg.n; i++) {
        if (reg.ops[i]->language != LANG_torch)
            continue;
        char name[128];
        snprintf(name, sizeof name, "ltorch.%s", reg.ops[i]->name);
        const Spelling *s = registry_lookup(&reg, str_from(name));
        for (int k = 0; k < 60; k++)
            call_at_random(s);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("lang");
    TCase *table = tcase_create("table"), *fuzz = tcase_create("fuzz");
    tcase_add_checked_fixture(table, setup, teardown);
    tcase_add_test(table, every_row_is_complete);
    tcase_add_test(table, every_spelling_names_an_operator);
    tcase_add_test(table, an_operator_goes_by_all_its_names);
    tcase_add_test(table, every_row_has_a_sample_that_obeys_the_laws);
    tcase_add_test(table, every_name_of_the_core_language_is_a_row);
    tcase_add_test(table, rows_of_the_core_language_leave_prims);
    tcase_add_test(table, result_dtypes_are_those_of_pytorch);
    tcase_add_test(table, arithmetic_on_sizes_is_done_while_loading);
    tcase_add_test(table, decompositions_have_no_idle_steps);
    tcase_add_test(table, a_wrong_argument_is_pointed_at);
    tcase_add_test(table, a_float_among_two_numbers_makes_a_float);
    suite_add_tcase(s, table);
    tcase_add_checked_fixture(fuzz, setup, teardown);
    tcase_add_loop_test(fuzz, any_arguments_give_a_trace_or_an_error, 0, 4);
    suite_add_tcase(s, fuzz);
    return run_suite(s);
}
