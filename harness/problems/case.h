/* A case: one molecule on one grid and one problem of a kind on it, in double precision for what is
 * right and in single precision for the kernels. */
#ifndef DCS_CASE_H
#define DCS_CASE_H

#include "harness/input/molecule.h"
#include "harness/problems/size.h"

/* The grid as the user gave it. Zero or absent fields are derived from the molecule. */
typedef struct {
  dcs_dims n;       /* points; {0,0,0}: as many as box and margin need at that spacing */
  double spacing;   /* angstrom; 0: what makes box and margin fit n, or 0.5 without n */
  double margin;    /* angstrom around the molecule's box */
  bool has_margin;  /* the user gave it */
  bool has_origin;  /* else the grid is centred on the molecule's box */
  double origin[3]; /* of grid point (0, 0, 0), angstrom */
  double cell[3];   /* edges, angstrom: above 0 the grid spans it, in place of box and margin, and
                       ends where the next cell begins */
} dcs_grid;

/* A value that single precision cannot compute, to be put where the kernels' value is. */
typedef struct {
  int64_t index;
  float value;
} dcs_fix;

struct dcs_case {
  const dcs_kind *kind;
  dcs_problem
      problem;           /* the inputs that kernels get (one at least): owned by the case; origin
                            subtracted in double, then rounded. Its config is the problem posed last */
  dcs_site *sites;       /* all atoms of the input: n_sites, 0 where the kind has none; origin
                            subtracted, double precision */
  dcs_basis *basis;      /* of those sites, owned; NULL: the input had none */
  int64_t n_sites, room; /* room: sites and atoms that there is memory for */
  dcs_force_field field; /* of a kind that takes one, with what is excluded: owned by the case */
  double spacing;
  double origin[3];
  dcs_fix *fixes; /* of the problem posed last */
  int64_t n_fixes;
  int64_t n_coincident; /* atoms on a grid point (r < 1e-6 spacing): left out of the sum there */
};

/* Which atoms are left out of sums and why, and whether a net charge is neutralised; "": neither.
 * Returns the text. */
char *dcs_case_left_out(const dcs_case *c, char text[DCS_TEXT]);

/* DCS_USAGE where something of a grid is given, and the kind has none, or `atoms`: their number or
 * a file of them. */
dcs_status dcs_case_takes(const dcs_kind *kind, bool atoms, const dcs_grid *grid);

/* DCS_USAGE where what the kind's sizes have is neither given nor to be had from an input. */
dcs_status dcs_case_needs(const dcs_kind *kind, bool input, bool atoms, bool grid);

/* Fills in what was left open of a grid around the molecule: spacing, points, origin. DCS_USAGE for
 * one that cannot be (no points, too many, spacing not above 0 or not finite), or no atoms. */
dcs_status dcs_case_grid(const dcs_molecule *molecule, dcs_grid *grid);

/* Derives the grid (of a kind without one: a point in the middle of the molecule's box, which is
 * then the origin), builds the case and poses the problem (NULL: the kind's initial one). Where
 * that repeats in a cell, sites are put into the cell, from half a spacing before grid point (0, 0,
 * 0) on; of a case that was built otherwise, its methods do. DCS_USAGE as dcs_case_grid(),
 * DCS_UNAVAILABLE when memory is short. The caller frees with dcs_case_free().
 */
dcs_status dcs_case_build(const dcs_kind *kind, const dcs_config *problem,
                          const dcs_molecule *molecule, const dcs_grid *grid, dcs_case *c);

/* The same in two steps, for who has the sites: makes room for them on a whole grid, in what a case
 * that was built before or is all zero has where that is enough; its sites are then written with
 * the origin subtracted, and the problem is posed. Where a step fails the case is freed. */
dcs_status dcs_case_begin(const dcs_kind *kind, int64_t n_sites, const dcs_grid *grid, dcs_case *c);
dcs_status dcs_case_end(const dcs_config *problem, dcs_case *c);

#define DCS_RANDOM_SPACING 0.5 /* angstrom */

/* Of grids, angstrom. An atom a millionth of the spacing from a point counts, and the square of
 * that distance must be a normal number of single precision. */
#define DCS_LEAST_SPACING 1e-12
#define DCS_MOST_SPACING  1e7
dcs_status dcs_check_spacing(double spacing); /* DCS_USAGE outside, NaN too */

/* Of random atoms without a grid, in a cubic angstrom: about that of proteins with hydrogens. */
#define DCS_RANDOM_DENSITY 0.1

/* The first n_atoms of a seeded stream, uniform in the grid's box, charges uniform in [-1, 1),
 * radii in [1, 2); grid.n must be given; spacing 0 is DCS_RANDOM_SPACING. Of a kind without a grid
 * the box is a cube of DCS_RANDOM_DENSITY; one without atoms gets none. */
dcs_status dcs_case_random(const dcs_kind *kind, const dcs_config *problem, int64_t n_atoms,
                           const dcs_grid *grid, uint64_t seed, dcs_case *c);

/* Where the atoms of a problem come from. */
typedef struct {
  const dcs_kind *kind;
  dcs_input input; /* no file: random atoms */
  int64_t atoms;   /* the first so many of the input (0: all); of random atoms, how many */
  dcs_grid grid;
  uint64_t seed; /* of random atoms */
} dcs_case_source;
/* Reads the molecule, or makes random atoms, and builds the case as above. */
dcs_status dcs_case_from(const dcs_case_source *source, const dcs_config *problem, dcs_case *c);

/* DCS_INPUT where the input, which was read from `path`, lacks what the kind needs. Of a problem
 * whose atoms repeat in a cell: gives the edges that nobody gave those that the input,
 * which was read from `path`, states, and has the grid span the cell. DCS_USAGE: it states none,
 * and the grid is not given either; DCS_INPUT: it states one that is not orthorhombic, or with
 * which the values make no problem (dcs_kind.canonical). */
dcs_status dcs_case_settle(const dcs_kind *kind, const dcs_molecule *molecule, const char *path,
                           dcs_config *problem, dcs_grid *grid);

/* Poses another problem of the kind on the same atoms and grid. */
void dcs_case_pose(dcs_case *c, const dcs_config *problem);

void dcs_case_free(dcs_case *c); /* leaves it empty */

/* The key of the problem posed last: atoms are those of the input. */
dcs_size dcs_case_size(const dcs_case *c);

int64_t dcs_points(dcs_dims n); /* n.x * n.y * n.z */

/* Puts the values of the list into an output. */
void dcs_apply_fixes(const dcs_fix *fixes, int64_t n, float *out);

/* The place of a value of the map, angstrom from grid point (0, 0, 0). */
void dcs_case_point(const dcs_case *c, int64_t index, double point[3]);

/* What a case's problem leaves to sum over: calls kind->add for every atom that does not coincide
 * with the point (angstrom from grid point 0, 0, 0). Of images it knows nothing. */
dcs_sums dcs_case_sums(const dcs_case *c, const double point[3], double largest);
/* The same at n points, of all images where atoms repeat in a cell. DCS_FAILED on an interrupt,
 * DCS_UNAVAILABLE when memory is short. */
dcs_status dcs_case_values(const dcs_case *c, const double (*points)[3], int64_t n, double largest,
                           dcs_sums *sums);
/* The largest coordinate of grid and atoms that count, angstrom. */
double dcs_case_largest(const dcs_case *c);

#endif
