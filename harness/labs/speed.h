/* How fast a student's kernel is beside the shipped one, on a GPU. */
#ifndef DCS_LAB_SPEED_H
#define DCS_LAB_SPEED_H

#include "harness/labs/check.h"

/* Fills in the findings whose check is `speed`: the time of the student's kernel over that of the
 * shipped one, the medians of interleaved rounds. They stay undone where there is no GPU, or
 * where there is a fault already. Students who share a GPU wait for each other; `tell` is told how
 * many are before this one. */
dcs_status dcs_lab_speed(const char *kernels, dcs_lab_findings *findings, void (*tell)(int before));

#endif
