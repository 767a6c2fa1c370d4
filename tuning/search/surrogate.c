/* Bayesian optimisation: a Gaussian process (process.h) predicts the time of every configuration
 * from what is known; the next to be evaluated is the one with the largest expected improvement.
 *
 * What a launch looks like is known before it is measured, and the process learns only what that
 * leaves open: its mean goes with the work that the busiest SM does, and configurations
 * are near each other whose launches look alike (features.h).
 *
 * In a large space, of which a model knows little, it is asked for steps from the best known, as
 * long as those lead on (Eriksson et al., Scalable Global Optimization via Local Bayesian
 * Optimization, NeurIPS 2019): most configurations there are slow, and a few evaluations are not
 * enough to learn where. */
#include "tuning/search/process.h"
#include "tuning/search/search.h"

#include <math.h>
#include <stdlib.h>

enum {
  FIRST = 2,          /* known before the model is asked */
  LEARN_OFTEN = 16,   /* up to so many known its constants are learned for each decision */
  CANDIDATES = 1024,  /* of so many the best is looked for; a larger space is searched in part */
  BEST = 3,           /* so many of the best known are what steps start from */
  DOUBLE_STEPS = 256, /* from each of these, in two parameters, beside all steps in one */
  PATIENCE = 6 /* so many evaluations without a new best: every other looks everywhere from then */
};

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
  dcs_process process;
  int learn_at;       /* so many known the constants are learned again */
  known *all;         /* the fastest first; n_known */
  int best, in_vain;  /* the best known, and decisions since it became that */
  int n, *candidates; /* for a decision */
  double *gain;       /* of each */
  int *listed, turn;  /* listed[config] is the last decision that it was a candidate for */
  int *steps;         /* room for the neighbours of one */
} model;

/* ---- learning ---- */

static int by_time(const void *a, const void *b) {
  const known *x = a, *y = b;
  if (x->ns != y->ns) return x->ns < y->ns ? -1 : 1;
  return (x->config > y->config) - (x->config < y->config);
}

/* Lists what is known; how many of it are ok. */
static int collect(model *m) {
  const dcs_search *s = m->search;
  int n = 0, n_ok = 0;
  for (int c = 0; c < s->space->n; c++) {
    const dcs_evaluation *e = &s->known[c];
    bool ok = e->outcome == DCS_OUTCOME_OK;
    if (e->known) m->all[n++] = (known){c, ok ? e->stats.median : INFINITY};
    n_ok += e->known && ok;
  }
  qsort(m->all, (size_t)n, sizeof *m->all, by_time);
  return n_ok;
}

/* The process knows the fastest and, where there are more than it takes, every so manieth of the
 * rest. A failure counts as the slowest. False when none is ok. */
static bool tell(model *m) {
  enum { MOST = DCS_PROCESS_MOST, HALF = MOST / 2 };
  const int n_ok = collect(m), n = m->search->n_known, taken = n < MOST ? n : MOST;
  int configs[MOST];
  double times[MOST];
  if (n_ok == 0) return false;
  for (int i = 0; i < taken; i++) {
    int from = i;
    if (n > MOST && i >= HALF)
      from = HALF + (int)((int64_t)(i - HALF) * (n - HALF) / (MOST - HALF));
    configs[i] = m->all[from].config;
    times[i] = log1p(log(fmin(m->all[from].ns, m->all[n_ok - 1].ns) / m->all[0].ns) / SOFT);
  }
  dcs_process_know(&m->process, configs, times, taken);
  if (n >= m->learn_at) {
    dcs_process_learn(&m->process);
    m->learn_at = n < LEARN_OFTEN ? n + 1 : n + n / 8;
  }
  dcs_process_solve(&m->process);
  m->in_vain = m->all[0].config == m->best ? m->in_vain + 1 : 0;
  m->best = m->all[0].config;
  return true;
}

/* ---- candidates ---- */

static void add_candidate(model *m, int config) {
  if (m->search->known[config].known || m->listed[config] == m->turn) return;
  m->listed[config] = m->turn;
  m->candidates[m->n++] = config;
}

/* A random part of those not tried, or all: then nothing is drawn, and the seed plays no part. */
static void add_any(model *m) {
  dcs_search *s = m->search;
  int left = s->space->n - s->n_known, wanted = left < CANDIDATES ? left : CANDIDATES;
  const bool all = left == wanted;
  for (int c = 0; c < s->space->n; c++) {
    if (s->known[c].known) continue;
    if (!all && dcs_random_below(&s->random, left--) >= wanted) continue;
    add_candidate(m, c);
    wanted--;
  }
}

/* The neighbours of the best, and some of theirs. */
static void add_steps(model *m, int double_steps) {
  dcs_search *s = m->search;
  for (int b = 0; b < BEST && b < s->n_known && isfinite(m->all[b].ns); b++) {
    const int first = m->n;
    int n = dcs_space_neighbours(s->space, m->all[b].config, m->steps);
    for (int i = 0; i < n; i++)
      add_candidate(m, m->steps[i]);
    const int n_near = m->n - first;
    for (int i = 0; i < double_steps && n_near > 0; i++) {
      const int64_t by = dcs_random_below(&s->random, n_near);
      n = dcs_space_neighbours(s->space, m->candidates[first + by], m->steps);
      if (n > 0) add_candidate(m, m->steps[dcs_random_below(&s->random, n)]);
    }
  }
}

static void find_candidates(model *m) {
  const bool large = m->search->space->n - m->search->n_known > CANDIDATES;
  m->n = 0;
  m->turn++;
  if (large && (m->in_vain < PATIENCE || m->in_vain % 2 != 0)) add_steps(m, DOUBLE_STEPS);
  if (m->n > 0) return;
  add_any(m);
  if (large) add_steps(m, 0);
}

/* ---- choosing ---- */

/* One at a time while there is much to learn from each; then a quarter of what is known. */
static bool try_most_promising(model *m) {
  dcs_search *s = m->search;
  double ns, most = -1;
  if (!tell(m)) return dcs_search_try(s, dcs_search_unknown(s), &ns);
  int tries = s->n_known < DCS_PROCESS_MOST ? 1 : s->n_known / 4;
  find_candidates(m);
  for (int i = m->n - 1; i >= 0; i--) { /* steps stand last, and promise most */
    m->gain[i] = dcs_process_gain(&m->process, m->candidates[i], most);
    if (tries == 1) most = fmax(most, m->gain[i]);
  }
  for (; tries > 0; tries--) {
    int best = 0;
    for (int i = 1; i < m->n; i++)
      if (m->gain[i] > m->gain[best]) best = i;
    if (!(m->gain[best] >= 0)) break;
    m->gain[best] = -1;
    if (!dcs_search_try(s, m->candidates[best], &ns)) return false;
  }
  return true;
}

/* ---- the search ---- */

/* The variant's own start tells what its author expects, the middle of the space what is usual. */
static void search_with(model *m) {
  dcs_search *s = m->search;
  double ns;
  bool more = dcs_search_try(s, s->start, &ns) &&
              (s->n_known >= FIRST || dcs_search_try(s, dcs_space_middle(s->space), &ns));
  while (more && s->n_known < FIRST && s->n_known < s->space->n)
    more = dcs_search_try(s, dcs_search_unknown(s), &ns);
  while (more && s->n_known < s->space->n)
    more = try_most_promising(m);
}

static dcs_status search_in(dcs_room *room, dcs_search *search) {
  const size_t n = (size_t)search->space->n, degree = (size_t)dcs_space_degree(search->space);
  const size_t most = CANDIDATES + BEST * (degree + DOUBLE_STEPS);
  model *m;
  DCS_TRY(dcs_room_take(room, &m, 1, sizeof *m, "models"));
  DCS_TRY(dcs_room_take(room, &m->all, n, sizeof *m->all, "configurations"));
  DCS_TRY(dcs_room_take(room, &m->candidates, most, sizeof *m->candidates, "configurations"));
  DCS_TRY(dcs_room_take(room, &m->gain, most, sizeof *m->gain, "configurations"));
  DCS_TRY(dcs_room_take(room, &m->listed, n, sizeof *m->listed, "configurations"));
  DCS_TRY(dcs_room_take(room, &m->steps, degree, sizeof *m->steps, "neighbours"));
  DCS_TRY(dcs_features_build(search->space, search->subject, room, &m->features));
  dcs_process_open(&m->features, &m->process);
  m->search = search;
  m->best = -1;
  search_with(m);
  return search->status;
}

void dcs_search_surrogate(dcs_search *search) {
  dcs_room room = {0};
  search->status = search_in(&room, search);
  dcs_room_free(&room);
}
