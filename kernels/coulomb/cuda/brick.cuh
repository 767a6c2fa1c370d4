/* A thread's brick of points: COARSEN_X points of a row, BLOCK_X apart, in HEIGHT adjacent slices.
 * Point (0, 0) of it is grid point (i, j, k). */
#ifndef DCS_BRICK_CUH
#define DCS_BRICK_CUH

/* Atoms, from constant memory where the kernel can read them there, or from global memory. */
#if defined ATOMS && ATOMS == ATOMS_CONSTANT
__constant__ float4 atoms[CHUNK_ATOMS];
#define ATOM(a) atoms[a]
#else
#define ATOM(a) __ldg(&global_atoms[a])
#endif

/* The coordinates of the columns and slices. */
template <int HEIGHT>
static __device__ __forceinline__ void place_brick(int i, int k, float spacing, float x[COARSEN_X],
                                                   float z[HEIGHT]) {
#pragma unroll
  for (int m = 0; m < COARSEN_X; m++)
    x[m] = spacing * (i + m * BLOCK_X);
#pragma unroll
  for (int l = 0; l < HEIGHT; l++)
    z[l] = spacing * (k + l);
}

/* Adds an atom to the sums: dx^2 is shared by the points of a column, dy^2 + dz^2 by those of a row. */
template <int HEIGHT>
static __device__ __forceinline__ void add_atom(float4 atom, const float x[COARSEN_X], float y,
                                                const float z[HEIGHT], float sum[HEIGHT][COARSEN_X]) {
  float dy = y - atom.y;
  float dy2 = dy * dy;
  float dx2[COARSEN_X];
#pragma unroll
  for (int m = 0; m < COARSEN_X; m++) {
    float dx = x[m] - atom.x;
    dx2[m] = dx * dx;
  }
#pragma unroll
  for (int l = 0; l < HEIGHT; l++) {
    float dz = z[l] - atom.z;
    float dyz2 = dz * dz + dy2;
#pragma unroll
    for (int m = 0; m < COARSEN_X; m++)
      sum[l][m] += atom.w * rsqrtf(dx2[m] + dyz2);
  }
}

/* Writes the sums to the map, or adds them to it, as far as the brick lies in it. */
template <int HEIGHT>
static __device__ __forceinline__ void put_in_map(const float sum[HEIGHT][COARSEN_X], int i, int j, int k,
                                                  int nx, int ny, int nz, bool adds, float *map) {
  float *row = map + ((long long)k * ny + j) * nx + i;
#pragma unroll
  for (int l = 0; l < HEIGHT; l++) {
#pragma unroll
    for (int m = 0; m < COARSEN_X; m++)
      if (k + l < nz && i + m * BLOCK_X < nx && j < ny)
        row[m * BLOCK_X] = adds ? row[m * BLOCK_X] + sum[l][m] : sum[l][m];
    row += (long long)nx * ny;
  }
}

#endif
