/* The claims, in our own words. */
#include "harness/judge/ratio.h"
#include "tuning/claims/claims.h"

#include <math.h>

#define BOOK "Kirk, Hwu: Programming Massively Parallel Processors, 2nd ed., chapter 12"
#define KTT                                                                                        \
  "KTT, CoulombSum3d on an RTX 2080 Ti: 4, 8, 17 and 30 of 210 configurations lie within 0.5, 1, " \
  "2 and 5% of the best"
#define TRIAL "a trial of this project on an NVIDIA H200, chunks of 4,000 atoms"

#define FASTER  " Yes: faster by more than 2%. No: by less than that, or slower."
#define ABOUT   ", a tenth either way. Partly: faster by more than 2%, but not so."
#define MISSING "scope kernel of "

/* "N times", said in round numbers, is within a tenth of N. */
#define TIMES(n)                                                                                   \
  { 0.9 * (n), 1.1 * (n), DCS_CHANGE_MARGIN }
#define MORE                                                                                       \
  { DCS_CHANGE_MARGIN, INFINITY, DCS_CHANGE_MARGIN }

/* One method against another at each size; a CPU method, `said` in words, against the GPU. */
#define SPEEDUP .source = BOOK, .unit = "times as fast", .observe = dcs_observe_speedup
#define CPU_WINS(name, side, said)                                                                 \
  .id = name, SPEEDUP, .text = "At 400 atoms or fewer the CPU wins: " said ".",                    \
  .rule = "Sizes of at most 400 atoms: kernel time of the CPU against the fastest GPU method "     \
          "from process start to the map in host memory." FASTER,                                  \
  .missing = MISSING said " at 400 atoms or fewer, and scope first of a GPU variant there",        \
  .method = side, .base = DCS_SIDE_GPU, .scope = DCS_FIRST, .claimed = MORE, .atoms_hi = 400
#define GPU_WINS(name, side, said)                                                                 \
  .id = name, SPEEDUP,                                                                             \
  .text = "Beyond 400 atoms the GPU wins, its start-up included, against " said ".",               \
  .rule = "Sizes of more than 400 atoms: the fastest GPU method from process start to the map "    \
          "in host memory against kernel time of the CPU." FASTER,                                 \
  .missing = MISSING said " beyond 400 atoms, and scope first of a GPU variant there",             \
  .method = DCS_SIDE_GPU, .base = side, .scope = DCS_FIRST, .claimed = MORE, .atoms_lo = 401,      \
  .atoms_hi = INFINITY
#define GPU_TIMES(name, side, said)                                                                \
  .id = name, SPEEDUP, .text = "From 10,000 atoms on the GPU is 44 times as fast as " said ".",    \
  .rule = "Sizes of at least 10,000 atoms: the fastest GPU method, context alive and copies "      \
          "included, against kernel time of the CPU. Yes: 44 times" ABOUT,                         \
  .missing = MISSING said " at 10,000 atoms or more, and scope warm of a GPU variant there",       \
  .method = DCS_SIDE_GPU, .base = side, .scope = DCS_WARM, .claimed = TIMES(44),                   \
  .atoms_lo = 10000, .atoms_hi = INFINITY

#define SEQUENTIAL "the sequential code with 1 thread"
#define VECTOR     "the fastest 1-thread CPU variant beyond the sequential code"
#define PARALLEL   "the fastest CPU variant with all threads"

const dcs_claim dcs_claim_list[] = {
    {.id = "coarsening_40_percent",
     SPEEDUP,
     .text = "Version 2 (several points a thread) is about 40% faster than version 1 (constant "
             "memory, a point a thread).",
     .rule = "Sizes with slices of 300x300 or more: kernel time, the fastest configuration of "
             "each. Yes: 1.4 times" ABOUT,
     .missing = MISSING "versions 1 and 2 at a size with slices of 300x300 or more",
     .method = DCS_SIDE_VERSION_2,
     .base = DCS_SIDE_VERSION_1,
     .edge = 300,
     .claimed = TIMES(1.4)},
    {.id = "padded_best_from_300",
     SPEEDUP,
     .text = "On slices of 300x300 or more version 3 (coalesced, padded) is the fastest of the "
             "three versions.",
     .rule = "Sizes with slices of 300x300 or more: kernel time, version 3 against the faster of "
             "versions 1 and 2, the fastest configuration of each." FASTER,
     .missing = MISSING "versions 1, 2 and 3 at a size with slices of 300x300 or more",
     .method = DCS_SIDE_VERSION_3,
     .base = DCS_SIDE_VERSION_1_OR_2,
     .edge = 300,
     .claimed = MORE},
    {CPU_WINS("cpu_to_400_sequential", DCS_SIDE_SEQUENTIAL, SEQUENTIAL)},
    {GPU_WINS("gpu_beyond_400_sequential", DCS_SIDE_SEQUENTIAL, SEQUENTIAL)},
    {CPU_WINS("cpu_to_400_threads", DCS_SIDE_PARALLEL, PARALLEL)},
    {GPU_WINS("gpu_beyond_400_threads", DCS_SIDE_PARALLEL, PARALLEL)},
    {.id = "start_up_110_ms",
     .source = BOOK,
     .text = "Starting to use the GPU (its context) takes 110 ms.",
     .unit = "ms",
     .rule = "Sizes with scopes first and warm of the method that is fastest in scope first: the "
             "difference of the medians; its interval runs from end to opposite end of theirs, "
             "which is wider than 95% needs. Yes: 110 ms, a tenth either way. No: outside of that.",
     .missing = "scopes first and warm of one method of a GPU at a size",
     .observe = dcs_observe_start_up,
     .claimed = {99, 121, INFINITY}},
    {GPU_TIMES("gpu_44_sequential", DCS_SIDE_SEQUENTIAL, SEQUENTIAL)},
    {GPU_TIMES("gpu_44_vector", DCS_SIDE_VECTOR, VECTOR)},
    {GPU_TIMES("gpu_44_threads", DCS_SIDE_PARALLEL, PARALLEL)},
    {.id = "padding_fades",
     .source = "arithmetic; the padding is that of " BOOK,
     .text = "Padding to tiles of 128x16 (blocks of 16x16 threads, 8 points a thread) adds 43.4% "
             "on a slice of 100x100 and 3.2% on one of 1000x1000.",
     .unit = "% more points (1000x1000)",
     .rule = "The points that version 3 computes, for both slices. Yes: the same tenth of a "
             "percent. No: another. It is the same for every run.",
     .missing = "nothing of a run: this program lacks version 3",
     .observe = dcs_observe_padding},
    {.id = "late_read_saves_registers",
     .source = BOOK,
     .text = "Reading the map's old value after the loop over atoms, and not before, saves "
             "registers.",
     .unit = "registers saved",
     .rule = "Kernels of one size that differ in read alone: registers with read=start less those "
             "with read=end. Yes: one or more saved. No: none.",
     .missing = MISSING "a variant with read=start and read=end, else alike, on a GPU",
     .observe = dcs_observe_registers,
     .claimed = {1, INFINITY, INFINITY}},
    {.id = "late_read_is_faster",
     .source = "what follows from the claim before",
     .text = "Reading the map's old value after the loop over atoms, and not before, is faster.",
     .unit = "times as fast",
     .rule = "Kernels of one size that differ in read alone." FASTER,
     .missing = MISSING "a variant with read=start and read=end, else alike, on a GPU",
     .observe = dcs_observe_late_read,
     .claimed = MORE},
    {.id = "operations_per_evaluation",
     .source = BOOK,
     .text = "An evaluation costs 9 or 10 floating-point operations with a point a thread, 31/4 "
             "with 4, 59/8 with 8.",
     .unit = "operations (a point a thread)",
     .rule = "The operations that versions 1 and 2 state: addition, subtraction, multiplication 1, "
             "FMA 2, reciprocal square root 2. Yes: the same number. No: another. It is the same "
             "for every run.",
     .missing = "nothing of a run: this program lacks versions 1 and 2",
     .observe = dcs_observe_operations},
    {.id = "blocks_matter_twofold",
     .source = TRIAL,
     .text = "With 4,000 atoms in constant memory at a time, the rate of one kernel varies by a "
             "factor of 2 with the shape of the block.",
     .unit = "times as fast",
     .rule = "Kernels with chunk_atoms=4000 and as many atoms or more that differ in the block "
             "alone, four blocks at least: the fastest against the slowest. Yes: 2 times" ABOUT,
     .missing = MISSING "a variant with chunk_atoms=4000 and four blocks, at 4,000 atoms or more",
     .observe = dcs_observe_blocks,
     .claimed = TIMES(2)},
    {.id = "no_single_winner",
     .source = KTT,
     .text = "No single configuration can be named the fastest: others cannot be told from it.",
     .unit = "configurations not told from the fastest, itself included",
     .rule = "Sizes with 10 configurations or more on a GPU, kernel time: those for which the "
             "interval of the ratio to the fastest does not lie above 1. Yes: two or more. No: it "
             "alone.",
     .missing = MISSING "10 configurations on a GPU at a size",
     .observe = dcs_observe_winners,
     .claimed = {2, INFINITY, INFINITY}},
};
const size_t dcs_n_claims = sizeof dcs_claim_list / sizeof dcs_claim_list[0];
