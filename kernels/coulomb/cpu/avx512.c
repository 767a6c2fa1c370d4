/* AVX-512: tiles of points in registers, sixteen lanes.
 *
 * Idea: twice the lanes, and twice the registers, with operands broadcast from memory for free;
 *   so a tile is one vector wide and tall: dx^2 is shared by more rows.
 * Derives from: cpu_avx2; the estimate has 14 bits.
 * Per evaluation: 5 + 2/8 operations (dx and dx^2 are shared by eight rows; a sum, the reciprocal
 *   square root, an FMA), in 6.25 vector instructions for sixteen evaluations; loads: for a tile of
 *   128 points an atom's x and q, and a dy^2 + dz^2 for each row.
 * Parameters: threads (1..1024), which share the tiles.
 * Limits: an x86-64 CPU with AVX-512F and FMA. The map is computed in tiles of 16 x 8 points, so
 * short rows and few rows waste work. */

#define TILE_VECTORS 1
#define TILE_ROWS    8

#include "kernels/common/rsqrt_avx512.h"

#ifdef __x86_64__
/* A row's addition takes its operand from memory; fused with dx * dx it would need a load first. */
#define TILE_SEPARATE(v) __asm__("" : "+v"(v))
#define TILE_OPAQUE(v)   __asm__ volatile("" : "+v"(v))
#endif

#include "kernels/coulomb/cpu/tile.h"

#include "kernels/common/probe_loops.h"

static const char *const sources[] = {"kernels/coulomb/cpu/avx512.c",
                                      "kernels/coulomb/cpu/tile.h",
                                      "kernels/common/rsqrt_avx512.h",
                                      "kernels/common/cpu.c",
                                      "kernels/common/cpu.h",
                                      "kernels/coulomb/coulomb.h",
                                      NULL};

const dcs_variant dcs_variant_cpu_avx512 = {
    .id = "cpu_avx512",
    .kind = "coulomb",
    .sources = sources,
    .idea =
        "tiles of points in registers, AVX-512, 1/sqrt by a 14-bit estimate and one Newton step",
    .backend = DCS_CPU,
    .params = dcs_cpu_params,
    .n_params = 1,
    .solves = dcs_solves_direct,
    .accurate = dcs_direct_accurate,
    .available = dcs_cpu_has_avx512,
    .applicable = dcs_cpu_applicable,
    .executed = tile_executed,
    .flops_per_eval = tile_flops_per_eval,
    .longest_sum = dcs_cpu_longest_sum_blocks,
    .compute = TILE_COMPUTE,
};

const dcs_probe dcs_probe_avx512 = {
    .isa = "avx512",
    .lanes = TILE_BYTES / (int)sizeof(float),
    .available = dcs_cpu_has_avx512,
    .evals = tile_evals_loop,
    .rsqrt = tile_rsqrt_loop,
    .fma = tile_fma_loop,
};
