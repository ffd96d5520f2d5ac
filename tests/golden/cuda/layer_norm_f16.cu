// rows: 4 x 1 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel0(
    const f16 *__restrict__ in0, // x: cpu f16[4, 5000]
    f16 *__restrict__ out0, // t11: cpu f16[4, 5000]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x, row = blockIdx.x;
    const int i0 = row;
    Vec<f16, 8> a0[2];
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 512;
        if (k == 1 && c >= 625)
            break;
        const int i1 = c * 8;
        a0[k] = load<8>(in0 + 5000 * i0 + i1);
    }
    float acc3 = 0;
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 512;
        if (k == 1 && c >= 625)
            break;
        const int i1 = c * 8;
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)v0; // t0
            const float v2 = (float)v1;
            acc3 += v2;
        }
    }
    __shared__ float fold3[16];
    fold_to<Sum>(acc3, fold3);
    __syncthreads();
    acc3 = fold_from<Sum, 16>(fold3);
    float acc8 = 0;
    const float v3 = (float)acc3;
    const float v4 = v3 / 5000.0f;
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 512;
        if (k == 1 && c >= 625)
            break;
        const int i1 = c * 8;
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)v0; // t0
            const float v2 = (float)v1;
            const float v7 = (v2 - v4) * (v2 - v4);
            acc8 += v7;
        }
    }
    __shared__ float fold8[16];
    fold_to<Sum>(acc8, fold8);
    __syncthreads();
    acc8 = fold_from<Sum, 16>(fold8);
    const float v5 = (float)v4; // t2
    const float v8 = (float)acc8;
    const float v9 = v8 / 5000.0f;
    const float v10 = (float)v9; // t1
    const float v12 = 9.99999975e-06f;
    const float v13 = v10 + v12; // t5
    const float v14 = rsqrt_f(v13); // t6
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 512;
        if (k == 1 && c >= 625)
            break;
        const int i1 = c * 8;
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)v0; // t0
            const float v6 = v1 - v5; // t8
            const float v15 = v6 * v14; // t10
            b0[j] = v15;
        }
        store<8>(out0 + 5000 * i0 + i1, b0);
    }
}

