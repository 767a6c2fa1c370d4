/* What a threshold is called, and what is to be known beside it. */
#include "harness/base/grow.h"
#include "tuning/crossover/crossover.h"

#include "harness/judge/ratio.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *dcs_crossover_axis(const dcs_crossover *c) {
  return c->plane    ? "plane"
         : c->system ? "system"
                     : c->like->size.kind->dimensions[c->along].values;
}

/* The pair's side that is method A or B. */
static int side_of(const dcs_crossover *c, int which) {
  return c->threshold.below == 0 ? which : 1 - which;
}

const char *dcs_crossover_method(const dcs_measured *m, const dcs_crossover *c, int which) {
  const int side = side_of(c, which);
  return dcs_class_name(m, c->pair->problem[side], c->pair->class[side]);
}

const dcs_size *dcs_crossover_problem(const dcs_measured *m, const dcs_crossover *c, int which) {
  return &m->problems[c->pair->problem[side_of(c, which)]];
}

char *dcs_crossover_fixed(const dcs_crossover *c, char text[64]) {
  text[0] = '\0';
  if (c->system)
    snprintf(text, 64, "%.3g %s/point", dcs_density_of(&c->like->size),
             c->like->size.kind->dimensions[0].values);
  for (int d = 0; !c->system && d < c->like->size.kind->n_dimensions; d++)
    if (d != c->along) dcs_dimension_text(&c->like->size, d, text);
  return text;
}

char *dcs_crossover_shape(const dcs_crossover *c, char text[DCS_TEXT]) {
  text[0] = '\0';
  const bool grids = c->plane || c->system || c->like->size.kind->dimensions[c->along].n == 3;
  return grids ? dcs_shape_text(c->shape, text) : text;
}

char *dcs_crossover_what(const dcs_measured *m, const dcs_crossover *c, int which,
                         char text[DCS_TEXT]) {
  const dcs_size *problem = dcs_crossover_problem(m, c, which);
  char config[DCS_TEXT];
  config[0] = '\0';
  if (!problem->kind->made_of) dcs_format_problem(problem->kind, &problem->config, config);
  snprintf(text, DCS_TEXT, "%s%s%.200s", dcs_crossover_method(m, c, which), *config ? " " : "",
           config);
  return text;
}

double dcs_crossover_model_error(const dcs_measured *m, const dcs_crossover *c) {
  double most = NAN;
  for (size_t i = 0; i < m->n_sizes; i++)
    for (int side = 0; side < 2; side++)
      if (dcs_has_both(&m->sizes[i], c->pair) && dcs_crossover_covers(c, &m->sizes[i]))
        most = fmax(most, dcs_best(&m->sizes[i], c->pair, side)->model_error);
  return most;
}

const char *dcs_crossover_card(const dcs_measured *m, const dcs_crossover *c) {
  return dcs_is_referred(m, c->pair) ? dcs_run_fact(&m->reference, "gpu_name") : "";
}

/* ---- gaps ---- */

/* The size of the run next to the estimate, above it or not; NULL: none. Sizes where neither was
 * measured do not count. */
static const dcs_measured_size *next_to(const dcs_measured *m, const dcs_crossover *c, bool above) {
  const dcs_measured_size *found = NULL;
  for (size_t i = 0; i < m->n_sizes; i++) {
    const dcs_measured_size *size = &m->sizes[i];
    if (!dcs_crossover_covers(c, size) ||
        (!dcs_best(size, c->pair, 0) && !dcs_best(size, c->pair, 1)))
      continue; /* of another kind, it may not even have the dimension */
    const double x = dcs_along(&size->size, c->along);
    if ((x > c->threshold.estimate) != above) continue;
    if (!found || (x < dcs_along(&found->size, c->along)) == above) found = size;
  }
  return found;
}

static void add_gap(const dcs_measured *m, const dcs_crossover *c, const dcs_measured_size *size,
                    int which, char text[DCS_TEXT]) {
  const dcs_run_row *best = dcs_best(size, c->pair, side_of(c, which));
  char name[DCS_TEXT], at[64], few[32] = "missing";
  if (best && best->n_times >= DCS_RATIO_SAMPLES) return;
  if (best) snprintf(few, sizeof few, "%zu sample%s", best->n_times, best->n_times == 1 ? "" : "s");
  dcs_append(text, DCS_TEXT, "%s%.60s %s at %s", *text ? "; " : "",
             dcs_crossover_what(m, c, which, name), few,
             dcs_dimension_text(&size->size, c->along, at));
}

bool dcs_crossover_far_apart(const dcs_measured *m, const dcs_crossover *c, double sizes[2]) {
  const double far_apart = 2;
  if (isnan(c->threshold.estimate)) return false;
  for (int above = 0; above < 2; above++) {
    const dcs_measured_size *size = next_to(m, c, above);
    if (!size) return false;
    sizes[above] = dcs_along(&size->size, c->along);
  }
  return sizes[1] > far_apart * sizes[0];
}

char *dcs_crossover_gaps(const dcs_measured *m, const dcs_crossover *c, char text[DCS_TEXT]) {
  text[0] = '\0';
  for (int above = 0; !isnan(c->threshold.estimate) && above < 2; above++) {
    const dcs_measured_size *size = next_to(m, c, above);
    for (int which = 0; size && which < 2; which++)
      add_gap(m, c, size, which, text);
  }
  return text;
}
