// a map: 11 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    f16 *__restrict__ out0, // a: cpu f16[37, 300]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 2775)
            break;
        const int i1 = c * 4;
    }
    const float v4 = 2.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 2775)
            break;
        const int i1 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const int64_t v0 = i1 + j;
            const float v1 = uniform_f16(v0, 0u, 2u, 0.0, 1.0); // t0
            const float v2 = (float)v1; // t1
            const float v5 = v2 * v4; // t2
            b0[j] = v5;
        }
        store<4>(out0 + i1, b0);
    }
}

// a map: 11 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1(
    bf16 *__restrict__ out0, // b: cpu bf16[37, 300]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 2775)
            break;
        const int i1 = c * 4;
    }
    const float v4 = 2.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 2775)
            break;
        const int i1 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const int64_t v0 = i1 + j;
            const float v1 = uniform_bf16(v0, 0u, 7u, -1.0, 3.0); // t5
            const float v2 = (float)v1; // t7
            const float v5 = v2 * v4; // t8
            b0[j] = v5;
        }
        store<4>(out0 + i1, b0);
    }
}

// a map: 22 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel2(
    int64_t *__restrict__ out0, // i: cpu i64[37, 300]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 5550)
            break;
        const int i1 = c * 2;
    }
    const int64_t v2 = (int64_t)2;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 5550)
            break;
        const int i1 = c * 2;
        int64_t b0[2];
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const int64_t v0 = i1 + j;
            const int64_t v1 = integer_i(v0, 0u, 12u, (int64_t)-3, 93u); // t10
            const int64_t v3 = (int64_t)(v1 * v2); // i
            b0[j] = v3;
        }
        store<2>(out0 + i1, b0);
    }
}

// a map: 1 x 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel3(
    double *__restrict__ out0, // e: cpu f64[5, 9]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)64 + threadIdx.x + k * 64;
        if (c >= 45)
            break;
        const int i1 = c;
    }
    const double v2 = 1.0;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)64 + threadIdx.x + k * 64;
        if (c >= 45)
            break;
        const int i1 = c;
        const int64_t v0 = i1;
        const double v1 = uniform_d(v0, 0u, 14u, 0.0, 1.0); // t12
        const double v3 = v1 + v2; // e
        set(out0[i1], v3);
    }
}

// a map: 11 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel4(
    const float *__restrict__ in0, // x: cpu f32[37, 300]
    float *__restrict__ out0, // t15: cpu f32[37, 300]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a3[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 2775)
            break;
        const int i1 = c * 4;
        a3[k] = load<4>(in0 + i1);
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 2775)
            break;
        const int i1 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const int64_t v0 = i1 + j;
            const double v1 = normal_d(v0, 0u, 16u, 0.0, 1.0);
            const float v2 = (float)v1; // t14
            const float v3 = get(a3[k], j); // x
            const float v4 = v2 * v3; // t15
            b0[j] = v4;
        }
        store<4>(out0 + i1, b0);
    }
}

// a map: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel5(
    f16 *__restrict__ out0, // t16: cpu f16[300]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)128 + threadIdx.x + k * 128;
        if (c >= 75)
            break;
        const int i0 = c * 4;
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)128 + threadIdx.x + k * 128;
        if (c >= 75)
            break;
        const int i0 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const int64_t v0 = i0 + j;
            const float v1 = normal_f16(v0, 0u, 18u, 0.0, 1.0); // t16
            b0[j] = v1;
        }
        store<4>(out0 + i0, b0);
    }
}

