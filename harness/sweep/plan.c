/* Reading a plan file. */
#include "harness/sweep/sweep.h"

#include <stdlib.h>

/* In the order of dcs_sweep_line; a plan has the first NEEDED at least. */
static const char *const names[] = DCS_NAMES("variants", "config", "atoms", "grid", "scope",
                                             "memory", "problem", "problem_config");
enum { N_COLUMNS = sizeof names / sizeof names[0] - 1, NEEDED = 5 };

/* A column that is passed over would be a plan measured otherwise than it says. */
static dcs_status find_columns(const dcs_table *table, int columns[N_COLUMNS]) {
  size_t known = 0;
  for (int c = 0; c < N_COLUMNS; c++) {
    columns[c] = dcs_table_column(table, names[c]);
    known += columns[c] >= 0;
  }
  if (known < dcs_table_columns(table))
    return dcs_fail(
        DCS_INPUT,
        "%s: row 1: found %zu columns that no plan has; expected variants, config, atoms, "
        "grid, scope and, as needed, memory, problem, problem_config",
        dcs_table_path(table), dcs_table_columns(table) - known);
  for (int c = 0; c < NEEDED; c++)
    DCS_TRY(dcs_table_need(table, names[c], &columns[c]));
  return DCS_OK;
}

static dcs_status read_lines(const dcs_table *table, dcs_sweep_line **lines, int *n) {
  int columns[N_COLUMNS];
  DCS_TRY(find_columns(table, columns));
  *n = (int)dcs_table_rows(table);
  if (*n == 0)
    return dcs_fail(DCS_INPUT, "%s: no rows; expected at least one line of a plan",
                    dcs_table_path(table));
  *lines = calloc((size_t)*n, sizeof **lines);
  if (!*lines) return dcs_fail(DCS_UNAVAILABLE, "no memory for a plan");
  for (int l = 0; l < *n; l++) {
    const char *texts[N_COLUMNS];
    for (int c = 0; c < N_COLUMNS; c++)
      texts[c] = dcs_table_cell(table, (size_t)l, columns[c]);
    (*lines)[l] = (dcs_sweep_line){texts[0], texts[1], texts[2], texts[3],
                                   texts[4], texts[5], texts[6], texts[7]};
  }
  return DCS_OK;
}

dcs_status dcs_read_plan(const char *path, dcs_table **table, dcs_sweep_line **lines, int *n) {
  DCS_TRY(dcs_table_read_whole(path, table));
  dcs_status status = read_lines(*table, lines, n);
  if (status != DCS_OK) dcs_table_free(*table);
  return status;
}
