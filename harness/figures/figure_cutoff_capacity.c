/* Methods with bins: what the room of a bin costs, and what does not fit. */
#include "harness/figures/figure.h"

#include <stdlib.h>
#include <string.h>

/* The values of a parameter, ascending; those beyond the room are left out. */
enum { MOST_VALUES = 64, FEWEST_CAPACITIES = 3 };
typedef struct {
  int values[MOST_VALUES], n;
} value_list;

/* What is drawn: a variant at a size, within a cutoff. */
typedef struct {
  int cell, cut, variant;
  int capacities;
} bins_case;

/* The parameter's value in "a=1,b=2"; -1 where it is not there. */
static int parameter(const char *config, const char *name) {
  size_t length = strlen(name);
  while (config) {
    if (strncmp(config, name, length) == 0 && config[length] == '=')
      return atoi(config + length + 1); /* NOLINT: a text that is no number is 0, and not drawn */
    config = strchr(config, ',');
    if (config) config++;
  }
  return -1;
}

static int row_parameter(const dcs_figure_run *run, const dcs_figure_row *row, const char *name) {
  return parameter(run->configs[row->config], name);
}

static void add_value(value_list *list, int value) {
  int at = list->n;
  while (at > 0 && list->values[at - 1] >= value)
    at--;
  if (list->n == MOST_VALUES || (at < list->n && list->values[at] == value)) return;
  memmove(&list->values[at + 1], &list->values[at], (size_t)(list->n - at) * sizeof(int));
  list->values[at] = value;
  list->n++;
}

static dcs_figure_pick pick_case(const bins_case *c) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.cell = c->cell;
  pick.cut = c->cut;
  pick.variant = c->variant;
  pick.scope = DCS_WARM;
  return pick;
}

/* The case's next row of a method with bins that has a time. */
static const dcs_figure_row *next_row(const dcs_figure_run *run, const bins_case *c,
                                      const dcs_figure_row *row) {
  dcs_figure_pick pick = pick_case(c);
  while ((row = dcs_figure_next(run, &pick, row)))
    if (row->ok && row->overflow_atoms >= 0 && row_parameter(run, row, "capacity") > 0) return row;
  return NULL;
}

static value_list values_of(const dcs_figure_run *run, const bins_case *c, const char *name) {
  value_list list = {.n = 0};
  const dcs_figure_row *row = NULL;
  while ((row = next_row(run, c, row)))
    add_value(&list, row_parameter(run, row, name));
  return list;
}

static bool is_larger(const dcs_figure_run *run, const bins_case *a, const bins_case *b) {
  const dcs_figure_cell *cell_a = &run->cells[a->cell], *cell_b = &run->cells[b->cell];
  double work_a = (double)cell_a->atoms * dcs_figure_points(cell_a);
  double work_b = (double)cell_b->atoms * dcs_figure_points(cell_b);
  if (work_a != work_b) return work_a > work_b;
  if (run->cuts[a->cut].cutoff != run->cuts[b->cut].cutoff)
    return run->cuts[a->cut].cutoff > run->cuts[b->cut].cutoff;
  return a->capacities > b->capacities;
}

/* The largest case with enough capacities; false where there is none. */
static bool choose_case(const dcs_figure_run *run, bins_case *best) {
  bool found = false;
  for (size_t i = 0; i < run->n_within; i++) {
    const dcs_figure_row *row = &run->within[i];
    bins_case c = {row->cell, row->cut, row->variant, 0};
    if (!row->ok ||
        (found && c.cell == best->cell && c.cut == best->cut && c.variant == best->variant))
      continue;
    c.capacities = values_of(run, &c, "capacity").n;
    if (c.capacities < FEWEST_CAPACITIES || (found && !is_larger(run, &c, best))) continue;
    *best = c;
    found = true;
  }
  return found;
}

static const dcs_figure_row *best_row(const dcs_figure_run *run, const bins_case *c, int edge,
                                      int capacity) {
  const dcs_figure_row *best = NULL, *row = NULL;
  while ((row = next_row(run, c, row)))
    if (row_parameter(run, row, "bin_edge") == edge &&
        row_parameter(run, row, "capacity") == capacity &&
        (!best || row->evals_per_s > best->evals_per_s))
      best = row;
  return best;
}

/* Two series of an edge: the time, and the share of atoms that overflow. */
static void edge_series(FILE *dat, const dcs_figure_run *run, const bins_case *c, int edge) {
  value_list capacities = values_of(run, c, "capacity");
  double atoms = (double)run->cells[c->cell].atoms;
  for (int share = 0; share < 2; share++) {
    if (edge > 0)
      dcs_figure_series(dat, "bin_edge=%d (%g Å)", edge, 0.1 * edge);
    else
      dcs_figure_series(dat, "bins");
    for (int i = 0; i < capacities.n; i++) {
      int capacity = capacities.values[i];
      const dcs_figure_row *row = best_row(run, c, edge, capacity);
      if (!row) continue;
      double percent = 100 * row->overflow_atoms / atoms;
      dcs_figure_point(dat, run, row, capacity,
                       share ? (dcs_figure_value){percent, percent, percent} : dcs_figure_ms(row));
    }
  }
}

dcs_status dcs_figure_cutoff_capacity(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  bins_case c;
  if (!choose_case(run, &c)) {
    snprintf(why, DCS_TEXT,
             "no method with bins was measured in scope warm at three or more capacities");
    return DCS_OK;
  }
  dcs_figure_pick pick = pick_case(&c);
  char grid[DCS_TEXT], cut[DCS_TEXT];
  value_list edges = values_of(run, &c, "bin_edge");
  dcs_figure_titles(dat, run, dcs_figure_left_out(run, &pick),
                    "Room in bins: %s%s within %s, grid %s, %lld atoms", run->variants[c.variant],
                    run->gpu_suffix, dcs_figure_cut_name(run, c.cut, cut),
                    dcs_figure_grid(run->cells[c.cell].n, grid),
                    (long long)run->cells[c.cell].atoms);
  for (int e = 0; e < edges.n; e++)
    edge_series(dat, run, &c, edges.values[e]);
  return DCS_OK;
}
