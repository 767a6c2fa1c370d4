/* Lists, grids and cutoffs as people type them; the first byte says of what. */
#include "harness/base/text.h"
#include "tests/fuzz.h"

#include <string.h>

static void integers(const char *text) {
  int64_t *values;
  int n;
  if (dcs_parse_integers("list", text, 1, INT64_MAX, &values, &n) == DCS_OK) FUZZ_EXPECT(n > 0);
  for (int i = 0; i < n; i++) {
    FUZZ_EXPECT(values[i] >= 1);
    for (int j = 0; j < i && n < 100; j++)
      FUZZ_EXPECT(values[i] != values[j]);
  }
  free(values); /* as every caller does, whatever the status */
}

static void grids(const char *text) {
  dcs_dims *list;
  int n;
  if (dcs_parse_grids(text, &list, &n) == DCS_OK) FUZZ_EXPECT(n > 0);
  for (int i = 0; i < n; i++)
    FUZZ_EXPECT(list[i].x >= 1 && list[i].y >= 1 && list[i].z >= 1);
  free(list);
}

static void cutoffs(const char *text) {
  double *values;
  int n;
  if (dcs_parse_cutoffs("list", text, &values, &n) == DCS_OK) FUZZ_EXPECT(n > 0);
  for (int i = 0; i < n; i++)
    FUZZ_EXPECT(values[i] >= 1e-6 && values[i] <= 1e6);
  free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  char *text = fuzz_text(data + 1, size - 1);
  if (data[0] == 'i') integers(text);
  if (data[0] == 'g') grids(text);
  if (data[0] == 'c') cutoffs(text);
  free(text);
  return 0;
}
