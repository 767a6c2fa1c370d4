/* libchemfiles, version 0.10, opened at run time: trajectories whose formats are not read here.
 * Names and types are those of its C interface (chemfiles.org). */
#ifndef DCS_CHEMFILES_H
#define DCS_CHEMFILES_H

#include "kernels/status.h"

#include <stdint.h>

/* Returns of functions: 0, or last_error() says what is wrong. */
typedef struct {
  const char *(*version)(void);
  const char *(*last_error)(void);
  int (*set_warning_callback)(void (*callback)(const char *message));
  void *(*trajectory_with_format)(const char *path, char mode, const char *format); /* or NULL */
  int (*trajectory_close)(const void *trajectory);
  int (*trajectory_nsteps)(void *trajectory, uint64_t *steps);
  int (*trajectory_read_step)(void *trajectory, uint64_t step, void *frame);
  void *(*frame)(void);                                                   /* or NULL */
  int (*frame_positions)(void *frame, double (**places)[3], uint64_t *n); /* angstrom */
  void *(*cell_from_frame)(void *frame);                                  /* or NULL */
  int (*cell_lengths)(const void *cell, double lengths[3]); /* angstrom; 0: there is no cell */
  int (*cell_angles)(const void *cell, double angles[3]);   /* degrees */
  int (*free)(const void *object);
} dcs_chemfiles;

/* Opens it once: the file that the environment's DCS_CHEMFILES names, or the loader's
 * libchemfiles.so.0.10 or libchemfiles.so. DCS_UNAVAILABLE says what would help. */
dcs_status dcs_chemfiles_open(const dcs_chemfiles **library);

#endif
