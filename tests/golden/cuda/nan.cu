// rows: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[3, 4]
    float *__restrict__ out0, // t2: cpu f32[3, 4]
    float *__restrict__ out1, // t3: cpu f32[3]
    int *error)
{
    int &bad = *error;
    ask_for<48, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 1, row = blockIdx.x * 128 + threadIdx.x / 1;
    if (row >= 3)
        return;
    const int i0 = row;
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 1;
        const int i1 = c * 4;
        a0[k] = load<4>(in0 + 4 * i0 + i1);
    }
    float acc6 = -INF_F;
    const float v2 = 0.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 1;
        const int i1 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v3 = v0 / v2; // n
            acc6 = larger(acc6, v3);
            const float v4 = v3 - v3; // t1
            const float v5 = max_nan_f(v4, v0); // t2
            b0[j] = v5;
        }
        store<4>(out0 + 4 * i0 + i1, b0);
    }
    const float v6 = (float)acc6; // t3
    if (t == 0) {
        set(out1[i0], v6);
    }
}

