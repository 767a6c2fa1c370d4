/* Google Benchmark (--benchmark_out_format=json): `benchmarks` holds a run a repetition, and
 * perhaps aggregates of them. A name is METHOD/ARGUMENT/..., an argument "1024" or "n:1024". */
#include "harness/base/decimal.h"
#include "harness/timings/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool dcs_looks_like_google_benchmark(const dcs_timings_source *source);
dcs_status dcs_read_google_benchmark(const dcs_timings_source *source, dcs_timings *timings);

bool dcs_looks_like_google_benchmark(const dcs_timings_source *source) {
  return json_object_get(json_array_get(json_object_get(source->json, "benchmarks"), 0),
                         "real_time") != NULL ||
         json_object_get(json_object_get(source->json, "context"), "library_build_type") != NULL;
}

/* What the library appends to a name that is no argument of the benchmark. */
static bool is_setting(const char *name) {
  static const char *const settings[] = {"iterations",      "repeats",   "min_time",
                                         "min_warmup_time", "real_time", "process_time",
                                         "manual_time"};
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; s++)
    if (strcmp(name, settings[s]) == 0) return true;
  return false;
}

/* One part behind a slash. Parts without a name are arguments by their place, "size" where there is
 * but one, or belong to the method's name where they are no numbers. */
static dcs_status take_part(dcs_timing *t, char *part, int *unnamed, bool only) {
  char name[32] = "size", *colon = strchr(part, ':');
  double number;
  if (colon && colon[1] != ':') *colon = '\0';
  if (is_setting(part)) return DCS_OK;
  if (colon && colon[1] != ':') return dcs_timing_value_add(t, part, colon + 1);
  if (!dcs_decimal_read(part, strlen(part), &number)) return dcs_timing_value_add(t, "case", part);
  ++*unnamed;
  if (!only) snprintf(name, sizeof name, "size_%d", *unnamed);
  return dcs_timing_value_add(t, name, part);
}

static int count_unnamed(const char *name) {
  int n = 0;
  for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
    const size_t length = strcspn(slash + 1, "/");
    double number;
    n += dcs_decimal_read(slash + 1, length, &number);
  }
  return n;
}

static dcs_status take_name(dcs_timing *t) {
  const bool only = count_unnamed(t->method) == 1;
  int unnamed = 0;
  char *rest = strchr(t->method, '/');
  if (rest) *rest++ = '\0';
  for (char *part = rest; part; part = rest) {
    rest = strchr(part, '/');
    if (rest) *rest++ = '\0';
    DCS_TRY(take_part(t, part, &unnamed, only));
  }
  return DCS_OK;
}

static const char *run_name(const json_t *run) {
  const char *name = dcs_json_text(run, "run_name");
  return *name ? name : dcs_json_text(run, "name");
}

static bool is_aggregate(const json_t *run) {
  return strcmp(dcs_json_text(run, "run_type"), "aggregate") == 0;
}

/* Whether the file has the repetitions that an aggregate is of. */
static bool has_repetitions(const json_t *runs, const json_t *aggregate) {
  for (size_t i = 0; i < json_array_size(runs); i++) {
    const json_t *run = json_array_get(runs, i);
    if (!is_aggregate(run) && strcmp(run_name(run), run_name(aggregate)) == 0) return true;
  }
  return false;
}

static dcs_status read_run(const json_t *runs, size_t i, dcs_timings *timings) {
  const json_t *run = json_array_get(runs, i);
  const bool aggregate = is_aggregate(run);
  const char *unit = dcs_json_text(run, "time_unit");
  if (json_is_true(json_object_get(run, "skipped"))) return DCS_OK; /* as its author chose */
  if (aggregate &&
      (strcmp(dcs_json_text(run, "aggregate_name"), "median") != 0 || has_repetitions(runs, run)))
    return DCS_OK;
  if (json_is_true(json_object_get(run, "error_occurred")))
    return dcs_fail(DCS_INPUT,
                    "%s: benchmarks[%zu]: found %s, which failed: \"%s\"; expected times",
                    timings->path, i, run_name(run), dcs_json_text(run, "error_message"));
  dcs_timing *t = dcs_timings_add(timings, run_name(run), "benchmarks[%zu]", i);
  if (!t) return DCS_UNAVAILABLE;
  t->time_ns = dcs_timing_ns(dcs_json_number(run, "real_time"), *unit ? unit : "ns");
  if (aggregate) t->summary = "median";
  const double repetition = dcs_json_number(run, "repetition_index");
  if (repetition >= 0) t->round = (int64_t)repetition;
  return take_name(t);
}

dcs_status dcs_read_google_benchmark(const dcs_timings_source *source, dcs_timings *timings) {
  timings->rule = DCS_SIZES_VARYING;
  const json_t *runs = dcs_json_array(source->json, "benchmarks");
  for (size_t i = 0; i < json_array_size(runs); i++)
    DCS_TRY(read_run(runs, i, timings));
  return DCS_OK;
}
