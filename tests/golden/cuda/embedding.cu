// rows: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[5, 9]
    int64_t *__restrict__ out0, // i: cpu i64[5]
    int64_t *__restrict__ out1, // t1: cpu i64[5]
    int *error)
{
    int &bad = *error;
    ask_for<180, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 16, row = blockIdx.x * 8 + threadIdx.x / 16;
    if (row >= 5)
        return;
    const int i0 = row;
    Vec<float, 1> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 16;
        if (k == 0 && c >= 9)
            break;
        const int i1 = c;
        a0[k].x[0] = in0[9 * i0 + i1];
    }
    float acc1 = -INF_F;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 16;
        if (k == 0 && c >= 9)
            break;
        const int i1 = c;
        const float v0 = get(a0[k], 0); // x
        acc1 = larger(acc1, v0);
    }
    acc1 = fold_lanes<Max, 16>(acc1);
    int64_t acc8 = (int64_t)~((uint64_t)1 << 63);
    const float v1 = (float)acc1;
    const int64_t v3 = (int64_t)9;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 16;
        if (k == 0 && c >= 9)
            break;
        const int i1 = c;
        const float v0 = get(a0[k], 0); // x
        const uint8_t v6 = v0 == v0;
        const uint8_t v4 = v0 == v1;
        const int64_t v2 = i1;
        const int64_t v5 = v4 ? v2 : v3;
        const int64_t v7 = v6 ? v5 : v2;
        acc8 = smaller(acc8, v7);
    }
    acc8 = fold_lanes<Min, 16>(acc8);
    const int64_t v8 = (int64_t)acc8; // i
    const int64_t v9 = (int64_t)7;
    const int64_t v10 = (int64_t)(remainder_i(v8, v9, &bad)); // t1
    if (t == 0) {
        set(out0[i0], v8);
        set(out1[i0], v10);
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
    ask_for<672, 32>(in1);
    let_later_begin();
    wait_for_earlier();
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
            const float v1 = get(a1[k], j); // w
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
    ask_for<672, 64>(in0);
    let_later_begin();
    wait_for_earlier();
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
        const float v1 = get(a1[k], 0); // w
        set(out0[5 * i0 + i1], v1);
    }
}

