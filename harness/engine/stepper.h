/* A problem of a kind with `stepping`, computed step after step by one method in this process.
 *
 * The grid is a whole one, or a slab of it as the kind's fill() makes it: then it has, at each end
 * where it is cut, `halo` slices more, which are a neighbour's. A step is
 *
 *     compute() of the slices that need none of these; at the same time they come to received[]
 *     take(), compute() of the other slices but them
 *     end()
 *
 * and what sent[] then hold is for the neighbours. */
#ifndef DCS_STEPPER_H
#define DCS_STEPPER_H

#include "harness/engine/engine.h"

typedef struct dcs_stepper dcs_stepper;

enum { DCS_BELOW, DCS_ABOVE, DCS_ENDS };

typedef struct {
  const dcs_kind *kind;
  const dcs_variant *variant;
  dcs_config config;
  dcs_problem problem; /* of the grid, with its inputs: the caller's, until it is closed */
  bool cut[DCS_ENDS];
  int64_t halo;
  const char *device, *kernels; /* of a GPU's variant: its name; a folder of .cu files, or NULL */
} dcs_stepped;

struct dcs_stepper {
  /* Host memory for `halo` slices; NULL where the grid is not cut. They may be others after each
   * end(), and hold what they hold until the next take() (received) or end() (sent). */
  float *sent[DCS_ENDS], *received[DCS_ENDS];
  /* Of the last step: what the device computed between its first compute() and take(), at the same
   * time as the host did other things; 0 where the host computes. */
  double beside_ns;
  bool beside; /* compute() returns before it is done */
  /* Slices from..end-1 of the grid after the step. */
  dcs_status (*compute)(dcs_stepper *, int64_t from, int64_t end);
  dcs_status (*take)(dcs_stepper *);
  dcs_status (*end)(dcs_stepper *);
  /* Undoes the last end(), once. */
  dcs_status (*back)(dcs_stepper *);
  /* All slices of the grid as they are now, in host memory until the next step. */
  dcs_status (*values)(dcs_stepper *, const float **values);
  void (*close)(dcs_stepper *);
};

/* DCS_UNAVAILABLE where memory, device or compiler are missing, or the variant cannot compute the
 * problem; DCS_FAILED where its kernel does not compile. The CPU's writes over the problem's input
 * that is stepped. */
dcs_status dcs_stepper_open(const dcs_stepped *stepped, dcs_stepper **stepper);
/* What that calls for variants of the CPU and of GPUs. */
dcs_status dcs_stepper_open_cpu(const dcs_stepped *stepped, dcs_stepper **stepper);
dcs_status dcs_stepper_open_device(const dcs_stepped *stepped, dcs_stepper **stepper);

/* Floats from one slice to the next. */
static inline int64_t dcs_slice_of(const dcs_stepped *s) {
  return s->problem.n.x * s->problem.n.y;
}
/* Where the slices begin that are sent to the neighbour at that end, and those that come from it.
 */
static inline int64_t dcs_sent_from(const dcs_stepped *s, int end) {
  return end == DCS_BELOW ? s->halo : s->problem.n.z - 2 * s->halo;
}
static inline int64_t dcs_received_at(const dcs_stepped *s, int end) {
  return end == DCS_BELOW ? 0 : s->problem.n.z - s->halo;
}

#endif
