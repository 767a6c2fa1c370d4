#include "tuning/crossover/measured.h"

#include "harness/base/outcome.h"
#include "harness/judge/ratio.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEQUENTIAL_AND(gpu, scope)                                                                 \
  {                                                                                                \
    {DCS_CLASS_CPU_SEQUENTIAL, gpu}, scope, {                                                      \
      "cpu_sequential", "gpu"                                                                      \
    }                                                                                              \
  }
#define PARALLEL_AND(gpu, scope)                                                                   \
  {                                                                                                \
    {DCS_CLASS_CPU_PARALLEL, gpu}, scope, {                                                        \
      "cpu_parallel", "gpu"                                                                        \
    }                                                                                              \
  }

#define WITHIN_CPU_AND(gpu, scope)                                                                 \
  {                                                                                                \
    {DCS_CLASS_CPU_WITHIN, gpu}, scope, {                                                          \
      "cpu_within", "gpu_within"                                                                   \
    }                                                                                              \
  }
#define GPU_AND_WITHIN(whole, within, scope)                                                       \
  {                                                                                                \
    {whole, within}, scope, {                                                                      \
      "gpu", "gpu_within"                                                                          \
    }                                                                                              \
  }

const dcs_pair dcs_pairs[DCS_N_PAIRS] = {
    {{DCS_CLASS_CPU_SEQUENTIAL, DCS_CLASS_CPU_PARALLEL},
     "kernel",
     {"cpu_sequential", "cpu_parallel"}},
    SEQUENTIAL_AND(DCS_CLASS_GPU_KERNEL, "kernel"),
    PARALLEL_AND(DCS_CLASS_GPU_KERNEL, "kernel"),
    SEQUENTIAL_AND(DCS_CLASS_GPU_WARM, "warm"),
    PARALLEL_AND(DCS_CLASS_GPU_WARM, "warm"),
    SEQUENTIAL_AND(DCS_CLASS_GPU_FIRST, "first"),
    PARALLEL_AND(DCS_CLASS_GPU_FIRST, "first"),
    {{DCS_CLASS_CPU_PARALLEL, DCS_CLASS_CPU_WITHIN}, "kernel", {"cpu_parallel", "cpu_within"}},
    GPU_AND_WITHIN(DCS_CLASS_GPU_KERNEL, DCS_CLASS_GPU_WITHIN_KERNEL, "kernel"),
    GPU_AND_WITHIN(DCS_CLASS_GPU_WARM, DCS_CLASS_GPU_WITHIN_WARM, "warm"),
    GPU_AND_WITHIN(DCS_CLASS_GPU_FIRST, DCS_CLASS_GPU_WITHIN_FIRST, "first"),
    WITHIN_CPU_AND(DCS_CLASS_GPU_WITHIN_KERNEL, "kernel"),
    WITHIN_CPU_AND(DCS_CLASS_GPU_WITHIN_WARM, "warm"),
    WITHIN_CPU_AND(DCS_CLASS_GPU_WITHIN_FIRST, "first")};

bool dcs_pair_within(const dcs_pair *pair) {
  return pair->class[1] >= DCS_CLASS_CPU_WITHIN; /* the second of a pair, if any */
}

typedef struct {
  const dcs_run *run;
  int backend, threads, median; /* columns of the summary */
  const char *sequential;       /* the variant; "" where there is none */
  const char *cutoff, *smooth;  /* of the rows within a cutoff that count; "" where there is none */
  double most_threads;
} facts;

/* ---- rows of the summary ---- */

static const char *key(const dcs_run *run, size_t row, int which) {
  return dcs_table_cell(run->summary.table, row, run->summary.key[which]);
}

static bool is_ok(const dcs_run *run, size_t row) {
  return strcmp(dcs_table_cell(run->summary.table, row, run->summary.value),
                dcs_outcome_name(DCS_OUTCOME_OK)) == 0;
}

/* A row of the backend: of the whole sum, or within the run's cutoff. */
static bool is_backend(const facts *f, size_t row, const char *backend, bool within) {
  const char *cutoff = key(f->run, row, DCS_KEY_CUTOFF);
  bool same = within ? *cutoff && strcmp(cutoff, f->cutoff) == 0 &&
                           strcmp(key(f->run, row, DCS_KEY_SMOOTH), f->smooth) == 0
                     : !*cutoff;
  return same && strcmp(dcs_table_cell(f->run->summary.table, row, f->backend), backend) == 0;
}

static bool is_scope(const facts *f, size_t row, const char *scope) {
  return strcmp(key(f->run, row, DCS_KEY_SCOPE), scope) == 0;
}

static bool is_on_gpu(const facts *f, size_t row, dcs_class class) {
  static const char *const scopes[] = {"kernel", "warm", "first"};
  const bool within = class >= DCS_CLASS_GPU_WITHIN_KERNEL;
  return is_backend(f, row, "cuda", within) &&
         is_scope(f, row,
                  scopes[class - (within ? DCS_CLASS_GPU_WITHIN_KERNEL : DCS_CLASS_GPU_KERNEL)]);
}

static bool belongs(const facts *f, size_t row, dcs_class class) {
  const bool within = class == DCS_CLASS_CPU_WITHIN;
  if (class >= DCS_CLASS_GPU_KERNEL && !within) return is_on_gpu(f, row, class);
  if (!is_backend(f, row, "cpu", within) || !is_scope(f, row, "kernel")) return false;
  double threads = dcs_table_number(f->run->summary.table, row, f->threads);
  if (class != DCS_CLASS_CPU_SEQUENTIAL) return threads == f->most_threads;
  return threads == 1 && strcmp(key(f->run, row, DCS_KEY_VARIANT), f->sequential) == 0;
}

/* Rows that are ok, of the cutoff and smoothing of that one. */
static size_t count_like(const dcs_run *run, size_t like) {
  size_t n = 0;
  for (size_t row = 0; row < dcs_table_rows(run->summary.table); row++)
    n += is_ok(run, row) &&
         strcmp(key(run, row, DCS_KEY_CUTOFF), key(run, like, DCS_KEY_CUTOFF)) == 0 &&
         strcmp(key(run, row, DCS_KEY_SMOOTH), key(run, like, DCS_KEY_SMOOTH)) == 0;
  return n;
}

/* The cutoff of most rows. */
static void find_cutoff(const dcs_run *run, facts *f) {
  size_t most = 0;
  for (size_t row = 0; row < dcs_table_rows(run->summary.table); row++) {
    const char *cutoff = key(run, row, DCS_KEY_CUTOFF), *smooth = key(run, row, DCS_KEY_SMOOTH);
    if (!*cutoff || (strcmp(cutoff, f->cutoff) == 0 && strcmp(smooth, f->smooth) == 0)) continue;
    size_t n = count_like(run, row);
    if (n <= most) continue;
    most = n;
    f->cutoff = cutoff;
    f->smooth = smooth;
  }
}

static dcs_status find_facts(const dcs_run *run, facts *f) {
  const dcs_table *table = run->summary.table;
  *f = (facts){.run = run, .sequential = "", .cutoff = "", .smooth = ""};
  DCS_TRY(dcs_table_need(table, "backend", &f->backend));
  DCS_TRY(dcs_table_need(table, "threads", &f->threads));
  DCS_TRY(dcs_table_need(table, "median_ns", &f->median));
  if (dcs_table_rows(table) == 0)
    return dcs_fail(DCS_INPUT, "%s: found no rows; expected one for each method and size",
                    dcs_table_path(table));
  find_cutoff(run, f);
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    double threads = dcs_table_number(table, row, f->threads);
    const bool whole = is_backend(f, row, "cpu", false);
    if (!(whole || is_backend(f, row, "cpu", true)) || !is_scope(f, row, "kernel")) continue;
    const char *variant = key(run, row, DCS_KEY_VARIANT);
    if (threads == 1 && whole &&
        (!*f->sequential || dcs_find_rung(variant) < dcs_find_rung(f->sequential)))
      f->sequential = variant;
    if (is_ok(run, row) && threads > f->most_threads) f->most_threads = threads;
  }
  return DCS_OK;
}

/* ---- one machine ---- */

/* Times of two GPUs have no best among them that holds for either. */
static dcs_status check_devices(const facts *f) {
  const dcs_table *table = f->run->summary.table;
  const char *device = NULL;
  size_t first = 0;
  for (size_t row = 0; row < dcs_table_rows(table); row++) {
    if (!is_ok(f->run, row) ||
        !(is_backend(f, row, "cuda", false) || is_backend(f, row, "cuda", true)))
      continue;
    const char *own = key(f->run, row, DCS_KEY_DEVICES);
    if (device && strcmp(device, own) != 0)
      return dcs_fail(DCS_INPUT,
                      "%s: row %zu: found a GPU row of device \"%s\", and of \"%s\" in row %zu; "
                      "expected one device: measure the other into a folder of its own",
                      dcs_table_path(table), row + 2, own, device, first + 2);
    if (!device) first = row;
    device = own;
  }
  return DCS_OK;
}

/* ---- cells ---- */

static bool is_whole(double value) {
  return value >= 1 && value <= 0x1p53 && value == floor(value);
}

static dcs_status describe(const facts *f, size_t row, dcs_measured_cell *cell) {
  const dcs_table *table = f->run->summary.table;
  double atoms = dcs_table_number(table, row, f->run->summary.key[DCS_KEY_ATOMS]), edges[3];
  double median_ns = dcs_table_number(table, row, f->median);
  for (int k = DCS_KEY_NX; k <= DCS_KEY_NZ; k++)
    edges[k - DCS_KEY_NX] = dcs_table_number(table, row, f->run->summary.key[k]);
  double points = edges[0] * edges[1] * edges[2];
  if (!(is_whole(atoms) && is_whole(edges[0]) && is_whole(edges[1]) && is_whole(edges[2]) &&
        median_ns > 0 && isfinite(atoms * points * median_ns)))
    return dcs_fail(DCS_INPUT,
                    "%s: row %zu: found atoms \"%s\", grid \"%sx%sx%s\", median_ns \"%s\"; "
                    "expected whole numbers and a time, above zero",
                    dcs_table_path(table), row + 2, key(f->run, row, DCS_KEY_ATOMS),
                    key(f->run, row, DCS_KEY_NX), key(f->run, row, DCS_KEY_NY),
                    key(f->run, row, DCS_KEY_NZ), dcs_table_cell(table, row, f->median));
  *cell = (dcs_measured_cell){.x = {atoms, points},
                              .n = {(int64_t)edges[0], (int64_t)edges[1], (int64_t)edges[2]}};
  snprintf(cell->text[DCS_AXIS_ATOMS], sizeof cell->text[0], "%s", key(f->run, row, DCS_KEY_ATOMS));
  snprintf(cell->text[DCS_AXIS_POINTS], sizeof cell->text[0], "%sx%sx%s",
           key(f->run, row, DCS_KEY_NX), key(f->run, row, DCS_KEY_NY),
           key(f->run, row, DCS_KEY_NZ));
  for (int c = 0; c < DCS_N_CLASSES; c++)
    cell->best[c].median_ns = NAN;
  return DCS_OK;
}

/* The cell of that description, a new one where there is none; cells has room for it. */
static dcs_measured_cell *find_cell(dcs_measured *m, const dcs_measured_cell *described) {
  for (size_t i = 0; i < m->n_cells; i++)
    if (memcmp(m->cells[i].text, described->text, sizeof described->text) == 0) return &m->cells[i];
  m->cells[m->n_cells] = *described;
  return &m->cells[m->n_cells++];
}

static dcs_status find_cells(const facts *f, dcs_measured *m) {
  size_t rows = dcs_table_rows(f->run->summary.table);
  for (size_t row = 0; row < rows; row++) {
    dcs_measured_cell described;
    if (!is_ok(f->run, row)) {
      m->not_ok++;
      continue;
    }
    DCS_TRY(describe(f, row, &described));
    dcs_measured_cell *cell = find_cell(m, &described);
    double median_ns = dcs_table_number(f->run->summary.table, row, f->median);
    for (int c = 0; c < DCS_N_CLASSES; c++)
      if (belongs(f, row, (dcs_class)c) && !(cell->best[c].median_ns <= median_ns))
        cell->best[c] = (dcs_best){.median_ns = median_ns, .row = row};
  }
  if (m->n_cells == 0)
    return dcs_fail(DCS_INPUT, "%s: none of its %zu rows is ok",
                    dcs_table_path(f->run->summary.table), rows);
  return DCS_OK;
}

/* ---- samples ---- */

/* Fills the times of all bests; m->times has room for each sample twice: a CPU method may be the
 * best of two classes, one on a GPU of one. */
static dcs_status take_times(dcs_measured *m) {
  double *next = m->times;
  const dcs_table *samples = m->run.samples.table;
  for (size_t i = 0; i < m->n_cells; i++)
    for (int c = 0; c < DCS_N_CLASSES; c++) {
      dcs_best *best = &m->cells[i].best[c];
      if (isnan(best->median_ns)) continue;
      best->times = next;
      best->n = dcs_run_times(&m->run, best->row, next);
      next += best->n;
      if (best->n == 0)
        return dcs_fail(DCS_INPUT, "%s: found no samples of row %zu of %s, which is ok",
                        dcs_table_path(samples), best->row + 2,
                        dcs_table_path(m->run.summary.table));
    }
  return DCS_OK;
}

dcs_status dcs_measured_read(const char *folder, dcs_measured *m) {
  facts f;
  *m = (dcs_measured){0};
  DCS_TRY(dcs_run_open(&m->run, folder));
  DCS_TRY(find_facts(&m->run, &f));
  DCS_TRY(check_devices(&f));
  m->cutoff = f.cutoff;
  m->smooth = f.smooth;
  size_t rows = dcs_table_rows(m->run.summary.table), n = dcs_table_rows(m->run.samples.table);
  m->cells = calloc(rows, sizeof *m->cells);
  m->times = malloc(2 * n * sizeof *m->times);
  if (!m->cells || !m->times)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu rows and %zu samples", rows, n);
  DCS_TRY(find_cells(&f, m));
  return take_times(m);
}

void dcs_measured_free(dcs_measured *m) {
  dcs_run_close(&m->run);
  free(m->cells);
  free(m->times);
  *m = (dcs_measured){0};
}

size_t dcs_measured_unsure(const dcs_measured *m) {
  size_t unsure = 0;
  for (size_t i = 0; i < m->n_cells; i++) {
    bool few = false;
    for (int class = 0; class < DCS_N_CLASSES; class ++)
      few |= m->cells[i].best[class].n > 0 && m->cells[i].best[class].n < DCS_RATIO_SAMPLES;
    unsure += few;
  }
  return unsure;
}
