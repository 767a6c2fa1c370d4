#include "harness/judge/oracle.h"

#include "harness/base/interrupt.h"
#include "harness/base/random.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST_POINTS = 64, SMALL_MAP = 32768, MOST_GIVEN = 1 << 21 };

/* Of the scale of a map: what tells it, and what it is at least. */
enum { FEWEST_FAR = 8, MOST_CANCELLED = 64 };

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

/* The sample of a grid's points. */
static int64_t sample_point(dcs_random *random, dcs_dims n, int64_t i) {
  int64_t x = i & 1 ? n.x - 1 : 0, y = i & 2 ? n.y - 1 : 0, z = i & 4 ? n.z - 1 : 0;
  if (i >= 8) {
    x = sample_coordinate(random, n.x);
    y = sample_coordinate(random, n.y);
    z = sample_coordinate(random, n.z);
  }
  return (z * n.y + y) * n.x + x;
}

/* Value i of n of an output on no grid: each from another n-th of it, and the first and last. */
static int64_t sample_value(dcs_random *random, int64_t points, int64_t i, int64_t n) {
  const int64_t from = i * (points / n) + i * (points % n) / n,
                end = (i + 1) * (points / n) + (i + 1) * (points % n) / n;
  if (i == 0 || i == n - 1) return i == 0 ? 0 : points - 1;
  return from + dcs_random_below(random, end - from);
}

static void choose_values(const dcs_case *c, dcs_reference *reference) {
  const int values = c->kind->buffers[reference->buffer].values;
  if (reference->n == reference->points) {
    for (int64_t i = 0; i < reference->n; i++)
      reference->index[i] = i;
    return;
  }
  dcs_random random = {20071205};
  for (int64_t i = 0; i < reference->n; i++)
    if (!dcs_on_grid(c->kind, reference->buffer))
      reference->index[i] = sample_value(&random, reference->points, i, reference->n);
    else if (values > 1)
      reference->index[i] = sample_point(&random, c->problem.n, i) * values + i % values;
    else
      reference->index[i] = sample_point(&random, c->problem.n, i);
}

/* Of an output with a reference of its own, a value after another; else of the map. */
static dcs_status refer_values(const dcs_case *c, dcs_reference *reference) {
  const dcs_buffer *buffer = &c->kind->buffers[reference->buffer];
  if (buffer->reference) {
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t i = 0; i < reference->n; i++)
      if (!dcs_interrupted())
        reference->sums[i] =
            buffer->reference(c, reference->buffer, reference->index[i], reference->largest);
    return dcs_interrupted() ? dcs_fail(DCS_FAILED, "interrupted") : DCS_OK;
  }
  double(*points)[3] = malloc((size_t)reference->n * sizeof *points);
  if (!points)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld reference points",
                    (long long)reference->n);
  for (int64_t i = 0; i < reference->n; i++)
    dcs_case_point(c, reference->index[i], points[i]);
  dcs_status status = dcs_case_values(c, (const double(*)[3])points, reference->n,
                                      reference->largest, reference->sums);
  free(points);
  return status;
}

/* R of dcs_bound(). */
static double scale_of(const dcs_reference *reference) {
  double v2 = 0, w2 = 0;
  int64_t far = 0;
  for (int64_t i = 0; i < reference->n; i++) {
    const dcs_sums *sums = &reference->sums[i];
    w2 += sums->w; /* NOLINT: the oracle sets n of them */
    if (sums->nearest <= DCS_NEAREST_ATOM) continue;
    v2 += sums->v * sums->v;
    far++;
  }
  const double w = sqrt(w2 / (double)reference->n);
  if (far < FEWEST_FAR) return w;
  const double v = sqrt(v2 / (double)far);
  return v < w / MOST_CANCELLED ? w / MOST_CANCELLED : v; /* NaN, if v is */
}

void dcs_reference_free(dcs_reference *reference) {
  if (reference->next) dcs_reference_free(reference->next);
  free(reference->next);
  free(reference->index);
  free(reference->sums);
  *reference = (dcs_reference){0};
}

/* Of one output. */
static dcs_status refer_to(const dcs_case *c, int b, int64_t evals, dcs_reference *reference) {
  const dcs_buffer *buffer = &c->kind->buffers[b];
  int64_t points = dcs_count(c->kind, b, &c->problem) * (buffer->values > 1 ? buffer->values : 1);
  int64_t wanted = evals / (c->n_sites > 0 ? c->n_sites : 1);
  if (wanted < FEWEST_POINTS) wanted = FEWEST_POINTS;
  if (wanted > SMALL_MAP) wanted = SMALL_MAP;
  if (buffer->elements > 0) wanted = MOST_GIVEN; /* its reference costs nothing */
  if (wanted > points) wanted = points;

  size_t n = (size_t)wanted;
  *reference = (dcs_reference){.buffer = b,
                               .n = wanted,
                               .points = points,
                               .largest = dcs_case_largest(c),
                               .rounding = c->kind->rounding(&c->problem.config),
                               .value = buffer->value};
  reference->index = malloc(n * sizeof *reference->index);
  reference->sums = malloc(n * sizeof *reference->sums);
  if (!reference->index || !reference->sums) {
    dcs_reference_free(reference);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %lld reference points", (long long)wanted);
  }
  choose_values(c, reference);
  dcs_status status = refer_values(c, reference);
  if (c->kind->tolerance) reference->tolerance = c->kind->tolerance(&c->problem.config);
  if (status == DCS_OK && reference->tolerance > 0) reference->scale = scale_of(reference);
  if (status != DCS_OK) dcs_reference_free(reference);
  return status;
}

/* An output on no grid may be anything finite. */
static bool is_judged(const dcs_kind *kind, int b) {
  return kind->buffers[b].reference || dcs_on_grid(kind, b);
}

dcs_status dcs_oracle(const dcs_case *c, int64_t evals, dcs_reference *reference) {
  dcs_reference *last = NULL;
  dcs_status status = DCS_OK;
  *reference = (dcs_reference){0};
  for (int b = 0; status == DCS_OK && b < c->kind->n_buffers; b++) {
    if (!c->kind->buffers[b].output || !is_judged(c->kind, b)) continue;
    dcs_reference *one = last ? calloc(1, sizeof *one) : reference;
    if (!one) status = dcs_fail(DCS_UNAVAILABLE, "no memory for a reference");
    if (status == DCS_OK) status = refer_to(c, b, evals, one);
    if (last) last->next = one;
    last = one;
  }
  if (status != DCS_OK) dcs_reference_free(reference);
  return status;
}

/* Nothing is off by nothing, of zeros too. */
static double relative(double difference, double whole) {
  return difference == 0 ? 0 : difference / whole;
}

dcs_status dcs_model_error(dcs_case *c, int64_t evals, const dcs_reference *reference,
                           double *error) {
  const dcs_config own = c->problem.config;
  dcs_config exact;
  dcs_reference whole = {0};
  double difference2 = 0, norm2 = 0;
  *error = reference->tolerance > 0 ? 0 : NAN;
  if (reference->tolerance > 0 || !c->kind->approximates || !c->kind->approximates(&own, &exact))
    return DCS_OK;
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
  *error = sqrt(relative(difference2, norm2));
  dcs_reference_free(&whole);
  return DCS_OK;
}

static double value_of(const dcs_reference *reference, const void *out, int64_t i) {
  return reference->value ? reference->value(out, i) : (double)((const float *)out)[i];
}

/* Index of a value that is not finite, or -1. */
static int64_t find_not_finite(const dcs_reference *reference, const void *out) {
  const int64_t points = reference->points;
  int64_t first = points;
#pragma omp parallel for reduction(min : first) if (points > 1000000)
  for (int64_t i = 0; i < points; i++)
    if (!isfinite(value_of(reference, out, i)) && i < first) first = i;
  return first < points ? first : -1;
}

double dcs_bound(const dcs_reference *reference, int64_t i, int64_t longest_sum) {
  const dcs_sums *sums = &reference->sums[i];
  const double u = 0x1p-24, s = sums->s;
  if (reference->tolerance > 0)
    return reference->tolerance * reference->scale +
           4 * u * (fabs(sums->v) + reference->largest * (sums->d_near + sqrt(sums->d_far2)));
  return u * (reference->rounding * s + 4 * reference->largest * sums->d +
              3 * s * sqrt((double)longest_sum)) +
         sums->e;
}

dcs_verdict dcs_check(const dcs_reference *reference, const void *out, int64_t longest_sum) {
  dcs_verdict verdict = {.accepted = true};
  double difference2 = 0, norm2 = 0, largest = 0;
  for (int64_t i = 0; i < reference->n; i++) {
    int64_t index = reference->index[i];
    double v = value_of(reference, out, index);
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
    const bool far = reference->sums[i].nearest > DCS_NEAREST_ATOM;
    if ((far || isnan(difference)) && !(difference <= largest)) largest = difference;
    difference2 += difference * difference;
    norm2 += reference->sums[i].v * reference->sums[i].v;
  }
  verdict.rel_l2 = norm2 > 0 ? sqrt(difference2 / norm2) : sqrt(difference2);

  verdict.max_error = reference->tolerance > 0 ? relative(largest, reference->scale) : NAN;

  int64_t bad = find_not_finite(reference, out);
  if (bad >= 0) {
    verdict.accepted = false;
    verdict.bound_ratio = NAN;
    verdict.worst = bad;
    verdict.found = value_of(reference, out, bad);
    verdict.expected = NAN;
  }
  return verdict;
}
