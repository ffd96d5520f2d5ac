// columns in tiles: 3 x 1 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512, 2)
kernel0(
    const bf16 *__restrict__ in0, // x: cpu bf16[320, 192]
    const bf16 *__restrict__ in1, // y: cpu bf16[192, 320]
    bf16 *__restrict__ out0, // t5: cpu bf16[192]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int c = threadIdx.x, tx = c % 8, ty = c / 8, split = blockIdx.y;
    const int w0 = blockIdx.x * 64;
    const int i0 = w0 + tx * 8;
    SHARED_POOL(pool);
    auto a0 = (Vec<bf16, 8> *)(pool + 0);
    auto tiles2 = (Vec<bf16, 8> (*)[64][8])(pool + 24576);
    const auto ask = [&](int next, int slot) {
        if (next < 5) {
            const int u0 = next * 64;
            {
                const int i1 = u0 + threadIdx.x % 8 * 8;
                const int i0 = w0 + threadIdx.x / 8;
                copy_async(&tiles2[slot][threadIdx.x / 8][threadIdx.x % 8 ^ threadIdx.x / 64],
                           in1 + 320 * i0 + i1);
            }
            const int i1 = u0 + ty;
            copy_async(&a0[slot * 512 + threadIdx.x], in0 + i0 + 192 * i1);
        }
        end_group();
    };
    float acc6[8];
    #pragma unroll
    for (int j = 0; j < 8; j++)
        acc6[j] = -INF_F;
    for (int n = 0; n < 2; n++)
        ask(split + n * 1, n);
    int slot = 0;
    #pragma unroll 1
    for (int turn = split; turn < 5; turn += 1) {
        groups_done<1>();
        __syncthreads();
        ask(turn + 2, slot ? slot - 1 : 2);
        const auto &tile2 = tiles2[slot];
        const int own = slot * 512 + threadIdx.x;
        slot = slot == 2 ? 0 : slot + 1;
        const int u0 = turn * 64;
        const int i1 = u0 + ty;
        const Vec<bf16, 8> s0 = a0[own];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(s0, j); // x
            const float v1 = (float)v0; // t1
            const float v2 = get(tile2[c % 8 * 8 + j][c / 64 ^ c % 8].x[c / 8 % 8]); // y
            const float v3 = (float)v2; // t2
            const float v4 = v1 + v3; // t3
            const float v5 = round_bf16((float)v4); // t4
            acc6[j] = larger(acc6[j], v5);
        }
    }
    fold_columns<Max, 8, 64, 8>(acc6);
    if (ty == 0) {
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v6 = (float)acc6[j]; // t5
            b0[j] = v6;
        }
        store<8>(out0 + i0, b0);
    }
}

