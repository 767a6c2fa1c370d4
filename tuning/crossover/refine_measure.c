/* Measuring the chosen sizes into the run's folder. */
#include "tuning/crossover/refine.h"

#include "harness/base/text.h"
#include "harness/input/molecule.h"
#include "harness/sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what the run records ---- */

static dcs_status number_fact(const dcs_run *run, const char *key, double *value) {
  char what[4200];
  if (!*dcs_run_fact(run, key)) return DCS_OK;
  snprintf(what, sizeof what, "%s: %s", dcs_table_path(run->env), key);
  return dcs_parse_number(what, dcs_run_fact(run, key), -1e9, 1e9, value);
}

static dcs_status read_origin(const dcs_run *run, dcs_grid *grid) {
  const char *text = dcs_run_fact(run, "asked_origin");
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
  DCS_TRY(dcs_parse_integer(what, dcs_run_fact(run, "seed"), 0, INT64_MAX, &value));
  *seed = (uint64_t)value;
  return DCS_OK;
}

dcs_status dcs_refine_most_atoms(const dcs_crossovers *found, const dcs_refine_options *options,
                                 int64_t *most_atoms) {
  const char *name = dcs_run_fact(&found->measured.run, "input");
  struct stat facts;
  *most_atoms = INT64_MAX;
  if (*name && !options->input)
    return dcs_fail(DCS_USAGE,
                    "the run has the atoms of %s, and only its name is recorded: give the file "
                    "with --input",
                    name);
  if (!options->input) return DCS_OK;
  if (stat(options->input, &facts) == 0 && !S_ISREG(facts.st_mode))
    return dcs_fail(
        DCS_USAGE,
        "--input: %s is not a file whose bytes stay; expected one, which is read twice: "
        "to choose the sizes, and to measure them",
        options->input);
  dcs_molecule molecule = {0};
  dcs_status status = dcs_molecule_read(options->input, &molecule, stderr);
  if (status == DCS_OK) *most_atoms = molecule.n;
  dcs_molecule_free(&molecule);
  return status;
}

/* ---- lines of a plan ---- */

typedef struct {
  dcs_room room;
  dcs_sweep_line *lines;
  char (*texts)[DCS_MAX_DIMENSIONS][64]; /* of each size, by dimension */
  char (*configs)[DCS_TEXT];             /* of each problem */
  int n;
} plan;

/* The methods that are the best of a class at the sizes nearby. */
static void add_lines(plan *p, const dcs_measured *m, const dcs_refinement *size,
                      const char text[DCS_MAX_DIMENSIONS][64]) {
  for (int side = 0; side < 2; side++)
    for (int b = 0; b < m->n_problems * m->n_classes; b++) {
      const dcs_run_row *best = size->near[side]->best[b];
      if (best)
        p->lines[p->n++] = (dcs_sweep_line){.variants = best->variant,
                                            .config = *best->config ? best->config : NULL,
                                            .atoms = text[0],
                                            .grid = text[1],
                                            .scope = dcs_scope_name(best->scope),
                                            .memory = *best->memory ? best->memory : NULL,
                                            .problem = size->size.kind->id,
                                            .problem_config = p->configs[b / m->n_classes]};
    }
}

static dcs_status make_plan(const dcs_measured *m, const dcs_refinements *chosen, plan *p) {
  const size_t best = (size_t)(m->n_problems * m->n_classes);
  DCS_TRY(dcs_room_take(&p->room, &p->lines, 2 * best * chosen->n, sizeof *p->lines, "lines"));
  DCS_TRY(dcs_room_take(&p->room, &p->texts, chosen->n, sizeof *p->texts, "sizes"));
  DCS_TRY(
      dcs_room_take(&p->room, &p->configs, (size_t)m->n_problems, sizeof *p->configs, "problems"));
  for (int i = 0; i < m->n_problems; i++)
    dcs_format_problem(m->problems[i].kind, &m->problems[i].config, p->configs[i]);
  for (size_t i = 0; i < chosen->n; i++) {
    const dcs_size *size = &chosen->list[i].size;
    for (int d = 0; d < size->kind->n_dimensions; d++)
      dcs_dimension_text(size, d, p->texts[i][d]);
    add_lines(p, m, &chosen->list[i], p->texts[i]);
  }
  return DCS_OK;
}

/* ---- the sweep ---- */

/* The device of the run's GPU rows; NULL where there is none. */
static const char *device_of(const dcs_run *run) {
  for (size_t i = 0; i < run->n_rows; i++)
    if (run->rows[i].backend == DCS_GPU) return run->rows[i].devices;
  return NULL;
}

static dcs_status sweep(const char *folder, const dcs_run *run, const dcs_refine_options *options,
                        const plan *p) {
  dcs_sweep_options o = {.lines = p->lines, .n_lines = p->n, .out = folder, .resume = true};
  DCS_TRY(read_run(run, &o.run.grid, &o.run.seed));
  const char *own = device_of(run);
  o.run.input = options->input;
  o.run.kernels = options->kernels;
  o.device = options->device ? options->device : own ? own : dcs_default_device();
  o.card = *dcs_run_fact(run, "gpu_name");
  o.device_chosen = options->device || o.card;
  o.timeout_s = options->timeout_s;
  o.sampling = dcs_sampling_of(options->rounds);
  return dcs_sweep(&o);
}

dcs_status dcs_refine_measure(const char *folder, const dcs_crossovers *found,
                              const dcs_refine_options *options, const dcs_refinements *chosen) {
  plan p = {0};
  dcs_status status = make_plan(&found->measured, chosen, &p);
  if (status == DCS_OK) status = sweep(folder, &found->measured.run, options, &p);
  dcs_room_free(&p.room);
  return status;
}
