#include "harness/limits/limits.h"

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

static void join(dcs_limit *limit, const dcs_limit *other) {
  bool time = strcmp(limit->unit, "ns") == 0;
  limit->value = time ? fmax(limit->value, other->value) : limit->value + other->value;
  limit->median = time ? fmax(limit->median, other->median) : limit->median + other->median;
}

void dcs_limits_join(dcs_limits *limits, const dcs_limits *other) {
  if (limits->n == 0)
    *limits = *other;
  else
    for (int l = 0; l < limits->n && l < other->n; l++)
      join(&limits->list[l], &other->list[l]);
}
