/* dispatch.csv, written. */
#include "tuning/dispatch/dispatch_row.h"

#include "harness/base/decimal.h"

#include <math.h>
#include <stdio.h>

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

static void put_number(writer *w, dcs_dispatch_number number) {
  char text[DCS_DECIMAL_TEXT];
  if (number.whole)
    put_integer(w, *number.whole);
  else
    put_text(w, number.real && !isnan(*number.real) ? dcs_decimal_write(*number.real, text) : "");
}

static dcs_status put(writer *w, const dcs_dispatch *dispatch, int n_rows, int scope,
                      dcs_dispatch_row *row) {
  const dcs_dispatch_method *method = &row->method;
  const dcs_kind *kind = method->cost.least.kind;
  char text[DCS_TEXT];
  w->sum = DCS_HASH_START;
  put_integer(w, DCS_DISPATCH_SCHEMA);
  put_integer(w, n_rows);
  put_text(w, dcs_scope_name(dcs_dispatch_scopes[scope]));
  put_text(w, kind->id);
  put_text(w, dcs_format_problem(kind, &method->cost.least.config, text));
  put_text(w, dcs_format_problem(kind, &method->cost.most.config, text));
  put_text(w, method->variant->id);
  put_text(w, dcs_format_config(method->variant, &method->config, text));
  for (int c = NUMBERS; c < FACTS; c++)
    put_number(w, dcs_dispatch_number_at(row, c));
  for (int f = 0; f < DCS_N_FOR; f++)
    put_text(w, dispatch->facts[f]);
  dcs_csv_text(&w->csv, dcs_dispatch_sum_text(w->sum, text));
  return dcs_csv_row(&w->csv);
}

static int count_rows(const dcs_dispatch *dispatch) {
  int rows = 0;
  for (int f = 0; f < dispatch->n_families; f++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
      rows += dispatch->families[f].tables[s].n;
  return rows;
}

static dcs_status put_all(writer *w, const dcs_dispatch *dispatch) {
  const int n_rows = count_rows(dispatch);
  char name[64];
  for (int c = 0; c < N_COLUMNS; c++)
    dcs_csv_text(&w->csv, dcs_dispatch_column(c, name));
  DCS_TRY(dcs_csv_row(&w->csv));
  for (int f = 0; f < dispatch->n_families; f++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++) {
      const dcs_dispatch_table *table = &dispatch->families[f].tables[s];
      for (int m = 0; m < table->n; m++)
        DCS_TRY(
            put(w, dispatch, n_rows, s,
                &(dcs_dispatch_row){table->list[m], table->held_out, table->loss, table->nearest}));
    }
  return DCS_OK;
}

dcs_status dcs_dispatch_write(const char *path, const dcs_dispatch *dispatch) {
  writer w;
  DCS_TRY(dcs_csv_create(&w.csv, path));
  return dcs_csv_finish(&w.csv, put_all(&w, dispatch));
}
