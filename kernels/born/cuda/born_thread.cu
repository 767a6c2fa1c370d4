/* cuda_born_thread: a thread per atom; each looks at all spheres, which lie in global memory.
 *
 * Derives from cuda_naive. All threads of a warp read the same sphere at the same time, one broadcast
 * through the L1 cache. What a sphere alone tells is computed again by every thread.
 *
 * Per far pair: 4 subtractions and multiplies of the sphere, 1 maximum, 1 multiply, 1 comparison; 3
 * subtractions, 1 multiply, 2 FMA; 1 reciprocal, 7 multiplies and 3 FMA of the series, 1 addition; 1 load of
 * 16 bytes. Near pairs take a branch: a warp goes through it for as many of its lanes as are near.
 * Parameters: block_x, threads of a block, 32..1024.
 * Limits: a card of 132 SMs has room for 270,336 threads, so that it idles with fewer atoms. */

#include "kernels/born/cuda/born.cuh"

/* Spheres whose terms are summed on their own: in long sums what is small is lost. */
enum { PART = 256 };

extern "C" __global__ void __launch_bounds__(BLOCK_X)
    dcs(float *radii, const float4 *atoms, int n_atoms, born born) {
  int i = blockIdx.x * BLOCK_X + threadIdx.x;
  if (i >= n_atoms) return;
  float4 own = atoms[i];
  float own_near2 = near2_of_atom(own.w), sum = 0.0f;

  for (int first = 0; first < n_atoms; first += PART) {
    float part = 0.0f;
    for (int j = first; j < min(first + PART, n_atoms); j++) {
      float4 atom = atoms[j];
      float s = born.descreening * atom.w;
      float r2 = square_distance(own.x, own.y, own.z, atom);
      if (r2 <= fmaxf(near2_of_sphere(s), own_near2))
        part += near_term(r2, own.w, s);
      else
        part += far_term(r2, series_of(s));
    }
    sum += part;
  }
  radii[i] = born_radius(born, own.w, sum);
}
