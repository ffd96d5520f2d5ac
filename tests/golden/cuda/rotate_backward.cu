// columns: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const bf16 *__restrict__ in0, // g: cpu bf16[3, 20, 128]
    const bf16 *__restrict__ in1, // n: cpu bf16[20, 128]
    const bf16 *__restrict__ in2, // c: cpu bf16[20, 128]
    bf16 *__restrict__ out0, // t24: cpu bf16[3, 20, 128]
    float *__restrict__ out1, // t26: cpu f32[128]
    int *error)
{
    int &bad = *error;
    ask_for<15360, 128>(in0);
    ask_for<5120, 128>(in1);
    ask_for<5120, 128>(in2);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int c = blockIdx.x * 16 + tx;
    const int i2 = c * 8;
    float acc49[8];
    #pragma unroll
    for (int j = 0; j < 8; j++)
        acc49[j] = 0;
    const int64_t v25 = (int64_t)64;
    const float v8 = 0.0f;
    const int q3 = into_range(i2 - 64, 56);
    const int q4 = into_range(i2, 56);
    #pragma unroll 4
    for (int r = ty; r < 60; r += 8) {
        const int i1 = r % 20;
        const int i0 = r / 20;
        const Vec<bf16, 8> a0 = load<8>(in0 + 2560 * i0 + 128 * i1 + i2);
        const Vec<bf16, 8> a44 = load<8>(in1 + 128 * i1 + i2);
        const Vec<bf16, 8> a2 = load<8>(in2 + 128 * i1 + i2);
        const Vec<bf16, 8> a13 = load<8>(in0 + 2560 * i0 + 128 * i1 + q3);
        const Vec<bf16, 8> a15 = load<8>(in1 + 128 * i1 + q3);
        const Vec<bf16, 8> a31 = load<8>(in0 + 2560 * i0 + 128 * i1 + q4 + 64);
        const Vec<bf16, 8> a33 = load<8>(in1 + 128 * i1 + q4 + 64);
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0, j); // g
            const float v1 = (float)v0; // t16
            const float v44 = get(a44, j); // n
            const float v45 = (float)v44; // t1
            const float v46 = v1 * v45; // t3
            const float v47 = round_bf16((float)v46); // h
            const float v48 = (float)v47; // t25
            acc49[j] += v48;
            const float v2 = get(a2, j); // c
            const float v3 = (float)v2; // t17
            const float v4 = v1 * v3; // t19
            const float v5 = round_bf16((float)v4); // t20
            const float v6 = (float)v5; // t21
            const int64_t v24 = i2 + j;
            const uint8_t v26 = v24 < v25;
            const float v13 = get(a13, j); // g
            const float v14 = (float)v13; // t0
            const float v15 = get(a15, j); // n
            const float v16 = (float)v15; // t1
            const float v17 = v14 * v16; // t3
            const float v18 = round_bf16((float)v17); // h
            const float v19 = (float)v18; // t7
            const float v20 = -v19; // t8
            const float v21 = round_bf16((float)v20); // t9
            const float v27 = v26 ? v8 : v21; // t10
            const float v28 = (float)v27; // t12
            const float v31 = get(a31, j); // g
            const float v32 = (float)v31; // t0
            const float v33 = get(a33, j); // n
            const float v34 = (float)v33; // t1
            const float v35 = v32 * v34; // t3
            const float v36 = round_bf16((float)v35); // h
            const float v37 = v26 ? v36 : v8; // t11
            const float v38 = (float)v37; // t13
            const float v39 = v28 + v38; // t14
            const float v40 = round_bf16((float)v39); // p
            const float v41 = (float)v40; // t22
            const float v42 = v6 + v41; // t23
            b0[j] = v42;
        }
        store<8>(out0 + 2560 * i0 + 128 * i1 + i2, b0);
    }
    fold_columns<Sum, 16, 8, 8>(acc49);
    if (ty == 0) {
        float b1[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v49 = (float)acc49[j]; // t26
            b1[j] = v49;
        }
        store<8>(out1 + i2, b1);
    }
}

