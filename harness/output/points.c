#include "harness/output/points.h"

#include "harness/files/csv.h"
#include "harness/output/field.h"

#include <math.h>
#include <stdlib.h>

/* ---- reading ---- */

/* One of both names. */
static dcs_status find_columns(const dcs_table *table, int columns[3]) {
  static const char *const names[3][2] = {
      {"x", "x_angstrom"}, {"y", "y_angstrom"}, {"z", "z_angstrom"}};
  for (int axis = 0; axis < 3; axis++) {
    const int other = dcs_table_column(table, names[axis][0]);
    columns[axis] = dcs_table_column(table, names[axis][1]);
    if (columns[axis] >= 0 && other >= 0)
      return dcs_fail(DCS_INPUT, "%s: found both columns %s and %s; expected one of them",
                      dcs_table_path(table), names[axis][0], names[axis][1]);
    if (columns[axis] < 0) DCS_TRY(dcs_table_need(table, names[axis][0], &columns[axis]));
  }
  return DCS_OK;
}

static dcs_status take_points(const dcs_table *table, dcs_point *points) {
  int columns[3];
  DCS_TRY(find_columns(table, columns));
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    double *to[3] = {&points[row].x, &points[row].y, &points[row].z};
    for (int axis = 0; axis < 3; axis++) {
      *to[axis] = dcs_table_number(table, row, columns[axis]);
      if (!isfinite(*to[axis]))
        return dcs_table_wrong(table, row, dcs_table_header(table, columns[axis]), columns[axis],
                               "a coordinate, angstrom");
    }
  }
  return DCS_OK;
}

dcs_status dcs_points_read(const char *path, dcs_point **points, int64_t *n) {
  dcs_table *table;
  *points = NULL;
  DCS_TRY(dcs_table_read(path, &table));
  dcs_status status = DCS_OK;
  *n = (int64_t)dcs_table_rows(table);
  if (*n == 0 || dcs_table_torn(table))
    status = dcs_fail(DCS_INPUT, "%s: found %s; expected points, a row each", path,
                      *n ? "a last row without its end" : "no rows");
  if (status == DCS_OK && !(*points = malloc((size_t)*n * sizeof **points)))
    status = dcs_fail(DCS_UNAVAILABLE, "no memory for %lld points", (long long)*n);
  if (status == DCS_OK) status = take_points(table, *points);
  dcs_table_free(table);
  if (status == DCS_OK) return DCS_OK;
  free(*points);
  *points = NULL;
  return status;
}

/* ---- values ---- */

static dcs_status sum_at(const dcs_case *c, const double (*places)[3], int64_t n, dcs_sums *sums,
                         double *values, int64_t *n_on_atoms) {
  DCS_TRY(dcs_case_values(c, places, n, dcs_case_largest(c), sums));
  *n_on_atoms = 0;
  for (int64_t i = 0; i < n; i++) {
    values[i] = sums[i].v;
    *n_on_atoms += sums[i].nearest < 1e-6 * c->spacing;
  }
  return DCS_OK;
}

dcs_status dcs_points_values(const dcs_case *c, const dcs_point *points, int64_t n, double *values,
                             int64_t *n_on_atoms) {
  double(*places)[3] = malloc((size_t)n * sizeof *places);
  dcs_sums *sums = malloc((size_t)n * sizeof *sums);
  for (int64_t i = 0; places && i < n; i++) {
    places[i][0] = points[i].x - c->origin[0];
    places[i][1] = points[i].y - c->origin[1];
    places[i][2] = points[i].z - c->origin[2];
  }
  dcs_status status = places && sums
                          ? sum_at(c, (const double(*)[3])places, n, sums, values, n_on_atoms)
                          : dcs_fail(DCS_UNAVAILABLE, "no memory for %lld points", (long long)n);
  free(places);
  free(sums);
  return status;
}

/* ---- writing ---- */

static dcs_status put_points(dcs_csv *csv, const dcs_point *points, int64_t n, const double *values,
                             const char *units, double factor) {
  const char *names[5];
  dcs_point_columns(units, names);
  DCS_TRY(dcs_csv_header(csv, names));
  for (int64_t i = 0; i < n; i++) {
    DCS_CSV_NUMBERS(csv, points[i].x, points[i].y, points[i].z, values[i] * factor);
    DCS_TRY(dcs_csv_row(csv));
  }
  return DCS_OK;
}

dcs_status dcs_points_write(const char *path, const dcs_point *points, int64_t n,
                            const double *values, const char *units, double factor) {
  dcs_csv csv = dcs_csv_stdout();
  if (!path) return put_points(&csv, points, n, values, units, factor);
  DCS_TRY(dcs_csv_create(&csv, path));
  return dcs_csv_finish(&csv, put_points(&csv, points, n, values, units, factor));
}
