/* What cells weigh, and what that gives them of the time. */
#include "harness/sweep/cells.h"

double dcs_cell_weight(const dcs_cell *cell) {
  double weight = 0;
  for (int r = 0; r < cell->n_records; r++) {
    const dcs_record *record = &cell->records[r];
    weight += dcs_estimate(&record->size, record->spacing, NULL) + 1e8;
  }
  return weight;
}

double dcs_cell_share(const dcs_cells *cells, int c) {
  double left = 0;
  for (int later = c; later < cells->n; later++)
    left += dcs_cell_weight(&cells->list[later]);
  return 0.5 * dcs_cell_weight(&cells->list[c]) / left + 0.5 / (cells->n - c);
}

void dcs_cells_light_first(dcs_cells *cells) {
  for (int c = 1; c < cells->n; c++) {
    dcs_cell cell = cells->list[c];
    int at = c;
    for (; at > 0 && dcs_cell_weight(&cells->list[at - 1]) > dcs_cell_weight(&cell); at--)
      cells->list[at] = cells->list[at - 1];
    cells->list[at] = cell;
  }
}
