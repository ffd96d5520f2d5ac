// a map: 1 x 33 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[33, 1024]
    const float *__restrict__ in1, // y: cpu f32[1024]
    float *__restrict__ out0, // t3: cpu f32[33, 1024]
    int *error)
{
    int &bad = *error;
    ask_for<4096, 256>(in1);
    let_later_begin();
    wait_for_earlier();
    const int c = blockIdx.x * 256 + threadIdx.x;
    const int i1 = c * 4;
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int r = blockIdx.y * 1 + k * 1;
        const int i0 = r;
        a0[k] = load<4>(in0 + 1024 * i0 + i1);
    }
    const Vec<float, 4> a2 = load<4>(in1 + i1);
    const float v5 = 1.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int r = blockIdx.y * 1 + k * 1;
        const int i0 = r;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = exp_f(v0); // t0
            const float v2 = get(a2, j); // y
            const float v3 = v1 * v2; // t2
            const float v6 = v3 + v5; // t3
            b0[j] = v6;
        }
        store<4>(out0 + 1024 * i0 + i1, b0);
    }
}

