// rows: 5 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const float *__restrict__ in0, // t: cpu f32[20]
    const float *__restrict__ in1, // x: cpu f32[20, 33]
    float *__restrict__ out0, // t13: cpu f32[20]
    float *__restrict__ out1, // t19: cpu f32[20, 33]
    float *__restrict__ out2, // t20: cpu f32[20]
    int *error)
{
    int &bad = *error;
    ask_for<80, 128>(in0);
    ask_for<2640, 128>(in1);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    const int i0 = row;
    Vec<float, 1> a15[2];
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        if (k == 1 && c >= 33)
            break;
        const int i1 = c;
        a15[k].x[0] = in1[33 * i0 + i1];
    }
    float acc19 = -INF_F;
    const float v0 = get(in0[i0]); // t
    const float v1 = fabs_f(v0); // t0
    const float v3 = 20.0f;
    const float v4 = v1 * v3; // t1
    const int64_t v5 = (int64_t)(int64_t)v4; // t2
    const int64_t v6 = (int64_t)5;
    const int64_t v7 = (int64_t)(v5 - v6); // i
    const float v11 = 0.0f;
    const uint8_t v13 = (uint64_t)v7 < 33;
    const float v14 = v13 ? v0 : v11; // t13
    #pragma unroll
    for (int k = 0; k < 2; k++) {
        const int c = t + k * 32;
        if (k == 1 && c >= 33)
            break;
        const int i1 = c;
        const float v15 = get(a15[k], 0); // x
        acc19 = larger(acc19, v15);
        const int64_t v8 = i1; // t5
        const uint8_t v9 = (as_index(v7) == i1) != 0; // t9
        const float v12 = v9 ? v0 : v11; // h
        const float v16 = exp_f(v15); // t14
        const float v17 = v16 * v14; // t18
        const float v18 = v12 - v17; // t19
        set(out1[33 * i0 + i1], v18);
    }
    acc19 = fold_lanes<Max, 32>(acc19);
    const float v19 = (float)acc19; // t20
    if (t == 0) {
        set(out0[i0], v14);
        set(out2[i0], v19);
    }
}

