#include "harness/timings/timings.h"

#include "harness/base/grow.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/timings/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DCS_TIMINGS(name, what)                                                                    \
  bool dcs_looks_like_##name(const dcs_timings_source *);                                          \
  dcs_status dcs_read_##name(const dcs_timings_source *, dcs_timings *);
#include "harness/timings/formats.def"
#undef DCS_TIMINGS

static const dcs_timings_format formats[] = {
#define DCS_TIMINGS(name, what) {#name, what, dcs_looks_like_##name, dcs_read_##name},
#include "harness/timings/formats.def"
#undef DCS_TIMINGS
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

/* ---- what readers use ---- */

dcs_timing *dcs_timings_add(dcs_timings *timings, const char *method, const char *where, ...) {
  if (dcs_grow(&timings->list, timings->n, sizeof *timings->list, "timings") != DCS_OK) return NULL;
  dcs_timing *t = &timings->list[timings->n++];
  *t = (dcs_timing){.method = strdup(method),
                    .scope = DCS_WARM,
                    .backend = DCS_NO_BACKEND,
                    .time_ns = NAN,
                    .round = -1};
  va_list args;
  va_start(args, where);
  vsnprintf(t->where, sizeof t->where, where, args);
  va_end(args);
  if (t->method) return t;
  (void)dcs_fail(DCS_UNAVAILABLE, "no memory for timings");
  return NULL;
}

dcs_status dcs_timing_value_add(dcs_timing *timing, const char *name, const char *value) {
  if (timing->n_values == DCS_MOST_VALUES)
    return dcs_fail(DCS_INPUT, "%s: found more than %d values beside a time", timing->where,
                    DCS_MOST_VALUES);
  dcs_timing_value *v = &timing->values[timing->n_values++];
  *v = (dcs_timing_value){strdup(name), strdup(value)};
  return v->name && v->value ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for timings");
}

dcs_status dcs_timing_json_add(dcs_timing *timing, const char *name, const json_t *value) {
  if (json_is_string(value)) return dcs_timing_value_add(timing, name, json_string_value(value));
  char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
  dcs_status status = text ? dcs_timing_value_add(timing, name, text)
                           : dcs_fail(DCS_UNAVAILABLE, "no memory for timings");
  free(text);
  return status;
}

double dcs_timing_ns(double time, const char *unit) {
  static const struct {
    const char *name;
    double ns;
  } units[] = {
      {"s", 1e9},       {"ms", 1e6},           {"us", 1e3},           {"ns", 1},
      {"seconds", 1e9}, {"milliseconds", 1e6}, {"microseconds", 1e3}, {"nanoseconds", 1},
      {"sec", 1e9},     {"min", 6e10},         {"minutes", 6e10},     {"h", 36e11},
      {"hours", 36e11}, {"miliseconds", 1e6} /* as the Auto-Tuning benchmark hub writes it */};
  for (size_t u = 0; u < sizeof units / sizeof units[0]; u++)
    if (strcasecmp(unit, units[u].name) == 0) return time * units[u].ns;
  return NAN;
}

/* ---- files ---- */

static dcs_status unknown(const char *path) {
  char list[2 * DCS_TEXT] = "";
  for (int f = 0; f < N_FORMATS; f++)
    dcs_append(list, sizeof list, "%s%s", f ? "; " : "", formats[f].what);
  return dcs_fail(DCS_INPUT, "%s: found no timings; expected one of: %s", path, list);
}

static dcs_status check_names(const dcs_timings *timings, const dcs_timing *t) {
  const char *wrong = dcs_is_name(t->method) ? NULL : t->method;
  for (int v = 0; v < t->n_values; v++) {
    if (!dcs_is_name(t->values[v].name)) wrong = t->values[v].name;
    if (*t->values[v].value && !dcs_is_name(t->values[v].value)) wrong = t->values[v].value;
  }
  if (!wrong) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: %s: found a name or value of %zu bytes; expected " DCS_A_NAME,
                  timings->path, t->where, strlen(wrong));
}

/* A time is wanted that can be put beside others. */
static dcs_status check_times(const dcs_timings *timings) {
  for (size_t i = 0; i < timings->n; i++) {
    const dcs_timing *t = &timings->list[i];
    DCS_TRY(check_names(timings, t));
    if (t->outcome != DCS_OUTCOME_OK || (t->time_ns > 0 && t->time_ns <= DCS_MOST_NS)) continue;
    return dcs_fail(DCS_INPUT, "%s: %s: found a time of %g ns of %s; expected one above zero",
                    timings->path, t->where, t->time_ns, t->method);
  }
  if (timings->n == 0)
    return dcs_fail(DCS_INPUT, "%s: found no time in it (%s); expected one at least", timings->path,
                    timings->format);
  return DCS_OK;
}

static dcs_status read_source(const dcs_timings_source *source, dcs_timings *timings) {
  for (int f = 0; f < N_FORMATS; f++) {
    if (!formats[f].looks(source)) continue;
    timings->format = formats[f].name;
    DCS_TRY(formats[f].read(source, timings));
    return check_times(timings);
  }
  return unknown(source->path);
}

dcs_status dcs_timings_read(const char *path, dcs_timings *timings) {
  *timings = (dcs_timings){.path = path};
  char *text = NULL;
  dcs_timings_source source = {.path = path};
  dcs_status status = dcs_read_file(path, &text, &source.bytes);
  if (status != DCS_OK) return status;
  source.text = text;
  timings->hash = dcs_hash(DCS_HASH_START, text, source.bytes);
  status = dcs_json_parse(path, text, source.bytes, &source.json);
  if (status == DCS_OK) status = read_source(&source, timings);
  json_decref(source.json);
  free(text);
  return status;
}

void dcs_timings_free(dcs_timings *timings) {
  for (size_t i = 0; i < timings->n; i++) {
    dcs_timing *t = &timings->list[i];
    for (int v = 0; v < t->n_values; v++) {
      free(t->values[v].name);
      free(t->values[v].value);
    }
    free(t->method);
    free(t->config);
  }
  free(timings->list);
  *timings = (dcs_timings){0};
}
