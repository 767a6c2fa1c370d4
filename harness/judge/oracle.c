#include "harness/judge/oracle.h"

#include "harness/base/interrupt.h"
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

static void reference_point(const dcs_case *c, int64_t i, dcs_reference *reference) {
  const dcs_dims n = c->problem.n;
  const int64_t index = reference->index[i]; /* NOLINT: choose_points() has set them */
  const double point[3] = {(double)(index % n.x) * c->spacing,
                           (double)(index / n.x % n.y) * c->spacing,
                           (double)(index / n.x / n.y) * c->spacing};
  reference->sums[i] = dcs_case_sums(c, point, reference->largest);
}

void dcs_reference_free(dcs_reference *reference) {
  free(reference->index);
  free(reference->sums);
  *reference = (dcs_reference){0};
}

dcs_status dcs_oracle(const dcs_case *c, int64_t evals, dcs_reference *reference) {
  int64_t points = dcs_points(c->problem.n);
  int64_t wanted = evals / c->n_sites;
  if (wanted < FEWEST_POINTS) wanted = FEWEST_POINTS;
  if (wanted > SMALL_MAP) wanted = SMALL_MAP;
  if (wanted > points) wanted = points;

  size_t n = (size_t)wanted;
  *reference = (dcs_reference){.n = wanted,
                               .points = points,
                               .largest = dcs_case_largest(c),
                               .rounding = c->kind->rounding(&c->problem.config)};
  reference->index = malloc(n * sizeof *reference->index);
  reference->sums = malloc(n * sizeof *reference->sums);
  if (!reference->index || !reference->sums) {
    dcs_reference_free(reference);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld reference points", (long long)wanted);
  }
  choose_points(c->problem.n, reference);
#pragma omp parallel for schedule(dynamic, 16)
  for (int64_t i = 0; i < wanted; i++)
    if (!dcs_interrupted()) reference_point(c, i, reference);
  if (!dcs_interrupted()) return DCS_OK;
  dcs_reference_free(reference);
  return dcs_fail(DCS_FAILED, "interrupted");
}

dcs_status dcs_model_error(dcs_case *c, int64_t evals, const dcs_reference *reference,
                           double *error) {
  const dcs_config own = c->problem.config;
  dcs_config exact;
  dcs_reference whole = {0};
  double difference2 = 0, norm2 = 0;
  *error = NAN;
  if (!c->kind->approximates || !c->kind->approximates(&own, &exact)) return DCS_OK;
  dcs_case_pose(c, &exact);
  dcs_status status = dcs_oracle(c, evals, &whole);
  dcs_case_pose(c, &own);
  DCS_TRY(status);
  for (int64_t i = 0; i < whole.n; i++) {
    /* NOLINTNEXTLINE: the oracle sets n of them */
    const double v = whole.sums[i].v, difference = reference->sums[i].v - v;
    difference2 += difference * difference;
    norm2 += v * v;
  }
  *error = sqrt(difference2 / norm2);
  dcs_reference_free(&whole);
  return DCS_OK;
}

/* Index of a value that is not finite, or -1. */
static int64_t find_not_finite(const float *out, int64_t points) {
  int64_t first = points;
#pragma omp parallel for reduction(min : first) if (points > 1000000)
  for (int64_t i = 0; i < points; i++)
    if (!isfinite(out[i]) && i < first) first = i;
  return first < points ? first : -1;
}

double dcs_bound(const dcs_reference *reference, int64_t i, int64_t longest_sum) {
  const dcs_sums *sums = &reference->sums[i];
  const double u = 0x1p-24, s = sums->s;
  return u * (reference->rounding * s + 4 * reference->largest * sums->d +
              3 * s * sqrt((double)longest_sum)) +
         sums->e;
}

dcs_verdict dcs_check(const dcs_reference *reference, const float *out, int64_t longest_sum) {
  dcs_verdict verdict = {.accepted = true};
  double difference2 = 0, norm2 = 0;
  for (int64_t i = 0; i < reference->n; i++) {
    int64_t index = reference->index[i];
    double v = out[index];
    double difference = fabs(v - reference->sums[i].v);
    double bound = dcs_bound(reference, i, longest_sum);
    double ratio = bound > 0 ? difference / bound : (difference == 0 ? 0 : INFINITY);
    if (!(ratio <= 1) || !isfinite(bound)) verdict.accepted = false;
    if (i == 0 || (!isnan(verdict.bound_ratio) && !(ratio <= verdict.bound_ratio))) {
      verdict.bound_ratio = ratio;
      verdict.worst = index;
      verdict.found = v;
      verdict.expected = reference->sums[i].v;
    }
    difference2 += difference * difference;
    norm2 += reference->sums[i].v * reference->sums[i].v;
  }
  verdict.rel_l2 = norm2 > 0 ? sqrt(difference2 / norm2) : sqrt(difference2);

  int64_t bad = find_not_finite(out, reference->points);
  if (bad >= 0) {
    verdict.accepted = false;
    verdict.bound_ratio = NAN;
    verdict.worst = bad;
    verdict.found = out[bad];
    verdict.expected = NAN;
  }
  return verdict;
}
