// a map in tiles: 12 x 1 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel0(
    const bf16 *__restrict__ in0, // x: cpu bf16[200, 136]
    const bf16 *__restrict__ in1, // y: cpu bf16[136, 200]
    const bf16 *__restrict__ in2, // b: cpu bf16[200]
    bf16 *__restrict__ out0, // t9: cpu bf16[136, 200]
    int *error)
{
    int &bad = *error;
    ask_for<400, 512>(in2);
    let_later_begin();
    wait_for_earlier();
    const int w0 = blockIdx.x % 4 * 64, u0 = blockIdx.x / 4 % 3 * 64;
    const int rest = blockIdx.x / 12;
    Vec<bf16, 8> a2[1];
    Vec<bf16, 8> a7[1];
    __shared__ Vec<bf16, 8> tile0[64][8];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = threadIdx.x + k * 512;
        const int i0 = into_range(u0 + c % 8 * 8, 128);
        const int i1 = into_range(w0 + c / 8, 199);
        tile0[c / 8][c % 8 ^ c / 64] = load<8>(in0 + i0 + 136 * i1);
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = threadIdx.x + k * 512;
        const int i1 = into_range(w0 + c % 8 * 8, 192);
        const int i0 = into_range(u0 + c / 8, 135);
        a2[k] = load<8>(in1 + 200 * i0 + i1);
        a7[k] = load<8>(in2 + i1);
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = threadIdx.x + k * 512;
        const int i1 = w0 + c % 8 * 8;
        const int i0 = u0 + c / 8;
        if (i1 >= 200 || i0 >= 136)
            continue;
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(tile0[c % 8 * 8 + j][c / 64 ^ c % 8].x[c / 8 % 8]); // x
            const float v1 = (float)v0; // t1
            const float v2 = get(a2[k], j); // y
            const float v3 = (float)v2; // t2
            const float v4 = v1 + v3; // t3
            const float v5 = round_bf16((float)v4); // t4
            const float v6 = (float)v5; // t5
            const float v7 = get(a7[k], j); // b
            const float v8 = (float)v7; // t6
            const float v9 = v6 * v8; // t8
            b0[j] = v9;
        }
        store<8>(out0 + 200 * i0 + i1, b0);
    }
}

