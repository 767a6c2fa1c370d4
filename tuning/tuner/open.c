/* A tuning before its search: the machine, the space, the journal, and what is known already. */
#include "tuning/tuner/tuning.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/device/rapl.h"
#include "harness/problems/methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What certainly has no energy is told before anything is measured. */
static dcs_status need_energy(const dcs_tuning *t) {
  const dcs_tune_options *o = t->options;
  if (!t->live.energies) return DCS_OK;
  if (o->scope == DCS_FIRST)
    return dcs_fail(DCS_USAGE, "--scope: found first; expected kernel or warm where energy counts");
  if (o->variant->backend == DCS_CPU)
    return dcs_rapl_read(DCS_RAPL_FOLDER).n > 0
               ? DCS_OK
               : dcs_fail(DCS_UNAVAILABLE,
                          "%s: no energy is reported here: no package's energy_uj can be read "
                          "below " DCS_RAPL_FOLDER,
                          o->variant->id);
  const dcs_device_kind *kind = dcs_device_kind_of(o->device);
  if (!kind || kind->timed) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "the %s device reports no energy; tune for it on a GPU",
                  kind->prefix);
}

/* Opens the device first: what cannot run here is said before anything is built. */
static dcs_status open_machine(dcs_tuning *t) {
  const dcs_tune_options *o = t->options;
  char why[DCS_TEXT];
  dcs_session *session;
  if (!dcs_variant_available(o->variant, why))
    return dcs_fail(DCS_UNAVAILABLE, "%s: %s", o->variant->id, why);
  DCS_TRY(dcs_need_one_device(o->device, "`dcsbench tune`"));
  DCS_TRY(need_energy(t));
  if (o->variant->backend == DCS_GPU) DCS_TRY(dcs_need_times(o->device));
  DCS_TRY(dcs_bench_session(&t->live.bench, o->variant->backend, &session));
  dcs_machine_facts(&t->facts);
  if (o->variant->backend == DCS_GPU) DCS_TRY(dcs_gpu_facts(&t->live.bench, &t->facts));
  DCS_TRY(dcs_case_from(&o->source, &o->problem, &t->live.c));
  t->given = o->source.kind->work(&t->live.c, true);
  return dcs_bench_put(&t->live.bench, &t->live.c, NULL, 0);
}

static dcs_status fill_subject(dcs_tuning *t) {
  const dcs_tune_options *o = t->options;
  const dcs_case *c = &t->live.c;
  const bool cpu = o->variant->backend == DCS_CPU;
  dcs_live *live = &t->live;
  live->subject = (dcs_subject){.variant = o->variant,
                                .scope = o->scope,
                                .size = dcs_case_size(c),
                                .spacing = c->spacing,
                                .work = c->kind->work(c, false)};
  snprintf(live->subject.objective, sizeof live->subject.objective, "%s", t->objective.text);
  live->device = cpu ? "cpu" : o->device ? o->device : dcs_default_device();
  live->driver = cpu ? "" : dcs_fact_value(&t->facts, "cuda_driver");
  live->nvrtc = cpu ? "" : dcs_fact_value(&t->facts, "nvrtc");
  return dcs_subject_fill(&t->facts, o->kernels, &live->subject);
}

/* The first of several tunings opens it. */
static dcs_status open_journal(const dcs_tune_options *o, dcs_journal_writer *journal,
                               char path[4096]) {
  if (o->journal)
    snprintf(path, 4096, "%s", o->journal);
  else
    DCS_TRY(dcs_tuned_path("journal.csv", path));
  if (journal->lock.path) return DCS_OK;
  DCS_TRY(dcs_journal_open(path, journal));
  journal->seed = o->seed;
  return DCS_OK;
}

/* A property of the configuration, which trying again would not change. */
static bool is_lasting(dcs_outcome outcome) {
  return outcome != DCS_OUTCOME_CRASH && outcome != DCS_OUTCOME_TIMEOUT &&
         outcome != DCS_OUTCOME_MEMORY;
}

/* Samples are valued anew: objectives of one journal may differ from the search's. */
static dcs_status take_known(dcs_tuning *t, const dcs_evaluation *from, dcs_evaluation *known) {
  known->known = true;
  known->outcome = dcs_outcome_has_times(from->outcome) ? DCS_OUTCOME_OK : from->outcome;
  known->registers = from->registers;
  known->compile_ms = from->compile_ms;
  known->error = from->error;
  for (int i = 0; known->outcome == DCS_OUTCOME_OK && i < from->n; i++) {
    const dcs_spent spent = dcs_evaluation_spent(from, i);
    DCS_TRY(dcs_objective_add(&t->live.objective, &t->live.subject, &spent, known));
  }
  return DCS_OK;
}

/* What the journal holds already is known. */
static dcs_status take_up(dcs_tuning *t, char *path) {
  dcs_journal journal;
  dcs_status status = dcs_journal_read(&path, 1, &journal, stderr);
  const dcs_recorded_space *r = dcs_journal_find(&journal, &t->live.subject);
  for (int e = 0; status == DCS_OK && r && e < r->n; e++) {
    int c = dcs_space_find(&t->space, &r->configs[e]);
    if (c < 0 || !is_lasting(r->evaluations[e].outcome)) continue;
    t->search.n_known++;
    status = take_known(t, &r->evaluations[e], &t->search.known[c]);
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
static dcs_status compile_ahead(dcs_tuning *t) {
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

/* What is wrong with the values given is said before what this machine lacks. */
static dcs_status check_config(const dcs_tune_options *o) {
  dcs_methods methods = {0};
  dcs_status status =
      dcs_select_methods(o->variant->id, o->config, (dcs_at_hand){.gpu = true}, &methods);
  free(methods.list);
  return status;
}

static dcs_status open_all(dcs_tuning *t) {
  const dcs_tune_options *o = t->options;
  DCS_TRY(check_config(o));
  DCS_TRY(dcs_bench_open(o->device, o->kernels, o->timeout_s, &t->live.bench));
  DCS_TRY(dcs_tuned_ready());
  DCS_TRY(open_machine(t));
  DCS_TRY(dcs_space_build(o->variant, o->config, &t->live.c.problem, dcs_cpus(), &t->space));
  DCS_TRY(fill_subject(t));
  t->live.unverified = o->unverified;
  return dcs_live_open(&t->live, &t->space, o->scope);
}

dcs_status dcs_tuning_open(dcs_tuning *t, const dcs_tune_options *options) {
  *t = (dcs_tuning){.options = options};
  DCS_TRY(dcs_objective_open(options->objective, &t->objective));
  DCS_TRY(dcs_objective_open(options->objective, &t->live.objective));
  t->live.energies = t->objective.needs_energy;
  return open_all(t);
}

dcs_status dcs_tuning_go_on(dcs_tuning *t, dcs_journal_writer *journal, double until_ns) {
  const dcs_tune_options *o = t->options;
  const dcs_budget budget = {o->budget_evals, until_ns};
  char path[4096];
  DCS_TRY(open_journal(o, journal, path));
  t->live.journal = journal;
  DCS_TRY(dcs_search_open(&t->space, &t->live.subject, &t->live.evaluator, o->samples, o->seed,
                          budget, &t->search));
  DCS_TRY(take_up(t, path));
  return compile_ahead(t);
}

void dcs_tuning_close(dcs_tuning *t) {
  dcs_search_close(&t->search);
  dcs_live_close(&t->live);
  dcs_space_free(&t->space);
  dcs_objective_close(&t->objective);
  dcs_objective_close(&t->live.objective);
}

/* The evaluation with values of the search's objective. */
static dcs_status value_anew(dcs_tuning *t, dcs_evaluation *e) {
  dcs_evaluation valued = dcs_evaluation_unknown;
  dcs_status status = take_known(t, e, &valued);
  dcs_evaluation_free(e);
  *e = valued;
  return status;
}

dcs_status dcs_tuning_aim(dcs_tuning *t, const char *objective) {
  dcs_objective_close(&t->live.objective);
  DCS_TRY(dcs_objective_open(objective, &t->live.objective));
  for (int c = 0; c < t->space.n; c++)
    if (t->search.known[c].known) DCS_TRY(value_anew(t, &t->search.known[c]));
  return DCS_OK;
}

dcs_status dcs_tuning_search(dcs_tuning *t) {
  const dcs_search *search = &t->search;
  t->live.journal->strategy = t->options->strategy->name;
  t->live.search = search;
  t->options->strategy->run(&t->search);
  DCS_TRY(search->status);
  if (!dcs_interrupted()) return DCS_OK;
  return dcs_fail(DCS_FAILED, "interrupted after %lld evaluation%s; the same command goes on",
                  (long long)search->n_evals, search->n_evals == 1 ? "" : "s");
}
