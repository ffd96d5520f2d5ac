// rows, and parts of folds across them: 2 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128, 15)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[5, 7]
    float *__restrict__ out0, // t0: cpu f32[5]
    float *__restrict__ out1, // t2: cpu f32[]
    float *__restrict__ out2, // t3: cpu f32[7]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<140, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, split = blockIdx.x * 4 + threadIdx.x / 32;
    float *part7 = (float *)(scratch + 256);
    float acc7[1][1];
    #pragma unroll
    for (int k = 0; k < 1; k++)
        for (int j = 0; j < 1; j++)
            acc7[k][j] = 0;
    #pragma unroll 1
    for (int row = split, turn = 0; row < 5; row += 8, turn ^= 1) {
        const int i0 = row;
        Vec<float, 1> a0[1];
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 7)
                break;
            const int i1 = c;
            a0[k].x[0] = in0[7 * i0 + i1];
        }
        float acc1 = 0;
        float acc2 = 0;
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 7)
                break;
            const int i1 = c;
            const float v0 = get(a0[k], 0); // x
            acc1 += v0;
            acc2 += v0;
        }
        float all1[2] = {acc1, acc2};
        fold_lanes<Sum, 32>(all1);
        acc1 = all1[0];
        acc2 = all1[1];
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 7)
                break;
            const int i1 = c;
            const float v0 = get(a0[k], 0); // x
            acc7[k][0] += v0;
        }
        const float v1 = (float)acc1; // t0
        const float v2 = (float)acc2;
        if (t == 0) {
            set(out0[i0], v1);
            ((float *)(scratch + 0))[i0] = v2;
        }
    }
    __shared__ float meet[4][7];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 7)
            break;
        const int i1 = c;
        #pragma unroll
        for (int j = 0; j < 1; j++)
            meet[threadIdx.x / 32][i1] = acc7[k][j];
    }
    __syncthreads();
    for (int n = threadIdx.x; n < 7; n += 128) {
        float v = meet[0][n];
        for (int k = 1; k < 4; k++)
            v = Sum::of(v, meet[k][n]);
        part7[blockIdx.x * 7 + n] = v;
    }
    __syncthreads();
}

// folds the parts: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_1(
    const float *__restrict__ in0, // x: cpu f32[5, 7]
    float *__restrict__ out0, // t0: cpu f32[5]
    float *__restrict__ out1, // t2: cpu f32[]
    float *__restrict__ out2, // t3: cpu f32[7]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<140, 256>(in0);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    const bool live = blockIdx.x * 8 + tx < 7;
    const int n = live ? blockIdx.x * 8 + tx : 0;
    const int i1 = n;
    float *part7 = (float *)(scratch + 256);
    float acc7[1] = {0};
    #pragma unroll 4
    for (int split = ty; split < 2; split += 32) {
        acc7[0] = Sum::of(acc7[0], part7[split * 7 + n]);
    }
    fold_columns<Sum, 8, 32, 1>(acc7);
    const float v7 = (float)acc7[0]; // t3
    if (ty == 0 && live) {
        set(out2[i1], v7);
    }
}

// folds what rows came to: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel0_2(
    const float *__restrict__ in0, // x: cpu f32[5, 7]
    float *__restrict__ out0, // t0: cpu f32[5]
    float *__restrict__ out1, // t2: cpu f32[]
    float *__restrict__ out2, // t3: cpu f32[7]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<140, 32>(in0);
    let_later_begin();
    wait_for_earlier();
    const float *part3 = (const float *)(scratch + 0);
    float acc3[1] = {0};
    #pragma unroll 8
    for (int n = threadIdx.x; n < 5; n += 32)
        acc3[0] = Sum::of(acc3[0], part3[n]);
    fold_columns<Sum, 1, 32, 1>(acc3);
    const float v3 = (float)acc3[0]; // t1
    const float v5 = 35.0f;
    const float v6 = v3 / v5; // t2
    if (threadIdx.x == 0) {
        set(out1[0], v6);
    }
}

