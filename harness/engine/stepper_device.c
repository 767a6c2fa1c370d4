/* Steps on a device: all fields stay there, and the slices of the ends alone travel. */
#include "harness/engine/device/engine.h"
#include "harness/engine/stepper.h"

#include <stdlib.h>

typedef struct {
  dcs_stepper stepper; /* first: the rest is found behind it */
  dcs_stepped stepped;
  dcs_engine *engine;
  const dcs_device_method *method;
  dcs_places places;
  int input, output;
  dcs_block stages; /* page-locked: of each end what is sent, and what is received */
  float *out;       /* the field for the host */
  bool begun;       /* the step has computed something */
  bool beside;      /* before take() */
} device_stepper;

static dcs_device *device_of(const device_stepper *d) {
  return d->engine->device;
}

static size_t slice_bytes(const device_stepper *d) {
  return (size_t)dcs_slice_of(&d->stepped) * sizeof(float);
}

/* The edges of the field as it is now go to the stages, and there they are. */
static dcs_status fetch_ends(device_stepper *d) {
  const size_t bytes = (size_t)d->stepped.halo * slice_bytes(d);
  const dcs_dims flat = {(int64_t)bytes, 1, 1};
  for (int end = 0; end < DCS_ENDS; end++)
    if (d->stepped.cut[end])
      DCS_TRY(device_of(d)->copy_out(device_of(d), d->stepper.sent[end], flat,
                                     d->places.at[d->input].ptr +
                                         (dcs_ptr)dcs_sent_from(&d->stepped, end) * slice_bytes(d),
                                     flat));
  return device_of(d)->synchronize(device_of(d));
}

static dcs_status compute(dcs_stepper *s, int64_t from, int64_t end) {
  device_stepper *d = (device_stepper *)s;
  if (from == end) return DCS_OK;
  if (!d->begun) DCS_TRY(device_of(d)->record_event(device_of(d), DCS_EVENT_BEGUN));
  d->begun = true;
  return dcs_compute_slices((dcs_device_engine *)d->engine, d->method, &d->places, from, end);
}

static dcs_status take(dcs_stepper *s) {
  device_stepper *d = (device_stepper *)s;
  d->beside = d->begun && device_of(d)->timed;
  DCS_TRY(device_of(d)->record_event(device_of(d), DCS_EVENT_COMPUTED));
  for (int end = 0; end < DCS_ENDS; end++)
    if (d->stepped.cut[end])
      DCS_TRY(device_of(d)->copy_in(device_of(d),
                                    d->places.at[d->input].ptr +
                                        (dcs_ptr)dcs_received_at(&d->stepped, end) * slice_bytes(d),
                                    s->received[end], (size_t)d->stepped.halo * slice_bytes(d)));
  return DCS_OK;
}

static dcs_status swap(dcs_stepper *s) {
  device_stepper *d = (device_stepper *)s;
  dcs_ptr *now = &d->places.at[d->input].ptr, *next = &d->places.at[d->output].ptr;
  const dcs_ptr before = *now;
  *now = *next;
  *next = before;
  return fetch_ends(d);
}

static dcs_status end(dcs_stepper *s) {
  device_stepper *d = (device_stepper *)s;
  d->begun = false;
  DCS_TRY(swap(s));
  s->beside_ns = 0;
  if (!d->beside) return DCS_OK;
  return device_of(d)->elapsed_ns(device_of(d), DCS_EVENT_BEGUN, DCS_EVENT_COMPUTED, &s->beside_ns);
}

static dcs_status values(dcs_stepper *s, const float **values) {
  device_stepper *d = (device_stepper *)s;
  const dcs_dims n = d->stepped.problem.n, bytes = {n.x * (int64_t)sizeof(float), n.y, n.z};
  DCS_TRY(device_of(d)->copy_out(device_of(d), d->out, bytes, d->places.at[d->input].ptr, bytes));
  *values = d->out;
  return device_of(d)->synchronize(device_of(d));
}

static void close_device(dcs_stepper *s) {
  device_stepper *d = (device_stepper *)s;
  if (d->engine) {
    dcs_block_release(device_of(d), DCS_BLOCK_HOST, &d->stages);
    d->engine->close(d->engine);
  }
  free(d->out);
  free(d);
}

/* ---- opening ---- */

static dcs_status make_stages(device_stepper *d) {
  const size_t bytes = (size_t)d->stepped.halo * slice_bytes(d);
  DCS_TRY(dcs_block_grow(device_of(d), DCS_BLOCK_HOST, 2 * DCS_ENDS * bytes, &d->stages));
  for (int end = 0; end < DCS_ENDS; end++) {
    if (!d->stepped.cut[end]) continue;
    d->stepper.sent[end] = (float *)((char *)d->stages.host + (size_t)(2 * end) * bytes);
    d->stepper.received[end] = (float *)((char *)d->stages.host + (size_t)(2 * end + 1) * bytes);
  }
  return fetch_ends(d);
}

static dcs_status as_status(dcs_outcome outcome) {
  const dcs_status status = outcome == DCS_OUTCOME_OK ? DCS_OK
                            : outcome == DCS_OUTCOME_COMPILE || outcome == DCS_OUTCOME_LAUNCH
                                ? DCS_FAILED
                                : DCS_UNAVAILABLE;
  return status == DCS_OK ? DCS_OK : dcs_fail(status, "%s", dcs_error_message());
}

static dcs_status prepare(device_stepper *d) {
  dcs_device_engine *e = (dcs_device_engine *)d->engine;
  void *out[DCS_MAX_BUFFERS] = {[DCS_MAX_BUFFERS - 1] = NULL};
  dcs_code_facts facts;
  out[d->output] = d->out;
  DCS_TRY(as_status(d->engine->take(d->engine, d->stepped.kind, &d->stepped.problem, out)));
  DCS_TRY(as_status(d->engine->prepare(d->engine, 0, &d->stepped.problem.config, d->stepped.variant,
                                       &d->stepped.config, &facts)));
  d->method = &e->slots[0];
  DCS_TRY(as_status(dcs_find_places(e, d->method, DCS_PAGEABLE, false, &d->places)));
  const dcs_dims n = d->stepped.problem.n, stored = d->method->plan.stored;
  if (n.x != stored.x || n.y != stored.y || d->method->plan.n_steps > 1)
    return dcs_fail(DCS_UNAVAILABLE, "%s: its output is no input of the next step as it lies",
                    d->stepped.variant->id);
  return make_stages(d);
}

dcs_status dcs_stepper_open_device(const dcs_stepped *stepped, dcs_stepper **stepper) {
  device_stepper *d = calloc(1, sizeof *d);
  float *out = malloc((size_t)dcs_points(stepped->problem.n) * sizeof *out);
  if (!d || !out) {
    free(d);
    free(out);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for the field of a device");
  }
  *d = (device_stepper){.stepper = {.beside = true,
                                    .compute = compute,
                                    .take = take,
                                    .end = end,
                                    .back = swap,
                                    .values = values,
                                    .close = close_device},
                        .stepped = *stepped,
                        .input = stepped->kind->stepping->input,
                        .output = dcs_map_of(stepped->kind),
                        .out = out};
  dcs_status status = dcs_engine_device_open(stepped->device, stepped->kernels, &d->engine);
  if (status == DCS_OK) status = prepare(d);
  if (status == DCS_OK)
    *stepper = &d->stepper;
  else
    close_device(&d->stepper);
  return status;
}
