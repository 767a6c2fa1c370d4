/* What the descriptors of the volume kernels share: a three-dimensional grid of blocks covers the
 * map, a thread computes a brick of coarsen_x points of a row, block_x apart, in coarsen_z adjacent
 * slices. */
#ifndef DCS_CUDA_BRICK_H
#define DCS_CUDA_BRICK_H

#include "kernels/coulomb/cuda/slice.h"

/* The parameters that these kernels have in common, in the order of their configurations; those of
 * one kernel alone come after. Kernels that read atoms from global memory alone have the shape. */
enum {
  DCS_BRICK_BLOCK_X,
  DCS_BRICK_BLOCK_Y,
  DCS_BRICK_COARSEN_X,
  DCS_BRICK_COARSEN_Z,
  DCS_BRICK_N_SHAPE,
  DCS_BRICK_ATOMS = DCS_BRICK_N_SHAPE,
  DCS_BRICK_CHUNK_ATOMS,
  DCS_BRICK_UNROLL,
  DCS_BRICK_N_PARAMS
};

/* Initial values: block, coarsening. */
#define DCS_BRICK_SHAPE(block_x, block_y, coarsen_x, coarsen_z)                                    \
  {"block_x",         "threads of a block in x", 1, 1024, block_x, NULL,                           \
   dcs_tries_brick_x, DCS_ROLE_BLOCK_X},                                                           \
      {"block_y",         "threads of a block in y", 1, 1024, block_y, NULL,                       \
       dcs_tries_brick_y, DCS_ROLE_BLOCK_Y},                                                       \
      {"coarsen_x",                                                                                \
       "points of a row per thread, block_x apart",                                                \
       1,                                                                                          \
       8,                                                                                          \
       coarsen_x,                                                                                  \
       NULL,                                                                                       \
       dcs_tries_coarsen_x,                                                                        \
       DCS_ROLE_COARSEN_X},                                                                        \
  {                                                                                                \
    "coarsen_z", "adjacent slices per thread", 1, 16, coarsen_z, NULL, dcs_tries_coarsen_z         \
  }
#define DCS_BRICK_UNROLLED(initial)                                                                \
  { "unroll", "atoms an iteration of the loop", 1, 8, initial, NULL, dcs_tries_unroll }
/* Initial values: block, coarsening, atoms (0 global, 1 constant), atoms an iteration of the loop.
 */
#define DCS_BRICK_PARAMS(block_x, block_y, coarsen_x, coarsen_z, atoms, unroll)                    \
  DCS_BRICK_SHAPE(block_x, block_y, coarsen_x, coarsen_z),                                         \
      {"atoms", "where the atoms lie", 0, 1, atoms, dcs_brick_atoms, NULL},                        \
      {"chunk_atoms",                                                                              \
       "atoms in constant memory at a time",                                                       \
       1,                                                                                          \
       4096,                                                                                       \
       4000,                                                                                       \
       NULL,                                                                                       \
       dcs_tries_brick_chunk,                                                                      \
       DCS_ROLE_CHUNK},                                                                            \
      DCS_BRICK_UNROLLED(unroll)
/* int: whether the launch adds to the map, which it writes otherwise. */
#define DCS_BRICK_ADDS DCS_OWN_AT(0)
extern const char *const dcs_brick_atoms[]; /* global, constant */
extern const int dcs_tries_brick_x[], dcs_tries_brick_y[], dcs_tries_coarsen_x[],
    dcs_tries_coarsen_z[], dcs_tries_brick_chunk[], dcs_tries_unroll[];

typedef struct {
  int block_x, block_y, coarsen_x, coarsen_z;
  bool constant;
  int64_t chunk_atoms; /* in constant memory */
} dcs_brick;

/* The shape alone, atoms in global memory; the shape and where the atoms lie. */
dcs_brick dcs_brick_shape_of(const dcs_config *config);
dcs_brick dcs_brick_of(const dcs_config *config);

/* Whether the map can be computed in such bricks, `splits` blocks sharing the atoms of each tile in
 * further blocks in z; when not, says why. */
bool dcs_brick_fits(const dcs_problem *problem, dcs_brick brick, int splits, char why[DCS_TEXT]);
/* The launch plan of one launch a chunk, without arguments. */
void dcs_brick_plan_of(const dcs_problem *problem, dcs_brick brick, dcs_plan *plan);

bool dcs_brick_applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]);
/* A thread whose first point lies inside computes its whole brick. */
dcs_dims dcs_brick_executed(const dcs_problem *problem, const dcs_config *config);
int64_t dcs_brick_longest_sum(const dcs_problem *problem, const dcs_config *config);
void dcs_brick_plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan);
/* Of every 16 points of a thread, those in software where that is no parameter. */
enum { DCS_SOFT_SHARE = 5 };
/* Operations an evaluation, with `soft` of every 16 reciprocal square roots in software. */
double dcs_brick_soft_flops(dcs_brick brick, double soft);

#endif
