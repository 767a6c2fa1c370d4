/* Forces on the CPU: the template that instruction sets instantiate. Each file includes it once,
 * after one of kernels/common/rsqrt_*.h and after defining
 *
 *     FORCES_KERNEL             the dcs_forces_kernel to define
 *
 * and, where the architecture has the instructions,
 *
 *     FORCES_RECIPROCAL(v)      1 / v, off by 4.5 u at most, u = 2^-24
 *     FORCES_ANY(v, most)       whether any lane of v < most
 *
 * A lane is an atom of a cluster; atoms that are within reach of its box come one after another. */
#ifndef DCS_CPU_FORCES_TILE_H
#define DCS_CPU_FORCES_TILE_H

#include "kernels/forces/cpu/forces_atoms.h"

#ifndef TILE_TARGET

const dcs_forces_kernel FORCES_KERNEL = {0};

#else

#include <string.h>

#define FORCES_INLINE TILE_TARGET static inline __attribute__((always_inline))

typedef int32_t tile_mask __attribute__((vector_size(TILE_BYTES)));

enum { LANES = TILE_BYTES / (int)sizeof(float), LISTED = 256, SET_WORDS = 64 };

typedef union {
  tile_vector vector;
  float lane[LANES];
} tile_values;

/* Atoms that are within reach, as they come, and whether a pair with any of the tile's may be
 * excluded, or in the table. */
typedef struct {
  float x[LISTED], y[LISTED], z[LISTED];
  int32_t at[LISTED], suspect[LISTED];
  int n;
} tile_list;

/* The atoms of a tile, whether any is of a type in the table, and their sums. Bit a % 2048 of the
 * set is set if atom a is one of them or excluded with one: few others' are. */
typedef struct {
  const dcs_forces_atoms *atoms;
  const dcs_forces_cluster *cluster;
  tile_values x, y, z, q, half, root;
  tile_vector sum[4]; /* force and energy */
  uint32_t set[SET_WORDS];
  bool in_table;
} tile;

FORCES_INLINE tile_vector choose(tile_mask mask, tile_vector yes, tile_vector no) {
  return (tile_vector)(((tile_mask)yes & mask) | ((tile_mask)no & ~mask));
}

/* Between 0 and 1. */
FORCES_INLINE tile_vector saturated(tile_vector v) {
  const tile_vector zero = {0}, one = zero + 1.0f;
  v = choose((tile_mask)(v > zero), v, zero);
  return choose((tile_mask)(v < one), v, one);
}

/* 2^x for x <= 0; below 2^-125 it is that. See power_of_two() of density_brick.h. */
FORCES_INLINE tile_vector power_of_two(tile_vector lower) {
  const tile_vector least = (tile_vector){0} - 125.0f;
  const tile_vector x = choose((tile_mask)(lower > least), lower, least);
  const tile_vector t = x + 0x1.8p23f, f = x - (t - 0x1.8p23f);
  tile_vector p = f * 0.00132647285f + 0.00967151392f;
  p = p * f + 0.0555073358f;
  p = p * f + 0.240222424f;
  p = p * f + 0.693147004f;
  p = p * f + 1.0f;
  return (tile_vector)((tile_mask)p + ((tile_mask)t << 23));
}

/* erfc(z), from its exponential. */
FORCES_INLINE tile_vector error_function(tile_vector z, tile_vector bell) {
  const tile_vector t = FORCES_RECIPROCAL(1.0f + DCS_FORCES_ERFC_T * z);
  tile_vector p = t * DCS_FORCES_ERFC_P5 + DCS_FORCES_ERFC_P4;
  p = p * t + DCS_FORCES_ERFC_P3;
  p = p * t + DCS_FORCES_ERFC_P2;
  p = p * t + DCS_FORCES_ERFC_P1;
  p = p * t + DCS_FORCES_ERFC_P0;
  return p * t * bell;
}

/* The wells of pairs. */
typedef struct {
  tile_vector minimum, depth;
} tile_wells;

/* Adds the terms of an atom to those of the tile, at squares of distances r2: in lanes beyond the
 * cutoff nothing. */
FORCES_INLINE void add_atom(tile *t, const tile_list *list, int i, tile_vector r2, tile_wells wells,
                            bool ewald, tile_vector sum[4]) {
  const dcs_forces_terms *terms = &t->atoms->terms;
  const int32_t j = list->at[i];
  const tile_vector zero = {0};
  const tile_mask within = (tile_mask)(r2 < terms->cutoff2);
  r2 = choose(within, r2, zero + terms->cutoff2);
  const tile_vector per_r = TILE_RSQRT(r2) * TILE_UNSCALE, per_r2 = per_r * per_r;

  const tile_vector ratio = wells.minimum * per_r, ratio2 = ratio * ratio;
  const tile_vector b = ratio2 * ratio2 * ratio2, depth = wells.depth * b;
  const tile_vector u = saturated(r2 * terms->slope - terms->from);
  const tile_vector on = 1.0f + u * u * (2.0f * u - 3.0f), off = u * (u - 1.0f) * terms->slope;
  const tile_vector well = depth * (b - 2.0f);
  tile_vector energy = well * on;
  tile_vector force = 12.0f * (depth * (b - 1.0f) * on * per_r2 - well * off);

  const tile_vector charges = t->q.vector * t->atoms->sorted.q[j] * per_r;
  if (ewald) {
    const tile_vector bell = power_of_two(r2 * terms->power);
    const tile_vector part = error_function(terms->alpha * (r2 * per_r), bell);
    energy += charges * part;
    force += charges * per_r2 * (part + terms->peak * (r2 * per_r) * bell);
  } else {
    const tile_vector left = 1.0f - r2 * terms->per_cutoff2, product = charges * left;
    energy += product * left;
    force += product * (left * per_r2 + 4.0f * terms->per_cutoff2);
  }
  force = choose(within, force, zero);
  sum[0] += force * (t->x.vector - list->x[i]);
  sum[1] += force * (t->y.vector - list->y[i]);
  sum[2] += force * (t->z.vector - list->z[i]);
  sum[3] += choose(within, energy, zero);
}

/* The list ascends. */
static bool is_excluded(const dcs_forces_atoms *atoms, int32_t a, int32_t b) {
  const int32_t end = atoms->begins[a + 1];
  int32_t e = atoms->begins[a];
  while (e < end && atoms->excluded[e] < b)
    e++;
  return a == b || (e < end && atoms->excluded[e] == b);
}

/* The table's pair of two atoms; NULL: their wells combine. */
static const dcs_pair *find_pair(const dcs_forces_atoms *atoms, int32_t a, int32_t b) {
  const int32_t *types = atoms->types, n = types[atoms->sorted.n_atoms];
  if (types[a] == 0 || types[b] == 0) return NULL;
  return &atoms->table[(int64_t)(types[a] - 1) * n + types[b] - 1];
}

/* Moves atoms of the tile beyond the cutoff that are excluded with place j, and gives others what
 * the table has of a pair. */
TILE_TARGET static __attribute__((noinline)) void look_up(const tile *t, int32_t j, tile_vector *r2,
                                                          tile_wells *wells) {
  const int32_t *atom = t->atoms->sorted.atom;
  tile_values far = {*r2}, minimum = {wells->minimum}, depth = {wells->depth};
  for (int32_t i = t->cluster->first; i < t->cluster->end; i++) {
    const int lane = i - t->cluster->first;
    const dcs_pair *pair = t->in_table ? find_pair(t->atoms, atom[i], atom[j]) : NULL;
    if (is_excluded(t->atoms, atom[i], atom[j])) far.lane[lane] = INFINITY;
    if (pair) minimum.lane[lane] = pair->minimum;
    if (pair) depth.lane[lane] = pair->depth;
  }
  *r2 = far.vector;
  *wells = (tile_wells){minimum.vector, depth.vector};
}

/* Takes the list; its terms are summed apart: in long sums what is small is lost. */
TILE_TARGET static __attribute__((noinline)) void take_list(tile *t, tile_list *list) {
  const bool ewald = t->atoms->terms.alpha > 0;
  const float cutoff2 = t->atoms->terms.cutoff2;
  const dcs_forces_sorted *s = &t->atoms->sorted;
  tile_vector sum[4] = {{0}};
  for (int i = 0; i < list->n; i++) {
    const int32_t j = list->at[i];
    const tile_vector dx = t->x.vector - list->x[i], dy = t->y.vector - list->y[i];
    const tile_vector dz = t->z.vector - list->z[i];
    tile_vector r2 = dx * dx + dy * dy + dz * dz;
    if (!FORCES_ANY(r2, cutoff2)) continue;
    tile_wells wells = {t->half.vector + s->half[j], t->root.vector * s->root[j]};
    if (list->suspect[i]) { /* what has no address stays in registers */
      tile_vector far = r2;
      tile_wells found = wells;
      look_up(t, j, &far, &found);
      r2 = far;
      wells = found;
    }
    if (ewald)
      add_atom(t, list, i, r2, wells, true, sum);
    else
      add_atom(t, list, i, r2, wells, false, sum);
  }
  for (int k = 0; k < 4; k++)
    t->sum[k] += sum[k];
  list->n = 0;
}

/* Lists what a run has within reach, from place `first` on, until the list is full; returns where
 * it ended. */
TILE_TARGET static int32_t list_run(const tile *t, const dcs_forces_run *run, float reach2,
                                    int32_t first, tile_list *list) {
  const dcs_forces_sorted *s = &t->atoms->sorted;
  const int32_t *types = t->in_table ? t->atoms->types : NULL;
  const int32_t end = run->end - first < LISTED - list->n ? run->end : first + LISTED - list->n;
  for (int32_t j = first; j < end; j++) {
    const float x = s->x[j] + run->shift[0], y = s->y[j] + run->shift[1];
    const float z = s->z[j] + run->shift[2];
    const uint32_t bit = (uint32_t)s->atom[j] % (32 * SET_WORDS);
    list->x[list->n] = x;
    list->y[list->n] = y;
    list->z[list->n] = z;
    list->at[list->n] = j;
    list->suspect[list->n] = (t->set[bit / 32] >> bit % 32 & 1) || (types && types[s->atom[j]]);
    list->n += dcs_forces_outside(t->cluster->lo, t->cluster->hi, x, y, z) <= reach2;
  }
  return end;
}

static void add_to_set(tile *t, int32_t atom) {
  const uint32_t bit = (uint32_t)atom % (32 * SET_WORDS);
  t->set[bit / 32] |= 1u << bit % 32;
}

/* Lanes beyond the last atom are as the last. */
TILE_TARGET static void place_tile(const dcs_forces_atoms *atoms, int64_t number, tile *t) {
  const dcs_forces_sorted *s = &atoms->sorted;
  memset(t, 0, sizeof *t);
  t->atoms = atoms;
  t->cluster = &atoms->clusters[number];
  for (int l = 0; l < LANES; l++) {
    const int32_t last = t->cluster->end - 1;
    const int32_t i = t->cluster->first + l < last ? t->cluster->first + l : last;
    t->x.lane[l] = s->x[i];
    t->y.lane[l] = s->y[i];
    t->z.lane[l] = s->z[i];
    t->q.lane[l] = s->q[i];
    t->half.lane[l] = s->half[i];
    t->root.lane[l] = s->root[i];
    t->in_table = t->in_table || atoms->types[s->atom[i]] > 0;
    add_to_set(t, s->atom[i]);
    for (int32_t e = atoms->begins[s->atom[i]]; e < atoms->begins[s->atom[i] + 1]; e++)
      add_to_set(t, atoms->excluded[e]);
  }
}

TILE_TARGET static void store_tile(const tile *t, dcs_force *forces) {
  for (int32_t i = t->cluster->first; i < t->cluster->end; i++) {
    const int l = i - t->cluster->first;
    dcs_force *force = &forces[t->atoms->sorted.atom[i]];
    *force = (dcs_force){t->sum[0][l], t->sum[1][l], t->sum[2][l], 0.5f * t->sum[3][l]};
    dcs_forces_add_special(t->atoms, t->atoms->sorted.atom[i], force);
  }
}

TILE_TARGET static void pull(const dcs_problem *p, int64_t first, int64_t end, float *out) {
  const dcs_forces_atoms *atoms = (const dcs_forces_atoms *)p;
  const float reach2 = dcs_forces_reach2(p);
  tile t;
  tile_list list = {.n = 0};
  for (int64_t c = first; c < end; c++) {
    place_tile(atoms, c, &t);
    dcs_forces_runs runs = dcs_forces_near(&atoms->sorted, t.cluster, reach2);
    dcs_forces_run run;
    while (dcs_forces_next(&runs, &run))
      for (int32_t j = run.first; j < run.end;) {
        j = list_run(&t, &run, reach2, j, &list);
        if (list.n == LISTED) take_list(&t, &list);
      }
    take_list(&t, &list);
    store_tile(&t, (dcs_force *)out);
  }
}

const dcs_forces_kernel FORCES_KERNEL = {pull, LANES};

#endif
#endif
