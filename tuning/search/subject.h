/* What a tuning is of, and on which machine: where the parts agree, so do the results. */
#ifndef DCS_TUNE_SUBJECT_H
#define DCS_TUNE_SUBJECT_H

#include "harness/base/outcome.h"
#include "harness/problems/size.h"
#include "harness/runs/environment.h"

/* Room for an objective as a user wrote it. */
enum { DCS_OBJECTIVE_TEXT = 128 };

typedef struct {
  const dcs_variant *variant;
  dcs_scope scope;
  dcs_size size;                      /* problem, and atoms of the input and grid */
  double spacing;                     /* of the grid, angstrom; 0: unknown */
  double work;                        /* useful evaluations of one output */
  char machine[128];                  /* card, or CPU model */
  char capability[16];                /* compute capability, "9.0"; instruction sets of a CPU */
  int units;                          /* SMs, or CPUs at hand */
  char kernel_hash[17];               /* of the variant's sources */
  char objective[DCS_OBJECTIVE_TEXT]; /* what is least of the best; "": time */
} dcs_subject;

/* Adds machine, capability, units and sources to what is tuned. Facts as dcs_machine_facts() and,
 * for a GPU variant, dcs_gpu_facts() leave them; empty where they have none. `kernels`: folder of
 * .cu files, or NULL. DCS_IO when a source cannot be read. */
dcs_status dcs_subject_fill(const dcs_facts *facts, const char *kernels, dcs_subject *subject);

/* Whether the work of a size depends on the spacing; else it is the product of the axes. */
bool dcs_spacing_counts(const dcs_size *size);

/* Whether all agrees; spacing and work only where the work depends on the spacing. */
bool dcs_same_subject(const dcs_subject *a, const dcs_subject *b);

/* The problem without its inputs, as predicates and plans take it. */
dcs_problem dcs_subject_problem(const dcs_subject *subject);

/* DCS_INPUT names what was found. */
dcs_status dcs_scope_by_name(const char *name, dcs_scope *scope);

/* ---- in files ---- */

/* Writes the names of the subject's columns, and the cells of them. */
void dcs_subject_put_columns(dcs_csv *csv);
void dcs_subject_put(dcs_csv *csv, const dcs_subject *subject);

/* Whether a table has these columns; DCS_INPUT names one that is missing. */
dcs_status dcs_subject_need(const dcs_table *table);
/* Reads a row. DCS_INPUT names file, row, what was found and what would be right. */
dcs_status dcs_subject_read(const dcs_table *table, size_t row, dcs_subject *subject);

#endif
