/* Any bytes as the file of a molecule. The first says how it is read: c as its content says, z that
 * and compressed, m another model and location, a digit the format of that place in formats.def. */
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

/* The small window costs little, and is nothing to who unpacks. */
static const char *packed_file(const uint8_t *data, size_t size) {
  static z_stream z;
  if (!z.state) FUZZ_EXPECT(deflateInit2(&z, 1, Z_DEFLATED, 9 + 16, 1, Z_DEFAULT_STRATEGY) == Z_OK);
  FUZZ_EXPECT(deflateReset(&z) == Z_OK);
  const size_t room = deflateBound(&z, size);
  uint8_t *packed = malloc(room);
  FUZZ_EXPECT(packed);
  z.next_in = (uint8_t *)data;
  z.avail_in = (unsigned)size;
  z.next_out = packed;
  z.avail_out = (unsigned)room;
  FUZZ_EXPECT(deflate(&z, Z_FINISH) == Z_STREAM_END);
  const char *path = fuzz_file(1, packed, z.total_out);
  free(packed);
  return path;
}

/* What is compressed is the same molecule; what is compressed in itself is none. */
static void read_packed(const char *plain_path, const uint8_t *data, size_t size) {
  dcs_molecule plain, m;
  const dcs_status status = dcs_molecule_read(DCS_INPUT_FILE(plain_path), &plain, fuzz_notes());
  const bool twice = (status == DCS_OK && (data[0] == 0x1f || data[0] == 0x78)) ||
                     (status != DCS_OK && strstr(dcs_error_message(), "compressed"));
  const char *path = packed_file(data, size);
  if (dcs_molecule_read(DCS_INPUT_FILE(path), &m, fuzz_notes()) == DCS_OK)
    FUZZ_EXPECT(twice || (status == DCS_OK && m.n == plain.n && m.hash == plain.hash));
  else
    FUZZ_EXPECT(twice || status != DCS_OK);
  dcs_molecule_free(&m);
  dcs_molecule_free(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const char *path = fuzz_file(0, data + 1, size - 1);
  const int format = data[0] - '0';
  if (data[0] == 'c') read_chosen(path, (dcs_read_options){.format = NULL});
  if (data[0] == 'm') read_chosen(path, (dcs_read_options){.model = 2, .altloc = 'B'});
  if (data[0] == 'z') read_packed(path, data + 1, size - 1);
  if (format >= 0 && format < dcs_n_readers)
    read_chosen(path, (dcs_read_options){.format = dcs_readers[format]->name});
  return 0;
}
