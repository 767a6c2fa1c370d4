/* How the emulated device runs a kernel; this text stands behind emulator.h, and
 * DCS_EMULATED_ENTRY(name) behind the kernels for each. The blocks of a launch run one after
 * another, and so do the threads of a block; where they wait for each other (__syncthreads) each
 * thread is a fibre: it runs until it waits, and goes on when all others have come there too. */
#include <ucontext.h>

/* Defined as 1: the blocks of a launch run from last to first. CUDA promises no order. */
#ifndef DCS_EMULATED_BACKWARDS
#define DCS_EMULATED_BACKWARDS 0
#endif

template <class... A, size_t... I>
DCS_UNWATCHED static inline void dcs_emulated_call(void (*kernel)(A...), void **args,
                                                   std::index_sequence<I...>) {
  kernel(*static_cast<A *>(args[I])...);
}

/* ---- fibres ---- */

enum { DCS_EMULATED_STACK = 65536, DCS_EMULATED_WARP = 32 };

enum dcs_emulated_state { DCS_FIBRE_RUNS, DCS_FIBRE_AT_BARRIER, DCS_FIBRE_AT_WARP, DCS_FIBRE_DONE };

/* A place to jump to, on a stack of its own: what the compiler keeps of it, without the signals'
 * mask that ucontext asks the kernel for at every switch. */
typedef void *dcs_emulated_place[5];

struct dcs_emulated_fibre {
  dcs_emulated_place start, here; /* where a block begins; where it waits */
  void **next;                    /* one of these */
  uint3 index;
  dcs_emulated_state state;
  unsigned lanes; /* of the warp, that it waits for */
  uint64_t given; /* what it lets them read */
#if DCS_WATCHED
  dcs_emulated_path path;
#endif
};

/* The fibres of a block and their stacks: made for a launch, so that they are gone after it. */
struct dcs_emulated_fibres {
  dcs_emulated_fibre *list;
  char *stacks;
  int n;
};

static dcs_emulated_place dcs_emulated_block_place;
static dcs_emulated_fibres dcs_emulated_block_fibres;

DCS_UNWATCHED static inline char *dcs_emulated_stack(const dcs_emulated_fibres &all, int t) {
  return all.stacks + t * static_cast<size_t>(DCS_EMULATED_STACK);
}
static dcs_emulated_fibre *dcs_emulated_fibre_now;

/* Apart from who keeps a place: no function may do both. */
DCS_UNWATCHED __attribute__((noinline, noreturn)) static void dcs_emulated_jump(void **to) {
  __builtin_longjmp(to, 1);
}
DCS_UNWATCHED __attribute__((noinline)) static void dcs_emulated_switch(void **from, void **to) {
  if (!__builtin_setjmp(from)) dcs_emulated_jump(to);
}

DCS_UNWATCHED static inline void dcs_emulated_wait(dcs_emulated_state state) {
  dcs_emulated_fibre *fibre = dcs_emulated_fibre_now;
  fibre->state = state;
  fibre->next = fibre->here;
  dcs_emulated_switch(fibre->here, dcs_emulated_block_place);
}

DCS_UNWATCHED static inline void __syncthreads() {
  DCS_TELL(DCS_EMULATED_BARRIER, nullptr, 0);
  dcs_emulated_wait(DCS_FIBRE_AT_BARRIER);
}

#if DCS_WATCHED
DCS_UNWATCHED static void dcs_emulated_end_thread() {
  dcs_emulated_wait(DCS_FIBRE_DONE);
}
#endif

/* ---- shuffles and votes ---- */

DCS_UNWATCHED static inline int dcs_emulated_lane() {
  return (int)(dcs_emulated_fibre_now - dcs_emulated_block_fibres.list) % DCS_EMULATED_WARP;
}

DCS_UNWATCHED static inline void dcs_emulated_wait_for_lanes(unsigned lanes) {
  dcs_emulated_fibre_now->lanes = lanes;
  dcs_emulated_wait(DCS_FIBRE_AT_WARP);
}

/* What a lane of the warp gives, if it is there. */
DCS_UNWATCHED static inline uint64_t dcs_emulated_given(int lane, uint64_t otherwise) {
  const dcs_emulated_fibres *all = &dcs_emulated_block_fibres;
  int first = (int)(dcs_emulated_fibre_now - all->list) / DCS_EMULATED_WARP * DCS_EMULATED_WARP;
  return first + lane < all->n ? all->list[first + lane].given : otherwise;
}

DCS_UNWATCHED static inline void __syncwarp(unsigned lanes = ~0u) {
  DCS_TELL(DCS_EMULATED_WARP_BARRIER, nullptr, 0);
  dcs_emulated_wait_for_lanes(lanes);
}

/* The value of lane `from`; all of `lanes` have read before any goes on. */
template <class T>
DCS_UNWATCHED static inline T dcs_emulated_shuffle(unsigned lanes, T value, int from) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "a shuffle takes 8 bytes at most");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  dcs_emulated_fibre_now->given = bits;
  dcs_emulated_wait_for_lanes(lanes);
  bits = dcs_emulated_given(from, bits);
  dcs_emulated_wait_for_lanes(lanes);
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* A shuffle within groups of `width` lanes: from `source`, or from the own lane beyond the group.
 */
#define DCS_SHUFFLE(name, Source, source, inside)                                                  \
  template <class T>                                                                               \
  DCS_UNWATCHED static inline T name(unsigned lanes, T value, Source by, int width = 32) {         \
    DCS_TELL(DCS_EMULATED_WARP_BARRIER, nullptr, 0);                                               \
    int lane = dcs_emulated_lane(), first = lane / width * width, from = source;                   \
    return dcs_emulated_shuffle(lanes, value, inside ? from : lane);                               \
  }
DCS_SHUFFLE(__shfl_sync, int, first + (by & (width - 1)), true)
DCS_SHUFFLE(__shfl_up_sync, unsigned, lane - (int)by, from >= first)
DCS_SHUFFLE(__shfl_down_sync, unsigned, lane + (int)by, from < first + width)
DCS_SHUFFLE(__shfl_xor_sync, int, lane ^ by, from < first + width)

DCS_UNWATCHED static inline unsigned __ballot_sync(unsigned lanes, int vote) {
  DCS_TELL(DCS_EMULATED_WARP_BARRIER, nullptr, 0);
  unsigned votes = 0;
  dcs_emulated_fibre_now->given = vote != 0;
  dcs_emulated_wait_for_lanes(lanes);
  for (int lane = 0; lane < DCS_EMULATED_WARP; lane++)
    if (lanes >> lane & 1 && dcs_emulated_given(lane, 0)) votes |= 1u << lane;
  dcs_emulated_wait_for_lanes(lanes);
  return votes;
}
DCS_UNWATCHED static inline int __any_sync(unsigned lanes, int vote) {
  return __ballot_sync(lanes, vote) != 0;
}
DCS_UNWATCHED static inline int __all_sync(unsigned lanes, int vote) {
  return __ballot_sync(lanes, !vote) == 0;
}

/* ---- products of matrices ---- */

/* What a lane gives of a product of 16 x k by k x 8, k = 4 `parts`: kernels/common/cuda/tensor.cuh.
 */
struct dcs_emulated_fragments {
  const float *a, *b;
  float *d;
  int parts;
  bool done;
};

/* A number as a tensor core reads it: its 13 last bits are left out. */
static inline float dcs_emulated_tf32(float x) {
  return __uint_as_float(__float_as_uint(x) & ~0x1fffu);
}

/* In half precision, rounded to nearest even; what is beyond 65,504 is infinite. */
static inline unsigned dcs_emulated_half(float x) {
  unsigned bits = __float_as_uint(fabsf(x)), sign = __float_as_uint(x) >> 16 & 0x8000u;
  if (!(fabsf(x) < 65520.0f)) return sign | 0x7c00u;
  if (fabsf(x) < 0x1p-14f) return sign | static_cast<unsigned>(rintf(fabsf(x) * 0x1p24f));
  return sign | ((bits + 0xfffu + (bits >> 13 & 1u)) >> 13) - (112u << 10);
}
static inline float dcs_emulated_of_half(unsigned half) {
  unsigned bits = half & 0x7fffu;
  float x = bits >= 0x7c00u  ? HUGE_VALF
            : bits < 0x0400u ? static_cast<float>(bits) * 0x1p-24f
                             : __uint_as_float((bits << 13) + (112u << 23));
  return half & 0x8000u ? -x : x;
}

/* Row and column of d[v] are lane / 4 + 8 (v / 2) and lane % 4 * 2 + v % 2. */
DCS_UNWATCHED static inline void dcs_emulated_multiply(dcs_emulated_fragments *const *of) {
  double a[16][16], b[16][8];
  int parts = of[0]->parts;
  for (int lane = 0; lane < DCS_EMULATED_WARP; lane++) {
    for (int v = 0; v < 2 * parts; v++)
      a[lane / 4 + v % 2 * 8][lane % 4 + v / 2 * 4] = of[lane]->a[v];
    for (int v = 0; v < parts; v++)
      b[lane % 4 + v * 4][lane / 4] = of[lane]->b[v];
  }
  for (int lane = 0; lane < DCS_EMULATED_WARP; lane++) {
    for (int v = 0; v < 4; v++) {
      const double *row = a[lane / 4 + v / 2 * 8];
      double sum = of[lane]->d[v];
      for (int k = 0; k < 4 * parts; k++)
        sum += row[k] * b[k][lane % 4 * 2 + v % 2];
      of[lane]->d[v] = static_cast<float>(sum);
    }
    of[lane]->done = true;
  }
}

/* The first lane to go on computes for all, while the others have not gone on. */
DCS_UNWATCHED static inline void dcs_emulated_mma(dcs_emulated_fragments *own) {
  DCS_TELL(DCS_EMULATED_WARP_BARRIER, nullptr, 0);
  dcs_emulated_fragments *of[DCS_EMULATED_WARP];
  dcs_emulated_fibre_now->given = reinterpret_cast<uint64_t>(own);
  dcs_emulated_wait_for_lanes(~0u);
  if (own->done) return;
  for (int lane = 0; lane < DCS_EMULATED_WARP; lane++)
    of[lane] = reinterpret_cast<dcs_emulated_fragments *>(dcs_emulated_given(lane, 0));
  dcs_emulated_multiply(of);
}
DCS_UNWATCHED static inline void dcs_emulated_mma_sync(float d[4], const float a[4],
                                                       const float b[2]) {
  float read_a[4], read_b[2];
  for (int v = 0; v < 4; v++)
    read_a[v] = dcs_emulated_tf32(a[v]);
  for (int v = 0; v < 2; v++)
    read_b[v] = dcs_emulated_tf32(b[v]);
  dcs_emulated_fragments own = {read_a, read_b, d, 2, false};
  dcs_emulated_mma(&own);
}

/* In half precision; columns of a and rows of b are in another order, the same. */
DCS_UNWATCHED static inline void dcs_emulated_half_mma_sync(float d[4], const unsigned a[4],
                                                            const unsigned b[2]) {
  float read_a[8], read_b[4];
  for (int v = 0; v < 8; v++)
    read_a[v] = dcs_emulated_of_half(a[v / 4 * 2 + v % 2] >> v / 2 % 2 * 16 & 0xffffu);
  for (int v = 0; v < 4; v++)
    read_b[v] = dcs_emulated_of_half(b[v / 2] >> v % 2 * 16 & 0xffffu);
  dcs_emulated_fragments own = {read_a, read_b, d, 4, false};
  dcs_emulated_mma(&own);
}

/* A warp's part of a product of a warpgroup: kernels/common/cuda/warpgroup.cuh. It is done at once.
 */
struct dcs_emulated_factor {
  const float4 *at;
  int stride;
};
DCS_UNWATCHED static inline void dcs_emulated_wgmma(float d[32], const float a[4],
                                                    dcs_emulated_factor b, bool add) {
  DCS_TELL(DCS_EMULATED_WARP_BARRIER, nullptr, 0);
  const int lane = dcs_emulated_lane(), t = lane % 4;
  double row[2][8];
  dcs_emulated_fibre_now->given = reinterpret_cast<uint64_t>(a);
  dcs_emulated_wait_for_lanes(~0u);
  for (int of = 0; of < 4; of++) {
    auto from = reinterpret_cast<const float *>(dcs_emulated_given(lane - t + of, 0));
    for (int v = 0; v < 4; v++)
      row[v % 2][of + v / 2 * 4] = dcs_emulated_tf32(from[v]);
  }
  dcs_emulated_wait_for_lanes(~0u);
  for (int v = 0; v < 32; v++) {
    const int column = v / 4 * 8 + 2 * t + v % 2;
    float terms[8]; /* read by the tensor core: no load of a warp's */
    memcpy(terms, b.at + column, sizeof(float4));
    memcpy(terms + 4, b.at + b.stride + column, sizeof(float4));
    double sum = add ? d[v] : 0.0f;
    for (int k = 0; k < 8; k++)
      sum += row[v / 2 % 2][k] * dcs_emulated_tf32(terms[k]);
    d[v] = static_cast<float>(sum);
  }
}

/* ---- fibres of a block ---- */

/* What a fibre starts with: makecontext passes nothing but ints. */
static void (*dcs_emulated_start_kernel)();
static void **dcs_emulated_start_args;

/* Never returns: each block comes back to its start. */
template <class... A>
DCS_UNWATCHED __attribute__((noinline)) static void dcs_emulated_fibre_main() {
  if (!__builtin_setjmp(dcs_emulated_fibre_now->start)) dcs_emulated_jump(dcs_emulated_block_place);
  auto kernel = reinterpret_cast<void (*)(A...)>(dcs_emulated_start_kernel);
  dcs_emulated_call(kernel, dcs_emulated_start_args, std::index_sequence_for<A...>());
  dcs_emulated_fibre_now->state = DCS_FIBRE_DONE;
  dcs_emulated_jump(dcs_emulated_block_place);
}

/* Lets a fibre come to the start of its blocks, on its stack. */
template <class... A>
DCS_UNWATCHED __attribute__((noinline)) static void
dcs_emulated_make_fibre(dcs_emulated_fibre *fibre, char *stack) {
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = DCS_EMULATED_STACK;
  makecontext(&context, dcs_emulated_fibre_main<A...>, 0);
  dcs_emulated_fibre_now = fibre;
  if (!__builtin_setjmp(dcs_emulated_block_place)) setcontext(&context);
}

/* Lets a fibre run until it waits or ends. */
DCS_UNWATCHED static inline void dcs_emulated_resume(dcs_emulated_fibre *fibre) {
  threadIdx = fibre->index;
  dcs_emulated_fibre_now = fibre;
#if DCS_WATCHED
  dcs_emulated_now = &fibre->path;
#endif
  dcs_emulated_switch(dcs_emulated_block_place, fibre->next);
#if DCS_WATCHED
  dcs_emulated_now = nullptr;
#endif
}

/* Whether all lanes that a fibre waits for, but those that have ended, wait for the same. */
static inline bool dcs_emulated_warp_is_there(const dcs_emulated_fibres &all, int t) {
  int first = t / DCS_EMULATED_WARP * DCS_EMULATED_WARP;
  for (int lane = 0; lane < DCS_EMULATED_WARP && first + lane < all.n; lane++) {
    const dcs_emulated_fibre *fibre = &all.list[first + lane];
    if (!(all.list[t].lanes >> lane & 1) || fibre->state == DCS_FIBRE_DONE) continue;
    if (fibre->state != DCS_FIBRE_AT_WARP || fibre->lanes != all.list[t].lanes) return false;
  }
  return true;
}

/* Lets the fibres go on that wait in a state, in the whole block or one warp: from..end-1. */
static inline void dcs_emulated_release(const dcs_emulated_fibres &all, int from, int end,
                                        dcs_emulated_state state, unsigned lanes) {
  for (int t = from; t < end && t < all.n; t++)
    if (all.list[t].state == state && (state == DCS_FIBRE_AT_BARRIER || all.list[t].lanes == lanes))
      all.list[t].state = DCS_FIBRE_RUNS;
}

static inline int dcs_emulated_count(const dcs_emulated_fibres &all, dcs_emulated_state state) {
  int n = 0;
  for (int t = 0; t < all.n; t++)
    n += all.list[t].state == state;
  return n;
}

/* Lets every fibre of the block run to its next wait or its end, until all have ended. 0 where some
 * wait for what cannot come. */
static inline int dcs_emulated_run_fibres(const dcs_emulated_fibres &all) {
  while (dcs_emulated_count(all, DCS_FIBRE_DONE) < all.n) {
    for (int t = 0; t < all.n; t++)
      if (all.list[t].state == DCS_FIBRE_RUNS) dcs_emulated_resume(&all.list[t]);
    for (int t = 0; t < all.n; t++)
      if (all.list[t].state == DCS_FIBRE_AT_WARP && dcs_emulated_warp_is_there(all, t)) {
        int first = t / DCS_EMULATED_WARP * DCS_EMULATED_WARP;
        dcs_emulated_release(all, first, first + DCS_EMULATED_WARP, DCS_FIBRE_AT_WARP,
                             all.list[t].lanes);
      }
    if (dcs_emulated_count(all, DCS_FIBRE_RUNS) > 0) continue;
    if (dcs_emulated_count(all, DCS_FIBRE_AT_WARP) > 0) return 0;
#if DCS_WATCHED
    dcs_emulated_watch.together(dcs_emulated_watch.context);
#endif
    dcs_emulated_release(all, 0, all.n, DCS_FIBRE_AT_BARRIER, 0);
  }
  return 1;
}

template <class... A>
static inline int dcs_emulated_fibre_block(void (*kernel)(A...), const int block[3], void **args) {
  const dcs_emulated_fibres &all = dcs_emulated_block_fibres;
  dcs_emulated_start_kernel = reinterpret_cast<void (*)()>(kernel);
  dcs_emulated_start_args = args;
  for (int t = 0; t < all.n; t++) {
    dcs_emulated_fibre *fibre = &all.list[t];
    fibre->state = DCS_FIBRE_RUNS;
    fibre->index = {(unsigned)(t % block[0]), (unsigned)(t / block[0] % block[1]),
                    (unsigned)(t / block[0] / block[1])};
#if DCS_WATCHED
    char *stack = dcs_emulated_stack(all, t);
    fibre->path = {t, stack, stack + DCS_EMULATED_STACK, {}, 0};
#endif
    fibre->next = fibre->start;
  }
  return dcs_emulated_run_fibres(all);
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

/* As DCS_EMULATED_ENTRY says of its results. */
template <class... A>
static inline int dcs_emulated_blocks(void (*kernel)(A...), const int64_t grid[3],
                                      const int block[3], void **args) {
  gridDim = {(unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2]};
  blockDim = {(unsigned)block[0], (unsigned)block[1], (unsigned)block[2]};
  int64_t blocks = grid[0] * grid[1] * grid[2];
  for (int64_t b = 0; b < blocks; b++) {
    int64_t at = DCS_EMULATED_BACKWARDS ? blocks - 1 - b : b;
#if DCS_WATCHED
    if (!dcs_emulated_watch.block(dcs_emulated_watch.context, at)) continue;
#endif
    blockIdx = {(unsigned)(at % grid[0]), (unsigned)(at / grid[0] % grid[1]),
                (unsigned)(at / grid[0] / grid[1])};
    if (!DCS_EMULATED_FIBRES)
      dcs_emulated_loop_block(kernel, block, args);
    else if (!dcs_emulated_fibre_block(kernel, block, args))
      return -1;
  }
  return 1;
}

template <class... A>
static inline int dcs_emulated_grid(void (*kernel)(A...), const int64_t grid[3], const int block[3],
                                    void **args) {
  dcs_emulated_fibres *all = &dcs_emulated_block_fibres;
  *all = {nullptr, nullptr, block[0] * block[1] * block[2]};
  if (DCS_EMULATED_FIBRES) {
    all->list = static_cast<dcs_emulated_fibre *>(malloc(all->n * sizeof(dcs_emulated_fibre)));
    all->stacks = static_cast<char *>(malloc(all->n * static_cast<size_t>(DCS_EMULATED_STACK)));
  }
  int result = 0;
  if (!DCS_EMULATED_FIBRES || (all->list && all->stacks)) {
    for (int t = 0; DCS_EMULATED_FIBRES && t < all->n; t++)
      dcs_emulated_make_fibre<A...>(&all->list[t], dcs_emulated_stack(*all, t));
    result = dcs_emulated_blocks(kernel, grid, block, args);
  }
  free(all->list);
  free(all->stacks);
  return result;
}

/* Bytes of each argument, closed by 0. */
template <class... A> static inline const size_t *dcs_emulated_sizes(void (*)(A...)) {
  static const size_t sizes[] = {sizeof(A)..., 0};
  return sizes;
}

/* The run returns 1, or 0 where memory for the threads of a block is short and nothing was run, or
 * -1 where threads of a block waited for others that did not come. */
/* Declared again, so that a kernel without extern "C" does not compile: a card would not find it.
 */
#define DCS_EMULATED_ENTRY(kernel)                                                                 \
  extern "C" decltype(kernel) kernel;                                                              \
  extern "C" const size_t *dcs_emulated_sizes_of_##kernel() {                                      \
    return dcs_emulated_sizes(kernel);                                                             \
  }                                                                                                \
  extern "C" int dcs_emulated_run_##kernel(const int64_t grid[3], const int block[3],              \
                                           void **args) {                                          \
    return dcs_emulated_grid(kernel, grid, block, args);                                           \
  }
