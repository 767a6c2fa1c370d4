/* Reciprocal square roots on the FMA pipes, as cuda_split says: those of SOFT of every 16 points of a brick. */
#ifndef DCS_SOFT_ROOT_CUH
#define DCS_SOFT_ROOT_CUH

#define SOFT_SCALE 0.06334664f

/* 1/sqrt(r2) / SOFT_SCALE. */
static __device__ __forceinline__ float soft_rsqrt(float r2) {
  float y = __int_as_float(0x5f5f2000 - (__float_as_int(r2) >> 1));
  float e = 2.2104355f - r2 * y * y;
  return y * ((e * e + 2.7819405f) * e + 10.554387f);
}

/* Whether point p of the brick is one of the SOFT of every 16 that are spread evenly over it. */
static __device__ __forceinline__ bool in_software(int p) {
  return (p % 16 + 1) * SOFT / 16 > p % 16 * SOFT / 16;
}

#endif
