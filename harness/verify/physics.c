/* Laws that any potential map obeys: checks that need no oracle's values. Each law gives two maps,
 * or a map and a formula, that must agree within a few acceptance bounds. */
#include "harness/verify/verify.h"

#include "harness/base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_SITES = 40, NX = 13, NY = 11, NZ = 3, POINTS = NX * NY * NZ };

/* The map of one molecule, and the bound of each point. */
typedef struct {
  float v[POINTS];
  double bound[POINTS];
} map_with_bounds;

typedef struct {
  dcs_bench *bench;
  const dcs_method *method;
  dcs_verification *result;
  double cutoff; /* angstrom, for a variant with one */
  dcs_smooth smooth;
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
                   .q = 0.125 * (double)(1 + dcs_random_below(&random, 8)) * (i % 2 ? -1 : 1)};
}

static void bounds_of(const dcs_reference *reference, int64_t longest, double bound[POINTS]) {
  for (int i = 0; i < POINTS; i++)
    bound[i] = dcs_bound(reference, i, longest);
}

static dcs_status compute(const subject *s, dcs_site *sites, int n, const dcs_grid *grid,
                          map_with_bounds *map) {
  dcs_molecule molecule = {sites, n};
  dcs_case c;
  dcs_reference reference;
  DCS_TRY(dcs_case_build(&molecule, grid, &c));
  if (s->method->variant->cutoff) dcs_case_set_cutoff(&c, s->cutoff, s->smooth);
  dcs_status status = dcs_bench_put(s->bench, &c);
  if (status == DCS_OK)
    status = dcs_oracle_for(s->method->variant, &c, (int64_t)POINTS * n, &reference);
  if (status == DCS_OK) {
    dcs_trial trial = dcs_bench_try(s->bench, s->method, &c, &reference);
    if (trial.lost[0]) memcpy(s->result->lost, trial.lost, sizeof trial.lost);
    memcpy(map->v, s->bench->arena.map, sizeof map->v);
    bounds_of(&reference, s->method->variant->longest_sum(&c.problem, &s->method->config),
              map->bound);
    if (trial.outcome != DCS_OUTCOME_OK && s->result->outcome == DCS_OUTCOME_OK) {
      s->result->outcome = trial.outcome;
      snprintf(s->result->why, sizeof s->result->why, "%s", dcs_error_message());
    }
    dcs_reference_free(&reference);
  }
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

/* The law itself: f(r) / r of a charge of 1. */
static double law(const subject *s, double r) {
  if (!s->method->variant->cutoff) return 1 / r;
  double t = 1 - r * r / (s->cutoff * s->cutoff);
  return t <= 0 ? 0 : (s->smooth == DCS_SMOOTH_C2 ? t * t : 1) / r;
}

static dcs_status one_charge(const subject *s, map_with_bounds *map) {
  dcs_site site = {.x = 1.28125, .y = 2.15625, .z = 0.71875, .q = -0.75};
  DCS_TRY(compute(s, &site, 1, &lattice, map));
  for (int i = 0; i < POINTS; i++) {
    double x = 0.5 * (i % NX), y = 0.5 * (i / NX % NY), z = 0.5 * (i / NX / NY);
    double r = hypot(hypot(x - site.x, y - site.y), z - site.z);
    expect(s, "one charge is q/r", i, map->v[i], site.q * law(s, r), map->bound[i]);
  }
  return DCS_OK;
}

static dcs_status linearity(const subject *s, const map_with_bounds *whole, map_with_bounds *map) {
  dcs_site sites[N_SITES];
  make_sites(sites, N_SITES);
  for (int i = 0; i < N_SITES; i++)
    sites[i].q *= -3;
  DCS_TRY(compute(s, sites, N_SITES, &lattice, map));
  for (int i = 0; i < POINTS; i++)
    expect(s, "linearity in the charges", i, map->v[i], -3.0 * whole->v[i], 2 * map->bound[i]);
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

static dcs_status translation(const subject *s, const map_with_bounds *whole,
                              map_with_bounds *map) {
  dcs_site sites[N_SITES];
  dcs_grid grid = lattice;
  make_sites(sites, N_SITES);
  for (int d = 0; d < 3; d++)
    grid.origin[d] = -1000.5 * (d + 1);
  for (int i = 0; i < N_SITES; i++) {
    sites[i].x += grid.origin[0];
    sites[i].y += grid.origin[1];
    sites[i].z += grid.origin[2];
  }
  DCS_TRY(compute(s, sites, N_SITES, &grid, map));
  for (int i = 0; i < POINTS; i++)
    expect(s, "translation", i, map->v[i], whole->v[i], 2 * whole->bound[i]);
  return DCS_OK;
}

static dcs_status permutation(const subject *s, const map_with_bounds *whole,
                              map_with_bounds *map) {
  dcs_site sites[N_SITES], reversed[N_SITES];
  make_sites(sites, N_SITES);
  for (int i = 0; i < N_SITES; i++)
    reversed[i] = sites[N_SITES - 1 - i];
  DCS_TRY(compute(s, reversed, N_SITES, &lattice, map));
  for (int i = 0; i < POINTS; i++)
    expect(s, "permutation of the atoms", i, map->v[i], whole->v[i], 2 * whole->bound[i]);
  return DCS_OK;
}

static dcs_status mirror(const subject *s, const map_with_bounds *whole, map_with_bounds *map) {
  dcs_site sites[N_SITES];
  make_sites(sites, N_SITES);
  for (int i = 0; i < N_SITES; i++)
    sites[i].x = 0.5 * (NX - 1) - sites[i].x;
  DCS_TRY(compute(s, sites, N_SITES, &lattice, map));
  for (int i = 0; i < POINTS; i++) {
    int image = i - i % NX + (NX - 1 - i % NX);
    expect(s, "mirror image", i, map->v[i], whole->v[image], map->bound[i] + whole->bound[image]);
  }
  return DCS_OK;
}

static dcs_status try_laws(const subject *s) {
  map_with_bounds *whole = malloc(2 * sizeof *whole);
  dcs_site sites[N_SITES];
  if (!whole) return dcs_fail(DCS_UNAVAILABLE, "no memory for maps");
  map_with_bounds *other = whole + 1;
  make_sites(sites, N_SITES);
  dcs_status status = one_charge(s, other);
  if (status == DCS_OK) status = compute(s, sites, N_SITES, &lattice, whole);
  if (status == DCS_OK) status = linearity(s, whole, other);
  if (status == DCS_OK) status = superposition(s, whole, other);
  if (status == DCS_OK) status = translation(s, whole, other);
  if (status == DCS_OK) status = permutation(s, whole, other);
  if (status == DCS_OK) status = mirror(s, whole, other);
  free(whole);
  return status;
}

dcs_status dcs_verify_physics(dcs_bench *bench, const dcs_method *method,
                              dcs_verification *result) {
  /* Cutoffs that single precision holds exactly: a smooth map, and one that ends abruptly. */
  subject s = {bench, method, result, 1.71875, DCS_SMOOTH_C2};
  DCS_TRY(try_laws(&s));
  if (!method->variant->cutoff) return DCS_OK;
  s.cutoff = 2.59375;
  s.smooth = DCS_SMOOTH_NONE;
  return try_laws(&s);
}
