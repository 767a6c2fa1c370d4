/* What the kernels of Born radii share: the two ways to compute a pair, and the radius at the end. See
 * kernels/born/born.h, which has the formulas, the constants and why they are these. */

#define OFFSET 0.09f
#define MOST   30.0f
#define NEAR2  16.0f
#define SAME   0x1p-12f

/* dcs_born. */
struct born {
  float descreening;
  int obc;
};

/* One instruction of the special function units, off by a unit in the last place: 2 u, u = 2^-24. */
static __device__ __forceinline__ float reciprocal(float x) {
  return __fdividef(1.0f, x);
}

/* What near pairs begin at depends on the sphere, of radius s, and on the atom, of radius p. */
static __device__ __forceinline__ float near2_of_sphere(float s) {
  return NEAR2 * (s * s);
}
static __device__ __forceinline__ float near2_of_atom(float p) {
  return NEAR2 / 9 * (p * p);
}

/* The series' coefficients times s^3, s^5, s^7, s^9. */
static __device__ __forceinline__ float4 series_of(float s) {
  float s2 = s * s, s3 = s * s2, s5 = s3 * s2, s7 = s5 * s2;
  return make_float4(0x1.555552p-2f * s3, 0x1.99a1d6p-2f * s5, 0x1.b44e6ep-2f * s7,
                     0x1.035dp-1f * (s7 * s2));
}

/* T / 2 by the series: it is t^2 times the polynomial at t = 1 / r^2. */
static __device__ __forceinline__ float series_at(float4 series, float t) {
  return ((series.w * t + series.z) * t + series.y) * t + series.x;
}
static __device__ __forceinline__ float far_term(float r2, float4 series) {
  float t = reciprocal(r2);
  return t * t * series_at(series, t);
}

/* T / 2 by the formula. The logarithm is off by 2^-21.4 where its argument is near 1: what is divided by
 * 2 r is its error, not a part of it, and the bound says so. No branch: nearly always some lanes of a warp
 * need each of the cases. At r = 0 the first is NaN, and not taken. */
static __device__ __forceinline__ float near_term(float r2, float p, float s) {
  float per_r = rsqrtf(r2), r = r2 * per_r, per_p = reciprocal(p);
  float upper = r + s, lower = fminf(fmaxf(p, fabsf(r - s)), upper);
  float l = reciprocal(lower), u = reciprocal(upper);
  float t = (l - u) * (1.0f - 0.25f * (r - s * s * per_r) * (l + u));
  t += 0.5f * per_r * __logf(lower * u);
  t += p < s - r ? 2.0f * (per_p - l) : 0.0f;
  float same = per_p - reciprocal(fmaxf(p, s));
  return r2 < SAME * SAME ? same : 0.5f * t;
}

static __device__ __forceinline__ float square_distance(float x, float y, float z, float4 to) {
  float dx = x - to.x, dy = y - to.y, dz = z - to.z;
  return dx * dx + dy * dy + dz * dz;
}

/* The radius of an atom, of its own radius p and I: dcs_born_radius(). */
static __device__ __forceinline__ float born_radius(born born, float p, float integral) {
  if (!(p > 0.0f)) return 0.0f;
  float whole = p + OFFSET, left = 1.0f / p - integral, psi = integral * p;
  if (!born.obc) return left > 1.0f / MOST ? 1.0f / left : MOST;
  float z = psi * (1.0f - psi * (0.8f - 4.85f * psi));
  return 1.0f / (OFFSET / (p * whole) + 2.0f / (whole * (1.0f + expf(2.0f * z))));
}
