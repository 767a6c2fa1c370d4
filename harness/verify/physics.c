/* Laws that any sum over atoms on a grid obeys, and, but for superposition, what has a value for
 * each atom (a kind without single() is neither): checks that need no oracle's values. Each law
 * gives two maps, or a map and a formula, that must agree within a few acceptance bounds. */
#include "harness/verify/verify.h"

#include "harness/base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_SITES = 40, NX = 13, NY = 11, NZ = 3, POINTS = NX * NY * NZ };

/* The map of one molecule, and the bound of each point; or its n values. */
typedef struct {
  int n;
  float v[POINTS];
  double bound[POINTS];
} map_with_bounds;
_Static_assert((int)N_SITES <= (int)POINTS, "a value of each atom has room");

typedef struct {
  dcs_bench *bench;
  const dcs_method *method;
  dcs_verification *result;
  const dcs_kind *kind;
  dcs_config problem;
} subject;

static const dcs_grid lattice = {.n = {NX, NY, NZ}, .spacing = 0.5, .has_origin = true};

/* Sites in and around the grid, on coordinates that single precision holds exactly, so that
 * mirroring and translating them rounds nothing. */
static void make_sites(dcs_site *sites, int n) {
  dcs_random random = {1785};
  for (int i = 0; i < n; i++)
    sites[i] =
        (dcs_site){.x = 0.03125 + 0.0625 * (double)dcs_random_below(&random, 100),
                   .y = 0.03125 + 0.0625 * (double)dcs_random_below(&random, 80),
                   .z = 0.03125 + 0.0625 * (double)dcs_random_below(&random, 16),
                   .q = 0.125 * (double)(1 + dcs_random_below(&random, 8)) * (i % 2 ? -1 : 1),
                   .radius = 0.5 + 0.125 * (i % 7)};
}

static void take(const subject *s, const dcs_reference *reference, map_with_bounds *map) {
  dcs_trial trial = dcs_bench_try(s->bench, s->method, 0, reference);
  if (trial.lost[0]) memcpy(s->result->lost, trial.lost, sizeof trial.lost);
  map->n = (int)reference->n;
  memcpy(map->v, s->bench->arena.out[reference->buffer], (size_t)map->n * sizeof map->v[0]);
  for (int i = 0; i < map->n; i++)
    map->bound[i] = dcs_bound(reference, i, trial.longest_sum);
  if (trial.outcome == DCS_OUTCOME_OK || s->result->outcome != DCS_OUTCOME_OK) return;
  s->result->outcome = trial.outcome;
  snprintf(s->result->why, sizeof s->result->why, "%s", dcs_error_message());
}

static dcs_status compute(const subject *s, dcs_site *sites, int n, const dcs_grid *grid,
                          map_with_bounds *map) {
  dcs_molecule molecule = {sites, n};
  dcs_case c;
  dcs_reference reference = {0};
  DCS_TRY(dcs_case_build(s->kind, &s->problem, &molecule, grid, &c));
  dcs_status status = dcs_bench_put(s->bench, &c, NULL, 0);
  if (status == DCS_OK) status = dcs_oracle(&c, (int64_t)POINTS * n, &reference);
  if (status == DCS_OK) take(s, &reference, map);
  dcs_reference_free(&reference);
  dcs_case_free(&c);
  return status;
}

/* Notes a violation unless |found - expected| <= bound. */
static void expect(const subject *s, const char *law, int i, double found, double expected,
                   double bound) {
  if (fabs(found - expected) <= bound || s->result->outcome != DCS_OUTCOME_OK) return;
  s->result->outcome = DCS_OUTCOME_WRONG;
  snprintf(s->result->why, sizeof s->result->why, "%s fails at point %d: found %.9g, expected %.9g",
           law, i, found, expected);
}

static dcs_status one_atom(const subject *s, map_with_bounds *map) {
  dcs_site site = {.x = 1.28125, .y = 2.15625, .z = 0.71875, .q = -0.75, .radius = 1.25};
  DCS_TRY(compute(s, &site, 1, &lattice, map));
  for (int i = 0; i < map->n; i++) {
    double x = 0.5 * (i % NX), y = 0.5 * (i / NX % NY), z = 0.5 * (i / NX / NY);
    double r = dcs_has_grid(s->kind) ? hypot(hypot(x - site.x, y - site.y), z - site.z) : 0;
    expect(s, "the value of one atom", i, map->v[i], s->kind->single(&s->problem, &site, r),
           map->bound[i]);
  }
  return DCS_OK;
}

static dcs_status superposition(const subject *s, const map_with_bounds *whole,
                                map_with_bounds *map) {
  dcs_site sites[N_SITES];
  double sum[POINTS];
  enum { PART = 13 };
  make_sites(sites, N_SITES);
  DCS_TRY(compute(s, sites, PART, &lattice, map));
  for (int i = 0; i < POINTS; i++)
    sum[i] = map->v[i];
  DCS_TRY(compute(s, sites + PART, N_SITES - PART, &lattice, map));
  for (int i = 0; i < POINTS; i++)
    expect(s, "superposition of subsets", i, sum[i] + map->v[i], whole->v[i], 2 * whole->bound[i]);
  return DCS_OK;
}

/* What is changed: charges by a factor, places by a shift (angstrom; in y twice, in z three times
 * as far), the order of the atoms, x by a mirror. A map follows the mirror, values of atoms their
 * order. */
typedef struct {
  const char *name;
  double factor, shift;
  bool reversed, mirrored;
} change;

static const change changes[] = {{"linearity in the charges", .factor = -3},
                                 {"translation", .factor = 1, .shift = -1000.5},
                                 {"permutation of the atoms", .factor = 1, .reversed = true},
                                 {"mirror image", .factor = 1, .mirrored = true}};

static void change_sites(const change *c, dcs_site sites[N_SITES], dcs_grid *grid) {
  dcs_site before[N_SITES];
  make_sites(before, N_SITES);
  for (int d = 0; d < 3; d++)
    grid->origin[d] = c->shift * (d + 1);
  for (int i = 0; i < N_SITES; i++) {
    sites[i] = before[c->reversed ? N_SITES - 1 - i : i];
    sites[i].q *= c->factor;
    if (c->mirrored) sites[i].x = 0.5 * (NX - 1) - sites[i].x;
    sites[i].x += grid->origin[0];
    sites[i].y += grid->origin[1];
    sites[i].z += grid->origin[2];
  }
}

/* Where value i was before the change. */
static int value_before(const subject *s, const change *c, int i) {
  if (!dcs_has_grid(s->kind)) return c->reversed ? N_SITES - 1 - i : i;
  return c->mirrored ? i - i % NX + (NX - 1 - i % NX) : i;
}

static dcs_status try_change(const subject *s, const change *c, const map_with_bounds *whole,
                             map_with_bounds *map) {
  dcs_site sites[N_SITES];
  dcs_grid grid = lattice;
  if (c->factor != 1 && !s->kind->linear) return DCS_OK;
  change_sites(c, sites, &grid);
  DCS_TRY(compute(s, sites, N_SITES, &grid, map));
  for (int i = 0; i < map->n; i++) {
    const int from = value_before(s, c, i);
    expect(s, c->name, i, map->v[i], c->factor * whole->v[from],
           map->bound[i] + fabs(c->factor) * whole->bound[from]);
  }
  return DCS_OK;
}

static dcs_status try_laws(const subject *s) {
  map_with_bounds *whole = malloc(2 * sizeof *whole);
  dcs_site sites[N_SITES];
  if (!whole) return dcs_fail(DCS_UNAVAILABLE, "no memory for maps");
  map_with_bounds *other = whole + 1;
  make_sites(sites, N_SITES);
  double cell[3];
  const dcs_problem shape = {.n = lattice.n, .spacing = lattice.spacing, .config = s->problem};
  const bool alone = !s->kind->cell || !s->kind->cell(&shape, cell);
  dcs_status status = alone ? one_atom(s, other) : DCS_OK; /* else there are its images */
  if (status == DCS_OK) status = compute(s, sites, N_SITES, &lattice, whole);
  if (status == DCS_OK && dcs_has_grid(s->kind)) status = superposition(s, whole, other);
  for (size_t c = 0; status == DCS_OK && c < sizeof changes / sizeof changes[0]; c++)
    status = try_change(s, &changes[c], whole, other);
  free(whole);
  return status;
}

dcs_status dcs_verify_physics(dcs_bench *bench, const dcs_method *method, const dcs_config *problem,
                              dcs_verification *result) {
  const subject s = {bench, method, result, dcs_kind_of(method->variant), *problem};
  const dcs_dims n = dcs_has_grid(s.kind) ? lattice.n : (dcs_dims){N_SITES, 1, 1};
  const dcs_problem shape = {
      .n_inputs = N_SITES, .n = n, .spacing = lattice.spacing, .config = *problem};
  char why[DCS_TEXT]; /* a problem may be too large for a configuration */
  if (!s.kind->single) return DCS_OK;
  return dcs_applicable(method->variant, &shape, &method->config, why) ? try_laws(&s) : DCS_OK;
}
