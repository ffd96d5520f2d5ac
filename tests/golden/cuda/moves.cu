// a map: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[6, 8]
    float *__restrict__ out0, // a: cpu f32[8, 6]
    float *__restrict__ out1, // b: cpu f32[4, 12]
    int *error)
{
    int &bad = *error;
    ask_for<192, 32>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<float, 2> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 24)
            break;
        const int i1 = c % 3 * 2;
        const int i0 = c / 3;
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            a0[k].x[j] = in0[i0 + 8 * i1 + 8 * j];
        }
    }
    const float v2 = 2.0f;
    const float v5 = 1.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 24)
            break;
        const int i1 = c % 3 * 2;
        const int i0 = c / 3;
        float b0[2];
        float b1[2];
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const float v0 = get(a0[k], j); // x
            const float v3 = v0 * v2; // a
            b0[j] = v3;
            const float v6 = v3 + v5; // b
            b1[j] = v6;
        }
        store<2>(out0 + 6 * i0 + i1, b0);
        store<2>(out1 + 6 * i0 + i1, b1);
    }
}

// a map: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel1(
    const float *__restrict__ in0, // x: cpu f32[6, 8]
    float *__restrict__ out0, // c: cpu f32[4, 4]
    int *error)
{
    int &bad = *error;
    ask_for<192, 32>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 4)
            break;
        const int i1 = c % 1 * 4;
        const int i0 = c;
        const Vec<float, 8> wide0 = load<8>(in0 + 8 * i0 - 2 * i1 + 8);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            a0[k].x[j] = wide0.x[6 - 2 * j];
        }
    }
    const float v2 = 1.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 4)
            break;
        const int i1 = c % 1 * 4;
        const int i0 = c;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v3 = v0 - v2; // c
            b0[j] = v3;
        }
        store<4>(out0 + 4 * i0 + i1, b0);
    }
}

