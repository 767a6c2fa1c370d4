/* What the descriptors share whose kernels sort atoms into cells (cells.cuh): parameters, the
 * division of space into cells, the launch plan, and the candidates of blocks. */
#ifndef DCS_CUDA_CELLS_H
#define DCS_CUDA_CELLS_H

#include "kernels/contract.h"

/* As in the kernels. */
enum { DCS_CELLS_SORT_THREADS = 64, DCS_CELLS_WARP = 32 };

/* The parameters that these kernels have in common, in the order of their configurations; those of
 * one kernel alone come after. */
enum {
  DCS_CELLS_BLOCK_X,
  DCS_CELLS_BLOCK_Y,
  DCS_CELLS_COARSEN_Z,
  DCS_CELLS_EDGE,
  DCS_CELLS_TILE_ATOMS,
  DCS_CELLS_N_PARAMS
};

/* The first two, and the edge. */
#define DCS_CELLS_BLOCK                                                                            \
  {                                                                                                \
      "block_x",                                                                                   \
      "threads of a block in x, a multiple of 8",                                                  \
      8,                                                                                           \
      128,                                                                                         \
      8,                                                                                           \
      NULL,                                                                                        \
      dcs_tries_cells_x,                                                                           \
      DCS_ROLE_BLOCK_X},                                                                           \
  {                                                                                                \
    "block_y", "threads of a block in y, a multiple of 4", 4, 128, 16, NULL, dcs_tries_cells_y,    \
        DCS_ROLE_BLOCK_Y                                                                           \
  }
#define DCS_CELLS_CELL_EDGE                                                                        \
  {                                                                                                \
    "cell_edge", "edge of a cell in tenths of an angstrom, at least", 5, 1000, 30, NULL,           \
        dcs_tries_cell_edge                                                                        \
  }
extern const int dcs_tries_cells_x[], dcs_tries_cells_y[], dcs_tries_cell_edge[];

/* Points of a block; blocks. */
dcs_dims dcs_cells_region(const dcs_config *config);
dcs_dims dcs_cells_blocks(const dcs_problem *problem, const dcs_config *config);

/* Whether blocks are made of warps and fit the card with so much shared memory, and sizes are
 * within int; when not, says why. */
bool dcs_cells_applicable(const dcs_problem *problem, const dcs_config *config,
                          int64_t shared_bytes, char why[DCS_TEXT]);
/* Blocks are computed whole. */
dcs_dims dcs_cells_executed(const dcs_problem *problem, const dcs_config *config);
/* All atoms may count at a point. */

/* Cells from a corner on, which has this coordinate in all dimensions. */
typedef struct {
  float origin, edge, per_edge; /* per_edge: 1 / edge */
  int nx, ny, nz;
} dcs_cells;

/* Divides a box of these lengths into cells of the configuration's edge, or longer where there
 * would be too many; `spare` more in each dimension. */
dcs_cells dcs_cells_divide(const dcs_problem *problem, const dcs_config *config, double origin,
                           const double length[3], int spare);

/* The plan's scratch: the sorted atoms, the counters, and, where these are not buffer 0 itself, the
 * atoms to sort. */
enum { DCS_CELLS_LISTS, DCS_CELLS_COUNTERS, DCS_CELLS_ATOMS, DCS_CELLS_N_SCRATCH };

/* A launch plan without steps and without the kernel's own struct, and its steps that sort:
 * group_atoms, place_rows and place_atoms. */
void dcs_cells_begin_plan(const dcs_problem *problem, const dcs_config *config,
                          const dcs_cells *cells, dcs_plan *plan);
void dcs_cells_add_sort(const dcs_problem *problem, const dcs_cells *cells, dcs_plan *plan);
/* Has the plan sort n other atoms, which an earlier step writes, 16 bytes each, into its scratch
 * DCS_CELLS_ATOMS. */
void dcs_cells_add_sort_of(int64_t n, const dcs_cells *cells, dcs_plan *plan);

/* Both, and then the map's kernel, which adds to the map or writes all of it. Of the kind, buffer 0
 * is the atoms and buffer 1 the map. */
void dcs_cells_plan(const dcs_problem *problem, const dcs_config *config, const dcs_cells *cells,
                    bool adds, dcs_plan *plan);
/* Blocks of group_atoms and place_atoms. */
int64_t dcs_cells_sort_blocks(const dcs_problem *problem);

/* ---- candidates, computed as the kernels do ---- */

/* In cells from the corner; the cell of n in that dimension that v falls into, or the nearest. */
float dcs_cell_coordinate(float v, const dcs_cells *cells);
int dcs_clamped_cell(float v, int n, const dcs_cells *cells);

/* A count for each cell, zero, the caller's to free; NULL: no memory. */
int *dcs_cells_counts(const dcs_cells *cells);
/* The count of cell (x, y, z). */
int *dcs_cell_count(const dcs_cells *cells, int *counts, int x, int y, int z);
/* Candidate pairs, with the atoms of each cell counted: a block takes the runs of its rows of cells
 * within reach; what its warps leave out of them is not known here. reach2: reach^2, as the kernel
 * has it. The counts are used up. */
double dcs_cells_pairs(const dcs_problem *problem, const dcs_config *config, const dcs_cells *cells,
                       float reach, float reach2, int *counts);

#endif
