#include "harness/timings/t4_result.h"

#include "harness/timings/format.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *name;
  dcs_outcome outcome;
} outcome_name;

/* ---- parts ---- */

static dcs_status wrong(const dcs_t4_result *result, const char *member, const char *found,
                        const char *expected) {
  return dcs_fail(DCS_INPUT, "%s: %s.%s: found %s; expected %s", result->path, result->where,
                  member, found, expected);
}

/* The outcome that a member names; "expected" lists the names. */
static dcs_status take_outcome(const json_t *from, const char *member, const outcome_name *names,
                               const char *expected, dcs_t4_result *result) {
  const char *name = dcs_json_text(from, member);
  char found[80];
  for (; names->name; names++)
    if (strcmp(names->name, name) == 0) {
      result->outcome = names->outcome;
      return DCS_OK;
    }
  snprintf(found, sizeof found, "\"%.70s\"", name);
  return wrong(result, member, found, expected);
}

/* False: no unit. */
static bool take_unit(const char *name, dcs_t4_result *result) {
  const double ns = dcs_timing_ns(1, name);
  if (!isnan(ns)) result->unit_ns = ns;
  return !isnan(ns);
}

/* Of what is ok one time at least, each a number above 0. */
static dcs_status check_runtimes(const char *member, const dcs_t4_result *result) {
  const size_t n = json_array_size(result->runtimes);
  if (result->outcome != DCS_OUTCOME_OK) return DCS_OK;
  if (n == 0) return wrong(result, member, "no time", "one at least");
  for (size_t i = 0; i < n; i++) {
    const double ns = result->unit_ns * json_number_value(json_array_get(result->runtimes, i));
    char place[64], found[64];
    if (ns > 0 && ns <= DCS_MOST_NS) continue;
    snprintf(place, sizeof place, "%s[%zu]", member, i);
    snprintf(found, sizeof found, "a time of %g ns", ns);
    return wrong(result, place, found, "a number above 0");
  }
  return DCS_OK;
}

static dcs_status check_configuration(const dcs_t4_result *result) {
  const char *name;
  json_t *value;
  if (!json_is_object(result->configuration) || json_object_size(result->configuration) == 0)
    return wrong(result, "configuration", "none", "an object with a value of each parameter");
  json_object_foreach(result->configuration, name, value) {
    char place[128];
    if (json_is_number(value) || json_is_string(value) || json_is_boolean(value)) continue;
    snprintf(place, sizeof place, "configuration.%.100s", name);
    return wrong(result, place, "another kind of value", "a number, a text, true or false");
  }
  return DCS_OK;
}

static json_t *one_time(double time) {
  return json_pack("[f]", time);
}

/* ---- T4 ---- */

static const json_t *find_measurement(const json_t *from, const char *name) {
  const json_t *list = dcs_json_array(from, "measurements");
  for (size_t m = 0; m < json_array_size(list); m++) {
    const json_t *measurement = json_array_get(list, m);
    if (strcmp(dcs_json_text(measurement, "name"), name) == 0) return measurement;
  }
  return NULL;
}

/* Not a rate or an energy, which may be what was tuned for. */
static bool is_time(const json_t *measurement) {
  const char *unit = dcs_json_text(measurement, "unit");
  if (*unit) return !isnan(dcs_timing_ns(1, unit));
  return strncmp(dcs_json_text(measurement, "name"), "time", 4) == 0;
}

/* The measurement of the time that was tuned for: of the first of `objectives`, else "time". */
static const json_t *find_time(const json_t *from) {
  const char *name = json_string_value(json_array_get(dcs_json_array(from, "objectives"), 0));
  const json_t *objective = name ? find_measurement(from, name) : NULL;
  return is_time(objective) ? objective : find_measurement(from, "time");
}

/* That of the measurement, else of the file, else milliseconds. */
static void find_unit(const json_t *root, const json_t *time, dcs_t4_result *result) {
  const json_t *metadata = json_object_get(root, "metadata");
  result->unit_ns = 1e6;
  if (!take_unit(dcs_json_text(time, "unit"), result))
    (void)take_unit(dcs_json_text(metadata, "timeunit"), result);
}

/* In a file of this program the scope stands among the parameters (t4_write.h). */
static dcs_status take_scope(const json_t *root, dcs_t4_result *result) {
  const char *writer = dcs_json_text(json_object_get(root, "metadata"), "autotuner");
  const char *name = dcs_json_text(result->configuration, "scope");
  if (strcmp(writer, "dcsbench") != 0 || !dcs_find_scope(name, &result->scope)) return DCS_OK;
  json_t *others = json_copy(result->configuration);
  if (!others || json_object_del(others, "scope") != 0) {
    json_decref(others);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for T4");
  }
  json_decref(result->configuration);
  result->configuration = others;
  return DCS_OK;
}

static dcs_status read_t4(const json_t *root, const json_t *from, dcs_t4_result *result) {
  static const outcome_name names[] = {{"correct", DCS_OUTCOME_OK},
                                       {"", DCS_OUTCOME_OK},
                                       {"timeout", DCS_OUTCOME_TIMEOUT},
                                       {"compile", DCS_OUTCOME_COMPILE},
                                       {"runtime", DCS_OUTCOME_LAUNCH},
                                       {"correctness", DCS_OUTCOME_WRONG},
                                       {"constraints", DCS_OUTCOME_INAPPLICABLE},
                                       {NULL, DCS_OUTCOME_OK}};
  const json_t *times = json_object_get(from, "times"), *time = find_time(from);
  DCS_TRY(take_outcome(from, "invalidity", names,
                       "correct, timeout, compile, runtime, correctness or constraints", result));
  find_unit(root, time, result);
  result->configuration = json_incref(json_object_get(from, "configuration"));
  DCS_TRY(take_scope(root, result));
  result->runtimes = json_incref(json_object_get(times, "runtimes"));
  if (json_array_size(result->runtimes) == 0 && dcs_json_number(time, "value") > 0) {
    json_decref(result->runtimes);
    result->runtimes = one_time(dcs_json_number(time, "value"));
  }
  result->own = json_object_get(from, "dcsbench");
  result->compile_ms = dcs_json_number(times, "compilation_time") * result->unit_ns / 1e6;
  return check_runtimes("times.runtimes", result);
}

/* ---- KTT ---- */

/* A list of names and values, as an object. */
static json_t *join_pairs(const json_t *list) {
  json_t *object = json_object();
  for (size_t i = 0; object && i < json_array_size(list); i++) {
    json_t *pair = json_array_get(list, i), *value = json_object_get(pair, "Value");
    if (!value || json_object_set(object, dcs_json_text(pair, "Name"), value) != 0) break;
  }
  if (json_object_size(object) == json_array_size(list)) return object;
  json_decref(object);
  return NULL;
}

static dcs_status read_ktt(const json_t *root, const json_t *from, dcs_t4_result *result) {
  static const outcome_name names[] = {{"Ok", DCS_OUTCOME_OK},
                                       {"ComputationFailed", DCS_OUTCOME_LAUNCH},
                                       {"ValidationFailed", DCS_OUTCOME_WRONG},
                                       {"CompilationFailed", DCS_OUTCOME_COMPILE},
                                       {"DeviceLimitsExceeded", DCS_OUTCOME_INAPPLICABLE},
                                       {NULL, DCS_OUTCOME_OK}};
  const char *unit = dcs_json_text(json_object_get(root, "Metadata"), "TimeUnit");
  DCS_TRY(take_outcome(from, "Status", names,
                       "Ok, ComputationFailed, ValidationFailed, CompilationFailed or "
                       "DeviceLimitsExceeded",
                       result));
  if (!take_unit(unit, result))
    return dcs_fail(DCS_INPUT, "%s: Metadata.TimeUnit: found \"%s\"; expected a unit of time",
                    result->path, unit);
  result->configuration = join_pairs(dcs_json_array(from, "Configuration"));
  result->runtimes = one_time(dcs_json_number(from, "TotalDuration"));
  return check_runtimes("TotalDuration", result);
}

/* ---- a cache of Kernel Tuner ---- */

/* Which of its members are parameters, the file says. */
static json_t *take_parameters(const json_t *names, const json_t *from) {
  json_t *object = json_object();
  for (size_t i = 0; object && i < json_array_size(names); i++) {
    const char *name = json_string_value(json_array_get(names, i));
    json_t *value = name ? json_object_get(from, name) : NULL;
    if (!value || json_object_set(object, name, value) != 0) break;
  }
  if (json_object_size(object) == json_array_size(names)) return object;
  json_decref(object);
  return NULL;
}

static dcs_status read_cache(const json_t *root, const json_t *from, dcs_t4_result *result) {
  static const outcome_name names[] = {{"InvalidConfig", DCS_OUTCOME_INAPPLICABLE},
                                       {"CompilationFailedConfig", DCS_OUTCOME_COMPILE},
                                       {"RuntimeFailedConfig", DCS_OUTCOME_LAUNCH},
                                       {NULL, DCS_OUTCOME_OK}};
  json_t *times = json_object_get(from, "times");
  result->unit_ns = 1e6;
  result->configuration = take_parameters(dcs_json_array(root, "tune_params_keys"), from);
  result->compile_ms = dcs_json_number(from, "compile_time");
  if (!json_is_number(json_object_get(from, "time")))
    DCS_TRY(take_outcome(from, "time", names,
                         "a number, InvalidConfig, CompilationFailedConfig or RuntimeFailedConfig",
                         result));
  result->runtimes =
      json_array_size(times) > 0 ? json_incref(times) : one_time(dcs_json_number(from, "time"));
  return check_runtimes(json_array_size(times) > 0 ? "times" : "time", result);
}

/* ---- files ---- */

typedef struct {
  const char *results; /* the member that holds them */
  const char *first;   /* a member that each has; NULL: the results are members themselves */
  dcs_status (*read)(const json_t *root, const json_t *from, dcs_t4_result *);
} layout;

static const layout layouts[] = {{"results", "configuration", read_t4},
                                 {"Results", "Configuration", read_ktt},
                                 {"cache", NULL, read_cache}};

static const layout *find_layout(const json_t *root) {
  for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; l++) {
    const json_t *results = json_object_get(root, layouts[l].results);
    if (layouts[l].first ? json_object_get(json_array_get(results, 0), layouts[l].first) != NULL
                         : json_is_object(results) && dcs_json_array(root, "tune_params_keys"))
      return &layouts[l];
  }
  return NULL;
}

bool dcs_t4_looks(const json_t *root) {
  return find_layout(root) != NULL;
}

static dcs_status read_one(const json_t *root, const layout *kind, const json_t *from,
                           dcs_t4_result *result, dcs_t4_take *take, void *to) {
  result->compile_ms = NAN;
  result->scope = DCS_KERNEL;
  dcs_status status = kind->read(root, from, result);
  if (status == DCS_OK) status = check_configuration(result);
  if (status == DCS_OK) status = take(to, result);
  json_decref(result->configuration);
  json_decref(result->runtimes);
  return status;
}

dcs_status dcs_t4_each(const char *path, const json_t *root, dcs_t4_take *take, void *to) {
  const layout *kind = find_layout(root);
  json_t *results = json_object_get(root, kind->results);
  const char *key;
  json_t *from;
  size_t r;
  json_array_foreach(results, r, from) {
    dcs_t4_result result = {.path = path};
    snprintf(result.where, sizeof result.where, "%s[%zu]", kind->results, r);
    DCS_TRY(read_one(root, kind, from, &result, take, to));
  }
  json_object_foreach(results, key, from) {
    dcs_t4_result result = {.path = path};
    snprintf(result.where, sizeof result.where, "%s[\"%.100s\"]", kind->results, key);
    DCS_TRY(read_one(root, kind, from, &result, take, to));
  }
  return DCS_OK;
}

const char *dcs_t4_device(const json_t *root) {
  const char *device = dcs_json_text(root, "device_name");
  if (!*device) device = dcs_json_text(json_object_get(root, "metadata"), "device");
  if (!*device) device = dcs_json_text(json_object_get(root, "Metadata"), "Device");
  return device;
}
