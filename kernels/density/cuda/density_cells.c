/* Descriptor of cuda_density_cells. */
#include "kernels/density/density.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_X, BLOCK_Y, COARSEN_Z, CELL_EDGE, TILE_ATOMS, TERMS, SOFT };
enum { PAIRS, COLUMNS };

/* As in the kernels. */
enum { SORT_THREADS = 64, WARP = 32, WARP_X = 8, WARP_Y = 4 };
typedef struct {
  float edge, per_edge;
  float end[3];
  float rate;
  float limit, least;
  int nx, ny, nz;
} cell_grid;
_Static_assert(sizeof(cell_grid) <= DCS_OWN_BYTES, "a plan holds the cells");

static const char *const terms[] = {"pairs", "columns"};
static const int block_x_tried[] = {8, 16, DCS_TRIES_END};
static const int block_y_tried[] = {8, 16, DCS_TRIES_END};
static const int coarsen_z_tried[] = {4, 6, 8, 12, DCS_TRIES_END};
static const int cell_edge_tried[] = {20, 30, 40, DCS_TRIES_END};
static const int tile_atoms_tried[] = {128, 256, 512, DCS_TRIES_END};
static const int soft_tried[] = {0, 1, 2, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a block in x, a multiple of 8", 8, 128, 8, NULL, block_x_tried,
     DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a block in y, a multiple of 4", 4, 128, 16, NULL, block_y_tried,
     DCS_ROLE_BLOCK_Y},
    {"coarsen_z", "adjacent slices per thread, an even number", 2, 16, 8, NULL, coarsen_z_tried},
    {"cell_edge", "edge of a cell in tenths of an angstrom, at least", 5, 1000, 30, NULL,
     cell_edge_tried},
    {"tile_atoms", "atoms of a tile, a multiple of 32", 32, 1024, 256, NULL, tile_atoms_tried},
    {"terms", "powers of two: one a pair, or one a column of points and one a slice", PAIRS,
     COLUMNS, COLUMNS, terms, NULL},
    {"soft", "of a thread's points, how many have powers of two in software; needs terms=pairs", 0,
     16, 0, NULL, soft_tried},
};

/* ---- shape ---- */

typedef struct {
  dcs_dims region, blocks; /* points of a block; blocks */
} shape;

static shape shape_of(const dcs_problem *problem, const dcs_config *config) {
  const double *v = config->value;
  const dcs_dims n = problem->n;
  const dcs_dims r = {(int64_t)v[BLOCK_X], (int64_t)v[BLOCK_Y], (int64_t)v[COARSEN_Z]};
  const dcs_dims blocks = {dcs_divide_up(n.x, r.x), dcs_divide_up(n.y, r.y),
                           dcs_divide_up(n.z, r.z)};
  return (shape){r, blocks};
}

/* Records of the tile, lists and what lanes found, runs. */
static int64_t shared_bytes(const dcs_config *config) {
  const int64_t threads = (int64_t)(config->value[BLOCK_X] * config->value[BLOCK_Y]);
  const int64_t tile = (int64_t)config->value[TILE_ATOMS], warps = threads / WARP;
  const int64_t record = ((int64_t)config->value[COARSEN_Z] / 2 + 1) | 1;
  return 16 * record * tile + 2 * warps * tile + 12 * threads + 4;
}

static bool fits_the_card(const dcs_config *config, char why[DCS_TEXT]) {
  const int x = (int)config->value[BLOCK_X], y = (int)config->value[BLOCK_Y];
  const int z = (int)config->value[COARSEN_Z], tile = (int)config->value[TILE_ATOMS];
  const int soft = (int)config->value[SOFT];
  if (x % WARP_X != 0 || y % WARP_Y != 0)
    snprintf(why, DCS_TEXT, "a block of %d x %d; warps are %d x %d", x, y, WARP_X, WARP_Y);
  else if (z % 2 != 0)
    snprintf(why, DCS_TEXT, "%d slices per thread; it must be an even number", z);
  else if (tile % WARP != 0)
    snprintf(why, DCS_TEXT, "%d atoms in a tile; it must be a multiple of %d", tile, WARP);
  else if (soft > 0 && config->value[TERMS] != PAIRS)
    snprintf(why, DCS_TEXT, "soft=%d; without a power of two a pair (terms=pairs) it must be 0",
             soft);
  else if (soft > z)
    snprintf(why, DCS_TEXT, "soft=%d of %d points per thread", soft, z);
  else if (x * y > 1024)
    snprintf(why, DCS_TEXT, "a block of %d threads; at most 1024 fit", x * y);
  else if (shared_bytes(config) > 49152)
    snprintf(why, DCS_TEXT, "tile and lists take %lld bytes of shared memory; 49152 fit",
             (long long)shared_bytes(config));
  else
    return true;
  return false;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  if (!fits_the_card(config, why)) return false;
  const dcs_dims blocks = shape_of(problem, config).blocks;
  if (blocks.y > 65535 || blocks.z > 65535)
    snprintf(why, DCS_TEXT, "%lld blocks in %s; CUDA allows 65535",
             (long long)(blocks.y > 65535 ? blocks.y : blocks.z), blocks.y > 65535 ? "y" : "z");
  else if (problem->n.x > INT_MAX / 2 || problem->n_inputs > INT_MAX / 2)
    snprintf(why, DCS_TEXT, "more than %d points in a row, or atoms", INT_MAX / 2);
  else
    return true;
  return false;
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  const shape s = shape_of(problem, config);
  return (dcs_dims){s.blocks.x * s.region.x, s.blocks.y * s.region.y, s.blocks.z * s.region.z};
}

/* What a point takes, and its share of a column: dx, dy (2), fall (dx^2 + dy^2) (4), a power of two
 * (2). */
static double flops_per_eval(const dcs_config *config) {
  const double z = config->value[COARSEN_Z];
  return config->value[TERMS] == COLUMNS ? 2 + 8 / z : 1 + 2 + 1 + 6 / z;
}

/* All atoms may reach a point. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return problem->n_inputs;
}

/* ---- cells ---- */

/* Few enough that an int counts them and adding them up costs little beside the atoms; and in one
 * dimension that a float's rounding is far below an edge. */
static double most_cells(const dcs_problem *problem) {
  return fmin(fmax(8 * (double)problem->n_inputs, 512), 1 << 22);
}

static cell_grid cells_of(const dcs_problem *problem, const dcs_config *config) {
  enum { MOST_IN_A_ROW = 4096 };
  const int64_t n[3] = {problem->n.x, problem->n.y, problem->n.z};
  const float limit = (float)dcs_density_limit(problem);
  cell_grid cells = {
      .rate = (float)dcs_density_rate(problem), .limit = limit, .least = -limit * (1 + 0x1p-16f)};
  double longest = 0, number[3];
  for (int d = 0; d < 3; d++) {
    cells.end[d] = problem->spacing * (float)(n[d] - 1);
    longest = fmax(longest, (double)cells.end[d]);
  }
  double edge = fmax(config->value[CELL_EDGE] / 10, longest / (MOST_IN_A_ROW - 1));
  for (;; edge *= 1.05) {
    for (int d = 0; d < 3; d++)
      number[d] = floor((double)cells.end[d] / edge) + 1;
    if (number[0] * number[1] * number[2] <= most_cells(problem)) break;
  }
  cells.edge = (float)edge;
  cells.per_edge = (float)(1 / edge);
  cells.nx = (int)number[0];
  cells.ny = (int)number[1];
  cells.nz = (int)number[2];
  return cells;
}

static int64_t number_of(const cell_grid *cells) {
  return (int64_t)cells->nx * cells->ny * cells->nz;
}

/* ---- what a block looks at, computed as the kernel does ---- */

static float outside(float v, float lo, float hi) {
  return fmaxf(fmaxf(lo - v, v - hi), 0);
}

static int clamped_cell(float v, int n, const cell_grid *cells) {
  return (int)fminf(fmaxf(v * cells->per_edge, 0), (float)(n - 1));
}

static float cells_outside(int i, float lo, float hi, const cell_grid *cells) {
  float from = cells->edge * (float)i, to = cells->edge * (float)(i + 1);
  return fmaxf(fmaxf(from - hi, lo - to) - 0.01f * cells->edge, 0);
}

/* start[c] becomes the number of atoms in the cells before c; returns how far any of them reaches.
 */
static float count_atoms(const dcs_problem *problem, const cell_grid *cells, int *start) {
  const dcs_gaussian *atoms = dcs_gaussians(problem);
  float farthest = -INFINITY;
  for (int64_t a = 0; a < problem->n_inputs; a++) {
    const float x = atoms[a].x, y = atoms[a].y, z = atoms[a].z;
    float dx = outside(x, 0, cells->end[0]), dy = outside(y, 0, cells->end[1]);
    float dz = outside(z, 0, cells->end[2]);
    float fall = -cells->rate / (atoms[a].radius * atoms[a].radius);
    if (!(fall * (dx * dx + dy * dy + dz * dz) >= cells->least)) continue;
    int cx = clamped_cell(x, cells->nx, cells), cy = clamped_cell(y, cells->ny, cells);
    int cz = clamped_cell(z, cells->nz, cells);
    start[((int64_t)cz * cells->ny + cy) * cells->nx + cx + 1]++;
    farthest = fmaxf(farthest, fall);
  }
  for (int64_t c = 0; c < number_of(cells); c++)
    start[c + 1] += start[c];
  return sqrtf(cells->least / farthest);
}

typedef struct {
  float lo[3], hi[3];
} box;

static double atoms_in_runs(const box *b, float reach, const cell_grid *cells, const int *start) {
  const int y_end = clamped_cell(b->hi[1] + reach, cells->ny, cells);
  const int z_end = clamped_cell(b->hi[2] + reach, cells->nz, cells);
  double atoms = 0;
  for (int cz = clamped_cell(b->lo[2] - reach, cells->nz, cells); cz <= z_end; cz++)
    for (int cy = clamped_cell(b->lo[1] - reach, cells->ny, cells); cy <= y_end; cy++) {
      float dy = cells_outside(cy, b->lo[1], b->hi[1], cells);
      float dz = cells_outside(cz, b->lo[2], b->hi[2], cells);
      float left2 = reach * reach - (dy * dy + dz * dz), half = sqrtf(left2);
      if (!(left2 > 0)) continue;
      const int *row = start + ((int64_t)cz * cells->ny + cy) * cells->nx;
      atoms += row[clamped_cell(b->hi[0] + half, cells->nx, cells) + 1] -
               row[clamped_cell(b->lo[0] - half, cells->nx, cells)];
    }
  return atoms;
}

/* Points first..first + size - 1, as far as they are before the end. */
static void extend(const dcs_problem *problem, int64_t first, int64_t size, int64_t n, int d,
                   box *b) {
  int64_t last = (first + size < n ? first + size : n) - 1;
  b->lo[d] = problem->spacing * (float)first;
  b->hi[d] = problem->spacing * (float)last;
}

/* A block takes the runs of its rows of cells; what its warps leave out of them is not known here.
 */
static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  const cell_grid cells = cells_of(problem, config);
  const shape s = shape_of(problem, config);
  const dcs_dims n = problem->n, r = s.region;
  *found = (dcs_candidates){.pairs = NAN, .fill = NAN};
  int *start = calloc((size_t)number_of(&cells) + 1, sizeof *start);
  if (!start) return;
  const float reach = count_atoms(problem, &cells, start);
  double atoms = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : atoms)
  for (int64_t kj = 0; kj < s.blocks.z * s.blocks.y; kj++)
    for (int64_t i = 0; i < s.blocks.x; i++) {
      box b;
      extend(problem, i * r.x, r.x, n.x, 0, &b);
      extend(problem, kj % s.blocks.y * r.y, r.y, n.y, 1, &b);
      extend(problem, kj / s.blocks.y * r.z, r.z, n.z, 2, &b);
      atoms += atoms_in_runs(&b, reach, &cells, start);
    }
  found->pairs = atoms * (double)(r.x * r.y * r.z);
  free(start);
}

/* ---- plan ---- */

static int64_t sort_blocks(const dcs_problem *problem) {
  return dcs_divide_up(problem->n_inputs, SORT_THREADS);
}

static void add_steps(const dcs_problem *problem, const cell_grid *cells, dcs_plan *plan) {
  static const dcs_arg cells_alone[] = {DCS_ARG_SCRATCH, DCS_ARG_COUNTERS, DCS_ARG_N_INPUTS,
                                        DCS_ARG_OWN, DCS_ARG_END};
  static const dcs_arg with_atoms[] = {DCS_ARG_SCRATCH,  DCS_ARG_COUNTERS, DCS_ARG_INPUT,
                                       DCS_ARG_N_INPUTS, DCS_ARG_OWN,      DCS_ARG_END};
  const int64_t blocks = sort_blocks(problem), rows = (int64_t)cells->ny * cells->nz;
  plan->steps[0] = (dcs_plan_step){"group_atoms", SORT_THREADS, blocks, with_atoms};
  plan->steps[1] = (dcs_plan_step){"place_rows", SORT_THREADS, rows, cells_alone};
  plan->steps[2] = (dcs_plan_step){"place_atoms", SORT_THREADS, blocks, with_atoms};
  plan->n_steps = 3;
}

/* Of cells, and one more in each row. */
static int64_t places_of(const cell_grid *cells) {
  return ((int64_t)cells->nx + 1) * cells->ny * cells->nz;
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_ARG_OUTPUT, DCS_ARG_N_INPUTS, DCS_ARG_NX,      DCS_ARG_NY,
                                 DCS_ARG_NZ,     DCS_ARG_K,        DCS_ARG_SPACING, DCS_ARG_SCRATCH,
                                 DCS_ARG_OWN,    DCS_ARG_END};
  const cell_grid cells = cells_of(problem, config);
  const shape s = shape_of(problem, config);
  *plan = (dcs_plan){.chunk_inputs = problem->n_inputs,
                     .overwrites = true,
                     .launch_slices = problem->n.z,
                     .slice_step = s.region.z,
                     .stored = problem->n,
                     .scratch_floats = (4 + 2 + 1) * problem->n_inputs + 2 * places_of(&cells) + 1 +
                                       sort_blocks(problem),
                     .counters = 1 + places_of(&cells),
                     .block = {(int)config->value[BLOCK_X], (int)config->value[BLOCK_Y], 1},
                     .grid = {s.blocks.x, s.blocks.y, s.blocks.z},
                     .args = args};
  add_steps(problem, &cells, plan);
  memcpy(plan->own, &cells, sizeof cells);
}

static const char *const sources[] = {
    "kernels/density/cuda/density_cells.cu", "kernels/density/cuda/density_cells.c",
    "kernels/common/cuda/cells.cuh", "kernels/density/density.h", NULL};

const dcs_variant dcs_variant_cuda_density_cells = {
    .id = "cuda_density_cells",
    .kind = "density",
    .sources = sources,
    .idea = "atoms sorted into cells on the GPU; Gaussians as products over columns of points",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .candidates = candidates,
    .plan = plan,
};
