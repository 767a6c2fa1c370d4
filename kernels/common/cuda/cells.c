#include "kernels/common/cuda/cells.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const int dcs_tries_cells_x[] = {8, 16, DCS_TRIES_END};
const int dcs_tries_cells_y[] = {8, 16, DCS_TRIES_END};
const int dcs_tries_cell_edge[] = {20, 30, 40, DCS_TRIES_END};

/* ---- shape ---- */

enum { WARP = DCS_CELLS_WARP, WARP_X = 8, WARP_Y = 4 };

dcs_dims dcs_cells_region(const dcs_config *config) {
  const double *v = config->value;
  return (dcs_dims){(int64_t)v[DCS_CELLS_BLOCK_X], (int64_t)v[DCS_CELLS_BLOCK_Y],
                    (int64_t)v[DCS_CELLS_COARSEN_Z]};
}

dcs_dims dcs_cells_blocks(const dcs_problem *problem, const dcs_config *config) {
  const dcs_dims n = problem->n, r = dcs_cells_region(config);
  return (dcs_dims){dcs_divide_up(n.x, r.x), dcs_divide_up(n.y, r.y), dcs_divide_up(n.z, r.z)};
}

static bool fits_the_card(const dcs_config *config, int64_t shared_bytes, char why[DCS_TEXT]) {
  const int x = (int)config->value[DCS_CELLS_BLOCK_X], y = (int)config->value[DCS_CELLS_BLOCK_Y];
  const int tile = (int)config->value[DCS_CELLS_TILE_ATOMS];
  if (x % WARP_X != 0 || y % WARP_Y != 0)
    snprintf(why, DCS_TEXT, "a block of %d x %d; warps are %d x %d", x, y, WARP_X, WARP_Y);
  else if (tile % WARP != 0)
    snprintf(why, DCS_TEXT, "%d atoms in a tile; it must be a multiple of %d", tile, WARP);
  else if (x * y > 1024)
    snprintf(why, DCS_TEXT, "a block of %d threads; at most 1024 fit", x * y);
  else if (shared_bytes > 49152)
    snprintf(why, DCS_TEXT, "tile and lists take %lld bytes of shared memory; 49152 fit",
             (long long)shared_bytes);
  else
    return true;
  return false;
}

bool dcs_cells_applicable(const dcs_problem *problem, const dcs_config *config,
                          int64_t shared_bytes, char why[DCS_TEXT]) {
  const dcs_dims blocks = dcs_cells_blocks(problem, config);
  if (!fits_the_card(config, shared_bytes, why)) return false;
  if (blocks.y > 65535 || blocks.z > 65535)
    snprintf(why, DCS_TEXT, "%lld blocks in %s; CUDA allows 65535",
             (long long)(blocks.y > 65535 ? blocks.y : blocks.z), blocks.y > 65535 ? "y" : "z");
  else if (problem->n.x > INT_MAX / 2 || problem->n_inputs > INT_MAX / 2)
    snprintf(why, DCS_TEXT, "more than %d points in a row, or atoms", INT_MAX / 2);
  else
    return true;
  return false;
}

dcs_dims dcs_cells_executed(const dcs_problem *problem, const dcs_config *config) {
  const dcs_dims blocks = dcs_cells_blocks(problem, config), r = dcs_cells_region(config);
  return (dcs_dims){blocks.x * r.x, blocks.y * r.y, blocks.z * r.z};
}

/* ---- cells ---- */

/* Few enough that an int counts them and adding them up costs little beside the atoms; and in one
 * dimension that a float's rounding is far below an edge. */
enum { MOST_IN_A_ROW = 4096 };
static double most_cells(const dcs_problem *problem) {
  return fmin(fmax(8 * (double)problem->n_inputs, 512), 1 << 22);
}

dcs_cells dcs_cells_divide(const dcs_problem *problem, const dcs_config *config, double origin,
                           const double length[3], int spare) {
  const double longest = fmax(length[0], fmax(length[1], length[2]));
  double edge = fmax(config->value[DCS_CELLS_EDGE] / 10, longest / (MOST_IN_A_ROW - 1 - spare));
  double n[3];
  for (;; edge *= 1.05) {
    for (int d = 0; d < 3; d++)
      n[d] = floor(length[d] / edge) + 1 + spare;
    if (n[0] * n[1] * n[2] <= most_cells(problem)) break;
  }
  return (dcs_cells){.origin = (float)origin,
                     .edge = (float)edge,
                     .per_edge = (float)(1 / edge),
                     .nx = (int)n[0],
                     .ny = (int)n[1],
                     .nz = (int)n[2]};
}

/* ---- plan ---- */

int64_t dcs_cells_sort_blocks(const dcs_problem *problem) {
  return dcs_divide_up(problem->n_inputs, DCS_CELLS_SORT_THREADS);
}

enum { ATOMS, MAP }; /* buffers of the kinds */

static int64_t places_of(const dcs_cells *cells) {
  return ((int64_t)cells->nx + 1) * cells->ny * cells->nz;
}

static dcs_plan_step sort_step(const char *kernel, int64_t blocks, const dcs_arg *args) {
  return (dcs_plan_step){.kernel = kernel,
                         .block = {DCS_CELLS_SORT_THREADS, 1, 1},
                         .grid = {blocks, 1, 1},
                         .args = args,
                         .name = "sort"};
}

void dcs_cells_add_sort(const dcs_problem *problem, const dcs_cells *cells, dcs_plan *plan) {
  static const dcs_arg cells_alone[] = {DCS_SCRATCH(DCS_CELLS_LISTS),
                                        DCS_SCRATCH(DCS_CELLS_COUNTERS), DCS_ARG_N_INPUTS,
                                        DCS_ARG_OWN, DCS_ARG_END};
  static const dcs_arg with_atoms[] = {DCS_SCRATCH(DCS_CELLS_LISTS),
                                       DCS_SCRATCH(DCS_CELLS_COUNTERS),
                                       DCS_BUFFER(ATOMS),
                                       DCS_ARG_N_INPUTS,
                                       DCS_ARG_OWN,
                                       DCS_ARG_END};
  const int64_t blocks = dcs_cells_sort_blocks(problem), rows = (int64_t)cells->ny * cells->nz;
  dcs_add_step(plan, sort_step("group_atoms", blocks, with_atoms));
  dcs_add_step(plan, sort_step("place_rows", rows, cells_alone));
  dcs_add_step(plan, sort_step("place_atoms", blocks, with_atoms));
}

static void add_sort_step(const char *kernel, int64_t blocks, int64_t n, const dcs_arg *args,
                          dcs_plan *plan) {
  dcs_plan_step step = sort_step(kernel, blocks, args);
  step.value = (int)n;
  dcs_add_step(plan, step);
}

static int64_t list_bytes(int64_t n, const dcs_cells *cells) {
  return 4 * ((4 + 2 + 1) * n + 2 * places_of(cells));
}

void dcs_cells_add_sort_of(int64_t n, const dcs_cells *cells, dcs_plan *plan) {
  static const dcs_arg cells_alone[] = {DCS_SCRATCH(DCS_CELLS_LISTS),
                                        DCS_SCRATCH(DCS_CELLS_COUNTERS), DCS_ARG_VALUE, DCS_ARG_OWN,
                                        DCS_ARG_END};
  static const dcs_arg with_atoms[] = {DCS_SCRATCH(DCS_CELLS_LISTS),
                                       DCS_SCRATCH(DCS_CELLS_COUNTERS),
                                       DCS_SCRATCH(DCS_CELLS_ATOMS),
                                       DCS_ARG_VALUE,
                                       DCS_ARG_OWN,
                                       DCS_ARG_END};
  const int64_t blocks = dcs_divide_up(n, DCS_CELLS_SORT_THREADS);
  plan->scratch[DCS_CELLS_LISTS].bytes = list_bytes(n, cells);
  plan->scratch[DCS_CELLS_ATOMS].bytes = 16 * n;
  add_sort_step("group_atoms", blocks, n, with_atoms, plan);
  add_sort_step("place_rows", (int64_t)cells->ny * cells->nz, n, cells_alone, plan);
  add_sort_step("place_atoms", blocks, n, with_atoms, plan);
}

void dcs_cells_begin_plan(const dcs_problem *problem, const dcs_config *config,
                          const dcs_cells *cells, dcs_plan *plan) {
  static const dcs_arg args[] = {
      DCS_BUFFER(MAP), DCS_ARG_N_INPUTS, DCS_ARG_NX,      DCS_ARG_NY,
      DCS_ARG_NZ,      DCS_ARG_K,        DCS_ARG_SPACING, DCS_SCRATCH(DCS_CELLS_LISTS),
      DCS_ARG_OWN,     DCS_ARG_END};
  const dcs_dims blocks = dcs_cells_blocks(problem, config), r = dcs_cells_region(config);
  *plan = (dcs_plan){.chunk_inputs = problem->n_inputs,
                     .launch_slices = problem->n.z,
                     .slice_step = r.z,
                     .stored = problem->n,
                     .scratch = {[DCS_CELLS_LISTS] = {list_bytes(problem->n_inputs, cells)},
                                 [DCS_CELLS_COUNTERS] = {4 * (1 + places_of(cells)), .zero = true}},
                     .block = {(int)r.x, (int)r.y, 1},
                     .grid = {blocks.x, blocks.y, blocks.z},
                     .args = args};
}

void dcs_cells_plan(const dcs_problem *problem, const dcs_config *config, const dcs_cells *cells,
                    bool adds, dcs_plan *plan) {
  dcs_cells_begin_plan(problem, config, cells, plan);
  if (adds) dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_FILL, .to = DCS_BUFFER(MAP)});
  dcs_cells_add_sort(problem, cells, plan);
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
}

/* ---- candidates ---- */

float dcs_cell_coordinate(float v, const dcs_cells *cells) {
  return (v - cells->origin) * cells->per_edge;
}

int dcs_clamped_cell(float v, int n, const dcs_cells *cells) {
  return (int)fminf(fmaxf(dcs_cell_coordinate(v, cells), 0), (float)(n - 1));
}

static float cells_outside(int i, float lo, float hi, const dcs_cells *cells) {
  float from = cells->origin + cells->edge * (float)i;
  float to = cells->origin + cells->edge * (float)(i + 1);
  return fmaxf(fmaxf(from - hi, lo - to) - 0.01f * cells->edge, 0);
}

static int64_t number_of(const dcs_cells *cells) {
  return (int64_t)cells->nx * cells->ny * cells->nz;
}

/* One more, for the sums. */
int *dcs_cells_counts(const dcs_cells *cells) {
  return calloc((size_t)number_of(cells) + 1, sizeof(int));
}

int *dcs_cell_count(const dcs_cells *cells, int *counts, int x, int y, int z) {
  return &counts[((int64_t)z * cells->ny + y) * cells->nx + x + 1];
}

typedef struct {
  float lo[3], hi[3];
} box;

/* Points first..first + size - 1 of n, as far as they are before the end. */
static void extend(const dcs_problem *problem, int64_t first, int64_t size, int64_t n, int d,
                   box *b) {
  int64_t last = (first + size < n ? first + size : n) - 1;
  b->lo[d] = problem->spacing * (float)first;
  b->hi[d] = problem->spacing * (float)last;
}

/* start[c]: the number of atoms in the cells before c. */
static double atoms_in_runs(const box *b, float reach, float reach2, const dcs_cells *cells,
                            const int *start) {
  const int y_end = dcs_clamped_cell(b->hi[1] + reach, cells->ny, cells);
  const int z_end = dcs_clamped_cell(b->hi[2] + reach, cells->nz, cells);
  double atoms = 0;
  for (int cz = dcs_clamped_cell(b->lo[2] - reach, cells->nz, cells); cz <= z_end; cz++)
    for (int cy = dcs_clamped_cell(b->lo[1] - reach, cells->ny, cells); cy <= y_end; cy++) {
      float dy = cells_outside(cy, b->lo[1], b->hi[1], cells);
      float dz = cells_outside(cz, b->lo[2], b->hi[2], cells);
      float left2 = reach2 - (dy * dy + dz * dz), half = sqrtf(left2);
      if (left2 <= 0) continue;
      const int *row = start + ((int64_t)cz * cells->ny + cy) * cells->nx;
      atoms += row[dcs_clamped_cell(b->hi[0] + half, cells->nx, cells) + 1] -
               row[dcs_clamped_cell(b->lo[0] - half, cells->nx, cells)];
    }
  return atoms;
}

double dcs_cells_pairs(const dcs_problem *problem, const dcs_config *config, const dcs_cells *cells,
                       float reach, float reach2, int *counts) {
  const dcs_dims blocks = dcs_cells_blocks(problem, config), r = dcs_cells_region(config);
  const dcs_dims n = problem->n;
  double atoms = 0;
  for (int64_t c = 0; c < number_of(cells); c++)
    counts[c + 1] += counts[c];
#pragma omp parallel for schedule(dynamic) reduction(+ : atoms)
  for (int64_t kj = 0; kj < blocks.z * blocks.y; kj++)
    for (int64_t i = 0; i < blocks.x; i++) {
      box b;
      extend(problem, i * r.x, r.x, n.x, 0, &b);
      extend(problem, kj % blocks.y * r.y, r.y, n.y, 1, &b);
      extend(problem, kj / blocks.y * r.z, r.z, n.z, 2, &b);
      atoms += atoms_in_runs(&b, reach, reach2, cells, counts);
    }
  return atoms * (double)(r.x * r.y * r.z);
}
