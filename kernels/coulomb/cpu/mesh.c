/* Mesh: the potential to a tolerance, by a short range sum and a mesh.
 *
 * Idea: see mesh.h. The short range part is that of cpu_cutoff with another radial function; the
 *   mesh is in double precision, for it costs little here.
 * Derives from: cpu_cutoff in the short range part.
 * Parameters: threads (1..1024); isa, of the short range part and of the loops over the mesh's
 *   nodes; order, the nodes of the window along a dimension; short_range, the reach of the short
 *   range part in tenths of an angstrom. Spacings and the windows' shapes follow from the tolerance
 *   and from what the problem's atoms say about its map, so every configuration is on the line of
 *   equal error. A longer cutoff makes the mesh coarser.
 * Limits: the tolerance is held by an estimate, with a margin, not by a bound; the short range part
 *   and the map are in single precision, whose floor is near 2e-6. */
#include "kernels/common/cpu.h"
#include "kernels/common/phase.h"
#include "kernels/coulomb/cpu/cutoff.h"
#include "kernels/coulomb/cpu/cutoff_cells.h"
#include "kernels/coulomb/cpu/mesh_convolve.h"
#include "kernels/coulomb/cpu/mesh_spread.h"
#include "kernels/coulomb/images.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS, ISA, ORDER, CUTOFF, N_PARAMS };
static const int order_tries[] = {0, 4, 6, 8, 10, DCS_TRIES_END};
static const int cutoff_tries[] = {30, 40, 50, 60, 80, 100, DCS_TRIES_END};

/* ---- the plan of a map ---- */

static double cutoff_of(const dcs_problem *problem, const dcs_config *config) {
  return dcs_mesh_cutoff(problem, 0.1 * config->value[CUTOFF]);
}

static dcs_cpu_bricks bricks_of(const dcs_config *config) {
  return (dcs_cpu_bricks){(int)config->value[THREADS], (int)config->value[ISA], 4};
}

static double images_of(const dcs_problem *problem, const dcs_config *config) {
  return dcs_periodic(problem) ? dcs_most_images(problem, cutoff_of(problem, config)) : 1;
}

static bool find_way(const dcs_problem *problem, const dcs_config *config, dcs_mesh_way *w,
                     char why[DCS_TEXT]) {
  return dcs_mesh_find_way(problem, (int)config->value[ORDER], cutoff_of(problem, config),
                           (int)config->value[THREADS], w, why);
}

static bool available(char why[DCS_TEXT]) {
  return dcs_fftw_available(why);
}

static bool applicable(const dcs_problem *slab, const dcs_config *config, char why[DCS_TEXT]) {
  const dcs_problem grid = dcs_whole_grid(slab), *problem = &grid;
  dcs_mesh_way w;
  if (images_of(problem, config) * (double)problem->n_inputs > INT32_MAX - 16) {
    snprintf(why, DCS_TEXT, "more than %d atoms%s", INT32_MAX - 16,
             dcs_periodic(problem) ? " and images of atoms within the short range part" : "");
    return false;
  }
  return dcs_mesh_has_order((int)config->value[ORDER], why) &&
         dcs_cpu_isa_applicable(problem, config, why) &&
         (dcs_tolerance(problem) == 0 || find_way(problem, config, &w, why)); /* 0: of any */
}

/* ---- what all slabs have in common ---- */

typedef struct {
  dcs_mesh_way way;
  dcs_cutoff_cells near; /* atoms for the short range part */
  dcs_mesh_values levels[DCS_MESH_LEVELS];
  dcs_mesh_axis axes[3]; /* of the grid's points */
  dcs_mesh_far far;
} begun_map;

/* The potential of the mesh. */
static bool begin_mesh(const dcs_problem *grid, const dcs_cpu_bricks *how, begun_map *m) {
  const dcs_mesh_lines *lines = dcs_mesh_lines_of(how->isa);
  const int threads = how->threads;
  const dcs_mesh *mesh = &m->way.mesh;
  const double origin[3] = {0, 0, 0};
  const int n[3] = {(int)grid->n.x, (int)grid->n.y, (int)grid->n.z};
  if (!dcs_mesh_allocate(mesh, threads, m->levels) ||
      !dcs_mesh_axes(mesh, 0, origin, n, (double)grid->spacing, m->axes))
    return false;
  dcs_phase("spread");
  if (!dcs_mesh_spread(grid, &m->way.scene, mesh, threads, lines, &m->levels[0].nodes))
    return false;
  dcs_phase("convolution");
  return dcs_mesh_convolve(mesh, threads, lines, m->levels);
}

static void forget(void *begun) {
  begun_map *m = begun;
  if (!m) return;
  dcs_cutoff_free(&m->near);
  dcs_mesh_release(&m->way.mesh, m->levels);
  for (int d = 0; d < 3; d++)
    dcs_mesh_axis_free(&m->axes[d]);
  dcs_mesh_free_far(&m->far);
  free(m);
}

static void *begin(const dcs_problem *problem, const dcs_config *config) {
  const dcs_problem grid = dcs_whole_grid(problem);
  const dcs_cpu_bricks bricks = bricks_of(config);
  char why[DCS_TEXT];
  dcs_phase("set up");
  begun_map *m = calloc(1, sizeof *m);
  bool has_memory = m && find_way(&grid, config, &m->way, why);
  dcs_phase("short range");
  has_memory = has_memory && dcs_cpu_short_range_sort(&grid, &m->way.radial, &bricks, &m->near) &&
               begin_mesh(&grid, &bricks, m);
  dcs_phase("far atoms");
  if (has_memory && dcs_mesh_find_far(&grid, &m->way.scene, &m->way.mesh, bricks.threads, &m->far))
    return m;
  forget(m);
  return NULL;
}

/* ---- the map ---- */

/* The entries of the slab's slices. */
static dcs_mesh_axis cut_axis(const dcs_mesh_axis *axis, const dcs_problem *slab) {
  return (dcs_mesh_axis){(int)slab->n.z, axis->width, axis->first + slab->first_slice,
                         axis->w + slab->first_slice * axis->width};
}

static bool interpolate(const dcs_mesh_nodes *nodes, const dcs_mesh_axis axes[3],
                        const dcs_problem *slab, const dcs_cpu_bricks *how, float *map) {
  const dcs_mesh_axis cut[3] = {axes[0], axes[1], cut_axis(&axes[2], slab)};
  return dcs_mesh_interpolate(nodes, cut, how->threads, dcs_mesh_lines_of(how->isa), map, NULL);
}

static void clear(const dcs_problem *slab, int threads, float *map) {
  const size_t slice = (size_t)(slab->n.x * slab->n.y);
  (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (int64_t k = 0; k < slab->n.z; k++)
    memset(map + (size_t)k * slice, 0, slice * sizeof *map);
}

static bool compute_slab(const dcs_problem *problem, const dcs_config *config, const void *begun,
                         void *const out[]) {
  const begun_map *m = begun;
  const dcs_cpu_bricks bricks = bricks_of(config);
  float *map = out[DCS_COULOMB_MAP];
  dcs_phase("short range");
  clear(problem, bricks.threads, map);
  dcs_cpu_short_range_add(&m->near, problem, &m->way.radial, &bricks, map);
  dcs_phase("interpolation");
  if (!interpolate(&m->levels[0].nodes, m->axes, problem, &bricks, map)) return false;
  dcs_phase("far atoms");
  return !m->far.potential || interpolate(&m->far.nodes, m->far.axes, problem, &bricks, map);
}

static bool compute(const dcs_problem *problem, const dcs_config *config, void *const out[]) {
  void *begun = begin(problem, config);
  const bool computed = begun && compute_slab(problem, config, begun, out);
  forget(begun);
  return computed;
}

/* Meshes, atoms, axes, and what the map is read from layer by layer. */
static double working_bytes(const dcs_problem *problem, const dcs_config *config) {
  const dcs_problem grid = dcs_whole_grid(problem);
  const double atoms = images_of(&grid, config) * (double)grid.n_inputs;
  const double axes = (double)(grid.n.x + grid.n.y + grid.n.z);
  dcs_mesh_way w;
  char why[DCS_TEXT];
  if (!find_way(&grid, config, &w, why)) return 0;
  const int entries = w.mesh.level[0].order + w.mesh.far_nodes;
  return dcs_mesh_working_bytes(&w.mesh, grid.n, (int)config->value[THREADS]) +
         (DCS_CUTOFF_ATOM_BYTES + 2 * sizeof(int32_t)) * atoms +
         axes * (entries * (double)sizeof(double) + 2 * sizeof(int32_t));
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  const dcs_cpu_bricks bricks = bricks_of(config);
  char why[DCS_TEXT];
  dcs_mesh_way w;
  *found = (dcs_candidates){.pairs = NAN, .fill = NAN};
  if (find_way(problem, config, &w, why))
    found->pairs = dcs_cpu_short_range_pairs(problem, &w.radial, &bricks);
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  enum { TILE = 4 };
  const dcs_dims n = problem->n;
  return (dcs_dims){dcs_round_up(n.x, TILE), dcs_round_up(n.y, TILE), dcs_round_up(n.z, TILE)};
}

/* Of a pair of the short range part: its polynomial has a degree near 8. */
static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return 2 + 2 + 2 + 2 * 8 + 2 + 5.0 / 4;
}

static const dcs_param params[N_PARAMS] = {
    [THREADS] = DCS_CPU_THREADS,
    [ISA] = DCS_CPU_ISA,
    [ORDER] = {.name = "order",
               .meaning = "nodes that a charge is spread to along a dimension, even; more where a "
                          "tolerance needs more; 0: by the tolerance",
               .lo = 0,
               .hi = DCS_MESH_MOST_ORDER,
               .initial = 0,
               .tries = order_tries},
    [CUTOFF] = {.name = "short_range",
                .meaning = "reach of the short range part in tenths of an angstrom; half of a "
                           "periodic cell's mean edge at most",
                .lo = 10,
                .hi = 500,
                .initial = 50,
                .tries = cutoff_tries}};

static const char *const sources[] = {"kernels/coulomb/cpu/mesh.c",
                                      "kernels/coulomb/cpu/mesh_axis.c",
                                      "kernels/coulomb/cpu/mesh_axis.h",
                                      "kernels/coulomb/cpu/mesh_convolve.c",
                                      "kernels/coulomb/cpu/mesh_convolve.h",
                                      "kernels/coulomb/cpu/mesh_lines.c",
                                      "kernels/coulomb/cpu/mesh_lines.h",
                                      "kernels/coulomb/cpu/mesh_look.c",
                                      "kernels/coulomb/cpu/mesh_rough.c",
                                      "kernels/coulomb/cpu/mesh_rough.h",
                                      "kernels/coulomb/cpu/mesh_spread.c",
                                      "kernels/coulomb/cpu/mesh_spread.h",
                                      "kernels/coulomb/mesh.c",
                                      "kernels/coulomb/mesh.h",
                                      "kernels/coulomb/mesh_error.c",
                                      "kernels/coulomb/crowd.c",
                                      "kernels/coulomb/crowd.h",
                                      "kernels/coulomb/mesh_window.c",
                                      "kernels/coulomb/split.c",
                                      "kernels/coulomb/split.h",
                                      "kernels/common/fft.c",
                                      "kernels/common/fft.h",
                                      "kernels/common/fft_lines.h",
                                      "kernels/common/fftw.c",
                                      "kernels/common/fftw.h",
                                      "kernels/common/phase.h",
                                      DCS_CPU_SHORT_RANGE_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cpu_mesh = {
    .id = "cpu_mesh",
    .kind = "coulomb",
    .sources = sources,
    .idea = "to a tolerance: a short range sum, and a mesh with Fourier transforms for the rest",
    .backend = DCS_CPU,
    .algorithm = "mesh",
    .params = params,
    .n_params = N_PARAMS,
    .available = available,
    .solves = dcs_mesh_solves,
    .applicable = applicable,
    .executed = executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_cpu_longest_sum_all,
    .candidates = candidates,
    .compute = compute,
    .slabs = true,
    .begin = begin,
    .compute_slab = compute_slab,
    .forget = forget,
    .working_bytes = working_bytes,
    .slab_step = DCS_CUTOFF_BRICK,
};
