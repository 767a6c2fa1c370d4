/* The variant that a specification makes. */
#include "harness/spec/made.h"

#include "harness/device/kernel_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters ---- */

/* The value as a macro has it. */
static void write_value(const dcs_value *value, char text[64]) {
  if (value->type == DCS_VALUE_TEXT)
    snprintf(text, 64, "%.31s", value->text);
  else if (value->type == DCS_VALUE_INTEGER)
    snprintf(text, 64, "%lld", (long long)value->integer);
  else
    for (int digits = 6; digits <= 17; digits++) { /* the fewest that read back */
      snprintf(text, 64, "%.*g", digits, value->real);
      if (strtod(text, NULL) == value->real) break;
    }
  if (value->type == DCS_VALUE_REAL && !strpbrk(text, ".e"))
    snprintf(text + strlen(text), 64 - strlen(text), ".0");
}

static bool is_small(const dcs_value *value) {
  return value->type == DCS_VALUE_INTEGER && value->integer >= 0 && value->integer < 1000000;
}

static int by_size(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Whole numbers: what is tried, in order. */
static dcs_status take_numbers(dcs_made *made, const dcs_spec_param *from, dcs_param *param) {
  int *tries;
  DCS_TRY(dcs_room_take(&made->spec.room, &tries, (size_t)from->n + 1, sizeof *tries, "values"));
  for (int v = 0; v < from->n; v++)
    tries[v] = (int)from->values[v].integer;
  qsort(tries, (size_t)from->n, sizeof *tries, by_size);
  tries[from->n] = DCS_TRIES_END;
  param->tries = tries;
  param->lo = tries[0];
  param->hi = tries[from->n - 1];
  param->initial = (double)from->values[0].integer;
  return DCS_OK;
}

/* Anything else is a name to the search. */
static dcs_status take_labels(dcs_made *made, const dcs_spec_param *from, dcs_param *param) {
  const char **labels;
  DCS_TRY(dcs_room_take(&made->spec.room, &labels, (size_t)from->n, sizeof *labels, "values"));
  for (int v = 0; v < from->n; v++) {
    char text[64], *copy;
    write_value(&from->values[v], text);
    DCS_TRY(dcs_room_take(&made->spec.room, &copy, strlen(text) + 1, 1, "values"));
    memcpy(copy, text, strlen(text) + 1);
    labels[v] = copy;
  }
  param->labels = labels;
  param->hi = from->n - 1;
  return DCS_OK;
}

static dcs_status add_param(dcs_made *made, int p) {
  const dcs_spec_param *from = &made->spec.params[p];
  bool numbers = true;
  for (int v = 0; v < from->n; v++)
    numbers = numbers && is_small(&from->values[v]);
  if (made->variant.n_params == DCS_MAX_PARAMS)
    return dcs_fail(DCS_INPUT, "%s: found more than %d parameters of several values",
                    made->spec.path, DCS_MAX_PARAMS);
  dcs_param *param = &made->params[made->variant.n_params];
  *param = (dcs_param){.name = from->name, .meaning = "of the specification"};
  made->param_of[made->variant.n_params++] = p;
  return numbers ? take_numbers(made, from, param) : take_labels(made, from, param);
}

/* One value is no choice: it is a macro alone. */
static dcs_status add_constant(dcs_made *made, const dcs_spec_param *from) {
  char value[64], *option;
  write_value(&from->values[0], value);
  const size_t size = strlen(from->name) + strlen(value) + 8;
  DCS_TRY(dcs_room_take(&made->spec.room, &option, size, 1, "options"));
  snprintf(option, size, "-D%s=%s", from->name, value);
  if (made->spec.n_options == DCS_MAX_OPTIONS)
    return dcs_fail(DCS_INPUT, "%s: found more than %d options", made->spec.path, DCS_MAX_OPTIONS);
  made->spec.options[made->spec.n_options++] = option;
  return DCS_OK;
}

/* Every configuration must be told apart in a cell of a file. */
static dcs_status check_text(const dcs_made *made) {
  size_t length = 0;
  for (int p = 0; p < made->variant.n_params; p++) {
    const dcs_param *param = &made->params[p];
    size_t longest = 0;
    char value[32];
    for (int v = 0; v < made->spec.params[made->param_of[p]].n; v++) {
      const double number = param->labels ? v : param->tries[v];
      const size_t own = strlen(dcs_format_value(param, number, value));
      longest = own > longest ? own : longest;
    }
    length += strlen(param->name) + longest + 2;
  }
  if (length < DCS_TEXT) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: found parameters whose names and values have %zu characters; expected at "
                  "most %d: shorter names",
                  made->spec.path, length, DCS_TEXT - 1);
}

/* ---- arguments ---- */

static dcs_status add_argument(dcs_made *made, int *n, dcs_arg arg) {
  if (*n == DCS_MAX_ARGS)
    return dcs_fail(DCS_INPUT, "%s: found more than %d arguments", made->spec.path, DCS_MAX_ARGS);
  made->args[(*n)++] = arg;
  made->args[*n] = DCS_ARG_END;
  return DCS_OK;
}

static dcs_status add_scalar(dcs_made *made, const dcs_spec_argument *argument, int *n, int *used) {
  const int bytes = (int)dcs_spec_bytes(argument), at = (*used + bytes - 1) / bytes * bytes;
  if (at + bytes > DCS_OWN_BYTES)
    return dcs_fail(DCS_INPUT, "%s: found scalars of more than %d bytes", made->spec.path,
                    DCS_OWN_BYTES);
  DCS_TRY(dcs_spec_make_data(argument, &argument->fill, made->own + at));
  *used = at + bytes;
  return add_argument(made, n, DCS_OWN_AT(at));
}

static dcs_status add_own_arguments(dcs_made *made) {
  int n = 0, used = 0;
  for (int a = 0; a < made->spec.n_arguments; a++) {
    const dcs_spec_argument *argument = &made->spec.arguments[a];
    int b = 0;
    if (!argument->vector) {
      DCS_TRY(add_scalar(made, argument, &n, &used));
      continue;
    }
    while (made->argument_of[b] != a || made->buffers[b].output != argument->written)
      b++;
    DCS_TRY(add_argument(made, &n, DCS_BUFFER(b)));
  }
  return DCS_OK;
}

static const struct {
  const char *name;
  dcs_arg arg;
} known[] = {
    {"n_inputs", DCS_ARG_N_INPUTS}, {"nx", DCS_ARG_NX},  {"ny", DCS_ARG_NY}, {"nz", DCS_ARG_NZ},
    {"spacing", DCS_ARG_SPACING},   {"sms", DCS_ARG_SMS}};
enum { N_KNOWN = sizeof known / sizeof known[0], N_USUAL = 5 };

static dcs_status find_argument(dcs_made *made, const dcs_spec_argument *argument, dcs_arg *arg) {
  char expected[DCS_TEXT] = "";
  for (int b = 0; b < made->of->n_buffers; b++) {
    *arg = DCS_BUFFER(b);
    if (strcmp(made->of->buffers[b].name, argument->name) == 0) return DCS_OK;
    dcs_append(expected, sizeof expected, "%s, ", made->of->buffers[b].name);
  }
  for (int k = 0; k < N_KNOWN; k++) {
    *arg = known[k].arg;
    if (strcmp(known[k].name, argument->name) == 0) return DCS_OK;
    dcs_append(expected, sizeof expected, "%s%s", known[k].name, k < N_KNOWN - 1 ? ", " : "");
  }
  return dcs_fail(DCS_INPUT, "%s: found \"%s\"; expected one of %s", argument->fill.where,
                  argument->name, expected);
}

/* Those that are listed; else outputs, inputs and sizes. */
static dcs_status add_arguments_of_problem(dcs_made *made) {
  int n = 0;
  for (int a = 0; a < made->spec.n_arguments; a++) {
    dcs_arg arg;
    DCS_TRY(find_argument(made, &made->spec.arguments[a], &arg));
    DCS_TRY(add_argument(made, &n, arg));
  }
  if (n > 0) return DCS_OK;
  for (int output = 1; output >= 0; output--)
    for (int b = 0; b < made->of->n_buffers; b++)
      if (made->of->buffers[b].output == (output == 1))
        DCS_TRY(add_argument(made, &n, DCS_BUFFER(b)));
  for (int k = 0; k < N_USUAL; k++)
    DCS_TRY(add_argument(made, &n, known[k].arg));
  return DCS_OK;
}

/* ---- what is the same for all of them ---- */

/* A kernel takes no parameters of the problem: it computes the initial one. */
bool dcs_made_solves(const dcs_made *made, const dcs_config *problem, char why[DCS_TEXT]) {
  const dcs_kind *kind = made->of;
  const dcs_config initial = dcs_initial_problem(kind);
  char text[DCS_TEXT];
  if (dcs_same_problem(kind, problem, &initial)) return true;
  snprintf(why, DCS_TEXT, "it computes %s without %.180s", kind->id,
           dcs_format_problem(kind, problem, text));
  return false;
}

static dcs_dims executed(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return problem->n;
}

static double flops_per_eval(const dcs_config *config) {
  (void)config;
  return NAN; /* nobody says */
}

static int64_t longest_sum(const dcs_problem *problem, const dcs_config *config) {
  (void)config;
  return problem->n_inputs;
}

dcs_status dcs_made_fill_variant(dcs_made *made) {
  dcs_spec *spec = &made->spec;
  made->sources[0] = spec->kernel_file;
  made->variant = (dcs_variant){.id = made->id,
                                .kind = made->of->id,
                                .idea = made->what,
                                .sources = made->sources,
                                .outside = &made->outside,
                                .backend = spec->is_c ? DCS_CPU : DCS_GPU,
                                .params = made->params,
                                .executed = executed,
                                .flops_per_eval = flops_per_eval,
                                .longest_sum = longest_sum};
  for (int p = 0; p < spec->n_params; p++)
    DCS_TRY(spec->params[p].n > 1 ? add_param(made, p) : add_constant(made, &spec->params[p]));
  DCS_TRY(check_text(made));
  DCS_TRY(spec->problem ? add_arguments_of_problem(made) : add_own_arguments(made));
  made->outside.file = spec->path;
  made->outside.hash = spec->hash;
  made->outside.language = spec->is_c ? "c" : "cuda";
  made->outside.text = spec->kernel;
  made->outside.options = spec->options;
  made->outside.n_options = spec->n_options;
  return DCS_OK;
}
