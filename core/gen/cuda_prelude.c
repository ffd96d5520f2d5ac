/*
 * cuda_prelude.c - what every generated CUDA text begins with.
 *
 * Types, conversions of narrow floats, 16-byte accesses, folds over warps, blocks and columns of a
 * block, integer division. No header is included, so NVRTC needs no include path and starts fast.
 * Machine instructions are used where __CUDA_ARCH__ says that there are any; the plain C++ beside
 * them is what a compiler for the CPU takes, with which the tests run kernels without a GPU.
 */
#include "gen.h"
#include "prelude_f8.h"
#include "prelude_integer.h"
#include "prelude_random.h"

#define TYPES                                                                                      \
    "typedef signed char int8_t;\n"                                                                \
    "typedef short int16_t;\n"                                                                     \
    "typedef int int32_t;\n"                                                                       \
    "typedef long long int64_t;\n"                                                                 \
    "typedef unsigned char uint8_t;\n"                                                             \
    "typedef unsigned short uint16_t;\n"                                                           \
    "typedef unsigned uint32_t;\n"                                                                 \
    "typedef unsigned long long uint64_t;\n"                                                       \
    "#define INT64_MIN (-9223372036854775807ll - 1)\n"                                             \
    "#ifndef SHARED_POOL\n"                                                                        \
    "#define SHARED_POOL(name) extern __shared__ __align__(16) char name[]\n"                      \
    "#endif\n"                                                                                     \
    "#define INLINE static __device__ __forceinline__\n"                                           \
    "#define INF_F as_float(0x7f800000u)\n"                                                        \
    "#define NAN_F as_float(0x7fc00000u)\n"                                                        \
    "#define INF_D as_double(0x7ff0000000000000ull)\n"                                             \
    "#define NAN_D as_double(0x7ff8000000000000ull)\n\n"

#define BITS                                                                                       \
    "struct bf16 { uint16_t bits; };\n"                                                            \
    "struct f16 { uint16_t bits; };\n"                                                             \
    "struct f8_e4m3fn { uint8_t bits; };\n"                                                        \
    "struct f8_e5m2 { uint8_t bits; };\n"                                                          \
    "INLINE float as_float(uint32_t u)\n{\n"                                                       \
    "    union { uint32_t u; float f; } x = {u};\n    return x.f;\n}\n"                            \
    "INLINE uint32_t as_bits(float f)\n{\n"                                                        \
    "    union { float f; uint32_t u; } x = {f};\n    return x.u;\n}\n"                            \
    "INLINE double as_double(uint64_t u)\n{\n"                                                     \
    "    union { uint64_t u; double f; } x = {u};\n    return x.f;\n}\n\n"

#define F8_ELEMENT(name)                                                                           \
    "INLINE float get(" name " c)\n{\n    return from_" name "(c.bits);\n}\n"                      \
    "INLINE void set(" name " &to, float f)\n{\n    to.bits = to_" name "(f);\n}\n"                \
    "INLINE float round_" name "(float f)\n{\n"                                                    \
    "    return from_" name "(to_" name "(f));\n}\n"

/* One element between memory and the type that is computed in. */
#define ELEMENTS                                                                                   \
    "template <typename T> INLINE T get(T x)\n{\n    return x;\n}\n"                               \
    "INLINE float get(bf16 h)\n{\n    return as_float((uint32_t)h.bits << 16);\n}\n"               \
    "INLINE float get(f16 h)\n{\n"                                                                 \
    "    float f;\n"                                                                               \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f) : \"h\"(h.bits));\n"                              \
    "#else\n"                                                                                      \
    "    union { uint16_t u; _Float16 h; } x = {h.bits};\n    f = (float)x.h;\n"                   \
    "#endif\n    return f;\n}\n"                                                                   \
    "template <typename D, typename T> INLINE void set(D &to, T x)\n{\n    to = (D)x;\n}\n"        \
    "INLINE void set(bf16 &to, float f)\n{\n"                                                      \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(to.bits) : \"f\"(f));\n"                         \
    "#else\n"                                                                                      \
    "    uint32_t u = as_bits(f), r = (u + 0x7fff + ((u >> 16) & 1)) >> 16;\n"                     \
    "    to.bits = (uint16_t)(f != f ? 0x7fff : r);\n"                                             \
    "#endif\n}\n"                                                                                  \
    "INLINE void set(f16 &to, float f)\n{\n"                                                       \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(to.bits) : \"f\"(f));\n"                          \
    "#else\n"                                                                                      \
    "    union { _Float16 h; uint16_t u; } x = {(_Float16)f};\n    to.bits = x.u;\n"               \
    "#endif\n}\n"                                                                                  \
    "INLINE float round_bf16(float f)\n{\n"                                                        \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    uint32_t u;\n"                                                                            \
    "    asm(\"cvt.rn.bf16x2.f32 %0, %1, %2;\" : \"=r\"(u) : \"f\"(f), \"f\"(0.0f));\n"            \
    "    return as_float(u);\n"                                                                    \
    "#else\n    bf16 h;\n    set(h, f);\n    return get(h);\n#endif\n}\n"                          \
    "INLINE float round_f16(float f)\n{\n    f16 h;\n    set(h, f);\n    return get(h);\n}\n"      \
    F8_CODES F8_ELEMENT("f8_e4m3fn") F8_ELEMENT("f8_e5m2") "\n"

/* N elements that lie side by side, moved 16 bytes at a time. */
#define VECTORS                                                                                    \
    "template <typename T, int N> struct\n"                                                        \
    "alignas(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) Vec { T x[N]; };\n"                          \
    "template <typename T, int N> INLINE auto get(const Vec<T, N> &v, int j)\n{\n"                 \
    "    return get(v.x[j]);\n}\n"                                                                 \
    "/* Pairs of them are words in registers, of which one instruction makes a float. */\n"        \
    "template <int N> INLINE float get(const Vec<bf16, N> &v, int j)\n{\n"                         \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    union { Vec<bf16, N> v; uint32_t w[(N + 1) / 2]; } to = {v};\n"                           \
    "    if (N % 2 == 0)\n"                                                                        \
    "        return as_float(j % 2 ? to.w[j / 2] & 0xffff0000u : to.w[j / 2] << 16);\n"            \
    "#endif\n"                                                                                     \
    "    return get(v.x[j]);\n}\n"                                                                 \
    "template <int N, typename T> INLINE Vec<T, N> load(const T *p)\n{\n"                          \
    "    return *(const Vec<T, N> *)p;\n}\n"                                                       \
    "/* The same of what nobody reads again soon: it leaves the level-2 cache before what is\n"    \
    " * there already. Only of memory that nobody writes meanwhile. */\n"                          \
    "template <int N, typename T> INLINE Vec<T, N> load_passing(const T *p)\n{\n"                  \
    "#if __CUDA_ARCH__ >= 800\n"                                                                   \
    "    if (sizeof(Vec<T, N>) % 16 == 0) {\n"                                                     \
    "        union { Vec<T, N> v; uint32_t w[sizeof(Vec<T, N>) / 4]; } to;\n"                      \
    "        uint64_t leaves;\n"                                                                   \
    "        asm(\"createpolicy.fractional.L2::evict_first.b64 %0, 1.0;\" : \"=l\"(leaves));\n"    \
    "        _Pragma(\"unroll\")\n"                                                                \
    "        for (int i = 0; i < (int)sizeof(to) / 4; i += 4)\n"                                   \
    "            asm volatile(\"ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 \"\n"           \
    "                \"{%0, %1, %2, %3}, [%4], %5;\" : \"=r\"(to.w[i]), \"=r\"(to.w[i + 1]),\n"    \
    "                \"=r\"(to.w[i + 2]), \"=r\"(to.w[i + 3]) :\n"                                 \
    "                \"l\"((const char *)p + 4 * i), \"l\"(leaves));\n"                            \
    "        return to.v;\n    }\n#endif\n"                                                        \
    "    return load<N>(p);\n}\n"                                                                  \
    "template <int N, typename D, typename T> INLINE void store(D *p, const T (&v)[N])\n{\n"       \
    "    Vec<D, N> w;\n"                                                                           \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int j = 0; j < N; j++)\n        set(w.x[j], v[j]);\n"                                \
    "    *(Vec<D, N> *)p = w;\n}\n"                                                                \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "template <int N> INLINE void store(bf16 *p, const float (&v)[N])\n{\n"                        \
    "    Vec<uint32_t, N / 2> w;\n"                                                                \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int j = 0; j < N; j += 2)\n"                                                         \
    "        asm(\"cvt.rn.bf16x2.f32 %0, %1, %2;\" : \"=r\"(w.x[j / 2]) : \"f\"(v[j + 1]), "       \
    "\"f\"(v[j]));\n"                                                                              \
    "    *(Vec<uint32_t, N / 2> *)p = w;\n}\n"                                                     \
    "template <int N> INLINE void store(f16 *p, const float (&v)[N])\n{\n"                         \
    "    Vec<uint32_t, N / 2> w;\n"                                                                \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int j = 0; j < N; j += 2)\n"                                                         \
    "        asm(\"cvt.rn.f16x2.f32 %0, %1, %2;\" : \"=r\"(w.x[j / 2]) : \"f\"(v[j + 1]), "        \
    "\"f\"(v[j]));\n"                                                                              \
    "    *(Vec<uint32_t, N / 2> *)p = w;\n}\n"                                                     \
    "#endif\n"                                                                                     \
    "/* From global to shared memory without registers between; known after copies_done. */\n"     \
    "template <int N, typename T> INLINE void copy_async(Vec<T, N> *to, const T *from)\n{\n"       \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    if (sizeof(Vec<T, N>) >= 16) {\n"                                                         \
    "        uint32_t s = (uint32_t)__cvta_generic_to_shared(to);\n"                               \
    "        _Pragma(\"unroll\")\n"                                                                \
    "        for (int b = 0; b < (int)sizeof(Vec<T, N>); b += 16)\n"                               \
    "            asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: \"r\"(s + b), "     \
    "\"l\"((const char *)from + b));\n"                                                            \
    "        return;\n    }\n"                                                                     \
    "    if (sizeof(Vec<T, N>) == 8 || sizeof(Vec<T, N>) == 4) {\n"                                \
    "        asm volatile(\"cp.async.ca.shared.global [%0], [%1], %2;\" :: "                       \
    "\"r\"((uint32_t)__cvta_generic_to_shared(to)), \"l\"(from), "                                 \
    "\"n\"(sizeof(Vec<T, N>) == 8 ? 8 : 4));\n"                                                    \
    "        return;\n    }\n#endif\n"                                                             \
    "    *to = load<N>(from);\n}\n"                                                                \
    "/* What was asked for since the last time is a group; all but the N last have arrived. */\n"  \
    "INLINE void end_group()\n{\n"                                                                 \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    asm volatile(\"cp.async.commit_group;\" ::: \"memory\");\n"                               \
    "#endif\n}\n"                                                                                  \
    "template <int N> INLINE void groups_done()\n{\n"                                              \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    asm volatile(\"cp.async.wait_group %0;\" :: \"n\"(N) : \"memory\");\n"                    \
    "#endif\n}\n"                                                                                  \
    "INLINE void copies_done()\n{\n"                                                               \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    asm volatile(\"cp.async.wait_all;\" ::: \"memory\");\n"                                   \
    "#endif\n}\n\n"

/* Launches that begin before those before them have ended. */
#define LAUNCHES                                                                                   \
    "/* What was launched before has ended, and what it wrote is seen. */\n"                       \
    "INLINE void wait_for_earlier()\n{\n"                                                          \
    "#if __CUDA_ARCH__ >= 900\n    asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n"       \
    "#endif\n}\n"                                                                                  \
    "/* The next launch may begin, as far as it does not wait for this one. */\n"                  \
    "INLINE void let_later_begin()\n{\n"                                                           \
    "#if __CUDA_ARCH__ >= 900\n"                                                                   \
    "    asm volatile(\"griddepcontrol.launch_dependents;\" ::: \"memory\");\n#endif\n}\n"         \
    "/* What lies there comes to the level-2 cache; it will be read soon. */\n"                    \
    "template <int BYTES, int THREADS> INLINE void ask_for(const void *p)\n{\n"                    \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int k = 0; k < BYTES; k += THREADS * 128)\n"                                         \
    "        if (k + (int)threadIdx.x * 128 < BYTES)\n"                                            \
    "            asm volatile(\"prefetch.global.L2 [%0];\"\n"                                      \
    "                :: \"l\"((const char *)p + k + threadIdx.x * 128));\n"                        \
    "#endif\n}\n\n"

/* Folds: how two elements become one. Results are the same in all threads that took part. */
#define FOLDS                                                                                      \
    "INLINE float max_nan_f(float a, float b)\n{\n"                                                \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    float r;\n    asm(\"max.NaN.f32 %0, %1, %2;\" : \"=f\"(r) : \"f\"(a), \"f\"(b));\n"       \
    "    return r;\n"                                                                              \
    "#else\n    return a > b || a != a ? a : b;\n#endif\n}\n"                                      \
    "INLINE float min_nan_f(float a, float b)\n{\n"                                                \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    float r;\n    asm(\"min.NaN.f32 %0, %1, %2;\" : \"=f\"(r) : \"f\"(a), \"f\"(b));\n"       \
    "    return r;\n"                                                                              \
    "#else\n    return a < b || a != a ? a : b;\n#endif\n}\n"                                      \
    "INLINE double max_nan_d(double a, double b)\n{\n    return a > b || a != a ? a : b;\n}\n"     \
    "INLINE double min_nan_d(double a, double b)\n{\n    return a < b || a != a ? a : b;\n}\n"     \
    "INLINE float larger(float a, float b)\n{\n    return max_nan_f(a, b);\n}\n"                   \
    "INLINE float smaller(float a, float b)\n{\n    return min_nan_f(a, b);\n}\n"                  \
    "INLINE double larger(double a, double b)\n{\n    return max_nan_d(a, b);\n}\n"                \
    "INLINE double smaller(double a, double b)\n{\n    return min_nan_d(a, b);\n}\n"               \
    "template <typename T> INLINE T larger(T a, T b)\n{\n    return a > b ? a : b;\n}\n"           \
    "template <typename T> INLINE T smaller(T a, T b)\n{\n    return a < b ? a : b;\n}\n"          \
    "struct Sum { template <typename T> INLINE T of(T a, T b) { return a + b; } };\n"              \
    "struct Prod { template <typename T> INLINE T of(T a, T b) { return a * b; } };\n"             \
    "struct Max { template <typename T> INLINE T of(T a, T b) { return larger(a, b); } };\n"       \
    "struct Min { template <typename T> INLINE T of(T a, T b) { return smaller(a, b); } };\n"      \
    "struct Any { template <typename T> INLINE T of(T a, T b) { return a | b; } };\n"              \
    "struct All { template <typename T> INLINE T of(T a, T b) { return a & b; } };\n"              \
    "/* Equal, or both NaN. */\n"                                                                  \
    "template <typename T> INLINE bool is_same(T a, T b)\n{\n"                                     \
    "    return a == b || (a != a && b != b);\n}\n"                                                \
    "/* An element and its number: the first of those that are as good stays. */\n"                \
    "template <typename F, typename T> INLINE void take_place(T &best, int64_t &place, T v, "      \
    "int64_t at)\n{\n"                                                                             \
    "    const T all = F::of(best, v);\n"                                                          \
    "    if (is_same(all, v) && (!is_same(all, best) || at < place))\n        place = at;\n"       \
    "    best = all;\n}\n"                                                                         \
    "template <typename T> INLINE T from_lane(T v, int d)\n{\n"                                    \
    "    return __shfl_xor_sync(0xffffffffu, v, d);\n}\n"                                          \
    "INLINE uint8_t from_lane(uint8_t v, int d)\n{\n    return (uint8_t)from_lane((int)v, d);\n}\n"\
    "INLINE int8_t from_lane(int8_t v, int d)\n{\n    return (int8_t)from_lane((int)v, d);\n}\n"   \
    "INLINE int16_t from_lane(int16_t v, int d)\n{\n    return (int16_t)from_lane((int)v, d);\n}\n"\
    "INLINE uint16_t from_lane(uint16_t v, int d)\n{\n"                                            \
    "    return (uint16_t)from_lane((int)v, d);\n}\n"                                              \
    "/* Over groups of G <= 32 neighbouring threads. */\n"                                         \
    "template <typename F, int G, typename T> INLINE T fold_lanes(T v)\n{\n"                       \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int d = G / 2; d > 0; d /= 2)\n        v = F::of(v, from_lane(v, d));\n"             \
    "    return v;\n}\n"                                                                           \
    "/* Over a block: parts of warps go to shared memory; behind a barrier all read them. */\n"    \
    "template <typename F, typename T> INLINE void fold_to(T v, T *parts)\n{\n"                    \
    "    v = fold_lanes<F, 32>(v);\n"                                                              \
    "    if (threadIdx.x % 32 == 0)\n        parts[threadIdx.x / 32] = v;\n}\n"                    \
    "template <typename F, int WARPS, typename T> INLINE T fold_from(const T *parts)\n{\n"         \
    "    return fold_lanes<F, WARPS>(parts[threadIdx.x % WARPS]);\n}\n"                            \
    "/* N values at once, a power of two: lanes share them out, to exchange fewer. Lane l\n"       \
    " * of G gets what value l / (G / N) comes to. */\n"                                           \
    "template <typename F, int G, int N, typename T> INLINE T share_out(const T (&v)[N])\n{\n"     \
    "    T s[N];\n"                                                                                \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int j = 0; j < N; j++)\n        s[j] = v[j];\n"                                      \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int d = G / 2; d > 0; d /= 2) {\n"                                                   \
    "        const bool upper = threadIdx.x & d;\n"                                                \
    "        const int n = d * N / G;\n"                                                           \
    "        _Pragma(\"unroll\")\n"                                                                \
    "        for (int j = 0; j < n; j++)\n"                                                        \
    "            s[j] = F::of(upper ? s[j + n] : s[j], from_lane(upper ? s[j] : s[j + n], d));\n"  \
    "        if (n == 0)\n            s[0] = F::of(s[0], from_lane(s[0], d));\n"                   \
    "    }\n"                                                                                      \
    "    return s[0];\n}\n"                                                                        \
    "template <int G, int N, typename T> INLINE void hand_out(T s, T (&v)[N])\n{\n"                \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int j = 0; j < N; j++)\n"                                                            \
    "        v[j] = (T)__shfl_sync(0xffffffffu, s, threadIdx.x % 32 / G * G + j * (G / N));\n"     \
    "}\n"                                                                                          \
    "template <typename F, int G, int N, typename T> INLINE void fold_lanes(T (&v)[N])\n{\n"       \
    "    hand_out<G>(share_out<F, G>(v), v);\n}\n"                                                 \
    "template <typename F, int WARPS, int N, typename T>\n"                                        \
    "INLINE void fold_to(const T (&v)[N], T *parts)\n{\n"                                          \
    "    const int lane = threadIdx.x % 32, each = 32 / N;\n"                                      \
    "    const T s = share_out<F, 32>(v);\n"                                                       \
    "    if (lane % each == 0)\n"                                                                  \
    "        parts[lane / each * WARPS + threadIdx.x / 32] = s;\n}\n"                              \
    "template <typename F, int WARPS, int N, typename T>\n"                                        \
    "INLINE void fold_from(T (&v)[N], const T *parts)\n{\n"                                        \
    "    const int lane = threadIdx.x % 32, each = 32 / N;\n"                                      \
    "    parts += lane / each * WARPS + lane % each % WARPS;\n"                                    \
    "    T s = parts[0];\n"                                                                        \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int i = each; i < WARPS; i += each)\n        s = F::of(s, parts[i]);\n"              \
    "    hand_out<32>(fold_lanes<F, WARPS < each ? WARPS : each>(s), v);\n}\n"                     \
    "/* Whether this block is the last of n that come here with that ticket, which is 0 before\n"  \
    " * and behind; then it sees what the others wrote. */\n"                                      \
    "INLINE bool comes_last(int *ticket, int n)\n{\n"                                              \
    "    __shared__ int last;\n"                                                                   \
    "    __threadfence();\n    __syncthreads();\n"                                                 \
    "    if (threadIdx.x == 0) {\n"                                                                \
    "        last = atomicAdd(ticket, 1) == n - 1;\n"                                              \
    "        if (last)\n            *ticket = 0;\n    }\n"                                         \
    "    __syncthreads();\n    __threadfence();\n    return last;\n}\n"                            \
    "/* Of `all` turns that are dealt to parts, `each` at a time: those of part n. */\n"           \
    "INLINE int turns_of(int64_t all, int each, int parts, int n)\n{\n"                            \
    "    const int64_t round = (int64_t)each * parts, rest = all % round - (int64_t)n * each;\n"   \
    "    const int64_t last = rest < 0 ? 0 : rest < each ? rest : each;\n"                         \
    "    return (int)(all / round * each + last);\n}\n"                                            \
    "/* Over the TY threads that have the same place among TX; the block is TX * TY threads. */\n" \
    "template <typename F, int TX, int TY, int V, typename T> INLINE void fold_columns(T (&v)[V])" \
    "\n{\n"                                                                                        \
    "    if (TY == 1)\n        return;\n"                                                          \
    "    __shared__ T parts[TY][V][TX];\n"                                                         \
    "    const int tx = threadIdx.x % TX, ty = threadIdx.x / TX;\n"                                \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int j = 0; j < V; j++)\n        parts[ty][j][tx] = v[j];\n"                          \
    "    for (int n = TY / 2; n > 0; n /= 2) {\n"                                                  \
    "        __syncthreads();\n"                                                                   \
    "        _Pragma(\"unroll\")\n"                                                                \
    "        for (int j = 0; j < V && ty < n; j++)\n"                                              \
    "            parts[ty][j][tx] = F::of(parts[ty][j][tx], parts[ty + n][j][tx]);\n"              \
    "    }\n"                                                                                      \
    "    __syncthreads();\n"                                                                       \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int j = 0; j < V; j++)\n        v[j] = parts[0][j][tx];\n"                           \
    "    __syncthreads();\n}\n\n"

/* Blocks that read one another's shared memory. */
#define CLUSTERS                                                                                   \
    "/* All blocks of the cluster are here, with what they wrote into their shared memory. */\n"   \
    "#if __CUDA_ARCH__ >= 900\n"                                                                   \
    "INLINE void meet_cluster()\n{\n"                                                              \
    "    asm volatile(\"barrier.cluster.arrive.release.aligned;\\n\"\n"                            \
    "                 \"barrier.cluster.wait.acquire.aligned;\" ::: \"memory\");\n}\n"             \
    "/* What block `rank` of the cluster has at the same place of its shared memory. */\n"         \
    "template <typename T> INLINE T of_rank(const T *p, int rank)\n{\n"                            \
    "    uint32_t there;\n    union { T v; uint32_t w[sizeof(T) / 4]; } to;\n"                     \
    "    asm(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(there) :\n"                         \
    "        \"r\"((uint32_t)__cvta_generic_to_shared(p)), \"r\"(rank));\n"                        \
    "    _Pragma(\"unroll\")\n    for (int i = 0; i < (int)sizeof(T) / 4; i++)\n"                  \
    "        asm volatile(\"ld.shared::cluster.u32 %0, [%1];\" : \"=r\"(to.w[i]) :\n"              \
    "            \"r\"(there + 4 * i));\n"                                                         \
    "    return to.v;\n}\n#endif\n"                                                                \
    "#if __CUDA_ARCH__ >= 900 || !defined __CUDA_ARCH__\n"                                         \
    "template <typename F, int WARPS, int BLOCKS, typename T>\n"                                   \
    "INLINE T fold_cluster(const T *parts)\n{\n"                                                   \
    "    const int n = WARPS * BLOCKS, at = threadIdx.x % 32 % n;\n"                               \
    "    T v = of_rank(parts + at % WARPS, at / WARPS);\n"                                         \
    "    _Pragma(\"unroll\")\n    for (int i = at + 32; i < n; i += 32)\n"                         \
    "        v = F::of(v, of_rank(parts + i % WARPS, i / WARPS));\n"                               \
    "    return fold_lanes<F, n < 32 ? n : 32>(v);\n}\n#endif\n"

#define PAIR(name, f, d) "#define " name "_f " f "\n#define " name "_d " d "\n"
#define SAME(name) PAIR(name, name "f", name)

#define FUNCTIONS                                                                                  \
    SAME("fabs") SAME("acos") SAME("acosh") SAME("asin") SAME("asinh") SAME("atan") SAME("atanh")  \
    SAME("ceil") SAME("cosh") SAME("erfc") SAME("exp") SAME("exp2")                                \
    SAME("expm1") SAME("floor") SAME("lgamma") SAME("log") SAME("log10") SAME("log1p")             \
    SAME("log2") SAME("rint") SAME("rsqrt") SAME("sinh") SAME("sqrt") SAME("tan")                  \
    SAME("tanh") SAME("trunc") SAME("atan2") SAME("pow") SAME("fmod")                              \
    "#define sin_d sin\n#define cos_d cos\n#define erf_d erf\n"                                    \
    "#define isfinite_f(x) (fabsf(x) < INF_F)\n"                                                   \
    "#define isfinite_d(x) (fabs(x) < INF_D)\n"                                                    \
    "#define signbit_f(x) (as_bits(x) >> 31)\n"                                                    \
    "#define signbit_d(x) (copysign(1.0, x) < 0)\n"

/* sin x = (-1)^k sin r with x = k pi + r, |r| <= pi / 2, which needs no choice between two
 * polynomials: fewer instructions than the library's, which takes the angles beyond 48000. At most
 * 1.93 ULP from the true value. k is the low bits of a number of 2^23. */
#define ANGLES                                                                                     \
    "static __device__ __noinline__ float far_sin(float x)\n{\n"                                   \
    "    return x == 0 ? x : sinf(x);\n}\n"                                                        \
    "static __device__ __noinline__ float far_cos(float x)\n{\n    return cosf(x);\n}\n"           \
    "INLINE float sin_of_rest(float x, float k, uint32_t odd)\n{\n"                                \
    "    float r = fmaf(k, -3.14159274f, x);\n"                                                    \
    "    r = fmaf(k, 8.74227766e-08f, r);\n"                                                       \
    "    r = fmaf(k, 3.43024902e-15f, r);\n"                                                       \
    "    const float s = r * r;\n"                                                                 \
    "    float p = fmaf(-2.38874325e-08f, s, 2.75253024e-06f);\n"                                  \
    "    p = fmaf(p, s, -0.00019840867f);\n"                                                       \
    "    p = fmaf(p, s, 0.00833333097f);\n"                                                        \
    "    p = fmaf(p, s, -0.166666672f);\n"                                                         \
    "    return as_float(as_bits(fmaf(p, s * r, r)) ^ odd << 31);\n}\n"                            \
    "INLINE float sin_f(float x)\n{\n"                                                             \
    "    if (!(fabsf(x) < 48000.0f && x != 0))\n        return far_sin(x);\n"                      \
    "    const float n = fmaf(x, 0.318309873f, 12582912.0f);\n"                                    \
    "    return sin_of_rest(x, n - 12582912.0f, as_bits(n));\n}\n"                                 \
    "INLINE float cos_f(float x)\n{\n"                                                             \
    "    if (!(fabsf(x) < 48000.0f))\n        return far_cos(x);\n"                                \
    "    const float n = fmaf(x, 0.318309873f, -0.5f) + 12582912.0f;\n"                            \
    "    return sin_of_rest(x, n - 12582912.0f + 0.5f, ~as_bits(n));\n}\n"

/* erf x = x + x p(x^2) below 1, else 1 - 2^q(|x|), q fitted to the logarithm of erfc: both are
 * computed, which takes fewer instructions than choosing coefficients. At most 1.85 ULP. */
#define ERF                                                                                        \
    "INLINE float power_of_two(float x)\n{\n"                                                      \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    float r;\n"                                                                               \
    "    asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(x));\n"                            \
    "    return r;\n"                                                                              \
    "#else\n    return exp2f(x);\n#endif\n}\n"                                                     \
    "INLINE float erf_f(float x)\n{\n"                                                             \
    "    const float t = fabsf(x), s = x * x;\n"                                                   \
    "    float p = fmaf(-0.000563120062f, s, 0.00491748983f);\n"                                   \
    "    p = fmaf(p, s, -0.026711250f);\n"                                                         \
    "    p = fmaf(p, s, 0.112801775f);\n"                                                          \
    "    p = fmaf(p, s, -0.37612325f);\n"                                                          \
    "    p = fmaf(p, s, 0.128379121f);\n"                                                          \
    "    float q = fmaf(-0.00166951818f, t, 0.0213978402f);\n"                                     \
    "    q = fmaf(q, t, -0.128110945f);\n"                                                         \
    "    q = fmaf(q, t, -0.943868816f);\n"                                                         \
    "    q = fmaf(q, t, -1.61238670f);\n"                                                          \
    "    q = fmaf(q, t, -0.00377865694f);\n"                                                       \
    "    const float far = copysignf(1 - power_of_two(q), x);\n"                                   \
    "    return t < 1 ? fmaf(p, x, x) : far;\n}\n"

/* For results that are rounded to bf16 or f16: one or two instructions each. */
#define COARSE                                                                                     \
    "INLINE float exp_coarse(float x)\n{\n"                                                        \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    float r;\n"                                                                               \
    "    asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(x * 1.44269504f));\n"              \
    "    return r;\n#else\n    return expf(x);\n#endif\n}\n"                                       \
    "INLINE float tanh_coarse(float x)\n{\n"                                                       \
    "#ifdef __CUDA_ARCH__\n"                                                                       \
    "    float r;\n    asm(\"tanh.approx.f32 %0, %1;\" : \"=f\"(r) : \"f\"(x));\n"                 \
    "    return r;\n#else\n    return tanhf(x);\n#endif\n}\n"                                      \
    "INLINE float div_coarse(float a, float b)\n{\n"                                               \
    "#ifdef __CUDA_ARCH__\n    return __fdividef(a, b);\n"                                         \
    "#else\n    return a / b;\n#endif\n}\n"

#define FOR_FLOATS(T, s)                                                                           \
    "INLINE " T " remainder_" s "(" T " x, " T " y)\n{\n"                                          \
    "    " T " r = fmod_" s "(x, y);\n"                                                            \
    "    return r != 0 && (r < 0) != (y < 0) ? r + y : r;\n}\n"                                    \
    "INLINE " T " lerp_" s "(" T " a, " T " b, " T " w)\n{\n"                                      \
    "    return w > -0.5f && w < 0.5f ? a + w * (b - a) : b - (b - a) * (1 - w);\n}\n"

/* A division by zero (1) and an index out of range (2) are reported through the last parameter. */
#define INTEGERS                                                                                   \
    "/* The chunk that is read at i, or another one when that is outside. */\n"                    \
    "template <typename T> INLINE T into_range(T i, int64_t most)\n{\n"                            \
    "    return i < 0 ? 0 : i > most ? (T)most : i;\n}\n"                                          \
    "/* A number that indices below 2^31 are compared with. */\n"                                  \
    "INLINE int as_index(int64_t i)\n{\n"                                                          \
    "    return (uint64_t)i < 0x7fffffffu ? (int)i : -1;\n}\n"                                     \
    "INLINE int64_t index_i(int64_t i, int64_t n, int *error)\n{\n"                                \
    "    if ((uint64_t)i >= (uint64_t)n)\n        *error = 2;\n"                                   \
    "    return (uint64_t)i >= (uint64_t)n ? 0 : i;\n}\n"                                          \
    "INLINE int64_t div_i(int64_t x, int64_t y, int *error)\n{\n"                                  \
    "    if (y == 0)\n        *error = 1;\n"                                                       \
    "    return y == 0 ? 0 : y == -1 ? -x : x / y;\n}\n"                                           \
    "INLINE int64_t mod_i(int64_t x, int64_t y, int *error)\n{\n"                                  \
    "    if (y == 0)\n        *error = 1;\n"                                                       \
    "    return y == 0 || y == -1 ? 0 : x % y;\n}\n"                                               \
    "INLINE int64_t remainder_i(int64_t x, int64_t y, int *error)\n{\n"                            \
    "    int64_t r = mod_i(x, y, error);\n"                                                        \
    "    return r != 0 && (r < 0) != (y < 0) ? r + y : r;\n}\n"                                    \
    "INLINE uint64_t div_u(uint64_t x, uint64_t y, int *error)\n{\n"                               \
    "    if (y == 0)\n        *error = 1;\n"                                                       \
    "    return y == 0 ? 0 : x / y;\n}\n"                                                          \
    "INLINE uint64_t mod_u(uint64_t x, uint64_t y, int *error)\n{\n"                               \
    "    if (y == 0)\n        *error = 1;\n"                                                       \
    "    return y == 0 ? 0 : x % y;\n}\n\n"

const char *gen_cuda_prelude(void)
{
    return TYPES BITS ELEMENTS VECTORS LAUNCHES FOLDS CLUSTERS FUNCTIONS ANGLES ERF COARSE
        FOR_FLOATS("float", "f") FOR_FLOATS("double", "d") INTEGERS SHIFTS_AND_POWERS RANDOM;
}
