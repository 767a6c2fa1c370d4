#include "harness/frames/superpose.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 50 }; /* convergence is quadratic: six or seven do */

static void find_centre(const double *places, const int64_t *chosen, int64_t n, double centre[3]) {
  double sum[3] = {0};
  for (int64_t i = 0; i < n; i++)
    for (int axis = 0; axis < 3; axis++)
      sum[axis] += places[3 * chosen[i] + axis];
  for (int axis = 0; axis < 3; axis++)
    centre[axis] = sum[axis] / (double)n;
}

/* ---- the largest eigenvector of a symmetric matrix ---- */

/* One rotation of Jacobi's method, which makes m[p][q] 0; the columns of v turn with it. */
static void rotate(double m[4][4], double v[4][4], int p, int q) {
  if (m[p][q] == 0) return;
  const double theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
  const double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 4; k++) {
    const double a = m[k][p], b = m[k][q];
    m[k][p] = c * a - s * b;
    m[k][q] = s * a + c * b;
  }
  for (int k = 0; k < 4; k++) {
    const double a = m[p][k], b = m[q][k], x = v[k][p], y = v[k][q];
    m[p][k] = c * a - s * b;
    m[q][k] = s * a + c * b;
    v[k][p] = c * x - s * y;
    v[k][q] = s * x + c * y;
  }
}

static double off_diagonal(double m[4][4]) {
  double sum = 0;
  for (int p = 0; p < 4; p++)
    for (int q = p + 1; q < 4; q++)
      sum += fabs(m[p][q]);
  return sum;
}

static void find_largest(double m[4][4], double vector[4]) {
  double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  int largest = 0;
  for (int sweep = 0; sweep < SWEEPS && off_diagonal(m) > 0; sweep++)
    for (int p = 0; p < 4; p++)
      for (int q = p + 1; q < 4; q++)
        rotate(m, v, p, q);
  for (int k = 1; k < 4; k++)
    if (m[k][k] > m[largest][largest]) largest = k;
  for (int k = 0; k < 4; k++)
    vector[k] = v[k][largest];
}

/* ---- the motion ---- */

static void turn_of(const double quaternion[4], double turn[3][3]) {
  const double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
  const double norm = w * w + x * x + y * y + z * z, s = 2 / norm;
  const double rows[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                             {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                             {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
  memcpy(turn, rows, sizeof rows);
}

dcs_motion dcs_superpose(const double *places, const double *onto, const int64_t *chosen,
                         int64_t n) {
  dcs_motion motion;
  double s[3][3] = {{0}}, quaternion[4];
  find_centre(places, chosen, n, motion.from);
  find_centre(onto, chosen, n, motion.to);
  for (int64_t i = 0; i < n; i++)
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++)
        s[a][b] +=
            (places[3 * chosen[i] + a] - motion.from[a]) * (onto[3 * chosen[i] + b] - motion.to[b]);
  const double yz = s[1][2] - s[2][1], zx = s[2][0] - s[0][2], xy = s[0][1] - s[1][0];
  double m[4][4] = {{s[0][0] + s[1][1] + s[2][2], yz, zx, xy},
                    {yz, s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
                    {zx, s[0][1] + s[1][0], -s[0][0] + s[1][1] - s[2][2], s[1][2] + s[2][1]},
                    {xy, s[2][0] + s[0][2], s[1][2] + s[2][1], -s[0][0] - s[1][1] + s[2][2]}};
  find_largest(m, quaternion);
  turn_of(quaternion, motion.turn);
  return motion;
}

void dcs_move(const dcs_motion *motion, double *places, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    double *at = places + 3 * i, d[3];
    for (int axis = 0; axis < 3; axis++)
      d[axis] = at[axis] - motion->from[axis];
    for (int axis = 0; axis < 3; axis++)
      at[axis] = motion->turn[axis][0] * d[0] + motion->turn[axis][1] * d[1] +
                 motion->turn[axis][2] * d[2] + motion->to[axis];
  }
}

double dcs_reach_from_line(const double *places, const int64_t *chosen, int64_t n) {
  double centre[3], along[3] = {0}, farthest = 0, reach = 0;
  find_centre(places, chosen, n, centre);
  for (int64_t i = 0; i < n; i++) {
    const double *at = places + 3 * chosen[i];
    const double d[3] = {at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]};
    const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (distance <= farthest) continue;
    farthest = distance;
    memcpy(along, d, sizeof along);
  }
  for (int64_t i = 0; i < n && farthest > 0; i++) {
    const double *at = places + 3 * chosen[i];
    const double d[3] = {at[0] - centre[0], at[1] - centre[1], at[2] - centre[2]};
    const double cross[3] = {d[1] * along[2] - d[2] * along[1], d[2] * along[0] - d[0] * along[2],
                             d[0] * along[1] - d[1] * along[0]};
    reach = fmax(reach,
                 sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]) / farthest);
  }
  return reach;
}
