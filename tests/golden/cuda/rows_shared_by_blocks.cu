// parts of rows: 70 x 1 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[2, 70001]
    float *__restrict__ out0, // t0: cpu f32[2]
    float *__restrict__ out1, // t3: cpu f32[2]
    uint8_t *__restrict__ out2, // t5: cpu b8[2]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x, split = blockIdx.x % 35, row = blockIdx.x / 35;
    const int i0 = row;
    float *part1 = (float *)(scratch + 512);
    float *part2 = (float *)(scratch + 9728);
    float *part3 = (float *)(scratch + 18944);
    int *part8 = (int *)(scratch + 28160);
    float acc1 = 0;
    float acc2 = -INF_F;
    float acc3 = INF_F;
    int acc8 = 0;
    const float v6 = 9.0f;
    #pragma unroll 16
    for (int c = split * 512 + t; c < 70001; c += 17920) {
        const int i1 = c;
        const float v0 = get(in0[70001 * i0 + i1]); // x
        acc1 += v0;
        acc2 = larger(acc2, v0);
        acc3 = smaller(acc3, v0);
        const uint8_t v7 = (v0 > v6) != 0; // t4
        acc8 |= v7 != 0;
    }
    __shared__ float fold1[16];
    fold_to<Sum>(acc1, fold1);
    __shared__ float fold2[16];
    fold_to<Max>(acc2, fold2);
    __shared__ float fold3[16];
    fold_to<Min>(acc3, fold3);
    __shared__ int fold8[16];
    fold_to<Any>(acc8, fold8);
    __syncthreads();
    acc1 = fold_from<Sum, 16>(fold1);
    acc2 = fold_from<Max, 16>(fold2);
    acc3 = fold_from<Min, 16>(fold3);
    acc8 = fold_from<Any, 16>(fold8);
    if (t == 0) {
        part1[split * 2 + i0] = acc1;
        part2[split * 2 + i0] = acc2;
        part3[split * 2 + i0] = acc3;
        part8[split * 2 + i0] = acc8;
    }
    if (!comes_last((int *)scratch + row, 35))
        return;
    acc1 = 0;
    acc2 = -INF_F;
    acc3 = INF_F;
    acc8 = 0;
    for (int n = t; n < 35; n += 512) {
        acc1 = Sum::of(acc1, part1[n * 2 + i0]);
        acc2 = Max::of(acc2, part2[n * 2 + i0]);
        acc3 = Min::of(acc3, part3[n * 2 + i0]);
        acc8 = Any::of(acc8, part8[n * 2 + i0]);
    }
    {
        __shared__ float fold1[16];
        fold_to<Sum>(acc1, fold1);
        __shared__ float fold2[16];
        fold_to<Max>(acc2, fold2);
        __shared__ float fold3[16];
        fold_to<Min>(acc3, fold3);
        __shared__ int fold8[16];
        fold_to<Any>(acc8, fold8);
        __syncthreads();
        acc1 = fold_from<Sum, 16>(fold1);
        acc2 = fold_from<Max, 16>(fold2);
        acc3 = fold_from<Min, 16>(fold3);
        acc8 = fold_from<Any, 16>(fold8);
    }
    const float v1 = (float)acc1; // t0
    const float v2 = (float)acc2; // t1
    const float v3 = (float)acc3; // t2
    const float v4 = v2 - v3; // t3
    const uint8_t v8 = (uint8_t)acc8; // t5
    if (t == 0) {
        set(out0[i0], v1);
        set(out1[i0], v4);
        set(out2[i0], v8);
    }
}

