/* Maps within a cutoff over the number of atoms: against the whole sum, and at a fixed density. */
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>

static const dcs_scope scopes[] = {DCS_KERNEL, DCS_WARM};

/* The fastest in one of these scopes; the start of a process belongs to no map. */
static const dcs_figure_row *timed(const dcs_figure_run *run, dcs_figure_pick pick) {
  const dcs_figure_row *best = NULL;
  for (int s = 0; s < 2; s++) {
    pick.scope = (int)scopes[s];
    const dcs_figure_row *row = dcs_figure_best(run, &pick);
    if (row && (!best || row->evals_per_s > best->evals_per_s)) best = row;
  }
  return best;
}

static int left_out(const dcs_figure_run *run, const dcs_figure_sizes *sizes, int cut) {
  dcs_figure_pick pick = dcs_figure_any;
  int n = 0;
  pick.cut = cut;
  for (int i = 0; i < sizes->n; i++) {
    pick.cell = sizes->cells[i];
    n += dcs_figure_left_out(run, &pick);
  }
  return n;
}

/* ---- against the whole sum ---- */

static bool both_measured(const dcs_figure_run *run, int cell, int cut) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.cell = cell;
  if (!timed(run, pick)) return false;
  pick.cut = cut;
  return timed(run, pick) != NULL;
}

/* The sizes, and the most threads of a CPU row there. */
typedef struct {
  const dcs_figure_run *run;
  dcs_figure_sizes sizes;
  int threads;
} comparison;

/* Two lines of a kind: the whole sum's and the cutoff's. */
typedef struct {
  dcs_figure_pick pick[2];
  bool drawn; /* false: another kind's lines are the same */
} line_pair;

static const dcs_figure_row *row_at(const comparison *c, dcs_figure_pick pick, int size) {
  pick.cell = c->sizes.cells[size];
  return dcs_figure_best(c->run, &pick);
}

/* How well the scope serves the pair: sizes where both lines have a time weigh more than any number
 * where one has. */
static int merit(const comparison *c, line_pair pair, dcs_scope scope, int lines[2]) {
  int both = 0;
  lines[0] = lines[1] = 0;
  for (int i = 0; i < c->sizes.n; i++) {
    bool has[2];
    for (int sum = 0; sum < 2; sum++) {
      pair.pick[sum].scope = (int)scope;
      has[sum] = row_at(c, pair.pick[sum], i) != NULL;
      lines[sum] += has[sum];
    }
    both += has[0] && has[1];
  }
  return both * (2 * c->sizes.n + 1) + lines[0] + lines[1];
}

/* Both lines in one scope, so that they can be compared: kernel, unless warm has more sizes. A line
 * that has no time there is taken in the other scope. */
static line_pair choose_pair(const comparison *c, dcs_figure_kind kind) {
  line_pair pair = {{dcs_figure_any, dcs_figure_any},
                    kind != DCS_FIGURE_ALL_THREADS || c->threads > 1};
  pair.pick[1].cut = c->sizes.cut;
  for (int sum = 0; sum < 2; sum++) {
    pair.pick[sum].backend = kind == DCS_FIGURE_GPU ? DCS_CUDA : DCS_CPU;
    if (kind != DCS_FIGURE_GPU)
      pair.pick[sum].threads = kind == DCS_FIGURE_ONE_THREAD ? 1 : c->threads;
  }
  int lines[2][2];
  int kernel = merit(c, pair, DCS_KERNEL, lines[0]), warm = merit(c, pair, DCS_WARM, lines[1]);
  int chosen = warm > kernel;
  for (int sum = 0; sum < 2; sum++)
    pair.pick[sum].scope =
        (int)scopes[lines[chosen][sum] == 0 && lines[!chosen][sum] > 0 ? !chosen : chosen];
  return pair;
}

static void pair_series(FILE *dat, const comparison *c, dcs_figure_kind kind, line_pair pair) {
  static const char *const sums[] = {"whole sum", "within the cutoff"};
  for (int sum = 0; sum < 2; sum++) {
    dcs_figure_pick pick = pair.pick[sum];
    if (kind == DCS_FIGURE_GPU)
      dcs_figure_series(dat, "GPU%s, %s: %s", c->run->gpu_suffix,
                        dcs_scope_name((dcs_scope)pick.scope), sums[sum]);
    else
      dcs_figure_series(dat, "CPU, %d thread%s: %s", pick.threads, pick.threads == 1 ? "" : "s",
                        sums[sum]);
    for (int i = 0; pair.drawn && i < c->sizes.n; i++) {
      const dcs_figure_row *row = row_at(c, pick, i);
      if (!row) continue;
      dcs_figure_point(dat, c->run, row, (double)c->run->cells[c->sizes.cells[i]].atoms,
                       dcs_figure_ms(row));
    }
  }
}

/* Where the lines of a pair cross between two sizes: straight lines of the logarithms. */
static void pair_crossings(FILE *dat, const comparison *c, line_pair pair) {
  double before[3] = {0, 0, 0}; /* log of atoms, of time within the cutoff, of the times' ratio */
  bool any = false;
  for (int i = 0; i < c->sizes.n; i++) {
    const dcs_figure_row *whole = row_at(c, pair.pick[0], i), *cut = row_at(c, pair.pick[1], i);
    if (!pair.drawn || !whole || !cut) continue;
    double now[3] = {log((double)c->run->cells[c->sizes.cells[i]].atoms), log(cut->median_ns),
                     log(whole->median_ns / cut->median_ns)};
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
  line_pair pairs[DCS_FIGURE_KINDS];
  dcs_figure_titles(dat, c->run,
                    left_out(c->run, &c->sizes, DCS_FIGURE_WHOLE) +
                        left_out(c->run, &c->sizes, c->sizes.cut),
                    "Time of one map against atoms: whole sum, and within %s",
                    dcs_figure_cut_name(c->run, c->sizes.cut, cut));
  dcs_figure_sizes_line(dat, c->run, &c->sizes);
  for (int kind = 0; kind < DCS_FIGURE_KINDS; kind++) {
    pairs[kind] = choose_pair(c, (dcs_figure_kind)kind);
    pair_series(dat, c, (dcs_figure_kind)kind, pairs[kind]);
  }
  dcs_figure_series(dat, "they cross (between sizes)");
  for (int kind = 0; kind < DCS_FIGURE_KINDS; kind++)
    pair_crossings(dat, c, pairs[kind]);
}

dcs_status dcs_figure_cutoff_time(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  comparison c = {.run = run};
  dcs_status status =
      dcs_figure_choose_sizes(run, both_measured, DCS_FIGURE_GRID, DCS_FIGURE_NOTHING, &c.sizes);
  if (status == DCS_OK && c.sizes.n == 0)
    snprintf(why, DCS_TEXT,
             "no two numbers of atoms were measured both as the whole sum and within one cutoff");
  if (status == DCS_OK && c.sizes.n > 0) {
    c.threads = dcs_figure_sizes_threads(run, &c.sizes, true);
    write_comparison(dat, &c);
  }
  free(c.sizes.cells);
  return status;
}

/* ---- at a fixed density ---- */

static bool measured_within(const dcs_figure_run *run, int cell, int cut) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.cell = cell;
  pick.cut = cut;
  return timed(run, pick) != NULL;
}

/* A line of time per grid point; nothing where there is no time. */
static void density_series(FILE *dat, const dcs_figure_run *run, const dcs_figure_sizes *sizes,
                           dcs_figure_pick pick, const char *name) {
  bool named = false;
  for (int i = 0; i < sizes->n; i++) {
    pick.cell = sizes->cells[i];
    const dcs_figure_cell *cell = &run->cells[pick.cell];
    const dcs_figure_row *row = dcs_figure_best(run, &pick);
    if (!row) continue;
    if (!named) dcs_figure_series(dat, "%s, %s", run->variants[pick.variant], name);
    named = true;
    dcs_figure_value time = dcs_figure_ms(row);
    double scale = 1e6 / dcs_figure_points(cell);
    dcs_figure_point(dat, run, row, (double)cell->atoms,
                     (dcs_figure_value){scale * time.value, scale * time.lo, scale * time.hi});
  }
}

static void density_variant(FILE *dat, const dcs_figure_run *run, const dcs_figure_sizes *sizes,
                            int variant, int threads) {
  char name[DCS_TEXT];
  dcs_figure_pick pick = dcs_figure_any;
  pick.cut = sizes->cut;
  pick.variant = variant;
  pick.backend = DCS_CPU;
  pick.scope = DCS_KERNEL;
  for (int all = 0; all <= (threads > 1); all++) {
    pick.threads = all ? threads : 1;
    snprintf(name, sizeof name, "%d thread%s", pick.threads, all ? "s" : "");
    density_series(dat, run, sizes, pick, name);
  }
  pick.threads = DCS_FIGURE_ANY;
  pick.backend = DCS_CUDA;
  for (int s = 0; s < 2; s++) {
    pick.scope = (int)scopes[s];
    snprintf(name, sizeof name, "%s%s", dcs_scope_name(scopes[s]), run->gpu_suffix);
    density_series(dat, run, sizes, pick, name);
  }
}

dcs_status dcs_figure_cutoff_density(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  dcs_figure_sizes sizes;
  dcs_status status =
      dcs_figure_choose_sizes(run, measured_within, DCS_FIGURE_DENSITY, DCS_FIGURE_DENSITY, &sizes);
  if (status == DCS_OK && sizes.n == 0)
    snprintf(why, DCS_TEXT,
             "no two numbers of atoms, one at least twice the other, were measured within one "
             "cutoff at densities within 20%% of each other");
  if (status == DCS_OK && sizes.n > 0) {
    char cut[DCS_TEXT];
    int threads = dcs_figure_sizes_threads(run, &sizes, false);
    dcs_figure_titles(dat, run, left_out(run, &sizes, sizes.cut),
                      "Time per grid point within %s at one density: flat in a box much wider "
                      "than that",
                      dcs_figure_cut_name(run, sizes.cut, cut));
    dcs_figure_sizes_line(dat, run, &sizes);
    for (int variant = 0; variant < run->n_variants; variant++)
      density_variant(dat, run, &sizes, variant, threads);
  }
  free(sizes.cells);
  return status;
}
