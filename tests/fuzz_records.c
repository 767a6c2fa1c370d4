/* Any bytes as what tuning and dispatch keep: the first byte says of what. Rows of tuned.csv
 * and dispatch.csv are read past their checksum, too, or no change of them would be. */
#include "tests/fuzz_cells.h"
#include "tests/signed_dispatch.h"
#include "tuning/database/tuned.h"
#include "tuning/dispatch/dispatch.h"
#include "tuning/journal/journal.h"

static void tuned(const uint8_t *data, size_t size) {
  dcs_tuned found;
  dcs_table *table;
  dcs_tuned_entry entry;
  char *header, *text;
  (void)dcs_tuned_read(fuzz_file(0, data, size), &found);
  dcs_tuned_free(&found);
  FUZZ_EXPECT(dcs_tuned_row(NULL, &header) == DCS_OK);
  bool is_table = size >= strlen(header) && memcmp(data, header, strlen(header)) == 0;
  free(header);
  if (!is_table || dcs_table_parse("input", (const char *)data, size, &table) != DCS_OK) return;
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    if (dcs_tuned_read_row(table, row, &entry) != DCS_OK) continue;
    FUZZ_EXPECT(dcs_tuned_row(&entry, &text) == DCS_OK);
    free(text);
  }
  dcs_table_free(table);
}

static void rank(const dcs_dispatch *found) {
  static const int64_t axes[][4] = {
      {1, 1, 1, 1}, {100000, 64, 64, 64}, {1 << 30, 4096, 4096, 4096}};
  const bool usable[2] = {true, true};
  dcs_ranked ranked[DCS_DISPATCH_MOST];
  for (int f = 0; f < found->n_families; f++)
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
      dcs_size size = {.kind = found->families[f].kind, .config = found->families[f].config};
      memcpy(size.axes, axes[i], sizeof size.axes);
      for (int s = 0; s < DCS_DISPATCH_SCOPES; s++)
        FUZZ_EXPECT(dcs_dispatch_rank(found, &size, 0.5, dcs_dispatch_scopes[s], usable, ranked) <=
                    DCS_DISPATCH_MOST);
    }
}

static void dispatch(const uint8_t *data, size_t size) {
  static dcs_dispatch found;
  if (dcs_dispatch_read(fuzz_file(0, data, size), &found) == DCS_OK) rank(&found);
  char *text = signed_dispatch((const char *)data, size);
  if (text &&
      dcs_dispatch_read(fuzz_file(0, (const uint8_t *)text, strlen(text)), &found) == DCS_OK)
    rank(&found);
  free(text);
}

static void journal(const uint8_t *data, size_t size) {
  char name[64], *const paths[] = {name};
  dcs_journal found;
  snprintf(name, sizeof name, "%s", fuzz_file(0, data, size));
  (void)dcs_journal_read(paths, 1, &found, fuzz_notes());
  dcs_journal_free(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  if (data[0] == 't') tuned(data + 1, size - 1);
  if (data[0] == 'd') dispatch(data + 1, size - 1);
  if (data[0] == 'j') journal(data + 1, size - 1);
  return 0;
}
