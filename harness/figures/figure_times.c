/* Times of other programs against their size, a series a method, with the crossover points. */
#include "harness/base/alike.h"
#include "harness/figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_METHODS = 12 };

typedef struct {
  const dcs_figure_row *first; /* of its rows: variant, configuration and scope are the method */
  int fastest;                 /* sizes at which no other is faster */
} method;

typedef struct {
  const dcs_figure_run *run;
  method *methods;
  int n, drawn;
  int64_t fixed; /* value of the second axis; 0: there is none */
  bool scopes;   /* there are several */
} times;

/* ---- what is drawn ---- */

static int by_method(const void *left, const void *right) {
  const dcs_figure_row *a = left, *b = right;
  int order = a->variant - b->variant;
  if (order == 0) order = (int)a->of->scope - (int)b->of->scope;
  return order ? order : strcmp(a->of->config, b->of->config);
}

static bool same_method(const dcs_figure_row *a, const dcs_figure_row *b) {
  return by_method(a, b) == 0;
}

static bool is_drawn(const times *t, const dcs_figure_row *row) {
  const dcs_size *size = &row->of->size;
  return row->ok && (size->kind->n_axes == 1 || size->axes[1] == t->fixed);
}

/* Sizes along the first axis with that value of the second. */
static int count_sizes(const dcs_figure_run *run, int64_t fixed) {
  int n = 0;
  for (int s = 0; s < run->n_sizes; s++)
    n += run->sizes[s].key.axes[1] == fixed;
  return n;
}

/* The value of the second axis with most sizes; of equals the largest. */
static int64_t choose_fixed(const dcs_figure_run *run) {
  int64_t best = 0;
  for (int s = 0; run->kind->n_axes > 1 && s < run->n_sizes; s++) {
    const int64_t value = run->sizes[s].key.axes[1];
    const int more = count_sizes(run, value) - (best ? count_sizes(run, best) : 0);
    if (more > 0 || (more == 0 && value > best)) best = value;
  }
  return best;
}

/* The fastest at a size, in a scope. */
static const dcs_figure_row *fastest_at(const times *t, int size, dcs_scope scope) {
  const dcs_figure_row *best = NULL;
  for (const dcs_figure_row *row = t->run->sizes[size].rows; row; row = row->next)
    if (is_drawn(t, row) && row->of->scope == scope &&
        (!best || row->of->median_ns < best->of->median_ns))
      best = row;
  return best;
}

static int by_sizes_won(const void *left, const void *right) {
  const method *a = left, *b = right;
  if (a->fastest != b->fastest) return b->fastest - a->fastest;
  return (a->first > b->first) - (a->first < b->first);
}

/* The methods of the rows, by row that of its own in of[]; what is not drawn counts, too. */
static dcs_status number_methods(times *t, size_t **of) {
  const dcs_figure_run *run = t->run;
  const size_t n = run->n_rows;
  const void **rows;
  size_t distinct;
  DCS_TRY(dcs_room_take(run->figure, &rows, n, sizeof *rows, "methods"));
  DCS_TRY(dcs_room_take(run->figure, of, n, sizeof **of, "methods"));
  for (size_t i = 0; i < n; i++)
    rows[i] = &run->rows[i];
  DCS_TRY(dcs_number_alike(rows, n, by_method, *of, &distinct));
  return dcs_room_take(run->figure, &t->methods, distinct, sizeof *t->methods, "methods");
}

static dcs_status list_methods(times *t) {
  const dcs_figure_run *run = t->run;
  const dcs_figure_row *first = NULL;
  size_t *of, n = 0;
  DCS_TRY(number_methods(t, &of));
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_figure_row *row = &run->rows[i];
    if (of[i] == n) n++;
    if (!is_drawn(t, row)) continue;
    if (!first) first = row;
    if (!t->methods[of[i]].first) t->methods[of[i]].first = row;
    t->scopes = t->scopes || row->of->scope != first->of->scope;
  }
  for (int s = 0; s < run->n_sizes; s++)
    for (int scope = DCS_KERNEL; scope <= DCS_FRAME; scope <<= 1) {
      const dcs_figure_row *best = fastest_at(t, s, (dcs_scope)scope);
      if (best) t->methods[of[best - run->rows]].fastest++;
    }
  for (size_t m = 0; m < n; m++) /* those of which a row is drawn */
    if (t->methods[m].first) t->methods[t->n++] = t->methods[m];
  qsort(t->methods, (size_t)t->n, sizeof *t->methods, by_sizes_won);
  t->drawn = t->n < MOST_METHODS ? t->n : MOST_METHODS;
  return DCS_OK;
}

/* ---- what is written ---- */

static void put_titles(FILE *dat, const times *t) {
  const dcs_run *run = &t->run->own;
  const char *file = dcs_run_fact(run, "imported_file");
  const char *along = t->run->kind->dimensions[0].name;
  char fixed[DCS_TEXT] = "", few[64] = "";
  if (t->fixed > 0)
    snprintf(fixed, sizeof fixed, ", %s %lld", t->run->kind->dimensions[1].name,
             (long long)t->fixed);
  if (t->drawn < t->n)
    snprintf(few, sizeof few, " (%d of %d methods, the fastest first)", t->drawn, t->n);
  dcs_figure_line(dat, "Time against %s%s%s", along, fixed, few);
  if (*file)
    dcs_figure_line(dat, "imported from %s", file);
  else
    dcs_figure_line(dat, "%s", dcs_run_fact(run, "cpu_model"));
}

static void put_method(FILE *dat, const times *t, const method *m) {
  const dcs_run_row *of = m->first->of;
  dcs_figure_series(dat, "%s%s%s%s%s", of->variant, *of->config ? " " : "", of->config,
                    t->scopes ? ", " : "", t->scopes ? dcs_scope_name(of->scope) : "");
  for (int s = 0; s < t->run->n_sizes; s++)
    for (const dcs_figure_row *row = t->run->sizes[s].rows; row; row = row->next)
      if (is_drawn(t, row) && same_method(row, m->first))
        dcs_figure_point(dat, row, (double)row->of->size.axes[0], dcs_figure_ms(row));
}

/* The time at which a pair crosses: between the sizes around the estimate, in log space; NaN where
 * it does not lie between sizes. */
static double time_at(const dcs_figure_thresholds *t, int64_t fixed, size_t threshold,
                      double estimate) {
  double below[2] = {0, NAN}, above[2] = {INFINITY, NAN};
  for (size_t row = 0; row < dcs_table_rows(t->winners); row++) {
    dcs_size size;
    bool exchanged;
    if (!dcs_figure_winner(t, threshold, row, &size, &exchanged)) continue;
    if (fixed > 0 && size.axes[1] != fixed) continue;
    const double x = (double)size.axes[0];
    const double ms =
        1e-6 * dcs_figure_number(t->winners, row, exchanged ? "median_b_ns" : "median_a_ns");
    if (x <= estimate && x > below[0]) below[0] = x, below[1] = ms;
    if (x >= estimate && x < above[0]) above[0] = x, above[1] = ms;
  }
  if (above[0] == below[0]) return above[1];
  const double share = log(estimate / below[0]) / log(above[0] / below[0]);
  return exp(log(below[1]) + share * (log(above[1]) - log(below[1])));
}

/* Whether the threshold is of what is drawn: the second axis at its value. */
static bool is_of(const times *t, const dcs_table *thresholds, size_t row) {
  char value[64] = "";
  if (t->fixed > 0) snprintf(value, sizeof value, "%lld", (long long)t->fixed);
  return strcmp(dcs_table_text(thresholds, row, "fixed"), value) == 0;
}

static dcs_status put_crossovers(FILE *dat, const times *t) {
  dcs_figure_thresholds found;
  char why[DCS_TEXT] = "";
  bool named = false;
  dcs_status status =
      dcs_figure_thresholds_open(t->run, t->run->kind->dimensions[0].values, &found, why);
  for (size_t row = 0; status == DCS_OK && !*why && row < dcs_table_rows(found.thresholds); row++) {
    const double estimate = dcs_figure_number(found.thresholds, row, "estimate");
    if (isnan(estimate) || !dcs_figure_on_axis(&found, row) || !is_of(t, found.thresholds, row))
      continue;
    const double lo = dcs_figure_number(found.thresholds, row, "lo");
    const double hi = dcs_figure_number(found.thresholds, row, "hi");
    const double ms = time_at(&found, t->fixed, row, estimate);
    if (isnan(ms)) continue;
    if (!named) dcs_figure_series(dat, "crossover point, 95%%");
    named = true;
    fprintf(dat, "%.9g\t%.9g\t%.9g\t%.9g\n", estimate, ms, isnan(lo) ? estimate : lo,
            isnan(hi) ? estimate : hi);
  }
  dcs_figure_thresholds_close(&found);
  return status;
}

dcs_status dcs_figure_times(const dcs_figure_run *run, FILE *dat, char why[DCS_TEXT]) {
  times t = {.run = run, .fixed = choose_fixed(run)};
  DCS_TRY(list_methods(&t));
  if (t.n == 0) return dcs_figure_skip(why, "no method has a time");
  put_titles(dat, &t);
  dcs_figure_block(dat);
  fprintf(dat, "%d\n", t.drawn);
  for (int m = 0; m < t.drawn; m++)
    put_method(dat, &t, &t.methods[m]);
  return put_crossovers(dat, &t);
}
