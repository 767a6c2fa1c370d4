/* What a tuning is of, and on which machine: where the parts agree, so do the results. */
#ifndef DCS_TUNE_SUBJECT_H
#define DCS_TUNE_SUBJECT_H

#include "harness/base/outcome.h"
#include "harness/sweep/environment.h"

enum { DCS_TUNE_SCHEMA = 1 }; /* of journal.csv and tuned.csv */

typedef struct {
  const dcs_variant *variant;
  dcs_scope scope;
  int64_t atoms; /* of the input */
  dcs_dims n;
  char machine[128];    /* card, or CPU model */
  char capability[16];  /* compute capability, "9.0"; instruction sets of a CPU */
  int units;            /* SMs, or CPUs at hand */
  char kernel_hash[17]; /* of the variant's source */
} dcs_subject;

/* Facts as dcs_machine_facts() and, for a CUDA variant, dcs_gpu_facts() leave them; empty where
 * they have none. `kernels`: folder of .cu files, or NULL. DCS_IO when the source cannot be read.
 */
dcs_status dcs_subject_fill(const dcs_variant *variant, dcs_scope scope, int64_t atoms, dcs_dims n,
                            const dcs_facts *facts, const char *kernels, dcs_subject *subject);

bool dcs_same_subject(const dcs_subject *a, const dcs_subject *b);

/* DCS_INPUT names what was found. */
dcs_status dcs_scope_by_name(const char *name, dcs_scope *scope);

/* 64-bit FNV-1a (Fowler, Noll, Vo) over bytes, going on from `hash`; DCS_FNV_START at first. A
 * change of one byte always changes it. */
#define DCS_FNV_START 0xcbf29ce484222325u
uint64_t dcs_fnv1a64(uint64_t hash, const void *bytes, size_t n);

#endif
