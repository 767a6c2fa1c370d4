/* dcsbench compare */
#include "harness/compare/compare.h"
#include "cli/commands.h"
#include "harness/files/folder.h"
#include "tuning/report/report.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *folders[2], *page;
  bool force, csv, html;
} arguments;

static dcs_status take_html(const char *arg, void *values) {
  arguments *a = values;
  a->html = true;
  a->page = arg;
  return DCS_OK;
}

static const dcs_option options[] = {
    {"force", 'f', NULL, "compare runs that are not comparable; every line says so",
     DCS_FLAG(arguments, force)},
    {"csv", 'c', NULL, "write CSV; what differs goes to standard error", DCS_FLAG(arguments, csv)},
    {"html", 0, "FILE", "write a page of both, side by side, too (B/compare.html)",
     .take = take_html, .arg_optional = true},
    {0}};

static const char *verdict(const dcs_compared *row) {
  return row->failed ? "NOT_OK" : dcs_change_name(row->change);
}

/* What is to be known beside the rows. `mark` begins each line. */
static void print_notes(FILE *out, const char *mark, const dcs_comparison *c) {
  for (size_t d = 0; d < c->n_differences; d++)
    fprintf(out, "%s%s: %s: A \"%s\", B \"%s\"\n", mark,
            c->differences[d].incomparable ? "not comparable" : "differs", c->differences[d].key,
            c->differences[d].value[0], c->differences[d].value[1]);
  for (int r = 0; r < 2; r++)
    for (int t = 0; t < 3; t++) {
      const dcs_table *tables[] = {c->runs[r].env, c->runs[r].samples, c->runs[r].summary};
      if (dcs_table_torn(tables[t]))
        fprintf(out, "%s%s: the last row was cut off and is left out\n", mark,
                dcs_table_path(tables[t]));
      if (t == 1 && c->runs[r].n_loose > 0)
        fprintf(out, "%s%s: %zu samples of rows that the sweep did not finish are left out\n", mark,
                dcs_table_path(tables[t]), c->runs[r].n_loose);
    }
}

/* ---- as a table ---- */

static void print_row(const char *mark, int width, const dcs_compared *row) {
  char size[DCS_TEXT], interval[32] = "";
  const dcs_run_row *const *of = row->row;
  printf("%s%-20s %-6s %-16s %-*s ", mark, of[0]->variant, dcs_scope_name(of[0]->scope),
         of[0]->memory, width, dcs_size_text(&of[0]->size, size));
  if (row->failed) {
    snprintf(interval, sizeof interval, "A %s, B %s", dcs_outcome_name(of[0]->outcome),
             dcs_outcome_name(of[1]->outcome));
    printf("%44s", interval);
  } else {
    if (!isnan(row->ratio.lo))
      snprintf(interval, sizeof interval, "%.3f..%.3f", row->ratio.lo, row->ratio.hi);
    printf("%10.4g %10.4g %7.3f %14s", 1e-6 * row->median_ns[0], 1e-6 * row->median_ns[1],
           row->ratio.value, interval);
  }
  printf("  %-7s  %s\n", verdict(row), of[0]->config);
}

static size_t count_few(const dcs_comparison *c) {
  size_t few = 0;
  for (size_t i = 0; i < c->n; i++)
    few += !c->list[i].failed && isnan(c->list[i].ratio.lo);
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

static int size_width(const dcs_comparison *c) {
  size_t width = 0;
  char size[DCS_TEXT];
  for (size_t i = 0; i < c->n; i++) {
    dcs_size_text(&c->list[i].row[0]->size, size);
    if (strlen(size) > width) width = strlen(size);
  }
  return (int)width;
}

static void print_table(const arguments *a, const dcs_comparison *c) {
  const char *mark = c->forced ? "forced  " : "";
  const int width = size_width(c);
  printf("%sA is %s, B is %s; ratio: time B / time A, with its 95%% interval\n", mark,
         a->folders[0], a->folders[1]);
  print_notes(stdout, mark, c);
  printf("%s%-20s %-6s %-16s %-*s %10s %10s %7s %14s  %-7s  %s\n", mark, "variant", "scope",
         "memory", width, "size", "A ms", "B ms", "ratio", "95%", "verdict", "config");
  for (size_t i = 0; i < c->n; i++)
    print_row(mark, width, &c->list[i]);
  print_counts(mark, c);
}

/* ---- as CSV ---- */

static dcs_status write_row(dcs_csv *csv, const dcs_compared *row, bool forced) {
  const dcs_run_row *const *of = row->row;
  dcs_csv_text(csv, of[0]->variant);
  dcs_csv_text(csv, of[0]->config);
  dcs_csv_text(csv, dcs_scope_name(of[0]->scope));
  dcs_csv_text(csv, of[0]->memory);
  dcs_csv_text(csv, of[0]->devices);
  dcs_size_put(csv, &of[0]->size);
  dcs_csv_integer(csv, (int64_t)row->ratio.n_a);
  dcs_csv_integer(csv, (int64_t)row->ratio.n_b);
  dcs_csv_number(csv, row->median_ns[0]);
  dcs_csv_number(csv, row->median_ns[1]);
  dcs_csv_number(csv, row->ratio.value);
  dcs_csv_number(csv, row->ratio.lo);
  dcs_csv_number(csv, row->ratio.hi);
  dcs_csv_text(csv, dcs_outcome_name(of[0]->outcome));
  dcs_csv_text(csv, dcs_outcome_name(of[1]->outcome));
  dcs_csv_text(csv, verdict(row));
  dcs_csv_text(csv, forced ? "yes" : "no");
  return dcs_csv_row(csv);
}

static dcs_status write_csv(const dcs_comparison *c) {
  static const char *const method[] = DCS_NAMES("variant", "config", "scope", "memory", "devices");
  static const char *const compared[] =
      DCS_NAMES("n_a", "n_b", "median_a_ns", "median_b_ns", "ratio", "ratio_lo", "ratio_hi",
                "outcome_a", "outcome_b", "verdict", "forced");
  dcs_csv csv = dcs_csv_stdout();
  dcs_csv_names(&csv, method);
  dcs_csv_names(&csv, dcs_size_columns);
  DCS_TRY(dcs_csv_header(&csv, compared));
  for (size_t i = 0; i < c->n; i++)
    DCS_TRY(write_row(&csv, &c->list[i], c->forced));
  return DCS_OK;
}

/* ---- as a page ---- */

static dcs_status write_page(const arguments *a, const dcs_comparison *c) {
  char path[4096];
  DCS_TRY(dcs_path_in(a->folders[1], "compare.html", path));
  DCS_TRY(dcs_compare_page(c, a->page ? a->page : path));
  fprintf(a->csv ? stderr : stdout, "%s\n", a->page ? a->page : path);
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
  if (a->html) DCS_TRY(write_page(a, c));
  size_t slower = c->changes[DCS_CHANGE_SLOWER];
  if (slower == 0) return DCS_OK;
  return dcs_fail(DCS_FAILED, "%zu row%s slower in %s than in %s%s", slower,
                  slower == 1 ? " is" : "s are", a->folders[1], a->folders[0],
                  c->forced ? " (forced: the runs are not comparable)" : "");
}

dcs_status dcs_command_compare(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "A B",
      .doc =
          "Did anything get slower from run A to run B? For each method, scope, memory and size in "
          "both: the ratio of their times with its 95% interval, from the samples. "
          "SLOWER and FASTER: the whole interval is beyond 2%; SAME: it is within; UNSURE: "
          "neither, or fewer than 6 samples. Status 1 when any is SLOWER.\v"
          "Runs on another CPU, number of CPUs or GPU, or of other atoms or another grid spacing, "
          "are refused.\n\n"
          "The interval covers what happens within a run. Where the machine itself is faster at "
          "one time than at another, interleave the samples of both runs: sweep --resume "
          "--rounds 1 into A, then into B, then --rounds 2 into A, and so on.",
      .place = DCS_PLACE(arguments, folders[0], const char *),
      .words = 2,
      .missing = "two run folders are needed: before and after"};
  arguments a = {0};
  dcs_comparison comparison;
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){NULL}));
  dcs_status status = compare(&a, &comparison);
  dcs_comparison_free(&comparison);
  return status;
}
