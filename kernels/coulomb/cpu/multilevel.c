/* Multilevel summation: the direct sum to a tolerance, in time linear in atoms plus points.
 *
 * Idea: 1/r is a part within a cutoff, summed as cpu_cutoff sums, and smooth parts that lattices of
 *   spacing h, 2h, 4h, ... interpolate (kernels/coulomb/multilevel.h has the mathematics and the
 *   references). Charges go to the finest lattice (anterpolation) and from each to the next
 *   (restriction); each adds up its part within reach (lattice cutoff), the top without an end; the
 *   potential comes down again (prolongation), and is read at the grid's points (interpolation),
 *   along x, y and z one after another, for the map and its lattices are all regular.
 * Derives from: cpu_cutoff in the short range part; the direct sums where they take less time.
 * Parameters: threads (1..1024); isa; order of interpolation; cutoff (tenths of an angstrom; 0: by
 *   an estimate of the time) and ratio of cutoff to h (tenths), both raised to what the tolerance
 *   needs.
 * Limits: tolerances from 1e-5 on. Beside the map it needs about the part h_map / h of a map for
 *   the last interpolation. */
#include "kernels/coulomb/cpu/multilevel.h"
#include "kernels/common/cpu.h"
#include "kernels/common/phase.h"
#include "kernels/coulomb/cpu/cutoff.h"
#include "kernels/coulomb/cpu/cutoff_cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS, ISA, ORDER, CUTOFF, RATIO, N_PARAMS };
static const int cutoff_tries[] = {0, 40, 50, 60, 70, 80, 100, 120, DCS_TRIES_END};
static const int ratio_tries[] = {0, 30, 40, 50, 60, DCS_TRIES_END};

/* Edge of the cells of the short range part, angstrom. */
static const double CELL_EDGE = 4;

static bool choose(const dcs_problem *problem, const dcs_config *config, dcs_multilevel *m,
                   char why[DCS_TEXT]) {
  const dcs_problem grid = dcs_whole_grid(problem);
  const dcs_ml_wanted wanted = {.order = (int)config->value[ORDER],
                                .cutoff = 0.1 * config->value[CUTOFF],
                                .ratio = 0.1 * config->value[RATIO],
                                .threads = (int)config->value[THREADS]};
  return dcs_multilevel_choose(&grid, &wanted, m, why);
}

static bool applicable(const dcs_problem *problem, const dcs_config *config, char why[DCS_TEXT]) {
  dcs_multilevel m;
  if (problem->n_inputs > INT32_MAX - 16) {
    snprintf(why, DCS_TEXT, "more than %d atoms", INT32_MAX - 16);
    return false;
  }
  if (!dcs_cpu_isa_applicable(problem, config, why)) return false;
  /* no tolerance: the question is what this machine has */
  return dcs_tolerance(problem) == 0 || choose(problem, config, &m, why);
}

/* Of the short range part: r^2 (2), the reciprocal square root (2), P (2 a degree), and the sum. */
static double flops_per_eval(const dcs_config *config) {
  static const int degree[] = {2, 4, 5, 6};
  return 2 + 2 + 2 * degree[(int)config->value[ORDER]] + 3;
}

/* ---- long range ---- */

/* What all slabs of a grid have in common. */
typedef struct {
  dcs_multilevel chosen;
  const dcs_multilevel *m; /* that */
  dcs_problem grid;
  const dcs_problem *problem; /* that */
  int threads, isa;
  dcs_ml_atoms atoms;
  dcs_atom *far; /* beyond all levels: n_far */
  int64_t n_far;
  dcs_cutoff_cells near; /* atoms for the short range part, */
  dcs_radial radial;     /* and its function */
  float *charge[DCS_ML_MOST_LEVELS], *potential[DCS_ML_MOST_LEVELS];
  float *weights[2]; /* of levels, of the top */
} summation;

static bool allocate(summation *s) {
  bool has_memory = dcs_multilevel_sort(s->m, s->problem, &s->atoms);
  for (int k = 0; k < s->m->n_levels; k++) {
    const dcs_ml_level *level = &s->m->level[k];
    s->charge[k] = calloc((size_t)dcs_ml_nodes(&level->charge), sizeof(float));
    s->potential[k] = malloc((size_t)dcs_ml_nodes(&level->potential) * sizeof(float));
    has_memory &= s->charge[k] && s->potential[k];
  }
  return has_memory;
}

static void forget(void *begun) {
  summation *s = begun;
  if (!s) return;
  for (int k = 0; k < s->chosen.n_levels; k++) {
    free(s->charge[k]);
    free(s->potential[k]);
  }
  free(s->weights[0]);
  free(s->weights[1]);
  dcs_multilevel_free(&s->atoms);
  dcs_cutoff_free(&s->near);
  free(s->far);
  free(s);
}

static bool resample(const summation *s, dcs_ml_what what, int level, const float *in, bool adds,
                     float *out) {
  return dcs_multilevel_resample(s->m, s->problem, what, level, s->threads, in, adds, out);
}

/* The charges of all levels: what comes from the level below, and the atoms that begin here. */
static bool charge_levels(summation *s) {
  for (int k = 0; k < s->m->n_levels; k++) {
    if (k > 0) dcs_phase("restriction");
    if (k > 0 && !resample(s, DCS_ML_RESTRICT, k - 1, s->charge[k - 1], false, s->charge[k]))
      return false;
    dcs_phase("anterpolation");
    dcs_multilevel_spread(s->m, s->problem, &s->atoms, k, s->threads, s->charge[k]);
  }
  return true;
}

/* The potential of a level's own part. */
static bool cut_off(summation *s, int level) {
  const bool top = dcs_ml_is_top(s->m, level);
  float *charge = s->charge[level];
  dcs_phase("lattice cutoff");
  if (!s->weights[top]) s->weights[top] = dcs_multilevel_weights(s->m, top);
  return s->weights[top] && (top || resample(s, DCS_ML_FILTER, level, charge, false, charge)) &&
         dcs_multilevel_convolve(s->m, level, s->weights[top], s->threads, s->isa, charge,
                                 s->potential[level]);
}

/* The potential of all levels, from the top down. */
static bool add_levels(summation *s) {
  for (int k = s->m->n_levels - 1; k >= 0; k--) {
    if (!cut_off(s, k)) return false;
    if (dcs_ml_is_top(s->m, k)) continue;
    dcs_phase("prolongation");
    if (!resample(s, DCS_ML_PROLONG, k, s->potential[k + 1], true, s->potential[k])) return false;
  }
  return true;
}

/* ---- what no lattice sums ---- */

/* The direct sum of the problem's atoms, overwritten. */
static bool sum_directly(const dcs_problem *problem, int threads, int isa, float *map) {
  extern const dcs_variant dcs_variant_cpu_simd, dcs_variant_cpu_avx2, dcs_variant_cpu_avx512;
  static const dcs_variant *const variants[] = {&dcs_variant_cpu_simd, &dcs_variant_cpu_avx2,
                                                &dcs_variant_cpu_avx512};
  return variants[isa]->compute(problem, &(dcs_config){{threads}},
                                (void *[DCS_MAX_BUFFERS]){[DCS_COULOMB_MAP] = map});
}

/* The atoms beyond all levels. False: no memory. */
static bool find_far(summation *s) {
  const int32_t *start = s->atoms.start + s->atoms.plane[s->m->n_levels];
  s->n_far = start[1] - start[0];
  if (s->n_far == 0) return true;
  s->far = malloc((size_t)s->n_far * sizeof *s->far);
  for (int64_t a = 0; s->far && a < s->n_far; a++)
    s->far[a] = dcs_atoms(s->problem)[s->atoms.atom[start[0] + a]];
  return s->far;
}

static bool sort_near(summation *s) {
  const dcs_cpu_bricks how = {.threads = s->threads, .isa = s->isa, .cell_edge = CELL_EDGE};
  dcs_phase("short range");
  dcs_radial_taylor(s->m->cutoff, s->m->softening, &s->radial);
  return dcs_cpu_short_range_sort(s->problem, &s->radial, &how, &s->near);
}

static void *begin(const dcs_problem *problem, const dcs_config *config) {
  char why[DCS_TEXT];
  dcs_phase("set up");
  summation *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->m = &s->chosen;
  s->grid = dcs_whole_grid(problem);
  s->problem = &s->grid;
  s->threads = (int)config->value[THREADS];
  s->isa = (int)config->value[ISA];
  if (choose(problem, config, &s->chosen, why) &&
      (s->m->n_levels == 0 ||
       (sort_near(s) && allocate(s) && charge_levels(s) && add_levels(s) && find_far(s))))
    return s;
  forget(s);
  return NULL;
}

/* The atoms beyond all levels; where there are any, the map is overwritten. */
static bool sum_far(const summation *s, const dcs_problem *slab, float *map) {
  dcs_problem problem = *slab;
  if (s->n_far == 0) return true;
  dcs_phase("far atoms");
  problem.input[DCS_COULOMB_ATOMS] = s->far;
  problem.n_inputs = s->n_far;
  return sum_directly(&problem, s->threads, s->isa, map);
}

static bool compute_slab(const dcs_problem *problem, const dcs_config *config, const void *begun,
                         void *const out[]) {
  const summation *s = begun;
  const dcs_cpu_bricks how = {.threads = s->threads, .isa = s->isa, .cell_edge = CELL_EDGE};
  float *map = out[DCS_COULOMB_MAP];
  (void)config;
  if (s->m->n_levels == 0) return sum_directly(problem, s->threads, s->isa, map);
  if (!sum_far(s, problem, map)) return false;
  dcs_phase("interpolation");
  if (!dcs_multilevel_resample(s->m, problem, DCS_ML_POINTS, 0, s->threads, s->potential[0],
                               s->n_far > 0, map))
    return false;
  dcs_phase("short range");
  dcs_cpu_short_range_add(&s->near, problem, &s->radial, &how, map);
  return true;
}

static bool compute(const dcs_problem *problem, const dcs_config *config, void *const out[]) {
  void *begun = begin(problem, config);
  const bool computed = begun && compute_slab(problem, config, begun, out);
  forget(begun);
  return computed;
}

/* Lattices; and what is the larger, the charges with padding of a lattice cutoff or the lattice
 * read along x and y at the map's points. */
static double working_bytes(const dcs_problem *problem, const dcs_config *config) {
  dcs_multilevel m;
  char why[DCS_TEXT];
  if (!choose(problem, config, &m, why) || m.n_levels == 0) return 0;
  const double x = (double)problem->n.x, y = (double)problem->n.y;
  const int *n = m.level[0].potential.n;
  double nodes = 0;
  for (int k = 0; k < m.n_levels; k++)
    nodes += (double)(dcs_ml_nodes(&m.level[k].charge) + dcs_ml_nodes(&m.level[k].potential));
  const double padded = 2 * (double)dcs_ml_nodes(&m.level[0].charge), read = x * n[2] * (n[1] + y);
  return sizeof(float) * (nodes + fmax(padded, read)) +
         (DCS_CUTOFF_ATOM_BYTES + 3 * sizeof(int32_t)) * (double)problem->n_inputs;
}

/* Pairs of the short range part, the atoms that lattices hold counted as none. */
static void candidates(const dcs_problem *problem, const dcs_config *config,
                       dcs_candidates *found) {
  dcs_multilevel m;
  dcs_radial radial;
  char why[DCS_TEXT];
  *found = (dcs_candidates){.pairs = NAN, .fill = NAN};
  if (!choose(problem, config, &m, why)) return;
  const dcs_dims n = problem->n;
  const dcs_cpu_bricks how = {(int)config->value[THREADS], (int)config->value[ISA], CELL_EDGE};
  if (m.n_levels > 0) dcs_radial_taylor(m.cutoff, m.softening, &radial);
  found->pairs = m.n_levels > 0
                     ? dcs_cpu_short_range_pairs(problem, &radial, &how)
                     : (double)problem->n_inputs * (double)n.x * (double)n.y * (double)n.z;
}

static const dcs_param params[N_PARAMS] = {[THREADS] = DCS_CPU_THREADS,
                                           [ISA] = DCS_CPU_ISA,
                                           [ORDER] = DCS_ML_ORDER,
                                           [CUTOFF] = DCS_ML_CUTOFF(cutoff_tries),
                                           [RATIO] = DCS_ML_RATIO(ratio_tries)};

static const char *const sources[] = {"kernels/coulomb/cpu/multilevel.c",
                                      "kernels/coulomb/cpu/multilevel.h",
                                      "kernels/coulomb/cpu/multilevel_charges.c",
                                      "kernels/coulomb/cpu/multilevel_convolve.c",
                                      "kernels/coulomb/cpu/multilevel_resample.c",
                                      "kernels/common/phase.h",
                                      "kernels/coulomb/multilevel.c",
                                      "kernels/coulomb/multilevel.h",
                                      "kernels/coulomb/crowd.c",
                                      "kernels/coulomb/crowd.h",
                                      "kernels/coulomb/cpu/mesh_look.c",
                                      "kernels/coulomb/split.h",
                                      "kernels/coulomb/cpu/mesh_rough.h",
                                      "kernels/coulomb/mesh.h",
                                      "kernels/coulomb/multilevel_weights.c",
                                      "kernels/coulomb/cpu/simd.c",
                                      "kernels/coulomb/cpu/avx2.c",
                                      "kernels/coulomb/cpu/avx512.c",
                                      "kernels/coulomb/cpu/tile.h",
                                      DCS_CPU_SHORT_RANGE_SOURCES,
                                      NULL};

const dcs_variant dcs_variant_cpu_multilevel = {
    .id = "cpu_multilevel",
    .kind = "coulomb",
    .sources = sources,
    .idea = "to a tolerance: atoms within a cutoff, the smooth rest on lattices of splines",
    .backend = DCS_CPU,
    .algorithm = "multilevel",
    .params = params,
    .n_params = N_PARAMS,
    .solves = dcs_multilevel_solves,
    .applicable = applicable,
    .executed = dcs_cpu_executed_exactly,
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
