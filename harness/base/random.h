/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014): a
 * small seeded generator whose stream is the same on every machine. */
#ifndef DCS_RANDOM_H
#define DCS_RANDOM_H

#include <stdint.h>

typedef struct {
  uint64_t state;
} dcs_random;

static inline uint64_t dcs_random_next(dcs_random *random) {
  uint64_t z = random->state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Uniform in [0, 1), 53 bits. */
static inline double dcs_random_unit(dcs_random *random) {
  return (double)(dcs_random_next(random) >> 11) * 0x1p-53;
}

/* Uniform in 0..n-1 (n >= 1; the bias is below n/2^64). */
static inline int64_t dcs_random_below(dcs_random *random, int64_t n) {
  return (int64_t)(((unsigned __int128)dcs_random_next(random) * (uint64_t)n) >> 64);
}

/* Each order of list[n] with the same probability. */
static inline void dcs_shuffle(dcs_random *random, int *list, int n) {
  for (int i = n - 1; i > 0; i--) {
    int j = (int)dcs_random_below(random, i + 1);
    int swap = list[i];
    list[i] = list[j];
    list[j] = swap;
  }
}

#endif
