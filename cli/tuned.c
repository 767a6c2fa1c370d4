/* dcsbench tune show, export, forget: what tuned.csv holds. */
#include "cli/tuned.h"

#include "cli/commands.h"
#include "harness/files/csv.h"
#include "harness/spec/own.h"
#include "tuning/database/tuned.h"

#include <stdio.h>
#include <string.h>

static dcs_status read_tuned(char path[4096], dcs_tuned *tuned) {
  DCS_TRY(dcs_tuned_path("tuned.csv", path));
  DCS_TRY(dcs_tuned_read(path, tuned));
  dcs_tuned_say_left_out(path, tuned, stderr);
  return DCS_OK;
}

static void show_entry(const dcs_tuned_entry *e) {
  const dcs_subject *s = &e->subject;
  char config[DCS_TEXT], size[DCS_TEXT];
  printf("%-20s %-7s %-30s %10.4g  %s  (%s%s%s, %d %s, sources %s, of %.10s)\n", s->variant->id,
         dcs_scope_name(s->scope), dcs_size_text(&s->size, size), s->work / e->time.median_ns,
         dcs_format_config(s->variant, &e->config, config), s->objective,
         *s->objective ? " least, " : "", s->machine, s->units,
         s->variant->backend == DCS_CPU ? "CPUs" : "SMs", s->kernel_hash, e->time.date);
}

/* Whether a row below is of the same subject: the latest counts. */
static bool is_replaced(const dcs_table *table, size_t row) {
  const int n = dcs_table_column(table, "config");
  for (size_t other = row + 1; other < dcs_table_rows(table); other++) {
    int c = 0;
    while (c < n && strcmp(dcs_table_cell(table, row, c), dcs_table_cell(table, other, c)) == 0)
      c++;
    if (c == n) return true;
  }
  return false;
}

/* What specifications that are not read left. */
static dcs_status show_specs(const char *path, const char *specs) {
  dcs_table *table;
  DCS_TRY(dcs_table_parse(path, specs, strlen(specs), &table));
  for (size_t row = 0; row < dcs_table_rows(table); row++)
    if (!is_replaced(table, row))
      printf("%-20s %-7s %-30s %10.4g  %s  (%s, sources %s, of %.10s)\n",
             dcs_table_text(table, row, "variant"), dcs_table_text(table, row, "scope"), "",
             dcs_table_number(table, row, dcs_table_column(table, "evals_per_s")) / 1e9,
             dcs_table_text(table, row, "config"), dcs_table_text(table, row, "machine"),
             dcs_table_text(table, row, "kernel_hash"), dcs_table_text(table, row, "date"));
  dcs_table_free(table);
  return DCS_OK;
}

static dcs_status show(void) {
  char path[4096];
  dcs_tuned tuned = {0};
  dcs_status status = read_tuned(path, &tuned);
  const bool any = tuned.n > 0 || tuned.specs;
  if (status == DCS_OK && !any) printf("%s holds no entry\n", path);
  if (status == DCS_OK && any)
    printf("%-20s %-7s %-30s 10^9 evals/s  configuration\n", "variant", "scope", "size");
  for (int r = 0; status == DCS_OK && r < tuned.n; r++)
    show_entry(&tuned.list[r]);
  if (status == DCS_OK && tuned.specs) status = show_specs(path, tuned.specs);
  dcs_tuned_free(&tuned);
  return status;
}

static dcs_status export(void) {
  char path[4096];
  dcs_tuned tuned = {0};
  dcs_status status = read_tuned(path, &tuned);
  if (status == DCS_OK) status = dcs_tuned_export(stdout, &tuned);
  dcs_tuned_free(&tuned);
  return status;
}

static dcs_status forget(int argc, char **argv) {
  const dcs_variant *variant;
  char path[4096];
  int removed;
  if (argc != 3)
    return dcs_fail(DCS_USAGE, "tune forget: expected one variant, or all: what to forget");
  const char *id = strcmp(argv[2], "all") != 0 ? argv[2] : NULL;
  if (id && strncmp(id, DCS_OWN, strlen(DCS_OWN)) != 0) DCS_TRY(dcs_one_variant(id, &variant));
  DCS_TRY(dcs_tuned_path("tuned.csv", path));
  DCS_TRY(dcs_tuned_forget(path, id, &removed));
  printf("%s: %d entr%s removed\n", path, removed, removed == 1 ? "y" : "ies");
  return DCS_OK;
}

static const char *const commands[] = {"show", "export", "forget"};

bool dcs_is_tuned_command(const char *word) {
  for (size_t c = 0; c < sizeof commands / sizeof commands[0]; c++)
    if (strcmp(word, commands[c]) == 0) return true;
  return false;
}

dcs_status dcs_tuned_command(int argc, char **argv) {
  if (strcmp(argv[1], "forget") == 0) return forget(argc, argv);
  if (argc > 2)
    return dcs_fail(DCS_USAGE, "tune %s: found \"%s\"; expected nothing", argv[1], argv[2]);
  return strcmp(argv[1], "show") == 0 ? show() : export();
}
