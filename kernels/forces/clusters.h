/* Atoms sorted into cells, and clusters of those that follow each other: what variants of forces
 * share on the host, and the kernels of clusters.cuh mirror.
 *
 * Cells are in rows in x, shorter there, so that a few atoms that follow each other in a row lie
 * near each other in all dimensions. Where atoms repeat, cells divide the periodic cell, atoms are
 * put into it, and cells beyond it are those of images. Where they do not, cells repeat, but atoms
 * stay where they are: the cell of an atom is its number modulo how many there are, and nobody need
 * know the atoms' box. */
#ifndef DCS_FORCES_CLUSTERS_H
#define DCS_FORCES_CLUSTERS_H

#include "kernels/forces/forces.h"

/* Cells are so many times shorter in x. */
enum { DCS_FORCES_FINER = 4 };

/* As kernels have it. */
typedef struct {
  int n[3];          /* cells */
  float edge;        /* of a cell in y, angstrom */
  int periodic;      /* atoms repeat */
  float per_edge[3]; /* of a cell, 1/angstrom */
  float period[3];   /* edges of the periodic cell; 0: there is none */
  float margin[3];   /* what rounding may move an atom by, and more */
} dcs_forces_grid;

/* Cells of that edge in y and z, or somewhat longer, so many times shorter in x; longer still where
 * there would be too many. */
dcs_forces_grid dcs_forces_divide(const dcs_problem *problem, double edge, int finer);

/* Atoms in the order of their cells, x fastest. */
typedef struct {
  dcs_forces_grid grid;
  int64_t n_atoms;
  float *x, *y, *z, *q, *half, *root; /* of each place */
  int32_t *atom;                      /* there */
  int32_t *begins;                    /* of each cell, and the end */
} dcs_forces_sorted;

bool dcs_forces_sort(const dcs_problem *problem, double edge, dcs_forces_sorted *sorted);
void dcs_forces_sorted_free(dcs_forces_sorted *sorted);

/* Places first..end - 1 of a row are a cluster, in this box. */
typedef struct {
  int32_t first, end;
  float lo[3], hi[3];
} dcs_forces_cluster;

/* Cuts rows into clusters of `size` atoms, or fewer at a row's end and, of cells that repeat
 * without images, where a row goes on from its other end. The caller frees; NULL: no memory. */
dcs_forces_cluster *dcs_forces_clusters(const dcs_forces_sorted *sorted, int size, int64_t *n);

/* The runs of places that hold all atoms within reach of a box, and more: each is that of an image,
 * shifted by so much. */
typedef struct {
  int32_t first, end;
  float shift[3];
} dcs_forces_run;
typedef struct {
  const dcs_forces_sorted *sorted;
  float lo[3], hi[3], reach2; /* the box */
  int from[3], to[3];         /* cells, in y and z */
  int x, x_to, y, z;          /* where the next run begins */
} dcs_forces_runs;

dcs_forces_runs dcs_forces_near(const dcs_forces_sorted *sorted, const dcs_forces_cluster *cluster,
                                float reach2);
/* The next one that is not empty; false: there is none. */
bool dcs_forces_next(dcs_forces_runs *runs, dcs_forces_run *run);

/* The square of how far a place is from the box. */
static inline float dcs_forces_outside(const float lo[3], const float hi[3], float x, float y,
                                       float z) {
  const float at[3] = {x, y, z};
  float r2 = 0;
  for (int d = 0; d < 3; d++) {
    const float below = lo[d] - at[d], above = at[d] - hi[d];
    const float more = below > above ? below : above, out = more > 0 ? more : 0;
    r2 += out * out;
  }
  return r2;
}

/* The square of the distance from a cluster's box within which atoms are looked at: rounding does
 * not decide. */
static inline float dcs_forces_reach2(const dcs_problem *problem) {
  return dcs_forces_terms_of(problem).cutoff2 * (1 + 0x1p-18f);
}

/* What clusters of such a size compute: pairs of an atom's place in a cluster with an atom that is
 * within reach of it; of single atoms so many at once, `together`. NaN: no memory. */
double dcs_forces_cluster_pairs(const dcs_problem *problem, double edge, int size, int together);

#endif
