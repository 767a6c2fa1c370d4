/* What is claimed of forces on GPUs, in our own words. */
#include "kernels/claims.h"

#include <math.h>

#define NAMD                                                                                       \
  "Phillips, Stone, Schulten: Adapting a message-driven parallel application to GPU-accelerated "  \
  "clusters, SC 2008"
#define GROMACS                                                                                    \
  "Pall, Hess: A flexible algorithm for calculating pair interactions on SIMD architectures, "     \
  "Comput. Phys. Commun. 184 (2013) 2641"
#define FASTER .lo = 1.02, .hi = INFINITY, .partly_lo = INFINITY

/* Of so many atoms that all of a card has work. */
#define LARGE .least_size = 20000

static const dcs_kind_claim list[] = {
    {.id = "forces_table_beats_arithmetic",
     .source = NAMD ", which looks them up in textures",
     .text = "Radial functions interpolated in a table are faster than computed ones.",
     .method = {"cuda_forces_table"},
     .base = {"cuda_forces_direct"},
     FASTER,
     LARGE},
    {.id = "forces_shared_table_beats_cached",
     .source = "a table so small that shared memory holds it: CUDA's programming guide on caches",
     .text = "A table in shared memory is faster than one that a cache holds.",
     .method = {"cuda_forces_table", "memory=shared"},
     .base = {"cuda_forces_table", "memory=global"},
     FASTER,
     LARGE},
    {.id = "forces_segments_beat_atomics",
     .source =
         "programs that sort pairs and reduce segments, so that no two threads add to one sum",
     .text = "Summing rows of a list that has each pair twice is faster than adding by atomics.",
     .method = {"cuda_forces_pairs", "adding=segments"},
     .base = {"cuda_forces_pairs", "adding=atomics"},
     FASTER,
     LARGE},
    {.id = "forces_clusters_beat_pairs",
     .source = GROMACS,
     .text =
         "Clusters of atoms, pairs beyond the cutoff included, are faster than a list of pairs.",
     .method = {"cuda_forces_direct"},
     .base = {"cuda_forces_pairs"},
     FASTER,
     LARGE}};

const dcs_kind_claims dcs_claims_forces = {"forces", list, sizeof list / sizeof list[0]};
