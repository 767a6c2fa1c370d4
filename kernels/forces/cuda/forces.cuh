/* What the kernels of forces share: the terms of a pair. See kernels/forces/forces.h, which has the
 * formulas and constants. */

/* dcs_forces_terms. */
struct pair_terms {
  float cutoff2, per_cutoff2, slope, from, alpha, peak, power;
};

/* Of a pair: -dE/dr over r, and E. */
struct pull {
  float force, energy;
};

/* erfc(z), from exp(-z^2). */
static __device__ __forceinline__ float error_function(float z, float bell) {
  float t = __fdividef(1.0f, 1.0f + 0.4f * z);
  float p = t * -0x1.9a2220p-3f + 0x1.6b15fap-1f;
  p = p * t + -0x1.7bd14cp-2f;
  p = p * t + 0x1.df84e0p-2f;
  p = p * t + 0x1.4b68e0p-3f;
  p = p * t + 0x1.dafa2cp-3f;
  return p * t * bell;
}

/* The terms at r2 > 0, of the product of the charges, the sum of the halves of R_min, and the
 * product of the roots of the wells. */
template <bool EWALD>
static __device__ __forceinline__ pull pull_at(pair_terms terms, float r2, float charges,
                                               float minimum, float depth) {
  float per_r = rsqrtf(r2), per_r2 = per_r * per_r, ratio = minimum * per_r, ratio2 = ratio * ratio;
  float b = ratio2 * ratio2 * ratio2, deep = depth * b, well = deep * (b - 2.0f);
  float u = __saturatef(r2 * terms.slope - terms.from);
  float on = 1.0f + u * u * (2.0f * u - 3.0f), off = u * (u - 1.0f) * terms.slope;
  pull p;
  p.energy = well * on;
  p.force = 12.0f * (deep * (b - 1.0f) * on * per_r2 - well * off);
  charges *= per_r;
  if (EWALD) {
    float bell = exp2f(r2 * terms.power), r = r2 * per_r;
    float part = error_function(terms.alpha * r, bell);
    p.energy += charges * part;
    p.force += charges * per_r2 * (part + terms.peak * r * bell);
  } else {
    float left = 1.0f - r2 * terms.per_cutoff2, product = charges * left;
    p.energy += product * left;
    p.force += product * (left * per_r2 + 4.0f * terms.per_cutoff2);
  }
  return p;
}
