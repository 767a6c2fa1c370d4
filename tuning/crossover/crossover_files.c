/* The files of crossover: thresholds.csv, and winners.csv with the sizes behind them. */
#include "tuning/crossover/crossover.h"

#include "harness/files/folder.h"
#include "harness/problems/case.h"

/* ---- thresholds.csv ---- */

static void put_problem(dcs_csv *csv, const dcs_size *problem) {
  char config[DCS_TEXT];
  dcs_csv_text(csv, dcs_format_problem(problem->kind, &problem->config, config));
}

static dcs_status put_threshold(dcs_csv *csv, const dcs_measured *m, const dcs_crossover *c) {
  const dcs_threshold *t = &c->threshold;
  char text[DCS_TEXT];
  DCS_CSV_TEXTS(csv, dcs_crossover_axis(c), dcs_scope_name(c->pair->scope), c->like->size.kind->id);
  for (int which = 0; which < 2; which++) {
    dcs_csv_text(csv, dcs_crossover_method(m, c, which));
    put_problem(csv, dcs_crossover_problem(m, c, which));
  }
  dcs_csv_text(csv, dcs_crossover_fixed(c, text));
  dcs_csv_text(csv, dcs_crossover_shape(c, text));
  DCS_CSV_NUMBERS(csv, (double)t->sizes, t->estimate, t->lo, t->hi);
  dcs_csv_text(csv, dcs_threshold_status_name(t->status));
  DCS_CSV_NUMBERS(csv, t->regret_mean, t->regret_worst, dcs_crossover_model_error(m, c));
  DCS_CSV_TEXTS(csv, dcs_crossover_gaps(m, c, text), dcs_crossover_card(m, c));
  return dcs_csv_row(csv);
}

dcs_status dcs_crossovers_put(dcs_csv *csv, const dcs_crossovers *found) {
  static const char *const columns[] =
      DCS_NAMES("axis", "scope", "problem", "method_a", "problem_config_a", "method_b",
                "problem_config_b", "fixed", "shape", "sizes", "estimate", "lo", "hi", "status",
                "regret_mean", "regret_worst", "model_error", "gaps", "gpu_reference");
  DCS_TRY(dcs_csv_header(csv, columns));
  for (size_t i = 0; i < found->n; i++)
    DCS_TRY(put_threshold(csv, &found->measured, &found->list[i]));
  return DCS_OK;
}

/* ---- winners.csv ---- */

static void put_method(dcs_csv *csv, const dcs_run_row *best) {
  DCS_CSV_TEXTS(csv, best->variant, best->config);
  DCS_CSV_NUMBERS(csv, (double)best->stats.n, best->stats.median, best->stats.lo, best->stats.hi);
}

static void put_size(dcs_csv *csv, const dcs_size *size) {
  const dcs_dims n = dcs_size_points(size);
  char shape[DCS_TEXT];
  dcs_size_put_axes(csv, size);
  dcs_csv_integer(csv, dcs_points(n));
  for (int kind = 0; kind < DCS_N_SHAPE_KINDS; kind++)
    dcs_csv_text(csv, dcs_shape_text(dcs_shape_of(n, (dcs_shape_kind)kind), shape));
}

static dcs_status put_winner(dcs_csv *csv, const dcs_measured *m, const dcs_pair *pair,
                             const dcs_measured_size *at) {
  const dcs_run_row *best[2] = {dcs_best(at, pair, 0), dcs_best(at, pair, 1)};
  if (!best[0] || !best[1] || best[0] == best[1]) return DCS_OK;
  const dcs_ratio ratio = dcs_row_ratio(best[0], best[1]);
  DCS_CSV_TEXTS(csv, dcs_scope_name(pair->scope), at->size.kind->id);
  for (int side = 0; side < 2; side++) {
    dcs_csv_text(csv, dcs_class_name(m, pair->problem[side], pair->class[side]));
    put_problem(csv, &m->problems[pair->problem[side]]);
  }
  put_size(csv, &at->size);
  for (int side = 0; side < 2; side++)
    put_method(csv, best[side]);
  DCS_CSV_NUMBERS(csv, ratio.value, ratio.lo, ratio.hi);
  dcs_csv_text(csv, ratio.lo > 1 ? "a" : ratio.hi < 1 ? "b" : "unsure");
  return dcs_csv_row(csv);
}

static dcs_status put_winners(dcs_csv *csv, const dcs_crossovers *found) {
  static const char *const pair[] =
      DCS_NAMES("scope", "problem", "method_a", "problem_config_a", "method_b", "problem_config_b");
  static const char *const columns[] = {
      "points",   "shape_slices", "shape_multiples", "variant_a",  "config_a",
      "n_a",      "median_a_ns",  "ci_lo_a_ns",      "ci_hi_a_ns", "variant_b",
      "config_b", "n_b",          "median_b_ns",     "ci_lo_b_ns", "ci_hi_b_ns",
      "ratio",    "ratio_lo",     "ratio_hi",        "winner",     NULL};
  const dcs_measured *m = &found->measured;
  dcs_csv_names(csv, pair);
  dcs_csv_names(csv, dcs_size_axes(m->problems[0].kind));
  DCS_TRY(dcs_csv_header(csv, columns));
  for (size_t p = 0; p < m->n_pairs; p++)
    for (size_t i = 0; i < m->n_sizes; i++)
      DCS_TRY(put_winner(csv, m, &m->pairs[p], &m->sizes[i]));
  return DCS_OK;
}

/* ---- both ---- */

static dcs_status write_file(const char *folder, const char *name, const dcs_crossovers *found,
                             dcs_status (*put)(dcs_csv *csv, const dcs_crossovers *found)) {
  char path[4096];
  dcs_csv csv;
  DCS_TRY(dcs_path_in(folder, name, path));
  DCS_TRY(dcs_csv_create(&csv, path));
  return dcs_csv_finish(&csv, put(&csv, found));
}

dcs_status dcs_crossovers_write(const char *folder, const dcs_crossovers *found) {
  DCS_TRY(write_file(folder, "winners.csv", found, put_winners));
  return write_file(folder, "thresholds.csv", found, dcs_crossovers_put);
}
