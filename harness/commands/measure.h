/* Timing users' commands: whole programs, in interleaved rounds, into a run folder of a problem of
 * kind `external`. */
#ifndef DCS_MEASURE_H
#define DCS_MEASURE_H

#include "harness/problems/problem.h"
#include "harness/rounds/sampling.h"

typedef struct {
  const char *name, *command; /* "./a {n}" */
} dcs_timed_method;

/* An axis of the size: what {NAME} stands for. */
typedef struct {
  const char *name;
  const int64_t *values;
  int n;
} dcs_timed_axis;

typedef struct {
  const dcs_timed_method *methods;
  int n_methods;
  dcs_timed_axis axes[DCS_MAX_DIMENSIONS];
  int n_axes;
  const char *check; /* a command that gets a method's output on its standard input, {method} and
                        the axes, and ends with 0 where it is right; NULL: none */
  const char *time_from; /* an extended regular expression with a group: the time is what a command
                            prints there; NULL: it is the wall clock from start to end */
  dcs_sampling sampling;
  double budget_s; /* 0: none */
  double timeout_s;
  uint64_t seed; /* of the order within the rounds */
  const char *out;
  bool resume;
} dcs_measure_options;

/* Tries each command at each size, checks it, and takes samples in rounds, the methods of a round
 * in random order, until each has enough. A command that fails is an outcome of its row. Rows are
 * written size by size; an interrupted or killed run loses at most the sample in flight, and goes
 * on with `resume`. DCS_USAGE: commands, sizes or folder; DCS_FAILED: a command failed, or an
 * interrupt. */
dcs_status dcs_measure_commands(const dcs_measure_options *options);

#endif
