/* The figures of a run: data for each drawn from the run's CSV files, and gnuplot to draw them. */
#ifndef DCS_FIGURES_H
#define DCS_FIGURES_H

#include "kernels/status.h"

#include <stddef.h>
#include <stdio.h>

typedef struct {
  const char *dir;       /* the run folder */
  const char *reference; /* NULL, or a second run folder whose GPU rows are drawn where `dir` has
                            none, marked as reference measurements */
  const char *only;      /* NULL, or the one figure to draw */
  const char *work; /* NULL, or the folder to draw in, with the files of `dcsbench crossover`, in
                       the run folder's place */
  FILE *out;        /* NULL, or what gets a line per figure */
  /* NULL, or what else is done with each: its data, or NULL and why it is not drawn. */
  dcs_status (*take)(void *with, const char *name, const char *data, const char *why);
  void *with;
} dcs_figures_options;

/* Draws every figure for which the run folder has data, into dir/plots: for each figure NAME the
 * data NAME.dat, the script NAME.gp and, where gnuplot is there, NAME.png and NAME.svg. A missing
 * gnuplot is said and is no failure; a gnuplot that fails is DCS_FAILED with its message; DCS_USAGE
 * names a figure that there is not, and the nearest. */
dcs_status dcs_figures(const dcs_figures_options *options);

/* Draws one figure from data[size] that the caller made, in the same way and by the same files; the
 * folder is made where it is missing. `name` is that of its script in plots/. */
dcs_status dcs_figure_draw(const char *dir, const char *name, const char *data, size_t size,
                           FILE *out);

/* ---- gnuplot as a program: one script to its pictures (gnuplot.c) ---- */

typedef enum {
  DCS_GNUPLOT_MISSING, /* there is no gnuplot: nothing was done */
  DCS_GNUPLOT_SVG,     /* this gnuplot cannot draw PNG */
  DCS_GNUPLOT_BOTH
} dcs_gnuplot_pictures;

/* Runs gnuplot on dir/NAME.gp, which draws NAME.png and NAME.svg beside; what is whole replaces the
 * pictures there. The user's settings of gnuplot count for nothing. DCS_FAILED with gnuplot's
 * message, and the old pictures as they were, when it fails or leaves less than whole pictures. */
dcs_status dcs_gnuplot(const char *dir, const char *name, dcs_gnuplot_pictures *pictures);

#endif
