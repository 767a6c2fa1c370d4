/* T4, the results of Kernel Tuner, KTT and others (TuningSchema, branch T4, results-schema.json):
 * `results` holds a configuration each with its runtimes, which are milliseconds unless a
 * measurement named "time" says another unit. */
#include "harness/timings/format.h"

#include <math.h>
#include <string.h>

bool dcs_looks_like_t4(const dcs_timings_source *source);
dcs_status dcs_read_t4(const dcs_timings_source *source, dcs_timings *timings);

bool dcs_looks_like_t4(const dcs_timings_source *source) {
  return json_object_get(json_array_get(json_object_get(source->json, "results"), 0),
                         "configuration") != NULL;
}

static const char *unit_of(const json_t *result) {
  const json_t *list = dcs_json_array(result, "measurements");
  for (size_t m = 0; m < json_array_size(list); m++) {
    const json_t *measurement = json_array_get(list, m);
    const char *unit = dcs_json_text(measurement, "unit");
    if (strcmp(dcs_json_text(measurement, "name"), "time") == 0 && *unit) return unit;
  }
  return "ms";
}

/* What `invalidity` says became of a configuration. False: nothing that is known. */
static bool find_outcome(const char *invalidity, dcs_outcome *outcome) {
  static const struct {
    const char *name;
    dcs_outcome outcome;
  } names[] = {{"correct", DCS_OUTCOME_OK},
               {"", DCS_OUTCOME_OK},
               {"timeout", DCS_OUTCOME_TIMEOUT},
               {"compile", DCS_OUTCOME_COMPILE},
               {"runtime", DCS_OUTCOME_LAUNCH},
               {"correctness", DCS_OUTCOME_WRONG},
               {"constraints", DCS_OUTCOME_INAPPLICABLE}};
  for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
    if (strcmp(invalidity, names[n].name) == 0) {
      *outcome = names[n].outcome;
      return true;
    }
  return false;
}

static dcs_status add_time(const json_t *result, size_t r, dcs_outcome outcome, double time,
                           int64_t round, dcs_timings *timings) {
  const char *name;
  json_t *value;
  dcs_timing *t = dcs_timings_add(timings, "kernel", "results[%zu]", r);
  if (!t) return DCS_UNAVAILABLE;
  t->scope = DCS_KERNEL;
  t->outcome = outcome;
  t->round = round;
  t->time_ns = dcs_timing_ns(time, unit_of(result));
  json_object_foreach(json_object_get(result, "configuration"), name, value)
      DCS_TRY(dcs_timing_json_add(t, name, value));
  return DCS_OK;
}

static dcs_status read_result(const json_t *result, size_t r, dcs_timings *timings) {
  const char *invalidity = dcs_json_text(result, "invalidity");
  const json_t *times = dcs_json_array(json_object_get(result, "times"), "runtimes");
  dcs_outcome outcome;
  if (!find_outcome(invalidity, &outcome))
    return dcs_fail(
        DCS_INPUT,
        "%s: results[%zu]: found invalidity \"%s\"; expected correct, timeout, compile, "
        "runtime, correctness or constraints",
        timings->path, r, invalidity);
  if (outcome != DCS_OUTCOME_OK) return add_time(result, r, outcome, NAN, -1, timings);
  if (json_array_size(times) == 0)
    return dcs_fail(DCS_INPUT, "%s: results[%zu]: found no times.runtimes; expected one at least",
                    timings->path, r);
  for (size_t i = 0; i < json_array_size(times); i++)
    DCS_TRY(add_time(result, r, outcome, json_number_value(json_array_get(times, i)), (int64_t)i,
                     timings));
  return DCS_OK;
}

dcs_status dcs_read_t4(const dcs_timings_source *source, dcs_timings *timings) {
  timings->rule = DCS_SIZES_ASKED;
  const json_t *results = dcs_json_array(source->json, "results");
  for (size_t r = 0; r < json_array_size(results); r++)
    DCS_TRY(read_result(json_array_get(results, r), r, timings));
  return DCS_OK;
}
