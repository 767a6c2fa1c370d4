#include "tuning/report/report.h"

#include "harness/files/folder.h"

#include <stdio.h>

/* What a run lacks is no failure of its report; anything else is. */
static dcs_status unless_lacking(dcs_status status, bool has_samples, char why[2 * DCS_TEXT]) {
  why[0] = '\0';
  if (status == DCS_OK || (has_samples && status != DCS_INPUT)) return status;
  snprintf(why, 2 * DCS_TEXT, "%s", dcs_error_message());
  return DCS_OK;
}

static dcs_status judge(dcs_report *report) {
  char path[4096];
  DCS_TRY(dcs_path_in(report->folder, "samples.csv", path));
  const bool has_samples = dcs_exists(path);
  dcs_status status = dcs_crossovers_find(report->folder, report->reference, &report->crossovers);
  DCS_TRY(unless_lacking(status, has_samples, report->no_crossovers));
  status = dcs_claims_check(report->folder, &report->claims);
  return unless_lacking(status, has_samples, report->no_claims);
}

dcs_status dcs_report_open(const char *folder, const char *reference, dcs_report *report) {
  *report = (dcs_report){.folder = folder, .reference = reference};
  DCS_TRY(dcs_figure_load(&report->run, folder, NULL));
  return judge(report);
}

void dcs_report_close(dcs_report *report) {
  dcs_figure_unload(&report->run);
  dcs_crossovers_free(&report->crossovers);
  dcs_claims_free(&report->claims);
}

/* Whether no row before it is of its kind. */
static bool is_first(const dcs_run *run, size_t row) {
  for (size_t before = 0; before < row; before++)
    if (run->rows[before].size.kind == run->rows[row].size.kind) return false;
  return true;
}

const dcs_kind *dcs_report_kind(const dcs_run *run, const dcs_kind *kind) {
  bool passed = !kind;
  for (size_t row = 0; row < run->n_rows; row++) {
    if (passed && is_first(run, row)) return run->rows[row].size.kind;
    passed = passed || run->rows[row].size.kind == kind;
  }
  return NULL;
}
