// parts of columns in tiles: 3 x 3 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256, 4)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[3, 100, 68]
    const float *__restrict__ in1, // y: cpu f32[3, 68, 100]
    float *__restrict__ out0, // t2: cpu f32[68]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int c = threadIdx.x, tx = c % 8, ty = c / 8, split = blockIdx.y;
    const int w0 = blockIdx.x * 32;
    const bool live = w0 + tx * 4 < 68;
    const int i1 = into_range(w0 + tx * 4, 64);
    float *part3 = (float *)(scratch + 768);
    SHARED_POOL(pool);
    auto a0 = (Vec<float, 4> *)(pool + 0);
    auto tiles1 = (Vec<float, 4> (*)[32][8])(pool + 12288);
    const auto ask = [&](int next, int slot) {
        if (next < 12) {
            const int i0 = (next / 4);
            const int u0 = next % 4 * 32;
            {
                const int i2 = into_range(u0 + threadIdx.x % 8 * 4, 96);
                const int i1 = into_range(w0 + threadIdx.x / 8, 67);
                copy_async(&tiles1[slot][threadIdx.x / 8][threadIdx.x % 8 ^ threadIdx.x / 32],
                           in1 + 6800 * i0 + 100 * i1 + i2);
            }
            const int i2 = into_range(u0 + ty, 99);
            copy_async(&a0[slot * 256 + threadIdx.x], in0 + 6800 * i0 + i1 + 68 * i2);
        }
        end_group();
    };
    float acc3[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc3[j] = -INF_F;
    for (int n = 0; n < 2; n++)
        ask(split + n * 3, n);
    int slot = 0;
    #pragma unroll 1
    for (int turn = split; turn < 12; turn += 3) {
        groups_done<1>();
        __syncthreads();
        ask(turn + 6, slot ? slot - 1 : 2);
        const auto &tile1 = tiles1[slot];
        const int own = slot * 256 + threadIdx.x;
        slot = slot == 2 ? 0 : slot + 1;
        const int i0 = (turn / 4);
        const int u0 = turn % 4 * 32;
        const int i2 = u0 + ty;
        if (i2 >= 100)
            continue;
        const Vec<float, 4> s0 = a0[own];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(s0, j); // x
            const float v1 = get(tile1[c % 8 * 4 + j][c / 32 ^ c % 8].x[c / 8 % 4]); // y
            const float v2 = v0 - v1; // t1
            acc3[j] = larger(acc3[j], v2);
        }
    }
    fold_columns<Max, 8, 32, 4>(acc3);
    if (ty == 0 && live) {
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            part3[split * 68 + i1 + j] = acc3[j];
        }
    }
    if (!comes_last((int *)scratch + blockIdx.x, 3))
        return;
    for (int j = 0; j < 4; j++)
        acc3[j] = -INF_F;
    #pragma unroll 8
    for (int n = ty; n < 3; n += 32) {
        const Vec<float, 4> w3 = load<4>(part3 + n * 68 + i1);
        for (int j = 0; j < 4; j++)
            acc3[j] = Max::of(acc3[j], w3.x[j]);
    }
    fold_columns<Max, 8, 32, 4>(acc3);
    if (ty == 0 && live) {
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v3 = (float)acc3[j]; // t2
            b0[j] = v3;
        }
        store<4>(out0 + i1, b0);
    }
}

