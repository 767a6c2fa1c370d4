/* What is claimed of Born radii on GPUs, in our own words. */
#include "kernels/claims.h"

#include <math.h>

/* Of molecules that fill a card with a thread an atom. */
#define LARGE .least_size = 50000

static const dcs_kind_claim list[] = {
    {.id = "born_85_percent_of_issue",
     .source = "a goal of this project",
     .text = "The fastest kernel takes 85% of the measured rate of the unit that binds, by what a "
             "far pair must have.",
     .lo = 0.85,
     .hi = INFINITY,
     .partly_lo = INFINITY,
     LARGE},
    {.id = "born_block_beats_thread",
     .source = "a prediction of this project: 4,096 threads leave most of a card idle, 100,000 do "
               "not",
     .text = "A block an atom, whose threads' sums are reduced, is faster than a thread an atom.",
     .method = {"cuda_born_block"},
     .base = {"cuda_born_thread"},
     .lo = 1.02,
     .hi = INFINITY,
     .partly_lo = INFINITY,
     .least_size = 1000},
    {.id = "born_tiles_beat_thread",
     .source = "a prediction of this project: what a sphere alone tells is computed once for "
               "several atoms, and most pairs are remote",
     .text = "Tiles of spheres that several atoms of a thread share are at least twice as fast as "
             "a thread an atom.",
     .method = {"cuda_born_tiles"},
     .base = {"cuda_born_thread"},
     .lo = 2,
     .hi = INFINITY,
     .partly_lo = 1.02,
     LARGE}};

const dcs_kind_claims dcs_claims_born = {"born", list, sizeof list / sizeof list[0]};
