/* Methods with bins: what the room of a bin costs, and what does not fit. */
#include "harness/figures/coulomb/cutoff.h"

#include <stdlib.h>
#include <string.h>

/* The values of a parameter; those beyond the room are left out. */
enum { MOST_VALUE = 1024, FEWEST_CAPACITIES = 3 };
typedef struct {
  bool has[MOST_VALUE + 1];
  int n;
} value_set;

/* What is drawn: a variant at a size, within a cutoff. */
typedef struct {
  int size, problem, variant;
  int capacities;
} bins_case;

/* The parameter's value in the row's "a=1,b=2"; 0 where it is not there. */
static int parameter(const dcs_figure_row *row, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = row->of->config; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, name, length) == 0 && at[length] == '=')
      return atoi(at + length + 1); /* NOLINT: a text that is no number is 0, and not drawn */
  }
  return 0;
}

static dcs_figure_pick pick_case(const bins_case *c) {
  dcs_figure_pick pick = dcs_figure_pick_at(c->size, DCS_WARM);
  pick.problem = c->problem;
  pick.variant = c->variant;
  return pick;
}

/* The case's next row of a method with bins that has a time. */
static const dcs_figure_row *next_row(const dcs_figure_run *run, const bins_case *c,
                                      const dcs_figure_row *row) {
  dcs_figure_pick pick = pick_case(c);
  while ((row = dcs_figure_next(run, &pick, row)))
    if (row->ok && row->of->overflow >= 0 && parameter(row, "capacity") > 0) return row;
  return NULL;
}

static value_set values_of(const dcs_figure_run *run, const bins_case *c, const char *name) {
  value_set set = {.n = 0};
  const dcs_figure_row *row = NULL;
  while ((row = next_row(run, c, row))) {
    const int value = parameter(row, name);
    if (value < 0 || value > MOST_VALUE) continue;
    set.n += !set.has[value];
    set.has[value] = true;
  }
  return set;
}

static bool is_larger(const dcs_figure_run *run, const bins_case *a, const bins_case *b) {
  const double more =
      dcs_figure_extent(&run->sizes[a->size]) - dcs_figure_extent(&run->sizes[b->size]);
  const double farther = dcs_cutoff_of(run, a->problem) - dcs_cutoff_of(run, b->problem);
  if (more != 0) return more > 0;
  return farther != 0 ? farther > 0 : a->capacities > b->capacities;
}

/* The largest case with enough capacities; false where there is none. */
static bool choose_case(const dcs_figure_run *run, bins_case *best) {
  bool found = false;
  for (const dcs_figure_row *row = run->rows; row < run->rows + run->n_rows; row++) {
    bins_case c = {row->size, row->problem, row->variant, 0};
    if (!row->ok || c.problem == DCS_FIGURE_DIRECT ||
        (found && c.size == best->size && c.problem == best->problem && c.variant == best->variant))
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
    if (parameter(row, "bin_edge") == edge && parameter(row, "capacity") == capacity &&
        (!best || row->of->evals_per_s > best->of->evals_per_s))
      best = row;
  return best;
}

/* Two series of an edge: the time, and the share of atoms that overflow. */
static void edge_series(FILE *dat, const dcs_figure_run *run, const bins_case *c, int edge) {
  double atoms = run->sizes[c->size].inputs;
  for (int share = 0; share < 2; share++) {
    if (edge > 0)
      dcs_figure_series(dat, "bin_edge=%d (%g Å)", edge, 0.1 * edge);
    else
      dcs_figure_series(dat, "bins");
    for (int capacity = 1; capacity <= MOST_VALUE; capacity++) {
      const dcs_figure_row *row = best_row(run, c, edge, capacity);
      if (!row) continue;
      double percent = 100 * row->of->overflow / atoms;
      dcs_figure_point(dat, row, capacity,
                       share ? (dcs_figure_value){percent, percent, percent} : dcs_figure_ms(row));
    }
  }
}

dcs_status dcs_figure_cutoff_capacity(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  bins_case c;
  if (!choose_case(run, &c))
    return dcs_figure_skip(
        why, "no method with bins was measured in scope warm at three or more capacities");
  dcs_figure_pick pick = pick_case(&c);
  char axes[DCS_TEXT], cut[DCS_TEXT];
  value_set edges = values_of(run, &c, "bin_edge");
  const dcs_sizes one = {.list = &c.size, .n = 1, .problem = c.problem};
  dcs_figure_seen seen = {0};
  dcs_figure_see(run, &pick, &seen);
  dcs_figure_titles(dat, run, seen, "Room in bins: %s%s within %s, %s", run->variants[c.variant],
                    run->gpu_suffix, dcs_cutoff_name(run, c.problem, cut),
                    dcs_size_text(&run->sizes[c.size].key, axes));
  dcs_sizes_error_line(dat, run, &one);
  for (int edge = 0; edge <= MOST_VALUE; edge++)
    if (edges.has[edge]) edge_series(dat, run, &c, edge);
  return DCS_OK;
}
