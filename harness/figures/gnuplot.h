/* gnuplot as a program: one script to its pictures. */
#ifndef DCS_GNUPLOT_H
#define DCS_GNUPLOT_H

#include "kernels/status.h"

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
