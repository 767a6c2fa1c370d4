/* The ladder: the best configuration of each variant at a large problem with many of them, a row
 * each; a CPU variant has one with one thread and one with all. */
#include "harness/figures/figure.h"

#include <math.h>

typedef struct {
  const dcs_figure_row *row;
  dcs_figure_group group;
  int y; /* from -1 down, on the CPU and on the GPU apart */
} rung;

typedef struct {
  rung *rungs;
  int n;
  int used[2]; /* rows, by backend */
  int threads; /* all */
} rung_list;

/* Rungs that the size would have. */
static int count_rungs(const dcs_figure_run *run, int size, int problem) {
  dcs_figure_pick pick = dcs_figure_pick_at(size, DCS_KERNEL);
  pick.problem = problem;
  const int all = dcs_figure_most_threads(run, pick);
  int n = 0;
  for (pick.variant = 0; pick.variant < run->n_variants; pick.variant++)
    for (int group = 0; group < DCS_FIGURE_GROUPS; group++) {
      dcs_figure_pick_group(&pick, (dcs_figure_group)group, all);
      n += (group != DCS_FIGURE_ALL_THREADS || all > 1) && dcs_figure_best(run, &pick) != NULL;
    }
  return n;
}

int dcs_figure_ladder_size(const dcs_figure_run *run, int problem) {
  int best = -1, most = 0;
  for (int size = 0; size < run->n_sizes; size++) {
    int rungs = count_rungs(run, size, problem);
    most = rungs > most ? rungs : most;
  }
  for (int size = 0; size < run->n_sizes; size++)
    if (most > 0 && 3 * count_rungs(run, size, problem) >= most &&
        (best < 0 || dcs_figure_is_larger(&run->sizes[size], &run->sizes[best])))
      best = size;
  return best;
}

/* What was not measured at the size stands with its rate at another. */
static void add_rungs(rung_list *list, const dcs_figure_run *run, int size) {
  dcs_figure_pick pick = dcs_figure_pick_at(size, DCS_KERNEL);
  for (pick.variant = 0; pick.variant < run->n_variants; pick.variant++)
    for (int group = 0; group < DCS_FIGURE_GROUPS; group++) {
      if (group == DCS_FIGURE_ALL_THREADS && list->threads == 1) continue;
      dcs_figure_pick_group(&pick, (dcs_figure_group)group, list->threads);
      const dcs_figure_row *row = dcs_figure_best_or_elsewhere(run, pick);
      if (row)
        list->rungs[list->n++] =
            (rung){row, (dcs_figure_group)group, -(++list->used[row->of->backend])};
    }
}

/* Block 1: panel (1: CPU, 2: GPU), y, name, and the columns of text: rate, of the limit, and where
 * it was measured if not at the size of the title. */
static void write_texts(FILE *dat, const dcs_figure_run *run, int size, const rung_list *list) {
  int variant = -1;
  dcs_figure_block(dat);
  for (int r = 0; r < list->n; r++) {
    const dcs_figure_row *row = list->rungs[r].row;
    char axes[DCS_TEXT] = "", share[32] = "";
    if (isfinite(row->of->limit_fraction))
      snprintf(share, sizeof share, "%.1f%%", 100 * row->of->limit_fraction);
    if (row->size != size) dcs_figure_axes(run, row->size, axes);
    fprintf(dat, "%d\t%d\t", row->of->backend == DCS_GPU ? 2 : 1, list->rungs[r].y);
    dcs_figure_text(dat, row->variant == variant ? "" : run->variants[row->variant], 2);
    const double rate = 1e-9 * row->of->evals_per_s;
    fprintf(dat, rate < 1e4 ? "\t\"%.4g\"" : "\t\"%.0f\"", rate);
    fprintf(dat, "\t\"%s\"\t\"%s\"\n", share, axes);
    variant = row->variant;
  }
}

/* Two blocks: rate, lo, hi and y of each rung of a group; its limit, nothing where not known. */
static void write_group(FILE *dat, const dcs_figure_run *run, const rung_list *list,
                        dcs_figure_group group) {
  char name[DCS_TEXT];
  const double limit = 1e-9 * run->limits[group].evals_per_s;
  bool any = false;
  dcs_figure_series(dat, "%s", dcs_figure_group_name(run, group, list->threads, name));
  for (int r = 0; r < list->n; r++) {
    const rung *at = &list->rungs[r];
    if (at->group != group) continue;
    dcs_figure_value rate = dcs_figure_geps(at->row);
    fprintf(dat, "%.9g\t%.9g\t%.9g\t%d\t", rate.value, rate.lo, rate.hi, at->y);
    dcs_figure_method_texts(dat, at->row->of->variant, at->row->of->config, "");
    any = true;
  }
  dcs_figure_series(dat, limit < 1e4 ? "its measured limit: %.4g" : "its measured limit: %.0f",
                    limit);
  if (any && limit > 0) fprintf(dat, "%.9g\n", limit);
}

static void write_ladder(FILE *dat, const dcs_figure_run *run, int size, const rung_list *list) {
  char axes[DCS_TEXT];
  dcs_figure_seen seen = {0};
  dcs_figure_pick pick = dcs_figure_pick_at(size, DCS_KERNEL);
  dcs_figure_see(run, &pick, &seen);
  for (int backend = 0; backend < 2; backend++)
    seen.drawn[backend] = list->used[backend] > 0;
  dcs_figure_titles(dat, run, seen,
                    "The ladder: best configuration of each variant, %s, kernel time",
                    dcs_figure_axes(run, size, axes));
  write_texts(dat, run, size, list);
  for (int group = 0; group < DCS_FIGURE_GROUPS; group++)
    write_group(dat, run, list, (dcs_figure_group)group);
}

dcs_status dcs_figure_ladder(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  int size = dcs_figure_ladder_size(run, DCS_FIGURE_DIRECT);
  if (size < 0) return dcs_figure_skip_exact(run, why, "no variant has a verified kernel time");
  rung_list list = {
      .threads = dcs_figure_most_threads(run, dcs_figure_pick_at(DCS_FIGURE_ANY, DCS_KERNEL))};
  DCS_TRY(dcs_room_take(run->figure, &list.rungs, (size_t)run->n_variants * DCS_FIGURE_GROUPS,
                        sizeof *list.rungs, "rungs"));
  add_rungs(&list, run, size);
  if (list.n == 0)
    return dcs_figure_skip(why, "no CPU variant has a time with one or with all threads");
  write_ladder(dat, run, size, &list);
  return DCS_OK;
}
