/* dcsbench report */
#include "tuning/report/report.h"
#include "cli/commands.h"
#include "harness/files/folder.h"
#include "harness/runs/find.h"
#include "harness/timings/t4_write.h"
#include "tuning/journal/journal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  const char *folder, *out, *reference, *t4;
  bool all, html;
  int form;
} arguments;

static const dcs_option options[] = {
    {"all", 'a', NULL, "every row", DCS_FLAG(arguments, all)},
    {"csv", 'c', NULL, "print CSV", DCS_VALUE(arguments, form, DCS_SHEET_CSV)},
    {"json", 'j', NULL, "print JSON", DCS_VALUE(arguments, form, DCS_SHEET_JSON)},
    {"markdown", 'm', NULL, "print markdown", DCS_VALUE(arguments, form, DCS_SHEET_MARKDOWN)},
    {"html", 0, NULL,
     "write DIR/report.html: a page of its own with figures, tables, thresholds, claims and method",
     DCS_FLAG(arguments, html)},
    {"out", 'o', "FILE", "with --html: the page's file", DCS_WORD(arguments, out)},
    {"t4", 0, "FILE",
     "write the run, or a tuning's journal, as T4: what Kernel Tuner, KTT and their tools read",
     DCS_WORD(arguments, t4)},
    {"reference", 'r', "DIR", "with --html: as of `dcsbench plot` and `dcsbench crossover`",
     DCS_WORD(arguments, reference)},
    {0}};

static dcs_status check(const void *values) {
  const arguments *a = values;
  if (a->t4 && (a->all || a->form || a->html))
    return dcs_fail(DCS_USAGE, "--t4 has every row and every sample: give it alone");
  if (a->html && (a->all || a->form))
    return dcs_fail(DCS_USAGE, "--html has every row: give it alone, with --out or --reference");
  if (!a->html && (a->out || a->reference))
    return dcs_fail(DCS_USAGE, "--out and --reference are for --html");
  return DCS_OK;
}

/* ---- a run ---- */

static dcs_status print_rows(dcs_report *report, const dcs_kind *kind, const arguments *a) {
  dcs_sheet sheet;
  dcs_status status = dcs_report_rows(report, kind, a->all, &sheet);
  if (status == DCS_OK) status = dcs_sheet_write(&sheet, (dcs_sheet_form)a->form, stdout);
  dcs_sheet_free(&sheet);
  return status;
}

static void print_findings(const dcs_findings *findings, const arguments *a) {
  if (a->form == DCS_SHEET_TEXT && findings->n > 0) printf("What to look at:\n");
  for (size_t i = 0; i < findings->n; i++) {
    if (a->form == DCS_SHEET_TEXT) {
      dcs_print_wrapped("-", 4, findings->list[i]);
      continue;
    }
    printf("- ");
    dcs_markdown_text(stdout, findings->list[i]);
    printf("\n");
  }
}

/* A table of each kind, and what is to be known. */
static dcs_status print_for_people(dcs_report *report, const arguments *a) {
  dcs_findings findings;
  const dcs_kind *kind = NULL;
  while ((kind = dcs_report_kind(&report->run.own, kind))) {
    DCS_TRY(print_rows(report, kind, a));
    printf("\n");
  }
  dcs_status status = dcs_report_findings(report, &findings);
  if (status == DCS_OK) print_findings(&findings, a);
  dcs_findings_free(&findings);
  if (status == DCS_OK && a->form == DCS_SHEET_TEXT && !a->all)
    printf("--all prints every row, --html writes a page with figures.\n");
  return status;
}

static dcs_status write_page(dcs_report *report, const arguments *a) {
  char path[4096];
  DCS_TRY(dcs_path_in(a->folder, "report.html", path));
  if (a->out) DCS_TRY(dcs_run_check_apart(a->folder, "--out", a->out));
  DCS_TRY(dcs_report_page(report, a->out ? a->out : path));
  printf("%s\n", a->out ? a->out : path);
  return DCS_OK;
}

static dcs_status tell(const arguments *a) {
  dcs_report report;
  dcs_status status = dcs_report_open(a->folder, a->reference, &report);
  if (status != DCS_OK)
    ;
  else if (a->html)
    status = write_page(&report, a);
  else if (a->form == DCS_SHEET_CSV || a->form == DCS_SHEET_JSON)
    status = print_rows(&report, NULL, a);
  else
    status = print_for_people(&report, a);
  dcs_report_close(&report);
  return status;
}

/* ---- T4 ---- */

static dcs_status write_t4_of_run(const arguments *a) {
  dcs_run run;
  DCS_TRY(dcs_run_check_apart(a->folder, "--t4", a->t4));
  dcs_status status = dcs_run_open(&run, a->folder);
  if (status == DCS_OK) status = dcs_t4_write_run(&run, a->t4);
  dcs_run_close(&run);
  return status;
}

/* The journal is read as a tuning reads it before a row of it is written. */
static dcs_status write_t4_of_journal(const arguments *a) {
  char *path = (char *)a->folder;
  dcs_table *table;
  dcs_journal journal;
  if (dcs_is_same_file(path, a->t4))
    return dcs_fail(DCS_USAGE, "--t4 %s: it is read, too; expected another name", a->t4);
  DCS_TRY(dcs_table_read(path, &table));
  dcs_status status = dcs_journal_read(&path, 1, &journal, stderr);
  if (status == DCS_OK && dcs_table_rows(table) == 0)
    status = dcs_fail(DCS_INPUT, "%s: found no evaluation; expected a row at least", path);
  if (status == DCS_OK) status = dcs_t4_write_journal(table, a->t4);
  dcs_journal_free(&journal);
  dcs_table_free(table);
  return status;
}

static dcs_status write_t4(const arguments *a) {
  struct stat found;
  const bool journal = stat(a->folder, &found) == 0 && !S_ISDIR(found.st_mode);
  DCS_TRY(journal ? write_t4_of_journal(a) : write_t4_of_run(a));
  printf("%s\n", a->t4);
  return DCS_OK;
}

/* ---- a folder of runs ---- */

static void print_run(const char *path, void *to) {
  (void)to;
  printf("%s\n", path);
}

dcs_status dcs_command_report(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "DIR\n--t4 FILE DIR|JOURNAL",
      .doc = "Print a run: of each variant (CPU variants with one thread and with most) the best "
             "configuration on each problem, at a large size that most of them share. The columns: "
             "time with half the width of its 95% interval, rate of useful work, error of a "
             "problem that approximates another, share of the machine's measured limit. Sentences "
             "below say what is fastest, where crossover points are and why, which claims hold, "
             "what failed or scatters, and which tuned configurations no longer take their "
             "previous time. Of a folder that holds runs: which they are.",
      .place = DCS_PLACE(arguments, folder, const char *),
      .words = 1,
      .missing = "the run folder is missing",
      .check = check};
  arguments a = {0};
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){NULL}));
  if (a.t4) return write_t4(&a);
  const bool lists = !dcs_is_run(a.folder) && !a.html && a.form == DCS_SHEET_TEXT;
  if (lists && dcs_runs_within(a.folder, print_run, NULL) > 0) return DCS_OK;
  return tell(&a);
}
