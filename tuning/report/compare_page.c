/* The page of two runs that were compared. */
#include "tuning/report/page.h"
#include "tuning/report/report.h"

#include "harness/base/decimal.h"
#include "harness/base/grow.h"
#include "harness/figures/figures.h"
#include "harness/files/folder.h"
#include "harness/files/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *verdict(const dcs_compared *row) {
  return row->failed ? "NOT_OK" : dcs_change_name(row->change);
}

/* ---- sentences ---- */

static size_t count_all(const dcs_comparison *c) {
  size_t all = 0;
  for (int change = 0; change < DCS_N_CHANGES; change++)
    all += c->changes[change];
  return all;
}

/* The row that changed most in that direction; NULL: none did. */
static const dcs_compared *most_changed(const dcs_comparison *c, dcs_change change) {
  const dcs_compared *most = NULL;
  for (size_t i = 0; i < c->n; i++) {
    const dcs_compared *row = &c->list[i];
    if (row->failed || row->change != change) continue;
    if (!most || fabs(log(row->ratio.value)) > fabs(log(most->ratio.value))) most = row;
  }
  return most;
}

static void put_most(const dcs_comparison *c, dcs_change change, FILE *out) {
  const dcs_compared *row = most_changed(c, change);
  char size[DCS_TEXT];
  if (!row) return;
  dcs_page_element(
      out, "li", "Most %s: %s %s (%s, %s): time B is %.3g times time A (95%%: %.3g to %.3g).",
      change == DCS_CHANGE_SLOWER ? "slower" : "faster", row->row[0]->variant, row->row[0]->config,
      dcs_scope_name(row->row[0]->scope), dcs_size_text(&row->row[0]->size, size), row->ratio.value,
      row->ratio.lo, row->ratio.hi);
}

static void put_sentences(const dcs_comparison *c, FILE *out) {
  dcs_page_section(out, "findings", "What it says");
  fputs("<ul class=findings>\n", out);
  if (c->forced)
    dcs_page_element(out, "li", "The runs are not comparable: times differ for that reason alone.");
  dcs_page_element(out, "li",
                   "Of %zu rows %zu are slower in B, %zu faster, %zu the same within 2%%; of %zu "
                   "the samples do not tell. The median ratio is %.3f.",
                   count_all(c), c->changes[DCS_CHANGE_SLOWER], c->changes[DCS_CHANGE_FASTER],
                   c->changes[DCS_CHANGE_SAME], c->changes[DCS_CHANGE_UNSURE], c->median_ratio);
  put_most(c, DCS_CHANGE_SLOWER, out);
  put_most(c, DCS_CHANGE_FASTER, out);
  if (c->only[0] + c->only[1] + c->failed[0] + c->failed[1] > 0)
    dcs_page_element(out, "li",
                     "Not compared: %zu rows only in A, %zu only in B, %zu not ok in one, %zu not "
                     "ok in both.",
                     c->only[0], c->only[1], c->failed[0], c->failed[1]);
  fputs("</ul>\n", out);
}

/* ---- side by side ---- */

static void put_fact(dcs_sheet *sheet, const char *key, const char *a, const char *b,
                     const char *what) {
  dcs_sheet_text(sheet, key);
  dcs_sheet_text(sheet, a);
  dcs_sheet_text(sheet, b);
  dcs_sheet_text(sheet, what);
}

static dcs_status put_facts(const dcs_comparison *c, FILE *out) {
  static const dcs_sheet_column columns[] = {
      {"key", "fact"}, {"a", "A"}, {"b", "B"}, {"differs", "what that means"}};
  static const char *const always[] = {
      "date", "cpu_model", "cpus", "gpu_name", "program_version", "command_line", "imported_file"};
  dcs_sheet sheet = dcs_sheet_begin("The runs, side by side", columns, 4);
  put_fact(&sheet, "folder", c->runs[0].folder, c->runs[1].folder, "");
  for (size_t f = 0; f < sizeof always / sizeof always[0]; f++)
    put_fact(&sheet, always[f], dcs_run_fact(&c->runs[0], always[f]),
             dcs_run_fact(&c->runs[1], always[f]), "");
  for (size_t d = 0; d < c->n_differences; d++)
    put_fact(&sheet, c->differences[d].key, c->differences[d].value[0], c->differences[d].value[1],
             c->differences[d].incomparable ? "not comparable" : "differs");
  dcs_page_section(out, "machine", "The runs");
  return dcs_page_sheet(out, &sheet, DCS_OK);
}

/* ---- the figure ---- */

static int by_ratio(const void *a, const void *b) {
  const double x = (*(const dcs_compared *const *)a)->ratio.value;
  const double y = (*(const dcs_compared *const *)b)->ratio.value;
  return (x > y) - (x < y);
}

static void write_series(FILE *dat, const dcs_compared *const *list, size_t n, dcs_change change) {
  dcs_figure_series(dat, "%s", dcs_change_name(change));
  for (size_t i = 0; i < n; i++) {
    const dcs_compared *row = list[i];
    const dcs_ratio *r = &row->ratio;
    if (row->change != change) continue;
    fprintf(dat, "%zu\t%.9g\t%.9g\t%.9g\t", i + 1, r->value, isnan(r->lo) ? r->value : r->lo,
            isnan(r->hi) ? r->value : r->hi);
    dcs_figure_method_texts(dat, row->row[0]->variant, row->row[0]->config, row->row[0]->memory);
  }
}

/* The data of the figure, which the caller frees. */
static dcs_status make_data(const dcs_comparison *c, char **data, size_t *bytes) {
  static const dcs_change order[] = {DCS_CHANGE_UNSURE, DCS_CHANGE_SAME, DCS_CHANGE_FASTER,
                                     DCS_CHANGE_SLOWER}; /* the last in front */
  dcs_text_stream dat;
  const dcs_compared **list = malloc((c->n + 1) * sizeof(const dcs_compared *));
  size_t n = 0;
  *data = NULL;
  if (!list) return dcs_fail(DCS_UNAVAILABLE, "not enough memory for %zu rows", c->n);
  for (size_t i = 0; i < c->n; i++)
    if (!c->list[i].failed) list[n++] = &c->list[i];
  qsort(list, n, sizeof(const dcs_compared *), by_ratio);
  dcs_status status = dcs_text_begin(&dat);
  if (status == DCS_OK) {
    dcs_figure_line(dat.stream, "Time of B over time of A, a point a row, with 95%% intervals");
    dcs_figure_line(dat.stream, "A: %.100s, B: %.100s", c->runs[0].folder, c->runs[1].folder);
    for (size_t s = 0; s < sizeof order / sizeof order[0]; s++)
      write_series(dat.stream, list, n, order[s]);
    status = dcs_text_end(&dat, data, bytes);
  }
  free(list);
  return status;
}

static dcs_status draw(const char *work, const char *data, size_t bytes, FILE *out) {
  char path[4096];
  locale_t before = dcs_decimal_enter();
  dcs_status status = dcs_figure_draw(work, "compare", data, bytes, NULL);
  dcs_decimal_leave(before);
  DCS_TRY(status);
  DCS_TRY(dcs_path_in(work, "plots/compare.svg", path));
  if (dcs_exists(path)) return dcs_page_figure(out, path, data);
  dcs_page_element(out, "p", "gnuplot is not on the PATH of who made this page");
  return DCS_OK;
}

static dcs_status put_figure(const dcs_comparison *c, FILE *out) {
  char work[4096], *data;
  size_t bytes;
  dcs_page_section(out, "figures", "Figure");
  DCS_TRY(make_data(c, &data, &bytes));
  dcs_status status = dcs_make_temporary(work);
  if (status == DCS_OK) {
    status = draw(work, data, bytes, out);
    dcs_remove_folder(work);
  }
  free(data);
  return status;
}

/* ---- rows ---- */

static const dcs_sheet_column compared[] = {{"scope", "scope"},
                                            {"memory", "memory"},
                                            {"median_a_ns", "A ms", "%.4g", 1e-6},
                                            {"median_b_ns", "B ms", "%.4g", 1e-6},
                                            {"ratio", "B / A", "%.3f", 1},
                                            {"ratio_lo", "95% from", "%.3f", 1},
                                            {"ratio_hi", "to", "%.3f", 1},
                                            {"verdict", "verdict"},
                                            {"config", "configuration"}};
enum { N_COMPARED = sizeof compared / sizeof compared[0] };

static void put_row(dcs_sheet *sheet, const dcs_compared *row) {
  const dcs_run_row *of = row->row[0];
  dcs_sheet_text(sheet, of->variant);
  dcs_sheet_put_size(sheet, &of->size, true);
  dcs_sheet_text(sheet, dcs_scope_name(of->scope));
  dcs_sheet_text(sheet, of->memory);
  dcs_sheet_number(sheet, row->median_ns[0]);
  dcs_sheet_number(sheet, row->median_ns[1]);
  dcs_sheet_number(sheet, row->ratio.value);
  dcs_sheet_number(sheet, row->ratio.lo);
  dcs_sheet_number(sheet, row->ratio.hi);
  dcs_sheet_text(sheet, verdict(row));
  dcs_sheet_text(sheet, of->config);
}

static dcs_status put_kind(const dcs_comparison *c, const dcs_kind *kind, FILE *out) {
  const bool first = kind == dcs_kinds[0];
  dcs_sheet_column columns[1 + DCS_SIZE_SHEET_COLUMNS + N_COMPARED] = {{"variant", "variant"}};
  const int n = 1 + dcs_size_sheet_columns(kind, true, columns + 1);
  char caption[DCS_TEXT];
  memcpy(columns + n, compared, sizeof compared);
  snprintf(caption, sizeof caption, "%s%sEvery method in both runs", first ? "" : kind->id,
           first ? "" : ": ");
  dcs_sheet sheet = dcs_sheet_begin(caption, columns, n + N_COMPARED);
  for (size_t i = 0; i < c->n; i++)
    if (c->list[i].row[0]->size.kind == kind) put_row(&sheet, &c->list[i]);
  if (dcs_sheet_rows(&sheet) > 0) return dcs_page_sheet(out, &sheet, DCS_OK);
  dcs_sheet_free(&sheet);
  return DCS_OK;
}

/* ---- the page ---- */

static const char method[] =
    "<p>A row is slower or faster in B when the whole 95% interval of the ratio of its times lies "
    "beyond 2%, the same when it lies within, and unsure otherwise or with fewer than 6 samples. "
    "The interval covers what happens within the runs; where the machine itself is faster at one "
    "time than at another, only interleaved runs tell.</p>\n";

static dcs_status put_body(void *with, FILE *out) {
  const dcs_comparison *c = with;
  put_sentences(c, out);
  DCS_TRY(put_facts(c, out));
  DCS_TRY(put_figure(c, out));
  dcs_page_section(out, "rows", "Every row");
  const dcs_kind *kind = NULL;
  while ((kind = dcs_report_kind(&c->runs[0], kind)))
    DCS_TRY(put_kind(c, kind, out));
  dcs_page_section(out, "method", "Method, and how to repeat it");
  fputs(method, out);
  dcs_page_element(out, "pre", "dcsbench compare %s %s --html", c->runs[0].folder,
                   c->runs[1].folder);
  return DCS_OK;
}

dcs_status dcs_compare_page(const dcs_comparison *c, const char *path) {
  char title[2 * DCS_TEXT] = "", subtitle[2 * DCS_TEXT] = "";
  dcs_append(title, sizeof title, "%s against %s: two runs of dcsbench", c->runs[1].folder,
             c->runs[0].folder);
  dcs_append(subtitle, sizeof subtitle, "%zu rows compared", c->n);
  for (int r = 0; r < 2; r++) /* imported times have no date */
    if (*dcs_run_fact(&c->runs[r], "date"))
      dcs_append(subtitle, sizeof subtitle, "%s %c of %.10s", r ? "," : ";", 'A' + r,
                 dcs_run_fact(&c->runs[r], "date"));
  return dcs_page_write(&(dcs_page){title, subtitle, put_body, (void *)c}, path);
}
