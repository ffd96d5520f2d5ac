// rows, and parts of folds across them: 18 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128, 3)
kernel0(
    const bf16 *__restrict__ in0, // x: cpu bf16[70, 512]
    const bf16 *__restrict__ in1, // w: cpu bf16[512]
    const bf16 *__restrict__ in2, // t: cpu bf16[70, 512]
    float *__restrict__ out0, // n: cpu f32[70, 512]
    float *__restrict__ out1, // t20: cpu f32[]
    float *__restrict__ out2, // t22: cpu f32[]
    float *__restrict__ out3, // t24: cpu f32[512]
    float *__restrict__ out4, // t25: cpu f32[70]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<1024, 128>(in1);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, split = blockIdx.x * 4 + threadIdx.x / 32;
    float *part38 = (float *)(scratch + 1024);
    float acc38[2][8];
    #pragma unroll
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 8; j++)
            acc38[k][j] = 0;
    #pragma unroll 1
    for (int row = split, turn = 0; row < 70; row += 72, turn ^= 1) {
        const int i0 = row;
        Vec<bf16, 8> a0[2];
        Vec<bf16, 8> a19[2];
        #pragma unroll
        for (int k = 0; k < 2; k++) {
            const int c = t + k * 32;
            const int i1 = c * 8;
            a0[k] = load<8>(in0 + 512 * i0 + i1);
            a19[k] = load<8>(in2 + 512 * i0 + i1);
        }
        float acc3 = 0;
        #pragma unroll
        for (int k = 0; k < 2; k++) {
            const int c = t + k * 32;
            const int i1 = c * 8;
            #pragma unroll
            for (int j = 0; j < 8; j++) {
                const float v0 = get(a0[k], j); // x
                const float v1 = (float)v0; // t0
                const float v2 = (float)v1;
                acc3 += v2;
            }
        }
        acc3 = fold_lanes<Sum, 32>(acc3);
        float acc8 = 0;
        const float v3 = (float)acc3;
        const float v4 = v3 / 512.0f;
        #pragma unroll
        for (int k = 0; k < 2; k++) {
            const int c = t + k * 32;
            const int i1 = c * 8;
            #pragma unroll
            for (int j = 0; j < 8; j++) {
                const float v0 = get(a0[k], j); // x
                const float v1 = (float)v0; // t0
                const float v2 = (float)v1;
                const float v7 = (v2 - v4) * (v2 - v4);
                acc8 += v7;
            }
        }
        acc8 = fold_lanes<Sum, 32>(acc8);
        float acc23 = 0;
        float acc35 = -INF_F;
        float acc39 = 0;
        const float v5 = (float)v4; // t3
        const float v8 = (float)acc8;
        const float v9 = v8 / 512.0f;
        const float v10 = (float)v9; // t2
        const float v12 = 9.99999975e-06f;
        const float v13 = v10 + v12; // t6
        const float v14 = rsqrt_f(v13); // t7
        #pragma unroll
        for (int k = 0; k < 2; k++) {
            const int c = t + k * 32;
            const int i1 = c * 8;
            const Vec<bf16, 8> a16 = load<8>(in1 + i1);
            #pragma unroll
            for (int j = 0; j < 8; j++) {
                const float v0 = get(a0[k], j); // x
                const float v1 = (float)v0; // t0
                const float v6 = v1 - v5; // t9
                const float v15 = v6 * v14; // t11
                const float v16 = get(a16, j); // w
                const float v17 = (float)v16; // t1
                const float v18 = v15 * v17; // n
                const float v19 = get(a19[k], j); // t
                const float v20 = (float)v19; // t14
                const float v21 = v18 - v20; // d
                const float v22 = v21 * v21; // t16
                acc23 += v22;
                const float v34 = fabs_f(v21); // t21
                acc35 = larger(acc35, v34);
                acc39 += v21;
            }
        }
        float all23[2] = {acc23, acc39};
        fold_lanes<Sum, 32>(all23);
        acc23 = all23[0];
        acc39 = all23[1];
        acc35 = fold_lanes<Max, 32>(acc35);
        #pragma unroll
        for (int k = 0; k < 2; k++) {
            const int c = t + k * 32;
            const int i1 = c * 8;
            const Vec<bf16, 8> a16 = load<8>(in1 + i1);
            float b0[8];
            #pragma unroll
            for (int j = 0; j < 8; j++) {
                const float v0 = get(a0[k], j); // x
                const float v1 = (float)v0; // t0
                const float v6 = v1 - v5; // t9
                const float v15 = v6 * v14; // t11
                const float v16 = get(a16, j); // w
                const float v17 = (float)v16; // t1
                const float v18 = v15 * v17; // n
                b0[j] = v18;
                const float v19 = get(a19[k], j); // t
                const float v20 = (float)v19; // t14
                const float v21 = v18 - v20; // d
                const float v37 = v21 * v18; // t23
                acc38[k][j] += v37;
            }
            store<8>(out0 + 512 * i0 + i1, b0);
        }
        const float v39 = (float)acc39; // t25
        const float v23 = (float)acc23;
        const float v35 = (float)acc35;
        if (t == 0) {
            set(out4[i0], v39);
            ((float *)(scratch + 0))[i0] = v23;
            ((float *)(scratch + 512))[i0] = v35;
        }
    }
    __shared__ float meet[4][512];
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        const int i1 = c * 8;
        #pragma unroll
        for (int j = 0; j < 8; j++)
            meet[threadIdx.x / 32][i1 + j] = acc38[k][j];
    }
    __syncthreads();
    for (int n = threadIdx.x; n < 512; n += 128) {
        float v = meet[0][n];
        for (int k = 1; k < 4; k++)
            v = Sum::of(v, meet[k][n]);
        part38[blockIdx.x * 512 + n] = v;
    }
    __syncthreads();
}

// folds the parts: 16 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_1(
    const bf16 *__restrict__ in0, // x: cpu bf16[70, 512]
    const bf16 *__restrict__ in1, // w: cpu bf16[512]
    const bf16 *__restrict__ in2, // t: cpu bf16[70, 512]
    float *__restrict__ out0, // n: cpu f32[70, 512]
    float *__restrict__ out1, // t20: cpu f32[]
    float *__restrict__ out2, // t22: cpu f32[]
    float *__restrict__ out3, // t24: cpu f32[512]
    float *__restrict__ out4, // t25: cpu f32[70]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<1024, 256>(in1);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
    const bool live = blockIdx.x * 32 + tx < 512;
    const int n = live ? blockIdx.x * 32 + tx : 0;
    const int i1 = n;
    float *part38 = (float *)(scratch + 1024);
    float acc38[1] = {0};
    #pragma unroll 4
    for (int split = ty; split < 18; split += 8) {
        acc38[0] = Sum::of(acc38[0], part38[split * 512 + n]);
    }
    fold_columns<Sum, 32, 8, 1>(acc38);
    const float v38 = (float)acc38[0]; // t24
    if (ty == 0 && live) {
        set(out3[i1], v38);
    }
}

// folds what rows came to: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0_2(
    const bf16 *__restrict__ in0, // x: cpu bf16[70, 512]
    const bf16 *__restrict__ in1, // w: cpu bf16[512]
    const bf16 *__restrict__ in2, // t: cpu bf16[70, 512]
    float *__restrict__ out0, // n: cpu f32[70, 512]
    float *__restrict__ out1, // t20: cpu f32[]
    float *__restrict__ out2, // t22: cpu f32[]
    float *__restrict__ out3, // t24: cpu f32[512]
    float *__restrict__ out4, // t25: cpu f32[70]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<1024, 128>(in1);
    let_later_begin();
    wait_for_earlier();
    const float *part24 = (const float *)(scratch + 0);
    float acc24[1] = {0};
    #pragma unroll 8
    for (int n = threadIdx.x; n < 70; n += 128)
        acc24[0] = Sum::of(acc24[0], part24[n]);
    fold_columns<Sum, 1, 128, 1>(acc24);
    const float *part36 = (const float *)(scratch + 512);
    float acc36[1] = {-INF_F};
    #pragma unroll 8
    for (int n = threadIdx.x; n < 70; n += 128)
        acc36[0] = Max::of(acc36[0], part36[n]);
    fold_columns<Max, 1, 128, 1>(acc36);
    const float v24 = (float)acc24[0]; // t17
    const float v26 = 35840.0f;
    const float v27 = v24 / v26; // m
    const float v29 = 2.0f;
    const float v30 = v27 * v29; // t19
    const float v32 = 1.0f;
    const float v33 = v30 + v32; // t20
    const float v36 = (float)acc36[0]; // t22
    if (threadIdx.x == 0) {
        set(out1[0], v33);
        set(out2[0], v36);
    }
}

