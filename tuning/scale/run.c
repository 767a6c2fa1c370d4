/* The jobs of a study, in random order within each round, and a row for each. */
#include "tuning/scale/scale.h"

#include "harness/base/grow.h"
#include "harness/base/interrupt.h"
#include "harness/base/random.h"
#include "harness/files/csv.h"

#include <stdio.h>
#include <stdlib.h>

void dcs_scale_free(dcs_scale *s) {
  free(s->points);
  free(s->runs);
  *s = (dcs_scale){0};
}

char *dcs_scale_point_text(const dcs_scale_point *p, char text[DCS_SCALE_POINT_TEXT]) {
  const bool cards = p->cards > 0;
  const int n = cards ? p->cards : p->threads;
  snprintf(text, DCS_SCALE_POINT_TEXT, "%d rank%s %s %d %s%s", p->ranks, p->ranks > 1 ? "s" : "",
           cards ? "on" : "of", n, cards ? "card" : "thread", n > 1 ? "s" : "");
  return text;
}

static dcs_status put_header(dcs_csv *csv) {
  static const char *const columns[] = DCS_NAMES(
      "schema", "round", "scaling", "ranks", "threads", "cards", "workers", "frames", "crowded",
      "parts", "most_parts", "steps", "slices", "launch_s", "wall_s", "preparing_s", "reading_s",
      "computing_s", "communicating_s", "hidden_s", "receiving_s", "writing_s");
  return dcs_csv_header(csv, columns);
}

static dcs_status put_run(dcs_csv *csv, const dcs_scale_point *p, const dcs_scale_run *r) {
  dcs_csv_text(csv, DCS_SCALE_SCHEMA);
  dcs_csv_integer(csv, r->round);
  dcs_csv_text(csv, p->weak ? "weak" : "strong");
  dcs_csv_integer(csv, p->ranks);
  dcs_csv_integer(csv, p->threads);
  dcs_csv_integer(csv, p->cards);
  dcs_csv_integer(csv, p->workers);
  if (p->weak)
    dcs_csv_integer(csv, p->frames);
  else
    dcs_csv_empty(csv);
  dcs_csv_integer(csv, p->crowded);
  dcs_csv_integer(csv, r->parts);
  dcs_csv_integer(csv, r->most_parts);
  dcs_csv_integer(csv, r->steps);
  dcs_csv_integer(csv, r->slices);
  DCS_CSV_NUMBERS(csv, r->launch_s, r->wall_s, r->preparing_s, r->reading_s, r->computing_s,
                  r->communicating_s, r->hidden_s, r->receiving_s, r->writing_s);
  return dcs_csv_row(csv);
}

static dcs_status run_point(const dcs_scale_plan *plan, int point, int round, dcs_csv *csv,
                            dcs_scale *s) {
  const dcs_scale_point *p = &s->points[point];
  dcs_scale_run run = {.point = point, .round = round};
  char of[DCS_SCALE_POINT_TEXT], what[96];
  snprintf(what, sizeof what, "%s, round %d", dcs_scale_point_text(p, of), round + 1);
  dcs_progress_draw(plan->progress, (double)s->n_runs / (double)(plan->rounds * s->n_points), what);
  if (dcs_interrupted()) return dcs_fail(DCS_FAILED, "interrupted");
  DCS_TRY(dcs_scale_job(plan, p, &run));
  DCS_TRY(dcs_grow(&s->runs, (size_t)s->n_runs, sizeof run, "runs"));
  s->runs[s->n_runs++] = run;
  return put_run(csv, p, &run);
}

static dcs_status run_rounds(const dcs_scale_plan *plan, dcs_csv *csv, int *order, dcs_scale *s) {
  dcs_random random = {plan->seed};
  DCS_TRY(put_header(csv));
  for (int i = 0; i < s->n_points; i++)
    order[i] = i;
  for (int round = 0; round < plan->rounds; round++) {
    dcs_shuffle(&random, order, s->n_points);
    for (int i = 0; i < s->n_points; i++)
      DCS_TRY(run_point(plan, order[i], round, csv, s));
  }
  return DCS_OK;
}

dcs_status dcs_scale_run_all(const dcs_scale_plan *plan, const char *path, dcs_scale *s) {
  dcs_csv csv;
  int *order = calloc((size_t)s->n_points, sizeof *order);
  if (!order) return dcs_fail(DCS_UNAVAILABLE, "no memory for %d points", s->n_points);
  dcs_status status = dcs_csv_append(&csv, path); /* what was measured stays */
  if (status == DCS_OK) status = dcs_csv_finish(&csv, run_rounds(plan, &csv, order, s));
  dcs_progress_clear(plan->progress);
  free(order);
  return status;
}
