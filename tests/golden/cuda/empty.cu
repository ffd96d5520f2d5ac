// a map: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[]
    float *__restrict__ out0, // t0: cpu f32[]
    int *error)
{
    int &bad = *error;
    ask_for<4, 32>(in0);
    let_later_begin();
    wait_for_earlier();
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 1)
            break;
    }
    const float v0 = get(in0[0]); // x
    const float v2 = 2.0f;
    const float v3 = v0 * v2; // t0
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 1)
            break;
        set(out0[0], v3);
    }
}

// columns: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel1(
    const float *__restrict__ in0, // y: cpu f32[0, 4]
    float *__restrict__ out0, // t1: cpu f32[0, 4]
    float *__restrict__ out1, // t2: cpu f32[4]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 1, ty = threadIdx.x / 1;
    const int c = blockIdx.x * 1 + tx;
    const int i1 = c * 4;
    float acc4[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc4[j] = 0;
    const float v2 = 1.0f;
    #pragma unroll 4
    for (int r = ty; r < 0; r += 32) {
        const int i0 = r;
        const Vec<float, 4> a0 = load<4>(in0 + 4 * i0 + i1);
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0, j); // y
            acc4[j] += v0;
            const float v3 = v0 + v2; // t1
            b0[j] = v3;
        }
        store<4>(out0 + 4 * i0 + i1, b0);
    }
    fold_columns<Sum, 1, 32, 4>(acc4);
    if (ty == 0) {
        float b1[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v4 = (float)acc4[j]; // t2
            b1[j] = v4;
        }
        store<4>(out1 + i1, b1);
    }
}

