/* NVBench (--json): `benchmarks` holds `states`, each with values of the axes and `summaries`, of
 * which one tagged nv/cold/time/gpu/mean is the mean time on the GPU in seconds. The samples are
 * not in the file. */
#include "harness/base/decimal.h"
#include "harness/timings/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool dcs_looks_like_nvbench(const dcs_timings_source *source);
dcs_status dcs_read_nvbench(const dcs_timings_source *source, dcs_timings *timings);

bool dcs_looks_like_nvbench(const dcs_timings_source *source) {
  return json_object_get(json_array_get(json_object_get(source->json, "benchmarks"), 0),
                         "states") != NULL;
}

/* Seconds; NaN: the state has no such summary. Values are texts in these files. */
static double mean_time(const json_t *state) {
  const json_t *summaries = dcs_json_array(state, "summaries");
  for (size_t s = 0; s < json_array_size(summaries); s++) {
    const json_t *summary = json_array_get(summaries, s), *data = dcs_json_array(summary, "data");
    if (strcmp(dcs_json_text(summary, "tag"), "nv/cold/time/gpu/mean") != 0) continue;
    for (size_t d = 0; d < json_array_size(data); d++) {
      const json_t *item = json_array_get(data, d);
      const char *text = dcs_json_text(item, "value");
      double value;
      if (strcmp(dcs_json_text(item, "name"), "value") != 0) continue;
      return dcs_decimal_read(text, strlen(text), &value) ? value : dcs_json_number(item, "value");
    }
  }
  return NAN;
}

/* Whether the states are of more than one device: NVBench measures on each unless it is told. */
static bool of_several(const json_t *benchmarks) {
  double first = NAN;
  for (size_t b = 0; b < json_array_size(benchmarks); b++) {
    const json_t *states = dcs_json_array(json_array_get(benchmarks, b), "states");
    for (size_t s = 0; s < json_array_size(states); s++) {
      const double device = dcs_json_number(json_array_get(states, s), "device");
      if (device != first && !isnan(first) && !isnan(device)) return true;
      if (!isnan(device)) first = device;
    }
  }
  return false;
}

static dcs_status add_device(const json_t *state, dcs_timing *t) {
  char device[32]; /* no number, which would be a size */
  snprintf(device, sizeof device, "gpu_%.0f", dcs_json_number(state, "device"));
  return dcs_timing_value_add(t, "device", device);
}

static dcs_status read_state(const char *method, const json_t *state, bool several,
                             const char *where, dcs_timings *timings) {
  const json_t *axes = dcs_json_array(state, "axis_values");
  if (json_is_true(json_object_get(state, "is_skipped"))) return DCS_OK; /* as its author chose */
  dcs_timing *t = dcs_timings_add(timings, method, "%s", where);
  if (!t) return DCS_UNAVAILABLE;
  t->scope = DCS_KERNEL; /* between events of the device */
  t->backend = DCS_GPU;
  t->time_ns = 1e9 * mean_time(state);
  t->summary = "mean";
  for (size_t a = 0; a < json_array_size(axes); a++) {
    const json_t *axis = json_array_get(axes, a);
    DCS_TRY(dcs_timing_json_add(t, dcs_json_text(axis, "name"), json_object_get(axis, "value")));
  }
  return several ? add_device(state, t) : DCS_OK;
}

dcs_status dcs_read_nvbench(const dcs_timings_source *source, dcs_timings *timings) {
  timings->rule = DCS_SIZES_VARYING;
  const json_t *benchmarks = dcs_json_array(source->json, "benchmarks");
  const bool several = of_several(benchmarks);
  for (size_t b = 0; b < json_array_size(benchmarks); b++) {
    const json_t *benchmark = json_array_get(benchmarks, b),
                 *states = dcs_json_array(benchmark, "states");
    for (size_t s = 0; s < json_array_size(states); s++) {
      char where[64];
      snprintf(where, sizeof where, "benchmarks[%zu].states[%zu]", b, s);
      DCS_TRY(read_state(dcs_json_text(benchmark, "name"), json_array_get(states, s), several,
                         where, timings));
    }
  }
  return DCS_OK;
}
