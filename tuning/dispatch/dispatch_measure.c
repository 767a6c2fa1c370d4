/* Measuring into a run's folder what a decision needs: again, rows that must not be believed; of
 * another run, what it is held against and lacks. */
#include "tuning/dispatch/dispatch_measure.h"

#include <math.h>
#include <string.h>

/* A row of so many samples is not taken again because they disagree. */
enum { ENOUGH = 15 };

typedef struct {
  char atoms[64], grid[64], problem[DCS_TEXT], config[DCS_TEXT];
} line_text;

typedef struct {
  dcs_room room;
  dcs_sweep_line *lines;
  line_text *texts;
  size_t n, most; /* lines; samples of one of them */
} plan;

static void add_line(plan *p, const char *variant, const char *config, const dcs_size *size,
                     dcs_scope scope) {
  line_text *text = &p->texts[p->n];
  dcs_size_words(size, text->atoms, text->grid);
  p->lines[p->n++] = (dcs_sweep_line){
      .variants = variant,
      .config = *config ? config : NULL,
      .atoms = text->atoms,
      .grid = text->grid,
      .scope = dcs_scope_name(scope),
      .problem = size->kind->id,
      .problem_config = dcs_format_problem(size->kind, &size->config, text->problem)};
}

static void add_row(plan *p, const dcs_run_row *row) {
  add_line(p, row->variant, row->config, &row->size, row->scope);
  p->lines[p->n - 1].memory = *row->memory ? row->memory : NULL;
  if (row->n_times > p->most) p->most = row->n_times;
}

static dcs_status make_room(plan *p, size_t lines) {
  DCS_TRY(dcs_room_take(&p->room, &p->lines, lines, sizeof *p->lines, "lines"));
  return dcs_room_take(&p->room, &p->texts, lines, sizeof *p->texts, "lines");
}

static dcs_status refuse_input(const dcs_run *run) {
  if (!*dcs_run_fact(run, "input")) return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "the run has the atoms of %s, and only its name is recorded: --measure is for "
                  "runs of random atoms",
                  dcs_run_fact(run, "input"));
}

/* ---- rows that are in doubt ---- */

typedef bool is_asked_for(const dcs_pool *p, const dcs_rate *rate);

/* Of few samples half took a quarter longer than the least: a fit may be led astray. */
static bool is_loose(const dcs_pool *p, const dcs_rate *rate) {
  const dcs_run_row *row = rate->row;
  (void)p;
  if (row->n_times == 0 || row->n_times >= ENOUGH) return false;
  return row->n_times == 1 || row->sorted[row->n_times / 2] > 1.25 * row->sorted[0];
}

/* CPU methods count in every scope, with their kernel time. */
static bool counts_in(const dcs_rate *rate, dcs_scope scope) {
  return rate->row->scope == scope || rate->method.variant->backend == DCS_CPU;
}

static double fastest(const dcs_pool *p, const dcs_size *size, dcs_scope scope) {
  double least = INFINITY;
  for (size_t i = 0; i < p->n_rates; i++) {
    const dcs_rate *rate = &p->rates[i];
    if (!rate->strays && counts_in(rate, scope) && dcs_same_size(&rate->row->size, size))
      least = fmin(least, rate->sample.ns);
  }
  return least;
}

static bool may_be_fastest(const dcs_pool *p, const dcs_rate *rate) {
  for (int s = 0; s < DCS_DISPATCH_SCOPES; s++) {
    const dcs_scope scope = dcs_dispatch_scopes[s];
    if (counts_in(rate, scope) && rate->row->sorted[0] < 1.25 * fastest(p, &rate->row->size, scope))
      return true;
  }
  return false;
}

/* Of few samples the middle half spreads over more than 5%, so that a loss may be theirs, and the
 * method may be the fastest there: others lose whatever they take. */
static bool is_unsettled(const dcs_pool *p, const dcs_rate *rate) {
  const size_t n = rate->row->n_times;
  const double *sorted = rate->row->sorted;
  if (n == 0 || n >= ENOUGH) return false;
  if (n >= 3 && sorted[3 * n / 4] - sorted[n / 4] <= 0.05 * sorted[n / 2]) return false;
  return may_be_fastest(p, rate);
}

static dcs_status make_plan(const dcs_run *run, is_asked_for *also, plan *p) {
  dcs_pool pool = {0};
  dcs_status status = dcs_pool_open(run, &pool);
  if (status == DCS_OK) status = make_room(p, pool.n_rates);
  for (size_t i = 0; status == DCS_OK && i < pool.n_rates; i++)
    if (pool.rates[i].doubtful || also(&pool, &pool.rates[i])) add_row(p, pool.rates[i].row);
  dcs_pool_close(&pool);
  return status;
}

/* With twice as many new samples as old ones the median is one of the new. */
static int rounds_of(const plan *p) {
  return p->most > ENOUGH / 3 ? 3 * (int)p->most : ENOUGH;
}

static dcs_status measure_again(const dcs_run *run, const dcs_refine_options *options, FILE *notes,
                                const plan *p) {
  dcs_refine_options how = *options;
  how.rounds = rounds_of(p);
  how.again = true;
  DCS_TRY(refuse_input(run));
  fprintf(notes,
          "%zu row%s measured again: samples disagree, or smaller and larger sizes took other "
          "times\n",
          p->n, p->n == 1 ? " is" : "s are");
  fflush(notes);
  return dcs_refine_sweep(run, &how, p->lines, (int)p->n);
}

static dcs_status measure_rows(const dcs_run *run, is_asked_for *also,
                               const dcs_refine_options *options, FILE *notes, size_t *measured) {
  plan p = {0};
  dcs_status status = make_plan(run, also, &p);
  *measured = p.n;
  if (status == DCS_OK && p.n > 0) status = measure_again(run, options, notes, &p);
  dcs_room_free(&p.room);
  return status;
}

dcs_status dcs_dispatch_measure(const dcs_run *run, const dcs_refine_options *options, FILE *notes,
                                size_t *measured) {
  return measure_rows(run, is_loose, options, notes, measured);
}

dcs_status dcs_dispatch_measure_held(const dcs_run *run, const dcs_refine_options *options,
                                     FILE *notes, size_t *measured) {
  return measure_rows(run, is_unsettled, options, notes, measured);
}

/* ---- what a check lacks ---- */

static bool same_line(const dcs_sweep_line *a, const dcs_sweep_line *b) {
  return strcmp(a->variants, b->variants) == 0 && strcmp(a->scope, b->scope) == 0 &&
         strcmp(a->atoms, b->atoms) == 0 && strcmp(a->grid, b->grid) == 0 &&
         strcmp(a->problem, b->problem) == 0 && strcmp(a->problem_config, b->problem_config) == 0 &&
         strcmp(a->config ? a->config : "", b->config ? b->config : "") == 0;
}

/* CPU methods come up once a scope, with the same time. */
static void drop_repeated(plan *p) {
  for (size_t i = 0; i + 1 < p->n; i++)
    if (same_line(&p->lines[i], &p->lines[p->n - 1])) {
      p->n--;
      return;
    }
}

static dcs_status plan_check(const dcs_dispatch_check *check, plan *p) {
  DCS_TRY(make_room(p, check->n));
  for (size_t i = 0; i < check->n; i++) {
    const dcs_dispatch_check_row *row = &check->rows[i];
    const dcs_dispatch_method *taken = row->taken.method;
    if (!taken || row->own) continue;
    char *config = p->texts[p->n].config;
    dcs_format_config(taken->variant, &taken->config, config);
    add_line(p, taken->variant->id, config, &row->row->size,
             taken->variant->backend == DCS_CPU ? DCS_KERNEL : row->scope);
    drop_repeated(p);
  }
  for (size_t r = 0; r < check->other.n_rates; r++)
    if (check->other.rates[r].row->n_times > p->most) p->most = check->other.rates[r].row->n_times;
  return DCS_OK;
}

/* As often as the run has measured others, if that is enough: rows that were in doubt have more. */
dcs_status dcs_dispatch_measure_taken(const dcs_dispatch_check *check,
                                      const dcs_refine_options *options, FILE *notes,
                                      size_t *measured) {
  const dcs_run *run = check->other.run;
  plan p = {0};
  dcs_refine_options how = *options;
  dcs_status status = plan_check(check, &p);
  *measured = p.n;
  how.rounds = p.most < ENOUGH ? (int)p.most : ENOUGH;
  if (status == DCS_OK && p.n > 0) status = refuse_input(run);
  if (status == DCS_OK && p.n > 0) {
    fprintf(notes, "%s lacks %zu time%s of what the table takes: measured now\n", run->folder, p.n,
            p.n == 1 ? "" : "s");
    fflush(notes);
    status = dcs_refine_sweep(run, &how, p.lines, (int)p.n);
  }
  dcs_room_free(&p.room);
  return status;
}
