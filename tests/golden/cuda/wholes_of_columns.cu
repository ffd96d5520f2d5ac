// columns: 3 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[200, 72]
    float *__restrict__ out0, // d: cpu f32[200, 72]
    float *__restrict__ out1, // t5: cpu f32[]
    float *__restrict__ out2, // t6: cpu f32[]
    uint8_t *__restrict__ out3, // t8: cpu b8[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    const bool live = blockIdx.x * 8 + tx < 18;
    const int c = live ? blockIdx.x * 8 + tx : 17;
    const int i1 = c * 4;
    Vec<float, 4> a0[7];
    #pragma unroll
    for (int k = 0; k < 7; k++) {
        const int r = ty + k * 32;
        if (k == 6 && r >= 200)
            break;
        const int i0 = r;
        a0[k] = load<4>(in0 + 72 * i0 + i1);
    }
    float acc1[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc1[j] = 0;
    #pragma unroll
    for (int k = 0; k < 7; k++) {
        const int r = ty + k * 32;
        if (k == 6 && r >= 200)
            break;
        const int i0 = r;
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            acc1[j] += v0;
        }
    }
    fold_columns<Sum, 8, 32, 4>(acc1);
    float acc7[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc7[j] = 0;
    const float v3 = 200.0f;
    #pragma unroll
    for (int k = 0; k < 7; k++) {
        const int r = ty + k * 32;
        if (k == 6 && r >= 200)
            break;
        const int i0 = r;
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)acc1[j]; // t0
            const float v4 = v1 / v3; // m
            const float v5 = v0 - v4; // d
            const float v6 = v5 * v5; // t4
            acc7[j] += v6;
        }
    }
    fold_columns<Sum, 8, 32, 4>(acc7);
    #pragma unroll
    for (int k = 0; k < 7; k++) {
        const int r = ty + k * 32;
        if (k == 6 && r >= 200)
            break;
        const int i0 = r;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)acc1[j]; // t0
            const float v4 = v1 / v3; // m
            const float v5 = v0 - v4; // d
            b0[j] = v5;
        }
        if (live) store<4>(out0 + 72 * i0 + i1, b0);
    }
    const float v11 = 0.0f;
    if (ty == 0 && live) {
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v7 = (float)acc7[j];
            ((float *)(scratch + 0))[i1 + j] = v7;
            const float v1 = (float)acc1[j]; // t0
            const float v4 = v1 / v3; // m
            ((float *)(scratch + 512))[i1 + j] = v4;
            const uint8_t v12 = (v4 > v11) != 0; // t7
            ((int *)(scratch + 1024))[i1 + j] = v12;
        }
    }
}

// folds what rows came to: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0_1(
    const float *__restrict__ in0, // x: cpu f32[200, 72]
    float *__restrict__ out0, // d: cpu f32[200, 72]
    float *__restrict__ out1, // t5: cpu f32[]
    float *__restrict__ out2, // t6: cpu f32[]
    uint8_t *__restrict__ out3, // t8: cpu b8[]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const float *part8 = (const float *)(scratch + 0);
    float acc8[1] = {0};
    #pragma unroll 8
    for (int n = threadIdx.x; n < 72; n += 128)
        acc8[0] = Sum::of(acc8[0], part8[n]);
    fold_columns<Sum, 1, 128, 1>(acc8);
    const float *part9 = (const float *)(scratch + 512);
    float acc9[1] = {INF_F};
    #pragma unroll 8
    for (int n = threadIdx.x; n < 72; n += 128)
        acc9[0] = Min::of(acc9[0], part9[n]);
    fold_columns<Min, 1, 128, 1>(acc9);
    const int *part13 = (const int *)(scratch + 1024);
    int acc13[1] = {0};
    #pragma unroll 8
    for (int n = threadIdx.x; n < 72; n += 128)
        acc13[0] = Any::of(acc13[0], part13[n]);
    fold_columns<Any, 1, 128, 1>(acc13);
    const float v8 = (float)acc8[0]; // t5
    const float v9 = (float)acc9[0]; // t6
    const uint8_t v13 = (uint8_t)acc13[0]; // t8
    if (threadIdx.x == 0) {
        set(out1[0], v8);
        set(out2[0], v9);
        set(out3[0], v13);
    }
}

