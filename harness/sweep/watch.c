#include "harness/sweep/watch.h"

#include "harness/files/sheet.h"
#include "harness/files/text_stream.h"
#include "harness/judge/stats.h"
#include "harness/sweep/sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const dcs_sheet_column columns[] = {{NULL, "variant"},
                                           {NULL, "size"},
                                           {NULL, "scope"},
                                           {NULL, "samples", "%.0f", 1},
                                           {NULL, "ms", "%.4g", 1e-6},
                                           {NULL, "95%", "±%.1f%%", 100},
                                           {NULL, "10^9/s", "%.4g", 1e-9},
                                           {NULL, "outcome"},
                                           {NULL, "configuration"}};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

/* Whether there is something to see of it. */
static bool is_seen(const dcs_record *record) {
  return record->n_times > 0 || (record->judged && record->outcome != DCS_OUTCOME_OK);
}

/* Of a copy: the record keeps its order. */
static dcs_stats stats_of(const dcs_record *record) {
  double *times = malloc((record->n_times + 1) * sizeof *times);
  dcs_stats stats = {.median = NAN, .lo = NAN, .hi = NAN};
  if (times && record->n_times > 0) {
    memcpy(times, record->times_ns, record->n_times * sizeof *times);
    stats = dcs_summarize(times, record->n_times);
  }
  free(times);
  return stats;
}

static void put_record(dcs_sheet *sheet, const dcs_record *record) {
  const dcs_stats stats = stats_of(record);
  const bool ok = record->outcome == DCS_OUTCOME_OK;
  char text[DCS_TEXT];
  dcs_sheet_text(sheet, record->method.variant->id);
  dcs_sheet_text(sheet, dcs_size_text(&record->size, text));
  dcs_sheet_text(sheet, dcs_scope_name(record->scope));
  dcs_sheet_number(sheet, record->n_times > 0 ? (double)record->n_times : NAN);
  dcs_sheet_number(sheet, stats.median);
  dcs_sheet_number(sheet, 0.5 * (stats.hi - stats.lo) / stats.median);
  dcs_sheet_number(sheet, 1e9 * record->work / stats.median);
  dcs_sheet_text(sheet, ok ? "" : dcs_outcome_name(record->outcome));
  dcs_sheet_text(sheet, dcs_format_config(record->method.variant, &record->method.config, text));
}

static size_t count(const dcs_sweep_sizes *sizes) {
  size_t n = 0;
  for (int c = 0; c < sizes->n; c++)
    for (int r = 0; r < sizes->list[c].n_records; r++)
      n += is_seen(&sizes->list[c].records[r]);
  return n;
}

char *dcs_watch_table(void *with, int lines) {
  const dcs_sweep_sizes *sizes = with;
  const size_t all = count(sizes), room = lines > 2 ? (size_t)lines - 2 : 0;
  char caption[DCS_TEXT], *whole = NULL;
  size_t at = 0;
  snprintf(caption, sizeof caption, "%zu measured so far%s", all,
           all > room ? "; the last of them" : "");
  dcs_sheet sheet = dcs_sheet_begin(caption, columns, N_COLUMNS);
  for (int c = 0; c < sizes->n; c++)
    for (int r = 0; r < sizes->list[c].n_records; r++)
      if (is_seen(&sizes->list[c].records[r]) && all - at++ <= room)
        put_record(&sheet, &sizes->list[c].records[r]);
  dcs_text_stream text;
  if (dcs_text_begin(&text) == DCS_OK) {
    dcs_status status = dcs_sheet_write(&sheet, DCS_SHEET_TEXT, text.stream);
    if (dcs_text_end(&text, &whole, NULL) == DCS_OK && status != DCS_OK) {
      free(whole);
      whole = NULL;
    }
  }
  dcs_sheet_free(&sheet);
  return whole;
}
