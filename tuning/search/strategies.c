/* The one list of strategies, and all but surrogate.c. */
#include "harness/base/text.h"
#include "tuning/search/search.h"

#include <stdlib.h>
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

/* ---- greedy ---- */

/* Whether one of list[n] was better; *config and *ns are then that one's. */
static bool better_of(dcs_search *search, int *list, int n, int *config, double *ns) {
  dcs_shuffle(&search->random, list, n);
  for (int i = 0; i < n; i++) {
    double other;
    if (!dcs_search_try(search, list[i], &other)) return false;
    if (!(other < *ns)) continue;
    *config = list[i];
    *ns = other;
    return true;
  }
  return false;
}

static bool step(dcs_search *search, int *list, int *config, double *ns) {
  int n = dcs_space_neighbours(search->space, *config, list);
  if (better_of(search, list, n, config, ns)) return true;
  n = search->stopped ? 0 : dcs_space_diagonals(search->space, *config, list);
  return better_of(search, list, n, config, ns);
}

/* Hill climbing: from the initial configuration to the first neighbour that is better, neighbours
 * in random order, until none is, nor one a step off in two parameters; then again from one that
 * was not tried. */
static void greedy(dcs_search *search) {
  size_t room = (size_t)dcs_space_degree(search->space) + DCS_MAX_DIAGONALS;
  int *list = calloc(room, sizeof *list);
  if (!list) {
    search->status = dcs_fail(DCS_UNAVAILABLE, "no memory for the neighbours");
    return;
  }
  for (int config = search->start; config >= 0; config = dcs_search_unknown(search)) {
    double ns;
    if (!dcs_search_try(search, config, &ns)) break;
    while (step(search, list, &config, &ns)) {
    }
    if (search->stopped) break;
  }
  free(list);
}

/* ---- the list ---- */

const dcs_strategy dcs_strategies[] = {
    {"exhaustive", exhaustive}, /* what others are held against */
    {"random", at_random},      /* what others have to be better than */
    {"surrogate", dcs_search_surrogate},
    {"greedy", greedy},
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
