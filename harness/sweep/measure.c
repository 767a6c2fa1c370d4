/* The sizes of a sweep, measured one after another, within the budget. */
#include "harness/sweep/state.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/runs/tuned_check.h"
#include "harness/sweep/resume.h"

#include <math.h>
#include <string.h>

static dcs_status build_case(const dcs_sweep_state *s, const dcs_sweep_size *entry, dcs_case *c) {
  dcs_grid grid = s->options->run.grid;
  const dcs_kind *kind = entry->size.kind;
  if (!entry->from_box) grid.n = dcs_size_points(&entry->size);
  if (!s->options->run.input.files[0])
    return dcs_case_random(kind, &entry->problems[0], dcs_size_inputs(&entry->size), &grid,
                           s->options->run.seed, c);
  dcs_molecule part = s->molecule;
  part.n = entry->size.axes[0];
  dcs_config problem = entry->problems[0];
  DCS_TRY(dcs_case_settle(kind, &part, s->options->run.input.files[0], &problem, &grid));
  return dcs_case_build(kind, &problem, &part, &grid, c);
}

/* Old rows stay in the file until the new ones replace them, all at once. */
static dcs_status replace_rows(dcs_sweep_state *s, dcs_sweep_size *entry) {
  char path[4096];
  DCS_TRY(dcs_csv_close(&s->summary));
  DCS_TRY(dcs_replace_rows(s->options->out, entry));
  return dcs_csv_append(&s->summary, dcs_sweep_path(s, "summary.csv", path));
}

static dcs_status write_size(dcs_sweep_state *s, dcs_sweep_size *entry) {
  if (entry->has_rows) DCS_TRY(replace_rows(s, entry));
  for (int r = 0; r < entry->n_records; r++)
    if (dcs_record_known(&entry->records[r])) {
      if (!entry->has_rows) DCS_TRY(dcs_write_summary(&s->summary, &entry->records[r]));
      DCS_TRY(dcs_tuned_check_write(s->options->out, &entry->records[r]));
    }
  entry->has_rows = true;
  return DCS_OK;
}

/* What a record's method has to do, and will. */
static void find_work(dcs_case *c, double work, double given, dcs_record *record) {
  char why[DCS_TEXT];
  const dcs_method *method = &record->method;
  record->size = dcs_case_size(c);
  record->spacing = dcs_has_grid(c->kind) ? c->spacing : NAN;
  record->n_inputs = c->problem.n_inputs;
  record->work = work;
  record->given = given;
  record->candidates = (dcs_candidates){NAN, 0, NAN};
  if (method->variant->candidates &&
      dcs_applicable(method->variant, &c->problem, &method->config, why))
    method->variant->candidates(&c->problem, &method->config, &record->candidates);
}

static void prepare_records(const dcs_sweep_state *s, dcs_sweep_size *entry, dcs_case *c) {
  for (int p = 0; p < entry->n_problems; p++) {
    dcs_case_pose(c, &entry->problems[p]);
    const double work = c->kind->work(c, false), given = c->kind->work(c, true);
    for (int r = 0; r < entry->n_records; r++) {
      dcs_record *record = &entry->records[r];
      if (record->problem != p) continue;
      find_work(c, work, given, record);
      record->energy_j = NAN;
      record->limit_evals_per_s = dcs_limit_for(&s->facts, &record->method);
    }
  }
}

/* Says what a size that does not fit would need, as the outcome of its methods. */
static dcs_status pass_over(dcs_sweep_state *s, dcs_sweep_size *entry) {
  dcs_progress_say(&s->progress, "%s: %s", dcs_outcome_name(DCS_OUTCOME_MEMORY), entry->too_large);
  for (int r = 0; r < entry->n_records; r++) {
    dcs_record *record = &entry->records[r];
    if (record->finished) continue;
    record->judged = true;
    record->outcome = DCS_OUTCOME_MEMORY;
    record->why = strdup(entry->too_large);
    record->n_inputs = dcs_size_inputs(&record->size);
    record->work = dcs_estimate(&record->size, record->spacing, NULL);
    record->candidates = (dcs_candidates){NAN, 0, NAN};
    record->energy_j = NAN;
    record->limit_evals_per_s = NAN;
  }
  return write_size(s, entry);
}

static dcs_status measure_size(dcs_sweep_state *s, dcs_sweep_size *entry, double budget_s) {
  dcs_case c;
  if (entry->too_large) return pass_over(s, entry);
  DCS_TRY(build_case(s, entry, &c));
  prepare_records(s, entry, &c);
  char left_out[DCS_TEXT];
  if (*dcs_case_left_out(&c, left_out)) dcs_progress_say(&s->progress, "%s", left_out);
  dcs_round_options options = {s->options->sampling,
                               budget_s,
                               s->options->run.seed,
                               s->options->energy,
                               s->session,
                               &s->turns,
                               &s->needs};
  dcs_status status =
      dcs_measure_size(&s->bench, &c, entry->problems, entry->n_problems, entry->records,
                       entry->n_records, &options, &s->samples, &s->seq, &s->clocks, &s->progress);
  dcs_case_free(&c);
  DCS_TRY(status);
  return write_size(s, entry);
}

/* Of the budget; where turns are taken, of its half: the other sweep has as much. */
static double left_s(const dcs_sweep_state *s) {
  const double budget_s = s->options->budget_s / (s->turns.taken ? 2 : 1);
  return budget_s - 1e-9 * (dcs_now_ns() - s->progress.started_ns - s->turns.waited_ns);
}

/* What a size may use of the time that is left; 0: there is no budget. What it does not need is
 * left to the next ones. */
static double budget_of(const dcs_sweep_state *s, int c) {
  return s->options->budget_s > 0 ? fmax(left_s(s) * dcs_sweep_size_share(&s->sizes, c), 1e-3) : 0;
}

/* Of all the time, what size c takes: of a budget what it may use, else by weight. */
static double share_of(const dcs_sweep_state *s, int c, double done, double total_weight) {
  if (s->options->budget_s > 0) return (1 - done) * dcs_sweep_size_share(&s->sizes, c);
  return dcs_sweep_size_weight(&s->sizes.list[c]) / total_weight;
}

dcs_status dcs_sweep_measure(dcs_sweep_state *s, int first) {
  double done = 0, total_weight = 0;
  for (int c = first; c < s->sizes.n; c++)
    total_weight += dcs_sweep_size_weight(&s->sizes.list[c]);
  for (int c = first; c < s->sizes.n && !dcs_interrupted(); c++) {
    const double started = dcs_now_ns();
    s->progress.base = done;
    s->progress.span = share_of(s, c, done, total_weight);
    s->turns.size = c;
    dcs_status status = measure_size(s, &s->sizes.list[c], budget_of(s, c));
    if (status == DCS_FAILED && dcs_interrupted()) return DCS_OK; /* verdict_of() says so */
    DCS_TRY(status);
    s->sizes.list[c].took_s = 1e-9 * (dcs_now_ns() - started);
    done += s->progress.span;
  }
  return DCS_OK;
}

dcs_status dcs_sweep_measure_short(dcs_sweep_state *s) {
  if (s->options->budget_s == 0 || s->turns.taken || dcs_interrupted()) return DCS_OK;
  const double left = left_s(s);
  const int first = dcs_sweep_sizes_short_last(&s->sizes, s->options->sampling.least, left),
            n = s->sizes.n - first;
  if (n == 0) return DCS_OK;
  dcs_progress_say(&s->progress, "%d size%s fewer samples than asked for: more in the %.0f s left",
                   n, n == 1 ? " has" : "s have", left);
  dcs_progress_next(&s->progress);
  for (int c = first; c < s->sizes.n; c++)
    dcs_sweep_size_forget_verdicts(&s->sizes.list[c]);
  return dcs_sweep_measure(s, first);
}
