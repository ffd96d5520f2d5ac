// a map: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[6, 48]
    const float *__restrict__ in1, // c: cpu f32[48]
    float *__restrict__ out0, // t9: cpu f32[6, 48]
    int *error)
{
    int &bad = *error;
    ask_for<1152, 128>(in0);
    ask_for<192, 128>(in1);
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    Vec<float, 4> a1[1];
    Vec<float, 4> a7[1];
    Vec<float, 4> a13[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)128 + threadIdx.x + k * 128;
        if (c >= 72)
            break;
        const int i1 = c % 12 * 4;
        const int i0 = c / 12;
        a0[k] = load<4>(in0 + 48 * i0 + i1);
        a1[k] = load<4>(in1 + i1);
        const int q2 = into_range(i1 - 24, 20);
        a7[k] = load<4>(in0 + 48 * i0 + q2);
        const int q3 = into_range(i1, 20);
        a13[k] = load<4>(in0 + 48 * i0 + q3 + 24);
    }
    const int64_t v10 = (int64_t)24;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)128 + threadIdx.x + k * 128;
        if (c >= 72)
            break;
        const int i1 = c % 12 * 4;
        const int i0 = c / 12;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = get(a1[k], j); // c
            const float v2 = v0 * v1; // t6
            const int64_t v8 = i1 + j;
            const uint8_t v11 = v8 < v10;
            const float v13 = get(a13[k], j); // x
            const float v14 = -v13; // t2
            const float v7 = get(a7[k], j); // x
            const float v15 = v11 ? v14 : v7; // r
            const float v16 = v15 * v1; // t8
            const float v17 = v2 + v16; // t9
            b0[j] = v17;
        }
        store<4>(out0 + 48 * i0 + i1, b0);
    }
}

// a map: 2 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1(
    const float *__restrict__ in0, // x: cpu f32[6, 48]
    float *__restrict__ out0, // t10: cpu f32[7, 53]
    int *error)
{
    int &bad = *error;
    ask_for<1152, 256>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<float, 1> a13[1];
    const int64_t v3 = (int64_t)0;
    const int64_t v10 = (int64_t)48;
    const int64_t v9 = (int64_t)47;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 371)
            break;
        const int i1 = c % 53;
        const int i0 = c / 53;
        const int64_t v2 = i0 - 1;
        const uint8_t v4 = v2 < v3;
        const int64_t v5 = v4 ? v3 : v2;
        const int q2 = (int)index_i(v5, 6, &bad);
        const int64_t v6 = i1 - 2;
        const uint8_t v7 = v6 < v3;
        const int64_t v8 = v7 ? v3 : v6;
        const uint8_t v11 = v8 < v10;
        const int64_t v12 = v11 ? v8 : v9;
        const int q3 = (int)index_i(v12, 48, &bad);
        a13[k].x[0] = in0[48 * q2 + q3];
    }
    const int64_t v22 = (int64_t)2;
    const float v1 = 2.0f;
    const int64_t v19 = (int64_t)50;
    const int64_t v15 = (int64_t)1;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 371)
            break;
        const int i1 = c % 53;
        const int i0 = c / 53;
        const int64_t v18 = i1;
        const uint8_t v23 = v18 < v22;
        const uint8_t v20 = v18 < v19;
        const int64_t v14 = i0;
        const uint8_t v16 = v14 < v15;
        const float v13 = get(a13[k], 0); // x
        const float v17 = v16 ? v1 : v13;
        const float v21 = v20 ? v17 : v1;
        const float v24 = v23 ? v1 : v21; // p
        const float v25 = v24 * v1; // t10
        set(out0[53 * i0 + i1], v25);
    }
}

// a map: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel2(
    const float *__restrict__ in0, // x: cpu f32[6, 48]
    float *__restrict__ out0, // t17: cpu f32[6, 48]
    int *error)
{
    int &bad = *error;
    ask_for<1152, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)128 + threadIdx.x + k * 128;
        if (c >= 72)
            break;
        const int i1 = c * 4;
        a0[k] = load<4>(in0 + i1);
    }
    const float v4 = 0.600000024f;
    const float v9 = 1.66666663f;
    const float v12 = 1.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)128 + threadIdx.x + k * 128;
        if (c >= 72)
            break;
        const int i1 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const int64_t v1 = i1 + j;
            const float v2 = uniform_f(v1, 0u, 15u, 0.0, 1.0); // t12
            const uint8_t v5 = (v2 < v4) != 0; // t13
            const float v6 = (float)v5; // t14
            const float v7 = v0 * v6; // t15
            const float v10 = v7 * v9; // t16
            const float v13 = v10 + v12; // t17
            b0[j] = v13;
        }
        store<4>(out0 + i1, b0);
    }
}

