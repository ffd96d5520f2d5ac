// parts of rows: 26 x 1 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[2, 100000]
    float *__restrict__ out0, // t8: cpu f32[2, 100000]
    float *__restrict__ out1, // t9: cpu f32[2]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x, split = blockIdx.x % 13, row = blockIdx.x / 13;
    const int i0 = row;
    float *part1 = (float *)(scratch + 256);
    float *part4 = (float *)(scratch + 3840);
    float *part6 = (float *)(scratch + 7424);
    float acc1 = -INF_F;
    float acc4 = 0;
    float acc6 = 0;
    #pragma unroll 8
    for (int c = split * 512 + t; c < 25000; c += 6656) {
        const int i1 = c * 4;
        const Vec<float, 4> a0 = load<4>(in0 + 100000 * i0 + i1);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0, j); // x
            if (!(v0 <= acc1)) {
                acc4 *= (acc1 == v0 ? 1 : exp_coarse(acc1 - v0));
                acc1 = larger(acc1, v0);
            }
            acc4 += (v0 == acc1 ? 1 : exp_coarse(v0 - acc1));
            acc6 += v0;
        }
    }
    float own1;
    own1 = acc1;
    __shared__ float fold1[16];
    fold_to<Max>(acc1, fold1);
    __shared__ float fold6[16];
    fold_to<Sum>(acc6, fold6);
    __syncthreads();
    acc1 = fold_from<Max, 16>(fold1);
    acc6 = fold_from<Sum, 16>(fold6);
    acc4 *= (own1 == acc1 ? 1 : exp_coarse(own1 - acc1));
    __shared__ float fold4[16];
    fold_to<Sum>(acc4, fold4);
    __syncthreads();
    acc4 = fold_from<Sum, 16>(fold4);
    if (t == 0) {
        part1[split * 2 + i0] = acc1;
        part4[split * 2 + i0] = acc4;
        part6[split * 2 + i0] = acc6;
    }
}

// folds the parts: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_1(
    const float *__restrict__ in0, // x: cpu f32[2, 100000]
    float *__restrict__ out0, // t8: cpu f32[2, 100000]
    float *__restrict__ out1, // t9: cpu f32[2]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 2, ty = threadIdx.x / 2;
    const bool live = blockIdx.x * 2 + tx < 2;
    const int n = live ? blockIdx.x * 2 + tx : 0;
    const int i0 = n;
    float *red1 = (float *)(scratch + 0);
    float *part1 = (float *)(scratch + 256);
    float *red4 = (float *)(scratch + 3584);
    float *part4 = (float *)(scratch + 3840);
    float *red6 = (float *)(scratch + 7168);
    float *part6 = (float *)(scratch + 7424);
    float acc1[1] = {-INF_F};
    float acc4[1] = {0};
    float acc6[1] = {0};
    #pragma unroll 4
    for (int split = ty; split < 13; split += 128) {
        acc1[0] = Max::of(acc1[0], part1[split * 2 + n]);
        acc6[0] = Sum::of(acc6[0], part6[split * 2 + n]);
    }
    fold_columns<Max, 2, 128, 1>(acc1);
    for (int split = ty; split < 13; split += 128) {
        acc4[0] += part4[split * 2 + n] * (part1[split * 2 + n] == acc1[0] ? 1 : exp_coarse(part1[split * 2 + n] - acc1[0]));
    }
    fold_columns<Sum, 2, 128, 1>(acc4);
    fold_columns<Sum, 2, 128, 1>(acc6);
    if (ty == 0 && live) {
        red1[n] = acc1[0];
        red4[n] = acc4[0];
        red6[n] = acc6[0];
    }
    const float v6 = (float)acc6[0]; // t9
    if (ty == 0 && live) {
        set(out1[i0], v6);
    }
}

// a map: 196 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_2(
    const float *__restrict__ in0, // x: cpu f32[2, 100000]
    float *__restrict__ out0, // t8: cpu f32[2, 100000]
    float *__restrict__ out1, // t9: cpu f32[2]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const float *red1 = (float *)(scratch + 0);
    const float *red4 = (float *)(scratch + 3584);
    const float *red6 = (float *)(scratch + 7168);
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 50000)
            break;
        const int i1 = c % 25000 * 4;
        const int i0 = c / 25000;
        a0[k] = load<4>(in0 + 100000 * i0 + i1);
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 50000)
            break;
        const int i1 = c % 25000 * 4;
        const int i0 = c / 25000;
        const float v1 = (float)get(red1[i0]); // t0
        const float v4 = (float)get(red4[i0]); // t5
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v2 = v0 - v1; // t3
            const float v3 = exp_f(v2); // t4
            const float v5 = v3 / v4; // t8
            b0[j] = v5;
        }
        store<4>(out0 + 100000 * i0 + i1, b0);
    }
}

