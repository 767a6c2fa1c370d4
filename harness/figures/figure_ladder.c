/* The ladder: one bar a variant, two for a CPU variant, at a large problem with many bars. */
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  const dcs_figure_row *row;
  dcs_figure_kind kind;
  double y, half_height;
} bar;

typedef struct {
  bar *bars;
  int n;
  int slots;   /* variants with a bar */
  int threads; /* of the bars with all threads */
} bar_list;

static dcs_figure_pick kernel_pick(int cell, int variant) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.cell = cell;
  pick.variant = variant;
  pick.scope = DCS_KERNEL;
  return pick;
}

int dcs_figure_most_threads(const dcs_figure_run *run, int cell) {
  int most = 1;
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_figure_row *row = &run->rows[i];
    if (row->ok && (cell == DCS_FIGURE_ANY || row->cell == cell) && row->backend == DCS_CPU &&
        row->scope == DCS_KERNEL && row->threads > most)
      most = row->threads;
  }
  return most;
}

/* Bars that the cell would have. */
static int count_bars(const dcs_figure_run *run, int cell) {
  int n = 0, most = dcs_figure_most_threads(run, cell);
  for (int variant = 0; variant < run->n_variants; variant++) {
    dcs_figure_pick pick = kernel_pick(cell, variant);
    const dcs_figure_row *best = dcs_figure_best(run, &pick);
    if (!best) continue;
    if (best->backend == DCS_CUDA) n++;
    pick.backend = DCS_CPU;
    for (int all = 0; all <= (most > 1); all++) {
      pick.threads = all ? most : 1;
      n += dcs_figure_best(run, &pick) != NULL;
    }
  }
  return n;
}

/* More points, or as many and more atoms. */
static bool is_larger(const dcs_figure_cell *a, const dcs_figure_cell *b) {
  double more = (double)a->n.x * (double)a->n.y * (double)a->n.z -
                (double)b->n.x * (double)b->n.y * (double)b->n.z;
  return more > 0 || (more == 0 && a->atoms >= b->atoms);
}

int dcs_figure_ladder_cell(const dcs_figure_run *run) {
  int best = -1, most = 0;
  for (int cell = 0; cell < run->n_cells; cell++) {
    int bars = count_bars(run, cell);
    most = bars > most ? bars : most;
  }
  for (int cell = 0; cell < run->n_cells; cell++)
    if (most > 0 && 3 * count_bars(run, cell) >= most &&
        (best < 0 || is_larger(&run->cells[cell], &run->cells[best])))
      best = cell;
  return best;
}

const dcs_figure_row *dcs_figure_best_or_elsewhere(const dcs_figure_run *run,
                                                   dcs_figure_pick pick) {
  const dcs_figure_row *best = dcs_figure_best(run, &pick);
  if (best) return best;
  for (int cell = 0; cell < run->n_cells; cell++) {
    pick.cell = cell;
    const dcs_figure_row *row = dcs_figure_best(run, &pick);
    if (row && (!best || is_larger(&run->cells[cell], &run->cells[best->cell]))) best = row;
  }
  return best;
}

/* The variant's best row as a bar of that kind (threads: DCS_FIGURE_ANY for a GPU), if it has one;
 * what was not measured in the cell has its bar from another. */
static bool add_bar(bar_list *list, const dcs_figure_run *run, dcs_figure_pick pick,
                    dcs_figure_kind kind, int threads) {
  pick.backend = kind == DCS_FIGURE_GPU ? DCS_CUDA : DCS_CPU;
  pick.threads = threads;
  const dcs_figure_row *row = dcs_figure_best_or_elsewhere(run, pick);
  if (!row) return false;
  /* The first slot is at -1 and the ladder goes down; a CPU variant's bars share a slot. */
  double y = -(double)list->slots - 1;
  if (kind == DCS_FIGURE_ONE_THREAD && list->threads > 1) y += 0.2;
  if (kind == DCS_FIGURE_ALL_THREADS) y -= 0.2;
  bool shares = kind != DCS_FIGURE_GPU && list->threads > 1;
  list->bars[list->n++] = (bar){row, kind, y, shares ? 0.19 : 0.35};
  return true;
}

static void add_bars(bar_list *list, const dcs_figure_run *run, int cell) {
  for (int variant = 0; variant < run->n_variants; variant++) {
    dcs_figure_pick pick = kernel_pick(cell, variant);
    bool one = add_bar(list, run, pick, DCS_FIGURE_ONE_THREAD, 1);
    bool all = list->threads > 1 && add_bar(list, run, pick, DCS_FIGURE_ALL_THREADS, list->threads);
    bool gpu = add_bar(list, run, pick, DCS_FIGURE_GPU, DCS_FIGURE_ANY);
    list->slots += one || all || gpu;
  }
}

/* Block 1: y and the name of each variant. */
static void write_names(FILE *dat, const dcs_figure_run *run, const bar_list *list) {
  int variant = -1;
  dcs_figure_block(dat);
  for (int b = 0; b < list->n; b++) {
    const bar *at = &list->bars[b];
    if (at->row->variant == variant) continue;
    variant = at->row->variant;
    fprintf(dat, "%.9g\t", round(at->y));
    dcs_figure_text(dat, run->variants[variant], 2);
    fputc('\n', dat);
  }
}

/* Block 2: where each bar ends, its y, and the value to print there. */
static void write_values(FILE *dat, const dcs_figure_run *run, int cell, const bar_list *list) {
  dcs_figure_block(dat);
  for (int b = 0; b < list->n; b++) {
    const bar *at = &list->bars[b];
    dcs_figure_value rate = dcs_figure_geps(at->row);
    fprintf(dat, "%.9g\t%.9g\t\"%.4g", rate.hi, at->y, rate.value);
    if (isfinite(at->row->limit_fraction))
      fprintf(dat, " (%.1f%% of limit)", 100 * at->row->limit_fraction);
    const dcs_figure_cell *own = &run->cells[at->row->cell];
    char grid[DCS_TEXT], atoms[32];
    if (at->row->cell != cell)
      fprintf(dat, " at %s, %s atoms", dcs_figure_grid(own->n, grid),
              dcs_figure_short((double)own->atoms, atoms));
    fputs("\"\n", dat);
  }
}

/* Block 3: the limit as a series of one number, 0 where it is not known. */
static void write_limit(FILE *dat, const dcs_figure_run *run) {
  double measured = run->limits[DCS_FIGURE_GPU].evals_per_s;
  double limit = measured > 0 ? measured * 1e-9 : 0;
  dcs_figure_series(dat, "measured limit of the special function units: %.4g", limit);
  fprintf(dat, "%.9g\n", limit);
}

/* Blocks 4 and on: rate, lo, hi, y and half the height of each bar of a kind. */
static void write_bars(FILE *dat, const dcs_figure_run *run, const bar_list *list,
                       dcs_figure_kind kind, const char *name) {
  bool named = false;
  for (int b = 0; b < list->n; b++) {
    const bar *at = &list->bars[b];
    if (at->kind != kind) continue;
    if (!named) dcs_figure_series(dat, "%s", name);
    named = true;
    dcs_figure_value rate = dcs_figure_geps(at->row);
    fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t", rate.value, rate.lo, rate.hi, at->y,
            at->half_height);
    dcs_figure_text(dat, run->variants[at->row->variant], 1);
    fputc('\t', dat);
    dcs_figure_text(dat, run->configs[at->row->config], 1);
    fputc('\n', dat);
  }
}

static void write_ladder(FILE *dat, const dcs_figure_run *run, int cell, const bar_list *list) {
  char grid[DCS_TEXT], name[DCS_TEXT];
  dcs_figure_pick pick = kernel_pick(cell, DCS_FIGURE_ANY);
  dcs_figure_titles(dat, run, dcs_figure_left_out(run, &pick),
                    "The ladder: best configuration of each variant, grid %s, %lld atoms, kernel "
                    "time",
                    dcs_figure_grid(run->cells[cell].n, grid), (long long)run->cells[cell].atoms);
  write_names(dat, run, list);
  write_values(dat, run, cell, list);
  write_limit(dat, run);
  write_bars(dat, run, list, DCS_FIGURE_ONE_THREAD, "CPU, 1 thread");
  snprintf(name, sizeof name, "CPU, %d threads", list->threads);
  write_bars(dat, run, list, DCS_FIGURE_ALL_THREADS, name);
  snprintf(name, sizeof name, "GPU%s", run->gpu_suffix);
  write_bars(dat, run, list, DCS_FIGURE_GPU, name);
}

dcs_status dcs_figure_ladder(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  int cell = dcs_figure_ladder_cell(run);
  if (cell < 0) {
    snprintf(why, DCS_TEXT, "no variant has a verified kernel time");
    return DCS_OK;
  }
  bar_list list = {.threads = dcs_figure_most_threads(run, DCS_FIGURE_ANY)};
  list.bars = calloc((size_t)run->n_variants * DCS_FIGURE_KINDS, sizeof *list.bars);
  if (!list.bars)
    return dcs_fail(DCS_UNAVAILABLE, "not enough memory for the bars of %d variants",
                    run->n_variants);
  add_bars(&list, run, cell);
  if (list.n > 0)
    write_ladder(dat, run, cell, &list);
  else
    snprintf(why, DCS_TEXT, "no CPU variant has a time with one or with all threads");
  free(list.bars);
  return DCS_OK;
}
