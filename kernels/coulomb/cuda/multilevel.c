/* Descriptor of cuda_multilevel. */
#include "kernels/coulomb/multilevel.h"
#include "kernels/coulomb/cuda/short_range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ORDER = DCS_CELLS_N_PARAMS, CUTOFF, RATIO };

/* As in the kernels. */
enum {
  LAYOUT_BYTES = 4096,
  THREADS = 128,
  TOP_THREADS = 64,
  RING = 128,
  CUT_X = 32,
  CUT_Y = 4,
  CUT_Z = 8
};
typedef struct {
  double h, ratio;
  int n_levels, reach, longest;
  int n[3];
} multilevel;

/* Behind the short range part in `own`. */
enum { OWN_AT = (sizeof(dcs_short_range) + 7) / 8 * 8 };
_Static_assert(OWN_AT + sizeof(multilevel) <= DCS_OWN_BYTES, "a plan holds it");

/* Scratch behind that of the cells. Weights: the parts of 1/r and, filtered along x and y, these
 * again; then rows of them, and the top's. Lines: points in x of nodes; planes: points in x and y.
 */
enum {
  LAYOUT = DCS_CELLS_N_SCRATCH,
  CHARGES,
  FILTERED,
  POTENTIAL,
  PARTS,
  PARTS_X,
  PARTS_Y,
  ROWS,
  TOP,
  LINES,
  PLANES,
  FAR,
  N_SCRATCH
};
_Static_assert((int)N_SCRATCH <= (int)DCS_MAX_SCRATCH, "a plan has so many");

static const int tile_atoms_tried[] = {256, 512, DCS_TRIES_END};
static const int cutoff_tries[] = {0, 40, 50, 60, 70, 80, 100, DCS_TRIES_END};
static const int ratio_tries[] = {0, 30, 40, 50, 60, DCS_TRIES_END};
static const dcs_param params[] = {
    DCS_NEAR_PARAMS(tile_atoms_tried),
    DCS_ML_ORDER,
    DCS_ML_CUTOFF(cutoff_tries),
    DCS_ML_RATIO(ratio_tries),
};

static bool choose(const dcs_problem *problem, const dcs_config *config, dcs_multilevel *m,
                   char why[DCS_TEXT]) {
  const dcs_problem grid = dcs_whole_grid(problem);
  const dcs_ml_wanted wanted = {.order = (int)config->value[ORDER],
                                .cutoff = 0.1 * config->value[CUTOFF],
                                .ratio = 0.1 * config->value[RATIO],
                                .threads = 1};
  return dcs_multilevel_choose(&grid, &wanted, m, why);
}

/* Of the cells; the direct sum has none, and they are not used. */
static double cutoff_of(const dcs_problem *problem, const dcs_multilevel *m) {
  return m->n_levels > 0 ? m->cutoff : (double)problem->spacing;
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  dcs_multilevel m;
  if (problem->n.y > 65535) {
    snprintf(why, DCS_TEXT, "%lld points in y are as many blocks; CUDA allows 65535",
             (long long)problem->n.y);
    return false;
  }
  return choose(problem, config, &m, why) &&
         dcs_near_applicable(problem, config, cutoff_of(problem, &m), why);
}

/* Of the short range part: r^2 (2), the reciprocal square root (2), P (2 a degree), and the sum. */
static double flops_per_eval(const dcs_config *config) {
  static const int degree[] = {2, 4, 5, 6};
  return 1 + 2 + 2 + 2 * degree[(int)config->value[ORDER]] + 3 +
         5.0 / config->value[DCS_CELLS_COARSEN_Z];
}

/* Of the short range part. */
static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  const dcs_dims n = problem->n;
  dcs_multilevel m;
  char why[DCS_TEXT];
  *found = (dcs_candidates){
      .pairs = (double)problem->n_inputs * (double)n.x * (double)n.y * (double)n.z, .fill = NAN};
  if (choose(problem, config, &m, why) && m.n_levels > 0)
    dcs_near_candidates(problem, config, m.cutoff, found);
}

/* ---- plan ---- */

static void add_kernel(dcs_plan *plan, const char *kernel, int threads, int64_t work,
                       const dcs_arg *args, int value) {
  dcs_add_step(plan, (dcs_plan_step){.kernel = kernel,
                                     .block = {threads, 1, 1},
                                     .grid = {dcs_divide_up(work, threads), 1, 1},
                                     .args = args,
                                     .value = value});
}

/* The same for x and y of a grid of blocks in y and z. */
static void spread_blocks(dcs_plan *plan, int64_t y, int64_t z) {
  plan->steps[plan->n_steps - 1].grid[1] = y;
  plan->steps[plan->n_steps - 1].grid[2] = z;
}

/* For a level's weights and the top's. */
static void add_filter(dcs_plan *plan, const char *kernel, int64_t work, const dcs_arg *args) {
  add_kernel(plan, kernel, THREADS, work, args, 0);
  spread_blocks(plan, 2, 1);
}

static void add_weights(const multilevel *own, int beyond, dcs_plan *plan) {
  static const dcs_arg layout[] = {DCS_OWN_AT(OWN_AT), DCS_SCRATCH(LAYOUT), DCS_ARG_END};
  static const dcs_arg parts[] = {DCS_OWN_AT(OWN_AT), DCS_SCRATCH(PARTS), DCS_ARG_END};
  static const dcs_arg x[] = {DCS_OWN_AT(OWN_AT), DCS_SCRATCH(LAYOUT), DCS_SCRATCH(PARTS),
                              DCS_SCRATCH(PARTS_X), DCS_ARG_END};
  static const dcs_arg y[] = {DCS_OWN_AT(OWN_AT), DCS_SCRATCH(LAYOUT), DCS_SCRATCH(PARTS_X),
                              DCS_SCRATCH(PARTS_Y), DCS_ARG_END};
  static const dcs_arg z[] = {DCS_OWN_AT(OWN_AT), DCS_SCRATCH(LAYOUT), DCS_SCRATCH(PARTS_Y),
                              DCS_SCRATCH(ROWS),  DCS_SCRATCH(TOP),    DCS_ARG_END};
  const int64_t wanted = own->longest + 1, taken = wanted + beyond;
  const int64_t row = (2 * own->reach + 3 * CUT_Z + 3) / 4 * 4;
  plan->scratch[LAYOUT].bytes = LAYOUT_BYTES;
  plan->scratch[PARTS].bytes = 2 * 8 * taken * taken * taken;
  plan->scratch[PARTS_X].bytes = 2 * 8 * wanted * taken * taken;
  plan->scratch[PARTS_Y].bytes = 2 * 8 * wanted * wanted * taken;
  plan->scratch[ROWS].bytes = 4 * row * (own->reach + 1) * (own->reach + 1);
  plan->scratch[TOP].bytes = 4 * wanted * wanted * wanted;
  add_kernel(plan, "lay_out", RING, 1, layout, 0);
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_FILL, .to = DCS_SCRATCH(ROWS)});
  add_filter(plan, "take_parts", taken * taken * taken, parts);
  add_filter(plan, "filter_x", wanted * taken * taken, x);
  add_filter(plan, "filter_y", wanted * wanted * taken, y);
  add_filter(plan, "filter_z", wanted * wanted * wanted, z);
}

static void add_charges(const dcs_problem *problem, const dcs_multilevel *m, dcs_plan *plan) {
  static const dcs_arg spread[] = {
      DCS_OWN_AT(OWN_AT), DCS_SCRATCH(LAYOUT),  DCS_BUFFER(DCS_COULOMB_ATOMS),
      DCS_ARG_N_INPUTS,   DCS_SCRATCH(CHARGES), DCS_SCRATCH(FAR),
      DCS_ARG_END};
  static const dcs_arg restricts[] = {DCS_SCRATCH(LAYOUT), DCS_SCRATCH(CHARGES), DCS_ARG_VALUE,
                                      DCS_ARG_END};
  static const dcs_arg there[] = {DCS_OWN_AT(OWN_AT),    DCS_SCRATCH(LAYOUT), DCS_SCRATCH(CHARGES),
                                  DCS_SCRATCH(FILTERED), DCS_ARG_VALUE,       DCS_ARG_END};
  static const dcs_arg back[] = {DCS_OWN_AT(OWN_AT),   DCS_SCRATCH(LAYOUT), DCS_SCRATCH(FILTERED),
                                 DCS_SCRATCH(CHARGES), DCS_ARG_VALUE,       DCS_ARG_END};
  const int lanes = m->nodes <= 8 ? 8 : 16;
  int64_t all = 0;
  for (int k = 0; k < m->n_levels; k++)
    all += dcs_ml_nodes(&m->level[k].charge);
  plan->scratch[CHARGES].bytes = plan->scratch[FILTERED].bytes = 4 * all;
  plan->scratch[FAR].bytes = 16 * problem->n_inputs;
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_FILL, .to = DCS_SCRATCH(CHARGES)});
  add_kernel(plan, "spread_charges", THREADS, lanes * problem->n_inputs, spread, 0);
  for (int k = 0; k + 1 < m->n_levels; k++)
    add_kernel(plan, "restrict_charges", THREADS, dcs_ml_nodes(&m->level[k + 1].charge), restricts,
               k);
  for (int d = 0; d < 3; d++)
    add_kernel(plan, "filter_charges", THREADS, all, d == 1 ? back : there, d);
}

/* Blocks of cut_off. */
static int64_t blocks_of(const dcs_multilevel *m) {
  int64_t blocks = 0;
  for (int k = 0; k + 1 < m->n_levels; k++) {
    const int *n = m->level[k].potential.n;
    blocks += dcs_divide_up(n[0], CUT_X) * dcs_divide_up(n[1], CUT_Y) * dcs_divide_up(n[2], CUT_Z);
  }
  return blocks;
}

static void add_potential(const dcs_multilevel *m, dcs_plan *plan) {
  static const dcs_arg cut[] = {DCS_OWN_AT(OWN_AT), DCS_SCRATCH(LAYOUT),    DCS_SCRATCH(FILTERED),
                                DCS_SCRATCH(ROWS),  DCS_SCRATCH(POTENTIAL), DCS_ARG_END};
  static const dcs_arg top[] = {DCS_OWN_AT(OWN_AT), DCS_SCRATCH(LAYOUT),    DCS_SCRATCH(FILTERED),
                                DCS_SCRATCH(TOP),   DCS_SCRATCH(POTENTIAL), DCS_ARG_END};
  static const dcs_arg prolong[] = {DCS_SCRATCH(LAYOUT), DCS_SCRATCH(POTENTIAL), DCS_ARG_VALUE,
                                    DCS_ARG_END};
  int64_t all = 0;
  for (int k = 0; k < m->n_levels; k++)
    all += dcs_ml_nodes(&m->level[k].potential);
  plan->scratch[POTENTIAL].bytes = 4 * all;
  if (m->n_levels > 1)
    dcs_add_step(plan, (dcs_plan_step){.kernel = "cut_off",
                                       .block = {CUT_X, CUT_Y, 1},
                                       .grid = {blocks_of(m), 1, 1},
                                       .args = cut});
  add_kernel(plan, "sum_top", TOP_THREADS,
             TOP_THREADS * dcs_ml_nodes(&m->level[m->n_levels - 1].potential), top, 0);
  for (int k = m->n_levels - 2; k >= 0; k--)
    add_kernel(plan, "prolong_potential", THREADS, dcs_ml_nodes(&m->level[k].potential), prolong,
               k);
}

static void add_points(const dcs_problem *problem, const dcs_multilevel *m, dcs_plan *plan) {
  static const dcs_arg x[] = {DCS_OWN_AT(OWN_AT), DCS_SCRATCH(POTENTIAL), DCS_SCRATCH(LINES),
                              DCS_ARG_NX,         DCS_ARG_SPACING,        DCS_ARG_END};
  static const dcs_arg y[] = {DCS_OWN_AT(OWN_AT), DCS_SCRATCH(LINES), DCS_SCRATCH(PLANES),
                              DCS_ARG_NX,         DCS_ARG_NY,         DCS_ARG_SPACING,
                              DCS_ARG_END};
  const int64_t nx = problem->n.x, ny = problem->n.y;
  const int *n = m->level[0].potential.n;
  plan->scratch[LINES].bytes = 4 * nx * n[1] * n[2];
  plan->scratch[PLANES].bytes = 4 * nx * ny * n[2];
  add_kernel(plan, "points_x", THREADS, nx, x, 0);
  spread_blocks(plan, n[1], n[2]);
  add_kernel(plan, "points_y", THREADS, nx, y, 0);
  spread_blocks(plan, ny, n[2]);
}

static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_BUFFER(DCS_COULOMB_MAP),
                                 DCS_BUFFER(DCS_COULOMB_ATOMS),
                                 DCS_ARG_N_INPUTS,
                                 DCS_ARG_NX,
                                 DCS_ARG_NY,
                                 DCS_ARG_NZ,
                                 DCS_ARG_K,
                                 DCS_ARG_SPACING,
                                 DCS_SCRATCH(DCS_CELLS_LISTS),
                                 DCS_ARG_OWN,
                                 DCS_SHORT_RANGE_RADIAL,
                                 DCS_OWN_AT(OWN_AT),
                                 DCS_SCRATCH(LAYOUT),
                                 DCS_SCRATCH(PLANES),
                                 DCS_SCRATCH(FAR),
                                 DCS_ARG_END};
  dcs_multilevel m = {0};
  dcs_radial radial;
  char why[DCS_TEXT];
  /* applicable() has asked; what is no problem to a tolerance has the shape of a direct sum */
  const bool chosen = choose(problem, config, &m, why);
  if (!chosen) m.n_levels = 0;
  dcs_radial_taylor(cutoff_of(problem, &m), m.n_levels > 0 ? m.softening : 1, &radial);
  dcs_short_range_plan(problem, config, &radial, plan);
  multilevel own = {.n_levels = m.n_levels};
  if (m.n_levels > 0) {
    const dcs_ml_level *top = &m.level[m.n_levels - 1];
    own = (multilevel){.h = m.h,
                       .ratio = m.cutoff / m.h,
                       .n_levels = m.n_levels,
                       .reach = (m.level[0].charge.n[0] - m.level[0].potential.n[0]) / 2};
    for (int d = 0; d < 3; d++) {
      own.n[d] = m.level[0].potential.n[d];
      if (top->reach[d] > own.longest) own.longest = top->reach[d];
    }
    add_weights(&own, m.filter[2], plan);
    add_charges(problem, &m, plan);
    add_potential(&m, plan);
    add_points(problem, &m, plan);
  } else {
    plan->n_steps = 0;
  }
  plan->args = args;
  memcpy(plan->own + OWN_AT, &own, sizeof own);
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
  plan->incomplete = !chosen || !dcs_near_applicable(problem, config, cutoff_of(problem, &m), why);
}

static const char *const sources[] = {"kernels/coulomb/cuda/multilevel.cu",
                                      "kernels/coulomb/cuda/multilevel.cuh",
                                      "kernels/coulomb/cuda/multilevel.c",
                                      "kernels/coulomb/multilevel.c",
                                      "kernels/coulomb/multilevel.h",
                                      "kernels/coulomb/crowd.c",
                                      "kernels/coulomb/crowd.h",
                                      "kernels/coulomb/cpu/mesh_look.c",
                                      "kernels/coulomb/split.h",
                                      "kernels/coulomb/cpu/mesh_rough.h",
                                      "kernels/coulomb/mesh.h",
                                      DCS_NEAR_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cuda_multilevel = {
    .id = "cuda_multilevel",
    .kind = "coulomb",
    .sources = sources,
    .idea =
        "to a tolerance: atoms within a cutoff in cells, the smooth rest on lattices of splines",
    .backend = DCS_GPU,
    .algorithm = "multilevel",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .solves = dcs_multilevel_solves,
    .applicable = applicable,
    .executed = dcs_cells_executed,
    .flops_per_eval = flops_per_eval,
    .longest_sum = dcs_longest_sum_all,
    .candidates = candidates,
    .plan = plan,
    .looks = true,
    .slabs = true,
};
