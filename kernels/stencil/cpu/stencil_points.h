/* Points of a row, as many at once as a vector has lanes: the arithmetic of
 * kernels/stencil/stencil.h for a width. Included for each of them, after defining
 *
 *     POINTS_BYTES    of a vector of floats
 *     POINTS_NAME(x)  the names of what is defined here
 */
typedef float POINTS_NAME(vector) __attribute__((vector_size(POINTS_BYTES)));
typedef int32_t POINTS_NAME(bits) __attribute__((vector_size(POINTS_BYTES)));
#define VECTOR POINTS_NAME(vector)

STENCIL_INLINE VECTOR POINTS_NAME(load)(const float *from) {
  VECTOR v;
  memcpy(&v, from, sizeof v);
  return v;
}

/* The flux through the face between cells m and p. */
STENCIL_INLINE VECTOR POINTS_NAME(flux)(VECTOR mm, VECTOR m, VECTOR p, VECTOR pp, VECTOR u,
                                        VECTOR k, int points) {
  const VECTOR magnitude = (VECTOR)((POINTS_NAME(bits))u & 0x7fffffff), difference = p - m;
  if (points == 7) return 0.5f * u * (m + p) - (0.5f * magnitude + k) * difference;
  const VECTOR even = 7.0f / 12.0f * (m + p) - 1.0f / 12.0f * (mm + pp);
  const VECTOR odd = 1.0f / 12.0f * (pp - mm) - 0.25f * difference;
  return u * even + magnitude * odd - k * difference;
}

/* The same of the vertical: of 12 points w <= 0, and mm plays no part. */
STENCIL_INLINE VECTOR POINTS_NAME(flux_z)(VECTOR mm, VECTOR m, VECTOR p, VECTOR pp, VECTOR w,
                                          VECTOR k, int points) {
  if (points != 12) return POINTS_NAME(flux)(mm, m, p, pp, w, k, points);
  return w * (1.0f / 3.0f * m + 5.0f / 6.0f * p - 1.0f / 6.0f * pp) - k * (p - m);
}

/* Points i.. of the row, after the step; x: c of the row from there on, and what is beside. */
STENCIL_INLINE VECTOR POINTS_NAME(advance)(const stencil_row *r, const float *x, int64_t i,
                                           int points) {
#define AT(pointer)   POINTS_NAME(load)((pointer) + i)
#define BESIDE(cells) POINTS_NAME(load)(x + (cells))
  const VECTOR m = BESIDE(0), xm = BESIDE(-1), xp = BESIDE(1);
  const VECTOR ym = AT(r->y[1]), yp = AT(r->y[2]), zm = AT(r->z[1]), zp = AT(r->z[2]);
  const VECTOR xmm = BESIDE(-2), xpp = BESIDE(2), ymm = AT(r->y[0]), ypp = AT(r->y[3]);
  const VECTOR zmm = AT(r->z[0]), zpp = AT(r->z[3]);
  VECTOR rate = r->decay * m;
  rate += POINTS_NAME(flux)(xm, m, xp, xpp, AT(r->u + 1), AT(r->kx + 1), points) -
          POINTS_NAME(flux)(xmm, xm, m, xp, AT(r->u), AT(r->kx), points);
  rate += POINTS_NAME(flux)(ym, m, yp, ypp, AT(r->v + r->row), AT(r->ky + r->row), points) -
          POINTS_NAME(flux)(ymm, ym, m, yp, AT(r->v), AT(r->ky), points);
  rate += POINTS_NAME(flux_z)(zm, m, zp, zpp, AT(r->w + r->slice), AT(r->kz + r->slice), points) -
          POINTS_NAME(flux_z)(zmm, zm, m, zp, AT(r->w), AT(r->kz), points);
  return m - r->step * rate;
#undef AT
#undef BESIDE
}

#undef VECTOR
#undef POINTS_BYTES
#undef POINTS_NAME
