/* Hill climbing: from the initial configuration to the first neighbour that is better, neighbours
 * in random order, until none is; then again from one that was not tried. */
#include "tuning/tune_search.h"

#include <stdlib.h>

/* Whether a neighbour was better; *config and *ns are then that one's. */
static bool step(dcs_search *search, int *neighbours, int *config, double *ns) {
  int n = dcs_space_neighbours(search->space, *config, neighbours);
  dcs_shuffle(&search->random, neighbours, n);
  for (int i = 0; i < n; i++) {
    double other;
    if (!dcs_search_try(search, neighbours[i], search->samples, &other)) return false;
    if (!(other < *ns)) continue;
    *config = neighbours[i];
    *ns = other;
    return true;
  }
  return false;
}

void dcs_search_greedy(dcs_search *search) {
  int *neighbours = calloc((size_t)dcs_space_degree(search->space) + 1, sizeof *neighbours);
  if (!neighbours) {
    search->status = dcs_fail(DCS_UNAVAILABLE, "no memory for the neighbours");
    return;
  }
  for (int config = search->start; config >= 0; config = dcs_search_unknown(search)) {
    double ns;
    if (!dcs_search_try(search, config, search->samples, &ns)) break;
    while (step(search, neighbours, &config, &ns)) {
    }
    if (search->stopped) break;
  }
  free(neighbours);
}
