/* How a command line is read, and the options that several commands share. */
#include "cli/commands.h"

#include "harness/base/text.h"
#include "harness/spec/own.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMS = sizeof((dcs_problem_choice *)NULL)->typed / sizeof(char *) };
enum { MOST_OPTIONS = MOST_PARAMS + 32, FIRST_KEY = 1000 /* of those without a letter */ };

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
  struct argp_option listed[MOST_OPTIONS + 2]; /* and a title, and the end */
} command_line;

/* ---- where a molecule is computed, and what ---- */

static dcs_status take_device(const char *arg, void *values) {
  char names[DCS_TEXT];
  ((dcs_device_options *)values)->device = arg;
  if (strcmp(arg, "cpu") != 0) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "--device: found \"cpu\"; expected the device of the CUDA variants, %s; "
                  "--variants cpu chooses the CPU's",
                  dcs_device_names(names));
}

static const dcs_option device_options[] = {
    {"device", 'd', "DEVICE",
     "device of the CUDA variants: %1$s (%2$s); in verify and sweep also several that share each "
     "map: %3$s",
     .take = take_device},
    {"kernels", 0, "DIR",
     "read the .cu files from DIR instead of the built-in ones, and variants of your own: *.json "
     "there (results/tuning-your-kernel.md)",
     DCS_WORD(dcs_device_options, kernels)},
    {"timeout", 0, "SECONDS", "longest wait for one answer of a worker (300)",
     DCS_NUMBER(dcs_device_options, timeout_s, 0.001, 1e6)},
    {0}};

static dcs_status take_origin(const char *text, void *values) {
  dcs_grid *grid = &((dcs_problem_options *)values)->grid;
  char **parts;
  int n;
  DCS_TRY(dcs_split(text, ',', &parts, &n));
  dcs_status status =
      n == 3 ? DCS_OK : dcs_fail(DCS_USAGE, "--origin: found \"%s\"; expected X,Y,Z", text);
  for (int d = 0; status == DCS_OK && d < 3; d++)
    status = dcs_parse_number("--origin", parts[d], -1e7, 1e7, &grid->origin[d]);
  free(parts);
  grid->has_origin = true;
  return status;
}

static dcs_status take_margin(const char *text, void *values) {
  dcs_grid *grid = &((dcs_problem_options *)values)->grid;
  grid->has_margin = true;
  return dcs_parse_number("--margin", text, 0, 1e6, &grid->margin);
}

static dcs_status take_altloc(const char *text, void *values) {
  if (!text[0] || text[1] || text[0] <= ' ' || text[0] > '~')
    return dcs_fail(DCS_USAGE, "--altloc: found \"%s\"; expected one character, such as B", text);
  ((dcs_read_options *)values)->altloc = text[0];
  return DCS_OK;
}

static dcs_status take_parameters(const char *path, void *values) {
  dcs_read_options *how = values;
  if (how->n_parameters == DCS_MOST_PARAMETERS)
    return dcs_fail(DCS_USAGE, "--parameters: found more than %d files; expected fewer",
                    DCS_MOST_PARAMETERS);
  how->parameters[how->n_parameters++] = path;
  return DCS_OK;
}

static const dcs_option read_options[] = {
    {"format", 'F', "NAME", "of the molecule's file: %1$s (known by its content)",
     DCS_WORD(dcs_read_options, format)},
    {"model", 0, "N", "which of the file's models (the first)",
     DCS_INTEGER(dcs_read_options, model, 1, INT64_MAX)},
    {"altloc", 0, "LETTER", "which alternate location of the atoms (the first of each residue)",
     .take = take_altloc},
    {"frame", 0, "N", "which frame of a trajectory (1)",
     DCS_INTEGER(dcs_read_options, frame, 1, INT64_MAX)},
    {"orbital", 0, "N", "which orbital of a Molden file (the highest that is occupied)",
     DCS_INTEGER(dcs_read_options, orbital, 1, INT64_MAX)},
    {0}};

/* Of no map. */
static const dcs_option parameters_option[] = {
    {"parameters", 0, "FILE",
     "CHARMM's parameters (.prm, .par, .str) of the types of a PSF file, for forces; as often as "
     "there are files",
     .take = take_parameters},
    {0}};

static const dcs_option problem_options[] = {
    {"input", 'i', "FILE",
     "file with the molecule, - for standard input: %1$s, also compressed by gzip or zlib; twice: "
     "one "
     "with charges (PSF, prmtop) and one with places (PDB, DCD, inpcrd), in any order",
     DCS_FILES(dcs_problem_options, input)},
    {"spacing", 0, "ANGSTROM",
     "grid spacing (what makes molecule and margin fit the grid; else 0.5)",
     DCS_NUMBER(dcs_problem_options, grid.spacing, DCS_LEAST_SPACING, DCS_MOST_SPACING)},
    {"margin", 0, "ANGSTROM", "space around the molecule's box (5)", .take = take_margin},
    {"origin", 0, "X,Y,Z", "place of grid point 0,0,0 (grid centred on the molecule)",
     .take = take_origin},
    {0}};

static dcs_status take_kind(const char *name, void *values) {
  dcs_problem_choice *choice = values;
  choice->kind = dcs_find_kind(name);
  if (choice->kind) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--problem: found \"%s\"; expected one that `dcsbench list` shows",
                  name);
}

static const dcs_option kind_option[] = {
    {"problem", 0, "KIND", "what is computed, as `dcsbench list` shows it", .take = take_kind},
    {0}};

static dcs_status take_cell(const char *text, void *values) {
  char **parts;
  int n;
  DCS_TRY(dcs_split(text, ',', &parts, &n));
  free(parts);
  if (n != 3)
    return dcs_fail(DCS_USAGE,
                    "--cell: found \"%s\"; expected A,B,C, the three edges in angstrom, such as "
                    "62.2,62.2,48",
                    text);
  ((dcs_problem_choice *)values)->cell = text;
  return DCS_OK;
}

static const dcs_option cell_option[] = {
    {"cell", 0, "A,B,C",
     "edges of the cell of a periodic boundary, angstrom; 0: that of the input, or else what the "
     "grid spans (0,0,0)",
     .take = take_cell},
    {0}};

/* The edges of a cell are one option. */
static bool is_edge(const dcs_kind *kind, int param) {
  return kind->cell && param >= kind->cell_edges && param < kind->cell_edges + 3;
}

/* One for each name that a parameter has, whichever kinds have it. Returns how many. */
static int list_params(dcs_option params[MOST_PARAMS + 1]) {
  int n = 0;
  for (int k = 0; k < dcs_n_kinds; k++)
    for (int p = 0; p < dcs_kinds[k]->n_params; p++) {
      const dcs_param *param = &dcs_kinds[k]->params[p];
      int known = 0;
      while (known < n && strcmp(params[known].name, param->name) != 0)
        known++;
      if (known < n || n == MOST_PARAMS || is_edge(dcs_kinds[k], p)) continue;
      params[n] = (dcs_option){param->name, 0, param->real ? "VALUE" : "NAME", param->meaning,
                               DCS_WORD(dcs_problem_choice, typed[0])};
      params[n].place += (size_t)n * sizeof(char *);
      n++;
    }
  params[n] = (dcs_option){0};
  return n;
}

/* Appends "name=" and what was typed. */
static dcs_status append_param(const char *option, const char *name, const char *typed,
                               dcs_problem_choice *choice) {
  size_t used = strlen(choice->config);
  used += (size_t)snprintf(choice->config + used, sizeof choice->config - used,
                           "%s%s=", used ? "," : "", name);
  for (const char *c = typed; *c && used + 1 < sizeof choice->config; c++)
    choice->config[used++] = *c == ',' ? '|' : *c;
  if (used + 1 >= sizeof choice->config)
    return dcs_fail(DCS_USAGE, "--%s: the list is too long", option);
  choice->config[used] = '\0';
  return DCS_OK;
}

static dcs_status append_cell(dcs_problem_choice *choice) {
  const dcs_kind *kind = choice->kind;
  char **parts;
  int n;
  if (!kind->cell) return dcs_fail(DCS_USAGE, "--cell: problem %s has no cell", kind->id);
  DCS_TRY(dcs_split(choice->cell, ',', &parts, &n));
  dcs_status status = DCS_OK;
  for (int d = 0; status == DCS_OK && d < 3; d++)
    status = append_param("cell", kind->params[kind->cell_edges + d].name, parts[d], choice);
  free(parts);
  return status;
}

/* What was typed, "--cutoff 0,12", as problem_config has it, "cutoff=0|12". */
static dcs_status assemble(dcs_problem_choice *choice) {
  dcs_option params[MOST_PARAMS + 1];
  const int n = list_params(params);
  for (int i = 0; i < n; i++)
    if (choice->typed[i])
      DCS_TRY(append_param(params[i].name, params[i].name, choice->typed[i], choice));
  return choice->cell ? append_cell(choice) : DCS_OK;
}

/* Whether a parameter has another value than the initial one in any of the problems. */
static bool matters(const dcs_kind *kind, int param, const dcs_config *list, int n) {
  for (int i = 0; i < n; i++)
    if (list[i].value[param] != kind->params[param].initial) return true;
  return false;
}

/* What was typed may be undone by the other values: there is nothing to switch without a cutoff. */
static dcs_status check_typed(const dcs_problem_choice *choice, const dcs_config *list, int n) {
  dcs_option params[MOST_PARAMS + 1];
  const int n_params = list_params(params);
  for (int i = 0; i < n_params; i++) {
    char initial[32];
    int p = 0;
    while (p < choice->kind->n_params && strcmp(choice->kind->params[p].name, params[i].name) != 0)
      p++;
    if (!choice->typed[i] || p == choice->kind->n_params) continue;
    const dcs_param *param = &choice->kind->params[p];
    dcs_format_value(param, param->initial, initial);
    if (param->labels && strcmp(choice->typed[i], initial) != 0 &&
        !matters(choice->kind, p, list, n))
      return dcs_fail(DCS_USAGE,
                      "--%s: found \"%s\", which changes nothing here; expected it with "
                      "what it is of (%s), or not at all",
                      param->name, choice->typed[i], param->meaning);
  }
  return DCS_OK;
}

/* The problems' grids may not depend on the margin. */
static dcs_status check_margin(const dcs_problem_options *problem, const dcs_problem_choice *choice,
                               const dcs_config *list, int n) {
  bool open = false;
  double cell[3];
  if (!problem || !problem->grid.has_margin) return DCS_OK;
  if (!problem->input.files[0])
    return dcs_fail(DCS_USAGE,
                    "--margin: found %g without a molecule's file; expected one, for it is "
                    "the space around its box",
                    problem->grid.margin);
  for (int i = 0; i < n; i++) {
    const dcs_problem shape = {.config = list[i]};
    open = open || !choice->kind->cell || !choice->kind->cell(&shape, cell);
  }
  if (open) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "--margin: found %g with a periodic boundary; expected none, for the grid "
                  "spans the cell: --cell A,B,C makes that longer",
                  problem->grid.margin);
}

static dcs_status check_parameters(const dcs_problem_options *problem) {
  if (!problem || problem->input.how.n_parameters == 0 || problem->input.files[0]) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "--parameters: found %s without a molecule's file; expected --input twice, a PSF "
                  "and one with places",
                  problem->input.how.parameters[0]);
}

static dcs_status check_choice(const dcs_problem_choice *choice,
                               const dcs_problem_options *problem) {
  dcs_config *list;
  int n;
  DCS_TRY(dcs_parse_problems(choice->kind, choice->config, &list, &n));
  dcs_status status = check_typed(choice, list, n);
  if (status == DCS_OK) status = check_margin(problem, choice, list, n);
  free(list);
  return status;
}

bool dcs_chosen(const dcs_problem_choice *choice) {
  return *choice->config || choice->kind != dcs_kinds[0];
}

dcs_status dcs_one_problem(const dcs_problem_choice *choice, const dcs_kind **kind,
                           dcs_config *problem) {
  *kind = choice->kind;
  return dcs_parse_problem(choice->kind, choice->config, problem);
}

/* ---- units of maps ---- */

static dcs_status take_units(const char *name, void *values) {
  return dcs_find_units(name, &((dcs_units_options *)values)->units);
}

static dcs_status take_temperature(const char *text, void *values) {
  dcs_units_options *units = values;
  units->has_kelvin = true;
  return dcs_parse_number("--temperature", text, 1e-3, 1e9, &units->kelvin);
}

static const dcs_option units_options[] = {
    {"units", 0, "UNITS", "of the potential: e/A, V, kT/e, kcal/mol/e (e/A; of a file its own)",
     .take = take_units},
    {"temperature", 0, "KELVIN", "of kT/e (298.15)", .take = take_temperature},
    {0}};

dcs_status dcs_problem_for(const dcs_problem_choice *choice, const dcs_variant *variant,
                           dcs_config *problem) {
  const dcs_kind *kind = dcs_kind_of(variant);
  char why[DCS_TEXT];
  if (*choice->config) return dcs_parse_problem(kind, choice->config, problem);
  for (const char *const *text = kind->verified; *text; text++) {
    DCS_TRY(dcs_parse_problem(kind, *text, problem));
    if (dcs_solves(variant, problem, why)) return DCS_OK;
  }
  return dcs_fail(DCS_USAGE, "%s: %s", variant->id, why);
}

dcs_status dcs_one_method(const char *variant, const char *config, dcs_method *method) {
  dcs_methods methods;
  DCS_TRY(dcs_select_methods(variant, config, (dcs_at_hand){.gpu = true}, &methods));
  const int n = methods.n;
  if (n == 1) *method = methods.list[0];
  free(methods.list);
  if (n == 1) return DCS_OK;
  return dcs_fail(DCS_USAGE, "found %d methods; expected one variant with one configuration", n);
}

/* ---- what is measured, and for how long ---- */

static const dcs_option plan_options[] = {
    {"variants", 0, "LIST",
     "all, cpu, gpu, or variants and problems that `dcsbench list` shows, with commas (all)",
     DCS_WORD(dcs_plan_options, line.variants)},
    {"config", 0, "K=V,...",
     "parameters; a value may be several: 1|2|4, 1:16, all, and max for threads; or just tuned: "
     "what `dcsbench tune` found for each size; rates off by more than 3% from what it recorded "
     "are said",
     DCS_WORD(dcs_plan_options, line.config)},
    {"atoms", 0, "LIST",
     "numbers of atoms: 100,1000 or 100:1000000:log4 (four a decade); with --input, that many of "
     "its first (all)",
     DCS_WORD(dcs_plan_options, line.atoms)},
    {"grid", 0, "LIST", "grids: 64x64x32, 64^3, 16:256:log4^3 (the molecule's box)",
     DCS_WORD(dcs_plan_options, line.grid)},
    {"scope", 0, "LIST", "what is timed: kernel, warm, first, frame (kernel)",
     DCS_WORD(dcs_plan_options, line.scope)},
    {"memory", 0, "LIST",
     "how data moves in scopes warm, first and frame: pageable, pinned, mapped, managed, "
     "managed_prefetch "
     "(pageable)",
     DCS_WORD(dcs_plan_options, line.memory)},
    {"plan", 0, "FILE",
     "CSV whose rows hold the options above (variants, config, atoms, grid, scope; where it has "
     "them, memory, problem and problem_config, such as cutoff=0|12,switching=c2)",
     DCS_WORD(dcs_plan_options, plan)},
    {"rounds", 0, "N",
     "samples of each method (15 or more, until the 95% interval of the median is within 1%; 200 "
     "at "
     "most)",
     DCS_INTEGER(dcs_plan_options, rounds, 1, 1000000)},
    {"budget", 0, "SECONDS", "stop sampling after about so long",
     DCS_NUMBER(dcs_plan_options, budget_s, 0.001, 1e7)},
    {"seed", 0, "N", "of random atoms and of the order of samples (1)",
     DCS_INTEGER(dcs_plan_options, seed, 0, INT64_MAX)},
    {0}};

/* ---- with argp ---- */

static void add_options(command_line *all, const dcs_option *options, void *values, int group) {
  for (const dcs_option *o = options; o && o->name && all->n < MOST_OPTIONS; o++) {
    const int key = o->letter ? o->letter : FIRST_KEY + all->n;
    all->options[all->n] = *o;
    all->values[all->n] = values;
    all->listed[all->n++] = (struct argp_option){
        o->name, key, o->arg, o->arg_optional ? OPTION_ARG_OPTIONAL : 0, o->doc, group};
  }
}

static void list_options(command_line *all, dcs_shared_options shared) {
  dcs_option params[MOST_PARAMS + 1];
  const int group = all->line->device_title ? 1 : 0;
  add_options(all, all->line->options, all->arguments, 0);
  if (shared.planned) add_options(all, plan_options, shared.planned, 0);
  if (shared.problem) add_options(all, problem_options, shared.problem, 0);
  if (shared.problem) shared.read = &shared.problem->input.how;
  if (shared.read) add_options(all, read_options, shared.read, 0);
  if (shared.read && !shared.units) add_options(all, parameters_option, shared.read, 0);
  if (shared.units) add_options(all, units_options, shared.units, 0);
  if (shared.choice) {
    list_params(params);
    add_options(all, kind_option, shared.choice, 0);
    add_options(all, params, shared.choice, 0);
    add_options(all, cell_option, shared.choice, 0);
  }
  if (shared.device) add_options(all, device_options, shared.device, group);
  if (group) all->listed[all->n] = (struct argp_option){.doc = all->line->device_title, .group = 1};
}

/* The texts of options that have choices in them. --device: %1$s becomes the names of devices, %2$s
 * the default one, %3$s those of several; --input, --format: %1$s the formats that are read; --out:
 * %1$s the endings of maps. */
static char *name_choices(int key, const char *text, void *input) {
  char names[DCS_TEXT], lists[DCS_TEXT], *named;
  int length;
  (void)input;
  if (!text || !strchr(text, '%')) return (char *)text;
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
  if (all->choice) DCS_TRY(assemble(all->choice));
  if (all->line->check) DCS_TRY(all->line->check(all->arguments));
  DCS_TRY(check_parameters(all->problem));
  return all->choice ? check_choice(all->choice, all->problem) : DCS_OK;
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
