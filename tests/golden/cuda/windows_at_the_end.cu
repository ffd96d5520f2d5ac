// a map: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[255]
    float *__restrict__ out0, // t1: cpu f32[128]
    int *error)
{
    int &bad = *error;
    ask_for<1020, 32>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        const int i0 = c * 4;
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            a0[k].x[j] = in0[2 * i0 + 2 * j];
        }
    }
    const float v2 = 2.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        const int i0 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v3 = v0 * v2; // t1
            b0[j] = v3;
        }
        store<4>(out0 + i0, b0);
    }
}

// a map: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel1(
    const float *__restrict__ in0, // x: cpu f32[255]
    float *__restrict__ out0, // t3: cpu f32[64]
    int *error)
{
    int &bad = *error;
    ask_for<1020, 32>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 16)
            break;
        const int i0 = c * 4;
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            a0[k].x[j] = in0[4 * i0 + 2 + 4 * j];
        }
    }
    const float v2 = 1.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 16)
            break;
        const int i0 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v3 = v0 + v2; // t3
            b0[j] = v3;
        }
        store<4>(out0 + i0, b0);
    }
}

// a map: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel2(
    const float *__restrict__ in0, // y: cpu f32[8, 60]
    float *__restrict__ out0, // t6: cpu f32[8, 12]
    int *error)
{
    int &bad = *error;
    ask_for<1920, 32>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 24)
            break;
        const int i1 = c % 3 * 4;
        const int i0 = c / 3;
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            a0[k].x[j] = in0[60 * i0 - 5 * i1 + 55 - 5 * j];
        }
    }
    const float v2 = 1.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 24)
            break;
        const int i1 = c % 3 * 4;
        const int i0 = c / 3;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // y
            const float v3 = v0 + v2; // t6
            b0[j] = v3;
        }
        store<4>(out0 + 12 * i0 + i1, b0);
    }
}

// a map: 1 x 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel3(
    const float *__restrict__ in0, // y: cpu f32[8, 60]
    float *__restrict__ out0, // t8: cpu f32[8, 28]
    int *error)
{
    int &bad = *error;
    ask_for<1920, 64>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)64 + threadIdx.x + k * 64;
        if (c >= 56)
            break;
        const int i1 = c % 7 * 4;
        const int i0 = c / 7;
        const Vec<float, 8> wide0 = load<8>(in0 + 60 * i0 + 2 * i1 + 4);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            a0[k].x[j] = wide0.x[2 * j];
        }
    }
    const float v2 = 3.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)64 + threadIdx.x + k * 64;
        if (c >= 56)
            break;
        const int i1 = c % 7 * 4;
        const int i0 = c / 7;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // y
            const float v3 = v0 * v2; // t8
            b0[j] = v3;
        }
        store<4>(out0 + 28 * i0 + i1, b0);
    }
}

// a map: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel4(
    const float *__restrict__ in0, // y: cpu f32[8, 60]
    float *__restrict__ out0, // t11: cpu f32[8, 29]
    int *error)
{
    int &bad = *error;
    ask_for<1920, 256>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<float, 1> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 232)
            break;
        const int i1 = c % 29;
        const int i0 = c / 29;
        a0[k].x[0] = in0[-60 * i0 - 2 * i1 + 476];
    }
    const float v2 = 2.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 232)
            break;
        const int i1 = c % 29;
        const int i0 = c / 29;
        const float v0 = get(a0[k], 0); // y
        const float v3 = v0 * v2; // t11
        set(out0[29 * i0 + i1], v3);
    }
}

