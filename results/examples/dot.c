/* A dot product in SUMS sums of type REAL. arguments: the first element of each vector, and each
 * scalar, in the order of the specification. */
void dot(void *const *arguments) {
  double *sum = arguments[0];
  const float *x = arguments[1], *y = arguments[2];
  const int n = *(const int *)arguments[3];
  REAL sums[SUMS] = {0};
  int i = 0;
  for (; i + SUMS <= n; i += SUMS)
    for (int s = 0; s < SUMS; s++)
      sums[s] += x[i + s] * y[i + s];
  for (; i < n; i++)
    sums[0] += x[i] * y[i];
  *sum = 0;
  for (int s = 0; s < SUMS; s++)
    *sum += sums[s];
}
