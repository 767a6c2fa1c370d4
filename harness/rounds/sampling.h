/* When a method has samples enough. */
#ifndef DCS_SAMPLING_H
#define DCS_SAMPLING_H

#include "harness/judge/stats.h"

#include <stdbool.h>
#include <stddef.h>

/* When a method has samples enough: from `least` on as soon as the 95% interval of its median lies
 * within `precision` of the median on either side, and at the latest at `most`. */
typedef struct {
  int least, most;
  double precision; /* 0.01: 1% */
} dcs_sampling;

/* Exactly so many rounds; of 0, as many as a precision of 1% needs, 15 to 200. */
dcs_sampling dcs_sampling_of(int rounds);

/* Who looks at an interval after each sample and stops when it is narrow, stops when it happens to
 * be. So it is looked at rarely: with `least` samples, and then with half as many again each time.
 */
bool dcs_is_time_to_look(const dcs_sampling *sampling, size_t n);

/* Whether the interval of the median is narrow enough. */
bool dcs_is_precise(const dcs_sampling *sampling, const dcs_stats *stats);

/* Says on stderr why a run that was not interrupted took longer than its budget (0: none), where it
 * did by a tenth and a second. */
void dcs_say_over_budget(double took_s, double budget_s, double samples_s);

#endif
