/* The rows of a run as a table. */
#include "tuning/report/report.h"

#include "harness/base/grow.h"

#include <math.h>
#include <string.h>

/* ---- columns ---- */

/* Those behind the size. */
static const dcs_sheet_column measured[] = {{"scope", "scope"},
                                            {"memory", "memory"},
                                            {"devices", NULL},
                                            {NULL, "devices"},
                                            {"median_ns", "ms", "%.4g", 1e-6},
                                            {"ci_lo_ns", NULL, "%g", 1},
                                            {"ci_hi_ns", NULL, "%g", 1},
                                            {NULL, "95%", "±%.1f%%", 100},
                                            {"evals_per_s", "10^9/s", "%.4g", 1e-9},
                                            {"model_error", "model error", "%.3g", 1},
                                            {"limit_fraction", "of limit", "%.1f%%", 100},
                                            {"padding_overhead", "padding", "%.1f%%", 100},
                                            {"warm_ns", "warm ms", "%.4g", 1e-6},
                                            {"first_ns", "first ms", "%.4g", 1e-6},
                                            {"outcome", NULL},
                                            {NULL, "outcome"},
                                            {"config", "configuration"}};
enum { N_MEASURED = sizeof measured / sizeof measured[0] };

int dcs_size_sheet_columns(const dcs_kind *kind, bool people, dcs_sheet_column *columns) {
  int n = 0;
  columns[n++] = (dcs_sheet_column){dcs_size_columns[0], NULL};
  columns[n++] = (dcs_sheet_column){dcs_size_columns[1], NULL};
  for (const char *const *axis = dcs_size_axes(kind); *axis; axis++)
    columns[n++] = (dcs_sheet_column){*axis, NULL, "%.0f", 1};
  for (int d = 0; people && d < kind->n_dimensions; d++)
    columns[n++] = (dcs_sheet_column){NULL, kind->dimensions[d].name,
                                      kind->dimensions[d].n == 1 ? "%.0f" : NULL, 1};
  columns[n++] = (dcs_sheet_column){NULL, "problem"};
  return n;
}

static dcs_sheet begin(const char *caption, const dcs_kind *kind, bool people) {
  dcs_sheet_column columns[1 + DCS_SIZE_SHEET_COLUMNS + N_MEASURED] = {{"variant", "variant"}};
  const int n = 1 + dcs_size_sheet_columns(kind, people, columns + 1);
  memcpy(columns + n, measured, sizeof measured);
  return dcs_sheet_begin(caption, columns, n + N_MEASURED);
}

/* ---- a row ---- */

typedef struct {
  dcs_sheet *sheet;
  bool people;     /* the sheet has columns of a kind's dimensions */
  bool several[3]; /* by backend: the run has rows of several devices */
} rows;

static void find_several(rows *to, const dcs_run *run) {
  const char *first[3] = {NULL, NULL, NULL};
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_run_row *row = &run->rows[i];
    if (!first[row->backend]) first[row->backend] = row->devices;
    to->several[row->backend] |= strcmp(first[row->backend], row->devices) != 0;
  }
}

void dcs_sheet_put_size(dcs_sheet *sheet, const dcs_size *size, bool people) {
  char text[DCS_TEXT];
  const dcs_kind *kind = size->kind;
  dcs_sheet_text(sheet, kind->id);
  dcs_sheet_text(sheet, dcs_format_problem(kind, &size->config, text));
  for (const char *const *axis = dcs_size_axes(kind); *axis; axis++)
    dcs_sheet_number(sheet, dcs_size_axis(size, *axis));
  for (int d = 0; people && d < kind->n_dimensions; d++)
    if (kind->dimensions[d].n == 1)
      dcs_sheet_number(sheet, dcs_along(size, d));
    else
      dcs_sheet_text(sheet, dcs_dimension_text(size, d, text));
  dcs_sheet_text(sheet, kind->made_of ? "" : dcs_format_problem(kind, &size->config, text));
}

/* warm_ns, first_ns: of the variant in these scopes; NaN: not measured, or not to be shown. */
static void put_row(const rows *to, const dcs_run_row *row, double warm_ns, double first_ns) {
  const bool ok = row->outcome == DCS_OUTCOME_OK;
  dcs_sheet *sheet = to->sheet;
  dcs_sheet_text(sheet, row->variant);
  dcs_sheet_put_size(sheet, &row->size, to->people);
  dcs_sheet_text(sheet, dcs_scope_name(row->scope));
  dcs_sheet_text(sheet, row->memory);
  dcs_sheet_text(sheet, row->devices);
  dcs_sheet_text(sheet, to->several[row->backend] ? row->devices : "");
  dcs_sheet_number(sheet, ok ? row->median_ns : NAN);
  dcs_sheet_number(sheet, row->ci_lo_ns);
  dcs_sheet_number(sheet, row->ci_hi_ns);
  dcs_sheet_number(sheet, 0.5 * (row->ci_hi_ns - row->ci_lo_ns) / row->median_ns);
  dcs_sheet_number(sheet, ok ? row->evals_per_s : NAN);
  dcs_sheet_number(sheet, row->model_error);
  dcs_sheet_number(sheet, row->limit_fraction);
  dcs_sheet_number(sheet, row->padding_overhead);
  dcs_sheet_number(sheet, warm_ns);
  dcs_sheet_number(sheet, first_ns);
  dcs_sheet_text(sheet, dcs_outcome_name(row->outcome));
  dcs_sheet_text(sheet, !ok                      ? dcs_outcome_name(row->outcome)
                        : dcs_row_disturbed(row) ? "disturbed"
                                                 : "");
  dcs_sheet_text(sheet, row->config);
}

/* ---- the best of each variant ---- */

static double time_in(const dcs_figure_run *run, dcs_figure_pick pick, const dcs_figure_row *like,
                      dcs_scope scope) {
  if (like->of->scope == scope) return NAN;
  pick.size = like->size;
  pick.scope = (int)scope;
  const dcs_figure_row *row = dcs_figure_best(run, &pick);
  return row ? row->of->median_ns : NAN;
}

static void put_best(const rows *to, const dcs_figure_run *run, dcs_figure_pick pick) {
  static const dcs_scope scopes[] = {DCS_KERNEL, DCS_WARM, DCS_FIRST};
  const dcs_figure_row *row = NULL;
  for (size_t s = 0; !row && s < sizeof scopes / sizeof scopes[0]; s++) {
    pick.scope = (int)scopes[s];
    row = dcs_figure_best_or_elsewhere(run, pick);
  }
  if (row)
    put_row(to, row->of, time_in(run, pick, row, DCS_WARM), time_in(run, pick, row, DCS_FIRST));
}

static void put_problem(const rows *to, const dcs_figure_run *run, int problem) {
  dcs_figure_pick pick = dcs_figure_any;
  pick.problem = problem;
  const int all = dcs_figure_most_threads(run, pick);
  pick.size = dcs_figure_ladder_size(run, problem);
  for (pick.variant = 0; pick.variant < run->n_variants; pick.variant++)
    for (int group = 0; group < DCS_FIGURE_GROUPS; group++) {
      if (group == DCS_FIGURE_ALL_THREADS && all == 1) continue;
      dcs_figure_pick_group(&pick, (dcs_figure_group)group, all);
      put_best(to, run, pick);
    }
}

static dcs_status put_kind(const rows *to, dcs_report *report, const dcs_kind *kind, bool all) {
  const dcs_run *run = &report->run.own;
  for (size_t i = 0; all && i < run->n_rows; i++)
    if (run->rows[i].size.kind == kind) put_row(to, &run->rows[i], NAN, NAN);
  if (all) return DCS_OK;
  DCS_TRY(dcs_figure_take(&report->run, kind));
  put_problem(to, &report->run, DCS_FIGURE_DIRECT);
  for (int problem = 0; problem < report->run.n_problems; problem++)
    put_problem(to, &report->run, problem);
  return DCS_OK;
}

dcs_status dcs_report_rows(dcs_report *report, const dcs_kind *kind, bool all, dcs_sheet *sheet) {
  const dcs_run *run = &report->run.own;
  const dcs_kind *of = kind ? kind : dcs_report_kind(run, NULL);
  if (!of) of = dcs_kinds[0];
  all = all || of->made_of; /* whose work, and so whose best, nobody says */
  const bool named = kind && kind != dcs_kinds[0];
  char caption[DCS_TEXT] = "";
  dcs_append(caption, sizeof caption, "%s%s%s", named ? kind->id : "", named ? ": " : "",
             all ? "Every row" : "The best configuration of each variant");
  if (!of->made_of)
    dcs_append(caption, sizeof caption, "; rates of useful work in 10^9 %s a second", of->eval);
  *sheet = begin(caption, of, kind != NULL);
  rows to = {.sheet = sheet, .people = kind != NULL};
  find_several(&to, run);
  if (kind) return put_kind(&to, report, kind, all);
  for (kind = dcs_report_kind(run, NULL); kind; kind = dcs_report_kind(run, kind))
    DCS_TRY(put_kind(&to, report, kind, all));
  return DCS_OK;
}
