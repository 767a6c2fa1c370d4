/* A sum over all images at a few points, by the split of the mesh method and plain sums over atoms
 * and wave vectors: where a few percent are enough, both are short. */
#include "kernels/coulomb/cpu/mesh_rough.h"

#include <math.h>
#include <stdlib.h>

/* Where the split's transform ends, at k a = BETA, it has fallen by exp(-BETA). The reach of the
 * short range part, in units of the cell's mean edge: some 25 wave vectors are left, and of most
 * cells the nearest image alone is within it. */
static const double BETA = 5, OF_EDGE = 0.35;
enum { DEGREE = 5 }; /* of the polynomial, in r^2; its error is below that */

enum {
  BLOCK = 4096, /* atoms that are summed in single precision before double takes over */
  PACK = 64,    /* atoms whose phases are tabulated at a time */
  PARTS = 16    /* of the atoms, for threads; always as many, so that sums are the same */
};

typedef struct {
  double cell[3], volume;
  dcs_split split;
  dcs_radial radial;
  int images[3]; /* this many beside the nearest, on either side */
  int n_waves, most[3];
  int (*wave)[3];   /* of k and -k one */
  double (*sum)[2]; /* of q exp(i k r) over the atoms; of parts behind each other */
} rough;

/* ---- wave vectors ---- */

static double k2_of(const rough *s, const int wave[3]) {
  double k2 = 0;
  for (int d = 0; d < 3; d++)
    k2 += pow(2 * acos(-1) * wave[d] / s->cell[d], 2);
  return k2;
}

/* Writes the wave vectors that count to s->wave, or counts them where that is NULL. */
static void list_waves(rough *s) {
  int *most = s->most;
  const double last = BETA / s->split.a;
  for (int d = 0; d < 3; d++)
    most[d] = (int)(last * s->cell[d] / (2 * acos(-1)));
  s->n_waves = 0;
  for (int z = 0; z <= most[2]; z++)
    for (int y = z ? -most[1] : 0; y <= most[1]; y++)
      for (int x = z || y ? -most[0] : 1; x <= most[0]; x++) {
        const int wave[3] = {x, y, z};
        if (k2_of(s, wave) > last * last) continue;
        for (int d = 0; s->wave && d < 3; d++)
          s->wave[s->n_waves][d] = wave[d];
        s->n_waves++;
      }
}

/* exp(i k r) of a pack of atoms along a dimension, for k = 0..most. */
typedef struct {
  float re[PACK], im[PACK];
} phases;

static void tabulate(const float angles[PACK], int most, phases *table) {
  for (int b = 0; b < PACK; b++) {
    table[0].re[b] = 1;
    table[0].im[b] = 0;
    if (most == 0) continue;
    table[1].re[b] = cosf(angles[b]);
    table[1].im[b] = sinf(angles[b]);
  }
  for (int k = 2; k <= most; k++)
    for (int b = 0; b < PACK; b++) {
      const float re = table[k - 1].re[b], im = table[k - 1].im[b];
      table[k].re[b] = re * table[1].re[b] - im * table[1].im[b];
      table[k].im[b] = re * table[1].im[b] + im * table[1].re[b];
    }
}

/* Adds a pack to the sum of a wave, whose z is not below 0. */
static void add_pack(const int wave[3], const float q[PACK], phases *const tables[3],
                     double sum[2]) {
  const phases *x = &tables[0][abs(wave[0])], *y = &tables[1][abs(wave[1])];
  const phases *z = &tables[2][wave[2]];
  const float x_sign = wave[0] < 0 ? -1 : 1, y_sign = wave[1] < 0 ? -1 : 1;
  float sum_re = 0, sum_im = 0;
#pragma omp simd reduction(+ : sum_re, sum_im)
  for (int b = 0; b < PACK; b++) {
    const float xi = x_sign * x->im[b], yi = y_sign * y->im[b];
    const float re = x->re[b] * y->re[b] - xi * yi, im = x->re[b] * yi + xi * y->re[b];
    sum_re += q[b] * (re * z->re[b] - im * z->im[b]);
    sum_im += q[b] * (re * z->im[b] + im * z->re[b]);
  }
  sum[0] += (double)sum_re;
  sum[1] += (double)sum_im;
}

/* Atoms first..end-1, added to sums that are zero. */
static void sum_part(const rough *s, const dcs_problem *problem, int64_t first, int64_t end,
                     phases *const tables[3], double (*sum)[2]) {
  for (; first < end; first += PACK) {
    float q[PACK] = {0};
    float angles[3][PACK] = {{0}};
    for (int b = 0; b < PACK && first + b < end; b++) {
      const dcs_atom *atom = &dcs_atoms(problem)[first + b];
      const float at[3] = {atom->x, atom->y, atom->z};
      q[b] = atom->q;
      for (int d = 0; d < 3; d++)
        angles[d][b] = at[d] * (float)(2 * acos(-1) / s->cell[d]);
    }
    for (int d = 0; d < 3; d++)
      tabulate(angles[d], s->most[d], tables[d]);
    for (int i = 0; i < s->n_waves; i++)
      add_pack(s->wave[i], q, tables, sum[i]);
  }
}

/* Sums over all atoms for each wave. */
static bool sum_waves(const rough *s, const dcs_problem *problem, int threads) {
  const int64_t n = problem->n_inputs;
  const int rows = s->most[0] + s->most[1] + s->most[2] + 3;
  phases *tables = malloc((size_t)PARTS * (size_t)rows * sizeof *tables);
  (void)threads;
  if (!tables) return false;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (int part = 0; part < PARTS; part++) {
    phases *const x = tables + part * rows, *const y = x + s->most[0] + 1;
    sum_part(s, problem, n * part / PARTS, n * (part + 1) / PARTS,
             (phases *const[3]){x, y, y + s->most[1] + 1}, s->sum + part * s->n_waves);
  }
  for (int part = 1; part < PARTS; part++)
    for (int i = 0; i < s->n_waves; i++)
      for (int c = 0; c < 2; c++)
        s->sum[i][c] += s->sum[part * s->n_waves + i][c];
  free(tables);
  return true;
}

/* What the waves add at a point: that of k is twice its real part, for -k. */
static double waves_at(const rough *s, const float at[3]) {
  const double pi = acos(-1);
  double sum = 0;
  for (int i = 0; i < s->n_waves; i++) {
    const double k2 = k2_of(s, s->wave[i]);
    double phase = 0;
    for (int d = 0; d < 3; d++)
      phase += 2 * pi * s->wave[i][d] / s->cell[d] * (double)at[d];
    sum += 2 * 4 * pi / k2 * dcs_split_transform(&s->split, sqrt(k2)) *
           (s->sum[i][0] * cos(phase) + s->sum[i][1] * sin(phase));
  }
  return sum / s->volume;
}

/* ---- the short range part ---- */

/* The nearest integer; a sum that rounds, for nearbyintf() is a call. */
static inline float nearest(float v) {
  const float shift = 0x1.8p23f;
  return v + shift - shift;
}

/* From the point to the atom's image that is nearest to it. */
static inline float to_nearest(float at, float point, float edge, float per_edge) {
  const float apart = at - point;
  return apart - edge * nearest(apart * per_edge);
}

/* Adds a block of atoms: of each the image that is `beside` cells from the nearest one. */
static void add_block(const rough *s, const dcs_atom *atoms, int64_t n, const int beside[3],
                      dcs_mesh_sample *sample) {
  const float lx = (float)s->cell[0], ly = (float)s->cell[1], lz = (float)s->cell[2];
  const float px = 1 / lx, py = 1 / ly, pz = 1 / lz;
  const float sx = lx * (float)beside[0], sy = ly * (float)beside[1], sz = lz * (float)beside[2];
  const float *at = sample->at, *c = s->radial.c;
  const float reach2 = s->radial.cutoff * s->radial.cutoff;
  float v = 0, w = 0, nearest2 = INFINITY;
#pragma omp simd reduction(+ : v, w) reduction(min : nearest2)
  for (int64_t a = 0; a < n; a++) {
    const float dx = to_nearest(atoms[a].x, at[0], lx, px) + sx, q = atoms[a].q;
    const float dy = to_nearest(atoms[a].y, at[1], ly, py) + sy;
    const float dz = to_nearest(atoms[a].z, at[2], lz, pz) + sz;
    const float r2 = dx * dx + dy * dy + dz * dz, least = r2 > 1 ? r2 : 1;
    const float term = q / sqrtf(least);
    float softened = c[DEGREE];
    for (int i = DEGREE - 1; i >= 0; i--)
      softened = softened * least + c[i];
    v += least < reach2 ? term - q * softened : 0;
    w += term * term;
    nearest2 = r2 < nearest2 ? r2 : nearest2;
  }
  sample->v += (double)v;
  if (beside[0] || beside[1] || beside[2]) return;
  sample->w += (double)w;
  sample->far = sample->far && nearest2 > 1;
}

static void sum_images(const rough *s, const dcs_problem *problem, dcs_mesh_sample *sample) {
  int at[3];
  for (at[2] = -s->images[2]; at[2] <= s->images[2]; at[2]++)
    for (at[1] = -s->images[1]; at[1] <= s->images[1]; at[1]++)
      for (at[0] = -s->images[0]; at[0] <= s->images[0]; at[0]++)
        for (int64_t first = 0; first < problem->n_inputs; first += BLOCK) {
          const int64_t left = problem->n_inputs - first;
          add_block(s, dcs_atoms(problem) + first, left < BLOCK ? left : BLOCK, at, sample);
        }
}

/* ---- both ---- */

static rough split_cell(const dcs_problem *problem) {
  rough s = {.volume = 1};
  dcs_cell_edges(problem, s.cell);
  for (int d = 0; d < 3; d++)
    s.volume *= s.cell[d];
  s.split = (dcs_split){OF_EDGE * cbrt(s.volume), BETA};
  for (int d = 0; d < 3; d++)
    s.images[d] = (int)ceil(fmax(s.split.a / s.cell[d] - 0.5, 0));
  const dcs_split_series series = dcs_split_expand(&s.split);
  dcs_radial_fit(dcs_split_softened, &series, s.split.a, DEGREE, &s.radial);
  return s;
}

/* What the background takes away: the short range part has the mean 0, as have the waves. */
static double background_of(const rough *s, const dcs_problem *problem) {
  double charge = 0;
  for (int64_t a = 0; a < problem->n_inputs; a++)
    charge += (double)dcs_atoms(problem)[a].q;
  return 4 * acos(-1) * dcs_split_spread(&s->split) * charge / s->volume;
}

bool dcs_mesh_sum_images(const dcs_problem *problem, int threads, dcs_mesh_sample *samples, int n) {
  rough s = split_cell(problem);
  const double background = background_of(&s, problem);
  list_waves(&s);
  s.wave = malloc(((size_t)s.n_waves + 1) * sizeof *s.wave);
  s.sum = calloc(((size_t)s.n_waves + 1) * PARTS, sizeof *s.sum);
  bool has_memory = s.wave && s.sum;
  if (has_memory) list_waves(&s);
  has_memory = has_memory && sum_waves(&s, problem, threads);
  if (has_memory) {
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (int i = 0; i < n; i++) {
      samples[i].far = true;
      sum_images(&s, problem, &samples[i]);
      samples[i].v += waves_at(&s, samples[i].at) - background;
    }
  }
  free(s.wave);
  free(s.sum);
  return has_memory;
}
