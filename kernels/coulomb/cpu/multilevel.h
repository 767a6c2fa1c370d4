/* The steps of a multilevel summation on the CPU; see kernels/coulomb/multilevel.h. Arrays of a box
 * have x fastest. Nothing that they compute depends on the number of threads. */
#ifndef DCS_CPU_MULTILEVEL_H
#define DCS_CPU_MULTILEVEL_H

#include "kernels/coulomb/multilevel.h"

/* ---- anterpolation ---- */

/* The atoms by the first level whose charges reach them, and within a level by their planes of
 * nodes. */
typedef struct {
  int32_t *atom;                     /* numbers */
  int32_t *start;                    /* of each plane: its first, of all levels in a row */
  int plane[DCS_ML_MOST_LEVELS + 2]; /* of each level: its first; the last is of the atoms beyond
                                        all levels, which have one plane */
} dcs_ml_atoms;

/* False: no memory. The caller frees. */
bool dcs_multilevel_sort(const dcs_multilevel *m, const dcs_problem *problem, dcs_ml_atoms *atoms);
void dcs_multilevel_free(dcs_ml_atoms *atoms);

/* Adds the charges of the atoms that begin with this level. */
void dcs_multilevel_spread(const dcs_multilevel *m, const dcs_problem *problem,
                           const dcs_ml_atoms *atoms, int level, int threads, float *charge);

/* ---- restriction, prolongation, interpolation, filter ---- */

/* What is made of what. */
typedef enum {
  DCS_ML_FILTER,   /* of a level's charges: those of cardinal splines */
  DCS_ML_RESTRICT, /* of a level's charges: those of the next one */
  DCS_ML_PROLONG,  /* of the next level's potential: a level's */
  DCS_ML_POINTS    /* of level 0's potential: the map, of a slab of the grid, too */
} dcs_ml_what;

/* Dimension after dimension: in becomes out, which is overwritten or (adds) added to. False: no
 * memory. */
bool dcs_multilevel_resample(const dcs_multilevel *m, const dcs_problem *problem, dcs_ml_what what,
                             int level, int threads, const float *in, bool adds, float *out);

/* ---- lattice cutoff ---- */

/* Potential of the level's own part, overwritten, with the weights of dcs_multilevel_weights() for
 * it. `isa`: of DCS_CPU_ISA, one that this machine has. False: no memory. */
bool dcs_multilevel_convolve(const dcs_multilevel *m, int level, const float *weights, int threads,
                             int isa, const float *charge, float *potential);

#endif
