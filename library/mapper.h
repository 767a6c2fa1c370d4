/* The inside of the library's handle. */
#ifndef DCS_MAPPER_H
#define DCS_MAPPER_H

#include "harness/engine/engine.h"
#include "harness/problems/methods.h"
#include "library/map_slabs.h"
#include "tuning/dispatch/dispatch.h"

#include <pthread.h>
#include <sys/types.h>

/* A method that was checked on this machine by this handle. */
typedef struct {
  dcs_method method;
  bool good;
  char why[DCS_TEXT]; /* not good: what failed */
} dcs_checked;

/* What an engine stands ready for: the same again needs no preparing. */
typedef struct {
  dcs_problem shape; /* config: of the method */
  dcs_method method; /* in slot 0; variant NULL: none */
  bool same_inputs;  /* since it last computed */
} dcs_ready;

struct dcs_mapper {
  pthread_mutex_t lock;         /* of all: the functions of dcsbench.h hold it */
  char *device, *dispatch_path; /* as asked for, or NULL */
  int threads;                  /* that a map takes at most */
  dcs_method only;              /* computes all maps; variant NULL: the choice */
  dcs_dispatch dispatch;
  bool use_dispatch;
  dcs_dispatch shipped; /* of the reference whose card is of the same class; no families: none */
  bool other_card;      /* its GPU methods are of another card, and not used */
  bool gpu_refused;     /* it cannot be opened, or failed; not tried again */
  char miss[6144];      /* why the dispatch table is not used; "" */
  char gpu_why[6144];   /* why the GPU, or what the table says of it, is not used; "" */
  dcs_engine *engines[2];
  pid_t opened_gpu_in; /* the process that did */
  dcs_ready ready[2];
  dcs_case c;            /* of the last map */
  dcs_case part;         /* a slab of it, where that is another problem */
  int64_t device_slices; /* of the last map, as many as the device had memory for; 0: all */
  dcs_outcome outcome;   /* of the last dcs_mapper_run() */
  dcs_checked *checked;
  int n_checked;
  double method_ns;
  dcs_engine *last; /* that computed the last map, or the last slab of it */
};

/* A method that may compute a map. */
typedef struct {
  dcs_method method;
  double ns;         /* expected; NaN: not known */
  bool extrapolated; /* that is beyond the sizes at which it was measured */
} dcs_chosen;

/* Methods in the order in which they are tried. */
typedef struct {
  dcs_chosen list[DCS_DISPATCH_MOST + 64];
  int n;
  const dcs_dispatch_family *family; /* whose table decided, or NULL */
  dcs_scope scope;
  bool too_wide;     /* the table has methods of more threads than the handle takes */
  bool by_reference; /* no table decided, but what the card's class did in the reference */
} dcs_choice;

/* What a size is computed by; spacing in angstrom. */
void dcs_choose(const dcs_mapper *mapper, const dcs_size *size, double spacing, dcs_choice *choice);

/* The choice for the map that was posed last; opens the GPU where that is best. DCS_UNAVAILABLE
 * where there is no method at all. */
dcs_status dcs_mapper_choose(dcs_mapper *mapper, dcs_choice *choice);

/* Of a function that the header declares: DCS_USAGE where an argument is NULL. */
dcs_status dcs_need(const void *argument, const char *name);
/* Coordinates and charges are within 1e12; NaN is not. */
bool dcs_within_1e12(double value);

/* What a request asks for; DCS_USAGE where it cannot be. */
dcs_config dcs_request_problem(const dcs_map_request *request);
dcs_status dcs_request_check(const dcs_map_request *request);

/* The mapper's case becomes that of other inputs: nothing that was found out of the last ones
 * holds.
 */
void dcs_mapper_change_inputs(dcs_mapper *mapper);

/* In a child of fork() forgets the GPU that the parent opened, which must not be touched there. */
void dcs_mapper_leave_parent(dcs_mapper *mapper);
/* Whether times of the engine mean anything. */
bool dcs_mapper_has_times(const dcs_engine *engine);
/* Opens the GPU, or the GPUs, unless it is open; the table's GPU methods are given up where the
 * card is another.
 */
dcs_status dcs_mapper_open_gpu(dcs_mapper *mapper);
/* Gives the GPU up after a failure that may have poisoned its context. */
void dcs_mapper_drop_gpu(dcs_mapper *mapper, const char *why);

/* Computes the problem by the method. DCS_FAILED or DCS_UNAVAILABLE when it cannot be. */
dcs_status dcs_mapper_run(dcs_mapper *mapper, const dcs_method *method, const dcs_problem *problem,
                          float *map);
/* Checks the method on a small problem unless that was done; DCS_FAILED says what is wrong. */
dcs_status dcs_mapper_check(dcs_mapper *mapper, const dcs_method *method);

#endif
