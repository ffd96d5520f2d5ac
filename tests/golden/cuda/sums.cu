// rows: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[5, 7]
    float *__restrict__ out0, // t0: cpu f32[5]
    int *error)
{
    int &bad = *error;
    ask_for<140, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 8, row = blockIdx.x * 16 + threadIdx.x / 8;
    if (row >= 5)
        return;
    const int i0 = row;
    Vec<float, 1> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 8;
        if (k == 0 && c >= 7)
            break;
        const int i1 = c;
        a0[k].x[0] = in0[7 * i0 + i1];
    }
    float acc1 = 0;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 8;
        if (k == 0 && c >= 7)
            break;
        const int i1 = c;
        const float v0 = get(a0[k].x[0]); // x
        acc1 += v0;
    }
    acc1 = fold_lanes<Sum, 8>(acc1);
    const float v1 = (float)acc1; // t0
    if (t == 0) {
        set(out0[i0], v1);
    }
}

// rows: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel1(
    const float *__restrict__ in0, // x: cpu f32[5, 7]
    float *__restrict__ out0, // t2: cpu f32[]
    int *error)
{
    int &bad = *error;
    ask_for<140, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= 1)
        return;
    Vec<float, 1> a0[2];
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        if (k == 1 && c >= 35)
            break;
        const int i1 = c;
        a0[k].x[0] = in0[i1];
    }
    float acc1 = 0;
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        if (k == 1 && c >= 35)
            break;
        const int i1 = c;
        const float v0 = get(a0[k].x[0]); // x
        acc1 += v0;
    }
    acc1 = fold_lanes<Sum, 32>(acc1);
    const float v1 = (float)acc1; // t1
    const float v3 = 35.0f;
    const float v4 = v1 / v3; // t2
    if (t == 0) {
        set(out0[0], v4);
    }
}

// columns: 1 x 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64, 2)
kernel2(
    const float *__restrict__ in0, // x: cpu f32[5, 7]
    float *__restrict__ out0, // t3: cpu f32[7]
    int *error)
{
    int &bad = *error;
    ask_for<140, 64>(in0);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    const bool live = blockIdx.x * 8 + tx < 7;
    const int c = live ? blockIdx.x * 8 + tx : 6;
    const int i1 = c;
    float acc1[1] = {0};
    #pragma unroll 16
    for (int r = ty; r < 5; r += 8) {
        const int i0 = r;
        const float v0 = get(in0[7 * i0 + i1]); // x
        acc1[0] += v0;
    }
    fold_columns<Sum, 8, 8, 1>(acc1);
    const float v1 = (float)acc1[0]; // t3
    if (ty == 0 && live) {
        set(out0[i1], v1);
    }
}

