/* The rows of a stencil on the CPU: the template that instruction sets instantiate. Each file
 * includes it once, after defining
 *
 *     STENCIL_KERNEL  the dcs_stencil_kernel to define
 *     STENCIL_BYTES   of a vector
 *
 * and, where the architecture has the instructions,
 *
 *     STENCIL_TARGET         attributes of the functions
 *     STENCIL_STREAM(to, v)  stores a vector at a multiple of its size, past the caches: a line
 * that is written whole need not be read first. Optional STENCIL_STREAMED()     makes what was
 * stored so be seen before what is stored later
 *
 * A lane is a point of a row. The first and the last vector of a row read it from a copy with two
 * cells more at both ends, so that walls cost no branch; the last overlaps the one before. */
#ifndef DCS_CPU_STENCIL_ROWS_H
#define DCS_CPU_STENCIL_ROWS_H

#include "kernels/stencil/cpu/stencil_job.h"

#ifndef STENCIL_TARGET

const dcs_stencil_kernel STENCIL_KERNEL = {0};

#else

#include <string.h>

#define STENCIL_INLINE STENCIL_TARGET static inline __attribute__((always_inline))

enum { LANES = STENCIL_BYTES / (int)sizeof(float) };

/* A row of c, those two below to two above in y and z, and the coefficients, where the row begins.
 * row, slice: floats from one to the next. */
typedef struct {
  const float *x, *y[4], *z[4], *u, *v, *w, *kx, *ky, *kz;
  float *out;
  int64_t row, slice;
  float step, decay;
} stencil_row;

#define POINTS_BYTES   STENCIL_BYTES
#define POINTS_NAME(x) wide_##x
#include "kernels/stencil/cpu/stencil_points.h"

#define POINTS_BYTES   4
#define POINTS_NAME(x) single_##x
#include "kernels/stencil/cpu/stencil_points.h"

static inline int64_t inside(int64_t at, int64_t n) {
  return at < 0 ? 0 : at < n ? at : n - 1;
}

/* The row around LANES points from `at` on; returns where point `at` is. */
STENCIL_INLINE const float *with_ends(const stencil_row *r, int64_t n, int64_t at,
                                      float line[LANES + 4]) {
  for (int64_t i = 0; i < LANES + 4; i++)
    line[i] = r->x[inside(at + i - 2, n)];
  return line + 2;
}

#ifndef STENCIL_STREAM
#define STENCIL_STREAM(to, v) memcpy(to, &(v), sizeof(v))
#define STENCIL_STREAMED()
#endif

/* `aligned`: points i.. may be streamed. */
STENCIL_INLINE void put(const stencil_row *r, const float *x, int64_t i, bool aligned, int points) {
  const wide_vector after = wide_advance(r, x, i, points);
  if (aligned)
    STENCIL_STREAM(r->out + i, after);
  else
    memcpy(r->out + i, &after, sizeof after);
}

STENCIL_INLINE void advance_row(const stencil_row *r, int64_t n, int points) {
  const bool aligned = (uintptr_t)r->out % STENCIL_BYTES == 0;
  float line[LANES + 4];
  const float *x = with_ends(r, n, 0, line);
  for (int64_t i = 0; i < n && n < LANES; i++) {
    const single_vector after = single_advance(r, x + i, i, points);
    memcpy(r->out + i, &after, sizeof after);
  }
  if (n < LANES) return;
  put(r, x, 0, aligned, points);
  int64_t i = LANES;
  for (; aligned && i + LANES + 2 <= n; i += LANES)
    put(r, r->x + i, i, true, points);
  for (; i + LANES + 2 <= n; i += LANES)
    put(r, r->x + i, i, false, points);
  if (i + LANES < n) put(r, with_ends(r, n, i, line), i, aligned, points);
  if (i < n) put(r, with_ends(r, n, n - LANES, line), n - LANES, aligned && n % LANES == 0, points);
}

/* Row j of slice k of the job. */
static stencil_row row_of(const dcs_stencil_job *job, int64_t j, int64_t k, float *out) {
  static const int beside[4] = {-2, -1, 1, 2};
  const dcs_problem *p = &job->problem;
  const float *const *in = (const float *const *)p->input, *c = in[DCS_STENCIL_C];
  const dcs_dims n = p->n;
  const dcs_stencil own = dcs_stencil_of(p);
  const int64_t whole_k = job->first_slice + k, at = (whole_k * n.y + j) * n.x;
  stencil_row r = {.x = c + at,
                   .u = in[DCS_STENCIL_U] + at,
                   .v = in[DCS_STENCIL_V] + at,
                   .w = in[DCS_STENCIL_W] + at,
                   .kx = in[DCS_STENCIL_KX] + at,
                   .ky = in[DCS_STENCIL_KY] + at,
                   .kz = in[DCS_STENCIL_KZ] + at,
                   .out = out + (k * n.y + j) * n.x,
                   .row = n.x,
                   .slice = n.x * n.y,
                   .step = own.step,
                   .decay = own.decay};
  for (int b = 0; b < 4; b++) {
    r.y[b] = c + (whole_k * n.y + inside(j + beside[b], n.y)) * n.x;
    r.z[b] = c + (inside(whole_k + beside[b], job->grid_slices) * n.y + j) * n.x;
  }
  return r;
}

STENCIL_TARGET static void advance_rows(const dcs_stencil_job *job, int64_t unit, float *out) {
  const dcs_problem *p = &job->problem;
  const int points = (int)p->config.value[DCS_STENCIL_POINTS];
  const int64_t k = unit % p->n.z, first = unit / p->n.z * job->rows;
  const int64_t end = first + job->rows < p->n.y ? first + job->rows : p->n.y;
  for (int64_t j = first; j < end; j++) {
    const stencil_row r = row_of(job, j, k, out);
    if (points == 13)
      advance_row(&r, p->n.x, 13);
    else if (points == 12)
      advance_row(&r, p->n.x, 12);
    else
      advance_row(&r, p->n.x, 7);
  }
}

STENCIL_TARGET static void advance(const dcs_problem *problem, int64_t first, int64_t end,
                                   float *out) {
  for (int64_t unit = first; unit < end; unit++)
    advance_rows((const dcs_stencil_job *)problem, unit, out);
  STENCIL_STREAMED();
}

const dcs_stencil_kernel STENCIL_KERNEL = {LANES, advance};

#endif
#endif
