#include "harness/explain/subject.h"

#include "harness/base/grow.h"
#include "harness/problems/case.h"
#include "harness/runs/record.h"
#include "kernels/common/probe.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dcs_explain_add(dcs_subject *s, const char *section, const char *name, double value,
                     const char *unit, const char *format, ...) {
  if (s->out->n == DCS_MAX_EXPLAINED) return;
  dcs_explained *line = &s->out->list[s->out->n++];
  *line = (dcs_explained){section, name, unit, value, ""};
  va_list args;
  va_start(args, format);
  vsnprintf(line->text, sizeof line->text, format, args);
  va_end(args);
}

void dcs_explain_number(dcs_subject *s, const char *section, const char *name, double value,
                        const char *unit) {
  dcs_explain_add(s, section, name, value, unit, "%s", "");
}

double dcs_explain_fact(const dcs_subject *s, const char *key) {
  const char *value = dcs_fact_value(s->request->facts, key);
  return *value ? strtod(value, NULL) : NAN;
}

void dcs_facts_of_run(const dcs_run *run, dcs_facts *facts) {
  facts->n = 0;
  for (size_t row = 0; row < dcs_table_rows(run->env); row++)
    dcs_fact_add(facts, dcs_table_cell(run->env, row, run->env_key), "%s",
                 dcs_table_cell(run->env, row, run->env_value));
}

/* ---- work ---- */

static dcs_status find_work(dcs_subject *s) {
  char why[DCS_TEXT];
  s->shape = dcs_size_problem(&s->size, s->spacing);
  if (!dcs_applicable(s->variant, &s->shape, s->config, why))
    return dcs_fail(DCS_USAGE, "%s: %s", s->variant->id, why);
  const dcs_dims points = s->variant->executed(&s->shape, s->config);
  s->useful = dcs_estimate(&s->size, s->spacing, NULL);
  s->executed =
      s->variant->candidates ? NAN : (double)s->shape.n_inputs * (double)dcs_points(points);
  s->flops = s->variant->flops_per_eval(s->config);
  s->bytes = dcs_bytes_moved(s->variant, &s->shape, s->config);
  return DCS_OK;
}

static void add_work(dcs_subject *s) {
  const char *eval = s->size.kind->eval;
  dcs_explain_add(s, "work", "evals", s->useful, eval, "%s",
                  s->variant->candidates ? "estimated, for atoms that are spread evenly" : "");
  if (s->variant->candidates)
    dcs_explain_add(s, "work", "executed_evals", NAN, eval,
                    s->variant->algorithm
                        ? "of another algorithm: they, and their bounds, follow from the atoms"
                        : "more: pairs are tried that turn out too far apart");
  else if (s->executed == s->useful)
    dcs_explain_add(s, "work", "executed_evals", s->executed, eval, "no padding");
  else
    dcs_explain_add(s, "work", "executed_evals", s->executed, eval, "%.3g%% more: padding",
                    100 * (s->executed / s->useful - 1));
  dcs_explain_add(s, "work", "operations_per_eval", s->flops, "",
                  isnan(s->flops) ? "a specification does not say"
                                  : "as written: FMA and reciprocal square root 2, others 1");
  dcs_explain_add(s, "work", "bytes_per_eval", s->bytes / s->useful, "bytes",
                  "of main memory at least: %.4g bytes in all", s->bytes);
  if (!isnan(s->flops))
    dcs_explain_number(s, "work", "operations_per_byte", s->flops * s->useful / s->bytes, "");
}

/* ---- CPU ---- */

static void add_cpu(dcs_subject *s) {
  const dcs_probe *probe = dcs_probe_of(s->variant, s->config);
  const int threads = dcs_role_value(s->variant, s->config, DCS_ROLE_THREADS, 1);
  dcs_explain_add(s, "cpu", "machine", NAN, "", "%s, %s CPUs (%s)",
                  dcs_fact_value(s->request->facts, "cpu_model"),
                  dcs_fact_value(s->request->facts, "cpus"), s->request->card);
  dcs_explain_number(s, "cpu", "threads", threads, "");
  if (probe)
    dcs_explain_add(s, "cpu", "vector_floats", probe->lanes, "floats", "%s vectors of %d bytes",
                    probe->isa, probe->lanes * (int)sizeof(float));
  else
    dcs_explain_add(s, "cpu", "vector_floats", NAN, "floats",
                    "as the C compiler makes of plain code: scalar where a sum has one order");
}

/* ---- the whole ---- */

static void name_all(const dcs_subject *s, char title[4 * DCS_TEXT]) {
  char config[DCS_TEXT], size[DCS_TEXT];
  dcs_format_config(s->variant, s->config, config);
  snprintf(title, 4 * DCS_TEXT, "%s %s\n%s\n%s, %s%s%s", s->variant->id, config, s->variant->idea,
           s->size.kind->id, dcs_size_text(&s->size, size), s->arch ? "; " : "",
           s->arch ? s->arch : "");
}

static dcs_status explain_gpu(dcs_subject *s) {
  dcs_status status = dcs_explain_code(s);
  free(s->listing.text);
  s->listing.text = NULL;
  return status;
}

dcs_status dcs_explain_method(const dcs_explain_request *request, dcs_explanation *explanation) {
  dcs_subject s = {.request = request,
                   .out = explanation,
                   .variant = request->method->variant,
                   .config = &request->method->config,
                   .code.registers = -1};
  explanation->n = 0;
  dcs_explain_find_row(&s);
  DCS_TRY(find_work(&s));
  add_work(&s);
  if (s.variant->backend == DCS_GPU)
    DCS_TRY(explain_gpu(&s));
  else
    add_cpu(&s);
  dcs_explain_bounds(&s);
  dcs_explain_measured(&s);
  name_all(&s, explanation->title);
  return DCS_OK;
}
