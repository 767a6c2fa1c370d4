/* From a run to a decision: costs fitted to each method, the few methods that matter, and what the
 * decision loses at sizes held out. */
#include "tuning/dispatch/dispatch_pool.h"

#include <stdlib.h>
#include <string.h>

/* ---- a table ---- */

static void note_few_methods(const dcs_pool *p, FILE *notes) {
  char text[DCS_TEXT];
  if (p->n == 0 ? p->made == 0 : p->n > 1) return;
  fprintf(
      notes,
      "%s, scope %s: %zu method%s of %zu measured at %d sizes or more: nothing to choose from\n",
      dcs_dispatch_text(p->family, text), dcs_scope_name(p->scope), p->n, p->n == 1 ? "" : "s",
      p->made, DCS_DISPATCH_SIZES);
}

static dcs_status choose_methods(dcs_pool *p, dcs_dispatch_table *table) {
  size_t chosen[DCS_DISPATCH_MOST];
  DCS_TRY(dcs_pool_hold_out(p, table));
  dcs_pool_fit(p, p->n_sizes);
  table->n = dcs_pool_choose(p, p->n_sizes, chosen);
  for (int i = 0; i < table->n; i++) {
    const dcs_candidate *c = &p->list[chosen[i]];
    table->list[i] =
        (dcs_dispatch_method){c->method.variant, c->method.config, c->cost, (int64_t)c->measured};
  }
  return DCS_OK;
}

/* ---- a run ---- */

static dcs_status find_families(const dcs_pool *p, dcs_dispatch *dispatch) {
  for (size_t r = 0; r < p->n_rates; r++) {
    const dcs_size *size = &p->rates[r].row->size;
    if (!dcs_dispatch_add(dispatch, size->kind, &size->config))
      return dcs_fail(DCS_INPUT,
                      "%s: found more than %d families of problems; expected fewer: a family is a "
                      "kind with values of its parameters, real ones aside",
                      dcs_table_path(p->run->summary), DCS_DISPATCH_FAMILIES);
  }
  return DCS_OK;
}

static dcs_status draw_all(dcs_pool *p, FILE *notes, dcs_dispatch *dispatch) {
  int methods = 0;
  DCS_TRY(find_families(p, dispatch));
  for (int f = 0; f < dispatch->n_families; f++)
    for (int s = 0; s < DCS_DISPATCH_SCOPES; s++) {
      dcs_dispatch_table *table = &dispatch->families[f].tables[s];
      DCS_TRY(dcs_pool_fill(p, &dispatch->families[f], dcs_dispatch_scopes[s]));
      if (p->n > 0) DCS_TRY(choose_methods(p, table));
      note_few_methods(p, notes);
      methods += table->n;
    }
  if (methods > 0) return DCS_OK;
  return dcs_fail(DCS_INPUT,
                  "%s: no method was measured at %d sizes or more; a decision by size needs them",
                  dcs_table_path(p->run->summary), DCS_DISPATCH_SIZES);
}

/* What a table is for: times of several cards are those of as many. */
static void take_facts(const dcs_run *run, dcs_dispatch *dispatch) {
  const long cards = strtol(dcs_run_fact(run, "gpu_count"), NULL, 10);
  char *gpu = dispatch->facts[DCS_FOR_GPU];
  for (int f = 0; f < DCS_N_FOR; f++)
    snprintf(dispatch->facts[f], sizeof dispatch->facts[f], "%s",
             f == DCS_FOR_PRECISION ? "float" : dcs_run_fact(run, dcs_dispatch_facts[f]));
  if (cards > 1)
    dcs_dispatch_cards((int)cards, dcs_run_fact(run, dcs_dispatch_facts[DCS_FOR_GPU]), gpu,
                       sizeof dispatch->facts[DCS_FOR_GPU]);
}

static dcs_status draw(const dcs_run *run, FILE *notes, dcs_dispatch *dispatch) {
  dcs_pool p;
  *dispatch = (dcs_dispatch){0};
  take_facts(run, dispatch);
  dcs_status status = dcs_pool_open(run, &p);
  if (status == DCS_OK) dcs_pool_print_strays(&p, notes);
  if (status == DCS_OK) status = draw_all(&p, notes, dispatch);
  dcs_pool_close(&p);
  return status;
}

/* Rows whose measurement an interrupt ended; samples that it left without a row are said by
 * dcs_run_notes(). */
static void note_interrupted(const dcs_run *run, FILE *notes) {
  size_t n = 0;
  for (size_t i = 0; i < run->n_rows; i++)
    n += strcmp(dcs_run_cell(run, &run->rows[i], "stop_reason"), "interrupted") == 0;
  if (n > 0)
    fprintf(notes,
            "%zu row%s of the summary %s cut short: the sweep was interrupted, and the table is "
            "drawn from what there is\n",
            n, n == 1 ? "" : "s", n == 1 ? "was" : "were");
}

dcs_status dcs_dispatch_draw(const dcs_run *run, FILE *notes, dcs_dispatch *dispatch) {
  dcs_run_notes(run, notes);
  note_interrupted(run, notes);
  dcs_pool_notes(run, notes);
  return draw(run, notes, dispatch);
}
