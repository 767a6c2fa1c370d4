/* Any bytes as the checkpoint of a mean: gone on from or refused, and then nothing of it is kept.
 * The first says whether variances were asked for (v); a last word that begins with SEAL is made
 * the checksum that the bytes before it should have. */
#include "harness/base/hash.h"
#include "library/frames/average.h"
#include "tests/fuzz.h"

enum { POINTS = 3, FRAMES = 200 };

/* The checksum of a file (average_file.c), in the place of a last word "SEAL....". */
static void seal(uint8_t *file, size_t size) {
  uint64_t sum = DCS_HASH_START;
  const size_t end = size - 8, odd = end % 8;
  for (size_t at = 0; at + 8 <= end; at += 8) {
    uint64_t word;
    memcpy(&word, file + at, 8);
    sum = (sum ^ word) * 0x100000001b3u;
    sum ^= sum >> 29;
  }
  sum = dcs_hash(sum, file + end - odd, odd);
  memcpy(file + end, &sum, 8);
}

static void check_empty(const dcs_average *a) {
  FUZZ_EXPECT(dcs_average_merged(a) == 0 && dcs_average_frames(a) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const dcs_average_job job = {7, "coulomb", "cpu_gather", "1"};
  dcs_average *a;
  bool found;
  if (size < 9) return 0;
  uint8_t *file = (uint8_t *)fuzz_text(data + 1, size - 1);
  if (memcmp(file + size - 9, "SEAL", 4) == 0) seal(file, size - 1);
  const bool variance = data[0] == 'v';
  FUZZ_EXPECT(dcs_average_open(POINTS, variance, FRAMES, &a) == DCS_OK);
  if (dcs_average_read(a, fuzz_file(0, file, size - 1), &job, &found) == DCS_OK) {
    float mean[POINTS], other[POINTS];
    FUZZ_EXPECT(found && dcs_average_merged(a) >= 0);
    (void)dcs_average_finish(a, mean, variance ? other : NULL, NULL);
  } else {
    check_empty(a);
  }
  dcs_average_close(a);
  free(file);
  return 0;
}
