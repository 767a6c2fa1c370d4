/* Rate of an operation: every thread runs CHAINS independent chains y = LINK, `length` links each,
 * with no other arithmetic in the loop. They converge, which costs as much as any other value. The
 * result is stored so that nothing can be left out; `half` is an argument so that nothing can be
 * computed before. */

extern "C" __global__ void dcs(float *out, int length, float half) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float chain[CHAINS];
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
    chain[c] = 1.5f + thread + c;

#pragma unroll UNROLL
  for (int l = 0; l < length; l++) {
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
      float y = chain[c];
      chain[c] = LINK;
    }
  }

  float sum = 0.0f;
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
    sum += chain[c];
  out[thread] = sum;
}
