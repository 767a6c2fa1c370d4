/* Orbitals in AVX2; see orbital_tile.h. */
#define ORBITAL_KERNELS dcs_orbital_avx2
#define ORBITAL_BYTES   32
#ifdef __x86_64__
#define ORBITAL_TARGET __attribute__((target("avx2,fma")))
#define ORBITAL_WIDE   2
#define ORBITAL_HIGH   4
#endif
#include "kernels/orbital/cpu/orbital_tile.h"
