#include "harness/problems/ewald.h"

#include "harness/base/interrupt.h"

#include <math.h>
#include <stdlib.h>

/* With a splitting of 1/r by alpha, terms of the real space end at REACH / alpha and those of the
 * reciprocal space at 2 alpha REACH: erfc(6) is 2e-17 and exp(-36) 2e-16. */
static const double PI = 3.14159265358979323846, REACH = 6;

/* Of sites and of points, whose phases are tabulated at a time. */
enum { BLOCK = 256 };

/* Wave vectors 2 pi (x / Lx, y / Ly, z / Lz), |x| <= m[0] ..., of which those with x >= 0 are kept:
 * a row of z = 0..m[2] for each x and y. */
typedef struct {
  double cell[3], alpha, volume, charge, coincident;
  int m[3];
  int rows;    /* (m[0] + 1) (2 m[1] + 1) */
  double *sum; /* [rows][4][m[2] + 1]: Re and Im of S(x, y, z), then of S(x, y, -z), weighted */
} lattice;

/* exp(2 pi i k r / L) of a block of places, for k = 0..m of each dimension. */
typedef struct {
  double *re[3], *im[3]; /* [m + 1][BLOCK] */
  double *memory;
} phases;

double dcs_nearest_image(double difference, double edge) {
  return difference - edge * nearbyint(difference / edge);
}

/* ---- tables ---- */

static bool phases_allocate(const lattice *l, phases *p) {
  const int rows = l->m[0] + l->m[1] + l->m[2] + 3;
  p->memory = malloc((size_t)rows * 2 * BLOCK * sizeof *p->memory);
  double *next = p->memory;
  for (int d = 0; d < 3 && next; d++) {
    p->re[d] = next;
    p->im[d] = next + (size_t)(l->m[d] + 1) * BLOCK;
    next += (size_t)(l->m[d] + 1) * 2 * BLOCK;
  }
  return next != NULL;
}

/* Each from the one before it and the first: an error of at most m ulps. */
static void tabulate(const lattice *l, phases *p, int b, const double r[3]) {
  for (int d = 0; d < 3; d++) {
    const double angle = 2 * PI * dcs_nearest_image(r[d], l->cell[d]) / l->cell[d];
    const double c = cos(angle), s = sin(angle);
    double re = 1, im = 0;
    for (int k = 0; k <= l->m[d]; k++) {
      p->re[d][k * BLOCK + b] = re;
      p->im[d][k * BLOCK + b] = im;
      const double next = re * c - im * s;
      im = re * s + im * c;
      re = next;
    }
  }
}

/* Re and Im of exp(i (kx rx + ky ry)) for a row, ky of either sign. */
static void row_phase(const lattice *l, const phases *p, int row, int b, double out[2]) {
  const int x = row / (2 * l->m[1] + 1), y = row % (2 * l->m[1] + 1) - l->m[1];
  const int ix = x * BLOCK + b, iy = abs(y) * BLOCK + b;
  const double yr = p->re[1][iy], yi = y < 0 ? -p->im[1][iy] : p->im[1][iy];
  out[0] = p->re[0][ix] * yr - p->im[0][ix] * yi;
  out[1] = p->re[0][ix] * yi + p->im[0][ix] * yr;
}

/* The square of a wave vector, and of the largest that counts. */
static double k2_of(const lattice *l, int row, int z) {
  const int x = row / (2 * l->m[1] + 1), y = row % (2 * l->m[1] + 1) - l->m[1];
  const double k[3] = {x / l->cell[0], y / l->cell[1], z / l->cell[2]};
  return 4 * PI * PI * (k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
}

static double most_k2(const lattice *l) {
  return 4 * l->alpha * l->alpha * REACH * REACH;
}

/* How many z = 0.. of a row count. */
static int row_length(const lattice *l, int row) {
  const double left = most_k2(l) - k2_of(l, row, 0);
  if (left < 0) return 0;
  const int z = (int)(sqrt(left) * l->cell[2] / (2 * PI)) + 1;
  return z < l->m[2] + 1 ? z : l->m[2] + 1;
}

/* ---- the reciprocal space ---- */

/* Adds a block of sites to the sums of a row. */
static void add_row(const lattice *l, const phases *p, int row, const double *charges, int n,
                    double *sums) {
  double re[BLOCK], im[BLOCK];
  const int length = row_length(l, row), stride = l->m[2] + 1;
  for (int b = 0; b < n && length > 0; b++) {
    double phase[2];
    row_phase(l, p, row, b, phase);
    re[b] = charges[b] * phase[0];
    im[b] = charges[b] * phase[1];
  }
  for (int z = 0; z < length; z++) {
    const double *zr = p->re[2] + (size_t)z * BLOCK, *zi = p->im[2] + (size_t)z * BLOCK;
    double rr = 0, ii = 0, ri = 0, ir = 0;
#pragma omp simd reduction(+ : rr, ii, ri, ir)
    for (int b = 0; b < n; b++) {
      rr += re[b] * zr[b];
      ii += im[b] * zi[b];
      ri += re[b] * zi[b];
      ir += im[b] * zr[b];
    }
    sums[z] += rr - ii;
    sums[stride + z] += ri + ir;
    sums[2 * stride + z] += rr + ii;
    sums[3 * stride + z] += ir - ri;
  }
}

/* 4 pi / V exp(-k^2 / 4 alpha^2) / k^2: twice where -k is not among those kept. */
static void weigh(lattice *l) {
  const int stride = l->m[2] + 1;
  for (int row = 0; row < l->rows; row++)
    for (int z = 0; z < stride; z++) {
      const double k2 = k2_of(l, row, z), a2 = l->alpha * l->alpha;
      double w = 4 * PI / l->volume * exp(-k2 / (4 * a2)) / k2;
      if (row > 2 * l->m[1]) w *= 2;
      if (k2 == 0 || k2 > most_k2(l)) w = 0;
      for (int part = 0; part < 4; part++) /* of z = 0, S(x, y, -z) is the same one */
        l->sum[((size_t)row * 4 + (size_t)part) * (size_t)stride + (size_t)z] *=
            z == 0 && part >= 2 ? 0 : w;
    }
}

/* The structure factors S(k) = sum of q exp(i k r), weighted. Each thread has rows of its own. */
static dcs_status sum_charges(lattice *l, const dcs_site *sites, int64_t n_sites) {
  const size_t row_size = 4 * (size_t)(l->m[2] + 1);
  double charges[BLOCK];
  phases p = {0};
  if (!phases_allocate(l, &p)) return dcs_fail(DCS_UNAVAILABLE, "no memory for an Ewald sum");
  for (int64_t first = 0; first < n_sites && !dcs_interrupted(); first += BLOCK) {
    const int n = (int)(n_sites - first < BLOCK ? n_sites - first : BLOCK);
    for (int b = 0; b < n; b++) {
      const dcs_site *s = &sites[first + b];
      charges[b] = s->q;
      tabulate(l, &p, b, (double[3]){s->x, s->y, s->z});
    }
#pragma omp parallel for schedule(dynamic, 16)
    for (int row = 0; row < l->rows; row++)
      add_row(l, &p, row, charges, n, l->sum + (size_t)row * row_size);
  }
  free(p.memory);
  weigh(l);
  return DCS_OK;
}

/* The sum over wave vectors of Re(S* exp(i k r)) at place b of a block. */
static double reciprocal(const lattice *l, const phases *p, int b) {
  const int stride = l->m[2] + 1;
  double v = 0;
  for (int row = 0; row < l->rows; row++) {
    const double *s = l->sum + (size_t)row * 4 * (size_t)stride;
    const int length = row_length(l, row);
    double phase[2], re = 0, im = 0;
    for (int z = 0; z < length; z++) {
      const double c = p->re[2][z * BLOCK + b], d = p->im[2][z * BLOCK + b];
      const double ar = s[z], ai = -s[stride + z], br = s[2 * stride + z], bi = -s[3 * stride + z];
      re += (ar + br) * c - (ai - bi) * d;
      im += (ai + bi) * c + (ar - br) * d;
    }
    row_phase(l, p, row, b, phase);
    v += phase[0] * re - phase[1] * im;
  }
  return v;
}

/* ---- the real space ---- */

/* Of the images of a place, `d` from the point along an edge, within reach: the first, and how
 * many.
 */
static int images_along(double d, double edge, double reach, double *first) {
  *first = d - edge * floor((d + reach) / edge);
  return *first > reach ? 0 : 1 + (int)floor((reach - *first) / edge);
}

/* What one image adds, r from the point. */
static double image(const lattice *l, double q, double r) {
  if (r * l->alpha > REACH) return 0;
  if (r < l->coincident) return -q * 2 * l->alpha / sqrt(PI); /* limit of erfc(alpha r)/r - 1/r */
  return q * erfc(l->alpha * r) / r;
}

/* The images of one site, `d` from the point. */
static double images(const lattice *l, double q, const double d[3]) {
  double first[3], v = 0;
  int n[3];
  for (int e = 0; e < 3; e++)
    n[e] = images_along(d[e], l->cell[e], REACH / l->alpha, &first[e]);
  for (int i = 0; i < n[0]; i++)
    for (int j = 0; j < n[1]; j++)
      for (int k = 0; k < n[2]; k++) {
        const double x = first[0] + l->cell[0] * i, y = first[1] + l->cell[1] * j,
                     z = first[2] + l->cell[2] * k;
        v += image(l, q, sqrt(x * x + y * y + z * z));
      }
  return v;
}

static double real(const lattice *l, const dcs_site *sites, int64_t n_sites, const double r[3]) {
  double v = 0;
  for (int64_t a = 0; a < n_sites; a++) {
    const dcs_site *s = &sites[a];
    if (s->q == 0) continue;
    v += images(l, s->q,
                (double[3]){dcs_nearest_image(r[0] - s->x, l->cell[0]),
                            dcs_nearest_image(r[1] - s->y, l->cell[1]),
                            dcs_nearest_image(r[2] - s->z, l->cell[2])});
  }
  return v;
}

/* ---- both ---- */

/* With s = alpha V^(1/3), the reciprocal space costs (sites + points) 15 s^3 terms, and the real
 * space sites times points (900 / s^3 terms that cost some 20 times as much, and a test): the least
 * is where s^6 is about 1200 sites points / (sites + points). */
static double choose_alpha(double volume, double sites, double points) {
  const double s = pow(1200 * sites * points / (sites + points), 1.0 / 6);
  return fmin(fmax(s, 2), 14) / cbrt(volume);
}

static dcs_status make(const dcs_site *sites, int64_t n_sites, int64_t n_points, lattice *l) {
  l->volume = l->cell[0] * l->cell[1] * l->cell[2];
  l->alpha = choose_alpha(l->volume, (double)n_sites, (double)n_points);
  for (int d = 0; d < 3; d++)
    l->m[d] = (int)(sqrt(most_k2(l)) * l->cell[d] / (2 * PI));
  l->rows = (l->m[0] + 1) * (2 * l->m[1] + 1);
  for (int64_t a = 0; a < n_sites; a++)
    l->charge += sites[a].q;
  l->sum = calloc((size_t)l->rows * 4 * (size_t)(l->m[2] + 1), sizeof *l->sum);
  if (!l->sum) return dcs_fail(DCS_UNAVAILABLE, "no memory for an Ewald sum");
  return sum_charges(l, sites, n_sites);
}

static void evaluate(const lattice *l, const dcs_site *sites, int64_t n_sites,
                     const double (*points)[3], int n, double *v, phases *p) {
  for (int b = 0; b < n; b++) {
    tabulate(l, p, b, points[b]);
    v[b] = reciprocal(l, p, b) + real(l, sites, n_sites, points[b]) -
           PI * l->charge / (l->alpha * l->alpha * l->volume);
  }
}

dcs_status dcs_ewald(const dcs_site *sites, int64_t n_sites, const double cell[3],
                     double coincident, const double (*points)[3], int64_t n, double *v) {
  enum { PART = 8 }; /* points that a thread takes */
  lattice l = {.cell = {cell[0], cell[1], cell[2]}, .coincident = coincident};
  bool memory = true;
  dcs_status status = make(sites, n_sites, n, &l);
  if (status == DCS_OK) {
#pragma omp parallel for schedule(dynamic)
    for (int64_t first = 0; first < n; first += PART) {
      phases p = {0};
      if (dcs_interrupted()) continue;
      if (phases_allocate(&l, &p))
        evaluate(&l, sites, n_sites, points + first, (int)(n - first < PART ? n - first : PART),
                 v + first, &p);
      else
        memory = false;
      free(p.memory);
    }
  }
  free(l.sum);
  if (status == DCS_OK && !memory) status = dcs_fail(DCS_UNAVAILABLE, "no memory for an Ewald sum");
  return status;
}
