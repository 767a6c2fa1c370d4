/* What the instruction sets of cpu_forces share. */
#ifndef DCS_CPU_FORCES_ATOMS_H
#define DCS_CPU_FORCES_ATOMS_H

#include "kernels/common/cpu.h"
#include "kernels/forces/clusters.h"

/* A problem, as dcs_cpu_run() hands it on, with its atoms in clusters. */
typedef struct {
  dcs_problem problem;
  dcs_forces_terms terms;
  dcs_forces_sorted sorted;
  const dcs_forces_cluster *clusters;
  const int32_t *begins, *excluded, *types; /* the kind's */
  const dcs_pair *table;                    /* likewise */
} dcs_forces_atoms;

/* Adds what the special pairs of an atom do to it. */
void dcs_forces_add_special(const dcs_forces_atoms *atoms, int64_t a, dcs_force *force);

/* An instruction set: computes clusters of so many atoms. NULL: the compiler lacks it. */
typedef struct {
  dcs_cpu_kernel *pull; /* of dcs_forces_atoms */
  int tile;
} dcs_forces_kernel;
extern const dcs_forces_kernel dcs_forces_portable, dcs_forces_avx2, dcs_forces_avx512;

#endif
