/* A case: one molecule on one grid, in double precision for the oracle and in single precision for
 * the kernels. */
#ifndef DCS_CASE_H
#define DCS_CASE_H

#include "harness/input/molecule.h"
#include "kernels/contract.h"

/* The grid as the user gave it. Zero or absent fields are derived from the molecule. */
typedef struct {
  dcs_dims n;       /* points; {0,0,0}: as many as box and margin need at that spacing */
  double spacing;   /* angstrom; 0: what makes box and margin fit n, or 0.5 without n */
  double margin;    /* angstrom around the molecule's box */
  bool has_origin;  /* else the grid is centred on the molecule's box */
  double origin[3]; /* of grid point (0, 0, 0), angstrom */
} dcs_grid;

/* A point so close to an atom that single precision cannot tell their distance. The kernels' value
 * there is replaced by this one, computed in double precision. */
typedef struct {
  int64_t index;
  float value;  /* of the whole sum */
  float within; /* of the atoms within the cutoff, where the problem has one */
} dcs_near;

typedef struct {
  dcs_problem problem; /* the atoms that carry charge (one at least): owned by the case; origin
                          subtracted in double, then rounded */
  dcs_site *sites;     /* all atoms of the input: n_sites; origin subtracted, double precision */
  int64_t n_sites;
  double spacing;
  double origin[3];
  dcs_near *near;
  int64_t n_near;
  int64_t n_coincident; /* atoms on a grid point (r < 1e-6 spacing): left out of the sum there */
} dcs_case;

/* Most points a grid may have: 2^40 (4 TiB of floats). */
#define DCS_MAX_POINTS ((int64_t)1 << 40)

/* Fills in what was left open of a grid around the molecule: spacing, points, origin. DCS_USAGE for
 * one that cannot be (no points, too many, spacing not above 0 or not finite), or no atoms. */
dcs_status dcs_case_grid(const dcs_molecule *molecule, dcs_grid *grid);

/* Derives the grid and builds the case. DCS_USAGE as dcs_case_grid(), DCS_UNAVAILABLE when
 * memory is short. The caller frees with dcs_case_free(). */
dcs_status dcs_case_build(const dcs_molecule *molecule, const dcs_grid *grid, dcs_case *c);

#define DCS_RANDOM_SPACING 0.5 /* angstrom */

/* The first n_atoms of a seeded stream, uniform in the grid's box, charges uniform in [-1, 1);
 * grid.n must be given; spacing 0 is DCS_RANDOM_SPACING. */
dcs_status dcs_case_random(int64_t n_atoms, const dcs_grid *grid, uint64_t seed, dcs_case *c);

void dcs_case_free(dcs_case *c); /* leaves it empty */

int64_t dcs_points(dcs_dims n); /* n.x * n.y * n.z */

/* Gives the case's problem a cutoff (angstrom, above 0); one that it had is replaced. What does not
 * look at the cutoff is the same as before. */
void dcs_case_set_cutoff(dcs_case *c, double cutoff, dcs_smooth smooth);

/* How many atoms and points lie nearer to each other than the problem's cutoff. */
typedef struct {
  double all;     /* atoms of the input */
  double charged; /* those of them that carry charge */
} dcs_within;
dcs_within dcs_pairs_within(const dcs_case *c);

/* Factor that a term at distance r is multiplied by; 0 from the cutoff on. */
double dcs_smoothing(const dcs_problem *problem, double r2);

/* Puts the double-precision values where single precision cannot tell an atom from its point, into
 * a map of the whole sum or of the problem's cutoff. */
void dcs_repair(const dcs_near *near, int64_t n_near, bool cutoff, float *map);

#endif
