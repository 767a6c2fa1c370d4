/* What the parts of `map` share: its arguments, the grid, and maps of several frames. */
#ifndef DCS_CLI_MAP_FRAMES_H
#define DCS_CLI_MAP_FRAMES_H

#include "cli/commands.h"
#include "library/dcsbench.h"
#include "library/frames/run.h"

typedef struct {
  dcs_problem_options problem;
  dcs_problem_choice choice;
  const char *grid, *out, *device, *dispatch, *slice, *at, *isovalue;
  dcs_units_options units;
  bool explain, time, csv, json;
  /* Of several frames. */
  bool average, variance;
  const char *frames, *each, *align, *checkpoint, *timeline; /* NULL: not given */
  const char **more;                                         /* files behind the two of the input */
  int n_more;
} dcs_map_arguments;

/* Whether options go together: DCS_USAGE. */
dcs_status dcs_map_check(const void *arguments);

/* Computes the maps of the frames, and writes their mean, or each of them, or both. */
dcs_status dcs_map_frames(const dcs_map_arguments *a, const dcs_kind *kind, dcs_config *problem);

/* Says what the stages of the run did: a table, and a sentence. */
dcs_status dcs_map_print_frame_times(const dcs_frames_times *times, bool csv, bool json);

/* Of a stage's workers and the time from when the devices were open. */
double dcs_map_busy_share(const dcs_frames_times *times, int stage);

/* DIR/timeline.csv and DIR/plots/timeline: when they did what. Sorts the timeline. */
dcs_status dcs_map_write_timeline(const char *dir, const dcs_frames_times *times,
                                  dcs_timeline *timeline);

/* ---- of one map as well ---- */

/* The grid of a slice, or without --slice as it is, around the molecule; of --at one point, which
 * is not computed. A cell that the whole grid spans is the problem's. */
dcs_status dcs_map_grid(const dcs_map_arguments *a, const dcs_molecule *molecule,
                        const dcs_kind *kind, dcs_config *problem, dcs_grid *grid);
/* Of a problem on its grid, all but the atoms. */
dcs_map_request dcs_map_request_of(const dcs_problem *problem, double spacing,
                                   const double origin[3]);
/* A run folder stands for the dispatch table in it. One that is damaged or of another machine is
 * done without, as in the library; one that is not there is a slip of the user's. */
dcs_status dcs_map_dispatch_path(const char *dispatch, char path[4096]);

#endif
