/* Simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983) on log times. */
#include "tuning/search/search.h"

#include <math.h>
#include <stdlib.h>

/* At the start a neighbour that takes 1.35 times as long is accepted in one case of e, at the end
 * one that takes 1.01 times as long. */
static const double HOT = 0.3, COLD = 0.01;

/* So many moves in a row to configurations that are known: the neighbourhood is worn out. */
enum { WORN_OUT = 25 };

static bool accepts(dcs_search *search, double now_ns, double next_ns) {
  double temperature = HOT * pow(COLD / HOT, dcs_search_share(search));
  if (next_ns <= now_ns) return true;
  if (!isfinite(next_ns)) return false;
  return dcs_random_unit(&search->random) < exp(-log(next_ns / now_ns) / temperature);
}

void dcs_search_annealing(dcs_search *search) {
  int *neighbours = calloc((size_t)dcs_space_degree(search->space) + 1, sizeof *neighbours);
  double ns, next_ns;
  int config = search->start, idle = 0;
  if (!neighbours) {
    search->status = dcs_fail(DCS_UNAVAILABLE, "no memory for the neighbours");
    return;
  }
  bool more = dcs_search_try(search, config, search->samples, &ns);
  while (more && search->n_known < search->space->n) {
    int n = dcs_space_neighbours(search->space, config, neighbours);
    bool jump = n == 0 || idle >= WORN_OUT;
    int next = jump ? dcs_search_unknown(search) : neighbours[dcs_random_below(&search->random, n)];
    idle = search->known[next].known ? idle + 1 : 0;
    more = dcs_search_try(search, next, search->samples, &next_ns);
    if (!more || !(jump || accepts(search, ns, next_ns))) continue;
    config = next;
    ns = next_ns;
  }
  free(neighbours);
}
