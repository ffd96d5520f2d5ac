/*
 * check_compare.c - what compare says about differences: rounding, contraction, cancellation,
 * wrong; and special values through every input.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "support.h"
#include "tool_fixture.h"

#define FUSED "option fuse.min_work 0\nexecutor on c\n"

START_TEST(keeping_f32_between_operators_is_rounding)
{
    write_text("swiglu.py", "def f(x: \"bf16[8, 64]\", w: \"bf16[64, 64]\", v: \"bf16[64, 64]\"):\n"
                            "    g = torch.nn.functional.linear(x, w)\n"
                            "    u = torch.nn.functional.linear(x, v)\n"
                            "    s = torch.nn.functional.silu(g)\n    h = s * u\n"
                            "    return (h,)\n");
    int status = tool("load $D/swiglu.py\n" FUSED "pass on casts\nbind --random 1\n"
                      "compare last acquired");
    ck_assert_int_eq(status, 0); /* within PyTorch's tolerance */
    sees("rounding: %h[");
    sees_not("wrong");
    ck_assert_int_eq(tool("load $D/swiglu.py\n" FUSED "pass on casts\nbind --random 1\n"
                          "compare last acquired --exact"), 1);
    sees("rounding: %h[");
    sees("Made by prims.convert_element_type, line 5");
}
END_TEST

START_TEST(an_epilogue_that_scales_the_product_but_not_the_bias_is_wrong)
{
    write_text("epilogue.py", "def f(x: \"f32[8, 64]\", w: \"f32[32, 64]\", b: \"f32[32]\"):\n"
                              "    m = torch.matmul(x, w.t())\n    y = m + b\n    z = y * 0.125\n"
                              "    return (z,)\n");
    ck_assert_int_eq(tool("load $D/epilogue.py\n" FUSED "bind --random 1\ngoto fold\n"
                          "edit %y = m * 0.125\nedit %z = y + b\ncompare last acquired"), 1);
    sees("wrong: %z[");
    sees("of last is ");
    sees("; acquired is 0"); /* and a part of a ULP, which the product was rounded to */
    sees("ULP from it. Made by prims.mul, line 4");
    ck_assert_int_eq(tool("load $D/epilogue.py\n" FUSED "bind --random 1\ngoto fold\n"
                          "edit %y = m * 0.125\nedit %z = y + b\ncompare acquired last"), 1);
    sees("of last is "); /* not the program as it was */
    sees("; acquired is 0");
}
END_TEST

/* Values of two precisions: the wider is rounded to the other's, so that mixed precision shows its
 * own error and not that types differ. */
START_TEST(dtypes_that_differ_are_compared_in_the_narrower)
{
    write_text("mixed.py", "def f(x: \"f32[4, 8]\", w: \"f32[8, 8]\"):\n"
                           "    a = x @ w\n    b = a * 2\n    return (a, b, torch.exp(x))\n");
    ck_assert_int_eq(tool("load $D/mixed.py\nexecutor off onednn\nbind --random 1\n"
                          "pass on autocast\ncompare acquired last"), 0);
    sees("3 values compared, 0 differ");
    ck_assert_int_eq(tool("load $D/mixed.py\nexecutor off onednn\nbind --random 1\n"
                          "pass on autocast\ncompare acquired last --rtol 0 --atol 0"), 1);
    sees_not("types differ");
    sees("3 values compared, 2 differ");
}
END_TEST

START_TEST(a_small_rest_of_large_operands_is_cancellation)
{
    write_text("cancel.py", "def f(x: \"f32[64]\", y: \"f32[64]\"):\n    a = x * 100000.0\n"
                            "    s = torch.exp(y)\n    b = a + s\n    c = b - a\n"
                            "    return (c * 3,)\n");
    ck_assert_int_eq(tool("load $D/cancel.py\nexecutor off c\nbind --random 1\n"
                          "compare acquired @f64"), 1);
    sees("cancellation: %c[");
    sees("Made by prims.sub, line 5");
    ck_assert_int_eq(tool("load $D/cancel.py\n" FUSED "bind --random 1\ncompare last @f64"), 1);
    sees("cancellation: ");
    sees("Made by prims.sub, line 5"); /* inside the fusion */
}
END_TEST

START_TEST(a_wrong_function_with_small_errors_is_wrong)
{
    write_text("gelu.py", "def f(x: \"f32[100]\"):\n    y = torch.nn.functional.gelu(x)\n"
                          "    return (y,)\n");
    ck_assert_int_eq(tool("load $D/gelu.py\nexecutor off c\nbind --random 1\ngoto dce\n"
                          "edit %y = torch.nn.functional.gelu(x, approximate='tanh')\n"
                          "compare dce acquired"), 1);
    sees("wrong: %y[");
}
END_TEST

/* The sum is rounded to bf16 in one run and not in the other: elements of a row move apart, so that
 * its variance moves, which it does not when all of them move by the same. */
START_TEST(a_variance_of_what_is_rounded_is_rounding)
{
    write_text("norm.py", "def f(x: \"bf16[6, 5, 2]\", y: \"bf16[5, 6, 2]\"):\n"
                          "    z = x + y.permute(1, 0, 2)\n"
                          "    return torch.nn.functional.layer_norm(z, (2,))\n");
    for (int seed = 1; seed <= 3; seed++) {
        char lines[200];
        snprintf(lines, sizeof lines, "load $D/norm.py\nexecutors interp\ngrad all\n"
                                      "bind --random %d\ncompare last @f64", seed);
        ck_assert_int_eq(tool(lines), 1);
        sees("%t11 ");
        sees_not("wrong:");
    }
}
END_TEST

/* By 5 ULP, where one product may be off by half of one. */
START_TEST(what_rounding_cannot_explain_differs_however_little)
{
    write_text("scaled.py", "def f(x: \"f32[40]\"):\n    a = x + 1\n    b = a * 3.25\n"
                            "    return (b,)\n");
    ck_assert_int_eq(tool("load $D/scaled.py\nexecutors interp\nbind --random 1\ngoto fold\n"
                          "edit %b = a * 3.250002\ncompare last acquired"), 1);
    sees("2 values compared, 1 differs");
    sees("wrong: %b[");
}
END_TEST

START_TEST(the_first_divergence_inside_a_fusion_is_named)
{
    write_text("chain.py", "def f(x: \"f32[40, 30]\"):\n    a = x * 2\n    b = torch.exp(a)\n"
                           "    c = b + 1\n    return (c,)\n");
    ck_assert_int_eq(tool("load $D/chain.py\n" FUSED "bind --random 1\n"
                          "list fuse --header --depth -1 > $D/t.py\n"
                          "!sed -i 's/prims.exp/prims.sin/' $D/t.py\ngoto fuse\nedit $D/t.py\n"
                          "compare last acquired"), 1);
    sees("[c] = cFusion0(x)");
    sees("inside cFusion0 the first is %b[0, 0]");
    ck_assert_int_eq(tool("load $D/chain.py\n" FUSED "bind --random 1\ngoto last\n"
                          "print ((%b - torch.exp(x * 2)).abs() / %b).max() < 1e-5"), 0);
    sees("True");
}
END_TEST

START_TEST(special_values_go_through_every_input)
{
    write_text("two.py", "def f(x: \"f32[8]\", y: \"f32[8]\"):\n    a = torch.maximum(x, y)\n"
                         "    b = torch.sqrt(torch.abs(a)) + x * y\n    return (b, a)\n");
    ck_assert_int_eq(tool("load $D/two.py\n" FUSED "bind --random 1\n"
                          "compare last acquired --special --all"), 0);
    sees("12 runs with special values, 0 differ (seed 1)");
    sees("%x     signed zeros");
    sees("%y     subnormals");
    sees("infinities");
    ck_assert_int_eq(tool("load $D/two.py\nexecutor off c\nbind --random 1\ngoto dce\n"
                          "edit %a = torch.where(x > y, x, y)\ncompare dce acquired --special"), 1);
    sees("NaN");
    sees("%a");
    sees_not("smallest normal");
}
END_TEST

START_TEST(a_lost_sign_of_zero_shows_with_special_values_only)
{
    write_text("zero.py", "def f(x: \"f32[16]\"):\n    a = x * 1.5\n    return (a,)\n");
    const char *lines = "load $D/zero.py\nexecutor off c\nbind --random 1\ngoto dce\n"
                        "edit %a = x * 1.5 + 0\n";
    char text[300];
    snprintf(text, sizeof text, "%scompare dce acquired", lines);
    ck_assert_int_eq(tool(text), 0);
    snprintf(text, sizeof text, "%scompare dce acquired --special", lines);
    ck_assert_int_eq(tool(text), 1);
    sees("signed zeros");
}
END_TEST

START_TEST(bindings_come_back_after_special_values)
{
    ck_assert_int_eq(tool("load examples/mlp.py\ncompare acquired last --special\nrun"), 0);
    ck_contains(sb_cstr(&err), "outputs are as recorded");
}
END_TEST

/* y is written through a view, so that no value of the last stage has its name. */
START_TEST(results_are_compared_that_no_value_stands_for)
{
    write_text("written.py", "def f(x: \"f32[8, 64]\"):\n    y = torch.relu(x)\n"
                             "    v = y.unsqueeze(0)\n    w = v.add_(v)\n    return (y,)\n");
    ck_assert_int_eq(tool("load $D/written.py\n" FUSED "bind --random 1\ncompare acquired last"),
                     0);
    sees("1 value compared, 0 differ");
    ck_assert_int_eq(tool("load $D/written.py\n" FUSED "bind --random 1\n"
                          "edit %w = v.add_(1.0)\ncompare #0 last"), 1);
    sees("output 0: 512 of 512 elements differ");
    ck_assert_int_eq(tool("load $D/written.py\n" FUSED "bind --random 1\ngoto acquired\n"
                          "edit %w = v.add_(1.0)\ncompare last #0"), 1);
}
END_TEST

/* Rounding to bf16 does not hide a wrong gradient, and is not taken for one. */
START_TEST(gradients_in_low_precision_are_checked)
{
    write_text("low.py", "def f(x: \"bf16[4, 6]\", y: \"bf16[4, 6]\"):\n"
                         "    a = torch.sin(x)\n    b = a * y\n    return (b,)\n");
    ck_assert_int_eq(tool("load $D/low.py\nbind --random\ngrad all\ngrad --check"), 0);
    sees("agree with central differences");
    ck_assert_int_eq(tool("load $D/low.py\nbind --random\ngrad all\n"
                          "edit %grad_y = prims.mul(cot_0, 3.0)\ngrad --check"), 1);
    sees("the gradient of %y gives a slope of");
    ck_assert_int_eq(tool("load examples/tiny_gpt.py\nbind --random 2\ngrad all\n"
                          "pass on autocast\ngrad --check"), 0);
}
END_TEST

/* A step of the differences goes over places where two elements of a sort change places. */
START_TEST(a_kink_is_no_wrong_gradient)
{
    write_text("kink.py", "def f(x: \"f32[64, 300]\", y: \"f32[64, 300]\"):\n"
                          "    return torch.sort(x * y, -1, descending=True)[0] * y\n");
    ck_assert_int_eq(tool("load $D/kink.py\nbind --random\ngrad all\ngrad --check"), 0);
    ck_assert_int_eq(tool("load $D/kink.py\nbind --random\ngrad all\n"
                          "edit %grad_y = prims.mul(cot_0, 3.0)\ngrad --check"), 1);
}
END_TEST

START_TEST(gradients_that_are_not_compared_are_told)
{
    ck_assert_int_eq(tool("load examples/mlp.py\nbind --random\ngrad all\n"
                          "compare acquired last"), 0);
    sees("one of the two has no gradients");
    ck_assert_int_eq(tool("load examples/mlp.py\nbind --random\ngrad all\ncompare split last"), 0);
    sees_not("has no gradients");
}
END_TEST

/* Large terms that cancel leave what the last digits of the terms are. */
START_TEST(bisect_allows_for_what_cancels)
{
    write_text("large.py", "def f(x: \"f32[64, 300]\", w: \"f32[300, 32]\"):\n"
                           "    return torch.matmul(x, w)\n");
    ck_assert_int_eq(tool("load $D/large.py\nbind x=torch.randn(64,300)*1000\n"
                          "bind w=torch.randn(300,32)\nbisect"), 0);
    sees("nothing fails");
}
END_TEST

START_TEST(bisect_judges_the_gradients_of_an_edited_stage)
{
    static const char *const stages[] = {"joint", "split", "last"};
    for (size_t i = 0; i < ARRAY_LEN(stages); i++) {
        StrBuf line = {0};
        sb_printf(&line, "load examples/mlp.py\nbind --random\ngrad all\ngoto %s\n"
                         "edit %%grad_L_args_0_ = L_args_0_ * 2\nbisect", stages[i]);
        ck_assert_int_eq(tool(sb_cstr(&line)), 1);
        sees("wrong-gradient");
        sb_free(&line);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *su = suite_create("compare");
    TCase *t = tcase_create("compare");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, keeping_f32_between_operators_is_rounding);
    tcase_add_test(t, an_epilogue_that_scales_the_product_but_not_the_bias_is_wrong);
    tcase_add_test(t, a_small_rest_of_large_operands_is_cancellation);
    tcase_add_test(t, dtypes_that_differ_are_compared_in_the_narrower);
    tcase_add_test(t, a_wrong_function_with_small_errors_is_wrong);
    tcase_add_test(t, a_variance_of_what_is_rounded_is_rounding);
    tcase_add_test(t, what_rounding_cannot_explain_differs_however_little);
    tcase_add_test(t, the_first_divergence_inside_a_fusion_is_named);
    tcase_add_test(t, special_values_go_through_every_input);
    tcase_add_test(t, a_lost_sign_of_zero_shows_with_special_values_only);
    tcase_add_test(t, bindings_come_back_after_special_values);
    tcase_add_test(t, results_are_compared_that_no_value_stands_for);
    tcase_add_test(t, gradients_in_low_precision_are_checked);
    tcase_add_test(t, a_kink_is_no_wrong_gradient);
    tcase_add_test(t, gradients_that_are_not_compared_are_told);
    tcase_add_test(t, bisect_allows_for_what_cancels);
    tcase_add_test(t, bisect_judges_the_gradients_of_an_edited_stage);
    suite_add_tcase(su, t);
    return su;
}

int main(void)
{
    return run_suite(suite());
}
