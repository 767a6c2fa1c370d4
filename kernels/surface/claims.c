/* What is claimed of surfaces on GPUs, in our own words. */
#include "kernels/claims.h"

#include <math.h>

/* Of maps that a card takes longer for than for launches. */
#define LARGE .least_size = 256.0 * 256.0 * 256.0

static const dcs_kind_claim list[] = {
    {.id = "surface_dozens_of_a_thread",
     .source = "Yang, Yun, Guan, Gao: rupMC, Int. J. Digital Earth 17 (2024), which is dozens of "
               "times as fast as serial marching cubes",
     .text = "Marching cubes on a GPU is 24 times as fast as by one thread of a CPU, or more.",
     .method = {"cuda_surface"},
     .base = {"cpu_surface", "threads=1"},
     .lo = 24,
     .hi = INFINITY,
     .partly_lo = 1.02,
     LARGE},
    {.id = "surface_levels_beat_one_block",
     .source = "Harris, Sengupta, Owens: Parallel prefix sum with CUDA, GPU Gems 3, 2007, which "
               "scans the blocks' sums as it scans the blocks",
     .text = "Scanning the blocks' sums in levels is faster than by one block.",
     .method = {"cuda_surface", "scan=levels"},
     .base = {"cuda_surface", "scan=block"},
     .lo = 1.02,
     .hi = INFINITY,
     .partly_lo = INFINITY,
     LARGE}};

const dcs_kind_claims dcs_claims_surface = {"surface", list, sizeof list / sizeof list[0]};
