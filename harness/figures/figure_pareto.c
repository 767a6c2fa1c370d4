/* Time against energy: the rows of one size that have one, and the front of them. */
#include "harness/figures/figure.h"
#include "harness/judge/front.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  dcs_front_point at; /* ms, J. First, for dcs_front_find() */
  const dcs_figure_row *row;
} energy_point;

static double energy_of(const dcs_figure_run *run, const dcs_figure_row *row) {
  const dcs_run *of =
      run->gpu_is_reference && row->of->backend == DCS_GPU ? &run->other : &run->own;
  const char *text = dcs_run_cell(of, row->of, "energy_j");
  return *text && row->ok ? strtod(text, NULL) : NAN;
}

/* The next row of the pick that has an energy. */
static const dcs_figure_row *next_known(const dcs_figure_run *run, const dcs_figure_pick *pick,
                                        const dcs_figure_row *row) {
  do
    row = dcs_figure_next(run, pick, row);
  while (row && !(energy_of(run, row) > 0));
  return row;
}

static int count_known(const dcs_figure_run *run, const dcs_figure_pick *pick) {
  const dcs_figure_row *row = NULL;
  int n = 0;
  while ((row = next_known(run, pick, row)))
    n++;
  return n;
}

/* The size and backend of most rows with an energy; a card's and a CPU's are not of one kind. */
static int choose(const dcs_figure_run *run, dcs_figure_pick *best) {
  int most = 0;
  for (int size = 0; size < run->n_sizes; size++)
    for (int backend = 0; backend < 2; backend++) {
      dcs_figure_pick pick = dcs_figure_pick_at(size, DCS_KERNEL);
      pick.backend = backend;
      const int n = count_known(run, &pick);
      if (n < most || n == 0) continue;
      most = n;
      *best = pick;
    }
  return most;
}

static int by_time(const void *left, const void *right) {
  const energy_point *a = left, *b = right;
  return (a->at.x.value > b->at.x.value) - (a->at.x.value < b->at.x.value);
}

static void put_point(FILE *dat, const energy_point *p) {
  const dcs_front_point *at = &p->at;
  fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t", at->x.value, at->y.value, at->x.lo, at->x.hi,
          at->y.lo, at->y.hi);
  dcs_figure_method_texts(dat, p->row->of->variant, p->row->of->config, "");
}

static void put_points(FILE *dat, const dcs_figure_run *run, const energy_point *list, int n) {
  dcs_figure_series(dat, "energy of an output [J]");
  dcs_figure_series(dat, "front");
  for (int i = 0; i < n; i++)
    if (list[i].at.place == DCS_FRONT_ON) put_point(dat, &list[i]);
  for (int v = 0; v < run->n_variants; v++) {
    bool named = false;
    for (int i = 0; i < n; i++) {
      if (list[i].row->variant != v) continue;
      if (!named) dcs_figure_series(dat, "%s", run->variants[v]);
      named = true;
      put_point(dat, &list[i]);
    }
  }
}

dcs_status dcs_figure_pareto(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  dcs_figure_pick pick;
  dcs_figure_seen seen = {0};
  const dcs_figure_row *row = NULL;
  energy_point *list = NULL;
  char axes[DCS_TEXT];
  int n = 0;
  const int known = choose(run, &pick);
  if (known < 2)
    return dcs_figure_skip(why, "no size has two rows with an energy; `dcsbench sweep --energy` "
                                "measures it");
  DCS_TRY(dcs_room_take(run->figure, &list, (size_t)known, sizeof *list, "points"));
  while ((row = next_known(run, &pick, row))) {
    const dcs_figure_value ms = dcs_figure_ms(row);
    list[n++] = (energy_point){
        .at = {{ms.value, ms.lo, ms.hi}, dcs_exactly(energy_of(run, row)), DCS_FRONT_ON},
        .row = row};
  }
  qsort(list, (size_t)n, sizeof *list, by_time);
  dcs_front_find(list, n, sizeof *list);
  dcs_figure_see(run, &pick, &seen);
  dcs_figure_titles(dat, run, seen, "Time against energy: %s",
                    dcs_figure_axes(run, pick.size, axes));
  put_points(dat, run, list, n);
  return DCS_OK;
}
