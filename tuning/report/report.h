/* A run, told: the best of each variant, every row, and sentences that say what to look at; on a
 * terminal, for machines, or as a page. Knows no problem kind. */
#ifndef DCS_REPORT_H
#define DCS_REPORT_H

#include "harness/compare/compare.h"
#include "harness/figures/figure.h"
#include "harness/files/sheet.h"
#include "tuning/claims/claims.h"
#include "tuning/crossover/crossover.h"

typedef struct {
  const char *folder, *reference; /* the caller's */
  dcs_figure_run run;
  dcs_crossovers crossovers; /* empty where there are none, with the reason */
  dcs_claims claims;
  char no_crossovers[2 * DCS_TEXT], no_claims[2 * DCS_TEXT];
} dcs_report;

/* Reads a run folder; the statuses of dcs_run_open_summary(). `reference` (may be NULL): as
 * dcs_measured_read() and dcs_figures() have it. A run without samples.csv, or without
 * methods to hold against each other, has neither crossover points nor claims. Free with
 * dcs_report_close(), whatever the status. */
dcs_status dcs_report_open(const char *folder, const char *reference, dcs_report *report);
void dcs_report_close(dcs_report *report);

/* The kinds of the run's rows, in the order of the file: the first behind `kind` (NULL: of all), or
 * NULL. */
const dcs_kind *dcs_report_kind(const dcs_run *run, const dcs_kind *kind);

/* Rows of the run as a table, of one kind: of each problem the best configuration of each variant
 * (a CPU variant's with one thread and with most), at a large size that many of them share, or else
 * where it was measured; or (all, and of another program's timings) every row. Free the sheet
 * whatever the status. Takes up the kind. For machines (kind NULL) rows of all kinds. */
dcs_status dcs_report_rows(dcs_report *report, const dcs_kind *kind, bool all, dcs_sheet *sheet);

/* The columns of a size: for machines those of files with the kind, for people (given) a dimension
 * each and the problem's values. Returns how many; and their cells. */
enum { DCS_SIZE_SHEET_COLUMNS = DCS_SIZE_COLUMNS + DCS_MAX_DIMENSIONS + 1 };
int dcs_size_sheet_columns(const dcs_kind *kind, bool people, dcs_sheet_column *columns);
void dcs_sheet_put_size(dcs_sheet *sheet, const dcs_size *size, bool people);

/* What is to be known of the run, a sentence each. */
typedef struct {
  char **list;
  size_t n;
} dcs_findings;
/* Free with dcs_findings_free(), whatever the status. */
dcs_status dcs_report_findings(dcs_report *report, dcs_findings *findings);
void dcs_findings_free(dcs_findings *findings);
/* Adds one. */
dcs_status dcs_findings_say(dcs_findings *findings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a page that has everything in it to `path`. */
dcs_status dcs_report_page(dcs_report *report, const char *path);

/* The same of two runs that were compared. */
dcs_status dcs_compare_page(const dcs_comparison *comparison, const char *path);

#endif
