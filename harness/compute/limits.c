#include "harness/compute/limits.h"

#include "harness/judge/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add(dcs_limits *limits, const char *name, const char *unit, const char *how,
                double value, double median, int runs) {
  if (limits->n == DCS_MAX_LIMITS) return;
  dcs_limit *limit = &limits->list[limits->n++];
  *limit = (dcs_limit){.value = value, .median = median, .runs = runs};
  snprintf(limit->name, sizeof limit->name, "%s", name);
  snprintf(limit->unit, sizeof limit->unit, "%s", unit);
  snprintf(limit->how, sizeof limit->how, "%s", how);
}

void dcs_limits_add_rate(dcs_limits *limits, const char *name, const char *unit, const char *how,
                         double work, double *ns, int runs) {
  dcs_stats stats = dcs_summarize(ns, (size_t)runs);
  add(limits, name, unit, how, 1e9 * work / stats.min, 1e9 * work / stats.median, runs);
}

void dcs_limits_add_time(dcs_limits *limits, const char *name, const char *how, double n,
                         double *ns, int runs) {
  dcs_stats stats = dcs_summarize(ns, (size_t)runs);
  add(limits, name, "ns", how, stats.min / n, stats.median / n, runs);
}

double dcs_limits_value(const dcs_limits *limits, const char *name) {
  for (int l = 0; l < limits->n; l++)
    if (strcmp(limits->list[l].name, name) == 0) return limits->list[l].value;
  return NAN;
}
