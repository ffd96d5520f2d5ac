// columns: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel0(
    const int64_t *__restrict__ in0, // x: cpu i64[5, 4]
    const int64_t *__restrict__ in1, // y: cpu i64[4]
    int64_t *__restrict__ out0, // a: cpu i64[5, 4]
    int64_t *__restrict__ out1, // b: cpu i64[5, 4]
    int64_t *__restrict__ out2, // c: cpu i64[4]
    uint8_t *__restrict__ out3, // t15: cpu b8[5, 4]
    int *error)
{
    int &bad = *error;
    ask_for<160, 32>(in0);
    ask_for<32, 32>(in1);
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 1, ty = threadIdx.x / 1;
    const int c = blockIdx.x * 1 + tx;
    const int i1 = c * 4;
    int64_t acc13[4];
    #pragma unroll
    for (int j = 0; j < 4; j++)
        acc13[j] = 0;
    const int64_t v1 = (int64_t)3;
    const Vec<int64_t, 4> a3 = load<4>(in1 + i1);
    const int64_t v5 = (int64_t)7;
    const int64_t v14 = (int64_t)2;
    #pragma unroll 4
    for (int r = ty; r < 5; r += 32) {
        const int i0 = r;
        const Vec<int64_t, 4> a0 = load<4>(in0 + 4 * i0 + i1);
        int64_t b0[4];
        int64_t b1[4];
        uint8_t b3[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const int64_t v0 = get(a0, j); // x
            const int64_t v2 = (int64_t)(v0 * v1); // t0
            const int64_t v3 = get(a3, j); // y
            const int64_t v4 = (int64_t)(v2 - v3); // a
            const int64_t v12 = (int64_t)(v4 > v3 ? v4 : v3); // t10
            acc13[j] += v12;
            b0[j] = v4;
            const int64_t v6 = (int64_t)(div_i(v4, v5, &bad)); // t3
            const int64_t v7 = (int64_t)(remainder_i(v4, v5, &bad)); // t5
            const int64_t v8 = (int64_t)(mod_i(v4, v5, &bad)); // t4
            const uint8_t v9 = (v7 != v8) != 0; // t6
            const int64_t v10 = (int64_t)v9; // t7
            const int64_t v11 = (int64_t)(v6 - v10); // b
            b1[j] = v11;
            const uint8_t v15 = (v4 > v14) != 0; // t12
            const uint8_t v16 = (v3 < v1) != 0; // t13
            const uint8_t v17 = (v15 & v16) != 0; // t15
            b3[j] = v17;
        }
        store<4>(out0 + 4 * i0 + i1, b0);
        store<4>(out1 + 4 * i0 + i1, b1);
        store<4>(out3 + 4 * i0 + i1, b3);
    }
    fold_columns<Sum, 1, 32, 4>(acc13);
    if (ty == 0) {
        int64_t b2[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const int64_t v13 = (int64_t)acc13[j]; // c
            b2[j] = v13;
        }
        store<4>(out2 + i1, b2);
    }
}

