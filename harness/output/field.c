#include "harness/output/field.h"

#include "harness/base/grow.h"
#include "harness/base/machine.h"
#include "harness/base/text.h"
#include "harness/files/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static dcs_status count_bytes(const dcs_field *f, size_t *bytes) {
  const dcs_dims n = f->n;
  if (n.x > 0 && n.y > 0 && n.z > 0 && !__builtin_mul_overflow((size_t)n.x, (size_t)n.y, bytes) &&
      !__builtin_mul_overflow(*bytes, (size_t)n.z, bytes) &&
      !__builtin_mul_overflow(*bytes, sizeof *f->values, bytes) && *bytes <= INT64_MAX / 4)
    return DCS_OK;
  return dcs_fail(DCS_USAGE,
                  "found a map of %lldx%lldx%lld points; expected 1 or more along each axis, and "
                  "fewer than 2^59",
                  (long long)n.x, (long long)n.y, (long long)n.z);
}

dcs_status dcs_field_allocate(dcs_field *field) {
  enum { SMALL = 1 << 20 }; /* asking what is free takes longer than a map of so many bytes */
  size_t bytes;
  DCS_TRY(count_bytes(field, &bytes));
  if (bytes <= SMALL || (int64_t)bytes <= dcs_available_memory()) field->values = malloc(bytes);
  if (field->values) return DCS_OK;
  return dcs_fail(DCS_UNAVAILABLE,
                  "a map of %lldx%lldx%lld points needs %.3g GB of memory; %.3g GB are free",
                  (long long)field->n.x, (long long)field->n.y, (long long)field->n.z,
                  1e-9 * (double)bytes, 1e-9 * (double)dcs_available_memory());
}

dcs_status dcs_field_allocate_for(FILE *in, const char *path, int least, dcs_field *field) {
  struct stat facts;
  size_t bytes;
  if (count_bytes(field, &bytes) != DCS_OK)
    return dcs_fail(DCS_INPUT, "%s: %s", path, dcs_error_message());
  const off_t at = ftello(in);
  if (at < 0 || fstat(fileno(in), &facts) != 0) return dcs_cannot("read", path);
  if (facts.st_size < at || (size_t)(facts.st_size - at) / (size_t)least < bytes / 4)
    return dcs_fail(DCS_INPUT, "%s: found %lld bytes of values; expected %lldx%lldx%lld values",
                    path, (long long)(facts.st_size - at), (long long)field->n.x,
                    (long long)field->n.y, (long long)field->n.z);
  return dcs_field_allocate(field);
}

void dcs_field_free(dcs_field *field) {
  free(field->values);
  field->values = NULL;
}

/* ---- units ---- */

/* e / (4 pi epsilon_0 A) in V and Boltzmann's constant in eV/K: CODATA 2018. 1 eV is 23.06054783
 * kcal/mol, with the thermochemical calorie. */
#define VOLT          14.39964547842567
#define EV_PER_KELVIN 8.617333262e-5

const dcs_units dcs_all_units[] = {
    {"e/A", "potential_e_per_angstrom", "elementary charges per angstrom", 1},
    {"V", "potential_v", "volts", VOLT},
    {"kT/e", "potential_kt_per_e", "kT per elementary charge, at --temperature",
     VOLT / EV_PER_KELVIN},
    {"kcal/mol/e", "potential_kcal_per_mol_e", "kcal/mol per elementary charge",
     VOLT * 23.060547830619},
};
const int dcs_n_units = sizeof dcs_all_units / sizeof dcs_all_units[0];

static const dcs_units *units_named(const char *name) {
  for (int u = 0; u < dcs_n_units; u++)
    if (strcasecmp(name, dcs_all_units[u].name) == 0) return &dcs_all_units[u];
  return NULL;
}

dcs_status dcs_find_units(const char *name, const dcs_units **units) {
  char known[DCS_TEXT] = "";
  *units = units_named(name);
  if (*units) return DCS_OK;
  for (int u = 0; u < dcs_n_units; u++)
    dcs_append(known, sizeof known, "%s%s", u ? ", " : "", dcs_all_units[u].name);
  return dcs_fail(DCS_USAGE, "units: found \"%s\"; expected one of %s", name, known);
}

double dcs_units_factor(const dcs_units *units, double kelvin) {
  return strcmp(units->name, "kT/e") == 0 ? units->factor / kelvin : units->factor;
}

bool dcs_is_potential(const dcs_field *field) {
  return !field->units[0] || units_named(field->units);
}

const char *dcs_field_title(const dcs_field *field) {
  return dcs_is_potential(field) ? "Direct Coulomb Summation: the sum of charge / distance"
                                 : "dcsbench: values on a grid";
}

static const char grid_steps[] = "grid steps";

const char *dcs_field_lengths(const dcs_field *field) {
  return field->in_steps ? grid_steps : "angstrom";
}

bool dcs_field_is_in_steps(const char *comment) {
  const char *lengths = strstr(comment, "lengths in ");
  return lengths && strncmp(lengths + 11, grid_steps, sizeof grid_steps - 1) == 0;
}

void dcs_point_columns(const char *units, const char *names[5]) {
  const dcs_units *known = units_named(units);
  names[0] = "x_angstrom";
  names[1] = "y_angstrom";
  names[2] = "z_angstrom";
  names[3] = known ? known->column : "value";
  names[4] = NULL;
}

void dcs_field_scale(dcs_field *field, double factor, const char *units) {
  snprintf(field->units, sizeof field->units, "%s", units);
  if (factor == 1) return;
  for (int64_t i = 0; i < dcs_points(field->n); i++)
    field->values[i] = (float)(field->values[i] * factor);
}

/* ---- slices ---- */

dcs_status dcs_parse_slice(const char *text, double at[3]) {
  char **parts;
  int n;
  for (int axis = 0; axis < 3; axis++)
    at[axis] = NAN;
  DCS_TRY(dcs_split(text, ',', &parts, &n));
  dcs_status status = DCS_OK;
  for (int p = 0; status == DCS_OK && p < n; p++) {
    int axis = parts[p][0] - 'x';
    if (axis < 0 || axis > 2 || parts[p][1] != '=' || !isnan(at[axis]))
      status = dcs_fail(DCS_USAGE,
                        "--slice: found \"%s\"; expected an axis and where along it, "
                        "angstrom, each axis once: z=12.5, or x=1,y=2 for a line",
                        text);
    else
      status = dcs_parse_number("--slice", parts[p] + 2, -1e9, 1e9, &at[axis]);
  }
  free(parts);
  return status;
}

dcs_status dcs_slice_grid(const double at[3], double origin[3], const double spacing[3],
                          dcs_dims *n, int64_t first[3]) {
  int64_t *points[3] = {&n->x, &n->y, &n->z};
  for (int axis = 0; axis < 3; axis++) {
    first[axis] = 0;
    if (isnan(at[axis])) continue;
    double steps = round((at[axis] - origin[axis]) / spacing[axis]);
    if (!(steps >= 0 && steps < (double)*points[axis]))
      return dcs_fail(DCS_USAGE, "--slice: found %c=%g; expected %g to %g, where the map is",
                      'x' + axis, at[axis], origin[axis],
                      origin[axis] + spacing[axis] * (double)(*points[axis] - 1));
    first[axis] = (int64_t)steps;
    origin[axis] += steps * spacing[axis];
    *points[axis] = 1;
  }
  return DCS_OK;
}

dcs_status dcs_field_slice(dcs_field *field, const double at[3]) {
  const dcs_dims whole = field->n;
  int64_t first[3];
  if (field->spacing[0] == 0)
    return dcs_fail(DCS_INPUT, "--slice: the map's file does not say where its points are");
  DCS_TRY(dcs_slice_grid(at, field->origin, field->spacing, &field->n, first));
  float *to = field->values;
  for (int64_t k = first[2]; k < first[2] + field->n.z; k++)
    for (int64_t j = first[1]; j < first[1] + field->n.y; j++) {
      memmove(to, field->values + (k * whole.y + j) * whole.x + first[0],
              (size_t)field->n.x * sizeof *to);
      to += field->n.x;
    }
  return DCS_OK;
}

/* ---- statistics ---- */

dcs_statistics dcs_statistics_of(const float *values, int64_t n) {
  dcs_statistics s = {.least = INFINITY, .greatest = -INFINITY};
  for (int64_t i = 0; i < n; i++) {
    const double v = values[i];
    s.least = fmin(s.least, v);
    s.greatest = fmax(s.greatest, v);
    s.sum += v;
    s.squares += v * v;
  }
  return s;
}

void dcs_statistics_add(dcs_statistics *all, const dcs_statistics *next) {
  all->least = fmin(all->least, next->least);
  all->greatest = fmax(all->greatest, next->greatest);
  all->sum += next->sum;
  all->squares += next->squares;
}
