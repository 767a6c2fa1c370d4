/* The emulated device: how a kernel is watched. This text stands before emulator.h in the builds of
 * a device with an observer; those of others have none of it.
 *
 * The kernel is compiled with the calls that the thread sanitizer wants before every load and store
 * (-fsanitize=thread, without its library: the functions are here) and with a call at the start of
 * each basic block (-fsanitize-coverage=trace-pc). So nothing in a source is rewritten, pointers,
 * members and arrays are all seen, and a call's return address tells file and line by the debug
 * information, in headers too. Without optimisation (-O0), so that the loads and stores are those
 * of the source, each as often as the source says; what a card's compiler merges or hoists is still
 * apart. A variable of a thread lies on its stack, or in no memory at all: it is left out here, as
 * it is in registers on a card.
 *
 * The sanitizer forgets whole structs that are passed to or returned from functions. The vector
 * types, which kernels do this with, tell of their copies themselves. */
#include <stdint.h>
#include <string.h>

#ifdef __clang__ /* which leaves out loads that a store to the same place follows */
#error "kernels are watched in builds of g++ alone: set CXX to it"
#endif

#define DCS_WATCHED 1

/* As dcs_seen_kind has them. */
enum {
  DCS_EMULATED_STEP,
  DCS_EMULATED_LOAD,
  DCS_EMULATED_STORE,
  DCS_EMULATED_ATOMIC,
  DCS_EMULATED_FENCE,
  DCS_EMULATED_WARP_BARRIER,
  DCS_EMULATED_BARRIER
};

/* Filled in by the host. */
extern "C" struct dcs_emulated_watch_functions {
  void *context;
  int (*block)(void *context, int64_t block); /* whether to run it */
  int (*seen)(void *context, int thread, int kind, uint64_t code, uint64_t calls, uint32_t depth,
              uint64_t address, uint32_t bytes); /* 0: it cannot be done; the thread is to end */
  void (*together)(void *context); /* all threads have come to a barrier or to their end */
} dcs_emulated_watch = {};

#define DCS_UNWATCHED __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))
#define DCS_HOOK      extern "C" __attribute__((visibility("hidden"))) DCS_UNWATCHED void

/* The thread that runs: its number, the lowest and highest address of its stack, and the calls that
 * it is in, each a hash of those before. */
enum { DCS_EMULATED_CALLS = 64 };
struct dcs_emulated_path {
  int thread;
  const char *stack, *stack_end;
  uint64_t calls[DCS_EMULATED_CALLS];
  int n_calls;
};
static dcs_emulated_path *dcs_emulated_now; /* NULL: no kernel runs */

static void dcs_emulated_end_thread();

DCS_UNWATCHED static void dcs_emulated_tell(int kind, const void *code, const void *frame,
                                            const void *address, uint32_t bytes) {
  const dcs_emulated_path *now = dcs_emulated_now;
  if (!now) return;
  const char *at = static_cast<const char *>(address);
  if (at >= now->stack && at < now->stack_end) return;
  int n = now->n_calls < DCS_EMULATED_CALLS ? now->n_calls : DCS_EMULATED_CALLS;
  uint64_t calls = n > 0 ? now->calls[n - 1] : 0;
  uint32_t depth = (uint32_t)(now->stack_end - static_cast<const char *>(frame));
  if (!dcs_emulated_watch.seen(dcs_emulated_watch.context, now->thread, kind, (uint64_t)code, calls,
                               depth, (uint64_t)at, bytes))
    dcs_emulated_end_thread();
}

/* Of a function that a kernel calls: what it does is done where it was called from. */
#define DCS_TELL(kind, address, bytes)                                                             \
  dcs_emulated_tell(kind, __builtin_return_address(0), __builtin_frame_address(0), address, bytes)

/* More than a card moves for a thread at once is moved in parts. */
#define DCS_TELL_ALL(kind, address, bytes)                                                         \
  do {                                                                                             \
    const char *first_ = reinterpret_cast<const char *>(address);                                  \
    uint32_t bytes_ = (uint32_t)(bytes);                                                           \
    uint32_t part_ = (bytes_ | (uintptr_t)first_) % 16 == 0  ? 16                                  \
                     : (bytes_ | (uintptr_t)first_) % 8 == 0 ? 8                                   \
                     : (bytes_ | (uintptr_t)first_) % 4 == 0 ? 4                                   \
                                                             : 1;                                  \
    for (uint32_t b_ = 0; b_ < bytes_; b_ += part_)                                                \
      DCS_TELL(kind, first_ + b_, part_);                                                          \
  } while (0)

DCS_HOOK __tsan_init() {
}
DCS_HOOK __tsan_func_entry(void *caller) {
  dcs_emulated_path *now = dcs_emulated_now;
  if (!now) return;
  uint64_t before =
      now->n_calls > 0 && now->n_calls <= DCS_EMULATED_CALLS ? now->calls[now->n_calls - 1] : 0;
  if (now->n_calls < DCS_EMULATED_CALLS)
    now->calls[now->n_calls] = (before ^ (uint64_t)caller) * 0x9e3779b97f4a7c15u;
  now->n_calls++;
}
DCS_HOOK __tsan_func_exit() {
  if (dcs_emulated_now) dcs_emulated_now->n_calls--;
}
DCS_HOOK __sanitizer_cov_trace_pc() {
  DCS_TELL(DCS_EMULATED_STEP, nullptr, 0);
}

#define DCS_ACCESS_HOOKS(bytes)                                                                    \
  DCS_HOOK __tsan_read##bytes(void *at) {                                                          \
    DCS_TELL(DCS_EMULATED_LOAD, at, bytes);                                                        \
  }                                                                                                \
  DCS_HOOK __tsan_write##bytes(void *at) {                                                         \
    DCS_TELL(DCS_EMULATED_STORE, at, bytes);                                                       \
  }                                                                                                \
  DCS_HOOK __tsan_unaligned_read##bytes(void *at) {                                                \
    DCS_TELL(DCS_EMULATED_LOAD, at, bytes);                                                        \
  }                                                                                                \
  DCS_HOOK __tsan_unaligned_write##bytes(void *at) {                                               \
    DCS_TELL(DCS_EMULATED_STORE, at, bytes);                                                       \
  }
DCS_ACCESS_HOOKS(1)
DCS_ACCESS_HOOKS(2)
DCS_ACCESS_HOOKS(4)
DCS_ACCESS_HOOKS(8)
DCS_ACCESS_HOOKS(16)
DCS_HOOK __tsan_read_range(void *at, unsigned long bytes) {
  DCS_TELL_ALL(DCS_EMULATED_LOAD, at, bytes);
}
DCS_HOOK __tsan_write_range(void *at, unsigned long bytes) {
  DCS_TELL_ALL(DCS_EMULATED_STORE, at, bytes);
}

/* ---- what emulator.h leaves open ---- */

/* Sections of their own, so that the host knows a variable's space by its address. Each begins with
 * something that no kernel knows, so that no variable shares its address with the section's name.
 */
#define __constant__ __attribute__((section("dcs_constant")))
#define __shared__   static __attribute__((section("dcs_shared")))
#define DCS_SECTION(name)                                                                          \
  static char name##_first[128] __attribute__((section(#name), used, aligned(128)));               \
  extern char name##_begin[] __asm__("__start_" #name) __attribute__((visibility("hidden")));      \
  extern char name##_end[] __asm__("__stop_" #name) __attribute__((visibility("hidden")));
DCS_SECTION(dcs_constant)
DCS_SECTION(dcs_shared)
extern "C" const char *const dcs_emulated_spaces[4] = {dcs_constant_begin, dcs_constant_end,
                                                       dcs_shared_begin, dcs_shared_end};

/* What a vector type of elements T has besides them: copies that are told of, and what else it then
 * needs. */
#define DCS_VECTOR(type, T)                                                                        \
  type() = default;                                                                                \
  DCS_UNWATCHED type(const type &from) {                                                           \
    memcpy(static_cast<void *>(this), &from, sizeof from);                                         \
    DCS_TELL_ALL(DCS_EMULATED_LOAD, &from, sizeof from);                                           \
    DCS_TELL_ALL(DCS_EMULATED_STORE, this, sizeof from);                                           \
  }                                                                                                \
  DCS_UNWATCHED type &operator=(const type &from) {                                                \
    memcpy(static_cast<void *>(this), &from, sizeof from);                                         \
    DCS_TELL_ALL(DCS_EMULATED_LOAD, &from, sizeof from);                                           \
    DCS_TELL_ALL(DCS_EMULATED_STORE, this, sizeof from);                                           \
    return *this;                                                                                  \
  }                                                                                                \
  template <class... Rest> DCS_UNWATCHED type(T first, Rest... rest) {                             \
    const T all[sizeof(type) / sizeof(T)] = {first, T(rest)...};                                   \
    memcpy(static_cast<void *>(this), all, sizeof all);                                            \
  }
