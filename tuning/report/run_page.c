/* The page of a run. */
#include "tuning/report/page.h"
#include "tuning/report/report.h"

#include "harness/base/grow.h"
#include "harness/figures/figures.h"
#include "harness/files/folder.h"
#include "harness/files/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  dcs_report *report;
} run_page;

/* ---- the machine ---- */

static void put_fact(FILE *out, const char *name, const char *value) {
  if (!*value) return;
  dcs_page_element(out, "dt", "%s", name);
  dcs_page_element(out, "dd", "%s", value);
}

static dcs_status put_facts(const dcs_run *run, FILE *out) {
  static const dcs_sheet_column columns[] = {{"key", "fact"}, {"value", "value"}};
  dcs_sheet sheet = dcs_sheet_begin("Everything that env.csv says", columns, 2);
  for (size_t row = 0; row < dcs_table_rows(run->env); row++) {
    dcs_sheet_text(&sheet, dcs_table_cell(run->env, row, run->env_key));
    dcs_sheet_text(&sheet, dcs_table_cell(run->env, row, run->env_value));
  }
  fputs("<details><summary>All facts</summary>\n", out);
  DCS_TRY(dcs_page_sheet(out, &sheet, DCS_OK));
  fputs("</details>\n", out);
  return DCS_OK;
}

static dcs_status put_machine(const dcs_run *run, FILE *out) {
  dcs_page_section(out, "machine", "Machine");
  fputs("<dl>\n", out);
  put_fact(out, "CPU", dcs_run_fact(run, "cpu_model"));
  put_fact(out, "CPUs", dcs_run_fact(run, "cpus"));
  put_fact(out, "Instruction sets", dcs_run_fact(run, "isa"));
  put_fact(out, "GPU", dcs_run_fact(run, "gpu_name"));
  put_fact(out, "CUDA driver", dcs_run_fact(run, "cuda_driver"));
  put_fact(out, "System", dcs_run_fact(run, "os"));
  put_fact(out, "Compiler", dcs_run_fact(run, "compiler"));
  put_fact(out, "Input", dcs_run_fact(run, "input"));
  put_fact(out, "Measured", dcs_run_fact(run, "date"));
  fputs("</dl>\n", out);
  return put_facts(run, out);
}

/* ---- findings, tables ---- */

static dcs_status put_findings(dcs_report *report, FILE *out) {
  dcs_findings findings;
  dcs_status status = dcs_report_findings(report, &findings);
  dcs_page_section(out, "findings", "What it says");
  fputs("<ul class=findings>\n", out);
  for (size_t i = 0; i < findings.n; i++)
    dcs_page_element(out, "li", "%s", findings.list[i]);
  fputs("</ul>\n", out);
  dcs_findings_free(&findings);
  return status;
}

/* A table of each kind. */
static dcs_status put_rows(dcs_report *report, bool all, FILE *out) {
  const dcs_kind *kind = NULL;
  while ((kind = dcs_report_kind(&report->run.own, kind))) {
    dcs_sheet sheet;
    dcs_status filled = dcs_report_rows(report, kind, all, &sheet);
    DCS_TRY(dcs_page_sheet(out, &sheet, filled));
  }
  return DCS_OK;
}

static dcs_status put_ideas(const dcs_run *run, FILE *out) {
  static const dcs_sheet_column columns[] = {
      {"variant", "variant"}, {"problem", "problem"}, {"idea", "idea"}};
  dcs_sheet sheet = dcs_sheet_begin("The variants of the run", columns, 3);
  for (int v = 0; v < dcs_n_variants; v++) {
    size_t row = 0;
    while (row < run->n_rows && strcmp(run->rows[row].variant, dcs_variants[v]->id) != 0)
      row++;
    if (row == run->n_rows) continue;
    dcs_sheet_text(&sheet, dcs_variants[v]->id);
    dcs_sheet_text(&sheet, dcs_variants[v]->kind);
    dcs_sheet_text(&sheet, dcs_variants[v]->idea);
  }
  fputs("<details><summary>What the variants do</summary>\n", out);
  DCS_TRY(dcs_page_sheet(out, &sheet, DCS_OK));
  fputs("</details>\n", out);
  return DCS_OK;
}

/* ---- figures ---- */

typedef struct {
  const char *work;
  FILE *out, *skipped;
} figure_place;

static dcs_status take_figure(void *with, const char *name, const char *data, const char *why) {
  const figure_place *place = with;
  char path[4096];
  if (!data) {
    dcs_page_element(place->skipped, "li", "%s: %s", name, why);
    return DCS_OK;
  }
  if (snprintf(path, sizeof path, "%s/plots/%s.svg", place->work, name) >= (int)sizeof path)
    return dcs_fail(DCS_USAGE, "the name of the folder is too long");
  if (access(path, F_OK) == 0) return dcs_page_figure(place->out, path, data);
  dcs_page_element(place->skipped, "li", "%s: gnuplot is not on the PATH of who made this page",
                   name);
  return DCS_OK;
}

static dcs_status draw(const run_page *page, const char *work, FILE *out, FILE *skipped) {
  figure_place place = {work, out, skipped};
  const dcs_figures_options options = {.dir = page->report->folder,
                                       .reference = page->report->reference,
                                       .work = work,
                                       .take = take_figure,
                                       .with = &place};
  if (page->report->crossovers.n > 0)
    DCS_TRY(dcs_crossovers_write(work, &page->report->crossovers));
  return dcs_figures(&options);
}

static dcs_status put_figures(const run_page *page, FILE *out) {
  char work[4096], *reasons;
  dcs_text_stream skipped;
  dcs_page_section(out, "figures", "Figures");
  DCS_TRY(dcs_make_temporary(work));
  dcs_status status = dcs_text_begin(&skipped);
  if (status == DCS_OK) {
    fputs("<div class=plots>\n", out);
    status = draw(page, work, out, skipped.stream);
    fputs("</div>\n", out);
    dcs_status ended = dcs_text_end(&skipped, &reasons, NULL);
    if (status == DCS_OK) status = ended;
    if (status == DCS_OK && *reasons)
      fprintf(out, "<details><summary>Figures that were not drawn</summary><ul>%s</ul></details>\n",
              reasons);
    free(reasons);
  }
  dcs_remove_folder(work);
  return status;
}

/* ---- thresholds ---- */

static const dcs_sheet_column threshold_columns[] = {
    {"axis", "along"},
    {"scope", "scope"},
    {"fixed", "at"},
    {"shape", "grids"},
    {"method_a", "faster below"},
    {"method_b", "faster from there on"},
    {"sizes", "sizes", "%.0f", 1},
    {"estimate", "threshold", "%.4g", 1},
    {"lo", "95% from", "%.4g", 1},
    {"hi", "to", "%.4g", 1},
    {"regret_mean", "regret", "%.1f%%", 100},
    {"regret_worst", "worst", "%.1f%%", 100},
    {"status", "status"},
    {"gaps", "next to it"},
    {"gpu_reference", "GPU times of another machine"}};

static void put_threshold(dcs_sheet *sheet, const dcs_crossovers *found, const dcs_crossover *c) {
  char text[DCS_TEXT], fixed[64];
  const dcs_threshold *t = &c->threshold;
  dcs_sheet_text(sheet, dcs_crossover_axis(c));
  dcs_sheet_text(sheet, dcs_scope_name(c->pair->scope));
  dcs_sheet_text(sheet, dcs_crossover_fixed(c, fixed));
  dcs_sheet_text(sheet, dcs_crossover_shape(c, text));
  for (int which = 0; which < 2; which++)
    dcs_sheet_text(sheet, dcs_crossover_what(&found->measured, c, which, text));
  dcs_sheet_number(sheet, (double)t->sizes);
  dcs_sheet_number(sheet, t->estimate);
  dcs_sheet_number(sheet, t->lo);
  dcs_sheet_number(sheet, t->hi);
  dcs_sheet_number(sheet, t->regret_mean);
  dcs_sheet_number(sheet, t->regret_worst);
  dcs_sheet_text(sheet, dcs_threshold_status_name(t->status));
  dcs_sheet_text(sheet, dcs_crossover_gaps(&found->measured, c, text));
  dcs_sheet_text(sheet, dcs_crossover_card(&found->measured, c));
}

static dcs_status put_thresholds(const dcs_report *report, FILE *out) {
  enum { N = sizeof threshold_columns / sizeof threshold_columns[0] };
  const dcs_crossovers *found = &report->crossovers;
  dcs_page_section(out, "thresholds", "Thresholds");
  if (found->n == 0) {
    dcs_page_element(out, "p", "None: %s", report->no_crossovers);
    return DCS_OK;
  }
  dcs_sheet sheet =
      dcs_sheet_begin("From which size on another method is faster", threshold_columns, N);
  for (size_t i = 0; i < found->n; i++)
    put_threshold(&sheet, found, &found->list[i]);
  return dcs_page_sheet(out, &sheet, DCS_OK);
}

/* ---- claims ---- */

static const dcs_sheet_column claim_columns[] = {{"text", "claim"},
                                                 {"verdict", "verdict"},
                                                 {"value", "measured", "%.4g", 1},
                                                 {"value_lo", "95% from", "%.4g", 1},
                                                 {"value_hi", "to", "%.4g", 1},
                                                 {"unit", "unit"},
                                                 {"yes", "yes", "%.0f", 1},
                                                 {"partly", "partly", "%.0f", 1},
                                                 {"no", "no", "%.0f", 1},
                                                 {"least", "least", "%.4g", 1},
                                                 {"most", "most", "%.4g", 1},
                                                 {"rule", "rule"}};

static void put_claim(dcs_sheet *sheet, const dcs_claim_result *r) {
  dcs_sheet_text(sheet, r->claim->text);
  dcs_sheet_text(sheet, dcs_claim_verdicts[r->verdict]);
  dcs_sheet_number(sheet, r->shown.value);
  dcs_sheet_number(sheet, r->shown.lo);
  dcs_sheet_number(sheet, r->shown.hi);
  dcs_sheet_text(sheet, r->claim->unit);
  for (int grade = DCS_GRADE_YES; grade <= DCS_GRADE_NO; grade++)
    dcs_sheet_number(sheet, (double)r->counts[grade]);
  dcs_sheet_number(sheet, r->least);
  dcs_sheet_number(sheet, r->most);
  dcs_sheet_text(sheet, r->claim->rule);
}

static void put_unmeasured(const dcs_claims *claims, FILE *out) {
  size_t n = 0;
  for (size_t i = 0; i < claims->n; i++)
    n += claims->list[i].verdict == DCS_VERDICT_NOT_MEASURED;
  if (n == 0) return;
  fprintf(out, "<details><summary>%zu that were not measured</summary><ul>\n", n);
  for (size_t i = 0; i < claims->n; i++)
    if (claims->list[i].verdict == DCS_VERDICT_NOT_MEASURED)
      dcs_page_element(out, "li", "%s Missing: %s", claims->list[i].claim->text,
                       dcs_claim_missing(&claims->list[i]));
  fputs("</ul></details>\n", out);
}

static dcs_status put_claims(const dcs_report *report, FILE *out) {
  enum { N = sizeof claim_columns / sizeof claim_columns[0] };
  const dcs_claims *claims = &report->claims;
  dcs_page_section(out, "claims", "Claims of the case study");
  if (claims->n == 0) {
    dcs_page_element(out, "p", "None was held against this run: %s", report->no_claims);
    return DCS_OK;
  }
  dcs_sheet sheet =
      dcs_sheet_begin("What is claimed, and what this run measured", claim_columns, N);
  for (size_t i = 0; i < claims->n; i++)
    if (claims->list[i].verdict != DCS_VERDICT_NOT_MEASURED) put_claim(&sheet, &claims->list[i]);
  DCS_TRY(dcs_page_sheet(out, &sheet, DCS_OK));
  put_unmeasured(claims, out);
  return DCS_OK;
}

/* ---- method ---- */

static const char method[] =
    "<ul>\n"
    "<li>Every method was verified against double precision before it was timed and once more "
    "after its last sample; what was not accepted has no time.</li>\n"
    "<li>Methods of a size were sampled in interleaved rounds, in random order. No sample was "
    "dropped for its time. A time is the median; its 95% interval is two of the samples (order "
    "statistics), and fewer than six have none.</li>\n"
    "<li>Scope kernel: device events around the launches of one output, on the CPU the loop nest. "
    "Scope warm: the wall clock around copy in, kernels and copy out. Scope first: from the start "
    "of a fresh process to the result in host memory.</li>\n"
    "<li>Rates count useful work; padding and candidates that do not count are left out. The limit "
    "is the measured rate of the unit that the problem's rate is held against.</li>\n"
    "<li>Where a problem approximates another, model error is how far its exact answer is from "
    "that "
    "other one's.</li>\n"
    "<li>A threshold's interval is a bootstrap over rounds; its regret is the time lost by going "
    "by "
    "it at sizes that it was not drawn from.</li>\n"
    "</ul>\n";

static void put_method(const dcs_run *run, FILE *out) {
  const char *command = dcs_run_fact(run, "command_line");
  dcs_page_section(out, "method", "Method, and how to repeat it");
  fputs(method, out);
  dcs_page_element(out, "p", "Measured by dcsbench %s (%s); the run is made anew with",
                   dcs_run_fact(run, "program_version"), dcs_run_fact(run, "git_state"));
  dcs_page_element(out, "pre", "%s", *command ? command : "(the run does not say)");
  if (strlen(command) >= 511) dcs_page_element(out, "p", "The command was longer and is cut.");
  dcs_page_element(out, "p", "and this page of it with");
  dcs_page_element(out, "pre", "dcsbench report %s --html", run->folder);
}

/* ---- the page ---- */

static dcs_status put_body(void *with, FILE *out) {
  const run_page *page = with;
  dcs_report *report = page->report;
  const dcs_run *run = &report->run.own;
  DCS_TRY(put_findings(report, out));
  DCS_TRY(put_machine(run, out));
  dcs_page_section(out, "ladder", "The ladder");
  DCS_TRY(put_rows(report, false, out));
  DCS_TRY(put_ideas(run, out));
  DCS_TRY(put_figures(page, out));
  DCS_TRY(put_thresholds(report, out));
  DCS_TRY(put_claims(report, out));
  dcs_page_section(out, "rows", "Every row");
  fprintf(out, "<details><summary>%zu rows</summary>\n", run->n_rows);
  DCS_TRY(put_rows(report, true, out));
  fputs("</details>\n", out);
  put_method(run, out);
  return DCS_OK;
}

dcs_status dcs_report_page(dcs_report *report, const char *path) {
  const dcs_run *run = &report->run.own;
  char title[2 * DCS_TEXT] = "", subtitle[2 * DCS_TEXT] = "";
  const char *gpu = dcs_run_fact(run, "gpu_name");
  run_page with = {report};
  dcs_append(title, sizeof title, "%s%s%s: measured by dcsbench", gpu, *gpu ? " and " : "",
             dcs_run_fact(run, "cpu_model"));
  dcs_append(subtitle, sizeof subtitle, "%zu rows, %.10s, dcsbench %s", run->n_rows,
             dcs_run_fact(run, "date"), dcs_run_fact(run, "program_version"));
  return dcs_page_write(&(dcs_page){title, subtitle, put_body, &with}, path);
}
