/* What the figures of sums within a cutoff share. */
#ifndef DCS_FIGURES_COULOMB_CUTOFF_H
#define DCS_FIGURES_COULOMB_CUTOFF_H

#include "harness/figures/figure.h"

/* Angstrom, of a problem of the run. */
double dcs_cutoff_of(const dcs_figure_run *run, int problem);
/* "c2", "none". */
const char *dcs_switching_name(const dcs_figure_run *run, int problem);
/* "12 Å (switching c2)"; returns text. */
char *dcs_cutoff_name(const dcs_figure_run *run, int problem, char text[DCS_TEXT]);

/* The fastest row in scope kernel or warm; the start of a process belongs to no map. */
const dcs_figure_row *dcs_cutoff_timed(const dcs_figure_run *run, dcs_figure_pick pick);

/* What sizes have in common: the grid, or atoms per volume of the grid within 20%; or none. */
typedef enum { DCS_SIZES_GRID, DCS_SIZES_DENSITY, DCS_SIZES_NOTHING } dcs_sizes_family;

/* Sizes within one cutoff, one for each number of atoms (the largest grid), ascending. */
typedef struct {
  int *list, n;
  int problem;
  dcs_sizes_family family;
} dcs_sizes;

/* Of the families from `first` to `last`, the one with the most numbers of atoms, at least two, for
 * which `drawn` holds; those with nothing in common only where no other is there, and a density
 * only where the atoms differ by a factor of 2 or more. Of equals the larger cutoff. n is 0 where
 * there is none. */
dcs_status dcs_sizes_choose(const dcs_figure_run *run,
                            bool (*drawn)(const dcs_figure_run *run, int size, int problem),
                            dcs_sizes_family first, dcs_sizes_family last, dcs_sizes *sizes);
/* Lines of the title: how far the problem is off the direct sum at the sizes; and before it the
 * grid, or from which to which, and the densities. */
void dcs_sizes_error_line(FILE *dat, const dcs_figure_run *run, const dcs_sizes *sizes);
void dcs_sizes_lines(FILE *dat, const dcs_figure_run *run, const dcs_sizes *sizes);
/* Counts the rows of the problem at the sizes in, in every scope. */
void dcs_sizes_see(const dcs_figure_run *run, const dcs_sizes *sizes, int problem,
                   dcs_figure_seen *seen);
/* The most threads of a CPU row of the problem at the sizes that may be drawn; at least 1. */
int dcs_sizes_threads(const dcs_figure_run *run, const dcs_sizes *sizes, int problem);

#endif
