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
  CHECKSUM
};
const char dcs_tuned_header[] =
    "schema,variant,kernel_hash,capability,units,machine,precision,scope,atoms,nx,ny,nz,config,"
    "median_ns,evals_per_s,tied,checksum\n";

/* What the kernels compute in. */
static const char precision[] = "single";

enum { CHECKSUM_DIGITS = 16 };

static void put_cells(dcs_csv *csv, const dcs_tuned_record *record) {
  const dcs_subject *s = &record->subject;
  char config[DCS_TEXT];
  double evals = (double)s->atoms * (double)dcs_points(s->n);
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
  dcs_csv_number(csv, 1e9 * evals / record->median_ns);
  dcs_csv_integer(csv, record->n_tied);
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

dcs_row_kind dcs_tuned_row_kind(const char *line, size_t length) {
  char digits[CHECKSUM_DIGITS + 1], own[16];
  if (length < CHECKSUM_DIGITS + 1 || line[length - CHECKSUM_DIGITS - 1] != ',')
    return DCS_ROW_DAMAGED;
  size_t body = length - CHECKSUM_DIGITS - 1;
  uint64_t sum = dcs_fnv1a64(DCS_FNV_START, line, body);
  snprintf(digits, sizeof digits, "%016llx", (unsigned long long)sum);
  if (memcmp(digits, line + body + 1, CHECKSUM_DIGITS) != 0) return DCS_ROW_DAMAGED;
  int prefix = snprintf(own, sizeof own, "%d,", DCS_TUNE_SCHEMA);
  return strncmp(line, own, (size_t)prefix) == 0 ? DCS_ROW_OWN : DCS_ROW_FOREIGN;
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
  bool read =
      s->variant && record->median_ns > 0 &&
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
