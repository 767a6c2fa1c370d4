/* Options that several commands share. */
#include "cli/commands.h"

#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

void dcs_argp_check(const struct argp_state *state, dcs_status status) {
  if (status != DCS_OK) argp_error(state, "%s", dcs_error_message());
}

enum {
  KEY_TIMEOUT = 1000,
  KEY_KERNELS,
  KEY_SPACING,
  KEY_MARGIN,
  KEY_ORIGIN,
  KEY_CUTOFF,
  KEY_SMOOTH
};

static const struct argp_option device_options[] = {
    {"device", 'd', "DEVICE", 0,
     "device of the CUDA variants: cuda:N or emulated (cuda:0); in verify and sweep also several "
     "that "
     "share each map: cuda:0,cuda:1 or cuda:all",
     0},
    {"kernels", KEY_KERNELS, "DIR", 0, "read the .cu files from DIR instead of the built-in ones",
     0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "longest wait for one answer of a worker (300)", 0},
    {0}};

static error_t parse_device(int key, char *arg, struct argp_state *state) {
  dcs_device_options *options = state->input;
  switch (key) {
  case 'd':
    if (strcmp(arg, "cpu") == 0)
      argp_error(state, "--device: found \"cpu\"; expected the device of the CUDA variants, cuda:N "
                        "or emulated; --variants cpu chooses the CPU's");
    options->device = arg;
    return 0;
  case KEY_KERNELS:
    options->kernels = arg;
    return 0;
  case KEY_TIMEOUT:
    dcs_argp_check(state, dcs_parse_number("--timeout", arg, 0.001, 1e6, &options->timeout_s));
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp dcs_device_argp = {.options = device_options, .parser = parse_device};

dcs_device_options dcs_device_defaults(void) {
  return (dcs_device_options){.timeout_s = 300};
}

static const struct argp_option problem_options[] = {
    {"input", 'i', "FILE", 0, "PQR file with the molecule", 0},
    {"spacing", KEY_SPACING, "ANGSTROM", 0,
     "grid spacing (what makes molecule and margin fit the grid; else 0.5)", 0},
    {"margin", KEY_MARGIN, "ANGSTROM", 0, "space around the molecule's box (5)", 0},
    {"origin", KEY_ORIGIN, "X,Y,Z", 0, "place of grid point 0,0,0 (grid centred on the molecule)",
     0},
    {0}};

static dcs_status parse_origin(const char *text, dcs_grid *grid) {
  char **parts;
  int n;
  DCS_TRY(dcs_split(text, ',', &parts, &n));
  dcs_status status =
      n == 3 ? DCS_OK : dcs_fail(DCS_USAGE, "--origin: found \"%s\"; expected X,Y,Z", text);
  for (int d = 0; status == DCS_OK && d < 3; d++)
    status = dcs_parse_number("--origin", parts[d], -1e7, 1e7, &grid->origin[d]);
  free(parts);
  grid->has_origin = true;
  return status;
}

static error_t parse_problem(int key, char *arg, struct argp_state *state) {
  dcs_problem_options *options = state->input;
  switch (key) {
  case 'i':
    options->input = arg;
    return 0;
  case KEY_SPACING:
    dcs_argp_check(state, dcs_parse_number("--spacing", arg, 1e-6, 1e6, &options->grid.spacing));
    return 0;
  case KEY_MARGIN:
    dcs_argp_check(state, dcs_parse_number("--margin", arg, 0, 1e6, &options->grid.margin));
    return 0;
  case KEY_ORIGIN:
    dcs_argp_check(state, parse_origin(arg, &options->grid));
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp dcs_problem_argp = {.options = problem_options, .parser = parse_problem};

dcs_problem_options dcs_problem_defaults(void) {
  return (dcs_problem_options){.grid = {.margin = 5}};
}

static const struct argp_option cutoff_options[] = {
    {"cutoff", KEY_CUTOFF, "ANGSTROM", 0,
     "distance from which on atoms do not count, for the variants that have a cutoff; in a sweep "
     "also several, with commas",
     0},
    {"smooth", KEY_SMOOTH, "NAME", 0,
     "what a term within the cutoff c is multiplied by: none, or c2: (1 - r^2/c^2)^2 (none)", 0},
    {0}};

static error_t parse_cutoff(int key, char *arg, struct argp_state *state) {
  dcs_cutoff_options *options = state->input;
  double *values;
  int n;
  dcs_smooth smooth;
  switch (key) {
  case KEY_CUTOFF:
    dcs_argp_check(state, dcs_parse_cutoffs("--cutoff", arg, &values, &n));
    free(values);
    options->cutoff = arg;
    return 0;
  case KEY_SMOOTH:
    dcs_argp_check(state, dcs_parse_smooth("--smooth", arg, &smooth));
    options->smooth = arg;
    return 0;
  case ARGP_KEY_END:
    if (options->smooth && !options->cutoff)
      argp_error(state, "--smooth needs --cutoff: it is about the map within a cutoff");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp dcs_cutoff_argp = {.options = cutoff_options, .parser = parse_cutoff};

dcs_status dcs_one_cutoff(const dcs_cutoff_options *options, double *cutoff, dcs_smooth *smooth) {
  double *values;
  int n;
  *cutoff = 0;
  *smooth = DCS_SMOOTH_NONE;
  if (!options->cutoff) return DCS_OK;
  if (options->smooth) DCS_TRY(dcs_parse_smooth("--smooth", options->smooth, smooth));
  DCS_TRY(dcs_parse_cutoffs("--cutoff", options->cutoff, &values, &n));
  *cutoff = values[0];
  free(values);
  if (n == 1) return DCS_OK;
  return dcs_fail(DCS_USAGE, "--cutoff: found %d values, \"%s\"; expected one", n, options->cutoff);
}

dcs_status dcs_set_cutoff(const dcs_cutoff_options *options, dcs_case *c) {
  double cutoff;
  dcs_smooth smooth;
  DCS_TRY(dcs_one_cutoff(options, &cutoff, &smooth));
  if (cutoff > 0) dcs_case_set_cutoff(c, cutoff, smooth);
  return DCS_OK;
}
