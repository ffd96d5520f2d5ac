#ifndef SCANS
#define SCANS
template <typename A> struct Placed { A v; int at; };
/* The later one wins where both are as good; a NaN, once met, stays. */
template <bool MAX> struct Latest {
    template <typename A> INLINE Placed<A> of(Placed<A> a, Placed<A> b)
    {
        if (a.at < 0 || b.at < 0)
            return a.at < 0 ? b : a;
        bool better = MAX ? b.v >= a.v : b.v <= a.v;
        return b.v != b.v || (a.v == a.v && better) ? b : a;
    }
};
template <typename A> INLINE A lower_lane(A v, int d)
{
    return __shfl_up_sync(0xffffffffu, v, d);
}
template <typename A> INLINE Placed<A> lower_lane(Placed<A> v, int d)
{
    return {lower_lane(v.v, d), lower_lane(v.at, d)};
}
template <typename A, typename D> INLINE void take(A &to, D from, int)
{
    to = (A)get(from);
}
template <typename A, typename D> INLINE void take(Placed<A> &to, D from, int at)
{
    to.v = (A)get(from);
    to.at = at;
}
template <typename A> INLINE A none_of(Sum, A)
{
    return 0;
}
template <typename A> INLINE A none_of(Prod, A)
{
    return 1;
}
template <bool MAX, typename A> INLINE Placed<A> none_of(Latest<MAX>, Placed<A>)
{
    return {0, -1};
}
template <typename D, typename A> INLINE void give(D *to, int64_t *, int64_t i, A v)
{
    set(to[i], v);
}
template <typename D, typename A> INLINE void give(D *to, int64_t *place, int64_t i, Placed<A> v)
{
    if (to)
        set(to[i], v.v);
    if (place)
        place[i] = v.at;
}
template <int V, typename D, typename A> INLINE void give_side_by_side(D *to, const A (&v)[V])
{
    if constexpr (V == 1)
        set(*to, v[0]);
    else
        store<V>(to, v);
}
template <int V, typename D, typename A> INLINE void give_chunk(D *to, int64_t *, int64_t i, const A (&v)[V])
{
    give_side_by_side(to + i, v);
}
template <int V, typename D, typename A> INLINE void give_chunk(D *to, int64_t *place, int64_t i,
                                                       const Placed<A> (&v)[V])
{
    A values[V];
    int places[V];
    _Pragma("unroll")
    for (int j = 0; j < V; j++)
        values[j] = v[j].v, places[j] = v[j].at;
    if (to)
        give_side_by_side(to + i, values);
    if (place)
        give_side_by_side(place + i, places);
}
template <typename F, int WARPS, typename A> INLINE A scan_block(A v, A none, A *all)
{
    __shared__ A parts[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    A sum = v, before = none;
    _Pragma("unroll")
    for (int d = 1; d < 32; d *= 2) {
        const A other = lower_lane(sum, d);
        if (lane >= d)
            sum = F::of(other, sum);
    }
    v = lower_lane(sum, 1);
    if (lane == 31)
        parts[warp] = sum;
    __syncthreads();
    *all = none;
    _Pragma("unroll")
    for (int w = 0; w < WARPS; w++) {
        if (w == warp)
            before = *all;
        *all = F::of(*all, parts[w]);
    }
    __syncthreads();
    return lane == 0 ? before : F::of(before, v);
}
template <typename F, typename A, int64_t N, int V, int WARPS, int SPLITS, bool PARTS,
          bool IN_TURNED, bool OUT_TURNED, typename D, typename R>
INLINE void scan_rows(const D *in, R *out, int64_t *place, A *parts)
{
    const int64_t share = (N + SPLITS * V - 1) / (SPLITS * V) * V;
    const int tile = 32 * WARPS * V, split = blockIdx.x % SPLITS;
    const int64_t row = blockIdx.x / SPLITS, first = split * share;
    const int64_t end = first + share < N ? first + share : N;
    const A none = none_of(F(), A());
    A carry = none, all;
    in += row * N;
    out += out ? row * N : 0;
    place += place ? row * N : 0;
    if (!PARTS && SPLITS > 1) {
        const int each = (SPLITS + 32 * WARPS - 1) / (32 * WARPS);
        A mine = none;
        _Pragma("unroll")
        for (int k = 0; k < each; k++)
            if ((int)threadIdx.x * each + k < split)
                mine = F::of(mine, parts[row * SPLITS + threadIdx.x * each + k]);
        scan_block<F, WARPS>(mine, none, &carry);
    }
    for (int64_t start = first; start < end; start += tile) {
        const int64_t i = start + threadIdx.x * V;
        A x[V], sum = none;
        if (i < end) {
            const Vec<D, V> w = load<V>(in + (IN_TURNED ? N - V - i : i));
            _Pragma("unroll")
            for (int j = 0; j < V; j++) {
                take(x[j], w.x[IN_TURNED ? V - 1 - j : j], (int)i + j);
                x[j] = sum = F::of(sum, x[j]);
            }
        }
        const A before = F::of(carry, scan_block<F, WARPS>(sum, none, &all));
        carry = F::of(carry, all);
        if (!PARTS && i < end) {
            A y[V];
            _Pragma("unroll")
            for (int j = 0; j < V; j++)
                y[OUT_TURNED ? V - 1 - j : j] = F::of(before, x[j]);
            give_chunk<V>(out, place, OUT_TURNED ? N - V - i : i, y);
        }
    }
    if (PARTS && threadIdx.x == 0)
        parts[row * SPLITS + split] = carry;
}
template <typename F, typename A, int64_t LINES, int64_t N, int64_t INNER, int SPLITS,
          bool PARTS, bool IN_TURNED, bool OUT_TURNED, typename D, typename R>
INLINE void scan_columns(const D *in, R *out, int64_t *place, A *parts)
{
    const int64_t line = blockIdx.x * (int64_t)128 + threadIdx.x;
    if (line >= LINES)
        return;
    const int64_t share = (N + SPLITS - 1) / SPLITS, first = blockIdx.y * share;
    const int64_t end = first + share < N ? first + share : N;
    const int64_t base = line / INNER * INNER * N + line % INNER;
    A sum = none_of(F(), A());
    for (int k = 0; !PARTS && k < (int)blockIdx.y; k++)
        sum = F::of(sum, parts[k * LINES + line]);
    for (int64_t start = first; start < end; start += 8) {
        A x[8];
        _Pragma("unroll")
        for (int j = 0; j < 8; j++) {
            const int64_t i = start + j < end ? start + j : end - 1;
            take(x[j], in[base + (IN_TURNED ? N - 1 - i : i) * INNER], (int)i);
        }
        _Pragma("unroll")
        for (int j = 0; j < 8; j++) {
            const int64_t i = start + j;
            if (i >= end)
                break;
            sum = F::of(sum, x[j]);
            if (!PARTS)
                give(out, place, base + (OUT_TURNED ? N - 1 - i : i) * INNER, sum);
        }
    }
    if (PARTS)
        parts[blockIdx.y * LINES + line] = sum;
}
#endif
// scans lines: 5 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const float *__restrict__ in, // x: cpu f32[5, 3000]
    float *__restrict__ out, // t0: cpu f32[5, 3000]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int64_t *place = 0;
    scan_rows<Sum, double, 3000, 4, 8, 1, false, false, false>(in, out, place, (double *)0);
}

#ifndef SCANS
#define SCANS
template <typename A> struct Placed { A v; int at; };
/* The later one wins where both are as good; a NaN, once met, stays. */
template <bool MAX> struct Latest {
    template <typename A> INLINE Placed<A> of(Placed<A> a, Placed<A> b)
    {
        if (a.at < 0 || b.at < 0)
            return a.at < 0 ? b : a;
        bool better = MAX ? b.v >= a.v : b.v <= a.v;
        return b.v != b.v || (a.v == a.v && better) ? b : a;
    }
};
template <typename A> INLINE A lower_lane(A v, int d)
{
    return __shfl_up_sync(0xffffffffu, v, d);
}
template <typename A> INLINE Placed<A> lower_lane(Placed<A> v, int d)
{
    return {lower_lane(v.v, d), lower_lane(v.at, d)};
}
template <typename A, typename D> INLINE void take(A &to, D from, int)
{
    to = (A)get(from);
}
template <typename A, typename D> INLINE void take(Placed<A> &to, D from, int at)
{
    to.v = (A)get(from);
    to.at = at;
}
template <typename A> INLINE A none_of(Sum, A)
{
    return 0;
}
template <typename A> INLINE A none_of(Prod, A)
{
    return 1;
}
template <bool MAX, typename A> INLINE Placed<A> none_of(Latest<MAX>, Placed<A>)
{
    return {0, -1};
}
template <typename D, typename A> INLINE void give(D *to, int64_t *, int64_t i, A v)
{
    set(to[i], v);
}
template <typename D, typename A> INLINE void give(D *to, int64_t *place, int64_t i, Placed<A> v)
{
    if (to)
        set(to[i], v.v);
    if (place)
        place[i] = v.at;
}
template <int V, typename D, typename A> INLINE void give_side_by_side(D *to, const A (&v)[V])
{
    if constexpr (V == 1)
        set(*to, v[0]);
    else
        store<V>(to, v);
}
template <int V, typename D, typename A> INLINE void give_chunk(D *to, int64_t *, int64_t i, const A (&v)[V])
{
    give_side_by_side(to + i, v);
}
template <int V, typename D, typename A> INLINE void give_chunk(D *to, int64_t *place, int64_t i,
                                                       const Placed<A> (&v)[V])
{
    A values[V];
    int places[V];
    _Pragma("unroll")
    for (int j = 0; j < V; j++)
        values[j] = v[j].v, places[j] = v[j].at;
    if (to)
        give_side_by_side(to + i, values);
    if (place)
        give_side_by_side(place + i, places);
}
template <typename F, int WARPS, typename A> INLINE A scan_block(A v, A none, A *all)
{
    __shared__ A parts[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    A sum = v, before = none;
    _Pragma("unroll")
    for (int d = 1; d < 32; d *= 2) {
        const A other = lower_lane(sum, d);
        if (lane >= d)
            sum = F::of(other, sum);
    }
    v = lower_lane(sum, 1);
    if (lane == 31)
        parts[warp] = sum;
    __syncthreads();
    *all = none;
    _Pragma("unroll")
    for (int w = 0; w < WARPS; w++) {
        if (w == warp)
            before = *all;
        *all = F::of(*all, parts[w]);
    }
    __syncthreads();
    return lane == 0 ? before : F::of(before, v);
}
template <typename F, typename A, int64_t N, int V, int WARPS, int SPLITS, bool PARTS,
          bool IN_TURNED, bool OUT_TURNED, typename D, typename R>
INLINE void scan_rows(const D *in, R *out, int64_t *place, A *parts)
{
    const int64_t share = (N + SPLITS * V - 1) / (SPLITS * V) * V;
    const int tile = 32 * WARPS * V, split = blockIdx.x % SPLITS;
    const int64_t row = blockIdx.x / SPLITS, first = split * share;
    const int64_t end = first + share < N ? first + share : N;
    const A none = none_of(F(), A());
    A carry = none, all;
    in += row * N;
    out += out ? row * N : 0;
    place += place ? row * N : 0;
    if (!PARTS && SPLITS > 1) {
        const int each = (SPLITS + 32 * WARPS - 1) / (32 * WARPS);
        A mine = none;
        _Pragma("unroll")
        for (int k = 0; k < each; k++)
            if ((int)threadIdx.x * each + k < split)
                mine = F::of(mine, parts[row * SPLITS + threadIdx.x * each + k]);
        scan_block<F, WARPS>(mine, none, &carry);
    }
    for (int64_t start = first; start < end; start += tile) {
        const int64_t i = start + threadIdx.x * V;
        A x[V], sum = none;
        if (i < end) {
            const Vec<D, V> w = load<V>(in + (IN_TURNED ? N - V - i : i));
            _Pragma("unroll")
            for (int j = 0; j < V; j++) {
                take(x[j], w.x[IN_TURNED ? V - 1 - j : j], (int)i + j);
                x[j] = sum = F::of(sum, x[j]);
            }
        }
        const A before = F::of(carry, scan_block<F, WARPS>(sum, none, &all));
        carry = F::of(carry, all);
        if (!PARTS && i < end) {
            A y[V];
            _Pragma("unroll")
            for (int j = 0; j < V; j++)
                y[OUT_TURNED ? V - 1 - j : j] = F::of(before, x[j]);
            give_chunk<V>(out, place, OUT_TURNED ? N - V - i : i, y);
        }
    }
    if (PARTS && threadIdx.x == 0)
        parts[row * SPLITS + split] = carry;
}
template <typename F, typename A, int64_t LINES, int64_t N, int64_t INNER, int SPLITS,
          bool PARTS, bool IN_TURNED, bool OUT_TURNED, typename D, typename R>
INLINE void scan_columns(const D *in, R *out, int64_t *place, A *parts)
{
    const int64_t line = blockIdx.x * (int64_t)128 + threadIdx.x;
    if (line >= LINES)
        return;
    const int64_t share = (N + SPLITS - 1) / SPLITS, first = blockIdx.y * share;
    const int64_t end = first + share < N ? first + share : N;
    const int64_t base = line / INNER * INNER * N + line % INNER;
    A sum = none_of(F(), A());
    for (int k = 0; !PARTS && k < (int)blockIdx.y; k++)
        sum = F::of(sum, parts[k * LINES + line]);
    for (int64_t start = first; start < end; start += 8) {
        A x[8];
        _Pragma("unroll")
        for (int j = 0; j < 8; j++) {
            const int64_t i = start + j < end ? start + j : end - 1;
            take(x[j], in[base + (IN_TURNED ? N - 1 - i : i) * INNER], (int)i);
        }
        _Pragma("unroll")
        for (int j = 0; j < 8; j++) {
            const int64_t i = start + j;
            if (i >= end)
                break;
            sum = F::of(sum, x[j]);
            if (!PARTS)
                give(out, place, base + (OUT_TURNED ? N - 1 - i : i) * INNER, sum);
        }
    }
    if (PARTS)
        parts[blockIdx.y * LINES + line] = sum;
}
#endif
// scans lines: 3 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1(
    const bf16 *__restrict__ in, // y: cpu bf16[3, 777]
    bf16 *__restrict__ out, // t2: cpu bf16[3, 777]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int64_t *place = 0;
    scan_rows<Prod, float, 777, 1, 8, 1, false, false, false>(in, out, place, (float *)0);
}

#ifndef SCANS
#define SCANS
template <typename A> struct Placed { A v; int at; };
/* The later one wins where both are as good; a NaN, once met, stays. */
template <bool MAX> struct Latest {
    template <typename A> INLINE Placed<A> of(Placed<A> a, Placed<A> b)
    {
        if (a.at < 0 || b.at < 0)
            return a.at < 0 ? b : a;
        bool better = MAX ? b.v >= a.v : b.v <= a.v;
        return b.v != b.v || (a.v == a.v && better) ? b : a;
    }
};
template <typename A> INLINE A lower_lane(A v, int d)
{
    return __shfl_up_sync(0xffffffffu, v, d);
}
template <typename A> INLINE Placed<A> lower_lane(Placed<A> v, int d)
{
    return {lower_lane(v.v, d), lower_lane(v.at, d)};
}
template <typename A, typename D> INLINE void take(A &to, D from, int)
{
    to = (A)get(from);
}
template <typename A, typename D> INLINE void take(Placed<A> &to, D from, int at)
{
    to.v = (A)get(from);
    to.at = at;
}
template <typename A> INLINE A none_of(Sum, A)
{
    return 0;
}
template <typename A> INLINE A none_of(Prod, A)
{
    return 1;
}
template <bool MAX, typename A> INLINE Placed<A> none_of(Latest<MAX>, Placed<A>)
{
    return {0, -1};
}
template <typename D, typename A> INLINE void give(D *to, int64_t *, int64_t i, A v)
{
    set(to[i], v);
}
template <typename D, typename A> INLINE void give(D *to, int64_t *place, int64_t i, Placed<A> v)
{
    if (to)
        set(to[i], v.v);
    if (place)
        place[i] = v.at;
}
template <int V, typename D, typename A> INLINE void give_side_by_side(D *to, const A (&v)[V])
{
    if constexpr (V == 1)
        set(*to, v[0]);
    else
        store<V>(to, v);
}
template <int V, typename D, typename A> INLINE void give_chunk(D *to, int64_t *, int64_t i, const A (&v)[V])
{
    give_side_by_side(to + i, v);
}
template <int V, typename D, typename A> INLINE void give_chunk(D *to, int64_t *place, int64_t i,
                                                       const Placed<A> (&v)[V])
{
    A values[V];
    int places[V];
    _Pragma("unroll")
    for (int j = 0; j < V; j++)
        values[j] = v[j].v, places[j] = v[j].at;
    if (to)
        give_side_by_side(to + i, values);
    if (place)
        give_side_by_side(place + i, places);
}
template <typename F, int WARPS, typename A> INLINE A scan_block(A v, A none, A *all)
{
    __shared__ A parts[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    A sum = v, before = none;
    _Pragma("unroll")
    for (int d = 1; d < 32; d *= 2) {
        const A other = lower_lane(sum, d);
        if (lane >= d)
            sum = F::of(other, sum);
    }
    v = lower_lane(sum, 1);
    if (lane == 31)
        parts[warp] = sum;
    __syncthreads();
    *all = none;
    _Pragma("unroll")
    for (int w = 0; w < WARPS; w++) {
        if (w == warp)
            before = *all;
        *all = F::of(*all, parts[w]);
    }
    __syncthreads();
    return lane == 0 ? before : F::of(before, v);
}
template <typename F, typename A, int64_t N, int V, int WARPS, int SPLITS, bool PARTS,
          bool IN_TURNED, bool OUT_TURNED, typename D, typename R>
INLINE void scan_rows(const D *in, R *out, int64_t *place, A *parts)
{
    const int64_t share = (N + SPLITS * V - 1) / (SPLITS * V) * V;
    const int tile = 32 * WARPS * V, split = blockIdx.x % SPLITS;
    const int64_t row = blockIdx.x / SPLITS, first = split * share;
    const int64_t end = first + share < N ? first + share : N;
    const A none = none_of(F(), A());
    A carry = none, all;
    in += row * N;
    out += out ? row * N : 0;
    place += place ? row * N : 0;
    if (!PARTS && SPLITS > 1) {
        const int each = (SPLITS + 32 * WARPS - 1) / (32 * WARPS);
        A mine = none;
        _Pragma("unroll")
        for (int k = 0; k < each; k++)
            if ((int)threadIdx.x * each + k < split)
                mine = F::of(mine, parts[row * SPLITS + threadIdx.x * each + k]);
        scan_block<F, WARPS>(mine, none, &carry);
    }
    for (int64_t start = first; start < end; start += tile) {
        const int64_t i = start + threadIdx.x * V;
        A x[V], sum = none;
        if (i < end) {
            const Vec<D, V> w = load<V>(in + (IN_TURNED ? N - V - i : i));
            _Pragma("unroll")
            for (int j = 0; j < V; j++) {
                take(x[j], w.x[IN_TURNED ? V - 1 - j : j], (int)i + j);
                x[j] = sum = F::of(sum, x[j]);
            }
        }
        const A before = F::of(carry, scan_block<F, WARPS>(sum, none, &all));
        carry = F::of(carry, all);
        if (!PARTS && i < end) {
            A y[V];
            _Pragma("unroll")
            for (int j = 0; j < V; j++)
                y[OUT_TURNED ? V - 1 - j : j] = F::of(before, x[j]);
            give_chunk<V>(out, place, OUT_TURNED ? N - V - i : i, y);
        }
    }
    if (PARTS && threadIdx.x == 0)
        parts[row * SPLITS + split] = carry;
}
template <typename F, typename A, int64_t LINES, int64_t N, int64_t INNER, int SPLITS,
          bool PARTS, bool IN_TURNED, bool OUT_TURNED, typename D, typename R>
INLINE void scan_columns(const D *in, R *out, int64_t *place, A *parts)
{
    const int64_t line = blockIdx.x * (int64_t)128 + threadIdx.x;
    if (line >= LINES)
        return;
    const int64_t share = (N + SPLITS - 1) / SPLITS, first = blockIdx.y * share;
    const int64_t end = first + share < N ? first + share : N;
    const int64_t base = line / INNER * INNER * N + line % INNER;
    A sum = none_of(F(), A());
    for (int k = 0; !PARTS && k < (int)blockIdx.y; k++)
        sum = F::of(sum, parts[k * LINES + line]);
    for (int64_t start = first; start < end; start += 8) {
        A x[8];
        _Pragma("unroll")
        for (int j = 0; j < 8; j++) {
            const int64_t i = start + j < end ? start + j : end - 1;
            take(x[j], in[base + (IN_TURNED ? N - 1 - i : i) * INNER], (int)i);
        }
        _Pragma("unroll")
        for (int j = 0; j < 8; j++) {
            const int64_t i = start + j;
            if (i >= end)
                break;
            sum = F::of(sum, x[j]);
            if (!PARTS)
                give(out, place, base + (OUT_TURNED ? N - 1 - i : i) * INNER, sum);
        }
    }
    if (PARTS)
        parts[blockIdx.y * LINES + line] = sum;
}
#endif
// scans lines: 5 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel2(
    const float *__restrict__ in, // x: cpu f32[5, 3000]
    float *__restrict__ out, // t3: cpu f32[5, 3000]
    int64_t *__restrict__ place, // t4: cpu i64[5, 3000]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    scan_rows<Latest<true>, Placed<float>, 3000, 4, 8, 1, false, false, false>(in, out, place, (Placed<float> *)0);
}

#ifndef SCANS
#define SCANS
template <typename A> struct Placed { A v; int at; };
/* The later one wins where both are as good; a NaN, once met, stays. */
template <bool MAX> struct Latest {
    template <typename A> INLINE Placed<A> of(Placed<A> a, Placed<A> b)
    {
        if (a.at < 0 || b.at < 0)
            return a.at < 0 ? b : a;
        bool better = MAX ? b.v >= a.v : b.v <= a.v;
        return b.v != b.v || (a.v == a.v && better) ? b : a;
    }
};
template <typename A> INLINE A lower_lane(A v, int d)
{
    return __shfl_up_sync(0xffffffffu, v, d);
}
template <typename A> INLINE Placed<A> lower_lane(Placed<A> v, int d)
{
    return {lower_lane(v.v, d), lower_lane(v.at, d)};
}
template <typename A, typename D> INLINE void take(A &to, D from, int)
{
    to = (A)get(from);
}
template <typename A, typename D> INLINE void take(Placed<A> &to, D from, int at)
{
    to.v = (A)get(from);
    to.at = at;
}
template <typename A> INLINE A none_of(Sum, A)
{
    return 0;
}
template <typename A> INLINE A none_of(Prod, A)
{
    return 1;
}
template <bool MAX, typename A> INLINE Placed<A> none_of(Latest<MAX>, Placed<A>)
{
    return {0, -1};
}
template <typename D, typename A> INLINE void give(D *to, int64_t *, int64_t i, A v)
{
    set(to[i], v);
}
template <typename D, typename A> INLINE void give(D *to, int64_t *place, int64_t i, Placed<A> v)
{
    if (to)
        set(to[i], v.v);
    if (place)
        place[i] = v.at;
}
template <int V, typename D, typename A> INLINE void give_side_by_side(D *to, const A (&v)[V])
{
    if constexpr (V == 1)
        set(*to, v[0]);
    else
        store<V>(to, v);
}
template <int V, typename D, typename A> INLINE void give_chunk(D *to, int64_t *, int64_t i, const A (&v)[V])
{
    give_side_by_side(to + i, v);
}
template <int V, typename D, typename A> INLINE void give_chunk(D *to, int64_t *place, int64_t i,
                                                       const Placed<A> (&v)[V])
{
    A values[V];
    int places[V];
    _Pragma("unroll")
    for (int j = 0; j < V; j++)
        values[j] = v[j].v, places[j] = v[j].at;
    if (to)
        give_side_by_side(to + i, values);
    if (place)
        give_side_by_side(place + i, places);
}
template <typename F, int WARPS, typename A> INLINE A scan_block(A v, A none, A *all)
{
    __shared__ A parts[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    A sum = v, before = none;
    _Pragma("unroll")
    for (int d = 1; d < 32; d *= 2) {
        const A other = lower_lane(sum, d);
        if (lane >= d)
            sum = F::of(other, sum);
    }
    v = lower_lane(sum, 1);
    if (lane == 31)
        parts[warp] = sum;
    __syncthreads();
    *all = none;
    _Pragma("unroll")
    for (int w = 0; w < WARPS; w++) {
        if (w == warp)
            before = *all;
        *all = F::of(*all, parts[w]);
    }
    __syncthreads();
    return lane == 0 ? before : F::of(before, v);
}
template <typename F, typename A, int64_t N, int V, int WARPS, int SPLITS, bool PARTS,
          bool IN_TURNED, bool OUT_TURNED, typename D, typename R>
INLINE void scan_rows(const D *in, R *out, int64_t *place, A *parts)
{
    const int64_t share = (N + SPLITS * V - 1) / (SPLITS * V) * V;
    const int tile = 32 * WARPS * V, split = blockIdx.x % SPLITS;
    const int64_t row = blockIdx.x / SPLITS, first = split * share;
    const int64_t end = first + share < N ? first + share : N;
    const A none = none_of(F(), A());
    A carry = none, all;
    in += row * N;
    out += out ? row * N : 0;
    place += place ? row * N : 0;
    if (!PARTS && SPLITS > 1) {
        const int each = (SPLITS + 32 * WARPS - 1) / (32 * WARPS);
        A mine = none;
        _Pragma("unroll")
        for (int k = 0; k < each; k++)
            if ((int)threadIdx.x * each + k < split)
                mine = F::of(mine, parts[row * SPLITS + threadIdx.x * each + k]);
        scan_block<F, WARPS>(mine, none, &carry);
    }
    for (int64_t start = first; start < end; start += tile) {
        const int64_t i = start + threadIdx.x * V;
        A x[V], sum = none;
        if (i < end) {
            const Vec<D, V> w = load<V>(in + (IN_TURNED ? N - V - i : i));
            _Pragma("unroll")
            for (int j = 0; j < V; j++) {
                take(x[j], w.x[IN_TURNED ? V - 1 - j : j], (int)i + j);
                x[j] = sum = F::of(sum, x[j]);
            }
        }
        const A before = F::of(carry, scan_block<F, WARPS>(sum, none, &all));
        carry = F::of(carry, all);
        if (!PARTS && i < end) {
            A y[V];
            _Pragma("unroll")
            for (int j = 0; j < V; j++)
                y[OUT_TURNED ? V - 1 - j : j] = F::of(before, x[j]);
            give_chunk<V>(out, place, OUT_TURNED ? N - V - i : i, y);
        }
    }
    if (PARTS && threadIdx.x == 0)
        parts[row * SPLITS + split] = carry;
}
template <typename F, typename A, int64_t LINES, int64_t N, int64_t INNER, int SPLITS,
          bool PARTS, bool IN_TURNED, bool OUT_TURNED, typename D, typename R>
INLINE void scan_columns(const D *in, R *out, int64_t *place, A *parts)
{
    const int64_t line = blockIdx.x * (int64_t)128 + threadIdx.x;
    if (line >= LINES)
        return;
    const int64_t share = (N + SPLITS - 1) / SPLITS, first = blockIdx.y * share;
    const int64_t end = first + share < N ? first + share : N;
    const int64_t base = line / INNER * INNER * N + line % INNER;
    A sum = none_of(F(), A());
    for (int k = 0; !PARTS && k < (int)blockIdx.y; k++)
        sum = F::of(sum, parts[k * LINES + line]);
    for (int64_t start = first; start < end; start += 8) {
        A x[8];
        _Pragma("unroll")
        for (int j = 0; j < 8; j++) {
            const int64_t i = start + j < end ? start + j : end - 1;
            take(x[j], in[base + (IN_TURNED ? N - 1 - i : i) * INNER], (int)i);
        }
        _Pragma("unroll")
        for (int j = 0; j < 8; j++) {
            const int64_t i = start + j;
            if (i >= end)
                break;
            sum = F::of(sum, x[j]);
            if (!PARTS)
                give(out, place, base + (OUT_TURNED ? N - 1 - i : i) * INNER, sum);
        }
    }
    if (PARTS)
        parts[blockIdx.y * LINES + line] = sum;
}
#endif
// scans lines: 5 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel3(
    const float *__restrict__ in, // x: cpu f32[5, 3000]
    float *__restrict__ out, // t5: cpu f32[5, 3000]
    int64_t *__restrict__ place, // t6: cpu i64[5, 3000]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    scan_rows<Latest<false>, Placed<float>, 3000, 4, 8, 1, false, false, false>(in, out, place, (Placed<float> *)0);
}

