#include "harness/sweep/sizes.h"

#include "harness/base/grow.h"
#include "harness/base/hash.h"
#include "harness/base/machine.h"
#include "harness/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

dcs_tuned_finder *dcs_find_tuned;

void dcs_sweep_size_free(dcs_sweep_size *entry) {
  for (int r = 0; r < entry->n_records; r++) {
    free(entry->records[r].times_ns);
    free(entry->records[r].why);
  }
  free(entry->records);
  free(entry->problems);
  free(entry->too_large);
}

void dcs_sweep_size_forget_verdicts(dcs_sweep_size *entry) {
  for (int r = 0; r < entry->n_records; r++) {
    dcs_record *record = &entry->records[r];
    const bool failed = record->judged && record->outcome != DCS_OUTCOME_OK;
    record->finished = record->finished || (failed && strcmp(record->stop_reason, "killed") != 0);
    free(record->why);
    record->why = NULL;
    record->judged = false;
    record->stop_reason = "";
  }
}

void dcs_sweep_sizes_free(dcs_sweep_sizes *sizes) {
  for (int c = 0; c < sizes->n; c++)
    dcs_sweep_size_free(&sizes->list[c]);
  free(sizes->list);
  *sizes = (dcs_sweep_sizes){0};
}

static const char *scope_name(int bit) {
  return dcs_scope_name((dcs_scope)(1 << bit));
}

static const char *memory_name(int bit) {
  return dcs_memory_name((dcs_memory)bit);
}

/* A list of n names as a set of bits; that of the first where nothing is given. */
static dcs_status parse_set(const char *what, const char *text, const char *(*name)(int bit), int n,
                            const char *expected, int *set) {
  char **parts;
  int n_parts;
  DCS_TRY(dcs_split(text && *text ? text : name(0), ',', &parts, &n_parts));
  dcs_status status = DCS_OK;
  *set = 0;
  for (int i = 0; status == DCS_OK && i < n_parts; i++) {
    int bit = 0;
    while (bit < n && strcmp(parts[i], name(bit)) != 0)
      bit++;
    if (bit == n)
      status = dcs_fail(DCS_USAGE, "%s: found \"%s\"; expected %s", what, parts[i], expected);
    *set |= 1 << bit;
  }
  free(parts);
  return status;
}

static void set_size(const dcs_kind *kind, int64_t atoms, dcs_dims n, dcs_sweep_size *entry) {
  const dcs_config initial = dcs_initial_problem(kind);
  entry->size = dcs_size_of(kind, &initial, atoms, n);
}

/* Settles what was left to the input, so that a size is known by its numbers; refuses what cannot
 * be before anything is measured. */
static dcs_status settle(const dcs_sweep_options *options, const dcs_molecule *molecule,
                         dcs_config problem, dcs_sweep_size *entry) {
  dcs_molecule part = *molecule;
  dcs_grid grid = options->run.grid;
  const int64_t atoms = entry->size.axes[0];
  const bool has_grid = dcs_has_grid(entry->size.kind);
  if (!options->run.input.files[0]) {
    entry->spacing = !has_grid ? NAN : grid.spacing > 0 ? grid.spacing : DCS_RANDOM_SPACING;
    return DCS_OK;
  }
  if (atoms > part.n)
    return dcs_fail(DCS_USAGE, "%s has %lld atoms; --atoms asks for %lld",
                    options->run.input.files[0], (long long)part.n, (long long)atoms);
  if (atoms > 0) part.n = atoms;
  if (has_grid) grid.n = dcs_size_points(&entry->size);
  entry->from_box = grid.n.x == 0;
  DCS_TRY(
      dcs_case_settle(entry->size.kind, molecule, options->run.input.files[0], &problem, &grid));
  DCS_TRY(dcs_case_grid(&part, &grid));
  set_size(entry->size.kind, part.n, grid.n, entry);
  entry->spacing = has_grid ? grid.spacing : NAN;
  return DCS_OK;
}

enum { MOST_SIZES = 10000, MOST_RECORDS = 20000, MOST_ROWS = 200000 };

/* Where a size of these axes is: 1 + its place in the list, at the hash of its axes or behind; 0:
 * free. */
typedef struct {
  int at[1 << 15];
  int n_rows; /* of all sizes */
} size_index;

static dcs_status refuse_many(void) {
  return dcs_fail(DCS_USAGE, "more than %d sizes to measure", MOST_SIZES);
}

/* Finds the entry of that size, or adds it. */
static dcs_status take_size(dcs_sweep_sizes *sizes, size_index *index, const dcs_sweep_size *wanted,
                            dcs_sweep_size **found) {
  enum { SLOTS = sizeof index->at / sizeof index->at[0] };
  size_t slot = dcs_hash(DCS_HASH_START, wanted->size.axes, sizeof wanted->size.axes) % SLOTS;
  for (; index->at[slot] > 0; slot = (slot + 1) % SLOTS) {
    *found = &sizes->list[index->at[slot] - 1];
    if (dcs_same_axes(&(*found)->size, &wanted->size)) return DCS_OK;
  }
  if (sizes->n == MOST_SIZES) return refuse_many();
  DCS_TRY(dcs_grow(&sizes->list, (size_t)sizes->n, sizeof *sizes->list, "sizes"));
  *found = &sizes->list[sizes->n++];
  **found = *wanted;
  index->at[slot] = sizes->n;
  return DCS_OK;
}

/* Index of the problem in the size, which gets it where it lacks it. */
static dcs_status take_problem(dcs_sweep_size *entry, const dcs_config *problem, int *index) {
  for (*index = 0; *index < entry->n_problems; ++*index)
    if (dcs_same_problem(entry->size.kind, &entry->problems[*index], problem)) return DCS_OK;
  DCS_TRY(dcs_grow(&entry->problems, (size_t)entry->n_problems, sizeof *problem, "problems"));
  entry->problems[entry->n_problems++] = *problem;
  return DCS_OK;
}

/* Inserts a record behind those of the same method and problem, so that these lie together. */
static dcs_status add_record(dcs_sweep_size *entry, const dcs_record *record) {
  int at = entry->n_records;
  for (int r = 0; r < entry->n_records; r++) {
    const dcs_record *other = &entry->records[r];
    if (other->problem != record->problem || !dcs_same_method(&other->method, &record->method))
      continue;
    if (other->scope == record->scope && other->memory == record->memory) return DCS_OK;
    at = r + 1;
  }
  if (entry->n_records == MOST_RECORDS)
    return dcs_fail(DCS_USAGE, "more than %d methods to measure at one size", MOST_RECORDS);
  DCS_TRY(dcs_grow(&entry->records, (size_t)entry->n_records, sizeof *record, "records"));
  memmove(entry->records + at + 1, entry->records + at,
          (size_t)(entry->n_records - at) * sizeof *record);
  entry->records[at] = *record;
  entry->n_records++;
  return DCS_OK;
}

/* What a line's texts mean, and what sizes are made from beside them. */
typedef struct {
  const dcs_sweep_options *options;
  const dcs_molecule *molecule; /* of the input */
  const dcs_facts *facts;       /* of the machine */
  double available;             /* bytes of memory, asked once: thousands of sizes may follow */
  size_index *index;            /* of the sizes so far */
  const dcs_kind *kind;
  dcs_config *problems;
  int n_problems;
  dcs_methods methods;
  int64_t *atoms;
  int n_atoms;
  dcs_dims *grids;
  int n_grids;
  int scopes, memories;
  bool tuned;
} line_values;

/* The method on a problem in one scope, once for each memory where that matters. */
static dcs_status add_scope(dcs_sweep_size *entry, const dcs_method *method, int problem,
                            dcs_scope scope, const line_values *line) {
  dcs_record record = {.method = *method,
                       .scope = scope,
                       .device =
                           method->variant->backend == DCS_CPU ? "cpu" : line->options->device,
                       .size = entry->size,
                       .problem = problem,
                       .spacing = entry->spacing,
                       .stop_reason = "",
                       .facts = {.registers = -1}};
  record.size.config = entry->problems[problem];
  if (line->tuned) DCS_TRY(dcs_find_tuned(line->facts, line->options->run.kernels, &record));
  if (!dcs_scope_copies(method->variant, scope)) return add_record(entry, &record);
  for (int m = 0; m < DCS_N_MEMORIES; m++) {
    record.memory = (dcs_memory)m;
    if (line->memories & 1 << m) DCS_TRY(add_record(entry, &record));
  }
  return DCS_OK;
}

/* Adds the line's methods that solve a problem. */
static dcs_status fill_size(dcs_sweep_size *entry, const dcs_config *problem,
                            const line_values *line) {
  char why[DCS_TEXT];
  for (int m = 0; m < line->methods.n; m++) {
    const dcs_method *method = &line->methods.list[m];
    const dcs_variant *variant = method->variant;
    int index;
    if (!dcs_solves(variant, problem, why)) continue;
    DCS_TRY(take_problem(entry, problem, &index));
    for (int scope = DCS_KERNEL; scope <= DCS_FRAME; scope <<= 1) {
      const bool of_devices = scope == DCS_WARM || scope == DCS_FRAME;
      if (!(line->scopes & scope) || (variant->backend == DCS_CPU && of_devices)) continue;
      DCS_TRY(add_scope(entry, method, index, (dcs_scope)scope, line));
    }
  }
  return DCS_OK;
}

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

static dcs_status parse_problem(const dcs_sweep_line *line, line_values *v) {
  const bool named = line->problem && *line->problem;
  v->kind = named ? dcs_find_kind(line->problem) : dcs_kind_of_names(line->variants);
  if (!v->kind)
    return dcs_fail(DCS_USAGE, "problem: found \"%s\"; expected one that `dcsbench list` shows",
                    line->problem);
  DCS_TRY(dcs_parse_problems(v->kind, line->problem_config, &v->problems, &v->n_problems));
  for (int p = 0; v->options->run.input.files[0] && p < v->n_problems; p++) {
    dcs_grid grid = v->options->run.grid;
    if (line->grid && *line->grid) grid.n.x = 1; /* one is given */
    DCS_TRY(dcs_case_settle(v->kind, v->molecule, v->options->run.input.files[0], &v->problems[p],
                            &grid));
  }
  return DCS_OK;
}

/* A variant that was named is not left out in silence. */
static dcs_status check_solved(const line_values *v) {
  for (int m = 0; m < v->methods.n; m++) {
    const dcs_variant *variant = v->methods.list[m].variant;
    char why[DCS_TEXT];
    bool solved = false;
    for (int p = 0; p < v->n_problems && !solved; p++)
      solved = dcs_solves(variant, &v->problems[p], why);
    if (!solved) return dcs_fail(DCS_USAGE, "%s: %s", variant->id, why);
  }
  return DCS_OK;
}

static dcs_status parse_sizes(const dcs_sweep_line *line, line_values *v) {
  bool no_atoms = !line->atoms || !*line->atoms, no_grid = !line->grid || !*line->grid;
  dcs_grid grid = v->options->run.grid;
  grid.n.x = !no_grid;
  const bool input = v->options->run.input.files[0] != NULL;
  DCS_TRY(dcs_case_takes(v->kind, input || !no_atoms, &grid));
  DCS_TRY(dcs_case_needs(v->kind, input, !no_atoms, !no_grid));
  DCS_TRY(dcs_parse_integers("atoms", no_atoms ? "0" : line->atoms, no_atoms ? 0 : 1, 1000000000,
                             &v->atoms, &v->n_atoms));
  if (!no_grid) {
    DCS_TRY(dcs_parse_grids(line->grid, &v->grids, &v->n_grids));
    return (int64_t)v->n_atoms * v->n_grids > MOST_SIZES ? refuse_many() : DCS_OK;
  }
  v->grids = calloc(1, sizeof *v->grids);
  if (!v->grids) return dcs_fail(DCS_UNAVAILABLE, "no memory for a grid");
  v->n_grids = 1;
  return DCS_OK;
}

static dcs_status parse_line(const dcs_sweep_line *line, bool gpu, line_values *v) {
  v->tuned = dcs_find_tuned && line->config && strcmp(line->config, "tuned") == 0;
  DCS_TRY(parse_problem(line, v));
  const dcs_at_hand at_hand = {gpu, v->kind, v->problems, v->n_problems};
  DCS_TRY(dcs_select_methods(line->variants, v->tuned ? NULL : line->config, at_hand, &v->methods));
  DCS_TRY(check_solved(v));
  if (v->options->plan) drop_missing(&v->methods, gpu);
  DCS_TRY(
      parse_set("scope", line->scope, scope_name, 4, "kernel, warm, first or frame", &v->scopes));
  DCS_TRY(parse_set("memory", line->memory, memory_name, DCS_N_MEMORIES,
                    "pageable, pinned, mapped, managed or managed_prefetch", &v->memories));
  return parse_sizes(line, v);
}

/* The methods on every problem of the line, on one size. */
static dcs_status expand_size(const line_values *v, int64_t atoms, dcs_dims grid,
                              dcs_sweep_sizes *sizes) {
  dcs_sweep_size wanted = {0}, *entry;
  if (v->methods.n == 0) return DCS_OK;
  set_size(v->kind, atoms, grid, &wanted);
  DCS_TRY(settle(v->options, v->molecule, v->problems[0], &wanted));
  DCS_TRY(take_size(sizes, v->index, &wanted, &entry));
  const int before = entry->n_records;
  for (int p = 0; p < v->n_problems; p++)
    DCS_TRY(fill_size(entry, &v->problems[p], v));
  v->index->n_rows += entry->n_records - before;
  if (v->index->n_rows > MOST_ROWS)
    return dcs_fail(DCS_USAGE, "more than %d rows to measure", MOST_ROWS);
  return dcs_sweep_size_check_memory(entry, v->available); /* a line may have brought frames */
}

static dcs_status expand_line(const dcs_sweep_line *line, bool gpu, line_values v,
                              dcs_sweep_sizes *sizes) {
  dcs_status status = parse_line(line, gpu, &v);
  for (int g = 0; g < v.n_grids; g++)
    for (int a = 0; status == DCS_OK && a < v.n_atoms; a++)
      status = expand_size(&v, v.atoms[a], v.grids[g], sizes);
  free(v.problems);
  free(v.methods.list);
  free(v.atoms);
  free(v.grids);
  return status;
}

dcs_status dcs_expand_sizes(const dcs_sweep_options *options, const dcs_molecule *molecule,
                            bool gpu, const dcs_facts *facts, dcs_sweep_sizes *sizes) {
  const line_values common = {.options = options,
                              .molecule = molecule,
                              .facts = facts,
                              .available = (double)dcs_available_memory(),
                              .index = calloc(1, sizeof(size_index))};
  dcs_status status = common.index ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for sizes");
  *sizes = (dcs_sweep_sizes){0};
  for (int l = 0; status == DCS_OK && l < options->n_lines; l++) {
    status = expand_line(&options->lines[l], gpu, common, sizes);
    if (status == DCS_USAGE && options->plan) /* the header is row 1 */
      status = dcs_fail(DCS_INPUT, "%s: row %d: %s", options->plan, l + 2, dcs_error_message());
  }
  const int n_rows = common.index ? common.index->n_rows : 0;
  free(common.index);
  int n_fit = 0;
  for (int c = 0; c < sizes->n; c++)
    n_fit += !sizes->list[c].too_large;
  if (status == DCS_OK && n_rows == 0)
    status =
        dcs_fail(DCS_UNAVAILABLE, "nothing to measure: no chosen variant computes this problem in "
                                  "the chosen scope on this machine; `dcsbench list` shows why");
  if (status == DCS_OK && n_fit == 0)
    status = dcs_fail(DCS_UNAVAILABLE, "%s", sizes->list[0].too_large);
  if (status == DCS_OK && options->budget_s > 0) status = dcs_sweep_sizes_light_first(sizes);
  if (status != DCS_OK) dcs_sweep_sizes_free(sizes);
  return status;
}
