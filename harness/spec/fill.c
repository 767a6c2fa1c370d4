/* The values of arguments and references. */
#include "harness/spec/spec.h"

#include "harness/base/random.h"
#include "harness/base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const dcs_element dcs_elements[] = {
    {"bool", 1, false, false},   {"int8", 1, false, true},    {"uint8", 1, false, false},
    {"int16", 2, false, true},   {"uint16", 2, false, false}, {"int32", 4, false, true},
    {"uint32", 4, false, false}, {"int64", 8, false, true},   {"uint64", 8, false, false},
    {"float", 4, true, true},    {"double", 8, true, true},   {NULL}};

/* ---- one value ---- */

double dcs_element_value(const dcs_element *element, const void *data, int64_t i) {
  const char *at = (const char *)data + i * element->bytes;
  uint64_t bits = 0;
  float single;
  double number;
  if (element->real && element->bytes == 4) {
    memcpy(&single, at, sizeof single);
    return (double)single;
  }
  if (element->real) {
    memcpy(&number, at, sizeof number);
    return number;
  }
  for (int b = element->bytes - 1; b >= 0; b--)
    bits = bits << 8 | (unsigned char)at[b];
  if (!element->is_signed) return (double)bits;
  const int unused = 64 - 8 * element->bytes;
  return (double)((int64_t)(bits << unused) >> unused);
}

/* The whole numbers that the element holds; those of 64 bits as far as doubles tell them apart. */
static bool holds(const dcs_element *element, double value) {
  const int bits = 8 * element->bytes;
  if (element->real) return fabs(value) <= (element->bytes == 4 ? FLT_MAX : DBL_MAX);
  if (value != floor(value)) return false;
  if (strcmp(element->name, "bool") == 0) return value == 0 || value == 1;
  if (!element->is_signed) return value >= 0 && value < ldexp(1, bits);
  return value >= -ldexp(1, bits - 1) && value < ldexp(1, bits - 1);
}

/* False: it does not fit. */
static bool put(const dcs_element *element, void *data, int64_t i, double value) {
  char *at = (char *)data + i * element->bytes;
  if (!holds(element, value)) return false;
  if (element->real && element->bytes == 4) {
    const float single = (float)value;
    memcpy(at, &single, sizeof single);
    return true;
  }
  if (element->real) {
    memcpy(at, &value, sizeof value);
    return true;
  }
  const uint64_t bits = element->is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
  for (int b = 0; b < element->bytes; b++)
    at[b] = (char)(unsigned char)(bits >> 8 * b);
  return true;
}

/* ---- all of them ---- */

static dcs_status wrong(const dcs_spec_fill *fill, int64_t i, double value,
                        const dcs_element *element) {
  return dcs_fail(DCS_INPUT, "%s: found %.9g for value %lld; expected a value of %s", fill->where,
                  value, (long long)i, element->name);
}

static dcs_status read_bytes(const dcs_spec_argument *argument, const dcs_spec_fill *fill,
                             void *data) {
  char *bytes;
  size_t n;
  const size_t expected = dcs_spec_bytes(argument);
  DCS_TRY(dcs_read_file(fill->file, &bytes, &n));
  if (n == expected) memcpy(data, bytes, n);
  free(bytes);
  if (n == expected) return DCS_OK;
  return dcs_fail(DCS_INPUT, "%s: found %zu bytes in %s; expected %zu: %lld of %s", fill->where, n,
                  fill->file, expected, (long long)argument->size * argument->lanes,
                  argument->element->name);
}

static dcs_status generate(const dcs_spec_fill *fill, int64_t i, dcs_random *random,
                           const dcs_element *element, double *value) {
  const dcs_value index = dcs_integer_value(i);
  dcs_room room = {0};
  dcs_value found;
  *value = fill->value;
  if (fill->type == DCS_FILL_RANDOM) *value *= dcs_random_unit(random);
  if (fill->type == DCS_FILL_RANDOM && !element->real) *value = floor(*value);
  if (fill->type != DCS_FILL_GENERATOR) return DCS_OK;
  dcs_status status = dcs_expression_value(fill->generator, &index, &room, &found);
  *value = status == DCS_OK ? dcs_value_real(&found) : NAN;
  dcs_room_free(&room);
  if (status == DCS_INPUT) {
    char message[DCS_TEXT];
    snprintf(message, sizeof message, "%s", dcs_error_message());
    return dcs_fail(DCS_INPUT, "%s: i = %lld: %s", fill->where, (long long)i, message);
  }
  return status;
}

dcs_status dcs_spec_make_data(const dcs_spec_argument *argument, const dcs_spec_fill *fill,
                              void *data) {
  const dcs_element *element = argument->element;
  dcs_random random = {fill->seed};
  if (fill->type == DCS_FILL_FILE) return read_bytes(argument, fill, data);
  for (int64_t i = 0; i < argument->size * argument->lanes; i++) {
    double value;
    DCS_TRY(generate(fill, i, &random, element, &value));
    if (!put(element, data, i, value)) return wrong(fill, i, value, element);
  }
  return DCS_OK;
}
