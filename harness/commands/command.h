/* One run of a user's command, timed. */
#ifndef DCS_TIMED_COMMAND_H
#define DCS_TIMED_COMMAND_H

#include "harness/base/outcome.h"
#include "kernels/contract.h"

#include <regex.h>

/* What takes the place of "{NAME}" in a command. */
typedef struct {
  const char *name, *value;
} dcs_placeholder;

enum { DCS_MOST_PLACEHOLDERS = 4 };

typedef struct {
  const char *command; /* words as a shell splits them; no other shell syntax */
  const dcs_placeholder *placeholders;
  int n_placeholders;
  int input;   /* a descriptor to read from; -1: nothing */
  int output;  /* one to write to; -1: what is written is thrown away */
  bool errors; /* what it writes to standard error is shown */
  double timeout_s;
} dcs_timed_command;

/* Replaces placeholders and splits into words, without running anything. DCS_USAGE names what a
 * command cannot hold: a name in braces that is no size, shell syntax, no word. */
dcs_status dcs_command_check(const char *command, const dcs_placeholder *placeholders, int n);

/* Runs it to its end: *ns is the wall clock from before its start. Not ok: why is in
 * dcs_error_message(): it could not be started (not_built), ended with another status than 0 or by
 * a signal (crash), took too long (timeout; it and what it started are killed), or this machine has
 * no memory, process or descriptor for it now (memory). An interrupt kills it, too, and nothing is
 * known then. */
dcs_outcome dcs_command_run(const dcs_timed_command *command, double *ns);

/* The nanoseconds that text says: the first group of the expression, a number with a point as its
 * decimal mark and perhaps a unit behind it, in the group or not (s, ms, us, ns, min, h and their
 * longer names; s where there is none). DCS_FAILED: it does not match, or is no time of a run: the
 * number goes on behind the group or a comma, or the unit is another. DCS_UNAVAILABLE: no memory to
 * look. */
dcs_status dcs_command_time(const regex_t *expression, const char *text, double *ns);

#endif
