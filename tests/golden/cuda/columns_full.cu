// columns: 2 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[300, 64]
    const float *__restrict__ in1, // w: cpu f32[64]
    float *__restrict__ out0, // m: cpu f32[64]
    float *__restrict__ out1, // t5: cpu f32[300, 64]
    float *__restrict__ out2, // t6: cpu f32[64]
    int *error)
{
    int &bad = *error;
    ask_for<256, 256>(in1);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    const int c = blockIdx.x * 8 + tx;
    const int i1 = c * 4;
    float acc1[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc1[j] = 0;
    float acc8[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc8[j] = -INF_F;
    #pragma unroll 8
    for (int r = ty; r < 300; r += 32) {
        const int i0 = r;
        const Vec<float, 4> a0 = load<4>(in0 + 64 * i0 + i1);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0, j); // x
            acc1[j] += v0;
            acc8[j] = larger(acc8[j], v0);
        }
    }
    fold_columns<Sum, 8, 32, 4>(acc1);
    fold_columns<Max, 8, 32, 4>(acc8);
    const float v3 = 300.0f;
    const Vec<float, 4> a6 = load<4>(in1 + i1);
    #pragma unroll 8
    for (int r = ty; r < 300; r += 32) {
        const int i0 = r;
        const Vec<float, 4> a0 = load<4>(in0 + 64 * i0 + i1);
        float b1[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0, j); // x
            const float v1 = (float)acc1[j]; // t0
            const float v4 = v1 / v3; // m
            const float v5 = v0 - v4; // t3
            const float v6 = get(a6, j); // w
            const float v7 = v5 * v6; // t5
            b1[j] = v7;
        }
        store<4>(out1 + 64 * i0 + i1, b1);
    }
    if (ty == 0) {
        float b0[4];
        float b2[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v1 = (float)acc1[j]; // t0
            const float v4 = v1 / v3; // m
            b0[j] = v4;
            const float v8 = (float)acc8[j]; // t6
            b2[j] = v8;
        }
        store<4>(out0 + i1, b0);
        store<4>(out2 + i1, b2);
    }
}

