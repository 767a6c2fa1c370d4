/* The engine of several devices, in the files that implement it: the threads that drive them
 * (engine_several_members.c), how a map is shared (engine_several_map.c), problems and methods
 * (engine_several.c). */
#ifndef DCS_ENGINE_SEVERAL_H
#define DCS_ENGINE_SEVERAL_H

#include "harness/engine/device/engine.h"

#include <pthread.h>

typedef struct {
  char label[DCS_DEVICE_LABEL]; /* for messages */
  dcs_device_engine *e;         /* NULL: not open */
  bool gone;                    /* failed: it gets no work any more */
  bool told;                    /* that it is gone */
  dcs_outcome outcome;          /* of the last request; why, when it is not ok */
  char why[2 * DCS_TEXT];
  dcs_code_facts facts; /* of the method prepared last */
} dcs_member;

typedef struct {
  dcs_engine engine;
  char text[DCS_TEXT]; /* the devices as they were named */
  dcs_member members[DCS_MAX_DEVICES];
  int n;
  const dcs_kind *kind;
  const dcs_problem *shape; /* of the problems */
  pthread_mutex_t lock;     /* of what follows */
  pthread_cond_t changed;   /* slices were given back, computed or done; or all threads are there */
  int threads;              /* that work on the request; 0: they wait until all are started */
  dcs_share share;          /* its speeds are kept from map to map */
} dcs_several;

/* Does one thing on every device that is left, from `first` on, each in a thread of its own. */
typedef void dcs_member_task(dcs_several *several, dcs_member *member, void *arg);
void dcs_each_member(dcs_several *several, int first, dcs_member_task *task, void *arg);

/* Notes how a request ended on a device, with the calling thread's message; a device that failed
 * otherwise than in compiling is gone. */
void dcs_member_ended(dcs_member *member, dcs_outcome outcome);

/* Computes `inner` maps by the method of that slot, which every device that is left has prepared.
 * *ns is the time from when all devices are ready for the first map until the last device is done
 * with the last map. Devices that fail are gone afterwards, with the reason. */
void dcs_share_maps(dcs_several *several, int slot, dcs_scope scope, int64_t inner, double *ns);

#endif
