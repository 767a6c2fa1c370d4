/* cuda_coarsened: COARSEN adjacent points of a row per thread (the book's version 2).
 *
 * Derives from cuda_constant. The points of a thread lie in one row, so dy^2 + dz^2 and the atom's
 * load are shared: per atom they cost once instead of COARSEN times. But neighbouring threads now
 * write addresses COARSEN apart, so a warp's store touches COARSEN times as many 32-byte
 * sectors, up to one a thread from COARSEN = 8 on.
 *
 * Per evaluation, K = COARSEN: (1 subtraction + 1 FMA) / K for y and z, then 1 subtraction, 1 FMA,
 * 1 reciprocal square root, 1 FMA; 1/K constant loads of 16 bytes.
 * Parameters: block_x, block_y, threads of a block, product 1..1024; coarsen 1..16; chunk_atoms
 * 1..4096; read: the map's old value is read before the loop over atoms (start), as the first term of
 * the sum, or after it (end).
 * Limits: a launch computes one slice; at most 65,535 blocks in y. */

__constant__ float4 atoms[CHUNK_ATOMS]; /* x, y, dz^2, q */

extern "C" __global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    dcs(float *slice, int n_atoms, int nx, int ny, float spacing) {
  int i = (blockIdx.x * BLOCK_X + threadIdx.x) * COARSEN;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  float *point = slice + (long long)j * nx + i;
  float y = spacing * j;

  float x[COARSEN], sum[COARSEN];
#pragma unroll
  for (int m = 0; m < COARSEN; m++) {
    x[m] = spacing * (i + m);
#if READ == READ_START
    sum[m] = i + m < nx ? point[m] : 0.0f;
#else
    sum[m] = 0.0f;
#endif
  }

  for (int a = 0; a < n_atoms; a++) {
    float4 atom = atoms[a];
    float dy = y - atom.y;
    float dyz2 = dy * dy + atom.z;
#pragma unroll
    for (int m = 0; m < COARSEN; m++) {
      float dx = x[m] - atom.x;
      sum[m] += atom.w * rsqrtf(dx * dx + dyz2);
    }
  }

#pragma unroll
  for (int m = 0; m < COARSEN; m++) {
    if (i + m < nx) {
#if READ == READ_START
      point[m] = sum[m];
#else
      point[m] += sum[m];
#endif
    }
  }
}
