// rows: 2 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const int64_t *__restrict__ in0, // t0: cpu i64[6]
    const float *__restrict__ in1, // x: cpu f32[6, 50]
    float *__restrict__ out0, // t13: cpu f32[6, 1]
    float *__restrict__ out1, // t17: cpu f32[6, 50]
    float *__restrict__ out2, // t18: cpu f32[6, 50]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    const int t = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= 6)
        return;
    const int i0 = row;
    Vec<float, 2> a4[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 25)
            break;
        const int i1 = c * 2;
        a4[k] = load<2>(in1 + 50 * i0 + i1);
    }
    float acc5 = -INF_F;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 25)
            break;
        const int i1 = c * 2;
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const float v4 = get(a4[k].x[j]); // x
            acc5 = larger(acc5, v4);
        }
    }
    acc5 = fold_lanes<Max, 32>(acc5);
    float acc9 = 0;
    const float v5 = (float)acc5; // t2
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 25)
            break;
        const int i1 = c * 2;
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const float v4 = get(a4[k].x[j]); // x
            const float v7 = v4 - v5; // t5
            const float v8 = exp_coarse(v7); // t6
            acc9 += v8;
        }
    }
    acc9 = fold_lanes<Sum, 32>(acc9);
    const float v13 = 2.0f;
    const int64_t v0 = get(in0[i0]); // t0
    const int q3 = (int)index_i(v0, 50, &bad);
    const float v15 = (float)v0; // t15
    const float v17 = 0.5f;
    const float v18 = v15 * v17; // t16
    const float v23 = 0.0f;
    const float v27 = 3.0f;
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
            const float v4 = get(a4[k].x[j]); // x
            const float v14 = v4 * v13; // t14
            const uint8_t v21 = i1 + j == q3;
            const float v24 = v21 ? v18 : v23;
            const float v25 = v14 + v24; // t17
            b1[j] = v25;
            const float v28 = v21 ? v27 : v4; // t18
            b2[j] = v28;
        }
        store<2>(out1 + 50 * i0 + i1, b1);
        store<2>(out2 + 50 * i0 + i1, b2);
    }
    const int64_t v1 = (int64_t)50;
    const int64_t v2 = (int64_t)(v0 - v1); // t12
    const int q2 = (int)index_i(v2, 50, &bad);
    const float v3 = get(in1[50 * i0 + q2]); // x
    const float v6 = v3 - v5; // t5
    const float v9 = (float)acc9; // t7
    const float v10 = log_f(v9); // t9
    const float v11 = v6 - v10; // t11
    if (t == 0) {
        set(out0[i0], v11);
    }
}

