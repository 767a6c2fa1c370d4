/* Lab 2, part 1: a thread per point, atoms in constant memory. The host fills `atoms` with up to
 * CHUNK_ATOMS atoms and launches the kernel once for each chunk and slice; dz^2, which all points of
 * a slice share, it has computed. */

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
    sum += atom.w * rsqrtf(dx * dx + dy * dy + atom.z);
  }
  slice[(long long)j * nx + i] += sum;
}
