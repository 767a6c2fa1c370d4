/* What the instruction sets of cpu_orbital share: a block of shells, and what it leaves of them on
 * the axes of the grid. */
#ifndef DCS_CPU_ORBITAL_BLOCK_H
#define DCS_CPU_ORBITAL_BLOCK_H

#include "kernels/common/cpu.h"
#include "kernels/orbital/orbital.h"

/* Shells of a block; rows of a unit, which are adjacent in y. */
enum { DCS_ORBITAL_BLOCK = 32, DCS_ORBITAL_ROWS = 16, DCS_ORBITAL_LANES = 64 };

enum {
  DCS_ORBITAL_BLOCK_PRIMITIVES = DCS_ORBITAL_BLOCK * DCS_ORBITAL_PRIMITIVES,
  DCS_ORBITAL_BLOCK_TERMS = DCS_ORBITAL_BLOCK_PRIMITIVES * (DCS_ORBITAL_L + 1)
};

/* A problem, as dcs_cpu_run() hands it on: with a first_slice of 0; the shells of the block, and of
 * each of its primitives and terms, in the shells' order, values: 2^(-a dx^2) dx^m of term m at the
 * grid's points in x, 2^(-a dy^2) at those in y, and the weight times 2^(-a dz^2) at those in z, a
 * row each. In x a strip of points has DCS_ORBITAL_BLOCK_TERMS rows, one behind another, so that
 * those of a tile are near each other. Rows are padded to whole DCS_ORBITAL_LANES. */
typedef struct {
  dcs_problem problem;
  const dcs_orbital_shell *shells;
  int64_t first_slice; /* of the whole grid, where the problem's slices begin */
  int n_shells, n_terms;
  int64_t nx, ny, nz; /* padded */
  float *x, *y, *z;
  bool first; /* of the map's blocks: others add to the map */
} dcs_orbital_block;

/* An instruction set: makes the rows of a block, and adds it to units of rows. NULL: the compiler
 * lacks it. */
typedef struct {
  void (*begin)(dcs_orbital_block *block);
  dcs_cpu_kernel *add; /* of a dcs_orbital_block */
} dcs_orbital_kernels;
extern const dcs_orbital_kernels dcs_orbital_portable, dcs_orbital_avx2, dcs_orbital_avx512;

#endif
