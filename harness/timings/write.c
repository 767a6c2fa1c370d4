/* Arranged timings as a run folder. */
#include "harness/files/csv.h"
#include "harness/files/folder.h"
#include "harness/judge/stats.h"
#include "harness/problems/external.h"
#include "harness/problems/size.h"
#include "harness/runs/run.h"
#include "harness/sweep/environment.h"
#include "harness/timings/timings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
  return dcs_fail(DCS_INPUT, "%s: %s and %s: found %s %s %s at one size; expected it once",
                  timings->path, a->where, b->where, a->method, a->config, found);
}

static size_t end_of_row(const dcs_timing *const *sorted, size_t n, size_t first) {
  size_t end = first + 1;
  while (end < n && by_key(sorted[first], sorted[end]) == 0)
    end++;
  return end;
}

/* ---- files ---- */

static void put_key(dcs_csv *csv, const dcs_timing *t, const dcs_kind *kind) {
  dcs_size size = {.kind = kind};
  memcpy(size.axes, t->axes, sizeof t->axes);
  dcs_csv_text(csv, t->method);
  dcs_csv_text(csv, t->config);
  dcs_csv_text(csv, dcs_scope_name(t->scope));
  dcs_csv_empty(csv); /* memory */
  dcs_csv_empty(csv); /* devices */
  dcs_size_put(csv, &size);
}

static void put_header(dcs_csv *csv, const dcs_kind *kind) {
  static const char *const key[] =
      DCS_NAMES("variant", "config", "scope", "memory", "devices", "problem", "problem_config");
  dcs_csv_names(csv, key);
  dcs_csv_names(csv, dcs_size_axes(kind));
}

static dcs_status put_samples(dcs_csv *csv, const dcs_timings *timings, const dcs_kind *kind) {
  static const char *const first[] = DCS_NAMES("round", "seq");
  static const char *const last[] = DCS_NAMES("inner", "time_ns", "mark");
  dcs_csv_names(csv, first);
  put_header(csv, kind);
  DCS_TRY(dcs_csv_header(csv, last));
  for (size_t i = 0; i < timings->n; i++) {
    const dcs_timing *t = &timings->list[i];
    if (t->outcome != DCS_OUTCOME_OK) continue;
    dcs_csv_integer(csv, t->round >= 0 ? t->round : (int64_t)i);
    dcs_csv_integer(csv, (int64_t)i);
    put_key(csv, t, kind);
    dcs_csv_integer(csv, 1);
    dcs_csv_number(csv, t->time_ns);
    dcs_csv_text(csv, t->summary ? t->summary : "");
    DCS_TRY(dcs_csv_row(csv));
  }
  return DCS_OK;
}

static dcs_status put_row(dcs_csv *csv, const dcs_timing *const *row, size_t n, double *times,
                          const dcs_kind *kind) {
  const bool ok = row[0]->outcome == DCS_OUTCOME_OK;
  for (size_t i = 0; i < n; i++)
    times[i] = row[i]->time_ns;
  const dcs_stats stats = dcs_summarize(times, ok ? n : 0);
  put_key(csv, row[0], kind);
  dcs_csv_text(csv, row[0]->backend == DCS_GPU ? "gpu" : row[0]->backend == DCS_CPU ? "cpu" : "");
  dcs_csv_integer(csv, (int64_t)stats.n);
  dcs_csv_number(csv, stats.median);
  dcs_csv_number(csv, stats.lo);
  dcs_csv_number(csv, stats.hi);
  dcs_csv_number(csv, stats.min);
  dcs_csv_number(csv, stats.mad);
  dcs_csv_text(csv, dcs_outcome_name(row[0]->outcome));
  dcs_csv_text(csv, row[0]->summary ? row[0]->summary : "");
  return dcs_csv_row(csv);
}

typedef struct {
  const dcs_timings *timings;
  const dcs_kind *kind;
  const dcs_timing **sorted;
  double *times;
  size_t rows, few; /* few: rows with too few samples for an interval */
} writing;

static dcs_status put_summary(dcs_csv *csv, writing *w) {
  static const char *const numbers[] =
      DCS_NAMES("backend", "n", "median_ns", "ci_lo_ns", "ci_hi_ns", "min_ns", "mad_ns", "outcome",
                "stop_reason");
  const size_t n = w->timings->n;
  put_header(csv, w->kind);
  DCS_TRY(dcs_csv_header(csv, numbers));
  for (size_t first = 0, end; first < n; first = end) {
    end = end_of_row(w->sorted, n, first);
    DCS_TRY(put_row(csv, w->sorted + first, end - first, w->times, w->kind));
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
static dcs_status write_files(writing *w, const char *folder) {
  char path[4096];
  dcs_csv csv;
  DCS_TRY(dcs_path_in(folder, "samples.csv", path));
  DCS_TRY(dcs_csv_create(&csv, path));
  DCS_TRY(dcs_csv_finish(&csv, put_samples(&csv, w->timings, w->kind)));
  DCS_TRY(dcs_path_in(folder, "summary.csv", path));
  DCS_TRY(dcs_csv_create(&csv, path));
  DCS_TRY(dcs_csv_finish(&csv, put_summary(&csv, w)));
  DCS_TRY(dcs_path_in(folder, "env.csv", path));
  return write_facts(w->timings, path);
}

static dcs_status check_folder(const char *folder) {
  static const char *const files[] = {"env.csv", "samples.csv", "summary.csv"};
  for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
    char path[4096];
    DCS_TRY(dcs_path_in(folder, files[f], path));
    if (access(path, F_OK) == 0)
      return dcs_fail(DCS_USAGE, "%s: holds a run already; take another folder", folder);
  }
  return DCS_OK;
}

dcs_status dcs_timings_write(const dcs_timings *timings, const dcs_kind *kind, const char *folder,
                             FILE *out) {
  const size_t n = timings->n;
  writing w = {.timings = timings,
               .kind = kind,
               .sorted = malloc((n + 1) * sizeof(const dcs_timing *)),
               .times = malloc((n + 1) * sizeof(double))};
  dcs_status status = w.sorted && w.times ? check_folder(folder)
                                          : dcs_fail(DCS_UNAVAILABLE, "no memory for %zu times", n);
  for (size_t i = 0; status == DCS_OK && i < n; i++)
    w.sorted[i] = &timings->list[i];
  if (status == DCS_OK) {
    qsort(w.sorted, n, sizeof(const dcs_timing *), in_order);
    status = check_rows(&w);
  }
  if (status == DCS_OK) status = dcs_make_folder(folder);
  if (status == DCS_OK) status = write_files(&w, folder);
  if (status == DCS_OK)
    fprintf(out, "%zu times of %zu rows, %zu of them with too few samples for an interval\n", n,
            w.rows, w.few);
  free(w.sorted);
  free(w.times);
  return status;
}
