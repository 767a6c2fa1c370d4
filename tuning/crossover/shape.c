#include "tuning/crossover/crossover.h"

#include <math.h>
#include <stdio.h>

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

dcs_shape dcs_shape_of(dcs_dims n, dcs_shape_kind kind) {
  int64_t scale = common_divisor(n.x, n.y);
  if (kind == DCS_SHAPE_MULTIPLES) scale = common_divisor(scale, n.z);
  return (dcs_shape){kind,
                     {n.x / scale, n.y / scale, kind == DCS_SHAPE_MULTIPLES ? n.z / scale : n.z}};
}

bool dcs_shape_equal(dcs_shape a, dcs_shape b) {
  return a.kind == b.kind && a.unit.x == b.unit.x && a.unit.y == b.unit.y && a.unit.z == b.unit.z;
}

static char *edge_text(int64_t factor, char text[32]) {
  if (factor == 1)
    snprintf(text, 32, "N");
  else
    snprintf(text, 32, "%lldN", (long long)factor);
  return text;
}

char *dcs_shape_text(dcs_shape shape, char text[DCS_TEXT]) {
  const dcs_dims u = shape.unit;
  char x[32], y[32], z[32];
  if (shape.kind == DCS_SHAPE_MULTIPLES && u.x == 1 && u.y == 1 && u.z == 1)
    snprintf(text, DCS_TEXT, "N^3");
  else if (shape.kind == DCS_SHAPE_MULTIPLES)
    snprintf(text, DCS_TEXT, "%sx%sx%s", edge_text(u.x, x), edge_text(u.y, y), edge_text(u.z, z));
  else
    snprintf(text, DCS_TEXT, "%sx%sx%lld", edge_text(u.x, x), edge_text(u.y, y), (long long)u.z);
  return text;
}

dcs_dims dcs_shape_grid(dcs_shape shape, double points) {
  const dcs_dims u = shape.unit;
  double units = points / ((double)u.x * (double)u.y * (double)u.z);
  double power = shape.kind == DCS_SHAPE_MULTIPLES ? 3 : 2;
  double below = fmax(1, floor(pow(units, 1 / power)));
  bool up = units / pow(below, power) > pow(below + 1, power) / units;
  int64_t scale = (int64_t)below + up;
  return (dcs_dims){u.x * scale, u.y * scale,
                    shape.kind == DCS_SHAPE_MULTIPLES ? u.z * scale : u.z};
}
