/* The mesh method: to a tolerance, in time that grows as atoms and points do. What its variants
 * share: which meshes, and how fine.
 *
 *     V = sum of q (1/r - M(r)) within a  +  sum of q M(r)
 *
 * The first sum is one within a cutoff. The second is smooth (split.h): charges are spread on a
 * mesh with a window, convolved with M by Fourier transforms, and the map is read from the mesh
 * with the same window (Hockney and Eastwood, Computer Simulation Using Particles, 1988; Essmann et
 * al., J. Chem. Phys. 103 (1995) 8577). Map and mesh are both regular, so it is read along x, then
 * y, then z.
 *
 * A transform is periodic, and M reaches far: an isolated system would need a mesh of twice its
 * length. So M is split again and again, M0 = (M0 - M1) + (M1 - M2) + ..., each within a distance
 * four times the last one's and on a mesh about four times as coarse, as in multilevel summation
 * (Hardy, Stone and Schulten, Parallel Computing 35 (2009) 164): a mesh has to be longer than the
 * system by the reach of its part alone, (M0 - M1) by 4 a, and the last, which is longer by more
 * than the system, has few points. It takes 1/r truncated at the system's diameter L, whose
 * transform is known, 4 pi (1 - cos(k L))/k^2 (Vico, Greengard and Ferrando, J. Comput. Phys. 323
 * (2016) 191). Coarse meshes take their charges from the next finer one, and give it their
 * potential.
 *
 * With periodic boundaries a transform does what is wanted: one mesh spans the cell, and its last
 * node is beside its first. Its M is not split again, and the term of the wave vector 0 is what
 * makes the mean of V 0: a net charge has a uniform background, and its short range part has a
 * mean.
 *
 * The window is the exponential of a semicircle (Barnett, Magland and af Klinteberg, SIAM J. Sci.
 * Comput. 41 (2019) C479), divided by its sum over the mesh: so charges are spread whole. */
#ifndef DCS_MESH_H
#define DCS_MESH_H

#include "kernels/coulomb/coulomb.h"
#include "kernels/coulomb/crowd.h"
#include "kernels/coulomb/radial.h"
#include "kernels/coulomb/split.h"

enum { DCS_MESH_LEVELS = 4, DCS_MESH_MOST_ORDER = 12, DCS_MESH_FAR_NODES = 16 };

/* ---- the input ---- */

/* What the inputs of a problem say about its meshes. Atoms are near or far: far ones are farther
 * from the map than `margin`; of a periodic problem none is. */
typedef struct {
  bool periodic;
  double margin;       /* angstrom */
  double lo[3], hi[3]; /* box around the map and the near atoms; of a periodic problem the cell */
  double map[3];       /* far corner of the map */
  dcs_crowd crowd;
  double density;       /* sum of q^2 within the cutoff, the largest, e^2/angstrom^3 */
  double largest;       /* of the errors of charges at random, over their root mean square */
  double scale;         /* a lower bound of R, e/angstrom */
  double far_potential; /* sum of |q| / distance from the map over the far atoms */
  int64_t n_far;
} dcs_mesh_scene;

/* Looks at the problem: all atoms at some points. Without inputs (predicates, plans of a shape) it
 * is a typical one. False: no memory. */
bool dcs_mesh_look(const dcs_problem *problem, double cutoff, int threads, dcs_mesh_scene *scene);

bool dcs_mesh_is_far(const dcs_mesh_scene *scene, const dcs_atom *atom);

/* ---- the meshes ---- */

typedef struct {
  double h;          /* the largest spacing that is fine enough, angstrom */
  double spacing[3]; /* along each dimension; h but of a periodic mesh, which divides the cell */
  double lo[3];      /* of node (0, 0, 0) */
  int nodes[3];      /* those that are spread to and read; of a periodic mesh more than n */
  int n[3];          /* those of the transform, which is periodic: node n is node 0 again */
  dcs_split split;   /* of the softened part that begins here */
  int order;         /* nodes of the window along a dimension */
  double window;     /* its exponent */
} dcs_mesh_level;

typedef struct {
  bool periodic; /* with one level, that spans the cell */
  int n_levels;
  dcs_mesh_level level[DCS_MESH_LEVELS + 1];
  double diameter; /* L: where the last level's 1/r ends, angstrom */
  int far_nodes;   /* along a dimension, for the far atoms; 0: there are none */
} dcs_mesh;

/* Sets h, beta and the window of a level with split.a and an order, which it raises where it has
 * to: the coarsest mesh whose error is at most `error`, e/angstrom. False: there is none. */
bool dcs_mesh_space(const dcs_mesh_scene *scene, double error, dcs_mesh_level *level);

/* Chooses meshes for a tolerance. False, with why: the tolerance is below what they reach. */
bool dcs_mesh_choose(const dcs_mesh_scene *scene, double tolerance, int order, double cutoff,
                     dcs_mesh *mesh, char why[DCS_TEXT]);

/* The short range part: the polynomial of the lowest degree whose error is small beside the
 * tolerance, or the highest. */
void dcs_mesh_radial(const dcs_mesh_scene *scene, const dcs_mesh *mesh, double tolerance,
                     dcs_radial *radial);

/* What a problem takes: what its inputs say, the meshes, the short range part. */
typedef struct {
  dcs_mesh_scene scene;
  dcs_mesh mesh;
  dcs_radial radial;
} dcs_mesh_way;

/* Whether meshes compute such problems; whether they have windows of that order. When not, says
 * why. */
bool dcs_mesh_solves(const dcs_config *problem_config, char why[DCS_TEXT]);
bool dcs_mesh_has_order(int order, char why[DCS_TEXT]);

/* The order of a configuration that says `order`; 0: what takes least time to the tolerance. */
int dcs_mesh_order(int order, double tolerance);

/* The reach of the short range part of a configuration that says `cutoff`, angstrom: in a periodic
 * problem half of the cell's mean edge at most, so that images are few. */
double dcs_mesh_cutoff(const dcs_problem *problem, double cutoff);

/* The way of a problem with a short range part of dcs_mesh_cutoff() and dcs_mesh_order(). False,
 * with why: it has no tolerance, or one below what meshes reach, or there is no memory. */
bool dcs_mesh_find_way(const dcs_problem *problem, int order, double cutoff, int threads,
                       dcs_mesh_way *way, char why[DCS_TEXT]);

/* Where a coordinate lies along dimension d of level l, in spacings from node 0; in a periodic mesh
 * the place of its image for which the first of the nodes that it is spread to is one of 0..n, and
 * the last of them one of those that the level has. */
double dcs_mesh_coordinate(const dcs_mesh *mesh, int l, int d, double at);

/* The part of level l in Fourier space, angstrom^2; 0 in the corners that are beyond the mesh's
 * highest frequency along an axis: the windows' factors there would be huge. */
double dcs_mesh_transform(const dcs_mesh *mesh, int l, double k);

/* ---- the window ---- */

/* Of a coordinate u in spacings: the first of the nodes that it is spread to, whose weights
 * w[order] have the sum 1. */
int dcs_mesh_weights(int order, double window, double u, double *w);

/* The window's transform where k h = step * i, i = 0..n-1; 1 at 0. */
void dcs_mesh_window_transform(int order, double window, double step, int n, double *transform);

/* factors[0..n[d] / 2]: by what to multiply level l along dimension d for the windows that its
 * charges and its potential pass through, those of the finer levels among them. The array has
 * twice that room. */
void dcs_mesh_deconvolve(const dcs_mesh *mesh, int l, int d, double *factors);

#endif
