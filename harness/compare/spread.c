#include "harness/compare/spread.h"

#include "harness/base/grow.h"
#include "harness/files/lock.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_SESSIONS = 3, LEAST_SAMPLES = 3 };

dcs_spread dcs_default_spread(void) {
  return (dcs_spread){.source = DCS_SPREAD_DEFAULT, .deviation = 0.03};
}

/* ---- in an interval ---- */

/* The 97.5% point of Student's t; 0 degrees: of the normal distribution, by whose point it is
 * expanded from 4 degrees on (Abramowitz and Stegun, 26.7.5): within 0.3%. */
static double student(int degrees) {
  static const double few[] = {1.959963985, 12.70620474, 4.302652730, 3.182446305};
  if (degrees < 4) return few[degrees > 0 ? degrees : 0];
  const double z = few[0], n = 1.0 / degrees;
  const double z2 = z * z, z3 = z * z2, z5 = z3 * z2, z7 = z5 * z2;
  return z + n * (z3 + z) / 4 + n * n * (5 * z5 + 16 * z3 + 3 * z) / 96 +
         n * n * n * (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384;
}

double dcs_spread_half(const dcs_spread *spread, int sessions_a, int sessions_b) {
  return student(spread->degrees) * spread->deviation * sqrt(1.0 / sessions_a + 1.0 / sessions_b);
}

void dcs_spread_widen(double half, dcs_ratio *ratio) {
  ratio->lo = ratio->value * exp(-hypot(log(ratio->value / ratio->lo), half));
  ratio->hi = ratio->value * exp(hypot(log(ratio->hi / ratio->value), half));
}

double dcs_spread_scatter(double *ratios, size_t n) {
  enum { LEAST_ROWS = 8 };
  if (n < LEAST_ROWS) return 0;
  const double median = log(dcs_median_of(ratios, n));
  for (size_t i = 0; i < n; i++)
    ratios[i] = fabs(log(ratios[i]) - median);
  return 1.4826 * dcs_median_of(ratios, n);
}

double dcs_spread_of_sizes(const double *medians, size_t n) {
  enum { LEAST_SIZES = 3 };
  double sum = 0, squares = 0;
  if (n < LEAST_SIZES) return 0;
  for (size_t i = 0; i < n; i++)
    sum += medians[i];
  for (size_t i = 0; i < n; i++)
    squares += (medians[i] - sum / (double)n) * (medians[i] - sum / (double)n);
  const int degrees = (int)n - 1;
  return student(degrees) * sqrt(squares / degrees);
}

/* ---- sessions of a row ---- */

/* Where the samples of the session that begins at `first` end. */
static size_t end_of(const dcs_run_row *row, size_t first) {
  size_t end = first;
  while (end < row->n_times && row->session[end] == row->session[first])
    end++;
  return end;
}

int dcs_row_sessions(const dcs_run *run, const dcs_run_row *row) {
  int sessions = 0;
  if (*dcs_run_fact(run, "interleaved")) return 1;
  for (size_t first = 0, end; first < row->n_times; first = end) {
    end = end_of(row, first);
    sessions += end - first >= LEAST_SAMPLES;
  }
  return sessions > 0 ? sessions : 1;
}

/* Sums over log medians of the sessions of one row. */
typedef struct {
  double sum, squares;
  int n;
} sums;

static void add_median(sums *s, double median_ns) {
  const double value = log(median_ns);
  s->sum += value;
  s->squares += value * value;
  s->n++;
}

/* The variances of rows, each over its expected median, and the most degrees of freedom of one. */
typedef struct {
  double *variances;
  size_t n;
  double squares; /* about the means of their rows, in all */
  int degrees, of_row;
} pool;

/* The median of chi squared over its degrees of freedom (Wilson and Hilferty 1931). */
static double median_of_variance(int degrees) {
  const double root = 1 - 2 / (9.0 * degrees);
  return root * root * root;
}

static dcs_status add_row(pool *p, const sums *s) {
  if (s->n < LEAST_SESSIONS) return DCS_OK;
  const double squares = fmax(0, s->squares - s->sum * s->sum / s->n);
  const double variance = squares / (s->n - 1);
  p->squares += squares;
  p->degrees += s->n - 1;
  DCS_TRY(dcs_grow(&p->variances, p->n, sizeof variance, "rows"));
  p->variances[p->n++] = variance / median_of_variance(s->n - 1);
  if (s->n - 1 > p->of_row) p->of_row = s->n - 1;
  return DCS_OK;
}

/* The median over the rows, which some that something held up leave as it is; of one or two rows
 * the mean. The rows of a session are fast or slow together: they make the estimate steadier, not
 * freer. */
static bool of_pool(pool *p, dcs_spread *spread) {
  const bool any = p->n > 0;
  if (any) {
    dcs_sort_values(p->variances, p->n);
    const double variance =
        p->n > 2 ? dcs_median_of_sorted(p->variances, p->n) : p->squares / p->degrees;
    *spread = (dcs_spread){
        .source = DCS_SPREAD_SESSIONS, .deviation = sqrt(variance), .degrees = p->of_row};
  }
  free(p->variances);
  return any;
}

static bool is_of(const dcs_run_row *row, dcs_backend backend) {
  return row->backend == backend && row->outcome == DCS_OUTCOME_OK && row->n_times > 0;
}

bool dcs_spread_of_run(const dcs_run *run, dcs_backend backend, dcs_spread *spread) {
  pool p = {0};
  if (*dcs_run_fact(run, "interleaved")) return false;
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_run_row *row = &run->rows[i];
    sums s = {0};
    double *own = is_of(row, backend) ? malloc(row->n_times * sizeof *own) : NULL;
    for (size_t first = 0, end; own && first < row->n_times; first = end) {
      end = end_of(row, first);
      memcpy(own, row->times + first, (end - first) * sizeof *own);
      if (end - first >= LEAST_SAMPLES) add_median(&s, dcs_summarize(own, end - first).median);
    }
    free(own);
    if (add_row(&p, &s) != DCS_OK) break;
  }
  return of_pool(&p, spread);
}

/* Of those sessions of each row that stayed as they were, or (all) of all. */
static bool spread_of_runs(const dcs_run *runs, int n, dcs_backend backend, bool all,
                           dcs_spread *spread) {
  pool p = {0};
  for (size_t i = 0; n > 0 && i < runs[0].n_rows; i++) {
    const dcs_run_row *row = &runs[0].rows[i];
    sums s = {0};
    for (int r = 0; r < n; r++)
      for (size_t j = 0; j < runs[r].n_rows; j++)
        if (is_of(&runs[r].rows[j], backend) && dcs_compare_rows(row, &runs[r].rows[j]) == 0 &&
            (all || !dcs_row_disturbed(&runs[r].rows[j])))
          add_median(&s, runs[r].rows[j].stats.median);
    if (add_row(&p, &s) != DCS_OK) break;
  }
  return of_pool(&p, spread);
}

bool dcs_spread_of_runs(const dcs_run *runs, int n, dcs_backend backend, dcs_spread *spread) {
  if (spread_of_runs(runs, n, backend, false, spread)) return true;
  const bool found = spread_of_runs(runs, n, backend, true, spread);
  if (found) spread->disturbed = true;
  return found;
}

/* ---- the file ---- */

static const char *const columns[] = DCS_NAMES("schema", "date", "backend", "cpu_model", "cpus",
                                               "gpu_name", "sessions", "deviation");
static const char SCHEMA[] = "1";

static const char *card_of(const dcs_run *run, dcs_backend backend) {
  return backend == DCS_GPU ? dcs_run_fact(run, "gpu_name") : "";
}

static const char *name_of(dcs_backend backend) {
  return backend == DCS_GPU ? "gpu" : "cpu";
}

static dcs_status put_row(const char *path, const dcs_run *run, dcs_backend backend,
                          const dcs_spread *spread) {
  dcs_csv csv;
  DCS_TRY(dcs_csv_append_table(&csv, path, columns));
  dcs_csv_text(&csv, SCHEMA);
  dcs_csv_text(&csv, dcs_run_fact(run, "date"));
  dcs_csv_text(&csv, name_of(backend));
  dcs_csv_text(&csv, dcs_run_fact(run, "cpu_model"));
  dcs_csv_text(&csv, dcs_run_fact(run, "cpus"));
  dcs_csv_text(&csv, card_of(run, backend));
  dcs_csv_integer(&csv, spread->degrees + 1);
  dcs_csv_number(&csv, spread->deviation);
  return dcs_csv_finish(&csv, dcs_csv_row(&csv));
}

dcs_status dcs_spread_put(const char *path, const dcs_run *run, dcs_backend backend,
                          const dcs_spread *spread) {
  char name[4096 + 8];
  dcs_lock lock;
  snprintf(name, sizeof name, "%s.lock", path);
  DCS_TRY(dcs_lock_wait(name, false, "set DCSBENCH_DATA to a folder that has them", &lock));
  const dcs_status status = put_row(path, run, backend, spread);
  dcs_lock_leave(&lock);
  return status;
}

static dcs_status read_spread(const dcs_table *t, size_t row, const int at[], dcs_spread *spread) {
  const double sessions = dcs_table_number(t, row, at[6]);
  const double deviation = dcs_table_number(t, row, at[7]);
  if (!(sessions >= LEAST_SESSIONS && sessions <= 1e6))
    return dcs_table_wrong(t, row, columns[6], at[6], "3 or more");
  if (!(deviation >= 0 && deviation <= 10))
    return dcs_table_wrong(t, row, columns[7], at[7], "a standard deviation of log times");
  *spread = (dcs_spread){
      .source = DCS_SPREAD_MACHINE, .deviation = deviation, .degrees = (int)sessions - 1};
  snprintf(spread->date, sizeof spread->date, "%s", dcs_table_cell(t, row, at[1]));
  return DCS_OK;
}

static dcs_status find_row(const dcs_table *t, const dcs_run *run, dcs_backend backend,
                           dcs_spread *spread, bool *found) {
  const char *wanted[] = {SCHEMA,
                          NULL,
                          name_of(backend),
                          dcs_run_fact(run, "cpu_model"),
                          dcs_run_fact(run, "cpus"),
                          card_of(run, backend)};
  int at[8];
  for (int c = 0; c < 8; c++)
    DCS_TRY(dcs_table_need(t, columns[c], &at[c]));
  for (size_t row = dcs_table_rows(t); row-- > 0 && !*found;) {
    *found = true;
    for (int c = 0; c < 6; c++)
      *found &= !wanted[c] || strcmp(dcs_table_cell(t, row, at[c]), wanted[c]) == 0;
    if (*found) DCS_TRY(read_spread(t, row, at, spread));
  }
  return DCS_OK;
}

dcs_status dcs_spread_find(const char *path, const dcs_run *run, dcs_backend backend,
                           dcs_spread *spread, bool *found) {
  dcs_table *table;
  *found = false;
  if (access(path, F_OK) != 0) return DCS_OK;
  DCS_TRY(dcs_table_read(path, &table));
  dcs_status status = find_row(table, run, backend, spread, found);
  dcs_table_free(table);
  return status;
}
