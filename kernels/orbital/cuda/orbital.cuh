/* What the kernels of orbitals share: shells, and their polynomials. See kernels/orbital/orbital.h. */

enum { PRIMITIVES = 6 };

struct gaussian {
  float rate, weight;
};

/* dcs_orbital_shell. */
struct orbital_shell {
  float x, y, z;
  int l;
  float c[10];
  int n, type;
  gaussian gaussians[PRIMITIVES];
};

/* Of a shell's polynomial what is multiplied by 1, dz, ... dz^L, at dx and dy: q[L + 1]. Monomials are in powers
 * of z, in each in powers of y. */
template <int L>
static __device__ __forceinline__ void polynomials_in_z(const float *c, float dx, float dy, float *q) {
  if (L == 0) {
    q[0] = c[0];
  } else if (L == 1) {
    q[0] = c[0] * dx + c[1] * dy;
    q[1] = c[2];
  } else if (L == 2) {
    q[0] = (c[0] * dx + c[1] * dy) * dx + c[2] * dy * dy;
    q[1] = c[3] * dx + c[4] * dy;
    q[2] = c[5];
  } else {
    float xx = dx * dx, xy = dx * dy, yy = dy * dy;
    q[0] = (c[0] * dx + c[1] * dy) * xx + (c[2] * dx + c[3] * dy) * yy;
    q[1] = c[4] * xx + c[5] * xy + c[6] * yy;
    q[2] = c[7] * dx + c[8] * dy;
    q[3] = c[9];
  }
}
