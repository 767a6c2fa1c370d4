/* dcsbench plot */
#include "cli/commands.h"
#include "harness/figures/figures.h"

typedef struct {
  const char *dir, *reference, *only;
} arguments;

static const dcs_option options[] = {
    {"reference", 'r', "DIR",
     "a second run whose GPU measurements are drawn, marked, where the first has none",
     DCS_WORD(arguments, reference)},
    {"figure", 'f', "NAME", "draw this one alone; padding_vs_edge is drawn only so",
     DCS_WORD(arguments, only)},
    {0}};

dcs_status dcs_command_plot(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .doc = "Draw the figures of a run into DIR/plots, as PNG and SVG.",
      DCS_RUN_FOLDER(arguments, dir)};
  arguments a = {0};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){NULL}));
  const dcs_figures_options figures = {
      .dir = a.dir, .reference = a.reference, .only = a.only, .out = stdout};
  return dcs_figures(&figures);
}
