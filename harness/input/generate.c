/* Generated molecules: water, droplets of it, ions, uniform.
 *
 * The same seed must give the same atoms on every machine, so what depends on it goes through
 * integers, + - * /, sqrt and floor, which IEEE 754 rounds the same way everywhere, and never
 * through sin, cos, log or cbrt. Coordinates are whole multiples of 0.001 angstrom and charges of
 * 0.0001 e, so that a written PQR file holds the very molecule. */
#include "harness/base/random.h"
#include "harness/input/molecule.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define LONGEST_EDGE 1e6 /* angstrom */

/* Moving both of two sites to the nearest multiple of 0.001 in x, y and z brings them closer by at
 * most sqrt(3) * 0.001. */
#define ROUNDING 0.002

/* TIP3P (Jorgensen et al., J. Chem. Phys. 79 (1983) 926): O-H 0.9572 A, H-O-H 104.52 degrees;
 * the hydrogens are at (+-OH sin(52.26 degrees), OH cos(52.26 degrees), 0). */
#define OH        0.9572
#define H_X       0.7569503272636612
#define H_Y       0.585882276618295
#define Q_O       (-0.834)
#define Q_H       0.417
#define RADIUS_O  1.6612
#define WATER_JIT 0.11

/* (1 / 0.0334)^(1/3): one molecule in each cell of the lattice gives water's density. Sites of two
 * molecules are at least pitch - 2*0.11 (displacements) - 2*0.9572 (arms) apart; at this pitch that
 * is 0.97 A, more than O-H itself, and WATER_PITCH_MIN is where it becomes O-H. */
#define WATER_PITCH     3.105163775311734
#define WATER_PITCH_MIN (3 * OH + 2 * WATER_JIT + ROUNDING)

#define ION_PITCH    8.0
#define ION_DISTANCE 2.0
#define ION_RADIUS   1.0

#define UNIFORM_VOLUME INT64_C(10) /* cubic angstrom an atom */
#define UNIFORM_RADIUS 1.0

/* ---- helpers ---- */

/* Smallest integer whose cube is at least v, for 0 <= v <= 10^18. */
static int64_t cube_root_up(int64_t v) {
  int64_t lo = 0, hi = 1000000;
  while (lo < hi) {
    int64_t middle = (lo + hi) / 2;
    if (middle * middle * middle >= v)
      hi = middle;
    else
      lo = middle + 1;
  }
  return lo;
}

static double to_thousandths(double v) {
  return floor(v * 1000 + 0.5) / 1000;
}

static dcs_site place_site(const double at[3], double q, double radius) {
  return (dcs_site){to_thousandths(at[0]), to_thousandths(at[1]), to_thousandths(at[2]), q, radius};
}

/* A random point of the unit ball in n dimensions, by rejection; returns its squared length. */
static double random_in_ball(dcs_random *random, int n, double *point) {
  double square;
  do {
    square = 0;
    for (int i = 0; i < n; i++) {
      point[i] = 2 * dcs_random_unit(random) - 1;
      square += point[i] * point[i];
    }
  } while (square > 1);
  return square;
}

static dcs_status allocate(int64_t n, dcs_molecule *molecule) {
  molecule->sites = malloc((size_t)n * sizeof *molecule->sites);
  if (molecule->sites == NULL)
    return dcs_fail(DCS_UNAVAILABLE, "no memory for %" PRId64 " atoms (%.1f GB)", n,
                    (double)n * sizeof *molecule->sites / 1e9);
  molecule->n = n;
  return DCS_OK;
}

/* The molecule's box is a periodic cell. */
static void set_cell(double edge, dcs_molecule *molecule) {
  molecule->cell = (dcs_unit_cell){.edge = {edge, edge, edge}, .angle = {90, 90, 90}};
}

/* ---- lattices ---- */

/* A simple cubic lattice of `side` cells along each edge; cell c is filled before cell c + 1, so
 * that density is right wherever there is anything. */
typedef struct {
  int64_t side;
  double pitch; /* angstrom */
} lattice;

/* A lattice of `room` cells for each of n things of `atoms_each` atoms, of the natural pitch when
 * edge is 0. */
static dcs_status choose_lattice(int64_t n, int64_t room, int64_t atoms_each, double edge,
                                 double natural, double smallest, lattice *chosen) {
  chosen->side = cube_root_up(n * room);
  chosen->pitch = edge > 0 ? edge / (double)chosen->side : natural;
  if (chosen->pitch >= smallest) return DCS_OK;
  int64_t fits = (int64_t)floor(edge / smallest);
  return dcs_fail(DCS_USAGE,
                  "found %" PRId64 " atoms for a box of edge %g angstrom; expected at most %" PRId64
                  " in that box, or an edge of at least %.1f",
                  n * atoms_each, edge, fits * fits * fits / room * atoms_each,
                  ceil((double)chosen->side * smallest * 10) / 10);
}

static double edge_of(const lattice *l) {
  return l->pitch * (double)l->side;
}

/* The middle of a cell, displaced by a random vector no longer than `jitter`. */
static void jittered_centre(const lattice *l, int64_t cell, double jitter, dcs_random *random,
                            double at[3]) {
  const int64_t index[3] = {cell % l->side, cell / l->side % l->side, cell / (l->side * l->side)};
  double shift[3];
  random_in_ball(random, 3, shift);
  for (int axis = 0; axis < 3; axis++)
    at[axis] = ((double)index[axis] + 0.5) * l->pitch + jitter * shift[axis];
}

/* ---- water ---- */

/* The first two columns of a random rotation's matrix, from a uniform unit quaternion. */
static void random_axes(dcs_random *random, double x_axis[3], double y_axis[3]) {
  double p[4], square;
  do {
    square = random_in_ball(random, 4, p);
  } while (square < 1e-6); /* too short to be a direction with full precision */
  double length = sqrt(square);
  double w = p[0] / length, x = p[1] / length, y = p[2] / length, z = p[3] / length;
  x_axis[0] = 1 - 2 * (y * y + z * z);
  x_axis[1] = 2 * (x * y + w * z);
  x_axis[2] = 2 * (x * z - w * y);
  y_axis[0] = 2 * (x * y - w * z);
  y_axis[1] = 1 - 2 * (x * x + z * z);
  y_axis[2] = 2 * (y * z + w * x);
}

static void place_water(const double oxygen[3], dcs_random *random, dcs_site sites[3]) {
  double x_axis[3], y_axis[3], left[3], right[3];
  random_axes(random, x_axis, y_axis);
  for (int axis = 0; axis < 3; axis++) {
    left[axis] = oxygen[axis] - H_X * x_axis[axis] + H_Y * y_axis[axis];
    right[axis] = oxygen[axis] + H_X * x_axis[axis] + H_Y * y_axis[axis];
  }
  sites[0] = place_site(oxygen, Q_O, RADIUS_O);
  sites[1] = place_site(left, Q_H, 0);
  sites[2] = place_site(right, Q_H, 0);
}

static dcs_status generate_water(int64_t n, double edge, dcs_random *random,
                                 dcs_molecule *molecule) {
  int64_t waters = (n + 2) / 3;
  lattice l;
  DCS_TRY(choose_lattice(waters, 1, 3, edge, WATER_PITCH, WATER_PITCH_MIN, &l));
  DCS_TRY(allocate(3 * waters, molecule));
  set_cell(edge_of(&l), molecule);
  for (int64_t i = 0; i < waters; i++) {
    double oxygen[3];
    jittered_centre(&l, i, WATER_JIT, random, oxygen);
    place_water(oxygen, random, &molecule->sites[3 * i]);
  }
  return DCS_OK;
}

bool dcs_is_water(const dcs_molecule *molecule) {
  for (int64_t i = 0; i < molecule->n; i++) {
    const dcs_site *site = &molecule->sites[i], *oxygen = &molecule->sites[i - i % 3];
    const double x = site->x - oxygen->x, y = site->y - oxygen->y, z = site->z - oxygen->z;
    if (site->q != (i % 3 == 0 ? Q_O : Q_H)) return false;
    if (i % 3 != 0 && !(fabs(sqrt(x * x + y * y + z * z) - OH) < 0.1)) return false;
  }
  return true;
}

/* ---- droplets ---- */

/* Room for ten times the water, so that it is dense in one place and thin in the others. */
enum { DROPLET_ROOM = 10 };

typedef struct {
  int64_t distance2, index; /* of its middle from that of the lattice, in half cells */
} droplet_cell;

static int nearer(const void *a, const void *b) {
  const droplet_cell *p = a, *q = b;
  if (p->distance2 != q->distance2) return p->distance2 < q->distance2 ? -1 : 1;
  return p->index < q->index ? -1 : p->index > q->index;
}

/* All cells, the nearest to the middle first. */
static droplet_cell *cells_from_the_middle(int64_t side) {
  const int64_t n = side * side * side;
  droplet_cell *cells = malloc((size_t)n * sizeof *cells);
  for (int64_t i = 0; cells && i < n; i++) {
    const int64_t x = 2 * (i % side) + 1 - side, y = 2 * (i / side % side) + 1 - side;
    const int64_t z = 2 * (i / (side * side)) + 1 - side;
    cells[i] = (droplet_cell){x * x + y * y + z * z, i};
  }
  if (cells) qsort(cells, (size_t)n, sizeof *cells, nearer);
  return cells;
}

static dcs_status generate_droplet(int64_t n, double edge, dcs_random *random,
                                   dcs_molecule *molecule) {
  int64_t waters = (n + 2) / 3, dense = waters - waters / 3;
  lattice l;
  DCS_TRY(choose_lattice(waters, DROPLET_ROOM, 3, edge, WATER_PITCH, WATER_PITCH_MIN, &l));
  int64_t others = l.side * l.side * l.side - dense;
  droplet_cell *cells = cells_from_the_middle(l.side);
  if (!cells) return dcs_fail(DCS_UNAVAILABLE, "no memory for the places of %" PRId64 " atoms", n);
  dcs_status status = allocate(3 * waters, molecule);
  set_cell(edge_of(&l), molecule);
  for (int64_t i = 0; status == DCS_OK && i < waters; i++) {
    /* Around the ball, places in equal steps outwards. */
    int64_t at = i < dense ? i : dense + (i - dense) * others / (waters - dense);
    double oxygen[3];
    jittered_centre(&l, cells[at].index, WATER_JIT, random, oxygen);
    place_water(oxygen, random, &molecule->sites[3 * i]);
  }
  free(cells);
  return status;
}

/* ---- ions ---- */

static dcs_status generate_ions(int64_t n, double edge, dcs_random *random,
                                dcs_molecule *molecule) {
  lattice l;
  DCS_TRY(choose_lattice(n, 1, 1, edge, ION_PITCH, ION_DISTANCE, &l));
  DCS_TRY(allocate(n, molecule));
  set_cell(edge_of(&l), molecule);
  double jitter = fmax(0, (l.pitch - ION_DISTANCE - ROUNDING) / 2);
  for (int64_t i = 0; i < n; i++) {
    double at[3];
    jittered_centre(&l, i, jitter, random, at);
    molecule->sites[i] = place_site(at, i % 2 == 0 ? 1 : -1, ION_RADIUS);
  }
  return DCS_OK;
}

/* ---- uniform ---- */

/* Shifts the charges, in units of 0.0001 e and held exactly, to a sum of 0. */
static void neutralise(dcs_molecule *molecule, int64_t sum) {
  int64_t each = sum / molecule->n, rest = sum % molecule->n;
  for (int64_t i = 0; i < molecule->n; i++) {
    int64_t shift = each + (i < llabs(rest) ? (rest > 0 ? 1 : -1) : 0);
    molecule->sites[i].q = (molecule->sites[i].q - (double)shift) / 10000;
  }
}

static dcs_status generate_uniform(int64_t n, double edge, dcs_random *random,
                                   dcs_molecule *molecule) {
  /* The edge in thousandths of an angstrom, so that its cube root is one of integers. */
  if (edge <= 0) edge = (double)cube_root_up(n * UNIFORM_VOLUME * 1000000000) / 1000;
  DCS_TRY(allocate(n, molecule));
  set_cell(edge, molecule);
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) {
    dcs_site *site = &molecule->sites[i];
    site->x = floor(dcs_random_unit(random) * edge * 1000) / 1000;
    site->y = floor(dcs_random_unit(random) * edge * 1000) / 1000;
    site->z = floor(dcs_random_unit(random) * edge * 1000) / 1000;
    site->radius = UNIFORM_RADIUS;
    int64_t q = dcs_random_below(random, 20000) - 10000;
    site->q = (double)q;
    sum += q;
  }
  neutralise(molecule, sum);
  return DCS_OK;
}

dcs_status dcs_generate(dcs_generated kind, int64_t n, double edge, uint64_t seed,
                        dcs_molecule *molecule) {
  *molecule = (dcs_molecule){0};
  if (n < 1 || n > DCS_MOST_ATOMS)
    return dcs_fail(DCS_USAGE, "found %" PRId64 " atoms to generate; expected 1 to %" PRId64, n,
                    DCS_MOST_ATOMS);
  if (!(edge >= 0 && edge <= LONGEST_EDGE))
    return dcs_fail(DCS_USAGE,
                    "found a box edge of %g angstrom; expected 0 (from the density) to "
                    "%g",
                    edge, LONGEST_EDGE);
  dcs_random random = {seed};
  switch (kind) {
  case DCS_WATER:
    return generate_water(n, edge, &random, molecule);
  case DCS_UNIFORM:
    return generate_uniform(n, edge, &random, molecule);
  case DCS_IONS:
    return generate_ions(n, edge, &random, molecule);
  case DCS_DROPLET:
    return generate_droplet(n, edge, &random, molecule);
  }
  return dcs_fail(DCS_USAGE, "found input kind %d; expected water, uniform, ions or droplet",
                  (int)kind);
}
