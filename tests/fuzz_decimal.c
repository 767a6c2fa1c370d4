/* Any text as a decimal number: as strtod reads it, and what is written reads back. */
#include "harness/base/decimal.h"
#include "tests/fuzz.h"

#include <math.h>

/* strtod also takes d as no exponent, hexadecimal numbers, infinities and blanks, all refused. */
static void expect_value(char *text, size_t size, double value) {
  for (size_t i = 0; i < size; i++)
    if (text[i] == 'd' || text[i] == 'D') text[i] = 'e';
  char *end;
  double expected = strtod(text, &end);
  FUZZ_EXPECT(end == text + size);
  FUZZ_EXPECT(memcmp(&expected, &value, sizeof value) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size), written[DCS_DECIMAL_TEXT];
  double value, again;
  if (dcs_decimal_read(text, size, &value)) {
    FUZZ_EXPECT(isfinite(value) && strlen(text) == size);
    expect_value(text, size, value);
    dcs_decimal_write(value, written);
    FUZZ_EXPECT(dcs_decimal_read(written, strlen(written), &again) && again == value);
  }
  free(text);
  if (size == sizeof value) { /* the same of the bits of a number */
    memcpy(&value, data, sizeof value);
    if (isfinite(value)) {
      dcs_decimal_write(value, written);
      FUZZ_EXPECT(dcs_decimal_read(written, strlen(written), &again) && again == value);
    }
  }
  return 0;
}
