// a map: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel0(
    const int64_t *__restrict__ in0, // i: cpu i64[5]
    int64_t *__restrict__ out0, // t1: cpu i64[5]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    Vec<int64_t, 1> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 5)
            break;
        const int i0 = c;
        a0[k].x[0] = in0[i0];
    }
    const int64_t v1 = (int64_t)7;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 5)
            break;
        const int i0 = c;
        const int64_t v0 = get(a0[k].x[0]); // i
        const int64_t v2 = (int64_t)(remainder_i(v0, v1, &bad)); // t1
        set(out0[i0], v2);
    }
}

// a map: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel1(
    const int64_t *__restrict__ in0, // t1: cpu i64[5]
    const float *__restrict__ in1, // w: cpu f32[7, 24]
    float *__restrict__ out0, // t3: cpu f32[5, 24]
    float *__restrict__ out1, // t6: cpu f32[5, 24]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    Vec<float, 4> a1[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 30)
            break;
        const int i1 = c % 6 * 4;
        const int i0 = c / 6;
        const int64_t v0 = get(in0[i0]); // t1
        const int q2 = (int)index_i(v0, 7, &bad);
        a1[k] = load<4>(in1 + i1 + 24 * q2);
    }
    const float v3 = 2.0f;
    const float v6 = 1.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 30)
            break;
        const int i1 = c % 6 * 4;
        const int i0 = c / 6;
        float b0[4];
        float b1[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v1 = get(a1[k].x[j]); // w
            const float v4 = v1 * v3; // t3
            b0[j] = v4;
            const float v7 = v1 + v6; // t6
            b1[j] = v7;
        }
        store<4>(out0 + 24 * i0 + i1, b0);
        store<4>(out1 + 24 * i0 + i1, b1);
    }
}

// a map: 1 x 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel2(
    const float *__restrict__ in0, // w: cpu f32[7, 24]
    const int64_t *__restrict__ in1, // i: cpu i64[5]
    float *__restrict__ out0, // t7: cpu f32[7, 5]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    Vec<int64_t, 1> a0[1];
    Vec<float, 1> a1[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)64 + threadIdx.x + k * 64;
        if (c >= 35)
            break;
        const int i1 = c % 5;
        const int i0 = c / 5;
        a0[k].x[0] = in1[i1];
        const int64_t v0 = get(in1[i1]); // i
        const int q2 = (int)index_i(v0, 24, &bad);
        a1[k].x[0] = in0[24 * i0 + q2];
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)64 + threadIdx.x + k * 64;
        if (c >= 35)
            break;
        const int i1 = c % 5;
        const int i0 = c / 5;
        const float v1 = get(a1[k].x[0]); // w
        set(out0[5 * i0 + i1], v1);
    }
}

