/* dcsbench report */
#include "cli/commands.h"
#include "harness/runs/run.h"
#include "harness/sweep/tuned_check.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH = 4 /* of folders in which runs are looked for */ };

/* ---- a run ---- */

static bool is_ok(const dcs_run_row *row) {
  return row->outcome == DCS_OUTCOME_OK;
}

/* One line of the report: a variant, a scope, and on the CPU a number of threads. */
static bool same_line(const dcs_run_row *a, const dcs_run_row *b) {
  return a->scope == b->scope && a->threads == b->threads && strcmp(a->variant, b->variant) == 0 &&
         strcmp(a->memory, b->memory) == 0 && dcs_same_size(&a->size, &b->size);
}

/* Whether no other row of the same line has a higher rate (of equals, the first counts). */
static bool is_best(const dcs_run *run, const dcs_run_row *row) {
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_run_row *other = &run->rows[i];
    if (other == row || !is_ok(other) || !same_line(row, other)) continue;
    if (other->evals_per_s > row->evals_per_s ||
        (other->evals_per_s == row->evals_per_s && other < row))
      return false;
  }
  return true;
}

static void print_names(const dcs_run_row *row) {
  printf("  %-20s %-7s %-16s", row->variant, dcs_scope_name(row->scope), row->memory);
}

/* A speed is never shown without the error that it is bought with: `errors`, there is a column of
 * it. */
static void print_row(const dcs_run_row *row, bool errors) {
  const double half = 0.5 * (row->ci_hi_ns - row->ci_lo_ns);
  char spread[16] = "", share[16] = "", error[16] = "";
  if (isfinite(half)) snprintf(spread, sizeof spread, "+-%.1f%%", 100 * half / row->median_ns);
  if (isfinite(row->limit_fraction))
    snprintf(share, sizeof share, "%.1f%%", 100 * row->limit_fraction);
  if (isfinite(row->model_error)) snprintf(error, sizeof error, "%.3g", row->model_error);
  print_names(row);
  printf(" %12.4g %8s %12.4g ", 1e-6 * row->median_ns, spread, 1e-9 * row->evals_per_s);
  if (errors) printf("%11s ", error);
  printf("%10.4g %7s  %s%s\n", 1e-9 * row->evals_per_s * row->flops_per_eval, share, row->config,
         dcs_row_disturbed(row) ? "  disturbed" : "");
}

/* The rows of the size that `first` is the first row of. */
static void print_size(const dcs_run *run, const dcs_run_row *first) {
  const dcs_run_row *end = run->rows + run->n_rows;
  char size[DCS_TEXT];
  bool errors = false;
  for (const dcs_run_row *row = first; row < end; row++)
    errors |= dcs_same_size(&first->size, &row->size) && isfinite(row->model_error);
  printf("%s%s%s\n  %-20s %-7s %-16s %12s %8s %12s ",
         first->size.kind == dcs_kinds[0] ? "" : first->size.kind->id,
         first->size.kind == dcs_kinds[0] ? "" : ": ", dcs_size_text(&first->size, size), "variant",
         "scope", "memory", "ms", "95%", "10^9 eval/s");
  if (errors) printf("%11s ", "model error");
  printf("%10s %7s  %s\n", "GFLOPS", "limit", "best configuration");
  for (const dcs_run_row *row = first; row < end; row++) {
    if (!dcs_same_size(&first->size, &row->size)) continue;
    if (!is_ok(row)) {
      print_names(row);
      printf(" %12s %*s%s\n", dcs_outcome_name(row->outcome), errors ? 61 : 49, "", row->config);
    } else if (is_best(run, row))
      print_row(row, errors);
  }
}

static void print_run(const dcs_run *run) {
  for (const dcs_run_row *row = run->rows; row < run->rows + run->n_rows; row++) {
    const dcs_run_row *before = run->rows;
    while (!dcs_same_size(&before->size, &row->size))
      before++;
    if (before == row) print_size(run, row);
  }
  size_t disturbed = 0;
  for (size_t i = 0; i < run->n_rows; i++)
    disturbed += dcs_row_disturbed(&run->rows[i]);
  if (disturbed > 0)
    printf("%zu of %zu rows are disturbed: in more than a quarter of their samples the machine did "
           "something else as well\n",
           disturbed, run->n_rows);
  if (dcs_table_torn(run->summary))
    printf("%s: the last row was cut off and is left out\n", dcs_table_path(run->summary));
}

static dcs_status report(const char *folder) {
  dcs_run run;
  dcs_status status = dcs_run_open_summary(&run, folder);
  if (status == DCS_OK) print_run(&run);
  dcs_run_close(&run);
  return status == DCS_OK ? dcs_tuned_check_say(folder, stdout) : status;
}

/* ---- a folder of runs ---- */

static bool is_run(const char *folder) {
  char path[4096];
  return snprintf(path, sizeof path, "%s/summary.csv", folder) < (int)sizeof path &&
         access(path, F_OK) == 0;
}

/* Prints the run folders in this one; returns how many. */
static size_t list_runs(const char *folder, int depth) {
  struct dirent **entries;
  size_t found = 0;
  const int n = scandir(folder, &entries, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    char path[4096];
    const char *name = entries[i]->d_name;
    if (*name != '.' && snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path) {
      if (is_run(path)) {
        printf("%s\n", path);
        found++;
      }
      if (depth < DEPTH) found += list_runs(path, depth + 1);
    }
    free(entries[i]);
  }
  if (n >= 0) free(entries);
  return found;
}

dcs_status dcs_command_report(int argc, char **argv) {
  static const dcs_command_line line = {

      .args_doc = "DIR",
      .doc = "Print a run as a table: for each size, the best configuration of each variant in "
             "each scope and memory (CPU variants: with each number of threads), with half the "
             "width of the median's 95% interval, the rate of useful evaluations, the error of a "
             "problem that approximates another, and the rate's share of the machine's measured "
             "limit; then which tuned configurations no longer take the time that was recorded of "
             "them. Of a folder that holds runs: which they are.",
      .words = 1,
      .missing = "the run folder is missing"};
  const char *folder = NULL;
  DCS_TRY(dcs_parse_options(&line, argc, argv, &folder, (dcs_shared_options){NULL}));
  if (!is_run(folder) && list_runs(folder, 1) > 0) return DCS_OK;
  return report(folder);
}
