/* The problem kind `forces`: Lennard-Jones and Coulomb forces and energies within a cutoff. */
#include "kernels/forces/forces.h"
#include "harness/problems/common.h"
#include "harness/problems/forces_pairs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
  CUTOFF = DCS_FORCES_CUTOFF,
  SWITCH_FROM = DCS_FORCES_SWITCH_FROM,
  ELECTROSTATICS = DCS_FORCES_ELECTROSTATICS,
  ALPHA = DCS_FORCES_ALPHA,
  RADIAL_ERROR = DCS_FORCES_RADIAL_ERROR,
  BOUNDARY = DCS_FORCES_BOUNDARY,
  CELL_X = DCS_FORCES_CELL_X,
  CELL_Y,
  CELL_Z
};

static const char *const electrostatics[] = {"shifted", "ewald"};
static const char *const boundaries[] = {"open", "periodic"};

#define CELL_EDGE(text)                                                                            \
  {                                                                                                \
    .name = "cell_" text,                                                                          \
    .meaning = "edge in " text " of the cell of a periodic boundary; 0: what the input states",    \
    .lo = 0, .hi = 1e6, .initial = 0, .real = true, .times = DCS_TIMES_ANY, .unit = "angstrom"     \
  }

/* An alpha of 0.26 leaves 1e-5 of a pair's Coulomb energy at 12 angstrom. */
static const dcs_param params[] = {
    [CUTOFF] = {.name = "cutoff",
                .meaning = "distance from which on atoms do not count",
                .lo = 0.5,
                .hi = 1e3,
                .initial = 12,
                .real = true,
                .unit = "angstrom"},
    [SWITCH_FROM] = {.name = "switch_from",
                     .meaning = "distance from which on Lennard-Jones terms are switched; 0: 5/6 "
                                "of the cutoff",
                     .lo = 0,
                     .hi = 1e3,
                     .initial = 0,
                     .real = true,
                     .times = DCS_TIMES_ANY,
                     .unit = "angstrom"},
    [ELECTROSTATICS] = {.name = "electrostatics",
                        .meaning = "Coulomb terms: shifted to 0 at the cutoff, or the part of an "
                                   "Ewald sum that is over pairs",
                        .lo = DCS_FORCES_SHIFTED,
                        .hi = DCS_FORCES_EWALD,
                        .initial = DCS_FORCES_SHIFTED,
                        .labels = electrostatics},
    [ALPHA] = {.name = "alpha",
               .meaning = "of an Ewald sum, in erfc(alpha r) / r, 1/angstrom",
               .lo = 1e-3,
               .hi = 10,
               .initial = 0.26,
               .real = true,
               .times = DCS_TIMES_ANY},
    [RADIAL_ERROR] = {.name = "radial_error",
                      .meaning =
                          "what a term may be off by beyond rounding, over its magnitude, as "
                          "tables are",
                      .lo = 0,
                      .hi = 0.01,
                      .initial = 0,
                      .real = true,
                      .times = DCS_TIMES_ABOVE},
    [BOUNDARY] = {.name = "boundary",
                  .meaning = "what is beyond the atoms: nothing (open), or their images (periodic)",
                  .lo = DCS_FORCES_OPEN,
                  .hi = DCS_FORCES_PERIODIC,
                  .initial = DCS_FORCES_OPEN,
                  .labels = boundaries},
    [CELL_X] = CELL_EDGE("x"),
    [CELL_Y] = CELL_EDGE("y"),
    [CELL_Z] = CELL_EDGE("z")};

/* Cutoffs within a molecule, some, and more than most of the boxes that verify tries. */
static const char *const verified[] = {"",
                                       "cutoff=4,electrostatics=ewald,alpha=0.5,boundary=periodic",
                                       "cutoff=6.5,switch_from=2,radial_error=1e-05",
                                       "cutoff=3,boundary=periodic",
                                       "cutoff=1.2",
                                       "cutoff=9,electrostatics=ewald,radial_error=0.008",
                                       NULL};

static double cutoff_of(const dcs_config *problem) {
  return problem->value[CUTOFF];
}

static bool is_ewald(const dcs_config *problem) {
  return problem->value[ELECTROSTATICS] == DCS_FORCES_EWALD;
}

/* What an edge may be, where one is given. */
static bool canonical_cell(dcs_config *problem, char why[DCS_TEXT]) {
  const bool periodic = problem->value[BOUNDARY] == DCS_FORCES_PERIODIC;
  for (int d = 0; d < 3; d++) {
    double *edge = &problem->value[CELL_X + d];
    if (*edge == 0) *edge = 0; /* no -0 */
    if (*edge != 0 && !periodic)
      snprintf(why, DCS_TEXT,
               "cell_%c: found %g with an open boundary; expected --boundary periodic with it",
               "xyz"[d], *edge);
    else if (*edge != 0 && !(*edge >= 2 * cutoff_of(problem)))
      snprintf(why, DCS_TEXT,
               "cell_%c: found %g with a cutoff of %g angstrom; expected twice the cutoff at "
               "least, so that one image of an atom counts",
               "xyz"[d], *edge, cutoff_of(problem));
  }
  return !*why;
}

static bool canonical(dcs_config *problem, char why[DCS_TEXT]) {
  const double from = problem->value[SWITCH_FROM];
  *why = '\0';
  if (from == 0) problem->value[SWITCH_FROM] = 0;
  if (problem->value[RADIAL_ERROR] == 0) problem->value[RADIAL_ERROR] = 0;
  if (!is_ewald(problem)) problem->value[ALPHA] = params[ALPHA].initial;
  if (from > 0.99 * cutoff_of(problem))
    snprintf(why, DCS_TEXT,
             "switch_from: found %g with a cutoff of %g angstrom; expected 0.99 of it at most",
             from, cutoff_of(problem));
  else if (problem->value[RADIAL_ERROR] != 0 && problem->value[RADIAL_ERROR] < 1e-6)
    snprintf(why, DCS_TEXT, "radial_error: found %g; expected 0 (rounding alone), or 1e-6 and more",
             problem->value[RADIAL_ERROR]);
  return !*why && canonical_cell(problem, why);
}

static bool cell(const dcs_problem *problem, double edge[3]) {
  return dcs_forces_cell(problem, edge);
}

/* ---- inputs and outputs ---- */

static int64_t one_more(const dcs_problem *problem) {
  return problem->n.x + 1;
}

/* Of water two an atom; there is one element at least. */
static int64_t all_excluded(const dcs_problem *problem) {
  const int32_t *begins = problem->input[DCS_FORCES_BEGINS];
  const int64_t n = begins ? begins[problem->n.x] : 2 * problem->n.x;
  return n > 1 ? n : 1;
}

/* What types are usual: none; there is one element at least. */
static int64_t table_places(const dcs_problem *problem) {
  const int32_t *types = problem->input[DCS_FORCES_TYPES];
  const int64_t n = types ? types[problem->n.x] : 0;
  return n > 1 ? n * n : 1;
}

/* Of water none; there is one element at least. */
static int64_t all_special(const dcs_problem *problem) {
  const int32_t *begins = problem->input[DCS_FORCES_SPECIAL_BEGINS];
  const int64_t n = begins ? begins[problem->n.x] : 0;
  return n > 1 ? n : 1;
}

static bool input(const dcs_site *site, void *element) {
  *(dcs_particle *)element = (dcs_particle){(float)site->x, (float)site->y, (float)site->z,
                                            (float)(site->q * sqrt(DCS_FORCES_COULOMB))};
  return true; /* so that forces are in the order of the input's atoms */
}

static void fill_wells(const dcs_case *c, int buffer, void *data) {
  (void)buffer;
  for (int64_t a = 0; a < c->n_sites; a++)
    ((dcs_well *)data)[a] =
        (dcs_well){(float)c->field.wells[a].half, (float)sqrt(c->field.wells[a].depth)};
}

static void fill_begins(const dcs_case *c, int buffer, void *data) {
  (void)buffer;
  memcpy(data, c->field.begins, (size_t)(c->n_sites + 1) * sizeof *c->field.begins);
}

static void fill_excluded(const dcs_case *c, int buffer, void *data) {
  const size_t n = (size_t)c->field.begins[c->n_sites];
  (void)buffer;
  *(int32_t *)data = 0;
  if (n > 0) memcpy(data, c->field.excluded, n * sizeof *c->field.excluded);
}

static void fill_types(const dcs_case *c, int buffer, void *data) {
  int32_t *types = data;
  (void)buffer;
  for (int64_t a = 0; a < c->n_sites; a++)
    types[a] = c->field.types ? c->field.types[a] : 0;
  types[c->n_sites] = c->field.n_types;
}

static void fill_table(const dcs_case *c, int buffer, void *data) {
  const int n = c->field.n_types;
  dcs_pair *table = data;
  (void)buffer;
  table[0] = (dcs_pair){0};
  for (int i = 0; i < n * n; i++)
    table[i] = (dcs_pair){(float)c->field.pairs[i].minimum, (float)c->field.pairs[i].depth};
}

static void fill_special_begins(const dcs_case *c, int buffer, void *data) {
  (void)buffer;
  memcpy(data, c->field.begins14, (size_t)(c->n_sites + 1) * sizeof *c->field.begins14);
}

static void fill_special(const dcs_case *c, int buffer, void *data) {
  dcs_special *list = data;
  (void)buffer;
  list[0] = (dcs_special){0};
  for (int32_t i = 0; i < c->field.begins14[c->n_sites]; i++) {
    const dcs_special_pair *pair = &c->field.special[i];
    list[i] = (dcs_special){pair->atom, (float)pair->well.minimum, (float)pair->well.depth,
                            (float)pair->charges};
  }
}

/* Water, its cube around the origin. */
static dcs_status random_water(dcs_case *c, uint64_t seed) {
  const double half = 0.5 * dcs_forces_cube(c->n_sites);
  dcs_molecule water;
  DCS_TRY(dcs_generate(DCS_WATER, c->n_sites, 0, seed, &water));
  for (int64_t a = 0; a < c->n_sites; a++) {
    c->sites[a] = water.sites[a];
    c->sites[a].x -= half;
    c->sites[a].y -= half;
    c->sites[a].z -= half;
  }
  dcs_molecule_free(&water);
  DCS_TRY(dcs_force_field_of_water(c->n_sites, &c->field));
  return dcs_force_field_exclude(&c->field);
}

/* Atoms have been put into the cell, if any. */
static dcs_status complete(dcs_case *c) {
  return dcs_forces_check_places(c);
}

/* Every atom has its terms whether its charge is 0 or not: given or not, the work is the same. */
static double work(const dcs_case *c, bool given) {
  (void)given;
  return dcs_forces_count(c);
}

/* Half of the atoms within the cutoff of each, of water, 0.1 to a cubic angstrom. */
static double estimate(const dcs_config *problem, int64_t n) {
  const double around = 0.1 * (4.0 / 3) * acos(-1) * pow(cutoff_of(problem), 3);
  return 0.5 * (double)n * fmin(around, (double)(n - 1));
}

/* ---- the kind ---- */

static const dcs_buffer buffers[] = {
    [DCS_FORCES_ATOMS] = {.name = "atoms", .bytes = sizeof(dcs_particle)},
    [DCS_FORCES_WELLS] = {.name = "wells",
                          .bytes = sizeof(dcs_well),
                          .count = dcs_one_an_atom,
                          .fill = fill_wells},
    [DCS_FORCES_BEGINS] = {.name = "begins",
                           .bytes = sizeof(int32_t),
                           .count = one_more,
                           .fill = fill_begins},
    [DCS_FORCES_EXCLUDED] = {.name = "excluded",
                             .bytes = sizeof(int32_t),
                             .count = all_excluded,
                             .fill = fill_excluded},
    [DCS_FORCES_TYPES] = {.name = "types",
                          .bytes = sizeof(int32_t),
                          .count = one_more,
                          .fill = fill_types},
    [DCS_FORCES_TABLE] = {.name = "table",
                          .bytes = sizeof(dcs_pair),
                          .count = table_places,
                          .fill = fill_table},
    [DCS_FORCES_SPECIAL_BEGINS] = {.name = "special_begins",
                                   .bytes = sizeof(int32_t),
                                   .count = one_more,
                                   .fill = fill_special_begins},
    [DCS_FORCES_SPECIAL] = {.name = "special",
                            .bytes = sizeof(dcs_special),
                            .count = all_special,
                            .fill = fill_special},
    [DCS_FORCES_OUT] = {.name = "forces",
                        .bytes = sizeof(dcs_force),
                        .count = dcs_one_an_atom,
                        .output = true,
                        .values = 4,
                        .reference = dcs_forces_reference}};

/* A pair takes 3 differences, 3 operations for r^2, a comparison and a root; of Lennard-Jones 20,
 * with switching; of Coulomb 8, shifted; 4 to add up for each of its atoms: 43 instructions, where
 * a card issues one of them or one multiply-add. */
const dcs_kind dcs_kind_forces = {
    .id = "forces",
    .what = "Lennard-Jones and Coulomb forces and energies within a cutoff",
    .unit = "kcal/mol/angstrom",
    .eval = "pairs",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .axes = dcs_atom_axes,
    .n_axes = DCS_ATOM_AXES,
    .dimensions = dcs_atom_dimensions,
    .n_dimensions = DCS_ATOM_DIMENSIONS,
    .verified = verified,
    .canonical = canonical,
    .cell = cell,
    .cell_edges = CELL_X,
    .buffers = buffers,
    .n_buffers = sizeof buffers / sizeof buffers[0],
    .input = input,
    .field = true,
    .random = random_water,
    .complete = complete,
    .work = work,
    .estimate = estimate,
    .reach = dcs_reaches_all,
    .rounding = dcs_forces_rounding,
    .limit = {[DCS_CPU] = "cpu_%s_fma_per_s", [DCS_GPU] = "gpu_fma_per_s"},
    .limit_cost = {[DCS_CPU] = 43, [DCS_GPU] = 43},
};
