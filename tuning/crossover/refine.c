/* Choosing the sizes to measure next. */
#include "tuning/crossover/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double close_enough = 1.1, further_out = 2;

void dcs_refinements_free(dcs_refinements *chosen) {
  free(chosen->list);
  *chosen = (dcs_refinements){0};
}

/* ---- the sizes of a threshold ---- */

typedef struct {
  const dcs_crossover *c;
  dcs_axis axis;
  const dcs_measured_cell **cells; /* room for all of the run; ascending along the axis */
  size_t n;
} row;

static double place(const row *r, size_t i) {
  return r->cells[i]->x[r->axis];
}

/* log(A / B) of the medians. */
static double advantage(const row *r, size_t i) {
  const dcs_best *best = r->cells[i]->best;
  return log(best[r->c->pair->class[0]].median_ns) - log(best[r->c->pair->class[1]].median_ns);
}

static int by_atoms(const void *left, const void *right) {
  double a = (*(const dcs_measured_cell *const *)left)->x[DCS_AXIS_ATOMS];
  double b = (*(const dcs_measured_cell *const *)right)->x[DCS_AXIS_ATOMS];
  return (a > b) - (a < b);
}

static int by_points(const void *left, const void *right) {
  double a = (*(const dcs_measured_cell *const *)left)->x[DCS_AXIS_POINTS];
  double b = (*(const dcs_measured_cell *const *)right)->x[DCS_AXIS_POINTS];
  return (a > b) - (a < b);
}

static void take_row(const dcs_measured *m, const dcs_crossover *c, row *r) {
  r->c = c;
  r->axis = c->kind == DCS_ALONG_POINTS ? DCS_AXIS_POINTS : DCS_AXIS_ATOMS;
  r->n = 0;
  for (size_t i = 0; i < m->n_cells; i++) {
    const dcs_best *best = m->cells[i].best;
    if (dcs_crossover_covers(c, &m->cells[i]) && !isnan(best[c->pair->class[0]].median_ns) &&
        !isnan(best[c->pair->class[1]].median_ns))
      r->cells[r->n++] = &m->cells[i];
  }
  qsort(r->cells, r->n, sizeof(const dcs_measured_cell *),
        r->axis == DCS_AXIS_ATOMS ? by_atoms : by_points);
}

/* ---- candidates ---- */

typedef struct {
  const dcs_measured *m;
  dcs_refinements *chosen; /* room for all candidates */
  int64_t most_atoms;
} search;

static bool same_size(int64_t atoms, dcs_dims n, double other_atoms, dcs_dims other) {
  return (double)atoms == other_atoms && n.x == other.x && n.y == other.y && n.z == other.z;
}

static void propose(search *s, const row *r, double x, size_t a, size_t b, double step) {
  dcs_refinement next = {
      .atoms = (int64_t)r->cells[a]->x[DCS_AXIS_ATOMS], .n = r->cells[a]->n, .step = step};
  next.near[0] = r->cells[a];
  next.near[1] = r->cells[b];
  if (r->axis == DCS_AXIS_ATOMS)
    next.atoms = (int64_t)fmax(1, round(x));
  else
    next.n = dcs_shape_grid(r->c->shape, x);
  if (next.atoms > s->most_atoms) return;
  for (size_t i = 0; i < s->m->n_cells; i++)
    if (same_size(next.atoms, next.n, s->m->cells[i].x[DCS_AXIS_ATOMS], s->m->cells[i].n)) return;
  for (size_t i = 0; i < s->chosen->n; i++)
    if (same_size(next.atoms, next.n, (double)s->chosen->list[i].atoms, s->chosen->list[i].n))
      return;
  s->chosen->list[s->chosen->n++] = next;
}

/* Two sizes between neighbours, at thirds of their distance. */
static void propose_between(search *s, const row *r, size_t a) {
  double ratio = place(r, a + 1) / place(r, a);
  if (ratio < close_enough) return;
  for (int third = 1; third <= 2; third++)
    propose(s, r, place(r, a) * pow(ratio, third / 3.0), a, a + 1, log(ratio) / 3);
}

static void propose_beyond(search *s, const row *r, bool above) {
  size_t end = above ? r->n - 1 : 0;
  double x = above ? place(r, end) * further_out : place(r, end) / further_out;
  propose(s, r, x, end, end, log(further_out));
}

static void propose_for(search *s, const row *r) {
  const dcs_threshold *t = &r->c->threshold;
  if (t->status == DCS_THRESHOLD_NOT_BRACKETED)
    propose_beyond(s, r, fabs(advantage(r, r->n - 1)) < fabs(advantage(r, 0)));
  if (isnan(t->estimate)) return;
  for (size_t i = 0; i + 1 < r->n; i++)
    if (t->status == DCS_THRESHOLD_OK ? place(r, i) <= t->estimate && t->estimate < place(r, i + 1)
                                      : (advantage(r, i) < 0) != (advantage(r, i + 1) < 0))
      propose_between(s, r, i);
  if (isnan(t->lo)) propose_beyond(s, r, false);
  if (isnan(t->hi)) propose_beyond(s, r, true);
}

/* Widest steps first; among equals, as in the files. */
static void sort_by_step(dcs_refinements *chosen) {
  for (size_t i = 1; i < chosen->n; i++) {
    dcs_refinement next = chosen->list[i];
    size_t at = i;
    for (; at > 0 && chosen->list[at - 1].step < next.step; at--)
      chosen->list[at] = chosen->list[at - 1];
    chosen->list[at] = next;
  }
}

dcs_status dcs_refine_choose(const dcs_crossovers *found, size_t most, int64_t most_atoms,
                             dcs_refinements *chosen) {
  const dcs_measured *m = &found->measured;
  search s = {m, chosen, most_atoms};
  row r = {.cells = malloc((m->n_cells + 1) * sizeof(const dcs_measured_cell *))};
  *chosen = (dcs_refinements){0};
  /* Of a row of n sizes, at most two in each of n - 1 gaps and one beyond each end. */
  chosen->list = calloc(2 * found->n * m->n_cells + 1, sizeof *chosen->list);
  if (!r.cells || !chosen->list) {
    free(r.cells);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for the sizes of %zu thresholds", found->n);
  }
  for (size_t i = 0; i < found->n; i++) {
    take_row(m, &found->list[i], &r);
    propose_for(&s, &r);
  }
  free(r.cells);
  sort_by_step(chosen);
  if (chosen->n > most) {
    chosen->left_out = chosen->n - most;
    chosen->n = most;
  }
  return DCS_OK;
}

void dcs_refine_print(FILE *out, const dcs_refinements *chosen) {
  if (chosen->n == 0)
    fprintf(out, "nothing to refine: each crossing lies between sizes within 10%%, or what is "
                 "unsure needs more samples\n");
  for (size_t i = 0; i < chosen->n; i++) {
    const dcs_refinement *next = &chosen->list[i];
    const dcs_measured_cell *a = next->near[0], *b = next->near[1];
    fprintf(out, "to measure: %lld atoms on %lldx%lldx%lld, ", (long long)next->atoms,
            (long long)next->n.x, (long long)next->n.y, (long long)next->n.z);
    if (a == b)
      fprintf(out, "beyond %s on %s\n", a->text[DCS_AXIS_ATOMS], a->text[DCS_AXIS_POINTS]);
    else
      fprintf(out, "between %s on %s and %s on %s\n", a->text[DCS_AXIS_ATOMS],
              a->text[DCS_AXIS_POINTS], b->text[DCS_AXIS_ATOMS], b->text[DCS_AXIS_POINTS]);
  }
  if (chosen->left_out > 0)
    fprintf(out, "left for another time: %zu more (--refine=N)\n", chosen->left_out);
}
