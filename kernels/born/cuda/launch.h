/* What the descriptors of Born radii share. */
#ifndef DCS_CUDA_BORN_LAUNCH_H
#define DCS_CUDA_BORN_LAUNCH_H

#include "kernels/born/born.h"

/* One launch of so many blocks of x by y threads, with arguments radii, atoms, n_atoms, born. */
void dcs_born_plan(const dcs_problem *problem, int64_t blocks, int x, int y, dcs_plan *plan);

/* Whether atoms are few enough to be counted by int, and blocks of `threads` threads legal; when
 * not, says why. Whole warps, where `warps`. */
bool dcs_born_fits(const dcs_problem *problem, int threads, bool warps, char why[DCS_TEXT]);

/* ---- several atoms a thread, rows of 32 threads, sorted or not ---- */

/* Their parameters, in this order. */
enum { DCS_BORN_BLOCK_Y, DCS_BORN_COARSEN, DCS_BORN_ORDER };
#define DCS_BORN_BLOCK_Y_PARAM                                                                     \
  {                                                                                                \
    "block_y", "rows of 32 threads, which share the spheres of a tile", 1, 8, 8, NULL,             \
        dcs_born_block_y_tried, DCS_ROLE_BLOCK_Y                                                   \
  }
#define DCS_BORN_ORDER_PARAM                                                                       \
  { "order", "of the atoms: as they come, or sorted by place first", 0, 1, 1, dcs_born_orders }
extern const int dcs_born_block_y_tried[];
extern const char *const dcs_born_orders[]; /* input, place */

/* As a variant has them. With order=place the text of sort.cuh, a part of the kernel's, sorts. */
bool dcs_born_rows_fit(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]);
dcs_dims dcs_born_rows_executed(const dcs_problem *problem, const dcs_config *config);
void dcs_born_rows_plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan);

/* The files that these come from, for a descriptor's sources. */
#define DCS_BORN_SOURCES                                                                           \
  "kernels/born/cuda/born.cuh", "kernels/born/cuda/launch.c", "kernels/born/cuda/launch.h",        \
      "kernels/born/born.h"

#endif
