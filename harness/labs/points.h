/* Where points of a map lie, in words. */
#ifndef DCS_LAB_POINTS_H
#define DCS_LAB_POINTS_H

#include "kernels/contract.h"

/* A set of points of a map: in[(z * n.y + y) * n.x + x]. */
typedef struct {
  dcs_dims n;
  bool *in;
} dcs_point_set;

int64_t dcs_count_points(const dcs_point_set *set);

/* "the last 6 columns (x from 64 on)", "every 4th column (x = 3, 7, ...)", "row 0 and slice 1", or,
 * where they follow no axis, "12 points, the first at (3, 1, 0)". Returns text. */
char *dcs_describe_points(const dcs_point_set *set, char text[DCS_TEXT]);

/* Whether whole columns, rows and slices make up the set, which is not empty. */
bool dcs_is_orderly(const dcs_point_set *set);

/* Where the set is all points from some coordinate on along one axis (0 to 2): that coordinate;
 * else -1. */
int64_t dcs_points_from(const dcs_point_set *set, int axis);

#endif
