/* DCD trajectories that tests write: CHARMM's flavour, of this machine's byte order. */
#ifndef DCS_TEST_WRITTEN_DCD_H
#define DCS_TEST_WRITTEN_DCD_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int32_t atoms, frames;
  double edge;   /* of frame 0's cubic cell, angstrom; 0: no cells */
  double growth; /* of the edge, a frame */
  float (*place)(int frame, int atom, int axis);
} written_dcd;

static inline void put_record(FILE *out, const void *data, int32_t bytes) {
  assert_int_equal(fwrite(&bytes, sizeof bytes, 1, out), 1);
  assert_int_equal(fwrite(data, 1, (size_t)bytes, out), bytes);
  assert_int_equal(fwrite(&bytes, sizeof bytes, 1, out), 1);
}

static inline void put_dcd_header(FILE *out, const written_dcd *d) {
  int32_t header[21] = {[1] = d->frames, [11] = d->edge > 0, [20] = 24};
  char titles[84] = {1};
  memcpy(header, "CORD", 4);
  put_record(out, header, sizeof header);
  put_record(out, titles, sizeof titles);
  put_record(out, &d->atoms, sizeof d->atoms);
}

static inline void put_dcd_frame(FILE *out, const written_dcd *d, int frame, float *values) {
  const double edge = d->edge + frame * d->growth, cell[6] = {edge, 0, edge, 0, 0, edge};
  if (d->edge > 0) put_record(out, cell, sizeof cell);
  for (int axis = 0; axis < 3; axis++) {
    for (int a = 0; a < d->atoms; a++)
      values[a] = d->place(frame, a, axis);
    put_record(out, values, d->atoms * 4);
  }
}

static inline void write_dcd(const char *path, const written_dcd *d) {
  FILE *out = fopen(path, "w");
  float *values = malloc((size_t)d->atoms * sizeof *values);
  assert_true(out && values);
  put_dcd_header(out, d);
  for (int frame = 0; frame < d->frames; frame++)
    put_dcd_frame(out, d, frame, values);
  free(values);
  assert_int_equal(fclose(out), 0);
}

#endif
