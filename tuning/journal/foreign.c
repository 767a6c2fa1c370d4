#include "tuning/journal/foreign.h"

#include "harness/base/grow.h"
#include "harness/base/text.h"
#include "harness/files/text_stream.h"
#include "harness/timings/t4_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Problems of other programs' kernels: nothing is known of them. */
static const dcs_kind unknown_kind = {
    .id = DCS_EXTERNAL, .what = "results of other tuners", .unit = "", .eval = ""};

/* The file's results, joined where they are of one configuration. */
typedef struct {
  const char *path;
  json_t *index;           /* a configuration's text: its place in the lists */
  json_t **configurations; /* in the order they appeared; n */
  dcs_evaluation *evaluations;
  int n;
  dcs_scope scope; /* of all of them */
} collection;

/* ---- collecting ---- */

static dcs_status no_memory(void) {
  return dcs_fail(DCS_UNAVAILABLE, "no memory for configurations");
}

static dcs_status add_configuration(collection *c, const char *text, json_t *configuration) {
  const size_t n = (size_t)c->n;
  if (json_object_set_new(c->index, text, json_integer(c->n)) != 0) return no_memory();
  DCS_TRY(dcs_grow(&c->configurations, n, sizeof(void *), "configurations"));
  DCS_TRY(dcs_grow(&c->evaluations, n, sizeof *c->evaluations, "configurations"));
  c->configurations[n] = json_incref(configuration);
  c->evaluations[n] = (dcs_evaluation){.registers = -1, .compile_ms = NAN};
  c->n++;
  return DCS_OK;
}

static dcs_status find_configuration(collection *c, json_t *configuration, dcs_evaluation **found) {
  char *text = json_dumps(configuration, JSON_COMPACT | JSON_SORT_KEYS);
  if (!text) return no_memory();
  const json_t *at = json_object_get(c->index, text);
  int place = at ? (int)json_integer_value(at) : c->n;
  dcs_status status = at ? DCS_OK : add_configuration(c, text, configuration);
  if (status == DCS_OK) *found = &c->evaluations[place];
  free(text);
  return status;
}

/* No tuner chooses between scopes. */
static dcs_status take_scope(collection *c, const dcs_t4_result *result) {
  if (c->n == 0) c->scope = result->scope;
  if (c->scope == result->scope) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: %s: found the scope %s after %s; expected results of one scope",
                  c->path, result->where, dcs_scope_name(result->scope), dcs_scope_name(c->scope));
}

static dcs_status collect(void *to, const dcs_t4_result *result) {
  const size_t n = json_array_size(result->runtimes);
  dcs_evaluation *e = NULL;
  DCS_TRY(take_scope(to, result));
  DCS_TRY(find_configuration(to, result->configuration, &e));
  if (e->outcome != DCS_OUTCOME_OK || result->outcome != DCS_OUTCOME_OK) e->n = 0;
  e->known = true;
  e->outcome = result->outcome;
  e->compile_ms = result->compile_ms;
  if (e->outcome != DCS_OUTCOME_OK) return DCS_OK;
  double *times = malloc(n * sizeof *times);
  if (!times) return no_memory();
  for (size_t i = 0; i < n; i++)
    times[i] = result->unit_ns * json_number_value(json_array_get(result->runtimes, i));
  dcs_status status = dcs_evaluation_add(e, times, (int)n);
  free(times);
  return status;
}

/* ---- parameters ---- */

/* A number, also one that is written as a text; NaN: none. */
static double number_of(const json_t *value) {
  double number;
  if (!json_is_string(value)) return json_is_number(value) ? json_number_value(value) : NAN;
  const bool reads =
      dcs_parse_number("", json_string_value(value), -1e300, 1e300, &number) == DCS_OK;
  return reads ? number : NAN;
}

static const char *text_of(const json_t *value, char text[32]) {
  if (json_is_string(value)) return json_string_value(value);
  if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
  snprintf(text, 32, "%.17g", json_number_value(value));
  return text;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The distinct texts of a parameter, in order, as the names of 0, 1, ... */
static dcs_status take_labels(const collection *c, const char *name, dcs_room *room,
                              dcs_param *param) {
  char **labels;
  int n = 0;
  DCS_TRY(dcs_room_take(room, &labels, (size_t)c->n, sizeof *labels, "values"));
  for (int i = 0; i < c->n; i++) {
    char number[32];
    const char *text = text_of(json_object_get(c->configurations[i], name), number);
    DCS_TRY(dcs_room_take(room, &labels[i], strlen(text) + 1, 1, "values"));
    memcpy(labels[i], text, strlen(text) + 1);
  }
  qsort(labels, (size_t)c->n, sizeof *labels, by_name);
  for (int i = 0; i < c->n; i++)
    if (i == 0 || strcmp(labels[i], labels[n - 1]) != 0) labels[n++] = labels[i];
  param->labels = (const char *const *)labels;
  param->hi = n - 1;
  return DCS_OK;
}

static double value_of(const dcs_param *param, const json_t *value) {
  char number[32];
  if (!param->labels) return number_of(value);
  const char *text = text_of(value, number);
  const char *const *found =
      bsearch(&text, param->labels, (size_t)param->hi + 1, sizeof text, by_name);
  return (double)(found - param->labels);
}

/* Numbers where all values are, else names. Each configuration must have one. */
static dcs_status describe(const collection *c, const char *name, dcs_room *room,
                           dcs_param *param) {
  bool numbers = true;
  for (int i = 0; i < c->n; i++) {
    const json_t *value = json_object_get(c->configurations[i], name);
    if (!value)
      return dcs_fail(DCS_INPUT,
                      "%s: configuration %d: found no %s; expected a value of each "
                      "parameter of the first",
                      c->path, i + 1, name);
    const double number = number_of(value);
    numbers = numbers && !isnan(number);
    param->lo = i ? fmin(param->lo, number) : number;
    param->hi = i ? fmax(param->hi, number) : number;
  }
  if (numbers) return DCS_OK;
  *param = (dcs_param){.name = param->name, .meaning = ""};
  return take_labels(c, name, room, param);
}

/* Those of the first configuration of which there is more than one value. */
static dcs_status find_params(const collection *c, dcs_room *room, dcs_variant *variant) {
  dcs_param *params;
  const char *name;
  json_t *value;
  DCS_TRY(dcs_room_take(room, &params, DCS_MAX_PARAMS + 1, sizeof *params, "parameters"));
  variant->params = params;
  json_object_foreach(c->configurations[0], name, value) {
    dcs_param *param = &params[variant->n_params];
    char *own;
    DCS_TRY(dcs_room_take(room, &own, strlen(name) + 1, 1, "names"));
    memcpy(own, name, strlen(name) + 1);
    *param = (dcs_param){.name = own, .meaning = "", .real = true};
    DCS_TRY(describe(c, name, room, param));
    if (param->lo == param->hi) continue;
    if (variant->n_params++ == DCS_MAX_PARAMS)
      return dcs_fail(DCS_INPUT, "%s: found more than %d parameters of several values", c->path,
                      DCS_MAX_PARAMS);
  }
  for (int p = 0; p < variant->n_params; p++)
    params[p].initial = params[p].labels ? 0 : (params[p].lo + params[p].hi) / 2;
  if (variant->n_params > 0) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: found no parameter of several values; expected one", c->path);
}

/* ---- the recording ---- */

/* The file's name without folder and suffix. */
static dcs_status take_id(const char *path, dcs_room *room, const char **id) {
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  size_t n = strlen(name);
  static const char *const suffixes[] = {".json", ".t4"};
  char *own;
  for (int s = 0; s < 2; s++) {
    const size_t length = strlen(suffixes[s]);
    if (n > length && strncmp(name + n - length, suffixes[s], length) == 0) n -= length;
  }
  DCS_TRY(dcs_room_take(room, &own, n + 1, 1, "names"));
  snprintf(own, n + 1, "%s", name);
  *id = own;
  return DCS_OK;
}

/* The collection's evaluations are the recording's from then on. */
static dcs_status record(collection *c, const json_t *root, dcs_journal *journal) {
  dcs_variant *variant;
  DCS_TRY(dcs_room_take(&journal->room, &variant, 1, sizeof *variant, "variants"));
  *variant = (dcs_variant){.kind = DCS_EXTERNAL, .idea = "", .backend = DCS_NO_BACKEND};
  DCS_TRY(take_id(c->path, &journal->room, &variant->id));
  DCS_TRY(find_params(c, &journal->room, variant));
  DCS_TRY(dcs_grow(&journal->list, (size_t)journal->n, sizeof *journal->list, "recordings"));
  dcs_config *configs = calloc((size_t)c->n, sizeof *configs);
  if (!configs) return no_memory();
  for (int i = 0; i < c->n; i++)
    for (int p = 0; p < variant->n_params; p++)
      configs[i].value[p] = value_of(
          &variant->params[p], json_object_get(c->configurations[i], variant->params[p].name));
  dcs_recorded_space *recording = &journal->list[journal->n++];
  *recording = (dcs_recorded_space){
      {.variant = variant, .scope = c->scope, .size = {.kind = &unknown_kind}, .work = 1},
      configs,
      c->evaluations,
      c->n};
  snprintf(recording->subject.machine, sizeof recording->subject.machine, "%.127s",
           dcs_t4_device(root));
  c->evaluations = NULL;
  return DCS_OK;
}

static void forget(collection *c) {
  for (int i = 0; i < c->n; i++)
    json_decref(c->configurations[i]);
  free(c->configurations);
  if (c->evaluations) dcs_evaluations_free(c->evaluations, c->n);
  json_decref(c->index);
}

/* ---- what this program wrote ---- */

static void put_cell(FILE *csv, const char *text, bool first) {
  fputs(first ? "\"" : ",\"", csv);
  for (; *text; text++) {
    if (*text == '"') fputc('"', csv);
    fputc(*text, csv);
  }
  fputc('"', csv);
}

/* A row of the journal that the result was written from; the first brings the header. */
static dcs_status put_row(void *to, const dcs_t4_result *result) {
  FILE *csv = to;
  const char *name;
  json_t *value;
  bool first = true;
  if (json_object_size(result->own) == 0)
    return dcs_fail(DCS_INPUT,
                    "%s: %s.dcsbench: found none; expected a row, as of the first result",
                    result->path, result->where);
  const bool header = strcmp(result->where, "results[0]") == 0;
  for (int names = header; names >= 0; names--, first = true) {
    json_object_foreach((json_t *)result->own, name, value) {
      if (!json_is_string(value))
        return dcs_fail(DCS_INPUT, "%s: %s.dcsbench.%s: found no text; expected a cell",
                        result->path, result->where, name);
      put_cell(csv, names ? name : json_string_value(value), first);
      first = false;
    }
    fputs("\n", csv);
  }
  return DCS_OK;
}

static dcs_status add_own(const char *path, const json_t *root, dcs_journal *journal) {
  dcs_text_stream csv;
  char *text;
  size_t size;
  dcs_table *table;
  DCS_TRY(dcs_text_begin(&csv));
  dcs_status status = dcs_t4_each(path, root, put_row, csv.stream);
  DCS_TRY(dcs_text_end(&csv, &text, &size));
  if (status == DCS_OK && (status = dcs_table_parse(path, text, size, &table)) == DCS_OK) {
    status = dcs_journal_add_table(table, journal);
    dcs_table_free(table);
  }
  free(text);
  return status;
}

dcs_status dcs_journal_add_t4(const char *path, const json_t *root, dcs_journal *journal) {
  if (!dcs_t4_looks(root))
    return dcs_fail(DCS_INPUT,
                    "%s: found no results of a tuner; expected T4, KTT's output or a "
                    "cache of Kernel Tuner",
                    path);
  const int before = journal->n;
  if (json_object_get(json_array_get(json_object_get(root, "results"), 0), "dcsbench"))
    DCS_TRY(add_own(path, root, journal));
  if (journal->n > before) return DCS_OK;
  collection c = {.path = path, .index = json_object()};
  dcs_status status = c.index ? dcs_t4_each(path, root, collect, &c) : no_memory();
  if (status == DCS_OK) status = record(&c, root, journal);
  forget(&c);
  return status;
}
