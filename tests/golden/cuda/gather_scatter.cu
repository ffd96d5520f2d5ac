// rows: 2 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[6, 50]
    float *__restrict__ out0, // t13: cpu f32[6, 1]
    float *__restrict__ out1, // t17: cpu f32[6, 50]
    float *__restrict__ out2, // t18: cpu f32[6, 50]
    int *error)
{
    int &bad = *error;
    ask_for<1200, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= 6)
        return;
    const int i0 = row;
    Vec<float, 2> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 25)
            break;
        const int i1 = c * 2;
        a0[k] = load<2>(in0 + 50 * i0 + i1);
    }
    float acc1 = -INF_F;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 25)
            break;
        const int i1 = c * 2;
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const float v0 = get(a0[k], j); // x
            acc1 = larger(acc1, v0);
        }
    }
    acc1 = fold_lanes<Max, 32>(acc1);
    int64_t acc8 = (int64_t)~((uint64_t)1 << 63);
    float acc14 = 0;
    const float v1 = (float)acc1; // t2
    const int64_t v3 = (int64_t)50;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 25)
            break;
        const int i1 = c * 2;
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const float v0 = get(a0[k], j); // x
            const uint8_t v6 = v0 == v0;
            const uint8_t v4 = v0 == v1;
            const int64_t v2 = i1 + j;
            const int64_t v5 = v4 ? v2 : v3;
            const int64_t v7 = v6 ? v5 : v2;
            acc8 = smaller(acc8, v7);
            const float v12 = v0 - v1; // t5
            const float v13 = exp_coarse(v12); // t6
            acc14 += v13;
        }
    }
    acc8 = fold_lanes<Min, 32>(acc8);
    acc14 = fold_lanes<Sum, 32>(acc14);
    const float v18 = 2.0f;
    const int64_t v8 = (int64_t)acc8; // t0
    const int q3 = (int)index_i(v8, 50, &bad);
    const float v20 = (float)v8; // t15
    const float v22 = 0.5f;
    const float v23 = v20 * v22; // t16
    const float v27 = 0.0f;
    const float v31 = 3.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 25)
            break;
        const int i1 = c * 2;
        float b1[2];
        float b2[2];
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const float v0 = get(a0[k], j); // x
            const float v19 = v0 * v18; // t14
            const uint8_t v25 = i1 + j == q3;
            const float v28 = v25 ? v23 : v27;
            const float v29 = v19 + v28; // t17
            b1[j] = v29;
            const float v32 = v25 ? v31 : v0; // t18
            b2[j] = v32;
        }
        store<2>(out1 + 50 * i0 + i1, b1);
        store<2>(out2 + 50 * i0 + i1, b2);
    }
    const int64_t v9 = (int64_t)(v8 - v3); // t12
    const int q2 = (int)index_i(v9, 50, &bad);
    const float v10 = get(in0[50 * i0 + q2]); // x
    const float v11 = v10 - v1; // t5
    const float v14 = (float)acc14; // t7
    const float v15 = log_f(v14); // t9
    const float v16 = v11 - v15; // t11
    if (t == 0) {
        set(out0[i0], v16);
    }
}

