/* Blocks of frames, and their merging. */
#include "library/frames/average_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points that threads are worth starting for. */
enum { MANY = 1 << 20 };

/* ---- blocks ---- */

static dcs_status no_memory(int64_t points) {
  return dcs_fail(DCS_UNAVAILABLE, "no memory for sums over %lld points", (long long)points);
}

dcs_status dcs_partial_make(int64_t points, bool variance, dcs_partial *p) {
  *p = (dcs_partial){.points = points};
  p->sum = malloc((size_t)points * sizeof *p->sum);
  if (variance) p->m2 = malloc((size_t)points * sizeof *p->m2);
  if (p->sum && (p->m2 || !variance)) return DCS_OK;
  dcs_partial_free(p);
  return no_memory(points);
}

void dcs_partial_free(dcs_partial *p) {
  free(p->sum);
  free(p->m2);
  *p = (dcs_partial){0};
}

static void begin(dcs_partial *p, const float *map) {
#pragma omp parallel for if (p->points > MANY)
  for (int64_t i = 0; i < p->points; i++) {
    p->sum[i] = (double)map[i];
    if (p->m2) p->m2[i] = 0;
  }
}

static void add_with_squares(dcs_partial *p, const float *map) {
  const double n = (double)p->frames, factor = dcs_partial_factor(p->frames);
#pragma omp parallel for if (p->points > MANY)
  for (int64_t i = 0; i < p->points; i++) {
    const double x = (double)map[i], sum = p->sum[i] + x, away = n * x - sum;
    p->sum[i] = sum;
    p->m2[i] += away * away * factor;
  }
}

static void add(dcs_partial *p, const float *map) {
#pragma omp parallel for if (p->points > MANY)
  for (int64_t i = 0; i < p->points; i++)
    p->sum[i] += (double)map[i];
}

void dcs_partial_add(dcs_partial *p, const float *map) {
  p->frames++;
  if (p->frames == 1)
    begin(p, map);
  else if (p->m2)
    add_with_squares(p, map);
  else
    add(p, map);
}

/* ---- opening ---- */

/* Blocks of a long block. */
static int64_t long_blocks(int64_t frames) {
  enum { WANTED = 20 };
  const int64_t blocks = frames / DCS_FRAME_BLOCK / WANTED;
  return blocks > 1 ? blocks : 1;
}

dcs_status dcs_average_open(int64_t points, bool variance, int64_t frames, dcs_average **average) {
  dcs_average *a = calloc(1, sizeof *a);
  *average = NULL;
  if (!a) return no_memory(points);
  a->points = points;
  a->in_long = long_blocks(frames);
  a->n_maps = variance ? DCS_N_AVERAGE_MAPS : 1;
  bool made = true;
  for (int m = 0; m < a->n_maps; m++) {
    a->maps[m] = calloc((size_t)points, sizeof *a->maps[m]);
    made = made && a->maps[m];
  }
  if (made)
    *average = a;
  else
    dcs_average_close(a);
  return made ? DCS_OK : no_memory(points);
}

/* Moves the first of a list to another. */
static void move_early(dcs_early **from, dcs_early **to) {
  dcs_early *early = *from;
  *from = early->next;
  early->next = *to;
  *to = early;
}

void dcs_average_clear(dcs_average *a) {
  while (a->early)
    move_early(&a->early, &a->spare);
}

void dcs_average_close(dcs_average *a) {
  if (!a) return;
  dcs_average_clear(a);
  while (a->spare) {
    dcs_early *next = a->spare->next;
    dcs_partial_free(&a->spare->partial);
    free(a->spare);
    a->spare = next;
  }
  for (int m = 0; m < a->n_maps; m++)
    free(a->maps[m]);
  free(a);
}

/* ---- merging ---- */

/* What `more` values beside `n` add to the squares of deviations: both sums are over so many. */
typedef struct {
  double ratio, factor;
} join;

static join join_of(int64_t n, int64_t more) {
  const double a = (double)n, b = (double)more;
  return n == 0 ? (join){0} : (join){b / a, a / (b * (a + b))};
}

static double away2(join j, double sum, double more) {
  const double away = j.ratio * sum - more;
  return j.factor * away * away;
}

/* The block that is next; `closes` a long block. */
static void merge_squares(dcs_average *a, const dcs_partial *p, bool closes) {
  const join of_frames = join_of(a->frames, p->frames), of_long = join_of(a->n_long, 1);
  double *const *m = a->maps;
#pragma omp parallel for if (a->points > MANY)
  for (int64_t i = 0; i < a->points; i++) {
    m[DCS_AVERAGE_M2][i] += p->m2[i] + away2(of_frames, m[DCS_AVERAGE_SUM][i], p->sum[i]);
    const double in_long = m[DCS_AVERAGE_LONG][i] + p->sum[i];
    if (closes) {
      const double before = m[DCS_AVERAGE_SUM][i] - m[DCS_AVERAGE_LONG][i];
      m[DCS_AVERAGE_LONG_M2][i] += away2(of_long, before, in_long);
    }
    m[DCS_AVERAGE_LONG][i] = closes ? 0 : in_long;
  }
}

static void merge(dcs_average *a, const dcs_partial *p) {
  const bool closes = p->frames == DCS_FRAME_BLOCK && a->blocks % a->in_long == a->in_long - 1;
  if (a->n_maps > 1) merge_squares(a, p, closes);
  double *sum = a->maps[DCS_AVERAGE_SUM];
#pragma omp parallel for if (a->points > MANY)
  for (int64_t i = 0; i < a->points; i++)
    sum[i] += p->sum[i];
  a->frames += p->frames;
  a->atoms = p->atoms;
  a->blocks++;
  a->n_long += closes;
}

static dcs_status make_spare(dcs_average *a) {
  dcs_early *early = calloc(1, sizeof *early);
  if (!early) return no_memory(a->points);
  const dcs_status status = dcs_partial_make(a->points, a->n_maps > 1, &early->partial);
  if (status != DCS_OK) {
    free(early);
    return status;
  }
  a->spare = early;
  return DCS_OK;
}

static void copy_partial(const dcs_partial *from, dcs_partial *to) {
  to->frames = from->frames;
  to->atoms = from->atoms;
#pragma omp parallel for if (from->points > MANY)
  for (int64_t i = 0; i < from->points; i++) {
    to->sum[i] = from->sum[i];
    if (to->m2) to->m2[i] = from->m2[i];
  }
}

dcs_status dcs_average_keep(dcs_average *a, int64_t block, const dcs_partial *p) {
  dcs_early **at = &a->early;
  if (!a->spare) DCS_TRY(make_spare(a));
  copy_partial(p, &a->spare->partial);
  a->spare->block = block;
  while (*at && (*at)->block < block)
    at = &(*at)->next;
  move_early(&a->spare, at);
  return DCS_OK;
}

dcs_status dcs_average_give(dcs_average *a, int64_t block, const dcs_partial *p) {
  if (p->points != a->points || p->frames < 1 || (a->n_maps > 1 && !p->m2))
    return dcs_fail(DCS_USAGE, "block %lld has %lld frames of %lld points; expected %lld points%s",
                    (long long)block, (long long)p->frames, (long long)p->points,
                    (long long)a->points, a->n_maps > 1 ? " with variances" : "");
  if (dcs_average_has(a, block))
    return dcs_fail(DCS_FAILED, "block %lld was given twice", (long long)block);
  if (block > a->blocks) return dcs_average_keep(a, block, p);
  merge(a, p);
  while (a->early && a->early->block == a->blocks) {
    merge(a, &a->early->partial);
    move_early(&a->early, &a->spare);
  }
  return DCS_OK;
}

bool dcs_average_has(const dcs_average *a, int64_t block) {
  if (block < a->blocks) return true;
  const dcs_early *early = a->early;
  while (early && early->block < block)
    early = early->next;
  return early && early->block == block;
}

int64_t dcs_average_merged(const dcs_average *a) {
  return a->blocks;
}

int64_t dcs_average_last(const dcs_average *a, uint64_t *atoms) {
  int64_t last = a->blocks - 1;
  *atoms = a->atoms;
  for (const dcs_early *early = a->early; early; early = early->next) {
    last = early->block;
    *atoms = early->partial.atoms;
  }
  return last;
}

int64_t dcs_average_frames(const dcs_average *a) {
  int64_t frames = a->frames;
  for (const dcs_early *early = a->early; early; early = early->next)
    frames += early->partial.frames;
  return frames;
}

/* ---- the result ---- */

static dcs_status check_whole(const dcs_average *a, bool variance) {
  if (a->early)
    return dcs_fail(DCS_FAILED, "block %lld of the frames is missing", (long long)a->blocks);
  if (a->frames < 1) return dcs_fail(DCS_USAGE, "no frames; a mean needs at least 1");
  if (variance && a->n_maps == 1)
    return dcs_fail(DCS_USAGE, "the variance was not asked for before the frames were added");
  if (variance && a->frames < 2) return dcs_fail(DCS_USAGE, "1 frame; a variance needs at least 2");
  return DCS_OK;
}

/* The variance of the mean at a point. */
static double error2_of(const dcs_average *a, int64_t i) {
  const double frames = (double)a->frames, n = (double)a->n_long;
  if (a->n_long < 2) return a->maps[DCS_AVERAGE_M2][i] / (frames * (frames - 1));
  const double in_long = (double)(a->in_long * DCS_FRAME_BLOCK); /* of sums, not of means */
  return a->maps[DCS_AVERAGE_LONG_M2][i] / (in_long * in_long * n * (n - 1));
}

dcs_status dcs_average_finish(const dcs_average *a, float *mean, float *variance, float *error) {
  DCS_TRY(check_whole(a, variance || error));
  const double frames = (double)a->frames;
#pragma omp parallel for if (a->points > MANY)
  for (int64_t i = 0; i < a->points; i++) {
    if (mean) mean[i] = (float)(a->maps[DCS_AVERAGE_SUM][i] / frames);
    if (variance) variance[i] = (float)(a->maps[DCS_AVERAGE_M2][i] / (frames - 1));
    if (error) error[i] = (float)sqrt(error2_of(a, i));
  }
  return DCS_OK;
}
