#include "harness/sweep/sweep.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"
#include "harness/device/rapl.h"
#include "harness/files/folder.h"
#include "harness/files/lock.h"
#include "harness/rounds/rounds.h"
#include "harness/runs/tuned_check.h"
#include "harness/sweep/cells.h"
#include "harness/sweep/resume.h"
#include "harness/sweep/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const dcs_sweep_options *options;
  dcs_molecule molecule; /* of the input; empty without one */
  dcs_cells cells;
  dcs_bench bench;
  dcs_facts facts;
  dcs_lock lock; /* of the folder */
  dcs_csv samples, summary;
  int64_t seq;
  dcs_clocks clocks; /* of the samples of this session */
  dcs_progress progress;
  dcs_needs needs;
  dcs_turns turns;
  /* Rows of the summary by outcome: ok; failed; not for this machine or problem. */
  int n_ok, n_bad, n_other;
} sweep;

/* ---- the run folder ---- */

static char *path_in(const sweep *s, const char *name, char path[4096]) {
  snprintf(path, 4096, "%s/%s", s->options->out, name);
  return path;
}

static dcs_status start_file(const char *path, const char *const *columns) {
  dcs_csv csv;
  DCS_TRY(dcs_csv_create(&csv, path));
  return dcs_csv_finish(&csv, dcs_csv_header(&csv, columns));
}

/* From now on the folder is this sweep's: two at once would double samples and lose rows. */
static dcs_status take_folder(sweep *s) {
  char path[4096];
  DCS_TRY(dcs_make_folder(s->options->out, 0777));
  DCS_TRY(dcs_lock_own(path_in(s, "run.lock", path), "take another folder", &s->lock));
  if (dcs_exists(path_in(s, "env.csv", path)) && !s->options->resume)
    return dcs_fail(DCS_USAGE,
                    "%s: holds a run already; continue it with --resume, or take another folder",
                    s->options->out);
  return DCS_OK;
}

/* What the readers of the run would refuse, such as samples that are missing, is not gone on with;
 * that it is a run of other facts, which may be why, is said first. */
static dcs_status take_up(sweep *s) {
  dcs_run run;
  const dcs_status read = dcs_run_open(&run, s->options->out);
  dcs_status status = run.env ? dcs_same_facts(&run, &s->facts) : DCS_OK;
  if (status == DCS_OK) status = read;
  if (status == DCS_OK) dcs_kept_limits(&run, &s->facts);
  if (status == DCS_OK)
    status = dcs_resume(&run, s->options->sampling.most, s->options->again, &s->cells, &s->seq,
                        &s->turns.process);
  dcs_run_close(&run);
  return status;
}

/* env.csv comes last: a folder that has it is a whole run folder. */
static dcs_status start_files(const sweep *s) {
  char path[4096];
  DCS_TRY(dcs_run_check_no_rows(path_in(s, "samples.csv", path)));
  DCS_TRY(dcs_run_check_no_rows(path_in(s, "summary.csv", path)));
  DCS_TRY(start_file(path_in(s, "samples.csv", path), dcs_sample_columns));
  DCS_TRY(start_file(path_in(s, "summary.csv", path), dcs_summary_columns));
  return dcs_write_facts(path_in(s, "env.csv", path), &s->facts);
}

/* Starts the three files, or takes up those of an earlier run. */
static dcs_status open_folder(sweep *s) {
  char path[4096];
  if (dcs_exists(path_in(s, "env.csv", path)))
    DCS_TRY(take_up(s));
  else
    DCS_TRY(start_files(s));
  DCS_TRY(dcs_csv_append(&s->samples, path_in(s, "samples.csv", path)));
  return dcs_csv_append(&s->summary, path_in(s, "summary.csv", path));
}

/* ---- cells ---- */

static dcs_status build_case(const sweep *s, const dcs_cell *cell, dcs_case *c) {
  dcs_grid grid = s->options->run.grid;
  const dcs_kind *kind = cell->size.kind;
  if (!cell->from_box) grid.n = dcs_size_points(&cell->size);
  if (!s->options->run.input.files[0])
    return dcs_case_random(kind, &cell->problems[0], dcs_size_inputs(&cell->size), &grid,
                           s->options->run.seed, c);
  dcs_molecule part = s->molecule;
  part.n = cell->size.axes[0];
  dcs_config problem = cell->problems[0];
  DCS_TRY(dcs_case_settle(kind, &part, s->options->run.input.files[0], &problem, &grid));
  return dcs_case_build(kind, &problem, &part, &grid, c);
}

/* Old rows stay in the file until the new ones replace them, all at once. */
static dcs_status replace_rows(sweep *s, dcs_cell *cell) {
  char path[4096];
  DCS_TRY(dcs_csv_close(&s->summary));
  DCS_TRY(dcs_replace_rows(s->options->out, cell));
  return dcs_csv_append(&s->summary, path_in(s, "summary.csv", path));
}

static dcs_status write_cell(sweep *s, dcs_cell *cell) {
  if (cell->has_rows) DCS_TRY(replace_rows(s, cell));
  for (int r = 0; r < cell->n_records; r++)
    if (dcs_record_known(&cell->records[r])) {
      if (!cell->has_rows) DCS_TRY(dcs_write_summary(&s->summary, &cell->records[r]));
      DCS_TRY(dcs_tuned_check_write(s->options->out, &cell->records[r]));
    }
  cell->has_rows = true;
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

static void prepare_records(const sweep *s, dcs_cell *cell, dcs_case *c) {
  for (int p = 0; p < cell->n_problems; p++) {
    dcs_case_pose(c, &cell->problems[p]);
    const double work = c->kind->work(c, false), given = c->kind->work(c, true);
    for (int r = 0; r < cell->n_records; r++) {
      dcs_record *record = &cell->records[r];
      if (record->problem != p) continue;
      find_work(c, work, given, record);
      record->energy_j = NAN;
      record->limit_evals_per_s = dcs_limit_for(&s->facts, &record->method);
    }
  }
}

/* Says what a cell that does not fit would need, as the outcome of its methods. */
static dcs_status pass_over(sweep *s, dcs_cell *cell) {
  dcs_progress_say(&s->progress, "%s: %s", dcs_outcome_name(DCS_OUTCOME_MEMORY), cell->too_large);
  for (int r = 0; r < cell->n_records; r++) {
    dcs_record *record = &cell->records[r];
    if (record->finished) continue;
    record->judged = true;
    record->outcome = DCS_OUTCOME_MEMORY;
    record->why = strdup(cell->too_large);
    record->n_inputs = dcs_size_inputs(&record->size);
    record->work = dcs_estimate(&record->size, record->spacing, NULL);
    record->candidates = (dcs_candidates){NAN, 0, NAN};
    record->energy_j = NAN;
    record->limit_evals_per_s = NAN;
  }
  return write_cell(s, cell);
}

static dcs_status measure_cell(sweep *s, dcs_cell *cell, double budget_s) {
  dcs_case c;
  if (cell->too_large) return pass_over(s, cell);
  DCS_TRY(build_case(s, cell, &c));
  prepare_records(s, cell, &c);
  char left_out[DCS_TEXT];
  if (*dcs_case_left_out(&c, left_out)) dcs_progress_say(&s->progress, "%s", left_out);
  dcs_cell_options options = {s->options->sampling, budget_s,  s->options->run.seed,
                              s->options->energy,   &s->turns, &s->needs};
  dcs_status status =
      dcs_measure_cell(&s->bench, &c, cell->problems, cell->n_problems, cell->records,
                       cell->n_records, &options, &s->samples, &s->seq, &s->clocks, &s->progress);
  dcs_case_free(&c);
  DCS_TRY(status);
  return write_cell(s, cell);
}

/* Of the budget; where turns are taken, of its half: the other sweep has as much. */
static double left_s(const sweep *s) {
  const double budget_s = s->options->budget_s / (s->turns.taken ? 2 : 1);
  return budget_s - 1e-9 * (dcs_now_ns() - s->progress.started_ns - s->turns.waited_ns);
}

/* What a cell may use of the time that is left; 0: there is no budget. What it does not need is
 * left to the next ones. */
static double budget_of(const sweep *s, int c) {
  return s->options->budget_s > 0 ? fmax(left_s(s) * dcs_cell_share(&s->cells, c), 1e-3) : 0;
}

/* Of all the time, what cell c takes: of a budget what it may use, else by weight. */
static double share_of(const sweep *s, int c, double done, double total_weight) {
  if (s->options->budget_s > 0) return (1 - done) * dcs_cell_share(&s->cells, c);
  return dcs_cell_weight(&s->cells.list[c]) / total_weight;
}

/* Measures the cells from `first` on. */
static dcs_status measure_cells(sweep *s, int first) {
  double done = 0, total_weight = 0;
  for (int c = first; c < s->cells.n; c++)
    total_weight += dcs_cell_weight(&s->cells.list[c]);
  for (int c = first; c < s->cells.n && !dcs_interrupted(); c++) {
    const double started = dcs_now_ns();
    s->progress.base = done;
    s->progress.span = share_of(s, c, done, total_weight);
    s->turns.cell = c;
    dcs_status status = measure_cell(s, &s->cells.list[c], budget_of(s, c));
    if (status == DCS_FAILED && dcs_interrupted()) return DCS_OK; /* verdict_of() says so */
    DCS_TRY(status);
    s->cells.list[c].took_s = 1e-9 * (dcs_now_ns() - started);
    done += s->progress.span;
  }
  return DCS_OK;
}

/* Cells whose share of the budget was spent before each method had its samples get what the others
 * left, where it is more than they took together: their methods are verified again. */
static dcs_status measure_short_cells(sweep *s) {
  if (s->options->budget_s == 0 || s->turns.taken || dcs_interrupted()) return DCS_OK;
  const double left = left_s(s);
  const int first = dcs_cells_short_last(&s->cells, s->options->sampling.least, left),
            n = s->cells.n - first;
  if (n == 0) return DCS_OK;
  dcs_progress_say(&s->progress, "%d size%s fewer samples than asked for: more in the %.0f s left",
                   n, n == 1 ? " has" : "s have", left);
  dcs_progress_next(&s->progress);
  for (int c = first; c < s->cells.n; c++)
    dcs_cell_forget_verdicts(&s->cells.list[c]);
  return measure_cells(s, first);
}

static bool asked_for(const dcs_cells *cells, const dcs_variant *variant) {
  for (int c = 0; c < cells->n; c++)
    for (int r = 0; r < cells->list[c].n_records; r++)
      if (cells->list[c].records[r].method.variant == variant) return true;
  return false;
}

static bool any_of(const dcs_cells *cells, dcs_backend backend) {
  for (int v = 0; v < dcs_n_variants; v++)
    if (dcs_variants[v]->backend == backend && asked_for(cells, dcs_variants[v])) return true;
  return false;
}

/* Not one whose worker was killed, which may be somebody else's doing. */
static bool is_too_large(const dcs_run *run, const dcs_run_row *row) {
  return row->outcome == DCS_OUTCOME_MEMORY && !*dcs_run_cell(run, row, "stop_reason");
}

/* Counts the outcomes of the whole run, an earlier part of it included. */
static dcs_status count_outcomes(sweep *s) {
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

static dcs_status verdict_of(sweep *s) {
  if (dcs_interrupted())
    return dcs_fail(DCS_FAILED,
                    "interrupted; what was measured is kept in %s, and --resume continues",
                    s->options->out);
  DCS_TRY(count_outcomes(s));
  DCS_TRY(dcs_turns_end(&s->turns));
  if (!s->turns.taken)
    printf("%s: %d measurements ok, %d failed, %d not possible here\n", s->options->out, s->n_ok,
           s->n_bad, s->n_other);
  if (s->n_bad)
    return dcs_fail(DCS_FAILED, "%d of %d measurements failed; summary.csv in %s says how",
                    s->n_bad, s->n_ok + s->n_bad + s->n_other, s->options->out);
  if (s->n_ok == 0)
    return dcs_fail(DCS_UNAVAILABLE, "nothing that was asked for can run on this machine");
  return DCS_OK;
}

/* ---- the whole ---- */

/* Says, once, what was asked for and is not on this machine. */
static void say_missing(const sweep *s, bool gpu) {
  char why[DCS_TEXT];
  for (int v = 0; v < dcs_n_variants; v++)
    if (!dcs_variant_available(dcs_variants[v], why) && asked_for(&s->cells, dcs_variants[v]))
      fprintf(stderr, "%s: %s: %s\n", dcs_variants[v]->id, dcs_outcome_name(DCS_OUTCOME_NOT_BUILT),
              why);
  if (!gpu && any_of(&s->cells, DCS_GPU))
    fprintf(stderr, "GPU variants: %s: %s\n", dcs_outcome_name(DCS_OUTCOME_NO_DEVICE),
            s->bench.why);
  else if (!gpu && s->options->plan)
    fprintf(stderr, "GPU variants are left out: %s\n", s->bench.why);
}

/* Whether there were something to measure on a GPU if one were here. */
static bool wants_gpu(const sweep *s, const dcs_facts *facts) {
  dcs_cells cells = {0};
  const dcs_status status = dcs_expand_cells(s->options, &s->molecule, true, facts, &cells);
  const bool wants = status == DCS_OK && any_of(&cells, DCS_GPU);
  dcs_cells_free(&cells);
  return wants;
}

/* The cells to measure, with or without CUDA variants as the GPU is there or not. */
static dcs_status plan_cells(sweep *s) {
  const dcs_sweep_options *options = s->options;
  dcs_session *session;
  DCS_TRY(dcs_need_times(options->device));
  dcs_status status = dcs_bench_session(&s->bench, DCS_GPU, &session);
  const bool gpu = status == DCS_OK;
  if (options->device_chosen) DCS_TRY(status);
  dcs_facts facts = {0};
  dcs_machine_facts(&facts);
  if (gpu) dcs_gpu_facts(&s->bench, &facts);
  status = dcs_expand_cells(options, &s->molecule, gpu, &facts, &s->cells);
  if (status == DCS_UNAVAILABLE && !gpu && wants_gpu(s, &facts))
    return dcs_fail(status, "nothing to measure but on a GPU: %s", s->bench.why);
  DCS_TRY(status);
  if (s->bench.killed[DCS_GPU] && wants_gpu(s, &facts))
    return dcs_fail(DCS_UNAVAILABLE, "it is not known whether a GPU is here: %s", s->bench.why);
  say_missing(s, gpu);
  return DCS_OK;
}

/* That energy_j will stay empty is said before time is spent. */
static void say_no_energy(const sweep *s) {
  if (s->options->energy && any_of(&s->cells, DCS_CPU) && dcs_rapl_read(DCS_RAPL_FOLDER).n == 0)
    fprintf(stderr,
            "no energy of CPU variants: no package's energy_uj can be read below " DCS_RAPL_FOLDER
            " (often it is root's alone)\n");
}

/* Without limits a run is still one; that they are missing is said. A GPU that is not there has
 * been spoken of. */
static void add_limits(sweep *s, dcs_backend backend) {
  dcs_session *session;
  if (!any_of(&s->cells, backend) || dcs_bench_session(&s->bench, backend, &session) != DCS_OK)
    return;
  if (dcs_limit_facts(&s->bench, backend, &s->facts) != DCS_OK && !dcs_interrupted())
    fprintf(stderr, "the %s's limits were not measured: %s\n", backend == DCS_CPU ? "CPU" : "GPU",
            dcs_error_message());
}

static dcs_status gather_facts(sweep *s) {
  char path[4096];
  const dcs_sweep_options *options = s->options;
  dcs_machine_facts(&s->facts);
  if (any_of(&s->cells, DCS_GPU) || options->card) dcs_gpu_facts(&s->bench, &s->facts);
  if (any_of(&s->cells, DCS_GPU) && s->bench.gpu && !dcs_interrupted() &&
      !*dcs_fact_value(&s->facts, "gpu_count"))
    return dcs_fail(DCS_FAILED, "the GPU did not tell its facts: %s", dcs_error_message());
  if (!dcs_exists(path_in(s, "env.csv", path))) { /* else they are the run's own: take_up() */
    add_limits(s, DCS_GPU);
    add_limits(s, DCS_CPU);
  }
  dcs_run_facts run = options->run;
  run.interleaved = options->turns;
  run.input_hash = s->molecule.hash;
  return dcs_run_facts_add(&run, &s->facts);
}

/* The first file that failed is the one to name. */
static dcs_status close_files(sweep *s, dcs_status status) {
  dcs_csv *const files[] = {&s->samples, &s->summary};
  for (int f = 0; f < 2; f++) {
    if (!files[f]->file.stream) continue;
    dcs_status closed = DCS_OK;
    if (status == DCS_IO)
      dcs_csv_abandon(files[f]);
    else
      closed = dcs_csv_close(files[f]);
    if (closed != DCS_OK) status = closed;
  }
  return status;
}

static dcs_status run(sweep *s) {
  DCS_TRY(dcs_turns_begin(&s->turns));
  if (s->options->run.input.files[0])
    DCS_TRY(dcs_molecule_read(&s->options->run.input, &s->molecule, stderr));
  DCS_TRY(plan_cells(s));
  DCS_TRY(take_folder(s));
  say_no_energy(s);
  DCS_TRY(gather_facts(s));
  if (dcs_interrupted()) /* facts may be missing */
    return dcs_fail(DCS_FAILED, "interrupted before anything was measured");
  DCS_TRY(open_folder(s));
  s->progress = dcs_progress_start();
  s->progress.quiet = s->turns.taken;
  if (s->options->budget_s == 0) s->progress.advice = DCS_BUDGET_ADVICE;
  if (s->options->watch) dcs_progress_watch(&s->progress, dcs_watch_table, &s->cells);
  dcs_status status = measure_cells(s, 0);
  if (status == DCS_OK) status = measure_short_cells(s);
  dcs_progress_clear(&s->progress);
  DCS_TRY(status);
  DCS_TRY(dcs_tuned_check_say(s->options->out, stderr));
  return verdict_of(s);
}

dcs_status dcs_sweep(const dcs_sweep_options *options) {
  sweep s = {.options = options, .turns = {.taken = options->turns != NULL}};
  DCS_TRY(dcs_bench_open(options->device, options->run.kernels, options->timeout_s, &s.bench));
  dcs_status status = close_files(&s, run(&s));
  dcs_bench_close(&s.bench);
  dcs_cells_free(&s.cells);
  dcs_clocks_free(&s.clocks);
  dcs_molecule_free(&s.molecule);
  dcs_lock_leave(&s.lock);
  return status;
}
