/* The emulated device's CUDA: what a kernel's source needs to compile as C++17 on the host: types,
 * functions, atomics. This text is put before the kernels', emulator_run.h behind it. */
#include <stdint.h>
#include <string.h>

#include <utility>

/* Without C++17's special functions, which no kernel calls and which take a third of the time that
 * a kernel compiles. libstdc++ is told so behind its configuration, which <utility> includes. */
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <math.h>
#include <stdlib.h>

/* What emulator_watch.h defines otherwise: where variables lie, and who is told of what. */
#ifndef DCS_WATCHED
#define DCS_WATCHED  0
#define __constant__ /* an external variable, which the host finds by its name */
#define __shared__   static
#define DCS_UNWATCHED
#define DCS_TELL(kind, address, bytes)
#define DCS_TELL_ALL(kind, address, bytes)
#define DCS_VECTOR(type, T)
#endif

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
struct alignas(8) float2 {
  float x, y;
  DCS_VECTOR(float2, float)
};
struct float3 {
  float x, y, z;
  DCS_VECTOR(float3, float)
};
struct alignas(16) float4 {
  float x, y, z, w;
  DCS_VECTOR(float4, float)
};
struct alignas(8) int2 {
  int x, y;
  DCS_VECTOR(int2, int)
};
struct int3 {
  int x, y, z;
  DCS_VECTOR(int3, int)
};
struct alignas(16) int4 {
  int x, y, z, w;
  DCS_VECTOR(int4, int)
};
struct alignas(8) uint2 {
  unsigned x, y;
  DCS_VECTOR(uint2, unsigned)
};
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
};

static inline float2 make_float2(float x, float y) {
  return {x, y};
}
static inline float3 make_float3(float x, float y, float z) {
  return {x, y, z};
}
static inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
static inline uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
static inline int3 make_int3(int x, int y, int z) {
  return {x, y, z};
}

static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;

/* Under another name, because newer C libraries declare an rsqrtf of their own. */
#define rsqrtf dcs_emulated_rsqrtf
static inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
#define rsqrt dcs_emulated_rsqrt
static inline float rsqrt(float x) {
  return rsqrtf(x);
}
static inline double rsqrt(double x) {
  return 1 / sqrt(x);
}

/* The fast ones, which are off by more on a card. Under another name as above. */
static inline float __fdividef(float x, float y) {
  return x / y;
}
#define __logf dcs_emulated_logf
static inline float __logf(float x) {
  return logf(x);
}

/* Between 0 and 1; NaN becomes 0. */
static inline float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

static inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}

static inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}

/* Rounded each on its own: a compiler that fuses what it is not told apart has to store them. */
static inline double __dmul_rn(double a, double b) {
  volatile double product = a * b;
  return product;
}
static inline double __dadd_rn(double a, double b) {
  volatile double sum = a + b;
  return sum;
}

template <class To, class From> static inline To dcs_emulated_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "a reinterpretation keeps the size");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
static inline int __float_as_int(float x) {
  return dcs_emulated_bits<int>(x);
}
static inline float __int_as_float(int x) {
  return dcs_emulated_bits<float>(x);
}
static inline unsigned __float_as_uint(float x) {
  return dcs_emulated_bits<unsigned>(x);
}
static inline float __uint_as_float(unsigned x) {
  return dcs_emulated_bits<float>(x);
}

/* A store that caches need not keep. */
template <class T> DCS_UNWATCHED static inline void __stcs(T *at, T value) {
  memcpy(static_cast<void *>(at), &value, sizeof value);
  DCS_TELL_ALL(DCS_EMULATED_STORE, at, sizeof value);
}

template <class T> DCS_UNWATCHED static inline T __ldg(const T *at) {
  T value;
  memcpy(static_cast<void *>(&value), at, sizeof value);
  DCS_TELL_ALL(DCS_EMULATED_LOAD, at, sizeof value);
  return value;
}

template <class A, class B> static inline auto min(A a, B b) {
  return b < a ? b : a;
}
template <class A, class B> static inline auto max(A a, B b) {
  return a < b ? b : a;
}

/* Threads run one at a time, so that any read-modify-write is atomic; value: what it is given. */
#define DCS_ATOMIC(name, changed)                                                                  \
  template <class T, class V> DCS_UNWATCHED static inline T name(T *at, V value) {                 \
    DCS_TELL(DCS_EMULATED_ATOMIC, at, sizeof *at);                                                 \
    T old = *at;                                                                                   \
    *at = changed;                                                                                 \
    return old;                                                                                    \
  }
DCS_ATOMIC(atomicAdd, old + T(value))
DCS_ATOMIC(atomicSub, old - T(value))
DCS_ATOMIC(atomicExch, T(value))
DCS_ATOMIC(atomicMin, old < T(value) ? old : T(value))
DCS_ATOMIC(atomicMax, old > T(value) ? old : T(value))
DCS_ATOMIC(atomicAnd, old &T(value))
DCS_ATOMIC(atomicOr, old | T(value))
DCS_ATOMIC(atomicXor, old ^ T(value))
template <class T> DCS_UNWATCHED static inline T atomicCAS(T *at, T expected, T value) {
  DCS_TELL(DCS_EMULATED_ATOMIC, at, sizeof *at);
  T old = *at;
  if (old == expected) *at = value;
  return old;
}

/* Nothing to do: what a thread writes is in memory before another runs. */
DCS_UNWATCHED static inline void __threadfence() {
  DCS_TELL(DCS_EMULATED_FENCE, nullptr, 0);
}
DCS_UNWATCHED static inline void __threadfence_block() {
}
