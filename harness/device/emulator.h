/* The emulated device's CUDA: what a kernel's source needs to compile as C++17 on the host. This
 * text is put before the kernel's, DCS_EMULATED_ENTRY(dcs) after it. The threads of a launch run
 * one after another, so a kernel whose threads wait for each other does not compile here. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <utility>

#define __global__
#define __device__
#define __host__
#define __constant__    /* an external variable, which the host finds by its name */
#define __shared__      static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __syncthreads()                                                                            \
  static_assert(false, "this kernel synchronises its threads (__syncthreads), and the emulated "   \
                       "device runs them one after another: use a CUDA device")

struct float2 {
  float x, y;
};
struct float3 {
  float x, y, z;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct int3 {
  int x, y, z;
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

static inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
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

template <class T> static inline T __ldg(const T *at) {
  return *at;
}

template <class A, class B> static inline auto min(A a, B b) {
  return b < a ? b : a;
}
template <class A, class B> static inline auto max(A a, B b) {
  return a < b ? b : a;
}

static inline float atomicAdd(float *at, float value) {
  float old = *at;
  *at = old + value;
  return old;
}
static inline int atomicAdd(int *at, int value) {
  int old = *at;
  *at = old + value;
  return old;
}

template <class... A, size_t... I>
static inline void dcs_emulated_call(void (*kernel)(A...), void **args, std::index_sequence<I...>) {
  kernel(*static_cast<A *>(args[I])...);
}

template <class... A>
static inline void dcs_emulated_block(void (*kernel)(A...), const int block[3], void **args) {
  for (int z = 0; z < block[2]; z++)
    for (int y = 0; y < block[1]; y++)
      for (int x = 0; x < block[0]; x++) {
        threadIdx = {(unsigned)x, (unsigned)y, (unsigned)z};
        dcs_emulated_call(kernel, args, std::index_sequence_for<A...>());
      }
}

template <class... A>
static inline void dcs_emulated_grid(void (*kernel)(A...), const int64_t grid[3],
                                     const int block[3], void **args) {
  gridDim = {(unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2]};
  blockDim = {(unsigned)block[0], (unsigned)block[1], (unsigned)block[2]};
  for (int64_t z = 0; z < grid[2]; z++)
    for (int64_t y = 0; y < grid[1]; y++)
      for (int64_t x = 0; x < grid[0]; x++) {
        blockIdx = {(unsigned)x, (unsigned)y, (unsigned)z};
        dcs_emulated_block(kernel, block, args);
      }
}

#define DCS_EMULATED_ENTRY(kernel)                                                                 \
  extern "C" void dcs_emulated_run(const int64_t grid[3], const int block[3], void **args) {       \
    dcs_emulated_grid(kernel, grid, block, args);                                                  \
  }
