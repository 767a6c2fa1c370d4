/* cuda_density_naive: a thread per grid point; each looks at all atoms, which lie in global memory.
 *
 * Derives from cuda_naive: exponentials in place of reciprocal square roots, and a test whether the
 * term counts. It does every pair there is: at 148,000 atoms on 170^3 points 7,000 times as many as
 * count.
 *
 * Per pair: 3 subtractions, 1 multiply, 2 FMA, 1 multiply, 1 comparison, 1 power of two, 1
 * addition; per atom and thread 1 multiply, 1 division; 1 load of 16 bytes, the same for all
 * threads of the warp (one broadcast through the L1 cache). Parameters: block_x, block_y, threads
 * of a block, product 1..1024. Limits: at most 65,535 blocks in y and slices. */

struct density {
  float rate;  /* what the exponent falls by at a distance of 1, of an atom of radius 1 */
  float limit; /* a term counts where its exponent is at least -limit */
};

extern "C" __global__ void dcs(float *map, const float4 *atoms, int n_atoms, int nx, int ny, int k,
                               float spacing, density density) {
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  float x = spacing * i;
  float y = spacing * j;
  float z = spacing * (k + (int)blockIdx.z);

  float sum = 0.0f;
  for (int a = 0; a < n_atoms; a++) {
    float4 atom = atoms[a];
    float dx = x - atom.x;
    float dy = y - atom.y;
    float dz = z - atom.z;
    float exponent = -density.rate / (atom.w * atom.w) * (dx * dx + (dy * dy + dz * dz));
    if (exponent >= -density.limit) sum += exp2f(exponent); /* NaN, of no radius, does not */
  }
  map[((long long)blockIdx.z * ny + j) * nx + i] = sum;
}
