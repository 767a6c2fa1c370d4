/* The search for a front, on this machine and in recordings. */
#include "tuning/tuner/pareto.h"

#include "harness/base/clock.h"
#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "tuning/tuner/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a search aims at, one after the other: both ends of the front, and the middle. */
enum { MOST_AIMS = 3 };
static const struct {
  const char *objective; /* of the samples, as the journal has them */
  const char *aims[MOST_AIMS];
  int n;
} searches[] = {{"energy", {"time_ns", "energy_j", "energy_j * time_ns"}, 3},
                {"time", {"time_ns", "time_ns * (rel_l2_error + 1e-12)"}, 2}};

enum { FINAL_LEAST = 6, FINAL_MOST = DCS_PREVIOUS_SAMPLES };
static const double FINAL_SHARE = 0.3, SAMPLE_NS[] = {4e8, 2e6}; /* about, by axis */

enum { ORACLE_EVALS = 50000000 };

typedef struct {
  const dcs_pareto_options *pareto;
  dcs_tune_options *options;
  dcs_tuning *tunings;  /* n, of which `open` are open */
  double *model_errors; /* of each one's problem; 0 where it approximates none */
  int n, open;
  dcs_journal_writer journal;
  double until_ns; /* INFINITY: no budget */
} fronts;

/* ---- the search ---- */

static dcs_status open_tunings(fronts *f) {
  for (; f->open < f->n;) {
    dcs_tune_options *o = &f->options[f->open];
    dcs_tuning *t = &f->tunings[f->open];
    double *error = &f->model_errors[f->open];
    o->objective = searches[f->pareto->axis].objective;
    o->budget_s /= f->n;
    f->open++;
    DCS_TRY(dcs_tuning_open(t, o));
    if (f->pareto->axis == DCS_PARETO_ERROR)
      DCS_TRY(dcs_model_error(&t->live.c, ORACLE_EVALS, &t->live.reference, error));
    if (isnan(*error)) *error = 0;
  }
  for (int t = 0; t < f->n; t++)
    DCS_TRY(dcs_tuning_go_on(&f->tunings[t], &f->journal, INFINITY));
  return DCS_OK;
}

/* What a tuning may evaluate: its part of what those before it left, one at least; -1: all. */
static int64_t evals_of(const fronts *f, int at) {
  int64_t left = f->options[0].budget_evals;
  if (left < 0) return -1;
  for (int t = 0; t < at; t++)
    left -= f->tunings[t].search.n_evals;
  return (left + f->n - at - 1) / (f->n - at);
}

/* One tuning's part of the budget, in parts for each aim. */
static dcs_status search_one(fronts *f, int at) {
  dcs_tuning *t = &f->tunings[at];
  const int n = searches[f->pareto->axis].n;
  const int64_t evals = evals_of(f, at);
  const double began_ns = dcs_now_ns();
  const double share_ns = (f->until_ns - began_ns) * (1 - FINAL_SHARE) / (f->n - at);
  for (int aim = 0; aim < n; aim++) {
    DCS_TRY(dcs_tuning_aim(t, searches[f->pareto->axis].aims[aim]));
    t->search.budget = (dcs_budget){evals < 0 ? -1 : (evals * (aim + 1) + n - 1) / n,
                                    began_ns + share_ns * (aim + 1) / n};
    t->search.stopped = false;
    DCS_TRY(dcs_tuning_search(t));
  }
  dcs_progress_clear(&t->live.progress);
  dcs_print_search(&t->search, t->options->strategy->name);
  return DCS_OK;
}

/* ---- the points ---- */

static double error_of(const fronts *f, int tuning, int config) {
  return f->model_errors[tuning] + f->tunings[tuning].search.known[config].error;
}

static bool point_of(const fronts *f, int tuning, int config, const dcs_evaluation *e,
                     dcs_pareto_point *point) {
  dcs_tuning *t = &f->tunings[tuning];
  point->subject = &t->live.subject;
  point->config = &t->space.configs[config];
  return dcs_pareto_point_of(f->pareto->axis, e, error_of(f, tuning, config), point);
}

/* What is sampled anew, and where its point lies among all. */
typedef struct {
  dcs_pareto_point point;
  int tuning, config;
} candidate;

static int by_place(const void *left, const void *right) {
  const candidate *a = left, *b = right;
  const int place = (int)a->point.at.place - (int)b->point.at.place;
  if (place != 0) return place;
  return (a->point.at.x.value > b->point.at.x.value) - (a->point.at.x.value < b->point.at.x.value);
}

static dcs_status list_candidates(const fronts *f, candidate **list, int *n) {
  *list = NULL;
  *n = 0;
  for (int at = 0; at < f->n; at++) {
    const dcs_search *search = &f->tunings[at].search;
    for (int c = 0; c < search->space->n; c++) {
      candidate found = {.tuning = at, .config = c};
      if (!point_of(f, at, c, &search->known[c], &found.point)) continue;
      DCS_TRY(dcs_grow(list, (size_t)*n, sizeof **list, "points"));
      (*list)[(*n)++] = found;
    }
  }
  if (*n == 0) return dcs_fail(DCS_FAILED, "no configuration gave a right result and a time");
  dcs_front_find(*list, *n, sizeof **list);
  qsort(*list, (size_t)*n, sizeof **list, by_place);
  return DCS_OK;
}

/* How many to sample once more: those on the front and what cannot be told from it, as many as the
 * time allows. */
static int count_picks(const fronts *f, const candidate *list, int n) {
  const double fit = (f->until_ns - dcs_now_ns()) / (FINAL_LEAST * SAMPLE_NS[f->pareto->axis]);
  int most = DCS_MAX_PICKS, picks = 0;
  if (fit < most) most = fit < 2 ? 2 : (int)fit;
  while (picks < n && picks < most && list[picks].point.at.place != DCS_FRONT_BEHIND)
    picks++;
  return picks;
}

static dcs_status show_fresh(const fronts *f, const candidate *list, int n,
                             const dcs_evaluation *fresh) {
  dcs_pareto_point points[DCS_MAX_PICKS];
  int found = 0;
  for (int i = 0; i < n; i++)
    found += point_of(f, list[i].tuning, list[i].config, &fresh[i], &points[found]);
  return dcs_pareto_show(points, found, f->pareto);
}

static dcs_status measure_front(fronts *f, const candidate *list, int n) {
  dcs_live_pick picks[DCS_MAX_PICKS];
  dcs_evaluation fresh[DCS_MAX_PICKS] = {{0}};
  const dcs_final_rounds how = {FINAL_LEAST, FINAL_MOST, f->until_ns,
                                dcs_last_span_ns(&f->options[0], n, f->until_ns),
                                f->options[0].seed};
  if (n < 1) return dcs_fail(DCS_FAILED, "there is no front: no configuration was measured");
  for (int i = 0; i < n; i++)
    picks[i] = (dcs_live_pick){&f->tunings[list[i].tuning].live, list[i].config};
  dcs_status status = dcs_live_rounds(picks, n, &how, fresh);
  dcs_progress_clear(&picks[0].live->progress);
  if (status == DCS_OK && dcs_interrupted()) status = dcs_fail(DCS_FAILED, "interrupted");
  if (status == DCS_OK) status = show_fresh(f, list, n, fresh);
  for (int i = 0; i < n; i++)
    dcs_evaluation_free(&fresh[i]);
  return status;
}

static dcs_status run(fronts *f) {
  candidate *list = NULL;
  int n = 0;
  DCS_TRY(open_tunings(f));
  for (int t = 0; t < f->n; t++)
    DCS_TRY(search_one(f, t));
  dcs_status status = list_candidates(f, &list, &n);
  if (status == DCS_OK) status = measure_front(f, list, count_picks(f, list, n));
  free(list);
  return status;
}

dcs_status dcs_tune_pareto(dcs_tune_options *options, int n, const dcs_pareto_options *pareto) {
  if (options[0].budget_evals >= 0 && options[0].budget_evals < n)
    return dcs_fail(DCS_USAGE,
                    "--budget-evals: found %lld for %d tunings, a VARIANT on a problem each; "
                    "expected one of each at least",
                    (long long)options[0].budget_evals, n);
  const double now_ns = dcs_now_ns(), budget_s = options[0].budget_s;
  fronts f = {.pareto = pareto,
              .options = options,
              .tunings = calloc((size_t)n, sizeof *f.tunings),
              .model_errors = calloc((size_t)n, sizeof *f.model_errors),
              .n = n,
              .journal = {.strategy = ""},
              .until_ns = budget_s > 0 ? now_ns + 1e9 * budget_s : INFINITY};
  dcs_status status = f.tunings && f.model_errors
                          ? run(&f)
                          : dcs_fail(DCS_UNAVAILABLE, "no memory for %d tunings", n);
  dcs_status closed = dcs_journal_close(&f.journal);
  for (int t = 0; t < f.open; t++)
    dcs_tuning_close(&f.tunings[t]);
  free(f.tunings);
  free(f.model_errors);
  return status != DCS_OK ? status : closed;
}

/* ---- recordings ---- */

/* Whether points of both belong to one front. */
static bool same_front(const dcs_subject *a, const dcs_subject *b) {
  dcs_subject like = *b;
  like.variant = a->variant;
  memcpy(like.kernel_hash, a->kernel_hash, sizeof like.kernel_hash);
  return dcs_same_subject(a, &like);
}

static dcs_status take_points(const dcs_journal *journal, int first, dcs_pareto_axis axis,
                              dcs_pareto_point **list, int *n) {
  for (int r = first; r < journal->n; r++) {
    const dcs_recorded_space *space = &journal->list[r];
    if (!same_front(&journal->list[first].subject, &space->subject)) continue;
    for (int c = 0; c < space->n; c++) {
      const dcs_evaluation *e = &space->evaluations[c];
      dcs_pareto_point point = {.subject = &space->subject, .config = &space->configs[c]};
      if (!dcs_pareto_point_of(axis, e, e->error, &point)) continue;
      DCS_TRY(dcs_grow(list, (size_t)*n, sizeof **list, "points"));
      (*list)[(*n)++] = point;
    }
  }
  return DCS_OK;
}

static bool is_first(const dcs_journal *journal, int r) {
  for (int before = 0; before < r; before++)
    if (same_front(&journal->list[before].subject, &journal->list[r].subject)) return false;
  return true;
}

/* A recorded error is that beside the problem's own exact answer: of a sum within a cutoff it
 * leaves out what the cutoff does. To a tolerance it has all. */
static bool lacks_model_error(const dcs_subject *s) {
  const dcs_kind *kind = s->size.kind;
  dcs_config exact;
  if (kind->tolerance && kind->tolerance(&s->size.config) > 0) return false;
  return kind->approximates && kind->approximates(&s->size.config, &exact);
}

static void say_left_out(const dcs_subject *s) {
  char size[DCS_TEXT];
  fprintf(stderr,
          "%s: left out: recorded errors are without the model error; `dcsbench tune VARIANT "
          "--pareto=error` computes it\n",
          dcs_size_text(&s->size, size));
}

dcs_status dcs_replay_pareto(const dcs_journal *journal, const dcs_pareto_options *pareto) {
  int shown = 0;
  dcs_status status = DCS_OK;
  for (int r = 0; status == DCS_OK && r < journal->n; r++) {
    const dcs_subject *subject = &journal->list[r].subject;
    dcs_pareto_point *list = NULL;
    int n = 0;
    if (!is_first(journal, r)) continue;
    if (pareto->axis == DCS_PARETO_ERROR && lacks_model_error(subject)) {
      say_left_out(subject);
      continue;
    }
    status = take_points(journal, r, pareto->axis, &list, &n);
    if (status == DCS_OK && n > 0 && shown > 0 && pareto->out)
      status = dcs_fail(DCS_USAGE, "--out: found journals of several problems or machines; "
                                   "expected one front for one folder");
    if (status == DCS_OK && n > 0) {
      status = dcs_pareto_show(list, n, pareto);
      shown++;
    }
    free(list);
  }
  if (status != DCS_OK || shown > 0) return status;
  return dcs_fail(DCS_INPUT, "the journals hold no %s; expected those of `dcsbench tune %s`",
                  pareto->axis == DCS_PARETO_ENERGY ? "energies" : "errors",
                  pareto->axis == DCS_PARETO_ENERGY ? "--pareto" : "VARIANT");
}
