// rows: 2 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[6, 50]
    float *__restrict__ out0, // t14: cpu f32[6, 1]
    float *__restrict__ out1, // t18: cpu f32[6, 50]
    float *__restrict__ out2, // t19: cpu f32[6, 50]
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
    float acc16 = 0;
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
            const float v14 = v0 - v1; // t5
            const float v15 = exp_coarse(v14); // t6
            acc16 += v15;
        }
    }
    acc8 = fold_lanes<Min, 32>(acc8);
    acc16 = fold_lanes<Sum, 32>(acc16);
    const float v20 = 2.0f;
    const int64_t v8 = (int64_t)acc8; // t0
    const int q3 = (int)index_i(v8, 50, &bad);
    const float v22 = (float)v8; // t16
    const float v24 = 0.5f;
    const float v25 = v22 * v24; // t17
    const float v29 = 0.0f;
    const float v33 = 3.0f;
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
            const float v21 = v0 * v20; // t15
            const uint8_t v27 = i1 + j == q3;
            const float v30 = v27 ? v25 : v29;
            const float v31 = v21 + v30; // t18
            b1[j] = v31;
            const float v34 = v27 ? v33 : v0; // t19
            b2[j] = v34;
        }
        store<2>(out1 + 50 * i0 + i1, b1);
        store<2>(out2 + 50 * i0 + i1, b2);
    }
    const int64_t v9 = (int64_t)3;
    const int64_t v10 = (int64_t)(v8 + v9); // t12
    const int64_t v11 = (int64_t)(remainder_i(v10, v3, &bad)); // t13
    const int q2 = (int)index_i(v11, 50, &bad);
    const float v12 = get(in0[50 * i0 + q2]); // x
    const float v13 = v12 - v1; // t5
    const float v16 = (float)acc16; // t7
    const float v17 = log_f(v16); // t9
    const float v18 = v13 - v17; // t11
    if (t == 0) {
        set(out0[i0], v18);
    }
}

