/* Times that their neighbours belie: a problem takes no longer than a larger one by the same
 * method. A fit of relative errors would believe one far too low above all others. */
#include "tuning/dispatch/dispatch_pool.h"

#include <string.h>

/* Padding, waves and a busy machine make a larger problem faster now and then, by less than this.
 */
static const double far_off = 3;

static bool same_series(const dcs_rate *a, const dcs_rate *b) {
  return a->row->scope == b->row->scope && strcmp(a->row->memory, b->row->memory) == 0 &&
         dcs_same_method(&a->method, &b->method) && a->row->size.kind == b->row->size.kind &&
         dcs_same_problem(a->row->size.kind, &a->row->size.config, &b->row->size.config);
}

/* How many inputs there are for a point. */
static double density(const dcs_size *size) {
  const dcs_dims n = dcs_size_points(size);
  return (double)dcs_size_inputs(size) / ((double)n.x * (double)n.y * (double)n.z);
}

/* Whether one size has no less to do than the other: no axis is shorter, and where inputs count
 * within a range only, they lie no thinner. */
static bool is_inside(const dcs_size *small, const dcs_size *large) {
  for (int a = 0; a < small->kind->n_axes; a++)
    if (small->axes[a] > large->axes[a]) return false;
  return dcs_problem_range(small->kind, &small->config) == 0 || density(large) >= density(small);
}

/* Whether the two cannot both be right. */
static bool clash(const dcs_rate *a, const dcs_rate *b) {
  const dcs_rate *fast = a->sample.ns < b->sample.ns ? a : b, *slow = fast == a ? b : a;
  return slow->sample.ns > far_off * fast->sample.ns && same_series(a, b) &&
         is_inside(&slow->row->size, &fast->row->size);
}

static void count_clashes(dcs_pool *p) {
  for (size_t i = 0; i < p->n_rates; i++)
    for (size_t k = 0; k < i; k++)
      if (clash(&p->rates[i], &p->rates[k])) {
        p->rates[i].clashes++;
        p->rates[k].clashes++;
      }
}

/* Whether a is more likely to be wrong than b: more others clash with it; else its samples were
 * disturbed, it has fewer, it is the slower: what disturbs takes time. */
static bool is_worse(const dcs_rate *a, const dcs_rate *b) {
  const bool disturbed[2] = {dcs_row_disturbed(a->row), dcs_row_disturbed(b->row)};
  if (a->clashes != b->clashes) return a->clashes > b->clashes;
  if (disturbed[0] != disturbed[1]) return disturbed[0];
  if (a->row->n_times != b->row->n_times) return a->row->n_times < b->row->n_times;
  return a->sample.ns > b->sample.ns;
}

/* NULL: none clashes. */
static dcs_rate *find_worst(dcs_pool *p) {
  dcs_rate *worst = NULL;
  for (size_t i = 0; i < p->n_rates; i++) {
    dcs_rate *rate = &p->rates[i];
    if (rate->strays || rate->clashes == 0) continue;
    if (!worst || is_worse(rate, worst)) worst = rate;
  }
  return worst;
}

/* Those that clash with as many could as well have been the one. */
static void leave_out(dcs_pool *p, dcs_rate *worst) {
  worst->strays = worst->doubtful = true;
  p->n_strays++;
  for (size_t i = 0; i < p->n_rates; i++) {
    dcs_rate *rate = &p->rates[i];
    if (rate->strays || !clash(worst, rate)) continue;
    rate->doubtful |= rate->clashes == worst->clashes;
    rate->clashes--;
  }
}

void dcs_pool_find_strays(dcs_pool *p) {
  dcs_rate *worst;
  count_clashes(p);
  while ((worst = find_worst(p)) != NULL)
    leave_out(p, worst);
}

void dcs_pool_print_strays(const dcs_pool *p, FILE *out) {
  char size[DCS_TEXT];
  for (size_t i = 0; i < p->n_rates; i++) {
    const dcs_rate *rate = &p->rates[i];
    if (rate->strays)
      fprintf(out,
              "%s: row %zu: %s %s on %s, scope %s: %.4g ms is far off what smaller and larger "
              "sizes took: left out\n",
              dcs_table_path(p->run->summary), rate->row->row + 2, rate->row->variant,
              rate->row->config, dcs_size_text(&rate->row->size, size),
              dcs_scope_name(rate->row->scope), 1e-6 * rate->sample.ns);
  }
}
