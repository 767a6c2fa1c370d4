/* The decision model stays while it beats simpler rules on the shipped runs: what is fastest at the
 * nearest measured size, and each method's times interpolated in log space. What each loses stands
 * in results/deciding.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/base/grow.h"
#include "tuning/crossover/measured.h"
#include "tuning/dispatch/dispatch_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REFERENCE "results/reference/nvidia-h200"
enum { COSTS, INTERPOLATED, NEAREST, N_RULES };

/* What the rules lose in a scope. */
typedef struct {
  dcs_loss of[N_RULES];
} losses;

/* ---- interpolation ---- */

static double distance(const dcs_size *a, const dcs_size *b) {
  double sum = 0;
  for (int i = 0; i < a->kind->n_axes; i++) {
    const double along = log((double)a->axes[i] / (double)b->axes[i]);
    sum += along * along;
  }
  for (int p = 0; p < a->kind->n_params; p++) {
    const double x = a->config.value[p], y = b->config.value[p];
    if (x > 0 && y > 0) sum += log(x / y) * log(x / y);
  }
  return sum;
}

static double evaluations(const dcs_size *size) {
  const dcs_dims n = dcs_size_points(size);
  return (double)dcs_size_inputs(size) * (double)n.x * (double)n.y * (double)n.z;
}

/* From the time of an evaluation at each size but `out`: its logarithm, weighted by the inverse
 * fourth power of the distance. INFINITY: no size is left. */
static double interpolate(const dcs_pool *p, const dcs_candidate *c, const dcs_size *size,
                          size_t out) {
  double sum = 0, weights = 0;
  for (size_t s = 0; s < p->n_sizes; s++) {
    if (s == out || !c->times[s]) continue;
    const dcs_cost_sample *time = &c->times[s]->sample;
    const double far = distance(&time->size, size) + 1e-12, weight = 1 / (far * far);
    sum += weight * log(time->ns / evaluations(&time->size));
    weights += weight;
  }
  return weights > 0 ? exp(sum / weights) * evaluations(size) : INFINITY;
}

/* The same method in another pool; NULL: it was not measured there. */
static const dcs_candidate *in_pool(const dcs_pool *p, const dcs_candidate *c) {
  for (size_t i = 0; i < p->made; i++)
    if (dcs_same_method(&p->list[i].method, &c->method)) return &p->list[i];
  return NULL;
}

/* What is lost at a size by the method whose interpolated time is least, drawn from one pool; held
 * out where both are one. It is helped: of methods alone that were measured at the size. */
static double interpolation_loses(const dcs_pool *from, const dcs_pool *in, size_t s) {
  const dcs_candidate *taken = NULL;
  double least = INFINITY;
  for (size_t i = 0; i < from->n; i++) {
    const dcs_candidate *c = &from->list[i], *there = in_pool(in, c);
    const double ns = interpolate(from, c, &in->sizes[s]->row->size, from == in ? s : SIZE_MAX);
    if (!there || !there->times[s] || !(ns < least)) continue;
    least = ns;
    taken = there;
  }
  return dcs_pool_lost(in, taken, s);
}

static dcs_loss loss_of_interpolation(const dcs_pool *from, const dcs_pool *in) {
  double *lost = calloc(in->n_sizes, sizeof *lost);
  size_t n = 0;
  assert_non_null(lost);
  for (size_t s = 0; s < in->n_sizes; s++) {
    const double value = interpolation_loses(from, in, s);
    if (dcs_pool_measured(in, s) > 1 && !isnan(value)) lost[n++] = value;
  }
  const dcs_loss loss = dcs_loss_of(lost, n);
  free(lost);
  return loss;
}

/* ---- runs ---- */

static void add_percent(char *text, size_t size, double share) {
  const double percent = 100 * share;
  dcs_append(text, size, percent < 99.95 ? "%.1f" : "%.0f", percent);
}

static char *read_page(void) {
  FILE *file = fopen("results/deciding.md", "r");
  char *text = NULL;
  size_t room = 0;
  assert_non_null(file);
  assert_true(getdelim(&text, &room, '\0', file) > 0);
  fclose(file);
  return text;
}

/* The page has the run's row, as it is computed here. */
static void expect_in_page(const char *run, dcs_scope scope, const losses *l) {
  char row[512] = "";
  if (l->of[COSTS].sizes == 0) return;
  dcs_append(row, sizeof row, "| %s | `%s` |", run, dcs_scope_name(scope));
  for (int r = 0; r < N_RULES; r++) {
    const double shares[] = {l->of[r].mean, l->of[r].p95, l->of[r].worst};
    for (int k = 0; k < 3; k++) {
      dcs_append(row, sizeof row, k > 0 ? ", " : " ");
      add_percent(row, sizeof row, shares[k]);
    }
    dcs_append(row, sizeof row, "%% of %lld |", (long long)l->of[r].sizes);
  }
  char *page = read_page();
  if (!strstr(page, row)) fail_msg("results/deciding.md lacks the row\n%s", row);
  free(page);
}

static void open_run(const char *folder, dcs_measured *m, dcs_dispatch *d) {
  FILE *notes = fopen("/dev/null", "w");
  assert_non_null(notes);
  if (dcs_measured_read(folder, NULL, m) != DCS_OK ||
      dcs_dispatch_draw(&m->run, notes, d) != DCS_OK)
    fail_msg("%s", dcs_error_message());
  fclose(notes);
}

static losses held_out(const dcs_measured *m, const dcs_dispatch *d, int scope) {
  dcs_pool p;
  assert_int_equal(dcs_pool_open(&m->run, &p), DCS_OK);
  assert_int_equal(dcs_pool_fill(&p, &d->families[0], dcs_dispatch_scopes[scope]), DCS_OK);
  const dcs_dispatch_table *table = &d->families[0].tables[scope];
  const losses l = {{table->loss, loss_of_interpolation(&p, &p), table->nearest}};
  dcs_pool_close(&p);
  return l;
}

static void assert_costs_win(const losses *l) {
  assert_true(l->of[COSTS].mean < l->of[NEAREST].mean);
  assert_true(l->of[COSTS].mean <= l->of[INTERPOLATED].mean);
}

static void sizes_held_out(void **state) {
  (void)state;
  static const char *const runs[] = {REFERENCE, REFERENCE "/dispatch", REFERENCE "/within",
                                     REFERENCE "/cutoff"};
  static const char *const names[] = {"the reference itself", "`dispatch`", "`within`", "`cutoff`"};
  for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
    dcs_measured m;
    dcs_dispatch d;
    open_run(runs[r], &m, &d);
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++) {
      const losses l = held_out(&m, &d, s);
      expect_in_page(names[r], dcs_dispatch_scopes[s], &l);
      if (r < 2) assert_costs_win(&l);
      assert_false(l.of[COSTS].mean > 0.07); /* within a cutoff there is nothing to win */
    }
    dcs_measured_free(&m);
  }
}

/* Sizes drawn by lot, off the grid of those that the table was drawn from. */
static void sizes_drawn_by_lot(void **state) {
  (void)state;
  dcs_measured from, in;
  dcs_dispatch d, unused;
  dcs_dispatch_check check;
  open_run(REFERENCE "/dispatch", &from, &d);
  open_run(REFERENCE "/random", &in, &unused);
  assert_int_equal(dcs_dispatch_check_against(&d, &from.run, &in.run, &check), DCS_OK);
  for (int s = 0; s < DCS_DISPATCH_SCOPES; s++) {
    const dcs_dispatch_family *family = &d.families[0];
    const dcs_scope scope = dcs_dispatch_scopes[s];
    int64_t sizes;
    losses l = {{dcs_dispatch_check_loss(&check, family, scope, false, &sizes)}};
    l.of[NEAREST] = dcs_dispatch_check_loss(&check, family, scope, true, &sizes);
    assert_int_equal(dcs_pool_fill(&check.drawn_from, family, scope), DCS_OK);
    assert_int_equal(dcs_pool_fill(&check.other, family, scope), DCS_OK);
    l.of[INTERPOLATED] = loss_of_interpolation(&check.drawn_from, &check.other);
    expect_in_page("`random`", scope, &l);
    assert_int_equal(sizes, 40);
    assert_costs_win(&l);
    assert_true(l.of[COSTS].mean <= 0.03);
    assert_true(l.of[COSTS].p95 <= 0.10);
    assert_true(l.of[COSTS].worst <= 0.25);
  }
  dcs_dispatch_check_free(&check);
  dcs_measured_free(&from);
  dcs_measured_free(&in);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_held_out),
      cmocka_unit_test(sizes_drawn_by_lot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
