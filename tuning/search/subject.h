/* What a tuning is of, and on which machine: where the parts agree, so do the results. */
#ifndef DCS_TUNE_SUBJECT_H
#define DCS_TUNE_SUBJECT_H

#include "harness/base/outcome.h"
#include "harness/sweep/environment.h"

enum {
  DCS_TUNE_SCHEMA = 2,       /* of journal.csv */
  DCS_TUNE_FORMER_SCHEMA = 1 /* the same without columns about a cutoff: whole sums alone */
};

typedef struct {
  const dcs_variant *variant;
  dcs_scope scope;
  int64_t atoms; /* of the input */
  dcs_dims n;
  double cutoff; /* angstrom; 0: the whole sum, and the next three are 0 as well */
  dcs_smooth smooth;
  double spacing;    /* of the grid, angstrom: within a cutoff it decides how much there is to do */
  double pairs;      /* of atoms and points within the cutoff; 0: not counted */
  char machine[128]; /* card, or CPU model */
  char capability[16];  /* compute capability, "9.0"; instruction sets of a CPU */
  int units;            /* SMs, or CPUs at hand */
  char kernel_hash[17]; /* of the variant's source */
} dcs_subject;

/* Adds machine, capability, units and source to what is tuned. Facts as dcs_machine_facts() and,
 * for a CUDA variant, dcs_gpu_facts() leave them; empty where they have none. `kernels`: folder of
 * .cu files, or NULL. DCS_IO when the source cannot be read. */
dcs_status dcs_subject_fill(const dcs_facts *facts, const char *kernels, dcs_subject *subject);

bool dcs_same_subject(const dcs_subject *a, const dcs_subject *b);

/* The problem without its atoms, as predicates and plans take it. Its spacing is 1 without a
 * cutoff: then none depends on it. */
dcs_problem dcs_subject_problem(const dcs_subject *subject);

/* Useful evaluations of a map: atoms times points, or the pairs within the cutoff. */
double dcs_subject_evals(const dcs_subject *subject);

/* ", within 12 angstrom (smoothing c2)", or "" without a cutoff; returns text. */
char *dcs_within_text(double cutoff, dcs_smooth smooth, char text[DCS_TEXT]);
/* The same for a column of a table: "12 c2", or "". */
char *dcs_within_brief(const dcs_subject *subject, char text[DCS_TEXT]);

/* ---- the columns cutoff, smooth, spacing and evals_useful, which both files have ---- */

void dcs_subject_put_within(dcs_csv *csv, const dcs_subject *subject);
/* From the texts of the cells; false where they are not those of the subject's variant. */
bool dcs_subject_read_within(const char *const cells[4], dcs_subject *subject);

/* DCS_INPUT names what was found. */
dcs_status dcs_scope_by_name(const char *name, dcs_scope *scope);

#endif
