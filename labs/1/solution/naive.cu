/* Lab 1, part 2: a thread per point of slice k, which sums over all atoms. */

extern "C" __global__ void dcs(float *slice, const float4 *atoms, int n_atoms, int nx, int ny,
                               int k, float spacing) {
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  int j = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (i >= nx || j >= ny) return;
  float x = spacing * i;
  float y = spacing * j;
  float z = spacing * k;

  float sum = 0.0f;
  for (int a = 0; a < n_atoms; a++) {
    float4 atom = atoms[a]; /* x, y, z, q */
    float dx = x - atom.x;
    float dy = y - atom.y;
    float dz = z - atom.z;
    sum += atom.w * rsqrtf(dx * dx + dy * dy + dz * dz);
  }
  slice[(long long)j * nx + i] += sum;
}
