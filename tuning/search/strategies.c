/* The one list of strategies, and those that need no more than a line each. */
#include "harness/base/text.h"
#include "tuning/search/search.h"

#include <string.h>

static void exhaustive(dcs_search *search) {
  double ns;
  for (int c = 0; c < search->space->n; c++)
    if (!dcs_search_try(search, c, &ns)) return;
}

static void at_random(dcs_search *search) {
  double ns;
  for (int c = dcs_search_unknown(search); c >= 0; c = dcs_search_unknown(search))
    if (!dcs_search_try(search, c, &ns)) return;
}

const dcs_strategy dcs_strategies[] = {
    {"exhaustive", exhaustive}, /* what others are held against */
    {"random", at_random},      /* what others have to be better than */
    {"surrogate", dcs_search_surrogate},
    {"greedy", dcs_search_greedy},
};
enum { N_STRATEGIES = sizeof dcs_strategies / sizeof dcs_strategies[0] };
const int dcs_n_strategies = N_STRATEGIES;
const char dcs_default_strategy[] = "surrogate";

dcs_status dcs_find_strategy(const char *name, const dcs_strategy **strategy) {
  const char *names[N_STRATEGIES];
  for (int s = 0; s < N_STRATEGIES; s++) {
    names[s] = dcs_strategies[s].name;
    *strategy = &dcs_strategies[s];
    if (strcmp(name, names[s]) == 0) return DCS_OK;
  }
  char hint[DCS_TEXT];
  return dcs_fail(DCS_USAGE,
                  "unknown strategy \"%s\"%s; expected exhaustive, random, surrogate or greedy",
                  name, dcs_did_you_mean(name, names, N_STRATEGIES, hint));
}
