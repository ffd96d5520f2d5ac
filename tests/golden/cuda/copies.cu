// a map in tiles: 12 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const bf16 *__restrict__ in0, // x: cpu bf16[200, 136]
    bf16 *__restrict__ out0, // t1: cpu bf16[136, 200]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int w0 = blockIdx.x % 4 * 64, u0 = blockIdx.x / 4 % 3 * 64;
    const int rest = blockIdx.x / 12;
    __shared__ Vec<bf16, 8> tile0[64][8];
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = threadIdx.x + k * 256;
        const int i0 = into_range(u0 + c % 8 * 8, 128);
        const int i1 = into_range(w0 + c / 8, 199);
        tile0[c / 8][c % 8 ^ c / 64] = load<8>(in0 + i0 + 136 * i1);
    }
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = threadIdx.x + k * 256;
        const int i1 = into_range(w0 + c % 8 * 8, 192);
        const int i0 = into_range(u0 + c / 8, 135);
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = threadIdx.x + k * 256;
        const int i1 = w0 + c % 8 * 8;
        const int i0 = u0 + c / 8;
        if (i1 >= 200 || i0 >= 136)
            continue;
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(tile0[c % 8 * 8 + j][c / 64 ^ c % 8].x[c / 8 % 8]); // x
            b0[j] = v0;
        }
        store<8>(out0 + 200 * i0 + i1, b0);
    }
}

// a map: 15 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1(
    const float *__restrict__ in0, // y: cpu f32[3, 20, 4, 64]
    float *__restrict__ out0, // t3: cpu f32[3, 4, 20, 64]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        const int i3 = c % 16 * 4;
        const int i2 = c / 16 % 20;
        const int i1 = c / 320 % 4;
        const int i0 = c / 1280;
        a0[k] = load<4>(in0 + 5120 * i0 + 64 * i1 + 256 * i2 + i3);
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        const int i3 = c % 16 * 4;
        const int i2 = c / 16 % 20;
        const int i1 = c / 320 % 4;
        const int i0 = c / 1280;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // y
            b0[j] = v0;
        }
        store<4>(out0 + 5120 * i0 + 1280 * i1 + 64 * i2 + i3, b0);
    }
}

// a map in tiles: 6 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel2(
    const uint8_t *__restrict__ in0, // z: cpu u8[45, 77]
    uint8_t *__restrict__ out0, // t5: cpu u8[77, 45]
    int *error)
{
    int &bad = *error;
    ask_for<3465, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int w0 = blockIdx.x % 2 * 32, u0 = blockIdx.x / 2 % 3 * 32;
    const int rest = blockIdx.x / 6;
    __shared__ Vec<uint8_t, 1> tile0[32][32];
    #pragma unroll
    for (int k = 0; k < 8; k++) {
        const int c = threadIdx.x + k * 128;
        const int i0 = into_range(u0 + c % 32 * 1, 76);
        const int i1 = into_range(w0 + c / 32, 44);
        tile0[c / 32][c % 32 ^ c / 32] = load<1>(in0 + i0 + 77 * i1);
    }
    #pragma unroll
    for (int k = 0; k < 8; k++) {
        const int c = threadIdx.x + k * 128;
        const int i1 = into_range(w0 + c % 32 * 1, 44);
        const int i0 = into_range(u0 + c / 32, 76);
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 8; k++) {
        const int c = threadIdx.x + k * 128;
        const int i1 = w0 + c % 32 * 1;
        const int i0 = u0 + c / 32;
        if (i1 >= 45 || i0 >= 77)
            continue;
        const uint8_t v0 = get(tile0[c % 32 * 1][c / 32 ^ c % 32].x[c / 32 % 1]); // z
        set(out0[45 * i0 + i1], v0);
    }
}

