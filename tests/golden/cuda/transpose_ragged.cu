// a map in tiles: 6 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[45, 77]
    const float *__restrict__ in1, // y: cpu f32[77, 45]
    float *__restrict__ out0, // t1: cpu f32[77, 45]
    float *__restrict__ out1, // t3: cpu f32[77, 45]
    int *error)
{
    int &bad = *error;
    ask_for<13860, 256>(in0);
    ask_for<13860, 256>(in1);
    let_later_begin();
    wait_for_earlier();
    const int w0 = blockIdx.x % 2 * 32, u0 = blockIdx.x / 2 % 3 * 32;
    const int rest = blockIdx.x / 6;
    Vec<float, 1> a1[4];
    __shared__ Vec<float, 1> tile0[32][32];
    #pragma unroll
    for (int k = 0; k < 4; k++) {
        const int c = threadIdx.x + k * 256;
        const int i0 = into_range(u0 + c % 32 * 1, 76);
        const int i1 = into_range(w0 + c / 32, 44);
        tile0[c / 32][c % 32 ^ c / 32] = load<1>(in0 + i0 + 77 * i1);
    }
    #pragma unroll
    for (int k = 0; k < 4; k++) {
        const int c = threadIdx.x + k * 256;
        const int i1 = into_range(w0 + c % 32 * 1, 44);
        const int i0 = into_range(u0 + c / 32, 76);
        a1[k].x[0] = in1[45 * i0 + i1];
    }
    __syncthreads();
    const float v4 = 1.0f;
    #pragma unroll
    for (int k = 0; k < 4; k++) {
        const int c = threadIdx.x + k * 256;
        const int i1 = w0 + c % 32 * 1;
        const int i0 = u0 + c / 32;
        if (i1 >= 45 || i0 >= 77)
            continue;
        const float v0 = get(tile0[c % 32 * 1][c / 32 ^ c % 32].x[c / 32 % 1]); // x
        const float v1 = get(a1[k], 0); // y
        const float v2 = v0 * v1; // t1
        set(out0[45 * i0 + i1], v2);
        const float v5 = v0 - v4; // t3
        set(out1[45 * i0 + i1], v5);
    }
}

