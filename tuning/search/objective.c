#include "tuning/search/objective.h"

#include "harness/base/grow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Those with a name. */
static const struct {
  const char *name, *expression;
} named[] = {{"time", "time_ns"}, {"energy", "energy_j"}, {"edp", "energy_j * time_ns"}};

/* What may stand in an expression; the energy comes last. */
static const char *const names[] = {"time_ns", "evals_useful", "registers", "rel_l2_error",
                                    "energy_j"};
enum { N_NAMES = sizeof names / sizeof names[0] };

static const char *expression_of(const char *text) {
  for (size_t o = 0; o < sizeof named / sizeof named[0]; o++)
    if (strcmp(text, named[o].name) == 0) return named[o].expression;
  return text;
}

/* Whether it cannot be read without the name of the energy. */
static bool names_energy(const char *text) {
  dcs_expression *without = NULL;
  const bool cannot = dcs_expression_parse(text, names, N_NAMES - 1, &without) != DCS_OK;
  dcs_expression_free(without);
  return cannot;
}

dcs_status dcs_objective_open(const char *text, dcs_objective *objective) {
  const char *expression = expression_of(*text ? text : "time");
  *objective = (dcs_objective){.text = ""};
  if (strlen(text) >= sizeof objective->text)
    return dcs_fail(DCS_USAGE, "--objective: found %zu characters; expected fewer than %zu",
                    strlen(text), sizeof objective->text);
  if (dcs_expression_parse(expression, names, N_NAMES, &objective->expression) != DCS_OK) {
    char why[2 * DCS_TEXT];
    snprintf(why, sizeof why, "%s", dcs_error_message());
    objective->expression = NULL;
    return dcs_fail(DCS_USAGE,
                    "--objective: found \"%s\"; expected time, energy, edp or an expression over "
                    "time_ns, energy_j, evals_useful, registers and rel_l2_error: %s",
                    text, why);
  }
  if (strcmp(text, "time") != 0) snprintf(objective->text, sizeof objective->text, "%s", text);
  objective->needs_energy = names_energy(expression);
  return DCS_OK;
}

void dcs_objective_close(dcs_objective *objective) {
  dcs_expression_free(objective->expression);
  *objective = (dcs_objective){.text = ""};
}

/* What an expression could not be computed from: "; unknown here: registers, energy_j", or nothing;
 * returns text. */
static const char *unknown(const dcs_value values[N_NAMES], char text[DCS_TEXT]) {
  *text = '\0';
  for (int v = 0; v < N_NAMES; v++)
    if (isnan(dcs_value_real(&values[v])))
      dcs_append(text, DCS_TEXT, "%s%s", *text ? ", " : "; unknown here: ", names[v]);
  return text;
}

dcs_status dcs_objective_value(const dcs_objective *o, const dcs_subject *subject,
                               const dcs_evaluation *e, const dcs_spent *spent, double *value) {
  const dcs_value values[N_NAMES] = {dcs_real_value(spent->time_ns), dcs_real_value(subject->work),
                                     dcs_real_value(e->registers >= 0 ? e->registers : NAN),
                                     dcs_real_value(e->error), dcs_real_value(spent->energy_j)};
  dcs_room room = {0};
  dcs_value found;
  dcs_status status = dcs_expression_value(o->expression, values, &room, &found);
  *value = status == DCS_OK ? dcs_value_real(&found) : NAN;
  dcs_room_free(&room);
  if (status != DCS_OK) {
    char why[2 * DCS_TEXT], text[DCS_TEXT];
    snprintf(why, sizeof why, "%s", dcs_error_message());
    return dcs_fail(status, "the objective %s: %s%s", o->text, why, unknown(values, text));
  }
  if (*value > 0 && isfinite(*value)) return DCS_OK;
  return dcs_fail(DCS_INPUT, "the objective %s: found %g; expected a number above 0", o->text,
                  *value);
}

dcs_status dcs_objective_add(const dcs_objective *o, const dcs_subject *subject,
                             const dcs_spent *spent, dcs_evaluation *e) {
  double value;
  if (!*o->text) return dcs_evaluation_add(e, &spent->time_ns, 1);
  DCS_TRY(dcs_objective_value(o, subject, e, spent, &value));
  return dcs_evaluation_add_spent(e, &value, spent, 1);
}
