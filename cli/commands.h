/* The commands of the program: each parses its own options (argp) and calls one part of the
 * harness. */
#ifndef DCS_COMMANDS_H
#define DCS_COMMANDS_H

#include "harness/worker/bench.h"

#include <argp.h>

/* argv[0] is "dcsbench COMMAND". Returns the program's exit status; the message of a failure lies
 * in dcs_error_message(). */
typedef dcs_status dcs_command_function(int argc, char **argv);

dcs_command_function dcs_command_list, dcs_command_info, dcs_command_limits, dcs_command_generate,
    dcs_command_verify, dcs_command_sweep, dcs_command_compile, dcs_command_plot,
    dcs_command_report, dcs_command_compare, dcs_command_crossover, dcs_command_claims,
    dcs_command_dispatch, dcs_command_map, dcs_command_tune;

/* ---- options that several commands share, as an argp child ---- */

typedef struct {
  const char *device; /* NULL: cuda:0 */
  const char *kernels;
  double timeout_s;
} dcs_device_options;

/* Its input is a dcs_device_options, set to the defaults by dcs_device_defaults(). */
extern const struct argp dcs_device_argp;
dcs_device_options dcs_device_defaults(void);

typedef struct {
  const char *input;
  dcs_grid grid;
} dcs_problem_options;

/* --cutoff and --smooth, as typed; NULL where not given. */
typedef struct {
  const char *cutoff, *smooth;
} dcs_cutoff_options;

/* Its input is an empty dcs_cutoff_options. The texts are checked, as lists. */
extern const struct argp dcs_cutoff_argp;
/* The one cutoff that was asked for; 0 where none was. DCS_USAGE for several. */
dcs_status dcs_one_cutoff(const dcs_cutoff_options *options, double *cutoff, dcs_smooth *smooth);
/* Gives it to the case, if there is one. */
dcs_status dcs_set_cutoff(const dcs_cutoff_options *options, dcs_case *c);

/* --input, --spacing, --margin, --origin. Its input is a dcs_problem_options, set by
 * dcs_problem_defaults(). */
extern const struct argp dcs_problem_argp;
dcs_problem_options dcs_problem_defaults(void);

/* Ends the parse with the message of a dcs_status that is not ok. */
void dcs_argp_check(const struct argp_state *state, dcs_status status);

#endif
