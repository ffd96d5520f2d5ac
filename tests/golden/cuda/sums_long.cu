// parts of rows: 13 x 1 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[100000]
    float *__restrict__ out0, // t0: cpu f32[]
    float *__restrict__ out1, // t1: cpu f32[]
    uint8_t *__restrict__ out2, // t4: cpu b8[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    const int t = threadIdx.x, split = blockIdx.x % 13, row = blockIdx.x / 13;
    float *part1 = (float *)(scratch + 256);
    float *part3 = (float *)(scratch + 3840);
    int *part12 = (int *)(scratch + 11008);
    float acc1 = 0;
    float acc3 = 0;
    int acc12 = 0;
    const float v10 = 0.0f;
    #pragma unroll 4
    for (int c = split * 512 + t; c < 25000; c += 6656) {
        const int i0 = c * 4;
        const Vec<float, 4> a0 = load<4>(in0 + i0);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0.x[j]); // x
            acc1 += v0;
            const float v2 = (float)v0;
            acc3 += v2;
            const uint8_t v11 = (v0 > v10) != 0; // t3
            acc12 |= v11 != 0;
        }
    }
    __shared__ float fold1[16];
    fold_to<Sum>(acc1, fold1);
    __shared__ float fold3[16];
    fold_to<Sum>(acc3, fold3);
    __shared__ int fold12[16];
    fold_to<Any>(acc12, fold12);
    __syncthreads();
    acc1 = fold_from<Sum, 16>(fold1);
    acc3 = fold_from<Sum, 16>(fold3);
    acc12 = fold_from<Any, 16>(fold12);
    if (t == 0) {
        part1[split * 1 + 0] = acc1;
        part3[split * 1 + 0] = acc3;
        part12[split * 1 + 0] = acc12;
    }
}

// folds the parts: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_1(
    const float *__restrict__ in0, // x: cpu f32[100000]
    float *__restrict__ out0, // t0: cpu f32[]
    float *__restrict__ out1, // t1: cpu f32[]
    uint8_t *__restrict__ out2, // t4: cpu b8[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    const int tx = threadIdx.x % 1, ty = threadIdx.x / 1;
    const bool live = blockIdx.x * 1 + tx < 1;
    const int n = live ? blockIdx.x * 1 + tx : 0;
    float *red1 = (float *)(scratch + 0);
    float *part1 = (float *)(scratch + 256);
    float *red3 = (float *)(scratch + 3584);
    float *part3 = (float *)(scratch + 3840);
    int *red12 = (int *)(scratch + 10752);
    int *part12 = (int *)(scratch + 11008);
    float acc1[1] = {0};
    float acc3[1] = {0};
    int acc12[1] = {0};
    #pragma unroll 4
    for (int split = ty; split < 13; split += 256) {
        acc1[0] = Sum::of(acc1[0], part1[split * 1 + n]);
        acc3[0] = Sum::of(acc3[0], part3[split * 1 + n]);
        acc12[0] = Any::of(acc12[0], part12[split * 1 + n]);
    }
    fold_columns<Sum, 1, 256, 1>(acc1);
    fold_columns<Sum, 1, 256, 1>(acc3);
    fold_columns<Any, 1, 256, 1>(acc12);
    if (ty == 0 && live) {
        red1[n] = acc1[0];
        red3[n] = acc3[0];
        red12[n] = acc12[0];
    }
}

// parts of rows: 13 x 1 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel0_2(
    const float *__restrict__ in0, // x: cpu f32[100000]
    float *__restrict__ out0, // t0: cpu f32[]
    float *__restrict__ out1, // t1: cpu f32[]
    uint8_t *__restrict__ out2, // t4: cpu b8[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    const int t = threadIdx.x, split = blockIdx.x % 13, row = blockIdx.x / 13;
    const float *red1 = (float *)(scratch + 0);
    const float *red3 = (float *)(scratch + 3584);
    float *part6 = (float *)(scratch + 7424);
    const int *red12 = (int *)(scratch + 10752);
    float acc6 = 0;
    const float v3 = (float)get(red3[0]);
    const float v4 = v3 / 100000.0f;
    #pragma unroll 4
    for (int c = split * 512 + t; c < 25000; c += 6656) {
        const int i0 = c * 4;
        const Vec<float, 4> a0 = load<4>(in0 + i0);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0.x[j]); // x
            const float v2 = (float)v0;
            const float v5 = (v2 - v4) * (v2 - v4);
            acc6 += v5;
        }
    }
    __shared__ float fold6[16];
    fold_to<Sum>(acc6, fold6);
    __syncthreads();
    acc6 = fold_from<Sum, 16>(fold6);
    if (t == 0) {
        part6[split * 1 + 0] = acc6;
    }
}

// folds the parts: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_3(
    const float *__restrict__ in0, // x: cpu f32[100000]
    float *__restrict__ out0, // t0: cpu f32[]
    float *__restrict__ out1, // t1: cpu f32[]
    uint8_t *__restrict__ out2, // t4: cpu b8[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    const int tx = threadIdx.x % 1, ty = threadIdx.x / 1;
    const bool live = blockIdx.x * 1 + tx < 1;
    const int n = live ? blockIdx.x * 1 + tx : 0;
    const float *red1 = (float *)(scratch + 0);
    const float *red3 = (float *)(scratch + 3584);
    float *red6 = (float *)(scratch + 7168);
    float *part6 = (float *)(scratch + 7424);
    const int *red12 = (int *)(scratch + 10752);
    float acc6[1] = {0};
    #pragma unroll 4
    for (int split = ty; split < 13; split += 256) {
        acc6[0] = Sum::of(acc6[0], part6[split * 1 + n]);
    }
    fold_columns<Sum, 1, 256, 1>(acc6);
    if (ty == 0 && live) {
        red6[n] = acc6[0];
    }
    const float v1 = (float)get(red1[0]); // t0
    const float v6 = (float)acc6[0];
    const float v7 = v6 / 99999.0f;
    const float v8 = (float)v7; // t1
    const uint8_t v12 = (uint8_t)get(red12[0]); // t4
    if (ty == 0 && live) {
        set(out0[0], v1);
        set(out1[0], v8);
        set(out2[0], v12);
    }
}

