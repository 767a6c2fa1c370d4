/* Hill climbing: from the initial configuration to the first neighbour that is better, neighbours
 * in random order, until none is, nor one a step off in two parameters; then again from one that
 * was not tried. */
#include "tuning/search/search.h"

#include <stdlib.h>

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

void dcs_search_greedy(dcs_search *search) {
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
