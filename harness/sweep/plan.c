/* Reading a plan file. */
#include "harness/sweep/sweep.h"

#include <stdlib.h>

dcs_status dcs_read_plan(const char *path, dcs_table **table, dcs_sweep_line **out, int *n) {
  static const char *const names[] = {"variants", "config", "atoms", "grid", "scope"};
  int columns[5];
  DCS_TRY(dcs_table_read(path, table));
  dcs_status status = DCS_OK;
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
    lines[l].cutoff = dcs_table_cell(*table, (size_t)l, dcs_table_column(*table, "cutoff"));
    lines[l].smooth = dcs_table_cell(*table, (size_t)l, dcs_table_column(*table, "smooth"));
  }
  if (status == DCS_OK) {
    *out = lines;
    return DCS_OK;
  }
  free(lines);
  dcs_table_free(*table);
  return status;
}
