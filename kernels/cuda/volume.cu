/* cuda_volume: one launch for the whole map; a thread computes a brick of COARSEN_X x COARSEN_Z points.
 *
 * Derives from cuda_coalesced by coarsening in z as well: dx^2 is shared by the points of a column, and
 * dy^2 + dz^2 by those of a row, so the distance terms cost almost nothing and an evaluation is an
 * addition, a reciprocal square root and an FMA. One launch covers all slices, so that maps with small
 * slices fill the card too; or the nz slices from first_k on, into their part of the map. Atoms are read from global memory, a broadcast of 16 bytes through the L1
 * cache, or from constant memory in chunks.
 *
 * Per evaluation, X = COARSEN_X, Z = COARSEN_Z: 1 addition, 1 reciprocal square root, 1 FMA; for all X Z
 * points of a thread together: X (1 subtraction + 1 multiply), 1 subtraction + 1 multiply for y,
 * Z (1 subtraction + 1 FMA), 1 load of 16 bytes.
 * Parameters: block_x, block_y, threads of a block, product 1..1024; coarsen_x 1..8, points block_x
 * apart; coarsen_z 1..16, adjacent slices; atoms: global or constant; chunk_atoms, atoms of a launch in
 * constant memory, 1..4096 (unused in global memory); unroll: atoms a turn of the loop, 1..8.
 * Limits: at most 65,535 blocks in y and in z. Large bricks need registers: `dcsbench compile` counts them. */

#if ATOMS == ATOMS_CONSTANT
__constant__ float4 atoms[CHUNK_ATOMS];
#define ATOM(a) atoms[a]
#else
#define ATOM(a) __ldg(&global_atoms[a])
#endif

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

#pragma unroll UNROLL
  for (int a = 0; a < n_atoms; a++) {
    float4 atom = ATOM(a);
    float dy = y - atom.y;
    float dy2 = dy * dy;
    float dx2[COARSEN_X];
#pragma unroll
    for (int m = 0; m < COARSEN_X; m++) {
      float dx = x[m] - atom.x;
      dx2[m] = dx * dx;
    }
#pragma unroll
    for (int l = 0; l < COARSEN_Z; l++) {
      float dz = z[l] - atom.z;
      float dyz2 = dz * dz + dy2;
#pragma unroll
      for (int m = 0; m < COARSEN_X; m++)
        sum[l][m] += atom.w * rsqrtf(dx2[m] + dyz2);
    }
  }

#pragma unroll
  for (int l = 0; l < COARSEN_Z; l++) {
#pragma unroll
    for (int m = 0; m < COARSEN_X; m++)
      if (k + l < nz && i + m * BLOCK_X < nx)
        map[((long long)(k + l) * ny + j) * nx + i + m * BLOCK_X] += sum[l][m];
  }
}
