/* What the kernels share that compute an orbital by its terms. See kernels/orbital/orbital.h. */

/* dcs_orbital_term, its first half. */
struct orbital_term {
  float4 at; /* x, y, z and root */
  float4 c;  /* three coefficients and the shape */
};

static __device__ __forceinline__ orbital_term load_term(const float4 *terms) {
  orbital_term term = {terms[0], terms[1]};
  return term;
}

/* The polynomial at dx, dy, by Horner's rule in dx: a[m] is what is multiplied by dx^m. */
template <int DEGREE>
static __device__ __forceinline__ void in_x(const orbital_term &term, const float4 *more, float dy, float *a) {
  a[0] = term.c.x;
  if (DEGREE >= 1) {
    a[0] += term.c.z * dy;
    a[1] = term.c.y;
  }
  if (DEGREE >= 2) {
    float4 c = more[0];
    a[0] += c.z * dy * dy;
    a[1] += c.y * dy;
    a[2] = c.x;
    if (DEGREE >= 3) {
      float4 f = more[1];
      a[0] += f.z * dy * dy * dy;
      a[1] += f.y * dy * dy;
      a[2] += f.x * dy;
      a[3] = c.w;
    }
  }
}
