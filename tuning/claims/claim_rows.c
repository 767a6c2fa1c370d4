#include "tuning/claims/claims.h"

#include <stdio.h>
#include <string.h>

static bool is_initial(const dcs_size *size) {
  const dcs_config initial = dcs_initial_problem(size->kind);
  return dcs_same_problem(size->kind, &size->config, &initial);
}

static void add_row(dcs_claim_rows *rows, const dcs_run_row *row) {
  dcs_run_row *own = &rows->rows[rows->n++];
  size_t size = 0;
  *own = *row;
  own->median_ns = row->stats.median;
  while (size < rows->n_sizes && !dcs_same_size(&rows->sizes[size]->size, &row->size))
    size++;
  if (size == rows->n_sizes) rows->sizes[rows->n_sizes++] = own;
  if (row->backend == DCS_CPU && row->scope == DCS_KERNEL && row->threads > rows->most_threads)
    rows->most_threads = row->threads;
}

dcs_status dcs_claim_rows_take(const dcs_run *run, const dcs_kind *kind, dcs_room *room,
                               dcs_claim_rows *rows) {
  const dcs_variant *book = dcs_find_book(DCS_BOOK_SEQUENTIAL);
  const size_t n = run->n_rows;
  const bool of_book = !kind;
  *rows = (dcs_claim_rows){0};
  if (of_book && book) kind = dcs_kind_of(book);
  DCS_TRY(dcs_room_take(room, &rows->rows, n, sizeof *rows->rows, "rows"));
  DCS_TRY(dcs_room_take(room, &rows->sizes, n, sizeof(const dcs_run_row *), "sizes"));
  for (const dcs_run_row *row = run->rows; row < run->rows + n; row++)
    if (row->outcome == DCS_OUTCOME_OK && row->size.kind == kind &&
        (!of_book || is_initial(&row->size)))
      add_row(rows, row);
  return DCS_OK;
}

/* ---- finding rows ---- */

/* Whether a configuration has each of the values "a=1,b=2". */
static bool has_values(const char *config, const char *values) {
  char all[DCS_TEXT + 2], one[DCS_TEXT];
  snprintf(all, sizeof all, ",%s,", config);
  for (size_t n; *values; values += n + (values[n] == ',')) {
    n = strcspn(values, ",");
    snprintf(one, sizeof one, ",%.*s,", (int)n, values);
    if (!strstr(all, one)) return false;
  }
  return true;
}

const dcs_run_row *dcs_claim_best(const dcs_claim_rows *rows, const dcs_run_row *like,
                                  const dcs_claim_pick *pick) {
  const dcs_run_row *best = NULL;
  for (size_t r = 0; r < rows->n; r++) {
    const dcs_run_row *row = &rows->rows[r];
    if (row->backend != pick->backend || row->scope != pick->scope ||
        (pick->variant && strcmp(row->variant, pick->variant) != 0) ||
        (pick->without && strcmp(row->variant, pick->without) == 0) ||
        (pick->config && !has_values(row->config, pick->config)) ||
        (pick->threads > 0 && row->threads != pick->threads) ||
        !dcs_same_size(&row->size, &like->size))
      continue;
    if (!best || row->median_ns < best->median_ns) best = row;
  }
  return best;
}

bool dcs_claim_same_but(const dcs_run_row *a, const dcs_run_row *b, const char *prefix) {
  return strcmp(a->variant, b->variant) == 0 && a->scope == b->scope &&
         dcs_same_size(&a->size, &b->size) && dcs_same_config_but(a->config, b->config, prefix);
}
