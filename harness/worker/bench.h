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
  dcs_outcome opened[2];  /* by backend: what came of starting its worker; a GPU's is tried once */
  bool killed[2];         /* it was killed: dcs_session_open() */
  char why[DCS_TEXT * 2]; /* the GPU's was not ok */
} dcs_bench;

/* device NULL: the default. Nothing is started yet. */
dcs_status dcs_bench_open(const char *device, const char *kernels, double timeout_s,
                          dcs_bench *bench);
void dcs_bench_close(dcs_bench *bench);

/* The session for a backend, started if need be. DCS_USAGE when no device has such a name,
 * DCS_UNAVAILABLE when it is not there, DCS_FAILED when it did not start in time, or on an
 * interrupt. */
dcs_status dcs_bench_session(dcs_bench *bench, dcs_backend backend, dcs_session **session);

/* Puts a case with n problems of its kind before all sessions (n 0: the one that it poses). The
 * case poses the last of them afterwards. */
dcs_status dcs_bench_put(dcs_bench *bench, dcs_case *c, const dcs_config *problems, int n);

/* What is known of a method once it was tried on a case. */
typedef struct {
  dcs_outcome outcome;
  char why[2 * DCS_TEXT]; /* of an outcome that is not ok; dcs_error_message() has it, too */
  bool killed;            /* the outcome is of a worker that was killed: dcs_session_was_killed() */
  dcs_session *session;
  int slot;
  dcs_code_facts facts;
  int64_t longest_sum; /* the method's, on this problem */
  dcs_verdict verdict;
  char lost[2 * DCS_TEXT]; /* devices that failed while others went on, and why; "" */
} dcs_trial;

/* Prepares the method for a problem of the case put last (`which`, in the order they were put),
 * computes an output over NaN, and checks it. */
dcs_trial dcs_bench_try(dcs_bench *bench, const dcs_method *method, int which,
                        const dcs_reference *reference);

/* Checks a method that was tried with success once more, over NaN again: what a computation leaves
 * behind must not matter to the next. Scope DCS_UNTIMED, or DCS_UNTIMED_WARM: as `warm` and `first`
 * compute it, with inputs and output in that kind of memory, or DCS_UNTIMED_FRAME. */
void dcs_bench_try_again(dcs_bench *bench, const dcs_reference *reference, dcs_scope scope,
                         dcs_memory memory, dcs_trial *trial);

#endif
