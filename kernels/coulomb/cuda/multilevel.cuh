/* The lattices of cuda_multilevel, their splines, filters and weights: what follows from the map's
 * shape and the tolerance, without the atoms. */
#ifndef DCS_MULTILEVEL_CUH
#define DCS_MULTILEVEL_CUH

enum {
  P = 4 + 2 * ORDER, /* nodes of a spline */
  HALF = P / 2,
  LANES = P <= 8 ? 8 : 16, /* threads that spread an atom */
  MOST_LEVELS = 16,
  FILTER = ORDER == 0 ? 14 : ORDER == 1 ? 22 : ORDER == 2 ? 30 : 36, /* reach of B^-1 */
  FILTER2 = FILTER + 8,                                              /* and of B^-2 */
  RING = 128,   /* of the filter's Fourier series */
  DEGREE = ORDER == 0 ? 2 : ORDER + 3, /* of the softened 1/r */
  CUT_X = 32, CUT_Y = 4, CUT_Z = 8, /* potentials of a block of cut_off */
  CUT_STEP = 4, /* charges that a thread takes at once, as many as a vector has weights */
  MOST_REACH = 22,
  MOST_PLANE = (CUT_X + 2 * MOST_REACH) * (2 * CUT_Z + 2 * MOST_REACH),
  TOP_THREADS = 64 /* of a block of sum_top */
};

/* As the descriptor has it. */
struct multilevel {
  double h;     /* of level 0, angstrom */
  double ratio; /* a / h */
  int n_levels; /* 0: the direct sum */
  int reach;    /* nodes, below the top */
  int longest;  /* the longest reach, the top's */
  int n[3];     /* potentials of level 0 */
};

struct box3 {
  int first[3], n[3];
};

struct level_box {
  box3 charge, potential;
  long long charges, potentials; /* of the levels before */
  int blocks;                    /* of cut_off, likewise */
};

struct layout {
  level_box level[MOST_LEVELS + 1]; /* behind the last: the sums */
  int n_far;                        /* atoms beyond all levels */
  double filter[2][FILTER2 + 1];    /* B^-1, B^-2: at distance 0, ... */
};

static __device__ __forceinline__ int halve(int v) { /* rounded down */
  return v >= 0 ? v / 2 : -((1 - v) / 2);
}

static __device__ __forceinline__ long long nodes_of(box3 b) {
  return (long long)b.n[0] * b.n[1] * b.n[2];
}

/* The level that node i of all charges, or potentials, belongs to. */
static __device__ __forceinline__ int level_of_charge(const layout *l, int n_levels, long long i) {
  int k = 0;
  while (k + 1 < n_levels && i >= l->level[k + 1].charges)
    k++;
  return k;
}

/* ---- lattices ---- */

static __device__ __forceinline__ void lay_out_levels(multilevel m, layout *l) {
  box3 b;
  level_box at = {};
  for (int d = 0; d < 3; d++) {
    b.first[d] = 1 - HALF;
    b.n[d] = m.n[d];
  }
  for (int k = 0; k < m.n_levels; k++) {
    at.potential = at.charge = b;
    for (int d = 0; d < 3; d++) {
      at.charge.first[d] -= m.reach;
      at.charge.n[d] += 2 * m.reach;
      int last = halve(HALF + b.first[d] + b.n[d] - 1);
      b.first[d] = -halve(HALF - b.first[d]);
      b.n[d] = last - b.first[d] + 1;
    }
    l->level[k] = at;
    at.charges += nodes_of(at.charge);
    at.potentials += nodes_of(at.potential);
    at.blocks += (at.potential.n[0] + CUT_X - 1) / CUT_X * ((at.potential.n[1] + CUT_Y - 1) / CUT_Y) *
                 ((at.potential.n[2] + CUT_Z - 1) / CUT_Z);
  }
  l->level[m.n_levels] = at;
  l->n_far = 0;
}

/* The splines that are not 0 at t behind a node. */
template <class REAL> static __device__ __forceinline__ void splines(REAL t, REAL w[P]) {
  w[0] = 1 - t;
  w[1] = t;
#pragma unroll
  for (int n = 3; n <= P; n++) {
    const REAL by = REAL(1) / (n - 1);
    w[n - 1] = by * t * w[n - 2];
#pragma unroll
    for (int j = n - 2; j > 0; j--)
      w[j] = by * ((t + (n - 1 - j)) * w[j - 1] + ((j + 1) - t) * w[j]);
    w[0] *= by * (1 - t);
  }
}

/* One block of RING threads. */
extern "C" __global__ void lay_out(multilevel m, layout *l) {
  __shared__ double wave[RING], inverse[RING];
  int t = threadIdx.x;
  if (t == 0) lay_out_levels(m, l);
  wave[t] = cos(6.283185307179586 * t / RING);
  __syncthreads();
  double spline[P], b;
  splines(0.0, spline);
  b = spline[HALF - 1];
  for (int j = 1; j < HALF; j++)
    b += 2 * spline[HALF - 1 - j] * wave[j * t % RING];
  inverse[t] = 1 / b;
  __syncthreads();
  if (t > FILTER2) return;
  double once = 0, twice = 0;
  for (int k = 0; k < RING; k++) {
    once += wave[t * k % RING] * inverse[k];
    twice += wave[t * k % RING] * inverse[k] * inverse[k];
  }
  l->filter[0][t] = t <= FILTER ? once / RING : 0;
  l->filter[1][t] = twice / RING;
}

/* ---- weights ---- */

/* 1/x beyond 1, its Taylor series in x^2 within. */
static __device__ __forceinline__ double softened(double x) {
  if (x >= 1) return 1 / x;
  double term = 1, sum = 1;
#pragma unroll
  for (int i = 1; i <= DEGREE; i++) {
    term *= (1 - x * x) * ((i - 0.5) / i);
    sum += term;
  }
  return sum;
}

/* What a level (top: 1) interpolates, in units of 1 / its h, at a distance in nodes. */
static __device__ __forceinline__ double part_of(multilevel m, int top, double distance) {
  double x = distance / m.ratio, value = softened(x) / m.ratio;
  return top ? value : value - softened(x / 2) / (2 * m.ratio);
}

/* Parts are taken at 0..longest + FILTER2 in each dimension, and filtered to 0..longest, along x, y,
 * z. Two sets, one after the other: a level's, and the top's (blockIdx.y). */
static __device__ __forceinline__ int wanted_of(multilevel m) {
  return m.longest + 1;
}
static __device__ __forceinline__ int taken_of(multilevel m) {
  return m.longest + 1 + FILTER2;
}

extern "C" __global__ void take_parts(multilevel m, double *parts) {
  const int taken = taken_of(m), top = blockIdx.y, n = taken * taken * taken;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = i % taken, y = i / taken % taken, z = i / taken / taken;
  parts[top * n + i] = part_of(m, top, sqrt((double)(x * x + y * y + z * z)));
}

/* An even function, of which values at 0, 1, ... lie `stride` apart, filtered at one of them. */
static __device__ __forceinline__ double filtered(const layout *l, int top, const double *line,
                                                  int stride, int at) {
  const double *filter = l->filter[top];
  const int reach = top ? FILTER2 : FILTER;
  double sum = filter[0] * line[at * stride];
  for (int t = 1; t <= reach; t++)
    sum += filter[t] * (line[abs(at - t) * stride] + line[(at + t) * stride]);
  return sum;
}

/* x of wanted, y and z of taken. */
extern "C" __global__ void filter_x(multilevel m, const layout *l, const double *in, double *out) {
  const int wanted = wanted_of(m), taken = taken_of(m), top = blockIdx.y;
  const int n = wanted * taken * taken, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = i % wanted, yz = i / wanted;
  out[top * n + i] = filtered(l, top, in + (top * taken * taken + yz) * taken, 1, x);
}

/* x and y of wanted, z of taken. */
extern "C" __global__ void filter_y(multilevel m, const layout *l, const double *in, double *out) {
  const int wanted = wanted_of(m), taken = taken_of(m), top = blockIdx.y;
  const int n = wanted * wanted * taken, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = i % wanted, y = i / wanted % wanted, z = i / wanted / wanted;
  out[top * n + i] = filtered(l, top, in + (top * taken + z) * taken * wanted + x, wanted, y);
}

/* Rows of weights along z for cut_off: dz from -reach - CUT_Z on, as many as its vectors reach. */
static __device__ __forceinline__ int row_of(multilevel m) {
  return (2 * m.reach + 3 * CUT_Z + 3) / 4 * 4;
}

/* A level's weights go to rows, [|dy|][|dx|][dz], zero where nothing is written; the top's to
 * [|dz|][|dy|][|dx|]. */
extern "C" __global__ void filter_z(multilevel m, const layout *l, const double *in, float *rows,
                                    float *all) {
  const int wanted = wanted_of(m), taken = taken_of(m), top = blockIdx.y;
  const int n = wanted * wanted * wanted, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = i % wanted, y = i / wanted % wanted, z = i / wanted / wanted;
  double value = filtered(l, top, in + (top * taken * wanted + y) * wanted + x, wanted * wanted, z);
  if (top) {
    all[i] = (float)(value / ldexp(m.h, m.n_levels - 1));
  } else if (x * x + y * y + z * z <= m.reach * m.reach) {
    float *row = rows + (y * (m.reach + 1) + x) * row_of(m) + m.reach + CUT_Z;
    row[z] = row[-z] = (float)(value / m.h);
  }
}

#endif
