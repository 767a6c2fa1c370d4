/* The window of the mesh method, its sums and its transform. */
#include "kernels/coulomb/mesh.h"

#include <math.h>

/* The exponential of a semicircle of half a width of order / 2, at the distance u from its middle.
 */
static double semicircle(int order, double window, double u) {
  const double x = 2 * u / order, left = 1 - x * x;
  return left > 0 ? exp(window * (sqrt(left) - 1)) : exp(-window);
}

int dcs_mesh_weights(int order, double window, double u, double *w) {
  const int first = (int)ceil(u - 0.5 * order);
  double sum = 0;
  for (int i = 0; i < order; i++)
    sum += w[i] = semicircle(order, window, u - (first + i));
  for (int i = 0; i < order; i++)
    w[i] /= sum;
  return first;
}

double dcs_mesh_coordinate(const dcs_mesh *mesh, int l, int d, double at) {
  const dcs_mesh_level *level = &mesh->level[l];
  const double u = (at - level->lo[d]) / level->spacing[d], before = 0.5 * level->order;
  return mesh->periodic ? u - level->n[d] * floor((u - before) / level->n[d]) : u;
}

/* A point of Gauss and Legendre's rule between two nodes, and the window's values at the points of
 * the same place between any others: the weights of a coordinate there. */
enum { POINTS = 12 };
typedef struct {
  double u, weight, window[DCS_MESH_MOST_ORDER];
} place;

/* The nodes stay and the coordinate moves: over one spacing, all of whose coordinates are spread to
 * the nodes 1..order. */
static void find_places(int order, double window, place places[POINTS]) {
  static const double at[] = {0.1252334085114689, 0.3678314989981802, 0.5873179542866175,
                              0.7699026741943047, 0.9041172563704749, 0.9815606342467192};
  static const double weight[] = {0.2491470458134028, 0.2334925365383548, 0.2031674267230659,
                                  0.1600783285433462, 0.1069393259953184, 0.0471753363865118};
  for (int p = 0; p < POINTS; p++) {
    places[p].u = 0.5 * order + 0.5 * (1 + (p < 6 ? at[p] : -at[p - 6]));
    places[p].weight = 0.5 * weight[p % 6];
    dcs_mesh_weights(order, window, places[p].u, places[p].window);
  }
}

void dcs_mesh_window_transform(int order, double window, double step, int n, double *transform) {
  place places[POINTS];
  find_places(order, window, places);
  for (int i = 0; i < n; i++) {
    transform[i] = 0;
    for (int p = 0; p < POINTS; p++)
      for (int node = 0; node < order; node++)
        transform[i] +=
            places[p].weight * places[p].window[node] * cos(step * i * (places[p].u - (node + 1)));
  }
}

void dcs_mesh_deconvolve(const dcs_mesh *mesh, int l, int d, double *factors) {
  const dcs_mesh_level *level = mesh->level;
  const int n = level[l].n[d] / 2 + 1;
  const double step = 2 * acos(-1) / (level[l].n[d] * level[l].spacing[d]);
  double *transform = factors + n;
  for (int i = 0; i < n; i++)
    factors[i] = 1;
  for (int finer = 0; finer <= l; finer++) {
    dcs_mesh_window_transform(level[finer].order, level[finer].window,
                              step * level[finer].spacing[d], n, transform);
    for (int i = 0; i < n; i++)
      factors[i] /= transform[i] * transform[i];
  }
}
