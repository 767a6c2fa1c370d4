#include "harness/labs/result.h"

#include "harness/base/grow.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/files/csv.h"
#include "harness/files/folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const columns[] =
    DCS_NAMES("name", "lab", "check", "variant", "config", "atoms", "nx", "ny", "nz", "outcome",
              "measured", "limit", "first", "said", "sources_hash");
enum {
  NAME,
  LAB,
  CHECK,
  VARIANT,
  CONFIG,
  ATOMS,
  NX,
  NY,
  NZ,
  OUTCOME,
  MEASURED,
  LIMIT,
  FIRST,
  SAID,
  SOURCES,
  N_COLUMNS
};

/* ---- handing in ---- */

/* Over all files of the lab, as text; "" where there is none, and of answers, which are alike where
 * they are right. */
static void hash_sources(const dcs_lab *lab, const char *folder, char hash[32]) {
  uint64_t all = DCS_HASH_START;
  char path[4096], *text;
  size_t bytes;
  *hash = '\0';
  for (int d = 0; d < lab->n && !lab->asks; d++) {
    const char *file = dcs_lab_file(lab->demands[d].method.variant);
    if (!dcs_lab_is_first(lab, d) || dcs_path_in(folder, file, path) != DCS_OK ||
        dcs_read_file(path, &text, &bytes) != DCS_OK)
      continue;
    all = dcs_hash(all, text, bytes);
    snprintf(hash, 32, "%016" PRIx64, all);
    free(text);
  }
}

static dcs_status write_finding(dcs_csv *csv, const char *name, int lab, const char *hash,
                                const dcs_lab_finding *f, bool first) {
  const dcs_demand *d = f->demand;
  char config[DCS_TEXT];
  dcs_csv_text(csv, name);
  dcs_csv_integer(csv, lab);
  const dcs_variant *variant = d->method.variant;
  DCS_CSV_TEXTS(csv, d->check, variant ? variant->id : "",
                variant ? dcs_format_config(variant, &d->method.config, config) : "");
  dcs_csv_integer(csv, d->atoms);
  dcs_csv_integer(csv, d->grid.x);
  dcs_csv_integer(csv, d->grid.y);
  dcs_csv_integer(csv, d->grid.z);
  dcs_csv_text(csv, f->fault ? "failed" : f->done ? "passed" : "not_done");
  dcs_csv_number(csv, f->measured);
  dcs_csv_number(csv, d->limit);
  dcs_csv_integer(csv, first);
  dcs_csv_text(csv, f->said);
  dcs_csv_text(csv, hash);
  return dcs_csv_row(csv);
}

static dcs_status write_findings(dcs_csv *csv, const dcs_lab *lab, const dcs_lab_findings *findings,
                                 const char *hash, const char *name) {
  DCS_TRY(dcs_csv_header(csv, columns));
  for (int f = 0; f < findings->n; f++)
    DCS_TRY(write_finding(csv, name, lab->number, hash, &findings->list[f],
                          &findings->list[f] == findings->first_fault));
  return DCS_OK;
}

/* Students hand these files in. */
static dcs_status read_lab(const dcs_table *table, size_t row, int column, int *lab) {
  const double number = dcs_table_number(table, row, column);
  if (!(number >= 1 && number <= DCS_LABS && number == floor(number)))
    return dcs_table_wrong(table, row, "lab", column, "the number of a lab");
  *lab = (int)number;
  return DCS_OK;
}

/* What is no character, or tells a terminal what to do, is shown as "?". */
static void take_shown(const char *cell, char *shown, size_t size) {
  size_t used = 0;
  for (int bytes; *cell && used + 4 < size; cell += bytes) {
    char one[5] = "";
    const int length = dcs_character(cell);
    bytes = length > 0 ? length : 1;
    memcpy(one, cell, (size_t)bytes);
    used += (size_t)snprintf(shown + used, size - used, "%s", dcs_is_name(one) ? one : "?");
  }
  shown[used] = '\0';
}

static dcs_status read_submission(const char *path, dcs_submission *s) {
  dcs_table *table;
  int at[N_COLUMNS];
  *s = (dcs_submission){0};
  DCS_TRY(dcs_table_read_whole(path, &table));
  dcs_status status = dcs_table_need_all(table, columns, at);
  if (status == DCS_OK && dcs_table_rows(table) == 0)
    status = dcs_fail(DCS_INPUT, "%s: found no rows; expected one for each check of a lab", path);
  for (size_t r = 0; status == DCS_OK && r < dcs_table_rows(table); r++) {
    const char *outcome = dcs_table_cell(table, r, at[OUTCOME]);
    const bool speed = strcmp(dcs_table_cell(table, r, at[CHECK]), "speed") == 0;
    take_shown(dcs_table_cell(table, r, at[NAME]), s->name, sizeof s->name);
    snprintf(s->sources, sizeof s->sources, "%s", dcs_table_cell(table, r, at[SOURCES]));
    status = read_lab(table, r, at[LAB], &s->lab);
    s->passed += strcmp(outcome, "passed") == 0;
    s->asked += !speed || strcmp(outcome, "not_done") != 0;
    if (dcs_table_number(table, r, at[FIRST]) == 1)
      take_shown(dcs_table_cell(table, r, at[SAID]), s->said, sizeof s->said);
  }
  dcs_table_free(table);
  return status;
}

/* What one hands in never replaces what another did. */
static dcs_status check_owner(const char *path, const char *name) {
  dcs_submission there;
  if (read_submission(path, &there) != DCS_OK || strcmp(there.name, name) == 0) return DCS_OK;
  return dcs_fail(DCS_USAGE, "%s: is the result of \"%s\"; expected another --name", path,
                  there.name);
}

dcs_status dcs_lab_submit(const dcs_lab *lab, const dcs_lab_findings *findings, const char *files,
                          const char *folder, const char *name) {
  char file[DCS_TEXT], path[4096], hash[32];
  dcs_csv csv;
  snprintf(file, sizeof file, "%.200s.lab%d.csv", name, lab->number);
  for (char *c = file; *c; c++)
    if (isascii(*c) && !isalnum((unsigned char)*c) && *c != '.' && *c != '-') *c = '_';
  if (file[0] == '.') file[0] = '_';
  hash_sources(lab, files, hash);
  DCS_TRY(dcs_make_folder(folder, 0777));
  DCS_TRY(dcs_path_in(folder, file, path));
  DCS_TRY(check_owner(path, name));
  DCS_TRY(dcs_csv_create(&csv, path));
  return dcs_csv_finish(&csv, write_findings(&csv, lab, findings, hash, name));
}

/* ---- collecting ---- */

static bool is_result(const char *name) {
  enum { ENDING = sizeof ".lab1.csv" - 1 };
  const size_t length = strlen(name);
  if (length <= ENDING) return false;
  const char *end = name + length - ENDING;
  return strncmp(end, ".lab", 4) == 0 && isdigit((unsigned char)end[4]) &&
         strcmp(end + 5, ".csv") == 0;
}

static int by_lab_and_name(const void *left, const void *right) {
  const dcs_submission *a = left, *b = right;
  return a->lab != b->lab ? a->lab - b->lab : strcmp(a->name, b->name);
}

/* A pipe would be waited for. */
static dcs_status check_file(const char *path) {
  struct stat facts;
  if (stat(path, &facts) != 0 || S_ISREG(facts.st_mode)) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: is no regular file; expected the result of a lab", path);
}

static dcs_status read_folder(DIR *files, const char *folder, dcs_submission **list, int *n) {
  char path[4096];
  for (struct dirent *entry; (entry = readdir(files)) != NULL;) {
    if (!is_result(entry->d_name)) continue;
    DCS_TRY(dcs_path_in(folder, entry->d_name, path));
    DCS_TRY(check_file(path));
    DCS_TRY(dcs_grow(list, (size_t)*n, sizeof **list, "results of a lab"));
    DCS_TRY(read_submission(path, &(*list)[*n]));
    (*n)++;
  }
  return DCS_OK;
}

dcs_status dcs_lab_collect(const char *folder, dcs_submission **list, int *n) {
  DIR *files = opendir(folder);
  *list = NULL;
  *n = 0;
  if (!files) return dcs_fail(DCS_IO, "%s: cannot read: %s", folder, strerror(errno));
  dcs_status status = read_folder(files, folder, list, n);
  closedir(files);
  if (status != DCS_OK) {
    free(*list);
    *list = NULL;
    *n = 0;
    return status;
  }
  if (*n > 0) qsort(*list, (size_t)*n, sizeof **list, by_lab_and_name);
  return DCS_OK;
}
