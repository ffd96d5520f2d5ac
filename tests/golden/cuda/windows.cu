// a map: 5 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const bf16 *__restrict__ in0, // x: cpu bf16[40, 512]
    bf16 *__restrict__ out0, // a: cpu bf16[40, 256]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<bf16, 8> a0[1];
    Vec<bf16, 8> a2[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        const int i1 = c * 8;
        const Vec<bf16, 16> wide0 = load<16>(in0 + 2 * i1);
        const Vec<bf16, 16> wide2 = load<16>(in0 + 2 * i1);
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            a0[k].x[j] = wide0.x[2 * j];
            a2[k].x[j] = wide2.x[1 + 2 * j];
        }
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        const int i1 = c * 8;
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)v0; // t2
            const float v2 = get(a2[k], j); // x
            const float v3 = (float)v2; // t3
            const float v4 = v1 + v3; // t4
            b0[j] = v4;
        }
        store<8>(out0 + i1, b0);
    }
}

// a map: 3 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1(
    const bf16 *__restrict__ in0, // x: cpu bf16[40, 512]
    bf16 *__restrict__ out0, // t11: cpu bf16[40, 128]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<bf16, 8> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 640)
            break;
        const int i1 = c * 8;
        const Vec<bf16, 32> wide0 = load<32>(in0 + 4 * i1);
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            a0[k].x[j] = wide0.x[3 + 4 * j];
        }
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 640)
            break;
        const int i1 = c * 8;
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)v0; // t9
            const float v2 = exp_coarse(v1); // t10
            b0[j] = v2;
        }
        store<8>(out0 + i1, b0);
    }
}

// rows: 16 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel2(
    const float *__restrict__ in0, // z: cpu f32[64, 256, 3]
    float *__restrict__ out0, // t14: cpu f32[64, 256]
    float *__restrict__ out1, // t17: cpu f32[64]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    const int i0 = row;
    Vec<float, 4> a0[2];
    Vec<float, 4> a4[2];
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        const int i1 = c * 4;
        const Vec<float, 12> wide0 = load<12>(in0 + 768 * i0 + 3 * i1);
        const Vec<float, 12> wide4 = load<12>(in0 + 768 * i0 + 3 * i1);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            a0[k].x[j] = wide0.x[1 + 3 * j];
            a4[k].x[j] = wide4.x[2 + 3 * j];
        }
    }
    float acc5 = 0;
    const float v2 = 2.0f;
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        const int i1 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v4 = get(a4[k], j); // z
            acc5 += v4;
            const float v0 = get(a0[k], j); // z
            const float v3 = v0 * v2; // t14
            b0[j] = v3;
        }
        store<4>(out0 + 256 * i0 + i1, b0);
    }
    acc5 = fold_lanes<Sum, 32>(acc5);
    const float v5 = (float)acc5; // t17
    if (t == 0) {
        set(out1[i0], v5);
    }
}

// rows: 10 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel3(
    const float *__restrict__ in0, // y: cpu f32[37, 96]
    float *__restrict__ out0, // b: cpu f32[37, 96]
    float *__restrict__ out1, // t18: cpu f32[37]
    int *error)
{
    int &bad = *error;
    ask_for<14208, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= 37)
        return;
    const int i0 = row;
    Vec<float, 4> a0[1];
    Vec<float, 4> a1[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 24)
            break;
        const int i1 = c * 4;
        const Vec<float, 4> wide0 = load<4>(in0 + 96 * i0 - i1 + 92);
        a1[k] = load<4>(in0 + 96 * i0 + i1);
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            a0[k].x[j] = wide0.x[3 - j];
        }
    }
    float acc3 = 0;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 24)
            break;
        const int i1 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // y
            const float v1 = get(a1[k], j); // y
            const float v2 = v0 * v1; // b
            acc3 += v2;
            b0[j] = v2;
        }
        store<4>(out0 + 96 * i0 + i1, b0);
    }
    acc3 = fold_lanes<Sum, 32>(acc3);
    const float v3 = (float)acc3; // t18
    if (t == 0) {
        set(out1[i0], v3);
    }
}

// rows: 10 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel4(
    const bf16 *__restrict__ in0, // x: cpu bf16[40, 512]
    bf16 *__restrict__ out0, // t27: cpu bf16[39]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= 39)
        return;
    const int i0 = row;
    Vec<bf16, 8> a0[1];
    Vec<bf16, 8> a2[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        const int i1 = c * 8;
        const Vec<bf16, 16> wide0 = load<16>(in0 + 512 * i0 + 2 * i1 + 512);
        const Vec<bf16, 16> wide2 = load<16>(in0 + 512 * i0 + 2 * i1);
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            a0[k].x[j] = wide0.x[2 * j];
            a2[k].x[j] = wide2.x[1 + 2 * j];
        }
    }
    float acc7 = 0;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        const int i1 = c * 8;
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)v0; // t21
            const float v2 = get(a2[k], j); // x
            const float v3 = (float)v2; // t22
            const float v4 = v1 * v3; // t23
            const float v5 = round_bf16((float)v4); // t24
            const float v6 = (float)v5; // t25
            acc7 += v6;
        }
    }
    acc7 = fold_lanes<Sum, 32>(acc7);
    const float v7 = (float)acc7; // t26
    if (t == 0) {
        set(out0[i0], v7);
    }
}

// a map: 5 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel5(
    const bf16 *__restrict__ in0, // x: cpu bf16[40, 512]
    bf16 *__restrict__ out0, // t32: cpu bf16[40, 256]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<bf16, 8> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        const int i1 = c % 32 * 8;
        const int i0 = c / 32;
        const Vec<bf16, 16> wide0 = load<16>(in0 + 512 * i0 - 2 * i1 + 496);
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            a0[k].x[j] = wide0.x[15 - 2 * j];
        }
    }
    const float v3 = 2.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        const int i1 = c % 32 * 8;
        const int i0 = c / 32;
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)v0; // t30
            const float v4 = v1 * v3; // t31
            b0[j] = v4;
        }
        store<8>(out0 + 256 * i0 + i1, b0);
    }
}

