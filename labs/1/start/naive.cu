/* Lab 1, part 2: a thread per point of slice k, which sums over all atoms. */

extern "C" __global__ void dcs(float *slice, const float4 *atoms, int n_atoms, int nx, int ny,
                               int k, float spacing) {
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  /* GAP 1: the row j of this thread, and which threads have no point at all? */
  int j = 0;
  if (i >= nx) return;
  float x = spacing * i;
  float y = spacing * j;
  float z = spacing * k;

  float sum = 0.0f;
  /* GAP 2: the loop over atoms of part 1, turned inside out: x, y and z stay, the atom changes. */

  slice[(long long)j * nx + i] += sum;
}
