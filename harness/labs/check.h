/* Checking a student's kernels against what a lab demands, without a GPU. */
#ifndef DCS_LAB_CHECK_H
#define DCS_LAB_CHECK_H

#include "harness/labs/diagnose.h"
#include "harness/labs/lab.h"

/* What came of a demand. */
typedef struct {
  const dcs_demand *demand;
  bool done; /* false: an earlier fault left nothing to look at */
  dcs_fault fault;
  double measured;         /* NaN: the check has no number */
  char said[DCS_SENTENCE]; /* of a fault */
} dcs_lab_finding;

typedef struct {
  dcs_lab_finding *list; /* a demand each, in their order */
  int n;
  int n_asked, n_passed;              /* asked: without speed where it was not measured */
  const dcs_lab_finding *first_fault; /* what is said first; NULL: all passed */
} dcs_lab_findings;

/* Checks the kernels, or the answers, of a folder. DCS_UNAVAILABLE: this machine cannot run
 * the emulated device. Faults are no failure; `speed` stays undone. The caller frees with
 * dcs_lab_findings_free(), whatever the status. */
dcs_status dcs_lab_check(const dcs_lab *lab, const char *folder, dcs_lab_findings *findings);
/* Sets what follows from the list. */
void dcs_lab_findings_sum_up(dcs_lab_findings *findings);
void dcs_lab_findings_free(dcs_lab_findings *findings);

#endif
