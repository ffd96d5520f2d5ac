// columns: 4 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128, 2)
kernel0(
    const float *__restrict__ in0, // s: cpu f32[5, 5]
    float *__restrict__ out0, // t16: cpu f32[10, 5, 5]
    int *error)
{
    int &bad = *error;
    ask_for<100, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const bool live = blockIdx.x * 16 + tx < 50;
    const int c = live ? blockIdx.x * 16 + tx : 49;
    const int i2 = c % 5;
    const int i0 = c / 5;
    const float v3 = 3.0f;
    const int64_t v6 = (int64_t)10;
    const int64_t v9 = i0; // t4
    const float v12 = INF_F;
    #pragma unroll 16
    for (int r = ty; r < 5; r += 8) {
        const int i1 = r;
        const float v0 = get(in0[5 * i1 + i2]); // s
        const float v1 = fabs_f(v0); // t0
        const float v4 = v1 * v3; // t1
        const int64_t v5 = (int64_t)(int64_t)v4; // t2
        const int64_t v7 = (int64_t)(remainder_i(v5, v6, &bad)); // i
        const int q3 = (int)index_i(v7, 10, &bad);
        const int64_t v8 = q3; // t7
        const uint8_t v10 = (as_index(v8) == i0) != 0; // t13
        const float v13 = v10 ? v0 : v12; // t16
        if (live) set(out0[25 * i0 + 5 * i1 + i2], v13);
    }
}

// columns: 4 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128, 2)
kernel1(
    const float *__restrict__ in0, // x: cpu f32[10, 5]
    const float *__restrict__ in1, // t16: cpu f32[10, 5, 5]
    float *__restrict__ out0, // t19: cpu f32[10, 5]
    int *error)
{
    int &bad = *error;
    ask_for<200, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const bool live = blockIdx.x * 16 + tx < 50;
    const int c = live ? blockIdx.x * 16 + tx : 49;
    const int i2 = c % 5;
    const int i0 = c / 5;
    float acc12[1] = {INF_F};
    const int64_t v7 = (int64_t)5;
    const int64_t v6 = (int64_t)4;
    const float v4 = get(in0[5 * i0 + i2]); // x
    #pragma unroll 16
    for (int r = ty; r < 6; r += 8) {
        const int i1 = r;
        const int64_t v5 = i1;
        const uint8_t v8 = v5 < v7;
        const int64_t v9 = v8 ? v5 : v6;
        const int q4 = (int)index_i(v9, 5, &bad);
        const float v10 = get(in1[25 * i0 + i2 + 5 * q4]); // t16
        const float v11 = v8 ? v10 : v4; // t18
        acc12[0] = smaller(acc12[0], v11);
    }
    fold_columns<Min, 16, 8, 1>(acc12);
    const float v12 = (float)acc12[0]; // t19
    if (ty == 0 && live) {
        set(out0[5 * i0 + i2], v12);
    }
}

