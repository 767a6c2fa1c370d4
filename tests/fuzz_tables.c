/* Any bytes as a table of a user, of another program, or of what was measured before. The first
 * says which: p points, r what two ranks of a job printed, s spreads between sessions. */
#include "harness/compare/spread.h"
#include "harness/output/points.h"
#include "tests/fuzz_cells.h"
#include "tuning/scale/scale.h"

#include <math.h>

enum { RANKS = 2 };

static void points(const uint8_t *data, size_t size) {
  dcs_point *found;
  int64_t n;
  if (dcs_points_read(fuzz_file(0, data, size), &found, &n) == DCS_OK) FUZZ_EXPECT(n > 0);
  for (int64_t i = 0; found && i < n; i++)
    FUZZ_EXPECT(isfinite(found[i].x) && isfinite(found[i].y) && isfinite(found[i].z));
  free(found);
}

static void ranks(const uint8_t *data, size_t size) {
  const dcs_scale_point point = {.ranks = RANKS};
  dcs_scale_run run = {0};
  char *text = fuzz_text(data, size);
  if (dcs_scale_read_ranks(text, &point, &run) == DCS_OK)
    FUZZ_EXPECT(run.parts >= 0 && run.sent_parts <= run.parts && run.most_parts >= 0 &&
                run.steps >= 0 && run.slices >= 0 && run.wall_s >= 0 && run.computing_s >= 0 &&
                run.communicating_s >= 0 && run.reading_s >= 0 && run.hidden_s >= 0);
  free(text);
}

/* On a machine of which the table has a row. */
static void spreads(const uint8_t *data, size_t size) {
  static const char facts[] = "key,value\ncpu_model,x\ncpus,2\ngpu_name,y\n";
  static dcs_run run;
  dcs_spread spread;
  bool found;
  if (!run.env) FUZZ_EXPECT(dcs_table_parse("env", facts, sizeof facts - 1, &run.env) == DCS_OK);
  const char *path = fuzz_file(0, data, size);
  for (int backend = 0; backend < 2; backend++)
    if (dcs_spread_find(path, &run, backend ? DCS_GPU : DCS_CPU, &spread, &found) == DCS_OK &&
        found)
      FUZZ_EXPECT(spread.degrees >= 2 && spread.deviation >= 0 && isfinite(spread.deviation));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  if (data[0] == 'p') points(data + 1, size - 1);
  if (data[0] == 'r') ranks(data + 1, size - 1);
  if (data[0] == 's') spreads(data + 1, size - 1);
  return 0;
}
