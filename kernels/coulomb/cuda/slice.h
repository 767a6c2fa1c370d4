/* What the descriptors of the slice-by-slice CUDA kernels share: a two-dimensional grid of blocks
 * covers one slice, a thread computes `coarsen` points of a row, and launches follow one another
 * over chunks of atoms and slices. */
#ifndef DCS_CUDA_SLICE_H
#define DCS_CUDA_SLICE_H

#include "kernels/coulomb/coulomb.h"

/* The kind's buffers as arguments. */
#define DCS_ARG_ATOMS DCS_BUFFER(DCS_COULOMB_ATOMS)
#define DCS_ARG_MAP   DCS_BUFFER(DCS_COULOMB_MAP)

/* The parameters that these kernels have in common, in the order of their configurations. */
enum { DCS_BLOCK_X, DCS_BLOCK_Y, DCS_COARSEN, DCS_CHUNK_ATOMS, DCS_READ };

enum { DCS_MAX_CHUNK = 4096 }; /* float4 atoms in 64 KB of constant memory */

#define DCS_PARAM_BLOCK_X(initial)                                                                 \
  {                                                                                                \
    "block_x", "threads of a block in x", 1, 1024, initial, NULL, dcs_tries_block_x,               \
        DCS_ROLE_BLOCK_X                                                                           \
  }
#define DCS_PARAM_BLOCK_Y(initial)                                                                 \
  {                                                                                                \
    "block_y", "threads of a block in y", 1, 1024, initial, NULL, dcs_tries_block_y,               \
        DCS_ROLE_BLOCK_Y                                                                           \
  }
#define DCS_PARAM_COARSEN                                                                          \
  { "coarsen", "points of a row per thread", 1, 16, 4, NULL, dcs_tries_coarsen, DCS_ROLE_COARSEN }
#define DCS_PARAM_CHUNK_ATOMS(initial)                                                             \
  {                                                                                                \
    "chunk_atoms", "atoms in constant memory at a time", 1, DCS_MAX_CHUNK, initial, NULL,          \
        dcs_tries_chunk, DCS_ROLE_CHUNK                                                            \
  }
#define DCS_PARAM_READ                                                                             \
  {                                                                                                \
    "read", "when the map's old value is read, before or after the loop over atoms", 0, 1, 1,      \
        dcs_read_labels, NULL                                                                      \
  }
extern const char *const dcs_read_labels[]; /* start, end */
extern const int dcs_tries_block_x[], dcs_tries_block_y[], dcs_tries_coarsen[], dcs_tries_chunk[];

/* Tile of points that a block covers in x and y, and the atoms of a launch. */
typedef struct {
  int block_x, block_y, coarsen;
  int64_t chunk_atoms;
} dcs_slice_shape;

/* Block within 1024 threads, grid of blocks within what CUDA launches, sizes within int. */
bool dcs_slice_applicable(const dcs_problem *problem, dcs_slice_shape shape, char why[DCS_TEXT]);

/* prepare() of the kernels that take dz^2 to the slice in place of z, in double precision. */
void dcs_prepare_dz2(const dcs_problem *problem, int64_t first, int64_t n, int64_t k,
                     void *prepared);

/* The launch plan over a map stored as `stored`; constant_inputs and prepared are set, args not.
 */
void dcs_slice_plan(const dcs_problem *problem, dcs_slice_shape shape, dcs_dims stored,
                    dcs_plan *plan);

/* The kernels with constant memory and the full set of parameters. The plan is that of kernels that
 * guard the edges of the map. */
enum { DCS_COARSE_PARAMS = 5 };
extern const dcs_param dcs_coarse_params[DCS_COARSE_PARAMS];
void dcs_coarse_plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan);
dcs_slice_shape dcs_slice_shape_of(const dcs_config *config);
bool dcs_coarse_applicable(const dcs_problem *problem, const dcs_config *config,
                           char why[DCS_TEXT]);
/* (3 + 7 K) / K at coarsening K: y and z once a thread, then subtract, FMA, rsqrt, FMA a point. */
double dcs_coarse_flops(const dcs_config *config);
int64_t dcs_coarse_longest_sum(const dcs_problem *problem, const dcs_config *config);
/* Additions into one point when every chunk has a sum of its own. */
int64_t dcs_chunked_longest_sum(int64_t n_atoms, int64_t chunk_atoms);

/* Points of a row that are computed when threads whose first point lies inside compute all their
 * `coarsen` points, block_x apart: whole tiles, then in the last tile as many columns of `coarsen`
 * points as there are threads with a first point. */
int64_t dcs_strided_columns(int64_t nx, int block_x, int coarsen);

#endif
