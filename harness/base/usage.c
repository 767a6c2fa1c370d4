#include "harness/base/usage.h"

#include "harness/base/clock.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const double LACKING = 0.03; /* of the time of all threads */

/* The eighth number of /proc/stat's first line, in ticks; of all CPUs. */
static double stolen_ns(void) {
  long long ticks;
  FILE *stat = fopen("/proc/stat", "re");
  int found = stat ? fscanf(stat, "cpu %*d %*d %*d %*d %*d %*d %*d %lld", &ticks) : 0;
  if (stat) fclose(stat);
  return found == 1 ? 1e9 * (double)ticks / (double)sysconf(_SC_CLK_TCK) : NAN;
}

dcs_usage dcs_usage_now(void) {
  struct rusage used = {0};
  struct timespec cpu = {0};
  getrusage(RUSAGE_SELF, &used);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  return (dcs_usage){.wall_ns = dcs_now_ns(),
                     .cpu_ns = 1e9 * (double)cpu.tv_sec + (double)cpu.tv_nsec,
                     .switches = used.ru_nivcsw,
                     .stolen_ns = stolen_ns()};
}

dcs_usage dcs_usage_since(const dcs_usage *start) {
  const dcs_usage now = dcs_usage_now();
  return (dcs_usage){now.wall_ns - start->wall_ns, now.cpu_ns - start->cpu_ns,
                     now.switches - start->switches, now.stolen_ns - start->stolen_ns};
}

const char *dcs_usage_disturbance(const dcs_usage *usage, int threads) {
  const double all_ns = usage->wall_ns * threads, most_ns = LACKING * all_ns;
  if (usage->stolen_ns > most_ns) return "stolen";
  return usage->switches > 0 && all_ns - usage->cpu_ns > most_ns ? "preempted" : "";
}
