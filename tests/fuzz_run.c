/* Any bytes as the files of a run folder, one after another with a line of one form feed between
 * them. The first says what reads it: c compare, f figures, x crossovers, d dispatch, k claims. */
#include "harness/compare/compare.h"
#include "harness/figures/figure.h"
#include "harness/runs/run.h"
#include "tests/fuzz_cells.h"
#include "tuning/claims/claims.h"
#include "tuning/crossover/crossover.h"
#include "tuning/dispatch/dispatch.h"

static const char *const files[] = {"env.csv", "samples.csv", "summary.csv", "thresholds.csv",
                                    "winners.csv"};
enum { N_FILES = sizeof files / sizeof files[0] };

static char folder[64], path[128];
static int open_files[N_FILES];

static const char *path_of(const char *name) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void remove_folder(void) {
  for (int f = 0; f < N_FILES; f++)
    unlink(path_of(files[f]));
  rmdir(folder);
}

static void make_folder(void) {
  fuzz_folder(folder);
  atexit(remove_folder);
  for (int f = 0; f < N_FILES; f++)
    open_files[f] = fuzz_open(path_of(files[f]));
}

/* Returns what is left behind the file. */
static const uint8_t *put_part(int file, const uint8_t *at, const uint8_t *end) {
  static const char between[] = "\f\n";
  const uint8_t *stop = memmem(at, (size_t)(end - at), between, 2);
  if (!stop) stop = end;
  fuzz_fill(open_files[file], at, (size_t)(stop - at));
  return stop < end ? stop + 2 : end;
}

static void read_figures(void) {
  static dcs_status (*const data[])(const dcs_figure_run *, FILE *,
                                    char[DCS_TEXT]) = {dcs_figure_time_vs_atoms,
                                                       dcs_figure_rate_vs_coarsening,
                                                       dcs_figure_rate_vs_edge,
                                                       dcs_figure_padding_vs_edge,
                                                       dcs_figure_ladder,
                                                       dcs_figure_roofline,
                                                       dcs_figure_pareto,
                                                       dcs_figure_crossover_atoms,
                                                       dcs_figure_crossover_points,
                                                       dcs_figure_crossover_map,
                                                       dcs_figure_cutoff_time,
                                                       dcs_figure_cutoff_density,
                                                       dcs_figure_cutoff_capacity,
                                                       dcs_figure_cutoff_error,
                                                       dcs_figure_tolerance_time,
                                                       dcs_figure_tolerance_atoms,
                                                       dcs_figure_tolerance_crossover,
                                                       dcs_figure_crossover_system};
  dcs_figure_run run;
  char why[DCS_TEXT];
  if (dcs_figure_load(&run, folder, NULL) == DCS_OK)
    for (size_t f = 0; f < sizeof data / sizeof data[0]; f++)
      (void)data[f](&run, fuzz_notes(), why);
  dcs_figure_unload(&run);
}

static void compare(void) {
  const char *const folders[2] = {folder, folder};
  dcs_comparison comparison;
  (void)dcs_compare(folders, false, NULL, &comparison);
  dcs_comparison_free(&comparison);
}

static void find_crossovers(void) {
  dcs_crossovers crossovers;
  (void)dcs_crossovers_find(folder, NULL, &crossovers);
  dcs_crossovers_free(&crossovers);
}

static void draw_dispatch(void) {
  static dcs_dispatch dispatch;
  dcs_measured measured;
  if (dcs_measured_read(folder, NULL, &measured) == DCS_OK)
    (void)dcs_dispatch_draw(&measured.run, fuzz_notes(), &dispatch);
  dcs_measured_free(&measured);
}

static void check_claims(void) {
  dcs_claims claims;
  (void)dcs_claims_check(folder, &claims);
  dcs_claims_free(&claims);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  const uint8_t *at = data + 1, *end = data + size;
  if (!*folder) make_folder();
  for (int f = 0; f < N_FILES; f++)
    at = put_part(f, at, end);
  if (data[0] == 'c') compare();
  if (data[0] == 'f') read_figures();
  if (data[0] == 'x') find_crossovers();
  if (data[0] == 'd') draw_dispatch();
  if (data[0] == 'k') check_claims();
  return 0;
}
