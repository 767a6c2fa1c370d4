#include "harness/sweep/cells.h"

#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

dcs_tuned_finder *dcs_find_tuned;

void dcs_cells_free(dcs_cells *cells) {
  for (int c = 0; c < cells->n; c++) {
    for (int r = 0; r < cells->list[c].n_records; r++)
      free(cells->list[c].records[r].times_ns);
    free(cells->list[c].records);
  }
  free(cells->list);
  *cells = (dcs_cells){0};
}

/* A list of names as a set of bits, that of names[i] being 1 << i. */
static dcs_status parse_names(const char *what, const char *text, const char *const *names,
                              int n_names, const char *expected, int *set) {
  char **parts;
  int n;
  DCS_TRY(dcs_split(text, ',', &parts, &n));
  dcs_status status = DCS_OK;
  *set = 0;
  for (int i = 0; status == DCS_OK && i < n; i++) {
    int found = 0;
    for (int name = 0; name < n_names; name++)
      if (strcmp(parts[i], names[name]) == 0) found = 1 << name;
    if (!found)
      status = dcs_fail(DCS_USAGE, "%s: found \"%s\"; expected %s", what, parts[i], expected);
    *set |= found;
  }
  free(parts);
  return status;
}

static dcs_status parse_scopes(const char *text, int *scopes) {
  static const char *const names[] = {"kernel", "warm", "first"};
  return parse_names("scope", text && *text ? text : "kernel", names, 3, "kernel, warm or first",
                     scopes);
}

static dcs_status parse_memories(const char *text, int *memories) {
  const char *names[DCS_N_MEMORIES];
  for (int m = 0; m < DCS_N_MEMORIES; m++)
    names[m] = dcs_memory_name((dcs_memory)m);
  return parse_names("memory", text && *text ? text : names[DCS_PAGEABLE], names, DCS_N_MEMORIES,
                     "pageable, pinned, mapped, managed or managed_prefetch", memories);
}

static dcs_status check_memory(const dcs_cell *cell) {
  double bytes = (double)sizeof(float) * (double)cell->n.x * (double)cell->n.y * (double)cell->n.z +
                 (double)(sizeof(dcs_site) + 2 * sizeof(dcs_atom)) * (double)cell->atoms;
  double available = (double)dcs_available_memory();
  if (bytes <= available) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE,
                  "grid %lldx%lldx%lld with %lld atoms needs %.3g GB of memory; %.3g GB are free",
                  (long long)cell->n.x, (long long)cell->n.y, (long long)cell->n.z,
                  (long long)cell->atoms, 1e-9 * bytes, 1e-9 * available);
}

/* Settles what was left to the input, so that a cell is known by its numbers; refuses what cannot
 * be before anything is measured. */
static dcs_status settle(const dcs_sweep_options *options, const dcs_molecule *molecule,
                         dcs_cell *cell) {
  dcs_molecule part = *molecule;
  dcs_grid grid = options->grid;
  if (!options->input) {
    cell->spacing = grid.spacing > 0 ? grid.spacing : DCS_RANDOM_SPACING;
    return check_memory(cell);
  }
  if (cell->atoms > part.n)
    return dcs_fail(DCS_USAGE, "%s has %lld atoms; --atoms asks for %lld", options->input,
                    (long long)part.n, (long long)cell->atoms);
  if (cell->atoms == 0) cell->atoms = part.n;
  part.n = cell->atoms;
  cell->from_box = cell->n.x == 0;
  grid.n = cell->n;
  DCS_TRY(dcs_case_grid(&part, &grid));
  cell->n = grid.n;
  cell->spacing = grid.spacing;
  return check_memory(cell);
}

static bool same_size(const dcs_cell *a, const dcs_cell *b) {
  return a->atoms == b->atoms && a->n.x == b->n.x && a->n.y == b->n.y && a->n.z == b->n.z;
}

/* The first cell of that size which serves: whole sums are at home in any, sums within a cutoff
 * where that is the cell's own. NULL: none does. */
static dcs_cell *find_cell(const dcs_cells *cells, const dcs_cell *wanted) {
  for (int c = 0; c < cells->n; c++) {
    dcs_cell *cell = &cells->list[c];
    if (same_size(cell, wanted) &&
        (wanted->cutoff == 0 || (cell->cutoff == wanted->cutoff && cell->smooth == wanted->smooth)))
      return cell;
  }
  return NULL;
}

static dcs_cell *without_cutoff(const dcs_cells *cells, const dcs_cell *wanted) {
  for (int c = 0; c < cells->n; c++)
    if (same_size(&cells->list[c], wanted) && cells->list[c].cutoff == 0) return &cells->list[c];
  return NULL;
}

/* Finds the cell, or one that has no cutoff yet and takes that one, or adds it. */
static dcs_status take_cell(dcs_cells *cells, const dcs_cell *wanted, dcs_cell **found) {
  *found = find_cell(cells, wanted);
  if (*found) return DCS_OK;
  *found = without_cutoff(cells, wanted);
  if (*found) {
    (*found)->cutoff = wanted->cutoff;
    (*found)->smooth = wanted->smooth;
    return DCS_OK;
  }
  dcs_cell *list = realloc(cells->list, (size_t)(cells->n + 1) * sizeof *list);
  if (!list) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d cells", cells->n + 1);
  cells->list = list;
  *found = &list[cells->n++];
  **found = *wanted;
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
    if (other->scope == record->scope && other->memory == record->memory) return DCS_OK;
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

/* What a line's records have in common. */
typedef struct {
  int scopes, memories;
  bool tuned;
  const dcs_sweep_options *options;
  const dcs_facts *facts;
} line_facts;

static dcs_status choose_tuned(const line_facts *line, const dcs_cell *cell, dcs_record *record) {
  if (!line->tuned) return DCS_OK;
  return dcs_find_tuned(cell, line->facts, line->options->kernels, record);
}

/* The method in one scope, once for each memory where that matters. */
static dcs_status add_scope(dcs_cell *cell, const dcs_method *method, dcs_scope scope,
                            const line_facts *line) {
  dcs_record record = {.method = *method,
                       .scope = scope,
                       .device =
                           method->variant->backend == DCS_CPU ? "cpu" : line->options->device,
                       .stop_reason = "",
                       .facts = {.registers = -1}};
  DCS_TRY(choose_tuned(line, cell, &record));
  if (!dcs_scope_copies(method->variant, scope)) return add_record(cell, &record);
  for (int m = 0; m < DCS_N_MEMORIES; m++) {
    record.memory = (dcs_memory)m;
    if (line->memories & 1 << m) DCS_TRY(add_record(cell, &record));
  }
  return DCS_OK;
}

/* Adds the methods that have a cutoff, or those that have none. */
static dcs_status fill_cell(dcs_cell *cell, const dcs_methods *methods, bool cutoff,
                            const line_facts *line) {
  for (int m = 0; m < methods->n; m++)
    if (methods->list[m].variant->cutoff == cutoff)
      for (int scope = DCS_KERNEL; scope <= DCS_FIRST; scope <<= 1) {
        bool cpu = methods->list[m].variant->backend == DCS_CPU;
        if (!(line->scopes & scope) || (cpu && scope == DCS_WARM)) continue;
        DCS_TRY(add_scope(cell, &methods->list[m], (dcs_scope)scope, line));
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
  double *cutoffs; /* NULL: none */
  int n_cutoffs;
  dcs_smooth smooth;
  int scopes, memories;
  bool tuned;
} line_values;

static void drop_missing(dcs_methods *methods, bool gpu) {
  char why[DCS_TEXT];
  int kept = 0;
  for (int m = 0; m < methods->n; m++) {
    const dcs_variant *variant = methods->list[m].variant;
    if (dcs_variant_available(variant, why) && (gpu || variant->backend == DCS_CPU))
      methods->list[kept++] = methods->list[m];
  }
  methods->n = kept;
}

static dcs_status parse_line(const dcs_sweep_line *line, const dcs_sweep_options *options, bool gpu,
                             line_values *v) {
  bool has_input = options->input != NULL;
  v->tuned = dcs_find_tuned && line->config && strcmp(line->config, "tuned") == 0;
  const char *config = v->tuned ? NULL : line->config;
  const bool cutoff = line->cutoff && *line->cutoff;
  DCS_TRY(dcs_select_methods(line->variants, config, (dcs_at_hand){gpu, cutoff}, &v->methods));
  if (cutoff) DCS_TRY(dcs_parse_cutoffs("cutoff", line->cutoff, &v->cutoffs, &v->n_cutoffs));
  if (line->smooth && *line->smooth) DCS_TRY(dcs_parse_smooth("smooth", line->smooth, &v->smooth));
  if (options->plan) drop_missing(&v->methods, gpu);
  DCS_TRY(parse_scopes(line->scope, &v->scopes));
  DCS_TRY(parse_memories(line->memory, &v->memories));
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

static bool any_with_cutoff(const dcs_methods *methods, bool cutoff) {
  for (int m = 0; m < methods->n; m++)
    if (methods->list[m].variant->cutoff == cutoff) return true;
  return false;
}

/* The cells of one size: with each of the line's cutoffs, and without. */
static dcs_status expand_size(const dcs_cell *size, const line_values *v, const line_facts *common,
                              dcs_cells *cells) {
  for (int i = -1; i < v->n_cutoffs; i++) {
    dcs_cell wanted = *size, *cell = NULL;
    if (!any_with_cutoff(&v->methods, i >= 0)) continue;
    if (i >= 0) {
      wanted.cutoff = v->cutoffs[i];
      wanted.smooth = v->smooth;
    }
    DCS_TRY(take_cell(cells, &wanted, &cell));
    DCS_TRY(fill_cell(cell, &v->methods, i >= 0, common));
  }
  return DCS_OK;
}

/* A variant that was named is not left out in silence. */
static dcs_status need_cutoff(const line_values *v) {
  if (v->n_cutoffs > 0) return DCS_OK;
  for (int m = 0; m < v->methods.n; m++)
    if (v->methods.list[m].variant->cutoff)
      return dcs_fail(DCS_USAGE, "%s needs a cutoff: give --cutoff, or the plan a column of it",
                      v->methods.list[m].variant->id);
  return DCS_OK;
}

static dcs_status expand_line(const dcs_sweep_line *line, const dcs_sweep_options *options,
                              const dcs_molecule *molecule, bool gpu, const dcs_facts *facts,
                              dcs_cells *cells) {
  line_values v = {0};
  dcs_status status = parse_line(line, options, gpu, &v);
  if (status == DCS_OK) status = need_cutoff(&v);
  line_facts common = {v.scopes, v.memories, v.tuned, options, facts};
  for (int g = 0; status == DCS_OK && g < v.n_grids; g++)
    for (int a = 0; status == DCS_OK && a < v.n_atoms; a++) {
      dcs_cell size = {.atoms = v.atoms[a], .n = v.grids[g]};
      if (v.methods.n == 0) continue;
      status = settle(options, molecule, &size);
      if (status == DCS_OK) status = expand_size(&size, &v, &common, cells);
    }
  free(v.methods.list);
  free(v.atoms);
  free(v.grids);
  free(v.cutoffs);
  return status;
}

dcs_status dcs_expand_cells(const dcs_sweep_options *options, const dcs_molecule *molecule,
                            bool gpu, const dcs_facts *facts, dcs_cells *cells) {
  *cells = (dcs_cells){0};
  dcs_status status = DCS_OK;
  for (int l = 0; status == DCS_OK && l < options->n_lines; l++) {
    status = expand_line(&options->lines[l], options, molecule, gpu, facts, cells);
    if (status == DCS_USAGE && options->plan) /* the header is row 1 */
      status =
          dcs_fail(DCS_INPUT, "%s: row %d: %s", options->plan, l + 2, strdupa(dcs_error_message()));
  }
  int n_records = 0;
  for (int c = 0; c < cells->n; c++)
    n_records += cells->list[c].n_records;
  if (status == DCS_OK && n_records == 0)
    status = dcs_fail(DCS_UNAVAILABLE, "nothing to measure: no chosen variant has the chosen scope "
                                       "on this machine; `dcsbench list` shows why");
  if (status != DCS_OK) dcs_cells_free(cells);
  if (options->budget_s > 0) dcs_cells_light_first(cells);
  return status;
}
