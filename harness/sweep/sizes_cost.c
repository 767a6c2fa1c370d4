/* What sizes cost: memory, and how long each will take, about. */
#include "harness/engine/device_frames.h"
#include "harness/sweep/sizes.h"
#include "harness/worker/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double points_of(const dcs_size *size) {
  return dcs_has_grid(size->kind) ? (double)dcs_points(dcs_size_points(size)) : 0;
}

/* On the host, where frames are measured. */
static double bytes_of_sums(const dcs_sweep_size *entry) {
  for (int r = 0; r < entry->n_records; r++)
    if (entry->records[r].scope == DCS_FRAME)
      return (double)DCS_SUMS_IN_HAND * sizeof(double) * points_of(&entry->size);
  return 0;
}

dcs_status dcs_sweep_size_check_memory(dcs_sweep_size *entry, double available) {
  char text[DCS_TEXT];
  if (entry->too_large) return DCS_OK;
  const dcs_kind *kind = entry->size.kind;
  const dcs_problem shape = dcs_size_problem(&entry->size, entry->spacing);
  double bytes = (double)sizeof(dcs_site) * (double)shape.n_inputs + bytes_of_sums(entry);
  for (int b = 0; b < kind->n_buffers; b++)
    bytes += (kind->buffers[b].output ? 1.0 : 2.0) * (double)dcs_buffer_bytes(kind, b, &shape);
  if (bytes <= available) return DCS_OK;
  if (asprintf(&entry->too_large, "%s: needs %.3g GB of memory; %.3g GB are free",
               dcs_size_text(&entry->size, text), 1e-9 * bytes, 1e-9 * available) >= 0)
    return DCS_OK;
  entry->too_large = NULL;
  return dcs_fail(DCS_UNAVAILABLE, "no memory to say what does not fit it");
}

/* ---- weight ---- */

/* Evaluations that would take as long: to a tolerance, methods that do not do all pairs take as
 * long as a thousand for each point and each input, within a factor of two on CPU and GPU. */
static double estimated_work(const dcs_record *record) {
  const dcs_size *size = &record->size;
  const double all = dcs_estimate(size, record->spacing, NULL);
  if (!size->kind->tolerance || !(size->kind->tolerance(&size->config) > 0) ||
      !record->method.variant->candidates)
    return all;
  const double linear = dcs_points(dcs_size_points(size)) + dcs_along(size, 0);
  return fmin(all, 1e3 * linear);
}

/* A sample is of several frames. Before them their sums are page-locked, and the first touch of 16
 * bytes takes as long as some 200 evaluations. */
static double weight_of_frames(const dcs_record *record) {
  return (DCS_LEAST_FRAMES + DCS_FRAMES_IN_HAND - 1) * estimated_work(record) +
         2e2 * points_of(&record->size);
}

double dcs_sweep_size_weight(const dcs_sweep_size *entry) {
  double weight = 0;
  for (int r = 0; r < entry->n_records; r++) {
    const dcs_record *record = &entry->records[r];
    weight += 1e8;
    if (entry->too_large) continue;
    weight += estimated_work(record);
    if (record->scope == DCS_FIRST) weight += 2e10; /* a process is started for each sample */
    if (record->scope == DCS_FRAME) weight += weight_of_frames(record);
  }
  return weight;
}

double dcs_sweep_size_share(const dcs_sweep_sizes *sizes, int c) {
  double left = 0;
  for (int later = c; later < sizes->n; later++)
    left += dcs_sweep_size_weight(&sizes->list[later]);
  return 0.5 * dcs_sweep_size_weight(&sizes->list[c]) / left + 0.5 / (sizes->n - c);
}

typedef struct {
  double weight;
  dcs_sweep_size entry;
  int at; /* where it was */
} weighed_size;

static int by_weight(const void *left, const void *right) {
  const weighed_size *a = left, *b = right;
  if (a->weight != b->weight) return a->weight < b->weight ? -1 : 1;
  return a->at - b->at;
}

/* Weighed once each: thousands of sizes may come with the heavy ones first. */
dcs_status dcs_sweep_sizes_light_first(dcs_sweep_sizes *sizes) {
  const size_t n = (size_t)sizes->n;
  if (n < 2) return DCS_OK;
  weighed_size *list = malloc(n * sizeof *list);
  if (!list) return dcs_fail(DCS_UNAVAILABLE, "no memory for %zu sizes", n);
  for (int c = 0; c < sizes->n; c++)
    list[c] = (weighed_size){dcs_sweep_size_weight(&sizes->list[c]), sizes->list[c], c};
  qsort(list, n, sizeof *list, by_weight);
  for (int c = 0; c < sizes->n; c++)
    sizes->list[c] = list[c].entry;
  free(list);
  return DCS_OK;
}

/* Seconds that a measured size lacks until each method has `least` samples, from what it took; 0:
 * the budget ended none below that. */
static double lacks_s(const dcs_sweep_size *entry, int least) {
  double share = 0;
  for (int r = 0; r < entry->n_records; r++) {
    const dcs_record *record = &entry->records[r];
    const double n = (double)record->n_times;
    if (strcmp(record->stop_reason, "budget") == 0 && n < least)
      share = fmax(share, (least - n) / fmax(n, 1));
  }
  return share * entry->took_s;
}

int dcs_sweep_sizes_short_last(dcs_sweep_sizes *sizes, int least, double left_s) {
  const int n = sizes->n;
  int first = n;
  for (int c = 0; c < first;) {
    const dcs_sweep_size entry = sizes->list[c];
    const double lacks = lacks_s(&entry, least);
    if (!(lacks > 0) || !(entry.took_s <= left_s)) {
      c++;
      continue;
    }
    left_s -= entry.took_s;
    memmove(sizes->list + c, sizes->list + c + 1, (size_t)(n - 1 - c) * sizeof entry);
    int at = n - 1;
    for (; at > first - 1 && lacks_s(&sizes->list[at - 1], least) > lacks; at--)
      sizes->list[at] = sizes->list[at - 1];
    sizes->list[at] = entry;
    first--;
  }
  return first;
}
