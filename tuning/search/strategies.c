/* The one list of strategies. */
#include "harness/base/text.h"
#include "tuning/search/search.h"

#include <string.h>

const dcs_strategy dcs_strategies[] = {
    {"exhaustive", dcs_search_exhaustive, "every configuration, in order"},
    {"random", dcs_search_random, "every configuration, in random order"},
    {"surrogate", dcs_search_surrogate,
     "where a model of what is known expects the largest improvement"},
    {"greedy", dcs_search_greedy,
     "to the first better neighbour, from the initial configuration, then from random ones"},
    {"annealing", dcs_search_annealing,
     "to random neighbours, worse ones too at first and ever less so"},
    {"halving", dcs_search_halving,
     "many with few samples; the better third goes on with three times as many"},
};
const int dcs_n_strategies = sizeof dcs_strategies / sizeof dcs_strategies[0];
const char dcs_default_strategy[] = "surrogate";

dcs_status dcs_find_strategy(const char *name, const dcs_strategy **strategy) {
  const char *names[sizeof dcs_strategies / sizeof dcs_strategies[0]];
  for (int s = 0; s < dcs_n_strategies; s++) {
    names[s] = dcs_strategies[s].name;
    *strategy = &dcs_strategies[s];
    if (strcmp(name, names[s]) == 0) return DCS_OK;
  }
  const char *nearest = dcs_nearest_name(name, names, dcs_n_strategies);
  return dcs_fail(
      DCS_USAGE,
      "unknown strategy \"%s\"%s%s%s; expected exhaustive, random, surrogate, greedy, annealing or "
      "halving",
      name, nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}
