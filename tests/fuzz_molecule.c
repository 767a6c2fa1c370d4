/* Any bytes as the file of a molecule: in the format that they have, in each by its name, and
 * compressed. */
#include "harness/input/molecule.h"
#include "tests/fuzz.h"

#include <math.h>
#include <zlib.h>

static void check(const dcs_molecule *m) {
  double edge[3];
  bool found;
  FUZZ_EXPECT(m->n > 0);
  for (int64_t i = 0; i < m->n; i++)
    FUZZ_EXPECT(isfinite(m->sites[i].x) && isfinite(m->sites[i].y) && isfinite(m->sites[i].z) &&
                isfinite(m->sites[i].q) && isfinite(m->sites[i].radius));
  if (dcs_molecule_edges(m, "molecule", edge, &found) == DCS_OK && found)
    FUZZ_EXPECT(edge[0] > 0 && edge[1] > 0 && edge[2] > 0);
}

static void read_chosen(const char *path, dcs_read_options how) {
  const dcs_input input = {{path}, how};
  dcs_molecule m;
  if (dcs_molecule_read(&input, &m, fuzz_notes()) == DCS_OK) check(&m);
  dcs_molecule_free(&m);
}

/* What is compressed is the same molecule; what is compressed in itself is none. */
static void read_packed(const uint8_t *data, size_t size, dcs_status status,
                        const dcs_molecule *plain) {
  dcs_molecule m;
  z_stream z = {.next_in = (uint8_t *)data, .avail_in = (unsigned)size};
  FUZZ_EXPECT(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  const size_t room = deflateBound(&z, size);
  uint8_t *packed = malloc(room);
  FUZZ_EXPECT(packed);
  z.next_out = packed;
  z.avail_out = (unsigned)room;
  FUZZ_EXPECT(deflate(&z, Z_FINISH) == Z_STREAM_END);
  const bool twice = (status == DCS_OK && (data[0] == 0x1f || data[0] == 0x78)) ||
                     (status != DCS_OK && strstr(dcs_error_message(), "compressed"));
  const char *path = fuzz_file(1, packed, z.total_out);
  if (dcs_molecule_read(DCS_INPUT_FILE(path), &m, fuzz_notes()) == DCS_OK)
    FUZZ_EXPECT(twice || (status == DCS_OK && m.n == plain->n && m.hash == plain->hash));
  else
    FUZZ_EXPECT(twice || status != DCS_OK);
  dcs_molecule_free(&m);
  deflateEnd(&z);
  free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dcs_molecule m;
  const char *path = fuzz_file(0, data, size);
  const dcs_status status = dcs_molecule_read(DCS_INPUT_FILE(path), &m, fuzz_notes());
  if (status == DCS_OK) check(&m);
  read_packed(data, size, status, &m);
  dcs_molecule_free(&m);
  for (int r = 0; r < dcs_n_readers; r++)
    read_chosen(path, (dcs_read_options){.format = dcs_readers[r]->name});
  read_chosen(path, (dcs_read_options){.model = 2, .altloc = 'B'});
  return 0;
}
