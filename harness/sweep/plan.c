/* Reading a plan file. */
#include "harness/sweep/sweep.h"

#include <stdlib.h>

/* A column that is passed over would be a plan measured otherwise than it says. */
static dcs_status check_columns(const dcs_table *table) {
  static const char *const names[] = {"variants", "config", "atoms",   "grid",
                                      "scope",    "memory", "problem", "problem_config"};
  size_t known = 0;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    known += dcs_table_column(table, names[i]) >= 0;
  if (known == dcs_table_columns(table)) return DCS_OK;
  return dcs_fail(
      DCS_INPUT,
      "%s: row 1: found %zu columns that no plan has; expected variants, config, atoms, "
      "grid, scope and, as needed, memory, problem, problem_config",
      dcs_table_path(table), dcs_table_columns(table) - known);
}

dcs_status dcs_read_plan(const char *path, dcs_table **table, dcs_sweep_line **out, int *n) {
  static const char *const names[] = {"variants", "config", "atoms", "grid", "scope"};
  int columns[5];
  DCS_TRY(dcs_table_read(path, table));
  dcs_status status = check_columns(*table);
  for (int c = 0; status == DCS_OK && c < 5; c++)
    status = dcs_table_need(*table, names[c], &columns[c]);
  *n = (int)dcs_table_rows(*table);
  if (status == DCS_OK && *n == 0)
    status = dcs_fail(DCS_INPUT, "%s: no rows; expected at least one line of a plan", path);
  dcs_sweep_line *lines = calloc((size_t)*n + 1, sizeof *lines);
  if (status == DCS_OK && !lines) status = dcs_fail(DCS_UNAVAILABLE, "no memory for a plan");
  for (int l = 0; status == DCS_OK && l < *n; l++) {
    const char **texts[5] = {&lines[l].variants, &lines[l].config, &lines[l].atoms, &lines[l].grid,
                             &lines[l].scope};
    for (int c = 0; c < 5; c++)
      *texts[c] = dcs_table_cell(*table, (size_t)l, columns[c]);
    lines[l].memory = dcs_table_cell(*table, (size_t)l, dcs_table_column(*table, "memory"));
    lines[l].problem = dcs_table_cell(*table, (size_t)l, dcs_table_column(*table, "problem"));
    lines[l].problem_config =
        dcs_table_cell(*table, (size_t)l, dcs_table_column(*table, "problem_config"));
  }
  if (status == DCS_OK) {
    *out = lines;
    return DCS_OK;
  }
  free(lines);
  dcs_table_free(*table);
  return status;
}
