/* Rate of the special function units: every thread runs CHAINS independent chains of reciprocal
 * square roots, LENGTH links each, with no other arithmetic in the loop. The chains converge to 1,
 * which costs as much as any other value. The result is stored so that nothing can be left out. */

extern "C" __global__ void dcs(float *out, int length) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float chain[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
    chain[c] = 1.5f + thread + c;

#pragma unroll 4
  for (int l = 0; l < length; l++) {
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
      chain[c] = rsqrtf(chain[c]);
  }

  float sum = 0.0f;
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
    sum += chain[c];
  out[thread] = sum;
}
