#include "tuning/tuner/tuner.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/files/folder.h"
#include "tuning/database/tuned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The last measurement: rounds, and its part of the time. An interval needs 6. */
enum { FINAL_LEAST = 6, FINAL_MOST = DCS_PREVIOUS_SAMPLES };
static const double FINAL_SHARE = 0.2;

typedef struct {
  const dcs_tune_options *options;
  double started_ns;
  dcs_facts facts;
  dcs_space space;
  dcs_journal_writer journal;
  dcs_live live;
  dcs_search search;
  double given; /* useful work of the inputs that kernels get */
} tuning;

/* Opens the device first: what cannot run here is said before anything is built. */
static dcs_status open_machine(tuning *t) {
  const dcs_tune_options *o = t->options;
  char why[DCS_TEXT];
  dcs_session *session;
  if (!dcs_variant_available(o->variant, why))
    return dcs_fail(DCS_UNAVAILABLE, "%s: %s", o->variant->id, why);
  DCS_TRY(dcs_need_one_device(o->device, "`dcsbench tune`"));
  if (o->variant->backend == DCS_GPU) DCS_TRY(dcs_need_times(o->device));
  DCS_TRY(dcs_bench_session(&t->live.bench, o->variant->backend, &session));
  dcs_machine_facts(&t->facts);
  if (o->variant->backend == DCS_GPU) dcs_gpu_facts(&t->live.bench, &t->facts);
  DCS_TRY(dcs_case_from(&o->source, &o->problem, &t->live.c));
  t->given = o->source.kind->work(&t->live.c, true);
  return dcs_bench_put(&t->live.bench, &t->live.c, NULL, 0);
}

static dcs_subject subject_of(const tuning *t) {
  const dcs_case *c = &t->live.c;
  return (dcs_subject){.variant = t->options->variant,
                       .scope = t->options->scope,
                       .size = dcs_case_size(c),
                       .spacing = c->spacing,
                       .work = c->kind->work(c, false)};
}

static dcs_status open_journal(tuning *t, char path[4096]) {
  const dcs_tune_options *o = t->options;
  bool cpu = o->variant->backend == DCS_CPU;
  if (o->journal)
    snprintf(path, 4096, "%s", o->journal);
  else
    DCS_TRY(dcs_tuned_path("journal.csv", path));
  DCS_TRY(dcs_journal_open(path, &t->journal));
  t->journal.subject = subject_of(t);
  t->journal.strategy = o->strategy->name;
  t->journal.seed = o->seed;
  t->journal.device = cpu ? "cpu" : o->device ? o->device : dcs_default_device();
  t->journal.driver = cpu ? "" : dcs_fact_value(&t->facts, "cuda_driver");
  t->journal.nvrtc = cpu ? "" : dcs_fact_value(&t->facts, "nvrtc");
  return dcs_subject_fill(&t->facts, o->kernels, &t->journal.subject);
}

/* A property of the configuration, which trying again would not change. */
static bool is_lasting(dcs_outcome outcome) {
  return outcome != DCS_OUTCOME_CRASH && outcome != DCS_OUTCOME_TIMEOUT &&
         outcome != DCS_OUTCOME_MEMORY;
}

/* What the journal holds already is known. */
static dcs_status take_up(tuning *t, char *path) {
  dcs_journal journal;
  dcs_status status = dcs_journal_read(&path, 1, &journal, stderr);
  const dcs_recorded_space *r = dcs_journal_find(&journal, &t->journal.subject);
  for (int e = 0; status == DCS_OK && r && e < r->n; e++) {
    int c = dcs_space_find(&t->space, &r->configs[e]);
    if (c < 0 || !is_lasting(r->evaluations[e].outcome)) continue;
    dcs_evaluation *known = &t->search.known[c];
    t->search.n_known++;
    *known = r->evaluations[e];
    if (known->outcome == DCS_OUTCOME_UNVERIFIED) known->outcome = DCS_OUTCOME_OK;
    known->times = NULL;
    known->n = 0;
    if (known->outcome == DCS_OUTCOME_OK)
      status = dcs_evaluation_add(known, r->evaluations[e].times, r->evaluations[e].n);
  }
  if (t->search.n_known > 0)
    fprintf(stderr, "%s: %d configuration%s known from it already\n", path, t->search.n_known,
            t->search.n_known == 1 ? " is" : "s are");
  dcs_journal_free(&journal);
  return status;
}

/* Of the time that there is, so much may go by before anything is timed. */
static const double AHEAD_SHARE = 0.1;

/* The space, so that nothing compiles while something is timed: all of it where all is evaluated,
 * else as much as there is time for; nothing where a few evaluations are asked for. */
static dcs_status compile_ahead(tuning *t) {
  const dcs_tune_options *o = t->options;
  if (o->variant->backend != DCS_GPU || (o->budget_s <= 0 && o->budget_evals >= 0)) return DCS_OK;
  double until_ns = o->budget_s > 0 ? dcs_now_ns() + 1e9 * AHEAD_SHARE * o->budget_s : INFINITY;
  const char *capability = dcs_fact_value(&t->facts, "gpu_compute_capability");
  const char *point = strchr(capability, '.');
  char arch[32];
  if (!point) return DCS_OK;
  snprintf(arch, sizeof arch, "sm_%.*s%s", (int)(point - capability), capability, point + 1);
  return dcs_compile_ahead(&t->space, o->kernels, arch, dcs_cpus(), until_ns, &t->live.progress);
}

static dcs_status prepare(tuning *t) {
  const dcs_tune_options *o = t->options;
  char path[4096];
  double search_s = o->budget_s > 0 ? (1 - FINAL_SHARE) * o->budget_s : INFINITY;
  dcs_budget budget = {o->budget_evals, t->started_ns + 1e9 * search_s};
  DCS_TRY(dcs_tuned_ready());
  DCS_TRY(open_machine(t));
  DCS_TRY(dcs_space_build(o->variant, o->config, &t->live.c.problem, dcs_cpus(), &t->space));
  DCS_TRY(open_journal(t, path));
  DCS_TRY(dcs_search_open(&t->space, &t->journal.subject, &t->live.evaluator, o->samples, o->seed,
                          budget, &t->search));
  DCS_TRY(take_up(t, path));
  t->live.unverified = o->unverified;
  DCS_TRY(dcs_live_open(&t->live, &t->space, o->scope, &t->journal));
  return compile_ahead(t);
}

/* What the last measurement is of: configs[n], and what came of each. */
typedef struct {
  int configs[DCS_MAX_FINALISTS], n;
  dcs_evaluation fresh[DCS_MAX_FINALISTS];
  dcs_tuned_entry previous; /* of this very tuning, where there is one */
  int previous_at;          /* of its pick in configs; -1: there is none */
} last_measurement;

/* An earlier pick for this very problem is measured again beside the best ones. */
static void add_previous(const tuning *t, last_measurement *last) {
  char path[4096];
  dcs_tuned tuned = {0};
  int config = -1;
  last->previous_at = -1;
  if (last->n == 0 || dcs_tuned_path("tuned.csv", path) != DCS_OK) return;
  if (dcs_tuned_read(path, &tuned) == DCS_OK) /* else keeping the winner fails, and says why */
    for (int r = 0; r < tuned.n; r++)
      if (dcs_same_subject(&tuned.list[r].subject, &t->journal.subject)) {
        last->previous = tuned.list[r];
        config = dcs_space_find(&t->space, &last->previous.config);
      }
  dcs_tuned_free(&tuned);
  for (int f = 0; config >= 0 && f < last->n; f++)
    if (last->configs[f] == config) last->previous_at = f;
  if (config < 0 || last->previous_at >= 0) return;
  if (last->n < DCS_MAX_FINALISTS) last->n++;
  last->previous_at = last->n - 1;
  last->configs[last->previous_at] = config;
}

static dcs_status keep(const tuning *t, const dcs_winner *winner) {
  const dcs_finalist *pick = &winner->list[winner->pick];
  dcs_tuned_entry entry = {.subject = t->journal.subject,
                           .config = t->space.configs[pick->config],
                           .time = {.median_ns = pick->fresh->stats.median, .n = pick->fresh->n},
                           .n_tied = winner->n_tied};
  char path[4096];
  memcpy(entry.time.times_ns, pick->fresh->times,
         (size_t)pick->fresh->n * sizeof *entry.time.times_ns);
  snprintf(entry.time.date, sizeof entry.time.date, "%.23s", dcs_fact_value(&t->facts, "date"));
  DCS_TRY(dcs_tuned_path("tuned.csv", path));
  DCS_TRY(dcs_tuned_put(path, &entry));
  const bool swept = t->live.c.kind->n_dimensions > 0; /* else the next tuning measures it beside */
  fprintf(stderr, "%s: the winner is kept%s\n", path, swept ? "; --config tuned uses it" : "");
  return DCS_OK;
}

/* The last measurement, the winner, the entry of it. */
static dcs_status finish(tuning *t) {
  last_measurement last = {.previous_at = -1};
  const dcs_tune_options *o = t->options;
  dcs_winner winner;
  double until_ns = o->budget_s > 0 ? t->started_ns + 1e9 * o->budget_s : INFINITY;
  dcs_final_rounds how = {FINAL_LEAST, FINAL_MOST, until_ns, o->seed};
  last.n = dcs_finalists(&t->search, last.configs);
  add_previous(t, &last);
  dcs_status status = dcs_live_rounds(&t->live, last.configs, last.n, &how, last.fresh);
  dcs_progress_clear(&t->live.progress);
  if (status == DCS_OK && dcs_interrupted()) status = dcs_fail(DCS_FAILED, "interrupted");
  if (status == DCS_OK) {
    dcs_print_search(&t->search, o->strategy->name);
    status = dcs_choose_winner(&t->search, &t->live.c.problem, t->given, last.configs, last.fresh,
                               last.n, &winner);
  }
  if (status == DCS_OK) {
    dcs_print_winner(&t->space, &winner, t->journal.subject.work);
    if (o->unverified)
      fprintf(stderr, "nothing was verified: the winner is not kept\n");
    else
      status = keep(t, &winner);
    if (last.previous_at >= 0) dcs_print_previous(&last.previous, &last.fresh[last.previous_at]);
  }
  for (int f = 0; f < last.n; f++)
    free(last.fresh[f].times);
  return status;
}

static dcs_status run(tuning *t) {
  DCS_TRY(prepare(t));
  t->live.search = &t->search;
  t->options->strategy->run(&t->search);
  DCS_TRY(t->search.status);
  if (dcs_interrupted())
    return dcs_fail(DCS_FAILED, "interrupted after %lld evaluation%s; the same command goes on",
                    (long long)t->search.n_evals, t->search.n_evals == 1 ? "" : "s");
  return finish(t);
}

dcs_status dcs_tune(const dcs_tune_options *options) {
  if (options->variant->backend == DCS_GPU && options->budget_evals > 0 &&
      !dcs_has_times(options->device))
    return dcs_tune_check(options);
  tuning t = {.options = options, .started_ns = dcs_now_ns()};
  DCS_TRY(dcs_bench_open(options->device, options->kernels, options->timeout_s, &t.live.bench));
  dcs_status status = run(&t);
  dcs_status closed = dcs_journal_close(&t.journal);
  dcs_search_close(&t.search);
  dcs_live_close(&t.live);
  dcs_space_free(&t.space);
  return status != DCS_OK ? status : closed;
}
