/* How long a method takes on a map of any size: a sum of a few costs, fitted to the sizes at which
 * it was measured. */
#ifndef DCS_COST_H
#define DCS_COST_H

#include "kernels/dcs.h"

/* A map, as far as its time depends on it. */
typedef struct {
  int64_t atoms;
  dcs_dims n;             /* points */
  double spacing, cutoff; /* angstrom. cutoff 0: the whole sum, whatever the spacing */
} dcs_size;

/* The share of the atoms that a point has within the cutoff, as it is on average where the atoms
 * fill the box of the grid evenly; 1 of the whole sum. The ball around a point is taken for a cube
 * of its volume: in a cube of 2 cutoffs and more the share is right to 5%, in a slab of one slice a
 * sixth too small. */
double dcs_size_share(const dcs_size *size);

/* How a method cuts a map into work. */
typedef struct {
  int64_t tile[3]; /* points of a block, or of a CPU kernel's tile */
  int64_t slices;  /* of a launch; 0: all */
  int64_t chunk;   /* atoms of a launch; 0: all */
  bool blocks;     /* blocks share the points of a launch among them */
} dcs_tiling;

dcs_tiling dcs_tiling_of(const dcs_variant *variant, const dcs_config *config);
bool dcs_tiling_equal(const dcs_tiling *a, const dcs_tiling *b);

/* What is paid for, in ns each: a map, a launch, an atom of a group of slices, the same once for
 * each wave of blocks, an evaluation (padding included; within a cutoff those of dcs_size_share()),
 * an evaluation of launches with more than `together` blocks on top of that, a point. */
enum {
  DCS_COST_MAP,
  DCS_COST_LAUNCH,
  DCS_COST_POINT,
  DCS_COST_ATOM,
  DCS_COST_WAVE,
  DCS_COST_EVAL,
  DCS_COST_LATE_EVAL,
  DCS_COST_TERMS
};
extern const char *const dcs_cost_names[DCS_COST_TERMS]; /* "ns_map", ... */

typedef struct {
  dcs_tiling shape;
  double resident; /* blocks that make a wave; 0: waves are not counted */
  double together; /* more blocks drift apart, and atoms fall out of the constant cache; 0: never */
  double ns[DCS_COST_TERMS];
  double least_ns_eval;             /* no evaluation is expected to take less; 0: not known */
  double cutoff_least, cutoff_most; /* that it was measured at, angstrom; both 0: whole sums */
} dcs_cost;

/* How far a cutoff may be beyond those that a method was measured at: a factor of 2 in the volume,
 * so in the pairs. What a pair and what a point costs cannot be told apart at one cutoff. */
#define DCS_COST_CUTOFF_FACTOR 1.26

/* ns of one map; INFINITY where its cutoff is too far from those that were measured. */
double dcs_cost_ns(const dcs_cost *cost, const dcs_size *size);

/* Evaluations that the method carries out on a map, padding included. */
double dcs_cost_evals(const dcs_tiling *shape, const dcs_size *size);

/* A measured time. */
typedef struct {
  dcs_size size;
  double ns;     /* above 0 */
  double weight; /* 1, or less for the times of a method that is only like this one */
} dcs_cost_sample;

/* Least squares of the relative errors, no cost below 0. Waves and drifting are multiples of the
 * card's multiprocessors (0: none are tried) and taken where they explain the times better. samples
 * is not empty: all of whole sums, or all within cutoffs. least_ns_eval is left 0. */
void dcs_cost_fit(const dcs_cost_sample *samples, size_t n, const dcs_tiling *shape, int sm_count,
                  dcs_cost *cost);

#endif
