/* Any bytes as one of two files that make a molecule. The first says how it is read: t beside a
 * topology, p beside places of two atoms, a digit alone in the format of that place in formats.def,
 * where that needs another. */
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

static dcs_status read_frame(const char *path, const dcs_reader *reader, int64_t frame) {
  const dcs_read_options how = {.frame = frame};
  dcs_molecule m = {0};
  dcs_content *content;
  FUZZ_EXPECT(dcs_content_open(path, &content) == DCS_OK);
  const dcs_status status = reader->read(content, &how, &m, fuzz_notes());
  if (status == DCS_OK) check(&m);
  dcs_content_close(content);
  dcs_molecule_free(&m);
  return status;
}

static void read_alone(const char *path, const dcs_reader *reader) {
  const int64_t most = reader->frames ? 3 : 1;
  if ((reader->gives & (DCS_PLACES | DCS_CHARGES)) == (DCS_PLACES | DCS_CHARGES)) return;
  for (int64_t frame = 1; frame <= most && read_frame(path, reader, frame) == DCS_OK; frame++)
    continue;
}

static dcs_status read_pair(const char *path, const char *other, int64_t frame) {
  const char *beside = fuzz_file(1, (const uint8_t *)other, strlen(other));
  const dcs_input input = {{path, beside}, {.frame = frame}};
  dcs_molecule m;
  const dcs_status status = dcs_molecule_read(&input, &m, fuzz_notes());
  if (status == DCS_OK) {
    FUZZ_EXPECT(m.n == 2 && m.gives == (m.gives | DCS_PLACES | DCS_CHARGES));
    check(&m);
  }
  dcs_molecule_free(&m);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const char *path = fuzz_file(0, data + 1, size - 1);
  const int format = data[0] - '0';
  if (data[0] == 't' && read_pair(path, psf, 0) == DCS_OK) (void)read_pair(path, psf, 2);
  if (data[0] == 'p') (void)read_pair(path, pdb, 0);
  if (format >= 0 && format < dcs_n_readers) read_alone(path, dcs_readers[format]);
  return 0;
}
