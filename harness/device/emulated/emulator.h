/* The emulated device's CUDA: what a kernel's source needs to compile as C++17 on the host. This
 * text is put before the kernels', DCS_EMULATED_ENTRY(name) after them for each. The blocks of a
 * launch run one after another, and so do the threads of a block; where they wait for each other
 * (__syncthreads) each thread is a fibre: it runs until it waits, and goes on when all others have
 * come there too.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <utility>

/* Defined as 1: the blocks of a launch run from last to first. CUDA promises no order. */
#ifndef DCS_EMULATED_BACKWARDS
#define DCS_EMULATED_BACKWARDS 0
#endif

#define __global__
#define __device__
#define __host__
#define __constant__    /* an external variable, which the host finds by its name */
#define __shared__      static
#define __forceinline__ inline
#define __launch_bounds__(...)
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

static inline int atomicExch(int *at, int value) {
  int old = *at;
  *at = value;
  return old;
}

/* Nothing to do: what a thread writes is in memory before another runs. */
static inline void __threadfence() {
}

template <class... A, size_t... I>
static inline void dcs_emulated_call(void (*kernel)(A...), void **args, std::index_sequence<I...>) {
  kernel(*static_cast<A *>(args[I])...);
}

/* ---- fibres ---- */

static ucontext_t dcs_emulated_block_context, *dcs_emulated_thread_context;

static inline void __syncthreads() {
  swapcontext(dcs_emulated_thread_context, &dcs_emulated_block_context);
}

enum { DCS_EMULATED_STACK = 65536 };

struct dcs_emulated_fibre {
  ucontext_t context;
  uint3 index;
  bool done;
};

/* What a fibre starts with: makecontext passes nothing but ints. */
static dcs_emulated_fibre *dcs_emulated_starting;
static void (*dcs_emulated_start_kernel)();
static void **dcs_emulated_start_args;

template <class... A> static void dcs_emulated_fibre_main() {
  dcs_emulated_fibre *fibre = dcs_emulated_starting;
  auto kernel = reinterpret_cast<void (*)(A...)>(dcs_emulated_start_kernel);
  dcs_emulated_call(kernel, dcs_emulated_start_args, std::index_sequence_for<A...>());
  fibre->done = true;
}

/* Lets every fibre of the block run to its next barrier or its end, until all have ended. */
static inline void dcs_emulated_run_fibres(dcs_emulated_fibre *fibres, int n) {
  for (bool running = true; running;) {
    running = false;
    for (int t = 0; t < n; t++) {
      dcs_emulated_fibre *fibre = &fibres[t];
      if (fibre->done) continue;
      threadIdx = fibre->index;
      dcs_emulated_starting = fibre;
      dcs_emulated_thread_context = &fibre->context;
      swapcontext(&dcs_emulated_block_context, &fibre->context);
      running = running || !fibre->done;
    }
  }
}

/* The fibres of a block and their stacks: made for a launch, so that they are gone after it. */
struct dcs_emulated_fibres {
  dcs_emulated_fibre *list;
  char *stacks;
};

template <class... A>
static inline void dcs_emulated_fibre_block(void (*kernel)(A...), const int block[3], void **args,
                                            const dcs_emulated_fibres &fibres) {
  int n = block[0] * block[1] * block[2];
  dcs_emulated_start_kernel = reinterpret_cast<void (*)()>(kernel);
  dcs_emulated_start_args = args;
  for (int t = 0; t < n; t++) {
    dcs_emulated_fibre *fibre = &fibres.list[t];
    fibre->done = false;
    fibre->index = {(unsigned)(t % block[0]), (unsigned)(t / block[0] % block[1]),
                    (unsigned)(t / block[0] / block[1])};
    getcontext(&fibre->context);
    fibre->context.uc_stack.ss_sp = fibres.stacks + t * static_cast<size_t>(DCS_EMULATED_STACK);
    fibre->context.uc_stack.ss_size = DCS_EMULATED_STACK;
    fibre->context.uc_link = &dcs_emulated_block_context;
    makecontext(&fibre->context, dcs_emulated_fibre_main<A...>, 0);
  }
  dcs_emulated_run_fibres(fibres.list, n);
}

/* ---- loops ---- */

template <class... A>
static inline void dcs_emulated_loop_block(void (*kernel)(A...), const int block[3], void **args) {
  for (int z = 0; z < block[2]; z++)
    for (int y = 0; y < block[1]; y++)
      for (int x = 0; x < block[0]; x++) {
        threadIdx = {(unsigned)x, (unsigned)y, (unsigned)z};
        dcs_emulated_call(kernel, args, std::index_sequence_for<A...>());
      }
}

template <class... A>
static inline void dcs_emulated_blocks(void (*kernel)(A...), const int64_t grid[3],
                                       const int block[3], void **args,
                                       const dcs_emulated_fibres &fibres) {
  gridDim = {(unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2]};
  blockDim = {(unsigned)block[0], (unsigned)block[1], (unsigned)block[2]};
  int64_t blocks = grid[0] * grid[1] * grid[2];
  for (int64_t b = 0; b < blocks; b++) {
    int64_t at = DCS_EMULATED_BACKWARDS ? blocks - 1 - b : b;
    blockIdx = {(unsigned)(at % grid[0]), (unsigned)(at / grid[0] % grid[1]),
                (unsigned)(at / grid[0] / grid[1])};
    if (DCS_EMULATED_FIBRES)
      dcs_emulated_fibre_block(kernel, block, args, fibres);
    else
      dcs_emulated_loop_block(kernel, block, args);
  }
}

/* Returns 0 where memory for the threads of a block is short: nothing was run. */
template <class... A>
static inline int dcs_emulated_grid(void (*kernel)(A...), const int64_t grid[3], const int block[3],
                                    void **args) {
  dcs_emulated_fibres fibres = {nullptr, nullptr};
  if (DCS_EMULATED_FIBRES) {
    size_t n = static_cast<size_t>(block[0]) * block[1] * block[2];
    fibres.list = static_cast<dcs_emulated_fibre *>(malloc(n * sizeof(dcs_emulated_fibre)));
    fibres.stacks = static_cast<char *>(malloc(n * DCS_EMULATED_STACK));
  }
  int ready = !DCS_EMULATED_FIBRES || (fibres.list && fibres.stacks);
  if (ready) dcs_emulated_blocks(kernel, grid, block, args, fibres);
  free(fibres.list);
  free(fibres.stacks);
  return ready;
}

/* Bytes of each argument, closed by 0. */
template <class... A> static inline const size_t *dcs_emulated_sizes(void (*)(A...)) {
  static const size_t sizes[] = {sizeof(A)..., 0};
  return sizes;
}

#define DCS_EMULATED_ENTRY(kernel)                                                                 \
  extern "C" const size_t *dcs_emulated_sizes_of_##kernel() {                                      \
    return dcs_emulated_sizes(kernel);                                                             \
  }                                                                                                \
  extern "C" int dcs_emulated_run_##kernel(const int64_t grid[3], const int block[3],              \
                                           void **args) {                                          \
    return dcs_emulated_grid(kernel, grid, block, args);                                           \
  }
