/* Monotonic wall clock. */
#ifndef DCS_CLOCK_H
#define DCS_CLOCK_H

#include <time.h>

static inline double dcs_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

#endif
