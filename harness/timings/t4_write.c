#include "harness/timings/t4_write.h"

#include "harness/base/decimal.h"
#include "harness/base/grow.h"
#include "harness/base/text.h"
#include "harness/judge/stats.h"
#include "harness/timings/json.h"
#include "version.h" /* written by the Makefile */

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What tells rows apart beside the configuration, as far as a table has it. */
static const char *const keys[] = {"scope", "memory",  "devices",        "machine", "capability",
                                   "units", "problem", "problem_config", "atoms",   "nx",
                                   "ny",    "nz",      "axis_1",         "axis_2",  "kernel_hash"};
enum { SCOPE = 0, N_KEYS = sizeof keys / sizeof keys[0] };

/* What is written. */
typedef struct {
  const dcs_table *table;
  const dcs_run *run; /* whose summary the table is; NULL: a journal */
  bool varies[N_KEYS];
} source;

typedef struct {
  double *times; /* ns; n */
  size_t n;
} samples;

static dcs_status no_memory(void) {
  return dcs_fail(DCS_UNAVAILABLE, "no memory for T4");
}

/* ---- a configuration ---- */

/* The scope is written always: without it a reader takes times for those of kernels. */
static void find_what_varies(source *s) {
  s->varies[SCOPE] = dcs_table_column(s->table, keys[SCOPE]) >= 0;
  for (int k = 0; k < N_KEYS; k++)
    for (size_t row = 1; row < dcs_table_rows(s->table); row++)
      if (strcmp(dcs_table_text(s->table, row, keys[k]), dcs_table_text(s->table, 0, keys[k])) != 0)
        s->varies[k] = true;
}

/* Under the name, or where a parameter or an axis is named as what stands there, under "name_2" and
 * so on. */
static bool put_member(json_t *object, const char *name, json_t *value) {
  char own[DCS_TEXT];
  snprintf(own, sizeof own, "%s", name);
  for (int n = 2; json_object_get(object, own); n++)
    snprintf(own, sizeof own, "%.*s_%d", DCS_TEXT - 16, name, n);
  return json_object_set_new(object, own, value) == 0;
}

/* A number where the text is one, and no name that reads as one. */
static bool put_value(json_t *object, const char *name, const char *text) {
  double number;
  if (!dcs_decimal_read_back(text, &number)) return put_member(object, name, json_string(text));
  const bool whole = number == floor(number) && fabs(number) < 1e15;
  return put_member(object, name, whole ? json_integer((json_int_t)number) : json_real(number));
}

/* Where the parameter that begins here ends: a value of an import may hold commas, "flags=-a,-b".
 */
static char *end_of_part(char *part) {
  char *end = part + strcspn(part, ",");
  while (*end && !memchr(end + 1, '=', strcspn(end + 1, ",")))
    end += 1 + strcspn(end + 1, ",");
  return end;
}

/* "block_x=32,read=start", as dcs_format_config() writes it. */
static dcs_status put_config(json_t *object, const char *config) {
  char *parts = strdup(config);
  bool fits = parts != NULL;
  for (char *part = parts, *next; fits && *part; part = next) {
    char *end = end_of_part(part);
    next = end + (*end != '\0');
    *end = '\0';
    char *value = strchr(part, '=');
    if (value) *value++ = '\0';
    fits = value ? put_value(object, part, value) : put_member(object, "config", json_string(part));
  }
  free(parts);
  return fits ? DCS_OK : no_memory();
}

/* The name of an axis of timings is its user's. */
static const char *name_of(const source *s, size_t row, const char *key) {
  const dcs_kind *kind = s->run ? s->run->rows[row].size.kind : NULL;
  if (!kind || !kind->made_of) return key;
  for (int a = 0; a < kind->n_axes; a++)
    if (strcmp(key, kind->axes[a]) == 0) return kind->dimensions[a].name;
  return key;
}

static dcs_status put_configuration(const source *s, size_t row, json_t *result) {
  json_t *object = json_object();
  if (json_object_set_new(result, "configuration", object) != 0 ||
      json_object_set_new(object, "variant",
                          json_string(dcs_table_text(s->table, row, "variant"))) != 0)
    return no_memory();
  for (int k = 0; k < N_KEYS; k++)
    if (s->varies[k] &&
        !put_value(object, name_of(s, row, keys[k]), dcs_table_text(s->table, row, keys[k])))
      return no_memory();
  return put_config(object, dcs_table_text(s->table, row, "config"));
}

/* ---- its times ---- */

static dcs_status wrong(const source *s, size_t row, const char *column, const char *expected) {
  return dcs_table_wrong(s->table, row, column, dcs_table_column(s->table, column), expected);
}

static dcs_status take_samples(const source *s, size_t row, samples *taken) {
  const char *text = dcs_table_text(s->table, row, "times_ns");
  const dcs_run_row *measured = s->run ? &s->run->rows[row] : NULL;
  while (measured ? taken->n < measured->n_times : *text != '\0') {
    DCS_TRY(dcs_grow(&taken->times, taken->n, sizeof *taken->times, "samples"));
    double *time = &taken->times[taken->n++];
    if (measured) *time = measured->times[taken->n - 1];
    if (!measured && !dcs_numbers_next(&text, time))
      return wrong(s, row, "times_ns", "times with a space between them");
  }
  return DCS_OK;
}

/* The samples are sorted. */
static dcs_status put_times(const source *s, size_t row, samples *taken, json_t *result) {
  const double compile_ms =
      dcs_table_number(s->table, row, dcs_table_column(s->table, "compile_ms"));
  json_t *runtimes = json_array(), *times = json_pack("{s:o}", "runtimes", runtimes);
  bool fits = json_object_set_new(result, "times", times) == 0;
  for (size_t i = 0; fits && i < taken->n; i++)
    fits = json_array_append_new(runtimes, json_real(taken->times[i] / 1e6)) == 0;
  if (fits && !isnan(compile_ms))
    fits = json_object_set_new(times, "compilation_time", json_real(compile_ms)) == 0;
  json_t *measurements =
      taken->n > 0 ? json_pack("[{s:s, s:f, s:s}]", "name", "time", "value",
                               dcs_summarize(taken->times, taken->n).median / 1e6, "unit", "ms")
                   : json_array();
  fits = json_object_set_new(result, "measurements", measurements) == 0 && fits;
  return fits ? DCS_OK : no_memory();
}

/* ---- a result ---- */

/* The schema's names of what became of a configuration. */
static const char *invalidity(dcs_outcome outcome) {
  switch (outcome) {
  case DCS_OUTCOME_OK:
  case DCS_OUTCOME_UNVERIFIED: /* the schema has no word for it: `correctness` is 0 */
    return "correct";
  case DCS_OUTCOME_TIMEOUT:
    return "timeout";
  case DCS_OUTCOME_INAPPLICABLE:
    return "constraints";
  case DCS_OUTCOME_NOT_BUILT:
  case DCS_OUTCOME_COMPILE:
    return "compile";
  case DCS_OUTCOME_WRONG:
    return "correctness";
  default:
    return "runtime";
  }
}

/* The row as it stands, each cell a text under its column's name. */
static dcs_status put_own(const source *s, size_t row, json_t *result) {
  json_t *own = json_object();
  if (json_object_set_new(result, "dcsbench", own) != 0) return no_memory();
  for (int c = 0; c < (int)dcs_table_columns(s->table); c++)
    if (json_object_set_new(own, dcs_table_header(s->table, c),
                            json_string(dcs_table_cell(s->table, row, c))) != 0)
      return no_memory();
  return DCS_OK;
}

static dcs_status put_result(const source *s, size_t row, json_t *results) {
  dcs_outcome outcome;
  samples taken = {0};
  if (!dcs_find_outcome(dcs_table_text(s->table, row, "outcome"), &outcome))
    return wrong(s, row, "outcome", "an outcome, such as ok");
  const bool ok = outcome == DCS_OUTCOME_OK;
  json_t *result = json_pack("{s:s, s:i, s:[s]}", "invalidity", invalidity(outcome), "correctness",
                             ok, "objectives", "time");
  if (json_array_append_new(results, result) != 0) return no_memory();
  DCS_TRY(put_configuration(s, row, result));
  dcs_status status = dcs_outcome_has_times(outcome) ? take_samples(s, row, &taken) : DCS_OK;
  if (status == DCS_OK) status = put_times(s, row, &taken, result);
  free(taken.times);
  if (status == DCS_OK && !s->run) status = put_own(s, row, result);
  return status;
}

/* ---- the file ---- */

static dcs_status write_json(const json_t *root, const char *path) {
  dcs_file file;
  DCS_TRY(dcs_file_create(&file, path));
  const bool whole = json_dumpf(root, file.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0;
  return dcs_file_finish(&file, whole ? DCS_OK : dcs_cannot("write", path));
}

static dcs_status write_t4(source *s, const char *device, const char *path) {
  json_t *results = json_array();
  json_t *root = json_pack("{s:s, s:{s:s, s:s, s:s, s:s}, s:o}", "schema_version", "1.0.0",
                           "metadata", "timeunit", "milliseconds", "autotuner", "dcsbench",
                           "autotuner_version", DCS_VERSION, "device", device, "results", results);
  dcs_status status = root ? DCS_OK : no_memory();
  find_what_varies(s);
  for (size_t row = 0; status == DCS_OK && row < dcs_table_rows(s->table); row++)
    status = put_result(s, row, results);
  if (status == DCS_OK) status = write_json(root, path);
  json_decref(root);
  return status;
}

dcs_status dcs_t4_write_journal(const dcs_table *journal, const char *path) {
  source s = {.table = journal};
  return write_t4(&s, dcs_table_text(journal, 0, "machine"), path);
}

dcs_status dcs_t4_write_run(const dcs_run *run, const char *path) {
  source s = {.table = run->summary, .run = run};
  return write_t4(&s, dcs_run_fact(run, "gpu_name"), path);
}
