/* dcsbench compare */
#include "harness/compare/compare.h"
#include "cli/commands.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *folders[2];
  bool force, csv;
} arguments;

enum { KEY_CSV = 'c', KEY_FORCE = 'f' };

static const char *const names[2] = {"A", "B"};

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case KEY_FORCE:
    a->force = true;
    return 0;
  case KEY_CSV:
    a->csv = true;
    return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num > 1) return ARGP_ERR_UNKNOWN;
    a->folders[state->arg_num] = arg;
    return 0;
  case ARGP_KEY_END:
    if (state->arg_num < 2) argp_error(state, "two run folders are needed: before and after");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const char *verdict(const dcs_compared *cell) {
  return cell->failed ? "NOT_OK" : dcs_change_name(cell->change);
}

/* What is to be known beside the cells. `mark` begins each line. */
static void print_notes(FILE *out, const char *mark, const dcs_comparison *c) {
  for (size_t d = 0; d < c->n_differences; d++)
    fprintf(out, "%s%s: %s: A \"%s\", B \"%s\"\n", mark,
            c->differences[d].incomparable ? "not comparable" : "differs", c->differences[d].key,
            c->differences[d].value[0], c->differences[d].value[1]);
  for (int r = 0; r < 2; r++) {
    const dcs_table *tables[] = {c->runs[r].env, c->runs[r].samples.table,
                                 c->runs[r].summary.table};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
      if (dcs_table_torn(tables[t]))
        fprintf(out, "%s%s: the last row was cut off and is left out\n", mark,
                dcs_table_path(tables[t]));
  }
}

/* ---- as a table ---- */

static void print_cell(const char *mark, const dcs_compared *cell) {
  char grid[64], atoms[64], interval[32] = "";
  snprintf(grid, sizeof grid, "%sx%sx%s", cell->key[DCS_KEY_NX], cell->key[DCS_KEY_NY],
           cell->key[DCS_KEY_NZ]);
  const char *cutoff = cell->key[DCS_KEY_CUTOFF];
  snprintf(atoms, sizeof atoms, "%s%s%s%s%s", cell->key[DCS_KEY_ATOMS], *cutoff ? " <" : "", cutoff,
           *cutoff ? " " : "", cell->key[DCS_KEY_SMOOTH]);
  printf("%s%-20s %-6s %-16s %-12s %8s ", mark, cell->key[DCS_KEY_VARIANT],
         cell->key[DCS_KEY_SCOPE], cell->key[DCS_KEY_MEMORY], grid, atoms);
  if (cell->failed) {
    for (int r = 0; r < 2; r++)
      snprintf(interval + strlen(interval), sizeof interval - strlen(interval), "%s%s %s",
               r ? ", " : "", names[r], *cell->outcome[r] ? cell->outcome[r] : "unknown");
    printf("%44s", interval);
  } else {
    if (!isnan(cell->ratio.lo))
      snprintf(interval, sizeof interval, "%.3f..%.3f", cell->ratio.lo, cell->ratio.hi);
    printf("%10.4g %10.4g %7.3f %14s", 1e-6 * cell->median_ns[0], 1e-6 * cell->median_ns[1],
           cell->ratio.value, interval);
  }
  printf("  %-7s  %s\n", verdict(cell), cell->key[DCS_KEY_CONFIG]);
}

static size_t count_few(const dcs_comparison *c) {
  size_t few = 0;
  for (size_t i = 0; i < c->n_cells; i++)
    few += !c->cells[i].failed && isnan(c->cells[i].ratio.lo);
  return few;
}

static void print_counts(const char *mark, const dcs_comparison *c) {
  size_t total = 0;
  for (int change = 0; change < DCS_N_CHANGES; change++)
    total += c->changes[change];
  printf("%s%zu compared: %zu slower, %zu faster, %zu same, %zu unsure; median ratio %.3f\n", mark,
         total, c->changes[DCS_CHANGE_SLOWER], c->changes[DCS_CHANGE_FASTER],
         c->changes[DCS_CHANGE_SAME], c->changes[DCS_CHANGE_UNSURE], c->median_ratio);
  if (count_few(c) > 0)
    printf("%s%zu of the unsure ha%s fewer than %d samples, too few for a verdict: measure with "
           "--rounds %d or more, with budget enough for them\n",
           mark, count_few(c), count_few(c) == 1 ? "s" : "ve", DCS_RATIO_SAMPLES,
           DCS_RATIO_SAMPLES);
  printf("%snot compared: %zu only in A, %zu only in B, %zu not ok in one, %zu not ok in both\n",
         mark, c->only[0], c->only[1], c->failed[0], c->failed[1]);
}

static void print_table(const arguments *a, const dcs_comparison *c) {
  const char *mark = c->forced ? "forced  " : "";
  printf("%sA is %s, B is %s; ratio: time B / time A, with its 95%% interval\n", mark,
         a->folders[0], a->folders[1]);
  print_notes(stdout, mark, c);
  printf("%s%-20s %-6s %-16s %-12s %8s %10s %10s %7s %14s  %-7s  %s\n", mark, "variant", "scope",
         "memory", "grid", "atoms", "A ms", "B ms", "ratio", "95%", "verdict", "config");
  for (size_t i = 0; i < c->n_cells; i++)
    print_cell(mark, &c->cells[i]);
  print_counts(mark, c);
}

/* ---- as CSV ---- */

static dcs_status write_cell(dcs_csv *csv, const dcs_compared *cell, bool forced) {
  for (int k = 0; k < DCS_N_KEYS; k++)
    dcs_csv_text(csv, cell->key[k]);
  dcs_csv_integer(csv, (int64_t)cell->ratio.n_a);
  dcs_csv_integer(csv, (int64_t)cell->ratio.n_b);
  dcs_csv_number(csv, cell->median_ns[0]);
  dcs_csv_number(csv, cell->median_ns[1]);
  dcs_csv_number(csv, cell->ratio.value);
  dcs_csv_number(csv, cell->ratio.lo);
  dcs_csv_number(csv, cell->ratio.hi);
  dcs_csv_text(csv, cell->outcome[0]);
  dcs_csv_text(csv, cell->outcome[1]);
  dcs_csv_text(csv, verdict(cell));
  dcs_csv_text(csv, forced ? "yes" : "no");
  return dcs_csv_row(csv);
}

static dcs_status write_csv(const dcs_comparison *c) {
  static const char *const columns[] = {"n_a",       "n_b",      "median_a_ns", "median_b_ns",
                                        "ratio",     "ratio_lo", "ratio_hi",    "outcome_a",
                                        "outcome_b", "verdict",  "forced"};
  dcs_csv csv = dcs_csv_stdout();
  for (int k = 0; k < DCS_N_KEYS; k++)
    dcs_csv_text(&csv, dcs_key_columns[k]);
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
    dcs_csv_text(&csv, columns[i]);
  DCS_TRY(dcs_csv_row(&csv));
  for (size_t i = 0; i < c->n_cells; i++)
    DCS_TRY(write_cell(&csv, &c->cells[i], c->forced));
  return DCS_OK;
}

/* ---- the command ---- */

static dcs_status compare(const arguments *a, dcs_comparison *c) {
  DCS_TRY(dcs_compare(a->folders, a->force, c));
  if (a->csv) {
    print_notes(stderr, "", c);
    DCS_TRY(write_csv(c));
  } else {
    print_table(a, c);
  }
  size_t slower = c->changes[DCS_CHANGE_SLOWER];
  if (slower == 0) return DCS_OK;
  return dcs_fail(DCS_FAILED, "%zu cell%s slower in %s than in %s%s", slower,
                  slower == 1 ? " is" : "s are", a->folders[1], a->folders[0],
                  c->forced ? " (forced: the runs are not comparable)" : "");
}

dcs_status dcs_command_compare(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"force", KEY_FORCE, NULL, 0, "compare runs that are not comparable; every line says so", 0},
      {"csv", KEY_CSV, NULL, 0, "write CSV; what differs goes to standard error", 0},
      {0}};
  static const struct argp argp = {
      .options = options,
      .parser = parse,
      .args_doc = "A B",
      .doc =
          "Did anything get slower from run A to run B? For each method, scope, memory, number of "
          "atoms "
          "and grid in both: the ratio of their times with its 95% interval, from the samples. "
          "SLOWER and FASTER: the whole interval is beyond 2%; SAME: it is within; UNSURE: "
          "neither, or fewer than 6 samples. Status 1 when any is SLOWER.\v"
          "Runs on another CPU, number of CPUs or GPU, or of other atoms or another grid spacing, "
          "are refused.\n\n"
          "The interval covers what happens within a run. Where the machine itself is faster at "
          "one time than at another, take the samples of both runs by turns: sweep --resume "
          "--rounds 1 into A, then into B, then --rounds 2 into A, and so on."};
  arguments a = {0};
  dcs_comparison comparison;
  argp_parse(&argp, argc, argv, 0, NULL, &a);
  dcs_status status = compare(&a, &comparison);
  dcs_comparison_free(&comparison);
  return status;
}
