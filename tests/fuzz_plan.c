/* Any bytes as a plan, and what a sweep makes of it. */
#include "harness/problems/methods.h"
#include "harness/sweep/cells.h"
#include "harness/sweep/sweep.h"
#include "tests/fuzz_cells.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_file(0, data, size);
  dcs_table *table;
  dcs_sweep_line *lines;
  int n;
  if (dcs_read_plan(path, &table, &lines, &n) != DCS_OK) return 0;
  FUZZ_EXPECT(n > 0);
  dcs_facts facts = {0};
  const dcs_molecule none = {0};
  dcs_cells cells;
  dcs_sweep_options options = {.lines = lines, .n_lines = n, .plan = path, .budget_s = size % 2};
  if (dcs_expand_cells(&options, &none, true, &facts, &cells) == DCS_OK) FUZZ_EXPECT(cells.n > 0);
  dcs_cells_free(&cells);
  free(lines);
  dcs_table_free(table);
  return 0;
}
