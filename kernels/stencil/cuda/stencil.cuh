/* What the CUDA kernels of `stencil` share: fluxes through faces (kernels/stencil/stencil.h). */

struct stencil {
  float step, decay;
  int points, nz; /* nz: slices of the whole grid */
};

/* The flux through the face between cells m and p. */
template <int POINTS>
static __device__ __forceinline__ float flux(float mm, float m, float p, float pp, float u,
                                             float k) {
  if (POINTS == 7) return 0.5f * u * (m + p) - (0.5f * fabsf(u) + k) * (p - m);
  float even = (7.0f / 12.0f) * (m + p) - (1.0f / 12.0f) * (mm + pp);
  float odd = (1.0f / 12.0f) * (pp - mm) - 0.25f * (p - m);
  return u * even + fabsf(u) * odd - k * (p - m);
}

/* The same of the vertical: of 12 points w <= 0, and mm plays no part. */
template <int POINTS>
static __device__ __forceinline__ float flux_z(float mm, float m, float p, float pp, float w,
                                               float k) {
  if (POINTS != 12) return flux<POINTS>(mm, m, p, pp, w, k);
  return w * ((1.0f / 3.0f) * m + (5.0f / 6.0f) * p - (1.0f / 6.0f) * pp) - k * (p - m);
}

static __device__ __forceinline__ int inside(int at, int n) {
  return min(max(at, 0), n - 1);
}
