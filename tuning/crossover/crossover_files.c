/* The files of crossover: thresholds.csv, and winners.csv with the sizes behind them. */
#include "tuning/crossover/crossover.h"

#include "harness/judge/ratio.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const dcs_crossover_kinds[DCS_N_CROSSOVER_KINDS] = {"atoms", "points", "plane"};

static dcs_status put_header(dcs_csv *csv, const char *const *columns) {
  for (; *columns; columns++)
    dcs_csv_text(csv, *columns);
  return dcs_csv_row(csv);
}

/* ---- thresholds.csv ---- */

/* Of what is within a cutoff; else empty. */
static void put_cutoff(dcs_csv *csv, const dcs_measured *m, const dcs_pair *pair) {
  const bool within = dcs_pair_within(pair);
  dcs_csv_text(csv, within ? m->cutoff : "");
  dcs_csv_text(csv, within ? m->smooth : "");
}

static dcs_status put_threshold(dcs_csv *csv, const dcs_measured *m, const dcs_crossover *c) {
  char shape[DCS_TEXT];
  dcs_csv_text(csv, dcs_crossover_kinds[c->kind]);
  dcs_csv_text(csv, c->pair->scope);
  dcs_csv_text(csv, dcs_crossover_method(c, 0));
  dcs_csv_text(csv, dcs_crossover_method(c, 1));
  dcs_csv_text(csv, dcs_crossover_fixed(c));
  dcs_csv_text(csv, dcs_crossover_shape(c, shape));
  dcs_csv_integer(csv, (int64_t)c->threshold.sizes);
  dcs_csv_number(csv, c->threshold.estimate);
  dcs_csv_number(csv, c->threshold.lo);
  dcs_csv_number(csv, c->threshold.hi);
  dcs_csv_text(csv, dcs_threshold_status_name(c->threshold.status));
  dcs_csv_number(csv, c->threshold.regret_mean);
  dcs_csv_number(csv, c->threshold.regret_worst);
  put_cutoff(csv, m, c->pair);
  return dcs_csv_row(csv);
}

dcs_status dcs_crossovers_put(dcs_csv *csv, const dcs_crossovers *found) {
  static const char *const columns[] = {
      "axis", "scope", "method_a", "method_b",    "fixed",        "shape",  "sizes",  "estimate",
      "lo",   "hi",    "status",   "regret_mean", "regret_worst", "cutoff", "smooth", NULL};
  DCS_TRY(put_header(csv, columns));
  for (size_t i = 0; i < found->n; i++)
    DCS_TRY(put_threshold(csv, &found->measured, &found->list[i]));
  return DCS_OK;
}

/* ---- winners.csv ---- */

/* The times of a method in a cell, sorted; the caller frees them. */
static double *sorted_times(const dcs_best *best, dcs_stats *stats) {
  double *times = malloc(best->n * sizeof *times);
  if (!times) return NULL;
  memcpy(times, best->times, best->n * sizeof *times);
  *stats = dcs_summarize(times, best->n);
  return times;
}

static void put_method(dcs_csv *csv, const dcs_run *run, const dcs_best *best, dcs_stats stats) {
  const dcs_table *table = run->summary.table;
  dcs_csv_text(csv, dcs_table_cell(table, best->row, run->summary.key[DCS_KEY_VARIANT]));
  dcs_csv_text(csv, dcs_table_cell(table, best->row, run->summary.key[DCS_KEY_CONFIG]));
  dcs_csv_integer(csv, (int64_t)stats.n);
  dcs_csv_number(csv, stats.median);
  dcs_csv_number(csv, stats.lo);
  dcs_csv_number(csv, stats.hi);
}

static void put_size(dcs_csv *csv, const dcs_measured_cell *cell) {
  char shape[DCS_TEXT];
  dcs_csv_integer(csv, (int64_t)cell->x[DCS_AXIS_ATOMS]);
  dcs_csv_integer(csv, cell->n.x);
  dcs_csv_integer(csv, cell->n.y);
  dcs_csv_integer(csv, cell->n.z);
  dcs_csv_integer(csv, (int64_t)cell->x[DCS_AXIS_POINTS]);
  for (int kind = 0; kind < DCS_N_SHAPE_KINDS; kind++)
    dcs_csv_text(csv, dcs_shape_text(dcs_shape_of(cell->n, (dcs_shape_kind)kind), shape));
}

static dcs_status put_winner(dcs_csv *csv, const dcs_measured *m, const dcs_pair *pair,
                             const dcs_measured_cell *cell) {
  const dcs_best *best[2] = {&cell->best[pair->class[0]], &cell->best[pair->class[1]]};
  if (isnan(best[0]->median_ns) || isnan(best[1]->median_ns) || best[0]->row == best[1]->row)
    return DCS_OK;
  dcs_stats stats[2];
  double *times[2] = {sorted_times(best[0], &stats[0]), sorted_times(best[1], &stats[1])};
  if (!times[0] || !times[1]) {
    free(times[0]);
    free(times[1]);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for the times of a size");
  }
  dcs_ratio ratio = dcs_ratio_of_times(times[0], best[0]->n, times[1], best[1]->n);
  free(times[0]);
  free(times[1]);
  dcs_csv_text(csv, pair->scope);
  dcs_csv_text(csv, pair->method[0]);
  dcs_csv_text(csv, pair->method[1]);
  put_size(csv, cell);
  for (int side = 0; side < 2; side++)
    put_method(csv, &m->run, best[side], stats[side]);
  dcs_csv_number(csv, ratio.value);
  dcs_csv_number(csv, ratio.lo);
  dcs_csv_number(csv, ratio.hi);
  dcs_csv_text(csv, ratio.lo > 1 ? pair->method[0] : ratio.hi < 1 ? pair->method[1] : "unsure");
  put_cutoff(csv, m, pair);
  return dcs_csv_row(csv);
}

static dcs_status put_winners(dcs_csv *csv, const dcs_crossovers *found) {
  static const char *const columns[] = {
      "scope",    "method_a",    "method_b",     "atoms",           "nx",        "ny",
      "nz",       "points",      "shape_slices", "shape_multiples", "variant_a", "config_a",
      "n_a",      "median_a_ns", "ci_lo_a_ns",   "ci_hi_a_ns",      "variant_b", "config_b",
      "n_b",      "median_b_ns", "ci_lo_b_ns",   "ci_hi_b_ns",      "ratio",     "ratio_lo",
      "ratio_hi", "winner",      "cutoff",       "smooth",          NULL};
  const dcs_measured *m = &found->measured;
  DCS_TRY(put_header(csv, columns));
  for (int p = 0; p < DCS_N_PAIRS; p++)
    for (size_t i = 0; i < m->n_cells; i++)
      DCS_TRY(put_winner(csv, m, &dcs_pairs[p], &m->cells[i]));
  return DCS_OK;
}

/* ---- both ---- */

static dcs_status write_file(const char *folder, const char *name, const dcs_crossovers *found,
                             dcs_status (*put)(dcs_csv *csv, const dcs_crossovers *found)) {
  char path[4096];
  dcs_csv csv;
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
    return dcs_fail(DCS_USAGE, "the folder's name is too long");
  DCS_TRY(dcs_csv_create(&csv, path));
  dcs_status status = put(&csv, found);
  if (status == DCS_OK) return dcs_csv_close(&csv);
  dcs_csv_abandon(&csv);
  return status;
}

dcs_status dcs_crossovers_write(const char *folder, const dcs_crossovers *found) {
  DCS_TRY(write_file(folder, "winners.csv", found, put_winners));
  return write_file(folder, "thresholds.csv", found, dcs_crossovers_put);
}
