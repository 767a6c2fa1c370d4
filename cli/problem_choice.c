/* Which problem is meant: --problem, --cell, and an option for each parameter of a kind. */
#include "cli/options.h"

#include "harness/base/grow.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

static dcs_status take_kind(const char *name, void *values) {
  dcs_problem_choice *choice = values;
  choice->kind = dcs_find_kind(name);
  if (choice->kind) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--problem: found \"%s\"; expected one that `dcsbench list` shows",
                  name);
}

const dcs_option dcs_listed_kind[] = {
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

const dcs_option dcs_listed_cell[] = {
    {"cell", 0, "A,B,C",
     "edges of the cell of a periodic boundary, angstrom; 0: that of the input, or else what the "
     "grid spans (0,0,0)",
     .take = take_cell},
    {0}};

/* The edges of a cell are one option. */
static bool is_edge(const dcs_kind *kind, int param) {
  return kind->cell && param >= kind->cell_edges && param < kind->cell_edges + 3;
}

int dcs_list_params(dcs_option params[DCS_MOST_PARAM_OPTIONS + 1]) {
  int n = 0;
  for (int k = 0; k < dcs_n_kinds; k++)
    for (int p = 0; p < dcs_kinds[k]->n_params; p++) {
      const dcs_param *param = &dcs_kinds[k]->params[p];
      int known = 0;
      while (known < n && strcmp(params[known].name, param->name) != 0)
        known++;
      if (known < n || n == DCS_MOST_PARAM_OPTIONS || is_edge(dcs_kinds[k], p)) continue;
      params[n] = (dcs_option){param->name, 0, param->real ? "VALUE" : "NAME", param->meaning,
                               DCS_WORD(dcs_problem_choice, typed[0])};
      params[n].place += (size_t)n * sizeof(char *);
      n++;
    }
  params[n] = (dcs_option){0};
  return n;
}

char *dcs_kinds_with(const char *name, char text[DCS_TEXT]) {
  *text = '\0';
  for (int k = 0; k < dcs_n_kinds; k++)
    for (int p = 0; p < dcs_kinds[k]->n_params; p++)
      if (strcmp(dcs_kinds[k]->params[p].name, name) == 0)
        dcs_append(text, DCS_TEXT, "%s%s", *text ? ", " : "", dcs_kinds[k]->id);
  return text;
}

/* ---- from what was typed to problems ---- */

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

dcs_status dcs_assemble_choice(dcs_problem_choice *choice) {
  dcs_option params[DCS_MOST_PARAM_OPTIONS + 1];
  const int n = dcs_list_params(params);
  for (int i = 0; i < n; i++)
    if (choice->typed[i])
      DCS_TRY(append_param(params[i].name, params[i].name, choice->typed[i], choice));
  return choice->cell ? append_cell(choice) : DCS_OK;
}

/* ---- what makes no sense ---- */

/* Whether a parameter has another value than the initial one in any of the problems. */
static bool matters(const dcs_kind *kind, int param, const dcs_config *list, int n) {
  for (int i = 0; i < n; i++)
    if (list[i].value[param] != kind->params[param].initial) return true;
  return false;
}

/* What was typed may be undone by the other values: there is nothing to switch without a cutoff. */
static dcs_status check_typed(const dcs_problem_choice *choice, const dcs_config *list, int n) {
  dcs_option params[DCS_MOST_PARAM_OPTIONS + 1];
  const int n_params = dcs_list_params(params);
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

dcs_status dcs_check_choice(const dcs_problem_choice *choice, const dcs_problem_options *problem) {
  dcs_config *list;
  int n;
  DCS_TRY(dcs_parse_problems(choice->kind, choice->config, &list, &n));
  dcs_status status = check_typed(choice, list, n);
  if (status == DCS_OK) status = check_margin(problem, choice, list, n);
  free(list);
  return status;
}

/* ---- for commands ---- */

bool dcs_chosen(const dcs_problem_choice *choice) {
  return *choice->config || choice->kind != dcs_kinds[0];
}

dcs_status dcs_one_problem(const dcs_problem_choice *choice, const dcs_kind **kind,
                           dcs_config *problem) {
  *kind = choice->kind;
  return dcs_parse_problem(choice->kind, choice->config, problem);
}

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

dcs_status dcs_one_variant(const char *id, const dcs_variant **variant) {
  dcs_methods methods; /* says what is near when there is none */
  *variant = dcs_find_variant(id);
  if (*variant) return DCS_OK;
  DCS_TRY(dcs_select_methods(id, NULL, (dcs_at_hand){.gpu = true}, &methods));
  free(methods.list);
  return dcs_fail(DCS_USAGE, "found \"%s\"; expected one variant, such as `dcsbench list` shows",
                  id);
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
