// rows: 1 x 1 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel0(
    const uint8_t *__restrict__ in0, // x: cpu u8[40]
    uint8_t *__restrict__ out0, // a: cpu u8[40]
    uint8_t *__restrict__ out1, // t1: cpu u8[40]
    int64_t *__restrict__ out2, // t3: cpu i64[]
    uint8_t *__restrict__ out3, // t4: cpu u8[40]
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
    int64_t acc6 = 0;
    const uint8_t v2 = (uint8_t)250;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 8;
        if (k == 0 && c >= 5)
            break;
        const int i0 = c * 8;
        uint8_t b0[8];
        uint8_t b1[8];
        uint8_t b3[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const uint8_t v0 = get(a0[k], j); // x
            const uint8_t v3 = (uint8_t)(v0 + v2); // a
            const int64_t v5 = (int64_t)v3; // t2
            acc6 += v5;
            b0[j] = v3;
            const uint8_t v4 = (uint8_t)(-v3); // t1
            b1[j] = v4;
            const uint8_t v7 = (uint8_t)(~v3); // t4
            b3[j] = v7;
        }
        store<8>(out0 + i0, b0);
        store<8>(out1 + i0, b1);
        store<8>(out3 + i0, b3);
    }
    acc6 = fold_lanes<Sum, 8>(acc6);
    const int64_t v6 = (int64_t)acc6; // t3
    if (t == 0) {
        set(out2[0], v6);
    }
}

