/* Arranged timings as a run folder. */
#include "harness/files/csv.h"
#include "harness/files/folder.h"
#include "harness/files/lock.h"
#include "harness/problems/external.h"
#include "harness/runs/environment.h"
#include "harness/runs/run.h"
#include "harness/timings/rows.h"

#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 6 /* samples that give an interval */ };

/* ---- rows ---- */

/* By method, scope and size, then by round, then as the file has them. */
static int by_key(const dcs_timing *a, const dcs_timing *b) {
  int order = strcmp(a->method, b->method);
  if (order == 0) order = strcmp(a->config, b->config);
  if (order == 0) order = (int)a->scope - (int)b->scope;
  for (int x = 0; order == 0 && x < DCS_MAX_DIMENSIONS; x++)
    order = (a->axes[x] > b->axes[x]) - (a->axes[x] < b->axes[x]);
  return order;
}

static int in_order(const void *left, const void *right) {
  const dcs_timing *a = *(const dcs_timing *const *)left, *b = *(const dcs_timing *const *)right;
  int order = by_key(a, b);
  if (order == 0) order = (a->round > b->round) - (a->round < b->round);
  return order ? order : (a > b) - (a < b);
}

/* Two of a row that cannot both be. */
static dcs_status check_pair(const dcs_timings *timings, const dcs_timing *a, const dcs_timing *b) {
  const char *found = a->outcome != b->outcome ? "once a time and once a failure"
                      : a->summary || b->summary || a->outcome != DCS_OUTCOME_OK ? "twice"
                      : a->round >= 0 && a->round == b->round ? "twice in one round"
                                                              : NULL;
  if (!found) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: %s and %s: found %s%s%s %s at one size; expected it once",
                  timings->path, a->where, b->where, a->method, *a->config ? " " : "", a->config,
                  found);
}

static size_t end_of_row(const dcs_timing *const *sorted, size_t n, size_t first) {
  size_t end = first + 1;
  while (end < n && by_key(sorted[first], sorted[end]) == 0)
    end++;
  return end;
}

/* ---- files ---- */

typedef struct {
  const dcs_timings *timings;
  const dcs_kind *kind;
  const dcs_timing **sorted;
  double *times;
  dcs_lock lock;    /* of the folder */
  size_t rows, few; /* few: rows with too few samples for an interval */
} writing;

static dcs_status put_samples(dcs_csv *csv, const writing *w) {
  DCS_TRY(dcs_timings_sample_header(csv, w->kind));
  for (size_t i = 0; i < w->timings->n; i++)
    if (w->timings->list[i].outcome == DCS_OUTCOME_OK)
      DCS_TRY(dcs_timings_put_sample(csv, &w->timings->list[i], (int64_t)i, w->kind));
  return DCS_OK;
}

static dcs_status put_summary(dcs_csv *csv, writing *w) {
  const size_t n = w->timings->n;
  DCS_TRY(dcs_timings_summary_header(csv, w->kind));
  for (size_t first = 0, end; first < n; first = end) {
    const dcs_timing *of = w->sorted[first];
    const bool ok = of->outcome == DCS_OUTCOME_OK;
    end = end_of_row(w->sorted, n, first);
    for (size_t i = first; i < end; i++)
      w->times[i - first] = w->sorted[i]->time_ns;
    DCS_TRY(dcs_timings_put_row(csv, of, w->times, ok ? end - first : 0,
                                of->summary ? of->summary : "", "", w->kind));
    w->rows++;
    w->few += end - first < ENOUGH;
  }
  return DCS_OK;
}

/* The file does not say on which machine its times were taken. */
static dcs_status write_facts(const dcs_timings *timings, const char *path) {
  static dcs_facts facts;
  const char *slash = strrchr(timings->path, '/');
  facts.n = 0;
  dcs_fact_add(&facts, "schema", "%d", DCS_RUN_SCHEMA);
  dcs_fact_add(&facts, "cpu_model", "unknown");
  dcs_fact_add(&facts, "cpus", "unknown");
  dcs_fact_add(&facts, "seed", "1");
  dcs_fact_add(&facts, "imported_file", "%s", slash ? slash + 1 : timings->path);
  dcs_fact_add(&facts, "imported_format", "%s", timings->format);
  dcs_fact_add(&facts, "input_fnv1a64", "%016llx", (unsigned long long)timings->hash);
  return dcs_write_facts(path, &facts);
}

static dcs_status check_rows(const writing *w) {
  for (size_t i = 1; i < w->timings->n; i++)
    if (by_key(w->sorted[i - 1], w->sorted[i]) == 0)
      DCS_TRY(check_pair(w->timings, w->sorted[i - 1], w->sorted[i]));
  return DCS_OK;
}

/* env.csv comes last: a folder that has it is a whole run folder. */
static dcs_status write_tables(writing *w, const char *folder) {
  char path[4096];
  dcs_csv csv;
  DCS_TRY(dcs_path_in(folder, "samples.csv", path));
  DCS_TRY(dcs_csv_create(&csv, path));
  DCS_TRY(dcs_csv_finish(&csv, put_samples(&csv, w)));
  DCS_TRY(dcs_path_in(folder, "summary.csv", path));
  DCS_TRY(dcs_csv_create(&csv, path));
  DCS_TRY(dcs_csv_finish(&csv, put_summary(&csv, w)));
  DCS_TRY(dcs_path_in(folder, "env.csv", path));
  return write_facts(w->timings, path);
}

/* Tables of imported rows without an env.csv are what a killed import left: they are written again.
 */
static bool is_part_of_import(const char *path) {
  const char *const names[] = {"variant", "config", "scope", dcs_external_axes[0], NULL};
  dcs_table *table;
  const dcs_status status = dcs_table_read(path, &table);
  const bool is = status == DCS_OK && dcs_table_need_all(table, names, NULL) == DCS_OK;
  if (status == DCS_OK) dcs_table_free(table);
  return is;
}

static dcs_status check_folder(const char *folder) {
  static const char *const files[] = {"env.csv", "samples.csv", "summary.csv"};
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
    char path[4096];
    DCS_TRY(dcs_path_in(folder, files[f], path));
    if (dcs_exists(path) && (f == 0 || !is_part_of_import(path)))
      return dcs_fail(DCS_USAGE, "%s: holds a run already; take another folder", folder);
  }
  return DCS_OK;
}

/* Two imports at once would leave tables of one beside the facts of the other. */
static dcs_status write_run(writing *w, const char *folder) {
  char path[4096];
  DCS_TRY(dcs_make_folder(folder, 0777));
  DCS_TRY(dcs_path_in(folder, "run.lock", path));
  DCS_TRY(dcs_lock_own(path, "take another folder", &w->lock));
  DCS_TRY(check_folder(folder));
  return write_tables(w, folder);
}

dcs_status dcs_timings_write(const dcs_timings *timings, const dcs_kind *kind, const char *folder,
                             FILE *out) {
  const size_t n = timings->n;
  writing w = {.timings = timings,
               .kind = kind,
               .sorted = malloc((n + 1) * sizeof(const dcs_timing *)),
               .times = malloc((n + 1) * sizeof(double))};
  dcs_status status =
      w.sorted && w.times ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for %zu times", n);
  for (size_t i = 0; status == DCS_OK && i < n; i++)
    w.sorted[i] = &timings->list[i];
  if (status == DCS_OK) {
    qsort(w.sorted, n, sizeof(const dcs_timing *), in_order);
    status = check_rows(&w);
  }
  if (status == DCS_OK) status = write_run(&w, folder);
  dcs_lock_leave(&w.lock);
  if (status == DCS_OK)
    fprintf(out, "%zu times of %zu rows, %zu of them with too few samples for an interval\n", n,
            w.rows, w.few);
  free(w.sorted);
  free(w.times);
  return status;
}
