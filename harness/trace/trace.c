#include "harness/trace/trace.h"

#include "harness/base/grow.h"
#include "harness/trace/warp.h"

#include <stdlib.h>
#include <string.h>

const char *dcs_access_name(dcs_seen_kind access) {
  static const char *const names[] = {[DCS_SEEN_LOAD] = "load",
                                      [DCS_SEEN_STORE] = "store",
                                      [DCS_SEEN_ATOMIC] = "atomic",
                                      [DCS_SEEN_BARRIER] = "barrier"};
  return names[access];
}

const char *dcs_memory_space_name(dcs_memory_space space) {
  static const char *const names[] = {"global", "constant", "shared", "outside"};
  return names[space];
}

/* ---- what the device tells ---- */

enum { MOST_WARPS = 32, MOST_STEPS = 1 << 25 /* a gigabyte */ };

typedef struct {
  dcs_kernel_trace *trace;
  const dcs_trace_options *options;
  bool blocks_depend; /* on each other: all are run, whichever are counted */
  dcs_module *module; /* of all launches */
  int64_t blocks;     /* of this launch */
  int64_t block;      /* that runs */
  int threads;        /* of a block */
  bool counting;      /* this block */
  int64_t steps;      /* of it, since its threads came together */
  dcs_warp warps[MOST_WARPS];
  uint32_t warp_lanes;      /* of the warp that is put together: those that it has */
  dcs_located_race outside; /* the first access of no memory */
  dcs_status status;        /* the first failure, which dcs_error_message() tells of */
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
  r->block = block;
  r->counting = r->status == DCS_OK && (r->options->all_blocks || block == 0 ||
                                        block == r->blocks / 2 || block == r->blocks - 1);
  r->trace->watched += r->counting;
  return r->counting || (r->blocks_depend && r->status == DCS_OK);
}

static void note_outside(recorder *r, int thread, const dcs_seen *seen) {
  dcs_race *race = &r->outside.race;
  if (race->words++ > 0) return;
  race->space = seen->space;
  race->first = (dcs_touch){.block = (uint32_t)r->block,
                            .code = (uint32_t)seen->code,
                            .thread = (uint16_t)thread,
                            .kind = (uint8_t)seen->kind};
}

static bool on_seen(void *context, int thread, const dcs_seen *seen) {
  recorder *r = context;
  if (seen->bytes > 0 && seen->space == DCS_SPACE_OUTSIDE) {
    note_outside(r, thread, seen);
    return false;
  }
  if (r->status == DCS_OK && r->counting && ++r->steps > MOST_STEPS)
    r->status = dcs_fail(DCS_UNAVAILABLE,
                         "a block takes more than %d steps from barrier to barrier, and no trace "
                         "has room for them; choose a smaller size",
                         MOST_STEPS);
  if (r->status == DCS_OK && r->counting)
    r->status = dcs_warp_add(&r->warps[thread / DCS_WARP], thread % DCS_WARP, seen);
  return r->status == DCS_OK;
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
  dcs_trace_row *row = r->status == DCS_OK ? row_of(r, request) : NULL;
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
  r->steps = 0;
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
  const int files = strcmp(x->source.place.file, y->source.place.file);
  if (files) return files;
  if (x->source.place.line != y->source.place.line)
    return x->source.place.line - y->source.place.line;
  return (x->code > y->code) - (x->code < y->code);
}

static dcs_status fail_outside(recorder *r, dcs_device *device) {
  const uint64_t code = r->outside.race.first.code;
  dcs_source_line *line;
  char text[6 * DCS_TEXT];
  DCS_TRY(dcs_find_lines(device, r->module, &code, 1, &line));
  r->outside.first = *line;
  free(line);
  return dcs_fail(DCS_FAILED, "%s", dcs_describe_race(&r->outside, text));
}

static dcs_status on_done(void *context, dcs_device *device) {
  recorder *r = context;
  dcs_kernel_trace *trace = r->trace;
  DCS_TRY(r->status);
  if (r->outside.race.words > 0) return fail_outside(r, device);
  uint64_t *codes = malloc((size_t)(trace->n_rows + 1) * sizeof *codes);
  dcs_source_line *lines;
  if (!codes) return dcs_fail(DCS_UNAVAILABLE, "no memory for the lines of a trace");
  for (int i = 0; i < trace->n_rows; i++)
    codes[i] = trace->rows[i].code;
  dcs_status status = dcs_find_lines(device, r->module, codes, trace->n_rows, &lines);
  free(codes);
  DCS_TRY(status);
  for (int i = 0; i < trace->n_rows; i++)
    trace->rows[i].source = lines[i];
  free(lines);
  if (trace->n_rows > 0) qsort(trace->rows, (size_t)trace->n_rows, sizeof *trace->rows, by_place);
  return DCS_OK;
}

dcs_status dcs_trace_method(const dcs_method *method, const dcs_case *c,
                            const dcs_trace_options *options, dcs_kernel_trace *trace) {
  *trace = (dcs_kernel_trace){0};
  recorder *r = calloc(1, sizeof *r);
  if (!r) return dcs_fail(DCS_UNAVAILABLE, "no memory for a trace");
  *r =
      (recorder){.trace = trace, .options = options, .blocks_depend = dcs_blocks_depend(method, c)};
  const dcs_observer observer = {r, on_launch, on_block, on_seen, on_together};
  dcs_status status = dcs_watch_launches(method, c, options->kernels,
                                         &(dcs_watch){.observer = &observer, .done = on_done});
  for (int w = 0; w < MOST_WARPS; w++)
    dcs_warp_free(&r->warps[w]);
  free(r);
  return status;
}

void dcs_trace_free(dcs_kernel_trace *trace) {
  free(trace->rows);
  *trace = (dcs_kernel_trace){0};
}
