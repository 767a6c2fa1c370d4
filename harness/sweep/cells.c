#include "harness/sweep/cells.h"

#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

void dcs_cells_free(dcs_cells *cells) {
  for (int c = 0; c < cells->n; c++) {
    for (int r = 0; r < cells->list[c].n_records; r++)
      free(cells->list[c].records[r].times_ns);
    free(cells->list[c].records);
  }
  free(cells->list);
  *cells = (dcs_cells){0};
}

static dcs_status parse_scopes(const char *text, int *scopes) {
  static const char *const names[] = {"kernel", "warm", "first"};
  char **parts;
  int n;
  DCS_TRY(dcs_split(text, ',', &parts, &n));
  dcs_status status = DCS_OK;
  *scopes = 0;
  for (int i = 0; status == DCS_OK && i < n; i++) {
    int found = 0;
    for (int s = 0; s < 3; s++)
      if (strcmp(parts[i], names[s]) == 0) found = 1 << s;
    if (!found)
      status = dcs_fail(DCS_USAGE, "scope: found \"%s\"; expected kernel, warm or first", parts[i]);
    *scopes |= found;
  }
  free(parts);
  return status;
}

static dcs_status find_cell(dcs_cells *cells, int64_t atoms, dcs_dims n, dcs_cell **found) {
  for (int c = 0; c < cells->n; c++) {
    dcs_cell *cell = &cells->list[c];
    if (cell->atoms == atoms && cell->n.x == n.x && cell->n.y == n.y && cell->n.z == n.z) {
      *found = cell;
      return DCS_OK;
    }
  }
  dcs_cell *list = realloc(cells->list, (size_t)(cells->n + 1) * sizeof *list);
  if (!list) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d cells", cells->n + 1);
  cells->list = list;
  *found = &list[cells->n++];
  **found = (dcs_cell){.atoms = atoms, .n = n};
  return DCS_OK;
}

/* Inserts a record behind those of the same method, so that a method's records lie together. */
static dcs_status add_record(dcs_cell *cell, const dcs_record *record) {
  int at = cell->n_records;
  for (int r = 0; r < cell->n_records; r++) {
    const dcs_record *other = &cell->records[r];
    if (other->method.variant != record->method.variant ||
        memcmp(&other->method.config, &record->method.config, sizeof(dcs_config)) != 0)
      continue;
    if (other->scope == record->scope) return DCS_OK;
    at = r + 1;
  }
  dcs_record *records =
      realloc(cell->records, (size_t)(cell->n_records + 1) * sizeof *cell->records);
  if (!records) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d records", cell->n_records + 1);
  memmove(records + at + 1, records + at, (size_t)(cell->n_records - at) * sizeof *records);
  records[at] = *record;
  cell->records = records;
  cell->n_records++;
  return DCS_OK;
}

static dcs_status fill_cell(dcs_cell *cell, const dcs_methods *methods, int scopes,
                            const char *gpu) {
  for (int m = 0; m < methods->n; m++)
    for (int scope = DCS_KERNEL; scope <= DCS_FIRST; scope <<= 1) {
      bool cpu = methods->list[m].variant->backend == DCS_CPU;
      if (!(scopes & scope) || (cpu && scope == DCS_WARM)) continue;
      dcs_record record = {.method = methods->list[m],
                           .scope = (dcs_scope)scope,
                           .device = cpu ? "cpu" : gpu,
                           .stop_reason = "",
                           .facts = {.registers = -1}};
      DCS_TRY(add_record(cell, &record));
    }
  return DCS_OK;
}

/* What a line's texts mean. */
typedef struct {
  dcs_methods methods;
  int64_t *atoms;
  int n_atoms;
  dcs_dims *grids;
  int n_grids;
  int scopes;
} line_values;

static dcs_status parse_line(const dcs_sweep_line *line, bool has_input, line_values *v) {
  DCS_TRY(dcs_select_methods(line->variants, line->config, &v->methods));
  DCS_TRY(parse_scopes(line->scope && *line->scope ? line->scope : "kernel", &v->scopes));
  bool no_atoms = !line->atoms || !*line->atoms, no_grid = !line->grid || !*line->grid;
  if (!has_input && (no_atoms || no_grid))
    return dcs_fail(DCS_USAGE, "%s is missing; it is needed unless --input gives a molecule",
                    no_atoms ? "--atoms" : "--grid");
  DCS_TRY(dcs_parse_integers("atoms", no_atoms ? "0" : line->atoms, no_atoms ? 0 : 1, 1000000000,
                             &v->atoms, &v->n_atoms));
  if (!no_grid) return dcs_parse_grids(line->grid, &v->grids, &v->n_grids);
  v->grids = calloc(1, sizeof *v->grids);
  if (!v->grids) return dcs_fail(DCS_UNAVAILABLE, "no memory for a grid");
  v->n_grids = 1;
  return DCS_OK;
}

static dcs_status expand_line(const dcs_sweep_line *line, const dcs_sweep_options *options,
                              dcs_cells *cells) {
  line_values v = {0};
  dcs_status status = parse_line(line, options->input != NULL, &v);
  for (int g = 0; status == DCS_OK && g < v.n_grids; g++)
    for (int a = 0; status == DCS_OK && a < v.n_atoms; a++) {
      dcs_cell *cell = NULL;
      status = find_cell(cells, v.atoms[a], v.grids[g], &cell);
      if (status == DCS_OK) status = fill_cell(cell, &v.methods, v.scopes, options->device);
    }
  free(v.methods.list);
  free(v.atoms);
  free(v.grids);
  return status;
}

dcs_status dcs_expand_cells(const dcs_sweep_options *options, dcs_cells *cells) {
  *cells = (dcs_cells){0};
  dcs_status status = DCS_OK;
  for (int l = 0; status == DCS_OK && l < options->n_lines; l++)
    status = expand_line(&options->lines[l], options, cells);
  int n_records = 0;
  for (int c = 0; c < cells->n; c++)
    n_records += cells->list[c].n_records;
  if (status == DCS_OK && n_records == 0)
    status = dcs_fail(DCS_UNAVAILABLE, "nothing to measure: no chosen variant has the chosen scope "
                                       "on this machine; `dcsbench list` shows why");
  if (status != DCS_OK) dcs_cells_free(cells);
  return status;
}
