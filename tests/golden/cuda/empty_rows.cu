// columns: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel0(
    const float *__restrict__ in0, // t0: cpu f32[0]
    const float *__restrict__ in1, // x: cpu f32[0, 5]
    float *__restrict__ out0, // a: cpu f32[0, 5]
    float *__restrict__ out1, // t8: cpu f32[5]
    float *__restrict__ out2, // t10: cpu f32[5]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    const bool live = blockIdx.x * 8 + tx < 5;
    const int c = live ? blockIdx.x * 8 + tx : 4;
    const int i1 = c;
    float acc3[1] = {0};
    double acc7[1] = {1};
    const float v5 = 1.0f;
    #pragma unroll 4
    for (int r = ty; r < 0; r += 4) {
        const int i0 = r;
        const float v0 = get(in1[5 * i0 + i1]); // x
        const float v1 = get(in0[i0]); // t0
        const float v2 = v0 * v1; // a
        acc3[0] += v2;
        const float v6 = v2 + v5; // t9
        acc7[0] *= v6;
        if (live) set(out0[5 * i0 + i1], v2);
    }
    fold_columns<Sum, 8, 4, 1>(acc3);
    fold_columns<Prod, 8, 4, 1>(acc7);
    const float v3 = (float)acc3[0]; // t8
    const float v7 = (float)acc7[0]; // t10
    if (ty == 0 && live) {
        set(out1[i1], v3);
        set(out2[i1], v7);
    }
}

// rows, and parts of folds across them: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128, 14)
kernel1(
    const float *__restrict__ in0, // y: cpu f32[5, 0]
    float *__restrict__ out0, // b: cpu f32[5, 0]
    float *__restrict__ out1, // t11: cpu f32[5]
    float *__restrict__ out2, // t12: cpu f32[0]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, split = blockIdx.x * 4 + threadIdx.x / 32;
    float *part7 = (float *)(scratch + 0);
    float acc7[1][1];
    #pragma unroll
    for (int k = 0; k < 1; k++)
        for (int j = 0; j < 1; j++)
            acc7[k][j] = 0;
    #pragma unroll 1
    for (int row = split, turn = 0; row < 0; row += 4, turn ^= 1) {
        const int i1 = row;
        Vec<float, 1> a0[1];
        Vec<float, 1> a1[1];
        Vec<float, 1> a4[1];
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 5)
                break;
            const int i0 = c;
            a0[k].x[0] = in0[0];
            a1[k].x[0] = in0[0];
            a4[k].x[0] = in0[i1];
        }
        float acc2 = 0;
        float acc5 = 0;
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 5)
                break;
            const int i0 = c;
            const float v1 = get(a1[k], 0); // y
            acc2 += v1;
            const float v4 = get(a4[k], 0); // y
            acc5 += v4;
        }
        float all2[2] = {acc2, acc5};
        fold_lanes<Sum, 32>(all2);
        acc2 = all2[0];
        acc5 = all2[1];
        const float v2 = (float)acc2; // t4
        const float v5 = (float)acc5; // t4
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 5)
                break;
            const int i0 = c;
            const float v0 = get(a0[k], 0); // y
            const float v3 = v0 * v2; // b
            set(out0[i1], v3);
            set(out2[i1], v5);
            const float v4 = get(a4[k], 0); // y
            const float v6 = v4 * v5; // b
            acc7[k][0] += v6;
        }
    }
    __shared__ float meet[4][5];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 5)
            break;
        const int i0 = c;
        #pragma unroll
        for (int j = 0; j < 1; j++)
            meet[threadIdx.x / 32][i0] = acc7[k][j];
    }
    __syncthreads();
    for (int n = threadIdx.x; n < 5; n += 128) {
        float v = meet[0][n];
        for (int k = 1; k < 4; k++)
            v = Sum::of(v, meet[k][n]);
        part7[blockIdx.x * 5 + n] = v;
    }
    __syncthreads();
}

// folds the parts: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1_1(
    const float *__restrict__ in0, // y: cpu f32[5, 0]
    float *__restrict__ out0, // b: cpu f32[5, 0]
    float *__restrict__ out1, // t11: cpu f32[5]
    float *__restrict__ out2, // t12: cpu f32[0]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    const bool live = blockIdx.x * 8 + tx < 5;
    const int n = live ? blockIdx.x * 8 + tx : 0;
    const int i0 = n;
    float *part7 = (float *)(scratch + 0);
    float acc7[1] = {0};
    #pragma unroll 4
    for (int split = ty; split < 1; split += 32) {
        acc7[0] = Sum::of(acc7[0], part7[split * 5 + n]);
    }
    fold_columns<Sum, 8, 32, 1>(acc7);
    const float v7 = (float)acc7[0]; // t11
    if (ty == 0 && live) {
        set(out1[i0], v7);
    }
}

