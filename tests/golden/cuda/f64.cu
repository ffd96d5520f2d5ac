// rows, and parts of folds across them: 33 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128, 13)
kernel0(
    const double *__restrict__ in0, // y: cpu f64[130, 9]
    const double *__restrict__ in1, // x: cpu f64[9, 130]
    double *__restrict__ out0, // t1: cpu f64[9, 130]
    double *__restrict__ out1, // t11: cpu f64[9]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<9360, 128>(in0);
    ask_for<9360, 128>(in1);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, split = blockIdx.x * 4 + threadIdx.x / 32;
    double *part8 = (double *)(scratch + 0);
    double acc8[1][1];
    #pragma unroll
    for (int k = 0; k < 1; k++)
        for (int j = 0; j < 1; j++)
            acc8[k][j] = 0;
    #pragma unroll 1
    for (int row = split, turn = 0; row < 130; row += 132, turn ^= 1) {
        const int i1 = row;
        Vec<double, 1> a0[1];
        Vec<double, 1> a1[1];
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 9)
                break;
            const int i0 = c;
            a0[k].x[0] = in1[130 * i0 + i1];
            a1[k].x[0] = in0[i0 + 9 * i1];
        }
        double acc3 = -INF_D;
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 9)
                break;
            const int i0 = c;
            const double v0 = get(a0[k], 0); // x
            acc3 = larger(acc3, v0);
        }
        acc3 = fold_lanes<Max, 32>(acc3);
        double acc6 = 0;
        const double v3 = (double)acc3; // t2
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 9)
                break;
            const int i0 = c;
            const double v0 = get(a0[k], 0); // x
            const double v4 = v0 - v3; // t5
            const double v5 = exp_d(v4); // t6
            acc6 += v5;
        }
        acc6 = fold_lanes<Sum, 32>(acc6);
        const double v6 = (double)acc6; // t7
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 9)
                break;
            const int i0 = c;
            const double v0 = get(a0[k], 0); // x
            const double v1 = get(a1[k], 0); // y
            const double v2 = v0 + v1; // t1
            set(out0[130 * i0 + i1], v2);
            const double v4 = v0 - v3; // t5
            const double v5 = exp_d(v4); // t6
            const double v7 = v5 / v6; // t10
            acc8[k][0] += v7;
        }
    }
    __shared__ double meet[4][9];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 9)
            break;
        const int i0 = c;
        #pragma unroll
        for (int j = 0; j < 1; j++)
            meet[threadIdx.x / 32][i0] = acc8[k][j];
    }
    __syncthreads();
    for (int n = threadIdx.x; n < 9; n += 128) {
        double v = meet[0][n];
        for (int k = 1; k < 4; k++)
            v = Sum::of(v, meet[k][n]);
        part8[blockIdx.x * 9 + n] = v;
    }
    __syncthreads();
}

// folds the parts: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_1(
    const double *__restrict__ in0, // y: cpu f64[130, 9]
    const double *__restrict__ in1, // x: cpu f64[9, 130]
    double *__restrict__ out0, // t1: cpu f64[9, 130]
    double *__restrict__ out1, // t11: cpu f64[9]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<9360, 256>(in0);
    ask_for<9360, 256>(in1);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const bool live = blockIdx.x * 16 + tx < 9;
    const int n = live ? blockIdx.x * 16 + tx : 0;
    const int i0 = n;
    double *part8 = (double *)(scratch + 0);
    double acc8[1] = {0};
    #pragma unroll 4
    for (int split = ty; split < 33; split += 16) {
        acc8[0] = Sum::of(acc8[0], part8[split * 9 + n]);
    }
    fold_columns<Sum, 16, 16, 1>(acc8);
    const double v8 = (double)acc8[0]; // t11
    if (ty == 0 && live) {
        set(out1[i0], v8);
    }
}

