#include "harness/rounds/sampling.h"

#include "harness/base/interrupt.h"

#include <stdio.h>

dcs_sampling dcs_sampling_of(int rounds) {
  return rounds > 0 ? (dcs_sampling){rounds, rounds, 0} : (dcs_sampling){15, 200, 0.01};
}

bool dcs_is_time_to_look(const dcs_sampling *sampling, size_t n) {
  size_t at = (size_t)sampling->least;
  while (at < n)
    at += (at + 1) / 2;
  return at == n;
}

bool dcs_is_precise(const dcs_sampling *sampling, const dcs_stats *stats) {
  const double most = sampling->precision * stats->median;
  return stats->hi - stats->median <= most && stats->median - stats->lo <= most;
}

void dcs_say_over_budget(double took_s, double budget_s, double samples_s) {
  if (budget_s <= 0 || took_s < 1.1 * budget_s + 1 || dcs_interrupted()) return;
  fprintf(
      stderr,
      "took %.0f s, beyond --budget %g: each method is checked and takes a sample at each size, "
      "whatever the budget; all samples took %.0f s\n",
      took_s, budget_s, samples_s);
}
