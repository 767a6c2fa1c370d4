/* Picking rows: all that match, the best of them, and what a title says of them. */
#include "harness/figures/figure.h"

#include <string.h>

const dcs_figure_pick dcs_figure_any = {.variant = DCS_FIGURE_ANY,
                                        .size = DCS_FIGURE_ANY,
                                        .backend = DCS_FIGURE_ANY,
                                        .scope = DCS_FIGURE_ANY,
                                        .threads = DCS_FIGURE_ANY,
                                        .coarsen = DCS_FIGURE_ANY,
                                        .problem = DCS_FIGURE_DIRECT};

dcs_figure_pick dcs_figure_pick_at(int size, dcs_scope scope) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.size = size;
  pick.scope = (int)scope;
  return pick;
}

void dcs_figure_pick_group(dcs_figure_pick *pick, dcs_figure_group group, int all) {
  static const int threads[] = {1, 0, DCS_FIGURE_ANY};
  pick->backend = group == DCS_FIGURE_GPU ? DCS_GPU : DCS_CPU;
  pick->threads = group == DCS_FIGURE_ALL_THREADS ? all : threads[group];
}

static bool field_matches(int wanted, int value) {
  return wanted == DCS_FIGURE_ANY || wanted == value;
}

static bool matches(const dcs_figure_row *row, const dcs_figure_pick *pick) {
  return field_matches(pick->variant, row->variant) && field_matches(pick->size, row->size) &&
         field_matches(pick->problem, row->problem) &&
         (!pick->config || strcmp(pick->config, row->of->config) == 0) &&
         field_matches(pick->backend, (int)row->of->backend) &&
         field_matches(pick->scope, (int)row->of->scope) &&
         field_matches(pick->threads, row->of->threads) &&
         field_matches(pick->coarsen, row->of->coarsen);
}

/* The one behind `row` among all, or at a size. */
static const dcs_figure_row *behind(const dcs_figure_run *run, int size,
                                    const dcs_figure_row *row) {
  if (size != DCS_FIGURE_ANY) return row ? row->next : run->sizes[size].rows;
  row = row ? row + 1 : run->rows;
  return row < run->rows + run->n_rows ? row : NULL;
}

const dcs_figure_row *dcs_figure_next(const dcs_figure_run *run, const dcs_figure_pick *pick,
                                      const dcs_figure_row *row) {
  do
    row = behind(run, pick->size, row);
  while (row && !matches(row, pick));
  return row;
}

const dcs_figure_row *dcs_figure_best(const dcs_figure_run *run, const dcs_figure_pick *pick) {
  const dcs_figure_row *best = NULL, *row = NULL;
  while ((row = dcs_figure_next(run, pick, row)))
    if (row->ok && (!best || row->of->evals_per_s > best->of->evals_per_s)) best = row;
  return best;
}

double dcs_figure_points(const dcs_figure_size *size) {
  return (double)size->n.x * (double)size->n.y * (double)size->n.z;
}

double dcs_figure_extent(const dcs_figure_size *size) {
  return size->inputs * dcs_figure_points(size);
}

bool dcs_figure_is_larger(const dcs_figure_size *a, const dcs_figure_size *b) {
  const double more = dcs_figure_points(a) - dcs_figure_points(b);
  return more > 0 || (more == 0 && a->inputs >= b->inputs);
}

const dcs_figure_row *dcs_figure_best_or_elsewhere(const dcs_figure_run *run,
                                                   dcs_figure_pick pick) {
  const dcs_figure_row *best = dcs_figure_best(run, &pick), *row = NULL;
  if (best) return best;
  pick.size = DCS_FIGURE_ANY;
  while ((row = dcs_figure_next(run, &pick, row))) {
    if (!row->ok) continue;
    if (!best || (row->size == best->size
                      ? row->of->evals_per_s > best->of->evals_per_s
                      : dcs_figure_is_larger(&run->sizes[row->size], &run->sizes[best->size])))
      best = row;
  }
  return best;
}

int dcs_figure_most_threads(const dcs_figure_run *run, dcs_figure_pick pick) {
  const dcs_figure_row *row = NULL;
  int most = 1;
  pick.backend = DCS_CPU;
  while ((row = dcs_figure_next(run, &pick, row)))
    if (row->ok && row->of->threads > most) most = row->of->threads;
  return most;
}

void dcs_figure_see(const dcs_figure_run *run, const dcs_figure_pick *pick, dcs_figure_seen *seen) {
  const dcs_figure_row *row = NULL;
  while ((row = dcs_figure_next(run, pick, row))) {
    if (row->of->backend != DCS_NO_BACKEND)
      seen->drawn[row->of->backend] = seen->drawn[row->of->backend] || row->ok;
    seen->left_out += !row->ok;
  }
}

bool dcs_figure_on_other_units(const char *name) {
  const dcs_variant *variant = dcs_find_variant(name);
  return variant && variant->limit;
}
