#include "harness/problems/size.h"

#include "harness/base/grow.h"
#include "harness/base/text.h"
#include "harness/problems/external.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The axes of all kinds, as far as there are any. */
const char *const dcs_size_columns[] = {"problem", "problem_config", "atoms", "nx", "ny", "nz",
                                        NULL};
enum { PROBLEM, PROBLEM_CONFIG, FIRST_AXIS };

/* The axis of the kind that has the column, or -1. */
static int axis_of(const dcs_kind *kind, const char *column) {
  for (int a = 0; a < kind->n_axes; a++)
    if (strcmp(kind->axes[a], column) == 0) return a;
  return -1;
}

void dcs_size_put(dcs_csv *csv, const dcs_size *size) {
  char text[DCS_TEXT];
  dcs_csv_text(csv, size->kind->id);
  dcs_csv_text(csv, dcs_format_problem(size->kind, &size->config, text));
  dcs_size_put_axes(csv, size);
}

const char *const *dcs_size_axes(const dcs_kind *kind) {
  return kind->made_of ? kind->axes : dcs_size_columns + FIRST_AXIS;
}

void dcs_size_put_axes(dcs_csv *csv, const dcs_size *size) {
  for (const char *const *column = dcs_size_axes(size->kind); *column; column++) {
    int axis = axis_of(size->kind, *column);
    if (axis >= 0)
      dcs_csv_integer(csv, size->axes[axis]);
    else
      dcs_csv_empty(csv);
  }
}

double dcs_size_axis(const dcs_size *size, const char *column) {
  const int axis = axis_of(size->kind, column);
  return axis < 0 ? NAN : (double)size->axes[axis];
}

dcs_status dcs_size_find(const dcs_table *table, dcs_size_at *at) {
  for (int a = 0; a < DCS_MAX_DIMENSIONS; a++)
    at->made[a] = dcs_table_column(table, dcs_external_axes[a]);
  for (int c = 0; c < DCS_SIZE_COLUMNS; c++)
    if (c < FIRST_AXIS || at->made[0] < 0)
      DCS_TRY(dcs_table_need(table, dcs_size_columns[c], &at->column[c]));
    else
      at->column[c] = -1;
  return DCS_OK;
}

static dcs_status wrong(const dcs_table *table, size_t row, const dcs_size_at *at, int c,
                        const char *expected) {
  return dcs_table_wrong(table, row, dcs_size_columns[c], at->column[c], expected);
}

static dcs_status read_axis(const dcs_table *table, size_t row, const char *column, int at,
                            dcs_size *size) {
  const char *cell = dcs_table_cell(table, row, at);
  int axis = axis_of(size->kind, column);
  if (axis < 0 && !*cell) return DCS_OK;
  if (axis < 0)
    return dcs_table_wrong(table, row, column, at, "nothing: the problem has no such axis");
  if (dcs_parse_integer(column, cell, 1, DCS_MOST_ALONG, &size->axes[axis]) == DCS_OK)
    return DCS_OK;
  return dcs_table_wrong(table, row, column, at, "a whole number, 1 to 2^40");
}

static dcs_status read_kind(const dcs_table *table, size_t row, const dcs_size_at *at,
                            dcs_size *size) {
  char again[DCS_TEXT];
  const char *id = dcs_table_cell(table, row, at->column[PROBLEM]),
             *config = dcs_table_cell(table, row, at->column[PROBLEM_CONFIG]);
  const bool made = at->made[0] >= 0;
  *size = (dcs_size){.kind = made ? NULL : dcs_find_kind(id)};
  if (made && strcmp(id, DCS_EXTERNAL) == 0) {
    if (dcs_external_kind(config, &size->kind) == DCS_OK) return DCS_OK;
    return wrong(table, row, at, PROBLEM_CONFIG, "the names of its axes");
  }
  if (!size->kind)
    return wrong(table, row, at, PROBLEM,
                 made ? DCS_EXTERNAL ", as in every file with its axes"
                      : "a problem that `dcsbench list` shows");
  const dcs_status status = dcs_parse_problem(size->kind, config, &size->config);
  if (status == DCS_UNAVAILABLE) return status; /* no memory, which says nothing of the cell */
  if (status == DCS_OK && strcmp(dcs_format_problem(size->kind, &size->config, again), config) == 0)
    return DCS_OK;
  return wrong(table, row, at, PROBLEM_CONFIG,
               "values of the problem's parameters that are not initial, in order");
}

dcs_status dcs_size_read(const dcs_table *table, size_t row, const dcs_size_at *at,
                         dcs_size *size) {
  DCS_TRY(read_kind(table, row, at, size));
  const char *const *axes = dcs_size_axes(size->kind);
  const int *column = size->kind->made_of ? at->made : at->column + FIRST_AXIS;
  for (int a = 0; axes[a]; a++)
    DCS_TRY(read_axis(table, row, axes[a], column[a], size));
  for (int d = 0; d < size->kind->n_dimensions; d++)
    if (dcs_along(size, d) > (double)DCS_MOST_ALONG)
      return wrong(table, row, at, FIRST_AXIS + size->kind->dimensions[d].first,
                   "a grid of at most 2^40 points");
  return DCS_OK;
}

dcs_size dcs_size_of(const dcs_kind *kind, const dcs_config *config, int64_t atoms, dcs_dims grid) {
  dcs_size size = {kind, *config, {0}};
  for (int d = 0; d < kind->n_dimensions; d++) {
    const int64_t axes[3] = {grid.x, grid.y, grid.z}, first = kind->dimensions[d].first;
    if (kind->dimensions[d].n == 1)
      size.axes[first] = atoms;
    else
      memcpy(&size.axes[first], axes, sizeof axes);
  }
  return size;
}

/* ---- comparing ---- */

bool dcs_same_axes(const dcs_size *a, const dcs_size *b) {
  return a->kind == b->kind && memcmp(a->axes, b->axes, sizeof a->axes) == 0;
}

bool dcs_same_size(const dcs_size *a, const dcs_size *b) {
  return dcs_same_axes(a, b) && dcs_same_problem(a->kind, &a->config, &b->config);
}

static int order_of(double a, double b) {
  return (a > b) - (a < b);
}

int dcs_compare_sizes(const dcs_size *a, const dcs_size *b) {
  int order = strcmp(a->kind->id, b->kind->id);
  if (order == 0 && a->kind != b->kind) order = strcmp(a->kind->made_of, b->kind->made_of);
  for (int axis = 1; order == 0 && axis < a->kind->n_axes; axis++)
    order = order_of((double)a->axes[axis], (double)b->axes[axis]);
  if (order == 0) order = order_of((double)a->axes[0], (double)b->axes[0]);
  for (int p = 0; order == 0 && p < a->kind->n_params; p++)
    order = order_of(a->config.value[p], b->config.value[p]);
  return order;
}

/* ---- dimensions ---- */

double dcs_along(const dcs_size *size, int dimension) {
  if (dimension >= size->kind->n_dimensions) return NAN;
  const dcs_dimension *d = &size->kind->dimensions[dimension];
  double product = 1;
  for (int a = d->first; a < d->first + d->n; a++)
    product *= (double)size->axes[a];
  return product;
}

char *dcs_dimension_text(const dcs_size *size, int dimension, char text[64]) {
  const dcs_dimension *d = &size->kind->dimensions[dimension];
  text[0] = '\0';
  for (int a = d->first; a < d->first + d->n; a++)
    dcs_append(text, 64, "%s%lld", a > d->first ? "x" : "", (long long)size->axes[a]);
  return text;
}

void dcs_size_words(const dcs_size *size, char atoms[64], char grid[64]) {
  atoms[0] = grid[0] = '\0';
  for (int d = 0; d < size->kind->n_dimensions; d++)
    dcs_dimension_text(size, d, size->kind->dimensions[d].n == 1 ? atoms : grid);
}

bool dcs_same_along(const dcs_size *a, const dcs_size *b, int dimension) {
  const dcs_dimension *d = &a->kind->dimensions[dimension];
  return a->kind == b->kind &&
         memcmp(a->axes + d->first, b->axes + d->first, (size_t)d->n * sizeof a->axes[0]) == 0;
}

bool dcs_has_density(const dcs_kind *kind) {
  return kind->n_dimensions == 2 && kind->dimensions[0].n == 1 && kind->dimensions[1].n == 3;
}

double dcs_density_of(const dcs_size *size) {
  return dcs_along(size, 0) / dcs_along(size, 1);
}

bool dcs_same_density(double a, double b) {
  return a <= 1.1 * b && b <= 1.1 * a;
}

dcs_dims dcs_size_points(const dcs_size *size) {
  for (int d = 0; d < size->kind->n_dimensions; d++) {
    const dcs_dimension *grid = &size->kind->dimensions[d];
    const int64_t *n = size->axes + grid->first;
    if (grid->n == 3) return (dcs_dims){n[0], n[1], n[2]};
  }
  return (dcs_dims){size->kind->n_buffers > 0 ? dcs_size_inputs(size) : 1, 1, 1};
}

/* ---- work ---- */

/* Two numbers at random in 0..length are nearer than `half` with that probability. */
static double share_along(int64_t n, double spacing, double half) {
  const double length = spacing * (double)(n > 1 ? n - 1 : 1);
  const double beyond = half < length ? 1 - half / length : 0;
  return 1 - beyond * beyond;
}

double dcs_all_evals(const dcs_size *size) {
  double all = dcs_evals_an_atom(size->kind);
  for (int d = 0; d < size->kind->n_dimensions; d++)
    all *= dcs_along(size, d);
  return dcs_has_grid(size->kind) ? all : all * (double)dcs_size_points(size).x;
}

double dcs_estimate(const dcs_size *size, double spacing, const int64_t tile[3]) {
  const dcs_kind *kind = size->kind;
  if (kind->estimate) return kind->estimate(&size->config, dcs_size_inputs(size));
  const double half = /* cube root of pi / 6 */
      kind->range ? 0.80599597700823 * kind->range(&size->config) : 0;
  const dcs_dims n = dcs_size_points(size);
  const int64_t edges[3] = {n.x, n.y, n.z};
  double all = dcs_all_evals(size);
  for (int d = 0; half > 0 && d < 3; d++)
    all *=
        share_along(edges[d], spacing, half + 0.5 * spacing * (double)((tile ? tile[d] : 1) - 1));
  return all;
}

/* ---- texts ---- */

int64_t dcs_size_inputs(const dcs_size *size) {
  for (int d = 0; d < size->kind->n_dimensions; d++)
    if (size->kind->dimensions[d].n == 1) return size->axes[size->kind->dimensions[d].first];
  return 1;
}

double dcs_problem_range(const dcs_kind *kind, const dcs_config *config) {
  return kind->range ? kind->range(config) : 0;
}

dcs_problem dcs_size_problem(const dcs_size *size, double spacing) {
  return (dcs_problem){.n_inputs = dcs_size_inputs(size),
                       .n = dcs_size_points(size),
                       .spacing = (float)spacing,
                       .given_spacing = spacing,
                       .config = size->config};
}

char *dcs_size_text(const dcs_size *size, char text[DCS_TEXT]) {
  char value[64], config[DCS_TEXT];
  text[0] = '\0';
  if (size->kind->n_dimensions == 0) return dcs_append(text, DCS_TEXT, "%s", size->kind->what);
  for (int d = 0; d < size->kind->n_dimensions; d++) {
    const dcs_dimension *dimension = &size->kind->dimensions[d];
    dcs_dimension_text(size, d, value);
    if (size->kind->made_of) /* a name of the user's reads best so */
      dcs_append(text, DCS_TEXT, "%s%.60s=%s", d ? ", " : "", dimension->name, value);
    else
      dcs_append(text, DCS_TEXT, "%s%s%s%s", d ? ", " : "", value, dimension->n == 1 ? " " : "",
                 dimension->n == 1 ? dimension->name : "");
  }
  if (size->kind->made_of) return text;
  dcs_format_problem(size->kind, &size->config, config);
  return dcs_append(text, DCS_TEXT, "%s%.100s", *config ? ", " : "", config);
}

char *dcs_size_options(const dcs_size *size, char text[DCS_TEXT]) {
  char value[64];
  text[0] = '\0';
  if (size->kind != dcs_kinds[0]) dcs_append(text, DCS_TEXT, "--problem %s ", size->kind->id);
  for (int d = 0; d < size->kind->n_dimensions; d++)
    dcs_append(text, DCS_TEXT, "%s--%s %s", d ? " " : "", size->kind->dimensions[d].name,
               dcs_dimension_text(size, d, value));
  for (int p = 0; p < size->kind->n_params; p++) {
    const dcs_param *param = &size->kind->params[p];
    char number[32];
    if (size->config.value[p] != param->initial)
      dcs_append(text, DCS_TEXT, " --%s %s", param->name,
                 dcs_format_value(param, size->config.value[p], number));
  }
  return text;
}
