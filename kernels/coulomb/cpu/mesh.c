/* Mesh: the potential to a tolerance, by a short range sum and a mesh.
 *
 * Idea: see mesh.h. The short range part is that of cpu_cutoff with another radial function; the
 * mesh is in double precision, for it costs little here. Derives from: cpu_cutoff in the short
 * range part. Parameters: threads (1..1024); isa, of the short range part; order, the nodes of the
 * window along a dimension; short_range, the reach of the short range part in tenths of an
 * angstrom. Spacings and the windows' shapes follow from the tolerance and from what the problem's
 * atoms say about its map, so every configuration is on the line of equal error. A longer cutoff
 * makes the mesh coarser. Limits: the tolerance is held by an estimate, with a margin, not by a
 * bound; the short range part and the map are in single precision, whose floor is near 2e-6. */
#include "kernels/common/cpu.h"
#include "kernels/common/phase.h"
#include "kernels/coulomb/cpu/cutoff.h"
#include "kernels/coulomb/cpu/mesh_convolve.h"
#include "kernels/coulomb/cpu/mesh_spread.h"
#include "kernels/coulomb/images.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { THREADS, ISA, ORDER, CUTOFF, N_PARAMS };
static const int order_tries[] = {4, 6, 8, 10, DCS_TRIES_END};
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

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  dcs_mesh_way w;
  if (images_of(problem, config) * (double)problem->n_inputs > INT32_MAX - 16) {
    snprintf(why, DCS_TEXT, "more than %d atoms%s", INT32_MAX - 16,
             dcs_periodic(problem) ? " and images of atoms within the short range part" : "");
    return false;
  }
  return dcs_mesh_has_order((int)config->value[ORDER], why) &&
         dcs_cpu_has_isa((int)config->value[ISA], why) &&
         dcs_cpu_applicable(problem, config, why) &&
         (dcs_tolerance(problem) == 0 || find_way(problem, config, &w, why)); /* 0: of any */
}

/* ---- what is computed ---- */

static bool add_mesh(const dcs_problem *problem, const dcs_mesh_way *w, int threads,
                     dcs_mesh_values *levels, float *map) {
  const double origin[3] = {0, 0, 0};
  const int n[3] = {(int)problem->n.x, (int)problem->n.y, (int)problem->n.z};
  dcs_mesh_axis axes[3] = {{0}};
  dcs_phase("spread");
  bool has_memory = dcs_mesh_axes(&w->mesh, 0, origin, n, (double)problem->spacing, axes) &&
                    dcs_mesh_spread(problem, &w->scene, &w->mesh, threads, &levels[0].nodes);
  dcs_phase("convolution");
  has_memory = has_memory && dcs_mesh_convolve(&w->mesh, threads, levels);
  dcs_phase("interpolation");
  has_memory = has_memory && dcs_mesh_interpolate(&levels[0].nodes, axes, threads, map, NULL);
  for (int d = 0; d < 3; d++)
    dcs_mesh_axis_free(&axes[d]);
  return has_memory;
}

static bool compute(const dcs_problem *problem, const dcs_config *config, void *const out[]) {
  float *map = out[DCS_COULOMB_MAP];
  dcs_mesh_values levels[DCS_MESH_LEVELS];
  const dcs_cpu_bricks bricks = bricks_of(config);
  char why[DCS_TEXT];
  dcs_mesh_way w;
  dcs_phase("set up");
  if (!find_way(problem, config, &w, why)) return false;
  dcs_phase("short range");
  memset(map, 0, (size_t)(problem->n.x * problem->n.y * problem->n.z) * sizeof *map);
  bool has_memory = dcs_cpu_short_range(problem, &w.radial, &bricks, map);
  has_memory = dcs_mesh_allocate(&w.mesh, bricks.threads, levels) && has_memory &&
               add_mesh(problem, &w, bricks.threads, levels, map);
  dcs_mesh_release(&w.mesh, levels);
  dcs_phase("far atoms");
  return has_memory && dcs_mesh_add_far(problem, &w.scene, &w.mesh, bricks.threads, map);
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
};
