/* Bayesian optimisation. A Gaussian process (Rasmussen and Williams, Gaussian Processes for Machine
 * Learning, MIT Press 2006: algorithm 2.1, Matern 5/2 of equation 4.17, section 2.7 on a mean that
 * is not 0, section 5.4 on learning its constants) predicts the time of every configuration from
 * what is known; the next to be evaluated is the one with the largest expected improvement (Jones,
 * Schonlau, Welch, J. Global Optimization 13, 1998).
 *
 * What a launch looks like is known before it is measured, and the process learns only what that
 * leaves open: its mean goes with the work that the busiest SM does, and configurations
 * are near each other whose launches look alike (features.h). */
#include "tuning/search/features.h"
#include "tuning/search/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  FIRST = 2,         /* known before the model is asked */
  SPREAD = 8,        /* of so many random ones the farthest from all that is known */
  LEARN_FROM = 100,  /* the most that the model is given: a decision takes the cube of it */
  LEARN_OFTEN = 48,  /* up to so many known its constants are learned for each decision */
  CANDIDATES = 1024, /* of so many the best is looked for */
  SWEEPS = 9         /* over the model's constants at most, each time they are learned */
};

/* The constants of the model are a weight of each feature and, last, the noise. What they are
 * before anything is known is the centre of their log-normal prior: a sample scatters by a
 * hundredth of the variance. */
static const double FIRST_NOISE = 0.01, PRECISION = 0.25;
static const double LEAST_WEIGHT = 0.003, MOST_WEIGHT = 5, LEAST_NOISE = 1e-4, MOST_NOISE = 0.3;

/* Times are compared by log(1 + log(time / best) / SOFT): how much slower the slow ones are says
 * little about the best. */
static const double SOFT = 0.3;

typedef struct {
  int config;
  double ns; /* INFINITY: a failure */
} known;

typedef struct {
  dcs_search *search;
  dcs_features features;
  double constant[DCS_MOST_FEATURES + 1], first[DCS_MOST_FEATURES + 1]; /* features.n + 1 */
  int learn_at; /* so many known the constants are learned again */
  /* What the model learns from. */
  int n, config[LEARN_FROM];
  double rest[LEARN_FROM]; /* times as compared (0: the best known) less the mean and the offset */
  double offset;           /* their average */
  /* Cholesky's, of the covariance over variance: each line is a column of the lower factor. */
  double factor[LEARN_FROM][LEARN_FROM];
  double solved[LEARN_FROM]; /* the covariance's inverse times the rest */
  double variance;
  /* Room. */
  known *all;
  int *list;
  double *gain;
} model;

/* ---- the process ---- */

/* The logarithm of the work, in units of compared times: about half of what a time that grows with
 * the work would be, since little work is done at less than the full rate. */
static double mean_of(const model *m, int config) {
  return m->features.work[config];
}

static double covariance(const model *m, int a, int b) {
  const dcs_features *f = &m->features;
  const double *x = f->at[a], *z = f->at[b];
  double square = 0;
  for (int i = 0; i < f->n; i++) {
    double apart = f->names[i] ? x[i] != z[i] : x[i] - z[i];
    square += m->constant[i] * apart * apart;
  }
  double far = sqrt(5 * square);
  return (1 + far + far * far / 3) * exp(-far);
}

/* The constants are those of before anything is known. */
static void forget(model *m) {
  for (int f = 0; f < m->features.n; f++)
    m->first[f] = m->features.weight[f];
  m->first[m->features.n] = FIRST_NOISE;
  memcpy(m->constant, m->first, sizeof m->constant);
}

/* ---- learning ---- */

static int by_time(const void *a, const void *b) {
  const known *x = a, *y = b;
  if (x->ns != y->ns) return x->ns < y->ns ? -1 : 1;
  return (x->config > y->config) - (x->config < y->config);
}

/* The fastest and, where there are more than the model takes, every so manieth of the rest. False
 * when none is ok. A failure counts as the slowest. */
static bool collect(model *m) {
  const dcs_search *s = m->search;
  int n = 0, n_ok = 0;
  for (int c = 0; c < s->space->n; c++) {
    const dcs_evaluation *e = &s->known[c];
    bool ok = e->outcome == DCS_OUTCOME_OK;
    if (e->known) m->all[n++] = (known){c, ok ? e->stats.median : INFINITY};
    n_ok += e->known && ok;
  }
  if (n_ok == 0) return false;
  qsort(m->all, (size_t)n, sizeof *m->all, by_time);
  double slowest = m->all[n_ok - 1].ns, sum = 0;
  m->n = n < LEARN_FROM ? n : LEARN_FROM;
  for (int i = 0; i < m->n; i++) {
    int half = LEARN_FROM / 2, from = i;
    if (n > LEARN_FROM && i >= half)
      from = half + (int)((int64_t)(i - half) * (n - half) / (LEARN_FROM - half));
    m->config[i] = m->all[from].config;
    m->rest[i] = log1p(log(fmin(m->all[from].ns, slowest) / m->all[0].ns) / SOFT);
    sum += m->rest[i] -= mean_of(m, m->config[i]);
  }
  m->offset = sum / m->n;
  for (int i = 0; i < m->n; i++)
    m->rest[i] -= m->offset;
  return true;
}

static double log_prior(const model *m) {
  double square = 0;
  for (int c = 0; c <= m->features.n; c++)
    square += pow(log(m->constant[c] / m->first[c]), 2);
  return -PRECISION * square / 2;
}

/* Solves factor * x = x of the first n known, by columns, whose differences are independent. */
static void solve_forward(const model *m, int n, double *x) {
  for (int k = 0; k < n; k++) {
    x[k] /= m->factor[k][k];
#pragma omp simd
    for (int j = k + 1; j < n; j++)
      x[j] -= x[k] * m->factor[k][j];
  }
}

static void factorise(model *m) {
  for (int i = 0; i < m->n; i++) {
    double row[LEARN_FROM];
    for (int k = 0; k < i; k++)
      row[k] = covariance(m, m->config[i], m->config[k]);
    solve_forward(m, i, row);
    double rest = covariance(m, m->config[i], m->config[i]) + m->constant[m->features.n];
    for (int k = 0; k < i; k++) {
      rest -= row[k] * row[k];
      m->factor[k][i] = row[k];
    }
    m->factor[i][i] = sqrt(fmax(rest, 1e-12));
  }
}

/* Solves for these constants; returns how well they explain what is known: the log of the marginal
 * likelihood at the best variance, times the prior, up to a constant. */
static double fit(model *m) {
  double half[LEARN_FROM], log_det = 0, square = 0;
  factorise(m);
  memcpy(half, m->rest, sizeof half);
  solve_forward(m, m->n, half);
  for (int i = 0; i < m->n; i++) {
    square += half[i] * half[i];
    log_det += log(m->factor[i][i]);
  }
  for (int i = m->n - 1; i >= 0; i--) {
    m->solved[i] = half[i];
    for (int k = i + 1; k < m->n; k++)
      m->solved[i] -= m->factor[i][k] * m->solved[k];
    m->solved[i] /= m->factor[i][i];
  }
  m->variance = fmax(square / m->n, 1e-9);
  return -0.5 * m->n * log(m->variance) - log_det + log_prior(m);
}

/* Halves or doubles one constant where that explains more than `best`; whether it did. */
static bool improve(model *m, int c, double *best) {
  const bool noise = c == m->features.n;
  const double least = noise ? LEAST_NOISE : LEAST_WEIGHT, most = noise ? MOST_NOISE : MOST_WEIGHT;
  const double own = m->constant[c], other[] = {own / 2, own * 2};
  double kept = own;
  for (int way = 0; way < 2; way++) {
    if (other[way] < least || other[way] > most) continue;
    m->constant[c] = other[way];
    double explains = fit(m);
    if (!(explains > *best)) continue;
    *best = explains;
    kept = other[way];
  }
  m->constant[c] = kept;
  return kept != own;
}

/* One constant after another until none explains more; from the same start each time, so that a
 * search taken up again learns what it knew. */
static void learn(model *m) {
  forget(m);
  double best = fit(m);
  bool better = true;
  for (int sweep = 0; better && sweep < SWEEPS; sweep++) {
    better = false;
    for (int c = 0; c <= m->features.n; c++)
      if (improve(m, c, &best)) better = true;
  }
  const int n = m->search->n_known;
  m->learn_at = n < LEARN_OFTEN ? n + 1 : n + n / 8;
}

/* ---- choosing ---- */

/* By how much a configuration is expected to be better than the best known, as times are compared.
 */
static double expected_gain(const model *m, int config) {
  double half[LEARN_FROM], mean = 0, rest = 1;
  for (int i = 0; i < m->n; i++) {
    half[i] = covariance(m, config, m->config[i]);
    mean += half[i] * m->solved[i];
  }
  solve_forward(m, m->n, half);
  for (int i = 0; i < m->n; i++)
    rest -= half[i] * half[i];
  double deviation = sqrt(m->variance * fmax(rest, 1e-9));
  double better = -(m->offset + mean_of(m, config) + mean);
  double z = better / deviation;
  return better * 0.5 * erfc(-z / sqrt(2)) + deviation * exp(-z * z / 2) / sqrt(2 * M_PI);
}

/* Those not tried; in a large space a random part of them and all neighbours of the best. */
static int find_candidates(model *m) {
  dcs_search *s = m->search;
  int n = 0, left = s->space->n - s->n_known, wanted = left < CANDIDATES ? left : CANDIDATES;
  bool all = wanted == left;
  for (int c = 0; c < s->space->n; c++) {
    if (s->known[c].known) continue;
    if (all || dcs_random_below(&s->random, left) < wanted) {
      m->list[n++] = c;
      wanted--;
    }
    left--;
  }
  if (all) return n;
  int last = n + dcs_space_neighbours(s->space, m->all[0].config, m->list + n);
  for (int i = n; i < last; i++)
    if (!s->known[m->list[i]].known) m->list[n++] = m->list[i];
  return n;
}

/* One at a time while there is much to learn from each; then a quarter of what is known. */
static bool try_most_promising(model *m) {
  dcs_search *s = m->search;
  double ns;
  if (!collect(m)) return dcs_search_try(s, dcs_search_unknown(s), &ns);
  if (s->n_known >= m->learn_at) learn(m);
  fit(m);
  int n = find_candidates(m), tries = s->n_known < LEARN_FROM ? 1 : s->n_known / 4;
  for (int i = 0; i < n; i++)
    m->gain[i] = expected_gain(m, m->list[i]);
  for (; tries > 0; tries--) {
    int best = 0;
    for (int i = 1; i < n; i++)
      if (m->gain[i] > m->gain[best]) best = i;
    if (!(m->gain[best] >= 0)) break;
    m->gain[best] = -1;
    if (!dcs_search_try(s, m->list[best], &ns)) return false;
  }
  return true;
}

/* ---- the search ---- */

static int far_from_known(model *m) {
  dcs_search *s = m->search;
  int chosen = -1;
  double closest = INFINITY; /* as a covariance */
  for (int i = 0; i < SPREAD; i++) {
    int c = dcs_search_unknown(s);
    double near = 0;
    for (int o = 0; o < s->space->n; o++)
      if (s->known[o].known) near = fmax(near, covariance(m, c, o));
    if (near < closest) chosen = c;
    closest = fmin(closest, near);
  }
  return chosen;
}

static void search_with(model *m) {
  dcs_search *s = m->search;
  double ns;
  forget(m);
  bool more = dcs_search_try(s, s->start, &ns);
  while (more && s->n_known < FIRST && s->n_known < s->space->n)
    more = dcs_search_try(s, far_from_known(m), &ns);
  while (more && s->n_known < s->space->n)
    more = try_most_promising(m);
}

static dcs_status search_in(dcs_room *room, dcs_search *search) {
  const size_t n = (size_t)search->space->n, degree = (size_t)dcs_space_degree(search->space);
  model *m;
  DCS_TRY(dcs_room_take(room, &m, 1, sizeof *m, "models"));
  DCS_TRY(dcs_room_take(room, &m->all, n, sizeof *m->all, "configurations"));
  DCS_TRY(dcs_room_take(room, &m->list, n + degree, sizeof *m->list, "configurations"));
  DCS_TRY(dcs_room_take(room, &m->gain, n + degree, sizeof *m->gain, "configurations"));
  DCS_TRY(dcs_features_build(search->space, search->subject, room, &m->features));
  m->search = search;
  search_with(m);
  return search->status;
}

void dcs_search_surrogate(dcs_search *search) {
  dcs_room room = {0};
  search->status = search_in(&room, search);
  dcs_room_free(&room);
}
