/* Portable vector code: tiles of points in registers, four lanes.
 *
 * Idea: several sums advance at once, in registers, and 1/sqrt becomes a guess from the bits of
 *   r^2 and three Newton steps, so there is neither square root nor division.
 * Derives from: cpu_gather in the order of loops, cpu_scatter_hoisted in the shared distances.
 * Per evaluation: 5 + 2/4 operations (dx and dx^2 are shared by four rows; a sum, the reciprocal
 *   square root, a multiply-add), in 17.5 vector instructions for four evaluations, 13.5 where the
 *   CPU fuses multiply and add; loads: for a tile of 32 points an atom's x and q, and a
 *   dy^2 + dz^2 for each row.
 * Parameters: threads (1..1024), which share the tiles.
 * Limits: none; any compiler with vector extensions, any CPU. The map is computed in tiles of
 *   8 x 4 points, at the end of a row also of 4 x 4, so short rows waste work. */

#define TILE_VECTORS 2
#define TILE_ROWS    4

#include "kernels/common/rsqrt_portable.h"

#define TILE_SEPARATE(v)
#if defined __x86_64__
#define TILE_OPAQUE(v) __asm__ volatile("" : "+x"(v))
#elif defined __aarch64__
#define TILE_OPAQUE(v) __asm__ volatile("" : "+w"(v))
#else
#define TILE_OPAQUE(v) __asm__ volatile("" : "+m"(v))
#endif

#include "kernels/coulomb/cpu/tile.h"

#include "kernels/common/probe_loops.h"

static const char *const sources[] = {"kernels/coulomb/cpu/simd.c",
                                      "kernels/coulomb/cpu/tile.h",
                                      "kernels/common/rsqrt_portable.h",
                                      "kernels/common/cpu.c",
                                      "kernels/common/cpu.h",
                                      "kernels/coulomb/coulomb.h",
                                      NULL};

const dcs_variant dcs_variant_cpu_simd = {
    .id = "cpu_simd",
    .kind = "coulomb",
    .sources = sources,
    .idea = "tiles of points in registers, portable vectors, 1/sqrt by a bit-level guess and three "
            "Newton steps",
    .backend = DCS_CPU,
    .params = dcs_cpu_params,
    .n_params = 1,
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .applicable = dcs_cpu_applicable,
    .executed = tile_executed,
    .flops_per_eval = tile_flops_per_eval,
    .longest_sum = dcs_cpu_longest_sum_blocks,
    .compute = TILE_COMPUTE,
};

const dcs_probe dcs_probe_portable = {
    .isa = "portable",
    .lanes = TILE_BYTES / (int)sizeof(float),
    .evals = tile_evals_loop,
    .rsqrt = tile_rsqrt_loop,
    .fma = tile_fma_loop,
};
