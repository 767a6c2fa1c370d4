/* Any bytes as one of two files that make a molecule: alone in each format that needs another, and
 * beside a topology and places of two atoms. */
#include "harness/input/molecule.h"
#include "tests/fuzz.h"

#include <math.h>

static const char psf[] = "PSF\n 2 !NATOM\n 1 A 1 B C D 1.0 2.0 0\n 2 A 2 B C D -1.0 2.0 0\n";
static const char pdb[] = "ATOM      1  C   B   A   1       1.000   2.000   3.000\n"
                          "ATOM      2  C   B   A   2       4.000   5.000   6.000\n";

static void check(const dcs_molecule *m) {
  FUZZ_EXPECT(m->n > 0);
  for (int64_t i = 0; i < m->n; i++)
    FUZZ_EXPECT(isfinite(m->sites[i].x) && isfinite(m->sites[i].y) && isfinite(m->sites[i].z) &&
                isfinite(m->sites[i].q) && isfinite(m->sites[i].radius));
  for (int axis = 0; axis < 3; axis++)
    FUZZ_EXPECT(isfinite(m->cell.edge[axis]) && isfinite(m->cell.angle[axis]));
}

static void read_alone(const char *path, const dcs_reader *reader, int64_t frame) {
  const dcs_read_options how = {.frame = frame};
  dcs_molecule m = {0};
  dcs_content *content;
  FUZZ_EXPECT(dcs_content_open(path, &content) == DCS_OK);
  if (reader->read(content, &how, &m, fuzz_notes()) == DCS_OK) check(&m);
  dcs_content_close(content);
  dcs_molecule_free(&m);
}

static void read_pair(const char *path, const char *other, int64_t frame) {
  const char *beside = fuzz_file(1, (const uint8_t *)other, strlen(other));
  const dcs_input input = {{path, beside}, {.frame = frame}};
  dcs_molecule m;
  if (dcs_molecule_read(&input, &m, fuzz_notes()) == DCS_OK) {
    FUZZ_EXPECT(m.n == 2 && m.gives == (m.gives | DCS_PLACES | DCS_CHARGES));
    check(&m);
  }
  dcs_molecule_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_file(0, data, size);
  for (int r = 0; r < dcs_n_readers; r++)
    if ((dcs_readers[r]->gives & (DCS_PLACES | DCS_CHARGES)) != (DCS_PLACES | DCS_CHARGES))
      for (int64_t frame = 1; frame <= (dcs_readers[r]->frames ? 3 : 1); frame++)
        read_alone(path, dcs_readers[r], frame);
  read_pair(path, psf, 0);
  read_pair(path, psf, 2);
  read_pair(path, pdb, 0);
  return 0;
}
