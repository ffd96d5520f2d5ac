/*
 * check_cuda.c - what CUDA kernels compute, without a GPU.
 *
 * The collection of cuda_rows.h, one program for each way of laying loops over threads: its kernels
 * run on the CPU (cuda_emulator.h) against the oracle, with their blocks' threads in either order,
 * in every schedule, after every part of pass fuse, and with their results over their operands.
 */
#define _GNU_SOURCE
#include "support.h"

#include "cuda_fixture.h"

START_TEST(kernels_give_what_the_oracle_gives)
{
    use_emulator();
    emu_schedule = 0;
    if (no_compiler())
        return;
    check_program(programs[_i].text, programs[_i].tolerance);
}
END_TEST

START_TEST(any_schedule_gives_what_the_oracle_gives)
{
    static const char *const names[] = {"map_broadcast", "softmax_bf16", "softmax_ragged",
                                        "norm_backward", "columns_last"};
    use_emulator();
    if (no_compiler())
        return;
    emu_schedule = (uint32_t)_i;
    for (uint32_t k = 0; k < ARRAY_LEN(names); k++) {
        uint32_t i = 0;
        while (i < ARRAY_LEN(programs) && strcmp(programs[i].name, names[k]) != 0)
            i++;
        ck_assert_msg(i < ARRAY_LEN(programs), "cuda_rows.h has no %s", names[k]);
        check_program(programs[i].text, programs[i].tolerance);
    }
    emu_schedule = 0;
}
END_TEST

/* Pieces that become whole again, what they are pieces of, and a view of a result. */
START_TEST(any_fuel_of_fuse_gives_a_right_program)
{
    const char *text =
        "def f(g: \"f32[2, 6, 32]\", n: \"f32[6, 32]\"):\n"
        "    h = g * n\n    a, b = h[..., :16], h[..., 16:]\n"
        "    y = torch.nn.functional.pad(-a, (16, 0)) + torch.cat((b * 2, a), -1) + g\n"
        "    return (y, torch.matmul(y.reshape(12, 32), n.t()), h.sum((0, 1)))\n";
    use_emulator();
    if (no_compiler())
        return;
    Program *p = load_text(text);
    ck_assert(program_bind_random(s, p, 3, &d));
    int slot = program_find_slot(p, S("fuse"));
    ck_assert_int_ge(slot, 0);
    for (uint64_t fuel = (uint64_t)_i * 3; fuel < ((uint64_t)_i + 1) * 3; fuel++) {
        ck_assert(program_slot_fuel(s, p, (uint32_t)slot, fuel, &d));
        check_last(p, text, 2e-5);
    }
}
END_TEST

/* Right in every schedule, also then: rows that wait in registers, in shared memory and nowhere,
 * rows with sums across them, columns, chunks of rows, tiles. */
static const char *const in_place[] = {
    "def f(x: \"bf16[70, 300]\"):\n    return (torch.softmax(x, -1), x.amax(1))\n",
    "def f(g: \"f32[300, 32]\", x: \"f32[300, 32]\"):\n"
    "    h = g - (g * x).sum(1, keepdim=True) * x\n    return (h, (h * x).sum(0))\n",
    "def f(x: \"f32[300, 64]\", w: \"f32[64]\"):\n    return ((x - x.mean(0)) * w,)\n",
    "def f(x: \"f32[45, 77]\", y: \"f32[77, 45]\", b: \"f32[45]\"):\n"
    "    return (x.t() * y + b,)\n",
    "def f(x: \"bf16[70, 300]\", i: \"i64[70, 1]\"):\n    p = torch.softmax(x, -1)\n"
    "    return (p, torch.gather(x - x.amax(1, keepdim=True), 1, i) * 2)\n",
    "def f(x: \"f32[3, 20000]\", i: \"i64[3, 1]\"):\n    p = torch.softmax(x, -1)\n"
    "    return (p, torch.gather(x - x.amax(1, keepdim=True), 1, i) * 2)\n",
};

START_TEST(results_lie_over_operands_in_every_schedule)
{
    use_emulator();
    if (no_compiler())
        return;
    for (emu_schedule = 0; emu_schedule < 7; emu_schedule++) {
        Program *p = load_text(in_place[_i]);
        ck_assert(program_bind_random(s, p, 3, &d));
        put_over = 0;
        check_last(p, in_place[_i], 3e-2);
        ck_assert_uint_gt(put_over, 0);
        session_unload(s, p);
    }
    emu_schedule = 0;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda");
    TCase *c = tcase_create("cuda");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 250);
    tcase_add_loop_test(c, kernels_give_what_the_oracle_gives, 0, (int)ARRAY_LEN(programs));
    tcase_add_loop_test(c, any_schedule_gives_what_the_oracle_gives, 1, 8);
    tcase_add_loop_test(c, any_fuel_of_fuse_gives_a_right_program, 0, 6);
    tcase_add_loop_test(c, results_lie_over_operands_in_every_schedule, 0,
                        (int)ARRAY_LEN(in_place));
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
