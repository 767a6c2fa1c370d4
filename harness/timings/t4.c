/* The results of an autotuner: a configuration each with its runtimes (t4_result.h). */
#include "harness/timings/format.h"
#include "harness/timings/t4_result.h"

#include <math.h>

bool dcs_looks_like_t4(const dcs_timings_source *source);
dcs_status dcs_read_t4(const dcs_timings_source *source, dcs_timings *timings);

bool dcs_looks_like_t4(const dcs_timings_source *source) {
  return dcs_t4_looks(source->json);
}

static dcs_status add_time(const dcs_t4_result *result, double time_ns, int64_t round,
                           dcs_timings *timings) {
  const char *name;
  json_t *value;
  const char *variant = dcs_json_text(result->configuration, "variant"); /* as t4_write.h has it */
  dcs_timing *t = dcs_timings_add(timings, *variant ? variant : "kernel", "%s", result->where);
  if (!t) return DCS_UNAVAILABLE;
  t->scope = result->scope;
  t->outcome = result->outcome;
  t->round = round;
  t->time_ns = time_ns;
  json_object_foreach(result->configuration, name, value) if (json_string_value(value) != variant)
      DCS_TRY(dcs_timing_json_add(t, name, value));
  return DCS_OK;
}

static dcs_status add_result(void *to, const dcs_t4_result *result) {
  if (result->outcome != DCS_OUTCOME_OK) return add_time(result, NAN, -1, to);
  for (size_t i = 0; i < json_array_size(result->runtimes); i++)
    DCS_TRY(add_time(result,
                     result->unit_ns * json_number_value(json_array_get(result->runtimes, i)),
                     (int64_t)i, to));
  return DCS_OK;
}

dcs_status dcs_read_t4(const dcs_timings_source *source, dcs_timings *timings) {
  timings->rule = DCS_SIZES_ASKED;
  return dcs_t4_each(source->path, source->json, add_result, timings);
}
