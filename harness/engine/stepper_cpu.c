/* Steps on the CPU: two fields change places. */
#include "harness/base/machine.h"
#include "harness/engine/stepper.h"
#include "harness/problems/methods.h"

#include <stdlib.h>

typedef struct {
  dcs_stepper stepper; /* first: the rest is found behind it */
  dcs_stepped stepped;
  int input, output;
  float *now, *next; /* fields */
  float *own;        /* the one of them that is not the caller's */
} cpu_stepper;

static void point_at_ends(cpu_stepper *c) {
  for (int end = 0; end < DCS_ENDS; end++) {
    if (!c->stepped.cut[end]) continue;
    c->stepper.sent[end] = c->now + dcs_sent_from(&c->stepped, end) * dcs_slice_of(&c->stepped);
    c->stepper.received[end] =
        c->now + dcs_received_at(&c->stepped, end) * dcs_slice_of(&c->stepped);
  }
}

static dcs_status compute(dcs_stepper *s, int64_t from, int64_t end) {
  const cpu_stepper *c = (const cpu_stepper *)s;
  dcs_problem slab = c->stepped.problem;
  void *out[DCS_MAX_BUFFERS] = {NULL};
  if (from == end) return DCS_OK;
  slab.input[c->input] = c->now;
  slab.grid_slices = slab.n.z;
  slab.first_slice = from;
  slab.n.z = end - from;
  out[c->output] = c->next + from * dcs_slice_of(&c->stepped);
  if (c->stepped.variant->compute(&slab, &c->stepped.config, out)) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE, "no memory for a step");
}

static dcs_status take(dcs_stepper *s) {
  (void)s;
  return DCS_OK;
}

static dcs_status swap(dcs_stepper *s) {
  cpu_stepper *c = (cpu_stepper *)s;
  float *before = c->now;
  c->now = c->next;
  c->next = before;
  point_at_ends(c);
  return DCS_OK;
}

static dcs_status values(dcs_stepper *s, const float **values) {
  *values = ((cpu_stepper *)s)->now;
  return DCS_OK;
}

static void close_cpu(dcs_stepper *s) {
  free(((cpu_stepper *)s)->own);
  free(s);
}

/* Pages lie near the processor whose thread touches them first. */
static void touch(float *field, int64_t n) {
#pragma omp parallel for num_threads(dcs_loop_threads()) schedule(static)
  for (int64_t i = 0; i < n; i++)
    field[i] = 0;
}

dcs_status dcs_stepper_open_cpu(const dcs_stepped *stepped, dcs_stepper **stepper) {
  const int64_t n = dcs_points(stepped->problem.n);
  cpu_stepper *c = calloc(1, sizeof *c);
  float *own = malloc((size_t)n * sizeof *own);
  if (!c || !own) {
    free(c);
    free(own);
    return dcs_fail(DCS_UNAVAILABLE, "no memory for another %lld points", (long long)n);
  }
  touch(own, n);
  *c = (cpu_stepper){.stepper = {.compute = compute,
                                 .take = take,
                                 .end = swap,
                                 .back = swap,
                                 .values = values,
                                 .close = close_cpu},
                     .stepped = *stepped,
                     .input = stepped->kind->stepping->input,
                     .output = dcs_map_of(stepped->kind),
                     .next = own,
                     .own = own};
  c->now = (float *)stepped->problem.input[c->input];
  point_at_ends(c);
  *stepper = &c->stepper;
  return DCS_OK;
}

dcs_status dcs_stepper_open(const dcs_stepped *stepped, dcs_stepper **stepper) {
  char why[DCS_TEXT];
  if (!dcs_variant_available(stepped->variant, why) ||
      !dcs_applicable(stepped->variant, &stepped->problem, &stepped->config, why))
    return dcs_fail(DCS_UNAVAILABLE, "%s: %s", stepped->variant->id, why);
  return stepped->variant->backend == DCS_CPU ? dcs_stepper_open_cpu(stepped, stepper)
                                              : dcs_stepper_open_device(stepped, stepper);
}
