#include "harness/sweep/sweep.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/device/rapl.h"
#include "harness/files/folder.h"
#include "harness/runs/tuned_check.h"
#include "harness/sweep/state.h"
#include "harness/sweep/watch.h"

static bool asked_for(const dcs_sweep_sizes *sizes, const dcs_variant *variant) {
  for (int c = 0; c < sizes->n; c++)
    for (int r = 0; r < sizes->list[c].n_records; r++)
      if (sizes->list[c].records[r].method.variant == variant) return true;
  return false;
}

static bool any_of(const dcs_sweep_sizes *sizes, dcs_backend backend) {
  for (int v = 0; v < dcs_n_variants; v++)
    if (dcs_variants[v]->backend == backend && asked_for(sizes, dcs_variants[v])) return true;
  return false;
}

/* Not one whose worker was killed, which may be somebody else's doing. */
static bool is_too_large(const dcs_run *run, const dcs_run_row *row) {
  return row->outcome == DCS_OUTCOME_MEMORY && !*dcs_run_cell(run, row, "stop_reason");
}

/* Counts the outcomes of the whole run, an earlier part of it included. */
static dcs_status count_outcomes(dcs_sweep_state *s) {
  dcs_run run;
  dcs_status status = dcs_run_open_summary(&run, s->options->out);
  for (size_t row = 0; status == DCS_OK && row < run.n_rows; row++) {
    const dcs_outcome outcome = run.rows[row].outcome;
    s->n_ok += outcome == DCS_OUTCOME_OK;
    s->n_other += dcs_not_here(outcome) || outcome == DCS_OUTCOME_INAPPLICABLE ||
                  is_too_large(&run, &run.rows[row]);
  }
  s->n_bad = (int)run.n_rows - s->n_ok - s->n_other;
  dcs_run_close(&run);
  return status;
}

/* What another command measures for a moment it removes: nothing is to be found there. */
static dcs_status verdict_of(dcs_sweep_state *s) {
  const char *out = s->options->out;
  const bool kept = !dcs_is_in_temporary(out);
  if (dcs_interrupted() && !kept) return dcs_fail(DCS_FAILED, "interrupted");
  if (dcs_interrupted())
    return dcs_fail(DCS_FAILED,
                    "interrupted; what was measured is kept in %s, and --resume continues", out);
  DCS_TRY(count_outcomes(s));
  DCS_TRY(dcs_turns_end(&s->turns));
  if (!s->turns.taken)
    printf("%s: %d measurements ok, %d failed, %d not possible here\n", out, s->n_ok, s->n_bad,
           s->n_other);
  if (s->n_bad)
    return dcs_fail(DCS_FAILED, "%d of %d measurements failed%s%s%s", s->n_bad,
                    s->n_ok + s->n_bad + s->n_other, kept ? "; summary.csv in " : "",
                    kept ? out : "", kept ? " says how" : "");
  if (s->n_ok == 0)
    return dcs_fail(DCS_UNAVAILABLE, "nothing that was asked for can run on this machine");
  return DCS_OK;
}

/* ---- the whole ---- */

/* Says, once, what was asked for and is not on this machine. */
static void say_missing(const dcs_sweep_state *s, bool gpu) {
  char why[DCS_TEXT];
  for (int v = 0; v < dcs_n_variants; v++)
    if (!dcs_variant_available(dcs_variants[v], why) && asked_for(&s->sizes, dcs_variants[v]))
      fprintf(stderr, "%s: %s: %s\n", dcs_variants[v]->id, dcs_outcome_name(DCS_OUTCOME_NOT_BUILT),
              why);
  if (!gpu && any_of(&s->sizes, DCS_GPU))
    fprintf(stderr, "GPU variants: %s: %s\n", dcs_outcome_name(DCS_OUTCOME_NO_DEVICE),
            s->bench.why);
  else if (!gpu && s->options->plan)
    fprintf(stderr, "GPU variants are left out: %s\n", s->bench.why);
}

/* Whether there were something to measure on a GPU if one were here. */
static bool wants_gpu(const dcs_sweep_state *s, const dcs_facts *facts) {
  dcs_sweep_sizes sizes = {0};
  const dcs_status status = dcs_expand_sizes(s->options, &s->molecule, true, facts, &sizes);
  const bool wants = status == DCS_OK && any_of(&sizes, DCS_GPU);
  dcs_sweep_sizes_free(&sizes);
  return wants;
}

/* The sizes to measure, with or without CUDA variants as the GPU is there or not. */
static dcs_status plan_sizes(dcs_sweep_state *s) {
  const dcs_sweep_options *options = s->options;
  dcs_session *session;
  DCS_TRY(dcs_need_times(options->device));
  dcs_status status = dcs_bench_session(&s->bench, DCS_GPU, &session);
  const bool gpu = status == DCS_OK;
  if (options->device_chosen) DCS_TRY(status);
  dcs_facts facts = {0};
  dcs_machine_facts(&facts);
  if (gpu) DCS_TRY(dcs_gpu_facts(&s->bench, &facts));
  status = dcs_expand_sizes(options, &s->molecule, gpu, &facts, &s->sizes);
  if (status == DCS_UNAVAILABLE && !gpu && wants_gpu(s, &facts))
    return dcs_fail(status, "nothing to measure but on a GPU: %s", s->bench.why);
  DCS_TRY(status);
  if (s->bench.killed[DCS_GPU] && wants_gpu(s, &facts))
    return dcs_fail(DCS_UNAVAILABLE, "it is not known whether a GPU is here: %s", s->bench.why);
  say_missing(s, gpu);
  return DCS_OK;
}

/* That energy_j will stay empty is said before time is spent. */
static void say_no_energy(const dcs_sweep_state *s) {
  if (s->options->energy && any_of(&s->sizes, DCS_CPU) && dcs_rapl_read(DCS_RAPL_FOLDER).n == 0)
    fprintf(stderr,
            "no energy of CPU variants: no package's energy_uj can be read below " DCS_RAPL_FOLDER
            " (often it is root's alone)\n");
}

/* Without limits a run is still one; that they are missing is said. A GPU that is not there has
 * been spoken of. */
static void add_limits(dcs_sweep_state *s, dcs_backend backend) {
  dcs_session *session;
  if (!any_of(&s->sizes, backend) || dcs_bench_session(&s->bench, backend, &session) != DCS_OK)
    return;
  if (dcs_limit_facts(&s->bench, backend, &s->facts) != DCS_OK && !dcs_interrupted())
    fprintf(stderr, "the %s's limits were not measured: %s\n", backend == DCS_CPU ? "CPU" : "GPU",
            dcs_error_message());
}

static dcs_status gather_facts(dcs_sweep_state *s) {
  char path[4096];
  const dcs_sweep_options *options = s->options;
  dcs_machine_facts(&s->facts);
  if (any_of(&s->sizes, DCS_GPU) || options->card) DCS_TRY(dcs_gpu_facts(&s->bench, &s->facts));
  if (!dcs_exists(
          dcs_sweep_path(s, "env.csv", path))) { /* else they are the run's own: take_up() */
    add_limits(s, DCS_GPU);
    add_limits(s, DCS_CPU);
  }
  dcs_run_facts run = options->run;
  run.interleaved = options->turns;
  run.input_hash = s->molecule.hash;
  return dcs_run_facts_add(&run, &s->facts);
}

static dcs_status run(dcs_sweep_state *s) {
  DCS_TRY(dcs_turns_begin(&s->turns));
  if (s->options->run.input.files[0])
    DCS_TRY(dcs_molecule_read(&s->options->run.input, &s->molecule, stderr));
  DCS_TRY(plan_sizes(s));
  DCS_TRY(dcs_sweep_take_folder(s));
  say_no_energy(s);
  const dcs_status gathered = gather_facts(s);
  if (dcs_interrupted()) /* facts may be missing */
    return dcs_fail(DCS_FAILED, "interrupted before anything was measured");
  DCS_TRY(gathered);
  DCS_TRY(dcs_sweep_open_folder(s));
  s->progress = dcs_progress_start();
  s->progress.quiet = s->turns.taken;
  if (s->options->budget_s == 0) s->progress.advice = DCS_BUDGET_ADVICE;
  if (s->options->watch) dcs_progress_watch(&s->progress, dcs_watch_table, &s->sizes);
  dcs_status status = dcs_sweep_measure(s, 0);
  if (status == DCS_OK) status = dcs_sweep_measure_short(s);
  dcs_progress_clear(&s->progress);
  DCS_TRY(status);
  DCS_TRY(dcs_tuned_check_say(s->options->out, stderr));
  if (!s->turns.taken)
    dcs_say_over_budget(1e-9 * (dcs_now_ns() - s->progress.started_ns), s->options->budget_s,
                        s->needs.spent_s);
  return verdict_of(s);
}

dcs_status dcs_sweep(const dcs_sweep_options *options) {
  dcs_sweep_state s = {.options = options, .turns = {.taken = options->turns != NULL}};
  DCS_TRY(dcs_bench_open(options->device, options->run.kernels, options->timeout_s, &s.bench));
  dcs_status status = dcs_sweep_close_files(&s, run(&s));
  dcs_bench_close(&s.bench);
  dcs_sweep_sizes_free(&s.sizes);
  dcs_clocks_free(&s.clocks);
  dcs_molecule_free(&s.molecule);
  dcs_lock_leave(&s.lock);
  return status;
}
