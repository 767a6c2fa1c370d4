/* Descriptor of cuda_mesh. */
#include "kernels/coulomb/cuda/mesh_plan.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

enum { ORDER = DCS_CELLS_N_PARAMS, SHORT_RANGE, MESH, N_PARAMS };
enum { SINGLE, DOUBLE };

static const int tile_atoms_tried[] = {512, 1024, DCS_TRIES_END};
static const int order_tried[] = {0, 4, 6, 8, 10, DCS_TRIES_END};
static const int short_range_tried[] = {30, 40, 50, 60, 80, DCS_TRIES_END};
static const char *const precisions[] = {"single", "double"};
static const dcs_param params[N_PARAMS] = {
    DCS_NEAR_PARAMS(tile_atoms_tried),
    {"order",
     "nodes that a charge is spread to along a dimension, even; more where a tolerance needs more; "
     "0: by the tolerance",
     0, DCS_MESH_MOST_ORDER, 0, NULL, order_tried},
    {"short_range",
     "reach of the short range part in tenths of an angstrom; half of a periodic cell's mean edge "
     "at most",
     10, 500, 40, NULL, short_range_tried},
    {"mesh", "precision of the meshes", SINGLE, DOUBLE, DOUBLE, precisions, NULL},
};

/* ---- the way of a problem ---- */

static double cutoff_of(const dcs_problem *problem, const dcs_config *config) {
  return dcs_mesh_cutoff(problem, 0.1 * config->value[SHORT_RANGE]);
}

static bool find_way(const dcs_problem *problem, const dcs_config *config, dcs_mesh_way *w,
                     char why[DCS_TEXT]) {
  return dcs_mesh_find_way(problem, (int)config->value[ORDER], cutoff_of(problem, config), 1, w,
                           why);
}

static bool fits(const dcs_problem *problem, const dcs_mesh *mesh, char why[DCS_TEXT]) {
  if (problem->n.y > DCS_MESH_MOST_IN_Y) {
    snprintf(why, DCS_TEXT, "%lld points in y; at most %d", (long long)problem->n.y,
             DCS_MESH_MOST_IN_Y);
    return false;
  }
  if (dcs_mesh_spread_atoms(problem, mesh) > INT_MAX / 2) {
    snprintf(why, DCS_TEXT, "more than %d places for atoms that are spread", INT_MAX / 2);
    return false;
  }
  for (int l = 0; l < mesh->n_levels; l++)
    for (int d = 0; d < 3; d++)
      if (fmax(mesh->level[l].n[d], mesh->level[l].nodes[d]) > INT16_MAX) {
        snprintf(why, DCS_TEXT, "a mesh of %d nodes in a dimension; at most %d",
                 mesh->level[l].n[d], INT16_MAX);
        return false;
      }
  return true;
}

/* What rounds on meshes in single precision was up to 2.5e-5 of R in a box of water with a diagonal
 * of 200 angstrom, on an H200; longer waves round more. */
static bool accurate(const dcs_mesh_scene *scene, double tolerance, char why[DCS_TEXT]) {
  double diagonal2 = 0;
  for (int d = 0; d < 3; d++)
    diagonal2 += (scene->hi[d] - scene->lo[d]) * (scene->hi[d] - scene->lo[d]);
  const double least = 5e-5 * fmax(1, sqrt(sqrt(diagonal2) / 200));
  if (tolerance >= least) return true;
  snprintf(why, DCS_TEXT, "a tolerance of %g; meshes in single precision reach %.2g here",
           tolerance, least);
  return false;
}

/* Finds a way that the kernels can go. */
static bool can_go(const dcs_problem *problem, const dcs_config *config, dcs_mesh_way *w,
                   char why[DCS_TEXT]) {
  const dcs_problem grid = dcs_whole_grid(problem);
  return find_way(&grid, config, w, why) && fits(&grid, &w->mesh, why) &&
         (config->value[MESH] == DOUBLE || accurate(&w->scene, dcs_tolerance(problem), why));
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  dcs_mesh_way w;
  return dcs_mesh_has_order((int)config->value[ORDER], why) &&
         dcs_near_applicable(problem, config, cutoff_of(problem, config), why) &&
         can_go(problem, config, &w, why);
}

static double flops_per_eval(const dcs_config *config) {
  return 1 + 2 + 2 + 2 * 8 + 2 + 2 + 5.0 / config->value[DCS_CELLS_COARSEN_Z];
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  dcs_near_candidates(problem, config, cutoff_of(problem, config), found);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  char why[DCS_TEXT];
  dcs_mesh_way w;
  if (can_go(problem, config, &w, why)) {
    dcs_mesh_plan(problem, config, &w, config->value[MESH] == DOUBLE, plan);
    return;
  }
  /* asked for the launches of a shape alone */
  dcs_radial_taylor(cutoff_of(problem, config), DCS_RADIAL_LOW, &w.radial);
  dcs_short_range_plan(problem, config, &w.radial, plan);
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
  plan->incomplete = true;
}

static const char *const sources[] = {"kernels/coulomb/cuda/mesh.cu",
                                      "kernels/coulomb/cuda/mesh.cuh",
                                      "kernels/coulomb/cuda/mesh_charges.cuh",
                                      "kernels/coulomb/cuda/mesh_far.cuh",
                                      "kernels/coulomb/cuda/mesh_levels.cuh",
                                      "kernels/coulomb/cuda/mesh.c",
                                      "kernels/coulomb/cuda/mesh_plan.c",
                                      "kernels/coulomb/cuda/mesh_plan.h",
                                      "kernels/coulomb/cpu/mesh_look.c",
                                      "kernels/coulomb/cpu/mesh_rough.c",
                                      "kernels/coulomb/cpu/mesh_rough.h",
                                      "kernels/coulomb/mesh.c",
                                      "kernels/coulomb/mesh.h",
                                      "kernels/coulomb/mesh_error.c",
                                      "kernels/coulomb/crowd.c",
                                      "kernels/coulomb/crowd.h",
                                      "kernels/coulomb/split.c",
                                      "kernels/coulomb/split.h",
                                      "kernels/common/fft.c",
                                      "kernels/common/fft.h",
                                      "kernels/common/fft_lines.h",
                                      DCS_NEAR_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cuda_mesh = {
    .id = "cuda_mesh",
    .kind = "coulomb",
    .sources = sources,
    .idea = "to a tolerance: a short range sum, and meshes with Fourier transforms for the rest",
    .backend = DCS_GPU,
    .algorithm = "mesh",
    .params = params,
    .n_params = N_PARAMS,
    .solves = dcs_mesh_solves,
    .applicable = applicable,
    .executed = dcs_cells_executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_longest_sum_all,
    .candidates = candidates,
    .plan = plan,
    .looks = true,
    .slabs = true,
};
