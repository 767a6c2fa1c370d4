/* What became of a configuration: one enumeration, in every table and every message. */
#ifndef DCS_OUTCOME_H
#define DCS_OUTCOME_H

#include <stdbool.h>

typedef enum {
  DCS_OUTCOME_OK,
  DCS_OUTCOME_NOT_BUILT, /* not in this program, not for this machine's CPU, or a library is missing
                          */
  DCS_OUTCOME_NO_DEVICE, /* what it runs on is not on this machine, or does not start */
  DCS_OUTCOME_INAPPLICABLE, /* the configuration cannot compute this problem */
  DCS_OUTCOME_COMPILE,      /* the kernel did not compile */
  DCS_OUTCOME_LAUNCH,       /* the device refused or failed the launch */
  DCS_OUTCOME_MEMORY,       /* more memory than there is */
  DCS_OUTCOME_TIMEOUT,
  DCS_OUTCOME_WRONG,      /* the map was not accepted */
  DCS_OUTCOME_UNVERIFIED, /* it ran, and there is nothing to hold it against */
  DCS_OUTCOME_CRASH,      /* the worker process died */
  DCS_N_OUTCOMES
} dcs_outcome;

const char *dcs_outcome_name(dcs_outcome outcome);
/* Whether a method has nothing to fail at on this machine. */
static inline bool dcs_not_here(dcs_outcome outcome) {
  return outcome == DCS_OUTCOME_NOT_BUILT || outcome == DCS_OUTCOME_NO_DEVICE;
}
/* Whether times of it count: it is right, or there is nothing that tells. */
static inline bool dcs_outcome_has_times(dcs_outcome outcome) {
  return outcome == DCS_OUTCOME_OK || outcome == DCS_OUTCOME_UNVERIFIED;
}
bool dcs_find_outcome(const char *name, dcs_outcome *outcome); /* false: none has that name */

/* What a timing includes (one bit each in a set of scopes). */
typedef enum {
  DCS_UNTIMED = 0,       /* a map as in `kernel`, then copied out, for verification */
  DCS_KERNEL = 1,        /* launches alone; on the CPU the loop nest */
  DCS_WARM = 2,          /* copy in, kernels, copy out; context alive, code loaded */
  DCS_FIRST = 4,         /* a fresh process from its start to the finished map in host memory */
  DCS_FRAME = 8,         /* of a device: one of many frames whose maps are added where they are */
  DCS_UNTIMED_WARM = 16, /* a map as in `warm` and `first`, for verification */
  DCS_UNTIMED_FRAME = 32 /* as in `frame` */
} dcs_scope;

const char *dcs_scope_name(dcs_scope scope);
bool dcs_find_scope(const char *name, dcs_scope *scope); /* of those that are timed */
bool dcs_is_timed(dcs_scope scope);
dcs_scope dcs_untimed_as(dcs_scope scope); /* that verifies it */

/* How atoms and map move between host and GPU. */
typedef enum {
  DCS_PAGEABLE,         /* explicit copies from and to ordinary memory */
  DCS_PINNED,           /* explicit copies from and to page-locked memory */
  DCS_MAPPED,           /* kernels work on page-locked host memory */
  DCS_MANAGED,          /* managed memory, whose pages move when they are touched */
  DCS_MANAGED_PREFETCH, /* managed memory, moved ahead of use */
  DCS_N_MEMORIES
} dcs_memory;

const char *dcs_memory_name(dcs_memory memory);

#endif
