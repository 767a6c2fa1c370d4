#include "tuning/search/search.h"

#include "harness/base/clock.h"
#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/problems/methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- evaluations ---- */

dcs_status dcs_evaluation_add(dcs_evaluation *e, const double *times, int n) {
  const size_t before = (size_t)e->n, total = before + (size_t)n;
  if (total == 0) return DCS_OK;
  double *all = malloc(2 * total * sizeof *all);
  if (!all) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu samples", total);
  if (before > 0) memcpy(all, e->times, before * sizeof *all);
  memcpy(all + before, times, (size_t)n * sizeof *all);
  memcpy(all + total, all, total * sizeof *all);
  free(e->times);
  e->times = all;
  e->sorted = all + total;
  e->n = (int)total;
  e->stats = dcs_summarize(all + total, total);
  return DCS_OK;
}

dcs_status dcs_evaluation_add_spent(dcs_evaluation *e, const double *times, const dcs_spent *spent,
                                    int n) {
  if (n == 0) return DCS_OK;
  const size_t total = (size_t)e->n + (size_t)n;
  dcs_spent *all = realloc(e->spent, total * sizeof *all);
  if (!all) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu samples", total);
  e->spent = all;
  memcpy(all + e->n, spent, (size_t)n * sizeof *all);
  return dcs_evaluation_add(e, times, n);
}

dcs_status dcs_evaluation_append(dcs_evaluation *e, const dcs_evaluation *from, int first, int n) {
  if (n <= 0) return DCS_OK;
  if (!from->spent) return dcs_evaluation_add(e, from->times + first, n);
  return dcs_evaluation_add_spent(e, from->times + first, from->spent + first, n);
}

dcs_spent dcs_evaluation_spent(const dcs_evaluation *e, int i) {
  return e->spent ? e->spent[i] : (dcs_spent){e->times[i], NAN};
}

const dcs_evaluation dcs_evaluation_unknown = {.registers = -1, .compile_ms = NAN, .error = NAN};

void dcs_evaluation_free(dcs_evaluation *e) {
  free(e->times);
  free(e->spent);
  *e = dcs_evaluation_unknown;
}

void dcs_evaluations_free(dcs_evaluation *list, int n) {
  for (int e = 0; list && e < n; e++)
    dcs_evaluation_free(&list[e]);
  free(list);
}

/* ---- the search ---- */

dcs_status dcs_search_open(const dcs_space *space, const dcs_subject *subject,
                           dcs_evaluator *evaluator, int samples, uint64_t seed, dcs_budget budget,
                           dcs_search *search) {
  dcs_config initial = dcs_initial_config(space->variant, dcs_cpus());
  *search = (dcs_search){.space = space,
                         .subject = subject,
                         .evaluator = evaluator,
                         .samples = samples,
                         .start = dcs_space_nearest(space, &initial),
                         .random = {seed},
                         .budget = budget,
                         .started_ns = dcs_now_ns()};
  search->known = calloc((size_t)space->n, sizeof *search->known);
  if (!search->known) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d configurations", space->n);
  for (int c = 0; c < space->n; c++)
    search->known[c] = dcs_evaluation_unknown;
  return DCS_OK;
}

void dcs_search_close(dcs_search *search) {
  if (search->known) dcs_evaluations_free(search->known, search->space->n);
  free(search->picks);
  *search = (dcs_search){0};
}

/* Whatever the time, something is evaluated. */
static bool may_go_on(dcs_search *search) {
  bool late = search->n_evals > 0 && dcs_now_ns() >= search->budget.until_ns;
  if (dcs_interrupted() || late ||
      (search->budget.evals >= 0 && search->n_evals >= search->budget.evals))
    search->stopped = true;
  return !search->stopped;
}

static dcs_status note_pick(dcs_search *search) {
  DCS_TRY(dcs_grow(&search->picks, (size_t)search->n_evals, sizeof *search->picks, "evaluations"));
  search->picks[search->n_evals++] = dcs_search_best(search);
  return DCS_OK;
}

bool dcs_search_try(dcs_search *search, int config, double *ns) {
  dcs_evaluation *e = &search->known[config];
  bool enough = e->known && (e->outcome != DCS_OUTCOME_OK || e->n >= search->samples);
  if (search->stopped || (!enough && !may_go_on(search))) return false;
  if (!enough) {
    bool was_known = e->known;
    search->status = search->evaluator->more(search->evaluator, config, search->samples, e);
    if (search->status == DCS_OK && e->known) search->n_known += !was_known;
    if (search->status == DCS_OK && e->known && !dcs_interrupted())
      search->status = note_pick(search);
    search->stopped = search->status != DCS_OK || dcs_interrupted();
    if (search->stopped) return false;
  }
  *ns = e->outcome == DCS_OUTCOME_OK ? e->stats.median : INFINITY;
  return true;
}

int dcs_search_unknown(dcs_search *search) {
  int left = search->space->n - search->n_known;
  if (left <= 0) return -1;
  int64_t skip = dcs_random_below(&search->random, left);
  for (int c = 0; c < search->space->n; c++)
    if (!search->known[c].known && skip-- == 0) return c;
  return -1;
}

double dcs_search_share(const dcs_search *search) {
  double evals = search->space->n;
  if (search->budget.evals >= 0 && (double)search->budget.evals < evals)
    evals = (double)search->budget.evals;
  double share = (double)search->n_evals / fmax(evals, 1);
  double span = search->budget.until_ns - search->started_ns;
  if (isfinite(span) && span > 0) share = fmax(share, (dcs_now_ns() - search->started_ns) / span);
  return fmin(share, 1);
}

int dcs_search_best(const dcs_search *search) {
  int best = -1;
  for (int c = 0; c < search->space->n; c++) {
    const dcs_evaluation *e = &search->known[c];
    if (!e->known || e->outcome != DCS_OUTCOME_OK) continue;
    if (best < 0 || e->stats.median < search->known[best].stats.median) best = c;
  }
  return best;
}
