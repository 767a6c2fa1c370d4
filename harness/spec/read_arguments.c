/* Specifications: the kernel's arguments, and what they are to hold afterwards. */
#include "harness/spec/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NO_ACCESS = -1 };
#define MOST_ELEMENTS ((int64_t)1 << 34)

/* ---- what an argument is filled with ---- */

static dcs_status read_generator(const dcs_json_place *place, dcs_expression **generator) {
  static const char *const names[] = {"i"};
  const char *text;
  DCS_TRY(dcs_json_get_text(place, &text));
  return dcs_spec_name_place(place, dcs_expression_parse(text, names, 1, generator));
}

static dcs_status keep_place(dcs_spec *spec, const dcs_json_place *place, const char **where) {
  char text[4096 + 2 * DCS_TEXT];
  snprintf(text, sizeof text, "%s: %s", place->file, place->path);
  return dcs_spec_keep_text(spec, text, where);
}

static dcs_status read_seed(const dcs_json_place *place, uint64_t *seed) {
  int64_t value = 1;
  if (place->json) DCS_TRY(dcs_json_get_integer(place, 0, INT64_MAX, &value));
  *seed = (uint64_t)value;
  return DCS_OK;
}

static dcs_status read_fill(dcs_spec *spec, const dcs_json_place *of, dcs_spec_fill *fill) {
  static const char *const types[] = {"Constant", "Random", "Generator", "BinaryRaw", NULL};
  const dcs_json_place type = dcs_json_member(of, "FillType"),
                       value = dcs_json_member(of, "FillValue"),
                       source = dcs_json_member(of, "DataSource"),
                       seed = dcs_json_member(of, "RandomSeed");
  int which;
  const char *file;
  DCS_TRY(dcs_json_get_word(&type, types, &which));
  fill->type = (dcs_fill_type)(DCS_FILL_CONSTANT + which);
  DCS_TRY(keep_place(spec, which < 2 ? &value : &source, &fill->where));
  DCS_TRY(read_seed(&seed, &fill->seed));
  if (fill->type == DCS_FILL_CONSTANT || fill->type == DCS_FILL_RANDOM)
    return dcs_json_get_number(&value, &fill->value);
  if (fill->type == DCS_FILL_GENERATOR) return read_generator(&source, &fill->generator);
  DCS_TRY(dcs_json_get_text(&source, &file));
  return dcs_spec_keep_path(spec, file, &fill->file);
}

/* ---- an argument ---- */

/* "float4": four of them. */
static dcs_status read_type(const dcs_json_place *place, dcs_spec_argument *argument) {
  const char *text = json_string_value(place->json);
  for (const dcs_element *e = dcs_elements; text && e->name; e++) {
    const size_t length = strlen(e->name);
    if (strncmp(text, e->name, length) != 0) continue;
    const char *lanes = text + length;
    const bool many =
        !strcmp(lanes, "2") || !strcmp(lanes, "4") || !strcmp(lanes, "8") || !strcmp(lanes, "16");
    if (*lanes && !(many && e->real)) continue;
    argument->element = e;
    argument->lanes = many ? (int)strtol(lanes, NULL, 10) : 1;
    return DCS_OK;
  }
  return dcs_json_wrong(place, "bool, int8, uint8, ... int64, uint64, float or double, or float2, "
                               "double4 and so on");
}

static dcs_status read_size(const dcs_json_place *of, dcs_spec_argument *argument) {
  const dcs_json_place size = dcs_json_member(of, "Size"), bytes = dcs_json_member(of, "TypeSize"),
                       source = dcs_json_member(of, "DataSource");
  const int type_bytes = argument->element->bytes * argument->lanes;
  struct stat facts;
  int64_t found;
  if (bytes.json && (!json_is_integer(bytes.json) || json_integer_value(bytes.json) != type_bytes))
    return dcs_json_wrong(&bytes, "the bytes of Type, or nothing");
  if (size.json || argument->fill.type != DCS_FILL_FILE)
    return dcs_json_get_integer(&size, 1, MOST_ELEMENTS, &argument->size);
  found = stat(argument->fill.file, &facts) == 0 ? (int64_t)facts.st_size / type_bytes : 0;
  if (found < 1) return dcs_json_wrong(&source, "a file that can be read, with a value at least");
  argument->size = found;
  return DCS_OK;
}

static dcs_status read_vector(dcs_spec *spec, const dcs_json_place *of,
                              dcs_spec_argument *argument) {
  static const char *const accesses[] = {"ReadOnly", "WriteOnly", "ReadWrite", NULL};
  const dcs_json_place access = dcs_json_member(of, "AccessType"),
                       fill = dcs_json_member(of, "FillType");
  int which = 2; /* as KTT takes it */
  if (access.json) DCS_TRY(dcs_json_get_word(&access, accesses, &which));
  argument->read = which != 1;
  argument->written = which != 0;
  if (argument->read || fill.json) DCS_TRY(read_fill(spec, of, &argument->fill));
  return read_size(of, argument);
}

static dcs_status read_scalar(dcs_spec *spec, const dcs_json_place *of,
                              dcs_spec_argument *argument) {
  static const char *const fills[] = {"Constant", NULL};
  const dcs_json_place fill = dcs_json_member(of, "FillType");
  int which;
  argument->size = 1;
  argument->read = true;
  if (fill.json) DCS_TRY(dcs_json_get_word(&fill, fills, &which));
  const dcs_json_place value = dcs_json_member(of, "FillValue");
  argument->fill.type = DCS_FILL_CONSTANT;
  DCS_TRY(keep_place(spec, &value, &argument->fill.where));
  return dcs_json_get_number(&value, &argument->fill.value);
}

static dcs_status read_name(dcs_spec *spec, const dcs_json_place *of, const char **name) {
  const dcs_json_place place = dcs_json_member(of, "Name");
  char text[32];
  if (place.json) {
    DCS_TRY(dcs_json_get_text(&place, name));
  } else {
    snprintf(text, sizeof text, "argument %d", spec->n_arguments);
    DCS_TRY(dcs_spec_keep_text(spec, text, name));
  }
  for (int a = 0; a < spec->n_arguments; a++)
    if (strcmp(spec->arguments[a].name, *name) == 0)
      return dcs_json_wrong(&place, "a name that no other argument has");
  return DCS_OK;
}

static dcs_status read_argument(dcs_spec *spec, const dcs_json_place *of) {
  static const char *const members[] = {"Name",     "Type",      "MemoryType", "AccessType",
                                        "FillType", "FillValue", "DataSource", "RandomSeed",
                                        "Size",     "TypeSize",  NULL};
  static const char *const memories[] = {"Scalar", "Vector", NULL};
  dcs_spec_argument *argument = &spec->arguments[spec->n_arguments];
  int which;
  DCS_TRY(dcs_json_only(of, members));
  const dcs_json_place type = dcs_json_member(of, "Type"),
                       memory = dcs_json_member(of, "MemoryType");
  DCS_TRY(read_name(spec, of, &argument->name));
  spec->n_arguments++;
  DCS_TRY(read_type(&type, argument));
  DCS_TRY(dcs_json_get_word(&memory, memories, &which));
  argument->vector = which == 1;
  return argument->vector ? read_vector(spec, of, argument) : read_scalar(spec, of, argument);
}

/* ---- references ---- */

static dcs_status read_reference(dcs_spec *spec, const dcs_json_place *of) {
  static const char *const members[] = {
      "Name",       "TargetName", "FillType",         "FillValue",
      "DataSource", "RandomSeed", "ValidationMethod", "ValidationThreshold",
      NULL};
  static const char *const methods[] = {"SideBySideComparison", "SideBySideRelativeComparison",
                                        NULL};
  const char *name;
  int a = 0, which = 0;
  DCS_TRY(dcs_json_only(of, members));
  const dcs_json_place target = dcs_json_member(of, "TargetName"),
                       method = dcs_json_member(of, "ValidationMethod"),
                       threshold = dcs_json_member(of, "ValidationThreshold");
  DCS_TRY(dcs_json_get_text(&target, &name));
  while (a < spec->n_arguments && strcmp(spec->arguments[a].name, name) != 0)
    a++;
  dcs_spec_argument *argument = &spec->arguments[a];
  if (a == spec->n_arguments || !argument->written || argument->expected.type != DCS_FILL_NOTHING)
    return dcs_json_wrong(&target, "a vector that the kernel writes, once");
  DCS_TRY(read_fill(spec, of, &argument->expected));
  if (method.json) DCS_TRY(dcs_json_get_word(&method, methods, &which));
  argument->relative = which == 1;
  argument->threshold = 1e-4; /* as KTT takes it */
  if (threshold.json) DCS_TRY(dcs_json_get_number(&threshold, &argument->threshold));
  return argument->threshold >= 0 ? DCS_OK : dcs_json_wrong(&threshold, "a number from 0 on");
}

static dcs_status read_references(dcs_spec *spec, const dcs_json_place *references) {
  size_t n;
  if (!references->json) return DCS_OK;
  if (spec->problem)
    return dcs_json_wrong(references, "nothing: the problem has a reference of its own");
  DCS_TRY(dcs_json_get_array(references, DCS_MAX_ARGUMENTS, &n));
  for (size_t r = 0; r < n; r++) {
    const dcs_json_place item = dcs_json_item(references, r);
    DCS_TRY(read_reference(spec, &item));
  }
  return DCS_OK;
}

/* ---- all of them ---- */

/* Those of a built-in problem are names; what they mean, whoever makes the variant knows. */
static dcs_status read_names(dcs_spec *spec, const dcs_json_place *arguments) {
  size_t n;
  if (!arguments->json) return DCS_OK;
  DCS_TRY(dcs_json_get_array(arguments, DCS_MAX_ARGUMENTS, &n));
  for (size_t a = 0; a < n; a++) {
    const dcs_json_place item = dcs_json_item(arguments, a);
    DCS_TRY(dcs_json_get_text(&item, &spec->arguments[spec->n_arguments].name));
    DCS_TRY(keep_place(spec, &item, &spec->arguments[spec->n_arguments++].fill.where));
  }
  return DCS_OK;
}

dcs_status dcs_spec_read_arguments(dcs_spec *spec, const dcs_json_place *kernel) {
  const dcs_json_place arguments = dcs_json_member(kernel, "Arguments"),
                       references = dcs_json_member(kernel, "ReferenceArguments");
  size_t n = 0;
  bool writes = false;
  if (spec->problem)
    DCS_TRY(read_names(spec, &arguments));
  else
    DCS_TRY(dcs_json_get_array(&arguments, DCS_MAX_ARGUMENTS, &n));
  for (size_t a = 0; !spec->problem && a < n; a++) {
    const dcs_json_place item = dcs_json_item(&arguments, a);
    DCS_TRY(read_argument(spec, &item));
    writes = writes || spec->arguments[a].written;
  }
  if (!spec->problem && !writes)
    return dcs_json_wrong(&arguments, "a vector at least that the kernel writes");
  return read_references(spec, &references);
}
