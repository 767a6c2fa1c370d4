/* What the system let this process have of the CPUs: whether it was held up. */
#ifndef DCS_USAGE_H
#define DCS_USAGE_H

#include <stdint.h>

/* Between two moments; of one moment, since some time in the past. */
typedef struct {
  double wall_ns, cpu_ns; /* of all threads together */
  int64_t switches;       /* away from a thread that wanted to go on */
  double stolen_ns;       /* in which a host took CPUs from this virtual machine; NaN: unknown */
} dcs_usage;

dcs_usage dcs_usage_now(void);
dcs_usage dcs_usage_since(const dcs_usage *start);

/* What disturbed work that keeps so many threads busy: "preempted" when its threads were switched
 * away and then lacked more than 3% of their time, "stolen" when as much was taken from the
 * machine;
 * "" when nothing did. A thread that waits of its own accord is not held up. */
const char *dcs_usage_disturbance(const dcs_usage *usage, int threads);

#endif
