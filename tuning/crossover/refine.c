/* Choosing the sizes to measure next. */
#include "tuning/crossover/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double close_enough = 1.1, further_out = 2;

void dcs_refinements_free(dcs_refinements *chosen) {
  dcs_room_free(&chosen->room);
}

/* ---- the sizes of a threshold ---- */

typedef struct {
  const dcs_crossover *c;
  dcs_crossover_size *places; /* ascending */
  size_t n;
} row;

/* log(A / B) of the medians. */
static double advantage(const row *r, size_t i) {
  const dcs_run_row *const *best = r->places[i].best;
  return log(best[0]->median_ns) - log(best[1]->median_ns);
}

/* ---- candidates ---- */

typedef struct {
  const dcs_measured *m;
  dcs_refinements *chosen; /* room for all candidates */
  int64_t most_atoms;
} search;

/* The size whose value along the threshold's dimension is nearest to x; a system grows in both. */
static dcs_size size_at(const row *r, size_t like, double x) {
  dcs_size size = r->places[like].at->size;
  const dcs_dimension *d = &size.kind->dimensions[r->c->along];
  if (r->c->system) {
    size.axes[d->first] = (int64_t)fmax(1, round(x));
    x /= dcs_density_of(&r->places[like].at->size);
    d = &size.kind->dimensions[1];
  }
  if (d->n == 1) {
    size.axes[d->first] = (int64_t)fmax(1, round(x));
    return size;
  }
  const dcs_dims n = dcs_shape_grid(r->c->shape, x);
  memcpy(&size.axes[d->first], (const int64_t[3]){n.x, n.y, n.z}, 3 * sizeof n.x);
  return size;
}

static void propose(search *s, const row *r, double x, size_t a, size_t b, double step) {
  const dcs_refinement next = {size_at(r, a, x), step, {r->places[a].at, r->places[b].at}};
  if (dcs_size_inputs(&next.size) > s->most_atoms) return;
  for (size_t i = 0; i < s->m->n_sizes; i++)
    if (dcs_same_axes(&next.size, &s->m->sizes[i].size)) return;
  for (size_t i = 0; i < s->chosen->n; i++)
    if (dcs_same_axes(&next.size, &s->chosen->list[i].size)) return;
  s->chosen->list[s->chosen->n++] = next;
}

/* Two sizes between neighbours, at thirds of their distance. */
static void propose_between(search *s, const row *r, size_t a) {
  double ratio = r->places[a + 1].x / r->places[a].x;
  if (ratio < close_enough) return;
  for (int third = 1; third <= 2; third++)
    propose(s, r, r->places[a].x * pow(ratio, third / 3.0), a, a + 1, log(ratio) / 3);
}

static void propose_beyond(search *s, const row *r, bool above) {
  size_t end = above ? r->n - 1 : 0;
  double x = above ? r->places[end].x * further_out : r->places[end].x / further_out;
  propose(s, r, x, end, end, log(further_out));
}

static void propose_for(search *s, const row *r) {
  const dcs_threshold *t = &r->c->threshold;
  s->chosen->crossing |= !isnan(t->estimate);
  s->chosen->open |= t->status != DCS_THRESHOLD_ALWAYS_A && t->status != DCS_THRESHOLD_ALWAYS_B;
  if (t->status == DCS_THRESHOLD_NOT_BRACKETED)
    propose_beyond(s, r, fabs(advantage(r, r->n - 1)) < fabs(advantage(r, 0)));
  if (isnan(t->estimate)) return;
  for (size_t i = 0; i + 1 < r->n; i++)
    if (t->status == DCS_THRESHOLD_OK
            ? r->places[i].x <= t->estimate && t->estimate < r->places[i + 1].x
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
  row r = {0};
  *chosen = (dcs_refinements){0};
  DCS_TRY(dcs_room_take(&chosen->room, &r.places, m->n_sizes, sizeof *r.places, "sizes"));
  /* Of a row of n sizes, at most two in each of n - 1 gaps and one beyond each end. */
  DCS_TRY(dcs_room_take(&chosen->room, &chosen->list, 2 * found->n * m->n_sizes,
                        sizeof *chosen->list, "sizes"));
  for (size_t i = 0; i < found->n; i++) {
    r.c = &found->list[i];
    r.n = dcs_crossover_sizes(m, r.c, r.places);
    propose_for(&s, &r);
  }
  sort_by_step(chosen);
  if (chosen->n > most) {
    chosen->left_out = chosen->n - most;
    chosen->n = most;
  }
  return DCS_OK;
}

void dcs_refine_print(FILE *out, const dcs_refinements *chosen) {
  char size[DCS_TEXT], near[2][DCS_TEXT];
  if (chosen->n == 0)
    fprintf(out, "nothing to refine: %s\n",
            chosen->crossing ? "each crossover point lies between sizes within 10%, or what is "
                               "unsure needs more samples"
            : chosen->open   ? "there is no crossover point, and none can be looked for further "
                               "out; what is unsure needs more samples"
                             : "there is no crossover point, one method is faster at all sizes");
  for (size_t i = 0; i < chosen->n; i++) {
    const dcs_refinement *next = &chosen->list[i];
    const bool end = next->near[0] == next->near[1];
    for (int n = 0; n < 2; n++)
      dcs_size_text(&next->near[n]->size, near[n]);
    fprintf(out, "to measure: %s, %s %s%s%s\n", dcs_size_text(&next->size, size),
            end ? "beyond" : "between", near[0], end ? "" : " and ", end ? "" : near[1]);
  }
  if (chosen->left_out > 0)
    fprintf(out, "left for another time: %zu more (--refine=N)\n", chosen->left_out);
}
