/* The kind of problems that a specification makes: one problem, whose buffers are the arguments. */
#include "harness/problems/common.h"
#include "harness/spec/made.h"

#include "harness/base/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values of each type ---- */

#define TYPES(X)                                                                                   \
  X(0, bool, unsigned char)                                                                        \
  X(1, int8, int8_t)                                                                               \
  X(2, uint8, uint8_t)                                                                             \
  X(3, int16, int16_t)                                                                             \
  X(4, uint16, uint16_t)                                                                           \
  X(5, int32, int32_t)                                                                             \
  X(6, uint32, uint32_t)                                                                           \
  X(7, int64, int64_t)                                                                             \
  X(8, uint64, uint64_t)                                                                           \
  X(9, float, float)                                                                               \
  X(10, double, double)
#define READER(at, name, type)                                                                     \
  static double value_of_##name(const void *data, int64_t i) {                                     \
    return (double)((const type *)data)[i];                                                        \
  }
TYPES(READER)
#define LISTED(at, name, type) [at] = value_of_##name,
static double (*const readers[])(const void *, int64_t) = {TYPES(LISTED)};

/* ---- what the kind says ---- */

static void fill(const dcs_case *c, int b, void *data) {
  const dcs_made *made = dcs_made_of_kind(c->kind);
  const int a = made->argument_of[b];
  if (a >= 0)
    memcpy(data, made->data[a], dcs_spec_bytes(&made->spec.arguments[a]));
  else
    memset(data, 0, made->buffers[b].bytes);
}

/* What it may be off is the specification's threshold alone. */
static dcs_sums reference(const dcs_case *c, int b, int64_t i, double largest) {
  const dcs_made *made = dcs_made_of_kind(c->kind);
  const int a = made->argument_of[b];
  const dcs_spec_argument *argument = &made->spec.arguments[a];
  const double v = dcs_element_value(argument->element, made->expected[a], i);
  (void)largest;
  return (dcs_sums){.v = v, .e = argument->threshold * (argument->relative ? fabs(v) : 1)};
}

static double work(const dcs_case *c, bool given) {
  (void)given;
  return dcs_made_of_kind(c->kind)->outputs;
}

static double nothing_rounds(const dcs_config *config) {
  (void)config;
  return 0;
}

/* ---- its buffers ---- */

/* Adds a buffer of an argument (-1: of none). */
static dcs_status add_buffer(dcs_made *made, int a, bool output) {
  const dcs_spec_argument *argument = &made->spec.arguments[a < 0 ? 0 : a];
  const int b = made->kind.n_buffers;
  if (b == DCS_MAX_BUFFERS)
    return dcs_fail(DCS_INPUT, "%s: found vectors that make more than %d buffers; expected fewer",
                    made->spec.path, DCS_MAX_BUFFERS);
  made->argument_of[b] = a;
  made->buffers[b] = (dcs_buffer){.name = a < 0 ? "nothing" : argument->name,
                                  .bytes = sizeof(float),
                                  .elements = 1,
                                  .output = output,
                                  .fill = output ? NULL : fill};
  made->kind.n_buffers++;
  if (a < 0) return DCS_OK;
  dcs_buffer *buffer = &made->buffers[b];
  buffer->bytes = (size_t)argument->element->bytes * (size_t)argument->lanes;
  buffer->elements = argument->size;
  buffer->values = argument->lanes;
  buffer->value = readers[argument->element - dcs_elements];
  if (output && argument->expected.type != DCS_FILL_NOTHING) buffer->reference = reference;
  if (output) made->outputs += (double)argument->size * argument->lanes;
  return DCS_OK;
}

/* Inputs, one at least; what outputs begin with; outputs. */
static dcs_status add_buffers(dcs_made *made) {
  const dcs_spec *spec = &made->spec;
  int begins[DCS_MAX_ARGUMENTS] = {0};
  for (int a = 0; a < spec->n_arguments; a++)
    if (spec->arguments[a].vector && !spec->arguments[a].written)
      DCS_TRY(add_buffer(made, a, false));
  if (made->kind.n_buffers == 0) DCS_TRY(add_buffer(made, -1, false));
  for (int a = 0; a < spec->n_arguments; a++) {
    if (!spec->arguments[a].written || spec->arguments[a].fill.type == DCS_FILL_NOTHING) continue;
    begins[a] = made->kind.n_buffers;
    DCS_TRY(add_buffer(made, a, false));
  }
  for (int a = 0; a < spec->n_arguments; a++) {
    if (!spec->arguments[a].written) continue;
    DCS_TRY(add_buffer(made, a, true));
    dcs_buffer *buffer = &made->buffers[made->kind.n_buffers - 1];
    buffer->begins = begins[a];
    buffer->read = spec->arguments[a].read;
  }
  return DCS_OK;
}

/* ---- its data ---- */

static dcs_status make(dcs_made *made, const dcs_spec_argument *argument, const dcs_spec_fill *from,
                       void **data) {
  if (from->type == DCS_FILL_NOTHING) return DCS_OK;
  *data = malloc(dcs_spec_bytes(argument) + 1); /* never of 0 bytes */
  if (!*data) return dcs_fail(DCS_UNAVAILABLE, "no memory for %s", argument->name);
  DCS_TRY(dcs_spec_make_data(argument, from, *data));
  if (from->type == DCS_FILL_FILE)
    made->outside.all = dcs_hash(made->outside.all, *data, dcs_spec_bytes(argument));
  return DCS_OK;
}

static dcs_status make_data(dcs_made *made) {
  for (int a = 0; a < made->spec.n_arguments; a++) {
    const dcs_spec_argument *argument = &made->spec.arguments[a];
    if (!argument->vector) continue;
    DCS_TRY(make(made, argument, &argument->fill, &made->data[a]));
    DCS_TRY(make(made, argument, &argument->expected, &made->expected[a]));
  }
  return DCS_OK;
}

dcs_status dcs_made_fill_kind(dcs_made *made, bool runs) {
  static const char *const none[] = {NULL}, *const one[] = {"", NULL};
  made->kind = (dcs_kind){.id = made->id,
                          .what = made->what,
                          .unit = "",
                          .eval = "value",
                          .axes = none,
                          .verified = one,
                          .buffers = made->buffers,
                          .work = work,
                          .reach = dcs_reaches_all,
                          .rounding = nothing_rounds};
  made->of = &made->kind;
  DCS_TRY(add_buffers(made));
  return runs ? make_data(made) : DCS_OK;
}
