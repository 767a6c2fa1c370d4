/* What the descriptors share whose kernels sum a function of the distance over the atoms within a
 * cutoff (cutoff_cells.cuh): cells, candidates, and the launch plan. Their configurations begin
 * with the parameters of cells.h. */
#ifndef DCS_CUDA_SHORT_RANGE_H
#define DCS_CUDA_SHORT_RANGE_H

#include "kernels/common/cuda/cells.h"
#include "kernels/coulomb/coulomb.h"
#include "kernels/coulomb/radial.h"

/* The parameters of cells.h as these kernels have them; tile_tries: the tiles that a tuner tries.
 */
#define DCS_NEAR_PARAMS(tile_tries)                                                                \
  DCS_CELLS_BLOCK,                                                                                 \
      {"coarsen_z", "adjacent slices per thread", 1, 16, 5, NULL, dcs_tries_near_coarsen_z},       \
      DCS_CELLS_CELL_EDGE, {                                                                       \
    "tile_atoms", "atoms of a tile, a multiple of 32", 32, 2048, 512, NULL, tile_tries             \
  }
extern const int dcs_tries_near_coarsen_z[];

/* cell_grid in the kernels. */
typedef struct {
  float origin, edge, per_edge;
  float c2, per_c2, reach2;
  int nx, ny, nz;
  int switched;
} dcs_near_grid;

/* radial_polynomial in the kernels. */
typedef struct {
  float c[DCS_RADIAL_MOST + 1];
  float twice_per_c2;
  int degree;
} dcs_near_radial;

/* image_lattice in the kernels. */
typedef struct {
  double period[3], lo[3], hi[3];
  int most[3];
} dcs_near_lattice;

/* What the plan of a short range part has in `own`; what a variant has more follows it. */
typedef struct {
  dcs_near_grid grid;
  dcs_near_radial radial;
  int n_atoms;              /* that are sorted, images among them */
  dcs_near_lattice lattice; /* of a periodic problem */
} dcs_short_range;
_Static_assert(sizeof(dcs_short_range) % 4 == 0 && sizeof(dcs_short_range) <= DCS_OWN_BYTES,
               "a plan holds it, and floats and ints behind it");
#define DCS_SHORT_RANGE_RADIAL DCS_OWN_AT(offsetof(dcs_short_range, radial))
#define DCS_SHORT_RANGE_ATOMS  DCS_OWN_AT(offsetof(dcs_short_range, n_atoms))

/* Whether blocks fit the card, sizes (of images, too) are within int, and the square of the cutoff
 * (angstrom) within a float; when not, says why. */
bool dcs_near_applicable(const dcs_problem *problem, const dcs_config *config, double cutoff,
                         char why[DCS_TEXT]);
/* Cells that cover all within the cutoff of the whole grid, for all slabs of it. */
dcs_cells dcs_near_cells(const dcs_problem *problem, const dcs_config *config, double cutoff);
/* Not switched. */
dcs_near_grid dcs_near_grid_of(const dcs_cells *cells, double cutoff);
/* What a block looks at: atoms outside the cells are out of reach. Of a periodic problem with the
 * images. */
void dcs_near_candidates(const dcs_problem *problem, const dcs_config *config, double cutoff,
                         dcs_candidates *found);

/* The launch plan of a kernel that begins with sum_near(): the steps that sort, of a periodic
 * problem the images, too, and the launches' shape. The variant adds steps, scratch from
 * DCS_CELLS_N_SCRATCH on, DCS_STEP_LAUNCHES, and may have other arguments; these are map,
 * DCS_SHORT_RANGE_ATOMS, nx, ny, nz, k, spacing, sorted atoms, cell_grid, radial_polynomial. */
void dcs_short_range_plan(const dcs_problem *problem, const dcs_config *config,
                          const dcs_radial *radial, dcs_plan *plan);

/* The files that these come from, for a descriptor's sources. */
#define DCS_NEAR_SOURCES                                                                           \
  "kernels/coulomb/cuda/cutoff_cells.cuh", "kernels/coulomb/cuda/short_range.c",                   \
      "kernels/coulomb/cuda/short_range.h", "kernels/common/cuda/cells.cuh",                       \
      "kernels/common/cuda/cells.c", "kernels/common/cuda/cells.h", "kernels/coulomb/radial.c",    \
      "kernels/coulomb/radial.h", "kernels/coulomb/images.c", "kernels/coulomb/images.h",          \
      "kernels/coulomb/coulomb.h"

#endif
