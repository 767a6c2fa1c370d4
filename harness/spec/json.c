#include "harness/spec/json.h"

#include "harness/base/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dcs_json_place dcs_json_member(const dcs_json_place *object, const char *key) {
  dcs_json_place member = {.file = object->file, .json = json_object_get(object->json, key)};
  if (json_is_null(member.json)) member.json = NULL;
  dcs_append(member.path, sizeof member.path, "%s.%.100s", object->path, key);
  return member;
}

dcs_json_place dcs_json_item(const dcs_json_place *array, size_t item) {
  dcs_json_place place = {.file = array->file, .json = json_array_get(array->json, item)};
  dcs_append(place.path, sizeof place.path, "%s[%zu]", array->path, item);
  return place;
}

dcs_status dcs_json_wrong(const dcs_json_place *place, const char *expected) {
  enum { SHOWN = 60 };
  char *text = place->json ? json_dumps(place->json, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
  const dcs_status status =
      dcs_fail(DCS_INPUT, "%s: %s: found %.*s%s; expected %s", place->file, place->path, SHOWN,
               text ? text : "nothing", text && strlen(text) > SHOWN ? "..." : "", expected);
  free(text);
  return status;
}

dcs_status dcs_json_only(const dcs_json_place *object, const char *const *names) {
  const char *key;
  json_t *value;
  if (!json_is_object(object->json)) return dcs_json_wrong(object, "an object");
  json_object_foreach((json_t *)object->json, key, value) {
    int n = 0;
    while (names[n] && strcmp(names[n], key) != 0)
      n++;
    if (names[n] || json_is_null(value)) continue;
    const dcs_json_place member = dcs_json_member(object, key);
    return dcs_fail(DCS_INPUT, "%s: %s: found a member that is not supported; expected it left out",
                    member.file, member.path);
  }
  return DCS_OK;
}

dcs_status dcs_json_get_text(const dcs_json_place *place, const char **text) {
  *text = json_string_value(place->json);
  return *text && **text ? DCS_OK : dcs_json_wrong(place, "a text");
}

dcs_status dcs_json_get_number(const dcs_json_place *place, double *number) {
  *number = json_number_value(place->json);
  return json_is_number(place->json) && isfinite(*number) ? DCS_OK
                                                          : dcs_json_wrong(place, "a number");
}

dcs_status dcs_json_get_integer(const dcs_json_place *place, int64_t lo, int64_t hi,
                                int64_t *integer) {
  char expected[DCS_TEXT];
  *integer = json_integer_value(place->json);
  if (json_is_integer(place->json) && *integer >= lo && *integer <= hi) return DCS_OK;
  snprintf(expected, sizeof expected, "a whole number, %lld to %lld", (long long)lo, (long long)hi);
  return dcs_json_wrong(place, expected);
}

dcs_status dcs_json_get_array(const dcs_json_place *place, size_t most, size_t *n) {
  char expected[DCS_TEXT];
  *n = json_array_size(place->json);
  if (json_is_array(place->json) && *n <= most) return DCS_OK;
  snprintf(expected, sizeof expected, "a list of at most %zu", most);
  return dcs_json_wrong(place, expected);
}

dcs_status dcs_json_get_word(const dcs_json_place *place, const char *const *words, int *word) {
  const char *text = json_string_value(place->json);
  char expected[DCS_TEXT] = "";
  for (*word = 0; words[*word]; ++*word) {
    if (text && strcmp(text, words[*word]) == 0) return DCS_OK;
    dcs_append(expected, sizeof expected, "%s%s", *word ? " or " : "", words[*word]);
  }
  return dcs_json_wrong(place, expected);
}
