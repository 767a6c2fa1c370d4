/* What frames need on the card beside the kernels of a method: atoms from their places, which are
 * new in every frame, and their charges, which are not; and the sums of a block of maps. */

extern "C" __global__ void assemble(float4 *atoms, const float *places, const float *charges,
                                    int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atoms[i] = make_float4(places[3 * i], places[3 * i + 1], places[3 * i + 2], charges[i]);
}

/* Adds the nth map of a block, a point a thread, as dcs_partial_add() does on the host: the same
 * operations, each rounded on its own, give the same bits. The map is stored with `row` points from
 * row to row and `rows` rows from slice to slice; `factor` is 1 / (n (n - 1)); m2 may be NULL. */
extern "C" __global__ void dcs(double *sum, double *m2, const float *map, long long points, int nx,
                               int ny, int row, int rows, int n, double factor) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  long long line = i / nx, slice = line / ny;
  double x = map[(slice * rows + (line - slice * ny)) * row + (i - line * nx)];
  if (n == 1) {
    sum[i] = x;
    if (m2) m2[i] = 0;
    return;
  }
  double all = __dadd_rn(sum[i], x);
  sum[i] = all;
  if (!m2) return;
  double away = __dadd_rn(__dmul_rn(n, x), -all);
  m2[i] = __dadd_rn(m2[i], __dmul_rn(__dmul_rn(away, away), factor));
}
