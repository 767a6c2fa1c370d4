/* How long a method takes on a map of any size: a sum of a few costs, fitted to the sizes at which
 * it was measured. */
#ifndef DCS_COST_H
#define DCS_COST_H

#include "kernels/dcs.h"

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
 * each wave of blocks, an evaluation (padding included), an evaluation of launches with more than
 * `together` blocks on top of that, a point. */
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
  double least_ns_eval; /* no evaluation is expected to take less; 0: not known */
} dcs_cost;

/* ns of one map. */
double dcs_cost_ns(const dcs_cost *cost, int64_t atoms, dcs_dims n);

/* Evaluations that the method carries out on a map, padding included. */
double dcs_cost_evals(const dcs_tiling *shape, int64_t atoms, dcs_dims n);

/* A measured time. */
typedef struct {
  int64_t atoms;
  dcs_dims n;
  double ns;     /* above 0 */
  double weight; /* 1, or less for the times of a method that is only like this one */
} dcs_cost_sample;

/* Least squares of the relative errors, no cost below 0. Waves and drifting are multiples of the
 * card's multiprocessors (0: none are tried) and taken where they explain the times better. samples
 * is not empty. least_ns_eval is left 0. */
void dcs_cost_fit(const dcs_cost_sample *samples, size_t n, const dcs_tiling *shape, int sm_count,
                  dcs_cost *cost);

#endif
