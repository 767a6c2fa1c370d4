/* What is wrong with a student's kernel, in sentences that a student understands. */
#ifndef DCS_LAB_DIAGNOSE_H
#define DCS_LAB_DIAGNOSE_H

#include "harness/judge/oracle.h"
#include "harness/trace/trace.h"

enum { DCS_SENTENCE = 3 * DCS_TEXT };

/* What is said first: where a kernel has several faults, one follows from the other, or matters
 * less. */
typedef enum {
  DCS_FAULT_NONE,
  DCS_FAULT_MISSING, /* the folder lacks the kernel: nothing was looked at */
  DCS_FAULT_COMPILE, /* nothing else was looked at */
  DCS_FAULT_ENDLESS,
  DCS_FAULT_OUTSIDE,
  DCS_FAULT_BARRIER, /* threads of a block at different ones */
  DCS_FAULT_SHARED,  /* a race in shared memory */
  DCS_FAULT_MAP,
  DCS_FAULT_RACE,
  DCS_FAULT_COST,
  DCS_FAULT_VALUES, /* the map is wrong, and nobody knows why */
  DCS_FAULT_CRASH
} dcs_fault;

/* What became of the map. The reference has all points, `out` at least one that is not accepted.
 * DCS_FAULT_MAP, or DCS_FAULT_VALUES where text has no cause. */
dcs_fault dcs_diagnose_map(const dcs_case *c, const dcs_method *method,
                           const dcs_reference *reference, const float *out,
                           char text[DCS_SENTENCE]);

/* The race that says most of n (at least 1), or access of no memory: which fault it is. */
dcs_fault dcs_diagnose_races(const dcs_located_race *races, int n, char text[DCS_SENTENCE]);

/* Runs all blocks and looks for threads that end while others of their block wait at a barrier:
 * text says which, "" none. Errors as of dcs_watch_launches(). */
dcs_status dcs_check_barriers(const dcs_method *method, const dcs_case *c, const char *kernels,
                              char text[DCS_SENTENCE]);

typedef enum {
  DCS_COUNT_OPERATIONS, /* floating-point, by the convention of dcs_variant.flops_per_eval */
  DCS_COUNT_ROOTS       /* calls of rsqrtf and sqrtf, which a card's special units compute */
} dcs_counted;

/* How many of them an evaluation has, as the source has it. Errors as of dcs_watch_launches():
 * DCS_FAILED where a kernel does what cannot be counted, such as taking the address of a float. */
dcs_status dcs_count_work(dcs_counted what, const dcs_method *method, const dcs_case *c,
                          const char *kernels, double *per_eval);

/* "constant.cu:31": the place without folders. Returns text. */
char *dcs_short_place(const dcs_place *place, char text[DCS_TEXT]);

/* A measure of the trace of a method, all of whose blocks were watched. */
typedef struct {
  const dcs_kernel_trace *trace;
  const dcs_method *method;
  const dcs_case *c;
} dcs_measured_kernel;

/* What is measured under that name; false where there is no such measure. Above `limit`, or where
 * nothing can be measured (NaN), text says what is wrong, else it is "". */
bool dcs_measure_kernel(const dcs_measured_kernel *kernel, const char *name, double limit,
                        double *value, char text[DCS_SENTENCE]);

#endif
