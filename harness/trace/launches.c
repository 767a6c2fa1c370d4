#include "harness/trace/launches.h"

#include "harness/base/embedded.h"
#include "harness/base/text.h"
#include "harness/engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dcs_status as_status(dcs_outcome outcome) {
  switch (outcome) {
  case DCS_OUTCOME_OK:
    return DCS_OK;
  case DCS_OUTCOME_INAPPLICABLE:
    return DCS_USAGE;
  case DCS_OUTCOME_NOT_BUILT:
  case DCS_OUTCOME_NO_DEVICE:
  case DCS_OUTCOME_MEMORY:
    return DCS_UNAVAILABLE;
  default:
    return DCS_FAILED;
  }
}

/* The launches as the engine has them; `out` has room for the outputs. */
static dcs_status run_launches(dcs_engine *engine, const dcs_method *method, const dcs_case *c,
                               void *const out[DCS_MAX_BUFFERS]) {
  dcs_code_facts facts;
  double ns;
  DCS_TRY(as_status(engine->take(engine, c->kind, &c->problem, out)));
  DCS_TRY(as_status(
      engine->prepare(engine, 0, &c->problem.config, method->variant, &method->config, &facts)));
  return as_status(engine->run(engine, 0, DCS_UNTIMED, DCS_PAGEABLE, 1, &ns));
}

/* watch: NULL, nobody does. */
static dcs_status run_on(const char *device, const dcs_method *method, const dcs_case *c,
                         const char *kernels, const dcs_watch *watch,
                         void *const out[DCS_MAX_BUFFERS]) {
  dcs_engine *engine;
  DCS_TRY(dcs_engine_device_open(device, kernels, &engine));
  if (watch) engine->device->observe(engine->device, watch->observer);
  dcs_status status = run_launches(engine, method, c, out);
  if (status == DCS_OK && watch) status = watch->done(watch->observer->context, engine->device);
  engine->close(engine);
  return status;
}

static dcs_status check_and_run(const char *device, const dcs_method *method, const dcs_case *c,
                                const char *kernels, const dcs_watch *watch) {
  char why[DCS_TEXT];
  if (method->variant->backend != DCS_GPU)
    return dcs_fail(DCS_USAGE, "%s runs on the CPU; expected a variant for a GPU",
                    method->variant->id);
  if (!dcs_applicable(method->variant, &c->problem, &method->config, why))
    return dcs_fail(DCS_USAGE, "%s: %s", method->variant->id, why);
  void *out[DCS_MAX_BUFFERS] = {NULL};
  dcs_status status = DCS_OK;
  for (int b = 0; b < c->kind->n_buffers; b++) {
    if (!c->kind->buffers[b].output) continue;
    out[b] = malloc(dcs_buffer_bytes(c->kind, b, &c->problem));
    if (!out[b]) status = dcs_fail(DCS_UNAVAILABLE, "no memory for the output of a watched kernel");
  }
  if (status == DCS_OK) status = run_on(device, method, c, kernels, watch, out);
  for (int b = 0; b < DCS_MAX_BUFFERS; b++)
    free(out[b]);
  return status;
}

dcs_status dcs_watch_launches(const dcs_method *method, const dcs_case *c, const char *kernels,
                              const dcs_watch *watch) {
  const char *device = dcs_watched_device();
  if (!device) return dcs_fail(DCS_UNAVAILABLE, "this program has no device that can be watched");
  return check_and_run(device, method, c, kernels, watch);
}

dcs_status dcs_run_launches(const dcs_method *method, const dcs_case *c, const char *kernels,
                            const char *device) {
  return check_and_run(device, method, c, kernels, NULL);
}

bool dcs_blocks_depend(const dcs_method *method, const dcs_case *c) {
  dcs_plan plan = {0};
  if (!method->variant->plan) return false;
  method->variant->plan(&c->problem, &method->config, &plan);
  for (int s = 0; s < DCS_MAX_SCRATCH; s++)
    if (plan.scratch[s].zero) return true;
  for (int s = 0; s < plan.n_steps; s++)
    if (plan.steps[s].does == DCS_STEP_KERNEL || plan.steps[s].does == DCS_STEP_FFT) return true;
  return false;
}

/* ---- lines ---- */

static void find_text(dcs_source_line *line) {
  char *read = NULL;
  const char *at = dcs_embedded(line->place.file);
  if (!at && dcs_read_file(line->place.file, &read, NULL) == DCS_OK) at = read;
  for (int n = 1; at && *at && n < line->place.line; n++) {
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  if (at) at += strspn(at, " \t");
  snprintf(line->text, sizeof line->text, "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
  free(read);
}

dcs_status dcs_find_lines(dcs_device *device, const dcs_module *module, const uint64_t *codes,
                          int n, dcs_source_line **lines) {
  dcs_place *places = calloc((size_t)n + 1, sizeof *places);
  dcs_source_line *found = calloc((size_t)n + 1, sizeof *found);
  dcs_status status = places && found ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for lines");
  if (status == DCS_OK && n > 0) status = device->locate(device, module, codes, n, places);
  for (int i = 0; status == DCS_OK && i < n; i++) {
    found[i].place = places[i];
    find_text(&found[i]);
  }
  free(places);
  if (status == DCS_OK)
    *lines = found;
  else
    free(found);
  return status;
}
