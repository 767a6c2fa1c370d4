/* Rigid motions that bring places onto others. */
#ifndef DCS_SUPERPOSE_H
#define DCS_SUPERPOSE_H

#include <stdint.h>

/* x becomes turn (x - from) + to. */
typedef struct {
  double turn[3][3], from[3], to[3];
} dcs_motion;

/* The motion without reflection that brings the chosen of `places` onto the same of `onto`, x, y, z
 * each, with the least sum of squared distances (Kabsch, Acta Cryst. A32 (1976) 922; by the
 * quaternion that is the largest eigenvector of a symmetric matrix: Horn, J. Opt. Soc. Am. A 4
 * (1987) 629). n: at least 1. */
dcs_motion dcs_superpose(const double *places, const double *onto, const int64_t *chosen,
                         int64_t n);
void dcs_move(const dcs_motion *motion, double *places, int64_t n);

/* How far the chosen places reach from the line that fits them, angstrom: about 0 where they lie on
 * one, or are one place, and a motion that fits is not the only one. */
double dcs_reach_from_line(const double *places, const int64_t *chosen, int64_t n);

#endif
