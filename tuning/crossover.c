#include "tuning/crossover.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const dcs_axis_names[DCS_N_AXES] = {"atoms", "points"};

static const struct {
  const char *method, *scope;
} classes[DCS_N_CLASSES] = {{"cpu_sequential", "kernel"},
                            {"cpu_parallel", "kernel"},
                            {"gpu", "kernel"},
                            {"gpu", "warm"},
                            {"gpu", "first"}};

static const dcs_class pairs[][2] = {{DCS_CLASS_CPU_SEQUENTIAL, DCS_CLASS_CPU_PARALLEL},
                                     {DCS_CLASS_CPU_SEQUENTIAL, DCS_CLASS_GPU_KERNEL},
                                     {DCS_CLASS_CPU_PARALLEL, DCS_CLASS_GPU_KERNEL},
                                     {DCS_CLASS_CPU_SEQUENTIAL, DCS_CLASS_GPU_WARM},
                                     {DCS_CLASS_CPU_PARALLEL, DCS_CLASS_GPU_WARM},
                                     {DCS_CLASS_CPU_SEQUENTIAL, DCS_CLASS_GPU_FIRST},
                                     {DCS_CLASS_CPU_PARALLEL, DCS_CLASS_GPU_FIRST}};
enum { N_PAIRS = sizeof pairs / sizeof pairs[0] };

/* ---- rows of sizes ---- */

static int by_size(const void *left, const void *right) {
  double a = ((const dcs_threshold_size *)left)->x, b = ((const dcs_threshold_size *)right)->x;
  return (a > b) - (a < b);
}

/* The sizes along the axis, ascending, where both of the pair were measured and the other axis is
 * as in the cell `like`; returns how many: none where both are one method at all of them, as on
 * one CPU. */
static size_t take_sizes(const dcs_measured *m, dcs_axis axis, const dcs_measured_cell *like,
                         const dcs_class pair[2], dcs_threshold_size *sizes) {
  size_t n = 0;
  bool differ = false;
  for (size_t i = 0; i < m->n_cells; i++) {
    const dcs_measured_cell *cell = &m->cells[i];
    const dcs_best *a = &cell->best[pair[0]], *b = &cell->best[pair[1]];
    if (strcmp(cell->text[!axis], like->text[!axis]) != 0 || isnan(a->median_ns) ||
        isnan(b->median_ns))
      continue;
    differ |= a->row != b->row;
    sizes[n++] =
        (dcs_threshold_size){.x = cell->x[axis], .times = {a->times, b->times}, .n = {a->n, b->n}};
  }
  qsort(sizes, n, sizeof *sizes, by_size);
  return differ ? n : 0;
}

/* Whether no cell before it has the same on the other axis. */
static bool is_first(const dcs_measured *m, dcs_axis axis, size_t cell) {
  for (size_t i = 0; i < cell; i++)
    if (strcmp(m->cells[i].text[!axis], m->cells[cell].text[!axis]) == 0) return false;
  return true;
}

static dcs_status add(dcs_crossovers *found, dcs_axis axis, const dcs_measured_cell *like,
                      const dcs_class pair[2], const dcs_threshold_size *sizes, size_t n) {
  dcs_crossover *next = &found->list[found->n];
  *next =
      (dcs_crossover){.axis = axis, .scope = classes[pair[1]].scope, .fixed = like->text[!axis]};
  DCS_TRY(dcs_threshold_find(sizes, n, &next->threshold));
  int swapped = next->threshold.below;
  next->method[0] = classes[pair[swapped]].method;
  next->method[1] = classes[pair[!swapped]].method;
  found->n++;
  return DCS_OK;
}

/* *most becomes the largest number of sizes that a pair has in common. */
static dcs_status find_all(dcs_crossovers *found, dcs_threshold_size *sizes, size_t *most) {
  const dcs_measured *m = &found->measured;
  *most = 0;
  for (int axis = 0; axis < DCS_N_AXES; axis++)
    for (size_t i = 0; i < m->n_cells; i++) {
      if (!is_first(m, (dcs_axis)axis, i)) continue;
      for (int p = 0; p < N_PAIRS; p++) {
        size_t n = take_sizes(m, (dcs_axis)axis, &m->cells[i], pairs[p], sizes);
        if (n > *most) *most = n;
        if (n >= DCS_CROSSOVER_SIZES)
          DCS_TRY(add(found, (dcs_axis)axis, &m->cells[i], pairs[p], sizes, n));
      }
    }
  return DCS_OK;
}

/* ---- a run ---- */

static dcs_status check_found(const char *folder, const dcs_crossovers *found, size_t most) {
  static const char expected[] =
      "expected two of: a CPU variant with one thread, CPU variants with all threads, variants on "
      "a GPU, each at 4 numbers of atoms on one grid, or on 4 grids";
  if (found->n > 0) return DCS_OK;
  if (most == 0)
    return dcs_fail(DCS_INPUT, "%s: no two methods have a size in common (%zu rows are not ok); %s",
                    folder, found->measured.not_ok, expected);
  if (most == 1)
    return dcs_fail(DCS_INPUT, "%s: methods have one size only in common (%zu rows are not ok); %s",
                    folder, found->measured.not_ok, expected);
  return dcs_fail(DCS_INPUT,
                  "%s: methods have at most %zu sizes in common (%zu rows are not ok); %s", folder,
                  most, found->measured.not_ok, expected);
}

dcs_status dcs_crossovers_find(const char *folder, dcs_crossovers *found) {
  *found = (dcs_crossovers){0};
  DCS_TRY(dcs_measured_read(folder, &found->measured));
  size_t n = found->measured.n_cells, most = 0;
  dcs_threshold_size *sizes = malloc(n * sizeof *sizes);
  found->list = malloc(DCS_N_AXES * N_PAIRS * n * sizeof *found->list);
  dcs_status status = sizes && found->list
                          ? find_all(found, sizes, &most)
                          : dcs_fail(DCS_UNAVAILABLE, "no memory for %zu sizes", n);
  free(sizes);
  DCS_TRY(status);
  return check_found(folder, found, most);
}

void dcs_crossovers_free(dcs_crossovers *found) {
  dcs_measured_free(&found->measured);
  free(found->list);
  *found = (dcs_crossovers){0};
}

/* ---- thresholds.csv ---- */

static dcs_status put(dcs_csv *csv, const dcs_crossover *c) {
  dcs_csv_text(csv, dcs_axis_names[c->axis]);
  dcs_csv_text(csv, c->scope);
  dcs_csv_text(csv, c->method[0]);
  dcs_csv_text(csv, c->method[1]);
  dcs_csv_text(csv, c->fixed);
  dcs_csv_integer(csv, (int64_t)c->threshold.sizes);
  dcs_csv_number(csv, c->threshold.estimate);
  dcs_csv_number(csv, c->threshold.lo);
  dcs_csv_number(csv, c->threshold.hi);
  dcs_csv_text(csv, dcs_threshold_status_name(c->threshold.status));
  dcs_csv_number(csv, c->threshold.regret_mean);
  dcs_csv_number(csv, c->threshold.regret_worst);
  return dcs_csv_row(csv);
}

dcs_status dcs_crossovers_put(dcs_csv *csv, const dcs_crossovers *found) {
  static const char *const columns[] = {"axis",  "scope",  "method_a",    "method_b",
                                        "fixed", "sizes",  "estimate",    "lo",
                                        "hi",    "status", "regret_mean", "regret_worst"};
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
    dcs_csv_text(csv, columns[i]);
  DCS_TRY(dcs_csv_row(csv));
  for (size_t i = 0; i < found->n; i++)
    DCS_TRY(put(csv, &found->list[i]));
  return DCS_OK;
}

dcs_status dcs_crossovers_write(const char *folder, const dcs_crossovers *found) {
  char path[4096];
  dcs_csv csv;
  if (snprintf(path, sizeof path, "%s/thresholds.csv", folder) >= (int)sizeof path)
    return dcs_fail(DCS_USAGE, "the folder's name is too long");
  DCS_TRY(dcs_csv_create(&csv, path));
  dcs_status status = dcs_crossovers_put(&csv, found);
  if (status == DCS_OK) return dcs_csv_close(&csv);
  dcs_csv_abandon(&csv);
  return status;
}
