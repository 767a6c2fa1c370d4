/* dcsbench plot */
#include "cli/commands.h"
#include "harness/figures/figures.h"

typedef struct {
  const char *dir, *reference;
} arguments;

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case 'r':
    a->reference = arg;
    return 0;
  case ARGP_KEY_ARG:
    if (a->dir) return ARGP_ERR_UNKNOWN;
    a->dir = arg;
    return 0;
  case ARGP_KEY_END:
    if (!a->dir) argp_error(state, "the run folder is missing");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

dcs_status dcs_command_plot(int argc, char **argv) {
  static const struct argp_option options[] = {
      {"reference", 'r', "DIR", 0,
       "a second run whose GPU measurements are drawn, marked, where the first has none", 0},
      {0}};
  static const struct argp argp = {.options = options,
                                   .parser = parse,
                                   .args_doc = "DIR",
                                   .doc =
                                       "Draw the figures of a run into DIR/plots, as PNG and SVG."};
  arguments a = {0};
  argp_parse(&argp, argc, argv, 0, NULL, &a);
  return dcs_figures(a.dir, a.reference, stdout);
}
