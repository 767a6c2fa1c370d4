/* Measured limits of a machine, which rates are held against. */
#ifndef DCS_LIMITS_H
#define DCS_LIMITS_H

#include "harness/device/device.h"

/* Fixed in size: it goes through a pipe. */
typedef struct {
  char name[40]; /* with its unit: cpu_1_evals_per_s */
  char unit[24];
  char how[96];         /* how it was measured */
  double value, median; /* the best of the runs, which is the limit; their median */
  int runs;
} dcs_limit;

enum { DCS_MAX_LIMITS = 16, DCS_MAX_LIMIT_RUNS = 45 };

typedef struct {
  dcs_limit list[DCS_MAX_LIMITS];
  int n;
} dcs_limits;

/* Adds a rate: `work` units in each of the times ns[runs], which are sorted. */
void dcs_limits_add_rate(dcs_limits *limits, const char *name, const char *unit, const char *how,
                         double work, double *ns, int runs);
/* Adds a time, in ns: that of `n` of what is timed lies in each of ns[runs], which are sorted. */
void dcs_limits_add_time(dcs_limits *limits, const char *name, const char *how, double n,
                         double *ns, int runs);
/* Adds the limits of another device, measured in the same way: rates add up, and of times the
 * longest counts; `runs` are those of each. Into an empty list they are taken as they are. */
void dcs_limits_join(dcs_limits *limits, const dcs_limits *other);

/* With one thread (cpu_1_...) and with as many as the process has CPUs (cpu_all_...): evaluations
 * by the instruction mix of the tiled kernels, reciprocal square roots, fused multiply-adds, memory
 * bandwidth. DCS_FAILED when a probe computed something else than it should. */
dcs_status dcs_measure_cpu(dcs_limits *limits);

/* Of a device that has times (else DCS_UNAVAILABLE): reciprocal square roots, powers of two, fused
 * multiply-adds and memory bandwidth (gpu_...), and when `all`, copies to and from the host and the
 * cost of a launch. Each kernel's result is checked; DCS_FAILED when one is wrong. */
dcs_status dcs_measure_device(dcs_device *device, bool all, dcs_limits *limits);

/* The kernels of dcs_measure_device() once, briefly, with their results checked; on any device. */
dcs_status dcs_check_device_probes(dcs_device *device);

#endif
