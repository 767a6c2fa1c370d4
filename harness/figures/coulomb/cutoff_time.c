/* Sums within a cutoff over the number of atoms, against the direct sum. */
#include "harness/figures/coulomb/cutoff.h"

#include <math.h>

static const dcs_scope scopes[] = {DCS_KERNEL, DCS_WARM};

static bool both_measured(const dcs_figure_run *run, int size, int problem) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.size = size;
  if (!(dcs_cutoff_of(run, problem) > 0) || !dcs_cutoff_timed(run, pick)) return false;
  pick.problem = problem;
  return dcs_cutoff_timed(run, pick) != NULL;
}

/* The sizes, and the most threads of a CPU row there. */
typedef struct {
  const dcs_figure_run *run;
  dcs_sizes sizes;
  int threads;
} comparison;

/* Two lines of a group: the direct sum's and the cutoff's. */
typedef struct {
  dcs_figure_pick pick[2];
  bool drawn; /* false: another group's lines are the same */
} line_pair;

static const dcs_figure_row *row_at(const comparison *c, dcs_figure_pick pick, int i) {
  pick.size = c->sizes.list[i];
  return dcs_figure_best(c->run, &pick);
}

/* Both lines in one scope, so that they can be compared: kernel, unless warm has more sizes where
 * both have a time. A line that has none there is taken in the other scope. */
static line_pair choose_pair(const comparison *c, dcs_figure_group group) {
  line_pair pair = {{dcs_figure_any, dcs_figure_any},
                    group != DCS_FIGURE_ALL_THREADS || c->threads > 1};
  int lines[2][2] = {{0}}, both[2] = {0};
  pair.pick[1].problem = c->sizes.problem;
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < c->sizes.n; i++) {
      bool has[2];
      for (int sum = 0; sum < 2; sum++) {
        dcs_figure_pick_group(&pair.pick[sum], group, c->threads);
        pair.pick[sum].scope = (int)scopes[s];
        has[sum] = row_at(c, pair.pick[sum], i) != NULL;
        lines[s][sum] += has[sum];
      }
      both[s] += has[0] && has[1];
    }
  const int chosen = both[1] > both[0];
  for (int sum = 0; sum < 2; sum++)
    pair.pick[sum].scope = (int)scopes[lines[chosen][sum] ? chosen : !chosen];
  return pair;
}

static void pair_series(FILE *dat, const comparison *c, dcs_figure_group group, line_pair pair) {
  static const char *const sums[] = {"direct sum", "within the cutoff"};
  for (int sum = 0; sum < 2; sum++) {
    dcs_figure_pick pick = pair.pick[sum];
    char name[DCS_TEXT];
    dcs_figure_group_name(c->run, group, c->threads, name);
    if (group == DCS_FIGURE_GPU)
      dcs_figure_series(dat, "%s, %s: %s", name, dcs_scope_name((dcs_scope)pick.scope), sums[sum]);
    else
      dcs_figure_series(dat, "%s: %s", name, sums[sum]);
    for (int i = 0; pair.drawn && i < c->sizes.n; i++) {
      const dcs_figure_row *row = row_at(c, pick, i);
      if (!row) continue;
      dcs_figure_point(dat, row, c->run->sizes[c->sizes.list[i]].inputs, dcs_figure_ms(row));
    }
  }
}

/* Where the lines of a pair cross between two sizes: straight lines of the logarithms. */
static void pair_crossovers(FILE *dat, const comparison *c, line_pair pair) {
  double before[3] = {0, 0, 0}; /* log of atoms, of time within the cutoff, of the times' ratio */
  bool any = false;
  for (int i = 0; i < c->sizes.n; i++) {
    const dcs_figure_row *direct = row_at(c, pair.pick[0], i), *cut = row_at(c, pair.pick[1], i);
    if (!pair.drawn || !direct || !cut) continue;
    double now[3] = {log(c->run->sizes[c->sizes.list[i]].inputs), log(cut->of->median_ns),
                     log(direct->of->median_ns / cut->of->median_ns)};
    if (any && (before[2] > 0) != (now[2] > 0)) {
      double part = before[2] / (before[2] - now[2]);
      double x = exp(before[0] + part * (now[0] - before[0]));
      char text[32];
      fprintf(dat, "%.9g\t%.9g\t\"%s\"\n", x, 1e-6 * exp(before[1] + part * (now[1] - before[1])),
              dcs_figure_short(x, text));
    }
    any = true;
    for (int k = 0; k < 3; k++)
      before[k] = now[k];
  }
}

static void write_comparison(FILE *dat, const comparison *c) {
  char cut[DCS_TEXT];
  line_pair pairs[DCS_FIGURE_GROUPS];
  dcs_figure_seen seen = {0};
  dcs_sizes_see(c->run, &c->sizes, DCS_FIGURE_DIRECT, &seen);
  dcs_sizes_see(c->run, &c->sizes, c->sizes.problem, &seen);
  dcs_figure_titles(dat, c->run, seen, "Time of one map against atoms: direct sum, and within %s",
                    dcs_cutoff_name(c->run, c->sizes.problem, cut));
  dcs_sizes_lines(dat, c->run, &c->sizes);
  for (int group = 0; group < DCS_FIGURE_GROUPS; group++) {
    pairs[group] = choose_pair(c, (dcs_figure_group)group);
    pair_series(dat, c, (dcs_figure_group)group, pairs[group]);
  }
  dcs_figure_series(dat, "crossover point, between sizes");
  for (int group = 0; group < DCS_FIGURE_GROUPS; group++)
    pair_crossovers(dat, c, pairs[group]);
}

dcs_status dcs_figure_cutoff_time(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  comparison c = {.run = run};
  DCS_TRY(dcs_sizes_choose(run, both_measured, DCS_SIZES_GRID, DCS_SIZES_NOTHING, &c.sizes));
  if (c.sizes.n == 0)
    return dcs_figure_skip(why, "no two numbers of atoms were measured both as the direct sum and "
                                "within one cutoff");
  const int direct = dcs_sizes_threads(run, &c.sizes, DCS_FIGURE_DIRECT);
  const int within = dcs_sizes_threads(run, &c.sizes, c.sizes.problem);
  c.threads = direct > within ? direct : within;
  write_comparison(dat, &c);
  return DCS_OK;
}
