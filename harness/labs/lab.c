#include "harness/labs/lab.h"

#include "harness/base/embedded.h"
#include "harness/base/text.h"
#include "harness/files/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[] =
    DCS_NAMES("check", "variant", "config", "atoms", "grid", "limit");
enum { CHECK, VARIANT, CONFIG, ATOMS, GRID, LIMIT, N_COLUMNS };

const char *dcs_lab_file(const dcs_variant *variant) {
  if (!variant) return "answers.csv";
  const char *slash = strrchr(variant->sources[0], '/');
  return slash ? slash + 1 : variant->sources[0];
}

bool dcs_lab_is_first(const dcs_lab *lab, int demand) {
  for (int d = 0; d < demand; d++)
    if (lab->demands[d].method.variant == lab->demands[demand].method.variant) return false;
  return true;
}

/* ---- reading ---- */

/* The first line of the lab's page: "# Lab 2: constant memory". */
static void read_title(const char *page, char title[DCS_TEXT]) {
  const char *colon = strchr(page, ':');
  const char *from = colon ? colon + 2 : page;
  snprintf(title, DCS_TEXT, "%.*s", (int)strcspn(from, "\n"), from);
}

static dcs_status read_method(const char *variant, const char *config, dcs_method *method) {
  dcs_methods methods;
  DCS_TRY(dcs_select_methods(variant, config, (dcs_at_hand){.gpu = true}, &methods));
  *method = methods.list[0];
  free(methods.list);
  return DCS_OK;
}

static dcs_status read_demand(const dcs_table *table, size_t row, const int *at,
                              dcs_demand *demand) {
  snprintf(demand->check, sizeof demand->check, "%s", dcs_table_cell(table, row, at[CHECK]));
  demand->limit = dcs_table_number(table, row, at[LIMIT]);
  DCS_TRY(read_method(dcs_table_cell(table, row, at[VARIANT]),
                      dcs_table_cell(table, row, at[CONFIG]), &demand->method));
  DCS_TRY(dcs_parse_integer("atoms", dcs_table_cell(table, row, at[ATOMS]), 1, 1000000,
                            &demand->atoms));
  return dcs_parse_grid(dcs_table_cell(table, row, at[GRID]), &demand->grid);
}

static dcs_status make_room(const dcs_table *table, dcs_lab *lab) {
  const size_t rows = dcs_table_rows(table);
  lab->demands = calloc(rows + 1, sizeof *lab->demands);
  if (!lab->demands) return dcs_fail(DCS_UNAVAILABLE, "no memory for a lab");
  lab->n = (int)rows;
  return DCS_OK;
}

static dcs_status read_demands(const dcs_table *table, dcs_lab *lab) {
  int at[N_COLUMNS];
  DCS_TRY(dcs_table_need_all(table, columns, at));
  DCS_TRY(make_room(table, lab));
  for (int row = 0; row < lab->n; row++)
    DCS_TRY(read_demand(table, (size_t)row, at, &lab->demands[row]));
  return DCS_OK;
}

static dcs_status read_questions(const dcs_table *table, dcs_lab *lab) {
  int at;
  DCS_TRY(dcs_table_need(table, "question", &at));
  DCS_TRY(make_room(table, lab));
  for (int row = 0; row < lab->n; row++) {
    dcs_demand *demand = &lab->demands[row];
    snprintf(demand->check, sizeof demand->check, "%s", dcs_table_cell(table, (size_t)row, at));
    demand->limit = NAN;
  }
  return DCS_OK;
}

dcs_status dcs_lab_table(int number, const char *name, dcs_table **table) {
  char path[64];
  snprintf(path, sizeof path, "labs/%d/%s", number, name);
  const char *text = dcs_embedded(path);
  if (!text) return dcs_fail(DCS_UNAVAILABLE, "%s is not built into this program", path);
  return dcs_table_parse(path, text, strlen(text), table);
}

dcs_status dcs_lab_open(int64_t number, dcs_lab *lab) {
  char path[64];
  dcs_table *table;
  *lab = (dcs_lab){.number = (int)number};
  snprintf(path, sizeof path, "labs/%d/README.md", lab->number);
  const char *page = dcs_embedded(path);
  if (!page)
    return dcs_fail(DCS_USAGE, "there is no lab %lld; `dcsbench lab` lists them",
                    (long long)number);
  read_title(page, lab->title);
  snprintf(path, sizeof path, "labs/%d/questions.csv", lab->number);
  lab->asks = dcs_embedded(path) != NULL;
  DCS_TRY(dcs_lab_table(lab->number, lab->asks ? "questions.csv" : "lab.csv", &table));
  dcs_status status = lab->asks ? read_questions(table, lab) : read_demands(table, lab);
  dcs_table_free(table);
  if (status != DCS_OK) dcs_lab_free(lab);
  return status;
}

void dcs_lab_free(dcs_lab *lab) {
  free(lab->demands);
  lab->demands = NULL;
  lab->n = 0;
}

/* ---- starting ---- */

static dcs_status refuse_existing(const char *folder, const char *name) {
  char path[4096];
  DCS_TRY(dcs_path_in(folder, name, path));
  if (!dcs_exists(path)) return DCS_OK;
  return dcs_fail(DCS_USAGE, "%s is there already; choose another folder", path);
}

static dcs_status copy_out(const char *from, const char *folder, const char *name) {
  char path[4096];
  dcs_file file;
  const char *text = dcs_embedded(from);
  if (!text) return dcs_fail(DCS_UNAVAILABLE, "%s is not built into this program", from);
  DCS_TRY(dcs_path_in(folder, name, path));
  DCS_TRY(dcs_file_create(&file, path));
  fputs(text, file.stream);
  return dcs_file_close(&file);
}

/* Of the run that the questions are about. */
static const char *const run_files[] = {"winners.csv", "thresholds.csv"};
enum { N_RUN_FILES = sizeof run_files / sizeof *run_files };

static dcs_status copy_run(const dcs_lab *lab, const char *folder) {
  dcs_table *questions;
  char from[DCS_TEXT];
  DCS_TRY(dcs_lab_table(lab->number, "questions.csv", &questions));
  const char *run = dcs_table_cell(questions, 0, dcs_table_column(questions, "run"));
  dcs_status status = DCS_OK;
  for (int n = 0; n < N_RUN_FILES && status == DCS_OK; n++) {
    snprintf(from, sizeof from, "%.100s/%s", run, run_files[n]);
    status = copy_out(from, folder, run_files[n]);
  }
  dcs_table_free(questions);
  return status;
}

dcs_status dcs_lab_start(const dcs_lab *lab, const char *folder) {
  char from[DCS_TEXT];
  DCS_TRY(refuse_existing(folder, "README.md"));
  for (int d = 0; d < lab->n; d++)
    DCS_TRY(refuse_existing(folder, dcs_lab_file(lab->demands[d].method.variant)));
  for (int n = 0; n < N_RUN_FILES && lab->asks; n++) /* a user's own run has them, too */
    DCS_TRY(refuse_existing(folder, run_files[n]));
  DCS_TRY(dcs_make_folder(folder, 0777));
  snprintf(from, sizeof from, "labs/%d/README.md", lab->number);
  DCS_TRY(copy_out(from, folder, "README.md"));
  for (int d = 0; d < lab->n; d++) {
    const char *file = dcs_lab_file(lab->demands[d].method.variant);
    if (!dcs_lab_is_first(lab, d)) continue;
    snprintf(from, sizeof from, "labs/%d/start/%.100s", lab->number, file);
    DCS_TRY(copy_out(from, folder, file));
  }
  return lab->asks ? copy_run(lab, folder) : DCS_OK;
}
