// rows, and parts of folds across them: 16 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128, 10)
kernel0(
    const bf16 *__restrict__ in0, // g: cpu bf16[64, 64]
    const bf16 *__restrict__ in1, // w: cpu bf16[64]
    const bf16 *__restrict__ in2, // x: cpu bf16[64, 64]
    float *__restrict__ out0, // t7: cpu f32[64]
    float *__restrict__ out1, // t11: cpu f32[64, 1]
    float *__restrict__ out2, // t12: cpu f32[64, 64]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<8192, 128>(in0);
    ask_for<128, 128>(in1);
    ask_for<8192, 128>(in2);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, split = blockIdx.x * 4 + threadIdx.x / 32;
    float *part5 = (float *)(scratch + 0);
    float acc5[1][8];
    #pragma unroll
    for (int k = 0; k < 1; k++)
        for (int j = 0; j < 8; j++)
            acc5[k][j] = 0;
    #pragma unroll 1
    for (int row = split, turn = 0; row < 64; row += 64, turn ^= 1) {
        const int i0 = row;
        Vec<bf16, 8> a0[1];
        Vec<bf16, 8> a2[1];
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 8)
                break;
            const int i1 = c * 8;
            a0[k] = load<8>(in0 + 64 * i0 + i1);
            a2[k] = load<8>(in2 + 64 * i0 + i1);
        }
        float acc10 = 0;
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 8)
                break;
            const int i1 = c * 8;
            const Vec<bf16, 8> a6 = load<8>(in1 + i1);
            #pragma unroll
            for (int j = 0; j < 8; j++) {
                const float v0 = get(a0[k], j); // g
                const float v1 = (float)v0; // t0
                const float v6 = get(a6, j); // w
                const float v7 = (float)v6; // t1
                const float v8 = v1 * v7; // d
                const float v2 = get(a2[k], j); // x
                const float v3 = (float)v2; // t5
                const float v9 = v8 * v3; // t9
                acc10 += v9;
            }
        }
        acc10 = fold_lanes<Sum, 32>(acc10);
        const float v12 = 1.0f;
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 8)
                break;
            const int i1 = c * 8;
            const Vec<bf16, 8> a6 = load<8>(in1 + i1);
            float b2[8];
            #pragma unroll
            for (int j = 0; j < 8; j++) {
                const float v0 = get(a0[k], j); // g
                const float v1 = (float)v0; // t0
                const float v6 = get(a6, j); // w
                const float v7 = (float)v6; // t1
                const float v8 = v1 * v7; // d
                const float v13 = v8 + v12; // t12
                b2[j] = v13;
                const float v2 = get(a2[k], j); // x
                const float v3 = (float)v2; // t5
                const float v4 = v1 * v3; // t6
                acc5[k][j] += v4;
            }
            store<8>(out2 + 64 * i0 + i1, b2);
        }
        const float v10 = (float)acc10; // t10
        if (t == 0) {
            set(out1[i0], v10);
        }
    }
    __shared__ float meet[4][64];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 8)
            break;
        const int i1 = c * 8;
        #pragma unroll
        for (int j = 0; j < 8; j++)
            meet[threadIdx.x / 32][i1 + j] = acc5[k][j];
    }
    __syncthreads();
    for (int n = threadIdx.x; n < 64; n += 128) {
        float v = meet[0][n];
        for (int k = 1; k < 4; k++)
            v = Sum::of(v, meet[k][n]);
        part5[blockIdx.x * 64 + n] = v;
    }
    __syncthreads();
}

// folds the parts: 2 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_1(
    const bf16 *__restrict__ in0, // g: cpu bf16[64, 64]
    const bf16 *__restrict__ in1, // w: cpu bf16[64]
    const bf16 *__restrict__ in2, // x: cpu bf16[64, 64]
    float *__restrict__ out0, // t7: cpu f32[64]
    float *__restrict__ out1, // t11: cpu f32[64, 1]
    float *__restrict__ out2, // t12: cpu f32[64, 64]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<8192, 256>(in0);
    ask_for<128, 256>(in1);
    ask_for<8192, 256>(in2);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
    const bool live = blockIdx.x * 32 + tx < 64;
    const int n = live ? blockIdx.x * 32 + tx : 0;
    const int i1 = n;
    float *part5 = (float *)(scratch + 0);
    float acc5[1] = {0};
    #pragma unroll 4
    for (int split = ty; split < 16; split += 8) {
        acc5[0] = Sum::of(acc5[0], part5[split * 64 + n]);
    }
    fold_columns<Sum, 32, 8, 1>(acc5);
    const float v5 = (float)acc5[0]; // t7
    if (ty == 0 && live) {
        set(out0[i1], v5);
    }
}

