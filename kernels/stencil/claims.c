/* What is claimed of stencils on GPUs, in our own words. */
#include "kernels/claims.h"

#include <math.h>

#define MICIKEVICIUS                                                                               \
  "Micikevicius: 3D finite difference computation on GPUs using CUDA, GPGPU-2, 2009"
#define FASTER .lo = 1.02, .hi = INFINITY, .partly_lo = INFINITY

/* Of grids that no cache holds. */
#define LARGE .least_size = 256.0 * 256.0 * 256.0

static const dcs_kind_claim list[] = {
    {.id = "stencil_85_percent_of_memory",
     .source = "a goal of this project",
     .text = "The fastest kernel takes 85% of the measured memory bandwidth, by the bytes that it "
             "must move.",
     .lo = 0.85,
     .hi = INFINITY,
     .partly_lo = INFINITY,
     LARGE},
    {.id = "stencil_shared_beats_global",
     .source = MICIKEVICIUS,
     .text = "A tile in shared memory is faster than neighbours from global memory.",
     .method = {"cuda_stencil_shared"},
     .base = {"cuda_stencil_naive"},
     FASTER,
     LARGE},
    {.id = "stencil_registers_beat_shared",
     .source = MICIKEVICIUS ", which has columns in registers",
     .text = "Columns that move through registers are faster than a tile of each slice in shared "
             "memory.",
     .method = {"cuda_stencil_register"},
     .base = {"cuda_stencil_shared"},
     FASTER,
     LARGE},
    {.id = "stencil_halo_by_threads",
     .source = MICIKEVICIUS ", where threads load the halo",
     .text = "Loading the halo into shared memory is faster than reading past the tile.",
     .method = {"cuda_stencil_shared", "halo=threads"},
     .base = {"cuda_stencil_shared", "halo=past"},
     FASTER,
     LARGE}};

const dcs_kind_claims dcs_claims_stencil = {"stencil", list, sizeof list / sizeof list[0]};
