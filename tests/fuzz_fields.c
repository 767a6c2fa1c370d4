/* Maps as files: what is read can be written, and reads back the same. */
#include "harness/output/field.h"
#include "tests/fuzz.h"

#include <math.h>

static void write_and_read(const dcs_field *field) {
  char *bytes;
  size_t size;
  dcs_field again;
  FILE *out = open_memstream(&bytes, &size);
  FUZZ_EXPECT(out && dcs_field_formats[0]->write(out, field) == DCS_OK && fclose(out) == 0);
  FUZZ_EXPECT(dcs_field_read(fuzz_file(1, (const uint8_t *)bytes, size), &again) == DCS_OK);
  FUZZ_EXPECT(again.n.x == field->n.x && again.n.y == field->n.y && again.n.z == field->n.z);
  for (int64_t i = 0; i < dcs_points(field->n); i++)
    FUZZ_EXPECT(again.values[i] == field->values[i]);
  dcs_field_free(&again);
  free(bytes);
}

static bool writable(const dcs_field *field) {
  if (!(field->spacing[0] > 0)) return false;
  for (int64_t i = 0; i < dcs_points(field->n); i++)
    if (!isfinite(field->values[i])) return false;
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dcs_field field;
  dcs_status status = dcs_field_read(fuzz_file(0, data, size), &field);
  FUZZ_EXPECT(status == DCS_OK || field.values == NULL);
  if (status != DCS_OK) return 0;
  if (writable(&field)) write_and_read(&field);
  dcs_field_free(&field);
  return 0;
}
