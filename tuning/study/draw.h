/* The figures of a study. */
#ifndef DCS_TUNE_DRAW_H
#define DCS_TUNE_DRAW_H

#include "tuning/study/curves.h"

/* Draws landscape, importance and convergence of one recording into a folder of `out`; curves[s]
 * are those of dcs_strategies[s]. A line a figure is printed. */
dcs_status dcs_study_draw(const dcs_replay *replay, const dcs_study_curves *curves,
                          const char *out);

#endif
