// rows, and parts of folds across them: 75 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128, 14)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[300, 30]
    float *__restrict__ out0, // t0: cpu f32[300]
    float *__restrict__ out1, // t1: cpu f32[30]
    float *__restrict__ out2, // t10: cpu f32[300, 30]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, split = blockIdx.x * 4 + threadIdx.x / 32;
    float *part2 = (float *)(scratch + 0);
    float acc2[1][2];
    #pragma unroll
    for (int k = 0; k < 1; k++)
        for (int j = 0; j < 2; j++)
            acc2[k][j] = 0;
    #pragma unroll 1
    for (int row = split, turn = 0; row < 300; row += 300, turn ^= 1) {
        const int i0 = row;
        Vec<float, 2> a0[1];
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 15)
                break;
            const int i1 = c * 2;
            a0[k] = load<2>(in0 + 30 * i0 + i1);
        }
        float acc1 = 0;
        float acc3 = -INF_F;
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 15)
                break;
            const int i1 = c * 2;
            #pragma unroll
            for (int j = 0; j < 2; j++) {
                const float v0 = get(a0[k], j); // x
                acc1 += v0;
                acc3 = larger(acc3, v0);
            }
        }
        acc1 = fold_lanes<Sum, 32>(acc1);
        acc3 = fold_lanes<Max, 32>(acc3);
        float acc6 = 0;
        const float v3 = (float)acc3; // t2
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 15)
                break;
            const int i1 = c * 2;
            #pragma unroll
            for (int j = 0; j < 2; j++) {
                const float v0 = get(a0[k], j); // x
                const float v4 = v0 - v3; // t5
                const float v5 = exp_f(v4); // t6
                acc6 += v5;
            }
        }
        acc6 = fold_lanes<Sum, 32>(acc6);
        const float v6 = (float)acc6; // t7
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 15)
                break;
            const int i1 = c * 2;
            float b2[2];
            #pragma unroll
            for (int j = 0; j < 2; j++) {
                const float v0 = get(a0[k], j); // x
                const float v4 = v0 - v3; // t5
                const float v5 = exp_f(v4); // t6
                const float v7 = v5 / v6; // t10
                b2[j] = v7;
                acc2[k][j] += v0;
            }
            store<2>(out2 + 30 * i0 + i1, b2);
        }
        const float v1 = (float)acc1; // t0
        if (t == 0) {
            set(out0[i0], v1);
        }
    }
    __shared__ float meet[4][30];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 15)
            break;
        const int i1 = c * 2;
        #pragma unroll
        for (int j = 0; j < 2; j++)
            meet[threadIdx.x / 32][i1 + j] = acc2[k][j];
    }
    __syncthreads();
    for (int n = threadIdx.x; n < 30; n += 128) {
        float v = meet[0][n];
        for (int k = 1; k < 4; k++)
            v = Sum::of(v, meet[k][n]);
        part2[blockIdx.x * 30 + n] = v;
    }
    __syncthreads();
}

// folds the parts: 4 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_1(
    const float *__restrict__ in0, // x: cpu f32[300, 30]
    float *__restrict__ out0, // t0: cpu f32[300]
    float *__restrict__ out1, // t1: cpu f32[30]
    float *__restrict__ out2, // t10: cpu f32[300, 30]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    const bool live = blockIdx.x * 8 + tx < 30;
    const int n = live ? blockIdx.x * 8 + tx : 0;
    const int i1 = n;
    float *part2 = (float *)(scratch + 0);
    float acc2[1] = {0};
    #pragma unroll 4
    for (int split = ty; split < 75; split += 32) {
        acc2[0] = Sum::of(acc2[0], part2[split * 30 + n]);
    }
    fold_columns<Sum, 8, 32, 1>(acc2);
    const float v2 = (float)acc2[0]; // t1
    if (ty == 0 && live) {
        set(out1[i1], v2);
    }
}

