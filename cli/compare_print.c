/* What `dcsbench compare` prints: a table, or CSV. */
#include "cli/compare_print.h"

#include "harness/compare/interleave.h"
#include "harness/files/csv.h"

#include <math.h>
#include <string.h>

static const char *verdict(const dcs_compared *row) {
  return row->failed ? "NOT_OK" : dcs_change_name(row->change);
}

static bool is_disturbed(const dcs_compared *row) {
  return dcs_row_disturbed(row->row[0]) || dcs_row_disturbed(row->row[1]);
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

/* Whose times they are, with a space behind; of other programs' nobody knows. */
static const char *whose(dcs_backend backend) {
  return backend == DCS_CPU ? "CPU " : backend == DCS_GPU ? "GPU " : "";
}

/* A line for each scope of a backend whose ratios scatter more than its sessions do, or move from
 * size to size. */
static void print_scatter(FILE *out, const char *mark, dcs_backend backend,
                          const dcs_comparison *c) {
  for (size_t i = 0, seen = DCS_UNTIMED; i < c->n; i++) {
    const dcs_run_row *row = c->list[i].row[0];
    if (row->backend != backend || seen & row->scope || c->list[i].failed) continue;
    seen |= row->scope;
    const char *of = whose(backend), *scope = dcs_scope_name(row->scope);
    if (c->list[i].scatter > c->spread[backend].deviation)
      fprintf(out,
              "%s%sratios of scope %s scatter by %.2g%%: the machine changed its pace, or some "
              "methods changed: `compare --run` tells; that is in each interval, too\n",
              mark, of, scope, 100 * c->list[i].scatter);
    if (c->list[i].pace > dcs_spread_half(&c->spread[backend], 1, 1))
      fprintf(out,
              "%s%sratios of scope %s move together from size to size, by up to %.2g%%: the "
              "machine changed its pace, or all methods changed at some sizes: `compare --run` "
              "tells; that is in each interval, too\n",
              mark, of, scope, 100 * (exp(c->list[i].pace) - 1));
  }
}

/* What the intervals are of. */
static void print_spreads(FILE *out, const char *mark, const dcs_comparison *c) {
  if (c->interleaved)
    fprintf(out,
            "%smeasured in turns: intervals hold with 95%% each, SLOWER and FASTER with 95%% "
            "of all rows together\n",
            mark);
  for (dcs_backend backend = DCS_CPU; !c->interleaved && backend < DCS_N_BACKENDS; backend++) {
    const dcs_spread *s = &c->spread[backend];
    if (!c->any[backend]) continue;
    fprintf(out, "%sspread of %stimes between sessions, in each interval: %.2g%%, ", mark,
            whose(backend), 100 * s->deviation);
    if (s->source == DCS_SPREAD_SESSIONS)
      fprintf(out, "as between the sessions of these runs\n");
    else if (s->source == DCS_SPREAD_MACHINE)
      fprintf(out, "measured on this machine in %d sessions, %s\n", s->degrees + 1, s->date);
    else if (backend == DCS_NO_BACKEND)
      fprintf(out,
              "assumed: `sweep --method` that goes on with --resume, twice at least, tells it\n");
    else
      fprintf(out, "assumed: `dcsbench limits --sessions 10` measures it, `compare --run` does "
                   "without\n");
    print_scatter(out, mark, backend, c);
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
  printf("  %-7s  %s%s\n", verdict(row), of[0]->config, is_disturbed(row) ? "  disturbed" : "");
}

static size_t count_few(const dcs_comparison *c) {
  size_t few = 0;
  for (size_t i = 0; i < c->n; i++)
    few += !c->list[i].failed && isnan(c->list[i].ratio.lo);
  return few;
}

static void print_few(const char *mark, size_t few, bool interleaved) {
  const char *has = few == 1 ? "s" : "ve";
  if (few > 0 && interleaved)
    printf("%s%zu of the unsure ha%s samples of fewer than %d pairs of processes, too few for a "
           "verdict: measure with more budget, or with --rounds %d or fewer, each of which starts "
           "new ones\n",
           mark, few, has, DCS_PAIRED_BLOCKS, DCS_INTERLEAVE_BLOCKS);
  else if (few > 0)
    printf("%s%zu of the unsure ha%s fewer than %d samples, too few for a verdict: measure with "
           "--rounds %d or more, with budget enough for them\n",
           mark, few, has, DCS_RATIO_SAMPLES, DCS_RATIO_SAMPLES);
}

static void print_counts(const char *mark, const dcs_comparison *c) {
  size_t total = 0;
  for (int change = 0; change < DCS_N_CHANGES; change++)
    total += c->changes[change];
  printf("%s%zu compared: %zu slower, %zu faster, %zu same, %zu unsure; median ratio %.3f\n", mark,
         total, c->changes[DCS_CHANGE_SLOWER], c->changes[DCS_CHANGE_FASTER],
         c->changes[DCS_CHANGE_SAME], c->changes[DCS_CHANGE_UNSURE], c->median_ratio);
  print_few(mark, count_few(c), c->interleaved);
  size_t disturbed = 0;
  for (size_t i = 0; i < c->n; i++)
    disturbed += is_disturbed(&c->list[i]);
  if (disturbed > 0)
    printf(
        "%s%zu disturbed: in more than a quarter of their samples the machine did something else "
        "as well\n",
        mark, disturbed);
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

void dcs_print_comparison(const char *const sides[2], const dcs_comparison *c) {
  const char *mark = c->forced ? "forced  " : "";
  const int width = size_width(c);
  printf("%sA is %s, B is %s; ratio: time B / time A, with its 95%% interval\n", mark, sides[0],
         sides[1]);
  print_spreads(stdout, mark, c);
  print_notes(stdout, mark, c);
  printf("%s%-20s %-6s %-16s %-*s %10s %10s %7s %14s  %-7s  %s\n", mark, "variant", "scope",
         "memory", width, "size", "A ms", "B ms", "ratio", "95%", "verdict", "config");
  for (size_t i = 0; i < c->n; i++)
    print_row(mark, width, &c->list[i]);
  print_counts(mark, c);
}

void dcs_print_comparison_notes(FILE *out, const dcs_comparison *c) {
  print_spreads(out, "", c);
  print_notes(out, "", c);
}

/* ---- as CSV ---- */

static dcs_status write_row(dcs_csv *csv, const dcs_comparison *c, const dcs_compared *row) {
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
  dcs_csv_number(csv, c->interleaved || row->failed ? NAN : c->spread[of[0]->backend].deviation);
  dcs_csv_number(csv, c->interleaved || row->failed ? NAN : row->scatter);
  dcs_csv_number(csv, c->interleaved || row->failed ? NAN : row->pace);
  dcs_csv_number(csv, row->p);
  dcs_csv_text(csv, dcs_outcome_name(of[0]->outcome));
  dcs_csv_text(csv, dcs_outcome_name(of[1]->outcome));
  dcs_csv_text(csv, verdict(row));
  dcs_csv_text(csv, c->forced ? "yes" : "no");
  return dcs_csv_row(csv);
}

dcs_status dcs_write_comparison(const dcs_comparison *c) {
  static const char *const method[] = DCS_NAMES("variant", "config", "scope", "memory", "devices");
  static const char *const compared[] =
      DCS_NAMES("n_a", "n_b", "median_a_ns", "median_b_ns", "ratio", "ratio_lo", "ratio_hi",
                "spread", "scatter", "pace", "p", "outcome_a", "outcome_b", "verdict", "forced");
  dcs_csv csv = dcs_csv_stdout();
  dcs_csv_names(&csv, method);
  DCS_CSV_TEXTS(&csv, "problem", "problem_config");
  dcs_csv_names(&csv, dcs_size_axes(c->list[0].row[0]->size.kind)); /* the same of all */
  DCS_TRY(dcs_csv_header(&csv, compared));
  for (size_t i = 0; i < c->n; i++)
    DCS_TRY(write_row(&csv, c, &c->list[i]));
  return DCS_OK;
}
