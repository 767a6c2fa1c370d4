/* Methods as people choose them: "variants;config". */
#include "harness/problems/methods.h"
#include "tests/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  dcs_methods methods;
  char *text = fuzz_text(data, size), *config = strchr(text, ';');
  if (config) *config++ = '\0';
  FUZZ_EXPECT(dcs_kind_of_names(text));
  if (dcs_select_methods(text, config, (dcs_at_hand){.gpu = true}, &methods) == DCS_OK)
    for (int m = 0; m < methods.n; m++)
      FUZZ_EXPECT(methods.list[m].variant);
  free(methods.list);
  free(text);
  return 0;
}
