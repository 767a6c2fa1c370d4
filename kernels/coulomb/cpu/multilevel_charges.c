/* Anterpolation: the atoms' charges on the lattices. */
#include "kernels/coulomb/cpu/multilevel.h"

#include <math.h>
#include <stdlib.h>

/* Planes that a thread takes at once: few threads wait at the end, and atoms at a slab's edges,
 * which both slabs look at, are not many. */
enum { SLAB = 8 };

/* ---- sorting ---- */

/* The first of the nodes that a coordinate's splines touch. */
static double first_node(const dcs_multilevel *m, int level, double x) {
  return floor(x / m->level[level].h) - m->nodes / 2 + 1;
}

static bool reaches(const dcs_multilevel *m, int level, const dcs_atom *atom) {
  const dcs_ml_box *box = &m->level[level].charge;
  const double at[3] = {(double)atom->x, (double)atom->y, (double)atom->z};
  for (int d = 0; d < 3; d++) {
    double node = first_node(m, level, at[d]) - box->first[d];
    if (!(node >= 0 && node <= box->n[d] - m->nodes)) return false;
  }
  return true;
}

/* The plane, of all levels', of an atom's first nodes. */
static int plane_of(const dcs_multilevel *m, const dcs_ml_atoms *atoms, const dcs_atom *atom) {
  int level = 0;
  while (level < m->n_levels && !reaches(m, level, atom))
    level++;
  if (level == m->n_levels) return atoms->plane[level];
  return atoms->plane[level] +
         (int)(first_node(m, level, (double)atom->z) - m->level[level].charge.first[2]);
}

bool dcs_multilevel_sort(const dcs_multilevel *m, const dcs_problem *problem, dcs_ml_atoms *atoms) {
  const int64_t n = problem->n_inputs;
  *atoms = (dcs_ml_atoms){0};
  for (int k = 0; k < m->n_levels; k++)
    atoms->plane[k + 1] = atoms->plane[k] + m->level[k].charge.n[2];
  const int planes = atoms->plane[m->n_levels + 1] = atoms->plane[m->n_levels] + 1;
  int32_t *of = malloc((size_t)n * sizeof *of);
  atoms->atom = malloc((size_t)n * sizeof *atoms->atom);
  atoms->start = calloc((size_t)planes + 2, sizeof *atoms->start);
  bool has_memory = of && atoms->atom && atoms->start;
  if (has_memory) {
    for (int64_t a = 0; a < n; a++)
      atoms->start[2 + (of[a] = plane_of(m, atoms, &dcs_atoms(problem)[a]))]++;
    for (int p = 0; p < planes; p++)
      atoms->start[p + 2] += atoms->start[p + 1];
    for (int64_t a = 0; a < n; a++)
      atoms->atom[atoms->start[of[a] + 1]++] = (int32_t)a;
  } else {
    dcs_multilevel_free(atoms);
  }
  free(of);
  return has_memory;
}

void dcs_multilevel_free(dcs_ml_atoms *atoms) {
  free(atoms->atom);
  free(atoms->start);
  *atoms = (dcs_ml_atoms){0};
}

/* ---- spreading ---- */

/* A coordinate's splines. */
typedef struct {
  int first; /* node, from the box's first */
  float weight[DCS_ML_MOST_NODES];
} touched;

static touched touch(const dcs_multilevel *m, int level, int d, double x) {
  const double at = x / m->level[level].h;
  double weight[DCS_ML_MOST_NODES];
  touched t = {.first = (int)first_node(m, level, x) - m->level[level].charge.first[d]};
  dcs_multilevel_splines(m->nodes, at - floor(at), weight);
  for (int i = 0; i < m->nodes; i++)
    t.weight[i] = (float)weight[i];
  return t;
}

/* Adds an atom to the planes begin..end-1. */
static void spread_atom(const dcs_multilevel *m, int level, const dcs_atom *atom, int begin,
                        int end, float *charge) {
  const dcs_ml_box *box = &m->level[level].charge;
  const touched x = touch(m, level, 0, (double)atom->x), y = touch(m, level, 1, (double)atom->y);
  const touched z = touch(m, level, 2, (double)atom->z);
  for (int k = 0; k < m->nodes; k++) {
    const int plane = z.first + k;
    if (plane < begin || plane >= end) continue;
    for (int j = 0; j < m->nodes; j++) {
      const float yz = atom->q * z.weight[k] * y.weight[j];
      float *row = charge + ((int64_t)plane * box->n[1] + y.first + j) * box->n[0] + x.first;
      for (int i = 0; i < m->nodes; i++)
        row[i] += yz * x.weight[i];
    }
  }
}

void dcs_multilevel_spread(const dcs_multilevel *m, const dcs_problem *problem,
                           const dcs_ml_atoms *atoms, int level, int threads, float *charge) {
  const int planes = m->level[level].charge.n[2];
  const int32_t *start = atoms->start + atoms->plane[level];
  (void)threads;
  if (start[0] == start[planes]) return;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int begin = 0; begin < planes; begin += SLAB) {
    const int end = begin + SLAB < planes ? begin + SLAB : planes;
    const int before = begin - m->nodes + 1 > 0 ? begin - m->nodes + 1 : 0;
    for (int32_t a = start[before]; a < start[end]; a++)
      spread_atom(m, level, &dcs_atoms(problem)[atoms->atom[a]], begin, end, charge);
  }
}
