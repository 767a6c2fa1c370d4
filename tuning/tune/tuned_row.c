#include "tuning/tune/tuned_row.h"

#include "harness/base/text.h"
#include "harness/compute/methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the header. */
enum {
  SCHEMA,
  VARIANT,
  KERNEL_HASH,
  CAPABILITY,
  UNITS,
  MACHINE,
  PRECISION,
  SCOPE,
  ATOMS,
  NX,
  NY,
  NZ,
  CONFIG,
  MEDIAN,
  RATE,
  TIED,
  CUTOFF,
  SMOOTH,
  SPACING,
  EVALS
};
#define FORMER_COLUMNS                                                                             \
  "schema,variant,kernel_hash,capability,units,machine,precision,scope,atoms,nx,ny,nz,config,"     \
  "median_ns,evals_per_s,tied,"
const char dcs_tuned_header[] = FORMER_COLUMNS "cutoff,smooth,spacing,evals_useful,checksum\n";
const char dcs_tuned_former_header[] = FORMER_COLUMNS "checksum\n";

/* What the kernels compute in. */
static const char precision[] = "single";

enum { CHECKSUM_DIGITS = 16 };

static void put_cells(dcs_csv *csv, const dcs_tuned_record *record) {
  const dcs_subject *s = &record->subject;
  char config[DCS_TEXT];
  dcs_csv_integer(csv, DCS_TUNE_SCHEMA);
  dcs_csv_text(csv, s->variant->id);
  dcs_csv_text(csv, s->kernel_hash);
  dcs_csv_text(csv, s->capability);
  dcs_csv_integer(csv, s->units);
  dcs_csv_text(csv, s->machine);
  dcs_csv_text(csv, precision);
  dcs_csv_text(csv, dcs_scope_name(s->scope));
  dcs_csv_integer(csv, s->atoms);
  dcs_csv_integer(csv, s->n.x);
  dcs_csv_integer(csv, s->n.y);
  dcs_csv_integer(csv, s->n.z);
  dcs_csv_text(csv, dcs_format_config(s->variant, &record->config, config));
  dcs_csv_number(csv, record->median_ns);
  dcs_csv_number(csv, 1e9 * dcs_subject_evals(s) / record->median_ns);
  dcs_csv_integer(csv, record->n_tied);
  dcs_subject_put_within(csv, s);
}

char *dcs_tuned_row(const dcs_tuned_record *record) {
  static char name[] = "a row of tuned.csv";
  char *text = NULL;
  size_t bytes = 0;
  FILE *file = open_memstream(&text, &bytes);
  if (!file) return NULL;
  dcs_csv csv = {.file = {.stream = file, .path = name}, .first_cell = true};
  put_cells(&csv, record);
  if (fflush(file) != 0 || csv.failed) {
    fclose(file);
    free(text);
    return NULL;
  }
  uint64_t sum = dcs_fnv1a64(DCS_FNV_START, text, bytes);
  fprintf(file, ",%016llx\n", (unsigned long long)sum);
  if (fclose(file) == 0) return text;
  free(text);
  return NULL;
}

static bool has_schema(const char *line, int schema) {
  char prefix[16];
  int length = snprintf(prefix, sizeof prefix, "%d,", schema);
  return strncmp(line, prefix, (size_t)length) == 0;
}

dcs_row_kind dcs_tuned_row_kind(const char *line, size_t length) {
  char digits[CHECKSUM_DIGITS + 1];
  if (length < CHECKSUM_DIGITS + 1 || line[length - CHECKSUM_DIGITS - 1] != ',')
    return DCS_ROW_DAMAGED;
  size_t body = length - CHECKSUM_DIGITS - 1;
  uint64_t sum = dcs_fnv1a64(DCS_FNV_START, line, body);
  snprintf(digits, sizeof digits, "%016llx", (unsigned long long)sum);
  if (memcmp(digits, line + body + 1, CHECKSUM_DIGITS) != 0) return DCS_ROW_DAMAGED;
  if (has_schema(line, DCS_TUNE_SCHEMA)) return DCS_ROW_OWN;
  return has_schema(line, DCS_TUNE_FORMER_SCHEMA) ? DCS_ROW_FORMER : DCS_ROW_FOREIGN;
}

size_t dcs_tuned_renew(const char *line, size_t length, char *renewed) {
  static const char more[] = ",,,,";
  _Static_assert(sizeof more == DCS_RENEWED_MORE + 1, "a comma a new column");
  const char *rest = strchr(line, ','); /* behind the schema */
  size_t kept = length - CHECKSUM_DIGITS - 1 - (size_t)(rest - line);
  char checksum[CHECKSUM_DIGITS + 2];
  size_t used = (size_t)snprintf(renewed, length, "%d", DCS_TUNE_SCHEMA);
  memcpy(renewed + used, rest, kept);
  memcpy(renewed + used + kept, more, DCS_RENEWED_MORE);
  used += kept + DCS_RENEWED_MORE;
  uint64_t sum = dcs_fnv1a64(DCS_FNV_START, renewed, used);
  snprintf(checksum, sizeof checksum, ",%016llx", (unsigned long long)sum);
  memcpy(renewed + used, checksum, sizeof checksum - 1);
  return used + sizeof checksum - 1;
}

static bool read_integer(const dcs_table *table, size_t row, int column, int64_t lo,
                         int64_t *value) {
  return dcs_parse_integer("", dcs_table_cell(table, row, column), lo, INT64_MAX, value) == DCS_OK;
}

static bool read_config(const dcs_variant *variant, const char *text, dcs_config *config) {
  dcs_methods methods;
  char again[DCS_TEXT];
  if (dcs_select_methods(variant->id, text, (dcs_at_hand){.gpu = true}, &methods) != DCS_OK)
    return false;
  *config = methods.list[0].config;
  free(methods.list);
  return strcmp(dcs_format_config(variant, config, again), text) == 0;
}

bool dcs_tuned_read_row(const dcs_table *table, size_t row, dcs_tuned_record *record) {
  dcs_subject *s = &record->subject;
  int64_t units, tied;
  *record = (dcs_tuned_record){
      .subject = {.variant = dcs_find_variant(dcs_table_cell(table, row, VARIANT))}};
  record->median_ns = dcs_table_number(table, row, MEDIAN);
  snprintf(s->machine, sizeof s->machine, "%.127s", dcs_table_cell(table, row, MACHINE));
  snprintf(s->capability, sizeof s->capability, "%.15s", dcs_table_cell(table, row, CAPABILITY));
  snprintf(s->kernel_hash, sizeof s->kernel_hash, "%.16s", dcs_table_cell(table, row, KERNEL_HASH));
  const char *const within[] = {
      dcs_table_cell(table, row, CUTOFF), dcs_table_cell(table, row, SMOOTH),
      dcs_table_cell(table, row, SPACING), dcs_table_cell(table, row, EVALS)};
  bool read =
      s->variant && dcs_subject_read_within(within, s) && record->median_ns > 0 &&
      strcmp(dcs_table_cell(table, row, PRECISION), precision) == 0 &&
      dcs_scope_by_name(dcs_table_cell(table, row, SCOPE), &s->scope) == DCS_OK &&
      read_integer(table, row, ATOMS, 1, &s->atoms) && read_integer(table, row, NX, 1, &s->n.x) &&
      read_integer(table, row, NY, 1, &s->n.y) && read_integer(table, row, NZ, 1, &s->n.z) &&
      read_integer(table, row, UNITS, 0, &units) && read_integer(table, row, TIED, 1, &tied) &&
      read_config(s->variant, dcs_table_cell(table, row, CONFIG), &record->config);
  if (!read) return false;
  s->units = (int)units;
  record->n_tied = (int)tied;
  return true;
}
