/* Descriptor of cuda_cutoff_bins. */
#include "kernels/coulomb/cpu/cutoff.h"
#include "kernels/coulomb/cuda/bins.h"
#include "kernels/coulomb/cuda/brick.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK_X, BLOCK_Y, COARSEN_Z, BIN_EDGE, CAPACITY };

/* Regions near to cubes: the neighbourhood of a long one holds more atoms that are out of reach.
 * Water has 0.1 atoms in a cubic angstrom: 2.7 in a bin of 3 A, which 8 places all but always hold;
 * of the 6.4 in one of 4 A they often do not. */
static const int block_x[] = {4, 8, 16, 32, DCS_TRIES_END};
static const int block_y[] = {4, 8, 16, DCS_TRIES_END};
static const int coarsen_z[] = {4, 8, 16, DCS_TRIES_END};
static const int bin_edge[] = {20, 30, 40, 60, DCS_TRIES_END};
static const int capacity[] = {4, 8, 16, 32, DCS_TRIES_END};
static const dcs_param params[] = {
    {"block_x", "threads of a block in x", 1, 1024, 8, NULL, block_x, DCS_ROLE_BLOCK_X},
    {"block_y", "threads of a block in y", 1, 1024, 8, NULL, block_y, DCS_ROLE_BLOCK_Y},
    {"coarsen_z", "adjacent slices per thread", 1, 16, 8, NULL, coarsen_z},
    {"bin_edge", "tenths of an angstrom", 1, 10000, 30, NULL, bin_edge},
    {"capacity", "atoms that a bin has room for", 1, 64, 8, NULL, capacity},
};

static dcs_brick brick_of(const dcs_config *config) {
  return (dcs_brick){.block_x = config->value[BLOCK_X],
                     .block_y = config->value[BLOCK_Y],
                     .coarsen_x = 1,
                     .coarsen_z = config->value[COARSEN_Z]};
}

static dcs_bins bins_of(const dcs_problem *problem, const dcs_config *config) {
  const int64_t region[3] = {config->value[BLOCK_X], config->value[BLOCK_Y],
                             config->value[COARSEN_Z]};
  return dcs_bins_of(problem, region, config->value[BIN_EDGE] / 10.0, config->value[CAPACITY]);
}

/* Beyond that, single precision does not tell neighbouring points apart. */
enum { MOST_POINTS = 1 << 24 };

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  const dcs_dims n = problem->n;
  if (!dcs_brick_fits(problem, brick_of(config), 1, why)) return false;
  if (n.x > MOST_POINTS || n.y > MOST_POINTS || n.z > MOST_POINTS) {
    snprintf(why, DCS_TEXT, "more than %d points in a dimension", MOST_POINTS);
    return false;
  }
  const dcs_bins bins = bins_of(problem, config);
  return dcs_bins_fit(&bins, why);
}

/* No thread may leave before the barriers: whole regions. */
static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  const dcs_dims n = problem->n;
  return (dcs_dims){dcs_round_up(n.x, config->value[BLOCK_X]),
                    dcs_round_up(n.y, config->value[BLOCK_Y]),
                    dcs_round_up(n.z, config->value[COARSEN_Z])};
}

static double flops_per_eval(const dcs_config *config) {
  double z = config->value[COARSEN_Z];
  return (5 + 11 * z) / z;
}

/* The places of a neighbourhood, or the overflow atoms, and the addition of one to the other. */
static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  const dcs_bins bins = bins_of(problem, config);
  int64_t overflow = dcs_atoms(problem) ? dcs_count_overflow(&bins, problem) : DCS_TOO_MANY;
  if (overflow == DCS_TOO_MANY) return problem->n_inputs;
  int64_t places = bins.n_neighbours * bins.capacity;
  int64_t longest = (places > overflow ? places : overflow) + 1;
  return longest < problem->n_inputs ? longest : problem->n_inputs;
}

static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  const dcs_bins bins = bins_of(problem, config);
  *found = dcs_bins_candidates(&bins, problem);
}

/* `struct bins` of the kernel. */
typedef struct {
  double per_edge;
  float edge, reach2, cutoff2, per_cutoff2;
  int bins_x, bins_y, margin_x, margin_y, margin_z, places, n_neighbours;
} own_bins;
_Static_assert(sizeof(own_bins) <= DCS_OWN_BYTES, "a kernel's own struct fits the plan");

static own_bins own_of(const dcs_problem *problem, const dcs_bins *bins) {
  const dcs_bin_axis *x = &bins->axis[0], *y = &bins->axis[1], *z = &bins->axis[2];
  const double c2 = bins->cutoff * bins->cutoff;
  return (own_bins){.per_edge = bins->per_edge,
                    .edge = (float)bins->edge,
                    .reach2 = (float)(bins->reach * bins->reach),
                    .cutoff2 = (float)c2,
                    .per_cutoff2 = dcs_switched(problem) ? (float)(1 / c2) : 0,
                    .bins_x = (int)x->bins,
                    .bins_y = (int)y->bins,
                    .margin_x = (int)x->margin,
                    .margin_y = (int)y->margin,
                    .margin_z = (int)z->margin,
                    .places = (int)bins->places,
                    .n_neighbours = (int)bins->n_neighbours};
}

/* The atoms in their bins, then the offsets of the neighbourhood. */
static void plan(const dcs_problem *problem, const dcs_config *config, dcs_plan *plan) {
  static const dcs_arg args[] = {DCS_ARG_MAP, DCS_ARG_ATOMS,   DCS_ARG_NX,  DCS_ARG_NY, DCS_ARG_NZ,
                                 DCS_ARG_K,   DCS_ARG_SPACING, DCS_ARG_OWN, DCS_ARG_END};
  const dcs_bins bins = bins_of(problem, config);
  char why[DCS_TEXT];
  dcs_brick_plan_of(problem, brick_of(config), plan);
  plan->chunk_inputs = problem->n_inputs;
  plan->n_steps = 0; /* all atoms in one launch: it writes the map */
  dcs_add_step(plan, (dcs_plan_step){.does = DCS_STEP_LAUNCHES});
  plan->slice_step = config->value[COARSEN_Z];
  plan->args = args;
  if (!dcs_bins_fit(&bins, why)) return; /* its shape may be asked for all the same */
  const own_bins own = own_of(problem, &bins);
  plan->placed_inputs = (int64_t)bins.places + bins.n_neighbours;
  memcpy(plan->own, &own, sizeof own);
}

static int64_t place(const dcs_problem *problem, const dcs_config *config, void *placed,
                     void *overflow) {
  const dcs_bins bins = bins_of(problem, config);
  dcs_list_neighbours(&bins, (dcs_atom *)placed + (int64_t)bins.places);
  return dcs_fill_bins(&bins, problem, placed, overflow);
}

static void add_overflow(const dcs_problem *overflow, const dcs_config *config, float *map) {
  (void)config;
  dcs_cpu_cutoff_add(overflow, map);
}

static const char *const sources[] = {"kernels/coulomb/cuda/cutoff_bins.cu",
                                      "kernels/coulomb/cuda/cutoff_bins.c",
                                      "kernels/coulomb/cuda/bins.c",
                                      "kernels/coulomb/cuda/bins.h",
                                      "kernels/coulomb/cuda/brick.c",
                                      "kernels/coulomb/cuda/brick.h",
                                      "kernels/coulomb/cuda/slice.c",
                                      "kernels/coulomb/cuda/slice.h",
                                      "kernels/coulomb/cpu/cutoff.h",
                                      "kernels/coulomb/radial.h",
                                      "kernels/coulomb/cpu/cutoff_add.c",
                                      "kernels/coulomb/coulomb.h",
                                      NULL};

const dcs_variant dcs_variant_cuda_cutoff_bins = {
    .id = "cuda_cutoff_bins",
    .kind = "coulomb",
    .sources = sources,
    .idea = "atoms within a cutoff, in bins of fixed capacity; the host adds what overflows",
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
    .place = place,
    .add_overflow = add_overflow,
};
