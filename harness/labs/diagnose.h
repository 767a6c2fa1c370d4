/* What is wrong with a student's kernel, in sentences that a student understands. */
#ifndef DCS_LAB_DIAGNOSE_H
#define DCS_LAB_DIAGNOSE_H

#include "harness/judge/oracle.h"
#include "harness/trace/trace.h"

enum { DCS_SENTENCE = 3 * DCS_TEXT };

/* What became of the map. The reference has all points, `out` at least one that is not accepted.
 * Returns text. */
char *dcs_diagnose_map(const dcs_case *c, const dcs_method *method, const dcs_reference *reference,
                       const float *out, char text[DCS_SENTENCE]);

/* One race, or access of no memory. Returns text. */
char *dcs_diagnose_race(const dcs_located_race *race, char text[DCS_SENTENCE]);

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
