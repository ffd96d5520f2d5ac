// rows: 5 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const float *__restrict__ in0, // t: cpu f32[20]
    const float *__restrict__ in1, // x: cpu f32[20, 33]
    float *__restrict__ out0, // t8: cpu f32[20]
    float *__restrict__ out1, // t14: cpu f32[20, 33]
    float *__restrict__ out2, // t15: cpu f32[20]
    int *error)
{
    int &bad = *error;
    ask_for<80, 128>(in0);
    ask_for<2640, 128>(in1);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    const int i0 = row;
    Vec<float, 1> a16[2];
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        if (k == 1 && c >= 33)
            break;
        const int i1 = c;
        a16[k].x[0] = in1[33 * i0 + i1];
    }
    float acc20 = -INF_F;
    const float v0 = get(in0[i0]); // t
    const float v1 = fabs_f(v0); // t0
    const float v3 = 7.0f;
    const float v4 = v1 * v3; // t1
    const int64_t v5 = (int64_t)(int64_t)v4; // t2
    const int64_t v6 = (int64_t)33;
    const int64_t v7 = (int64_t)(remainder_i(v5, v6, &bad)); // i
    const int q2 = (int)index_i(v7, 33, &bad);
    const float v14 = 0.0f;
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        if (k == 1 && c >= 33)
            break;
        const int i1 = c;
        const float v16 = get(a16[k], 0); // x
        acc20 = larger(acc20, v16);
        const uint8_t v12 = i1 == q2;
        const float v15 = v12 ? v0 : v14; // a
        const float v17 = exp_f(v16); // t9
        const float v18 = v17 * v0; // t13
        const float v19 = v15 - v18; // t14
        set(out1[33 * i0 + i1], v19);
    }
    acc20 = fold_lanes<Max, 32>(acc20);
    const float v20 = (float)acc20; // t15
    if (t == 0) {
        set(out0[i0], v0);
        set(out2[i0], v20);
    }
}

