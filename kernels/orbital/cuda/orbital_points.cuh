/* What the kernels share that compute a power of two for each primitive and point: COARSEN_Z adjacent points in
 * z, of which each shell is added to all. */

struct points {
  float x, y, z[COARSEN_Z], sum[COARSEN_Z];
};

static __device__ __forceinline__ points points_at(int i, int j, int k, float spacing) {
  points p;
  p.x = spacing * i;
  p.y = spacing * j;
#pragma unroll
  for (int c = 0; c < COARSEN_Z; c++) {
    p.z[c] = spacing * (k + c);
    p.sum[c] = 0.0f;
  }
  return p;
}

/* Adds a shell of degree L, whose contraction is value(r^2). */
template <int L, class contraction>
static __device__ __forceinline__ void add_shell(float x, float y, float z, const float *c,
                                                 const contraction &value, points *p) {
  float dx = p->x - x, dy = p->y - y, xy2 = dx * dx + dy * dy, q[L + 1];
  polynomials_in_z<L>(c, dx, dy, q);
  float dz[COARSEN_Z], r2[COARSEN_Z], radial[COARSEN_Z];
#pragma unroll
  for (int k = 0; k < COARSEN_Z; k++) {
    dz[k] = p->z[k] - z;
    r2[k] = xy2 + dz[k] * dz[k];
  }
  value(r2, radial);
#pragma unroll
  for (int k = 0; k < COARSEN_Z; k++) {
    float polynomial = q[L];
#pragma unroll
    for (int m = L - 1; m >= 0; m--)
      polynomial = polynomial * dz[k] + q[m];
    p->sum[k] += polynomial * radial[k];
  }
}
