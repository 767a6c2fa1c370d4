/* Measuring the chosen sizes into the run's folder. */
#include "tuning/crossover/refine.h"

#include "harness/base/text.h"
#include "harness/input/molecule.h"
#include "harness/sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the run records ---- */

static const char *fact(const dcs_run *run, const char *key) {
  for (size_t row = 0; row < dcs_table_rows(run->env); row++)
    if (strcmp(dcs_table_cell(run->env, row, run->env_key), key) == 0)
      return dcs_table_cell(run->env, row, run->env_value);
  return "";
}

static dcs_status number_fact(const dcs_run *run, const char *key, double *value) {
  char what[4200];
  if (!*fact(run, key)) return DCS_OK;
  snprintf(what, sizeof what, "%s: %s", dcs_table_path(run->env), key);
  return dcs_parse_number(what, fact(run, key), -1e9, 1e9, value);
}

static dcs_status read_origin(const dcs_run *run, dcs_grid *grid) {
  const char *text = fact(run, "asked_origin");
  if (!*text) return DCS_OK;
  grid->has_origin = true;
  double *o = grid->origin;
  if (sscanf(text, "%lf %lf %lf", &o[0], &o[1], &o[2]) == 3) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: found asked_origin \"%s\"; expected three numbers",
                  dcs_table_path(run->env), text);
}

static dcs_status read_run(const dcs_run *run, dcs_grid *grid, uint64_t *seed) {
  char what[4200];
  int64_t value;
  DCS_TRY(number_fact(run, "asked_spacing", &grid->spacing));
  DCS_TRY(number_fact(run, "asked_margin", &grid->margin));
  DCS_TRY(read_origin(run, grid));
  snprintf(what, sizeof what, "%s: seed", dcs_table_path(run->env));
  DCS_TRY(dcs_parse_integer(what, fact(run, "seed"), 0, INT64_MAX, &value));
  *seed = (uint64_t)value;
  return DCS_OK;
}

dcs_status dcs_refine_most_atoms(const dcs_crossovers *found, const dcs_refine_options *options,
                                 int64_t *most_atoms) {
  const char *name = fact(&found->measured.run, "input");
  *most_atoms = INT64_MAX;
  if (*name && !options->input)
    return dcs_fail(DCS_USAGE,
                    "the run has the atoms of %s, and only its name is recorded: give the file "
                    "with --input",
                    name);
  if (!options->input) return DCS_OK;
  dcs_molecule molecule = {0};
  dcs_status status = dcs_pqr_read(options->input, &molecule, stderr);
  if (status == DCS_OK) *most_atoms = molecule.n;
  dcs_molecule_free(&molecule);
  return status;
}

/* ---- lines of a plan ---- */

typedef struct {
  char atoms[24], grid[96];
} size_text;

typedef struct {
  dcs_sweep_line *lines;
  size_text *texts; /* of each size */
  int n;
} plan;

static const char *cell_of(const dcs_run *run, size_t row, int key) {
  return dcs_table_cell(run->summary.table, row, run->summary.key[key]);
}

/* The methods that are the best of a class at the sizes nearby. */
static void add_lines(plan *p, const dcs_run *run, const dcs_refinement *size,
                      const size_text *text) {
  for (int side = 0; side < 2; side++)
    for (int class = 0; class < DCS_N_CLASSES; class ++) {
      const dcs_best *best = &size->near[side]->best[class];
      if (isnan(best->median_ns)) continue;
      const char *config = cell_of(run, best->row, DCS_KEY_CONFIG);
      p->lines[p->n++] = (dcs_sweep_line){.variants = cell_of(run, best->row, DCS_KEY_VARIANT),
                                          .config = *config ? config : NULL,
                                          .atoms = text->atoms,
                                          .grid = text->grid,
                                          .scope = cell_of(run, best->row, DCS_KEY_SCOPE),
                                          .cutoff = cell_of(run, best->row, DCS_KEY_CUTOFF),
                                          .smooth = cell_of(run, best->row, DCS_KEY_SMOOTH)};
    }
}

static dcs_status make_plan(const dcs_run *run, const dcs_refinements *chosen, plan *p) {
  *p = (plan){.lines = malloc((2 * DCS_N_CLASSES * chosen->n + 1) * sizeof *p->lines),
              .texts = malloc((chosen->n + 1) * sizeof *p->texts)};
  if (!p->lines || !p->texts)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for a plan of %zu sizes", chosen->n);
  for (size_t i = 0; i < chosen->n; i++) {
    const dcs_refinement *size = &chosen->list[i];
    snprintf(p->texts[i].atoms, sizeof p->texts[i].atoms, "%lld", (long long)size->atoms);
    snprintf(p->texts[i].grid, sizeof p->texts[i].grid, "%lldx%lldx%lld", (long long)size->n.x,
             (long long)size->n.y, (long long)size->n.z);
    add_lines(p, run, size, &p->texts[i]);
  }
  return DCS_OK;
}

/* ---- the sweep ---- */

/* The device of the run's GPU rows; NULL where there is none. */
static const char *device_of(const dcs_run *run) {
  int backend = dcs_table_column(run->summary.table, "backend");
  for (size_t row = 0; row < dcs_table_rows(run->summary.table); row++)
    if (strcmp(dcs_table_cell(run->summary.table, row, backend), "cuda") == 0)
      return cell_of(run, row, DCS_KEY_DEVICES);
  return NULL;
}

static dcs_status sweep(const char *folder, const dcs_run *run, const dcs_refine_options *options,
                        const plan *p) {
  dcs_sweep_options o = {.lines = p->lines, .n_lines = p->n, .out = folder, .resume = true};
  DCS_TRY(read_run(run, &o.grid, &o.run.seed));
  const char *own = device_of(run);
  o.input = o.run.input = options->input;
  o.kernels = o.run.kernels = options->kernels;
  o.run.grid = o.grid;
  o.device = options->device ? options->device : own ? own : "cuda:0";
  o.card = *fact(run, "gpu_name");
  o.device_chosen = options->device || o.card;
  o.timeout_s = options->timeout_s;
  o.sampling = dcs_sampling_of(options->rounds);
  return dcs_sweep(&o);
}

dcs_status dcs_refine_measure(const char *folder, const dcs_crossovers *found,
                              const dcs_refine_options *options, const dcs_refinements *chosen) {
  plan p;
  dcs_status status = make_plan(&found->measured.run, chosen, &p);
  if (status == DCS_OK) status = sweep(folder, &found->measured.run, options, &p);
  free(p.lines);
  free(p.texts);
  return status;
}
