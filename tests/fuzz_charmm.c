/* Any bytes as CHARMM's parameters of a few types, or as a PSF file whose bonds are wanted. */
#include "harness/input/charmm/parameters.h"
#include "tests/fuzz.h"

#include <math.h>

static const char *const types[] = {"C", "CT1", "H", "OT", "SOD", "12"};
enum { TYPES = sizeof types / sizeof types[0] };

static void check_pair(dcs_pair_well pair) {
  FUZZ_EXPECT(pair.minimum >= 0 && isfinite(pair.minimum) && pair.depth >= 0 &&
              isfinite(pair.depth));
}

static void check_field(const dcs_force_field *field) {
  for (int64_t a = 0; a < field->n; a++) {
    for (int64_t b = 0; b < field->n; b++) {
      const dcs_pair_well one = dcs_force_field_well(field, a, b);
      const dcs_pair_well other = dcs_force_field_well(field, b, a);
      check_pair(one);
      FUZZ_EXPECT(one.minimum == other.minimum && one.depth == other.depth);
    }
    FUZZ_EXPECT(!field->types || (field->types[a] >= 0 && field->types[a] <= field->n_types));
  }
}

static void read_parameters(const char *path) {
  dcs_charmm parameters = {0};
  dcs_site sites[TYPES] = {{0}};
  dcs_name names[TYPES];
  int64_t bonds[TYPES - 1][2];
  dcs_molecule m = {.sites = sites, .n = TYPES, .types = names};
  uint64_t hash;
  for (int t = 0; t < TYPES; t++)
    names[t] = dcs_name_of((dcs_slice){types[t], strlen(types[t])});
  for (int b = 0; b + 1 < TYPES; b++)
    memcpy(bonds[b], (int64_t[]){b, b + 1}, sizeof bonds[b]);
  if (dcs_charmm_read(path, &parameters, &hash) == DCS_OK &&
      dcs_charmm_assign(&parameters, path, &m) == DCS_OK) {
    dcs_force_field field;
    check_field(&m.field);
    m.field.bonds = bonds;
    m.field.n_bonds = TYPES - 1;
    FUZZ_EXPECT(dcs_force_field_copy(&m.field, TYPES, &field) == DCS_OK);
    FUZZ_EXPECT(dcs_force_field_exclude(&field) == DCS_OK);
    for (int32_t s = 0; s < field.begins14[TYPES]; s++)
      check_pair(field.special[s].well);
    dcs_force_field_free(&field);
    m.field.bonds = NULL;
  }
  dcs_force_field_free(&m.field);
  dcs_charmm_free(&parameters);
}

static void read_bonds(const char *path) {
  const dcs_read_options how = {.n_parameters = 1};
  dcs_molecule m = {0};
  dcs_content *content;
  FUZZ_EXPECT(dcs_content_open(path, &content) == DCS_OK);
  if (dcs_readers[0]->read(content, &how, &m, fuzz_notes()) == DCS_OK) {
    FUZZ_EXPECT(m.n > 0 && m.types);
    for (int64_t b = 0; b < m.field.n_bonds; b++)
      for (int end = 0; end < 2; end++)
        FUZZ_EXPECT(m.field.bonds[b][end] >= 0 && m.field.bonds[b][end] < m.n);
    m.field.wells = calloc((size_t)m.n, sizeof *m.field.wells);
    m.field.wells14 = calloc((size_t)m.n, sizeof *m.field.wells14);
    FUZZ_EXPECT(m.field.wells && m.field.wells14);
    (void)dcs_force_field_exclude(&m.field);
  }
  dcs_content_close(content);
  dcs_molecule_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_file(0, data, size);
  if (size > 3 && memcmp(data, "PSF", 3) == 0)
    read_bonds(path);
  else
    read_parameters(path);
  return 0;
}
