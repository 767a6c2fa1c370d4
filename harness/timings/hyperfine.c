/* hyperfine (--export-json): `results` holds a command each, with its times in seconds and the
 * values of --parameter-scan and --parameter-list. */
#include "harness/timings/format.h"

#include <stdlib.h>
#include <string.h>

bool dcs_looks_like_hyperfine(const dcs_timings_source *source);
dcs_status dcs_read_hyperfine(const dcs_timings_source *source, dcs_timings *timings);

bool dcs_looks_like_hyperfine(const dcs_timings_source *source) {
  return json_object_get(json_array_get(json_object_get(source->json, "results"), 0), "command") !=
         NULL;
}

/* The command with each value replaced by its name again, "./a {n}": what all its sizes share. The
 * caller frees it; NULL: no memory. */
static char *command_of(const json_t *result) {
  const json_t *parameters = json_object_get(result, "parameters");
  const char *name, *from;
  json_t *value;
  char *text = strdup(dcs_json_text(result, "command"));
  json_object_foreach((json_t *)parameters, name, value) {
    const char *found = json_string_value(value);
    if (!text || !found || !*found || !(from = strstr(text, found))) continue;
    char *named = malloc(strlen(text) + strlen(name) + 3);
    if (named) {
      memcpy(named, text, (size_t)(from - text));
      char *to = stpcpy(stpcpy(stpcpy(named + (from - text), "{"), name), "}");
      strcpy(to, from + strlen(found)); /* NOLINT: room was made */
    }
    free(text);
    text = named;
  }
  return text;
}

static dcs_status read_time(const json_t *result, const char *method, size_t r, double seconds,
                            int64_t round, const char *summary, dcs_timings *timings) {
  const char *name;
  json_t *value;
  dcs_timing *t = dcs_timings_add(timings, method, "results[%zu]", r);
  if (!t) return DCS_UNAVAILABLE;
  t->scope = DCS_FIRST; /* a process from its start to its end */
  t->time_ns = 1e9 * seconds;
  t->round = round;
  t->summary = summary;
  json_object_foreach(json_object_get(result, "parameters"), name, value)
      DCS_TRY(dcs_timing_json_add(t, name, value));
  return DCS_OK;
}

static dcs_status check_exits(const json_t *result, size_t r, const char *path) {
  const json_t *codes = dcs_json_array(result, "exit_codes");
  for (size_t i = 0; i < json_array_size(codes); i++) {
    const json_t *code = json_array_get(codes, i);
    if (!json_is_integer(code) || json_integer_value(code) != 0)
      return dcs_fail(DCS_INPUT,
                      "%s: results[%zu]: found exit code %lld of \"%s\" in run %zu; expected 0: "
                      "the command failed",
                      path, r, (long long)json_integer_value(code),
                      dcs_json_text(result, "command"), i + 1);
  }
  return DCS_OK;
}

static dcs_status read_result(const json_t *result, size_t r, dcs_timings *timings) {
  const json_t *times = dcs_json_array(result, "times");
  DCS_TRY(check_exits(result, r, timings->path));
  char *method = command_of(result);
  if (!method) return dcs_fail(DCS_UNAVAILABLE, "no memory for timings");
  dcs_status status = DCS_OK;
  for (size_t i = 0; status == DCS_OK && i < json_array_size(times); i++)
    status = read_time(result, method, r, json_number_value(json_array_get(times, i)), (int64_t)i,
                       NULL, timings);
  if (json_array_size(times) == 0)
    status = read_time(result, method, r, dcs_json_number(result, "median"), -1, "median", timings);
  free(method);
  return status;
}

dcs_status dcs_read_hyperfine(const dcs_timings_source *source, dcs_timings *timings) {
  timings->rule = DCS_SIZES_VARYING;
  const json_t *results = dcs_json_array(source->json, "results");
  for (size_t r = 0; r < json_array_size(results); r++)
    DCS_TRY(read_result(json_array_get(results, r), r, timings));
  return DCS_OK;
}
