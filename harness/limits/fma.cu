/* Rate of fused multiply-adds: every thread runs CHAINS independent chains y = y / 2 + 1, LENGTH
 * links each; y becomes 2. `half` is an argument so that nothing can be computed before. */

extern "C" __global__ void dcs(float *out, int length, float half) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float chain[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
    chain[c] = 1.0f + c;

#pragma unroll 8
  for (int l = 0; l < length; l++) {
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
      chain[c] = chain[c] * half + 1.0f;
  }

  float sum = 0.0f;
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
    sum += chain[c];
  out[thread] = sum;
}
