/* What is claimed of orbitals on GPUs, in our own words. */
#include "kernels/claims.h"

#include <math.h>

#define STONE                                                                                      \
  "Stone, Saam, Hardy, Vandivort, Hwu, Schulten: High performance computation and interactive "    \
  "display of molecular orbitals on GPUs and multi-core CPUs, GPGPU-2, 2009"

/* 32 atoms on 128^3 points, or so: a card has work. */
#define LARGE .least_size = 32.0 * 128.0 * 128.0 * 128.0

static const dcs_kind_claim list[] = {
    {.id = "orbital_80_percent_of_fma",
     .source = "a goal of this project",
     .text = "The fastest kernel takes 80% of the measured rate of the unit that multiplies, by "
             "what its terms must have.",
     .lo = 0.8,
     .hi = INFINITY,
     .partly_lo = INFINITY,
     LARGE},
    {.id = "orbital_compiled_40_percent",
     .source = STONE,
     .text = "A kernel compiled for the molecule's basis is 1.4 times as fast as one that reads it "
             "from constant memory.",
     .method = {"cuda_orbital_compiled"},
     .base = {"cuda_orbital_constant"},
     .lo = 1.26,
     .hi = 1.54,
     .partly_lo = 1.02,
     LARGE},
    {.id = "orbital_products_beat_powers",
     .source = "a prediction of this project: a power of two takes the time of 8 multiply-adds",
     .text = "Tables of Gaussians in x, y and z are at least twice as fast as a power of two for "
             "each primitive and point.",
     .method = {"cuda_orbital_shared"},
     .base = {"cuda_orbital_constant"},
     .lo = 2,
     .hi = INFINITY,
     .partly_lo = 1.02,
     LARGE},
    {.id = "orbital_tensor_cores",
     .source = "a prediction of this project: three products in TF32 for one of single precision",
     .text = "The product on tensor cores, each number as a sum of two, is at least 1.5 times as "
             "fast as by multiply-adds.",
     .method = {"cuda_orbital_wgmma"},
     .base = {"cuda_orbital_shared"},
     .lo = 1.5,
     .hi = INFINITY,
     .partly_lo = 1.02,
     LARGE}};

const dcs_kind_claims dcs_claims_orbital = {"orbital", list, sizeof list / sizeof list[0]};
