/* dispatch.csv, written. */
#include "tuning/dispatch/dispatch_columns.h"

#include "harness/base/decimal.h"

#include <math.h>
#include <stdio.h>

/* ---- columns ---- */

const char *const dcs_dispatch_columns[] = DCS_NAMES(DCS_DISPATCH_LIST(DCS_COLUMN_NAME));

enum { FIRST_AXIS = 2 }; /* among the columns of a size */

char *dcs_dispatch_axis_column(int axis, int end, char name[64]) {
  snprintf(name, 64, "%s_%s", dcs_size_columns[FIRST_AXIS + axis], end ? "most" : "least");
  return name;
}

int dcs_dispatch_axis(const dcs_kind *kind, int axis) {
  for (int a = 0; a < kind->n_axes; a++)
    if (strcmp(kind->axes[a], dcs_size_columns[FIRST_AXIS + axis]) == 0) return a;
  return -1;
}

char *dcs_dispatch_sum_text(uint64_t sum, char text[32]) {
  snprintf(text, 32, "%016llx", (unsigned long long)sum);
  return text;
}

/* ---- cells ---- */

typedef struct {
  dcs_csv csv;
  uint64_t sum; /* of the row's cells so far */
} writer;

static void put_text(writer *w, const char *text) {
  dcs_csv_text(&w->csv, text);
  w->sum = dcs_dispatch_sum(w->sum, text);
}

static void put_integer(writer *w, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  put_text(w, text);
}

/* NaN is empty. */
static void put_number(writer *w, double value) {
  char text[DCS_DECIMAL_TEXT];
  put_text(w, isnan(value) ? "" : dcs_decimal_write(value, text));
}

static dcs_status end_row(writer *w) {
  char text[32];
  dcs_csv_text(&w->csv, dcs_dispatch_sum_text(w->sum, text));
  w->sum = DCS_HASH_START;
  return dcs_csv_row(&w->csv);
}

/* ---- rows ---- */

static void put_tiling(writer *w, const dcs_tiling *shape) {
  for (int d = 0; d < 3; d++)
    put_integer(w, shape->tile[d]);
  put_integer(w, shape->slices);
  put_integer(w, shape->chunk);
  put_integer(w, shape->shares);
}

static void put_loss(writer *w, const dcs_loss *loss) {
  put_integer(w, loss->sizes);
  put_number(w, loss->mean);
  put_number(w, loss->p95);
  put_number(w, loss->worst);
}

static void put_axes(writer *w, const dcs_size *size) {
  for (int column = 0; column < DCS_DISPATCH_AXES; column++) {
    int axis = dcs_dispatch_axis(size->kind, column);
    if (axis >= 0)
      put_integer(w, size->axes[axis]);
    else
      put_text(w, "");
  }
}

static int count_rows(const dcs_dispatch *dispatch) {
  int rows = 0;
  for (int f = 0; f < dispatch->n_families; f++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      rows += dispatch->families[f].tables[s].n;
  return rows;
}

static dcs_status put(writer *w, const dcs_dispatch *dispatch, const dcs_dispatch_family *family,
                      int scope, int m) {
  const dcs_dispatch_table *table = &family->tables[scope];
  const dcs_dispatch_method *method = &table->list[m];
  const dcs_cost *cost = &method->cost;
  char config[DCS_TEXT];
  put_integer(w, DCS_DISPATCH_SCHEMA);
  put_integer(w, count_rows(dispatch));
  put_text(w, dcs_scope_name(dcs_dispatch_scopes[scope]));
  put_text(w, family->kind->id);
  put_text(w, dcs_format_problem(family->kind, &cost->least.config, config));
  put_text(w, dcs_format_problem(family->kind, &cost->most.config, config));
  put_text(w, method->variant->id);
  put_text(w, dcs_format_config(method->variant, &method->config, config));
  put_integer(w, method->sizes);
  put_integer(w, cost->inputs_least);
  put_tiling(w, &cost->shape);
  put_number(w, cost->sms);
  put_number(w, cost->resident);
  put_integer(w, table->held_out);
  put_loss(w, &table->loss);
  put_loss(w, &table->nearest);
  put_axes(w, &cost->least);
  put_axes(w, &cost->most);
  for (int t = 0; t < DCS_COST_TERMS; t++)
    put_number(w, cost->ns[t]);
  for (int f = 0; f < DCS_N_FOR; f++)
    put_text(w, dispatch->facts[f]);
  return end_row(w);
}

static dcs_status put_header(dcs_csv *csv) {
  char name[64];
  for (int c = 0; c < DCS_DISPATCH_COLUMNS; c++)
    dcs_csv_text(csv, dcs_dispatch_columns[c]);
  for (int end = 0; end < 2; end++)
    for (int axis = 0; axis < DCS_DISPATCH_AXES; axis++)
      dcs_csv_text(csv, dcs_dispatch_axis_column(axis, end, name));
  for (int t = 0; t < DCS_COST_TERMS; t++)
    dcs_csv_text(csv, dcs_cost_names[t]);
  for (int f = 0; f < DCS_N_FOR; f++)
    dcs_csv_text(csv, dcs_dispatch_facts[f]);
  dcs_csv_text(csv, DCS_DISPATCH_CHECKSUM);
  return dcs_csv_row(csv);
}

static dcs_status put_all(writer *w, const dcs_dispatch *dispatch) {
  DCS_TRY(put_header(&w->csv));
  for (int f = 0; f < dispatch->n_families; f++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      for (int m = 0; m < dispatch->families[f].tables[s].n; m++)
        DCS_TRY(put(w, dispatch, &dispatch->families[f], s, m));
  return DCS_OK;
}

dcs_status dcs_dispatch_write(const char *path, const dcs_dispatch *dispatch) {
  writer w = {.sum = DCS_HASH_START};
  DCS_TRY(dcs_csv_create(&w.csv, path));
  dcs_status status = put_all(&w, dispatch);
  if (status == DCS_OK) return dcs_csv_close(&w.csv);
  dcs_csv_abandon(&w.csv);
  return status;
}
