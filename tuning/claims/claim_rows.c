#include "tuning/claims/claim_rows.h"

#include "harness/base/outcome.h"
#include "harness/judge/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples, sorted so that those of a row lie together, ascending ---- */

typedef struct {
  const char *key[DCS_N_KEYS];
  double time_ns;
} sample;

static int compare_keys(const sample *a, const sample *b) {
  int order = 0;
  for (int k = 0; order == 0 && k < DCS_N_KEYS; k++)
    order = strcmp(a->key[k], b->key[k]);
  return order;
}

static int by_key(const void *left, const void *right) {
  const sample *a = left, *b = right;
  int order = compare_keys(a, b);
  return order ? order : (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static sample sample_of(const dcs_run_table *t, size_t row) {
  sample s = {.time_ns = NAN};
  for (int k = 0; k < DCS_N_KEYS; k++)
    s.key[k] = dcs_table_cell(t->table, row, t->key[k]);
  return s;
}

/* The first of samples[n] whose keys are not below those of `like`. */
static size_t lower_bound(const sample *samples, size_t n, const sample *like) {
  size_t lo = 0, hi = n;
  while (lo < hi) {
    size_t middle = lo + (hi - lo) / 2;
    if (compare_keys(&samples[middle], like) < 0)
      lo = middle + 1;
    else
      hi = middle;
  }
  return lo;
}

/* ---- rows ---- */

typedef struct {
  int backend, threads, registers, chunk_atoms; /* columns of the summary; the last two may lack */
} columns;

static dcs_status describe(const dcs_run_table *t, const columns *c, size_t row,
                           dcs_claim_row *found) {
  const dcs_table *table = t->table;
  double size[4];
  for (int i = 0; i < 4; i++) {
    int column = t->key[i == 0 ? DCS_KEY_ATOMS : DCS_KEY_NX + i - 1];
    found->size[i] = dcs_table_cell(table, row, column);
    size[i] = dcs_table_number(table, row, column);
    if (!(size[i] > 0 && isfinite(size[i])))
      return dcs_fail(DCS_INPUT, "%s: row %zu: found %s \"%s\"; expected a number above zero",
                      dcs_table_path(table), row + 2,
                      dcs_key_columns[i == 0 ? DCS_KEY_ATOMS : DCS_KEY_NX + i - 1], found->size[i]);
  }
  found->variant = dcs_table_cell(table, row, t->key[DCS_KEY_VARIANT]);
  found->config = dcs_table_cell(table, row, t->key[DCS_KEY_CONFIG]);
  found->scope = dcs_table_cell(table, row, t->key[DCS_KEY_SCOPE]);
  found->atoms = size[0];
  found->nx = size[1];
  found->ny = size[2];
  found->nz = size[3];
  found->cuda = strcmp(dcs_table_cell(table, row, c->backend), "cuda") == 0;
  found->threads = dcs_table_number(table, row, c->threads);
  found->registers = dcs_table_number(table, row, c->registers);
  found->chunk_atoms = dcs_table_number(table, row, c->chunk_atoms);
  return DCS_OK;
}

static dcs_status take_times(dcs_claim_rows *rows, size_t row, const sample *samples, size_t n,
                             dcs_claim_row *found) {
  const dcs_table *summary = rows->run.summary.table;
  sample like = sample_of(&rows->run.summary, row);
  size_t first = lower_bound(samples, n, &like), end = first;
  while (end < n && compare_keys(&samples[end], &like) == 0)
    end++;
  if (first == end)
    return dcs_fail(DCS_INPUT, "%s: found no samples of row %zu of %s, which is ok",
                    dcs_table_path(rows->run.samples.table), row + 2, dcs_table_path(summary));
  found->times = rows->times + first;
  found->n = end - first;
  found->median_ns = dcs_median_of_sorted(found->times, found->n);
  return DCS_OK;
}

static dcs_status find_rows(dcs_claim_rows *rows, const sample *samples, size_t n) {
  const dcs_run_table *t = &rows->run.summary;
  columns c;
  DCS_TRY(dcs_table_need(t->table, "backend", &c.backend));
  DCS_TRY(dcs_table_need(t->table, "threads", &c.threads));
  c.registers = dcs_table_column(t->table, "registers");
  c.chunk_atoms = dcs_table_column(t->table, "chunk_atoms");
  for (size_t row = 0; row < dcs_table_rows(t->table); row++) {
    if (!dcs_run_whole_sum(t, row)) continue;
    if (strcmp(dcs_table_cell(t->table, row, t->value), dcs_outcome_name(DCS_OUTCOME_OK)) != 0) {
      rows->not_ok++;
      continue;
    }
    dcs_claim_row *found = &rows->rows[rows->n];
    DCS_TRY(describe(t, &c, row, found));
    DCS_TRY(take_times(rows, row, samples, n, found));
    bool cpu_kernel = !found->cuda && strcmp(found->scope, "kernel") == 0;
    if (cpu_kernel && found->threads > rows->most_threads) rows->most_threads = found->threads;
    rows->n++;
  }
  return DCS_OK;
}

dcs_status dcs_claim_rows_read(const char *folder, dcs_claim_rows *rows) {
  *rows = (dcs_claim_rows){0};
  DCS_TRY(dcs_run_open(&rows->run, folder));
  const dcs_run_table *t = &rows->run.samples;
  size_t n = dcs_table_rows(t->table), n_rows = dcs_table_rows(rows->run.summary.table);
  sample *samples = malloc(n * sizeof *samples);
  rows->times = malloc(n * sizeof *rows->times);
  rows->rows = calloc(n_rows + 1, sizeof *rows->rows);
  if (!samples || !rows->times || !rows->rows) {
    free(samples);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu rows and %zu samples", n_rows, n);
  }
  for (size_t s = 0; s < n; s++) {
    samples[s] = sample_of(t, s);
    samples[s].time_ns = dcs_table_number(t->table, s, t->value);
  }
  qsort(samples, n, sizeof *samples, by_key);
  for (size_t s = 0; s < n; s++)
    rows->times[s] = samples[s].time_ns;
  dcs_status status = find_rows(rows, samples, n);
  free(samples);
  return status;
}

void dcs_claim_rows_free(dcs_claim_rows *rows) {
  dcs_run_close(&rows->run);
  free(rows->rows);
  free(rows->times);
  *rows = (dcs_claim_rows){0};
}

/* ---- finding rows ---- */

bool dcs_claim_same_cell(const dcs_claim_row *a, const dcs_claim_row *b) {
  return a->atoms == b->atoms && a->nx == b->nx && a->ny == b->ny && a->nz == b->nz;
}

bool dcs_claim_first_of_cell(const dcs_claim_rows *rows, const dcs_claim_row *row) {
  for (const dcs_claim_row *before = rows->rows; before < row; before++)
    if (dcs_claim_same_cell(before, row)) return false;
  return true;
}

const dcs_claim_row *dcs_claim_best(const dcs_claim_rows *rows, const dcs_claim_row *like,
                                    const dcs_claim_pick *pick) {
  const dcs_claim_row *best = NULL;
  for (size_t r = 0; r < rows->n; r++) {
    const dcs_claim_row *row = &rows->rows[r];
    if (row->cuda != pick->cuda || strcmp(row->scope, pick->scope) != 0 ||
        (pick->variant && strcmp(row->variant, pick->variant) != 0) ||
        (pick->without && strcmp(row->variant, pick->without) == 0) ||
        (pick->threads > 0 && row->threads != pick->threads) || !dcs_claim_same_cell(row, like))
      continue;
    if (!best || row->median_ns < best->median_ns) best = row;
  }
  return best;
}

/* The text after the parameters, from here on, whose names begin with the prefix. */
static const char *skip(const char *config, const char *prefix) {
  while (*config && strncmp(config, prefix, strlen(prefix)) == 0) {
    config += strcspn(config, ",");
    config += *config == ',';
  }
  return config;
}

static bool same_config_but(const char *a, const char *b, const char *prefix) {
  while (*(a = skip(a, prefix)) && *(b = skip(b, prefix))) {
    size_t n = strcspn(a, ",");
    if (n != strcspn(b, ",") || strncmp(a, b, n) != 0) return false;
    a += n + (a[n] == ',');
    b += n + (b[n] == ',');
  }
  return !*a && !*skip(b, prefix);
}

bool dcs_claim_same_but(const dcs_claim_row *a, const dcs_claim_row *b, const char *prefix) {
  return strcmp(a->variant, b->variant) == 0 && strcmp(a->scope, b->scope) == 0 &&
         dcs_claim_same_cell(a, b) && same_config_but(a->config, b->config, prefix);
}
