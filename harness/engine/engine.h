/* An engine computes problems of one shape by several prepared methods. One implementation for the
 * CPU, one for the device interface; both live in the worker process only. */
#ifndef DCS_ENGINE_H
#define DCS_ENGINE_H

#include "harness/base/outcome.h"
#include "harness/device/device.h"
#include "harness/device/devices.h"
#include "harness/problems/case.h"
#include "kernels/common/phase.h"

typedef struct dcs_engine dcs_engine;

/* Every function that returns an outcome other than DCS_OUTCOME_OK leaves the reason in
 * dcs_error_message(). */
struct dcs_engine {
  /* Takes inputs and shape, which all problems share; methods prepared before are forgotten.
   * out[b], of the kind's buffers that are outputs, receive the results; they, shape and inputs
   * stay valid until the next. */
  dcs_outcome (*take)(dcs_engine *, const dcs_kind *, const dcs_problem *shape,
                      void *const out[DCS_MAX_BUFFERS]);
  /* From now on `out` receives the results; all else stays. */
  void (*redirect)(dcs_engine *, void *const out[DCS_MAX_BUFFERS]);
  /* Makes the method ready under a slot number for the problem of these values of the kind's
   * parameters; in a worker that replaces another the numbers come in any order. */
  dcs_outcome (*prepare)(dcs_engine *, int slot, const dcs_config *problem, const dcs_variant *,
                         const dcs_config *, dcs_code_facts *facts);
  /* The method of that slot computes another problem of the shape from now on: other inputs, where
   * they lay before. NULL on the CPU, where problems are looked at when they are computed. */
  dcs_outcome (*replan)(dcs_engine *, int slot, const dcs_problem *problem, const dcs_plan *plan);
  /* The shape, which is the owner's, has become another slab of the same grid and inputs, and `out`
   * receives it: the method of that slot, of a variant with `slabs`, computes it from now on, with
   * what it has in common with the slab before. plan: of a device. */
  dcs_outcome (*move)(dcs_engine *, int slot, const dcs_plan *plan,
                      void *const out[DCS_MAX_BUFFERS]);
  /* Computes the outputs `inner` times, once in the untimed scopes; *ns is the time of all of them
   * together (0 when untimed), without what flushes caches before each of a kind with cold data.
   * Where copies are part of the scope, a device has the buffers in that kind of memory; what it
   * lacks is DCS_OUTCOME_INAPPLICABLE. The result lies in `out` afterwards; on a device in the
   * untimed scopes alone. */
  dcs_outcome (*run)(dcs_engine *, int slot, dcs_scope scope, dcs_memory memory, int64_t inner,
                     double *ns);
  /* Computes the outputs once, as in scope kernel, and adds the time of each phase of the method:
   * of a device's plan each step, one after another, which takes longer than all at once; of the
   * CPU what the variant calls phases. None: the method has no parts, or the device no times. NULL
   * where there are several devices. */
  dcs_outcome (*time_phases)(dcs_engine *, int slot, dcs_phases *phases);
  /* The device behind it; NULL on the CPU, and where there are several. */
  dcs_device *device;
  /* All devices that it was opened with, in order; none on the CPU. */
  dcs_device *devices[DCS_MAX_DEVICES];
  int n_devices;
  int64_t flushes; /* of caches, since it was opened */
  /* Which devices failed since this was last emptied, and why, while others did their part; "". */
  char lost[2 * DCS_TEXT];
  void (*close)(dcs_engine *);
};

/* What a method is that could not be loaded: for want of memory, a process or room for files, which
 * is no fault of its own, or one that does not compile. */
static inline dcs_outcome dcs_unloaded(dcs_status status) {
  if (status == DCS_IO) dcs_note_want();
  return dcs_wanted() ? DCS_OUTCOME_MEMORY : DCS_OUTCOME_COMPILE;
}

/* `measured`: what a method is prepared with as a number of threads it has, or it is `not_built`;
 * else it computes with those that OpenMP gives it, within a caller's parallel region one. */
dcs_status dcs_engine_cpu_open(bool measured, dcs_engine **engine);
/* One device. `kernels`: folder to read .cu files from, or NULL for those built in. */
dcs_status dcs_engine_device_open(const char *device, const char *kernels, dcs_engine **engine);
/* The devices that the text names (dcs_device_list_of): one, or several that share every map. One
 * that fails has its work done by the others, as long as there are any, and the map is the same; a
 * timed run then ends as DCS_OUTCOME_LAUNCH, since a time of fewer devices is none of all. */
dcs_status dcs_engine_devices_open(const char *text, const char *kernels, dcs_engine **engine);

#endif
