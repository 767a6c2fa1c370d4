/* AVX2: tiles of points in registers, eight lanes.
 *
 * Idea: the processor's 12-bit estimate of 1/sqrt leaves one Newton step to do.
 * Derives from: cpu_simd.
 * Per evaluation: 5 + 2/4 operations (dx and dx^2 are shared by four rows; a sum, the reciprocal
 *   square root, an FMA), in 6.5 vector instructions for eight evaluations; loads: for a tile of 64
 *   points an atom's x and q, and a dy^2 + dz^2 for each row.
 * Parameters: threads (1..1024), which share the tiles.
 * Limits: an x86-64 CPU with AVX2 and FMA. The map is computed in tiles of 16 x 4 points, at the
 *   end of a row also of 8 x 4, so short rows waste work. */

/* 8 sums, 2 dx^2, the charge, the constant 3: a larger tile does not fit in 16 registers. */
#define TILE_VECTORS 2
#define TILE_ROWS    4

#include "kernels/common/rsqrt_avx2.h"

#ifdef __x86_64__
/* Fused into each row's addition, dx * dx would move these additions to the units that the estimate
 * and the Newton step already keep busy. */
#define TILE_SEPARATE(v) __asm__("" : "+x"(v))
#define TILE_OPAQUE(v)   __asm__ volatile("" : "+x"(v))
#endif

#include "kernels/coulomb/cpu/tile.h"

#include "kernels/common/probe_loops.h"

static const char *const sources[] = {"kernels/coulomb/cpu/avx2.c",
                                      "kernels/coulomb/cpu/tile.h",
                                      "kernels/common/rsqrt_avx2.h",
                                      "kernels/common/cpu.c",
                                      "kernels/common/cpu.h",
                                      "kernels/coulomb/coulomb.h",
                                      NULL};

const dcs_variant dcs_variant_cpu_avx2 = {
    .id = "cpu_avx2",
    .kind = "coulomb",
    .sources = sources,
    .idea = "tiles of points in registers, AVX2, 1/sqrt by a 12-bit estimate and one Newton step",
    .backend = DCS_CPU,
    .params = dcs_cpu_params,
    .n_params = 1,
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .available = dcs_cpu_has_avx2,
    .applicable = dcs_cpu_applicable,
    .executed = tile_executed,
    .flops_per_eval = tile_flops_per_eval,
    .longest_sum = dcs_cpu_longest_sum_blocks,
    .compute = TILE_COMPUTE,
};

const dcs_probe dcs_probe_avx2 = {
    .isa = "avx2",
    .lanes = TILE_BYTES / (int)sizeof(float),
    .available = dcs_cpu_has_avx2,
    .evals = tile_evals_loop,
    .rsqrt = tile_rsqrt_loop,
    .fma = tile_fma_loop,
};
