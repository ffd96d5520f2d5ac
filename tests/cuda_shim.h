// cuda_shim.h - lets a C++ compiler for the CPU take a generated CUDA text.
//
// Put before the text. A thread of a block is a fiber of tests/cuda_emulator.c; barriers and
// exchanges between lanes hand over to the next fiber. Shared memory is static: one block runs at a
// time. No standard header: the prelude of the text names its own integer types.
struct EmuPlace { unsigned x, y, z; };
struct Emu {
    void (*sync)(int whole);
    char (*slots)[16];
    char *pool, *pools;
    unsigned lane;
    EmuPlace thread, block;
};
static Emu *emu;
extern "C" void emu_set(Emu *e) { emu = e; }

#define threadIdx (emu->thread)
#define blockIdx (emu->block)
#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __shared__ static
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define SHARED_POOL(name) char *name = emu->pool
#define __syncthreads() emu->sync(1)
#define __threadfence()
static inline void cluster_arrives() {} // one barrier where the device has two halves
static inline void cluster_is_here() { emu->sync(2); }
static inline void to_block(float *p, int rank, float a, float b)
{
    float *to = (float *)(emu->pools + rank * 232448 + ((char *)p - emu->pool));
    to[0] = a;
    to[1] = b;
}

static inline void meet_cluster() { emu->sync(2); }
template <typename T> static inline T of_rank(const T *p, int rank)
{
    return *(const T *)(emu->pools + rank * 232448 + ((const char *)p - emu->pool));
}

static inline int atomicAdd(int *at, int more)
{
    int before = *at; // one fiber runs at a time
    *at += more;
    return before;
}

template <typename T> static inline T __shfl_xor_sync(unsigned, T v, int d)
{
    const unsigned me = emu->lane;
    *(T *)emu->slots[me] = v;
    emu->sync(0);
    T other = *(T *)emu->slots[me ^ (unsigned)d];
    emu->sync(0);
    return other;
}

template <typename T> static inline T __shfl_sync(unsigned, T v, int from)
{
    const unsigned me = emu->lane;
    *(T *)emu->slots[me] = v;
    emu->sync(0);
    T other = *(T *)emu->slots[me - me % 32 + (unsigned)from];
    emu->sync(0);
    return other;
}

template <typename T> static inline T __shfl_up_sync(unsigned, T v, int d)
{
    const unsigned me = emu->lane;
    *(T *)emu->slots[me] = v;
    emu->sync(0);
    T other = *(T *)emu->slots[(int)(me % 32) >= d ? me - (unsigned)d : me];
    emu->sync(0);
    return other;
}

static inline void __syncwarp() { emu->sync(0); }

// What the lanes of a warp show each other: two rooms by turns, so that one barrier is enough.
static unsigned emu_rooms[2][2048][6];
static unsigned char emu_turns[2048];
static inline unsigned (*emu_room())[6]
{
    return emu_rooms[emu_turns[emu->lane]++ & 1] + (emu->lane & ~31u);
}

// Four 8 x 8 matrices of 16-bit elements: lane l names row l % 8 of matrix l / 8 in shared memory,
// and gets two neighbours of row l / 4 of each (turned: of column l / 4).
static inline void emu_ldmatrix(unsigned (&r)[4], const void *row, bool turned)
{
    const unsigned lane = emu->thread.x & 31u;
    unsigned (*room)[6] = emu_room();
    *(const void **)room[lane] = row;
    emu->sync(0);
    for (unsigned i = 0; i < 4; i++) {
        r[i] = 0;
        for (unsigned e = 0; e < 2; e++) {
            const unsigned at = turned ? lane % 4 * 2 + e : lane / 4;
            const unsigned short *p = *(const unsigned short **)room[i * 8 + at];
            r[i] |= (unsigned)p[turned ? lane / 4 : lane % 4 * 2 + e] << (16 * e);
        }
    }
}

template <typename E> static inline float emu_half(unsigned pair, unsigned which)
{
    E e;
    e.bits = (unsigned short)(pair >> (16 * which));
    return get(e);
}
// A warp's product of 16 x 16 and 16 x 8 elements, added to four sums of each lane.
template <typename E>
static inline void emu_mma(float *(&sums)[4], const unsigned (&x)[4], unsigned y0, unsigned y1)
{
    const unsigned lane = emu->thread.x & 31u, mine[6] = {x[0], x[1], x[2], x[3], y0, y1};
    unsigned (*room)[6] = emu_room();
    for (int i = 0; i < 6; i++)
        room[lane][i] = mine[i];
    emu->sync(0);
    for (unsigned k = 0; k < 16; k++) {
        const unsigned *row = room[lane / 4 * 4 + k % 8 / 2], upper = k / 8;
        const float a0 = emu_half<E>(row[2 * upper], k % 2);
        const float a1 = emu_half<E>(row[2 * upper + 1], k % 2);
        for (unsigned column = 0; column < 2; column++) {
            const unsigned *from = room[(lane % 4 * 2 + column) * 4 + k % 8 / 2];
            const float b = emu_half<E>(from[4 + upper], k % 2);
            *sums[column] += a0 * b;
            *sums[2 + column] += a1 * b;
        }
    }
}

extern "C" {
#define EMU_MATH(name) double name(double); float name##f(float);
EMU_MATH(acos) EMU_MATH(acosh) EMU_MATH(asin) EMU_MATH(asinh) EMU_MATH(atan) EMU_MATH(atanh)
EMU_MATH(ceil) EMU_MATH(cos) EMU_MATH(cosh) EMU_MATH(erf) EMU_MATH(erfc) EMU_MATH(exp)
EMU_MATH(exp2) EMU_MATH(expm1) EMU_MATH(fabs) EMU_MATH(floor) EMU_MATH(lgamma) EMU_MATH(log)
EMU_MATH(log10) EMU_MATH(log1p) EMU_MATH(log2) EMU_MATH(rint) EMU_MATH(sin) EMU_MATH(sinh)
EMU_MATH(sqrt) EMU_MATH(tan) EMU_MATH(tanh) EMU_MATH(trunc)
double atan2(double, double); float atan2f(float, float);
double pow(double, double); float powf(float, float);
double fmod(double, double); float fmodf(float, float); float fmaf(float, float, float);
double copysign(double, double); float copysignf(float, float);
}
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }

// Calls a kernel. An argument is a parameter that is a pointer, or the address of another one.
template <int... I> struct EmuNumbers {};
template <typename P> struct EmuArgument { static P &of(void *a) { return *(P *)a; } };
template <typename P> struct EmuArgument<P *> { static P *of(void *a) { return (P *)a; } };
template <typename... P, int... I>
static void emu_call_at(void (*k)(P...), void **a, EmuNumbers<I...>)
{
    k(EmuArgument<P>::of(a[I])...);
}
template <typename... P> static void emu_call(void (*k)(P...), void **a)
{
    emu_call_at(k, a, EmuNumbers<__integer_pack((int)sizeof...(P))...>());
}
#define EMU_KERNEL(name) extern "C" void emu_##name(void **a) { emu_call(name, a); }
