/* A map that a test of the library asks for, and what it has to be. Include after cmocka.h. */
#ifndef DCS_TEST_LIBRARY_MAP_H
#define DCS_TEST_LIBRARY_MAP_H

#include "library/dcsbench.h"
#include "tests/own_dispatch.h"

#include <math.h>

enum { NX = 19, NY = 10, NZ = 6, POINTS = NX * NY * NZ, MOST_ATOMS = 700 };
static double atoms[4 * MOST_ATOMS];
static float map[POINTS];

static inline dcs_map_request request_of(int64_t n) {
  dcs_map_request r = {.n_atoms = n,
                       .atoms = atoms,
                       .origin = {-2, 7, 11},
                       .spacing = 0.5,
                       .nx = NX,
                       .ny = NY,
                       .nz = NZ};
  for (int64_t a = 0; a < n; a++) {
    atoms[4 * a] = r.origin[0] + 4 + 4 * sin((double)a);
    atoms[4 * a + 1] = r.origin[1] + 2 + 2 * cos(1.7 * (double)a);
    atoms[4 * a + 2] = r.origin[2] + 1 + cos(2.9 * (double)a);
    atoms[4 * a + 3] = 1 + 0.3 * sin((double)a);
  }
  return r;
}

/* Charges are of one sign where this is used, so that single precision is good to 1e-5 of a value.
 */
static inline void assert_map(const dcs_map_request *r) {
  for (int p = 0; p < POINTS; p++) {
    double sum = 0;
    const int at[3] = {p % NX, p / NX % NY, p / NX / NY};
    for (int64_t a = 0; a < r->n_atoms; a++) {
      double r2 = 0;
      for (int d = 0; d < 3; d++)
        r2 += pow(r->origin[d] + r->spacing * at[d] - r->atoms[4 * a + d], 2);
      double c2 = r->cutoff * r->cutoff, f = 1;
      if (c2 > 0) f = r2 >= c2 ? 0 : r->switched ? (1 - r2 / c2) * (1 - r2 / c2) : 1;
      if (sqrt(r2) >= 1e-6 * r->spacing) sum += f * r->atoms[4 * a + 3] / sqrt(r2);
    }
    if (!(fabs(map[p] - sum) <= 1e-5 * fabs(sum)))
      fail_msg("point %d: found %.9g, expected %.9g", p, map[p], sum);
  }
}

static inline dcs_mapper *open_mapper(const char *device, const char *dispatch) {
  dcs_mapper *m;
  const dcs_mapper_options options = {.device = device, .dispatch = dispatch};
  if (dcs_mapper_open(&options, &m) != 0) fail_msg("%s", dcs_error_message());
  return m;
}

static inline void assert_computes(dcs_mapper *m, const dcs_map_request *r) {
  for (int p = 0; p < POINTS; p++)
    map[p] = NAN;
  if (dcs_map(m, r, map) != 0) fail_msg("%s", dcs_error_message());
  assert_map(r);
}

static inline void assert_explains(dcs_mapper *m, const dcs_map_request *r, const char *part) {
  char text[8192];
  assert_int_equal(dcs_explain(m, r, text, sizeof text), 0);
  assert_contains(text, part);
}

#endif
