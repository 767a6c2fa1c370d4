/* Numbers and markers as they lie in a DCD file. */
#ifndef DCS_DCD_NUMBERS_H
#define DCS_DCD_NUMBERS_H

#include "harness/input/dcd/trajectory.h"

#include <string.h>

#define DCS_DCD_LARGEST 1e7F /* coordinate, angstrom */
enum { DCS_DCD_CELL_BYTES = 48 };

static inline uint32_t dcs_dcd_integer_at(const char *from, bool swapped) {
  uint32_t value;
  memcpy(&value, from, sizeof value);
  return swapped ? __builtin_bswap32(value) : value;
}

static inline float dcs_dcd_float_at(const char *from, bool swapped) {
  const uint32_t bits = dcs_dcd_integer_at(from, swapped);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline double dcs_dcd_double_at(const char *from, bool swapped) {
  uint64_t bits;
  double value;
  memcpy(&bits, from, sizeof bits);
  if (swapped) bits = __builtin_bswap64(bits);
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t dcs_dcd_marker_at(const char *from, const dcs_dcd *dcd) {
  uint64_t value;
  if (!dcd->wide) return dcs_dcd_integer_at(from, dcd->swapped);
  memcpy(&value, from, sizeof value);
  return dcd->swapped ? __builtin_bswap64(value) : value;
}

static inline size_t dcs_dcd_marker_bytes(const dcs_dcd *dcd) {
  return dcd->wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

#endif
