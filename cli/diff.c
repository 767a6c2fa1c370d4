/* dcsbench diff */
#include "cli/commands.h"
#include "harness/files/sheet.h"

#include <math.h>
#include <string.h>

typedef struct {
  const char *words[2];
  double tolerance; /* NaN: none */
  double kelvin;
  bool csv, json;
} arguments;

static const dcs_option options[] = {
    {"tolerance", 0, "X",
     "end with status 1 if the largest difference is above X times the root mean square of B",
     DCS_NUMBER(arguments, tolerance, 0, 1e30)},
    {"temperature", 0, "KELVIN", "of kT/e (298.15)", DCS_NUMBER(arguments, kelvin, 1e-3, 1e9)},
    {"csv", 'c', NULL, "print CSV", DCS_FLAG(arguments, csv)},
    {"json", 'j', NULL, "print JSON", DCS_FLAG(arguments, json)},
    {0}};

static dcs_status check(const void *values) {
  const arguments *a = values;
  return a->csv && a->json ? dcs_fail(DCS_USAGE, "--csv and --json: leave one out") : DCS_OK;
}

/* ---- maps that can be compared ---- */

/* Points and places agree: single precision, in which some formats have places, tells a millionth
 * of the grid's extent apart. */
static dcs_status check_places(const arguments *a, const dcs_field *f, const dcs_field *g) {
  if (f->n.x != g->n.x || f->n.y != g->n.y || f->n.z != g->n.z)
    return dcs_fail(DCS_INPUT,
                    "%s has %lldx%lldx%lld points, %s has %lldx%lldx%lld; expected the "
                    "same grid",
                    a->words[0], (long long)f->n.x, (long long)f->n.y, (long long)f->n.z,
                    a->words[1], (long long)g->n.x, (long long)g->n.y, (long long)g->n.z);
  if (f->spacing[0] == 0 || g->spacing[0] == 0) return DCS_OK;
  if (f->in_steps != g->in_steps)
    return dcs_fail(DCS_INPUT, "%s has lengths in %s, %s in %s; expected the same grid",
                    a->words[0], dcs_field_lengths(f), a->words[1], dcs_field_lengths(g));
  const int64_t n[3] = {f->n.x, f->n.y, f->n.z};
  for (int axis = 0; axis < 3; axis++) {
    const double far = fabs(f->origin[axis]) + f->spacing[axis] * (double)n[axis];
    const double shift = fabs(f->origin[axis] - g->origin[axis]) +
                         fabs(f->spacing[axis] - g->spacing[axis]) * (double)(n[axis] - 1);
    if (shift > 1e-6 * far + 1e-3 * f->spacing[axis])
      return dcs_fail(DCS_INPUT,
                      "the points of %s and %s are up to %.3g %s apart along %c; "
                      "expected the same grid",
                      a->words[0], a->words[1], shift, dcs_field_lengths(f), 'x' + axis);
  }
  return DCS_OK;
}

/* In messages. */
static const char *units_of(const dcs_field *f) {
  return f->units[0] ? f->units : "unknown units";
}

/* What B is to be multiplied by to have A's units; 1 where there is no factor, which is said. */
static double factor_between(const arguments *a, const dcs_field *f, const dcs_field *g) {
  const dcs_units *to, *from;
  if (f->units[0] && strcmp(f->units, g->units) == 0) return 1;
  if (!f->units[0] || !g->units[0] || dcs_find_units(f->units, &to) != DCS_OK ||
      dcs_find_units(g->units, &from) != DCS_OK) {
    fprintf(stderr,
            "%s has %s, %s has %s: no factor between them is known, and values are compared as "
            "they are\n",
            a->words[0], units_of(f), a->words[1], units_of(g));
    return 1;
  }
  return dcs_units_factor(to, a->kelvin) / dcs_units_factor(from, a->kelvin);
}

/* ---- the difference ---- */

typedef struct {
  double rms_a, rms_b, rms; /* of A, B and A - B */
  double most, value_a, value_b, at[3];
  int64_t where;       /* of the largest difference */
  int64_t not_numbers; /* points where A or B is not finite, of which none of these is */
} difference;

/* Of equal maps of zeros it is none. */
static double relative(double by, double of) {
  return by == 0 ? 0 : by / of;
}

static double root_mean(double squares, double n) {
  return n > 0 ? sqrt(squares / n) : NAN;
}

static difference subtract(const dcs_field *f, const dcs_field *g, double factor) {
  const int64_t n = dcs_points(f->n);
  double a2 = 0, b2 = 0, d2 = 0;
  difference d = {.most = -1};
  for (int64_t i = 0; i < n; i++) {
    const double a = f->values[i], b = g->values[i] * factor, apart = fabs(a - b);
    if (!isfinite(apart)) {
      d.not_numbers++;
      continue;
    }
    a2 += a * a;
    b2 += b * b;
    d2 += apart * apart;
    if (!(apart > d.most)) continue;
    d.most = apart;
    d.where = i;
  }
  const double counted = (double)(n - d.not_numbers);
  d.rms_a = root_mean(a2, counted);
  d.rms_b = root_mean(b2, counted);
  d.rms = root_mean(d2, counted);
  if (counted == 0) d.most = NAN;
  d.value_a = f->values[d.where];
  d.value_b = g->values[d.where] * factor;
  const dcs_field *placed = f->spacing[0] > 0 ? f : g;
  const int64_t at[3] = {d.where % f->n.x, d.where / f->n.x % f->n.y, d.where / f->n.x / f->n.y};
  for (int axis = 0; axis < 3; axis++)
    d.at[axis] = placed->spacing[axis] > 0 && counted > 0
                     ? placed->origin[axis] + placed->spacing[axis] * (double)at[axis]
                     : NAN;
  return d;
}

static dcs_status print_for_machines(const arguments *a, const dcs_field *f, const difference *d) {
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"points", (double)dcs_points(f->n)},
                 {"not_numbers", (double)d->not_numbers},
                 {"rms_a", d->rms_a},
                 {"rms_b", d->rms_b},
                 {"rms_difference", d->rms},
                 {"relative_l2", relative(d->rms, d->rms_b)},
                 {"largest_difference", d->most},
                 {"x_angstrom", d->at[0]},
                 {"y_angstrom", d->at[1]},
                 {"z_angstrom", d->at[2]},
                 {"value_a", d->value_a},
                 {"value_b", d->value_b}};
  enum { N = sizeof numbers / sizeof *numbers };
  dcs_sheet_column columns[N];
  for (int i = 0; i < N; i++)
    columns[i] = (dcs_sheet_column){.name = numbers[i].name, .format = "%.9g", .scale = 1};
  dcs_sheet sheet = dcs_sheet_begin("", columns, N);
  for (int i = 0; i < N; i++)
    dcs_sheet_number(&sheet, numbers[i].value);
  dcs_status status = dcs_sheet_write(&sheet, a->csv ? DCS_SHEET_CSV : DCS_SHEET_JSON, stdout);
  dcs_sheet_free(&sheet);
  return status;
}

static void print_for_people(const dcs_field *f, const difference *d) {
  printf("points                %lldx%lldx%lld\n", (long long)f->n.x, (long long)f->n.y,
         (long long)f->n.z);
  printf("units                 %s\n", f->units[0] ? f->units : "unknown");
  printf("root mean square      A %.6g, B %.6g, A - B %.6g\n", d->rms_a, d->rms_b, d->rms);
  printf("relative difference   %.3g (root mean square of A - B, over that of B)\n",
         relative(d->rms, d->rms_b));
  printf("largest difference    %.6g (%.3g of B's root mean square): A %.9g, B %.9g\n", d->most,
         relative(d->most, d->rms_b), d->value_a, d->value_b);
  if (!isnan(d->at[0]))
    printf("at                    %.6g, %.6g, %.6g %s\n", d->at[0], d->at[1], d->at[2],
           dcs_field_lengths(f));
  if (d->not_numbers) printf("not numbers           %lld points\n", (long long)d->not_numbers);
}

static dcs_status compare(const arguments *a, const dcs_field *f, dcs_field *g) {
  DCS_TRY(check_places(a, f, g));
  const difference d = subtract(f, g, factor_between(a, f, g));
  if (a->csv || a->json)
    DCS_TRY(print_for_machines(a, f, &d));
  else
    print_for_people(f, &d);
  if (isnan(a->tolerance) || (!d.not_numbers && d.most <= a->tolerance * d.rms_b)) return DCS_OK;
  if (d.not_numbers)
    return dcs_fail(DCS_FAILED, "%lld points are not numbers", (long long)d.not_numbers);
  return dcs_fail(DCS_FAILED, "the largest difference is %.3g of B's root mean square, above %g",
                  relative(d.most, d.rms_b), a->tolerance);
}

dcs_status dcs_command_diff(int argc, char **argv) {
  static const dcs_command_line line = {
      .options = options,
      .args_doc = "A B",
      .doc =
          "Compare two maps on the same grid, each in any format that `dcsbench convert` reads: "
          "root mean squares, the relative difference, and where the largest difference is. B is "
          "converted to A's units.",
      .place = DCS_PLACE(arguments, words[0], const char *),
      .words = 2,
      .missing = "two maps are needed",
      .check = check};
  arguments a = {.tolerance = NAN, .kelvin = 298.15};
  dcs_field f, g;
  DCS_TRY(dcs_parse_options(&line, argc, argv, &a, (dcs_shared_options){0}));
  DCS_TRY(dcs_field_read(a.words[0], &f));
  dcs_status status = dcs_field_read(a.words[1], &g);
  if (status == DCS_OK) {
    status = compare(&a, &f, &g);
    dcs_field_free(&g);
  }
  dcs_field_free(&f);
  return status;
}
