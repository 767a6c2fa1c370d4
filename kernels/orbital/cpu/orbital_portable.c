/* Orbitals in portable vectors; see orbital_tile.h. */
#define ORBITAL_KERNELS dcs_orbital_portable
#define ORBITAL_BYTES   16
#define ORBITAL_TARGET
#define ORBITAL_WIDE 2
#define ORBITAL_HIGH 4
#include "kernels/orbital/cpu/orbital_tile.h"
