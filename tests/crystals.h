/* Crystals whose Madelung constants are known. */
#ifndef DCS_TEST_CRYSTALS_H
#define DCS_TEST_CRYSTALS_H

#include "harness/input/molecule.h"

/* Places in a cubic cell of edge 1: those of charge 1, then as many of -1. */
typedef struct {
  const char *name;
  double madelung, distance; /* of the nearest neighbours */
  int n;
  double place[8][3];
} crystal;

#define FCC(x, y, z)                                                                               \
  {x, y, z}, {x, y + 0.5, z + 0.5}, {x + 0.5, y, z + 0.5}, {                                       \
    x + 0.5, y + 0.5, z                                                                            \
  }

/* Madelung constants for the nearest distance: Crandall and Buhler, J. Phys. A 20 (1987) 5497. */
static const crystal crystals[] = {
    {"NaCl", 1.747564594633, 0.5, 8, {FCC(0, 0, 0), FCC(0.5, 0.5, 0.5)}},
    {"CsCl", 1.762674773071, 0.86602540378443865, 2, {{0, 0, 0}, {0.5, 0.5, 0.5}}},
    {"ZnS", 1.638055053389, 0.43301270189221932, 8, {FCC(0, 0, 0), FCC(0.25, 0.25, 0.25)}}};

/* A crystal of that cell edge, `times` cells along each dimension; returns how many sites. */
static inline int build(const crystal *c, double edge, int times, double shift, dcs_site *sites) {
  int n = 0;
  for (int cell = 0; cell < times * times * times; cell++)
    for (int a = 0; a < c->n; a++)
      sites[n++] = (dcs_site){.x = edge * (c->place[a][0] + cell % times) + shift,
                              .y = edge * (c->place[a][1] + cell / times % times) - 2 * shift,
                              .z = edge * (c->place[a][2] + cell / times / times) + 3 * shift,
                              .q = a < c->n / 2 ? 1 : -1};
  return n;
}

#endif
