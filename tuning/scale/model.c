/* Nodes that share a queue of parts, simulated from what was measured of few. */
#include "tuning/scale/scale.h"

#include "harness/judge/stats.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_RUNS = 4096 };

/* The median over the runs of a point that tell it. */
static double median_of(const dcs_scale *s, int point, double (*value)(const dcs_scale_run *run)) {
  double values[MOST_RUNS];
  size_t n = 0;
  for (int r = 0; r < s->n_runs && n < MOST_RUNS; r++) {
    const double found = value(&s->runs[r]);
    if (s->runs[r].point == point && !isnan(found)) values[n++] = found;
  }
  return dcs_summarize(values, n).median;
}

static double preparing(const dcs_scale_run *r) {
  return r->preparing_s;
}

static double writing(const dcs_scale_run *r) {
  return r->writing_s;
}

/* Whatever stages overlap, this is what a part took. */
static double part(const dcs_scale_run *r) {
  return (r->wall_s - r->preparing_s - r->writing_s) / (double)r->parts;
}

/* NaN: others had computed all before this one's ranks began. */
static double receiving(const dcs_scale_run *r) {
  return r->sent_parts > 0 ? r->receiving_s / (double)r->sent_parts : NAN;
}

/* Of steps, of which each rank has one part: all but these and writing. */
static double beside_steps(const dcs_scale_run *r) {
  return r->wall_s - r->writing_s - (r->computing_s + r->communicating_s) / (double)r->parts;
}

static double computing(const dcs_scale_run *r) {
  return r->computing_s;
}

static double communicating(const dcs_scale_run *r) {
  return r->communicating_s;
}

static double hidden(const dcs_scale_run *r) {
  return r->hidden_s;
}

/* Of strong scaling and not crowded: one rank, and the fewest of several with as many workers each.
 */
static bool find_points(const dcs_scale *s, int *one, int *several) {
  *one = *several = -1;
  for (int i = 0; i < s->n_points; i++) {
    const dcs_scale_point *p = &s->points[i];
    if (p->weak || p->crowded || p->ranks > 1) continue;
    if (*one < 0 || p->workers < s->points[*one].workers) *one = i;
  }
  for (int i = 0; i < s->n_points && *one >= 0; i++) {
    const dcs_scale_point *p = &s->points[i];
    if (p->weak || p->crowded || p->ranks == 1) continue;
    if (p->workers != p->ranks * s->points[*one].workers) continue;
    if (*several < 0 || p->ranks < s->points[*several].ranks) *several = i;
  }
  return *several >= 0;
}

static const dcs_scale_run *first_run(const dcs_scale *s, int point) {
  for (int r = 0; r < s->n_runs; r++)
    if (s->runs[r].point == point) return &s->runs[r];
  return NULL;
}

/* Beside steps is a part that each node has, and one for each of its slices. The halos of several
 * ranks were sent through 2 (ranks - 1) ends of slabs. */
static bool model_of_steps(const dcs_scale *s, int one, int several, const dcs_scale_run *first,
                           dcs_scale_model *m) {
  const double ranks = s->points[several].ranks, slices = (double)first->slices;
  const double steps = (double)first->steps, ends = 2 * (ranks - 1);
  const double all_s = median_of(s, one, beside_steps);
  const double share_s = median_of(s, several, beside_steps);
  const double slice_s = (all_s - share_s) / (slices - slices / ranks);
  m->steps = first->steps;
  m->slices = first->slices;
  m->slice_s = fmin(fmax(slice_s, 0), all_s / slices);
  m->preparing_s = all_s - m->slice_s * slices;
  m->part_s = median_of(s, one, computing);
  m->step_s = m->part_s / steps;
  m->exposed_s = median_of(s, several, communicating) / (steps * ends);
  m->hidden_s = median_of(s, several, hidden) / (steps * ends);
  m->receive_s = 0;
  m->fitted = s->points[several].ranks;
  return m->part_s > 0 && first->slices > 0;
}

bool dcs_scale_model_of(const dcs_scale *s, dcs_scale_model *model) {
  int one, several;
  if (!find_points(s, &one, &several)) return false;
  const dcs_scale_run *first = first_run(s, one), *other = first_run(s, several);
  if (!first || !other || first->parts < 1 || first->most_parts < 1) return false;
  *model = (dcs_scale_model){.preparing_s = median_of(s, several, preparing),
                             .part_s = median_of(s, one, part),
                             .receive_s = median_of(s, several, receiving),
                             .writing_s = median_of(s, several, writing),
                             .parts = first->parts,
                             .most_parts = first->most_parts};
  if (first->steps > 0) return model_of_steps(s, one, several, first, model);
  /* Parts of a job that is cut finer for more ranks are smaller. */
  model->receive_s *= (double)other->parts / (double)first->parts;
  return isfinite(model->receive_s) && model->part_s > 0;
}

int64_t dcs_scale_parts(const dcs_scale_model *m, int64_t nodes, bool weak) {
  if (weak) return m->parts * nodes;
  if (m->steps > 0) return nodes < m->most_parts ? nodes : m->most_parts;
  if (m->parts >= m->most_parts) return m->parts;
  return m->parts * nodes < m->most_parts ? m->parts * nodes : m->most_parts;
}

bool dcs_scale_fitted(const dcs_scale_model *m, int64_t ranks, bool weak) {
  return m->fitted > 0 && !weak && (ranks == 1 || ranks == m->fitted);
}

bool dcs_scale_grows(const dcs_scale_model *m) {
  return m->steps > 0 || m->parts >= m->most_parts;
}

/* ---- steps ---- */

static double simulate_steps(const dcs_scale_model *m, int64_t nodes, bool weak) {
  const int64_t slabs = dcs_scale_parts(m, nodes, weak), halo = m->slices / m->most_parts;
  const int64_t own = weak ? m->slices : (m->slices + slabs - 1) / slabs;
  const int64_t neighbours = slabs > 2 ? 2 : slabs - 1, inner = own - neighbours * halo;
  const double one_s = m->step_s / (double)m->slices;
  const double hides_s = inner > 0 ? one_s * (double)inner : 0;
  const double shown_s = fmax(m->hidden_s * (double)neighbours - hides_s, 0);
  const double step_s = one_s * (double)own + m->exposed_s * (double)neighbours + shown_s;
  return m->preparing_s + m->slice_s * (double)own + (double)m->steps * step_s + m->writing_s;
}

/* ---- events ---- */

/* Nodes by when they are free, the first of them on top. */
static void sink(double *free_s, int64_t n, int64_t at) {
  for (;;) {
    int64_t least = at;
    for (int64_t child = 2 * at + 1; child <= 2 * at + 2 && child < n; child++)
      if (free_s[child] < free_s[least]) least = child;
    if (least == at) return;
    const double swap = free_s[at];
    free_s[at] = free_s[least];
    free_s[least] = swap;
    at = least;
  }
}

/* One of `nodes` parts in turn is rank 0's own, which nobody needs to receive. */
static double run_parts(double *free_s, int64_t nodes, int64_t parts, double part_s,
                        double receive_s) {
  double receiver_s = 0, end_s = 0;
  for (int64_t p = 0; p < parts; p++) {
    const double computed_s = free_s[0] + part_s;
    double done_s = computed_s;
    if (p % nodes != 0) {
      receiver_s = fmax(receiver_s, computed_s) + receive_s;
      done_s = receiver_s;
    }
    end_s = fmax(end_s, done_s);
    free_s[0] = done_s;
    sink(free_s, nodes, 0);
  }
  return end_s;
}

double dcs_scale_simulate(const dcs_scale_model *m, int64_t nodes, bool weak) {
  if (m->steps > 0) return simulate_steps(m, nodes, weak);
  const int64_t parts = dcs_scale_parts(m, nodes, weak);
  const double size = weak ? 1 : (double)m->parts / (double)parts; /* of a part */
  double *free_s = calloc((size_t)nodes, sizeof *free_s);
  if (!free_s) return NAN;
  const double busy_s = run_parts(free_s, nodes, parts, m->part_s * size, m->receive_s * size);
  free(free_s);
  return m->preparing_s + busy_s + m->writing_s;
}

int dcs_scale_nodes(int64_t last, int64_t nodes[DCS_SCALE_NODES]) {
  int n = 0;
  for (int64_t next = 1; next < last && n < DCS_SCALE_NODES - 1; next *= 2)
    nodes[n++] = next;
  nodes[n++] = last;
  return n;
}
