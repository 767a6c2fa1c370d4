#include "tuning/search/process.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 9 }; /* over the constants at most, each time they are learned */

/* What the constants are before anything is known is the centre of their log-normal prior: a sample
 * scatters by a hundredth of the variance, and configurations that differ in one feature alone keep
 * at least a fifth of their covariance. */
static const double FIRST_NOISE = 0.01, FIRST_REACH = 4, PRECISION = 0.25;

/* Where nothing is known of launches, what compared times usually scatter by counts for as much as
 * so many configurations: a few that happen to be alike do not tell that all are. */
static const double USUAL_VARIANCE = 0.5, USUAL_COUNTS = 4;

/* Those in which a constant is looked for: of weights, the noise, the reach. */
typedef struct {
  double least, most;
} range;
static const range WEIGHTS = {0.003, 5}, NOISES = {1e-4, 0.3}, REACHES = {0.25, 64};

static int n_constants(const dcs_process *p) {
  return p->features->n + 2;
}

static double noise_of(const dcs_process *p) {
  return p->constant[p->features->n];
}

static double reach_of(const dcs_process *p) {
  return p->constant[p->features->n + 1];
}

/* The logarithm of the work, in units of compared times: about half of what a time that grows with
 * the work would be, since little work is done at less than the full rate. */
static double mean_of(const dcs_process *p, int config) {
  return p->features->work[config];
}

void dcs_process_open(const dcs_features *features, dcs_process *p) {
  *p = (dcs_process){.features = features};
  for (int f = 0; f < features->n; f++)
    p->first[f] = features->weight[f];
  p->first[features->n] = FIRST_NOISE;
  p->first[features->n + 1] = FIRST_REACH;
  memcpy(p->constant, p->first, sizeof p->constant);
}

void dcs_process_know(dcs_process *p, const int *configs, const double *times, int n) {
  double sum = 0;
  p->n = n;
  for (int i = 0; i < n; i++) {
    for (int f = 0; f < p->features->n; f++)
      p->at[f][i] = p->features->at[configs[i]][f];
    sum += p->rest[i] = times[i] - mean_of(p, configs[i]);
  }
  p->offset = sum / n;
  for (int i = 0; i < n; i++)
    p->rest[i] -= p->offset;
}

/* The covariances, over variance, of a configuration with features x and the first n known: a
 * product of (1 + reach k) / (1 + reach) over the features, with k = 1 / (1 + weight apart^2).
 * Multiplied out that is a sum over all sets of features: what one parameter does, or two, is
 * learned from configurations that differ in all others, as in an additive process (Duvenaud,
 * Nickisch, Rasmussen, Additive Gaussian Processes, NeurIPS 2011). */
static void find_covariances(const dcs_process *p, const double *x, int n, double *row) {
  const dcs_features *f = p->features;
  const double reach = reach_of(p), whole = pow(1 + reach, -f->n);
  double below[DCS_PROCESS_MOST];
  for (int j = 0; j < n; j++)
    row[j] = below[j] = 1;
  for (int i = 0; i < f->n; i++) {
    const double weight = p->constant[i], own = x[i], *other = p->at[i];
#pragma omp simd
    for (int j = 0; j < n; j++) {
      const double apart = f->names[i] ? own != other[j] : own - other[j];
      const double far = 1 + weight * apart * apart;
      row[j] *= far + reach;
      below[j] *= far;
    }
  }
#pragma omp simd
  for (int j = 0; j < n; j++)
    row[j] *= whole / below[j];
}

/* ---- solving ---- */

/* Takes the columns from `from` to `to` of factor * x = x, whose differences are independent. */
static void solve_columns(const dcs_process *p, int from, int to, int n, double *x) {
  for (int k = from; k < to; k++) {
    x[k] /= p->factor[k][k];
#pragma omp simd
    for (int j = k + 1; j < n; j++)
      x[j] -= x[k] * p->factor[k][j];
  }
}

static void factorise(dcs_process *p) {
  double x[DCS_MOST_FEATURES], row[DCS_PROCESS_MOST];
  for (int i = 0; i < p->n; i++) {
    for (int f = 0; f < p->features->n; f++)
      x[f] = p->at[f][i];
    find_covariances(p, x, i, row);
    solve_columns(p, 0, i, i, row);
    double rest = 1 + noise_of(p);
    for (int k = 0; k < i; k++) {
      rest -= row[k] * row[k];
      p->factor[k][i] = row[k];
    }
    p->factor[i][i] = sqrt(fmax(rest, 1e-12));
  }
}

static double log_prior(const dcs_process *p) {
  double square = 0;
  for (int c = 0; c < n_constants(p); c++)
    square += pow(log(p->constant[c] / p->first[c]), 2);
  return -PRECISION * square / 2;
}

/* Solves; returns how well the constants explain what is known: the log of the marginal likelihood
 * at the best variance, times the prior, up to a constant. */
static double explain(dcs_process *p) {
  const double usual = p->features->of_launches ? 0 : USUAL_COUNTS, n = p->n + usual;
  double half[DCS_PROCESS_MOST], log_det = 0, square = usual * USUAL_VARIANCE;
  factorise(p);
  memcpy(half, p->rest, sizeof half);
  solve_columns(p, 0, p->n, p->n, half);
  for (int i = 0; i < p->n; i++) {
    square += half[i] * half[i];
    log_det += log(p->factor[i][i]);
  }
  for (int i = p->n - 1; i >= 0; i--) {
    p->solved[i] = half[i];
    for (int k = i + 1; k < p->n; k++)
      p->solved[i] -= p->factor[i][k] * p->solved[k];
    p->solved[i] /= p->factor[i][i];
  }
  p->variance = fmax(square / n, 1e-9);
  return -0.5 * n * log(p->variance) - log_det + log_prior(p);
}

void dcs_process_solve(dcs_process *p) {
  explain(p);
}

/* ---- learning ---- */

static range range_of(const dcs_process *p, int c) {
  if (c == p->features->n) return NOISES;
  return c < p->features->n ? WEIGHTS : REACHES;
}

/* Halves or doubles one constant where that explains more than `best`; whether it did. */
static bool improve(dcs_process *p, int c, double *best) {
  const range allowed = range_of(p, c);
  const double own = p->constant[c], other[] = {own / 2, own * 2};
  double kept = own;
  for (int way = 0; way < 2; way++) {
    if (other[way] < allowed.least || other[way] > allowed.most) continue;
    p->constant[c] = other[way];
    double explains = explain(p);
    if (!(explains > *best)) continue;
    *best = explains;
    kept = other[way];
  }
  p->constant[c] = kept;
  return kept != own;
}

/* One constant after another until none explains more. */
void dcs_process_learn(dcs_process *p) {
  memcpy(p->constant, p->first, sizeof p->constant);
  double best = explain(p);
  bool better = true;
  for (int sweep = 0; better && sweep < SWEEPS; sweep++) {
    better = false;
    for (int c = 0; c < n_constants(p); c++)
      if (improve(p, c, &best)) better = true;
  }
}

/* ---- expecting ---- */

static double improvement(double better, double deviation) {
  double z = better / deviation;
  return better * 0.5 * erfc(-z / sqrt(2)) + deviation * exp(-z * z / 2) / sqrt(2 * M_PI);
}

double dcs_process_gain(const dcs_process *p, int config, double beat) {
  enum { COLUMNS = 16 };
  double half[DCS_PROCESS_MOST], mean = 0, rest = 1, gain = 0;
  find_covariances(p, p->features->at[config], p->n, half);
  for (int i = 0; i < p->n; i++)
    mean += half[i] * p->solved[i];
  const double better = -(p->offset + mean_of(p, config) + mean);
  for (int from = 0; from <= p->n; from += COLUMNS) { /* each leaves less to be unsure of */
    gain = improvement(better, sqrt(p->variance * fmax(rest, 1e-9)));
    if (gain <= beat) return 0;
    const int to = from + COLUMNS < p->n ? from + COLUMNS : p->n;
    solve_columns(p, from, to, p->n, half);
    for (int i = from; i < to; i++)
      rest -= half[i] * half[i];
  }
  return improvement(better, sqrt(p->variance * fmax(rest, 1e-9)));
}
