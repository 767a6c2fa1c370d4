/* What the descriptors of orbitals share. */
#ifndef DCS_CUDA_ORBITAL_LAUNCH_H
#define DCS_CUDA_ORBITAL_LAUNCH_H

#include "kernels/orbital/orbital.h"

/* The points of a block: `x` by `y` threads, of points[1] rows and points[2] slices each. */
typedef struct {
  int x, y, points[3];
} dcs_orbital_block_shape;

/* Whether blocks are legal and as few as CUDA allows, and points and shells are few enough to be
 * counted by int; when not, says why. */
bool dcs_orbital_fits(const dcs_problem *problem, dcs_orbital_block_shape shape,
                      char why[DCS_TEXT]);

/* The points that blocks compute, padding included. */
dcs_dims dcs_orbital_padded(const dcs_problem *problem, dcs_orbital_block_shape shape);
void dcs_orbital_count(const dcs_problem *problem, dcs_dims executed, dcs_candidates *found);

/* One launch of all shells and slices. */
void dcs_orbital_plan(const dcs_problem *problem, dcs_orbital_block_shape shape, dcs_plan *plan);

/* The same of all terms, of blocks of so many warps. */
void dcs_orbital_terms_plan(const dcs_problem *problem, dcs_orbital_block_shape shape, int warps,
                            dcs_plan *plan);

/* Launches of `chunk` shells each, in constant memory, which add to the map. */
void dcs_orbital_constant_plan(const dcs_problem *problem, dcs_orbital_block_shape shape,
                               int64_t chunk, dcs_plan *plan);

/* Shells that constant memory, 64 KB, has room for. */
enum { DCS_ORBITAL_CONSTANT = 65536 / sizeof(dcs_orbital_shell) };

/* Terms of a primitive of the built-in basis on average: of kernels/orbital/orbital.h. */
#define DCS_ORBITAL_TERMS_OF_ONE 1.125

/* The files that these come from, for a descriptor's sources. */
#define DCS_ORBITAL_SOURCES                                                                        \
  "kernels/orbital/cuda/orbital.cuh", "kernels/orbital/cuda/launch.c",                             \
      "kernels/orbital/cuda/launch.h", "kernels/orbital/orbital.h"

#endif
