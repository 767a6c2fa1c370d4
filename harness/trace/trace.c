#include "harness/trace/trace.h"

#include "harness/base/embedded.h"
#include "harness/base/grow.h"
#include "harness/base/text.h"
#include "harness/engine/engine.h"
#include "harness/trace/warp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *dcs_access_name(dcs_seen_kind access) {
  return access == DCS_SEEN_LOAD ? "load" : access == DCS_SEEN_STORE ? "store" : "atomic";
}

const char *dcs_memory_space_name(dcs_memory_space space) {
  static const char *const names[DCS_N_SPACES] = {"global", "constant", "shared"};
  return names[space];
}

/* ---- what the device tells ---- */

enum { MOST_WARPS = 32 };

typedef struct {
  dcs_kernel_trace *trace;
  const dcs_trace_options *options;
  bool blocks_depend; /* on each other: all are run, whichever are counted */
  dcs_module *module; /* of all launches */
  int64_t blocks;     /* of this launch */
  int threads;        /* of a block */
  bool counting;      /* this block */
  dcs_warp warps[MOST_WARPS];
  uint32_t warp_lanes; /* of the warp that is put together: those that it has */
  dcs_status status;   /* the first failure, which dcs_error_message() tells of */
} recorder;

static void on_launch(void *context, dcs_module *module, const char *kernel, const int64_t grid[3],
                      const int block[3]) {
  recorder *r = context;
  (void)kernel;
  r->module = module;
  r->blocks = grid[0] * grid[1] * grid[2];
  r->threads = block[0] * block[1] * block[2];
  r->trace->launches++;
  r->trace->blocks += r->blocks;
}

static bool on_block(void *context, int64_t block) {
  recorder *r = context;
  r->counting = r->status == DCS_OK && (r->options->all_blocks || block == 0 ||
                                        block == r->blocks / 2 || block == r->blocks - 1);
  r->trace->watched += r->counting;
  return r->counting || (r->blocks_depend && r->status == DCS_OK);
}

static void on_seen(void *context, int thread, const dcs_seen *seen) {
  recorder *r = context;
  if (!r->counting || r->status != DCS_OK) return;
  r->status = dcs_warp_add(&r->warps[thread / DCS_WARP], thread % DCS_WARP, seen);
}

/* ---- counting ---- */

/* The row of that place; NULL when memory is short. */
static dcs_trace_row *row_of(recorder *r, const dcs_memory_request *request) {
  dcs_kernel_trace *trace = r->trace;
  for (int i = 0; i < trace->n_rows; i++) {
    dcs_trace_row *row = &trace->rows[i];
    if (row->code == request->code && row->access == request->kind && row->space == request->space)
      return row;
  }
  r->status =
      dcs_grow(&trace->rows, (size_t)trace->n_rows, sizeof *trace->rows, "lines of a trace");
  if (r->status != DCS_OK) return NULL;
  trace->rows[trace->n_rows] =
      (dcs_trace_row){.code = request->code, .access = request->kind, .space = request->space};
  return &trace->rows[trace->n_rows++];
}

static void count_request(void *context, const dcs_memory_request *request) {
  recorder *r = context;
  dcs_trace_row *row = row_of(r, request);
  if (!row) return;
  const dcs_request_counts counts = dcs_request_count(request);
  row->requests++;
  row->sectors += counts.sectors;
  row->lines += counts.lines;
  row->bytes_used += counts.bytes_used;
  row->bank_conflicts += counts.bank_conflicts;
  row->distinct += counts.distinct;
  row->divergent += request->lanes != r->warp_lanes;
  if (__builtin_popcount(request->lanes) > __builtin_popcount(row->shown.lanes))
    row->shown = *request;
}

static void on_together(void *context) {
  recorder *r = context;
  if (!r->counting || r->status != DCS_OK) return;
  for (int w = 0; w * DCS_WARP < r->threads; w++) {
    const int lanes = r->threads - w * DCS_WARP;
    r->warp_lanes = lanes < DCS_WARP ? (UINT32_C(1) << lanes) - 1 : UINT32_MAX;
    dcs_warp_together(&r->warps[w], count_request, r);
  }
}

/* ---- lines ---- */

static int by_place(const void *a, const void *b) {
  const dcs_trace_row *x = a, *y = b;
  const int files = strcmp(x->place.file, y->place.file);
  if (files) return files;
  if (x->place.line != y->place.line) return x->place.line - y->place.line;
  return (x->code > y->code) - (x->code < y->code);
}

/* The text of a line, of a file that is built in or read; "" where it is not there. */
static void find_text(const dcs_place *place, char text[DCS_TEXT]) {
  char *read = NULL;
  const char *at = dcs_embedded(place->file);
  if (!at && dcs_read_file(place->file, &read, NULL) == DCS_OK) at = read;
  for (int line = 1; at && *at && line < place->line; line++) {
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  if (at) at += strspn(at, " \t");
  snprintf(text, DCS_TEXT, "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
  free(read);
}

static dcs_status locate_rows(dcs_device *device, const dcs_module *module,
                              dcs_kernel_trace *trace) {
  const int n = trace->n_rows;
  if (n == 0) return DCS_OK;
  uint64_t *codes = malloc((size_t)n * sizeof *codes);
  dcs_place *places = calloc((size_t)n, sizeof *places);
  dcs_status status = codes && places ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for lines");
  for (int i = 0; status == DCS_OK && i < n; i++)
    codes[i] = trace->rows[i].code;
  if (status == DCS_OK) status = device->locate(device, module, codes, n, places);
  for (int i = 0; status == DCS_OK && i < n; i++) {
    trace->rows[i].place = places[i];
    find_text(&places[i], trace->rows[i].text);
  }
  free(codes);
  free(places);
  qsort(trace->rows, (size_t)n, sizeof *trace->rows, by_place);
  return status;
}

/* ---- the launches ---- */

static dcs_status as_status(dcs_outcome outcome) {
  switch (outcome) {
  case DCS_OUTCOME_OK:
    return DCS_OK;
  case DCS_OUTCOME_INAPPLICABLE:
    return DCS_USAGE;
  case DCS_OUTCOME_NOT_BUILT:
  case DCS_OUTCOME_MEMORY:
    return DCS_UNAVAILABLE;
  default:
    return DCS_FAILED;
  }
}

/* The launches of the problem, as the engine has them; `out` has room for the output. */
static dcs_status run_launches(dcs_engine *engine, const dcs_method *method, const dcs_case *c,
                               float *out) {
  dcs_code_facts facts;
  double ns;
  DCS_TRY(as_status(engine->take(engine, &c->problem, c->kind->input_bytes, out)));
  DCS_TRY(as_status(
      engine->prepare(engine, 0, &c->problem.config, method->variant, &method->config, &facts)));
  return as_status(engine->run(engine, 0, DCS_UNTIMED, DCS_PAGEABLE, 1, &ns));
}

static dcs_status record(recorder *r, const dcs_method *method, const dcs_case *c, float *out) {
  const dcs_observer observer = {r, on_launch, on_block, on_seen, on_together};
  dcs_engine *engine;
  DCS_TRY(dcs_engine_device_open(dcs_watched_device(), r->options->kernels, &engine));
  engine->device->observe(engine->device, &observer);
  dcs_status status = run_launches(engine, method, c, out);
  if (status == DCS_OK) status = r->status;
  if (status == DCS_OK) status = locate_rows(engine->device, r->module, r->trace);
  engine->close(engine);
  return status;
}

static bool blocks_depend(const dcs_method *method, const dcs_problem *problem) {
  dcs_plan plan = {0};
  method->variant->plan(problem, &method->config, &plan);
  return plan.counters > 0 || plan.n_steps > 0;
}

dcs_status dcs_trace_method(const dcs_method *method, const dcs_case *c,
                            const dcs_trace_options *options, dcs_kernel_trace *trace) {
  char why[DCS_TEXT];
  *trace = (dcs_kernel_trace){0};
  if (method->variant->backend != DCS_GPU)
    return dcs_fail(DCS_USAGE, "%s runs on the CPU; a trace is of a kernel for a GPU",
                    method->variant->id);
  if (!dcs_applicable(method->variant, &c->problem, &method->config, why))
    return dcs_fail(DCS_USAGE, "%s: %s", method->variant->id, why);
  recorder *r = calloc(1, sizeof *r);
  float *out = malloc((size_t)dcs_points(c->problem.n) * sizeof *out);
  dcs_status status = r && out ? DCS_OK : dcs_fail(DCS_UNAVAILABLE, "no memory for a trace");
  if (status == DCS_OK) {
    *r = (recorder){
        .trace = trace, .options = options, .blocks_depend = blocks_depend(method, &c->problem)};
    status = record(r, method, c, out);
    for (int w = 0; w < MOST_WARPS; w++)
      dcs_warp_free(&r->warps[w]);
  }
  free(out);
  free(r);
  return status;
}

void dcs_trace_free(dcs_kernel_trace *trace) {
  free(trace->rows);
  *trace = (dcs_kernel_trace){0};
}
