// columns: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const bf16 *__restrict__ in0, // y: cpu bf16[70, 64]
    int64_t *__restrict__ out0, // t3: cpu i64[64]
    int *error)
{
    int &bad = *error;
    ask_for<8960, 256>(in0);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    const int c = blockIdx.x * 8 + tx;
    const int i1 = c * 8;
    Vec<bf16, 8> a0[3];
    #pragma unroll
    for (int k = 0; k < 3; k++) {
        const int r = ty + k * 32;
        if (k == 2 && r >= 70)
            break;
        const int i0 = r;
        a0[k] = load<8>(in0 + 64 * i0 + i1);
    }
    float acc1[8];
    #pragma unroll
    for (int j = 0; j < 8; j++)
        acc1[j] = -INF_F;
    #pragma unroll
    for (int k = 0; k < 3; k++) {
        const int r = ty + k * 32;
        if (k == 2 && r >= 70)
            break;
        const int i0 = r;
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // y
            acc1[j] = larger(acc1[j], v0);
        }
    }
    fold_columns<Max, 8, 32, 8>(acc1);
    int64_t acc8[8];
    #pragma unroll
    for (int j = 0; j < 8; j++)
        acc8[j] = (int64_t)~((uint64_t)1 << 63);
    const int64_t v3 = (int64_t)70;
    #pragma unroll
    for (int k = 0; k < 3; k++) {
        const int r = ty + k * 32;
        if (k == 2 && r >= 70)
            break;
        const int i0 = r;
        const int64_t v2 = i0;
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // y
            const uint8_t v6 = v0 == v0;
            const float v1 = (float)acc1[j];
            const uint8_t v4 = v0 == v1;
            const int64_t v5 = v4 ? v2 : v3;
            const int64_t v7 = v6 ? v5 : v2;
            acc8[j] = smaller(acc8[j], v7);
        }
    }
    fold_columns<Min, 8, 32, 8>(acc8);
    if (ty == 0) {
        int64_t b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const int64_t v8 = (int64_t)acc8[j]; // t3
            b0[j] = v8;
        }
        store<8>(out0 + i1, b0);
    }
}

// rows: 10 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel1(
    const float *__restrict__ in0, // x: cpu f32[37, 300]
    int64_t *__restrict__ out0, // t0: cpu i64[37]
    int64_t *__restrict__ out1, // t2: cpu i64[37]
    float *__restrict__ out2, // t4: cpu f32[37]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= 37)
        return;
    const int i0 = row;
    Vec<float, 4> a0[3];
    #pragma unroll
    for (int k = 0; k < 3; k++) {
        const int c = t + k * 32;
        if (k == 2 && c >= 75)
            break;
        const int i1 = c * 4;
        a0[k] = load<4>(in0 + 300 * i0 + i1);
    }
    float acc1 = -INF_F;
    float acc12 = INF_F;
    const float v10 = 2.0f;
    #pragma unroll
    for (int k = 0; k < 3; k++) {
        const int c = t + k * 32;
        if (k == 2 && c >= 75)
            break;
        const int i1 = c * 4;
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            acc1 = larger(acc1, v0);
            const float v11 = v0 * v10; // t1
            acc12 = smaller(acc12, v11);
        }
    }
    acc1 = fold_lanes<Max, 32>(acc1);
    acc12 = fold_lanes<Min, 32>(acc12);
    int64_t acc8 = (int64_t)~((uint64_t)1 << 63);
    int64_t acc17 = (int64_t)~((uint64_t)1 << 63);
    const float v1 = (float)acc1; // t4
    const int64_t v3 = (int64_t)300;
    const float v12 = (float)acc12;
    #pragma unroll
    for (int k = 0; k < 3; k++) {
        const int c = t + k * 32;
        if (k == 2 && c >= 75)
            break;
        const int i1 = c * 4;
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const uint8_t v6 = v0 == v0;
            const uint8_t v4 = v0 == v1;
            const int64_t v2 = i1 + j;
            const int64_t v5 = v4 ? v2 : v3;
            const int64_t v7 = v6 ? v5 : v2;
            acc8 = smaller(acc8, v7);
            const float v11 = v0 * v10; // t1
            const uint8_t v15 = v11 == v11;
            const uint8_t v13 = v11 == v12;
            const int64_t v14 = v13 ? v2 : v3;
            const int64_t v16 = v15 ? v14 : v2;
            acc17 = smaller(acc17, v16);
        }
    }
    int64_t all8[2] = {acc8, acc17};
    fold_lanes<Min, 32>(all8);
    acc8 = all8[0];
    acc17 = all8[1];
    const int64_t v8 = (int64_t)acc8; // t0
    const int64_t v17 = (int64_t)acc17; // t2
    if (t == 0) {
        set(out0[i0], v8);
        set(out1[i0], v17);
        set(out2[i0], v1);
    }
}

// rows: 1 x 1 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel2(
    const bf16 *__restrict__ in0, // y: cpu bf16[70, 64]
    int64_t *__restrict__ out0, // t5: cpu i64[]
    int *error)
{
    int &bad = *error;
    ask_for<8960, 512>(in0);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x, row = blockIdx.x;
    Vec<bf16, 8> a0[2];
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 512;
        if (k == 1 && c >= 560)
            break;
        const int i1 = c * 8;
        a0[k] = load<8>(in0 + i1);
    }
    float acc1 = INF_F;
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 512;
        if (k == 1 && c >= 560)
            break;
        const int i1 = c * 8;
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // y
            acc1 = smaller(acc1, v0);
        }
    }
    __shared__ float fold1[16];
    fold_to<Min>(acc1, fold1);
    __syncthreads();
    acc1 = fold_from<Min, 16>(fold1);
    int64_t acc8 = (int64_t)~((uint64_t)1 << 63);
    const float v1 = (float)acc1;
    const int64_t v3 = (int64_t)4480;
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 512;
        if (k == 1 && c >= 560)
            break;
        const int i1 = c * 8;
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // y
            const uint8_t v6 = v0 == v0;
            const uint8_t v4 = v0 == v1;
            const int64_t v2 = i1 + j;
            const int64_t v5 = v4 ? v2 : v3;
            const int64_t v7 = v6 ? v5 : v2;
            acc8 = smaller(acc8, v7);
        }
    }
    __shared__ int64_t fold8[16];
    fold_to<Min>(acc8, fold8);
    __syncthreads();
    acc8 = fold_from<Min, 16>(fold8);
    const int64_t v8 = (int64_t)acc8; // t5
    if (t == 0) {
        set(out0[0], v8);
    }
}

