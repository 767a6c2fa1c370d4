/* cuda_split: as cuda_volume, but some reciprocal square roots are computed on the FMA pipes.
 *
 * Derives from cuda_volume, which is bound by the special function units: they take a warp's reciprocal
 * square root in 8 cycles a scheduler, while the rest of an evaluation needs about 3 of those 8 issue
 * slots. The slots left over can compute reciprocal square roots in software: an integer guess and two
 * Newton steps (J. Kadlec, "Improving the fast inverse square root", 2010, for the guess and the first
 * step's constants; the second step's are chosen here to centre the error):
 *
 *     y0 = guess(0x5f1ffff9 - (bits(r2) >> 1))        2 integer operations
 *     y1 = y0 (2.38924456 - r2 y0^2)                  3 operations
 *     y2 = y1 (6.05389449 - r2 y1^2)                  3 operations
 *     1/sqrt(r2) = 0.17442139 y2                      once for the whole sum
 *
 * with a relative error of at most 3.2e-7 (5.3 x 2^-24), near that of the hardware's.
 *
 * Issue slots of a scheduler, per evaluation of a warp: hardware 3 (addition, reciprocal square root,
 * FMA), software 10 (addition, 2, 6, FMA), both about 0.84 for the distance terms of a 4 x 8 brick. With a
 * share s in software the special function units are busy 8 (1 - s) cycles and the issue port 3.84 + 7 s:
 * they balance at s = 0.28, 1.38 times the rate of the special function units alone.
 *
 * How much of that is reached depends on how the two kinds are mixed. Reciprocal square roots that come in
 * bursts fill the units' queue: their warp waits while the FMA pipes idle, and the other way round behind a
 * burst. A compiler starts every reciprocal square root as early as it can and leaves the sums for the end,
 * which is just such a pair of bursts. So the loop is a pipeline: while the distances of a row of the brick
 * are computed, the row before, an atom earlier where need be, is added to its sums; and the points in
 * software are spread evenly, at soft = 4 one in every row of four. (Giving whole blocks, or whole atoms, to
 * software and others to hardware, so that the warps of a scheduler complement each other, was tried and
 * is slower.)
 *
 * Parameters: as cuda_volume; soft: of every 16 points of a thread, how many in software, 0..16. Unrolling
 * gives the compiler the room to undo the pipeline.
 * Limits: as cuda_volume. */

#if ATOMS == ATOMS_CONSTANT
__constant__ float4 atoms[CHUNK_ATOMS];
#define ATOM(a) atoms[a]
#else
#define ATOM(a) __ldg(&global_atoms[a])
#endif

#define SOFT_SCALE 0.17442139f

/* 1/sqrt(r2) / SOFT_SCALE. */
static __device__ __forceinline__ float soft_rsqrt(float r2) {
  float y = __int_as_float(0x5f1ffff9 - (__float_as_int(r2) >> 1));
  y = y * (2.38924456f - r2 * y * y);
  return y * (6.05389449f - r2 * y * y);
}

/* Whether point p of the brick is one of the SOFT of every 16 that are spread evenly over it. */
static __device__ __forceinline__ bool in_software(int p) {
  return (p % 16 + 1) * SOFT / 16 > p % 16 * SOFT / 16;
}

/* Distances of a row of the brick, as the sums need them: 1/r, points in software without their scale. */
static __device__ __forceinline__ void row_of(float inverse[COARSEN_X], int l,
                                              const float dx[COARSEN_X], float dy2, float dz) {
  float dyz2 = dz * dz + dy2;
#pragma unroll
  for (int m = 0; m < COARSEN_X; m++) {
    float r2 = dx[m] * dx[m] + dyz2;
    inverse[m] = in_software(l * COARSEN_X + m) ? soft_rsqrt(r2) : rsqrtf(r2);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *map, const float4 *global_atoms, int n_atoms, int nx, int ny, int nz, int first_k,
        float spacing) {
  int i = blockIdx.x * (BLOCK_X * COARSEN_X) + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  int k = blockIdx.z * COARSEN_Z;
  if (i >= nx || j >= ny) return;

  float x[COARSEN_X], z[COARSEN_Z], sum[COARSEN_Z][COARSEN_X];
  float y = spacing * j;
#pragma unroll
  for (int m = 0; m < COARSEN_X; m++)
    x[m] = spacing * (i + m * BLOCK_X);
#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++) {
    z[l] = spacing * (first_k + k + l);
#pragma unroll
    for (int m = 0; m < COARSEN_X; m++)
      sum[l][m] = 0.0f;
  }

  float4 atom = ATOM(0);
  float dx[COARSEN_X], now[COARSEN_X], next[COARSEN_X];
#pragma unroll
  for (int m = 0; m < COARSEN_X; m++)
    dx[m] = x[m] - atom.x;
  float dy = y - atom.y;
  row_of(now, 0, dx, dy * dy, z[0] - atom.z);

#pragma unroll UNROLL
  for (int a = 0; a < n_atoms; a++) {
    float q = atom.w;
#pragma unroll
    for (int l = 0; l < COARSEN_Z; l++) {
      if (l == COARSEN_Z - 1) { /* on to the next atom; behind the last, it once more in vain */
        atom = ATOM(min(a + 1, n_atoms - 1));
        dy = y - atom.y;
#pragma unroll
        for (int m = 0; m < COARSEN_X; m++)
          dx[m] = x[m] - atom.x;
      }
      int ahead = (l + 1) % COARSEN_Z;
      row_of(next, ahead, dx, dy * dy, z[ahead] - atom.z);
#pragma unroll
      for (int m = 0; m < COARSEN_X; m++) {
        sum[l][m] += q * now[m];
        now[m] = next[m];
      }
    }
  }

#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++) {
#pragma unroll
    for (int m = 0; m < COARSEN_X; m++)
      if (k + l < nz && i + m * BLOCK_X < nx) {
        float scale = in_software(l * COARSEN_X + m) ? SOFT_SCALE : 1.0f;
        map[((long long)(k + l) * ny + j) * nx + i + m * BLOCK_X] += scale * sum[l][m];
      }
  }
}
