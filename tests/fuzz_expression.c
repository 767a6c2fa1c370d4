/* Any text as an expression of two names: a value or a refusal, and the same again. */
#include "harness/spec/expression.h"
#include "tests/fuzz.h"

static bool evaluate(const char *text, dcs_room *room, dcs_expression **e, dcs_value *value) {
  static const char *const names[] = {"X", "S"};
  const dcs_value values[] = {dcs_integer_value(16), dcs_text_value("wide")};
  return dcs_expression_parse(text, names, 2, e) == DCS_OK &&
         dcs_expression_value(*e, values, room, value) == DCS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size);
  dcs_room rooms[2] = {{0}};
  dcs_expression *e[2] = {NULL};
  dcs_value value[2];
  const bool has = evaluate(text, &rooms[0], &e[0], &value[0]);
  FUZZ_EXPECT(evaluate(text, &rooms[1], &e[1], &value[1]) == has);
  if (has) FUZZ_EXPECT(dcs_same_value(&value[0], &value[1]));
  for (int i = 0; i < 2; i++) {
    dcs_room_free(&rooms[i]);
    dcs_expression_free(e[i]);
  }
  free(text);
  return 0;
}
