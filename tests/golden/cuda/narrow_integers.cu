// rows: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const uint8_t *__restrict__ in0, // x: cpu u8[40]
    uint8_t *__restrict__ out0, // t0: cpu u8[]
    int *error)
{
    int &bad = *error;
    ask_for<40, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 8, row = blockIdx.x * 16 + threadIdx.x / 8;
    if (row >= 1)
        return;
    Vec<uint8_t, 8> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 8;
        if (k == 0 && c >= 5)
            break;
        const int i0 = c * 8;
        a0[k] = load<8>(in0 + i0);
    }
    uint8_t acc1 = 0;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 8;
        if (k == 0 && c >= 5)
            break;
        const int i0 = c * 8;
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const uint8_t v0 = get(a0[k], j); // x
            acc1 = larger(acc1, v0);
        }
    }
    acc1 = fold_lanes<Max, 8>(acc1);
    const uint8_t v1 = (uint8_t)acc1; // t0
    if (t == 0) {
        set(out0[0], v1);
    }
}

// columns: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256, 2)
kernel1(
    const int8_t *__restrict__ in0, // w: cpu i8[64, 3]
    int8_t *__restrict__ out0, // t3: cpu i8[3]
    int *error)
{
    int &bad = *error;
    ask_for<192, 256>(in0);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 4, ty = threadIdx.x / 4;
    const bool live = blockIdx.x * 4 + tx < 3;
    const int c = live ? blockIdx.x * 4 + tx : 2;
    const int i1 = c;
    int8_t acc1[1] = {(int8_t)((uint32_t)1 << 7)};
    #pragma unroll 16
    for (int r = ty; r < 64; r += 64) {
        const int i0 = r;
        const int8_t v0 = get(in0[3 * i0 + i1]); // w
        acc1[0] = larger(acc1[0], v0);
    }
    fold_columns<Max, 4, 64, 1>(acc1);
    const int8_t v1 = (int8_t)acc1[0]; // t3
    if (ty == 0 && live) {
        set(out0[i1], v1);
    }
}

// rows, and parts of folds across them: 2 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128, 15)
kernel2(
    const uint8_t *__restrict__ in0, // z: cpu b8[5, 6]
    uint8_t *__restrict__ out0, // t2: cpu b8[5]
    uint8_t *__restrict__ out1, // t4: cpu b8[6]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<30, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, split = blockIdx.x * 4 + threadIdx.x / 32;
    int *part2 = (int *)(scratch + 0);
    int acc2[1][2];
    #pragma unroll
    for (int k = 0; k < 1; k++)
        for (int j = 0; j < 2; j++)
            acc2[k][j] = 0;
    #pragma unroll 1
    for (int row = split, turn = 0; row < 5; row += 8, turn ^= 1) {
        const int i0 = row;
        Vec<uint8_t, 2> a0[1];
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 3)
                break;
            const int i1 = c * 2;
            a0[k] = load<2>(in0 + 6 * i0 + i1);
        }
        uint8_t acc1 = 0;
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 3)
                break;
            const int i1 = c * 2;
            #pragma unroll
            for (int j = 0; j < 2; j++) {
                const uint8_t v0 = get(a0[k], j); // z
                acc1 = larger(acc1, v0);
            }
        }
        acc1 = fold_lanes<Max, 32>(acc1);
        #pragma unroll
        for (int k = 0; k < 1; k++) {
            const int c = t + k * 32;
            if (k == 0 && c >= 3)
                break;
            const int i1 = c * 2;
            #pragma unroll
            for (int j = 0; j < 2; j++) {
                const uint8_t v0 = get(a0[k], j); // z
                acc2[k][j] |= v0 != 0;
            }
        }
        const uint8_t v1 = (uint8_t)acc1; // t2
        if (t == 0) {
            set(out0[i0], v1);
        }
    }
    __shared__ int meet[4][6];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        if (k == 0 && c >= 3)
            break;
        const int i1 = c * 2;
        #pragma unroll
        for (int j = 0; j < 2; j++)
            meet[threadIdx.x / 32][i1 + j] = acc2[k][j];
    }
    __syncthreads();
    for (int n = threadIdx.x; n < 6; n += 128) {
        int v = meet[0][n];
        for (int k = 1; k < 4; k++)
            v = Any::of(v, meet[k][n]);
        part2[blockIdx.x * 6 + n] = v;
    }
    __syncthreads();
}

// folds the parts: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel2_1(
    const uint8_t *__restrict__ in0, // z: cpu b8[5, 6]
    uint8_t *__restrict__ out0, // t2: cpu b8[5]
    uint8_t *__restrict__ out1, // t4: cpu b8[6]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<30, 256>(in0);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
    const bool live = blockIdx.x * 8 + tx < 6;
    const int n = live ? blockIdx.x * 8 + tx : 0;
    const int i1 = n;
    int *part2 = (int *)(scratch + 0);
    int acc2[1] = {0};
    #pragma unroll 4
    for (int split = ty; split < 2; split += 32) {
        acc2[0] = Any::of(acc2[0], part2[split * 6 + n]);
    }
    fold_columns<Any, 8, 32, 1>(acc2);
    const uint8_t v2 = (uint8_t)acc2[0]; // t4
    if (ty == 0 && live) {
        set(out1[i1], v2);
    }
}

// rows, and parts of folds across them: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128, 3)
kernel3(
    const int16_t *__restrict__ in0, // y: cpu i16[3, 70]
    int16_t *__restrict__ out0, // t1: cpu i16[3]
    int16_t *__restrict__ out1, // t5: cpu i16[70]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<420, 128>(in0);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, split = blockIdx.x * 4 + threadIdx.x / 32;
    int16_t *part2 = (int16_t *)(scratch + 0);
    int16_t acc2[2][2];
    #pragma unroll
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++)
            acc2[k][j] = (int16_t)((uint32_t)1 << 15);
    #pragma unroll 1
    for (int row = split, turn = 0; row < 3; row += 4, turn ^= 1) {
        const int i0 = row;
        Vec<int16_t, 2> a0[2];
        #pragma unroll
        for (int k = 0; k < 2; k++) {
            const int c = t + k * 32;
            if (k == 1 && c >= 35)
                break;
            const int i1 = c * 2;
            a0[k] = load<2>(in0 + 70 * i0 + i1);
        }
        int16_t acc1 = (int16_t)~((uint32_t)1 << 15);
        #pragma unroll
        for (int k = 0; k < 2; k++) {
            const int c = t + k * 32;
            if (k == 1 && c >= 35)
                break;
            const int i1 = c * 2;
            #pragma unroll
            for (int j = 0; j < 2; j++) {
                const int16_t v0 = get(a0[k], j); // y
                acc1 = smaller(acc1, v0);
            }
        }
        acc1 = fold_lanes<Min, 32>(acc1);
        #pragma unroll
        for (int k = 0; k < 2; k++) {
            const int c = t + k * 32;
            if (k == 1 && c >= 35)
                break;
            const int i1 = c * 2;
            #pragma unroll
            for (int j = 0; j < 2; j++) {
                const int16_t v0 = get(a0[k], j); // y
                acc2[k][j] = larger(acc2[k][j], v0);
            }
        }
        const int16_t v1 = (int16_t)acc1; // t1
        if (t == 0) {
            set(out0[i0], v1);
        }
    }
    __shared__ int16_t meet[4][70];
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        if (k == 1 && c >= 35)
            break;
        const int i1 = c * 2;
        #pragma unroll
        for (int j = 0; j < 2; j++)
            meet[threadIdx.x / 32][i1 + j] = acc2[k][j];
    }
    __syncthreads();
    for (int n = threadIdx.x; n < 70; n += 128) {
        int16_t v = meet[0][n];
        for (int k = 1; k < 4; k++)
            v = Max::of(v, meet[k][n]);
        part2[blockIdx.x * 70 + n] = v;
    }
    __syncthreads();
}

// folds the parts: 3 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel3_1(
    const int16_t *__restrict__ in0, // y: cpu i16[3, 70]
    int16_t *__restrict__ out0, // t1: cpu i16[3]
    int16_t *__restrict__ out1, // t5: cpu i16[70]
    char *scratch,
    int *error)
{
    int &bad = *error;
    ask_for<420, 256>(in0);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
    const bool live = blockIdx.x * 32 + tx < 70;
    const int n = live ? blockIdx.x * 32 + tx : 0;
    const int i1 = n;
    int16_t *part2 = (int16_t *)(scratch + 0);
    int16_t acc2[1] = {(int16_t)((uint32_t)1 << 15)};
    #pragma unroll 4
    for (int split = ty; split < 1; split += 8) {
        acc2[0] = Max::of(acc2[0], part2[split * 70 + n]);
    }
    fold_columns<Max, 32, 8, 1>(acc2);
    const int16_t v2 = (int16_t)acc2[0]; // t5
    if (ty == 0 && live) {
        set(out1[i1], v2);
    }
}

