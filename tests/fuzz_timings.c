/* Any bytes as timings that another program took: read or refused, and told apart into sizes and
 * configurations as the format says or, behind a first byte of n, as a user does. */
#include "harness/timings/timings.h"
#include "tests/fuzz.h"

static void arrange(dcs_timings *timings, const char *sizes) {
  const dcs_kind *kind;
  if (dcs_timings_arrange(timings, sizes, &kind) != DCS_OK) return;
  for (size_t i = 0; i < timings->n; i++) {
    FUZZ_EXPECT(timings->list[i].config);
    for (int a = 0; a < kind->n_axes; a++)
      FUZZ_EXPECT(timings->list[i].axes[a] >= 1);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dcs_timings timings;
  if (size == 0) return 0;
  const char *path = fuzz_file(0, data + 1, size - 1);
  if (dcs_timings_read(path, &timings) == DCS_OK) {
    FUZZ_EXPECT(timings.n > 0);
    for (size_t i = 0; i < timings.n; i++)
      FUZZ_EXPECT(timings.list[i].outcome != DCS_OUTCOME_OK || timings.list[i].time_ns > 0);
    arrange(&timings, data[0] == 'n' ? "n" : NULL);
  }
  dcs_timings_free(&timings);
  return 0;
}
