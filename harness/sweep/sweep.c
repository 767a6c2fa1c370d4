#include "harness/sweep/sweep.h"

#include "harness/base/clock.h"
#include "harness/base/folder.h"
#include "harness/base/interrupt.h"
#include "harness/device/rapl.h"
#include "harness/sweep/cell.h"
#include "harness/sweep/cells.h"
#include "harness/sweep/resume.h"
#include "harness/sweep/tuned_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  const dcs_sweep_options *options;
  dcs_molecule molecule; /* of the input; empty without one */
  dcs_cells cells;
  dcs_bench bench;
  dcs_facts facts;
  dcs_csv samples, summary;
  int64_t seq;
  dcs_clocks clocks; /* of the samples of this sitting */
  dcs_progress progress;
  /* Rows of the summary by outcome: ok; failed; not for this machine or problem. */
  int n_ok, n_bad, n_other;
} sweep;

/* ---- the run folder ---- */

static char *path_in(const sweep *s, const char *name, char path[4096]) {
  snprintf(path, 4096, "%s/%s", s->options->out, name);
  return path;
}

static bool exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}

static dcs_status start_file(const char *path, const char *const *columns) {
  dcs_csv csv;
  DCS_TRY(dcs_csv_create(&csv, path));
  dcs_status status = dcs_write_header(&csv, columns);
  if (status == DCS_OK) return dcs_csv_close(&csv);
  dcs_csv_abandon(&csv);
  return status;
}

/* What was measured is never written over: a start that was cut off leaves headers alone. */
static dcs_status check_no_rows(const char *path) {
  dcs_table *table;
  if (!exists(path)) return DCS_OK;
  bool rows = dcs_table_read(path, &table) != DCS_OK || dcs_table_rows(table) > 0;
  dcs_table_free(table);
  if (!rows) return DCS_OK;
  return dcs_fail(DCS_USAGE, "%s: belongs to no run that has an env.csv; take another folder",
                  path);
}

/* Starts the three files, or takes up those of an earlier run. */
static dcs_status open_folder(sweep *s) {
  char path[4096];
  DCS_TRY(dcs_make_folder(s->options->out));
  bool has_run = exists(path_in(s, "env.csv", path));
  if (has_run && !s->options->resume)
    return dcs_fail(DCS_USAGE,
                    "%s: holds a run already; continue it with --resume, or take another folder",
                    s->options->out);
  if (has_run) {
    DCS_TRY(dcs_same_facts(path, &s->facts));
    DCS_TRY(dcs_resume(s->options->out, s->options->sampling.most, &s->cells, &s->seq));
  } else {
    DCS_TRY(check_no_rows(path_in(s, "samples.csv", path)));
    DCS_TRY(check_no_rows(path_in(s, "summary.csv", path)));
    DCS_TRY(start_file(path_in(s, "samples.csv", path), dcs_sample_columns));
    DCS_TRY(start_file(path_in(s, "summary.csv", path), dcs_summary_columns));
    /* env.csv comes last: a folder that has it is a whole run folder. */
    DCS_TRY(dcs_write_facts(path_in(s, "env.csv", path), &s->facts));
  }
  DCS_TRY(dcs_csv_append(&s->samples, path_in(s, "samples.csv", path)));
  return dcs_csv_append(&s->summary, path_in(s, "summary.csv", path));
}

/* ---- cells ---- */

static dcs_status build_case(const sweep *s, const dcs_cell *cell, dcs_case *c) {
  dcs_grid grid = s->options->grid;
  if (!cell->from_box) grid.n = cell->n;
  if (!s->options->input) return dcs_case_random(cell->atoms, &grid, s->options->run.seed, c);
  dcs_molecule part = s->molecule;
  part.n = cell->atoms;
  return dcs_case_build(&part, &grid, c);
}

static dcs_status write_cell(sweep *s, dcs_cell *cell) {
  for (int r = 0; r < cell->n_records; r++)
    if (!dcs_interrupted() || cell->records[r].n_times > 0) {
      DCS_TRY(dcs_write_summary(&s->summary, &cell->records[r]));
      DCS_TRY(dcs_tuned_check_write(s->options->out, &cell->records[r]));
    }
  return DCS_OK;
}

/* What a record's method will do with the atoms within the cutoff. */
static void examine(const dcs_cell *cell, const dcs_case *c, dcs_within within,
                    dcs_record *record) {
  char why[DCS_TEXT];
  const dcs_method *method = &record->method;
  record->cutoff = cell->cutoff;
  record->smooth = cell->smooth;
  record->within = within;
  if (dcs_applicable(method->variant, &c->problem, &method->config, why))
    method->variant->examine(&c->problem, &method->config, &record->examined);
  else
    record->examined = (dcs_examined){NAN, 0, NAN};
}

static dcs_status measure_cell(sweep *s, dcs_cell *cell, double budget_s) {
  dcs_case c;
  dcs_within within = {0};
  DCS_TRY(build_case(s, cell, &c));
  if (cell->cutoff > 0) {
    dcs_case_set_cutoff(&c, cell->cutoff, cell->smooth);
    within = dcs_pairs_within(&c);
  }
  for (int r = 0; r < cell->n_records; r++) {
    dcs_record *record = &cell->records[r];
    record->atoms = c.n_sites;
    record->charged = c.problem.n_atoms;
    record->n = c.problem.n;
    record->spacing = c.spacing;
    record->energy_j = NAN;
    record->limit_evals_per_s = dcs_limit_for(&s->facts, &record->method);
    if (record->method.variant->cutoff) examine(cell, &c, within, record);
  }
  if (c.n_coincident)
    dcs_progress_say(&s->progress,
                     "%lld atoms lie on grid points and are left out of the sums there",
                     (long long)c.n_coincident);
  dcs_cell_options options = {s->options->sampling, budget_s, s->options->run.seed,
                              s->options->energy};
  dcs_status status = dcs_measure_cell(&s->bench, &c, cell->records, cell->n_records, &options,
                                       &s->samples, &s->seq, &s->clocks, &s->progress);
  dcs_case_free(&c);
  DCS_TRY(status);
  return write_cell(s, cell);
}

/* What a cell may use of the time that is left; 0: there is no budget. What it does not need is
 * left to the next ones. */
static double budget_of(const sweep *s, int c) {
  double left_s = s->options->budget_s - 1e-9 * (dcs_now_ns() - s->progress.started_ns);
  return s->options->budget_s > 0 ? fmax(left_s * dcs_cell_share(&s->cells, c), 1e-3) : 0;
}

static dcs_status measure_cells(sweep *s) {
  double total = 0, done = 0;
  for (int c = 0; c < s->cells.n; c++)
    total += dcs_cell_weight(&s->cells.list[c]);
  for (int c = 0; c < s->cells.n && !dcs_interrupted(); c++) {
    s->progress.base = done / total;
    s->progress.span = dcs_cell_weight(&s->cells.list[c]) / total;
    DCS_TRY(measure_cell(s, &s->cells.list[c], budget_of(s, c)));
    done += dcs_cell_weight(&s->cells.list[c]);
  }
  return DCS_OK;
}

/* Counts the outcomes of the whole run, an earlier part of it included. */
static dcs_status count_outcomes(sweep *s) {
  char path[4096];
  dcs_table *table;
  int column;
  DCS_TRY(dcs_table_read(path_in(s, "summary.csv", path), &table));
  dcs_status status = dcs_table_need(table, "outcome", &column);
  for (size_t row = 0; status == DCS_OK && row < dcs_table_rows(table); row++) {
    const char *outcome = dcs_table_cell(table, row, column);
    if (strcmp(outcome, dcs_outcome_name(DCS_OUTCOME_OK)) == 0)
      s->n_ok++;
    else if (strcmp(outcome, dcs_outcome_name(DCS_OUTCOME_NOT_BUILT)) == 0 ||
             strcmp(outcome, dcs_outcome_name(DCS_OUTCOME_INAPPLICABLE)) == 0)
      s->n_other++;
    else
      s->n_bad++;
  }
  dcs_table_free(table);
  return status;
}

static bool any_of(const dcs_cells *cells, dcs_backend backend) {
  for (int c = 0; c < cells->n; c++)
    for (int r = 0; r < cells->list[c].n_records; r++)
      if (cells->list[c].records[r].method.variant->backend == backend) return true;
  return false;
}

static dcs_status verdict_of(sweep *s) {
  if (dcs_interrupted())
    return dcs_fail(DCS_FAILED,
                    "interrupted; what was measured is kept in %s, and --resume continues",
                    s->options->out);
  DCS_TRY(count_outcomes(s));
  printf("%s: %d measurements ok, %d failed, %d not possible here\n", s->options->out, s->n_ok,
         s->n_bad, s->n_other);
  if (s->n_bad)
    return dcs_fail(DCS_FAILED, "%d of %d measurements failed; summary.csv in %s says how",
                    s->n_bad, s->n_ok + s->n_bad + s->n_other, s->options->out);
  if (s->n_ok == 0)
    return dcs_fail(DCS_UNAVAILABLE, "nothing that was asked for can run on this machine: %s",
                    any_of(&s->cells, DCS_CUDA) && s->bench.why[0] ? s->bench.why
                                                                   : "`dcsbench list` shows why");
  return DCS_OK;
}

/* ---- the whole ---- */

static bool asked_for(const dcs_cells *cells, const dcs_variant *variant) {
  for (int c = 0; c < cells->n; c++)
    for (int r = 0; r < cells->list[c].n_records; r++)
      if (cells->list[c].records[r].method.variant == variant) return true;
  return false;
}

/* Says, once of each, which variants were asked for but are not on this machine. */
static void say_missing(const sweep *s, bool gpu) {
  for (int v = 0; v < dcs_n_variants; v++) {
    const dcs_variant *variant = dcs_variants[v];
    char why[2 * DCS_TEXT] = "";
    bool missing = !dcs_variant_available(variant, why);
    if (!missing && variant->backend == DCS_CUDA && !gpu) {
      snprintf(why, sizeof why, "%s", s->bench.why);
      missing = true;
    }
    if (missing && asked_for(&s->cells, variant))
      fprintf(stderr, "%s: %s: %s\n", variant->id, dcs_outcome_name(DCS_OUTCOME_NOT_BUILT), why);
  }
}

/* The cells to measure, with or without CUDA variants as the GPU is there or not. */
static dcs_status plan_cells(sweep *s) {
  const dcs_sweep_options *options = s->options;
  dcs_session *session;
  if (dcs_names_emulated(options->device))
    return dcs_fail(DCS_USAGE, "the emulated device has no times: use it with `dcsbench verify`");
  dcs_status status = dcs_bench_session(&s->bench, DCS_CUDA, &session);
  if (options->device_chosen) DCS_TRY(status);
  if (options->plan && status != DCS_OK)
    fprintf(stderr, "CUDA variants are left out: %s\n", dcs_error_message());
  dcs_facts facts = {0};
  dcs_machine_facts(&facts);
  if (status == DCS_OK) dcs_gpu_facts(&s->bench, &facts);
  DCS_TRY(dcs_expand_cells(options, &s->molecule, status == DCS_OK, &facts, &s->cells));
  say_missing(s, status == DCS_OK);
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
  const dcs_sweep_options *options = s->options;
  dcs_machine_facts(&s->facts);
  if (any_of(&s->cells, DCS_CUDA) || options->card) dcs_gpu_facts(&s->bench, &s->facts);
  add_limits(s, DCS_CUDA);
  add_limits(s, DCS_CPU);
  return dcs_run_facts_add(&options->run, &s->facts);
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
  if (s->options->input) DCS_TRY(dcs_pqr_read(s->options->input, &s->molecule, stderr));
  DCS_TRY(plan_cells(s));
  say_no_energy(s);
  DCS_TRY(gather_facts(s));
  DCS_TRY(open_folder(s));
  s->progress = dcs_progress_start();
  dcs_status status = measure_cells(s);
  dcs_progress_clear(&s->progress);
  DCS_TRY(status);
  DCS_TRY(dcs_tuned_check_say(s->options->out, stderr));
  return verdict_of(s);
}

dcs_status dcs_sweep(const dcs_sweep_options *options) {
  sweep s = {.options = options};
  DCS_TRY(dcs_bench_open(options->device, options->kernels, options->timeout_s, &s.bench));
  dcs_status status = close_files(&s, run(&s));
  dcs_bench_close(&s.bench);
  dcs_cells_free(&s.cells);
  dcs_clocks_free(&s.clocks);
  dcs_molecule_free(&s.molecule);
  return status;
}
