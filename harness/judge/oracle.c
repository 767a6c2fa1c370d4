#include "harness/judge/oracle.h"

#include "harness/base/random.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST_POINTS = 64, SMALL_MAP = 32768 };

/* A coordinate of a sampled point: every third one at an edge, where tails and guards go wrong. */
static int64_t sample_coordinate(dcs_random *random, int64_t n) {
  switch (dcs_random_below(random, 6)) {
  case 0:
    return 0;
  case 1:
    return n - 1;
  default:
    return dcs_random_below(random, n);
  }
}

static void choose_points(dcs_dims n, dcs_reference *reference) {
  if (reference->n == reference->points) {
    for (int64_t i = 0; i < reference->n; i++)
      reference->index[i] = i;
    return;
  }
  dcs_random random = {20071205};
  for (int64_t i = 0; i < reference->n; i++) {
    int64_t x = i & 1 ? n.x - 1 : 0, y = i & 2 ? n.y - 1 : 0, z = i & 4 ? n.z - 1 : 0;
    if (i >= 8) {
      x = sample_coordinate(&random, n.x);
      y = sample_coordinate(&random, n.y);
      z = sample_coordinate(&random, n.z);
    }
    reference->index[i] = (z * n.y + y) * n.x + x;
  }
}

static double largest_coordinate(const dcs_case *c, bool cutoff) {
  dcs_dims n = c->problem.n;
  int64_t longest = n.x > n.y ? n.x : n.y;
  longest = longest > n.z ? longest : n.z;
  const double grid = c->spacing * (double)(longest - 1);
  double p = grid;
  for (int64_t a = 0; a < c->n_sites; a++)
    p = fmax(p, fmax(fabs(c->sites[a].x), fmax(fabs(c->sites[a].y), fabs(c->sites[a].z))));
  return cutoff ? fmin(p, grid + (double)c->problem.cutoff) : p;
}

typedef struct {
  double v, s, d, e;
} sums;

static void add(double q, double r, sums *sum) {
  sum->v += q / r;
  sum->s += fabs(q) / r;
  sum->d += fabs(q) / (r * r);
}

/* The coordinates move r by up to 5.2 p units, and r^2 / c^2 rounds by a few units: where that may
 * carry r across the cutoff, the term that is there or not adds to the bound. */
static void add_within(const dcs_problem *problem, double p, double q, double r, sums *sum) {
  const double c = (double)problem->cutoff, edge = 0x1p-24 * (6 * p + 8 * c);
  const bool is_smooth = problem->smooth == DCS_SMOOTH_C2;
  if (fabs(r - c) <= edge) {
    double f = is_smooth ? 4 * edge / c : 1; /* the largest 1 - r^2/c^2 there, twice */
    sum->e += fabs(q) * f * f / r;
  }
  if (!(r < c)) return;
  double f = is_smooth ? 1 - r * r / (c * c) : 1;
  sum->v += q * f * f / r;
  sum->s += fabs(q) * f / r;
  sum->d += fabs(q) * (f * f / (r * r) + (is_smooth ? 4 * f / (c * c) : 0));
}

static void reference_point(const dcs_case *c, bool cutoff, int64_t i, dcs_reference *reference) {
  const dcs_dims n = c->problem.n;
  int64_t index = reference->index[i]; /* NOLINT: choose_points() has set them */
  double gx = (double)(index % n.x) * c->spacing;
  double gy = (double)(index / n.x % n.y) * c->spacing;
  double gz = (double)(index / n.x / n.y) * c->spacing;
  sums sum = {0};
  for (int64_t a = 0; a < c->n_sites; a++) {
    const dcs_site *site = &c->sites[a];
    double r = sqrt((gx - site->x) * (gx - site->x) + (gy - site->y) * (gy - site->y) +
                    (gz - site->z) * (gz - site->z));
    if (r < 1e-6 * c->spacing) continue;
    if (cutoff)
      add_within(&c->problem, reference->p, site->q, r, &sum);
    else
      add(site->q, r, &sum);
  }
  reference->v[i] = sum.v;
  reference->s[i] = sum.s;
  reference->d[i] = sum.d;
  reference->e[i] = sum.e;
}

void dcs_reference_free(dcs_reference *reference) {
  free(reference->index);
  free(reference->v);
  free(reference->s);
  free(reference->d);
  free(reference->e);
  *reference = (dcs_reference){0};
}

static dcs_status compute(const dcs_case *c, bool cutoff, int64_t evals, dcs_reference *reference) {
  int64_t points = dcs_points(c->problem.n);
  int64_t wanted = evals / c->n_sites;
  if (wanted < FEWEST_POINTS) wanted = FEWEST_POINTS;
  if (wanted > SMALL_MAP) wanted = SMALL_MAP;
  if (wanted > points) wanted = points;

  size_t n = (size_t)wanted;
  *reference = (dcs_reference){.n = wanted, .points = points, .p = largest_coordinate(c, cutoff)};
  reference->index = malloc(n * sizeof *reference->index);
  reference->v = malloc(n * sizeof *reference->v);
  reference->s = malloc(n * sizeof *reference->s);
  reference->d = malloc(n * sizeof *reference->d);
  reference->e = malloc(n * sizeof *reference->e);
  if (!reference->index || !reference->v || !reference->s || !reference->d || !reference->e) {
    dcs_reference_free(reference);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld reference points", (long long)wanted);
  }
  choose_points(c->problem.n, reference);
#pragma omp parallel for schedule(dynamic, 16)
  for (int64_t i = 0; i < wanted; i++)
    reference_point(c, cutoff, i, reference);
  return DCS_OK;
}

dcs_status dcs_oracle(const dcs_case *c, int64_t evals, dcs_reference *reference) {
  return compute(c, false, evals, reference);
}

dcs_status dcs_cutoff_oracle(const dcs_case *c, int64_t evals, dcs_reference *reference) {
  return compute(c, true, evals, reference);
}

dcs_status dcs_oracle_for(const dcs_variant *variant, const dcs_case *c, int64_t evals,
                          dcs_reference *reference) {
  return compute(c, variant->cutoff, evals, reference);
}

dcs_status dcs_cutoff_error(const dcs_case *c, int64_t evals, const dcs_reference *within,
                            double *error) {
  dcs_reference whole;
  double difference2 = 0, norm2 = 0;
  DCS_TRY(dcs_oracle(c, evals, &whole));
  for (int64_t i = 0; i < whole.n; i++) {
    difference2 += (within->v[i] - whole.v[i]) * (within->v[i] - whole.v[i]);
    norm2 += whole.v[i] * whole.v[i];
  }
  *error = sqrt(difference2 / norm2);
  dcs_reference_free(&whole);
  return DCS_OK;
}

/* Index of a value that is not finite, or -1. */
static int64_t find_not_finite(const float *map, int64_t points) {
  int64_t first = points;
#pragma omp parallel for reduction(min : first) if (points > 1000000)
  for (int64_t i = 0; i < points; i++)
    if (!isfinite(map[i]) && i < first) first = i;
  return first < points ? first : -1;
}

double dcs_bound(const dcs_reference *reference, int64_t i, int64_t longest_sum) {
  const double u = 0x1p-24, s = reference->s[i];
  return u * (16 * s + 4 * reference->p * reference->d[i] + 3 * s * sqrt((double)longest_sum)) +
         reference->e[i];
}

dcs_verdict dcs_check(const dcs_reference *reference, const float *map, int64_t longest_sum) {
  dcs_verdict verdict = {.accepted = true};
  double difference2 = 0, norm2 = 0;
  for (int64_t i = 0; i < reference->n; i++) {
    int64_t index = reference->index[i];
    double v = map[index];
    double difference = fabs(v - reference->v[i]);
    double bound = dcs_bound(reference, i, longest_sum);
    double ratio = bound > 0 ? difference / bound : (difference == 0 ? 0 : INFINITY);
    if (!(ratio <= 1)) verdict.accepted = false;
    if (i == 0 || (!isnan(verdict.bound_ratio) && !(ratio <= verdict.bound_ratio))) {
      verdict.bound_ratio = ratio;
      verdict.worst = index;
      verdict.found = v;
      verdict.expected = reference->v[i];
    }
    difference2 += difference * difference;
    norm2 += reference->v[i] * reference->v[i];
  }
  verdict.rel_l2 = norm2 > 0 ? sqrt(difference2 / norm2) : sqrt(difference2);

  int64_t bad = find_not_finite(map, reference->points);
  if (bad >= 0) {
    verdict.accepted = false;
    verdict.bound_ratio = NAN;
    verdict.worst = bad;
    verdict.found = map[bad];
    verdict.expected = NAN;
  }
  return verdict;
}
