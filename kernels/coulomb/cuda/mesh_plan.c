/* The steps of cuda_mesh. */
#include "kernels/coulomb/cuda/mesh_plan.h"

#include <math.h>
#include <string.h>

/* As in the kernels. */
typedef struct {
  double lo[3], spacing[3], h, window, beta;
  int16_t n[3], nodes[3];
  int order, factors, finer;
} mesh_level;
typedef struct {
  mesh_level level[DCS_MESH_LEVELS];
  double a, diameter, margin;
  dcs_near_grid cells;
  int n_levels, far_nodes, nz, map_axis, far_axis, periodic, n_spread;
  dcs_near_lattice lattice;
} meshes;

/* Behind the short range part's, aligned. */
enum {
  OWN = (sizeof(dcs_short_range) + 7) / 8 * 8,
  CELLS = OWN + offsetof(meshes, cells),
  N_SPREAD = OWN + offsetof(meshes, n_spread),
  LATTICE = OWN + offsetof(meshes, lattice)
};
_Static_assert(OWN + sizeof(meshes) <= DCS_OWN_BYTES, "a plan holds them");

enum {
  SPREAD_LISTS = DCS_CELLS_N_SCRATCH, /* the sorted atoms that are spread */
  SPREAD_COUNTERS,
  IMAGES, /* atoms of a periodic problem, and their images */
  TABLES,
  HALF, /* a mesh along one dimension, */
  PART, /* and two */
  FAR,  /* the potential of far atoms at its nodes, */
  FAR_HALF,
  FAR_PART,
  FINEST /* the meshes */
};

/* ---- what kernels know of the meshes ---- */

/* Images within the reach of a window of the nodes; of a problem that is not periodic none. */
static dcs_near_lattice lattice_of(const dcs_mesh *mesh) {
  const dcs_mesh_level *level = &mesh->level[0];
  dcs_near_lattice lattice = {{0}};
  for (int d = 0; mesh->periodic && d < 3; d++) {
    const double reach = 0.501 * level->order * level->spacing[d];
    lattice.period[d] = level->n[d] * level->spacing[d];
    lattice.lo[d] = level->lo[d] - reach;
    lattice.hi[d] = level->lo[d] + lattice.period[d] - level->spacing[d] + reach;
    lattice.most[d] = (int)((lattice.hi[d] - lattice.lo[d]) / lattice.period[d]) + 1;
  }
  return lattice;
}

int64_t dcs_mesh_spread_atoms(const dcs_problem *problem, const dcs_mesh *mesh) {
  const dcs_near_lattice lattice = lattice_of(mesh);
  const int64_t images = (int64_t)lattice.most[0] * lattice.most[1] * lattice.most[2];
  return (mesh->periodic ? images : 1) * problem->n_inputs;
}

/* Cells of about half a brick around the near atoms. Their corner has one coordinate. */
static dcs_cells spread_cells(const dcs_problem *problem, const dcs_config *config,
                              const dcs_mesh_way *w) {
  const dcs_near_lattice lattice = lattice_of(&w->mesh);
  const double *lo = w->mesh.periodic ? lattice.lo : w->scene.lo;
  const double *hi = w->mesh.periodic ? lattice.hi : w->scene.hi;
  const double corner = fmin(fmin(lo[0], lo[1]), lo[2]) - 0.1;
  const double length[3] = {hi[0] - corner, hi[1] - corner, hi[2] - corner};
  dcs_config with = *config;
  with.value[DCS_CELLS_EDGE] = fmax(40 * w->mesh.level[0].h, 10);
  return dcs_cells_divide(problem, &with, corner, length, 1);
}

/* Where the tables begin; returns how many numbers they have. */
static int place_tables(const dcs_problem *problem, const dcs_mesh *mesh, meshes *own) {
  int at = 0;
  for (int l = 0; l < mesh->n_levels; l++) {
    own->level[l].factors = at;
    for (int d = 0; d < 3; d++)
      at += mesh->level[l].n[d] / 2 + 1;
    own->level[l].finer = at;
    for (int d = 0; l > 0 && d < 3; d++)
      at += mesh->level[l - 1].nodes[d] * (mesh->level[l].order + 1);
  }
  const int points = (int)(problem->n.x + problem->n.y + problem->n.z);
  own->map_axis = at;
  own->far_axis = at += points * (mesh->level[0].order + 1);
  return at + points * (mesh->far_nodes + 1);
}

static meshes meshes_of(const dcs_problem *problem, const dcs_mesh_way *w, const dcs_cells *cells) {
  const dcs_mesh *mesh = &w->mesh;
  meshes own = {.a = mesh->level[0].split.a,
                .diameter = mesh->diameter,
                .margin = w->scene.margin,
                .cells = dcs_near_grid_of(cells, 0.01 * mesh->level[0].h),
                .n_levels = mesh->n_levels,
                .far_nodes = mesh->far_nodes,
                .nz = (int)problem->n.z,
                .periodic = mesh->periodic,
                .n_spread = (int)dcs_mesh_spread_atoms(problem, mesh),
                .lattice = lattice_of(mesh)};
  for (int l = 0; l < mesh->n_levels; l++) {
    const dcs_mesh_level *from = &mesh->level[l];
    mesh_level *to = &own.level[l];
    to->h = from->h;
    to->window = from->window;
    to->beta = from->split.beta;
    to->order = from->order;
    for (int d = 0; d < 3; d++) {
      to->lo[d] = from->lo[d];
      to->spacing[d] = from->spacing[d];
      to->n[d] = (int16_t)from->n[d];
      to->nodes[d] = (int16_t)from->nodes[d];
    }
  }
  return own;
}

/* ---- scratch ---- */

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* Bytes of what the passes along x and y leave: half of the dimensions, and all but one. Those of
 * the map are in single precision. */
static void count_passes(const dcs_problem *problem, const dcs_mesh *mesh, int64_t real,
                         int64_t *half, int64_t *part) {
  const int *finest = mesh->level[0].nodes;
  *half = 4 * problem->n.x * finest[1] * finest[2];
  *part = 4 * problem->n.x * problem->n.y * finest[2];
  for (int l = 1; l < mesh->n_levels; l++) {
    const int *fine = mesh->level[l - 1].nodes, *coarse = mesh->level[l].nodes;
    *half = larger(*half, real * fine[0] * coarse[1] * coarse[2]);
    *part = larger(*part, real * fine[0] * fine[1] * coarse[2]);
  }
}

static dcs_fft fft_of(const dcs_mesh_level *level, bool doubles) {
  return (dcs_fft){.n = {level->n[0], level->n[1], level->n[2]}, .doubles = doubles};
}

static void add_scratch(const dcs_problem *problem, const dcs_mesh *mesh, const dcs_cells *cells,
                        bool doubles, int table_numbers, dcs_plan *plan) {
  const int64_t real = doubles ? 8 : 4, places = ((int64_t)cells->nx + 1) * cells->ny * cells->nz;
  const int64_t n = dcs_mesh_spread_atoms(problem, mesh);
  int64_t half, part;
  count_passes(problem, mesh, real, &half, &part);
  plan->scratch[SPREAD_LISTS].bytes = 4 * (7 * n + 2 * places);
  if (mesh->periodic) plan->scratch[IMAGES].bytes = 16 * n;
  plan->scratch[SPREAD_COUNTERS] = (dcs_scratch){4 * (1 + places), .zero = true};
  plan->scratch[TABLES].bytes = real * table_numbers;
  plan->scratch[HALF].bytes = half;
  plan->scratch[PART].bytes = part;
  if (mesh->far_nodes) {
    const int64_t far = mesh->far_nodes;
    plan->scratch[FAR].bytes = 4 * far * far * far;
    plan->scratch[FAR_HALF].bytes = 4 * problem->n.x * far * far;
    plan->scratch[FAR_PART].bytes = 4 * problem->n.x * problem->n.y * far;
  }
  for (int l = 0; l < mesh->n_levels; l++) {
    const dcs_fft fft = fft_of(&mesh->level[l], doubles);
    plan->scratch[FINEST + l].bytes = dcs_fft_bytes(&fft);
  }
}

/* ---- steps ---- */

#define OF_SPREAD   DCS_OWN_AT(OWN)
#define OF_MAP      DCS_ARG_NX, DCS_ARG_NY, DCS_ARG_NZ
#define OF_LEVEL(l) DCS_SCRATCH(FINEST + (l))
#define EACH(from, to)                                                                             \
  { from, to, DCS_SCRATCH(TABLES), OF_SPREAD, DCS_ARG_VALUE, DCS_ARG_END }

/* Arguments that name a level's mesh, by levels. */
enum { MULTIPLY, RESTRICT_Z, RESTRICT_X, PROLONG_X, PROLONG_Z, N_OF_LEVEL };
#define LISTS(l)                                                                                   \
  {                                                                                                \
    [MULTIPLY] = {OF_LEVEL(l), DCS_SCRATCH(TABLES), OF_SPREAD, DCS_ARG_VALUE, DCS_ARG_END},        \
    [RESTRICT_Z] = EACH(OF_LEVEL((l)-1), DCS_SCRATCH(PART)),                                       \
    [RESTRICT_X] = EACH(DCS_SCRATCH(HALF), OF_LEVEL(l)),                                           \
    [PROLONG_X] = EACH(OF_LEVEL(l), DCS_SCRATCH(HALF)),                                            \
    [PROLONG_Z] = EACH(DCS_SCRATCH(PART), OF_LEVEL((l)-1))                                         \
  }
static const dcs_arg of_level[DCS_MESH_LEVELS][N_OF_LEVEL][8] = {LISTS(0), LISTS(1), LISTS(2),
                                                                 LISTS(3)};
static const dcs_arg restrict_y[] = EACH(DCS_SCRATCH(PART), DCS_SCRATCH(HALF));
static const dcs_arg prolong_y[] = EACH(DCS_SCRATCH(HALF), DCS_SCRATCH(PART));

/* A thread for each of nx x ny x nz values. */
static void add_pass(dcs_plan *plan, const char *kernel, int64_t nx, int64_t ny, int64_t nz,
                     const dcs_arg *args, int l) {
  dcs_add_step(plan, (dcs_plan_step){.kernel = kernel,
                                     .block = {DCS_MESH_PASS_X, DCS_MESH_PASS_Y, 1},
                                     .grid = {dcs_divide_up(nx, DCS_MESH_PASS_X),
                                              dcs_divide_up(ny, DCS_MESH_PASS_Y), nz},
                                     .args = args,
                                     .value = l});
}

static dcs_plan_step sort_step(const char *kernel, int64_t blocks, const dcs_arg *args) {
  return (dcs_plan_step){.kernel = kernel,
                         .block = {DCS_CELLS_SORT_THREADS, 1, 1},
                         .grid = {blocks, 1, 1},
                         .args = args};
}

static void add_sort(int64_t n, const dcs_cells *cells, bool periodic, dcs_plan *plan) {
  static const dcs_arg images[] = {DCS_SCRATCH(IMAGES), DCS_BUFFER(DCS_COULOMB_ATOMS),
                                   DCS_OWN_AT(N_SPREAD), DCS_OWN_AT(LATTICE), DCS_ARG_END};
  static const dcs_arg cells_alone[] = {DCS_SCRATCH(SPREAD_LISTS), DCS_SCRATCH(SPREAD_COUNTERS),
                                        DCS_OWN_AT(N_SPREAD), DCS_OWN_AT(CELLS), DCS_ARG_END};
#define SORTED(atoms)                                                                              \
  {                                                                                                \
    DCS_SCRATCH(SPREAD_LISTS), DCS_SCRATCH(SPREAD_COUNTERS), atoms, DCS_OWN_AT(N_SPREAD),          \
        DCS_OWN_AT(CELLS), DCS_ARG_END                                                             \
  }
  static const dcs_arg with_atoms[] = SORTED(DCS_BUFFER(DCS_COULOMB_ATOMS));
  static const dcs_arg with_images[] = SORTED(DCS_SCRATCH(IMAGES));
#undef SORTED
  const dcs_arg *args = periodic ? with_images : with_atoms;
  const int64_t blocks = dcs_divide_up(n, DCS_CELLS_SORT_THREADS);
  if (periodic) dcs_add_step(plan, sort_step("place_images", blocks, images));
  dcs_add_step(plan, sort_step("group_atoms", blocks, args));
  dcs_add_step(plan, sort_step("place_rows", (int64_t)cells->ny * cells->nz, cells_alone));
  dcs_add_step(plan, sort_step("place_atoms", blocks, args));
}

static void add_tables(const dcs_problem *problem, const dcs_mesh *mesh, dcs_plan *plan) {
  enum { KINDS = 4, BLOCK = 64 };
  static const dcs_arg args[] = {DCS_SCRATCH(TABLES), OF_SPREAD, OF_MAP, DCS_ARG_SPACING,
                                 DCS_ARG_END};
  int64_t longest = larger(problem->n.x, larger(problem->n.y, problem->n.z));
  for (int l = 0; l < mesh->n_levels; l++)
    for (int d = 0; d < 3; d++)
      longest = larger(longest, mesh->level[l].n[d]);
  dcs_add_step(
      plan, (dcs_plan_step){.kernel = "mesh_tables",
                            .block = {BLOCK, 1, 1},
                            .grid = {dcs_divide_up(longest, BLOCK), KINDS * mesh->n_levels * 3, 1},
                            .args = args});
}

static void add_spread(const dcs_mesh *mesh, dcs_plan *plan) {
  enum { BRICK = 8 };
  static const dcs_arg args[] = {
      OF_LEVEL(0), DCS_SCRATCH(SPREAD_LISTS), DCS_OWN_AT(N_SPREAD), OF_SPREAD,
      OF_MAP,      DCS_ARG_SPACING,           DCS_ARG_END};
  const int *nodes = mesh->periodic ? mesh->level[0].n : mesh->level[0].nodes;
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_FILL, .to = OF_LEVEL(0)});
  dcs_add_step(
      plan, (dcs_plan_step){.kernel = "mesh_spread",
                            .block = {plan->block[0] * plan->block[1], 1, 1},
                            .grid = {dcs_divide_up(nodes[0], BRICK), dcs_divide_up(nodes[1], BRICK),
                                     dcs_divide_up(nodes[2], BRICK)},
                            .args = args});
}

static void add_restriction(const dcs_mesh *mesh, int l, dcs_plan *plan) {
  const int *fine = mesh->level[l - 1].nodes, *coarse = mesh->level[l].nodes;
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_FILL, .to = OF_LEVEL(l)});
  add_pass(plan, "mesh_restrict_z", fine[0], fine[1], coarse[2], of_level[l][RESTRICT_Z], l);
  add_pass(plan, "mesh_restrict_y", fine[0], coarse[1], coarse[2], restrict_y, l);
  add_pass(plan, "mesh_restrict_x", coarse[0], coarse[1], coarse[2], of_level[l][RESTRICT_X], l);
}

static void add_convolution(const dcs_mesh *mesh, int l, bool doubles, dcs_plan *plan) {
  const dcs_mesh_level *level = &mesh->level[l];
  dcs_plan_step step = {
      .does = DCS_STEP_FFT, .from = OF_LEVEL(l), .to = OF_LEVEL(l), .fft = fft_of(level, doubles)};
  step.fft.forward = true;
  dcs_add_step(plan, step);
  add_pass(plan, "mesh_multiply", level->n[0] / 2 + 1, level->n[1], level->n[2],
           of_level[l][MULTIPLY], l);
  step.fft.forward = false;
  dcs_add_step(plan, step);
}

static void add_prolongation(const dcs_mesh *mesh, int l, dcs_plan *plan) {
  const int *fine = mesh->level[l - 1].nodes, *coarse = mesh->level[l].nodes;
  add_pass(plan, "mesh_prolong_x", fine[0], coarse[1], coarse[2], of_level[l][PROLONG_X], l);
  add_pass(plan, "mesh_prolong_y", fine[0], fine[1], coarse[2], prolong_y, l);
  add_pass(plan, "mesh_prolong_z", fine[0], fine[1], fine[2], of_level[l][PROLONG_Z], l);
}

static void add_columns(const dcs_problem *problem, const dcs_mesh *mesh, dcs_plan *plan) {
  static const dcs_arg x[] = {OF_LEVEL(0), DCS_SCRATCH(HALF), DCS_SCRATCH(TABLES), OF_SPREAD,
                              OF_MAP,      DCS_ARG_END};
  static const dcs_arg y[] = {
      DCS_SCRATCH(HALF), DCS_SCRATCH(PART), DCS_SCRATCH(TABLES), OF_SPREAD, OF_MAP, DCS_ARG_END};
  const dcs_dims n = problem->n;
  const int *nodes = mesh->level[0].nodes;
  add_pass(plan, "mesh_map_x", n.x, nodes[1], nodes[2], x, 0);
  add_pass(plan, "mesh_map_y", n.x, n.y, nodes[2], y, 0);
}

static void add_far(const dcs_problem *problem, const dcs_mesh *mesh, dcs_plan *plan) {
  static const dcs_arg potential[] = {DCS_SCRATCH(FAR), DCS_BUFFER(DCS_COULOMB_ATOMS),
                                      DCS_ARG_N_INPUTS, OF_SPREAD,
                                      OF_MAP,           DCS_ARG_SPACING,
                                      DCS_ARG_END};
  static const dcs_arg x[] = {
      DCS_SCRATCH(FAR), DCS_SCRATCH(FAR_HALF), DCS_SCRATCH(TABLES), OF_SPREAD, OF_MAP, DCS_ARG_END};
  static const dcs_arg y[] = {DCS_SCRATCH(FAR_HALF),
                              DCS_SCRATCH(FAR_PART),
                              DCS_SCRATCH(TABLES),
                              OF_SPREAD,
                              OF_MAP,
                              DCS_ARG_END};
  const dcs_dims n = problem->n;
  const int64_t far = mesh->far_nodes, wx = least(far, n.x), wy = least(far, n.y);
  const int64_t wz = least(far, n.z);
  if (far == 0) return;
  dcs_add_step(plan, (dcs_plan_step){.kernel = "mesh_far",
                                     .block = {plan->block[0] * plan->block[1], 1, 1},
                                     .grid = {wx * wy * wz, 1, 1},
                                     .args = potential});
  add_pass(plan, "mesh_far_x", n.x, wy, wz, x, 0);
  add_pass(plan, "mesh_far_y", n.x, n.y, wz, y, 0);
}

static void add_steps(const dcs_problem *problem, const dcs_mesh *mesh, bool doubles,
                      dcs_plan *plan) {
  add_tables(problem, mesh, plan);
  add_spread(mesh, plan);
  for (int l = 1; l < mesh->n_levels; l++)
    add_restriction(mesh, l, plan);
  for (int l = mesh->n_levels - 1; l >= 0; l--) {
    add_convolution(mesh, l, doubles, plan);
    if (l + 1 < mesh->n_levels) add_prolongation(mesh, l + 1, plan);
  }
  add_columns(problem, mesh, plan);
  add_far(problem, mesh, plan);
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
}

void dcs_mesh_plan(const dcs_problem *problem, const dcs_config *config, const dcs_mesh_way *w,
                   bool doubles, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_COULOMB_MAP),
                                 DCS_SHORT_RANGE_ATOMS,
                                 OF_MAP,
                                 DCS_ARG_K,
                                 DCS_ARG_SPACING,
                                 DCS_SCRATCH(DCS_CELLS_LISTS),
                                 DCS_ARG_OWN,
                                 DCS_SHORT_RANGE_RADIAL,
                                 DCS_SCRATCH(PART),
                                 DCS_SCRATCH(FAR_PART),
                                 DCS_SCRATCH(TABLES),
                                 OF_SPREAD,
                                 DCS_ARG_END};
  const dcs_problem grid = dcs_whole_grid(problem);
  const dcs_cells cells = spread_cells(&grid, config, w);
  meshes own = meshes_of(&grid, w, &cells);
  const int numbers = place_tables(&grid, &w->mesh, &own);
  dcs_short_range_plan(problem, config, &w->radial, plan);
  plan->args = args;
  memcpy(plan->own + OWN, &own, sizeof own);
  add_scratch(&grid, &w->mesh, &cells, doubles, numbers, plan);
  add_sort(own.n_spread, &cells, own.periodic, plan);
  add_steps(&grid, &w->mesh, doubles, plan);
}
