/* The place where maps are computed and accepted: one arena, a worker for the CPU and one for the
 * GPU, started when first needed. */
#ifndef DCS_BENCH_H
#define DCS_BENCH_H

#include "harness/judge/oracle.h"
#include "harness/problems/methods.h"
#include "harness/worker/session.h"

typedef struct {
  const char *device;  /* for CUDA variants, as dcs_device_list_of() takes it */
  const char *kernels; /* folder of .cu files, or NULL for those built in */
  double timeout_s;    /* of one answer of a worker */
  dcs_arena arena;
  dcs_session *cpu, *gpu;
  bool gpu_refused; /* the device could not be opened; why says what is missing */
  char why[DCS_TEXT * 2];
} dcs_bench;

/* device NULL: cuda:0. Nothing is started yet. */
dcs_status dcs_bench_open(const char *device, const char *kernels, double timeout_s,
                          dcs_bench *bench);
void dcs_bench_close(dcs_bench *bench);

/* The session for a backend, started if need be. DCS_UNAVAILABLE when the device is not there. */
dcs_status dcs_bench_session(dcs_bench *bench, dcs_backend backend, dcs_session **session);

/* Puts a case before all sessions. */
dcs_status dcs_bench_put(dcs_bench *bench, const dcs_case *c);

/* What is known of a method once it was tried on a case. */
typedef struct {
  dcs_outcome outcome; /* when not ok, the reason is in dcs_error_message() */
  dcs_session *session;
  int slot;
  dcs_code_facts facts;
  dcs_verdict verdict;
  char lost[2 * DCS_TEXT]; /* devices that failed while others went on, and why; "" */
} dcs_trial;

/* Prepares the method on the case put last, computes a map over NaN, and checks it. */
dcs_trial dcs_bench_try(dcs_bench *bench, const dcs_method *method, const dcs_case *c,
                        const dcs_reference *reference);

/* Checks a method that was tried with success once more, as scopes `warm` and `first` compute it,
 * with atoms and map in that kind of memory. */
void dcs_bench_try_memory(dcs_bench *bench, const dcs_method *method, const dcs_case *c,
                          const dcs_reference *reference, dcs_memory memory, dcs_trial *trial);

#endif
