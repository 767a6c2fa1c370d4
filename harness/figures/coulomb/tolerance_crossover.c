/* Maps to a tolerance: from how many atoms on one method overtakes another, against the tolerance.
 */
#include "harness/figures/coulomb/cutoff.h"

#include "kernels/coulomb/coulomb.h"

#include <math.h>
#include <string.h>

/* The tolerance that both methods of a threshold are held to; 0: not one, or no estimate. */
static double tolerance_of(const dcs_figure_thresholds *t, size_t row) {
  const char *config = dcs_table_text(t->thresholds, row, "problem_config_a");
  dcs_config values;
  if (!dcs_figure_on_axis(t, row) ||
      strcmp(dcs_table_text(t->thresholds, row, "scope"), dcs_scope_name(DCS_KERNEL)) != 0 ||
      strcmp(dcs_table_text(t->thresholds, row, "problem_config_b"), config) != 0 ||
      isnan(dcs_figure_number(t->thresholds, row, "estimate")) ||
      dcs_parse_problem(t->run->kind, config, &values) != DCS_OK)
    return 0;
  return values.value[DCS_COULOMB_TOLERANCE];
}

/* Whether two thresholds are of one line: the same methods, a the faster one below, and as much
 * fixed. */
static bool same_line(const dcs_figure_thresholds *t, size_t a, size_t b) {
  static const char *const columns[] = {"method_a", "method_b", "fixed", "shape"};
  for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++)
    if (strcmp(dcs_table_text(t->thresholds, a, columns[c]),
               dcs_table_text(t->thresholds, b, columns[c])) != 0)
      return false;
  return true;
}

static bool is_first(const dcs_figure_thresholds *t, size_t row) {
  if (!(tolerance_of(t, row) > 0)) return false;
  for (size_t other = 0; other < row; other++)
    if (tolerance_of(t, other) > 0 && same_line(t, row, other)) return false;
  return true;
}

/* A row of the line: tolerance, atoms, the interval; 1 where the status is not ok. */
static void put_point(FILE *dat, const dcs_figure_thresholds *t, size_t row) {
  const double estimate = dcs_figure_number(t->thresholds, row, "estimate"),
               lo = dcs_figure_number(t->thresholds, row, "lo"),
               hi = dcs_figure_number(t->thresholds, row, "hi");
  fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t%d\n", tolerance_of(t, row), estimate,
          isnan(lo) ? estimate : lo, isnan(hi) ? estimate : hi,
          strcmp(dcs_table_text(t->thresholds, row, "status"), "ok") != 0);
}

static void put_line(FILE *dat, const dcs_figure_thresholds *t, size_t first) {
  dcs_figure_series(dat, "%s over %s, %s", dcs_table_text(t->thresholds, first, "method_b"),
                    dcs_table_text(t->thresholds, first, "method_a"),
                    dcs_table_text(t->thresholds, first, "fixed"));
  for (size_t row = first; row < dcs_table_rows(t->thresholds); row++)
    if (tolerance_of(t, row) > 0 && same_line(t, first, row)) put_point(dat, t, row);
}

static void see(const dcs_figure_thresholds *t, size_t row, dcs_figure_seen *seen) {
  static const char *const columns[] = {"method_a", "method_b"};
  for (int c = 0; c < 2; c++)
    seen->drawn[strncmp(dcs_table_text(t->thresholds, row, columns[c]), "gpu", 3) == 0 ? DCS_GPU
                                                                                       : DCS_CPU] =
        true;
}

static dcs_status put_lines(FILE *dat, const dcs_figure_thresholds *t, char why[DCS_TEXT]) {
  const size_t rows = dcs_table_rows(t->thresholds);
  dcs_figure_seen seen = {0};
  for (size_t row = 0; row < rows; row++)
    if (tolerance_of(t, row) > 0) see(t, row, &seen);
  if (!seen.drawn[DCS_CPU] && !seen.drawn[DCS_GPU])
    return dcs_figure_skip(why, "no crossover point of two methods to one tolerance");
  dcs_figure_titles(dat, t->run, seen, "Crossover points against the error that is allowed");
  dcs_figure_line(dat, "hollow: status other than ok");
  for (size_t row = 0; row < rows; row++)
    if (is_first(t, row)) put_line(dat, t, row);
  return DCS_OK;
}

/* Of systems of one density; where there is no such crossover point, on each grid. */
dcs_status dcs_figure_tolerance_crossover(const dcs_figure_run *run, FILE *dat,
                                          char why[DCS_TEXT]) {
  const char *const axes[] = {"system", run->kind->dimensions[0].values};
  dcs_status status = DCS_OK;
  for (int a = 0; a < 2 && status == DCS_OK && (a == 0 || why[0]); a++) {
    dcs_figure_thresholds t;
    why[0] = '\0';
    status = dcs_figure_thresholds_open(run, axes[a], &t, why);
    if (status == DCS_OK && !why[0]) status = put_lines(dat, &t, why);
    dcs_figure_thresholds_close(&t);
  }
  return status;
}
