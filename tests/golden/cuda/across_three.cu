// rows, and parts of folds across them: 30 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128, 3)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[3, 40, 77]
    float *__restrict__ out0, // a: cpu f32[3, 40, 77]
    float *__restrict__ out1, // t5: cpu f32[77]
    float *__restrict__ out2, // t7: cpu f32[77]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, split = blockIdx.x * 4 + threadIdx.x / 32;
    float *part6 = (float *)(scratch + 0);
    float *part8 = (float *)(scratch + 15360);
    float acc6[3][1];
    #pragma unroll
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 1; j++)
            acc6[k][j] = 0;
    float acc8[3][1];
    #pragma unroll
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 1; j++)
            acc8[k][j] = -INF_F;
    #pragma unroll 1
    for (int row = split, turn = 0; row < 120; row += 120, turn ^= 1) {
        const int i1 = row;
        Vec<float, 1> a0[3];
        #pragma unroll
        for (int k = 0; k < 3; k++) {
            const int c = t + k * 32;
            if (k == 2 && c >= 77)
                break;
            const int i2 = c;
            a0[k].x[0] = in0[77 * i1 + i2];
        }
        float acc1 = 0;
        #pragma unroll
        for (int k = 0; k < 3; k++) {
            const int c = t + k * 32;
            if (k == 2 && c >= 77)
                break;
            const int i2 = c;
            const float v0 = get(a0[k], 0); // x
            acc1 += v0;
        }
        acc1 = fold_lanes<Sum, 32>(acc1);
        const float v1 = (float)acc1; // t0
        const float v3 = 77.0f;
        const float v4 = v1 / v3; // t2
        #pragma unroll
        for (int k = 0; k < 3; k++) {
            const int c = t + k * 32;
            if (k == 2 && c >= 77)
                break;
            const int i2 = c;
            const float v0 = get(a0[k], 0); // x
            const float v5 = v0 - v4; // a
            set(out0[77 * i1 + i2], v5);
            acc6[k][0] += v5;
            const float v7 = fabs_f(v5); // t6
            acc8[k][0] = larger(acc8[k][0], v7);
        }
    }
    __shared__ float meet[4][77];
    #pragma unroll
    for (int k = 0; k < 3; k++) {
        const int c = t + k * 32;
        if (k == 2 && c >= 77)
            break;
        const int i2 = c;
        #pragma unroll
        for (int j = 0; j < 1; j++)
            meet[threadIdx.x / 32][i2] = acc6[k][j];
    }
    __syncthreads();
    for (int n = threadIdx.x; n < 77; n += 128) {
        float v = meet[0][n];
        for (int k = 1; k < 4; k++)
            v = Sum::of(v, meet[k][n]);
        part6[blockIdx.x * 77 + n] = v;
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 3; k++) {
        const int c = t + k * 32;
        if (k == 2 && c >= 77)
            break;
        const int i2 = c;
        #pragma unroll
        for (int j = 0; j < 1; j++)
            meet[threadIdx.x / 32][i2] = acc8[k][j];
    }
    __syncthreads();
    for (int n = threadIdx.x; n < 77; n += 128) {
        float v = meet[0][n];
        for (int k = 1; k < 4; k++)
            v = Max::of(v, meet[k][n]);
        part8[blockIdx.x * 77 + n] = v;
    }
    __syncthreads();
}

// folds the parts: 3 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_1(
    const float *__restrict__ in0, // x: cpu f32[3, 40, 77]
    float *__restrict__ out0, // a: cpu f32[3, 40, 77]
    float *__restrict__ out1, // t5: cpu f32[77]
    float *__restrict__ out2, // t7: cpu f32[77]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
    const bool live = blockIdx.x * 32 + tx < 77;
    const int n = live ? blockIdx.x * 32 + tx : 0;
    const int i2 = n;
    float *part6 = (float *)(scratch + 0);
    float *part8 = (float *)(scratch + 15360);
    float acc6[1] = {0};
    float acc8[1] = {-INF_F};
    #pragma unroll 4
    for (int split = ty; split < 30; split += 8) {
        acc6[0] = Sum::of(acc6[0], part6[split * 77 + n]);
        acc8[0] = Max::of(acc8[0], part8[split * 77 + n]);
    }
    fold_columns<Sum, 32, 8, 1>(acc6);
    fold_columns<Max, 32, 8, 1>(acc8);
    const float v6 = (float)acc6[0]; // t5
    const float v8 = (float)acc8[0]; // t7
    if (ty == 0 && live) {
        set(out1[i2], v6);
        set(out2[i2], v8);
    }
}

