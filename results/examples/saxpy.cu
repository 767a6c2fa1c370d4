/* y += a x, PER_THREAD values a thread: STRIDED by the threads of the block, or next to each other. */
__global__ void saxpy(float *y, const float *x, float a, int n) {
  const int first = blockIdx.x * BLOCK * PER_THREAD + threadIdx.x * (STRIDED ? 1 : PER_THREAD);
  for (int k = 0; k < PER_THREAD; k++) {
    const int i = first + k * (STRIDED ? BLOCK : 1);
    if (i < n) y[i] += a * x[i];
  }
}
