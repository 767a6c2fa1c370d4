#include "harness/timings/json.h"

#include <math.h>
#include <string.h>

dcs_status dcs_json_parse(const char *path, const char *text, size_t bytes, json_t **root) {
  json_error_t error;
  const char first = text[strspn(text, " \t\r\n")];
  *root = NULL;
  if (first != '{' && first != '[') return DCS_OK;
  *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
  if (*root) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: line %d, column %d: found no whole JSON: %s", path, error.line,
                  error.column, error.text);
}

const char *dcs_json_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

double dcs_json_number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

const json_t *dcs_json_array(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_array(value) ? value : NULL;
}
