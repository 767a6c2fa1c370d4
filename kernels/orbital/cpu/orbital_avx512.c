/* Orbitals in AVX-512; see orbital_tile.h. */
#define ORBITAL_KERNELS dcs_orbital_avx512
#define ORBITAL_BYTES   64
#ifdef __x86_64__
#define ORBITAL_TARGET __attribute__((target("avx512f,fma")))
#define ORBITAL_WIDE   2
#define ORBITAL_HIGH   8
#endif
#include "kernels/orbital/cpu/orbital_tile.h"
