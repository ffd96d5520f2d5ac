// a map: 14 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[45, 77]
    const float *__restrict__ in1, // y: cpu f32[77, 45]
    float *__restrict__ out0, // t1: cpu f32[77, 45]
    float *__restrict__ out1, // t3: cpu f32[77, 45]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    Vec<float, 1> a0[1];
    Vec<float, 1> a1[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 3465)
            break;
        const int i1 = c % 45;
        const int i0 = c / 45;
        a0[k].x[0] = in0[i0 + 77 * i1];
        a1[k].x[0] = in1[45 * i0 + i1];
    }
    const float v4 = 1.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 3465)
            break;
        const int i1 = c % 45;
        const int i0 = c / 45;
        const float v0 = get(a0[k].x[0]); // x
        const float v1 = get(a1[k].x[0]); // y
        const float v2 = v0 * v1; // t1
        set(out0[45 * i0 + i1], v2);
        const float v5 = v0 - v4; // t3
        set(out1[45 * i0 + i1], v5);
    }
}

