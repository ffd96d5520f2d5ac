// parts of columns: 3 x 4 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const bf16 *__restrict__ in0, // x: cpu bf16[3, 1000, 64]
    bf16 *__restrict__ out0, // t2: cpu bf16[3, 64]
    bf16 *__restrict__ out1, // t13: cpu bf16[3, 1000, 64]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    const int split = blockIdx.y;
    const int c = blockIdx.x * 8 + tx;
    const int i2 = c % 8 * 8;
    const int i0 = c / 8;
    float *part2 = (float *)(scratch + 768);
    float *part4 = (float *)(scratch + 4608);
    float *part7 = (float *)(scratch + 8448);
    float acc2[8];
    #pragma unroll
    for (int j = 0; j < 8; j++)
        acc2[j] = 0;
    float acc4[8];
    #pragma unroll
    for (int j = 0; j < 8; j++)
        acc4[j] = -INF_F;
    float acc7[8];
    #pragma unroll
    for (int j = 0; j < 8; j++)
        acc7[j] = 0;
    #pragma unroll 8
    for (int r = split * 32 + ty; r < 1000; r += 128) {
        const int i1 = r;
        const Vec<bf16, 8> a0 = load<8>(in0 + 64000 * i0 + 64 * i1 + i2);
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0, j); // x
            const float v1 = (float)v0; // t0
            acc2[j] += v1;
            if (!(v1 <= acc4[j])) {
                acc7[j] *= (acc4[j] == v1 ? 1 : exp_coarse(acc4[j] - v1));
                acc4[j] = larger(acc4[j], v1);
            }
            acc7[j] += (v1 == acc4[j] ? 1 : exp_coarse(v1 - acc4[j]));
        }
    }
    float own4[8];
    #pragma unroll
    for (int j = 0; j < 8; j++) {
        own4[j] = acc4[j];
    }
    fold_columns<Sum, 8, 32, 8>(acc2);
    fold_columns<Max, 8, 32, 8>(acc4);
    #pragma unroll
    for (int j = 0; j < 8; j++) {
        acc7[j] *= (own4[j] == acc4[j] ? 1 : exp_coarse(own4[j] - acc4[j]));
    }
    fold_columns<Sum, 8, 32, 8>(acc7);
    if (ty == 0) {
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            part2[split * 192 + 64 * i0 + i2 + j] = acc2[j];
            part4[split * 192 + 64 * i0 + i2 + j] = acc4[j];
            part7[split * 192 + 64 * i0 + i2 + j] = acc7[j];
        }
    }
}

// folds the parts: 6 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_1(
    const bf16 *__restrict__ in0, // x: cpu bf16[3, 1000, 64]
    bf16 *__restrict__ out0, // t2: cpu bf16[3, 64]
    bf16 *__restrict__ out1, // t13: cpu bf16[3, 1000, 64]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
    const bool live = blockIdx.x * 32 + tx < 192;
    const int n = live ? blockIdx.x * 32 + tx : 0;
    const int i2 = n % 64;
    const int i0 = n / 64;
    float *red2 = (float *)(scratch + 0);
    float *part2 = (float *)(scratch + 768);
    float *red4 = (float *)(scratch + 3840);
    float *part4 = (float *)(scratch + 4608);
    float *red7 = (float *)(scratch + 7680);
    float *part7 = (float *)(scratch + 8448);
    float acc2[1] = {0};
    float acc4[1] = {-INF_F};
    float acc7[1] = {0};
    #pragma unroll 4
    for (int split = ty; split < 4; split += 8) {
        acc2[0] = Sum::of(acc2[0], part2[split * 192 + n]);
        acc4[0] = Max::of(acc4[0], part4[split * 192 + n]);
    }
    fold_columns<Sum, 32, 8, 1>(acc2);
    fold_columns<Max, 32, 8, 1>(acc4);
    for (int split = ty; split < 4; split += 8) {
        acc7[0] += part7[split * 192 + n] * (part4[split * 192 + n] == acc4[0] ? 1 : exp_coarse(part4[split * 192 + n] - acc4[0]));
    }
    fold_columns<Sum, 32, 8, 1>(acc7);
    if (ty == 0 && live) {
        red2[n] = acc2[0];
        red4[n] = acc4[0];
        red7[n] = acc7[0];
    }
    const float v2 = (float)acc2[0]; // t1
    if (ty == 0 && live) {
        set(out0[64 * i0 + i2], v2);
    }
}

// a map: 94 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_2(
    const bf16 *__restrict__ in0, // x: cpu bf16[3, 1000, 64]
    bf16 *__restrict__ out0, // t2: cpu bf16[3, 64]
    bf16 *__restrict__ out1, // t13: cpu bf16[3, 1000, 64]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const float *red2 = (float *)(scratch + 0);
    const float *red4 = (float *)(scratch + 3840);
    const float *red7 = (float *)(scratch + 7680);
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 24000)
            break;
        const int i2 = c % 8 * 8;
        const int i1 = c / 8 % 1000;
        const int i0 = c / 8000;
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 24000)
            break;
        const int i2 = c % 8 * 8;
        const int i1 = c / 8 % 1000;
        const int i0 = c / 8000;
        const Vec<bf16, 8> a0 = load<8>(in0 + 64000 * i0 + 64 * i1 + i2);
        const Vec<float, 8> a4 = load<8>(red4 + 64 * i0 + i2);
        const Vec<float, 8> a7 = load<8>(red7 + 64 * i0 + i2);
        float b1[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0, j); // x
            const float v1 = (float)v0; // t0
            const float v4 = (float)get(a4, j); // t4
            const float v5 = v1 - v4; // t7
            const float v6 = exp_coarse(v5); // t8
            const float v7 = (float)get(a7, j); // t9
            const float v8 = div_coarse(v6, v7); // t12
            b1[j] = v8;
        }
        store<8>(out1 + 64000 * i0 + 64 * i1 + i2, b1);
    }
}

