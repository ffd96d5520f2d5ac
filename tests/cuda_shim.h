// cuda_shim.h - lets a C++ compiler for the CPU take a generated CUDA text.
//
// Put before the text. A thread of a block is a fiber of tests/cuda_emulator.c; barriers and
// exchanges between lanes hand over to the next fiber. Shared memory is static: one block runs at a
// time. No standard header: the prelude of the text names its own integer types.
struct EmuPlace { unsigned x, y, z; };
struct Emu {
    void (*sync)(int whole_block);
    char (*slots)[16];
    char *pool;
    EmuPlace thread, block;
};
static Emu *emu;
extern "C" void emu_set(Emu *e) { emu = e; }

#define threadIdx (emu->thread)
#define blockIdx (emu->block)
#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
#define SHARED_POOL(name) char *name = emu->pool
#define __syncthreads() emu->sync(1)

template <typename T> static inline T __shfl_xor_sync(unsigned, T v, int d)
{
    const unsigned me = emu->thread.x;
    *(T *)emu->slots[me] = v;
    emu->sync(0);
    T other = *(T *)emu->slots[me ^ (unsigned)d];
    emu->sync(0);
    return other;
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
double fmod(double, double); float fmodf(float, float);
double copysign(double, double); float copysignf(float, float);
}
static inline float rsqrtf(float x) { return 1 / sqrtf(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }

// Calls a kernel whose parameters are all pointers.
template <int... I> struct EmuNumbers {};
template <typename... P, int... I>
static void emu_call_at(void (*k)(P...), void **a, EmuNumbers<I...>)
{
    k((P)a[I]...);
}
template <typename... P> static void emu_call(void (*k)(P...), void **a)
{
    emu_call_at(k, a, EmuNumbers<__integer_pack((int)sizeof...(P))...>());
}
#define EMU_KERNEL(name) extern "C" void emu_##name(void **a) { emu_call(name, a); }
