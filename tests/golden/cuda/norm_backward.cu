// rows, and parts of folds across them: 70 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128, 8)
kernel0(
    const bf16 *__restrict__ in0, // x: cpu bf16[70, 1024]
    const bf16 *__restrict__ in1, // g: cpu bf16[70, 1024]
    const bf16 *__restrict__ in2, // w: cpu bf16[1024]
    bf16 *__restrict__ out0, // t18: cpu bf16[70, 1024]
    float *__restrict__ out1, // t21: cpu f32[1024]
    float *__restrict__ out2, // t23: cpu f32[1024]
    float *__restrict__ out3, // t25: cpu f32[1024]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<2048, 128>(in2);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x, split = blockIdx.x;
    float *part19 = (float *)(scratch + 0);
    float *part20 = (float *)(scratch + 286720);
    float *part22 = (float *)(scratch + 573440);
    float acc19[1][8];
    #pragma unroll
    for (int k = 0; k < 1; k++)
        for (int j = 0; j < 8; j++)
            acc19[k][j] = 0;
    float acc20[1][8];
    #pragma unroll
    for (int k = 0; k < 1; k++)
        for (int j = 0; j < 8; j++)
            acc20[k][j] = 0;
    float acc22[1][8];
    #pragma unroll
    for (int k = 0; k < 1; k++)
        for (int j = 0; j < 8; j++)
            acc22[k][j] = -INF_F;
    #pragma unroll 1
    for (int row = split, turn = 0; row < 70; row += 70, turn ^= 1) {
        const int i0 = row;
        Vec<bf16, 8> a0[1];
        Vec<bf16, 8> a5[1];
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 128;
            const int i1 = c * 8;
            a0[k] = load<8>(in1 + 1024 * i0 + i1);
            a5[k] = load<8>(in0 + 1024 * i0 + i1);
        }
        float acc7 = 0;
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 128;
            const int i1 = c * 8;
            #pragma unroll
            for (int j = 0; j < 8; j++) {
                const float v5 = get(a5[k], j); // x
                const float v6 = (float)v5; // t0
                acc7 += v6;
            }
        }
        __shared__ float fold7[4];
        fold_to<Sum>(acc7, fold7);
        __syncthreads();
        acc7 = fold_from<Sum, 4>(fold7);
        float acc13 = 0;
        const float v7 = (float)acc7; // t2
        const float v9 = 1024.0f;
        const float v10 = v7 / v9; // t4
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 128;
            const int i1 = c * 8;
            const Vec<bf16, 8> a2 = load<8>(in2 + i1);
            #pragma unroll
            for (int j = 0; j < 8; j++) {
                const float v0 = get(a0[k], j); // g
                const float v1 = (float)v0; // t7
                const float v2 = get(a2, j); // w
                const float v3 = (float)v2; // t8
                const float v4 = v1 * v3; // b
                const float v5 = get(a5[k], j); // x
                const float v6 = (float)v5; // t0
                const float v11 = v6 - v10; // a
                const float v12 = v4 * v11; // t11
                acc13 += v12;
            }
        }
        __shared__ float fold13[4];
        fold_to<Sum>(acc13, fold13);
        __syncthreads();
        acc13 = fold_from<Sum, 4>(fold13);
        const float v13 = (float)acc13; // t12
        const float v14 = div_coarse(v13, v9); // t14
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 128;
            const int i1 = c * 8;
            const Vec<bf16, 8> a2 = load<8>(in2 + i1);
            float b0[8];
            #pragma unroll
            for (int j = 0; j < 8; j++) {
                const float v0 = get(a0[k], j); // g
                const float v1 = (float)v0; // t7
                const float v2 = get(a2, j); // w
                const float v3 = (float)v2; // t8
                const float v4 = v1 * v3; // b
                const float v5 = get(a5[k], j); // x
                const float v6 = (float)v5; // t0
                const float v11 = v6 - v10; // a
                const float v15 = v14 * v11; // t16
                const float v16 = v4 - v15; // c
                b0[j] = v16;
                const float v18 = v1 * v11; // t20
                acc19[k][j] += v18;
                acc20[k][j] += v1;
                const float v21 = v11 * v11; // t24
                acc22[k][j] = larger(acc22[k][j], v21);
            }
            store<8>(out0 + 1024 * i0 + i1, b0);
        }
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 128;
        const int i1 = c * 8;
        store<8>(part19 + split * 1024 + i1, acc19[k]);
        store<8>(part20 + split * 1024 + i1, acc20[k]);
        store<8>(part22 + split * 1024 + i1, acc22[k]);
    }
}

// folds the parts: 128 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_1(
    const bf16 *__restrict__ in0, // x: cpu bf16[70, 1024]
    const bf16 *__restrict__ in1, // g: cpu bf16[70, 1024]
    const bf16 *__restrict__ in2, // w: cpu bf16[1024]
    bf16 *__restrict__ out0, // t18: cpu bf16[70, 1024]
    float *__restrict__ out1, // t21: cpu f32[1024]
    float *__restrict__ out2, // t23: cpu f32[1024]
    float *__restrict__ out3, // t25: cpu f32[1024]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<2048, 256>(in2);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    const bool live = blockIdx.x * 8 + tx < 1024;
    const int n = live ? blockIdx.x * 8 + tx : 0;
    const int i1 = n;
    float *part19 = (float *)(scratch + 0);
    float *part20 = (float *)(scratch + 286720);
    float *part22 = (float *)(scratch + 573440);
    float acc19[1] = {0};
    float acc20[1] = {0};
    float acc22[1] = {-INF_F};
    #pragma unroll 4
    for (int split = ty; split < 70; split += 32) {
        acc19[0] = Sum::of(acc19[0], part19[split * 1024 + n]);
        acc20[0] = Sum::of(acc20[0], part20[split * 1024 + n]);
        acc22[0] = Max::of(acc22[0], part22[split * 1024 + n]);
    }
    fold_columns<Sum, 8, 32, 1>(acc19);
    fold_columns<Sum, 8, 32, 1>(acc20);
    fold_columns<Max, 8, 32, 1>(acc22);
    const float v19 = (float)acc19[0]; // t21
    const float v20 = (float)acc20[0]; // t23
    const float v22 = (float)acc22[0]; // t25
    if (ty == 0 && live) {
        set(out1[i1], v19);
        set(out2[i1], v20);
        set(out3[i1], v22);
    }
}

