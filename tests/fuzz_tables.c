/* Any bytes as a table of another program's. The first says which: p points of the user's, r what
 * two ranks of a job printed. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  if (data[0] == 'p') points(data + 1, size - 1);
  if (data[0] == 'r') ranks(data + 1, size - 1);
  return 0;
}
