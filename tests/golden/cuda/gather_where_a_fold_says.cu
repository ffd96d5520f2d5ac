// rows: 2 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[6, 51]
    const float *__restrict__ in1, // q: cpu f32[51]
    float *__restrict__ out0, // n: cpu f32[6, 1]
    float *__restrict__ out1, // t11: cpu f32[6, 51]
    int *error)
{
    int &bad = *error;
    ask_for<1224, 128>(in0);
    ask_for<204, 128>(in1);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= 6)
        return;
    const int i0 = row;
    Vec<float, 1> a0[2];
    Vec<float, 1> a7[2];
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        if (k == 1 && c >= 51)
            break;
        const int i1 = c;
        a0[k].x[0] = in0[51 * i0 + i1];
        a7[k].x[0] = in1[i1];
    }
    float acc1 = 0;
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        if (k == 1 && c >= 51)
            break;
        const int i1 = c;
        const float v0 = get(a0[k], 0); // x
        acc1 += v0;
    }
    acc1 = fold_lanes<Sum, 32>(acc1);
    const float v1 = (float)acc1; // t0
    const float v3 = 0.0f;
    const uint8_t v4 = (v1 > v3) != 0; // t2
    const float v6 = 2.0f;
    const float v10 = 9.0f;
    const int64_t v14 = (int64_t)51;
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        if (k == 1 && c >= 51)
            break;
        const int i1 = c;
        const float v7 = get(a7[k], 0); // q
        const float v8 = fabs_f(v7); // t3
        const float v11 = v8 * v10; // t4
        const float v12 = v4 ? v6 : v11; // t7
        const int64_t v13 = (int64_t)(int64_t)v12; // t8
        const int64_t v15 = (int64_t)(remainder_i(v13, v14, &bad)); // i
        const int q2 = (int)index_i(v15, 51, &bad);
        const float v16 = get(in0[51 * i0 + q2]); // x
        const float v17 = v16 * v6; // t11
        set(out1[51 * i0 + i1], v17);
    }
    if (t == 0) {
        set(out0[i0], v1);
    }
}

