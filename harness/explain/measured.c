/* The measurement that is nearest to a method on a size, and what was predicted beside it. */
#include "harness/explain/subject.h"

#include "harness/problems/case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- finding it ---- */

/* How far a row is from what is asked: another configuration is farther than another size. */
typedef struct {
  bool other_config;
  double other_size; /* the sum of |log| over the axes that were asked for */
} distance;

static bool comparable(const dcs_subject *s, const dcs_run_row *row) {
  return row->outcome == DCS_OUTCOME_OK && row->scope == DCS_KERNEL &&
         strcmp(row->variant, s->variant->id) == 0 && row->size.kind == s->size.kind &&
         (s->request->any_problem ||
          dcs_same_problem(row->size.kind, &row->size.config, &s->size.config)) &&
         !strchr(row->devices, ',') && row->evals_per_s > 0;
}

static double apart(int64_t a, int64_t b) {
  return fabs(log((double)a / (double)b));
}

static distance distance_of(const dcs_subject *s, const dcs_run_row *row, const char *config) {
  const dcs_explain_request *r = s->request;
  const dcs_dims n = dcs_size_points(&row->size);
  distance d = {.other_config = strcmp(row->config, config) != 0};
  if (r->atoms > 0) d.other_size += apart(dcs_size_inputs(&row->size), r->atoms);
  if (r->grid.x > 0)
    d.other_size += apart(n.x, r->grid.x) + apart(n.y, r->grid.y) + apart(n.z, r->grid.z);
  return d;
}

/* Of equal ones, that with the higher rate. */
static bool nearer(const distance *a, const dcs_run_row *row, const distance *b,
                   const dcs_run_row *other) {
  if (a->other_config != b->other_config) return b->other_config;
  if (a->other_size != b->other_size) return a->other_size < b->other_size;
  return row->evals_per_s > other->evals_per_s;
}

static void choose_size(dcs_subject *s) {
  const dcs_explain_request *r = s->request;
  const dcs_dims usual = {512, 512, 16};
  dcs_dims n = s->row ? dcs_size_points(&s->row->size) : usual;
  if (r->grid.x > 0) n = r->grid;
  const int64_t atoms = s->row ? dcs_size_inputs(&s->row->size) : 4000;
  s->size = dcs_size_of(s->size.kind, &s->size.config, r->atoms > 0 ? r->atoms : atoms, n);
}

void dcs_explain_find_row(dcs_subject *s) {
  const dcs_run *run = s->request->run;
  char config[DCS_TEXT];
  distance least = {0};
  dcs_format_config(s->variant, s->config, config);
  s->size = (dcs_size){.kind = dcs_kind_of(s->variant), .config = *s->request->problem};
  for (size_t i = 0; i < run->n_rows; i++) {
    const dcs_run_row *row = &run->rows[i];
    if (!comparable(s, row)) continue;
    const distance d = distance_of(s, row, config);
    if (s->row && !nearer(&d, row, &least, s->row)) continue;
    least = d;
    s->row = row;
  }
  if (s->row && s->request->any_problem) s->size.config = s->row->size.config;
  choose_size(s);
  s->same_method = s->row && !least.other_config;
  s->same = s->same_method && dcs_same_axes(&s->row->size, &s->size);
  s->spacing = s->row && s->row->spacing > 0 ? s->row->spacing : DCS_RANDOM_SPACING;
}

/* ---- saying it ---- */

static void add_where(dcs_subject *s) {
  const dcs_run *run = s->request->run;
  const bool gpu = s->variant->backend == DCS_GPU;
  char size[DCS_TEXT];
  dcs_explain_add(s, "measured", "machine", NAN, "", "%s, %s",
                  dcs_run_fact(run, gpu ? "gpu_name" : "cpu_model"), s->request->run_name);
  if (s->request->kernels)
    dcs_explain_add(s, "measured", "kernel", NAN, "", "as it was then, not that of %s",
                    s->request->kernels);
  if (!s->same)
    dcs_explain_add(s, "measured", "method", NAN, "", "not this one%s: the nearest is %s, %s",
                    s->same_method ? " on this size" : "", s->row->config,
                    dcs_size_text(&s->row->size, size));
}

static void add_prediction(dcs_subject *s) {
  const double predicted = s->request->predicted, rate = s->row ? s->row->evals_per_s : NAN;
  if (isnan(predicted)) return;
  dcs_explain_number(s, "measured", "predicted_evals_per_s", predicted, "evals/s");
  if (isnan(rate))
    dcs_explain_add(s, "measured", "prediction_ratio", NAN, "times",
                    "you said %.4g; nothing was measured to hold it against", predicted);
  else
    dcs_explain_add(s, "measured", "prediction_ratio", predicted / rate, "times",
                    "you said %.4g; measured %.4g: %.3g times", predicted, rate, predicted / rate);
}

static void add_row(dcs_subject *s) {
  const dcs_run_row *row = s->row;
  add_where(s);
  if (row->ci_lo_ns > 0)
    dcs_explain_add(s, "measured", "time", 1e-6 * row->median_ns, "ms", "%.4g to %.4g",
                    1e-6 * row->ci_lo_ns, 1e-6 * row->ci_hi_ns);
  else
    dcs_explain_number(s, "measured", "time", 1e-6 * row->median_ns, "ms");
  if (row->limit_fraction > 0)
    dcs_explain_add(s, "measured", "evals_per_s", row->evals_per_s, "evals/s",
                    "%.0f%% of the machine's measured limit", 100 * row->limit_fraction);
  else
    dcs_explain_number(s, "measured", "evals_per_s", row->evals_per_s, "evals/s");
  if (s->same && s->least_s > 0)
    dcs_explain_add(s, "measured", "of_the_limit", 1e9 * s->least_s / row->median_ns, "",
                    "the limit that binds takes %.0f%% of the measured time",
                    100 * 1e9 * s->least_s / row->median_ns);
}

void dcs_explain_measured(dcs_subject *s) {
  if (s->row)
    add_row(s);
  else
    dcs_explain_add(s, "measured", "time", NAN, "ms", "no kernel time of %s in %s", s->variant->id,
                    s->request->run_name);
  add_prediction(s);
}
