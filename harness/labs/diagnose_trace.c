#include "harness/labs/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *dcs_short_place(const dcs_place *place, char text[DCS_TEXT]) {
  const char *slash = strrchr(place->file, '/');
  snprintf(text, DCS_TEXT, "%.200s:%d", slash ? slash + 1 : place->file, place->line);
  return text;
}

/* ---- measures ---- */

typedef bool is_counted(const dcs_trace_row *row);

static bool is_store(const dcs_trace_row *row) {
  return row->access == DCS_SEEN_STORE && row->space == DCS_SPACE_GLOBAL;
}
static bool is_constant(const dcs_trace_row *row) {
  return row->access == DCS_SEEN_LOAD && row->space == DCS_SPACE_CONSTANT;
}
/* Atoms are read in pieces of 4, 8 or 16 bytes from wherever they lie; of global memory only those
 * loads that no store of the same line goes with, which are the map's. */
static bool is_atom(const dcs_trace_row *row) {
  return row->access == DCS_SEEN_LOAD && row->space != DCS_SPACE_GLOBAL;
}

/* Sectors of its fullest request, and of one whose lanes lie side by side. */
static int sectors_of(const dcs_trace_row *row) {
  return dcs_request_count(&row->shown).sectors;
}
static int fewest_sectors(const dcs_trace_row *row) {
  return (__builtin_popcount(row->shown.lanes) * (int)row->shown.bytes + DCS_SECTOR - 1) /
         DCS_SECTOR;
}
/* Floats from lane 0 to lane 1; 0 where one of them takes no part. */
static long long stride_of(const dcs_trace_row *row) {
  const dcs_memory_request *r = &row->shown;
  if ((r->lanes & 3) != 3) return 0;
  return ((long long)r->address[1] - (long long)r->address[0]) / 4;
}

static double measure_store_sectors(const dcs_measured_kernel *k, double limit, char *text) {
  double most = NAN;
  char place[DCS_TEXT];
  for (int i = 0; i < k->trace->n_rows; i++) {
    const dcs_trace_row *row = &k->trace->rows[i];
    if (!is_store(row) || sectors_of(row) <= most) continue;
    most = sectors_of(row);
    dcs_short_place(&row->source.place, place);
    if (most <= limit) continue;
    const long long stride = stride_of(row);
    if (stride == 1)
      snprintf(text, DCS_SENTENCE,
               "a warp writes %d floats side by side, but they begin within a sector: %.0f sectors "
               "a request where %d do (%s)",
               __builtin_popcount(row->shown.lanes), most, fewest_sectors(row), place);
    else
      snprintf(text, DCS_SENTENCE,
               "threads of a warp write %lld floats apart: %.0f sectors a request where %d do (%s)",
               llabs(stride), most, fewest_sectors(row), place);
  }
  if (isnan(most)) snprintf(text, DCS_SENTENCE, "nothing is written to the map");
  return most;
}

static double measure_constant_addresses(const dcs_measured_kernel *k, double limit, char *text) {
  double most = NAN;
  char place[DCS_TEXT];
  for (int i = 0; i < k->trace->n_rows; i++) {
    const dcs_trace_row *row = &k->trace->rows[i];
    if (!is_constant(row) || dcs_request_count(&row->shown).distinct <= most) continue;
    most = dcs_request_count(&row->shown).distinct;
    if (most > limit)
      snprintf(text, DCS_SENTENCE,
               "the constant index depends on the thread: %.0f different addresses a warp are read "
               "one after another (%s)",
               most, dcs_short_place(&row->source.place, place));
  }
  if (isnan(most)) snprintf(text, DCS_SENTENCE, "no atom is read from constant memory");
  return most;
}

static double evaluations(const dcs_measured_kernel *k) {
  return (double)dcs_points(k->c->problem.n) * (double)k->c->n_sites;
}

static double measure_atom_bytes(const dcs_measured_kernel *k, double limit, char *text) {
  double bytes = 0;
  char place[DCS_TEXT] = "";
  for (int i = 0; i < k->trace->n_rows; i++) {
    const dcs_trace_row *row = &k->trace->rows[i];
    if (!is_atom(row)) continue;
    bytes += (double)row->requests * DCS_WARP * row->shown.bytes / evaluations(k);
    if (!*place) dcs_short_place(&row->source.place, place);
  }
  if (bytes > limit)
    snprintf(
        text, DCS_SENTENCE,
        "atoms are loaded too often: %.3g bytes an evaluation where %.3g do; load an atom once "
        "for all points of a thread (%s)",
        bytes, limit, place);
  if (bytes == 0) snprintf(text, DCS_SENTENCE, "no atom is loaded");
  return bytes;
}

static double measure_map_stores(const dcs_measured_kernel *k, double limit, char *text) {
  double stores = 0;
  const double points = (double)dcs_points(k->c->problem.n);
  char place[DCS_TEXT] = "";
  const int chunk =
      dcs_role_value(k->method->variant, &k->method->config, DCS_ROLE_CHUNK, (int)k->c->n_sites);
  const double launches = (double)dcs_divide_up(k->c->n_sites, chunk);
  for (int i = 0; i < k->trace->n_rows; i++) {
    const dcs_trace_row *row = &k->trace->rows[i];
    if (!is_store(row)) continue;
    stores += (double)row->requests * DCS_WARP / points / launches;
    if (!*place) dcs_short_place(&row->source.place, place);
  }
  if (stores > limit)
    snprintf(text, DCS_SENTENCE,
             "the map is written inside the loop over atoms: %.3g stores a point and launch where "
             "%.3g do (%s)",
             stores, limit, place);
  return stores;
}

static double measure_part_warps(const dcs_measured_kernel *k, double limit, char *text) {
  double parts = 0;
  char place[DCS_TEXT];
  for (int i = 0; i < k->trace->n_rows; i++) {
    const dcs_trace_row *row = &k->trace->rows[i];
    if (!is_store(row)) continue;
    parts += (double)row->divergent;
    if (row->divergent > 0 && parts > limit)
      snprintf(text, DCS_SENTENCE,
               "the edge is still tested: %lld of %lld requests write with part of a warp alone "
               "(%s); the padded map has room for all",
               (long long)row->divergent, (long long)row->requests,
               dcs_short_place(&row->source.place, place));
  }
  return parts;
}

static double measure_bank_conflicts(const dcs_measured_kernel *k, double limit, char *text) {
  double conflicts = 0;
  char place[DCS_TEXT];
  for (int i = 0; i < k->trace->n_rows; i++) {
    const dcs_trace_row *row = &k->trace->rows[i];
    conflicts += (double)row->bank_conflicts;
    if (row->bank_conflicts > 0 && conflicts > limit)
      snprintf(text, DCS_SENTENCE,
               "threads of a warp want different words of one bank of shared memory: %lld further "
               "passes (%s)",
               (long long)row->bank_conflicts, dcs_short_place(&row->source.place, place));
  }
  return conflicts;
}

/* Loads of global memory, the map's aside: one address a warp is one sector. */
static double measure_load_sectors(const dcs_measured_kernel *k, double limit, char *text) {
  double most = NAN;
  char place[DCS_TEXT];
  for (int i = 0; i < k->trace->n_rows; i++) {
    const dcs_trace_row *row = &k->trace->rows[i];
    if (row->access != DCS_SEEN_LOAD || row->space != DCS_SPACE_GLOBAL || row->shown.bytes < 16)
      continue;
    if (sectors_of(row) <= most) continue;
    most = sectors_of(row);
    if (most > limit)
      snprintf(text, DCS_SENTENCE,
               "threads of a warp read different atoms: %.0f sectors a request where %.0f do (%s)",
               most, limit, dcs_short_place(&row->source.place, place));
  }
  return most;
}

static const struct {
  const char *name;
  double (*measure)(const dcs_measured_kernel *, double limit, char *text);
} measures[] = {
    {"store_sectors", measure_store_sectors},
    {"load_sectors", measure_load_sectors},
    {"constant_addresses", measure_constant_addresses},
    {"atom_bytes", measure_atom_bytes},
    {"map_stores", measure_map_stores},
    {"part_warps", measure_part_warps},
    {"bank_conflicts", measure_bank_conflicts},
};

bool dcs_measure_kernel(const dcs_measured_kernel *kernel, const char *name, double limit,
                        double *value, char text[DCS_SENTENCE]) {
  text[0] = '\0';
  for (size_t m = 0; m < sizeof measures / sizeof measures[0]; m++) {
    if (strcmp(measures[m].name, name) != 0) continue;
    *value = measures[m].measure(kernel, limit, text);
    return true;
  }
  return false;
}
