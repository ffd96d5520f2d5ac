// rows: 75 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[2, 300, 40]
    float *__restrict__ out0, // m: cpu f32[1, 300, 1]
    float *__restrict__ out1, // t4: cpu f32[2, 300, 40]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    const int i1 = row;
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 20)
            break;
        const int i2 = c % 10 * 4;
        const int i0 = c / 10;
        a0[k] = load<4>(in0 + 12000 * i0 + 40 * i1 + i2);
    }
    float acc1 = 0;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 20)
            break;
        const int i2 = c % 10 * 4;
        const int i0 = c / 10;
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            acc1 += v0;
        }
    }
    acc1 = fold_lanes<Sum, 32>(acc1);
    const float v1 = (float)acc1; // t0
    const float v3 = 80.0f;
    const float v4 = v1 / v3; // m
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 20)
            break;
        const int i2 = c % 10 * 4;
        const int i0 = c / 10;
        float b1[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v5 = v0 - v4; // t4
            b1[j] = v5;
        }
        store<4>(out1 + 12000 * i0 + 40 * i1 + i2, b1);
    }
    if (t == 0) {
        set(out0[i1], v4);
    }
}

// parts of columns: 1 x 4 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256, 2)
kernel1(
    const float *__restrict__ in0, // x: cpu f32[2, 300, 40]
    float *__restrict__ out0, // t5: cpu f32[40]
    float *__restrict__ out1, // t6: cpu f32[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int split = blockIdx.y;
    const bool live = blockIdx.x * 16 + tx < 10;
    const int c = live ? blockIdx.x * 16 + tx : 9;
    const int i2 = c * 4;
    float *part1 = (float *)(scratch + 512);
    float *part2 = (float *)(scratch + 1792);
    float acc1[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc1[j] = -INF_F;
    float acc2[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc2[j] = 0;
    #pragma unroll 16
    for (int r = split * 16 + ty; r < 600; r += 64) {
        const int i1 = r;
        const Vec<float, 4> a0 = load<4>(in0 + 40 * i1 + i2);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0, j); // x
            acc1[j] = larger(acc1[j], v0);
            acc2[j] += v0;
        }
    }
    fold_columns<Max, 16, 16, 4>(acc1);
    fold_columns<Sum, 16, 16, 4>(acc2);
    if (ty == 0 && live) {
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            part1[split * 40 + i2 + j] = acc1[j];
            part2[split * 40 + i2 + j] = acc2[j];
        }
    }
    if (!comes_last((int *)scratch + blockIdx.x, 4))
        return;
    for (int j = 0; j < 4; j++)
        acc1[j] = -INF_F;
    for (int j = 0; j < 4; j++)
        acc2[j] = 0;
    #pragma unroll 8
    for (int n = ty; n < 4; n += 16) {
        const Vec<float, 4> w1 = load<4>(part1 + n * 40 + i2);
        for (int j = 0; j < 4; j++)
            acc1[j] = Max::of(acc1[j], w1.x[j]);
        const Vec<float, 4> w2 = load<4>(part2 + n * 40 + i2);
        for (int j = 0; j < 4; j++)
            acc2[j] = Sum::of(acc2[j], w2.x[j]);
    }
    fold_columns<Max, 16, 16, 4>(acc1);
    fold_columns<Sum, 16, 16, 4>(acc2);
    if (ty == 0 && live) {
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v1 = (float)acc1[j]; // t5
            b0[j] = v1;
            const float v2 = (float)acc2[j];
            ((float *)(scratch + 2816))[i2 + j] = v2;
        }
        store<4>(out0 + i2, b0);
    }
}

// folds what rows came to: 1 x 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel1_1(
    const float *__restrict__ in0, // x: cpu f32[2, 300, 40]
    float *__restrict__ out0, // t5: cpu f32[40]
    float *__restrict__ out1, // t6: cpu f32[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const float *part3 = (const float *)(scratch + 2816);
    float acc3[1] = {0};
    #pragma unroll 8
    for (int n = threadIdx.x; n < 40; n += 64)
        acc3[0] = Sum::of(acc3[0], part3[n]);
    fold_columns<Sum, 1, 64, 1>(acc3);
    const float v3 = (float)acc3[0]; // t6
    if (threadIdx.x == 0) {
        set(out1[0], v3);
    }
}

