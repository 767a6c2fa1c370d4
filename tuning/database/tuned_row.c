#include "tuning/database/tuned_row.h"

#include "harness/base/decimal.h"
#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/problems/methods.h"

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
  EVALS,
  DATE,
  TIMES
};
#define FIRST_COLUMNS                                                                              \
  "schema,variant,kernel_hash,capability,units,machine,precision,scope,atoms,nx,ny,nz,config,"     \
  "median_ns,evals_per_s,tied,"
#define SECOND_COLUMNS FIRST_COLUMNS "cutoff,smooth,spacing,evals_useful,"
const char dcs_tuned_header[] = SECOND_COLUMNS "date,times_ns,checksum\n";

/* Those from 1 on, and how many columns fewer they have. */
static const struct {
  const char *header;
  int fewer;
} former[] = {{FIRST_COLUMNS "checksum\n", 6}, {SECOND_COLUMNS "checksum\n", 2}};
enum { SCHEMA_NOW = 3, N_FORMER = sizeof former / sizeof former[0] };
_Static_assert(SCHEMA_NOW == N_FORMER + 1, "every former schema is known");

/* What the kernels compute in. */
static const char precision[] = "single";

enum { CHECKSUM_DIGITS = 16 };

static bool starts_with(const char *text, size_t bytes, const char *header) {
  return bytes >= strlen(header) && memcmp(text, header, strlen(header)) == 0;
}

size_t dcs_tuned_header_length(const char *text, size_t bytes, bool *is_former) {
  *is_former = false;
  if (starts_with(text, bytes, dcs_tuned_header)) return strlen(dcs_tuned_header);
  for (int s = 0; s < N_FORMER; s++)
    if (starts_with(text, bytes, former[s].header)) {
      *is_former = true;
      return strlen(former[s].header);
    }
  return 0;
}

/* ---- writing ---- */

static void put_times(dcs_csv *csv, const dcs_tuned_record *record) {
  char text[DCS_RECORDED_SAMPLES * 32] = "";
  size_t used = 0;
  for (int i = 0; i < record->time.n; i++) {
    if (i > 0) text[used++] = ' ';
    used += strlen(dcs_decimal_write(record->time.times_ns[i], text + used));
  }
  dcs_csv_text(csv, text);
}

static void put_cells(dcs_csv *csv, const dcs_tuned_record *record) {
  const dcs_subject *s = &record->subject;
  char config[DCS_TEXT];
  dcs_csv_integer(csv, SCHEMA_NOW);
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
  dcs_csv_number(csv, record->time.median_ns);
  dcs_csv_number(csv, 1e9 * dcs_subject_evals(s) / record->time.median_ns);
  dcs_csv_integer(csv, record->n_tied);
  dcs_subject_put_within(csv, s);
  dcs_csv_text(csv, record->time.date);
  put_times(csv, record);
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
  uint64_t sum = dcs_hash(DCS_HASH_START, text, bytes);
  fprintf(file, ",%016llx\n", (unsigned long long)sum);
  if (fclose(file) == 0) return text;
  free(text);
  return NULL;
}

/* ---- lines ---- */

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
  uint64_t sum = dcs_hash(DCS_HASH_START, line, body);
  snprintf(digits, sizeof digits, "%016llx", (unsigned long long)sum);
  if (memcmp(digits, line + body + 1, CHECKSUM_DIGITS) != 0) return DCS_ROW_DAMAGED;
  if (has_schema(line, SCHEMA_NOW)) return DCS_ROW_OWN;
  for (int s = 0; s < N_FORMER; s++)
    if (has_schema(line, s + 1)) return DCS_ROW_FORMER;
  return DCS_ROW_FOREIGN;
}

size_t dcs_tuned_renew(const char *line, size_t length, char *renewed) {
  int s = 0;
  while (!has_schema(line, s + 1))
    s++;
  const size_t more = (size_t)former[s].fewer;
  const char *rest = strchr(line, ','); /* behind the schema */
  size_t kept = length - CHECKSUM_DIGITS - 1 - (size_t)(rest - line);
  char checksum[CHECKSUM_DIGITS + 2];
  size_t used = (size_t)snprintf(renewed, length, "%d", SCHEMA_NOW);
  memcpy(renewed + used, rest, kept);
  memset(renewed + used + kept, ',', more);
  used += kept + more;
  uint64_t sum = dcs_hash(DCS_HASH_START, renewed, used);
  snprintf(checksum, sizeof checksum, ",%016llx", (unsigned long long)sum);
  memcpy(renewed + used, checksum, sizeof checksum - 1);
  return used + sizeof checksum - 1;
}

/* ---- reading ---- */

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

/* None in rows that were of a former schema. */
static bool read_times(const char *text, dcs_tuned_record *record) {
  char **parts;
  int n;
  if (!*text) return true;
  if (dcs_split(text, ' ', &parts, &n) != DCS_OK) return false;
  bool read = n <= DCS_RECORDED_SAMPLES;
  for (int i = 0; read && i < n; i++) {
    double *time = &record->time.times_ns[record->time.n++];
    read = dcs_decimal_read(parts[i], strlen(parts[i]), time) && *time > 0;
  }
  free(parts);
  return read;
}

bool dcs_tuned_read_row(const dcs_table *table, size_t row, dcs_tuned_record *record) {
  dcs_subject *s = &record->subject;
  int64_t units, tied;
  *record = (dcs_tuned_record){
      .subject = {.variant = dcs_find_variant(dcs_table_cell(table, row, VARIANT))}};
  record->time.median_ns = dcs_table_number(table, row, MEDIAN);
  snprintf(s->machine, sizeof s->machine, "%.127s", dcs_table_cell(table, row, MACHINE));
  snprintf(s->capability, sizeof s->capability, "%.15s", dcs_table_cell(table, row, CAPABILITY));
  snprintf(s->kernel_hash, sizeof s->kernel_hash, "%.16s", dcs_table_cell(table, row, KERNEL_HASH));
  const char *const within[] = {
      dcs_table_cell(table, row, CUTOFF), dcs_table_cell(table, row, SMOOTH),
      dcs_table_cell(table, row, SPACING), dcs_table_cell(table, row, EVALS)};
  bool read =
      s->variant && dcs_subject_read_within(within, s) && record->time.median_ns > 0 &&
      strcmp(dcs_table_cell(table, row, PRECISION), precision) == 0 &&
      dcs_scope_by_name(dcs_table_cell(table, row, SCOPE), &s->scope) == DCS_OK &&
      read_integer(table, row, ATOMS, 1, &s->atoms) && read_integer(table, row, NX, 1, &s->n.x) &&
      read_integer(table, row, NY, 1, &s->n.y) && read_integer(table, row, NZ, 1, &s->n.z) &&
      read_integer(table, row, UNITS, 0, &units) && read_integer(table, row, TIED, 1, &tied) &&
      read_config(s->variant, dcs_table_cell(table, row, CONFIG), &record->config) &&
      read_times(dcs_table_cell(table, row, TIMES), record);
  if (!read) return false;
  snprintf(record->time.date, sizeof record->time.date, "%.23s", dcs_table_cell(table, row, DATE));
  s->units = (int)units;
  record->n_tied = (int)tied;
  return true;
}
