/* dcsbench report */
#include "cli/commands.h"
#include "harness/base/csv.h"
#include "harness/base/outcome.h"
#include "harness/sweep/tuned_check.h"

#include <math.h>
#include <string.h>

enum {
  VARIANT,
  THREADS,
  CONFIG,
  SCOPE,
  MEMORY,
  ATOMS,
  NX,
  NY,
  NZ,
  MEDIAN,
  LO,
  HI,
  RATE,
  GFLOPS,
  FRACTION,
  OUTCOME,
  N_NEEDED,
  CUTOFF = N_NEEDED, /* this and the next may be absent */
  SMOOTH,
  N
};

static error_t parse(int key, char *arg, struct argp_state *state) {
  const char **dir = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    if (*dir) return ARGP_ERR_UNKNOWN;
    *dir = arg;
    return 0;
  case ARGP_KEY_END:
    if (!*dir) argp_error(state, "the run folder is missing");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static dcs_status find_columns(const dcs_table *table, int column[N]) {
  static const char *const names[N] = {
      "variant",  "threads",  "config",      "scope",  "memory",
      "atoms",    "nx",       "ny",          "nz",     "median_ns",
      "ci_lo_ns", "ci_hi_ns", "evals_per_s", "gflops", "limit_fraction",
      "outcome",  "cutoff",   "smooth"};
  for (int c = 0; c < N_NEEDED; c++)
    DCS_TRY(dcs_table_need(table, names[c], &column[c]));
  for (int c = N_NEEDED; c < N; c++)
    column[c] = dcs_table_column(table, names[c]);
  return DCS_OK;
}

static bool same_size(const dcs_table *table, const int column[N], size_t a, size_t b) {
  static const int keys[] = {ATOMS, NX, NY, NZ, CUTOFF, SMOOTH};
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
    if (strcmp(dcs_table_cell(table, a, column[keys[k]]),
               dcs_table_cell(table, b, column[keys[k]])) != 0)
      return false;
  return true;
}

/* One line of the report: a variant, a scope, and on the CPU a number of threads. */
static bool same_line(const dcs_table *table, const int column[N], size_t a, size_t b) {
  static const int keys[] = {VARIANT, SCOPE, MEMORY, THREADS, ATOMS, NX, NY, NZ, CUTOFF, SMOOTH};
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
    if (strcmp(dcs_table_cell(table, a, column[keys[k]]),
               dcs_table_cell(table, b, column[keys[k]])) != 0)
      return false;
  return true;
}

static bool is_ok(const dcs_table *table, const int column[N], size_t row) {
  return strcmp(dcs_table_cell(table, row, column[OUTCOME]), dcs_outcome_name(DCS_OUTCOME_OK)) == 0;
}

/* Whether no other row of the same line has a higher rate (of equals, the first
 * counts). */
static bool is_best(const dcs_table *table, const int column[N], size_t row) {
  double rate = dcs_table_number(table, row, column[RATE]);
  for (size_t other = 0; other < dcs_table_rows(table); other++) {
    if (other == row || !is_ok(table, column, other) || !same_line(table, column, row, other))
      continue;
    double other_rate = dcs_table_number(table, other, column[RATE]);
    if (other_rate > rate || (other_rate == rate && other < row)) return false;
  }
  return true;
}

static void print_names(const dcs_table *table, const int column[N], size_t row) {
  printf("  %-20s %-7s %-16s", dcs_table_cell(table, row, column[VARIANT]),
         dcs_table_cell(table, row, column[SCOPE]), dcs_table_cell(table, row, column[MEMORY]));
}

static void print_row(const dcs_table *table, const int column[N], size_t row) {
  double median = dcs_table_number(table, row, column[MEDIAN]);
  double half =
      0.5 * (dcs_table_number(table, row, column[HI]) - dcs_table_number(table, row, column[LO]));
  double fraction = dcs_table_number(table, row, column[FRACTION]);
  char spread[16] = "", share[16] = "";
  if (isfinite(half)) snprintf(spread, sizeof spread, "+-%.1f%%", 100 * half / median);
  if (isfinite(fraction)) snprintf(share, sizeof share, "%.1f%%", 100 * fraction);
  print_names(table, column, row);
  printf(" %12.4g %8s %12.4g %10.4g %7s  %s\n", 1e-6 * median, spread,
         1e-9 * dcs_table_number(table, row, column[RATE]),
         dcs_table_number(table, row, column[GFLOPS]), share,
         dcs_table_cell(table, row, column[CONFIG]));
}

/* The rows of the size that `first` is the first row of. */
static void print_size(const dcs_table *table, const int column[N], size_t first) {
  const char *cutoff = dcs_table_cell(table, first, column[CUTOFF]);
  printf("grid %sx%sx%s, %s atoms%s%s%s%s\n  %-20s %-7s %-16s %12s %8s %12s %10s %7s  %s\n",
         dcs_table_cell(table, first, column[NX]), dcs_table_cell(table, first, column[NY]),
         dcs_table_cell(table, first, column[NZ]), dcs_table_cell(table, first, column[ATOMS]),
         *cutoff ? ", cutoff " : "", cutoff, *cutoff ? ", smooth " : "",
         dcs_table_cell(table, first, column[SMOOTH]), "variant", "scope", "memory", "ms a map",
         "95%", "10^9 eval/s", "GFLOPS", "limit", "best configuration");
  for (size_t row = first; row < dcs_table_rows(table); row++) {
    if (!same_size(table, column, first, row)) continue;
    if (!is_ok(table, column, row)) {
      print_names(table, column, row);
      printf(" %12s %49s%s\n", dcs_table_cell(table, row, column[OUTCOME]), "",
             dcs_table_cell(table, row, column[CONFIG]));
    } else if (is_best(table, column, row))
      print_row(table, column, row);
  }
}

dcs_status dcs_command_report(int argc, char **argv) {
  static const struct argp argp = {
      .parser = parse,
      .args_doc = "DIR",
      .doc = "Print a run as a table: for each grid and number of atoms, the best configuration of "
             "each variant in each scope and memory (CPU variants: with each number of threads), "
             "with half "
             "the width of the median's 95% interval, the rate "
             "of useful evaluations, and its share of the machine's measured limit; then which "
             "tuned configurations no longer take the time that was recorded of them."};
  const char *dir = NULL;
  char path[4096];
  dcs_table *table;
  int column[N];
  argp_parse(&argp, argc, argv, 0, NULL, &dir);
  if (snprintf(path, sizeof path, "%s/summary.csv", dir) >= (int)sizeof path)
    return dcs_fail(DCS_USAGE, "the folder's name is too long");
  DCS_TRY(dcs_table_read(path, &table));
  dcs_status status = find_columns(table, column);
  for (size_t row = 0; status == DCS_OK && row < dcs_table_rows(table); row++) {
    bool seen = false;
    for (size_t before = 0; before < row && !seen; before++)
      seen = same_size(table, column, before, row);
    if (!seen) print_size(table, column, row);
  }
  if (status == DCS_OK && dcs_table_torn(table))
    printf("%s: the last row was cut off and is left out\n", path);
  dcs_table_free(table);
  return status == DCS_OK ? dcs_tuned_check_say(dir, stdout) : status;
}
