// columns in tiles: 9 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256, 4)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[3, 100, 68]
    const float *__restrict__ in1, // y: cpu f32[3, 68, 100]
    const float *__restrict__ in2, // b: cpu f32[68, 1]
    const float *__restrict__ in3, // w: cpu f32[100]
    float *__restrict__ out0, // t6: cpu f32[3, 68]
    int *error)
{
    int &bad = *error;
    ask_for<272, 256>(in2);
    ask_for<400, 256>(in3);
    let_later_begin();
    wait_for_earlier();
    const int c = threadIdx.x, tx = c % 8, ty = c / 8, split = blockIdx.y;
    const int i0 = (blockIdx.x / 3);
    const int w0 = blockIdx.x % 3 * 32;
    const bool live = w0 + tx * 4 < 68;
    const int i1 = into_range(w0 + tx * 4, 64);
    SHARED_POOL(pool);
    auto a0 = (Vec<float, 4> *)(pool + 0);
    auto tiles1 = (Vec<float, 4> (*)[32][8])(pool + 12288);
    const auto ask = [&](int next, int slot) {
        if (next < 4) {
            const int u0 = next * 32;
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
    float acc7[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc7[j] = 0;
    const Vec<float, 4> a3 = load<4>(in2 + i1);
    for (int n = 0; n < 2; n++)
        ask(split + n * 1, n);
    int slot = 0;
    #pragma unroll 1
    for (int turn = split; turn < 4; turn += 1) {
        groups_done<1>();
        __syncthreads();
        ask(turn + 2, slot ? slot - 1 : 2);
        const auto &tile1 = tiles1[slot];
        const int own = slot * 256 + threadIdx.x;
        slot = slot == 2 ? 0 : slot + 1;
        const int u0 = turn * 32;
        const int i2 = u0 + ty;
        if (i2 >= 100)
            continue;
        const Vec<float, 4> s0 = a0[own];
        const float v5 = get(in3[i2]); // w
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(s0, j); // x
            const float v1 = get(tile1[c % 8 * 4 + j][c / 32 ^ c % 8].x[c / 8 % 4]); // y
            const float v2 = v0 * v1; // t1
            const float v3 = get(a3, j); // b
            const float v4 = v2 + v3; // t3
            const float v6 = v4 * v5; // t5
            acc7[j] += v6;
        }
    }
    fold_columns<Sum, 8, 32, 4>(acc7);
    if (ty == 0 && live) {
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v7 = (float)acc7[j]; // t6
            b0[j] = v7;
        }
        store<4>(out0 + 68 * i0 + i1, b0);
    }
}

