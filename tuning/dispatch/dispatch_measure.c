/* Measuring again, into the run's folder, rows of which some must be wrong. */
#include "tuning/dispatch/dispatch_measure.h"

#include <string.h>

typedef struct {
  char atoms[64], grid[64], problem[DCS_TEXT];
} line_text;

typedef struct {
  dcs_pool pool;
  dcs_sweep_line *lines;
  line_text *texts;
  size_t n, most; /* lines; samples of one of them */
} plan;

static void add_line(plan *p, const dcs_run_row *row) {
  const dcs_size *size = &row->size;
  line_text *text = &p->texts[p->n];
  dcs_size_words(size, text->atoms, text->grid);
  p->lines[p->n++] = (dcs_sweep_line){
      .variants = row->variant,
      .config = *row->config ? row->config : NULL,
      .atoms = text->atoms,
      .grid = text->grid,
      .scope = dcs_scope_name(row->scope),
      .memory = *row->memory ? row->memory : NULL,
      .problem = size->kind->id,
      .problem_config = dcs_format_problem(size->kind, &size->config, text->problem)};
  if (row->n_times > p->most) p->most = row->n_times;
}

static dcs_status make_plan(const dcs_run *run, plan *p) {
  DCS_TRY(dcs_pool_open(run, &p->pool));
  const size_t doubtful = p->pool.n_doubtful;
  DCS_TRY(dcs_room_take(&p->pool.room, &p->lines, doubtful, sizeof *p->lines, "lines"));
  DCS_TRY(dcs_room_take(&p->pool.room, &p->texts, doubtful, sizeof *p->texts, "lines"));
  for (size_t i = 0; i < p->pool.n_rates; i++)
    if (p->pool.rates[i].doubtful) add_line(p, p->pool.rates[i].row);
  return DCS_OK;
}

/* With twice as many new samples as old ones the median is one of the new. */
static int rounds_of(const plan *p) {
  const int least = 15;
  return p->most > (size_t)least / 3 ? 3 * (int)p->most : least;
}

dcs_status dcs_dispatch_measure(const dcs_run *run, const dcs_refine_options *options, FILE *notes,
                                size_t *doubtful) {
  plan p = {0};
  dcs_refine_options how = *options;
  dcs_status status = make_plan(run, &p);
  *doubtful = p.n;
  if (status == DCS_OK && *dcs_run_fact(run, "input"))
    status = dcs_fail(DCS_USAGE,
                      "the run has the atoms of %s, and only its name is recorded: --measure is "
                      "for runs of random atoms",
                      dcs_run_fact(run, "input"));
  how.rounds = rounds_of(&p);
  how.again = true;
  if (status == DCS_OK && p.n > 0) {
    fprintf(notes, "%zu row%s measured again: smaller and larger sizes took other times\n", p.n,
            p.n == 1 ? " is" : "s are");
    fflush(notes);
    status = dcs_refine_sweep(run, &how, p.lines, (int)p.n);
  }
  dcs_pool_close(&p.pool);
  return status;
}
