/* Any bytes as a plan, and what a sweep makes of it. */
#include "harness/base/text.h"
#include "harness/problems/methods.h"
#include "harness/sweep/sizes.h"
#include "harness/sweep/sweep.h"
#include "tests/fuzz_cells.h"

/* How many sizes the lines ask for; where they are no sizes, those that can be read. */
static int64_t sizes_of(const dcs_sweep_line *lines, int n) {
  int64_t sizes = 0, *atoms;
  dcs_dims *grids;
  for (int l = 0; l < n; l++) {
    int n_atoms = 1, n_grids = 1;
    if (lines[l].atoms &&
        dcs_parse_integers("atoms", lines[l].atoms, 0, INT32_MAX, &atoms, &n_atoms) == DCS_OK)
      free(atoms);
    if (lines[l].grid && dcs_parse_grids(lines[l].grid, &grids, &n_grids) == DCS_OK) free(grids);
    sizes += (int64_t)n_atoms * n_grids;
  }
  return sizes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_file(0, data, size);
  dcs_table *table;
  dcs_sweep_line *lines;
  int n;
  if (dcs_read_plan(path, &table, &lines, &n) != DCS_OK) return 0;
  FUZZ_EXPECT(n > 0);
  dcs_facts facts = {0};
  const bool many = sizes_of(lines, n) > 100; /* most would go to what takes long and is the same */
  const dcs_molecule none = {0};
  dcs_sweep_sizes sizes;
  dcs_sweep_options options = {.lines = lines, .n_lines = n, .plan = path, .budget_s = size % 2};
  if (!many || size % 64 == 0) {
    if (dcs_expand_sizes(&options, &none, true, &facts, &sizes) == DCS_OK) FUZZ_EXPECT(sizes.n > 0);
    dcs_sweep_sizes_free(&sizes);
  }
  free(lines);
  dcs_table_free(table);
  return 0;
}
