/* cuda_constant: a thread per grid point, atoms in constant memory (the book's version 1).
 *
 * Derives from cuda_naive. All threads of a warp read the same atom at the same time, which is what
 * the constant cache serves in one broadcast. Constant memory holds 64 KB, so the atoms come in
 * chunks, a launch each, and a launch adds to the map. For each slice the host replaces an atom's z
 * by its squared distance to the slice, dz^2, which all points of the slice share.
 *
 * Per evaluation: 2 subtractions, 2 FMA, 1 reciprocal square root, 1 FMA; 1 constant load of 16
 * bytes. Per launch and point: 1 load and 1 store of the map.
 * Parameters: block_x, block_y, threads of a block, product 1..1024; chunk_atoms, atoms of a launch,
 * 1..4096 (64 KB).
 * Limits: a launch computes one slice; at most 65,535 blocks in y. */

__constant__ float4 atoms[CHUNK_ATOMS]; /* x, y, dz^2, q */

extern "C" __global__ void dcs(float *slice, int n_atoms, int nx, int ny, float spacing) {
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  float x = spacing * i;
  float y = spacing * j;

  float sum = 0.0f;
  for (int a = 0; a < n_atoms; a++) {
    float4 atom = atoms[a];
    float dx = x - atom.x;
    float dy = y - atom.y;
    sum += atom.w * rsqrtf(dx * dx + (dy * dy + atom.z));
  }
  slice[(long long)j * nx + i] += sum;
}
