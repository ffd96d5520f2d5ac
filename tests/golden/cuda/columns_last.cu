// parts of columns: 3 x 64 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[4096, 136]
    float *__restrict__ out0, // t0: cpu f32[136]
    float *__restrict__ out1, // t1: cpu f32[136]
    float *__restrict__ out2, // t2: cpu f32[4096, 136]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int split = blockIdx.y;
    const bool live = blockIdx.x * 16 + tx < 34;
    const int c = live ? blockIdx.x * 16 + tx : 33;
    const int i1 = c * 4;
    float *part1 = (float *)(scratch + 1024);
    float *part2 = (float *)(scratch + 50944);
    float acc1[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc1[j] = 0;
    float acc2[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc2[j] = -INF_F;
    const float v4 = 2.0f;
    #pragma unroll 4
    for (int r = split * 8 + ty; r < 4096; r += 512) {
        const int i0 = r;
        const Vec<float, 4> a0 = load<4>(in0 + 136 * i0 + i1);
        float b2[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0, j); // x
            acc1[j] += v0;
            acc2[j] = larger(acc2[j], v0);
            const float v5 = v0 * v4; // t2
            b2[j] = v5;
        }
        if (live) store<4>(out2 + 136 * i0 + i1, b2);
    }
    fold_columns<Sum, 16, 8, 4>(acc1);
    fold_columns<Max, 16, 8, 4>(acc2);
    if (ty == 0 && live) {
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            part1[split * 136 + i1 + j] = acc1[j];
            part2[split * 136 + i1 + j] = acc2[j];
        }
    }
    if (!comes_last((int *)scratch + blockIdx.x, 64))
        return;
    for (int j = 0; j < 4; j++)
        acc1[j] = 0;
    for (int j = 0; j < 4; j++)
        acc2[j] = -INF_F;
    #pragma unroll 8
    for (int n = ty; n < 64; n += 8) {
        const Vec<float, 4> w1 = load<4>(part1 + n * 136 + i1);
        for (int j = 0; j < 4; j++)
            acc1[j] = Sum::of(acc1[j], w1.x[j]);
        const Vec<float, 4> w2 = load<4>(part2 + n * 136 + i1);
        for (int j = 0; j < 4; j++)
            acc2[j] = Max::of(acc2[j], w2.x[j]);
    }
    fold_columns<Sum, 16, 8, 4>(acc1);
    fold_columns<Max, 16, 8, 4>(acc2);
    if (ty == 0 && live) {
        float b0[4];
        float b1[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v1 = (float)acc1[j]; // t0
            b0[j] = v1;
            const float v2 = (float)acc2[j]; // t1
            b1[j] = v2;
        }
        store<4>(out0 + i1, b0);
        store<4>(out1 + i1, b1);
    }
}

