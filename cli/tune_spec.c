/* `dcsbench tune SPEC.json`: what a specification says of its tuning. */
#include "cli/tune_spec.h"
#include "cli/commands.h"
#include "harness/spec/own.h"

#include <math.h>
#include <string.h>
#include <strings.h>

bool dcs_is_specification(const char *word) {
  const char *point = word ? strrchr(word, '.') : NULL;
  return point && strcmp(point, ".json") == 0;
}

/* Others' names of what is here. */
static const struct {
  const char *name, *strategy;
} names[] = {{"Deterministic", "exhaustive"},
             {"BruteForce", "exhaustive"},
             {"brute_force", "exhaustive"},
             {"random_sample", "random"}};

/* That of the specification, else the default; what is not here is said. */
static const char *strategy_of(const dcs_spec *spec) {
  if (!spec->search) return dcs_default_strategy;
  for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
    if (strcmp(spec->search, names[n].name) == 0) return names[n].strategy;
  for (int s = 0; s < dcs_n_strategies; s++)
    if (strcasecmp(spec->search, dcs_strategies[s].name) == 0) return dcs_strategies[s].name;
  fprintf(stderr, "%s: Search %s is not here; %s takes its place\n", spec->path, spec->search,
          dcs_default_strategy);
  return dcs_default_strategy;
}

/* So many of the configurations. */
static dcs_status share_of(const dcs_tune_options *tune, double share, int64_t *evals) {
  const dcs_problem problem = {.n_inputs = 1, .n = {1, 1, 1}, .spacing = 1};
  dcs_space space;
  const dcs_status status =
      dcs_space_build(tune->variant, tune->config, &problem, dcs_cpus(), &space);
  if (status == DCS_OK) *evals = (int64_t)ceil(share * space.n);
  dcs_space_free(&space);
  return status;
}

/* Those of the command line come first. */
static dcs_status take_budget(const dcs_spec *spec, dcs_tune_options *tune) {
  if (tune->budget_evals >= 0 || tune->budget_s > 0) return DCS_OK;
  tune->budget_s = spec->budget_s;
  if (spec->budget_evals > 0) tune->budget_evals = spec->budget_evals;
  if (spec->budget_share > 0) return share_of(tune, spec->budget_share, &tune->budget_evals);
  return DCS_OK;
}

dcs_status dcs_take_specification(const char *path, const char **strategy, dcs_tune_options *tune) {
  const dcs_variant *variant;
  const bool allowed = tune->unverified;
  DCS_TRY(dcs_own_load(path, NULL, true, &variant));
  const dcs_spec *spec = dcs_own_spec(variant);
  tune->variant = variant;
  tune->unverified = !dcs_spec_is_verified(spec);
  if (tune->unverified && !allowed)
    return dcs_fail(DCS_USAGE,
                    "%s: found no ReferenceArguments, so that no result can be verified; expected "
                    "some, or --unverified, whose winner is not kept",
                    path);
  if (!*strategy) *strategy = strategy_of(spec);
  return take_budget(spec, tune);
}
