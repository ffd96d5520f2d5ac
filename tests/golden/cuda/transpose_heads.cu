// a map: 27 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[2, 3, 70, 64]
    float *__restrict__ out0, // t2: cpu f32[128, 210]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 6720)
            break;
        const int i1 = c * 4;
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const int q2 = (i1 + j) / 3;
            const int q3 = (q2) / 70;
            const int q4 = (q3) / 64;
            a0[k].x[j] = in0[4480 * i1 - 13376 * q2 - 4479 * q3 + 13376 * q4 + 4480 * j];
        }
    }
    const float v2 = 1.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 6720)
            break;
        const int i1 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v3 = v0 + v2; // t2
            b0[j] = v3;
        }
        store<4>(out0 + i1, b0);
    }
}

