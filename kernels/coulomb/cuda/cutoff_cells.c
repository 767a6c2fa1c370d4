/* Descriptor of cuda_cutoff_cells. */
#include "kernels/coulomb/coulomb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_X, BLOCK_Y, COARSEN_Z, CELL_EDGE, TILE_ATOMS };

/* As in the kernels. */
enum { SORT_THREADS = 64, WARP = 32, WARP_X = 8, WARP_Y = 4 };
typedef struct {
  float origin, edge, per_edge;
  float c2, per_c2, reach2;
  int nx, ny, nz;
  int switched;
} cell_grid;
_Static_assert(sizeof(cell_grid) <= DCS_OWN_BYTES, "a plan holds the cells");

static const int block_x_tried[] = {8, 16, DCS_TRIES_END};
static const int block_y_tried[] = {8, 16, DCS_TRIES_END};
static const int coarsen_z_tried[] = {4, 5, 6, 8, DCS_TRIES_END};
static const int cell_edge_tried[] = {20, 30, 40, DCS_TRIES_END};
static const int tile_atoms_tried[] = {512, 1024, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a block in x, a multiple of 8", 8, 128, 8, NULL, block_x_tried,
     DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a block in y, a multiple of 4", 4, 128, 16, NULL, block_y_tried,
     DCS_ROLE_BLOCK_Y},
    {"coarsen_z", "adjacent slices per thread", 1, 16, 5, NULL, coarsen_z_tried},
    {"cell_edge", "edge of a cell in tenths of an angstrom, at least", 5, 1000, 30, NULL,
     cell_edge_tried},
    {"tile_atoms", "atoms of a tile, a multiple of 32", 32, 2048, 512, NULL, tile_atoms_tried},
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

/* Tile, lists and their bits, runs. */
static int64_t shared_bytes(const dcs_config *config) {
  int64_t threads = (int64_t)(config->value[BLOCK_X] * config->value[BLOCK_Y]);
  int64_t tile = (int64_t)config->value[TILE_ATOMS], warps = threads / WARP;
  return 16 * tile + 2 * warps * tile + tile / 8 * warps + 4 * warps + 8 * threads + 4;
}

static bool fits_the_card(const dcs_config *config, char why[DCS_TEXT]) {
  const int x = (int)config->value[BLOCK_X], y = (int)config->value[BLOCK_Y];
  const int tile = (int)config->value[TILE_ATOMS];
  if (x % WARP_X != 0 || y % WARP_Y != 0)
    snprintf(why, DCS_TEXT, "a block of %d x %d; warps are %d x %d", x, y, WARP_X, WARP_Y);
  else if (tile % WARP != 0)
    snprintf(why, DCS_TEXT, "%d atoms in a tile; it must be a multiple of %d", tile, WARP);
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
  const dcs_dims blocks = shape_of(problem, config).blocks;
  if (!fits_the_card(config, why)) return false;
  if (blocks.y > 65535 || blocks.z > 65535)
    snprintf(why, DCS_TEXT, "%lld blocks in %s; CUDA allows 65535",
             (long long)(blocks.y > 65535 ? blocks.y : blocks.z), blocks.y > 65535 ? "y" : "z");
  else if (dcs_cutoff(problem) < 1e-15f || dcs_cutoff(problem) > 1e15f)
    snprintf(why, DCS_TEXT, "a cutoff of %g; its square must fit a float",
             (double)dcs_cutoff(problem));
  else
    return true;
  return false;
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  const shape s = shape_of(problem, config);
  return (dcs_dims){s.blocks.x * s.region.x, s.blocks.y * s.region.y, s.blocks.z * s.region.z};
}

/* Of a switched map. */
static double flops_per_eval(const dcs_config *config) {
  return 1 + 2 + 2 + 2 + 2 + 2 + 5.0 / config->value[COARSEN_Z];
}

/* All atoms may be within the cutoff of a point. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return problem->n_inputs;
}

/* ---- cells ---- */

/* Few enough that an int counts them and adding them up costs little beside the atoms; and in one
 * dimension that a float's rounding is far below an edge. */
static int64_t most_cells(const dcs_problem *problem) {
  const int64_t most = 1 << 22, few = 512, per_atom = 8;
  if (problem->n_inputs >= most / per_atom) return most;
  return problem->n_inputs * per_atom > few ? problem->n_inputs * per_atom : few;
}

static cell_grid cells_of(const dcs_problem *problem, const dcs_config *config) {
  enum { MOST_IN_A_ROW = 4096 };
  const double c = (double)dcs_cutoff(problem), reach = c * (1 + 1e-5),
               h = (double)problem->spacing;
  const dcs_dims n = problem->n;
  const double x = h * (double)(n.x - 1) + 2 * reach, y = h * (double)(n.y - 1) + 2 * reach;
  const double z = h * (double)(n.z - 1) + 2 * reach, longest = fmax(x, fmax(y, z));
  double edge = fmax(config->value[CELL_EDGE] / 10.0, longest / (MOST_IN_A_ROW - 2));
  double nx, ny, nz;
  for (;; edge *= 1.05) { /* one more than needed, so that rounding finds room at the end */
    nx = floor(x / edge) + 2;
    ny = floor(y / edge) + 2;
    nz = floor(z / edge) + 2;
    if (nx * ny * nz <= (double)most_cells(problem)) break;
  }
  return (cell_grid){.origin = (float)-reach,
                     .edge = (float)edge,
                     .per_edge = (float)(1 / edge),
                     .c2 = (float)(c * c),
                     .per_c2 = (float)(1 / (c * c)),
                     .reach2 = (float)(reach * reach),
                     .nx = (int)nx,
                     .ny = (int)ny,
                     .nz = (int)nz,
                     .switched = dcs_switched(problem)};
}

static int64_t number_of(const cell_grid *cells) {
  return (int64_t)cells->nx * cells->ny * cells->nz;
}

/* ---- the candidates of a block, computed as the kernel does ---- */

static float coordinate(float v, const cell_grid *cells) {
  return (v - cells->origin) * cells->per_edge;
}

static int clamped_cell(float v, int n, const cell_grid *cells) {
  return (int)fminf(fmaxf(coordinate(v, cells), 0), (float)(n - 1));
}

static float cells_outside(int i, float lo, float hi, const cell_grid *cells) {
  float from = cells->origin + cells->edge * (float)i;
  float to = cells->origin + cells->edge * (float)(i + 1);
  return fmaxf(fmaxf(from - hi, lo - to) - 0.01f * cells->edge, 0);
}

/* start[c] becomes the number of atoms in the cells before c. */
static void count_atoms(const dcs_problem *problem, const cell_grid *cells, int *start) {
  for (int64_t a = 0; a < problem->n_inputs; a++) {
    const dcs_atom *atom = &dcs_atoms(problem)[a];
    float x = coordinate(atom->x, cells), y = coordinate(atom->y, cells);
    float z = coordinate(atom->z, cells);
    if (x >= 0 && x < (float)cells->nx && y >= 0 && y < (float)cells->ny && z >= 0 &&
        z < (float)cells->nz)
      start[((int)z * cells->ny + (int)y) * cells->nx + (int)x + 1]++;
  }
  for (int64_t c = 0; c < number_of(cells); c++)
    start[c + 1] += start[c];
}

typedef struct {
  float lo[3], hi[3];
} box;

static double atoms_in_runs(const box *b, const cell_grid *cells, const int *start) {
  const float reach = sqrtf(cells->reach2);
  const int y_end = clamped_cell(b->hi[1] + reach, cells->ny, cells);
  const int z_end = clamped_cell(b->hi[2] + reach, cells->nz, cells);
  double atoms = 0;
  for (int cz = clamped_cell(b->lo[2] - reach, cells->nz, cells); cz <= z_end; cz++)
    for (int cy = clamped_cell(b->lo[1] - reach, cells->ny, cells); cy <= y_end; cy++) {
      float dy = cells_outside(cy, b->lo[1], b->hi[1], cells);
      float dz = cells_outside(cz, b->lo[2], b->hi[2], cells);
      float left2 = cells->reach2 - (dy * dy + dz * dz), half = sqrtf(left2);
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
  count_atoms(problem, &cells, start);
  double atoms = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : atoms)
  for (int64_t kj = 0; kj < s.blocks.z * s.blocks.y; kj++)
    for (int64_t i = 0; i < s.blocks.x; i++) {
      box b;
      extend(problem, i * r.x, r.x, n.x, 0, &b);
      extend(problem, kj % s.blocks.y * r.y, r.y, n.y, 1, &b);
      extend(problem, kj / s.blocks.y * r.z, r.z, n.z, 2, &b);
      atoms += atoms_in_runs(&b, &cells, start);
    }
  found->pairs = atoms * (double)(r.x * r.y * r.z);
  free(start);
}

/* ---- plan ---- */

static void add_steps(const dcs_problem *problem, const cell_grid *cells, dcs_plan *plan) {
  static const dcs_arg cells_alone[] = {DCS_ARG_SCRATCH, DCS_ARG_COUNTERS, DCS_ARG_N_INPUTS,
                                        DCS_ARG_OWN, DCS_ARG_END};
  static const dcs_arg with_atoms[] = {DCS_ARG_SCRATCH,  DCS_ARG_COUNTERS, DCS_ARG_INPUT,
                                       DCS_ARG_N_INPUTS, DCS_ARG_OWN,      DCS_ARG_END};
  const int64_t blocks = dcs_round_up(problem->n_inputs, SORT_THREADS) / SORT_THREADS;
  const int64_t rows = (int64_t)cells->ny * cells->nz;
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
                     .launch_slices = problem->n.z,
                     .slice_step = s.region.z,
                     .stored = problem->n,
                     .scratch_floats = (4 + 2 + 1) * problem->n_inputs + 2 * places_of(&cells),
                     .counters = 1 + places_of(&cells),
                     .block = {(int)config->value[BLOCK_X], (int)config->value[BLOCK_Y], 1},
                     .grid = {s.blocks.x, s.blocks.y, s.blocks.z},
                     .args = args};
  add_steps(problem, &cells, plan);
  memcpy(plan->own, &cells, sizeof cells);
}

static const char *const sources[] = {
    "kernels/coulomb/cuda/cutoff_cells.cu", "kernels/coulomb/cuda/cutoff_cells.c",
    "kernels/common/cuda/cells.cuh", "kernels/coulomb/coulomb.h", NULL};

const dcs_variant dcs_variant_cuda_cutoff_cells = {
    .id = "cuda_cutoff_cells",
    .kind = "coulomb",
    .sources = sources,
    .idea =
        "a cutoff: atoms sorted into cells on the GPU, those near a warp listed in shared memory",
    .backend = DCS_GPU,
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .solves = dcs_solves_cutoff,
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = longest_sum,
    .candidates = candidates,
    .plan = plan,
};
