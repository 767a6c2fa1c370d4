#include "tuning/tuner/tuner.h"

#include "harness/judge/stats.h"
#include "harness/problems/methods.h"
#include "harness/runs/record.h"

#include <math.h>

static bool overlaps(const dcs_stats *best, const dcs_stats *other) {
  if (isnan(best->hi) || isnan(other->lo)) return other->median <= 1.05 * best->median;
  return other->lo <= best->hi;
}

int dcs_finalists(const dcs_search *search, int configs[DCS_MAX_FINALISTS]) {
  int best = dcs_search_best(search), n = 0;
  if (best < 0) return 0;
  configs[n++] = best;
  for (int c = 0; c < search->space->n; c++) {
    const dcs_evaluation *e = &search->known[c];
    if (c == best || !e->known || e->outcome != DCS_OUTCOME_OK ||
        !overlaps(&search->known[best].stats, &e->stats))
      continue;
    int at = n < DCS_MAX_FINALISTS ? n++ : DCS_MAX_FINALISTS;
    /* Behind the best, by median; what falls off the end was the worst. */
    for (; at > 1 && e->stats.median < search->known[configs[at - 1]].stats.median; at--)
      if (at < DCS_MAX_FINALISTS) configs[at] = configs[at - 1];
    if (at < DCS_MAX_FINALISTS) configs[at] = c;
  }
  return n;
}

/* ---- the pick ---- */

static const char *const criteria[] = {"least padding", "fewest registers",
                                       "closest to the initial configuration", "least median"};

enum { LEAST_MEDIAN = 3 };

/* Whether a comes before b, and by which criterion: the first in which they differ. */
static bool is_preferred(const dcs_finalist *a, const dcs_finalist *b, int *by) {
  const bool padded = fabs(a->overhead - b->overhead) > 1e-12;
  const bool known = a->registers >= 0 && b->registers >= 0;
  const double more[] = {padded ? a->overhead - b->overhead : 0,
                         known ? a->registers - b->registers : 0, a->distance - b->distance,
                         a->fresh->stats.median - b->fresh->stats.median};
  *by = 0;
  while (*by < LEAST_MEDIAN && more[*by] == 0)
    ++*by;
  return more[*by] < 0;
}

/* Intervals that are wide tie much: what the others are preferred to is no slower than this by the
 * median. */
static bool is_near(const dcs_finalist *f) {
  return f->tied && f->ratio.value <= 1.05;
}

/* The criterion by which the pick beats the last of its rivals: each earlier one left several. */
static void pick(dcs_winner *w) {
  int by, last = -1;
  w->pick = 0;
  for (int f = 1; f < w->n; f++)
    if (is_near(&w->list[f]) && is_preferred(&w->list[f], &w->list[w->pick], &by)) w->pick = f;
  for (int f = 0; f < w->n; f++) {
    if (f == w->pick || !w->list[f].tied) continue;
    by = LEAST_MEDIAN;
    if (is_near(&w->list[f])) (void)is_preferred(&w->list[w->pick], &w->list[f], &by);
    if (by > last) last = by;
  }
  w->reason = last < 0 ? "every other one is slower" : criteria[last];
}

/* Keeps the list in the order of medians. */
static void insert(dcs_winner *w, const dcs_finalist *entry) {
  int at = w->n++;
  for (; at > 0 && entry->fresh->stats.median < w->list[at - 1].fresh->stats.median; at--)
    w->list[at] = w->list[at - 1];
  w->list[at] = *entry;
}

/* Work beyond what was asked for, as `padding_overhead` of the summary has it. */
static double overhead_of(const dcs_variant *variant, const dcs_problem *problem, double given,
                          const dcs_config *config) {
  dcs_candidates candidates;
  if (!variant->candidates) return dcs_overhead(problem->n, variant->executed(problem, config));
  variant->candidates(problem, config, &candidates);
  return given > 0 ? candidates.pairs / given - 1 : NAN;
}

dcs_status dcs_choose_winner(const dcs_search *search, const dcs_problem *problem, double given,
                             const int *configs, const dcs_evaluation *fresh, int n,
                             dcs_winner *winner) {
  const dcs_space *space = search->space;
  dcs_config initial = dcs_initial_config(space->variant, dcs_cpus());
  *winner = (dcs_winner){0};
  for (int f = 0; f < n; f++) {
    if (fresh[f].outcome != DCS_OUTCOME_OK || fresh[f].n == 0) continue;
    const dcs_config *config = &space->configs[configs[f]];
    const int registers = search->known[configs[f]].registers;
    dcs_finalist entry = {.config = configs[f],
                          .fresh = &fresh[f],
                          .overhead = overhead_of(space->variant, problem, given, config),
                          .registers = registers >= 0 ? registers : fresh[f].registers,
                          .distance = dcs_space_distance(space, configs[f], &initial)};
    insert(winner, &entry);
  }
  if (winner->n == 0)
    return dcs_fail(DCS_FAILED, "no configuration gave a right result and a time");
  for (int f = 0; f < winner->n; f++) {
    dcs_finalist *entry = &winner->list[f];
    const dcs_evaluation *best = winner->list[0].fresh, *other = entry->fresh;
    entry->ratio = dcs_ratio_of_series(best->sorted, (size_t)best->n, best->stats.inflation,
                                       other->sorted, (size_t)other->n, other->stats.inflation);
    entry->tied = f == 0 || !(entry->ratio.lo > 1);
    winner->n_tied += entry->tied;
  }
  pick(winner);
  return DCS_OK;
}
