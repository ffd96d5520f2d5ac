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
            const float v0 = get(a0[k].x[j]); // x
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
            const float v0 = get(a0[k].x[j]); // x
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
    float acc1[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc1[j] = -INF_F;
    #pragma unroll 16
    for (int r = split * 16 + ty; r < 600; r += 64) {
        const int i1 = r;
        const Vec<float, 4> a0 = load<4>(in0 + 40 * i1 + i2);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0.x[j]); // x
            acc1[j] = larger(acc1[j], v0);
        }
    }
    fold_columns<Max, 16, 16, 4>(acc1);
    if (ty == 0 && live) {
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            part1[split * 40 + i2 + j] = acc1[j];
        }
    }
    if (!comes_last((int *)scratch + blockIdx.x, 4))
        return;
    for (int j = 0; j < 4; j++)
        acc1[j] = -INF_F;
    #pragma unroll 8
    for (int n = ty; n < 4; n += 16) {
        const Vec<float, 4> w1 = load<4>(part1 + n * 40 + i2);
        for (int j = 0; j < 4; j++)
            acc1[j] = Max::of(acc1[j], w1.x[j]);
    }
    fold_columns<Max, 16, 16, 4>(acc1);
    if (ty == 0 && live) {
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v1 = (float)acc1[j]; // t5
            b0[j] = v1;
        }
        store<4>(out0 + i2, b0);
    }
}

// rows: 1 x 1 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel2(
    const float *__restrict__ in0, // x: cpu f32[2, 300, 40]
    float *__restrict__ out0, // t6: cpu f32[]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x, row = blockIdx.x;
    float acc1 = 0;
    #pragma unroll 8
    for (int c = t; c < 6000; c += 512) {
        const int i2 = c * 4;
        const Vec<float, 4> a0 = load<4>(in0 + i2);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0.x[j]); // x
            acc1 += v0;
        }
    }
    __shared__ float fold1[16];
    fold_to<Sum>(acc1, fold1);
    __syncthreads();
    acc1 = fold_from<Sum, 16>(fold1);
    const float v1 = (float)acc1; // t6
    if (t == 0) {
        set(out0[0], v1);
    }
}

