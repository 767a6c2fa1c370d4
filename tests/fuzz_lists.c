/* Lists, grids, problems, frames and selections of atoms as people type them; the first byte says
 * of what. */
#include "harness/base/text.h"
#include "harness/frames/frames.h"
#include "harness/frames/selection.h"
#include "harness/problems/problem.h"
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

/* Each problem once, and its own text means it again. */
static void problems(const char *text, const dcs_kind *kind) {
  dcs_config *list;
  int n;
  if (dcs_parse_problems(kind, text, &list, &n) == DCS_OK) FUZZ_EXPECT(n > 0);
  for (int i = 0; i < n; i++) {
    char own[DCS_TEXT];
    dcs_config again;
    for (int j = 0; j < i && n < 100; j++)
      FUZZ_EXPECT(!dcs_same_problem(kind, &list[i], &list[j]));
    dcs_format_problem(kind, &list[i], own);
    FUZZ_EXPECT(dcs_parse_problem(kind, own, &again) == DCS_OK);
    FUZZ_EXPECT(dcs_same_problem(kind, &list[i], &again));
  }
  free(list);
}

static void frames(const char *text) {
  dcs_frame_range range;
  if (dcs_parse_frames(text, &range) == DCS_OK)
    FUZZ_EXPECT(range.first >= 1 && range.step >= 1 &&
                (range.last == 0 || range.last >= range.first) && range.last < INT64_MAX / 2 &&
                range.step < INT64_MAX / 2);
}

static void atoms(const char *text) {
  static dcs_name names[] = {{"N"}, {"CA"}, {"CB"}, {"C"}, {"O"}, {"N"}, {"CA"}, {""}};
  static dcs_molecule m = {.n = sizeof names / sizeof names[0], .names = names};
  dcs_selection chosen;
  const dcs_status status = dcs_select_atoms(text, &m, &chosen);
  FUZZ_EXPECT((status == DCS_OK) == (chosen.n > 0) && (chosen.n > 0) == (chosen.atoms != NULL));
  for (int64_t i = 0; i < chosen.n; i++)
    FUZZ_EXPECT(chosen.atoms[i] >= (i ? chosen.atoms[i - 1] + 1 : 0) && chosen.atoms[i] < m.n);
  free(chosen.atoms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  char *text = fuzz_text(data + 1, size - 1);
  if (data[0] == 'i') integers(text);
  if (data[0] == 'g') grids(text);
  if (data[0] == 'c') problems(text, dcs_kinds[0]);
  if (data[0] == 'd') problems(text, dcs_kinds[dcs_n_kinds - 1]);
  if (data[0] == 'f') frames(text);
  if (data[0] == 's') atoms(text);
  free(text);
  return 0;
}
