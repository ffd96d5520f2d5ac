// parts of rows: 27 x 1 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[3, 70000]
    float *__restrict__ out0, // e: cpu f32[3]
    float *__restrict__ out1, // t13: cpu f32[]
    float *__restrict__ out2, // t22: cpu f32[3, 70000]
    float *__restrict__ out3, // t23: cpu f32[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x, split = blockIdx.x % 9, row = blockIdx.x / 9;
    const int i0 = row;
    float *part1 = (float *)(scratch + 256);
    float acc1 = -INF_F;
    #pragma unroll 8
    for (int c = split * 512 + t; c < 17500; c += 4608) {
        const int i1 = c * 4;
        const Vec<float, 4> a0 = load<4>(in0 + 70000 * i0 + i1);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0, j); // x
            acc1 = larger(acc1, v0);
        }
    }
    __shared__ float fold1[16];
    fold_to<Max>(acc1, fold1);
    __syncthreads();
    acc1 = fold_from<Max, 16>(fold1);
    if (t == 0) {
        part1[split * 3 + i0] = acc1;
    }
}

// folds the parts: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_1(
    const float *__restrict__ in0, // x: cpu f32[3, 70000]
    float *__restrict__ out0, // e: cpu f32[3]
    float *__restrict__ out1, // t13: cpu f32[]
    float *__restrict__ out2, // t22: cpu f32[3, 70000]
    float *__restrict__ out3, // t23: cpu f32[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 4, ty = threadIdx.x / 4;
    const bool live = blockIdx.x * 4 + tx < 3;
    const int n = live ? blockIdx.x * 4 + tx : 0;
    const int i0 = n;
    float *red1 = (float *)(scratch + 0);
    float *part1 = (float *)(scratch + 256);
    float acc1[1] = {-INF_F};
    #pragma unroll 4
    for (int split = ty; split < 9; split += 64) {
        acc1[0] = Max::of(acc1[0], part1[split * 3 + n]);
    }
    fold_columns<Max, 4, 64, 1>(acc1);
    if (ty == 0 && live) {
        red1[n] = acc1[0];
    }
}

// parts of rows: 27 x 1 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel0_2(
    const float *__restrict__ in0, // x: cpu f32[3, 70000]
    float *__restrict__ out0, // e: cpu f32[3]
    float *__restrict__ out1, // t13: cpu f32[]
    float *__restrict__ out2, // t22: cpu f32[3, 70000]
    float *__restrict__ out3, // t23: cpu f32[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x, split = blockIdx.x % 9, row = blockIdx.x / 9;
    const int i0 = row;
    const float *red1 = (float *)(scratch + 0);
    float *part11 = (float *)(scratch + 2816);
    float *part20 = (float *)(scratch + 5632);
    float acc11 = 0;
    float acc20 = 0;
    const float v1 = (float)get(red1[i0]); // t0
    const float v2 = fabs_f(v1); // t2
    const float v4 = INF_F;
    const uint8_t v5 = (v2 == v4) != 0; // t3
    const float v7 = 0.0f;
    const float v8 = v5 ? v7 : v1; // t4
    #pragma unroll 8
    for (int c = split * 512 + t; c < 17500; c += 4608) {
        const int i1 = c * 4;
        const Vec<float, 4> a0 = load<4>(in0 + 70000 * i0 + i1);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0, j); // x
            const float v9 = v0 - v8; // t6
            const float v10 = exp_f(v9); // t7
            acc11 += v10;
            const float v18 = v0 - v1; // t17
            const float v19 = exp_f(v18); // t18
            acc20 += v19;
        }
    }
    __shared__ float fold11[32];
    float all11[2] = {acc11, acc20};
    fold_to<Sum, 16>(all11, fold11);
    __syncthreads();
    fold_from<Sum, 16>(all11, fold11);
    acc11 = all11[0];
    acc20 = all11[1];
    if (t == 0) {
        part11[split * 3 + i0] = acc11;
        part20[split * 3 + i0] = acc20;
    }
}

// folds the parts: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_3(
    const float *__restrict__ in0, // x: cpu f32[3, 70000]
    float *__restrict__ out0, // e: cpu f32[3]
    float *__restrict__ out1, // t13: cpu f32[]
    float *__restrict__ out2, // t22: cpu f32[3, 70000]
    float *__restrict__ out3, // t23: cpu f32[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 4, ty = threadIdx.x / 4;
    const bool live = blockIdx.x * 4 + tx < 3;
    const int n = live ? blockIdx.x * 4 + tx : 0;
    const int i0 = n;
    const float *red1 = (float *)(scratch + 0);
    float *red11 = (float *)(scratch + 2560);
    float *part11 = (float *)(scratch + 2816);
    float *red20 = (float *)(scratch + 5376);
    float *part20 = (float *)(scratch + 5632);
    float acc11[1] = {0};
    float acc20[1] = {0};
    #pragma unroll 4
    for (int split = ty; split < 9; split += 64) {
        acc11[0] = Sum::of(acc11[0], part11[split * 3 + n]);
        acc20[0] = Sum::of(acc20[0], part20[split * 3 + n]);
    }
    fold_columns<Sum, 4, 64, 1>(acc11);
    fold_columns<Sum, 4, 64, 1>(acc20);
    if (ty == 0 && live) {
        red11[n] = acc11[0];
        red20[n] = acc20[0];
    }
    const float v11 = (float)acc11[0]; // t8
    const float v12 = log_f(v11); // t10
    const float v1 = (float)get(red1[i0]); // t0
    const float v2 = fabs_f(v1); // t2
    const float v4 = INF_F;
    const uint8_t v5 = (v2 == v4) != 0; // t3
    const float v7 = 0.0f;
    const float v8 = v5 ? v7 : v1; // t4
    const float v13 = v12 + v8; // e
    if (ty == 0 && live) {
        set(out0[i0], v13);
        ((float *)(scratch + 5120))[i0] = v13;
        ((float *)(scratch + 7936))[i0] = v1;
    }
}

// a map: 206 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_4(
    const float *__restrict__ in0, // x: cpu f32[3, 70000]
    float *__restrict__ out0, // e: cpu f32[3]
    float *__restrict__ out1, // t13: cpu f32[]
    float *__restrict__ out2, // t22: cpu f32[3, 70000]
    float *__restrict__ out3, // t23: cpu f32[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const float *red1 = (float *)(scratch + 0);
    const float *red11 = (float *)(scratch + 2560);
    const float *red20 = (float *)(scratch + 5376);
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 52500)
            break;
        const int i1 = c % 17500 * 4;
        const int i0 = c / 17500;
        a0[k] = load<4>(in0 + 70000 * i0 + i1);
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 52500)
            break;
        const int i1 = c % 17500 * 4;
        const int i0 = c / 17500;
        const float v1 = (float)get(red1[i0]); // t0
        const float v20 = (float)get(red20[i0]); // t19
        float b2[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v18 = v0 - v1; // t17
            const float v19 = exp_f(v18); // t18
            const float v21 = v19 / v20; // t22
            b2[j] = v21;
        }
        store<4>(out2 + 70000 * i0 + i1, b2);
    }
}

// folds what rows came to: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel0_5(
    const float *__restrict__ in0, // x: cpu f32[3, 70000]
    float *__restrict__ out0, // e: cpu f32[3]
    float *__restrict__ out1, // t13: cpu f32[]
    float *__restrict__ out2, // t22: cpu f32[3, 70000]
    float *__restrict__ out3, // t23: cpu f32[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const float *part14 = (const float *)(scratch + 5120);
    float acc14[1] = {0};
    #pragma unroll 8
    for (int n = threadIdx.x; n < 3; n += 32)
        acc14[0] = Sum::of(acc14[0], part14[n]);
    fold_columns<Sum, 1, 32, 1>(acc14);
    const float *part22 = (const float *)(scratch + 7936);
    float acc22[1] = {-INF_F};
    #pragma unroll 8
    for (int n = threadIdx.x; n < 3; n += 32)
        acc22[0] = Max::of(acc22[0], part22[n]);
    fold_columns<Max, 1, 32, 1>(acc22);
    const float v14 = (float)acc14[0]; // t12
    const float v16 = 3.0f;
    const float v17 = v14 / v16; // t13
    const float v22 = (float)acc22[0]; // t23
    if (threadIdx.x == 0) {
        set(out1[0], v17);
        set(out3[0], v22);
    }
}

