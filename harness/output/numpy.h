/* Arrays of NumPy, as NEP 1 has them: a header of text, and the values. */
#ifndef DCS_NUMPY_H
#define DCS_NUMPY_H

#include "harness/output/field.h"

enum { DCS_NPY_HEAD = 1024 };

/* The head of an array of so many axes (0: one value), in C order; type as NumPy names it: "<f4".
 * Returns its length, a multiple of 64. */
int dcs_npy_head(char head[DCS_NPY_HEAD], const char *type, const int64_t *shape, int axes);

typedef struct {
  char type[16];
  bool x_fastest; /* fortran_order */
  int axes;
  int64_t shape[4];
} dcs_npy;

/* Reads an array's head; `what` is what messages call it. */
dcs_status dcs_npy_read_head(FILE *in, const char *what, dcs_npy *array);
/* The values that follow the head of a map: three axes of single or double precision. */
dcs_status dcs_npy_read_map(FILE *in, const char *what, const dcs_npy *array, dcs_field *field);

/* Writes the map's head and its values, z fastest; *crc is the checksum of both (NULL: of no use).
 */
dcs_status dcs_npy_write_map(FILE *out, const dcs_field *field, uint32_t *crc);

#endif
