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
  if (*name && !options->input.files[0])
    return dcs_fail(DCS_USAGE,
                    "the run has the atoms of %s, and only its name is recorded: give the file "
                    "with --input",
                    name);
  if (!options->input.files[0]) return DCS_OK;
  for (int f = 0; f < 2 && options->input.files[f]; f++)
    if (strcmp(options->input.files[f], "-") == 0 ||
        (stat(options->input.files[f], &facts) == 0 && !S_ISREG(facts.st_mode)))
      return dcs_fail(
          DCS_USAGE,
          "--input: %s is not a file whose bytes stay; expected one, which is read twice: "
          "to choose the sizes, and to measure them",
          options->input.files[f]);
  dcs_molecule molecule = {0};
  dcs_status status = dcs_molecule_read(&options->input, &molecule, stderr);
  if (status == DCS_OK) *most_atoms = molecule.n;
  dcs_molecule_free(&molecule);
  return status;
}

/* ---- what is unfinished ---- */

static bool is_unfinished(const dcs_run *run, size_t row) {
  const char *reason = dcs_run_cell(run, &run->rows[row], "stop_reason");
  return strcmp(reason, "interrupted") == 0 || strcmp(reason, "killed") == 0;
}

size_t dcs_refine_unfinished(const dcs_crossovers *found) {
  const dcs_run *run = &found->measured.run;
  size_t n = 0;
  for (size_t row = 0; row < run->n_rows; row++)
    n += is_unfinished(run, row);
  return n;
}

/* ---- lines of a plan ---- */

typedef char size_text[2][64]; /* atoms, grid */

typedef struct {
  dcs_room room;
  dcs_sweep_line *lines;
  size_text *texts;          /* of each size, then of each row that is unfinished */
  char (*configs)[DCS_TEXT]; /* of each problem, then of each such row */
  int n;
} plan;

static void add_line(plan *p, const dcs_run_row *row, const dcs_kind *kind, const size_text text,
                     const char *problem) {
  p->lines[p->n++] = (dcs_sweep_line){.variants = row->variant,
                                      .config = *row->config ? row->config : NULL,
                                      .atoms = text[0],
                                      .grid = text[1],
                                      .scope = dcs_scope_name(row->scope),
                                      .memory = *row->memory ? row->memory : NULL,
                                      .problem = kind->id,
                                      .problem_config = problem};
}

/* The methods that are the best of a class at the sizes nearby. */
static void add_lines(plan *p, const dcs_measured *m, const dcs_refinement *size,
                      const size_text text) {
  for (int side = 0; side < 2; side++)
    for (int b = 0; b < m->n_problems * m->n_classes; b++)
      if (size->near[side]->best[b])
        add_line(p, size->near[side]->best[b], size->size.kind, text, p->configs[b / m->n_classes]);
}

/* Of the other sizes, the one nearest in log space; NULL: there is none. */
static const dcs_measured_size *nearest(const dcs_measured *m, const dcs_size *size) {
  const dcs_measured_size *found = NULL;
  double least = INFINITY;
  for (size_t i = 0; i < m->n_sizes; i++) {
    const dcs_size *other = &m->sizes[i].size;
    double distance = 0;
    if (other->kind != size->kind || dcs_same_axes(other, size)) continue;
    for (int a = 0; a < size->kind->n_axes; a++)
      distance += fabs(log((double)other->axes[a] / (double)size->axes[a]));
    if (distance < least) {
      least = distance;
      found = &m->sizes[i];
    }
  }
  return found;
}

/* Those rows, and what was to be measured beside them and may have none yet. */
static void add_unfinished(plan *p, const dcs_measured *m, size_text *text,
                           char (*problem)[DCS_TEXT]) {
  const dcs_run *run = &m->run;
  for (size_t row = 0; row < run->n_rows; row++) {
    if (!is_unfinished(run, row)) continue;
    const dcs_size *size = &run->rows[row].size;
    const dcs_measured_size *near = nearest(m, size);
    dcs_size_words(size, (*text)[0], (*text)[1]);
    dcs_format_problem(size->kind, &size->config, *problem);
    add_line(p, &run->rows[row], size->kind, *text, *problem++);
    if (near) add_lines(p, m, &(dcs_refinement){.size = *size, .near = {near, near}}, *text);
    text++;
  }
}

static dcs_status make_plan(const dcs_crossovers *found, const dcs_refinements *chosen, plan *p) {
  const dcs_measured *m = &found->measured;
  const size_t best = (size_t)m->n_problems * (size_t)m->n_classes,
               unfinished = dcs_refine_unfinished(found), sizes = chosen->n + unfinished;
  DCS_TRY(
      dcs_room_take(&p->room, &p->lines, 2 * best * sizes + unfinished, sizeof *p->lines, "lines"));
  DCS_TRY(dcs_room_take(&p->room, &p->texts, sizes, sizeof *p->texts, "sizes"));
  DCS_TRY(dcs_room_take(&p->room, &p->configs, (size_t)m->n_problems + unfinished,
                        sizeof *p->configs, "problems"));
  for (int i = 0; i < m->n_problems; i++)
    dcs_format_problem(m->problems[i].kind, &m->problems[i].config, p->configs[i]);
  for (size_t i = 0; i < chosen->n; i++) {
    dcs_size_words(&chosen->list[i].size, p->texts[i][0], p->texts[i][1]);
    add_lines(p, m, &chosen->list[i], p->texts[i]);
  }
  add_unfinished(p, m, p->texts + chosen->n, p->configs + m->n_problems);
  return DCS_OK;
}

/* ---- the sweep ---- */

/* The device of the run's GPU rows; NULL where there is none. */
static const char *device_of(const dcs_run *run) {
  for (size_t i = 0; i < run->n_rows; i++)
    if (run->rows[i].backend == DCS_GPU) return run->rows[i].devices;
  return NULL;
}

dcs_status dcs_refine_sweep(const dcs_run *run, const dcs_refine_options *options,
                            const dcs_sweep_line *lines, int n) {
  dcs_sweep_options o = {
      .lines = lines, .n_lines = n, .out = run->folder, .resume = true, .again = options->again};
  DCS_TRY(read_run(run, &o.run.grid, &o.run.seed));
  const char *own = device_of(run);
  o.run.input = options->input;
  o.run.kernels = options->kernels;
  o.device = options->device ? options->device : own ? own : dcs_default_device();
  o.card = *dcs_run_fact(run, "gpu_name");
  o.device_chosen = options->device || o.card;
  o.timeout_s = options->timeout_s;
  o.budget_s = options->budget_s;
  o.sampling = dcs_sampling_of(options->rounds);
  return dcs_sweep(&o);
}

dcs_status dcs_refine_measure(const dcs_crossovers *found, const dcs_refine_options *options,
                              const dcs_refinements *chosen) {
  plan p = {0};
  dcs_status status = make_plan(found, chosen, &p);
  if (status == DCS_OK) status = dcs_refine_sweep(&found->measured.run, options, p.lines, p.n);
  dcs_room_free(&p.room);
  return status;
}
