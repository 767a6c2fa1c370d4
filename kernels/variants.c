#include "kernels/contract.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DCS_VARIANT(id) extern const dcs_variant dcs_variant_##id;
#include "kernels/variants.def"

#define DCS_VARIANT(id) +1
enum {
  BUILT_IN = 0
#include "kernels/variants.def"
};

const dcs_variant *dcs_variants[BUILT_IN + DCS_MAX_ADDED] = {
#define DCS_VARIANT(id) &dcs_variant_##id,
#include "kernels/variants.def"
};

const int dcs_n_built_in = BUILT_IN;
int dcs_n_variants = BUILT_IN;

dcs_status dcs_add_variant(const dcs_variant *variant) {
  if (dcs_find_variant(variant->id))
    return dcs_fail(DCS_USAGE, "found a second variant \"%s\"; expected another name", variant->id);
  if (dcs_n_variants == BUILT_IN + DCS_MAX_ADDED)
    return dcs_fail(DCS_USAGE, "found more than %d variants beside those built in", DCS_MAX_ADDED);
  dcs_variants[dcs_n_variants++] = variant;
  return DCS_OK;
}

int dcs_find_rung(const char *id) {
  int rung = 0;
  while (rung < dcs_n_variants && strcmp(dcs_variants[rung]->id, id) != 0) /* NOLINT: ids are set */
    rung++;
  return rung;
}

const dcs_variant *dcs_find_variant(const char *id) {
  int rung = dcs_find_rung(id);
  return rung < dcs_n_variants ? dcs_variants[rung] : NULL;
}

const char *const dcs_book_names[DCS_N_BOOK] = {"", "sequential code", "version 1", "version 2",
                                                "version 3"};

const dcs_variant *dcs_find_book(dcs_book book) {
  for (int v = 0; v < dcs_n_variants; v++)
    if (dcs_variants[v]->book == book) return dcs_variants[v];
  return NULL;
}

bool dcs_computes_slabs(const dcs_variant *variant) {
  return variant->slabs || !variant->candidates;
}

int dcs_find_param(const dcs_variant *variant, const char *name) {
  for (int p = 0; p < variant->n_params; p++)
    if (strcmp(variant->params[p].name, name) == 0) return p;
  return -1;
}

int dcs_find_role(const dcs_variant *variant, dcs_role role) {
  for (int p = 0; p < variant->n_params; p++)
    if (variant->params[p].role == role) return p;
  return -1;
}

int dcs_role_value(const dcs_variant *variant, const dcs_config *config, dcs_role role,
                   int otherwise) {
  int p = dcs_find_role(variant, role);
  return p < 0 ? otherwise : (int)config->value[p];
}

/* Lowers the value of a parameter that is DCS_HIGHEST from hi to the first that can be had. */
static void take_highest(const dcs_variant *variant, int p, dcs_config *config) {
  const dcs_problem shape = {.n_inputs = 1, .n = {1, 1, 1}, .spacing = 1};
  const dcs_param *param = &variant->params[p];
  char why[DCS_TEXT];
  for (config->value[p] = param->hi; config->value[p] > param->lo; config->value[p]--)
    if (!variant->applicable || variant->applicable(&shape, config, why)) return;
}

dcs_config dcs_initial_config(const dcs_variant *variant, int cpus) {
  dcs_config config = {{0}};
  for (int p = 0; p < variant->n_params; p++) {
    const dcs_param *param = &variant->params[p];
    bool all_cpus = param->initial == DCS_ALL_CPUS && param->role == DCS_ROLE_THREADS;
    config.value[p] = !all_cpus ? param->initial : cpus < param->hi ? cpus : param->hi;
  }
  for (int p = 0; p < variant->n_params; p++)
    if (variant->params[p].initial == DCS_HIGHEST) take_highest(variant, p, &config);
  return config;
}

char *dcs_format_value(const dcs_param *param, double value, char text[32]) {
  if (param->labels && value >= param->lo && value <= param->hi) {
    snprintf(text, 32, "%s", param->labels[(int)(value - param->lo)]);
    return text;
  }
  /* Texts are compared and kept: whatever a caller of the library writes as its decimal mark. */
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
  for (int digits = 6; digits <= 17; digits++) { /* the fewest that read back */
    snprintf(text, 32, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  uselocale(before);
  if (plain) freelocale(plain);
  return text;
}

char *dcs_format_config(const dcs_variant *variant, const dcs_config *config, char text[DCS_TEXT]) {
  size_t used = 0;
  text[0] = '\0';
  for (int p = 0; p < variant->n_params && used < DCS_TEXT; p++) {
    char value[32];
    used += (size_t)snprintf(text + used, DCS_TEXT - used, "%s%s=%s", p ? "," : "",
                             variant->params[p].name,
                             dcs_format_value(&variant->params[p], config->value[p], value));
  }
  return text;
}

bool dcs_applicable(const dcs_variant *variant, const dcs_problem *problem,
                    const dcs_config *config, char why[DCS_TEXT]) {
  for (int p = 0; p < variant->n_params; p++) {
    const dcs_param *param = &variant->params[p];
    if (config->value[p] < param->lo || config->value[p] > param->hi) {
      snprintf(why, DCS_TEXT, "%s=%g is outside %g..%g", param->name, config->value[p], param->lo,
               param->hi);
      return false;
    }
  }
  if (variant->solves && !variant->solves(&problem->config, why)) return false;
  if (variant->applicable && !variant->applicable(problem, config, why)) return false;
  return !variant->accurate ||
         variant->accurate(problem, variant->longest_sum(problem, config), why);
}
