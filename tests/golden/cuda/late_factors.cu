// rows: 10 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[40, 300]
    const float *__restrict__ in1, // g: cpu f32[40, 300]
    float *__restrict__ out0, // t16: cpu f32[40, 300]
    float *__restrict__ out1, // t18: cpu f32[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    const int i0 = row;
    Vec<float, 4> a0[3];
    Vec<float, 4> a1[3];
    #pragma unroll
    for (int k = 0; k < 3; k++) {
        const int c = t + k * 32;
        if (k == 2 && c >= 75)
            break;
        const int i1 = c * 4;
        a0[k] = load<4>(in1 + 300 * i0 + i1);
        a1[k] = load<4>(in0 + 300 * i0 + i1);
    }
    float acc3 = 0;
    float acc20 = 0;
    const float v15 = 3.0f;
    #pragma unroll
    for (int k = 0; k < 3; k++) {
        const int c = t + k * 32;
        if (k == 2 && c >= 75)
            break;
        const int i1 = c * 4;
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v1 = get(a1[k], j); // x
            const float v2 = v1 * v1; // t0
            acc3 += v2;
            const float v0 = get(a0[k], j); // g
            const float v17 = v0 * v1;
            const float v19 = v17 * v15;
            acc20 += v19;
        }
    }
    float all3[2] = {acc3, acc20};
    fold_lanes<Sum, 32>(all3);
    acc3 = all3[0];
    acc20 = all3[1];
    const float v3 = (float)acc3; // t1
    const float v5 = 300.0f;
    const float v6 = v3 / v5; // t3
    const float v8 = 0.00100000005f;
    const float v9 = v6 + v8; // t4
    const float v10 = rsqrt_f(v9); // r
    const float v18 = v10 * v10; // t17
    const float v20 = (float)acc20;
    const float v21 = v18 * v20; // t12
    #pragma unroll
    for (int k = 0; k < 3; k++) {
        const int c = t + k * 32;
        if (k == 2 && c >= 75)
            break;
        const int i1 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // g
            const float v1 = get(a1[k], j); // x
            const float v22 = v1 * v21; // t15
            const float v23 = v0 - v22; // t16
            b0[j] = v23;
        }
        store<4>(out0 + 300 * i0 + i1, b0);
    }
    if (t == 0) {
        ((float *)(scratch + 0))[i0] = v18;
    }
}

// folds what rows came to: 1 x 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel0_1(
    const float *__restrict__ in0, // x: cpu f32[40, 300]
    const float *__restrict__ in1, // g: cpu f32[40, 300]
    float *__restrict__ out0, // t16: cpu f32[40, 300]
    float *__restrict__ out1, // t18: cpu f32[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const float *part24 = (const float *)(scratch + 0);
    float acc24[1] = {0};
    #pragma unroll 8
    for (int n = threadIdx.x; n < 40; n += 64)
        acc24[0] = Sum::of(acc24[0], part24[n]);
    fold_columns<Sum, 1, 64, 1>(acc24);
    const float v24 = (float)acc24[0]; // t18
    if (threadIdx.x == 0) {
        set(out1[0], v24);
    }
}

