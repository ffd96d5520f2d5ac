// columns: 20 x 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel0(
    const bf16 *__restrict__ in0, // x: cpu bf16[3, 20, 128]
    const bf16 *__restrict__ in1, // c: cpu bf16[20, 128]
    bf16 *__restrict__ out0, // t16: cpu bf16[3, 20, 128]
    bf16 *__restrict__ out1, // t21: cpu bf16[3, 20, 128]
    float *__restrict__ out2, // t28: cpu f32[20, 128]
    bf16 *__restrict__ out3, // t29: cpu bf16[60, 128]
    int *error)
{
    int &bad = *error;
    ask_for<15360, 64>(in0);
    ask_for<5120, 64>(in1);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int c = blockIdx.x * 16 + tx;
    const int i2 = c % 16 * 8;
    const int i1 = c / 16;
    float acc47[8];
    #pragma unroll
    for (int j = 0; j < 8; j++)
        acc47[j] = 0;
    const int64_t v14 = (int64_t)64;
    const int q4 = into_range(i2, 56);
    const int q3 = into_range(i2 - 64, 56);
    const Vec<bf16, 8> a2 = load<8>(in1 + 128 * i1 + i2);
    const int64_t v38 = (int64_t)16;
    const float v26 = 0.0f;
    const int64_t v35 = (int64_t)80;
    const int q5 = into_range(i2 - 16, 56);
    #pragma unroll 4
    for (int r = ty; r < 3; r += 4) {
        const int i0 = r;
        const Vec<bf16, 8> a17 = load<8>(in0 + 2560 * i0 + 128 * i1 + q4 + 64);
        const Vec<bf16, 8> a11 = load<8>(in0 + 2560 * i0 + 128 * i1 + q3);
        const Vec<bf16, 8> a0 = load<8>(in0 + 2560 * i0 + 128 * i1 + i2);
        float b0[8];
        const Vec<bf16, 8> a32 = load<8>(in0 + 2560 * i0 + 128 * i1 + q5 + 32);
        float b1[8];
        float b3[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const int64_t v12 = i2 + j;
            const uint8_t v15 = v12 < v14;
            const float v17 = get(a17, j); // x
            const float v18 = (float)v17; // t2
            const float v19 = -v18; // t3
            const float v20 = round_bf16((float)v19); // t4
            const float v11 = get(a11, j); // x
            const float v21 = v15 ? v20 : v11; // r
            const float v22 = (float)v21; // t14
            const float v2 = get(a2, j); // c
            const float v3 = (float)v2; // t9
            const float v44 = v22 * v3; // t25
            const float v45 = round_bf16((float)v44); // t26
            const float v46 = (float)v45; // t27
            acc47[j] += v46;
            const float v0 = get(a0, j); // x
            const float v1 = (float)v0; // t8
            const float v4 = v1 * v3; // t11
            const float v5 = round_bf16((float)v4); // t12
            const float v6 = (float)v5; // t13
            const float v23 = v6 + v22; // t15
            b0[j] = v23;
            const uint8_t v39 = v12 < v38;
            const uint8_t v36 = v12 < v35;
            const float v32 = get(a32, j); // x
            const float v37 = v36 ? v32 : v26;
            const float v40 = v39 ? v26 : v37; // p
            const float v41 = (float)v40; // t17
            const float v42 = v41 + v3; // t20
            b1[j] = v42;
            b3[j] = v40;
        }
        store<8>(out0 + 2560 * i0 + 128 * i1 + i2, b0);
        store<8>(out1 + 2560 * i0 + 128 * i1 + i2, b1);
        store<8>(out3 + 2560 * i0 + 128 * i1 + i2, b3);
    }
    fold_columns<Sum, 16, 4, 8>(acc47);
    if (ty == 0) {
        float b2[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v47 = (float)acc47[j]; // t28
            b2[j] = v47;
        }
        store<8>(out2 + 128 * i1 + i2, b2);
    }
}

// columns: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256, 2)
kernel1(
    const bf16 *__restrict__ in0, // t29: cpu bf16[60, 128]
    float *__restrict__ out0, // t31: cpu f32[128]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int c = blockIdx.x * 16 + tx;
    const int i1 = c * 8;
    float acc2[8];
    #pragma unroll
    for (int j = 0; j < 8; j++)
        acc2[j] = 0;
    #pragma unroll 16
    for (int r = ty; r < 60; r += 16) {
        const int i0 = r;
        const Vec<bf16, 8> a0 = load<8>(in0 + 128 * i0 + i1);
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0, j); // t29
            const float v1 = (float)v0; // t32
            acc2[j] += v1;
        }
    }
    fold_columns<Sum, 16, 16, 8>(acc2);
    if (ty == 0) {
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v2 = (float)acc2[j]; // t31
            b0[j] = v2;
        }
        store<8>(out0 + i1, b0);
    }
}

