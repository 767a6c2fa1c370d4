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

/* ---- what is right ---- */

#define U 0x1p-24

/* Kernels compute, in units of u: r^2 from differences, 5, its root's reciprocal, 7; a charge over
 * r^3, 26; the error function is off by 0.5, its polynomial by 5, its argument by 4, its
 * exponential by 8, of 1 (DCS_FORCES_ERFC). R / r, its halves rounded, is off by 10, its twelfth
 * power by 125, with its depth, factors, and, for a force, over r^2, by 160: WELL more. */
enum { CHARGE = 48, WELL = 112 };
static double rounding(const dcs_config *problem) {
  (void)problem;
  return CHARGE;
}

/* A pair's energy and -dE/dr; the sums of the magnitudes of their parts; how steep the second is at
 * most; and what the rounding of where switching stands may change of each. */
typedef struct {
  double energy, force, energy_size, force_size, slope, energy_off, force_off;
} terms;

static void add_lennard_jones(const dcs_config *problem, double depth, double minimum, double r,
                              terms *t) {
  const double c = cutoff_of(problem), s = dcs_forces_switch_from(problem), x = r * r;
  const double width = c * c - s * s, b = pow(minimum / r, 6), a = b * b;
  double at = 1, by_r = 0, by_r2 = 0; /* of the switching function, its derivatives' magnitudes */
  if (x > s * s) {
    at = (c * c - x) * (c * c - x) * (c * c + 2 * x - 3 * s * s) / pow(width, 3);
    by_r = 12 * r * (c * c - x) * (s * s - x) / pow(width, 3);
    by_r2 = 12 * (width * width + 4 * x * width) / pow(width, 3);
  }
  const double energy = depth * (a - 2 * b), size = depth * (a + 2 * b);
  const double force = 12 * depth * (a - b) / r, force_size = 12 * depth * (a + b) / r;
  const double off = x > 0.99 * s * s ? 12 * U * c * c / width : 0; /* of t */
  t->energy += energy * at;
  t->force += force * at - energy * by_r;
  t->energy_size += size;
  t->force_size += force_size + size * fabs(by_r);
  t->slope += depth * (156 * a + 84 * b) / x + 2 * force_size * fabs(by_r) + size * by_r2;
  t->energy_off += (1.5 * off + WELL * U) * size;
  t->force_off += (1.5 * off + WELL * U) * (force_size + size * fabs(by_r));
  t->force_off += 12 * r / width * off * size;
}

static void add_coulomb(const dcs_config *problem, double qq, double r, terms *t) {
  const double c = cutoff_of(problem), alpha = problem->value[ALPHA], size = fabs(qq);
  if (!is_ewald(problem)) {
    const double left = 1 - r * r / (c * c);
    t->energy += qq / r * left * left;
    t->force += qq * (left * left / (r * r) + 4 * left / (c * c));
    t->force_size += size * (1 / (r * r) + 4 / (c * c));
    t->slope += size * (2 / (r * r * r) + 6 * r / pow(c, 4));
  } else {
    const double peak = 2 * alpha / sqrt(acos(-1)), bell = peak * exp(-alpha * alpha * r * r);
    t->energy += qq * erfc(alpha * r) / r;
    t->force += qq * (erfc(alpha * r) / r + bell) / r;
    t->force_size += size * (1 / r + peak) / r;
    t->slope += size * (2 / (r * r * r) + 2 * peak / (r * r) + 2 * alpha * alpha * peak);
  }
  t->energy_size += size / r;
}

/* Of a pair, or, `special`, of one that is so. */
static terms terms_of(const dcs_case *c, int64_t i, int64_t j, const dcs_special_pair *special,
                      double r) {
  const dcs_pair_well well = special ? special->well : dcs_force_field_well(&c->field, i, j);
  const double charges = c->sites[i].q * c->sites[j].q * (special ? special->charges : 1);
  terms t = {0};
  add_lennard_jones(&c->problem.config, well.depth, well.minimum, r, &t);
  add_coulomb(&c->problem.config, DCS_FORCES_COULOMB * charges, r, &t);
  return t;
}

/* Places round, and the more where atoms repeat: they are put into the cell, which moves them by
 * up to what their coordinates round by and 5 u of its edge, and images move by it. */
static double rounded_places(const double cell_edges[3], bool periodic, double largest) {
  const double edge = fmax(cell_edges[0], fmax(cell_edges[1], cell_edges[2]));
  return periodic ? 2 * largest + 4 * edge : largest;
}

/* Adds what atom j does to the value of atom i: a component of its force, or, k = 3, its energy.
 * Magnitudes and slopes are those at the nearest that rounding may bring the pair. Where it may
 * carry the pair across the cutoff, an Ewald term is there or not. */
static void add_pair(const dcs_case *c, int64_t i, int64_t j, const dcs_special_pair *special,
                     int k, const double apart[3], double places, dcs_sums *sums) {
  const double r = sqrt(apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2]);
  const double cutoff = cutoff_of(&c->problem.config), moved = 6 * U * places + 8 * U * cutoff;
  const double along = k < 3 ? apart[k] / r : 0.5, allowed = c->problem.config.value[RADIAL_ERROR];
  const bool within = r < cutoff;
  const terms t = terms_of(c, i, j, special, fmin(r, cutoff)),
              near = terms_of(c, i, j, special, fmax(fmin(r, cutoff) - moved, 0.5 * r));
  const double size = (k < 3 ? near.force_size : near.energy_size) * fabs(along);
  if (fabs(r - cutoff) <= moved)
    sums->e += fabs((k < 3 ? near.force : near.energy) * along) +
               moved * (k < 3 ? near.slope : near.force_size);
  if (!within) return;
  sums->v += (k < 3 ? t.force : t.energy) * along;
  sums->s += size;
  sums->d += k < 3 ? near.slope + near.force_size / r : 0.5 * near.force_size;
  sums->e += (k < 3 ? near.force_off : near.energy_off) * fabs(along) + allowed * size;
}

static dcs_sums reference(const dcs_case *c, int buffer, int64_t value, double largest) {
  const int64_t i = value / 4;
  const double cutoff = cutoff_of(&c->problem.config);
  double edges[3], apart[3];
  const bool periodic = dcs_forces_cell(&c->problem, edges);
  const double places = rounded_places(edges, periodic, largest);
  const double reach = cutoff + 6 * U * places + 8 * U * cutoff;
  dcs_sums sums = {0};
  (void)buffer;
  for (int64_t j = 0; j < c->n_sites; j++) {
    if (dcs_forces_apart(edges, periodic, &c->sites[i], &c->sites[j], apart) > reach * reach ||
        j == i)
      continue;
    const dcs_special_pair *special = dcs_forces_special(&c->field, i, j);
    if (special || !dcs_forces_excluded(&c->field, i, j))
      add_pair(c, i, j, special, (int)(value % 4), apart, places, &sums);
  }
  if (largest > 0) sums.d *= places / largest;
  return sums;
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
                        .reference = reference}};

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
    .rounding = rounding,
    .limit = {[DCS_CPU] = "cpu_%s_fma_per_s", [DCS_GPU] = "gpu_fma_per_s"},
    .limit_cost = {[DCS_CPU] = 43, [DCS_GPU] = 43},
};
