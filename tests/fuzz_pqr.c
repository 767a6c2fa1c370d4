/* Any bytes as a PQR file. */
#include "harness/input/molecule.h"
#include "tests/fuzz.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dcs_molecule m;
  double edge[3];
  bool found;
  const char *path = fuzz_file(0, data, size);
  if (dcs_molecule_read(DCS_INPUT_FILE(path), &m, fuzz_notes()) == DCS_OK) FUZZ_EXPECT(m.n > 0);
  for (int64_t i = 0; i < m.n; i++)
    FUZZ_EXPECT(isfinite(m.sites[i].x) && isfinite(m.sites[i].y) && isfinite(m.sites[i].z) &&
                isfinite(m.sites[i].q));
  if (dcs_molecule_edges(&m, path, edge, &found) == DCS_OK && found)
    FUZZ_EXPECT(edge[0] > 0 && edge[1] > 0 && edge[2] > 0);
  dcs_molecule_free(&m);
  return 0;
}
