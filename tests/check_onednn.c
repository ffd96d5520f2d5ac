/*
 * check_onednn.c - products, convolutions, pooling and attention against the interpreter in double
 * precision, on operands in many layouts; and that they are really claimed.
 *
 * A build without oneDNN has one promise to keep: the executor says why it is not available.
 */
#include "support.h"

#include "session_fixture.h"

#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct Case {
    const char *claims; /* an operator that onednn takes at the end; NULL = it takes none */
    const char *inputs, *body;
} Case;

static const Case cases[] = {
    {"linear", "x: \"f32[33, 40]\", w: \"f32[17, 40]\", b: \"f32[17]\"",
     "torch.nn.functional.linear(x, w, b)"},
    {"linear", "x: \"f32[40]\", w: \"f32[300, 40]\"", "torch.nn.functional.linear(x, w)"},
    {"linear", "x: \"f32[3, 40, 5]\", w: \"f32[17, 5]\"",
     "torch.nn.functional.linear(x.transpose(0, 1), w)"},
    {"linear", "x: \"f32[60, 40]\", w: \"f32[40, 50]\"", "torch.nn.functional.linear(x, w.t())"},
    {"linear", "x: \"f32[9000, 1]\", w: \"f32[1, 1]\", b: \"f32[1]\"",
     "torch.nn.functional.linear(x, w, b)"},
    {"matmul", "x: \"f32[65, 130]\", y: \"f32[130, 70]\"", "x @ y"},
    {"matmul", "x: \"f32[130, 65]\", y: \"f32[70, 130]\"", "x.t() @ y.t()"},
    {"matmul", "x: \"f32[9000]\", y: \"f32[9000]\"", "x @ y"},
    {"matmul", "x: \"f32[120]\", y: \"f32[4, 120, 25]\"", "x @ y"},
    {"matmul", "x: \"f32[4, 25, 120]\", y: \"f32[120]\"", "x @ y"},
    {"matmul", "x: \"f32[2, 17, 3, 18]\", y: \"f32[2, 17, 3, 18]\"",
     "x.transpose(1, 2) @ y.permute(0, 2, 3, 1)"},
    {"matmul", "x: \"f32[90, 40]\", y: \"f32[1, 40, 3]\"", "x @ y.expand(6, 40, 3)"},
    {"matmul", "x: \"f32[100, 80]\", y: \"f32[80, 30]\"", "x[::2].flip(1) @ y"},
    {"matmul", "x: \"f32[4, 16, 28]\", y: \"f32[4, 28, 13]\", z: \"f32[4, 16, 13]\"",
     "torch.baddbmm(z, x, y, beta=0.5, alpha=2.0)"},
    {"matmul", "x: \"f32[4, 16, 28]\", y: \"f32[28, 13]\"", "torch.einsum('bik,kj->bij', x, y)"},
    {"convolution", "x: \"f32[2, 4, 9, 11]\", w: \"f32[6, 4, 3, 3]\", b: \"f32[6]\"",
     "torch.nn.functional.conv2d(x, w, b, stride=2, padding=1)"},
    {"convolution", "x: \"f32[2, 4, 9, 11]\", w: \"f32[6, 2, 3, 2]\"",
     "torch.nn.functional.conv2d(x, w, None, (1, 2), (0, 1), (2, 1), 2)"},
    {"convolution", "x: \"f32[2, 8, 9]\", w: \"f32[8, 1, 3]\"",
     "torch.nn.functional.conv1d(x, w, None, 1, 1, 1, 8)"},
    {"convolution", "x: \"f32[1, 3, 5, 6, 7]\", w: \"f32[4, 3, 2, 3, 2]\"",
     "torch.nn.functional.conv3d(x, w)"},
    {"convolution", "x: \"f32[2, 4, 5, 6]\", w: \"f32[4, 3, 3, 3]\", b: \"f32[6]\"",
     "torch.nn.functional.conv_transpose2d(x, w, b, 2, 1, 1, 2)"},
    {"convolution", "x: \"f32[9, 4, 2, 11]\", w: \"f32[6, 4, 1, 1]\"",
     "torch.nn.functional.conv2d(x.transpose(0, 2), w)"},
    {"convolution", "x: \"f32[2, 32, 12, 13]\", w: \"f32[48, 32, 1, 1]\", b: \"f32[48]\"",
     "torch.nn.functional.conv2d(x, w, b)"}, /* a product, nothing is moved */
    {"convolution", "x: \"f32[2, 12, 13, 32]\", w: \"f32[48, 32, 1, 1]\"",
     "torch.nn.functional.conv2d(x.permute(0, 3, 1, 2), w)"},
    {"convolution", "x: \"f32[3, 32, 4, 5]\", w: \"f32[48, 32, 1, 1]\"",
     "torch.nn.functional.conv2d(x, w)"}, /* channels in blocks of 16 from here on */
    {"convolution", "x: \"f32[2, 16, 9, 7]\", w: \"f32[32, 16, 3, 3]\", b: \"f32[32]\"",
     "torch.nn.functional.conv2d(x, w, b, (2, 1), (1, 0))"},
    {"convolution", "x: \"f32[2, 16, 140]\", w: \"f32[32, 16, 1]\"",
     "torch.nn.functional.conv1d(x, w, stride=2)"},
    {"convolution", "x: \"f32[1, 16, 4, 5, 6]\", w: \"f32[16, 16, 1, 2, 3]\"",
     "torch.nn.functional.conv3d(x, w)"},
    {"avg_pool2d", "x: \"f32[2, 4, 9, 11]\"",
     "torch.nn.functional.avg_pool2d(x, 3, 2, 1, count_include_pad=False)"},
    {"avg_pool1d", "x: \"f32[2, 4, 11]\"", "torch.nn.functional.avg_pool1d(x, 4, 3, 2)"},
    {"scaled_dot_product_attention",
     "q: \"f32[2, 3, 150, 40]\", k: \"f32[2, 3, 70, 40]\", v: \"f32[2, 3, 70, 24]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v)"},
    {"scaled_dot_product_attention",
     "q: \"f32[2, 130, 3, 16]\", k: \"f32[2, 130, 3, 16]\", v: \"f32[2, 130, 3, 16]\"",
     "torch.nn.functional.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), "
     "v.transpose(1, 2), is_causal=True, scale=0.4)"},
    {"scaled_dot_product_attention",
     "q: \"f32[1, 6, 65, 8]\", k: \"f32[1, 2, 65, 8]\", v: \"f32[1, 2, 65, 8]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, "
     "enable_gqa=True)"},
    {"scaled_dot_product_attention",
     "q: \"f32[2, 3, 66, 8]\", k: \"f32[2, 3, 129, 8]\", v: \"f32[2, 3, 129, 8]\", "
     "m: \"f32[3, 1, 129]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=m)"},
    {"scaled_dot_product_attention",
     "q: \"f32[2, 66, 16]\", k: \"f32[2, 10, 16]\", v: \"f32[2, 10, 16]\", m: \"f32[66, 10]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=m > 2.5)"},
    {"scaled_dot_product_attention", "q: \"f32[150, 40]\", k: \"f32[30, 40]\", v: \"f32[30, 40]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v)"},
    {"scaled_dot_product_attention",
     "q: \"f32[1, 6, 65, 8]\", k: \"f32[1, 2, 67, 8]\", v: \"f32[1, 2, 67, 8]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=0.4, enable_gqa=True)"},
    {"matmul", "q: \"f32[2, 50, 40]\", k: \"f32[1, 30, 40]\", v: \"f32[1, 30, 40]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v).amax()"},
    {NULL, "x: \"f32[6, 4]\", y: \"f32[4, 5]\"", "x @ y"}, /* too little work */
    {NULL, "x: \"f64[4, 5]\", y: \"f64[5, 3]\"", "x @ y"},
    {NULL, "x: \"f32[0, 5]\", y: \"f32[5, 3]\"", "x @ y"},
    {NULL, "x: \"f32[4, 0]\", y: \"f32[0, 3]\"", "x @ y"},
};

static bool have_onednn(void)
{
    StrBuf why = {0};
    const Executor *e = exec_find(session_executors(s), S("onednn"));
    ck_assert_ptr_nonnull(e);
    bool have = e->available(&why);
    ck_assert_msg(have || why.n > 0, "it must say why it is not available");
    sb_free(&why);
    return have;
}

static bool claimed(const Trace *t, const char *op)
{
    for_top(t, n)
        if (t->nodes[n].executor && strcmp(t->nodes[n].executor, "onednn") == 0 &&
            (!op || strcmp(t->nodes[n].op->name, op) == 0))
            return true;
    return false;
}

static void agree(const Run *got, const Run *want, double rtol, double atol, const char *text)
{
    for (uint32_t i = 0; i < got->noutputs; i++) {
        Tensor *w = tensor_cast(want->outputs[i], got->outputs[i]->dtype);
        Comparison c = tensor_compare(got->outputs[i], w, rtol, atol);
        ck_assert_msg(c.equal && c.same_type, "%s\noutput %u: %g for %g", text, i, c.got, c.want);
        tensor_unref(w);
    }
}

/* The last stage, run twice (the second time everything is there already), against the oracle. */
static void check_last(Program *p, const char *claims, bool must, double tolerance,
                       const char *text)
{
    RunOptions oracle = {.rounding = ROUND_f64};
    Run want, got;
    Stage *last = program_find_stage(s, p, S("last"), &d);
    no_errors();
    ck_assert_msg(claimed(last->trace, claims) == must, "%s: %s", text,
                  must ? "not claimed" : "claimed");
    ck_assert(session_run(s, p, last, &oracle, &want, &d));
    for (int i = 0; i < 2; i++) {
        ck_assert(session_run(s, p, last, NULL, &got, &d));
        no_errors();
        agree(&got, &want, tolerance, tolerance, text);
        run_free(&got);
    }
    run_free(&want);
}

static Program *program_of(const Case *c, const char *dtype, StrBuf *text)
{
    sb_puts(text, "def f(");
    for (const char *p = c->inputs; *p; p++) {
        if (strncmp(p, "f32", 3) == 0) {
            sb_puts(text, dtype);
            p += 2;
        } else {
            sb_putc(text, *p);
        }
    }
    sb_printf(text, "):\n    return %s\n", c->body);
    Program *p = load_text(sb_cstr(text));
    ck_assert(program_bind_random(s, p, 5, &d));
    return p;
}

START_TEST(agrees_with_the_oracle)
{
    const Case *c = &cases[_i];
    if (!have_onednn())
        return;
    use_executors("onednn,interp");
    StrBuf text = {0};
    Program *p = program_of(c, "f32", &text);
    check_last(p, c->claims, c->claims != NULL, 2e-5, sb_cstr(&text));
    sb_free(&text);
}
END_TEST

/* bf16 is taken where the processor has instructions for it, and opened elsewhere. */
START_TEST(bf16_agrees_with_the_oracle)
{
    const Case *c = &cases[_i];
    if (!have_onednn() || !c->claims)
        return;
    use_executors("onednn,interp");
    StrBuf text = {0};
    Program *p = program_of(c, "bf16", &text);
    Stage *last = program_find_stage(s, p, S("last"), &d);
    no_errors();
    check_last(p, c->claims, claimed(last->trace, c->claims), 4e-2, sb_cstr(&text));
    sb_free(&text);
}
END_TEST

/* What is not taken because of NaN says so; it runs elsewhere, and keeps them. */
START_TEST(what_loses_nan_is_not_taken_and_says_so)
{
    static const char *const bodies[] = {"torch.relu(x)", "torch.tanh(x)",
                                         "torch.nn.functional.max_pool2d(x, 2)"};
    if (!have_onednn())
        return;
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
        StrBuf text = {0}, why = {0};
        sb_printf(&text, "def f(x: \"f32[1, 4, 16, 16]\"):\n    return %s\n", bodies[i]);
        const Trace *t = program_root(load_text(sb_cstr(&text)))->trace;
        const Executor *e = exec_find(session_executors(s), S("onednn"));
        ck_assert(!e->can(t, 0, &why));
        ck_assert_msg(strstr(sb_cstr(&why), "loses NaN") != NULL, "%s", sb_cstr(&why));
        sb_free(&text);
        sb_free(&why);
    }
}
END_TEST

/* What a kernel says about itself: a pointwise convolution is a product of what lies there. */
START_TEST(pointwise_convolutions_move_no_images)
{
    if (!have_onednn())
        return;
    use_executors("onednn,interp");
    Program *p = load_text("def f(x: \"f32[2, 32, 16, 16]\", w: \"f32[48, 32, 1, 1]\", "
                           "k: \"f32[48, 32, 3, 3]\"):\n"
                           "    a = torch.nn.functional.conv2d(x, w)\n"
                           "    b = torch.nn.functional.conv2d(x, k)\n"
                           "    return a, b\n");
    const Stage *last = program_find_stage(s, p, S("last"), &d);
    StrBuf text[2] = {{0}, {0}};
    ck_assert(session_kernel_text(s, last, S("a"), S("c"), &text[0], &d));
    ck_assert(session_kernel_text(s, last, S("b"), S("c"), &text[1], &d));
    ck_assert_ptr_null(strstr(sb_cstr(&text[0]), "the input"));
    ck_assert_ptr_null(strstr(sb_cstr(&text[0]), "the result"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&text[1]), "moves the input and the weights and"));
    sb_free(&text[0]);
    sb_free(&text[1]);
}
END_TEST

static const Case gradients[] = {
    {"convolution_backward", "x: \"f32[2, 4, 9, 11]\", w: \"f32[6, 2, 3, 2]\", b: \"f32[6]\"",
     "torch.nn.functional.conv2d(x, w, b, (1, 2), (0, 1), (2, 1), 2)"},
    {"convolution_backward", "x: \"f32[2, 4, 9]\", w: \"f32[6, 4, 3]\"",
     "torch.nn.functional.conv1d(x, w, None, 2)"},
    {"convolution_backward", "x: \"f32[2, 32, 12, 13]\", w: \"f32[48, 32, 1, 1]\"",
     "torch.nn.functional.conv2d(x, w)"},
    {"convolution_backward", "x: \"f32[2, 32, 12, 13]\", w: \"f32[3, 32, 1, 1]\", b: \"f32[3]\"",
     "torch.nn.functional.conv2d(x, w, b)"},
    {"convolution_backward", "x: \"f32[2, 16, 5, 6]\", w: \"f32[32, 16, 3, 3]\"",
     "torch.nn.functional.conv2d(x, w, None, 1, 1)"},
    {"matmul", "x: \"f32[5, 19, 14]\", w: \"f32[16, 14]\", b: \"f32[16]\"",
     "torch.nn.functional.linear(x, w, b)"},
    {"_scaled_dot_product_flash_attention_for_cpu_backward",
     "q: \"f32[2, 3, 150, 16]\", k: \"f32[2, 3, 130, 16]\", v: \"f32[2, 3, 130, 24]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)"},
    {"_scaled_dot_product_flash_attention_for_cpu_backward", /* few heads: keys in pieces */
     "q: \"f32[1, 2, 150, 16]\", k: \"f32[1, 2, 330, 16]\", v: \"f32[1, 2, 330, 8]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v)"},
    {"_scaled_dot_product_flash_attention_for_cpu_backward",
     "q: \"f32[1, 1, 400, 8]\", k: \"f32[1, 1, 400, 8]\", v: \"f32[1, 1, 400, 8]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)"},
    {"matmul",
     "q: \"f32[2, 4, 70, 16]\", k: \"f32[2, 2, 66, 16]\", v: \"f32[2, 2, 66, 16]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)"},
    {"_scaled_dot_product_flash_attention_for_cpu_backward", /* rows begin between draws of four */
     "q: \"f32[2, 3, 150, 16]\", k: \"f32[2, 3, 131, 16]\", v: \"f32[2, 3, 131, 24]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=0.3, is_causal=True)"},
    {"_scaled_dot_product_flash_attention_for_cpu_backward",
     "q: \"f32[1, 1, 400, 8]\", k: \"f32[1, 1, 400, 8]\", v: \"f32[1, 1, 400, 8]\", "
     "m: \"b8[400, 400]\"",
     "torch.nn.functional.scaled_dot_product_attention(q, k, v, m, dropout_p=0.9)"},
};

/* An activation behind a product is computed at its end, when nobody else reads the product. */
START_TEST(activations_are_joined)
{
    static const struct {
        const char *body;
        bool joined;
    } bodies[] = {
        {"torch.nn.functional.gelu(torch.nn.functional.linear(x, w, b))", true},
        {"torch.nn.functional.gelu(torch.nn.functional.linear(x, w), approximate='tanh')", true},
        {"torch.nn.functional.silu(torch.matmul(x, x.transpose(1, 2)))", true},
        {"torch.relu(torch.nn.functional.linear(x, w, b))", false}, /* it would lose NaN */
    };
    if (!have_onednn())
        return;
    use_executors("onednn,interp");
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
        StrBuf text = {0}, why = {0};
        const Case c = {NULL, "x: \"f32[3, 20, 30]\", w: \"f32[70, 30]\", b: \"f32[70]\"",
                        bodies[i].body};
        Program *p = program_of(&c, "f32", &text);
        Stage *last = program_find_stage(s, p, S("last"), &d);
        no_errors();
        ck_assert_msg(claimed(last->trace, "call") == bodies[i].joined, "%s", bodies[i].body);
        check_last(p, NULL, true, 2e-5, bodies[i].body);
        Stage *st = program_find_stage(s, p, S("fuse"), &d);
        StrBuf printed = text_of(st);
        Program *q = load_text(sb_cstr(&printed));
        ck_assert_msg(trace_equal(program_root(q)->trace, st->trace, &why), "%s", sb_cstr(&why));
        ck_assert(program_bind_random(s, q, 5, &d));
        check_last(q, bodies[i].joined ? "call" : NULL, true, 2e-5, "as read back");
        sb_free(&printed);
        sb_free(&text);
        sb_free(&why);
    }
}
END_TEST

START_TEST(a_product_that_others_read_is_not_joined)
{
    if (!have_onednn())
        return;
    use_executors("onednn,interp");
    Program *p = load_text("def f(x: \"f32[60, 30]\", w: \"f32[70, 30]\"):\n"
                           "    y = torch.nn.functional.linear(x, w)\n"
                           "    return (torch.nn.functional.gelu(y), y)\n");
    ck_assert(program_bind_random(s, p, 5, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    no_errors();
    ck_assert(!claimed(last->trace, "call"));
    check_last(p, "linear", true, 2e-5, "two readers");
}
END_TEST

/* Any prefix of what claim does is a program that gives the same. */
START_TEST(any_fuel_of_claim_and_fuse_gives_a_program_that_runs)
{
    Str pass = _i ? S("fuse") : S("claim");
    if (!have_onednn())
        return;
    use_executors("onednn,interp");
    Program *p = load_text("def f(x: \"f32[60, 30]\", w: \"f32[30, 30]\"):\n"
                           "    y = torch.nn.functional.gelu(torch.nn.functional.linear(x, w))\n"
                           "    z = torch.nn.functional.silu(y @ w)\n    return z + y\n");
    ck_assert(program_bind_random(s, p, 5, &d));
    int slot = program_find_slot(p, pass);
    RunOptions oracle = {.rounding = ROUND_f64};
    Run want, got;
    ck_assert(session_run(s, p, program_root(p), &oracle, &want, &d));
    for (uint64_t fuel = 0; fuel < 12; fuel++) {
        ck_assert(program_slot_fuel(s, p, (uint32_t)slot, fuel, &d));
        Stage *st = program_find_stage(s, p, pass, &d);
        no_errors();
        ck_assert(trace_verify(st->trace, &d));
        ck_assert(session_run(s, p, st, NULL, &got, &d));
        no_errors();
        agree(&got, &want, 2e-5, 2e-5, "with fuel");
        run_free(&got);
    }
    run_free(&want);
}
END_TEST

START_TEST(gradients_agree_with_the_oracle)
{
    const Case *c = &gradients[_i];
    if (!have_onednn())
        return;
    use_executors("onednn,interp");
    StrBuf text = {0};
    Program *p = program_of(c, "f32", &text);
    ck_assert(program_grad(s, p, S("all"), true, &d));
    check_last(p, c->claims, true, 5e-5, sb_cstr(&text));
    sb_free(&text);
}
END_TEST

#ifdef _OPENMP
/* How the work is cut does not depend on the threads, so neither do the sums. */
START_TEST(attention_is_the_same_with_any_number_of_threads)
{
    if (!have_onednn())
        return;
    use_executors("onednn,interp");
    static const Case c = {NULL, "q: \"f32[1, 3, 700, 16]\", k: \"f32[1, 3, 700, 16]\", "
                                 "v: \"f32[1, 3, 700, 16]\"",
                           "torch.nn.functional.scaled_dot_product_attention(q, k, v)"};
    StrBuf text = {0};
    Program *p = program_of(&c, "f32", &text);
    ck_assert(program_grad(s, p, S("all"), true, &d));
    const Stage *last = program_find_stage(s, p, S("last"), &d);
    int before = omp_get_max_threads();
    Run first = {0}, now = {0};
    for (int threads = 1; threads <= 5; threads += 2) {
        omp_set_num_threads(threads);
        ck_assert(session_run(s, p, last, NULL, threads == 1 ? &first : &now, &d));
        no_errors();
        if (threads > 1)
            agree(&now, &first, 0, 0, sb_cstr(&text));
        run_free(&now);
    }
    omp_set_num_threads(before);
    run_free(&first);
    sb_free(&text);
}
END_TEST
#endif

/* A T x T matrix of 64 million scores would need 256 MB: the plan holds far less. */
START_TEST(attention_writes_no_matrix_of_scores)
{
    static const char *const bodies[] = {
        "torch.nn.functional.scaled_dot_product_attention(q, k, v)",
        "torch.nn.functional.scaled_dot_product_attention(q, k, v, dropout_p=0.2)",
    };
    if (!have_onednn())
        return;
    use_executors("onednn,interp");
    const Case c = {NULL, "q: \"f32[1, 8192, 8]\", k: \"f32[1, 8192, 8]\", "
                          "v: \"f32[1, 8192, 8]\"",
                    bodies[_i]};
    StrBuf text = {0};
    Program *p = program_of(&c, "f32", &text);
    if (_i == 1)
        ck_assert(program_grad(s, p, S("all"), true, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    no_errors();
    ck_assert(trace_cost(last->trace).peak < 4 << 20);
    Run got;
    ck_assert(session_run(s, p, last, NULL, &got, &d));
    run_free(&got);
    sb_free(&text);
}
END_TEST

/* Two layouts one after the other: what was made for the first does not serve the second. */
START_TEST(layouts_may_change_between_runs)
{
    if (!have_onednn())
        return;
    use_executors("onednn,interp");
    Program *p = load_text("def f(x: \"f32[60, 40]\", w: \"f32[40, 50]\"):\n    return x @ w\n");
    ck_assert(program_bind_random(s, p, 5, &d));
    check_last(p, "matmul", true, 1e-5, "dense");
    int64_t shape[2] = {40, 60}, turned[2] = {60, 40}, strides[2] = {1, 60};
    Tensor *dense = tensor_new(DT_f32, (Device){0}, 2, shape);
    for (int i = 0; i < 2400; i++)
        ((float *)tensor_data(dense))[i] = (float)(i % 13) - 7;
    Tensor *view = tensor_view(dense, 2, turned, strides, 0);
    ck_assert(program_bind_tensor(p, S("x"), view, &d));
    check_last(p, "matmul", true, 1e-5, "transposed");
    tensor_unref(view);
    tensor_unref(dense);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("onednn");
    TCase *tc = tcase_create("onednn");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, agrees_with_the_oracle, 0, ARRAY_LEN(cases));
    tcase_add_loop_test(tc, bf16_agrees_with_the_oracle, 0, ARRAY_LEN(cases));
    tcase_add_loop_test(tc, gradients_agree_with_the_oracle, 0, ARRAY_LEN(gradients));
    tcase_add_test(tc, what_loses_nan_is_not_taken_and_says_so);
    tcase_add_test(tc, pointwise_convolutions_move_no_images);
    tcase_add_test(tc, activations_are_joined);
    tcase_add_test(tc, a_product_that_others_read_is_not_joined);
    tcase_add_loop_test(tc, any_fuel_of_claim_and_fuse_gives_a_program_that_runs, 0, 2);
    tcase_add_loop_test(tc, attention_writes_no_matrix_of_scores, 0, 2);
#ifdef _OPENMP
    tcase_add_test(tc, attention_is_the_same_with_any_number_of_threads);
#endif
    tcase_add_test(tc, layouts_may_change_between_runs);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
