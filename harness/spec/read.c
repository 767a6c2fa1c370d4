/* Specifications: the file, its parameters, conditions, search and budget. */
#include "harness/spec/read.h"

#include "harness/base/hash.h"
#include "harness/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const dcs_size_names[DCS_N_SIZE_NAMES] = {"n_inputs", "nx", "ny", "nz"};

/* ---- what the parts share ---- */

dcs_status dcs_spec_keep_text(dcs_spec *spec, const char *text, const char **kept) {
  char *copy;
  DCS_TRY(dcs_room_take(&spec->room, &copy, strlen(text) + 1, 1, "a specification"));
  memcpy(copy, text, strlen(text) + 1);
  *kept = copy;
  return DCS_OK;
}

dcs_status dcs_spec_keep_path(dcs_spec *spec, const char *name, const char **kept) {
  char path[2 * 4096];
  const char *slash = strrchr(spec->path, '/');
  snprintf(path, sizeof path, "%.*s/%s", (int)(slash - spec->path), spec->path, name);
  return dcs_spec_keep_text(spec, *name == '/' ? name : path, kept);
}

dcs_status dcs_spec_name_place(const dcs_json_place *place, dcs_status status) {
  char message[2 * DCS_TEXT];
  if (status != DCS_INPUT) return status;
  snprintf(message, sizeof message, "%s", dcs_error_message());
  return dcs_fail(DCS_INPUT, "%s: %s: %s", place->file, place->path, message);
}

bool dcs_is_identifier(const char *text) {
  if (!isalpha((unsigned char)*text) && *text != '_') return false;
  while (isalnum((unsigned char)*text) || *text == '_')
    text++;
  return *text == '\0';
}

/* The names that a formula may have. Returns how many. */
static int list_names(const dcs_spec *spec,
                      const char *names[DCS_MAX_SPEC_PARAMS + DCS_N_SIZE_NAMES]) {
  for (int p = 0; p < spec->n_params; p++)
    names[p] = spec->params[p].name;
  for (int s = 0; spec->problem && s < DCS_N_SIZE_NAMES; s++)
    names[spec->n_params + s] = dcs_size_names[s];
  return spec->n_params + (spec->problem ? DCS_N_SIZE_NAMES : 0);
}

dcs_status dcs_spec_read_formula(dcs_spec *spec, const dcs_json_place *place,
                                 dcs_spec_formula *formula) {
  const char *names[DCS_MAX_SPEC_PARAMS + DCS_N_SIZE_NAMES];
  char number[32];
  if (json_is_integer(place->json)) {
    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(place->json));
    DCS_TRY(dcs_spec_keep_text(spec, number, &formula->text));
  } else {
    DCS_TRY(dcs_json_get_text(place, &formula->text));
  }
  const int n = list_names(spec, names);
  return dcs_spec_name_place(place,
                             dcs_expression_parse(formula->text, names, n, &formula->expression));
}

/* ---- parameters ---- */

enum { MOST_VALUES = 1024 };

/* A number, a text, true or false of a list of JSON. */
static dcs_status read_value(const dcs_json_place *place, dcs_value *value) {
  const json_t *json = place->json;
  if (json_is_integer(json))
    *value = dcs_integer_value(json_integer_value(json));
  else if (json_is_real(json))
    *value = dcs_real_value(json_real_value(json));
  else if (json_is_boolean(json))
    *value = dcs_integer_value(json_is_true(json));
  else if (json_is_string(json))
    *value = dcs_text_value(json_string_value(json));
  else
    return dcs_json_wrong(place, "a number, a text, true or false");
  return DCS_OK;
}

static dcs_status take_list(dcs_spec *spec, const dcs_json_place *place, dcs_spec_param *param) {
  dcs_value *values;
  size_t n;
  DCS_TRY(dcs_json_get_array(place, MOST_VALUES, &n));
  DCS_TRY(dcs_room_take(&spec->room, &values, n + 1, sizeof *values, "values"));
  for (size_t v = 0; v < n; v++) {
    const dcs_json_place item = dcs_json_item(place, v);
    DCS_TRY(read_value(&item, &values[v]));
  }
  param->values = values;
  param->n = (int)n;
  return DCS_OK;
}

/* "[1, 2, 4]", "list(range(1, 9))"; texts are copied out of the expression. */
static dcs_status evaluate_list(dcs_spec *spec, const dcs_json_place *place,
                                dcs_spec_param *param) {
  dcs_expression *e;
  dcs_value list;
  DCS_TRY(dcs_spec_name_place(place,
                              dcs_expression_parse(json_string_value(place->json), NULL, 0, &e)));
  dcs_status status = dcs_spec_name_place(place, dcs_expression_value(e, NULL, &spec->room, &list));
  for (int v = 0; status == DCS_OK && list.type == DCS_VALUE_LIST && v < list.n; v++) {
    dcs_value *value = (dcs_value *)&list.items[v];
    if (value->type == DCS_VALUE_LIST) status = dcs_json_wrong(place, "values that are no lists");
    if (value->type == DCS_VALUE_TEXT) status = dcs_spec_keep_text(spec, value->text, &value->text);
  }
  dcs_expression_free(e);
  if (status != DCS_OK) return status;
  if (list.type != DCS_VALUE_LIST || list.n > MOST_VALUES)
    return dcs_json_wrong(place, "a list such as [1, 2, 4] of at most 1024");
  param->values = list.items;
  param->n = list.n;
  return DCS_OK;
}

/* What goes into a macro, --config and a cell of a file, and comes back from it. */
static dcs_status check_values(const dcs_json_place *place, const dcs_spec_param *param) {
  if (param->n < 1) return dcs_json_wrong(place, "a value at least");
  for (int v = 0; v < param->n; v++) {
    const dcs_value *value = &param->values[v];
    if (value->type == DCS_VALUE_TEXT &&
        (!*value->text || strlen(value->text) > 31 || strpbrk(value->text, ",|=: \t\n\"'")))
      return dcs_json_wrong(place, "texts of 1 to 31 characters, none of them , | = : a blank or a "
                                   "quote");
    for (int w = 0; w < v; w++)
      if (dcs_same_value(value, &param->values[w])) return dcs_json_wrong(place, "each value once");
  }
  return DCS_OK;
}

static dcs_status read_param(dcs_spec *spec, const dcs_json_place *place) {
  static const char *const members[] = {"Name", "Type", "Values", NULL};
  static const char *const types[] = {"int", "uint", "float", "bool", "string", NULL};
  dcs_spec_param param = {0};
  int type;
  DCS_TRY(dcs_json_only(place, members));
  const dcs_json_place name = dcs_json_member(place, "Name"), of = dcs_json_member(place, "Type"),
                       values = dcs_json_member(place, "Values");
  DCS_TRY(dcs_json_get_text(&name, &param.name));
  if (!dcs_is_identifier(param.name) || strlen(param.name) > 40)
    return dcs_json_wrong(&name, "a name of a macro, at most 40 characters");
  for (int p = 0; p < spec->n_params; p++)
    if (strcmp(spec->params[p].name, param.name) == 0)
      return dcs_json_wrong(&name, "a name that no other parameter has");
  if (of.json) DCS_TRY(dcs_json_get_word(&of, types, &type));
  if (json_is_string(values.json))
    DCS_TRY(evaluate_list(spec, &values, &param));
  else
    DCS_TRY(take_list(spec, &values, &param));
  DCS_TRY(check_values(&values, &param));
  spec->params[spec->n_params++] = param;
  return DCS_OK;
}

static dcs_status read_condition(dcs_spec *spec, const dcs_json_place *place) {
  static const char *const members[] = {"Expression", "Parameters", NULL};
  size_t n = 0;
  DCS_TRY(dcs_json_only(place, members));
  const dcs_json_place expression = dcs_json_member(place, "Expression"),
                       parameters = dcs_json_member(place, "Parameters");
  if (parameters.json) DCS_TRY(dcs_json_get_array(&parameters, DCS_MAX_SPEC_PARAMS, &n));
  for (size_t i = 0; i < n; i++) {
    const dcs_json_place item = dcs_json_item(&parameters, i);
    const char *name;
    int p = 0;
    DCS_TRY(dcs_json_get_text(&item, &name));
    while (p < spec->n_params && strcmp(spec->params[p].name, name) != 0)
      p++;
    if (p == spec->n_params) return dcs_json_wrong(&item, "the name of a tuning parameter");
  }
  return dcs_spec_read_formula(spec, &expression, &spec->conditions[spec->n_conditions++]);
}

static dcs_status read_space(dcs_spec *spec, const dcs_json_place *space) {
  static const char *const members[] = {"TuningParameters", "Conditions", NULL};
  size_t n;
  DCS_TRY(dcs_json_only(space, members));
  const dcs_json_place params = dcs_json_member(space, "TuningParameters"),
                       conditions = dcs_json_member(space, "Conditions");
  DCS_TRY(dcs_json_get_array(&params, DCS_MAX_SPEC_PARAMS, &n));
  for (size_t p = 0; p < n; p++) {
    const dcs_json_place item = dcs_json_item(&params, p);
    DCS_TRY(read_param(spec, &item));
  }
  if (!conditions.json) return DCS_OK;
  DCS_TRY(dcs_json_get_array(&conditions, DCS_MAX_CONDITIONS, &n));
  for (size_t c = 0; c < n; c++) {
    const dcs_json_place item = dcs_json_item(&conditions, c);
    DCS_TRY(read_condition(spec, &item));
  }
  return DCS_OK;
}

/* ---- search and budget ---- */

static dcs_status read_search(dcs_spec *spec, const dcs_json_place *search) {
  static const char *const members[] = {"Name", "Attributes", NULL};
  if (!search->json) return DCS_OK;
  DCS_TRY(dcs_json_only(search, members));
  const dcs_json_place name = dcs_json_member(search, "Name");
  return dcs_json_get_text(&name, &spec->search);
}

static dcs_status read_limit(dcs_spec *spec, const dcs_json_place *place) {
  static const char *const members[] = {"Type", "BudgetValue", NULL};
  static const char *const types[] = {"TuningDuration", "ConfigurationCount",
                                      "ConfigurationFraction", NULL};
  int type;
  double value;
  DCS_TRY(dcs_json_only(place, members));
  const dcs_json_place of = dcs_json_member(place, "Type"),
                       amount = dcs_json_member(place, "BudgetValue");
  DCS_TRY(dcs_json_get_word(&of, types, &type));
  DCS_TRY(dcs_json_get_number(&amount, &value));
  if (!(value > 0) || value > 1e7) return dcs_json_wrong(&amount, "a number above 0, at most 1e7");
  if (type == 0) spec->budget_s = value;
  if (type == 1) spec->budget_evals = (int64_t)ceil(value);
  if (type == 2) spec->budget_share = value;
  return type == 2 && value > 1 ? dcs_json_wrong(&amount, "a fraction, at most 1") : DCS_OK;
}

static dcs_status read_budget(dcs_spec *spec, const dcs_json_place *budget) {
  size_t n;
  if (!budget->json) return DCS_OK;
  DCS_TRY(dcs_json_get_array(budget, 3, &n));
  for (size_t b = 0; b < n; b++) {
    const dcs_json_place item = dcs_json_item(budget, b);
    DCS_TRY(read_limit(spec, &item));
  }
  return DCS_OK;
}

/* ---- the file ---- */

/* What is about output is another program's. */
static dcs_status check_general(const dcs_json_place *general) {
  static const char *const members[] = {"FormatVersion",
                                        "BenchmarkName",
                                        "LoggingLevel",
                                        "TimeUnit",
                                        "OutputFile",
                                        "OutputFormat",
                                        NULL};
  return general->json ? dcs_json_only(general, members) : DCS_OK;
}

static dcs_status read_whole(dcs_spec *spec, const dcs_json_place *whole) {
  static const char *const members[] = {
      "$schema", "General", "ConfigurationSpace", "KernelSpecification", "Search", "Budget", NULL};
  DCS_TRY(dcs_json_only(whole, members));
  const dcs_json_place general = dcs_json_member(whole, "General"),
                       space = dcs_json_member(whole, "ConfigurationSpace"),
                       kernel = dcs_json_member(whole, "KernelSpecification"),
                       search = dcs_json_member(whole, "Search"),
                       budget = dcs_json_member(whole, "Budget");
  const dcs_json_place problem = dcs_json_member(&kernel, "Problem");
  if (problem.json) DCS_TRY(dcs_json_get_text(&problem, &spec->problem));
  DCS_TRY(check_general(&general));
  DCS_TRY(read_space(spec, &space));
  DCS_TRY(dcs_spec_read_kernel(spec, &kernel));
  DCS_TRY(dcs_spec_read_arguments(spec, &kernel));
  DCS_TRY(read_search(spec, &search));
  return read_budget(spec, &budget);
}

static dcs_status read_text(dcs_spec *spec, const char *name, const char *text, size_t bytes) {
  json_error_t error;
  spec->json = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
  if (!spec->json)
    return dcs_fail(DCS_INPUT, "%s: line %d, column %d: found no JSON: %s", name, error.line,
                    error.column, error.text);
  spec->hash = dcs_hash(spec->hash, text, bytes);
  const dcs_json_place whole = {.file = name, .json = spec->json, .path = "$"};
  return read_whole(spec, &whole);
}

dcs_status dcs_spec_read(const char *path, dcs_spec *spec) {
  char absolute[PATH_MAX], *text;
  size_t bytes;
  const char *name;
  *spec = (dcs_spec){.hash = DCS_HASH_START};
  DCS_TRY(dcs_read_file(path, &text, &bytes));
  dcs_status status = DCS_OK;
  if (!realpath(path, absolute) || strlen(absolute) >= sizeof spec->path)
    status = dcs_fail(DCS_IO, "%s: cannot find where it lies: %s", path, strerror(errno));
  if (status == DCS_OK) {
    memcpy(spec->path, absolute, strlen(absolute) + 1);
    status = dcs_spec_keep_text(spec, path, &name);
  }
  if (status == DCS_OK) status = read_text(spec, name, text, bytes);
  free(text);
  return status;
}

static void free_formulas(dcs_spec_formula *formulas, int n) {
  for (int f = 0; f < n; f++)
    dcs_expression_free(formulas[f].expression);
}

void dcs_spec_free(dcs_spec *spec) {
  free_formulas(spec->conditions, DCS_MAX_CONDITIONS);
  free_formulas(spec->global, 3);
  free_formulas(spec->local, 3);
  for (int a = 0; a < DCS_MAX_ARGUMENTS; a++) {
    dcs_expression_free(spec->arguments[a].fill.generator);
    dcs_expression_free(spec->arguments[a].expected.generator);
  }
  free(spec->kernel);
  json_decref(spec->json);
  dcs_room_free(&spec->room);
  *spec = (dcs_spec){0};
}

bool dcs_spec_is_verified(const dcs_spec *spec) {
  if (spec->problem) return true;
  for (int a = 0; a < spec->n_arguments; a++)
    if (spec->arguments[a].expected.type != DCS_FILL_NOTHING) return true;
  return false;
}
