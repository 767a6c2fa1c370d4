/* Any bytes as a file of frames; the first is how many atoms they have. What is read one after
 * another is what is read out of order. */
#include "harness/frames/frames.h"
#include "tests/fuzz.h"

#include <math.h>

enum { MOST_ATOMS = 16, MOST_FRAMES = 64 };

typedef struct {
  double places[3 * MOST_ATOMS];
} kept;

/* Whether a frame is there; a failure ends what is read. */
static bool next(dcs_frames *frames, int64_t n, int64_t number, kept *to) {
  dcs_frame frame = {.places = to->places};
  bool found;
  memset(to, 0, sizeof *to);
  if (dcs_frames_next(frames, &frame, &found) != DCS_OK) return false;
  if (!found) return false;
  FUZZ_EXPECT(frame.number == number);
  for (int64_t i = 0; i < 3 * n; i++)
    FUZZ_EXPECT(isfinite(to->places[i]));
  return true;
}

static void read_all(dcs_frames *frames, int64_t n) {
  static kept in_order[MOST_FRAMES], again;
  const int64_t count = dcs_frames_count(frames);
  int64_t there = 0;
  FUZZ_EXPECT(count != 0);
  while (there < MOST_FRAMES && next(frames, n, there + 1, &in_order[there]))
    there++;
  FUZZ_EXPECT(there > 0 && (count < 0 || there <= count));
  for (int64_t i = there - 1; i >= 0; i -= 2) {
    FUZZ_EXPECT(dcs_frames_seek(frames, i) == DCS_OK);
    FUZZ_EXPECT(next(frames, n, i + 1, &again));
    FUZZ_EXPECT(memcmp(&again, &in_order[i], sizeof again) == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const dcs_molecule top = {.n = 1 + data[0] % MOST_ATOMS};
  const char *path = fuzz_file(0, data + 1, size - 1);
  dcs_frames *frames;
  if (dcs_frames_open(&path, 1, &top, NULL, fuzz_notes(), &frames) == DCS_OK)
    read_all(frames, top.n);
  dcs_frames_close(frames);
  return 0;
}
