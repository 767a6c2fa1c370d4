#include "tuning/search/objective.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Those with a name. */
static const struct {
  const char *name;
  int of_time, of_energy; /* powers */
} named[] = {{"time", 1, 0}, {"energy", 0, 1}, {"edp", 1, 1}};
enum { N_NAMED = sizeof named / sizeof named[0] };

static int find(const char *text) {
  for (int o = 0; o < N_NAMED; o++)
    if (strcmp(text, named[o].name) == 0) return o;
  return -1;
}

dcs_status dcs_objective_open(const char *text, dcs_objective *objective) {
  const int at = *text ? find(text) : 0;
  *objective = (dcs_objective){.text = ""};
  if (at < 0)
    return dcs_fail(DCS_USAGE, "--objective: found \"%s\"; expected time, energy or edp", text);
  if (at > 0) snprintf(objective->text, sizeof objective->text, "%s", text);
  objective->needs_energy = named[at].of_energy > 0;
  return DCS_OK;
}

void dcs_objective_close(dcs_objective *objective) {
  *objective = (dcs_objective){.text = ""};
}

dcs_status dcs_objective_value(const dcs_objective *o, const dcs_subject *subject,
                               const dcs_evaluation *e, const dcs_spent *spent, double *value) {
  const int at = *o->text ? find(o->text) : 0;
  (void)subject, (void)e;
  *value = pow(spent->time_ns, named[at].of_time) * pow(spent->energy_j, named[at].of_energy);
  if (*value > 0) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: found %g; expected more than 0", o->text, *value);
}

dcs_status dcs_objective_add(const dcs_objective *o, const dcs_subject *subject,
                             const dcs_spent *spent, dcs_evaluation *e) {
  double value;
  if (!*o->text) return dcs_evaluation_add(e, &spent->time_ns, 1);
  DCS_TRY(dcs_objective_value(o, subject, e, spent, &value));
  return dcs_evaluation_add_spent(e, &value, spent, 1);
}
