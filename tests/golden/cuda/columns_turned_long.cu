// parts of columns in tiles: 2 x 11 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512, 2)
kernel0(
    const f16 *__restrict__ in0, // x: cpu f16[3000, 72]
    const float *__restrict__ in1, // y: cpu f32[72, 3000]
    float *__restrict__ out0, // t3: cpu f32[72]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int c = threadIdx.x, tx = c % 8, ty = c / 8, split = blockIdx.y;
    const int w0 = blockIdx.x * 64;
    const bool live = w0 + tx * 8 < 72;
    const int i0 = into_range(w0 + tx * 8, 64);
    float *part4 = (float *)(scratch + 768);
    SHARED_POOL(pool);
    auto a0 = (Vec<f16, 8> *)(pool + 0);
    auto tiles2 = (Vec<float, 8> (*)[64][8])(pool + 24576);
    const auto ask = [&](int next, int slot) {
        if (next < 47) {
            const int u0 = next * 64;
            {
                const int i1 = into_range(u0 + threadIdx.x % 8 * 8, 2992);
                const int i0 = into_range(w0 + threadIdx.x / 8, 71);
                copy_async(&tiles2[slot][threadIdx.x / 8][threadIdx.x % 8 ^ threadIdx.x / 64],
                           in1 + 3000 * i0 + i1);
            }
            const int i1 = into_range(u0 + ty, 2999);
            copy_async(&a0[slot * 512 + threadIdx.x], in0 + i0 + 72 * i1);
        }
        end_group();
    };
    float acc4[8];
    #pragma unroll
    for (int j = 0; j < 8; j++)
        acc4[j] = 0;
    for (int n = 0; n < 2; n++)
        ask(split + n * 11, n);
    int slot = 0;
    #pragma unroll 1
    for (int turn = split; turn < 47; turn += 11) {
        groups_done<1>();
        __syncthreads();
        ask(turn + 22, slot ? slot - 1 : 2);
        const auto &tile2 = tiles2[slot];
        const int own = slot * 512 + threadIdx.x;
        slot = slot == 2 ? 0 : slot + 1;
        const int u0 = turn * 64;
        const int i1 = u0 + ty;
        if (i1 >= 3000)
            continue;
        const Vec<f16, 8> s0 = a0[own];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(s0, j); // x
            const float v1 = (float)v0; // t1
            const float v2 = get(tile2[c % 8 * 8 + j][c / 64 ^ c % 8].x[c / 8 % 8]); // y
            const float v3 = v1 * v2; // t2
            acc4[j] += v3;
        }
    }
    fold_columns<Sum, 8, 64, 8>(acc4);
    if (ty == 0 && live) {
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            part4[split * 72 + i0 + j] = acc4[j];
        }
    }
    if (!comes_last((int *)scratch + blockIdx.x, 11))
        return;
    for (int j = 0; j < 8; j++)
        acc4[j] = 0;
    #pragma unroll 8
    for (int n = ty; n < 11; n += 64) {
        const Vec<float, 8> w4 = load<8>(part4 + n * 72 + i0);
        for (int j = 0; j < 8; j++)
            acc4[j] = Sum::of(acc4[j], w4.x[j]);
    }
    fold_columns<Sum, 8, 64, 8>(acc4);
    if (ty == 0 && live) {
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v4 = (float)acc4[j]; // t3
            b0[j] = v4;
        }
        store<8>(out0 + i0, b0);
    }
}

