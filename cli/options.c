/* How a command line is read, with argp. */
#include "cli/options.h"

#include "harness/base/text.h"
#include "harness/spec/own.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_OPTIONS = DCS_MOST_PARAM_OPTIONS + 32,
  FIRST_KEY = 1000 /* of those without a letter */
};

/* Groups of options in the help; those of the command alone come first, without a title. */
typedef enum { OF_COMMAND, OF_PLAN, OF_MOLECULE, OF_PROBLEM, OF_DEVICE, N_GROUPS } option_group;
static const char *const titles[N_GROUPS] = {
    [OF_PLAN] = "What is measured:",
    [OF_MOLECULE] = "The molecule and its grid:",
    [OF_PROBLEM] = "The problem, and its parameters behind the problems that have them:",
    [OF_DEVICE] = "Where it is computed:"};

/* All options of a command, shared ones among them: what they are, whose values they set, and as
 * argp wants them. */
typedef struct {
  const dcs_command_line *line;
  void *arguments;
  dcs_problem_choice *choice;         /* NULL: none */
  const dcs_problem_options *problem; /* NULL: none */
  dcs_typed *typed;                   /* NULL: nobody asks */
  int n;
  dcs_option options[MOST_OPTIONS];
  void *values[MOST_OPTIONS];
  struct argp_option listed[MOST_OPTIONS + N_GROUPS + 1]; /* and titles, and the end */
} command_line;

/* ---- all options of a command ---- */

static void add_options(command_line *all, const dcs_option *options, void *values,
                        option_group group) {
  for (const dcs_option *o = options; o && o->name && all->n < MOST_OPTIONS; o++) {
    const int key = o->letter ? o->letter : FIRST_KEY + all->n;
    all->options[all->n] = *o;
    all->values[all->n] = values;
    all->listed[all->n++] = (struct argp_option){
        o->name, key, o->arg, o->arg_optional ? OPTION_ARG_OPTIONAL : 0, o->doc, group};
  }
}

static void list_options(command_line *all, dcs_shared_options shared) {
  dcs_option params[DCS_MOST_PARAM_OPTIONS + 1];
  bool any[N_GROUPS] = {[OF_PLAN] = shared.planned,
                        [OF_MOLECULE] = shared.problem || shared.read,
                        [OF_PROBLEM] = shared.choice,
                        [OF_DEVICE] = shared.device};
  add_options(all, all->line->options, all->arguments, OF_COMMAND);
  if (shared.planned) add_options(all, dcs_listed_plan, shared.planned, OF_PLAN);
  if (shared.problem) add_options(all, dcs_listed_problem, shared.problem, OF_MOLECULE);
  if (shared.problem) shared.read = &shared.problem->input.how;
  if (shared.read) add_options(all, dcs_listed_read, shared.read, OF_MOLECULE);
  if (shared.read && !shared.units)
    add_options(all, dcs_listed_parameters, shared.read, OF_MOLECULE);
  if (shared.units) add_options(all, dcs_listed_units, shared.units, OF_COMMAND);
  if (shared.choice) {
    dcs_list_params(params);
    add_options(all, dcs_listed_kind, shared.choice, OF_PROBLEM);
    add_options(all, params, shared.choice, OF_PROBLEM);
    add_options(all, dcs_listed_cell, shared.choice, OF_PROBLEM);
  }
  if (shared.device) add_options(all, dcs_listed_device, shared.device, OF_DEVICE);
  struct argp_option *title = all->listed + all->n;
  for (option_group g = OF_PLAN; g < N_GROUPS; g++)
    if (any[g])
      *title++ = (struct argp_option){
          .doc = g == OF_DEVICE && all->line->device_title ? all->line->device_title : titles[g],
          .group = (int)g};
}

/* "coulomb, forces: text" of an option that is a parameter of problems. */
static char *name_problems(const command_line *all, int key, const char *text) {
  char kinds[DCS_TEXT], *named;
  const int o = key - FIRST_KEY;
  if (o < 0 || o >= all->n || !all->choice || all->values[o] != all->choice) return (char *)text;
  if (!*dcs_kinds_with(all->options[o].name, kinds)) return (char *)text;
  return asprintf(&named, "%s: %s", kinds, text) < 0 ? NULL : named;
}

/* The texts of options that have choices in them. --device: %1$s becomes the names of devices, %2$s
 * the default one, %3$s those of several; --input, --format: %1$s the formats that are read; --out:
 * %1$s the endings of maps. */
static char *name_choices(int key, const char *text, void *input) {
  char names[DCS_TEXT], lists[DCS_TEXT], *named;
  int length;
  if (!text) return NULL;
  if (!strchr(text, '%')) return name_problems(input, key, text);
  if (key == 'd')
    length = asprintf(&named, text, dcs_device_names(names), dcs_default_device(),
                      dcs_device_list_names(lists));
  else if (key == 'i' || key == 'F')
    length = asprintf(&named, text, dcs_molecule_formats(names, sizeof names));
  else if (key == 'o')
    length = asprintf(&named, text, dcs_field_format_list(names));
  else
    return (char *)text;
  return length < 0 ? NULL : named;
}

/* ---- what was typed ---- */

static dcs_status take_file(const char *path, dcs_input *input) {
  const char **files = input->files;
  if (files[0] && files[1])
    return dcs_fail(DCS_USAGE,
                    "--input: found \"%s\", a third file; expected one, or two of which one gives "
                    "charges and one places",
                    path);
  files[files[0] ? 1 : 0] = path;
  return DCS_OK;
}

static dcs_status take(const dcs_option *o, const char *arg, void *values) {
  void *place = (char *)values + o->place;
  char what[64];
  snprintf(what, sizeof what, "--%s", o->name);
  switch (o->type) {
  case DCS_OPTION_FLAG:
    *(bool *)place = true;
    return DCS_OK;
  case DCS_OPTION_VALUE:
    *(int *)place = (int)o->least;
    return DCS_OK;
  case DCS_OPTION_WORD:
    *(const char **)place = arg;
    return DCS_OK;
  case DCS_OPTION_FILES:
    return take_file(arg, place);
  case DCS_OPTION_INTEGER:
    return dcs_parse_integer(what, arg, o->least, o->most, place);
  case DCS_OPTION_NUMBER:
    return dcs_parse_number(what, arg, o->lo, o->hi, place);
  default:
    return o->take(arg, values);
  }
}

/* Keeps a shared option as it was typed. */
static dcs_status keep_typed(dcs_typed *typed, const dcs_option *o, const char *arg) {
  if (typed->n == DCS_MAX_TYPED) return dcs_fail(DCS_USAGE, "more than %d options", typed->n);
  if (asprintf(&typed->words[typed->n], "--%s%s%s", o->name, arg ? "=" : "", arg ? arg : "") < 0)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for --%s", o->name);
  typed->n++;
  return DCS_OK;
}

void dcs_typed_free(dcs_typed *typed) {
  while (typed->n > 0)
    free(typed->words[--typed->n]);
}

/* False: it is one too many. */
static bool take_word(const command_line *all, char *word) {
  const char **words = (const char **)((char *)all->arguments + all->line->place);
  if (all->line->take_word) return all->line->take_word(word, all->arguments);
  for (int w = 0; w < all->line->words; w++) {
    if (words[w]) continue;
    words[w] = word;
    return true;
  }
  return false;
}

static dcs_status check(const command_line *all) {
  const char *const *words = (const char **)((char *)all->arguments + all->line->place);
  if (all->line->missing && !words[all->line->words - 1])
    return dcs_fail(DCS_USAGE, "%s", all->line->missing);
  if (all->choice) DCS_TRY(dcs_assemble_choice(all->choice));
  if (all->line->check) DCS_TRY(all->line->check(all->arguments));
  DCS_TRY(dcs_check_parameters(all->problem));
  return all->choice ? dcs_check_choice(all->choice, all->problem) : DCS_OK;
}

static dcs_status take_option(command_line *all, int o, const char *arg) {
  DCS_TRY(take(&all->options[o], arg, all->values[o]));
  if (!all->typed || all->values[o] == all->arguments) return DCS_OK;
  return keep_typed(all->typed, &all->options[o], arg);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  command_line *all = state->input;
  dcs_status status = DCS_OK;
  int o = 0;
  while (o < all->n && all->listed[o].key != key)
    o++;
  if (o < all->n)
    status = take_option(all, o, arg);
  else if (key == ARGP_KEY_END)
    status = check(all);
  else if (key != ARGP_KEY_ARG || !take_word(all, arg))
    return ARGP_ERR_UNKNOWN;
  if (status != DCS_OK) argp_error(state, "%s", dcs_error_message());
  return 0;
}

dcs_status dcs_parse_options(const dcs_command_line *line, int argc, char **argv, void *arguments,
                             dcs_shared_options shared) {
  command_line all = {.line = line,
                      .arguments = arguments,
                      .choice = shared.choice,
                      .problem = shared.problem,
                      .typed = shared.typed};
  const struct argp argp = {.options = all.listed,
                            .parser = parse,
                            .args_doc = line->args_doc,
                            .doc = line->doc,
                            .help_filter = name_choices};
  if (shared.device) *shared.device = (dcs_device_options){.timeout_s = 300};
  if (shared.problem) *shared.problem = (dcs_problem_options){.grid = {.margin = 5}};
  if (shared.units) *shared.units = (dcs_units_options){.kelvin = 298.15};
  if (shared.planned) *shared.planned = (dcs_plan_options){.seed = 1};
  if (shared.choice && !shared.choice->kind) shared.choice->kind = dcs_kinds[0];
  list_options(&all, shared);
  /* In order: argv stays as it was typed, for the record. */
  error_t error = argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &all);
  const char *kernels = shared.device ? shared.device->kernels : NULL;
  if (error == 0) return kernels ? dcs_own_load_folder(kernels) : DCS_OK;
  return dcs_fail(error == ENOMEM ? DCS_UNAVAILABLE : DCS_USAGE, "cannot read the command line: %s",
                  strerror(error));
}

void dcs_print_wrapped(const char *label, int indent, const char *text) {
  enum { WIDTH = 88 };
  int column = printf("  %-*s", indent - 2, label);
  for (bool first = true; *text; first = false) {
    int n = (int)strcspn(text, " ");
    if (!first && column + 1 + n > WIDTH)
      column = printf("\n%*s", indent, "") - 1;
    else if (!first)
      column += printf(" ");
    column += printf("%.*s", n, text);
    text += n;
    text += strspn(text, " ");
  }
  printf("\n");
}
